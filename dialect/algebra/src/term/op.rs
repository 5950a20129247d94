//! The operations that terms may call: one row each, with the name and what it takes.

macro_rules! operations {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// The operations of the algebra, by CuTe's names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Op {
            $(#[doc = $meaning] $variant,)*
        }

        impl Op {
            /// Every operation, in the order of the documentation.
            pub const ALL: &[Op] = &[$(Op::$variant),*];

            /// The name in terms.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name,)*
                }
            }

            /// The operation of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Op::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

impl Op {
    /// Whether an operation takes the modes of a layout in a place among so many operands apart, or puts
    /// them together, so that strides of any kind do.
    pub(crate) fn moves_modes(self, place: usize, operands: usize) -> bool {
        match self {
            Op::MakeLayout | Op::Append | Op::Prepend | Op::Replace | Op::Zip => true,
            Op::Get | Op::Select | Op::Take | Op::Group | Op::Flatten | Op::Unzip => place == 0,
            Op::TiledDivide | Op::FlatDivide => place == 0,
            Op::Coalesce => place == 0 && operands > 1,
            Op::Dice => place == 1,
            _ => false,
        }
    }
}

operations! {
    Coalesce "coalesce" "`coalesce(L)`, `coalesce(L, profile)`"
    Composition "composition" "`composition(A, B)`, with a layout or a tiler"
    Complement "complement" "`complement(L[, cosize])`"
    LogicalDivide "logical_divide" "`logical_divide(L, tiler)`"
    ZippedDivide "zipped_divide" "`zipped_divide(L, tiler)`"
    TiledDivide "tiled_divide" "`tiled_divide(L, tiler)`"
    FlatDivide "flat_divide" "`flat_divide(L, tiler)`"
    LogicalProduct "logical_product" "`logical_product(L, tiler)`"
    ZippedProduct "zipped_product" "`zipped_product(L, tiler)`"
    TiledProduct "tiled_product" "`tiled_product(L, tiler)`"
    FlatProduct "flat_product" "`flat_product(L, tiler)`"
    BlockedProduct "blocked_product" "`blocked_product(block, times)`"
    RakedProduct "raked_product" "`raked_product(block, times)`"
    RightInverse "right_inverse" "`right_inverse(L)`"
    LeftInverse "left_inverse" "`left_inverse(L)`"
    Nullspace "nullspace" "`nullspace(L)`"
    Flatten "flatten" "`flatten(L)`"
    MakeLayout "make_layout" "`make_layout(A, B, …)`"
    Get "get" "`get(L, i, …)`: a mode, or a mode of a mode"
    Select "select" "`select(L, i, …)`: some modes"
    Group "group" "`group(L, begin, end)`: modes put into one"
    Append "append" "`append(L, M)`: `M` behind the modes of `L`"
    Prepend "prepend" "`prepend(L, M)`: `M` before the modes of `L`"
    Replace "replace" "`replace(L, i, M)`: mode `i` replaced by `M`"
    Take "take" "`take(L, begin, end)`: some modes in a row"
    Zip "zip" "`zip(A, B)`: mode by mode"
    Unzip "unzip" "`unzip(L, tiler)`: first parts of pairs, then second parts"
    Sort "sort" "`sort(L)`: modes by their stride"
    Filter "filter" "`filter(L)`, `filter(L, profile)`: without broadcasts, coalesced"
    FilterZeros "filter_zeros" "`filter_zeros(L)`: broadcasts shortened to 1"
    MakeOrderedLayout "make_ordered_layout" "`make_ordered_layout(shape, order)`"
    MakeLayoutLike "make_layout_like" "`make_layout_like(L)`: compact, in the same order"
    MakeIdentityLayout "make_identity_layout" "`make_identity_layout(shape)`: each coordinate to itself"
    LayoutOf "layout_of" "`layout_of(offsets[, shape])`: the layout of least rank with these offsets, or with a shape"
    CompactColMajor "compact_col_major" "`compact_col_major(shape)`: strides, first mode fastest"
    CompactRowMajor "compact_row_major" "`compact_row_major(shape)`: strides, last mode fastest"
    MaxCommonVector "max_common_vector" "`max_common_vector(A, B)`: elements in a row in both"
    MaxCommonLayout "max_common_layout" "`max_common_layout(A, B)`: where these elements are"
    DomainDistribute "domain_distribute" "`domain_distribute(shape, n)`: what `n` threads take of a shape"
    Distribute "distribute" "`distribute(L, tile, TV)`: tiles over threads and values"
    InBoundsOfDivide "in_bounds_of_divide" "`in_bounds_of_divide(L, tiler)`: where `logical_divide` stays inside of `L`"
    InBoundsOfComposition "in_bounds_of_composition" "`in_bounds_of_composition(A, B)`: where `composition` stays inside of `A`"
    BankConflicts "bank_conflicts" "`bank_conflicts(L, access, bits)`: wavefronts beyond one for each phase"
    ConflictFreeSwizzle "conflict_free_swizzle" "`conflict_free_swizzle(L, store, load, bits)`: the least swizzle without conflicts, or with the fewest"
    Size "size" "`size(L, i, …)`, of a mode or the whole"
    Cosize "cosize" "`cosize(L, i, …)`, of a mode or the whole"
    Coshape "coshape" "`coshape(L)`: the shape of the codomain"
    Rank "rank" "`rank(L, i, …)`, of a mode or the whole"
    Depth "depth" "`depth(L, i, …)`, of a mode or the whole"
    Shape "shape" "`shape(L)`"
    Stride "stride" "`stride(L)`"
    Crd2Idx "crd2idx" "`crd2idx(coord, L)`"
    Idx2Crd "idx2crd" "`idx2crd(index, shape)`"
    Slice "slice" "`slice(coord, L)`"
    SliceAndOffset "slice_and_offset" "`slice_and_offset(coord, L)`: the slice, and where it starts"
    Dice "dice" "`dice(coord, L)`"
    TileToShape "tile_to_shape" "`tile_to_shape(L, shape[, order])`"
    Upcast "upcast" "`upcast(L, n)`"
    Downcast "downcast" "`downcast(L, n)`"
    Recast "recast" "`recast(L, old_bits, new_bits)`"
    RecastLayout "recast_layout" "`recast_layout(L, new_bits, old_bits)`: `recast` in CuTe's order"
    ShapeDiv "shape_div" "`shape_div(a, b)`: quotient of shapes that divide"
    CeilDiv "ceil_div" "`ceil_div(a, b)`: quotient of shapes, rounded up"
    RoundUp "round_up" "`round_up(a, b)`: to multiples of `b`"
    Congruent "congruent" "`congruent(a, b)`: the same nesting"
    WeaklyCongruent "weakly_congruent" "`weakly_congruent(a, b)`: `a` nests as `b` or stops earlier"
    Compatible "compatible" "`compatible(a, b)`: coordinates of `a` are coordinates of `b`"
    EvenlyDivides "evenly_divides" "`evenly_divides(a, b)`: each part of `b` divides that of `a`"
    IsInjective "is_injective" "`is_injective(L)`: no offset twice"
    IsSurjective "is_surjective" "`is_surjective(L)`: no offset left out"
    IsBijective "is_bijective" "`is_bijective(L)`: a permutation"
    Commutes "commutes" "`commutes(S, T)`: whether two swizzles may change places"
    ToLinear "to_linear" "`to_linear(L)`: a layout or a swizzle as a linear layout"
    ToLayout "to_layout" "`to_layout(X)`: a linear layout as a layout, behind a swizzle if need be"
    Invert "invert" "`invert(X)`: the inverse of a linear layout"
    PseudoInvert "pseudo_invert" "`pseudo_invert(X)`: from each output to its smallest input"
    InvertAndCompose "invert_and_compose" "`invert_and_compose(A, B)`: from inputs of `A` to those of `B` with the same output"
    LinearProduct "linear_product" "`linear_product(A, B)`: `A` on low bits, `B` on high ones"
    DivideLeft "divide_left" "`divide_left(X, A)`: what `A` times it is `X`"
    DivideRight "divide_right" "`divide_right(X, B)`: what times `B` is `X`"
}
