//===- Layout.h - The generated classes of the layout dialect -------*- C++ -*-===//
//
// The classes that `mlir-tblgen` generates from `ods/`, and the functions that their bodies call.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_H

#include "Hooks.h"
#include "Values.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/RWMutex.h"

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

class ConstantOp;
class TermAttr;

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

#include "LayoutDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "LayoutAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "LayoutTypes.h.inc"

#define GET_OP_CLASSES
#include "LayoutOps.h.inc"

#endif // LAYOUT_LAYOUT_H
