//! `layout-calc`: a calculator for layout algebra.
//!
//! One expression a line in, one answer a line out. A bad expression is answered with
//! `error: …` on the same line, and the exit code is 1 if any was bad.

use clap::Parser;
use layout_algebra::Term;
use std::{
    io::{self, BufRead, BufWriter, Write},
    process::ExitCode,
};

/// Evaluates terms of layout algebra.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES)]
struct Arguments {
    /// Expressions; without any, one is read from each line of standard input
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expressions: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  layout-calc 'composition((6,2):(8,2), (4,3):(3,1))'
      ((2,2),3):((24,2),8)
  layout-calc 'zipped_divide((128,64):(64,1), (32,8))'
      ((32,8),(4,8)):((64,1),(2048,8))
  printf 'size((4,8):(8,1))\\nright_inverse((4,8):(8,1))\\n' | layout-calc
      32
      (8,4):(4,1)

Exit codes: 0 all answered, 1 an expression had no answer, 2 the command line is wrong.";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments.expressions) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        // A closed pipe ends a filter quietly.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot read or write: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers every expression; true if all had an answer.
fn run(expressions: &[String]) -> io::Result<bool> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut all = true;
    let mut answer = |text: &str| match Term::parse(text).and_then(|term| term.eval()) {
        Ok(value) => writeln!(out, "{value}"),
        Err(error) => {
            all = false;
            writeln!(out, "error: {error}")
        }
    };
    if expressions.is_empty() {
        // Bytes that are no text are an error of that line, not of the run.
        for line in io::stdin().lock().split(b'\n') {
            answer(&String::from_utf8_lossy(&line?))?;
        }
    } else {
        for expression in expressions {
            answer(expression)?;
        }
    }
    out.flush()?;
    Ok(all)
}
