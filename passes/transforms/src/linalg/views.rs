//! Layouts of memrefs in the modes of a matmul, and the views that they make.
//!
//! A mode is a list of loops; a leaf has the loop's size, and how far the memref's elements lie apart along it. Leaves that are
//! one in every operand become one. Knows nothing of bodies.

use super::{
    Reason,
    contraction::{Contraction, buffer, memref_of},
    located::memref_of_part,
    memory::is_memref,
};
use layout_dialect::{
    Space,
    affine::IndexingMap,
    buffers::{Buffer, Strides},
    build::{Builder, Val, first_result, result},
};
use melior::ir::{Attribute, Type, ValueLike, attribute::IntegerAttribute};

/// Bytes that a result's memory starts at a multiple of, as bufferisation makes it.
const ALIGNMENT: i64 = 64;

/// The size of a loop, or of several that are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Known(i64),
    /// A number times the sizes of loops that are known at run time, in ascending order.
    Product(i64, Vec<usize>),
}

/// How far elements lie apart.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stride {
    Known(i64),
    /// A number times the sizes of loops, in ascending order.
    Product(i64, Vec<usize>),
    /// A stride of the memref that is known at run time.
    Given(usize),
}

impl Size {
    /// The size of both as one loop.
    fn times(&self, other: &Self) -> Option<Self> {
        let (number, loops) = product(self.factors(), other.factors())?;
        Some(if loops.is_empty() { Self::Known(number) } else { Self::Product(number, loops) })
    }

    fn factors(&self) -> (i64, &[usize]) {
        match self {
            Self::Known(size) => (*size, &[]),
            Self::Product(number, loops) => (*number, loops),
        }
    }
}

impl Stride {
    /// The stride of a loop around one of this stride and such a size, where the two are one loop.
    fn times(&self, size: &Size) -> Option<Self> {
        let (number, loops) = product(self.factors()?, size.factors())?;
        Some(if loops.is_empty() || number == 0 {
            Self::Known(number)
        } else {
            Self::Product(number, loops)
        })
    }

    fn factors(&self) -> Option<(i64, &[usize])> {
        match self {
            Self::Known(stride) => Some((*stride, &[])),
            Self::Product(number, loops) => Some((*number, loops)),
            Self::Given(_) => None,
        }
    }
}

/// The product of two numbers and the loops that each is times.
fn product(one: (i64, &[usize]), other: (i64, &[usize])) -> Option<(i64, Vec<usize>)> {
    let mut loops = [one.1, other.1].concat();
    loops.sort_unstable();
    Some((one.0.checked_mul(other.0)?, loops))
}

#[derive(Clone, Debug)]
struct Leaf {
    size: Size,
    stride: Stride,
}

/// The sizes of all loops, and where those that are known at run time are read.
#[derive(Clone, Debug)]
pub(crate) struct Sizes<'c> {
    all: Vec<Size>,
    from: Vec<(Val<'c>, usize)>,
}

impl<'c> Sizes<'c> {
    /// The sizes as these operands have them.
    pub(crate) fn of(
        contraction: &Contraction<'c>,
        operands: std::ops::Range<usize>,
    ) -> Result<Self, Reason> {
        let loops = contraction.maps[0].dimensions;
        let (mut all, mut from) = (Vec::with_capacity(loops), Vec::with_capacity(loops));
        for d in 0..loops {
            let mut found: Option<(Size, (Val<'c>, usize))> = None;
            for i in operands.clone() {
                let (operand, map) = (contraction.operands[i], &contraction.maps[i]);
                let extents = buffer(operand)?.extents();
                for (place, map) in map.results.iter().enumerate() {
                    if map.dimension() == Some(d) {
                        let size = extents.get(place).copied().flatten();
                        let size = size.map_or_else(|| Size::Product(1, vec![d]), Size::Known);
                        // A number is worth more than a value at run time.
                        let is_better = match &found {
                            None => true,
                            Some((known, _)) => {
                                matches!((known, &size), (Size::Product(..), Size::Known(_)))
                            }
                        };
                        if is_better {
                            found = Some((size, (operand, place)));
                        }
                    }
                }
            }
            let (size, place) = found.ok_or_else(|| {
                format!("expected an operand dimension for each loop, found none for loop {d}")
            })?;
            if matches!(size, Size::Known(..=0)) {
                return Err(format!(
                    "expected loops with at least one iteration, found loop {d} without one"
                ));
            }
            all.push(size);
            from.push(place);
        }
        Ok(Self { all, from })
    }

    /// The size of a loop.
    pub(crate) fn at(&self, d: usize) -> &Size {
        &self.all[d]
    }

    fn value(&self, b: &Builder<'c>, d: usize) -> Result<Val<'c>, melior::Error> {
        let (memref, place) = self.from[d];
        let index = Type::index(b.context());
        let place = b.constant(index, place as i64)?;
        let name = if is_memref(memref) { "memref.dim" } else { "tensor.dim" };
        b.value(name, &[memref, place], index, &[])
    }

    /// A number times the sizes of loops.
    fn product(
        &self,
        b: &Builder<'c>,
        (number, loops): (i64, &[usize]),
    ) -> Result<Val<'c>, melior::Error> {
        let mut product = None;
        if number != 1 {
            product = Some(b.constant(Type::index(b.context()), number)?);
        }
        for &d in loops {
            let size = self.value(b, d)?;
            product = Some(match product {
                None => size,
                Some(product) => b.binary("arith.muli", product, size)?,
            });
        }
        product.ok_or(melior::Error::OperationBuild)
    }
}

/// A view that is yet to be made of a memref.
#[derive(Clone, Debug)]
pub(crate) struct View<'c> {
    memref: Val<'c>,
    modes: Vec<Vec<Leaf>>,
}

impl<'c> View<'c> {
    /// The view of a memref with these modes, each of some loops, the innermost first. A loop that the memref does not have
    /// is one along which it stays.
    pub(crate) fn of(
        memref: Val<'c>,
        map: &IndexingMap,
        modes: &[&[usize]],
        sizes: &Sizes<'c>,
    ) -> Result<Self, Reason> {
        let found = buffer(memref)?;
        let space = found.space().map_err(|violation| violation.to_string())?;
        if !matches!(space, Space::Host | Space::Global) {
            return Err(format!(
                "expected operands in host or global memory, found an operand in {space} memory"
            ));
        }
        let strides = found.strides().map_err(|violation| violation.to_string())?;
        let extents = found.extents();
        if let Some(constant) = map.results.iter().map(|r| r.constant).find(|&c| c != 0) {
            return Err(format!("expected coordinates from 0 on, found one from {constant} on"));
        }
        let mut views = Vec::with_capacity(modes.len());
        for mode in modes {
            let mut leaves = Vec::with_capacity(mode.len());
            for &d in *mode {
                let size = sizes.at(d).clone();
                let stride = stride(map, d, &strides, &extents, sizes)?;
                leaves.push(Leaf { size, stride });
            }
            views.push(leaves);
        }
        Ok(Self { memref, modes: views })
    }

    /// The memref or tensor that is seen.
    pub(crate) fn memref(&self) -> Val<'c> {
        self.memref
    }

    /// Makes the view of a memref, that of its own or the one that its tensor lies in.
    pub(crate) fn emit(
        &self,
        b: &Builder<'c>,
        memref: Val<'c>,
        sizes: &Sizes<'c>,
    ) -> Result<Val<'c>, melior::Error> {
        let mut text = Symbols::default();
        let modes = |part: &mut dyn FnMut(&Leaf) -> String, empty: &str| {
            let modes: Vec<String> = self
                .modes
                .iter()
                .map(|mode| match mode.as_slice() {
                    [] => empty.to_owned(),
                    [leaf] => part(leaf),
                    leaves => {
                        let all: Vec<String> = leaves.iter().map(&mut *part).collect();
                        format!("({})", all.join(","))
                    }
                })
                .collect();
            format!("({})", modes.join(","))
        };
        let shape = modes(&mut |leaf| text.size(&leaf.size), "1");
        let stride = modes(&mut |leaf| text.stride(&leaf.stride), "0");
        let parse = |text: String| {
            Type::parse(b.context(), &text).ok_or(melior::Error::TypeExpected("layout", text))
        };
        let r#type = parse(format!("!layout<{shape}:{stride}>"))?;
        let memref = on_device(b, memref)?;
        let layout = match text.found.as_slice() {
            [] => {
                let term = format!("#layout<{shape}:{stride}>");
                let term = Attribute::parse(b.context(), &term)
                    .ok_or(melior::Error::TypeExpected("term", term))?;
                b.value("layout.constant", &[], r#type, &[("term", term)])?
            }
            found => {
                let strides = match found.iter().any(|symbol| matches!(symbol, Symbol::Stride(_))) {
                    true => strides(b, memref)?,
                    false => Vec::new(),
                };
                let integers = found.iter().map(|symbol| match symbol {
                    Symbol::Stride(place) => Ok(strides[*place]),
                    Symbol::Size(number, loops) | Symbol::Product(number, loops) => {
                        sizes.product(b, (*number, loops))
                    }
                });
                // The layout's integers have 64 bits.
                let wide = integers.map(|integer: Result<Val<'c>, melior::Error>| {
                    b.value("arith.index_cast", &[integer?], b.integer(64), &[])
                });
                let integers = wide.collect::<Result<Vec<_>, _>>()?;
                b.value("layout.make", &integers, r#type, &[])?
            }
        };
        Ok(first_result(b.inferred("layout.make_view", &[memref, layout], &[])?))
    }
}

/// The memref in the device's memory.
pub(crate) fn on_device<'c>(b: &Builder<'c>, memref: Val<'c>) -> Result<Val<'c>, melior::Error> {
    match Buffer::of(memref.r#type()).ok().flatten() {
        Some(found) if found.space() != Ok(Space::Global) => {
            b.value("memref.memory_space_cast", &[memref], found.on_device(), &[])
        }
        _ => Ok(memref),
    }
}

/// A memref's strides as values.
fn strides<'c>(b: &Builder<'c>, memref: Val<'c>) -> Result<Vec<Val<'c>>, melior::Error> {
    let Some(found) = Buffer::of(memref.r#type()).ok().flatten() else { return Ok(Vec::new()) };
    let (rank, index) = (found.rank(), Type::index(b.context()));
    let mut results = vec![found.base(), index];
    results.extend(std::iter::repeat_n(index, 2 * rank));
    let made = b.operation("memref.extract_strided_metadata", &[memref], &results, &[], vec![])?;
    Ok((0..rank).map(|i| result(made, 2 + rank + i)).collect())
}

/// Memory without gaps that holds a tensor, which is only read.
pub(crate) fn read_only<'c>(b: &Builder<'c>, tensor: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let r#type = memref_of(tensor.r#type()).ok_or(melior::Error::OperationBuild)?;
    to_buffer(b, tensor, r#type)
}

/// The memref that a tensor lies in, which may be a part of another, and is only read.
pub(crate) fn read_part<'c>(b: &Builder<'c>, tensor: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let r#type = memref_of_part(tensor).ok_or(melior::Error::OperationBuild)?;
    to_buffer(b, tensor, r#type)
}

fn to_buffer<'c>(
    b: &Builder<'c>,
    tensor: Val<'c>,
    r#type: Type<'c>,
) -> Result<Val<'c>, melior::Error> {
    let unit = Attribute::unit(b.context());
    b.value("bufferization.to_buffer", &[tensor], r#type, &[("read_only", unit)])
}

/// Memory for a result with these coordinates.
pub(crate) fn allocate<'c>(
    b: &Builder<'c>,
    tensor: Type<'c>,
    map: &IndexingMap,
    sizes: &Sizes<'c>,
) -> Result<Val<'c>, melior::Error> {
    let r#type = memref_of(tensor).ok_or(melior::Error::OperationBuild)?;
    let extents = Buffer::of(r#type).ok().flatten().map(|found| found.extents());
    let mut at_run_time = Vec::new();
    for (extent, coordinate) in extents.unwrap_or_default().iter().zip(&map.results) {
        if extent.is_none() {
            let d = coordinate.dimension().ok_or(melior::Error::OperationBuild)?;
            at_run_time.push(sizes.value(b, d)?);
        }
    }
    allocate_sizes(b, r#type, &at_run_time)
}

/// Memory of a memref's type, with the sizes that the type does not say.
pub(crate) fn allocate_sizes<'c>(
    b: &Builder<'c>,
    r#type: Type<'c>,
    at_run_time: &[Val<'c>],
) -> Result<Val<'c>, melior::Error> {
    let segments = format!("array<i32: {}, 0>", at_run_time.len());
    let segments = Attribute::parse(b.context(), &segments).ok_or(melior::Error::OperationBuild)?;
    let alignment = IntegerAttribute::new(b.integer(64), ALIGNMENT).into();
    let attributes = [("alignment", alignment), ("operandSegmentSizes", segments)];
    b.value("memref.alloc", at_run_time, r#type, &attributes)
}

/// How far elements lie apart along a loop.
fn stride(
    map: &IndexingMap,
    d: usize,
    strides: &Strides,
    extents: &[Option<i64>],
    sizes: &Sizes<'_>,
) -> Result<Stride, Reason> {
    let overflow = || "expected strides below 2^63".to_owned();
    let mut total = 0_i64;
    for (place, coordinate) in map.results.iter().enumerate() {
        let Some(&(_, factor)) = coordinate.terms.iter().find(|&&(own, _)| own == d) else {
            continue;
        };
        let own = match strides {
            Strides::Each(all) => match all.get(place).copied().flatten() {
                Some(stride) => Stride::Known(stride),
                None => Stride::Given(place),
            },
            Strides::Rows => {
                let (mut number, mut loops) = (1_i64, Vec::new());
                for inner in place + 1..map.results.len() {
                    match extents.get(inner).copied().flatten() {
                        Some(extent) => number = number.checked_mul(extent).ok_or_else(overflow)?,
                        None => match map.results[inner].dimension() {
                            Some(d) => {
                                let (times, factors) = sizes.at(d).factors();
                                number = number.checked_mul(times).ok_or_else(overflow)?;
                                loops.extend(factors);
                            }
                            None => {
                                return Err(format!(
                                    "expected dynamic sizes to be those of loops, found dimension {inner}, whose coordinate is no single loop"
                                ));
                            }
                        },
                    }
                }
                loops.sort_unstable();
                if loops.is_empty() {
                    Stride::Known(number)
                } else {
                    Stride::Product(number, loops)
                }
            }
        };
        match own {
            Stride::Known(stride) => {
                let own = stride.checked_mul(factor).ok_or_else(overflow)?;
                total = total.checked_add(own).ok_or_else(overflow)?;
            }
            alone if factor == 1 && total == 0 => {
                let more = map.results[place + 1..].iter();
                if more.flat_map(|r| &r.terms).any(|&(own, _)| own == d) {
                    return Err(
                        "expected static strides along a loop of several coordinates, found a dynamic one"
                            .to_owned(),
                    );
                }
                return Ok(alone);
            }
            _ => {
                return Err(
                    "expected static strides along a loop of several coordinates, found a dynamic one"
                        .to_owned(),
                );
            }
        }
    }
    Ok(Stride::Known(total))
}

/// A number at run time in a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Symbol {
    /// The size of loops that are one: a number times the sizes of loops.
    Size(i64, Vec<usize>),
    /// A stride of the memref.
    Stride(usize),
    /// A stride that is a number times the sizes of loops.
    Product(i64, Vec<usize>),
}

/// The symbols of a layout's text, in the order in which they occur.
#[derive(Default)]
struct Symbols {
    found: Vec<Symbol>,
}

impl Symbols {
    fn symbol(&mut self, symbol: Symbol) -> String {
        if let Some(number) = self.found.iter().position(|known| *known == symbol) {
            return format!("?{number}");
        }
        let known = match symbol {
            Symbol::Size(number @ 2.., _) | Symbol::Product(number @ 2.., _) => {
                format!(" div={number}")
            }
            _ => String::new(),
        };
        self.found.push(symbol);
        format!("?{}{{i64{known}}}", self.found.len() - 1)
    }

    fn size(&mut self, size: &Size) -> String {
        match size {
            Size::Known(size) => size.to_string(),
            Size::Product(number, loops) => self.symbol(Symbol::Size(*number, loops.clone())),
        }
    }

    fn stride(&mut self, stride: &Stride) -> String {
        match stride {
            Stride::Known(stride) => stride.to_string(),
            Stride::Given(place) => self.symbol(Symbol::Stride(*place)),
            Stride::Product(1, loops) if loops.len() == 1 => {
                self.symbol(Symbol::Size(1, loops.clone()))
            }
            // A matmul's strides are integers of their own.
            Stride::Product(number, loops) => self.symbol(Symbol::Product(*number, loops.clone())),
        }
    }
}

/// Checks that tiles, whose extents are powers of two, are whole blocks of modes of several loops, or lie within one. Where all sizes
/// are static, operands with other blocks are copied before the kernel.
pub(crate) fn fit_tiles(views: &[View<'_>]) -> Result<(), Reason> {
    let leaves = || views.iter().flat_map(|view| &view.modes).flatten();
    let is_open = |leaf: &Leaf| {
        matches!(leaf.size, Size::Product(..)) || !matches!(leaf.stride, Stride::Known(_))
    };
    if leaves().any(is_open) { fit_blocks(views) } else { Ok(()) }
}

/// Checks that blocks of modes of several loops are powers of two, so that no operand is copied into other ones.
pub(crate) fn fit_blocks(views: &[View<'_>]) -> Result<(), Reason> {
    for mode in views.iter().flat_map(|view| view.modes.iter().take(2)) {
        let Some((_, blocks)) = mode.split_last() else { continue };
        for leaf in blocks {
            if let Size::Known(size) = leaf.size
                && size & (size - 1) != 0
            {
                return Err(format!(
                    "expected loops whose sizes are powers of two within a mode, since a size or a stride is known at run time only, found {size}"
                ));
            }
        }
    }
    Ok(())
}

/// Makes leaves of a mode one where they are one in all views that have the mode, and drops those of one element.
///
/// `places` says where each view has the mode, if it has it.
pub(crate) fn merge(views: &mut [View<'_>], places: &[Option<usize>]) -> Result<(), Reason> {
    let at: Vec<(usize, usize)> =
        places.iter().enumerate().filter_map(|(view, &mode)| Some((view, mode?))).collect();
    let Some(&(first, mode)) = at.first() else { return Ok(()) };
    let mut i = 0;
    while i < views[first].modes[mode].len() {
        let leaves = &views[first].modes[mode];
        if leaves.len() > 1 && leaves[i].size == Size::Known(1) {
            for &(view, mode) in &at {
                views[view].modes[mode].remove(i);
            }
            continue;
        }
        let size = leaves.get(i + 1).and_then(|next| leaves[i].size.times(&next.size));
        let joins = |&(view, mode): &(usize, usize)| {
            let leaves: &[Leaf] = &views[view].modes[mode];
            let end = leaves[i].stride.times(&leaves[i].size);
            end.is_some_and(|end| Some(&end) == leaves.get(i + 1).map(|next| &next.stride))
        };
        match size {
            Some(size) if at.iter().all(joins) => {
                for &(view, mode) in &at {
                    let leaves = &mut views[view].modes[mode];
                    leaves[i].size = size.clone();
                    leaves.remove(i + 1);
                }
            }
            _ => i += 1,
        }
    }
    let leaves = &views[first].modes[mode];
    let open = leaves.iter().any(|leaf| matches!(leaf.size, Size::Product(..)));
    if open && leaves.len() > 1 {
        return Err(format!(
            "expected one loop in a mode whose size is known at run time, found {} loops that do not merge",
            leaves.len()
        ));
    }
    Ok(())
}
