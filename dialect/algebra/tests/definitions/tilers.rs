//! Operations by mode: what a tuple of tilers, or a profile, does to each mode is what its entry does to a layout.

use super::{Draw, Draws, call, offsets};
use layout_algebra::{Error, Layout, Op, Tiler, Tuple, Value};
use layout_random::checked;

const OPS: [Op; 10] = [
    Op::Coalesce,
    Op::Composition,
    Op::LogicalDivide,
    Op::ZippedDivide,
    Op::TiledDivide,
    Op::FlatDivide,
    Op::LogicalProduct,
    Op::ZippedProduct,
    Op::TiledProduct,
    Op::FlatProduct,
];

/// Coordinates that are compared.
const LIMIT: i64 = 1 << 12;

/// A layout of rank 1 to 3 whose modes may be nested.
fn nested(draw: &mut Draw, depth: u32) -> Layout {
    let modes: Vec<Layout> = (0..=draw.below(3))
        .map(|_| match draw.below(4) {
            0 if depth > 0 => nested(draw, depth - 1),
            _ => draw.layout(2),
        })
        .collect();
    Layout::make_layout(&modes).expect("small")
}

/// A tuple of tilers for some of the modes of a layout.
fn tuple(draw: &mut Draw, layout: &Layout, keeps: bool) -> Tiler {
    let modes = layout.modes();
    let count = 1 + draw.index(modes.len());
    let entries = modes[..count].iter().map(|mode| match draw.below(6) {
        0 if keeps => Tiler::Any,
        1 if matches!(mode.shape(), Tuple::Node(_)) => tuple(draw, mode, keeps),
        _ => Tiler::Layout(draw.layout(2)),
    });
    Tiler::Tuple(entries.collect())
}

/// A profile that nests no deeper than a shape.
fn profile(draw: &mut Draw, shape: &Tuple) -> Tuple {
    match shape {
        Tuple::Node(entries) if draw.below(3) > 0 => {
            Tuple::Node(entries.iter().map(|entry| profile(draw, entry)).collect())
        }
        _ => Tuple::Leaf(1),
    }
}

fn plain(value: Value) -> Layout {
    match value {
        Value::Layout(layout) => layout,
        other => panic!("no layout: {other}"),
    }
}

/// The operation mode by mode; a composition has no modes past the tiler's.
fn by_mode(op: Op, layout: &Layout, tiler: &Tiler) -> Result<Layout, Error> {
    let entries = match tiler {
        Tiler::Any => return Ok(layout.clone()),
        Tiler::Layout(tile) => {
            let operands = [layout, tile].map(|operand| Value::Layout(operand.clone()));
            return call(op, &operands).map(plain);
        }
        Tiler::Tuple(entries) => entries,
    };
    let modes = layout.modes().into_iter().enumerate();
    let modes = modes.filter_map(|(i, mode)| match entries.get(i) {
        Some(entry) => Some(by_mode(op, &mode, entry)),
        None => (op != Op::Composition).then_some(Ok(mode)),
    });
    Layout::make_layout(&modes.collect::<Result<Vec<_>, _>>()?)
}

fn coalesced(layout: &Layout, profile: &Tuple) -> Layout {
    match profile {
        Tuple::Leaf(_) => layout.coalesce().expect("small"),
        Tuple::Node(entries) => {
            let modes = layout.modes().into_iter().zip(entries);
            let modes: Vec<_> = modes.map(|(mode, entry)| coalesced(&mode, entry)).collect();
            Layout::make_layout(&modes).expect("small")
        }
    }
}

/// One call; whether there was an answer.
fn one(op: Op, draw: &mut Draw) -> bool {
    let layout = nested(draw, 1);
    let whole = Value::Layout(layout.clone());
    if op == Op::Coalesce {
        let profile = profile(draw, layout.shape());
        let found = call(op, &[whole, Value::from(profile.clone())]).map(plain);
        assert_eq!(found, Ok(coalesced(&layout, &profile)), "coalesce({layout}, {profile})");
        return true;
    }
    let logical = match op {
        Op::ZippedDivide | Op::TiledDivide | Op::FlatDivide => Op::LogicalDivide,
        Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct => Op::LogicalProduct,
        same => same,
    };
    let tiler = tuple(draw, &layout, op == logical);
    let case = format!("{}({layout}, {tiler})", op.name());
    let found = call(op, &[whole, Value::Tiler(tiler.clone())]).map(plain);
    match (&found, by_mode(logical, &layout, &tiler)) {
        (Ok(found), Ok(expected)) if op == logical => assert_eq!(*found, expected, "{case}"),
        (Ok(found), Ok(expected)) if found.size() > LIMIT => {
            assert_eq!(found.size(), expected.size())
        }
        (Ok(found), Ok(expected)) => {
            // Tiles come first, and the rests after them.
            let tiles = match &tiler {
                Tiler::Tuple(entries) => first_parts(&expected, entries),
                _ => panic!("a tuple"),
            };
            let start: Vec<_> = (0..tiles.size()).map(|i| found.at(i)).collect();
            assert_eq!(start, (0..tiles.size()).map(|i| tiles.at(i)).collect::<Vec<_>>(), "{case}");
            let [mut x, mut y] = [found, &expected].map(|all| offsets(&Value::Layout(all.clone())));
            x.sort_unstable();
            y.sort_unstable();
            assert_eq!(x, y, "{case}");
        }
        (Err(_), Err(_)) => {}
        (found, expected) => panic!("{case}: {found:?}, not {expected:?}"),
    }
    found.is_ok()
}

/// The tiles of a divide, or the blocks of a product, mode by mode.
fn first_parts(layout: &Layout, entries: &[Tiler]) -> Layout {
    let modes = layout.modes().into_iter().zip(entries);
    let modes: Vec<_> = modes
        .map(|(mode, entry)| match entry {
            Tiler::Tuple(entries) => first_parts(&mode, entries),
            _ => mode.modes()[0].clone(),
        })
        .collect();
    Layout::make_layout(&modes).expect("small")
}

fn run(calls: u64) {
    for (place, op) in (0..).zip(OPS) {
        let answers = (0..calls).map(|number| checked(place << 40 ^ number, |draw| one(op, draw)));
        let answered = answers.filter(|answered| *answered).count();
        println!("{:24} {answered} of {calls} answered by mode", op.name());
        assert!(answered > 0, "{} never answered", op.name());
    }
}

#[test]
fn every_mode_matches_its_entry() {
    run(400);
}

#[test]
#[ignore = "a minute; run with --release -- --ignored"]
fn a_million_calls_by_mode() {
    run(100_000);
}
