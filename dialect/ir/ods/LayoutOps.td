//===- LayoutOps.td - All definitions of the layout dialect -----*- tablegen -*-===//
//
// The input of `mlir-tblgen`: the families, together.
//
//===----------------------------------------------------------------------===//

include "LayoutAccessOps.td"
include "LayoutAlgebraOps.td"
include "LayoutConstructionOps.td"
include "LayoutDivideOps.td"
include "LayoutFragmentOps.td"
include "LayoutIndexOps.td"
include "LayoutKernelOps.td"
include "LayoutTupleOps.td"
include "LayoutViewOps.td"
