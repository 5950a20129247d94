//! `layout-lower`: lowers all layout operations to upstream dialects; no operation or type of `layout` remains.
//!
//! Views become pointers and offsets ([`address`]), copies and multiply-accumulates become the
//! instructions that their atoms name ([`copy`], [`mma`]), elements that change their type conversions
//! ([`convert`]), buffers become stack slots and one
//! dynamic shared buffer ([`memory`]); what is filled or copied and partly static becomes loops
//! ([`elements`]). A function's view arguments become pointers.
//!
//! Functions of `math` that no target has become arithmetic ([`math`]).
//!
//! Partly static layouts and tuples become the integers that their types leave open
//! ([`value`]); so do a function's arguments of these types.
//!
//! The pass decides nothing about layouts: every offset is the algebra's evaluation of the layout
//! that is in a type.

mod address;
pub(crate) mod ahead;
mod barriers;
mod bounds;
mod bulk;
pub(crate) mod casts;
mod cluster;
mod convergent;
mod convert;
mod copy;
mod digits;
mod elements;
pub(crate) mod function;
mod groups;
mod im2col;
pub(crate) mod launch;
mod live_ranges;
mod math;
mod memory;
mod mma;
mod outer;
mod packed;
mod parameters;
mod pipeline;
mod plain;
mod pointers;
mod prepared;
mod reduce;
mod registers;
mod relate;
mod steps;
mod structure;
mod unroll;
mod value;
mod view;
pub(crate) mod warps;
mod wgmma;
mod width;

#[cfg(feature = "codegen")]
pub(crate) use bulk::EVICT_FIRST;
pub(crate) use function::{CHIP_ENTRIES, KERNEL};
pub(crate) use launch::{kernel_of, kernel_operands};
#[cfg(feature = "codegen")]
pub(crate) use memory::BUFFER_BYTES;
pub(crate) use parameters::mark_parameters;

use crate::check;
use address::Address;
use convert::Conversions;
use digits::shape_digits;
use layout_algebra::AnyLayout;
use layout_dialect::{
    LayoutType, ViewType,
    build::{Builder, Val, operand, result},
    fragments,
    passes::{PassOption, PassRun, Statistic},
    targets, tree,
};
use melior::{
    Context,
    ir::{OperationRef, Type, ValueLike, operation::OperationLike},
};
use std::collections::HashMap;

const REUSED: &str = "shared-bytes-reused";

/// The pass's counters.
pub(crate) const STATISTICS: &[Statistic] = &[Statistic {
    name: REUSED,
    description: "bytes of shared memory that buffers share whose lifetimes do not overlap",
}];

/// The pass's options.
pub(crate) const OPTIONS: &[PassOption] = &[PassOption {
    name: "plain",
    description: "Whether offsets are computed by the definition of a layout, a quotient, a \
                  remainder and a product for each extent: the baseline of measurements",
    initial: "false",
}];

/// Why a lowering stopped.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The program requires what the target cannot do; says what was expected and found.
    #[error("{0}")]
    Refused(String),
    /// A layout could not be evaluated.
    #[error("{0}")]
    Algebra(#[from] layout_algebra::Error),
    /// The known facts of a value do not suffice.
    #[error("{0}")]
    Violation(#[from] layout_dialect::Violation),
    /// MLIR refused an operation; its own diagnostic has been emitted.
    #[error("cannot build the lowered operation: {0}")]
    Ir(#[from] melior::Error),
}

impl Failure {
    fn refused(message: impl Into<String>) -> Self {
        Self::Refused(message.into())
    }

    fn overflow() -> Self {
        Self::refused("expected offsets below 2^63, found one that is larger")
    }
}

/// Where a function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// In a `gpu.func`, or in a function of its module: one thread of many.
    Device,
    /// In a `func.func`: one thread of the host, all memory alike.
    Host,
}

/// The state of one function's lowering.
pub(crate) struct Lowering<'c> {
    context: &'c Context,
    target: Target,
    function: OperationRef<'c, 'c>,
    /// Run-time forms of views, by value.
    views: HashMap<usize, Address<'c>>,
    /// The integers of partly static layouts and tuples, by value.
    integers: HashMap<usize, Vec<Val<'c>>>,
    /// The function's own parameters that are integers of views.
    sizes: HashMap<usize, function::Size>,
    /// Bytes of shared memory allocated so far.
    shared_bytes: i64,
    /// Their buffers, and which of these never live at once.
    placed: Vec<memory::Placed>,
    live_ranges: live_ranges::LiveRanges,
    /// The stack slots so far.
    slots: Vec<memory::Slot<'c>>,
    /// The tensor maps that bulk copies need so far.
    tensor_maps: Vec<bulk::Parameter<'c>>,
    /// Where one thread prepares a pipeline, before any of its copies.
    first: Option<Builder<'c>>,
    /// Inside a pipeline: its barriers and what is in flight.
    stage: Option<pipeline::Stage<'c>>,
    /// Whether offsets are computed as the definition of a layout says.
    plain: bool,
    /// The target's instructions for numbers of 8 bits.
    conversions: Conversions,
}

/// Lowers every function under `root`.
///
/// # Errors
///
/// The first operation that cannot be lowered, as a diagnostic at it; the IR is then partly
/// lowered and the pass has failed.
pub(crate) fn lower(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let plain = match pass.option("plain").as_str() {
        "true" => true,
        "false" => false,
        other => {
            let message = format!("expected true or false as the option 'plain', found '{other}'");
            layout_dialect::diagnostics::error(root, &message);
            return Err(());
        }
    };
    let modules = tree::inside(root, "gpu.module").into_iter();
    let own = modules.filter(|&module| !targets::is_foreign(module));
    let own: Vec<OperationRef<'_, '_>> = own.collect();
    for &module in &own {
        if tree::all(module).into_iter().any(|found| tree::name(found).starts_with("affine.")) {
            pass.run_pipeline("lower-affine", module)?;
        }
    }
    // Each module and each kernel reports all of its errors.
    let foreign = own.iter().filter(|&&module| !check::has_own_shared(module)).count();
    let kernels = own.into_iter().flat_map(|module| tree::inside(module, "gpu.func"));
    let lacking = kernels.filter(|&kernel| !check::has_instructions(kernel)).count();
    if foreign + lacking > 0 {
        return Err(());
    }
    let reused = lower_functions(root, plain)?;
    pass.count(REUSED, reused);
    launch::complete(root)
}

/// Lowers every function under `root`, and not what launches kernels; gives the bytes of shared memory that buffers have in common.
///
/// # Errors
///
/// Those of [`lower`].
pub(crate) fn lower_functions(root: OperationRef<'_, '_>, plain: bool) -> Result<u64, ()> {
    let mut outcome = Ok(0);
    for function in function::under(root).into_iter().filter(|&function| is_own(function)) {
        match Lowering::run(function, plain) {
            Ok(reused) => outcome = outcome.map(|all| all + reused),
            Err((operation, failure)) => {
                layout_dialect::diagnostics::error(operation, &failure.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

pub(crate) type Located<'c> = (OperationRef<'c, 'c>, Failure);

/// Whether a function is for this pass: kernels of another target and functions of the host without a layout, a tuple or
/// a view in them are left as they are.
pub(crate) fn is_own(function: OperationRef<'_, '_>) -> bool {
    if targets::is_foreign(function) {
        return false;
    }
    let is_kernels = |around| tree::name(around) == "gpu.module";
    function.parent_operation().is_some_and(is_kernels)
        || function.attribute(function::KERNEL).is_ok()
        || function::takes_values(function)
        || tree::all(function).into_iter().any(|operation| {
            tree::name(operation).starts_with("layout.") || function::touches_values(operation)
        })
}

impl<'c> Lowering<'c> {
    /// Lowers a function, and gives the bytes of shared memory that buffers of its have in common.
    fn run(function: OperationRef<'c, 'c>, plain: bool) -> Result<u64, Located<'c>> {
        let context = layout_dialect::build::context_of(function);
        // Functions that kernels call are beside them.
        let in_kernels =
            function.parent_operation().is_some_and(|op| tree::name(op) == "gpu.module");
        let is_device = in_kernels || tree::name(function) == "gpu.func";
        let target = if is_device { Target::Device } else { Target::Host };
        let mut lowering = Self {
            context,
            target,
            function,
            views: HashMap::new(),
            integers: HashMap::new(),
            shared_bytes: 0,
            placed: Vec::new(),
            live_ranges: live_ranges::LiveRanges::default(),
            slots: Vec::new(),
            sizes: HashMap::new(),
            tensor_maps: Vec::new(),
            first: None,
            stage: None,
            plain,
            conversions: Conversions::of(function, target),
        };
        Self::expand(function)?;
        fragments::write_out(function)
            .map_err(|(operation, refused)| (operation, refused.into()))?;
        if target == Target::Device {
            unroll::mark(function);
        }
        Self::write_out_elements(function, lowering.conversions)?;
        if tree::name(function) == "gpu.func" {
            lowering.live_ranges = live_ranges::LiveRanges::of(function);
        }
        lowering.convert_structure()?;
        let operations = function::layout_operations(function);
        function::only_layout_uses(function)?;
        lowering.arguments().map_err(|failure| (function, failure))?;
        for operation in function::outside_pipelines(function) {
            lowering.located(operation)?;
        }
        for operation in operations.into_iter().rev() {
            tree::erase(operation);
        }
        if target == Target::Device {
            reduce::lower(function)?;
            warps::lower(function)?;
            pointers::move_out_of_branches(function);
        }
        math::lower(function, target)?;
        casts::lower(function, lowering.conversions)?;
        let reused = lowering.reused_bytes();
        lowering.finish().map_err(|failure| (function, failure))?;
        Ok(reused)
    }

    /// Lowers an operation; a failure is at it.
    fn located(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), Located<'c>> {
        tracing::trace!(operation = %tree::name(operation), "lower");
        if tree::name(operation) == "layout.pipeline" {
            return self.pipeline(operation);
        }
        if tree::name(operation) == "layout.transaction" {
            return self.transaction(operation);
        }
        self.operation(operation).map_err(|failure| (operation, failure))
    }

    fn operation(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let b = Builder::before(operation);
        match tree::name(operation).as_str() {
            structure::CAST => self.cast(&b, operation),
            // Layout values are in their types.
            "layout.constant" => Ok(()),
            "layout.alloc" => self.alloc(operation),
            "layout.identity_tensor" => self.identity_tensor(&b, operation),
            "layout.make_view" => self.make_view(&b, operation),
            "layout.pointer" => self.pointer(&b, operation),
            "layout.recast" if is_view(result(operation, 0)) => self.recast(&b, operation),
            "layout.slice" if is_view(result(operation, 0)) => self.slice(&b, operation),
            "layout.idx2crd" if operation.attribute("shape").is_ok() => self.idx2crd(&b, operation),
            "layout.relate" => self.relate(&b, operation),
            "layout.crd2idx" if self.layout(operand(operation, 0)).is_ok() => {
                self.crd2idx(&b, operation)
            }
            "layout.load" => self.load(&b, operation),
            "layout.atomic" => self.atomic(&b, operation),
            "layout.store" => self.store(&b, operation),
            "layout.fill" => self.fill(&b, operation),
            "layout.copy" => self.copy(&b, operation),
            "layout.copy_im2col" => self.copy_im2col(&b, operation),
            "layout.mma" => self.mma(&b, operation),
            "layout.wait_mma" => self.wait_mma(&b, operation),
            "layout.barriers" => self.barriers(&b, operation),
            "layout.arrive" => self.arrive(&b, operation),
            "layout.wait" => self.wait_at_barrier(&b, operation),
            "layout.matmul" => Err(Failure::refused(
                "expected tiled kernels, found layout.matmul; run layout-tile-matmul before layout-lower",
            )),
            "layout.size" | "layout.cosize" | "layout.rank" | "layout.depth"
                if self.layout(operand(operation, 0)).is_ok() =>
            {
                self.static_value(&b, operation)
            }
            // An algebra operation on a view moves nothing.
            _ if operation.result_count() == 1 && is_view(result(operation, 0)) => {
                self.relay(operation)
            }
            _ => self.computed(&b, operation),
        }
    }

    /// An algebra operation on a view moves nothing.
    fn relay(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let address = self.view(operand(operation, 0))?.clone();
        self.bind_view(operation, address, step(operation, &["term"]))
    }

    fn slice(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let step = step(operation, &["coord"]);
        let source = operand(operation, 0);
        if self.is_partly(source) {
            let address = self.fixed(b, operation, 0)?;
            return self.bind_view(operation, address, step);
        }
        let value = result(operation, 0);
        let Ok(view) = view_type(value) else { return Ok(()) };
        let at = self.coordinate(b, operation, 1)?;
        let address = self.view(source)?;
        unroll::check_constants(operation, &at, address, source)?;
        let address = address.slice(b, &at, view.layout()?)?;
        self.bind(value, address.came_by(step));
        Ok(())
    }

    fn idx2crd(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let extents = layout_dialect::ops::idx2crd_extents(operation)?;
        let size = extents.iter().try_fold(1_i64, |size, &extent| size.checked_mul(extent));
        let narrow = size.is_some_and(|size| size < i64::from(i32::MAX) / 2);
        let index = operand(operation, 0);
        let offset_type = b.integer(if narrow && bounds::fits(index) { 32 } else { 64 });
        let index = address::cast(b, index, offset_type)?;
        for (i, digit) in shape_digits(&extents).iter().enumerate() {
            let value = if self.plain { digit.plainly(b, index)? } else { digit.of(b, index)? };
            let value = address::cast(b, value, Type::index(self.context))?;
            tree::replace_uses(result(operation, i), value);
        }
        Ok(())
    }

    fn crd2idx(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let source = operand(operation, 0);
        let at = self.coordinate(b, operation, 1)?;
        let layout = self.layout(source)?;
        let root = Address::root(
            b,
            layout,
            layout_dialect::Space::Coordinate,
            Type::index(self.context),
            None,
        )?
        .plainly(self.plain);
        let point =
            AnyLayout::Plain(layout_algebra::Layout::from_shape(layout_algebra::Tuple::Leaf(1))?);
        let point =
            match &root.layout {
                AnyLayout::Plain(_) => point,
                AnyLayout::Composed(composed) => AnyLayout::Composed(composed.with_inner(
                    layout_algebra::Layout::from_shape(layout_algebra::Tuple::Leaf(1))?,
                )),
            };
        let offset = root.slice(b, &at, point)?.offset(b, 0)?;
        let offset = address::cast(b, offset, Type::index(self.context))?;
        tree::replace_uses(result(operation, 0), offset);
        Ok(())
    }

    /// `size`, `cosize`, `rank`, `depth` of a static layout.
    fn static_value(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let name = tree::name(operation);
        let value = match name.as_str() {
            "layout.size" => self.layout(operand(operation, 0))?.size(),
            "layout.cosize" => self.layout(operand(operation, 0))?.cosize()?,
            "layout.rank" => count(self.layout(operand(operation, 0))?.inner().rank()),
            "layout.depth" => count(self.layout(operand(operation, 0))?.inner().depth()),
            _ => {
                return Err(Failure::refused(format!(
                    "expected an operation that layout-lower knows, found {name}"
                )));
            }
        };
        let value = b.constant(Type::index(self.context), value)?;
        tree::replace_uses(result(operation, 0), value);
        Ok(())
    }

    /// The layout of a view or of a layout value, if all of it is known.
    fn layout(&self, value: Val<'c>) -> Result<AnyLayout, Failure> {
        Ok(match ViewType::try_from(value.r#type()) {
            Ok(view) => view.layout()?,
            Err(_) => LayoutType::try_from(value.r#type())?.layout()?,
        })
    }

    fn bind(&mut self, value: Val<'c>, address: Address<'c>) {
        self.views.insert(tree::key(value), address);
    }

    fn view(&self, value: Val<'c>) -> Result<&Address<'c>, Failure> {
        self.views.get(&tree::key(value)).ok_or_else(|| {
            Failure::refused(
                "expected a view made by a layout operation or a function argument, found one \
                 carried by other control flow",
            )
        })
    }
}

/// The text of an operation's effect on its first operand: equal texts do the same.
fn step(operation: OperationRef<'_, '_>, attributes: &[&str]) -> String {
    let mut text = tree::name(operation);
    for name in attributes {
        if let Ok(attribute) = operation.attribute(name) {
            text.push_str(&format!(" {attribute}"));
        }
    }
    for i in 1..operation.operand_count() {
        text.push_str(&format!(" {:x}", tree::key(operand(operation, i))));
    }
    text
}

/// A count as an index; a layout's modes are bounded by its text.
fn count(modes: usize) -> i64 {
    i64::try_from(modes).unwrap_or(i64::MAX)
}

fn is_view(value: Val<'_>) -> bool {
    ViewType::from_type(value.r#type()).is_some()
}

fn view_type<'c>(value: Val<'c>) -> Result<ViewType<'c>, Failure> {
    Ok(ViewType::try_from(value.r#type())?)
}
