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
    each output, and it yields a new element for each output. Scalars from outside may be used in it. It is for
    fragments, which are views of registers, and takes any other view too.

    Inputs *broadcast* to the outputs. An input has

    | sizes | element of index `i` |
    |---|---|
    | as many elements as the outputs | `i`, whatever its modes |
    | one element | that one |
    | as many modes at the top as the first output, each of its size or of 1 | the coordinate of `i`, with 0 in modes of 1 |

    A mode of stride 0 broadcasts too, since all of its coordinates are one element: with sums of rows as
    `(8,4):(1,0)`, each element of an `(8,4)` fragment meets the sum of its row. An identity tensor gives coordinates,
    from which a region computes predicates.

    The map is written out, an element after the other, so that every index into a register is known when compiling and
    no fragment becomes local memory. Elements are read before those of their index are written, and indices are
    taken in their order.

    Numbers change their type by `arith`'s casts in the region, with their rounding; `layout.copy` converts too,
    saturates, and knows floats of 8 bits, which no arithmetic takes.

    - Preconditions: sizes that are known when compiling, which broadcast as above; outputs of one size, whose layouts
      are known and have a place for each element; the region has an argument of the element's type for each view,
      holds operations of `arith` and `math` without regions, on no floats of 8 bits and no tf32, and ends with
      `layout.yield` of an element for each output.
    - Postconditions: as above; the inputs stay, unless outputs lie in the same memory.
    - Errors: one for each precondition, with what was found; when it is written out, more than 65536 elements.

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
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)` $body attr-dict
  }];
}

def Layout_ReduceOp : Layout_Op<"reduce"> {
  let summary = "a reduction along modes of a tile that threads hold";
  let description = [{
    Each thread has a fragment of a tile, `source`. All elements of the tile that agree in the modes which are not
    reduced are combined to one, and *every* thread that holds one of them gets it: `target(i)` is the reduction of all
    elements that differ from `source(i)` in the modes `along` only. The target broadcasts to the source as inputs of
    `layout.map` do to its outputs, so that a `map` of both is what follows:

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

    `threads` is the *thread-value layout* of the tile, as CuTe's tiled copies and tiled MMAs have one: a layout of
    rank 2 from (thread, value) to an element of the tile. Thread `t` is `gpu.thread_id x` modulo the threads of the
    layout, so that a warp's layout does for each warp of a block with a tile of its own. Strides that are scaled basis
    elements, `4@1`, give coordinates, whose modes `along` numbers; plain ones give an index into the shape `tile`, or into a
    tile of one mode where there is none. Without `threads` each thread reduces its fragment by itself, along modes
    of its own shape.

    The holders of a tiled copy or a tiled MMA are `#layout.thread_values<…>`. With `#mma` of four warps on (64,64), whose
    accumulators are scores of attention, the maximum of each of a thread's two rows is

    ```mlir
    #mma = #layout.tiled_mma<mma_m16n8k16_f32_f16, (4,1,1)>
    layout.reduce max %s into %m along [1] threads(#layout.thread_values<c of #mma, (64,64)>) tile(#layout<(64,64)>)
        : !layout.view<f32, register, ((2,2),1,8):((1,2),0,4)>, !layout.view<f32, register, ((2,2),1,8):((0,1),0,0)>
    ```

    From that layout follows what is done, and no more:

    | what differs in the reduced modes | becomes |
    |---|---|
    | values of a thread | arithmetic, in pairs |
    | bits of the lane | `gpu.subgroup_reduce`, or `gpu.shuffle xor` of a region: each lane gets the result |
    | other digits of the thread's number: warps, or lanes by numbers that are no powers of 2 | shared memory: a slot for what differs, written once, a barrier, and read by all who need it; in a loop a barrier before, too |
    | nothing: threads, or values of one, that hold the same element (stride 0) | counted once |

    | | floats | integers |
    |---|---|---|
    | `add`, `mul` | `arith.addf`, `arith.mulf` | `arith.addi`, `arith.muli`: modulo 2^bits |
    | `max`, `min` | `arith.maximumf`, `arith.minimumf`: a NaN makes the result a NaN, and -0 is below 0 | `arith.maxsi`, `arith.minsi` |
    | `maxnum`, `minnum` | `arith.maxnumf`, `arith.minnumf`: a NaN is left out | |
    | `maxu`, `minu` | | `arith.maxui`, `arith.minui` |
    | `and`, `or`, `xor` | | `arith.andi`, `arith.ori`, `arith.xori` |

    or a region of two elements, which must be associative and commutative. The order is not said, so that sums of floats
    may be rounded otherwise than one after the other; on one chip, the same program gives the same bits, and all threads
    get the same ones. There is no initial value, and no neutral element is needed, since no reduction is of nothing:
    elements behind the end of what is reduced are given one (0, 1, -inf, +inf) by whoever loads them.

    Where a reduction goes through shared memory, all threads of the block execute it, and `known_block_size` says how many
    there are.

    - Preconditions: a kind that fits the elements, or a region that is a function of two elements as that of `layout.map`;
      `source` and `target` of one element type, `target` writable, of known layouts; `along` names distinct modes of the
      tile; `threads` has rank 2 and as many values as `source` has elements; `tile` goes with a plain layout; at most 2^20
      threads times values.
    - Postconditions: as above; the source stays.
    - Errors: one for each precondition, with what was found. When it is written out: threads that hold their
      elements by no digits of their number; elements of a target that are to be two results at once; a block whose
      threads are not known, or no multiple of the layout's; shared memory in a `layout.pipeline`.
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$kind,
                       Arg<Layout_ViewType, "", [MemRead]>:$source,
                       Arg<Layout_ViewType, "", [MemWrite]>:$target,
                       DenseI64ArrayAttr:$along,
                       OptionalAttr<Layout_TermAttr>:$threads,
                       OptionalAttr<Layout_TermAttr>:$tile);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Reduced>($kind, $source) `into` $target `along` $along (`threads` `(` $threads^ `)`)?
    (`tile` `(` $tile^ `)`)? ($body^)? attr-dict `:` type($source) `,` type($target)
  }];
}

#endif // LAYOUT_FRAGMENT_OPS_TD
