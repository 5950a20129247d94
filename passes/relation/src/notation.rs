//! Sums, tuples and bounds of variables in ISL's notation. It depends on nothing of the crate: the tests' own algorithms
//! read it, too (`tests/algorithms`).

use std::fmt::Write;

/// `a*x + b*y + …`, or `0`.
pub(crate) fn sum(terms: impl IntoIterator<Item = (i64, String)>) -> String {
    let mut text = String::new();
    for (factor, name) in terms {
        if factor == 0 {
            continue;
        }
        let sign = match (text.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        match factor.unsigned_abs() {
            1 => text.push_str(&name),
            // Writing to a string cannot fail.
            factor => drop(write!(text, "{factor}*{name}")),
        }
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// `x0, x1, …`
pub(crate) fn names(prefix: &str, count: usize) -> String {
    (0..count).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ")
}

/// `0 <= x0 < n0 and …`, or `true`.
pub(crate) fn bounds(prefix: &str, extents: &[i64]) -> String {
    if extents.is_empty() {
        return "true".to_owned();
    }
    let bound = |(i, extent): (usize, &i64)| format!("0 <= {prefix}{i} < {extent}");
    extents.iter().enumerate().map(bound).collect::<Vec<_>>().join(" and ")
}

/// `s0*x0 + s1*x1 + …`
pub(crate) fn dot(prefix: &str, factors: &[i64]) -> String {
    sum(factors.iter().enumerate().map(|(i, &factor)| (factor, format!("{prefix}{i}"))))
}
