//! Bank conflicts against a simulation of the banks, and the swizzles that everyone uses.

use layout_algebra::{
    Access, AnyLayout, ComposedLayout, Conflicts, Fewest, Layout, Outer, Swizzle, Term,
};
use layout_random::{cases, prelude::*};
use std::collections::{BTreeMap, BTreeSet};

fn any(text: &str) -> AnyLayout {
    Term::parse(text).unwrap().eval_layout().unwrap()
}

fn layout(text: &str) -> Layout {
    text.parse().unwrap()
}

/// The definition: in each wavefront every bank gives one of the words that a phase waits for.
fn simulate(layout: &AnyLayout, access: &Layout, bits: i64, bytes: i64) -> Vec<u32> {
    let (threads, values) = (access.mode(0).unwrap().size(), access.mode(1).unwrap().size());
    let at = |thread: i64, value: i64| {
        layout.at(access.at(thread + threads * value).unwrap()).unwrap() * bits / 8
    };
    let to_a_phase = if bytes <= 4 { 32 } else { 128 / bytes };
    let mut all = Vec::new();
    for warp in (0..threads).step_by(32) {
        for value in (0..values).step_by(usize::try_from(bytes * 8 / bits).unwrap()) {
            let end = threads.min(warp + 32);
            for phase in (warp..end).step_by(usize::try_from(to_a_phase).unwrap()) {
                let mut waiting: BTreeSet<i64> = (phase..end.min(phase + to_a_phase))
                    .flat_map(|thread| (0..bytes).map(move |byte| (at(thread, value) + byte) / 4))
                    .collect();
                let mut wavefronts = 0;
                while !waiting.is_empty() {
                    let given: BTreeMap<i64, i64> =
                        waiting.iter().map(|word| (word % 32, *word)).collect();
                    given.values().for_each(|word| assert!(waiting.remove(word)));
                    wavefronts += 1;
                }
                all.push(wavefronts);
            }
        }
    }
    all
}

fn check(layout: &AnyLayout, access: &Layout, bits: i64) -> Conflicts {
    let found = layout.conflicts(access, bits).unwrap();
    let expected = simulate(layout, access, bits, found.bytes);
    assert_eq!(found.wavefronts, expected, "{layout} by {access} of {bits} bits");
    found
}

#[test]
fn accesses_by_name() {
    for (tile, access, bits, expected) in [
        // ldmatrix on 8 rows of 64, 32 and 16 halves: 128, 64 and 32 bytes.
        (
            "(8,64):(64,1)",
            "(8,8):(1,8)",
            16,
            "8 wavefronts in 1 phase of 16-byte accesses, 7 extra",
        ),
        (
            "(8,32):(32,1)",
            "(8,8):(1,8)",
            16,
            "4 wavefronts in 1 phase of 16-byte accesses, 3 extra",
        ),
        (
            "(8,16):(16,1)",
            "(8,8):(1,8)",
            16,
            "2 wavefronts in 1 phase of 16-byte accesses, 1 extra",
        ),
        // Rows that are padded by 16 bytes.
        ("(8,64):(72,1)", "(8,8):(1,8)", 16, "1 wavefront in 1 phase of 16-byte accesses, 0 extra"),
        // Four matrices beside each other.
        (
            "S<3,3,3> o 0 o (8,64):(64,1)",
            "((8,4),8):((1,64),8)",
            16,
            "4 wavefronts in 4 phases of 16-byte accesses, 0 extra",
        ),
        // Columns of f32, 32 in one bank; rows; and all the same word.
        (
            "(32,32):(32,1)",
            "(32,1):(1,0)",
            32,
            "32 wavefronts in 1 phase of 4-byte accesses, 31 extra",
        ),
        (
            "(32,32):(32,1)",
            "(32,1):(32,0)",
            32,
            "1 wavefront in 1 phase of 4-byte accesses, 0 extra",
        ),
        (
            "(32,32):(32,1)",
            "(32,1):(0,0)",
            32,
            "1 wavefront in 1 phase of 4-byte accesses, 0 extra",
        ),
        (
            "(32,32):(33,1)",
            "(32,1):(1,0)",
            32,
            "1 wavefront in 1 phase of 4-byte accesses, 0 extra",
        ),
        // Bytes: four threads share a word.
        ("1024:1", "(32,1):(1,0)", 8, "1 wavefront in 1 phase of 1-byte accesses, 0 extra"),
        ("4096:1", "(32,1):(128,0)", 8, "32 wavefronts in 1 phase of 1-byte accesses, 31 extra"),
        // 64 bits: half a warp, two words each.
        ("64:1", "(32,1):(1,0)", 64, "2 wavefronts in 2 phases of 8-byte accesses, 0 extra"),
        ("64:1", "(32,1):(2,0)", 64, "4 wavefronts in 2 phases of 8-byte accesses, 2 extra"),
        // Four values that are apart are four accesses.
        (
            "(32,4):(1,32)",
            "(32,4):(1,32)",
            32,
            "4 wavefronts in 4 phases of 4-byte accesses, 0 extra",
        ),
        (
            "(32,4):(4,1)",
            "(32,4):(1,32)",
            32,
            "4 wavefronts in 4 phases of 16-byte accesses, 0 extra",
        ),
        // Contiguous, but not aligned to more than 4 bytes.
        (
            "(32,4):(5,1)",
            "(32,4):(1,32)",
            32,
            "4 wavefronts in 4 phases of 4-byte accesses, 0 extra",
        ),
        // Two warps and a part of a third.
        ("72:1", "(72,1):(1,0)", 32, "3 wavefronts in 3 phases of 4-byte accesses, 0 extra"),
        // Half bytes in pairs.
        ("64:1", "(32,2):(2,1)", 4, "1 wavefront in 1 phase of 1-byte accesses, 0 extra"),
    ] {
        let found = check(&any(tile), &layout(access), bits);
        assert_eq!(found.to_string(), expected, "{tile} by {access}");
        assert_eq!(found.is_free(), found.worst() <= 1);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn accesses_agree_with_the_simulation(
        (bits, rows, columns) in (prop::sample::select(vec![8_i64, 16, 32, 64]), 1..5_u32, 2..7_u32),
        pad in 0..3_i64,
        (b, m, s) in (0..4_u32, 0..5_u32, -5..6_i32),
        (threads, values) in (1..70_i64, prop::sample::select(vec![1_i64, 2, 3, 4, 8])),
        (by_thread, by_value) in (0..5_i64, 0..9_i64),
    ) {
        let (rows, columns) = (1_i64 << rows, 1_i64 << columns);
        let tile = layout(&format!("({rows},{columns}):({},1)", columns + 8 * pad));
        let access = layout(&format!("({threads},{values}):({by_thread},{by_value})"));
        prop_assume!(access.cosize().unwrap() <= tile.size());
        let outer = Outer::Swizzle(Swizzle::new(b, m, s).unwrap());
        let swizzled = ComposedLayout { outer, offset: 0, inner: tile.clone() };
        check(&tile.into(), &access, bits);
        check(&swizzled.into(), &access, bits);
    }
}

/// Whether every access moves as much at once as without the swizzle, and is free.
fn is_free(swizzle: Swizzle, tile: &Layout, accesses: &[&Layout], bits: i64) -> bool {
    let outer = Outer::Swizzle(swizzle);
    let swizzled = ComposedLayout { outer, offset: 0, inner: tile.clone() };
    swizzled.cosize().unwrap() <= tile.cosize().unwrap()
        && accesses.iter().all(|access| {
            let plain = AnyLayout::from(tile.clone()).conflicts(access, bits).unwrap();
            let found = check(&swizzled.clone().into(), access, bits);
            found.is_free() && found.bytes == plain.bytes
        })
}

/// The well-known answers, and that no swizzle of fewer bits suffices.
#[test]
fn swizzles_by_name() {
    let rows = "(8,8):(1,8)";
    for (tile, bits, store, load, expected) in [
        // The swizzles of 128, 64 and 32 bytes: stored by 16 bytes along rows, loaded by ldmatrix.
        (
            "(8,64):(64,1)",
            16,
            "((8,8),8):((64,1),8)",
            rows,
            "S<3,3,3>: store 0 extra wavefronts instead of 0, load 0 instead of 7",
        ),
        (
            "(8,32):(32,1)",
            16,
            "((4,8),8):((64,1),8)",
            rows,
            "S<2,3,3>: store 0 extra wavefronts instead of 0, load 0 instead of 3",
        ),
        (
            "(8,16):(16,1)",
            16,
            "((2,8),8):((64,1),8)",
            rows,
            "S<1,3,3>: store 0 extra wavefronts instead of 0, load 0 instead of 1",
        ),
        // The same for bytes, words and double words.
        (
            "(8,128):(128,1)",
            8,
            "((8,8),16):((128,1),8)",
            "(8,16):(1,8)",
            "S<3,4,3>: store 0 extra wavefronts instead of 0, load 0 instead of 7",
        ),
        (
            "(8,32):(32,1)",
            32,
            "((8,8),4):((32,1),8)",
            "(8,4):(1,8)",
            "S<3,2,3>: store 0 extra wavefronts instead of 0, load 0 instead of 7",
        ),
        (
            "(8,16):(16,1)",
            64,
            "((8,8),2):((16,1),8)",
            "(8,2):(1,8)",
            "S<3,1,3>: store 0 extra wavefronts instead of 0, load 0 instead of 7",
        ),
        // Transposes.
        (
            "(32,32):(32,1)",
            32,
            "((32,32),1):((32,1),0)",
            "((32,32),1):((1,32),0)",
            "S<5,0,5>: store 0 extra wavefronts instead of 0, load 0 instead of 992",
        ),
        (
            "(64,32):(32,1)",
            32,
            "((32,32),1):((64,1),0)",
            "((32,32),1):((1,64),0)",
            "S<5,0,5>: store 0 extra wavefronts instead of 0, load 0 instead of 992",
        ),
        // The same where a thread loads four values of its row at once.
        (
            "(32,32):(32,1)",
            32,
            "((32,32),1):((32,1),0)",
            "(32,32):(1,32)",
            "S<3,2,3>: store 0 extra wavefronts instead of 0, load 0 instead of 224",
        ),
        // Nothing to do.
        (
            "(32,32):(33,1)",
            32,
            "(32,1):(32,0)",
            "(32,1):(1,0)",
            "S<0,0,0>: store 0 extra wavefronts instead of 0, load 0 instead of 0",
        ),
        // All of a tile is one column.
        (
            "32:32",
            32,
            "(32,1):(1,0)",
            "(32,1):(1,0)",
            "S<0,0,0>: store 31 extra wavefronts instead of 31, load 31 instead of 31; none is free",
        ),
    ] {
        let (tile, store, load) = (layout(tile), layout(store), layout(load));
        let choice = tile.conflict_free_swizzle(&store, &load, bits).unwrap();
        assert_eq!(choice.to_string(), expected, "{tile}");
        assert!(choice.complete);
        assert_eq!(choice.is_free(), is_free(choice.swizzle, &tile, &[&store, &load], bits));
        for fewer in 0..choice.swizzle.bits {
            for base in 0..8 {
                for shift in -8..=8 {
                    let swizzle = Swizzle::new(fewer, base, shift).unwrap();
                    if swizzle.is_involution() {
                        assert!(!is_free(swizzle, &tile, &[&store, &load], bits), "{swizzle}");
                    }
                }
            }
        }
    }
}

/// Small tiles: free if and only if some swizzle is.
#[test]
fn the_search_misses_none() {
    let mut free = 0;
    for (tile, store, load) in [
        ("(16,16):(16,1)", "(16,1):(16,0)", "(16,1):(1,0)"),
        ("(16,32):(32,1)", "(32,1):(16,0)", "(16,1):(1,0)"),
        ("(32,16):(16,1)", "(16,1):(32,0)", "(32,1):(1,0)"),
        ("(16,32):(32,1)", "(16,2):(1,16)", "(16,4):(1,16)"),
        ("(4,64):(64,1)", "(4,4):(1,4)", "((4,8),1):((1,32),0)"),
        ("(32,8):(1,40)", "(8,1):(32,0)", "(32,1):(1,0)"),
        ("(8,12):(12,1)", "(8,1):(1,0)", "(12,1):(8,0)"),
    ] {
        for bits in [16, 32] {
            let (tile, store, load) = (layout(tile), layout(store), layout(load));
            let choice = tile.conflict_free_swizzle(&store, &load, bits).unwrap();
            let any = (0..=5)
                .flat_map(|b| (0..8).flat_map(move |m| (-8..=8).map(move |s| (b, m, s))))
                .filter_map(|(b, m, s)| Swizzle::new(b, m, s).ok())
                .filter(Swizzle::is_involution)
                .any(|swizzle| is_free(swizzle, &tile, &[&store, &load], bits));
            assert_eq!(choice.is_free(), any, "{tile} {store} {load}: {choice}");
            free += usize::from(any);
        }
    }
    assert!(free > 5, "{free}");
}

#[test]
fn refusals() {
    let tile = any("(8,64):(64,1)");
    let error = |access: &str, bits| tile.conflicts(&layout(access), bits).unwrap_err().to_string();
    assert_eq!(
        error("(8,8):(1,8)", 24),
        "conflicts: expected elements of a power of two of bits, at most 128, found 24"
    );
    assert_eq!(
        error("(8,8):(1,8)", 0),
        "conflicts: expected elements of a power of two of bits, at most 128, found 0"
    );
    assert_eq!(
        error("8:1", 16),
        "conflicts: expected an access with a mode of threads and one of values, found 8:1"
    );
    assert_eq!(
        error("(8,8):(1,80)", 16),
        "conflicts: expected an access to the 512 indices of (8,64):(64,1), found (8,8):(1,80)"
    );
    assert_eq!(
        error("(8,8):(-1,8)", 16),
        "conflicts: expected an access to the 512 indices of (8,64):(64,1), found (8,8):(-1,8)"
    );
    assert_eq!(
        error("(8,8):(8,1)", 4),
        "conflicts: expected a vector of whole bytes, found 1 of 4 bits"
    );
    assert_eq!(
        error("(65536,2):(0,1)", 16),
        "elements of an access: expected at most 65536, found 131072"
    );
    assert_eq!(
        layout("8:1")
            .conflict_free_swizzle(&layout("8:1"), &layout("(8,1):(1,0)"), 16)
            .unwrap_err()
            .to_string(),
        "conflict_free_swizzle: expected an access with a mode of threads and one of values, found \
         8:1"
    );
}

/// A search that would take too long stops, and says so.
#[test]
fn long_searches_stop() {
    let tile = layout("(16384,65536):(65536,1)");
    let access = layout("(16384,4):(1,16384)");
    let choice = tile.conflict_free_swizzle(&access, &access, 32).unwrap();
    assert!(!choice.complete && choice.tried < 1000);
    assert!(
        choice.to_string().ends_with(&format!("; the best of {} tried", choice.tried)),
        "{choice}"
    );
}

#[test]
fn terms_count_conflicts_and_find_swizzles() {
    let rows = "(8,8):(1,8)";
    let transpose = "((32,32),1):((32,1),0), ((32,32),1):((1,32),0), 32";
    for (term, answer) in [
        (format!("bank_conflicts((8,64):(64,1), {rows}, 16)"), "7"),
        (format!("bank_conflicts(S<3,3,3> o 0 o (8,64):(64,1), {rows}, 16)"), "0"),
        (format!("conflict_free_swizzle((8,64):(64,1), {rows}, {rows}, 16)"), "S<3,3,3>"),
        (format!("conflict_free_swizzle((32,32):(32,1), {transpose})"), "S<5,0,5>"),
        (
            "bank_conflicts((8,64):(64,1), 8:1, 16)".to_owned(),
            "conflicts: expected an access with a mode of threads and one of values, found 8:1",
        ),
        (
            format!("bank_conflicts((8,64):(64,1), {rows})"),
            "bank_conflicts: expected 3 operands, found 2",
        ),
        (
            format!("conflict_free_swizzle((8,64):(64,1), {rows}, {rows})"),
            "conflict_free_swizzle: expected 4 operands, found 3",
        ),
        (
            format!("conflict_free_swizzle(S<3,3,3> o 0 o (8,64):(64,1), {rows}, {rows}, 16)"),
            "conflict_free_swizzle: expected a plain layout as operand 1, found S<3,3,3> o 0 o \
             (8,64):(64,1)",
        ),
    ] {
        let value = Term::parse(&term).expect("a term").eval();
        let found = value.map_or_else(|error| error.to_string(), |value| value.to_string());
        assert_eq!(found, answer, "{term}");
    }
}

/// Rows of 64 elements of 16 bits, which eight threads store by rows and load by columns.
fn rows_and_columns() -> [Access; 2] {
    let access = |text: &str, at_once| Access { places: text.parse().expect("a layout"), at_once };
    [access("(8,8):(1,8)", 8), access("(8,8):(8,1)", 1)]
}

#[test]
fn the_first_of_the_fewest_conflicts_is_taken() {
    let tile = |text: &str| Term::parse(text).and_then(|term| term.eval_layout()).expect("a tile");
    let [plain, swizzled] = [tile("(8,64):(64,1)"), tile("S<3,3,3> o 0 o (8,64):(64,1)")];
    let padded = tile("(8,64):(72,1)");
    let of = |candidates: &[AnyLayout]| {
        let fewest = Fewest::among(candidates, &rows_and_columns(), 16).expect("conflicts");
        (fewest.candidate, fewest.extra(), fewest.tried, fewest.complete)
    };
    assert_eq!(of(std::slice::from_ref(&plain)), (0, 7, 1, true));
    assert_eq!(of(&[plain.clone(), plain.clone()]), (0, 7, 2, true));
    // The search ends with the first that has none, and passes over what has fewer indices.
    let all = [plain, tile("8:1"), padded, swizzled];
    assert_eq!(of(&all), (2, 0, 3, true));
}

#[test]
fn vector_accesses_move_their_bytes_at_once() {
    let tile = Term::parse("(8,64):(64,1)").and_then(|term| term.eval_layout()).expect("a tile");
    let bytes = |at_once| {
        let [mut access, _] = rows_and_columns();
        access.at_once = at_once;
        let fewest = Fewest::among(std::slice::from_ref(&tile), &[access], 16);
        fewest.expect("conflicts").conflicts[0].bytes
    };
    assert_eq!([8, 4, 3, 1, 0, 99].map(bytes), [16, 8, 4, 2, 2, 16]);
}

#[test]
fn a_search_needs_a_candidate_that_can_be_accessed() {
    let error = |candidates: &[AnyLayout]| {
        Fewest::among(candidates, &rows_and_columns(), 16).expect_err("refused").to_string()
    };
    assert_eq!(error(&[]), "fewest_conflicts: expected a layout to try, found none");
    let small = Term::parse("8:1").and_then(|term| term.eval_layout()).expect("a layout");
    assert_eq!(
        error(&[small]),
        "fewest_conflicts: expected an access to the 8 indices of 8:1, found (8,8):(1,8)"
    );
}

#[test]
fn swizzles_for_banks_stay_within_the_tile() {
    for (vector, size, bits) in [(8, 512, 16), (2, 1024, 64), (1, 24, 32), (0, 0, 32)] {
        for swizzle in Swizzle::of_banks(vector, size, bits) {
            assert_eq!(size % swizzle.period(), 0, "{swizzle}");
            assert!(1_i64 << swizzle.base >= vector.max(1), "{swizzle}");
        }
    }
    assert!(Swizzle::of_banks(8, 512, 16).contains(&Swizzle::new(3, 3, 3).expect("a swizzle")));
}

#[test]
fn elements_that_banks_do_not_hold_are_refused() {
    for bits in [0, -8, 24, 2048, i64::MIN] {
        assert_eq!(Swizzle::of_banks(8, 512, bits), [], "{bits}");
        assert_eq!(
            layout("8:1").linear_swizzle(&[], bits).unwrap_err().to_string(),
            format!(
                "linear_swizzle: expected elements of a power of two of bits, at most 128, found {bits}"
            )
        );
    }
    assert_eq!(Swizzle::of_banks(8, i64::MIN, 16), []);
}
