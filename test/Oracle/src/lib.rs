//! The oracle: random programs run before and after each pass, natively too, by an interpreter that shares
//! no facts, no ranges and no arithmetic on layouts with what it checks.
//!
//! [`interpret`] knows upstream's operations and the definition of a layout; [`generate`] makes programs;
//! [`passes`] is the one place that knows the project's passes; [`hunt`] runs, compares and counts, and
//! [`defects`] puts faults back that it must find.

pub mod compare;
pub mod defects;
pub mod generate;
pub mod hunt;
pub mod interpret;
pub mod ir;
pub mod native;
pub mod passes;
pub mod random;
pub mod shrink;
