//===- Extensions.cpp - Dialects of front ends ----------------------------===//
//
// Registers the operations of `ods/extensions`, so that files of torch-mlir and IREE parse. They have no
// behaviour here: a pass rewrites them in linalg.
//
//===----------------------------------------------------------------------===//

#include "Hooks.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"

#include "IreeLinalgExtDialect.h.inc"
#include "TmTensorDialect.h.inc"

#define GET_OP_CLASSES
#include "IreeLinalgExtOps.h.inc"
#define GET_OP_CLASSES
#include "TmTensorOps.h.inc"

using namespace mlir;

namespace {
/// The operations have no effects but their results.
struct ExtensionInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

#include "IreeLinalgExtDialect.cpp.inc"
#include "TmTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "IreeLinalgExtOps.cpp.inc"
#define GET_OP_CLASSES
#include "TmTensorOps.cpp.inc"

void layout::iree_linalg_ext::IreeLinalgExtDialect::initialize() {
  addInterfaces<ExtensionInliner>();
  addOperations<
#define GET_OP_LIST
#include "IreeLinalgExtOps.cpp.inc"
      >();
}

void layout::tm_tensor::TmTensorDialect::initialize() {
  addInterfaces<ExtensionInliner>();
  addOperations<
#define GET_OP_LIST
#include "TmTensorOps.cpp.inc"
      >();
}

/// Adds a dialect, unless the registry has one of its name: a host may have the front end's own.
template <typename DialectT>
static void insertNew(DialectRegistry &registry) {
  if (!registry.getDialectAllocator(DialectT::getDialectNamespace()))
    registry.insert<DialectT>();
}

void layoutRegisterExtensions(MlirDialectRegistry registry) {
  insertNew<layout::iree_linalg_ext::IreeLinalgExtDialect>(*unwrap(registry));
  insertNew<layout::tm_tensor::TmTensorDialect>(*unwrap(registry));
}
