//! Lowered operations on partly static layouts and tuples, run by MLIR's JIT and compared
//! with the algebra: each operation of the dialect's own table at its values, and offsets and
//! coordinates at every coordinate of a suite of layouts.

#[allow(dead_code, reason = "the dialect's own tests use the rest")]
#[path = "../../../dialect/ir/tests/operations/support.rs"]
mod support;
#[allow(dead_code, reason = "the dialect's own tests use the rest")]
#[path = "../../../dialect/ir/tests/operations/table.rs"]
mod table;

mod composed;
mod conversions;
mod engine;
mod functions;
mod memrefs;
mod relations;
mod structure;
mod tuples;
mod views;

use engine::{Engine, context};
use layout_algebra::{ComposedLayout, Expr, Layout, Nested, Outer, Tuple, Value};
use layout_dialect::TermValue;
use melior::{
    Context,
    ir::{
        Module,
        operation::{OperationLike, OperationPrintingFlags},
    },
};
use support::{at_values, full_type, function, line};
use table::ROWS;

/// The integers of a value, or how many of them there are in one that is partly static.
fn leaves(term_value: &TermValue) -> Vec<Option<i64>> {
    let tuple = |tuple: &Nested<Expr>| -> Vec<Option<i64>> {
        tuple.leaves().into_iter().map(Expr::as_constant).collect()
    };
    let plain = |layout: &Layout<Expr>| [tuple(layout.shape()), tuple(layout.stride())].concat();
    let value = match term_value {
        TermValue::Static(value) => Value::<Expr>::from(value),
        TermValue::Symbolic { value, .. } => value.clone(),
    };
    match value {
        Value::Int(expr) => vec![expr.as_constant()],
        Value::Tuple(entries) => tuple(&entries),
        Value::Layout(layout) => plain(&layout),
        Value::Composed(ComposedLayout { outer, offset, inner }) => {
            let mut leaves = match &outer {
                Outer::Swizzle(_) => Vec::new(),
                Outer::Layout(outer) => plain(outer),
            };
            leaves.push(offset.as_constant());
            leaves.extend(plain(&inner));
            leaves
        }
        Value::Basis(layout) => {
            let mut leaves = tuple(layout.shape());
            let steps = layout.flat().into_iter();
            leaves.extend(steps.map(|(_, step)| step.scale.as_constant()));
            leaves
        }
        other => panic!("{other} has no integers"),
    }
}

/// The text inside of a layout or tuple type.
fn body(r#type: &str) -> Option<&str> {
    let body = r#type.strip_prefix("!layout.tuple<").or(r#type.strip_prefix("!layout<"))?;
    body.strip_suffix('>')
}

#[test]
fn each_operation_computes_what_it_folds_to() {
    let context = context();
    let mut wrong = Vec::new();
    for row in ROWS {
        let types: Vec<_> = row.partly.iter().map(|text| full_type(text)).collect();
        let text = function(&types, row.results, &line(row.line, &types), "");
        let found = result_type(&context, &text, row.name);
        let (results, after) = match body(&found) {
            Some(body) => {
                let count = leaves(&TermValue::parse(body).expect("a value")).len();
                let names: Vec<_> = match count {
                    1 => vec!["%l".to_owned()],
                    count => (0..count).map(|i| format!("%l#{i}")).collect(),
                };
                let results = vec!["index"; count].join(", ");
                let bound = if count == 1 { String::new() } else { format!(":{count}") };
                let names = names.join(", ");
                (
                    results.clone(),
                    format!(
                        "  %l{bound} = layout.leaves %r : {found}\n  return {names} : {results}\n"
                    ),
                )
            }
            None => {
                let names: Vec<_> = match row.results {
                    1 => vec!["%r".to_owned()],
                    count => (0..count).map(|i| format!("%r#{i}")).collect(),
                };
                let results = vec![found.as_str(); row.results].join(", ");
                (results.clone(), format!("  return {} : {results}\n", names.join(", ")))
            }
        };
        let text =
            text.replace("  return\n", &after).replacen(") {", &format!(") -> ({results}) {{"), 1);
        let engine = Engine::lowered(&context, &text);
        let expected: Vec<i64> = match row.folded.strip_prefix("#layout<") {
            Some(folded) => {
                let folded = folded.strip_suffix('>').expect("a term");
                leaves(&TermValue::parse(folded).expect("a value"))
                    .into_iter()
                    .map(|leaf| leaf.expect("an integer"))
                    .collect()
            }
            None => row
                .folded
                .split(' ')
                .map(|text| match text {
                    "true" => 1,
                    "false" => 0,
                    number => number.parse().expect("an integer"),
                })
                .collect(),
        };
        let computed = engine.call("f", row.values, expected.len(), found == "i1");
        if computed != expected {
            wrong.push(format!(
                "{}: expected {expected:?}, found {computed:?} of\n{text}",
                row.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The operation's result type, or its first where several are alike.
fn result_type(context: &Context, text: &str, name: &str) -> String {
    let module = Module::parse(context, text).expect("a program");
    let flags = OperationPrintingFlags::new().print_generic_operation_form();
    let printed = module.as_operation().to_string_with_flags(flags).expect("the generic form");
    let name = format!("\"layout.{name}\"");
    let found = printed.lines().find(|line| line.contains(&name)).expect("the operation");
    let types = found.rsplit_once(" -> ").expect("results").1;
    types.strip_prefix("(index").map_or(types, |_| "index").to_owned()
}

/// Partly static layouts, and values for their integers.
const SUITE: &[(&str, &[&[i64]])] = &[
    ("(?,8):(1,?)", &[&[1, 1], &[5, 7], &[16, -3], &[2, 100_000]]),
    ("(?,8):(1,?0)", &[&[1], &[5], &[16]]),
    ("(?{div=4},(2,?{range=1..16})):(2,(?{div=8},1))", &[&[4, 3, 8], &[12, 16, -64], &[8, 1, 0]]),
    ("((?,4),?):((?,1),?{i64})", &[&[3, 2, 4, 5_000_000_000], &[1, 7, 9, -1]]),
    ("(?0,?1,?2):(1,?0,?0*?1)", &[&[3, 4, 5], &[1, 1, 7], &[8, 2, 2]]),
    ("(4,2,?):(?,?,?)", &[&[3, 1, 2, 3], &[2, 0, 0, 0]]),
    ("?:?", &[&[6, 3], &[1, 9]]),
    ("(3,?{range=1..100}):(?{range=0..1000},5)", &[&[7, 0], &[100, 1000]]),
    ("zipped_divide((?,?{div=16}):(?1,1), (8,16))", &[&[20, 32], &[8, 16]]),
    ("upcast((?,?{div=8}):(?1,1), 4)", &[&[5, 16], &[1, 8]]),
];

#[test]
fn offsets_and_coordinates_are_right_everywhere() {
    let context = context();
    let mut text = String::new();
    for (i, (layout, _)) in SUITE.iter().enumerate() {
        let term_value = TermValue::parse(layout).expect("a layout");
        let r#type = format!("!layout<{term_value}>");
        let count = leaves(&term_value).len() / 2;
        let coords: Vec<_> = (0..count).map(|i| format!("%c#{i}")).collect();
        let coords = if count == 1 { "%c".to_owned() } else { coords.join(", ") };
        let bound = if count == 1 { String::new() } else { format!(":{count}") };
        let indices = vec!["index"; count].join(", ");
        text.push_str(&format!(
            "func.func @at{i}(%l: {type}, %i: index) -> index {{
               %o = layout.crd2idx %l(%i) : {type}
               return %o : index
             }}
             func.func @crd{i}(%i: index, %l: {type}) -> ({indices}) {{
               %c{bound} = layout.idx2crd %i, %l : {type}
               return {coords} : {indices}
             }}
             func.func @sizes{i}(%l: {type}) -> index {{
               %n = layout.size %l : {type}
               return %n : index
             }}\n"
        ));
    }
    let engine = Engine::lowered(&context, &text);
    let mut compared = 0;
    for (i, (text, points)) in SUITE.iter().enumerate() {
        let text = TermValue::parse(text).expect("a layout").to_string();
        for values in *points {
            let layout: Layout = at_values(&text, &mut values.iter()).parse().expect("a layout");
            let size = layout.size();
            assert_eq!(engine.call(&format!("sizes{i}"), values, 1, false), [size], "{layout}");
            let leaves = layout.shape().leaves().len();
            for index in 0..size {
                let arguments = [*values, &[index]].concat();
                let offset = engine.call(&format!("at{i}"), &arguments, 1, false);
                assert_eq!(offset, [layout.at(index).expect("an offset")], "{layout} at {index}");
                let arguments = [&[index], *values].concat();
                let coord = engine.call(&format!("crd{i}"), &arguments, leaves, false);
                let expected = layout.shape().idx2crd(index).expect("a coordinate");
                assert_eq!(coord, expected.leaves(), "{layout} at {index}");
                compared += 2;
            }
        }
    }
    assert!(compared > 1000, "only {compared} were compared");
}

#[test]
fn natural_coordinates_are_right_everywhere() {
    let context = context();
    let r#type = "!layout<(?{range=1..64},(?{range=1..64},4)):(?{range=0..4096},(1,?{i64}))>";
    let text = format!(
        "func.func @f(%l: {type}, %i: index, %j: index, %k: index) -> index {{
           %o = layout.crd2idx %l(%i, (%j, %k)) : {type}
           return %o : index
         }}"
    );
    let engine = Engine::lowered(&context, &text);
    for (m, n, dm, dk) in [(3, 5, 100, -7), (64, 1, 4096, 1 << 40), (1, 64, 0, 0)] {
        let layout: Layout = format!("({m},({n},4)):({dm},(1,{dk}))").parse().expect("a layout");
        for (i, j, k) in
            (0..m).flat_map(|i| (0..n).flat_map(move |j| (0..4).map(move |k| (i, j, k))))
        {
            let leaf = Tuple::Leaf;
            let coord = Tuple::Node(vec![leaf(i), Tuple::Node(vec![leaf(j), leaf(k)])]);
            let expected = layout.crd2idx(&coord).expect("an offset");
            let found = engine.call("f", &[m, n, dm, dk, i, j, k], 1, false);
            assert_eq!(found, [expected], "{layout} at {coord}");
        }
    }
}

#[test]
fn assumptions_hand_integers_on() {
    let context = context();
    let text = "func.func @f(%l: !layout<(?,8):(1,?)>) -> (index, index, index, index) {
        %a = layout.assume %l : !layout<(?,8):(1,?)> to !layout<(?0{div=4},8):(1,?0)>
        %c = layout.coalesce %a : !layout<(?0{div=4},8):(1,?0)>
        %n = layout.size %c : !layout<8*?{div=4}:1>
        %s = layout.shape %l : !layout<(?,8):(1,?)>
        %t = layout.tuple_add %s, #layout<1> : !layout.tuple<(?{range=1..},8)>
        %u = layout.assume %t : !layout.tuple<(?{range=1..}+1,9)> to !layout.tuple<(?{i64},?)>
        %v:2 = layout.leaves %u : !layout.tuple<(?{i64},?)>
        %d = layout.depth %u : !layout.tuple<(?{i64},?)>
        return %n, %v#0, %v#1, %d : index, index, index, index
      }";
    assert_eq!(Engine::lowered(&context, text).call("f", &[12, 12], 4, false), [96, 13, 9, 1]);
}
