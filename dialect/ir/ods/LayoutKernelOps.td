//===- LayoutKernelOps.td - Copies and matrix products ----------*- tablegen -*-===//
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

    Where the element types differ, the number is converted, by way of f32. It is rounded to the nearest, of
    two to the even one; to types of 8 bits it *saturates*, since what is quantised has no use for an
    infinity: beyond the largest number (448 of f8E4M3FN, 57344 of f8E5M2, -128 and 127 of i8) it becomes
    that, infinities too. A NaN becomes the NaN 0x7f, and 0 in i8. That is what `cvt.rn.satfinite` and
    `cvt.pack.sat` give; arithmetic gives the same bits on chips before sm_89, which do not convert to
    floats of 8 bits, and on the host. `arith.truncf` is another thing: of what is too large it makes a
    NaN or an infinity, and what `arith.fptosi` makes of it is not defined. Threads round to nothing of
    f64 but other floats of 16 bits or more, and not to tf32, which the copy engine rounds f32 to.
    Packed elements (`i4`, `ui4`, `i2`, `ui2`) become `i8` or floats of 16 bits or more, exactly; a run of them in
    memory is whole bytes. Registers that a `simt` copy writes take a run in any order: numbers of 4 bits in
    the order (0,4,1,5,2,6,3,7) of eight, `((4,2)):((2,1))`, are the halves of words that one instruction finds.

    Collective atoms (`ldmatrix`, `stmatrix`) are executed by a whole warp: each lane's view of
    shared memory names the elements whose address it gives, and its registers hold the elements that
    the atom's layouts exchange.

    A bulk copy (`bulk_tensor_load`, `bulk_tensor_store`) is issued by one thread for a whole tile,
    and carries a predicate for each mode of the matrix in global memory: they are the tile's coordinates.
    The tensor map and its boxes are derived from the layouts of matrix, tile and predicates: each stride
    of the matrix is a dimension, of at most five, and a tile is of whole blocks of a mode that has
    several, or within one. A store is
    executed by a warpgroup, whose first thread issues it; it is asynchronous, as `nvvm`'s operations
    on bulk groups say, and reads what was written before a `fence.proxy` and a barrier.

    `bulk_load` and `bulk_store` are the same without a tensor map, and without predicates: each instruction
    moves as many elements as are in a row on both sides, a multiple of 16 bytes.

    In a pipeline with a cluster, `multicast` says of a bulk load that its tile is the same for all
    blocks of the cluster that differ along this mode of it, 0 for M and 1 for N: each of them then
    loads a part, for all of them.

    `evict_first` says of a bulk load that what it reads is not read again before long: its lines leave
    the L2 cache before all others (`evict_first`).

    Where a layout is partly static, the atom is `simt_1`. Between views of static size, element `i` is copied to element
    `i`; otherwise source, target and predicates have equal numbers of top-level modes with equal sizes, which is checked
    where they are static, and the copy becomes loops over these modes. A bulk tensor copy moves a whole tile of static size; dynamic strides of
    the matrix are in its tensor map.

    A limit that is known at run time is an `index` value: `predicate(%rows < %m : …)`. In the generic form its
    place in `limits` holds -2^63, and the values follow the predicates, in their order.

    - Preconditions: source, target and predicates have one size, which `V` divides; element types are
      equal, or the atom converts (`simt_*`) and both are floats, or a float and i8, or the source's is
      i32 and the target's i8; every aligned run of `V` elements is contiguous in each view that lies in
      memory, and stays so under its swizzle; the spaces are those of the atom; predicates are identity tensors, and none of `bulk_load` and `bulk_store`;
      `multicast` is 0 or 1, and it and `evict_first` are on `bulk_tensor_load` only; an `index` for each limit that is
      known at run time.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.

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
                       UnitAttr:$evict_first);
  let assemblyFormat = [{
    $atom $source `,` $target `` custom<Predicates>($predicates, type($predicates), $limits) attr-dict
    custom<ViewTypesOfTwo>(ref($source), ref($target), type($source), type($target))
  }];
}

def Layout_CooperativeCopyOp : Layout_Op<"cooperative_copy"> {
  let summary = "copies a tile by a tiled copy: each thread copies its part";
  let description = [{
    CuTe's `cooperative_copy`, with the tiled copy said: the thread's parts of both tiles, and the copy of one to the
    other. The canonicalizer writes it out as a `layout.partition` of the source and one of the target, of each predicate
    one as of the source, and a `layout.copy` with the tiled copy's atom:

    ```mlir
    #copy = #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
    !tile = !layout.view<f16, global, (64,64):(512,1)>
    !shared = !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    layout.cooperative_copy #copy(%t) %g, %s : !tile, !shared
    // As long as the types of the parts are not written:
    %from = layout.partition %g(%t), source of #copy : !tile
    %to = layout.partition %s(%t), target of #copy : !shared
    layout.copy #layout.atom<cp_async_16> %from, %to
        : !layout.view<f16, global, ((8,1),4,1):((1,0),8192,0)>, !layout.view<f16, shared, S<3,3,3> o 0 o ((8,1),4,1):((1,0),1024,0)>
    ```

    A side in registers is the thread's fragment already, whose registers `layout.retile` gives as the copy has them. So
    one operation loads an operand of a tiled MMA from a tile of shared memory:

    ```mlir
    #mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (32,32,16)>
    %a = layout.partition_fragment a of #mma, (128,64)
    layout.cooperative_copy #layout.tiled_copy<ldmatrix_x4, a of #mma>(%t) %s, %a
        : !layout.view<f16, shared, (128,64):(64,1)>, !layout.view<f16, register, ((2,2,2),4,4):((1,2,4),8,32)>
    ```

    Predicates are identity tensors of the whole tile, and limit the copy as those of `layout.copy` do.

    - Preconditions: a side in memory at least; tiles in memory, and predicates, are of known extents along the tiled copy's modes, a
      multiple of its tile, and both tiles of the same extents; those of `layout.partition` of each tile, of `layout.retile` of a
      fragment, and of `layout.copy` of the parts.
    - Postconditions: the threads of the tiled copy together copied the tile; each by itself, so that others see it
      behind a barrier, and an asynchronous copy behind a wait before.
    - Errors: one for each precondition, with what was found.
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

    `target(i,j) = a(row + i, column + j)`; beyond the matrix's last row that is 0. One thread issues it for a whole tile in
    the `load` of a `layout.pipeline`: Hopper's copy engine reads the image in its im2col mode, by a tensor map that is
    derived from image, window and tile. So a convolution needs neither a padded image nor that matrix in memory.

    `window` has ten numbers, each pair along the width first: results `(Q,P)`, taps `(S,R)`, strides, dilations, and
    zeros in front of the image.

    - Preconditions: an image of rank 4 in global memory, whose channels lie in a row; a target of rank 2 in shared memory, or one
      mode of two, with the image's elements; the columns of a tile divide the matrix's; ten numbers, of which all but the
      padding are at least 1.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.

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
    $image `[` $row `,` $column `]` `,` $target attr-dict `:` type($image) `,` type($target)
  }];
}

def Layout_MmaOp : Layout_Op<"mma"> {
  let summary = "multiplies and accumulates fragments with an MMA instruction";
  let description = [{
    Executed by a whole warp on views of registers: `a` of shape `(VA,RM,RK)`, `b` `(VB,RN,RK)` and
    `c` `(VC,RM,RN)`: for all `m` and `n`, `c(:,m,n) += sum over k of a(:,m,k) * b(:,n,k)`, where
    `:` are the values that the atom's thread-value layouts give a thread.

    `wgmma` atoms are executed by a warpgroup of four warps, and read `a` and `b` from shared memory:
    their first modes are whole tiles, `(M,K)` and `(N,K)`, from whose layouts the instruction's
    descriptors are derived. `wgmma_ra` atoms have `a` in registers, and only `b` there. In the step
    of a pipeline, products are in flight when the next operation begins: what writes the registers of
    `a` waits for the last product that reads them.

    With `overwrite`, `c` is the products alone, whatever it held before. With `async`, the products of a
    warpgroup are in flight behind the operation: they are one *group*, and
    `layout.wait_mma` waits for it. Until then nothing may read or write `c`, or write `a` or `b`.

    With `two_level_accumulation`, this operation's K is accumulated separately, from zero on, and then added to
    `c`: the rounding error of an instruction's accumulator, which has fewer bits than f32, is then limited to
    this K.

    - Preconditions: three views of rank 3, `c` in registers, `a` and `b` where the atom reads them;
      `VA`, `VB`, `VC` and the element types are the atom's; `RM`, `RN` and `RK` agree; tiles in
      shared memory have one of the canonical layouts of `wgmma`; `two_level_accumulation` is for warpgroups, and accumulators
      of f32; `overwrite` and `async` are for warpgroups, and not with `two_level_accumulation`, and `async` not in a pipeline.
    - Postconditions: as above; `a` and `b` stay.
    - Errors: one for each precondition, with what was found.

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
    $atom $a `,` $b `,` $c `` custom<TwoLevelAccumulation>($two_level_accumulation) (`overwrite` $overwrite^)? (`async` $async^)? attr-dict
    custom<ViewTypesOfThree>(ref($a), ref($b), ref($c), type($a), type($b), type($c))
  }];
}

def Layout_WaitMmaOp : Layout_Op<"wait_mma"> {
  let summary = "waits for products of a warpgroup that are in flight";
  let description = [{
    A warpgroup executes it, and waits until at most the last `pending` of the groups that `layout.mma … async` committed are
    in flight. The operand is the accumulator of a group that is complete, which may be read and written
    from here on; each complete group that is read needs its own operation. Memory that complete groups read may be written.

    - Preconditions: `pending` is from 0 to 7; a view of registers, whose layout is known and plain; not in a pipeline.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.

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
    A barrier for each element, as PTX's `mbarrier` is one: it goes through *phases*, which are counted from 0 on, and
    one is over when as many have arrived as `arrivals` says, and the bytes of their transactions with them. The
    barriers are ready for all threads of the block behind the operation, and are made once, whatever loops they are
    used in.

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %empty = layout.barriers arrivals 8 : !layout.view<i64, shared, 2:1>
    ```

    - Preconditions: in the body of a kernel, and in no loop or branch of it; a view of i64 in shared memory, of a plain known
      layout of 1 to 1024 elements, each with a place of its own; 1 to 2^20 - 1 arrivals.
    - Postconditions: all barriers are in phase 0.
    - Errors: one for each precondition, with what was found.
  }];
  let arguments = (ins I64Attr:$arrivals);
  let results = (outs Res<Layout_ViewType, "", [MemAlloc]>:$result);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($result)";
}

def Layout_ArriveOp : Layout_Op<"arrive"> {
  let summary = "a warp arrives at a barrier";
  let description = [{
    Executed by whole warps, each of which arrives once, when all of its threads are there: what they read and wrote
    before is done for those who wait for the phase.

    - Preconditions: a view of i64 in shared memory, as `layout.barriers` makes it; the coordinate as for `layout.load`.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.

    ```mlir
    layout.arrive %empty(%stage) : !layout.view<i64, shared, 2:1>
    ```
  }];
  let arguments = (ins Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let assemblyFormat = "$view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_WaitOp : Layout_Op<"wait"> {
  let summary = "waits for the end of a barrier's phase";
  let description = [{
    The thread waits until the phase is over. It is the barrier's present one or the one before: of a new barrier, phase -1 is
    over, so that who fills a buffer for the first time waits for nothing. In a ring of two stages, step `i` has

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    %empty = layout.barriers arrivals 8 : !layout.view<i64, shared, 2:1>
    %stage = arith.remui %i, %c2 : index
    %round = arith.divui %i, %c2 : index
    %before = arith.subi %round, %c1 : index
    layout.wait %before, %empty(%stage)    // who loads: the stage was read in the round before
    layout.wait %round, %full(%stage)      // who reads: the stage is there
    ```

    - Preconditions: as for `layout.arrive`.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.
  }];
  let arguments = (ins Index:$phase, Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let assemblyFormat = "$phase `,` $view `` custom<Coord>($coord, $indices) attr-dict "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices))";
}

def Layout_TransactionOp : Layout_Op<"transaction", [NoTerminator, SingleBlock]> {
  let summary = "bulk copies that a barrier counts";
  let description = [{
    Executed by one thread, which arrives at the barrier once and issues the bulk loads of the region. The phase is not over before
    all of their bytes have come. The region holds bulk loads, and what computes their views.

    ```mlir
    %full = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>
    layout.transaction %full(%stage) {
      layout.copy #layout.atom<bulk_tensor_load> %k, %sk predicate(%row < 63 : !layout.view<index, coordinate, (64,64):(1,0)>)
        : !layout.view<f16, global, (64,64):(64,1)>, !layout.view<f16, shared, S<3,3,3> o 0 o (64,64):(64,1)>
    }
    ```

    - Preconditions: as for `layout.arrive`; copies of bulk loads to shared memory, of less than 2^20 bytes together, in no region but
      those of `scf.if`, whose branches load as many bytes; not in a pipeline.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.
  }];
  let arguments = (ins Layout_ViewType:$view, Variadic<Layout_Coordinate>:$indices, StrAttr:$coord);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$view `` custom<Coord>($coord, $indices) attr-dict-with-keyword "
      "custom<ViewTypeOf>(ref($view), type($view)) `` custom<CoordTypes>(ref($indices), type($indices)) $body";
}

def Layout_PipelineOp : Layout_Op<"pipeline", [NoTerminator]> {
  let summary = "tiles that are loaded, multiplied and finished, one step ahead of the other";
  let description = [{
    The work of a block on its tiles, in this order:

    ```
    for tile = first to count step stride:
        start(tile)
        for k = 0 to depth:
            load(tile, k, stage); step(tile, k, stage)
        finish(tile)
    ```

    where `stage` counts the steps of all tiles modulo `stages`. The program may overlap as far as
    this order's result does not change: `load` runs up to `stages` steps ahead, on threads of its
    own, into the buffers that `stage` selects.

    The first `consumers` threads of the block execute `start`, `step` and `finish`. `load` holds
    bulk copies to shared memory, and what computes their views; one thread behind the consumers
    issues them. `step` reads what its `load` wrote.

    With `ping_pong`, the consumers are that many consumer groups of equal size, which take the block's tiles
    round-robin: the consumer group whose number is the tile's, counted in this block, modulo `ping_pong`, executes the whole
    `start`, `step` and `finish` of the tile. Consumer groups issue their products in the order of tiles, so that one
    multiplies while the others finish theirs.

    `cluster` is the extents along (M,N) of a cluster of blocks, which run together and load tiles
    for each other where a copy's `multicast` says so. They are numbered along M first, and all of
    them have as many tiles, of as many steps.

    Tiles that are not all of one depth have a region `steps`, from the tile to how many of the
    `depth` steps it has, at least one: `for k = 0 to steps(tile)`. Loader and consumers compute it
    each for itself, from index arithmetic; `stage` counts on from tile to tile. In the second example
    below, the first eight tiles have 16 steps and the others 64.

    - Preconditions: `depth` and `stages` are at least 1, `consumers` a multiple of 128, the threads
      of a warpgroup; regions have one block with arguments of type `index` as above; `load` copies
      with bulk atoms only; a cluster has two extents of at least 1, and at most 8 blocks; consumer groups are
      whole warpgroups; no region has a barrier for all threads of the block; `steps` holds operations of `arith` without regions, ends with `layout.yield`
      of an `index`, and stands where there is one consumer group.
    - Postconditions: as above.
    - Errors: one for each precondition, with what was found.

    ```mlir
    !tile = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4):((64,1),0,16)>
    !acc = !layout.view<f32, register, (32,1,1):(1,0,0)>
    layout.pipeline %block to %tiles by %blocks depth 64 stages 4 consumers 128
    load {
    ^bb0(%tile: index, %k: index, %stage: index):
      %from = layout.slice %ga(%tile, _, %k) : !layout.view<bf16, global, (8,(64,64),64):(262144,(4096,1),64)>
      %to = layout.slice %sa(_, %stage) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,64),4):((64,1),4096)>
      layout.copy #layout.atom<bulk_tensor_load> %from, %to
    } start {
    ^bb0(%tile: index):
      layout.fill %c, %zero : !acc
    } step {
    ^bb0(%tile: index, %k: index, %stage: index):
      %a = layout.slice %sm(_, _, _, %stage) : !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,4,4):((64,1),0,16,4096)>
      layout.mma #layout.atom<wgmma_m64n64k16_f32_bf16> %a, %b, %c : !tile, !tile, !acc
    } finish {
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
    } start {
    ^bb0(%tile: index):
    } step {
    ^bb0(%tile: index, %k: index, %stage: index):
    } finish {
    ^bb0(%tile: index):
    }
    ```
  }];
  let arguments = (ins Index:$first, Index:$count, Index:$stride, I64Attr:$depth, I64Attr:$stages,
                       I64Attr:$consumers, OptionalAttr<I64Attr>:$ping_pong,
                       OptionalAttr<DenseI64ArrayAttr>:$cluster);
  let regions = (region SizedRegion<1>:$load, SizedRegion<1>:$start, SizedRegion<1>:$step,
                        SizedRegion<1>:$finish, MaxSizedRegion<1>:$steps);
  let assemblyFormat = [{
    $first `to` $count `by` $stride `depth` $depth `stages` $stages `consumers` $consumers
    attr-dict-with-keyword (`steps` $steps^)? `load` $load `start` $start `step` $step `finish` $finish
  }];
}

def Layout_MatmulOp
    : Layout_Op<"matmul", [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock]> {
  let summary = "C = A times B transposed, on views of global memory, with an epilogue on the accumulators";
  let description = [{
    `c(m,n) = f(sum over k of a(m,k) * b(n,k), x0(m,n), x1(m,n), …)`, CuTe's convention: A is `(M,K)`,
    B `(N,K)`, C `(M,N)`, and a transposed operand is one with other strides. Accumulators are
    of f32, for f64 of f64, and for integers of i32.

    `f` is the *epilogue*, a region from the sum and from the elements of its operands, as f32, to the
    element of C, which is stored in C's type; without one, the sum is stored. Stores convert as
    `layout.copy` does: results of 8 bits are rounded to the nearest and saturate, whether they are what an
    epilogue yields or accumulators of f32 or i32. The epilogue is applied to the accumulators in registers. Every operand of it is a view of shape `(M,N)`, and its strides say what it is:

    | strides | is |
    |---|---|
    | `(N,1)` | a matrix, such as a residual |
    | `(0,1)` | one number for each column, such as a bias |
    | `(1,0)` | one number for each row, such as a scale of quantised rows |
    | `(0,0)` | one number, such as alpha, or the scale of a tensor |

    `c` itself may be one of them: then each element is read before it is written.

    An operand's memory starts at a multiple of 16 bytes, as CUDA allocates it, or of as many as `llvm.align`
    of the function's argument says; vectors are no longer, and what bulk copies do not take is copied.

    A *batch* of products has one more mode in every operand: `c(m,n,l)` is of `a(m,k,l)` and
    `b(n,k,l)`, with any strides from one matrix to the next; one of 0, of all but C, is the same
    matrix for all. An epilogue's operands have that mode, too. Tiles of all matrices are one order, so
    that small matrices fill a device together.

    With `window`, the product is a convolution: `a` is an image `(C,W,H,N)`, and the matrix that is multiplied is the one
    that `layout.copy_im2col` describes, with `M` of the results `(Q,P,N)` and `K` of `(C,S,R)`, the first of each fastest.
    It lies nowhere: Hopper's copy engine computes it while it loads tiles, so that such a product is one for warpgroups.

    With a second B, `dual`, the matmul is a *dual GEMM*: the epilogue's second argument is the sum of
    `a(m,k) * dual(n,k)`, so that a gate such as SwiGLU's takes no matrix in memory between its products. A tile of A
    is loaded once for both. Both sums are accumulators of a thread; a tile's extent along N counts the columns of
    C, and so one of the two. Warpgroups compute it, in any schedule but `swap_ab`, `split_k` and `stream_k`, where
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

    Several matmuls of one function that does nothing else become one kernel, a *grouped* GEMM: products
    of operands, extents and strides of their own, whose tiles are one order, and which have a schedule and
    the types of A, B and C in common, and on warpgroups the modes along which A and B are contiguous. No C
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

    A function that does nothing but matmuls, on its arguments or on views that it makes of them, and that nobody
    calls, becomes a kernel of its name. Any other keeps what it does: its matmuls become kernels
    `NAME_kernel`, which it launches where they stood.

    Extents and strides may be dynamic, as in `(?,4096):(4096,1)`: those that operands share must be
    equal at run time. Facts about them, as in `(?,?1{div=64}):(?1,1)`, decide about vectors and bulk copies.

    - Preconditions: views of `global` or `host` memory, all of rank 2 or all of rank 3, or an image in place of A
      with a `window`, extents that agree; a second B of the first one's type and shape, and an epilogue then; in C a place for each element; A and B of one type: of f16, bf16, f32, f8E4M3FN or f8E5M2, with C of
      f8E4M3FN, f8E5M2, f16, bf16, f32 or i8; of f64 with C of f64; of i8 with C of i8 or i32, or with an
      epilogue of what C of floats may be of. An epilogue's operands are of what C may be of. It has an argument
      of f32 for the sum, for the second B's, and for each operand, of f64 where C is; it holds elementwise operations of `arith` on f16, bf16, f32, f64, i1, i8, i16 and i32, casts,
      comparisons and `arith.select` among them, and of `math` on f32, that kernels can compute, and ends with
      `layout.yield` of such a number.
    - Postconditions: as above; A, both B and the epilogue's operands stay.
    - Errors: one for each precondition, with what was found.

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
  let assemblyFormat = [{
    $a `,` $b `,` $c (`dual` $dual^)? `schedule` `(` $schedule `)`
    (`epilogue` (`(` $others^ `)`)? $epilogue^)? attr-dict
    `:` type($a) `,` type($b) `,` type($c) (`dual` type($dual)^)? (`,` type($others)^)?
  }];
}

def Layout_YieldOp
    : Layout_Op<"yield", [Pure, Terminator, ParentOneOf<["MapOp", "MatmulOp", "PipelineOp", "ReduceOp"]>]> {
  let summary = "what a region of the operation around it computes";
  let description = [{
    - Preconditions: stands at the end of a `layout.matmul`'s epilogue, with a value of f32 or f64; of a
      `layout.pipeline`'s `steps`, with one of `index`; of a `layout.map`'s region, with an element of each output; or of
      a `layout.reduce`'s, with one element.
    - Postconditions: the value is stored, in the result's type; or the tile has so many steps; or the elements are
      stored, or reduced on.
    - Errors: other values than these, which the operation around it says.

    ```mlir
    layout.map ins(%a : !layout.view<f32, register, 8:1>) outs(%b : !layout.view<f32, register, 8:1>) {
    ^bb0(%x: f32, %old: f32):
      layout.yield %x : f32
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // LAYOUT_KERNEL_OPS_TD
