//! `--layout-to-isl` and `--isl-to-layout`: the layouts of a module as relations in the notation of
//! ISL, and relations as layouts.

use layout_algebra::{AnyLayout, Value, linear::LinearLayout};
use layout_dialect::{LayoutType, TermAttribute, ViewType, tree};
use layout_relation::{
    Context, Limits, Recovered, Relation, any_layout_mapping, linear_layout_mapping, recover,
    relation_of_affine_map, set_of_affine_set,
};
use melior::ir::{BlockLike, Module, RegionLike, Type, ValueLike, operation::OperationLike};
use std::{collections::BTreeSet, fmt::Write};

/// Each layout of a module once, in order: those of types, and what terms evaluate to. A line for
/// each, `LAYOUT: RELATION`.
pub(crate) fn of_module(module: &Module<'_>) -> Result<String, String> {
    let mut found = Found { context: context()?, seen: BTreeSet::new(), text: String::new() };
    for operation in tree::all(module.as_operation()) {
        for region in operation.regions() {
            let mut block = region.first_block();
            while let Some(current) = block {
                for at in 0..current.argument_count() {
                    found.r#type(tree::argument(current, at).r#type())?;
                }
                block = current.next_in_region();
            }
        }
        for name in ["term", "shape"] {
            let attribute = operation.attribute(name).ok();
            let term = attribute.and_then(|attribute| TermAttribute::try_from(attribute).ok());
            if let Some(term) = term {
                let value = term.term().and_then(|term| term.eval()).map_err(|e| e.to_string())?;
                found.value(&value)?;
            }
        }
        for at in 0..operation.result_count() {
            found.r#type(layout_dialect::build::result(operation, at).r#type())?;
        }
    }
    Ok(found.text)
}

struct Found {
    context: Context,
    seen: BTreeSet<String>,
    text: String,
}

impl Found {
    fn r#type(&mut self, r#type: Type<'_>) -> Result<(), String> {
        let layout = match (LayoutType::try_from(r#type), ViewType::try_from(r#type)) {
            (Ok(layout), _) => layout.layout(),
            (_, Ok(view)) => view.layout(),
            _ => return Ok(()),
        };
        self.layout(&layout.map_err(|error| error.to_string())?)
    }

    fn value(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Layout(layout) => self.layout(&AnyLayout::Plain(layout.clone())),
            Value::Composed(layout) => self.layout(&AnyLayout::Composed(layout.clone())),
            Value::Linear(layout) => self.linear(layout),
            // Shapes and tilers are no mappings to offsets.
            _ => Ok(()),
        }
    }

    fn layout(&mut self, layout: &AnyLayout) -> Result<(), String> {
        let mapping = any_layout_mapping(&self.context, layout);
        self.line(&layout.to_string(), mapping)
    }

    fn linear(&mut self, layout: &LinearLayout) -> Result<(), String> {
        let mapping = linear_layout_mapping(&self.context, layout);
        self.line(&layout.to_string(), mapping)
    }

    fn line(
        &mut self,
        layout: &str,
        mapping: layout_relation::Result<Relation>,
    ) -> Result<(), String> {
        if self.seen.insert(layout.to_owned()) {
            let relation = mapping
                .and_then(|mapping| mapping.expressions())
                .map_err(|error| format!("{layout}: {error}"))?;
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "{layout}: {relation}");
        }
        Ok(())
    }
}

/// The layout of each line: a relation of ISL's, with or without `LAYOUT:` before it, or MLIR's
/// `affine_map<…> on affine_set<…>`. Empty lines and those that begin with `//` are left out.
pub(crate) fn to_layouts(text: &str) -> Result<String, String> {
    let context = context()?;
    let mut layouts = String::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let layout =
            layout_of(&context, line).map_err(|error| format!("line {number}: {error}"))?;
        let _ = writeln!(layouts, "#layout<{layout}>");
    }
    Ok(layouts)
}

fn layout_of(context: &Context, line: &str) -> Result<String, String> {
    let mapping = relation_of(context, line).map_err(|error| error.to_string())?;
    match recover(&mapping).map_err(|error| error.to_string())? {
        Recovered::Layout(layout) => Ok(layout.to_string()),
        Recovered::Swizzled(layout) => Ok(layout.to_string()),
        Recovered::Linear { offset: 0, layout } => Ok(layout.to_string()),
        Recovered::Linear { offset, layout } => Err(format!(
            "expected a mapping that begins at 0, found {offset} added without carry to {layout}"
        )),
        Recovered::Neither { layout, linear } => Err(match linear {
            Some(linear) => format!("no layout ({layout}) and not linear ({linear})"),
            None => format!("no layout: {layout}"),
        }),
        other => Err(format!("expected a layout, found {other:?}")),
    }
}

fn relation_of(context: &Context, line: &str) -> layout_relation::Result<Relation> {
    if line.starts_with("affine_map") {
        return match line.split_once(" on ") {
            None => relation_of_affine_map(context, line),
            Some((map, set)) => {
                relation_of_affine_map(context, map)?.on(&set_of_affine_set(context, set.trim())?)
            }
        };
    }
    // A layout's own text has no brace but in `linear<{…`, which ends with one more `>: {`.
    let relation =
        line.find(": {").filter(|_| !line.starts_with('{')).map_or(line, |at| &line[at + 2..]);
    Relation::parse(context, relation)
}

fn context() -> Result<Context, String> {
    Context::new(Limits::default()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_become_layouts() {
        let lines = "\
// least rank
{ [c] -> [2c] : 0 <= c < 4 }

(4,3):(3,1): { [c] -> [(3c - 11*floor((c)/4))] : 0 <= c <= 11 }
{ [c] -> [c + 1 - 2*(c mod 2)] : 0 <= c < 4 }
affine_map<(d0) -> (d0 floordiv 4 + (d0 mod 4) * 8)> on affine_set<(d0) : (d0 >= 0, 31 - d0 >= 0)>
";
        let found = to_layouts(lines);
        assert_eq!(
            found.unwrap_err(),
            "line 5: expected a mapping that begins at 0, found 1 added without carry to \
             linear<{index = [1,2]} -> {offset = 4}>"
        );
        let kept: Vec<&str> = lines.lines().filter(|line| !line.contains("+ 1 -")).collect();
        assert_eq!(
            to_layouts(&kept.join("\n")).unwrap(),
            "#layout<4:2>\n#layout<(4,3):(3,1)>\n#layout<(4,8):(8,1)>\n"
        );
    }

    #[test]
    fn what_is_no_layout_has_a_witness() {
        let error = |text| to_layouts(text).unwrap_err();
        assert_eq!(error("{ [c] -> "), "line 1: expected a relation, found `{ [c] ->`");
        assert_eq!(
            error("{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }"),
            "line 1: no layout (expected 7 at coordinate (3), found 23 in the only candidate) and \
             not linear (expected 1 at coordinate (5), found 9 in the only candidate)"
        );
        assert!(error("affine_map<(d0) -> (d0)>").starts_with("line 1: "));
    }
}
