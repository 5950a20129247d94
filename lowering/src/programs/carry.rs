//! `layout-carry-in-place`: loops and branches of host functions update the tensors that they carry in place, since each
//! buffer of a program has one address.
//!
//! ```text
//! %y = scf.while (%x = %a) : … {           %y = scf.while (%x = %a) : … {
//!   scf.condition(%c) %x                     scf.condition(%c) %x
//! } do {                              ->   } do {
//! ^bb0(%x):                                ^bb0(%x):
//!   %z = … %x …                              %z = … %x …
//!   scf.yield %z                             %w = bufferization.materialize_in_destination %z in %x
//! }                                          scf.yield %w
//!                                          }
//! ```
//!
//! The results of a branch are written to a tensor that is allocated before it. Bufferisation makes a copy of each.

use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::DenseI32ArrayAttribute, operation::OperationLike, r#type::RankedTensorType,
};
use mlir_sys::{mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim};

/// Rewrites the loops and branches below `root`.
pub(crate) fn carry(root: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(root, "func.func") {
        for found in tree::all(function) {
            let done = match tree::name(found).as_str() {
                "scf.for" => in_loop(found, 0, 1),
                "scf.while" => in_loop(found, 1, 0),
                "scf.if" => in_branches(found),
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

fn is_tensor(r#type: Type<'_>) -> bool {
    RankedTensorType::try_from(r#type).is_ok()
}

/// The terminator of a region of one block.
fn end<'c>(found: OperationRef<'c, 'c>, region: usize) -> Option<OperationRef<'c, 'c>> {
    let region = found.region(region).ok()?;
    tree::operations(region.first_block()?).pop()
}

/// Lets what the last region of a loop yields go to the arguments of its first one, of which `skipped` are the loop's own.
fn in_loop<'c>(
    found: OperationRef<'c, 'c>,
    last: usize,
    skipped: usize,
) -> Result<(), melior::Error> {
    let (Some(end), Some(body)) = (end(found, last), tree::entry(found)) else { return Ok(()) };
    let b = Builder::before(end);
    let carried: Vec<usize> =
        (0..end.operand_count()).filter(|&i| is_tensor(operand(end, i).r#type())).collect();
    // All are read before one is written.
    let mut sources = Vec::with_capacity(carried.len());
    for &i in &carried {
        let value = operand(end, i);
        sources.push(if carried.len() > 1 && !is_fresh(value) {
            copied(&b, value)?
        } else {
            value
        });
    }
    // A `while` has its arguments twice: what its body yields is written where the body has it, if the condition passes it on.
    for (&i, source) in carried.iter().zip(sources) {
        let place = match last {
            0 => Some(tree::argument(body, i + skipped)),
            _ => passed_on(found, i),
        };
        if let Some(place) = place.filter(|place| place.r#type() == source.r#type()) {
            tree::set_operand(end, i, written(&b, source, place)?);
        }
    }
    Ok(())
}

/// The argument of a `while` loop's body that is its carried value of this number.
fn passed_on<'c>(found: OperationRef<'c, 'c>, number: usize) -> Option<Val<'c>> {
    let before = tree::argument(tree::entry(found)?, number);
    let condition = end(found, 0)?;
    let place = (1..condition.operand_count()).find(|&i| operand(condition, i) == before)? - 1;
    let region = found.region(1).ok()?;
    Some(tree::argument(region.first_block()?, place))
}

/// Whether a value is in memory that nothing else names.
fn is_fresh(value: Val<'_>) -> bool {
    tree::definition(value).is_some_and(|made| tree::name(made) == "bufferization.to_tensor")
}

fn copied<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, melior::Error> {
    allocated(b, value.r#type(), &[], Some(value))
}

/// A tensor in new memory: of these open sizes, or with what another holds.
fn allocated<'c>(
    b: &Builder<'c>,
    r#type: Type<'c>,
    sizes: &[Val<'c>],
    copy: Option<Val<'c>>,
) -> Result<Val<'c>, melior::Error> {
    let counts = [i32::try_from(sizes.len()).unwrap_or(0), i32::from(copy.is_some()), 0];
    let segments = DenseI32ArrayAttribute::new(b.context(), &counts).into();
    let operands: Vec<Val<'c>> = sizes.iter().copied().chain(copy).collect();
    b.value("bufferization.alloc_tensor", &operands, r#type, &[("operandSegmentSizes", segments)])
}

fn written<'c>(b: &Builder<'c>, source: Val<'c>, place: Val<'c>) -> Result<Val<'c>, melior::Error> {
    b.value("bufferization.materialize_in_destination", &[source, place], place.r#type(), &[])
}

/// The tensors that a branch results in are written to memory that is there before it.
fn in_branches<'c>(found: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
    let (Some(first), Some(second)) = (end(found, 0), end(found, 1)) else { return Ok(()) };
    let outside = Builder::before(found);
    for i in 0..found.result_count() {
        let r#type = result(found, i).r#type();
        let Some(sizes) = sizes(&outside, found, [operand(first, i), operand(second, i)])? else {
            continue;
        };
        let place = allocated(&outside, r#type, &sizes, None)?;
        for end in [first, second] {
            tree::set_operand(end, i, written(&Builder::before(end), operand(end, i), place)?);
        }
    }
    Ok(())
}

/// The dynamic sizes of what a branch yields: those of a value that is there before it. None if no such value dominates the branch.
fn sizes<'c>(
    b: &Builder<'c>,
    found: OperationRef<'c, 'c>,
    yielded: [Val<'c>; 2],
) -> Result<Option<Vec<Val<'c>>>, melior::Error> {
    let r#type = yielded[0].r#type();
    if !is_tensor(r#type) {
        return Ok(None);
    }
    // SAFETY: the type is a tensor with a rank, and each dimension is below it.
    let open: Vec<i64> = unsafe {
        let is_open = |&i: &i64| mlirShapedTypeIsDynamicDim(r#type.to_raw(), i as isize);
        (0..mlirShapedTypeGetRank(r#type.to_raw())).filter(is_open).collect()
    };
    if open.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let is_inside = |value: &Val<'c>| match tree::definition(*value) {
        Some(made) => tree::ancestors(made).any(|around| around == found),
        None => tree::owner(*value).is_some_and(|block| {
            block.parent_operation().is_some_and(|around| {
                around == found || tree::ancestors(around).any(|outer| outer == found)
            })
        }),
    };
    let Some(&there) = yielded.iter().find(|value| !is_inside(value)) else { return Ok(None) };
    let index = Type::index(b.context());
    let size = |i: i64| {
        let at = b.constant(index, i)?;
        b.value("tensor.dim", &[there, at], index, &[])
    };
    open.into_iter().map(size).collect::<Result<_, _>>().map(Some)
}
