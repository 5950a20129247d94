//===- LayoutIndexOps.td - Coordinates and indices ---------*- tablegen -*-===//
//
// From coordinates to offsets and back.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_INDEX_OPS_TD
#define LAYOUT_INDEX_OPS_TD

include "LayoutClasses.td"

def Layout_Crd2IdxOp : Layout_InferredOp<"crd2idx", [Pure, Layout_HasRanges]> {
  let summary = "the offset of a coordinate";
  let description = [{
    The result is `L(c)` for a layout `L`, and the same of a view's layout, without the view's own offset. For
    a coordinate layout, whose strides are scaled basis elements, it is the coordinate that `c` is
    mapped to, a tuple.

    - Preconditions: the coordinate fits the layout: at each level an integer, or as many entries as
      the layout has modes.
      At run time, no index is negative, and those of a partly static layout are in range.
    - Postconditions: the coordinate's offset, through the swizzle if there is one; of a swizzle by itself the
      swizzled offset.
    - Errors: a coordinate that does not fit or has `_`; integer coordinates that are out of range.

    ```mlir
    %o = layout.crd2idx %l(%i, (1, %j)) : !layout<(4,(2,4)):(2,(1,8))>
    %p = layout.crd2idx %m(%i, %j) : !layout<(?,?):(?{i64},1)>
    ```

    An operand is an index, or a tuple, which takes the place of its entries; with tuples, the types of all
    operands follow that of the layout.

    ```mlir
    %q = layout.crd2idx %l(%i, %t) : !layout<(4,(2,4)):(2,(1,8))>, index, !layout.tuple<(1,?)>
    ```

    ```mlir
    %r = layout.crd2idx %tile(%i, (%b, 3)) : !layout<(128,(8,4)):(1@0,(128@0,1@1))>
    // !layout.tuple<(?{i64 range=0..}+128*?{i64 range=0..},3)>
    ```

    The canonicalizer replaces operands that are constants in range by integers of the coordinate.

    The offset is computed in 32 bits if these are known to hold it for all coordinates in range, and
    otherwise in 64 bits. For a coordinate past the end it is then exact modulo 2^32.
  }];
  let arguments = (ins Layout_LayoutOrView:$source, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let results = (outs Layout_Coordinate:$result);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, Layout_Fold,
                                        Layout_Ranges, Layout_Expansion);
  let assemblyFormat =
      "$source `` custom<Coord>($coord, $indices) attr-dict custom<TypeOf>(ref($source), type($source)) `` "
      "custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_Idx2CrdOp : Layout_IndicesOp<"idx2crd", [Pure]> {
  let summary = "the coordinate of an index in a shape";
  let description = [{
    Counts colexicographically: the first leaf runs fastest. One result for each leaf of the shape.

    - Preconditions: the term or the value is a shape, or a layout, of which the shape is used. The index is
      not negative.
    - Postconditions: each result but the last is below its leaf's extent; the last continues past
      it when the index is past the shape's size.
    - Errors: a term or value of another kind; extents that are not known to be at least 1.

    ```mlir
    %lane, %m, %n = layout.idx2crd %thread, #layout<(32,2,2)>
    %i, %j = layout.idx2crd %index, %shape : !layout.tuple<(?{range=1..},8)>
    ```
  }];
  let arguments = (ins Index:$index, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$shape);
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = "$index `,` custom<ShapeOrValue>($shape, $by, type($by)) attr-dict";
}

def Layout_RelateOp : Layout_IndicesOp<"relate", [Pure]> {
  let summary = "the image of a coordinate under a relation";
  let description = [{
    It has one result for each dimension of the image, and a last one that is
    true if the coordinate is in the relation's domain. It is lowered to quasi-affine arithmetic, which
    selects the piece whose conditions hold.

    - Preconditions: an index for each dimension of the domain.
    - Postconditions: where the last result is true, the others are the image. Where it is false,
      they are not specified.
    - Errors: another number of indices.

    ```mlir
    %y, %inside = layout.relate #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">(%c)
    ```
  }];
  let arguments = (ins Variadic<Index>:$coordinate, Layout_RelationAttr:$relation);
  let results = (outs Variadic<Index>:$image, I1:$inside);
  let assemblyFormat = "$relation `` `(` $coordinate `)` attr-dict";
}

def Layout_DiceOp : Layout_CoordOp<"dice", [Pure]> {
  let summary = "the modes of a layout, or the entries of a tuple, that a coordinate fixes";
  let description = [{
    Keeps the modes that `layout.slice` leaves out.

    - Preconditions: the coordinate fits the layout or the tuple.
    - Postconditions: the result has the modes whose entry is not `_`.
    - Errors: a coordinate that does not fit.

    ```mlir
    %m = layout.dice %l(_, %i) : !layout<(4,?):(1,4)>   // !layout<(?):(4)>
    %n = layout.dice %t(_, 0) : !layout.tuple<(?,8)>   // !layout.tuple<(8)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let results = (outs Layout_LayoutOrTuple:$result);
  let assemblyFormat =
      "$source `` custom<Coord>($coord, $indices) attr-dict custom<TypeOf>(ref($source), type($source)) `` "
      "custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_IncrementCoordOp : Layout_TupleOp<"increment_coord"> {
  let summary = "the next coordinate in a shape";
  let description = [{
    Counts colexicographically: the first leaf runs fastest. A leaf that would become its extent
    becomes 0 and carries, which takes a comparison and a select, but no division. Leaves that are selected
    at run time are new integers of the result, from 0 to one less than the greatest extent.

    - Preconditions: the coordinate nests as the shape and is in range.
    - Postconditions: the next coordinate; after the last one, the last leaf is its extent.
    - Errors: a coordinate with `_`, one that does not nest as the shape, or one that is known to be
      out of range.

    ```mlir
    %n = layout.increment_coord %c, #layout<(4,8)> : !layout.tuple<(?,?)>
    ```
  }];
}

#endif // LAYOUT_INDEX_OPS_TD
