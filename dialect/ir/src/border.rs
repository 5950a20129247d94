//! The border with C++: the functions that it exports, and the hooks that it calls.

pub mod context;
pub(crate) mod ffi;
pub(crate) mod hooks;
pub(crate) mod scalars;
