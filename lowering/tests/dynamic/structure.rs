//! Layouts, tuples and views through loops, branches, blocks and calls.

use crate::engine::{Engine, context};

const PROGRAM: &str = "
  func.func @count(%n: index) -> (index, index) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %0 = arith.constant 0 : i32
    %c = layout.make %0, %0 : (i32, i32) -> !layout.tuple<(?{range=0..3},?{range=0..8})>
    %r = scf.for %i = %zero to %n step %one iter_args(%b = %c) -> !layout.tuple<(?{range=0..3},?{range=0..8})> {
      %a = layout.increment_coord %b, #layout<(4,8)> : !layout.tuple<(?{range=0..3},?{range=0..8})>
      scf.yield %a : !layout.tuple<(?{range=0..3},?{range=0..8})>
    }
    %l:2 = layout.leaves %r : !layout.tuple<(?{range=0..3},?{range=0..8})>
    return %l#0, %l#1 : index, index
  }

  func.func @halve(%s: !layout<?:1>) -> (index, i64) {
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : i64
    %more = arith.constant 1 : i64
    %r:2 = scf.while (%a = %s, %n = %zero) : (!layout<?:1>, i64) -> (!layout<?:1>, i64) {
      %size = layout.size %a : !layout<?:1>
      %p = arith.cmpi sgt, %size, %one : index
      scf.condition(%p) %a, %n : !layout<?:1>, i64
    } do {
    ^bb0(%a: !layout<?:1>, %n: i64):
      %t = layout.shape %a : !layout<?:1>
      %h = layout.tuple_div %t, #layout<2> : !layout.tuple<?{range=1..}>
      %k = layout.assume %h : !layout.tuple<floor_div(?{range=1..},2)> to !layout.tuple<?{range=1..}>
      %l = layout.make_layout %k : !layout.tuple<?{range=1..}>
      %m = arith.addi %n, %more : i64
      scf.yield %l, %m : !layout<?:1>, i64
    }
    %size = layout.size %r#0 : !layout<?:1>
    return %size, %r#1 : index, i64
  }

  func.func @rows(%m: i32, %k: i32) -> (!layout<(?,?1):(?1,1)>, !layout<(4,8):(8,1)>) {
    %l = layout.make %m, %k : (i32, i32) -> !layout<(?,?1):(?1,1)>
    %c = layout.constant #layout<(4,8):(8,1)> : !layout<(4,8):(8,1)>
    return %l, %c : !layout<(?,?1):(?1,1)>, !layout<(4,8):(8,1)>
  }

  func.func @called(%c: i1, %m: i32, %k: i32, %i: index, %j: index) -> (index, index) {
    %l:2 = call @rows(%m, %k) : (i32, i32) -> (!layout<(?,?1):(?1,1)>, !layout<(4,8):(8,1)>)
    cf.cond_br %c, ^one(%l#0 : !layout<(?,?1):(?1,1)>), ^two
  ^two:
    %r:2 = call @rows(%k, %m) : (i32, i32) -> (!layout<(?,?1):(?1,1)>, !layout<(4,8):(8,1)>)
    cf.br ^one(%r#0 : !layout<(?,?1):(?1,1)>)
  ^one(%a: !layout<(?,?1):(?1,1)>):
    %o = layout.crd2idx %a(%i, %j) : !layout<(?,?1):(?1,1)>
    %p = layout.crd2idx %l#1(%i, %j) : !layout<(4,8):(8,1)>
    return %o, %p : index, index
  }

  func.func @element(%v: !layout.view<i64, host, (?):(?{range=1..})>, %i: index) -> i64 {
    %x = layout.load %v(%i) : !layout.view<i64, host, (?):(?{range=1..})>
    return %x : i64
  }

  func.func @column(%v: !layout.view<i64, host, (?,?1):(?1,1)>, %i: index, %j: index) -> i64 {
    %c = layout.slice %v(_, %j) : !layout.view<i64, host, (?,?1):(?1,1)>
    %x = call @element(%c, %i) : (!layout.view<i64, host, (?):(?{range=1..})>, index) -> i64
    return %x : i64
  }

  func.func @walk(%n: index, %i: index) -> index {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = layout.identity_tensor : !layout.view<index, coordinate, (8,4):(3,100)>
    %w = layout.slice %v(_, 0) : !layout.view<index, coordinate, (8,4):(3,100)>
    %r = scf.for %k = %zero to %n step %one iter_args(%b = %w) -> !layout.view<index, coordinate, (8):(3)> {
      %a = layout.slice %v(_, %k) : !layout.view<index, coordinate, (8,4):(3,100)>
      scf.yield %a : !layout.view<index, coordinate, (8):(3)>
    }
    %x = layout.load %r(%i) : !layout.view<index, coordinate, (8):(3)>
    return %x : index
  }
";

#[test]
fn values_go_through_control_flow_and_calls() {
    let context = context();
    let engine = Engine::lowered(&context, PROGRAM);
    for n in 0..=32 {
        assert_eq!(engine.call("count", &[n], 2, false), [n % 4, n / 4]);
    }
    for n in 1..40_i64 {
        assert_eq!(engine.call("halve", &[n], 2, false), [1, i64::from(n.ilog2())]);
    }
    for (choice, width) in [(1, 5), (0, 3)] {
        for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
            let found = engine.call("called", &[choice, 3, 5, i, j], 2, false);
            assert_eq!(found, [i * width + j, i * 8 + j]);
        }
    }
    let memory: Vec<i64> = (0..35).collect();
    for (i, j) in (0..5).flat_map(|i| (0..7).map(move |j| (i, j))) {
        let start = memory.as_ptr() as i64;
        assert_eq!(engine.call("column", &[start, 5, 7, i, j], 1, false), [7 * i + j]);
    }
    for (n, i) in (1..4).flat_map(|n| (0..8).map(move |i| (n, i))) {
        assert_eq!(engine.call("walk", &[n, i], 1, false), [100 * (n - 1) + 3 * i]);
    }
}
