//! How long proofs take beside islpy, in one run and in time of the processor, so that a busy machine
//! matters little: a table of both.
//!
//! ```text
//! pip install islpy
//! cargo bench -p layout-relation --bench islpy
//! ```

use std::{collections::BTreeMap, fs, hint::black_box, process::Command, time::Duration};

use layout_algebra::{AnyLayout, Swizzle, Term, linear::LinearLayout};
use layout_relation::{Limits, Prover};

const LIMITS: Limits = Limits { operations: 0, time: Duration::from_secs(10) };

/// Nanoseconds of one measurement at least: Linux counts them in ticks of some milliseconds.
const MIN_NANOSECONDS: u64 = 100_000_000;

/// Measurements of which the median counts.
const RUNS: usize = 5;

fn any(text: &str) -> AnyLayout {
    Term::parse(text).and_then(|term| term.eval_layout()).expect("a layout")
}

/// Nanoseconds that this thread has been on a processor, as Linux counts them.
fn processor_time() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux's scheduler");
    text.split(' ').next().and_then(|first| first.parse().ok()).expect("nanoseconds")
}

/// The median time of an answer, in microseconds.
fn median(question: &dyn Fn() -> bool) -> f64 {
    let took = |_| {
        let (start, mut answers) = (processor_time(), 0_u32);
        loop {
            for _ in 0..1000 {
                assert!(black_box(question()), "expected it to be proved");
            }
            answers += 1000;
            let took = processor_time() - start;
            if took >= MIN_NANOSECONDS {
                return took as f64 / f64::from(answers) / 1000.0;
            }
        }
    };
    let mut times: Vec<f64> = (0..RUNS).map(took).collect();
    times.sort_unstable_by(f64::total_cmp);
    times[RUNS / 2]
}

/// `S o S` is the identity, by matrices.
fn is_involution(prover: &Prover, swizzle: &Swizzle, identity: &AnyLayout) -> bool {
    let size = swizzle.period();
    let once = LinearLayout::from_swizzle(swizzle, size).expect("a linear layout");
    let inputs = [(layout_algebra::linear::OFFSET, size)];
    let again = once.reshape_ins(&inputs).expect("the same bits");
    let twice = once.flatten_ins().compose(&again).expect("a composition");
    prover.equal(&twice, identity).expect("an answer").is_proved()
}

fn main() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/proofs_islpy.py");
    let output = Command::new("python3").arg(script).output().expect("python3");
    assert!(output.status.success(), "islpy: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let islpy: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once('\t')).collect();

    let prover = Prover::new(LIMITS);
    let modes = |count: usize| {
        let strides: Vec<_> = (0..count).map(|bit| (1_i64 << bit).to_string()).collect();
        any(&format!("({}):({})", vec!["2"; count].join(","), strides.join(",")))
    };
    let stride = |k: u32| format!("{},{}", 2 * 10_i64.pow(k), 3 * 10_i64.pow(k));
    let strides: Vec<_> = (0..12).map(stride).collect();
    let tangled = any(&format!("({}):({})", ["3,2"; 12].join(","), strides.join(",")));
    let tile = any("S<3,4,3> o 0 o ((4,8,4),(2,2,16,2)):((2,128,4096),(1,1024,8,2048))");
    let (ones, one, many) = (modes(14), any("16384:1"), modes(24));
    let proved = |verdict: layout_relation::Result<layout_relation::Verdict>| {
        verdict.expect("an answer").is_proved()
    };

    println!("| question | ours | islpy |\n|---|---|---|");
    let row = |name: &str, question: &dyn Fn() -> bool| {
        println!("| {name} | {:.2} µs | {} |", median(question), islpy.get(name).unwrap_or(&""));
    };
    row("14 modes equal their coalesced form", &|| proved(prover.equal(&ones, &one)));
    row("24 modes are injective", &|| proved(prover.injective(&many)));
    row("24 tangled modes are injective", &|| proved(prover.injective(&tangled)));
    row("128 threads by 128 values are apart", &|| proved(prover.injective(&tile)));
    row("128 threads by 128 values are inside", &|| proved(prover.within(&tile, 0, 16384)));
    for (b, m, s) in [(2, 0, 3), (3, 4, 3), (3, 4, 4), (4, 4, 8), (8, 0, 8)] {
        let swizzle = Swizzle::new(b, m, s).expect("a swizzle");
        let identity = any(&format!("{}:1", swizzle.period()));
        row(&format!("{swizzle} is an involution"), &|| {
            is_involution(&prover, &swizzle, &identity)
        });
    }
}
