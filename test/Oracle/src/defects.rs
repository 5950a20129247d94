//! Defects that are put back, each of which a run must find.
//!
//! A patch of `defects/` puts one fault into today's code. Its first line names the row that finds it. Patches are
//! applied to a worktree of the last commit, one at a time, and a run of that build is a process of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What a run of one defect gave.
pub struct Found {
    /// The patch's name.
    pub defect: String,
    /// The row that is run.
    pub row: String,
    /// The seed of the first program that shows it; none within the budget.
    pub seed: Option<u64>,
    /// What the run said of it.
    pub what: String,
}

/// Puts each defect back whose name contains `only`, and looks for it in so many programs; `tell` is called with each.
///
/// # Errors
///
/// What could not be read, applied or built.
pub fn put_back(
    only: &str,
    seed: u64,
    programs: u64,
    mut tell: impl FnMut(&Found),
) -> Result<Vec<Found>, String> {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_root.join("../..").canonicalize().map_err(|error| error.to_string())?;
    let scratch = root.join("target/defects");
    let tree = scratch.join("tree");
    let results = scratch.join("found");
    fs::create_dir_all(&results).map_err(|error| error.to_string())?;
    if !tree.join(".git").exists() {
        git(&root, &["worktree", "prune"])?;
        git(&root, &["worktree", "add", "--detach", &tree.display().to_string(), "HEAD"])?;
    }
    let head = git(&root, &["rev-parse", "HEAD"])?;
    let mut all = Vec::new();
    for patch in patches(&crate_root.join("defects"), only)? {
        let text = fs::read_to_string(&patch).map_err(|error| error.to_string())?;
        let row = text.lines().next().and_then(|line| line.strip_prefix("Row: "));
        let row = row.ok_or_else(|| {
            format!("{}: expected 'Row: NAME' in the first line", patch.display())
        })?;
        git(&tree, &["checkout", "--force", "--quiet", "--detach", head.trim()])?;
        git(&tree, &["apply", &patch.display().to_string()])?;
        let target = scratch.join("build");
        run(Command::new("cargo")
            .args(["build", "--quiet", "--release", "-p", "layout-oracle", "--target-dir"])
            .arg(&target)
            .env("CARGO_INCREMENTAL", "1")
            .current_dir(&tree))?;
        let mut hunt = Command::new(target.join("release/layout-oracle"));
        hunt.args(["--native", "0", "--shrink", "5", "--only", row])
            .args(["--seed", &seed.to_string(), "--programs", &programs.to_string()])
            .arg("--out")
            .arg(&results);
        // A run that finds something fails.
        let output = hunt.output().map_err(|error| error.to_string())?;
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = output.lines().find_map(|line| line.strip_prefix("seed "));
        let found = Found {
            defect: patch.file_stem().map_or_else(String::new, |stem| stem.display().to_string()),
            row: row.to_owned(),
            seed: first.and_then(|line| line.split(':').next()?.parse().ok()),
            what: first.unwrap_or_default().to_owned(),
        };
        tell(&found);
        all.push(found);
    }
    git(&tree, &["checkout", "--force", "--quiet", "--detach", head.trim()])?;
    Ok(all)
}

/// The patches, in the order of their names.
fn patches(folder: &Path, only: &str) -> Result<Vec<PathBuf>, String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut patches: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    patches.retain(|path| {
        let name = path.file_stem().map(|stem| stem.to_string_lossy());
        path.extension().is_some_and(|extension| extension == "patch")
            && name.is_some_and(|name| name.contains(only))
    });
    patches.sort();
    Ok(patches)
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    run(Command::new("git").arg("-C").arg(folder).args(arguments))
}

/// The output of a command that must succeed.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
