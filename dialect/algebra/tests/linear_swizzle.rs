//! The search for linear swizzles, against all of them and a simulation of the banks.

use layout_algebra::{
    Access, Layout, Term,
    linear::{LinearLayout, Matrix},
};
use layout_random::{cases, prelude::*};

/// The indices that the threads of each phase of an access begin at, `vector` elements at once, and the bytes that they move.
struct Phases {
    starts: Vec<Vec<i64>>,
    bits: i64,
    bytes: i64,
}

impl Phases {
    fn of(access: &Layout, bits: i64, vector: i64) -> Self {
        let (threads, values) = (access.mode(0).unwrap().size(), access.mode(1).unwrap().size());
        let bytes = vector * bits / 8;
        let to_a_phase = if bytes <= 4 { 32 } else { 128 / bytes };
        let mut starts = Vec::new();
        for value in (0..values).step_by(usize::try_from(vector).unwrap()) {
            for phase in (0..threads).step_by(usize::try_from(to_a_phase).unwrap()) {
                let together = phase..threads.min(phase + to_a_phase);
                let at = together.map(|thread| access.at(thread + threads * value).unwrap());
                starts.push(at.collect());
            }
        }
        Self { starts, bits, bytes }
    }

    /// Wavefronts beyond one for each phase: what each bank gives in turn.
    fn simulate(&self, at: impl Fn(i64) -> i64) -> usize {
        let mut words = Vec::new();
        let extra = self.starts.iter().map(|starts| {
            words.clear();
            for &start in starts {
                let first = at(start) * self.bits / 8;
                words.extend((0..self.bytes).step_by(4).map(|byte| (first + byte) / 4));
                words.push((first + self.bytes - 1) / 4);
            }
            words.sort_unstable();
            words.dedup();
            let mut banks = [0; 32];
            words.iter().for_each(|word| banks[usize::try_from(word % 32).unwrap()] += 1);
            banks.iter().max().unwrap() - 1
        });
        extra.sum()
    }
}

fn eval(text: &str) -> String {
    let value = Term::parse(text).and_then(|term| term.eval());
    value.map_or_else(|error| format!("error: {error}"), |value| value.to_string())
}

fn access(text: &str, at_once: i64) -> Access {
    Access { places: text.parse().unwrap(), at_once }
}

/// A store of a row and a load of two blocks: no `S<b,m,s>` suits both, a matrix does.
#[test]
fn where_no_single_swizzle_is_free() {
    let tile: Layout = "1024:1".parse().unwrap();
    let store = access("((2,2,2,2,2),1):((128,32,8,1,2),1)", 1);
    let load = access("((2,2,2,2,2),4):((64,32,512,16,256),1)", 4);
    let single = tile.conflict_free_swizzle(&store.places, &load.places, 32).unwrap();
    assert_eq!(
        single.to_string(),
        "S<3,2,3>: store 0 extra wavefronts instead of 3, load 4 instead of 28; none is free"
    );
    let found = tile.linear_swizzle(&[store.clone(), load.clone()], 32).unwrap();
    assert_eq!(
        found.to_string(),
        "linear<{offset = [1,2,4,8,16,36,72,144,256,528]} -> {offset = 1024}>: 0 extra wavefronts \
         instead of 31"
    );
    assert!(found.is_free() && found.complete);
    let at = |index| found.layout.at(index).unwrap();
    assert_eq!(Phases::of(&store.places, 32, 1).simulate(at), 0);
    assert_eq!(Phases::of(&load.places, 32, 4).simulate(at), 0);
}

#[test]
fn tiles_that_need_none_keep_their_offsets() {
    let tile: Layout = "(8,8):(8,1)".parse().unwrap();
    let rows = access("(8,8):(1,8)", 8);
    let found = tile.linear_swizzle(&[rows], 16).unwrap();
    assert!(found.is_free());
    assert_eq!(found.swizzle.to_string(), "linear<{offset = [1,2,4,8,16,32]} -> {offset = 64}>");
}

/// Tiles of fewer elements than a word or a vector has.
#[test]
fn small_tiles() {
    for (tile, access, expected) in [
        ("1:0", "(1,1):(0,0)", "linear<{offset = []} -> {offset = 1}>"),
        ("2:1", "(2,1):(1,0)", "linear<{offset = [1]} -> {offset = 2}>"),
        ("8:0", "(2,1):(1,0)", "linear<{offset = []} -> {offset = 1}>"),
    ] {
        assert_eq!(eval(&format!("linear_swizzle({tile}, {access}, {access}, 8)")), expected);
    }
}

#[test]
fn errors() {
    for (tile, places, expected) in [
        (
            "(6,8):(8,1)",
            "(2,1):(1,0)",
            "to_linear((6,8):(8,1)): expected extents that are powers of two, found 6",
        ),
        (
            "(8,8):(8,1)",
            "(3,1):(1,0)",
            "to_linear((3,1):(1,0)): expected extents that are powers of two, found 3",
        ),
        (
            "(8,8):(8,1)",
            "8:1",
            "linear_swizzle: expected an access with a mode of threads and one of values, found 8:1",
        ),
    ] {
        let error =
            tile.parse::<Layout>().unwrap().linear_swizzle(&[access(places, 1)], 32).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// The fewest extra wavefronts over all invertible matrices that keep the bits below `low`: only the rows that
/// choose the bank count.
fn fewest(width: u32, low: u32, high: u32, accesses: &[Phases]) -> usize {
    let (above, banks) = (width - low, high - low);
    let mut best = usize::MAX;
    let mut rows = vec![1_u64; banks as usize];
    loop {
        let rank = Matrix::new(rows.clone(), above).unwrap().rank();
        if rank == banks {
            let at = |index: i64| {
                let word = index.cast_unsigned() >> low;
                let chosen =
                    (0..).zip(&rows).map(|(i, row)| u64::from((word & row).count_ones() % 2) << i);
                let bank: u64 = chosen.sum();
                // Offsets stay apart above the banks.
                (index & ((1 << low) - 1)) | (bank.cast_signed() << low) | (index << width << high)
            };
            best = best.min(accesses.iter().map(|access| access.simulate(at)).sum());
        }
        let Some(row) = rows.iter().position(|row| *row + 1 < 1 << above) else { return best };
        rows[row] += 1;
        rows[..row].fill(1);
    }
}

/// An access of threads that run through bits of an index, each moving `vector` elements.
fn by_bits(width: u32, low: u32) -> impl Strategy<Value = Layout> {
    let bits: Vec<u32> = (low..width).collect();
    let most = bits.len();
    prop::sample::subsequence(bits, 1..=most).prop_shuffle().prop_map(move |bits| {
        let shape = vec!["2"; bits.len()].join(",");
        let stride: Vec<String> = bits.iter().map(|bit| (1_u64 << bit).to_string()).collect();
        format!("(({shape}),{}):(({}),1)", 1 << low, stride.join(",")).parse().unwrap()
    })
}

proptest! {
    #![proptest_config(cases(60))]

    /// Elements of 128 bits: a phase has 8 threads, and 3 bits choose the bank.
    #[test]
    fn none_of_all_matrices_is_better(
        accesses in prop::collection::vec(by_bits(5, 0), 1..4)
    ) {
        let tile: Layout = "32:1".parse().unwrap();
        let listed: Vec<Access> =
            accesses.iter().map(|places| Access { places: places.clone(), at_once: 1 }).collect();
        let found = tile.linear_swizzle(&listed, 128).unwrap();
        prop_assert!(found.complete);
        let all: Vec<Phases> = accesses.iter().map(|access| Phases::of(access, 128, 1)).collect();
        let at = |index| found.layout.at(index).unwrap();
        let counted: usize = all.iter().map(|access| access.simulate(at)).sum();
        prop_assert_eq!(u64::try_from(counted).unwrap(), found.extra());
        prop_assert_eq!(counted, fewest(5, 0, 3, &all));
    }

    /// A store and a load of 32 bits, element by element or four at once; rows or columns of the tile in memory.
    #[test]
    fn the_count_is_that_of_the_banks(
        store in by_bits(10, 0),
        load in by_bits(10, 2),
        rows in any::<bool>(),
    ) {
        let tile: Layout = if rows { "(32,32):(32,1)" } else { "(32,32):(1,32)" }.parse().unwrap();
        let accesses = [
            Access { places: store, at_once: 1 },
            Access { places: load, at_once: 4 },
        ];
        let found = tile.linear_swizzle(&accesses, 32).unwrap();
        prop_assert!(found.swizzle.is_invertible());
        let single =
            tile.conflict_free_swizzle(&accesses[0].places, &accesses[1].places, 32).unwrap();
        let (store, load) = (&accesses[0].places, &accesses[1].places);
        let by_term = format!("linear_swizzle({tile}, {store}, {load}, 32)");
        prop_assert_eq!(eval(&by_term), found.swizzle.to_string());
        for (access, [_, after]) in accesses.iter().zip(&found.conflicts) {
            let swizzled = format!("composition({by_term}, to_linear({tile}))");
            let counted = eval(&format!("bank_conflicts({swizzled}, {}, 32)", access.places));
            prop_assert_eq!(counted, after.extra().to_string());
            let at = |index| found.layout.at(index).unwrap();
            let counted = Phases::of(&access.places, 32, after.bytes / 4).simulate(at);
            prop_assert_eq!(u64::try_from(counted).unwrap(), after.extra());
        }
        // An `S<b,m,s>` may move bits that a thread's four elements do not have together.
        prop_assert!(found.extra() <= single.extra() || !found.complete, "{} {}", found, single);
        let base = LinearLayout::from_layout(&tile).unwrap();
        for index in 0..tile.size() {
            let offset = base.at(index).unwrap();
            prop_assert_eq!(found.swizzle.at(offset), found.layout.at(index));
        }
    }
}
