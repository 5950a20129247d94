//! Layouts whose shapes and strides hold symbols: integers that are known only at run time.
//!
//! # A symbol and what is known of it
//!
//! A leaf of a layout may be a symbol, or an expression over symbols. What is known of a symbol
//! stands in braces at any mention: its width, what divides it, and its range.
//!
//! ```
//! use layout_algebra::symbolic::{Facts, evaluate};
//! let answer = |text: &str| evaluate(text, &mut Facts::new()).map(|value| value.to_string());
//! assert_eq!(answer("coalesce((M,8):(1,M))")?, "8*M:1");
//! assert_eq!(answer("size((M,(N,4)):(1,(M,M*N)))")?, "4*M*N");
//! assert_eq!(answer("crd2idx((i,j), (M,K):(K,1))")?, "K*i+j");
//! // Tiles of 128 by 64: of the rows the last may be padded, the columns come out even.
//! assert_eq!(
//!     answer("zipped_divide((M,K{div=64}):(K,1), (128,64))")?,
//!     "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))",
//! );
//! # Ok::<(), layout_algebra::symbolic::Error>(())
//! ```
//!
//! `?` is a symbol without a name of its own, as in the type of a dynamic layout: each is another
//! symbol, and they are called `?0`, `?1`, … in what is computed from them.
//!
//! # Unknown means no
//!
//! An operation answers where its answer is right under every assignment that the facts allow, and
//! otherwise names the fact that is missing and how to state it:
//!
//! ```
//! use layout_algebra::symbolic::{Facts, evaluate};
//! let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
//!     Ok(value) => value.to_string(),
//!     Err(error) => error.to_string(),
//! };
//! assert_eq!(
//!     answer("composition((M,8):(8,1), (4,K):(2,8))"),
//!     "composition((M,8):(8,1), (4,K):(2,8)): needs \"2 divides M\" or \"M >= 7\", neither of which \
//!      is known; say M{div=2} or say M{range=7..}",
//! );
//! // That alone is not enough: the second leaf takes 8 rows at a time.
//! assert_eq!(
//!     answer("composition((M{range=7..},8):(8,1), (4,K):(2,8))"),
//!     "composition((M,8):(8,1), (4,K):(2,8)): needs \"8 divides M\" or \"M-7 >= 8*K-8\", neither of \
//!      which is known; say M{div=8} or assume M-7 >= 8*K-8",
//! );
//! assert_eq!(
//!     answer("composition((M{div=8},8):(8,1), (4,M/8):(2,8))"),
//!     "(4,M/8):(16,64)",
//! );
//! # assert_eq!(answer("composition((M,8):(8,1), (4,M):(0,1))"), "(4,M):(0,8)");
//! ```
//!
//! [`Error::missing`] has the facts as values, for a compiler that asks for them or inserts checks;
//! [`Facts::learn`] takes one back when it is sure.
//!
//! What counts or goes by bits, as linear layouts do, asks for values; a symbol may have one:
//!
//! ```
//! use layout_algebra::symbolic::{Facts, evaluate};
//! let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
//!     Ok(value) => value.to_string(),
//!     Err(error) => error.to_string(),
//! };
//! assert_eq!(answer("is_injective((M,64):(64,1))"), "true");
//! assert_eq!(answer("bank_conflicts(S<3,3,3> o 0 o (M{range=8..},64):(64,1), (8,8):(1,M), 16)"), "0");
//! assert_eq!(
//!     answer("to_linear((M,8):(8,1))"),
//!     "to_linear((M,8):(8,1)): needs \"M = n\" for one n, which is not known; say M{range=n..n}",
//! );
//! assert_eq!(answer("to_layout(to_linear((M{range=4..4},8):(8,1)))"), "(4,8):(8,1)");
//! ```
//!
//! # What an expression is
//!
//! An [`Expr`] is a polynomial with integer coefficients, in a normal form, so that equal
//! polynomials are equal values. Its factors are symbols, quotients that do not come out even, and
//! minima. Three choices make more things equal:
//!
//! - A symbol is kept divided by what is known to divide it. With `M{div=8}`, `M/2`, `M/8` and `M`
//!   are multiples of one factor, and quotients that come out even are polynomials again.
//! - A remainder is `x - d*floor_div(x, d)`, and only written `mod(x,d)`. Digits of an index add up
//!   to the index without a rule for it.
//! - Quotients of quotients, common factors and what is whole are taken out: `floor_div(9*i,8)` is
//!   `i+floor_div(i,8)`, and `ceil_div(ceil_div(M,4),2)` is `ceil_div(M,8)`.
//!
//! [`Facts`] answers questions about expressions: range, divisor, comparison, exact quotient. Ranges
//! come from interval arithmetic in 128 bits, sharpened as the module `bounds` says.
//!
//! # Meaning
//!
//! A [`SymbolicLayout`] stands for one [`Layout`](crate::Layout) under each assignment, and an
//! operation on it for the operation on those. [`SymbolicLayout::substitute`] gives that layout, and
//! the answer at given values is the static algebra's answer, up to coalescing: where the static
//! algebra sees that two modes continue each other only at these values, it merges them. This is
//! tested on random layouts, facts and values, and against the slow definitions. Past its size, a
//! layout goes on in its last mode; where operations are nested, that is the last mode with symbols,
//! which at some values has one entry and would have been dropped.
//!
//! Extents are at least 1 by construction, since a layout has no others: a symbol that is a mode's
//! extent, or a multiple of which is, is at least 1 without saying so. Strides are not known to be
//! positive unless that is said.

mod basis;
mod call;
mod composed;
mod coordinates;
pub(crate) mod display;
mod layout;
pub(crate) mod parse;
mod term;
mod tuple;
mod value;

pub(crate) use crate::integer::Site;
pub use crate::integer::{Interpreter, Machine, Range, Step};
use crate::integer::{division, expr, facts, missing as error, substitute, symbol};
pub use crate::{
    banks::conflicts_under as conflicts,
    basis::make_identity_layout_under as make_identity_layout,
    common::{
        max_common_layout_under as max_common_layout, max_common_vector_under as max_common_vector,
    },
    complement::complement_under as complement,
    composition::{composition_tiler_under as composition_tiler, composition_under as composition},
    distribute::{distribute_under as distribute, domain_distribute_under as domain_distribute},
    divide::{
        flat_divide_under as flat_divide, logical_divide_under as logical_divide,
        tiled_divide_under as tiled_divide, zipped_divide_under as zipped_divide,
    },
    image::{SymbolicImage, image_under as image},
    injective::{
        is_bijective_under as is_bijective, is_injective_under as is_injective,
        is_surjective_under as is_surjective,
    },
    inverse::{
        left_inverse_under as left_inverse, nullspace_under as nullspace,
        right_inverse_under as right_inverse,
    },
    layout::{crd2crd_under as crd2crd, idx2crd_under as idx2crd},
    modes::{
        append, coalesce, coalesce_by, coalesce_x, filter_by_under as filter_by,
        filter_under as filter, filter_zeros_under as filter_zeros, flatten, get, group,
        make_layout, prepend, replace, select, take, unzip, zip,
    },
    order::{
        make_layout_like_under as make_layout_like,
        make_ordered_layout_under as make_ordered_layout, sort_under as sort,
    },
    predicate::{
        in_bounds_of_composition_under as in_bounds_of_composition,
        in_bounds_of_divide_under as in_bounds_of_divide,
    },
    product::{
        blocked_product_under as blocked_product, flat_product_under as flat_product,
        logical_product_under as logical_product, raked_product_under as raked_product,
        tile_to_shape_under as tile_to_shape, tiled_product_under as tiled_product,
        zipped_product_under as zipped_product,
    },
    recast::{
        downcast_under as downcast, recast_under as recast, recast_view_under as recast_view,
        upcast_under as upcast,
    },
    shape::{
        ceil_div_under as ceil_div, compatible_under as compatible, congruent,
        evenly_divides_under as evenly_divides, round_up_under as round_up,
        shape_div_under as shape_div, weakly_congruent,
    },
    slice::{dice, slice_under as slice},
    values::SYMBOLIC_ENUMERATION_LIMIT,
};
// Families that are called by the names of their operations.
use crate::symbolic as recast;
pub use basis::{SymbolicBasis, SymbolicSteps, has_units, steps_of, with_units};
pub use call::call;
pub(crate) use composed::swizzled;
pub use coordinates::composed_of_coordinates;
pub(crate) use coordinates::static_composed_of_coordinates;
pub(crate) use display::formatted as write_value;
pub use error::{Answer, Error, Fact, MODE_LIMIT, Need, Quotient, Result};
pub use expr::{Expr, NEST_LIMIT, TERM_LIMIT, WEIGHT_LIMIT};
pub use facts::Facts;
pub use layout::{SymbolicComparison, SymbolicLayout};
pub use parse::PART_LIMIT;
pub use substitute::Values;
pub use symbol::{Symbol, Width};
pub use term::{evaluate, evaluate_with};
pub use tuple::{SymbolicCoord, SymbolicTiler, SymbolicTuple};
pub use value::Canonical;
