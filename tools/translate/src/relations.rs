//! `--layout-to-isl` and `--isl-to-layout`: the layouts of a module as relations in the notation of
//! ISL, and relations as layouts.

use layout_algebra::{AnyLayout, Expr, Facts, Tuple, Value, linear::LinearLayout};
use layout_dialect::{LayoutType, TermAttribute, TermValue, ViewType, tree};
use layout_relation::{
    Context, Error, Limits, Recovered, Relation, any_layout_mapping, basis_layout_mapping,
    linear_layout_text, recover, recover_symbolic, relation_of_affine_map, set_of_affine_set,
    symbolic_basis_mapping, symbolic_composed_mapping, symbolic_index_mapping,
};
use melior::ir::{BlockLike, Module, RegionLike, Type, ValueLike, operation::OperationLike};
use std::{
    collections::BTreeSet,
    fmt::{self, Write},
};

/// The relations of a module's layouts.
pub(crate) struct Relations {
    /// A line for each, `LAYOUT: RELATION`.
    pub(crate) text: String,
    /// For each layout that no relation of ISL's has, why.
    pub(crate) remarks: Vec<String>,
}

/// Each layout of a module once, in order: those of types, and what terms evaluate to. Layouts that
/// are partly static are mapped from their natural coordinates, with parameters.
pub(crate) fn of_module(module: &Module<'_>) -> Result<Relations, String> {
    let relations = Relations { text: String::new(), remarks: Vec::new() };
    let mut found = Collector { context: context()?, seen: BTreeSet::new(), relations };
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
    Ok(found.relations)
}

struct Collector {
    context: Context,
    seen: BTreeSet<String>,
    relations: Relations,
}

impl Collector {
    fn r#type(&mut self, r#type: Type<'_>) -> Result<(), String> {
        let term_value = match (LayoutType::try_from(r#type), ViewType::try_from(r#type)) {
            (Ok(layout), _) => layout.term_value(),
            (_, Ok(view)) => view.term_value(),
            _ => return Ok(()),
        };
        match term_value.map_err(|error| error.to_string())? {
            TermValue::Static(value) => self.value(&value),
            term_value @ TermValue::Symbolic { .. } => {
                let text = term_value.to_string();
                let TermValue::Symbolic { value, facts } = term_value else { return Ok(()) };
                self.partly(text, &value, &facts)
            }
        }
    }

    fn value(&mut self, value: &Value) -> Result<(), String> {
        match value {
            Value::Layout(layout) => self.layout(&AnyLayout::Plain(layout.clone())),
            Value::Composed(layout) => self.layout(&AnyLayout::Composed(layout.clone())),
            Value::Linear(layout) => {
                self.line(layout.to_string(), |context| linear_layout_text(context, layout))
            }
            Value::Basis(layout) => self.line(layout.to_string(), |context| {
                basis_layout_mapping(context, layout)?.expressions()
            }),
            // Shapes and tilers are no mappings.
            _ => Ok(()),
        }
    }

    fn layout(&mut self, layout: &AnyLayout) -> Result<(), String> {
        self.line(layout.to_string(), |context| any_layout_mapping(context, layout)?.expressions())
    }

    /// A layout whose text has `?`.
    fn partly(&mut self, text: String, value: &Value<Expr>, facts: &Facts) -> Result<(), String> {
        self.line(text, |context| {
            match value {
                Value::Layout(layout) => symbolic_index_mapping(context, layout, facts)?,
                Value::Composed(layout) => symbolic_composed_mapping(context, layout, facts)?,
                Value::Basis(layout) => symbolic_basis_mapping(context, layout, facts)?,
                other => {
                    return Err(Error::Condition {
                        operation: "index_mapping",
                        operand: other.to_string(),
                        expected: "a layout",
                        found: "another partly static value".to_owned(),
                    });
                }
            }
            .expressions()
        })
    }

    fn line(
        &mut self,
        layout: String,
        relation: impl FnOnce(&Context) -> layout_relation::Result<String>,
    ) -> Result<(), String> {
        if !self.seen.insert(layout.clone()) {
            return Ok(());
        }
        match relation(&self.context) {
            // Writing to a string cannot fail.
            Ok(relation) => drop(writeln!(self.relations.text, "{layout}: {relation}")),
            Err(error @ Error::Condition { .. }) if layout.contains('?') => {
                self.relations.remarks.push(error.to_string());
            }
            Err(error) => return Err(format!("{layout}: {error}")),
        }
        Ok(())
    }
}

/// The layout of each line, as an attribute or, with symbols, a type: a relation of ISL's, with or without `LAYOUT:` before it, or MLIR's
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
        let _ = writeln!(layouts, "{layout}");
    }
    Ok(layouts)
}

/// A layout as an attribute, or as a type where it has symbols, which the mapping's parameters become.
fn layout_of(context: &Context, line: &str) -> Result<String, String> {
    let mapping = relation_of(context, line).map_err(|error| error.to_string())?;
    if mapping.parameters().map_err(|error| error.to_string())? > 0 {
        let (layout, facts) = recover_symbolic(&mapping).map_err(|error| error.to_string())?;
        let named = layout.canonical(&facts).map_err(|error| error.to_string())?;
        let sigil = if named.names.is_empty() { '#' } else { '!' };
        return Ok(format!("{sigil}layout<{}>", named.value.annotated(&named.facts)));
    }
    Ok(format!("#layout<{}>", static_layout_of(&mapping)?))
}

fn static_layout_of(mapping: &Relation) -> Result<String, String> {
    match recover(mapping).map_err(|error| error.to_string())? {
        Recovered::Layout(layout) => Ok(layout.to_string()),
        Recovered::Swizzled(layout) => Ok(layout.to_string()),
        Recovered::Basis(layout) => Ok(layout.to_string()),
        Recovered::Linear { offset, layout } => match &offset[..] {
            all if all.iter().all(|&start| start == 0) => Ok(layout.to_string()),
            [start] => Err(beyond(start, &layout)),
            all => {
                Err(beyond(&Tuple::Node(all.iter().copied().map(Tuple::Leaf).collect()), &layout))
            }
        },
        Recovered::Neither { layout, linear } => Err(match linear {
            Some(linear) => format!("no layout ({layout}) and not linear ({linear})"),
            None => format!("no layout: {layout}"),
        }),
        other => Err(format!("expected a layout, found {other:?}")),
    }
}

fn beyond(start: &dyn fmt::Display, layout: &LinearLayout) -> String {
    format!("expected a mapping that begins at 0, found {start} added without carry to {layout}")
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
    // A layout's own text has no brace but in `linear<{…`, which ends with one more `>: {`, and in what is
    // known of symbols.
    let starts = [": {", ": ["].iter().filter_map(|start| line.find(start)).min();
    let relation =
        starts.filter(|_| !line.starts_with(['{', '['])).map_or(line, |at| &line[at + 2..]);
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
