//! Symbols: named integers whose values are known later.

use super::missing::{Error, Result};
use crate::integer::mention;
use alloc::{borrow::ToOwned, format, string::String, string::ToString, sync::Arc, vec::Vec};
use core::{
    fmt,
    hash::{Hash, Hasher},
};
use num_integer::gcd;

/// Bits of the integer that a symbol stands for at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// 32 bits, signed; what a symbol has if nothing else is stated.
    W32,
    /// 64 bits, signed.
    W64,
}

impl Width {
    /// The bits.
    pub fn bits(self) -> u32 {
        match self {
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }

    /// The least and the greatest value.
    pub fn limits(self) -> (i64, i64) {
        match self {
            Self::W32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
            Self::W64 => (i64::MIN, i64::MAX),
        }
    }
}

/// A named integer that is known at run time, with its facts.
///
/// Its text is the name and, in braces, what differs from an arbitrary integer of 32 bits:
///
/// | text | means |
/// |---|---|
/// | `M` | 32 bits, signed |
/// | `M{i64}` | 64 bits |
/// | `M{div=8}` | a multiple of 8 |
/// | `M{range=1..4096}` | from 1 to 4096, both included; either bound may be left out |
/// | `M{i64 div=16 range=0..}` | all of it |
/// | `M{div=8 range=1..}` | `M{div=8 range=8..}`: bounds are the least and the greatest multiple |
/// | `?{div=8}` | without a name of its own: the next of `?0`, `?1`, … |
///
/// ```
/// use layout_algebra::{Symbol, Width};
/// let symbol: Symbol = "K{i64 div=16 range=16..4096}".parse()?;
/// assert_eq!((symbol.width(), symbol.divisor(), symbol.range()), (Width::W64, 16, (16, 4096)));
/// assert_eq!(symbol.to_string(), "K{i64 div=16 range=16..4096}");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Symbol {
    name: Arc<str>,
    width: Width,
    divisor: i64,
    /// The bounds as they were stated.
    declared: (i64, i64),
}

impl Symbol {
    /// All that is known, in one form.
    fn known(&self) -> (&str, Width, i64, (i64, i64)) {
        (&self.name, self.width, self.divisor, self.range())
    }

    /// A symbol of which nothing is known but its width.
    ///
    /// # Errors
    ///
    /// A name that is no identifier and not `?` followed by a number, or the reserved `o`.
    pub fn new(name: &str, width: Width) -> Result<Self> {
        if !mention::is_name(name) {
            return Err(Error::operand("symbol", "an identifier, or `?` and a number", name));
        }
        Ok(Self { name: name.into(), width, divisor: 1, declared: width.limits() })
    }

    /// The symbol, known to be a multiple of `divisor` as well.
    ///
    /// # Errors
    ///
    /// A divisor below 1; a contradiction with the range.
    pub fn with_divisor(mut self, divisor: i64) -> Result<Self> {
        if divisor < 1 {
            return Err(Error::operand("symbol", "a divisor of at least 1", divisor));
        }
        let common = gcd(self.divisor.unsigned_abs(), divisor.unsigned_abs());
        self.divisor = i64::try_from(common)
            .ok()
            .and_then(|common| divisor.checked_mul(self.divisor / common))
            .ok_or_else(|| Error::overflow("symbol", format!("{self}, div={divisor}")))?;
        self.possible()
    }

    /// The symbol, known to lie in `lo ..= hi` as well.
    ///
    /// # Errors
    ///
    /// No value is left.
    pub fn with_range(mut self, lo: i64, hi: i64) -> Result<Self> {
        self.declared = (self.declared.0.max(lo), self.declared.1.min(hi));
        self.possible()
    }

    /// All that both know of the same symbol.
    pub(crate) fn and(self, other: &Self) -> Result<Self> {
        let wider = self.width.max(other.width);
        let mut both = self.with_divisor(other.divisor)?;
        // A width is a container, not a fact: the ranges say what is known.
        both.width = wider;
        both.with_range(other.declared.0, other.declared.1)
    }

    fn possible(mut self) -> Result<Self> {
        let (lo, hi) = quotients(self.declared, self.divisor);
        if lo > hi || self.declared.0 > self.declared.1 {
            let (lo, hi) = self.declared;
            return Err(Error::Contradiction {
                symbol: self.name.to_string(),
                found: format!("no multiple of {} in {lo}..{hi}", self.divisor),
            });
        }
        // One value divides itself.
        if lo == hi
            && lo != 0
            && let Some(value) = lo.checked_mul(self.divisor).and_then(i64::checked_abs)
        {
            self.divisor = value;
        }
        Ok(self)
    }

    /// The range of the symbol divided by a divisor of it.
    pub(crate) fn range_over(&self, divisor: i64) -> (i64, i64) {
        quotients(self.declared, divisor.max(1))
    }

    pub(crate) fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The width.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The greatest integer that is known to divide it.
    pub fn divisor(&self) -> i64 {
        self.divisor
    }

    /// The least and the greatest value that it may have.
    ///
    /// Bounds are multiples of the divisor, so that one fact has one form; one that leaves out no multiple within the width is
    /// that of the width.
    pub fn range(&self) -> (i64, i64) {
        let limits = self.width.limits();
        let (least, greatest) = quotients(self.declared, self.divisor);
        let whole = quotients(limits, self.divisor);
        // A multiple between the bounds, which are of 64 bits, has 64 bits.
        let bound = |quotient: i64, whole: i64, limit: i64| {
            if quotient == whole { limit } else { quotient * self.divisor }
        };
        (bound(least, whole.0, limits.0), bound(greatest, whole.1, limits.1))
    }

    /// Whether it may have the value.
    pub fn admits(&self, value: i64) -> bool {
        (self.declared.0..=self.declared.1).contains(&value) && value % self.divisor == 0
    }

    /// The text in braces; empty if nothing needs to. Where it is known to be positive, to say just that
    /// is to say nothing.
    pub(crate) fn annotation(&self, positive: bool) -> String {
        let mut parts = Vec::new();
        if self.width == Width::W64 {
            parts.push("i64".to_owned());
        }
        let (least, greatest) = self.width.limits();
        let (lo, hi) = self.range();
        if self.divisor != 1 && lo != hi {
            parts.push(format!("div={}", self.divisor));
        }
        let hi = (hi != greatest).then_some(hi);
        let implied = positive && lo == self.divisor;
        let lo = (lo != least && (hi.is_some() || !implied)).then_some(lo);
        if lo.is_some() || hi.is_some() {
            let text = |bound: Option<i64>| bound.map_or(String::new(), |bound| bound.to_string());
            parts.push(format!("range={}..{}", text(lo), text(hi)));
        }
        if parts.is_empty() { String::new() } else { format!("{{{}}}", parts.join(" ")) }
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        self.known() == other.known()
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.known().hash(state);
    }
}

/// The range of the multiples of a divisor that lie in a range, divided by it.
fn quotients((lo, hi): (i64, i64), divisor: i64) -> (i64, i64) {
    // The divisor is at least 1: no overflow.
    (-(-i128::from(lo)).div_euclid(i128::from(divisor)) as i64, hi.div_euclid(divisor))
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.annotation(false))
    }
}

impl core::str::FromStr for Symbol {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        mention::symbol(text)
    }
}
