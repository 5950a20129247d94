//===- Dialect.cpp - The dialect, its attributes and types ----------------===//
//
// Parsing and printing of the dialect's attributes and types, and the C entry points for them.
// Text goes to the hooks as it stands; what comes back is stored.
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "mlir/CAPI/AffineMap.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#include "TrailingType.h"

using namespace mlir;
using namespace layout;

#include "LayoutDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "LayoutAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "LayoutTypes.cpp.inc"

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

static const LayoutHooks *installed = nullptr;

const LayoutHooks &layout::hooks() {
  if (!installed)
    llvm::report_fatal_error("the layout dialect is used before its hooks are installed");
  return *installed;
}

void layout::report(InFlightDiagnostic diagnostic, MlirStringRef message, intptr_t noteCount,
                    const MlirStringRef *notes) {
  diagnostic << unwrap(message);
  for (intptr_t i = 0; i < noteCount; ++i)
    diagnostic.attachNote() << unwrap(notes[i]);
}

bool layoutInstallHooks(uint32_t version, const LayoutHooks *hooks) {
  if (version != LAYOUT_HOOKS_VERSION)
    return false;
  installed = hooks;
  return true;
}

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

namespace {
/// Functions that work on layouts and views are inlined like any other.
struct LayoutInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

void LayoutDialect::initialize() {
  (void)hooks();
  hintAtNames();
  addInterfaces<LayoutInliner>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "LayoutOps.cpp.inc"
      >();
}

void LayoutDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "LayoutAttributes.cpp.inc"
      >();
}

void LayoutDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "LayoutTypes.cpp.inc"
      >();
}

Operation *LayoutDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                              Location location) {
  if (auto term = llvm::dyn_cast<TermAttr>(value);
      term && llvm::isa<LayoutType, layout::TupleType>(type)) {
    keepConstant(term, type);
    return ConstantOp::create(builder, location, type, term);
  }
  return arith::ConstantOp::materialize(builder, value, type, location);
}

/// What a kernel says of its launch must agree with its type.
LogicalResult LayoutDialect::verifyOperationAttribute(Operation *operation,
                                                      NamedAttribute attribute) {
  return attribute.getName() == "layout.kernel" ? verifyByHook(operation) : success();
}

/// The name of the dialect's operation that is most like another; empty if none is.
static llvm::StringRef nearestOperation(MLIRContext *context, llvm::StringRef name) {
  llvm::SmallVector<MlirStringRef> names;
  llvm::StringRef dialect = LayoutDialect::getDialectNamespace();
  for (RegisteredOperationName known : context->getRegisteredOperationsByDialect(dialect))
    names.push_back(wrap(known.getStringRef()));
  return unwrap(hooks().nearest(wrap(name), names.size(), names.data()));
}

static void hintAt(Diagnostic &diagnostic, llvm::StringRef like) {
  if (!like.empty())
    diagnostic.attachNote() << "hint: '" << like << "' is the operation most like it";
}

/// An operation that the dialect does not have: refused, with the nearest name.
static ParseResult refuseUnknown(OpAsmParser &parser, OperationState &state) {
  llvm::StringRef like = nearestOperation(parser.getContext(), state.name.getStringRef());
  InFlightDiagnostic diagnostic = parser.emitError(parser.getNameLoc());
  // MLIR says before it which operation.
  diagnostic << "is unknown";
  if (Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic())
    hintAt(*underlying, like);
  return diagnostic;
}

/// In generic form MLIR refuses such an operation by itself, when it verifies. Whoever shows its error
/// is handed it with the nearest name.
void LayoutDialect::hintAtNames() {
  MLIRContext *context = getContext();
  context->getDiagEngine().registerHandler([context](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    std::string text = diagnostic.str();
    llvm::StringRef rest(text);
    if (rest.consume_front("unregistered operation '") &&
        rest.starts_with((getDialectNamespace() + ".").str()))
      hintAt(diagnostic, nearestOperation(context, rest.take_until([](char c) { return c == '\''; })));
    // Others show it.
    return failure();
  });
}

std::optional<Dialect::ParseOpHook>
LayoutDialect::getParseOperationHook(llvm::StringRef name) const {
  if (auto hook = Dialect::getParseOperationHook(name))
    return hook;
  return ParseOpHook(refuseUnknown);
}

//===----------------------------------------------------------------------===//
// Layouts of memrefs
//===----------------------------------------------------------------------===//

AffineMap LayoutDialect::memrefMap(TermAttr term) {
  {
    llvm::sys::SmartScopedReader<true> lock(memrefMapsMutex);
    if (auto found = memrefMaps.find(term); found != memrefMaps.end())
      return found->second;
  }
  MlirAffineMap map = {nullptr};
  hooks().memrefMap(
      wrap(Attribute(term)), &map,
      [](size_t, MlirStringRef, intptr_t, const MlirStringRef *, void *) {}, nullptr);
  // Memrefs of terms without a map are refused by `verifyLayout`; the interface wants no null.
  AffineMap found = mlirAffineMapIsNull(map) ? AffineMap::get(getContext()) : unwrap(map);
  llvm::sys::SmartScopedWriter<true> lock(memrefMapsMutex);
  return memrefMaps.insert({term, found}).first->second;
}

llvm::StringRef TermAttr::getText() const { return getImpl()->text; }

Type TermAttr::getKnownType() const {
  return Type::getFromOpaquePointer(getImpl()->type.load(std::memory_order_acquire));
}

void TermAttr::keepType(Type type) const {
  getImpl()->type.store(type.getAsOpaquePointer(), std::memory_order_release);
}

AffineMap TermAttr::getAffineMap() const {
  return getContext()->getLoadedDialect<LayoutDialect>()->memrefMap(*this);
}

llvm::LogicalResult
TermAttr::verifyLayout(llvm::ArrayRef<int64_t> shape,
                       llvm::function_ref<InFlightDiagnostic()> emitError) const {
  return success(hooks().memrefShape(
      wrap(Attribute(*this)), static_cast<intptr_t>(shape.size()), shape.data(),
      [](size_t, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        report((*static_cast<llvm::function_ref<InFlightDiagnostic()> *>(user))(), message,
               noteCount, notes);
      },
      &emitError));
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// What the canonicalize hook answers about a text at a place in the source.
struct Canonical {
  DialectAsmParser &parser;
  llvm::StringRef source;
  std::optional<std::string> text;
  bool plain = false;
};
} // namespace

/// The canonical spelling of `source`, or nothing after diagnostics at the right characters.
static std::optional<llvm::StringRef> canonicalize(DialectAsmParser &parser, LayoutTextKind kind,
                                                   llvm::StringRef source) {
  Spellings &spellings = parser.getContext()->getLoadedDialect<LayoutDialect>()->spellings;
  if (auto kept = spellings.find(kind, source))
    return kept;
  Canonical canonical{parser, source, std::nullopt, false};
  bool ok = hooks().canonicalize(
      kind, wrap(source),
      [](MlirStringRef text, bool plain, void *user) {
        auto *canonical = static_cast<Canonical *>(user);
        canonical->text = unwrap(text).str();
        canonical->plain = plain;
      },
      [](size_t offset, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        auto *canonical = static_cast<Canonical *>(user);
        const char *place = canonical->source.data() + std::min(offset, canonical->source.size());
        report(canonical->parser.emitError(llvm::SMLoc::getFromPointer(place)), message, noteCount,
               notes);
      },
      &canonical);
  if (!ok || !canonical.text)
    return std::nullopt;
  return spellings.keep(kind, source, *canonical.text, canonical.plain);
}

/// The text between `name<` and the final `>`, if that is what the specification is.
static std::optional<llvm::StringRef> bodyOf(llvm::StringRef specification, llvm::StringRef name) {
  if (specification.consume_front(name) && specification.consume_front("<") &&
      specification.consume_back(">"))
    return specification;
  return std::nullopt;
}

Attribute LayoutDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  if (type && !TrailingType::take(type)) {
    parser.emitError(parser.getNameLoc(), "expected no type after a layout attribute, found ")
        << type;
    return {};
  }
  MLIRContext *context = getContext();
  llvm::StringRef specification = parser.getFullSymbolSpec();
  if (auto body = bodyOf(specification, "atom")) {
    auto text = canonicalize(parser, LAYOUT_TEXT_ATOM, *body);
    return text ? Attribute(AtomAttr::get(context, *text)) : Attribute();
  }
  if (auto body = bodyOf(specification, "schedule")) {
    auto text = canonicalize(parser, LAYOUT_TEXT_SCHEDULE, *body);
    return text ? Attribute(ScheduleAttr::get(context, *text)) : Attribute();
  }
  if (auto body = bodyOf(specification, "relation")) {
    auto text = canonicalize(parser, LAYOUT_TEXT_RELATION, *body);
    return text ? Attribute(RelationAttr::get(context, *text)) : Attribute();
  }
  auto text = canonicalize(parser, LAYOUT_TEXT_TERM, specification);
  return text ? Attribute(TermAttr::get(context, *text)) : Attribute();
}

void LayoutDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<TermAttr>([&](TermAttr term) { printer << term.getText(); })
      .Case<AtomAttr>([&](AtomAttr atom) { printer << "atom<" << atom.getText() << ">"; })
      .Case<ScheduleAttr>(
          [&](ScheduleAttr schedule) { printer << "schedule<" << schedule.getText() << ">"; })
      .Case<RelationAttr>(
          [&](RelationAttr relation) { printer << "relation<" << relation.getText() << ">"; });
}

/// Parses `view<ELEMENT, SPACE, L>`; the layout's text ends where the specification does.
static Type parseView(DialectAsmParser &parser) {
  Type element;
  llvm::StringRef space;
  llvm::SMLoc places[2];
  if (parser.parseKeyword("view") || parser.parseLess() ||
      parser.getCurrentLocation(&places[LAYOUT_VIEW_ELEMENT]) || parser.parseType(element) ||
      parser.parseComma() || parser.getCurrentLocation(&places[LAYOUT_VIEW_SPACE]) ||
      parser.parseKeyword(&space) || parser.parseComma())
    return {};
  llvm::StringRef specification = parser.getFullSymbolSpec();
  const char *from = parser.getCurrentLocation().getPointer();
  const char *to = specification.end() - 1;
  if (from > to || *to != '>') {
    parser.emitError(parser.getCurrentLocation(), "expected a layout and '>'");
    return {};
  }
  struct Rejection {
    DialectAsmParser &parser;
    llvm::SMLoc *places;
  } rejection{parser, places};
  bool ok = hooks().checkView(
      wrap(element), wrap(space),
      [](size_t part, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        auto *rejection = static_cast<Rejection *>(user);
        report(rejection->parser.emitError(rejection->places[part]), message, noteCount, notes);
      },
      &rejection);
  // All that is wrong is told at once.
  auto text = canonicalize(parser, LAYOUT_TEXT_LAYOUT, llvm::StringRef(from, to - from));
  return ok && text ? Type(ViewType::get(parser.getContext(), element, space, *text)) : Type();
}

Type LayoutDialect::parseType(DialectAsmParser &parser) const {
  llvm::StringRef specification = parser.getFullSymbolSpec();
  if (specification.starts_with("view<"))
    return parseView(parser);
  if (auto body = bodyOf(specification, "tuple")) {
    auto text = canonicalize(parser, LAYOUT_TEXT_TUPLE, *body);
    return text ? Type(layout::TupleType::get(getContext(), *text)) : Type();
  }
  auto text = canonicalize(parser, LAYOUT_TEXT_VALUE, specification);
  return text ? Type(LayoutType::get(getContext(), *text)) : Type();
}

void LayoutDialect::printType(Type type, DialectAsmPrinter &printer) const {
  llvm::TypeSwitch<Type>(type)
      .Case<LayoutType>([&](LayoutType layout) { printer << layout.getText(); })
      .Case<layout::TupleType>([&](layout::TupleType tuple) { printer << "tuple<" << tuple.getText() << ">"; })
      .Case<ViewType>([&](ViewType view) {
        printer << "view<" << view.getElementType() << ", " << view.getSpace() << ", "
                << view.getText() << ">";
      });
}

//===----------------------------------------------------------------------===//
// C entry points
//===----------------------------------------------------------------------===//

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Layout, layout, LayoutDialect)

int32_t layoutAttributeKind(MlirAttribute attribute) {
  if (mlirAttributeIsNull(attribute))
    return LAYOUT_ATTRIBUTE_NONE;
  return llvm::TypeSwitch<Attribute, int32_t>(unwrap(attribute))
      .Case<TermAttr>([](auto) { return LAYOUT_ATTRIBUTE_TERM; })
      .Case<AtomAttr>([](auto) { return LAYOUT_ATTRIBUTE_ATOM; })
      .Case<ScheduleAttr>([](auto) { return LAYOUT_ATTRIBUTE_SCHEDULE; })
      .Case<RelationAttr>([](auto) { return LAYOUT_ATTRIBUTE_RELATION; })
      .Default([](auto) { return LAYOUT_ATTRIBUTE_NONE; });
}

MlirStringRef layoutAttributeText(MlirAttribute attribute) {
  return llvm::TypeSwitch<Attribute, MlirStringRef>(unwrap(attribute))
      .Case<TermAttr, AtomAttr, ScheduleAttr, RelationAttr>([](auto a) { return wrap(a.getText()); })
      .Default([](auto) { return wrap(llvm::StringRef()); });
}

MlirAttribute layoutAttributeGet(MlirContext context, int32_t kind, MlirStringRef text) {
  switch (kind) {
  case LAYOUT_ATTRIBUTE_TERM:
    return wrap(Attribute(TermAttr::get(unwrap(context), unwrap(text))));
  case LAYOUT_ATTRIBUTE_ATOM:
    return wrap(Attribute(AtomAttr::get(unwrap(context), unwrap(text))));
  case LAYOUT_ATTRIBUTE_SCHEDULE:
    return wrap(Attribute(ScheduleAttr::get(unwrap(context), unwrap(text))));
  case LAYOUT_ATTRIBUTE_RELATION:
    return wrap(Attribute(RelationAttr::get(unwrap(context), unwrap(text))));
  default:
    return MlirAttribute{nullptr};
  }
}

bool layoutTypeIsLayout(MlirType type) { return llvm::isa<LayoutType>(unwrap(type)); }

MlirType layoutLayoutTypeGet(MlirContext context, MlirStringRef text) {
  return wrap(Type(LayoutType::get(unwrap(context), unwrap(text))));
}

bool layoutTypeIsTuple(MlirType type) { return llvm::isa<layout::TupleType>(unwrap(type)); }

MlirType layoutTupleTypeGet(MlirContext context, MlirStringRef text) {
  return wrap(Type(layout::TupleType::get(unwrap(context), unwrap(text))));
}

bool layoutTypeIsView(MlirType type) { return llvm::isa<ViewType>(unwrap(type)); }

MlirType layoutViewTypeGet(MlirType element, MlirStringRef space, MlirStringRef text) {
  Type elementType = unwrap(element);
  return wrap(
      Type(ViewType::get(elementType.getContext(), elementType, unwrap(space), unwrap(text))));
}

MlirStringRef layoutTypeText(MlirType type) {
  return llvm::TypeSwitch<Type, MlirStringRef>(unwrap(type))
      .Case<LayoutType, layout::TupleType, ViewType>([](auto t) { return wrap(t.getText()); })
      .Default([](auto) { return wrap(llvm::StringRef()); });
}

MlirType layoutViewTypeElement(MlirType type) {
  return wrap(llvm::cast<ViewType>(unwrap(type)).getElementType());
}

MlirStringRef layoutViewTypeSpace(MlirType type) {
  return wrap(llvm::cast<ViewType>(unwrap(type)).getSpace());
}

void layoutEmitAt(MlirLocation location, int32_t severity, MlirStringRef message) {
  Location at = unwrap(location);
  (severity == LAYOUT_ERROR     ? emitError(at)
   : severity == LAYOUT_WARNING ? emitWarning(at)
                                : emitRemark(at))
      << unwrap(message);
}

void layoutEmit(MlirOperation operation, int32_t severity, MlirStringRef message,
                MlirOperation noted, MlirStringRef note) {
  Operation *op = unwrap(operation);
  InFlightDiagnostic diagnostic = severity == LAYOUT_ERROR     ? op->emitOpError(unwrap(message))
                                  : severity == LAYOUT_WARNING ? op->emitWarning(unwrap(message))
                                                               : op->emitRemark(unwrap(message));
  if (!mlirOperationIsNull(noted))
    diagnostic.attachNote(unwrap(noted)->getLoc()) << unwrap(note);
}
