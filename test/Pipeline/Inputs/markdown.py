"""Runs the code blocks of a Markdown file.

    markdown.py FILE.md FOLDER [--from ROOT]

A block of `mlir` or `c` whose first line is `// NAME` is written to FOLDER/NAME. One whose first line is `// in NAME`
shows lines of a file beside FILE.md: what follows has to be in it, except for its indentation;
`…` alone in a line stands for any lines. All files of the folder of NAME are copied to FOLDER. In a block of `console`, each
line after `$ ` is run by the shell in FOLDER, and the lines that follow are its output: standard output,
then standard error. A line of `…` stands for any lines, `…` inside a line for any text. With `--from`, FOLDER has links to
the folders of ROOT, so that commands name files as a reader in a clone does.

A block of `console` may have a mark:

    gpu               its commands succeed where LAYOUT_GPU=1; elsewhere the block is not run
    run-in PATH       the file runs it; `cargo xtask tidy` compares the words
    not-run REASON    no test runs it

The first line of the output counts; a line for each block that was not run, with its reason, follows. The tests of the Python
packages run blocks of `python`. A block of any other kind is an error.
"""

import os
import re
import shutil
import subprocess
import sys

# Folders of the repository that commands name files in.
FOLDERS = ["dialect", "lowering", "passes", "test", "tools"]


def blocks(text):
    for match in re.finditer(r"^```(\S*)([^\n]*)\n(.*?)^```$", text, flags=re.M | re.S):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match.group(1), match.group(2).strip(), match.group(3)


def pattern(lines):
    """The pattern that a command's whole output must match."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in line.split("…")) + r"\n")
    return "".join(parts)


def commands(body):
    """Each command with the output that should follow."""
    found = []
    for line in body.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def shows(body, text):
    """Whether a block shows lines of a text."""
    def plain(text):
        return "".join(line.strip() + "\n" for line in text.splitlines())
    return re.search("(?:^|\n)" + pattern(plain(body).splitlines()), plain(text)) is not None


def link(root, folder):
    """Links to the folders of the repository."""
    for name in FOLDERS:
        place = os.path.join(folder, name)
        if not os.path.islink(place):
            os.symlink(os.path.join(os.path.abspath(root), name), place)


def main(path, folder, root=None):
    os.makedirs(folder, exist_ok=True)
    if root:
        link(root, folder)
    with open(path) as file:
        text = file.read()
    on_gpu = os.environ.get("LAYOUT_GPU") == "1"
    files = parts = ran = elsewhere = 0
    reasons = []
    for line, language, mark, body in blocks(text):
        if language == "mlir" and body.startswith("// in "):
            first, body = body.split("\n", 1)
            name = os.path.join(os.path.dirname(path), first[6:].strip())
            with open(name) as file:
                if not shows(body, file.read()):
                    sys.exit(f"{path}:{line}: these lines are not in {name}")
            shutil.copytree(os.path.dirname(name), folder, dirs_exist_ok=True)
            parts += 1
        elif language in ("mlir", "c") and body.startswith("// "):
            name = body.split("\n", 1)[0][3:].strip()
            with open(os.path.join(folder, name), "w") as file:
                file.write(body)
            files += 1
        elif language == "python" or language == "console" and mark.startswith("run-in "):
            elsewhere += 1
        elif language == "console" and mark.startswith("not-run "):
            reasons.append(mark[len("not-run "):])
        elif language == "console" and mark == "gpu":
            if not on_gpu:
                reasons.append("needs a GPU")
                continue
            for command, _ in commands(body):
                subprocess.run(command, shell=True, cwd=folder, check=True)
                ran += 1
        elif language == "console" and not mark:
            for command, output in commands(body):
                done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
                # Trailing blanks are no part of what is shown.
                shown = re.sub(r"[ \t]+$", "", done.stdout + done.stderr, flags=re.M).strip("\n")
                found = shown + "\n" if shown else ""
                if not re.fullmatch(pattern(output), found):
                    expected = "\n".join(output)
                    sys.exit(f"{path}:{line}: $ {command}\nexpected:\n{expected}\nfound:\n{found}")
                ran += 1
        elif language not in ("", "text"):
            sys.exit(f"{path}:{line}: expected a block that is run, found {language} {mark}".rstrip())
    counts = [f"{files} files written", f"{parts} parts of files shown", f"{elsewhere} blocks run elsewhere"]
    print(f"{', '.join(counts)}, {ran} commands ran, {len(reasons)} blocks not run")
    for reason in reasons:
        print(f"not run: {reason}")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[3] == "--from":
        main(sys.argv[1], sys.argv[2], sys.argv[4])
    elif len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    else:
        sys.exit(__doc__)
