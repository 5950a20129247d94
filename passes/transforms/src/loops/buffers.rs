//! Extends the memory of one tile to several stages: a view with one more mode, whose slices replace the tile.

use super::{
    NotPipelined,
    body::{Body, is_view},
};
use crate::matmul::emit::{Emit, Emitted};
use layout_algebra::{AnyLayout, ComposedLayout, Layout, Nested, Outer};
use layout_dialect::{
    ViewType,
    build::{Builder, Val, operand, result},
    element_bytes, tree,
};
use melior::ir::{OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashMap;

/// Bytes that each stage starts at a multiple of.
const ALIGNMENT: i64 = 128;

/// A buffer with a tile for each stage.
pub(super) struct Buffer<'c> {
    /// The allocation of one tile.
    alloc: OperationRef<'c, 'c>,
    /// How it is seen outside of the loop, each after what it is made of.
    views: Vec<OperationRef<'c, 'c>>,
    stages: Val<'c>,
    /// The coordinate of one stage.
    pattern: String,
}

impl<'c> Buffer<'c> {
    /// Replaces the allocation of one tile with a buffer of `stages` tiles.
    pub(super) fn of(
        alloc: OperationRef<'c, 'c>,
        body: &Body<'c>,
        stages: i64,
    ) -> Result<Self, NotPipelined<'c>> {
        let mut views = vec![];
        let mut seen = vec![alloc];
        while let Some(at) = seen.pop() {
            for user in tree::users(at).filter(|user| is_view(*user)) {
                if !body.holds(user) && !views.contains(&user) {
                    views.push(user);
                    seen.push(user);
                }
            }
        }
        let r#type = result(alloc, 0).r#type();
        let staged = staged(r#type, stages).map_err(|message| (alloc, message))?;
        let (text, pattern) = staged;
        let make = || -> Emitted<Option<Val<'c>>> {
            let e = Emit { b: Builder::before(alloc) };
            let made = e.b.value("layout.alloc", &[], e.parse(&text)?, &[])?;
            // Whether a stage is seen as the tile is.
            let zero = super::index(e.b, 0)?;
            let one = e.slice(made, &pattern, &[zero])?;
            let is_same = one.r#type() == r#type;
            for value in [one, zero] {
                tree::definition(value).into_iter().for_each(tree::erase);
            }
            if !is_same {
                tree::definition(made).into_iter().for_each(tree::erase);
            }
            Ok(is_same.then_some(made))
        };
        let made = make().map_err(|error| (alloc, format!("cannot build a buffer: {error}")))?;
        let stages = made.ok_or_else(|| {
            (alloc, format!("expected a buffer that may have stages, found {}", r#type))
        })?;
        Ok(Self { alloc, views, stages, pattern })
    }

    /// Sees one stage in all ways in which the tile was seen.
    pub(super) fn at(
        &self,
        b: Builder<'c>,
        stage: Val<'c>,
        clones: &mut Clones<'c>,
    ) -> Emitted<()> {
        let one = Emit { b }.slice(self.stages, &self.pattern, &[stage])?;
        clones.made.extend(tree::definition(one));
        clones.replace(result(self.alloc, 0), one);
        for &view in &self.views {
            clones.add(&b, view);
        }
        Ok(())
    }

    /// Takes away what nothing sees any more.
    pub(super) fn clean(&self) {
        clean(self.views.iter().rev().chain([&self.alloc]));
    }
}

/// The type of a view of `stages` tiles, as text, and the coordinate of one tile.
fn staged(r#type: melior::ir::Type<'_>, stages: i64) -> Result<(String, String), String> {
    let refused =
        || format!("expected a buffer of a known layout, plain or swizzled, found {}", r#type);
    let view = ViewType::try_from(r#type).map_err(|error| error.to_string())?;
    let layout = view
        .term_value()
        .ok()
        .and_then(|term_value| term_value.any_layout())
        .ok_or_else(refused)?;
    let bytes = element_bytes(view.element_type()).unwrap_or(1);
    let period = period(&layout).ok_or_else(refused)?;
    let multiple = period.max(ALIGNMENT / bytes.clamp(1, ALIGNMENT));
    let inner = layout.inner();
    let size = inner.cosize().map_err(|error| error.to_string())?;
    let size = size.checked_add(multiple - 1).ok_or_else(refused)? / multiple * multiple;
    let more = |tuple: &Nested<i64>, last: i64| {
        let mut modes = match tuple {
            Nested::Node(modes) => modes.clone(),
            leaf => vec![leaf.clone()],
        };
        modes.push(Nested::Leaf(last));
        Nested::Node(modes)
    };
    let made = Layout::new(more(inner.shape(), stages), more(inner.stride(), size));
    let inner = made.map_err(|error| error.to_string())?;
    let rank = inner.rank();
    let layout = match layout {
        AnyLayout::Plain(_) => AnyLayout::Plain(inner),
        AnyLayout::Composed(composed) => AnyLayout::Composed(ComposedLayout { inner, ..composed }),
    };
    let text = format!("!layout.view<{}, shared, {layout}>", view.element_type());
    Ok((text, format!("({}?)", "_,".repeat(rank - 1))))
}

/// After how many elements a layout's swizzle is the same again.
fn period(layout: &AnyLayout) -> Option<i64> {
    match layout {
        AnyLayout::Plain(_) => Some(1),
        AnyLayout::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), .. }) => {
            let bits = swizzle.bits.checked_add(swizzle.base)?;
            1_i64.checked_shl(bits.checked_add(swizzle.shift.unsigned_abs())?)
        }
        AnyLayout::Composed(_) => None,
    }
}

/// Copies of operations, and the values that stand for others.
#[derive(Default)]
pub(super) struct Clones<'c> {
    values: HashMap<usize, Val<'c>>,
    made: Vec<OperationRef<'c, 'c>>,
}

impl<'c> Clones<'c> {
    pub(super) fn replace(&mut self, old: Val<'c>, new: Val<'c>) {
        self.values.insert(tree::key(old), new);
    }

    /// Copies an operation, on what stands for its operands.
    pub(super) fn add(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) {
        let operands: Vec<Val<'c>> = (0..operation.operand_count())
            .map(|i| operand(operation, i))
            .map(|value| self.values.get(&tree::key(value)).copied().unwrap_or(value))
            .collect();
        let made = tree::clone_with(b, operation, &operands);
        for i in 0..operation.result_count() {
            self.replace(result(operation, i), result(made, i));
        }
        if operation.result_count() > 0 {
            self.made.push(made);
        }
    }

    /// Lets an operation use what stands for its operands.
    pub(super) fn replace_operands(&self, operation: OperationRef<'c, 'c>) {
        for i in 0..operation.operand_count() {
            if let Some(&new) = self.values.get(&tree::key(operand(operation, i))) {
                tree::set_operand(operation, i, new);
            }
        }
    }

    /// Takes away the copies that nothing uses.
    pub(super) fn clean(&self) {
        clean(self.made.iter().rev());
    }
}

/// Erases operations that nothing uses, users first.
pub(super) fn clean<'o, 'c: 'o>(operations: impl Iterator<Item = &'o OperationRef<'c, 'c>>) {
    for &operation in operations {
        if tree::user(operation).is_none() {
            tree::erase(operation);
        }
    }
}
