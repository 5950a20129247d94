//! `layout-calc`: a calculator for layout algebra.
//!
//! One expression a line in, one answer a line out: the value, or `error: …`. Other forms of an
//! answer are pictures, explanations and JSON; on a terminal there is a prompt.
#![forbid(unsafe_code)]

mod arguments;
mod explain;
mod input;
mod json;
mod paint;
mod question;
mod repl;
mod run;
mod session;
mod symbols;

use std::{
    env,
    io::{self, IsTerminal},
    process::ExitCode,
};

use arguments::{Arguments, Form};
use clap::Parser;
use run::{Stop, Streams};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let no_color = env::var_os("NO_COLOR");
    let paint = |terminal| arguments.color.paint(terminal, no_color.as_deref());
    let (out, err) = (io::stdout(), io::stderr());
    let err_paint = paint(err.is_terminal());
    let spoken = matches!(arguments.form(), Form::Line | Form::Table | Form::Explain)
        && arguments.output.is_none()
        && arguments.expressions.is_empty()
        && io::stdin().is_terminal()
        && out.is_terminal();
    let outcome = if let Some(about) = &arguments.operations {
        repl::help(run::View::of(&arguments), paint(out.is_terminal()), about)
    } else if spoken {
        repl::converse(run::View::of(&arguments), paint(true))
    } else {
        let streams = Streams {
            input: io::stdin().lock(),
            paint: paint(out.is_terminal()),
            out: out.lock(),
            err: err.lock(),
            err_paint,
        };
        run::run(&arguments, streams)
    };
    let problem = match outcome {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::FAILURE,
        // A closed pipe ends a filter quietly.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return ExitCode::SUCCESS;
        }
        Err(Stop::Input(error)) => format!("cannot read standard input: {error}"),
        Err(Stop::Output(error)) => format!("cannot write: {error}"),
        Err(Stop::File(words)) => words,
    };
    eprintln!("{} {problem}", err_paint.error("error:"));
    ExitCode::FAILURE
}
