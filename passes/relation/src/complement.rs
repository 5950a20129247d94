//! The complement of a layout by its relation: algorithm 5, corrected.

use layout_algebra::{Layout, Tuple, coalesce, make_layout};

use crate::{
    cute::index_mapping,
    error::{Error, Result},
    isl::Context,
};

/// The layout that fills what `layout` leaves out below `cosize`.
///
/// As in the paper, the least gap is looked for and filled by repeating what is there, until the
/// layout has no index past the gap; the rest is filled up to `cosize`. Three things are corrected.
/// A gap must be filled exactly: the paper rounds down, and for `(2,2):(1,5)` goes on with a layout
/// that reaches 26 of 20. The last gap begins where the filled part ends, not at the cosize of
/// `layout`. And what was filled must stay injective. Modes of stride 0 are left out.
///
/// # Errors
///
/// A layout for which there is no such fill: with the gap that shows it; negative strides; a
/// cosize below 1; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, complement};
/// let context = Context::new(Limits::default())?;
/// let layout = "(2,2):(1,4)".parse()?;
/// assert_eq!(complement(&context, &layout, 20)?.to_string(), "(2,3):(2,8)");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn complement(context: &Context, layout: &Layout, cosize: i64) -> Result<Layout> {
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
    context.within(|| {
        let mut current = if modes.is_empty() { leaf(1, 0)? } else { make_layout(&modes)? };
        let given = index_mapping(context, &current)?.range()?;
        let mut filling = Vec::new();
        loop {
            let mapping = index_mapping(context, &current)?;
            if !mapping.is_injective()? {
                return Err(condition(
                    "a layout that reaches each offset once, with its fill",
                    current.to_string(),
                ));
            }
            let reached = mapping.range()?;
            let naturals = context.read_set("{ [i] : i >= 0 }")?;
            let gap = naturals.subtract(&reached.set)?.lexmin()?.point()?;
            let Some(&[begin]) = gap.as_deref() else {
                return Err(condition("a layout of finite size", current.to_string()));
            };
            let past = context.read_set(&format!("{{ [i] : i >= {begin} }}"))?;
            let Some(&[end]) = given.set.intersect(&past)?.lexmin()?.point()?.as_deref() else {
                filling.push(leaf((cosize - 1) / begin + 1, begin)?);
                break;
            };
            if end % begin != 0 {
                return Err(condition(
                    "gaps that repeating the layout fills exactly",
                    format!("[{begin}, {end})"),
                ));
            }
            let fill = leaf(end / begin, begin)?;
            current = make_layout(&[current, fill.clone()])?;
            filling.push(fill);
        }
        Ok(coalesce(&make_layout(&filling)?)?)
    })
}

pub(crate) fn leaf(extent: i64, stride: i64) -> Result<Layout> {
    Ok(Layout::new(Tuple::Leaf(extent), Tuple::Leaf(stride))?)
}
