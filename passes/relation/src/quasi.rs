//! Relations as arithmetic: quasi-affine expressions under conditions, evaluated without ISL.

use std::fmt::{self, Write};

use crate::{
    error::{Error, Result},
    isl::{Aff, Dim, MultiAff, PwMultiAff, Set},
    relation::{IntegerSet, Relation},
};

/// `(constant + sum of coefficient*d + sum of factor*floor(inner)) / denominator`.
///
/// The expression inside a floor has a denominator of its own; elsewhere it is 1. Displayed as MLIR writes
/// affine expressions: `d0 + (d1 floordiv 4) * 2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuasiAffine {
    /// Added to the rest.
    pub constant: i64,
    /// One for each dimension.
    pub coefficients: Vec<i64>,
    /// Integer divisions, rounded down, each with its factor.
    pub divisions: Vec<(i64, QuasiAffine)>,
    /// The divisor of the whole expression; at least 1.
    pub denominator: i64,
}

/// The sign that a condition requires of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is 0.
    Zero,
    /// It is at least 0.
    NotNegative,
}

/// A part of a mapping: its results, where one of some conjunctions of conditions holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// A disjunction of conjunctions.
    pub conditions: Vec<Vec<(Sign, QuasiAffine)>>,
    /// One for each dimension of the image; empty for the formula of a set.
    pub results: Vec<QuasiAffine>,
}

/// A single-valued mapping as arithmetic: a sequence of steps, in each of which the first piece whose conditions hold
/// gives the image.
///
/// ```
/// use layout_relation::{Context, Formula, Limits, Relation};
/// let context = Context::new(Limits::default())?;
/// let fan = Relation::parse(&context, "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }")?;
/// let formula = Formula::of(&fan)?;
/// assert_eq!((formula.at(&[5])?, formula.at(&[16])?), (Some(vec![1]), None));
/// let text = formula.steps[0][0].results[0].to_string();
/// assert_eq!(text, "d0 * -3 + ((d0 * -3) floordiv 16) * -16");
/// # Ok::<(), layout_relation::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The pieces of each step, disjoint in what they say about.
    pub steps: Vec<Vec<Piece>>,
    /// Dimensions of a coordinate.
    pub dimensions: usize,
}

impl Formula {
    /// The formula of a single-valued relation.
    ///
    /// # Errors
    ///
    /// A relation that is not single-valued; numbers past 64 bits; a limit.
    pub fn of(relation: &Relation) -> Result<Self> {
        relation.context().within(|| {
            let (dimensions, _) = relation.dimensions()?;
            let steps = match &relation.functions {
                Some(functions) => functions.iter().map(pieces).collect::<Result<_>>()?,
                None => vec![pieces(&relation.map.to_pw_multi_aff()?)?],
            };
            Ok(Self { steps, dimensions })
        })
    }

    /// The formula of a single-valued relation as one step, for forms that have no others; it may
    /// be much longer.
    ///
    /// # Errors
    ///
    /// As [`Formula::of`].
    pub fn of_one_step(relation: &Relation) -> Result<Self> {
        relation.context().within(|| {
            let (dimensions, _) = relation.dimensions()?;
            Ok(Self { steps: vec![pieces(&relation.function()?)?], dimensions })
        })
    }

    /// The formula of a set: one piece, without results.
    ///
    /// # Errors
    ///
    /// Numbers past 64 bits; a limit.
    pub fn of_set(set: &IntegerSet) -> Result<Self> {
        set.set.context().within(|| {
            let piece = Piece { conditions: conditions(set)?, results: Vec::new() };
            Ok(Self { steps: vec![vec![piece]], dimensions: set.dimensions()? })
        })
    }

    /// The image of a coordinate, or `None` if it has none.
    ///
    /// # Errors
    ///
    /// A coordinate of another length; overflow of 128 bits on the way, or of 64 at the end of a
    /// step.
    pub fn at(&self, coordinate: &[i64]) -> Result<Option<Vec<i64>>> {
        if coordinate.len() != self.dimensions {
            return Err(Error::Dimensions {
                operation: "at",
                expected: format!("a tuple of {} integers", self.dimensions),
                found: coordinate.len().to_string(),
            });
        }
        let mut at = coordinate.to_vec();
        for step in &self.steps {
            match image(step, &at)? {
                Some(image) => at = image,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }
}

fn pieces(function: &PwMultiAff) -> Result<Vec<Piece>> {
    let piece = |(set, value): (Set, MultiAff)| {
        let results = (0..value.dim()?).map(|at| QuasiAffine::of(&value.at(at)?));
        Ok(Piece { conditions: conditions(&set.into())?, results: results.collect::<Result<_>>()? })
    };
    function.pieces()?.into_iter().map(piece).collect()
}

fn image(step: &[Piece], coordinate: &[i64]) -> Result<Option<Vec<i64>>> {
    for piece in step {
        for conjunction in &piece.conditions {
            if holds(conjunction, coordinate)? {
                let results = piece.results.iter().map(|result| result.at(coordinate));
                return results.collect::<Result<_>>().map(Some);
            }
        }
    }
    Ok(None)
}

fn holds(conjunction: &[(Sign, QuasiAffine)], coordinate: &[i64]) -> Result<bool> {
    for (sign, expression) in conjunction {
        let value = expression.at(coordinate)?;
        let holds = match sign {
            Sign::Zero => value == 0,
            Sign::NotNegative => value >= 0,
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

fn conditions(set: &IntegerSet) -> Result<Vec<Vec<(Sign, QuasiAffine)>>> {
    let disjuncts = set.set.constraints()?;
    let condition = |(equality, aff): (bool, Aff)| {
        let sign = if equality { Sign::Zero } else { Sign::NotNegative };
        Ok((sign, QuasiAffine::of(&aff)?))
    };
    disjuncts.into_iter().map(|row| row.into_iter().map(condition).collect()).collect()
}

impl QuasiAffine {
    fn of(aff: &Aff) -> Result<Self> {
        let denominator = aff.denominator()?.number()?;
        // ISL gives coefficients as fractions in lowest terms.
        let scaled = |text: String| -> Result<i64> {
            let wrong = || Error::Range { found: text.clone() };
            let (above, below) = text.split_once('/').unwrap_or((&text, "1"));
            let above: i64 = above.parse().map_err(|_| wrong())?;
            let below: i64 = below.parse().map_err(|_| wrong())?;
            denominator
                .checked_div(below)
                .and_then(|factor| above.checked_mul(factor))
                .ok_or_else(wrong)
        };
        let coefficients = (0..aff.dim(Dim::In)?)
            .map(|at| scaled(aff.coefficient(Dim::In, at)?.text()?))
            .collect::<Result<_>>()?;
        let mut divisions = Vec::new();
        for at in 0..aff.dim(Dim::Div)? {
            let factor = scaled(aff.coefficient(Dim::Div, at)?.text()?)?;
            if factor != 0 {
                divisions.push((factor, Self::of(&aff.division(at)?)?));
            }
        }
        Ok(Self {
            constant: scaled(aff.constant()?.text()?)?,
            coefficients,
            divisions,
            denominator,
        })
    }

    /// The value at a coordinate, rounded down.
    ///
    /// # Errors
    ///
    /// Overflow of 128 bits on the way, or of 64 at the end.
    pub fn at(&self, coordinate: &[i64]) -> Result<i64> {
        let overflow = || Error::Range { found: format!("a value of {self}") };
        let value = self.wide(coordinate).ok_or_else(overflow)?;
        i64::try_from(value).map_err(|_| overflow())
    }

    fn wide(&self, coordinate: &[i64]) -> Option<i128> {
        let mut sum = i128::from(self.constant);
        for (&factor, &value) in self.coefficients.iter().zip(coordinate) {
            sum = sum.checked_add(i128::from(factor).checked_mul(i128::from(value))?)?;
        }
        for (factor, inner) in &self.divisions {
            sum = sum.checked_add(i128::from(*factor).checked_mul(inner.wide(coordinate)?)?)?;
        }
        sum.checked_div_euclid(i128::from(self.denominator))
    }

    /// `left - 1`-style text needs no parentheses only when it is one term.
    fn terms(&self) -> Vec<String> {
        let mut terms = Vec::new();
        let mut push = |factor: i64, name: String| match factor {
            0 => {}
            1 => terms.push(name),
            _ => terms.push(format!("{name} * {factor}")),
        };
        for (i, &factor) in self.coefficients.iter().enumerate() {
            push(factor, format!("d{i}"));
        }
        for (factor, inner) in &self.divisions {
            push(*factor, format!("({inner})"));
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(self.constant.to_string());
        }
        terms
    }
}

impl fmt::Display for QuasiAffine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = self.terms();
        let mut sum = String::new();
        for (i, term) in terms.iter().enumerate() {
            match (i, term.strip_prefix('-')) {
                (0, _) => sum.push_str(term),
                (_, Some(rest)) => write!(sum, " - {rest}")?,
                (_, None) => write!(sum, " + {term}")?,
            }
        }
        match (self.denominator, terms.len()) {
            (1, _) => write!(f, "{sum}"),
            (denominator, 1) if !sum.contains(' ') => write!(f, "{sum} floordiv {denominator}"),
            (denominator, _) => write!(f, "({sum}) floordiv {denominator}"),
        }
    }
}
