//! The names that most files of layouts need.

pub(super) use crate::{
    error::{Error, Result},
    integer::{self, Expr, Facts, Site, Verdict},
    layout::{Layout, Modes, leaf::Leaf, stride::Stride, tiler::TilerOf},
    tuple::{Nested, Tuple},
};
pub(super) use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
pub(super) use core::fmt;
