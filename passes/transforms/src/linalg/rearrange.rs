//! Convolutions that no matmul reads as they lie: elements of A are moved first, and those of the result behind.
//!
//! ```text
//! %y = linalg.conv_2d_nchw_fchw %x, %w      ->   %a = linalg.generic …    (n, c, h, w) -> (n, h, w, c)
//!                                                %s = linalg.generic …    the convolution, of a result (n, p, q, f)
//!                                                %y = linalg.generic …    (n, p, q, f) -> (n, f, p, q)
//! ```
//!
//! A becomes an image with its channels last where the copy engine computes the im2col matrix of that, else the im2col matrix itself.
//! Moves are kernels of rows, which compute what is elementwise around them, too.

use super::{
    contraction::Contraction,
    convolution::Image,
    loops::{
        Built, Size, along, element, empty, extents, fill, identity, inlined, is_copy, one, sizes,
    },
};
use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, operation::OperationLike};

/// What A is moved to.
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

    /// What it is, for a remark.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Image => "an image with its channels last",
            Self::Matrix => "its im2col matrix",
        }
    }
}

/// A that is yet to be moved.
struct Moved<'c> {
    /// Where each element is read, by the dimensions of what it is moved to.
    from: Vec<Linear>,
    sizes: Vec<Size<'c>>,
    /// Where the convolution reads what it was moved to.
    read: Vec<Linear>,
}

/// The same convolution of a moved operand, and a result that it replaces.
pub(super) struct Rearranged<'c> {
    /// The convolution.
    pub(super) convolution: OperationRef<'c, 'c>,
    old: OperationRef<'c, 'c>,
    result: Val<'c>,
    /// What was built, in order.
    made: Vec<OperationRef<'c, 'c>>,
}

impl<'c> Rearranged<'c> {
    /// Builds the convolution of a moved operand beside one that windows are read by; none where there is none, or a matmul would read
    /// it as the one before.
    pub(super) fn of(old: OperationRef<'c, 'c>, target: Target, chip: &str) -> Built<Option<Self>> {
        let Ok(own) = Contraction::read(old) else { return Ok(None) };
        let has_windows = own.maps[0].results.iter().any(|result| result.terms.len() > 1);
        if old.result_count() != 1 || !has_windows {
            return Ok(None);
        }
        let b = Builder::before(old).with_location(old.location());
        let moved = match target {
            Target::Image => image(&own, &b)?,
            Target::Matrix => Some(matrix(&own, &b)?),
        };
        let Some(Moved { from, sizes: to, read }) = moved else { return Ok(None) };
        let [a, filter, start] = own.operands;
        let mut made = Vec::new();
        let held = empty(&b, &to, element(a)?)?;
        let a = copy(&b, &mut made, (a, from), held)?;

        // The result's dimensions: those of a batch, of A, and of B, each as they were among themselves.
        let map = &own.maps[2].results;
        let kind = |place: &usize| {
            let d = map[*place].dimension();
            let is_of = |loops: &Vec<usize>| d.is_some_and(|d| loops.contains(&d));
            if is_of(&own.dimensions.batch) { 0 } else { 1 + usize::from(is_of(&own.dimensions.n)) }
        };
        let mut order: Vec<usize> = (0..map.len()).collect();
        order.sort_by_key(kind);
        let back = |place: usize| order.iter().position(|&own| own == place).unwrap_or(place);
        let turned: Vec<Linear> = (0..map.len()).map(|place| along(back(place))).collect();
        let is_turned = !order.is_sorted();
        let mut held = start;
        if is_turned {
            let old = sizes(&b, start)?;
            let of: Vec<Size<'c>> = order.iter().map(|&place| old[place]).collect();
            held = empty(&b, &of, element(start)?)?;
            let filled = tree::definition(start).filter(|made| tree::name(*made) == "linalg.fill");
            held = match filled {
                Some(old) => {
                    let filled = fill(&b, operand(old, 0), held)?;
                    made.extend(tree::definition(filled));
                    filled
                }
                None => copy(&b, &mut made, through(start, turned), held)?,
            };
        }
        let map: Vec<Linear> = order.iter().map(|&place| map[place].clone()).collect();
        let body = tree::entry(old).ok_or(melior::Error::OperationBuild)?;
        let inputs = [(a, read), (filter, own.maps[1].results.clone())];
        let adds = |b: &Builder<'c>, values: &[Val<'c>]| inlined(b, body, values);
        let count = own.maps[0].dimensions;
        let convolved = one(&b, count, &inputs, (held, map), adds)?;
        let convolution = tree::definition(convolved).ok_or(melior::Error::OperationBuild)?;
        made.push(convolution);
        let is_image = || {
            let read = Contraction::read(convolution);
            read.is_ok_and(|mut read| Image::of(&mut read, chip).is_some())
        };
        let mut own = Self { convolution, old, result: convolved, made };
        if matches!(target, Target::Image) && !is_image() {
            own.erase();
            return Ok(None);
        }
        if is_turned {
            let to = sizes(&b, start)?;
            let there = order.iter().map(|&place| along(place)).collect();
            let held = empty(&b, &to, element(convolved)?)?;
            own.result = copy(&b, &mut own.made, (convolved, there), held)?;
        }
        Ok(Some(own))
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

/// What a tensor that is read at these coordinates was copied or broadcast from, and where that is read.
fn through(tensor: Val<'_>, at: Vec<Linear>) -> (Val<'_>, Vec<Linear>) {
    let source = tree::definition(tensor).filter(|made| is_copy(*made)).and_then(|made| {
        let maps = indexing_maps(made)?;
        let [from, to] = maps.as_slice() else { return None };
        let loops: Vec<usize> = to.results.iter().map(Linear::dimension).collect::<Option<_>>()?;
        let dimension = |d: usize| at[loops.iter().position(|&own| own == d)?].dimension();
        let one = |result: &Linear| Some(along(dimension(result.dimension()?)?));
        let from = from.results.iter().map(one).collect::<Option<_>>()?;
        Some((operand(made, 0), from))
    });
    source.unwrap_or((tensor, at))
}

/// The elements of a tensor, read at these coordinates, in another one.
fn copy<'c>(
    b: &Builder<'c>,
    made: &mut Vec<OperationRef<'c, 'c>>,
    source: (Val<'c>, Vec<Linear>),
    held: Val<'c>,
) -> Built<Val<'c>> {
    let rank = extents(held).len();
    let held = (held, identity(rank));
    let copied = one(b, rank, &[source], held, |_, values| Ok(values[0]))?;
    made.extend(tree::definition(copied));
    Ok(copied)
}

/// A with its channels last: images, rows and columns in front, as they are among themselves.
fn image<'c>(own: &Contraction<'c>, b: &Builder<'c>) -> Built<Option<Moved<'c>>> {
    let map = &own.maps[0].results;
    let is_channels =
        |place: &usize| map[*place].dimension().is_some_and(|d| own.dimensions.k.contains(&d));
    let channels: Vec<usize> = (0..map.len()).filter(is_channels).collect();
    let &[channels] = channels.as_slice() else { return Ok(None) };
    if channels + 1 == map.len() {
        return Ok(None);
    }
    let order: Vec<usize> =
        (0..map.len()).filter(|&place| place != channels).chain([channels]).collect();
    let all = sizes(b, own.operands[0])?;
    let back = |place: usize| order.iter().position(|&own| own == place).unwrap_or(place);
    Ok(Some(Moved {
        from: (0..map.len()).map(|place| along(back(place))).collect(),
        sizes: order.iter().map(|&place| all[place]).collect(),
        read: order.iter().map(|&place| map[place].clone()).collect(),
    }))
}

/// The im2col matrix: the loops of the result in its order, then those that are summed in B's.
fn matrix<'c>(own: &Contraction<'c>, b: &Builder<'c>) -> Built<Moved<'c>> {
    let [a, filter, start] = &own.maps;
    let of_a =
        |d: &usize| a.results.iter().any(|result| result.terms.iter().any(|(own, _)| own == d));
    let all = [(start, own.operands[2]), (filter, own.operands[1])];
    let (mut loops, mut to) = (Vec::new(), Vec::new());
    let batch = |d: usize| !own.dimensions.batch.contains(&d);
    for (map, operand) in all {
        let sizes = sizes(b, operand)?;
        let mut places: Vec<(usize, usize)> = (map.results.iter().enumerate())
            .filter_map(|(place, result)| Some((place, result.dimension()?)))
            .filter(|(_, d)| of_a(d) && !loops.contains(d))
            .collect();
        places.sort_by_key(|&(_, d)| batch(d));
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
    Ok(Moved { from, sizes: to, read: loops.iter().map(|&d| along(d)).collect() })
}
