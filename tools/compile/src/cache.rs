//! The cache of compilations: outputs and diagnostics under a hash of input, options and compiler.

use crate::Diagnostic;
use sha2::{Digest, Sha256};
use std::{
    fs,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

/// The file of a compilation's diagnostics, beside its outputs.
const DIAGNOSTICS: &str = "diagnostics";
/// The file of the text that `--explain` prints.
const EXPLAINED: &str = "explained";

/// The inputs that an output depends on, piece by piece.
#[derive(Clone, Debug)]
pub struct Key(Sha256);

impl Default for Key {
    fn default() -> Self {
        Self::new()
    }
}

impl Key {
    /// A key without pieces.
    pub fn new() -> Self {
        Self(Sha256::new())
    }

    /// One more piece; their lengths separate them.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// A program or a library by its place, size and time of change: another build is another one.
    pub fn program(self, path: &Path) -> Self {
        let facts = fs::metadata(path).ok().map(|found| {
            let changed = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
            format!("{} {}", found.len(), changed.map_or(0, |since| since.as_nanos()))
        });
        let text = format!("{} {}", path.display(), facts.unwrap_or_default());
        self.bytes(text.as_bytes())
    }
}

/// The place of one compilation in a cache. Entries are whole or not there: they are written beside and renamed. A folder
/// of entries may be deleted at any time.
#[derive(Debug)]
pub struct Entry {
    folder: PathBuf,
    name: String,
}

impl Entry {
    /// The place of a key in the folder of a cache.
    pub fn new(cache: &Path, key: Key) -> Self {
        let name = key.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { folder: cache.to_path_buf(), name }
    }

    /// Writes the outputs of this compilation beside `output`, one for each ending, and returns its diagnostics and
    /// explanations, or `None` if it is not cached.
    ///
    /// # Errors
    ///
    /// When an output cannot be written.
    pub fn restore(
        &self,
        output: &Path,
        endings: &[&str],
    ) -> Result<Option<(Vec<Diagnostic>, String)>, String> {
        let folder = self.folder.join(&self.name);
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let diagnostics =
            text(DIAGNOSTICS).and_then(|diagnostics| serde_json::from_str(&diagnostics).ok());
        let (Some(diagnostics), Some(explained)) = (diagnostics, text(EXPLAINED)) else {
            return Ok(None);
        };
        let mut kept = Vec::new();
        for ending in endings {
            let Ok(bytes) = fs::read(folder.join(ending)) else {
                return Ok(None);
            };
            kept.push((output.with_extension(ending), bytes));
        }
        for (path, bytes) in kept {
            replace(&path, &bytes)?;
        }
        Ok(Some((diagnostics, explained)))
    }

    /// Keeps the outputs that were just written.
    ///
    /// # Errors
    ///
    /// When the cache cannot be written, or an output cannot be read.
    pub fn keep(
        &self,
        output: &Path,
        endings: &[&str],
        diagnostics: &[Diagnostic],
        explained: &str,
    ) -> Result<(), String> {
        let cannot =
            |error| format!("cannot keep a compilation in {}: {error}", self.folder.display());
        fs::create_dir_all(&self.folder).map_err(cannot)?;
        let staging = tempfile::tempdir_in(&self.folder).map_err(cannot)?;
        for ending in endings {
            fs::copy(output.with_extension(ending), staging.path().join(ending)).map_err(cannot)?;
        }
        let diagnostics = serde_json::to_string(diagnostics).map_err(|error| error.to_string())?;
        for (name, text) in [(DIAGNOSTICS, &diagnostics[..]), (EXPLAINED, explained)] {
            fs::write(staging.path().join(name), text).map_err(cannot)?;
        }
        match fs::rename(staging.path(), self.folder.join(&self.name)) {
            // Another process was as quick; its entry is the same.
            Err(error)
                if !matches!(
                    error.kind(),
                    ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
                ) =>
            {
                Err(cannot(error))
            }
            _ => Ok(()),
        }
    }
}

/// Replaces a file: a library that a program has open keeps what it has read.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::write(path, bytes),
    }
    .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The bytes of an input, a file or standard input (`-`).
///
/// # Errors
///
/// The system's error, with the place.
pub fn input(path: &Path) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    match path.to_str() {
        Some("-") => io::stdin().read_to_end(&mut bytes),
        _ => fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)),
    }
    .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_distinguished() {
        let name = |pieces: [&[u8]; 2]| {
            let key = pieces.into_iter().fold(Key::new(), Key::bytes);
            Entry::new(Path::new(""), key).name
        };
        assert_eq!(name([b"ab", b"c"]), name([b"ab", b"c"]));
        assert_ne!(name([b"ab", b"c"]), name([b"a", b"bc"]));
    }

    #[test]
    fn what_is_kept_comes_back() -> Result<(), String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (cache, output) = (folder.path().join("cache"), folder.path().join("m.ptx"));
        let entry = Entry::new(&cache, Key::new().bytes(b"m"));
        assert_eq!(entry.restore(&output, &["ptx"])?, None);
        fs::write(&output, "code").map_err(|error| error.to_string())?;
        let diagnostics = vec![Diagnostic::nowhere(crate::Severity::Remark, "reported".to_owned())];
        entry.keep(&output, &["ptx"], &diagnostics, "explained")?;
        entry.keep(&output, &["ptx"], &diagnostics, "explained")?;
        fs::write(&output, "other").map_err(|error| error.to_string())?;
        let found = entry.restore(&output, &["ptx"])?;
        assert_eq!(found, Some((diagnostics, "explained".to_owned())));
        assert_eq!(fs::read_to_string(&output).ok().as_deref(), Some("code"));
        // An entry that lacks an output is none.
        assert_eq!(entry.restore(&output, &["ptx", "json"])?, None);
        Ok(())
    }
}
