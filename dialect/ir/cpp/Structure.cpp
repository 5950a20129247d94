//===- Structure.cpp - Layouts through control flow and calls --------------===//
//
// Replaces values of the dialect by their run-time form (no value, one or several) wherever operations
// only pass them on: arguments, results and calls of functions, loops, branches and blocks. The caller
// gives the conversion of types; the patterns are MLIR's own. Casts remain between the two forms; the
// lowering of layout operations removes them.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace {

using Types = llvm::SmallVectorImpl<Type>;

/// A choice between values is one between their parts.
struct SelectParts : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (adaptor.getCondition().size() != 1)
      return failure();
    llvm::SmallVector<Value> parts;
    for (auto [then, otherwise] : llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                              adaptor.getCondition().front(), then, otherwise));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// A kernel takes views as their parts.
struct LaunchParts : OpConversionPattern<gpu::LaunchFuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(gpu::LaunchFuncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    llvm::SmallVector<Value> parts;
    for (ValueRange operand : adaptor.getKernelOperands())
      parts.append(operand.begin(), operand.end());
    rewriter.modifyOpInPlace(op, [&] { op.getKernelOperandsMutable().assign(parts); });
    return success();
  }
};

} // namespace

bool layoutConvertStructure(MlirOperation function, LayoutParts parts, void *user) {
  Operation *root = unwrap(function);
  MLIRContext *context = root->getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([=](Type type, Types &results) -> std::optional<LogicalResult> {
    if (!llvm::isa<layout::LayoutType, layout::TupleType, layout::ViewType>(type))
      return std::nullopt;
    return success(parts(
        wrap(type),
        [](MlirType part, void *sink) { static_cast<Types *>(sink)->push_back(unwrap(part)); },
        &results, user));
  });
  converter.addSourceMaterialization(
      [](OpBuilder &builder, Type type, ValueRange inputs, Location location) -> Value {
        return UnrealizedConversionCastOp::create(builder, location, type, inputs).getResult(0);
      });
  converter.addTargetMaterialization([](OpBuilder &builder, TypeRange types, ValueRange inputs,
                                        Location location) -> llvm::SmallVector<Value> {
    return llvm::to_vector_of<Value>(
        UnrealizedConversionCastOp::create(builder, location, types, inputs).getResults());
  });

  ConversionTarget target(*context);
  RewritePatternSet patterns(context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  cf::populateCFStructuralTypeConversionsAndLegality(converter, patterns, target);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  patterns.add<SelectParts, LaunchParts>(converter, context);
  // Blocks after the first one are converted with the branches to them.
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&](func::FuncOp op) { return converter.isSignatureLegal(op.getFunctionType()); });
  target.addDynamicallyLegalOp<func::CallOp, func::ReturnOp, arith::SelectOp, gpu::LaunchFuncOp>(
      [&](Operation *op) { return converter.isLegal(op); });
  return succeeded(applyPartialConversion(root, target, std::move(patterns)));
}

MlirStringRef layoutResourceBytes(MlirAttribute attribute) {
  auto elements = llvm::dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  const AsmResourceBlob *blob = elements ? elements.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return mlirStringRefCreate(nullptr, 0);
  return mlirStringRefCreate(blob->getData().data(), blob->getData().size());
}
