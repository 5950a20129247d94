"""Runs the code blocks of a Markdown file.

    markdown.py FILE.md FOLDER

A block of `mlir` or `c` whose first line is `// NAME` is written to FOLDER/NAME. One whose first line is `// in NAME`
shows lines of a file beside FILE.md: what follows has to be in it, except for its indentation;
`…` alone in a line stands for any lines. All files of the folder of NAME are copied to FOLDER. In a block of `console`, each
line after `$ ` is run by the shell in FOLDER, and the lines that follow are its output: standard output,
then standard error. A line of `…` stands for any lines, `…` inside a line for any text. Commands of a block marked
`console gpu` succeed where LAYOUT_GPU=1, and are counted elsewhere. A block marked `console run-in PATH` is run by that
file, which has the last word of each of its commands; PATH is from the folder of FILE.md. Blocks marked `console no-run` need
what no run of CI can install, and are counted. A block of any other kind is an error, but `python`, which a Python package's tests run.
"""

import os
import re
import shutil
import subprocess
import sys


def blocks(text):
    for match in re.finditer(r"^```(\S*)([^\n]*)\n(.*?)^```$", text, flags=re.M | re.S):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match.group(1), match.group(2).strip(), match.group(3)


def pattern(lines):
    """What a command's output must match as a whole."""
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


def missing(body, text):
    """The last words of commands, up to a `=`, that a text does not have."""
    joined = body.replace("\\\n", " ").replace(" && ", "\n$ ")
    lasts = [command.split()[-1].split("=")[0] for command, _ in commands(joined)]
    return [last for last in lasts if last.rsplit("/", 1)[-1] not in text]


def main(path, folder):
    os.makedirs(folder, exist_ok=True)
    with open(path) as file:
        text = file.read()
    on_gpu = os.environ.get("LAYOUT_GPU") == "1"
    files = parts = ran = skipped = elsewhere = 0
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
        elif language == "console" and mark.startswith("run-in "):
            name = os.path.join(os.path.dirname(path), mark[7:])
            with open(name) as file:
                absent = missing(body, file.read())
            if absent:
                sys.exit(f"{path}:{line}: expected {name} to run this, found no {', '.join(absent)} in it")
            elsewhere += 1
        elif language == "console" and (mark == "no-run" or mark == "gpu" and not on_gpu):
            skipped += 1
        elif language == "console" and mark == "gpu":
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
        elif language not in ("", "text", "python"):
            sys.exit(f"{path}:{line}: expected a block that is run, found {language} {mark}".rstrip())
    said = f", {parts} parts of files shown" if parts else ""
    said += f", {elsewhere} run elsewhere" if elsewhere else ""
    print(f"{files} files written{said}, {ran} commands ran, {skipped} blocks not run")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
