//! Ranges of indices, from a few steps of their definitions.
//!
//! An index has 64 bits. Arithmetic on one is done in 32 where all values that it may have fit, or
//! where an operation demands a coordinate in range: `layout.idx2crd` does not, its last coordinate
//! continues past the shape.

use layout_dialect::{
    build::{Val, operand},
    tree,
};
use melior::ir::{
    BlockLike, OperationRef, ValueLike, attribute::IntegerAttribute, operation::OperationLike,
    r#type::IntegerType,
};

/// Steps that are followed.
const DEPTH: usize = 8;

/// Whether a value that is at least 0 is known to fit a signed word of 32 bits.
pub(super) fn fits(value: Val<'_>) -> bool {
    range(value, DEPTH).1 <= i128::from(i32::MAX)
}

/// The least and the greatest value, read as signed.
fn range(value: Val<'_>, depth: usize) -> (i128, i128) {
    let all = of_width(width(value));
    if depth == 0 {
        return all;
    }
    let found = match tree::definition(value) {
        Some(made) => computed(made, value, depth - 1),
        None => argument(value, depth - 1),
    };
    // A value that wraps around may be anything.
    found.filter(|found| all.0 <= found.0 && found.1 <= all.1).unwrap_or(all)
}

fn width(value: Val<'_>) -> u32 {
    IntegerType::try_from(value.r#type()).map_or(64, |r#type| r#type.width())
}

fn of_width(bits: u32) -> (i128, i128) {
    let half = 1_i128 << bits.clamp(1, 64).saturating_sub(1);
    (-half, half - 1)
}

/// The rule by which an operation's bounds follow from its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundRule {
    Constant,
    /// From 0 to the greatest word of 32 bits.
    Natural,
    /// The operand's range, where it fits.
    Same,
    /// The operand's range as unsigned words.
    Plain,
    Sum,
    Difference,
    Product,
    /// A value that is at most either operand, as unsigned.
    Under,
    Quotient,
    Remainder,
    Least,
    Greatest,
    Choice,
    /// The first argument of its block.
    Counter,
    /// The arguments of its block: ids and sizes.
    Launch,
}

/// One row of the table: operations of upstream, and where their results or block arguments have a range.
struct Row {
    operations: &'static [&'static str],
    gives: BoundRule,
    #[cfg_attr(not(test), expect(dead_code, reason = "FACTS.md shows it"))]
    fact: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "FACTS.md shows it"))]
    condition: &'static str,
}

/// A row of the table.
const fn row(
    operations: &'static [&'static str],
    gives: BoundRule,
    fact: &'static str,
    condition: &'static str,
) -> Row {
    Row { operations, gives, fact, condition }
}

/// The table. An operation that is not in it has any word of its type. Flags (`nsw`, `nuw`, `exact`) give nothing.
const ROWS: &[Row] = &[
    row(&["arith.constant"], BoundRule::Constant, "the value", "an integer"),
    row(
        &[
            "gpu.thread_id",
            "gpu.block_id",
            "gpu.cluster_id",
            "gpu.cluster_block_id",
            "gpu.lane_id",
            "gpu.subgroup_id",
            "gpu.block_dim",
            "gpu.grid_dim",
            "gpu.num_subgroups",
            "gpu.subgroup_size",
        ],
        BoundRule::Natural,
        "from 0 to 2^31 - 1: special registers have 32 bits, and no dimension of a launch is larger",
        "always",
    ),
    row(
        &["arith.index_cast", "arith.extsi", "arith.trunci"],
        BoundRule::Same,
        "the operand's",
        "it fits the type",
    ),
    row(
        &["arith.index_castui", "arith.extui"],
        BoundRule::Plain,
        "the operand's; of one that may be below 0, that of its unsigned words",
        "it fits the type",
    ),
    row(&["arith.addi"], BoundRule::Sum, "the sum of both", "it fits the type"),
    row(&["arith.subi"], BoundRule::Difference, "the difference of both", "it fits the type"),
    row(&["arith.muli"], BoundRule::Product, "the product of both", "it fits the type"),
    row(
        &["arith.andi", "arith.minui"],
        BoundRule::Under,
        "from 0 to the lesser end",
        "an operand is at least 0",
    ),
    row(
        &["arith.divui", "arith.shrui"],
        BoundRule::Quotient,
        "from 0 to the dividend's end",
        "the dividend is at least 0",
    ),
    row(
        &["arith.remui"],
        BoundRule::Remainder,
        "from 0 to below the divisor's end, or to the dividend's",
        "that one is at least 0",
    ),
    row(&["arith.minsi"], BoundRule::Least, "the lesser of both ends", "always"),
    row(&["arith.maxsi"], BoundRule::Greatest, "the greater of both ends", "always"),
    row(&["arith.select"], BoundRule::Choice, "of both values", "always"),
    row(
        &["scf.for"],
        BoundRule::Counter,
        "the counter: from the lower bound to the upper one",
        "both bounds and the step are at least 0, and the upper bound and a step fit the type: no sum wraps",
    ),
    row(
        &["gpu.launch"],
        BoundRule::Launch,
        "ids and sizes of blocks and threads: from 0 to 2^31 - 1",
        "always",
    ),
];

/// The bounds that an operation gives, or `None` if it has no row.
fn gives(name: &str) -> Option<BoundRule> {
    ROWS.iter().find(|row| row.operations.contains(&name)).map(|row| row.gives)
}

/// The range of an operation's result, or `None` if it is not known here.
fn computed(made: OperationRef<'_, '_>, value: Val<'_>, depth: usize) -> Option<(i128, i128)> {
    let name = tree::name(made);
    // A word of more bits than 64 has no range here.
    if (0..made.operand_count()).any(|i| width(operand(made, i)) > 64) || width(value) > 64 {
        return None;
    }
    let of = |i: usize| range(operand(made, i), depth);
    let natural = |i: usize| Some(of(i)).filter(|range| range.0 >= 0);
    if name == "layout.idx2crd" && made.attribute("shape").is_ok() {
        let extents = layout_dialect::ops::idx2crd_extents(made).ok()?;
        let place = (0..extents.len())
            .find(|&i| made.result(i).is_ok_and(|result| Val::from(result) == value))?;
        return Some(match extents.get(place) {
            Some(extent) if place + 1 < extents.len() => (0, i128::from(*extent) - 1),
            _ => (0, natural(0)?.1),
        });
    }
    Some(match gives(&name)? {
        BoundRule::Constant => {
            let value = IntegerAttribute::try_from(made.attribute("value").ok()?).ok()?.value();
            (i128::from(value), i128::from(value))
        }
        BoundRule::Natural => (0, i128::from(i32::MAX)),
        BoundRule::Same => of(0),
        BoundRule::Plain => match natural(0) {
            Some(natural) => natural,
            None => (0, (1_i128 << width(operand(made, 0))) - 1),
        },
        BoundRule::Sum => (of(0).0 + of(1).0, of(0).1 + of(1).1),
        BoundRule::Difference => (of(0).0 - of(1).1, of(0).1 - of(1).0),
        BoundRule::Product => {
            let (x, y) = (of(0), of(1));
            let products = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
            (*products.iter().min()?, *products.iter().max()?)
        }
        BoundRule::Under => match (natural(0), natural(1)) {
            (Some(x), Some(y)) => (0, x.1.min(y.1)),
            (Some(x), None) => (0, x.1),
            (None, Some(y)) => (0, y.1),
            (None, None) => return None,
        },
        BoundRule::Quotient => (0, natural(0)?.1),
        BoundRule::Remainder => match natural(1) {
            Some(by) if by.1 > 0 => (0, by.1 - 1),
            _ => (0, natural(0)?.1),
        },
        BoundRule::Least => (of(0).0.min(of(1).0), of(0).1.min(of(1).1)),
        BoundRule::Greatest => (of(0).0.max(of(1).0), of(0).1.max(of(1).1)),
        BoundRule::Choice => (of(1).0.min(of(2).0), of(1).1.max(of(2).1)),
        BoundRule::Counter | BoundRule::Launch => return None,
    })
}

/// The range of a block's argument: a loop's counter, or an index of a launch.
fn argument(value: Val<'_>, depth: usize) -> Option<(i128, i128)> {
    let block = tree::owner(value)?;
    let around = block.parent_operation()?;
    let is = |place: usize| place < block.argument_count() && tree::argument(block, place) == value;
    match gives(&tree::name(around))? {
        BoundRule::Counter if is(0) && width(value) <= 64 => {
            let [first, end, step] = [0, 1, 2].map(|i| range(operand(around, i), depth));
            // The order of the loop's comparison is not known for both signs. A counter that passes the
            // end of its words continues below 0.
            let wraps = end.1 - 1 + step.1 > of_width(width(value)).1;
            let natural = first.0 >= 0 && end.0 >= 0 && step.0 >= 0;
            (natural && !wraps).then_some((first.0, end.1))
        }
        BoundRule::Launch if (0..12).any(is) => Some((0, i128::from(i32::MAX))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_dialect::build::result;
    use melior::{Context, dialect::DialectRegistry, ir::Module, utility::register_all_dialects};
    use std::collections::BTreeSet;

    const TYPES: [(&str, u32); 6] =
        [("i1", 1), ("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64), ("index", 64)];

    fn context() -> Context {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        layout_dialect::register(&registry);
        let context = Context::new();
        context.append_dialect_registry(&registry);
        context.load_all_available_dialects();
        context
    }

    /// The least and the greatest word, 0, 1 and -1, and what is beside them.
    fn edges(width: u32) -> Vec<i128> {
        let (least, greatest) = of_width(width);
        let mut all = vec![least, least + 1, -2, -1, 0, 1, 2, 7, greatest - 1, greatest];
        all.retain(|x| (least..=greatest).contains(x));
        all.sort_unstable();
        all.dedup();
        all
    }

    fn plain(value: i128, width: u32) -> i128 {
        value & ((1 << width) - 1)
    }

    fn wrap(value: i128, width: u32) -> i128 {
        let low = plain(value, width);
        if low >> (width - 1) == 1 { low - (1 << width) } else { low }
    }

    fn literal(value: i128, r#type: &str) -> String {
        match r#type {
            "i1" => if value == 0 { "false" } else { "true" }.to_owned(),
            _ => format!("{value} : {type}"),
        }
    }

    /// The slow definition of an operation on words, or `None` if it is poison or undefined.
    fn defined(name: &str, x: i128, y: i128, width: u32) -> Option<i128> {
        let (ux, uy) = (plain(x, width), plain(y, width));
        let found = match name {
            "arith.addi" => x + y,
            "arith.subi" => x - y,
            "arith.muli" => x * y,
            "arith.andi" => ux & uy,
            "arith.minui" => ux.min(uy),
            "arith.divui" => ux.checked_div(uy)?,
            "arith.remui" => ux.checked_rem(uy)?,
            "arith.shrui" if uy < i128::from(width) => ux >> uy,
            "arith.shrui" => return None,
            "arith.minsi" => x.min(y),
            "arith.maxsi" => x.max(y),
            other => panic!("no definition of {other}"),
        };
        Some(wrap(found, width))
    }

    /// An operand: any word, one that is known, or one of 0 and a greatest.
    #[derive(Clone, Copy)]
    enum Operand {
        Any,
        Is(i128),
        Natural(i128),
    }

    impl Operand {
        fn all(width: u32) -> Vec<Self> {
            let natural = of_width(width).1;
            let known = edges(width).into_iter().map(Self::Is);
            known
                .chain([Self::Any, Self::Natural(natural), Self::Natural(natural.min(1))])
                .collect()
        }

        fn values(self, words: &[i128]) -> Vec<i128> {
            match self {
                Self::Any => words.to_vec(),
                Self::Is(value) => vec![value],
                Self::Natural(most) => {
                    words.iter().copied().filter(|x| (0..=most).contains(x)).collect()
                }
            }
        }

        fn text(self, name: &str, r#type: &str) -> String {
            match self {
                Self::Any => format!("  %{name} = arith.addi %arg, %arg : {type}\n"),
                Self::Is(value) => {
                    format!("  %{name} = arith.constant {}\n", literal(value, r#type))
                }
                Self::Natural(most) => format!(
                    "  %{name}m = arith.constant {}\n  %{name}z = arith.constant {}\n  \
                     %{name}u = arith.maxsi %arg, %{name}z : {type}\n  \
                     %{name} = arith.minsi %{name}u, %{name}m : {type}\n",
                    literal(most, r#type),
                    literal(0, r#type),
                ),
            }
        }
    }

    /// Checks a value of each function of a module: the last result of an operation, or an argument of its body.
    fn check(
        text: &str,
        name: &str,
        argument: bool,
        values: &[Vec<i128>],
        wrong: &mut Vec<String>,
    ) {
        let context = context();
        let module = Module::parse(&context, text).unwrap_or_else(|| panic!("no module: {text}"));
        // SAFETY: the module lives to the end.
        let root = unsafe { OperationRef::from_raw(module.as_operation().to_raw()) };
        let functions = tree::inside(root, "func.func");
        assert_eq!(functions.len(), values.len(), "{text}");
        for (function, values) in functions.into_iter().zip(values) {
            let made = tree::all(function).into_iter().rfind(|&made| tree::name(made) == name);
            let made = made.unwrap_or_else(|| panic!("no {name}: {function}"));
            let value = match argument {
                true => tree::argument(tree::entry(made).expect("a body"), 0),
                false => result(made, 0),
            };
            let found = range(value, DEPTH);
            wrong.extend(
                values
                    .iter()
                    .find(|value| !(found.0..=found.1).contains(value))
                    .map(|value| format!("{name}: {value} is not in {found:?}: {function}")),
            );
        }
    }

    fn function(r#type: &str, body: &str) -> String {
        format!("func.func @f{{}}(%arg: {type}, %bit: i1) {{\n{body}  return\n}}\n")
    }

    fn numbered(texts: &[String]) -> String {
        let numbered = texts.iter().enumerate();
        numbered.map(|(at, text)| text.replacen("@f{}", &format!("@f{at}"), 1)).collect()
    }

    /// Every row, at the edges of each width. A row without a form fails.
    #[test]
    fn each_range_holds_at_the_edges_of_each_width() {
        let mut wrong = Vec::new();
        for (row, name) in ROWS.iter().flat_map(|row| row.operations.iter().map(move |n| (row, *n)))
        {
            for (r#type, width) in TYPES {
                let words = edges(width);
                let kinds = Operand::all(width);
                let (mut texts, mut values) = (Vec::new(), Vec::new());
                match row.gives {
                    BoundRule::Constant => {
                        for &word in &words {
                            let line = format!("  %r = {name} {}\n", literal(word, r#type));
                            texts.push(function(r#type, &line));
                            values.push(vec![word]);
                        }
                    }
                    BoundRule::Natural if r#type == "index" => {
                        let line = match name {
                            "gpu.lane_id" => "  %r = gpu.lane_id\n".to_owned(),
                            "gpu.subgroup_id" | "gpu.num_subgroups" | "gpu.subgroup_size" => {
                                format!("  %r = {name} : index\n")
                            }
                            _ => format!("  %r = {name} z\n"),
                        };
                        texts.push(function(r#type, &line));
                        values.push(vec![0, 1, i128::from(i32::MAX)]);
                    }
                    BoundRule::Same | BoundRule::Plain => {
                        for (to, bits) in TYPES {
                            let takes = match name.starts_with("arith.index_cast") {
                                true => (r#type == "index") != (to == "index"),
                                false if r#type == "index" || to == "index" => false,
                                false if name == "arith.trunci" => bits < width,
                                false => bits > width,
                            };
                            for &x in kinds.iter().filter(|_| takes) {
                                let line = format!("  %r = {name} %x : {type} to {to}\n");
                                texts.push(function(r#type, &(x.text("x", r#type) + &line)));
                                let of = |x: i128| match row.gives {
                                    BoundRule::Plain => wrap(plain(x, width), bits),
                                    _ => wrap(x, bits),
                                };
                                values.push(x.values(&words).into_iter().map(of).collect());
                            }
                        }
                    }
                    BoundRule::Choice => {
                        for &x in &kinds {
                            for &y in &kinds {
                                let line = format!("  %r = {name} %bit, %x, %y : {type}\n");
                                let lines = x.text("x", r#type) + &y.text("y", r#type) + &line;
                                texts.push(function(r#type, &lines));
                                values.push([x.values(&words), y.values(&words)].concat());
                            }
                        }
                    }
                    BoundRule::Counter => {
                        let steps = kinds.iter().filter(|step| match step {
                            Operand::Is(step) => *step > 0,
                            _ => true,
                        });
                        for (&step, order) in steps.flat_map(|s| [(s, ""), (s, "unsigned ")]) {
                            for &x in &kinds {
                                for &y in &kinds {
                                    let line = format!(
                                        "  scf.for {order}%i = %x to %y step %s : {type} {{ }}\n"
                                    );
                                    let lines = x.text("x", r#type)
                                        + &y.text("y", r#type)
                                        + &step.text("s", r#type)
                                        + &line;
                                    texts.push(function(r#type, &lines));
                                    let mut found = BTreeSet::new();
                                    for from in x.values(&words) {
                                        for to in y.values(&words) {
                                            for by in step.values(&words) {
                                                let mut now = from;
                                                for _ in 0..4 {
                                                    let below = match order {
                                                        "" => now < to,
                                                        _ => plain(now, width) < plain(to, width),
                                                    };
                                                    if !below {
                                                        break;
                                                    }
                                                    found.insert(now);
                                                    now = wrap(now + by, width);
                                                }
                                            }
                                        }
                                    }
                                    values.push(found.into_iter().collect());
                                }
                            }
                        }
                    }
                    BoundRule::Launch if r#type == "index" => {
                        let names =
                            |kind: &str| ["x", "y", "z"].map(|axis| format!("%{kind}{axis}"));
                        let ids = |kind| names(kind).join(", ");
                        let sizes =
                            |kind| names(kind).map(|name| format!("{name} = %arg")).join(", ");
                        texts.push(function(
                            r#type,
                            &format!(
                                "  gpu.launch blocks({}) in ({}) threads({}) in ({}) {{ gpu.terminator }}\n",
                                ids("b"),
                                sizes("g"),
                                ids("t"),
                                sizes("s")
                            ),
                        ));
                        values.push(vec![0, 1, i128::from(i32::MAX)]);
                    }
                    BoundRule::Natural | BoundRule::Launch => continue,
                    _ => {
                        for &x in &kinds {
                            for &y in &kinds {
                                let line = format!("  %r = {name} %x, %y : {type}\n");
                                let lines = x.text("x", r#type) + &y.text("y", r#type) + &line;
                                texts.push(function(r#type, &lines));
                                let (xs, ys) = (x.values(&words), y.values(&words));
                                let all = xs.iter().flat_map(|&x| ys.iter().map(move |&y| (x, y)));
                                values.push(
                                    all.filter_map(|(x, y)| defined(name, x, y, width)).collect(),
                                );
                            }
                        }
                    }
                }
                let body = matches!(row.gives, BoundRule::Counter | BoundRule::Launch);
                check(&numbered(&texts), name, body, &values, &mut wrong);
            }
        }
        wrong.truncate(10);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// A word of more than 64 bits has no range: its constant is not what an integer here holds.
    #[test]
    fn words_of_more_bits_have_no_range() {
        let mut wrong = Vec::new();
        let text = "func.func @f(%arg: i128) {\n  %x = arith.constant 36893488147419103232 : i128\n  \
                    %s = arith.constant 64 : i128\n  %q = arith.shrui %x, %s : i128\n  \
                    %r = arith.trunci %q : i128 to i64\n  return\n}\n";
        check(text, "arith.trunci", false, &[vec![2]], &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn the_page_of_ranges_lists_every_row() {
        let mut page = "# Ranges of indices\n\nThis page lists the facts of `layout-lower` about results and block arguments of upstream \
            operations, used to compute the coordinates of `layout.idx2crd` and the digits of indices in 32 bits. Words are read with a \
            sign; an index has 64 bits, and a word of more has no range. An operation that is not listed has any word of its type, \
            and flags (`nsw`, `nuw`, `exact`) give nothing. Steps are followed eight deep. \
            `UPDATE_EXPECT=1 cargo test -p layout-lowering ranges` writes this page from `src/lower/bounds.rs`, whose test \
            compares each row with a slow definition at the edges of i1, i8, i16, i32, i64 and index.\n\n\
            | operations | range | condition |\n|---|---|---|\n"
            .to_owned();
        for Row { operations, fact, condition, .. } in ROWS {
            page += &format!("| `{}` | {fact} | {condition} |\n", operations.join("`, `"));
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/FACTS.md");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, page).expect("the page is writable");
            return;
        }
        let found = std::fs::read_to_string(path).unwrap_or_default();
        let hint = "run `UPDATE_EXPECT=1 cargo test -p layout-lowering ranges`";
        assert!(found == page, "expected the table of ranges in FACTS.md; {hint}");
    }
}
