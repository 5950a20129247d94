//! The lit suites under `test/`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use crate::bench;
use layout_support::process::{self, Error};
use layout_support::report::{self, Tally};
use layout_support::workspace;

/// The suites, in the order in which a kernel passes through the project.
pub(crate) const SUITES: &[&str] = &["Dialect", "Passes", "Lowering", "Pipeline", "Device"];

/// The one suite that may be left out: it needs a GPU.
const DEVICE: &str = "Device";

/// The suite that takes the longest.
const SLOWEST: &str = "Pipeline";

/// The suite of the plugin itself, and those that are run again through a stock `mlir-opt`.
pub(crate) const PLUGIN: &str = "Plugin";
pub(crate) const THROUGH_PLUGIN: &[&str] = &["Dialect", "Passes"];

/// Runs one suite with the built tools first on the path.
pub(crate) fn run(suite: &str, binaries: &Path, ptxas: Option<&Path>) -> Result<Tally, Error> {
    run_with(suite, binaries, ptxas, &[])
}

/// Runs the plugin's own suite.
pub(crate) fn run_plugin(binaries: &Path, plugin: &Path) -> Result<Tally, Error> {
    run_with(PLUGIN, binaries, None, &[("LAYOUT_PLUGIN", plugin.as_os_str())])
}

/// Runs a suite with a stock `mlir-opt` that loads the plugin in place of `layout-opt`.
pub(crate) fn run_through(suite: &str, binaries: &Path, plugin: &Path) -> Result<Tally, Error> {
    let through = [("LAYOUT_PLUGIN", plugin.as_os_str()), ("LAYOUT_THROUGH_PLUGIN", "1".as_ref())];
    run_with(suite, binaries, None, &through)
}

fn run_with(
    suite: &str,
    binaries: &Path,
    ptxas: Option<&Path>,
    variables: &[(&str, &OsStr)],
) -> Result<Tally, Error> {
    let folder = workspace::root().join("test").join(suite);
    if !folder.is_dir() {
        return Err(format!("expected the folder test/{suite}, found none"));
    }
    // The suites' configuration puts the built tools first; ptxas comes to it by the path.
    let mut path: Vec<_> =
        ptxas.and_then(Path::parent).map(Path::to_path_buf).into_iter().collect();
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(path).map_err(|error| format!("PATH: {error}"))?;
    let mut command = Command::new(workspace::llvm_tool("lit"));
    // The tests that took longest in the last run begin, so that no core waits for one at the end.
    command.args(["-sv", "--order=smart"]).arg(&folder);
    if suite == SLOWEST {
        // The log says which tests take the time.
        command.arg("--time-tests");
    }
    command.env("PATH", path).env("LAYOUT_TOOLS_DIR", binaries);
    command.env("LAYOUT_LLVM_BIN", workspace::llvm_tool(""));
    command.env("LAYOUT_GPU", if suite == DEVICE && has_gpu(binaries)? { "1" } else { "0" });
    command.envs(variables.iter().copied());
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

/// Whether kernels can be run here, as `layout-run` sees it.
fn has_gpu(binaries: &Path) -> Result<bool, Error> {
    let finished = process::capture(Command::new(binaries.join("layout-run")).arg("device"))?;
    match finished.code {
        Some(0) => Ok(true),
        Some(bench::NO_GPU) => Ok(false),
        _ => Err(format!("layout-run device: {}", finished.stderr.trim())),
    }
}
