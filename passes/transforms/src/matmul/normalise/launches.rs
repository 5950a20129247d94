//! Launches a matmul's kernels where the matmul was, in a function that does other things: the copies before it, its own, and
//! what runs after it, with workspaces that live as long.

use crate::{
    grid::{self, Blocks},
    matmul::Failure,
    pointers,
};
use layout_algebra::Layout;
use layout_dialect::{
    build::{Builder, Val, context_of, first_result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type,
    attribute::{DenseI32ArrayAttribute, DictionaryAttribute},
    operation::OperationLike,
};

/// The attribute of a kernel that says how it is launched.
pub(super) const KERNEL: &str = "layout.kernel";

/// Launches the kernels of a module in place of a matmul.
pub(crate) fn launch<'c>(
    root: OperationRef<'c, '_>,
    matmul: OperationRef<'c, 'c>,
    operands: &[Val<'c>],
    kernel: &str,
) -> Result<(), Failure> {
    let is_kernel = |operation: &OperationRef<'c, 'c>| {
        tree::symbol(*operation).is_some_and(|name| name == kernel)
            && operation.attribute(KERNEL).is_ok()
    };
    let made = tree::inside(root, "gpu.func").into_iter().find(is_kernel);
    let made =
        made.ok_or_else(|| Failure::Refused(format!("expected a kernel @{kernel}, found none")))?;
    let facts = DictionaryAttribute::try_from(made.attribute(KERNEL)?)?;
    let list = |key: &str| facts.element_by_name(key).and_then(tree::elements).unwrap_or_default();
    let b = Builder::before(matmul);
    let mut arguments = operands.to_vec();
    let mut memory = Vec::new();
    for workspace in list("workspaces") {
        let workspace = Workspace::of(DictionaryAttribute::try_from(workspace)?)?;
        let (held, view) = workspace.emit(&b)?;
        memory.push(held);
        arguments.push(view);
    }
    let sizes = grid::Sizes::of(b, facts, operands)?;
    let steps = |key: &str| -> Result<Vec<_>, Failure> {
        let steps = list(key).into_iter().map(DictionaryAttribute::try_from);
        Ok(steps.collect::<Result<_, _>>()?)
    };
    let own = (facts, kernel.to_owned());
    let named = |step: DictionaryAttribute<'c>| -> Result<_, Failure> {
        let name = step.element_by_name("name").ok_or(melior::Error::OperationBuild)?;
        Ok((step, tree::text(name).unwrap_or_default()))
    };
    let before = steps("before")?.into_iter().map(named);
    let after = steps("after")?.into_iter().map(named);
    for step in before.chain([Ok(own)]).chain(after) {
        let (facts, name) = step?;
        one(&b, &sizes, facts, (kernel, &name), &arguments)?;
    }
    for held in memory {
        b.operation("memref.dealloc", &[held], &[], &[], vec![])?;
    }
    // As the launch demands of the module around its kernels.
    if let Some(around) = made.parent_operation().and_then(|module| module.parent_operation()) {
        let unit = Attribute::unit(context_of(matmul));
        tree::set_attribute(around, "gpu.container_module", unit);
    }
    Ok(())
}

/// Launches one kernel of a module.
fn one<'c>(
    b: &Builder<'c>,
    sizes: &grid::Sizes<'c>,
    facts: DictionaryAttribute<'c>,
    (module, kernel): (&str, &str),
    arguments: &[Val<'c>],
) -> Result<(), Failure> {
    let index = Type::index(b.context());
    let mut all = Vec::new();
    for key in ["grid", "block"] {
        let extents = facts.element_by_name(key).ok_or(melior::Error::OperationBuild)?;
        for extent in grid::read(extents)? {
            all.push(match extent {
                Blocks::Known(extent) => b.constant(index, extent)?,
                Blocks::AtRunTime(text) => sizes.value(&text)?,
            });
        }
    }
    let extents = <[Val<'c>; 6]>::try_from(all).map_err(|_| melior::Error::OperationBuild)?;
    Ok(grid::launch(b, (module, kernel), extents, arguments)?)
}

/// Memory that kernels pass on to each other.
pub(crate) struct Workspace {
    pub(crate) element: String,
    pub(crate) layout: Layout,
}

impl Workspace {
    fn of(facts: DictionaryAttribute<'_>) -> Result<Self, Failure> {
        let text = |key: &str| -> Result<String, Failure> {
            let found = facts.element_by_name(key).ok_or(melior::Error::OperationBuild)?;
            Ok(tree::text(found).unwrap_or_default())
        };
        let layout = format!("{}:{}", text("shape")?, text("stride")?);
        let layout = layout.parse().map_err(|_| {
            Failure::Refused(format!(
                "expected workspaces of static size in a function with operations besides one matmul, found {layout}; choose a schedule without split_k or stream_k, or move the matmul to a function of its own"
            ))
        })?;
        Ok(Self { element: text("element")?, layout })
    }

    /// The memory, and a view of it.
    pub(crate) fn emit<'c>(&self, b: &Builder<'c>) -> Result<(Val<'c>, Val<'c>), Failure> {
        let parse = |text: String| {
            Type::parse(b.context(), &text).ok_or(melior::Error::TypeExpected("workspace", text))
        };
        let Self { element, layout } = self;
        let count = layout.cosize()?;
        let memory = parse(format!("memref<{count}x{element}>"))?;
        let segments = DenseI32ArrayAttribute::new(b.context(), &[0, 0]).into();
        let alignment = b.i64_attribute(pointers::ASSUMED);
        let attributes = [("alignment", alignment), ("operandSegmentSizes", segments)];
        let held = b.value("memref.alloc", &[], memory, &attributes)?;
        let on_device = parse(format!("memref<{count}x{element}, 1>"))?;
        let cast = b.value("memref.memory_space_cast", &[held], on_device, &[])?;
        let term = format!("#layout<{layout}>");
        let term =
            Attribute::parse(b.context(), &term).ok_or(melior::Error::AttributeParse(term))?;
        let constant = parse(format!("!layout<{layout}>"))?;
        let constant = b.value("layout.constant", &[], constant, &[("term", term)])?;
        let view = first_result(b.inferred("layout.make_view", &[cast, constant], &[])?);
        Ok((held, view))
    }
}
