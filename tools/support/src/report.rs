//! Counts test results: progress lines while steps run, and one closing summary.

use std::time::{Duration, Instant};

use crate::process::Error;

/// Tests of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The number that passed.
    pub passed: u64,
    /// The number that failed.
    pub failed: u64,
    /// Tests that need a GPU on a machine without one; nothing else may be counted here.
    pub without_gpu: u64,
}

impl Tally {
    /// A step that is one check.
    pub fn check(passed: bool) -> Self {
        Tally { passed: u64::from(passed), failed: u64::from(!passed), without_gpu: 0 }
    }

    fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.without_gpu += other.without_gpu;
    }
}

/// Runs steps one after the other, continues after a failure, and remembers it.
pub struct Report {
    started: Instant,
    rows: Vec<(String, Tally, Duration)>,
}

impl Report {
    /// Starts the clock.
    pub fn begin() -> Self {
        Report { started: Instant::now(), rows: Vec::new() }
    }

    /// Runs one step; an error is shown and counts as one failure.
    pub fn step(&mut self, name: &str, work: impl FnOnce() -> Result<Tally, Error>) {
        println!("==> {name}");
        let started = Instant::now();
        let tally = work().unwrap_or_else(|error| {
            eprintln!("error: {error}");
            Tally::check(false)
        });
        let verdict = if tally.failed == 0 { "ok" } else { "FAILED" };
        println!("    {name}: {verdict}, {}", counts(tally));
        self.rows.push((name.to_owned(), tally, started.elapsed()));
    }

    /// Prints the table and the closing line; true when nothing failed.
    pub fn finish(self) -> bool {
        let mut total = Tally::default();
        println!("\n==> summary");
        for (name, tally, took) in &self.rows {
            let verdict = if tally.failed == 0 { "ok    " } else { "FAILED" };
            println!(
                "    {verdict} {name:<28} {:<32} {:>7.1} s",
                counts(*tally),
                took.as_secs_f64()
            );
            total.add(*tally);
        }
        println!("    took {:.0} s", self.started.elapsed().as_secs_f64());
        println!("{}", counts(total));
        total.failed == 0
    }
}

fn counts(tally: Tally) -> String {
    let mut text = format!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.without_gpu > 0 {
        text.push_str(&format!(", {} not run (no GPU)", tally.without_gpu));
    }
    text
}

/// Adds up the `test result:` lines that `cargo test` prints.
pub fn cargo_test_tally(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines() {
        let Some((_, rest)) = line.split_once("test result: ") else { continue };
        tally.passed += number_before(rest, " passed");
        tally.failed += number_before(rest, " failed");
    }
    tally
}

/// Adds up the closing table that lit prints (`  Passed: 3 (100.00%)`).
pub fn lit_tally(output: &str) -> Tally {
    let mut tally = Tally::default();
    for line in output.lines() {
        let Some((label, rest)) = line.trim().split_once(':') else { continue };
        let digits = rest.split_whitespace().next().unwrap_or("");
        let Ok(count) = digits.parse::<u64>() else { continue };
        match label.trim() {
            "Passed" | "Expectedly Failed" | "Passed With Retry" => tally.passed += count,
            "Failed" | "Unresolved" | "Timed Out" | "Unexpectedly Passed" => tally.failed += count,
            // The caller decides about tests that the suites mark as unsupported: it knows about the GPU.
            "Unsupported" => tally.without_gpu += count,
            _ => {}
        }
    }
    tally
}

fn number_before(text: &str, label: &str) -> u64 {
    let Some((before, _)) = text.split_once(label) else { return 0 };
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_lines_add_up() {
        let output = "running 2 tests\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 10 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(cargo_test_tally(output), Tally { passed: 12, failed: 3, without_gpu: 0 });
    }

    #[test]
    fn lit_table_adds_up() {
        let output = "Testing Time: 0.10s\n\nTotal Discovered Tests: 7\n  Unsupported: 1 (14.29%)\n  \
            Passed     : 5 (71.43%)\n  Failed     : 1 (14.29%)\n";
        assert_eq!(lit_tally(output), Tally { passed: 5, failed: 1, without_gpu: 1 });
    }

    #[test]
    fn the_closing_line_names_what_was_not_run() {
        assert_eq!(
            counts(Tally { passed: 4, failed: 0, without_gpu: 2 }),
            "4 passed, 0 failed, 2 not run (no GPU)"
        );
    }
}
