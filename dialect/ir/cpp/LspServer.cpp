//===- LspServer.cpp - The main function of the language server -----------===//
//
// Apart from Tools.cpp so that only the language server links MLIR's.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include <cstdlib>

int layoutLspServerMain(int argc, char **argv, MlirDialectRegistry registry) {
  return llvm::succeeded(mlir::MlirLspServerMain(argc, argv, *unwrap(registry))) ? EXIT_SUCCESS
                                                                                 : EXIT_FAILURE;
}
