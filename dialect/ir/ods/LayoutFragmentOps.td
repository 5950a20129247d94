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
    `(8,4):(1,0)`, each element of an `(8,4)` fragment meets the sum of its row. An `iota` view gives coordinates,
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

#endif // LAYOUT_FRAGMENT_OPS_TD
