//===- LayoutAttributes.td - Attributes of the layout dialect ---*- tablegen -*-===//
//
// Attributes hold values that Rust makes and that MLIR's uniquing compares; see `cpp/Values.h`.
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
  // `layout/Layout.h` of the plugin defines `get`, by the C functions.
  code valueDeclaration = [{
    const LayoutValue *getValue() const;
    /// The canonical text of the value.
    ::llvm::StringRef getText() const;
    /// Parses the text between the brackets. Returns null, and sets `error` to the reason, if it does not parse.
    static }] # name # [{Attr get(::mlir::MLIRContext *context, ::llvm::StringRef text, ::std::string *error = nullptr);
  }];
  let extraClassDeclaration = valueDeclaration;
}

def Layout_TermAttr
    : Layout_Attr<"Term", "term",
                  [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout"]>]> {
  let summary = "a term of the layout algebra";
  let description = [{
    `#layout<…>`: a layout, a tiler, a shape or coordinate, or a call of the algebra, nested to
    any depth. The text is parsed when it is read and kept as the algebra prints it; calls are kept
    until a pass or an operation evaluates them.

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

    `#layout.thread_values<…>` is another way to write a term: the thread-value layout of a tile, a layout from thread
    and value to the tile's element, counted column-major, of a tiled MMA's operand or a tiled copy. A shape
    after it is the shape of a larger tile.

    ```mlir
    #layout.thread_values<c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>, (64,64)>
    #layout.thread_values<#layout.tiled_copy<simt_4, (16,8):(8,1), (1,4)>>
    ```

    Errors: the parser's, at the character that it stopped at. As the layout of a memref: a value
    that is no layout, other dimensions than the layout's, a swizzle.
  }];
  let extraClassDeclaration = valueDeclaration # [{
    /// The term's value, again as a term. Returns null, and sets `error` to the reason, if it has none.
    TermAttr evaluate(::std::string *error = nullptr) const;
    /// The integer that the term evaluates to. Returns `std::nullopt`, and sets `error` to the reason, if it is no integer.
    ::std::optional<int64_t> getInteger(::std::string *error = nullptr) const;
  }];
}

def Layout_AtomAttr : Layout_Attr<"Atom", "atom"> {
  let summary = "a hardware instruction, by its name in the atom table";
  let description = [{
    `#layout.atom<NAME>` names a row of [the table of atoms](ATOMS.md), which lists each instruction with its memory spaces,
    element types, width, first chip and CuTe's name.

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

    `tile` is a block's tile (M,N,K), `warps` the number of warps that share it along (M,N), `stages`
    the number of pipeline stages, tiles along K in flight at once. `mma` names the MMA atom (by default the one that
    fits the element types); `chip` the target (`sm_80` by default). With a `wgmma_ra` atom, each
    warpgroup loads its part of A from shared memory to registers, while it multiplies what it has
    loaded before; A may then be contiguous along M whatever its elements are.

    `two_level_accumulation = true` accumulates each tile along K separately and adds the result to an accumulator of f32, where
    the instruction's own accumulator has fewer bits, as for elements of 8 bits.

    `swap_ab = true` computes the transpose of C: the tile's M is then B's extent, and N A's.
    For every kind of kernel:

    - `split_k`: the number of slices of K, each accumulated by its own blocks; the partial results are added in a fixed order.
    - `stream_k`: the number of blocks, among which the tiles along K of all tiles of C are divided evenly, one tile's after
      the other's. Tiles that several blocks share are added in a fixed order, too.
    - `raster`: the order in which blocks take tiles, a layout from a tile's number to its column-major number
      in C.

    For warpgroups:

    - `cluster`: the blocks along (M,N) of a cluster, which multicast tiles to each other.
    - `ping_pong`: `true` gives a block two consumer groups of `warps`, which compute whole tiles alternately, so
      that one multiplies while the other runs its epilogue; an integer gives that many groups.
    - `epilogue_stages`: the pieces of a warpgroup's results that may be in flight to memory at once.

    ```mlir
    #layout.schedule<auto>
    #layout.schedule<auto, chip = "sm_90a">
    #layout.schedule<auto, two_level_accumulation = true, chip = "sm_90a">
    ```

    `auto` leaves the choice to `layout-tile-matmul`, which selects the schedule of the nearest problem in
    a table of measured ones, or, if none is near, the fastest by the cost model, and reports it in a remark; one of warpgroups has
    two-level accumulation if `auto` has that key. Several matmuls that
    become one kernel get the schedule of that table with which the busiest block has the least work.

    Errors: a missing or repeated key, an extent below 1, an unknown atom or chip, a raster that is
    no layout.
  }];
}

def Layout_TiledMmaAttr : Layout_Attr<"TiledMma", "tiled_mma"> {
  let summary = "an MMA atom, repeated over warps and over the values of a thread";
  let description = [{
    CuTe's `make_tiled_mma(atom, atom_layout, permutation)`. The atom layout maps `(M,N,K)` to
    the number of a warp, or of a warpgroup for `wgmma`. Each entry of the permutation gives the rows,
    columns or steps along K of the tile, and the order in which atoms take them; `_` is one atom for each warp.

    ```mlir
    #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>
    #layout.tiled_mma<mma_m16n8k16_f32_bf16, (4,1,1):(1,4,4), (64,16,16)>
    #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), <_, (8,2,2):(1,16,8), _>>
    #layout.tiled_mma<wgmma_m64n128k16_f32_bf16, (2,1,1)>
    ```

    `layout.partition` gives a thread's part of an operand, `layout.partition_fragment` registers for that
    part, and `#layout.thread_values` the thread-value layout.

    Errors: an atom that is no MMA; an atom layout that is not of rank 3 or does not number its warps
    from 0 on, each once; a permutation that is none, or does not give each warp whole atoms.
  }];
}

def Layout_TiledCopyAttr : Layout_Attr<"TiledCopy", "tiled_copy"> {
  let summary = "a copy atom, repeated over threads and over the values of a thread";
  let description = [{
    CuTe's `make_tiled_copy(atom, thr_layout, val_layout)`: the first layout maps coordinates in a tile to the
    number of a thread, and the second maps those within a thread's part to the number of a value. The
    tile is their
    `raked_product`; a shape stands for its column-major layout.

    ```mlir
    #layout.tiled_copy<cp_async_16, (16,8):(8,1), (1,8)>
    #layout.tiled_copy<ldmatrix_x4, a of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>>
    #layout.tiled_copy<stmatrix_x4, c of #layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1)>>
    ```

    `a of`, `b of` and `c of` a tiled MMA is CuTe's `make_tiled_copy_A`, `_B` and `_C`: the copy whose registers
    are that operand, for atoms of warps such as `ldmatrix` too. The tiled MMA may be an alias.

    `layout.partition` gives a thread's part of the source and of the target, and `layout.retile`
    groups the registers of an
    MMA's operand for this copy. The number of values that an instruction moves follows from the
    element type of the view. `layout.copy` checks that they are contiguous.

    Errors: an atom that is no copy, or that one thread issues for a whole tile; threads or values with
    no coordinate, or with several; an operand that is not in registers.
  }];
}

def Layout_RelationAttr : Layout_Attr<"Relation", "relation"> {
  let summary = "a mapping between integer tuples, in ISL's notation";
  let description = [{
    A function of integer tuples, which need not be a layout: a triangle, a domain with holes, `-3c mod 16`.

    ```mlir
    #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">
    #layout.relation<"{ [i,j] -> [8i + j] : 0 <= j <= i < 8 }">
    #layout.relation<"{ [x] -> [x + 1] : x mod 3 != 0 }" o (4,8):(8,1)>
    ```

    `A o B` applies B first. Each operand is a relation in quotes, or a layout, which maps its
    one-dimensional coordinate to an offset. The result is kept, as ISL prints it.

    Errors: ISL's, and those of the layout's parser; a mapping with two values somewhere, with
    parameters, with numbers past 64 bits; tuples that do not fit; a limit of the composition.
  }];
}

#endif // LAYOUT_ATTRIBUTES_TD
