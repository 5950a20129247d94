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

mod composition;
mod divide;
mod error;
mod function;
mod inverse;
mod layout;
mod modes;
mod parse;
mod recast;
mod slice;
mod swizzle;
mod term;
mod tiler;
mod tuple;

pub use composition::{ENUMERATION_LIMIT, composition, composition_tiler};
pub use divide::{
    blocked_product, complement, flat_divide, flat_product, logical_divide, logical_product,
    make_ordered_layout, raked_product, tile_to_shape, tiled_divide, tiled_product, zipped_divide,
    zipped_product,
};
pub use error::{Error, Result};
pub use function::{Refutation, layout_of};
pub use inverse::{left_inverse, nullspace, right_inverse};
pub use layout::{Layout, idx2crd};
pub use modes::{coalesce, coalesce_by, coalesce_x, flatten, get, group, make_layout, select};
pub use parse::{DEPTH_LIMIT, LENGTH_LIMIT, is_reserved};
pub use recast::{downcast, recast, upcast};
pub use slice::{dice, slice};
pub use swizzle::{AnyLayout, ComposedLayout, Outer, Swizzle, contiguous_run};
pub use term::{Op, Term, Value};
pub use tiler::Tiler;
pub use tuple::{Coord, Tuple};
