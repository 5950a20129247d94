//! Licences: each crate that we build on is under one that may be combined with ours.
//!
//! `cargo deny check` reads the same list in `deny.toml`, which a test holds to this one. It is no part of CI: its 143 crates (0.20.2) would be
//! compiled in each clean run, and its check of advisories clones RustSec's database, for which CI has no network.

use serde_json::Value;

/// Licences that a crate may be under, by their names in SPDX's list.
const TAKEN: &[&str] = &[
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Crates that say no licence in their manifest; each with where it stands.
const SAID_ELSEWHERE: &[(&str, &str)] = &[("mlir-sys", "MIT, in its LICENSE")];

/// The crates of `cargo metadata` whose licence is none of those.
pub(crate) fn findings(metadata: &Value) -> Vec<String> {
    let empty = Vec::new();
    let mut findings = Vec::new();
    for package in metadata["packages"].as_array().unwrap_or(&empty) {
        let name = package["name"].as_str().unwrap_or_default();
        if SAID_ELSEWHERE.iter().any(|(own, _)| *own == name) {
            continue;
        }
        let found = package["license"].as_str();
        if !found.is_some_and(is_taken) {
            let found = found.unwrap_or("none");
            findings
                .push(format!("crate {name}: expected a licence that tidy takes, found {found}"));
        }
    }
    findings
}

/// Whether an expression of SPDX can be met: one of alternatives, all of what is joined.
fn is_taken(expression: &str) -> bool {
    // Before SPDX's OR there was a slash.
    let expression = expression.replace('/', " OR ");
    let all = |text: &str| {
        text.split(" AND ").all(|one| {
            let one = one.trim().trim_matches(['(', ')']).trim();
            one.split(" OR ").any(|one| TAKEN.contains(&one.trim().trim_matches(['(', ')'])))
        })
    };
    // Parentheses stand around alternatives alone, so that joined parts can be examined by themselves.
    match expression.contains(" AND ") {
        true => all(&expression),
        false => expression.split(" OR ").any(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_and_joined_licences_are_read() {
        for taken in
            ["MIT", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0", "GPL-3.0 OR MIT"]
        {
            assert!(is_taken(taken), "{taken}");
        }
        for refused in ["GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR AGPL-3.0) AND MIT", ""] {
            assert!(!is_taken(refused), "{refused}");
        }
    }

    #[test]
    fn the_list_for_cargo_deny_is_this_one() {
        let text = include_str!("../../../deny.toml");
        let allowed = text.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']'));
        let (allowed, _) = allowed.expect("a list of licences");
        let allowed: Vec<&str> = allowed.split('"').skip(1).step_by(2).collect();
        assert_eq!(allowed, TAKEN);
        for (name, _) in SAID_ELSEWHERE {
            assert!(text.contains(&format!("crate = \"{name}\"")), "{name}");
        }
    }

    #[test]
    fn a_crate_without_a_licence_is_found() {
        let metadata = serde_json::json!({"packages": [
            {"name": "a", "license": "MIT"}, {"name": "b", "license": null}, {"name": "c", "license": "GPL-3.0"}]});
        assert_eq!(
            findings(&metadata),
            [
                "crate b: expected a licence that tidy takes, found none",
                "crate c: expected a licence that tidy takes, found GPL-3.0"
            ]
        );
    }
}
