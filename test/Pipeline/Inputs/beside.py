"""Looks up every spelling of ours in a page's tables in the file that its row names.

    beside.py FILE.md

A row's last two cells are spellings, in backquotes, and a link. Blanks count as one; `…` stands for any text.
"""

import os
import re
import sys


def plain(text):
    return re.sub(r"\s+", " ", text)


def main(path):
    spellings = rows = 0
    with open(path) as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        link = re.search(r"\| \[[^]]*\]\(([^)]*)\) \|$", line)
        if not link:
            continue
        rows += 1
        with open(os.path.join(os.path.dirname(path), link[1])) as file:
            text = plain(file.read())
        cell = line[:link.start()].rsplit(" | ", 1)[1]
        for spelling in re.findall(r"`([^`]*)`", cell):
            spellings += 1
            pattern = ".*".join(re.escape(plain(part)) for part in spelling.split("…"))
            if not re.search(pattern, text):
                sys.exit(f"{path}:{number}: expected `{spelling}` in {link[1]}, found none")
    print(f"{spellings} spellings of {rows} rows are in the files that they name")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
