//===- Tools.cpp - The main functions of the MLIR tools -------------------===//
//
// `mlir-opt`'s main function, with a registry that also has our dialect.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Signals.h"

using namespace mlir;

void layoutRegisterUpstream(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
  registerAllToLLVMIRTranslations(*unwrap(registry));
}

void layoutRegisterUpstreamPasses() { registerAllPasses(); }

int layoutOptMain(int argc, char **argv, MlirStringRef tool, MlirDialectRegistry registry) {
  // Read by the caller, before passes run; here so that it is accepted, and shown by --help.
  static llvm::cl::opt<bool> verifyEachLayoutPass(
      "verify-each-layout-pass",
      llvm::cl::desc("Prove that each pass of the layout dialect keeps what the program does"));
  // A reader that stops early, as `head` does, ends the tool without a message. Rust ignores the signal.
  llvm::sys::SetOneShotPipeSignalFunction(llvm::sys::DefaultOneShotPipeSignalHandler);
  return asMainReturnCode(MlirOptMain(argc, argv, unwrap(tool), *unwrap(registry)));
}
