//===- LayoutConstructionOps.td - Construction of values ---*- tablegen -*-===//
//
// Constants, values made from integers, and facts that are assumed of them.
//
//===----------------------------------------------------------------------===//

#ifndef LAYOUT_CONSTRUCTION_OPS_TD
#define LAYOUT_CONSTRUCTION_OPS_TD

include "LayoutClasses.td"

def Layout_ConstantOp
    : Layout_InferredOp<"constant", [Pure, ConstantLike]> {
  let summary = "a layout, a swizzle or a tuple";
  let description = [{
    The result is the value of the term.

    - Preconditions: the term evaluates to a layout, a swizzle or a tuple.
    - Postconditions: the result's type holds that value.
    - Errors: whatever the evaluation reports; a term whose value is neither.

    ```mlir
    %l = layout.constant #layout<coalesce((2,(1,6)):(1,(6,2)))> : !layout<12:1>
    %s = layout.constant #layout<S<3,3,3>> : !layout<S<3,3,3>>
    ```
  }];
  let arguments = (ins Layout_TermAttr:$term);
  let results = (outs Layout_LayoutOrTuple:$result);
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let assemblyFormat = "custom<Constant>($term, type($result)) attr-dict";
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Inference, [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor) { return getTermAttr(); }
    ::llvm::LogicalResult $cppClass::canonicalize($cppClass op, ::mlir::PatternRewriter &rewriter) {
      return ::layout::evaluate(op, rewriter);
    }
  }]);
}

def Layout_MakeOp : Layout_Op<"make", [Pure]> {
  let hasFolder = 1;
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Fold);
  let summary = "a layout or a tuple from the dynamic integers of its type";
  let description = [{
    Only this operation makes partly static layouts and tuples of integers: it takes one operand for each `?`
    of the type, in the order of the text. The facts that the type states of an integer are
    assumed, not checked.

    - Preconditions: each integer satisfies the facts that the type states of it.
    - Postconditions: the value of the type with these integers.
    - Errors: another number of integers than the type has; an integer of another width.

    ```mlir
    %l = layout.make %m, %k : (i32, i64) -> !layout<(?0,?1{i64 div=16}):(?1,1)>
    %t = layout.make %i : (index) -> !layout.tuple<(8,?{i64 range=0..})>
    ```
  }];
  let arguments = (ins Variadic<Layout_Integer>:$integers);
  let results = (outs Layout_LayoutOrTuple:$result);
  let assemblyFormat = "$integers attr-dict `:` functional-type(operands, results)";
}

def Layout_MakeTupleOp : Layout_FoldedOp<"make_tuple", [Pure]> {
  let summary = "a tuple of integers, tuples, layouts and `_`";
  let description = [{
    Makes a shape, a stride, a coordinate or a tuple of tilers from integers, `_` and values, which nest, in the
    syntax of a coordinate. With a layout among the operands, the result is a tuple of tilers. The attribute
    `coord` is the text with `?` for each operand.

    - Preconditions: none.
    - Postconditions: an `i32` becomes a `?`, an `i64` or `index` a `?{i64}`; tuples keep their static
      integers and facts.
    - Errors: another number of operands than `?`; in a tuple of tilers, extents that are not known
      to be at least 1.

    ```mlir
    %s = layout.make_tuple(%m, (8, %n)) : i32, index   // !layout.tuple<(?,(8,?{i64}))>
    %c = layout.make_tuple(_, %t) : !layout.tuple<(?,4)>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Index, I32, I64, Layout_LayoutType,
                                            Layout_TupleType]>>:$values, StrAttr:$coord);
  let results = (outs Layout_TupleType:$result);
  let assemblyFormat = "`` custom<Coord>($coord, $values) attr-dict `` "
                       "custom<TypesOfAny>(ref($values), type($values))";
}

def Layout_MakeLayoutOp : Layout_FoldedOp<"make_layout", [Pure]> {
  let summary = "a layout of a shape, of a shape and a stride, or of layouts side by side";
  let description = [{
    One tuple is a shape: the result is its compact layout, the first mode fastest. Two tuples are a
    shape and a stride. Layouts become the modes of the result.

    - Preconditions: the stride nests as the shape does; extents are at least 1.
    - Postconditions: the layout has that shape and stride, or these modes.
    - Errors: a stride that does not nest as the shape; extents below 1; extents that are not known
      to be at least 1 and are no single integer; tuples and layouts mixed.

    ```mlir
    %a = layout.make_layout %shape : !layout.tuple<(?,8)>                  // !layout<(?0,8):(1,?0)>
    %b = layout.make_layout %shape, %stride : !layout.tuple<(?,8)>, !layout.tuple<(?,1)>
    %c = layout.make_layout %x, %y : !layout<4:1>, !layout<?:4>
    ```
  }];
  let arguments = (ins Variadic<Layout_LayoutOrTuple>:$parts);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$parts attr-dict custom<TypesOfAll>(ref($parts), type($parts))";
}

def Layout_MakeOrderedLayoutOp : Layout_FoldedOp<"make_ordered_layout", [Pure]> {
  let summary = "the compact layout of a shape in an order of its modes";
  let description = [{
    - Preconditions: the order has as many entries as the shape has leaves; extents are at least 1.
    - Postconditions: the leaf with the smallest number has stride 1; each other the product of the
      extents before it.
    - Errors: an order of another length; extents that are not known to be at least 1.

    ```mlir
    %l = layout.make_ordered_layout %shape, #layout<(1,0)> : !layout.tuple<(4,8)>   // !layout<(4,8):(8,1)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source, Layout_TermAttr:$order);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source `,` custom<TermAndTypeOf>($order, ref($source), type($source)) attr-dict";
}

def Layout_MakeLayoutLikeOp : Layout_UnaryOp<"make_layout_like"> {
  let summary = "the compact layout with the shape and the order of another";
  let description = [{
    - Preconditions: none; broadcasts stay broadcasts.
    - Postconditions: the result has the same shape, and its strides the same order without gaps.
    - Errors: strides whose order is not known.

    ```mlir
    %l = layout.make_layout_like %m : !layout<(4,8):(1,6)>   // !layout<(4,8):(1,4)>
    ```
  }];
}

def Layout_MakeIdentityLayoutOp : Layout_FoldedOp<"make_identity_layout", [Pure]> {
  let summary = "the layout that maps each coordinate to itself";
  let description = [{
    - Preconditions: extents are at least 1.
    - Postconditions: the result maps coordinates to coordinates: its strides are basis elements.
    - Errors: extents that are not known to be at least 1.

    ```mlir
    %l = layout.make_identity_layout %s : !layout.tuple<(4,8)>   // !layout<(4,8):(1@0,1@1)>
    %m = layout.make_identity_layout %n : !layout.tuple<(?{range=1..},8)>   // !layout<(?,8):(1@0,1@1)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

def Layout_MakeComposedLayoutOp
    : Layout_FoldedOp<"make_composed_layout", [Pure, AttrSizedOperandSegments]> {
  let summary = "a composed layout";
  let description = [{
    The outer layout and the offset are static, or values.

    - Preconditions: the outer layout is a swizzle or a plain layout, and the inner layout is plain. Or the outer
      layout is plain, the inner one a coordinate layout, and the offset a coordinate of the outer layout, or 0.
      Or the outer layout is a coordinate layout, and the inner one plain or composed.
    - Postconditions: the result maps `c` to `outer(offset + inner(c))`; its shape is the inner layout's. With a
      coordinate layout inside it is a plain layout, or one after an offset.
    - Errors: an outer layout of another kind; an inner layout that is composed, but after a coordinate layout, or linear; an offset and
      coordinates that do not fit the outer layout, or are not known to stay in a mode of several strides.

    ```mlir
    %s = layout.make_composed_layout #layout<S<3,3,3>>, 0, %l : !layout<(?,64):(64,1)>
    // !layout<S<3,3,3> o 0 o (?,64):(64,1)>
    %t = layout.make_composed_layout %o : !layout<(?,4):(4,1)>, %i : i32, %l : !layout<(?,64):(64,1)>
    // !layout<(?,4):(4,1) o ? o (?,64):(64,1)>
    %u = layout.make_composed_layout %a : !layout<(8,64):(64,1)>, %c : !layout.tuple<(?,2)>, %m : !layout<(2,3):(1@0,1@1)>
    // !layout<S<0,0,0> o 64*?+2 o (2,3):(64,1)>
    %v = layout.make_composed_layout #layout<(4,4):(1@0,1@1)>, %i : i32, %p : !layout<(2,2):(1,4)>
    // !layout<(4,4):(1@0,1@1) o ? o (2,2):(1,4)>
    ```
  }];
  let arguments = (ins Layout_LayoutType:$inner, Optional<Layout_LayoutType>:$by,
                       Optional<AnyTypeOf<[Index, I32, I64, Layout_TupleType]>>:$at,
                       OptionalAttr<Layout_TermAttr>:$outer, OptionalAttr<I64Attr>:$offset);
  let results = (outs Layout_LayoutType:$result);
  let assemblyFormat = "custom<ShapeOrValue>($outer, $by, type($by)) `,` "
                       "custom<NumberOrValue>($offset, $at, type($at)) `,` $inner attr-dict "
                       "custom<TypeOf>(ref($inner), type($inner))";
}

def Layout_AssumeOp : Layout_Op<"assume", [Pure]> {
  let summary = "states facts about a value by a type";
  let description = [{
    The result is the same value, with a type that states more or fewer facts: divisibility, ranges, that integers are
    equal, that an integer is static, or that a computed one is arbitrary. No pass proves the new facts
    and all passes use them: a program with a wrong assumption has undefined behaviour.

    - Preconditions: the value is one of the result type.
    - Postconditions: the same layout or tuple.
    - Errors: types that do not nest alike; known integers that differ; an integer of the result
      that no leaf is alone.

    ```mlir
    %a = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?{div=8},8):(1,?{range=0..4096})>
    %b = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?0,8):(1,?0)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source);
  let results = (outs Layout_LayoutOrTuple:$result);
  let hasFolder = 1;
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($result)";
  let extraClassDefinition = !strconcat(Layout_Verifier, Layout_Fold);
}

def Layout_PrintOp : Layout_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "writes a layout or a tuple to standard output";
  let description = [{
    Prints a value while a program runs: on the host through `vector.print`, in a kernel
    through `gpu.printf`, whose output `layout-translate --run-on-cpu` writes, too.

    - Preconditions: none.
    - Postconditions: one line with the value, its integers as they are at run time.
    - Errors: a tuple of tilers.

    ```mlir
    layout.print %l : !layout<(?,8):(1,?)>
    ```
  }];
  let arguments = (ins Layout_LayoutOrTuple:$source);
  let assemblyFormat = "$source attr-dict custom<TypeOf>(ref($source), type($source))";
}

#endif // LAYOUT_CONSTRUCTION_OPS_TD
