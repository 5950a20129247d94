//! A sample of random programs, of fixed seeds; the long run is the crate's command.

use layout_oracle::hunt::{Counts, Settings, hunt};

/// Programs of the sample.
const PROGRAMS: u64 = 1200;

/// Threads that share them.
const JOBS: u64 = 2;

#[test]
fn a_sample_of_programs_means_the_same_after_each_pass() {
    let settings = Settings {
        programs: PROGRAMS / JOBS,
        rows: 10,
        findings: 3,
        shrink: 5,
        ..Settings::default()
    };
    let jobs = (0..JOBS).map(|job| {
        let seed = 2_026_112_200 + job * settings.programs;
        Settings { seed, ..settings.clone() }
    });
    let (mut counts, mut findings) = (Counts::default(), Vec::new());
    let jobs: Vec<_> = jobs.map(|job| std::thread::spawn(move || hunt(&job, |_, _| {}))).collect();
    for job in jobs {
        let (own, found) = job.join().expect("no panic");
        counts.add(own);
        findings.extend(found);
    }
    let reported: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!("seed {}: {}: {}\n{}", finding.seed, finding.row, finding.what, finding.text)
        })
        .collect();
    assert!(findings.is_empty(), "expected no finding, found\n{}", reported.join("\n"));
    assert!(counts.programs > 1100, "expected most programs to be understood, found {counts:?}");
    assert!(
        counts.executions > 2 * counts.undefined,
        "expected defined programs, found {counts:?}"
    );
    assert!(counts.launching > 80, "expected kernels, found {counts:?}");
    assert!(counts.native > 100, "expected machine code, found {counts:?}");
}
