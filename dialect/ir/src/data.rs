//! Attributes, types and the values that they hold.

pub mod affine;
pub(crate) mod attributes;
pub mod buffers;
pub(crate) mod conversions;
pub mod coordinate;
pub mod evaluate;
pub(crate) mod interned;
pub(crate) mod memref;
pub(crate) mod offsets;
pub(crate) mod reading;
pub(crate) mod recovery;
pub(crate) mod relations;
pub mod term_value;
pub mod types;
