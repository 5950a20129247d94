//! `layout-serialize`: rewrites a tile program for one thread of the host.
//!
//! Blocks and threads become loops. The body is cut where threads meet: at barriers, at loops that
//! all threads share, and at instructions that a warp executes together. Each piece between two
//! cuts runs for every thread in turn before the next begins, which is one of the orders that the
//! GPU itself may take. Values that a piece computes from the thread's coordinates are computed again in
//! each piece that needs them; registers get one more mode, the thread.
//!
//! Values that lanes exchange go through slots, one for each thread: see [`exchange`]. Branches by the thread: [`branch`].
//!
//! Warp-wide atoms are taken apart by their own thread-value layouts, with the algebra only: see
//! [`collective`]. Pipelines become the loops that they mean, in [`warpgroup`].

mod branch;
mod collective;
mod exchange;
mod facts;
mod im2col;
mod number;
mod warpgroup;

use crate::grid::{self, Blocks};
use collective::Direction;
use facts::Facts;
use layout_algebra::Layout;
use layout_dialect::{
    ViewType,
    atoms::CopyKind,
    build::{Builder, Val, context_of, first_result, operand, result},
    diagnostics,
    ops::Limit,
    targets, tree,
};
use melior::{
    Context,
    ir::{
        Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Type, ValueLike,
        attribute::{
            DenseI32ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute,
            FlatSymbolRefAttribute, StringAttribute, TypeAttribute,
        },
        block::BlockArgument,
        operation::OperationLike,
        r#type::FunctionType,
    },
};
use std::collections::{HashMap, HashSet};

/// Threads of a warp.
const WARP: i64 = 32;

/// Why a kernel cannot be serialized.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Refused(String),
    #[error("cannot build the serialized operation: {0}")]
    Ir(#[from] melior::Error),
    #[error("{0}")]
    Algebra(#[from] layout_algebra::Error),
    #[error("{0}")]
    Grid(#[from] grid::Error),
}

fn refused(message: impl Into<String>) -> Failure {
    Failure::Refused(message.into())
}

/// Replaces every `gpu.module` of `module` that holds a tile program by host functions.
///
/// # Errors
///
/// A diagnostic at each operation that has no serial form.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    let own = |gpu_module: &OperationRef<'_, '_>| !targets::is_foreign(*gpu_module);
    for gpu_module in tree::inside(module, "gpu.module").into_iter().filter(own) {
        let mut serialized = true;
        for kernel in tree::inside(gpu_module, "gpu.func") {
            if let Err((operation, error)) = layout_dialect::expand::expand_all(kernel) {
                diagnostics::error(operation, &error.to_string());
                serialized = false;
                continue;
            }
            if let Err((operation, failure)) = Serialize::kernel(gpu_module, kernel) {
                diagnostics::error(operation, &failure.to_string());
                serialized = false;
            }
        }
        if serialized && let Err((launch, failure)) = call_instead(module, gpu_module) {
            diagnostics::error(launch, &failure.to_string());
            serialized = false;
        }
        if serialized {
            tree::erase(gpu_module);
        } else {
            outcome = Err(());
        }
    }
    outcome
}

/// The launches of a kernel call its host function instead.
fn call_instead<'c>(
    root: OperationRef<'c, '_>,
    gpu_module: OperationRef<'c, 'c>,
) -> Result<(), Located<'c>> {
    /// The places of a launch's segments: grid, block, cluster, shared memory, operands.
    const OPERANDS: usize = 11;
    let Some(name) = tree::symbol(gpu_module) else { return Ok(()) };
    // As it is printed, in quotes where it must be.
    let module = FlatSymbolRefAttribute::new(context_of(gpu_module), &name);
    let prefix = format!("{module}::");
    for launch in tree::inside(root, "gpu.launch_func") {
        let path = launch.attribute("kernel").map(|path| path.to_string()).unwrap_or_default();
        let Some(kernel) = path.strip_prefix(&prefix) else { continue };
        if launch.result_count() > 0 {
            return Err((
                launch,
                refused("expected a launch that is waited for, found an async one"),
            ));
        }
        let call = || -> Result<(), Failure> {
            let sizes = DenseI32ArrayAttribute::try_from(launch.attribute("operandSegmentSizes")?)?;
            let size = |i| sizes.element(i).ok().and_then(|n| usize::try_from(n).ok());
            let first: usize = (0..OPERANDS).filter_map(size).sum();
            let count = size(OPERANDS).unwrap_or(0);
            let operands: Vec<Val<'c>> =
                (first..first + count).map(|i| operand(launch, i)).collect();
            let b = Builder::before(launch);
            let callee = Attribute::parse(b.context(), kernel)
                .ok_or_else(|| melior::Error::AttributeParse(kernel.to_owned()))?;
            b.operation("func.call", &operands, &[], &[("callee", callee)], vec![])?;
            Ok(())
        };
        call().map_err(|failure| (launch, failure))?;
        tree::erase(launch);
    }
    Ok(())
}

type Located<'c> = (OperationRef<'c, 'c>, Failure);

/// One kernel on its way to a host function.
struct Serialize<'c> {
    context: &'c Context,
    threads: i64,
    /// Builds at the host function's start, where buffers live.
    entry: Builder<'c>,
    /// Values that depend on the thread.
    threaded: HashSet<usize>,
    /// The values that all threads share: the new value of an old one.
    shared: HashMap<usize, Val<'c>>,
    /// Register buffers: all threads' buffer of an old, per-thread one.
    registers: HashMap<usize, Val<'c>>,
    /// Values that threads keep across a point where they meet: all threads' slots of an old one.
    kept: HashMap<usize, Val<'c>>,
    /// Whether lanes exchange values, so that what a thread has loaded is kept.
    exchanges: bool,
}

/// A loop over threads that is still being filled.
struct ThreadLoop<'c> {
    b: Builder<'c>,
    thread: Val<'c>,
    values: HashMap<usize, Val<'c>>,
}

impl<'c> Serialize<'c> {
    fn kernel(
        gpu_module: OperationRef<'c, 'c>,
        kernel: OperationRef<'c, 'c>,
    ) -> Result<(), Located<'c>> {
        let at_kernel = |failure: Failure| (kernel, failure);
        layout_dialect::fragments::write_out(kernel)
            .map_err(|(operation, violation)| (operation, refused(violation.to_string())))?;
        let mut facts = Facts::read(kernel).map_err(at_kernel)?;
        // The threads after a pipeline's consumers do nothing but issue its copies; one consumer group can do the
        // work of all.
        if let Some(&pipeline) = tree::inside(kernel, "layout.pipeline").first() {
            let consumers =
                layout_dialect::ops::pipeline(pipeline).map(|facts| facts.group_threads());
            facts.threads = consumers.map_err(|error| (pipeline, error.into()))?;
        }
        let old = tree::entry(kernel)
            .ok_or_else(|| at_kernel(refused("expected a kernel with a body, found none")))?;
        let outer = Builder::before(gpu_module).with_location(kernel.location());
        let (mut this, body) =
            Self::host_function(outer, kernel, old, &facts).map_err(at_kernel)?;

        let blocks = this.blocks(kernel, old, &facts).map_err(at_kernel)?;
        let loop_to = |b: Builder<'c>, blocks: Val<'c>| {
            let number = |value| b.constant(Type::index(context_of(kernel)), value);
            b.open_loop([number(0)?, blocks, number(1)?])
        };
        let (by, block_y) = loop_to(body, blocks[1]).map_err(|e| at_kernel(e.into()))?;
        let (bx, block_x) = loop_to(by, blocks[0]).map_err(|e| at_kernel(e.into()))?;
        let [blocks, _] = blocks;
        this.classify(kernel, [block_x, block_y, blocks])?;
        this.block(old, bx)
    }

    /// How many blocks there are along x and y.
    fn blocks(
        &self,
        kernel: OperationRef<'c, 'c>,
        old: BlockRef<'c, 'c>,
        facts: &Facts,
    ) -> Result<[Val<'c>; 2], Failure> {
        let known = [&facts.grid[0], &facts.grid[1]].map(|blocks| match blocks {
            Blocks::Known(blocks) => Some(*blocks),
            Blocks::AtRunTime(_) => None,
        });
        let index = Type::index(self.context);
        if let [Some(x), Some(y)] = known {
            return Ok([self.entry.constant(index, x)?, self.entry.constant(index, y)?]);
        }
        let dictionary = DictionaryAttribute::try_from(facts.attribute(kernel)?.1)?;
        let arguments = (0..old.argument_count()).map(|i| tree::key(tree::argument(old, i)));
        let arguments: Option<Vec<Val<'c>>> =
            arguments.map(|argument| self.shared.get(&argument).copied()).collect();
        let arguments = arguments.ok_or_else(|| refused("expected a function's arguments"))?;
        let sizes = grid::Sizes::of(self.entry, dictionary, &arguments)?;
        let value = |blocks: &Blocks| match blocks {
            Blocks::Known(blocks) => Ok(self.entry.constant(index, *blocks)?),
            Blocks::AtRunTime(text) => Ok::<_, Failure>(sizes.value(text)?),
        };
        let (mut x, y) = (value(&facts.grid[0])?, value(&facts.grid[1])?);
        if let Some(most) = facts.most {
            x = self.entry.binary("arith.minsi", x, self.entry.constant(index, most)?)?;
        }
        Ok([x, y])
    }

    /// The empty host function, its buffers' builder, and the builder of its body.
    fn host_function(
        outer: Builder<'c>,
        kernel: OperationRef<'c, 'c>,
        old: BlockRef<'c, 'c>,
        facts: &Facts,
    ) -> Result<(Self, Builder<'c>), Failure> {
        let context = outer.context();
        let arguments: Vec<Val<'c>> =
            (0..old.argument_count()).map(|i| tree::argument(old, i)).collect();
        let types: Vec<Type<'c>> = arguments.iter().map(|argument| argument.r#type()).collect();
        let (region, inner) = outer.region_with(&types);
        let end = inner.operation("func.return", &[], &[], &[], vec![])?;
        let function_type = FunctionType::new(context, &types, &[]);
        let attributes = [
            ("sym_name", StringAttribute::new(context, &facts.name).into()),
            ("function_type", TypeAttribute::new(function_type.into()).into()),
            facts.attribute(kernel)?,
        ];
        let function = outer.operation("func.func", &[], &[], &attributes, vec![region])?;
        if let Some(dictionary) = tree::argument_attributes(kernel) {
            tree::set_argument_attributes(function, &dictionary);
        }
        let new = tree::entry(function).ok_or_else(|| refused("expected a function body"))?;
        let body = Builder::before(end);
        // Buffers go before a marker that stays first in the body.
        let marker = body.constant(Type::index(context), facts.threads)?;
        let entry = Builder::before(
            tree::definition(marker)
                .ok_or_else(|| refused("expected a constant to be an operation"))?,
        );
        let shared = arguments
            .iter()
            .enumerate()
            .map(|(i, &argument)| (tree::key(argument), tree::argument(new, i)))
            .collect();
        let this = Self {
            context,
            threads: facts.threads,
            entry,
            threaded: HashSet::new(),
            shared,
            registers: HashMap::new(),
            kept: HashMap::new(),
            exchanges: tree::all(kernel)
                .into_iter()
                .any(|operation| exchange::is_exchange(&tree::name(operation))),
        };
        Ok((this, body))
    }

    /// Finds out which values depend on the thread, and makes all buffers.
    fn classify(
        &mut self,
        kernel: OperationRef<'c, 'c>,
        [block_x, block_y, blocks_x]: [Val<'c>; 3],
    ) -> Result<(), Located<'c>> {
        for operation in tree::all(kernel) {
            let name = tree::name(operation);
            let results = (0..operation.result_count()).map(|i| result(operation, i));
            let depends = (0..operation.operand_count())
                .any(|i| self.threaded.contains(&tree::key(operand(operation, i))));
            match name.as_str() {
                "gpu.thread_id" => self.threaded.extend(results.map(tree::key)),
                "gpu.block_id" => {
                    let block = match dimension(operation).as_str() {
                        "x" => block_x,
                        "y" => block_y,
                        other => {
                            let message = format!("expected blocks along x and y, found {other}");
                            return Err((operation, refused(message)));
                        }
                    };
                    self.shared.extend(results.map(|value| (tree::key(value), block)));
                }
                "gpu.grid_dim" => match dimension(operation).as_str() {
                    "x" => self.shared.extend(results.map(|value| (tree::key(value), blocks_x))),
                    other => {
                        let message =
                            format!("expected the number of blocks along x, found {other}");
                        return Err((operation, refused(message)));
                    }
                },
                "layout.alloc" => {
                    self.buffer(operation).map_err(|failure| (operation, failure))?;
                }
                // It is read where the piece that uses it is.
                "layout.load" => self.threaded.extend(results.map(tree::key)),
                name if exchange::is_exchange(name) => {
                    self.threaded.extend(results.map(tree::key));
                }
                _ if depends => self.threaded.extend(results.map(tree::key)),
                _ => {}
            }
        }
        Ok(())
    }

    /// A shared buffer stays one; a register buffer gets a last mode, the thread.
    fn buffer(&mut self, alloc: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let old = first_result(alloc);
        let view = ViewType::try_from(old.r#type())?;
        if view.space() != layout_dialect::Space::Register {
            let new = self.entry.value("layout.alloc", &[], old.r#type(), &[])?;
            self.shared.insert(tree::key(old), new);
            return Ok(());
        }
        let layout = view.layout()?;
        let layout_algebra::AnyLayout::Plain(layout) = layout else {
            return Err(refused(format!("expected plain registers, found {layout}")));
        };
        let mut modes = layout.modes();
        let own = layout.cosize()?;
        modes.push(format!("{}:{own}", self.threads).parse()?);
        let all = Layout::make_layout(&modes)?;
        let text = format!("!layout.view<{}, register, {all}>", view.element_type());
        let new = self.entry.value("layout.alloc", &[], self.parse(&text)?, &[])?;
        self.registers.insert(tree::key(old), new);
        self.threaded.insert(tree::key(old));
        Ok(())
    }

    /// Rewrites a block's operations, in order, at `b`.
    fn block(&mut self, old: BlockRef<'c, 'c>, b: Builder<'c>) -> Result<(), Located<'c>> {
        let mut piece = None;
        for operation in tree::operations(old) {
            let b = b.with_location(operation.location());
            self.operation(operation, b, &mut piece).map_err(|located| match located {
                Ok(located) => located,
                Err(failure) => (operation, failure),
            })?;
        }
        Ok(())
    }

    fn operation(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        piece: &mut Option<ThreadLoop<'c>>,
    ) -> Result<(), Result<Located<'c>, Failure>> {
        let name = tree::name(operation);
        match name.as_str() {
            // The first three have values already; the others end a function or a loop that exists.
            "gpu.block_id" | "gpu.grid_dim" | "layout.alloc" | "gpu.return" | "scf.yield"
            | "layout.yield" => Ok(()),
            // One thread's writes are seen by the next piece, copies are done when they are issued, and one kernel runs
            // after the other.
            "gpu.barrier"
            | "nvvm.barrier"
            | "nvvm.fence.proxy"
            | "nvvm.cp.async.commit.group"
            | "nvvm.cp.async.wait.group"
            | "nvvm.cp.async.bulk.commit.group"
            | "nvvm.cp.async.bulk.wait_group"
            | "nvvm.griddepcontrol" => {
                *piece = None;
                Ok(())
            }
            "scf.for" | "scf.if" if self.is_own(operation) => {
                let open = self.piece(piece, b).map_err(Err)?;
                self.in_branch(operation, open).map_err(Err)
            }
            "scf.for" => {
                *piece = None;
                self.shared_loop(operation, b)
            }
            "scf.if" => {
                *piece = None;
                self.shared_branch(operation, b)
            }
            "layout.pipeline" => {
                *piece = None;
                self.pipeline(operation, b)
            }
            "layout.mma" => {
                *piece = None;
                self.mma(operation, b).map_err(Err)
            }
            "layout.copy" => {
                let atom = layout_dialect::ops::atom(operation).map_err(|e| Err(e.into()))?;
                match atom.copy_kind() {
                    Some(CopyKind::Ldmatrix { .. }) => {
                        *piece = None;
                        return self
                            .collective_copy(operation, atom, Direction::Load, b)
                            .map_err(Err);
                    }
                    Some(CopyKind::Stmatrix { .. }) => {
                        *piece = None;
                        return self
                            .collective_copy(operation, atom, Direction::Store, b)
                            .map_err(Err);
                    }
                    Some(kind) if kind.is_bulk_load() => {
                        *piece = None;
                        return self.bulk_load(operation, b).map_err(Err);
                    }
                    Some(kind) if kind.is_bulk_store() => {
                        *piece = None;
                        return self.bulk_store(operation, b).map_err(Err);
                    }
                    _ => {}
                }
                let piece = self.piece(piece, b).map_err(Err)?;
                self.per_thread_copy(piece, operation, atom).map_err(Err)
            }
            "layout.copy_im2col" => self.copy_im2col(operation, b, piece).map_err(Err),
            "layout.fill" | "layout.store" | "layout.atomic" | "layout.load" => {
                let open = self.piece(piece, b).map_err(Err)?;
                self.clone_into(open, operation).map_err(Err)?;
                if name != "layout.load" || !self.exchanges {
                    return Ok(());
                }
                let (old, thread, b) = (result(operation, 0), open.thread, open.b);
                let new = self.value(open, old).map_err(Err)?;
                let kept = ThreadLoop { b, thread, values: HashMap::new() };
                self.keep(&kept, old, new).map_err(Err)
            }
            "gpu.shuffle" => self.shuffle(operation, b, piece).map_err(Err),
            "gpu.subgroup_reduce" => self.reduce(operation, b, piece).map_err(Err),
            _ if !is_pure(&name) => Err(Err(refused(format!(
                "expected an operation that layout-serialize knows, found {name}"
            )))),
            // Computed again in each piece that needs it.
            _ if (0..operation.result_count())
                .any(|i| self.threaded.contains(&tree::key(result(operation, i)))) =>
            {
                Ok(())
            }
            // In front of the open piece, which may use the result.
            _ => {
                let open = piece.as_ref().and_then(|piece| piece.b.outside());
                self.clone_shared(operation, open.unwrap_or(b)).map_err(Err)
            }
        }
    }

    /// A loop that all threads share stays a loop, around pieces.
    fn shared_loop(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Result<Located<'c>, Failure>> {
        if operation.operand_count() != 3 {
            return Err(Err(refused("expected a loop without carried values in a tile program")));
        }
        let bound = |i| {
            self.shared.get(&tree::key(operand(operation, i))).copied().ok_or_else(|| {
                let found = ["a lower bound", "an upper bound", "a step"][i];
                Err(warpgroup::uneven("loop", found))
            })
        };
        let bounds = [bound(0)?, bound(1)?, bound(2)?];
        let (inner, induction) = b.open_loop(bounds).map_err(|e| Err(e.into()))?;
        if operation.attribute("unsignedCmp").is_ok() {
            let counter = BlockArgument::try_from(induction).map_err(|e| Err(e.into()))?;
            let body = counter.owner();
            let made = body.parent_operation().ok_or_else(|| Err(refused("expected a loop")))?;
            tree::set_attribute(made, "unsignedCmp", Attribute::unit(b.context()));
        }
        let old = tree::entry(operation).ok_or_else(|| Err(refused("expected a loop body")))?;
        self.shared.insert(tree::key(tree::argument(old, 0)), induction);
        self.block(old, inner).map_err(Ok)
    }

    /// A uniform branch stays one, around pieces.
    fn shared_branch(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Result<Located<'c>, Failure>> {
        if operation.result_count() != 0 {
            return Err(Err(refused("expected a branch without results in a tile program")));
        }
        let condition = self.shared.get(&tree::key(operand(operation, 0))).copied();
        let condition = condition
            .ok_or_else(|| Err(refused("expected a branch that is uniform in the block")))?;
        let mut regions = Vec::new();
        for number in 0..2 {
            let region = operation.region(number).map_err(|error| Err(error.into()))?;
            let Some(old) = region.first_block() else {
                regions.push(melior::ir::Region::new());
                continue;
            };
            // SAFETY: the block is owned by the operation's region.
            let old = unsafe { BlockRef::from_raw(old.to_raw()) };
            let (region, inner) = b.region();
            let end = inner.operation("scf.yield", &[], &[], &[], vec![]);
            let end = end.map_err(|error| Err(error.into()))?;
            self.block(old, Builder::before(end)).map_err(Ok)?;
            regions.push(region);
        }
        b.operation("scf.if", &[condition], &[], &[], regions).map_err(|e| Err(e.into()))?;
        Ok(())
    }

    /// The piece that is being filled, or a new one.
    fn piece<'p>(
        &self,
        piece: &'p mut Option<ThreadLoop<'c>>,
        b: Builder<'c>,
    ) -> Result<&'p mut ThreadLoop<'c>, Failure> {
        if piece.is_none() {
            *piece = Some(self.new_piece(b)?);
        }
        piece.as_mut().ok_or_else(|| refused("expected a piece"))
    }

    fn new_piece(&self, b: Builder<'c>) -> Result<ThreadLoop<'c>, Failure> {
        let (b, thread) = b.open_count(self.threads)?;
        Ok(ThreadLoop { b, thread, values: HashMap::new() })
    }

    /// A copy of one thread: what was asynchronous happens at once, in vectors of the same width.
    fn per_thread_copy(
        &self,
        piece: &mut ThreadLoop<'c>,
        operation: OperationRef<'c, 'c>,
        atom: &layout_dialect::atoms::Atom,
    ) -> Result<(), Failure> {
        let operands = (0..operation.operand_count())
            .map(|i| self.value(piece, operand(operation, i)))
            .collect::<Result<Vec<_>, _>>()?;
        let element = ViewType::try_from(operands[0].r#type())?.element_type();
        let bytes = layout_dialect::types::element_bytes(element)
            .ok_or_else(|| refused(format!("expected elements of whole bytes, found {element}")))?;
        let run = atom.elements(bytes).ok_or_else(|| {
            refused(format!("expected elements that {} can move, found {element}", atom.name))
        })?;
        let limits: Vec<i64> = layout_dialect::ops::predicates(operation)?
            .iter()
            .map(|predicate| predicate.limit.known().unwrap_or(Limit::DYNAMIC))
            .collect();
        self.copy(&piece.b, &format!("simt_{run}"), &operands, &limits)
    }

    /// Emits a copy with the given atom.
    fn copy(
        &self,
        b: &Builder<'c>,
        atom: &str,
        operands: &[Val<'c>],
        limits: &[i64],
    ) -> Result<(), Failure> {
        let atom = self.attribute(&format!("#layout.atom<{atom}>"))?;
        let limits = DenseI64ArrayAttribute::new(self.context, limits).into();
        let attributes = [("atom", atom), ("limits", limits)];
        b.operation("layout.copy", operands, &[], &attributes, vec![])?;
        Ok(())
    }

    /// The value of `old` in a piece: shared, made before, or made now.
    fn value(&self, piece: &mut ThreadLoop<'c>, old: Val<'c>) -> Result<Val<'c>, Failure> {
        let key = tree::key(old);
        if let Some(&value) = self.shared.get(&key).or_else(|| piece.values.get(&key)) {
            return Ok(value);
        }
        if let Some(&all) = self.registers.get(&key) {
            let value = self.own_registers(&piece.b, all, piece.thread)?;
            piece.values.insert(key, value);
            return Ok(value);
        }
        if let Some(value) = self.kept(piece, old)? {
            piece.values.insert(key, value);
            return Ok(value);
        }
        let definition = tree::definition(old)
            .ok_or_else(|| refused("expected a value that a tile program computes"))?;
        let name = tree::name(definition);
        if name == "gpu.thread_id" {
            return match dimension(definition).as_str() {
                "x" => Ok(piece.thread),
                other => Err(refused(format!("expected threads along x, found {other}"))),
            };
        }
        if !is_pure(&name) {
            return Err(refused(format!(
                "expected no value of {name} to be used past a barrier or a shuffle"
            )));
        }
        self.clone_into(piece, definition)?;
        piece.values.get(&key).copied().ok_or_else(|| refused("expected the value just made"))
    }

    /// One thread's part of a register buffer.
    fn own_registers(
        &self,
        b: &Builder<'c>,
        all: Val<'c>,
        thread: Val<'c>,
    ) -> Result<Val<'c>, Failure> {
        let rank = view_rank(all)?;
        self.slice(b, all, &format!("({}?)", "_,".repeat(rank - 1)), &[thread])
    }

    fn slice(
        &self,
        b: &Builder<'c>,
        view: Val<'c>,
        pattern: &str,
        coordinates: &[Val<'c>],
    ) -> Result<Val<'c>, Failure> {
        let mut operands = vec![view];
        operands.extend_from_slice(coordinates);
        let coordinate = b.string(pattern);
        Ok(first_result(b.inferred("layout.slice", &operands, &[("coord", coordinate)])?))
    }

    fn compose(&self, b: &Builder<'c>, view: Val<'c>, term: &str) -> Result<Val<'c>, Failure> {
        let term = self.attribute(&format!("#layout<{term}>"))?;
        Ok(first_result(b.inferred("layout.composition", &[view], &[("term", term)])?))
    }

    fn idx2crd(
        &self,
        b: &Builder<'c>,
        index: Val<'c>,
        shape: &str,
    ) -> Result<[Val<'c>; 2], Failure> {
        let shape = self.attribute(&format!("#layout<{shape}>"))?;
        let operation = b.inferred("layout.idx2crd", &[index], &[("shape", shape)])?;
        Ok([result(operation, 0), result(operation, 1)])
    }

    fn clone_into(
        &self,
        piece: &mut ThreadLoop<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let operands = (0..operation.operand_count())
            .map(|i| self.value(piece, operand(operation, i)))
            .collect::<Result<Vec<_>, _>>()?;
        let new = tree::clone_with(&piece.b, operation, &operands);
        for i in 0..operation.result_count() {
            piece.values.insert(tree::key(result(operation, i)), result(new, i));
        }
        Ok(())
    }

    fn clone_shared(
        &mut self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
    ) -> Result<(), Failure> {
        let operands = (0..operation.operand_count())
            .map(|i| {
                self.shared
                    .get(&tree::key(operand(operation, i)))
                    .copied()
                    .ok_or_else(|| refused("expected operands that all threads share"))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let new = tree::clone_with(&b, operation, &operands);
        for i in 0..operation.result_count() {
            self.shared.insert(tree::key(result(operation, i)), result(new, i));
        }
        Ok(())
    }

    fn parse(&self, text: &str) -> Result<Type<'c>, Failure> {
        Ok(Type::parse(self.context, text)
            .ok_or_else(|| melior::Error::TypeExpected("view", text.to_owned()))?)
    }

    fn attribute(&self, text: &str) -> Result<melior::ir::Attribute<'c>, Failure> {
        Ok(melior::ir::Attribute::parse(self.context, text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))?)
    }
}

/// Operations that may be computed again.
fn is_pure(name: &str) -> bool {
    name.starts_with("arith.")
        || name.starts_with("math.")
        || matches!(
            name,
            "gpu.thread_id"
                | "vector.bitcast"
                | "vector.broadcast"
                | "vector.extract"
                | "vector.from_elements"
                | "vector.insert"
                | "layout.constant"
                | "layout.identity_tensor"
                | "layout.make"
                | "layout.make_view"
                | "layout.select"
                | "layout.composition"
                | "layout.coalesce"
                | "layout.logical_divide"
                | "layout.zipped_divide"
                | "layout.slice"
                | "layout.idx2crd"
                | "layout.crd2idx"
                | "layout.size"
                | "layout.cosize"
        )
}

/// `x`, `y` or `z` of a `gpu.thread_id` or `gpu.block_id`.
fn dimension(operation: OperationRef<'_, '_>) -> String {
    operation
        .attribute("dimension")
        .map(|dimension| dimension.to_string())
        .unwrap_or_default()
        .trim_start_matches("#gpu<dim ")
        .trim_end_matches('>')
        .to_owned()
}

fn view_rank(view: Val<'_>) -> Result<usize, Failure> {
    Ok(ViewType::try_from(view.r#type())?.layout()?.inner().rank())
}
