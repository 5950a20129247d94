//! A contraction whose operands, loops and maps change before it is built again.

use super::moves::Move;
use crate::linalg::{
    contraction::{buffer, element},
    loops::copied,
    reshape::{self, DYNAMIC, groups_of, parsed},
    rows::extent::Extent,
};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

type Built<T> = Result<T, melior::Error>;

/// A structured operation of one result.
#[derive(Clone)]
pub(super) struct Structured<'c> {
    /// Whose body it has.
    pub(super) operation: OperationRef<'c, 'c>,
    /// The last is what the result starts from.
    pub(super) operands: Vec<Val<'c>>,
    pub(super) maps: Vec<IndexingMap>,
    /// The size of each loop, where it is known.
    pub(super) sizes: Vec<Option<i64>>,
    /// Dimensions of each operand that are to be several: their sizes, for each dimension that it has as a value.
    expansions: Vec<Vec<Vec<i64>>>,
}

/// A result whose coordinates are the loops of one dimension.
fn alone(d: usize) -> Linear {
    Linear { terms: vec![(d, 1)], constant: 0 }
}

impl<'c> Structured<'c> {
    pub(super) fn read(operation: OperationRef<'c, 'c>) -> Option<Self> {
        let maps = indexing_maps(operation)?;
        let count = operation.operand_count();
        (maps.len() == count && count > 0).then_some(())?;
        let operands: Vec<Val<'c>> = (0..count).map(|i| operand(operation, i)).collect();
        let mut sizes = vec![None; maps[0].dimensions];
        let mut expansions = Vec::with_capacity(count);
        for (value, map) in operands.iter().zip(&maps) {
            // A scalar has no dimensions.
            let extents = buffer(*value).ok()?.extents();
            for (result, extent) in map.results.iter().zip(&extents) {
                if let (Some(d), Some(extent)) = (result.dimension(), extent) {
                    sizes[d] = Some(*extent);
                }
            }
            expansions.push(extents.iter().map(|n| vec![n.unwrap_or(DYNAMIC)]).collect());
        }
        let has_index =
            tree::all(operation).into_iter().any(|inner| tree::name(inner) == "linalg.index");
        (!has_index).then_some(Self { operation, operands, maps, sizes, expansions })
    }

    /// Whether each loop is one of M, N, K or the batch, and some are of K, as those of a contraction are.
    pub(super) fn contracts(&self) -> bool {
        let mut has_k = false;
        let are_shared = (0..self.sizes.len()).all(|d| {
            let of = |map: &IndexingMap| {
                map.results.iter().any(|own| own.terms.iter().any(|&(own, _)| own == d))
            };
            let all: Vec<bool> = self.maps.iter().map(of).collect();
            has_k |= all == [true, true, false];
            all.iter().filter(|has| **has).count() > 1
        });
        are_shared && has_k
    }

    /// Reads an operand where a copy of it was read.
    pub(super) fn read_through(&mut self, number: usize, copy: &Move<'c>) {
        let (map, before) = (&self.maps[number], &self.expansions[number]);
        let first = |place: usize| before.iter().take(place).map(Vec::len).sum::<usize>();
        let (mut results, mut expansions) = (Vec::new(), Vec::with_capacity(copy.places.len()));
        let own = unchanged(copy.source);
        for (place, own) in copy.places.iter().zip(own) {
            match *place {
                Some(place) => {
                    results.extend_from_slice(&map.results[first(place)..first(place + 1)]);
                    expansions.push(before[place].clone());
                }
                None => {
                    results.push(Linear { terms: Vec::new(), constant: 0 });
                    expansions.push(own);
                }
            }
        }
        self.maps[number] = IndexingMap { dimensions: map.dimensions, results };
        self.operands[number] = copy.source;
        self.expansions[number] = expansions;
    }

    /// Reads an operand where the reshape that makes it one of fewer dimensions reads it; false where loops forbid it.
    pub(super) fn split_operand(&mut self, number: usize, reshape: OperationRef<'c, 'c>) -> bool {
        let source = operand(reshape, 0);
        let (Ok(groups), Ok(found)) = (groups_of(reshape), buffer(source)) else { return false };
        let extents = found.extents();
        if self.expansions[number].iter().any(|digits| digits.len() > 1) {
            return false;
        }
        let Some(digits) = all_known(&groups, &extents) else { return false };
        if !self.split(number, &digits) {
            return false;
        }
        self.operands[number] = source;
        self.expansions[number] = unchanged(source);
        true
    }

    /// Whether loops of the result are several.
    pub(super) fn splits_result(&self) -> bool {
        self.expansions.last().is_some_and(|own| own.iter().any(|digits| digits.len() > 1))
    }

    /// Gives the result the shape that a reshape gives it; false where loops forbid it.
    pub(super) fn split_result(&mut self, reshape: OperationRef<'c, 'c>) -> bool {
        let result = first_result(reshape);
        let (Ok(groups), Ok(found)) = (groups_of(reshape), buffer(result)) else { return false };
        let number = self.operands.len() - 1;
        let Some(digits) = all_known(&groups, &found.extents()) else { return false };
        self.split(number, &digits)
    }

    /// Makes several loops of each loop that a dimension of an operand is, where it has several digits.
    fn split(&mut self, number: usize, digits: &[Vec<i64>]) -> bool {
        let mut after = self.clone();
        for (place, digits) in digits.iter().enumerate() {
            let expansions = &after.expansions[number];
            // Dimensions that are split already stay as they are.
            if digits.len() == 1 || expansions.get(place) == Some(digits) {
                continue;
            }
            if expansions.get(place).is_none_or(|own| own.len() > 1) {
                return false;
            }
            let place: usize = expansions.iter().take(place).map(Vec::len).sum();
            let Some(d) = after.maps[number].results.get(place).and_then(Linear::dimension) else {
                return false;
            };
            let is_last = number + 1 == self.operands.len();
            if !is_last && digits.iter().filter(|&&digit| digit != 1).count() <= 1 {
                after.unit_digits(number, place, d, digits);
            } else if !after.split_loop(d, digits) {
                return false;
            }
        }
        *self = after;
        true
    }

    /// Gives an operand dimensions of one element beside the one that a loop is.
    fn unit_digits(&mut self, number: usize, place: usize, d: usize, digits: &[i64]) {
        let at = digits.iter().position(|&digit| digit != 1).unwrap_or(0);
        let zero = Linear { terms: Vec::new(), constant: 0 };
        let results = (0..digits.len()).map(|i| if i == at { alone(d) } else { zero.clone() });
        self.maps[number].results.splice(place..=place, results);
        let mut before = 0;
        for own in &mut self.expansions[number] {
            if before == place {
                *own = digits.to_vec();
            }
            before += own.len();
        }
    }

    /// Makes several loops of one; false where an operand's coordinate is a sum that it is in.
    fn split_loop(&mut self, d: usize, digits: &[i64]) -> bool {
        let is_fit = |result: &Linear| {
            result.dimension() == Some(d) || result.terms.iter().all(|&(own, _)| own != d)
        };
        let product = digits.iter().try_fold(1_i64, |all, &one| all.checked_mul(one));
        if !self.maps.iter().flat_map(|map| &map.results).all(is_fit)
            || product.is_none()
            || product != self.sizes[d]
        {
            return false;
        }
        // Tiles, whose extents are powers of two, have to be whole blocks where no operand can be copied into other ones.
        let is_block = |&digit: &i64| digit & (digit - 1) == 0;
        let several = digits.iter().filter(|&&digit| digit > 1).count() > 1;
        let is_open = self.sizes.contains(&None);
        if several
            && is_open
            && !digits.iter().skip_while(|&&digit| digit == 1).skip(1).all(is_block)
        {
            return false;
        }
        // A type that leaves the size open takes no known digits.
        let is_stated = |(map, expansions): (&IndexingMap, &Vec<Vec<i64>>)| {
            let sizes = expansions.iter().flatten();
            map.results
                .iter()
                .zip(sizes)
                .all(|(own, &size)| own.dimension() != Some(d) || Some(size) == product)
        };
        if !self.maps.iter().zip(&self.expansions).all(is_stated) {
            return false;
        }
        let more = digits.len() - 1;
        let moved = |own: usize| if own > d { own + more } else { own };
        for (map, expansions) in self.maps.iter_mut().zip(&mut self.expansions) {
            let mut results = Vec::with_capacity(map.results.len() + more);
            // The dimension of the value that each result belongs to.
            let owners: Vec<usize> = expansions
                .iter()
                .enumerate()
                .flat_map(|(owner, digits)| std::iter::repeat_n(owner, digits.len()))
                .collect();
            let mut own_digits: Vec<Vec<i64>> = vec![Vec::new(); expansions.len()];
            let before: Vec<i64> = expansions.iter().flatten().copied().collect();
            for ((result, &owner), &size) in map.results.iter().zip(&owners).zip(&before) {
                if result.dimension() == Some(d) {
                    results.extend((d..=d + more).map(alone));
                    own_digits[owner].extend(digits);
                } else {
                    let terms = result.terms.iter().map(|&(own, by)| (moved(own), by)).collect();
                    results.push(Linear { terms, constant: result.constant });
                    own_digits[owner].push(size);
                }
            }
            *expansions = own_digits;
            *map = IndexingMap { dimensions: map.dimensions + more, results };
        }
        self.sizes.splice(d..=d, digits.iter().map(|&digit| Some(digit)));
        true
    }

    /// Puts the changed operation in place of the one that was read, and erases that.
    pub(super) fn emit(self) -> Built<()> {
        let before = self.operation;
        let b = Builder::before(before);
        let last = self.operands.len() - 1;
        let mut operands = Vec::with_capacity(self.operands.len());
        for (i, (value, digits)) in self.operands.iter().zip(&self.expansions).enumerate() {
            let value = match i == last {
                true => started(&b, *value, digits)?,
                false => expanded(&b, *value, digits)?,
            };
            operands.push(value);
        }
        let result = operands[last].r#type();
        let texts: Vec<String> = self.maps.iter().map(ToString::to_string).collect();
        let is_parallel = |d| self.maps[last].results.iter().any(|r| r.dimension() == Some(d));
        let kinds: Vec<&str> = (0..self.sizes.len())
            .map(|d| match is_parallel(d) {
                true => "#linalg.iterator_type<parallel>",
                false => "#linalg.iterator_type<reduction>",
            })
            .collect();
        let attributes = [
            ("indexing_maps", parsed(&b, &format!("[{}]", texts.join(", ")))?),
            ("iterator_types", parsed(&b, &format!("[{}]", kinds.join(", ")))?),
            ("operandSegmentSizes", parsed(&b, &format!("array<i32: {last}, 1>"))?),
        ];
        let region = copied(&b, before)?;
        let made =
            b.operation("linalg.generic", &operands, &[result], &attributes, vec![region])?;
        let (old, new) = (first_result(before), first_result(made));
        if old.r#type() == new.r#type() {
            tree::replace_uses(old, new);
        } else {
            // All read it through reshapes to this shape.
            for user in tree::users(before).collect::<Vec<_>>() {
                tree::replace_uses(first_result(user), new);
                tree::erase(user);
            }
        }
        tree::erase(before);
        Ok(())
    }
}

/// The sizes of each group of a reshape, where those of several dimensions are known.
fn all_known(groups: &[Vec<usize>], extents: &[Option<i64>]) -> Option<Vec<Vec<i64>>> {
    let one = |group: &Vec<usize>| -> Option<Vec<i64>> {
        if let [alone] = group[..] {
            return Some(vec![extents.get(alone)?.unwrap_or(DYNAMIC)]);
        }
        group.iter().map(|&d| (*extents.get(d)?).filter(|&n| n > 0)).collect()
    };
    groups.iter().map(one).collect()
}

fn unchanged(value: Val<'_>) -> Vec<Vec<i64>> {
    let extents = buffer(value).map(|found| found.extents()).unwrap_or_default();
    extents.iter().map(|n| vec![n.unwrap_or(DYNAMIC)]).collect()
}

/// A tensor with some dimensions as several: what a reshape made it of, or a reshape of it.
fn expanded<'c>(b: &Builder<'c>, value: Val<'c>, digits: &[Vec<i64>]) -> Built<Val<'c>> {
    if digits.iter().all(|own| own.len() == 1) {
        return Ok(value);
    }
    let (groups, sizes) = grouped(digits);
    let r#type = tensor(b, value, &sizes)?;
    let source = tree::definition(value)
        .filter(|made| tree::name(*made) == "tensor.collapse_shape")
        .filter(|made| groups_of(*made).as_ref() == Ok(&groups))
        .map(|made| operand(made, 0))
        .filter(|source| source.r#type() == r#type);
    if let Some(source) = source {
        return Ok(source);
    }
    // Sizes that are known at run time stay what they are.
    let extents = Extent::all(value).map_err(|_| melior::Error::OperationBuild)?;
    let mut operands = vec![value];
    for (place, own) in digits.iter().enumerate() {
        if own[..] == [DYNAMIC] {
            operands.push(extents[place].emit(b)?);
        }
    }
    reshape::expand(b, &operands, &groups, &sizes, r#type)
}

/// The initial value of a result, with some dimensions as several: a fill is made again.
fn started<'c>(b: &Builder<'c>, value: Val<'c>, digits: &[Vec<i64>]) -> Built<Val<'c>> {
    if digits.iter().all(|own| own.len() == 1) {
        return Ok(value);
    }
    let fill = tree::definition(value).filter(|made| tree::name(*made) == "linalg.fill");
    let Some(fill) = fill else { return expanded(b, value, digits) };
    let (_, sizes) = grouped(digits);
    let r#type = tensor(b, value, &sizes)?;
    let extents = Extent::all(value).map_err(|_| melior::Error::OperationBuild)?;
    let mut open = Vec::new();
    for (place, own) in digits.iter().enumerate() {
        if own[..] == [DYNAMIC] {
            open.push(extents[place].emit(b)?);
        }
    }
    let empty = b.value("tensor.empty", &open, r#type, &[])?;
    let number = operand(fill, 0);
    let region = copied(b, fill)?;
    let segments = parsed(b, "array<i32: 1, 1>")?;
    let attributes = [("operandSegmentSizes", segments)];
    let made =
        b.operation("linalg.fill", &[number, empty], &[r#type], &attributes, vec![region])?;
    Ok(first_result(made))
}

/// The groups of a reshape that makes dimensions several, and all sizes.
fn grouped(digits: &[Vec<i64>]) -> (Vec<Vec<usize>>, Vec<i64>) {
    let (mut groups, mut sizes) = (Vec::new(), Vec::new());
    for own in digits {
        groups.push((sizes.len()..sizes.len() + own.len()).collect());
        sizes.extend(own);
    }
    (groups, sizes)
}

/// A tensor of other sizes.
fn tensor<'c>(b: &Builder<'c>, like: Val<'c>, sizes: &[i64]) -> Built<Type<'c>> {
    let element = element(like).map_err(|_| melior::Error::OperationBuild)?;
    let sizes: Vec<Option<i64>> =
        sizes.iter().map(|&size| (size != DYNAMIC).then_some(size)).collect();
    reshape::tensor(b, &sizes, element)
}
