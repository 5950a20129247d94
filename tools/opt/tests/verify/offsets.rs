//! Offsets in partly static layouts, inside loops and branches: an operation that is carried out there says that its
//! coordinates are in range, there and not elsewhere.

use super::{run_on, words::compared};
use layout_passes::Validated;

const TYPES: &str = "
!rows = !layout<(?0{range=1..4096},?1{range=1..4096}):(?1,1)>
!columns = !layout<(?0{range=1..4096},?1{range=1..4096}):(1,?0)>
!shape = !layout.tuple<(?{range=1..4096},?{range=1..4096})>
!out = !layout.view<i32, global, 16:1>
";

/// A function with a store of the number `%x`, which some operations compute, in a loop or a branch.
fn program(around: &str, operations: &str) -> String {
    let store = "%w = arith.index_cast %x : index to i32\n layout.store %w, %out(0) : !out";
    format!(
        "{TYPES} func.func @f(%a: !rows, %b: !columns, %e: index, %n: index, %p: i1, %out: !out) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %s = layout.shape %b : !columns
           {around} {{
             {operations}
             {store}
           }}
           return }}"
    )
}

const LOOP: &str = "scf.for %i = %c0 to %n step %c1";
const BRANCH: &str = "scf.if %p";

/// Both coordinates of a number, in the layout that counts as the shape does.
const OFFSET: &str = "%c:2 = layout.idx2crd %e, %s : !shape
    %x = layout.crd2idx %b(%c#0, %c#1) : !columns";

/// The number itself, as 32 bits hold it.
const NUMBER: &str = "%t = arith.index_cast %e : index to i32
    %x = arith.index_cast %t : i32 to index";

#[test]
fn an_offset_in_a_loop_is_proved() {
    for layout in ["%b(%c#0, %c#1) : !columns", "%a(%c#0, %c#1) : !rows"] {
        let offset = OFFSET.replace("%b(%c#0, %c#1) : !columns", layout);
        let counted = offset.replace("%e,", "%i,");
        for operations in [&offset, &counted] {
            let program = program(LOOP, operations);
            let passes = "layout-simplify{arithmetic=false},layout-lower,layout-simplify";
            assert_eq!(run_on(&program, passes), (true, vec![]), "{program}");
        }
    }
}

#[test]
fn an_offset_in_a_branch_is_in_range_there() {
    let before = program("%c2 = arith.cmpi slt, %n, %c1 : index\n scf.if %c2", OFFSET);
    let after = before.replace(OFFSET, NUMBER);
    assert_eq!(compared(&before, &after), Validated::default());
}

#[test]
fn an_offset_in_a_branch_implies_nothing_after_it() {
    let stored = |number: &str| {
        let condition = format!("%c2 = arith.cmpi slt, %n, %c1 : index\n {BRANCH}");
        let condition = condition.replace("%p", "%c2");
        let program = program(&condition, OFFSET);
        let store = format!("{number}\n layout.store %y, %out(1) : !out\n return");
        program.replace("return", &store)
    };
    // The lowest 32 bits, and what is left of them where the number is no greater than the shape.
    let before = stored("%y = arith.index_cast %e : index to i32");
    let after = stored(
        "%m = arith.constant 16777215 : i32\n %z = arith.index_cast %e : index to i32
         %y = arith.andi %z, %m : i32",
    );
    assert_eq!(compared(&before, &before), Validated::default());
    assert_ne!(compared(&before, &after), Validated::default());
}
