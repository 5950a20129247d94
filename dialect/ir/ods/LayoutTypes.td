//===- LayoutTypes.td - Types of the layout dialect --------------*- tablegen -*-===//
//
// Types hold values, as attributes do.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TYPES_TD
#define LAYOUT_TYPES_TD

include "LayoutDialect.td"

class Layout_Type<string name> : TypeDef<Layout_Dialect, name> {
  // `cpp/Values.h`.
  let genStorageClass = 0;
  let genAccessors = 0;
  code valueDeclaration = [{
    const LayoutValue *getValue() const;
    /// The canonical text of the value.
    ::llvm::StringRef getText() const;
  }];
  // `layout/Layout.h` of the plugin defines `get`, by the C functions.
  let extraClassDeclaration = valueDeclaration # [{
    /// Parses the text between the brackets. Returns null, and sets `error` to the reason, if it does not parse.
    static }] # name # [{Type get(::mlir::MLIRContext *context, ::llvm::StringRef text, ::std::string *error = nullptr);
  }];
}

def Layout_LayoutType : Layout_Type<"Layout"> {
  let typeName = "layout.layout";
  let summary = "a layout value";
  let description = [{
    `!layout<L>`, where `L` is a layout: plain, composed with a swizzle, linear, or a coordinate layout; or a
    swizzle by itself, which maps offsets to offsets. A
    call in its place is evaluated when the type is parsed. The static part of the layout
    is in the type; each `?` is an integer that is known at run time, with its facts in
    braces:

    | text | means |
    |---|---|
    | `?` | 32 bits, signed |
    | `?{i64}` | 64 bits, signed |
    | `?{div=16}` | a multiple of 16 |
    | `?{range=1..4096}` | from 1 to 4096; either bound may be left out |
    | `?0`, `?1` | the same integer wherever it is; numbered in the order of the text |
    | `8*?0+1`, `ceil_div(?0,128)` | computed from it |

    At run time a layout value is those integers, in the order of their first mention. Extents are at
    least 1 by definition. Types that differ only in how their integers are numbered are the same type.

    ```mlir
    !layout<((2,2),3):((24,2),8)>
    !layout<S<3,3,3> o 0 o (8,64):(64,1)>
    !layout<(?,8):(1,?{div=8})>
    !layout<(?0,?1{i64 div=16}):(?1,1)>
    !layout<S<3,3,3> o ?{div=512} o (?,64):(64,1)>
    !layout<(?,8):(1@0,?{div=8}@1)>
    !layout<S<3,3,3>>
    ```

    A linear layout maps bits to bits; it is static, and so is a swizzle.

    Errors: text that does not parse or evaluate; terms whose value is neither a layout nor a swizzle; a missing
    fact, with how to state it.
  }];
  let parameters = (ins "const LayoutValue *":$value);
}

def Layout_TupleType : Layout_Type<"Tuple"> {
  let typeName = "layout.tuple";
  let summary = "an integer, a tuple of tuples, or a tuple of tilers";
  let description = [{
    `!layout.tuple<T>`: a shape, a stride or a coordinate, whose leaves are integers or, in a
    coordinate, `_`, and in the stride of a coordinate layout multiples of basis elements,
    `(1@0,?@1)`; or a tuple of tilers, `<3:1, (2,?):(1,8), _>`. Leaves are static or dynamic,
    as in `!layout<…>`, but have no bound by definition.

    ```mlir
    !layout.tuple<(128,(?,8))>
    !layout.tuple<?{i64 div=8 range=0..}>
    !layout.tuple<(_,?)>
    !layout.tuple<<?{range=1..}:1, _>>
    !layout.tuple<(1@0,(?{div=8}@0@1,0))>
    ```

    Errors: as for `!layout<…>`; a layout.
  }];
  let parameters = (ins "const LayoutValue *":$value);
}

def Layout_ViewType : Layout_Type<"View"> {
  let typeName = "layout.view";
  let summary = "memory seen through a layout";
  let description = [{
    `!layout.view<ELEMENT, SPACE, L>`: at run time a base pointer and an element offset `o`; the
    element at the coordinate `c` lies `o + L(c)` elements past the base. When `L` is composed with
    a swizzle, `S o k o I`, it lies `S(k + o + I(c))` elements past the base: the offset goes through
    the swizzle.

    The layout is plain or composed. It may be partly static, as that of
    `!layout<…>`; at run time the view then consists of its integers too, in their order. Single elements of such views
    are loaded and stored, and `layout.copy` moves them one by one; other atoms and `layout.mma` take
    static views.

    Host functions, calls, loops and branches pass a view as a pointer to its first element, and its
    integers. In a composed layout, the position of an element depends on the offset that goes into the
    outer layout: such a view is passed as the pointer from which offsets are counted, that offset of
    the first element, in 64 bits, and the integers. Kernels take whole views, without an offset.

    Elements of `i4` and `ui4` lie two in a byte, of `i2` and `ui2` four, the first in the lowest bits. Offsets are
    in elements. A view can be recast to wider elements, or passed to a function, only if its first element
    starts a byte. A single element can be loaded from any memory, and stored in registers; to other
    memory only whole bytes are stored, since another thread may write the rest of a byte. Copies that
    convert treat `i4` and `i2` as signed, `ui4` and `ui2` as unsigned. Arithmetic takes `i4` and `i2`;
    `ui4` and `ui2` are not loaded one by one.

    | space | memory |
    |---|---|
    | `global` | the GPU's global memory |
    | `shared` | a thread block's shared memory |
    | `register` | a thread's registers |
    | `host` | memory of the CPU |
    | `coordinate` | none: the element at a coordinate *is* its offset `o + L(c)`, of type `index` |

    Identity tensors carry coordinates through the same partitioning that data goes through, and so
    become the predicates of ragged edges.

    ```mlir
    !layout.view<f16, global, (128,64):(64,1)>
    !layout.view<index, coordinate, (128,64):(1,0)>
    !layout.view<f32, host, (?,?1{div=16}):(?1,1)>
    ```

    Errors: an element type that is no float, integer or index; an unknown space; an identity tensor of
    anything but `index`; text that does not evaluate to a layout.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        StringRefParameter<"memory space">:$space,
                        "const LayoutValue *":$value);
  let extraClassDeclaration = valueDeclaration # [{
    ::mlir::Type getElementType() const;
    ::llvm::StringRef getSpace() const;
    /// The type of a view. Returns null, and sets `error` to the reason, if views have no such space, element or layout.
    static ViewType get(::mlir::Type element, ::llvm::StringRef space, ::llvm::StringRef text,
                        ::std::string *error = nullptr);
  }];
}

def Layout_LayoutOrTuple : AnyTypeOf<[Layout_LayoutType, Layout_TupleType], "layout or tuple">;
def Layout_Value
    : AnyTypeOf<[Layout_LayoutType, Layout_TupleType, Layout_ViewType], "layout, tuple or view">;
def Layout_Integer : AnyTypeOf<[Index, I32, I64], "index, i32 or i64">;
def Layout_Coordinate : AnyTypeOf<[Index, Layout_TupleType], "index or tuple">;
def Layout_LayoutOrView : AnyTypeOf<[Layout_LayoutType, Layout_ViewType], "layout or view">;

#endif // LAYOUT_TYPES_TD
