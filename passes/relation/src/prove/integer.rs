//! Questions to ISL: is the set of counterexamples empty, and if not, which is the least?
//!
//! Counterexamples are sought among the digits of the coordinate, of which offsets are linear; what
//! a swizzle is applied to is taken apart into bits. For the coordinate itself, with its
//! floors, the same takes ISL a thousand times as long.

use crate::{
    error::Result,
    isl::{Context, Limits, Set},
    recover::one,
    swizzle::{source_bit, swizzle_bits},
    text::{bounds, dot, names, sum},
};

use super::{
    Question, Tier, Verdict, Witness,
    function::{FinalStep, Function},
};

pub(super) fn answer(
    question: Question<'_>,
    tier: Tier,
    limits: Limits,
) -> Result<Option<Verdict>> {
    let swizzled = |function: &Function| {
        matches!(function.outer, FinalStep::Swizzle(_) | FinalStep::Matrix(_))
    };
    // A bijective swizzle in front changes nothing; any other is taken apart.
    let binary = match question {
        Question::Injective(function) => swizzled(function) && !function.outer_is_injective(),
        Question::Equal(a, b) | Question::Disjoint(a, b) => {
            (swizzled(a) || swizzled(b)) && !(a.outer == b.outer && a.outer_is_injective())
        }
        Question::Within(function, ..)
        | Question::Aligned(function, _)
        | Question::Consecutive(function, _) => swizzled(function),
    };
    if binary != (tier == Tier::Binary) {
        return Ok(None);
    }
    let context = Context::new(limits)?;
    let witness = context.within(|| match question {
        Question::Equal(left, right) => equal(&context, left, right),
        Question::Injective(function) => injective(&context, function),
        Question::Disjoint(left, right) => disjoint(&context, left, right),
        Question::Within(function, lower, upper) => {
            let bad = format!("(v < {lower} or v >= {upper})");
            let outside = first(&context, function, &bad)?;
            Ok(outside.map(|(coordinate, offset)| Witness::Outside { coordinate, offset }))
        }
        Question::Aligned(function, unit) => {
            let found = first(&context, function, &format!("v mod {unit} != 0"))?;
            Ok(found.map(|(coordinate, offset)| Witness::Misaligned { coordinate, offset }))
        }
        Question::Consecutive(function, run) => consecutive(&context, function, run),
    })?;
    Ok(Some(match witness {
        None => Verdict::Proved(tier),
        Some(witness) => Verdict::Refuted(witness),
    }))
}

/// A function in ISL's words: the digits of its coordinate, its offset, and what relates them.
struct Words {
    digits: String,
    coordinate: String,
    offset: String,
    /// Names that exist besides the digits.
    inside: Vec<String>,
    conditions: Vec<String>,
}

impl Words {
    /// `mark` makes names different from those of another function.
    fn of(function: &Function, mark: &str) -> Self {
        let (extents, strides): (Vec<_>, Vec<_>) = function.modes.iter().copied().unzip();
        Self::with_digits(function, &format!("x{mark}"), mark, &extents, &strides)
    }

    /// The same over digits of these extents, whose names begin with `prefix`.
    fn with_digits(
        function: &Function,
        prefix: &str,
        mark: &str,
        extents: &[i64],
        strides: &[i64],
    ) -> Self {
        let steps: Vec<_> = extents
            .iter()
            .scan(1_i64, |next, extent| {
                let step = *next;
                *next = next.saturating_mul(*extent);
                Some(step)
            })
            .collect();
        let digits = names(prefix, extents.len());
        let middle = format!("{} + {}", function.offset, dot(prefix, strides));
        let mut words = Self {
            digits,
            coordinate: dot(prefix, &steps),
            offset: middle.clone(),
            inside: Vec::new(),
            conditions: vec![bounds(prefix, extents)],
        };
        match &function.outer {
            FinalStep::Nothing => {}
            FinalStep::Swizzle(swizzle) => {
                let bits = swizzle_bits(swizzle) as usize;
                let high = (1_i64 << bits, format!("h{mark}"));
                let weighted = |name: &str| {
                    let terms = (0..bits).map(|j| (1_i64 << j, format!("{name}{mark}_{j}")));
                    sum(terms.chain([high.clone()]))
                };
                words.inside.push(format!("h{mark}"));
                words.conditions.push(format!("{middle} = {}", weighted("b")));
                for j in 0..bits {
                    let (before, after) = (format!("b{mark}_{j}"), format!("r{mark}_{j}"));
                    words.conditions.push(format!("0 <= {before} < 2 and 0 <= {after} < 2"));
                    words.conditions.push(match source_bit(swizzle, j) {
                        None => format!("{after} = {before}"),
                        Some(source) if source == j => format!("{after} = 0"),
                        // The sum of two bits without its carry.
                        Some(source) => {
                            let carry = format!("k{mark}_{j}");
                            let condition = format!(
                                "{after} = {before} + b{mark}_{source} - 2*{carry} and \
                                 0 <= {carry} < 2"
                            );
                            words.inside.push(carry);
                            condition
                        }
                    });
                    words.inside.extend([before, after]);
                }
                words.offset = weighted("r");
            }
            FinalStep::Matrix(columns) => {
                let names = |name: &str, count: u32| -> Vec<(i64, String)> {
                    (0..count).map(|j| (1_i64 << j, format!("{name}{mark}_{j}"))).collect()
                };
                let width = u32::try_from(columns.len()).unwrap_or(62);
                let height = 64 - columns.iter().fold(0, |all, c| all | c).leading_zeros();
                let (before, after) = (names("b", width), names("r", height));
                words.conditions.push(format!("{middle} = {}", sum(before.clone())));
                for (j, (_, bit)) in after.iter().enumerate() {
                    // The bits that are added, and twice what is carried.
                    let carry = format!("k{mark}_{j}");
                    let terms = columns.iter().zip(&before).filter(|(c, _)| **c >> j & 1 == 1);
                    let terms = terms.map(|(_, (_, name))| (1, name.clone()));
                    let row = sum(terms.chain([(-2, carry.clone())]));
                    words.conditions.push(format!("{bit} = {row} and {carry} >= 0"));
                    words.inside.push(carry);
                }
                for (_, bit) in before.iter().chain(&after) {
                    words.conditions.push(format!("0 <= {bit} < 2"));
                    words.inside.push(bit.clone());
                }
                words.offset = sum(after);
            }
            FinalStep::Layout(layout) => {
                let (mut extents, strides): (Vec<_>, Vec<_>) = layout.flat().into_iter().unzip();
                let prefix = format!("y{mark}");
                let steps: Vec<_> = extents
                    .iter()
                    .scan(1_i64, |next, extent| {
                        let step = *next;
                        *next = next.saturating_mul(*extent);
                        Some(step)
                    })
                    .collect();
                if let Some(last) = extents.last_mut() {
                    *last = i64::MAX;
                }
                words.inside.push(names(&prefix, extents.len()));
                words.conditions.push(bounds(&prefix, &extents));
                words.conditions.push(format!("{middle} = {}", dot(&prefix, &steps)));
                words.offset = dot(&prefix, &strides);
            }
        }
        words
    }
}

/// The set of tuples for which some names exist with some conditions.
fn set(context: &Context, tuple: &str, inside: &[String], conditions: &[String]) -> Result<Set> {
    let inside: Vec<_> = inside.iter().filter(|name| !name.is_empty()).cloned().collect();
    let exists =
        if inside.is_empty() { String::new() } else { format!("exists {} : ", inside.join(", ")) };
    context.read_set(&format!("{{ [{tuple}] : {exists}{} }}", conditions.join(" and ")))
}

/// The least coordinate for which names and conditions exist.
fn least(
    context: &Context,
    coordinate: &str,
    inside: &[String],
    conditions: &[String],
) -> Result<Option<i64>> {
    // Emptiness is the cheaper question, and the more frequent answer.
    if set(context, "", inside, conditions)?.is_empty()? {
        return Ok(None);
    }
    let mut conditions = conditions.to_vec();
    conditions.push(format!("c = {coordinate}"));
    Ok(one(set(context, "c", inside, &conditions)?.lexmin()?.point()?))
}

/// The first coordinate whose offset `v` is bad, and the offset.
fn first(context: &Context, function: &Function, bad: &str) -> Result<Option<(i64, i64)>> {
    let words = Words::of(function, "");
    let mut inside = words.inside;
    inside.extend([words.digits, "v".to_owned()]);
    let mut conditions = words.conditions;
    conditions.extend([format!("v = {}", words.offset), bad.to_owned()]);
    let coordinate = least(context, &words.coordinate, &inside, &conditions)?;
    coordinate.map(|coordinate| Ok((coordinate, function.at(coordinate)?))).transpose()
}

/// The first coordinate inside of a run whose offset does not follow the one before.
fn consecutive(context: &Context, function: &Function, run: i64) -> Result<Option<Witness>> {
    let (a, b) = (Words::of(function, ""), Words::of(function, "o"));
    let mut inside = [a.inside, b.inside].concat();
    inside.extend([a.digits, b.digits, "r".to_owned()]);
    let mut conditions = [a.conditions, b.conditions].concat();
    conditions.push(format!("{} = {} + 1", a.coordinate, b.coordinate));
    conditions.push(format!("r = {} and r mod {run} != 0", a.coordinate));
    conditions.push(format!("{} != {} + 1", a.offset, b.offset));
    let coordinate = least(context, &a.coordinate, &inside, &conditions)?;
    let witness = |coordinate: i64| -> Result<Witness> {
        let (offset, before) = (function.at(coordinate)?, function.at(coordinate - 1)?);
        Ok(Witness::Broken { coordinate, offset, before })
    };
    coordinate.map(witness).transpose()
}

fn equal(context: &Context, left: &Function, right: &Function) -> Result<Option<Witness>> {
    let size = left.size.min(right.size);
    let (mut inside, mut conditions, a, b);
    if let Some((extents, strides, steps)) = refined(left, right) {
        // Over the same digits; then no coordinate is needed.
        a = Words::with_digits(left, "x", "", &extents, &strides);
        b = Words::with_digits(right, "x", "o", &extents, &steps);
        inside = [a.inside, b.inside].concat();
        inside.push(a.digits);
        conditions = [a.conditions, b.conditions].concat();
    } else {
        (a, b) = (Words::of(left, ""), Words::of(right, "o"));
        inside = [a.inside, b.inside].concat();
        inside.extend([a.digits, b.digits]);
        conditions = [a.conditions, b.conditions].concat();
        conditions.push(format!("{} = {}", a.coordinate, b.coordinate));
    }
    conditions.push(format!("{} != {}", a.offset, b.offset));
    let found = match least(context, &a.coordinate, &inside, &conditions)? {
        Some(coordinate) => coordinate,
        None if left.size == right.size => return Ok(None),
        None => size,
    };
    Ok(Some(Witness::Differ {
        coordinate: found,
        left: left.at_if_inside(found)?,
        right: right.at_if_inside(found)?,
    }))
}

/// Extents of which both functions' are products, with the strides of either.
fn refined(left: &Function, right: &Function) -> Option<(Vec<i64>, Vec<i64>, Vec<i64>)> {
    if left.size != right.size {
        return None;
    }
    let ends = |function: &Function| {
        let mut end = 1;
        let ends = function.modes.iter().map(move |&(extent, _)| {
            end *= extent;
            end
        });
        ends.collect::<Vec<i64>>()
    };
    let mut all = [ends(left), ends(right)].concat();
    all.sort_unstable();
    all.dedup();
    let mut extents = Vec::new();
    let mut below = 1;
    for &end in &all {
        if end % below != 0 {
            return None;
        }
        extents.push(end / below);
        below = end;
    }
    let strides = |function: &Function| {
        let mut strides = Vec::new();
        let mut modes = function.modes.iter();
        let mut current = (1_i64, 0_i64);
        for extent in &extents {
            if current.0 == 1 {
                current = *modes.next()?;
            }
            if current.0 % extent != 0 {
                return None;
            }
            strides.push(current.1);
            current = (current.0 / extent, current.1.checked_mul(*extent)?);
        }
        Some(strides)
    };
    let (strides, steps) = (strides(left)?, strides(right)?);
    Some((extents, strides, steps))
}

fn disjoint(context: &Context, left: &Function, right: &Function) -> Result<Option<Witness>> {
    let reduced = (left.outer == right.outer && left.outer_is_injective())
        .then(|| (left.bare(), right.bare()));
    let (f, g) = reduced.as_ref().map_or((left, right), |(f, g)| (f, g));
    let (a, b) = (Words::of(f, ""), Words::of(g, "o"));
    let mut inside = [a.inside, b.inside].concat();
    inside.extend([a.digits, b.digits]);
    let mut conditions = [a.conditions, b.conditions].concat();
    conditions.push(format!("{} = {}", a.offset, b.offset));
    let Some(first) = least(context, &a.coordinate, &inside, &conditions)? else {
        return Ok(None);
    };
    conditions.push(format!("{first} = {}", a.coordinate));
    let second = least(context, &b.coordinate, &inside, &conditions)?;
    let offset = left.at(first)?;
    Ok(second.map(|second| Witness::Meet { left: first, right: second, offset }))
}

fn injective(context: &Context, function: &Function) -> Result<Option<Witness>> {
    let plain = function.outer_is_injective().then(|| function.bare());
    let pair = match &plain {
        Some(plain) => collision(context, plain)?,
        None => {
            let (a, b) = (Words::of(function, ""), Words::of(function, "o"));
            let mut inside = [a.inside, b.inside].concat();
            inside.extend([a.digits, b.digits]);
            let mut conditions = [a.conditions, b.conditions].concat();
            conditions.push(format!("{} = {}", a.offset, b.offset));
            conditions.push(format!("{} > {}", a.coordinate, b.coordinate));
            match least(context, &a.coordinate, &inside, &conditions)? {
                None => None,
                Some(first) => {
                    conditions.push(format!("{first} = {}", a.coordinate));
                    least(context, &b.coordinate, &inside, &conditions)?
                        .map(|second| (first, second))
                }
            }
        }
    };
    pair.map(|(coordinate, earlier)| {
        Ok(Witness::Collide { coordinate, earlier, offset: function.at(coordinate)? })
    })
    .transpose()
}

/// The least coordinate whose offset an earlier one has, and the earlier one.
///
/// Two coordinates collide where the differences of their digits, weighted by the strides, are 0.
/// The highest digit in which they differ is tried from the lowest, so that the first set that is
/// not empty has the least.
fn collision(context: &Context, function: &Function) -> Result<Option<(i64, i64)>> {
    for highest in 0..function.modes.len() {
        let modes = &function.modes[..=highest];
        let (extents, strides): (Vec<_>, Vec<_>) = modes.iter().copied().unzip();
        let differences: Vec<_> = extents
            .iter()
            .enumerate()
            .map(|(i, extent)| match i == highest {
                true => format!("0 < e{i} < {extent}"),
                false => format!("-{extent} < e{i} < {extent}"),
            })
            .collect();
        let mut conditions = vec![format!("{} = 0", dot("e", &strides))];
        conditions.extend(differences);
        let tuple = names("e", modes.len());
        if set(context, &tuple, &[], &conditions)?.is_empty()? {
            continue;
        }
        let part = Function { modes: modes.to_vec(), ..function.clone() };
        let (a, b) = (Words::of(&part, ""), Words::of(&part, "o"));
        let inside = [a.digits, b.digits];
        let mut conditions = [a.conditions, b.conditions].concat();
        conditions.push(format!("{} = {}", a.offset, b.offset));
        conditions.push(format!("x{highest} > xo{highest}"));
        let Some(first) = least(context, &a.coordinate, &inside, &conditions)? else { continue };
        conditions.push(format!("{first} = {}", a.coordinate));
        if let Some(second) = least(context, &b.coordinate, &inside, &conditions)? {
            return Ok(Some((first, second)));
        }
    }
    Ok(None)
}
