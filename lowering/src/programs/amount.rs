//! Integers of a program: known, or expressions in the manifest's grammar over the extents of arguments, and over [parts](super::parts).

use super::{bounds, parts::Part};
use layout_dialect::build::{Val, operand, result};
use layout_runtime::expression::{self, MAX_LENGTH};
use melior::ir::{
    OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
    r#type::IntegerType,
};
use std::{fmt, rc::Rc};

/// How the names of variables start; no size's name has it in it.
pub(super) const VARIABLE: &str = "value";

/// The predicates of `arith.cmpi`, by their numbers; `index.cmp` has them by name.
const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// An integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    Known(i64),
    Open(Expression),
}

/// An expression, and the parts that it may name.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    text: String,
    parts: Vec<Rc<Part>>,
}

impl PartialEq for Expression {
    /// A name is of one part.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Expression {}

impl Expression {
    /// Another one over the same parts.
    fn with(&self, text: &str) -> Amount {
        Amount::Open(Self { text: text.to_owned(), parts: self.parts.clone() })
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => write!(f, "{value}"),
            Self::Open(own) => f.write_str(&own.text),
        }
    }
}

impl Amount {
    pub(super) const fn known(value: i64) -> Self {
        Self::Known(value)
    }

    pub(super) const fn name(name: String) -> Self {
        Self::Open(Expression { text: name, parts: Vec::new() })
    }

    /// The name of a part.
    pub(super) fn of_part(part: Rc<Part>) -> Self {
        Self::Open(Expression { text: part.name.clone(), parts: vec![part] })
    }

    /// The parts that it may name.
    pub(super) fn parts(&self) -> &[Rc<Part>] {
        match self {
            Self::Known(_) => &[],
            Self::Open(own) => &own.parts,
        }
    }

    /// An expression of two, which the manifest can hold.
    fn of(text: String, a: &Self, b: &Self) -> Result<Self, String> {
        let mut parts = a.parts().to_vec();
        for part in b.parts() {
            if !parts.iter().any(|own| own.name == part.name) {
                parts.push(Rc::clone(part));
            }
        }
        match text.len() {
            0..=MAX_LENGTH => Ok(Self::Open(Expression { text, parts })),
            found => Err(format!(
                "expected sizes of at most {MAX_LENGTH} letters as expressions, found {found}"
            )),
        }
    }

    /// The value, where it is known.
    pub(super) const fn value(&self) -> Option<i64> {
        match self {
            Self::Known(value) => Some(*value),
            Self::Open(_) => None,
        }
    }

    /// Whether it is the other, or a product of the same factors in another order or other parentheses.
    pub(super) fn is_equal(&self, other: &Self) -> bool {
        self == other || factors(self).is_some_and(|own| Some(own) == factors(other))
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (Self::Known(0), one) | (one, Self::Known(0)) => Ok(one.clone()),
            (Self::Known(a), Self::Known(b)) => known(a.checked_add(*b)),
            _ => Self::of(format!("{self}+{}", other.within()), self, other),
        }
    }

    fn subtract(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (one, Self::Known(0)) => Ok(one.clone()),
            (Self::Known(a), Self::Known(b)) => known(a.checked_sub(*b)),
            _ if self == other => Ok(Self::Known(0)),
            // An added constant and one that is subtracted are one.
            _ => match (self.split_constant(), other) {
                (Some((rest, more)), Self::Known(less @ 1..)) if *less <= more => {
                    rest.add(&Self::Known(more - less))
                }
                (Some((rest, more)), Self::Known(less @ 1..)) => {
                    rest.subtract(&Self::Known(less - more))
                }
                _ => Self::of(format!("{self}-{}", other.within()), self, other),
            },
        }
    }

    /// The first and the second part of a sum whose second is known.
    fn split_constant(&self) -> Option<(Self, i64)> {
        let Self::Open(own) = self else { return None };
        let (rest, constant) = own.text.rsplit_once('+')?;
        let constant = constant.parse().ok()?;
        let is_whole = rest.matches('(').count() == rest.matches(')').count();
        is_whole.then(|| (own.with(rest), constant))
    }

    pub(super) fn multiply(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (Self::Known(1), one) | (one, Self::Known(1)) => Ok(one.clone()),
            (Self::Known(0), _) | (_, Self::Known(0)) => Ok(Self::Known(0)),
            (Self::Known(a), Self::Known(b)) => known(a.checked_mul(*b)),
            _ => Self::of(format!("{}*{}", self.within(), other.within()), self, other),
        }
    }

    /// The least integer that is at least the quotient.
    fn ceil_div(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (one, Self::Known(1)) => Ok(one.clone()),
            (Self::Known(a), Self::Known(b)) if *b >= 1 => {
                known(Some(a.div_euclid(*b) + i64::from(a.rem_euclid(*b) > 0)))
            }
            (_, Self::Known(b)) if *b < 1 => {
                Err(format!("expected a divisor of at least 1, found {b}"))
            }
            _ => Self::of(format!("ceil_div({self},{other})"), self, other),
        }
    }

    /// The greatest integer that is at most the quotient: `ceil((a - b + 1) / b)`.
    fn floor_div(&self, other: &Self) -> Result<Self, String> {
        if other.value() == Some(1) {
            return Ok(self.clone());
        }
        // A multiple of the divisor.
        if let (Self::Open(own), Self::Known(divisor)) = (self, other)
            && let Some(factor) = own.text.strip_suffix(&format!("*{divisor}"))
            && is_product(factor)
        {
            return Ok(own.with(factor));
        }
        if let Some(quotient) = self.quotient(other) {
            return Ok(quotient);
        }
        self.subtract(&other.subtract(&Self::Known(1))?)?.ceil_div(other)
    }

    fn call(&self, function: &str, other: &Self) -> Result<Self, String> {
        match (self, other, function) {
            (Self::Known(a), Self::Known(b), "min") => Ok(Self::Known(*a.min(b))),
            (Self::Known(a), Self::Known(b), "max") => Ok(Self::Known(*a.max(b))),
            _ if self.is_at_most(other) => Ok(if function == "min" { self } else { other }.clone()),
            _ if other.is_at_most(self) => Ok(if function == "min" { other } else { self }.clone()),
            _ => Self::of(format!("{function}({self},{other})"), self, other),
        }
    }

    /// The quotient by a product of some of its factors.
    fn quotient(&self, divisor: &Self) -> Option<Self> {
        let ((number, mut names), (by, own)) = (factors(self)?, factors(divisor)?);
        for name in &own {
            names.remove(names.iter().position(|found| found == name)?);
        }
        if own.is_empty() || by < 1 || number % by != 0 {
            return None;
        }
        let Self::Open(whole) = self else { return None };
        let start = Self::Known(number / by);
        names.into_iter().try_fold(start, |all, name| all.multiply(&whole.with(name)).ok())
    }

    /// Whether it is at most the other at all sizes: extents are at least 0, and variables may be anything.
    fn is_at_most(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a <= b,
            _ => bounds::is_at_most(&self.whole(), &other.whole()),
        }
    }

    pub(super) fn is_at_least_0(&self) -> bool {
        Self::Known(0).is_at_most(self)
    }

    /// Whether variables are in it.
    pub(super) fn is_variable(&self) -> bool {
        matches!(self, Self::Open(own) if own.text.contains(VARIABLE))
    }

    /// 1 where it is at least the other, else 0.
    fn at_least(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => Ok(Self::Known(i64::from(a >= b))),
            _ if other.is_at_most(self) => Ok(Self::Known(1)),
            (Self::Known(a), b) if Self::Known(a.saturating_add(1)).is_at_most(b) => {
                Ok(Self::Known(0))
            }
            (a, Self::Known(b)) if a.is_at_most(&Self::Known(b.saturating_sub(1))) => {
                Ok(Self::Known(0))
            }
            _ => {
                let one = Self::Known(1);
                self.subtract(other)?.add(&one)?.call("min", &one)?.call("max", &Self::Known(0))
            }
        }
    }

    /// 1 where this, which is 0 or 1, is 0, else 0.
    pub(super) fn not(&self) -> Result<Self, String> {
        Self::Known(1).subtract(self)
    }

    /// 1 where this or the other, which are 0 or 1, is 1, else 0.
    pub(super) fn either(&self, other: &Self) -> Result<Self, String> {
        match (self, other) {
            (Self::Known(0), one) | (one, Self::Known(0)) => Ok(one.clone()),
            (Self::Known(_), _) | (_, Self::Known(_)) => Ok(Self::Known(1)),
            _ => self.call("max", other),
        }
    }

    /// 1 where a comparison of `arith` holds, by the number of its predicate, else 0.
    pub(super) fn compare(&self, predicate: i64, other: &Self) -> Result<Option<Self>, String> {
        let equal = || self.at_least(other)?.multiply(&other.at_least(self)?);
        Ok(Some(match predicate {
            0 => equal()?,
            1 => equal()?.not()?,
            2 => self.at_least(other)?.not()?,
            3 => other.at_least(self)?,
            4 => other.at_least(self)?.not()?,
            5 => self.at_least(other)?,
            6 => match other.at_most_unsigned(self)? {
                Some(reversed) => reversed.not()?,
                None => return Ok(None),
            },
            7 => return self.at_most_unsigned(other),
            8 => match self.at_most_unsigned(other)? {
                Some(reversed) => reversed.not()?,
                None => return Ok(None),
            },
            9 => return other.at_most_unsigned(self),
            _ => return Ok(None),
        }))
    }

    /// 1 where it is at most the other as unsigned numbers, of which those that are negative are the greatest, or `None` if both may be.
    fn at_most_unsigned(&self, other: &Self) -> Result<Option<Self>, String> {
        let plain = other.at_least(self)?;
        Ok(match (self.is_at_least_0(), other.is_at_least_0()) {
            (true, true) => Some(plain),
            (false, true) => Some(plain.multiply(&self.at_least(&Self::Known(0))?)?),
            (true, false) => Some(plain.call("max", &other.at_least(&Self::Known(0))?.not()?)?),
            (false, false) => None,
        })
    }

    /// The first where the condition is 1, the second where it is 0.
    fn select(condition: &Self, yes: &Self, no: &Self) -> Result<Self, String> {
        match condition.value() {
            Some(0) => Ok(no.clone()),
            Some(_) => Ok(yes.clone()),
            None => no.add(&condition.multiply(&yes.subtract(no)?)?),
        }
    }

    /// As an operand of something that binds tighter.
    fn within(&self) -> String {
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_call = |text: &str| {
            let called = text.split_once('(').map(|(name, _)| name);
            called.is_some_and(|called| expression::functions().any(|name| name == called))
                && closes(text)
        };
        match self {
            Self::Known(value) if *value >= 0 => value.to_string(),
            Self::Open(own) if plain(&own.text) || is_call(&own.text) => own.text.clone(),
            other => format!("({other})"),
        }
    }
}

/// The factors of a product, those that are known as one number, in the order of their texts.
fn factors(amount: &Amount) -> Option<(i64, Vec<&str>)> {
    let text = match amount {
        Amount::Known(value) => return Some((*value, Vec::new())),
        Amount::Open(own) => own.text.as_str(),
    };
    let (mut number, mut names, mut open) = (1_i64, Vec::new(), vec![text]);
    while let Some(text) = open.pop() {
        match text.strip_prefix('(').filter(|_| closes(text)).and_then(|own| own.strip_suffix(')'))
        {
            Some(inside) => open.push(inside),
            None if !is_product(text) => names.push(text),
            None => {
                let mut depth = 0;
                let mut each = text.split(|letter| {
                    depth += i32::from(letter == '(') - i32::from(letter == ')');
                    depth == 0 && letter == '*'
                });
                match (each.next(), each.next()) {
                    (Some(one), None) => match one.parse::<i64>() {
                        Ok(known) => number = number.checked_mul(known)?,
                        Err(_) => names.push(one),
                    },
                    (first, second) => open.extend(first.into_iter().chain(second).chain(each)),
                }
            }
        }
    }
    names.sort_unstable();
    Some((number, names))
}

/// Whether a text has no sum outside parentheses.
fn is_product(text: &str) -> bool {
    let mut depth = 0;
    text.chars().all(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth > 0 || !matches!(letter, '+' | '-')
    })
}

/// Whether the first parenthesis of a text is closed by its last letter.
fn closes(text: &str) -> bool {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

fn known(value: Option<i64>) -> Result<Amount, String> {
    value.map(Amount::Known).ok_or_else(|| "expected sizes that fit 64 bits, found more".to_owned())
}

/// The integer that an operation computes from others that are known, or `None` if it computes something else.
pub(super) fn of<'c>(
    operation: OperationRef<'c, 'c>,
    name: &str,
    known: &dyn Fn(Val<'c>) -> Option<Amount>,
) -> Result<Option<Amount>, String> {
    if matches!(name, "arith.constant" | "index.constant") {
        let value = operation.attribute("value").and_then(IntegerAttribute::try_from);
        // The one bit of `true` reads as a sign.
        let read = |value: i64| if is_boolean(operation) { value & 1 } else { value };
        return Ok(value.ok().map(|value| Amount::Known(read(value.value()))));
    }
    let given: Option<Vec<Amount>> =
        (0..operation.operand_count()).map(|i| known(operand(operation, i))).collect();
    let Some(given) = given else { return Ok(None) };
    // A size may be read as unsigned, and fits 32 bits; a variable may be negative, and may not.
    const SIZE_OPERATIONS: [&str; 14] = [
        "arith.index_castui",
        "arith.extui",
        "arith.trunci",
        "index.castu",
        "arith.divui",
        "arith.divsi",
        "index.divu",
        "index.divs",
        "arith.ceildivui",
        "index.ceildivu",
        "arith.minui",
        "arith.maxui",
        "index.minu",
        "index.maxu",
    ];
    let is_of_bits = operation.operand_count() > 0 && is_boolean_of(operand(operation, 0));
    if SIZE_OPERATIONS.contains(&name) && !is_of_bits && given.iter().any(Amount::is_variable) {
        return Ok(None);
    }
    let amount = match (name, given.as_slice()) {
        // Sizes of memory are below 2^31 where a layout has them in 32 bits, which a launch checks.
        (
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.trunci"
            | "index.casts" | "index.castu",
            [_],
        ) if is_boolean(operation) || is_boolean_of(operand(operation, 0)) => return Ok(None),
        (
            "arith.index_cast" | "arith.index_castui" | "arith.extsi" | "arith.extui"
            | "arith.trunci" | "index.casts" | "index.castu",
            [a],
        ) => a.clone(),
        ("arith.cmpi", [a, b]) => {
            let predicate = operation.attribute("predicate").and_then(IntegerAttribute::try_from);
            let Ok(predicate) = predicate else { return Ok(None) };
            return a.compare(predicate.value(), b);
        }
        ("index.cmp", [a, b]) => {
            let predicate = operation.attribute("pred").map(|own| own.to_string());
            let predicate = predicate.unwrap_or_default();
            let is_own = |name: &&str| predicate.ends_with(&format!(" {name}>"));
            let Some(number) = PREDICATES.iter().position(is_own) else {
                return Ok(None);
            };
            return a.compare(i64::try_from(number).unwrap_or(i64::MAX), b);
        }
        ("arith.select", [condition, yes, no]) => Amount::select(condition, yes, no)?,
        ("arith.andi", [a, b]) if is_boolean(operation) => a.multiply(b)?,
        ("arith.ori", [a, b]) if is_boolean(operation) => a.either(b)?,
        ("arith.xori", [a, b]) if is_boolean(operation) && b.value() == Some(1) => a.not()?,
        ("arith.xori", [a, b]) if is_boolean(operation) => {
            a.either(b)?.multiply(&a.multiply(b)?.not()?)?
        }
        ("arith.addi" | "index.add", [a, b]) => a.add(b)?,
        ("arith.subi" | "index.sub", [a, b]) => a.subtract(b)?,
        ("arith.muli" | "index.mul", [a, b]) => a.multiply(b)?,
        ("arith.ceildivsi" | "arith.ceildivui" | "index.ceildivs" | "index.ceildivu", [a, b]) => {
            a.ceil_div(b)?
        }
        ("arith.floordivsi", [a, b @ Amount::Known(..0)]) => {
            let [a, b] = [a, b].map(|one| Amount::Known(0).subtract(one));
            a?.floor_div(&b?)?
        }
        // Sizes are not negative, where rounding to zero and down are one.
        (
            "arith.divui" | "arith.divsi" | "arith.floordivsi" | "index.divu" | "index.divs",
            [a, b],
        ) => a.floor_div(b)?,
        ("arith.minsi" | "arith.minui" | "index.mins" | "index.minu", [a, b]) => {
            a.call("min", b)?
        }
        ("arith.maxsi" | "arith.maxui" | "index.maxs" | "index.maxu", [a, b]) => {
            a.call("max", b)?
        }
        _ => return Ok(None),
    };
    Ok(Some(amount))
}

/// Whether an operation's result is a boolean: 0 or 1.
fn is_boolean<'c>(operation: OperationRef<'c, 'c>) -> bool {
    operation.result_count() == 1 && is_boolean_of(result(operation, 0))
}

fn is_boolean_of(value: Val<'_>) -> bool {
    IntegerType::try_from(value.r#type()).is_ok_and(|own| own.width() == 1)
}

/// The entries of a list of static integers, where `i64::MIN` stands for the next operand.
pub(super) fn mixed<'c>(
    listed: &[i64],
    mut open: impl Iterator<Item = Val<'c>>,
    integer: &dyn Fn(Val<'c>) -> Result<Amount, String>,
) -> Result<Vec<Amount>, String> {
    let one = |&listed: &i64| match listed {
        i64::MIN => {
            let value = open.next().ok_or("expected an operand for each ?, found fewer")?;
            integer(value)
        }
        known => Ok(Amount::Known(known)),
    };
    listed.iter().map(one).collect()
}
