//===- TrailingType.h - The type after an attribute -----------------*- C++ -*-===//
//
// MLIR's parser reads `#dialect<…> : TYPE` as one attribute with a type, so that an operation
// whose syntax ends in `#layout<…> : TYPE` would lose its type to the attribute. A custom
// directive that expects the type opens a `TrailingType`; the attribute parser leaves it there.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TRAILING_TYPE_H
#define LAYOUT_TRAILING_TYPE_H

#include "mlir/IR/Types.h"

namespace layout {

class TrailingType {
public:
  TrailingType() : outer(innermost) { innermost = this; }
  ~TrailingType() { innermost = outer; }
  TrailingType(const TrailingType &) = delete;
  TrailingType &operator=(const TrailingType &) = delete;

  /// The type that followed the attribute; null if none did.
  mlir::Type get() const { return type; }

  /// Leaves a type with the directive that waits for one; false if none does.
  static bool take(mlir::Type type) {
    if (!innermost || innermost->type)
      return false;
    innermost->type = type;
    return true;
  }

private:
  mlir::Type type;
  TrailingType *outer;
  static thread_local TrailingType *innermost;
};

} // namespace layout

#endif // LAYOUT_TRAILING_TYPE_H
