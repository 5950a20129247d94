//===- LayoutTupleOps.td - Arithmetic on tuples ------------*- tablegen -*-===//
//
// Tuples of integers, leaf by leaf, and comparisons.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TUPLE_OPS_TD
#define LAYOUT_TUPLE_OPS_TD

include "LayoutClasses.td"

def Layout_TupleAddOp : Layout_TupleOp<"tuple_add"> {
  let summary = "the sum of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf. A leaf that one tuple lacks counts as 0, as in CuTe.

    - Preconditions: the tuples nest alike where both have entries, or the right one is an integer.
    - Postconditions: each leaf is `a + b`.
    - Errors: tuples that do not nest alike; overflow.

    ```mlir
    %r = layout.tuple_add %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_add %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleSubOp : Layout_TupleOp<"tuple_sub"> {
  let summary = "the difference of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf. A leaf that one tuple lacks counts as 0, as in CuTe.

    - Preconditions: the tuples nest alike where both have entries, or the right one is an integer.
    - Postconditions: each leaf is `a - b`.
    - Errors: tuples that do not nest alike; overflow.

    ```mlir
    %r = layout.tuple_sub %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_sub %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMulOp : Layout_TupleOp<"tuple_mul"> {
  let summary = "the product of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is `a * b`.
    - Errors: tuples that do not nest alike; overflow.

    ```mlir
    %r = layout.tuple_mul %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_mul %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleDivOp : Layout_TupleOp<"tuple_div"> {
  let summary = "the quotient of two tuples, rounded down, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the greatest integer with `q * b <= a`.
    - Errors: tuples that do not nest alike; a divisor that is not known to be at least 1.

    ```mlir
    %r = layout.tuple_div %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_div %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleModOp : Layout_TupleOp<"tuple_mod"> {
  let summary = "the remainder of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is `a - b * tuple_div(a, b)`, from 0 to `b - 1`.
    - Errors: tuples that do not nest alike; a divisor that is not known to be at least 1.

    ```mlir
    %r = layout.tuple_mod %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_mod %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMinOp : Layout_TupleOp<"tuple_min"> {
  let summary = "the lesser of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the lesser of `a` and `b`.
    - Errors: tuples that do not nest alike; overflow.

    ```mlir
    %r = layout.tuple_min %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_min %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMaxOp : Layout_TupleOp<"tuple_max"> {
  let summary = "the greater of two tuples, leaf by leaf";
  let description = [{
    An integer on the right is combined with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the greater of `a` and `b`.
    - Errors: tuples that do not nest alike; overflow.

    ```mlir
    %r = layout.tuple_max %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_max %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_CeilDivOp : Layout_TupleOp<"ceil_div"> {
  let summary = "the quotient of shapes, rounded up";
  let description = [{
    A static shape is divided by a static integer from the left, as in CuTe: the first mode is divided as
    far as it goes. For a layout, or a tuple with layouts, the result is the shape of the tiles: that
    of the second
    mode of a `layout.zipped_divide` of the compact layout of the shape.

    - Preconditions: divisors are at least 1; of a tiler, those of `layout.zipped_divide`.
    - Postconditions: each leaf is the least integer with `q * b >= a`.
    - Errors: a divisor that is not known to be at least 1; shapes that do not nest alike.

    ```mlir
    %r = layout.ceil_div %s, #layout<(128,64)> : !layout.tuple<(?,?)>
    %t = layout.ceil_div %u, #layout<((4,8)):((1,4))> : !layout.tuple<(8,16)>   // !layout.tuple<4>
    ```
  }];
}

def Layout_ShapeDivOp : Layout_TupleOp<"shape_div"> {
  let summary = "the quotient of shapes that divide each other";
  let description = [{
    - Preconditions: each pair of extents divides one way or the other.
    - Postconditions: each leaf is the quotient, rounded up.
    - Errors: extents that are not known to divide each other.

    ```mlir
    %r = layout.shape_div %s, #layout<(8,16)> : !layout.tuple<(?{div=8},4)>
    ```
  }];
}

def Layout_RoundUpOp : Layout_TupleOp<"round_up"> {
  let summary = "each leaf rounded up to a multiple";
  let description = [{
    - Preconditions: divisors are at least 1.
    - Postconditions: each leaf is the least multiple of `b` that is at least `a`.
    - Errors: a divisor that is not known to be at least 1; tuples that do not nest alike.

    ```mlir
    %r = layout.round_up %s, #layout<(8,16)> : !layout.tuple<(?,4)>
    ```
  }];
}

def Layout_CompactColMajorOp : Layout_CompactOp<"compact_col_major"> {
  let summary = "compact strides of a shape, the first mode fastest";
  let description = [{
    - Preconditions: a start nests no deeper than the shape.
    - Postconditions: each stride is the product of the extents before it, times the start; 0 where the
      extent is 1.
    - Errors: a start that nests deeper; overflow.

    ```mlir
    %r = layout.compact_col_major %s : !layout.tuple<(?,(2,?))>   // !layout.tuple<(1,(?0,2*?0))>
    %t = layout.compact_col_major %u from %n : !layout.tuple<(4,(2,?))>, !layout.tuple<8>
    ```
  }];
}

def Layout_CompactRowMajorOp : Layout_CompactOp<"compact_row_major"> {
  let summary = "compact strides of a shape, the last mode fastest";
  let description = [{
    - Preconditions: a start nests no deeper than the shape.
    - Postconditions: each stride is the product of the extents after it, times the start; 0 where the
      extent is 1.
    - Errors: a start that nests deeper; overflow.

    ```mlir
    %r = layout.compact_row_major %s : !layout.tuple<(?,8)>   // !layout.tuple<(8,1)>
    ```
  }];
}

def Layout_ProductEachOp : Layout_FoldedOp<"product_each", [Pure]> {
  let summary = "the size of each mode";
  let description = [{
    - Preconditions: none.
    - Postconditions: a tuple of as many integers as there are modes at the top.
    - Errors: overflow; a coordinate with `_`.

    ```mlir
    %r = layout.product_each %s : !layout.tuple<((2,?),4)>   // !layout.tuple<(2*?,4)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source);
  let results = (outs Layout_TupleType:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

def Layout_ProductLikeOp : Layout_TupleOp<"product_like"> {
  let summary = "the sizes of the parts that a guide leaves whole";
  let description = [{
    - Preconditions: the guide nests as the tuple does, no deeper.
    - Postconditions: the result nests as the guide; each leaf is the product of what the tuple has in
      its place.
    - Errors: a guide that nests deeper or otherwise; overflow; a coordinate with `_`.

    ```mlir
    %r = layout.product_like %s, #layout<(0,(0,0))> : !layout.tuple<((2,?),(4,(3,5)))>   // !layout.tuple<(2*?,(4,15))>
    ```
  }];
}

def Layout_ElemLessOp : Layout_ComparisonOp<"elem_less"> {
  let summary = "whether each leaf is less than the other's";
  let description = [{
    The predicates of ragged edges compare coordinates this way.

    - Preconditions: both nest alike.
    - Postconditions: true where every leaf of the first is less than that of the second.
    - Errors: tuples that do not nest alike.

    ```mlir
    %p = layout.elem_less %c, %s : !layout.tuple<(?,?)>, !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_EvenlyDividesOp : Layout_ComparisonOp<"evenly_divides"> {
  let summary = "whether tiles of a divisor or a tiler fill a shape";
  let description = [{
    - Preconditions: for each divisor, it is known whether it divides.
    - Postconditions: true where each part of the divisor divides the part of the shape that it stands for; of a
      tiler, where a `layout.logical_divide` of the compact layout of the shape pads nothing.
    - Errors: a part that is not known to divide or not; those of `layout.logical_divide`.

    ```mlir
    %p = layout.evenly_divides %s, #layout<(4,(2,3))> : !layout.tuple<(?{div=8},12)>
    %q = layout.evenly_divides %u, #layout<<4:2, _>> : !layout.tuple<(?{div=8 range=8..},12)>
    ```
  }];
}

def Layout_EqualOp : Layout_ComparisonOp<"equal"> {
  let summary = "whether two layouts are the same function, or two tuples the same";
  let description = [{
    Static layouts are compared as functions of the index: `(2,2):(1,2)` is equal to `4:1`.
    For partly static layouts, the answer is static if it is the same for all values of
    their integers. Otherwise it is computed from their leaves, if these decide it:

    - one of the two, coalesced, is a single mode;
    - both, coalesced, have equally many modes, and at most one pair of extents differs;
    - both are coalesced for all values of their integers: extents are at least 2, and no mode
      continues the one before it.

    In each case, true means that the functions are equal, and false that they differ.

    - Preconditions: both are layouts or both are tuples; partly static layouts are one of these cases.
    - Postconditions: true for the same size and the same values in the same order; for tuples, for
      the same nesting and leaves.
    - Errors: a layout and a tuple; layouts whose leaves do not decide it; layouts that no
      tier of the prover decides within a second (equal text, closed forms, matrices of bits, 2^20
      coordinates one by one, integer sets).

    ```mlir
    %p = layout.equal %a, %b : !layout<(?,8):(1,?)>, !layout<(4,8):(1,4)>
    ```
  }];
}

#endif // LAYOUT_TUPLE_OPS_TD
