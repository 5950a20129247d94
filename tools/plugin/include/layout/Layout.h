//===- layout/Layout.h - The layout dialect for C++ -----------------*- C++ -*-===//
//
// The classes of the dialect (layout/Dialect.h), which liblayout_plugin.so exports, and what a program
// calls beside them: registration, passes by name, and attributes and types from texts, inline over the
// functions of layout-c/Layout.h. Link liblayout_plugin.so and libMLIR.so, the one that the library
// itself is linked to.
//
// A failure returns a null object and, if requested, the reason; texts are in the notation
// of `layout-calc`.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_LAYOUT_LAYOUT_H
#define LAYOUT_LAYOUT_LAYOUT_H

#include "layout-c/Layout.h"
#include "layout/Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace layout {

namespace detail {
/// Keeps a text that the C API lends; `to` is a `std::string *` or null.
inline void keep(MlirStringRef text, void *to) {
  if (to)
    static_cast<std::string *>(to)->assign(text.data, text.length);
}

/// The class of an attribute or a type that the C API made.
template <typename T>
T made(MlirAttribute attribute) {
  return llvm::cast_if_present<T>(unwrap(attribute));
}
template <typename T>
T made(MlirType type) {
  return llvm::cast_if_present<T>(unwrap(type));
}
} // namespace detail

/// Adds the dialect to a registry, and the dialects of front ends whose operations its passes take.
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

//===----------------------------------------------------------------------===//
// Attributes and types from texts, as layout/Dialect.h declares them
//===----------------------------------------------------------------------===//

#define LAYOUT_FROM_TEXT(CLASS, GET)                                                               \
  inline CLASS CLASS::get(mlir::MLIRContext *context, llvm::StringRef text, std::string *error) {  \
    return detail::made<CLASS>(GET(wrap(context), wrap(text), detail::keep, error));               \
  }
LAYOUT_FROM_TEXT(TermAttr, layoutAttrGet)
LAYOUT_FROM_TEXT(AtomAttr, layoutAtomGet)
LAYOUT_FROM_TEXT(ScheduleAttr, layoutScheduleGet)
LAYOUT_FROM_TEXT(RelationAttr, layoutRelationGet)
LAYOUT_FROM_TEXT(TiledCopyAttr, layoutTiledCopyGet)
LAYOUT_FROM_TEXT(TiledMmaAttr, layoutTiledMmaGet)
LAYOUT_FROM_TEXT(LayoutType, layoutTypeGet)
LAYOUT_FROM_TEXT(TupleType, layoutTupleGet)
#undef LAYOUT_FROM_TEXT

inline TermAttr TermAttr::evaluate(std::string *error) const {
  return detail::made<TermAttr>(layoutAttrEvaluate(wrap(*this), detail::keep, error));
}

inline std::optional<int64_t> TermAttr::getInteger(std::string *error) const {
  int64_t value = 0;
  if (!layoutAttrGetInteger(wrap(*this), &value, detail::keep, error))
    return std::nullopt;
  return value;
}

inline ViewType ViewType::get(mlir::Type element, llvm::StringRef space, llvm::StringRef text,
                              std::string *error) {
  return detail::made<ViewType>(
      layoutViewGet(wrap(element), wrap(space), wrap(text), detail::keep, error));
}

} // namespace layout

#endif // LAYOUT_LAYOUT_LAYOUT_H
