"""Linear layouts from and to Triton: its Python bindings, its encodings, and the text that it prints."""

import re

from . import _encodings
from ._native import LayoutError, LinearLayout


def read(of, shape=None):
    """The linear layout of an object or a text of Triton's."""
    if isinstance(of, str):
        encoding = _encodings.parsed(of) if of.lstrip().startswith("#") else None
    else:
        encoding = _encodings.gluon(of)
    if encoding is not None:
        return _encodings.linear(encoding, shape)
    if shape is not None:
        raise TypeError(f"expected a shape beside an encoding only: {_encodings.TAKEN}")
    if isinstance(of, str):
        return _parsed(of)
    if not (hasattr(of, "bases") and hasattr(of, "out_dims")):
        expected = f"a linear layout of Triton's, its text, or an encoding of Gluon's or Triton's among {_encodings.TAKEN}"
        raise TypeError(f"expected {expected}, found {type(of).__name__}")
    return LinearLayout.from_bases(of.bases, of.out_dims)


def binding(layout):
    """The object of Triton's bindings."""
    from triton._C.libtriton.linear_layout import LinearLayout as Theirs

    outs = layout.out_dims
    return Theirs.from_bases(list(layout.bases.items()), list(outs), list(outs.values()), layout.is_surjective())


def text(layout):
    """The text that Triton prints for the layout."""
    lines = []
    for name, vectors in layout.bases.items():
        if not vectors:
            lines.append(f" - {name} is a size 1 dimension")
        for bit, vector in enumerate(vectors):
            shown = ", ".join(str(value) for value in vector)
            lines.append(f" {'-' if bit == 0 else ' '} {name}={1 << bit} -> ({shown})")
    outs = ", ".join(f"{name} (size {size})" for name, size in layout.out_dims.items())
    return "\n".join([*lines, f"where out dims are: [{outs}]"])


_BASIS = re.compile(r"-?\s*(\w+)=(\d+) -> \(([^)]*)\)")
_UNIT = re.compile(r"-\s*(\w+) is a size 1 dimension")
_OUTS = re.compile(r"where out dims are: \[(.*)\]")


def _parsed(text):
    bases, outs = {}, None
    for line in text.strip().splitlines():
        line = line.strip()
        if match := _BASIS.fullmatch(line):
            name, at, vector = match.groups()
            vectors = bases.setdefault(name, [])
            if int(at) != 1 << len(vectors):
                raise LayoutError(f"expected the basis of {name}={1 << len(vectors)}, found that of {name}={at}")
            vectors.append([int(value) for value in vector.split(",")])
        elif match := _UNIT.fullmatch(line):
            bases.setdefault(match[1], [])
        elif match := _OUTS.fullmatch(line):
            outs = {name: int(size) for name, size in re.findall(r"(\w+) \(size (\d+)\)", match[1])}
        elif line:
            raise LayoutError(f"expected a basis as Triton prints it, found {line!r}")
    if outs is None:
        raise LayoutError("expected `where out dims are: […]`, found the end")
    return LinearLayout.from_bases(bases, outs)
