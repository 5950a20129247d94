//===- layout/Dialect.h - The classes of the layout dialect ---------*- C++ -*-===//
//
// The classes of the dialect, its attributes, types and operations, as `mlir-tblgen` generates them from
// `ods/`. The shim that defines them includes this header, and so do programs that link the plugin, by
// layout/Layout.h.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_DIALECT_H
#define LAYOUT_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferDeallocationOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/RWMutex.h"

#include <cstdint>
#include <optional>
#include <string>

/// The value of an attribute or a type, which the library alone reads.
struct LayoutValue;

namespace mlir {
class PatternRewriter;
} // namespace mlir

namespace layout {
class TermAttr;

namespace detail {
struct AtomAttrStorage;
struct LayoutTypeStorage;
struct RelationAttrStorage;
struct ScheduleAttrStorage;
struct TermAttrStorage;
struct TiledCopyAttrStorage;
struct TiledMmaAttrStorage;
struct TupleTypeStorage;
struct ViewTypeStorage;
} // namespace detail
} // namespace layout

// The library exports the classes; everything else in it is hidden.
#pragma GCC visibility push(default)

#include "LayoutDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "LayoutAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "LayoutTypes.h.inc"

#define GET_OP_CLASSES
#include "LayoutOps.h.inc"

#pragma GCC visibility pop

#endif // LAYOUT_DIALECT_H
