//===- LayoutKernelOps.td - Copies, MMAs and matmuls ------------*- tablegen -*-===//
//
// Operations that become hardware instructions, named by atoms, and the matmul that passes tile.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_KERNEL_OPS_TD
#define LAYOUT_KERNEL_OPS_TD

include "LayoutAttributes.td"
include "LayoutTypes.td"

def Layout_CopyOp : Layout_Op<"copy"> {
  let summary = "copies one view to another with a copy instruction";
  let description = [{
    `target(i) = source(i)` for every index `i` below the common size, counted colexicographically,
    `V` elements an instruction, where `V` is the atom's. An element `i` is copied only if
    `predicate(i) < limit` for every predicate; where it is not, a `shared` or `register` target gets 0 and
    any other target stays as it is.

    Where the element types differ, each number is converted by way of f32 and rounded to nearest even. Conversions
    to types of 8 bits *saturate*: a number or infinity beyond the largest (448 of f8E4M3FN, 57344 of f8E5M2, -128 and
    127 of i8) becomes the largest. A NaN becomes the NaN 0x7f, and 0 in i8. `cvt.rn.satfinite` and
    `cvt.pack.sat` give these results; chips before sm_89, which cannot convert to floats of 8 bits, and the host compute
    the same bits by arithmetic. `arith.truncf` differs: it turns numbers that are too large into a NaN or an infinity. The
    result of `arith.fptosi` for them is undefined. From f64, a copy converts to floats of 16 bits or more only. Threads do not
    round to tf32; a TMA load rounds f32 to it.
    Packed elements (`i4`, `ui4`, `i2`, `ui2`) are converted exactly to `i8` or to floats of 16 bits or more; a run of them in
    memory fills whole bytes. Registers that a `simt` copy writes may hold a run in any order: for numbers of 4 bits, the
    order (0,4,1,5,2,6,3,7) of eight, `((4,2)):((2,1))`, needs the fewest instructions.

    [The table of atoms](ATOMS.md) lists the copy instructions. A whole warp executes a collective atom (`ldmatrix`,
    `stmatrix`): each lane's view of shared memory names the elements whose address it provides, and its registers hold the
    elements that the atom's layouts exchange.

    One thread issues a TMA load (`bulk_tensor_load`) for a whole tile. The copy
    has a predicate for each mode of the matrix in global memory, which gives the tile's coordinates and the matrix's extents.
    The tensor map and its boxes are derived from the layouts of matrix, tile and predicates: each stride
    of the matrix is a dimension, of at most five. Along a mode with several strides, a tile consists of whole blocks, or lies within one. A
    warpgroup executes a TMA store (`bulk_tensor_store`), and its first thread issues it; it is asynchronous, completes by `nvvm`'s operations
    on bulk groups, and reads data written before a `fence.proxy` and a barrier.

    `bulk_load` and `bulk_store` use no tensor map and take no predicates: each instruction
    moves a run of elements that is contiguous on both sides, a multiple of 16 bytes.

    In a pipeline with a cluster, `multicast` on a bulk load declares its tile the same for all
    blocks of the cluster that differ along this mode, 0 for M and 1 for N: each block loads a part and multicasts it to the others.
    In a `layout.transaction` of a kernel with a cluster, mode 0 is all blocks of the cluster: each block's barrier expects the whole
    tile, of which each block issues a part, once the threads of all these blocks are done with the memory that it is for.

    `evict_first` on `bulk_tensor_load`, or on a `simt_*` copy from global memory, is the L2 eviction hint for data that is not read
    again soon: its lines leave the cache before all others.

    `no_zfill` on `bulk_tensor_load` names a predicate beyond whose limit elements need not be filled with zeros: they may keep what shared memory
    held, so that no result may depend on them. The last tile of an extent loads faster so, since the copy engine writes a row of zeros more slowly than a row that it reads.

    Where a size is dynamic, the atom is `simt_1`; views of static size and dynamic strides are copied in vectors, too, by `simt_*` and
    `cp_async_*`, if the divisors of the strides align these. Between views of static size, element `i` is copied to element
    `i`; otherwise source, target and predicates have equal numbers of top-level modes with equal sizes, which is checked
    where they are static, and the copy becomes loops over these modes. A TMA copy moves a whole tile of static size; its tensor map
    has the dynamic strides of the matrix.

    A dynamic limit is an `index` value: `predicate(%rows < %m : …)`. In the generic form its
    place in `limits` holds -2^63, and the values follow the predicates, in their order.

    - Preconditions: source, target and predicates have one size, which `V` divides; element types are
      equal, or the atom converts (`simt_*`) and both are floats, or a float and i8, or the source's is
      i32 and the target's i8; every aligned run of `V` elements is contiguous in each view in
      memory, and stays so under its swizzle; the spaces are those of the atom; predicates are identity tensors, and absent for `bulk_load` and `bulk_store`;
      `multicast` is 0 or 1, and on `bulk_tensor_load` only; `evict_first` is on that atom or on `simt_*` with a source in global memory;
      `no_zfill` is the number of a predicate, and on `bulk_tensor_load` only; an `index` for each dynamic limit.
    - Postconditions: as above.
    - Errors: a violated precondition.

    ```mlir
    layout.copy #layout.atom<cp_async_16> %g, %s predicate(%rows < 127 : !layout.view<index, coordinate, 8:0>)
        : !layout.view<f16, global, 8:1>, !layout.view<f16, shared, 8:1>
    ```
  }];
  let arguments = (ins Layout_AtomAttr:$atom,
                       Arg<Layout_ViewType, "", [MemRead]>:$source,
                       Arg<Layout_ViewType, "", [MemWrite]>:$target,
                       Variadic<AnyTypeOf<[Layout_ViewType, Index]>>:$predicates,
                       DenseI64ArrayAttr:$limits,
                       OptionalAttr<I64Attr>:$multicast,
                       UnitAttr:$evict_first,
                       OptionalAttr<I64Attr>:$no_zfill);
  let builders = [OpBuilder<(ins "::layout::AtomAttr":$atom, "::mlir::Value":$source, "::mlir::Value":$target), [{
    build($_builder, $_state, atom, source, target, ::mlir::ValueRange(), $_builder.getDenseI64ArrayAttr({}),
          ::mlir::IntegerAttr(), ::mlir::UnitAttr(), ::mlir::IntegerAttr());
  }]>];
  let assemblyFormat = [{
    custom<Instruction>($atom) $source `,` $target `` custom<Predicates>($predicates, type($predicates), $limits) attr-dict
    custom<ViewTypesOfTwo>(ref($source), ref($target), type($source), type($target))
  }];
}

def Layout_CooperativeCopyOp : Layout_Op<"cooperative_copy"> {
  let summary = "copies a tile by a tiled copy: each thread copies its part";
  let description = [{
    CuTe's `cooperative_copy` with an explicit tiled copy: it partitions both tiles and copies the thread's part of one to the
    other. The canonicalizer expands it to a `layout.partition` of the source, of each predicate likewise, and of the target,
    and a `layout.copy` with the tiled copy's atom:

    ```mlir
    #copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
    !tile = !layout.view<f16, global, (64,64):(512,1)>
    !shared = !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    layout.cooperative_copy #copy(%t) %g, %s : !tile, !shared
    // It is short for:
    %from = layout.partition %g(%t), source of #copy : !tile
    %to = layout.partition %s(%t), target of #copy : !shared
    layout.copy #layout.atom<cp_async_16> %from, %to
        : !layout.view<f16, global, ((8,1),4,1):((1,0),8192,0)>, !layout.view<f16, shared, S<3,3,3> o 0 o ((8,1),4,1):((1,0),1024,0)>
    ```

    A side in registers is the thread's fragment, which `layout.retile` rearranges for the copy. So
    one operation loads an operand of a tiled MMA from a tile of shared memory:

    ```mlir
    #mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
    %a = layout.partition_fragment a of #mma, (128,64)
    layout.cooperative_copy #layout.tiled_copy<ldmatrix_x4, a of #mma>(%t) %s, %a
        : !layout.view<f16, shared, (128,64):(64,1)>, !layout.view<f16, register, ((2,2,2),4,4):((1,2,4),8,32)>
    ```

    Predicates are identity tensors of the whole tile, and limit the copy as those of `layout.copy` do.

    - Preconditions: at least one side is in memory; tiles in memory, and predicates, have static extents along the tiled copy's modes,
      multiples of its tile, and both tiles have the same extents; the preconditions of `layout.partition` for each tile, of `layout.retile` for a
      fragment, and of `layout.copy` for the parts.
    - Postconditions: the threads of the tiled copy together copied the tile. Other threads see it after a barrier, and
      after a wait before that barrier where the copy is asynchronous.
    - Errors: a violated precondition.
  }];
  let arguments = (ins Layout_TiledCopyAttr:$tiled,
                       Arg<Layout_ViewType, "", [MemRead]>:$source,
                       Arg<Layout_ViewType, "", [MemWrite]>:$target,
                       Variadic<AnyTypeOf<[Layout_ViewType, Index]>>:$predicates,
                       DenseI64ArrayAttr:$limits,
                       Index:$thread);
  let assemblyFormat = [{
    $tiled `` `(` $thread `)` $source `,` $target `` custom<Predicates>($predicates, type($predicates), $limits) attr-dict
    custom<ViewTypesOfTwo>(ref($source), ref($target), type($source), type($target))
  }];
  let hasCanonicalizeMethod = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Expansion);
}

def Layout_CopyIm2colOp : Layout_Op<"copy_im2col"> {
  let summary = "copies a tile of a convolution's im2col matrix to shared memory";
  let description = [{
    The im2col matrix of an image `(C,W,H,N)` has a row for each result of a convolution, `(Q,P,N)`, and a column for
    each factor of it, `(C,S,R)`, the first of each fastest. With the strides, dilations and the padding of `window`,

        w = q * stride + s * dilation - padding         and h of p and r likewise
        a((q,p,n),(c,s,r)) = image(c,w,h,n)             where 0 <= w < W and 0 <= h < H, else 0

    `target(i,j) = a(row + i, column + j)`, and 0 beyond the matrix's last row. One thread issues it for a whole tile in
    the `load` of a `layout.pipeline`: Hopper's copy engine reads the image in im2col mode, by a tensor map that is
    derived from image, window and tile. So a convolution needs neither a padded image nor the im2col matrix in memory.
    The number of images may be dynamic.

    `window` has ten numbers, each pair along the width first: results `(Q,P)`, taps `(S,R)`, strides, dilations, and
    zeros in front of the image.

    - Preconditions: an image of rank 4 in global memory, whose channels are contiguous, with static extents but for the number of images; a target of rank 2 in shared memory, or one
      mode of two, with the image's elements; the columns of a tile divide the matrix's; ten numbers, of which all but the
      padding are at least 1.
    - Postconditions: as above.
    - Errors: a violated precondition.

    ```mlir
    layout.copy_im2col %image[%row, %column], %tile {window = array<i64: 14, 14, 3, 3, 1, 1, 1, 1, 1, 1>}
        : !layout.view<bf16, global, (64,14,14,8):(1,64,896,12544)>, !layout.view<bf16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    ```
  }];
  let arguments = (ins Arg<Layout_ViewType, "", [MemRead]>:$image,
                       Arg<Layout_ViewType, "", [MemWrite]>:$target,
                       Index:$row,
                       Index:$column,
                       DenseI64ArrayAttr:$window);
  let assemblyFormat = [{
    $image `[` $row `,` $column `]` `,` $target attr-dict
    custom<ViewTypesOfTwo>(ref($image), ref($target), type($image), type($target))
  }];
}

def Layout_MmaOp : Layout_Op<"mma"> {
  let summary = "multiplies and accumulates fragments with an MMA instruction";
  let description = [{
    A whole warp executes it on views of registers: `a` of shape `(VA,RM,RK)`, `b` `(VB,RN,RK)` and
    `c` `(VC,RM,RN)`. For all `m` and `n`, `c(:,m,n) += sum over k of a(:,m,k) * b(:,n,k)`, where
    `:` are the values that the atom's thread-value layouts give a thread. [The table of atoms](ATOMS.md) lists the instructions.

    A warpgroup of four warps executes `wgmma` atoms, which read `a` and `b` from shared memory:
    the first modes are whole tiles, `(M,K)` and `(N,K)`, and the instruction's
    descriptors are derived from their layouts. `wgmma_ra` atoms have `a` in registers and `b` in shared memory. In the step
    of a pipeline, MMAs are in flight when the next operation begins: an operation that writes the registers of
    `a` waits for the last MMA that reads them.

    `overwrite` ignores the old value of `c` instead of accumulating to it. With `async`, the MMAs of a
    warpgroup stay in flight after the operation: they are one *group*, and
    `layout.wait_mma` waits for it. Until then nothing may read or write `c`, or write `a` or `b`.

    `two_level_accumulation` accumulates this operation's K separately from zero and then adds the result to
    `c`. It limits the rounding error of an instruction whose accumulator has fewer bits than f32 to this K.

    - Preconditions: three views of rank 3, `c` in registers, `a` and `b` where the atom reads them;
      `VA`, `VB`, `VC` and the element types are the atom's; `RM`, `RN` and `RK` agree; tiles in
      shared memory have one of the canonical layouts of `wgmma`; `two_level_accumulation` is for warpgroups, and accumulators
      of f32; `overwrite` and `async` are for warpgroups, and not with `two_level_accumulation`, and `async` not in a pipeline.
    - Postconditions: as above; `a` and `b` are unchanged.
    - Errors: a violated precondition.

    ```mlir
    layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c
        : !layout.view<f16, register, (8,2,1):(1,8,16)>,
          !layout.view<f16, register, (4,4,1):(1,4,16)>,
          !layout.view<f32, register, (4,2,4):(1,4,8)>
    ```
  }];
  let arguments = (ins Layout_AtomAttr:$atom,
                       Arg<Layout_ViewType, "", [MemRead]>:$a,
                       Arg<Layout_ViewType, "", [MemRead]>:$b,
                       Arg<Layout_ViewType, "", [MemRead, MemWrite]>:$c,
                       UnitAttr:$two_level_accumulation, UnitAttr:$overwrite, UnitAttr:$async);
  let assemblyFormat = [{
    custom<Instruction>($atom) $a `,` $b `,` $c `` custom<TwoLevelAccumulation>($two_level_accumulation) (`overwrite` $overwrite^)? (`async` $async^)? attr-dict
    custom<ViewTypesOfThree>(ref($a), ref($b), ref($c), type($a), type($b), type($c))
  }];
}

def Layout_WaitMmaOp : Layout_Op<"wait_mma"> {
  let summary = "waits for MMAs of a warpgroup that are in flight";
  let description = [{
    A warpgroup executes it, and waits until at most the last `pending` of the groups that `layout.mma … async` committed are
    in flight. The operand is the accumulator of a completed group, which may be read and written
    from here on; each completed group that is read needs its own operation. Memory that completed groups read may be written.

    - Preconditions: `pending` is from 0 to 7; a view of registers with a static layout without a swizzle; not in a pipeline.
    - Postconditions: as above.
    - Errors: a violated precondition.

    ```mlir
    !tile = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
    !acc = !layout.view<f32, register, (32,1,1):(1,0,0)>
    layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %q, %k, %s overwrite async : !tile, !tile, !acc
    layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %p, %v, %o async : !tile, !tile, !acc
    layout.wait_mma %s pending 1    // %s is complete, %o in flight
    layout.wait_mma %o pending 0
    ```
  }];
  let arguments = (ins Arg<Layout_ViewType, "", [MemRead, MemWrite]>:$accumulator, I64Attr:$pending);
  let assemblyFormat = "$accumulator `pending` $pending attr-dict custom<ViewTypeOf>(ref($accumulator), type($accumulator))";
}

def Layout_BarriersOp : Layout_Op<"barriers"> {
  let summary = "mbarriers in shared memory";
  let description = [{
    Each element of the result is a PTX `mbarrier` (CuTe's `ClusterTransactionBarrier`). A barrier passes through *phases*, counted from 0;
    a phase completes after `arrivals` arrivals and after all bytes of their transactions. The operation initialises the
    barriers once, and all threads of the block may use them after it.

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %empty = layout.barriers arrivals 8 : !layout.view<i64, shared, 2:1>
    ```

    - Preconditions: in the body of a kernel, and in no loop or branch of it; a view of i64 in shared memory, with an injective static
      layout of 1 to 1024 elements without a swizzle; 1 to 2^20 - 1 arrivals.
    - Postconditions: all barriers are in phase 0.
    - Errors: a violated precondition.
  }];
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs Res<Layout_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($result)";
}

def Layout_ArriveOp : Layout_Op<"arrive"> {
  let summary = "a warp arrives at a barrier";
  let description = [{
    Whole warps execute it, and each arrives once, when all of its threads have reached the operation. Threads that wait for the phase
    see the reads and writes before it as done.

    - Preconditions: a view of i64 in shared memory, as `layout.barriers` makes it; the coordinate as for `layout.load`.
    - Postconditions: as above.
    - Errors: a violated precondition.

    ```mlir
    layout.arrive %empty(%stage) : !layout.view<i64, shared, 2:1>
    ```
  }];
  let arguments = (ins Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let assemblyFormat = "$view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_WaitOp : Layout_Op<"wait"> {
  let summary = "waits for phase completion of a barrier (parity)";
  let description = [{
    The thread waits until the phase is complete, by the phase's parity (`mbarrier.try_wait.parity`). The phase is the barrier's current
    one or the one before it. Phase -1 of a new barrier is complete, so the first producer does not block. In a ring of two stages, step `i` has

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %empty = layout.barriers arrivals 8 : !layout.view<i64, shared, 2:1>
    %stage = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %before = arith.subi %round, %c1 : index
    layout.wait %before, %empty(%stage)    // producer: the consumers released the stage in the round before
    layout.wait %round, %full(%stage)      // consumer: the stage is full
    ```

    - Preconditions: as for `layout.arrive`.
    - Postconditions: as above.
    - Errors: a violated precondition.
  }];
  let arguments = (ins Index:$phase, Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let assemblyFormat = "$phase `,` $view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_TransactionOp : Layout_Op<"transaction", [NoTerminator, SingleBlock]> {
  let summary = "bulk copies that a barrier counts";
  let description = [{
    One thread executes it: it arrives at the barrier once, expects the bytes of the region's bulk loads
    (`mbarrier.arrive.expect_tx`), and issues them. The phase completes after all of these bytes have arrived. The region holds bulk loads and the operations that compute their views.

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    layout.transaction %full(%stage) {
      layout.copy #layout.atom<bulk_tensor_load> %k, %sk predicate(%row < 63 : !layout.view<index, coordinate, (64,64):(1,0)>)
        : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    }
    ```

    - Preconditions: as for `layout.arrive`; bulk loads to shared memory, less than 2^20 bytes together, in no inner region but
      those of `scf.if`, whose branches load equally many bytes; not in a pipeline.
    - Postconditions: as above.
    - Errors: a violated precondition.
  }];
  let arguments = (ins Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$view `` custom<Coord>($coord, $indices) attr-dict-with-keyword "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices)) $body";
}

def Layout_PipelineOp : Layout_Op<"pipeline", [NoTerminator]> {
  let summary = "a warp-specialised pipeline over tiles: a producer loads, consumers multiply";
  let description = [{
    Executes the work of a block on its tiles, with the result of this order:

    ```
    for tile = first to count step stride:
        prologue(tile)
        for k = 0 to depth:
            load(tile, k, stage); mainloop(tile, k, stage)
        epilogue(tile)
    ```

    where `stage` counts the steps of all tiles modulo `stages`. The steps overlap: the producer executes `load` up to `stages` steps ahead, into the buffers that `stage` selects.

    The first `consumers` threads of the block are the consumers, which execute `prologue`, `mainloop` and `epilogue`. `load` holds
    bulk copies to shared memory and the operations that compute their views; the producer, a thread after the consumers,
    issues them. `mainloop` is one step of the loop over k, and reads the data of its `load`.

    With `ping_pong`, the consumers form that many consumer groups of equal size, which take the block's tiles
    round-robin: group `i` executes the whole `prologue`, `mainloop` and `epilogue` of the tiles whose number in this block is `i` modulo
    `ping_pong`. Consumer groups issue their MMAs in the sequence of the block's tiles, so that one
    multiplies while the others are in their epilogues.

    `cluster` gives the extents along (M,N) of a cluster of blocks, which run together and multicast tiles
    to each other where a copy has `multicast`. Blocks are numbered along M first, and all of
    them have equally many tiles and steps.

    A region `steps` makes the depth depend on the tile: it yields how many of the
    `depth` steps a tile has, at least one: `for k = 0 to steps(tile)`. Producer and consumers each
    compute it from index arithmetic; `stage` counts on from tile to tile. In the second example
    below, the first eight tiles have 16 steps and the others 64.

    - Preconditions: `depth` and `stages` are at least 1, `stages` is at least 2 where the mainloop leaves MMAs in flight,
      `consumers` is a multiple of 128, the threads
      of a warpgroup; regions have one block with arguments of type `index` as above; `load` copies
      with bulk atoms only; a cluster has two extents of at least 1, and at most 8 blocks; consumer groups are
      whole warpgroups; no region has a barrier for all threads of the block; `steps` holds operations of `arith` without regions, ends with `layout.yield`
      of an `index`, and requires a single consumer group.
    - Postconditions: as above.
    - Errors: a violated precondition.

    ```mlir
    !tile = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
    !acc = !layout.view<f32, register, (32,1,1):(1,0,0)>
    layout.pipeline %block to %tiles by %blocks depth 64 stages 4 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %ga(%tile, _, %k) : !layout.view<bf16, global, (8,(64,64),64):(262144,(4096,1),64)>
      %to = layout.slice %sa(_, %stage) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,64),4):((64,1),4096)>
      layout.copy #layout.atom<bulk_tensor_load> %from, %to
    } prologue {
    ^bb0(%tile: index):
      layout.fill %c, %zero : !acc
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
      %a = layout.slice %sm(_, _, _, %stage) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4,4):((64,1),0,16,4096)>
      layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %b, %c : !tile, !tile, !acc
    } epilogue {
    ^bb0(%tile: index):
      layout.copy #layout.atom<simt_1> %c, %gc : !acc, !layout.view<f32, global, (32,1,1):(8,0,0)>
    }
    ```

    ```mlir
    layout.pipeline %block to %tiles by %blocks depth 64 stages 4 consumers 256
    steps {
    ^bb0(%tile: index):
      %short = arith.cmpi ult, %tile, %c8 : index
      %n = arith.select %short, %c16, %c64 : index
      layout.yield %n : index
    } load {
    ^bb0(%tile: index, %k: index, %stage: index):
    } prologue {
    ^bb0(%tile: index):
    } mainloop {
    ^bb0(%tile: index, %k: index, %stage: index):
    } epilogue {
    ^bb0(%tile: index):
    }
    ```
  }];
  let arguments = (ins Index:$first, Index:$count, Index:$stride, I64Attr:$depth, I64Attr:$stages,
                       I64Attr:$consumers, OptionalAttr<I64Attr>:$ping_pong,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster);
  let regions = (region SizedRegion<1>:$load, SizedRegion<1>:$prologue, SizedRegion<1>:$mainloop,
                        SizedRegion<1>:$epilogue, MaxSizedRegion<1>:$steps);
  let assemblyFormat = [{
    $first `to` $count `by` $stride `depth` $depth `stages` $stages `consumers` $consumers
    attr-dict-with-keyword (`steps` $steps^)? `load` $load
    custom<Prologue>($prologue) custom<Mainloop>($mainloop) custom<Epilogue>($epilogue)
  }];
}

def Layout_MatmulOp
    : Layout_Op<"matmul", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock]> {
  let summary = "C = A times B transposed, on views of global memory, with an epilogue on the accumulators";
  let description = [{
    `c(m,n) = f(sum over k of a(m,k) * b(n,k), x0(m,n), x1(m,n), …)`, in CuTe's convention: A is `(M,K)`,
    B `(N,K)`, C `(M,N)`, and a transposed operand has other strides. Accumulators are
    f32, for f64 operands f64, and for integers i32.

    `f` is the *epilogue*: a region that maps the accumulator and the elements of its operands, as f32, to the
    element of C, which is stored in C's type; without one, the accumulator is stored. Stores convert as
    `layout.copy` does: results of 8 bits are rounded to nearest even and saturate. The epilogue is applied to the accumulators in registers. Each of its operands is a view of shape `(M,N)`, and the strides determine how it broadcasts:

    | strides | is |
    |---|---|
    | `(N,1)` | a matrix, such as a residual |
    | `(0,1)` | one number for each column, such as a bias |
    | `(1,0)` | one number for each row, such as a scale of quantised rows |
    | `(0,0)` | one number, such as alpha, or the scale of a tensor |

    `c` itself may be one of them: then each element is read before it is written.

    Operands are aligned to 16 bytes, as CUDA allocates memory, or as `llvm.align`
    of the function's argument states. Vectors are at most that long, and operands that TMA cannot load are copied first.

    A *batch* has one more mode in every operand: `c(m,n,l)` is computed from `a(m,k,l)` and
    `b(n,k,l)`, with any strides from one matrix to the next; a stride of 0, allowed for all but C, shares one
    matrix. An epilogue's operands have that mode, too. One raster covers the tiles of all matrices, so
    that small matrices fill a device together.

    With `window`, the matmul is a convolution: `a` is an image `(C,W,H,N)`, and the left factor is its im2col matrix, as
    `layout.copy_im2col` defines it, with `M` the results `(Q,P,N)` and `K` the factors `(C,S,R)`, the first of each fastest.
    The matrix is never stored: Hopper's copy engine forms it while it loads tiles, so such a matmul uses `wgmma`. Where the number
    of images is dynamic, so is `M`, and a multiple of `Q * P`.

    With a second B, `dual`, the matmul is a *dual GEMM*: the epilogue's second argument is the sum of
    `a(m,k) * dual(n,k)`, so that a gate such as SwiGLU's takes no matrix in memory between the two GEMMs. A tile of A
    is loaded once for both. A thread has accumulators for both; a tile's extent along N is that of C, and so of one of the
    two. Warpgroups compute it, in any schedule but `swap_ab`, `split_k` and `stream_k`, where
    both B are contiguous along one mode and TMA loads them as they are.

    ```mlir
    !x = !layout.view<bf16, global, (512,1024):(1024,1)>
    !w = !layout.view<bf16, global, (4096,1024):(1024,1)>
    !h = !layout.view<bf16, global, (512,4096):(4096,1)>
    func.func @swiglu(%x: !x, %gate: !w, %up: !w, %h: !h) {
      layout.matmul %x, %gate, %h dual %up schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue {
      ^bb0(%g: f32, %u: f32):
        %one = arith.constant 1.0 : f32
        %minus = arith.negf %g : f32
        %power = math.exp %minus : f32
        %more = arith.addf %power, %one : f32
        %silu = arith.divf %g, %more : f32
        %gated = arith.mulf %silu, %u : f32
        layout.yield %gated : f32
      } : !x, !w, !h dual !w
      return
    }
    ```

    A and B may have two element types: f16 or bf16, and i8, f8E4M3FN or f8E5M2. Such a *mixed-input* matmul multiplies in the
    wider type, which has all numbers of the other one. The narrower operand keeps its type in global and in shared memory, and warps
    convert it in registers, in front of `mma.sync`; `wgmma` reads both operands in one type.

    ```mlir
    !x = !layout.view<bf16, global, (32,1024):(1024,1)>
    !w = !layout.view<i8, global, (4096,1024):(1024,1)>
    !s = !layout.view<f32, global, (32,4096):(0,1)>
    !h = !layout.view<bf16, global, (32,4096):(4096,1)>
    func.func @quantised_weights(%x: !x, %w: !w, %h: !h, %scales: !s) {
      layout.matmul %x, %w, %h schedule(#layout.schedule<auto, chip = "sm_90a">) epilogue(%scales) {
      ^bb0(%sum: f32, %scale: f32):
        %scaled = arith.mulf %sum, %scale : f32
        layout.yield %scaled : f32
      } : !x, !w, !h, !s
      return
    }
    ```

    A function with several matmuls and nothing else becomes one kernel, a *grouped* GEMM. Each problem has its own
    operands, extents and strides. All share one raster, a schedule and
    the types of A, B and C, and with `wgmma` the modes along which A and B are contiguous. No C
    is an operand of another one.

    ```mlir
    !x = !layout.view<bf16, global, (512,1024):(1024,1)>
    !z = !layout.view<bf16, global, (96,1024):(1024,1)>
    !w = !layout.view<bf16, global, (2048,1024):(1024,1)>
    !y = !layout.view<bf16, global, (512,2048):(2048,1)>
    !o = !layout.view<bf16, global, (96,2048):(2048,1)>
    func.func @experts(%x: !x, %u: !w, %y: !y, %z: !z, %v: !w, %o: !o) {
      layout.matmul %x, %u, %y schedule(#layout.schedule<auto, chip = "sm_90a">) : !x, !w, !y
      layout.matmul %z, %v, %o schedule(#layout.schedule<auto, chip = "sm_90a">) : !z, !w, !o
      return
    }
    ```

    A function that contains only matmuls, on its arguments or on views of them that begin where the
    arguments do, and that has no caller, becomes a kernel of its name. In any other function, each matmul
    becomes a kernel `NAME_kernel` and a launch in its place.

    Extents and strides may be dynamic, as in `(?,4096):(4096,1)`: those that operands share must be
    equal at run time. Facts about them, as in `(?,?1{div=64}):(?1,1)`, enable vectors and TMA copies.

    - Preconditions: views of `global` or `host` memory, all of rank 2 or all of rank 3, or an image in place of A
      with a `window`; extents agree; a second B has the type and shape of the first, and there is an epilogue; C's layout is injective; A and B have one element type, or two as above: f16, bf16, f32, f8E4M3FN or f8E5M2, with C of
      f8E4M3FN, f8E5M2, f16, bf16, f32 or i8; f64 with C of f64; i8 with C of i8 or i32, or, with an
      epilogue, with any C that A and B of floats may have. An epilogue's operands have a type that C may have. Its region has an argument
      of f32 for the accumulator, for that of a second B, and for each operand, of f64 where C is; it holds elementwise operations of `arith` on f16, bf16, f32, f64, i1, i8, i16 and i32, casts,
      comparisons and `arith.select` among them, and of `math` on f32, that kernels can compute, and ends with
      `layout.yield` of such a number.
    - Postconditions: as above; A, both B and the epilogue's operands are unchanged.
    - Errors: a violated precondition.

    ```mlir
    layout.matmul %a, %b, %c schedule(#layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>)
        epilogue(%bias) {
    ^bb0(%sum: f32, %bias_n: f32):
      %zero = arith.constant 0.0 : f32
      %biased = arith.addf %sum, %bias_n : f32
      %relu = arith.maximumf %biased, %zero : f32
      layout.yield %relu : f32
    } : !layout.view<f16, global, (512,256):(256,1)>,
        !layout.view<f16, global, (1024,256):(256,1)>,
        !layout.view<f32, global, (512,1024):(1024,1)>,
        !layout.view<f16, global, (512,1024):(0,1)>
    ```
  }];
  let arguments = (ins Arg<Layout_ViewType, "", [MemRead]>:$a,
                       Arg<Layout_ViewType, "", [MemRead]>:$b,
                       Arg<Layout_ViewType, "", [MemWrite]>:$c,
                       Arg<Variadic<Layout_ViewType>, "", [MemRead]>:$others,
                       Arg<Optional<Layout_ViewType>, "", [MemRead]>:$dual,
                       Layout_ScheduleAttr:$schedule,
                       OptionalAttr<DenseI64ArrayAttr>:$window);
  let regions = (region MaxSizedRegion<1>:$epilogue);
  // `others` are the operands of the epilogue, whose block the caller adds.
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c, "::layout::ScheduleAttr":$schedule,
                                 CArg<"::mlir::ValueRange", "{}">:$others), [{
    build($_builder, $_state, a, b, c, others, ::mlir::Value(), schedule, ::mlir::DenseI64ArrayAttr());
  }]>];
  let assemblyFormat = [{
    $a `,` $b `,` $c (`dual` $dual^)? `schedule` `(` $schedule `)`
    (`epilogue` (`(` $others^ `)`)? $epilogue^)? attr-dict
    custom<MatmulTypes>(ref($a), ref($b), ref($c), ref($dual), ref($others), type($a), type($b), type($c), type($dual), type($others))
  }];
}

def Layout_YieldOp
    : Layout_Op<"yield", [Pure, Terminator, ParentOneOf<["MapOp", "MatmulOp", "PipelineOp", "ReduceOp"]>]> {
  let summary = "yields the values of a region";
  let description = [{
    - Preconditions: it ends the epilogue of a `layout.matmul`, with a value of f32 or f64; the `steps` of a
      `layout.pipeline`, with an `index`; the region of a `layout.map`, with an element for each output; or that of
      a `layout.reduce`, with one element.
    - Postconditions: a matmul stores the value in C's type; a pipeline takes it as the tile's number of steps; a map stores the
      elements; a reduction continues with the element.
    - Errors: values of other types or numbers, which the enclosing operation reports.

    ```mlir
    layout.map ins(%a : !layout.view<f32, register, 8:1>) outs(%b : !layout.view<f32, register, 8:1>) {
    ^bb0(%x: f32, %old: f32):
      layout.yield %x : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict custom<TypesOfAll>(ref($values), type($values))";
}

#endif // LAYOUT_KERNEL_OPS_TD
