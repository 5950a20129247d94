//! Runs JAX, iree-compile and torch-mlir, from PyPI, on the examples of `layout-compile`, and compares their output with the files
//! of the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::wheel;
use layout_support::process::{self, Error};
use layout_support::report::Tally;
use layout_support::workspace;

/// The front ends. `from_jax.py` names the same versions.
const PACKAGES: [&str; 3] = ["jax==0.10.2", "iree-base-compiler==3.13.0", "torch-mlir==20261001"];

/// The folder of the examples.
const EXAMPLES: &str = "tools/compile/examples";

/// Runs the front ends on the examples, and compares what they make with the files of the repository.
pub(crate) fn test() -> Result<Tally, Error> {
    let tools = workspace::root().join(".tools/frontends");
    let programs = tools.join("bin");
    let installed = tools.join("installed");
    let requested = PACKAGES.join("\n");
    if !fs::read_to_string(&installed).is_ok_and(|found| found == requested) {
        wheel::create_environment(&tools)?;
        wheel::pip(&tools, &["install", "--quiet"], &PACKAGES.map(Path::new))?;
        fs::write(&installed, &requested)
            .map_err(|error| format!("{}: {error}", installed.display()))?;
    }
    let made = workspace::target()?.join("frontends");
    fs::create_dir_all(&made).map_err(|error| format!("{}: {error}", made.display()))?;
    let examples = workspace::root().join(EXAMPLES);

    let mut jax = Command::new(programs.join("python"));
    jax.arg(examples.join("from_jax.py")).arg(made.join("jax_mlp.mlir"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::env::join_paths([programs.clone()].into_iter().chain(std::env::split_paths(&path)));
    jax.env("PATH", path.map_err(|error| error.to_string())?).env("JAX_PLATFORMS", "cpu");
    process::must(&mut jax)?;

    let mut torch = Command::new(programs.join("torch-mlir-opt"));
    torch.arg("--torch-backend-to-linalg-on-tensors-backend-pipeline");
    torch.arg(examples.join("torch_mlp.torch.mlir")).arg("-o").arg(made.join("torch_mlp.mlir"));
    process::must(&mut torch)?;

    let mut tally = Tally::default();
    for name in ["jax_mlp.mlir", "torch_mlp.mlir"] {
        let (kept, made) = (examples.join(name), made.join(name));
        let same = process::show(Command::new("diff").arg("-u").arg(&kept).arg(&made))?;
        if same {
            tally.passed += 1;
        } else {
            tally.failed += 1;
            eprintln!(
                "error: expected {} as the front end makes it, found the difference above",
                kept.display()
            );
        }
    }
    Ok(tally)
}
