//===- LayoutDialect.td - The layout dialect ---------------*- tablegen -*-===//
//
// The dialect itself and the base classes of its operations. Everything that depends on what a
// layout means is decided in Rust; the classes here only forward to it (see cpp/Hooks.h).
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_DIALECT_TD
#define LAYOUT_DIALECT_TD

include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Layout_Dialect : Dialect {
  let name = "layout";
  let cppNamespace = "::layout";
  let summary = "CuTe layouts, their algebra, and tiled programs written in them";
  let description = [{
    A *layout* is a function from coordinates to integers, written as CuTe prints it:
    `((2,2),3):((24,2),8)` has the shape `((2,2),3)` and the strides `((24,2),8)`. The dialect has

    - *terms*, `#layout<…>`: layouts, tilers, shapes and coordinates, and calls of the algebra on
      them, such as `#layout<composition((6,2):(8,2), (4,3):(3,1))>`;
    - *layout values*, `!layout<…>`, and the algebra as operations on them. The static part of a layout
      is in its type, `!layout<(?,8):(1,?{div=8})>`; each `?` is an integer that is known at run time;
    - *tuples*, `!layout.tuple<(?,(8,_))>`: shapes, strides, coordinates and tilers;
    - *views*, `!layout.view<f16, global, (128,64):(64,1)>`: memory seen through a layout
      (CuTe's tensors), which the same operations divide, rearrange and slice;
    - *atoms*, `#layout.atom<ldmatrix_x4>`: hardware instructions with their thread-value layouts,
      which `layout.copy` and `layout.mma` carry;
    - *tiled copies and MMAs*, `#layout.tiled_copy<…>` and `#layout.tiled_mma<…>`: atoms over the threads and
      values of a tile, with which `layout.partition` selects a thread's part.

    The types of operands that are defined earlier may be left out, as in `layout.copy #layout.atom<simt_1> %a,
    %b`; they are always printed. A result type that does not follow from operands is written: that of
    `layout.make`, `layout.assume`, `layout.alloc`, `layout.barriers` and `layout.identity_tensor`.

    `#layout<…>` and `!layout<…>` are verbatim text of the algebra's grammar; one parser, the one
    in `layout-algebra`, reads them wherever they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;

    /// For an unknown operation of the dialect, a hook whose error names the nearest one.
    ::std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;

    /// Adds the nearest name to MLIR's errors about unknown operations of the dialect.
    void hintAtNames();

    void registerAttributes();
    void registerTypes();

    /// The affine map of a term as a memref's layout; an empty map where there is none.
    ::mlir::AffineMap memrefMap(TermAttr term);

  private:
    llvm::DenseMap<::mlir::Attribute, ::mlir::AffineMap> memrefMaps;
    llvm::sys::SmartRWMutex<true> memrefMapsMutex;
  }];
}

// Members of the operation classes, each forwarding to its hook.
defvar Layout_Verifier = [{
  ::llvm::LogicalResult $cppClass::verify() { return ::layout::verifyByHook(getOperation()); }
}];

defvar Layout_Inference = [{
  ::llvm::LogicalResult $cppClass::inferReturnTypes(
      ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location,
      ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
      ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
      ::llvm::SmallVectorImpl<::mlir::Type> &results) {
    return ::layout::inferByHook<$cppClass>(context, location, operands, attributes, properties,
                                            results);
  }
}];

defvar Layout_Fold = [{
  ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
    return ::layout::foldByHook(getOperation(), adaptor.getOperands());
  }
}];

defvar Layout_Folds = [{
  ::llvm::LogicalResult $cppClass::fold(
      FoldAdaptor adaptor, ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &results) {
    return ::layout::foldByHook(getOperation(), adaptor.getOperands(), results);
  }
}];

defvar Layout_Ranges = [{
  void $cppClass::inferResultRanges(::llvm::ArrayRef<::mlir::ConstantIntRanges> operands,
                                    ::mlir::SetIntRangeFn set) {
    ::layout::rangesByHook(getOperation(), operands, set);
  }
}];

defvar Layout_Expansion = [{
  ::llvm::LogicalResult $cppClass::canonicalize($cppClass op, ::mlir::PatternRewriter &rewriter) {
    return ::layout::expandByHook(op, rewriter);
  }
}];

// A result that is a view of the memory of the first operand. Upstream's passes follow these from a buffer to
// its last use: alias analysis, and passes that move or insert deallocations.
defvar Layout_IsView = ViewLikeOpInterface;

defvar Layout_HasRanges =
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>;

// Every operation's verifier is a hook. If an operation makes a view, its first operand is the source.
class Layout_Op<string mnemonic, list<Trait> traits = []>
    : Op<Layout_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getOperation()->getOperand(0); }
  }];
  let extraClassDefinition = Layout_Verifier;
}

// An operation whose result types follow from its operands and attributes.
class Layout_InferredOp<string mnemonic, list<Trait> traits = []>
    : Layout_Op<mnemonic,
                traits # [DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>]> {
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference);
}

// An inferred operation of one result that folds to a constant when it can.
class Layout_FoldedOp<string mnemonic, list<Trait> traits = []>
    : Layout_InferredOp<mnemonic, traits> {
  let hasFolder = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, Layout_Fold);
}

// An inferred operation that stands for several, to which the canonicalizer expands it.
class Layout_ShortOp<string mnemonic, list<Trait> traits = []>
    : Layout_FoldedOp<mnemonic, traits> {
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition =
      !strconcat(Layout_Verifier, Layout_Inference, Layout_Fold, Layout_Expansion);
}

// Registers with an inferred layout; the canonicalizer replaces the operation by a `layout.alloc`.
class Layout_FragmentOp<string mnemonic, list<Trait> traits = []>
    : Layout_InferredOp<mnemonic, traits> {
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, Layout_Expansion);
}

// An inferred operation with a coordinate, into which the canonicalizer folds static operands.
class Layout_CoordOp<string mnemonic, list<Trait> traits = []>
    : Layout_ShortOp<mnemonic, traits>;

// An operation with one result of type `index`, which needs no inference, that folds when it can.
class Layout_IndexOp<string mnemonic, list<Trait> traits = []>
    : Layout_Op<mnemonic, traits # [Layout_HasRanges]> {
  let hasFolder = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Fold, Layout_Ranges);
}

// An operation whose operands determine the number of its results of type `index`.
class Layout_IndicesOp<string mnemonic, list<Trait> traits = []>
    : Layout_InferredOp<mnemonic, traits # [Layout_HasRanges]> {
  let hasFolder = 1;
  let extraClassDefinition =
      !strconcat(Layout_Verifier, Layout_Inference, Layout_Folds, Layout_Ranges);
}

// An operation with one result of type `i1`.
class Layout_BooleanOp<string mnemonic, list<Trait> traits = []>
    : Layout_Op<mnemonic, traits> {
  let results = (outs I1:$result);
  let hasFolder = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Fold);
}

#endif // LAYOUT_DIALECT_TD
