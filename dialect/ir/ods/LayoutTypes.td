//===- LayoutTypes.td - Types of the layout dialect --------------*- tablegen -*-===//
//
// Types keep canonical text, as attributes do.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_TYPES_TD
#define LAYOUT_TYPES_TD

include "LayoutDialect.td"

def Layout_LayoutType : TypeDef<Layout_Dialect, "Layout"> {
  let typeName = "layout.layout";
  let summary = "a layout value";
  let description = [{
    `!layout<L>`, where `L` is a layout, plain or composed with a swizzle; a call in its place is
    evaluated when the type is parsed. The type holds the whole layout: it is known when compiling.

    ```mlir
    !layout<((2,2),3):((24,2),8)>
    !layout<S<3,3,3> o 0 o (8,64):(64,1)>
    ```

    Errors: text that does not parse or evaluate, and terms whose value is not a layout.
  }];
  let parameters = (ins StringRefParameter<"canonical text of the layout">:$text);
}

def Layout_ViewType : TypeDef<Layout_Dialect, "View"> {
  let typeName = "layout.view";
  let summary = "memory seen through a layout";
  let description = [{
    `!layout.view<ELEMENT, SPACE, L>`: at run time a base pointer and an element offset `o`; the
    element at the coordinate `c` lies `o + L(c)` elements past the base. When `L` is composed with
    a swizzle, `S o k o I`, it lies `S(k + o + I(c))` elements past the base: the offset goes through
    the swizzle.

    | space | memory |
    |---|---|
    | `global` | the GPU's global memory |
    | `shared` | a thread block's shared memory |
    | `register` | a thread's registers |
    | `host` | memory of the CPU |
    | `iota` | none: the element at a coordinate *is* its offset `o + L(c)`, of type `index` |

    Views of `iota` carry coordinates through the same partitioning that data goes through, and so
    become the predicates of ragged edges.

    ```mlir
    !layout.view<f16, global, (128,64):(64,1)>
    !layout.view<index, iota, (128,64):(1,0)>
    ```

    Errors: an element type that is no float, integer or index; an unknown space; an `iota` view of
    anything but `index`; text that does not evaluate to a layout.
  }];
  let parameters = (ins "::mlir::Type":$elementType,
                        StringRefParameter<"memory space">:$space,
                        StringRefParameter<"canonical text of the layout">:$text);
}

def Layout_LayoutOrView : AnyTypeOf<[Layout_LayoutType, Layout_ViewType], "layout or view">;

#endif // LAYOUT_TYPES_TD
