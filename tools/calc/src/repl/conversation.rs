//! The answers of the prompt, apart from the terminal.

use std::fmt::Write;

use layout_algebra::{Error, Op, Operation};

use crate::{
    arguments::Form,
    explain::caret,
    paint::Paint,
    question::QUESTIONS,
    run::{self, View},
    session::{LET, Session},
};

pub(super) const PROMPT: &str = "> ";

/// A command of the prompt.
pub(super) struct Command {
    pub name: &'static str,
    operands: &'static str,
    meaning: &'static str,
    does: Directive,
}

#[derive(Clone, Copy)]
enum Directive {
    Help,
    Names,
    Show(Form),
    Tile,
    Banks,
    Write(Form),
    Quit,
}

const fn command(
    name: &'static str,
    operands: &'static str,
    meaning: &'static str,
    does: Directive,
) -> Command {
    Command { name, operands, meaning, does }
}

pub(super) const COMMANDS: &[Command] = &[
    command(":help", "[OPERATION]", "the operations, or one of them", Directive::Help),
    command(":names", "", "what is bound", Directive::Names),
    command(":table", "TERM", "a grid of offsets", Directive::Show(Form::Table)),
    command(":tv", "TILE TERM", "a grid of who holds each element of a tile", Directive::Tile),
    command(":banks", "BITS TERM", "a grid of offsets and banks", Directive::Banks),
    command(":explain", "TERM", "the steps to the answer", Directive::Show(Form::Explain)),
    command(":json", "TERM", "the answer as JSON", Directive::Show(Form::Json)),
    command(":svg", "FILE TERM", "the grid as a picture in a file", Directive::Write(Form::Svg)),
    command(":html", "FILE TERM", "the same as a page", Directive::Write(Form::Html)),
    command(":latex", "FILE TERM", "the same as LaTeX", Directive::Write(Form::Latex)),
    command(":quit", "", "ends, as Ctrl-D does", Directive::Quit),
];

/// The reply to a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Reply {
    /// Whole lines.
    pub text: String,
    pub quit: bool,
}

/// A session at the prompt.
pub(super) struct Conversation {
    session: Session,
    view: View,
    paint: Paint,
}

impl Conversation {
    pub(super) fn new(view: View, paint: Paint) -> Self {
        Self { session: Session::default(), view, paint }
    }

    pub(super) fn greeting(&self) -> String {
        format!("layout-calc {}: a term, `let NAME = TERM`, or `:help`", env!("CARGO_PKG_VERSION"))
    }

    /// The words that can be completed: operations, bound names, `let`.
    pub(super) fn words(&self) -> Vec<String> {
        let operations = Op::ALL.iter().map(|op| op.name());
        let names = self.session.names().map(|(name, _)| name);
        let questions = QUESTIONS.iter().map(|row| row.name);
        let mut words: Vec<_> =
            operations.chain(names).chain(questions).chain([LET]).map(str::to_owned).collect();
        words.sort();
        words
    }

    pub(super) fn answer(&mut self, line: &str) -> Reply {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return Reply::default();
        }
        // The commands that people type first, as other prompts have them.
        let trimmed = match word(trimmed) {
            ("help" | "?", "") => ":help",
            ("quit" | "exit", "") => ":quit",
            ("help" | "?", rest) if !rest.starts_with(['=', '(']) => return self.help(rest),
            _ => trimmed,
        };
        if !trimmed.starts_with(':') {
            let view = self.view.clone();
            return text(self.show(&view, line, line));
        }
        let (name, rest) = word(trimmed);
        let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
            let like = like(name, COMMANDS.iter().map(|command| command.name));
            return self.refuse(format!("expected a command of `:help`, found `{name}`{like}"));
        };
        let form = |form| View { form, tile: None, element: None, ..self.view.clone() };
        match command.does {
            Directive::Quit => Reply { text: String::new(), quit: true },
            Directive::Help => self.help(rest),
            Directive::Names => text(self.names()),
            _ if rest.is_empty() => self.usage(command),
            Directive::Show(shown) => {
                let view = form(shown);
                text(self.show(&view, line, rest))
            }
            Directive::Tile => {
                let (tile, term) = word(rest);
                let view = View { tile: Some(tile.to_owned()), ..form(Form::Table) };
                self.with_operand(command, &view, line, term)
            }
            Directive::Banks => {
                let (bits, term) = word(rest);
                match bits.parse() {
                    Ok(bits @ 1..=1024) => {
                        let view = View { element: Some(bits), ..form(Form::Table) };
                        self.with_operand(command, &view, line, term)
                    }
                    _ => self.refuse(format!("expected 1 to 1024 bits, found `{bits}`")),
                }
            }
            Directive::Write(shown) => {
                let (path, term) = word(rest);
                if term.is_empty() {
                    return self.usage(command);
                }
                let view = form(shown);
                self.write(&view, path, line, term)
            }
        }
    }

    fn with_operand(&mut self, command: &Command, view: &View, line: &str, term: &str) -> Reply {
        if term.is_empty() { self.usage(command) } else { text(self.show(view, line, term)) }
    }

    /// Answers a term that is at the end of a line, with a caret where reading it stopped.
    fn show(&mut self, view: &View, line: &str, term: &str) -> String {
        let answer = self.session.answer(term);
        let mut out = Vec::new();
        // The caret of an explanation is below the input that it repeats.
        if let (Err(Error::Parse { offset, .. }), false) =
            (&answer.value, view.form == Form::Explain || view.form == Form::Json)
        {
            let start = line.trim_end().len() - term.trim_end().len();
            let lead = line.len() - line.trim_start().len();
            let caret = caret(line, start + offset);
            out.extend(format!("{:1$}{caret}\n", "", PROMPT.len() + lead).into_bytes());
        }
        // Writing to memory cannot fail.
        let _ = run::write_answer(&mut out, view, &self.session, &answer, self.paint);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write(&mut self, view: &View, path: &str, line: &str, term: &str) -> Reply {
        let answer = self.session.answer(term);
        if answer.value.is_err() || answer.reply.is_some() {
            // The error has its usual text.
            let view = View { form: Form::Line, ..view.clone() };
            return text(self.show(&view, line, term));
        }
        let picture = match run::draw(view, &self.session, &answer) {
            Ok(Some(picture)) => picture,
            Ok(None) => {
                return self.refuse("expected a layout to draw, found a binding".to_owned());
            }
            Err(error) => return self.refuse(error.to_string()),
        };
        let document = run::document(view.form, &[picture]).unwrap_or_default();
        match std::fs::write(path, document) {
            Ok(()) => text(format!("wrote {path}\n")),
            Err(error) => self.refuse(format!("cannot write {path}: {error}")),
        }
    }

    fn names(&self) -> String {
        let mut out = String::new();
        for (name, term) in self.session.names() {
            let _ = writeln!(out, "{name} = {term}");
        }
        if out.is_empty() {
            out.push_str("no names are bound: `let NAME = TERM` binds one\n");
        }
        out
    }

    /// Whether `:help` has an entry of this name; that of all has none.
    pub(super) fn is_operation(&self, about: &str) -> bool {
        about.is_empty()
            || QUESTIONS.iter().any(|row| row.name == about)
            || Op::from_name(about).is_some()
    }

    fn help(&self, about: &str) -> Reply {
        if about.is_empty() {
            return text(self.help_all());
        }
        if let Some(row) = QUESTIONS.iter().find(|row| row.name == about) {
            return text(format!("{}\n    {}\n", self.paint.strong(row.form), row.meaning));
        }
        match Op::from_name(about) {
            Some(op) => text(self.help_on(op.row())),
            None => {
                let names = Operation::all().iter().map(|row| row.name);
                let like = like(about, names.chain(QUESTIONS.iter().map(|row| row.name)));
                self.refuse(format!("expected an operation of `:help`, found `{about}`{like}"))
            }
        }
    }

    /// The table's entry of an operation.
    fn help_on(&self, row: &Operation) -> String {
        let (term, value) = row.example;
        let mut out = format!("{}\n    {}\n", self.paint.strong(row.form), row.meaning);
        let mut line = |what: &str, text: &str| {
            if !text.is_empty() {
                let _ = writeln!(out, "    {what:<8} {}", text.replace('`', ""));
            }
        };
        line("law", row.law.text());
        line("needs", row.needs);
        line("example", &format!("{term} = {value}"));
        line("CuTe", row.cute);
        out
    }

    fn help_all(&self) -> String {
        let mut out = String::new();
        for family in Operation::families() {
            let _ = writeln!(out, "{}", self.paint.strong(*family));
            for row in Operation::all().iter().filter(|row| row.family == *family) {
                let _ = writeln!(out, "  {:<36} {}", row.form, row.meaning);
            }
        }
        let _ = writeln!(out, "{}", self.paint.strong("relations"));
        for row in QUESTIONS {
            let _ = writeln!(out, "  {:<36} {}", row.form, row.meaning);
        }
        let _ = writeln!(out, "{}", self.paint.strong("at the prompt"));
        let _ = writeln!(out, "  {:<36} bind a name to a value", "let NAME = TERM");
        for command in COMMANDS {
            let form = format!("{} {}", command.name, command.operands);
            let _ = writeln!(out, "  {form:<36} {}", command.meaning);
        }
        out
    }

    fn usage(&self, command: &Command) -> Reply {
        self.refuse(format!("expected {} {}, found nothing more", command.name, command.operands))
    }

    fn refuse(&self, words: String) -> Reply {
        text(format!("{} {words}\n", self.paint.error("error:")))
    }
}

/// The name that is most like another, as a question.
fn like<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let name = layout_algebra::nearest_name(found, names);
    name.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}

fn text(text: String) -> Reply {
    Reply { text, quit: false }
}

/// The first word, and the rest.
fn word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn conversation() -> Conversation {
        let view = View { form: Form::Line, tile: None, element: None, access: None, extent: 64 };
        Conversation::new(view, Paint::Plain)
    }

    /// The replies to some lines, below each as the prompt shows it.
    fn check(lines: &[&str], expected: Expect) {
        let mut conversation = conversation();
        let mut shown = String::new();
        for line in lines {
            let reply = conversation.answer(line);
            assert!(!reply.quit);
            shown.push_str(&format!("{PROMPT}{line}\n{}", reply.text));
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn lines_are_answered_with_a_caret_where_reading_stopped() {
        check(
            &["let A = (4,8):(8,1)", "size(A)", "", "  size(A))", "let b = compose(A)", "A o"],
            expect![[r#"
                > let A = (4,8):(8,1)
                (4,8):(8,1)
                > size(A)
                32
                > 
                >   size(A))
                           ^
                error: at byte 9: expected the end, found `)`
                > let b = compose(A)
                          ^
                error: at byte 8: expected an operation of the algebra or a name that is bound, found `compose`; did you mean `composition`?
                > A o
                     ^
                error: at byte 3: expected a term, an integer, `_` or `(`, found the end
            "#]],
        );
    }

    #[test]
    fn commands_show_terms_in_other_ways() {
        check(
            &[
                "let A = (2,2):(2,1)",
                ":names",
                ":table A",
                ":tv (2,2) A",
                ":banks 16 A",
                ":explain coalesce(A)",
                ":json size(A)",
                ":table B",
                ":table let C = A",
                "C",
            ],
            expect![[r#"
                > let A = (2,2):(2,1)
                (2,2):(2,1)
                > :names
                A = (2,2):(2,1)
                > :table A
                (2,2):(2,1)
                    0   1
                  +---+---+
                0 | 0 | 1 |
                  +---+---+
                1 | 2 | 3 |
                  +---+---+
                > :tv (2,2) A
                (2,2):(2,1) over (2,2)
                        0       1
                  +-------+-------+
                0 | T0 V0 | T1 V0 |
                  +-------+-------+
                1 | T0 V1 | T1 V1 |
                  +-------+-------+
                > :banks 16 A
                (2,2):(2,1)
                       0      1
                  +------+------+
                0 | 0 b0 | 1 b0 |
                  +------+------+
                1 | 2 b1 | 3 b1 |
                  +------+------+
                (b: the bank of the first byte, of 32 banks of 4 bytes, for elements of 16 bits)
                > :explain coalesce(A)
                coalesce(A)
                1. coalesce((2,2):(2,1)) = (2,2):(2,1)
                  coalesce: n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go
                = (2,2):(2,1)
                > :json size(A)
                {"input":"size(A)","value":"4","kind":"integer"}
                > :table B
                         ^
                error: at byte 0: expected an operation of the algebra or a name that is bound, found `B`
                > :table let C = A
                > C
                (2,2):(2,1)
            "#]],
        );
    }

    #[test]
    fn commands_say_what_they_miss() {
        check(
            &[
                ":names",
                ":tabel A",
                ":table",
                ":tv (2,2)",
                ":banks 0 4:1",
                ":banks x",
                ":svg a.svg",
                ":svg /no/such/folder/a.svg 4:1",
                ":svg a.svg 4:",
                ":svg a.svg 4",
                ":svg a.svg let A = 4:1",
                ":help nothing",
                ":help coalesce",
            ],
            expect![[r#"
                > :names
                no names are bound: `let NAME = TERM` binds one
                > :tabel A
                error: expected a command of `:help`, found `:tabel`; did you mean `:table`?
                > :table
                error: expected :table TERM, found nothing more
                > :tv (2,2)
                error: expected :tv TILE TERM, found nothing more
                > :banks 0 4:1
                error: expected 1 to 1024 bits, found `0`
                > :banks x
                error: expected 1 to 1024 bits, found `x`
                > :svg a.svg
                error: expected :svg FILE TERM, found nothing more
                > :svg /no/such/folder/a.svg 4:1
                error: cannot write /no/such/folder/a.svg: No such file or directory (os error 2)
                > :svg a.svg 4:
                               ^
                error: at byte 2: expected a term, an integer, `_` or `(`, found the end
                > :svg a.svg 4
                error: picture: expected a layout to draw, found the integer 4
                > :svg a.svg let A = 4:1
                error: expected a layout to draw, found a binding
                > :help nothing
                error: expected an operation of `:help`, found `nothing`
                > :help coalesce
                coalesce(L[, profile])
                    the same function in the fewest flat modes, or in the modes of a profile
                    law      n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go
                    needs    a profile no deeper than L
                    example  coalesce((2,(1,6)):(1,(6,2))) = 12:1
                    CuTe     coalesce(layout)
            "#]],
        );
    }

    #[test]
    fn help_lists_every_operation_and_command() {
        let help = conversation().answer(":help").text;
        for &op in Op::ALL {
            let lead = format!("  {}(", op.name());
            assert_eq!(help.lines().filter(|line| line.starts_with(&lead)).count(), 1, "{lead}");
        }
        for command in COMMANDS {
            assert!(help.contains(&format!("  {} ", command.name)), "{}", command.name);
        }
    }

    #[test]
    fn quit_commands_end_it() {
        for line in [" :quit ", "quit", "exit"] {
            assert!(conversation().answer(line).quit, "{line}");
        }
    }

    #[test]
    fn words_of_other_prompts_are_understood() {
        let mut conversation = conversation();
        assert_eq!(conversation.answer("help"), conversation.answer(":help"));
        assert_eq!(conversation.answer("?"), conversation.answer(":help"));
        assert_eq!(conversation.answer("? coalesce"), conversation.answer(":help coalesce"));
        check(
            &["A = (4,8):(8,1)", "A(1,2)", "size<1>(A)", "help = 3", "help compositon", "B == A"],
            expect![[r#"
                > A = (4,8):(8,1)
                (4,8):(8,1)
                > A(1,2)
                10
                > size<1>(A)
                8
                > help = 3
                3
                > help compositon
                error: expected an operation of `:help`, found `compositon`; did you mean `composition`?
                > B == A
                  ^
                error: at byte 0: expected an operation of the algebra or a name that is bound, found `B`
            "#]],
        );
    }

    #[test]
    fn words_are_operations_and_names() {
        let mut conversation = conversation();
        conversation.answer("let corner = 4:1");
        let words = conversation.words();
        for word in ["coalesce", "corner", "let"] {
            assert!(words.iter().any(|found| found == word), "{word}");
        }
        assert!(words.is_sorted());
    }

    #[test]
    fn pictures_are_written_to_files() {
        let path = std::env::temp_dir().join(format!("layout-calc-{}.svg", std::process::id()));
        let line = format!(":svg {} (2,2):(1,2)", path.display());
        let reply = conversation().answer(&line);
        assert_eq!(reply.text, format!("wrote {}\n", path.display()));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        roxmltree::Document::parse(&text).unwrap();
    }
}
