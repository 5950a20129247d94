//! Swizzled and other partly static views: the pass is proved where it keeps them; elsewhere the message names what is
//! missing.

use super::{caught_in, run_on};
use expect_test::expect;

/// A load through a view of a layout.
fn load(layout: &str) -> String {
    format!(
        "func.func @at(%v: !layout.view<f32, host, {layout}>, %i: index, %j: index) -> f32 {{
          %0 = layout.load %v(%i, %j) : !layout.view<f32, host, {layout}>
          return %0 : f32
        }}"
    )
}

#[test]
fn partly_static_views_are_proved() {
    for layout in [
        "S<2,0,3> o 0 o (?{div=8},8):(8,1)",
        "S<2,0,3> o ? o (?{div=8},8):(8,1)",
        "S<3,3,3> o ?{div=512} o (?,64):(64,1)",
        "S<2,0,-3> o ?{range=0..1024} o (?,8):(?,1)",
        "(16,8):(8,1) o 0 o (8,8):(8,1)",
        "(16,8):(8,1) o 64 o (8,8):(-8,1)",
        "(?,8):(8,1) o 0 o (4,8):(8,1)",
        "(16,?):(?,1) o ? o (?,8):(8,1)",
    ] {
        assert_eq!(run_on(&load(layout), "layout-lower"), (true, vec![]), "{layout}");
    }
}

#[test]
fn parts_and_what_is_made_are_proved() {
    let kernel = "gpu.module @m { gpu.func @k(
        %v: !layout.view<f32, global, S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>,
        %u: !layout.view<f32, global, (?{range=2..64},8):(8,?{range=0..100}) o ?{range=0..3} o (?{range=1..8},8):(8,1)>,
        %w: !layout.view<f32, global, 64:1>) kernel {
      %i = gpu.thread_id x
      %s = layout.slice %v(%i, _) : !layout.view<f32, global, S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      %0 = layout.load %s(3) : !layout.view<f32, global, S<2,0,3> o ?{range=0..1024} o (8):(1)>
      layout.store %0, %w(%i) : !layout.view<f32, global, 64:1>
      %1 = layout.load %u(%i, 3) : !layout.view<f32, global, (?{range=2..64},8):(8,?{range=0..100}) o ?{range=0..3} o (?{range=1..8},8):(8,1)>
      layout.store %1, %w(%i) : !layout.view<f32, global, 64:1>
      gpu.return
    } }";
    let made = "func.func @made(%p: !llvm.ptr, %l: !layout<S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>,
                    %m: !layout<S<2,0,3> o 4 o (8,8):(8,1)>, %i: index, %j: index) -> (f32, i32, f32) {
      %v = layout.make_view %p, %l of f32 : !llvm.ptr, !layout<S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      %t = layout.local_tile %v(%i, 0), #layout<(4,4)> : !layout.view<f32, host, S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      %0 = layout.load %t(%j, 1) : !layout.view<f32, host, S<2,0,3> o ?{range=0..1024} o (4,4):(8,1)>
      %r = layout.recast %v to i32 : !layout.view<f32, host, S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      %1 = layout.load %r(%j, 1) : !layout.view<i32, host, S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      %w = layout.make_view %p, %m of f32 : !llvm.ptr, !layout<S<2,0,3> o 4 o (8,8):(8,1)>
      %2 = layout.load %w(%j, 1) : !layout.view<f32, host, S<2,0,3> o 4 o (8,8):(8,1)>
      layout.print %l : !layout<S<2,0,3> o ?{range=0..1024} o (?{div=8},8):(8,1)>
      return %0, %1, %2 : f32, i32, f32
    }";
    for program in [kernel, made] {
        assert_eq!(run_on(program, "layout-lower"), (true, vec![]), "{program}");
    }
}

#[test]
fn another_swizzle_is_caught() {
    caught_in(
        &load("S<2,0,3> o ? o (?{div=8},8):(8,1)"),
        "test-lower-other-swizzle",
        expect!["'arith.constant' op failed to verify that all of {value, result} have same type"],
    );
}

#[test]
fn what_is_missing_is_named() {
    let called = "func.func private @part() -> !layout.view<f32, host, (?,8):(8,1)>
    func.func @caller() -> f32 {
      %0 = func.call @part() : () -> !layout.view<f32, host, (?,8):(8,1)>
      %1 = layout.load %0(0, 3) : !layout.view<f32, host, (?,8):(8,1)>
      return %1 : f32
    }";
    let digits = "func.func @digits(%p: !llvm.ptr, %l: !layout<(?,8):(8,1) o 0 o (?,8):(8,1)>, %i: index) -> f32 {
      %v = layout.make_view %p, %l of f32 : !llvm.ptr, !layout<(?,8):(8,1) o 0 o (?,8):(8,1)>
      %0 = layout.load %v(%i, 3) : !layout.view<f32, host, (?,8):(8,1) o 0 o (?,8):(8,1)>
      return %0 : f32
    }";
    let results = [called, digits].map(|program| run_on(program, "layout-lower"));
    expect![[r#"
        [
            (
                true,
                [
                    "layout-lower: 2 not proved, 0 proved; first: an access to a view (the result of func.call is unknown) in @caller",
                ],
            ),
            (
                true,
                [
                    "layout-lower: 2 not proved, 0 proved; first: an address of llvm.load (the result of arith.divui is unknown) in @digits",
                ],
            ),
        ]
    "#]].assert_eq(&format!("{results:#?}\n"));
}
