//! The one table of operations: the name, operands, meaning, conditions and evaluation of each. Everything that lists
//! operations reads it: the parser, evaluation, `layout-calc`, the page of operations.

use super::*;
use crate::term::op::operations;
use alloc::vec;

/// The families, in the order of the page.
pub(crate) const FAMILIES: &[&str] = &[
    "modes",
    "new layouts",
    "composition and complement",
    "divides: a layout split into tiles",
    "products: a layout repeated",
    "inverses",
    "queries",
    "coordinates",
    "shapes",
    "threads",
    "swizzles",
    "banks of shared memory: 32, of 4 bytes",
    "linear layouts: xor where layouts add",
    "recasts: elements of another width",
];

operations! {
    Coalesce "coalesce" in "modes" {
        form "coalesce(L[, profile])"
        meaning "the same function in the fewest flat modes, or in the modes of a profile"
        law Such("n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go")
        needs "a profile no deeper than `L`"
        ensures "`R(i) = L(i)`; as few flat modes as there can be; with a profile that of each part where the profile has an integer"
        example "coalesce((2,(1,6)):(1,(6,2)))" "12:1"
        also "coalesce(((M,8),(1,N)):((1,M),(3,8*M)))" "8*M*N:1"
        cute "coalesce(layout)"
        refuses "coalesce(4:1, 4:1)" "coalesce: expected an integer or a tuple of integers as operand 2, found 4:1"
        eval |call| {
            let profile = (call.values.len() == 2).then(|| call.profile(1)).transpose()?;
            call.on_layout(|layout| match &profile {
                None => layout.coalesce(),
                Some(profile) => layout.coalesce_by(profile),
            })
        }
    }
    Composition "composition" in "composition and complement" {
        form "composition(A, B or tiler)"
        meaning "A after B; with a tiler, mode by mode"
        law Such("R(c) = A(B(c)), and R has the shape of B refined")
        needs "a layout with these values"
        ensures "`R(c) = A(B(c))`; `compatible(B, R)`"
        example "composition((6,2):(8,2), (4,3):(3,1))" "((2,2),3):((24,2),8)"
        also "composition((M,8):(8,1), 4:2)" "composition((M,8):(8,1), 4:2): needs \"2 divides M\" or \"M >= 7\", neither of which is known; add the fact M{div=2} or add the fact M{range=7..}"
        also "composition((M{range=7..},8):(8,1), 4:2)" "4:16"
        also "composition((8,8):(16,1), S<3,0,3> o 0 o (8,8):(8,1))" "S<3,0,-4> o 0 o (8,8):(1,16)"
        also "composition(S<2,4,3>, (8,8):(8,1))" "S<2,4,3> o 0 o (8,8):(8,1)"
        also "composition(S<2,4,3>, S<1,3,3> o 0 o (8,8):(8,1))" "S<3,3,3> o 0 o (8,8):(8,1)"
        also "composition(S<2,4,3>, S<2,4,3> o 0 o (8,8):(8,1))" "(8,8):(8,1)"
        errors "`Error::NoComposition` with a coordinate where no layout fits; `Error::Undecided` where deciding would take more than `ENUMERATION_LIMIT` evaluations; a tiler longer than the layout's rank. Under facts: a fact that is missing."
        cute "composition(A, B), A.compose(B)"
        refuses "composition((6,2):(1,7), (3,2):(2,3))" "composition((6,2):(1,7), (3,2):(2,3)): no layout has these values: expected 8 at coordinate 5, found 7 in the only candidate"
        eval |call| call.composition()
    }
    Complement "complement" in "composition and complement" {
        form "complement(L[, n])"
        meaning "the offsets below n that L leaves out; n is cosize(filter(L)) if not given"
        law Such("(L, R) reaches no offset twice, and all below n where L's modes leave whole gaps")
        needs "strides of at least 0; sorted modes that do not overlap; `n` of at least 1"
        ensures "`R` ascends; all offsets of `(L, R)` differ; all below `n` are there if the modes are a chain that ends on a divisor of `n`; the complement of `A o offset o B` is that of `B`"
        example "complement((2,2):(1,6), 24)" "(3,2):(2,12)"
        also "complement((4,N):(M{range=1..},4*M), 12*M*N)" "(M,3):(1,4*M*N)"
        errors "A layout whose sorted modes overlap; negative strides; a codomain below 1. Under facts: strides that are not known to be positive or 0; modes that are not known to start where another ends, or later, in some order; a codomain that is not known to be at least 1. A mode that may have a single entry, and then would not count, where that makes a difference."
        cute "complement(layout, cotarget)"
        refuses "complement((2,2):(1,1), 3)" "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2"
        eval |call| {
            let layout = call.inner_layout(0)?;
            let codomain = match call.values.get(1) {
                None => {
                    let filtered = layout.filter_under(call.facts)?;
                    Cow::Owned(Nested::Leaf(filtered.cosize_under(call.facts)?))
                }
                Some(_) => call.shape_of(&call.values[1])?,
            };
            layout.complement_under(call.facts, &codomain).map(Value::Layout)
        }
    }
    LogicalDivide "logical_divide" in "divides: a layout split into tiles" {
        form "logical_divide(L, tiler)"
        meaning "each mode becomes (tile, rest)"
        law Is("composition(A, make_layout(B, complement(B, size(A))))")
        needs "what composition and complement need of `B`"
        ensures "`R = A o (B, complement(B, size A))`, so mode 0 is `A o B`"
        example "logical_divide((4,2,3):(2,1,8), 4:2)" "((2,2),(2,3)):((4,1),(2,8))"
        also "logical_divide(10:1, 4:1)" "(4,3):(1,4)"
        also "logical_divide((8,6):(6,1), (4,3))" "((4,2),(3,2)):((6,24),(1,3))"
        errors "Those of `complement` and `composition`. Under facts: where it is not known in which mode the tile ends."
        cute "logical_divide(layout, tiler)"
        refuses "logical_divide((4,(4)):(1,(7)), <2:1, 2:1, 2:1>)" "logical_divide: expected a tiler of at most 2 entries for (4,(4)):(1,(7)), found 3"
        eval |call| call.with_tiler(Layout::logical_divide_under)
    }
    ZippedDivide "zipped_divide" in "divides: a layout split into tiles" {
        form "zipped_divide(L, tiler)"
        meaning "((tiles), (rests))"
        law Is("unzip(logical_divide(A, B), B)")
        needs "the same"
        ensures "the modes of `logical_divide`, gathered"
        example "zipped_divide((8,8):(8,1), <4:1, 2:1>)" "((4,2),(2,4)):((8,1),(32,2))"
        also "zipped_divide((8,6):(6,1), (4,3))" "((4,3),(2,2)):((6,1),(24,3))"
        also "zipped_divide((M,K):(K,1), (128,64))" "((128,64),(ceil_div(M,128),ceil_div(K,64))):((K,1),(128*K,64))"
        errors "As `logical_divide`."
        cute "zipped_divide(layout, tiler)"
        refuses "zipped_divide((4,6):(1,4), <2:1, _>)" "unzip: expected a pair (tile, rest) wherever the tiler has a layout or `_`, found 6:4 of rank 1"
        eval |call| call.with_tiler(Layout::zipped_divide_under)
    }
    TiledDivide "tiled_divide" in "divides: a layout split into tiles" {
        form "tiled_divide(L, tiler)"
        meaning "((tiles), rest, rest, ...)"
        law Such("zipped_divide(A, B) with its second mode opened")
        needs "the same"
        ensures "the modes of `logical_divide`, gathered"
        example "tiled_divide((8,8):(8,1), <4:1, 2:1>)" "((4,2),2,4):((8,1),32,2)"
        also "tiled_divide((8,6):(6,1), (4,3))" "((4,3),2,2):((6,1),24,3)"
        errors "As `logical_divide`."
        cute "tiled_divide(layout, tiler)"
        refuses "tiled_divide(S<1,0,1>)" "tiled_divide: expected 2 operands, found 1"
        eval |call| call.with_tiler(Layout::tiled_divide_under)
    }
    FlatDivide "flat_divide" in "divides: a layout split into tiles" {
        form "flat_divide(L, tiler)"
        meaning "(tile, tile, ..., rest, rest, ...)"
        law Such("zipped_divide(A, B) with both modes opened")
        needs "the same"
        ensures "the modes of `logical_divide`, gathered"
        example "flat_divide((8,8):(8,1), <4:1, 2:1>)" "(4,2,2,4):(8,1,32,2)"
        also "flat_divide((8,6):(6,1), (4,3))" "(4,3,2,2):(6,1,24,3)"
        errors "As `logical_divide`."
        cute "flat_divide(layout, tiler)"
        refuses "flat_divide(S<1,0,1>)" "flat_divide: expected 2 operands, found 1"
        eval |call| call.with_tiler(Layout::flat_divide_under)
    }
    LogicalProduct "logical_product" in "products: a layout repeated" {
        form "logical_product(L, tiler)"
        meaning "(L, L repeated as the tiler says)"
        law Is("make_layout(A, composition(complement(A, N), B))")
        needs "what complement needs of `A`, and composition of both"
        ensures "mode 0 is `A`; `compatible(B, mode 1)`; copies at different offsets of `B` never meet"
        example "logical_product((2,2):(4,1), 6:1)" "((2,2),(2,3)):((4,1),(2,8))"
        also "logical_product((M,8):(1,M), (N,2):(2,1))" "((M,8),(N,2)):((1,M),(16*M,8*M))"
        errors "Those of `complement` and `composition`. Under facts: those of `complement`, `composition` and `cosize`."
        cute "logical_product(block, tiler)"
        refuses "logical_product((2,2):(1,1), 2:1)" "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2"
        eval |call| call.with_tiler(Layout::<L>::logical_product_under)
    }
    ZippedProduct "zipped_product" in "products: a layout repeated" {
        form "zipped_product(L, tiler)"
        meaning "((blocks), (repeats))"
        law Is("unzip(logical_product(A, B), B)")
        needs "the same"
        ensures "the modes of `logical_product`, gathered"
        example "zipped_product((2,5):(5,1), <3:1, 4:1>)" "((2,5),(3,4)):((5,1),(1,5))"
        also "zipped_product((2,5):(5,1), <3:5, 4:6>)" "((2,5),(3,4)):((5,1),(10,30))"
        errors "As `logical_product`."
        cute "zipped_product(block, tiler)"
        refuses "zipped_product(S<1,0,1>)" "zipped_product: expected 2 operands, found 1"
        eval |call| call.with_tiler(Layout::zipped_product_under)
    }
    TiledProduct "tiled_product" in "products: a layout repeated" {
        form "tiled_product(L, tiler)"
        meaning "((blocks), repeat, repeat, ...)"
        law Such("zipped_product(A, B) with its second mode opened")
        needs "the same"
        ensures "the modes of `logical_product`, gathered"
        example "tiled_product((2,5):(5,1), <3:1, 4:1>)" "((2,5),3,4):((5,1),1,5)"
        also "tiled_product((2,5):(5,1), <3:5, 4:6>)" "((2,5),3,4):((5,1),10,30)"
        errors "As `logical_product`."
        cute "tiled_product(block, tiler)"
        refuses "tiled_product(S<1,0,1>)" "tiled_product: expected 2 operands, found 1"
        eval |call| call.with_tiler(Layout::tiled_product_under)
    }
    FlatProduct "flat_product" in "products: a layout repeated" {
        form "flat_product(L, tiler)"
        meaning "(block, block, ..., repeat, repeat, ...)"
        law Such("zipped_product(A, B) with both modes opened")
        needs "the same"
        ensures "the modes of `logical_product`, gathered"
        example "flat_product((2,5):(5,1), <3:1, 4:1>)" "(2,5,3,4):(5,1,1,5)"
        also "flat_product((2,5):(5,1), <3:5, 4:6>)" "(2,5,3,4):(5,1,10,30)"
        errors "As `logical_product`."
        cute "flat_product(block, tiler)"
        refuses "flat_product(S<1,0,1>)" "flat_product: expected 2 operands, found 1"
        eval |call| call.with_tiler(Layout::flat_product_under)
    }
    BlockedProduct "blocked_product" in "products: a layout repeated" {
        form "blocked_product(block, times)"
        meaning "blocks next to each other: mode k is (block k, times k)"
        law Such("the modes of logical_product(A, B), mode k of A with mode k of B")
        needs "the same"
        ensures "mode `k` is `(A_k, places of B_k)`, or the other way round"
        example "blocked_product((2,5):(5,1), (3,4):(1,3))" "((2,3),(5,4)):((5,10),(1,30))"
        also "blocked_product(2:2, 4:1)" "((2,(2,2))):((2,(1,4)))"
        errors "As `logical_product`."
        cute "blocked_product(block, tiler)"
        refuses "blocked_product(3:1, 0)" "expected extents of at least 1, found 0 in 0"
        eval |call| call.with_layout(Layout::blocked_product_under)
    }
    RakedProduct "raked_product" in "products: a layout repeated" {
        form "raked_product(block, times)"
        meaning "blocks interleaved: mode k is (times k, block k)"
        law Such("the modes of logical_product(A, B), mode k of B with mode k of A")
        needs "the same"
        ensures "mode `k` is `(A_k, places of B_k)`, or the other way round"
        example "raked_product((2,5):(5,1), (3,4):(1,3))" "((3,2),(4,5)):((10,5),(30,1))"
        errors "As `logical_product`."
        cute "raked_product(block, tiler)"
        refuses "raked_product(S<1,0,1>)" "raked_product: expected 2 operands, found 1"
        eval |call| call.with_layout(Layout::raked_product_under)
    }
    RightInverse "right_inverse" in "inverses" {
        form "right_inverse(L)"
        meaning "from offsets back to indices, up to the first gap in the offsets"
        law Such("L(R(i)) = i for each i below size(R)")
        ensures "`L(R(i)) = i` for each `i` below `size(R)`; the longest such `R` of a plain layout whose modes do not overlap; of a composed one as long as the inverses of its parts, or that of the plain layout that it is"
        example "right_inverse((4,8):(8,1))" "(8,4):(4,1)"
        also "right_inverse((4,2):(1,8))" "4:1"
        also "right_inverse((M{range=2..},N{range=2..}):(N,1))" "(N,M):(M,1)"
        also "right_inverse(S<1,0,2> o 0 o (4,4):(4,1))" "S<1,0,-2> o 0 o (4,4):(4,1)"
        also "right_inverse(composition((8,8):(1@0,1@1), S<3,0,3> o 0 o (8,8):(1,8)))" "S<3,0,3> o 0 o (8,8):(1,8)"
        errors "Under facts: where it is not known whether a mode continues from where the range ends: the answer would be longer under some assignments than under others."
        cute "right_inverse(layout)"
        refuses "right_inverse(4:1, S<1,0,1>)" "right_inverse: expected 1 operand, found 2"
        eval |call| call.unary(Layout::<L>::right_inverse_under)
    }
    LeftInverse "left_inverse" in "inverses" {
        form "left_inverse(L)"
        meaning "from the offsets of an injective layout back to its indices"
        law Such("R(L(i)) = i for each i below size(L) that is 0 in modes of stride 0")
        needs "strides of at least 0; an injective layout, apart from modes of stride 0; strides that divide each other, or a layout that is found"
        ensures "`R(L(i)) = i`"
        example "left_inverse((4,8):(1,5))" "(5,8):(1,4)"
        also "left_inverse((4,8):(8,1))" "(8,4):(4,1)"
        also "left_inverse((2,2):(2,3))" "(2,3):(1,1)"
        also "left_inverse((4,N{range=2..}):(2*N,1))" "(2*N,4):(4,1)"
        also "left_inverse((4,4):(1@0,1@1) o 5 o (2,2):(1,4))" "(4,2):(1,2) o -5 o (4,4):(1,4)"
        errors "A layout that is not injective apart from its modes of stride 0; strides that do not divide each other and for which no inverse was found; negative strides. Under facts: extents that are not known to be at least 2 and strides that are not known to be at least 1; modes of which it is not known that, in some order, each stride divides the next and no mode reaches past the next."
        cute "left_inverse(layout)"
        refuses "left_inverse((2,2):(1,1))" "left_inverse((2,2):(1,1)): expected an injective layout, found 2:1 reaching past stride 1"
        eval |call| call.unary(Layout::<L>::left_inverse_under)
    }
    Nullspace "nullspace" in "inverses" {
        form "nullspace(L)"
        meaning "the coordinates that L maps to 0"
        law Such("L(R(i)) = 0, and R goes through the modes of stride 0")
        ensures "`L(R(i)) = 0`; as many as the modes of stride 0 have"
        example "nullspace((4,2,3):(1,0,4))" "2:4"
        also "nullspace((2,3,4):(1,0,2))" "3:2"
        errors "Under facts: a stride of which it is not known whether it is 0."
        cute "nullspace(layout)"
        refuses "nullspace(S<1,0,1>)" "nullspace: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.unary(Layout::<L>::nullspace_under)
    }
    Flatten "flatten" in "modes" {
        form "flatten(L)"
        meaning "the same modes without nesting"
        law Such("the leaves stay, the parentheses go")
        ensures "`R(i) = L(i)`; depth 1 at most"
        example "flatten((2,(3,4)):(1,(2,6)))" "(2,3,4):(1,2,6)"
        also "flatten((4,(2,4)):(2,(1,8)))" "(4,2,4):(2,1,8)"
        cute "flatten(layout)"
        refuses "flatten(S<1,0,1>)" "flatten: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.on_layout(Layout::flatten)
    }
    MakeLayout "make_layout" in "modes" {
        form "make_layout(A, B, ...)"
        meaning "a layout of these modes, of a shape and a stride, or of one period of a swizzle"
        law Such("R(a, b, ...) = A(a) + B(b) + ...")
        needs "one layout at least"
        ensures "`R(a, b, …) = A(a) + B(b) + …`"
        example "make_layout(3:1, (2,4):(12,3))" "(3,(2,4)):(1,(12,3))"
        also "make_layout(4:8, 8:1)" "(4,8):(8,1)"
        also "make_layout(S<3,4,3>)" "S<3,4,3> o 0 o 1024:1"
        also "make_layout(S<0,4,3>)" "128:1"
        errors "No layouts."
        cute "make_layout(A, B, ...)"
        refuses "make_layout(4:1, S<1,0,1>)" "make_layout: expected a plain layout as operand 2, found S<1,0,1>"
        eval |call| {
            if let Some(Value::Tuple(shape)) = call.value(0) {
                return call.layout_of_parts(shape);
            }
            // An integer is a shape or a stride, as in CuTe, unless a layout is beside it.
            if let (Some(Value::Int(extent)), None | Some(Value::Int(_))) = (call.value(0), call.value(1))
                && call.values.len() < 3
            {
                return call.layout_of_parts(&Nested::Leaf(extent.clone()));
            }
            let layouts = (0..call.values.len()).map(|i| call.layout(i).map(Cow::into_owned));
            joined(layouts.collect::<Result<_, _>>()?).map(Value::Layout)
        }
    }
    Get "get" in "modes" {
        form "get(L, i, ...)"
        meaning "mode i, and mode j of that, and so on"
        law Such("shape and stride are those of the mode")
        needs "modes that `L` has"
        ensures "shape and stride of those modes, in the order of the call"
        example "get((4,(2,4)):(2,(1,8)), 1)" "(2,4):(1,8)"
        also "get((4,(2,3)):(2,(1,8)), 1)" "(2,3):(1,8)"
        also "get((4,(2,3)):(2,(1,8)), 1, 0)" "2:1"
        errors "A mode that the layout does not have."
        cute "get<1>(layout), layout<1>(layout)"
        refuses "get((4,8), 2)" "get: expected a mode below the rank 2 of (4,8), found 2"
        eval |call| {
            let path = call.integers(1)?;
            call.on_layout(|layout| layout.get(&path))
        }
    }
    Select "select" in "modes" {
        form "select(L, i, ...)"
        meaning "some of the modes, in the order of the call"
        law Such("R = make_layout(get(L, i), ...)")
        needs "modes that `L` has"
        ensures "shape and stride of those modes, in the order of the call"
        example "select((2,3,4):(1,2,6), 2, 0)" "(4,2):(6,1)"
        errors "A mode that the layout does not have."
        cute "select<2,0>(layout)"
        refuses "select((4,4):(1,4), -1)" "select: expected a mode below the rank 2 of (4,4):(1,4), found -1"
        eval |call| {
            let chosen = call.integers(1)?;
            call.on_layout(|layout| layout.select(&chosen))
        }
    }
    Group "group" in "modes" {
        form "group(L, begin, end)"
        meaning "modes begin to end-1 grouped into one"
        law Such("the leaves stay, parentheses go round the modes")
        needs "modes that `L` has"
        ensures "shape and stride of those modes, in the order of the call"
        example "group((2,3,4):(1,2,6), 0, 2)" "((2,3),4):((1,2),6)"
        errors "A range that is empty or leaves the rank."
        cute "group<0,2>(layout), group_modes(layout, 0, 2)"
        refuses "group((4,4):(1,4), 1, 3)" "group: expected a range of modes of (4,4):(1,4), found 1 .. 3"
        eval |call| {
            let (begin, end) = (call.int(1)?, call.int(2)?);
            call.on_layout(|layout| layout.group(begin, end))
        }
    }
    Append "append" in "modes" {
        form "append(L, M)"
        meaning "L with M appended as its last mode"
        law Such("R(l..., m) = L(l...) + M(m)")
        ensures "`M` after the modes of `L`, or before them"
        example "append((2,3):(1,2), 4:6)" "(2,3,4):(1,2,6)"
        cute "append(layout, x)"
        refuses "append(S<1,0,1>)" "append: expected 2 operands, found 1"
        eval |call| call.with_layout(|layout, _, mode| layout.append(mode))
    }
    Prepend "prepend" in "modes" {
        form "prepend(L, M)"
        meaning "L with M prepended as its first mode"
        law Such("R(m, l...) = M(m) + L(l...)")
        ensures "`M` after the modes of `L`, or before them"
        example "prepend((2,3):(1,2), 4:6)" "(4,2,3):(6,1,2)"
        cute "prepend(layout, x)"
        refuses "prepend(S<1,0,1>)" "prepend: expected 2 operands, found 1"
        eval |call| call.with_layout(|layout, _, mode| layout.prepend(mode))
    }
    Replace "replace" in "modes" {
        form "replace(L, mode, M)"
        meaning "L with M in place of a mode"
        law Such("the other modes stay")
        needs "modes that `L` has"
        ensures "shape and stride of those modes, in the order of the call"
        example "replace((2,3):(1,2), 1, 4:6)" "(2,4):(1,6)"
        errors "A mode that the layout does not have."
        cute "replace<1>(layout, x)"
        refuses "replace((4,8), 2, 5)" "replace: expected a mode below the rank 2 of (4,8), found 2"
        eval |call| {
            let (mode, by) = (call.int(1)?, call.layout(2)?);
            call.on_layout(|layout| layout.replace(mode, &by))
        }
    }
    Take "take" in "modes" {
        form "take(L, begin, end)"
        meaning "modes begin to end-1 only"
        law Such("R = select(L, begin, ..., end-1)")
        needs "modes that `L` has"
        ensures "shape and stride of those modes, in the order of the call"
        example "take((2,3,4):(1,2,6), 1, 3)" "(3,4):(2,6)"
        errors "A range that is empty or leaves the rank."
        cute "take<1,3>(layout)"
        refuses "take((4,8), 1, 1)" "take: expected a range of entries of (4,8) that is not empty, found 1 .. 1"
        eval |call| {
            let (begin, end) = (call.int(1)?, call.int(2)?);
            call.on_layout(|layout| layout.take(begin, end))
        }
    }
    Zip "zip" in "modes" {
        form "zip(A, B)"
        meaning "the modes of both in pairs"
        law Such("mode k of R is (mode k of A, mode k of B)")
        needs "equal ranks; pairs wherever the tiler has an entry"
        ensures "mode `k` is `(A_k, B_k)`; first parts, then second parts"
        example "zip((2,3):(1,2), (4,5):(6,24))" "((2,4),(3,5)):((1,6),(2,24))"
        errors "Layouts of different rank."
        cute "zip(A, B)"
        refuses "zip((4,4):(1,4), 4:1)" "zip: expected layouts of the same rank as (4,4):(1,4), found 4:1"
        eval |call| call.with_layout(|a, _, b| a.zip(b))
    }
    Unzip "unzip" in "modes" {
        form "unzip(L, tiler)"
        meaning "pairs unzipped: first parts together, second parts together"
        law Such("((a0,b0),(a1,b1)) becomes ((a0,a1),(b0,b1))")
        needs "equal ranks; pairs wherever the tiler has an entry"
        ensures "mode `k` is `(A_k, B_k)`; first parts, then second parts"
        example "unzip(((2,3),(4,5)):((1,2),(6,24)), <_, _>)" "((2,4),(3,5)):((1,6),(2,24))"
        also "unzip(((2,3),(4,5),6):((1,2),(10,20),100), <_, _>)" "((2,4),(3,5,6)):((1,10),(2,20,100))"
        errors "A mode named by a layout or `_` that is no pair; a tiler longer than the rank."
        cute "hier_unzip of pycute; zip2_by(layout, tiler)"
        refuses "unzip((4,4):(1,4), <_, _>)" "unzip: expected a pair (tile, rest) wherever the tiler has a layout or `_`, found 4:1 of rank 1"
        eval |call| call.with_tiler(|layout, _, tiler| layout.unzip(tiler))
    }
    Sort "sort" in "modes" {
        form "sort(L)"
        meaning "the modes in the order of their strides"
        law Such("the same offsets in another order")
        ensures "the modes at the top, by their least strides in ascending order; nested modes stay as they are; the same offsets"
        example "sort((2,3):(3,1))" "(3,2):(1,3)"
        also "sort((2,3,4):(12,1,3))" "(3,4,2):(1,3,12)"
        also "sort((M,N):(N{range=2..},1))" "(N,M):(1,N)"
        errors "Under facts: modes of which it is not known which comes first."
        refuses "sort(S<1,0,1>)" "sort: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.on_layout(|layout| layout.sort_under(call.facts))
    }
    Filter "filter" in "modes" {
        form "filter(L[, profile])"
        meaning "the layout without modes of stride 0 and of extent 1"
        law Is("coalesce(filter_zeros(A))")
        ensures "the same offsets, without repeats along modes of stride 0"
        example "filter((4,2,1,3):(1,0,7,4))" "12:1"
        also "filter((2,3,4):(1,0,2))" "8:1"
        cute "filter(layout)"
        refuses "filter(S<1,0,1>)" "filter: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| {
            let profile = (call.values.len() == 2).then(|| call.profile(1)).transpose()?;
            call.on_layout(|layout| match &profile {
                None => layout.filter_under(call.facts),
                Some(profile) => layout.filter_by_under(call.facts, profile),
            })
        }
    }
    FilterZeros "filter_zeros" in "modes" {
        form "filter_zeros(L)"
        meaning "modes of stride 0 shortened to extent 1"
        law Such("the same offsets, each as often as the other modes reach it")
        ensures "the same offsets, without repeats along modes of stride 0"
        example "filter_zeros((4,2):(1,0))" "(4,1):(1,0)"
        also "filter_zeros((2,3):(1,0))" "(2,1):(1,0)"
        errors "Under facts: a stride of which it is not known whether it is 0."
        cute "filter_zeros(layout)"
        refuses "filter_zeros(S<1,0,1>)" "filter_zeros: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.on_layout(|layout| layout.filter_zeros_under(call.facts))
    }
    MakeOrderedLayout "make_ordered_layout" in "new layouts" {
        form "make_ordered_layout(shape, order)"
        meaning "compact; the mode with the least number in the order runs fastest"
        law Such("each stride is the product of the extents that run faster")
        needs "an order with a number for each leaf, or for all leaves of a mode"
        ensures "compact, modes by their number, or by their stride in `L`"
        example "make_ordered_layout((4,2,3), (1,0,2))" "(4,2,3):(2,1,8)"
        also "make_ordered_layout((4,6,2), (1,0,2))" "(4,6,2):(6,1,24)"
        also "make_ordered_layout((4,(2,3)), (1,0))" "(4,(2,3)):(6,(1,2))"
        errors "An order with another number of entries than the shape has leaves, which does not order them either. Under facts: an extent that is not known to be at least 1."
        cute "make_ordered_layout(shape, order)"
        refuses "make_ordered_layout((4,4), (1))" "make_ordered_layout: expected an order with 2 entries for (4,4), found (1)"
        eval |call| {
            let shape = call.shape_of(&call.values[0])?;
            let order = call.counts(1)?;
            shape.make_ordered_layout_under(call.facts, &order).map(Value::Layout)
        }
    }
    MakeLayoutLike "make_layout_like" in "new layouts" {
        form "make_layout_like(L)"
        meaning "compact, its modes in the order of L's"
        law Such("strides are ordered as in L, and 0 where they are 0")
        needs "an order with a number for each leaf, or for all leaves of a mode"
        ensures "compact, modes by their number, or by their stride in `L`"
        example "make_layout_like((4,2):(9,2))" "(4,2):(2,1)"
        also "make_layout_like((4,3,2):(16,0,1))" "(4,3,2):(2,0,1)"
        also "make_layout_like((M,8,4):(64,0,S{range=65..}))" "(M,8,4):(1,0,M)"
        errors "Under facts: a stride of which it is not known whether it is 0, or less than another."
        cute "make_layout_like(layout)"
        refuses "make_layout_like(S<1,0,1>)" "make_layout_like: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| {
            // A compact layout needs nothing around it.
            call.inner_layout(0)?.make_layout_like_under(call.facts).map(Value::Layout)
        }
    }
    MakeIdentityLayout "make_identity_layout" in "new layouts" {
        form "make_identity_layout(shape)"
        meaning "each coordinate to itself, with strides such as 1@0"
        law Such("the result R maps every coordinate c of the shape to c")
        ensures "`R(c) = c`"
        example "make_identity_layout((4,2))" "(4,2):(1@0,1@1)"
        errors "An extent below 1. Under facts: an extent that is not known to be at least 1."
        cute "make_identity_layout(shape)"
        refuses "make_identity_layout(S<1,0,1>)" "make_identity_layout: expected a layout or a shape, found S<1,0,1>"
        eval |call| {
            match &*call.shape_of(&call.values[0])? {
                Nested::Leaf(extent) => call.extent(extent).map(Value::Layout),
                // Without a part of a coordinate no stride says which it moves.
                shape if shape.leaf_count() == 0 => {
                    Layout::under(call.facts, shape.clone(), shape.clone()).map(Value::Layout)
                }
                shape => shape.make_identity_layout_under(call.facts).map(Value::Basis),
            }
        }
    }
    LayoutOf "layout_of" in "new layouts" {
        form "layout_of(offsets[, shape])"
        meaning "the layout of least rank, or of a shape, with these offsets in order"
        law Such("crd2idx(i, R) is the offset at i, for each i")
        needs "offsets that a layout has"
        ensures "`R(i)` is the offset at `i`; the least rank, or the shape"
        example "layout_of((0,2,1,3))" "(2,2):(2,1)"
        refuses "layout_of(S<1,0,1>)" "layout_of: expected an integer or a tuple of integers as operand 1, found S<1,0,1>"
        eval |call| L::by_values(call, layout_of)
    }
    CompactColMajor "compact_col_major" in "new layouts" {
        form "compact_col_major(shape[, start])"
        meaning "compact strides, the first mode fastest"
        law Such("each stride is the product of the extents before it")
        needs "a start that nests no deeper than the shape"
        ensures "strides of the compact layout, times the start"
        example "compact_col_major((4,(2,3)))" "(1,(4,8))"
        cute "compact_col_major(shape, start)"
        refuses "compact_col_major((4,2), (1,2,3))" "compact_col_major: expected a start that nests no deeper than (4,2), found (1,2,3)"
        eval |call| call.compact(Order::Left)
    }
    CompactRowMajor "compact_row_major" in "new layouts" {
        form "compact_row_major(shape[, start])"
        meaning "compact strides, the last mode fastest"
        law Such("each stride is the product of the extents after it")
        needs "a start that nests no deeper than the shape"
        ensures "strides of the compact layout, times the start"
        example "compact_row_major((4,(2,3)))" "(6,(3,1))"
        cute "compact_row_major(shape, start)"
        refuses "compact_row_major((2,2), 9223372036854775807)" "compact_row_major: expected results within 64 bits, found an overflow for (2,2)"
        eval |call| call.compact(Order::Right)
    }
    MaxCommonVector "max_common_vector" in "queries" {
        form "max_common_vector(A, B)"
        meaning "the number of elements contiguous in both layouts, from offset 0 on"
        law Such("the size of the part that both map in the same way to 0, 1, 2, ..., and of a block that a swizzle of one of them keeps together at its offset")
        ensures "the elements contiguous in both: their number; their layout"
        example "max_common_vector((4,8):(1,4), (4,8):(1,8))" "4"
        also "max_common_vector((8,4):(1,8), (8,4):(1,16))" "8"
        also "max_common_vector((8,4):(1,8), (8,4):(4,1))" "1"
        also "max_common_vector(2:1, 4:1)" "2"
        also "max_common_vector((2,8):(8,1), (2,16):(16,1))" "8"
        also "max_common_vector((10,2):(1,20), 16:1)" "10"
        also "max_common_vector((128,64):(LD{range=65..},1), (128,64):(64,1))" "64"
        also "max_common_vector(S<3,3,3> o 0 o (8,64):(64,1), (8,64):(64,1))" "8"
        also "max_common_vector(S<3,3,3> o 0 o (8,64):(64,1), S<3,3,3> o 0 o (8,64):(64,1))" "512"
        also "max_common_vector(S<3,3,3> o 4 o (8,64):(64,1), (8,64):(64,1))" "4"
        also "max_common_vector(S<3,3,3> o i{div=8} o (M,64):(64,1), (M,64):(64,1))" "8"
        errors "More than `ENUMERATION_LIMIT` elements in a row in `b` of which no composition says where `a` has them. Under facts: where it is not known whether a mode continues from where the row ends."
        cute "max_common_vector(A, B)"
        refuses "max_common_vector(S<1,0,1>)" "max_common_vector: expected 2 operands, found 1"
        eval |call| call.any_layout(0)?.max_common_vector_under(call.facts, &call.any_layout(1)?).map(Value::Int)
    }
    MaxCommonLayout "max_common_layout" in "queries" {
        form "max_common_layout(A, B)"
        meaning "where the elements of max_common_vector are"
        law Such("A(R(i)) = B(R(i)) = i")
        ensures "the elements contiguous in both: their number; their layout"
        example "max_common_layout((4,8):(1,4), (4,8):(1,8))" "4:1"
        also "max_common_layout((8,4):(1,8), (8,4):(1,16))" "8:1"
        errors "Those of `max_common_vector`."
        cute "max_common_layout(A, B)"
        refuses "max_common_layout(S<1,0,1>)" "max_common_layout: expected 2 operands, found 1"
        eval |call| call.any_layout(0)?.max_common_layout_under(call.facts, &call.any_layout(1)?).map(Value::Layout)
    }
    DomainDistribute "domain_distribute" in "threads" {
        form "domain_distribute(shape, n)"
        meaning "a distribution of a shape over n threads"
        law Such("from each mode the greatest common divisor of its extent and what is left of n")
        needs "`n` of at least 1; a `TV` into the tile"
        ensures "what `n` threads take, of size `n` where possible; `((thread, value), rest)`"
        example "domain_distribute((4,8), 8)" "8:1"
        also "domain_distribute((4,M{div=32 range=32..}), 128)" "128:1"
        also "domain_distribute((4,M{range=1..}), 128)" "domain_distribute((4,M), 128): needs \"32 divides M\", which is not known; add the fact M{div=32}"
        also "domain_distribute((3,5,2), 6)" "(3,2):(1,15)"
        errors "`n` below 1."
        cute "domain_distribute(shape, n)"
        refuses "domain_distribute((4,4), 0)" "domain_distribute((4,4)): expected at least 1 to distribute over, found 0"
        eval |call| {
            let shape = call.shape_of(&call.values[0])?;
            let Some(Value::Int(threads)) = call.value(1) else {
                return Err(call.kind(1, "an integer").into());
            };
            shape.domain_distribute_under(call.facts, threads).map(Value::Layout)
        }
    }
    Distribute "distribute" in "threads" {
        form "distribute(L, tile, TV)"
        meaning "tiles of L over threads and values: ((thread, value), rest)"
        law Is("composition(zipped_divide(A, B), <C, _>)")
        needs "`n` of at least 1; a `TV` into the tile"
        ensures "what `n` threads take, of size `n` where possible; `((thread, value), rest)`"
        example "distribute((16,16):(16,1), (4,4), (4,4):(1,4))" "((4,4),(4,4)):((16,1),(64,4))"
        also "distribute((M{div=4},N{div=4}):(N,1), (4,4), (4,4):(1,4))" "((4,4),(M/4,N/4)):((N,1),(4*N,4))"
        errors "A thread-value layout that is no pair or leaves the tile; those of `zipped_divide` and `composition`. Under facts: a thread-value layout that is not known to stay in the tile."
        cute "local_partition of a tensor"
        refuses "distribute((16,16):(16,1), (4,4), (4,4):(1,8))" "distribute: expected a layout (thread, value) into the 16 indices of the tile (4,4), found (4,4):(1,8)"
        eval |call| {
            let (tile, tv) = (call.tuple(1)?, call.layout(2)?);
            call.on_layout(|layout| layout.distribute_under(call.facts, &tile, &tv))
        }
    }
    InBoundsOfDivide "in_bounds_of_divide" in "divides: a layout split into tiles" {
        form "in_bounds_of_divide(L, tiler)"
        meaning "where a padded logical_divide means elements of L: [layout, bound], ..."
        law Such("logical_divide(A, B) is inside where each layout is less than its bound")
        needs "the same"
        ensures "the fewest comparisons `layout(c) < bound` that all hold exactly inside"
        example "in_bounds_of_divide(10:1, 4:1)" "[[(4,3):(1,4), 10]]"
        also "in_bounds_of_divide(12:1, 4:1)" "[]"
        also "in_bounds_of_divide((5,2):(2,40), 2:1)" "[[(2,(3,2)):(1,(2,0)), 5]]"
        also "in_bounds_of_divide((M,K{div=64}):(K,1), (128,64))" "[[((128,ceil_div(M,128)),(64,K/64)):((1,128),(0,0)), M]]"
        errors "Those of `logical_divide`; more than 65,536 leaves in all comparisons."
        refuses "in_bounds_of_divide(S<1,0,1>)" "in_bounds_of_divide: expected 2 operands, found 1"
        eval |call| call.in_bounds(Layout::in_bounds_of_divide_under)
    }
    InBoundsOfComposition "in_bounds_of_composition" in "composition and complement" {
        form "in_bounds_of_composition(A, B or tiler)"
        meaning "where a composition takes indices of A, not past it: [layout, bound], ..."
        law Such("composition(A, B) is inside where each layout is less than its bound")
        needs "the same"
        ensures "the fewest comparisons `layout(c) < bound` that all hold exactly inside"
        example "in_bounds_of_composition(10:1, 4:3)" "[]"
        also "in_bounds_of_composition((2,1):(1,80), (2,2):(2,1))" "[[(2,2):(2,1), 2]]"
        also "in_bounds_of_composition((2,2):(1,80), (2,2):(2,1))" "[]"
        also "in_bounds_of_composition((8,M):(1,8), (8,4):(1,8))" "[[(8,4):(1,8), 8*M]]"
        also "in_bounds_of_composition((8,M{range=4..}):(1,8), (8,4):(1,8))" "[]"
        errors "Those of `composition`; more than 65,536 leaves in all comparisons."
        refuses "in_bounds_of_composition(S<1,0,1>)" "in_bounds_of_composition: expected 2 operands, found 1"
        eval |call| call.in_bounds(Layout::in_bounds_of_composition_under)
    }
    BankConflicts "bank_conflicts" in "banks of shared memory: 32, of 4 bytes" {
        form "bank_conflicts(L, access, bits)"
        meaning "wavefronts beyond one per phase, for elements of a given number of bits"
        law Such("access takes (thread, value) to an index of L; 0 is free of conflicts")
        needs "an access into the indices of `L`; a power of two as `bits`"
        ensures "wavefronts beyond one per phase"
        example "bank_conflicts((8,32):(32,1), (8,4):(1,8), 32)" "7"
        refuses "bank_conflicts(S<1,0,1>)" "bank_conflicts: expected 3 operands, found 1"
        eval |call| {
            let (layout, access) = (call.any_layout(0)?, call.layout(1)?);
            Ok(count_of(&L::conflicts(call.facts, &layout, &access, call.int(2)?)?))
        }
    }
    ConflictFreeSwizzle "conflict_free_swizzle" in "banks of shared memory: 32, of 4 bytes" {
        form "conflict_free_swizzle(L, store, load, bits)"
        meaning "the least swizzle of L that frees both accesses of conflicts, or the best"
        law Such("of the swizzles that undo themselves, keep each thread's vectors together and need no more memory than L, none has fewer bank_conflicts(composition(R, L), ...) for both")
        needs "two thread-value layouts into the indices of L, for store and load"
        ensures "of these, as many as a bounded search tries, the least with the fewest conflicts: the fewest bits, then the smallest shift, then the lowest base; `S<0,0,0>` where none has fewer than `L`; where conflicts are left, `linear_swizzle` may have fewer"
        example "conflict_free_swizzle((8,32):(32,1), (8,4):(1,8), (8,4):(1,8), 32)" "S<3,2,3>"
        errors "As `conflicts`."
        refuses "conflict_free_swizzle(S<1,0,1>)" "conflict_free_swizzle: expected 4 operands, found 1"
        eval |call| L::by_values(call, |call| {
            let (tile, store, load) = (call.layout(0)?, call.layout(1)?, call.layout(2)?);
            let choice = tile.conflict_free_swizzle(&store, &load, call.int(3)?)?;
            Ok(Value::Swizzle(choice.swizzle))
        })
    }
    Size "size" in "queries" {
        form "size(L[, i, ...])"
        meaning "the number of coordinates"
        law Such("the product of the extents")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "size((4,(2,4)):(2,(1,8)))" "32"
        cute "size(layout), size<1>(layout), product(shape)"
        refuses "size(4:1, S<1,0,1>)" "size: expected an integer as operand 2, found S<1,0,1>"
        eval |call| call.of_mode(|value| call.size(value))
    }
    Cosize "cosize" in "queries" {
        form "cosize(L[, i, ...])"
        meaning "the greatest offset plus one"
        law Such("1 + the sum of (extent-1) * |stride|")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "cosize((4,8):(8,1))" "32"
        also "cosize((4,4):(1@0,1@1) o 5 o (2,2):(1,4))" "9"
        also "cosize(S<1,0,5> o 0 o 2:32)" "34"
        also "cosize(S<3,4,3> o 0 o (1048576,1048576):(1,1048576))" "1099511627776"
        errors "Under facts: a stride whose sign is not known."
        cute "cosize(layout), cosize<1>(layout)"
        refuses "cosize((4294967296,2):(4294967296,1))" "cosize: expected results within 64 bits, found an overflow for (4294967296,2):(4294967296,1)"
        eval |call| call.of_mode(|value| call.cosize(value))
    }
    Coshape "coshape" in "queries" {
        form "coshape(L[, i, ...])"
        meaning "the shape of the codomain"
        law Such("for integer strides, the cosize")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "coshape((4,8):(8,1))" "32"
        also "coshape((2,3):(1,4))" "10"
        also "coshape((2,3):(1@0,1@1))" "(2,3)"
        also "coshape((4,4):(1@0,1@1) o 5 o (2,2):(1,4))" "(3,3)"
        errors "A multiple of which it is not known on which side of 0 it lies."
        cute "coshape(layout), coshape<1>(layout)"
        refuses "coshape(S<1,0,1>)" "coshape: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.part_of_mode(|value| match value {
            Value::Layout(_) | Value::Composed(_) | Value::Int(_) => call.cosize(value).map(Value::Int),
            Value::Basis(basis) => basis.coshape_under(call.facts).map(Value::from),
            Value::ComposedBasis(composed) => {
                L::coshape_of_composed(call, composed).map(Value::from)
            }
            _ => Err(call.kind(0, "a plain layout").into()),
        })
    }
    Rank "rank" in "queries" {
        form "rank(L[, i, ...])"
        meaning "the number of modes"
        law Such("the entries of the shape")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "rank((4,(2,4)):(2,(1,8)))" "2"
        cute "rank(layout), rank<1>(layout)"
        refuses "rank((4,4):(1,4), 5)" "get: expected a mode below the rank 2 of (4,4):(1,4), found 5"
        eval |call| call.of_mode(|value| Ok(int(call.shape_of(value)?.rank())))
    }
    Depth "depth" in "queries" {
        form "depth(L[, i, ...])"
        meaning "the nesting depth of the modes"
        law Such("0 for an integer")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "depth((4,(2,4)):(2,(1,8)))" "2"
        cute "depth(layout), depth<1>(layout)"
        refuses "depth(S<1,0,1>)" "depth: expected a layout or a shape, found S<1,0,1>"
        eval |call| call.of_mode(|value| Ok(int(call.shape_of(value)?.depth())))
    }
    Shape "shape" in "queries" {
        form "shape(L[, i, ...])"
        meaning "the shape"
        law Such("the part before the colon")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "shape((4,(2,4)):(2,(1,8)))" "(4,(2,4))"
        cute "shape(layout), shape<1>(layout)"
        refuses "shape(4:1, S<1,0,1>)" "shape: expected an integer as operand 2, found S<1,0,1>"
        eval |call| call.part_of_mode(|value| match value {
            Value::Int(extent) => Ok(Value::Int(extent.clone())),
            Value::Basis(basis) => Ok(basis.shape().clone().into()),
            _ => Ok(call.inner(value)?.shape().clone().into()),
        })
    }
    Stride "stride" in "queries" {
        form "stride(L[, i, ...])"
        meaning "the stride"
        law Such("the part after the colon")
        needs "modes that `L` has, where some are named"
        ensures "of the layout, or of the mode"
        example "stride((4,(2,4)):(2,(1,8)))" "(2,(1,8))"
        cute "stride(layout), stride<1>(layout)"
        refuses "stride(S<1,0,1>)" "stride: expected a plain layout as operand 1, found S<1,0,1>"
        eval |call| call.part_of_mode(|value| match value {
            Value::Layout(layout) => Ok(layout.stride().clone().into()),
            Value::Basis(basis) => Value::steps(basis.stride().clone()).map_err(Into::into),
            Value::Int(_) => Ok(call.layout(0)?.stride().clone().into()),
            _ => Err(call.kind(0, "a plain layout").into()),
        })
    }
    Crd2Idx "crd2idx" in "coordinates" {
        form "crd2idx(coord, L)"
        meaning "the offset of a coordinate"
        law Such("the sum of coordinate * stride")
        needs "a coordinate that nests as the shape, or less"
        ensures "`L(c)`"
        example "crd2idx((1,2), (4,8):(8,1))" "10"
        errors "A coordinate that does not fit. Under facts: an index into more than one mode that is not known to be at least 0."
        cute "layout(1, 2), crd2idx(coord, shape, stride)"
        refuses "crd2idx((1,2,3), (4,4):(1,4))" "expected a coordinate that fits the shape (4,4), found (1,2,3)"
        eval |call| call.offset()
    }
    Idx2Crd "idx2crd" in "coordinates" {
        form "idx2crd(i, shape[, stride])"
        meaning "the coordinate of an index; the first mode runs fastest"
        law Such("i mod the first extent, then the quotient continues in the next mode")
        needs "a coordinate no deeper than the shape; strides that are not 0 where the extent is not 1"
        ensures "`crd2idx(R, shape) = i`; with strides `i / stride % shape` at each leaf"
        example "idx2crd(13, (4,(2,4)))" "(1,(1,1))"
        also "idx2crd(11, (6,2))" "(5,1)"
        also "idx2crd(i{range=0..}, (M{range=1..},8))" "(mod(i,M),floor_div(i,M))"
        also "crd2idx(idx2crd(i{range=0..}, (M{range=1..},8)), (M,8):(1,M))" "i"
        errors "An extent below 1."
        cute "idx2crd(index, shape[, stride])"
        refuses "idx2crd(3, (4,2), (0,4))" "idx2crd(3, 4, 0): expected extents and strides that divide, found 4 and 0"
        eval |call| {
            let shape = call.shape_of(&call.values[1])?;
            if call.values.len() == 3 {
                let (index, stride) = (call.tuple(0)?, call.tuple(2)?);
                return shape.idx2crd_by_under(call.facts, &index, &stride).map(Value::from);
            }
            shape.crd2crd_under(call.facts, &*call.tuple(0)?).map(Value::from)
        }
    }
    Slice "slice" in "coordinates" {
        form "slice(coord, L)"
        meaning "the modes where the coordinate has `_`"
        law Such("fixed modes are removed; a composed layout keeps the part of their offset that it needs inside, and slice_and_offset returns the rest")
        needs "a coordinate of the shape"
        ensures "`L` at `c` with its `_` filled in is `R` of what fills them, plus the offset of `slice_and_offset`; of `A o offset o B`, and where the swizzle changes nothing, it is `R`"
        example "slice((3,_), (4,(2,4)):(2,(1,8)))" "((2,4)):((1,8))"
        also "slice((1,_), S<3,0,3> o 0 o (8,8):(8,1))" "((2,4)):((-1,2))"
        also "slice((_,0), S<3,0,3> o 0 o (8,8):(8,1))" "(8):(9)"
        also "slice((_,1), S<0,0,0> o 66 o (2,3):(64,1))" "S<0,0,0> o 67 o (2):(64)"
        errors "A coordinate that does not fit. Under facts: those of `crd2idx`."
        cute "layout(3, _), slice(coord, layout)"
        refuses "slice((1,_,2), (4,8))" "slice: expected a coordinate that fits (4,8), found (1,_,2)"
        eval |call| Ok(Value::Layout(call.sliced(call.inner(&call.values[1])?)?.0))
    }
    SliceAndOffset "slice_and_offset" in "coordinates" {
        form "slice_and_offset(coord, L)"
        meaning "the slice, and the offset where it starts"
        law Such("the second part is the offset of the numbers in the coordinate")
        needs "a coordinate of the shape"
        ensures "`L` at `c` with its `_` filled in is `R` of what fills them, plus the offset"
        example "slice_and_offset((3,_), (4,(2,4)):(2,(1,8)))" "[((2,4)):((1,8)), 6]"
        also "slice_and_offset(((_,block{range=0..}),_), ((128,M),K):((K,128*K),1))" "[(128,K):(K,1), 128*K*block]"
        cute "slice_and_offset(coord, layout)"
        refuses "slice_and_offset(S<1,0,1>)" "slice_and_offset: expected 2 operands, found 1"
        eval |call| {
            let (kept, offset) = call.sliced(&*call.layout(1)?)?;
            Ok(Value::List(vec![Value::Layout(kept), Value::Int(offset)]))
        }
    }
    Dice "dice" in "coordinates" {
        form "dice(coord, L)"
        meaning "the modes where the coordinate has a number"
        law Such("modes with `_` go")
        needs "a coordinate of the shape"
        ensures "the modes at which `c` has integers"
        example "dice((3,_), (4,(2,4)):(2,(1,8)))" "(4):(2)"
        errors "As `slice`."
        cute "dice(coord, layout)"
        refuses "dice((1,_), 4)" "dice: expected a coordinate that fits 4, found (1,_)"
        eval |call| {
            let coord = call.coord(0)?;
            call.any_layout(1)?.try_map(|layout| layout.dice(&coord)).map(Value::from)
        }
    }
    TileToShape "tile_to_shape" in "products: a layout repeated" {
        form "tile_to_shape(L, shape[, order])"
        meaning "a block repeated until it fills a shape"
        law Is("blocked_product(A, make_ordered_layout(ceil_div(B, shape(A)), C))")
        needs "a shape of rank `L` at least"
        ensures "the sizes of the modes are those of the shape, rounded up to multiples of those of `L`"
        example "tile_to_shape((2,2):(2,1), (4,6))" "((2,2),(2,3)):((2,4),(1,8))"
        also "tile_to_shape((2,2):(2,1), (4,6), (1,0))" "((2,2),(2,3)):((2,12),(1,4))"
        also "tile_to_shape((2,2):(2,1), (3,6))" "((2,2),(2,3)):((2,4),(1,8))"
        also "tile_to_shape((8,64):(64,1), (M,100))" "((8,ceil_div(M,8)),(64,2)):((64,512),(1,512*ceil_div(M,8)))"
        errors "A shape of lower rank than the block; an extent below 1, or under facts one that is not known to be at least 0; those of `logical_product`."
        cute "tile_to_shape(block, shape[, order])"
        refuses "tile_to_shape((4,4):(1,4), 16)" "tile_to_shape: expected a shape of at least rank 2 for (4,4):(1,4), found 16"
        eval |call| {
            let shape = call.tuple(1)?;
            let order = call.order_of_modes()?;
            call.on_layout(|layout| {
                layout.tile_to_shape_under(call.facts, &shape, order.as_ref())
            })
        }
    }
    Upcast "upcast" in "recasts: elements of another width" {
        form "upcast(L, n)"
        meaning "n elements become one"
        law Such("strides are divided by n, and the extent of the contiguous mode is")
        needs "`n` of at least 1; strides that divide it or are its multiples; modes whose wide elements are contiguous"
        ensures "the layout of elements `n` times as wide over the same memory"
        example "upcast((4,8):(8,1), 2)" "(4,4):(4,1)"
        also "upcast((4,6,8):(1,4,24), 8)" "(1,3,8):(1,1,3)"
        also "upcast(3:-1, 2)" "2:-1"
        also "upcast((M,K{div=8}):(K,1), 8)" "(M,K/8):(K/8,1)"
        also "upcast(S<3,3,3> o 64 o (8,64):(64,1), 4)" "S<3,1,3> o 16 o (8,16):(16,1)"
        also "upcast(S<3,3,3> o 64 o (8,64):(64,1), 8)" "S<3,0,3> o 8 o (8,8):(8,1)"
        also "upcast(S<3,3,3> o 64 o (8,64):(64,1), 16)" "upcast(S<3,3,3> o 64 o (8,64):(64,1), 16): expected a swizzle that moves whole wide elements, found offsets with one of the bits 0x40"
        errors "`n` below 1; a stride that neither divides `n` nor is a multiple of it; packed modes that do not reach every wide element in which a narrow one lies. Under facts: a stride that is not known to be a multiple of `n`, or a constant divisor of it; packed modes that are not known to reach every wide element in which a narrow one lies."
        cute "upcast<2>(layout)"
        refuses "upcast(4:3, 2)" "upcast(4:3, 2): expected strides that divide the factor or are multiples of it, found 3"
        eval |call| call.layout(0)?.upcast_under(call.facts, call.int(1)?).map(Value::Layout)
    }
    Downcast "downcast" in "recasts: elements of another width" {
        form "downcast(L, n)"
        meaning "one element becomes n"
        law Such("strides are multiplied by n, and the extent of the contiguous mode is")
        needs "`n` of at least 1; above 1, a mode of stride 1"
        ensures "the layout of elements `n` times as narrow; their parts exactly, if one mode has stride 1; `recast_view` is that of a view's memory"
        example "downcast((4,8):(8,1), 2)" "(4,16):(16,1)"
        errors "`n` below 1; for `n` above 1, no mode of stride 1 that the parts could lengthen. Under facts: a stride of which it is not known whether it is 1 or -1."
        cute "downcast<2>(layout)"
        refuses "downcast(4:2, 2)" "downcast(4:2, 2): expected a mode of stride 1, found 2"
        eval |call| call.layout(0)?.downcast_under(call.facts, call.int(1)?).map(Value::Layout)
    }
    Recast "recast" in "recasts: elements of another width" {
        form "recast(L, old_bits, new_bits)"
        meaning "the same bits seen as elements of another width"
        law Such("upcast or downcast by the quotient of the widths")
        needs "widths of at least 1; what both casts need"
        ensures "up by `new / gcd`, down by `old / gcd`"
        example "recast((4,8):(8,1), 16, 32)" "(4,4):(4,1)"
        also "recast((4,8):(8,1), 32, 16)" "(4,16):(16,1)"
        errors "Bits below 1; those of `upcast` and `downcast`."
        cute "recast_layout<half_t, uint32_t>(layout)"
        refuses "recast(4:1, 0, 8)" "recast(4:1): expected a factor of at least 1, found 0"
        eval |call| {
            let (old, new) = (call.int(1)?, call.int(2)?);
            call.layout(0)?.recast_under(call.facts, old, new).map(Value::Layout)
        }
    }
    RecastLayout "recast_layout" in "recasts: elements of another width" {
        form "recast_layout(L, new_bits, old_bits)"
        meaning "recast with its operands in the order of the CuTe DSL"
        law Is("recast(A, C, B)")
        needs "widths of at least 1; what both casts need"
        ensures "up by `new / gcd`, down by `old / gcd`"
        example "recast_layout((4,8):(8,1), 32, 16)" "(4,4):(4,1)"
        cute "cute.recast_layout(32, 16, layout)"
        refuses "recast_layout(S<1,0,1>)" "recast_layout: expected 3 operands, found 1"
        eval |call| {
            let (new, old) = (call.int(1)?, call.int(2)?);
            call.layout(0)?.recast_under(call.facts, old, new).map(Value::Layout)
        }
    }
    ShapeDiv "shape_div" in "shapes" {
        form "shape_div(a, b)"
        meaning "the quotient of shapes of which one divides the other"
        law Such("an integer divides the first mode first, and what is left of it the next")
        needs "divisors of at least 1; for `shape_div` numbers that divide each other"
        ensures "quotients leaf by leaf; the least multiples"
        example "shape_div((6,2), 3)" "(2,2)"
        also "shape_div((6,2), 12)" "(1,1)"
        also "shape_div((M{div=8 range=1..},4), 8)" "(M/8,4)"
        also "shape_div((M{div=4 range=1..},4), 8)" "shape_div((M,4), 8): needs \"8 divides M\", which is not known; add the fact M{div=8}"
        errors "Those of `ceil_div`; numbers that do not divide each other. Under facts: extents neither of which is known to divide the other."
        cute "shape_div(a, b)"
        refuses "shape_div((6,2), 4)" "shape_div((6,2), 4): expected extents that divide each other, found 6 and 4"
        eval |call| call.on_shapes(Nested::shape_div_under)
    }
    CeilDiv "ceil_div" in "shapes" {
        form "ceil_div(a, b)"
        meaning "the quotient of shapes, rounded up"
        law Such("an integer divides the first mode first, and what is left of it the next")
        needs "divisors of at least 1; for `shape_div` numbers that divide each other"
        ensures "quotients leaf by leaf; the least multiples"
        example "ceil_div((3,100,3), 256)" "(1,2,3)"
        also "ceil_div((100,9), (32,4))" "(4,3)"
        also "ceil_div((M{range=1..},N{range=0..}), (128,64))" "(ceil_div(M,128),ceil_div(N,64))"
        errors "A divisor below 1 or a negative dividend; a divisor of higher rank. Under facts: a dividend that is not known to be at least 0, a divisor not to be at least 1; where a divisor continues to the next mode, an extent not to be at least 1."
        cute "ceil_div(a, b)"
        refuses "ceil_div((6,2), 0)" "ceil_div((6,2), 0): expected a dividend of at least 0 and a divisor of at least 1, found 6 and 0"
        eval |call| call.ceil_div()
    }
    RoundUp "round_up" in "shapes" {
        form "round_up(a, b)"
        meaning "the least multiples of b that are not below a"
        law Such("leaf by leaf")
        needs "divisors of at least 1; for `shape_div` numbers that divide each other"
        ensures "quotients leaf by leaf; the least multiples"
        example "round_up((10,7), (4,2))" "(12,8)"
        errors "Those of `ceil_div`."
        cute "round_up(a, b)"
        refuses "round_up((6,2), (2,2,2))" "round_up: expected a tuple that nests no deeper than (6,2), found (2,2,2)"
        eval |call| call.on_shapes(Nested::round_up_under)
    }
    Congruent "congruent" in "shapes" {
        form "congruent(a, b)"
        meaning "whether both nest in the same way"
        law Such("integers are where integers are")
        ensures "relations of shapes"
        example "congruent((2,(3,4)), (5,(6,7)))" "true"
        cute "congruent(a, b)"
        refuses "congruent(S<1,0,1>)" "congruent: expected 2 operands, found 1"
        eval |call| call.relation(Nested::congruent)
    }
    WeaklyCongruent "weakly_congruent" in "shapes" {
        form "weakly_congruent(a, b)"
        meaning "whether a nests as b, or stops earlier"
        law Such("an integer of a stands for any part of b")
        ensures "relations of shapes"
        example "weakly_congruent((8,2), (3,(4,5)))" "true"
        also "weakly_congruent((3,(4,5)), (8,2))" "false"
        cute "weakly_congruent(a, b)"
        refuses "weakly_congruent(S<1,0,1>)" "weakly_congruent: expected 2 operands, found 1"
        eval |call| call.relation(Nested::weakly_congruent)
    }
    Compatible "compatible" in "shapes" {
        form "compatible(a, b)"
        meaning "whether each coordinate of a is one of b"
        law Such("an integer of a is the size of the part of b in its place")
        ensures "relations of shapes"
        example "compatible(24, (4,6))" "true"
        also "compatible((4,6), 24)" "false"
        also "compatible((M*N,8), ((M,N),8))" "true"
        also "compatible(M{range=8..}, (4,1))" "false"
        also "compatible(M, (4,2))" "compatible(M, (4,2)): needs \"M = 8\", which is not known; write 8 for M"
        errors "Sizes of which it is not known whether they are equal."
        cute "compatible(a, b)"
        refuses "compatible(S<1,0,1>)" "compatible: expected 2 operands, found 1"
        eval |call| call.compatible()
    }
    EvenlyDivides "evenly_divides" in "shapes" {
        form "evenly_divides(a, b or tiler)"
        meaning "whether each part of b divides that of a"
        law Such("sizes are compared, mode by mode")
        ensures "relations of shapes"
        example "evenly_divides((8,6), (4,4))" "false"
        also "evenly_divides((8,(3,6)), (4,3))" "true"
        also "evenly_divides((6,4), 8)" "false"
        also "evenly_divides(16, (16))" "true"
        errors "A leaf of which it is not known whether it divides, or whether it is at least 1."
        cute "evenly_divides(shape, tiler)"
        refuses "evenly_divides(8, (2,2):(1,1))" "complement((2,2):(1,1)): expected sorted modes that each start where the last ended, or later, found stride 1 after 2"
        eval |call| call.evenly_divides()
    }
    IsInjective "is_injective" in "queries" {
        form "is_injective(L)"
        meaning "whether no two indices have the same offset"
        law Such("L(i) = L(j) only where i = j")
        needs "at most 1,000,000 coordinates where modes interleave"
        ensures "whether offsets differ; leave no gap; both"
        example "is_injective((2,2):(1,1))" "false"
        also "is_injective((M,64):(64,1))" "true"
        also "is_injective((M{range=2..},64):(32,1))" "false"
        also "is_injective((8,64):(LD,1))" "is_injective((8,64):(LD,1)): needs \"LD >= 64\", which is not known; add the fact LD{range=64..}"
        also "is_injective(S<3,0,3> o 5 o (8,8):(8,1))" "true"
        also "is_injective((2,2):(1,1) o 0 o 4:1)" "false"
        also "is_injective((4,8):(8,1))" "true"
        also "is_injective((4,8):(2,1))" "false"
        errors "More than `ENUMERATION_LIMIT` coordinates to evaluate, or a quarter of that where offsets go past 2^25. Under facts: neither is known."
        refuses "is_injective(4:1, S<1,0,1>)" "is_injective: expected 1 operand, found 2"
        eval |call| call.predicate()
    }
    IsSurjective "is_surjective" in "queries" {
        form "is_surjective(L)"
        meaning "whether every offset up to the greatest is reached"
        law Such("each offset below cosize(L) is some L(i)")
        needs "at most 1,000,000 coordinates where modes interleave"
        ensures "whether offsets differ; leave no gap; both"
        example "is_surjective((2,2):(1,1))" "true"
        also "is_surjective((2,3):(3,1))" "true"
        also "is_surjective((2,3):(4,1))" "false"
        also "is_surjective((M,N):(N,1))" "true"
        also "is_surjective((M{range=2..},8):(9,1))" "false"
        also "is_surjective(S<1,0,2> o 0 o (2,4):(1,2))" "true"
        also "is_surjective(S<1,0,2> o 2 o 4:1)" "false"
        errors "Under facts: neither is known; a stride of which it is not known on which side of 0 it lies."
        refuses "is_surjective(4:1, S<1,0,1>)" "is_surjective: expected 1 operand, found 2"
        eval |call| call.predicate()
    }
    IsBijective "is_bijective" in "queries" {
        form "is_bijective(L)"
        meaning "whether L is a permutation of its indices"
        law Such("is_injective(L) and is_surjective(L)")
        needs "at most 1,000,000 coordinates where modes interleave"
        ensures "whether offsets differ; leave no gap; both"
        example "is_bijective((4,8):(8,1))" "true"
        also "is_bijective((2,2):(1,1))" "false"
        also "is_bijective(6:-1)" "false"
        also "is_bijective((M,(8,N)):(8*N,(1,8)))" "true"
        errors "Those of `is_injective` and `is_surjective`, unless the other is false."
        refuses "is_bijective(4:1, S<1,0,1>)" "is_bijective: expected 1 operand, found 2"
        eval |call| call.predicate()
    }
    Commutes "commutes" in "swizzles" {
        form "commutes(S, T)"
        meaning "whether two swizzles commute"
        law Such("composition(S, T) and composition(T, S) are the same function")
        ensures "whether `S(T(x)) = T(S(x))` for all `x`"
        example "commutes(S<1,0,1>, S<1,2,1>)" "true"
        refuses "commutes(S<1,0,1>)" "commutes: expected 2 operands, found 1"
        eval |call| L::by_values(call, swizzle::commutes)
    }
    ToLinear "to_linear" in "linear layouts: xor where layouts add" {
        form "to_linear(L)"
        meaning "a layout or a swizzle as a linear layout from index to offset"
        law Such("it exists where extents are powers of two and no addition carries")
        needs "powers of two; modes whose bits do not overlap"
        ensures "the same offsets, over bits"
        example "to_linear((2,4):(4,1))" "linear<{index = [4,1,2]} -> {offset = 8}>"
        refuses "to_linear(4:1, S<1,0,1>)" "to_linear: expected 1 operand, found 2"
        eval |call| L::by_values(call, linear::to_linear)
    }
    ToLayout "to_layout" in "linear layouts: xor where layouts add" {
        form "to_layout(X)"
        meaning "a linear layout as a layout, or as a swizzle over one"
        law Such("the same offset at every index, in the least rank")
        needs "bases of a plain or swizzled layout"
        ensures "the same offsets"
        example "to_layout(linear<{index = [4,1,2]} -> {offset = 8}>)" "(2,4):(4,1)"
        also "to_layout(linear<{lane = [1,2], warp = [8]} -> {offset = 16}>)" "(4,2):(1,8)"
        refuses "to_layout(S<1,0,1>)" "to_layout: expected a linear layout as operand 1, found S<1,0,1>"
        eval |call| L::by_values(call, |call| call.on_linear_layout(|layout| layout.to_swizzled().map(Value::from)))
    }
    Invert "invert" in "linear layouts: xor where layouts add" {
        form "invert(X)"
        meaning "the inverse of a linear layout that is one-to-one and onto"
        law Such("composition(R, X) and composition(X, R) change nothing")
        needs "a bijection; none"
        ensures "both ways the identity; from each output to its smallest input"
        example "invert(linear<{x = [2,1]} -> {y = 4}>)" "linear<{y = [2,1]} -> {x = 4}>"
        cute "LinearLayout::invert of Triton"
        refuses "invert(S<1,0,1>)" "invert: expected a linear layout as operand 1, found S<1,0,1>"
        eval |call| L::by_values(call, |call| call.on_linear_layout(|layout| layout.invert().map(Value::Linear)))
    }
    PseudoInvert "pseudo_invert" in "linear layouts: xor where layouts add" {
        form "pseudo_invert(X)"
        meaning "from each output to the smallest input that has it"
        law Such("X(R(y)) = y for every output y of X")
        needs "a bijection; none"
        ensures "both ways the identity; from each output to its smallest input"
        example "pseudo_invert(linear<{x = [2,1]} -> {y = 4}>)" "linear<{y = [2,1]} -> {x = 4}>"
        also "pseudo_invert(linear<{lane = [1,2], warp = [0,4]} -> {row = 8}>)" "linear<{row = [(1,0),(2,0),(0,2)]} -> {lane = 4, warp = 4}>"
        cute "LinearLayout::pseudoinvert of Triton"
        refuses "pseudo_invert(S<1,0,1>)" "pseudo_invert: expected a linear layout as operand 1, found S<1,0,1>"
        eval |call| L::by_values(call, |call| call.on_linear_layout(|layout| Ok(Value::Linear(layout.pseudo_invert()))))
    }
    InvertAndCompose "invert_and_compose" in "linear layouts: xor where layouts add" {
        form "invert_and_compose(A, B)"
        meaning "from where data are in A to where the same data are in B"
        law Such("composition(B, R) = A")
        needs "every output of `A` reached by `B`"
        ensures "`B(R(x)) = A(x)`"
        example "invert_and_compose(linear<{x = [2,1]} -> {y = 4}>, linear<{z = [1,2]} -> {y = 4}>)" "linear<{x = [2,1]} -> {z = 4}>"
        cute "LinearLayout::invertAndCompose of Triton"
        refuses "invert_and_compose(S<1,0,1>)" "invert_and_compose: expected 2 operands, found 1"
        eval |call| L::by_values(call, |call| call.with_linear(LinearLayout::invert_and_compose))
    }
    LinearProduct "linear_product" in "linear layouts: xor where layouts add" {
        form "linear_product(A, B)"
        meaning "A on the low bits of each dimension, B on the high bits"
        law Such("A and B are blocks on the diagonal of the matrix")
        ensures "`A` on the low bits, `B` on the high ones"
        example "linear_product(linear<{x = [1]} -> {y = 2}>, linear<{x = [1]} -> {y = 2}>)" "linear<{x = [1,2]} -> {y = 4}>"
        cute "operator* of Triton"
        refuses "linear_product(S<1,0,1>)" "linear_product: expected 2 operands, found 1"
        eval |call| L::by_values(call, |call| call.with_linear(LinearLayout::product))
    }
    DivideLeft "divide_left" in "linear layouts: xor where layouts add" {
        form "divide_left(X, A)"
        meaning "the factor that is left when A is the low one"
        law Such("linear_product(A, R) = X")
        needs "`A` in the low bits of `X`, or `B` in the high ones"
        ensures "`A` times `R` is `X`; `R` times `B` is `X`"
        example "divide_left(linear<{x = [1,2]} -> {y = 4}>, linear<{x = [1]} -> {y = 2}>)" "linear<{x = [1]} -> {y = 2}>"
        cute "divideLeft of Triton"
        refuses "divide_left(S<1,0,1>)" "divide_left: expected 2 operands, found 1"
        eval |call| L::by_values(call, |call| call.with_linear(LinearLayout::divide_left))
    }
    DivideRight "divide_right" in "linear layouts: xor where layouts add" {
        form "divide_right(X, B)"
        meaning "the factor that is left when B is the high one"
        law Such("linear_product(R, B) = X")
        needs "`A` in the low bits of `X`, or `B` in the high ones"
        ensures "`A` times `R` is `X`; `R` times `B` is `X`"
        example "divide_right(linear<{x = [1,2]} -> {y = 4}>, linear<{x = [1]} -> {y = 2}>)" "linear<{x = [1]} -> {y = 2}>"
        cute "divideRight of Triton"
        refuses "divide_right(S<1,0,1>)" "divide_right: expected 2 operands, found 1"
        eval |call| L::by_values(call, |call| call.with_linear(LinearLayout::divide_right))
    }
    ProductEach "product_each" in "shapes" {
        form "product_each(shape)"
        meaning "the size of each mode"
        law Such("mode k of R is size(shape, k)")
        ensures "the rank stays"
        example "product_each(((2,3),4))" "(6,4)"
        cute "product_each(shape)"
        refuses "product_each(S<1,0,1>)" "product_each: expected a layout or a shape, found S<1,0,1>"
        eval |call| { call.count(1, 1)?; call.shape_of(&call.values[0])?.product_each().map(Value::from) }
    }
    ElemLess "elem_less" in "coordinates" {
        form "elem_less(a, b)"
        meaning "whether each integer of a is below that of b"
        law Such("a tuple that ends earlier is below; one that continues is not")
        needs "tuples that nest alike, as far as both go"
        ensures "inside of a shape: elem_less(c, shape) for c of at least 0"
        example "elem_less((3,(0,1)), (4,(2,2)))" "true"
        also "elem_less((3,2), (4,2))" "false"
        errors "An integer beside a tuple."
        cute "elem_less(coord, shape)"
        refuses "elem_less((1,2), 4)" "elem_less: expected an integer beside 4, found (1,2)"
        eval |call| L::by_values(call, |call| {
            call.tuple(0)?.elem_less(&*call.tuple(1)?).map(Value::Bool)
        })
    }
    Increment "increment" in "coordinates" {
        form "increment(coord, shape)"
        meaning "the next coordinate; the first mode runs fastest"
        law Such("crd2idx(R, shape) = crd2idx(coord, shape) + 1")
        needs "a coordinate of the shape, that nests alike"
        ensures "past the last one the last mode continues"
        example "increment((3,(0,1)), (4,(2,2)))" "(0,(1,1))"
        also "increment((3,(1,1)), (4,(2,2)))" "(0,(0,2))"
        errors "A coordinate that nests otherwise than the shape."
        cute "increment(coord, shape)"
        refuses "increment((1,2), 4)" "increment: expected a coordinate that nests as 4, found (1,2)"
        eval |call| L::by_values(call, |call| {
            call.tuple(0)?.increment(&*call.shape_of(&call.values[1])?).map(Value::from)
        })
    }
    Equal "equal" in "queries" {
        form "equal(A, B)"
        meaning "whether both are the same function, or the same tuple"
        law Such("A(i) = B(i) for each i below the size of both, which is one")
        needs "at most 1,000,000 coordinates for swizzled layouts"
        ensures "tuples, swizzles, linear layouts: the same text"
        example "equal((2,4):(1,2), 8:1)" "true"
        cute "A == B, of layouts that may nest otherwise"
        refuses "equal(4:1)" "equal: expected 2 operands, found 1"
        eval |call| L::by_values(call, |call| call.equal())
    }
    LocalTile "local_tile" in "divides: a layout split into tiles" {
        form "local_tile(L, tiler, coord)"
        meaning "the tile of a layout at a coordinate of tiles"
        law Such("slice(((_, ...), coord), zipped_divide(L, tiler))")
        needs "what zipped_divide needs; a coordinate of the rests"
        ensures "modes of the rests past the coordinate stay"
        example "local_tile((8,8):(8,1), (4,2), (1,3))" "(4,2):(8,1)"
        cute "local_tile(tensor, tiler, coord)"
        refuses "local_tile(4:1, 2:1)" "local_tile: expected 3 operands, found 2"
        eval |call| call.local_tile()
    }
    Transpose "transpose" in "modes" {
        form "transpose(L[, order])"
        meaning "the modes in the order given, or in reverse; of a linear layout its outputs"
        law Such("mode k of R is mode order(k) of L")
        needs "an order with each mode once"
        ensures "the same offsets"
        example "transpose((4,8):(8,1))" "(8,4):(1,8)"
        cute "select<1,0>(layout); LinearLayout::transposeOuts of Triton"
        refuses "transpose((4,8):(8,1), (0,0))" "transpose: expected the modes 0 to 1 in some order, found (0,0)"
        eval |call| call.transpose()
    }
    Reshape "reshape" in "modes" {
        form "reshape(L, shape)"
        meaning "the same offsets in order, under another shape; of a linear layout its outputs"
        law Such("R(i) = L(i), and R has the shape refined")
        needs "a shape of the same size; a layout with these values"
        ensures "of a linear layout outputs dim0, dim1, ... of the sizes given"
        example "reshape((4,8):(8,1), (2,2,8))" "(2,2,8):(8,16,1)"
        cute "layout.with_shape(shape); LinearLayout::reshapeOuts of Triton"
        refuses "reshape((4,8):(8,1), 16)" "reshape: expected a shape of size 32, found 16"
        eval |call| call.reshape()
    }
    Quotient "quotient" in "linear layouts: xor where layouts add" {
        form "quotient(X, i, ...)"
        meaning "a linear layout without inputs that are outputs of their own"
        law Such("X is the identity on these dimensions, and R on the others")
        needs "inputs that go straight to outputs of their name, apart from the others"
        example "quotient(linear<{x = [(1,0)], block = [(0,1)]} -> {y = 2, block = 2}>, 1)" "linear<{x = [1]} -> {y = 2}>"
        also "quotient(linear<{lane = [(2,0),(1,0)], warp = [(0,1)]} -> {lane = 4, warp = 2}>, 1)" "linear<{lane = [2,1]} -> {lane = 4}>"
        also "quotient(linear<{lane = [(2,0),(1,0)], warp = [(0,1)]} -> {lane = 4, warp = 2}>, 0)" "quotient(linear<{lane = [(2,0),(1,0)], warp = [(0,1)]} -> {lane = 4, warp = 2}>): expected the identity over the dimensions, found (2,0) at lane = 1"
        cute "LinearLayout::quotient of Triton"
        refuses "quotient(4:1, 0)" "quotient: expected a linear layout as operand 1, found 4:1"
        eval |call| L::by_values(call, |call| call.quotient())
    }
    FreeVariables "free_variables" in "linear layouts: xor where layouts add" {
        form "free_variables(X)"
        meaning "for each input the bits that copies differ in"
        law Such("with these bits at 0, X reaches the same outputs, each once")
        ensures "an integer for one input, a tuple for several"
        example "free_variables(linear<{register = [1,1], lane = [2,3]} -> {row = 4}>)" "(2,2)"
        cute "LinearLayout::getFreeVariableMasks of Triton"
        refuses "free_variables(4:1)" "free_variables: expected a linear layout as operand 1, found 4:1"
        eval |call| L::by_values(call, |call| call.free_variables())
    }
    NumConsecutive "num_consecutive" in "linear layouts: xor where layouts add" {
        form "num_consecutive(X)"
        meaning "the number of consecutive outputs of the first input: the width of a vector access"
        law Such("the greatest power of two v with X(x + i) = X(x) + i for x of multiples of v and i below v")
        example "num_consecutive(linear<{register = [1,2,8], lane = [4]} -> {col = 16}>)" "4"
        cute "LinearLayout::getNumConsecutiveInOut of Triton"
        refuses "num_consecutive(4:1)" "num_consecutive: expected a linear layout as operand 1, found 4:1"
        eval |call| L::by_values(call, |call| call.on_linear_layout(|layout| Ok(Value::Int(layout.consecutive_in_out()))))
    }
    TupleAdd "tuple_add" in "coordinates" {
        form "tuple_add(a, b)"
        meaning "the sum of coordinates, leaf by leaf"
        law Such("what one lacks is 0")
        needs "tuples that nest alike as far as both go"
        example "tuple_add((1,(2,3)), (10,(20,30),5))" "(11,(22,33),5)"
        errors "An integer other than 0 beside a tuple."
        cute "a + b of ArithmeticTuple"
        refuses "tuple_add((1,2), 4)" "tuple_add: expected a tuple or 0 beside (1,2), found 4"
        eval |call| call.tuple(0)?.tuple_add(&*call.tuple(1)?).map(Value::from)
    }
    TupleSub "tuple_sub" in "coordinates" {
        form "tuple_sub(a, b)"
        meaning "the difference of coordinates, leaf by leaf"
        law Such("what one lacks is 0")
        needs "tuples that nest alike as far as both go"
        example "tuple_sub((10,20,5), (1,2))" "(9,18,5)"
        errors "As `tuple_add`."
        cute "a - b of ArithmeticTuple"
        refuses "tuple_sub((1,2), 4)" "tuple_sub: expected a tuple or 0 beside (1,2), found 4"
        eval |call| call.tuple(0)?.tuple_sub(&*call.tuple(1)?).map(Value::from)
    }
    MaxAlignment "max_alignment" in "queries" {
        form "max_alignment(L)"
        meaning "the greatest number of elements of an aligned vector"
        law Such("n divides the row from offset 0 on, and each stride of the other modes")
        ensures "blocks of `n` elements start at multiples of `n` and are reached whole; under a swizzle as far as its base and the offset allow"
        example "max_alignment((8,16):(1,12))" "4"
        also "max_alignment((8,16):(1,8))" "128"
        also "max_alignment((8,16):(16,1))" "128"
        also "max_alignment((M,64):(K{div=64 range=128..},1))" "64"
        also "max_alignment(S<3,4,3>)" "16"
        errors "Those of `right_inverse`. Under facts: a stride of which it is not known what it has in common with the row."
        cute "max_alignment(layout)"
        refuses "max_alignment((4,2))" "max_alignment: expected a plain layout as operand 1, found (4,2)"
        eval |call| call.max_alignment().map(Value::Int)
    }
    MakeComposedLayout "make_composed_layout" in "swizzles" {
        form "make_composed_layout(A, offset, B)"
        meaning "a layout or a swizzle after an offset after a layout: A o offset o B"
        law Such("R(c) = A(offset + B(c))")
        needs "a swizzle, or a plain or a coordinate layout `A`; a coordinate of it as the offset where `B` is a coordinate layout"
        example "make_composed_layout(S<3,4,3>, 0, (8,64):(64,1))" "S<3,4,3> o 0 o (8,64):(64,1)"
        cute "composition(A, offset, B)"
        refuses "make_composed_layout(4:1, 0, 8)" "make_composed_layout: expected a plain layout as operand 3, found 8"
        eval |call| call.make_composed_layout()
    }
    LinearSwizzle "linear_swizzle" in "banks of shared memory: 32, of 4 bytes" {
        form "linear_swizzle(L, store, load, bits)"
        meaning "the linear swizzle of L, from offset to offset, that frees both accesses of conflicts"
        law Such("no linear layout R that permutes offsets and keeps each thread's vectors together has fewer bank_conflicts(composition(R, to_linear(L)), ...) for both")
        needs "extents that are powers of two and modes whose bits do not overlap, of the layout and of both thread-value layouts"
        ensures "the fewest conflicts for both accesses; the low bits of an offset within a vector stay as they are"
        example "linear_swizzle((8,32):(32,1), (8,4):(1,8), (8,4):(1,8), 32)" "linear<{offset = [1,2,4,8,16,36,72,144]} -> {offset = 256}>"
        errors "As `conflicts`; a tile or an access that is not linear over GF(2)."
        cute "optimal swizzling of Triton"
        refuses "linear_swizzle((6,8):(8,1), (2,1):(1,0), (2,1):(1,0), 32)" "to_linear((6,8):(8,1)): expected extents that are powers of two, found 6"
        eval |call| L::by_values(call, |call| {
            let (tile, bits) = (call.layout(0)?, call.int(3)?);
            let at_once = VECTOR_BITS / bits.max(1);
            let access = |i| -> Result<_> { Ok(Access { places: call.layout(i)?.into_owned(), at_once }) };
            let accesses = [1, 2].map(access).into_iter().collect::<Result<Vec<_>>>()?;
            tile.linear_swizzle(&accesses, bits).map(|found| Value::Linear(found.swizzle))
        })
    }
}
