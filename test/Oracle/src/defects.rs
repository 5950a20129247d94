//! Reintroduced defects, each of which a run must find.
//!
//! A patch of `defects/` puts one fault into today's code. Its first line names the row that finds it, and its second
//! the build: patches of one build change different rows, so what a row finds there is the fault that names it. Builds
//! are made in a worktree of the last commit, one at a time, and a run is a process of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The settings of a run that puts defects back.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Only those whose names contain this.
    pub only: String,
    /// The first program's seed.
    pub seed: u64,
    /// Programs of one defect at most.
    pub programs: u64,
    /// Cargo's profile.
    pub profile: String,
    /// Where one binary for each defect is left, which is not run then.
    pub build_only: Option<PathBuf>,
}

/// The result of a run with one defect.
pub struct Found {
    /// The patch's name.
    pub defect: String,
    /// The row that is run.
    pub row: String,
    /// The seed of the first program that shows it; none within the budget.
    pub seed: Option<u64>,
    /// The finding, as text.
    pub what: String,
}

/// A patch.
struct Defect {
    name: String,
    path: PathBuf,
    row: String,
    build: u32,
}

impl Defect {
    /// The arguments of a run that looks for it, besides the programs.
    fn arguments(&self) -> Vec<&str> {
        let mut all = vec!["--native", "0", "--shrink", "5", "--only", &self.row];
        // This row says nothing of a program without a faulty kernel.
        all.extend((self.row == "layout-verify").then_some("--kernels"));
        all
    }
}

/// Reintroduces each defect and looks for it; `report` is called with each. The runs' results, or none where defects are
/// built only.
///
/// # Errors
///
/// A patch that could not be read, applied or built.
pub fn put_back(settings: &Settings, mut report: impl FnMut(&Found)) -> Result<Vec<Found>, String> {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = crate_root.join("../..").canonicalize().map_err(|error| error.to_string())?;
    let scratch = root.join("target/defects");
    let tree = scratch.join("tree");
    let results = scratch.join("found");
    let binaries = settings.build_only.clone().unwrap_or_else(|| scratch.join("binaries"));
    for folder in [&results, &binaries] {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    }
    if !tree.join(".git").exists() {
        git(&root, &["worktree", "prune"])?;
        git(&root, &["worktree", "add", "--detach", &tree.display().to_string(), "HEAD"])?;
    }
    let head = git(&root, &["rev-parse", "HEAD"])?;
    let defects = defects(&crate_root.join("defects"), &settings.only)?;
    let mut builds: Vec<u32> = defects.iter().map(|defect| defect.build).collect();
    builds.sort_unstable();
    builds.dedup();
    for build in builds {
        let mine: Vec<&Defect> = defects.iter().filter(|defect| defect.build == build).collect();
        git(&tree, &["checkout", "--force", "--quiet", "--detach", head.trim()])?;
        for defect in &mine {
            git(&tree, &["apply", "-C1", &defect.path.display().to_string()])?;
        }
        // A folder of its own: cargo takes the crates of two worktrees for the same ones, and would leave faults in what
        // is built of the other.
        let target = scratch.join("target");
        run(Command::new("cargo")
            .args(["build", "--quiet", "--profile", &settings.profile, "-p", "layout-oracle"])
            .arg("--target-dir")
            .arg(&target)
            .env("CARGO_INCREMENTAL", "1")
            .current_dir(&tree))?;
        let folder = if settings.profile == "dev" { "debug" } else { &settings.profile };
        let stripped = binaries.join(format!("build-{build}"));
        run(Command::new("strip")
            .arg("-o")
            .arg(&stripped)
            .arg(target.join(folder).join("layout-oracle")))?;
        for defect in mine {
            let binary = binaries.join(&defect.name);
            let _ = fs::remove_file(&binary);
            fs::hard_link(&stripped, &binary).map_err(|error| error.to_string())?;
        }
        fs::remove_file(&stripped).map_err(|error| error.to_string())?;
    }
    git(&tree, &["checkout", "--force", "--quiet", "--detach", head.trim()])?;
    let line = |defect: &Defect| format!("{}\t{}\n", defect.name, defect.arguments().join("\t"));
    let lines: Vec<String> = defects.iter().map(line).collect();
    fs::write(binaries.join("arguments"), lines.concat()).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for defect in defects.iter().filter(|_| settings.build_only.is_none()) {
        let mut hunt = Command::new(binaries.join(&defect.name));
        hunt.args(defect.arguments())
            .args(["--seed", &settings.seed.to_string()])
            .args(["--programs", &settings.programs.to_string()])
            .arg("--out")
            .arg(&results);
        // A run that finds something fails.
        let output = hunt.output().map_err(|error| error.to_string())?;
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        let first = output.lines().find_map(|line| line.strip_prefix("seed "));
        let found = Found {
            defect: defect.name.clone(),
            row: defect.row.clone(),
            seed: first.and_then(|line| line.split(':').next()?.parse().ok()),
            what: first.unwrap_or_default().to_owned(),
        };
        report(&found);
        all.push(found);
    }
    Ok(all)
}

/// The patches, in the order of their names.
fn defects(folder: &Path, only: &str) -> Result<Vec<Defect>, String> {
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut defects = Vec::new();
    for path in listed.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.display().to_string());
        if path.extension().is_none_or(|extension| extension != "patch") || !name.contains(only) {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let mut lines = text.lines();
        let mut head = |key: &str| -> Result<String, String> {
            let value = lines.next().and_then(|line| line.strip_prefix(key));
            let expected = || format!("{}: expected a line '{key}…'", path.display());
            value.map(str::to_owned).ok_or_else(expected)
        };
        let (row, build) = (head("Row: ")?, head("Build: ")?);
        let build = build.parse().map_err(|_| format!("{}: expected a number", path.display()))?;
        defects.push(Defect { name, path, row, build });
    }
    defects.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(defects)
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
