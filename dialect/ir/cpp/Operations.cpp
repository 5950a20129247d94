//===- Operations.cpp - Hooks of the operations ---------------------------===//
//
// The bodies of the operations' methods: each forwards to its hook.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "Syntax.h"
#include "TrailingType.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Rewrite.h"
#include "mlir/CAPI/Support.h"
#include "mlir/CAPI/Wrap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace layout;

thread_local TrailingType *TrailingType::innermost = nullptr;

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

llvm::LogicalResult layout::verifyByHook(Operation *operation) {
  return success(hooks().verify(
      wrap(operation),
      [](size_t, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        report(static_cast<Operation *>(user)->emitOpError(), message, noteCount, notes);
      },
      operation));
}

llvm::LogicalResult layout::inferByHook(llvm::StringRef name, MLIRContext *context,
                                        std::optional<Location> location, ValueRange operands,
                                        Attribute attributes,
                                        llvm::SmallVectorImpl<Type> &results) {
  struct Inference {
    llvm::StringRef name;
    std::optional<Location> location;
    llvm::SmallVectorImpl<Type> &results;
  } inference{name, location, results};
  llvm::SmallVector<MlirValue> values;
  for (Value operand : operands)
    values.push_back(wrap(operand));
  return success(hooks().infer(
      wrap(name), wrap(context), values.size(), values.data(), wrap(attributes),
      [](MlirType type, void *user) {
        static_cast<Inference *>(user)->results.push_back(unwrap(type));
      },
      [](size_t, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        auto *inference = static_cast<Inference *>(user);
        if (!inference->location)
          return;
        InFlightDiagnostic diagnostic = emitError(*inference->location);
        diagnostic << "'" << inference->name << "' op ";
        report(std::move(diagnostic), message, noteCount, notes);
      },
      &inference));
}

llvm::LogicalResult layout::foldByHook(Operation *operation, llvm::ArrayRef<Attribute> constants,
                                       llvm::SmallVectorImpl<OpFoldResult> &results) {
  llvm::SmallVector<MlirAttribute> values;
  for (Attribute constant : constants)
    values.push_back(wrap(constant));
  struct Fold {
    Operation *operation;
    llvm::SmallVector<OpFoldResult> results;
  } fold{operation, {}};
  bool ok = hooks().fold(
      wrap(operation), values.size(), values.data(),
      [](MlirAttribute attribute, void *user) {
        static_cast<Fold *>(user)->results.push_back(unwrap(attribute));
      },
      [](intptr_t operand, void *user) {
        auto *fold = static_cast<Fold *>(user);
        fold->results.push_back(fold->operation->getOperand(operand));
      },
      &fold);
  if (!ok || fold.results.size() != operation->getNumResults())
    return failure();
  results.append(fold.results.begin(), fold.results.end());
  return success();
}

OpFoldResult layout::foldByHook(Operation *operation, llvm::ArrayRef<Attribute> constants) {
  llvm::SmallVector<OpFoldResult, 1> results;
  if (failed(foldByHook(operation, constants, results)))
    return {};
  return results.front();
}

llvm::LogicalResult layout::evaluate(ConstantOp op, PatternRewriter &rewriter) {
  const LayoutValue *value =
      llvm::TypeSwitch<Type, const LayoutValue *>(op.getType())
          .Case<LayoutType, layout::TupleType>([](auto type) { return type.getValue(); })
          .Default([](auto) { return nullptr; });
  if (!value || isEqual(value, op.getTermAttr().getValue()))
    return failure();
  rewriter.modifyOpInPlace(op, [&] { op.setTermAttr(TermAttr::get(op.getContext(), value)); });
  return success();
}

llvm::LogicalResult layout::expandByHook(Operation *operation, PatternRewriter &rewriter) {
  return success(hooks().expand(wrap(operation), wrap(static_cast<RewriterBase *>(&rewriter))));
}

void layout::rangesByHook(Operation *operation, llvm::ArrayRef<ConstantIntRanges> operands,
                          SetIntRangeFn set) {
  llvm::SmallVector<int64_t> bounds;
  for (const ConstantIntRanges &range : operands) {
    // Operands that are no integers, or wider ones, have no bounds of 64 bits.
    bool narrow = range.smin().getBitWidth() > 0 && range.smin().getBitWidth() <= 64;
    bounds.push_back(narrow ? range.smin().getSExtValue() : INT64_MIN);
    bounds.push_back(narrow ? range.smax().getSExtValue() : INT64_MAX);
  }
  struct Ranges {
    Operation *operation;
    SetIntRangeFn set;
    unsigned next;
  } ranges{operation, set, 0};
  hooks().ranges(
      wrap(operation), operands.size(), bounds.data(),
      [](int64_t least, int64_t greatest, void *user) {
        auto *ranges = static_cast<Ranges *>(user);
        if (ranges->next < ranges->operation->getNumResults())
          ranges->set(ranges->operation->getResult(ranges->next++),
                      ConstantIntRanges::fromSigned(APInt(64, least, true),
                                                    APInt(64, greatest, true)));
      },
      &ranges);
}
