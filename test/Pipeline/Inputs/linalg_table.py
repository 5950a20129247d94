"""Programs of linalg by hand, in the style of upstream's own tests: the functions of linalg/*.mlir. Those that upstream cannot bring to loops
itself (pack, unpack, softmax) are not among them.

A private function belongs to the public one before it. Extents that are known at run time are all of one number, as are arguments
of type index: of CALLED, or of each of the numbers after `// sizes:` above a function.
"""
import pathlib, re

CALLED = [5]


def read():
    """The text of each program, its name and its sizes."""
    programs = []
    for file in sorted((pathlib.Path(__file__).parent / "linalg").glob("*.mlir")):
        sizes = CALLED
        for part in re.split(r"\n(?=//|func\.func)", file.read_text()):
            if found := re.match(r"// sizes: (.*)", part):
                sizes = [int(size) for size in found[1].split(",")]
            elif part.startswith("func.func private"):
                programs[-1][1] += "\n" + part
            elif found := re.match(r"func\.func @(\w+)", part):
                programs.append([found[1], part, sizes])
                sizes = CALLED
    return programs


TABLE = read()


class Table:
    """A function @pNUMBER, as linalg.py calls it."""
    kind = "tensor"

    def __init__(self, _, number):
        self.title, text, self.called = TABLE[number % len(TABLE)]
        self.name, self.rounds = f"p{number}", 1
        self.of_module = re.sub(rf"@{self.title}\b", f"@{self.name}", text)
        arguments, results = re.match(r"func\.func @\w+\((.*)\) -> (.*) \{\n", text).groups()
        self.arguments = re.findall(r"(%\w+): (tensor<[^>]*>|\w+)", arguments)
        self.results = [("%result", of) for of in re.findall(r"tensor<[^>]*>", results)]

    def call_values(self, size):
        """Names, types, shapes and elements of all that a call is given: extents that are not known are `size`. A number has no shape."""
        return [(name, of, *sized(of, size)) for name, of in self.arguments + self.results]

    def text(self):
        return self.of_module + "\n"


def sized(of, size):
    if not of.startswith("tensor"):
        return None, of
    *shape, element = of[len("tensor<"):-1].split("x") if "x" in of else [of[len("tensor<"):-1]]
    return [size if extent == "?" else int(extent) for extent in shape], element
