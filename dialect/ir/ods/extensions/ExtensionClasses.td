//===- ExtensionClasses.td - Operations of front ends' dialects -*- tablegen -*-===//
//
// Front ends lower to linalg, and to operations of dialects of their own where linalg has none: sorts, scans, scatters and
// attention. Stock MLIR does not have these dialects. The definitions here let such files parse and print; the pass
// `layout-decompose-extensions` gives the operations their meaning, in linalg.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_EXTENSION_CLASSES_TD
#define LAYOUT_EXTENSION_CLASSES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Extension_Dialect<string space> : Dialect {
  let name = space;
  let cppNamespace = "::layout::" # space;
}

// An operation on tensors.
class Extension_Op<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Op<dialect, mnemonic, traits # [Pure]>;

// One with a region of one block, which combines or compares elements.
class Extension_RegionOp<Dialect dialect, string mnemonic, list<Trait> traits = []>
    : Extension_Op<dialect, mnemonic, traits # [SingleBlock]> {
  let regions = (region SizedRegion<1>:$region);
}

// The end of such a region.
class Extension_YieldOp<Dialect dialect>
    : Op<dialect, "yield", [Pure, ReturnLike, Terminator]> {
  let summary = "ends the region of an operation of its dialect";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

#endif // LAYOUT_EXTENSION_CLASSES_TD
