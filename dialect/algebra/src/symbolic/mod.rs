//! Terms of expressions: what layouts of expressions are written in and evaluate to.

mod basis;
mod call;
mod composed;
mod coordinates;
pub(crate) mod display;
mod layout;
mod term;
mod tuple;
mod value;

use crate::integer::{Width, division, expr, facts, missing as error, substitute, symbol};
pub use crate::parse::PART_LIMIT;
pub use basis::{has_units, steps_of, with_units};
pub use call::call;
pub(crate) use composed::swizzled;
pub use coordinates::composed_of_coordinates;
pub(crate) use coordinates::static_composed_of_coordinates;
pub(crate) use display::formatted as write_value;
pub use term::{evaluate, evaluate_with};
pub use value::Canonical;
