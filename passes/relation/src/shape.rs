//! The shape of a set of coordinates: the paper's `extract_shape`.

use crate::{
    error::Result,
    relation::IntegerSet,
    text::{bounds, dot, names},
};

/// Extents and steps of a set that is a product of arithmetic progressions from 0: the shape of
/// the loop nest that visits it.
///
/// None where the set is no such product; the paper calls a composition invalid then. Where the
/// paper examines the form of ISL's constraints, this requires least and greatest elements and
/// compares sets, so that it does not depend on how ISL writes them.
///
/// # Errors
///
/// A limit; numbers past 64 bits.
///
/// ```
/// use layout_relation::{Context, IntegerSet, Limits, extract_shape};
/// let context = Context::new(Limits::default())?;
/// let set = IntegerSet::parse(&context, "{ [0, i, j] : 0 <= i < 6 and i mod 3 = 0 and 0 <= j < 3 }")?;
/// assert_eq!(extract_shape(&set)?, Some(vec![(1, 0), (2, 3), (3, 1)]));
/// let triangle = IntegerSet::parse(&context, "{ [i, j] : 0 <= j <= i < 4 }")?;
/// assert_eq!(extract_shape(&triangle)?, None);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn extract_shape(set: &IntegerSet) -> Result<Option<Vec<(i64, i64)>>> {
    let context = set.set.context();
    context.within(|| {
        let dimensions = set.dimensions()?;
        if set.is_empty()? || !set.set.is_bounded()? {
            return Ok(None);
        }
        let mut progressions = Vec::with_capacity(dimensions);
        for at in 0..dimensions {
            let one = set.set.project_out(at + 1, dimensions - at - 1)?.project_out(0, at)?;
            let least = one.lexmin()?.point()?;
            let greatest = one.lexmax()?.point()?;
            let (Some([least]), Some([greatest])) = (least.as_deref(), greatest.as_deref()) else {
                return Ok(None);
            };
            if *least != 0 {
                return Ok(None);
            }
            if *greatest == 0 {
                progressions.push((1, 0));
                continue;
            }
            let positive = context.read_set("{ [x] : x > 0 }")?;
            let second = one.intersect(&positive)?.lexmin()?.point()?;
            let Some([step]) = second.as_deref() else { return Ok(None) };
            if greatest % step != 0 {
                return Ok(None);
            }
            progressions.push((greatest / step + 1, *step));
        }
        let (extents, steps): (Vec<_>, Vec<_>) = progressions.iter().copied().unzip();
        let values: Vec<_> = (0..dimensions)
            .map(|at| {
                let mut row = vec![0; dimensions];
                row[at] = steps[at];
                dot("k", &row)
            })
            .collect();
        let product = context.read_map(&format!(
            "{{ [{}] -> [{}] : {} }}",
            names("k", dimensions),
            values.join(", "),
            bounds("k", &extents)
        ))?;
        Ok(product.range()?.is_equal(&set.set)?.then_some(progressions))
    })
}
