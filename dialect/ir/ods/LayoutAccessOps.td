//===- LayoutAccessOps.td - Parts of layouts and tuples ----*- tablegen -*-===//
//
// Modes, shapes and strides, and the numbers that describe a value.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_ACCESS_OPS_TD
#define LAYOUT_ACCESS_OPS_TD

include "LayoutClasses.td"

def Layout_GetOp : Layout_ModesOp<"get"> {
  let summary = "a mode, or a mode of a mode";
  let description = [{
    - Preconditions: each number names a mode, from the top level down.
    - Postconditions: the mode.
    - Errors: a mode that does not exist.

    ```mlir
    %m = layout.get %l, [1, 0] : !layout<(4,(2,?)):(1,(4,8))>   // !layout<2:4>
    ```
  }];
}

def Layout_SelectOp : Layout_ModesOp<"select"> {
  let summary = "some modes, in the order given";
  let description = [{
    - Preconditions: each number names a top-level mode.
    - Postconditions: the result has these modes.
    - Errors: a mode that does not exist.

    ```mlir
    %m = layout.select %l, [2, 0] : !layout<(4,2,?):(1,4,8)>   // !layout<(?,4):(8,1)>
    ```
  }];
}

def Layout_TakeOp : Layout_RangeOp<"take"> {
  let summary = "consecutive modes";
  let description = [{
    - Preconditions: the range is not empty and within the rank.
    - Postconditions: the result has the modes from the first number to before the second.
    - Errors: a range that is empty or leaves the rank.

    ```mlir
    %m = layout.take %l, 1 to 3 : !layout<(4,2,?):(1,4,8)>   // !layout<(2,?):(4,8)>
    ```
  }];
}

def Layout_GroupOp : Layout_RangeOp<"group"> {
  let summary = "consecutive modes grouped into one";
  let description = [{
    - Preconditions: the range is not empty and within the rank.
    - Postconditions: the same function; the modes of the range are one mode.
    - Errors: a range that is empty or leaves the rank.

    ```mlir
    %m = layout.group %l, 0 to 2 : !layout<(4,2,?):(1,4,8)>   // !layout<((4,2),?):((1,4),8)>
    ```
  }];
}

def Layout_FlattenOp : Layout_FoldedOp<"flatten", [Pure, Layout_IsView]> {
  let summary = "all leaves as top-level modes";
  let description = [{
    - Preconditions: none.
    - Postconditions: the same function of the index; the result has depth 1, or 0 for an integer.
    - Errors: none.

    ```mlir
    %m = layout.flatten %l : !layout<(4,(2,?)):(1,(4,8))>   // !layout<(4,2,?):(1,4,8)>
    ```
  }];
  let arguments = (ins Layout_Value:$source);
  let results = (outs Layout_Value:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

def Layout_AppendOp : Layout_PairOp<"append"> {
  let summary = "one more mode, after the others";
  let description = [{
    - Preconditions: both are layouts or both are tuples.
    - Postconditions: the result has one more mode, after those of the first.
    - Errors: a layout and a tuple; a swizzled layout as the mode.

    ```mlir
    %m = layout.append %l, %x : !layout<(4,2):(1,4)>, !layout<?:8>
    ```
  }];
}

def Layout_PrependOp : Layout_PairOp<"prepend"> {
  let summary = "one more mode, before the others";
  let description = [{
    - Preconditions: both are layouts or both are tuples.
    - Postconditions: the result has one more mode, before those of the first.
    - Errors: a layout and a tuple; a swizzled layout as the mode.

    ```mlir
    %m = layout.prepend %l, %x : !layout<(4,2):(1,4)>, !layout<?:8>
    ```
  }];
}

def Layout_AppendToRankOp : Layout_RankOp<"append_to_rank"> {
  let summary = "modes appended up to a rank";
  let description = [{
    The second operand fills the missing modes; without it, `1:0` fills those of a layout.

    - Preconditions: the rank is at least that of the operand, and at most 64.
    - Postconditions: the result has that rank; its first modes are the operand's.
    - Errors: a rank below the operand's; a tuple without a second operand; a layout and a tuple.

    ```mlir
    %m = layout.append_to_rank %l, 3 : !layout<(4,?):(1,4)>                       // !layout<(4,?,1):(1,4,0)>
    %n = layout.append_to_rank %t, 3 with %x : !layout.tuple<(4,?)>, !layout.tuple<1>
    ```
  }];
}

def Layout_PrependToRankOp : Layout_RankOp<"prepend_to_rank"> {
  let summary = "modes prepended up to a rank";
  let description = [{
    The second operand fills the missing modes; without it, `1:0` fills those of a layout.

    - Preconditions: the rank is at least that of the operand, and at most 64.
    - Postconditions: the result has that rank; its last modes are the operand's.
    - Errors: a rank below the operand's; a tuple without a second operand; a layout and a tuple.

    ```mlir
    %m = layout.prepend_to_rank %l, 3 : !layout<(4,?):(1,4)>   // !layout<(1,4,?):(0,1,4)>
    ```
  }];
}

def Layout_ReplaceOp : Layout_FoldedOp<"replace", [Pure]> {
  let summary = "one mode replaced";
  let description = [{
    - Preconditions: the number names a top-level mode.
    - Postconditions: the result has the other value in its place.
    - Errors: a mode that does not exist.

    ```mlir
    %m = layout.replace %l, 1, %x : !layout<(4,2):(1,4)>, !layout<?:8>   // !layout<(4,?):(1,8)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source, Layout_LayoutOrTuple:$other, I64Attr:$mode);
  let results = (outs Layout_LayoutOrTuple:$result);
  let assemblyFormat =
      "$source `,` $mode `,` $other attr-dict "
      "custom<TypesOfTwo>(ref($source), ref($other), type($source), type($other))";
}

def Layout_ZipOp : Layout_PairOp<"zip"> {
  let summary = "two layouts or tuples, mode by mode";
  let description = [{
    - Preconditions: both have the same rank.
    - Postconditions: mode `i` of the result is the pair of their modes `i`.
    - Errors: another rank.

    ```mlir
    %m = layout.zip %a, %b : !layout<(4,2):(1,4)>, !layout<(?,3):(8,1)>   // !layout<((4,?),(2,3)):((1,8),(4,1))>
    ```
  }];
}

def Layout_ShapeOp : Layout_PartOp<"shape"> {
  let summary = "the shape of a layout";
  let description = [{
    - Preconditions: none.
    - Postconditions: the extents, nested as the layout.
    - Errors: a linear layout.

    ```mlir
    %s = layout.shape %l : !layout<(4,?):(1,4)>   // !layout.tuple<(4,?{range=1..})>
    ```
  }];
}

def Layout_StrideOp : Layout_PartOp<"stride"> {
  let summary = "the stride of a layout";
  let description = [{
    - Preconditions: none.
    - Postconditions: the strides, nested as the shape; those of a coordinate layout are multiples
      of basis elements.
    - Errors: a composed layout, whose `layout.inner` has strides; a linear layout.

    ```mlir
    %s = layout.stride %l : !layout<(4,8):(1,?)>       // !layout.tuple<(1,?)>
    %t = layout.stride %m : !layout<(?,8):(1@0,?@1)>   // !layout.tuple<(1@0,?@1)>
    ```
  }];
}

def Layout_InnerOp : Layout_UnaryOp<"inner"> {
  let summary = "inner layout of a composed layout";
  let description = [{
    - Preconditions: the layout is composed.
    - Postconditions: for `A o n o B`, the result is `B`.
    - Errors: a layout that is not composed.

    ```mlir
    %i = layout.inner %l : !layout<S<2,0,3> o 4 o (?,8):(8,1)>   // !layout<(?,8):(8,1)>
    ```
  }];
}

def Layout_OuterOp : Layout_UnaryOp<"outer"> {
  let summary = "outer function of a composed layout";
  let description = [{
    - Preconditions: the layout is composed.
    - Postconditions: for `A o n o B`, the result is `A`, a layout or a swizzle.
    - Errors: a layout that is not composed.

    ```mlir
    %o = layout.outer %l : !layout<(4,?):(?,1) o 0 o (2,2):(2,1)>   // !layout<(4,?):(?,1)>
    %s = layout.outer %m : !layout<S<2,0,3> o 4 o (?,8):(8,1)>      // !layout<S<2,0,3>>
    ```
  }];
}

def Layout_OffsetOp : Layout_IndexOp<"offset", [Pure]> {
  let summary = "offset of a composed layout";
  let description = [{
    - Preconditions: the layout is composed.
    - Postconditions: for `A o n o B`, the result is `n`.
    - Errors: a layout that is not composed.

    ```mlir
    %n = layout.offset %l : !layout<S<2,0,3> o ?{div=8} o (?,8):(8,1)>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source);
  let results = (outs Index:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

def Layout_LeavesOp : Layout_IndicesOp<"leaves", [Pure]> {
  let summary = "the integers of a tuple or a layout";
  let description = [{
    - Preconditions: none.
    - Postconditions: one result for each integer, in the order of the text: for a layout, those of
      the shape, then those of the stride; for a composed layout, those of the outer layout and the
      offset come first.
    - Errors: a coordinate with `_`, a tuple of tilers, a linear layout.

    ```mlir
    %m, %eight = layout.leaves %t : !layout.tuple<(?,8)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source);
  let results = (outs Variadic<Index>:$leaves);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

def Layout_SizeOp : Layout_QueryOp<"size"> {
  let summary = "the number of coordinates of a layout";
  let description = [{
    The result is the product of the shape's leaves, or of a tuple's.

    - Preconditions: none.
    - Postconditions: the number of coordinates.
    - Errors: overflow; a tuple with `_`.

    ```mlir
    %n = layout.size %l : !layout<((2,2),3):((24,2),8)>   // 12
    ```
  }];
}

def Layout_CosizeOp : Layout_QueryOp<"cosize"> {
  let summary = "one more than the largest offset";
  let description = [{
    - Preconditions: none.
    - Postconditions: every offset of the layout is below the result (strides of one sign).
    - Errors: overflow.

    ```mlir
    %n = layout.cosize %l : !layout<((2,2),3):((24,2),8)>   // 43
    ```
  }];
}

def Layout_RankOp : Layout_QueryOp<"rank"> {
  let summary = "the number of top-level modes";
  let description = [{
    - Preconditions: none.
    - Postconditions: the number of modes; an integer shape has rank 1.
    - Errors: a tuple of tilers.

    ```mlir
    %n = layout.rank %l : !layout<((2,2),3):((24,2),8)>   // 2
    ```
  }];
}

def Layout_DepthOp : Layout_QueryOp<"depth"> {
  let summary = "the nesting depth of a layout's shape";
  let description = [{
    - Preconditions: none.
    - Postconditions: the levels of nesting; an integer shape has depth 0.
    - Errors: a tuple of tilers.

    ```mlir
    %n = layout.depth %l : !layout<((2,2),3):((24,2),8)>   // 2
    ```
  }];
}

#endif // LAYOUT_ACCESS_OPS_TD
