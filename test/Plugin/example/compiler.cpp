//===- compiler.cpp - A compiler in C++ that uses the layout dialect ------===//
//
// Creates types and attributes, builds a function with them, and runs passes that are written in Rust
// on it, in one pass manager with MLIR's own.
//
//===----------------------------------------------------------------------===//

#include "layout/Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// A function that has `size` of a layout that a term is composed to.
static OwningOpRef<ModuleOp> build(MLIRContext &context, layout::TermAttr term) {
  OpBuilder builder(&context);
  Location here = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, here);
  builder.setInsertionPointToEnd(module->getBody());
  auto type = layout::LayoutType::get(&context, "(6,8):(8,1)");
  auto function = func::FuncOp::create(
      builder, here, "tile", builder.getFunctionType({type}, {builder.getIndexType()}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  OperationState composition(here, "layout.composition");
  composition.addOperands(function.getArgument(0));
  composition.addAttribute("term", term);
  composition.addTypes(layout::LayoutType::get(&context, "(2,3):(24,8)"));
  Value tile = builder.create(composition)->getResult(0);
  OperationState size(here, "layout.size");
  size.addOperands(tile);
  size.addTypes(builder.getIndexType());
  Value answer = builder.create(size)->getResult(0);
  func::ReturnOp::create(builder, here, answer);
  return module;
}

static bool run(ModuleOp module, llvm::StringRef name, llvm::StringRef options = "") {
  PassManager manager(module.getContext());
  std::string error;
  auto pass = layout::createPass(name, options, &error);
  if (!pass) {
    llvm::outs() << "no pass: " << error << "\n";
    return false;
  }
  manager.addPass(std::move(pass));
  return succeeded(manager.run(module));
}

int main() {
  DialectRegistry registry;
  registry.insert<func::FuncDialect>();
  layout::registerDialect(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();

  // Attributes and types.
  auto term = layout::TermAttr::get(&context, "coalesce(flatten((2,3):(3,1)))");
  llvm::outs() << "term: " << term << "\n";
  llvm::outs() << "text: " << term.getText() << "\n";
  llvm::outs() << "value: " << term.evaluate() << "\n";
  llvm::outs() << "cosize: " << *layout::TermAttr::get(&context, "cosize((4,8):(16,1))").getInteger()
               << "\n";
  auto view = layout::ViewType::get(Float16Type::get(&context), "shared", "(64,8):(1,64)");
  llvm::outs() << "view: " << view << " of " << view.getElementType() << " in " << view.getSpace()
               << " through " << view.getText() << "\n";
  llvm::outs() << "partly static: "
               << layout::ViewType::get(Float16Type::get(&context), "global", "( ? , 8 ):(?{div=8},1)")
               << " through " << layout::LayoutType::get(&context, "(?7,8):(1,?7)") << "\n";
  llvm::outs() << "evaluated: " << *layout::evaluate("composition((6,2):(8,2), (4,3):(3,1))") << "\n";

  // Kinds.
  Attribute attribute = term;
  Type type = view;
  llvm::outs() << "kinds: " << isa<layout::TermAttr>(attribute)
               << isa<layout::TermAttr>(UnitAttr::get(&context)) << isa<layout::ViewType>(type)
               << isa<layout::LayoutType>(type) << "\n";

  // Errors.
  std::string error;
  if (!layout::TermAttr::get(&context, "coalesce(", &error))
    llvm::outs() << "no term: " << error << "\n";
  if (!layout::TermAttr::get(&context, "composition((3,4):(1,5), (2,2):(2,1))").evaluate(&error))
    llvm::outs() << "no value: " << error << "\n";
  if (!term.getInteger(&error))
    llvm::outs() << "no integer: " << error << "\n";
  if (!layout::TermAttr().getInteger(&error))
    llvm::outs() << "no term: " << error << "\n";
  if (!layout::LayoutType::get(&context, "(4,8):3", &error))
    llvm::outs() << "no layout: " << error << "\n";
  if (!layout::ViewType::get(Float16Type::get(&context), "texture", "4:1", &error))
    llvm::outs() << "no view: " << error << "\n";
  if (!layout::evaluate("size(", &error))
    llvm::outs() << "no value: " << error << "\n";

  // A module, made in code and changed by passes.
  OwningOpRef<ModuleOp> module = build(context, term);
  if (failed(verify(*module)))
    return 1;
  run(*module, "layout-spell");
  run(*module, "layout-simplify", "depth=3");
  if (!run(*module, "layout-simplify"))
    return 1;
  module->print(llvm::outs());

  // The same passes by name, between MLIR's own.
  layout::registerPasses();
  registerTransformsPasses();
  PassManager manager(&context);
  if (failed(parsePassPipeline("layout-fold,canonicalize", manager)) ||
      failed(manager.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
