//! The table of the dialect's constraints: each with the code that its errors carry, what it means,
//! what its hint proposes, and a program that breaks it.
//!
//! Codes are stable: a program may look for them when messages are reworded. `DIAGNOSTICS.md` is
//! made from this table, with the diagnostics of the programs (`cargo xtask bless`).

#[cfg(test)]
#[path = "../../tests/units/diagnostics/page.rs"]
mod page;

use layout_algebra::{Error, integer};
use std::fmt;

/// The operation of errors about the kind of a whole term.
pub(crate) const TERM: &str = "term";

/// A program of one attribute, of one type, of a kernel that says so of its launch, or of aliases and a function of
/// operations.
macro_rules! example {
    (attribute($text:literal)) => {
        concat!("func.func private @f() attributes {x = ", $text, "}\n")
    };
    (kernel($text:literal)) => {
        concat!(
            "gpu.module @m {\n  gpu.func @f(%o: !layout.view<f32, global, 128:1>) kernel attributes {\n",
            "      known_block_size = array<i32: 32, 1, 1>,\n",
            "      layout.kernel = {grid = array<i64: 1, 1, 1>, block = array<i64: 32, 1, 1>, chip = \"sm_80\",\n        ",
            $text, "}} {\n    gpu.return\n  }\n}\n"
        )
    };
    (of_type($text:literal)) => {
        concat!("func.func private @f(", $text, ")\n")
    };
    (pipeline($head:literal, $($rest:tt)*)) => {
        example!(pipeline([], "%i: index", $head, $($rest)*))
    };
    // The regions in the order of the text; lines of `load` and `mainloop` are after the arguments of their block.
    (pipeline([$($alias:literal),*], $arguments:literal, $head:literal, [$($steps:literal),*],
        $load:literal [$($loads:literal),*], $start:literal, [$($stepped:literal),*])) => {
        example!(op([$($alias),*], $arguments,
            $head, $($steps,)* $load, $($loads,)*
            "} prologue {", $start,
            "} mainloop {", "^bb0(%tile: index, %k: index, %stage: index):", $($stepped,)*
            "} epilogue {", "^bb0(%tile: index):", "}"))
    };
    (op([$($alias:literal),*], $arguments:literal, $($line:literal),*)) => {
        concat!(
            $($alias, "\n",)* "func.func @f(", $arguments, ") {\n", $("  ", $line, "\n",)*
            "  return\n}\n"
        )
    };
}

macro_rules! codes {
    ($($variant:ident $name:literal: $meaning:literal $(hint $hint:literal)?,
       $kind:ident($($example:tt)*);)*) => {
        /// The code of a constraint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The code as messages have it between brackets.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The demand of the constraint.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                }
            }

            /// The proposal of the hint; empty where no legal input is nearest.
            pub fn hint(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($hint)?),)*
                }
            }

            /// A program that breaks the constraint.
            pub fn example(self) -> &'static str {
                match self {
                    $(Self::$variant => example!($kind($($example)*)),)*
                }
            }
        }
    };
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Code {
    /// The code of an error of the algebra.
    pub fn of_algebra(error: &Error) -> Self {
        match error.cause() {
            Error::Parse { .. } => Self::Syntax,
            Error::Incongruent { .. } => Self::Incongruent,
            Error::Extent { .. } => Self::Extent,
            Error::Overflow { .. } => Self::Overflow,
            Error::Limit { .. } => Self::Limit,
            Error::Coordinate { .. } => Self::Coordinate,
            Error::NoComposition { .. } => Self::NoComposition,
            Error::Undecided { .. } => Self::Undecided,
            Error::Mode { .. } => Self::Mode,
            Error::Operand { operation: TERM, .. } => Self::Kind,
            // A layout whose integers are partly static.
            Error::Operand { operation: "layout", expected, .. }
                if expected.starts_with("a stride congruent") =>
            {
                Self::Incongruent
            }
            Error::Operand { .. } => Self::Operand,
            Error::Condition { operation, .. } => match *operation {
                "complement" => Self::Complement,
                "left_inverse" | "right_inverse" | "inverse" => Self::Inverse,
                "upcast" | "downcast" | "recast" => Self::Recast,
                "shape_div" => Self::Divisible,
                "ceil_div" | "round_up" => Self::Division,
                _ => Self::Condition,
            },
            _ => Self::Condition,
        }
    }

    /// The code of an error of the algebra with symbols.
    pub fn of_symbolic(error: &integer::Error) -> Self {
        match error.cause() {
            integer::Error::Algebra(error) => Self::of_algebra(error),
            integer::Error::Missing { .. } => Self::FactMissing,
            integer::Error::Never { .. } => Self::FactRefuted,
            _ => Self::FactContradiction,
        }
    }
}

codes! {
    // Texts.
    Syntax "syntax": "A text must be a term, a schedule or a coordinate."
        hint "the name nearest to an unknown one",
        attribute("#layout<compositon((6,2):(8,2), (4,3):(3,1))>");
    Atom "atom": "An atom's name must be in the atom table."
        hint "the nearest name",
        attribute("#layout.atom<cp_async_61>");
    ScheduleKey "schedule-key": "A schedule has each of its keys once, and no others; `tile`, `warps` and `stages` must be there."
        hint "the key nearest to an unknown one",
        attribute("#layout.schedule<tile = (128,128,32), warp = (2,2), stages = 3>");
    ScheduleValue "schedule-value": "A key of a schedule must have a value of its kind: positive integers, `true` or `false`, a layout, an MMA atom or a chip."
        hint "the atom nearest to an unknown one",
        attribute("#layout.schedule<tile = (64,64,32), warps = (2,2), stages = 3, mma = mma_m16n8k16_f16>");
    // Values.
    Incongruent "incongruent": "A stride must nest as its shape does."
        hint "the stride's numbers in the shape's nesting, or the compact stride",
        of_type("!layout<((4,2),8):(1,(4,8))>");
    Extent "extent": "Extents must be at least 1."
        hint "the least extent, which is 1",
        of_type("!layout<(4,0):(1,4)>");
    Overflow "overflow": "Offsets and sizes must stay within 64 bits.",
        of_type("!layout<(4294967296,4294967296):(1,1)>");
    Limit "limit": "Texts, shapes and searches must stay within the algebra's limits.",
        attribute("#layout<S<60,60,3> o 0 o 8:1>");
    Operand "operand": "An operation must have operands and attributes of the right number and kinds."
        hint "the compact layout of a shape, where a layout is taken",
        op([], "%s: !layout<(2,5):(1,2)>", "%0 = layout.blocked_product %s, #layout<(3,4)> : !layout<(2,5):(1,2)>");
    Kind "kind": "A term's value must be of the kind that its place requires: a layout, a tuple, a shape."
        hint "the compact layout of a shape, the type of a layout",
        of_type("!layout<(4,2)>");
    // The algebra.
    NoComposition "no-composition": "A composition must have a layout that agrees with it at every coordinate."
        hint "the nearest size of the right operand, or of a tile, that has one",
        op([], "%l: !layout<((4,6),(2,3)):((1,5),(100,7))>",
            "%0 = layout.composition %l, #layout<(6,3)> : !layout<((4,6),(2,3)):((1,5),(100,7))>");
    Undecided "undecided": "An operation that no closed form decides must have operands small enough to compare coordinate by coordinate, and static enough to compare at all.",
        op([], "%a: !layout<(?,8):(1,?)>, %b: !layout<(?,8,4):(?,1,?)>", "%0 = layout.equal %a, %b : !layout<(?,8):(1,?)>, !layout<(?,8,4):(?,1,?)>");
    TilerRank "tiler-rank": "A tiler must have no more entries than the layout has modes."
        hint "the tiler without the entries that are too many",
        op([], "%l: !layout<(4,8):(8,1)>", "%0 = layout.zipped_divide %l, #layout<(2,2,2)> : !layout<(4,8):(8,1)>");
    Profile "profile": "A profile must nest no deeper than the layout."
        hint "a profile with an entry for each mode",
        op([], "%l: !layout<(4,2):(1,4)>", "%0 = layout.coalesce %l by #layout<(1,(1,1))> : !layout<(4,2):(1,4)>");
    Order "order": "An order must have an entry for each leaf of the shape."
        hint "the order of the leaves as written",
        op([], "%s: !layout.tuple<(4,8)>", "%0 = layout.make_ordered_layout %s, #layout<(1,0,2)> : !layout.tuple<(4,8)>");
    Rank "rank": "Layouts and tuples that are joined mode by mode must have one rank."
        hint "a shape with as many modes, of what is tiled",
        op([], "%l: !layout<(2,4):(1,2)>", "%0 = layout.tile_to_shape %l, #layout<(6)> : !layout<(2,4):(1,2)>");
    Mode "mode": "A mode must be below the rank."
        hint "the greatest mode",
        op([], "%l: !layout<(4,2):(1,4)>", "%0 = layout.select %l, [1, 2] : !layout<(4,2):(1,4)>");
    ModeRange "mode-range": "A range of modes must be within the rank and not empty."
        hint "the nearest range",
        op([], "%l: !layout<(4,2):(1,4)>", "%0 = layout.take %l, 1 to 3 : !layout<(4,2):(1,4)>");
    Complement "complement": "A complement needs modes that do not interleave, and a codomain of at least 1."
        hint "the least codomain",
        op([], "%l: !layout<(4,4):(1,2)>", "%0 = layout.complement %l, 0 : !layout<(4,4):(1,2)>");
    Inverse "inverse": "A layout must be one-to-one to have a left inverse, and a swizzle must undo itself.",
        op([], "%l: !layout<(4,4):(1,2)>", "%0 = layout.left_inverse %l : !layout<(4,4):(1,2)>");
    Recast "recast": "A recast must split no element: the factor divides strides, and what is split is contiguous."
        hint "the nearest factor",
        op([], "%l: !layout<(4,16):(16,1)>", "%0 = layout.upcast %l, 3 : !layout<(4,16):(16,1)>");
    Divisible "divisible": "An extent must divide the one that it is divided by, or be divisible by it."
        hint "the nearest divisor",
        op([], "%s: !layout.tuple<(6,10)>", "%0 = layout.shape_div %s, #layout<(3,4)> : !layout.tuple<(6,10)>");
    Division "division": "A dividend must be at least 0 and a divisor at least 1."
        hint "the nearest divisor",
        op([], "%s: !layout.tuple<(10,4)>", "%0 = layout.round_up %s, #layout<(0,16)> : !layout.tuple<(10,4)>");
    Condition "condition": "An operation's own condition must hold, which the message names.",
        of_type("!layout<to_layout(to_linear((4,3):(1,4)))>");
    Nesting "nesting": "Tuples that are combined leaf by leaf must nest alike, and so must a value and its assumed type.",
        op([], "%s: !layout.tuple<(4,8)>, %t: !layout.tuple<(4,(2,4))>", "%0 = layout.tuple_add %s, %t : !layout.tuple<(4,8)>, !layout.tuple<(4,(2,4))>");
    // Coordinates.
    Coordinate "coordinate": "A coordinate must fit the shape that it is for.",
        of_type("!layout.tuple<crd2idx((1,2,3), (4,2):(1,4))>");
    CoordRank "coord-rank": "A coordinate must be an index, or have an entry for each mode."
        hint "the coordinate with as many entries",
        op([], "%l: !layout<(4,(2,4)):(2,(1,8))>, %i: index", "%0 = layout.crd2idx %l(%i, (0, 1, 0)) : !layout<(4,(2,4)):(2,(1,8))>");
    CoordBounds "coord-bounds": "An entry of a coordinate must be below its mode's size."
        hint "the nearest entry",
        op([], "%l: !layout<(4,2):(1,4)>", "%0 = layout.slice %l(4, _) : !layout<(4,2):(1,4)>", "%1 = layout.crd2idx %l(4, -1) : !layout<(4,2):(1,4)>");
    CoordElement "coord-element": "The coordinate of one element must have no `_`."
        hint "the operation that keeps modes",
        op([], "%v: !layout.view<f16, global, (4,2):(1,4)>, %i: index", "%0 = layout.load %v(%i, _) : !layout.view<f16, global, (4,2):(1,4)>");
    CoordOperands "coord-operands": "A coordinate must have an operand for each `?`.",
        op([], "%l: !layout<(4,2):(1,4)>", "%0 = \"layout.slice\"(%l) {coord = \"(_,?)\"} : (!layout<(4,2):(1,4)>) -> !layout<4:1>");
    // Partly static values.
    FactMissing "fact-missing": "An operation on integers that are known at run time must know the facts that its answer depends on."
        hint "how to state them",
        op([], "%l: !layout<(?,8):(8,1)>", "%0 = layout.composition %l, #layout<4:2> : !layout<(?,8):(8,1)>");
    FactRefuted "fact-refuted": "The facts must not rule out a condition of an operation.",
        op([], "%s: !layout.tuple<?{range=1..7}>", "%0 = layout.shape_div %s, #layout<8> : !layout.tuple<?{range=1..7}>");
    FactContradiction "fact-contradiction": "The facts about an integer must leave it a value.",
        of_type("!layout<?{div=8 range=1..7}:1>");
    Static "static": "A view that is allocated or multiplied must have a static layout.",
        op([], "", "%0 = layout.alloc : !layout.view<f16, register, (?,8):(8,1)>");
    MakeOperands "make-operands": "`layout.make` takes an integer for each `?` of its type.",
        op([], "%i: i32", "%0 = layout.make %i : (i32) -> !layout<(?,8):(1,?)>");
    MakeWidth "make-width": "An integer must have the width of the `?` that it stands for."
        hint "a type of that width",
        op([], "%i: i64", "%0 = layout.make %i : (i64) -> !layout<(?,8):(8,1)>");
    AssumeValue "assume-value": "A static integer must not be assumed to be another."
        hint "the integer that is known",
        op([], "%l: !layout<(?,8):(1,?)>", "%0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,9):(1,?)>");
    AssumeLeaf "assume-leaf": "Each `?` of an assumed type must be a leaf by itself somewhere, so that it has a value.",
        op([], "%l: !layout<(?,8):(1,?)>", "%0 = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?,8):(1,2*?)>");
    // Views and memrefs.
    ViewSpace "view-space": "A view's space must be one of `global`, `shared`, `register`, `host` and `coordinate`."
        hint "the nearest space",
        of_type("!layout.view<f16, gloal, 4:1>");
    ViewElement "view-element": "A view's elements must be floats, integers or `index`; those of an identity tensor `index`."
        hint "the elements of an identity tensor",
        of_type("!layout.view<f16, coordinate, 4:1>");
    AllocSpace "alloc-space": "`layout.alloc` makes views of `shared` and `register` memory.",
        op([], "", "%0 = layout.alloc : !layout.view<f16, global, 4:1>");
    AllocStride "alloc-stride": "A view that is allocated must have no negative strides."
        hint "the stride without its sign",
        op([], "", "%0 = layout.alloc : !layout.view<f16, register, (4,2):(1,-4)>");
    IdentityTensorSpace "identity-tensor-space": "`layout.identity_tensor` makes views of the space `coordinate`.",
        op([], "", "%0 = layout.identity_tensor : !layout.view<index, register, 4:1>");
    IdentityTensorLayout "identity-tensor-layout": "An identity tensor of a partly static layout has its integers from an operand of that layout.",
        op([], "", "%0 = layout.identity_tensor : !layout.view<index, coordinate, (?,8):(8,1)>");
    Threads "threads": "A layout of threads must have each thread at one place."
        hint "the compact layout of the same order, where that numbers the threads",
        op([], "%l: !layout<(16,8):(8,1)>, %t: index",
            "%0 = layout.partition %l(%t), #layout<(4,2):(4,1)> : !layout<(16,8):(8,1)>");
    TiledAtom "tiled-atom": "A tiled copy has a copy atom that threads execute, and a tiled MMA an MMA atom."
        hint "what a bulk copy needs instead",
        attribute("#layout.tiled_copy<bulk_tensor_load, 32:1, 4:1>");
    TiledMma "tiled-mma": "A tiled MMA numbers its warps from 0 on, and its permutation gives each of them whole atoms."
        hint "the nearest extent",
        attribute("#layout.tiled_mma<mma_m16n8k16_f32_f16, (2,2,1), (48,16,16)>");
    TiledCopy "tiled-copy": "A thread of a tiled copy has whole vectors of the atom, of an operand in registers."
        hint "what says how many values a thread has",
        op([], "%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index",
            "%0 = layout.partition %v(%t), source of #layout.tiled_copy<cp_async_16, (16,2):(2,1), (1,4)> : !layout.view<f16, global, (16,8):(8,1)>");
    CooperativeTile "cooperative-tile": "A tiled copy's tile divides the tiles of a cooperative copy, which have static extents, equal on both sides.",
        op(["!g = !layout.view<f16, global, (60,64):(64,1)>", "!s = !layout.view<f16, shared, (60,64):(64,1)>"], "%g: !g, %s: !s, %t: index",
            "layout.cooperative_copy #layout.tiled_copy<simt_8, (16,8):(8,1), (1,8)>(%t) %g, %s : !g, !s");
    Part "part": "A tiled copy has a source and a target, and a tiled MMA the operands a, b and c.",
        op([], "%v: !layout.view<f16, global, (16,8):(8,1)>, %t: index",
            "%0 = layout.partition %v(%t), a of #layout.tiled_copy<simt_1, (16,2):(2,1), (1,4)> : !layout.view<f16, global, (16,8):(8,1)>");
    Fragment "fragment": "A fragment has a static shape, whose first mode holds the values of an atom.",
        op([], "%v: !layout.view<f16, register, (4,2):(1,4)>",
            "%0 = layout.retile %v, #layout.tiled_copy<simt_1, (16,2):(2,1), (1,8)> : !layout.view<f16, register, (4,2):(1,4)>");
    Writable "writable": "The destination of a write must be memory or registers, not an identity tensor.",
        op([], "%v: !layout.view<index, coordinate, 4:1>, %x: index", "layout.fill %v, %x : !layout.view<index, coordinate, 4:1>");
    MemrefSwizzle "memref-swizzle": "A memref's layout must be an affine map, which has no exclusive or."
        hint "a view instead",
        of_type("memref<8x64xf16, #layout<S<3,3,3> o 0 o (8,64):(64,1)>>");
    MemrefMinimum "memref-minimum": "A memref's layout must be an affine map, which has no minimum."
        hint "a view instead",
        of_type("memref<?x?xf32, #layout<(?0,?1):(min(?0,?1),1)>>");
    MemrefShape "memref-shape": "A memref must have the dimensions of its layout's modes.",
        of_type("memref<64x128xf16, #layout<(128,64):(64,1)>>");
    MemrefStrides "memref-strides": "A memref that a view is made of must have a stride for each of its dimensions, or a `#layout<…>`."
        hint "what gives it strides",
        op([], "%m: memref<8xf16, affine_map<(i) -> (i mod 4)>>",
            "%0 = layout.make_view %m : memref<8xf16, affine_map<(i) -> (i mod 4)>>");
    // Copies.
    CopyAtom "copy-atom": "`layout.copy` takes a copy atom.",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<mma_m16n8k16_f32_f16> %a, %b : !a, !b");
    CopySpaces "copy-spaces": "An atom must move between the spaces of source and target."
        hint "an atom that does",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, register, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_16> %a, %b : !a, !b");
    CopyElements "copy-elements": "Source and target must have one element type, or two between which the atom converts: floats, floats and `i8`, or from `i32` to `i8`.",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<i16, register, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<simt_1> %a, %b : !a, !b");
    CopyWidth "copy-width": "An atom must move whole elements."
        hint "the widest atom of the kind that fits",
        op(["!a = !layout.view<f64, global, 8:1>", "!b = !layout.view<f64, shared, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_4> %a, %b : !a, !b");
    CopyPartly "copy-partly": "A copy moves one element at once where a size is dynamic."
        hint "`simt_1`",
        op(["!a = !layout.view<f16, global, (?,8):(8,1)>", "!b = !layout.view<f16, shared, (4,8):(8,1)>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_16> %a, %b : !a, !b");
    CopyModes "copy-modes": "Where a layout is partly static, source, target and predicates must have the same modes, of one size each.",
        op(["!a = !layout.view<f16, global, (?,8):(8,1)>", "!b = !layout.view<f16, shared, (4,16):(16,1)>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<simt_1> %a, %b : !a, !b");
    CopySize "copy-size": "Source and target must have one size.",
        op(["!a = !layout.view<f16, global, 16:1>", "!b = !layout.view<f16, register, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<simt_1> %a, %b : !a, !b");
    CopyMultiple "copy-multiple": "A copy's size must be a multiple of the elements that the atom moves at once."
        hint "the widest atom of the kind that fits",
        op(["!a = !layout.view<f16, global, 12:1>", "!b = !layout.view<f16, shared, 12:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_16> %a, %b : !a, !b");
    CopyContiguous "copy-contiguous": "The elements that an atom moves at once must be contiguous in memory."
        hint "the widest atom of the kind that fits",
        op(["!a = !layout.view<f16, global, (4,4):(1,8)>", "!b = !layout.view<f16, shared, 16:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_16> %a, %b : !a, !b");
    CopyPredicateLimits "copy-predicate-limits": "A copy has a limit for each predicate.",
        op(["!a = !layout.view<f16, global, 4:1>", "!b = !layout.view<f16, register, 4:1>", "!g = !layout.view<index, coordinate, 4:1>"],
            "%a: !a, %b: !b, %g: !g",
            "\"layout.copy\"(%a, %b, %g) {atom = #layout.atom<simt_1>, limits = array<i64: 3, 4>} : (!a, !b, !g) -> ()");
    CopyPredicateSpace "copy-predicate-space": "A predicate must be an identity tensor.",
        op(["!a = !layout.view<f16, global, 4:1>", "!b = !layout.view<f16, register, 4:1>", "!g = !layout.view<index, register, 4:1>"], "%a: !a, %b: !b, %g: !g",
            "layout.copy #layout.atom<simt_1> %a, %b predicate(%g < 3 : !g) : !a, !b");
    CopyPredicateSize "copy-predicate-size": "A predicate must have the source's size.",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, register, 8:1>", "!g = !layout.view<index, coordinate, 4:1>"], "%a: !a, %b: !b, %g: !g",
            "layout.copy #layout.atom<simt_1> %a, %b predicate(%g < 3 : !g) : !a, !b");
    CopyMulticast "copy-multicast": "Only bulk loads of tensors multicast, along mode 0 or 1 of the cluster."
        hint "the nearest mode",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<bulk_tensor_load> %a, %b {multicast = 2 : i64} : !a, !b");
    CopyEvictFirst "copy-evict-first": "Only `bulk_tensor_load` and `simt_*` copies from global memory have an L2 eviction hint."
        hint "without `evict_first` its lines have the default eviction priority",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>"], "%a: !a, %b: !b",
            "layout.copy #layout.atom<cp_async_16> %a, %b {evict_first} : !a, !b");
    CopyNoZfill "copy-no-zfill": "Only `bulk_tensor_load` may leave elements beyond a predicate's limit unfilled."
        hint "without `no_zfill` elements beyond the limits are zero",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>", "!g = !layout.view<index, coordinate, 8:1>"],
            "%a: !a, %b: !b, %g: !g", "layout.copy #layout.atom<cp_async_16> %a, %b predicate(%g < 3 : !g) {no_zfill = 0 : i64} : !a, !b");
    CopyWhole "copy-whole": "A bulk copy of bytes has no predicates: it moves all of them."
        hint "the atoms that have predicates",
        op(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>", "!g = !layout.view<index, coordinate, 8:0>"],
            "%a: !a, %b: !b, %g: !g", "layout.copy #layout.atom<bulk_load> %a, %b predicate(%g < 3 : !g) : !a, !b");
    Im2col "convolution": "An im2col matrix is that of an image `(C,W,H,N)` in global memory and of a window that fits it, and its tiles lie in shared memory.",
        op(["!a = !layout.view<f16, global, (64,8,8,2):(1,64,512,4096)>", "!b = !layout.view<f16, shared, (64,64):(64,1)>"], "%a: !a, %b: !b, %i: index",
            "layout.copy_im2col %a[%i, %i], %b {window = array<i64: 8, 8, 3, 3, 1, 1, 1, 1, 1, -1>} : !a, !b");
    // Multiplications.
    MmaAtom "mma-atom": "`layout.mma` takes an MMA atom.",
        op(["!a = !layout.view<f16, register, (8,1,1):(1,8,8)>", "!b = !layout.view<f16, register, (4,1,1):(1,4,4)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<ldmatrix_x4> %a, %b, %c : !a, !b, !c");
    MmaSpace "mma-space": "The operands of an MMA must lie where the atom reads them.",
        op(["!a = !layout.view<f16, shared, (8,1,1):(1,8,8)>", "!b = !layout.view<f16, register, (4,1,1):(1,4,4)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c");
    MmaElement "mma-element": "The operands of an MMA must have the atom's element types."
        hint "the atom for these elements",
        op(["!a = !layout.view<bf16, register, (8,1,1):(1,8,8)>", "!b = !layout.view<bf16, register, (4,1,1):(1,4,4)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c");
    MmaRank "mma-rank": "The operands of an MMA must have rank 3: values, and the repetitions of the atom along each extent.",
        op(["!a = !layout.view<f16, register, (8,1):(1,8)>", "!b = !layout.view<f16, register, (4,1,1):(1,4,4)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c");
    MmaValues "mma-values": "The first mode of an MMA's operand must have the values that a thread holds.",
        op(["!a = !layout.view<f16, register, (4,1,1):(1,8,8)>", "!b = !layout.view<f16, register, (4,1,1):(1,4,4)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<mma_m16n8k16_f32_f16> %a, %b, %c : !a, !b, !c");
    MmaTile "mma-tile": "A tile in shared memory must have a layout that the instruction can describe."
        hint "a layout that the instruction can describe",
        op(["!a = !layout.view<bf16, shared, S<3,3,3> o 0 o ((64,16),1,1):((72,1),0,0)>", "!b = !layout.view<bf16, shared, S<3,3,3> o 0 o ((8,16),1,1):((64,1),0,0)>", "!c = !layout.view<f32, register, (4,1,1):(1,4,4)>"],
            "%a: !a, %b: !b, %c: !c", "layout.mma #layout.atom<wgmma_m64n8k16_f32_bf16> %a, %b, %c : !a, !b, !c");
    Extents "extents": "The operands of a multiplication must agree on each extent that they share.",
        op(["!a = !layout.view<f16, global, (512,256):(256,1)>", "!b = !layout.view<f16, global, (128,256):(256,1)>", "!c = !layout.view<f32, global, (512,64):(64,1)>"],
            "%a: !a, %b: !b, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c");
    PlainLayout "plain-layout": "An operand's layout must be plain, without a swizzle."
        hint "the layout without it",
        op(["!a = !layout.view<f16, global, S<1,1,1> o 0 o (64,64):(64,1)>", "!b = !layout.view<f16, global, (64,64):(64,1)>", "!c = !layout.view<f32, global, (64,64):(64,1)>"],
            "%a: !a, %b: !b, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c");
    MatmulSpace "matmul-space": "The matrices of a `layout.matmul` must lie in `global` or `host` memory.",
        op(["!a = !layout.view<f16, shared, (64,64):(64,1)>", "!b = !layout.view<f16, global, (64,64):(64,1)>", "!c = !layout.view<f32, global, (64,64):(64,1)>"],
            "%a: !a, %b: !b, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c");
    MatmulRank "matmul-rank": "The matrices of a `layout.matmul` must have rank 2, or all have rank 3, the last mode of which is the batch.",
        op(["!a = !layout.view<f16, global, (64,64,1,1):(64,1,0,0)>", "!b = !layout.view<f16, global, (64,64):(64,1)>", "!c = !layout.view<f32, global, (64,64):(64,1)>"],
            "%a: !a, %b: !b, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c");
    MatmulBatch "matmul-batch": "Each matrix of a batch is stored once: C's stride from one to the next is not 0, as those of A and B may be.",
        op(["!v = !layout.view<f16, global, (64,64,3):(64,1,4096)>", "!c = !layout.view<f32, global, (64,64,3):(64,1,0)>"],
            "%a: !v, %b: !v, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !v, !v, !c");
    MatmulElement "matmul-element": "A `layout.matmul` takes operands of one type, as its schedule's atom does, and a result that their accumulators may be stored as.",
        op(["!a = !layout.view<f16, global, (64,64):(64,1)>", "!b = !layout.view<bf16, global, (64,64):(64,1)>", "!c = !layout.view<f64, global, (64,64):(64,1)>"],
            "%a: !a, %b: !b, %c: !c", "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) : !a, !b, !c");
    Epilogue "epilogue": "An epilogue takes the accumulator and an element of each operand as `f32`, computes with operations that every target has, and yields.",
        op(["!v = !layout.view<f16, global, (64,64):(64,1)>"], "%a: !v, %b: !v, %c: !v",
            "layout.matmul %a, %b, %c schedule(#layout.schedule<auto>) epilogue {",
            "^bb0(%sum: f32):",
            "  %0 = math.cos %sum : f32",
            "  layout.yield %0 : f32",
            "} : !v, !v, !v");
    // Atomics.
    AtomicKind "atomic-kind": "A `layout.atomic` has a kind that fits elements of f32, f64, i32 or i64, or `add` of f16 or bf16."
        hint "the nearest kind",
        op(["!v = !layout.view<f32, global, 8:1>"], "%v: !v, %x: f32", "layout.atomic maxi %x, %v(0) relaxed : !v");
    AtomicOrder "atomic-order": "A `layout.atomic` is relaxed, acquire, release or acq_rel."
        hint "the nearest order",
        op(["!v = !layout.view<f32, global, 8:1>"], "%v: !v, %x: f32", "layout.atomic add %x, %v(0) release_ : !v");
    AtomicSpace "atomic-space": "A `layout.atomic` is of memory that threads share.",
        op(["!v = !layout.view<f32, register, 8:1>"], "%v: !v, %x: f32", "layout.atomic add %x, %v(0) relaxed : !v");
    // Barriers, and MMAs in flight.
    BarrierView "barrier-view": "Barriers are elements of a view of i64 in shared memory, with a plain injective layout.",
        op(["!v = !layout.view<i32, shared, 2:1>"], "%v: !v", "layout.arrive %v(0) : !v");
    BarrierArrivals "barrier-arrivals": "A phase of a barrier has 1 to 1048575 arrivals."
        hint "the nearest number",
        op([], "", "%b = layout.barriers arrivals 0 : !layout.view<i64, shared, 2:1>");
    BarrierPlace "barrier-place": "Barriers are made in the body of a kernel; transactions and waits for MMAs are in no `layout.pipeline`."
        hint "the place for them",
        op([], "", "%b = layout.barriers arrivals 1 : !layout.view<i64, shared, 2:1>");
    Transaction "transaction": "A `layout.transaction` holds bulk loads, and no other copies.",
        op(["!v = !layout.view<i64, shared, 2:1>"], "%v: !v", "layout.transaction %v(0) : !v {", "}");
    MmaGroups "mma-groups": "A `layout.wait_mma` leaves 0 to 7 groups in flight, and names an accumulator in registers; `overwrite` and `async` go without `two_level_accumulation`."
        hint "the nearest number",
        op(["!v = !layout.view<f32, register, 8:1>"], "%v: !v", "layout.wait_mma %v pending 8 : !v");
    // Fragments.
    MapSizes "map-sizes": "The views of a `layout.map` have static sizes that broadcast to the outputs', at most 65536."
        hint "a mode of stride 0",
        op(["!v = !layout.view<f32, register, (8,4):(1,8)>", "!w = !layout.view<f32, register, (4,2):(1,4)>"],
            "%v: !v, %w: !w", "layout.map ins(%w : !w) outs(%v : !v) {", "^bb0(%x: f32, %old: f32):",
            "  layout.yield %x : f32", "}");
    MapOutput "map-output": "The outputs of a `layout.map` have injective layouts.",
        op(["!v = !layout.view<f32, register, (8,4):(1,0)>"],
            "%v: !v", "layout.map outs(%v : !v) {", "^bb0(%old: f32):", "  layout.yield %old : f32", "}");
    MapRegion "map-region": "The region of a `layout.map` takes an element of each view, computes with `arith` and `math`, and yields an element of each output."
        hint "the operation that converts 8-bit floats",
        op(["!v = !layout.view<f8E4M3FN, register, 8:1>", "!w = !layout.view<f32, register, 8:1>"],
            "%v: !v, %w: !w", "layout.map ins(%v : !v) outs(%w : !w) {", "^bb0(%x: f8E4M3FN, %old: f32):",
            "  %wide = arith.extf %x : f8E4M3FN to f32", "  layout.yield %wide : f32", "}");
    ReduceKind "reduce-kind": "A `layout.reduce` has a kind that fits its elements, or a region."
        hint "the nearest kind",
        op(["!v = !layout.view<f32, register, 8:1>", "!w = !layout.view<f32, register, 1:0>"],
            "%v: !v, %w: !w", "layout.reduce maxi %v into %w along [0] : !v, !w");
    ReduceSources "reduce-sources": "A `layout.reduce` has sources of one shape, and a target for each.",
        op(["!v = !layout.view<f32, register, 8:1>", "!u = !layout.view<f32, register, 4:1>", "!w = !layout.view<f32, register, 1:0>"],
            "%v: !v, %u: !u, %w: !w, %x: !w", "layout.reduce %v, %u into %w, %x along [0] {", "^bb0(%a: f32, %c: f32, %d: f32, %e: f32):",
            "  layout.yield %a, %c : f32, f32", "} : !v, !u, !w, !w");
    ReduceModes "reduce-modes": "A `layout.reduce` is along modes of the tile, each once.",
        op(["!v = !layout.view<f32, register, (8,4):(1,8)>", "!w = !layout.view<f32, register, (8,1):(1,0)>"],
            "%v: !v, %w: !w", "layout.reduce add %v into %w along [2] : !v, !w");
    ReduceThreads "reduce-threads": "The thread-value layout of a `layout.reduce` has rank 2, a value for each element of the source, and holds its tile by digits of the thread's number.",
        op(["!v = !layout.view<f32, register, 8:1>", "!w = !layout.view<f32, register, 1:0>"],
            "%v: !v, %w: !w", "layout.reduce add %v into %w along [0] threads(#layout<(32,4):(1,32)>) : !v, !w");
    ReduceTarget "reduce-target": "The target of a `layout.reduce` has the source's element type, and a place for each result."
        hint "a mode of stride 0, and the operation that converts elements",
        op(["!v = !layout.view<f32, register, (8,4):(1,8)>", "!w = !layout.view<f32, register, (4,2):(1,4)>"],
            "%v: !v, %w: !w", "layout.reduce add %v into %w along [0] : !v, !w");
    ReduceRegion "reduce-region": "The region of a `layout.reduce` combines two elements of each source to one by `arith` and `math`.",
        op(["!v = !layout.view<f32, register, 8:1>", "!w = !layout.view<f32, register, 1:0>"],
            "%v: !v, %w: !w", "layout.reduce %v into %w along [0] {", "^bb0(%a: f32):", "  layout.yield %a : f32", "} : !v, !w");
    // Pipelines.
    PipelineCluster "pipeline-cluster": "A cluster has two extents, and 1 to 8 blocks."
        hint "the nearest cluster",
        pipeline("layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128 attributes {cluster = array<i64: 4, 4>}",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", []);
    PipelineCount "pipeline-count": "Depth and stages of a pipeline must be at least 1, stages at least 2 where the mainloop leaves MMAs in flight, and at most 1024."
        hint "the nearest number",
        pipeline("layout.pipeline %i to %i by %i depth 0 stages 0 consumers 128",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", []);
    PipelineConsumers "pipeline-consumers": "The consumers of a pipeline must be whole warpgroups, at most 7."
        hint "the nearest multiple of 128",
        pipeline("layout.pipeline %i to %i by %i depth 1 stages 2 consumers 96",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", []);
    PipelinePingPong "pipeline-ping-pong": "The consumer groups of a pipeline must be whole warpgroups, of equal size."
        hint "the nearest number of consumer groups",
        pipeline("layout.pipeline %i to %i by %i depth 1 stages 2 consumers 256 attributes {ping_pong = 3 : i64}",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", []);
    PipelineRegion "pipeline-region": "The regions of a pipeline must have a block with their arguments, of type `index`.",
        pipeline("layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128",
            ["load {"], "^bb0(%tile: index, %k: index):" [],
            "^bb0(%tile: i32):", []);
    PipelineSteps "pipeline-steps": "The steps of a pipeline's tiles, where they have their own, are index arithmetic of `arith`; there is one consumer group then.",
        pipeline("layout.pipeline %i to %i by %i depth 4 stages 2 consumers 128",
            ["steps {", "^bb0(%tile: index):", "  %n = index.add %tile, %i", "  layout.yield %n : index", "} load {"],
            "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", []);
    PipelineCopies "pipeline-copies": "A pipeline's `load` has bulk copies only, and its other regions none.",
        pipeline(["!a = !layout.view<f16, global, 8:1>", "!b = !layout.view<f16, shared, 8:1>"], "%i: index, %a: !a, %b: !b",
            "layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" ["  layout.copy #layout.atom<cp_async_16> %a, %b : !a, !b"],
            "^bb0(%tile: index):", ["  layout.copy #layout.atom<bulk_tensor_load> %a, %b : !a, !b"]);
    PipelineBarrier "pipeline-barrier": "A pipeline's regions must have no barrier for all threads of the block, of whom the loading warpgroup never arrives."
        hint "a barrier for the consumers alone",
        pipeline("layout.pipeline %i to %i by %i depth 1 stages 2 consumers 128",
            ["load {"], "^bb0(%tile: index, %k: index, %stage: index):" [],
            "^bb0(%tile: index):", ["  gpu.barrier"]);
    KernelFacts "kernel-facts": "The entries of `layout.kernel` must be ones that passes read, and agree with the kernel: its block, its arguments, their number and elements. Attributes `layout.…` of a kernel must be ones that passes read.",
        kernel("args = [{name = \"o\", element = \"f16\", shape = \"(128)\", stride = \"(1)\", access = \"write\"}]");
}
