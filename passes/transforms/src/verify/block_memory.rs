//! Memory of a block or a thread that is no buffer of layouts: the attributions of a `gpu.func`, and `memref.global`s in a block's
//! memory. A program of threads is followed through them, where their layouts are known.

use super::{
    memory::type_bytes,
    trace::{Coordinate, Known, Reader, Root, address, symbol_of},
    view::{OuterPart, View},
};
use layout_algebra::{AnyLayout, Layout, Tuple, Value};
use layout_dialect::{
    Space, TermValue,
    buffers::Buffer,
    build::{operand, result},
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::TypeAttribute, operation::OperationLike,
    r#type::FunctionType,
};

/// The arguments of a function; what its block has more are attributions.
pub(super) fn inputs(function: OperationRef<'_, '_>) -> usize {
    let signature = function.attribute("function_type").and_then(TypeAttribute::try_from);
    let signature = signature.and_then(|signature| FunctionType::try_from(signature.value()));
    signature.map_or(usize::MAX, |signature| signature.input_count())
}

/// The space, the layout and the bytes of an element of a block's or a thread's memref whose layout is static.
fn buffer(r#type: Type<'_>) -> Option<(Space, Layout, i64)> {
    let memref = Buffer::of(r#type).ok()??;
    let space = memref.space().ok()?;
    let is_own = matches!(space, Space::Shared | Space::Register) && memref.offset() == Ok(Some(0));
    let TermValue::Static(Value::Layout(layout)) = memref.layout().ok().filter(|_| is_own)? else {
        return None;
    };
    Some((space, layout, type_bytes(memref.element_type())?))
}

impl Reader {
    /// Memory of a type as a buffer, or `None` where that is not known.
    pub(super) fn block_memory(&mut self, r#type: Type<'_>) -> Option<Known> {
        let (space, layout, bytes) = buffer(r#type)?;
        let count = layout.cosize().ok()?;
        let number = self.trace.buffers.len();
        let root = match space {
            Space::Register => Root::Register(number),
            _ => Root::Buffer(number),
        };
        let first = IndexForm::constant(0);
        let view = View::single(root, space, (bytes, 1), OuterPart::Nothing, first, Vec::new())?;
        self.trace.buffers.push(count.checked_mul(bytes)?);
        Some(Known::View(view.relaid(&AnyLayout::Plain(layout))))
    }

    /// `memref.get_global`: each global is one buffer.
    pub(super) fn global(&mut self, operation: OperationRef<'_, '_>) {
        let name = operation.attribute("name").map(|name| name.to_string()).unwrap_or_default();
        let name = name.trim_start_matches('@').to_owned();
        let global = tree::ancestors(operation).find_map(|around| {
            let inside = tree::operations(tree::entry(around)?).into_iter();
            let mut globals = inside.filter(|own| tree::name(*own) == "memref.global");
            globals.find(|own| symbol_of(*own) == name)
        });
        let Some(key) = global.map(address) else { return };
        let known = self.follow.as_ref().and_then(|follow| follow.buffers.get(&key)).cloned();
        let known = known.or_else(|| self.block_memory(result(operation, 0).r#type()));
        if let (Some(follow), Some(known)) = (&mut self.follow, &known) {
            follow.buffers.insert(key, known.clone());
        }
        self.set(operation, 0, known);
    }

    /// The element of a memref that an operation loads or stores.
    pub(super) fn memref_element(
        &self,
        operation: OperationRef<'_, '_>,
        memref: usize,
    ) -> Option<View> {
        self.follow.as_ref()?;
        let view = self.view(operation, memref)?;
        let (_, layout, _) = buffer(operand(operation, memref).r#type())?;
        let indices = memref + 1..operation.operand_count();
        // A memref without dimensions has one element; a dimension with several strides is not followed.
        let modes = if indices.is_empty() { Vec::new() } else { layout.flat() };
        if modes.len() != indices.len() {
            return None;
        }
        let (mut base, mut coordinates) = (view.base.clone(), Vec::new());
        for (at, (extent, stride)) in indices.zip(modes) {
            let index = self.form(operation, at)?;
            base = base.plus(&index.scale(stride)?)?;
            coordinates.push(Coordinate { index, extent });
        }
        let layout = Layout::from_shape(Tuple::Leaf(1)).ok()?;
        Some(View { base, coordinates, layout, ..view })
    }
}
