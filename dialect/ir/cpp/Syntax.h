//===- Syntax.h - Custom directives of the operations' syntax -------*- C++ -*-===//
//
// Parsers and printers of the `custom<…>` directives in the assembly formats of `ods/`. One file
// includes it, before the code that is generated from the formats.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_SYNTAX_H
#define LAYOUT_SYNTAX_H

#include "Layout.h"
#include "TrailingType.h"

#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace layout;

using Operand = OpAsmParser::UnresolvedOperand;
using Operands = llvm::SmallVectorImpl<Operand>;

/// The type of an operand after which none is written. A parser gives no access to the type of a value, but it refuses
/// to take a value for one of another type with a diagnostic whose last type is the value's own: it is called to
/// take the operand for one of a type that no value has. A value that is only defined further on would be made
/// with that type; it needs its type written.
static ParseResult typeOf(OpAsmParser &parser, const Operand &operand, Type &type) {
  MLIRContext *context = parser.getContext();
  Type ofNoValue = FunctionType::get(context, {}, NoneType::get(context));
  std::optional<Diagnostic> refused;
  llvm::SmallVector<Value, 1> taken;
  {
    uint64_t thread = llvm::get_threadid();
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (refused || llvm::get_threadid() != thread)
        return failure();
      refused.emplace(std::move(diagnostic));
      return success();
    });
    (void)parser.resolveOperand(operand, ofNoValue, taken);
  }
  if (!refused)
    return parser.emitError(operand.location, "expected ': TYPE' after the operation for ")
           << operand.name << ", found none; no value of this name is defined above";
  for (const DiagnosticArgument &argument : refused->getArguments())
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      type = argument.getAsType();
  // It was refused for another reason.
  if (!type)
    return parser.emitError(operand.location) << refused->str();
  return success();
}

/// `: TYPE`, or nothing.
static ParseResult parseTypeOf(OpAsmParser &parser, const Operand &operand, Type &type) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(type);
  return typeOf(parser, operand, type);
}

static void printTypeOf(OpAsmPrinter &printer, Operation *, Value, Type type) {
  printer << ": " << type;
}

/// Refuses other types than those of views, as MLIR refuses them where a type is written.
static ParseResult requireView(OpAsmParser &parser, llvm::SMLoc place, Type type) {
  if (llvm::isa<ViewType>(type))
    return success();
  return parser.emitError(place, "invalid kind of type specified: expected ")
         << ViewType::name << ", but found " << type;
}

/// `: TYPE`, the type of a view, or nothing.
static ParseResult parseViewTypeOf(OpAsmParser &parser, const Operand &operand, Type &type) {
  bool written = succeeded(parser.parseOptionalColon());
  llvm::SMLoc place = written ? parser.getCurrentLocation() : operand.location;
  return failure((written ? parser.parseType(type) : typeOf(parser, operand, type)) ||
                 requireView(parser, place, type));
}

static void printViewTypeOf(OpAsmPrinter &printer, Operation *operation, Value value, Type type) {
  printTypeOf(printer, operation, value, type);
}

/// `: TYPE, …`, one for each of some views, or nothing.
static ParseResult parseViewTypes(OpAsmParser &parser, llvm::ArrayRef<const Operand *> operands,
                                  llvm::ArrayRef<Type *> types) {
  bool written = succeeded(parser.parseOptionalColon());
  for (size_t i = 0; i < types.size(); ++i) {
    if (written && i > 0 && parser.parseComma())
      return failure();
    llvm::SMLoc place = written ? parser.getCurrentLocation() : operands[i]->location;
    if ((written ? parser.parseType(*types[i]) : typeOf(parser, *operands[i], *types[i])) ||
        requireView(parser, place, *types[i]))
      return failure();
  }
  return success();
}

/// `: TYPE, …`, one for each operand, or nothing.
static ParseResult parseTypes(OpAsmParser &parser, llvm::ArrayRef<const Operand *> operands,
                              llvm::ArrayRef<Type *> types) {
  bool written = succeeded(parser.parseOptionalColon());
  for (size_t i = 0; i < types.size(); ++i) {
    if (written && i > 0 && parser.parseComma())
      return failure();
    if (written ? parser.parseType(*types[i]) : typeOf(parser, *operands[i], *types[i]))
      return failure();
  }
  return success();
}

/// `: TYPE, TYPE`, or nothing.
static ParseResult parseTypesOfTwo(OpAsmParser &parser, const Operand &a, const Operand &b,
                                   Type &typeOfA, Type &typeOfB) {
  return parseTypes(parser, {&a, &b}, {&typeOfA, &typeOfB});
}

static void printTypesOfTwo(OpAsmPrinter &printer, Operation *, Value, Value, Type a, Type b) {
  printer << ": " << a << ", " << b;
}

/// `: TYPE`, or `: TYPE, TYPE` where there is a second operand, or nothing.
static ParseResult parseTypesOfOneOrTwo(OpAsmParser &parser, const Operand &a,
                                        const std::optional<Operand> &b, Type &typeOfA,
                                        Type &typeOfB) {
  if (!b)
    return parseTypeOf(parser, a, typeOfA);
  return parseTypes(parser, {&a, &*b}, {&typeOfA, &typeOfB});
}

static void printTypesOfOneOrTwo(OpAsmPrinter &printer, Operation *, Value, Value, Type a,
                                 Type b) {
  printer << ": " << a;
  if (b)
    printer << ", " << b;
}

/// `: TYPE, …`, or nothing.
static ParseResult parseTypesOfAll(OpAsmParser &parser, const Operands &operands,
                                   llvm::SmallVectorImpl<Type> &types) {
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseTypeList(types);
  for (const Operand &operand : operands)
    if (typeOf(parser, operand, types.emplace_back()))
      return failure();
  return success();
}

static void printTypesOfAll(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types) {
  printer << ": " << types;
}

/// The same, where there may be no operand.
static constexpr auto parseTypesOfAny = parseTypesOfAll;

static void printTypesOfAny(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types) {
  if (!types.empty())
    printer << " : " << types;
}

/// `: TYPE, TYPE`, or nothing.
static ParseResult parseViewTypesOfTwo(OpAsmParser &parser, const Operand &a, const Operand &b,
                                       Type &typeOfA, Type &typeOfB) {
  return parseViewTypes(parser, {&a, &b}, {&typeOfA, &typeOfB});
}

static void printViewTypesOfTwo(OpAsmPrinter &printer, Operation *, Value, Value, Type a,
                                Type b) {
  printer << ": " << a << ", " << b;
}

/// `: TYPE, TYPE, TYPE`, or nothing.
static ParseResult parseViewTypesOfThree(OpAsmParser &parser, const Operand &a, const Operand &b,
                                         const Operand &c, Type &typeOfA, Type &typeOfB,
                                         Type &typeOfC) {
  return parseViewTypes(parser, {&a, &b, &c}, {&typeOfA, &typeOfB, &typeOfC});
}

static void printViewTypesOfThree(OpAsmPrinter &printer, Operation *, Value, Value, Value, Type a,
                                  Type b, Type c) {
  printer << ": " << a << ", " << b << ", " << c;
}

/// The types of views, as they are written or as their values have them.
static ParseResult parseListOfViewTypes(OpAsmParser &parser, bool written,
                                        const Operands &operands,
                                        llvm::SmallVectorImpl<Type> &types) {
  auto parseOne = [&]() -> ParseResult {
    llvm::SMLoc place = parser.getCurrentLocation();
    return failure(parser.parseType(types.emplace_back()) ||
                   requireView(parser, place, types.back()));
  };
  if (written)
    return parser.parseCommaSeparatedList(parseOne);
  for (const Operand &operand : operands)
    if (typeOf(parser, operand, types.emplace_back()) ||
        requireView(parser, operand.location, types.back()))
      return failure();
  return success();
}

/// `: TYPE, TYPE, TYPE dual TYPE, TYPE, …`, or nothing.
static ParseResult parseMatmulTypes(OpAsmParser &parser, const Operand &a, const Operand &b,
                                    const Operand &c, const std::optional<Operand> &dual,
                                    const Operands &others, Type &typeOfA, Type &typeOfB,
                                    Type &typeOfC, Type &typeOfDual,
                                    llvm::SmallVectorImpl<Type> &typesOfOthers) {
  llvm::SMLoc start = parser.getCurrentLocation();
  if (parseViewTypesOfThree(parser, a, b, c, typeOfA, typeOfB, typeOfC))
    return failure();
  bool written = parser.getCurrentLocation() != start;
  llvm::SMLoc place = written ? parser.getCurrentLocation() : dual ? dual->location : start;
  if (written && succeeded(parser.parseOptionalKeyword("dual"))) {
    place = parser.getCurrentLocation();
    if (parser.parseType(typeOfDual) || requireView(parser, place, typeOfDual))
      return failure();
  } else if (!written && dual &&
             (typeOf(parser, *dual, typeOfDual) || requireView(parser, place, typeOfDual))) {
    return failure();
  }
  if (written && failed(parser.parseOptionalComma()))
    return success();
  return parseListOfViewTypes(parser, written, others, typesOfOthers);
}

static void printMatmulTypes(OpAsmPrinter &printer, Operation *, Value, Value, Value, Value,
                             OperandRange, Type a, Type b, Type c, Type dual, TypeRange others) {
  printer << ": " << a << ", " << b << ", " << c;
  if (dual)
    printer << " dual " << dual;
  if (!others.empty())
    printer << ", " << others;
}

/// `ins(%view, … : TYPE, …)` and `outs(…)`, where the types, and `ins`, may be left out.
static ParseResult parseInsAndOuts(OpAsmParser &parser, Operands &inputs,
                                   llvm::SmallVectorImpl<Type> &typesOfInputs, Operands &outputs,
                                   llvm::SmallVectorImpl<Type> &typesOfOutputs) {
  auto parseViews = [&](Operands &views, llvm::SmallVectorImpl<Type> &types) -> ParseResult {
    if (parser.parseLParen() || parser.parseOperandList(views))
      return failure();
    bool written = succeeded(parser.parseOptionalColon());
    return failure(parseListOfViewTypes(parser, written, views, types) || parser.parseRParen());
  };
  if (succeeded(parser.parseOptionalKeyword("ins")) && parseViews(inputs, typesOfInputs))
    return failure();
  return failure(parser.parseKeyword("outs") || parseViews(outputs, typesOfOutputs));
}

static void printInsAndOuts(OpAsmPrinter &printer, Operation *, OperandRange inputs,
                            TypeRange typesOfInputs, OperandRange outputs,
                            TypeRange typesOfOutputs) {
  if (!inputs.empty())
    printer << "ins(" << inputs << " : " << typesOfInputs << ") ";
  printer << "outs(" << outputs << " : " << typesOfOutputs << ")";
}

/// `#layout<…> : TYPE`
static ParseResult parseTermAndType(OpAsmParser &parser, TermAttr &term, Type &type) {
  TrailingType trailing;
  if (parser.parseAttribute(term))
    return failure();
  type = trailing.get();
  // An alias of an attribute leaves the colon where it is.
  return type ? ParseResult(success()) : parser.parseColonType(type);
}

/// `#layout<…> : TYPE`, the type of an operand, or without that.
template <typename AttrT>
static ParseResult parseTermAndTypeOf(OpAsmParser &parser, AttrT &term, const Operand &operand,
                                      Type &type) {
  TrailingType trailing;
  if (parser.parseAttribute(term))
    return failure();
  type = trailing.get();
  return type ? ParseResult(success()) : parseTypeOf(parser, operand, type);
}

static void printTermAndTypeOf(OpAsmPrinter &printer, Operation *, Attribute term, Value,
                               Type type) {
  printer << term << " : " << type;
}

static void printTermAndType(OpAsmPrinter &printer, Operation *, TermAttr term, Type type) {
  printer << term << " : " << type;
}

/// `#layout<…> : TYPE`, the type of the term's value; that it is another one is for the verifier to say.
static ParseResult parseConstant(OpAsmParser &parser, TermAttr &term, Type &type) {
  return parseTermAndType(parser, term, type);
}

static void printConstant(OpAsmPrinter &printer, Operation *operation, TermAttr term, Type type) {
  printTermAndType(printer, operation, term, type);
}

/// `#layout<…> : TYPE`, or `%value : TYPE, TYPE`: a term, or a value in its place.
static ParseResult parseTermOrValue(OpAsmParser &parser, TermAttr &term,
                                    std::optional<OpAsmParser::UnresolvedOperand> &by,
                                    const Operand &first, Type &byType, Type &source) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult value = parser.parseOptionalOperand(operand);
  if (!value.has_value())
    return parseTermAndTypeOf(parser, term, first, source);
  by = operand;
  if (failed(*value))
    return failure();
  if (succeeded(parser.parseOptionalColon()))
    return failure(parser.parseType(source) || parser.parseComma() || parser.parseType(byType));
  return failure(typeOf(parser, first, source) || typeOf(parser, operand, byType));
}

static void printTermOrValue(OpAsmPrinter &printer, Operation *operation, TermAttr term, Value by,
                             Value, Type byType, Type source) {
  if (term)
    return printTermAndType(printer, operation, term, source);
  if (by)
    printer << by << " : " << source << ", " << byType;
}

/// `by #layout<…> : TYPE`, or `: TYPE`; without the type, that of the operand.
static ParseResult parseProfile(OpAsmParser &parser, TermAttr &profile, const Operand &operand,
                                Type &source) {
  if (succeeded(parser.parseOptionalKeyword("by")))
    return parseTermAndTypeOf(parser, profile, operand, source);
  return parseTypeOf(parser, operand, source);
}

static void printProfile(OpAsmPrinter &printer, Operation *operation, TermAttr profile, Value,
                         Type source) {
  if (profile) {
    printer << " by ";
    return printTermAndType(printer, operation, profile, source);
  }
  printer << " : " << source;
}

/// The words before `of`: the sides of a copy and the operands of an MMA.
static const llvm::StringRef parts[] = {"source", "target", "a", "b", "c"};

/// `a of`, or one of the others.
static ParseResult parsePartOf(OpAsmParser &parser, StringAttr &part) {
  llvm::StringRef word;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word, parts)))
    return parser.emitError(place, "expected 'a', 'b' or 'c' of a tiled MMA");
  if (parser.parseKeyword("of"))
    return failure();
  part = parser.getBuilder().getStringAttr(word);
  return success();
}

/// `#layout<…> : TYPE`, or `source of #layout.tiled_copy<…> : TYPE`, or one with another part.
static ParseResult parsePartitioner(OpAsmParser &parser, TermAttr &term, Attribute &tiled,
                                    StringAttr &part, const Operand &source, Type &type) {
  llvm::StringRef word;
  if (failed(parser.parseOptionalKeyword(&word, parts)))
    return parseTermAndTypeOf(parser, term, source, type);
  part = parser.getBuilder().getStringAttr(word);
  return failure(parser.parseKeyword("of") || parseTermAndTypeOf(parser, tiled, source, type));
}

static void printPartitioner(OpAsmPrinter &printer, Operation *operation, TermAttr term,
                             Attribute tiled, StringAttr part, Value, Type type) {
  if (term)
    return printTermAndType(printer, operation, term, type);
  if (part)
    printer << part.getValue() << " of ";
  if (tiled)
    printer << tiled;
  printer << " : " << type;
}

/// `c of #layout.tiled_mma<…>`
static ParseResult parseOperandOf(OpAsmParser &parser, StringAttr &part, TiledMmaAttr &tiled) {
  return failure(parsePartOf(parser, part) || parser.parseAttribute(tiled));
}

static void printOperandOf(OpAsmPrinter &printer, Operation *, StringAttr part,
                           TiledMmaAttr tiled) {
  printer << part.getValue() << " of " << tiled;
}

/// `(128,64)`
static ParseResult parseExtents(OpAsmParser &parser, DenseI64ArrayAttr &extents) {
  llvm::SmallVector<int64_t> values;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parser.parseInteger(values.emplace_back()); }))
    return failure();
  extents = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printExtents(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr extents) {
  printer << '(';
  llvm::interleave(extents.asArrayRef(), printer, ",");
  printer << ')';
}

/// `#layout<…>`, or `%value : TYPE`, or `%value`.
static ParseResult parseShapeOrValue(OpAsmParser &parser, TermAttr &shape,
                                     std::optional<OpAsmParser::UnresolvedOperand> &by,
                                     Type &byType) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult value = parser.parseOptionalOperand(operand);
  if (!value.has_value())
    return parser.parseAttribute(shape);
  by = operand;
  return failure(failed(*value) || parseTypeOf(parser, operand, byType));
}

static void printShapeOrValue(OpAsmPrinter &printer, Operation *, TermAttr shape, Value by,
                              Type byType) {
  if (by)
    printer << by << " : " << byType;
  else if (shape)
    printer << shape;
}

/// `24`, or `%value : TYPE`, or `%value`.
static ParseResult parseNumberOrValue(OpAsmParser &parser, IntegerAttr &number,
                                      std::optional<OpAsmParser::UnresolvedOperand> &by,
                                      Type &byType) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult value = parser.parseOptionalOperand(operand);
  if (value.has_value()) {
    by = operand;
    return failure(failed(*value) || parseTypeOf(parser, operand, byType));
  }
  int64_t known;
  if (parser.parseInteger(known))
    return failure();
  number = parser.getBuilder().getI64IntegerAttr(known);
  return success();
}

static void printNumberOrValue(OpAsmPrinter &printer, Operation *, IntegerAttr number, Value by,
                               Type byType) {
  if (by)
    printer << by << " : " << byType;
  else if (number)
    printer << number.getInt();
}

/// `, 24 : TYPE`, `, %value : TYPE, TYPE` or `: TYPE`: an integer, a value, or neither; the types may be left out.
static ParseResult parseIntegerOrValue(OpAsmParser &parser, IntegerAttr &integer,
                                       std::optional<OpAsmParser::UnresolvedOperand> &by,
                                       const Operand &first, Type &byType, Type &source) {
  if (succeeded(parser.parseOptionalComma())) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult value = parser.parseOptionalOperand(operand);
    if (value.has_value()) {
      by = operand;
      return failure(failed(*value) || parseTypesOfTwo(parser, first, operand, source, byType));
    }
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    integer = parser.getBuilder().getI64IntegerAttr(number);
  }
  return parseTypeOf(parser, first, source);
}

static void printIntegerOrValue(OpAsmPrinter &printer, Operation *, IntegerAttr integer, Value by,
                                Value, Type byType, Type source) {
  if (by)
    printer << ", " << by << " : " << source << ", " << byType;
  else if (integer)
    printer << ", " << integer.getInt() << " : " << source;
  else
    printer << " : " << source;
}

/// One entry of a coordinate that is no tuple.
static ParseResult parseCoordLeaf(OpAsmParser &parser, std::string &text, Operands &indices) {
  if (succeeded(parser.parseOptionalKeyword("_"))) {
    text += '_';
    return success();
  }
  int64_t value;
  if (OptionalParseResult integer = parser.parseOptionalInteger(value); integer.has_value()) {
    text += std::to_string(value);
    return *integer;
  }
  OpAsmParser::UnresolvedOperand operand;
  if (OptionalParseResult index = parser.parseOptionalOperand(operand); index.has_value()) {
    text += '?';
    indices.push_back(operand);
    return *index;
  }
  return parser.emitError(parser.getCurrentLocation(),
                          "expected '_', an integer, an index value or '(' in a coordinate, found ")
         << foundCharacter(parser);
}

/// `(_, (%i, 3))`: a coordinate whose outermost parentheses are the call's own when they hold one
/// entry. Nesting is counted, not recursed into, so that no input exhausts the stack.
static ParseResult parseCoord(OpAsmParser &parser, StringAttr &coord, Operands &indices) {
  if (parser.parseLParen())
    return failure();
  std::string text = "(";
  size_t depth = 1;
  bool several = false;
  while (depth > 0) {
    bool empty = text.back() == '(' && succeeded(parser.parseOptionalRParen());
    if (!empty) {
      if (succeeded(parser.parseOptionalLParen())) {
        text += '(';
        ++depth;
        continue;
      }
      if (parseCoordLeaf(parser, text, indices))
        return failure();
    }
    // After an entry: close what ends here, until another entry follows.
    while (depth > 0) {
      if (!empty && succeeded(parser.parseOptionalComma())) {
        several |= depth == 1;
        text += ',';
        break;
      }
      if (!empty && parser.parseRParen())
        return failure();
      empty = false;
      text += ')';
      --depth;
    }
  }
  if (!several && text.size() > 2)
    text = text.substr(1, text.size() - 2);
  coord = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printCoord(OpAsmPrinter &printer, Operation *, StringAttr coord, OperandRange indices) {
  llvm::StringRef text = coord.getValue();
  size_t depth = 0;
  bool several = false;
  for (char c : text) {
    depth += c == '(';
    depth -= c == ')' && depth > 0;
    several |= c == ',' && depth == 1;
  }
  if (!several)
    printer << '(';
  auto index = indices.begin();
  for (char c : text) {
    if (c == '?' && index != indices.end())
      printer << *index++;
    else if (c == ',')
      printer << ", ";
    else if (c != ' ')
      printer << c;
  }
  if (!several)
    printer << ')';
}

/// `, TYPE, …`: the types of a coordinate's operands, or nothing where all are indices.
static ParseResult parseCoordTypes(OpAsmParser &parser, const Operands &indices,
                                   llvm::SmallVectorImpl<Type> &types) {
  if (succeeded(parser.parseOptionalComma()))
    return parser.parseTypeList(types);
  types.assign(indices.size(), parser.getBuilder().getIndexType());
  return success();
}

static void printCoordTypes(OpAsmPrinter &printer, Operation *, OperandRange, TypeRange types) {
  if (!llvm::all_of(types, [](Type type) { return type.isIndex(); }))
    printer << ", " << types;
}

/// A keyword.
static ParseResult parseWord(OpAsmParser &parser, StringAttr &word) {
  llvm::StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printWord(OpAsmPrinter &printer, Operation *, StringAttr word) {
  printer << word.getValue();
}

/// A region after its name, or after the name that it had before version 0.1.
static ParseResult parseNamedRegion(OpAsmParser &parser, llvm::StringRef name,
                                    llvm::StringRef before, Region &region) {
  if (failed(parser.parseOptionalKeyword(before)) && parser.parseKeyword(name))
    return failure();
  return parser.parseRegion(region);
}

static ParseResult parsePrologue(OpAsmParser &parser, Region &region) {
  return parseNamedRegion(parser, "prologue", "start", region);
}

static void printPrologue(OpAsmPrinter &printer, Operation *, Region &region) {
  printer << "prologue ";
  printer.printRegion(region);
}

static ParseResult parseMainloop(OpAsmParser &parser, Region &region) {
  return parseNamedRegion(parser, "mainloop", "step", region);
}

static void printMainloop(OpAsmPrinter &printer, Operation *, Region &region) {
  printer << "mainloop ";
  printer.printRegion(region);
}

static ParseResult parseEpilogue(OpAsmParser &parser, Region &region) {
  return parseNamedRegion(parser, "epilogue", "finish", region);
}

static void printEpilogue(OpAsmPrinter &printer, Operation *, Region &region) {
  printer << "epilogue ";
  printer.printRegion(region);
}

/// `add %source into %target`, or `%source, … into %target, …` where a region combines two elements of each source.
static ParseResult parseReduced(OpAsmParser &parser, StringAttr &kind, Operands &sources,
                                Operands &targets) {
  llvm::StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    kind = parser.getBuilder().getStringAttr(name);
  if (parser.parseOperandList(sources) || parser.parseKeyword("into"))
    return failure();
  llvm::SMLoc start = parser.getCurrentLocation();
  if (parser.parseOperandList(targets))
    return failure();
  if (sources.empty() || sources.size() != targets.size())
    return parser.emitError(start) << "expected at least one source and as many targets, found "
                                   << sources.size() << " and " << targets.size();
  return success();
}

static void printReduced(OpAsmPrinter &printer, Operation *, StringAttr kind,
                         OperandRange sources, OperandRange targets) {
  if (kind)
    printer << kind.getValue() << ' ';
  printer << sources << " into " << targets;
}

/// `: TYPES OF SOURCES, TYPES OF TARGETS`, or nothing.
static ParseResult parseViewTypesOfReduced(OpAsmParser &parser, const Operands &sources,
                                           const Operands &targets,
                                           llvm::SmallVectorImpl<Type> &typesOfSources,
                                           llvm::SmallVectorImpl<Type> &typesOfTargets) {
  llvm::SmallVector<Operand> all(sources.begin(), sources.end());
  all.append(targets.begin(), targets.end());
  llvm::SMLoc start = parser.getCurrentLocation();
  bool written = succeeded(parser.parseOptionalColon());
  llvm::SmallVector<Type> types;
  if (parseListOfViewTypes(parser, written, all, types))
    return failure();
  if (types.size() != all.size())
    return parser.emitError(start) << "expected types of " << all.size() << " views, found "
                                   << types.size();
  typesOfSources.assign(types.begin(), types.begin() + sources.size());
  typesOfTargets.assign(types.begin() + sources.size(), types.end());
  return success();
}

static void printViewTypesOfReduced(OpAsmPrinter &printer, Operation *, OperandRange, OperandRange,
                                    TypeRange sources, TypeRange targets) {
  printer << ": " << sources << ", " << targets;
}

/// Reports a key's old name, with its new one.
static ParseResult refuseRenamed(OpAsmParser &parser, llvm::StringRef old, llvm::StringRef now) {
  llvm::SMLoc start = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(old)))
    return success();
  return parser.emitError(start) << "expected '" << now << "', the new name of '" << old
                                 << "', found '" << old << "'";
}

/// `two_level_accumulation`, or nothing.
static ParseResult parseTwoLevelAccumulation(OpAsmParser &parser, UnitAttr &isThere) {
  if (refuseRenamed(parser, "promote", "two_level_accumulation"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("two_level_accumulation")))
    isThere = parser.getBuilder().getUnitAttr();
  return success();
}

static void printTwoLevelAccumulation(OpAsmPrinter &printer, Operation *, UnitAttr isThere) {
  if (isThere)
    printer << " two_level_accumulation";
}

/// `#layout.atom<NAME>`.
static ParseResult parseInstruction(OpAsmParser &parser, AtomAttr &atom) {
  const char *expected = "expected an atom, such as #layout.atom<simt_1>, found ";
  llvm::SMLoc start = parser.getCurrentLocation();
  Attribute found;
  OptionalParseResult parsed = parser.parseOptionalAttribute(found);
  if (parsed.has_value()) {
    if (failed(*parsed))
      return failure();
    atom = llvm::dyn_cast<AtomAttr>(found);
    if (atom)
      return success();
    return parser.emitError(start) << expected << found;
  }
  llvm::StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(start) << expected << "'" << keyword << "'";
  return parser.emitError(start) << expected << "none";
}

static void printInstruction(OpAsmPrinter &printer, Operation *, AtomAttr atom) {
  printer << atom;
}

/// `predicate(%view < 127 : TYPE, %view < %limit : TYPE, …)`, or nothing. Limits that are values are operands after all
/// views.
static ParseResult parsePredicates(OpAsmParser &parser, Operands &predicates,
                               llvm::SmallVectorImpl<Type> &types, DenseI64ArrayAttr &limits) {
  llvm::SmallVector<int64_t> values;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> atRunTime;
  auto parsePredicate = [&]() -> ParseResult {
    if (parser.parseOperand(predicates.emplace_back()) || parser.parseLess())
      return failure();
    OpAsmParser::UnresolvedOperand limit;
    OptionalParseResult isValue = parser.parseOptionalOperand(limit);
    if (isValue.has_value()) {
      if (failed(*isValue))
        return failure();
      atRunTime.push_back(limit);
      values.push_back(ShapedType::kDynamic);
    } else if (parser.parseInteger(values.emplace_back())) {
      return failure();
    }
    return parseViewTypeOf(parser, predicates.back(), types.emplace_back());
  };
  if (refuseRenamed(parser, "guard", "predicate"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("predicate")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePredicate))
    return failure();
  predicates.append(atRunTime.begin(), atRunTime.end());
  types.append(atRunTime.size(), parser.getBuilder().getIndexType());
  limits = parser.getBuilder().getDenseI64ArrayAttr(values);
  return success();
}

static void printPredicates(OpAsmPrinter &printer, Operation *, OperandRange predicates, TypeRange types,
                        DenseI64ArrayAttr limits) {
  if (predicates.empty())
    return;
  printer << " predicate(";
  llvm::ArrayRef<int64_t> values = limits.asArrayRef();
  size_t atRunTime = values.size();
  for (size_t i = 0; i < values.size() && i < predicates.size(); ++i) {
    if (i > 0)
      printer << ", ";
    printer << predicates[i] << " < ";
    if (values[i] == ShapedType::kDynamic && atRunTime < predicates.size())
      printer << predicates[atRunTime++];
    else
      printer << values[i];
    printer << " : " << types[i];
  }
  printer << ")";
}

#define GET_OP_CLASSES
#include "LayoutOps.cpp.inc"

#endif // LAYOUT_SYNTAX_H
