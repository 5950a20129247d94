//! `cargo measure kernels`: what ptxas makes of the kernel of each row of the table of schedules,
//! without a GPU.
//!
//! Each row's problem is compiled with `#layout.schedule<auto>`, so that the row itself must be what is
//! chosen; assembled, and disassembled. A kernel passes when it spills nothing and has no local memory,
//! requires no more registers and shared memory than its multiprocessor gives a block, multiplies with the
//! instruction that its schedule is for and no other, and ptxas serialises no `wgmma` of it. Rows that say
//! the same of one layout of operands are the same kernel but for its extents, and each is compiled. What
//! a table of the fastest single GEMMs does not hold is compiled too, as [`rows`] says.
//!
//! How long each took is shown, from `.mlir` to PTX and on to SASS; it has no limit, since it is the
//! time of this build on this machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use layout_support::process::{self, Error};
use layout_support::report::Tally;
use layout_support::workspace;
use serde_json::Value;

use crate::page::{read, write};
use crate::sass;
use crate::tools::{Assembled, SERIALISED, Tools, with_end};

mod rows;

/// The table of schedules.
const TABLE: &str = "passes/transforms/src/schedules.json";

/// Registers of a multiprocessor, and how many one thread may have.
const REGISTERS: u64 = 65536;
const REGISTERS_OF_A_THREAD: u64 = 255;

/// Shared memory that one block may require, by chip (CUDA C++ programming guide).
const SHARED: &[(&str, u64)] = &[("sm_80", 163 * 1024), ("sm_90a", 227 * 1024)];

/// The matrix instructions of Hopper's warpgroups, and of warps: of floats, of floats of 8 bits, and of
/// integers.
const WARPGROUP_MMAS: [&str; 3] = ["HGMMA", "QGMMA", "IGMMA"];
const WARP_MMAS: [&str; 3] = ["HMMA", "QMMA", "IMMA"];

/// The facts from ptxas, the manifest and the disassembly.
#[derive(Debug, Default, PartialEq)]
struct Facts {
    assembled: Assembled,
    threads: u64,
    /// Bytes of shared memory, static and dynamic.
    shared: u64,
    /// Instructions by mnemonic, up to the first dot.
    mix: BTreeMap<String, u64>,
    /// To PTX, and on to SASS.
    took: [Duration; 2],
}

/// A passed or failed test for each row.
pub(crate) fn check(tools: &Tools) -> Result<Tally, Error> {
    let rows = rows::all(&read(&workspace::root().join(TABLE))?)?;
    let scratch = tools.scratch("kernels")?;
    let mut tally = Tally::default();
    println!("{HEADER}");
    for row in &rows {
        let name = rows::name(row)?;
        let found = facts(tools, row, &scratch.join(&name))
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
    let Facts { assembled: Assembled { registers, spilled, .. }, threads, shared, .. } = facts;
    let (wgmma, mma, ffma) = (all(WARPGROUP_MMAS), all(WARP_MMAS), of("FFMA"));
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
fn facts(tools: &Tools, row: &Value, base: &Path) -> Result<Facts, Error> {
    write(&with_end(base, "mlir"), &rows::program(row)?)?;
    let begun = Instant::now();
    let translated = process::capture(&mut tools.translate(base))?;
    let translation = begun.elapsed();
    if !translated.success {
        return Err(translated.stderr);
    }
    let schedule = field(row, "schedule")?;
    if !rows::is_named(row) && !translated.stderr.contains(schedule) {
        return Err(format!("expected the remark to say {schedule}, found {}", translated.stderr));
    }
    let begun = Instant::now();
    let assembled = tools.assemble(base, field(row, "chip")?)??;
    let took = [translation, begun.elapsed()];
    let manifest: Value = serde_json::from_str(&read(&with_end(base, "json"))?)
        .map_err(|error| format!("{}: {error}", base.display()))?;
    let kernel = &manifest["kernels"][0];
    Ok(Facts {
        assembled,
        threads: kernel["block"][0].as_u64().unwrap_or(0),
        shared: assembled.shared + kernel["shared_bytes"].as_u64().unwrap_or(0),
        mix: sass::mix(&tools.disassemble(&with_end(base, "cubin"))?),
        took,
    })
}

/// The faults of a row.
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
    let Assembled { registers, spilled, local, serialised, .. } = facts.assembled;
    expect(spilled == 0, format!("expected no spills, found {spilled} bytes"));
    expect(local == 0, format!("expected no local memory, found {local} bytes"));
    expect(!serialised, format!("expected no {SERIALISED} of ptxas, found one"));
    expect(
        registers <= REGISTERS_OF_A_THREAD && registers.saturating_mul(facts.threads) <= REGISTERS,
        format!("expected {} threads to fit, found {registers} registers", facts.threads),
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
    let used = if chip == "sm_90a" { WARPGROUP_MMAS[kind] } else { WARP_MMAS[kind] };
    expect(of(used) > 0, format!("expected {used}, found none"));
    let others = WARPGROUP_MMAS.into_iter().chain(WARP_MMAS).chain(["FFMA"]);
    for mnemonic in others.filter(|other| *other != used) {
        expect(of(mnemonic) == 0, format!("expected no {mnemonic}, found {}", of(mnemonic)));
    }
    Ok(faults)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_fault_is_named() {
        let row = json!({"chip": "sm_90a"});
        let mix =
            |pairs: &[(&str, u64)]| pairs.iter().map(|(n, c)| ((*n).to_owned(), *c)).collect();
        let good = Facts {
            assembled: Assembled { registers: 168, ..Assembled::default() },
            threads: 384,
            shared: 230_400,
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
            assembled: Assembled {
                registers: 200,
                spilled: 8,
                local: 16,
                serialised: true,
                ..Assembled::default()
            },
            threads: 384,
            shared: 300_000,
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
