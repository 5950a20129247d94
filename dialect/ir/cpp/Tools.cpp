//===- Tools.cpp - The main functions of the MLIR tools -------------------===//
//
// `mlir-opt`'s main function over a registry that also has our dialect.
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

using namespace mlir;

void layoutRegisterUpstream(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
  registerAllToLLVMIRTranslations(*unwrap(registry));
}

void layoutRegisterUpstreamPasses() { registerAllPasses(); }

int layoutOptMain(int argc, char **argv, MlirStringRef tool, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirOptMain(argc, argv, unwrap(tool), *unwrap(registry)));
}
