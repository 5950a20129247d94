//! Layouts of rank 0, `():()`, and tuples without entries inside of shapes: one coordinate, at offset 0.

use layout_algebra::{Facts, Layout, Op, Term, Tuple, Value, evaluate, meaning};

const EMPTY: [&str; 9] = [
    "():()",
    "(4,()):(2,())",
    "((),4):((),2)",
    "()",
    "(4,())",
    "S<1,0,1> o 0 o ():()",
    "make_identity_layout((4,()))",
    "composition(make_identity_layout((4,2)), ():())",
    "slice(((),0), make_identity_layout(((),2)))",
];

fn eval(text: &str) -> Result<String, String> {
    let value = Term::parse(text).and_then(|term| term.eval());
    value.map(|value| value.to_string()).map_err(|error| error.to_string())
}

fn layout(text: &str) -> Layout {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(Value::Layout(layout)) => layout,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_layout_of_rank_0_has_one_coordinate() {
    let empty = Layout::new(Tuple::Node(vec![]), Tuple::Node(vec![])).expect("a layout");
    assert_eq!((empty.size(), empty.cosize(), empty.rank()), (1, Ok(1), 0));
    assert_eq!((empty.at(0), empty.at(3)), (Ok(0), Ok(0)));
    assert_eq!(empty.crd2idx(&Tuple::Node(vec![])), Ok(0));
    assert_eq!(empty.to_string().parse::<Layout>(), Ok(empty));
    for (term, value) in [
        ("():()", "():()"),
        ("size(():())", "1"),
        ("cosize(():())", "1"),
        ("rank(():())", "0"),
        ("shape((4,()):(2,()))", "(4,())"),
        ("coalesce(():())", "1:0"),
        ("coalesce((4,()):(2,()))", "4:2"),
        ("flatten((4,()):(2,()))", "(4):(2)"),
        ("crd2idx((), ():())", "0"),
        ("crd2idx((3,()), (4,()):(2,()))", "6"),
        ("idx2crd(3, (4,()))", "(3,())"),
        ("():()()", "0"),
        ("complement(():(), 6)", "6:1"),
        ("composition(8:3, ():())", "():()"),
        ("composition(():(), (1024,65536):(1,1024))", "(1024,65536):(0,0)"),
        ("sort(():())", "():()"),
        ("transpose(():())", "():()"),
        ("zip(():(), ():())", "():()"),
        ("right_inverse(():())", "1:0"),
        ("left_inverse(():())", "1:0"),
        ("append(():(), 4:6)", "(4):(6)"),
        ("make_layout(():(), 4:6)", "((),4):((),6)"),
        // Tilers without entries.
        ("composition(():(), ())", "():()"),
        ("composition((4,2):(1,4), ())", "():()"),
        ("composition((4,2):(1@0,1@1), ())", "():()"),
        ("logical_divide(():(), ())", "():()"),
        ("zipped_divide((4,2):(1,4), ())", "((),(4,2)):((),(1,4))"),
        ("zipped_divide((4,2):(1@0,1@1), ())", "((),(4,2)):((),(1@0,1@1))"),
        ("flat_divide((4,2):(1,4), ())", "(4,2):(1,4)"),
        ("logical_product(():(), ())", "():()"),
        ("tiled_product((4,2):(1,4), ())", "((),4,2):((),1,4)"),
        ("blocked_product(():(), ():())", "():()"),
        ("tile_to_shape(():(), ())", "():()"),
        ("unzip(():(), ())", "((),()):((),())"),
    ] {
        assert_eq!(eval(term).as_deref(), Ok(value), "{term}");
    }
}

/// Each row's example with each operand in turn of rank 0: the answer is the same beside symbols, and is
/// read back from its text.
#[test]
fn every_operation_takes_or_refuses_rank_0() {
    let mut wrong = Vec::new();
    for op in Op::ALL {
        let (example, _) = op.row().example;
        let Ok(Term::Call { op, args }) = Term::parse(example) else { panic!("{example}") };
        for place in 0..args.len() {
            for empty in EMPTY {
                let mut args = args.clone();
                args[place] = Term::parse(empty).expect("a term");
                let text = Term::Call { op, args }.to_string();
                let value = Term::parse(&text).and_then(|term| term.eval());
                let is_read = |value: &Value| {
                    use Value::{Basis, Composed, Layout, Tuple};
                    // Strides of 0 alone do not say how coordinates nest.
                    let is_term = match value {
                        Layout(_) | Composed(_) | Tuple(_) => true,
                        Basis(layout) => layout.to_string().contains('@'),
                        _ => false,
                    };
                    let again = Term::parse(&value.to_string()).and_then(|term| term.eval());
                    !is_term || again.as_ref() == Ok(value)
                };
                if !value.as_ref().map_or(true, is_read) {
                    wrong.push(format!("{text}: {value:?} does not read back"));
                }
                let found = eval(&text);
                let expected = evaluate(&text, &mut Facts::new());
                let expected =
                    expected.map(|value| value.to_string()).map_err(|error| error.to_string());
                if found.is_ok() != expected.is_ok() || found.is_ok() && found != expected {
                    wrong.push(format!("{text}: {found:?}, beside symbols {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A tuple without entries adds one coordinate at offset 0, as a mode `1:0` does.
#[test]
fn a_tuple_without_entries_is_a_mode_of_one() {
    for (with, without) in [("(4,()):(2,())", "(4,1):(2,0)"), ("((),4):((),2)", "(1,4):(0,2)")] {
        for call in [
            "coalesce(X)",
            "flatten(X)",
            "filter(X)",
            "sort(X)",
            "composition(X, (2,2):(1,2))",
            "composition((8,2):(3,1), X)",
            "complement(X, 16)",
            "right_inverse(X)",
            "left_inverse(X)",
            "logical_divide(X, 2:1)",
            "logical_divide((8,4):(1,8), X)",
            "logical_product(X, 4:1)",
            "logical_product(2:1, X)",
            "nullspace(X)",
            "max_common_layout(X, X)",
        ] {
            let (a, b) = (layout(&call.replace('X', with)), layout(&call.replace('X', without)));
            assert_eq!(meaning::same(&a, &b), Ok(()), "{call}: {a} is not {b}");
        }
    }
}
