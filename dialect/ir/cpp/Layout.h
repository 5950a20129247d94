//===- Layout.h - The classes of the layout dialect, inside ---------*- C++ -*-===//
//
// The classes that `mlir-tblgen` generates from `ods/`, and the functions that their bodies call.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_H

#include "Hooks.h"
#include "Values.h"

#include "layout/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/PatternMatch.h"

namespace layout {

/// Emits a report: the message, and its notes at the same place.
void report(mlir::InFlightDiagnostic diagnostic, MlirStringRef message, intptr_t noteCount,
            const MlirStringRef *notes);

/// The character that the parser is at, for an error that names it.
std::string foundCharacter(mlir::AsmParser &parser);

llvm::LogicalResult verifyByHook(mlir::Operation *operation);

llvm::LogicalResult inferByHook(llvm::StringRef name, mlir::MLIRContext *context,
                                std::optional<mlir::Location> location,
                                mlir::ValueRange operands, mlir::Attribute attributes,
                                llvm::SmallVectorImpl<mlir::Type> &results);

/// Inference sees inherent attributes wherever they are: among `attributes` or in `properties`. A
/// constant gives it the term alone: constants are many, each with a dictionary of its own if one
/// were made.
template <typename OpT>
llvm::LogicalResult inferByHook(mlir::MLIRContext *context, std::optional<mlir::Location> location,
                                mlir::ValueRange operands, mlir::DictionaryAttr attributes,
                                mlir::OpaqueProperties properties,
                                llvm::SmallVectorImpl<mlir::Type> &results) {
  if constexpr (std::is_same_v<OpT, ConstantOp>) {
    using Properties = typename OpT::template InferredProperties<OpT>;
    auto term = properties ? properties.as<Properties *>()->term : decltype(Properties::term)();
    if (term)
      return inferByHook(OpT::getOperationName(), context, location, operands, term, results);
  }
  mlir::NamedAttrList all(attributes);
  if constexpr (OpT::hasProperties()) {
    using Properties = typename OpT::template InferredProperties<OpT>;
    if (properties) {
      mlir::NamedAttrList inherent;
      OpT::populateInherentAttrs(context, *properties.as<Properties *>(), inherent);
      for (mlir::NamedAttribute attribute : inherent)
        all.set(attribute.getName(), attribute.getValue());
    }
  }
  return inferByHook(OpT::getOperationName(), context, location, operands,
                     all.getDictionary(context), results);
}

llvm::LogicalResult foldByHook(mlir::Operation *operation,
                               llvm::ArrayRef<mlir::Attribute> constants,
                               llvm::SmallVectorImpl<mlir::OpFoldResult> &results);
mlir::OpFoldResult foldByHook(mlir::Operation *operation,
                              llvm::ArrayRef<mlir::Attribute> constants);

void rangesByHook(mlir::Operation *operation, llvm::ArrayRef<mlir::ConstantIntRanges> operands,
                  mlir::SetIntRangeFn set);

/// Puts the value of a constant's term, which is its type, in place of the term.
llvm::LogicalResult evaluate(ConstantOp op, mlir::PatternRewriter &rewriter);
llvm::LogicalResult expandByHook(mlir::Operation *operation, mlir::PatternRewriter &rewriter);

} // namespace layout

#endif // LAYOUT_LAYOUT_H
