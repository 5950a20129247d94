//! Lines with symbols: the facts that they state and the names that they bind hold for the lines after.

use std::collections::BTreeMap;

use layout_algebra::{
    Error, Expr, Facts, Value, evaluate_with,
    integer::{self, Result},
};

use layout_picture::{draw_open, table};

use crate::{
    explain::symbolic,
    paint::Paint,
    question,
    session::{Line, shifted},
};

/// The facts and names of the lines so far.
#[derive(Default)]
pub(crate) struct WithSymbols {
    facts: Facts,
    /// Names with the text of their values.
    names: BTreeMap<String, String>,
}

impl WithSymbols {
    /// The answer to an expression, a binding, or the question what a layout reaches.
    pub(crate) fn answer(&mut self, text: &str) -> Result<String> {
        self.learning(|symbols| symbols.answer_to(text))
    }

    /// The answer of a line. The facts of one without an answer are forgotten: they may contradict the next.
    fn learning<T>(&mut self, answer: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let before = self.facts.clone();
        let answer = answer(self);
        if answer.is_err() {
            self.facts = before;
        }
        answer
    }

    fn answer_to(&mut self, text: &str) -> Result<String> {
        let Line { name, expression, start } = Line::of(text)?;
        let answer = match question::of(expression) {
            Some((row, inside, rest)) if row.name == question::IMAGE && name.is_none() => {
                return self.image(start + inside, rest);
            }
            _ => self.value(expression, start).and_then(|value| match (name, value) {
                (Some(_), value @ (Value::List(_) | Value::Bool(_))) => Err(Error::Operand {
                    operation: "let",
                    expected: "a value that a term can use".to_owned(),
                    found: value.to_string(),
                }
                .into()),
                (_, value) => Ok(value.to_string()),
            }),
        };
        if let Some(name) = name {
            // A binding that fails takes the name away.
            match &answer {
                Ok(value) => drop(self.names.insert(name.to_owned(), value.clone())),
                Err(_) => drop(self.names.remove(name)),
            }
        }
        answer
    }

    /// The answer with the steps that lead to it; whether there is one.
    pub(crate) fn explain(&mut self, text: &str, paint: Paint) -> (String, bool) {
        // A question about relations has no steps; any other line has its usual answer.
        let expression = match Line::of(text) {
            Ok(line) if question::of(line.expression).is_none() => line.expression,
            _ => "",
        };
        let mut steps = format!("{}\n", paint.strong(text.trim()));
        if !expression.is_empty() {
            steps += &symbolic::steps(expression, &mut self.facts.clone(), &self.names, paint);
        }
        let name = Line::of(text).ok().and_then(|line| line.name).unwrap_or_default();
        let equals = if name.is_empty() { "=".to_owned() } else { format!("{name} =") };
        match self.answer(text) {
            Ok(value) => (format!("{steps}{equals} {value}\n"), true),
            Err(error) => (format!("{steps}{}\n", paint.error(format!("error: {error}"))), false),
        }
    }

    /// The offsets as a table; nothing for a binding.
    pub(crate) fn table(&mut self, text: &str, extent: usize, paint: Paint) -> Result<String> {
        let line = Line::of(text)?;
        if line.name.is_some() || question::of(line.expression).is_some() {
            return self.answer(text).map(|answer| match line.name {
                Some(_) => String::new(),
                None => format!("{answer}\n"),
            });
        }
        self.learning(|symbols| {
            let value = symbols.value(line.expression, line.start)?;
            Ok(table::write(&draw_open(&value, &symbols.facts, extent)?, paint))
        })
    }

    fn image(&mut self, start: usize, rest: &str) -> Result<String> {
        match self.value(question::body(start, rest)?, start)? {
            Value::Layout(layout) => layout.image_under(&self.facts).map(|image| image.to_string()),
            other => Err(Error::Operand {
                operation: "image",
                expected: "a plain layout".to_owned(),
                found: other.to_string(),
            }
            .into()),
        }
    }

    /// The value of an expression that begins `start` bytes into its line.
    fn value(&mut self, expression: &str, start: usize) -> Result<Value<Expr>> {
        evaluate_with(expression, &mut self.facts, &self.names).map_err(|error| match error {
            integer::Error::Algebra(error) => integer::Error::Algebra(shifted(error, start)),
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &[&str]) -> Vec<String> {
        let mut symbols = WithSymbols::default();
        let answer = |line: &&str| symbols.answer(line).unwrap_or_else(|e| format!("error: {e}"));
        lines.iter().map(answer).collect()
    }

    #[test]
    fn names_stand_for_values_with_symbols() {
        let lines = [
            "let A = (M,8):(8,1)",
            "let n = 4",
            "let T = zipped_divide(A, <n:1, n:1>)",
            "get(T, 0)",
            "(n,K):(K,1)",
            // A fact that is learned later holds for names that were bound before.
            "M{div=4}",
            "get(T, 1)",
            "let A = make_layout(A, A)",
            "size(A)",
            "let w = S<1,0,1> o n o A",
            "let e = ceil_div(K, 3)",
            "e*n",
        ];
        let expected = [
            "(M,8):(8,1)",
            "4",
            "((4,4),(ceil_div(M,4),2)):((8,1),(32,4))",
            "(4,4):(8,1)",
            "(4,K):(K,1)",
            "M",
            "(M/4,2):(32,4)",
            "((M,8),(M,8)):((8,1),(8,1))",
            "64*M*M",
            "S<1,0,1> o 4 o ((M,8),(M,8)):((8,1),(8,1))",
            "ceil_div(K,3)",
            "4*ceil_div(K,3)",
        ];
        assert_eq!(answers(&lines), expected);
    }

    #[test]
    fn a_name_hides_a_symbol_but_not_in_values() {
        let lines = ["let A = (M,8):(8,1)", "let M = 3", "M", "A", "(M,8):(8,1)"];
        let expected = ["(M,8):(8,1)", "3", "3", "(M,8):(8,1)", "(3,8):(8,1)"];
        assert_eq!(answers(&lines), expected);
    }

    #[test]
    fn values_without_a_term_are_errors() {
        let lines = [
            "let L = in_bounds_of_divide(M:1, 4:1)",
            "let b = is_injective(M:1)",
            "let size = 3",
            "let A = 4:1",
            "let A = (M",
            "let B = composition(4:1, )",
            "image((M",
            "image(S<1,0,1>)",
        ];
        let expected = [
            "error: let: expected a value that a term can use, found [[(4,ceil_div(M,4)):(1,4), M]]",
            "error: let: expected a value that a term can use, found true",
            "error: at byte 4: expected a name that is no word of the algebra, found `size`",
            "4:1",
            "error: at byte 10: expected `,` or `)`, found the end",
            "error: at byte 25: expected a term, an integer, a symbol, `_` or `(`, found `)`",
            "error: at byte 8: expected `)`, found the end",
            "error: image: expected a plain layout, found S<1,0,1>",
        ];
        assert_eq!(answers(&lines), expected);
    }

    #[test]
    fn facts_of_a_line_without_an_answer_are_forgotten() {
        let lines = [
            "composition(M{div=16 range=1..17}:1, 2:1@5)",
            "M{div=3 range=1..17}:1",
            "let b = is_injective(N{range=1..1}:1)",
            "image(N{range=2..2})",
            "N{range=5..}:1",
            // That of the second line holds.
            "M{div=16 range=1..17}:1",
        ];
        let found = answers(&lines);
        assert!(found[0].starts_with("error: coordinate: expected one that fits"), "{}", found[0]);
        assert_eq!(found[1], "M:1");
        assert!(found[2].starts_with("error: let: expected a value"), "{}", found[2]);
        assert!(found[3].starts_with("error: image: expected a plain layout"), "{}", found[3]);
        assert_eq!(found[4], "N:1");
        assert!(found[5].contains("expected facts that a value can have"), "{}", found[5]);
    }

    #[test]
    fn steps_and_tables_of_lines_with_symbols() {
        let mut symbols = WithSymbols::default();
        let explained: Vec<(String, bool)> =
            ["let A = (M{div=2},4):(4,1)", "coalesce(A)", "(M", "image(A)"]
                .iter()
                .map(|line| symbols.explain(line, Paint::Plain))
                .collect();
        let expected = [
            ("let A = (M{div=2},4):(4,1)\nwhere M{div=2 range=2..}\nA = (M,4):(4,1)\n", true),
            (
                "coalesce(A)\nwhere M{div=2 range=2..}\n1. coalesce((M,4):(4,1)) = (M,4):(4,1)\n  coalesce: \
                 n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go\n= (M,4):(4,1)\n",
                true,
            ),
            ("(M\nerror: at byte 2: expected `,` or `)`, found the end\n", false),
            ("image(A)\n= 4*M:1\n", true),
        ];
        assert_eq!(explained, expected.map(|(text, answered)| (text.to_owned(), answered)));
        let mut table =
            |line| symbols.table(line, 64, Paint::Plain).map_err(|error| error.to_string());
        assert_eq!(table("let B = (2,M):(1,2)"), Ok(String::new()));
        let drawn = table("get(B, 1)").unwrap();
        assert!(drawn.ends_with("(of M entries at most 4 are shown)\n"), "{drawn}");
        let refused = "picture: expected a layout to draw, found the integer M";
        assert_eq!(table("M"), Err(refused.to_owned()));
        assert!(table("composition(A, 4:3)").unwrap_err().contains("needs \"3 divides M\""));
    }

    #[test]
    fn what_is_reached_with_symbols() {
        let lines =
            ["let A = (M,N):(1,1)", "image(A)", "image((4,2):(1,2))", "image((8,64):(D,1))"];
        let expected = [
            "(M,N):(1,1)",
            "M+N-1:1",
            "6:1",
            "error: image((8,64):(D,1)): needs \"D >= 0\", which is not known; add the fact D{range=0..}",
        ];
        assert_eq!(answers(&lines), expected);
    }
}
