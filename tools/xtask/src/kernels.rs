//! `cargo xtask kernels`: what ptxas makes of the kernel of each row of the table of schedules,
//! without a GPU.
//!
//! Each row's problem is compiled with `#layout.schedule<auto>`, so that the row itself must be what is
//! chosen; assembled, and disassembled. A kernel passes when it spills nothing and has no local memory,
//! asks for no more registers and shared memory than its multiprocessor gives a block, multiplies with the
//! instruction that its schedule is for and no other, and ptxas serialises no `wgmma` of it. Rows that say
//! the same of one layout of operands are the same kernel but for its extents, and each is compiled. What
//! a table of the fastest single products does not hold is compiled too, as [`rows`] says.
//!
//! How long each took is shown, from `.mlir` to PTX and on to SASS; nothing is asked of it, since it is the
//! time of this build on this machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{self, Error};
use crate::report::Tally;
use crate::{Outcome, ptxas, workspace};

mod rows;

/// The table of schedules.
const TABLE: &str = "passes/transforms/src/schedules.json";

/// Registers of a multiprocessor, and how many one thread may have.
const REGISTERS: u64 = 65536;
const REGISTERS_OF_A_THREAD: u64 = 255;

/// Shared memory that one block may ask for, by chip (CUDA C++ programming guide).
const SHARED: &[(&str, u64)] = &[("sm_80", 163 * 1024), ("sm_90a", 227 * 1024)];

/// The matrix instructions of Hopper's warpgroups, and of warps: of floats, of floats of 8 bits, and of
/// integers.
const OF_WARPGROUPS: [&str; 3] = ["HGMMA", "QGMMA", "IGMMA"];
const OF_WARPS: [&str; 3] = ["HMMA", "QMMA", "IMMA"];

/// What ptxas says (C7510 and its kin) of a `wgmma` that it makes wait for the one before.
const SERIALISED: &str = "C75";

/// What is read from ptxas, the manifest and the disassembly.
#[derive(Debug, Default, PartialEq)]
struct Facts {
    registers: u64,
    threads: u64,
    spilled: u64,
    /// Bytes of local memory.
    local: u64,
    shared: u64,
    serialised: bool,
    /// Instructions by mnemonic, up to the first dot.
    mix: BTreeMap<String, u64>,
    /// To PTX, and on to SASS.
    took: [Duration; 2],
}

/// Checks every row, and prints what it found of each.
pub(crate) fn run() -> Outcome {
    let binaries = workspace::build_compiler()?;
    Ok(check(&binaries)?.failed == 0)
}

/// A passed or failed test for each row.
pub(crate) fn check(binaries: &Path) -> Result<Tally, Error> {
    let path = workspace::root().join(TABLE);
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = rows::all(&text)?;
    let tools = [binaries.join("layout-translate"), ptxas::provide()?, ptxas::disassembler()?];
    let scratch = binaries.join("kernels");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut tally = Tally { passed: 0, failed: 0, without_gpu: 0 };
    println!("{HEADER}");
    for row in &rows {
        let name = rows::name(row)?;
        let found = facts(row, &scratch.join(&name), [&tools[0], &tools[1], &tools[2]])
            .and_then(|facts| Ok((faults(row, &facts)?, facts)));
        match found {
            Ok((faults, facts)) => {
                println!("{}", line(&name, &facts));
                for fault in &faults {
                    eprintln!("kernels: {name}: {fault}");
                }
                tally.passed += u64::from(faults.is_empty());
                tally.failed += u64::from(!faults.is_empty());
            }
            Err(error) => {
                eprintln!("kernels: {name}: {error}");
                tally.failed += 1;
            }
        }
    }
    Ok(tally)
}

const HEADER: &str = "  kernel                              registers  threads  spilled   shared  GMMA   MMA  \
                      FFMA  PTX s  SASS s";

fn line(name: &str, facts: &Facts) -> String {
    let of = |mnemonic: &str| facts.mix.get(mnemonic).copied().unwrap_or(0);
    let all = |mnemonics: [&str; 3]| mnemonics.into_iter().map(of).sum::<u64>();
    let Facts { registers, threads, spilled, shared, .. } = facts;
    let (wgmma, mma, ffma) = (all(OF_WARPGROUPS), all(OF_WARPS), of("FFMA"));
    let [ptx, sass] = facts.took.map(|took| took.as_secs_f64());
    format!(
        "  {name:<36}{registers:>9}{threads:>9}{spilled:>9}{shared:>9}{wgmma:>7}{mma:>6}{ffma:>6}\
         {ptx:>7.2}{sass:>8.2}"
    )
}

fn field<'r>(row: &'r Value, key: &str) -> Result<&'r str, Error> {
    row[key].as_str().ok_or_else(|| format!("{TABLE}: expected '{key}' in each row, found {row}"))
}

/// Compiles, assembles and disassembles the row's kernel.
fn facts(
    row: &Value,
    base: &Path,
    [translate, ptxas, nvdisasm]: [&Path; 3],
) -> Result<Facts, Error> {
    let place = |end: &str| base.with_extension(end);
    std::fs::write(place("mlir"), rows::program(row)?)
        .map_err(|error| format!("{}: {error}", base.display()))?;
    let mut command = Command::new(translate);
    command.arg(place("mlir")).args(["--pipeline", "--layout-to-ptx", "--manifest"]);
    command.arg(place("json")).arg("-o").arg(place("ptx"));
    let begun = Instant::now();
    let translated = process::capture(&mut command)?;
    let translation = begun.elapsed();
    if !translated.success {
        return Err(translated.stderr);
    }
    let schedule = field(row, "schedule")?;
    if !rows::is_named(row) && !translated.stderr.contains(schedule) {
        return Err(format!("expected the remark to say {schedule}, found {}", translated.stderr));
    }
    let mut command = Command::new(ptxas);
    command.args(["--verbose", "--gpu-name", field(row, "chip")?]).arg(place("ptx"));
    let begun = Instant::now();
    let assembled = process::capture(command.arg("-o").arg(place("cubin")))?;
    let assembly = begun.elapsed();
    let said = assembled.stdout + &assembled.stderr;
    if !assembled.success {
        return Err(said);
    }
    let manifest = std::fs::read_to_string(place("json"))
        .map_err(|error| format!("{}: {error}", base.display()))?;
    let manifest: Value = serde_json::from_str(&manifest).map_err(|error| error.to_string())?;
    let disassembly = process::read(Command::new(nvdisasm).arg("-c").arg(place("cubin")))?;
    let mut facts = assembler(&said)?;
    let kernel = &manifest["kernels"][0];
    facts.threads = kernel["block"][0].as_u64().unwrap_or(0);
    facts.shared += kernel["shared_bytes"].as_u64().unwrap_or(0);
    facts.mix = mix(&disassembly);
    facts.took = [translation, assembly];
    Ok(facts)
}

/// What `ptxas --verbose` says: the most registers of a kernel, the sum of all spills.
fn assembler(said: &str) -> Result<Facts, Error> {
    let number_before = |line: &str, words: &str| -> Option<u64> {
        line.split_once(words)?.0.split_whitespace().last()?.parse().ok()
    };
    let mut facts = Facts { serialised: said.contains(SERIALISED), ..Facts::default() };
    let mut seen = false;
    for line in said.lines() {
        for words in ["bytes spill stores", "bytes spill loads"] {
            facts.spilled += number_before(line, words).unwrap_or(0);
        }
        facts.local = facts.local.max(number_before(line, "bytes stack frame").unwrap_or(0));
        if let Some(registers) = number_before(line, "registers") {
            facts.registers = facts.registers.max(registers);
            seen = true;
        }
        facts.shared = facts.shared.max(number_before(line, "bytes smem").unwrap_or(0));
    }
    if seen { Ok(facts) } else { Err(format!("expected ptxas to say registers, found {said}")) }
}

/// Instructions of a disassembly by mnemonic, up to the first dot; of all kernels in it.
fn mix(disassembly: &str) -> BTreeMap<String, u64> {
    let mut mix = BTreeMap::new();
    for line in disassembly.lines() {
        let Some((_, instruction)) =
            line.trim().strip_prefix("/*").and_then(|rest| rest.split_once("*/"))
        else {
            continue;
        };
        let mut words = instruction.split_whitespace();
        let mnemonic = words.find(|word| !word.starts_with('@')).unwrap_or_default();
        let mnemonic = mnemonic.split(['.', ';']).next().unwrap_or_default();
        if !mnemonic.is_empty() {
            *mix.entry(mnemonic.to_owned()).or_default() += 1;
        }
    }
    mix
}

/// What is not as it should be.
fn faults(row: &Value, facts: &Facts) -> Result<Vec<String>, Error> {
    let chip = field(row, "chip")?;
    let of = |mnemonic: &str| facts.mix.get(mnemonic).copied().unwrap_or(0);
    let limit = SHARED
        .iter()
        .find(|(name, _)| *name == chip)
        .map(|(_, limit)| *limit)
        .ok_or_else(|| format!("expected a chip whose shared memory is known, found {chip}"))?;
    let mut faults = Vec::new();
    let mut expect = |good: bool, words: String| {
        if !good {
            faults.push(words);
        }
    };
    expect(facts.spilled == 0, format!("expected no spills, found {} bytes", facts.spilled));
    expect(facts.local == 0, format!("expected no local memory, found {} bytes", facts.local));
    expect(!facts.serialised, format!("expected no {SERIALISED} of ptxas, found one"));
    expect(
        facts.registers <= REGISTERS_OF_A_THREAD
            && facts.registers.saturating_mul(facts.threads) <= REGISTERS,
        format!("expected {} threads to fit, found {} registers", facts.threads, facts.registers),
    );
    expect(
        facts.shared <= limit,
        format!("expected at most {limit} bytes of shared memory, found {}", facts.shared),
    );
    let kind = match row["element"].as_str().unwrap_or_default() {
        "f8E4M3FN" | "f8E5M2" => 1,
        "i8" => 2,
        _ => 0,
    };
    let used = if chip == "sm_90a" { OF_WARPGROUPS[kind] } else { OF_WARPS[kind] };
    expect(of(used) > 0, format!("expected {used}, found none"));
    let others = OF_WARPGROUPS.into_iter().chain(OF_WARPS).chain(["FFMA"]);
    for mnemonic in others.filter(|other| *other != used) {
        expect(of(mnemonic) == 0, format!("expected no {mnemonic}, found {}", of(mnemonic)));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SAID: &str = "\
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 1024 bytes smem
ptxas info    : Used 24 registers, used 1 barriers";

    #[test]
    fn the_assemblers_words_are_read() {
        let facts = assembler(SAID).unwrap();
        assert_eq!((facts.registers, facts.spilled, facts.shared), (168, 12, 1024));
        assert!(!facts.serialised);
        assert!(assembler(&format!("{SAID}\n(C7510) Potential")).unwrap().serialised);
        assert_eq!(
            assembler("nothing").unwrap_err(),
            "expected ptxas to say registers, found nothing"
        );
    }

    #[test]
    fn instructions_are_counted_by_mnemonic() {
        let text = "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n\
                    \x20       /*0010*/              @!P0 HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4] ;\n\
                    \x20       /*0020*/                   EXIT ;\n.L_1:\n";
        let of = |name: &str, count| (name.to_owned(), count);
        assert_eq!(mix(text), BTreeMap::from([of("EXIT", 1), of("HGMMA", 1), of("LDC", 1)]));
    }

    #[test]
    fn each_fault_is_named() {
        let row = json!({"chip": "sm_90a"});
        let mix =
            |pairs: &[(&str, u64)]| pairs.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect();
        let good = Facts {
            registers: 168,
            threads: 384,
            spilled: 0,
            shared: 230_400,
            serialised: false,
            mix: mix(&[("HGMMA", 4)]),
            ..Facts::default()
        };
        assert_eq!(faults(&row, &good).unwrap(), Vec::<String>::new());
        let bytes = json!({"chip": "sm_90a", "element": "i8"});
        assert_eq!(
            faults(&bytes, &good).unwrap(),
            ["expected IGMMA, found none", "expected no HGMMA, found 4"]
        );
        let bad = Facts {
            registers: 200,
            threads: 384,
            spilled: 8,
            shared: 300_000,
            serialised: true,
            local: 16,
            mix: mix(&[("HMMA", 2), ("FFMA", 1)]),
            ..Facts::default()
        };
        assert_eq!(
            faults(&row, &bad).unwrap(),
            [
                "expected no spills, found 8 bytes",
                "expected no local memory, found 16 bytes",
                "expected no C75 of ptxas, found one",
                "expected 384 threads to fit, found 200 registers",
                "expected at most 232448 bytes of shared memory, found 300000",
                "expected HGMMA, found none",
                "expected no HMMA, found 2",
                "expected no FFMA, found 1",
            ]
        );
    }
}
