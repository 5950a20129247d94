//! Numbers that a function returns or passes on, known or not: proved where passes keep them, and caught
//! where one that is broken on purpose does not.

use super::{caught_in, run_on};
use expect_test::expect;

#[test]
fn a_number_that_is_returned_is_compared() {
    let program = "func.func @row(%l: !layout<(?{range=1..64},8):(8,1)>, %i: index) -> index {
      %x = layout.crd2idx %l(%i, 3) : !layout<(?{range=1..64},8):(8,1)>
      return %x : index
    }";
    assert_eq!(run_on(program, "layout-lower,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-index",
        expect![
            "test-lower-other-index: expected 411 as value 0 of func.return in @row, found 1278 (integer 1 of the arguments = 51)"
        ],
    );
}

#[test]
fn a_number_without_bounds_is_proved() {
    let program = "func.func @odd(%i: index) -> index {
      %l = layout.constant #layout<(3,8):(10,1)> : !layout<(3,8):(10,1)>
      %x = layout.crd2idx %l(%i) : !layout<(3,8):(10,1)>
      return %x : index }";
    assert_eq!(run_on(program, "layout-lower,canonicalize,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-index",
        expect![
            "test-lower-other-index: expected 32 as value 0 of func.return in @odd, found 62 (integer 0 of the arguments = 38)"
        ],
    );
}

#[test]
fn another_part_of_a_swizzled_view_is_caught() {
    let program = "func.func private @use(!layout.view<f16, host, S<3,3,3> o 0 o (64):(1)>)
    func.func @part(%v: !layout.view<f16, host, S<3,3,3> o 0 o (8,64):(65,1)>, %i: index) {
      %r = layout.slice %v(%i, _) : !layout.view<f16, host, S<3,3,3> o 0 o (8,64):(65,1)>
      func.call @use(%r) : (!layout.view<f16, host, S<3,3,3> o 0 o (64):(1)>) -> ()
      return }";
    assert_eq!(run_on(program, "layout-lower,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-index",
        expect![
            "test-lower-other-index: expected 2665 as value 1 of func.call in @part, found 1025 (integer 0 of the arguments = 0, integer 1 of the arguments = 41)"
        ],
    );
}

/// A digit is a logical shift, whatever the sign of the index.
#[test]
fn a_shift_of_a_number_whose_sign_is_not_known_is_proved() {
    let program = "func.func @powers(%i: index, %l: !layout<(8,(16,?)):(?,(?,?))>) -> index {
      %o = layout.crd2idx %l(%i) : !layout<(8,(16,?)):(?,(?,?))>
      return %o : index }";
    assert_eq!(run_on(program, "layout-lower,canonicalize,cse,layout-simplify"), (true, vec![]));
    caught_in(
        program,
        "test-lower-other-shift",
        expect![
            "test-lower-other-shift: expected -13354872372 as value 0 of func.return in @powers, found -9898661658 (integer 0 of the arguments = 51, integer 2 of the arguments = -2147483648, integer 3 of the arguments = -1152070238, integer 4 of the arguments = -2147483648)"
        ],
    );
}

/// Words of 64 bits, read as unsigned: quotients, remainders, comparisons, the lesser and the greater.
#[test]
fn words_without_a_sign_are_proved() {
    let program =
        "func.func @words(%i: index, %j: index) -> (index, index, index, i1, i1, index, index) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c8 = arith.constant 8 : index
      %c12 = arith.constant 12 : index
      %eighth = arith.divui %i, %c8 : index
      %digit = arith.remui %eighth, %c12 : index
      %rest = arith.remui %i, %c8 : index
      %whole = arith.muli %eighth, %c8 : index
      %same = arith.addi %whole, %rest : index
      %half = arith.shrui %j, %c1 : index
      %other = arith.divui %j, %c2 : index
      %halves = arith.addi %half, %other : index
      %twelfth = arith.divui %i, %c12 : index
      %less = arith.cmpi ult, %twelfth, %c3 : index
      %more = arith.cmpi uge, %i, %j : index
      %least = arith.minui %i, %c12 : index
      %most = arith.maxui %i, %j : index
      return %digit, %same, %halves, %less, %more, %least, %most
          : index, index, index, i1, i1, index, index }";
    let passes = "layout-simplify,canonicalize,cse,layout-simplify";
    assert_eq!(run_on(program, passes), (true, vec![]));
    let program = program.replace("cmpi ult, %twelfth", "cmpi ult, %half");
    assert_eq!(run_on(&program, passes), (true, vec![]));
}
