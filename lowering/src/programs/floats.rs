//! `layout-floats-as-tensors`: turns floats that host functions on tensors compute into tensors of rank 0, since a
//! program computes integers only.
//!
//! ```text
//! %h = arith.mulf %s, %half : f32      ->   %g = linalg.generic outs(%empty : tensor<f32>) { %h = arith.mulf %s, %half … }
//!                                           %h = tensor.extract %g[] : tensor<f32>
//! %b = arith.cmpf olt, %h, %most : f32 ->   %c = linalg.generic outs(%flag : tensor<i1>) { %b = arith.cmpf olt, %h, %most … }
//!                                           %b = tensor.extract %c[] : tensor<i1>
//! ```
//!
//! An integer that comes of a size, multiplied with a constant and rounded, is one of integers: front ends compute the size of a scaled image so.
//!
//! So is a comparison of such integers, as assertions about sizes in f64 are.
//!
//! A float that is an element of a tensor is that of a slice of one element, and one that is put into a tensor is put there as a slice.
//!
//! Kernels compute all others, and a program reads the integers and booleans that come of them. Loops and branches pass tensors on in place of floats.

use layout_dialect::{
    build::{Builder, Val, context_of, first_result, operand, result},
    tree,
};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute},
    operation::OperationLike,
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};
use std::collections::HashMap;

type Built<T> = Result<T, melior::Error>;

/// The floats that tensors may have.
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// The longest chain of integers through which a size is followed.
const DEPTH: usize = 8;

/// MLIR's mark of a coordinate or extent that is an operand.
pub(crate) const DYNAMIC: i64 = i64::MIN;

/// `arith.cmpi ule`.
const UNSIGNED_AT_MOST: i64 = 7;

/// The operations of a host function whose regions are the host's, too.
const HOST_REGIONS: [&str; 4] = ["scf.for", "scf.while", "scf.if", "scf.forall"];

/// Rewrites the functions on tensors below `root`.
pub(crate) fn to_tensors(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        let signature = function.attribute("function_type").map(|own| own.to_string());
        if !signature.is_ok_and(|own| own.contains("tensor<")) {
            continue;
        }
        let mut all = Vec::new();
        tree::visit(function, &mut |found| {
            all.push(found);
            HOST_REGIONS.contains(&tree::name(found).as_str())
        });
        // Sizes first, which are followed through floats.
        let (sizes, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|found| {
            ["arith.fptosi", "arith.cmpf"].contains(&tree::name(*found).as_str())
        });
        for found in sizes.into_iter().chain(others) {
            let done = match tree::name(found).as_str() {
                "scf.for" | "scf.while" | "scf.if" => pass_on(found),
                "tensor.from_elements" => collect(found),
                "tensor.extract" => take(found),
                "tensor.insert" => put(found),
                "arith.fptosi" if let Some(size) = Size::of(found) => size.emit(found),
                "arith.cmpf" if is_whole(operand(found, 0)) && is_whole(operand(found, 1)) => {
                    compare(found)
                }
                _ if computes_floats(found) => compute(found),
                _ => Ok(()),
            };
            if let Err(error) = done {
                layout_dialect::diagnostics::error(found, &error.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

fn is_float(r#type: Type<'_>) -> bool {
    FLOATS.contains(&r#type.to_string().as_str())
}

/// Whether an operation computes a number, of floats or as one, of something that is not constant.
fn computes_floats(found: OperationRef<'_, '_>) -> bool {
    let name = tree::name(found);
    let is_of_numbers = name.starts_with("arith.") || name.starts_with("math.");
    if !is_of_numbers || found.result_count() != 1 || found.regions().next().is_some() {
        return false;
    }
    let operands: Vec<Val<'_>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let is_number = |value: &Val<'_>| {
        let r#type = value.r#type();
        is_float(r#type) || r#type.is_integer() || r#type.is_index()
    };
    let all: Vec<Val<'_>> = operands.iter().copied().chain([first_result(found)]).collect();
    let is_constant = |value: &Val<'_>| {
        tree::definition(*value).is_some_and(|made| tree::name(made) == "arith.constant")
    };
    all.iter().all(is_number)
        && all.iter().any(|value| is_float(value.r#type()))
        && !operands.iter().all(is_constant)
}

/// The multiple of a size that floats compute: `size * factor / divisor`, rounded down or up.
struct Size<'c> {
    size: Val<'c>,
    factor: i64,
    /// A power of two.
    divisor: i64,
    is_up: bool,
    /// The greatest integer up to which floats have all.
    most: i64,
}

impl<'c> Size<'c> {
    fn of(found: OperationRef<'c, 'c>) -> Option<Self> {
        let value = operand(found, 0);
        let most = match value.r#type().to_string().as_str() {
            "f32" => 1 << 24,
            "f64" => 1 << 53,
            _ => return None,
        };
        let named = |value: Val<'c>, names: &[&str]| {
            tree::definition(value).filter(|made| names.contains(&tree::name(*made).as_str()))
        };
        let rounding = named(value, &["math.floor", "math.ceil", "math.trunc"]);
        let is_up = rounding.is_some_and(|made| tree::name(made) == "math.ceil");
        let value = rounding.map_or(value, |made| operand(made, 0));
        let (value, scale) = match named(value, &["arith.mulf", "arith.divf"]) {
            Some(made) => {
                let [x, y] = [operand(made, 0), operand(made, 1)];
                match (tree::name(made).as_str(), number(x), number(y)) {
                    ("arith.mulf", None, Some(scale)) => (x, scale),
                    ("arith.mulf", Some(scale), None) => (y, scale),
                    // Quotients by other numbers are rounded.
                    ("arith.divf", None, Some(scale)) if is_power_of_two(scale) => {
                        (x, scale.recip())
                    }
                    _ => return None,
                }
            }
            None => (value, 1.0),
        };
        let size = operand(named(value, &["arith.sitofp"])?, 0);
        let is_wide = first_result(found).r#type() == size.r#type();
        if !is_wide || size.r#type().to_string() != "i64" || !is_size(size, DEPTH) {
            return None;
        }
        let mut divisor = 1_i64;
        let mut factor = scale;
        while factor.fract() != 0.0 && divisor < 1 << 20 {
            (factor, divisor) = (factor * 2.0, divisor * 2);
        }
        let is_whole = factor.fract() == 0.0 && (1.0..=f64::from(1 << 20)).contains(&factor);
        // The conversion is exact: it is whole, and small.
        is_whole.then_some(Self { size, factor: factor as i64, divisor, is_up, most })
    }

    /// The size in integers, and an assertion that floats have it.
    fn emit(&self, found: OperationRef<'c, 'c>) -> Built<()> {
        let b = Builder::before(found);
        let long = b.integer(64);
        let mut value = b.binary("arith.muli", self.size, b.constant(long, self.factor)?)?;
        let most = b.constant(long, self.most)?;
        let attributes = [("predicate", b.i64_attribute(UNSIGNED_AT_MOST))];
        let is_exact = b.value("arith.cmpi", &[value, most], b.integer(1), &attributes)?;
        let message =
            format!("expected a size that is computed in floats of at most {}", self.most);
        b.operation("cf.assert", &[is_exact], &[], &[("msg", b.string(&message))], vec![])?;
        if self.divisor != 1 {
            let name = if self.is_up { "arith.ceildivsi" } else { "arith.floordivsi" };
            value = b.binary(name, value, b.constant(long, self.divisor)?)?;
        }
        tree::replace_uses(first_result(found), value);
        tree::erase(found);
        Ok(())
    }
}

/// Whether an f64 is an integer computed of sizes of tensors, by sums and differences: it has all of them exactly.
fn is_whole(value: Val<'_>) -> bool {
    whole_of(value, DEPTH, &mut |_, _| Ok(())).is_some()
}

/// Visits the sizes and the operations of a sum that is an integer, operands first, or `None` if it is none.
fn whole_of<'c>(
    value: Val<'c>,
    depth: usize,
    visit: &mut dyn FnMut(Val<'c>, WholeFloat<'c>) -> Built<()>,
) -> Option<Built<()>> {
    if value.r#type().to_string() != "f64" || depth == 0 {
        return None;
    }
    if let Some(known) = number(value) {
        let is_small = known.fract() == 0.0 && known.abs() <= f64::from(1 << 20);
        return is_small.then(|| visit(value, WholeFloat::Known(known as i64)));
    }
    let made = tree::definition(value)?;
    match tree::name(made).as_str() {
        "arith.sitofp" => {
            let size = operand(made, 0);
            let is_long = size.r#type().to_string() == "i64";
            (is_long && is_size(size, DEPTH)).then(|| visit(value, WholeFloat::Size(size)))
        }
        name @ ("arith.addf" | "arith.subf") => {
            let [x, y] = [operand(made, 0), operand(made, 1)];
            let done = whole_of(x, depth - 1, visit)?.and(whole_of(y, depth - 1, visit)?);
            let name = if name == "arith.addf" { "arith.addi" } else { "arith.subi" };
            Some(done.and_then(|()| visit(value, WholeFloat::Sum(name, [x, y]))))
        }
        _ => None,
    }
}

/// A whole float as an integer.
enum WholeFloat<'c> {
    Known(i64),
    Size(Val<'c>),
    Sum(&'static str, [Val<'c>; 2]),
}

/// A comparison of whole floats as one of integers.
fn compare<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    // Those of `arith.cmpi` for those of `arith.cmpf`, ordered and unordered.
    const PREDICATES: [(i64, i64); 6] = [(1, 0), (2, 4), (3, 5), (4, 2), (5, 3), (6, 1)];
    let predicate = found.attribute("predicate").and_then(IntegerAttribute::try_from)?.value();
    let of_integers = PREDICATES.iter().find(|(own, _)| [*own, own + 7].contains(&predicate));
    let Some((_, of_integers)) = of_integers else { return Ok(()) };
    let b = Builder::before(found);
    let long = b.integer(64);
    let mut integers = HashMap::new();
    for value in [operand(found, 0), operand(found, 1)] {
        let made = whole_of(value, DEPTH, &mut |value, own| {
            let integer = match own {
                WholeFloat::Known(known) => b.constant(long, known)?,
                WholeFloat::Size(size) => size,
                WholeFloat::Sum(name, [x, y]) => {
                    let of = |value: Val<'c>| integers.get(&tree::key(value)).copied();
                    let both = of(x).zip(of(y)).ok_or(melior::Error::OperationBuild)?;
                    b.binary(name, both.0, both.1)?
                }
            };
            integers.insert(tree::key(value), integer);
            Ok(())
        });
        made.ok_or(melior::Error::OperationBuild)??;
    }
    let of = |i: usize| integers.get(&tree::key(operand(found, i))).copied();
    let both = of(0).zip(of(1)).ok_or(melior::Error::OperationBuild)?;
    let attributes = [("predicate", b.i64_attribute(*of_integers))];
    let value = b.value("arith.cmpi", &[both.0, both.1], b.integer(1), &attributes)?;
    tree::replace_uses(first_result(found), value);
    tree::erase(found);
    Ok(())
}

/// The float that a constant is.
fn number(value: Val<'_>) -> Option<f64> {
    let made = tree::definition(value).filter(|made| tree::name(*made) == "arith.constant")?;
    let value = made.attribute("value").and_then(FloatAttribute::try_from).ok()?.value();
    value.is_finite().then_some(value)
}

fn is_power_of_two(value: f64) -> bool {
    value.is_normal() && value > 0.0 && value.to_bits().trailing_zeros() >= 52
}

/// Whether an integer is computed of sizes of tensors.
fn is_size(value: Val<'_>, depth: usize) -> bool {
    const COMPUTED: [&str; 6] = [
        "arith.addi",
        "arith.ceildivsi",
        "arith.divsi",
        "arith.floordivsi",
        "arith.index_cast",
        "arith.muli",
    ];
    let Some(made) = tree::definition(value) else { return false };
    let name = tree::name(made);
    let computed = || (0..made.operand_count()).all(|i| is_size(operand(made, i), depth - 1));
    matches!(name.as_str(), "tensor.dim" | "arith.constant")
        || (depth > 0 && COMPUTED.contains(&name.as_str()) && computed())
}

/// Lets a kernel compute a number.
fn compute<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let b = Builder::before(found);
    let value = first_result(found);
    let operands: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let tensor = generic(&b, value.r#type(), |inner| {
        Ok(first_result(tree::clone_with(inner, found, &operands)))
    })?;
    tree::replace_uses(value, b.value("tensor.extract", &[tensor], value.r#type(), &[])?);
    tree::erase(found);
    Ok(())
}

/// A tensor of one number.
fn generic<'c>(
    b: &Builder<'c>,
    of: Type<'c>,
    body: impl FnOnce(&Builder<'c>) -> Built<Val<'c>>,
) -> Built<Val<'c>> {
    let tensor: Type<'c> = RankedTensorType::new(&[], of, None).into();
    let empty = b.value("tensor.empty", &[], tensor, &[])?;
    let (region, inner) = b.region_with(&[of]);
    let value = body(&inner)?;
    inner.operation("linalg.yield", &[value], &[], &[], vec![])?;
    let parse = |text: &str| {
        Attribute::parse(b.context(), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    };
    let attributes = [
        ("indexing_maps", parse("[affine_map<() -> ()>]")?),
        ("iterator_types", parse("[]")?),
        ("operandSegmentSizes", parse("array<i32: 0, 1>")?),
    ];
    let made = b.operation("linalg.generic", &[empty], &[tensor], &attributes, vec![region])?;
    Ok(first_result(made))
}

/// The tensor of a float: the one that it is an element of, where that has no other.
fn tensor<'c>(b: &Builder<'c>, value: Val<'c>) -> Built<Val<'c>> {
    match tree::definition(value) {
        Some(made) if tree::name(made) == "tensor.extract" && made.operand_count() == 1 => {
            Ok(operand(made, 0))
        }
        _ => generic(b, value.r#type(), |_| Ok(value)),
    }
}

/// Reads a float from a slice that has no other element.
fn take<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let value = first_result(found);
    if !is_float(value.r#type()) || found.operand_count() == 1 {
        return Ok(());
    }
    let b = Builder::before(found);
    let at: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let kind: Type<'c> = RankedTensorType::new(&[], value.r#type(), None).into();
    let attributes = one_element(&b, &vec![DYNAMIC; at.len() - 1], &[1]);
    let slice = b.value("tensor.extract_slice", &at, kind, &attributes)?;
    tree::replace_uses(value, b.value("tensor.extract", &[slice], value.r#type(), &[])?);
    tree::erase(found);
    Ok(())
}

/// Puts a float into a tensor as a slice.
fn put<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let (value, whole) = (operand(found, 0), operand(found, 1));
    if !is_float(value.r#type()) {
        return Ok(());
    }
    let b = Builder::before(found);
    let mut operands = vec![tensor(&b, value)?, whole];
    operands.extend((2..found.operand_count()).map(|i| operand(found, i)));
    let attributes = one_element(&b, &vec![DYNAMIC; operands.len() - 2], &[1, 1]);
    let made = b.value("tensor.insert_slice", &operands, whole.r#type(), &attributes)?;
    tree::replace_uses(first_result(found), made);
    tree::erase(found);
    Ok(())
}

/// The attributes of a slice of one element; coordinates that are [`DYNAMIC`] are operands after those that `tensors` counts.
fn one_element<'c>(
    b: &Builder<'c>,
    at: &[i64],
    tensors: &[i32],
) -> [(&'static str, Attribute<'c>); 4] {
    let list = |all: &[i64]| DenseI64ArrayAttribute::new(b.context(), all).into();
    let ones = list(&vec![1; at.len()]);
    let dynamic = at.iter().filter(|coordinate| **coordinate == DYNAMIC).count();
    let count = i32::try_from(dynamic).unwrap_or(i32::MAX);
    let segments = [tensors, &[count, 0, 0]].concat();
    [
        ("static_offsets", list(at)),
        ("static_sizes", ones),
        ("static_strides", ones),
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(b.context(), &segments).into()),
    ]
}

/// Puts numbers that make a tensor into it one by one: floats, and integers that are not the shape of a reshape.
fn collect<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let made = first_result(found);
    let values: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
    let Some(of) = values.first().map(|value| value.r#type()) else { return Ok(()) };
    let readers = tree::users(found).filter(|user| tree::name(*user) != "tensor.reshape");
    let readers: Vec<OperationRef<'c, 'c>> = readers.collect();
    let is_passed = ["i32", "i64", "index"].contains(&of.to_string().as_str());
    if !(is_float(of) || (is_passed && !readers.is_empty())) {
        return Ok(());
    }
    let b = Builder::before(found);
    let r#type = RankedTensorType::try_from(made.r#type())?;
    let mut extents = Vec::with_capacity(r#type.rank());
    for i in 0..r#type.rank() {
        let DimSize::Static(extent) = r#type.dim_size(i)? else { return Ok(()) };
        extents.push(usize::try_from(extent).unwrap_or(1).max(1));
    }
    let mut whole = match values.as_slice() {
        [one] if extents.is_empty() => tensor(&b, *one)?,
        _ => b.value("tensor.empty", &[], made.r#type(), &[])?,
    };
    for (number, &value) in values.iter().enumerate().filter(|_| !extents.is_empty()) {
        let mut rest = number;
        let mut at = vec![0; extents.len()];
        for (place, &extent) in at.iter_mut().zip(&extents).rev() {
            (*place, rest) = (i64::try_from(rest % extent).unwrap_or(0), rest / extent);
        }
        let attributes = one_element(&b, &at, &[1, 1]);
        let own = tensor(&b, value)?;
        whole = b.value("tensor.insert_slice", &[own, whole], made.r#type(), &attributes)?;
    }
    for reader in readers {
        for i in 0..reader.operand_count() {
            if tree::key(operand(reader, i)) == tree::key(made) {
                tree::set_operand(reader, i, whole);
            }
        }
    }
    if !tree::is_used(made) {
        tree::erase(found);
    }
    Ok(())
}

/// Lets a loop or a branch pass tensors on in place of floats.
fn pass_on<'c>(found: OperationRef<'c, 'c>) -> Built<()> {
    let name = tree::name(found);
    let block = |region: usize| -> Option<BlockRef<'c, 'c>> {
        let region = found.region(region).ok()?;
        let block = region.first_block()?;
        // SAFETY: the block lives as long as the operation does.
        Some(unsafe { BlockRef::from_raw(block.to_raw()) })
    };
    let blocks = [block(0), block(1)];
    // The first operand, argument of the first block, operand of its end, and of the second's, that is passed on; none where none is.
    let (initial, arguments, ends) = match name.as_str() {
        "scf.for" => (Some(3), [Some(1), None], [Some(0), None]),
        "scf.while" => (Some(0), [Some(0), Some(0)], [Some(1), Some(0)]),
        _ => (None, [None, None], [Some(0), Some(0)]),
    };
    if let Some(first) = initial {
        let b = Builder::before(found);
        send(&b, found, first)?;
    }
    for (i, block) in blocks.into_iter().enumerate() {
        let Some(block) = block else { continue };
        let operations = tree::operations(block);
        let Some(&end) = operations.last() else { continue };
        if let Some(first) = arguments[i] {
            let b = Builder::at_start(context_of(found), found.location(), block);
            let count = block.argument_count();
            for place in first..count {
                receive(&b, tree::argument(block, place))?;
            }
        }
        if let Some(first) = ends[i] {
            send(&Builder::before(end), end, first)?;
        }
    }
    let next = found.next_in_block().ok_or(melior::Error::OperationBuild)?;
    // SAFETY: the operation follows the one that is rewritten.
    let b = Builder::before(unsafe { OperationRef::from_raw(next.to_raw()) });
    for i in 0..found.result_count() {
        receive(&b, result(found, i))?;
    }
    Ok(())
}

/// Gives an operation tensors in place of the floats among its operands from the `first` on.
fn send<'c>(b: &Builder<'c>, to: OperationRef<'c, 'c>, first: usize) -> Built<()> {
    for i in first..to.operand_count() {
        let value = operand(to, i);
        if is_float(value.r#type()) {
            tree::set_operand(to, i, tensor(b, value)?);
        }
    }
    Ok(())
}

/// Makes a float a tensor, whose element its users get.
fn receive<'c>(b: &Builder<'c>, value: Val<'c>) -> Built<()> {
    let of = value.r#type();
    if !is_float(of) {
        return Ok(());
    }
    let r#type: Type<'c> = RankedTensorType::new(&[], of, None).into();
    // Users go to the element first: it is of the value, which has its new type then.
    let place =
        b.operation("builtin.unrealized_conversion_cast", &[value], &[r#type], &[], vec![])?;
    let element = b.value("tensor.extract", &[first_result(place)], of, &[])?;
    tree::replace_uses(value, element);
    tree::set_type(value, r#type);
    tree::replace_uses(first_result(place), value);
    tree::erase(place);
    Ok(())
}
