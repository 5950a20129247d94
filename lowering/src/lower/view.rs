//! Views whose layouts are known in part, and views that are made or taken for others.
//!
//! Such a view is an address, of its first element, and the integers that its layout leaves open. A
//! coordinate's offset is computed from them, in 32 bits where the layout is known to have all of its
//! offsets there, and in 64 where it is not; its constant term is an immediate of the access.

use super::{
    Address, Failure, Lowering, Target,
    address::{self, offset_pointer},
    value::{Emitter, at},
    view_type,
};
use layout_algebra::symbolic::{SymbolicValue, Width};
use layout_dialect::{
    Datum, Space, ViewType,
    buffers::{Buffer, Integer},
    build::{Builder, Val, operand, result},
    dynamic, tree,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

impl<'c> Lowering<'c> {
    /// Where a view starts that begins at `pointer`, or at none: a whole buffer's.
    pub(super) fn root(
        &self,
        b: &Builder<'c>,
        view: ViewType<'c>,
        pointer: Option<Val<'c>>,
    ) -> Result<Address<'c>, Failure> {
        let (space, element) = (view.space(), view.element_type());
        let address = match view.datum()? {
            Datum::Symbolic { value: SymbolicValue::Layout(layout), facts } => {
                Address::partly(b, &layout, &facts, space, element, pointer)
            }
            _ => Address::root(b, view.layout()?, space, element, pointer),
        };
        Ok(address?.plainly(self.plain))
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

    /// The address of a view that is known in part, moved by what an operation's coordinate fixes.
    pub(super) fn fixed(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        source: usize,
    ) -> Result<Address<'c>, Failure> {
        let address = self.view(operand(operation, source))?.clone();
        let fixed = dynamic::fixed(operation, source)?;
        let constant = fixed.offset.constant_term();
        let rest = fixed.offset.minus(&constant.into()).map_err(layout_dialect::Violation::from)?;
        if rest.is(0) {
            return address.moved(b, None, 0, constant);
        }
        let integers = self.operand_integers(operation)?;
        let narrow = address.offset_type() == b.integer(32);
        let width = if narrow { Width::W32 } else { Width::W64 };
        let divisor = i64::try_from(fixed.facts.divisor(&rest)).unwrap_or(1);
        let mut emitter = Emitter { b, integers: &integers };
        let offset = fixed.facts.compute(&rest, width, &mut emitter)?;
        address.moved(b, Some(offset), divisor, constant)
    }

    /// Whether a view's layout is known in part.
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
            self.bind(value, self.root(b, view, Some(pointer))?);
            return match layout {
                Some(layout) => self.take_integers(value, layout),
                None => {
                    self.bind_integers(value, integers);
                    Ok(())
                }
            };
        }
        let pointer = match ViewType::try_from(base.r#type()) {
            Ok(_) => self.view(base)?.first()?.element_pointer(b, 0)?,
            Err(_) => self.as_pointer(b, base, view.space())?,
        };
        self.bind(value, self.root(b, view, Some(pointer))?);
        layout.map_or(Ok(()), |layout| self.take_integers(value, layout))
    }

    /// Where a memref's first element lies, and integers of it in the widths of the view's.
    fn of_memref(
        &self,
        b: &Builder<'c>,
        memref: Val<'c>,
        view: ViewType<'c>,
        buffer: Buffer<'c>,
        wanted: &[Integer],
    ) -> Result<(Val<'c>, Vec<Val<'c>>), Failure> {
        let index = Type::index(self.context);
        let address = b.value("memref.extract_aligned_pointer_as_index", &[memref], index, &[])?;
        let address = address::cast(b, address, b.integer(64))?;
        // As for pointers: one of no address space is generic on a device.
        let wanted_type = match (self.target, view.space()) {
            (Target::Device, Space::Host) => {
                melior::dialect::llvm::r#type::pointer(self.context, 0)
            }
            (_, space) => self.pointer_type(space)?,
        };
        let pointer = b.value("llvm.inttoptr", &[address], wanted_type, &[])?;
        let offset = buffer.offset()?;
        if let (Some(0), []) = (offset, wanted) {
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
        let integers = wanted.iter().map(|integer| {
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
        let wanted = self.pointer_type(space)?;
        if pointer.r#type() == wanted {
            return Ok(pointer);
        }
        Ok(b.value("llvm.addrspacecast", &[pointer], wanted, &[])?)
    }

    /// `layout.iota`, of a layout that is known or of its operand.
    pub(super) fn iota(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let value = result(operation, 0);
        self.bind(value, self.root(b, view_type(value)?, None)?);
        if operation.operand_count() == 0 {
            return Ok(());
        }
        self.take_integers(value, operand(operation, 0))
    }

    /// A view has the integers of a layout.
    fn take_integers(&mut self, view: Val<'c>, layout: Val<'c>) -> Result<(), Failure> {
        if let Some(datum) = dynamic::known(layout.r#type()).transpose()? {
            let integers = self.integers_of(layout, &datum)?;
            self.bind_integers(view, integers);
        }
        Ok(())
    }

    /// `layout.recast` of a view: other elements from the place of its first one.
    pub(super) fn recast(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let (source, value) = (operand(operation, 0), result(operation, 0));
        let address = self.view(source)?;
        let is_swizzled = matches!(address.layout, layout_algebra::AnyLayout::Composed(_));
        let pointer = if is_swizzled {
            if !address.is_at_start() {
                let message = format!(
                    "expected a swizzled view to be recast before it is sliced, found a part of {}",
                    address.origin().layout
                );
                return Err(Failure::refused(message));
            }
            address.pointer
        } else {
            Some(address.first()?.element_pointer(b, 0)?)
        };
        let recast = dynamic::recast(operation)?;
        let root = self.root(b, recast.r#type, pointer)?;
        let integers = self.operand_integers(operation)?;
        let places = recast.places.iter().map(|&place| at(&integers, place));
        self.bind_integers(value, places.collect::<Result<_, _>>()?);
        self.bind(value, root);
        Ok(())
    }

    /// Writes out what is short for several operations.
    pub(super) fn expand(function: OperationRef<'c, 'c>) -> Result<(), super::Located<'c>> {
        for operation in tree::all(function) {
            if !layout_dialect::expand::is_short(operation) {
                continue;
            }
            let b = Builder::before(operation);
            let last = layout_dialect::expand::expand(operation, &mut |step| b.insert(step))
                .map_err(|error| (operation, error.into()))?;
            if let Some(last) = last {
                tree::replace_uses(result(operation, 0), result(last, 0));
                tree::erase(operation);
            }
        }
        Ok(())
    }

    /// The value that stands in an `iota` view at an address.
    pub(super) fn index_at(
        &self,
        b: &Builder<'c>,
        address: &Address<'c>,
    ) -> Result<Val<'c>, Failure> {
        address::cast(b, address.offset(b, 0)?, Type::index(self.context))
    }
}
