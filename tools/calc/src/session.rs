//! A session: names that are bound, and lines that are answered with them.

use std::collections::BTreeMap;

use layout_algebra::{Error, LENGTH_LIMIT, Result, Term, Value, is_reserved};

use crate::question::{self, QuestionError, Reply};

/// The word that begins a binding.
pub(crate) const LET: &str = "let";

/// The names that lines have bound so far.
///
/// `let NAME = EXPR` binds a name to the *value* of the expression for the lines after it. A later
/// `let` of the same name takes its place, and may use what it replaces. One that fails takes the
/// name away, so that no later line continues with a value that was meant to be replaced.
#[derive(Default)]
pub(crate) struct Session {
    names: BTreeMap<String, Term>,
}

/// A line and what came of it.
pub(crate) struct Answer {
    /// The line, as it was written.
    pub input: String,
    /// The name that it binds.
    pub name: Option<String>,
    /// The expression, with values in place of names, or `None` if it could not be read.
    pub term: Option<Term>,
    /// Its value; an error where a question has a reply.
    pub value: Result<Value>,
    /// The answer to a question about relations.
    pub reply: Option<std::result::Result<Reply, QuestionError>>,
}

/// A line taken apart.
pub(crate) struct Line<'l> {
    pub name: Option<&'l str>,
    pub expression: &'l str,
    /// Bytes of the line before the expression.
    pub start: usize,
}

impl Session {
    /// Answers a line: an expression, `let NAME = EXPR` or `NAME = EXPR`.
    pub(crate) fn answer(&mut self, text: &str) -> Answer {
        let mut answer = Answer {
            input: text.to_owned(),
            name: None,
            term: None,
            value: Ok(Value::Int(0)), // replaced below on every path
            reply: None,
        };
        let line = match Line::of(text) {
            Ok(line) => line,
            Err(error) => {
                answer.value = Err(error);
                return answer;
            }
        };
        answer.name = line.name.map(str::to_owned);
        if let Some((row, start, rest)) = question::of(line.expression) {
            answer.value = Err(unexpected(text, line.start, "a term that has a value"));
            if line.name.is_none() {
                answer.reply = Some(question::answer(self, row, start, rest));
                return answer;
            }
        }
        answer.value = match self.parse(line.expression) {
            Ok(term) => {
                let value = term.eval();
                answer.term = Some(term);
                value
            }
            Err(error) => Err(shifted(with_option(error, line.expression), line.start)),
        };
        if let Some(name) = line.name {
            match &answer.value {
                Ok(value) => {
                    self.names.insert(name.to_owned(), Term::Literal(value.clone()));
                }
                Err(_) => {
                    self.names.remove(name);
                }
            }
        }
        answer
    }

    /// An expression with the bound names, parsed.
    pub(crate) fn parse(&self, expression: &str) -> Result<Term> {
        Term::parse_with(expression, &|name| self.names.get(name).cloned())
    }

    /// The bound names in the order of the alphabet, with what they stand for.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &Term)> {
        self.names.iter().map(|(name, term)| (name.as_str(), term))
    }
}

impl Answer {
    /// Whether there is a value or a reply.
    pub(crate) fn is_answered(&self) -> bool {
        self.reply.as_ref().map_or(self.value.is_ok(), std::result::Result::is_ok)
    }

    /// The answer to a line that is no text or too long, which no session has to see.
    pub(crate) fn refused(input: String, error: Error) -> Self {
        Self { input, name: None, term: None, value: Err(error), reply: None }
    }
}

impl<'l> Line<'l> {
    pub(crate) fn of(text: &'l str) -> Result<Self> {
        let trimmed = text.trim_start();
        let Some(after) = trimmed.strip_prefix(LET).filter(|rest| !rest.starts_with(in_name))
        else {
            return Ok(Self::without_let(text));
        };
        let rest = after.trim_start();
        let at = text.len() - rest.len();
        let name = &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(unexpected(text, at, "a name after `let`"));
        }
        if name == LET || is_reserved(name) {
            return Err(unexpected(text, at, "a name that is no word of the algebra"));
        }
        let rest = rest[name.len()..].trim_start();
        let Some(expression) = rest.strip_prefix('=') else {
            return Err(unexpected(text, text.len() - rest.len(), "`=` after the name"));
        };
        Ok(Self { name: Some(name), expression, start: text.len() - expression.len() })
    }
}

impl<'l> Line<'l> {
    /// `NAME = EXPR`, which binds as `let` does, or an expression. A word of the algebra is left to be
    /// refused as what it is.
    fn without_let(text: &'l str) -> Self {
        let trimmed = text.trim_start();
        let name = &trimmed[..trimmed.find(|c| !in_name(c)).unwrap_or(trimmed.len())];
        let rest = trimmed[name.len()..].trim_start();
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_reserved(name);
        match rest.strip_prefix('=').filter(|rest| is_name && !rest.starts_with('=')) {
            Some(expression) => {
                Self { name: Some(name), expression, start: text.len() - expression.len() }
            }
            None => Self { name: None, expression: text, start: 0 },
        }
    }
}

/// The characters of names, after a first letter.
pub(crate) fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn unexpected(text: &str, offset: usize, expected: &str) -> Error {
    let rest = &text[offset..];
    let word = &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())];
    let found = match rest.chars().next() {
        None => "the end".to_owned(),
        Some(_) if !word.is_empty() => format!("`{}`", &word[..word.len().min(40)]),
        Some(c) => format!("`{}`", c.escape_debug()),
    };
    Error::Parse { offset, expected: expected.to_owned(), found, nearest: None }
}

/// CuTe's functions that are no operations of the algebra, and what does the same here.
const ELSEWHERE: [(&str, &str); 4] = [
    ("`print_layout`", "; --table draws a layout"),
    ("`print_latex`", "; --latex draws a layout, with --tv TILE a thread-value layout"),
    ("`print_svg`", "; --svg draws a layout, with --tv TILE a thread-value layout"),
    (
        "`local_partition`",
        "; `layout.partition` in IR; here `distribute`, or `composition` with the threads' layout",
    ),
];

/// The error of an expression, with the option that reads an unbound name among extents and strides as a dynamic size, or with
/// what does the same as one of CuTe's functions.
fn with_option(error: Error, expression: &str) -> Error {
    match error {
        Error::Parse { offset, expected, found, nearest: None } => {
            let after = expression.get(offset..).unwrap_or("").trim_start_matches(in_name);
            let is_size = after.trim_start().starts_with([':', ',', ')', '{', '*', '/', '+', '-']);
            let is_unbound = found.len() > 2 && found[1..].starts_with(in_name);
            let reads =
                expected.ends_with("a name that is bound") || expected.contains("an integer");
            let elsewhere =
                ELSEWHERE.iter().find(|(name, _)| *name == found).map(|(_, hint)| *hint);
            let option = match is_unbound && is_size && reads {
                true => "; sizes known at run time need --symbols",
                false => elsewhere.unwrap_or_default(),
            };
            Error::Parse { offset, expected, found: found + option, nearest: None }
        }
        other => other,
    }
}

/// The error of an expression that begins `start` bytes into its line.
pub(crate) fn shifted(error: Error, start: usize) -> Error {
    match error {
        Error::Parse { offset, expected, found, nearest } => {
            Error::Parse { offset: offset + start, expected, found, nearest }
        }
        other => other,
    }
}

/// Bytes of a line that are read: the longest expression, and room for `let NAME =` before it.
pub(crate) const LINE_LIMIT: usize = LENGTH_LIMIT + 256;

/// A line of `length` bytes, of which at most [`LINE_LIMIT`] were kept, as text.
///
/// # Errors
///
/// A line that is too long or no UTF-8, as the answer to it.
pub(crate) fn text_of(bytes: &[u8], length: usize) -> std::result::Result<&str, Box<Answer>> {
    let refused = |error| {
        // An input that cannot be shown as it was is shown in part.
        let start: String = String::from_utf8_lossy(bytes).chars().take(60).collect();
        Box::new(Answer::refused(start, error))
    };
    if length > LINE_LIMIT {
        return Err(refused(Error::Limit {
            what: "bytes of a line",
            limit: LINE_LIMIT,
            found: length.to_string(),
        }));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = error.valid_up_to();
        refused(Error::Parse {
            offset,
            expected: "UTF-8".to_owned(),
            found: bytes
                .get(offset)
                .map_or("the end".to_owned(), |byte| format!("the byte 0x{byte:02x}")),
            nearest: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers lines in one session, as the line protocol would.
    fn answers(lines: &[&str]) -> Vec<String> {
        let mut session = Session::default();
        let answer = |line: &&str| match session.answer(line).value {
            Ok(value) => value.to_string(),
            Err(error) => format!("error: {error}"),
        };
        lines.iter().map(answer).collect()
    }

    #[test]
    fn names_stand_for_values() {
        let lines = [
            "let A = (4,8):(8,1)",
            "let m = size(A)",
            "  let\ttile=<2:1, _>",
            "composition(A, tile)",
            "(m,2):(2,1)",
            "let letter = 3",
            "letter",
        ];
        let expected = ["(4,8):(8,1)", "32", "<2:1, _>", "(2,8):(8,1)", "(32,2):(2,1)", "3", "3"];
        assert_eq!(answers(&lines), expected);
    }

    #[test]
    fn a_later_binding_takes_the_place_of_an_earlier_one() {
        let lines = ["let A = 4:1", "let B = size(A)", "let A = make_layout(A, A)", "A", "B"];
        assert_eq!(answers(&lines), ["4:1", "4", "(4,4):(1,1)", "(4,4):(1,1)", "4"]);
    }

    #[test]
    fn a_binding_that_fails_takes_the_name_away() {
        let unbound = "expected an operation of the algebra or a name that is bound";
        assert_eq!(
            answers(&["let A = 4:1", "let A = (4", "A", "let B = B"]),
            [
                "4:1",
                "error: at byte 10: expected `,` or `)`, found the end",
                &format!("error: at byte 0: {unbound}, found `A`"),
                &format!("error: at byte 8: {unbound}, found `B`"),
            ]
        );
    }

    #[test]
    fn a_function_that_draws_comes_with_the_option_that_does() {
        let answer = &answers(&["print_layout((4,8):(8,1))"])[0];
        assert!(answer.ends_with("found `print_layout`; --table draws a layout"), "{answer}");
    }

    #[test]
    fn a_partition_comes_with_the_operations_that_do_it() {
        let answer = &answers(&["local_partition((4,8):(8,1), (2,2):(1,2), 0)"])[0];
        let hint = "; `layout.partition` in IR; here `distribute`, or `composition` with the threads' layout";
        assert!(answer.ends_with(&format!("found `local_partition`{hint}")), "{answer}");
    }

    #[test]
    fn an_unbound_size_comes_with_the_option_that_reads_it() {
        let lines = ["M:1", "coalesce((M,8):(1,M))", "let A = (8,K):(K,1)"];
        for (answer, name) in answers(&lines).iter().zip(["M", "M", "K"]) {
            let end = format!(", found `{name}`; sizes known at run time need --symbols");
            assert!(answer.starts_with("error: at byte ") && answer.ends_with(&end), "{answer}");
        }
        assert_eq!(answers(&["letter"])[0].find("--symbols"), None);
    }

    #[test]
    fn names_are_no_words_of_the_algebra() {
        for &op in layout_algebra::Op::ALL {
            let name = op.name();
            assert_eq!(
                answers(&[&format!("let {name} = 4")]),
                [format!(
                    "error: at byte 4: expected a name that is no word of the algebra, found `{name}`"
                )]
            );
        }
        for name in ["S", "o", "let"] {
            assert!(answers(&[&format!("let {name} = 4")])[0].contains("no word of the algebra"));
        }
    }

    #[test]
    fn bindings_that_are_none_say_what_is_missing() {
        let name = "expected a name after `let`";
        let cases = [
            ("let", format!("error: at byte 3: {name}, found the end")),
            ("let 4 = 4", format!("error: at byte 4: {name}, found `4`")),
            ("let _ = 4", format!("error: at byte 4: {name}, found `_`")),
            ("let é = 4", format!("error: at byte 4: {name}, found `é`")),
            ("let(4)", format!("error: at byte 3: {name}, found `(`")),
            ("let A", "error: at byte 5: expected `=` after the name, found the end".to_owned()),
            ("let A 4", "error: at byte 6: expected `=` after the name, found `4`".to_owned()),
            (
                "let A = ",
                "error: at byte 8: expected a term, an integer, `_` or `(`, found the end"
                    .to_owned(),
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(answers(&[line]), [expected], "{line}");
        }
    }

    #[test]
    fn names_of_names_stay_bounded() {
        let mut lines = vec!["let A = 1:0"];
        lines.extend(["let A = make_layout(A, A)"; 70]);
        let last = answers(&lines).pop().unwrap();
        assert_eq!(
            last,
            "error: at byte 20: expected an operation of the algebra or a name that is bound, found \
             `A`; sizes known at run time need --symbols"
        );
        let refused = answers(&lines).into_iter().find(|answer| answer.starts_with("error"));
        assert_eq!(
            refused.unwrap(),
            "error: bytes of a term: expected at most 1048576, found 1048584"
        );
    }

    #[test]
    fn lines_that_are_no_text_are_answered() {
        let refused = |bytes: &[u8], length| match text_of(bytes, length) {
            Ok(text) => panic!("{text}"),
            Err(answer) => answer.value.unwrap_err().to_string(),
        };
        assert_eq!(refused(b"4:\xff1", 4), "at byte 2: expected UTF-8, found the byte 0xff");
        assert_eq!(
            refused(b"4", 5_000_000),
            "bytes of a line: expected at most 1048832, found 5000000"
        );
        assert_eq!(text_of(b"4:1", 3).ok(), Some("4:1"));
    }
}
