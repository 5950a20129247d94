//! Accesses of a reference beyond its memrefs: each is of element 0 instead, and the first is remembered.

use layout_dialect::{
    build::{Builder, Val, operand},
    tree,
};
use melior::ir::{
    Attribute, Module, OperationRef, Type,
    attribute::{FlatSymbolRefAttribute, IntegerAttribute, StringAttribute, TypeAttribute},
    operation::OperationLike,
};
use std::{cell::Cell, ffi::c_void};

/// The function that checked code calls: with the place in the source, the mode, the index and the extent.
const NAME: &str = "layout_reference_outside";

/// An access of what a memref does not have.
#[derive(Clone, Copy, Debug)]
struct Outside {
    place: i64,
    mode: i64,
    index: i64,
    extent: i64,
}

thread_local! {
    static FIRST: Cell<Option<Outside>> = const { Cell::new(None) };
}

/// The function, by name.
pub(super) fn function() -> (&'static str, *mut c_void) {
    extern "C" fn outside(place: i64, mode: i64, index: i64, extent: i64) {
        let own = Outside { place, mode, index, extent };
        FIRST.set(FIRST.get().or(Some(own)));
    }
    (NAME, outside as *mut c_void)
}

/// The first access beyond a memref since the last call, in words.
pub(super) fn first(places: &[String]) -> Option<String> {
    let Outside { place, mode, index, extent } = FIRST.take()?;
    let place = usize::try_from(place).ok().and_then(|place| places.get(place));
    let place = crate::commands::place(place.map(String::as_str).unwrap_or_default());
    let place = place.trim_end_matches([':', ' ']);
    Some(format!(
        "expected an index below {extent} along dimension {mode} of a memref, found {index}, at {place}"
    ))
}

/// Checks each access of a module of loops; the places of accesses by their numbers.
pub(super) fn check(module: &Module<'_>) -> Result<Vec<String>, melior::Error> {
    let mut places = Vec::new();
    for operation in tree::all(module.as_operation()) {
        let memref = match tree::name(operation).as_str() {
            "memref.load" => 0,
            "memref.store" | "memref.atomic_rmw" => 1,
            _ => continue,
        };
        let place = i64::try_from(places.len()).unwrap_or(0);
        places.push(operation.location().to_string());
        for number in memref + 1..operation.operand_count() {
            let mode = i64::try_from(number - memref - 1).unwrap_or(0);
            let index = inside(
                operation,
                (operand(operation, memref), mode),
                operand(operation, number),
                place,
            )?;
            tree::set_operand(operation, number, index);
        }
    }
    if let Some(body) = tree::entry(module.as_operation()) {
        let root = module.as_operation();
        let context = layout_dialect::build::context_of(root);
        let b = Builder::at_start(context, root.location(), body);
        let r#type = Type::parse(context, "(i64, i64, index, index) -> ()")
            .ok_or_else(|| melior::Error::TypeExpected("function", NAME.to_owned()))?;
        let attributes: [(&str, Attribute<'_>); 3] = [
            ("sym_name", StringAttribute::new(context, NAME).into()),
            ("function_type", TypeAttribute::new(r#type).into()),
            ("sym_visibility", StringAttribute::new(context, "private").into()),
        ];
        b.operation("func.func", &[], &[], &attributes, vec![melior::ir::Region::new()])?;
    }
    Ok(places)
}

/// An index of an access, or 0 where the memref ends before it.
fn inside<'c>(
    operation: OperationRef<'c, 'c>,
    (memref, mode): (Val<'c>, i64),
    index: Val<'c>,
    place: i64,
) -> Result<Val<'c>, melior::Error> {
    const NOT_BELOW: i64 = 9;
    let b = Builder::before(operation);
    let of_index = Type::index(b.context());
    let number = b.constant(of_index, mode)?;
    let extent = b.value("memref.dim", &[memref, number], of_index, &[])?;
    let predicate = IntegerAttribute::new(b.integer(64), NOT_BELOW).into();
    let is_outside =
        b.value("arith.cmpi", &[index, extent], b.integer(1), &[("predicate", predicate)])?;
    b.branch::<melior::Error>(
        is_outside,
        &[],
        |b| {
            let word = b.integer(64);
            let operands = [b.constant(word, place)?, b.constant(word, mode)?, index, extent];
            let callee = FlatSymbolRefAttribute::new(b.context(), NAME).into();
            b.operation("func.call", &operands, &[], &[("callee", callee)], vec![])?;
            Ok(vec![])
        },
        None,
    )?;
    let first = b.constant(of_index, 0)?;
    b.value("arith.select", &[is_outside, first, index], of_index, &[])
}
