#![doc = include_str!("course.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod banks;
mod basis;
mod common;
mod complement;
mod composition;
mod coordinates;
mod cursor;
mod distribute;
mod divide;
mod entries;
mod error;
mod evaluate;
mod function;
mod image;
mod injective;
pub mod integer;
mod inverse;
mod layout;
mod leaf;
pub mod linear;
pub mod meaning;
mod modal;
mod modes;
mod nearest;
mod order;
mod parse;
mod parts;
mod place;
mod predicate;
mod product;
mod recast;
#[cfg(feature = "serde")]
mod serialise;
mod shape;
mod slice;
mod stride;
mod swizzle;
mod term;
mod tiler;
mod tuple;
mod values;

pub use banks::{
    ACCESS_LIMIT, Access, BANKS, Conflicts, Fewest, LinearSwizzle, SwizzleChoice, WORD_BYTES,
    bank_swizzles, conflict_free_swizzle, conflicts, conflicts_under, fewest_conflicts,
    linear_swizzle,
};
pub use basis::{
    Basis, BasisLayout, has_units, make_identity_layout, make_identity_layout_under, steps_of,
    with_units,
};
pub use common::{
    max_common_layout, max_common_layout_under, max_common_vector, max_common_vector_under,
};
pub use complement::{complement, complement_under};
pub use composition::{composition, composition_tiler, composition_tiler_under, composition_under};
pub use coordinates::{elem_less, increment, tuple_add, tuple_sub};
pub use distribute::{distribute, distribute_under, domain_distribute, domain_distribute_under};
pub use divide::{
    fills_evenly, fills_evenly_under, flat_divide, flat_divide_under, logical_divide,
    logical_divide_under, tiled_divide, tiled_divide_under, zipped_divide, zipped_divide_under,
};
pub use entries::{Order, compact_from, idx2crd_by};
pub use error::{Error, Result};
pub use evaluate::ENUMERATION_LIMIT;
pub use function::{
    Found, Refutation, layout_of, layout_of_fn, layout_of_shape, layout_of_strides,
    layout_with_shape,
};
pub use image::{Image, coshape, image, image_under};
pub use injective::{
    is_bijective, is_bijective_under, is_injective, is_injective_under, is_surjective,
    is_surjective_under,
};
pub use integer::{
    Answer, Expr, Fact, Facts, Integer, Interpreter, MODE_LIMIT, Machine, NEST_LIMIT, Need,
    Overflow, Quotient, Range, Step, Symbol, TERM_LIMIT, Values, Verdict, WEIGHT_LIMIT, Width,
};
pub use inverse::{
    left_inverse, left_inverse_under, nullspace, nullspace_under, right_inverse,
    right_inverse_under,
};
pub use layout::{Layout, crd2crd, crd2crd_under, idx2crd, idx2crd_under};
pub use leaf::Leaf;
pub use modal::Modal;
pub use modes::{
    append, coalesce, coalesce_by, coalesce_x, filter, filter_by, filter_by_under, filter_under,
    filter_zeros, filter_zeros_under, flatten, get, group, make_layout, prepend, replace, select,
    take, unzip, zip,
};
pub use nearest::nearest_name;
pub use order::{
    make_layout_like, make_layout_like_under, make_ordered_layout, make_ordered_layout_under, sort,
    sort_under,
};
pub use parse::{DEPTH_LIMIT, LENGTH_LIMIT, PART_LIMIT, Span, SpanKind, is_reserved};
pub use parts::Times;
pub use place::Place;
pub use predicate::{
    Comparison, Predicate, Region, in_bounds_of_composition, in_bounds_of_composition_under,
    in_bounds_of_divide, in_bounds_of_divide_under,
};
pub use product::{
    blocked_product, blocked_product_under, flat_product, flat_product_under, logical_product,
    logical_product_under, raked_product, raked_product_under, tile_to_shape, tile_to_shape_under,
    tiled_product, tiled_product_under, zipped_product, zipped_product_under,
};
pub use recast::{
    downcast, downcast_under, recast, recast_under, recast_view, recast_view_under, upcast,
    upcast_under,
};
pub use shape::{
    ceil_div, ceil_div_under, compact_col_major, compact_row_major, compatible, compatible_under,
    congruent, evenly_divides, evenly_divides_under, gcd, product_each, round_up, round_up_under,
    shape_div, shape_div_under, weakly_congruent,
};
pub use slice::{Sliced, dice, slice, slice_under};
pub use stride::Stride;
pub use swizzle::{AnyLayout, ComposedLayout, Outer, Swizzle, Swizzles, contiguous_run};
pub use term::{
    Canonical, Law, Op, Operation, Parameter, Term, Value, call, evaluate, evaluate_with,
};
pub use tiler::{Tiler, TilerOf};
pub use tuple::{Coord, CoordOf, Nested, Tuple};
pub use values::SYMBOLIC_ENUMERATION_LIMIT;
