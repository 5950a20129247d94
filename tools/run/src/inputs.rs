//! PTX files and their manifests, from the paths that the user gave.

use std::path::{Path, PathBuf};

use layout_runtime::chosen::{self, Choice, Chosen, Grid};
use layout_runtime::library::References;
use layout_runtime::manifest::{self, Manifest};
use layout_runtime::{Error, Result};

/// One PTX file with its manifest.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) ptx: String,
    pub(crate) manifest: Manifest,
    /// Its kernels, of the sizes that the user chose.
    pub(crate) kernels: Vec<Chosen>,
    /// Where the library of references lies.
    pub(crate) references: PathBuf,
}

impl Input {
    /// Reads both files; the manifest lies beside the PTX unless it is named.
    pub(crate) fn load(ptx: &Path, manifest: Option<&Path>) -> Result<Self> {
        let default_path = ptx.with_extension("json");
        let text = manifest::read_text(ptx)?;
        let manifest_path = manifest.unwrap_or(&default_path);
        let manifest = Manifest::load(manifest_path)?;
        if manifest.kernels.is_empty() && manifest.templates.is_empty() {
            return Err(Error::Manifest(format!(
                "expected at least one kernel, found none in {}",
                manifest_path.display()
            )));
        }
        for kernel in manifest.kernels.iter().filter(|kernel| kernel.reference.is_none()) {
            kernel.gemms()?;
        }
        let references = manifest_path.with_extension("so");
        Ok(Input { path: ptx.into(), ptx: text, manifest, kernels: Vec::new(), references })
    }

    /// With its kernels of these sizes.
    fn choose(self, choices: &[Choice], grid: Option<Grid>) -> Result<Self> {
        let mut kernels = self.manifest.chosen(choices)?;
        if let Some(grid) = grid {
            grid.fill(&mut kernels);
        }
        for chosen in &kernels {
            if chosen.kernel.reference.is_none() {
                chosen.kernel.gemms()?;
            }
        }
        Ok(Self { kernels, ..self })
    }

    /// The library of the references that its kernels name, if any does.
    pub(crate) fn references(&self) -> Result<Option<References>> {
        if self.kernels.iter().all(|chosen| chosen.kernel.reference.is_none()) {
            return Ok(None);
        }
        // SAFETY: the user names the folder, in which the compiler has left it beside the PTX, whose code is run too.
        unsafe { References::open(&self.references) }.map(Some)
    }
}

/// Folders give every PTX file in them, by name; a `.json` belongs to the PTX before it. Kernels that take sizes are of those
/// that are chosen.
pub(crate) fn collect(
    paths: &[PathBuf],
    choices: &[Choice],
    grid: Option<Grid>,
) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    let mut rest = paths.iter().peekable();
    while let Some(path) = rest.next() {
        if path.is_dir() {
            for ptx in ptx_files(path)? {
                inputs.push(Input::load(&ptx, None)?);
            }
            continue;
        }
        let manifest = rest.next_if(|next| next.extension().is_some_and(|end| end == "json"));
        inputs.push(Input::load(path, manifest.map(PathBuf::as_path))?);
    }
    if inputs.is_empty() {
        return Err(Error::Manifest("expected a folder with PTX files, found none in it".into()));
    }
    chosen::check_names(inputs.iter().map(|input| &input.manifest), choices)?;
    inputs.into_iter().map(|input| input.choose(choices, grid)).collect()
}

fn ptx_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |source| Error::Read { path: folder.into(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|end| end == "ptx") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = r#"{"version": 1, "kernels": [{"name": "gemm", "chip": "sm_80",
        "grid": [1, 1, 1], "block": [128, 1, 1], "shared_bytes": 0, "args": [
        {"name": "a", "element": "f16", "shape": "(8,4)", "stride": "(4,1)", "access": "read"},
        {"name": "b", "element": "f16", "shape": "(8,4)", "stride": "(4,1)", "access": "read"},
        {"name": "c", "element": "f32", "shape": "(8,8)", "stride": "(8,1)", "access": "write"}],
        "problem": {"kind": "matmul", "m": 8, "n": 8, "k": 4}}]}"#;

    /// A folder of this test's own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("layout-run-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn write(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            std::fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_folder_gives_its_pairs_by_name() {
        let folder = Folder::new("pairs");
        for name in ["b", "a"] {
            folder.write(&format!("{name}.ptx"), "// PTX");
            folder.write(&format!("{name}.json"), MANIFEST);
        }
        let inputs = collect(std::slice::from_ref(&folder.0), &[], None).unwrap();
        let names: Vec<_> = inputs.iter().map(|input| input.path.file_name().unwrap()).collect();
        assert_eq!(names, ["a.ptx", "b.ptx"]);
    }

    #[test]
    fn a_manifest_may_be_named() {
        let folder = Folder::new("named");
        let ptx = folder.write("gemm.ptx", "// PTX");
        let manifest = folder.write("other.json", MANIFEST);
        assert_eq!(collect(&[ptx, manifest], &[], None).unwrap().len(), 1);
    }

    #[test]
    fn kernels_that_take_sizes_are_of_those_that_are_chosen() {
        let folder = Folder::new("sizes");
        let text = MANIFEST
            .replace(r#""grid""#, r#""sizes": [{"name": "m", "most": 64}], "grid""#)
            .replacen("(8,4)", "(m,4)", 1)
            .replace("(8,8)", "(m,8)")
            .replace(r#""m": 8"#, r#""m": "m""#);
        folder.write("gemm.ptx", "// PTX");
        folder.write("gemm.json", &text);
        let collected = |choices: &[&str]| {
            let choices: Vec<Choice> = choices.iter().map(|text| text.parse().unwrap()).collect();
            collect(std::slice::from_ref(&folder.0), &choices, None)
        };
        let inputs = collected(&["m=1,64"]).unwrap();
        let rows: Vec<_> =
            inputs[0].kernels.iter().map(|chosen| chosen.kernel.matmul().unwrap().m).collect();
        assert_eq!(rows, [1, 64]);
        for (choices, message) in [
            (
                &[][..],
                "launch: kernel gemm: expected a value of m (1 to 64), found none; give --size m=VALUE",
            ),
            (&["m=65"], "launch: kernel gemm, size m: expected 1 to 64, found 65"),
            (
                &["m=7", "n=7"],
                "launch: expected --size of m, found --size of n, which no kernel has",
            ),
        ] {
            assert_eq!(collected(choices).unwrap_err().to_string(), message);
        }
        // The claims of a kernel about a GEMM are checked at each of its sizes.
        folder.write("gemm.json", &text.replace("(m,8)", "(max(m,2),8)"));
        assert_eq!(
            collected(&["m=2,1"]).unwrap_err().to_string(),
            "manifest: kernel gemm, argument c: expected shape (1,8) for m=1, n=8, k=4, found (2,8)"
        );
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = Folder::new("missing");
        let ptx = folder.0.join("gemm.ptx");
        let error = Input::load(&ptx, None).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("cannot read {}: No such file or directory (os error 2)", ptx.display())
        );
        let error = collect(std::slice::from_ref(&folder.0), &[], None).unwrap_err().to_string();
        assert_eq!(error, "manifest: expected a folder with PTX files, found none in it");
        folder.write("gemm.ptx", "// PTX");
        folder.write("gemm.json", r#"{"version": 1, "kernels": []}"#);
        let error = Input::load(&ptx, None).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "manifest: expected at least one kernel, found none in {}",
                ptx.with_extension("json").display()
            )
        );
    }
}
