//! Runs a host function on memory, in a process of its own: a fault may write anywhere, or never end.

use layout_lowering::jit::Engine;
use melior::{Context, ir::Module};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Bytes before and after each argument.
const REDZONE: usize = 4096;

/// The time that a run may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Calls a function of pointers in a module in LLVM's dialect; all bytes of its arguments, with those
/// around them.
pub(crate) fn call(module: &Module<'_>, name: &str, bytes: &[usize], seed: u64) -> Option<Vec<u8>> {
    let engine = Engine::new(module, &[])?;
    let function = engine.packed(name)?;
    let mut random = layout_random::Numbers::of_seed(seed);
    // Small whole numbers of f32, which are right in any order of sums, and finite as bf16 and f64.
    let mut memory: Vec<Vec<u128>> = bytes
        .iter()
        .map(|&bytes| {
            let words = (bytes + 2 * REDZONE).div_ceil(16);
            (0..words)
                .map(|_| (0..4).fold(0_u128, |word, _| word << 32 | value(&mut random)))
                .collect()
        })
        .collect();
    let pointers = memory.iter_mut().map(|words| words[REDZONE / 16..].as_mut_ptr() as u64);
    let pointers: Vec<u64> = pointers.collect();
    // SAFETY: the function takes a pointer to each argument; a fault may write past them, for which this process is its own.
    unsafe { function.call(&pointers) };
    Some(memory.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect())
}

/// Half of a word is a bf16 of a small whole number, and so is the other; the word is one of f32.
fn value(random: &mut layout_random::Numbers) -> u128 {
    let number = random.number(9) as f32 - 4.0;
    let bits = number.to_bits();
    u128::from(bits | bits >> 16)
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// The digest of all bytes.
    Bytes(String),
    /// It was not compiled, crashed, or did not end.
    Failed(String),
}

/// Runs the program of a file in a process of its own.
pub(crate) fn run(file: &Path, bytes: &[usize]) -> Run {
    let sizes: Vec<String> = bytes.iter().map(ToString::to_string).collect();
    let program = std::env::current_exe().expect("this test");
    let child = Command::new(program)
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("MUTANT", file)
        .env("MUTANT_BYTES", sizes.join(","))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.expect("a process");
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if start.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(3)),
            _ => {
                // It is ours, and still runs.
                let _ = child.kill();
                let _ = child.wait();
                return Run::Failed("did not end".to_owned());
            }
        }
    }
    let output = child.wait_with_output().expect("its output");
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().find_map(|line| line.split("digest ").nth(1)) {
        Some(digest) if output.status.success() => Run::Bytes(digest.to_owned()),
        _ => Run::Failed(format!("{}", output.status)),
    }
}

/// The process of one run: lowers the program of a file for the host, and says what its bytes are.
pub(crate) fn child(context: &Context, lower: impl Fn(&mut Module<'_>) -> bool) {
    let Ok(file) = std::env::var("MUTANT") else { return };
    let text = fs::read_to_string(file).expect("a file");
    let sizes = std::env::var("MUTANT_BYTES").unwrap_or_default();
    let bytes: Vec<usize> = sizes.split(',').filter_map(|size| size.parse().ok()).collect();
    let mut module = Module::parse(context, &text).expect("a program");
    assert!(lower(&mut module), "not lowered");
    let name = text.split("gpu.func @").nth(1).and_then(|rest| rest.split('(').next());
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    for seed in 1..=3 {
        let all = call(&module, name.unwrap_or("?"), &bytes, seed).expect("a function");
        for byte in all {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("digest {digest:016x}");
}
