//! Contractions that no matmul reads in place: operands are copied to another order first, and the result is copied back.
//!
//! | part | what it moves |
//! |---|---|
//! | this file | A of a convolution |
//! | [`transposed`] | operands of a contraction of several loops in one mode |
//!
//! ```text
//! %y = linalg.conv_2d_nchw_fchw %x, %w      ->   %a = linalg.generic …    (n, c, h, w) -> (n, h, w, c)
//!                                                %s = linalg.generic …    the convolution, of a result (n, p, q, f)
//!                                                %y = linalg.generic …    (n, p, q, f) -> (n, f, p, q)
//! ```
//!
//! A becomes an image with its channels last where the copy engine computes the im2col matrix of that, else the im2col matrix itself.
//! Elements that are somewhere in the new order are read there. Moves are kernels of rows, which compute what is elementwise around them, too.

mod transposed;

pub(super) use transposed::Transposed;

use super::{
    contraction::Contraction,
    convolution::Image,
    loops::{
        Built, Size, along, copied, element, empty, extents, fill, identity, inlined, is_copy, one,
        sizes,
    },
    reshape,
};
use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, ValueLike, attribute::DenseI64ArrayAttribute, operation::OperationLike,
};

/// The order that A is moved to.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// An image with its channels last.
    Image,
    /// The im2col matrix, with the loops of C in front of those that are summed.
    Matrix,
}

impl Target {
    /// All, the cheapest first.
    pub(super) const ALL: [Self; 2] = [Self::Image, Self::Matrix];

    /// The words for it in a remark.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Image => "an image with its channels last",
            Self::Matrix => "its im2col matrix",
        }
    }
}

/// The same contraction of moved operands, and the result that replaces that of the one before.
pub(super) struct Rearranged<'c> {
    pub(super) contraction: OperationRef<'c, 'c>,
    old: OperationRef<'c, 'c>,
    result: Val<'c>,
    made: NewOperations<'c>,
}

/// The operations that were built, in order.
type NewOperations<'c> = Vec<OperationRef<'c, 'c>>;

impl<'c> Rearranged<'c> {
    /// Builds the convolution of a moved operand beside one that reads windows; returns `None` if there is none, or a matmul would read
    /// it as the one before.
    pub(super) fn of(old: OperationRef<'c, 'c>, target: Target, chip: &str) -> Built<Option<Self>> {
        let Ok(own) = Contraction::read(old) else { return Ok(None) };
        if old.result_count() != 1 || !has_windows(&own) {
            return Ok(None);
        }
        let b = Builder::before(old).with_location(old.location());
        let mut made = Vec::new();
        let moved = match target {
            Target::Image => image(&own, (&b, &mut made), old)?,
            Target::Matrix => Some(matrix(&own, (&b, &mut made))?),
        };
        let Some((a, read)) = moved else { return Ok(None) };
        let is_free = made.is_empty();
        // The result's dimensions: those of a batch, of A, and of B, each as they were among themselves.
        let map = &own.maps[2].results;
        let kind = |place: &usize| {
            let d = map[*place].dimension();
            let is_of = |loops: &Vec<usize>| d.is_some_and(|d| loops.contains(&d));
            if is_of(&own.dimensions.batch) { 0 } else { 1 + usize::from(is_of(&own.dimensions.n)) }
        };
        let mut order: Vec<usize> = (0..map.len()).collect();
        order.sort_by_key(kind);
        let inputs = vec![(a, read), (own.operands[1], own.maps[1].results.clone())];
        let moved = Self::computed((&b, made), (old, &own), &inputs, &order)?;
        let is_image = || {
            let read = Contraction::read(moved.contraction);
            read.is_ok_and(|mut read| Image::of(&mut read, chip).is_some())
        };
        // One tap that moves by one is a matrix, which is worth no copy.
        if matches!(target, Target::Image) && !is_image() && !(is_free && is_pointwise(&own)) {
            moved.erase();
            return Ok(None);
        }
        Ok(Some(moved))
    }

    /// The contraction `old` of these inputs, each with the coordinates at which it is read, into a result whose dimensions are in this order;
    /// and that result as it was. `made` are the operations that made the inputs.
    fn computed(
        (b, mut made): (&Builder<'c>, NewOperations<'c>),
        (old, own): (OperationRef<'c, 'c>, &Contraction<'c>),
        inputs: &[(Val<'c>, Vec<Linear>)],
        order: &[usize],
    ) -> Built<Self> {
        let start = own.operands[2];
        let is_turned = !order.is_sorted();
        let held = match tree::definition(start).filter(|made| tree::name(*made) == "linalg.fill") {
            _ if !is_turned => start,
            Some(old) => {
                let of = permuted(&sizes(b, start)?, order);
                let filled = fill(b, operand(old, 0), empty(b, &of, element(start)?)?)?;
                made.extend(tree::definition(filled));
                filled
            }
            None => reordered((b, &mut made), start, order, old)?,
        };
        let map = permuted(&own.maps[2].results, order);
        let body = tree::entry(old).ok_or(melior::Error::OperationBuild)?;
        let adds = |b: &Builder<'c>, values: &[Val<'c>]| inlined(b, body, values);
        let mut result = one(b, own.maps[0].dimensions, inputs, (held, map), adds)?;
        let contraction = tree::definition(result).ok_or(melior::Error::OperationBuild)?;
        made.push(contraction);
        if is_turned {
            result = put_back((b, &mut made), (result, start), order)?;
        }
        Ok(Self { contraction, old, result, made })
    }

    /// Puts it in place of the one before.
    pub(super) fn replace(self) {
        tree::replace_uses(first_result(self.old), self.result);
        tree::erase(self.old);
    }

    /// Takes away what was built.
    pub(super) fn erase(self) {
        self.made.into_iter().rev().for_each(tree::erase);
    }
}

/// Whether coordinates of A are sums of loops.
pub(super) fn has_windows(contraction: &Contraction<'_>) -> bool {
    contraction.maps[0].results.iter().any(|result| result.terms.len() > 1)
}

/// Reads A at the loops of the result alone, where every window is one tap: the loops of taps have one step.
pub(super) fn drop_taps(own: &mut Contraction<'_>) {
    let is_padded =
        tree::definition(own.operands[0]).is_some_and(|made| tree::name(made) == "tensor.pad");
    if !has_windows(own) || is_padded || !is_pointwise(own) {
        return;
    }
    let taps = &own.dimensions.k;
    for result in own.maps[0].results.iter_mut().filter(|result| result.terms.len() > 1) {
        result.terms.retain(|(d, _)| !taps.contains(d));
    }
}

/// Whether every window is one tap, and the next one is beside it.
fn is_pointwise(own: &Contraction<'_>) -> bool {
    let filter = extents(own.operands[1]);
    let taps =
        |d: usize| own.maps[1].results.iter().position(|result| result.dimension() == Some(d));
    let is_one = |d: usize| taps(d).is_some_and(|place| filter.get(place) == Some(&Some(1)));
    own.maps[0].results.iter().filter(|result| result.terms.len() > 1).all(|result| {
        let is_tap = |d: &usize| own.dimensions.k.contains(d);
        result.terms.iter().all(|(d, factor)| if is_tap(d) { is_one(*d) } else { *factor == 1 })
    })
}

/// A with its channels last, and where it is read: images, rows and columns are in front, as they are among themselves.
fn image<'c>(
    own: &Contraction<'c>,
    built: (&Builder<'c>, &mut NewOperations<'c>),
    reader: OperationRef<'c, 'c>,
) -> Built<Option<(Val<'c>, Vec<Linear>)>> {
    let map = &own.maps[0].results;
    let is_summed =
        |place: &usize| map[*place].dimension().is_some_and(|d| own.dimensions.k.contains(&d));
    let channels: Vec<usize> = (0..map.len()).filter(is_summed).collect();
    let &[channels] = channels.as_slice() else { return Ok(None) };
    if channels + 1 == map.len() {
        return Ok(None);
    }
    let others = (0..map.len()).filter(|&place| place != channels);
    let order: Vec<usize> = others.chain([channels]).collect();
    let a = reordered(built, own.operands[0], &order, reader)?;
    Ok(Some((a, permuted(map, &order))))
}

/// The im2col matrix, and where it is read: the loops of the result in its order, then those that are summed in B's.
fn matrix<'c>(
    own: &Contraction<'c>,
    (b, made): (&Builder<'c>, &mut NewOperations<'c>),
) -> Built<(Val<'c>, Vec<Linear>)> {
    let [a, filter, start] = &own.maps;
    let of_a =
        |d: &usize| a.results.iter().any(|result| result.terms.iter().any(|(own, _)| own == d));
    let (mut loops, mut to) = (Vec::new(), Vec::new());
    for (map, operand) in [(start, own.operands[2]), (filter, own.operands[1])] {
        let sizes = sizes(b, operand)?;
        let all = map.results.iter().enumerate();
        let own_loops = all.filter_map(|(place, result)| Some((place, result.dimension()?)));
        let mut places: Vec<(usize, usize)> =
            own_loops.filter(|(_, d)| of_a(d) && !loops.contains(d)).collect();
        places.sort_by_key(|(_, d)| !own.dimensions.batch.contains(d));
        for (place, d) in places {
            loops.push(d);
            to.push(sizes[place]);
        }
    }
    let inside = |d: usize| loops.iter().position(|&own| own == d).unwrap_or(d);
    let from = |result: &Linear| {
        let mut terms: Vec<(usize, i64)> =
            result.terms.iter().map(|&(d, factor)| (inside(d), factor)).collect();
        terms.sort_unstable();
        Linear { terms, constant: result.constant }
    };
    let from = a.results.iter().map(from).collect();
    let a = copy((b, made), (own.operands[0], from), &to)?;
    Ok((a, loops.into_iter().map(along).collect()))
}

/// A list in another order.
fn permuted<T: Clone>(all: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&place| all[place].clone()).collect()
}

/// A tensor whose dimensions are those of another in this order, before `reader`: the one that it was copied from in that order, the
/// copy that there is, or a new one. Padding stays around what is copied.
pub(super) fn reordered<'c>(
    (b, made): (&Builder<'c>, &mut NewOperations<'c>),
    tensor: Val<'c>,
    order: &[usize],
    reader: OperationRef<'c, 'c>,
) -> Built<Val<'c>> {
    if let Some(found) = known(tensor, order, reader) {
        return Ok(found);
    }
    let padding = tree::definition(tensor).filter(|made| tree::name(*made) == "tensor.pad");
    if let Some(padding) = padding.filter(|padding| padding.operand_count() == 1) {
        let inside = reordered((b, made), operand(padding, 0), order, reader)?;
        let padded = padded(b, padding, inside, order)?;
        made.push(padded);
        return Ok(first_result(padded));
    }
    let to = permuted(&sizes(b, tensor)?, order);
    copy((b, made), through(tensor, at(order)), &to)
}

/// A tensor that has the dimensions of another in this order already: the one that it was copied from, or another copy.
pub(super) fn known<'c>(
    tensor: Val<'c>,
    order: &[usize],
    reader: OperationRef<'c, 'c>,
) -> Option<Val<'c>> {
    let (source, from) = through(tensor, at(order));
    if from == identity(order.len()) {
        return Some(source);
    }
    let is_alike = |user: &OperationRef<'c, 'c>| {
        is_copy(*user)
            && operand(*user, 0) == source
            && indexing_maps(*user).is_some_and(|maps| {
                maps[0].results == from && maps[1].results == identity(order.len())
            })
            && tree::comes_before(*user, reader)
    };
    tree::users_of(source).find(is_alike).map(first_result)
}

/// The coordinates at which a tensor is read in another order.
fn at(order: &[usize]) -> Vec<Linear> {
    let back = |place: usize| order.iter().position(|&own| own == place).unwrap_or(place);
    (0..order.len()).map(|place| along(back(place))).collect()
}

/// A value whose dimensions were those of `like` in this order, as it was.
pub(super) fn put_back<'c>(
    built: (&Builder<'c>, &mut NewOperations<'c>),
    (value, like): (Val<'c>, Val<'c>),
    order: &[usize],
) -> Built<Val<'c>> {
    let to = sizes(built.0, like)?;
    copy(built, (value, order.iter().map(|&place| along(place)).collect()), &to)
}

/// The source of a tensor that was copied or broadcast, and where that is read for the tensor at these coordinates; else the tensor itself.
pub(super) fn through(tensor: Val<'_>, at: Vec<Linear>) -> (Val<'_>, Vec<Linear>) {
    // A fill copies a number.
    let is_moved = |made: &OperationRef<'_, '_>| {
        is_copy(*made) && reshape::ranked(operand(*made, 0).r#type()).is_some()
    };
    let source = tree::definition(tensor).filter(is_moved).and_then(|made| {
        let maps = indexing_maps(made)?;
        let [from, to] = maps.as_slice() else { return None };
        let loops: Vec<usize> = to.results.iter().map(Linear::dimension).collect::<Option<_>>()?;
        let dimension = |d: usize| at[loops.iter().position(|&own| own == d)?].dimension();
        let one = |result: &Linear| match result.terms.as_slice() {
            [] => Some(result.clone()),
            _ => Some(along(dimension(result.dimension()?)?)),
        };
        let from = from.results.iter().map(one).collect::<Option<_>>()?;
        Some((operand(made, 0), from))
    });
    source.unwrap_or((tensor, at))
}

/// The elements of a tensor, read at these coordinates, in one of these sizes.
fn copy<'c>(
    (b, made): (&Builder<'c>, &mut NewOperations<'c>),
    source: (Val<'c>, Vec<Linear>),
    to: &[Size<'c>],
) -> Built<Val<'c>> {
    let held = (empty(b, to, element(source.0)?)?, identity(to.len()));
    let copied = one(b, to.len(), &[source], held, |_, values| Ok(values[0]))?;
    made.extend(tree::definition(copied));
    Ok(copied)
}

/// The padding of a tensor around the same in another order.
fn padded<'c>(
    b: &Builder<'c>,
    padding: OperationRef<'c, 'c>,
    inside: Val<'c>,
    order: &[usize],
) -> Built<OperationRef<'c, 'c>> {
    let extents = permuted(&extents(first_result(padding)), order);
    let r#type = reshape::tensor(b, &extents, element(inside)?)?;
    let side = |name: &'static str| -> Result<(&'static str, Attribute<'c>), melior::Error> {
        let all = DenseI64ArrayAttribute::try_from(padding.attribute(name)?)?;
        let all: Vec<i64> = (0..all.len()).map(|i| all.element(i)).collect::<Result<_, _>>()?;
        let all = permuted(&all, order);
        Ok((name, DenseI64ArrayAttribute::new(b.context(), &all).into()))
    };
    let segments = reshape::parsed(b, "array<i32: 1, 0, 0>")?;
    let attributes = [side("static_low")?, side("static_high")?, ("operandSegmentSizes", segments)];
    Ok(b.operation("tensor.pad", &[inside], &[r#type], &attributes, vec![copied(b, padding)?])?)
}
