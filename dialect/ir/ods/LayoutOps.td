//===- LayoutOps.td - All definitions of the layout dialect -----*- tablegen -*-===//
//
// What `mlir-tblgen` reads: the families, together.
//
//===----------------------------------------------------------------------===//

include "LayoutAlgebraOps.td"
include "LayoutKernelOps.td"
include "LayoutViewOps.td"
