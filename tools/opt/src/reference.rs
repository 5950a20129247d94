//! `passes/PASSES.md`: the page of every pass and pipeline, made from what is registered.

use layout_dialect::passes::{Entry, registered};
use std::fmt::Write;

#[test]
fn the_page_of_passes_is_what_is_registered() {
    layout_passes::register_all();
    layout_lowering::register_all();
    // Blessed by UPDATE_EXPECT=1, as `cargo xtask bless` runs it.
    expect_test::expect_file!["../../../passes/PASSES.md"].assert_eq(&page(&registered()));
}

fn page(entries: &[Entry]) -> String {
    let mut page = String::from(
        "<!-- Made from the registered passes by `cargo xtask bless`; do not edit -->\n\n\
         # Passes and pipelines\n\n\
         | name | runs on | what it does |\n|---|---|---|\n",
    );
    for entry in entries {
        let root = match (entry.pipeline, entry.root) {
            (true, _) => "a pipeline of passes",
            (false, "") => "any operation",
            (false, root) => root,
        };
        let anchor = entry.name;
        writeln!(page, "| [`{anchor}`](#{anchor}) | {root} | {} |", entry.description)
            .expect("writing to a String does not fail");
    }
    for entry in entries {
        section(&mut page, entry).expect("writing to a String does not fail");
    }
    page
}

fn section(page: &mut String, entry: &Entry) -> std::fmt::Result {
    writeln!(page, "\n## `{}`\n\n{}.", entry.name, entry.description)?;
    if !entry.options.is_empty() {
        writeln!(page, "\n| option | default | meaning |\n|---|---|---|")?;
    }
    for option in entry.options {
        writeln!(page, "| `{}` | `{}` | {} |", option.name, option.initial, option.description)?;
    }
    if !entry.statistics.is_empty() {
        writeln!(page, "\n| statistic | counts |\n|---|---|")?;
    }
    // One row for the many counters of a group, `rule: …`.
    let mut groups: Vec<&str> = Vec::new();
    for statistic in entry.statistics {
        match statistic.name.split_once(": ") {
            None => writeln!(page, "| {} | {} |", statistic.name, statistic.description)?,
            Some((group, _)) if groups.contains(&group) => {}
            Some((group, _)) => {
                groups.push(group);
                writeln!(page, "| {group}: … | {} |", statistic.description)?;
            }
        }
    }
    Ok(())
}
