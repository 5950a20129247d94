//! MLIR's text: `affine_map`, and `affine_set` as its Presburger library reads sets.
//!
//! Both are read with or without their `affine_map<…>`. Dimensions become tuples, symbols become
//! parameters of the relation. `floordiv`, `ceildiv` and `mod` round as ISL's `floor` and `mod` do;
//! divisors are positive integers, and one factor of a product is a number.

use crate::{
    error::{Error, Result},
    isl::Context,
    quasi::{Formula, Piece, QuasiAffine, Sign},
    relation::{IntegerSet, Relation},
    text::limits,
};

/// A part of a mapping in MLIR's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffinePiece {
    /// `affine_map<(d0) -> (d0 floordiv 4)>`
    pub map: String,
    /// Where it holds: in any of these `affine_set<(d0) : (d0 >= 0)>`.
    pub domain: Vec<String>,
}

/// Reads an `affine_map`, as a relation on all integers.
///
/// # Errors
///
/// Text that is none, with the byte where reading stopped; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, relation_of_affine_map};
/// let context = Context::new(Limits::default())?;
/// let text = "affine_map<(d0, d1) -> (d0 floordiv 4 + d1 * 2, d0 mod 4)>";
/// let relation = relation_of_affine_map(&context, text)?;
/// assert_eq!(relation.at(&[7, 1])?, Some(vec![3, 3]));
/// assert_eq!(
///     relation_of_affine_map(&context, "(d0) -> (d1)").err().unwrap().to_string(),
///     "expected a dimension, a symbol or a number, found `d1` at byte 9"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn relation_of_affine_map(context: &Context, text: &str) -> Result<Relation> {
    let mut reader = Reader::new(text)?;
    let wrapped = reader.open("affine_map")?;
    let (dimensions, symbols) = reader.head()?;
    reader.expect("->")?;
    reader.expect("(")?;
    let mut results = Vec::new();
    while !reader.take(")") {
        if !results.is_empty() {
            reader.expect(",")?;
        }
        results.push(reader.sum(0)?);
    }
    reader.close(wrapped)?;
    let text = format!("[{symbols}] -> {{ [{dimensions}] -> [{}] }}", results.join(", "));
    limits::check(&text)?;
    Relation::read(context, &text)
}

/// Reads an `affine_set`.
///
/// # Errors
///
/// Text that is none, with the byte where reading stopped; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, set_of_affine_set};
/// let context = Context::new(Limits::default())?;
/// let set = set_of_affine_set(&context, "(x, y) : (x >= 0, y - x >= 0, 3 - y >= 0)")?;
/// assert_eq!(set.count()?, 10);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn set_of_affine_set(context: &Context, text: &str) -> Result<IntegerSet> {
    let mut reader = Reader::new(text)?;
    let wrapped = reader.open("affine_set")?;
    let (dimensions, symbols) = reader.head()?;
    reader.expect(":")?;
    reader.expect("(")?;
    let mut conditions = Vec::new();
    while !reader.take(")") {
        if !conditions.is_empty() {
            reader.expect(",")?;
        }
        let left = reader.sum(0)?;
        let sign = match reader.next() {
            ">=" => ">=",
            "<=" => "<=",
            "==" => "=",
            _ => return Err(reader.unexpected("`>=`, `<=` or `==`")),
        };
        reader.advance();
        conditions.push(format!("{left} {sign} {}", reader.sum(0)?));
    }
    reader.close(wrapped)?;
    let all = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
    let text = format!("[{symbols}] -> {{ [{dimensions}] : {all} }}");
    limits::check(&text)?;
    Ok(context.read_set(&text)?.into())
}

/// A single-valued relation in MLIR's text, piece by piece.
///
/// # Errors
///
/// A relation that is not single-valued; symbols; numbers past 64 bits; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, affine_pieces, layout_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = layout_mapping(&context, &"(4,3):(3,1)".parse()?)?;
/// let pieces = affine_pieces(&mapping)?;
/// assert_eq!(pieces.len(), 1);
/// assert_eq!(pieces[0].map, "affine_map<(d0) -> (d0 * 3 + (d0 floordiv 4) * -11)>");
/// assert_eq!(pieces[0].domain, ["affine_set<(d0) : (d0 >= 0, d0 * -1 + 11 >= 0)>"]);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn affine_pieces(relation: &Relation) -> Result<Vec<AffinePiece>> {
    let formula = Formula::of_one_step(relation)?;
    let head = head(formula.dimensions);
    let piece = |piece: &Piece| {
        let results: Vec<_> = piece.results.iter().map(ToString::to_string).collect();
        AffinePiece {
            map: format!("affine_map<{head} -> ({})>", results.join(", ")),
            domain: sets(&head, &piece.conditions),
        }
    };
    Ok(formula.steps.concat().iter().map(piece).collect())
}

/// A set as the union of `affine_set`s.
///
/// # Errors
///
/// Symbols; numbers past 64 bits; a limit.
pub fn affine_sets(set: &IntegerSet) -> Result<Vec<String>> {
    let formula = Formula::of_set(set)?;
    let head = head(formula.dimensions);
    Ok(formula.steps.concat().iter().flat_map(|piece| sets(&head, &piece.conditions)).collect())
}

fn head(dimensions: usize) -> String {
    let names: Vec<_> = (0..dimensions).map(|i| format!("d{i}")).collect();
    format!("({})", names.join(", "))
}

fn sets(head: &str, conditions: &[Vec<(Sign, QuasiAffine)>]) -> Vec<String> {
    let condition = |(sign, expression): &(Sign, QuasiAffine)| match sign {
        Sign::Zero => format!("{expression} == 0"),
        Sign::NotNegative => format!("{expression} >= 0"),
    };
    let set = |row: &Vec<(Sign, QuasiAffine)>| {
        // MLIR requires at least one.
        let all: Vec<_> = row.iter().map(condition).collect();
        let all = if all.is_empty() { "0 == 0".to_owned() } else { all.join(", ") };
        format!("affine_set<{head} : ({all})>")
    };
    conditions.iter().map(set).collect()
}

/// Parentheses and signs that are open at one time.
const DEPTH: usize = 100;

/// Bytes of a text.
const LENGTH: usize = 1 << 16;

/// Reads MLIR's text token by token, and writes ISL's.
struct Reader<'a> {
    text: &'a str,
    /// Where the next token begins.
    at: usize,
    /// The expressions that names stand for.
    names: Vec<(&'a str, String)>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Result<Self> {
        if text.len() > LENGTH {
            let found = text.len().to_string();
            return Err(Error::Text { expected: "at most 65536 bytes of text", found });
        }
        let mut reader = Self { text, at: 0, names: Vec::new() };
        reader.skip();
        Ok(reader)
    }

    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The next token; nothing at the end.
    fn next(&self) -> &'a str {
        let rest = &self.text[self.at..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match rest.chars().next() {
            None => 0,
            Some(first) if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            Some(first) => {
                let pair = rest.get(..2).filter(|pair| ["->", ">=", "<=", "=="].contains(pair));
                pair.map_or(first.len_utf8(), str::len)
            }
        };
        &rest[..length]
    }

    fn advance(&mut self) {
        self.at += self.next().len();
        self.skip();
    }

    fn take(&mut self, token: &str) -> bool {
        let taken = self.next() == token;
        if taken {
            self.advance();
        }
        taken
    }

    fn expect(&mut self, token: &'static str) -> Result<()> {
        let expected = match token {
            "->" => "`->`",
            "(" => "`(`",
            ")" => "`)`",
            "]" => "`]`",
            ":" => "`:`",
            "," => "`,`",
            "<" => "`<`",
            ">" => "`>`",
            _ => "more",
        };
        if self.take(token) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn unexpected(&self, expected: &'static str) -> Error {
        let found = match self.next() {
            "" => "the end".to_owned(),
            token => format!("`{}`", token.chars().take(40).collect::<String>()),
        };
        Error::Text { expected, found: format!("{found} at byte {}", self.at) }
    }

    /// Whether the text is in `keyword<…>`.
    fn open(&mut self, keyword: &str) -> Result<bool> {
        let wrapped = self.take(keyword);
        if wrapped {
            self.expect("<")?;
        }
        Ok(wrapped)
    }

    fn close(&mut self, wrapped: bool) -> Result<()> {
        if wrapped {
            self.expect(">")?;
        }
        if self.next().is_empty() { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    /// `(d0, d1)[s0]`, as ISL's names.
    fn head(&mut self) -> Result<(String, String)> {
        self.expect("(")?;
        let dimensions = self.listed(")", "d")?;
        let symbols = if self.take("[") { self.listed("]", "s")? } else { String::new() };
        Ok((dimensions, symbols))
    }

    fn listed(&mut self, end: &'static str, prefix: &str) -> Result<String> {
        let mut listed = Vec::new();
        while !self.take(end) {
            if !listed.is_empty() {
                self.expect(",")?;
            }
            let name = self.next();
            let fits = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            if !fits || self.names.iter().any(|(other, _)| *other == name) {
                return Err(self.unexpected("a new name"));
            }
            // ISL has words of its own; ours are none of them.
            let own = format!("{prefix}{}", listed.len());
            self.names.push((name, own.clone()));
            listed.push(own);
            self.advance();
        }
        Ok(listed.join(", "))
    }

    fn sum(&mut self, depth: usize) -> Result<String> {
        self.terms(depth).map(|term| term.text)
    }

    fn terms(&mut self, depth: usize) -> Result<Term> {
        let mut sum = self.product(depth)?;
        loop {
            let plus = match self.next() {
                "+" => true,
                "-" => false,
                _ => return Ok(sum),
            };
            self.advance();
            let term = self.product(depth)?;
            let number = sum
                .number
                .zip(term.number)
                .and_then(|(a, b)| if plus { a.checked_add(b) } else { a.checked_sub(b) });
            let sign = if plus { "+" } else { "-" };
            // Not nested: a long sum is no deep one.
            sum = Term { text: format!("{} {sign} {}", sum.text, term.text), number };
        }
    }

    fn product(&mut self, depth: usize) -> Result<Term> {
        let mut product = self.factor(depth)?;
        loop {
            let operation = self.next();
            match operation {
                "*" => {
                    self.advance();
                    let factor = self.factor(depth)?;
                    // ISL expects the number first, without a sign.
                    let (number, other) = match (product.number, factor.number) {
                        (Some(number), _) => (number, &factor),
                        (None, Some(number)) => (number, &product),
                        (None, None) => return Err(self.unexpected("a number as one factor")),
                    };
                    let text = match (number < 0, number.unsigned_abs()) {
                        (false, size) => format!("({size} * ({}))", other.text),
                        (true, size) => format!("(0 - {size} * ({}))", other.text),
                    };
                    let number = product.number.zip(factor.number);
                    let number = number.and_then(|(a, b)| a.checked_mul(b));
                    product = Term { text, number };
                }
                "floordiv" | "ceildiv" | "mod" => {
                    self.advance();
                    let divisor = self.divisor()?;
                    let text = match operation {
                        "floordiv" => format!("floor(({})/{divisor})", product.text),
                        "ceildiv" => format!("ceil(({})/{divisor})", product.text),
                        _ => format!("(({}) mod {divisor})", product.text),
                    };
                    product = Term { text, number: None };
                }
                _ => return Ok(product),
            }
        }
    }

    fn divisor(&mut self) -> Result<i64> {
        let divisor = self.next().parse().ok().filter(|&divisor: &i64| divisor > 0);
        let divisor = divisor.ok_or_else(|| self.unexpected("a divisor of at least 1"))?;
        self.advance();
        Ok(divisor)
    }

    fn factor(&mut self, depth: usize) -> Result<Term> {
        if depth > DEPTH {
            return Err(self.unexpected("expressions that nest at most 100 deep"));
        }
        if self.take("-") {
            let inside = self.factor(depth + 1)?;
            let number = inside.number.and_then(i64::checked_neg);
            return Ok(Term { text: format!("(0 - {})", inside.text), number });
        }
        if self.take("(") {
            let inside = self.terms(depth + 1)?;
            self.expect(")")?;
            return Ok(Term { text: format!("({})", inside.text), ..inside });
        }
        let token = self.next();
        if let Ok(number) = token.parse::<i64>() {
            self.advance();
            return Ok(Term { text: number.to_string(), number: Some(number) });
        }
        match self.names.iter().find(|(name, _)| *name == token) {
            Some((_, own)) => {
                let text = own.clone();
                self.advance();
                Ok(Term { text, number: None })
            }
            None => Err(self.unexpected("a dimension, a symbol or a number")),
        }
    }
}

/// An expression that was read, in ISL's words; and its value, where it is a number.
struct Term {
    text: String,
    number: Option<i64>,
}
