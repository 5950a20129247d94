//===- compiler.cpp - A compiler in C++ that uses the layout dialect ------===//
//
// Builds a function by the classes of layout operations, and runs passes that are written in Rust on it,
// by name and between MLIR's own.
//
//===----------------------------------------------------------------------===//

#include "layout/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// A function that has the size of a layout that a term is composed to. Result types are inferred.
static OwningOpRef<ModuleOp> build(MLIRContext &context) {
  OpBuilder builder(&context);
  Location here = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, here);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = layout::LayoutType::get(&context, "(6,8):(8,1)");
  auto function = func::FuncOp::create(
      builder, here, "tile", builder.getFunctionType({type}, {builder.getIndexType()}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  auto term = layout::TermAttr::get(&context, "coalesce(flatten((2,3):(3,1)))");
  Value tile = layout::CompositionOp::create(builder, here, function.getArgument(0), term);
  Value size = layout::SizeOp::create(builder, here, tile);
  func::ReturnOp::create(builder, here, size);
  return module;
}

int main() {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, layout::LayoutDialect>();
  OwningOpRef<ModuleOp> module = build(context);
  if (failed(verify(*module)))
    return 1;

  PassManager simplify(&context);
  simplify.addPass(layout::createPass("layout-simplify"));
  if (failed(simplify.run(*module)))
    return 1;
  module->print(llvm::outs());

  layout::registerPasses();
  registerTransformsPasses();
  PassManager fold(&context);
  if (failed(parsePassPipeline("layout-fold,canonicalize", fold)) || failed(fold.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
