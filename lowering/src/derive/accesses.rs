//! The accesses of a kernel to its arguments, found from the operations on them.

use layout_dialect::{
    ViewType,
    build::{Val, result},
    tree,
};
use melior::ir::{BlockLike, OperationRef, Value, ValueLike, operation::OperationLike};
use mlir_sys::{
    mlirOpOperandGetNextUse, mlirOpOperandGetOperandNumber, mlirOpOperandGetOwner,
    mlirOpOperandIsNull, mlirValueGetFirstUse,
};
use std::collections::HashSet;

/// The findings about one argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Access {
    /// Something reads it.
    pub(super) reads: bool,
    /// Something writes it.
    pub(super) writes: bool,
    /// Something uses it of which it is not known what it does.
    pub(super) unsure: bool,
}

impl Access {
    const READ: Self = Self { reads: true, writes: false, unsure: false };
    const WRITE: Self = Self { reads: false, writes: true, unsure: false };
    const BOTH: Self = Self { reads: true, writes: true, unsure: false };
    const UNSURE: Self = Self { reads: false, writes: false, unsure: true };

    fn with(&mut self, other: Self) {
        self.reads |= other.reads;
        self.writes |= other.writes;
        self.unsure |= other.unsure;
    }

    /// As the manifest says it, or `None` if it is not known.
    pub(super) fn text(self) -> Option<&'static str> {
        match (self.reads, self.writes, self.unsure) {
            (_, _, true) => None,
            (_, false, _) => Some("read"),
            (false, true, _) => Some("write"),
            (true, true, _) => Some("read_write"),
        }
    }

    /// Whether what a manifest says allows for what was found.
    pub(super) fn agrees(self, declared: &str) -> bool {
        match declared {
            "read" => !self.writes,
            "write" => !self.reads,
            _ => true,
        }
    }
}

/// The accesses of a kernel to all of its arguments.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    pub(super) arguments: Vec<Access>,
    /// The type that a pointer is accessed as, where nothing else is done with it: of one element.
    pub(super) pointees: Vec<Option<String>>,
    /// Whether floats are added atomically, in an order that is another in each run.
    pub(super) unordered: bool,
}

impl Accesses {
    pub(super) fn of(module: OperationRef<'_, '_>, kernel: OperationRef<'_, '_>) -> Self {
        let mut seen = HashSet::new();
        let arguments = match tree::entry(kernel) {
            None => Vec::new(),
            Some(entry) => (0..entry.argument_count())
                .map(|i| through(module, tree::argument(entry, i), &mut seen))
                .collect(),
        };
        let is_float_atomic = |operation: OperationRef<'_, '_>| {
            let name = tree::name(operation);
            let atomic = name.contains("atomic") && !name.contains("cmpxchg");
            let adds = operation.attribute("bin_op").map_or(true, |kind| {
                kind.to_string().contains("fadd") || is_float_kind(&kind.to_string())
            });
            let float = (0..operation.operand_count()).any(|i| {
                let text = layout_dialect::build::operand(operation, i).r#type().to_string();
                ["f16", "bf16", "f32", "f64"].contains(&text.as_str())
            });
            atomic && adds && float
        };
        let unordered = tree::all(module).into_iter().any(is_float_atomic);
        let pointees = match tree::entry(kernel) {
            None => Vec::new(),
            Some(entry) => {
                (0..entry.argument_count()).map(|i| pointee(tree::argument(entry, i))).collect()
            }
        };
        Self { arguments, pointees, unordered }
    }
}

/// LLVM's numbers of atomic operations that add floats: `fadd` and `fsub`.
fn is_float_kind(kind: &str) -> bool {
    ["11 ", "12 "].iter().any(|number| kind.starts_with(number))
}

/// The uses of a value: operations, and its place among their operands.
fn uses<'c>(value: Val<'c>) -> Vec<(OperationRef<'c, 'c>, usize)> {
    let mut found = Vec::new();
    // SAFETY: the value is valid; a use that is there has an owner, a place and a next one, or null.
    unsafe {
        let mut next = mlirValueGetFirstUse(value.to_raw());
        while !mlirOpOperandIsNull(next) {
            let owner = OperationRef::from_raw(mlirOpOperandGetOwner(next));
            found.push((owner, mlirOpOperandGetOperandNumber(next) as usize));
            next = mlirOpOperandGetNextUse(next);
        }
    }
    found
}

/// The type of the one element that a pointer is to, if all of its uses access that.
fn pointee(pointer: Val<'_>) -> Option<String> {
    let mut found: Option<String> = None;
    for (operation, place) in uses(pointer) {
        let accessed = match (tree::name(operation).as_str(), place) {
            ("llvm.load", 0) => result(operation, 0),
            ("llvm.store", 1) => layout_dialect::build::operand(operation, 0),
            ("llvm.atomicrmw", 0) => layout_dialect::build::operand(operation, 1),
            _ => return None,
        };
        let r#type = accessed.r#type().to_string();
        if found.as_ref().is_some_and(|found| *found != r#type) {
            return None;
        }
        found = Some(r#type);
    }
    found
}

/// The accesses through a value, and through what is made of it.
fn through<'c>(module: OperationRef<'_, '_>, value: Val<'c>, seen: &mut HashSet<usize>) -> Access {
    let mut found = Access::default();
    let mut next = vec![value];
    while let Some(value) = next.pop() {
        if !seen.insert(tree::key(value)) {
            continue;
        }
        for (operation, place) in uses(value) {
            let name = tree::name(operation);
            let own = match (name.as_str(), place) {
                ("layout.load" | "llvm.load", _) => Access::READ,
                ("layout.store" | "llvm.store", 1) | ("layout.fill", 0) => Access::WRITE,
                ("layout.copy" | "layout.cooperative_copy" | "layout.copy_im2col", 0)
                | ("layout.mma", 0 | 1) => Access::READ,
                ("layout.copy" | "layout.cooperative_copy" | "layout.copy_im2col", 1) => {
                    Access::WRITE
                }
                ("llvm.atomicrmw" | "llvm.cmpxchg", 0) => Access::BOTH,
                (
                    "llvm.getelementptr"
                    | "llvm.addrspacecast"
                    | "builtin.unrealized_conversion_cast",
                    0,
                )
                | ("layout.make_view" | "layout.pointer", 0) => {
                    next.push(result(operation, 0));
                    Access::default()
                }
                ("func.call", _) => {
                    next.extend(parameter(module, operation, place));
                    match parameter(module, operation, place) {
                        Some(_) => Access::default(),
                        None => Access::UNSURE,
                    }
                }
                _ => match made(operation) {
                    Results::Views(views) => {
                        next.extend(views);
                        Access::default()
                    }
                    Results::Numbers => Access::default(),
                    Results::Nothing if name.contains("atomic") => Access::BOTH,
                    Results::Nothing => Access::UNSURE,
                },
            };
            found.with(own);
        }
    }
    found
}

/// The kind of an operation's results.
enum Results<'c> {
    Views(Vec<Val<'c>>),
    /// Numbers that are read off a layout.
    Numbers,
    Nothing,
}

fn made<'c>(operation: OperationRef<'c, 'c>) -> Results<'c> {
    const QUERIES: [&str; 8] =
        ["size", "cosize", "rank", "depth", "shape", "stride", "crd2idx", "layout_of"];
    let name = tree::name(operation);
    let Some(name) = name.strip_prefix("layout.") else { return Results::Nothing };
    let results = (0..operation.result_count()).map(|i| result(operation, i));
    let views: Vec<Val<'c>> =
        results.filter(|value| ViewType::from_type(value.r#type()).is_some()).collect();
    match views.is_empty() {
        false => Results::Views(views),
        true if QUERIES.contains(&name) => Results::Numbers,
        true => Results::Nothing,
    }
}

/// The argument that a function of the module has for an operand of a call.
fn parameter<'c>(
    module: OperationRef<'_, '_>,
    call: OperationRef<'c, 'c>,
    place: usize,
) -> Option<Val<'c>> {
    let callee = call.attribute("callee").ok()?.to_string();
    let callee = callee.strip_prefix('@')?.trim_matches('"').to_owned();
    let is_named = |function: &OperationRef<'_, '_>| {
        tree::symbol(*function).is_some_and(|name| name == callee)
    };
    let function = tree::inside(module, "func.func").into_iter().find(is_named)?;
    let entry = tree::entry(function)?;
    if place >= entry.argument_count() {
        return None;
    }
    // SAFETY: the argument lives as long as the module does, which the call is in.
    Some(unsafe { Value::from_raw(tree::argument(entry, place).to_raw()) })
}
