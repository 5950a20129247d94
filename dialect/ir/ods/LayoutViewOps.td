//===- LayoutViewOps.td - Operations on views --------------------*- tablegen -*-===//
//
// Where views come from, how they are sliced, and how single elements move.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_VIEW_OPS_TD
#define LAYOUT_VIEW_OPS_TD

include "LayoutAttributes.td"
include "LayoutTypes.td"

// The value operand has the view's element type.
class Layout_ValueIsElement<string value> : TypesMatchWith<
    "the value has the view's element type", "view", value,
    "::llvm::cast<::layout::ViewType>($_self).getElementType()">;

def Layout_MakeViewOp : Layout_FoldedOp<"make_view", [Pure, Layout_IsView,
    BufferDeallocationOpInterface]> {
  let summary = "memory seen through a layout";
  let description = [{
    The base is a pointer of LLVM's dialect, with an element type; another
    view, whose first element and element type the result keeps; or a memref, with its own element type
    and layout. The address space or memory space selects the memory: 0 is
    the host's, 1 global, 3 shared, and 5 of a memref registers; `#gpu.address_space<…>` works, too.

    Without a layout, the view of a memref has a mode for each dimension: the modes of the
    memref's `#layout<…>`, or leaves with the memref's strides. A dynamic size or stride
    is `?{i64}` there; to narrow it, give a layout from `layout.assume`.

    - Preconditions: the memory holds an element at each offset of the layout that is loaded or stored.
    - Postconditions: the element at `c` lies `L(c)` elements past the pointer, or past the first
      element of the base.
    - Errors: a base that is none of these, is an identity tensor or has a swizzle; another address space; a type
      of elements for a view or a memref, or none for a pointer; no layout for a view or a pointer; a
      memref whose dimensions have no strides.

    ```mlir
    %v = layout.make_view %p, %l of f16 : !llvm.ptr<1>, !layout<(?,8):(1,?{div=8})>
    %w = layout.make_view %v, %m : !layout.view<f16, global, (?,8):(1,?{div=8})>, !layout<8:1>
    %x = layout.make_view %b : memref<?x?xf32>  // !layout.view<f32, host, (?{i64},?1{i64}):(?1,1)>
    %y = layout.make_view %b, %l : memref<?x?xf32>, !layout<(?,8):(1,?{div=8})>
    ```
  }];
  let arguments = (ins AnyType:$base, Optional<Layout_LayoutType>:$layout,
                       OptionalAttr<TypeAttr>:$element);
  let results = (outs Layout_ViewType:$result);
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getBase(); }
    /// Refuses views that outlive their memref: see cpp/Buffers.cpp.
    ::llvm::FailureOr<::mlir::Operation *>
    process(::mlir::bufferization::DeallocationState &state,
            const ::mlir::bufferization::DeallocationOptions &options);
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$base), [{
    build($_builder, $_state, base, ::mlir::Value(), ::mlir::TypeAttr());
  }]>];
  let assemblyFormat = "$base (`,` $layout^)? (`of` $element^)? attr-dict "
                       "custom<TypesOfOneOrTwo>(ref($base), ref($layout), type($base), type($layout))";
}

def Layout_PointerOp : Layout_Op<"pointer", [Pure, Layout_IsView]> {
  let summary = "the address of a view's first element";
  let description = [{
    CuTe's `tensor.data()`: the way from a view to operations of LLVM's dialect, NVVM and inline assembly, and to functions that take
    pointers. `layout.make_view` is the way back.

    - Preconditions: a view of host, global or shared memory, whose elements are whole bytes.
    - Postconditions: the element at `c` lies `L(c)` elements past the pointer; under a swizzle only the first element is known to be there.
    - Errors: registers, which have no address, and identity tensors; elements of less than a byte; a pointer to another address
      space: the space's own, 0 for host, 1 for global and 3 for shared memory, or the generic one.

    ```mlir
    %p = layout.pointer %row : !layout.view<f32, global, (?,8):(8,1)> -> !llvm.ptr<1>
    %old = llvm.atomicrmw fadd %p, %x monotonic : !llvm.ptr<1>, f32
    ```
  }];
  let arguments = (ins Layout_ViewType:$view);
  let results = (outs AnyType:$pointer);
  let assemblyFormat =
      "$view attr-dict custom<ViewTypeOf>(ref($view), type($view)) `->` type($pointer)";
}

def Layout_SliceOp : Layout_CoordOp<"slice", [Pure, Layout_IsView]> {
  let summary = "the part of a layout, tuple or view where some coordinates are fixed";
  let description = [{
    `_` keeps a mode; an integer or an `index` value fixes one. Coordinates nest as the layout does. If every
    mode is fixed, one element is left, `1:0`. The attribute `coord` is the pattern's text with `?` for each operand.

    On a view, fixed modes, static and dynamic, add to the view's offset, and
    the type has the kept modes: those of the layout or, for a swizzled view, the same
    swizzle over the kept modes of the inner layout. On a layout value only the kept modes remain,
    as in CuTe. In a composed layout, fixed modes add to the offset between inner and outer layout,
    static or dynamic; modes that step by whole periods of the swizzle
    add nothing there, as in a plain layout.

    A slice of a tuple is the tuple of the entries at which the coordinate has `_`; the other entries of the coordinate
    are ignored, as in CuTe.

    - Preconditions: the coordinate fits the layout or the tuple.
    - Postconditions: `result(d) = source(c)` where `c` is the coordinate with `d` in place of `_`; of a
      layout value, less the offset that fixed modes add to the whole.
    - Errors: a coordinate that does not fit; integers that are out of range; as many operands as
      there are `?` are expected.

    ```mlir
    %row = layout.slice %v(_, (%i, 3)) : !layout.view<f16, global, (8,(4,4)):(1,(8,32))>
    %n = layout.slice %t(_, (0, _)) : !layout.tuple<(?,(2,3))>   // !layout.tuple<(?,3)>
    ```
  }];
  let arguments = (ins Layout_Value:$source, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let results = (outs Layout_Value:$result);
  let assemblyFormat =
      "$source `` custom<Coord>($coord, $indices) attr-dict "
      "custom<TypeOf>(ref($source), type($source)) `` "
      "custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_AllocOp : Layout_Op<"alloc"> {
  let summary = "memory for a view";
  let description = [{
    Allocates shared memory of the block, or registers of the thread, for the layout's cosize. The memory lives
    as long as the kernel runs and is uninitialised.

    - Preconditions: the space is `shared` or `register`; the layout is static, and none of its
      offsets is negative.
    - Postconditions: the view's offset is 0.
    - Errors: another space; a layout with `?`, or one that starts below 0.

    ```mlir
    %s = layout.alloc : !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>
    ```
  }];
  let results = (outs Res<Layout_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Layout_PartitionFragmentOp : Layout_FragmentOp<"partition_fragment"> {
  let summary = "registers for a thread's part of an MMA's operand";
  let description = [{
    Like CuTe's `partition_fragment_A`, `_B` and `_C`, it makes registers `(values, M, N)` for an operand of a tiled MMA and
    a tile of the given shape, with the atom's element type. The canonicalizer replaces it by `layout.alloc`.

    - Preconditions: the atom has the operand in registers; the shape has two static extents, multiples of
      the tiled MMA's tile.
    - Postconditions: a compact layout, the values of an atom first.
    - Errors: an operand in shared memory; another shape.

    ```mlir
    %acc = layout.partition_fragment c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>, (128,64)
    // !layout.view<f32, register, ((2,2),4,4):((1,2),4,16)>
    ```
  }];
  let arguments = (ins Layout_TiledMmaAttr:$tiled, StrAttr:$part, DenseI64ArrayAttr:$extents);
  let results = (outs Res<Layout_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "custom<OperandOf>($part, $tiled) `,` custom<Extents>($extents) attr-dict";
}

def Layout_MakeFragmentLikeOp : Layout_FragmentOp<"make_fragment_like"> {
  let summary = "registers in the shape of a view";
  let description = [{
    Like CuTe's `make_fragment_like`, it makes registers of the view's shape, compact, the first mode first and the others in
    the order of their strides. The canonicalizer replaces it by `layout.alloc`.

    - Preconditions: the view's shape is static.
    - Postconditions: a view of registers of the same shape and element type, or of the given one.
    - Errors: a partly static shape.

    ```mlir
    %r = layout.make_fragment_like %g : !layout.view<f16, global, ((8,1),4,2):((1,0),64,8)>
    // !layout.view<f16, register, ((8,1),4,2):((1,0),16,8)>
    %s = layout.make_fragment_like %g of f32 : !layout.view<f16, global, ((8,1),4,2):((1,0),64,8)>
    ```
  }];
  let arguments = (ins Layout_ViewType:$source, OptionalAttr<TypeAttr>:$element);
  let results = (outs Res<Layout_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat =
      "$source (`of` $element^)? attr-dict custom<ViewTypeOf>(ref($source), type($source))";
}

def Layout_IdentityTensorOp : Layout_Op<"identity_tensor", [Pure]> {
  let summary = "a view whose elements are their own offsets";
  let description = [{
    This is CuTe's identity tensor, one mode at a time: its strides select the mode, as `(1,0)` selects the rows. Partitioned like the
    data, it gives the coordinate of each element, which the predicates of `layout.copy` compare with limits.

    - Preconditions: the space is `coordinate` and the element type `index`. For a partly static
      layout, the operand is that layout.
    - Postconditions: the element at `c` is `L(c)`.
    - Errors: another space; a layout with `?` and no operand; an operand of another layout.

    ```mlir
    %rows = layout.identity_tensor : !layout.view<index, coordinate, (127,65):(1,0)>
    %cols = layout.identity_tensor of %l : !layout<(?,?):(0,1)> -> !layout.view<index, coordinate, (?,?):(0,1)>
    ```
  }];
  let arguments = (ins Optional<Layout_LayoutType>:$layout);
  let results = (outs Layout_ViewType:$result);
  let assemblyFormat =
      "(`of` $layout^ `:` type($layout) `->`) : (`:`)? type($result) attr-dict";
}

def Layout_LoadOp : Layout_CoordOp<"load"> {
  let summary = "one element of a view";
  let description = [{
    - Preconditions: the coordinate fits the layout and has no `_`; in range at run time.
    - Postconditions: the element; from an identity tensor, its offset.
    - Errors: a coordinate that does not fit or has `_`; integers that are out of range.

    The canonicalizer moves static integers into the coordinate, as for all operations that have one. A load
    from an identity tensor is the `layout.crd2idx` of the coordinate, and folds to a constant if all coordinates
    are static.

    ```mlir
    %x = layout.load %v(%i, 0) : !layout.view<f32, register, (4,2):(1,4)>
    ```
  }];
  let arguments = (ins Arg<Layout_ViewType, "", [MemRead]>:$view, Variadic<Layout_Coordinate>:$indices,
                       StrAttr:$coord);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_StoreOp : Layout_Op<"store", [Layout_ValueIsElement<"value">]> {
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Expansion);
  let summary = "writes one element of a view";
  let description = [{
    - Preconditions: as for `layout.load`; the view is no identity tensor.
    - Postconditions: the element at the coordinate is the value.
    - Errors: as for `layout.load`; an identity tensor; a value of another type.

    ```mlir
    layout.store %x, %v(%i, 0) : !layout.view<f32, register, (4,2):(1,4)>
    ```
  }];
  let arguments = (ins AnyType:$value, Arg<Layout_ViewType, "", [MemWrite]>:$view,
                       Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let assemblyFormat =
      "$value `,` $view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` "
      "custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_FillOp : Layout_Op<"fill", [Layout_ValueIsElement<"value">]> {
  let summary = "writes one value to every element of a view";
  let description = [{
    A partly static view is filled by loops over its modes.

    - Preconditions: the view is no identity tensor.
    - Postconditions: every element is the value.
    - Errors: an identity tensor; a value of another type.

    ```mlir
    layout.fill %acc, %zero : !layout.view<f32, register, (4,2):(1,4)>
    ```
  }];
  let arguments = (ins Arg<Layout_ViewType, "", [MemWrite]>:$view, AnyType:$value);
  let assemblyFormat = "$view `,` $value attr-dict custom<ViewTypeOf>(ref($view), type($view))";
}

def Layout_AtomicOp : Layout_InferredOp<"atomic", [Layout_ValueIsElement<"value">]> {
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, Layout_Expansion);
  let summary = "combines a value with an element of a view atomically";
  let description = [{
    The element at the coordinate becomes `kind(element, value)`, atomically, and the result is what it was before, as of
    CUDA's `atomicAdd`. In this example, one thread of each block adds the result of a `layout.reduce`:

    ```mlir
    %is_first = arith.cmpi eq, %t, %c0 : index
    scf.if %is_first {
      %sum = layout.load %s(0) : !layout.view<f32, register, 1:0>
      layout.atomic add %sum, %out(0) relaxed : !layout.view<f32, global, 1:1>
    }
    ```

    A work counter gives each block its next tile:

    ```mlir
    %tile = layout.atomic add %one, %counter(0) relaxed : !layout.view<i32, global, 1:1>
    ```

    | | floats | integers |
    |---|---|---|
    | `add` | the sum, rounded to the nearest | the sum modulo 2^bits |
    | `max`, `min` | `maximumf`, `minimumf`: a NaN stays | signed |
    | `maxnum`, `minnum` | a NaN is left out | |
    | `maxu`, `minu` | | unsigned |
    | `and`, `or`, `xor` | | bit by bit |
    | `exchange` | the value | the value |

    `relaxed`, `acquire`, `release` and `acq_rel` are the memory orders of PTX and C++: `relaxed` orders
    accesses of that element only; the others add fences around a relaxed access. The scope is the device for global memory, and the block for
    shared memory. The order of threads is unspecified, so sums of floats differ from run to run.

    - Preconditions: a view of global or shared memory, or of the host's; elements of f32, f64, i32 or i64 and a kind that fits
      them, or of f16 or bf16 and `add`; the coordinate as for `layout.load`; a value of the element's type.
    - Postconditions: as above; the result has the element's type.
    - Errors: a violated precondition.

    ```mlir
    layout.atomic max %x, %v(%i, 0) relaxed : !layout.view<i32, global, (4,2):(1,4)>
    ```
  }];
  let arguments = (ins StrAttr:$kind, AnyType:$value,
                       Arg<Layout_ViewType, "", [MemRead, MemWrite]>:$view,
                       Variadic<Layout_Coordinate>:$indices, StrAttr:$coord, StrAttr:$order);
  let results = (outs AnyType:$old);
  let assemblyFormat =
      "custom<Word>($kind) $value `,` $view `` custom<Coord>($coord, $indices) custom<Word>($order) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

#endif // LAYOUT_VIEW_OPS_TD
