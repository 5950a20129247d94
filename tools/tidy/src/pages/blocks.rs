//! Blocks of code and of commands on pages: a test runs each, or the block says why none does.
//!
//! The words after the language of a block of `console` are its mark:
//!
//! | mark | meaning |
//! |---|---|
//! | none | the test of the page's row in [`RUN`] runs it |
//! | `gpu` | the same test runs it where there is a GPU, and [`ON_GPU`] names the page |
//! | `run-in PATH` | that file runs it: it has the program and the options of each command |
//! | `not-run REASON` | no test runs it |

use std::collections::BTreeMap;

use super::resolve;

/// Pages with blocks of code, each with the file that runs or generates them; that file names the page.
pub(super) const RUN: &[(&str, &str)] = &[
    ("README.md", "test/Pipeline/readme.test"),
    ("dialect/DIAGNOSTICS.md", "dialect/ir/tests/units/diagnostics/page.rs"),
    ("dialect/OPERATIONS.md", "dialect/ir/tests/operations/page.rs"),
    ("dialect/TUTORIAL.md", "test/Pipeline/tutorial.test"),
    ("dialect/algebra/README.md", "dialect/algebra/src/lib.rs"),
    ("dialect/algebra/src/course.md", "dialect/algebra/src/lib.rs"),
    ("dialect/book/attention.md", "test/Pipeline/book.test"),
    ("dialect/book/compilers.md", "test/Pipeline/book.test"),
    ("dialect/book/kernels.md", "test/Pipeline/book.test"),
    ("dialect/book/proofs.md", "test/Pipeline/book.test"),
    ("dialect/book/ways-in.md", "test/Pipeline/book.test"),
    ("lowering/README.md", "test/Pipeline/book.test"),
    ("lowering/kernels/README.md", "test/Pipeline/book.test"),
    ("passes/README.md", "test/Pipeline/book.test"),
    ("tools/calc/README.md", "tools/calc/tests/documents.rs"),
    ("tools/compile/README.md", "test/Pipeline/compile.test"),
    ("tools/opt/README.md", "test/Pipeline/book.test"),
    ("tools/python-mlir/README.md", "tools/python-mlir/tests/test_package.py"),
    ("tools/python/README.md", "tools/python/tests/test_operations.py"),
    ("tools/translate/README.md", "test/Pipeline/book.test"),
];

/// Pages whose blocks of `python` another test runs than their other ones.
const PYTHON: &[(&str, &str)] = &[("README.md", "tools/python/tests/test_operations.py")];

/// The test that runs blocks marked `gpu`.
pub(super) const ON_GPU: &str = "test/Device/pages.test";

/// Pages whose blocks without a language are commands all the same; each with what they are.
const OTHERS: &[(&str, &str)] = &[
    ("test/Device/CHECKS.md", "commands of dated runs"),
    ("test/Device/EXPERIMENTS.md", "commands of dated runs"),
    ("tools/calc/README.md", "indented examples, which its test runs"),
];

/// Programs that a command begins with, besides those of ours.
const PROGRAMS: &[&str] = &[
    "cargo",
    "cc",
    "c++",
    "cmake",
    "export",
    "git",
    "lit",
    "maturin",
    "mlir-opt",
    "mlir-opt-22",
    "pip",
    "python",
    "python3",
];

/// A block of a page.
#[derive(Debug, PartialEq)]
struct Block<'t> {
    line: usize,
    /// Fenced by three backticks; others are indented by four spaces.
    is_fenced: bool,
    language: &'t str,
    mark: &'t str,
    body: Vec<&'t str>,
}

/// Each block of code whose page has no row of `run`, or whose row names a file that does not name the page; and each block of
/// commands that neither runs nor has a reason.
pub(super) fn findings(
    pages: &BTreeMap<&str, String>,
    run: &[(&str, &str)],
    read: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, text) in pages {
        let mut needs_row = None;
        for block in blocks(text) {
            let line = block.line;
            let at = |text: String| format!("{name}:{line}: {text}");
            if !block.is_fenced || ["", "text"].contains(&block.language) {
                let is_other = OTHERS.iter().any(|(page, _)| page == name);
                if let Some(command) = block.command().filter(|_| !is_other) {
                    findings.push(at(format!(
                        "expected a block of console for commands, found \"{command}\" in another block"
                    )));
                }
                continue;
            }
            let (word, rest) = block.mark.split_once(' ').unwrap_or((block.mark, ""));
            match (block.language, word) {
                ("console", "run-in") => findings.extend(
                    absent(&block, name, rest, read).into_iter().map(at),
                ),
                ("console", "not-run") => {
                    if rest.is_empty() {
                        findings.push(at("expected a reason after not-run, found none".to_owned()));
                    }
                }
                ("console", "gpu") => {
                    needs_row.get_or_insert(line);
                    if !read(ON_GPU).contains(last(name)) {
                        findings.push(at(format!("expected {ON_GPU} to name the page, found no {}", last(name))));
                    }
                }
                ("console", "") => {
                    needs_row.get_or_insert(line);
                }
                ("python", _) if PYTHON.iter().any(|(page, _)| page == name) => {
                    let row = PYTHON.iter().find(|(page, _)| page == name);
                    findings.extend(row.and_then(|(_, by)| not_named(name, by, read)).map(at));
                }
                ("console", mark) => findings.push(at(format!(
                    "expected gpu, run-in PATH, not-run REASON or nothing after console, found \"{mark}\""
                ))),
                _ => {
                    needs_row.get_or_insert(line);
                }
            }
        }
        let Some(line) = needs_row else { continue };
        let Some((_, by)) = run.iter().find(|(page, _)| page == name) else {
            findings.push(format!(
                "{name}:{line}: expected a row in RUN for the test that runs this code, found none"
            ));
            continue;
        };
        findings.extend(not_named(name, by, read).map(|text| format!("{name}:{line}: {text}")));
    }
    findings
}

/// Whether the file that should run a page's code does not name the page.
fn not_named(page: &str, by: &str, read: &dyn Fn(&str) -> String) -> Option<String> {
    let last = last(page);
    (!read(by).contains(last))
        .then(|| format!("expected {by} to run this code, found no {last} in it"))
}

/// The words of a block's commands that the file does not have which should run it.
fn absent(
    block: &Block<'_>,
    page: &str,
    path: &str,
    read: &dyn Fn(&str) -> String,
) -> Option<String> {
    let text = resolve(page, path).map(|path| read(&path)).unwrap_or_default();
    if text.is_empty() {
        return Some(format!("expected a file at {path}, found none"));
    }
    let words = block.words();
    let missing: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !text.contains(word)).collect();
    (!missing.is_empty())
        .then(|| format!("expected {path} to run this, found no {} in it", missing.join(", ")))
}

impl Block<'_> {
    /// The command that shows that the block has commands: its first line, or one after a `$`.
    fn command(&self) -> Option<&str> {
        let prompted = || self.body.iter().find_map(|line| line.trim_start().strip_prefix("$ "));
        let first = self.body.iter().map(|line| line.trim()).find(|line| !line.is_empty())?;
        let is_assignment = |word: &&str| {
            word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
            })
        };
        let program = first.split_whitespace().find(|word| !is_assignment(word))?;
        let is_ours = program.strip_prefix("layout-").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_lowercase())
                && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        });
        let is_ours = is_ours && !first.contains(" = ");
        let is_path = program.starts_with("/usr/");
        if is_ours || is_path || PROGRAMS.contains(&program) { Some(first) } else { prompted() }
    }

    /// The program and the names of the options of each command, and the words after `cargo`.
    fn words(&self) -> Vec<String> {
        let joined = self.body.join("\n").replace("\\\n", " ");
        let lines = joined.lines().filter_map(|line| line.strip_prefix("$ "));
        let mut words = Vec::new();
        for command in lines.flat_map(|line| line.split(" && ")) {
            let mut all = command.split_whitespace();
            let Some(program) = all.next() else { continue };
            let own = last(program);
            let own = own.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
            words.push(own.to_owned());
            for word in all {
                let name = word.split('=').next().unwrap_or(word);
                if let Some(long) = name.strip_prefix("--") {
                    words.push(long.to_owned());
                } else if name.starts_with("-D") {
                    words.push(name.to_owned());
                } else if name.starts_with('-') {
                    words.push(name.chars().take(2).collect());
                } else if own == "cargo" && !word.contains(['.', '/', '=']) {
                    words.push(word.to_owned());
                }
            }
        }
        words
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The blocks of a page: fenced ones, and lines after an empty one that are indented by four spaces, outside of lists.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let (mut fenced, mut indented, mut was_empty, mut in_list) = (false, false, true, false);
    for (line, own) in (1..).zip(text.lines()) {
        if let Some(info) = own.strip_prefix("```") {
            if !fenced {
                let (language, mark) = info.split_once(' ').unwrap_or((info, ""));
                blocks.push(Block {
                    line,
                    is_fenced: true,
                    language,
                    mark: mark.trim(),
                    body: Vec::new(),
                });
            }
            (fenced, indented, was_empty) = (!fenced, false, false);
            continue;
        }
        if fenced || indented && own.starts_with("    ") {
            blocks.last_mut().into_iter().for_each(|block| block.body.push(own));
            continue;
        }
        indented = was_empty && own.starts_with("    ") && !in_list;
        if indented {
            let body = vec![own];
            blocks.push(Block { line, is_fenced: false, language: "", mark: "", body });
        } else if !own.trim().is_empty() {
            let is_item = own.trim_start().starts_with(['-', '*'])
                || own.trim_start().split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok());
            in_list = is_item || in_list && own.starts_with(' ');
        }
        was_empty = own.trim().is_empty();
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let pages = BTreeMap::from([("a.md", text.to_owned())]);
        let read = |path: &str| match path {
            "a.test" => "RUN: x a.md".to_owned(),
            "b.test" => "RUN: mlir-opt %s --load-dialect-plugin=%plugin".to_owned(),
            _ => String::new(),
        };
        findings(&pages, &[("a.md", "a.test")], &read)
    }

    #[test]
    fn code_that_no_test_runs_is_found() {
        let page = |text: &str| text.to_owned();
        let pages = BTreeMap::from([
            ("a.md", page("```mlir\n```")),
            ("b/c.md", page("text\n```console\n```")),
            ("d.md", page("```text\n```\n```\n```")),
            ("e.md", page("```c\n```")),
        ]);
        let run = [("a.md", "a.test"), ("e.md", "e.test")];
        let read = |path: &str| if path == "a.test" { page("RUN: x a.md") } else { page("RUN: x") };
        assert_eq!(
            findings(&pages, &run, &read),
            [
                "b/c.md:2: expected a row in RUN for the test that runs this code, found none",
                "e.md:1: expected e.test to run this code, found no e.md in it"
            ]
        );
    }

    #[test]
    fn commands_outside_of_console_are_found() {
        assert_eq!(
            found(
                "text\n\n    cargo xtask demo\n\n```\n$ layout-calc 1\n1\n```\n```text\nA=1 python x.py\n```\n"
            ),
            [
                "a.md:3: expected a block of console for commands, found \"cargo xtask demo\" in another block",
                "a.md:5: expected a block of console for commands, found \"layout-calc 1\" in another block",
                "a.md:9: expected a block of console for commands, found \"A=1 python x.py\" in another block",
            ]
        );
        assert!(found("    layout.matmul on views ──►\n\n- a\n\n    cargo in a list\n").is_empty());
    }

    #[test]
    fn marks_have_what_they_need() {
        let run_in = "```console run-in b.test\n$ mlir-opt-22 x.mlir --load-dialect-plugin=y \\\n    --other=z\n```\n";
        let marks = "```console not-run\n```\n```console not-run needs a network\n```\n```console maybe\n```\n```console gpu\n```\n";
        assert_eq!(
            found(&format!("{run_in}{marks}")),
            [
                "a.md:1: expected b.test to run this, found no other in it",
                "a.md:5: expected a reason after not-run, found none",
                "a.md:9: expected gpu, run-in PATH, not-run REASON or nothing after console, found \"maybe\"",
                "a.md:11: expected test/Device/pages.test to name the page, found no a.md",
            ]
        );
    }
}
