//===- LayoutAttributes.td - Attributes of the layout dialect ---*- tablegen -*-===//
//
// Attributes hold values that Rust made, by which MLIR's uniquing compares them; see `cpp/Values.h`.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_ATTRIBUTES_TD
#define LAYOUT_ATTRIBUTES_TD

include "LayoutDialect.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

class Layout_Attr<string name, string key, list<Trait> traits = []>
    : AttrDef<Layout_Dialect, name, traits> {
  let attrName = "layout." # key;
  let parameters = (ins "const LayoutValue *":$value);
  // `cpp/Values.h`.
  let genStorageClass = 0;
  let genAccessors = 0;
  let extraClassDeclaration = [{
    const LayoutValue *getValue() const;
    /// The canonical text of the value.
    ::llvm::StringRef getText() const;
  }];
}

def Layout_TermAttr
    : Layout_Attr<"Term", "term",
                  [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout"]>]> {
  let summary = "a term of the layout algebra";
  let description = [{
    `#layout<…>`: a layout, a tiler, a shape or coordinate, or a call of the algebra, nested as one
    likes. The text is parsed when it is read and kept as the algebra prints it; calls are kept as
    calls until something evaluates them.

    ```mlir
    #layout<((2,2),3):((24,2),8)>
    #layout<composition((6,2):(8,2), (4,3):(3,1))>
    #layout<S<3,3,3> o 0 o (8,64):(64,1)>
    ```

    A layout is also the layout of a memref, with a mode for each dimension, wherever an affine map
    describes it; upstream passes then see that map, and strides where each mode has one:

    ```mlir
    memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>
    ```

    Errors: the parser's, at the character that it stopped at. As the layout of a memref: a value
    that is no layout, other dimensions than the layout's, a swizzle.
  }];
}

def Layout_AtomAttr : Layout_Attr<"Atom", "atom"> {
  let summary = "a hardware instruction, by its name in the atom table";
  let description = [{
    `#layout.atom<NAME>` names a row of the table in `src/atoms.rs`, which has its thread-value
    layouts, the element types, and the first chip that has it.

    Errors: a name that the table does not have.
  }];
}

def Layout_ScheduleAttr : Layout_Attr<"Schedule", "schedule"> {
  let summary = "how a matmul is tiled";
  let description = [{
    ```mlir
    #layout.schedule<tile = (128,128,32), warps = (2,2), stages = 3>
    #layout.schedule<tile = (64,64,32), warps = (2,2), stages = 2, mma = mma_m16n8k16_f32_bf16,
                     chip = "sm_90a">
    #layout.schedule<tile = (128,256,64), warps = (8,1), stages = 4, cluster = (2,1),
                     raster = "(16,16,2):(1,32,16)", chip = "sm_90a">
    ```

    `tile` is the block's share of (M,N,K), `warps` how many warps share it along (M,N), `stages`
    how many tiles along K are under way at once. `mma` names the MMA atom (by default the one that
    fits the element types); `chip` the target (`sm_80` by default). With a `wgmma_ra` atom, each
    warpgroup loads its part of A from shared memory to registers, while it multiplies what it has
    loaded before; A may then be contiguous along M whatever its elements are.

    `promote = true` adds up each tile along K apart and then to sums of f32, where the instruction's
    own sums have fewer bits, as those of numbers of 8 bits.

    `swap_ab = true` computes the transposed product: the tile's M is then B's extent, and N A's.
    The other keys are for warpgroups:

    - `cluster`: the blocks along (M,N) of a cluster, which multicast tiles to each other.
    - `split_k`: the parts of K that blocks of their own accumulate; the parts are added in a fixed order.
    - `stream_k`: the blocks that take equal shares of the tiles along K of all tiles of C, one tile's behind
      the other's. Tiles that several blocks share are added in a fixed order, too.
    - `ping_pong`: `true` gives a block two sets of `warps`, which take tiles in turns, each whole ones, so
      that one multiplies while the other runs its epilogue; an integer gives as many sets.
    - `epilogue_stages`: the pieces of a warpgroup's results that may be on their way to memory at once.
    - `raster`: the order in which blocks take tiles, a layout from a tile's number to its column-major number
      in C.

    ```mlir
    #layout.schedule<auto>
    #layout.schedule<auto, chip = "sm_90a">
    ```

    `auto` leaves the choice to `layout-tile-matmul`, which takes the schedule of the nearest problem in
    a table of measured ones, and says which in a remark. Where none is near, and for several matmuls that
    become one kernel, it is the one of that table with which the busiest block has the least to do.

    Errors: a missing or repeated key, an extent below 1, an unknown atom or chip, a raster that is
    no layout.
  }];
}

def Layout_RelationAttr : Layout_Attr<"Relation", "relation"> {
  let summary = "a mapping between integer tuples, in ISL's notation";
  let description = [{
    A function of integer tuples that need be no layout: a triangle, a domain with holes, `-3c mod 16`.

    ```mlir
    #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">
    #layout.relation<"{ [i,j] -> [8i + j] : 0 <= j <= i < 8 }">
    #layout.relation<"{ [x] -> [x + 1] : x mod 3 != 0 }" o (4,8):(8,1)>
    ```

    `A o B` applies B first. What is composed is a relation in quotes, or a layout, which maps its
    one-dimensional coordinate to an offset. The result is kept, as ISL prints it.

    Errors: ISL's, and those of the layout's parser; a mapping with two values somewhere, with
    parameters, with numbers past 64 bits; tuples that do not fit; a limit of the composition.
  }];
}

#endif // LAYOUT_ATTRIBUTES_TD
