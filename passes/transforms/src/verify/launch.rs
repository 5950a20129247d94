//! The launch of a kernel: numbers of threads and blocks from its attributes, or the limits of a GPU.

use super::{
    cover,
    sizes::Sizes,
    trace::{Event, Root, Trace, symbol_of},
};
use crate::grid::{self, Blocks};
use layout_dialect::{build::operand, tree};
use layout_relation::IndexForm;
use melior::ir::{
    Attribute, OperationRef, ValueLike,
    attribute::{DenseI32ArrayAttribute, DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// The limits of a GPU along each dimension: threads of a block, blocks, blocks of a cluster.
const LIMITS: [i64; 7] = [1024, 1024, 64, i32::MAX as i64, 65535, 65535, 16];

/// How a function is launched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Launch {
    /// The extents of thread and block ids, and of a block's number in its cluster.
    pub(super) extents: Vec<Option<i64>>,
    /// Whether these are the threads of a block, and the blocks.
    pub(super) known: [bool; 2],
    /// Along which axes the number of blocks is known; the limits of a GPU count along others.
    blocks: [bool; 3],
    /// Neighbours along x that are a cluster.
    pub(super) cluster: i64,
    /// Whether blocks wait for each other, or pass on what they stored: nothing here follows that.
    pub(super) orders_blocks: bool,
    /// Attributes that say different things.
    pub(super) conflict: Option<String>,
}

/// Whether something in a function's module orders the accesses of two blocks: an atomic access that acquires or releases, a fence, or the
/// barrier of a cluster.
fn orders_blocks(function: OperationRef<'_, '_>) -> bool {
    /// LLVM's number of the weakest order that acquires or releases.
    const ACQUIRES: i64 = 4;
    const ALWAYS: [&str; 5] = [
        "llvm.fence",
        "llvm.cmpxchg",
        "nvvm.memory.barrier",
        "nvvm.cluster.arrive",
        "nvvm.cluster.arrive.relaxed",
    ];
    const ACCESSES: [&str; 3] = ["llvm.atomicrmw", "llvm.load", "llvm.store"];
    let module = function.parent_operation();
    let module = module.filter(|module| tree::name(*module) == "gpu.module").unwrap_or(function);
    let is_of_block = |operation: OperationRef<'_, '_>| {
        let scope = operation.attribute("syncscope").ok().and_then(tree::text);
        scope.is_some_and(|scope| scope == "block")
    };
    tree::all(module).into_iter().any(|operation| match tree::name(operation).as_str() {
        _ if is_of_block(operation) => false,
        "layout.atomic" => {
            let order = operation.attribute("order").ok().and_then(tree::text);
            // The scope of one in shared memory is the block.
            let view = operand(operation, 1).r#type().to_string();
            order.is_some_and(|order| order != "relaxed") && view.contains(", global, ")
        }
        name if ACCESSES.contains(&name) => {
            let order = operation.attribute("ordering").and_then(IntegerAttribute::try_from);
            order.is_ok_and(|order| order.value() >= ACQUIRES)
        }
        name => ALWAYS.contains(&name),
    })
}

impl Launch {
    /// The launch by a function's attributes.
    pub(super) fn of(function: OperationRef<'_, '_>) -> Self {
        let mut launch = Self {
            extents: LIMITS.iter().copied().map(Some).collect(),
            known: [false; 2],
            blocks: [false; 3],
            cluster: 1,
            orders_blocks: orders_blocks(function),
            conflict: None,
        };
        for (which, name) in [(0, "known_block_size"), (1, "known_grid_size")] {
            let sizes = function.attribute(name).ok();
            if let Some(sizes) = sizes.and_then(|s| DenseI32ArrayAttribute::try_from(s).ok()) {
                let sizes = (0..3).map(|at| sizes.element(at).map(i64::from).ok()).collect();
                launch.say(which, name, sizes);
            }
        }
        let facts = facts(function).and_then(|facts| DictionaryAttribute::try_from(facts).ok());
        for (which, name) in [(0, "block"), (1, "grid")] {
            let list = facts.as_ref().and_then(|facts| facts.element_by_name(name));
            // Extents that depend on sizes are stated when these are known.
            if let Some(sizes) = list.and_then(|list| grid::at_sizes(list, &|_| None)) {
                let sizes = sizes.map(Some).to_vec();
                launch.say(which, &format!("layout.kernel's {name}"), sizes);
            } else if let Some(Ok(blocks)) = list.filter(|_| which == 1).map(grid::read) {
                launch.some_axes(&blocks);
            }
        }
        let cluster = facts.and_then(|facts| facts.element_by_name("cluster"));
        let cluster = cluster.and_then(|own| IntegerAttribute::try_from(own).ok());
        launch.cluster = cluster.map_or(1, |own| own.value().max(1));
        launch.upper_bounds(function);
        launch
    }

    /// Says how many blocks there are at some sizes, where that depends on them; returns `None` if it is not stated.
    pub(super) fn at(&mut self, function: OperationRef<'_, '_>, sizes: &Sizes) -> Option<()> {
        let facts = facts(function).and_then(|facts| DictionaryAttribute::try_from(facts).ok());
        let Some(grid) = facts.and_then(|facts| facts.element_by_name("grid")) else {
            return Some(());
        };
        let blocks = grid::at_sizes(grid, &|name| sizes.named(name))?;
        self.say(1, "layout.kernel's grid", blocks.map(Some).to_vec());
        Some(())
    }

    fn say(&mut self, which: usize, name: &str, sizes: Vec<Option<i64>>) {
        for (own, size) in self.extents.iter_mut().skip(3 * which).zip(sizes) {
            let Some(size) = size.filter(|&size| size > 0) else { continue };
            if self.known[which] && *own != Some(size) {
                let found = own.map_or_else(|| "?".to_owned(), |own| own.to_string());
                self.conflict = Some(format!("{size} in {name} and {found} in another attribute"));
            }
            *own = Some(size);
        }
        self.known[which] = true;
    }

    /// Notes the axes of a grid whose number of blocks depends on no size.
    fn some_axes(&mut self, grid: &[Blocks; 3]) {
        for (axis, blocks) in grid.iter().enumerate() {
            if let Blocks::Known(blocks) = *blocks
                && blocks > 0
                && !self.known[1]
            {
                self.extents[3 + axis] = Some(blocks);
                self.blocks[axis] = true;
            }
        }
    }

    /// Whether a thread or a block of each number along an axis exists: 0 to 2 are axes of threads, 3 to 5 of blocks.
    pub(super) fn is_exact(&self, symbol: u32) -> bool {
        match symbol {
            0..=2 => self.known[0],
            3..=5 => self.known[1] || self.blocks[symbol as usize - 3],
            _ => true,
        }
    }

    /// An id that is read wherever the function is, and stated to be below a bound, is.
    fn upper_bounds(&mut self, function: OperationRef<'_, '_>) {
        let Some(entry) = tree::entry(function) else { return };
        for operation in tree::operations(entry) {
            let first = match tree::name(operation).as_str() {
                "gpu.thread_id" => 0,
                "gpu.block_id" => 3,
                _ => continue,
            };
            let bound = operation.attribute("upper_bound").ok();
            let bound = bound.and_then(|bound| IntegerAttribute::try_from(bound).ok());
            if let (Some(at), Some(bound)) = (axis(operation), bound)
                && bound.value() > 0
                && let Some(own) = self.extents.get_mut(first + at)
            {
                *own = own.map(|own| own.min(bound.value()));
            }
        }
    }
}

/// The attributes of a kernel about its launch.
pub(super) fn facts<'c>(function: OperationRef<'c, '_>) -> Option<Attribute<'c>> {
    function.attribute("layout.kernel").or_else(|_| function.attribute("layout.step")).ok()
}

/// Which of x, y and z an operation reads.
pub(super) fn axis(operation: OperationRef<'_, '_>) -> Option<usize> {
    let dimension = operation.attribute("dimension").ok()?.to_string();
    ["x", "y", "z"].iter().position(|axis| dimension.contains(&format!("dim {axis}")))
}

/// Whether the function that a call names holds arithmetic and exchanges between threads of a warp
/// alone: it touches no memory, and no thread waits in it for one of another warp.
pub(super) fn is_arithmetic(call: OperationRef<'_, '_>, name: &str) -> bool {
    const HARMLESS: [&str; 5] = ["arith.", "math.", "vector.", "gpu.shuffle", "func.return"];
    let Some(function) = callee(call, name) else { return false };
    let inside = tree::all(function);
    let mut inside = inside.into_iter().filter(|o| tree::name(*o) != "func.func");
    tree::entry(function).is_some()
        && inside.all(|o| HARMLESS.iter().any(|prefix| tree::name(o).starts_with(prefix)))
}

/// The function that a call names.
pub(super) fn callee<'c>(call: OperationRef<'c, '_>, name: &str) -> Option<OperationRef<'c, 'c>> {
    let around = tree::ancestors(call);
    around.into_iter().find_map(|table| {
        let block = tree::entry(table)?;
        let mut inside = tree::operations(block).into_iter();
        inside.find(|o| tree::name(*o) == "func.func" && symbol_of(*o) == name)
    })
}

/// A function as text, but for what its launch information says, which does nothing by itself.
pub(super) fn text_without(function: OperationRef<'_, '_>) -> String {
    let text = function.to_string();
    match facts(function) {
        Some(facts) => text.replace(&format!("layout.kernel = {facts}"), "layout.kernel"),
        None => text,
    }
}

/// Whether each thread and block whose accesses to an argument are counted exists: those that decide where an access
/// is, or all where it matters how often an element is accessed.
pub(super) fn is_launched(trace: &Trace, argument: usize, stores: bool, how_often: bool) -> bool {
    let copies = trace.events.iter().filter_map(|event| match event {
        Event::Copy(copy) => {
            let view = cover::side(copy, stores).as_ref()?;
            (view.root == Root::Argument(argument)).then_some((copy, view))
        }
        _ => None,
    });
    let exact = |form: &IndexForm| form.symbols().into_iter().all(|own| trace.launch.is_exact(own));
    trace.function != "gpu.func"
        || copies.into_iter().all(|(copy, view)| {
            exact(&view.base)
                && copy.around.iter().all(|(form, _)| exact(form))
                && copy.predicates.iter().all(|(predicate, _)| exact(&predicate.base))
                && (!how_often || (0..6).all(|own| trace.launch.is_exact(own)))
        })
}
