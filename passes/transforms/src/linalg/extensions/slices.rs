//! Updates of single elements that are updates of slices.
//!
//! torch-mlir writes `cache[:, :, i] = x` as updates of single elements: it repeats each index along all dimensions of `x`, counts along the
//! dimensions that are taken whole, collapses all to one dimension, and concatenates. Here dimensions that are counted become
//! slices again, so that only `i` is compared with places.
//!
//! ```text
//! indices = concat (collapse (repeat 0…B), collapse (repeat 0…H), collapse (repeat i), collapse (repeat 0…D))
//! updates = collapse x                                ->   updates = x, slices along B, H and D, indices = i
//! ```

use super::{
    extents,
    scatter::{Dimension, Place, Updates},
};
use crate::linalg::reshape::groups_of;
use layout_dialect::{
    affine::indexing_maps,
    build::{Val, operand, result},
    tree,
};
use melior::ir::{OperationRef, attribute::IntegerAttribute, operation::OperationLike};

impl<'c> Updates<'c> {
    /// The same updates with fewer of them, in slices, or `None` if they have another form.
    pub(super) fn of_slices(&self) -> Option<Self> {
        let &[(indices, _), ..] = self.index.as_slice() else { return None };
        if self.batch != [0]
            || self.index.iter().any(|(own, _)| tree::key(*own) != tree::key(indices))
        {
            return None;
        }
        let columns = columns(indices, self.index.len())?;
        let (tensor, counts, mut dimensions) = self.expanded()?;
        let mut index = Vec::with_capacity(columns.len());
        for column in columns {
            index.push(repeated(column, &counts)?);
        }
        // Which dimensions of updates elements of an index depend on.
        let uses = |d: usize| {
            index.iter().filter(|(_, places)| places.contains(&Place::Update(d))).count()
        };
        let counted = |(tensor, places): &(Val<'c>, Vec<Place>)| {
            let mut own = places.iter().enumerate().filter_map(|(i, place)| match place {
                Place::Update(d) => Some((i, *d)),
                Place::Known(_) => None,
            });
            let (i, d) = own.next().filter(|(_, d)| own.next().is_none() && uses(*d) == 1)?;
            let is_along = extents(*tensor).get(i).copied().flatten() == counts.get(d).copied();
            (is_along && is_counted(*tensor)).then_some(d)
        };
        let slices: Vec<Option<usize>> = index.iter().map(counted).collect();
        // An index has an element at least.
        if slices.iter().all(Option::is_some) || slices.iter().all(Option::is_none) {
            return None;
        }
        for own in &mut dimensions {
            if let Dimension::Indexed(k) = *own {
                *own = match slices[k] {
                    Some(slice) => Dimension::Slice(slice),
                    None => {
                        Dimension::Indexed(slices[..k].iter().filter(|own| own.is_none()).count())
                    }
                };
            }
        }
        let counts = (0..counts.len()).filter(|d| counts[*d] != 1);
        let batch: Vec<usize> = counts.filter(|d| !slices.contains(&Some(*d))).collect();
        // Each loop has an index whose size it takes.
        if batch.iter().any(|d| uses(*d) == 0) {
            return None;
        }
        let kept = index.iter().zip(&slices).filter(|(_, slice)| slice.is_none());
        let index = kept.map(|(own, _)| own.clone()).collect();
        Some(Self { tensor, batch, index, dimensions })
    }

    /// The tensor whose first dimensions are collapsed to the one that counts updates: it, the sizes of these dimensions, and the
    /// dimensions of what is updated, in its own.
    fn expanded(&self) -> Option<(Val<'c>, Vec<i64>, Vec<Dimension>)> {
        // After the dimension that counts, `tensor.expand_shape` adds such of one element.
        let (mut tensor, mut places): (Val<'c>, Vec<usize>) =
            (self.tensor, (0..extents(self.tensor).len()).collect());
        if let Some(made) = named(tensor, "tensor.expand_shape") {
            let all = extents(tensor);
            for (own, group) in groups_of(made).ok()?.iter().enumerate() {
                let (first, units) = group.split_first()?;
                if units.iter().any(|d| all[*d] != Some(1)) {
                    return None;
                }
                places[*first] = own;
            }
            tensor = operand(made, 0);
        }
        let made = named(tensor, "tensor.collapse_shape")?;
        let groups = groups_of(made).ok()?;
        let (first, rest) = groups.split_first()?;
        if rest.iter().any(|group| group.len() != 1) {
            return None;
        }
        let tensor = operand(made, 0);
        let counts: Option<Vec<i64>> = extents(tensor)[..first.len()].iter().copied().collect();
        let dimensions = self.dimensions.iter().map(|own| match *own {
            Dimension::Slice(d) => Dimension::Slice(places[d] + first.len() - 1),
            indexed @ Dimension::Indexed(_) => indexed,
        });
        Some((tensor, counts?, dimensions.collect()))
    }
}

/// The operation of a name that makes a value.
fn named<'c>(value: Val<'c>, name: &str) -> Option<OperationRef<'c, 'c>> {
    tree::definition(value).filter(|made| tree::name(*made) == name)
}

/// The columns of indices, each of one dimension.
fn columns(indices: Val<'_>, depth: usize) -> Option<Vec<Val<'_>>> {
    let all = match named(indices, "tensor.concat") {
        None => vec![indices],
        Some(made) => {
            let dim = IntegerAttribute::try_from(made.attribute("dim").ok()?).ok()?.value();
            (dim == 1).then_some(())?;
            (0..made.operand_count()).map(|i| operand(made, i)).collect()
        }
    };
    let alone = |column| {
        let made = named(column, "tensor.expand_shape")?;
        let source = operand(made, 0);
        (extents(column).get(1) == Some(&Some(1)) && extents(source).len() == 1).then_some(source)
    };
    let all: Option<Vec<Val<'_>>> = all.into_iter().map(alone).collect();
    all.filter(|all| all.len() == depth)
}

/// The tensor that a column repeats along dimensions of these sizes, which are collapsed to one, and where its elements are.
fn repeated<'c>(column: Val<'c>, counts: &[i64]) -> Option<(Val<'c>, Vec<Place>)> {
    let source = operand(named(column, "tensor.collapse_shape")?, 0);
    let found: Option<Vec<i64>> = extents(source).into_iter().collect();
    (found? == counts).then_some(())?;
    // One of a dimension of one element is the first.
    let update = |d: usize| if counts[d] == 1 { Place::Known(0) } else { Place::Update(d) };
    let whole = || Some((source, (0..counts.len()).map(update).collect()));
    let Some(made) = named(source, "linalg.generic") else { return whole() };
    let (Some(maps), Some(body)) = (indexing_maps(made), tree::entry(made)) else {
        return whole();
    };
    let [from, to] = maps.as_slice() else { return whole() };
    let steps = tree::operations(body);
    let [end] = steps.as_slice() else { return whole() };
    let is_copy = tree::key(operand(*end, 0)) == tree::key(tree::argument(body, 0));
    let is_whole = to.results.len() == counts.len()
        && to.results.iter().enumerate().all(|(d, own)| own.dimension() == Some(d));
    if !is_copy || !is_whole {
        return whole();
    }
    let place = |own: &layout_dialect::affine::Linear| match own.dimension() {
        Some(d) => Some(update(d)),
        None => own.terms.is_empty().then_some(Place::Known(own.constant)),
    };
    match from.results.iter().map(place).collect() {
        Some(places) => Some((operand(made, 0), places)),
        None => whole(),
    }
}

/// Whether a tensor counts from 0 along the one dimension that is not of one element.
fn is_counted(tensor: Val<'_>) -> bool {
    let mut tensor = tensor;
    while let Some(made) =
        ["tensor.expand_shape", "tensor.collapse_shape"].iter().find_map(|name| named(tensor, name))
    {
        let source = operand(made, 0);
        let longer = |one: Val<'_>| extents(one).iter().filter(|size| **size != Some(1)).count();
        if longer(tensor) > 1 || longer(source) > 1 {
            return false;
        }
        tensor = source;
    }
    let Some(made) = named(tensor, "linalg.generic") else { return false };
    let Some(body) = tree::entry(made) else { return false };
    let steps = tree::operations(body);
    let value = match steps.as_slice() {
        [index, cast, end] if tree::name(*cast) == "arith.index_cast" => {
            let is_given = tree::key(operand(*end, 0)) == tree::key(result(*cast, 0));
            (is_given && tree::key(operand(*cast, 0)) == tree::key(result(*index, 0)))
                .then_some(*index)
        }
        _ => None,
    };
    extents(tensor).len() == 1
        && value.is_some_and(|index| {
            let dim = index.attribute("dim").ok();
            let dim = dim.and_then(|dim| IntegerAttribute::try_from(dim).ok());
            tree::name(index) == "linalg.index" && dim.is_some_and(|dim| dim.value() == 0)
        })
}
