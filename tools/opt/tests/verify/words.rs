//! Words of few bits, loops of each kind, launches and barriers: what changes them is never proved right.

use super::context;
use layout_passes::{Validated, compare_programs};
use melior::ir::Module;

pub(super) fn compared(before: &str, after: &str) -> Validated {
    let context = context();
    let [before, after] = [before, after]
        .map(|text| Module::parse(&context, text).unwrap_or_else(|| panic!("{text}")));
    compare_programs(before.as_operation(), after.as_operation())
}

/// The function `@f` of a view, an index and a word, with this body.
pub(super) fn kernel(body: &str) -> String {
    format!(
        "gpu.module @m {{ gpu.func @f(%v: !layout.view<f32, global, 512:1>, %f: f32, %x: index, %w: i32) kernel
             attributes {{known_block_size = array<i32: 64, 1, 1>}} {{
           %t = gpu.thread_id x
           %0 = arith.constant 0 : index
           %1 = arith.constant 1 : index
           %s = layout.alloc : !layout.view<f32, shared, 64:1>
           {body}
           gpu.return }} }}"
    )
}

const STORE: &str = "layout.store %f, %v(%i) : !layout.view<f32, global, 512:1>";

/// The changed body is refuted, or not decided, and the body itself is proved.
fn differs(before: &str, after: &str) -> Validated {
    let [before, after] = [before, after].map(kernel);
    assert_eq!(compared(&before, &before), Validated::default(), "{before}");
    let found = compared(&before, &after);
    assert_ne!(found, Validated::default(), "{before}\nbecame\n{after}");
    found
}

fn refuted(before: &str, after: &str) {
    let found = differs(before, after);
    assert!(!found.refuted.is_empty(), "{before}\nbecame\n{after}: {found:?}");
}

#[test]
fn a_loop_without_a_sign_runs() {
    let unsigned = |index: &str| {
        format!(
            "%a = arith.constant 0 : i32
             %b = arith.constant -16777216 : i32
             %c = arith.constant 16777216 : i32
             %d = arith.constant 24 : i32
             scf.for unsigned %k = %a to %b step %c : i32 {{
               %q = arith.shrui %k, %d : i32
               %p = arith.index_cast %q : i32 to index
               %i = {index}
               {STORE}
             }}"
        )
    };
    refuted(&unsigned("arith.addi %p, %0 : index"), &unsigned("arith.constant 0 : index"));
    refuted(&unsigned("arith.addi %p, %0 : index"), &unsigned("arith.addi %p, %1 : index"));
}

#[test]
fn a_loop_keeps_its_sign() {
    let run = |sign: &str| {
        format!(
            "%a = arith.constant 0 : i8
             %b = arith.constant -56 : i8
             %c = arith.constant 50 : i8
             scf.for {sign} %k = %a to %b step %c : i8 {{
               %i = arith.index_castui %k : i8 to index
               {STORE}
             }}"
        )
    };
    differs(&run("unsigned"), &run(""));
}

/// 0, 100, then -56: a counter of 8 bits wraps around.
#[test]
fn a_counter_that_wraps_around_has_any_number() {
    let run = |index: &str| {
        format!(
            "%a = arith.constant 0 : i8
             %b = arith.constant 127 : i8
             %c = arith.constant 100 : i8
             scf.for %k = %a to %b step %c : i8 {{
               %m = arith.maxsi %k, %a : i8
               %i = arith.index_cast {index} : i8 to index
               {STORE}
             }}"
        )
    };
    refuted(&run("%m"), &run("%k"));
}

/// 100, -106 and so on: a sum of 8 bits wraps around.
#[test]
fn a_sum_that_is_carried_wraps_around() {
    let run = |index: &str| {
        format!(
            "%a = arith.constant 100 : i8
             %c = arith.constant 50 : i8
             %4 = arith.constant 4 : index
             %wide = arith.constant 100 : index
             %by = arith.constant 50 : index
             %r = scf.for %j = %0 to %4 step %1 iter_args(%k = %a) -> i8 {{
               %q = arith.extui %k : i8 to i32
               %u = arith.index_cast %q : i32 to index
               %n = arith.muli %j, %by : index
               %e = arith.addi %n, %wide : index
               %i = arith.addi {index}, %0 : index
               {STORE}
               %next = arith.addi %k, %c : i8
               scf.yield %next : i8
             }}"
        )
    };
    // 100, 150, 200 and 250 are the same as unsigned ones; one step more is not.
    let more = |text: String| text.replace("%4 = arith.constant 4", "%4 = arith.constant 5");
    refuted(&more(run("%u")), &more(run("%e")));
}

#[test]
fn a_bit_has_the_sign_of_minus_one() {
    let run = |index: &str| {
        format!(
            "%c = arith.cmpi eq, %t, %0 : index
             %n = {index}
             %i = arith.subi %1, %n : index
             {STORE}"
        )
    };
    let signed = run("arith.index_cast %c : i1 to index");
    let unsigned = run("arith.index_castui %c : i1 to index");
    refuted(&signed, &unsigned);
    refuted(&unsigned, &signed);
    let order = |sign: &str| {
        format!(
            "%c = arith.cmpi eq, %t, %0 : index
             %d = arith.cmpi eq, %t, %1 : index
             %b = arith.cmpi {sign}, %c, %d : i1
             scf.if %b {{ %i = arith.addi %t, %0 : index
               {STORE} }}"
        )
    };
    refuted(&order("slt"), &order("ult"));
    refuted(&order("ult"), &order("slt"));
}

/// At the edges of each width: what does not fit is forgotten, with the sign that the cast says.
#[test]
fn casts_forget_what_does_not_fit() {
    for bits in [8, 16, 32] {
        let run = |back: &str| {
            format!(
                "%n = arith.index_cast %x : index to i{bits}
                 %i = {back}
                 {STORE}"
            )
        };
        let signed = run(&format!("arith.index_cast %n : i{bits} to index"));
        let unsigned = run(&format!("arith.index_castui %n : i{bits} to index"));
        let whole = run("arith.addi %x, %0 : index");
        // In memory of more elements than there are words. Before its start nothing is compared.
        let wide = |body: &String| kernel(body).replace("512:1", "8589934592:1");
        for (before, after) in [
            (&unsigned, &signed),
            (&signed, &whole),
            (&unsigned, &whole),
            (&whole, &signed),
            (&whole, &unsigned),
        ] {
            let found = compared(&wide(before), &wide(after));
            assert_ne!(found, Validated::default(), "{before}\nbecame\n{after}");
        }
        // Twice the number may wrap around.
        let twice = |width: &str, cast: &str| {
            format!(
                "%n = arith.trunci %w : i32 to i{}
                 %z = arith.extsi %n : i{} to i64
                 {cast}
                 %d = arith.addi {width}
                 %e = arith.index_cast %d : {}
                 %i = arith.addi %e, %0 : index
                 {STORE}",
                bits.min(16),
                bits.min(16),
                if width.ends_with("i64") {
                    "i64 to index".to_owned()
                } else {
                    format!("i{} to index", bits.min(16))
                }
            )
        };
        let narrow = twice(&format!("%n, %n : i{}", bits.min(16)), "");
        let wide = twice("%z, %z : i64", "");
        refuted(&narrow, &wide);
    }
}

#[test]
fn a_launch_stays_as_it_is() {
    let run = |size: i64, index: &str| {
        kernel(&format!("%32 = arith.constant 32 : index\n %i = {index}\n {STORE}"))
            .replace("i32: 64", &format!("i32: {size}"))
    };
    let before = run(64, "arith.remui %t, %32 : index");
    // Fewer threads would make both the same.
    let after = run(32, "arith.addi %t, %0 : index");
    assert!(!compared(&before, &after).refuted.is_empty());
    // A bound that a pass states for a thread's number is not trusted.
    let bound =
        after.replace("i32: 32", "i32: 64").replace("thread_id x", "thread_id x upper_bound 32");
    assert!(!compared(&before, &bound).refuted.is_empty());
    // A bound that the program states is.
    let bounded = before.replace("thread_id x", "thread_id x upper_bound 32");
    assert_eq!(compared(&bounded, &bound), Validated::default());
}

#[test]
fn barriers_keep_their_conditions_and_counts() {
    let run = |before: &str, after: &str, left: i64| {
        format!(
            "{before} gpu.barrier {after}
             nvvm.cp.async.commit.group
             nvvm.cp.async.wait.group {left}"
        )
    };
    let condition = "%c = arith.cmpi eq, %t, %0 : index\n scf.if %c {";
    refuted(&run("", "", 0), &run(condition, "}", 0));
    refuted(&run("", "", 0), &run("", "", 1));
}
