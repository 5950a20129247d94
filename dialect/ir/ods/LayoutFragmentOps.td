//===- LayoutFragmentOps.td - Arithmetic on fragments -----------*- tablegen -*-===//
//
// Operations on all elements of fragments, which are views of registers.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_FRAGMENT_OPS_TD
#define LAYOUT_FRAGMENT_OPS_TD

include "LayoutAttributes.td"
include "LayoutTypes.td"

def Layout_MapOp : Layout_Op<"map", [AttrSizedOperandSegments, SingleBlock]> {
  let summary = "an elementwise function of views";
  let description = [{
    `out_k(i) = f_k(in_0(i), in_1(i), …, out_0(i), …)` for every index `i` of the first output, counted
    colexicographically. The region is `f`: its arguments are an element of each input and then the old element of
    each output, and it yields a new element for each output. It may use scalars from outside. It is meant for
    fragments, which are views of registers, but takes any view.

    Inputs *broadcast* to the outputs. An input has

    | sizes | element of index `i` |
    |---|---|
    | as many elements as the outputs | `i`, whatever its modes |
    | one element | that element |
    | as many modes at the top as the first output, each of its size or of 1 | the coordinate of `i`, with 0 in modes of 1 |

    A mode of stride 0 broadcasts too, since all of its coordinates are one element: with row sums of layout
    `(8,4):(1,0)`, each element of an `(8,4)` fragment is combined with the sum of its row. An identity tensor gives coordinates,
    from which a region computes predicates.

    The map is unrolled element by element, so that every register index is a constant and
    no fragment becomes local memory. Elements of an index are read before any of that index is written, and indices are
    processed in order.

    Casts of `arith` in the region convert between types, with their rounding; `layout.copy` converts too,
    saturates, and supports floats of 8 bits, on which there is no arithmetic.

    - Preconditions: static sizes, which broadcast as above; outputs of one size with injective static
      layouts; the region has an argument of the element's type for each view,
      holds operations of `arith` and `math` without regions, on no floats of 8 bits and no tf32, and ends with
      `layout.yield` of an element for each output.
    - Postconditions: as above; the inputs are unchanged, unless outputs alias them.
    - Errors: a violated precondition; in the expansion, more than 65536 elements.

    ```mlir
    layout.map ins(%x, %max : !layout.view<bf16, register, (8,2):(1,8)>, !layout.view<f32, register, (8,2):(0,0)>)
               outs(%e : !layout.view<f32, register, (8,2):(1,8)>) {
    ^bb0(%xi: bf16, %m: f32, %old: f32):
      %wide = arith.extf %xi : bf16 to f32
      %d = arith.subf %wide, %m : f32
      %r = math.exp %d : f32
      layout.yield %r : f32
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<Layout_ViewType>, "", [MemRead]>:$inputs,
                       Arg<Variadic<Layout_ViewType>, "", [MemRead, MemWrite]>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<InsAndOuts>($inputs, type($inputs), $outputs, type($outputs)) $body attr-dict
  }];
}

def Layout_ReduceOp : Layout_Op<"reduce", [SameVariadicOperandSize]> {
  let summary = "a reduction along modes of a tile that threads hold";
  let description = [{
    Each thread has a fragment of a tile, the source. All elements of the tile that agree in the modes that are not
    reduced are combined to one, and *every* thread that holds one of them gets the result: element `i` of the target is the reduction of all
    elements that differ from element `i` of the source in the modes `along` only. The target broadcasts to the source as inputs of
    `layout.map` do to its outputs, so that a `map` can use both:

    ```mlir
    // A row of 4096 in a block of 256 threads: 8 neighbours a thread, twice.
    !x = !layout.view<f32, register, (8,2):(1,8)>
    !m = !layout.view<f32, register, (8,2):(0,0)>
    layout.reduce max %x into %m along [0] threads(#layout<(256,(8,2)):(8,(1,2048))>) : !x, !m
    layout.map ins(%m : !m) outs(%x : !x) {
    ^bb0(%most: f32, %own: f32):
      %less = arith.subf %own, %most : f32
      layout.yield %less : f32
    }
    ```

    `threads` is the *thread-value layout* of the tile, as of CuTe's tiled copies and tiled MMAs: a layout of
    rank 2 from (thread, value) to an element of the tile. Thread `t` is `gpu.thread_id x` modulo the threads of the
    layout, so a one-warp layout may be used in a larger block; each warp reduces its own tile. Strides that are scaled basis
    elements, `4@1`, give coordinates, whose modes `along` numbers; plain strides give an index into the shape `tile`, or into a
    tile of one mode without it. Without `threads` each thread reduces its own fragment, along modes
    of the fragment's shape.

    `#layout.thread_values<…>` is the thread-value layout of a tiled copy or a tiled MMA. With `#mma` of four warps on (64,64), whose
    accumulators are attention scores, the maximum of each of a thread's two rows is

    ```mlir
    #mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (4,1,1)>
    layout.reduce max %s into %m along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
        : !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>, !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
    ```

    The layout determines the steps:

    | the reduced modes differ in | the reduction uses |
    |---|---|
    | values of a thread | arithmetic, in pairs |
    | bits of the lane | `gpu.subgroup_reduce`, or `gpu.shuffle xor` of a region: each lane gets the result |
    | other digits of the thread's number: warps, or lanes by numbers that are no powers of 2 | shared memory: each writes its partial result to a slot, and all read them after a barrier; in a loop, a barrier precedes the writes |
    | nothing: threads, or values of one, that hold the same element (stride 0) | counted once |

    | | floats | integers |
    |---|---|---|
    | `add`, `mul` | `arith.addf`, `arith.mulf` | `arith.addi`, `arith.muli`: modulo 2^bits |
    | `max`, `min` | `arith.maximumf`, `arith.minimumf`: a NaN makes the result a NaN, and -0 is below 0 | `arith.maxsi`, `arith.minsi` |
    | `maxnum`, `minnum` | `arith.maxnumf`, `arith.minnumf`: a NaN is left out | |
    | `maxu`, `minu` | | `arith.maxui`, `arith.minui` |
    | `and`, `or`, `xor` | | `arith.andi`, `arith.ori`, `arith.xori` |

    or a region of two elements, which must be associative and commutative. Several sources, each with a target, are reduced together: the
    region takes an element of each source and then another of each, and yields one for each (Triton's `tl.reduce` of a tuple). Mean and
    variance after Welford, of counts, means and sums of squares, are

    ```mlir
    !v = !layout.view<f32, register, 8:1>
    !w = !layout.view<f32, register, 1:0>
    layout.reduce %counts, %means, %squares into %count, %mean, %square along [0] {
    ^bb0(%na: f32, %a: f32, %qa: f32, %nb: f32, %b: f32, %qb: f32):
      %n = arith.addf %na, %nb : f32
      %share = arith.divf %nb, %n : f32
      %d = arith.subf %b, %a : f32
      %move = arith.mulf %d, %share : f32
      %m = arith.addf %a, %move : f32
      %d2 = arith.mulf %d, %move : f32
      %more = arith.mulf %d2, %na : f32
      %q = arith.addf %qa, %qb : f32
      %m2 = arith.addf %q, %more : f32
      layout.yield %n, %m, %m2 : f32, f32, f32
    } : !v, !v, !v, !w, !w, !w
    ```

    The order is unspecified, so sums of floats
    may round differently from a sequential sum; on one chip, the same program gives the same bits, and all threads
    get the same result. There is no initial value. Elements past the end of a ragged tile take part. A copy
    under a predicate fills them with 0, which is neutral for sums only; `layout.map` with coordinates puts another
    neutral element there (1, -inf, +inf).

    If a reduction uses shared memory, all threads of the block execute it, and the kernel has a `known_block_size`. If it
    combines lanes, all lanes of the warp execute it; where fewer threads hold a tile (2, 4, 8 or 16), all threads of that tile,
    as in a branch on the row of a matrix of which a warp has several.

    - Preconditions: a kind that fits the elements of the one source, or a region that is a function of two elements of each source as that of
      `layout.map`; sources of one shape; each source and its target of one element type, the target writable, with static layouts; `along` names distinct modes of the
      tile; `threads` has rank 2 and as many values as a source has elements; `tile` goes with a plain layout; at most 2^20
      threads times values.
    - Postconditions: as above; the sources are unchanged.
    - Errors: a violated precondition. In the expansion: threads whose elements do not follow digits of the thread's number;
      an element of the target that would hold two results; a block of unknown size, or
      of no multiple of the layout's threads; shared memory in a `layout.pipeline`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$kind,
                       Arg<Variadic<Layout_ViewType>, "", [MemRead]>:$sources,
                       Arg<Variadic<Layout_ViewType>, "", [MemWrite]>:$targets,
                       DenseI64ArrayAttr:$along,
                       OptionalAttr<Layout_TermAttr>:$threads,
                       OptionalAttr<Layout_TermAttr>:$tile);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Reduced>($kind, $sources, $targets) `along` $along (`threads` `(` $threads^ `)`)?
    (`tile` `(` $tile^ `)`)? ($body^)? attr-dict
    custom<ViewTypesOfReduced>(ref($sources), ref($targets), type($sources), type($targets))
  }];
}

#endif // LAYOUT_FRAGMENT_OPS_TD
