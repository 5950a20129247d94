//! The table of operations: every row is true, and the page of operations is what the table says.

use expect_test::expect_file;
use layout_algebra::{Facts, Law, Op, Operation, Term, answer, evaluate};
use std::fmt::Write;

#[test]
fn every_example_has_its_value() {
    for row in Operation::all() {
        let (term, value) = row.example;
        assert!(term.starts_with(&format!("{}(", row.name)), "{term}");
        let found = Term::parse(term).and_then(|term| term.eval());
        assert_eq!(found.map(|found| found.to_string()).as_deref(), Ok(value), "{term}");
        let found = evaluate(term, &mut Facts::new()).map(|found| found.to_string());
        assert_eq!(found.as_deref(), Ok(value), "{term} beside symbols");
        for (term, answered) in row.also {
            assert!(term.contains(&format!("{}(", row.name)), "{term}");
            assert_eq!(answer(term), *answered, "{term}");
        }
    }
}

#[test]
fn every_error_has_its_message() {
    for row in Operation::all() {
        let (term, error) = row.refuses;
        assert!(term.starts_with(&format!("{}(", row.name)), "{term}");
        let found = Term::parse(term).and_then(|term| term.eval());
        let found = found.map(|value| value.to_string()).map_err(|error| error.to_string());
        assert_eq!(found, Err(error.to_owned()), "{term}");
    }
}

#[test]
fn rows_are_written_as_their_operations_are() {
    for (row, op) in Operation::all().iter().zip(Op::ALL) {
        assert_eq!((row.op, Op::from_name(row.name)), (*op, Some(*op)));
        let (name, rest) = row.form.split_once('(').expect("operands");
        assert_eq!(name, row.name);
        assert!(rest.ends_with(')'), "{}", row.form);
        assert!(Operation::families().contains(&row.family), "{}", row.family);
        for text in [row.form, row.meaning] {
            assert!(text.is_ascii() && text.len() <= 90, "{text}");
        }
    }
}

/// `UPDATE_EXPECT=1 cargo test -p layout-algebra --test all operations::` writes the page.
#[test]
fn the_page_matches_the_table() {
    expect_file!["../src/term/operations.md"].assert_eq(&page());
}

fn page() -> String {
    let mut page = String::from("\n`R` is the result, `L`, `A` and `B` are layouts.\n");
    for family in Operation::families() {
        let _ = write!(
            page,
            "\n## {}\n\n| operation | meaning | requires | ensures | example | CuTe or Triton |\n|---|---|---|---|---|---|\n",
            family
        );
        for row in Operation::all().iter().filter(|row| row.family == *family) {
            let law = match row.law {
                Law::Is(term) => format!("`{}`, of operands A, B, C", term),
                Law::Such(words) => format!("`{words}`"),
            };
            let then = if row.ensures.is_empty() { law } else { format!("{law}; {}", row.ensures) };
            let (term, value) = row.example;
            let elsewhere = match row.cute {
                "" => String::new(),
                cute => format!("`{cute}`"),
            };
            let cells = [
                format!("`{}`", row.form),
                row.meaning.to_owned(),
                row.needs.to_owned(),
                then,
                format!("`{term}` is `{value}`"),
                elsewhere,
            ];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(page, "| {} |", cells.join(" | "));
        }
    }
    page
}
