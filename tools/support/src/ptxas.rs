//! `ptxas` and `nvdisasm`, NVIDIA's assembler and disassembler: taken from PyPI's wheels into
//! `.tools/`, so that tests can assemble PTX, and count SASS, on a machine without CUDA.

use std::path::PathBuf;
use std::process::Command;

use crate::process::{self, Error};
use crate::{pypi, workspace};

/// The wheel: CUDA 13.0, which assembles PTX up to 9.0 for sm_80 and sm_90a.
const WHEEL: &str = "nvidia-cuda-nvcc==13.0.88";

/// The wheel of the disassembler; the oldest on PyPI is of CUDA 13.2, and each reads older code.
const DISASSEMBLER_WHEEL: &str = "nvidia-cuda-nvdisasm==13.5.37";

/// Where `ptxas` lies once [`provide`] has run.
pub fn path() -> PathBuf {
    workspace::root().join(".tools/nvcc/nvidia/cu13/bin/ptxas")
}

/// Downloads the wheel when it is not there yet, and gives the path of `ptxas`.
pub fn provide() -> Result<PathBuf, Error> {
    let ptxas = path();
    pypi::fetch(&ptxas, ".tools/nvcc", WHEEL)?;
    let version = process::read(Command::new(&ptxas).arg("--version"))?;
    if version.contains("release 13.0") {
        Ok(ptxas)
    } else {
        Err(format!("{}: expected release 13.0, found:\n{}", ptxas.display(), version.trim()))
    }
}

/// Downloads the disassembler's wheel when it is not there yet, and gives the path of `nvdisasm`.
pub fn disassembler() -> Result<PathBuf, Error> {
    let nvdisasm = workspace::root().join(".tools/nvdisasm/nvidia/cu13/bin/nvdisasm");
    pypi::fetch(&nvdisasm, ".tools/nvdisasm", DISASSEMBLER_WHEEL)?;
    Ok(nvdisasm)
}
