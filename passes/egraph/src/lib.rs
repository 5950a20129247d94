//! An e-graph over layout terms: from a term to its cheapest equal.
//!
//! | file | what it has |
//! |---|---|
//! | [`node`] | terms of both languages, layouts and indices, as e-nodes |
//! | [`index`], [`symbol`] | the operations on indices, and unknowns with what is stated of them |
//! | [`facts`] | the facts about a class of equal terms |
//! | [`rules`] | the tables of equations by family, each with its condition |
//! | [`cost`] | what "cheapest" means |
//! | `search` | phases, budgets, fuel |
//! | `extract` | from an e-graph to the cheapest term |
//! | [`simplify()`] | layout terms, and the report |
//! | [`record`] | searches as lines of text, to be searched again |
//! | [`explain()`] | the chain of equations to a result, replayed and checked |
//! | [`optimise()`] | index arithmetic, several roots at once |
//!
//! Equal means equal as values: the same layout, nested in the same way, so that a term may be
//! replaced wherever it is. Knows nothing of MLIR.
//!
//! ```
//! use layout_algebra::Term;
//! use layout_egraph::{Budget, simplify};
//! let term = Term::parse("coalesce(composition((4,8):(8,1), 8:1))")?;
//! let simplified = simplify(&term, &Budget::default())?;
//! assert_eq!(simplified.term.to_string(), "(4,2):(8,1)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
pub mod cost;
mod explain;
mod extract;
pub mod facts;
pub mod index;
pub mod node;
mod read;
pub mod record;
pub mod rules;
mod search;
pub mod sets;
mod simplify;
pub mod symbol;

pub use address::{Optimised, Settings, Summary, census, optimise, price};
pub use egg::{Id, Language, RecExpr};
pub use explain::{Explanation, Replay, Step, agree, explain, explain_equal, part, value};
pub use extract::Limits;
pub use read::{read, write};
pub use record::Record;
pub use search::{Budget, Stop};
pub use simplify::{Error, Report, Simplified, simplify};
