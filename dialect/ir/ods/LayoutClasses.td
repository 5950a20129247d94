//===- LayoutClasses.td - What the families of operations share --*- tablegen -*-===//
//
// Classes of operations by their operands, attributes and syntax. Their meaning is in the algebra's
// table of operations and in `src/ops/calls.rs`.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_CLASSES_TD
#define LAYOUT_CLASSES_TD

include "LayoutAttributes.td"
include "LayoutTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

// Constructors in C++ of an operation on a value by a term, or by another value.
defvar Layout_ByTerm = OpBuilder<(ins "::mlir::Value":$source, "::layout::TermAttr":$term), [{
  build($_builder, $_state, source, ::mlir::Value(), term);
}]>;
defvar Layout_ByValue = OpBuilder<(ins "::mlir::Value":$source, "::mlir::Value":$by), [{
  build($_builder, $_state, source, by, ::layout::TermAttr());
}]>;

// A function of one layout value.
class Layout_UnaryOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutType:$source);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

// A function of one layout value to a tuple.
class Layout_PartOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutType:$source);
  let results = (outs Layout_TupleType:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

// A function of two layouts or two tuples.
class Layout_PairOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrTuple:$source, Layout_LayoutOrTuple:$other);
  let results = (outs Layout_LayoutOrTuple:$result);
  let assemblyFormat =
      "$source `,` $other attr-dict custom<TypesOfTwo>(ref($source), ref($other), type($source), type($other))";
}

// The strides of a compact layout of a shape, from 1 or a start on.
class Layout_CompactOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrTuple:$source, Optional<Layout_TupleType>:$start);
  let results = (outs Layout_TupleType:$result);
  let assemblyFormat = "$source (`from` $start^)? attr-dict "
                       "custom<TypesOfOneOrTwo>(ref($source), ref($start), type($source), type($start))";
}

// A layout or a tuple, a rank, and the mode that fills it up.
class Layout_RankOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrTuple:$source, I64Attr:$rank,
                       Optional<Layout_LayoutOrTuple>:$other);
  let results = (outs Layout_LayoutOrTuple:$result);
  let assemblyFormat = "$source `,` $rank (`with` $other^)? attr-dict "
                       "custom<TypesOfOneOrTwo>(ref($source), ref($other), type($source), type($other))";
}

// A layout or view, rearranged by a term or by a value.
class Layout_RearrangeOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure, Layout_IsView]> {
  let arguments = (ins Layout_LayoutOrView:$source, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$term);
  let results = (outs Layout_LayoutOrView:$result);
  let builders = [Layout_ByTerm, Layout_ByValue];
  let assemblyFormat =
      "$source `,` custom<TermOrValue>($term, $by, ref($source), type($by), type($source)) attr-dict";
}

// A layout multiplied by a term or a value.
class Layout_ProductOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutType:$source, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$term);
  let results = (outs Layout_LayoutType:$result);
  let builders = [Layout_ByTerm, Layout_ByValue];
  let assemblyFormat =
      "$source `,` custom<TermOrValue>($term, $by, ref($source), type($by), type($source)) attr-dict";
}

// A tuple, and a term or a value.
class Layout_TupleOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrTuple:$source, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$term);
  let results = (outs Layout_TupleType:$result);
  let builders = [Layout_ByTerm, Layout_ByValue];
  let assemblyFormat =
      "$source `,` custom<TermOrValue>($term, $by, ref($source), type($by), type($source)) attr-dict";
}

// A boolean of a value, and a term or a value.
class Layout_ComparisonOp<string mnemonic> : Layout_BooleanOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutOrTuple:$source, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$term);
  let builders = [Layout_ByTerm, Layout_ByValue];
  let assemblyFormat =
      "$source `,` custom<TermOrValue>($term, $by, ref($source), type($by), type($source)) attr-dict";
}

// Some modes, by their numbers.
class Layout_ModesOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure, Layout_IsView]> {
  let arguments = (ins Layout_Value:$source, DenseI64ArrayAttr:$modes);
  let results = (outs Layout_Value:$result);
  let assemblyFormat =
      "$source `,` $modes attr-dict custom<TypeOf>(ref($source), type($source))";
}

// Modes in a row.
class Layout_RangeOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure, Layout_IsView]> {
  let arguments = (ins Layout_Value:$source, I64Attr:$begin, I64Attr:$end);
  let results = (outs Layout_Value:$result);
  let assemblyFormat =
      "$source `,` $begin `to` $end attr-dict custom<TypeOf>(ref($source), type($source))";
}

// A layout and a number.
class Layout_CountOp<string mnemonic> : Layout_FoldedOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_LayoutType:$source, I64Attr:$n);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source `,` $n attr-dict custom<TypeOf>(ref($source), type($source))";
}

// An index query, which folds where the operand is static.
class Layout_QueryOp<string mnemonic> : Layout_IndexOp<mnemonic, [Pure]> {
  let arguments = (ins Layout_Value:$source);
  let results = (outs Index:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

#endif // LAYOUT_CLASSES_TD
