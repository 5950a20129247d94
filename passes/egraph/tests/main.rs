//! The tests of the e-graph, in one program: it is linked once, and its tests run side by side. `memory` is a program of its own,
//! since it counts what is allocated.

mod chains;
mod facts;
mod index;
mod open;
mod pays;
mod proofs;
mod random;
mod rules;
mod sources;
mod support;
mod terms;
