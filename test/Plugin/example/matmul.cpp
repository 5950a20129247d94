//===- matmul.cpp - A matmul with an epilogue, by the classes of operations ===//
//
// C = max(A * B, 0) on memrefs: views of them, a schedule that the compiler chooses, a ReLU as the epilogue.
// layout-tile-matmul makes a kernel of it, which the program examines by the same classes.
//
//===----------------------------------------------------------------------===//

#include "layout/Layout.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

static OwningOpRef<ModuleOp> build(MLIRContext &context) {
  OpBuilder builder(&context);
  Location here = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, here);
  builder.setInsertionPointToEnd(module->getBody());
  Type type = parseType("memref<512x512xbf16, 1>", &context);
  auto function = func::FuncOp::create(builder, here, "dense", builder.getFunctionType({type, type, type}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Value> views;
  for (Value argument : function.getArguments())
    views.push_back(layout::MakeViewOp::create(builder, here, argument));
  auto schedule = layout::ScheduleAttr::get(&context, "auto, chip = \"sm_90a\"");
  auto matmul = layout::MatmulOp::create(builder, here, views[0], views[1], views[2], schedule);
  func::ReturnOp::create(builder, here);

  Block &epilogue = matmul.getEpilogue().emplaceBlock();
  Value sum = epilogue.addArgument(builder.getF32Type(), here);
  builder.setInsertionPointToStart(&epilogue);
  Value zero = arith::ConstantOp::create(builder, here, builder.getF32FloatAttr(0));
  layout::YieldOp::create(builder, here, arith::MaximumFOp::create(builder, here, sum, zero).getResult());
  return module;
}

int main() {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect, layout::LayoutDialect>();
  OwningOpRef<ModuleOp> module = build(context);
  module->walk([](layout::MatmulOp matmul) {
    llvm::outs() << "a: " << matmul.getA().getType().getText() << ", schedule: " << matmul.getSchedule().getText() << "\n";
  });
  PassManager manager(&context);
  manager.addPass(layout::createPass("layout-tile-matmul"));
  if (failed(manager.run(*module)))
    return 1;
  unsigned copies = 0;
  module->walk([&](Operation *operation) { copies += isa<layout::CopyOp>(operation); });
  module->walk([&](layout::MmaOp mma) { llvm::outs() << copies << " copies, and " << mma.getAtom().getText() << "\n"; });
  return 0;
}
