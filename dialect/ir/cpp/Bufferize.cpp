//===- Bufferize.cpp - One-shot bufferisation that keeps layouts -----------===//
//
// Upstream's one-shot bufferisation in its two steps, with one change: a tensor whose encoding is a term has a buffer
// whose layout is that term, at the boundaries of functions and wherever no layout can be inferred.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace layout;
using bufferization::BufferizationOptions;
using bufferization::OneShotBufferizationOptions;

/// The buffer's type of a tensor whose encoding is a term; null for others.
static MemRefType encoded(Type type, Attribute space) {
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  auto term = tensor ? llvm::dyn_cast_if_present<TermAttr>(tensor.getEncoding()) : TermAttr();
  return term ? MemRefType::get(tensor.getShape(), tensor.getElementType(), term, space) : MemRefType();
}

static OneShotBufferizationOptions optionsOf(const LayoutBufferizeOptions &given) {
  OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = given.allowReturnAllocsFromLoops;
  options.allowUnknownOps = given.allowUnknownOps;
  options.bufferizeFunctionBoundaries = true;
  options.bufferAlignment = given.alignment;
  options.setFunctionBoundaryTypeConversion(
      static_cast<bufferization::LayoutMapOption>(given.boundary));
  options.functionArgTypeConverterFn =
      [otherwise = options.functionArgTypeConverterFn](
          bufferization::TensorLikeType type, Attribute space, func::FuncOp function,
          const BufferizationOptions &own) -> bufferization::BufferLikeType {
    if (MemRefType buffer = encoded(type, space))
      return llvm::cast<bufferization::BufferLikeType>(buffer);
    return otherwise(type, space, function, own);
  };
  options.unknownTypeConverterFn =
      [otherwise = options.unknownTypeConverterFn](
          TensorType type, Attribute space, const BufferizationOptions &own) -> BaseMemRefType {
    if (MemRefType buffer = encoded(type, space))
      return buffer;
    return otherwise(type, space, own);
  };
  return options;
}

bool layoutInsertTensorCopies(MlirOperation module, LayoutBufferizeOptions options) {
  bufferization::BufferizationState state;
  return succeeded(
      bufferization::insertTensorCopies(unwrap(module), optionsOf(options), state));
}

bool layoutBufferizeModule(MlirOperation module, LayoutBufferizeOptions options) {
  bufferization::BufferizationState state;
  return succeeded(bufferization::bufferizeModuleOp(unwrap(module), optionsOf(options), state));
}
