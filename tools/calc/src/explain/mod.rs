//! How a term gets its value: each operation as an equation, innermost first, with what defines it;
//! or why there is no value. Where rules alone shorten the term, their chain of equations ([`rules`]).

mod bounds;
mod definition;
mod rules;
pub(crate) mod symbolic;
#[cfg(test)]
mod tests;
mod trace;
mod witness;

use std::fmt::Write;

use layout_algebra::{Error, Law, Op, Result, Term, Value};

use crate::{paint::Paint, session::Answer};

/// The most steps that are explained of one term; more of them would hardly be read.
const MAX_STEPS: usize = 200;

/// Levels of definitions within definitions that are followed.
const LEVELS: usize = 2;

/// Explains an answer; every line ends.
pub(crate) fn explain(answer: &Answer, paint: Paint) -> String {
    let mut explainer = Explainer { out: String::new(), paint, steps: 0, seen: Vec::new() };
    explainer.line(0, paint.strong(answer.input.trim()));
    if let Some(term) = &answer.term {
        // The value comes from the answer; here it is only explained.
        let _ = explainer.term(term);
    }
    if let Some(term) = &answer.term {
        let chain = rules::of(term);
        if !chain.is_empty() {
            explainer.line(0, paint.faint("by rules alone, without evaluation:"));
        }
        for line in chain {
            explainer.line(1, line);
        }
    }
    match &answer.value {
        Ok(value) => match &answer.name {
            Some(name) => explainer.line(0, format!("{name} = {value}")),
            None => explainer.line(0, format!("= {value}")),
        },
        Err(error) => {
            if let Error::Parse { offset, .. } = error {
                let caret = caret(&answer.input, *offset);
                explainer.line(0, caret);
            }
            explainer.line(0, paint.error(format!("error: {error}")));
        }
    }
    explainer.out
}

/// Spaces and a caret under the byte of a line.
pub(crate) fn caret(line: &str, offset: usize) -> String {
    let line = line.trim_end();
    let lead = line.len() - line.trim_start().len();
    let before = line.get(lead..offset.clamp(lead, line.len())).unwrap_or("");
    format!("{}^", " ".repeat(before.chars().count()))
}

struct Explainer {
    out: String,
    paint: Paint,
    steps: usize,
    /// Equations that were explained, so that each is once.
    seen: Vec<String>,
}

impl Explainer {
    fn line(&mut self, level: usize, text: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * level);
    }

    /// Explains a term from the inside out, and evaluates it.
    fn term(&mut self, term: &Term) -> Result<Value> {
        match term {
            Term::Call { op, args } => {
                let values = args.iter().map(|arg| self.term(arg)).collect::<Result<Vec<_>>>()?;
                self.step(*op, &values)
            }
            Term::Tiler(entries) => {
                let entries = entries.iter().map(|entry| Ok(Term::Literal(self.term(entry)?)));
                Term::Tiler(entries.collect::<Result<_>>()?).eval()
            }
            other => other.eval(),
        }
    }

    /// Explains one operation on values, as a numbered step.
    fn step(&mut self, op: Op, values: &[Value]) -> Result<Value> {
        let call = call(op, values);
        let result = call.eval();
        let equation = equation(&call, &result);
        if self.seen.contains(&equation) {
            return result;
        }
        self.steps += 1;
        if self.steps == MAX_STEPS + 1 {
            self.line(0, self.paint.faint("(more steps than are shown)"));
        }
        if self.steps <= MAX_STEPS {
            self.line(0, format!("{}. {equation}", self.steps));
            self.why(op, values, &result, 1);
            if let Ok(value) = &result {
                for line in bounds::of(op, values, value) {
                    self.line(1, line);
                }
            }
            self.seen.push(equation);
        }
        result
    }

    /// The definition of a result, below its equation.
    fn why(&mut self, op: Op, values: &[Value], result: &Result<Value>, level: usize) {
        if let Some(definition) = definition::of(op, values, result) {
            self.line(level, self.paint.faint(&definition.rule));
            for (name, term) in &definition.lines {
                self.sub_steps(name, term, level + 1);
            }
            return;
        }
        let law = match (op.row().law, result) {
            // Otherwise the identity would have been shown above.
            (Law::Is(term), Ok(_)) if op == Op::LogicalDivide => {
                format!("as {term}, but padded to whole tiles")
            }
            (law, _) => law.text().to_owned(),
        };
        self.line(level, self.paint.faint(format!("{}: {law}", op.name())));
        let lines = match result {
            Ok(value) => trace::of(op, values, value),
            Err(error) => witness::of(op, values, error),
        };
        for line in lines {
            self.line(level + 1, line);
        }
    }

    /// The equations of a definition's term. Its operands are values but for calls.
    fn sub_steps(&mut self, name: &str, term: &Term, level: usize) -> Option<Value> {
        let Term::Call { op, args } = term else {
            let value = term.eval().ok()?;
            if !name.is_empty() {
                self.line(level, format!("{name} = {value}"));
            }
            return Some(value);
        };
        let values =
            args.iter().map(|arg| self.sub_steps("", arg, level)).collect::<Option<Vec<_>>>()?;
        let call = call(*op, &values);
        let result = call.eval();
        let lead = if name.is_empty() { String::new() } else { format!("{name} = ") };
        // Taking modes out is shown by the values of what it is taken for.
        if *op != Op::Get {
            self.line(level, format!("{lead}{}", equation(&call, &result)));
        }
        let followed = level / 2 < LEVELS && definition::of(*op, &values, &result).is_some();
        if followed || result.is_err() {
            self.why(*op, &values, &result, level + 1);
        }
        result.ok()
    }
}

fn call(op: Op, values: &[Value]) -> Term {
    Term::Call { op, args: values.iter().cloned().map(Term::Literal).collect() }
}

fn equation(call: &Term, result: &Result<Value>) -> String {
    match result {
        Ok(value) => format!("{call} = {value}"),
        Err(_) => format!("{call} has no answer"),
    }
}
