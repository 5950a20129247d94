//! The errors of the runtime, each with what was expected and what was found.

use std::path::PathBuf;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a kernel could not be read, launched, checked or timed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No CUDA driver can be opened, or it finds no device. `layout-run` exits with 3.
    #[error("no GPU: expected a CUDA driver with a device, found {0}")]
    NoGpu(String),
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A manifest is not what [`crate::manifest::Manifest`] describes.
    #[error("manifest: {0}")]
    Manifest(String),
    /// A kernel and its reference do not write the same arguments.
    #[error("kernel {kernel}: {reason}")]
    Reference {
        /// The kernel.
        kernel: String,
        /// The expectation and the finding.
        reason: String,
    },
    /// A launch is not of what the kernel takes.
    #[error("launch: {0}")]
    Launch(String),
    /// A record of measurements is not what was expected.
    #[error("{path}: {reason}")]
    Record {
        /// The file.
        path: PathBuf,
        /// The expectation and the finding.
        reason: String,
    },
    /// The driver refused a call.
    #[error("CUDA driver: {call} failed: {reason}")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// Its error name and text.
        reason: String,
    },
    /// The driver refused the code: its assembler the PTX, or its loader a cubin of another chip.
    #[error("CUDA driver: cannot load the code: {reason}\n{log}")]
    Assemble {
        /// The driver's error name and text.
        reason: String,
        /// The assembler's output.
        log: String,
    },
    /// cuBLASLt cannot be opened, or refused a call.
    #[error("cuBLASLt: {0}")]
    Cublas(String),
}
