//! Pages: every link in Markdown resolves, every block of code has a test that runs it, ARCHITECTURE's "Where to look" names places that exist, and the front page is short.

mod blocks;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use layout_support::process::Error;

/// The page whose table answers a newcomer's questions, the table's heading, and how many rows it has at least.
const WHERE_TO_LOOK: (&str, &str, usize) = ("ARCHITECTURE.md", "## Where to look", 20);

/// The front page, and how many lines it has at most: what is read in a minute.
const FRONT_PAGE: (&str, usize) = ("README.md", 150);

/// The changes of a release by theme, and how many entries it has at most.
const CHANGES: (&str, usize) = ("CHANGELOG.md", 40);

/// The book's first page, and the tasks that a reader from CuTe searches it for: each is in a row with a link.
const FOUND_BY_WORD: (&str, &[&str]) = (
    "dialect/book/README.md",
    &[
        "print a layout",
        "partition a tile",
        "choose a swizzle",
        "a TMA copy",
        "a ping-pong GEMM",
        "a predicate",
    ],
);

/// A link as written in a page.
struct Link {
    line: usize,
    target: String,
}

/// The faults of the links, the code and the table of places of the pages in `files`.
pub(crate) fn findings(
    root: &Path,
    files: &[String],
    crates: &[&str],
) -> Result<Vec<String>, Error> {
    let mut pages = BTreeMap::new();
    for name in files.iter().filter(|name| name.ends_with(".md")) {
        let text =
            std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
        pages.insert(name.as_str(), text);
    }
    let exists = |path: &str| root.join(path).exists();
    let mut findings = broken_links(&pages, &exists);
    let (page, heading, least) = WHERE_TO_LOOK;
    let text = pages.get(page).map_or("", String::as_str);
    findings.extend(missing_places(page, text, heading, least, &exists));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    findings.extend(blocks::findings(&pages, blocks::RUN, &read));
    findings.extend(names::missing_paths(&pages, &exists));
    let source = |folder: &str| {
        let own = files
            .iter()
            .filter(|name| name.starts_with(&format!("{folder}/")) && !name.ends_with(".md"));
        own.map(|name| read(name)).collect::<Vec<_>>().join("\n")
    };
    findings.extend(names::missing_types(&pages, &source));
    findings.extend(names::crates_without_page(&pages, crates));
    let (page, most) = FRONT_PAGE;
    findings.extend(too_long(page, pages.get(page).map_or("", String::as_str), most));
    let (page, most) = CHANGES;
    findings.extend(too_many_entries(page, pages.get(page).map_or("", String::as_str), most));
    let (page, tasks) = FOUND_BY_WORD;
    findings.extend(not_found_by_word(page, pages.get(page).map_or("", String::as_str), tasks));
    Ok(findings)
}

/// A page of more lines than it may have.
fn too_long(page: &str, text: &str, most: usize) -> Option<String> {
    let found = text.lines().count();
    (found > most).then(|| format!("{page}: expected at most {most} lines, found {found}"))
}

/// Releases with more entries than they may have.
fn too_many_entries(page: &str, text: &str, most: usize) -> Vec<String> {
    let releases = text.split("\n## ").skip(1);
    let counted = releases.map(|release| {
        let count = release.lines().filter(|line| line.starts_with("- ")).count();
        (release.lines().next().unwrap_or(""), count)
    });
    let long = counted.filter(|(_, count)| *count > most);
    long.map(|(name, count)| {
        format!("{page}: expected at most {most} entries for {name}, found {count}")
    })
    .collect()
}

/// Tasks that no row of a table names beside a link.
fn not_found_by_word(page: &str, text: &str, tasks: &[&str]) -> Vec<String> {
    let is_row = |line: &&str| line.starts_with('|') && line.contains("](");
    let rows: Vec<&str> = text.lines().filter(is_row).collect();
    let absent = tasks.iter().filter(|task| !rows.iter().any(|row| row.contains(**task)));
    absent
        .map(|task| format!("{page}: expected a row for '{task}' with a link, found none"))
        .collect()
}

/// Links to files that do not exist and to headings that their page does not have. Links to the web
/// and to items of a crate (`crate::Layout`, which rustdoc resolves) are not followed.
fn broken_links(pages: &BTreeMap<&str, String>, exists: &dyn Fn(&str) -> bool) -> Vec<String> {
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        pages.iter().map(|(name, text)| (*name, anchors(text))).collect();
    let mut findings = Vec::new();
    for (name, text) in pages {
        for Link { line, target } in links(text) {
            if target.contains("://") || target.contains("::") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { Some((*name).to_owned()) } else { resolve(name, file) };
            let Some(path) = path.filter(|path| exists(path)) else {
                findings.push(format!("{name}:{line}: expected a file at {file}, found none"));
                continue;
            };
            if let Some(known) = anchors.get(path.as_str())
                && !anchor.is_empty()
                && !known.contains(anchor)
            {
                findings.push(format!(
                    "{name}:{line}: expected a heading #{anchor} in {path}, found none"
                ));
            }
        }
    }
    findings
}

/// Rows of the table that follows `heading` in `page`: each names a place, and all places exist.
fn missing_places(
    page: &str,
    text: &str,
    heading: &str,
    least: usize,
    exists: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .collect();
    let mut findings = Vec::new();
    if rows.len() < least {
        findings.push(format!(
            "{page}: expected at least {least} questions under '{heading}', found {}",
            rows.len()
        ));
    }
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let place = cells.last().copied().unwrap_or("");
        let paths: Vec<&str> =
            place.split('`').skip(1).step_by(2).filter(|path| path.contains('/')).collect();
        if paths.is_empty() {
            findings.push(format!("{page}: expected a path in `…` after '{}'", cells[0]));
        }
        for path in paths.into_iter().filter(|path| !exists(path)) {
            findings.push(format!("{page}: expected a file or folder {path}, found none"));
        }
    }
    findings
}

/// The inline links of a page, outside code.
fn links(text: &str) -> Vec<Link> {
    let mut links = Vec::new();
    for (line, prose) in prose(text) {
        for rest in prose.split("](").skip(1) {
            if let Some((target, _)) = rest.split_once(')') {
                let target = target.split_whitespace().next().unwrap_or("");
                links.push(Link { line, target: target.to_owned() });
            }
        }
    }
    links
}

/// The names that a page's headings are linked by, as GitHub makes them, and those of `<a id="…">`.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for rest in line.split("<a id=\"").skip(1) {
            anchors.extend(rest.split('"').next().map(str::to_owned));
        }
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .flat_map(char::to_lowercase)
            .collect();
        let count = seen.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

/// The numbered lines of a page outside fenced code, without what is in backticks.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((index + 1, line.split('`').step_by(2).collect()));
        }
    }
    lines
}

/// `target` from the folder of `page`, without `.` and `..`, or `None` if it leaves the repository.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut path = PathBuf::from(page);
    path.pop();
    for part in Path::new(target).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(pages: &[(&str, &str)]) -> Vec<String> {
        let pages: BTreeMap<&str, String> =
            pages.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        broken_links(&pages, &|path| pages.contains_key(path))
    }

    #[test]
    fn links_that_resolve_are_silent() {
        let found = broken(&[
            ("README.md", "[a](test/A.md#the-first-kernel) [b](#top) [c](https://x.org/y)\n# Top"),
            ("test/A.md", "# The first `kernel`\n[up](../README.md) [x](crate::Layout)"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_link_to_no_file_is_found() {
        assert_eq!(
            broken(&[("test/A.md", "text\n[b](B.md) [out](../../C.md)")]),
            [
                "test/A.md:2: expected a file at B.md, found none",
                "test/A.md:2: expected a file at ../../C.md, found none"
            ]
        );
    }

    #[test]
    fn a_link_to_no_heading_is_found() {
        assert_eq!(
            broken(&[("A.md", "[b](B.md#two)"), ("B.md", "# One\n```\n# Two\n```")]),
            ["A.md:1: expected a heading #two in B.md, found none"]
        );
    }

    #[test]
    fn code_holds_no_links() {
        assert!(broken(&[("A.md", "`[x](y)`\n```\n[x](y)\n```")]).is_empty());
    }

    #[test]
    fn headings_of_one_name_are_numbered() {
        assert!(broken(&[("A.md", "# One\n# One\n[a](#one) [b](#one-1)")]).is_empty());
    }

    #[test]
    fn a_long_front_page_is_found() {
        assert_eq!(too_long("R.md", "a\nb\n", 2), None);
        let expected = "R.md: expected at most 1 lines, found 2";
        assert_eq!(too_long("R.md", "a\nb\n", 1).as_deref(), Some(expected));
    }

    #[test]
    fn a_release_of_many_entries_is_found() {
        let text = "# Changes\n\n## 0.2\n- a\n\n### b\n- c\n- d\n\n## 0.1\n- e\n";
        let expected = "C.md: expected at most 2 entries for 0.2, found 3";
        assert_eq!(too_many_entries("C.md", text, 2), [expected]);
    }

    #[test]
    fn a_task_without_a_row_is_found() {
        let text = "| print a layout | [a](b.md) |\n| choose a swizzle | nowhere |\n";
        assert_eq!(
            not_found_by_word("B.md", text, &["print a layout", "choose a swizzle"]),
            ["B.md: expected a row for 'choose a swizzle' with a link, found none"]
        );
    }

    #[test]
    fn places_that_do_not_exist_are_found() {
        let page = "## Where\n\n| q | place |\n|---|---|\n| how? | `a/b.rs`, `a` |\n| who? | nobody |\n\
                    | what? | `a/c.rs` |\n\n## Next\n| x | `z/z` |";
        assert_eq!(
            missing_places("P.md", page, "## Where", 4, &|path| path == "a/b.rs"),
            [
                "P.md: expected at least 4 questions under '## Where', found 3",
                "P.md: expected a path in `…` after 'who?'",
                "P.md: expected a file or folder a/c.rs, found none"
            ]
        );
    }
}
