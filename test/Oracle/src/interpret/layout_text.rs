//! Layouts and coordinates from text, as types and attributes hold it.

use crate::interpret::{
    Stop,
    layout::{Layout, Outer, Tree},
};
use std::{collections::HashMap, rc::Rc};

/// A formula for an integer.
#[derive(Clone, Debug)]
enum Formula {
    Number(i64),
    /// One of the integers, by its place among them.
    Integer(usize),
    Call(char, Box<Formula>, Box<Formula>),
}

/// A tree of formulas.
#[derive(Clone, Debug)]
enum Formulas {
    Leaf(Formula),
    Node(Vec<Formulas>),
    Hole,
}

/// A layout or a tuple whose integers are not all known.
#[derive(Clone, Debug)]
pub struct Text {
    body: Body,
    /// The facts of each of its integers, in the order of their first mention.
    pub integers: Vec<Fact>,
}

#[derive(Clone, Debug)]
enum Body {
    Tuple(Formulas),
    Tilers(Vec<Body>),
    Strided(Formulas, Formulas),
    Composed(OuterText, Formula, Box<Body>),
}

#[derive(Clone, Debug)]
enum OuterText {
    Swizzle(u32, u32, i32),
    Layout(Box<Body>),
}

/// The facts of an integer in braces.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Its bits.
    pub bits: u32,
    /// It is a multiple of this.
    pub multiple: i64,
    /// The least that it is.
    pub least: i64,
    /// The most that it is.
    pub most: i64,
}

/// The kinds of terms.
#[derive(Clone, Debug)]
pub enum Term {
    /// A shape, a coordinate, an integer.
    Tuple(Tree),
    /// A layout.
    Layout(Layout),
    /// A tuple of tilers, or `None` for `_`, which keeps a mode.
    Tilers(Vec<Option<Layout>>),
}

struct Reader<'a> {
    text: &'a str,
    integers: Vec<Fact>,
    names: HashMap<u32, usize>,
}

type Read<T> = Result<T, Stop>;

impl<'a> Reader<'a> {
    fn error<T>(&self) -> Read<T> {
        Err(Stop::unknown(format!("the layout's text at '{}'", self.text)))
    }

    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Read<()> {
        if self.eat(token) { Ok(()) } else { self.error() }
    }

    fn digits(&mut self) -> Option<&'a str> {
        self.skip();
        let end = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.text.split_at(end);
        self.text = rest;
        (end > 0).then_some(digits)
    }

    fn integer(&mut self) -> Read<i64> {
        let negative = self.eat("-");
        let Some(digits) = self.digits() else { return self.error() };
        let sign = if negative { "-" } else { "" };
        format!("{sign}{digits}").parse().or_else(|_| self.error())
    }

    fn body(&mut self) -> Read<Body> {
        self.skip();
        if self.text.starts_with("S<") {
            self.expect("S<")?;
            let bits = self.integer()? as u32;
            self.expect(",")?;
            let base = self.integer()? as u32;
            self.expect(",")?;
            let shift = self.integer()? as i32;
            self.expect(">")?;
            if bits + base + shift.unsigned_abs() > 60 {
                return self.error();
            }
            self.expect("o")?;
            let offset = self.sum()?;
            self.expect("o")?;
            let inner = Box::new(self.body()?);
            return Ok(Body::Composed(OuterText::Swizzle(bits, base, shift), offset, inner));
        }
        if self.eat("<") {
            let mut tilers = Vec::new();
            loop {
                tilers.push(self.body()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(">")?;
            return Ok(Body::Tilers(tilers));
        }
        let shape = self.formulas()?;
        if !self.eat(":") {
            return Ok(Body::Tuple(shape));
        }
        let stride = self.formulas()?;
        let plain = Body::Strided(shape, stride);
        if self.eat("o ") {
            let offset = self.sum()?;
            self.expect("o ")?;
            let inner = Box::new(self.body()?);
            return Ok(Body::Composed(OuterText::Layout(Box::new(plain)), offset, inner));
        }
        Ok(plain)
    }

    fn formulas(&mut self) -> Read<Formulas> {
        self.skip();
        if self.eat("_") {
            return Ok(Formulas::Hole);
        }
        if self.text.starts_with('(') {
            // A tuple, or the beginning of a formula such as `(?0+1)*2`.
            let (before, count, names) = (self.text, self.integers.len(), self.names.clone());
            self.expect("(")?;
            let mut entries = Vec::new();
            if !self.eat(")") {
                loop {
                    entries.push(self.formulas()?);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect(")")?;
            }
            self.skip();
            let operator = self.text.starts_with(['*', '/', '+', '%', '-']);
            if !operator {
                return Ok(Formulas::Node(entries));
            }
            self.text = before;
            self.integers.truncate(count);
            self.names = names;
        }
        Ok(Formulas::Leaf(self.sum()?))
    }

    fn sum(&mut self) -> Read<Formula> {
        let mut left = self.product()?;
        loop {
            let op = if self.eat("+") {
                '+'
            } else if self.eat("-") {
                '-'
            } else {
                return Ok(left);
            };
            left = Formula::Call(op, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Read<Formula> {
        let mut left = self.factor()?;
        loop {
            let op = if self.eat("*") {
                '*'
            } else if self.eat("/") {
                '/'
            } else if self.eat("%") {
                '%'
            } else {
                return Ok(left);
            };
            left = Formula::Call(op, Box::new(left), Box::new(self.factor()?));
        }
    }

    fn factor(&mut self) -> Read<Formula> {
        for (name, op) in
            [("ceil_div(", 'c'), ("min(", 'm'), ("max(", 'M'), ("floor_div(", '/'), ("mod(", '%')]
        {
            if self.eat(name) {
                let mut left = self.sum()?;
                while self.eat(",") {
                    left = Formula::Call(op, Box::new(left), Box::new(self.sum()?));
                }
                self.expect(")")?;
                return Ok(left);
            }
        }
        if self.eat("(") {
            let inner = self.sum()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.eat("?") {
            let name = if self.text.starts_with(|c: char| c.is_ascii_digit()) {
                self.digits().and_then(|digits| digits.parse::<u32>().ok())
            } else {
                None
            };
            let fact = self.fact()?;
            if let Some(place) = name.and_then(|name| self.names.get(&name)) {
                return Ok(Formula::Integer(*place));
            }
            let place = self.integers.len();
            self.integers.push(fact);
            if let Some(name) = name {
                self.names.insert(name, place);
            }
            return Ok(Formula::Integer(place));
        }
        self.skip();
        if self.text.starts_with('-') && !self.text[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.expect("-")?;
            let inner = self.factor()?;
            return Ok(Formula::Call('-', Box::new(Formula::Number(0)), Box::new(inner)));
        }
        Ok(Formula::Number(self.integer()?))
    }

    fn fact(&mut self) -> Read<Fact> {
        let mut fact = Fact { bits: 32, multiple: 1, least: i64::MIN, most: i64::MAX };
        if !self.text.starts_with('{') {
            return Ok(fact);
        }
        self.expect("{")?;
        loop {
            if self.eat("}") {
                return Ok(fact);
            }
            if self.eat("i64") {
                fact.bits = 64;
            } else if self.eat("i32") {
                fact.bits = 32;
            } else if self.eat("div=") {
                fact.multiple = self.integer()?;
            } else if self.eat("range=") {
                if !self.text.starts_with("..") {
                    fact.least = self.integer()?;
                }
                if self.eat("..") {
                    let open = self.text.starts_with([' ', '}']);
                    if !open {
                        fact.most = self.integer()?;
                    }
                } else {
                    fact.most = fact.least;
                }
            } else {
                return self.error();
            }
        }
    }
}

impl Text {
    /// Reads the inside of `!layout<…>`, `!layout.tuple<…>` or `#layout<…>`.
    pub fn parse(text: &str) -> Read<Self> {
        let mut reader = Reader { text, integers: Vec::new(), names: HashMap::new() };
        let body = reader.body()?;
        reader.skip();
        if !reader.text.is_empty() {
            return reader.error();
        }
        Ok(Self { body, integers: reader.integers })
    }

    /// The term where its integers have these values; undefined behaviour if one has a value that
    /// the text rules out.
    pub fn at(&self, values: &[i64]) -> Read<Term> {
        if values.len() != self.integers.len() {
            return Err(Stop::unknown("another number of integers than a layout has"));
        }
        for (fact, value) in self.integers.iter().zip(values) {
            let fits = (fact.least..=fact.most).contains(value)
                && (fact.multiple == 0 || value % fact.multiple == 0)
                && (fact.bits == 64 || i32::try_from(*value).is_ok());
            if !fits {
                return Err(Stop::undefined(format!("a type says that {value} is none of its")));
            }
        }
        self.body.at(values)
    }
}

impl Text {
    /// Integers with which another text says something else, of the same integers in their order of first mention: what
    /// this one is, what the other is, and the integers, or `None` if they agree, or where an integer cancels out.
    pub fn differs(&self, other: &Self) -> Option<(String, String, String)> {
        if self.integers.len() != other.integers.len() {
            return None;
        }
        let steps = [[1, 0], [1, 1], [3, 2], [7, 5]];
        let vectors = steps.map(|[first, step]| {
            let of = |(place, fact): (i64, &Fact)| {
                let multiple = fact.multiple.max(1);
                let least = fact.least.max(1).div_euclid(multiple) * multiple;
                let value = least + multiple * (first + step * place);
                if value <= fact.most { value } else { fact.most - fact.most.rem_euclid(multiple) }
            };
            (0..).zip(&self.integers).map(of).collect::<Vec<i64>>()
        });
        let reported = |term: Read<Term>| match term {
            Ok(term) => format!("{term:?}"),
            Err(stop) => format!("{stop:?}"),
        };
        vectors.into_iter().find_map(|values| {
            // A text that is undefined as it is written says nothing.
            let mine = format!("{:?}", self.at(&values).ok()?);
            let theirs = reported(other.at(&values));
            (mine != theirs).then(|| (mine, theirs, format!("with integers {values:?}")))
        })
    }

    /// Integers that it could be read with, large ones.
    pub fn possible(&self) -> Vec<i64> {
        let possible = |fact: &Fact| {
            let most = fact.most.min(fact.least.max(1008));
            let multiple = fact.multiple.max(1);
            (most - most.rem_euclid(multiple)).max(fact.least)
        };
        self.integers.iter().map(possible).collect()
    }
}

impl Body {
    fn at(&self, values: &[i64]) -> Read<Term> {
        Ok(match self {
            Self::Tuple(entries) => Term::Tuple(entries.at(values)?),
            Self::Tilers(tilers) => {
                let mut layouts = Vec::new();
                for tiler in tilers {
                    layouts.push(match tiler.at(values)? {
                        Term::Layout(layout) => Some(layout),
                        Term::Tuple(size @ Tree::Leaf(_)) => {
                            Some(Layout::Strided(size, Tree::Leaf(1)))
                        }
                        Term::Tuple(Tree::Hole) => None,
                        _ => return Err(Stop::unknown("a tiler of tilers")),
                    });
                }
                Term::Tilers(layouts)
            }
            Self::Strided(shape, stride) => {
                let (shape, stride) = (shape.at(values)?, stride.at(values)?);
                if shape.leaves().iter().any(|extent| *extent < 1) {
                    return Err(Stop::undefined("an extent below 1"));
                }
                Term::Layout(Layout::Strided(shape, stride))
            }
            Self::Composed(outer, offset, inner) => {
                let layout = |body: &Body| match body.at(values)? {
                    Term::Layout(layout) => Ok(Rc::new(layout)),
                    _ => Err(Stop::unknown("a composed layout whose outer part is none")),
                };
                let outer = match outer {
                    OuterText::Swizzle(bits, base, shift) => Outer::Swizzle(*bits, *base, *shift),
                    OuterText::Layout(body) => Outer::Layout(layout(body)?),
                };
                Term::Layout(Layout::Composed(outer, offset.at(values)?, layout(inner)?))
            }
        })
    }
}

impl Formulas {
    fn at(&self, values: &[i64]) -> Read<Tree> {
        Ok(match self {
            Self::Leaf(formula) => Tree::Leaf(formula.at(values)?),
            Self::Node(entries) => {
                Tree::Node(entries.iter().map(|entry| entry.at(values)).collect::<Result<_, _>>()?)
            }
            Self::Hole => Tree::Hole,
        })
    }
}

impl Formula {
    fn at(&self, values: &[i64]) -> Read<i64> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Integer(place) => Ok(values[*place]),
            Self::Call(op, a, b) => {
                let (a, b) = (i128::from(a.at(values)?), i128::from(b.at(values)?));
                if matches!(op, '/' | '%' | 'c') && b <= 0 {
                    return Err(Stop::undefined("a layout's formula divides by 0 or less"));
                }
                let value = match op {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a.div_euclid(b),
                    '%' => a.rem_euclid(b),
                    'c' => (a + b - 1).div_euclid(b),
                    'm' => a.min(b),
                    'M' => a.max(b),
                    _ => return Err(Stop::unknown("a formula")),
                };
                i64::try_from(value).map_err(|_| Stop::undefined("a layout's formula overflows"))
            }
        }
    }
}

/// A coordinate with values in place of each `?`.
pub fn coordinate(text: &str, values: &[Tree]) -> Read<Tree> {
    // The text has `?` alone, which a layout's text has too.
    let text = Text::parse(text)?;
    let Body::Tuple(formulas) = &text.body else {
        return Err(Stop::unknown("a coordinate that is none"));
    };
    fn put(formulas: &Formulas, values: &[Tree]) -> Read<Tree> {
        Ok(match formulas {
            Formulas::Leaf(Formula::Integer(place)) => match values.get(*place) {
                Some(value) => value.clone(),
                None => return Err(Stop::unknown("a coordinate with too few operands")),
            },
            Formulas::Leaf(formula) => Tree::Leaf(formula.at(&[])?),
            Formulas::Node(entries) => {
                Tree::Node(entries.iter().map(|e| put(e, values)).collect::<Result<_, _>>()?)
            }
            Formulas::Hole => Tree::Hole,
        })
    }
    let coordinate = put(formulas, values)?;
    Ok(coordinate)
}
