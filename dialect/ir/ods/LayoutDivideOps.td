//===- LayoutDivideOps.td - Divides and products -----------*- tablegen -*-===//
//
// A layout split into tiles, and a tile repeated.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_DIVIDE_OPS_TD
#define LAYOUT_DIVIDE_OPS_TD

include "LayoutClasses.td"

def Layout_LogicalDivideOp : Layout_RearrangeOp<"logical_divide"> {
  let summary = "each mode split into a tile and the rest";
  let description = [{
    - Preconditions: the term evaluates to a tiler no deeper than the layout's rank.
    - Postconditions: each divided mode has the form `(tile, rest)`. An uneven divide
      keeps CuTe's padded result.
    - Errors: those of complement and composition.

    ```mlir
    %r = layout.logical_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
    ```
  }];
}

def Layout_ZippedDivideOp : Layout_RearrangeOp<"zipped_divide"> {
  let summary = "a mode for the tile and a mode for the rest";
  let description = [{
    Divides as `layout.logical_divide`, with the tiles of all modes gathered in the first mode and the rest
    in the second: `((tile, …), (rest, …))`.

    - Preconditions: as for `layout.logical_divide`.
    - Postconditions: the result has rank 2; its first mode is a tile.
    - Errors: as for `layout.logical_divide`.

    ```mlir
    %r = layout.zipped_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
    ```
  }];
}

def Layout_TiledDivideOp : Layout_RearrangeOp<"tiled_divide"> {
  let summary = "a mode for the tile, and a mode for each part of the rest";
  let description = [{
    Divides as `layout.zipped_divide`, with the rest as modes of its own: `((tile, …), rest, …)`.

    - Preconditions: as for `layout.logical_divide`.
    - Postconditions: the first mode is a tile.
    - Errors: as for `layout.logical_divide`.

    ```mlir
    %r = layout.tiled_divide %v, #layout<(32,8)> : !layout.view<f16, global, (128,64):(64,1)>
    ```
  }];
}

def Layout_FlatDivideOp : Layout_RearrangeOp<"flat_divide"> {
  let summary = "split into tiles and places, all modes at the top";
  let description = [{
    Divides as `layout.zipped_divide`, with all modes at the top: `(tile, …, rest, …)`.

    - Preconditions: as for `layout.logical_divide`.
    - Postconditions: the first modes are a tile.
    - Errors: as for `layout.logical_divide`.

    ```mlir
    %r = layout.flat_divide %l, %t : !layout<(?{div=32},64):(64,1)>, !layout.tuple<(32,8)>
    ```
  }];
}

def Layout_LocalTileOp : Layout_ShortOp<"local_tile", [Pure, Layout_IsView]> {
  let summary = "one tile of a layout or view";
  let description = [{
    Like CuTe's `local_tile`, it gives a block's tile of a problem. The coordinate selects the tile;
    `_` keeps a mode of tiles, after the modes of the tile, and a tuple stands for its entries. The canonicalizer expands it to a
    `layout.zipped_divide` and a `layout.slice`.

    - Preconditions: those of `layout.zipped_divide`; the coordinate fits the divide's second mode.
    - Postconditions: the result is `slice(zipped_divide(source, term), ((_, …), coord))`.
    - Errors: those of `layout.zipped_divide` and `layout.slice`.

    ```mlir
    %tile = layout.local_tile %v(%i, _), #layout<(128,64)> : !layout.view<f16, global, (?,?1{div=64}):(?1,1)>
    // !layout.view<f16, global, (128,64,?0{div=64}/64):(?0,1,64)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrView:$source, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord,
                       Layout_TermAttr:$term);
  let results = (outs Layout_LayoutOrView:$result);
  let assemblyFormat = "$source `` custom<Coord>($coord, $indices) `,` "
                       "custom<TermAndTypeOf>($term, ref($source), type($source)) `` "
                       "custom<CoordTypes>(ref($indices), type($indices)) attr-dict";
}

def Layout_PartitionOp : Layout_ShortOp<"partition", [Pure, Layout_IsView]> {
  let summary = "a thread's part of a layout or view";
  let description = [{
    Like CuTe's `local_partition`, it gives a thread's part of a tile. The term is a layout of threads, from a coordinate in a tile to the
    thread there. The tile is repeated over the source; the result has the thread's element of each repetition.
    The canonicalizer expands it to a `layout.zipped_divide` by the tile's shape, a
    `layout.composition` with the inverse of the layout of threads, and a `layout.slice`.

    `source of` or `target of` a tiled copy is CuTe's `partition_S` and `partition_D` of the thread's slice;
    `a of`, `b of` and `c of` a tiled MMA its `partition_A`, `_B` and `_C`. The result has the thread's values of
    one tile in its first mode, those that an instruction moves first, and a mode for the tiles along each mode
    of the source: `((moved, rest), M, N, …)` for a copy, `(values, M, K, …)` for an MMA, as `layout.copy` and
    `layout.mma` take them. They are expanded in the same way, with the thread-value layout; a permutation
    of the tiled MMA that reorders a mode becomes a `layout.logical_divide` before.

    - Preconditions: the layout of threads is static, has no swizzle, and numbers its coordinates from 0 on, each
      number once; the preconditions of `layout.zipped_divide`. The coordinate is the number of one thread.
    - Postconditions: the result is
      `slice(composition(zipped_divide(source, product_each(term)), <right_inverse(term), _>), (coord, (_, …)))`.
    - Errors: a thread with no coordinate or several; a coordinate that is not a single number; a side of a tiled
      MMA or an operand of a tiled copy; values of a thread that are no multiple of the atom's width; those of
      `layout.zipped_divide`.

    ```mlir
    %from = layout.partition %g(%t), source of #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
        : !layout.view<f16, global, (128,64):(64,1)>
    // !layout.view<f16, global, ((8,1),8,1):((1,0),1024,0)>
    %c = layout.partition %d(%t), c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>
        : !layout.view<f32, global, (128,64):(64,1)>
    // !layout.view<f32, global, ((2,2),4,4):((1,512),2048,16)>
    %mine = layout.partition %v(%t), #layout<(32,4):(4,1)> : !layout.view<f16, global, (128,?{div=4}):(1,128)>
    // !layout.view<f16, global, (4,?{div=4}/4):(32,512)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrView:$source, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord,
                       OptionalAttr<Layout_TermAttr>:$term, OptionalAttr<AnyAttr>:$tiled,
                       OptionalAttr<StrAttr>:$part);
  let results = (outs Layout_LayoutOrView:$result);
  let assemblyFormat = "$source `` custom<Coord>($coord, $indices) `,` "
                       "custom<Partitioner>($term, $tiled, $part, ref($source), type($source)) `` "
                       "custom<CoordTypes>(ref($indices), type($indices)) attr-dict";
}

def Layout_RetileOp : Layout_ShortOp<"retile", [Pure, Layout_IsView]> {
  let summary = "registers of an MMA's operand, regrouped for a tiled copy";
  let description = [{
    CuTe's `retile`: a fragment `(values, M, N, …)` of a tiled MMA's operand becomes
    `((moved, rest), M, N, …)`, grouped by the copy's instructions. The copy has the same tile, with
    possibly fewer tiles along each mode. The canonicalizer expands it to a `layout.zipped_divide`, a
    `layout.composition` and a `layout.slice`.

    - Preconditions: the tiled copy is made of the fragment's operand (`a of`, `b of` or `c of` its tiled MMA), or the fragment has the
      copy's own values in its first mode.
    - Postconditions: the same registers; `layout.copy` moves them to and from the copy's partition of the other
      side.
    - Errors: a fragment of other values; values of a thread that are no multiple of the atom's width.

    ```mlir
    #mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <_, (8,2,2):(1,16,8), _>>
    %r = layout.retile %b, #layout.tiled_copy<ldmatrix_x4, b of #mma>
        : !layout.view<f16, register, ((2,2),8,1):((1,2),4,0)>
    // !layout.view<f16, register, ((8,1),4,1):((1,0),8,0)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrView:$source, Layout_TiledCopyAttr:$tiled);
  let results = (outs Layout_LayoutOrView:$result);
  let assemblyFormat = "$source `,` custom<TermAndTypeOf>($tiled, ref($source), type($source)) attr-dict";
}

def Layout_LogicalProductOp : Layout_ProductOp<"logical_product"> {
  let summary = "one layout repeated by another";
  let description = [{
    - Preconditions: both operands are plain; the first has a complement for the repetition.
    - Postconditions: the result has rank 2; its first mode is the first operand, its second
      enumerates the repetitions.
    - Errors: those of complement and composition.

    ```mlir
    %r = layout.logical_product %tile, %times : !layout<(2,2):(4,1)>, !layout<6:1>
    ```
  }];
}

def Layout_ZippedProductOp : Layout_ProductOp<"zipped_product"> {
  let summary = "one layout repeated by another, modes gathered";
  let description = [{
    Multiplies as `layout.logical_product`, with the modes gathered as `((block, …), (times, …))`.

    - Preconditions: as for `layout.logical_product`.
    - Postconditions: the same function as the logical product of the modes, in that order.
    - Errors: as for `layout.logical_product`.

    ```mlir
    %r = layout.zipped_product %l, #layout<6:1> : !layout<(2,2):(4,1)>
    ```
  }];
}

def Layout_TiledProductOp : Layout_ProductOp<"tiled_product"> {
  let summary = "one layout repeated by another, modes gathered";
  let description = [{
    Multiplies as `layout.logical_product`, with the modes gathered as `((block, …), times, …)`.

    - Preconditions: as for `layout.logical_product`.
    - Postconditions: the same function as the logical product of the modes, in that order.
    - Errors: as for `layout.logical_product`.

    ```mlir
    %r = layout.tiled_product %l, #layout<6:1> : !layout<(2,2):(4,1)>
    ```
  }];
}

def Layout_FlatProductOp : Layout_ProductOp<"flat_product"> {
  let summary = "one layout repeated by another, modes gathered";
  let description = [{
    Multiplies as `layout.logical_product`, with the modes gathered as `(block, …, times, …)`.

    - Preconditions: as for `layout.logical_product`.
    - Postconditions: the same function as the logical product of the modes, in that order.
    - Errors: as for `layout.logical_product`.

    ```mlir
    %r = layout.flat_product %l, #layout<6:1> : !layout<(2,2):(4,1)>
    ```
  }];
}

def Layout_BlockedProductOp : Layout_ProductOp<"blocked_product"> {
  let summary = "a block repeated, mode by mode, each block first";
  let description = [{
    Block and repetition may have different ranks; the shorter is filled up with `1:0`.

    - Preconditions: as for `layout.logical_product`.
    - Postconditions: mode `i` pairs mode `i` of the block and of the repetition; the block comes
      first.
    - Errors: as for `layout.logical_product`.

    ```mlir
    %r = layout.blocked_product %l, %t : !layout<(2,2):(1,2)>, !layout<(3,4):(1,3)>
    ```
  }];
}

def Layout_RakedProductOp : Layout_ProductOp<"raked_product"> {
  let summary = "a block repeated, mode by mode, each repetition first";
  let description = [{
    Block and repetition may have different ranks; the shorter is filled up with `1:0`.

    - Preconditions: as for `layout.logical_product`.
    - Postconditions: mode `i` pairs mode `i` of the block and of the repetition; the repetition
      comes first.
    - Errors: as for `layout.logical_product`.

    ```mlir
    %r = layout.raked_product %l, %t : !layout<(2,2):(1,2)>, !layout<(3,4):(1,3)>
    ```
  }];
}

def Layout_TileToShapeOp : Layout_FoldedOp<"tile_to_shape", [Pure]> {
  let summary = "a block repeated until it covers a shape";
  let description = [{
    - Preconditions: the shape has at least the rank of the block; an order has an entry for each mode.
    - Postconditions: the sizes of the modes are those of the shape, rounded up to multiples of the block's; the blocks
      are in column-major order, or in the order that is given: the mode with the smallest number is filled first.
    - Errors: a shape of lower rank; extents that are not known to be at least 1; an order of another rank.

    ```mlir
    %r = layout.tile_to_shape %l, %s : !layout<(2,2):(1,2)>, !layout.tuple<(?{range=1..},8)>
    %t = layout.tile_to_shape %l order #layout<(1,0)>, #layout<(4,6)> : !layout<(2,2):(1,2)>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$source, Optional<Layout_LayoutOrTuple>:$by,
                       OptionalAttr<Layout_TermAttr>:$term, OptionalAttr<Layout_TermAttr>:$order);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source (`order` $order^)? `,` "
                       "custom<TermOrValue>($term, $by, ref($source), type($by), type($source)) attr-dict";
}

#endif // LAYOUT_DIVIDE_OPS_TD
