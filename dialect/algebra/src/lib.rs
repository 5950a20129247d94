#![doc = include_str!("course.md")]
#![forbid(unsafe_code)]

mod banks;
mod basis;
mod complement;
mod composition;
mod cursor;
mod distribute;
mod divide;
mod error;
mod evaluate;
mod function;
mod inverse;
mod layout;
pub mod linear;
mod make;
pub mod meaning;
mod modal;
mod modes;
mod parse;
mod predicate;
mod product;
mod query;
mod recast;
mod shape;
mod slice;
mod swizzle;
pub mod symbolic;
mod term;
mod tiler;
mod tuple;

pub use banks::{
    ACCESS_LIMIT, Access, BANKS, Conflicts, Fewest, SwizzleChoice, WORD_BYTES, bank_swizzles,
    conflict_free_swizzle, conflicts, fewest_conflicts,
};
pub use basis::{Basis, BasisLayout, make_identity_layout};
pub use complement::complement;
pub use composition::{composition, composition_tiler};
pub use distribute::{distribute, domain_distribute};
pub use divide::{flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use error::{Error, Result};
pub use evaluate::ENUMERATION_LIMIT;
pub use function::{
    Found, Refutation, layout_of, layout_of_fn, layout_of_shape, layout_of_strides,
    layout_with_shape,
};
pub use inverse::{left_inverse, nullspace, right_inverse};
pub use layout::{Layout, crd2crd, idx2crd};
pub use make::{make_layout_like, make_ordered_layout};
pub use modal::Modal;
pub use modes::{
    append, coalesce, coalesce_by, coalesce_x, filter, filter_by, filter_zeros, flatten, get,
    group, make_layout, prepend, replace, select, sort, take, unzip, zip,
};
pub use parse::{DEPTH_LIMIT, LENGTH_LIMIT, is_reserved};
pub use predicate::{Comparison, Predicate, Region, in_bounds_of_composition, in_bounds_of_divide};
pub use product::{
    blocked_product, flat_product, logical_product, raked_product, tile_to_shape, tiled_product,
    zipped_product,
};
pub use query::{
    coshape, image, is_bijective, is_injective, is_surjective, max_common_layout, max_common_vector,
};
pub use recast::{downcast, recast, upcast};
pub use shape::{
    ceil_div, compact_col_major, compact_row_major, compatible, congruent, evenly_divides,
    product_each, round_up, shape_div, weakly_congruent,
};
pub use slice::{dice, slice};
pub use swizzle::{AnyLayout, ComposedLayout, Outer, Swizzle, contiguous_run};
pub use term::{Op, Term, Value};
pub use tiler::{Tiler, TilerOf};
pub use tuple::{Coord, CoordOf, Nested, Tuple};
