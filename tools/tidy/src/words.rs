//! Words that pages, comments and messages do not use, since the field has others.
//!
//! The list is the glossary's right column; the left one says what to write. A word in backticks or quotes of its own is a
//! quotation, such as an old spelling that an error names.

use std::path::Path;

use layout_support::process::Error;

/// Words that are not the field's, in lower case, each with what the field says.
const WORDS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("are said", "are stated, or are reported"),
    ("as good as none", "negligible, or unused"),
    ("as it stands", "unchanged, or as written"),
    ("ask", "call, query, or require"),
    ("asked", "called, queried, or requested"),
    ("asks", "calls, queries, or requires"),
    ("blocks load for each other", "TMA multicast"),
    ("blocks of 16 bytes", "interleave of 16 bytes"),
    ("change places", "are swapped, or exchanged"),
    ("change roles", "are exchanged, or swap_ab"),
    ("datum", "operand, attribute, or element"),
    ("dear", "costly"),
    ("dearer", "more costly"),
    ("equal shares", "stream-K"),
    ("exchange roles", "swap_ab"),
    ("formed apart", "two-level accumulation"),
    ("goes on in", "continues in"),
    ("guard", "predicate"),
    ("guarded", "predicated"),
    ("guards", "predicates"),
    ("had better leave", "evict-first"),
    ("hand on", "pass on"),
    ("handed on", "passed on"),
    ("hands on", "passes on"),
    ("heed", "a plain verb"),
    ("heeded", "a plain verb"),
    ("heeds", "a plain verb"),
    ("held against", "compared with"),
    ("in parts of k", "split-K"),
    ("in the place of", "in place of"),
    ("in turns", "alternately, or interleaved"),
    ("is said", "is stated, or is reported"),
    ("known in part", "partly static"),
    ("known in parts", "partly static"),
    ("layout behind a swizzle", "composed layout, or swizzled layout"),
    ("layout behind another", "composed layout"),
    ("layout into coordinates", "coordinate layout"),
    ("layouts behind", "composed layouts"),
    ("layouts into coordinates", "coordinate layouts"),
    ("level 2 cache", "L2 cache"),
    ("lives there", "contents"),
    ("load for each other", "TMA multicast"),
    ("look at", "examine"),
    ("looked at", "examined"),
    ("looks at", "examines"),
    ("meet at a bank", "bank conflict"),
    ("meet at banks", "bank conflict"),
    ("mended", "fixed"),
    ("most like it", "did you mean"),
    ("now and then", "occasionally"),
    ("of as many calls", "of separate calls"),
    ("on their way", "in flight"),
    ("order of tiles", "raster order"),
    ("parts of k", "split-K, or slices of K"),
    ("promote", "two-level accumulation"),
    ("put back", "reintroduced"),
    ("role", "operand; producer or consumer"),
    ("roles", "operands; producer and consumers"),
    ("second-level cache", "L2 cache"),
    ("short row", "a short inner dimension"),
    ("short rows", "short inner dimensions, or rows of few elements"),
    ("somebody", "a caller, a reader, or a pass"),
    ("stand behind", "follow, or are behind"),
    ("stand beside", "are beside"),
    ("stands at", "is at"),
    ("stands before", "precedes, or is before"),
    ("stands behind", "follows, or is behind"),
    ("stands beside", "is beside"),
    ("stands there", "is there"),
    ("stands where", "is where"),
    ("streamed", "evict-first"),
    ("subject", "operation, or what it is"),
    ("subjects", "what they are"),
    ("sums apart", "two-level accumulation"),
    ("sums of their own", "two-level accumulation"),
    ("take turns", "alternate"),
    ("takes turns", "alternates"),
    ("team", "consumer group"),
    ("teams", "consumer groups, or ping-pong"),
    ("tell", "report, distinguish, or state"),
    ("tells", "reports, distinguishes, or states"),
    ("tiles in turns", "tiles alternately, or round-robin"),
    ("told", "reported, or stated"),
    ("under way", "in flight"),
    ("wait for it themselves", "programmatic dependent launch"),
    ("wanted", "expected, or requested"),
    ("ways of a branch", "sides of a branch"),
    ("what it reaches", "image, cosize, or what it calls"),
    ("who holds what", "thread-value layout"),
    ("whose lives", "whose lifetimes"),
    ("yardstick", "baseline"),
];

/// Words that sources do not use besides: comments, messages and programs. Pages of measurements quote some.
const SOURCE_WORDS: &[(&str, &str)] = &[
    ("behind", "after, past, under, or following"),
    ("handed", "passed"),
    ("hands", "passes, or carries"),
    ("said", "stated, or reported"),
    ("want", "require, or expect"),
    ("wants", "requires, or expects"),
];

/// Words of [`SOURCE_WORDS`] that are used in one way only: each with the words that may follow it.
const FOLLOWED: &[(&str, &[&str], &str)] =
    &[("stand", &["for"], "are, or lie"), ("stands", &["for"], "is, or lies")];

/// Words that no identifier has as a part, each with what the field says. Identifiers are split on case and underscores.
const PARTS: &[(&str, &str)] = &[
    ("asked", "queried, or requested"),
    ("datum", "a value, or what it is: operand, attribute, element"),
    ("guard", "predicate; redzone of memory"),
    ("guarded", "predicated"),
    ("guards", "predicates"),
    ("handed", "passed"),
    ("hands", "passes"),
    ("heed", "a plain verb"),
    ("heeds", "a plain verb"),
    ("iota", "identity tensor, coordinate"),
    ("promote", "two_level_accumulation"),
    ("promotes", "two_level_accumulation"),
    ("role", "operand, dimension, or warp group"),
    ("roles", "operands, dimensions, or warp groups"),
    ("said", "stated, or reported"),
    ("streamed", "evict_first"),
    ("subject", "operation, adaptor, or what it is"),
    ("subjects", "what they are"),
    ("team", "consumer group"),
    ("teams", "consumer groups"),
    ("told", "reported, or described"),
    ("truth", "boolean, or condition"),
    ("truths", "booleans, or conditions"),
    ("wanted", "expected, or requested"),
    ("wants", "requires, or expects"),
];

/// Words that say where something is and not what it is: no identifier has one as a part, and none is declared as one. Strings
/// of several lines have them as words.
const PREPOSITIONS: &[(&str, &str)] = &[
    ("apart", "separate, distinct, or a stride"),
    ("behind", "composed, inner, after, or an offset"),
    ("beside", "what it is: operand, expected, sibling"),
];

/// Identifiers that others made; each with whose it is.
const FOREIGN: &[(&str, &str)] = &[
    ("MutexGuard", "Rust's standard library"),
    ("lock_guard", "C++'s standard library"),
    ("broadcasted_iota", "JAX"),
];

/// Code whose identifiers are checked; of programs in MLIR, the names of symbols are.
const CODE: &[&str] = &[".rs", ".td", ".py", ".h", ".cpp", ".mlir"];

/// Files with sentences of ours.
const ENDINGS: &[&str] = &[
    ".md", ".rs", ".td", ".py", ".pyi", ".h", ".c", ".cpp", ".cu", ".mlir", ".test", ".toml",
    ".sh", ".yml", ".cmake",
];

/// Files whose words come from elsewhere; each with from where.
const QUOTATIONS: &[(&str, &str)] = &[
    ("test/Device/PERFORMANCE.md", "notes of records, as they were measured"),
    ("tools/tidy/src/words.rs", "this list"),
];

/// Pages that are made from records; their sentences are those of the sources.
const GENERATED: &[&str] = &["test/Device/PERFORMANCE.md"];

/// How no sentence of a page and of a comment begins: the subject comes first.
const BEGINNINGS: &[&str] = &["Of ", "What "];

/// Each place where a page, a comment or a message has a word of the list.
pub(crate) fn findings(root: &Path, files: &[String]) -> Result<Vec<String>, Error> {
    let mut findings = Vec::new();
    for name in files.iter().filter(|name| ENDINGS.iter().any(|ending| name.ends_with(ending))) {
        if QUOTATIONS.iter().any(|(path, _)| path == name) {
            continue;
        }
        let text =
            std::fs::read_to_string(root.join(name)).map_err(|error| format!("{name}: {error}"))?;
        let is_page = name.ends_with(".md");
        let prose = if name.ends_with(".mlir") { remarks(&text) } else { text.clone() };
        findings.extend(of(name, &prose, !is_page));
        if CODE.iter().any(|ending| name.ends_with(ending)) {
            findings.extend(identifiers(name, &text));
        }
        match is_page {
            true if GENERATED.contains(&name.as_str()) => {}
            true => findings.extend(beginnings(name, &text)),
            false => findings.extend(comments(name, &text)),
        }
    }
    Ok(findings)
}

/// Sentences of comments that begin with what belongs after their subject: at the start of a line that follows no comment
/// line, or one whose predecessor ends a sentence, and after a full stop within a line. Questions do.
fn comments(name: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut ended = true;
    for (line, own) in (1..).zip(text.lines()) {
        let Some(comment) = comment(name, own.trim()) else {
            ended = true;
            continue;
        };
        let begins = |word: &&&str| {
            (ended && comment.starts_with(**word)) || comment.contains(&format!(". {word}"))
        };
        let found = BEGINNINGS.iter().find(begins);
        if let Some(word) = found.filter(|_| !comment.contains('?')) {
            findings.push(format!(
                "{name}:{line}: expected a sentence that begins with its subject, found \"{}\"",
                word.trim_end()
            ));
        }
        ended = comment.is_empty() || comment.ends_with(['.', ':', '"']);
    }
    findings
}

/// The comment that a line is, or `None` for code and for a command of a test.
fn comment<'l>(name: &str, line: &'l str) -> Option<&'l str> {
    let marks = ['/', '!', '#', ':'];
    let comment = if name.ends_with(".py") || name.ends_with(".pyi") {
        line.strip_prefix("\"\"\"").or_else(|| line.strip_prefix('#'))?
    } else if name.ends_with(".test") {
        line
    } else {
        line.strip_prefix("//")?
    };
    let comment = comment.trim_start_matches(marks).trim();
    let is_command = |head: &str| {
        !head.is_empty()
            && head
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "-_".contains(c))
    };
    (!comment.split_once(':').is_some_and(|(head, _)| is_command(head))).then_some(comment)
}

/// Sentences of a page that begin with what belongs after their subject. Questions do.
fn beginnings(name: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let (mut fenced, mut ended) = (false, true);
    for (line, own) in (1..).zip(text.lines()) {
        if own.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced || own.starts_with('#') {
            continue;
        }
        let trimmed = own.trim_start_matches([' ', '-', '|', '>']);
        for word in BEGINNINGS {
            let at_start = (ended || trimmed.len() < own.len()) && trimmed.starts_with(word);
            let inside = [". ", "| "].iter().any(|before| own.contains(&format!("{before}{word}")));
            if (at_start || inside) && !own.contains('?') {
                findings.push(format!(
                    "{name}:{line}: expected a sentence that begins with its subject, found \"{}\"",
                    word.trim_end()
                ));
            }
        }
        ended = own.trim_end().is_empty() || own.trim_end().ends_with(['.', ':', '|']);
    }
    findings
}

/// The comments of a program, line by line: its operations may have old keys, which an error refuses.
fn remarks(program: &str) -> String {
    let comments =
        program.lines().map(|line| line.split_once("//").map_or("", |(_, comment)| comment));
    comments.collect::<Vec<_>>().join("\n")
}

/// The findings of one text, those of a phrase that a line break divides too; `is_source`: with [`SOURCE_WORDS`].
fn of(name: &str, text: &str, is_source: bool) -> Vec<String> {
    let mut findings = Vec::new();
    let mut next = text.lines().skip(1);
    for (line, own) in (1..).zip(text.lines()) {
        let mut own = own.trim_end().to_lowercase();
        let end = own.len();
        // After the comment's mark, or the list's.
        let following = next.next().unwrap_or("").trim_start().trim_start_matches(['/', '!', '#']);
        own.push(' ');
        own.push_str(&following.trim_start().to_lowercase());
        let found = |word: &str, at: usize| at < end && is_ours(&own, at, at + word.len());
        let sources: &[_] = if is_source { SOURCE_WORDS } else { &[] };
        for (word, better) in WORDS.iter().chain(sources) {
            if own.match_indices(word).any(|(at, _)| found(word, at)) {
                findings.push(format!("{name}:{line}: expected {better}, found \"{word}\""));
            }
        }
        for (word, followers, better) in FOLLOWED.iter().filter(|_| is_source) {
            let follows = |at: usize| {
                let next = own[at + word.len()..].split_whitespace().next().unwrap_or("");
                followers.contains(&next.trim_end_matches(|c: char| !c.is_alphanumeric()))
            };
            if own.match_indices(word).any(|(at, _)| found(word, at) && !follows(at)) {
                findings.push(format!("{name}:{line}: expected {better}, found \"{word}\""));
            }
        }
    }
    findings
}

/// Identifiers of code with a word of [`PARTS`] or [`PREPOSITIONS`]. Comments and strings are prose, or spellings of before.
fn identifiers(name: &str, text: &str) -> Vec<String> {
    let comment = if name.ends_with(".py") { "#" } else { "//" };
    let is_program = name.ends_with(".mlir");
    let mut findings = Vec::new();
    for (line, own) in (1..).zip(text.lines()) {
        let code: String = own
            .split('"')
            .step_by(2)
            .map(|outside| outside.split_once(comment).unwrap_or((outside, "")).0)
            .collect::<Vec<_>>()
            .join(" ");
        let all = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '@');
        for identifier in all.filter(|identifier| !is_program || identifier.starts_with('@')) {
            let identifier = identifier.trim_start_matches('@');
            let parts = parts(identifier);
            let declares = |keyword: &&str| code.contains(&format!("{keyword} {identifier}"));
            let is_name = is_program || parts.len() > 1 || ["let", "fn"].iter().any(declares);
            let mut rows = PARTS.iter().chain(PREPOSITIONS.iter().filter(|_| is_name));
            let Some((word, better)) = rows.find(|row| parts.iter().any(|part| part == row.0))
            else {
                continue;
            };
            if FOREIGN.iter().all(|(foreign, _)| *foreign != identifier) {
                findings.push(format!(
                    "{name}:{line}: expected {better}, found \"{word}\" in the identifier {identifier}"
                ));
            }
        }
    }
    findings
}

/// The words of an identifier in lower case: `TermValue`, `term_value` and `TERM_VALUE` have the same ones.
fn parts(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = '_';
    for c in identifier.chars() {
        if c == '_' || (c.is_uppercase() && before.is_lowercase()) {
            parts.push(String::new());
        }
        if let (true, Some(last)) = (c != '_', parts.last_mut()) {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    parts
}

/// Whether the bytes from `first` to `end` are whole words, and no quotation.
fn is_ours(line: &str, first: usize, end: usize) -> bool {
    let before = line[..first].chars().next_back();
    let after = line[end..].chars().next();
    let continues =
        |next: Option<char>| next.is_some_and(|c| c.is_alphanumeric() || "_-/".contains(c));
    let quotes = |mark: char| before == Some(mark) && after == Some(mark);
    !continues(before) && !continues(after) && !quotes('`') && !quotes('"') && !quotes('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_split_on_case_and_underscores() {
        let text = "fn old_datum() { let x = TEAMS + rolesOfAll; } // a role\nlet y = \"streamed\"; let guardian = 1;\nuse std::sync::MutexGuard;\n\
                    behind\nlet behind = f();\nfn lies_beside()";
        let found = |line: i32, word: &str, identifier: &str| {
            let better =
                PARTS.iter().chain(PREPOSITIONS).find(|row| row.0 == word).map_or("", |row| row.1);
            format!(
                "x.rs:{line}: expected {better}, found \"{word}\" in the identifier {identifier}"
            )
        };
        let expected = [
            (1, "datum", "old_datum"),
            (1, "teams", "TEAMS"),
            (1, "roles", "rolesOfAll"),
            (5, "behind", "behind"),
            (6, "beside", "lies_beside"),
        ];
        assert_eq!(
            identifiers("x.rs", text),
            expected.map(|(line, word, own)| found(line, word, own))
        );
        assert_eq!(parts("TermValue_of2"), ["term", "value", "of2"]);
    }

    #[test]
    fn sentences_begin_with_what_they_are_about() {
        let text = "# What it is\n\nWhat it does is this. Of two it is one.\nof course\n\nHow\nWhat is it?\n- What a list has.\n```\nWhat\n```";
        let found = |line: usize, word: &str| {
            format!(
                "x.md:{line}: expected a sentence that begins with its subject, found \"{word}\""
            )
        };
        assert_eq!(beginnings("x.md", text), [found(3, "Of"), found(3, "What"), found(8, "What")]);
    }

    #[test]
    fn comments_begin_with_what_they_are_about() {
        let text = "//! What it is.\nfn f() {\n    // It is one\n    // Of two.\n    // Of three, the first.\n}";
        let found = |line: usize, word: &str| {
            format!(
                "x.rs:{line}: expected a sentence that begins with its subject, found \"{word}\""
            )
        };
        assert_eq!(comments("x.rs", text), [found(1, "What"), found(5, "Of")]);
        let each = [
            ("x.py", "# Of it."),
            ("x.py", "#: What it is."),
            ("x.test", "What\nRUN: x\nWhat is it."),
            ("x.td", "// Of it"),
        ];
        assert_eq!(each.map(|(name, text)| comments(name, text).len()), [1, 1, 1, 1]);
    }

    #[test]
    fn sentences_within_comments_begin_with_what_they_are_about() {
        let text = "/// It is one. What it is not is two.\n/// A list, e.g. Of, ends. Of two\n/// it is one, of which\n/// What is it? Is it one. What\nlet x = \". What \";\n// It ends.\n//\n// It is. Ofs and Whats";
        let found = |line: usize, word: &str| {
            format!(
                "x.rs:{line}: expected a sentence that begins with its subject, found \"{word}\""
            )
        };
        assert_eq!(comments("x.rs", text), [found(1, "What"), found(2, "Of")]);
        let across = "// It ends.\n// What follows.\n//\n// Of it, a part.";
        assert_eq!(
            comments("x.h", across),
            [2, 4].map(|line| {
                let word = if line == 2 { "What" } else { "Of" };
                format!(
                    "x.h:{line}: expected a sentence that begins with its subject, found \"{word}\""
                )
            })
        );
        let each = [("x.mlir", "// It is. Of two"), ("x.test", "It is. What\nit has. What it is.")];
        assert_eq!(each.map(|(name, text)| comments(name, text).len()), [1, 1]);
    }

    #[test]
    fn words_of_sources_are_found_there_only() {
        let text = "A gap behind it.\nNames stand\nfor terms; one stands alone.";
        assert_eq!(of("x.md", text, false), Vec::<String>::new());
        let found = ["behind", "stands"].map(|word| format!("found \"{word}\""));
        let all = of("x.rs", text, true);
        assert!(all.len() == 2 && all.iter().zip(found).all(|(own, found)| own.contains(&found)));
    }

    #[test]
    fn words_of_programs_are_those_of_their_comments() {
        let text = "// Two teams.\nfunc.func @f() // with a team\n#layout.schedule<teams = 2>";
        assert_eq!(remarks(text), " Two teams.\n with a team\n");
        assert_eq!(of("x.mlir", &remarks(text), true).len(), 2);
        let program = "func.func @two_teams(%team: f32) // @guard\n\"@iota\" @beside";
        assert_eq!(identifiers("x.mlir", program).len(), 2);
    }

    #[test]
    fn words_that_are_not_ours_are_found() {
        let text = "Layouts known in part.\nTwo `teams`, or \"teams\"; `teams/1` is a record.\nTeams wait; steam does not.\n// The sums are formed\n// apart.";
        assert_eq!(
            of("x.md", text, false),
            [
                "x.md:1: expected partly static, found \"known in part\"",
                "x.md:3: expected consumer groups, or ping-pong, found \"teams\"",
                "x.md:4: expected two-level accumulation, found \"formed apart\"",
            ]
        );
    }
}
