# Generated from the table of operations and src/classes.pyi: `cargo xtask bless` writes it.
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

Int: TypeAlias = int | Expr
IntTuple: TypeAlias = Int | tuple[Any, ...]
AnyLayout: TypeAlias = Layout | ComposedLayout | CoordinateLayout | ComposedCoordinateLayout
# A value, an integer, a tuple of operands, `None` for a mode that is kept, the text of a term, an array of integers, or what
# has a shape and a stride.
Operand: TypeAlias = Any

OPERATIONS: list[tuple[Any, ...]]
__version__: str

class LayoutError(ValueError):
    code: str
    operation: str | None
    expected: Any
    found: Any
    operand: int | None
    mode: tuple[int, ...]
    calls: tuple[int, ...]
    offset: int | None
    needs: tuple[str, ...]
    hints: tuple[str, ...]

class ParseError(LayoutError): ...

class NoCompositionError(LayoutError):
    coordinate: int

class MissingFactError(LayoutError): ...

class Value:
    @property
    def kind(self) -> str: ...
    @property
    def symbols(self) -> list[str]: ...
    @property
    def facts(self) -> list[str]: ...
    def assume(self, *facts: str) -> Any: ...
    def substitute(self, **values: int) -> Any: ...
    def draw(self, max: int | None = None) -> Picture: ...
    def draw_threads(self, tile: Operand, max: int | None = None) -> Picture: ...
    def draw_banks(self, bits: int, access: Operand = None, max: int | None = None) -> Picture: ...
    def _repr_svg_(self) -> str | None: ...
    def _repr_html_(self) -> str | None: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

class Picture:
    def text(self) -> str: ...
    def svg(self) -> str: ...
    def html(self) -> str: ...
    def latex(self) -> str: ...
    def save(self, path: Any) -> None: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

class _Modes(Value):
    @property
    def shape(self) -> IntTuple: ...
    def compose(self, B: Operand, /) -> Any: ...
    def group_modes(self, begin: Operand, end: Operand, /) -> Any: ...
    def __call__(self, *coordinate: Operand) -> Any: ...
    def __len__(self) -> int: ...
    def __getitem__(self, mode: Any, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def coalesce(self, profile: Operand = None, /) -> Any:
        """coalesce(L[, profile]): the same function in the fewest flat modes, or in the modes of a profile."""
    def composition(self, B: Operand, /) -> Any:
        """composition(A, B or tiler): A after B; with a tiler, mode by mode."""
    def complement(self, n: Operand = None, /) -> Any:
        """complement(L[, n]): the offsets below n that L leaves out; n is cosize(filter(L)) if not given."""
    def logical_divide(self, tiler: Operand, /) -> Any:
        """logical_divide(L, tiler): each mode becomes (tile, rest)."""
    def zipped_divide(self, tiler: Operand, /) -> Any:
        """zipped_divide(L, tiler): ((tiles), (rests))."""
    def tiled_divide(self, tiler: Operand, /) -> Any:
        """tiled_divide(L, tiler): ((tiles), rest, rest, ...)."""
    def flat_divide(self, tiler: Operand, /) -> Any:
        """flat_divide(L, tiler): (tile, tile, ..., rest, rest, ...)."""
    def logical_product(self, tiler: Operand, /) -> Any:
        """logical_product(L, tiler): (L, L repeated as the tiler says)."""
    def zipped_product(self, tiler: Operand, /) -> Any:
        """zipped_product(L, tiler): ((blocks), (repeats))."""
    def tiled_product(self, tiler: Operand, /) -> Any:
        """tiled_product(L, tiler): ((blocks), repeat, repeat, ...)."""
    def flat_product(self, tiler: Operand, /) -> Any:
        """flat_product(L, tiler): (block, block, ..., repeat, repeat, ...)."""
    def blocked_product(self, times: Operand, /) -> Any:
        """blocked_product(block, times): blocks next to each other: mode k is (block k, times k)."""
    def raked_product(self, times: Operand, /) -> Any:
        """raked_product(block, times): blocks interleaved: mode k is (times k, block k)."""
    def right_inverse(self) -> Any:
        """right_inverse(L): from offsets back to indices, up to the first gap in the offsets."""
    def left_inverse(self) -> Any:
        """left_inverse(L): from the offsets of an injective layout back to its indices."""
    def nullspace(self) -> Any:
        """nullspace(L): the coordinates that L maps to 0."""
    def flatten(self) -> Any:
        """flatten(L): the same modes without nesting."""
    def get(self, *i: Operand) -> Any:
        """get(L, i, ...): mode i, and mode j of that, and so on."""
    def select(self, *i: Operand) -> Any:
        """select(L, i, ...): some of the modes, in the order of the call."""
    def group(self, begin: Operand, end: Operand, /) -> Any:
        """group(L, begin, end): modes begin to end-1 grouped into one."""
    def append(self, M: Operand, /) -> Any:
        """append(L, M): L with M appended as its last mode."""
    def prepend(self, M: Operand, /) -> Any:
        """prepend(L, M): L with M prepended as its first mode."""
    def replace(self, mode: Operand, M: Operand, /) -> Any:
        """replace(L, mode, M): L with M in place of a mode."""
    def take(self, begin: Operand, end: Operand, /) -> Any:
        """take(L, begin, end): modes begin to end-1 only."""
    def zip(self, B: Operand, /) -> Any:
        """zip(A, B): the modes of both in pairs."""
    def unzip(self, tiler: Operand, /) -> Any:
        """unzip(L, tiler): pairs unzipped: first parts together, second parts together."""
    def sort(self) -> Any:
        """sort(L): the modes in the order of their strides."""
    def filter(self, profile: Operand = None, /) -> Any:
        """filter(L[, profile]): the layout without modes of stride 0 and of extent 1."""
    def filter_zeros(self) -> Any:
        """filter_zeros(L): modes of stride 0 shortened to extent 1."""
    def make_layout_like(self) -> Any:
        """make_layout_like(L): compact, its modes in the order of L's."""
    def max_common_vector(self, B: Operand, /) -> Int:
        """max_common_vector(A, B): the number of elements contiguous in both layouts, from offset 0 on."""
    def max_common_layout(self, B: Operand, /) -> Any:
        """max_common_layout(A, B): where the elements of max_common_vector are."""
    def distribute(self, tile: Operand, TV: Operand, /) -> Any:
        """distribute(L, tile, TV): tiles of L over threads and values: ((thread, value), rest)."""
    def in_bounds_of_divide(self, tiler: Operand, /) -> tuple[Any, ...]:
        """in_bounds_of_divide(L, tiler): where a padded logical_divide means elements of L: [layout, bound], ...."""
    def in_bounds_of_composition(self, B: Operand, /) -> tuple[Any, ...]:
        """in_bounds_of_composition(A, B or tiler): where a composition takes indices of A, not past it: [layout, bound], ...."""
    def bank_conflicts(self, access: Operand, bits: Operand, /) -> Int:
        """bank_conflicts(L, access, bits): wavefronts beyond one per phase, for elements of a given number of bits."""
    def conflict_free_swizzle(self, store: Operand, load: Operand, bits: Operand, /) -> Swizzle:
        """conflict_free_swizzle(L, store, load, bits): the least swizzle of L that frees both accesses of conflicts, or the best."""
    def size(self, *i: Operand) -> Int:
        """size(L[, i, ...]): the number of coordinates."""
    def cosize(self, *i: Operand) -> Int:
        """cosize(L[, i, ...]): the greatest offset plus one."""
    def coshape(self, *i: Operand) -> Int:
        """coshape(L[, i, ...]): the shape of the codomain."""
    def rank(self, *i: Operand) -> Int:
        """rank(L[, i, ...]): the number of modes."""
    def depth(self, *i: Operand) -> Int:
        """depth(L[, i, ...]): the nesting depth of the modes."""
    def crd2idx(self, coord: Operand, /) -> Int:
        """crd2idx(coord, L): the offset of a coordinate."""
    def slice(self, coord: Operand, /) -> Any:
        """slice(coord, L): the modes where the coordinate has `_`."""
    def slice_and_offset(self, coord: Operand, /) -> tuple[Any, ...]:
        """slice_and_offset(coord, L): the slice, and the offset where it starts."""
    def dice(self, coord: Operand, /) -> Any:
        """dice(coord, L): the modes where the coordinate has a number."""
    def tile_to_shape(self, shape: Operand, order: Operand = None, /) -> Any:
        """tile_to_shape(L, shape[, order]): a block repeated until it fills a shape."""
    def upcast(self, n: Operand, /) -> Any:
        """upcast(L, n): n elements become one."""
    def downcast(self, n: Operand, /) -> Any:
        """downcast(L, n): one element becomes n."""
    def recast(self, old_bits: Operand, new_bits: Operand, /) -> Any:
        """recast(L, old_bits, new_bits): the same bits seen as elements of another width."""
    def recast_layout(self, new_bits: Operand, old_bits: Operand, /) -> Any:
        """recast_layout(L, new_bits, old_bits): recast with its operands in the order of the CuTe DSL."""
    def is_injective(self) -> bool:
        """is_injective(L): whether no two indices have the same offset."""
    def is_surjective(self) -> bool:
        """is_surjective(L): whether every offset up to the greatest is reached."""
    def is_bijective(self) -> bool:
        """is_bijective(L): whether L is a permutation of its indices."""
    def to_linear(self) -> LinearLayout:
        """to_linear(L): a layout or a swizzle as a linear layout from index to offset."""
    def equal(self, B: Operand, /) -> bool:
        """equal(A, B): whether both are the same function, or the same tuple."""
    def local_tile(self, tiler: Operand, coord: Operand, /) -> Any:
        """local_tile(L, tiler, coord): the tile of a layout at a coordinate of tiles."""
    def transpose(self, order: Operand = None, /) -> Any:
        """transpose(L[, order]): the modes in the order given, or in reverse; of a linear layout its outputs."""
    def reshape(self, shape: Operand, /) -> Any:
        """reshape(L, shape): the same offsets in order, under another shape; of a linear layout its outputs."""
    def max_alignment(self) -> Int:
        """max_alignment(L): the greatest number of elements of an aligned vector."""
    def make_composed_layout(self, offset: Operand, B: Operand, /) -> Any:
        """make_composed_layout(A, offset, B): a layout or a swizzle after an offset after a layout: A o offset o B."""
    def linear_swizzle(self, store: Operand, load: Operand, bits: Operand, /) -> LinearLayout:
        """linear_swizzle(L, store, load, bits): the linear swizzle of L, from offset to offset, that frees both accesses of conflicts."""

class Layout(_Modes):
    def __new__(cls, shape: Operand, stride: Operand = None) -> Layout: ...
    @property
    def stride(self) -> IntTuple: ...
    def offsets(self) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def to_cute(self) -> str: ...
    @staticmethod
    def from_offsets(offsets: Any, shape: Operand = None) -> Layout: ...
    def __getitem__(self, mode: Any, /) -> Layout: ...
    def __iter__(self) -> Iterator[Layout]: ...

class ComposedLayout(_Modes):
    def __new__(cls, outer: Operand, offset: Operand = None, inner: Operand = None) -> ComposedLayout: ...
    @property
    def outer(self) -> Swizzle | Layout: ...
    @property
    def offset(self) -> Int: ...
    @property
    def inner(self) -> Layout: ...
    def offsets(self) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def to_cute(self) -> str: ...

class CoordinateLayout(_Modes):
    def __new__(cls, of: Operand) -> CoordinateLayout: ...
    @property
    def stride(self) -> Any: ...

class ComposedCoordinateLayout(_Modes):
    def __new__(cls, of: Operand) -> ComposedCoordinateLayout: ...
    @property
    def outer(self) -> CoordinateLayout: ...
    @property
    def offset(self) -> Int: ...
    @property
    def inner(self) -> Layout | ComposedLayout: ...

class Swizzle(Value):
    def __new__(cls, bits: Operand, base: int | None = None, shift: int | None = None) -> Swizzle: ...
    @property
    def bits(self) -> int: ...
    @property
    def base(self) -> int: ...
    @property
    def shift(self) -> int: ...
    def __call__(self, offset: Any) -> Any: ...
    def size(self) -> int: ...
    def to_cute(self) -> str: ...
    def composition(self, B: Operand, /) -> Any: ...
    def to_linear(self) -> LinearLayout: ...

class LinearLayout(Value):
    def __new__(cls, of: Operand) -> LinearLayout: ...
    @staticmethod
    def from_bases(
        bases: Mapping[str, Iterable[Any]] | Iterable[tuple[str, Iterable[Any]]],
        out_dims: Mapping[str, int] | Sequence[str] | Sequence[tuple[str, int]],
    ) -> LinearLayout: ...
    @staticmethod
    def from_triton(of: Any, shape: Sequence[int] | None = None) -> LinearLayout: ...
    def to_triton(self) -> Any: ...
    def triton_text(self) -> str: ...
    @property
    def bases(self) -> dict[str, list[list[int]]]: ...
    @property
    def in_dims(self) -> dict[str, int]: ...
    @property
    def out_dims(self) -> dict[str, int]: ...
    def __call__(self, *index: int, **inputs: int) -> Any: ...
    def size(self) -> int: ...
    def cosize(self) -> int: ...
    def is_surjective(self) -> bool: ...
    def is_injective(self) -> bool: ...
    def composition(self, B: Operand, /) -> Any:
        """composition(A, B or tiler): A after B; with a tiler, mode by mode."""
    def to_layout(self) -> Any:
        """to_layout(X): a linear layout as a layout, or as a swizzle over one."""
    def invert(self) -> LinearLayout:
        """invert(X): the inverse of a linear layout that is one-to-one and onto."""
    def pseudo_invert(self) -> LinearLayout:
        """pseudo_invert(X): from each output to the smallest input that has it."""
    def invert_and_compose(self, B: Operand, /) -> LinearLayout:
        """invert_and_compose(A, B): from where data are in A to where the same data are in B."""
    def linear_product(self, B: Operand, /) -> LinearLayout:
        """linear_product(A, B): A on the low bits of each dimension, B on the high bits."""
    def divide_left(self, A: Operand, /) -> LinearLayout:
        """divide_left(X, A): the factor that is left when A is the low one."""
    def divide_right(self, B: Operand, /) -> LinearLayout:
        """divide_right(X, B): the factor that is left when B is the high one."""
    def equal(self, B: Operand, /) -> bool:
        """equal(A, B): whether both are the same function, or the same tuple."""
    def transpose(self, order: Operand = None, /) -> Any:
        """transpose(L[, order]): the modes in the order given, or in reverse; of a linear layout its outputs."""
    def reshape(self, shape: Operand, /) -> Any:
        """reshape(L, shape): the same offsets in order, under another shape; of a linear layout its outputs."""
    def quotient(self, *i: Operand) -> LinearLayout:
        """quotient(X, i, ...): a linear layout without inputs that are outputs of their own."""
    def free_variables(self) -> IntTuple:
        """free_variables(X): for each input the bits that copies differ in."""
    def num_consecutive(self) -> Int:
        """num_consecutive(X): the number of consecutive outputs of the first input: the width of a vector access."""

class ScaledBasis(Value):
    def __new__(cls, value: Operand, mode: int | Sequence[int] | None = None) -> ScaledBasis: ...

class Expr(Value):
    def __new__(cls, text: Operand) -> Expr: ...
    def __add__(self, other: Int, /) -> Int: ...
    def __radd__(self, other: int, /) -> Int: ...
    def __sub__(self, other: Int, /) -> Int: ...
    def __rsub__(self, other: int, /) -> Int: ...
    def __mul__(self, other: Int, /) -> Int: ...
    def __rmul__(self, other: int, /) -> Int: ...
    def __neg__(self) -> Int: ...
    def __floordiv__(self, other: Int, /) -> Int: ...
    def __rfloordiv__(self, other: int, /) -> Int: ...
    def __mod__(self, other: Int, /) -> Int: ...
    def __rmod__(self, other: int, /) -> Int: ...

def Symbol(
    name: str,
    div: int | None = None,
    range: tuple[int | None, int | None] = (None, None),
    bits: int = 32,
) -> Expr: ...
def evaluate(text: str, **names: Operand) -> Any: ...
def layout(of: Operand, /) -> AnyLayout | LinearLayout: ...
def coalesce(L: Operand, profile: Operand = None, /) -> Any:
    """coalesce(L[, profile]): the same function in the fewest flat modes, or in the modes of a profile."""
def composition(A: Operand, B: Operand, /) -> Any:
    """composition(A, B or tiler): A after B; with a tiler, mode by mode."""
def complement(L: Operand, n: Operand = None, /) -> Any:
    """complement(L[, n]): the offsets below n that L leaves out; n is cosize(filter(L)) if not given."""
def logical_divide(L: Operand, tiler: Operand, /) -> Any:
    """logical_divide(L, tiler): each mode becomes (tile, rest)."""
def zipped_divide(L: Operand, tiler: Operand, /) -> Any:
    """zipped_divide(L, tiler): ((tiles), (rests))."""
def tiled_divide(L: Operand, tiler: Operand, /) -> Any:
    """tiled_divide(L, tiler): ((tiles), rest, rest, ...)."""
def flat_divide(L: Operand, tiler: Operand, /) -> Any:
    """flat_divide(L, tiler): (tile, tile, ..., rest, rest, ...)."""
def logical_product(L: Operand, tiler: Operand, /) -> Any:
    """logical_product(L, tiler): (L, L repeated as the tiler says)."""
def zipped_product(L: Operand, tiler: Operand, /) -> Any:
    """zipped_product(L, tiler): ((blocks), (repeats))."""
def tiled_product(L: Operand, tiler: Operand, /) -> Any:
    """tiled_product(L, tiler): ((blocks), repeat, repeat, ...)."""
def flat_product(L: Operand, tiler: Operand, /) -> Any:
    """flat_product(L, tiler): (block, block, ..., repeat, repeat, ...)."""
def blocked_product(block: Operand, times: Operand, /) -> Any:
    """blocked_product(block, times): blocks next to each other: mode k is (block k, times k)."""
def raked_product(block: Operand, times: Operand, /) -> Any:
    """raked_product(block, times): blocks interleaved: mode k is (times k, block k)."""
def right_inverse(L: Operand, /) -> Any:
    """right_inverse(L): from offsets back to indices, up to the first gap in the offsets."""
def left_inverse(L: Operand, /) -> Any:
    """left_inverse(L): from the offsets of an injective layout back to its indices."""
def nullspace(L: Operand, /) -> Any:
    """nullspace(L): the coordinates that L maps to 0."""
def flatten(L: Operand, /) -> Any:
    """flatten(L): the same modes without nesting."""
def make_layout(A: Operand, /, *B: Operand, stride: Operand = None) -> Any:
    """make_layout(A, B, ...): a layout of these modes, of a shape and a stride, or of one period of a swizzle."""
def get(L: Operand, /, *i: Operand) -> Any:
    """get(L, i, ...): mode i, and mode j of that, and so on."""
def select(L: Operand, /, *i: Operand) -> Any:
    """select(L, i, ...): some of the modes, in the order of the call."""
def group(L: Operand, begin: Operand, end: Operand, /) -> Any:
    """group(L, begin, end): modes begin to end-1 grouped into one."""
def append(L: Operand, M: Operand, /) -> Any:
    """append(L, M): L with M appended as its last mode."""
def prepend(L: Operand, M: Operand, /) -> Any:
    """prepend(L, M): L with M prepended as its first mode."""
def replace(L: Operand, mode: Operand, M: Operand, /) -> Any:
    """replace(L, mode, M): L with M in place of a mode."""
def take(L: Operand, begin: Operand, end: Operand, /) -> Any:
    """take(L, begin, end): modes begin to end-1 only."""
def zip(A: Operand, B: Operand, /) -> Any:
    """zip(A, B): the modes of both in pairs."""
def unzip(L: Operand, tiler: Operand, /) -> Any:
    """unzip(L, tiler): pairs unzipped: first parts together, second parts together."""
def sort(L: Operand, /) -> Any:
    """sort(L): the modes in the order of their strides."""
def filter(L: Operand, profile: Operand = None, /) -> Any:
    """filter(L[, profile]): the layout without modes of stride 0 and of extent 1."""
def filter_zeros(L: Operand, /) -> Any:
    """filter_zeros(L): modes of stride 0 shortened to extent 1."""
def make_ordered_layout(shape: Operand, order: Operand, /) -> Any:
    """make_ordered_layout(shape, order): compact; the mode with the least number in the order runs fastest."""
def make_layout_like(L: Operand, /) -> Any:
    """make_layout_like(L): compact, its modes in the order of L's."""
def make_identity_layout(shape: Operand, /) -> Any:
    """make_identity_layout(shape): each coordinate to itself, with strides such as 1@0."""
def layout_of(offsets: Operand, shape: Operand = None, /) -> Any:
    """layout_of(offsets[, shape]): the layout of least rank, or of a shape, with these offsets in order."""
def compact_col_major(shape: Operand, start: Operand = None, /) -> IntTuple:
    """compact_col_major(shape[, start]): compact strides, the first mode fastest."""
def compact_row_major(shape: Operand, start: Operand = None, /) -> IntTuple:
    """compact_row_major(shape[, start]): compact strides, the last mode fastest."""
def max_common_vector(A: Operand, B: Operand, /) -> Int:
    """max_common_vector(A, B): the number of elements contiguous in both layouts, from offset 0 on."""
def max_common_layout(A: Operand, B: Operand, /) -> Any:
    """max_common_layout(A, B): where the elements of max_common_vector are."""
def domain_distribute(shape: Operand, n: Operand, /) -> Any:
    """domain_distribute(shape, n): a distribution of a shape over n threads."""
def distribute(L: Operand, tile: Operand, TV: Operand, /) -> Any:
    """distribute(L, tile, TV): tiles of L over threads and values: ((thread, value), rest)."""
def in_bounds_of_divide(L: Operand, tiler: Operand, /) -> tuple[Any, ...]:
    """in_bounds_of_divide(L, tiler): where a padded logical_divide means elements of L: [layout, bound], ...."""
def in_bounds_of_composition(A: Operand, B: Operand, /) -> tuple[Any, ...]:
    """in_bounds_of_composition(A, B or tiler): where a composition takes indices of A, not past it: [layout, bound], ...."""
def bank_conflicts(L: Operand, access: Operand, bits: Operand, /) -> Int:
    """bank_conflicts(L, access, bits): wavefronts beyond one per phase, for elements of a given number of bits."""
def conflict_free_swizzle(L: Operand, store: Operand, load: Operand, bits: Operand, /) -> Swizzle:
    """conflict_free_swizzle(L, store, load, bits): the least swizzle of L that frees both accesses of conflicts, or the best."""
def size(L: Operand, /, *i: Operand) -> Int:
    """size(L[, i, ...]): the number of coordinates."""
def cosize(L: Operand, /, *i: Operand) -> Int:
    """cosize(L[, i, ...]): the greatest offset plus one."""
def coshape(L: Operand, /, *i: Operand) -> Int:
    """coshape(L[, i, ...]): the shape of the codomain."""
def rank(L: Operand, /, *i: Operand) -> Int:
    """rank(L[, i, ...]): the number of modes."""
def depth(L: Operand, /, *i: Operand) -> Int:
    """depth(L[, i, ...]): the nesting depth of the modes."""
def shape(L: Operand, /, *i: Operand) -> IntTuple:
    """shape(L[, i, ...]): the shape."""
def stride(L: Operand, /, *i: Operand) -> IntTuple:
    """stride(L[, i, ...]): the stride."""
def crd2idx(coord: Operand, L: Operand, /) -> Int:
    """crd2idx(coord, L): the offset of a coordinate."""
def idx2crd(i: Operand, shape: Operand, stride: Operand = None, /) -> IntTuple:
    """idx2crd(i, shape[, stride]): the coordinate of an index; the first mode runs fastest."""
def slice(coord: Operand, L: Operand, /) -> Any:
    """slice(coord, L): the modes where the coordinate has `_`."""
def slice_and_offset(coord: Operand, L: Operand, /) -> tuple[Any, ...]:
    """slice_and_offset(coord, L): the slice, and the offset where it starts."""
def dice(coord: Operand, L: Operand, /) -> Any:
    """dice(coord, L): the modes where the coordinate has a number."""
def tile_to_shape(L: Operand, shape: Operand, order: Operand = None, /) -> Any:
    """tile_to_shape(L, shape[, order]): a block repeated until it fills a shape."""
def upcast(L: Operand, n: Operand, /) -> Any:
    """upcast(L, n): n elements become one."""
def downcast(L: Operand, n: Operand, /) -> Any:
    """downcast(L, n): one element becomes n."""
def recast(L: Operand, old_bits: Operand, new_bits: Operand, /) -> Any:
    """recast(L, old_bits, new_bits): the same bits seen as elements of another width."""
def recast_layout(L: Operand, new_bits: Operand, old_bits: Operand, /) -> Any:
    """recast_layout(L, new_bits, old_bits): recast with its operands in the order of the CuTe DSL."""
def shape_div(a: Operand, b: Operand, /) -> IntTuple:
    """shape_div(a, b): the quotient of shapes of which one divides the other."""
def ceil_div(a: Operand, b: Operand, /) -> IntTuple:
    """ceil_div(a, b): the quotient of shapes, rounded up."""
def round_up(a: Operand, b: Operand, /) -> IntTuple:
    """round_up(a, b): the least multiples of b that are not below a."""
def congruent(a: Operand, b: Operand, /) -> bool:
    """congruent(a, b): whether both nest in the same way."""
def weakly_congruent(a: Operand, b: Operand, /) -> bool:
    """weakly_congruent(a, b): whether a nests as b, or stops earlier."""
def compatible(a: Operand, b: Operand, /) -> bool:
    """compatible(a, b): whether each coordinate of a is one of b."""
def evenly_divides(a: Operand, b: Operand, /) -> bool:
    """evenly_divides(a, b or tiler): whether each part of b divides that of a."""
def is_injective(L: Operand, /) -> bool:
    """is_injective(L): whether no two indices have the same offset."""
def is_surjective(L: Operand, /) -> bool:
    """is_surjective(L): whether every offset up to the greatest is reached."""
def is_bijective(L: Operand, /) -> bool:
    """is_bijective(L): whether L is a permutation of its indices."""
def commutes(S: Operand, T: Operand, /) -> bool:
    """commutes(S, T): whether two swizzles commute."""
def to_linear(L: Operand, /) -> LinearLayout:
    """to_linear(L): a layout or a swizzle as a linear layout from index to offset."""
def to_layout(X: Operand, /) -> Any:
    """to_layout(X): a linear layout as a layout, or as a swizzle over one."""
def invert(X: Operand, /) -> LinearLayout:
    """invert(X): the inverse of a linear layout that is one-to-one and onto."""
def pseudo_invert(X: Operand, /) -> LinearLayout:
    """pseudo_invert(X): from each output to the smallest input that has it."""
def invert_and_compose(A: Operand, B: Operand, /) -> LinearLayout:
    """invert_and_compose(A, B): from where data are in A to where the same data are in B."""
def linear_product(A: Operand, B: Operand, /) -> LinearLayout:
    """linear_product(A, B): A on the low bits of each dimension, B on the high bits."""
def divide_left(X: Operand, A: Operand, /) -> LinearLayout:
    """divide_left(X, A): the factor that is left when A is the low one."""
def divide_right(X: Operand, B: Operand, /) -> LinearLayout:
    """divide_right(X, B): the factor that is left when B is the high one."""
def product_each(shape: Operand, /) -> IntTuple:
    """product_each(shape): the size of each mode."""
def elem_less(a: Operand, b: Operand, /) -> bool:
    """elem_less(a, b): whether each integer of a is below that of b."""
def increment(coord: Operand, shape: Operand, /) -> IntTuple:
    """increment(coord, shape): the next coordinate; the first mode runs fastest."""
def equal(A: Operand, B: Operand, /) -> bool:
    """equal(A, B): whether both are the same function, or the same tuple."""
def local_tile(L: Operand, tiler: Operand, coord: Operand, /) -> Any:
    """local_tile(L, tiler, coord): the tile of a layout at a coordinate of tiles."""
def transpose(L: Operand, order: Operand = None, /) -> Any:
    """transpose(L[, order]): the modes in the order given, or in reverse; of a linear layout its outputs."""
def reshape(L: Operand, shape: Operand, /) -> Any:
    """reshape(L, shape): the same offsets in order, under another shape; of a linear layout its outputs."""
def quotient(X: Operand, /, *i: Operand) -> LinearLayout:
    """quotient(X, i, ...): a linear layout without inputs that are outputs of their own."""
def free_variables(X: Operand, /) -> IntTuple:
    """free_variables(X): for each input the bits that copies differ in."""
def num_consecutive(X: Operand, /) -> Int:
    """num_consecutive(X): the number of consecutive outputs of the first input: the width of a vector access."""
def tuple_add(a: Operand, b: Operand, /) -> IntTuple:
    """tuple_add(a, b): the sum of coordinates, leaf by leaf."""
def tuple_sub(a: Operand, b: Operand, /) -> IntTuple:
    """tuple_sub(a, b): the difference of coordinates, leaf by leaf."""
def max_alignment(L: Operand, /) -> Int:
    """max_alignment(L): the greatest number of elements of an aligned vector."""
def make_composed_layout(A: Operand, offset: Operand, B: Operand, /) -> Any:
    """make_composed_layout(A, offset, B): a layout or a swizzle after an offset after a layout: A o offset o B."""
def linear_swizzle(L: Operand, store: Operand, load: Operand, bits: Operand, /) -> LinearLayout:
    """linear_swizzle(L, store, load, bits): the linear swizzle of L, from offset to offset, that frees both accesses of conflicts."""
