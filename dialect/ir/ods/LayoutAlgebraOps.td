//===- LayoutAlgebraOps.td - The algebra as operations -----*- tablegen -*-===//
//
// Coalescing, composition, complements, inverses, and elements of another size.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_ALGEBRA_OPS_TD
#define LAYOUT_ALGEBRA_OPS_TD

include "LayoutClasses.td"

def Layout_CoalesceOp : Layout_FoldedOp<"coalesce", [Pure]> {
  let summary = "the same function in the fewest modes";
  let description = [{
    Merges modes that continue each other and drops modes of extent 1.

    With a profile, it coalesces each part of the layout for which the profile has a leaf.

    - Preconditions: none; the profile is not deeper than the layout.
    - Postconditions: the result has the operand's size and, on every index below it, its values.
    - Errors: overflow.

    A swizzled layout keeps its swizzle, and its inner layout is coalesced.

    ```mlir
    %r = layout.coalesce %l : !layout<(2,(1,6)):(1,(6,2))>   // !layout<12:1>
    %s = layout.coalesce %m : !layout<(?0,8):(1,?0)>         // !layout<8*?:1>
    %t = layout.coalesce %l by #layout<(1,1)> : !layout<(2,(1,6)):(1,(6,2))>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, OptionalAttr<Layout_TermAttr>:$profile);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source `` custom<Profile>($profile, ref($source), type($source)) attr-dict";
}

def Layout_CompositionOp : Layout_RearrangeOp<"composition"> {
  let summary = "a layout or view read through another layout";
  let description = [{
    `result(c) = source(term(c))`; with a tiler as the term, each mode by its own entry. For a view,
    the same elements in another order: element type, space, base and offset stay.

    - Preconditions: the term evaluates to a layout or a tiler; the composition is a layout.
    - Postconditions: the result's layout has the term's shape, mode by mode.
    - Errors: those of the algebra: both operands, the rule, and a coordinate that no layout fits.

    ```mlir
    %r = layout.composition %v, #layout<<3:1, (2,4):(1,2)>>
        : !layout.view<f16, global, (6,8):(8,1)>
    %s = layout.composition %l, %t : !layout<(?{div=8},8):(8,1)>, !layout.tuple<(4,8)>
    ```
  }];
}

def Layout_ComplementOp : Layout_FoldedOp<"complement", [Pure]> {
  let summary = "the layout of the offsets that another leaves out";
  let description = [{
    - Preconditions: the modes, sorted by stride, each start at a multiple of where the last ended; those of a
      composed layout are the modes inside.
    - Postconditions: operand and result together reach every offset below `cosize_hi` exactly once.
    - Errors: an operand that has no complement; a `cosize_hi` below 1.

    The codomain is `cosize_hi`, or an integer or a shape as a value; without either, it is the
    operand's cosize.

    ```mlir
    %r = layout.complement %l, 24 : !layout<4:2>   // !layout<(2,3):(1,8)>
    %s = layout.complement %l, %n : !layout<4:2>, !layout.tuple<8*?{range=1..}>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, Optional<Layout_TupleType>:$by,
                       OptionalAttr<I64Attr>:$cosize_hi);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat =
      "$source `` custom<IntegerOrValue>($cosize_hi, $by, ref($source), type($by), type($source)) attr-dict";
}

def Layout_RightInverseOp : Layout_UnaryOp<"right_inverse"> {
  let summary = "a layout R with L(R(i)) = i";
  let description = [{
    - Preconditions: none.
    - Postconditions: `L(R(i)) = i` for every `i` below the result's size. The result is as
      long as the contiguous modes of `L` reach.
    - Errors: a swizzle without an inverse; overflow.

    ```mlir
    %r = layout.right_inverse %l : !layout<(4,8):(8,1)>   // !layout<(8,4):(4,1)>
    ```
  }];
}

def Layout_LeftInverseOp : Layout_UnaryOp<"left_inverse"> {
  let summary = "a layout R with R(L(i)) = i";
  let description = [{
    - Preconditions: `L` is injective apart from its modes of stride 0, and a layout has its inverse's
      values.
    - Postconditions: `R(L(i)) = i` for every `i` below the size of `L` whose coordinates in modes of
      stride 0 are 0; for the others `L(R(L(i))) = L(i)`. The inverse of `4:0` is `4:0`, as in CuTe.
    - Errors: a swizzle without an inverse; a layout that has no left inverse.

    ```mlir
    %r = layout.left_inverse %l : !layout<(4,8):(8,1)>
    ```
  }];
}

def Layout_NullspaceOp : Layout_UnaryOp<"nullspace"> {
  let summary = "the coordinates along modes of stride 0, as a layout";
  let description = [{
    - Preconditions: none.
    - Postconditions: `L(N(i)) = 0` for every `i`; the size of `N` is the product of the extents
      with stride 0.
    - Errors: a stride that is not known to be zero or nonzero; a composed layout that is not known to map
      index 0 to 0.

    ```mlir
    %n = layout.nullspace %l : !layout<(4,8):(0,1)>   // !layout<4:1>
    ```
  }];
}

def Layout_FilterOp : Layout_UnaryOp<"filter"> {
  let summary = "a layout without its broadcasts, coalesced";
  let description = [{
    - Preconditions: none.
    - Postconditions: the result has the same offsets, each broadcast once.
    - Errors: a stride that is not known to be zero or nonzero.

    ```mlir
    %f = layout.filter %l : !layout<(4,8):(0,1)>   // !layout<8:1>
    ```
  }];
}

def Layout_FilterZerosOp : Layout_UnaryOp<"filter_zeros"> {
  let summary = "a layout whose modes of stride 0 have extent 1";
  let description = [{
    - Preconditions: none.
    - Postconditions: the result nests as the operand; modes of stride 0 have the extent 1.
    - Errors: a stride that is not known to be zero or nonzero.

    ```mlir
    %f = layout.filter_zeros %l : !layout<(4,8):(0,1)>   // !layout<(1,8):(0,1)>
    ```
  }];
}

def Layout_SortOp : Layout_UnaryOp<"sort"> {
  let summary = "the modes of a layout, sorted by stride";
  let description = [{
    - Preconditions: the order of the strides is known.
    - Postconditions: the same modes in ascending order of their strides; of a composed layout, those inside.
    - Errors: strides whose order is not known.

    ```mlir
    %s = layout.sort %l : !layout<(4,8):(8,1)>   // !layout<(8,4):(1,8)>
    ```
  }];
}

def Layout_MaxCommonLayoutOp : Layout_FoldedOp<"max_common_layout", [Pure]> {
  let summary = "the contiguous elements that two layouts share";
  let description = [{
    - Preconditions: none.
    - Postconditions: composed with either layout, the result enumerates the same contiguous offsets from 0 on;
      no longer layout does.
    - Errors: for partly static layouts, a fact that is missing.

    ```mlir
    %m = layout.max_common_layout %a, %b : !layout<(4,8):(1,4)>, !layout<(4,8):(1,8)>   // !layout<4:1>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, Layout_LayoutType:$other);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat =
      "$source `,` $other attr-dict custom<TypesOfTwo>(ref($source), ref($other), type($source), type($other))";
}

def Layout_MaxCommonVectorOp : Layout_IndexOp<"max_common_vector", [Pure]> {
  let summary = "the number of contiguous elements that two layouts share";
  let description = [{
    - Preconditions: none.
    - Postconditions: the size of `layout.max_common_layout`.
    - Errors: for partly static layouts, a fact that is missing.

    ```mlir
    %n = layout.max_common_vector %a, %b : !layout<(4,8):(1,4)>, !layout<(4,8):(1,8)>   // 4
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, Layout_LayoutType:$other);
  let results = (outs Index:$result);
  let assemblyFormat =
      "$source `,` $other attr-dict custom<TypesOfTwo>(ref($source), ref($other), type($source), type($other))";
}

def Layout_UpcastOp : Layout_CountOp<"upcast"> {
  let summary = "the layout of elements `n` times as wide";
  let description = [{
    - Preconditions: `n` is at least 1; each stride is a multiple of `n`, or divides `n` together
      with its extent.
    - Postconditions: the wide element at a coordinate holds the narrow ones.
    - Errors: a stride for which neither is known.

    ```mlir
    %u = layout.upcast %l, 8 : !layout<(?,?{div=8}):(?{div=8},1)>
    ```
  }];
}

def Layout_DowncastOp : Layout_CountOp<"downcast"> {
  let summary = "the layout of elements `n` times as narrow";
  let description = [{
    - Preconditions: `n` is at least 1; some mode has stride 1.
    - Postconditions: each wide element becomes `n` narrow ones in a row.
    - Errors: a stride that is not known to be 1 or another number.

    ```mlir
    %d = layout.downcast %l, 2 : !layout<(4,8):(8,1)>   // !layout<(4,16):(16,1)>
    ```
  }];
}

def Layout_RecastOp : Layout_FoldedOp<"recast", [Pure, Layout_IsView]> {
  let summary = "the layout of elements of another size over the same memory";
  let description = [{
    A layout is recast from one number of bits to another, a view to
    another element type (CuTe's `recast<NewType>(tensor)`).

    - Preconditions: the sizes are in bits, and one divides the other, or a common element does. The
      first element of a view starts where one of the new elements does; a swizzled view is recast
      before it is sliced.
    - Postconditions: an upcast or a downcast, or both. A view has the same memory: part `j` of `n` of the
      element at `c` lies at `n * L(c) + j`, and each wide element consists of elements of the view.
    - Errors: bits below 1; elements of `index`; those of `layout.upcast` and `layout.downcast`. For a
      view, also layouts that those accept, as CuTe does, although the result reaches other memory:
      several modes of stride 1 or
      -1 with more than one element, which would all grow; wide elements that are filled in part;
      elements whose bits are no power of two.

    ```mlir
    %r = layout.recast %l, 16 to 32 : !layout<(4,8):(8,1)>   // !layout<(4,4):(4,1)>
    %w = layout.recast %v to i32 : !layout.view<f16, global, (?,8):(8,1)>   // !layout.view<i32, global, (?,4):(4,1)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrView:$source, OptionalAttr<I64Attr>:$old_bits,
                       OptionalAttr<I64Attr>:$new_bits, OptionalAttr<TypeAttr>:$element);
  let results = (outs Layout_LayoutOrView:$result);
  let assemblyFormat = "$source (`,` $old_bits^ `to` $new_bits)? (`to` $element^)? attr-dict "
                       "custom<TypeOf>(ref($source), type($source))";
}

#endif // LAYOUT_ALGEBRA_OPS_TD
