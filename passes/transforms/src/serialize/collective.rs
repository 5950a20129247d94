//! Warp-wide instructions, taken apart by their thread-value layouts.

use super::{Failure, Serialize, WARP, number, refused};
use layout_algebra::{AnyLayout, Layout};
use layout_dialect::{
    Space, ViewType,
    atoms::Atom,
    build::{Builder, Val, operand},
    tree,
    types::element_bytes,
};
use melior::ir::{OperationRef, ValueLike};

/// Which way a collective copy goes.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// From memory to registers.
    Load,
    /// From registers to memory.
    Store,
}

impl<'c> Serialize<'c> {
    /// A collective copy, taken apart: every lane writes its part of the source to a buffer of the
    /// warp, then every lane takes its part of the target from there.
    ///
    /// An atom's thread-value layouts say which element is value `v` of lane `t`, on the side of
    /// memory and on that of registers. With `W` the layout of the side that is written to the
    /// buffer and `T` that of the side that takes, value `v` of lane `t` is element `T(t,v)`, which
    /// lane and value `W^-1(T(t,v))` wrote.
    pub(super) fn collective_copy(
        &mut self,
        operation: OperationRef<'c, 'c>,
        atom: &Atom,
        direction: Direction,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let [source, target] = [operand(operation, 0), operand(operation, 1)];
        let registers = match direction {
            Direction::Load => target,
            Direction::Store => source,
        };
        let (memory, held, values) = layouts(atom, registers)?;
        let (written, taken) = match direction {
            Direction::Load => (memory, held),
            Direction::Store => (held, memory),
        };
        let (buffer, shape) = self.exchange(registers, values)?;
        let own = "((?,_),_,?)";

        let mut write = self.new_piece(b)?;
        let lane_warp = self.idx2crd(&write.b, write.thread, &shape)?;
        let from = self.value(&mut write, source)?;
        let to = self.slice(&write.b, buffer, own, &lane_warp)?;
        self.copy(&write.b, "simt_1", &[from, to], &[])?;

        let mut read = self.new_piece(b)?;
        let term = format!("<composition(right_inverse({written}), {taken}), _, _>");
        let exchanged = self.compose(&read.b, buffer, &term)?;
        let lane_warp = self.idx2crd(&read.b, read.thread, &shape)?;
        let from = self.slice(&read.b, exchanged, own, &lane_warp)?;
        let to = self.value(&mut read, target)?;
        self.copy(&read.b, "simt_1", &[from, to], &[])
    }

    /// A buffer for what all warps exchange, `((lane,value),run,warp)`, and the shape of threads.
    fn exchange(&self, registers: Val<'c>, values: i64) -> Result<(Val<'c>, String), Failure> {
        let view = ViewType::try_from(registers.r#type())?;
        let size = inner(&view.layout()?).size();
        let runs = size / values;
        let warps = self.threads / WARP;
        let text = format!(
            "!layout.view<{}, register, (({WARP},{values}),{runs},{warps}):(({size},1),{values},{})>",
            view.element_type(),
            WARP * size
        );
        let buffer = self.entry.value("layout.alloc", &[], self.parse(&text)?, &[])?;
        Ok((buffer, format!("({WARP},{warps})")))
    }

    /// A warp-wide multiply-accumulate: the registers of a warp, seen as the atom's tiles, are
    /// multiplied element by element.
    pub(super) fn mma(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let atom = layout_dialect::ops::atom(operation)?;
        let mma = atom
            .mma()
            .ok_or_else(|| refused(format!("expected an MMA atom, found {}", atom.name)))?;
        if mma.b_space == Space::Shared {
            return self.warpgroup_mma(operation, mma, b);
        }
        let (m, n, k) = mma.extent;
        let (a, a_extent) = self.tiles(&b, operand(operation, 0), &mma.a, (m, k), mma.threads)?;
        let (bb, b_extent) = self.tiles(&b, operand(operation, 1), &mma.b, (n, k), mma.threads)?;
        let (c, _) = self.tiles(&b, operand(operation, 2), &mma.c, (m, n), mma.threads)?;
        let mut b = b;
        let mut open = |count: i64| -> Result<Val<'c>, Failure> {
            let (inner, index) = b.open_count(count)?;
            b = inner;
            Ok(index)
        };
        let warp = open(self.threads / mma.threads)?;
        let column = open(a_extent.1)?;
        let (am, bn) = (open(a_extent.0)?, open(b_extent.0)?);
        let (im, jn, ik) = (open(m)?, open(n)?, open(k)?);

        let x = self.element(&b, a, &[im, ik, am, column, warp])?;
        let y = self.element(&b, bb, &[jn, ik, bn, column, warp])?;
        let at = [im, jn, am, bn, warp];
        let sum = self.element(&b, c, &at)?;
        let sum = number::multiply_add(&b, [x, y], sum)?;
        self.set_element(&b, sum, c, &at)
    }

    /// All registers of an MMA operand as tiles: `((rows,columns),atoms,atoms,groups)`, where a group
    /// of threads executes the atom, and the numbers of atoms.
    pub(super) fn tiles(
        &self,
        b: &Builder<'c>,
        old: Val<'c>,
        tv: &str,
        (rows, columns): (i64, i64),
        group: i64,
    ) -> Result<(Val<'c>, (i64, i64)), Failure> {
        let all = *self.registers.get(&tree::key(old)).ok_or_else(|| {
            refused("expected operands of layout.mma that are register buffers from layout.alloc, found a slice of one")
        })?;
        let layout = ViewType::try_from(old.r#type())?.layout()?;
        let modes = inner(&layout).modes();
        let extent = |i: usize| modes.get(i).map_or(1, Layout::size);
        let (values, first, second) = (extent(0), extent(1), extent(2));
        let own = values * first * second;
        let groups = self.threads / group;
        // (value, first, second, thread) to ((lane, value), first, second, group).
        let by_lane = format!(
            "(({group},{values}),{first},{second},{groups}):(({own},1),{values},{},{})",
            values * first,
            group * own
        );
        let by_lane = self.compose(b, all, &by_lane)?;
        let tile =
            format!("<composition(right_inverse({tv}), ({rows},{columns}):(1,{rows})), _, _, _>");
        Ok((self.compose(b, by_lane, &tile)?, (first, second)))
    }

    /// Writes one element of a group's tiles.
    pub(super) fn set_element(
        &self,
        b: &Builder<'c>,
        value: Val<'c>,
        view: Val<'c>,
        coordinates: &[Val<'c>],
    ) -> Result<(), Failure> {
        let mut operands = vec![value, view];
        operands.extend_from_slice(coordinates);
        let pattern = b.string(ELEMENT);
        b.operation("layout.store", &operands, &[], &[("coord", pattern)], vec![])?;
        Ok(())
    }

    /// Reads one element of a group's tiles.
    pub(super) fn element(
        &self,
        b: &Builder<'c>,
        view: Val<'c>,
        coordinates: &[Val<'c>],
    ) -> Result<Val<'c>, Failure> {
        let element = ViewType::try_from(view.r#type())?.element_type();
        let mut operands = vec![view];
        operands.extend_from_slice(coordinates);
        let pattern = b.string(ELEMENT);
        Ok(b.value("layout.load", &operands, element, &[("coord", pattern)])?)
    }
}

/// A collective atom's layouts for the elements of a view, as addressed and as held, and how many of
/// them a lane has.
fn layouts(atom: &Atom, registers: Val<'_>) -> Result<(String, String, i64), Failure> {
    let element = ViewType::try_from(registers.r#type())?.element_type();
    let all = element_bytes(element).and_then(|bytes| {
        Some((atom.source(bytes)?, atom.destination(bytes)?, atom.elements(bytes)?))
    });
    all.ok_or_else(|| {
        refused(format!("expected a collective atom for {element}, found {}", atom.name))
    })
}

/// The coordinate of one element of a group's tiles.
const ELEMENT: &str = "((?,?),?,?,?)";

pub(super) fn inner(layout: &AnyLayout) -> &Layout {
    match layout {
        AnyLayout::Plain(layout) => layout,
        AnyLayout::Composed(composed) => &composed.inner,
    }
}
