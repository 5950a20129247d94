#![doc = include_str!("course.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod cursor;
mod error;
pub mod integer;
mod layout;
pub mod linear;
pub mod meaning;
mod nearest;
mod place;
#[cfg(feature = "serde")]
mod serialise;
mod shape;
mod smem;
mod swizzle;
mod term;
mod tuple;

pub use error::{Error, Result};
pub use integer::{
    Answer, Expr, Fact, Facts, Integer, Interpreter, MODE_LIMIT, Machine, NEST_LIMIT, Need,
    Overflow, Quotient, Range, Step, Symbol, TERM_LIMIT, Values, Verdict, WEIGHT_LIMIT, Width,
};
pub use layout::basis::{
    Basis, BasisLayout, has_units, make_identity_layout, make_identity_layout_under, steps_of,
    with_units,
};
pub use layout::common::{
    max_common_layout, max_common_layout_under, max_common_vector, max_common_vector_under,
};
pub use layout::complement::{complement, complement_under};
pub use layout::composition::{
    composition, composition_tiler, composition_tiler_under, composition_under,
};
pub use layout::distribute::{
    distribute, distribute_under, domain_distribute, domain_distribute_under,
};
pub use layout::divide::{
    fills_evenly, fills_evenly_under, flat_divide, flat_divide_under, logical_divide,
    logical_divide_under, tiled_divide, tiled_divide_under, zipped_divide, zipped_divide_under,
};
pub use layout::entries::{Order, compact_from, idx2crd_by};
pub use layout::evaluate::ENUMERATION_LIMIT;
pub use layout::function::{
    Found, Refutation, layout_of, layout_of_fn, layout_of_shape, layout_of_strides,
    layout_with_shape,
};
pub use layout::image::{Image, coshape, image, image_under};
pub use layout::injective::{
    is_bijective, is_bijective_under, is_injective, is_injective_under, is_surjective,
    is_surjective_under,
};
pub use layout::inverse::{
    left_inverse, left_inverse_under, nullspace, nullspace_under, right_inverse,
    right_inverse_under,
};
pub use layout::leaf::{Leaf, WriteLeaf};
pub use layout::modal::Modal;
pub use layout::modes::{
    append, coalesce, coalesce_by, coalesce_x, filter, filter_by, filter_by_under, filter_under,
    filter_zeros, filter_zeros_under, flatten, get, group, make_layout, prepend, replace, select,
    take, unzip, zip,
};
pub use layout::order::{
    make_layout_like, make_layout_like_under, make_ordered_layout, make_ordered_layout_under, sort,
    sort_under,
};
pub use layout::parts::Times;
pub use layout::predicate::{
    Comparison, Predicate, Region, in_bounds_of_composition, in_bounds_of_composition_under,
    in_bounds_of_divide, in_bounds_of_divide_under,
};
pub use layout::product::{
    blocked_product, blocked_product_under, flat_product, flat_product_under, logical_product,
    logical_product_under, raked_product, raked_product_under, tile_to_shape, tile_to_shape_under,
    tiled_product, tiled_product_under, zipped_product, zipped_product_under,
};
pub use layout::recast::{
    downcast, downcast_under, recast, recast_under, recast_view, recast_view_under, upcast,
    upcast_under,
};
pub use layout::slice::{Sliced, dice, slice, slice_under};
pub use layout::stride::Stride;
pub use layout::tiler::{Tiler, TilerOf};
pub use layout::values::SYMBOLIC_ENUMERATION_LIMIT;
pub use layout::{Layout, crd2crd, crd2crd_under, idx2crd, idx2crd_under};
pub use nearest::nearest_name;
pub use place::Place;
pub use shape::{
    ceil_div, ceil_div_under, compact_col_major, compact_row_major, compatible, compatible_under,
    congruent, evenly_divides, evenly_divides_under, gcd, product_each, round_up, round_up_under,
    shape_div, shape_div_under, weakly_congruent,
};
pub use smem::{
    ACCESS_LIMIT, Access, BANKS, Conflicts, Fewest, LinearSwizzle, SwizzleChoice, WORD_BYTES,
    bank_swizzles, conflict_free_swizzle, conflicts, conflicts_under, fewest_conflicts,
    linear_swizzle,
};
pub use swizzle::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles, contiguous_run};
pub use term::parse::{DEPTH_LIMIT, LENGTH_LIMIT, PART_LIMIT, Span, SpanKind, is_reserved};
pub use term::{
    Canonical, Law, Op, Operation, Parameter, Term, Value, call, evaluate, evaluate_with,
};
pub use tuple::coordinates::{elem_less, increment, tuple_add, tuple_sub};
pub use tuple::{Coord, CoordOf, Nested, Tuple};
