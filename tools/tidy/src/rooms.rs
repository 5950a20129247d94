//! The order of the modules inside a crate: each imports only from those before it.

use std::path::Path;

use layout_support::process::Error;

/// Crates whose top modules have an order, with those modules from the ground up. Modules of one floor may import each other.
const ROOMS: &[(&str, &[&[&str]])] = &[
    (
        "dialect/algebra/src",
        &[
            &["nearest"],
            &["nested"],
            &["place"],
            &["error"],
            &["cursor"],
            &["matrix"],
            &["integer"],
            &["tuple"],
            &["shape"],
            &["layout"],
            &["swizzle", "linear"],
            &["smem"],
            &["meaning"],
            &["term"],
            &["serialise"],
        ],
    ),
    (
        "dialect/ir/src",
        &[&["border"], &["diagnostics"], &["pass"], &["atoms"], &["data"], &["ops"]],
    ),
];

/// The imports that break the order, given the repository's root and its files.
pub(crate) fn findings(root: &Path, files: &[String]) -> Result<Vec<String>, Error> {
    let mut findings = Vec::new();
    for (folder, rooms) in ROOMS {
        let mut tests = Vec::new();
        let mut sources = Vec::new();
        for file in files.iter().filter(|file| file.ends_with(".rs")) {
            let Some(inside) = file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let name = inside.split('/').next().unwrap_or(inside).trim_end_matches(".rs");
            let text = std::fs::read_to_string(root.join(file))
                .map_err(|error| format!("{file}: {error}"))?;
            tests.extend(test_modules(file, &text));
            match rooms.iter().position(|floor| floor.contains(&name)) {
                Some(place) => sources.push((file, place, text)),
                None if name == "lib" => {}
                None => findings
                    .push(format!("{file} is in no room: expected one of {:?}", rooms.concat())),
            }
        }
        for (file, place, text) in sources.iter().filter(|(file, ..)| !tests.contains(file)) {
            for import in imports(text) {
                let allowed = rooms[..=*place].concat();
                if !allowed.contains(&import.as_str()) {
                    let allowed = allowed.join(", ");
                    findings.push(format!(
                        "back edge: {file} may import [{allowed}], found an import of {import}"
                    ));
                }
            }
        }
    }
    Ok(findings)
}

/// The files of a source's modules that only tests have.
fn test_modules(file: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let modules = lines.windows(2).filter(|pair| pair[0] == "#[cfg(test)]").filter_map(|pair| {
        let name = pair[1].strip_prefix("mod ")?.strip_suffix(';')?;
        Some(format!("{}/{name}.rs", file.trim_end_matches(".rs")))
    });
    modules.collect()
}

/// The top modules that a source names after `crate::`, without those of its comments and tests.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let code: Vec<&str> =
        code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let mut found = Vec::new();
    for (at, path) in code.match_indices("crate::") {
        let rest = &code[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(heads(group)),
            None => found.extend(heads(rest).into_iter().next()),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The first name of each path of a group, up to its closing brace.
fn heads(group: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut name, mut is_head) = (0_usize, String::new(), true);
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' | ';' if depth == 0 => {
                found.push(std::mem::take(&mut name));
                is_head = true;
                if c == ';' {
                    break;
                }
            }
            c if depth == 0 && is_head && (c.is_ascii_alphanumeric() || c == '_') => name.push(c),
            c if depth == 0 && !name.is_empty() && !c.is_whitespace() => is_head = false,
            _ => {}
        }
    }
    found.push(name);
    found.retain(|name| !name.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found() {
        let text = "use crate::{data::{term_value::TermValue, types}, ops};\nuse crate::pass::tree;\n\
                    // crate::comment\nfn f() { crate::border::ffi::lend(\"\"); }\n\
                    #[cfg(test)]\nmod tests {\n    use crate::hidden;\n}\n";
        assert_eq!(imports(text), ["border", "data", "ops", "pass"]);
        let modules = test_modules("src/codes.rs", "#[cfg(test)]\nmod page;\n\nmod other;\n");
        assert_eq!(modules, ["src/codes/page.rs"]);
    }

    #[test]
    fn back_edges_are_reported() {
        let folder = std::env::temp_dir().join(format!("layout-rooms-{}", std::process::id()));
        let source = folder.join("dialect/ir/src");
        std::fs::create_dir_all(&source).expect("a folder");
        std::fs::write(source.join("data.rs"), "use crate::{border::ffi, ops::infer};\n")
            .expect("a file");
        std::fs::write(source.join("stray.rs"), "").expect("a file");
        let files = ["data", "stray"].map(|name| format!("dialect/ir/src/{name}.rs"));
        let found = findings(&folder, &files).expect("an answer");
        std::fs::remove_dir_all(&folder).expect("the folder goes");
        assert_eq!(
            found,
            [
                "dialect/ir/src/stray.rs is in no room: expected one of [\"border\", \
                 \"diagnostics\", \"pass\", \"atoms\", \"data\", \"ops\"]",
                "back edge: dialect/ir/src/data.rs may import [border, diagnostics, pass, atoms, \
                 data], found an import of ops",
            ]
        );
    }
}
