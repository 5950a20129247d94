//! The programs that compile, assemble and disassemble kernels, and their output.

use std::path::{Path, PathBuf};
use std::process::Command;

use layout_support::process::{self, Error};
use layout_support::{ptxas, workspace};

/// Where the programs are.
#[derive(Debug)]
pub(crate) struct Tools {
    /// The folder of the built tools.
    pub(crate) binaries: PathBuf,
    ptxas: PathBuf,
    nvdisasm: PathBuf,
}

/// The resources in `ptxas --verbose` of a file: the most of a kernel, and the sum of all spills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Assembled {
    pub(crate) registers: u64,
    /// Bytes of spills.
    pub(crate) spilled: u64,
    /// Bytes of local memory.
    pub(crate) local: u64,
    /// Bytes of static shared memory.
    pub(crate) shared: u64,
    /// Whether it makes a `wgmma` wait for the one before (C7510 and its kin).
    pub(crate) serialised: bool,
}

/// The code of ptxas's warning about a `wgmma` that it makes wait.
pub(crate) const SERIALISED: &str = "C75";

impl Tools {
    /// Builds what is not given, and fetches NVIDIA's programs where they are missing.
    pub(crate) fn provide(binaries: Option<PathBuf>) -> Result<Self, Error> {
        let binaries = binaries.map_or_else(workspace::build_compiler, Ok)?;
        Ok(Self { binaries, ptxas: ptxas::provide()?, nvdisasm: ptxas::disassembler()? })
    }

    /// A folder for files in between.
    pub(crate) fn scratch(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.binaries.join(name);
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// `layout-opt FILE`.
    pub(crate) fn opt(&self, file: &Path) -> Command {
        let mut command = Command::new(self.binaries.join("layout-opt"));
        command.arg(file);
        command
    }

    /// `layout-translate BASE.mlir` to `BASE.ptx` and `BASE.json` by the whole pipeline.
    pub(crate) fn translate(&self, base: &Path) -> Command {
        let mut command = Command::new(self.binaries.join("layout-translate"));
        command.arg(with_end(base, "mlir")).args(["--pipeline", "--layout-to-ptx", "--manifest"]);
        command.arg(with_end(base, "json")).arg("-o").arg(with_end(base, "ptx"));
        command
    }

    /// From a file in LLVM's dialect, `BASE.mlir`, to machine code for a chip, with a level of LLVM's optimiser.
    pub(crate) fn lowered_to_cubin(
        &self,
        base: &Path,
        chip: &str,
        level: &str,
    ) -> Result<PathBuf, Error> {
        let ptx = with_end(base, &format!("{chip}.ptx"));
        let cubin = with_end(base, &format!("{chip}.cubin"));
        let mut command = Command::new(self.binaries.join("layout-translate"));
        command.arg(with_end(base, "mlir")).args(["--layout-to-ptx", "--chip", chip]);
        command.args(["--opt-level", level, "-o"]).arg(&ptx);
        process::read(&mut command)?;
        let mut command = Command::new(&self.ptxas);
        command.args(["-O3", &format!("-arch={chip}"), "-o"]).arg(&cubin).arg(&ptx);
        process::read(&mut command)?;
        Ok(cubin)
    }

    /// Assembles `BASE.ptx` to `BASE.cubin`; the inner error is what ptxas says of code that it refuses.
    pub(crate) fn assemble(
        &self,
        base: &Path,
        chip: &str,
    ) -> Result<Result<Assembled, String>, Error> {
        let mut command = Command::new(&self.ptxas);
        command.args(["--verbose", "--gpu-name", chip]).arg(with_end(base, "ptx"));
        let finished = process::capture(command.arg("-o").arg(with_end(base, "cubin")))?;
        let output = finished.stdout + &finished.stderr;
        if finished.success { Ok(Ok(Assembled::read(&output)?)) } else { Ok(Err(output)) }
    }

    /// The text of machine code.
    pub(crate) fn disassemble(&self, cubin: &Path) -> Result<String, Error> {
        process::read(Command::new(&self.nvdisasm).arg("-c").arg(cubin))
    }
}

/// `BASE.END`, whatever dots the base has.
pub(crate) fn with_end(base: &Path, end: &str) -> PathBuf {
    PathBuf::from(format!("{}.{end}", base.display()))
}

impl Assembled {
    fn read(output: &str) -> Result<Self, Error> {
        let number_before = |line: &str, words: &str| -> Option<u64> {
            line.split_once(words)?.0.split_whitespace().last()?.parse().ok()
        };
        let mut found = Self { serialised: output.contains(SERIALISED), ..Self::default() };
        let mut seen = false;
        for line in output.lines() {
            for words in ["bytes spill stores", "bytes spill loads"] {
                found.spilled += number_before(line, words).unwrap_or(0);
            }
            found.local = found.local.max(number_before(line, "bytes stack frame").unwrap_or(0));
            if let Some(registers) = number_before(line, "registers") {
                found.registers = found.registers.max(registers);
                seen = true;
            }
            found.shared = found.shared.max(number_before(line, "bytes smem").unwrap_or(0));
        }
        if seen {
            Ok(found)
        } else {
            Err(format!("expected the register count in ptxas's output, found {output}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 1024 bytes smem
ptxas info    : Used 24 registers, used 1 barriers";

    #[test]
    fn the_assemblers_words_are_read() {
        let found =
            Assembled { registers: 168, spilled: 12, local: 16, shared: 1024, serialised: false };
        assert_eq!(Assembled::read(OUTPUT), Ok(found));
        assert!(Assembled::read(&format!("{OUTPUT}\n(C7510) Potential")).unwrap().serialised);
        assert_eq!(
            Assembled::read("nothing").unwrap_err(),
            "expected the register count in ptxas's output, found nothing"
        );
    }
}
