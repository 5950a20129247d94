//! Coordinate layouts: strides that are scaled basis elements.
//!
//! `1@0` steps by one in mode 0 of a coordinate, `4@1` by four in mode 1, and `2@1@0` by two in mode
//! 1 of mode 0: the outermost mode is written last, as in CuTe. A layout with such strides maps
//! coordinates to coordinates, and all that divides and composes does so in the same way: this is
//! how coordinates of a tensor follow a tile through every partition, for predicates and for copies
//! that take coordinates. Source: CuTe's document "TMA tensors".

mod units;

use crate::layout::prelude::*;
use crate::{
    integer::substitute::closes,
    layout::{composition::composition_within, evaluate::Budget, pair_text},
    tuple::list,
};
use alloc::sync::Arc;
use core::{fmt::Write, slice};
pub use units::{has_units, steps_of, with_units};

/// `scale@path`: an integer multiple of a basis element. Without a path, an integer, which must be 0
/// beside others: a mode that does not move.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Basis<L = i64> {
    /// The multiple.
    pub scale: L,
    /// The mode, the mode in it, and so on: outermost first.
    pub path: Vec<usize>,
}

impl<L: Leaf> fmt::Display for Basis<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spell(f, &mut |scale: &L, f| write!(f, "{scale}"))
    }
}

impl<L> From<L> for Basis<L> {
    /// An integer, which is no basis element.
    fn from(scale: L) -> Self {
        Self { scale, path: Vec::new() }
    }
}

/// A layout whose strides are basis elements: it maps coordinates to coordinates.
///
/// ```
/// use layout_algebra::{Tiler, Tuple};
/// let identity = "(10,(4,6))".parse::<Tuple>()?.make_identity_layout()?;
/// assert_eq!(identity.to_string(), "(10,(4,6)):(1@0,(1@0@1,1@1@1))");
/// let tiles = identity.zipped_divide(&Tiler::from_shape(&"(4,4)".parse()?)?)?;
/// assert_eq!(tiles.to_string(), "((4,4),(3,6)):((1@0,1@0@1),(4@0,1@1@1))");
/// // The last tile reaches past the tensor: row 11 of 10.
/// assert_eq!(tiles.crd2crd(&"((3,0),(2,1))".parse()?)?.to_string(), "(11,(0,1))");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
///
/// Extents and multiples may be expressions:
///
/// ```
/// use layout_algebra::answer;
/// let identity = "make_identity_layout((M{range=1..},N{range=1..}))";
/// assert_eq!(answer(identity), "(M,N):(1@0,1@1)");
/// let tiles = format!("zipped_divide({identity}, (128,64))");
/// assert_eq!(answer(&tiles), "((128,64),(ceil_div(M,128),ceil_div(N,64))):((1@0,1@1),(128@0,64@1))");
/// assert_eq!(answer(&format!("crd2idx(((i,j),(m,n)), {tiles})")), "(i+128*m,j+64*n)");
/// ```
pub type BasisLayout<L = i64> = Layout<L, Basis<L>>;

impl<L: Leaf> Nested<L> {
    /// The layout that maps each coordinate of a shape to itself.
    pub fn make_identity_layout_under(&self, facts: &L::Facts) -> Result<BasisLayout<L>, L::Error> {
        let mut paths = self.paths().into_iter();
        let units =
            self.map(&mut |_| Basis { scale: L::from(1), path: paths.next().unwrap_or_default() });
        BasisLayout::under(facts, self.clone(), units)
    }
}

/// Checks that a stride by itself takes each part of a coordinate for an integer or for a tuple.
pub(crate) fn check_steps<L: Leaf>(stride: &Nested<Basis<L>>) -> Result<()> {
    codomain(stride, &|| stride.to_string()).map(|_| ())
}

/// Whether no element of a stride is a basis element.
pub(crate) fn is_plain<L>(stride: &Nested<Basis<L>>) -> bool {
    stride.values().into_iter().all(|basis| basis.path.is_empty())
}

impl<L: Leaf> Stride<L> for Basis<L> {
    /// The nesting of the coordinates: zeros.
    type Codomain = Arc<Tuple>;
    type Offset = Nested<L>;

    fn still() -> Self {
        L::from(0).into()
    }

    fn scale(&self) -> &L {
        &self.scale
    }

    fn multiple(&self, by: &L) -> Result<Self, L::Lost> {
        let scale = self.scale.times(by)?;
        Ok(if scale.is(0) { Self::still() } else { Self { scale, path: self.path.clone() } })
    }

    fn goes_on(before: &L, step: &Self, stride: &Self) -> Result<bool, L::Lost> {
        Ok(step.path == stride.path && L::continues(before, &step.scale, &stride.scale)?)
    }

    fn differ(facts: &L::Facts, a: &Self, b: &Self) -> L::Answer {
        if a.path == b.path {
            return L::distinct(facts, &a.scale, &b.scale);
        }
        // Multiples of two elements are the same only where both are 0.
        let moves = L::distinct(facts, &b.scale, &L::from(0));
        if moves.is_yes() { moves } else { L::distinct(facts, &a.scale, &L::from(0)) }
    }

    fn spell<W: Write + ?Sized>(
        &self,
        f: &mut W,
        leaf: &mut impl FnMut(&L, &mut W) -> fmt::Result,
    ) -> fmt::Result {
        match !self.path.is_empty() && self.scale.is_sum() {
            true => list(f, ["(", "", ")"], slice::from_ref(&self.scale), leaf)?,
            false => leaf(&self.scale, f)?,
        }
        self.path.iter().rev().try_for_each(|mode| write!(f, "@{mode}"))
    }

    fn codomain(shape: &Nested<L>, stride: &Nested<Self>) -> Result<Arc<Tuple>, L::Error> {
        if !shape.congruent(stride) {
            let expected = format!("a stride congruent to the shape {shape}");
            return Err(Error::operand("layout", expected, stride).into());
        }
        Ok(Arc::new(codomain(stride, &|| pair_text(shape, stride))?))
    }

    fn settled(stride: Nested<Self>) -> Nested<Self> {
        // As they are read, where they are integers.
        if L::OPEN { still_where_0(&stride) } else { stride }
    }

    fn common(modes: &[BasisLayout<L>]) -> Result<Arc<Tuple>, L::Error> {
        let zero = modes.first().map_or_else(|| Arc::new(Nested::Leaf(0)), |mode| mode.shared());
        match modes.iter().find(|mode| *mode.codomain() != zero) {
            None => Ok(zero),
            Some(other) => Err(Error::operand(
                "make_layout",
                format!("coordinate layouts that nest like {zero}"),
                format!("{other}, into {}", other.codomain()),
            )
            .into()),
        }
    }

    fn as_plain(_: &BasisLayout<L>) -> Option<&Layout<L>> {
        None
    }

    fn of_plain(layout: Layout<L>) -> BasisLayout<L> {
        lifted(&layout)
    }

    fn origin(zero: &Arc<Tuple>) -> Nested<L> {
        zeros(zero)
    }

    fn place(
        facts: &L::Facts,
        zero: &Arc<Tuple>,
        shape: &Nested<L>,
        stride: &Nested<Self>,
        index: &L,
    ) -> Result<Nested<L>, L::Error> {
        let site = Site { operation: "at", operands: &|| format!("{shape}, {index}") };
        let digits = L::digits(facts, &site, index, shape)?;
        let mut coord: Nested<L> = zeros(zero);
        for (digit, step) in digits.iter().zip(stride.values()) {
            let lost = |lost| L::lost(lost, "crd2idx", pair_text(shape, stride));
            let by = digit.times(&step.scale).map_err(lost)?;
            // An integer stride beside others is 0, and moves nothing.
            if let Some(value) = coord.value_mut(&step.path) {
                *value = value.plus(&by).map_err(lost)?;
            }
        }
        Ok(coord)
    }

    fn add(sum: &mut Nested<L>, part: Nested<L>) -> Result<(), L::Lost> {
        match (sum, part) {
            (Nested::Leaf(sum), Nested::Leaf(part)) => *sum = sum.plus(&part)?,
            (Nested::Node(sums), Nested::Node(parts)) => {
                for (sum, part) in sums.iter_mut().zip(parts) {
                    Self::add(sum, part)?;
                }
            }
            // Coordinates of one codomain nest alike.
            _ => {}
        }
        Ok(())
    }

    fn refutes(error: &L::Error) -> bool {
        !L::is_open(error)
    }

    fn compose_closed(
        _: &BasisLayout<L>,
        _: &[(L, Self)],
        _: &Layout<L>,
    ) -> Option<Result<BasisLayout<L>, L::Error>> {
        None
    }

    /// Steps in different modes of a coordinate never add up to one stride. So the values decide over integers in which
    /// each mode has digits of its own; a stride that moves several modes is none.
    fn by_values(
        facts: &L::Facts,
        site: &Site<'_>,
        (a, b): (&BasisLayout<L>, &Layout<L>),
        radix: &[(L, Self)],
        answers: Vec<L::Answer>,
        budget: &mut Budget,
    ) -> Result<BasisLayout<L>, L::Error> {
        let places = Places::of(radix, b);
        let encoded = places.as_ref().map(|places| {
            let encoded = radix.iter().map(|(n, step)| Ok((n.clone(), places.encoded(step)?)));
            encoded.collect::<Result<Vec<_>, L::Lost>>()
        });
        if let (Some(places), Some(Ok(modes))) = (&places, encoded) {
            match composition_within(facts, &Layout::of_leaves(&modes)?, b, budget) {
                Ok(answer) => {
                    let decoded = |scale: &L| places.decoded(scale).ok_or(());
                    if let Ok(stride) = answer.stride().try_map(&mut |scale| decoded(scale)) {
                        return Ok(answer.restrided(a.shared(), stride));
                    }
                }
                // The scales have a part in the answer.
                Err(error) if modes.iter().any(|(_, scale)| scale.constant().is_none()) => {
                    return Err(error);
                }
                Err(_) => {}
            }
        }
        let refused = || {
            let expected = "a right operand that divides the modes on the left, without a carry";
            Error::condition("composition", format!("{a}, {b}"), expected, b)
        };
        let is_known = |leaf: &L| leaf.constant().is_some();
        let decided = radix.iter().all(|(extent, _)| is_known(extent))
            && b.leaves().iter().all(|(extent, stride)| is_known(extent) && is_known(stride));
        Err(if decided { refused().into() } else { L::unmet(site, answers, refused) })
    }
}

/// The place of each mode of a coordinate in an integer that has all of them as digits.
struct Places<'r> {
    /// The modes that move, from the lowest digit.
    paths: Vec<&'r [usize]>,
    /// One more than twice the greatest digit, of either sign.
    base: i64,
}

impl<'r> Places<'r> {
    /// Places that hold all that the offsets of `b` reach through the digits `radix`; one mode needs none, and of several
    /// all must be known.
    fn of<L: Leaf>(radix: &'r [(L, Basis<L>)], b: &Layout<L>) -> Option<Self> {
        let mut paths: Vec<&[usize]> = Vec::new();
        for (_, step) in radix.iter().filter(|(_, step)| !step.scale.is(0)) {
            if !paths.contains(&step.path.as_slice()) {
                paths.push(&step.path);
            }
        }
        if paths.len() < 2 {
            return (paths.len() == 1).then_some(Self { paths, base: i64::MAX });
        }
        let mut reach = 0_i64;
        for (extent, stride) in b.leaves() {
            let steps = extent.constant()?.checked_sub(1)?;
            reach = reach.checked_add(steps.checked_mul(stride.constant()?.checked_abs()?)?)?;
        }
        // No digit is greater than the index, and none of their differences than twice that.
        let greatest = radix.iter().try_fold(0_i64, |sum, (_, step)| {
            sum.checked_add(step.scale.constant()?.checked_abs()?.checked_mul(reach)?)
        })?;
        let base = greatest.checked_mul(4)?.checked_add(1)?;
        let places = u32::try_from(paths.len()).ok()?;
        base.checked_pow(places).map(|_| Self { paths, base })
    }

    fn encoded<L: Leaf>(&self, step: &Basis<L>) -> Result<L, L::Lost> {
        let place = self.paths.iter().position(|path| *path == step.path).unwrap_or(0);
        (0..place).try_fold(step.scale.clone(), |scale, _| scale.scaled(self.base))
    }

    /// The step of an integer that has one digit. None of one that has several.
    fn decoded<L: Leaf>(&self, scale: &L) -> Option<Basis<L>> {
        let (mut scale, mut place) = (scale.clone(), 0);
        if scale.is(0) {
            return Some(Basis::still());
        }
        while place + 1 < self.paths.len()
            && let Some(known) = scale.constant()
            && known % self.base == 0
        {
            scale = L::from(known / self.base);
            place += 1;
        }
        let single = self.paths.len() == 1 || scale.constant()?.checked_abs()? <= self.base / 2;
        single.then(|| Basis { scale, path: self.paths[place].to_vec() })
    }
}

/// A layout of integer strides as one into coordinates: strides beside which basis elements may be.
pub(crate) fn lifted<L: Leaf>(layout: &Layout<L>) -> BasisLayout<L> {
    let stride = layout.stride().map(&mut |scale| scale.clone().into());
    layout.restrided(Arc::new(Nested::Leaf(0)), stride)
}

/// A stride in which 0 is no multiple of any element.
fn still_where_0<L: Leaf>(stride: &Nested<Basis<L>>) -> Nested<Basis<L>> {
    stride.map(&mut |step| if step.scale.is(0) { Basis::still() } else { step.clone() })
}

fn zeros<L: Leaf>(zero: &Tuple) -> Nested<L> {
    zero.map(&mut |_| L::from(0))
}

impl<L: Leaf> BasisLayout<L> {
    /// A coordinate layout beside modes of which any layout may be put: it maps as its bases define
    /// when it is [settled](BasisLayout::settled).
    pub(crate) fn unsettled(self) -> Self {
        self.restrided(Arc::new(Nested::Leaf(0)), self.stride().clone())
    }

    /// The layout into the coordinates that its own strides name; a plain one where they name none.
    ///
    /// # Errors
    ///
    /// Strides that take one part of a coordinate for an integer and for a tuple.
    pub(crate) fn settled(&self) -> Result<core::result::Result<Self, Layout<L>>, L::Error> {
        let stride = still_where_0(self.stride());
        if is_plain(&stride) {
            let stride = stride.map(&mut |step| step.scale.clone());
            return Ok(Err(self.restrided((), stride)));
        }
        let codomain = <Basis<L> as Stride<L>>::codomain(self.shape(), &stride)?;
        Ok(Ok(self.restrided(codomain, stride)))
    }

    /// The one layout of fewest flat modes that is the same function: multiples by 0 name no element.
    pub(crate) fn coalesced_steps(&self) -> Result<Self, L::Error> {
        self.restrided(self.shared(), still_where_0(self.stride())).coalesce()
    }

    /// The nesting of the coordinates: zeros.
    pub fn zero(&self) -> &Tuple {
        self.codomain()
    }

    pub(crate) fn shared(&self) -> Arc<Tuple> {
        Arc::clone(self.codomain())
    }

    /// For each part of a coordinate, in order, its path and the layout into it alone.
    pub fn components(&self) -> Vec<(Vec<usize>, Layout<L>)> {
        let component = |path: Vec<usize>| {
            let stride = self.stride().map(&mut |step| match step.path == path {
                true => step.scale.clone(),
                false => L::from(0),
            });
            (path, self.restrided((), stride))
        };
        self.zero().paths().into_iter().map(component).collect()
    }

    /// The least shape that holds every coordinate that is reached, under facts.
    pub fn coshape_under(&self, facts: &L::Facts) -> Result<Nested<L>, L::Error> {
        let mut parts = self.components().into_iter();
        self.zero().try_map(&mut |_| match parts.next() {
            Some((_, part)) => part.cosize_under(facts),
            None => Ok(L::from(1)),
        })
    }

    /// The layout of the same nesting with other leaves.
    pub(crate) fn map_leaves<M: Leaf, E: From<M::Unsized>>(
        &self,
        f: &mut impl FnMut(&L) -> Result<M, E>,
    ) -> Result<BasisLayout<M>, E> {
        let (shape, stride) = (self.shape().try_map(f)?, map_steps(self.stride(), f)?);
        let size = M::measure(&shape)?;
        Ok(Layout::within(self.shared(), shape, stride, size))
    }
}

/// A stride with each multiple mapped.
pub(crate) fn map_steps<L, M, E>(
    steps: &Nested<Basis<L>>,
    f: &mut impl FnMut(&L) -> Result<M, E>,
) -> Result<Nested<Basis<M>>, E> {
    steps.try_map(&mut |Basis { scale, path }| Ok(Basis { scale: f(scale)?, path: path.clone() }))
}

closes!(BasisLayout<Expr> => BasisLayout, |layout, leaf| layout.map_leaves(leaf));

impl BasisLayout {
    /// The least shape that holds every coordinate that is reached.
    pub fn coshape(&self) -> Result<Tuple> {
        self.coshape_under(&())
    }

    /// Where a coordinate, or an index in place of any tuple, is mapped.
    ///
    /// # Errors
    ///
    /// A coordinate that does not fit; overflow.
    pub fn crd2crd(&self, coord: &Tuple) -> Result<Tuple> {
        self.crd2idx_under(&(), coord)
    }
}

/// Zeros that nest like the coordinates that strides step through.
/// Where strides do not agree on them, the error has the found text.
pub(crate) fn codomain<L: Leaf>(
    stride: &Nested<Basis<L>>,
    found: &dyn Fn() -> String,
) -> Result<Tuple> {
    /// The most modes that one mode of a coordinate may have.
    const MAX_MODES: usize = 64;
    /// Stands for a part of a coordinate that no stride has named yet.
    const UNNAMED: Tuple = Nested::Leaf(i64::MIN);
    fn grow(zero: Option<Tuple>, path: &[usize]) -> Option<Tuple> {
        let Some((&mode, path)) = path.split_first() else {
            return match zero {
                None | Some(Nested::Leaf(_)) => Some(Nested::Leaf(0)),
                Some(Nested::Node(_)) => None,
            };
        };
        let mut entries = match zero {
            None => Vec::new(),
            Some(Nested::Leaf(_)) => return None,
            Some(Nested::Node(entries)) => entries,
        };
        // A part that no stride names is an integer until one does.
        let known = entries.get(mode).cloned().filter(|entry| *entry != UNNAMED);
        while entries.len() <= mode {
            entries.push(UNNAMED);
        }
        entries[mode] = grow(known, path)?;
        Some(Nested::Node(entries))
    }
    let mut zero = None;
    for Basis { scale, path } in stride.values() {
        if path.is_empty() && scale.is(0) {
            continue;
        }
        let bounded =
            path.len() <= crate::cursor::DEPTH_LIMIT && path.iter().all(|&mode| mode < MAX_MODES);
        zero = if bounded { grow(zero.take(), path) } else { None };
        if zero.is_none() {
            return Err(Error::operand(
                "layout",
                format!(
                    "strides that take each part of a coordinate for an integer or for a tuple of at \
                     most {MAX_MODES} modes"
                ),
                found(),
            ));
        }
    }
    Ok(zero.unwrap_or(Nested::Leaf(0)).map(&mut |_| 0))
}

closed! { Tuple {
    make_identity_layout = make_identity_layout_under() -> BasisLayout;
} }
