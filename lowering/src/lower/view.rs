//! Views of partly static layouts, and the creation and recast of views.
//!
//! Such a view is an address, of its first element, and the integers that its layout leaves open. A
//! coordinate's offset is computed from them, in 32 bits where the layout is known to have all of its
//! offsets there, and in 64 where it is not; its constant term is an immediate of the access. Under a
//! swizzle, what steps by whole periods of it goes around, and the rest through it; under a layout all
//! goes through that, whose own integers are among the view's.

use super::{
    Address, Failure, Lowering, Target,
    address::{self, Move, offset_pointer},
    memory::{addressable, whole_bytes},
    outer::OuterLayout,
    plain::Plain,
    structure::cast_integer,
    value::{Emitter, at},
    view_type,
};
use layout_algebra::{ComposedLayout, Expr, Facts, Layout, Outer, Value, Width};
use layout_dialect::{
    Space, TermValue, ViewType,
    buffers::{Buffer, Integer},
    build::{Builder, Val, operand, result},
    dynamic::{self, Fixed},
    tree,
};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};

impl<'c> Lowering<'c> {
    /// Binds a view that begins at `pointer`, or at none, as a whole buffer's does, and the integers
    /// that its layout leaves open.
    pub(super) fn bind_root(
        &mut self,
        b: &Builder<'c>,
        value: Val<'c>,
        pointer: Option<Val<'c>>,
        integers: Vec<Val<'c>>,
    ) -> Result<(), Failure> {
        let root = self.root(b, view_type(value)?, pointer, &integers)?;
        self.bind_integers(value, integers);
        self.bind(value, root);
        Ok(())
    }

    /// Where a view starts: see [`Self::bind_root`].
    pub(super) fn root(
        &self,
        b: &Builder<'c>,
        view: ViewType<'c>,
        pointer: Option<Val<'c>>,
        integers: &[Val<'c>],
    ) -> Result<Address<'c>, Failure> {
        let of = (view.space(), view.element_type());
        if pointer.is_some() {
            addressable(of.1)?;
        }
        match view.layout() {
            Ok(layout) => Ok(Address::root(b, layout, of.0, of.1, pointer)?.plainly(self.plain)),
            Err(_) => self.root_of(b, view.term_value()?, of, pointer, integers),
        }
    }

    /// Where memory of a partly static layout, or the offsets of one, start.
    fn root_of(
        &self,
        b: &Builder<'c>,
        term_value: TermValue,
        of: (Space, Type<'c>),
        pointer: Option<Val<'c>>,
        integers: &[Val<'c>],
    ) -> Result<Address<'c>, Failure> {
        let stands_for_it = term_value.representative();
        let address = match term_value {
            TermValue::Symbolic { value: Value::Layout(layout), facts } => {
                let address = Address::partly(b, &layout, None, &facts, of, pointer)?;
                match stands_for_it {
                    Some(stands_for_it) => address.originating(layout, stands_for_it),
                    None => address,
                }
            }
            TermValue::Symbolic { value: Value::Composed(composed), facts } => {
                let ComposedLayout { outer, offset, inner } = &composed;
                // The offset at run time may be anything, and so may be what it is added to.
                let constant = offset.constant_term();
                let rest = minus(offset, constant)?;
                let mut address = match known_outer(outer) {
                    Ok(outer) => {
                        let outer = Some((outer, constant));
                        Address::partly(b, inner, outer, &facts, of, pointer)?
                    }
                    Err(outer) => {
                        let through = OuterLayout::new(outer, &facts, integers);
                        Address::composed(b, through, constant, of, pointer)?
                    }
                };
                if !rest.is(0) {
                    address = address.widened(b);
                }
                let within =
                    self.computed_step(b, &rest, &facts, address.offset_type(), integers)?;
                address.moved(b, None, within, 0)?
            }
            found => {
                return Err(Failure::refused(format!(
                    "expected a layout with dynamic integers, found {found}"
                )));
            }
        };
        Ok(address.plainly(self.plain))
    }

    /// The step by which an expression moves a view, in the type of its offsets, or `None` if that is 0.
    fn computed_step(
        &self,
        b: &Builder<'c>,
        offset: &Expr,
        facts: &Facts,
        r#type: Type<'c>,
        integers: &[Val<'c>],
    ) -> Result<Option<Move<'c>>, Failure> {
        if offset.is(0) {
            return Ok(None);
        }
        let width = if r#type == b.integer(32) { Width::W32 } else { Width::W64 };
        let by = facts.compute(offset, width, &mut Emitter { b, integers })?;
        let divisor = i64::try_from(facts.divisor(offset)).unwrap_or(1);
        let range = facts.range(offset);
        let bits = match (range.lo, range.hi.map(i64::try_from)) {
            (Some(0..), Some(Ok(greatest))) => {
                let low = 1_i64.checked_shl(divisor.trailing_zeros()).unwrap_or(1) - 1;
                address::covering(greatest) & !low
            }
            _ => i64::MAX,
        };
        Ok(Some(Move { by, divisor, bits }))
    }

    /// Binds the result of an operation that leaves a view's first element where it is, or that was
    /// moved already: the integers of its layout are some of the operands'.
    pub(super) fn bind_view(
        &mut self,
        operation: OperationRef<'c, 'c>,
        address: Address<'c>,
        step: String,
    ) -> Result<(), Failure> {
        let value = result(operation, 0);
        let view = view_type(value)?;
        if let Ok(layout) = view.layout() {
            self.bind(value, address.relaid(layout, step));
            return Ok(());
        }
        let answer = dynamic::answer(operation).ok_or_else(|| {
            let name = tree::name(operation);
            Failure::refused(format!("expected an operation of the algebra, found {name}"))
        })??;
        let integers = self.operand_integers(operation)?;
        let (_, places) = answer.value()?;
        let places = places.iter().map(|&place| at(&integers, place));
        self.bind_integers(value, places.collect::<Result<_, _>>()?);
        self.bind(value, address.first()?.came_by(step));
        Ok(())
    }

    /// The address of a partly static view, moved by what an operation's coordinate fixes.
    pub(super) fn fixed(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        source: usize,
    ) -> Result<Address<'c>, Failure> {
        let address = self.view(operand(operation, source))?.clone();
        self.fixed_from(b, address, operation, source)
    }

    /// The offset of a `layout.crd2idx` in a partly static layout under a swizzle: one exclusive or, where an expression of it would
    /// have a quotient for each bit.
    pub(super) fn swizzled_offset(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<Val<'c>, Failure> {
        let layout = operand(operation, 0);
        let term_value = dynamic::known(layout.r#type()).transpose()?.ok_or_else(|| {
            Failure::refused(format!("expected a layout, found {}", layout.r#type()))
        })?;
        let integers = self.integers_of(layout, &term_value)?;
        let of = (Space::Coordinate, Type::index(self.context));
        let root = self.root_of(b, term_value, of, None, &integers)?;
        let offset = self.fixed_from(b, root, operation, 0)?.offset(b, 0)?;
        address::cast(b, offset, of.1)
    }

    /// An address moved by what an operation's coordinate fixes.
    fn fixed_from(
        &self,
        b: &Builder<'c>,
        address: Address<'c>,
        operation: OperationRef<'c, 'c>,
        source: usize,
    ) -> Result<Address<'c>, Failure> {
        let fixed = dynamic::fixed(operation, source)?;
        let mut integers = self.operand_integers(operation)?;
        let width = if address.offset_type() == b.integer(32) { Width::W32 } else { Width::W64 };
        if self.plain && !address.is_composed() {
            let plain = Plain { b, facts: &fixed.facts, integers: &integers };
            let (offset, constant) = plain.offset(&fixed.parts, width)?;
            let rest = minus(&fixed.offset, constant)?;
            let divisor = i64::try_from(fixed.facts.divisor(&rest)).unwrap_or(1);
            let around = offset.map(|by| Move { by, divisor, bits: i64::MAX });
            return address.moved(b, around, None, constant);
        }
        let outer = match address.is_composed() {
            true => OffsetBase { known: Expr::from(0), shifted: Expr::from(0) },
            false => split_base(&fixed, &mut integers)?,
        };
        // A constant that steps by whole periods may go through the swizzle too.
        let [around, within] = [&fixed.offset, &fixed.within].map(Expr::constant_term);
        let constant = around.checked_add(within).ok_or_else(Failure::overflow)?;
        let step = |offset: &Expr, constant| {
            let rest = minus(offset, constant)?;
            self.computed_step(b, &rest, &fixed.facts, address.offset_type(), &integers)
        };
        let own = fixed.offset.minus(&outer.known).map_err(layout_dialect::Violation::from)?;
        let (around, within) = (step(&own, around)?, step(&fixed.within, within)?);
        let mut moved = address.clone().moved(b, around, within, constant)?;
        for expr in [outer.known, outer.shifted].iter().filter(|expr| !expr.is(0)) {
            let mut emitter = Emitter { b, integers: &integers };
            let (value, factor) = unscaled(fixed.facts.compute(expr, width, &mut emitter)?);
            let divisor = i64::try_from(fixed.facts.divisor(expr)).unwrap_or(1);
            moved = moved.shifted_by(value, factor, divisor);
        }
        Ok(moved)
    }

    /// Whether a view's layout is partly static.
    pub(super) fn is_partly(&self, value: Val<'c>) -> bool {
        ViewType::try_from(value.r#type()).is_ok_and(|view| view.layout().is_err())
    }

    /// `layout.make_view`: of a pointer, of a memref, or of another view's first element.
    pub(super) fn make_view(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let (base, value) = (operand(operation, 0), result(operation, 0));
        let layout = (operation.operand_count() > 1).then(|| operand(operation, 1));
        let view = view_type(value)?;
        if let Some(buffer) = Buffer::of(base.r#type())? {
            let needed = if layout.is_some() { Vec::new() } else { buffer.integers()? };
            let (pointer, integers) = self.of_memref(b, base, view, buffer, &needed)?;
            let integers = match layout {
                Some(layout) => self.carried_integers(layout)?,
                None => integers,
            };
            return self.bind_root(b, value, Some(pointer), integers);
        }
        let pointer = match ViewType::try_from(base.r#type()) {
            Ok(_) => self.view(base)?.first()?.element_pointer(b, 0)?,
            Err(_) => self.as_pointer(b, base, view.space())?,
        };
        let integers = layout.map_or(Ok(Vec::new()), |layout| self.carried_integers(layout))?;
        self.bind_root(b, value, Some(pointer), integers)
    }

    /// `layout.pointer`: the address of a view's first element.
    pub(super) fn pointer(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let first = self.view(operand(operation, 0))?.first()?.element_pointer(b, 0)?;
        let own = result(operation, 0);
        let pointer = match first.r#type() == own.r#type() {
            true => first,
            false => b.value("llvm.addrspacecast", &[first], own.r#type(), &[])?,
        };
        tree::replace_uses(own, pointer);
        Ok(())
    }

    /// Where a memref's first element lies, and integers of it in the widths of the view's.
    fn of_memref(
        &self,
        b: &Builder<'c>,
        memref: Val<'c>,
        view: ViewType<'c>,
        buffer: Buffer<'c>,
        expected: &[Integer],
    ) -> Result<(Val<'c>, Vec<Val<'c>>), Failure> {
        whole_bytes(view.element_type())?;
        let index = Type::index(self.context);
        let address = b.value("memref.extract_aligned_pointer_as_index", &[memref], index, &[])?;
        let address = address::cast(b, address, b.integer(64))?;
        // As for pointers: one of no address space is generic on a device.
        let pointer_type = match (self.target, view.space()) {
            (Target::Device, Space::Host) => {
                melior::dialect::llvm::r#type::pointer(self.context, 0)
            }
            (_, space) => self.pointer_type(space)?,
        };
        let pointer = b.value("llvm.inttoptr", &[address], pointer_type, &[])?;
        let offset = buffer.offset()?;
        if let (Some(0), []) = (offset, expected) {
            return Ok((pointer, Vec::new()));
        }
        // Its results: a buffer, the offset, then a size and then a stride for each dimension.
        let facts = b.inferred("memref.extract_strided_metadata", &[memref], &[])?;
        let rank = (facts.result_count() - 2) / 2;
        let dynamic = match offset {
            Some(_) => None,
            None => Some(address::cast(b, result(facts, 1), b.integer(64))?),
        };
        let element = view.element_type();
        let pointer = offset_pointer(b, pointer, element, dynamic, offset.unwrap_or(0))?;
        let integers = expected.iter().map(|integer| {
            let place = match integer {
                Integer::Size(dimension) => 2 + dimension,
                Integer::Stride(dimension) => 2 + rank + dimension,
            };
            address::cast(b, result(facts, place), b.integer(64))
        });
        Ok((pointer, integers.collect::<Result<_, _>>()?))
    }

    /// A pointer of the address space that the target has for a memory space.
    fn as_pointer(
        &self,
        b: &Builder<'c>,
        pointer: Val<'c>,
        space: Space,
    ) -> Result<Val<'c>, Failure> {
        // A pointer of no address space is generic on a device.
        if (self.target, space) == (Target::Device, Space::Host) {
            return Ok(pointer);
        }
        let expected = self.pointer_type(space)?;
        if pointer.r#type() == expected {
            return Ok(pointer);
        }
        Ok(b.value("llvm.addrspacecast", &[pointer], expected, &[])?)
    }

    /// `layout.identity_tensor`, of a layout that is known or of its operand.
    pub(super) fn identity_tensor(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let integers = match operation.operand_count() {
            0 => Vec::new(),
            _ => self.carried_integers(operand(operation, 0))?,
        };
        self.bind_root(b, result(operation, 0), None, integers)
    }

    /// The integers of a layout.
    fn carried_integers(&self, layout: Val<'c>) -> Result<Vec<Val<'c>>, Failure> {
        match dynamic::known(layout.r#type()).transpose()? {
            Some(term_value) => self.integers_of(layout, &term_value),
            None => Ok(Vec::new()),
        }
    }

    /// `layout.recast` of a view: other elements from the place of its first one.
    pub(super) fn recast(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let (source, value) = (operand(operation, 0), result(operation, 0));
        let address = self.view(source)?;
        let recast = dynamic::recast(operation)?;
        let integers = self.operand_integers(operation)?;
        let places = recast.places.iter().map(|&place| at(&integers, place));
        let integers = places.collect::<Result<Vec<_>, _>>()?;
        let view = recast.r#type;
        let address = if address.is_composed() {
            let (pointer, within, constant) = address.recast_start(b, recast.bits)?;
            let root = self.root(b, view, Some(pointer), &integers)?;
            let within = within.map(|within| {
                let by = cast_integer(b, within.by, root.offset_type())?;
                Ok::<_, Failure>(Move { by, ..within })
            });
            root.starting_at(b, within.transpose()?, constant)?
        } else {
            let pointer = address.first()?.element_pointer(b, 0)?;
            self.root(b, view, Some(pointer), &integers)?
        };
        self.bind_integers(value, integers);
        self.bind(value, address);
        Ok(())
    }

    /// Writes out what is short for several operations.
    pub(super) fn expand(function: OperationRef<'c, 'c>) -> Result<(), super::Located<'c>> {
        layout_dialect::expand::expand_all(function)
            .map_err(|(operation, error)| (operation, error.into()))
    }

    /// The value that is in an identity tensor at an address.
    pub(super) fn index_at(
        &self,
        b: &Builder<'c>,
        address: &Address<'c>,
    ) -> Result<Val<'c>, Failure> {
        address::cast(b, address.offset(b, 0)?, Type::index(self.context))
    }
}

/// The outer part of a layout, or the layout there that is partly static.
fn known_outer(outer: &Outer<Expr>) -> Result<Outer, &Layout<Expr>> {
    match outer {
        Outer::Swizzle(swizzle) => Ok(Outer::Swizzle(*swizzle)),
        Outer::Layout(layout) => layout.to_static().map(Outer::Layout).ok_or(layout),
    }
}

fn minus(offset: &Expr, constant: i64) -> Result<Expr, Failure> {
    Ok(offset.minus(&constant.into()).map_err(layout_dialect::Violation::from)?)
}

/// The parts of an offset that do not depend on coordinates.
struct OffsetBase {
    /// The part that known indices add, as far as it is in the offset and not in its constant term.
    known: Expr,
    /// The part that is added to indices, times their strides: not in the offset any more, once the indices stand
    /// for what it is added to.
    shifted: Expr,
}

/// Finds the parts of an offset that coordinates have no part in. In an index `x + c` into a mode of one
/// stride, which nothing else divides, the integer becomes that of `x`.
fn split_base(fixed: &Fixed, integers: &mut [Val<'_>]) -> Result<OffsetBase, Failure> {
    let violation = layout_dialect::Violation::from;
    let mut split_base = OffsetBase { known: Expr::from(0), shifted: Expr::from(0) };
    for (i, (index, layout)) in fixed.parts.iter().enumerate() {
        if index.as_constant().is_some() {
            let offset = layout.at_under(&fixed.facts, index).map_err(violation)?;
            let offset = offset.minus(&offset.constant_term().into()).map_err(violation)?;
            split_base.known = split_base.known.plus(&offset).map_err(violation)?;
            continue;
        }
        let [(_, stride)] = &layout.flat()[..] else { continue };
        let others = fixed.parts.iter().enumerate().filter(|(j, _)| *j != i);
        let mut others = others.flat_map(|(_, (other, _))| other.symbols());
        let [symbol] = &index.symbols()[..] else { continue };
        if stride.as_constant().is_some() || others.any(|other| other == *symbol) {
            continue;
        }
        let place = symbol.strip_prefix('?').and_then(|digits| digits.parse::<usize>().ok());
        let Some(value) = place.and_then(|place| integers.get_mut(place)) else { continue };
        if fixed.facts.symbol(symbol).ok().as_ref() != Some(index) {
            continue;
        }
        if let Some((x, by)) = constant_sum(*value).filter(|(x, _)| x.r#type().is_index()) {
            *value = x;
            let added = stride.scaled(by).map_err(violation)?;
            split_base.shifted = split_base.shifted.plus(&added).map_err(violation)?;
        }
    }
    Ok(split_base)
}

/// `x` and `c` of an `x + c`.
fn constant_sum(value: Val<'_>) -> Option<(Val<'_>, i64)> {
    known_operand(value, "arith.addi")
}

/// `x` and `c` of an `x * c` for a positive `c`, else the value itself, once.
fn unscaled(value: Val<'_>) -> (Val<'_>, i64) {
    let product = known_operand(value, "arith.muli");
    product.filter(|(_, factor)| (1..=1 << 20).contains(factor)).unwrap_or((value, 1))
}

/// The operands of an operation whose second one is a constant.
fn known_operand<'c>(value: Val<'c>, name: &str) -> Option<(Val<'c>, i64)> {
    let made = tree::definition(value).filter(|made| tree::name(*made) == name)?;
    Some((operand(made, 0), tree::constant(operand(made, 1))?))
}
