//! The run-time form of a view, and the arithmetic of its offsets.
//!
//! A view is a pointer and an offset in elements. With the inner layout `L` and, when the layout
//! is composed, the outer one `S`, element `i` of a view is at
//!
//! ```text
//! outside + S(inside + constant + L(i))
//! ```
//!
//! `outside` and `inside` are run-time values, the rest is static, but for an `S` that is a partly static
//! layout. Where `S` is a layout, all goes `inside`, and its digits are taken of the whole sum. Two facts
//! about a swizzle of
//! period `2^(bits+base+|shift|)` keep the arithmetic small, both from the table of identities:
//!
//! - an offset that is a multiple of the period passes through it, so such terms go `outside`;
//! - it is linear over exclusive or, so where `inside` and the constant share no bit,
//!   `S(inside + k) = S(inside) ^ S(k)`; of `S(k)` only the bits that `S(inside)` can have need the
//!   exclusive or, and the rest is added, as an immediate of the access.

use super::{
    Failure,
    digits::{digits, plain_digits},
    outer::{Index, OuterLayout, known_at},
    packed,
    width::{fits, is_narrow},
};
use layout_algebra::{AnyLayout, ComposedLayout, Expr, Facts, Layout, Outer, Swizzle, gcd};
use layout_dialect::{
    Space,
    build::{Builder, Val},
};
use melior::ir::{Type, ValueLike};
use std::rc::Rc;

/// A fixed coordinate, or part of one, of a slice.
#[derive(Clone, Debug)]
pub(super) enum At<'c> {
    /// Keep the mode.
    Any,
    /// A known coordinate.
    Static(i64),
    /// A run-time coordinate, of type `index`.
    Dynamic(Val<'c>),
    /// One for each mode.
    Tuple(Vec<At<'c>>),
}

impl<'c> At<'c> {
    /// A pattern with its operands, in order, in the places of `?`.
    pub(super) fn pair(
        pattern: &layout_dialect::coordinate::Pattern,
        operands: &mut impl Iterator<Item = At<'c>>,
    ) -> Result<Self, Failure> {
        use layout_dialect::coordinate::Pattern;
        Ok(match pattern {
            Pattern::Any => At::Any,
            Pattern::At(value) => At::Static(*value),
            Pattern::Dynamic => operands.next().ok_or_else(|| {
                Failure::refused("expected one operand for each `?` of the coordinate, found fewer")
            })?,
            Pattern::Tuple(modes) => At::Tuple(
                modes.iter().map(|mode| Self::pair(mode, operands)).collect::<Result<_, _>>()?,
            ),
        })
    }
}

/// The run-time form of a view.
#[derive(Clone)]
pub(super) struct Address<'c> {
    pub(super) layout: AnyLayout,
    pub(super) space: Space,
    pub(super) element: Type<'c>,
    /// None for identity tensors, whose elements are their offsets.
    pub(super) pointer: Option<Val<'c>>,
    /// The type of offsets: i32 where the view's root was proved to be small enough.
    pub(super) offset_type: Type<'c>,
    pub(super) outside: Option<Val<'c>>,
    /// The digits whose multiples by these strides add up to `outside`, where it is such a sum.
    pub(super) digits: Option<Vec<(Val<'c>, i64)>>,
    /// The offsets that are added after it, where the address of an element is made: multiples of values, which only
    /// the layout's own integers make.
    pub(super) inner_terms: Vec<(Val<'c>, i64)>,
    inside: Option<Val<'c>>,
    /// Whether `inside` is known to be at least 0.
    natural: bool,
    /// The outer part, where that is a partly static layout; the one in `layout` stands for it.
    through: Option<Rc<OuterLayout<'c>>>,
    /// `S(inside)`, computed where `inside` was, of a swizzle.
    swizzled: Option<Val<'c>>,
    /// The bits that `inside` may have.
    inside_bits: i64,
    constant: i64,
    /// Every run-time term is a multiple of this; 0 when there is none.
    divisor: i64,
    /// Where the view comes from.
    origin: Origin,
    /// Whether offsets are computed as the definition says, digit by digit: see [`Self::plainly`].
    pub(super) plain: bool,
}

/// The way from a whole buffer to a view of it. Two views that came the same way from buffers of
/// one shape have the same coordinate at the same index.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Origin {
    /// The whole buffer's layout; of one that is partly static, one that stands for it
    /// ([`layout_dialect::TermValue::representative`]).
    pub(super) layout: Layout,
    /// The layout itself, where it is partly static.
    pub(super) partly: Option<Rc<Layout<Expr>>>,
    /// The function's argument that the buffer is, if it is one.
    pub(super) argument: Option<usize>,
    /// The steps that made it, in order: each operation with its attributes and run-time operands.
    pub(super) steps: Vec<String>,
}

impl Origin {
    /// The buffer's layout as its type has it.
    pub(super) fn written(&self) -> String {
        match &self.partly {
            Some(layout) => layout.to_string(),
            None => self.layout.to_string(),
        }
    }
}

/// An element's place: a run-time part, if any, and a known one.
pub(super) struct Place<'c> {
    pub(super) dynamic: Option<Val<'c>>,
    pub(super) constant: i64,
}

impl<'c> Address<'c> {
    /// A view whose first element is at `pointer`.
    pub(super) fn root(
        b: &Builder<'c>,
        layout: AnyLayout,
        space: Space,
        element: Type<'c>,
        pointer: Option<Val<'c>>,
    ) -> Result<Self, Failure> {
        let bits = if is_narrow(&layout) { 32 } else { 64 };
        let constant = match &layout {
            AnyLayout::Plain(_) => 0,
            AnyLayout::Composed(composed) => composed.offset,
        };
        let origin = Origin {
            layout: inner(&layout).clone(),
            partly: None,
            argument: None,
            steps: Vec::new(),
        };
        Ok(Self {
            origin,
            layout,
            space,
            element,
            pointer,
            offset_type: b.integer(bits),
            outside: None,
            digits: Some(Vec::new()),
            inner_terms: Vec::new(),
            inside: None,
            natural: true,
            through: None,
            swizzled: None,
            inside_bits: 0,
            constant,
            divisor: 0,
            plain: false,
        })
    }

    /// A view of a partly static layout, whose first element is at `pointer`: of its offsets
    /// within what is outside, if anything is. The layout of the address stands for its first
    /// element alone.
    pub(super) fn partly(
        b: &Builder<'c>,
        offsets: &Layout<Expr>,
        outer: Option<(Outer, i64)>,
        facts: &Facts,
        (space, element): (Space, Type<'c>),
        pointer: Option<Val<'c>>,
    ) -> Result<Self, Failure> {
        let layout = match outer {
            None => AnyLayout::Plain(one()?),
            Some((outer, offset)) => {
                AnyLayout::Composed(ComposedLayout { outer, offset, inner: one()? })
            }
        };
        let narrow = is_narrow(&layout) && fits(offsets, facts);
        let mut address = Self::root(b, layout, space, element, pointer)?;
        address.offset_type = b.integer(if narrow { 32 } else { 64 });
        Ok(address)
    }

    /// Under a partly static layout, after an offset that is known.
    pub(super) fn composed(
        b: &Builder<'c>,
        through: OuterLayout<'c>,
        offset: i64,
        of: (Space, Type<'c>),
        pointer: Option<Val<'c>>,
    ) -> Result<Self, Failure> {
        let outer = Outer::Layout(one()?);
        let layout = AnyLayout::Composed(ComposedLayout { outer, offset, inner: one()? });
        let address = Self::root(b, layout, of.0, of.1, pointer)?;
        Ok(Self { through: Some(Rc::new(through)), ..address.widened(b) })
    }

    /// The address as that of its first element alone.
    pub(super) fn first(&self) -> Result<Self, Failure> {
        let layout = match &self.layout {
            AnyLayout::Plain(_) => AnyLayout::Plain(one()?),
            AnyLayout::Composed(composed) => AnyLayout::Composed(composed.with_inner(one()?)),
        };
        Ok(Self { layout, ..self.clone() })
    }

    /// Moved by what is known at run time and by a constant. `within` moves it inside of a swizzle or an outer
    /// layout; the rest is added outside of that.
    pub(super) fn moved(
        mut self,
        b: &Builder<'c>,
        around: Option<Move<'c>>,
        within: Option<Move<'c>>,
        constant: i64,
    ) -> Result<Self, Failure> {
        for part in [&around, &within].into_iter().flatten() {
            self.divisor = gcd(self.divisor, part.divisor);
        }
        if let Some(around) = around {
            self.outside = Some(sum(b, self.outside, around.by)?);
            self.digits = None;
        }
        if let Some(within) = within {
            // A value that may be below 0 may have any bit.
            self.step_inside(b, within.by, within.bits, within.bits != i64::MAX)?;
            self.swizzle_inside(b)?;
        }
        self.constant = self.constant.checked_add(constant).ok_or_else(Failure::overflow)?;
        Ok(self)
    }

    /// Moved by a multiple of a value that coordinates have no part in: the addresses of elements that
    /// differ in it alone have all else in common. The view must have nothing outside of its layout.
    pub(super) fn shifted_by(mut self, value: Val<'c>, factor: i64, divisor: i64) -> Self {
        self.inner_terms.push((value, factor));
        self.divisor = gcd(self.divisor, divisor);
        self
    }

    /// The view whose first element is at an offset within what is outside of its layout.
    pub(super) fn starting_at(
        mut self,
        b: &Builder<'c>,
        within: Option<Move<'c>>,
        constant: i64,
    ) -> Result<Self, Failure> {
        (self.inside, self.swizzled, self.inside_bits, self.constant) = (None, None, 0, 0);
        self.natural = true;
        self.moved(b, None, within, constant)
    }

    /// Elements that the view's swizzle keeps in a row.
    pub(super) fn run_of_swizzle(&self) -> i64 {
        match &self.layout {
            AnyLayout::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), .. })
                if !swizzle.is_identity() =>
            {
                1_i64.checked_shl(swizzle.base).unwrap_or(1).max(1)
            }
            _ => 1,
        }
    }

    /// Whether the view is known to begin at a multiple of so many elements past where its offsets count from.
    pub(super) fn begins_at_multiple_of(&self, run: i64) -> bool {
        self.constant % run == 0 && self.divisor % run == 0
    }

    /// With offsets of 64 bits.
    pub(super) fn widened(self, b: &Builder<'c>) -> Self {
        Self { offset_type: b.integer(64), ..self }
    }

    /// Where a view under a swizzle starts for elements of another width: what its offsets are counted
    /// from, and the offset within the swizzle, in elements of the new width.
    pub(super) fn recast_start(
        &self,
        b: &Builder<'c>,
        [old, new]: [i64; 2],
    ) -> Result<(Val<'c>, Option<Move<'c>>, i64), Failure> {
        let (base, start) = match &self.layout {
            AnyLayout::Composed(ComposedLayout {
                outer: Outer::Swizzle(swizzle), offset, ..
            }) => (if swizzle.is_identity() { u32::MAX } else { swizzle.base }, *offset),
            _ => {
                return Err(Failure::refused(format!(
                    "expected a recast of a view with a plain or a swizzled layout, found {}",
                    self.layout
                )));
            }
        };
        let pointer = self.base(b)?;
        if old % new == 0 {
            let factor = old / new;
            let constant = self.constant.checked_mul(factor).ok_or_else(Failure::overflow)?;
            let wider = |inside| Ok::<_, Failure>(Move::any(scale(b, inside, factor)?));
            return Ok((pointer, self.inside.map(wider).transpose()?, constant));
        }
        let factor = new / old;
        let whole = new % old == 0 && factor.count_ones() == 1;
        if whole && self.inside.is_none() && self.constant == start && start % factor == 0 {
            return Ok((pointer, None, start / factor));
        }
        // Bits that the swizzle leaves alone are beside it.
        if !whole || factor.trailing_zeros() > base {
            return Err(Failure::refused(format!(
                "expected a slice of a view whose swizzle keeps {factor} elements contiguous, found {}",
                self.layout
            )));
        }
        let r#type = self.offset_type;
        let offset = self.offset_within(b)?;
        let low = b.binary("arith.andi", offset, b.constant(r#type, factor - 1)?)?;
        let pointer = offset_pointer(b, pointer, self.element, Some(low), 0)?;
        let by = b.constant(r#type, i64::from(factor.trailing_zeros()))?;
        Ok((pointer, Some(Move::any(b.binary("arith.shrsi", offset, by)?)), 0))
    }

    /// Whether its layout is under a swizzle or another layout, so that its place depends on what was
    /// added within that.
    pub(super) fn is_composed(&self) -> bool {
        self.outer().is_some()
    }

    /// The same view; if `plain`, its offsets are computed by the definition of a layout: a quotient, a
    /// remainder and a product for each extent, and a swizzle of the whole sum. Baseline for measuring
    /// the optimisations.
    pub(super) fn plainly(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }

    /// The same place under another layout: what an algebra operation on a view does.
    pub(super) fn relaid(&self, layout: AnyLayout, step: String) -> Self {
        let mut relaid = Self { layout, ..self.clone() };
        relaid.origin.steps.push(step);
        relaid
    }

    /// Notes a step of the way to this view.
    pub(super) fn came_by(mut self, step: String) -> Self {
        self.origin.steps.push(step);
        self
    }

    /// The same view, of a whole buffer whose layout is partly static.
    pub(super) fn originating(mut self, layout: Layout<Expr>, stands_for_it: Layout) -> Self {
        self.origin.layout = stands_for_it;
        self.origin.partly = Some(Rc::new(layout));
        self
    }

    /// The same view, of an argument of the function.
    pub(super) fn of_argument(mut self, argument: usize) -> Self {
        self.origin.argument = Some(argument);
        self
    }

    /// Where the view comes from.
    pub(super) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The view after fixing coordinates; `layout` is what is left.
    pub(super) fn slice(
        &self,
        b: &Builder<'c>,
        at: &At<'c>,
        layout: AnyLayout,
    ) -> Result<Self, Failure> {
        let mut sliced = self.clone();
        let source = inner(&self.layout).clone();
        sliced.layout = layout;
        sliced.add(b, at, &source)?;
        if self.inside != sliced.inside {
            sliced.swizzle_inside(b)?;
        }
        Ok(sliced)
    }

    /// Adds to what is inside.
    fn step_inside(
        &mut self,
        b: &Builder<'c>,
        by: Val<'c>,
        bits: i64,
        natural: bool,
    ) -> Result<(), Failure> {
        self.natural &= natural;
        self.inside_bits = if self.inside_bits & bits == 0 {
            self.inside_bits | bits
        } else {
            covering(self.inside_bits.saturating_add(bits))
        };
        self.inside = Some(sum(b, self.inside, by)?);
        Ok(())
    }

    /// Swizzles what is inside, here and not where it is used.
    fn swizzle_inside(&mut self, b: &Builder<'c>) -> Result<(), Failure> {
        if let (Some(Outer::Swizzle(swizzle)), Some(inside), false) =
            (self.outer(), self.inside, self.plain)
        {
            self.swizzled = Some(apply(b, *swizzle, inside)?);
        }
        Ok(())
    }

    fn add(&mut self, b: &Builder<'c>, at: &At<'c>, layout: &Layout) -> Result<(), Failure> {
        match at {
            At::Any => Ok(()),
            At::Static(index) => {
                let offset = layout.at(*index)?;
                self.constant = self.constant.checked_add(offset).ok_or_else(Failure::overflow)?;
                Ok(())
            }
            At::Dynamic(index) => self.add_index(b, *index, layout),
            At::Tuple(modes) => {
                let layouts = layout.modes();
                if layouts.len() != modes.len() {
                    return Err(Failure::refused(format!(
                        "expected {} coordinates for {layout}, found {}",
                        layouts.len(),
                        modes.len()
                    )));
                }
                modes.iter().zip(&layouts).try_for_each(|(at, layout)| self.add(b, at, layout))
            }
        }
    }

    /// Adds `layout(index)`: the index's digits in the mixed radix of the shape, times the strides.
    fn add_index(
        &mut self,
        b: &Builder<'c>,
        index: Val<'c>,
        layout: &Layout,
    ) -> Result<(), Failure> {
        let index = cast(b, index, self.offset_type)?;
        let outer = self.outer().cloned();
        let digits = if self.plain { plain_digits(layout) } else { digits(layout)? };
        for digit in digits {
            if digit.stride == 0 && !self.plain {
                continue;
            }
            let value = if self.plain { digit.plainly(b, index)? } else { digit.of(b, index)? };
            let term = scale(b, value, digit.stride)?;
            self.divisor = gcd(self.divisor, digit.stride);
            let passes = match &outer {
                None => true,
                Some(Outer::Swizzle(swizzle)) => {
                    !self.plain && digit.stride % swizzle.period() == 0
                }
                Some(Outer::Layout(_)) => false,
            };
            if passes {
                self.outside = Some(sum(b, self.outside, term)?);
                if let Some(digits) = &mut self.digits {
                    digits.push((value, digit.stride));
                }
            } else {
                self.step_inside(b, term, digit.bits(), digit.stride >= 0)?;
            }
        }
        Ok(())
    }

    /// The run-time part of the offset that goes around a swizzle or an outer layout.
    fn around(&self, b: &Builder<'c>) -> Result<Option<Val<'c>>, Failure> {
        self.inner_terms.iter().try_fold(self.outside, |all, &(value, factor)| {
            Ok(Some(sum(b, all, scale(b, value, factor)?)?))
        })
    }

    /// Where element `i`, in one-dimensional order, is.
    pub(super) fn place(&self, b: &Builder<'c>, i: i64) -> Result<Place<'c>, Failure> {
        let known =
            inner(&self.layout).at(i)?.checked_add(self.constant).ok_or_else(Failure::overflow)?;
        let (swizzle, inside) = match (self.outer(), self.inside) {
            (None, _) => return Ok(Place { dynamic: self.around(b)?, constant: known }),
            (Some(Outer::Layout(outer)), None) if self.through.is_none() => {
                return Ok(Place { dynamic: self.outside, constant: outer.at(known)? });
            }
            (Some(Outer::Layout(outer)), _) => return self.through(b, outer, known),
            (Some(Outer::Swizzle(swizzle)), None) => {
                return Ok(Place { dynamic: self.outside, constant: swizzle.apply(known) });
            }
            (Some(Outer::Swizzle(swizzle)), Some(inside)) => (*swizzle, inside),
        };
        let (swizzled, constant) = match self.swizzled {
            Some(swizzled) if self.inside_bits & known == 0 => {
                let moved = swizzle.apply(known);
                let reach = reach(swizzle, self.inside_bits);
                let mixed = moved & reach;
                let value = if mixed == 0 {
                    swizzled
                } else {
                    let mask = b.constant(self.offset_type, mixed)?;
                    b.binary("arith.xori", swizzled, mask)?
                };
                (value, moved & !reach)
            }
            _ => {
                let known = b.constant(self.offset_type, known)?;
                let whole = b.binary("arith.addi", inside, known)?;
                (apply(b, swizzle, whole)?, 0)
            }
        };
        Ok(Place { dynamic: Some(sum(b, self.outside, swizzled)?), constant })
    }

    /// Where the sum of what is inside and what is known is in an outer layout.
    fn through(&self, b: &Builder<'c>, outer: &Layout, known: i64) -> Result<Place<'c>, Failure> {
        let value = match (self.inside, known) {
            (Some(inside), 0) => inside,
            (inside, known) => sum(b, inside, b.constant(self.offset_type, known)?)?,
        };
        let index = Index { value, natural: self.natural && known >= 0 };
        let offset = match &self.through {
            Some(through) => through.at(b, index, self.plain)?,
            None => known_at(b, outer, index, self.plain)?,
        };
        Ok(Place { dynamic: Some(sum(b, self.outside, offset)?), constant: 0 })
    }

    /// A pointer to where the view's offsets are counted from, without what is within a swizzle or an
    /// outer layout; of an identity tensor, the offset of that.
    pub(super) fn base(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        match (self.pointer, self.around(b)?) {
            (Some(pointer), outside) if outside.is_some() => {
                offset_pointer(b, pointer, self.element, outside, 0)
            }
            (Some(pointer), _) => Ok(pointer),
            (None, Some(outside)) => Ok(outside),
            (None, None) => Ok(b.constant(self.offset_type, 0)?),
        }
    }

    /// The offset within a swizzle or an outer layout.
    pub(super) fn offset_within(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let constant = b.constant(self.offset_type, self.constant)?;
        match self.inside {
            None => Ok(constant),
            Some(inside) if self.constant == 0 => Ok(inside),
            Some(inside) => Ok(b.binary("arith.addi", inside, constant)?),
        }
    }

    /// A pointer to element `i`.
    pub(super) fn element_pointer(&self, b: &Builder<'c>, i: i64) -> Result<Val<'c>, Failure> {
        let pointer = self.pointer.ok_or_else(|| {
            Failure::refused("expected a view of memory, found an identity tensor, which has none")
        })?;
        if let Some(per) = packed::per_byte(self.element) {
            return self.packed_pointer(b, i, per);
        }
        let place = self.place(b, i)?;
        let mut result = pointer;
        if let Some(dynamic) = place.dynamic {
            result = offset_pointer(b, result, self.element, Some(dynamic), 0)?;
        }
        if place.constant != 0 {
            result = offset_pointer(b, result, self.element, None, place.constant)?;
        }
        Ok(result)
    }

    /// A pointer to where element 0 would be without the swizzle, less what is known: hardware
    /// that swizzles by itself takes such addresses. [`Self::linear_constant`] is what is known.
    pub(super) fn linear_pointer(&self, b: &Builder<'c>) -> Result<Val<'c>, Failure> {
        let mut pointer = self.pointer.ok_or_else(|| {
            Failure::refused("expected a view of memory, found an identity tensor, which has none")
        })?;
        for dynamic in [self.around(b)?, self.inside].into_iter().flatten() {
            pointer = offset_pointer(b, pointer, self.element, Some(dynamic), 0)?;
        }
        Ok(pointer)
    }

    /// The known part of where element `i` would be without the swizzle.
    pub(super) fn linear_constant(&self, i: i64) -> Result<i64, Failure> {
        inner(&self.layout).at(i)?.checked_add(self.constant).ok_or_else(Failure::overflow)
    }

    /// The offset of element `i` itself: what an identity tensor holds.
    pub(super) fn offset(&self, b: &Builder<'c>, i: i64) -> Result<Val<'c>, Failure> {
        let place = self.place(b, i)?;
        match place.dynamic {
            None => Ok(b.constant(self.offset_type, place.constant)?),
            Some(dynamic) if place.constant == 0 => Ok(dynamic),
            Some(dynamic) => {
                let constant = b.constant(self.offset_type, place.constant)?;
                Ok(b.binary("arith.addi", dynamic, constant)?)
            }
        }
    }

    /// Whether elements `i .. i+run` are in a row, from an offset that is a multiple of `run`.
    pub(super) fn is_aligned_run(&self, i: i64, run: i64) -> Result<bool, Failure> {
        if run == 1 {
            return Ok(true);
        }
        let layout = inner(&self.layout);
        let first = layout.at(i)?;
        for step in 1..run {
            if layout.at(i + step)? != first + step {
                return Ok(false);
            }
        }
        let keeps_run = match self.outer() {
            None => true,
            Some(Outer::Swizzle(swizzle)) => (1_i64 << swizzle.base) % run == 0,
            Some(Outer::Layout(_)) => false,
        };
        Ok(keeps_run && (first + self.constant) % run == 0 && self.divisor % run == 0)
    }

    /// The greatest number that is known to divide the run-time part of the offset; 0 if that is
    /// always zero.
    pub(super) fn divisor(&self) -> i64 {
        self.divisor
    }

    /// The type of this view's offsets.
    pub(super) fn offset_type(&self) -> Type<'c> {
        self.offset_type
    }

    /// Elements of the view.
    pub(super) fn size(&self) -> i64 {
        inner(&self.layout).size()
    }

    /// The outer part of the layout, if it has one.
    pub(super) fn outer(&self) -> Option<&Outer> {
        match &self.layout {
            AnyLayout::Plain(_) => None,
            AnyLayout::Composed(composed) => Some(&composed.outer),
        }
    }
}

/// The run-time offsets that move a view.
#[derive(Clone, Copy)]
pub(super) struct Move<'c> {
    /// Elements.
    pub(super) by: Val<'c>,
    /// The known divisor of them.
    pub(super) divisor: i64,
    /// The bits that they may have.
    pub(super) bits: i64,
}

impl<'c> Move<'c> {
    /// By elements of which nothing is known.
    pub(super) fn any(by: Val<'c>) -> Self {
        Self { by, divisor: 1, bits: i64::MAX }
    }
}

/// The layout of a single element.
fn one() -> Result<Layout, Failure> {
    Ok(Layout::from_shape(layout_algebra::Tuple::Leaf(1))?)
}

/// The inner layout; the layout itself where no swizzle is applied.
pub(super) fn inner(layout: &AnyLayout) -> &Layout {
    match layout {
        AnyLayout::Plain(layout) => layout,
        AnyLayout::Composed(composed) => &composed.inner,
    }
}

/// Moves a pointer by a run-time or a known number of elements.
pub(super) fn offset_pointer<'c>(
    b: &Builder<'c>,
    pointer: Val<'c>,
    element: Type<'c>,
    dynamic: Option<Val<'c>>,
    constant: i64,
) -> Result<Val<'c>, Failure> {
    use melior::ir::attribute::{DenseI32ArrayAttribute, TypeAttribute};
    if packed::per_byte(element).is_some() {
        return Err(Failure::refused(format!(
            "expected elements of whole bytes, found {element}; recast a view of i8"
        )));
    }
    let (operands, index) = match (dynamic, i32::try_from(constant)) {
        (Some(dynamic), _) => (vec![pointer, dynamic], i32::MIN),
        (None, Ok(constant)) if constant != i32::MIN => (vec![pointer], constant),
        (None, _) => (vec![pointer, b.constant(b.integer(64), constant)?], i32::MIN),
    };
    let indices = DenseI32ArrayAttribute::new(b.context(), &[index]).into();
    let element = TypeAttribute::new(super::memory::stored(b, element)).into();
    let attributes = [("elem_type", element), ("rawConstantIndices", indices)];
    Ok(b.value("llvm.getelementptr", &operands, pointer.r#type(), &attributes)?)
}

/// `index` as an integer of the given type, or the reverse.
pub(super) fn cast<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    if value.r#type() == r#type {
        return Ok(value);
    }
    Ok(b.value("arith.index_cast", &[value], r#type, &[])?)
}

/// Emits `S(value)`.
fn apply<'c>(b: &Builder<'c>, swizzle: Swizzle, value: Val<'c>) -> Result<Val<'c>, Failure> {
    let r#type = value.r#type();
    if swizzle.bits == 0 {
        return Ok(value);
    }
    let lowest = i64::from(swizzle.base) + i64::from(swizzle.shift.max(0));
    let source = ((1_i64 << swizzle.bits) - 1) << lowest;
    let mask = b.constant(r#type, source)?;
    let bits = b.binary("arith.andi", value, mask)?;
    let distance = b.constant(r#type, i64::from(swizzle.shift.unsigned_abs()))?;
    let direction = if swizzle.shift >= 0 { "arith.shrui" } else { "arith.shli" };
    let moved = b.binary(direction, bits, distance)?;
    Ok(b.binary("arith.xori", value, moved)?)
}

/// The bits that `S(x)` may have when `x` has bits of `mask` only.
fn reach(swizzle: Swizzle, mask: i64) -> i64 {
    let lowest = swizzle.base.saturating_add(swizzle.shift.max(0).unsigned_abs());
    let source = ((1_i64 << swizzle.bits) - 1) << lowest;
    let moved = if swizzle.shift >= 0 {
        (mask & source) >> swizzle.shift
    } else {
        (mask & source) << swizzle.shift.unsigned_abs()
    };
    mask | moved
}

/// All bits up to the highest of `value`.
pub(super) fn covering(value: i64) -> i64 {
    if value <= 0 { 0 } else { i64::MAX >> (value.leading_zeros() - 1) }
}

pub(super) fn scale<'c>(b: &Builder<'c>, value: Val<'c>, factor: i64) -> Result<Val<'c>, Failure> {
    if factor == 1 {
        return Ok(value);
    }
    let factor = b.constant(value.r#type(), factor)?;
    Ok(b.binary("arith.muli", value, factor)?)
}

pub(super) fn sum<'c>(b: &Builder<'c>, a: Option<Val<'c>>, c: Val<'c>) -> Result<Val<'c>, Failure> {
    match a {
        None => Ok(c),
        Some(a) => Ok(b.binary("arith.addi", a, c)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_sets_every_lower_bit() {
        assert_eq!([covering(0), covering(1), covering(5), covering(8)], [0, 1, 7, 15]);
    }

    #[test]
    fn reach_bounds_every_image() {
        let swizzle = Swizzle { bits: 3, base: 3, shift: 3 };
        for mask in [0b1_1100_0000_i64, 0b11_1000, 0b1_1111_1111, 0b1000_0111] {
            let possible = reach(swizzle, mask);
            for x in 0..512_i64 {
                assert_eq!(swizzle.apply(x & mask) & !possible, 0, "x={x} mask={mask:b}");
            }
        }
    }

    #[test]
    fn multiples_of_the_period_pass_through() {
        let swizzle = Swizzle { bits: 2, base: 3, shift: 3 };
        let period = swizzle.period();
        assert!((0..512).all(|x| swizzle.apply(x + period) == swizzle.apply(x) + period));
    }
}
