//===- types.cpp - Attributes and types of the layout dialect in C++ ------===//
//
// Constructors from texts, their errors, casts, and the values of terms.
//
//===----------------------------------------------------------------------===//

#include "layout/Layout.h"

using namespace mlir;

/// Prints why a constructor has no result.
template <typename T, typename... Arguments>
static void refused(const char *label, Arguments... arguments) {
  std::string error;
  if (!T::get(arguments..., &error))
    llvm::outs() << label << ": " << error << "\n";
}

int main() {
  MLIRContext context;
  Type f16 = Float16Type::get(&context);

  auto term = layout::TermAttr::get(&context, "coalesce(flatten((2,3):(3,1)))");
  llvm::outs() << "term: " << term << "\ntext: " << term.getText() << "\nvalue: " << term.evaluate() << "\n";
  llvm::outs() << "cosize: " << *layout::TermAttr::get(&context, "cosize((4,8):(16,1))").getInteger() << "\n";
  llvm::outs() << "atom: " << layout::AtomAttr::get(&context, "ldmatrix_x4")
               << "\ncopy: " << layout::TiledCopyAttr::get(&context, "cp_async_16, (16,8):(8,1), (1,8)")
               << "\nmma: " << layout::TiledMmaAttr::get(&context, "mma_m16n8k16_f32_f16, (2,2,1)")
               << "\nschedule: " << layout::ScheduleAttr::get(&context, "auto, chip = \"sm_90a\"")
               << "\nrelation: " << layout::RelationAttr::get(&context, "\"{ [i] -> [8i] : 0 <= i < 4 }\"") << "\n";
  auto view = layout::ViewType::get(f16, "shared", "(64,8):(1,64)");
  llvm::outs() << "view: " << view << " of " << view.getElementType() << " in " << view.getSpace()
               << " through " << view.getText() << "\n";
  llvm::outs() << "partly static: " << layout::ViewType::get(f16, "global", "( ? , 8 ):(?{div=8},1)")
               << " through " << layout::LayoutType::get(&context, "(?7,8):(1,?7)") << "\n";
  llvm::outs() << "tuple: " << layout::TupleType::get(&context, "(128,(?,_))") << "\n";
  llvm::outs() << "evaluated: " << *layout::evaluate("composition((6,2):(8,2), (4,3):(3,1))") << "\n";
  Attribute attribute = term;
  Type type = view;
  llvm::outs() << "kinds: " << isa<layout::TermAttr>(attribute) << isa<layout::AtomAttr>(attribute)
               << isa<layout::ViewType>(type) << isa<layout::LayoutType>(type) << "\n";

  std::string error;
  refused<layout::TermAttr>("no term", &context, "coalesce(");
  refused<layout::AtomAttr>("no atom", &context, "ldmatrix_x5");
  refused<layout::ScheduleAttr>("no schedule", &context, "tile = (64,64)");
  refused<layout::LayoutType>("no layout", &context, "(4,8):3");
  refused<layout::ViewType>("no view", f16, "texture", "4:1");
  if (!layout::TermAttr::get(&context, "composition((3,4):(1,5), (2,2):(2,1))").evaluate(&error))
    llvm::outs() << "no value: " << error << "\n";
  if (!term.getInteger(&error))
    llvm::outs() << "no integer: " << error << "\n";
  if (!layout::evaluate("size(", &error))
    llvm::outs() << "no value: " << error << "\n";
  for (auto [name, options] : {std::pair("layout-spell", ""), std::pair("layout-simplify", "depth=3")})
    if (!layout::createPass(name, options, &error))
      llvm::outs() << "no pass: " << error << "\n";
  return 0;
}
