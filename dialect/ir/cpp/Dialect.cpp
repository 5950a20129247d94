//===- Dialect.cpp - The dialect, its attributes and types ----------------===//
//
// Parsing and printing of the dialect's attributes and types, and the C entry points for them.
// Text goes to the hooks unchanged, and the values that they return are stored.
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
      term && llvm::isa<LayoutType, layout::TupleType>(type))
    return ConstantOp::create(builder, location, type, term);
  return arith::ConstantOp::materialize(builder, value, type, location);
}

/// The launch attributes of a kernel must agree with its type, and its attributes must be ones that passes read. It is
/// checked once, at the first of these attributes.
LogicalResult LayoutDialect::verifyOperationAttribute(Operation *operation,
                                                      NamedAttribute attribute) {
  if (operation->getName().getStringRef() != "gpu.func")
    return success();
  for (NamedAttribute each : operation->getDiscardableAttrs())
    if (each.getNameDialect() == this)
      return each.getName() == attribute.getName() ? verifyByHook(operation) : success();
  return success();
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
    diagnostic.attachNote() << "hint: did you mean '" << like << "'?";
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
/// receives it with the nearest name.
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
  // Memrefs of terms without a map are refused by `verifyLayout`; the interface must not return null.
  AffineMap found = mlirAffineMapIsNull(map) ? AffineMap::get(getContext()) : unwrap(map);
  llvm::sys::SmartScopedWriter<true> lock(memrefMapsMutex);
  return memrefMaps.insert({term, found}).first->second;
}

#define LAYOUT_DEFINE_VALUE(CLASS)                                                                 \
  const LayoutValue *CLASS::getValue() const { return getImpl()->value.get(); }                    \
  llvm::StringRef CLASS::getText() const { return getImpl()->value.text(); }
LAYOUT_DEFINE_VALUE(TermAttr)
LAYOUT_DEFINE_VALUE(AtomAttr)
LAYOUT_DEFINE_VALUE(ScheduleAttr)
LAYOUT_DEFINE_VALUE(RelationAttr)
LAYOUT_DEFINE_VALUE(TiledCopyAttr)
LAYOUT_DEFINE_VALUE(TiledMmaAttr)
LAYOUT_DEFINE_VALUE(LayoutType)
LAYOUT_DEFINE_VALUE(layout::TupleType)
LAYOUT_DEFINE_VALUE(ViewType)
#undef LAYOUT_DEFINE_VALUE

Type ViewType::getElementType() const { return getImpl()->element; }

llvm::StringRef ViewType::getSpace() const { return getImpl()->space; }

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

/// The value of `source`, or nothing after diagnostics at the right characters; at `written`, where that is
/// valid, for a text that is not in the program.
static ValueHandle read(DialectAsmParser &parser, LayoutTextKind kind, llvm::StringRef source,
                 llvm::SMLoc written = {}) {
  struct Reading {
    DialectAsmParser &parser;
    llvm::StringRef source;
    llvm::SMLoc written;
    ValueHandle value;
  } reading{parser, source, written, ValueHandle()};
  bool ok = hooks().read(
      kind, wrap(source),
      [](const LayoutValue *value, void *user) {
        static_cast<Reading *>(user)->value = ValueHandle(value);
      },
      [](size_t offset, MlirStringRef message, intptr_t noteCount, const MlirStringRef *notes,
         void *user) {
        auto *reading = static_cast<Reading *>(user);
        const char *place = reading->source.data() + std::min(offset, reading->source.size());
        llvm::SMLoc at =
            reading->written.isValid() ? reading->written : llvm::SMLoc::getFromPointer(place);
        report(reading->parser.emitError(at), message, noteCount, notes);
      },
      &reading);
  return ok ? std::move(reading.value) : ValueHandle();
}

/// The attribute or the type of a class with the value of `source`.
template <typename T>
static T readAs(DialectAsmParser &parser, LayoutTextKind kind, llvm::StringRef source,
                llvm::SMLoc written = {}) {
  ValueHandle value = read(parser, kind, source, written);
  return value ? T::get(parser.getContext(), value.get()) : T();
}

/// The text between `name<` and the final `>`, if that is what the specification is.
static std::optional<llvm::StringRef> bodyOf(llvm::StringRef specification, llvm::StringRef name) {
  if (specification.consume_front(name) && specification.consume_front("<") &&
      specification.consume_back(">"))
    return specification;
  return std::nullopt;
}

/// Whether a text names an attribute by an alias, which MLIR's parser alone can resolve.
static bool hasAlias(llvm::StringRef text) {
  for (size_t at = text.find('#'); at != llvm::StringRef::npos; at = text.find('#', at + 1))
    if (!text.substr(at).starts_with("#layout."))
      return true;
  return false;
}

/// `NAME<(ATOM,)? (WORD of)? ATTRIBUTE …>` with the attribute written out, and where that is.
static ParseResult resolveAlias(DialectAsmParser &parser, llvm::StringRef name,
                                std::string &text, llvm::SMLoc &written) {
  llvm::StringRef word;
  llvm::SMLoc start;
  if (parser.parseKeyword(name) || parser.parseLess())
    return failure();
  while (succeeded(parser.parseOptionalKeyword(&word))) {
    text += word;
    text += succeeded(parser.parseOptionalComma()) ? ", " : " ";
  }
  Attribute attribute;
  if (parser.getCurrentLocation(&start) || parser.parseAttribute(attribute))
    return failure();
  written = start;
  llvm::raw_string_ostream(text) << attribute;
  llvm::StringRef specification = parser.getFullSymbolSpec();
  const char *from = parser.getCurrentLocation().getPointer();
  const char *to = specification.end() - 1;
  if (from > to || *to != '>')
    return parser.emitError(start, "expected '>' after an attribute");
  text.append(from, to);
  return success();
}

/// The attribute of a class whose text may name another one by an alias.
template <typename T>
static T readTiled(DialectAsmParser &parser, LayoutTextKind kind, llvm::StringRef name,
                   llvm::StringRef body) {
  if (!hasAlias(body))
    return readAs<T>(parser, kind, body);
  std::string text;
  llvm::SMLoc written;
  if (resolveAlias(parser, name, text, written))
    return {};
  return readAs<T>(parser, kind, text, written);
}

Attribute LayoutDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  if (type && !TrailingType::take(type)) {
    parser.emitError(parser.getNameLoc(), "expected no type after a layout attribute, found ")
        << type;
    return {};
  }
  llvm::StringRef specification = parser.getFullSymbolSpec();
  if (auto body = bodyOf(specification, "atom"))
    return readAs<AtomAttr>(parser, LAYOUT_TEXT_ATOM, *body);
  if (auto body = bodyOf(specification, "schedule"))
    return readAs<ScheduleAttr>(parser, LAYOUT_TEXT_SCHEDULE, *body);
  if (auto body = bodyOf(specification, "relation"))
    return readAs<RelationAttr>(parser, LAYOUT_TEXT_RELATION, *body);
  if (auto body = bodyOf(specification, "tiled_copy"))
    return readTiled<TiledCopyAttr>(parser, LAYOUT_TEXT_TILED_COPY, "tiled_copy", *body);
  if (auto body = bodyOf(specification, "tiled_mma"))
    return readAs<TiledMmaAttr>(parser, LAYOUT_TEXT_TILED_MMA, *body);
  if (auto body = bodyOf(specification, "thread_values"))
    return readTiled<TermAttr>(parser, LAYOUT_TEXT_THREAD_VALUES, "thread_values", *body);
  return readAs<TermAttr>(parser, LAYOUT_TEXT_TERM, specification);
}

void LayoutDialect::printAttribute(Attribute attribute, DialectAsmPrinter &printer) const {
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<TermAttr>([&](TermAttr term) { printer << term.getText(); })
      .Case<AtomAttr>([&](AtomAttr atom) { printer << "atom<" << atom.getText() << ">"; })
      .Case<ScheduleAttr>(
          [&](ScheduleAttr schedule) { printer << "schedule<" << schedule.getText() << ">"; })
      .Case<RelationAttr>(
          [&](RelationAttr relation) { printer << "relation<" << relation.getText() << ">"; })
      .Case<TiledCopyAttr>(
          [&](TiledCopyAttr copy) { printer << "tiled_copy<" << copy.getText() << ">"; })
      .Case<TiledMmaAttr>(
          [&](TiledMmaAttr mma) { printer << "tiled_mma<" << mma.getText() << ">"; });
}

std::string layout::foundCharacter(AsmParser &parser) {
  const char *at = parser.getCurrentLocation().getPointer();
  if (!*at)
    return "the end of the input";
  size_t bytes = 1;
  while ((at[bytes] & 0xC0) == 0x80)
    ++bytes;
  return "'" + std::string(at, bytes) + "'";
}

/// Parses `view<ELEMENT, SPACE, L>`; the layout's text ends where the specification does.
static Type parseView(DialectAsmParser &parser) {
  Type element;
  llvm::StringRef space;
  llvm::SMLoc places[2];
  if (parser.parseKeyword("view") || parser.parseLess() ||
      parser.getCurrentLocation(&places[LAYOUT_VIEW_ELEMENT]) || parser.parseType(element) ||
      parser.parseComma() || parser.getCurrentLocation(&places[LAYOUT_VIEW_SPACE]))
    return {};
  if (failed(parser.parseOptionalKeyword(&space))) {
    parser.emitError(places[LAYOUT_VIEW_SPACE],
                     "expected one of global, shared, register, host and coordinate, found ")
        << foundCharacter(parser)
        << "; a view type is written !layout.view<f32, global, (4,8):(8,1)>";
    return {};
  }
  if (parser.parseComma())
    return {};
  llvm::StringRef specification = parser.getFullSymbolSpec();
  const char *from = parser.getCurrentLocation().getPointer();
  const char *to = specification.end() - 1;
  if (from > to || *to != '>') {
    parser.emitError(parser.getCurrentLocation(), "expected a layout and '>', found ")
        << foundCharacter(parser);
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
  // All errors are reported at once.
  ValueHandle value = read(parser, LAYOUT_TEXT_LAYOUT, llvm::StringRef(from, to - from));
  if (!ok || !value)
    return {};
  return ViewType::get(parser.getContext(), element, space, value.get());
}

Type LayoutDialect::parseType(DialectAsmParser &parser) const {
  llvm::StringRef specification = parser.getFullSymbolSpec();
  if (specification.starts_with("view<"))
    return parseView(parser);
  if (auto body = bodyOf(specification, "tuple"))
    return readAs<layout::TupleType>(parser, LAYOUT_TEXT_TUPLE, *body);
  return readAs<LayoutType>(parser, LAYOUT_TEXT_VALUE, specification);
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
      .Case<TiledCopyAttr>([](auto) { return LAYOUT_ATTRIBUTE_TILED_COPY; })
      .Case<TiledMmaAttr>([](auto) { return LAYOUT_ATTRIBUTE_TILED_MMA; })
      .Default([](auto) { return LAYOUT_ATTRIBUTE_NONE; });
}

MlirStringRef layoutAttributeText(MlirAttribute attribute) {
  return llvm::TypeSwitch<Attribute, MlirStringRef>(unwrap(attribute))
      .Case<TermAttr, AtomAttr, ScheduleAttr, RelationAttr, TiledCopyAttr, TiledMmaAttr>(
          [](auto a) { return wrap(a.getText()); })
      .Default([](auto) { return wrap(llvm::StringRef()); });
}

const LayoutValue *layoutAttributeValue(MlirAttribute attribute) {
  return llvm::TypeSwitch<Attribute, const LayoutValue *>(unwrap(attribute))
      .Case<TermAttr, AtomAttr, ScheduleAttr, RelationAttr, TiledCopyAttr, TiledMmaAttr>(
          [](auto a) { return a.getValue(); })
      .Default([](auto) { return nullptr; });
}

MlirAttribute layoutAttributeGet(MlirContext context, int32_t kind, const LayoutValue *value) {
  switch (kind) {
  case LAYOUT_ATTRIBUTE_TERM:
    return wrap(Attribute(TermAttr::get(unwrap(context), value)));
  case LAYOUT_ATTRIBUTE_ATOM:
    return wrap(Attribute(AtomAttr::get(unwrap(context), value)));
  case LAYOUT_ATTRIBUTE_SCHEDULE:
    return wrap(Attribute(ScheduleAttr::get(unwrap(context), value)));
  case LAYOUT_ATTRIBUTE_RELATION:
    return wrap(Attribute(RelationAttr::get(unwrap(context), value)));
  case LAYOUT_ATTRIBUTE_TILED_COPY:
    return wrap(Attribute(TiledCopyAttr::get(unwrap(context), value)));
  case LAYOUT_ATTRIBUTE_TILED_MMA:
    return wrap(Attribute(TiledMmaAttr::get(unwrap(context), value)));
  default:
    return MlirAttribute{nullptr};
  }
}

bool layoutTypeIsLayout(MlirType type) { return llvm::isa<LayoutType>(unwrap(type)); }

MlirType layoutLayoutTypeGet(MlirContext context, const LayoutValue *value) {
  return wrap(Type(LayoutType::get(unwrap(context), value)));
}

bool layoutTypeIsTuple(MlirType type) { return llvm::isa<layout::TupleType>(unwrap(type)); }

MlirType layoutTupleTypeGet(MlirContext context, const LayoutValue *value) {
  return wrap(Type(layout::TupleType::get(unwrap(context), value)));
}

bool layoutTypeIsView(MlirType type) { return llvm::isa<ViewType>(unwrap(type)); }

MlirType layoutViewTypeGet(MlirType element, MlirStringRef space, const LayoutValue *value) {
  Type elementType = unwrap(element);
  return wrap(Type(ViewType::get(elementType.getContext(), elementType, unwrap(space), value)));
}

MlirStringRef layoutTypeText(MlirType type) {
  return llvm::TypeSwitch<Type, MlirStringRef>(unwrap(type))
      .Case<LayoutType, layout::TupleType, ViewType>([](auto t) { return wrap(t.getText()); })
      .Default([](auto) { return wrap(llvm::StringRef()); });
}

const LayoutValue *layoutTypeValue(MlirType type) {
  return llvm::TypeSwitch<Type, const LayoutValue *>(unwrap(type))
      .Case<LayoutType, layout::TupleType, ViewType>([](auto t) { return t.getValue(); })
      .Default([](auto) { return nullptr; });
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
                                                               : emitRemark(op->getLoc()) << unwrap(message);
  if (!mlirOperationIsNull(noted))
    diagnostic.attachNote(unwrap(noted)->getLoc()) << unwrap(note);
}
