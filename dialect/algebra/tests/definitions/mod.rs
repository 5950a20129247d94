//! Every operation of the catalog on random operands against the slow definition: layouts with strides
//! below 0, of 0 and that do not divide, nested ones, ones under a swizzle of either direction or under
//! another layout, coordinate layouts and linear ones.
//!
//! An answer is compared with its definition coordinate by coordinate. These operations are checked for less:
//!
//! - divides: the tile comes first; the whole is a permutation only where tile and rest fill the layout;
//! - `blocked_product` and `raked_product`: the offsets of `logical_product` in some order, the modes' sizes;
//! - `filter`, `filter_zeros`, `sort`, `unzip`, `make_ordered_layout`, `make_layout_like`, the compact strides,
//!   recasts: which offsets are reached; of `downcast` with several modes of stride 1 or -1 less still;
//! - `complement`: disjoint and in order; `nullspace`: offset 0 everywhere; `right_inverse`,
//!   `max_common_layout`: right as far as they go; `domain_distribute`: no index twice, none outside;
//!   `in_bounds_of_divide`: what it lets through is in the layout;
//! - `tile_to_shape`: the first block, of a plain layout; `to_linear`: there and back, where there is a way back;
//! - `cosize`, `coshape`: of plain layouts with strides that are not negative; `shape_div`, `ceil_div`,
//!   `round_up`: of integers; `compatible`, `congruent`, `weakly_congruent`: of a shape and itself;
//! - operations in `INSIDE` on composed layouts: as on the inner one.
//!
//! `bank_conflicts`, `conflict_free_swizzle`, `linear_swizzle`, `to_layout` and `linear_product` are only called:
//! whatever they answer passes here (`to_layout` and `linear_product` are part of how others are checked; `banks`,
//! `linear_swizzle` and `linear` are the tests of these five). A refusal of plain operands fails for the operations in `refused`;
//! other refusals are counted and not judged.

mod draw;
mod tilers;

use draw::Draws;
use layout_algebra::{
    ComposedLayout, Coord, Layout, Op, Outer, Swizzle, Term, Tiler, Tuple, Value, meaning,
};
use layout_random::{Numbers as Draw, checked};

/// The swizzle bit by bit.
fn swizzled(swizzle: &Swizzle, offset: i64) -> i64 {
    let (up, down) = (swizzle.shift.max(0), (-swizzle.shift).max(0));
    (0..swizzle.bits).fold(offset, |image, bit| {
        let from = swizzle.base + bit + up.unsigned_abs();
        let to = swizzle.base + bit + down.unsigned_abs();
        image ^ ((offset >> from & 1) << to)
    })
}

fn outside(composed: &ComposedLayout, offset: i64) -> i64 {
    let offset = composed.offset + offset;
    match &composed.outer {
        Outer::Swizzle(swizzle) => swizzled(swizzle, offset),
        Outer::Layout(layout) => meaning::offset(layout, offset).expect("small"),
    }
}

fn at(value: &Value, index: i64) -> i64 {
    match value {
        Value::Layout(layout) => meaning::offset(layout, index).expect("small"),
        Value::Composed(composed) => {
            outside(composed, meaning::offset(&composed.inner, index).expect("small"))
        }
        Value::Swizzle(swizzle) => swizzled(swizzle, index),
        other => panic!("no layout: {other}"),
    }
}

fn inner(value: &Value) -> &Layout {
    match value {
        Value::Layout(layout) => layout,
        Value::Composed(composed) => &composed.inner,
        other => panic!("no layout: {other}"),
    }
}

fn size(value: &Value) -> i64 {
    inner(value).size()
}

fn offsets(value: &Value) -> Vec<i64> {
    (0..size(value)).map(|index| at(value, index)).collect()
}

fn reached(value: &Value) -> Vec<i64> {
    let mut all = offsets(value);
    all.sort_unstable();
    all.dedup();
    all
}

fn call(op: Op, args: &[Value]) -> Result<Value, layout_algebra::Error> {
    Term::Call { op, args: args.iter().cloned().map(Term::Literal).collect() }.eval()
}

fn shape(value: &Value) -> Value {
    match inner(value).shape() {
        Tuple::Leaf(extent) => Value::Int(*extent),
        node => Value::Tuple(node.clone()),
    }
}

/// The index of a coordinate with one entry for each mode at the top.
fn index_of(layout: &Layout, coord: &[i64]) -> i64 {
    let mut scale = 1;
    let mut index = 0;
    for (mode, at) in layout.modes().iter().zip(coord) {
        index += at * scale;
        scale *= mode.size();
    }
    index
}

/// Each coordinate with one entry for each mode at the top, in the order of indices.
fn coords(layout: &Layout) -> Vec<Vec<i64>> {
    let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
    (0..layout.size())
        .map(|mut index| {
            sizes
                .iter()
                .map(|size| {
                    let digit = index % size;
                    index /= size;
                    digit
                })
                .collect()
        })
        .collect()
}

/// Operations that a composed layout passes to its inner one.
const INSIDE: [Op; 21] = [
    Op::Coalesce,
    Op::LogicalDivide,
    Op::ZippedDivide,
    Op::TiledDivide,
    Op::FlatDivide,
    Op::LogicalProduct,
    Op::ZippedProduct,
    Op::TiledProduct,
    Op::FlatProduct,
    Op::BlockedProduct,
    Op::RakedProduct,
    Op::Flatten,
    Op::Get,
    Op::Select,
    Op::Group,
    Op::Append,
    Op::Prepend,
    Op::Replace,
    Op::Take,
    Op::TileToShape,
    Op::Distribute,
];

/// Draws operands for an operation, evaluates it and holds the answer against the definition. Whether
/// there was an answer.
fn one(op: Op, draw: &mut Draw) -> bool {
    let args = operands(op, draw);
    let answer = call(op, &args);
    if let (true, Some(Value::Composed(composed))) = (INSIDE.contains(&op), args.first()) {
        let mut plain = args.clone();
        plain[0] = Value::Layout(composed.inner.clone());
        match (&answer, call(op, &plain)) {
            (Ok(found), Ok(within)) => {
                let expected = offsets(&within).into_iter().map(|offset| outside(composed, offset));
                assert!(offsets(found).into_iter().eq(expected), "{op:?} {args:?}: {found}");
            }
            (Err(_), Err(_)) => {}
            (found, within) => panic!("{op:?} {args:?}: {found:?}, within {within:?}"),
        }
        return answer.is_ok();
    }
    match &answer {
        Ok(found) => check(op, &args, found),
        Err(_) => refused(op, &args),
    }
    answer.is_ok()
}

/// The operations that must not be refused, whatever the operands.
fn refused(op: Op, args: &[Value]) {
    let never = [
        Op::Coalesce,
        Op::Flatten,
        Op::RightInverse,
        Op::Nullspace,
        Op::Sort,
        Op::Filter,
        Op::FilterZeros,
        Op::MakeLayoutLike,
        Op::IsInjective,
        Op::IsSurjective,
        Op::IsBijective,
        Op::Size,
        Op::Rank,
        Op::Depth,
        Op::Shape,
        Op::Commutes,
        Op::MaxCommonVector,
        Op::MaxCommonLayout,
        Op::Slice,
        Op::SliceAndOffset,
        Op::Crd2Idx,
        Op::Idx2Crd,
        Op::MakeIdentityLayout,
        Op::CompactColMajor,
        Op::CompactRowMajor,
        Op::EvenlyDivides,
        Op::Compatible,
        Op::Congruent,
        Op::WeaklyCongruent,
        Op::LayoutOf,
    ];
    let plain = !args.iter().any(|arg| matches!(arg, Value::Composed(_)));
    assert!(!(plain && never.contains(&op)), "{op:?} {args:?} was refused: {:?}", call(op, args));
}

fn operands(op: Op, draw: &mut Draw) -> Vec<Value> {
    use Op::*;
    let plain = |draw: &mut Draw| Value::Layout(draw.layout(3));
    let int = |draw: &mut Draw, of: &[i64]| Value::Int(draw.pick(of));
    match op {
        Composition => {
            let left = match draw.below(8) {
                0 => Value::Swizzle(draw.swizzle()),
                _ => draw.any(3),
            };
            vec![left, draw.any(2)]
        }
        Coalesce | Flatten | RightInverse | LeftInverse | Cosize | Size | Rank | Depth | Shape
        | IsInjective | IsSurjective | IsBijective | ToLinear => vec![draw.any(3)],
        Nullspace | Sort | Coshape | Filter | FilterZeros | MakeLayoutLike => vec![draw.any(3)],
        Stride | MakeIdentityLayout | CompactColMajor | CompactRowMajor => vec![plain(draw)],
        LayoutOf => {
            let values = offsets(&plain(draw)).into_iter().map(Tuple::Leaf).collect();
            vec![Value::Tuple(Tuple::Node(values))]
        }
        Complement => vec![draw.any(3), int(draw, &[1, 6, 8, 12, 24, 64])],
        LogicalDivide | ZippedDivide | TiledDivide | FlatDivide => {
            let (layout, tile) = (draw.any(3), draw.layout(2));
            vec![layout, Value::Layout(tile)]
        }
        LogicalProduct | ZippedProduct | TiledProduct | FlatProduct | BlockedProduct
        | RakedProduct => vec![draw.any(2), plain(draw)],
        Append | Prepend => vec![draw.any(3), plain(draw)],
        MakeLayout | MaxCommonVector | MaxCommonLayout | Zip => vec![plain(draw), plain(draw)],
        InBoundsOfComposition | InBoundsOfDivide => vec![draw.any(3), plain(draw)],
        Unzip => {
            let pairs = [draw.of_rank(2), draw.of_rank(2)];
            let tiler = Tiler::Tuple(vec![Tiler::Any, Tiler::Any]);
            let layout = Layout::make_layout(&pairs).expect("two");
            vec![Value::Layout(layout), Value::Tiler(tiler)]
        }
        Get | Select => vec![draw.any(3), int(draw, &[0, 1])],
        Group | Take => vec![draw.any(3), Value::Int(0), int(draw, &[1, 2])],
        Replace => vec![draw.any(3), int(draw, &[0, 1]), plain(draw)],
        MakeOrderedLayout => {
            let layout = draw.of_rank(3);
            let order = draw.pick(&["(0,1,2)", "(2,1,0)", "(1,2,0)"]).parse().expect("a tuple");
            vec![Value::Tuple(layout.shape().clone()), Value::Tuple(order)]
        }
        DomainDistribute => vec![plain(draw), int(draw, &[1, 2, 4, 6, 8])],
        Distribute => {
            let tile = Value::Int(draw.pick(&[2, 4, 8]));
            vec![draw.any(1), tile, Value::Layout(draw.of_rank(2))]
        }
        BankConflicts => {
            let layout = draw.any(3);
            let threads = Layout::from_shape(shape_pair(size(&layout), 1)).expect("small");
            vec![layout, Value::Layout(threads), Value::Int(32)]
        }
        ConflictFreeSwizzle | LinearSwizzle => {
            let tile = draw.layout(3);
            let access = Layout::from_shape(shape_pair(tile.size(), 1)).expect("small");
            let access = Value::Layout(access);
            vec![Value::Layout(tile), access.clone(), access, Value::Int(32)]
        }
        Crd2Idx => {
            let layout = draw.any(3);
            let index = draw.below(size(&layout));
            vec![Value::Int(index), layout]
        }
        Idx2Crd => {
            let layout = plain(draw);
            vec![Value::Int(draw.below(size(&layout))), layout]
        }
        Slice | SliceAndOffset | Dice => {
            let layout = if op == Dice { plain(draw) } else { draw.any(3) };
            let entries = inner(&layout).modes();
            let entries = entries.iter().map(|mode| match draw.below(2) {
                0 => Coord::Any,
                _ => Coord::At(draw.below(mode.size())),
            });
            let entries: Vec<_> = entries.collect();
            let coord = match inner(&layout).shape() {
                Tuple::Leaf(_) => entries[0].clone(),
                Tuple::Node(_) => Coord::Tuple(entries),
            };
            vec![Value::Coord(coord), layout]
        }
        TileToShape => {
            let layout = draw.any(2);
            let times = draw.pick(&[1, 2, 3]);
            let sizes = inner(&layout).modes();
            let sizes = sizes.iter().map(|mode| Tuple::Leaf(mode.size() * times)).collect();
            vec![layout, Value::Tuple(Tuple::Node(sizes))]
        }
        Upcast | Downcast => vec![draw.any(3), int(draw, &[1, 2, 3, 4, 8])],
        Recast | RecastLayout => {
            vec![draw.any(3), int(draw, &[4, 8, 16]), int(draw, &[8, 16, 32])]
        }
        ShapeDiv | CeilDiv | RoundUp | EvenlyDivides => {
            let value = Value::Layout(draw.layout(3));
            vec![shape(&value), int(draw, &[1, 2, 3, 4, 6, 8])]
        }
        Congruent | WeaklyCongruent | Compatible => {
            let (a, b) = (plain(draw), plain(draw));
            let first = shape(&a);
            vec![first.clone(), if draw.below(2) == 0 { first } else { shape(&b) }]
        }
        Commutes => vec![Value::Swizzle(draw.swizzle()), Value::Swizzle(draw.swizzle())],
        ToLayout | Invert | PseudoInvert | InvertAndCompose | LinearProduct | DivideLeft
        | DivideRight => {
            let mut linear = || {
                let bits = draw.pick(&["[1,2,4]", "[2,1,4]", "[1,3,4]", "[4,1,2]", "[1,3,7]"]);
                Term::parse(&format!("linear<{{x = {bits}}} -> {{y = 8}}>"))
                    .and_then(|term| term.eval())
                    .expect("a linear layout")
            };
            match op {
                ToLayout | Invert | PseudoInvert => vec![linear()],
                _ => vec![linear(), linear()],
            }
        }
        // Until operands are drawn here, those of the example.
        other => example(other),
    }
}

/// The operands of an operation's example.
fn example(op: Op) -> Vec<Value> {
    match Term::parse(op.row().example.0) {
        Ok(Term::Call { args, .. }) => {
            args.iter().map(|arg| arg.eval().expect("an operand")).collect()
        }
        other => panic!("no call: {other:?}"),
    }
}

fn shape_pair(a: i64, b: i64) -> Tuple {
    Tuple::Node(vec![Tuple::Leaf(a), Tuple::Leaf(b)])
}

/// A linear layout of three bits as its images.
fn images(value: &Value) -> Option<Vec<i64>> {
    let layout = call(Op::ToLayout, std::slice::from_ref(value)).ok()?;
    Some(offsets(&layout))
}

fn check(op: Op, args: &[Value], found: &Value) {
    use Op::*;
    let case = || format!("{}({args:?}) = {found}", op.name());
    let is = |expected: Value| assert_eq!(*found, expected, "{}", case());
    let is_int = |expected: usize| is(Value::Int(i64::try_from(expected).expect("small")));
    match (op, args) {
        (Coalesce | Flatten, [a]) => assert_eq!(offsets(found), offsets(a), "{}", case()),
        (Composition, [a, b]) => {
            let expected: Vec<i64> = offsets(b).into_iter().map(|index| at(a, index)).collect();
            assert_eq!(offsets(found), expected, "{}", case());
        }
        // The complement of a composed layout is that of the layout inside.
        (Complement, [a, _]) => {
            assert!(meaning::is_complement(inner(a), inner(found)), "{}", case());
        }
        (LogicalDivide | ZippedDivide | TiledDivide | FlatDivide, [Value::Layout(a), b]) => {
            // The tile comes first; the rest permutes, where it fills the layout.
            let tile: Vec<i64> =
                offsets(b).into_iter().map(|i| meaning::offset(a, i).expect("small")).collect();
            let first: Vec<i64> = (0..size(b)).map(|index| at(found, index)).collect();
            assert_eq!(first, tile, "{}", case());
            let whole = Value::Layout(a.clone());
            let fills = meaning::exact_complement(inner(b), a.size()).is_some();
            let once = call(IsInjective, std::slice::from_ref(b)) == Ok(Value::Bool(true));
            if size(found) == a.size() && fills && once {
                assert_eq!(reached(found), reached(&whole), "{}", case());
            }
        }
        (LogicalProduct | ZippedProduct | TiledProduct | FlatProduct, [Value::Layout(a), b]) => {
            let codomain = a.size() * inner(b).cosize().expect("small");
            let rest = call(Complement, &[args[0].clone(), Value::Int(codomain)]).expect("a rest");
            let places = offsets(b).into_iter().map(|index| at(&rest, index));
            let block = meaning::offsets(a);
            let expected =
                places.flat_map(|place| block.iter().map(move |at| at.expect("small") + place));
            assert!(offsets(found).into_iter().eq(expected), "{}", case());
        }
        (BlockedProduct | RakedProduct, [Value::Layout(a), b]) => {
            let all = call(LogicalProduct, args);
            if let Ok(all) = all {
                let [mut x, mut y] = [offsets(found), offsets(&all)];
                x.sort_unstable();
                y.sort_unstable();
                assert_eq!(x, y, "{}", case());
            }
            let sizes =
                |layout: &Layout| layout.modes().iter().map(Layout::size).collect::<Vec<_>>();
            let (blocks, times) = (sizes(a), sizes(inner(b)));
            for (place, mode) in inner(found).modes().iter().enumerate() {
                let size = |of: &[i64]| of.get(place).copied().unwrap_or(1);
                assert_eq!(mode.size(), size(&blocks) * size(&times), "{}", case());
            }
        }
        (RightInverse, [a]) => {
            for index in 0..size(found) {
                assert_eq!(at(a, at(found, index)), index, "{}", case());
            }
        }
        (LeftInverse, [Value::Layout(a)]) => {
            assert!(meaning::is_left_inverse(a, inner(found)), "{}", case());
        }
        (LeftInverse, [a]) => {
            let whole = reached(a).len() == offsets(a).len();
            for index in 0..size(a) {
                let back = at(found, at(a, index));
                assert!(
                    if whole { back == index } else { at(a, back) == at(a, index) },
                    "{}",
                    case()
                );
            }
        }
        (Nullspace, [a]) => {
            assert!(offsets(found).into_iter().all(|i| at(a, i) == 0), "{}", case())
        }
        (Get | Select, [a, Value::Int(mode)]) => {
            let place = usize::try_from(*mode).expect("small");
            let mode = &inner(a).modes()[place];
            for index in 0..mode.size() {
                let mut coord = vec![0; inner(a).rank()];
                coord[place] = index;
                assert_eq!(at(found, index), at(a, index_of(inner(a), &coord)), "{}", case());
            }
        }
        (Group, [a, ..]) => assert_eq!(offsets(found), offsets(a), "{}", case()),
        (Take, [a, ..]) => {
            for index in 0..size(found) {
                assert_eq!(at(found, index), at(a, index), "{}", case());
            }
        }
        (Append | Prepend | MakeLayout, [a, b]) => {
            let (low, high) = if op == Prepend { (b, a) } else { (a, b) };
            for index in 0..size(found) {
                let expected = at(low, index % size(low)) + at(high, index / size(low));
                assert_eq!(at(found, index), expected, "{}", case());
            }
        }
        (Replace, [a, _, by]) if matches!(inner(a).shape(), Tuple::Leaf(_)) => {
            assert_eq!(offsets(found), offsets(by), "{}", case());
        }
        (Replace, [a, Value::Int(mode), by]) => {
            let place = usize::try_from(*mode).expect("small");
            for coord in coords(inner(found)) {
                let mut kept = coord.clone();
                kept[place] = 0;
                let expected = at(a, index_of(inner(a), &kept)) + at(by, coord[place]);
                assert_eq!(at(found, index_of(inner(found), &coord)), expected, "{}", case());
            }
        }
        (Zip, [a, b]) => {
            for coord in coords(inner(found)) {
                let sizes = inner(a).modes();
                let low: Vec<i64> =
                    coord.iter().zip(&sizes).map(|(at, mode)| at % mode.size()).collect();
                let high: Vec<i64> =
                    coord.iter().zip(&sizes).map(|(at, mode)| at / mode.size()).collect();
                let expected = at(a, index_of(inner(a), &low)) + at(b, index_of(inner(b), &high));
                assert_eq!(at(found, index_of(inner(found), &coord)), expected, "{}", case());
            }
        }
        (Unzip, [a, _]) => {
            let [mut x, mut y] = [offsets(found), offsets(a)];
            x.sort_unstable();
            y.sort_unstable();
            assert_eq!(x, y, "{}", case());
        }
        (Sort, [a]) => {
            let [mut x, mut y] = [offsets(found), offsets(a)];
            x.sort_unstable();
            y.sort_unstable();
            assert_eq!(x, y, "{}", case());
            let flat = inner(found).shape().depth() <= 1;
            assert!(!flat || inner(found).stride().leaves().is_sorted(), "{}", case());
        }
        (Filter | FilterZeros, [a]) => assert_eq!(reached(found), reached(a), "{}", case()),
        (MakeOrderedLayout, _) => {
            assert_eq!(reached(found), (0..size(found)).collect::<Vec<_>>(), "{}", case());
        }
        (MakeLayoutLike, [a]) => {
            // Modes of stride 0 stay so.
            let moving =
                inner(a).flat().iter().filter(|mode| mode.1 != 0).map(|mode| mode.0).product();
            assert_eq!(reached(found), (0..moving).collect::<Vec<_>>(), "{}", case());
        }
        (CompactColMajor | CompactRowMajor, [a]) => {
            let strides = match found {
                Value::Int(stride) => Tuple::Leaf(*stride),
                Value::Tuple(tuple) => tuple.clone(),
                other => panic!("no stride: {other}"),
            };
            let layout = Layout::new(inner(a).shape().clone(), strides).expect("congruent");
            let all = reached(&Value::Layout(layout.clone()));
            assert_eq!(all, (0..layout.size()).collect::<Vec<_>>(), "{}", case());
        }
        (MakeIdentityLayout, [a]) => match found {
            Value::Basis(basis) => {
                for index in 0..basis.size() {
                    let coord = basis.crd2crd(&Tuple::Leaf(index)).expect("small");
                    let flat = Layout::from_shape(inner(a).shape().clone()).expect("small");
                    assert_eq!(flat.crd2idx(&coord), Ok(index), "{}", case());
                }
            }
            other => {
                assert_eq!(offsets(other), (0..size(a)).collect::<Vec<_>>(), "{}", case())
            }
        },
        (LayoutOf, [Value::Tuple(values)]) => {
            assert_eq!(offsets(found), values.leaves(), "{}", case());
        }
        (MaxCommonVector, [a, b]) => {
            let Value::Int(count) = found else { panic!("{}", case()) };
            let inverse = call(RightInverse, std::slice::from_ref(b)).expect("an inverse");
            let goes_on = |element: i64| {
                let index = at(&inverse, element);
                index < size(a) && at(a, index) == element
            };
            let expected = (0..size(&inverse)).take_while(|&element| goes_on(element)).count();
            assert_eq!(*count, i64::try_from(expected).expect("small").max(1), "{}", case());
        }
        (MaxCommonLayout, [a, b]) => {
            for element in 0..size(found) {
                let index = at(found, element);
                assert!(index < size(a).min(size(b)), "{}", case());
                assert_eq!((at(a, index), at(b, index)), (element, element), "{}", case());
            }
        }
        (DomainDistribute, [a, _]) => {
            let all = reached(found);
            assert!(all.len() == offsets(found).len(), "{}", case());
            assert!(all.last().is_none_or(|&last| last < size(a)), "{}", case());
        }
        (Distribute, [a, tile, tv]) => {
            let divided = call(ZippedDivide, &[a.clone(), tile.clone()]).expect("tiles");
            let in_tile = inner(&divided).modes()[0].size();
            for index in 0..size(found) {
                let (of_tile, rest) = (index % size(tv), index / size(tv));
                let expected = at(&divided, at(tv, of_tile) + rest * in_tile);
                assert_eq!(at(found, index), expected, "{}", case());
            }
        }
        (InBoundsOfComposition, [a, b]) => {
            let Value::List(comparisons) = found else { panic!("{}", case()) };
            for index in 0..size(b) {
                let holds = comparisons.iter().all(|comparison| match comparison {
                    Value::List(pair) => match pair.as_slice() {
                        [layout, Value::Int(bound)] => at(layout, index) < *bound,
                        _ => false,
                    },
                    _ => false,
                });
                assert_eq!(holds, (0..size(a)).contains(&at(b, index)), "{} at {index}", case());
            }
        }
        (InBoundsOfDivide, [a, _]) => {
            let Value::List(comparisons) = found else { panic!("{}", case()) };
            let divided = call(LogicalDivide, args).expect("tiles");
            let inside = (0..size(&divided)).filter(|&index| {
                comparisons.iter().all(|comparison| match comparison {
                    Value::List(pair) => match pair.as_slice() {
                        [layout, Value::Int(bound)] => at(layout, index) < *bound,
                        _ => false,
                    },
                    _ => false,
                })
            });
            let all = reached(a);
            let mut found: Vec<i64> = inside.map(|index| at(&divided, index)).collect();
            assert!(found.iter().all(|offset| all.binary_search(offset).is_ok()), "{}", case());
            found.sort_unstable();
            found.dedup();
            // Where a chain of tiles covers a layout that repeats nothing, no element is left out.
            let covers = meaning::exact_complement(inner(&args[1]), size(a)).is_some();
            if offsets(a).len() == all.len() && covers {
                let met = reached(&divided);
                let met = all.into_iter().filter(|offset| met.binary_search(offset).is_ok());
                assert!(met.eq(found), "{}", case());
            }
        }
        // Each in a test of its own, `banks` and `linear_swizzle`.
        (BankConflicts | ConflictFreeSwizzle | LinearSwizzle, _) => {}
        (Size, [a]) => is(Value::Int(size(a))),
        (Cosize | Coshape, [a]) => {
            // For strides below 0 it is CuTe's number, which counts them as positive ones.
            if inner(a).stride().leaves().iter().all(|&stride| stride >= 0)
                && let Value::Layout(_) = a
            {
                is_int(
                    usize::try_from(offsets(a).into_iter().max().unwrap_or(0) + 1).expect("small"),
                );
            }
        }
        (Rank, [a]) => is_int(inner(a).rank()),
        (Depth, [a]) => is_int(inner(a).shape().depth()),
        (Shape, [a]) => is(shape(a)),
        (Stride, [Value::Layout(a)]) => assert_eq!(found.to_string(), a.stride().to_string()),
        (Crd2Idx, [Value::Int(index), a]) => is(Value::Int(at(a, *index))),
        (Idx2Crd, [Value::Int(index), a]) => {
            let coord: Tuple = found.to_string().parse().expect("a tuple");
            let flat = Layout::from_shape(inner(a).shape().clone()).expect("small");
            assert_eq!(flat.crd2idx(&coord), Ok(*index), "{}", case());
        }
        (Slice | SliceAndOffset | Dice, [Value::Coord(coord), a]) => {
            let one = std::slice::from_ref(coord);
            let entries = if let Coord::Tuple(entries) = coord { entries } else { one };
            let (kept, start) = match found {
                Value::List(parts) => match parts.as_slice() {
                    [kept, Value::Int(start)] => (kept, Some(*start)),
                    _ => panic!("{}", case()),
                },
                kept => (kept, None),
            };
            let mut expected = Vec::new();
            for place in coords(inner(a)) {
                let is_chosen = place.iter().zip(entries).all(|(at, entry)| match entry {
                    Coord::At(fixed) => op == Dice || at == fixed,
                    _ => op != Dice || *at == 0,
                });
                if is_chosen {
                    expected.push(at(a, index_of(inner(a), &place)));
                }
            }
            let mut all = offsets(kept);
            // A slice says how offsets continue from where it starts; that of an offset before a layout, where they are.
            let is_whole =
                matches!(a, Value::Composed(a) if a.swizzle().is_none_or(|s| s.is_identity()));
            let start = start.unwrap_or(if is_whole { 0 } else { expected[0] - all[0] });
            all.iter_mut().for_each(|offset| *offset += start);
            assert_eq!(all, expected, "{}", case());
        }
        (TileToShape, [a @ Value::Layout(_), _]) => {
            for place in coords(inner(a)) {
                let (here, there) = (index_of(inner(a), &place), index_of(inner(found), &place));
                assert_eq!(at(found, there), at(a, here), "{}", case());
            }
        }
        (Upcast, [a, Value::Int(n)]) => recast(a, *n, 1, found, &case),
        (Downcast, [a, Value::Int(n)]) => recast(a, 1, *n, found, &case),
        (Recast, [a, Value::Int(old), Value::Int(new)])
        | (RecastLayout, [a, Value::Int(new), Value::Int(old)]) => {
            if new % old == 0 {
                recast(a, new / old, 1, found, &case);
            } else if old % new == 0 {
                recast(a, 1, old / new, found, &case);
            }
        }
        (ShapeDiv | CeilDiv | RoundUp, [a, Value::Int(by)]) => {
            if let (Value::Int(a), Value::Int(found)) = (a, found) {
                let quotient = (a + by - 1) / by;
                assert_eq!(
                    *found,
                    if op == RoundUp { quotient * by } else { quotient },
                    "{}",
                    case()
                );
            }
        }
        (EvenlyDivides, [a, Value::Int(by)]) => {
            let quotient = call(CeilDiv, args).expect("a quotient");
            let product =
                |value: &Value| value.to_string().parse::<Tuple>().expect("a tuple").product();
            is(Value::Bool(product(&quotient).map(|n| n * by) == product(a)));
        }
        (Congruent | WeaklyCongruent | Compatible, [a, b]) if a == b => is(Value::Bool(true)),
        (Congruent | WeaklyCongruent | Compatible, _) => {}
        (IsInjective, [a]) => is(Value::Bool(reached(a).len() == offsets(a).len())),
        (IsSurjective, [a]) => {
            let all = reached(a);
            let [Some(&first), Some(&last)] = [all.first(), all.last()] else { return };
            let span = usize::try_from(last - first.min(0) + 1).unwrap_or(usize::MAX);
            is(Value::Bool(first <= 0 && all.len() == span));
        }
        (IsBijective, [a]) => {
            is(Value::Bool(reached(a).into_iter().eq(0..size(a))));
        }
        (Commutes, [Value::Swizzle(s), Value::Swizzle(t)]) => {
            let both = |x| swizzled(s, swizzled(t, x)) == swizzled(t, swizzled(s, x));
            is(Value::Bool((0..1 << 10).all(both)));
        }
        (ToLinear, [a]) => {
            let back = call(ToLayout, std::slice::from_ref(found));
            if let Ok(back) = back {
                assert_eq!(offsets(&back), offsets(a), "{}", case());
            }
        }
        (ToLayout, _) => {}
        (Invert | PseudoInvert, [a]) => {
            if let (Some(there), Some(back)) = (images(a), images(found)) {
                for (index, image) in (0..).zip(&there) {
                    let place = usize::try_from(*image).expect("small");
                    assert_eq!(
                        there[usize::try_from(back[place]).expect("small")],
                        *image,
                        "{} {index}",
                        case()
                    );
                }
            }
        }
        (InvertAndCompose, [a, b]) => {
            if let (Some(a), Some(b), Some(found)) = (images(a), images(b), images(found)) {
                for (image, other) in a.iter().zip(&found) {
                    assert_eq!(b[usize::try_from(*other).expect("small")], *image, "{}", case());
                }
            }
        }
        (DivideLeft, [a, b]) => {
            assert_eq!(
                call(LinearProduct, &[b.clone(), found.clone()]).as_ref(),
                Ok(a),
                "{}",
                case()
            );
        }
        (DivideRight, [a, b]) => {
            assert_eq!(
                call(LinearProduct, &[found.clone(), b.clone()]).as_ref(),
                Ok(a),
                "{}",
                case()
            );
        }
        (LinearProduct, _) => {}
        // Those of the example; their own tests have more.
        _ => assert_eq!(found.to_string(), op.row().example.1, "{}", case()),
    }
}

/// Elements `up` times as wide and then `down` times as narrow: the same bytes.
fn recast(a: &Value, up: i64, down: i64, found: &Value, case: &dyn Fn() -> String) {
    let mut expected: Vec<i64> = offsets(a)
        .into_iter()
        .flat_map(|offset| {
            let wide = offset.div_euclid(up);
            (0..down).map(move |part| wide * down + part)
        })
        .collect();
    expected.sort_unstable();
    expected.dedup();
    let strides = inner(a).flat();
    let units = strides.iter().filter(|(_, stride)| stride.abs() == 1).count();
    let descends = strides.iter().any(|&(_, stride)| stride == -1);
    // Several modes of stride 1 or -1 grow alike, as in CuTe, and reach past the last part.
    if down == 1 || units <= 1 && !descends {
        assert_eq!(reached(found), expected, "{}", case());
    } else {
        let all = reached(found);
        assert!(descends || expected.iter().all(|at| all.binary_search(at).is_ok()), "{}", case());
    }
}

/// So many calls of each operation; how many were answered.
fn run(calls: i64, seed: u64) -> u64 {
    let mut all = 0;
    for (place, &op) in Op::ALL.iter().enumerate() {
        let mut answered = 0;
        for number in 0..calls {
            let number = u64::try_from(number).expect("not negative");
            let seed = seed << 48 ^ (place as u64) << 40 ^ number;
            answered += u64::from(checked(seed, |draw| one(op, draw)));
        }
        println!("{:24} {answered} of {calls} answered", op.name());
        assert!(calls < 100 || answered > 0, "{} never answered", op.name());
        all += answered;
    }
    all
}

#[test]
fn every_operation_sampled() {
    run(400, 0);
}

/// `cargo test -p layout-algebra --release --test all definitions:: -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; run with --release -- --ignored"]
fn ten_million_calls() {
    let operations = i64::try_from(Op::ALL.len()).expect("few");
    let calls = 10_000_000 / operations / 2 + 1;
    let answered: u64 = std::thread::scope(|scope| {
        let runs = [1, 2].map(|seed| scope.spawn(move || run(calls, seed)));
        runs.into_iter().map(|run| run.join().expect("a run")).sum()
    });
    println!("{} calls, {answered} answered", 2 * calls * operations);
}
