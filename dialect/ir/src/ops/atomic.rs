//! `layout.atomic`: an element and a value, combined at once.

use crate::ops::prelude::*;
use crate::ops::views::view;

/// The types of elements that devices combine at once.
const FLOATS: [&str; 4] = ["f32", "f64", "f16", "bf16"];
const INTEGERS: [&str; 2] = ["i32", "i64"];

/// The kinds: the numbers of LLVM's `atomicrmw` on floats and on integers.
const KINDS: [(&str, Option<i64>, Option<i64>); 11] = [
    ("add", Some(11), Some(1)),
    ("max", Some(19), Some(7)),
    ("min", Some(20), Some(8)),
    ("maxnum", Some(13), None),
    ("minnum", Some(14), None),
    ("maxu", None, Some(9)),
    ("minu", None, Some(10)),
    ("and", None, Some(3)),
    ("or", None, Some(5)),
    ("xor", None, Some(6)),
    ("exchange", Some(0), Some(0)),
];

/// The orders: whether they release what was written before, and acquire what others released.
const ORDERS: [(&str, bool, bool); 4] = [
    ("relaxed", false, false),
    ("acquire", false, true),
    ("release", true, false),
    ("acq_rel", true, true),
];

/// A `layout.atomic`, its kind in the numbers of LLVM's `atomicrmw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Atomic {
    /// The kind of the operation.
    pub kind: i64,
    /// Whether it releases earlier writes.
    pub releases: bool,
    /// Whether it acquires writes that others released.
    pub acquires: bool,
    /// Among which threads, in the words of the NVPTX target.
    pub scope: &'static str,
}

impl Atomic {
    /// Reads a `layout.atomic`.
    pub fn of(operation: OperationRef<'_, '_>) -> Result<Self, Violation> {
        let word = |name: &str| {
            let word = operation.attribute(name).ok().and_then(tree::text);
            word.unwrap_or_default()
        };
        let check = Check::new(operation);
        let unknown = |code: Code, name: &str, found: &str, known: Vec<&str>| {
            check.placed(Site::Attribute(name), Violation::unknown(code, found, &known))
        };
        let found = word("order");
        let order = ORDERS.iter().find(|(name, ..)| *name == found).ok_or_else(|| {
            let known = ORDERS.iter().map(|(name, ..)| *name).collect();
            unknown(Code::AtomicOrder, "order", &found, known)
        })?;
        let found = word("kind");
        let kind = KINDS.iter().find(|(name, ..)| *name == found).ok_or_else(|| {
            let known = KINDS.iter().map(|(name, ..)| *name).collect();
            unknown(Code::AtomicKind, "kind", &found, known)
        })?;
        let element = view(operation, 1)?.element_type();
        let text = element.to_string();
        let halves = FLOATS[2..].contains(&text.as_str());
        let by = match (FLOATS.contains(&text.as_str()), INTEGERS.contains(&text.as_str())) {
            (true, _) => kind.1.filter(|_| !halves || kind.0 == "add"),
            (_, true) => kind.2,
            _ => None,
        };
        let kind = by.ok_or_else(|| {
            let refused = match FLOATS.iter().chain(&INTEGERS).any(|known| *known == text) {
                true => {
                    let expected = format!("a kind that fits elements of {element}");
                    Violation::new(Code::AtomicKind, expected, &found)
                }
                false => {
                    let known = [&FLOATS[..], &INTEGERS].concat().join(", ");
                    let expected = format!("elements of one of {known}");
                    Violation::new(Code::AtomicKind, expected, element)
                }
            };
            check.placed(Site::Operand(1, Part::Element), refused)
        })?;
        let scope = match view(operation, 1)?.space() {
            Space::Global => "device",
            Space::Shared => "block",
            Space::Host => "",
            other => {
                let expected = "a view of memory that threads share";
                let refused = Violation::new(Code::AtomicSpace, expected, other);
                return Err(check.placed(Site::Operand(1, Part::Space), refused));
            }
        };
        Ok(Self { kind, releases: order.1, acquires: order.2, scope })
    }
}

pub(crate) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    check.violations.extend(Atomic::of(check.operation).err());
    index::point(check.operation, 1)
}
