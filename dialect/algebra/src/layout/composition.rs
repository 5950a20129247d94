//! Composition: `A o B` is the layout with `(A o B)(c) = A(B(c))` for every coordinate of `B`.
//!
//! CuTe's rule takes each leaf `s:d` of `B` through the modes of `A` by dividing. It is right where
//! every division is exact (strong divisibility) and the leaves of `B` never add up to a carry in
//! the radix of `A`'s shape. Elsewhere it may return another function without a word
//! (cutlass#2955, #3177), or give up although a layout exists. Here the rule is used where it is
//! right, so that the text is CuTe's; otherwise the values decide: each leaf's offsets are turned
//! into the layout of least rank, and the sum of the leaves is compared at every coordinate.
//!
//! For expressions, each step must be known to be right under every assignment:
//!
//! | what is known of digit `n:f` | what a leaf `s:d` becomes there |
//! |---|---|
//! | `(s-1)*d <= room` | `s:d*f`, and nothing is left |
//! | `d` divides `n`, `n/d` divides `s` | `n/d:d*f`; `s/(n/d):1` continues |
//! | `n` divides `d` | nothing; `s:d/n` continues |
//!
//! `room` is `n-1` less what other leaves of `B` have put into the digit already, and never falls
//! below 0: no sum carries. The last digit is unbounded and takes what is left; its extent is of no
//! account. Where none of the rows is known, the error names a fact that decides one.

use crate::layout::prelude::*;
use crate::{
    integer::Integer,
    layout::{
        evaluate::Budget,
        modal::{TrailingModes, by_mode},
        modes::coalesce_into,
        tiler::Tiler,
    },
};
use smallvec::SmallVec;

impl<L: Leaf, S: Stride<L>> Layout<L, S> {
    /// `A o B`.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// let layout = |text: &str| text.parse::<Layout>();
    /// let r = layout("(6,2):(8,2)")?.composition(&layout("(4,3):(3,1)")?)?;
    /// assert_eq!(r.to_string(), "((2,2),3):((24,2),8)");
    /// // No division is exact here, and yet a layout exists.
    /// assert_eq!(layout("(5,6):(24,15)")?.composition(&layout("3:6")?)?.to_string(), "3:39");
    /// // Here none does: at coordinate 5 the offset is 8.
    /// assert!(layout("(6,2):(1,7)")?.composition(&layout("(3,2):(2,3)")?).is_err());
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn composition_under(
        &self,
        facts: &L::Facts,
        b: &Layout<L>,
    ) -> Result<Layout<L, S>, L::Error> {
        composition_within(facts, self, b, &mut Budget::new())
    }

    /// [`Layout::composition`] by mode: each entry of a tuple with its mode. `_` keeps a mode; modes past the
    /// tuple are dropped, as in CuTe.
    ///
    /// # Errors
    ///
    /// As [`Layout::composition`]; a tuple longer than the layout's rank. Under facts: a tuple longer than the
    /// layout's rank.
    ///
    /// ```
    /// # use layout_algebra::answer;
    /// assert_eq!(answer("composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)"), "(3,(2,4)):(236,(26,1))");
    /// assert_eq!(answer("composition((4,8):(8,1), <_, 4:2>)"), "(4,4):(8,2)");
    /// ```
    pub fn composition_tiler_under(
        &self,
        facts: &L::Facts,
        tiler: &TilerOf<Layout<L>>,
    ) -> Result<Layout<L, S>, L::Error> {
        let mut budget = Budget::new();
        by_mode("composition", TrailingModes::Dropped, self, tiler, &mut |mode, b| {
            composition_within(facts, mode, b, &mut budget)
        })
    }
}

/// [`Layout::composition_under`] as one of several in an operation, which share a budget.
pub(crate) fn composition_within<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    a: &Layout<L, S>,
    b: &Layout<L>,
    budget: &mut Budget,
) -> Result<Layout<L, S>, L::Error> {
    let mut radix = Modes::new();
    coalesce_into::<true, L, S>(a, &mut radix)?;
    if let Some(answer) = S::compose_closed(a, &radix, b) {
        return answer;
    }
    let site = Site { operation: "composition", operands: &|| format!("{a}, {b}") };
    if L::OPEN {
        L::few(&site, radix.len())?;
        L::few(&site, b.shape().leaf_count())?;
    }
    match closed_form(facts, &radix, b) {
        Ok((shape, stride)) => {
            Ok(Layout::within(a.codomain().clone(), shape, stride, b.measured().clone()))
        }
        Err(NoClosedForm::Open(answers)) => {
            S::by_values(facts, &site, (a, b), &radix, answers, budget)
        }
        Err(NoClosedForm::Lost(lost)) => {
            Err(L::lost(lost, site.operation, format_args!("({a}, {b})")))
        }
    }
}

/// [`composition_within`] of the layout whose modes are `tile` and `rest`, which is made only where
/// the values decide.
pub(crate) fn composition_of_two<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    a: &Layout<L, S>,
    [tile, rest]: [&Layout<L>; 2],
    budget: &mut Budget,
) -> Result<Layout<L, S>, L::Error> {
    if !L::OPEN {
        let mut radix = Modes::new();
        coalesce_into::<true, L, S>(a, &mut radix)?;
        if let Some(size) = L::size_of_modes([tile.measured(), rest.measured()].into_iter())
            && let Some(mut walk) = radix.split_last().map(|digits| Walk::new(facts, digits))
            && let Ok(()) = walk.start(&[tile, rest])
            && let Ok((tile_shape, tile_stride)) = walk.nested(tile.shape(), tile.stride())
            && let Ok((rest_shape, rest_stride)) = walk.nested(rest.shape(), rest.stride())
        {
            let shape = Nested::Node(vec![tile_shape, rest_shape]);
            let stride = Nested::Node(vec![tile_stride, rest_stride]);
            return Ok(Layout::within(a.codomain().clone(), shape, stride, size));
        }
    }
    composition_within(facts, a, &Layout::of_two([tile.clone(), rest.clone()])?, budget)
}

/// Why a composition has no closed form.
pub enum NoClosedForm<L: Integer> {
    /// A division is not known to be exact, or digits may carry: any of these answers would have been
    /// enough. The values may decide.
    Open(Vec<L::Answer>),
    /// Arithmetic has no result.
    Lost(L::Lost),
}

/// CuTe's rule, where it is right: the composition as shape and stride.
pub(crate) fn closed_form<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    radix: &[(L, S)],
    b: &Layout<L>,
) -> Result<(Nested<L>, Nested<S>), NoClosedForm<L>> {
    // A layout of rank 0 is 0 everywhere.
    let none = (L::from(1), S::still());
    let mut walk = Walk::new(facts, radix.split_last().unwrap_or((&none, &[])));
    walk.start(&[b])?;
    walk.nested(b.shape(), b.stride())
}

/// The leaves of a right operand that pass through the digits of a left one.
struct Walk<'w, L: Leaf, S> {
    facts: &'w L::Facts,
    /// The digits but the last: extent and stride.
    before: &'w [(L, S)],
    /// The stride of the last digit.
    last: &'w S,
    /// For each digit but the last, how much the modes may still add without a carry.
    room: SmallVec<[L; 8]>,
    /// Whether the right operand only descends.
    turned: bool,
}

impl<'w, L: Leaf, S: Stride<L>> Walk<'w, L, S> {
    /// A walk through `radix`, whose last digit is apart.
    fn new(facts: &'w L::Facts, (last, before): (&'w (L, S), &'w [(L, S)])) -> Self {
        Self { facts, before, last: &last.1, room: SmallVec::new(), turned: false }
    }

    /// Makes room in each digit for the leaves of some modes; open where they borrow.
    fn start(&mut self, modes: &[&Layout<L>]) -> Result<(), NoClosedForm<L>> {
        let signs = signs(self.facts, self.before.len(), modes);
        // Digits of both signs borrow from each other; those of one sign do not, since A(-i) = -A(i),
        // and neither does a single digit.
        if signs == Some(Sign::Both) {
            return Err(NoClosedForm::Open(vec![]));
        }
        self.turned = signs == Some(Sign::Descends);
        for (extent, _) in self.before {
            self.room.push(extent.less_one().map_err(NoClosedForm::Lost)?);
        }
        Ok(())
    }

    fn nested(
        &mut self,
        shape: &Nested<L>,
        stride: &Nested<L>,
    ) -> Result<(Nested<L>, Nested<S>), NoClosedForm<L>> {
        match (shape, stride) {
            (Nested::Leaf(extent), Nested::Leaf(stride)) => self.leaf(extent, stride),
            (Nested::Node(shapes), Nested::Node(strides)) => {
                let mut shape = Vec::with_capacity(shapes.len());
                let mut stride = Vec::with_capacity(shapes.len());
                for (extent, step) in shapes.iter().zip(strides) {
                    let (extent, step) = self.nested(extent, step)?;
                    shape.push(extent);
                    stride.push(step);
                }
                Ok((Nested::Node(shape), Nested::Node(stride)))
            }
            // Shape and stride of a layout are congruent.
            _ => Err(NoClosedForm::Open(vec![])),
        }
    }

    fn leaf(&mut self, extent: &L, stride: &L) -> ClosedForm<L, S> {
        if stride.is(0) {
            return Ok((Nested::Leaf(extent.clone()), Nested::Leaf(S::still())));
        }
        if self.before.is_empty() {
            let stride = self.last.multiple(stride).map_err(NoClosedForm::Lost)?;
            return Ok((Nested::Leaf(extent.clone()), Nested::Leaf(stride)));
        }
        // The sign of a known stride is its own: a mode of one entry may have any.
        let descends = match stride.constant() {
            Some(known) if !L::OPEN || extent.is(1) => known < 0,
            _ => self.turned,
        };
        let step = if descends { stride.scaled(-1) } else { Ok(stride.clone()) };
        let leaf = (extent.clone(), step.map_err(NoClosedForm::Lost)?);
        through(self.facts, (self.before, self.last), leaf, descends, &mut self.room)
    }
}

/// The closed form of a part of the right operand.
type ClosedForm<L, S> = Result<(Nested<L>, Nested<S>), NoClosedForm<L>>;

/// A leaf `rest:step` on its way through the digits before the last one, and that.
fn through<L: Leaf, S: Stride<L>>(
    facts: &L::Facts,
    (before, last): (&[(L, S)], &S),
    (mut rest, mut step): (L, L),
    descends: bool,
    room: &mut [L],
) -> ClosedForm<L, S> {
    let signed = |step: &L, factor: &S| -> Result<S, NoClosedForm<L>> {
        if !descends {
            return factor.multiple(step).map_err(NoClosedForm::Lost);
        }
        step.scaled(-1).and_then(|step| factor.multiple(&step)).map_err(NoClosedForm::Lost)
    };
    let mut result: SmallVec<[(L, S); 8]> = SmallVec::new();
    for ((size, factor), room) in before.iter().zip(room) {
        if rest.is(1) && !result.is_empty() {
            break;
        }
        if rest.is(1) {
            // CuTe continues dividing the stride, which only the leftover mode below would show.
            step = L::ceil_div(facts, &step, size).map_err(NoClosedForm::Lost)?;
            continue;
        }
        if let Some((taken, of)) = L::digit(facts, size, [&mut rest, &mut step], room)? {
            result.push((taken, signed(&of, factor)?));
        }
    }
    if !rest.is(1) || result.is_empty() {
        result.push((rest, signed(&step, last)?));
    }
    if result.len() == 1
        && let Some((extent, stride)) = result.pop()
    {
        return Ok((Nested::Leaf(extent), Nested::Leaf(stride)));
    }
    let shape = result.iter().map(|(extent, _)| Nested::Leaf(extent.clone())).collect();
    let stride = result.into_iter().map(|(_, stride)| Nested::Leaf(stride)).collect();
    Ok((Nested::Node(shape), Nested::Node(stride)))
}

/// The sides of 0 on which offsets of modes lie.
#[derive(PartialEq)]
enum Sign {
    Descends,
    Both,
}

/// On which sides of 0 modes are known to lie, where they go through a number of digits but the last;
/// none if on one, and not below. For expressions that go both ways nothing is decided here: the first step
/// that is not known to be positive is.
fn signs<L: Leaf>(facts: &L::Facts, digits: usize, modes: &[&Layout<L>]) -> Option<Sign> {
    if digits == 0 {
        return None;
    }
    let (zero, mut ascends, mut descends) = (L::from(0), false, false);
    for mode in modes {
        mode.visit(&mut |extent, stride| {
            // A mode of one entry moves to neither side.
            if stride.is(0) || extent.is(1) {
                return;
            }
            let below = L::at_least(facts, &zero, stride).is_yes();
            descends |= below;
            ascends |= !below;
        });
    }
    match (ascends, descends) {
        (true, true) if !L::OPEN => Some(Sign::Both),
        (false, true) => Some(Sign::Descends),
        _ => None,
    }
}

/// Whether a right operand is known only to descend through a number of digits.
pub(crate) fn is_turned(facts: &Facts, digits: usize, b: &Layout<Expr>) -> bool {
    signs(facts, digits.saturating_sub(1), &[b]) == Some(Sign::Descends)
}

/// [`Leaf::digit`] of integers.
// A call for each digit costs a tenth of a composition.
#[inline(always)]
pub(crate) fn digit(
    size: i64,
    [rest, step]: [&mut i64; 2],
    room: &mut i64,
) -> Result<Option<(i64, i64)>, NoClosedForm<i64>> {
    let of = *step;
    // One division for each digit: they are most of the time.
    if of >= size {
        if of % size != 0 {
            return Err(NoClosedForm::Open(Vec::new()));
        }
        *step = of / size;
        return Ok(None);
    }
    if size % of != 0 {
        return Err(NoClosedForm::Open(Vec::new()));
    }
    *step = 1;
    let most = size / of;
    let taken = most.min(*rest);
    *room -= (taken - 1) * of;
    if *room < 0 || (most < *rest && *rest % most != 0) {
        return Err(NoClosedForm::Open(Vec::new()));
    }
    *rest = if most < *rest { *rest / most } else { 1 };
    Ok(Some((taken, of)))
}

/// [`Leaf::digit`] of expressions.
pub(crate) fn digit_under(
    facts: &Facts,
    size: &Expr,
    [rest, step]: [&mut Expr; 2],
    room: &mut Expr,
) -> Result<Option<(Expr, Expr)>, NoClosedForm<Expr>> {
    let (one, of) = (|| Expr::from(1), step.clone());
    // Whether `0, step, …, (extent-1)*step` all stay within the room.
    let reach = |extent: &Expr| extent.plus(&Expr::from(-1))?.times(&of);
    let fits = |extent: &Expr, room: &Expr| {
        let ascends = facts.at_least(&of, &Expr::from(0));
        if !ascends.is_yes() {
            return Ok(ascends);
        }
        reach(extent).map(|reach| facts.at_least(room, &reach)).map_err(NoClosedForm::Lost)
    };
    let take = |extent: &Expr, room: &Expr| {
        reach(extent).and_then(|reach| room.minus(&reach)).map_err(NoClosedForm::Lost)
    };
    let whole = fits(rest, room)?;
    if whole.is_yes() {
        *room = take(rest, room)?;
        *step = one();
        return Ok(Some((core::mem::replace(rest, one()), of)));
    }
    let positive = facts.at_least(&of, &one());
    if !positive.is_yes() {
        return Err(NoClosedForm::Open(vec![positive]));
    }
    let (down, up) = (Expr::divide(facts, size, &of), Expr::divide(facts, &of, size));
    match (down, up) {
        (_, Ok(next)) => {
            *step = next;
            Ok(None)
        }
        (Ok(taken), _) => {
            let left = Expr::divide(facts, rest, &taken);
            let left = left.map_err(|answer| NoClosedForm::Open(vec![answer, whole]))?;
            let within = fits(&taken, room)?;
            if !within.is_yes() {
                return Err(NoClosedForm::Open(vec![within]));
            }
            *room = take(&taken, room)?;
            (*rest, *step) = (left, one());
            Ok(Some((taken, of)))
        }
        (Err(down), Err(up)) => Err(NoClosedForm::Open(vec![down, up, whole])),
    }
}

closed! { Layout {
    composition = composition_under(b: &Layout) -> Layout;
    composition_tiler = composition_tiler_under(tiler: &Tiler) -> Layout;
} }
