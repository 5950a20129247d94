//! The operations as people look them up: by family, with a line of meaning and what defines them.

use layout_algebra::Op;

/// A row of the catalogue.
pub(crate) struct Row {
    pub op: Op,
    /// How it is written.
    pub form: &'static str,
    /// What it is, in one line.
    pub meaning: &'static str,
    pub law: Law,
}

/// Why a result is what it is.
pub(crate) enum Law {
    /// It is the value of this term, in which the operands have the names A, B, C.
    Is(&'static str),
    /// It meets this condition, in words.
    Such(&'static str),
}

/// Operations that belong together.
pub(crate) struct Family {
    pub name: &'static str,
    pub rows: &'static [Row],
}

const fn row(op: Op, form: &'static str, meaning: &'static str, law: Law) -> Row {
    Row { op, form, meaning, law }
}

use Law::{Is, Such};

/// Every operation of the algebra, once.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "modes",
        rows: &[
            row(
                Op::Coalesce,
                "coalesce(L[, profile])",
                "the same function in the fewest flat modes, or in the modes of a profile",
                Such("n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go"),
            ),
            row(
                Op::Flatten,
                "flatten(L)",
                "the same modes without nesting",
                Such("the leaves stay, the parentheses go"),
            ),
            row(
                Op::MakeLayout,
                "make_layout(A, B, ...)",
                "a layout that has the operands as its modes",
                Such("R(a, b, ...) = A(a) + B(b) + ..."),
            ),
            row(
                Op::Get,
                "get(L, i, ...)",
                "mode i, and mode j of that, and so on",
                Such("shape and stride are those of the mode"),
            ),
            row(
                Op::Select,
                "select(L, i, ...)",
                "some of the modes, in the order of the call",
                Such("R = make_layout(get(L, i), ...)"),
            ),
            row(
                Op::Group,
                "group(L, begin, end)",
                "modes begin to end-1 put into one",
                Such("the leaves stay, parentheses go round the modes"),
            ),
            row(
                Op::Take,
                "take(L, begin, end)",
                "modes begin to end-1 and no others",
                Such("R = select(L, begin, ..., end-1)"),
            ),
            row(
                Op::Append,
                "append(L, M)",
                "M behind the modes of L",
                Such("R(l..., m) = L(l...) + M(m)"),
            ),
            row(
                Op::Prepend,
                "prepend(L, M)",
                "M before the modes of L",
                Such("R(m, l...) = M(m) + L(l...)"),
            ),
            row(
                Op::Replace,
                "replace(L, i, M)",
                "M in the place of mode i",
                Such("the other modes stay"),
            ),
            row(
                Op::Zip,
                "zip(A, B)",
                "the modes of both in pairs",
                Such("mode k of R is (mode k of A, mode k of B)"),
            ),
            row(
                Op::Unzip,
                "unzip(L, tiler)",
                "pairs taken apart: first parts together, second parts together",
                Such("((a0,b0),(a1,b1)) becomes ((a0,a1),(b0,b1))"),
            ),
            row(
                Op::Sort,
                "sort(L)",
                "the modes in the order of their strides",
                Such("the same offsets in another order"),
            ),
            row(
                Op::FilterZeros,
                "filter_zeros(L)",
                "modes of stride 0 shortened to extent 1",
                Such("the same offsets, each as often as the other modes reach it"),
            ),
            row(
                Op::Filter,
                "filter(L[, profile])",
                "modes of stride 0 and of extent 1 left out",
                Is("coalesce(filter_zeros(A))"),
            ),
        ],
    },
    Family {
        name: "new layouts",
        rows: &[
            row(
                Op::MakeOrderedLayout,
                "make_ordered_layout(shape, order)",
                "compact; the mode with the least number in the order runs fastest",
                Such("each stride is the product of the extents that run faster"),
            ),
            row(
                Op::MakeLayoutLike,
                "make_layout_like(L)",
                "compact, its modes in the order of L's",
                Such("strides are ordered as in L, and 0 where they are 0"),
            ),
            row(
                Op::MakeIdentityLayout,
                "make_identity_layout(shape)",
                "each coordinate to itself, with strides such as 1@0",
                Such("the result R maps every coordinate c of the shape to c"),
            ),
            row(
                Op::LayoutOf,
                "layout_of(offsets[, shape])",
                "the layout of least rank, or of a shape, with these offsets in a row",
                Such("crd2idx(i, R) is the offset at i, for each i"),
            ),
            row(
                Op::CompactColMajor,
                "compact_col_major(shape)",
                "compact strides, the first mode fastest",
                Such("each stride is the product of the extents before it"),
            ),
            row(
                Op::CompactRowMajor,
                "compact_row_major(shape)",
                "compact strides, the last mode fastest",
                Such("each stride is the product of the extents after it"),
            ),
        ],
    },
    Family {
        name: "composition and complement",
        rows: &[
            row(
                Op::Composition,
                "composition(A, B or tiler)",
                "A after B; with a tiler, mode by mode",
                Such("R(c) = A(B(c)), and R has the shape of B refined"),
            ),
            row(
                Op::InBoundsOfComposition,
                "in_bounds_of_composition(A, B or tiler)",
                "where a composition takes indices of A, not past it: [layout, bound], ...",
                Such("composition(A, B) is inside where each layout is less than its bound"),
            ),
            row(
                Op::Complement,
                "complement(L[, n])",
                "the offsets below n that L leaves out; n is cosize(filter(L)) if not given",
                Such(
                    "(L, R) reaches no offset twice, and all below n where L's modes leave whole gaps",
                ),
            ),
        ],
    },
    Family {
        name: "divides: a layout split into tiles",
        rows: &[
            row(
                Op::LogicalDivide,
                "logical_divide(L, tiler)",
                "each mode becomes (tile, rest)",
                Is("composition(A, make_layout(B, complement(B, size(A))))"),
            ),
            row(
                Op::InBoundsOfDivide,
                "in_bounds_of_divide(L, tiler)",
                "where a padded logical_divide means elements of L: [layout, bound], ...",
                Such("logical_divide(A, B) is inside where each layout is less than its bound"),
            ),
            row(
                Op::ZippedDivide,
                "zipped_divide(L, tiler)",
                "((tiles), (rests))",
                Is("unzip(logical_divide(A, B), B)"),
            ),
            row(
                Op::TiledDivide,
                "tiled_divide(L, tiler)",
                "((tiles), rest, rest, ...)",
                Such("zipped_divide(A, B) with its second mode opened"),
            ),
            row(
                Op::FlatDivide,
                "flat_divide(L, tiler)",
                "(tile, tile, ..., rest, rest, ...)",
                Such("zipped_divide(A, B) with both modes opened"),
            ),
        ],
    },
    Family {
        name: "products: a layout repeated",
        rows: &[
            row(
                Op::LogicalProduct,
                "logical_product(L, tiler)",
                "(L, L repeated as the tiler says)",
                Is("make_layout(A, composition(complement(A, N), B))"),
            ),
            row(
                Op::ZippedProduct,
                "zipped_product(L, tiler)",
                "((blocks), (repeats))",
                Is("unzip(logical_product(A, B), B)"),
            ),
            row(
                Op::TiledProduct,
                "tiled_product(L, tiler)",
                "((blocks), repeat, repeat, ...)",
                Such("zipped_product(A, B) with its second mode opened"),
            ),
            row(
                Op::FlatProduct,
                "flat_product(L, tiler)",
                "(block, block, ..., repeat, repeat, ...)",
                Such("zipped_product(A, B) with both modes opened"),
            ),
            row(
                Op::BlockedProduct,
                "blocked_product(block, times)",
                "blocks next to each other: mode k is (block k, times k)",
                Such("the modes of logical_product(A, B), mode k of A with mode k of B"),
            ),
            row(
                Op::RakedProduct,
                "raked_product(block, times)",
                "blocks interleaved: mode k is (times k, block k)",
                Such("the modes of logical_product(A, B), mode k of B with mode k of A"),
            ),
            row(
                Op::TileToShape,
                "tile_to_shape(L, shape[, order])",
                "a block repeated until it fills a shape",
                Is("blocked_product(A, make_ordered_layout(ceil_div(B, shape(A)), C))"),
            ),
        ],
    },
    Family {
        name: "inverses",
        rows: &[
            row(
                Op::RightInverse,
                "right_inverse(L)",
                "from offsets back to indices, as far as the offsets from 0 have no gap",
                Such("L(R(i)) = i for each i below size(R)"),
            ),
            row(
                Op::LeftInverse,
                "left_inverse(L)",
                "from the offsets of an injective layout back to its indices",
                Such("R(L(i)) = i for each i below size(L) that is 0 in modes of stride 0"),
            ),
            row(
                Op::Nullspace,
                "nullspace(L)",
                "the coordinates that L maps to 0",
                Such("L(R(i)) = 0, and R goes through the modes of stride 0"),
            ),
        ],
    },
    Family {
        name: "queries",
        rows: &[
            row(
                Op::Size,
                "size(L[, i, ...])",
                "how many coordinates",
                Such("the product of the extents"),
            ),
            row(
                Op::Cosize,
                "cosize(L[, i, ...])",
                "one more than the greatest offset",
                Such("1 + the sum of (extent-1) * |stride|"),
            ),
            row(Op::Rank, "rank(L[, i, ...])", "how many modes", Such("the entries of the shape")),
            row(
                Op::Depth,
                "depth(L[, i, ...])",
                "how deep the modes nest",
                Such("0 for an integer"),
            ),
            row(Op::Shape, "shape(L)", "the shape", Such("what stands before the colon")),
            row(Op::Stride, "stride(L)", "the stride", Such("what stands after the colon")),
            row(
                Op::Coshape,
                "coshape(L)",
                "the shape of the codomain",
                Such("for integer strides, the cosize"),
            ),
            row(
                Op::IsInjective,
                "is_injective(L)",
                "whether no offset comes twice",
                Such("L(i) = L(j) only where i = j"),
            ),
            row(
                Op::IsSurjective,
                "is_surjective(L)",
                "whether no offset up to the greatest is left out",
                Such("each offset below cosize(L) is some L(i)"),
            ),
            row(
                Op::IsBijective,
                "is_bijective(L)",
                "whether L is a permutation of its indices",
                Such("is_injective(L) and is_surjective(L)"),
            ),
            row(
                Op::MaxCommonVector,
                "max_common_vector(A, B)",
                "how many elements lie in a row in both, from offset 0 on",
                Such("the size of the part that both map in the same way to 0, 1, 2, ..."),
            ),
            row(
                Op::MaxCommonLayout,
                "max_common_layout(A, B)",
                "where the elements of max_common_vector are",
                Such("A(R(i)) = B(R(i)) = i"),
            ),
        ],
    },
    Family {
        name: "coordinates",
        rows: &[
            row(
                Op::Crd2Idx,
                "crd2idx(coord, L)",
                "the offset of a coordinate",
                Such("the sum of coordinate * stride"),
            ),
            row(
                Op::Idx2Crd,
                "idx2crd(i, shape)",
                "the coordinate of an index; the first mode runs fastest",
                Such("i mod the first extent, then the quotient goes on in the next mode"),
            ),
            row(
                Op::Slice,
                "slice(coord, L)",
                "the modes where the coordinate has `_`",
                Such(
                    "modes with a number go; what they add counts behind a swizzle, or is `slice_and_offset`'s",
                ),
            ),
            row(
                Op::SliceAndOffset,
                "slice_and_offset(coord, L)",
                "the slice, and the offset where it starts",
                Such("the second part is the offset of the numbers in the coordinate"),
            ),
            row(
                Op::Dice,
                "dice(coord, L)",
                "the modes where the coordinate has a number",
                Such("modes with `_` go"),
            ),
        ],
    },
    Family {
        name: "shapes",
        rows: &[
            row(
                Op::ShapeDiv,
                "shape_div(a, b)",
                "the quotient of shapes of which one divides the other",
                Such("an integer divides the first mode first, and what is left of it the next"),
            ),
            row(
                Op::CeilDiv,
                "ceil_div(a, b)",
                "the quotient of shapes, rounded up",
                Such("an integer divides the first mode first, and what is left of it the next"),
            ),
            row(
                Op::RoundUp,
                "round_up(a, b)",
                "the least multiples of b that are not below a",
                Such("leaf by leaf"),
            ),
            row(
                Op::Congruent,
                "congruent(a, b)",
                "whether both nest in the same way",
                Such("integers stand where integers stand"),
            ),
            row(
                Op::WeaklyCongruent,
                "weakly_congruent(a, b)",
                "whether a nests as b, or stops earlier",
                Such("an integer of a stands for any part of b"),
            ),
            row(
                Op::Compatible,
                "compatible(a, b)",
                "whether each coordinate of a is one of b",
                Such("an integer of a is the size of the part of b in its place"),
            ),
            row(
                Op::EvenlyDivides,
                "evenly_divides(a, b)",
                "whether each part of b divides that of a",
                Such("sizes are compared, mode by mode"),
            ),
        ],
    },
    Family {
        name: "threads",
        rows: &[
            row(
                Op::DomainDistribute,
                "domain_distribute(shape, n)",
                "what n threads take of a shape, each its own",
                Such(
                    "from each mode the greatest common divisor of its extent and what is left of n",
                ),
            ),
            row(
                Op::Distribute,
                "distribute(L, tile, TV)",
                "tiles of L over threads and values: ((thread, value), rest)",
                Is("composition(zipped_divide(A, B), <C, _>)"),
            ),
        ],
    },
    Family {
        name: "swizzles",
        rows: &[row(
            Op::Commutes,
            "commutes(S, T)",
            "whether two swizzles may change places",
            Such("composition(S, T) and composition(T, S) are the same function"),
        )],
    },
    Family {
        name: "banks of shared memory: 32, of 4 bytes",
        rows: &[
            row(
                Op::BankConflicts,
                "bank_conflicts(L, access, bits)",
                "wavefronts beyond one for each phase, for elements of so many bits",
                Such("access takes (thread, value) to an index of L; 0 is free of conflicts"),
            ),
            row(
                Op::ConflictFreeSwizzle,
                "conflict_free_swizzle(L, store, load, bits)",
                "the least swizzle of L that frees both accesses of conflicts, or the best",
                Such("no swizzle has fewer bank_conflicts(composition(R, L), ...) for both"),
            ),
        ],
    },
    Family {
        name: "linear layouts: xor where layouts add",
        rows: &[
            row(
                Op::ToLinear,
                "to_linear(L)",
                "a layout or a swizzle as a linear layout from index to offset",
                Such("it exists where extents are powers of two and no addition carries"),
            ),
            row(
                Op::ToLayout,
                "to_layout(X)",
                "a linear layout as a layout, or as a swizzle over one",
                Such("the same offset at every index, in the least rank"),
            ),
            row(
                Op::Invert,
                "invert(X)",
                "the inverse of a linear layout that is one-to-one and onto",
                Such("composition(R, X) and composition(X, R) change nothing"),
            ),
            row(
                Op::PseudoInvert,
                "pseudo_invert(X)",
                "from each output to the smallest input that has it",
                Such("X(R(y)) = y for every output y of X"),
            ),
            row(
                Op::InvertAndCompose,
                "invert_and_compose(A, B)",
                "from where data are in A to where the same data are in B",
                Such("composition(B, R) = A"),
            ),
            row(
                Op::LinearProduct,
                "linear_product(A, B)",
                "A on the low bits of each dimension, B on the high bits",
                Such("A and B are blocks on the diagonal of the matrix"),
            ),
            row(
                Op::DivideLeft,
                "divide_left(X, A)",
                "the factor that is left when A is the low one",
                Such("linear_product(A, R) = X"),
            ),
            row(
                Op::DivideRight,
                "divide_right(X, B)",
                "the factor that is left when B is the high one",
                Such("linear_product(R, B) = X"),
            ),
        ],
    },
    Family {
        name: "recasts: elements of another width",
        rows: &[
            row(
                Op::Upcast,
                "upcast(L, n)",
                "n elements become one",
                Such("strides are divided by n, and the extent of the contiguous mode is"),
            ),
            row(
                Op::Downcast,
                "downcast(L, n)",
                "one element becomes n",
                Such("strides are multiplied by n, and the extent of the contiguous mode is"),
            ),
            row(
                Op::Recast,
                "recast(L, old bits, new bits)",
                "the same bits seen as elements of another width",
                Such("upcast or downcast by the quotient of the widths"),
            ),
            row(
                Op::RecastLayout,
                "recast_layout(L, new bits, old bits)",
                "recast with its operands in CuTe's order",
                Is("recast(A, C, B)"),
            ),
        ],
    },
];

/// The row of an operation.
pub(crate) fn row_of(op: Op) -> Option<&'static Row> {
    FAMILIES.iter().flat_map(|family| family.rows).find(|row| row.op == op)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_one_row() {
        for &op in Op::ALL {
            let rows = FAMILIES.iter().flat_map(|family| family.rows);
            let count = rows.filter(|row| row.op == op).count();
            assert_eq!(count, 1, "rows of {} in the catalogue", op.name());
        }
    }

    #[test]
    fn rows_are_written_as_their_operation_is() {
        for row in FAMILIES.iter().flat_map(|family| family.rows) {
            let (name, rest) = row.form.split_once('(').unwrap();
            assert_eq!(name, row.op.name());
            assert!(rest.ends_with(')'), "{}", row.form);
            for text in [row.form, row.meaning] {
                assert!(text.is_ascii() && text.len() <= 90, "{text}");
            }
        }
    }
}
