//! Composed layouts, and coordinate layouts, at every coordinate; and
//! parts of views under a swizzle that calls and loops pass on.

use crate::{
    engine::{Engine, context},
    leaves, result_type,
    support::at_values,
};
use layout_algebra::{Nested, Term, Value};
use layout_dialect::TermValue;

fn value(text: &str) -> Value {
    let value = Term::parse(text).and_then(|term| term.eval());
    value.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn integers(text: &str) -> Vec<i64> {
    let known = leaves(&TermValue::Static(value(text)));
    known.into_iter().map(|leaf| leaf.expect("an integer")).collect()
}

/// Layouts, and values for their integers.
const COMPOSED: &[(&str, &[&[i64]])] = &[
    ("S<2,0,3> o 0 o (?,8):(8,1)", &[&[1], &[7]]),
    ("S<3,3,3> o ?{div=8} o (?{range=1..64},64):(64,1)", &[&[0, 3], &[8, 2], &[136, 1]]),
    ("S<2,1,-3> o 4 o (?,(2,?1)):(?{range=0..64},(1,2))", &[&[3, 5, 20], &[1, 1, 64]]),
    ("(4,8):(8,1) o 1 o (?,2):(2,?{range=0..9})", &[&[5, 3], &[2, 9]]),
    ("(4,?0):(?0,1) o 0 o (?,2):(2,1)", &[&[6, 5], &[1, 3]]),
    ("S<1,0,1> o 4294967296 o (?,4):(4,1)", &[&[3]]),
    ("S<2,0,2> o 3 o (4,4):(4,1)", &[&[]]),
    ("S<1,0,-40> o 0 o 4:1", &[&[]]),
    ("(4,4):(4,1) o 0 o (2,2):(1,5)", &[&[]]),
    ("(4,4):(4,1000000000000) o 2 o (3,4):(1,5)", &[&[]]),
    // Below 0, where the layout outside divides towards 0, and where a swizzle sees every bit.
    ("(4,4):(4,1) o 3 o 4:-2", &[&[]]),
    ("(3,4):(4,1) o 7 o (4,3):(-2,-1)", &[&[]]),
    ("S<1,0,1> o 7 o 4:-2", &[&[]]),
    ("S<2,0,2> o 9 o (4,4):(-5,1)", &[&[]]),
];

#[test]
fn nested_offsets_are_right_everywhere() {
    let context = context();
    let mut text = String::new();
    for (i, (layout, _)) in COMPOSED.iter().enumerate() {
        let r#type = format!("!layout<{}>", TermValue::parse(layout).expect("a layout"));
        text.push_str(&format!(
            "func.func @at{i}(%l: {type}, %i: index) -> (index, index) {{
               %o = layout.crd2idx %l(%i) : {type}
               %n = layout.size %l : {type}
               return %o, %n : index, index
             }}\n"
        ));
    }
    let engine = Engine::lowered(&context, &text);
    let mut compared = 0;
    for (i, (text, points)) in COMPOSED.iter().enumerate() {
        let canonical = TermValue::parse(text).expect("a layout").to_string();
        for values in *points {
            let layout = at_values(&canonical, &mut values.iter());
            let Value::Int(size) = value(&format!("size({layout})")) else { panic!("{layout}") };
            for index in 0..size {
                let arguments = [*values, &[index]].concat();
                let found = engine.call(&format!("at{i}"), &arguments, 2, false);
                let Value::Int(offset) = value(&format!("crd2idx({index}, {layout})")) else {
                    panic!("{layout}")
                };
                assert_eq!(found, [offset, size], "{layout} at {index}");
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "only {compared} were compared");
}

/// Coordinate layouts, values for their integers, and coordinates of two indices.
const COORDINATES: &[(&str, &[&[i64]])] = &[
    ("(?,8):(1@0,1@1)", &[&[1], &[5]]),
    ("(?,?):(?@1,1@0)", &[&[3, 4, 7], &[1, 2, -5]]),
    ("((2,?),4):((1@0@0,2@0@0),?{i64}@1)", &[&[3, 1 << 33]]),
    ("zipped_divide((?,?):(1@0,1@1), (4,8))", &[&[9, 20]]),
    ("(4,8):(1@0,2@1@1)", &[&[]]),
];

#[test]
fn coordinates_are_mapped_to_coordinates() {
    let context = context();
    for (text, points) in COORDINATES {
        let layout = TermValue::parse(text).expect("a layout").to_string();
        let r#type = format!("!layout<{layout}>");
        let program = |results: &str, rest: &str| {
            format!(
                "func.func @f(%l: {type}, %i: index, %j: index){results} {{
                   %c = layout.crd2idx %l(%i, %j) : {type}
                   {rest}
                 }}"
            )
        };
        let found = result_type(&context, &program("", "return"), "crd2idx");
        let inside = found.strip_prefix("!layout.tuple<").and_then(|text| text.strip_suffix('>'));
        let count = leaves(&TermValue::parse(inside.expect("a tuple")).expect("a tuple")).len();
        let names: Vec<_> = (0..count).map(|i| format!("%n#{i}")).collect();
        let types = vec!["index"; count].join(", ");
        let rest = format!(
            "%n:{count} = layout.leaves %c : {found}\n return {} : {types}",
            names.join(", ")
        );
        let text = program(&format!(" -> ({types})"), &rest);
        let engine = Engine::lowered(&context, &text);
        for values in *points {
            let known = at_values(&layout, &mut values.iter());
            let Value::Tuple(Nested::Node(shape)) = value(&format!("shape({known})")) else {
                panic!("{known}")
            };
            let size = |mode: usize| shape[mode].product().expect("a size");
            for (i, j) in (0..size(0)).flat_map(|i| (0..size(1)).map(move |j| (i, j))) {
                let arguments = [*values, &[i, j]].concat();
                let expected = integers(&format!("crd2idx(({i},{j}), {known})"));
                let found = engine.call("f", &arguments, count, false);
                assert_eq!(found, expected, "{known} at {i}, {j}");
            }
        }
    }
}

const PARTS: &str = "
  !row = !layout.view<i64, host, S<2,0,3> o 0 o (8):(1)>
  !whole = !layout.view<i64, host, S<2,0,3> o 0 o (8,8):(8,1)>
  !rows = !layout.view<i64, host, S<2,0,3> o 0 o (?,8):(8,1)>
  !ids = !layout.view<index, coordinate, S<2,0,3> o 0 o (8,8):(8,1)>
  !column = !layout.view<index, coordinate, S<2,0,3> o 0 o (8):(8)>

  func.func @element(%v: !row, %i: index) -> i64 {
    %x = layout.load %v(%i) : !row
    return %x : i64
  }
  func.func @of_whole(%v: !whole, %i: index, %j: index) -> i64 {
    %r = layout.slice %v(%i, _) : !whole
    %x = call @element(%r, %j) : (!row, index) -> i64
    return %x : i64
  }
  func.func @of_part(%p: !llvm.ptr, %m: i32, %i: index, %j: index) -> i64 {
    %l = layout.make %m : (i32) -> !layout<S<2,0,3> o 0 o (?,8):(8,1)>
    %v = layout.make_view %p, %l of i64 : !llvm.ptr, !layout<S<2,0,3> o 0 o (?,8):(8,1)>
    %r = layout.slice %v(%i, _) : !rows
    %x = call @element(%r, %j) : (!row, index) -> i64
    return %x : i64
  }
  func.func @returned(%v: !rows, %i: index) -> !row {
    %r = layout.slice %v(%i, _) : !rows
    return %r : !row
  }
  func.func @of_returned(%v: !rows, %i: index, %j: index) -> i64 {
    %r = call @returned(%v, %i) : (!rows, index) -> !row
    %x = layout.load %r(%j) : !row
    return %x : i64
  }
  func.func @walk(%n: index, %i: index) -> index {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = layout.identity_tensor : !ids
    %w = layout.slice %v(_, 0) : !ids
    %r = scf.for %k = %zero to %n step %one iter_args(%b = %w) -> !column {
      %a = layout.slice %v(_, %k) : !ids
      scf.yield %a : !column
    }
    %x = layout.load %r(%i) : !column
    return %x : index
  }
  func.func @composed(%v: !layout.view<i64, host, (?,8):(1,?) o ? o (8):(1)>, %i: index) -> i64 {
    %x = layout.load %v(%i) : !layout.view<i64, host, (?,8):(1,?) o ? o (8):(1)>
    return %x : i64
  }
  func.func @of_composed(%v: !layout.view<i64, host, (?,8):(1,?) o ? o (?,8):(8,1)>, %i: index, %j: index) -> i64 {
    %r = layout.slice %v(%i, _) : !layout.view<i64, host, (?,8):(1,?) o ? o (?,8):(8,1)>
    %x = call @composed(%r, %j) : (!layout.view<i64, host, (?,8):(1,?) o ? o (8):(1)>, index) -> i64
    return %x : i64
  }
  func.func @walk_composed(%l: !layout<(?,8):(1,?) o ? o (8,8):(8,1)>, %n: index, %i: index) -> index {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = layout.identity_tensor of %l : !layout<(?,8):(1,?) o ? o (8,8):(8,1)> -> !layout.view<index, coordinate, (?,8):(1,?) o ? o (8,8):(8,1)>
    %w = layout.slice %v(_, 0) : !layout.view<index, coordinate, (?,8):(1,?) o ? o (8,8):(8,1)>
    %r = scf.for %k = %zero to %n step %one iter_args(%b = %w) -> !layout.view<index, coordinate, (?,8):(1,?) o ? o (8):(8)> {
      %a = layout.slice %v(_, %k) : !layout.view<index, coordinate, (?,8):(1,?) o ? o (8,8):(8,1)>
      scf.yield %a : !layout.view<index, coordinate, (?,8):(1,?) o ? o (8):(8)>
    }
    %x = layout.load %r(%i) : !layout.view<index, coordinate, (?,8):(1,?) o ? o (8):(8)>
    return %x : index
  }
  func.func @coordinate_offset(%a: !layout<(?,8):(8,?)>, %o: !layout.tuple<(?,?)>, %m: !layout<(2,3):(1@0,1@1)>, %i: index, %j: index) -> index {
    %c = layout.make_composed_layout %a : !layout<(?,8):(8,?)>, %o : !layout.tuple<(?,?)>, %m : !layout<(2,3):(1@0,1@1)>
    %x = layout.crd2idx %c(%i, %j) : !layout<S<0,0,0> o ?0*?+8*? o (2,3):(8,?0)>
    return %x : index
  }
  func.func @equal(%a: !layout<S<2,0,3> o ? o (?,8):(8,1)>, %b: !layout<S<2,0,3> o 4 o (?,8):(?,1)>) -> i1 {
    %t = layout.equal %a, %b : !layout<S<2,0,3> o ? o (?,8):(8,1)>, !layout<S<2,0,3> o 4 o (?,8):(?,1)>
    return %t : i1
  }
  func.func @strides(%a: !layout<(?,8):(?@0,1@1)>, %b: !layout.tuple<?@0>) -> (index, index, index, index) {
    %s = layout.stride %a : !layout<(?,8):(?@0,1@1)>
    %t = layout.append %s, %b : !layout.tuple<(?@0,1@1)>, !layout.tuple<?@0>
    %n:3 = layout.leaves %t : !layout.tuple<(?@0,1@1,?@0)>
    %g = layout.get %s, [0] : !layout.tuple<(?@0,1@1)>
    %e = layout.equal %g, %b : !layout.tuple<?@0>, !layout.tuple<?@0>
    %same = arith.index_castui %e : i1 to index
    return %n#0, %n#1, %n#2, %same : index, index, index, index
  }
  func.func @grouped(%a: !layout<(?,4,8):(?@0,2@1,8@1)>, %i: index, %j: index) -> (index, index) {
    %g = layout.group %a, 1 to 3 : !layout<(?,4,8):(?@0,2@1,8@1)>
    %c = layout.crd2idx %g(%i, %j) : !layout<(?,(4,8)):(?@0,(2@1,8@1))>
    %n:2 = layout.leaves %c : !layout.tuple<(?*?{i64 range=0..},2*?{i64 range=0..})>
    return %n#0, %n#1 : index, index
  }
  func.func @same(%a: !layout<(?,8):(?@0,1@1)>, %b: !layout<(4,8):(1@0,?@1)>) -> i1 {
    %t = layout.equal %a, %b : !layout<(?,8):(?@0,1@1)>, !layout<(4,8):(1@0,?@1)>
    return %t : i1
  }
";

#[test]
fn parts_are_passed_on() {
    let context = context();
    let engine = Engine::lowered(&context, PARTS);
    let memory: Vec<i64> = (0..64).collect();
    let start = memory.as_ptr() as i64;
    for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
        let expected = integers(&format!("crd2idx(({i},{j}), S<2,0,3> o 0 o (8,8):(8,1))"));
        // A pointer, the offset before the swizzle, and the integers of the layout.
        assert_eq!(engine.call("of_whole", &[start, 0, i, j], 1, false), expected, "{i}, {j}");
        assert_eq!(engine.call("of_part", &[start, 8, i, j], 1, false), expected, "{i}, {j}");
        let arguments = [start, 0, 8, i, j];
        assert_eq!(engine.call("of_returned", &arguments, 1, false), expected, "{i}, {j}");
        assert_eq!(engine.call("walk", &[j + 1, i], 1, false), expected, "{i}, {j}");
        // The extent and the stride of the layout outside, the offset before it, and an extent.
        let layout = "(6,8):(1,6) o 3 o (5,8):(8,1)";
        if i < 5 {
            let expected = integers(&format!("crd2idx(({i},{j}), {layout})"));
            let arguments = [start, 3, 6, 6, 3, 5, i, j];
            assert_eq!(engine.call("of_composed", &arguments, 1, false), expected, "{i}, {j}");
            let arguments = [6, 6, 3, j + 1, i];
            assert_eq!(engine.call("walk_composed", &arguments, 1, false), expected, "{i}, {j}");
        }
    }
    for (values, same) in
        [([4, 3, 3, 8], 1), ([5, 3, 3, 8], 0), ([4, 3, 2, 8], 0), ([4, 3, 3, 9], 0)]
    {
        assert_eq!(engine.call("equal", &values, 1, true), [same], "{values:?}");
    }
    // The extent and the stride of the outer layout, and the coordinate.
    for (i, j) in (0..2).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let layout = "(6,8):(8,3) o (2,4) o (2,3):(1@0,1@1)";
        let expected = integers(&format!("crd2idx(({i},{j}), {layout})"));
        let found = engine.call("coordinate_offset", &[6, 3, 2, 4, i, j], 1, false);
        assert_eq!(found, expected, "{i}, {j}");
    }
    // Strides into coordinates are tuples of their multiples.
    assert_eq!(engine.call("strides", &[4, 7, 9], 4, false), [7, 1, 9, 0]);
    assert_eq!(engine.call("strides", &[4, 7, 7], 4, false), [7, 1, 7, 1]);
    for (i, j) in (0..4).flat_map(|i| (0..32).map(move |j| (i, j))) {
        let expected = integers(&format!("crd2idx(({i},{j}), (4,(4,8)):(3@0,(2@1,8@1)))"));
        assert_eq!(engine.call("grouped", &[4, 3, i, j], 2, false), expected, "{i}, {j}");
    }
    for (values, same) in [([4, 1, 1], 1), ([4, 2, 1], 0), ([5, 1, 1], 0), ([4, 1, 2], 0)] {
        assert_eq!(engine.call("same", &values, 1, true), [same], "{values:?}");
    }
}
