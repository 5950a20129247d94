//! Names on pages: paths in backticks exist, and a page about a crate names types that are in it.

use std::collections::{BTreeMap, BTreeSet};

use super::resolve;

/// The pages about crates, and the folder of each crate.
const INSIDE: &str = "dialect/book/inside/";

/// Folders of crates whose names are not those of their pages.
const CRATES: &[(&str, &str)] = &[
    ("algebra", "dialect/algebra"),
    ("dialect", "dialect/ir"),
    ("egraph", "passes/egraph"),
    ("lowering", "lowering"),
    ("oracle", "test/Oracle"),
    ("passes", "passes/transforms"),
    ("random", "test/Random"),
    ("relation", "passes/relation"),
    ("runtime", "lowering/runtime"),
    ("schedule", "passes/schedule"),
    ("toolchain", "dialect/toolchain"),
    ("tools", "tools"),
];

/// Types of others that pages about crates name; each with whose it is.
const FOREIGN: &[(&str, &str)] = &[("MlirOptMain", "MLIR"), ("GitHub", "a name")];

/// Pages whose paths are those of another time or of other repositories; each with which.
const OTHERS: &[(&str, &str)] = &[
    ("CHANGELOG.md", "files of any version"),
    ("test/Device/CHECKS.md", "files of dated runs"),
    ("test/Device/EXPERIMENTS.md", "files of dated runs"),
    ("test/Device/PERFORMANCE.md", "files of dated runs"),
];

/// Endings of files that are in the repository.
const ENDINGS: &[&str] =
    &["rs", "td", "cpp", "h", "py", "mlir", "md", "test", "json", "jsonl", "toml", "sh", "cu"];

/// Each path in backticks that exists neither from the repository's root nor from the page's folder, its parents or their `src`.
pub(super) fn missing_paths(
    pages: &BTreeMap<&str, String>,
    exists: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, text) in pages {
        if OTHERS.iter().any(|(page, _)| page == name) {
            continue;
        }
        for (line, quoted) in quoted(&without_links(text)) {
            let Some(path) = path(quoted) else { continue };
            let folder = crate_of(name);
            let page = folder.as_deref().map(|folder| format!("{folder}/README.md"));
            if ![*name, page.as_deref().unwrap_or(name)]
                .iter()
                .any(|page| exists_from(page, path, exists))
            {
                findings.push(format!("{name}:{line}: expected a file {path}, found none"));
            }
        }
    }
    findings
}

/// Each type in backticks on a page about a crate that no source of the crate has.
pub(super) fn missing_types(
    pages: &BTreeMap<&str, String>,
    source: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, text) in pages {
        let Some(folder) = crate_of(name) else { continue };
        let source = source(&folder);
        let words: BTreeSet<&str> =
            source.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        for (line, quoted) in quoted(text) {
            if quoted.contains('/') {
                continue;
            }
            let parts = quoted.split(|c: char| !c.is_alphanumeric() && c != '_');
            for part in parts.filter(|part| is_type(part)) {
                let is_foreign = FOREIGN.iter().any(|(name, _)| *name == part);
                if !is_foreign && !words.contains(part) {
                    findings.push(format!(
                        "{name}:{line}: expected a type {part} in {folder}, found none"
                    ));
                }
            }
        }
    }
    findings
}

/// Crates that the index of the pages about crates has no row for, with a link to a page that exists.
pub(super) fn crates_without_page(pages: &BTreeMap<&str, String>, crates: &[&str]) -> Vec<String> {
    let index = format!("{INSIDE}README.md");
    let text = pages.get(index.as_str()).map_or("", String::as_str);
    let has_page = |name: &&&str| {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        row.is_some_and(|row| {
            row.split("](").skip(1).filter_map(|link| link.split_once(')')).any(|(target, _)| {
                !target.contains('/') && pages.contains_key(format!("{INSIDE}{target}").as_str())
            })
        })
    };
    let without = crates.iter().filter(|name| !has_page(name));
    without
        .map(|name| {
            format!("{index}: expected a row for `{name}` with a link to its page, found none")
        })
        .collect()
}

/// The folder of the crate that a page is about.
fn crate_of(page: &str) -> Option<String> {
    let own = page.strip_prefix(INSIDE)?.strip_suffix(".md").filter(|own| *own != "README")?;
    let folder = CRATES.iter().find(|(page, _)| *page == own);
    Some(folder.map_or_else(|| format!("tools/{own}"), |(_, folder)| (*folder).to_owned()))
}

/// Texts in backticks, outside of fenced code.
fn quoted(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut all = Vec::new();
    for (line, own) in (1..).zip(text.lines()) {
        if own.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !own.starts_with("    ") {
            all.extend(own.split('`').skip(1).step_by(2).map(|quoted| (line, quoted)));
        }
    }
    all
}

/// A page without the texts of its links, whose targets are checked by themselves.
fn without_links(text: &str) -> String {
    let parts: Vec<&str> = text.split("](").collect();
    let (last, links) = parts.split_last().unwrap_or((&"", &[]));
    let mut page: String = links
        .iter()
        .map(|part| {
            part.rsplit_once("[`").map_or(*part, |(before, link)| match link.ends_with('`') {
                true => before,
                false => part,
            })
        })
        .collect::<Vec<_>>()
        .join(" ");
    page.push_str(last);
    page
}

/// A text that is a path of the repository: with a slash and an ending, without what stands for other text.
fn path(quoted: &str) -> Option<&str> {
    let ending = quoted.rsplit_once('.')?.1;
    let of_path = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    let is_path = quoted.contains('/')
        && !quoted.starts_with(['/', '-'])
        && quoted.chars().all(of_path)
        && ENDINGS.contains(&ending);
    is_path.then_some(quoted)
}

fn exists_from(page: &str, path: &str, exists: &dyn Fn(&str) -> bool) -> bool {
    let mut folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
    loop {
        let place = resolve(&format!("{folder}/x"), path).unwrap_or_default();
        let place = place.trim_start_matches('/');
        let nested = format!("{folder}/src/{path}");
        if exists(place) || exists(nested.trim_start_matches('/')) {
            return true;
        }
        match folder.rsplit_once('/') {
            Some((parent, _)) => folder = parent,
            None if !folder.is_empty() => folder = "",
            None => return false,
        }
    }
}

/// A name of several letters that begins with a capital one, and has a small one.
fn is_type(word: &str) -> bool {
    let is_camel = word.starts_with(|c: char| c.is_ascii_uppercase());
    is_camel && !word.contains('_') && word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let text = "`src/a.rs` `test/b.test` `x/c.rs`\n```\n`no/d.rs`\n```\n`a.rs` `k/*.json` `--o=x/y.rs`";
        let pages = BTreeMap::from([("tools/k/README.md", text.to_owned())]);
        let exists = |path: &str| ["tools/k/src/a.rs", "test/b.test"].contains(&path);
        assert_eq!(
            missing_paths(&pages, &exists),
            ["tools/k/README.md:1: expected a file x/c.rs, found none"]
        );
    }

    #[test]
    fn crates_without_a_page_are_found() {
        let index = "| `layout-a` | [`tools/a`](../../../tools/a/README.md) | [a](a.md) | |\n\
                     | `layout-b` | [`tools/b`](../../../tools/b/README.md) | [b](b.md) | |\n";
        let pages = BTreeMap::from([
            ("dialect/book/inside/README.md", index.to_owned()),
            ("dialect/book/inside/a.md", String::new()),
        ]);
        assert_eq!(
            crates_without_page(&pages, &["layout-a", "layout-b", "layout-c"]),
            ["layout-b", "layout-c"].map(|name| format!(
                "dialect/book/inside/README.md: expected a row for `{name}` with a link to its page, found none"
            ))
        );
    }

    #[test]
    fn types_of_no_crate_are_found() {
        let text = "`Facts`, `Analyst::of` and `MAX`, `K`\n".to_owned();
        let pages = BTreeMap::from([("dialect/book/inside/egraph.md", text)]);
        let source = |folder: &str| {
            assert_eq!(folder, "passes/egraph");
            "pub struct Facts {}".to_owned()
        };
        assert_eq!(
            missing_types(&pages, &source),
            [
                "dialect/book/inside/egraph.md:1: expected a type Analyst in passes/egraph, found none"
            ]
        );
    }
}
