//===- Inferences.h - Result types that were inferred before --------*- C++ -*-===//
//
// The result types of an operation follow from its name, its operands' types and its attributes.
// They are asked for when an operation is parsed or built and again by each verification, so that a
// context keeps the answers: types and attributes are unique in it, and live as long.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_INFERENCES_H
#define LAYOUT_INFERENCES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/RWMutex.h"

#include <optional>

namespace layout {

/// A table of answers. May be used from several threads.
class Inferences {
public:
  /// All that an answer depends on, as the addresses of what is unique in the context.
  using Key = llvm::ArrayRef<const void *>;

  /// The result types that were kept for a key.
  std::optional<llvm::ArrayRef<mlir::Type>> find(Key key) {
    llvm::sys::SmartScopedReader<true> lock(mutex);
    auto found = answers.find(key);
    if (found == answers.end())
      return std::nullopt;
    return found->second;
  }

  void keep(Key key, llvm::ArrayRef<mlir::Type> types) {
    llvm::sys::SmartScopedWriter<true> lock(mutex);
    auto [answer, added] = answers.try_emplace(key, types);
    if (!added)
      return;
    // The table's own copies hash alike, so that they may take their place.
    answer->first = key.copy(allocator);
    answer->second = types.copy(allocator);
  }

private:
  llvm::BumpPtrAllocator allocator;
  llvm::DenseMap<Key, llvm::ArrayRef<mlir::Type>> answers;
  llvm::sys::SmartRWMutex<true> mutex;
};

} // namespace layout

#endif // LAYOUT_INFERENCES_H
