//! The names that most files of terms need.

pub(super) use crate::{
    error::{Error, Result},
    integer::{Expr, Site},
    layout::{
        Layout,
        basis::{Basis, BasisLayout},
        tiler::TilerOf,
    },
    place::WithPlace,
    swizzle::{AnyLayout, ComposedLayout},
    term::{Op, TermLeaf, Value},
    tuple::{CoordOf, Nested, Tuple},
};
pub(super) use alloc::{
    borrow::{Cow, ToOwned},
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
