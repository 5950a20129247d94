//! Groups bytes that are tracked together, and finds memory that is not followed.

use crate::verify::{
    trace::{Event, Point, Root, Trace},
    view::{OuterPart, View},
};
use layout_algebra::{Layout, gcd};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of a copy that are examined.
pub(super) const ELEMENTS: i64 = 1 << 16;

/// Bytes that bulk copies and MMAs touch at once at least.
pub(super) const WIDE: i64 = 16;

/// For each memory, bytes that divide all that is touched at once and all addresses.
pub(super) fn units(trace: &Trace, read: &BTreeSet<Root>) -> BTreeMap<Root, i64> {
    let mut all: BTreeMap<Root, i64> = BTreeMap::new();
    let mut note = |root: &Root, bytes: i64| {
        let unit = all.entry(root.clone()).or_insert(bytes);
        *unit = gcd(*unit, bytes);
    };
    for event in &trace.events {
        match event {
            Event::Copy(copy) if copy.kind.is_bulk() => {
                for view in [&copy.source, &copy.target].into_iter().flatten() {
                    note(&view.root, wide(view));
                }
            }
            Event::Copy(copy) => {
                for view in [&copy.source, &copy.target].into_iter().flatten() {
                    // A predicate may cut a row, and integers of a program have places of their own.
                    let alone = !copy.predicates.is_empty()
                        || read.contains(&view.root)
                        || matches!(view.root, Root::Register(_));
                    note(&view.root, if alone { view.bytes } else { wide(view) });
                }
            }
            Event::Views(_, views, ..) => {
                views.iter().for_each(|view| note(&view.root, wide(view)));
            }
            Event::Access(access) => {
                note(&access.root, gcd(access.bytes, access.address.divisor()));
            }
            Event::Instruction(instruction) => {
                for (root, form) in instruction.operands.iter().flatten() {
                    if *root == Root::Shared {
                        note(root, gcd(WIDE, form.divisor()));
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// Bytes of a view that are in a row wherever one of them is.
fn wide(view: &View) -> i64 {
    let bytes = view.bytes.max(1);
    let is_wide = WIDE % bytes == 0
        && offsets(&view.layout).is_some_and(|all| closed(view, &all, WIDE / bytes));
    if is_wide { WIDE } else { bytes }
}

/// Whether elements come in aligned rows of `run`, wherever the view begins.
pub(super) fn closed(view: &View, offsets: &[i64], run: i64) -> bool {
    let stays = match &view.outer {
        OuterPart::Nothing => true,
        OuterPart::Swizzle(swizzle) => {
            swizzle.bits == 0 || 1_i64.checked_shl(swizzle.base).is_some_and(|base| base % run == 0)
        }
        OuterPart::Layout(_) => false,
    };
    if !stays || run < 1 || view.base.divisor() % run != 0 {
        return false;
    }
    let all: BTreeSet<i64> = offsets.iter().copied().collect();
    let first = all.iter().filter(|offset| offset.rem_euclid(run) == 0);
    let rows = first.clone().all(|&offset| {
        (1..run).all(|step| offset.checked_add(step).is_some_and(|next| all.contains(&next)))
    });
    rows && i64::try_from(first.count()).ok().and_then(|rows| rows.checked_mul(run))
        == i64::try_from(all.len()).ok()
}

/// The offset of each element of a layout.
pub(super) fn offsets(layout: &Layout) -> Option<Vec<i64>> {
    let size = layout.size();
    (size <= ELEMENTS).then_some(())?;
    (0..size).map(|at| layout.at(at).ok()).collect()
}

/// Who touches an argument's memory.
#[derive(Default)]
struct Uses {
    /// Bulk copies load and store it.
    bulk: [bool; 2],
    /// Threads do.
    threads: [bool; 2],
}

/// Memory that is not followed, and why.
pub(super) fn not_followed(trace: &Trace) -> BTreeMap<Root, String> {
    let mut all = BTreeMap::new();
    let mut uses: BTreeMap<usize, Uses> = BTreeMap::new();
    // A pipeline whose steps are counted by a value that a loop carries.
    let mut varies = false;
    for event in &trace.events {
        let roots: Vec<&Root> = match event {
            Event::Point(Point::Begin(facts), _) => {
                varies = facts.varies;
                continue;
            }
            Event::Point(Point::End, _) => {
                varies = false;
                continue;
            }
            Event::Copy(copy) => {
                for (store, view) in [(false, &copy.source), (true, &copy.target)] {
                    if let Some(Root::Argument(number)) = view.as_ref().map(|view| &view.root) {
                        let uses = uses.entry(*number).or_default();
                        match copy.kind.is_bulk() {
                            true => uses.bulk[usize::from(store)] = true,
                            false => uses.threads[usize::from(store)] = true,
                        }
                    }
                }
                [&copy.source, &copy.target].into_iter().flatten().map(|view| &view.root).collect()
            }
            Event::Views(_, views, ..) => views.iter().map(|view| &view.root).collect(),
            _ => continue,
        };
        for root in roots.into_iter().filter(|root| varies && **root != Root::Nothing) {
            all.entry(root.clone()).or_insert_with(|| {
                "memory of a pipeline whose tiles have steps of their own".to_owned()
            });
        }
    }
    for (number, uses) in uses {
        let [loads, stores] = uses.bulk;
        let [reads, writes] = uses.threads;
        if stores && (loads || reads || writes) || loads && writes {
            all.entry(Root::Argument(number)).or_insert_with(|| {
                format!("memory of argument {number}, which bulk copies and threads touch")
            });
        }
    }
    all.retain(|root, _| !matches!(root, Root::Register(_)));
    all
}
