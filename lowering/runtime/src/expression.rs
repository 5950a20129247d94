//! Integer expressions over the sizes that a kernel takes at run time: what a manifest has in place of an integer.
//!
//! ```
//! use layout_runtime::expression::Expression;
//!
//! let blocks = Expression::parse("ceil_div(m,128)*32", &["m"])?;
//! assert_eq!(blocks.at(&[129]), Ok(64));
//! # Ok::<(), layout_runtime::expression::Error>(())
//! ```
//!
//! | text | value |
//! |---|---|
//! | `7`, `-7` | the integer, of 64 bits |
//! | `m` | the size of that name: a letter or `_`, then letters, digits and `_` |
//! | `a+b`, `a-b`, `a*b` | as usual; `*` binds tighter, and operators of one kind group to the left |
//! | `ceil_div(a,b)` | the least integer that is at least a/b; b is at least 1 |
//! | `floor_div(a,b)` | the greatest integer that is at most a/b; b is at least 1 |
//! | `mod(a,b)` | `a-b*floor_div(a,b)`, from 0 to b-1; b is at least 1 |
//! | `min(a,b)`, `max(a,b)` | the lesser, the greater |
//! | `(a)` | a |
//!
//! A value is computed step by step in 64 bits: a step that leaves them is an error, even where a later one would come
//! back. The length of a text and the depth of its parentheses are bounded, so that no text overflows the stack.

/// The most bytes of an expression's text. One operation on long operands gives a thousand and more; operations on its result name that, as a
/// part of the program ([`crate::program::Part`]).
pub const MAX_LENGTH: usize = 16_384;

/// The deepest nesting of parentheses, those of functions included.
pub const MAX_DEPTH: usize = 64;

/// The functions: their names, which no size has, and what they do with two values.
const FUNCTIONS: [(&str, Step); 5] = [
    ("ceil_div", Step::CeilDiv),
    ("floor_div", Step::FloorDiv),
    ("mod", Step::Mod),
    ("min", Step::Min),
    ("max", Step::Max),
];

/// Why a text is no expression, or has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// More than [`MAX_LENGTH`] bytes.
    #[error("expected an expression of at most {MAX_LENGTH} bytes, found {0}")]
    Long(usize),
    /// More than [`MAX_DEPTH`] parentheses within each other.
    #[error("expected at most {MAX_DEPTH} parentheses within each other, found more in {0:?}")]
    Deep(String),
    /// Something else than the grammar has there.
    #[error("expected {expected} in {text:?}, found {found}")]
    Syntax {
        /// The text that may be there.
        expected: &'static str,
        /// The next word, or the end.
        found: String,
        /// The expression.
        text: String,
    },
    /// A name before a parenthesis that is none of the functions.
    #[error(
        "expected ceil_div, floor_div, mod, min or max in {text:?}, found the function {found}"
    )]
    Function {
        /// The name.
        found: String,
        /// The expression.
        text: String,
    },
    /// A name that is none of the sizes.
    #[error("expected one of the sizes {known} in {text:?}, found {found}")]
    Name {
        /// The names of the sizes.
        known: String,
        /// The name.
        found: String,
        /// The expression.
        text: String,
    },
    /// A step leaves 64 bits.
    #[error("expected {0:?} to stay within 64 bits, found an overflow")]
    Overflow(String),
    /// A divisor that is not positive.
    #[error("expected a divisor of at least 1 in {text:?}, found {found}")]
    Divisor {
        /// The expression.
        text: String,
        /// The divisor's value.
        found: i64,
    },
}

/// An expression over sizes, which are known by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    text: String,
    /// In the order in which they are done, each on the values that those before it have left.
    steps: Vec<Step>,
}

/// A step of an expression in postfix order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Leaves an integer.
    Integer(i64),
    /// Leaves the size of a number, among the names that the expression was read with.
    Size(usize),
    /// Takes two values, as each step from here on, and leaves their sum.
    Add,
    /// Leaves the difference.
    Subtract,
    /// Leaves the product.
    Multiply,
    /// Leaves the quotient rounded up; the divisor is at least 1.
    CeilDiv,
    /// Leaves the quotient rounded down; the divisor is at least 1.
    FloorDiv,
    /// Leaves the remainder of that quotient.
    Mod,
    /// Leaves the lesser.
    Min,
    /// Leaves the greater.
    Max,
}

impl Step {
    /// The result for two values, or `None` if that has more than 64 bits, or the second is no divisor.
    fn of(self, a: i64, b: i64) -> Option<i64> {
        match self {
            Self::Integer(value) => Some(value),
            Self::Size(_) => None,
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::CeilDiv => (b >= 1).then(|| a / b + i64::from(a % b > 0)),
            Self::FloorDiv => (b >= 1).then(|| a.div_euclid(b)),
            Self::Mod => (b >= 1).then(|| a.rem_euclid(b)),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }

    /// Whether it divides, so that the second value has to be at least 1.
    pub fn divides(self) -> bool {
        matches!(self, Self::CeilDiv | Self::FloorDiv | Self::Mod)
    }
}

/// The names of the functions.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.into_iter().map(|(name, _)| name)
}

/// Whether a size may have this name: it is a word, and no function's.
pub fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(starts_name)
        && letters.all(continues_name)
        && FUNCTIONS.iter().all(|(name, _)| *name != text)
}

fn starts_name(letter: char) -> bool {
    letter.is_ascii_alphabetic() || letter == '_'
}

fn continues_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

impl Expression {
    /// Reads an expression over sizes of these names.
    ///
    /// # Errors
    ///
    /// An error if the text is not an expression: what was expected and what was found.
    pub fn parse(text: &str, names: &[&str]) -> Result<Self, Error> {
        if text.len() > MAX_LENGTH {
            return Err(Error::Long(text.len()));
        }
        let mut parser = Parser { text, rest: text, names, depth: 0, steps: Vec::new() };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self { text: text.trim().to_owned(), steps: parser.steps }),
            Some('/' | '%') => {
                Err(parser.wrong("+, -, *, a call of ceil_div, floor_div or mod, or the end"))
            }
            Some(_) => Err(parser.wrong("+, -, * or the end")),
        }
    }

    /// Its value, of these sizes.
    ///
    /// # Errors
    ///
    /// A step that leaves 64 bits; a divisor that is not positive.
    pub fn at(&self, sizes: &[i64]) -> Result<i64, Error> {
        let overflow = || Error::Overflow(self.text.clone());
        let mut values: Vec<i64> = Vec::new();
        for &step in &self.steps {
            let value = match step {
                Step::Integer(value) => value,
                // The parser has numbered the names that it was given.
                Step::Size(number) => sizes.get(number).copied().ok_or_else(overflow)?,
                step => {
                    let (Some(b), Some(a)) = (values.pop(), values.pop()) else {
                        return Err(overflow());
                    };
                    if step.divides() && b < 1 {
                        return Err(Error::Divisor { text: self.text.clone(), found: b });
                    }
                    step.of(a, b).ok_or_else(overflow)?
                }
            };
            values.push(value);
        }
        values.pop().ok_or_else(overflow)
    }

    /// Why it has no value, of sizes of which some have none, for these reasons.
    pub(crate) fn lacks<'r>(&self, sizes: &'r [Result<i64, String>]) -> Option<&'r str> {
        self.steps.iter().find_map(|step| match step {
            Step::Size(number) => sizes.get(*number)?.as_ref().err().map(String::as_str),
            _ => None,
        })
    }

    /// Its value, of sizes of which some have none.
    pub(crate) fn of(&self, sizes: &[Result<i64, String>]) -> Result<i64, String> {
        if let Some(reason) = self.lacks(sizes) {
            return Err(reason.to_owned());
        }
        let sizes: Vec<i64> = sizes.iter().map(|size| *size.as_ref().unwrap_or(&0)).collect();
        self.at(&sizes).map_err(|error| error.to_string())
    }

    /// It, with expressions in place of the sizes from a number on.
    pub(crate) fn with(&self, first: usize, parts: &[Self]) -> Self {
        let mut steps = Vec::new();
        for step in &self.steps {
            match step {
                Step::Size(number) if *number >= first => {
                    let part = parts.get(number - first);
                    steps.extend(part.map_or(&[][..], |part| &part.steps));
                }
                step => steps.push(*step),
            }
        }
        Self { text: self.text.clone(), steps }
    }

    /// Its steps, in the order in which they are done, each on the values that those before it have left.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value where it is an integer and no more.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self.steps[..] {
            [Step::Integer(value)] => Some(value),
            _ => None,
        }
    }

    /// The number of its size where it is a size and no more.
    pub(crate) fn as_size(&self) -> Option<usize> {
        match self.steps[..] {
            [Step::Size(number)] => Some(number),
            _ => None,
        }
    }

    /// The number of its one unknown size, and `a` and `b` where its value is `a` times that size plus `b`, or `None` for another
    /// expression.
    ///
    /// ```text
    /// 2*oh+1 is (oh, 2, 1)
    /// ```
    pub(crate) fn linear(&self, sizes: &[Option<i64>]) -> Option<(usize, i64, i64)> {
        let mut unknown = None;
        let mut values: Vec<(i64, i64)> = Vec::new();
        for &step in &self.steps {
            let value = match step {
                Step::Integer(value) => (0, value),
                Step::Size(number) => match sizes.get(number).copied().flatten() {
                    Some(value) => (0, value),
                    None if unknown.is_some_and(|other| other != number) => return None,
                    None => {
                        unknown = Some(number);
                        (1, 0)
                    }
                },
                step => {
                    let ((b, below), (a, above)) = (values.pop()?, values.pop()?);
                    match step {
                        Step::Add => (a.checked_add(b)?, above.checked_add(below)?),
                        Step::Subtract => (a.checked_sub(b)?, above.checked_sub(below)?),
                        Step::Multiply if a == 0 => {
                            (above.checked_mul(b)?, above.checked_mul(below)?)
                        }
                        Step::Multiply if b == 0 => {
                            (below.checked_mul(a)?, above.checked_mul(below)?)
                        }
                        step if a == 0 && b == 0 => (0, step.of(above, below)?),
                        _ => return None,
                    }
                }
            };
            values.push(value);
        }
        let (a, b) = values.pop()?;
        unknown.filter(|_| a != 0).map(|number| (number, a, b))
    }

    /// Whether all sizes are known that it depends on.
    pub(crate) fn is_known(&self, sizes: &[Option<i64>]) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Size(number) => sizes.get(*number).is_some_and(Option::is_some),
            _ => true,
        })
    }

    /// Its value of sizes of which some are unknown, or `None` if it depends on these.
    pub(crate) fn where_known(&self, sizes: &[Option<i64>]) -> Option<i64> {
        let values = || sizes.iter().map(|size| size.unwrap_or(0)).collect::<Vec<i64>>();
        self.is_known(sizes).then(|| self.at(&values()).ok()).flatten()
    }
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    names: &'t [&'t str],
    depth: usize,
    steps: Vec<Step>,
}

impl<'t> Parser<'t> {
    /// The next letter after spaces.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Takes the next letter if it is this one.
    fn take(&mut self, letter: char) -> bool {
        let found = self.peek() == Some(letter);
        if found {
            self.rest = &self.rest[letter.len_utf8()..];
        }
        found
    }

    /// Takes letters as long as they are such.
    fn word(&mut self, belongs: fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|letter| !belongs(letter)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn wrong(&mut self, expected: &'static str) -> Error {
        let found = match self.peek() {
            None => "its end".to_owned(),
            Some(letter) if continues_name(letter) => self.word(continues_name).to_owned(),
            Some(letter) => letter.to_string(),
        };
        Error::Syntax { expected, found, text: self.text.to_owned() }
    }

    fn require(&mut self, letter: char, expected: &'static str) -> Result<(), Error> {
        if self.take(letter) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn sum(&mut self) -> Result<(), Error> {
        self.product()?;
        loop {
            let step = match self.peek() {
                Some('+') => Step::Add,
                Some('-') => Step::Subtract,
                _ => return Ok(()),
            };
            self.rest = &self.rest[1..];
            self.product()?;
            self.steps.push(step);
        }
    }

    fn product(&mut self) -> Result<(), Error> {
        self.factor()?;
        while self.take('*') {
            self.factor()?;
            self.steps.push(Step::Multiply);
        }
        Ok(())
    }

    fn factor(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some('(') => {
                self.rest = &self.rest[1..];
                self.deeper(|parser| {
                    parser.sum()?;
                    parser.require(')', "+, -, * or )")
                })
            }
            Some(letter) if letter == '-' || letter.is_ascii_digit() => self.integer(),
            Some(letter) if starts_name(letter) => {
                let name = self.word(continues_name);
                match FUNCTIONS.iter().find(|(function, _)| *function == name) {
                    Some(&(_, step)) => self.call(step),
                    None if self.peek() == Some('(') => {
                        Err(Error::Function { found: name.to_owned(), text: self.text.to_owned() })
                    }
                    None => self.size(name),
                }
            }
            _ => Err(self.wrong("an integer, a size, a function or (")),
        }
    }

    fn integer(&mut self) -> Result<(), Error> {
        let before = self.rest;
        let sign = if self.take('-') { "-" } else { "" };
        let digits = self.word(|letter| letter.is_ascii_digit());
        let value = format!("{sign}{digits}").parse();
        let value = value.map_err(|_| {
            self.rest = before;
            let found = format!("{sign}{digits}");
            let expected = "an integer of 64 bits";
            Error::Syntax { expected, found, text: self.text.to_owned() }
        })?;
        self.steps.push(Step::Integer(value));
        Ok(())
    }

    fn size(&mut self, name: &str) -> Result<(), Error> {
        let number = self.names.iter().position(|size| *size == name).ok_or_else(|| {
            let (known, found) = (self.names.join(", "), name.to_owned());
            Error::Name { known, found, text: self.text.to_owned() }
        })?;
        self.steps.push(Step::Size(number));
        Ok(())
    }

    fn call(&mut self, step: Step) -> Result<(), Error> {
        self.require('(', "( after a function")?;
        self.deeper(|parser| {
            parser.sum()?;
            parser.require(',', "+, -, * or the comma between two operands")?;
            parser.sum()?;
            parser.require(')', "+, -, * or )")
        })?;
        self.steps.push(step);
        Ok(())
    }

    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        if self.depth == MAX_DEPTH {
            return Err(Error::Deep(self.text.to_owned()));
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_random::{Numbers, checked};

    const NAMES: [&str; 3] = ["m", "n", "k_2"];

    /// The slow definition: a tree of exact integers, of which each must fit 64 bits.
    enum Tree {
        Integer(i64),
        Size(usize),
        Two(&'static str, Box<[Tree; 2]>),
    }

    /// A value of 128 bits, or why there is none: `/` for a divisor.
    fn value(tree: &Tree, sizes: &[i64]) -> Result<i128, char> {
        let exact = match tree {
            Tree::Integer(value) => i128::from(*value),
            Tree::Size(number) => i128::from(sizes[*number]),
            Tree::Two(name, operands) => {
                let (a, b) = (value(&operands[0], sizes)?, value(&operands[1], sizes)?);
                match *name {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "min" if a < b => a,
                    "max" if a > b => a,
                    "min" | "max" => b,
                    _ if b < 1 => return Err('/'),
                    "floor_div" | "mod" => {
                        // The greatest q with q*b <= a.
                        let near = a / b;
                        let floor = (near - 1..=near + 1).rev().find(|q| q * b <= a).ok_or('?')?;
                        if *name == "mod" { a - floor * b } else { floor }
                    }
                    // The least q with q*b >= a.
                    _ => {
                        let near = a / b;
                        (near - 1..=near + 1).find(|q| q * b >= a).ok_or('?')?
                    }
                }
            }
        };
        i64::try_from(exact).map(i128::from).map_err(|_| '>')
    }

    fn tree(random: &mut Numbers, depth: u32) -> Tree {
        let choice = random.number(if depth == 0 { 3 } else { 11 });
        match choice {
            0 => Tree::Integer(random.within(-20, 279)),
            1 => Tree::Size(random.index(3)),
            2 => Tree::Integer(random.word() as i64 >> random.number(64)),
            _ => {
                let names = ["+", "-", "*", "ceil_div", "floor_div", "mod", "min", "max"];
                let name = names[(choice - 3) as usize];
                Tree::Two(name, Box::new([tree(random, depth - 1), tree(random, depth - 1)]))
            }
        }
    }

    /// The text of a tree, in few parentheses and some spaces; `binds` is 0 where any operator may be, 1 where one of a
    /// product, and 2 where none.
    fn text(tree: &Tree, binds: u32, random: &mut Numbers) -> String {
        let space = random.pick(&[" ", "", "", ""]);
        let inner = match tree {
            Tree::Integer(value) => value.to_string(),
            Tree::Size(number) => NAMES[*number].to_owned(),
            Tree::Two(name, operands) => {
                let own = match *name {
                    "+" | "-" => 0,
                    "*" => 1,
                    _ => {
                        let [a, b] = [0, 1].map(|i| text(&operands[i], 0, random));
                        return format!("{name}({a},{space}{b})");
                    }
                };
                let a = text(&operands[0], own, random);
                let b = text(&operands[1], own + 1, random);
                let whole = format!("{a}{space}{name}{b}");
                if own < binds { format!("({whole})") } else { whole }
            }
        };
        format!("{space}{inner}")
    }

    #[test]
    fn values_are_those_of_the_slow_definition() {
        let (mut values, mut failures) = (0, 0);
        for seed in 0..20_000 {
            let (right, refused) = checked(seed, |random| {
                let (mut right, mut refused) = (0, 0);
                let tree = tree(random, 5);
                let written = text(&tree, 0, random);
                if written.len() > MAX_LENGTH {
                    return (right, refused);
                }
                let expression = Expression::parse(&written, &NAMES).unwrap();
                for _ in 0..3 {
                    let shift = random.number(64);
                    let sizes = [(); 3].map(|()| random.word() as i64 >> shift);
                    match (value(&tree, &sizes), expression.at(&sizes)) {
                        (Ok(expected), Ok(found)) if expected == i128::from(found) => right += 1,
                        (Err('/'), Err(Error::Divisor { .. }))
                        | (Err('>'), Err(Error::Overflow(_))) => refused += 1,
                        other => panic!("{written} at {sizes:?}: {other:?}"),
                    }
                }
                (right, refused)
            });
            values += right;
            failures += refused;
        }
        assert!(values > 20_000 && failures > 5_000, "{values} values, {failures} failures");
    }

    /// Mutants of expressions, and words at random: each is read or refused, and what is read has a value or an error.
    #[test]
    fn no_text_panics() {
        let words =
            ["m", "n", "(", ")", ",", "+", "-", "*", "7", "ceil_div", "min(", " ", "é", "%"];
        let mut read = 0;
        for seed in 0..50_000 {
            let is_read = checked(seed, |random| {
                let count = random.number(12);
                let text: String = (0..count).map(|_| random.pick(&words)).collect();
                let expression = Expression::parse(&text, &NAMES);
                expression.is_ok_and(|expression| {
                    let _ = expression.at(&[i64::MAX, i64::MIN, 0]);
                    true
                })
            });
            read += usize::from(is_read);
        }
        assert!(read > 1_000, "{read}");
    }

    #[test]
    fn operators_bind_as_usual() {
        for (text, expected) in [
            ("1-2-3", -4),
            ("2+3*4", 14),
            ("(2+3)*4", 20),
            ("2--3", 5),
            (" m * 2 + n ", 27),
            ("ceil_div(m,4)", 3),
            ("ceil_div(-7, 2)", -3),
            ("floor_div(-7,2)", -4),
            ("mod(-7,m)+mod(n,5)", 5),
            ("max(m,n)-min(m,n)", 3),
            ("-9223372036854775808", i64::MIN),
        ] {
            assert_eq!(
                Expression::parse(text, &NAMES).unwrap().at(&[10, 7, 1]),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_expressions_are_errors() {
        let error = |text: &str| Expression::parse(text, &NAMES).unwrap_err().to_string();
        for (text, message) in [
            ("", r#"expected an integer, a size, a function or ( in "", found its end"#),
            ("m+", r#"expected an integer, a size, a function or ( in "m+", found its end"#),
            (
                "m/2",
                r#"expected +, -, *, a call of ceil_div, floor_div or mod, or the end in "m/2", found /"#,
            ),
            ("2m", r#"expected +, -, * or the end in "2m", found m"#),
            ("(m", r#"expected +, -, * or ) in "(m", found its end"#),
            (
                "min(m)",
                r#"expected +, -, * or the comma between two operands in "min(m)", found )"#,
            ),
            ("min+1", r#"expected ( after a function in "min+1", found +"#),
            (
                "ceildiv(m,2)",
                r#"expected ceil_div, floor_div, mod, min or max in "ceildiv(m,2)", found the function ceildiv"#,
            ),
            ("x*m", r#"expected one of the sizes m, n, k_2 in "x*m", found x"#),
            ("-m", r#"expected an integer of 64 bits in "-m", found -"#),
            (
                "9223372036854775808",
                r#"expected an integer of 64 bits in "9223372036854775808", found 9223372036854775808"#,
            ),
        ] {
            assert_eq!(error(text), message);
        }
        assert_eq!(
            error(&"1+".repeat(9_000)),
            "expected an expression of at most 16384 bytes, found 18000"
        );
        let nested = |depth: usize| format!("{}m{}", "(".repeat(depth), ")".repeat(depth));
        assert!(Expression::parse(&nested(MAX_DEPTH), &NAMES).is_ok());
        let deep = nested(MAX_DEPTH + 1);
        assert_eq!(
            error(&deep),
            format!("expected at most 64 parentheses within each other, found more in {deep:?}")
        );
        let value = |text: &str| {
            let expression = Expression::parse(text, &NAMES).unwrap();
            expression.at(&[i64::MAX, 0, 0]).unwrap_err().to_string()
        };
        assert_eq!(value("m+1-1"), r#"expected "m+1-1" to stay within 64 bits, found an overflow"#);
        assert_eq!(
            value("ceil_div(m,n)"),
            r#"expected a divisor of at least 1 in "ceil_div(m,n)", found 0"#
        );
    }

    #[test]
    fn names_are_words() {
        for name in ["m", "_", "m_2", "M0"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "0m", "m.1", "é", "min", "max", "mod", "ceil_div", "floor_div", "m "] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn linear_expressions_of_one_unknown_are_found() {
        let linear = |text: &str, sizes| Expression::parse(text, &NAMES).unwrap().linear(sizes);
        let unknown = [None, Some(3), None];
        assert_eq!(linear("2*m+1", &unknown), Some((0, 2, 1)));
        assert_eq!(linear("n*(m-1)+max(n,2)", &unknown), Some((0, 3, 0)));
        assert_eq!(linear("7-m", &unknown), Some((0, -1, 7)));
        for text in ["m*m", "m-m", "n+1", "m+k_2", "ceil_div(m,2)", "m*9223372036854775807*2"] {
            assert_eq!(linear(text, &unknown), None, "{text}");
        }
    }
}
