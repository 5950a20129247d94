//===- layout/Layout.h - The layout dialect for C++ -----------------*- C++ -*-===//
//
// MLIR's C++ classes over the functions of layout-c/Layout.h. Everything here is inline: link
// liblayout_plugin.so and libMLIR.so, the one that the library itself is linked to.
//
// A failure returns a null object and, if requested, the reason; texts are in the notation
// of `layout-calc`.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_LAYOUT_H

#include "layout-c/Layout.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace layout {

namespace detail {
/// Keeps a text that the C API lends; `to` is a `std::string *` or null.
inline void keep(MlirStringRef text, void *to) {
  if (to)
    static_cast<std::string *>(to)->assign(text.data, text.length);
}
} // namespace detail

/// Adds the dialect to a registry.
inline void registerDialect(mlir::DialectRegistry &registry) {
  layoutRegisterDialect(wrap(&registry));
}

/// Registers every pass and pipeline with MLIR's global registry, once.
inline void registerPasses() { layoutRegisterPasses(); }

/// A new pass by its name, with options as a textual pipeline has them in braces. Null, with the
/// reason in `error`, for a name that is none of our passes, or an option that it does not have.
inline std::unique_ptr<mlir::Pass> createPass(llvm::StringRef name, llvm::StringRef options = "",
                                              std::string *error = nullptr) {
  return std::unique_ptr<mlir::Pass>(
      unwrap(layoutPassCreate(wrap(name), wrap(options), detail::keep, error)));
}

/// The value of an expression, as text; nothing, with the reason in `error`, when it has none.
inline std::optional<std::string> evaluate(llvm::StringRef expression,
                                           std::string *error = nullptr) {
  struct Answers {
    std::string value;
    std::string *error;
  } answers{{}, error};
  bool ok = layoutEvaluate(
      wrap(expression),
      [](MlirStringRef text, void *to) { detail::keep(text, &static_cast<Answers *>(to)->value); },
      [](MlirStringRef text, void *to) { detail::keep(text, static_cast<Answers *>(to)->error); },
      &answers);
  return ok ? std::optional<std::string>(std::move(answers.value)) : std::nullopt;
}

/// `#layout<...>`: a term of the algebra. Works with `isa`, `dyn_cast` and `cast`.
class TermAttr : public mlir::Attribute {
public:
  using Attribute::Attribute;

  static bool classof(mlir::Attribute attribute) { return layoutAttrIsATerm(wrap(attribute)); }

  /// The term of a text; null, with the reason in `error`, for a text that is none.
  static TermAttr get(mlir::MLIRContext *context, llvm::StringRef text,
                      std::string *error = nullptr) {
    return from(layoutAttrGet(wrap(context), wrap(text), detail::keep, error));
  }

  /// The text between the brackets, in canonical form.
  llvm::StringRef getText() const { return unwrap(layoutAttrGetText(wrap(*this))); }

  /// The term's value, again as a term; null, with the reason in `error`, when it has none.
  TermAttr evaluate(std::string *error = nullptr) const {
    return from(layoutAttrEvaluate(wrap(*this), detail::keep, error));
  }

  /// The integer that the term evaluates to; nothing, with the reason in `error`, when it does not.
  std::optional<int64_t> getInteger(std::string *error = nullptr) const {
    int64_t value = 0;
    if (!layoutAttrGetInteger(wrap(*this), &value, detail::keep, error))
      return std::nullopt;
    return value;
  }

private:
  static TermAttr from(MlirAttribute attribute) {
    return TermAttr(static_cast<const ImplType *>(attribute.ptr));
  }
};

/// `!layout<L>`: the type of a value that is a layout.
class LayoutType : public mlir::Type {
public:
  using Type::Type;

  static bool classof(mlir::Type type) { return layoutTypeIsALayout(wrap(type)); }

  /// The type of the layout that a text evaluates to; null, with the reason in `error`, for another.
  static LayoutType get(mlir::MLIRContext *context, llvm::StringRef text,
                        std::string *error = nullptr) {
    return LayoutType(
        unwrap(layoutTypeGet(wrap(context), wrap(text), detail::keep, error)).getImpl());
  }

  /// The layout.
  llvm::StringRef getText() const { return unwrap(layoutTypeGetText(wrap(*this))); }
};

/// `!layout.view<ELEMENT, SPACE, L>`: memory seen through a layout.
class ViewType : public mlir::Type {
public:
  using Type::Type;

  static bool classof(mlir::Type type) { return layoutTypeIsAView(wrap(type)); }

  /// The type of a view; null, with the reason in `error`, for a space, an element or a layout that
  /// views do not have.
  static ViewType get(mlir::Type element, llvm::StringRef space, llvm::StringRef text,
                      std::string *error = nullptr) {
    return ViewType(
        unwrap(layoutViewGet(wrap(element), wrap(space), wrap(text), detail::keep, error))
            .getImpl());
  }

  /// The layout.
  llvm::StringRef getText() const { return unwrap(layoutTypeGetText(wrap(*this))); }

  /// The type of an element.
  mlir::Type getElementType() const { return unwrap(layoutViewGetElementType(wrap(*this))); }

  /// The name of the elements' memory space.
  llvm::StringRef getSpace() const { return unwrap(layoutViewGetSpace(wrap(*this))); }
};

} // namespace layout

#endif // LAYOUT_LAYOUT_LAYOUT_H
