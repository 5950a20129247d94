//! Memory of long chains: the most that is allocated at once grows no faster than n log n.
//!
//! One test, since what others allocate beside it would be counted with it.

use layout_algebra::{Op, Term};
use layout_egraph::{Budget, simplify};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The system's allocator, which counts.
struct Counting;

/// Bytes that are allocated now, and the most there were.
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// `n` compositions and coalesces, one around the other.
fn chain(base: &str, links: usize) -> Term {
    let parse = |text: &str| Term::parse(text).expect("a term");
    let link = parse("(32,32):(32,1)");
    (0..links).fold(parse(base), |chain, i| match i % 2 {
        0 => Term::Call { op: Op::Composition, args: vec![chain, link.clone()] },
        _ => Term::Call { op: Op::Coalesce, args: vec![chain] },
    })
}

/// The most bytes at once that a search takes beyond its term.
fn peak(term: &Term) -> usize {
    let budget = Budget { nodes: 100_000, matches: 2_000_000, ..Budget::default() };
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    let simplified = simplify(term, &budget).expect("consistent");
    assert!(simplified.report.cost_after <= simplified.report.cost_before);
    PEAK.load(Relaxed) - before
}

#[test]
fn memory_grows_with_the_chain() {
    // The table of rules is made once, for all searches.
    peak(&chain("composition((6,2):(1,7), (3,2):(2,3))", 4));
    for base in ["1024:1", "composition((6,2):(1,7), (3,2):(2,3))"] {
        let lengths = [10, 100, 1000, 10_000];
        let peaks = lengths.map(|links| peak(&chain(base, links)));
        for (links, bytes) in lengths.iter().zip(peaks) {
            println!("{base}: {links} links in {bytes} bytes");
        }
        // n log n from n to 10 n is a factor of 20, 15 and 13.3. Tables double, hence a factor of two
        // between one length and the next, and over all no more than n log n.
        for pair in peaks.windows(2) {
            assert!(pair[1] <= 20 * pair[0], "{base}: {peaks:?}");
        }
        let bound = |i: usize| lengths[i] as f64 * (lengths[i] as f64).log2();
        let grown = peaks[3] as f64 / peaks[0] as f64;
        assert!(grown <= bound(3) / bound(0), "{base}: {peaks:?}");
    }
}
