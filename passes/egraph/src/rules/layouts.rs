//! Conditions that several families of rules on layouts require.

use super::Known;
use layout_algebra::{AnyLayout, Layout, Value};

/// A layout whose shape is a tuple.
pub(super) fn is_tuple(known: &Known<'_>, name: &str) -> bool {
    is_layout(known, name) && known.any_layout(name).is_some_and(|layout| !layout.inner().is_leaf())
}

/// A layout, plain or composed, and written as evaluation leaves it: a literal `S<0,4,4> o 0 o L` is
/// no value of any call, since calls give `L`, and a term that is equal to it by a rule would have both.
pub(super) fn is_layout(known: &Known<'_>, name: &str) -> bool {
    match known.any_layout(name) {
        Some(AnyLayout::Composed(composed)) => {
            matches!(composed.simplified(), AnyLayout::Composed(_))
        }
        plain => plain.is_some(),
    }
}

/// A plain layout.
pub(super) fn is_plain(known: &Known<'_>, name: &str) -> bool {
    known.layout(name).is_some()
}

pub(super) fn int(value: i64) -> Option<Value> {
    Some(Value::Int(value))
}

/// `n:1`, or `1:0` for `n = 1`: what coalesce makes of an identity.
pub(super) fn identity(size: i64) -> Option<Value> {
    let text = if size == 1 { "1:0".to_owned() } else { format!("{size}:1") };
    text.parse::<Layout>().ok().map(Value::Layout)
}
