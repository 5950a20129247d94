//! `cargo xtask wheel`: makes the wheel of the Python package, installs it into a virtual environment that has nothing else of
//! ours, and runs its tests there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Error};
use crate::report::{Tally, cargo_test_tally};
use crate::{Outcome, setup, workspace};

/// What builds the wheel, from PyPI.
const MATURIN: &str = "maturin==1.16.0";

/// The array library that the tests hand arrays of to the package, from PyPI.
const NUMPY: &str = "numpy>=2,<3";

/// A source distribution that carries pycute's own tests, which no wheel on PyPI has: CUTLASS's, as part of what TileLang
/// is built from. Its metadata asks for nothing that has to be built.
const TESTS_OF_PYCUTE: &str = "tilelang==0.1.14";

pub(crate) fn run() -> Outcome {
    let tally = test()?;
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(tally.failed == 0)
}

/// Builds the wheel, installs it and runs the tests of the package.
pub(crate) fn test() -> Result<Tally, Error> {
    let folder = workspace::target()?.join("python");
    let wheel = build(&folder)?;
    let environment = folder.join("environment");
    create_environment(&environment)?;
    pip(&environment, &["install", "--quiet"], &[wheel.as_os_str().as_ref(), Path::new(NUMPY)])?;
    let tests = tests_of_pycute()?;
    let mut command = Command::new(environment.join("bin/python"));
    // Neither the folder that this runs in nor the user's packages are looked at.
    command.args(["-I", "-B"]).arg(workspace::root().join("tools/python/tests/run.py"));
    command.env("PYCUTE_TESTS", tests).env("LAYOUT_WHEEL", &wheel);
    let finished = process::tee(&mut command)?;
    let tally = cargo_test_tally(&finished.stdout);
    if !finished.success && tally.failed == 0 {
        return Err(format!("`{}` failed before it ran a test", process::line(&command)));
    }
    Ok(tally)
}

/// Builds the wheel into a folder, and gives its path.
fn build(folder: &Path) -> Result<PathBuf, Error> {
    let tools = workspace::root().join(".tools/maturin");
    let maturin = tools.join("bin/maturin");
    let is_there = maturin.exists()
        && process::read(Command::new(&maturin).arg("--version"))?.trim()
            == MATURIN.replace("==", " ");
    if !is_there {
        create_environment(&tools)?;
        pip(&tools, &["install", "--quiet"], &[Path::new(MATURIN)])?;
    }
    let wheels = folder.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    }
    let mut command = Command::new(&maturin);
    command.args(["build", "--quiet", "--profile", "wheel", "--out"]).arg(&wheels);
    command.current_dir(workspace::root().join("tools/python"));
    // Maturin asks cargo's own settings, not those of the program that runs us.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    process::must(&mut command)?;
    let made = fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
    let made: Vec<PathBuf> = made.filter_map(|entry| Some(entry.ok()?.path())).collect();
    match made.as_slice() {
        [wheel] => Ok(wheel.clone()),
        several => {
            Err(format!("{}: expected one wheel, found {}", wheels.display(), several.len()))
        }
    }
}

/// A virtual environment without any packages, in the place of one that was there.
fn create_environment(folder: &Path) -> Result<(), Error> {
    let command = || {
        let mut command = Command::new("python3");
        command.args(["-m", "venv", "--clear"]).arg(folder);
        command
    };
    if process::capture(&mut command())?.success {
        return Ok(());
    }
    // Debian's python3 comes without it.
    setup::install(&["python3-venv"])?;
    process::must(&mut command())
}

fn pip(environment: &Path, arguments: &[&str], packages: &[&Path]) -> Result<(), Error> {
    let mut command = Command::new(environment.join("bin/python"));
    command.args(["-m", "pip", "--disable-pip-version-check"]).args(arguments).args(packages);
    process::must(&mut command)
}

/// The folder with pycute's own tests, which are downloaded when they are not there yet: none of them is part of this
/// repository.
fn tests_of_pycute() -> Result<PathBuf, Error> {
    let folder = workspace::root().join(".tools/pycute");
    if folder.join("test_composition.py").exists() {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let download = folder.join("download");
    let tools = workspace::root().join(".tools/maturin");
    // Only the package itself is taken as source: what reads its metadata comes as wheels.
    let arguments = ["download", "--quiet", "--no-deps", "--no-binary", "tilelang", "--dest"];
    let mut command = Command::new(tools.join("bin/python"));
    command.args(["-m", "pip", "--disable-pip-version-check"]);
    command.args(arguments);
    process::must(command.arg(&download).arg(TESTS_OF_PYCUTE))?;
    let archive = download.join(TESTS_OF_PYCUTE.replace("==", "-") + ".tar.gz");
    let mut unpack = Command::new("tar");
    unpack.arg("-xzf").arg(&archive).arg("-C").arg(&folder);
    unpack.args(["--wildcards", "--strip-components=8", "*/cutlass/test/python/pycute/test_*.py"]);
    process::must(&mut unpack)?;
    fs::remove_dir_all(&download).map_err(|error| format!("{}: {error}", download.display()))?;
    Ok(folder)
}
