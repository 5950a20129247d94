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
//! The results of a branch are written to a tensor that is allocated before it, of sizes that are computed there. Bufferisation makes a copy of each.

use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, RegionLike, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, IntegerAttribute, StringAttribute},
    operation::OperationLike,
    r#type::RankedTensorType,
};
use mlir_sys::{mlirShapedTypeGetDimSize, mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim};
use std::collections::HashMap;

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

/// The dynamic sizes of what a branch yields, before it: where the two yield tensors of other sizes, those of the one that is taken. None if they follow from
/// values of the branch. One that reads its condition from memory yields tensors of one size.
fn sizes<'c>(
    b: &Builder<'c>,
    found: OperationRef<'c, 'c>,
    yielded: [Val<'c>; 2],
) -> Result<Option<Vec<Val<'c>>>, melior::Error> {
    let r#type = yielded[0].r#type();
    if !is_tensor(r#type) {
        return Ok(None);
    }
    let open = open(r#type);
    if open.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let branch = Branch { b, found };
    let mut sizes = Vec::with_capacity(open.len());
    for d in open {
        let [first, second] = yielded.map(|value| branch.size(value, d, DEPTH));
        sizes.push(match (first?, second?) {
            (Some(first), Some(second)) if is_same(first, second, DEPTH) => first,
            (Some(first), Some(second)) if is_of_sizes(operand(found, 0), DEPTH) => {
                let taken = operand(found, 0);
                b.value("arith.select", &[taken, first, second], first.r#type(), &[])?
            }
            // Memory is planned before a condition is read.
            (Some(first), Some(second)) => {
                let equal = [("predicate", b.i64_attribute(EQUAL))];
                let is_so = b.value("arith.cmpi", &[first, second], b.integer(1), &equal)?;
                let message = "expected results of one size from both branches of scf.if";
                let message = StringAttribute::new(b.context(), message).into();
                b.operation("cf.assert", &[is_so], &[], &[("msg", message)], vec![])?;
                first
            }
            _ => return Ok(None),
        });
    }
    Ok(Some(sizes))
}

/// Whether two integers are computed alike.
fn is_same<'c>(a: Val<'c>, b: Val<'c>, depth: usize) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (tree::definition(a), tree::definition(b)) else { return false };
    let name = tree::name(x);
    let is_own = name == "tensor.dim" || COMPUTED.contains(&name.as_str());
    let attribute = |own: OperationRef<'c, 'c>, key: &str| {
        own.attribute(key).map(|found| found.to_string()).unwrap_or_default()
    };
    is_own
        && depth > 0
        && name == tree::name(y)
        && ["value", "predicate"].iter().all(|key| attribute(x, key) == attribute(y, key))
        && x.operand_count() == y.operand_count()
        && (0..x.operand_count()).all(|i| is_same(operand(x, i), operand(y, i), depth - 1))
}

/// Whether an integer follows from sizes of tensors that are there at launch.
fn is_of_sizes(value: Val<'_>, depth: usize) -> bool {
    let Some(made) = tree::definition(value).filter(|_| depth > 0) else { return false };
    match tree::name(made).as_str() {
        "tensor.dim" => true,
        name => {
            COMPUTED.contains(&name)
                && (0..made.operand_count()).all(|i| is_of_sizes(operand(made, i), depth - 1))
        }
    }
}

/// Operations on integers that have values at all operands.
const COMPUTED: [&str; 11] = [
    "arith.constant",
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.minsi",
    "arith.maxsi",
    "arith.minui",
    "arith.maxui",
    "arith.index_cast",
    "arith.cmpi",
    "arith.select",
];

/// `arith.cmpi eq`.
const EQUAL: i64 = 0;

/// The dimensions of a tensor whose sizes are dynamic.
fn open(r#type: Type<'_>) -> Vec<usize> {
    // SAFETY: the type is a tensor or a memref with a rank, and each dimension is below it.
    unsafe {
        let is_open = |&i: &i64| mlirShapedTypeIsDynamicDim(r#type.to_raw(), i as isize);
        let open = (0..mlirShapedTypeGetRank(r#type.to_raw())).filter(is_open);
        open.filter_map(|d| usize::try_from(d).ok()).collect()
    }
}

/// The most operations from a tensor to its size.
const DEPTH: usize = 32;

/// A branch, before which sizes of its tensors are computed.
struct Branch<'b, 'c> {
    b: &'b Builder<'c>,
    found: OperationRef<'c, 'c>,
}

impl<'c> Branch<'_, 'c> {
    /// The size of a tensor along one of its dimensions, as a value before the branch.
    fn size(
        &self,
        value: Val<'c>,
        d: usize,
        depth: usize,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let (b, index) = (self.b, Type::index(self.b.context()));
        if !tree::is_within(value, self.found) {
            let at = b.constant(index, i64::try_from(d).unwrap_or(i64::MAX))?;
            return b.value("tensor.dim", &[value, at], index, &[]).map(Some);
        }
        let Some(made) = tree::definition(value).filter(|_| depth > 0) else { return Ok(None) };
        // Allocations have an operand for each dynamic size.
        let allocated = |made: OperationRef<'c, 'c>| {
            let place = open(result(made, 0).r#type()).into_iter().position(|own| own == d)?;
            (place < made.operand_count()).then(|| operand(made, place))
        };
        let count = made.operand_count();
        match tree::name(made).as_str() {
            "tensor.empty" | "bufferization.alloc_tensor" => match allocated(made) {
                Some(size) => self.before(size, depth - 1),
                None => Ok(None),
            },
            "bufferization.to_tensor" => {
                let memory = tree::definition(operand(made, 0));
                let memory = memory.filter(|own| tree::name(*own) == "memref.alloc");
                match memory.and_then(allocated) {
                    Some(size) => self.before(size, depth - 1),
                    None => Ok(None),
                }
            }
            "tensor.cast" => self.size(operand(made, 0), d, depth - 1),
            // Its dynamic sizes are those of the result, in order: of dimensions that are dropped the size is 1.
            "tensor.extract_slice" => {
                let place = open(result(made, 0).r#type()).into_iter().position(|own| own == d);
                let counts = made.attribute("operandSegmentSizes").ok();
                let counts = counts.and_then(|own| DenseI32ArrayAttribute::try_from(own).ok());
                let offsets = counts.and_then(|own| own.element(1).ok());
                let offsets = offsets.and_then(|own| usize::try_from(own).ok());
                match place.zip(offsets) {
                    Some((place, offsets)) if 1 + offsets + place < count => {
                        self.before(operand(made, 1 + offsets + place), depth - 1)
                    }
                    _ => Ok(None),
                }
            }
            "tensor.expand_shape" => {
                let place = open(result(made, 0).r#type()).into_iter().position(|own| own == d);
                match place.map(|place| place + 1).filter(|place| *place < count) {
                    Some(place) => self.before(operand(made, place), depth - 1),
                    None => Ok(None),
                }
            }
            "tensor.collapse_shape" => self.product(made, d, depth - 1),
            "tensor.insert_slice" | "bufferization.materialize_in_destination" => {
                self.size(operand(made, 1), d, depth - 1)
            }
            name if name.starts_with("linalg.") && made.result_count() <= count => {
                let place = (0..made.result_count()).find(|&i| result(made, i) == value);
                match place {
                    Some(i) => {
                        self.size(operand(made, count - made.result_count() + i), d, depth - 1)
                    }
                    None => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }

    /// The size of a dimension that a reshape makes of several.
    fn product(
        &self,
        made: OperationRef<'c, 'c>,
        d: usize,
        depth: usize,
    ) -> Result<Option<Val<'c>>, melior::Error> {
        let groups = made.attribute("reassociation").ok().and_then(tree::elements);
        let group = groups.and_then(|all| tree::elements(*all.get(d)?));
        let source = operand(made, 0);
        let dynamic = open(source.r#type());
        let mut all = None;
        for own in group.unwrap_or_default() {
            let own = IntegerAttribute::try_from(own)?.value();
            let own = usize::try_from(own).unwrap_or(usize::MAX);
            let size = match dynamic.contains(&own) {
                true => self.size(source, own, depth)?,
                // SAFETY: the type is a tensor with a rank that the dimension of a group is below.
                false => Some(self.b.constant(Type::index(self.b.context()), unsafe {
                    mlirShapedTypeGetDimSize(source.r#type().to_raw(), own as isize)
                })?),
            };
            let Some(size) = size else { return Ok(None) };
            all = Some(match all {
                None => size,
                Some(all) => self.b.binary("arith.muli", all, size)?,
            });
        }
        Ok(all)
    }

    /// An integer of the branch as a value before it.
    fn before(&self, value: Val<'c>, depth: usize) -> Result<Option<Val<'c>>, melior::Error> {
        if !tree::is_within(value, self.found) {
            return Ok(Some(value));
        }
        let Some(made) = tree::definition(value).filter(|_| depth > 0) else { return Ok(None) };
        let name = tree::name(made);
        if name == "tensor.dim" {
            let known = tree::constant(operand(made, 1)).and_then(|d| usize::try_from(d).ok());
            return known.map_or(Ok(None), |d| self.size(operand(made, 0), d, depth - 1));
        }
        if !COMPUTED.contains(&name.as_str()) {
            return Ok(None);
        }
        let mut known = HashMap::new();
        for i in 0..made.operand_count() {
            let own = operand(made, i);
            let Some(value) = self.before(own, depth - 1)? else { return Ok(None) };
            known.insert(tree::key(own), value);
        }
        tree::clone_all(self.b, &[made], &mut known);
        Ok(known.get(&tree::key(value)).copied())
    }
}
