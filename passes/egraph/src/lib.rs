//! An e-graph over layout terms: from a term to its cheapest equal.
//!
//! | file | what it has |
//! |---|---|
//! | [`node`] | terms as e-nodes |
//! | [`facts`] | what is known of a class of equal terms |
//! | [`rules`] | the table of equations, each with its condition |
//! | [`cost`] | what "cheapest" means |
//! | [`simplify()`] | budgets, the search, extraction, the report |
//!
//! Equal means equal as values: the same layout, nested in the same way, so that a term may be
//! replaced wherever it stands. Knows nothing of MLIR.
//!
//! ```
//! use layout_algebra::Term;
//! use layout_egraph::{Budget, simplify};
//! let term = Term::parse("coalesce(composition((4,8):(8,1), 8:1))")?;
//! let simplified = simplify(&term, &Budget::default())?;
//! assert_eq!(simplified.term.to_string(), "(4,2):(8,1)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cost;
pub mod facts;
pub mod node;
pub mod rules;
mod simplify;

pub use simplify::{Budget, Error, Report, Simplified, Stop, simplify};
