//! CuTe's layouts and their algebra: sound, checked, without LLVM.
//!
//! A [`Layout`] `shape:stride` is a function from coordinates to offsets. The operations build new
//! layouts from old ones, and each is defined by what its result maps to:
//!
//! | operation | result |
//! |---|---|
//! | [`coalesce`] | the same function in the fewest flat modes |
//! | [`composition`] | `(A o B)(c) = A(B(c))` |
//! | [`complement`] | what a layout leaves out |
//! | [`logical_divide`], [`zipped_divide`], … | a layout split into tiles |
//! | [`logical_product`], [`blocked_product`], … | a layout repeated |
//! | [`right_inverse`], [`left_inverse`] | from offsets back to indices |
//! | [`slice`](slice()), [`dice`] | some coordinates fixed |
//! | [`layout_of`] | from a function's values to a layout |
//! | [`linear`] | Triton's linear layouts, and exact conversions |
//!
//! Shapes and strides that are known only at run time are in [`symbolic`].
//!
//! Every operation answers with the right function or with an [`Error`] that says what was expected
//! and what was found; none panics, and all arithmetic is checked. Text is CuTe's, read by
//! [`Term::parse`] and written by `Display`:
//!
//! ```
//! use layout_algebra::Term;
//! let term = Term::parse("zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)")?;
//! assert_eq!(term.eval()?.to_string(), "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
//! # Ok::<(), layout_algebra::Error>(())
//! ```
#![forbid(unsafe_code)]

mod banks;
mod basis;
mod complement;
mod composition;
mod distribute;
mod divide;
mod error;
mod function;
mod inverse;
mod layout;
pub mod linear;
mod make;
pub mod meaning;
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
    ACCESS_LIMIT, BANKS, Conflicts, SwizzleChoice, WORD_BYTES, conflict_free_swizzle, conflicts,
};
pub use basis::{Basis, BasisLayout, make_identity_layout};
pub use complement::complement;
pub use composition::{ENUMERATION_LIMIT, composition, composition_tiler};
pub use distribute::{distribute, domain_distribute};
pub use divide::{flat_divide, logical_divide, tiled_divide, zipped_divide};
pub use error::{Error, Result};
pub use function::{
    Found, Refutation, layout_of, layout_of_fn, layout_of_shape, layout_of_strides,
};
pub use inverse::{left_inverse, nullspace, right_inverse};
pub use layout::{Layout, crd2crd, idx2crd};
pub use make::{make_layout_like, make_ordered_layout};
pub use modes::{
    append, coalesce, coalesce_by, coalesce_x, filter, filter_zeros, flatten, get, group,
    make_layout, prepend, replace, select, sort, take, unzip, zip,
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
pub use tiler::Tiler;
pub use tuple::{Coord, Nested, Tuple};
