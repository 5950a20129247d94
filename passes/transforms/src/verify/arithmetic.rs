//! The results of `arith` operations, as forms and as conditions.
//!
//! A form is the number that a word stands for with its sign. A result of 32 bits that may be past
//! them wraps around, unless the operation says that it does not (`nsw`). A counter without an
//! upper bound is taken to stay so small that nothing of it wraps, but for where a function that returns
//! numbers is read exactly.

#[cfg(test)]
pub(crate) mod edges;

use super::trace::{Claim, Condition, Known, Reader};
use layout_dialect::{
    build::{operand, result},
    tree,
};
use layout_relation::{Compared, IndexForm};
use melior::ir::{
    OperationRef, Type, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
};

/// Bits of an integer type; an index has 64.
pub(super) fn width(r#type: Type<'_>) -> Option<u32> {
    match r#type.to_string().as_str() {
        "index" => Some(64),
        text => text.strip_prefix('i')?.parse().ok(),
    }
}

/// 1 where all conditions hold, else 0.
pub(super) fn indicator(conditions: &[Condition]) -> Option<IndexForm> {
    conditions.iter().try_fold(IndexForm::constant(1), |all, (form, limit)| {
        let holds = form.minus(&IndexForm::constant(*limit))?.negative()?;
        all.times(&holds)
    })
}

/// The condition that a form of 0 and 1 is 1.
pub(super) fn holds(form: &IndexForm) -> Option<Vec<Condition>> {
    match form.as_constant() {
        Some(0) => Some(vec![never()]),
        Some(_) => Some(Vec::new()),
        None => Some(vec![(form.scale(-1)?, 0)]),
    }
}

/// A condition that does not hold anywhere.
fn never() -> Condition {
    (IndexForm::constant(0), 0)
}

/// The condition that not all of these hold.
pub(super) fn negation(conditions: &[Condition]) -> Option<Vec<Condition>> {
    match conditions {
        [] => Some(vec![never()]),
        [one] => Some(vec![opposite(one)?]),
        all => holds(&IndexForm::constant(1).minus(&indicator(all)?)?),
    }
}

/// The value of an `arith.constant` of an integer.
pub(super) fn constant(operation: OperationRef<'_, '_>) -> Option<i64> {
    let value = IntegerAttribute::try_from(operation.attribute("value").ok()?).ok()?;
    (tree::name(operation) == "arith.constant").then(|| value.value())
}

/// The opposite of one condition.
fn opposite((form, limit): &Condition) -> Option<Condition> {
    Some((form.scale(-1)?, 1_i64.checked_sub(*limit)?))
}

impl Reader {
    /// Records facts about an `arith` operation's results.
    pub(super) fn arithmetic(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        if operation.result_count() == 0 {
            return;
        }
        let Some(bits) = width(result(operation, 0).r#type()) else { return };
        // A pointer that is taken for a number stays one.
        if name == "arith.index_cast"
            && let Some(pointer @ Known::Pointer(..)) = self.known(operation, 0).cloned()
        {
            return self.set(operation, 0, Some(pointer));
        }
        let known = match name {
            "arith.constant" => {
                constant(operation).map(IndexForm::constant).and_then(|form| match bits {
                    1 => holds(&form).map(Known::Conditions),
                    _ => Some(Known::Form(form)),
                })
            }
            "arith.cmpi" => self.comparison(operation).map(Known::Conditions),
            "arith.select" => self.select(operation),
            // A word of one bit with the value 1 has the sign of -1: such words are conditions.
            "arith.mulsi_extended" | "arith.mului_extended" if bits > 1 => {
                return self.wide_product(operation, bits, name == "arith.mulsi_extended");
            }
            _ if bits == 1 => self.logic(operation, name).map(Known::Conditions),
            _ if operation.operand_count() == 1 => {
                self.cast(operation, name, bits).map(Known::Form)
            }
            _ if operation.operand_count() == 2 => {
                self.binary(operation, name, bits).map(Known::Form)
            }
            _ => None,
        };
        self.set(operation, 0, known);
    }

    /// Extensions, truncations and casts to and from `index`.
    fn cast(&self, operation: OperationRef<'_, '_>, name: &str, bits: u32) -> Option<IndexForm> {
        let form = self.form(operation, 0)?;
        let from = width(operand(operation, 0).r#type())?;
        match name {
            // 1 of a condition has the sign of -1.
            "arith.extsi" | "arith.index_cast" if from == 1 => form.scale(-1),
            "arith.extui" | "arith.index_castui" if from < bits && from > 1 => form.unsigned(from),
            "arith.extsi" | "arith.extui" => Some(form),
            "arith.index_cast" | "arith.index_castui" | "arith.trunci" => self.wrapped(form, bits),
            _ => None,
        }
    }

    fn binary(
        &mut self,
        operation: OperationRef<'_, '_>,
        name: &str,
        bits: u32,
    ) -> Option<IndexForm> {
        let (a, b) = (self.form(operation, 0)?, self.form(operation, 1)?);
        if let Some(by) = divides_word(name, &b).filter(|_| self.is_at_least_zero(&a)) {
            return if name == "arith.remui" { a.modulo(by) } else { a.floor_div(by) };
        }
        let flags = operation.attribute("overflowFlags");
        let flags = flags.map(|flags| flags.to_string()).unwrap_or_default();
        if flags.contains("nuw") && bits < 63 {
            let unsigned = a.unsigned(bits).zip(b.unsigned(bits));
            let result = unsigned.and_then(|(a, b)| combined(name, &a, &b, bits));
            self.flag(operation, result, (0, (1 << bits) - 1));
        } else if flags.contains("nuw") {
            self.flag(operation, None, (0, i64::MAX));
        }
        if flags.contains("nsw") {
            let half = 1_i64.checked_shl(bits.saturating_sub(1)).filter(|&half| half > 0);
            let range = half.map_or((i64::MIN, i64::MAX), |half| (-half, half - 1));
            self.flag(operation, combined(name, &a, &b, bits), range);
        }
        let form = combined(name, &a, &b, bits).or_else(|| {
            // Sums and products of words are those of numbers that differ by multiples of a word's.
            let of_words = ["arith.addi", "arith.subi", "arith.muli"].contains(&name) && bits < 62;
            let word = |form: &IndexForm| form.congruent(1 << bits);
            if !of_words {
                return None;
            }
            let product = combined(name, &word(&a)?, &word(&b)?, bits)?;
            // The meaning of overflow does not matter for other numbers.
            product.signed(bits)
        })?;
        if flags.contains("nsw") { Some(form) } else { self.wrapped(form, bits) }
    }

    /// Whether a number is 0 or more by the conditions of the branches around, and not by itself.
    fn is_at_least_zero(&self, number: &IndexForm) -> bool {
        let implied = |(form, limit): &Condition| {
            // Below a limit, the distance to its last number is 0 or more.
            let distance = IndexForm::constant(limit.checked_sub(1)?).minus(form)?;
            number.minus(&distance)?.range().0.filter(|&least| least >= 0)
        };
        // Or nowhere where they hold is it less.
        let examined = || {
            let extents = |symbol| self.extent(symbol);
            let negative = number.negative()?;
            Some(negative.compare_under(&self.around, &IndexForm::constant(0), &extents))
        };
        number.range().0.is_none_or(|least| least < 0)
            && !self.around.is_empty()
            && (self.around.iter().any(|condition| implied(condition).is_some())
                || examined() == Some(Compared::Equal))
    }

    /// Notes what a flag says of an operation, where that is not known.
    fn flag(
        &mut self,
        operation: OperationRef<'_, '_>,
        form: Option<IndexForm>,
        range: (i64, i64),
    ) {
        let Some(form) = form else {
            let what = format!("a flag of {} whose operands are not known", tree::name(operation));
            return self.trace.unproved.push(what);
        };
        let known = form.bounds_over(&|symbol| self.extent(symbol)).or_else(|| form.bounds());
        let (least, most) = range;
        if known.is_some_and(|(from, to)| {
            from >= least && to.checked_sub(1).is_none_or(|to| to <= most)
        }) {
            return;
        }
        self.trace.flags.push(Claim {
            form,
            range,
            divisor: 1,
            around: self.around.clone(),
            operation: super::trace::address(operation),
        });
    }

    /// A result in `bits` bits; facts about symbols may exclude that it wraps around.
    fn wrapped(&self, form: IndexForm, bits: u32) -> Option<IndexForm> {
        let fits = |form: &IndexForm| {
            let half = 1_i64.checked_shl(bits.checked_sub(1)?)?;
            let (from, to) = form.bounds_over(&|symbol| self.extent(symbol))?;
            Some(from >= -half && to <= half)
        };
        let whole = match self.trace.exact {
            true => form.clone().signed(bits)?,
            false => wrapped(form.clone(), bits)?,
        };
        if whole == form || bits < 32 || fits(&form) != Some(true) {
            return Some(whole);
        }
        Some(form)
    }

    /// Both halves of a product.
    fn wide_product(&mut self, operation: OperationRef<'_, '_>, bits: u32, signs: bool) {
        let read = |at| {
            let form = self.form(operation, at)?;
            if signs { Some(form) } else { form.unsigned(bits) }
        };
        let (Some(a), Some(b)) = (read(0), read(1)) else { return };
        // The product may be past 64 bits where its halves are not.
        let product = a.times(&b);
        let high = high_word(&a, &b, bits).or_else(|| {
            product.as_ref()?.floor_div(1_i64.checked_shl(bits).filter(|&unit| unit > 0)?)
        });
        let halves = [product, high].map(|half| half?.signed(bits));
        for (at, half) in halves.into_iter().enumerate() {
            if let Some(half) = half {
                self.set(operation, at, Some(Known::Form(half)));
            }
        }
    }

    fn conditions(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<Vec<Condition>> {
        match self.known(operation, at)? {
            Known::Conditions(conditions) => Some(conditions.clone()),
            Known::Form(form) => holds(form),
            _ => None,
        }
    }

    /// Operations on booleans.
    fn logic(&self, operation: OperationRef<'_, '_>, name: &str) -> Option<Vec<Condition>> {
        if operation.operand_count() == 1 {
            let cuts = matches!(name, "arith.trunci" | "arith.index_cast" | "arith.index_castui");
            return cuts.then(|| holds(&self.form(operation, 0)?.mask(1)?))?;
        }
        let (a, b) = (self.conditions(operation, 0)?, self.conditions(operation, 1)?);
        match name {
            "arith.andi" | "arith.muli" | "arith.minui" => Some([a, b].concat()),
            "arith.xori" | "arith.addi" => match (&a[..], &b[..]) {
                // Not.
                ([one], []) | ([], [one]) => Some(vec![opposite(one)?]),
                _ => holds(&indicator(&a)?.xor(&indicator(&b)?)?),
            },
            "arith.ori" | "arith.maxui" => holds(&indicator(&a)?.or(&indicator(&b)?)?),
            _ => None,
        }
    }

    fn select(&self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let conditions = self.conditions(operation, 0)?;
        if width(result(operation, 0).r#type()) == Some(1) {
            let (a, b) = (self.form(operation, 1)?, self.form(operation, 2)?);
            return holds(&indicator(&conditions)?.choose(&a, &b)?).map(Known::Conditions);
        }
        let (then, otherwise) = (self.form(operation, 1)?, self.form(operation, 2)?);
        if otherwise.as_constant() == Some(0) {
            return Some(Known::Choice(conditions, then));
        }
        indicator(&conditions)?.choose(&then, &otherwise).map(Known::Form)
    }

    fn comparison(&self, operation: OperationRef<'_, '_>) -> Option<Vec<Condition>> {
        let (mut a, mut b) = (self.form(operation, 0)?, self.form(operation, 1)?);
        let bits = width(operand(operation, 0).r#type())?;
        let predicate = IntegerAttribute::try_from(operation.attribute("predicate").ok()?).ok()?;
        match predicate.value() {
            0 => return Some(vec![(a.minus(&b)?, 1), (b.minus(&a)?, 1)]),
            1 => {
                let equal = indicator(&[(a.minus(&b)?, 1), (b.minus(&a)?, 1)])?;
                return holds(&IndexForm::constant(1).minus(&equal)?);
            }
            _ => {}
        }
        // MLIR numbers signed predicates from 2 and unsigned ones from 6: <, <=, >, >=.
        let order = match predicate.value() {
            order @ 2..=5 => {
                // A word of one bit with the value 1 has the sign of -1.
                if bits == 1 {
                    (a, b) = (a.scale(-1)?, b.scale(-1)?);
                }
                order - 2
            }
            order @ 6..=9 => {
                match (a.unsigned(bits), b.unsigned(bits)) {
                    (Some(x), Some(y)) => (a, b) = (x, y),
                    _ => return unsigned_order(&a, &b, bits, order - 6),
                }
                order - 6
            }
            _ => return None,
        };
        Some(vec![match order {
            0 => (a.minus(&b)?, 0),
            1 => (a.minus(&b)?, 1),
            2 => (b.minus(&a)?, 0),
            _ => (b.minus(&a)?, 1),
        }])
    }
}

/// The divisor of an unsigned division by a positive constant.
fn divides_word(name: &str, by: &IndexForm) -> Option<i64> {
    let by = by.as_constant()?;
    match name {
        "arith.divui" | "arith.remui" => (by > 0).then_some(by),
        "arith.shrui" => (0..62).contains(&by).then(|| 1 << by),
        _ => None,
    }
}

/// The result of an operation on two words, before it wraps around.
pub(crate) fn combined(name: &str, a: &IndexForm, b: &IndexForm, bits: u32) -> Option<IndexForm> {
    let number = b.as_constant();
    let shift = number.filter(|shift| (0..i64::from(bits.min(62))).contains(shift));
    let power = shift.map(|shift| 1_i64 << shift);
    match name {
        "arith.addi" => a.plus(b),
        "arith.subi" => a.minus(b),
        "arith.muli" => a.times(b),
        "arith.andi" => a.and(b),
        "arith.ori" => a.or(b),
        "arith.xori" => a.xor(b),
        "arith.shli" if shift.is_none() => a.times(&power_of_two(b, bits)?),
        "arith.shli" => a.scale(power?),
        "arith.shrsi" => a.floor_div(power?),
        "arith.shrui" => a.quotient_unsigned(&IndexForm::constant(power?), bits),
        "arith.floordivsi" => a.quotient(b),
        // A divisor that may be 0, or below it, has no form.
        "arith.divsi" => truncated(a, b),
        "arith.remsi" => a.minus(&truncated(a, b)?.times(b)?),
        "arith.ceildivsi" => ceiling(a, b),
        "arith.ceildivui" => ceiling(&a.unsigned(bits)?, &b.unsigned(bits)?),
        "arith.divui" => a.quotient_unsigned(b, bits),
        "arith.remui" => a.remainder_unsigned(b, bits),
        "arith.minsi" => a.least(b),
        "arith.maxsi" => a.greatest(b),
        "arith.minui" => extreme(a, b, bits, true),
        "arith.maxui" => extreme(a, b, bits, false),
        _ => None,
    }
}

/// The order of two words whose signs are not known, read without them, as a boolean: <, <=, >, >=.
fn unsigned_order(a: &IndexForm, b: &IndexForm, bits: u32, order: i64) -> Option<Vec<Condition>> {
    let not = |less: IndexForm| IndexForm::constant(1).minus(&less);
    holds(&match order {
        0 => a.less_unsigned(b, bits)?,
        1 => not(b.less_unsigned(a, bits)?)?,
        2 => b.less_unsigned(a, bits)?,
        _ => not(a.less_unsigned(b, bits)?)?,
    })
}

/// The lesser, or the greater, of two words without signs.
fn extreme(a: &IndexForm, b: &IndexForm, bits: u32, lesser: bool) -> Option<IndexForm> {
    match (a.unsigned(bits), b.unsigned(bits)) {
        (Some(a), Some(b)) if lesser => a.least(&b),
        (Some(a), Some(b)) => a.greatest(&b),
        _ => {
            let (then, otherwise) = if lesser { (a, b) } else { (b, a) };
            a.less_unsigned(b, bits)?.choose(then, otherwise)
        }
    }
}

/// The high word of a product of two words that are not below 0.
pub(crate) fn high_word(a: &IndexForm, b: &IndexForm, bits: u32) -> Option<IndexForm> {
    quotient(a, b, bits).or_else(|| quotient(b, a, bits))
}

/// `x / c`, where the high word of `x` times a number is that: the number is `2^bits / c` rounded up, and
/// its error stays below one for every `x`. So the same quotient has one form.
fn quotient(x: &IndexForm, number: &IndexForm, bits: u32) -> Option<IndexForm> {
    let number = i128::from(number.as_constant().filter(|&number| number > 1)?);
    let unit = 1_i128.checked_shl(bits)?;
    let divisor = (unit + number - 1) / number;
    let error = number * divisor - unit;
    let (Some(0..), Some(greatest)) = x.range() else { return None };
    // The reciprocal itself: one less would be too small.
    let is_reciprocal = error < divisor;
    (is_reciprocal && i128::from(greatest) * error < unit)
        .then(|| x.floor_div(i64::try_from(divisor).ok()?))?
}

/// 2 to the power of a form of few values: for each of them, its power where the form is it.
fn power_of_two(form: &IndexForm, bits: u32) -> Option<IndexForm> {
    let (Some(low @ 0..), Some(high)) = form.range() else { return None };
    if high >= i64::from(bits.min(62)) {
        return None;
    }
    (low..=high).try_fold(IndexForm::constant(0), |sum, value| {
        let least = |limit: i64| form.minus(&IndexForm::constant(limit))?.negative();
        let is_value = least(value + 1)?.minus(&least(value)?)?;
        sum.plus(&is_value.scale(1 << value)?)
    })
}

/// The quotient by what is at least 1, rounded to zero.
pub(super) fn truncated(form: &IndexForm, divisor: &IndexForm) -> Option<IndexForm> {
    match form.range() {
        (Some(0..), _) => form.quotient(divisor),
        (_, Some(..=0)) => form.scale(-1)?.quotient(divisor)?.scale(-1),
        _ => {
            let below = form.scale(-1)?.quotient(divisor)?.scale(-1)?;
            form.negative()?.choose(&below, &form.quotient(divisor)?)
        }
    }
}

/// The quotient by what is at least 1, rounded up.
fn ceiling(form: &IndexForm, divisor: &IndexForm) -> Option<IndexForm> {
    form.plus(divisor)?.plus(&IndexForm::constant(-1))?.quotient(divisor)
}

/// A result in `bits` bits. In 64, a form without bounds is assumed not to wrap
/// around; in fewer, it does.
pub(crate) fn wrapped(form: IndexForm, bits: u32) -> Option<IndexForm> {
    match form.range() {
        (Some(_), Some(_)) => form.signed(bits),
        _ if bits < 64 => form.signed(bits),
        _ => Some(form),
    }
}
