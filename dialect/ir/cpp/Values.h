//===- Values.h - Storage of attributes and types -------------------*- C++ -*-===//
//
// Storage of the dialect's attributes and types: a counted reference to a value that Rust made, hashed
// and compared by it. A context releases the references of its storages when it is destroyed.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_VALUES_H
#define LAYOUT_VALUES_H

#include "Hooks.h"

#include "mlir/CAPI/Support.h"
#include "mlir/IR/AttributeSupport.h"
#include "mlir/IR/TypeSupport.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"

#include <tuple>
#include <utility>

namespace layout {

/// The installed hooks. Aborts when there are none: the dialect cannot be registered without.
const LayoutHooks &hooks();

/// A counted reference to a value, or none.
class ValueHandle {
public:
  ValueHandle() = default;
  explicit ValueHandle(const LayoutValue *lent) : value(lent) {
    if (value)
      hooks().valueRetain(value);
  }
  ValueHandle(ValueHandle &&other) noexcept : value(std::exchange(other.value, nullptr)) {}
  ValueHandle &operator=(ValueHandle &&other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  ValueHandle(const ValueHandle &) = delete;
  ValueHandle &operator=(const ValueHandle &) = delete;
  ~ValueHandle() {
    if (value)
      hooks().valueRelease(value);
  }

  explicit operator bool() const { return value; }
  const LayoutValue *get() const { return value; }
  llvm::StringRef text() const { return unwrap(hooks().valueText(value)); }

private:
  const LayoutValue *value = nullptr;
};

inline bool isEqual(const LayoutValue *a, const LayoutValue *b) {
  return a == b || hooks().valueEqual(a, b);
}

namespace detail {

/// Storage of a value alone.
template <typename Derived, typename Base>
struct ValueStorage : Base {
  using KeyTy = const LayoutValue *;

  explicit ValueStorage(KeyTy value) : value(value) {}

  bool operator==(const KeyTy &key) const { return isEqual(value.get(), key); }
  static llvm::hash_code hashKey(const KeyTy &key) { return hooks().valueHash(key); }
  static Derived *construct(mlir::StorageUniquer::StorageAllocator &allocator, const KeyTy &key) {
    return new (allocator.allocate<Derived>()) Derived(key);
  }

  ValueHandle value;
};

#define LAYOUT_VALUE_STORAGE(NAME, BASE)                                                           \
  struct NAME : ValueStorage<NAME, BASE> {                                                         \
    using ValueStorage<NAME, BASE>::ValueStorage;                                                  \
  }

LAYOUT_VALUE_STORAGE(TermAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(AtomAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(ScheduleAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(RelationAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(TiledCopyAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(TiledMmaAttrStorage, mlir::AttributeStorage);
LAYOUT_VALUE_STORAGE(LayoutTypeStorage, mlir::TypeStorage);
LAYOUT_VALUE_STORAGE(TupleTypeStorage, mlir::TypeStorage);

#undef LAYOUT_VALUE_STORAGE

/// A view's elements and space, beside the value of its layout.
struct ViewTypeStorage : mlir::TypeStorage {
  using KeyTy = std::tuple<mlir::Type, llvm::StringRef, const LayoutValue *>;

  ViewTypeStorage(mlir::Type element, llvm::StringRef space, const LayoutValue *value)
      : element(element), space(space), value(value) {}

  KeyTy getAsKey() const { return {element, space, value.get()}; }
  bool operator==(const KeyTy &key) const {
    return element == std::get<0>(key) && space == std::get<1>(key) &&
           isEqual(value.get(), std::get<2>(key));
  }
  static llvm::hash_code hashKey(const KeyTy &key) {
    return llvm::hash_combine(std::get<0>(key), std::get<1>(key),
                              hooks().valueHash(std::get<2>(key)));
  }
  static ViewTypeStorage *construct(mlir::StorageUniquer::StorageAllocator &allocator,
                                    const KeyTy &key) {
    return new (allocator.allocate<ViewTypeStorage>()) ViewTypeStorage(
        std::get<0>(key), allocator.copyInto(std::get<1>(key)), std::get<2>(key));
  }

  mlir::Type element;
  llvm::StringRef space;
  ValueHandle value;
};

} // namespace detail
} // namespace layout

#endif // LAYOUT_VALUES_H
