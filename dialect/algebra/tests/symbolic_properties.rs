//! Layouts with symbols against the static algebra: whatever is answered under facts is, at every
//! choice of values that the facts allow, what the static algebra answers, and the function that the
//! operation is defined to be. For a night: `PROPTEST_CASES=1000000 cargo test -p layout-algebra --release --test
//! symbolic_properties`.

use layout_algebra::{
    Answer, CoordOf, Expr, Fact, Facts, Layout, Nested, Quotient, Symbol, Tiler, TilerOf, Value,
    Values, Width,
    integer::{self, Error},
};
use layout_random::{cases, prelude::*};

const NAMES: [&str; 3] = ["K", "M", "N"];

/// Facts of the three symbols: divisor and least value.
fn facts() -> impl Strategy<Value = Facts> {
    let symbol = (prop::sample::select(vec![1, 1, 2, 3, 4, 8]), 1..=6_i64);
    prop::array::uniform3(symbol).prop_map(|symbols| {
        let mut facts = Facts::new();
        for (name, (divisor, lo)) in NAMES.into_iter().zip(symbols) {
            let symbol = Symbol::new(name, Width::W32).expect("a name");
            let symbol = symbol.with_divisor(divisor).expect("a divisor");
            facts.insert(symbol.with_range(lo, i64::MAX).expect("a range")).expect("consistent");
        }
        facts
    })
}

/// Values that the facts allow, from small choices.
fn values(facts: &Facts, choice: [i64; 3]) -> Values {
    let pairs = NAMES.into_iter().zip(choice).map(|(name, choice)| {
        let symbol = facts.get(name).expect("declared");
        let (divisor, (lo, _)) = (symbol.divisor(), symbol.range());
        (name, ((lo - 1) / divisor + 1 + choice) * divisor)
    });
    Values::new(facts, pairs).expect("allowed")
}

fn choices() -> impl Strategy<Value = Vec<[i64; 3]>> {
    prop::collection::vec(prop::array::uniform3(0..5_i64), 4)
}

/// A leaf before its symbols are looked up.
#[derive(Clone, Debug)]
enum Leaf {
    Constant(i64),
    Symbol(i64, usize),
    Fraction(usize),
    Pair(usize, usize),
    /// For strides: the product of what came before, times a constant.
    Compact(i64),
}

fn extent() -> impl Strategy<Value = Leaf> {
    prop_oneof![
        4 => (1..=8_i64).prop_map(Leaf::Constant),
        4 => (1..=4_i64, 0..3_usize).prop_map(|(factor, name)| Leaf::Symbol(factor, name)),
        2 => (0..3_usize).prop_map(Leaf::Fraction),
        1 => (0..3_usize, 0..3_usize).prop_map(|(a, b)| Leaf::Pair(a, b)),
    ]
}

fn stride() -> impl Strategy<Value = Leaf> {
    prop_oneof![
        3 => (0..=8_i64).prop_map(Leaf::Constant),
        3 => (1..=4_i64, 0..3_usize).prop_map(|(factor, name)| Leaf::Symbol(factor, name)),
        1 => (0..3_usize, 0..3_usize).prop_map(|(a, b)| Leaf::Pair(a, b)),
        6 => (1..=3_i64).prop_map(Leaf::Compact),
    ]
}

fn leaf(facts: &Facts, leaf: &Leaf, compact: &Expr) -> Expr {
    let symbol = |name: usize| facts.symbol(NAMES[name]).expect("declared");
    match *leaf {
        Leaf::Constant(value) => Expr::from(value),
        Leaf::Symbol(factor, name) => symbol(name).scaled(factor).expect("small"),
        Leaf::Fraction(name) => {
            let divisor = facts.get(NAMES[name]).expect("declared").divisor();
            match facts.divide(&symbol(name), &Expr::from(divisor)) {
                Quotient::Exact(quotient) => quotient,
                other => panic!("the divisor divides: {other:?}"),
            }
        }
        Leaf::Pair(a, b) => symbol(a).times(&symbol(b)).expect("small"),
        Leaf::Compact(factor) => compact.scaled(factor).expect("small"),
    }
}

type Modes = Vec<(Leaf, Leaf)>;

fn modes(rank: usize) -> impl Strategy<Value = Modes> {
    prop::collection::vec((extent(), stride()), 1..=rank)
}

/// Flat modes; the first two are one mode where `nested`.
fn layout(facts: &Facts, modes: &Modes, nested: bool) -> Layout<Expr> {
    let mut compact = Expr::from(1);
    let mut built: Vec<Layout<Expr>> = Vec::new();
    for (extent, stride) in modes {
        let extent = leaf(facts, extent, &compact);
        let stride = leaf(facts, stride, &compact);
        compact = extent.times(&stride).expect("small");
        if stride.is(0) {
            compact = Expr::from(1);
        }
        let mode = Layout::<Expr>::under(facts, Nested::Leaf(extent), Nested::Leaf(stride));
        built.push(mode.expect("positive"));
    }
    if built.len() == 1 {
        return built.remove(0);
    }
    if nested && built.len() > 2 {
        let rest = built.split_off(2);
        let mut grouped = vec![Layout::make_layout(&built).expect("two")];
        grouped.extend(rest);
        built = grouped;
    }
    Layout::make_layout(&built).expect("some")
}

/// The layout with all strides negative.
fn opposite(facts: &Facts, layout: &Layout<Expr>) -> Layout<Expr> {
    fn negated(stride: &Nested<Expr>) -> Nested<Expr> {
        match stride {
            Nested::Leaf(stride) => Nested::Leaf(stride.scaled(-1).expect("small")),
            Nested::Node(entries) => Nested::Node(entries.iter().map(negated).collect()),
        }
    }
    Layout::<Expr>::under(facts, layout.shape().clone(), negated(layout.stride()))
        .expect("positive")
}

/// Coordinates that are compared at each choice of values.
const COMPARED: i64 = 600;

fn check_never(error: &Error, values: &[Values]) -> Result<(), TestCaseError> {
    let Error::Never { needs, .. } = error.cause() else { return Ok(()) };
    for fact in needs {
        for values in values {
            let value = |expr: &Expr| values.evaluate(expr).expect("small");
            let holds = match fact {
                Fact::Divides { divisor, of } => {
                    value(divisor) != 0 && value(of) % value(divisor) == 0
                }
                Fact::AtLeast { greater, less } => value(greater) >= value(less),
                Fact::Equal(a, b) => value(a) == value(b),
                Fact::Distinct(a, b) => value(a) != value(b),
                other => panic!("a new fact: {other}"),
            };
            prop_assert!(!holds, "{error}: yet {fact} holds at {values:?}");
        }
    }
    Ok(())
}

/// At each choice of values the symbolic answer is the static one, up to coalescing each mode.
fn agrees(
    answer: &integer::Result<Layout<Expr>>,
    values: &[Values],
    by_mode: bool,
    fixed: impl Fn(&Values) -> layout_algebra::Result<Layout>,
) -> Result<bool, TestCaseError> {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            prop_assert!(!error.to_string().is_empty());
            check_never(error, values)?;
            return Ok(false);
        }
    };
    for values in values {
        let found = answer.substitute(values).expect("small");
        let expected = match fixed(values) {
            Ok(expected) => expected,
            Err(error) => {
                prop_assert!(false, "{answer} = {found} at {values:?}, but {error}");
                return Ok(false);
            }
        };
        let text = |layout: &Layout| layout.coalesce().expect("small").to_string();
        let context = format!("{answer} = {found} at {values:?}, but {expected}");
        prop_assert_eq!(text(&found), text(&expected), "{}", context);
        if by_mode {
            prop_assert_eq!(found.rank(), expected.rank(), "{}", context);
            for (found, expected) in found.modes().iter().zip(&expected.modes()) {
                prop_assert_eq!(text(found), text(expected), "{}", context);
            }
        }
    }
    Ok(true)
}

proptest! {
    #![proptest_config(cases(800))]

    /// `(A o B)(c) = A(B(c))`, and the text is that of the static algebra after coalescing.
    #[test]
    fn composition_agrees(
        facts in facts(), a in modes(3), b in modes(2), nested in any::<bool>(),
        descends in prop::bool::weighted(0.2), choices in choices(),
    ) {
        let (a, b) = (layout(&facts, &a, nested), layout(&facts, &b, nested));
        let b = if descends { opposite(&facts, &b) } else { b };
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let answer = a.composition_under(&facts, &b);
        agrees(&answer, &values, !b.is_leaf(), |values| {
            let (a, b) = (a.substitute(values).expect("small"), b.substitute(values).expect("small"));
            a.composition(&b)
        })?;
        let Ok(answer) = answer else { return Ok(()) };
        for values in &values {
            let [a, b, r] = [&a, &b, &answer].map(|layout| layout.substitute(values).expect("small"));
            prop_assert_eq!(b.size(), r.size());
            for c in 0..b.size().min(COMPARED) {
                prop_assert_eq!(r.at(c), a.at(b.at(c).expect("small")), "{} o {} at {}", a, b, c);
            }
        }
    }

    /// A layout and its complement: the static answer, whose offsets are checked elsewhere.
    #[test]
    fn complement_agrees(facts in facts(), a in modes(3), n in extent(), choices in choices()) {
        let a = layout(&facts, &a, false);
        let n = leaf(&facts, &n, &Expr::from(1)).scaled(4).expect("small");
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let n = Nested::Leaf(n);
        let answer = a.complement_under(&facts, &n);
        agrees(&answer, &values, false, |values| {
            let n = n.substitute(values).expect("small");
            a.substitute(values).expect("small").complement(&n)
        })?;
    }

    /// Divides and products by a layout.
    #[test]
    fn divides_and_products_agree(
        facts in facts(), a in modes(2), b in modes(2), nested in any::<bool>(), choices in choices(),
    ) {
        let (a, b) = (layout(&facts, &a, nested), layout(&facts, &b, false));
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let tiler = TilerOf::Layout(b.clone());
        type Symbolic = fn(&Layout<Expr>, &Facts, &TilerOf<Layout<Expr>>) -> integer::Result<Layout<Expr>>;
        type Static = fn(&Layout, &Tiler) -> layout_algebra::Result<Layout>;
        let pairs: [(Symbolic, Static, bool); 8] = [
            (Layout::logical_divide_under, Layout::logical_divide, true),
            (Layout::zipped_divide_under, Layout::zipped_divide, true),
            (Layout::tiled_divide_under, Layout::tiled_divide, false),
            (Layout::flat_divide_under, Layout::flat_divide, false),
            (Layout::<Expr>::logical_product_under, Layout::<i64>::logical_product, true),
            (Layout::zipped_product_under, Layout::zipped_product, true),
            (Layout::tiled_product_under, Layout::tiled_product, false),
            (Layout::flat_product_under, Layout::flat_product, false),
        ];
        for (symbolic, fixed, by_mode) in pairs {
            agrees(&symbolic(&a, &facts, &tiler), &values, by_mode, |values| {
                let tiler = tiler.substitute(values).expect("small");
                fixed(&a.substitute(values).expect("small"), &tiler)
            })?;
        }
        type Binary = fn(&Layout<Expr>, &Facts, &Layout<Expr>) -> integer::Result<Layout<Expr>>;
        type StaticBinary = fn(&Layout, &Layout) -> layout_algebra::Result<Layout>;
        let pairs: [(Binary, StaticBinary); 2] = [
            (Layout::blocked_product_under, Layout::blocked_product),
            (Layout::raked_product_under, Layout::raked_product),
        ];
        for (symbolic, fixed) in pairs {
            agrees(&symbolic(&a, &facts, &b), &values, true, |values| {
                fixed(&a.substitute(values).expect("small"), &b.substitute(values).expect("small"))
            })?;
        }
    }

    /// Divides by mode, as a kernel's tiles are made.
    #[test]
    fn divides_by_mode_agree(
        facts in facts(), a in modes(2), tile in prop::collection::vec(extent(), 1..=2),
        keep in any::<bool>(), choices in choices(),
    ) {
        let a = layout(&facts, &a, false);
        let a = if a.is_leaf() { Layout::make_layout(&[a]).expect("one") } else { a };
        let mut entries: Vec<TilerOf<Layout<Expr>>> = tile.iter().take(a.rank()).map(|tile| {
            let tile = Nested::Leaf(leaf(&facts, tile, &Expr::from(1)));
            TilerOf::of_extents(&facts, &tile).expect("positive")
        }).collect();
        if keep {
            entries[0] = TilerOf::Any;
        }
        let tiler = TilerOf::Tuple(entries);
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        type Symbolic = fn(&Layout<Expr>, &Facts, &TilerOf<Layout<Expr>>) -> integer::Result<Layout<Expr>>;
        type Static = fn(&Layout, &Tiler) -> layout_algebra::Result<Layout>;
        let pairs: [(Symbolic, Static); 3] = [
            (Layout::logical_divide_under, Layout::logical_divide),
            (Layout::zipped_divide_under, Layout::zipped_divide),
            (Layout::composition_tiler_under, Layout::composition_tiler),
        ];
        for (symbolic, fixed) in pairs {
            agrees(&symbolic(&a, &facts, &tiler), &values, true, |values| {
                let tiler = tiler.substitute(values).expect("small");
                fixed(&a.substitute(values).expect("small"), &tiler)
            })?;
        }
    }

    /// Inverses: the static answer, and what they are defined to be.
    #[test]
    fn inverses_agree(facts in facts(), a in modes(3), choices in choices()) {
        let a = layout(&facts, &a, false);
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let at = |values: &Values| a.substitute(values).expect("small");
        let right = a.right_inverse_under(&facts);
        agrees(&right, &values, false, |values| at(values).right_inverse())?;
        let left = a.left_inverse_under(&facts);
        agrees(&left, &values, false, |values| at(values).left_inverse())?;
        let null = a.nullspace_under(&facts);
        agrees(&null, &values, false, |values| at(values).nullspace())?;
        for values in &values {
            let a = at(values);
            if let Ok(right) = &right {
                let right = right.substitute(values).expect("small");
                for i in 0..right.size().min(COMPARED) {
                    prop_assert_eq!(a.at(right.at(i).expect("small")), Ok(i), "{} of {}", right, a);
                }
            }
            if let Ok(left) = &left {
                let left = left.substitute(values).expect("small");
                for i in 0..a.size().min(COMPARED) {
                    let offset = a.at(i).expect("small");
                    let back = left.at(offset).expect("small");
                    prop_assert_eq!(a.at(back), Ok(offset), "{} of {}", left, a);
                    if a.flat().iter().all(|&(extent, stride)| extent == 1 || stride != 0) {
                        prop_assert_eq!(back, i, "{} of {}", left, a);
                    }
                }
            }
        }
    }

    /// The operations that depend on the order of strides, those of a copy, and those of threads.
    #[test]
    fn orders_and_copies_agree(
        facts in facts(), a in modes(3), b in modes(3), tv in modes(2), tile in extent(),
        choices in choices(),
    ) {
        let (a, b) = (layout(&facts, &a, false), layout(&facts, &b, false));
        let (tv, tile) = (layout(&facts, &tv, false), leaf(&facts, &tile, &Expr::from(1)));
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let (at, at_b) = (
            |values: &Values| a.substitute(values).expect("small"),
            |values: &Values| b.substitute(values).expect("small"),
        );
        let sorted = a.sort_under(&facts);
        agrees(&sorted, &values, true, |values| at(values).sort())?;
        let like = a.make_layout_like_under(&facts);
        agrees(&like, &values, false, |values| at(values).make_layout_like())?;
        for other in [&a, &b] {
            let common = a.max_common_layout_under(&facts, other);
            agrees(&common, &values, false, |values| {
                at(values).max_common_layout(&other.substitute(values).expect("small"))
            })?;
            let Ok(vector) = a.max_common_vector_under(&facts, other) else { continue };
            for values in &values {
                let (found, other) = (values.evaluate(&vector), other.substitute(values));
                let expected = at(values).max_common_vector(&other.expect("small"));
                prop_assert_eq!(found.expect("small"), expected.expect("small"), "{} at {:?}", a, values);
            }
        }
        let tile = Nested::Leaf(tile);
        let parts = b.distribute_under(&facts, &tile, &tv);
        agrees(&parts, &values, true, |values| {
            let tile = tile.substitute(values).expect("small");
            at_b(values).distribute(&tile, &tv.substitute(values).expect("small"))
        })?;
    }

    /// Coalesce, recasts, cosize, evaluation, slices.
    #[test]
    fn one_layout_agrees(
        facts in facts(), a in modes(3), nested in any::<bool>(), n in 1..=4_i64, i in extent(),
        choices in choices(),
    ) {
        let a = layout(&facts, &a, nested);
        let i = leaf(&facts, &i, &Expr::from(1));
        let values: Vec<Values> = choices.into_iter().map(|choice| values(&facts, choice)).collect();
        let at = |values: &Values| a.substitute(values).expect("small");
        prop_assert!(agrees(&a.coalesce(), &values, false, |values| Ok(at(values)))?);
        prop_assert!(agrees(&a.coalesce_x(), &values, false, |values| Ok(at(values)))?);
        let flat = a.flatten();
        agrees(&flat, &values, true, |values| at(values).flatten())?;
        agrees(&a.upcast_under(&facts, n), &values, true, |values| {
            at(values).upcast(n)
        })?;
        agrees(&a.downcast_under(&facts, n), &values, true, |values| {
            at(values).downcast(n)
        })?;
        for (old, new) in [(8, 8 * n), (8 * n, 8)] {
            let view = a.recast_view_under(&facts, old, new);
            agrees(&view, &values, true, |values| {
                at(values).recast_view(old, new)
            })?;
        }
        let coord = match a.rank() {
            1 => CoordOf::At(i.clone()),
            rank => {
                let mut entries = vec![CoordOf::Any; rank];
                entries[0] = CoordOf::At(i.clone());
                CoordOf::Tuple(entries)
            }
        };
        let offset = a.at_under(&facts, &i).expect("an index that is not negative");
        let natural = a.shape().idx2crd_under(&facts, &i).expect("the same");
        prop_assert_eq!(&a.crd2idx_under(&facts, &natural).expect("fits"), &offset);
        let (kept, fixed) = a.slice_under(&facts, &coord).expect("fits");
        let diced = a.dice(&coord).expect("fits");
        for values in &values {
            let a = at(values);
            let value = |expr: &Expr| values.evaluate(expr).expect("small");
            prop_assert_eq!(a.at(value(&i)), Ok(value(&offset)));
            let range = facts.range(&offset);
            prop_assert!(range.lo.is_none_or(|lo| lo <= i128::from(value(&offset))), "{}", offset);
            prop_assert!(range.hi.is_none_or(|hi| hi >= i128::from(value(&offset))), "{}", offset);
            let coord = coord.substitute(values).expect("small");
            let (static_kept, static_fixed) = a.slice(&coord).expect("fits");
            prop_assert_eq!(kept.substitute(values).expect("small"), static_kept);
            prop_assert_eq!(value(&fixed), static_fixed);
            let static_diced = a.dice(&coord).expect("fits");
            prop_assert_eq!(diced.substitute(values).expect("small"), static_diced);
        }
        let cosize = a.cosize_under(&facts).expect("strides that are not negative");
        for values in &values {
            prop_assert_eq!(at(values).cosize(), Ok(values.evaluate(&cosize).expect("small")));
        }
    }

    /// Text with facts reads back as the same layout under the same facts.
    #[test]
    fn text_round_trips(facts in facts(), a in modes(3), nested in any::<bool>()) {
        let a = layout(&facts, &a, nested);
        let text = a.annotated(&facts);
        let (back, known) = Layout::<Expr>::parse(&text).expect(&text);
        prop_assert_eq!(&back, &a, "{}", text);
        for symbol in known.symbols() {
            prop_assert_eq!(facts.get(symbol.name()), Some(symbol), "{}", text);
        }
        let mut same = facts.clone();
        prop_assert_eq!(&Layout::<Expr>::parse_with(&a.to_string(), &mut same).expect("reads"), &a);
    }
}

/// An expression by its operators.
#[derive(Clone, Debug)]
enum Tree {
    Constant(i64),
    Symbol(usize),
    Node(u8, Box<Tree>, Box<Tree>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf =
        prop_oneof![(-9..=9_i64).prop_map(Tree::Constant), (0..3_usize).prop_map(Tree::Symbol),];
    leaf.prop_recursive(5, 24, 2, |inner| {
        (0..7_u8, inner.clone(), inner)
            .prop_map(|(op, a, b)| Tree::Node(op, Box::new(a), Box::new(b)))
    })
}

fn build(facts: &Facts, tree: &Tree) -> integer::Result<Expr> {
    match tree {
        Tree::Constant(value) => Ok(Expr::from(*value)),
        Tree::Symbol(name) => facts.symbol(NAMES[*name]),
        Tree::Node(op, a, b) => {
            let (a, b) = (build(facts, a)?, build(facts, b)?);
            match op {
                0 => a.plus(&b),
                1 => a.minus(&b),
                2 => a.times(&b),
                3 => facts.floor_div(&a, &b),
                4 => facts.ceil_div(&a, &b),
                5 => facts.modulo(&a, &b),
                _ => facts.min(&a, &b),
            }
        }
    }
}

/// The value by the definitions, or `None` if it is not defined.
fn value(tree: &Tree, values: &Values, facts: &Facts) -> Option<i128> {
    Some(match tree {
        Tree::Constant(value) => i128::from(*value),
        Tree::Symbol(name) => i128::from(values.evaluate(&facts.symbol(NAMES[*name]).ok()?).ok()?),
        Tree::Node(op, a, b) => {
            let (a, b) = (value(a, values, facts)?, value(b, values, facts)?);
            match op {
                0 => a.checked_add(b)?,
                1 => a.checked_sub(b)?,
                2 => a.checked_mul(b)?,
                6 => a.min(b),
                _ if b < 1 => return None,
                3 => a.div_euclid(b),
                4 => a.div_euclid(b) + i128::from(a.rem_euclid(b) != 0),
                _ => a.rem_euclid(b),
            }
        }
    })
}

proptest! {
    #![proptest_config(cases(3000))]

    /// The normal form has the value of the tree, within the range and with the divisor that are
    /// derived; what compares as known compares so; text reads back as the same expression.
    #[test]
    fn expressions_have_their_values(
        facts in facts(), a in tree(), b in tree(), choices in choices(),
    ) {
        let (Ok(x), Ok(y)) = (build(&facts, &a), build(&facts, &b)) else { return Ok(()) };
        let (range, divisor) = (facts.range(&x), facts.divisor(&x));
        let (at_least, equal, distinct) =
            (facts.at_least(&x, &y), facts.equal(&x, &y), facts.distinct(&x, &y));
        let (quotient, sign) = (facts.divide(&x, &y), facts.sign(&x));
        for choice in choices {
            let values = values(&facts, choice);
            let (Some(p), Some(q)) = (value(&a, &values, &facts), value(&b, &values, &facts)) else {
                // A divisor was known to be positive, so the value is defined, or past 128 bits.
                continue;
            };
            if let Ok(found) = values.evaluate(&x) {
                prop_assert_eq!(i128::from(found), p, "{}", x);
            }
            prop_assert!(range.lo.is_none_or(|lo| lo <= p), "{} in {}: {}", x, range, p);
            prop_assert!(range.hi.is_none_or(|hi| hi >= p), "{} in {}: {}", x, range, p);
            let divides = p.checked_rem(i128::from(divisor)).map_or(p == 0, |rest| rest == 0);
            prop_assert!(divides, "{} divides {}: {}", divisor, x, p);
            prop_assert!(sign.is_none_or(|sign| sign == p.cmp(&0)), "{}: {:?}", x, sign);
            let says = |answer: &Answer, holds: bool| match answer {
                Answer::Yes => holds,
                Answer::No(_) => !holds,
                Answer::Unknown(_) => true,
            };
            prop_assert!(says(&at_least, p >= q), "{} >= {}: {:?}", x, y, at_least);
            prop_assert!(says(&equal, p == q), "{} = {}: {:?}", x, y, equal);
            prop_assert!(says(&distinct, p != q), "{} != {}: {:?}", x, y, distinct);
            match &quotient {
                Quotient::Exact(exact) => {
                    if let Ok(exact) = values.evaluate(exact) {
                        prop_assert_eq!(i128::from(exact) * q, p, "{} / {}", x, y);
                    }
                }
                Quotient::Never(_) => prop_assert!(q == 0 || p % q != 0, "{} / {}", x, y),
                Quotient::Unknown(_) => {}
            }
        }
        let text = x.to_string();
        match layout_algebra::evaluate(&text, &mut facts.clone()) {
            Ok(back) => prop_assert_eq!(back, Value::Int(x)),
            // A divisor may be seen to be positive in one form and not in another.
            Err(error) => prop_assert!(!error.missing().is_empty(), "{}: {}", text, error),
        }
    }

    /// Facts that come later leave values as they are and make the normal form that they would have
    /// made from the start.
    #[test]
    fn later_facts_refresh(facts in facts(), a in tree(), choices in choices()) {
        let mut bare = Facts::new();
        for name in NAMES {
            bare.declare(&format!("{name}{{range=1..}}")).expect("a symbol");
        }
        let (Ok(before), Ok(direct)) = (build(&bare, &a), build(&facts, &a)) else { return Ok(()) };
        let Ok(after) = facts.refresh(&before) else { return Ok(()) };
        for choice in choices {
            let values = values(&facts, choice);
            let Some(expected) = value(&a, &values, &facts) else { continue };
            for expr in [&before, &after, &direct] {
                if let Ok(found) = values.evaluate(expr) {
                    prop_assert_eq!(i128::from(found), expected, "{}", expr);
                }
            }
        }
    }
}
