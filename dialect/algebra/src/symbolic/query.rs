//! Questions about a layout with symbols as a function: is it one-to-one, is it onto.
//!
//! The answer is true or false where it is so under every assignment; between the two, the fact that
//! would decide is missing.

use super::{
    error::{Answer, Quotient, Result, Site},
    expr::Expr,
    facts::Facts,
    image::reach,
    layout::SymbolicLayout,
};
use alloc::{string::ToString, vec::Vec};
use num_integer::gcd;

/// Whether different coordinates have different offsets.
///
/// It is so where modes can be put in an order in which each steps past all that those before it
/// reach. It is not where a mode of two entries has stride 0, or two modes meet.
///
/// # Errors
///
/// Neither is known.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| match evaluate(text, &mut Facts::new()) {
///     Ok(value) => value.to_string(),
///     Err(error) => error.to_string(),
/// };
/// assert_eq!(answer("is_injective((M,64):(64,1))"), "true");
/// assert_eq!(answer("is_injective((M{range=2..},64):(32,1))"), "false");
/// assert_eq!(
///     answer("is_injective((8,64):(LD,1))"),
///     "is_injective((8,64):(LD,1)): needs \"LD >= 64\", which is not known; say LD{range=64..}",
/// );
/// ```
pub fn is_injective(facts: &Facts, layout: &SymbolicLayout) -> Result<bool> {
    let operands = || layout.to_string();
    injective(facts, &Site { operation: "is_injective", operands: &operands }, layout)
}

/// Whether every offset from 0 to the greatest is reached; of a layout with negative strides, from
/// the least.
///
/// It is so where modes can be put in an order in which none steps past what those before it reach;
/// it is not where all that are left, and one of them has two entries, step past that.
///
/// # Errors
///
/// Neither is known; a stride of which it is not known on which side of 0 it lies.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| evaluate(text, &mut Facts::new()).map(|value| value.to_string());
/// assert_eq!(answer("is_surjective((M,N):(N,1))")?, "true");
/// assert_eq!(answer("is_surjective((M{range=2..},8):(9,1))")?, "false");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn is_surjective(facts: &Facts, layout: &SymbolicLayout) -> Result<bool> {
    let operands = || layout.to_string();
    surjective(facts, &Site { operation: "is_surjective", operands: &operands }, layout)
}

/// Whether the layout only permutes `0 .. size`: injective and surjective.
///
/// # Errors
///
/// Those of [`is_injective`] and [`is_surjective`], unless the other is false.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let answer = |text: &str| evaluate(text, &mut Facts::new()).map(|value| value.to_string());
/// assert_eq!(answer("is_bijective((M,(8,N)):(8*N,(1,8)))")?, "true");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn is_bijective(facts: &Facts, layout: &SymbolicLayout) -> Result<bool> {
    let operands = || layout.to_string();
    let site = Site { operation: "is_bijective", operands: &operands };
    let natural = natural(facts, &site, layout);
    match (surjective(facts, &site, layout), injective(facts, &site, layout)) {
        (Ok(false), _) | (_, Ok(false)) => Ok(false),
        _ if matches!(natural, Ok(false)) => Ok(false),
        (onto, one_to_one) => Ok(onto? && one_to_one? && natural?),
    }
}

/// Whether no offset is below 0.
fn natural(facts: &Facts, site: &Site<'_>, layout: &SymbolicLayout) -> Result<bool> {
    let mut open = Vec::new();
    for (extent, stride) in layout.flat() {
        let ascends = facts.at_least(&stride, &Expr::from(0));
        if extent.is(1) || ascends.is_yes() {
            continue;
        }
        if several(facts, &extent) && facts.at_least(&Expr::from(-1), &stride).is_yes() {
            return Ok(false);
        }
        open.push(match ascends {
            // A mode of one entry reaches nothing.
            Answer::No(_) => facts.at_least(&Expr::from(1), &extent),
            other => other,
        });
    }
    if open.iter().all(Answer::is_yes) {
        return Ok(true);
    }
    Err(site.unmet_best(open.into_iter().filter(|answer| !answer.is_yes()).collect()))
}

fn injective(facts: &Facts, site: &Site<'_>, layout: &SymbolicLayout) -> Result<bool> {
    let mut modes = reaching(facts, site, layout)?;
    for (i, (extent, stride)) in modes.iter().enumerate() {
        let repeats = stride.is(0) && several(facts, extent);
        if repeats || modes[..i].iter().any(|other| meet(facts, (extent, stride), other)) {
            return Ok(false);
        }
    }
    // From the last in the order on: each steps past all that is left. That makes strides positive,
    // from the first on.
    while !modes.is_empty() {
        let mut total = Expr::from(1);
        for mode in &modes {
            total = total.plus(&reach(mode)?)?;
        }
        let past = |mode: &(Expr, Expr)| {
            Ok(match facts.at_least(&mode.1, &total.minus(&reach(mode)?)?) {
                // A mode of one entry meets none.
                Answer::No(_) => facts.at_least(&Expr::from(1), &mode.0),
                other => other,
            })
        };
        let past = modes.iter().map(past).collect::<Result<Vec<_>>>()?;
        match past.iter().position(Answer::is_yes) {
            Some(last) => modes.remove(last),
            None => {
                // A symbol is more likely to be large enough than to be small enough.
                let (asked, others): (Vec<_>, Vec<_>) = past
                    .into_iter()
                    .zip(&modes)
                    .partition(|(_, mode)| mode.1.as_constant().is_none());
                let answers = asked.into_iter().chain(others).map(|(answer, _)| answer);
                return Err(site.unmet_best(answers.collect()));
            }
        };
    }
    Ok(true)
}

fn surjective(facts: &Facts, site: &Site<'_>, layout: &SymbolicLayout) -> Result<bool> {
    let mut modes = reaching(facts, site, layout)?;
    for (_, stride) in &modes {
        site.require(facts.at_least(stride, &Expr::from(0)))?;
    }
    let mut next = Expr::from(1);
    while !modes.is_empty() {
        let within: Vec<_> =
            modes.iter().map(|(_, stride)| facts.at_least(&next, stride)).collect();
        match within.iter().position(Answer::is_yes) {
            Some(within) => next = next.plus(&reach(&modes.remove(within))?)?,
            None if within.iter().all(|answer| matches!(answer, Answer::No(_))) => {
                // The next offset is left out, if there are any past it.
                let mut lengths = Vec::new();
                for (extent, _) in &modes {
                    if several(facts, extent) {
                        return Ok(false);
                    }
                    lengths.push(facts.at_least(extent, &Expr::from(2)));
                }
                return Err(site.unmet_best(lengths));
            }
            None => {
                let open = within.into_iter().filter(|answer| matches!(answer, Answer::Unknown(_)));
                return Err(site.unmet_best(open.collect()));
            }
        }
    }
    Ok(true)
}

/// The modes that may have more than one coordinate, turned around where they are known to descend:
/// that shifts the image and changes nothing else.
fn reaching(facts: &Facts, site: &Site<'_>, layout: &SymbolicLayout) -> Result<Vec<(Expr, Expr)>> {
    let mut modes = layout.flat();
    modes.retain(|(extent, _)| !extent.is(1));
    site.few(modes.len())?;
    for (_, stride) in &mut modes {
        if facts.at_least(&Expr::from(0), stride).is_yes() {
            *stride = stride.scaled(-1)?;
        }
    }
    Ok(modes)
}

fn several(facts: &Facts, extent: &Expr) -> bool {
    facts.at_least(extent, &Expr::from(2)).is_yes()
}

/// Whether a step of one mode is known to be one step, or some, of the other.
fn meet(facts: &Facts, a: (&Expr, &Expr), b: &(Expr, Expr)) -> bool {
    let steps = |(extent, stride): (&Expr, &Expr), (long, step): (&Expr, &Expr)| {
        let quotient = match (stride.as_constant(), step.as_constant()) {
            // Constants meet at their least common multiple.
            (Some(stride), Some(step)) => {
                let common = gcd(stride.unsigned_abs(), step.unsigned_abs());
                let steps = |over: i64| over.unsigned_abs().checked_div(common);
                let [Some(here), Some(there)] = [steps(step), steps(stride)]
                    .map(|steps| steps.and_then(|steps| i64::try_from(steps).ok()?.checked_add(1)))
                else {
                    return false;
                };
                return facts.at_least(extent, &Expr::from(here)).is_yes()
                    && facts.at_least(long, &Expr::from(there)).is_yes();
            }
            _ => facts.divide(stride, step),
        };
        match quotient {
            Quotient::Exact(quotient) => {
                several(facts, extent)
                    && facts.at_least(&quotient, &Expr::from(1)).is_yes()
                    && quotient
                        .plus(&Expr::from(1))
                        .is_ok_and(|least| facts.at_least(long, &least).is_yes())
            }
            _ => false,
        }
    };
    let b = (&b.0, &b.1);
    steps(a, b) || steps(b, a)
}
