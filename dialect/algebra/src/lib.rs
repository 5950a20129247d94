#![doc = include_str!("course.md")]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

/// Methods of integers, without facts: each is the one `…_under` of the same name.
macro_rules! closed {
    ($(@$s:ident)? $on:ty { $($name:ident = $under:ident($($arg:ident: $of:ty),*) -> $to:ty;)* }) => {
        impl$(<$s: $crate::layout::stride::Stride<i64>>)? $on { $(
            #[doc = concat!("[`Self::", stringify!($under), "`] of integers, without facts.")]
            pub fn $name(&self, $($arg: $of),*) -> $crate::error::Result<$to> {
                self.$under(&(), $($arg),*)
            }
        )* }
    };
}
/// The README's program, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod cursor;
mod error;
pub mod integer;
mod layout;
pub mod linear;
mod matrix;
pub mod meaning;
mod nearest;
mod nested;
mod place;
#[cfg(feature = "serde")]
mod serialise;
mod shape;
mod smem;
mod swizzle;
mod term;
mod tuple;

pub use cursor::{DEPTH_LIMIT, LENGTH_LIMIT};
pub use error::{Error, Result};
pub use integer::{
    Answer, Expr, Fact, Facts, Integer, Interpreter, MODE_LIMIT, Machine, NEST_LIMIT, Need,
    Overflow, Quotient, Range, Step, Symbol, TERM_LIMIT, Values, Verdict, WEIGHT_LIMIT, Width,
};
pub use layout::Layout;
pub use layout::basis::{Basis, BasisLayout, has_units, steps_of, with_units};
pub use layout::entries::Order;
pub use layout::evaluate::ENUMERATION_LIMIT;
pub use layout::function::{Found, Refutation};
pub use layout::image::Image;
pub use layout::leaf::{Leaf, WriteLeaf};
pub use layout::parts::Times;
pub use layout::predicate::{Comparison, Predicate, Region};
pub use layout::slice::Sliced;
pub use layout::stride::Stride;
pub use layout::tiler::{Tiler, TilerOf};
pub use layout::values::SYMBOLIC_ENUMERATION_LIMIT;
pub use nearest::nearest_name;
pub use nested::{Nested, ShapeStride, Tuple};
pub use place::Place;
pub use shape::gcd;
pub use smem::{
    ACCESS_LIMIT, Access, BANKS, Conflicts, Fewest, LinearSwizzle, SwizzleChoice, WORD_BYTES,
};
pub use swizzle::{AnyLayout, ComposedCoordinates, ComposedLayout, Outer, Swizzle, Swizzles};
pub use term::parse::{PART_LIMIT, Span, SpanKind, is_reserved};
pub use term::{
    Canonical, Law, Op, Operation, Parameter, Term, TermOf, Value, Watch, answer, evaluate,
    evaluate_watched, evaluate_with,
};
pub use tuple::{Coord, CoordOf, Entries};
