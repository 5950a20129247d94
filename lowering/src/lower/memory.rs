//! Buffers, single elements, and fills.

use super::{
    Address, Failure, Lowering, Target, address::offset_pointer, function, live_ranges::LiveRange,
    packed, unroll, view_type,
};
use layout_algebra::{AnyLayout, Layout, Tuple};
use layout_dialect::{
    Space,
    build::{Builder, Val, operand, result},
    ops::Atomic,
    scalar_name, tree,
};
use melior::ir::{
    Attribute, BlockLike, Location, OperationRef, Region, RegionLike, Type, TypeLike, ValueLike,
    attribute::{FlatSymbolRefAttribute, TypeAttribute},
    operation::OperationLike,
};
use mlir_sys::{mlirShapedTypeGetDimSize, mlirShapedTypeGetElementType, mlirShapedTypeGetRank};

/// The name of a kernel's dynamic shared buffer.
const SHARED: &str = "layout_shared";

/// The attribute of a pointer to a buffer of shared memory that says how many bytes it has.
pub(crate) const BUFFER_BYTES: &str = "layout.buffer_bytes";

/// Alignment of shared buffers in bytes: the widest period of a shared-memory swizzle.
const SHARED_ALIGNMENT: i64 = 1024;

/// Alignment of stack slots in bytes: the widest vector access.
const STACK_ALIGNMENT: i64 = 16;

/// The most instructions to which one operation may expand: one for each element that it moves, or for each MMA.
const MAX_UNROLLED: i64 = 1 << 16;

/// A `scf.if`, and which of its two regions.
type Branch = (usize, usize);

/// A stack slot, and the branches around each buffer that it is.
pub(super) struct Slot<'c> {
    pointer: Val<'c>,
    element: Type<'c>,
    extent: i64,
    users: Vec<Vec<Branch>>,
}

/// The place of a shared buffer.
pub(super) struct Placed {
    start: i64,
    end: i64,
    /// None of what may be touched at any time.
    life: Option<LiveRange>,
}

impl<'c> Lowering<'c> {
    /// Register buffers are stack slots at the function's start, which LLVM turns into registers;
    /// shared buffers share one dynamic buffer, and those that never live at once the same bytes of it ([`live_ranges`](super::live_ranges)).
    pub(super) fn alloc(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let value = result(operation, 0);
        let view = view_type(value)?;
        let element = view.element_type();
        addressable(element)?;
        let layout = view.layout()?;
        // A swizzle may reach past what the inner layout does.
        let mut extent = layout.cosize()?;
        let entry = tree::entry(self.function).ok_or_else(|| {
            Failure::refused("expected a function with a body around layout.alloc")
        })?;
        let b = Builder::at_start(self.context, operation.location(), entry);
        let pointer_type = self.pointer_type(view.space())?;
        let mut unit = element;
        if let Some(per) = packed::per_byte(element) {
            (unit, extent) = (b.integer(8), extent.div_euclid(per) + i64::from(extent % per != 0));
        }
        let pointer = if (self.target, view.space()) == (Target::Device, Space::Shared) {
            let bytes = extent.checked_mul(element_bytes(unit)?).ok_or_else(Failure::overflow)?;
            self.shared_buffer(operation.location(), bytes, self.live_ranges.get(operation))?
        } else {
            self.slot(&b, operation, pointer_type, (unit, extent))?
        };
        let address = Address::root(&b, layout, view.space(), element, Some(pointer))?;
        self.bind(value, address.plainly(self.plain));
        Ok(())
    }

    /// A stack slot. Those of buffers of which no thread has both are one: where branches that do the same are made one,
    /// LLVM would else not know which of two is meant, and leave both in memory.
    fn slot(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        pointer_type: Type<'c>,
        (element, extent): (Type<'c>, i64),
    ) -> Result<Val<'c>, Failure> {
        let branches = branches_around(operation);
        // The addresses of a host's operands are compared.
        let fits = |slot: &Slot<'c>| {
            self.target == Target::Device
                && (slot.element, slot.extent) == (element, extent)
                && slot.users.iter().all(|user| exclude(user, &branches))
        };
        if let Some(at) = self.slots.iter().position(fits) {
            self.slots[at].users.push(branches);
            return Ok(self.slots[at].pointer);
        }
        let count = b.constant(b.integer(64), extent)?;
        let attributes = [
            ("elem_type", TypeAttribute::new(stored(b, element)).into()),
            ("alignment", b.i64_attribute(STACK_ALIGNMENT)),
        ];
        let pointer = b.value("llvm.alloca", &[count], pointer_type, &attributes)?;
        self.slots.push(Slot { pointer, element, extent, users: vec![branches] });
        Ok(pointer)
    }

    /// The first bytes of the dynamic shared buffer that are free throughout a life, or of those that no other buffer has, from
    /// the widest swizzle's period on; a pointer at the function's start.
    pub(super) fn shared_buffer(
        &mut self,
        location: Location<'c>,
        bytes: i64,
        life: Option<LiveRange>,
    ) -> Result<Val<'c>, Failure> {
        let entry = tree::entry(self.function)
            .ok_or_else(|| Failure::refused("expected a function with a body"))?;
        let b = Builder::at_start(self.context, location, entry);
        let size = bytes;
        let bytes = bytes
            .checked_add(SHARED_ALIGNMENT - 1)
            .map(|bytes| bytes / SHARED_ALIGNMENT * SHARED_ALIGNMENT)
            .ok_or_else(Failure::overflow)?;
        let offset = self.free(bytes, life).ok_or_else(Failure::overflow)?;
        let end = offset.checked_add(bytes).ok_or_else(Failure::overflow)?;
        self.shared_bytes = self.shared_bytes.max(end);
        self.placed.push(Placed { start: offset, end, life });
        self.declare_shared(&b)?;
        let pointer_type = self.pointer_type(Space::Shared)?;
        let name = FlatSymbolRefAttribute::new(self.context, SHARED).into();
        let base = b.value("llvm.mlir.addressof", &[], pointer_type, &[("global_name", name)])?;
        let pointer = match offset {
            0 => base,
            _ => offset_pointer(&b, base, b.integer(8), None, offset)?,
        };
        if let Some(made) = tree::definition(pointer) {
            tree::set_attribute(made, BUFFER_BYTES, b.i64_attribute(size));
        }
        Ok(pointer)
    }

    /// An offset at which `bytes` bytes are free throughout a lifetime.
    fn free(&self, bytes: i64, life: Option<LiveRange>) -> Option<i64> {
        let meets = |placed: &&Placed| match (placed.life, life) {
            (Some(other), Some(life)) => !self.live_ranges.separated_by_barrier(other, life),
            _ => true,
        };
        let others: Vec<&Placed> = self.placed.iter().filter(meets).collect();
        let mut starts: Vec<i64> = others.iter().map(|other| other.end).chain([0]).collect();
        starts.sort_unstable();
        starts.into_iter().find(|&start| {
            let end = start.checked_add(bytes);
            end.is_some_and(|end| {
                others.iter().all(|other| end <= other.start || other.end <= start)
            })
        })
    }

    /// Bytes of shared memory that buffers have in common with others.
    pub(super) fn reused_bytes(&self) -> u64 {
        let all: i64 = self.placed.iter().map(|placed| placed.end - placed.start).sum();
        u64::try_from(all - self.shared_bytes).unwrap_or(0)
    }

    /// Declares the dynamic shared buffer in the kernel's module, once.
    fn declare_shared(&self, b: &Builder<'c>) -> Result<(), Failure> {
        let module = self.function.parent_operation().ok_or_else(|| {
            Failure::refused("expected a gpu.module around a kernel with shared memory")
        })?;
        if function::declares(module, SHARED) {
            return Ok(());
        }
        let body = tree::entry(module)
            .ok_or_else(|| Failure::refused("expected a gpu.module with a body"))?;
        let b = Builder::at_start(self.context, b.location(), body);
        let text = |source: &str| {
            Attribute::parse(self.context, source)
                .ok_or_else(|| melior::Error::AttributeParse(source.to_owned()))
        };
        let attributes = [
            ("sym_name", b.string(SHARED)),
            ("global_type", text("!llvm.array<0 x i8>")?),
            ("linkage", text("#llvm.linkage<external>")?),
            ("addr_space", text("3 : i32")?),
            ("alignment", b.i64_attribute(SHARED_ALIGNMENT)),
        ];
        b.operation("llvm.mlir.global", &[], &[], &attributes, vec![Region::new()])?;
        Ok(())
    }

    pub(super) fn load(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let point = self.point(b, operation, 0)?;
        let value = if point.pointer.is_none() {
            self.index_at(b, &point)?
        } else if let Some(per) = packed::per_byte(point.element) {
            signless(point.element)?;
            point.load_packed(b, 0, per)?
        } else {
            load(b, point.stepped_pointer(b)?, point.element, None)?
        };
        tree::replace_uses(result(operation, 0), value);
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        self.before_writing(b, operand(operation, 1))?;
        let point = self.point(b, operation, 1)?;
        if let Some(per) = packed::per_byte(point.element) {
            signless(point.element)?;
            return point.store_packed(b, operand(operation, 0), 0, per);
        }
        store(b, operand(operation, 0), point.stepped_pointer(b)?, None)
    }

    pub(super) fn atomic(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        // LLVM's numbers of orders.
        const MONOTONIC: i64 = 2;
        const ACQUIRE: i64 = 4;
        const RELEASE: i64 = 5;
        let Atomic { kind, releases, acquires, scope } = Atomic::of(operation)?;
        let value = operand(operation, 0);
        let pointer = self.point(b, operation, 1)?.stepped_pointer(b)?;
        let ordered = |order: i64| {
            let mut attributes = vec![("ordering", b.i64_attribute(order))];
            // One thread of the host does the work of all.
            if self.target == Target::Device && !scope.is_empty() {
                attributes.push(("syncscope", b.string(scope)));
            }
            attributes
        };
        // LLVM 22 makes relaxed instructions of all that NVPTX combines at once, so that fences order them.
        if releases {
            b.operation("llvm.fence", &[], &[], &ordered(RELEASE), vec![])?;
        }
        let mut attributes = ordered(MONOTONIC);
        attributes.push(("bin_op", b.i64_attribute(kind)));
        let old = b.value("llvm.atomicrmw", &[pointer, value], value.r#type(), &attributes)?;
        if acquires {
            b.operation("llvm.fence", &[], &[], &ordered(ACQUIRE), vec![])?;
        }
        tree::replace_uses(result(operation, 0), old);
        Ok(())
    }

    /// The one element at an operation's coordinate in the view that is its operand number `view`.
    pub(super) fn point(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        view: usize,
    ) -> Result<Address<'c>, Failure> {
        if self.is_partly(operand(operation, view)) {
            return self.fixed(b, operation, view);
        }
        let at = self.coordinate(b, operation, view + 1)?;
        let address = self.view(operand(operation, view))?;
        unroll::check_constants(operation, &at, address, operand(operation, view))?;
        let one = Layout::from_shape(Tuple::Leaf(1))?;
        let layout = match &address.layout {
            AnyLayout::Plain(_) => AnyLayout::Plain(one),
            AnyLayout::Composed(composed) => AnyLayout::Composed(composed.with_inner(one)),
        };
        address.slice(b, &at, layout)
    }

    /// Waits, in a step of a pipeline, for the MMAs that read registers which are written next.
    pub(super) fn before_writing(&self, b: &Builder<'c>, view: Val<'c>) -> Result<(), Failure> {
        match &self.stage {
            Some(stage) if self.view(view).is_ok_and(|view| view.space == Space::Register) => {
                stage.groups.wait_to_write(b, view)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn fill(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        self.before_writing(b, operand(operation, 0))?;
        let view = self.view(operand(operation, 0))?;
        let value = operand(operation, 1);
        written_out("elements", &[view.size()])?;
        if let Some(per) = packed::per_byte(view.element) {
            signless(view.element)?;
            return view.fill_packed(b, value, per);
        }
        for i in 0..view.size() {
            store(b, value, view.element_pointer(b, i)?, None)?;
        }
        Ok(())
    }
}

/// The branches around an operation, from the inside.
fn branches_around(operation: OperationRef<'_, '_>) -> Vec<Branch> {
    let mut found = Vec::new();
    let mut inside = operation.block();
    while let Some(block) = inside {
        let Some(parent) = block.parent_operation() else { break };
        if tree::name(parent) == "scf.if" {
            let is_own = |&number: &usize| {
                let region = parent.region(number).ok();
                let first = region.and_then(|region| region.first_block());
                first.is_some_and(|first| first.to_raw().ptr == block.to_raw().ptr)
            };
            found.extend((0..2).find(is_own).map(|number| (parent.to_raw().ptr as usize, number)));
        }
        inside = parent.block();
    }
    found
}

/// Whether a thread that is within some branches is not within the others.
fn exclude(some: &[Branch], others: &[Branch]) -> bool {
    let other_side = |(branch, number): &Branch| others.contains(&(*branch, 1 - number));
    some.iter().any(other_side)
}

/// `llvm.load`, aligned to `alignment` bytes where that is more than the type's own.
pub(super) fn load<'c>(
    b: &Builder<'c>,
    pointer: Val<'c>,
    r#type: Type<'c>,
    alignment: Option<i64>,
) -> Result<Val<'c>, Failure> {
    load_hinted(b, pointer, r#type, alignment, false)
}

/// The same; nontemporal if its lines are to leave the caches first.
pub(super) fn load_hinted<'c>(
    b: &Builder<'c>,
    pointer: Val<'c>,
    r#type: Type<'c>,
    alignment: Option<i64>,
    evict_first: bool,
) -> Result<Val<'c>, Failure> {
    let aligned = alignment.map(|bytes| ("alignment", b.i64_attribute(bytes)));
    let hint = evict_first.then(|| ("nontemporal", Attribute::unit(b.context())));
    let attributes: Vec<_> = aligned.into_iter().chain(hint).collect();
    let value = b.value("llvm.load", &[pointer], stored(b, r#type), &attributes)?;
    recast(b, value, r#type)
}

/// `llvm.store`, aligned as [`load`].
pub(super) fn store<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    pointer: Val<'c>,
    alignment: Option<i64>,
) -> Result<(), Failure> {
    let attributes: Vec<_> =
        alignment.map(|bytes| ("alignment", b.i64_attribute(bytes))).into_iter().collect();
    let value = recast(b, value, stored(b, value.r#type()))?;
    b.operation("llvm.store", &[value, pointer], &[], &attributes, vec![])?;
    Ok(())
}

/// Refuses an operation with too many elements, or too many MMAs, to expand one by one.
pub(super) fn written_out(what: &str, extents: &[i64]) -> Result<(), Failure> {
    let count = extents.iter().fold(1_i64, |count, &extent| count.saturating_mul(extent));
    if count > MAX_UNROLLED {
        return Err(Failure::refused(format!(
            "expected at most {MAX_UNROLLED} {what} to expand, found {count}"
        )));
    }
    Ok(())
}

/// The type that elements, or vectors of them, have in memory: LLVM has no floats of 8 bits.
pub(super) fn stored<'c>(b: &Builder<'c>, r#type: Type<'c>) -> Type<'c> {
    let plain = |element| match scalar_name(element) {
        Some("f8E4M3FN" | "f8E5M2") => b.integer(8),
        Some("tf32") => Type::float32(b.context()),
        _ => element,
    };
    if !r#type.is_vector() {
        return plain(r#type);
    }
    // SAFETY: a vector has elements, and extents of each dimension.
    unsafe {
        let raw = r#type.to_raw();
        let extents = (0..mlirShapedTypeGetRank(raw))
            .map(|d| mlirShapedTypeGetDimSize(raw, d as isize).cast_unsigned());
        let element = Type::from_raw(mlirShapedTypeGetElementType(raw));
        Type::vector(&extents.collect::<Vec<_>>(), plain(element))
    }
}

/// The same bits as another type.
fn recast<'c>(b: &Builder<'c>, value: Val<'c>, r#type: Type<'c>) -> Result<Val<'c>, Failure> {
    if value.r#type() == r#type {
        return Ok(value);
    }
    // No arithmetic has tf32: what it has is f32 in its place.
    let tf32 = |r#type: Type<'_>| r#type.to_string().contains("tf32");
    let cast = match tf32(value.r#type()) || tf32(r#type) {
        true => "builtin.unrealized_conversion_cast",
        false => "arith.bitcast",
    };
    Ok(b.value(cast, &[value], r#type, &[])?)
}

/// Checks that single packed elements are values that arithmetic takes.
fn signless(element: Type<'_>) -> Result<(), Failure> {
    if !element.to_string().starts_with('u') {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "expected single elements of a signless type, found {element}; arith.extui takes i4, and \
         layout.copy converts {element}"
    )))
}

/// Checks that elements in memory are whole bytes, or several to a byte.
pub(super) fn addressable(element: Type<'_>) -> Result<(), Failure> {
    if packed::per_byte(element).is_some() { Ok(()) } else { whole_bytes(element) }
}

/// Checks that elements in memory are whole bytes: an address is one of a byte, and offsets of views are in elements.
pub(super) fn whole_bytes(element: Type<'_>) -> Result<(), Failure> {
    if element.is_index() || layout_dialect::element_bytes(element).is_some() {
        return Ok(());
    }
    Err(Failure::refused(format!(
        "expected elements of whole bytes in memory or registers, found {element}; load i8, and extract its bits with arith.shrui and arith.trunci"
    )))
}

/// Bytes of one element.
pub(super) fn element_bytes(element: Type<'_>) -> Result<i64, Failure> {
    match scalar_name(element) {
        Some("f64" | "i64") => Ok(8),
        Some("f32" | "tf32" | "i32") => Ok(4),
        Some("f16" | "bf16" | "i16") => Ok(2),
        Some("f8E4M3FN" | "f8E5M2" | "i8") => Ok(1),
        _ => Err(Failure::refused(format!(
            "expected elements of f8E4M3FN, f8E5M2, f16, bf16, tf32, f32, f64, i8, i16, i32 or i64, \
             found {element}"
        ))),
    }
}
