//===- LayoutAlgebraOps.td - The algebra as operations ----------*- tablegen -*-===//
//
// Operations on layout values; those with CuTe's overloads take views as well.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_ALGEBRA_OPS_TD
#define LAYOUT_ALGEBRA_OPS_TD

include "LayoutAttributes.td"
include "LayoutTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Layout_ConstantOp
    : Layout_InferredOp<"constant", [Pure, ConstantLike]> {
  let summary = "a layout";
  let description = [{
    The layout that a term evaluates to.

    - Preconditions: the term evaluates to a layout.
    - Postconditions: the result's type holds that layout.
    - Errors: whatever the evaluation reports; a term whose value is not a layout.

    ```mlir
    %l = layout.constant #layout<coalesce((2,(1,6)):(1,(6,2)))> : !layout<12:1>
    ```
  }];
  let arguments = (ins Layout_TermAttr:$term);
  let results = (outs Layout_LayoutType:$result);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = "custom<TermAndType>($term, type($result)) attr-dict";
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor) { return getTermAttr(); }
    ::llvm::LogicalResult $cppClass::canonicalize($cppClass op, ::mlir::PatternRewriter &rewriter) {
      return ::layout::evaluateByHook(op, rewriter);
    }
  }]);
}

// A function of one layout value.
class Layout_UnaryOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutType:$source);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Layout_CoalesceOp : Layout_UnaryOp<"coalesce"> {
  let summary = "the simplest layout that is the same function";
  let description = [{
    Merges modes that continue each other and drops modes of extent 1.

    - Preconditions: none.
    - Postconditions: the result has the operand's size and, on every index below it, its values.
    - Errors: overflow.

    Of a swizzled layout, the inner layout is coalesced.

    ```mlir
    %r = layout.coalesce %l : !layout<(2,(1,6)):(1,(6,2))>   // !layout<12:1>
    ```
  }];
}

def Layout_RightInverseOp : Layout_UnaryOp<"right_inverse"> {
  let summary = "a layout R with L(R(i)) = i";
  let description = [{
    - Preconditions: none.
    - Postconditions: `L(R(i)) = i` for every `i` below the result's size, which is the longest that
      the contiguous modes of `L` reach.
    - Errors: a swizzle without an inverse; overflow.

    ```mlir
    %r = layout.right_inverse %l : !layout<(4,8):(8,1)>   // !layout<(8,4):(4,1)>
    ```
  }];
}

def Layout_LeftInverseOp : Layout_UnaryOp<"left_inverse"> {
  let summary = "a layout R with R(L(i)) = i";
  let description = [{
    - Preconditions: `L` is injective, and a layout has its inverse's values.
    - Postconditions: `R(L(i)) = i` for every `i` below the size of `L`.
    - Errors: a swizzle without an inverse; a layout that no left inverse exists for.

    ```mlir
    %r = layout.left_inverse %l : !layout<(4,8):(8,1)>
    ```
  }];
}

def Layout_ComplementOp : Layout_FoldedOp<"complement", [Pure]> {
  let summary = "the layout that fills what another leaves out";
  let description = [{
    - Preconditions: the operand is plain; its modes, sorted by stride, each start at a multiple of
      where the last ended.
    - Postconditions: operand and result together reach every offset below `cosize_hi` exactly once.
    - Errors: an operand that has no complement; a `cosize_hi` below 1.

    Without `cosize_hi` the operand's own cosize stands in.

    ```mlir
    %r = layout.complement %l, 24 : !layout<4:2>   // !layout<(2,3):(1,8)>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, OptionalAttr<I64Attr>:$cosize_hi);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source (`,` $cosize_hi^)? attr-dict `:` type($source)";
}

def Layout_LogicalProductOp : Layout_FoldedOp<"logical_product", [Pure]> {
  let summary = "one layout repeated as another says";
  let description = [{
    - Preconditions: both operands are plain; the first has a complement for the repetition.
    - Postconditions: the result has rank 2; its first mode is the first operand, its second
      enumerates the repetitions.
    - Errors: those of complement and composition.

    ```mlir
    %r = layout.logical_product %tile, %times : !layout<(2,2):(4,1)>, !layout<6:1>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, Layout_LayoutType:$times);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source `,` $times attr-dict `:` type($source) `,` type($times)";
}

// A layout or view, rearranged by a term.
class Layout_RearrangeOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrView:$source, Layout_TermAttr:$term);
  let results = (outs Layout_LayoutOrView:$result);
  let assemblyFormat = "$source `,` custom<TermAndType>($term, type($source)) attr-dict";
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
    ```
  }];
}

def Layout_LogicalDivideOp : Layout_RearrangeOp<"logical_divide"> {
  let summary = "each mode split into a tile and the tiles' places";
  let description = [{
    - Preconditions: the term evaluates to a tiler no deeper than the layout's rank.
    - Postconditions: each divided mode has the form `(tile, rest)`. A divide that does not come out
      even keeps CuTe's padded result.
    - Errors: those of complement and composition.

    ```mlir
    %r = layout.logical_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
    ```
  }];
}

def Layout_ZippedDivideOp : Layout_RearrangeOp<"zipped_divide"> {
  let summary = "split into one mode of tiles and one of places";
  let description = [{
    As `layout.logical_divide`, with the tiles of all modes gathered in the first mode and the rest
    in the second: `((tile, …), (rest, …))`.

    - Preconditions: as for `layout.logical_divide`.
    - Postconditions: the result has rank 2; its first mode is a tile.
    - Errors: as for `layout.logical_divide`.

    ```mlir
    %r = layout.zipped_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
    ```
  }];
}

// A number that a layout's or view's type tells.
class Layout_QueryOp<string mnemonic> : Layout_IndexOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrView:$source);
  let results = (outs Index:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Layout_SizeOp : Layout_QueryOp<"size"> {
  let summary = "how many coordinates a layout has";
  let description = [{
    - Preconditions: none.
    - Postconditions: the result is the product of the shape's leaves.
    - Errors: none.

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
  let summary = "how many modes a layout has at the top";
  let description = [{
    - Preconditions: none.
    - Postconditions: the result is the number of the shape's entries; an integer shape has rank 1.
    - Errors: none.

    ```mlir
    %n = layout.rank %l : !layout<((2,2),3):((24,2),8)>   // 2
    ```
  }];
}

def Layout_DepthOp : Layout_QueryOp<"depth"> {
  let summary = "how deep a layout's shape nests";
  let description = [{
    - Preconditions: none.
    - Postconditions: the result is how many parentheses enclose the shape's deepest leaf; an
      integer shape has depth 0.
    - Errors: none.

    ```mlir
    %n = layout.depth %l : !layout<((2,2),3):((24,2),8)>   // 2
    ```
  }];
}

def Layout_Idx2CrdOp : Layout_InferredOp<"idx2crd", [Pure]> {
  let summary = "the coordinate of an index in a shape";
  let description = [{
    Counts colexicographically: the first leaf runs fastest. One result for each leaf of the shape.

    - Preconditions: the term evaluates to a shape, or to a layout, whose shape is meant. The index
      is not negative.
    - Postconditions: each result but the last is below its leaf's extent; the last continues past
      it when the index is past the shape's size.
    - Errors: a term of another kind.

    ```mlir
    %lane, %m, %n = layout.idx2crd %thread, #layout<(32,2,2)>
    ```
  }];
  let arguments = (ins Index:$index, Layout_TermAttr:$shape);
  let results = (outs Variadic<Index>:$coordinates);
  let hasFolder = 1;
  let assemblyFormat = "$index `,` $shape attr-dict";
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, [{
    ::llvm::LogicalResult $cppClass::fold(
        FoldAdaptor adaptor, ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &results) {
      return ::layout::foldByHook(getOperation(), adaptor.getOperands(), results);
    }
  }]);
}

def Layout_Crd2IdxOp : Layout_IndexOp<"crd2idx", [Pure]> {
  let summary = "the offset of a coordinate";
  let description = [{
    `L(c)` for a layout `L`; for a view the same of its layout, without the view's own offset.

    - Preconditions: the coordinate fits the layout: at each level an integer, or as many entries as
      the layout has modes.
    - Postconditions: the coordinate's offset, through the swizzle if there is one.
    - Errors: a coordinate that does not fit or has `_`; integer coordinates that are out of range.

    ```mlir
    %o = layout.crd2idx %l(%i, (1, %j)) : !layout<(4,(2,4)):(2,(1,8))>
    ```
  }];
  let arguments = (ins Layout_LayoutOrView:$source, Variadic<Index>:$indices, StrAttr:$coord);
  let results = (outs Index:$result);
  let assemblyFormat =
      "$source `` custom<Coord>($coord, $indices) attr-dict `:` type($source)";
}

#endif // LAYOUT_ALGEBRA_OPS_TD
