//! Layouts with symbols on small spaces in full: every pair of a space of layouts, every small value;
//! static terms, which must come out in the same text; hints, which must help; text that is no term.

use layout_algebra::{
    Expr, Facts, Layout, Nested, Term, TilerOf, Value, Values, evaluate,
    integer::{self, Error},
};
use layout_random::checked;

/// Extents and strides over `M` and `N`, as text.
const EXTENTS: [&str; 5] = ["1", "2", "3", "M", "N"];
const STRIDES: [&str; 6] = ["0", "1", "2", "M", "2*M", "N"];

/// The facts of `M` and `N`.
const TABLES: [[&str; 2]; 4] = [
    ["M{range=1..}", "N{range=1..}"],
    ["M{div=2 range=2..}", "N{range=2..}"],
    ["M{div=3 range=1..}", "N{div=2 range=1..}"],
    ["M{range=4..}", "N{range=1..4}"],
];

fn facts(table: [&str; 2]) -> Facts {
    let mut facts = Facts::new();
    for symbol in table {
        facts.declare(symbol).expect("a symbol");
    }
    facts
}

fn values(facts: &Facts) -> Vec<Values> {
    let pairs = (1..=6).flat_map(|m| (1..=4).map(move |n| (m, n)));
    pairs.filter_map(|(m, n)| Values::new(facts, [("M", m), ("N", n)]).ok()).collect()
}

fn expr(facts: &Facts, text: &str) -> Expr {
    match evaluate(text, &mut facts.clone()).expect("an expression") {
        Value::Int(expr) => expr,
        other => panic!("{other}"),
    }
}

/// All modes of the space.
fn modes(facts: &Facts) -> Vec<Layout<Expr>> {
    let mut modes = Vec::new();
    for extent in EXTENTS {
        for stride in STRIDES {
            let (extent, stride) = (expr(facts, extent), expr(facts, stride));
            let (extent, stride) = (Nested::Leaf(extent), Nested::Leaf(stride));
            modes.push(Layout::<Expr>::under(facts, extent, stride).expect("positive"));
        }
    }
    modes
}

/// Answers and refusals.
#[derive(Default)]
struct Count {
    answered: usize,
    refused: usize,
}

impl Count {
    /// Compares an answer with the static one at all values.
    fn check(
        &mut self,
        answer: &integer::Result<Layout<Expr>>,
        values: &[Values],
        fixed: impl Fn(&Values) -> layout_algebra::Result<Layout>,
    ) {
        let Ok(answer) = answer else {
            self.refused += 1;
            return;
        };
        self.answered += 1;
        for values in values {
            let text = |layout: &Layout| layout.coalesce().expect("small").to_string();
            let found = answer.substitute(values).expect("small");
            match fixed(values) {
                Ok(expected) => assert_eq!(text(&found), text(&expected), "{answer} at {values:?}"),
                Err(error) => panic!("{answer} at {values:?}, but {error}"),
            }
        }
    }
}

/// The offsets that every layout of two modes reaches, and some of three, with strides of both signs.
#[test]
fn every_image_agrees() {
    let (mut answered, mut refused) = (0, 0);
    for table in TABLES {
        let facts = facts(table);
        let (modes, values) = (modes(&facts), values(&facts));
        let opposite = |mode: &Layout<Expr>| {
            let [(extent, stride)] = &mode.flat()[..] else { panic!("one mode") };
            let (extent, stride) = (extent.clone(), stride.scaled(-1).expect("small"));
            let (extent, stride) = (Nested::Leaf(extent), Nested::Leaf(stride));
            Layout::<Expr>::under(&facts, extent, stride).expect("positive")
        };
        for (i, first) in modes.iter().enumerate() {
            for (j, second) in modes.iter().enumerate() {
                let third = &modes[(7 * i + 11 * j) % modes.len()];
                let picks = match (i + j) % 3 {
                    0 => vec![first.clone(), second.clone()],
                    1 => vec![first.clone(), opposite(second)],
                    _ => vec![first.clone(), opposite(second), third.clone()],
                };
                let layout = Layout::make_layout(&picks).expect("some");
                let Ok(image) = layout.image_under(&facts) else {
                    refused += 1;
                    continue;
                };
                answered += 1;
                for values in &values {
                    let start = values.evaluate(&image.start).expect("small");
                    let from_there = image.layout.substitute(values).expect("small");
                    let found: Vec<i64> = (0..from_there.size())
                        .map(|i| start + from_there.at(i).expect("small"))
                        .collect();
                    let fixed = layout.substitute(values).expect("small");
                    let expected = fixed.image().expect("small");
                    assert_eq!(found, expected, "{layout} reaches {image} at {values:?}");
                }
            }
        }
    }
    // A refusal is always sound; this keeps the answers from dwindling.
    assert!(3 * answered > refused, "{answered} answers, {refused} refusals");
}

/// Every `A` of two modes with every `B` of one: composition, divide and product.
#[test]
fn every_small_pair_agrees() {
    for table in TABLES {
        let facts = facts(table);
        let (modes, values) = (modes(&facts), values(&facts));
        let (mut composed, mut divided, mut multiplied) =
            (Count::default(), Count::default(), Count::default());
        for (i, first) in modes.iter().enumerate() {
            // Every seventh second mode, another seventh for each first one.
            for second in modes.iter().skip(i % 7).step_by(7) {
                let a = Layout::make_layout(&[first.clone(), second.clone()]).expect("two");
                let fixed: Vec<Layout> =
                    values.iter().map(|values| a.substitute(values).expect("small")).collect();
                let at = |values_at: &Values| {
                    let i = values.iter().position(|values| values == values_at).expect("listed");
                    &fixed[i]
                };
                for b in &modes {
                    composed.check(&a.composition_under(&facts, b), &values, |values| {
                        at(values).composition(&b.substitute(values).expect("small"))
                    });
                    let tiler = TilerOf::Layout(b.clone());
                    divided.check(&a.logical_divide_under(&facts, &tiler), &values, |values| {
                        let tiler = tiler.substitute(values).expect("small");
                        at(values).logical_divide(&tiler)
                    });
                    let product = a.logical_product_under(&facts, &tiler);
                    multiplied.check(&product, &values, |values| {
                        let tiler = tiler.substitute(values).expect("small");
                        at(values).logical_product(&tiler)
                    });
                }
            }
        }
        // A refusal is always sound; these keep the answers from dwindling.
        for (what, count, least) in
            [("o", composed, 60), ("divide", divided, 50), ("product", multiplied, 35)]
        {
            let share = 100 * count.answered / (count.answered + count.refused);
            eprintln!("{table:?} {what}: {share} % of {}", count.answered + count.refused);
            assert!(share >= least, "{table:?}: {what}: {share} % answered");
        }
    }
}

/// Every layout of two modes, and its inverses.
#[test]
fn every_small_layout_inverts() {
    for table in TABLES {
        let facts = facts(table);
        let (modes, values) = (modes(&facts), values(&facts));
        let mut count = Count::default();
        for first in &modes {
            for second in &modes {
                let a = Layout::make_layout(&[first.clone(), second.clone()]).expect("two");
                let at = |values: &Values| a.substitute(values).expect("small");
                count.check(&a.right_inverse_under(&facts), &values, |values| {
                    at(values).right_inverse()
                });
                count.check(&a.left_inverse_under(&facts), &values, |values| {
                    at(values).left_inverse()
                });
                count.check(&a.filter_under(&facts), &values, |values| at(values).filter());
            }
        }
        assert!(count.answered > count.refused / 2, "{table:?}: {}", count.answered);
    }
}

/// Terms without symbols, from every operation that is answered with symbols: both evaluators give
/// the same text, or both refuse.
#[test]
fn static_terms_have_the_static_text() {
    for text in [
        "coalesce((2,(1,6)):(1,(6,2)))",
        "coalesce(((2,4),(3,5)):((1,2),(8,24)), (1,1))",
        "composition((6,2):(8,2), (4,3):(3,1))",
        "composition((5,6):(24,15), 3:6)",
        "composition((6,2):(1,7), (3,2):(2,3))",
        "composition((12,(4,8)):(59,(13,1)), <3:4, 8:2>)",
        "composition((4,8):(8,1), 4:-1)",
        "complement((2,2):(1,6), 24)",
        "complement((2,2):(2,1), 4)",
        "complement((4,6):(1,4))",
        "complement(4:3, (6,2))",
        "logical_divide((4,2,3):(2,1,8), 4:2)",
        "logical_divide((5,2):(2,40), 2:1)",
        "logical_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        "zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        "tiled_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        "flat_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
        "zipped_divide((9,32):(1,9), <3:1, _>)",
        "logical_product((2,2):(4,1), 6:1)",
        "logical_product((2,5):(5,1), <3:5, 4:6>)",
        "zipped_product((2,5):(5,1), <3:5, 4:6>)",
        "tiled_product((2,5):(5,1), <3:5, 4:6>)",
        "flat_product((2,5):(5,1), <3:5, 4:6>)",
        "blocked_product((2,5):(5,1), (3,4):(1,3))",
        "raked_product((2,5):(5,1), (3,4):(1,3))",
        "blocked_product(2:2, 4:1)",
        "tile_to_shape((2,2):(1,2), (4,6))",
        "tile_to_shape((2,2):(1,2), (4,6), (1,0))",
        "tile_to_shape((2,2):(1,2), (5,6))",
        "right_inverse((4,8):(8,1))",
        "left_inverse((4,8):(8,1))",
        "left_inverse((2,2):(2,3))",
        "nullspace((2,4,3):(0,1,0))",
        "filter((2,4,3):(0,1,0))",
        "filter_zeros((2,4,3):(0,1,0))",
        "flatten(((2,4),3):((1,2),8))",
        "make_layout(2:1, 3:2)",
        "make_ordered_layout((4,6,2), (1,0,2))",
        "compact_col_major((4,(1,6)))",
        "compact_row_major((4,(1,6)))",
        "get(((2,4),3):((1,2),8), 0, 1)",
        "select((2,4,3):(1,2,8), 2, 0)",
        "group((2,4,3):(1,2,8), 0, 2)",
        "group((2,4,3):(1,2,8), 2, 2)",
        "append((2,4):(1,2), 3:8)",
        "prepend((2,4):(1,2), 3:8)",
        "replace((2,4):(1,2), 1, 3:8)",
        "take((2,4,3):(1,2,8), 1, 3)",
        "zip((2,4):(1,2), (3,5):(8,24))",
        "unzip(((2,3),(4,5),6):((1,2),(10,20),100), <_, _>)",
        "size((2,(4,3)):(1,(2,8)))",
        "size((2,(4,3)):(1,(2,8)), 1)",
        "cosize((2,(4,3)):(1,(2,-8)))",
        "rank((2,(4,3)):(1,(2,8)))",
        "depth((2,(4,3)):(1,(2,8)))",
        "shape((2,(4,3)):(1,(2,8)))",
        "stride((2,(4,3)):(1,(2,8)))",
        "crd2idx((1,(2,1)), (2,(4,3)):(1,(2,8)))",
        "crd2idx(13, (2,(4,3)))",
        "idx2crd(13, (2,(4,3)))",
        "idx2crd((1,5), (2,(4,3)))",
        "slice((_,(2,_)), (2,(4,3)):(1,(2,8)))",
        "slice_and_offset((_,(2,_)), (2,(4,3)):(1,(2,8)))",
        "dice((_,(2,_)), (2,(4,3)):(1,(2,8)))",
        "upcast((4,6,8):(1,4,24), 8)",
        "upcast((4,8):(3,1), 2)",
        "downcast((4,8):(8,1), 2)",
        "downcast((4,8):(8,2), 2)",
        "recast((4,8):(8,1), 16, 32)",
        "(2,3):(1,(2,4))",
        "(0,3):(1,2)",
    ] {
        let fixed = Term::parse(text).and_then(|term| term.eval()).map(|value| value.to_string());
        let found = evaluate(text, &mut Facts::new()).map(|value| value.to_string());
        match (&fixed, &found) {
            (Ok(fixed), Ok(found)) => assert_eq!(fixed, found, "{text}"),
            (Err(_), Err(_)) => {}
            _ => panic!("{text}: {fixed:?}, with symbols {found:?}"),
        }
    }
}

/// The text that an error says to write is enough for the fact that it says is missing: the same fact is not requested
/// again, and after a few facts there is an answer or a reason that no fact helps against.
#[test]
fn hints_lead_on() {
    let mut answered = 0;
    for text in [
        "composition((M,8):(8,1), 4:2)",
        "composition((M,N):(N,1), (4,K):(1,4))",
        "composition((8,4):(4,1), M:K)",
        "logical_divide((M,N):(N,1), 128:1)",
        "logical_divide((M,N):(1,S), 16:2)",
        "complement((4,8):(M,64), N)",
        "logical_product(M:S, 4:1)",
        "logical_product((M,8):(8,S), (2,N):(K,1))",
        "right_inverse((M,N):(N,1))",
        "left_inverse((M,8):(8,1))",
        "left_inverse((4,8):(N,1))",
        "nullspace((M,8):(S,1))",
        "filter((M,8):(S,T))",
        "upcast((M,K):(K,1), 8)",
        "downcast((M,K):(K,1), 4)",
        "recast((M,K):(K,1), 8, 32)",
        "cosize((M,K):(L,S))",
        "tile_to_shape((8,64):(64,1), (M,K))",
        "crd2idx(i, (M,8):(1,M))",
        "floor_div(M,N)",
        "3*M*N/8",
    ] {
        let mut facts = Facts::new();
        let mut seen = Vec::new();
        for round in 0.. {
            assert!(round < 12, "{text}: requires ever more facts: {seen:?}");
            let error = match evaluate(text, &mut facts) {
                Ok(_) => {
                    answered += 1;
                    break;
                }
                Err(error) => error,
            };
            let hint =
                error.missing().iter().find_map(|need| need.hint.strip_prefix("add the fact "));
            let Some(symbol) = hint else {
                assert!(
                    matches!(error.cause(), Error::Missing { .. } | Error::Never { .. }),
                    "{text}: {error}"
                );
                break;
            };
            assert!(!seen.contains(&symbol.to_owned()), "{text}: {symbol} again, after {seen:?}");
            facts.declare(symbol).unwrap_or_else(|error| panic!("{text}: {symbol}: {error}"));
            seen.push(symbol.to_owned());
        }
    }
    assert!(answered >= 16, "{answered} answered");
}

/// A fact that is learned is known: the same operation does not require it again.
#[test]
fn facts_are_learned() {
    for text in [
        "composition((M,N):(N,1), (4,K):(1,4))",
        "composition((M,8):(8,1), N:1)",
        "composition((6,2):(S,T), (3,2):(2,3))",
        "logical_divide((M,N):(1,S), 16:2)",
        "complement((4,8):(M,N), 64)",
        "right_inverse((M,N):(1,S))",
        "left_inverse((4,8):(N,1))",
        "upcast((M,K):(K,1), 8)",
        "cosize((M,K):(L,S))",
    ] {
        let mut facts = Facts::new();
        let mut learned = 0;
        for _ in 0..12 {
            let Err(error) = evaluate(text, &mut facts) else { break };
            let Some(fact) = error
                .missing()
                .iter()
                .map(|need| need.fact.clone())
                .find(|fact| facts.learn(fact).is_ok())
            else {
                break;
            };
            learned += 1;
            let again = evaluate(text, &mut facts);
            let again = again.as_ref().err().map(Error::missing).unwrap_or_default();
            assert!(again.iter().all(|need| need.fact != fact), "{text}: {fact} again");
        }
        assert!(learned > 0, "{text}");
    }
    let mut facts = Facts::new();
    facts.declare("M{range=1..9}").expect("a symbol");
    let error = |facts: &mut Facts, text: &str| {
        let error = evaluate(text, &mut facts.clone()).expect_err(text);
        let fact = match error.cause() {
            Error::Missing { needs, .. } => needs[0].fact.clone(),
            Error::Never { needs, .. } => needs[0].clone(),
            other => panic!("{other}"),
        };
        facts.learn(&fact).expect_err(text).to_string()
    };
    assert_eq!(
        error(&mut facts, "M/16"),
        "learn(\"16 divides M\"): needs \"16 divides M\", which the facts rule out",
    );
    assert_eq!(
        error(&mut facts, "M*N/16"),
        "learn: expected a fact on one symbol, or an order of two expressions, found \
         \"16 divides M*N\"",
    );
}

/// Text that was damaged: an answer or an error, in time, and never a panic.
#[test]
fn damaged_text_is_an_error_or_another_term() {
    let seeds = [
        "zipped_divide((M{div=8},K{i64 div=64 range=1..4096}):(K,1), <128:1, 64:1>)",
        "composition((?{div=16},8):(8,?), (8,?0/16):(1,16))",
        "complement((4,N):(M{range=1..},4*M), ceil_div(4*M*N*K{range=1..},(L{range=1..}+3)))",
        "left_inverse((M{range=2..},4,(2,N{range=2..})):(8*N,1,(4,8)))",
        "crd2idx((min(i,7),mod(j,4)+floor_div(3*j,8)), (M,K/2):(K{div=2},-1))",
    ];
    let alphabet: Vec<char> = "(),:<>{}?_+-*/0123456789MNKo .=divrange[]é".chars().collect();
    let mut answers = 0;
    for i in 0..20_000 {
        let is_term = checked(i as u64, |random| {
            let mut text: Vec<char> = seeds[i % seeds.len()].chars().collect();
            for _ in 0..=random.index(4) {
                let at = random.index(text.len());
                match random.index(4) {
                    0 => drop(text.remove(at)),
                    1 => text.insert(at, random.pick(&alphabet)),
                    2 => text[at] = random.pick(&alphabet),
                    _ => {
                        let (from, to) =
                            (at.min(random.index(text.len())), at.max(random.index(text.len())));
                        let piece: Vec<char> = text[from..to.max(from)].to_vec();
                        let at = random.index(text.len());
                        text.splice(at..at, piece);
                    }
                }
                if text.is_empty() {
                    text.push('M');
                }
            }
            let text: String = text.into_iter().collect();
            match evaluate(&text, &mut Facts::new()) {
                Ok(value) => {
                    assert!(!value.to_string().is_empty());
                    true
                }
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    false
                }
            }
        });
        answers += usize::from(is_term);
    }
    assert!(answers > 500, "{answers} of the damaged texts are terms");
}
