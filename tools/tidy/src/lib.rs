//! `cargo xtask tidy`: the rules that this repository keeps about itself.
//!
//! - imports between our crates go to a lower floor only, and some crates never reach LLVM;
//! - inside some crates, modules have an order, and each imports only from those before it;
//! - where the tests of a crate are one program, each file of tests is a module of it;
//! - a source file stays below a number of lines, unless it is a table of data;
//! - the top level has the folders that it should have, and each folder has its README;
//! - links in pages resolve, the places that pages name exist, and each crate has a page of the book;
//! - blocks of commands on pages run in a test, or say why not;
//! - pages, comments and messages use the words of the field, and figures of pages come from records;
//! - generated docs are what their generator makes today, and each operation's has all its parts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use layout_support::process::{self, Error};
use layout_support::workspace;

pub mod deny;
mod figures;
mod pages;
mod rooms;
mod words;

/// Our crates: name, which of ours it may import, and whether LLVM may be below it.
const FLOORS: &[(&str, &[&str], bool)] = &[
    ("layout-algebra", &["layout-random"], false),
    ("layout-runtime", &["layout-random"], false),
    ("layout-schedule", &[], false),
    // Its build script checks that LLVM is there, and links nothing of it.
    ("layout-toolchain", &[], false),
    // Random numbers of tests; other crates import it as they import test frameworks.
    ("layout-random", &[], false),
    ("layout-relation", &["layout-algebra", "layout-random"], false),
    // Its tests prove rules by ISL; the crate itself does without.
    ("layout-egraph", &["layout-algebra", "layout-random", "layout-relation"], false),
    (
        "layout-dialect",
        &["layout-algebra", "layout-relation", "layout-schedule", "layout-toolchain"],
        true,
    ),
    (
        "layout-passes",
        &[
            "layout-algebra",
            "layout-dialect",
            "layout-egraph",
            "layout-random",
            "layout-relation",
            "layout-schedule",
        ],
        true,
    ),
    (
        "layout-lowering",
        &[
            "layout-algebra",
            "layout-dialect",
            "layout-random",
            "layout-relation",
            "layout-runtime",
            "layout-toolchain",
        ],
        true,
    ),
    ("layout-picture", &["layout-algebra"], false),
    (
        "layout-calc",
        &["layout-algebra", "layout-egraph", "layout-picture", "layout-random", "layout-relation"],
        false,
    ),
    ("layout-python", &["layout-algebra", "layout-picture"], false),
    ("layout-python-mlir", &["layout-compile", "layout-runtime"], true),
    ("layout-run", &["layout-runtime", "layout-schedule"], false),
    ("layout-opt", LIBRARIES, true),
    ("layout-lsp-server", LIBRARIES, true),
    ("layout-translate", LIBRARIES, true),
    ("layout-compile", LIBRARIES, true),
    ("layout-plugin", LIBRARIES, true),
    ("layout-support", &[], false),
    ("layout-tidy", &["layout-support"], false),
    ("xtask", &["layout-support", "layout-tidy"], false),
    ("layout-measure", &["layout-support"], false),
    // The oracle runs the passes; its interpreter imports none of these, which a test of it holds.
    (
        "layout-oracle",
        &["layout-dialect", "layout-lowering", "layout-passes", "layout-random"],
        true,
    ),
];

/// The crates that a driver that links everything may import.
const LIBRARIES: &[&str] = &[
    "layout-algebra",
    "layout-dialect",
    "layout-egraph",
    "layout-lowering",
    "layout-passes",
    "layout-random",
    "layout-relation",
    "layout-runtime",
    "layout-toolchain",
];

/// Packages that bring LLVM or MLIR with them.
const LLVM_PACKAGES: &[&str] = &["inkwell", "llvm-sys", "melior", "melior-macro", "mlir-sys"];

/// Longest source file; a longer one is to be split.
const MAX_LINES: usize = 800;

/// Files whose lines are rows of data; each with what the rows are.
const TABLES: &[(&str, &str)] = &[
    ("dialect/DIAGNOSTICS.md", "codes, each with an example and its diagnostics"),
    ("test/Device/PERFORMANCE.md", "measured problems, a row each, made of the records"),
    ("dialect/algebra/src/term/eval/table.rs", "the operations of the algebra, a row each"),
];

/// The folders of the repository; those that begin with a dot may be beside them.
const FOLDERS: &[&str] = &["dialect", "lowering", "passes", "test", "tools"];

/// The endings of source files.
const SOURCES: &[&str] = &["rs", "td", "cpp", "h", "py", "md"];

/// A document made by `mlir-tblgen`.
struct Generated {
    /// Where it lies.
    path: &'static str,
    /// The generator's arguments.
    generator: &'static [&'static str],
    /// The file that it is made from.
    input: &'static str,
    /// The folder that the input's includes are in.
    include: &'static str,
}

const GENERATED: &[Generated] = &[Generated {
    path: "dialect/OPERATIONS.md",
    generator: &["-gen-dialect-doc", "-dialect=layout"],
    input: "dialect/ir/ods/LayoutOps.td",
    include: "dialect/ir/ods",
}];

/// Reports each finding on standard error; whether there was none.
///
/// # Errors
///
/// A program or file that the checks need and that cannot be run or read.
pub fn run() -> Result<bool, Error> {
    let metadata = full_metadata()?;
    let mut findings = floors(&metadata);
    let files = tracked_files()?;
    findings.extend(rooms::findings(&workspace::root(), &files)?);
    findings.extend(unlisted_tests(&metadata, &files)?);
    findings.extend(long_files(&files)?);
    findings.extend(strange_folders(&files));
    findings.extend(missing_readmes(&files));
    let crates: Vec<&str> = FLOORS.iter().map(|row| row.0).collect();
    findings.extend(pages::findings(&workspace::root(), &files, &crates)?);
    findings.extend(words::findings(&workspace::root(), &files)?);
    findings.extend(figures::findings(&workspace::root(), &files)?);
    findings.extend(stale_docs()?);
    findings.extend(short_descriptions(&generated(&GENERATED[0])?));
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    if findings.is_empty() {
        println!("tidy: {} files, {} crates, no findings", files.len(), FLOORS.len());
    }
    Ok(findings.is_empty())
}

/// Writes the generated docs.
///
/// # Errors
///
/// A generator that fails, or a page that cannot be written.
pub fn generate() -> Result<(), Error> {
    for row in GENERATED {
        let path = workspace::root().join(row.path);
        std::fs::write(&path, generated(row)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        println!("bless: wrote {}", row.path);
    }
    Ok(())
}

fn full_metadata() -> Result<Value, Error> {
    let text = process::read(&mut workspace::cargo(&["metadata", "--format-version=1"]))?;
    serde_json::from_str(&text).map_err(|error| format!("cargo metadata: {error}"))
}

/// Checks every edge between our crates, and what is below the crates that must not reach LLVM.
fn floors(metadata: &Value) -> Vec<String> {
    let empty = Vec::new();
    let mut names = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap_or(&empty) {
        if let (Some(id), Some(name)) = (package["id"].as_str(), package["name"].as_str()) {
            names.insert(id, name);
        }
    }
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in metadata["resolve"]["nodes"].as_array().unwrap_or(&empty) {
        let Some(id) = node["id"].as_str() else { continue };
        let to = node["dependencies"].as_array().unwrap_or(&empty);
        edges.insert(id, to.iter().filter_map(Value::as_str).collect());
    }
    let members: BTreeSet<&str> = metadata["workspace_members"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut findings = Vec::new();
    for member in &members {
        let name = names.get(member).copied().unwrap_or(member);
        let Some((_, allowed, llvm)) = FLOORS.iter().find(|row| row.0 == name) else {
            findings.push(format!(
                "crate {name} has no floor: expected a row in tidy's FLOORS, found none"
            ));
            continue;
        };
        for to in edges.get(member).into_iter().flatten().filter(|to| members.contains(*to)) {
            let to = names.get(to).copied().unwrap_or(to);
            if !allowed.contains(&to) {
                findings.push(format!(
                    "back edge: {name} may import [{}], found an import of {to}",
                    allowed.join(", ")
                ));
            }
        }
        if !llvm {
            let below = reachable(member, &edges);
            for package in below.iter().filter_map(|id| names.get(id)) {
                if LLVM_PACKAGES.contains(package) {
                    findings
                        .push(format!("{name} must build without LLVM, found {package} below it"));
                }
            }
        }
    }
    findings
}

fn reachable<'a>(from: &'a str, edges: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        for to in edges.get(id).into_iter().flatten() {
            if seen.insert(*to) {
                open.push(to);
            }
        }
    }
    seen
}

fn tracked_files() -> Result<Vec<String>, Error> {
    // In a container the checkout may belong to another user; listing its files is safe all the same.
    let mut list = Command::new("git");
    list.args(["-c", "safe.directory=*", "ls-files"]).current_dir(workspace::root());
    let listed = process::read(&mut list)?;
    Ok(listed
        .lines()
        .filter(|name| workspace::root().join(name).exists())
        .map(str::to_owned)
        .collect())
}

/// Files of tests that would never run: cargo finds none by itself beside a `tests/main.rs`.
fn unlisted_tests(metadata: &Value, files: &[String]) -> Result<Vec<String>, Error> {
    let empty = Vec::new();
    let root = workspace::root();
    let packages = metadata["packages"].as_array().unwrap_or(&empty).iter();
    let targets: BTreeSet<&str> = packages
        .flat_map(|package| package["targets"].as_array().unwrap_or(&empty))
        .filter_map(|target| target["src_path"].as_str())
        .collect();
    let mut findings = Vec::new();
    for main in files.iter().filter(|name| name.ends_with("/tests/main.rs")) {
        let text =
            std::fs::read_to_string(root.join(main)).map_err(|error| format!("{main}: {error}"))?;
        let folder = main.trim_end_matches("main.rs");
        for name in files.iter().filter(|name| *name != main) {
            let Some(inside) = name.strip_prefix(folder) else { continue };
            let module = match inside.split_once('/') {
                Some((module, "mod.rs")) => module,
                Some(_) => continue,
                None => inside,
            };
            let Some(module) =
                module.strip_suffix(".rs").or(inside.contains('/').then_some(module))
            else {
                continue;
            };
            let is_target = root.join(name).to_str().is_some_and(|path| targets.contains(path));
            if !is_target && !text.lines().any(|line| line == format!("mod {module};")) {
                findings.push(format!("{main}: expected `mod {module};` for {name}, found none"));
            }
        }
    }
    Ok(findings)
}

fn long_files(files: &[String]) -> Result<Vec<String>, Error> {
    let mut findings = Vec::new();
    for name in files {
        let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("");
        let exempt =
            TABLES.iter().any(|row| row.0 == name) || GENERATED.iter().any(|row| row.path == name);
        if !SOURCES.contains(&extension) || exempt {
            continue;
        }
        let path = workspace::root().join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let lines = text.lines().count();
        if lines > MAX_LINES {
            findings.push(format!("{name}: expected at most {MAX_LINES} lines, found {lines}"));
        }
    }
    Ok(findings)
}

/// The top level stays what ARCHITECTURE.md describes.
fn strange_folders(files: &[String]) -> Vec<String> {
    let tops: BTreeSet<&str> =
        files.iter().filter_map(|name| Some(name.split_once('/')?.0)).collect();
    tops.into_iter()
        .filter(|top| !top.starts_with('.') && !FOLDERS.contains(top))
        .map(|top| format!("expected only the folders {}, found {top}", FOLDERS.join(", ")))
        .collect()
}

/// Top-level folders, and folders that hold a crate, explain themselves.
fn missing_readmes(files: &[String]) -> Vec<String> {
    let mut folders = BTreeSet::new();
    for name in files {
        if let Some((top, _)) = name.split_once('/')
            && !top.starts_with('.')
        {
            folders.insert(top);
        }
        if let Some(folder) = name.strip_suffix("/Cargo.toml") {
            folders.insert(folder);
        }
    }
    let has = |folder: &str| files.iter().any(|name| *name == format!("{folder}/README.md"));
    folders
        .into_iter()
        .filter(|folder| !has(folder))
        .map(|folder| format!("{folder}: expected a README.md, found none"))
        .collect()
}

fn stale_docs() -> Result<Vec<String>, Error> {
    let mut findings = Vec::new();
    for row in GENERATED {
        let found = std::fs::read_to_string(workspace::root().join(row.path)).unwrap_or_default();
        if found != generated(row)? {
            findings.push(format!("{}: stale, `cargo xtask bless` regenerates it", row.path));
        }
    }
    Ok(findings)
}

/// The parts of each operation's description besides its summary.
const PARTS: &[&str] = &["- Preconditions:", "- Postconditions:", "- Errors:", "```mlir"];

/// The operations in the generated page whose description lacks a part.
fn short_descriptions(page: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let heading = section.lines().next().unwrap_or("");
        if !heading.ends_with("Op)") {
            continue;
        }
        let name = heading.split('`').nth(1).unwrap_or(heading);
        if !section.lines().skip(1).any(|line| line.starts_with('_') && line.ends_with('_')) {
            findings.push(format!("{name}: expected a summary, found none"));
        }
        for part in PARTS.iter().filter(|part| !section.contains(*part)) {
            findings.push(format!("{name}: expected '{part}' in its description, found none"));
        }
    }
    findings
}

fn generated(row: &Generated) -> Result<String, Error> {
    let root = workspace::root();
    process::read(
        Command::new(workspace::llvm_tool("mlir-tblgen"))
            .args(row.generator)
            .arg(root.join(row.input))
            .arg("-I")
            .arg(root.join(row.include))
            .arg("-I")
            .arg(workspace::llvm_prefix().join("include")),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn graph(edges: &[(&str, &[&str])], members: &[&str]) -> Value {
        json!({
            "packages": edges.iter().map(|(name, _)| json!({"id": name, "name": name})).collect::<Vec<_>>(),
            "workspace_members": members,
            "resolve": {"nodes": edges.iter().map(|(name, to)| json!({"id": name, "dependencies": to})).collect::<Vec<_>>()},
        })
    }

    #[test]
    fn an_import_upwards_is_found() {
        let metadata = graph(
            &[("layout-algebra", &["layout-dialect"]), ("layout-dialect", &[])],
            &["layout-algebra", "layout-dialect"],
        );
        assert_eq!(
            floors(&metadata),
            [
                "back edge: layout-algebra may import [layout-random], found an import of layout-dialect"
            ]
        );
    }

    #[test]
    fn llvm_below_a_plain_crate_is_found_through_others() {
        let metadata = graph(
            &[("layout-egraph", &["egg"]), ("egg", &["mlir-sys"]), ("mlir-sys", &[])],
            &["layout-egraph"],
        );
        assert_eq!(
            floors(&metadata),
            ["layout-egraph must build without LLVM, found mlir-sys below it"]
        );
    }

    #[test]
    fn an_operation_whose_description_lacks_a_part_is_found() {
        let page = "# d\n\n### `layout.size` (::layout::SizeOp)\n\n_How many_\n\n\
                    - Preconditions: none.\n- Postconditions: x\n\n```mlir\n```\n\n\
                    ### TermAttr\n\nfree text";
        assert_eq!(
            short_descriptions(page),
            ["layout.size: expected '- Errors:' in its description, found none"]
        );
    }

    #[test]
    fn a_new_crate_needs_a_floor() {
        let metadata = graph(&[("layout-new", &[])], &["layout-new"]);
        assert_eq!(
            floors(&metadata),
            ["crate layout-new has no floor: expected a row in tidy's FLOORS, found none"]
        );
    }

    #[test]
    fn a_new_top_level_folder_is_found() {
        let files = ["README.md", ".ci/run", "test/x.mlir", "docs/x.md"].map(str::to_owned);
        assert_eq!(
            strange_folders(&files),
            ["expected only the folders dialect, lowering, passes, test, tools, found docs"]
        );
    }

    #[test]
    fn folders_without_a_readme_are_found() {
        let files =
            ["README.md", ".ci/run", "tools/README.md", "tools/run/Cargo.toml", "test/x.mlir"];
        assert_eq!(
            missing_readmes(&files.map(str::to_owned)),
            [
                "test: expected a README.md, found none",
                "tools/run: expected a README.md, found none"
            ]
        );
    }
}
