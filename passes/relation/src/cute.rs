//! The mappings of a CuTe layout: section 3 of the paper.

use layout_algebra::{Basis, BasisLayout, Layout, Nested, Tuple};

use crate::{
    error::{Error, Result},
    isl::Context,
    relation::Relation,
    text::{bounds, dot, names, sum},
};

/// From the integral coordinate to the natural one, colexicographically: `M_C` of algorithm 1.
///
/// # Errors
///
/// Extents below 1, overflow of the size, a limit.
///
/// ```
/// use layout_relation::{Context, Limits, coordinate_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = coordinate_mapping(&context, &"(4,(2,2))".parse()?)?;
/// assert_eq!(
///     mapping.expressions()?,
///     "{ [c] -> [((c) mod 4), (floor((c)/4) - 2*floor((c)/8)), (floor((c)/8))] : 0 <= c <= 15 }"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn coordinate_mapping(context: &Context, shape: &Tuple) -> Result<Relation> {
    let (extents, steps) = colexicographic(shape)?;
    // By floors, as in the paper: ISL finds no short expressions for `c = c0 + n0*c1 + …`.
    let size = shape.product()?;
    let digits = steps.iter().enumerate().map(|(i, step)| match (steps.get(i + 1), *step) {
        (Some(next), 1) => format!("c mod {next}"),
        (Some(next), step) => format!("floor((c mod {next})/{step})"),
        (None, step) => format!("floor(c/{step})"),
    });
    let digits: Vec<_> = digits.collect();
    let domain = format!("0 <= c < {size}");
    let function =
        context.read_function(&format!("{{ [c] -> [{}] : {domain} }}", digits.join(", ")))?;
    // In the paper's words and order, on which the form of ISL's answers depends.
    let equal = steps.iter().enumerate().map(|(i, step)| match steps.get(i + 1) {
        Some(next) => format!("c{i} = floor((c mod {next})/{step})"),
        None => format!("c{i} = floor(c/{step})"),
    });
    let constraints: Vec<_> =
        std::iter::once(domain).chain(equal).chain([bounds("c", &extents)]).collect();
    let map = context.read_map(&format!(
        "{{ [c] -> [{}] : {} }}",
        names("c", extents.len()),
        constraints.join(" and ")
    ))?;
    Ok(Relation { map, functions: Some(vec![function]) })
}

/// From the natural coordinate to the index, by the dot product with the strides: `M_I` of
/// algorithm 1.
///
/// # Errors
///
/// A limit.
pub fn index_mapping(context: &Context, layout: &Layout) -> Result<Relation> {
    let (extents, strides): (Vec<_>, Vec<_>) = layout.flat().into_iter().unzip();
    let text = format!(
        "{{ [{}] -> [{}] : {} }}",
        names("c", extents.len()),
        dot("c", &strides),
        bounds("c", &extents)
    );
    Relation::read(context, &text)
}

/// From the integral coordinate to the index: `M_L = M_I o M_C`.
///
/// # Errors
///
/// A limit.
///
/// ```
/// use layout_relation::{Context, Limits, layout_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = layout_mapping(&context, &"(4,2,2):(2,1,8)".parse()?)?;
/// assert_eq!((mapping.size()?, mapping.cosize()?, mapping.at(&[5])?), (16, 16, Some(vec![3])));
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn layout_mapping(context: &Context, layout: &Layout) -> Result<Relation> {
    context.within(|| {
        coordinate_mapping(context, layout.shape())?.then(&index_mapping(context, layout)?)
    })
}

/// From the integral coordinate to the coordinates, flat, that a coordinate layout maps to.
///
/// # Errors
///
/// A limit; overflow.
///
/// ```
/// use layout_algebra::{Term, Value};
/// use layout_relation::{Context, Limits, basis_layout_mapping};
/// let context = Context::new(Limits::default())?;
/// let Value::Basis(layout) = Term::parse("(4,(3,2)):(1@1,(1@0@0,2@1@0))")?.eval()? else {
///     panic!("a coordinate layout")
/// };
/// // Coordinate (1,(2,1)) is mapped to ((2,2),1).
/// assert_eq!(basis_layout_mapping(&context, &layout)?.at(&[21])?, Some(vec![2, 2, 1]));
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn basis_layout_mapping(context: &Context, layout: &BasisLayout) -> Result<Relation> {
    let nesting = layout.crd2crd(&Tuple::Leaf(0))?;
    let results = nesting.leaves().len();
    let mut steps = Vec::new();
    scaled(layout.stride(), &mut |basis| {
        let result = place(&nesting, &basis.path).filter(|_| basis.scale != 0);
        steps.push((basis.scale, result));
    });
    let along = |result: usize| {
        let own = steps.iter().enumerate().filter(|(_, step)| step.1 == Some(result));
        sum(own.map(|(mode, &(scale, _))| (scale, format!("c{mode}"))))
    };
    let extents = layout.shape().leaves();
    let text = format!(
        "{{ [{}] -> [{}] : {} }}",
        names("c", extents.len()),
        (0..results).map(along).collect::<Vec<_>>().join(", "),
        bounds("c", &extents)
    );
    context.within(|| {
        coordinate_mapping(context, layout.shape())?.then(&Relation::read(context, &text)?)
    })
}

fn scaled(strides: &Nested<Basis>, visit: &mut impl FnMut(&Basis)) {
    match strides {
        Nested::Leaf(basis) => visit(basis),
        Nested::Node(entries) => entries.iter().for_each(|entry| scaled(entry, visit)),
    }
}

/// How many leaves of a tuple come before the one at a path.
fn place(tuple: &Tuple, path: &[usize]) -> Option<usize> {
    match (tuple, path.split_first()) {
        (Nested::Leaf(_), None) => Some(0),
        (Nested::Node(entries), Some((&at, rest))) => {
            let before: usize = entries.iter().take(at).map(|entry| entry.leaves().len()).sum();
            Some(before + place(entries.get(at)?, rest)?)
        }
        _ => None,
    }
}

/// [`layout_mapping`] of the layout as CuTe reads it past its size, up to `size`: the last mode is
/// made longer (the promotion of section 3.8.1), and the domain is cut to `[0, size)`.
///
/// # Errors
///
/// A limit; overflow.
pub fn promoted_layout_mapping(context: &Context, layout: &Layout, size: i64) -> Result<Relation> {
    let (mut extents, strides): (Vec<_>, Vec<_>) = layout.flat().into_iter().unzip();
    let Some(last) = extents.len().checked_sub(1) else {
        return layout_mapping(context, layout);
    };
    let before = extents[..last].iter().product::<i64>();
    extents[last] = extents[last].max((size.max(1) - 1) / before + 1);
    let leaves = |values: &[i64]| Tuple::Node(values.iter().copied().map(Tuple::Leaf).collect());
    let promoted = Layout::new(leaves(&extents), leaves(&strides))?;
    context.within(|| {
        let domain = context.read_set(&format!("{{ [c] : 0 <= c < {size} }}"))?;
        layout_mapping(context, &promoted)?.on(&domain.into())
    })
}

/// From the coordinates of a compatible shape to the index: `M_I = M_L o M_C^-1` of section 3.5.
///
/// The coordinates are those of the shape's leaves; the mapping is affine for the layout's own
/// shape, and may be quasi-affine for others.
///
/// # Errors
///
/// A shape that is not compatible; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, index_mapping_of};
/// let context = Context::new(Limits::default())?;
/// let layout = "(4,(2,2)):(2,(1,8))".parse()?;
/// let mapping = index_mapping_of(&context, &layout, &"(4,4)".parse()?)?;
/// assert_eq!(mapping.at(&[3, 2])?, Some(vec![14]));
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn index_mapping_of(context: &Context, layout: &Layout, shape: &Tuple) -> Result<Relation> {
    if !shape.compatible(layout.shape()) {
        return Err(Error::Incompatible { shape: layout.shape().clone(), found: shape.clone() });
    }
    context.within(|| {
        let coordinates = coordinate_mapping(context, shape)?.inverse()?;
        coordinates.then(&layout_mapping(context, layout)?)
    })
}

/// Every coordinate space of a shape: all shapes that are compatible with it, the integral one
/// first and the natural one last.
///
/// There is one for each way to cut the nesting short; at most `limit` are made.
///
/// # Errors
///
/// More than `limit`; overflow.
///
/// ```
/// let spaces = layout_relation::coordinate_spaces(&"((4,2),(2,2))".parse()?, 10)?;
/// let spaces: Vec<_> = spaces.iter().map(ToString::to_string).collect();
/// assert_eq!(spaces, ["32", "(8,4)", "(8,(2,2))", "((4,2),4)", "((4,2),(2,2))"]);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn coordinate_spaces(shape: &Tuple, limit: usize) -> Result<Vec<Tuple>> {
    let Tuple::Node(entries) = shape else { return Ok(vec![shape.clone()]) };
    let mut rows: Vec<Vec<Tuple>> = vec![Vec::new()];
    for entry in entries {
        let choices = coordinate_spaces(entry, limit)?;
        if rows.len().saturating_mul(choices.len()) >= limit {
            return Err(Error::Condition {
                operation: "coordinate_spaces",
                operand: shape.to_string(),
                expected: "no more coordinate spaces than the limit",
                found: format!("more than {limit}"),
            });
        }
        rows = rows
            .iter()
            .flat_map(|row| {
                choices.iter().map(|choice| {
                    let mut row = row.clone();
                    row.push(choice.clone());
                    row
                })
            })
            .collect();
    }
    let mut spaces = vec![Tuple::Leaf(shape.product()?)];
    spaces.extend(rows.into_iter().map(Tuple::Node));
    Ok(spaces)
}

/// The extents of a shape's leaves, and the colexicographic strides that linearize them.
pub(crate) fn colexicographic(shape: &Tuple) -> Result<(Vec<i64>, Vec<i64>)> {
    let extents = shape.leaves();
    // Its checks are a layout's: extents from 1, a product within 64 bits.
    Layout::new(shape.clone(), shape.clone())?;
    let steps = extents.iter().scan(1_i64, |next, extent| {
        let step = *next;
        *next = next.saturating_mul(*extent);
        Some(step)
    });
    let steps = steps.collect();
    Ok((extents, steps))
}
