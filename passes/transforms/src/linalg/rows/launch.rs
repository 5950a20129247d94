//! A kernel's module in front of the function, and its launch where the operation was.

use super::{
    coordinate::{CoordId, Coordinate},
    extent::Extent,
    graph::Graph,
    kernel::Kernel,
    plan::Root,
    pull::BOOLEAN,
    shape::Shape,
};
use crate::{
    grid,
    linalg::{
        contraction::{element, memref_of},
        views,
    },
    matmul::{HOST, unused},
};
use layout_dialect::{
    buffers::Buffer,
    build::{Builder, Val, context_of, first_result, result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use num_integer::div_ceil;

type Built<T> = Result<T, melior::Error>;

/// A view on its way: its layout's text, and what its integers at run time are.
pub(super) struct Layout<'c> {
    pub(super) shape: String,
    pub(super) stride: String,
    pub(super) integers: Vec<Extent<'c>>,
    /// The name of each mode's size, or the size.
    pub(super) modes: Vec<String>,
}

impl<'c> Layout<'c> {
    /// Rows without gaps; names of sizes begin with `prefix`.
    fn of(extents: &[Extent<'c>], prefix: &str) -> Built<Self> {
        let refused = |_| melior::Error::OperationBuild;
        let mut integers = Vec::new();
        // A manifest has each by a name of its own.
        let mut text = |extent: &Extent<'c>| match extent {
            Extent::Known(known) => (known.to_string(), None),
            other => {
                integers.push(other.clone());
                let number = integers.len() - 1;
                let divisor = match other.divisor() {
                    ..=1 => String::new(),
                    divisor => format!(" div={divisor}"),
                };
                (format!("?{number}{{i64{divisor}}}"), Some(number))
            }
        };
        let (mut shape, mut modes) = (Vec::new(), Vec::new());
        for extent in extents {
            let (own, number) = text(extent);
            modes.push(number.map_or(own.clone(), |number| name(prefix, number)));
            shape.push(own);
        }
        let mut strides = Vec::with_capacity(extents.len());
        for i in 0..extents.len() {
            let stride = Extent::product(extents[i + 1..].to_vec()).map_err(refused)?;
            strides.push(text(&stride).0);
        }
        let join = |all: &[String]| match all {
            [] => None,
            [one] => Some(one.clone()),
            all => Some(format!("({})", all.join(","))),
        };
        Ok(Self {
            shape: join(&shape).unwrap_or_else(|| "1".to_owned()),
            stride: join(&strides).unwrap_or_else(|| "0".to_owned()),
            integers,
            modes,
        })
    }

    /// The view of a memref.
    pub(super) fn emit(&self, b: &Builder<'c>, memref: Val<'c>) -> Built<Val<'c>> {
        let text = format!("{}:{}", self.shape, self.stride);
        let r#type = Type::parse(b.context(), &format!("!layout<{text}>"))
            .ok_or_else(|| melior::Error::TypeExpected("layout", text.clone()))?;
        let memref = views::on_device(b, bytes(b, memref)?)?;
        let layout = match self.integers.as_slice() {
            [] => {
                let term = Attribute::parse(b.context(), &format!("#layout<{text}>"))
                    .ok_or(melior::Error::AttributeParse(text))?;
                b.value("layout.constant", &[], r#type, &[("term", term)])?
            }
            integers => {
                let wide = integers.iter().map(|integer| {
                    b.value("arith.index_cast", &[integer.emit(b)?], b.integer(64), &[])
                });
                let wide = wide.collect::<Built<Vec<_>>>()?;
                b.value("layout.make", &wide, r#type, &[])?
            }
        };
        Ok(first_result(b.inferred("layout.make_view", &[memref, layout], &[])?))
    }
}

/// A memref of booleans as one of bytes, which it is in memory; any other one as it is.
fn bytes<'c>(b: &Builder<'c>, memref: Val<'c>) -> Built<Val<'c>> {
    let of = element(memref).map_err(|_| melior::Error::OperationBuild)?;
    if of.to_string() != BOOLEAN {
        return Ok(memref);
    }
    let text = memref.r#type().to_string().replacen(BOOLEAN, "i8", 1);
    let r#type = Type::parse(b.context(), &text).ok_or(melior::Error::OperationBuild)?;
    b.value("builtin.unrealized_conversion_cast", &[memref], r#type, &[])
}

/// The name of a size of a view.
pub(super) fn name(prefix: &str, number: usize) -> String {
    format!("{prefix}_{number}")
}

/// Makes the kernel of an operation, launches it where the operation is, and lets all users read what it writes.
pub(super) fn emit<'c>(root: OperationRef<'c, '_>, own: &Root<'c>, chip: &str) -> Built<()> {
    let (operation, mut graph) = (own.operation, own.graph.clone());
    let b = Builder::before(operation);
    let mut around = tree::ancestors(operation);
    let function = around.find(|around| around.parent_operation().is_some_and(is_module));
    let function = function.ok_or(melior::Error::OperationBuild)?;
    let refused = |_| melior::Error::OperationBuild;
    let extents = own
        .results
        .iter()
        .map(|&number| Extent::all(result(operation, number)).map_err(refused))
        .collect::<Built<Vec<_>>>()?;
    if extents.iter().flatten().any(|extent| *extent == Extent::Known(0)) {
        // Nothing is computed.
        for &number in &own.results {
            let tensor = result(operation, number);
            let all = Extent::all(tensor).map_err(refused)?;
            let sizes = at_run_time(&b, tensor.r#type(), &all)?;
            tree::replace_uses(tensor, b.value("tensor.empty", &sizes, tensor.r#type(), &[])?);
        }
        return Ok(());
    }
    let mut operands = Vec::new();
    let mut names = Vec::new();
    for (i, &tensor) in graph.tensors.iter().enumerate() {
        let memref = views::read_only(&b, tensor)?;
        let prefix = format!("x{i}");
        let layout = Layout::of(&Extent::all(tensor).map_err(refused)?, &prefix)?;
        names.extend((0..layout.integers.len()).map(|number| name(&prefix, number)));
        operands.push(layout.emit(&b, memref)?);
    }
    let mut written = Vec::new();
    let mut modes = Vec::new();
    for (i, extents) in extents.iter().enumerate() {
        let tensor = result(operation, own.results[i]);
        let memref = allocate(&b, tensor.r#type(), extents)?;
        let prefix = format!("y{i}");
        let layout = Layout::of(extents, &prefix)?;
        names.extend((0..layout.integers.len()).map(|number| name(&prefix, number)));
        operands.push(layout.emit(&b, memref)?);
        written.push((tensor, memref));
        if i == 0 {
            modes = layout.modes;
        }
    }
    operands.extend(&graph.scalars);
    for size in &graph.sizes {
        operands.push(size.emit(&b)?);
    }
    graph.join_loops();
    let shape = Shape::of(&graph);
    let threads = shape.threads;
    let grid = Grid::of(&graph, &shape, &extents[0], &modes)?;
    let kind = if graph.rows.is_some() { "rows" } else { "elements" };
    let symbol = symbol(function).unwrap_or_else(|| "main".to_owned());
    let kernel = unused(root, &format!("{symbol}_{kind}"));
    let types: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let facts = format!(
        "{{grid = [{}], block = array<i64: {threads}, 1, 1>, chip = \"{chip}\", sizes = [{}]}}",
        grid.text,
        names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
    );
    let (entry, body) = module(function, &kernel, &types, (&facts, threads), operation)?;
    let parameters: Vec<Val<'c>> = (0..types.len()).map(|i| entry.argument(i)).collect();
    Kernel::new(&mut graph, shape, entry, &parameters).emit(body)?;
    launch(&b, &kernel, (grid.emit(&b)?, threads), &operands)?;
    if let Some(around) = function.parent_operation() {
        tree::set_attribute(around, "gpu.container_module", Attribute::unit(b.context()));
    }
    tree::set_attribute(function, HOST, Attribute::unit(b.context()));
    for (tensor, memref) in written {
        let unit = Attribute::unit(b.context());
        let flags = [("restrict", unit), ("writable", unit)];
        let made = b.value("bufferization.to_tensor", &[memref], tensor.r#type(), &flags)?;
        tree::replace_uses(tensor, made);
    }
    Ok(())
}

/// The blocks of a launch: rows, or elements, by how many a block has.
struct Grid<'c> {
    text: String,
    count: Extent<'c>,
    per_block: i64,
}

impl<'c> Grid<'c> {
    fn of(
        graph: &Graph<'c>,
        shape: &Shape,
        extents: &[Extent<'c>],
        modes: &[String],
    ) -> Built<Self> {
        // A block has a tile of two loops, whose last ones may reach beyond them.
        let tile = shape.tile.as_ref();
        let is_tiled = |number: &usize| tile.is_some_and(|tile| tile.loops().contains(number));
        let (mut extents, mut names): (Vec<Extent<'c>>, Vec<String>) = graph
            .row_loops()
            .into_iter()
            .filter(|number| !is_tiled(number))
            .map(|number| Self::size(graph, number, extents, modes))
            .collect::<Option<Vec<_>>>()
            .ok_or(melior::Error::OperationBuild)?
            .into_iter()
            .unzip();
        if let Some(tiles) = tile.map(|tile| tile.count(graph)) {
            extents.push(Extent::Known(tiles));
            names.push(tiles.to_string());
        }
        let count = Extent::product(extents).map_err(|_| melior::Error::OperationBuild)?;
        let per_block = shape.rows(graph);
        let text = match count.known() {
            Some(count) => format!("{} : i64", div_ceil(count.max(1), per_block)),
            // At least one block, which finds nothing to do.
            None => format!("\"ceil_div({}+1,{per_block})\"", names.join("*")),
        };
        Ok(Self { text, count, per_block })
    }

    /// The size of a loop of the result, and its name.
    fn size(
        graph: &Graph<'c>,
        number: usize,
        extents: &[Extent<'c>],
        modes: &[String],
    ) -> Option<(Extent<'c>, String)> {
        if let Some(known) = graph.coordinates.known(graph.loops[number]) {
            return Some((Extent::Known(known), known.to_string()));
        }
        // Digits of a dimension are known.
        let is_own = |at: &CoordId| *graph.coordinates.get(*at) == Coordinate::Loop(number);
        let place = graph.outputs.first()?.at.iter().position(is_own)?;
        Some((extents[place].clone(), modes[place].clone()))
    }

    fn emit(&self, b: &Builder<'c>) -> Built<Val<'c>> {
        let index = Type::index(b.context());
        if let Some(count) = self.count.known() {
            return b.constant(index, div_ceil(count.max(1), self.per_block));
        }
        let per_block = b.constant(index, self.per_block)?;
        let more = b.binary("arith.addi", self.count.emit(b)?, per_block)?;
        b.binary("arith.divui", more, per_block)
    }
}

/// A module with one kernel in front of a function: builders of the kernel's registers and of its body.
pub(super) fn module<'c>(
    function: OperationRef<'c, 'c>,
    name: &str,
    types: &[Type<'c>],
    (facts, threads): (&str, i64),
    at: OperationRef<'c, 'c>,
) -> Built<(Builder<'c>, Builder<'c>)> {
    let context = context_of(function);
    let b = Builder::before(function).with_location(at.location());
    let (region, inside) = b.region();
    let (body, kernel) = inside.region_with(types);
    let end = kernel.operation("gpu.return", &[], &[], &[], vec![])?;
    let facts = Attribute::parse(context, facts)
        .ok_or_else(|| melior::Error::AttributeParse(facts.to_owned()))?;
    let threads = i32::try_from(threads).unwrap_or(i32::MAX);
    let attributes = [
        ("sym_name", b.string(name)),
        ("function_type", TypeAttribute::new(FunctionType::new(context, types, &[]).into()).into()),
        ("gpu.kernel", Attribute::unit(context)),
        ("known_block_size", DenseI32ArrayAttribute::new(context, &[threads, 1, 1]).into()),
        ("layout.kernel", facts),
    ];
    inside.operation("gpu.func", &[], &[], &attributes, vec![body])?;
    b.operation("gpu.module", &[], &[], &[("sym_name", b.string(name))], vec![region])?;
    let body = Builder::before(end);
    // Registers are in front of the first operation of the body, which this is.
    let first = body.constant(Type::index(context), 0)?;
    let first = tree::definition(first).ok_or(melior::Error::OperationBuild)?;
    Ok((Builder::before(first), body))
}

fn launch<'c>(
    b: &Builder<'c>,
    kernel: &str,
    (blocks, threads): (Val<'c>, i64),
    operands: &[Val<'c>],
) -> Built<()> {
    let index = Type::index(b.context());
    let one = b.constant(index, 1)?;
    let extents = [blocks, one, one, b.constant(index, threads)?, one, one];
    grid::launch(b, (kernel, kernel), extents, operands)
}

/// The sizes that a tensor's type does not say.
fn at_run_time<'c>(
    b: &Builder<'c>,
    tensor: Type<'c>,
    extents: &[Extent<'c>],
) -> Built<Vec<Val<'c>>> {
    let r#type = memref_of(tensor).ok_or(melior::Error::OperationBuild)?;
    let declared =
        Buffer::of(r#type).ok().flatten().map(|found| found.extents()).unwrap_or_default();
    let open = extents.iter().zip(declared).filter(|(_, declared)| declared.is_none());
    open.map(|(extent, _)| extent.emit(b)).collect()
}

/// Memory for a result.
pub(super) fn allocate<'c>(
    b: &Builder<'c>,
    tensor: Type<'c>,
    extents: &[Extent<'c>],
) -> Built<Val<'c>> {
    let r#type = memref_of(tensor).ok_or(melior::Error::OperationBuild)?;
    views::allocate_sizes(b, r#type, &at_run_time(b, tensor, extents)?)
}

pub(super) fn symbol(function: OperationRef<'_, '_>) -> Option<String> {
    tree::symbol(function)
}

pub(super) fn is_module(operation: OperationRef<'_, '_>) -> bool {
    tree::name(operation) == "builtin.module"
}
