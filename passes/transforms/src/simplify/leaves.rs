//! What is known of values that index arithmetic starts from.

use layout_dialect::{
    build::{Val, operand},
    tree,
};
use layout_egraph::{
    index::bounds,
    symbol::{Symbol, Uniform},
};
use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};
use mlir_sys::{mlirAttributeIsADenseI32Array, mlirDenseI32ArrayGetElement};

/// Threads of a block at most, along each dimension, and blocks of a grid.
const THREADS: [i64; 3] = [1024, 1024, 64];
const BLOCKS: [i64; 3] = [i32::MAX as i64, 65_535, 65_535];

/// What a function says of its launch.
pub(super) struct Leaves<'c> {
    function: OperationRef<'c, 'c>,
}

impl<'c> Leaves<'c> {
    pub(super) fn new(function: OperationRef<'c, '_>) -> Self {
        // SAFETY: the function stands while the pass works on it.
        Self { function: unsafe { OperationRef::from_raw(function.to_raw()) } }
    }

    /// A value as an unknown of `width` bits. Its name is empty.
    pub(super) fn symbol(&self, value: Val<'c>, width: u32) -> Symbol {
        let (low, high) = bounds(width);
        let mut symbol = Symbol { low, high, ..Symbol::any("") };
        self.state(value, &mut symbol);
        // What does not fit the width may have been cut off.
        if symbol.low < low || symbol.high > high {
            symbol = Symbol { low, high, depth: symbol.depth, ..Symbol::any("") };
        }
        symbol
    }

    fn state(&self, value: Val<'c>, symbol: &mut Symbol) {
        let Some(made) = tree::definition(value) else {
            if let Some(around) = tree::owner(value).and_then(|block| block.parent_operation()) {
                // SAFETY: the operation stands as long as its block.
                let around = unsafe { OperationRef::from_raw(around.to_raw()) };
                symbol.depth = self.depth(around) + u32::from(repeats(around));
                symbol.uniform = self.shared(around, value);
                loop_variable(around, value, symbol);
            }
            return;
        };
        symbol.depth = self.depth(made);
        let name = tree::name(made);
        let dimension = || {
            made.attribute("dimension").ok().and_then(|attribute| {
                let text = attribute.to_string();
                ["x>", "y>", "z>"]
                    .iter()
                    .position(|end| text.ends_with(end))
                    .or_else(|| [" x", " y", " z"].iter().position(|end| text.ends_with(end)))
            })
        };
        let below = |limits: [i64; 3], known: &str| {
            let dimension = dimension()?;
            let stated = self.bound(known, dimension).unwrap_or(limits[dimension]);
            let own = integer(made, "upper_bound").unwrap_or(stated);
            Some(own.min(stated))
        };
        let extent = match name.as_str() {
            "gpu.thread_id" => below(THREADS, "known_block_size"),
            "gpu.block_id" => below(BLOCKS, "known_grid_size"),
            "gpu.lane_id" => Some(32),
            "arith.index_cast" | "arith.index_castui" | "arith.extui" | "arith.extsi"
            | "arith.trunci" => {
                // The same integer where it fits: that is asked of the result.
                let depth = symbol.depth;
                let inner = operand(made, 0);
                let (low, high) = match inner.r#type().to_string().as_str() {
                    "i32" => bounds(32),
                    "i1" if name == "arith.extui" => (0, 1),
                    "i1" => (-1, 0),
                    _ => bounds(64),
                };
                let mut of = Symbol { low, high, ..Symbol::any("") };
                self.state(inner, &mut of);
                let keeps = name != "arith.extui" && name != "arith.index_castui" || of.low >= 0;
                if keeps && name != "arith.trunci" || of.low >= 0 && of.high <= i64::from(i32::MAX)
                {
                    *symbol = Symbol { depth, ..of };
                }
                return;
            }
            _ => None,
        };
        match name.as_str() {
            "gpu.block_id" | "gpu.block_dim" | "gpu.grid_dim" => symbol.uniform = Uniform::Block,
            "gpu.subgroup_id" => symbol.uniform = Uniform::Warp,
            _ => {}
        }
        if let Some(extent) = extent.filter(|&extent| extent > 0) {
            (symbol.low, symbol.high) = (0, extent - 1);
        }
    }

    /// Who sees one value of a block's arguments: all threads, of the function's; of a loop's variable, those
    /// that see one value of its bounds.
    fn shared(&self, around: OperationRef<'c, 'c>, value: Val<'c>) -> Uniform {
        if around.to_raw().ptr == self.function.to_raw().ptr {
            return Uniform::Block;
        }
        let first = tree::entry(around).map(|block| tree::key(tree::argument(block, 0)));
        if tree::name(around) != "scf.for" || first != Some(tree::key(value)) {
            return Uniform::Thread;
        }
        let of = |i| {
            let bound = operand(around, i);
            let constant =
                tree::definition(bound).is_some_and(|made| tree::name(made) == "arith.constant");
            if constant {
                return Uniform::Block;
            }
            let mut symbol = Symbol::any("");
            self.state(bound, &mut symbol);
            symbol.uniform
        };
        (0..3).map(of).min().unwrap_or(Uniform::Thread)
    }

    /// A bound of the launch that the function states.
    fn bound(&self, name: &str, dimension: usize) -> Option<i64> {
        let mut around = Some(self.function);
        let attribute = loop {
            let operation = around?;
            if let Ok(attribute) = operation.attribute(name) {
                break attribute;
            }
            // SAFETY: what is around an operation stands as long as it does.
            around =
                operation.parent_operation().map(|o| unsafe { OperationRef::from_raw(o.to_raw()) });
        };
        // SAFETY: the attribute's kind is asked first; dimensions are below 3 of 3 entries.
        let entry = unsafe {
            mlirAttributeIsADenseI32Array(attribute.to_raw())
                .then(|| mlirDenseI32ArrayGetElement(attribute.to_raw(), dimension as isize))
        };
        entry.map(i64::from)
    }

    /// How many loops of the function stand around an operation.
    fn depth(&self, operation: OperationRef<'c, 'c>) -> u32 {
        let mut depth = 0;
        let mut around = operation.parent_operation();
        while let Some(parent) = around {
            if parent.to_raw().ptr == self.function.to_raw().ptr {
                break;
            }
            // SAFETY: what is around an operation stands as long as it does.
            let parent = unsafe { OperationRef::from_raw(parent.to_raw()) };
            depth += u32::from(repeats(parent));
            around = parent.parent_operation();
        }
        depth
    }
}

/// Whether what is inside runs several times.
fn repeats(operation: OperationRef<'_, '_>) -> bool {
    matches!(
        tree::name(operation).as_str(),
        "scf.for" | "scf.while" | "scf.parallel" | "scf.forall" | "layout.pipeline"
    )
}

/// The variable of a loop with constant bounds.
fn loop_variable<'c>(around: OperationRef<'c, 'c>, value: Val<'c>, symbol: &mut Symbol) {
    let first = tree::entry(around).map(|block| tree::key(tree::argument(block, 0)));
    if tree::name(around) != "scf.for" || first != Some(tree::key(value)) {
        return;
    }
    let bound = |i| {
        let made = tree::definition(operand(around, i))?;
        (tree::name(made) == "arith.constant").then(|| integer(made, "value")).flatten()
    };
    let (lower, upper, step) = (bound(0), bound(1), bound(2));
    if let (Some(lower), Some(step)) = (lower, step)
        && step > 0
        && lower >= 0
    {
        // Without an upper bound it still never wraps past one: the loop ends before.
        let last = upper.map_or(symbol.high, |upper| upper.saturating_sub(1).max(lower));
        if let Some(rest) = last.checked_sub(lower) {
            (symbol.low, symbol.high) = (lower, lower + rest / step * step);
            if lower % step == 0 {
                symbol.multiple = step.unsigned_abs();
            }
        }
    }
}

/// An integer attribute of an operation.
pub(super) fn integer(operation: OperationRef<'_, '_>, name: &str) -> Option<i64> {
    let attribute: Attribute<'_> = operation.attribute(name).ok()?;
    IntegerAttribute::try_from(attribute).ok().map(|attribute| attribute.value())
}
