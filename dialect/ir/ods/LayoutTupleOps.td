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
    An integer on the right goes with every leaf; what one of two tuples lacks is 0, as in CuTe.

    - Preconditions: both nest alike as far as both go, or the right one is an integer.
    - Postconditions: each leaf is `a + b`.
    - Errors: tuples that nest otherwise; overflow.

    ```mlir
    %r = layout.tuple_add %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_add %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleSubOp : Layout_TupleOp<"tuple_sub"> {
  let summary = "the difference of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf; what one of two tuples lacks is 0, as in CuTe.

    - Preconditions: both nest alike as far as both go, or the right one is an integer.
    - Postconditions: each leaf is `a - b`.
    - Errors: tuples that nest otherwise; overflow.

    ```mlir
    %r = layout.tuple_sub %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_sub %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMulOp : Layout_TupleOp<"tuple_mul"> {
  let summary = "the product of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is `a * b`.
    - Errors: tuples that nest otherwise; overflow.

    ```mlir
    %r = layout.tuple_mul %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_mul %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleDivOp : Layout_TupleOp<"tuple_div"> {
  let summary = "the quotient, rounded down of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the greatest integer with `q * b <= a`.
    - Errors: tuples that nest otherwise; a divisor that is not known to be at least 1.

    ```mlir
    %r = layout.tuple_div %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_div %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleModOp : Layout_TupleOp<"tuple_mod"> {
  let summary = "the remainder of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is `a - b * tuple_div(a, b)`, from 0 to `b - 1`.
    - Errors: tuples that nest otherwise; a divisor that is not known to be at least 1.

    ```mlir
    %r = layout.tuple_mod %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_mod %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMinOp : Layout_TupleOp<"tuple_min"> {
  let summary = "the lesser of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the lesser of `a` and `b`.
    - Errors: tuples that nest otherwise; overflow.

    ```mlir
    %r = layout.tuple_min %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_min %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_TupleMaxOp : Layout_TupleOp<"tuple_max"> {
  let summary = "the greater of two tuples, leaf by leaf";
  let description = [{
    An integer on the right goes with every leaf.

    - Preconditions: both nest alike, or the right one is an integer.
    - Postconditions: each leaf is the greater of `a` and `b`.
    - Errors: tuples that nest otherwise; overflow.

    ```mlir
    %r = layout.tuple_max %a, %b : !layout.tuple<(?,8)>, !layout.tuple<(4,?{range=1..})>
    %s = layout.tuple_max %a, #layout<2> : !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_CeilDivOp : Layout_TupleOp<"ceil_div"> {
  let summary = "the quotient of shapes, rounded up";
  let description = [{
    A shape by an integer, both known, divides from the left, as in CuTe: the first mode takes what
    it can. By a layout, or a tuple with layouts, the result is the shape of the tiles: that of the second
    mode of a `layout.zipped_divide` of the compact layout of the shape.

    - Preconditions: divisors are at least 1; of a tiler, those of `layout.zipped_divide`.
    - Postconditions: each leaf is the least integer with `q * b >= a`.
    - Errors: a divisor that is not known to be at least 1; shapes that nest otherwise.

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
  let summary = "the least multiples that are not below";
  let description = [{
    - Preconditions: divisors are at least 1.
    - Postconditions: each leaf is the least multiple of `b` that is at least `a`.
    - Errors: a divisor that is not known to be at least 1; tuples that nest otherwise.

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
    The predicates of ragged edges compare coordinates so.

    - Preconditions: both nest alike.
    - Postconditions: true where every leaf of the first is less than that of the second.
    - Errors: tuples that nest otherwise.

    ```mlir
    %p = layout.elem_less %c, %s : !layout.tuple<(?,?)>, !layout.tuple<(?,8)>
    ```
  }];
}

def Layout_EvenlyDividesOp : Layout_ComparisonOp<"evenly_divides"> {
  let summary = "whether tiles of a divisor or a tiler fill a shape";
  let description = [{
    - Preconditions: divisors of which it is known whether they divide.
    - Postconditions: true where each part of the divisor divides the part of the shape that it stands for; of a
      tiler, where a `layout.logical_divide` of the compact layout of the shape pads nothing.
    - Errors: a part of which it is not known whether it divides; those of `layout.logical_divide`.

    ```mlir
    %p = layout.evenly_divides %s, #layout<(4,(2,3))> : !layout.tuple<(?{div=8},12)>
    %q = layout.evenly_divides %u, #layout<<4:2, _>> : !layout.tuple<(?{div=8 range=8..},12)>
    ```
  }];
}

def Layout_EqualOp : Layout_ComparisonOp<"equal"> {
  let summary = "whether two layouts are the same function, or two tuples the same";
  let description = [{
    Layouts that are known are compared as functions of the index: `(2,2):(1,2)` is equal to `4:1`.
    For partly static layouts the answer is static where every assignment gives the same, and
    otherwise computed from their leaves, where these decide it:

    - one of the two, coalesced, is a single mode;
    - both, coalesced, have as many modes, and the same extents but for one at most;
    - both are coalesced whatever their integers are: extents are at least 2, and no stride goes on where
      the mode before it ends.

    In each case true and false are both right: that the functions are the same, and that they differ.

    - Preconditions: both are layouts or both are tuples; partly static layouts are of these.
    - Postconditions: true for the same size and the same values in the same order; for tuples, for
      the same nesting and leaves.
    - Errors: a layout and a tuple; layouts of which leaves do not tell; layouts that no tier of the
      prover decides within a second (written alike, closed forms, matrices of bits, 2^20 coordinates
      one by one, integer sets).

    ```mlir
    %p = layout.equal %a, %b : !layout<(?,8):(1,?)>, !layout<(4,8):(1,4)>
    ```
  }];
}

#endif // LAYOUT_TUPLE_OPS_TD
