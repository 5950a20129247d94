//===- IreeLinalgExtOps.td - Operations that iree-compile emits -*- tablegen -*-===//
//
// The operations of IREE's dialect `iree_linalg_ext` that `iree-compile --compile-to=input` makes of StableHLO, in the
// forms that it prints.
//
//===----------------------------------------------------------------------===//

include "ExtensionClasses.td"

def IreeLinalgExt_Dialect : Extension_Dialect<"iree_linalg_ext"> {
  let summary = "operations that iree-compile emits beside linalg";
}

class IreeLinalgExt_RegionOp<string mnemonic, list<Trait> traits = []>
    : Extension_RegionOp<IreeLinalgExt_Dialect, mnemonic, traits>;

def IreeLinalgExt_ScanOp : IreeLinalgExt_RegionOp<"scan"> {
  let summary = "the inclusive or exclusive scan of a tensor along a dimension";
  let arguments = (ins AnyRankedTensor:$input, AnyRankedTensor:$output,
                       AnyRankedTensor:$accumulator, I64Attr:$dimension, BoolAttr:$inclusive);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` `inclusive` `(` $inclusive `)`
    `ins` `(` $input `:` type($input) `)`
    `outs` `(` $output `,` $accumulator `:` type($output) `,` type($accumulator) `)`
    $region (`->` type($results)^)?
  }];
}

def IreeLinalgExt_ScatterOp : IreeLinalgExt_RegionOp<"scatter"> {
  let summary = "combines slices of a tensor at places that indices name with updates";
  let arguments = (ins AnyRankedTensor:$updates, AnyRankedTensor:$indices,
                       AnyRankedTensor:$original, DenseI64ArrayAttr:$dimension_map,
                       DefaultValuedAttr<BoolAttr, "true">:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension_map` `=` $dimension_map `unique_indices` `(` $unique_indices `)`
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $original `:` type($original) `)` $region (`->` type($results)^)?
  }];
}

def IreeLinalgExt_SortOp : IreeLinalgExt_RegionOp<"sort", [AttrSizedOperandSegments]> {
  let summary = "sorts tensors together along a dimension";
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs,
                       I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)` (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` $region (`->` type($results)^)?
  }];
}

def IreeLinalgExt_TopkOp : IreeLinalgExt_RegionOp<"topk"> {
  let summary = "the first elements along a dimension in an order, and their indices";
  let arguments = (ins AnyRankedTensor:$values, Optional<AnyRankedTensor>:$indices,
                       AnyRankedTensor:$out_values, AnyRankedTensor:$out_indices,
                       I64Attr:$dimension);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    attr-dict `dimension` `(` $dimension `)`
    `ins` `(` $values (`,` $indices^)? `:` type($values) (`,` type($indices)^)? `)`
    `outs` `(` $out_values `,` $out_indices `:` type($out_values) `,` type($out_indices) `)`
    $region (`->` type($results)^)?
  }];
}

def IreeLinalgExt_YieldOp : Extension_YieldOp<IreeLinalgExt_Dialect>;
