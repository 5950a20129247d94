//! The nearest name to a misspelt one, for hints: names of operations here; of keys, passes and commands in the crates
//! above.

/// The name that is most like `found`, of those that differ in at most a third of their letters.
///
/// ```
/// use layout_algebra::nearest_name;
/// assert_eq!(nearest_name("colesce", ["coalesce", "complement"]), Some("coalesce"));
/// assert_eq!(nearest_name("xyz", ["coalesce", "complement"]), None);
/// ```
#[cfg(feature = "std")]
pub fn nearest_name<'n>(found: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    as_long(found, names)
        .map(|name| (strsim::damerau_levenshtein(found, name), name))
        .filter(|&(distance, name)| is_near(distance, found, name))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The names that are compared with a text letter by letter. They differ by what one is longer: a long text is compared with
/// no name.
#[cfg(feature = "std")]
fn as_long<'n>(
    found: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> impl Iterator<Item = &'n str> {
    names.into_iter().filter(|name| is_near(name.len().abs_diff(found.len()), found, name))
}

#[cfg(feature = "std")]
fn is_near(distance: usize, found: &str, name: &str) -> bool {
    distance * 3 <= name.len().max(found.len())
}

/// None: names are compared by a crate that needs `std`.
#[cfg(not(feature = "std"))]
pub fn nearest_name<'n>(_: &str, _: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    None
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_near_or_there_is_none() {
        assert_eq!(nearest_name("gloal", ["global", "shared"]), Some("global"));
        assert_eq!(nearest_name("zebra", ["global", "shared"]), None);
    }

    #[test]
    fn a_long_text_is_compared_with_no_name() {
        let long = "global".repeat(1 << 17);
        assert_eq!(as_long(&long, ["global", "shared"]).count(), 0);
    }
}
