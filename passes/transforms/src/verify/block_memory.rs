//! Memory of a block or a thread that is no buffer of layouts: the attributions of a `gpu.func`, and `memref.global`s in a block's
//! memory. A program of threads is followed through them, where their extents are known and their elements are in a row.

use super::{
    memory::type_bytes,
    trace::{Coordinate, Known, Reader, Root, address, symbol_of},
    view::{OuterPart, View},
};
use layout_algebra::{AnyLayout, Layout, Tuple};
use layout_dialect::{
    Space,
    build::{operand, result},
    tree,
};
use layout_relation::IndexForm;
use melior::ir::{
    OperationRef, ShapedTypeLike, Type, ValueLike,
    attribute::TypeAttribute,
    operation::OperationLike,
    r#type::{DimSize, FunctionType, MemRefType},
};

/// How a memref says that it is a block's or a thread's: in words, and by the numbers of NVPTX.
const SPACES: [(&str, &str, Space); 2] =
    [("workgroup>", "3>", Space::Shared), ("private>", "5>", Space::Register)];

/// The arguments of a function; what its block has more are attributions.
pub(super) fn inputs(function: OperationRef<'_, '_>) -> usize {
    let signature = function.attribute("function_type").and_then(TypeAttribute::try_from);
    let signature = signature.and_then(|signature| FunctionType::try_from(signature.value()));
    signature.map_or(usize::MAX, |signature| signature.input_count())
}

/// The space, the extents and the bytes of an element of a memref whose elements are in a row, the last dimension fastest.
fn shape(r#type: Type<'_>) -> Option<(Space, Vec<i64>, i64)> {
    let memref = MemRefType::try_from(r#type).ok()?;
    let text = r#type.to_string();
    let (_, space) = text.split_once(", ").filter(|(_, rest)| !rest.contains(", "))?;
    let space = space.trim_end_matches('>').to_owned() + ">";
    let found = SPACES.iter().find(|(word, number, _)| space.ends_with(word) || space == *number);
    let extents = (0..memref.rank()).map(|at| match memref.dim_size(at) {
        Ok(DimSize::Static(extent)) => i64::try_from(extent).ok(),
        _ => None,
    });
    Some((found?.2, extents.collect::<Option<_>>()?, type_bytes(memref.element())?))
}

/// How many elements are from one to the next along each dimension.
fn strides(extents: &[i64]) -> Option<Vec<i64>> {
    let mut all = vec![1_i64; extents.len()];
    for at in (1..extents.len()).rev() {
        all[at - 1] = all[at].checked_mul(extents[at])?;
    }
    Some(all)
}

impl Reader {
    /// Memory of a type as a buffer, or `None` where that is not known.
    pub(super) fn block_memory(&mut self, r#type: Type<'_>) -> Option<Known> {
        let (space, extents, bytes) = shape(r#type)?;
        let count = extents.iter().try_fold(1_i64, |all, &one| all.checked_mul(one))?;
        let number = self.trace.buffers.len();
        let root = match space {
            Space::Register => Root::Register(number),
            _ => Root::Buffer(number),
        };
        let modes = |all: &[i64]| Tuple::Node(all.iter().map(|&one| Tuple::Leaf(one)).collect());
        let layout = match &extents[..] {
            [] => Layout::from_shape(Tuple::Leaf(1)).ok()?,
            _ => Layout::new(modes(&extents), modes(&strides(&extents)?)).ok()?,
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
        let (_, extents, _) = shape(operand(operation, memref).r#type())?;
        let (mut base, mut coordinates) = (view.base.clone(), Vec::new());
        for (at, (&extent, stride)) in extents.iter().zip(strides(&extents)?).enumerate() {
            let index = self.form(operation, memref + 1 + at)?;
            base = base.plus(&index.scale(stride)?)?;
            coordinates.push(Coordinate { index, extent });
        }
        let layout = Layout::from_shape(Tuple::Leaf(1)).ok()?;
        Some(View { base, coordinates, layout, ..view })
    }
}
