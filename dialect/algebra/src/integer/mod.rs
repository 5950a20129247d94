//! Integers in layouts: static ones, and expressions with facts. This module does not depend on layouts; its examples
//! show layouts of expressions.
//!
//! # A symbol and its facts
//!
//! A leaf of a layout may be a symbol, or an expression over symbols. The facts of a symbol
//! are in braces at any mention: its width, what divides it, and its range.
//!
//! ```
//! use layout_algebra::answer;
//! assert_eq!(answer("coalesce((M,8):(1,M))"), "8*M:1");
//! assert_eq!(answer("size((M,(N,4)):(1,(M,M*N)))"), "4*M*N");
//! assert_eq!(answer("crd2idx((i,j), (M,K):(K,1))"), "K*i+j");
//! // Tiles of 128 by 64: of the rows the last may be padded, the columns come out even.
//! assert_eq!(
//!     answer("zipped_divide((M,K{div=64}):(K,1), (128,64))"),
//!     "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))",
//! );
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
//! use layout_algebra::answer;
//! assert_eq!(
//!     answer("composition((M,8):(8,1), (4,K):(2,8))"),
//!     "composition((M,8):(8,1), (4,K):(2,8)): needs \"2 divides M\" or \"M >= 7\", neither of which \
//!      is known; add the fact M{div=2} or add the fact M{range=7..}",
//! );
//! // That alone is not enough: the second leaf takes 8 rows at a time.
//! assert_eq!(
//!     answer("composition((M{range=7..},8):(8,1), (4,K):(2,8))"),
//!     "composition((M,8):(8,1), (4,K):(2,8)): needs \"8 divides M\" or \"M-7 >= 8*K-8\", neither of \
//!      which is known; add the fact M{div=8} or assume M-7 >= 8*K-8",
//! );
//! assert_eq!(
//!     answer("composition((M{div=8},8):(8,1), (4,M/8):(2,8))"),
//!     "(4,M/8):(16,64)",
//! );
//! # assert_eq!(answer("composition((M,8):(8,1), (4,M):(0,1))"), "(4,M):(0,8)");
//! ```
//!
//! [`Error::missing`] has the facts as values, for a compiler that requires them or inserts checks;
//! [`Facts::learn`] takes one back when it is sure.
//!
//! Counts, and operations on bits as on linear layouts, require values; a symbol may have one:
//!
//! ```
//! use layout_algebra::answer;
//! assert_eq!(answer("is_injective((M,64):(64,1))"), "true");
//! assert_eq!(answer("bank_conflicts(S<3,3,3> o 0 o (M{range=8..},64):(64,1), (8,8):(1,M), 16)"), "0");
//! assert_eq!(
//!     answer("to_linear((M,8):(8,1))"),
//!     "to_linear((M,8):(8,1)): needs \"M = n\" for one n, which is not known; add the fact M{range=n..n}",
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
//! A layout of expressions stands for one [`Layout`](crate::Layout) under each assignment, and an
//! operation on it for the operation on those. [`Layout::substitute`](crate::Layout::substitute) gives that layout, and
//! the answer at given values is the static algebra's answer, up to coalescing: where the static
//! algebra sees that two modes continue each other only at these values, it merges them. This is
//! tested on random layouts, facts and values, and against the slow definitions. Past its size, a
//! layout continues in its last mode; where operations are nested, that is the last mode with symbols,
//! which at some values has one entry and would have been dropped.
//!
//! Extents are at least 1 by construction, since a layout has no others: a symbol that is a mode's
//! extent, or a multiple of which is, is at least 1 without saying so. Strides are not known to be
//! positive unless stated.

mod arithmetic;
mod bounds;
mod compute;
pub(crate) mod display;
pub(crate) mod division;
pub(crate) mod expr;
pub(crate) mod facts;
mod interpret;
pub(crate) mod mention;
pub(crate) mod missing;
pub(crate) mod substitute;
pub(crate) mod symbol;

pub(crate) use self::{arithmetic::ceil, missing::Site};
pub use self::{
    arithmetic::{Integer, Overflow, Verdict},
    bounds::Range,
    compute::{Machine, Step},
    expr::{Expr, NEST_LIMIT, TERM_LIMIT, WEIGHT_LIMIT},
    facts::Facts,
    interpret::Interpreter,
    missing::{Answer, Error, Fact, MODE_LIMIT, Need, Quotient, Result},
    substitute::Values,
    symbol::{Symbol, Width},
};
