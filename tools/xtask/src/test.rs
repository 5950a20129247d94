//! `cargo xtask test`: everything that CI checks, in one run that continues after a failure; and `--quick`, what is worth
//! running after each change.

use std::path::Path;
use std::process::Command;

use crate::{Outcome, frontends, lit, plugin, wheel};
use layout_support::report::{Report, Tally, cargo_test_tally};
use layout_support::{process, ptxas, setup, workspace};

/// The feature that turns on what tests turn on of shared dependencies, so that cargo finds these compiled where a step has no tests.
const SHARED: &str = "layout-python-mlir/workspace";

/// Warnings of the compiler, of clippy and of rustdoc are errors.
const LINTS: [&str; 2] = ["-D", "warnings"];

/// The crates that others build on, and the calculator; the other tools come with the repository.
const PUBLISHED: &[&str] = &[
    "layout-algebra",
    "layout-calc",
    "layout-dialect",
    "layout-egraph",
    "layout-lowering",
    "layout-passes",
    "layout-picture",
    "layout-relation",
    "layout-runtime",
    "layout-schedule",
    "layout-toolchain",
];

pub(crate) fn run() -> Outcome {
    setup::run()?;
    setup::require_test_tools()?;
    let mut report = Report::begin();
    report.step("format", || {
        Ok(Tally::check(process::show(&mut workspace::cargo(&["fmt", "--all", "--check"]))?))
    });
    report.step("tidy", || Ok(Tally::check(layout_tidy::run()?)));
    report.step("licences and sources of crates", || Ok(Tally::check(layout_tidy::deny::run()?)));
    report.step("lints", || {
        let clippy = |arguments: &[&str]| {
            let mut command = workspace::cargo(&["clippy", "--quiet"]);
            process::show(command.args(arguments).arg("--").args(LINTS))
        };
        let all = clippy(&["--workspace", "--all-targets"])?;
        // The calculator on a machine without libisl, and `layout_mlir.load` without `compile`.
        let packages = ["--package", "layout-calc", "--package", "layout-python-mlir"];
        let features = ["--no-default-features", "--features", SHARED, "--all-targets"];
        let bare = clippy(&[packages.as_slice(), &features].concat())?;
        // The plugin brings neither LLVM nor the runtime's C face.
        let plugin = clippy(&["--package", "layout-plugin", "--features", "workspace"])?;
        // `no_std`: what takes from `std` does not resolve there.
        let core = clippy(&["--package", "layout-algebra", "--no-default-features"])?;
        Ok(Tally::check(all & bare & plugin & core))
    });
    report.step("documentation", || {
        let mut command = workspace::cargo(&["doc", "--quiet", "--workspace", "--no-deps"]);
        command.args(["--features", SHARED]);
        command.env("RUSTDOCFLAGS", LINTS.join(" "));
        checked_by_clippy(&mut command)?;
        Ok(Tally::check(process::show(&mut command)?))
    });
    report.step("Rust tests and doctests", || cargo_test(&["--workspace", "--no-fail-fast"]));
    report.step("rewrite rules on 100,000 random terms", || {
        cargo_test(&["--workspace", "--test", "all", "terms::a_hundred", "--", "--ignored"])
    });
    report.step("the libraries as packages for crates.io", || {
        // The crates were compiled above; this checks metadata, versions and the files that go into them.
        let arguments = ["publish", "--quiet", "--dry-run", "--no-verify", "--allow-dirty"];
        let packages = PUBLISHED.iter().flat_map(|name| ["--package", name]);
        Ok(Tally::check(process::show(workspace::cargo(&arguments).args(packages))?))
    });
    report.step("the Python package of the algebra, from its wheel", wheel::test);
    report.step("the Python package of compiler and runtime, from its wheel", wheel::test_mlir);
    report.step("JAX and torch-mlir, from PyPI", frontends::test);
    let mut binaries = None;
    report.step("build the tools", || {
        binaries = Some(workspace::build_tools()?);
        Ok(Tally::check(true))
    });
    let mut assembler = None;
    report.step("ptxas from PyPI", || {
        assembler = Some(ptxas::provide()?);
        Ok(Tally::check(true))
    });
    for suite in lit::SUITES {
        report.step(&format!("lit test/{suite}"), || match &binaries {
            Some(binaries) => lit::run(suite, binaries, assembler.as_deref()),
            None => Err("the tools were not built".into()),
        });
    }
    report.step("integer instructions of test/Addresses", || match &binaries {
        Some(binaries) => measure("addresses", binaries),
        None => Err("the tools were not built".into()),
    });
    report.step("kernels of the table of schedules", || match &binaries {
        Some(binaries) => measure("kernels", binaries),
        None => Err("the tools were not built".into()),
    });
    let mut library = None;
    report.step("build the plugin", || {
        library = Some(plugin::build(plugin::BUILT)?);
        Ok(Tally::check(true))
    });
    let built = || match (&binaries, &library) {
        (Some(binaries), Some(library)) => Ok((binaries, library)),
        _ => Err("the tools or the plugin were not built".to_owned()),
    };
    report.step(&format!("lit test/{}", lit::PLUGIN), || {
        let (binaries, library) = built()?;
        lit::run_plugin(binaries, library)
    });
    for suite in lit::THROUGH_PLUGIN {
        report.step(&format!("lit test/{suite} through stock mlir-opt"), || {
            let (binaries, library) = built()?;
            lit::run_through(suite, binaries, library)
        });
    }
    Ok(report.finish())
}

/// Lets a command of cargo find what `cargo clippy` has checked: cargo compares the compiler of the workspace's crates, and clippy its own
/// arguments. Without this all crates would be checked a second time.
fn checked_by_clippy(command: &mut Command) -> Result<(), process::Error> {
    let root = process::read(Command::new("rustc").args(["--print", "sysroot"]))?;
    let driver = Path::new(root.trim()).join("bin/clippy-driver");
    // Elsewhere it may have another place.
    if !driver.exists() {
        return Ok(());
    }
    command.env("RUSTC_WORKSPACE_WRAPPER", driver);
    let arguments = LINTS.map(|argument| format!("{argument}__CLIPPY_HACKERY__"));
    command.env("CLIPPY_ARGS", arguments.concat());
    Ok(())
}

/// The suites that take seconds.
const SHORT: &[&str] = &["Dialect", "Passes", "Lowering"];

/// Format, tidy, unit tests and the short lit suites.
pub(crate) fn quick() -> Outcome {
    setup::run()?;
    setup::require_test_tools()?;
    let mut report = Report::begin();
    report.step("format", || {
        Ok(Tally::check(process::show(&mut workspace::cargo(&["fmt", "--all", "--check"]))?))
    });
    report.step("tidy", || Ok(Tally::check(layout_tidy::run()?)));
    report.step("unit tests", || {
        // `--lib` also selects a library with `test = false`; the plugin's finds no libMLIR.so to start with, and has no tests.
        cargo_test(&[
            "--workspace",
            "--exclude",
            "layout-plugin",
            "--no-fail-fast",
            "--lib",
            "--bins",
        ])
    });
    let mut binaries = None;
    report.step("build the tools", || {
        binaries = Some(workspace::build_tools()?);
        Ok(Tally::check(true))
    });
    for suite in SHORT {
        report.step(&format!("lit test/{suite}"), || match &binaries {
            Some(binaries) => lit::run(suite, binaries, None),
            None => Err("the tools were not built".into()),
        });
    }
    Ok(report.finish())
}

/// Runs Rust tests, and counts them.
fn cargo_test(arguments: &[&str]) -> Result<Tally, process::Error> {
    counted(workspace::cargo(&["test", "--quiet"]).args(arguments))
}

/// Runs a command of `layout-measure` with the built tools, and counts its kernels.
fn measure(what: &str, binaries: &Path) -> Result<Tally, process::Error> {
    let mut command = Command::new(binaries.join("layout-measure"));
    counted(command.arg(what).arg("--tools").arg(binaries))
}

/// The tally of a program's lines of results.
fn counted(command: &mut Command) -> Result<Tally, process::Error> {
    let finished = process::tee(command)?;
    let tally = cargo_test_tally(&finished.stdout);
    if !finished.success && tally.failed == 0 {
        return Err(format!("`{}` failed before it ran a test", process::line(command)));
    }
    Ok(tally)
}
