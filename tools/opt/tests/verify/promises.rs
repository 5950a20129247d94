//! The promises of operations about integers, `nsw`, `nuw` and the types of a `layout.make`: a pass may drop a promise, and
//! one that it makes has to hold. And what becomes of offsets in 32 bits, which nothing is assumed of.

use super::words::{compared, kernel};
use layout_passes::Validated;

const STORE: &str = "layout.store %f, %v(%i) : !layout.view<f32, global, 512:1>";

/// A store where this word is.
fn word(operation: &str) -> String {
    kernel(&format!(
        "%c5 = arith.constant 5 : i32
         %r = {operation} : i32
         %i = arith.index_cast %r : i32 to index
         {STORE}"
    ))
}

fn accepted(before: &str, after: &str) {
    assert_eq!(compared(before, after), Validated::default(), "{before}\nbecame\n{after}");
}

fn refuted(before: &str, after: &str) -> String {
    assert_eq!(compared(before, before), Validated::default(), "{before}");
    let found = compared(before, after);
    assert!(!found.refuted.is_empty(), "{before}\nbecame\n{after}: {found:?}");
    found.refuted[0].clone()
}

#[test]
fn a_flag_may_be_dropped() {
    for flags in ["nsw", "nuw", "nsw, nuw"] {
        for operation in ["arith.addi %w, %c5", "arith.subi %w, %c5", "arith.muli %w, %c5"] {
            let before = word(&format!("{operation} overflow<{flags}>"));
            accepted(&before, &before);
            accepted(&before, &word(operation));
        }
    }
    // One of two promises is kept.
    let two = |first: &str, second: &str| {
        word(&format!("arith.addi %w, %c5 {first} : i32\n %q = arith.addi %r, %c5 {second}"))
            .replace("arith.index_cast %r", "arith.index_cast %q")
    };
    accepted(&two("overflow<nsw>", "overflow<nsw>"), &two("overflow<nsw>", ""));
    accepted(&two("overflow<nsw>", "overflow<nsw>"), &two("", ""));
}

#[test]
fn a_flag_that_is_added_is_refuted() {
    for flag in ["nsw", "nuw"] {
        for operation in ["arith.addi %w, %c5", "arith.muli %w, %c5"] {
            let found = refuted(&word(operation), &word(&format!("{operation} overflow<{flag}>")));
            assert!(found.contains("expected no assumption in @f"), "{found}");
        }
    }
    // Not where it holds.
    let sum = |flag: &str| {
        kernel(&format!(
            "%c5 = arith.constant 5 : index\n %i = arith.addi %t, %c5 {flag} : index\n {STORE}"
        ))
    };
    accepted(&sum(""), &sum("overflow<nsw>"));
}

#[test]
fn a_flag_on_another_sum_is_refuted() {
    // (w + x) + 5 has no overflow where x + 5 has one.
    let before = "arith.addi %w, %d overflow<nsw> : i32\n %r = arith.addi %q, %c5 overflow<nsw>";
    let after = "arith.addi %d, %c5 overflow<nsw> : i32\n %r = arith.addi %w, %q overflow<nsw>";
    let program = |text: &str| {
        word(&format!("arith.index_cast %x : index to i32\n %q = {text}"))
            .replacen("%r =", "%d =", 1)
    };
    let found = compared(&program(before), &program(after));
    assert_ne!(found, Validated::default());
}

/// An offset that a layout with an integer of the function gives.
fn made(divisor: i64, integer: &str) -> String {
    kernel(&format!(
        "%c4 = arith.constant 4 : i32
         %u = arith.index_cast %t : index to i32
         %m = arith.muli %u, %c4 : i32
         %l = layout.make {integer} : (i32) -> !layout<16:?{{div={divisor}}}>
         %i = layout.crd2idx %l(1) : !layout<16:?{{div={divisor}}}>
         layout.store %f, %v(%i) : !layout.view<f32, global, 512:1>"
    ))
}

#[test]
fn what_a_layout_is_made_of_is_proved_where_a_pass_makes_it() {
    // The program may state facts about its own integers.
    accepted(&made(4, "%w"), &made(4, "%w"));
    // A pass has to prove the facts that it states.
    let found = refuted(&made(1, "%w"), &made(4, "%w"));
    assert!(found.contains("a multiple of 4"), "{found}");
    accepted(&made(1, "%m"), &made(4, "%m"));
    // A pass may say less.
    accepted(&made(4, "%w"), &made(1, "%w"));
}

#[test]
fn a_word_of_32_bits_is_an_offset_where_memory_is_as_small() {
    // An index in bounds of 512 elements fits 32 bits; that of a larger view may not.
    let store = |view: &str, index: &str| {
        kernel(&format!(
            "%q = arith.index_cast %x : index to i32
             %y = arith.index_cast %q : i32 to index
             layout.store %f, %v({index}) : !layout.view<f32, global, {view}>"
        ))
        .replace(
            "%v: !layout.view<f32, global, 512:1>",
            &format!("%v: !layout.view<f32, global, {view}>"),
        )
    };
    accepted(&store("512:1", "%x"), &store("512:1", "%y"));
    let large = "6442450944:1";
    assert_ne!(compared(&store(large, "%x"), &store(large, "%y")), Validated::default());
}
