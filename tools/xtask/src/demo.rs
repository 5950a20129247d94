//! `cargo xtask demo`: compiles the demo GEMM, says what each stage did, runs the result and checks it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::{Outcome, bench};
use layout_support::process::{self, Error};
use layout_support::{ptxas, setup, workspace};

/// The GEMM of the demo: bf16 in, f32 accumulation.
pub(crate) const DEMO_GEMM: &str = "test/Pipeline/gemm_bf16.mlir";

pub(crate) fn run() -> Outcome {
    setup::run()?;
    let started = Instant::now();
    let binaries = workspace::build_compiler()?;
    println!("    built in {:.1} s", started.elapsed().as_secs_f64());
    let input = workspace::root().join(DEMO_GEMM);
    let source =
        std::fs::read_to_string(&input).map_err(|error| format!("{}: {error}", input.display()))?;
    let scratch = binaries.join("demo");
    std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let stages = Stages { binaries, input, scratch };

    heading(&format!("the program ({DEMO_GEMM})"));
    for line in source.lines().filter(|line| !is_test_line(line)) {
        println!("{line}");
    }
    stages.simplify()?;
    let ptx = stages.compile()?;
    stages.assemble(&ptx)?;
    stages.execute(&ptx)
}

/// The built tools and the files that go from stage to stage.
struct Stages {
    binaries: PathBuf,
    input: PathBuf,
    scratch: PathBuf,
}

impl Stages {
    fn tool(&self, name: &str) -> Command {
        Command::new(self.binaries.join(name))
    }

    /// Terms before and after the e-graph: the tile program that the matmul becomes.
    fn simplify(&self) -> Result<(), Error> {
        heading(
            "layout-opt --layout-tile-matmul: the matmul becomes a tile program written in layouts",
        );
        let tiled = self.scratch.join("tiled.mlir");
        self.opt(&self.input, &["--layout-tile-matmul"], &tiled)?;
        heading("layout-opt --layout-simplify: terms before (-) and after (+)");
        let simplified = self.scratch.join("simplified.mlir");
        self.opt(&tiled, &["--layout-simplify"], &simplified)?;
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
        };
        let (before, after) = (read(&tiled)?, read(&simplified)?);
        let mut changed: Vec<(&str, &str)> = before
            .lines()
            .zip(after.lines())
            .filter(|(before, after)| before != after)
            .filter_map(|(before, after)| Some((term(before)?, term(after)?)))
            .collect();
        println!("    {} terms became cheaper; each different one:", changed.len());
        changed.sort_unstable();
        changed.dedup();
        for (before, after) in changed {
            println!("- {before}\n+ {after}");
        }
        Ok(())
    }

    /// Runs passes and says how much is left of layout.
    fn opt(&self, input: &Path, passes: &[&str], output: &Path) -> Result<(), Error> {
        process::must(self.tool("layout-opt").arg(input).args(passes).arg("-o").arg(output))?;
        let text = std::fs::read_to_string(output)
            .map_err(|error| format!("{}: {error}", output.display()))?;
        let operations = text.lines().filter(|line| line.contains("layout.")).count();
        println!("    {} lines, {operations} of them with layout operations", text.lines().count());
        Ok(())
    }

    /// The whole pipeline in one process: `.mlir` to PTX.
    fn compile(&self) -> Result<PathBuf, Error> {
        heading("layout-translate: the whole pipeline to PTX, with what LLVM emitted");
        let ptx = self.scratch.join("gemm.ptx");
        let started = Instant::now();
        process::must(
            self.tool("layout-translate")
                .arg(&self.input)
                .args(["--pipeline", "--layout-to-ptx", "--stats", "--manifest"])
                .arg(self.scratch.join("gemm.json"))
                .arg("-o")
                .arg(&ptx),
        )?;
        println!("    {} in {:.2} s", DEMO_GEMM, started.elapsed().as_secs_f64());
        Ok(ptx)
    }

    /// Registers and spills, when there is a `ptxas`.
    fn assemble(&self, ptx: &Path) -> Result<(), Error> {
        heading("ptxas: registers and spills");
        let assembler = if ptxas::path().exists() {
            ptxas::path()
        } else if process::exists("ptxas") {
            PathBuf::from("ptxas")
        } else {
            println!("    no ptxas at hand (`cargo xtask test` fetches one)");
            return Ok(());
        };
        let finished = process::capture(
            Command::new(assembler)
                .args(["--verbose", "--gpu-name", "sm_80", "--output-file"])
                .arg(self.scratch.join("gemm.cubin"))
                .arg(ptx),
        )?;
        print!("{}", finished.stderr);
        if finished.success { Ok(()) } else { Err("ptxas refused the PTX".into()) }
    }

    /// Runs on the GPU when a driver can be loaded, else on the CPU; either way against float64.
    fn execute(&self, ptx: &Path) -> Outcome {
        heading("layout-run: on the GPU, against a float64 reference");
        let mut check = self.tool("layout-run");
        check.arg("check").arg(ptx).arg(self.scratch.join("gemm.json"));
        let finished = process::tee(&mut check)?;
        if finished.code != Some(bench::NO_GPU) {
            return Ok(verdict(finished.success));
        }
        heading("no GPU here: the same tile program on the CPU, against a float64 reference");
        let mut simulate = self.tool("layout-translate");
        simulate.arg(&self.input).args(["--pipeline", "--run-on-cpu"]);
        Ok(verdict(process::show(&mut simulate)?))
    }
}

/// The demo's input is a test too; its directives say nothing about the program.
fn is_test_line(line: &str) -> bool {
    let comment = line.trim_start().trim_start_matches('/').trim_start();
    line.trim_start().starts_with("//")
        && (comment.starts_with("RUN") || comment.starts_with("CHECK"))
}

fn verdict(good: bool) -> bool {
    println!("\ndemo: {}", if good { "the check passed" } else { "THE CHECK FAILED" });
    good
}

fn heading(text: &str) {
    println!("\n==> {text}");
}

/// The term of a line of IR: what is inside its `#layout<…>`.
fn term(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("#layout<")?;
    rest.split_once("> :").map(|(term, _)| term)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_not_shown() {
        assert!(is_test_line("// RUN: layout-opt %s"));
        assert!(is_test_line("  // CHECK-NOT: layout."));
        assert!(!is_test_line("// C = A * B"));
        assert!(!is_test_line("func.func @gemm()"));
    }

    #[test]
    fn terms_end_before_their_type() {
        let line = "  %1 = layout.composition %0, #layout<<4:1, (2,2):(1,8)>> : !layout.view<…>";
        assert_eq!(term(line), Some("<4:1, (2,2):(1,8)>"));
        assert_eq!(term("  gpu.return"), None);
    }
}
