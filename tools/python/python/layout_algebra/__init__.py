"""CuTe's layouts and their algebra.

A layout is a function from coordinates to offsets. An operation answers with the right function, or raises a LayoutError
that says what was expected and what was found; it never answers with a wrong layout.

    >>> from layout_algebra import Layout, composition
    >>> composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1)))
    Layout("((2,2),3):((24,2),8)")

Where an operation takes a layout it takes an integer, a tuple (a shape, or a tuple of tilers) or the text of a term too:

    >>> print(composition("(6,2):(8,2)", "(4,3):(3,1)"))
    ((2,2),3):((24,2),8)
"""

from . import _native
from ._native import *
from ._native import (
    OPERATIONS,
    ComposedCoordinateLayout,
    ComposedLayout,
    CoordinateLayout,
    Expr,
    Layout,
    LayoutError,
    LinearLayout,
    MissingFactError,
    NoCompositionError,
    ParseError,
    Picture,
    ScaledBasis,
    Swizzle,
    Symbol,
    Value,
    __version__,
    evaluate,
    layout,
)
from . import _methods

#: CuTe's spellings of two operations whose names are Python's own or shorter here.
slice_ = _native.slice
group_modes = _native.group
compose = _native.composition

_OWN = ("filter", "slice", "zip")  # Python's own functions of these names stay what they are after `import *`

__all__ = [
    "ComposedCoordinateLayout",
    "ComposedLayout",
    "CoordinateLayout",
    "Expr",
    "Layout",
    "LayoutError",
    "LinearLayout",
    "MissingFactError",
    "NoCompositionError",
    "OPERATIONS",
    "ParseError",
    "Picture",
    "ScaledBasis",
    "Swizzle",
    "Symbol",
    "Value",
    "compose",
    "evaluate",
    "group_modes",
    "layout",
    "slice_",
    *(row[0] for row in OPERATIONS if row[0] not in _OWN),
]

_methods.add()
