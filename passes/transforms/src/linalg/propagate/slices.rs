//! Splits contractions whose users combine two halves of the result, as in a gated unit.
//!
//! ```text
//! %h = linalg.matmul %x, %w                          %w0 = tensor.extract_slice %w [0, 0]    …
//! %g = tensor.extract_slice %h [0, 0]         ->     %g = linalg.matmul %x, %w0
//! %u = tensor.extract_slice %h [0, n]                %u = linalg.matmul %x, %w1
//! ```
//!
//! With one contraction, the whole result is stored to memory, and another kernel reads both halves. With two contractions, the
//! second has the operation where the halves meet in its epilogue. Elementwise operations between the contraction and the slices are
//! computed for each part, and what they read besides is cut too: views of it, or what is computed element by element.

use super::{NAME, cost::UNKNOWN};
use crate::linalg::{
    contraction::{Contraction, may_be_one},
    located::integers,
    loops::copied,
    reshape::{DYNAMIC, parsed, ranked, tensor},
    rows::extent::Extent,
};
use layout_dialect::{
    affine::{IndexingMap, Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    diagnostics, tree,
};
use layout_schedule::Chip;
use melior::ir::{BlockLike, OperationRef, ValueLike, operation::OperationLike};

type Built<T> = Result<T, melior::Error>;

/// The longest chain of elementwise operations that is looked through.
const DEPTH: usize = 16;

/// Rows and columns of the tile that work is counted in.
const TILE: i64 = 128;

/// A slice of a tensor along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slice {
    dimension: usize,
    offset: i64,
    size: i64,
}

/// Divides contractions below `root` whose halves meet; the number of those.
pub(super) fn run(root: OperationRef<'_, '_>, chip: &Chip) -> Built<u64> {
    let mut count = 0;
    let is_candidate = |one: &OperationRef<'_, '_>| may_be_one(*one) && one.result_count() == 1;
    for operation in tree::all(root).into_iter().filter(is_candidate).collect::<Vec<_>>() {
        let Ok(contraction) = Contraction::read(operation) else { continue };
        let Some((whole, slices)) = halves(&contraction, chip) else { continue };
        diagnostics::remark(
            operation,
            &format!(
                "{NAME} computes the halves of {} by themselves, since they meet after it",
                whole.r#type()
            ),
        );
        for (slice, part) in slices {
            let b = Builder::before(slice);
            let value = cut(&b, whole, part, (operation, DEPTH + 1))?;
            tree::replace_uses(first_result(slice), value);
            tree::erase(slice);
        }
        count += 1;
    }
    Ok(count)
}

/// A tensor that is cut into two halves that meet, and its slices: the contraction's result, or what elementwise operations make of it.
fn halves<'c>(
    contraction: &Contraction<'c>,
    chip: &Chip,
) -> Option<(Val<'c>, Vec<(OperationRef<'c, 'c>, Slice)>)> {
    starts_from_fill(contraction.operation)?;
    let mut whole = contraction.result();
    let mut slices = Vec::new();
    for _ in 0..DEPTH {
        let users: Vec<_> = users_of(whole);
        if users.iter().all(|user| tree::name(*user) == "tensor.extract_slice") {
            slices = users;
            break;
        }
        let [user] = users[..] else { return None };
        let maps = elementwise(user)?;
        let last = user.operand_count() - 1;
        (tree::key(operand(user, last)) != tree::key(whole)).then_some(())?;
        let read = (0..last).find(|&i| tree::key(operand(user, i)) == tree::key(whole))?;
        (maps[read] == maps[last]).then_some(())?;
        whole = first_result(user);
    }
    let [first, second] = slices[..] else { return None };
    let (_, sizes) = ranked(whole.r#type())?;
    let [a, b] = [part(first, whole, &sizes)?, part(second, whole, &sizes)?];
    let meets = a.offset < b.offset + b.size && b.offset < a.offset + a.size;
    (a.dimension == b.dimension && a.size == b.size && !meets).then_some(())?;
    // The loop is one operand's alone, which has a view of each half.
    let own = contraction.maps[2].results.get(a.dimension)?.dimension()?;
    let is_of_one_operand =
        [&contraction.dimensions.m, &contraction.dimensions.n].iter().any(|all| all.contains(&own));
    (is_of_one_operand && contraction.maps.iter().all(|map| is_once(map, own))).then_some(())?;
    // Each half keeps the chip busy.
    let size = |i: usize| if i == a.dimension { a.size } else { sizes[i].unwrap_or(UNKNOWN) };
    let elements: i64 = (0..sizes.len()).map(size).try_fold(1, i64::checked_mul)?;
    let tiles = elements / (TILE * TILE);
    (4 * tiles >= 3 * chip.multiprocessors).then_some(())?;
    meet([first_result(first), first_result(second)])?;
    Some((whole, vec![(first, a), (second, b)]))
}

/// Whether a loop is a coordinate by itself, and one at most.
fn is_once(map: &IndexingMap, own: usize) -> bool {
    let has = |result: &&Linear| result.terms.iter().any(|&(d, _)| d == own);
    let mut all = map.results.iter().filter(has);
    all.next().is_none_or(|first| first.dimension().is_some()) && all.next().is_none()
}

/// Whether a contraction's result starts from one number everywhere.
fn starts_from_fill(operation: OperationRef<'_, '_>) -> Option<()> {
    let init = tree::definition(operand(operation, operation.operand_count() - 1))?;
    (tree::name(init) == "linalg.fill").then_some(())
}

/// Each operation that reads a value, once.
fn users_of<'c>(value: Val<'c>) -> Vec<OperationRef<'c, 'c>> {
    let mut found: Vec<OperationRef<'c, 'c>> = Vec::new();
    if let Some(made) = tree::definition(value) {
        for user in tree::users(made) {
            if !found.contains(&user) {
                found.push(user);
            }
        }
    }
    found
}

/// The maps of an operation of `linalg` that computes each element of one result from elements of its operands.
fn elementwise(operation: OperationRef<'_, '_>) -> Option<Vec<IndexingMap>> {
    (tree::name(operation).starts_with("linalg.") && operation.result_count() == 1).then_some(())?;
    let maps = indexing_maps(operation)?;
    let last = maps.last()?;
    (maps.len() == operation.operand_count()).then_some(())?;
    let is_identity = last.results.len() == last.dimensions
        && last.results.iter().enumerate().all(|(d, result)| result.dimension() == Some(d));
    let are_loops = maps.iter().all(|map| {
        let is_fit = |one: &Linear| one.dimension().is_some() || one.terms.is_empty();
        map.results.iter().all(is_fit) && (0..map.dimensions).all(|d| is_once(map, d))
    });
    let body = tree::entry(operation)?;
    let is_unread = !tree::is_used(tree::argument(body, body.argument_count() - 1));
    let has_index =
        tree::all(operation).into_iter().any(|inner| tree::name(inner) == "linalg.index");
    (is_identity && are_loops && is_unread && !has_index).then_some(maps)
}

/// The part that a slice takes of a tensor of these sizes: along one dimension, all of the others.
fn part<'c>(slice: OperationRef<'c, 'c>, whole: Val<'c>, sizes: &[Option<i64>]) -> Option<Slice> {
    let [offsets, lengths, steps] =
        ["static_offsets", "static_sizes", "static_strides"].map(|name| integers(slice, name));
    let (offsets, lengths, steps) = (offsets?, lengths?, steps?);
    let (_, own) = ranked(first_result(slice).r#type())?;
    let is_fit = own.len() == sizes.len() && steps.iter().all(|&step| step == 1);
    is_fit.then_some(())?;
    let extents = [whole, first_result(slice)].map(Extent::all);
    let [Ok(of_whole), Ok(of_slice)] = extents else { return None };
    let mut found = None;
    for (dimension, size) in sizes.iter().enumerate() {
        let (offset, length) = (offsets[dimension], lengths[dimension]);
        match *size {
            Some(size) if length != size => {
                let is_known = offset != DYNAMIC && length != DYNAMIC;
                let one = Slice { dimension, offset, size: length };
                (is_known && found.replace(one).is_none()).then_some(())?;
            }
            _ => (offset == 0 && of_whole[dimension] == of_slice[dimension]).then_some(())?,
        }
    }
    found
}

/// Whether elementwise operations bring both values into one operation.
fn meet(values: [Val<'_>; 2]) -> Option<()> {
    let [first, second] = values.map(reached);
    first.iter().any(|one| second.contains(one)).then_some(())
}

/// The elementwise operations that a value reaches through none but such.
fn reached<'c>(value: Val<'c>) -> Vec<OperationRef<'c, 'c>> {
    let mut found: Vec<OperationRef<'c, 'c>> = Vec::new();
    let mut next = vec![value];
    while let Some(value) = next.pop() {
        for user in users_of(value) {
            if found.len() < DEPTH && elementwise(user).is_some() && !found.contains(&user) {
                found.push(user);
                next.push(first_result(user));
            }
        }
    }
    found
}

/// A part of a value, computed by itself where that is a structured operation.
fn cut<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    part: Slice,
    (contraction, depth): (OperationRef<'c, 'c>, usize),
) -> Built<Val<'c>> {
    let (element, mut sizes) = ranked(value.r#type()).ok_or(melior::Error::OperationBuild)?;
    sizes[part.dimension] = Some(part.size);
    let r#type = tensor(b, &sizes, element)?;
    let made = tree::definition(value);
    let name = made.map(tree::name).unwrap_or_default();
    match made {
        Some(_) if name == "tensor.empty" => b.value("tensor.empty", &open(b, value)?, r#type, &[]),
        Some(made) if name == "linalg.fill" => {
            let empty = b.value("tensor.empty", &open(b, value)?, r#type, &[])?;
            let attributes = [("operandSegmentSizes", parsed(b, "array<i32: 1, 1>")?)];
            let own = [operand(made, 0), empty];
            let region = copied(b, made)?;
            Ok(first_result(b.operation(
                "linalg.fill",
                &own,
                &[r#type],
                &attributes,
                vec![region],
            )?))
        }
        Some(made) if depth > 0 && is_computed(made, contraction) => {
            let maps = indexing_maps(made).ok_or(melior::Error::OperationBuild)?;
            let last = maps.len() - 1;
            let cut_loop = maps[last].results[part.dimension].dimension();
            let mut operands = Vec::with_capacity(maps.len());
            for (i, map) in maps.iter().enumerate() {
                let found = map.results.iter().position(|result| result.dimension() == cut_loop);
                operands.push(match found {
                    Some(dimension) => {
                        let part = Slice { dimension, ..part };
                        cut(b, operand(made, i), part, (contraction, depth - 1))?
                    }
                    None => operand(made, i),
                });
            }
            let texts: Vec<String> = maps.iter().map(ToString::to_string).collect();
            let kinds: Vec<&str> = (0..maps[last].dimensions)
                .map(|d| match maps[last].results.iter().any(|own| own.dimension() == Some(d)) {
                    true => "#linalg.iterator_type<parallel>",
                    false => "#linalg.iterator_type<reduction>",
                })
                .collect();
            let attributes = [
                ("indexing_maps", parsed(b, &format!("[{}]", texts.join(", ")))?),
                ("iterator_types", parsed(b, &format!("[{}]", kinds.join(", ")))?),
                ("operandSegmentSizes", parsed(b, &format!("array<i32: {last}, 1>"))?),
            ];
            let region = copied(b, made)?;
            let own =
                b.operation("linalg.generic", &operands, &[r#type], &attributes, vec![region])?;
            Ok(first_result(own))
        }
        _ => {
            let mut operands = vec![value];
            operands.extend(open(b, value)?);
            let list = |all: Vec<i64>| {
                let all: Vec<String> = all.iter().map(i64::to_string).collect();
                parsed(b, &format!("array<i64: {}>", all.join(", ")))
            };
            let at = |i: usize| if i == part.dimension { part.offset } else { 0 };
            let attributes = [
                ("static_offsets", list((0..sizes.len()).map(at).collect())?),
                ("static_sizes", list(sizes.iter().map(|n| n.unwrap_or(DYNAMIC)).collect())?),
                ("static_strides", list(vec![1; sizes.len()])?),
                (
                    "operandSegmentSizes",
                    parsed(b, &format!("array<i32: 1, 0, {}, 0>", operands.len() - 1))?,
                ),
            ];
            b.value("tensor.extract_slice", &operands, r#type, &attributes)
        }
    }
}

/// Whether parts of an operation's result are computed from parts of its operands: the contraction, or an elementwise operation that is
/// read by one other, or by slices alone.
fn is_computed(operation: OperationRef<'_, '_>, contraction: OperationRef<'_, '_>) -> bool {
    let users = users_of(first_result(operation));
    let is_cut = users.iter().all(|user| tree::name(*user) == "tensor.extract_slice");
    operation == contraction || (elementwise(operation).is_some() && (users.len() <= 1 || is_cut))
}

/// The sizes of a tensor that are known at run time.
fn open<'c>(b: &Builder<'c>, value: Val<'c>) -> Built<Vec<Val<'c>>> {
    let extents = Extent::all(value).map_err(|_| melior::Error::OperationBuild)?;
    let (_, sizes) = ranked(value.r#type()).ok_or(melior::Error::OperationBuild)?;
    let unknown = extents.iter().zip(&sizes).filter(|(_, size)| size.is_none());
    unknown.map(|(extent, _)| extent.emit(b)).collect()
}
