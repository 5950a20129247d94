//! Out of bounds: the exact coordinates of a composition that its outer layout does not have
//! (section 3.8.1 of the paper), and the algebra's predicates as sets and back.

use layout_algebra::{Comparison, Layout, Predicate, Tuple};

use crate::{
    cute::colexicographic,
    error::{Error, Result},
    isl::Context,
    quasi::{Formula, Sign},
    recover::with_strides,
    relation::{IntegerSet, Relation},
    text::{bounds, dot, names},
};

/// All natural coordinates of a shape.
///
/// # Errors
///
/// Extents below 1; overflow of the size; a limit.
pub fn coordinates(context: &Context, shape: &Tuple) -> Result<IntegerSet> {
    let (extents, _) = colexicographic(shape)?;
    let tuple = names("c", extents.len());
    Ok(context.read_set(&format!("{{ [{tuple}] : {} }}", bounds("c", &extents)))?.into())
}

/// The natural coordinates of `inner` whose offsets are no indices of `outer`: there CuTe's
/// composition continues in the last mode of `outer`.
///
/// # Errors
///
/// A limit.
///
/// ```
/// use layout_relation::{Context, Limits, outside_of_composition};
/// let context = Context::new(Limits::default())?;
/// // 10 elements in tiles of 4: two coordinates of the last tile are outside.
/// let outside = outside_of_composition(&context, &"10:1".parse()?, &"(4,3):(1,4)".parse()?)?;
/// assert_eq!(outside.text()?, "{ [c0, c1] : 0 <= c0 <= 3 and 0 <= c1 <= 2 and 4c1 >= 10 - c0 }");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn outside_of_composition(
    context: &Context,
    outer: &Layout,
    inner: &Layout,
) -> Result<IntegerSet> {
    let (extents, strides): (Vec<_>, Vec<_>) = inner.flat().into_iter().unzip();
    let offset = dot("c", &strides);
    let text = format!(
        "{{ [{}] : {} and ({offset} < 0 or {offset} >= {}) }}",
        names("c", extents.len()),
        bounds("c", &extents),
        outer.size(),
    );
    context.within(|| Ok(context.read_set(&text)?.coalesce()?.into()))
}

/// Natural coordinates as integral ones.
///
/// # Errors
///
/// A set of tuples of another length; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, integral_coordinates, outside_of_composition};
/// let context = Context::new(Limits::default())?;
/// let divided = "(4,3):(1,4)".parse()?;
/// let outside = outside_of_composition(&context, &"10:1".parse()?, &divided)?;
/// let outside = integral_coordinates(&outside, divided.shape())?;
/// assert_eq!(outside.text()?, "{ [c] : 10 <= c <= 11 }");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn integral_coordinates(set: &IntegerSet, shape: &Tuple) -> Result<IntegerSet> {
    let context = set.set.context();
    let (extents, steps) = colexicographic(shape)?;
    let text = format!(
        "{{ [{}] -> [c] : c = {} and {} }}",
        names("c", extents.len()),
        dot("c", &steps),
        bounds("c", &extents)
    );
    context.within(|| set.image(&Relation::from(context.read_map(&text)?)))
}

/// The natural coordinates where a predicate of the algebra holds.
///
/// # Errors
///
/// A limit.
pub fn predicate_set(context: &Context, predicate: &Predicate) -> Result<IntegerSet> {
    context.within(|| {
        let mut set = coordinates(context, predicate.shape())?;
        for Comparison { layout, bound } in predicate.comparisons() {
            let (_, strides): (Vec<_>, Vec<_>) = layout.flat().into_iter().unzip();
            let tuple = names("c", strides.len());
            let holds =
                context.read_set(&format!("{{ [{tuple}] : {} < {bound} }}", dot("c", &strides)))?;
            set = set.intersect(&holds.into())?;
        }
        Ok(set)
    })
}

/// The algebra's form of a set of natural coordinates: comparisons that hold exactly there, and
/// only those that do not follow from the shape. None where the set has no such form.
///
/// # Errors
///
/// A set of tuples of another length; numbers past 64 bits; a limit.
///
/// ```
/// use layout_relation::{Context, IntegerSet, Limits, comparisons};
/// let context = Context::new(Limits::default())?;
/// let inside = IntegerSet::parse(&context, "{ [i, j] : 0 <= i < 4 and 0 <= j < 3 and i + 4j < 10 }")?;
/// let found = comparisons(&inside, &"(4,3)".parse()?)?.unwrap();
/// assert_eq!(found.len(), 1);
/// assert_eq!(found[0].to_string(), "(4,3):(1,4) < 10");
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn comparisons(inside: &IntegerSet, shape: &Tuple) -> Result<Option<Vec<Comparison>>> {
    let context = inside.set.context();
    context.within(|| {
        let all = coordinates(context, shape)?;
        let formula = Formula::of_set(&inside.gist(&all)?)?;
        let [piece] = &formula.steps.concat()[..] else { return Ok(None) };
        let [conditions] = &piece.conditions[..] else { return Ok(None) };
        let mut found = Vec::with_capacity(conditions.len());
        for (sign, expression) in conditions {
            if *sign == Sign::Zero || !expression.divisions.is_empty() {
                return Ok(None);
            }
            // constant + sum of a*c >= 0 is sum of -a*c < constant + 1.
            let past = |value: Option<i64>| {
                value.ok_or_else(|| Error::Range { found: expression.to_string() })
            };
            let strides: Vec<_> = expression
                .coefficients
                .iter()
                .map(|coefficient| past(coefficient.checked_neg()))
                .collect::<Result<_>>()?;
            let bound = past(expression.constant.checked_add(1))?;
            found.push(Comparison { layout: with_strides(shape, &strides)?, bound });
        }
        Ok(Some(found))
    })
}
