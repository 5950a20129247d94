//! One row for each operation on layouts and tuples: a use with partly static operands, the
//! same with operands that are known, what that folds to, and a use that is refused.
//!
//! Types are written without `!layout`: text with a `:` is a layout, `index`, `i32` and `i64` are
//! integers, anything else is a tuple. `$0` stands for the type of operand `%0`.

/// A row.
pub(crate) struct Row {
    /// The operation, without the dialect's prefix.
    pub(crate) name: &'static str,
    /// The operation's line, without its results.
    pub(crate) line: &'static str,
    /// How many results it has.
    pub(crate) results: usize,
    /// Types of partly static operands.
    pub(crate) partly: &'static [&'static str],
    /// A value for each of their integers, in order: what they are at run time.
    pub(crate) values: &'static [i64],
    /// The fold of the operation where all operands have these values.
    pub(crate) folded: &'static str,
    /// Types of operands that are refused.
    pub(crate) refused: &'static [&'static str],
    /// The line that is refused; the same if empty.
    pub refused_line: &'static str,
    /// The whole message.
    pub(crate) message: &'static str,
}

macro_rules! rows {
    ($($name:literal: $line:literal x $results:literal
       partly [$($partly:literal),*] at [$($value:literal),*] gives $folded:literal
       not [$($refused:literal),*] $($refused_line:literal)?: $message:literal;)*) => {
        /// The table.
        pub(crate) const ROWS: &[Row] = &[$(Row {
            name: $name,
            line: $line,
            results: $results,
            partly: &[$($partly),*],
            values: &[$($value),*],
            folded: $folded,
            refused: &[$($refused),*],
            refused_line: concat!("" $(, $refused_line)?),
            message: $message,
        }),*];
    };
}

rows! {
    "make_tuple": "layout.make_tuple(%0, (8, %1)) : $0, $1" x 1
        partly ["?", "(2,?)"] at [3, 5] gives "#layout<(3,(8,(2,5)))>"
        not ["4:1", "?"] "layout.make_tuple(%0, %1) : $0, $1":
        "'layout.make_tuple' op [fact-missing] layout(?0:1): needs \"?0 >= 1\", which is not known";
    "make_layout": "layout.make_layout %0, %1 : $0, $1" x 1
        partly ["(?,8)", "(1,?)"] at [5, 7] gives "#layout<(5,8):(1,7)>"
        not ["(4,8)", "(1,(2,4))"]:
        "'layout.make_layout' op [incongruent] expected a stride congruent to the shape (4,8), found (1,(2,4))";
    "make_ordered_layout": "layout.make_ordered_layout %0, #layout<(1,0)> : $0" x 1
        partly ["(?{range=1..},8)"] at [5] gives "#layout<(5,8):(8,1)>"
        not ["(4,8)"] "layout.make_ordered_layout %0, #layout<(1,0,2)> : $0":
        "'layout.make_ordered_layout' op [order] make_ordered_layout: expected an order with 2 entries for (4,8), found (1,0,2)";
    "make_layout_like": "layout.make_layout_like %0 : $0" x 1
        partly ["(?{range=2..},8):(16,2)"] at [4] gives "#layout<(4,8):(8,1)>"
        not ["(?,8):(1,?)"]:
        "'layout.make_layout_like' op [fact-missing] make_layout_like((?0,8):(1,?1)): needs \"?1 != 0\", which is not known";
    "make_identity_layout": "layout.make_identity_layout %0 : $0" x 1
        partly ["(?{range=1..},8)"] at [4] gives "#layout<(4,8):(1@0,1@1)>"
        not ["(?,8)"]:
        "'layout.make_identity_layout' op [fact-missing] layout((?0,8):(1@0,1@1)): needs \"?0 >= 1\", which is not known";
    "get": "layout.get %0, [1, 0] : $0" x 1
        partly ["(4,(?,3)):(1,(?{i64},8))"] at [2, 40] gives "#layout<2:40>"
        not ["(4,?):(1,4)"] "layout.get %0, [2] : $0":
        "'layout.get' op [mode] get: expected a mode below the rank 2 of (4,?0):(1,4), found 2";
    "select": "layout.select %0, [2, 0] : $0" x 1
        partly ["(4,2,?)"] at [9] gives "#layout<(9,4)>"
        not ["(4,2,?)"] "layout.select %0, [3] : $0":
        "'layout.select' op [mode] expected a mode below 3 of (4,2,?0), found 3";
    "take": "layout.take %0, 1 to 3 : $0" x 1
        partly ["(4,2,?):(1,?,8)"] at [3, 4] gives "#layout<(2,3):(4,8)>"
        not ["(4,2)"] "layout.take %0, 1 to 1 : $0":
        "'layout.take' op [mode-range] expected a range of modes of (4,2) that is not empty, found 1 .. 1";
    "group": "layout.group %0, 0 to 2 : $0" x 1
        partly ["(4,?,3):(1,4,?)"] at [2, 8] gives "#layout<((4,2),3):((1,4),8)>"
        not ["(4,2):(1,4)"] "layout.group %0, 1 to 3 : $0":
        "'layout.group' op [mode-range] group: expected a range of modes of (4,2):(1,4), found 1 .. 3";
    "flatten": "layout.flatten %0 : $0" x 1
        partly ["(4,(?,3)):(1,(4,?))"] at [2, 8] gives "#layout<(4,2,3):(1,4,8)>"
        not ["index"]:
        "'layout.flatten' op [operand] expected a layout, a tuple or a view, found index";
    "append": "layout.append %0, %1 : $0, $1" x 1
        partly ["(4,?):(1,4)", "3:?"] at [2, 8] gives "#layout<(4,2,3):(1,4,8)>"
        not ["(4,?):(1,4)", "S<1,1,1> o 0 o 3:8"]:
        "'layout.append' op [operand] append: expected a plain layout as operand 2, found S<1,1,1> o 0 o 3:8";
    "prepend": "layout.prepend %0, %1 : $0, $1" x 1
        partly ["(4,?):(1,4)", "3:?"] at [2, 8] gives "#layout<(3,4,2):(8,1,4)>"
        not ["(4,2)", "3:8"]:
        "'layout.prepend' op [kind] expected an integer or a tuple of integers, found 3:8";
    "replace": "layout.replace %0, 1, %1 : $0, $1" x 1
        partly ["(4,?):(1,4)", "?:8"] at [2, 3] gives "#layout<(4,3):(1,8)>"
        not ["(4,2):(1,4)", "3:8"] "layout.replace %0, 2, %1 : $0, $1":
        "'layout.replace' op [mode] replace: expected a mode below the rank 2 of (4,2):(1,4), found 2";
    "zip": "layout.zip %0, %1 : $0, $1" x 1
        partly ["(4,?):(1,4)", "(?,3):(8,1)"] at [2, 5] gives "#layout<((4,5),(2,3)):((1,8),(4,1))>"
        not ["(4,2):(1,4)", "3:8"]:
        "'layout.zip' op [rank] zip: expected layouts of the same rank as (4,2):(1,4), found 3:8";
    "shape": "layout.shape %0 : $0" x 1
        partly ["(?,8):(1,?)"] at [4, 6] gives "#layout<(4,8)>"
        not ["(4,8)"]:
        "'layout.shape' op [operand] layout: expected a layout, found (4,8)";
    "stride": "layout.stride %0 : $0" x 1
        partly ["(?,8):(1,?)"] at [4, 6] gives "#layout<(1,6)>"
        not ["S<1,1,1> o 0 o 8:1"]:
        "'layout.stride' op [operand] stride: expected a plain layout as operand 1, found S<1,1,1> o 0 o 8:1";
    "size": "layout.size %0 : $0" x 1
        partly ["(?,(8,?)):(1,(2,16))"] at [5, 3] gives "120"
        not ["(_,4)"]:
        "'layout.size' op [operand] layout: expected a layout, found (_,4)";
    "cosize": "layout.cosize %0 : $0" x 1
        partly ["(?,8):(1,?{range=0..})"] at [5, 6] gives "47"
        not ["(?,8):(1,?)"]:
        "'layout.cosize' op [fact-missing] cosize((?0,8):(1,?1)): needs \"?1 >= 0\", which is not known";
    "rank": "layout.rank %0 : $0" x 1
        partly ["(?,(8,?)):(1,(2,16))"] at [5, 3] gives "2"
        not ["<4:1, _>"]:
        "'layout.rank' op [operand] rank: expected a layout or a shape, found <4:1, _>";
    "depth": "layout.depth %0 : $0" x 1
        partly ["(?,(8,?)):(1,(2,16))"] at [5, 3] gives "2"
        not ["<4:1, _>"]:
        "'layout.depth' op [operand] depth: expected a layout or a shape, found <4:1, _>";
    "inner": "layout.inner %0 : $0" x 1
        partly ["S<2,0,3> o ? o (?,8):(8,1)"] at [12, 4] gives "#layout<(4,8):(8,1)>"
        not ["(?,8):(8,1)"]:
        "'layout.inner' op [kind] expected a composed layout, found (?,8):(8,1)";
    "outer": "layout.outer %0 : $0" x 1
        partly ["(4,?):(?,1) o 0 o (2,2):(2,1)"] at [3, 5] gives "#layout<(4,3):(5,1)>"
        not ["(4,8):(8,1)"]:
        "'layout.outer' op [kind] expected a composed layout, found (4,8):(8,1)";
    "offset": "layout.offset %0 : $0" x 1
        partly ["S<2,0,3> o ?{div=4} o (?,8):(8,1)"] at [12, 4] gives "12"
        not ["(4,8):(8,1)"]:
        "'layout.offset' op [kind] expected a composed layout, found (4,8):(8,1)";
    "leaves": "layout.leaves %0 : $0" x 4
        partly ["(?{div=4},8):(1,?{i64})"] at [12, 100] gives "12 8 1 100"
        not ["(_,4)"] "layout.leaves %0 : $0":
        "'layout.leaves' op [kind] expected an integer or a tuple of integers, found (_,4)";
    "coalesce": "layout.coalesce %0 : $0" x 1
        partly ["(?0,(8,3)):(1,(?0,100))"] at [5] gives "#layout<(40,3):(1,100)>"
        not ["(4,2):(1,4)"] "layout.coalesce %0 by #layout<(1,1,1)> : $0":
        "'layout.coalesce' op [profile] coalesce: expected a profile no deeper than (4,2), found (1,1,1)";
    "composition": "layout.composition %0, %1 : $0, $1" x 1
        partly ["(?{div=8},8):(?,1)", "(4,8)"] at [32, 40] gives "#layout<(4,8):(40,1)>"
        not ["(?,8):(8,1)", "4:2"]:
        "'layout.composition' op [fact-missing] composition((?0,8):(8,1), 4:2): needs \"2 divides ?0\" or \"?0 >= 7\", neither of which is known";
    "complement": "layout.complement %0, %1 : $0, $1" x 1
        partly ["4:?{range=1..}", "8*?{range=1..}"] at [2, 3] gives "#layout<(2,3):(1,8)>"
        not ["4:2"] "layout.complement %0, 0 : $0":
        "'layout.complement' op [complement] complement(4:2): expected a codomain of at least 1, found 0";
    "right_inverse": "layout.right_inverse %0 : $0" x 1
        partly ["(?0{range=2..},?1{range=2..}):(?1,1)"] at [4, 8] gives "#layout<(8,4):(4,1)>"
        not ["(?,8):(?,1)"]:
        "'layout.right_inverse' op [fact-missing] right_inverse((?0,8):(?1,1)): needs \"?1 != 1\", which is not known";
    "left_inverse": "layout.left_inverse %0 : $0" x 1
        partly ["(4,?0{range=2..}):(2*?0,1)"] at [3] gives "#layout<(6,4):(4,1)>"
        not ["(4,4):(1,2)"]:
        "'layout.left_inverse' op [inverse] left_inverse((4,4):(1,2)): expected an injective layout, found 4:1 reaching past stride 2";
    "nullspace": "layout.nullspace %0 : $0" x 1
        partly ["(?,8):(0,1)"] at [4] gives "#layout<4:1>"
        not ["(4,8):(?,1)"]:
        "'layout.nullspace' op [fact-missing] nullspace((4,8):(?0,1)): needs \"?0 != 0\", which is not known";
    "filter": "layout.filter %0 : $0" x 1
        partly ["(4,?):(0,1)"] at [8] gives "#layout<8:1>"
        not ["(4,8):(?,1)"]:
        "'layout.filter' op [fact-missing] filter_zeros((4,8):(?0,1)): needs \"?0 != 0\", which is not known";
    "filter_zeros": "layout.filter_zeros %0 : $0" x 1
        partly ["(?,8):(0,1)"] at [4] gives "#layout<(1,8):(0,1)>"
        not ["(4,8):(?,1)"]:
        "'layout.filter_zeros' op [fact-missing] filter_zeros((4,8):(?0,1)): needs \"?0 != 0\", which is not known";
    "sort": "layout.sort %0 : $0" x 1
        partly ["(4,?):(8,1)"] at [8] gives "#layout<(8,4):(1,8)>"
        not ["(4,8):(1@0,1@1)"]:
        "'layout.sort' op [operand] sort: expected a layout of integer strides, found (4,8):(1@0,1@1)";
    "max_common_layout": "layout.max_common_layout %0, %1 : $0, $1" x 1
        partly ["(4,?{range=2..}):(1,4)", "(4,8):(1,8)"] at [8] gives "#layout<4:1>"
        not ["(4,?):(1,?)", "(?,8):(1,?)"]:
        "'layout.max_common_layout' op [fact-missing] right_inverse((?2,8):(1,?3)): needs \"?3 != ?2\", which is not known";
    "max_common_vector": "layout.max_common_vector %0, %1 : $0, $1" x 1
        partly ["(4,?{range=2..}):(1,4)", "(4,8):(1,8)"] at [8] gives "4"
        not ["(4,?):(1,?)", "(?,8):(1,?)"]:
        "'layout.max_common_vector' op [fact-missing] right_inverse((?2,8):(1,?3)): needs \"?3 != ?2\", which is not known";
    "upcast": "layout.upcast %0, 8 : $0" x 1
        partly ["(?,?1{div=8}):(?1,1)"] at [4, 16] gives "#layout<(4,2):(2,1)>"
        not ["(4,16):(16,1)"] "layout.upcast %0, 3 : $0":
        "'layout.upcast' op [recast] upcast((4,16):(16,1), 3): expected strides that divide the factor or are multiples of it, found 16";
    "downcast": "layout.downcast %0, 2 : $0" x 1
        partly ["(?,8):(8,1)"] at [4] gives "#layout<(4,16):(16,1)>"
        not ["(4,8):(8,2)"]:
        "'layout.downcast' op [recast] downcast((4,8):(8,2), 2): expected a mode of stride 1, found (8,2)";
    "recast": "layout.recast %0, 16 to 32 : $0" x 1
        partly ["(?,8):(8,1)"] at [4] gives "#layout<(4,4):(4,1)>"
        not ["(4,8):(8,1)"] "layout.recast %0, 0 to 32 : $0":
        "'layout.recast' op [recast] recast((4,8):(8,1)): expected a factor of at least 1, found 0";
    "logical_divide": "layout.logical_divide %0, #layout<(32,8)> : $0" x 1
        partly ["(?,?1{div=8}):(?1,1)"] at [100, 64] gives "#layout<((32,4),(8,8)):((64,2048),(1,8))>"
        not ["(4,8):(8,1)", "(4,2,2)"] "layout.logical_divide %0, %1 : $0, $1":
        "'layout.logical_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,8):(8,1), found 3";
    "zipped_divide": "layout.zipped_divide %0, %1 : $0, $1" x 1
        partly ["(?,?1{div=8}):(?1,1)", "(32,8)"] at [100, 64] gives "#layout<((32,8),(4,8)):((64,1),(2048,8))>"
        not ["(4,8):(8,1)", "(4,2,2)"]:
        "'layout.zipped_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,8):(8,1), found 3";
    "tiled_divide": "layout.tiled_divide %0, %1 : $0, $1" x 1
        partly ["(?,?1{div=8}):(?1,1)", "(32,8)"] at [100, 64] gives "#layout<((32,8),4,8):((64,1),2048,8)>"
        not ["(4,8):(8,1)", "(4,2,2)"]:
        "'layout.tiled_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,8):(8,1), found 3";
    "flat_divide": "layout.flat_divide %0, %1 : $0, $1" x 1
        partly ["(?,?1{div=8}):(?1,1)", "(32,8)"] at [100, 64] gives "#layout<(32,8,4,8):(64,1,2048,8)>"
        not ["(4,8):(8,1)", "(4,2,2)"]:
        "'layout.flat_divide' op [tiler-rank] expected a tiler of at most 2 entries for (4,8):(8,1), found 3";
    "logical_product": "layout.logical_product %0, %1 : $0, $1" x 1
        partly ["(?,8):(1,?0)", "?:1"] at [5, 3] gives "#layout<((5,8),3):((1,5),40)>"
        not ["(2,5):(1,2)", "<2:1, 3:1>"]:
        "'layout.logical_product' op [no-composition] composition((2,2):(1,10), 3:1): no layout has these values: expected 10 at coordinate 2, found 2 in the only candidate";
    "zipped_product": "layout.zipped_product %0, %1 : $0, $1" x 1
        partly ["(?,8):(1,?0)", "?:1"] at [5, 3] gives "#layout<((5,8),3):((1,5),40)>"
        not ["(2,5):(1,2)", "<2:1, 3:1>"]:
        "'layout.zipped_product' op [no-composition] composition((2,2):(1,10), 3:1): no layout has these values: expected 10 at coordinate 2, found 2 in the only candidate";
    "tiled_product": "layout.tiled_product %0, %1 : $0, $1" x 1
        partly ["(?,8):(1,?0)", "?:1"] at [5, 3] gives "#layout<((5,8),3):((1,5),40)>"
        not ["(2,5):(1,2)", "<2:1, 3:1>"]:
        "'layout.tiled_product' op [no-composition] composition((2,2):(1,10), 3:1): no layout has these values: expected 10 at coordinate 2, found 2 in the only candidate";
    "flat_product": "layout.flat_product %0, %1 : $0, $1" x 1
        partly ["(?,8):(1,?0)", "?:1"] at [5, 3] gives "#layout<(5,8,3):(1,5,40)>"
        not ["(2,5):(1,2)", "<2:1, 3:1>"]:
        "'layout.flat_product' op [no-composition] composition((2,2):(1,10), 3:1): no layout has these values: expected 10 at coordinate 2, found 2 in the only candidate";
    "blocked_product": "layout.blocked_product %0, %1 : $0, $1" x 1
        partly ["(2,?):(1,2)", "(3,4):(1,3)"] at [5] gives "#layout<((2,3),(5,4)):((1,10),(2,30))>"
        not ["(2,5):(1,2)", "(3,4)"]:
        "'layout.blocked_product' op [operand] blocked_product: expected a plain layout as operand 2, found (3,4)";
    "raked_product": "layout.raked_product %0, %1 : $0, $1" x 1
        partly ["(2,?):(1,2)", "(3,4):(1,3)"] at [5] gives "#layout<((3,2),(4,5)):((10,1),(30,2))>"
        not ["(2,5):(1,2)", "(3,4)"]:
        "'layout.raked_product' op [operand] raked_product: expected a plain layout as operand 2, found (3,4)";
    "tile_to_shape": "layout.tile_to_shape %0 order #layout<(1,0)>, %1 : $0, $1" x 1
        partly ["(2,2):(1,2)", "(7,?{range=1..})"] at [5] gives "#layout<((2,4),(2,3)):((1,12),(2,4))>"
        not ["(2,2):(1,2)", "(5,?)"] "layout.tile_to_shape %0, %1 : $0, $1":
        "'layout.tile_to_shape' op [fact-missing] ceil_div(?0, 2): needs \"?0 >= 0\", which is not known";
    "local_tile": "layout.local_tile %0(%1, _), #layout<(4,8)> : $0" x 1
        partly ["(?,?1{div=8}):(?1,1)", "index"] at [10, 16, 1] gives "#layout<(4,8,2):(16,1,8)>"
        not ["(16,8):(8,1)", "index"] "layout.local_tile %0(%1, 0, 0), #layout<(4,8)> : $0":
        "'layout.local_tile' op [coord-rank] expected a coordinate of 2 modes for the shape (4,1), found (?,0,0) of 3";
    "partition": "layout.partition %0(%1), #layout<(4,2):(2,1)> : $0" x 1
        partly ["(?{div=4},8):(8,1)", "index"] at [12, 3] gives "#layout<(3,4):(32,2)>"
        not ["(16,8):(8,1)", "index"] "layout.partition %0(%1), #layout<(4,2):(4,1)> : $0":
        "'layout.partition' op [threads] expected a layout that numbers the threads 0 to 7, found (4,2):(4,1)";
    "retile": "layout.retile %0, #layout.tiled_copy<simt_2, (8,4):(4,1), (1,4)> : $0" x 1
        partly ["(4,2,3):(1,?,8)"] at [4] gives "#layout<((4,1),2,3):((1,0),4,8)>"
        not ["(8,2,3):(1,8,16)"]:
        "'layout.retile' op [fragment] expected a fragment of 4 values, then modes of any and any atoms, found (8,2,3)";
    "crd2idx": "layout.crd2idx %0(%1, (1, %2)) : $0" x 1
        partly ["(?,(2,4)):(2,(1,?))", "index", "index"] at [5, 20, 3, 2] gives "47"
        not ["(?,(2,4)):(2,(1,?))", "index"] "layout.crd2idx %0(%1, (1, 2, 3)) : $0":
        "'layout.crd2idx' op [coord-rank] expected a coordinate of 2 modes for the shape (2,4), found (1,2,3) of 3";
    "idx2crd": "layout.idx2crd %0, %1 : $1" x 3
        partly ["index", "(?{range=1..},(2,4))"] at [37, 5] gives "2 1 3"
        not ["index", "(?,(2,4))"]:
        "'layout.idx2crd' op [fact-missing] floor_div(?0, ?1): needs \"?1 >= 1\", which is not known";
    "slice": "layout.slice %0(_, %1) : $0" x 1
        partly ["((4,?),8):((1,?),4)", "index"] at [2, 32, 3] gives "#layout<((4,2)):((1,32))>"
        not ["(?,8):(1,?)", "index"] "layout.slice %0(_, _, %1) : $0":
        "'layout.slice' op [coord-rank] expected a coordinate of 2 modes for the shape (?0,8), found (_,_,?) of 3";
    "dice": "layout.dice %0(_, %1) : $0" x 1
        partly ["(4,?):(1,4)", "index"] at [8, 3] gives "#layout<(8):(4)>"
        not ["(?,8):(1,?)", "index"] "layout.dice %0(_, _, %1) : $0":
        "'layout.dice' op [coord-rank] expected a coordinate of 2 modes for the shape (?0,8), found (_,_,?) of 3";
    "product_like": "layout.product_like %0, %1 : $0, $1" x 1
        partly ["((2,?),(4,(3,?)))", "(0,(0,0))"] at [3, 5] gives "#layout<(6,(4,15))>"
        not ["(2,3)", "(0,(0,0))"]:
        "'layout.product_like' op [nesting] expected a guide that nests no deeper than 3, found (0,0)";
    "append_to_rank": "layout.append_to_rank %0, 4 with %1 : $0, $1" x 1
        partly ["(4,?):(1,4)", "?:8"] at [2, 3] gives "#layout<(4,2,3,3):(1,4,8,8)>"
        not ["(4,?)"] "layout.append_to_rank %0, 3 : $0":
        "'layout.append_to_rank' op [operand] expected an entry to put there, as in `with %x`, found none";
    "prepend_to_rank": "layout.prepend_to_rank %0, 3 : $0" x 1
        partly ["(4,?):(1,4)"] at [2] gives "#layout<(1,4,2):(0,1,4)>"
        not ["(4,?):(1,4)"] "layout.prepend_to_rank %0, 1 : $0":
        "'layout.prepend_to_rank' op [rank] expected a rank from 2, that of (4,?):(1,4), to 64, found 1";
    "make_composed_layout": "layout.make_composed_layout %1 : $1, %2 : $2, %0 : $0" x 1
        partly ["(?,64):(64,1)", "(?,4):(1,?)", "?"] at [8, 16, 32, 6]
        gives "#layout<(16,4):(1,32) o 6 o (8,64):(64,1)>"
        not ["S<1,1,1> o 0 o 8:1"] "layout.make_composed_layout #layout<S<3,3,3>>, 64, %0 : $0":
        "'layout.make_composed_layout' op [plain-layout] expected a plain layout, found S<1,1,1> o 0 o 8:1";
    "increment_coord": "layout.increment_coord %0, %1 : $0, $1" x 1
        partly ["(?,?)", "(?{range=1..},8)"] at [4, 3, 5] gives "#layout<(0,4)>"
        not ["(?,?)", "(4,(2,4))"]:
        "'layout.increment_coord' op [nesting] expected a tuple that nests as ?1, found (2,4)";
    "tuple_add": "layout.tuple_add %0, %1 : $0, $1" x 1
        partly ["(?,8)", "(4,?)"] at [-3, 5] gives "#layout<(1,13)>"
        not ["(?,8)", "(4,(2,1))"]:
        "'layout.tuple_add' op [nesting] expected a tuple that nests as 8, found (2,1)";
    "tuple_sub": "layout.tuple_sub %0, %1 : $0, $1" x 1
        partly ["(?,8)", "(4,?,(2,3))"] at [-3, 5] gives "#layout<(-7,3,(-2,-3))>"
        not ["(?,8)", "(4,(1,2))"]:
        "'layout.tuple_sub' op [nesting] expected a tuple that nests as 8, found (1,2)";
    "tuple_mul": "layout.tuple_mul %0, #layout<3> : $0" x 1
        partly ["(?,8)"] at [-3] gives "#layout<(-9,24)>"
        not ["(?,8)", "(4,1,2)"] "layout.tuple_mul %0, %1 : $0, $1":
        "'layout.tuple_mul' op [nesting] expected a tuple that nests as (?0,8), found (4,1,2)";
    "tuple_div": "layout.tuple_div %0, %1 : $0, $1" x 1
        partly ["(?,80)", "(4,?{range=1..})"] at [-3, 7] gives "#layout<(-1,11)>"
        not ["(?,8)", "(4,?)"]:
        "'layout.tuple_div' op [fact-missing] floor_div(8, ?1): needs \"?1 >= 1\", which is not known";
    "tuple_mod": "layout.tuple_mod %0, %1 : $0, $1" x 1
        partly ["(?,80)", "(5,?{range=1..})"] at [-3, 7] gives "#layout<(2,3)>"
        not ["(?,8)", "(4,?)"]:
        "'layout.tuple_mod' op [fact-missing] mod(8, ?1): needs \"?1 >= 1\", which is not known";
    "tuple_min": "layout.tuple_min %0, %1 : $0, $1" x 1
        partly ["(?,8)", "(4,?)"] at [-3, 5] gives "#layout<(-3,5)>"
        not ["4:1", "?"]:
        "'layout.tuple_min' op [kind] expected an integer or a tuple of integers, found 4:1";
    "tuple_max": "layout.tuple_max %0, %1 : $0, $1" x 1
        partly ["(?,8)", "(4,?)"] at [-3, 5] gives "#layout<(4,8)>"
        not ["(4,_)", "(?,?)"]:
        "'layout.tuple_max' op [kind] expected an integer or a tuple of integers, found (4,_)";
    "ceil_div": "layout.ceil_div %0, #layout<(32,4)> : $0" x 1
        partly ["(?,9)"] at [100] gives "#layout<(4,3)>"
        not ["(?,9)", "(32,4,1)"] "layout.ceil_div %0, %1 : $0, $1":
        "'layout.ceil_div' op [nesting] expected a tuple that nests as (?0,9), found (32,4,1)";
    "shape_div": "layout.shape_div %0, #layout<(8,16)> : $0" x 1
        partly ["(?{div=8},4)"] at [24] gives "#layout<(3,1)>"
        not ["(?,4)"]:
        "'layout.shape_div' op [fact-missing] shape_div(?0, 8): needs \"8 divides ?0\", which is not known";
    "round_up": "layout.round_up %0, #layout<(8,16)> : $0" x 1
        partly ["(?,4)"] at [25] gives "#layout<(32,16)>"
        not ["(10,4)"] "layout.round_up %0, #layout<(0,16)> : $0":
        "'layout.round_up' op [division] round_up(10, 0): expected a dividend of at least 0 and a divisor of at least 1, found 10 and 0";
    "compact_col_major": "layout.compact_col_major %0 from %1 : $0, $1" x 1
        partly ["(?,(2,?))", "?"] at [4, 3, 5] gives "#layout<(5,(20,40))>"
        not ["(4,2)", "(1,2,3)"]:
        "'layout.compact_col_major' op [operand] compact_col_major: expected a start that nests no deeper than (4,2), found (1,2,3)";
    "compact_row_major": "layout.compact_row_major %0 : $0" x 1
        partly ["(4,(2,?))"] at [3] gives "#layout<(6,(3,1))>"
        not ["(4,2)", "(1,2,3)"] "layout.compact_row_major %0 from %1 : $0, $1":
        "'layout.compact_row_major' op [operand] compact_row_major: expected a start that nests no deeper than (4,2), found (1,2,3)";
    "evenly_divides": "layout.evenly_divides %0, #layout<<4:2, _>> : $0" x 1
        partly ["(?{div=8 range=8..},12)"] at [24] gives "true"
        not ["(?,12)"] "layout.evenly_divides %0, #layout<(4,3)> : $0":
        "'layout.evenly_divides' op [fact-missing] evenly_divides((?0,12), (4,3)): needs \"4 divides ?0\", which is not known";
    "product_each": "layout.product_each %0 : $0" x 1
        partly ["((2,?),4)"] at [5] gives "#layout<(10,4)>"
        not ["((2,_),4)"]:
        "'layout.product_each' op [kind] expected an integer or a tuple of integers, found ((2,_),4)";
    "elem_less": "layout.elem_less %0, %1 : $0, $1" x 1
        partly ["(?,?)", "(?,8)"] at [3, 7, 4] gives "true"
        not ["(?,?)", "(4,(2,4))"]:
        "'layout.elem_less' op [nesting] expected a tuple that nests as ?1, found (2,4)";
    "equal": "layout.equal %0, %1 : $0, $1" x 1
        partly ["(?,8):(1,?)", "(4,8):(1,5)"] at [4, 5] gives "true"
        not ["(?,8):(1,?)", "(4,8)"]:
        "'layout.equal' op [nesting] expected a layout to compare with (?,8):(1,?), found (4,8)";
}
