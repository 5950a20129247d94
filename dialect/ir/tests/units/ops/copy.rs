//! Tests of which copies an atom makes.

use super::*;
use crate::data::evaluate::any_layout;

/// The closed form says yes only where all offsets agree, and no only where some differ.
#[test]
fn runs_agree_with_enumeration() {
    for text in [
        "8:1",
        "(4,2):(1,4)",
        "(4,2):(1,8)",
        "(2,4):(4,1)",
        "16:2",
        "(8,8):(1,64)",
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "S<3,3,3> o 0 o (64,8):(1,64)",
        "S<3,2,3> o 0 o (64,8):(1,64)",
        "S<3,3,3> o 0 o (8,8):(1,8)",
    ] {
        let layout = any_layout(text).expect("a layout");
        for run in [1, 2, 4, 8] {
            if layout.size() % run != 0 {
                continue;
            }
            let contiguous = (0..layout.size()).all(|index| {
                let step = index % run;
                layout.at(index).expect("small") == layout.at(index - step).expect("small") + step
            });
            assert_eq!(has_runs(&layout, run), Ok(contiguous), "{text} in runs of {run}");
        }
    }
}
