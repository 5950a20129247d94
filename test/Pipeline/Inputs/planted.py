"""Runs a script of random programs with a planted defect: every program whose text has WORD is wrong, and the others are right. No tool is called.

    planted.py WORD SCRIPT ARGUMENTS...
"""

import importlib
import sys

# Imports leave nothing beside the sources.
sys.dont_write_bytecode = True


def main():
    word, name = sys.argv[1:3]
    script = importlib.import_module(name)
    sys.argv = [f"{name}.py", *sys.argv[3:]]
    wrong = lambda text: f"element 7: 0.5, upstream {len(text)}" if word in text else None
    found = lambda programs: {program.name: wrong(program.text()) for program in programs if word in program.text()}
    match name:
        case "linalg":
            script.checked = lambda programs, *_: (found(programs), 0)
        case "linalg_extensions":
            script.checked = lambda programs, _: found(programs)
        case "problems":
            script.run = lambda command, _: (0, wrong(command[1].read_text()) or ": right")
        case "combinations":
            script.wrong = lambda _, case: wrong(script.source(*case))
    return script.main()


if __name__ == "__main__":
    sys.exit(main())
