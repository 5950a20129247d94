//! The lit suites under `test/`.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Error};
use crate::report::{self, Tally};
use crate::workspace;

/// The suites, in the order in which a kernel passes through the project.
pub(crate) const SUITES: &[&str] = &["Dialect", "Passes", "Lowering", "Pipeline", "Device"];

/// The one suite that may be left out: it needs a GPU.
const DEVICE: &str = "Device";

/// Runs one suite with the built tools first on the path.
pub(crate) fn run(suite: &str, binaries: &Path, ptxas: Option<&Path>) -> Result<Tally, Error> {
    let folder = workspace::root().join("test").join(suite);
    if !folder.is_dir() {
        return Err(format!("expected the folder test/{suite}, found none"));
    }
    let mut path = vec![binaries.to_path_buf(), workspace::llvm_tool("")];
    path.extend(ptxas.and_then(Path::parent).map(Path::to_path_buf));
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(path).map_err(|error| format!("PATH: {error}"))?;
    // Output of a run stays out of the source tree.
    let scratch = binaries.join("lit").join(suite);
    let mut command = Command::new(workspace::llvm_tool("lit"));
    command.args(["-sv", "--order=lexical"]).arg(&folder);
    command.env("PATH", path).env("LAYOUT_BIN", binaries).env("LAYOUT_TEST_OUTPUT", scratch);
    if let Some(ptxas) = ptxas {
        command.env("PTXAS", ptxas);
    }
    let finished = process::tee(&mut command)?;
    let mut tally = report::lit_tally(&finished.stdout);
    if suite != DEVICE && tally.without_gpu > 0 {
        eprintln!(
            "error: {} tests of test/{suite} did not run; only GPU tests may",
            tally.without_gpu
        );
        tally.failed += tally.without_gpu;
        tally.without_gpu = 0;
    }
    if suite == DEVICE && tally.without_gpu > 0 {
        println!(
            "    no GPU on this machine: {} tests of test/Device were not run",
            tally.without_gpu
        );
    }
    if !finished.success && tally.failed == 0 {
        return Err(format!("lit ended with exit code {:?} on test/{suite}", finished.code));
    }
    if tally == Tally::default() {
        return Err(format!("expected tests in test/{suite}, found none"));
    }
    Ok(tally)
}
