//! A sample of random programs, of fixed seeds; the long run is the crate's command.

use layout_oracle::hunt::{Settings, hunt};

#[test]
fn a_sample_of_programs_means_the_same_after_each_pass() {
    let settings = Settings {
        programs: 1200,
        seed: 2_026_112_200,
        rows: 10,
        findings: 3,
        shrink: 5,
        ..Settings::default()
    };
    let (counts, findings) = hunt(&settings, |_, _| {});
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
