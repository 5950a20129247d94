//! The complement of a layout by its relation: algorithm 5, corrected.

use super::{leaf, least};
use layout_algebra::Layout;
use layout_relation::{Context, Error, IntegerSet, Relation, Result, index_mapping};

/// The layout that fills what `layout` leaves out below `cosize`.
///
/// As in the paper, the filled part grows from `[0, 1)`: up to the next index of `layout` it is
/// repeated as often as it fits, and in the end up to `cosize`. The correction is where it continues:
/// after the last repetition that `layout` makes of that index, so that repetitions do not
/// reach into each other, not at the least gap nor at the cosize of `layout`, by which the paper's
/// complement of `(2,2):(1,5)` reaches 26 of 20. Modes of stride 0 are left out.
///
/// # Errors
///
/// A layout that reaches an offset twice by itself or with its fill; negative strides; a cosize
/// below 1; a limit.
pub(crate) fn complement(context: &Context, layout: &Layout, cosize: i64) -> Result<Layout> {
    let condition = |expected: &'static str, found: String| Error::Condition {
        operation: "complement",
        operand: layout.to_string(),
        expected,
        found,
    };
    if cosize < 1 {
        return Err(condition("a codomain of at least 1", cosize.to_string()));
    }
    let mut modes = Vec::new();
    for (extent, stride) in layout.flat() {
        if stride < 0 && extent != 1 {
            return Err(condition("strides that are not negative", stride.to_string()));
        }
        if extent != 1 && stride != 0 {
            modes.push(leaf(extent, stride)?);
        }
    }
    if modes.is_empty() {
        return leaf(cosize, 1).and_then(|whole| Ok(whole.coalesce()?));
    }
    context.within(|| {
        let given = index_mapping(context, &Layout::make_layout(&modes)?)?.range()?;
        let mut filling = Vec::new();
        let mut filled = 1_i64;
        loop {
            let past = IntegerSet::parse(context, &format!("{{ [i] : i >= {filled} }}"))?;
            let Some(next) = least(&given.intersect(&past)?)? else { break };
            if next / filled > 1 {
                filling.push(leaf(next / filled, filled)?);
            }
            let missing = Relation::parse(context, &format!("{{ [k] -> [{next}*k] : k >= 1 }}"))?;
            let made = missing.onto(&given)?.domain()?;
            let all = IntegerSet::parse(context, "{ [k] : k >= 1 }")?;
            let run = least(&all.subtract(&made)?)?.unwrap_or(1);
            filled = next
                .checked_mul(run)
                .ok_or_else(|| Error::Range { found: format!("{next} * {run}") })?;
        }
        let both: Vec<_> = modes.iter().chain(&filling).cloned().collect();
        let both = Layout::make_layout(&both)?;
        if !index_mapping(context, &both)?.is_injective()? {
            return Err(condition(
                "a layout that reaches each offset once, with its fill",
                both.to_string(),
            ));
        }
        filling.push(leaf((cosize - 1) / filled + 1, filled)?);
        Ok(Layout::make_layout(&filling)?.coalesce()?)
    })
}
