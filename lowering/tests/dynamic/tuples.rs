//! Tuples as coordinates, and counting through them.

use crate::engine::{Engine, context};
use layout_algebra::Layout;

#[test]
fn counting_goes_through_every_coordinate() {
    let context = context();
    let text = "func.func @f(%c: !layout.tuple<(?,(?,?))>, %s: !layout.tuple<(?,(?,?))>) -> (index, index, index) {
        %n = layout.increment_coord %c, %s : !layout.tuple<(?,(?,?))>, !layout.tuple<(?,(?,?))>
        %l:3 = layout.leaves %n : !layout.tuple<(?{range=0..2147483646},(?{range=0..2147483646},?{range=0..2147483647}))>
        return %l#0, %l#1, %l#2 : index, index, index
      }
      func.func @known(%c: !layout.tuple<(?,2,?)>) -> (index, index, index) {
        %n = layout.increment_coord %c, #layout<(4,3,5)> : !layout.tuple<(?,2,?)>
        %l:3 = layout.leaves %n : !layout.tuple<(?{range=0..3},?{range=0..2},?{range=0..5})>
        return %l#0, %l#1, %l#2 : index, index, index
      }";
    let engine = Engine::lowered(&context, text);
    for shape in [[3, 4, 5], [1, 7, 2], [2, 1, 1]] {
        let mut coord = vec![0, 0, 0];
        for index in 1..=shape.iter().product() {
            coord = engine.call("f", &[coord.as_slice(), &shape].concat(), 3, false);
            // The last one continues to its extent.
            let expected =
                [index % shape[0], index / shape[0] % shape[1], index / (shape[0] * shape[1])];
            assert_eq!(coord, expected, "{index} of {shape:?}");
        }
    }
    for (i, k) in (0..4).flat_map(|i| (0..5).map(move |k| (i, k))) {
        let expected = if i < 3 { [i + 1, 2, k] } else { [0, 0, k + 1] };
        assert_eq!(engine.call("known", &[i, k], 3, false), expected);
    }
}

#[test]
fn tuples_stand_for_their_entries() {
    let context = context();
    let text = "func.func @partly(%l: !layout<((?,4),?):((1,?),?)>, %t: !layout.tuple<(?,?)>, %k: index) -> index {
        %o = layout.crd2idx %l(%t, %k) : !layout<((?,4),?):((1,?),?)>, !layout.tuple<(?,?)>, index
        return %o : index
      }
      func.func @known(%t: !layout.tuple<(?,?)>, %k: index) -> index {
        %l = layout.constant #layout<((3,4),5):((1,3),12)> : !layout<((3,4),5):((1,3),12)>
        %o = layout.crd2idx %l(%t, %k) : !layout<((3,4),5):((1,3),12)>, !layout.tuple<(?,?)>, index
        return %o : index
      }
      func.func @view(%v: !layout.view<i64, host, ((3,4),5):((1,3),12)>, %t: !layout.tuple<(_,?)>, %i: index, %k: index) -> i64 {
        %s = layout.slice %v(%t, _) : !layout.view<i64, host, ((3,4),5):((1,3),12)>, !layout.tuple<(_,?)>
        %x = layout.load %s(%i, %k) : !layout.view<i64, host, (3,5):(1,12)>
        return %x : i64
      }";
    let engine = Engine::lowered(&context, text);
    let layout: Layout = "((3,4),5):((1,3),12)".parse().expect("a layout");
    let memory: Vec<i64> = (0..60).collect();
    for index in 0..60 {
        let (i, j, k) = (index % 3, index / 3 % 4, index / 12);
        let expected = [layout.at(index).expect("an offset")];
        assert_eq!(engine.call("partly", &[3, 5, 3, 12, i, j, k], 1, false), expected);
        assert_eq!(engine.call("known", &[i, j, k], 1, false), expected);
        let start = memory.as_ptr() as i64;
        assert_eq!(engine.call("view", &[start, j, i, k], 1, false), expected);
    }
}

#[test]
fn comparisons_are_right_in_both_answers() {
    let context = context();
    let text = "func.func @f(%a: !layout<(?,3):(?,?)>, %b: !layout<(?,3):(?,1)>) -> i1 {
        %p = layout.equal %a, %b : !layout<(?,3):(?,?)>, !layout<(?,3):(?,1)>
        return %p : i1
      }
      func.func @one(%a: !layout<(?,?):(?,?)>, %b: !layout<?:?>) -> i1 {
        %p = layout.equal %a, %b : !layout<(?,?):(?,?)>, !layout<?:?>
        return %p : i1
      }";
    let engine = Engine::lowered(&context, text);
    let values = |layout: &Layout| -> Vec<i64> {
        (0..layout.size()).map(|i| layout.at(i).expect("an offset")).collect()
    };
    let layout = |text: String| -> Layout { text.parse().expect("a layout") };
    let mut equal = 0;
    for point in 0..243_i64 {
        let [a, b, c, d, e] = [1, 3, 9, 27, 81].map(|place| point / place % 3);
        let left = layout(format!("({},3):({b},{c})", a + 1));
        let right = layout(format!("({},3):({e},1)", d + 1));
        let expected = i64::from(values(&left) == values(&right));
        let found = engine.call("f", &[a + 1, b, c, d + 1, e], 1, true);
        assert_eq!(found, [expected], "{left} and {right}");
        equal += expected;
        let left = layout(format!("({},{}):({c},{})", a + 1, b + 1, d));
        let right = layout(format!("{}:{c}", (a + 1) * (b + 1)));
        let expected = i64::from(values(&left) == values(&right));
        let size = (a + 1) * (b + 1);
        let found = engine.call("one", &[a + 1, b + 1, c, d, size, c], 1, true);
        assert_eq!(found, [expected], "{left} and {right}");
        equal += expected;
    }
    assert!(equal > 20, "only {equal} were equal");
}
