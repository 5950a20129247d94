//! The promises of operations about integers: the types of a `layout.make` or a `layout.assume`, and `nsw` and `nuw`. A pass
//! may drop a promise; one that it makes has to hold wherever the program before it had a meaning.

use super::{
    Findings,
    compare::symbol_name,
    trace::{Claim, Condition, Trace},
};
use layout_relation::{Compared, IndexForm};
use std::collections::BTreeSet;

/// The most promises that are compared with others, and examined.
const MAX_CLAIMS: usize = 64;

/// The key of a promise.
type Key<'c> = (&'c IndexForm, (i64, i64), i64, &'c [Condition]);

fn key(claim: &Claim) -> Key<'_> {
    (&claim.form, claim.range, claim.divisor, claim.around.as_slice())
}

/// Points that are examined for one where a promise does not hold.
const POINTS: usize = 1 << 12;

/// Numbers that are tried for a symbol without bounds.
const NUMBERS: [i64; 10] =
    [0, 1, 2, 3, -1, i32::MAX as i64, i32::MIN as i64, 1 << 31, i64::MAX, i64::MIN];

/// The promises after a pass are those before it, or hold.
pub(super) fn compare(before: &Trace, after: &Trace, findings: &mut Findings) {
    let known: Vec<&Claim> = before.claims.iter().chain(&before.flags).collect();
    let same: BTreeSet<Key<'_>> = known.iter().map(|claim| key(claim)).collect();
    let new = after.claims.iter().chain(&after.flags).filter(|claim| !same.contains(&key(claim)));
    for (number, claim) in new.enumerate() {
        if number >= MAX_CLAIMS {
            findings.unknown(format!(
                "more than {MAX_CLAIMS} promises that are new in @{}",
                before.name
            ));
            break;
        }
        if known.iter().take(MAX_CLAIMS).any(|other| covers(before, other, claim)) {
            continue;
        }
        let what = words(claim);
        match witness(before, claim) {
            Some((point, value)) => {
                let found = value.map_or("one past 64 bits".to_owned(), |value| value.to_string());
                findings.refute(format!(
                    "expected no assumption in @{} that the program before the pass does not make, found an integer {what} that is {found}{point}",
                    before.name
                ));
            }
            None => findings.unknown(format!(
                "that {} is {what}, which is new in @{}",
                claim.form, before.name
            )),
        }
    }
    for what in after.unproved.iter().filter(|what| !before.unproved.contains(what)) {
        findings.unknown(format!("{what}, which is new in @{}", before.name));
    }
}

/// Whether what one promises says as much as another does.
fn covers(before: &Trace, known: &Claim, claim: &Claim) -> bool {
    let extents = |symbol: u32| before.extent(symbol);
    known.range.0 >= claim.range.0
        && known.range.1 <= claim.range.1
        && known.divisor.checked_rem(claim.divisor.max(1)) == Some(0)
        && known.around.iter().all(|condition| claim.around.contains(condition))
        && known.form.compare(&claim.form, &extents) == Compared::Equal
}

fn words(claim: &Claim) -> String {
    let ((least, most), divisor) = (claim.range, claim.divisor);
    let mut expected = Vec::new();
    if least > i64::MIN || most < i64::MAX || divisor <= 1 {
        expected.push(format!("within {least} to {most}"));
    }
    if divisor > 1 {
        expected.push(format!("a multiple of {divisor}"));
    }
    expected.join(" and ")
}

/// A point where a promise does not hold, and the number there, or `None` for one past 64 bits.
fn witness(before: &Trace, claim: &Claim) -> Option<(String, Option<i64>)> {
    let forms = claim.around.iter().chain(&before.domain).map(|(form, _)| form);
    let symbols: BTreeSet<u32> = forms.chain([&claim.form]).flat_map(IndexForm::symbols).collect();
    let symbols: Vec<u32> = symbols.into_iter().collect();
    let values: Vec<Vec<i64>> =
        symbols.iter().map(|&symbol| tried(before, claim, symbol)).collect();
    let points = values.iter().try_fold(1_usize, |all, own| all.checked_mul(own.len()));
    for point in 0..points.unwrap_or(usize::MAX).min(POINTS) {
        let mut rest = point;
        let chosen: Vec<i64> = values
            .iter()
            .map(|own| {
                let value = own.get(rest % own.len().max(1)).copied().unwrap_or(0);
                rest /= own.len().max(1);
                value
            })
            .collect();
        let at = |symbol: u32| {
            let place = symbols.iter().position(|&own| own == symbol);
            place.and_then(|place| chosen.get(place).copied()).unwrap_or(0)
        };
        let holds = |(form, limit): &Condition| form.at(&at).is_some_and(|value| value < *limit);
        if !claim.around.iter().chain(&before.domain).all(holds) {
            continue;
        }
        let value = claim.form.at(&at);
        let (least, most) = claim.range;
        let is_kept = |value: i64| {
            (least..=most).contains(&value) && value.checked_rem(claim.divisor.max(1)) == Some(0)
        };
        if !value.is_some_and(is_kept) {
            let point: Vec<String> = symbols
                .iter()
                .zip(&chosen)
                .map(|(&symbol, value)| format!("{} = {value}", symbol_name(symbol)))
                .collect();
            let point =
                if point.is_empty() { String::new() } else { format!(" ({})", point.join(", ")) };
            return Some((point, value));
        }
    }
    None
}

/// Values that are tried for a symbol: its first and last ones, or numbers of each size.
fn tried(before: &Trace, claim: &Claim, symbol: u32) -> Vec<i64> {
    let (least, count) = claim.form.span(symbol).unwrap_or((0, before.extent(symbol)));
    match count {
        Some(count) => {
            let offsets = [
                0,
                1,
                2,
                3,
                4,
                5,
                6,
                7,
                count / 2,
                count.saturating_sub(2),
                count.saturating_sub(1),
            ];
            let inside = offsets.into_iter().filter(|offset| (0..count).contains(offset));
            let all: BTreeSet<i64> = inside.map(|offset| least.saturating_add(offset)).collect();
            all.into_iter().collect()
        }
        None => NUMBERS.into_iter().filter(|&value| value >= least || least == 0).collect(),
    }
}

impl Trace {
    /// The finding about two numbers, the first of which is this trace's: a point where they differ and a coordinate is out
    /// of range says nothing, unless they differ at one where all are in range, too. More conditions may hold where the
    /// numbers are.
    pub(super) fn within_domain(
        &self,
        inside: &[Condition],
        compared: Compared,
        before: &IndexForm,
        after: &IndexForm,
    ) -> Compared {
        let Compared::Differ { point, .. } = &compared else { return compared };
        let at = |symbol: u32| {
            point.iter().find(|(own, _)| *own == symbol).map_or(0, |&(_, value)| value)
        };
        let in_range = |(form, limit): &Condition| form.at(&at).is_none_or(|value| value < *limit);
        if self.domain.iter().chain(inside).all(in_range) {
            return compared;
        }
        let Some(form) = before.minus(after) else { return Compared::Unknown };
        let around = inside.to_vec();
        let same = Claim { form, range: (0, 0), divisor: 1, around, operation: 0 };
        match witness(self, &same) {
            Some(_) => compared,
            None => Compared::Unknown,
        }
    }
}
