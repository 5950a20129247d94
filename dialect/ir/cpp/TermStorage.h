//===- TermStorage.h - What a context keeps of a term ---------------*- C++ -*-===//
//
// A term's canonical text, and the type of a constant of it once that was asked for: it is asked for
// when a constant is parsed or built and again by each verification.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TERMSTORAGE_H
#define LAYOUT_TERMSTORAGE_H

#include "mlir/IR/AttributeSupport.h"
#include "llvm/ADT/StringRef.h"

#include <atomic>

namespace layout::detail {

struct TermAttrStorage : mlir::AttributeStorage {
  using KeyTy = llvm::StringRef;

  explicit TermAttrStorage(llvm::StringRef text) : text(text) {}

  bool operator==(const KeyTy &key) const { return text == key; }

  static TermAttrStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                    const KeyTy &key) {
    return new (allocator.allocate<TermAttrStorage>())
        TermAttrStorage(allocator.copyInto(key));
  }

  llvm::StringRef text;
  /// A `mlir::Type`, or null. Every thread that finds it finds the same.
  mutable std::atomic<const void *> type{nullptr};
};

} // namespace layout::detail

#endif // LAYOUT_TERMSTORAGE_H
