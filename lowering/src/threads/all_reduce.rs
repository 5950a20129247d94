//! `gpu.all_reduce` of all threads of a block: each thread passes its value, and when all have come combines the values of all in the order
//! of the threads, so that every thread has the same bits. It orders no accesses to memory, which only barriers do.

use super::{
    Error,
    program::{Sites, call, constant},
};
use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};

/// The kinds of reductions, and how two integers and two floats are combined.
const KINDS: [(&str, Option<&str>, Option<&str>); 13] = [
    ("add", Some("arith.addi"), Some("arith.addf")),
    ("mul", Some("arith.muli"), Some("arith.mulf")),
    ("minui", Some("arith.minui"), None),
    ("minsi", Some("arith.minsi"), None),
    ("minnumf", None, Some("arith.minnumf")),
    ("maxui", Some("arith.maxui"), None),
    ("maxsi", Some("arith.maxsi"), None),
    ("maxnumf", None, Some("arith.maxnumf")),
    ("and", Some("arith.andi"), None),
    ("or", Some("arith.ori"), None),
    ("xor", Some("arith.xori"), None),
    ("minimumf", None, Some("arith.minimumf")),
    ("maximumf", None, Some("arith.maximumf")),
];

/// The operation.
pub(super) const NAME: &str = "gpu.all_reduce";

/// Writes out a reduction over a block.
pub(super) fn replace(operation: OperationRef<'_, '_>, sites: &mut Sites) -> Result<(), Error> {
    // SAFETY: the operation is in a module that the caller owns.
    write_out(unsafe { OperationRef::from_raw(operation.to_raw()) }, sites)
}

fn write_out<'c>(operation: OperationRef<'c, 'c>, sites: &mut Sites) -> Result<(), Error> {
    let b = &Builder::before(operation);
    let value = operand(operation, 0);
    let of = value.r#type();
    let refused = |found: String| {
        let expected = "expected a reduction of numbers of up to 64 bits by a kind or a body";
        Error::at(operation, format!("{expected}, found {found}"))
    };
    let bits = bits(of).ok_or_else(|| refused(of.to_string()))?;
    let kind = operation.attribute("op").map(|kind| kind.to_string()).unwrap_or_default();
    let row = KINDS.iter().find(|(name, ..)| kind.ends_with(&format!(" {name}>")));
    let named =
        row.and_then(|&(_, integers, floats)| if of.is_float() { floats } else { integers });
    let combined = |b: &Builder<'c>, x: Val<'c>, y: Val<'c>| -> Result<Val<'c>, Error> {
        match (named, tree::entry(operation)) {
            (Some(name), _) => Ok(b.binary(name, x, y)?),
            (None, Some(block)) => {
                tree::inlined(b, block, &[x, y]).ok_or_else(|| refused("no value".to_owned()))
            }
            (None, None) => Err(refused(format!("'{kind}' of {of}"))),
        }
    };
    let value_of = |b: &Builder<'c>, number: Val<'c>| -> Result<Val<'c>, Error> {
        let word = call(b, "layout_gathered", &[number], Some(b.integer(64)))?;
        let word = word.ok_or_else(|| refused("no value".to_owned()))?;
        from_word(b, word, of, bits)
    };
    let own = to_word(b, value, bits)?;
    let site = constant(b, 32, sites.of(operation))?;
    let count = call(b, "layout_gather", &[own, site], Some(b.integer(32)))?;
    let count = count.ok_or_else(|| refused("no threads".to_owned()))?;
    let (zero, one) = (constant(b, 32, 0)?, constant(b, 32, 1)?);
    let first = value_of(b, zero)?;
    let each = b.open_carrying_loop([one, count, one], [first])?;
    let next = combined(&each.inside, each.carried[0], value_of(&each.inside, each.index)?)?;
    each.inside.operation("scf.yield", &[next], &[], &[], vec![])?;
    tree::replace_uses(first_result(operation), each.left[0]);
    tree::erase(operation);
    Ok(())
}

/// The bits of a number that a word holds.
fn bits(of: Type<'_>) -> Option<u32> {
    match of.to_string().as_str() {
        "index" | "i64" | "f64" => Some(64),
        "i32" | "f32" => Some(32),
        "i16" | "f16" | "bf16" => Some(16),
        "i8" => Some(8),
        "i1" => Some(1),
        _ => None,
    }
}

/// A number's bits in a word.
fn to_word<'c>(b: &Builder<'c>, value: Val<'c>, bits: u32) -> Result<Val<'c>, Error> {
    let word = b.integer(64);
    let of = value.r#type();
    if of == Type::index(b.context()) {
        return Ok(b.value("arith.index_cast", &[value], word, &[])?);
    }
    let own = b.integer(bits);
    let value = if of.is_float() { b.value("arith.bitcast", &[value], own, &[])? } else { value };
    Ok(if bits == 64 { value } else { b.value("arith.extui", &[value], word, &[])? })
}

/// The number of a type whose bits a word has.
fn from_word<'c>(
    b: &Builder<'c>,
    word: Val<'c>,
    of: Type<'c>,
    bits: u32,
) -> Result<Val<'c>, Error> {
    if of == Type::index(b.context()) {
        return Ok(b.value("arith.index_cast", &[word], of, &[])?);
    }
    let own = b.integer(bits);
    let value = if bits == 64 { word } else { b.value("arith.trunci", &[word], own, &[])? };
    Ok(if of.is_float() { b.value("arith.bitcast", &[value], of, &[])? } else { value })
}
