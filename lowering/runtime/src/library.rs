//! References as code: the shared object that `layout-translate --reference` leaves beside PTX and manifest.

use std::path::{Path, PathBuf};

use libloading::Library;

use crate::manifest::Kernel;
use crate::{Error, Result};

/// The references of one manifest.
#[derive(Debug)]
pub struct References {
    library: Library,
    path: PathBuf,
}

impl References {
    /// Opens a shared object.
    ///
    /// # Errors
    ///
    /// When it cannot be opened.
    ///
    /// # Safety
    /// It must be one that the compiler made: opening it, and computing a reference, runs its code.
    pub unsafe fn open(path: &Path) -> Result<Self> {
        let wrong = |reason: String| {
            Error::Manifest(format!(
                "expected a library of references, found {}: {reason}; layout-translate --reference makes one",
                path.display()
            ))
        };
        // A name without a folder would be looked for on the loader's path.
        let own = std::path::absolute(path).map_err(|error| wrong(error.to_string()))?;
        // SAFETY: the caller's promise.
        let library = unsafe { Library::new(&own) }.map_err(|error| wrong(error.to_string()))?;
        Ok(Self { library, path: path.into() })
    }

    /// Computes a kernel's reference, of the words that it takes.
    ///
    /// # Errors
    ///
    /// A kernel without a reference, or whose reference the library does not have.
    pub fn compute(&self, kernel: &Kernel, words: &[u64]) -> Result<()> {
        let entry = kernel.reference.as_ref().map(|reference| reference.entry.as_str());
        let entry = entry.unwrap_or_default();
        // SAFETY: the compiler made the library, and the manifest says that the entry is such a function.
        let found =
            unsafe { self.library.get::<unsafe extern "C" fn(*const u64)>(entry.as_bytes()) };
        let function = found.map_err(|error| {
            Error::Manifest(format!(
                "kernel {}: expected the reference {entry} in {}, found {error}",
                kernel.name,
                self.path.display()
            ))
        })?;
        // SAFETY: the words are those that the manifest's arguments require.
        unsafe { function(words.as_ptr()) };
        Ok(())
    }
}
