//! The tests of the relations, in one program: it is linked once, and its tests run side by side.

mod affine;
mod algorithms;
mod bars;
mod composed;
mod differential;
mod examples;
mod limits;
mod numbered;
mod outside;
mod prove;
mod recover;
mod support;
mod symbolic;
mod table1;
mod table2;
mod texts;
