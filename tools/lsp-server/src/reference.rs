//! The generated pages of operations and passes: names for completion, text for hovers.
//!
//! The pages are made from the `.td` files and from what is registered, and `cargo xtask tidy` and
//! the tests fail where they are stale, so that they are as good as the registry itself.

const OPERATIONS: &str = include_str!("../../../dialect/OPERATIONS.md");
const PASSES: &str = include_str!("../../../passes/PASSES.md");

/// An operation or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) summary: &'static str,
    /// All that the page says of it.
    pub(crate) text: &'static str,
}

/// The dialect's operations: sections `` ### `layout.size` (::layout::SizeOp) ``.
pub(crate) fn operations() -> Vec<Entry> {
    let sections = OPERATIONS.split("\n### ").skip(1);
    let entry = |section: &'static str| {
        let (heading, text) = section.split_once('\n')?;
        if !heading.ends_with("Op)") {
            return None;
        }
        // The last operation's section ends where the page's next part begins.
        let text = text.split("\n## ").next()?.trim();
        let summary = text.lines().find_map(|line| line.strip_prefix('_')?.strip_suffix('_'))?;
        Some(Entry { name: heading.split('`').nth(1)?, summary, text })
    };
    sections.filter_map(entry).collect()
}

/// Passes and pipelines: sections `` ## `layout-fold` ``.
pub(crate) fn passes() -> Vec<Entry> {
    let entry = |section: &'static str| {
        let (heading, text) = section.split_once('\n')?;
        let text = text.trim();
        Some(Entry { name: heading.trim_matches('`'), summary: text.lines().next()?, text })
    };
    PASSES.split("\n## ").skip(1).filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_pages_is_an_entry() {
        let operations = operations();
        assert_eq!(operations.len(), OPERATIONS.matches("Op)\n").count());
        assert!(operations.iter().all(|entry| entry.name.starts_with("layout.")));
        let size =
            operations.iter().find(|entry| entry.name == "layout.size").expect("there is one");
        assert_eq!(size.summary, "The number of coordinates of a layout");
        let passes = passes();
        assert_eq!(passes.len(), PASSES.matches("\n## ").count());
        let fold = passes.iter().find(|entry| entry.name == "layout-fold").expect("there is one");
        assert_eq!(fold.summary, "Evaluate the static terms of layout operations.");
    }
}
