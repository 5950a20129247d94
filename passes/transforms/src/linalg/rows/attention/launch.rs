//! Views of the operands of attention, the kernel's module in front of the function, and its launch.

use super::{
    super::{
        extent::Extent,
        launch::{Layout, allocate, is_module, module, name, symbol},
    },
    form::{Form, divisor},
    kernel::{self, THREADS, TILE},
    structure::Attention,
};
use crate::{
    grid,
    linalg::views,
    matmul::{HOST, unused},
};
use layout_dialect::{
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{Attribute, OperationRef, Type, ValueLike, operation::OperationLike};
use num_integer::div_ceil;

type Built<T> = Result<T, melior::Error>;

/// An operand as the kernel reads it: a matrix for each coordinate of the other loops that it has.
pub(super) struct KernelOperand<'c> {
    layout: Layout<'c>,
    /// The coordinate of a matrix, with `?` for each of these loops.
    pub(super) pattern: String,
    pub(super) loops: Vec<usize>,
}

impl<'c> KernelOperand<'c> {
    fn of(attention: &Attention<'c>, form: &Form<'c>, modes: [usize; 2]) -> Built<Self> {
        let own = attention.batch.iter().copied().filter(|own| form.strides.contains_key(own));
        let loops: Vec<usize> = own.collect();
        let mut integers = Vec::new();
        let mut text = |extent: &Extent<'c>| match extent {
            Extent::Known(known) => (known.to_string(), known.to_string()),
            other => {
                integers.push(other.clone());
                let number = integers.len() - 1;
                let known = match divisor(other) {
                    divisor @ 2.. => format!(" div={divisor}"),
                    _ => String::new(),
                };
                (format!("?{number}{{i64{known}}}"), number.to_string())
            }
        };
        let (mut shape, mut stride, mut names) = (Vec::new(), Vec::new(), Vec::new());
        let all: Vec<usize> = modes.into_iter().chain(loops.iter().copied()).collect();
        for &number in &all {
            let extent = attention.extent(number).ok_or(melior::Error::OperationBuild)?;
            let (size, name) = text(&extent);
            shape.push(size);
            names.push(name);
        }
        for number in &all {
            stride.push(form.strides.get(number).map_or("0".to_owned(), |own| text(own).0));
        }
        let mut pattern = vec!["_"; 2];
        pattern.extend(loops.iter().map(|_| "?"));
        // A part of another tensor begins past that tensor's first element.
        if form.constant != 0 {
            shape.push("2".to_owned());
            stride.push(form.constant.to_string());
            pattern.push("1");
        }
        let pattern = format!("({})", pattern.join(","));
        let [shape, stride] = [shape, stride].map(|all| format!("({})", all.join(",")));
        Ok(Self { layout: Layout { shape, stride, integers, modes: names }, pattern, loops })
    }
}

/// Where a kernel of attention is launched.
pub(super) struct Place<'c> {
    /// In front of the operation that the kernel stands for.
    pub(super) b: Builder<'c>,
    pub(super) function: OperationRef<'c, 'c>,
    /// The kernel's name.
    pub(super) kernel: String,
}

impl<'c> Place<'c> {
    pub(super) fn of(root: OperationRef<'c, '_>, attention: &Attention<'c>) -> Built<Self> {
        let mut around = tree::ancestors(attention.root);
        let function = around.find(|around| around.parent_operation().is_some_and(is_module));
        let function = function.ok_or(melior::Error::OperationBuild)?;
        let symbol = symbol(function).unwrap_or_else(|| "main".to_owned());
        let kernel = unused(root, &format!("{symbol}_attention"));
        Ok(Self { b: Builder::before(attention.root), function, kernel })
    }

    /// Memory for the result.
    pub(super) fn allocate(&self, tensor: Val<'c>) -> Built<Val<'c>> {
        let extents = Extent::all(tensor).map_err(|_| melior::Error::OperationBuild)?;
        allocate(&self.b, tensor.r#type(), &extents)
    }

    /// Launches the kernel.
    pub(super) fn launch(&self, blocks: [Val<'c>; 6], operands: &[Val<'c>]) -> Built<()> {
        grid::launch(&self.b, (&self.kernel, &self.kernel), blocks, operands)?;
        let unit = Attribute::unit(self.b.context());
        if let Some(around) = self.function.parent_operation() {
            tree::set_attribute(around, "gpu.container_module", unit);
        }
        tree::set_attribute(self.function, HOST, unit);
        Ok(())
    }

    /// Lets all users of the result read what the kernel writes.
    pub(super) fn replace(&self, tensor: Val<'c>, memref: Val<'c>) -> Built<()> {
        let unit = Attribute::unit(self.b.context());
        let flags = [("restrict", unit), ("writable", unit)];
        let name = "bufferization.to_tensor";
        let made = self.b.value(name, &[memref], tensor.r#type(), &flags)?;
        tree::replace_uses(tensor, made);
        Ok(())
    }
}

/// Makes the kernel on `mma.sync`, launches it, and lets all users of the result read what it writes.
pub(super) fn emit<'c>(
    root: OperationRef<'c, '_>,
    attention: &Attention<'c>,
    chip: &str,
) -> Built<()> {
    let place = Place::of(root, attention)?;
    let b = place.b;
    let Attention { q, k, v, queries, keys, head, columns, .. } = attention;
    let mut read = vec![(q, [*queries, *head]), (k, [*keys, *head]), (v, [*keys, *columns])];
    read.extend(attention.others.iter().map(|other| (&other.operand, [*queries, *keys])));
    let (mut operands, mut names, mut seen) = (Vec::new(), Vec::new(), Vec::new());
    for (i, (operand, modes)) in read.into_iter().enumerate() {
        let own = KernelOperand::of(attention, &operand.form, modes)?;
        let prefix =
            ["q", "k", "v"].get(i).map_or_else(|| format!("x{}", i - 3), |own| (*own).to_owned());
        names.extend((0..own.layout.integers.len()).map(|number| name(&prefix, number)));
        let memref = views::read_only(&b, operand.tensor)?;
        operands.push(own.layout.emit(&b, memref)?);
        seen.push(own);
    }
    let tensor = first_result(attention.root);
    let memref = place.allocate(tensor)?;
    let own = KernelOperand::of(attention, &attention.result, [*queries, *columns])?;
    names.extend((0..own.layout.integers.len()).map(|number| name("o", number)));
    operands.push(own.layout.emit(&b, memref)?);
    // The size of each loop of the result, or its name.
    let sized = |number: usize| -> String {
        let place = match number {
            _ if number == *queries => Some(0),
            _ => own.loops.iter().position(|own| *own == number).map(|place| place + 2),
        };
        let text = place.and_then(|place| own.layout.modes.get(place)).cloned().unwrap_or_default();
        match attention.extent(number).and_then(|extent| extent.known()) {
            Some(known) => known.to_string(),
            None => format!("o_{text}"),
        }
    };
    let mut batch = Vec::with_capacity(attention.batch.len());
    for &number in &attention.batch {
        batch.push(attention.extent(number).ok_or(melior::Error::OperationBuild)?);
    }
    let count = Extent::product(batch).map_err(|_| melior::Error::OperationBuild)?;
    let heads = match count.known() {
        Some(count) => format!("{count} : i64"),
        None => {
            let all: Vec<String> = attention.batch.iter().map(|&number| sized(number)).collect();
            format!("\"{}\"", all.join("*"))
        }
    };
    let rows = attention.extent(*queries).ok_or(melior::Error::OperationBuild)?;
    let tiles = match rows.known() {
        Some(rows) => format!("{} : i64", div_ceil(rows, TILE)),
        None => format!("\"ceil_div({},{TILE})\"", sized(*queries)),
    };
    seen.push(own);
    operands.extend(&attention.graph.scalars);
    for size in &attention.graph.sizes {
        operands.push(size.emit(&b)?);
    }
    let types: Vec<Type<'c>> = operands.iter().map(|value| value.r#type()).collect();
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let facts = format!(
        "{{grid = [{heads}, {tiles}], block = array<i64: {THREADS}, 1, 1>, chip = \"{chip}\", sizes = [{}]}}",
        names.join(", ")
    );
    let kernel = (place.function, place.kernel.as_str());
    let (entry, body) = module(kernel.0, kernel.1, &types, (&facts, THREADS), attention.root)?;
    let parameters: Vec<Val<'c>> = (0..types.len()).map(|i| entry.argument(i)).collect();
    kernel::emit(attention, &seen, &parameters, (entry, body))?;
    let index = Type::index(b.context());
    let constant = |value: i64| b.constant(index, value);
    let tiles = match rows.known() {
        Some(rows) => constant(div_ceil(rows, TILE))?,
        None => {
            let more = b.binary("arith.addi", rows.emit(&b)?, constant(TILE - 1)?)?;
            b.binary("arith.divui", more, constant(TILE)?)?
        }
    };
    let one = constant(1)?;
    let blocks = [count.emit(&b)?, tiles, one, constant(THREADS)?, one, one];
    place.launch(blocks, &operands)?;
    place.replace(tensor, memref)
}
