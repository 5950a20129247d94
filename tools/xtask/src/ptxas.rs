//! `ptxas`, NVIDIA's assembler: taken from PyPI's wheel into `.tools/`, so that tests can assemble PTX
//! on a machine without CUDA.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{self, Error};
use crate::{setup, workspace};

/// The wheel: CUDA 13.0, which assembles PTX up to 9.0 for sm_80 and sm_90a.
const WHEEL: &str = "nvidia-cuda-nvcc==13.0.88";

/// Where `ptxas` lies once [`provide`] has run.
pub(crate) fn path() -> PathBuf {
    workspace::root().join(".tools/nvcc/nvidia/cu13/bin/ptxas")
}

/// Downloads the wheel when it is not there yet, and gives the path of `ptxas`.
pub(crate) fn provide() -> Result<PathBuf, Error> {
    let ptxas = path();
    if !ptxas.exists() {
        if !process::capture(Command::new("python3").args(["-m", "pip", "--version"]))?.success {
            setup::install(&["python3-pip"])?;
        }
        let into = workspace::root().join(".tools/nvcc");
        process::must(
            Command::new("python3")
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "--no-deps",
                ])
                .args(["--root-user-action=ignore", "--upgrade", "--target"])
                .arg(&into)
                .arg(WHEEL),
        )?;
    }
    let version = process::read(Command::new(&ptxas).arg("--version"))?;
    if version.contains("release 13.0") {
        Ok(ptxas)
    } else {
        Err(format!("{}: expected release 13.0, found:\n{}", ptxas.display(), version.trim()))
    }
}
