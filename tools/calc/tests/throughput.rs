//! How many lines it answers in a second:
//! `cargo test --release -p layout-calc --test throughput -- --ignored --nocapture`.

use std::{
    fs::File,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const LINES: usize = 20_000;

/// Terms of every weight, all different.
fn lines() -> String {
    let mut text = String::from("let A = (128,64):(64,1)\n");
    for i in 1..LINES {
        let n = 2 + i % 97;
        let line = match i % 8 {
            0 => format!("composition((6,{n}):(8,2), (4,3):(3,1))"),
            1 => format!("zipped_divide(({},64):(64,1), <16:1, 8:1>)", 16 * n),
            2 => format!("complement((2,2):(1,{}), {})", 2 * n, 48 * n),
            3 => format!("raked_product((2,{n}):({n},1), (3,4):(1,3))"),
            4 => format!("coalesce(((2,{n}),(1,6),3):((1,2),(6,{}),{}))", 2 * n, 12 * n),
            5 => format!("right_inverse(({n},8):(8,1))"),
            6 => format!("composition(S<3,4,3> o 0 o (8,{}):({},1), (8,8):(1,8))", 8 * n, 8 * n),
            _ => format!("slice(({},_), A)", i % 128),
        };
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The best of some runs, with the input in a file; how many lines came back.
fn measure(runs: usize) -> (Duration, usize) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lines.txt");
    File::create(&path).unwrap().write_all(lines().as_bytes()).unwrap();
    let mut best = Duration::MAX;
    let mut answered = 0;
    for _ in 0..runs {
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_layout-calc"))
            .stdin(File::open(&path).unwrap())
            .stdout(Stdio::piped())
            .output()
            .unwrap();
        best = best.min(start.elapsed());
        answered = output.stdout.split(|&byte| byte == b'\n').count() - 1;
        let errors = output.stdout.windows(6).filter(|window| window == b"error:").count();
        assert!(errors < LINES / 4, "{errors} errors");
    }
    (best, answered)
}

#[test]
fn every_line_of_many_is_answered() {
    assert_eq!(measure(1).1, LINES);
}

#[test]
#[ignore = "a measurement; run it with --release"]
fn twenty_thousand_lines_take_less_than_half_a_second() {
    let (best, answered) = measure(5);
    println!("{answered} lines in {:.0} ms", best.as_secs_f64() * 1000.0);
    assert_eq!(answered, LINES);
    assert!(best < Duration::from_millis(500), "{best:?}");
}
