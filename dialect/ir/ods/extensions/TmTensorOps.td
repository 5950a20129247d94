//===- TmTensorOps.td - Operations that torch-mlir emits --------*- tablegen -*-===//
//
// The operations of torch-mlir's dialect `tm_tensor`, in the forms that torch-mlir prints.
//
//===----------------------------------------------------------------------===//

include "ExtensionClasses.td"

def TmTensor_Dialect : Extension_Dialect<"tm_tensor"> {
  let summary = "operations that torch-mlir emits beside linalg";
}

class TmTensor_RegionOp<string mnemonic>
    : Extension_RegionOp<TmTensor_Dialect, mnemonic, [AttrSizedOperandSegments]>;

def TmTensor_ScanOp : TmTensor_RegionOp<"scan"> {
  let summary = "the inclusive or exclusive scan of a tensor along a dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)` attr-dict
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TmTensor_ScatterOp : TmTensor_RegionOp<"scatter"> {
  let summary = "combines slices of a tensor at places that indices name with updates";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `unique_indices` `(` $unique_indices `)`
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    $region (`->` type($results)^)?
  }];
}

def TmTensor_SortOp : TmTensor_RegionOp<"sort"> {
  let summary = "sorts tensors together along a dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_TopkOp : TmTensor_RegionOp<"topk"> {
  let summary = "the first elements along a dimension in an order, and their indices";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def TmTensor_AttentionOp
    : Extension_Op<TmTensor_Dialect, "attention", [AttrSizedOperandSegments]> {
  let summary = "attention of queries, keys and values, with a mask or without";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    (`->` type($results)^)?
  }];
}

def TmTensor_YieldOp : Extension_YieldOp<TmTensor_Dialect>;
