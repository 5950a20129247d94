//! Every operation on operands made for it: no panic, no overflow, within its time and its laws.
#![no_main]

use arbitrary::Unstructured;
use layout_algebra_fuzz::{evaluate, operands};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(term) = operands::call(&mut Unstructured::new(bytes)) {
        let _ = evaluate(&term);
    }
});
