//! The grid of a kernel: integers, or expressions over the dynamic sizes of its views, parsed with the algebra's grammar;
//! and the launches with that grid.

use layout_algebra::{Expr, Facts, Interpreter, Nested, Value, Values, evaluate, evaluate_with};
use layout_dialect::{
    ViewType,
    build::{Builder, Val, first_result},
    tree,
};
use melior::ir::{
    Attribute, Type, ValueLike,
    attribute::{
        DenseI32ArrayAttribute, DenseI64ArrayAttribute, DictionaryAttribute, IntegerAttribute,
    },
};
use std::collections::BTreeSet;

/// Why a grid cannot be computed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("expected {expected}, found {found}")]
    Refused { expected: &'static str, found: String },
    #[error("cannot build the grid: {0}")]
    Ir(#[from] melior::Error),
}

/// Blocks along one dimension.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Blocks {
    /// So many.
    Known(i64),
    /// The run-time value of an expression of sizes.
    AtRunTime(Expr),
}

impl std::fmt::Display for Blocks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(blocks) => write!(f, "{blocks}"),
            Self::AtRunTime(expression) => write!(f, "{expression}"),
        }
    }
}

/// Launches a kernel of a module, of blocks and threads along x, y and z.
pub(crate) fn launch<'c>(
    b: &Builder<'c>,
    (module, kernel): (&str, &str),
    extents: [Val<'c>; 6],
    arguments: &[Val<'c>],
) -> Result<(), melior::Error> {
    let mut all = extents.to_vec();
    // The kernel's operands are known once it is lowered.
    all.push(b.constant(b.integer(32), 0)?);
    all.extend_from_slice(arguments);
    let count = i32::try_from(arguments.len()).unwrap_or(i32::MAX);
    let segments = [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, count, 0];
    // As text, with what a name needs to be one.
    let path = format!("@{}::@{}", b.string(module), b.string(kernel));
    let path = Attribute::parse(b.context(), &path).ok_or(melior::Error::AttributeParse(path))?;
    let attributes = [
        ("kernel", path),
        ("operandSegmentSizes", DenseI32ArrayAttribute::new(b.context(), &segments).into()),
    ];
    b.operation("gpu.launch_func", &all, &[], &attributes, vec![])?;
    Ok(())
}

/// The blocks along x, y and z that a kernel's facts say; one where it says fewer.
pub(crate) fn read(grid: Attribute<'_>) -> Result<[Blocks; 3], Error> {
    if let Ok(array) = DenseI64ArrayAttribute::try_from(grid) {
        return Ok([array.element(0)?, array.element(1)?, array.element(2)?].map(Blocks::Known));
    }
    let each = tree::elements(grid).unwrap_or_default();
    let blocks = each.into_iter().map(|blocks| {
        if let Some(text) = tree::text(blocks) {
            return expression(&text);
        }
        Ok::<_, Error>(Blocks::Known(IntegerAttribute::try_from(blocks)?.value()))
    });
    let mut blocks: Vec<Blocks> = blocks.collect::<Result<_, _>>()?;
    if !blocks.is_empty() {
        blocks.resize(blocks.len().max(3), Blocks::Known(1));
    }
    blocks
        .try_into()
        .map_err(|_| Error::Refused { expected: "a grid of x, y and z", found: grid.to_string() })
}

/// An expression of sizes, as text.
pub(crate) fn expression(text: &str) -> Result<Blocks, Error> {
    match evaluate(text, &mut Facts::new()) {
        Ok(Value::Int(blocks)) => {
            Ok(blocks.as_constant().map_or(Blocks::AtRunTime(blocks), Blocks::Known))
        }
        _ => Err(Error::Refused {
            expected: "blocks as an integer of sizes",
            found: text.to_owned(),
        }),
    }
}

/// How many blocks the device of a kernel's chip runs at once, where the kernel's facts say that these take all tiles.
pub(crate) fn limit(facts: DictionaryAttribute<'_>) -> Option<i64> {
    facts.element_by_name("grid_limit")?;
    let chip = layout_schedule::Chip::named(&facts.element_by_name("chip").and_then(tree::text)?)?;
    let cluster = facts.element_by_name("cluster").map(IntegerAttribute::try_from);
    Some(chip.blocks_at_once(cluster.and_then(Result::ok).map_or(1, |cluster| cluster.value())))
}

/// The name of each mode's extent in a shape's text, where that is a size.
pub(crate) fn extents(shape: &str) -> Vec<Option<String>> {
    let mut facts = Facts::new();
    let modes = match evaluate(shape, &mut facts) {
        Ok(Value::Tuple(Nested::Node(modes))) => modes,
        Ok(Value::Tuple(mode)) => vec![mode],
        Ok(Value::Int(extent)) => vec![Nested::Leaf(extent)],
        _ => return Vec::new(),
    };
    let name = |mode: Nested<Expr>| {
        let Nested::Leaf(extent) = mode else { return None };
        let [name] = &extent.symbols()[..] else { return None };
        facts.symbol(name).is_ok_and(|own| own == extent).then(|| name.to_string())
    };
    modes.into_iter().map(name).collect()
}

/// The sizes of a kernel's views, by the names that its facts have them by.
pub(crate) struct Sizes<'c> {
    b: Builder<'c>,
    known: Vec<(String, Val<'c>)>,
}

impl<'c> Sizes<'c> {
    /// Those of views that are a function's arguments, as facts describe these.
    pub(crate) fn of(
        b: Builder<'c>,
        facts: DictionaryAttribute<'c>,
        arguments: &[Val<'c>],
    ) -> Result<Self, Error> {
        let mut known: Vec<(String, Val<'c>)> = Vec::new();
        let described = facts.element_by_name("args").and_then(tree::elements).unwrap_or_default();
        for (own, &view) in described.into_iter().zip(arguments) {
            let own = DictionaryAttribute::try_from(own)?;
            let shape = own.element_by_name("shape");
            let shape = shape.and_then(tree::text);
            let names = shape.map(|shape| extents(&shape)).unwrap_or_default();
            for (mode, extent) in names.into_iter().enumerate() {
                if let Some(extent) = extent.filter(|extent| known.iter().all(|(n, _)| n != extent))
                {
                    known.push((extent, size(&b, view, mode)?));
                }
            }
        }
        Ok(Self { b, known })
    }

    /// The value of an expression of them; every size is at least 1.
    pub(crate) fn value(&self, blocks: &Expr) -> Result<Val<'c>, Error> {
        let mut built = Built { sizes: self, error: None };
        let value = blocks.interpret(&mut built);
        match (value, built.error) {
            (_, Some(error)) => Err(error.into()),
            (Some(value), None) => Ok(self.index(value)?),
            (None, None) => Err(Error::Refused {
                expected: "a grid of sizes that the kernel's views have",
                found: blocks.to_string(),
            }),
        }
    }

    fn index(&self, value: Index<'c>) -> Result<Val<'c>, melior::Error> {
        match value {
            Index::Known(value) => self.b.constant(Type::index(self.b.context()), value),
            Index::At(value) => Ok(value),
        }
    }
}

/// An `index` on its way into the IR.
#[derive(Clone, Copy)]
enum Index<'c> {
    Known(i64),
    At(Val<'c>),
}

/// Writes an expression as operations.
struct Built<'a, 'c> {
    sizes: &'a Sizes<'c>,
    error: Option<melior::Error>,
}

impl<'c> Built<'_, 'c> {
    fn binary(
        &mut self,
        name: &str,
        a: Index<'c>,
        b: Index<'c>,
        known: impl FnOnce(i64, i64) -> Option<i64>,
    ) -> Option<Index<'c>> {
        if let (Index::Known(a), Index::Known(b)) = (a, b) {
            return known(a, b).map(Index::Known);
        }
        let operands = self.sizes.index(a).and_then(|a| Ok((a, self.sizes.index(b)?)));
        match operands.and_then(|(a, b)| self.sizes.b.binary(name, a, b)) {
            Ok(value) => Some(Index::At(value)),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }
}

impl<'c> Interpreter for Built<'_, 'c> {
    type Value = Index<'c>;

    fn constant(&mut self, value: i64) -> Option<Index<'c>> {
        Some(Index::Known(value))
    }

    fn symbol(&mut self, name: &str, divisor: i64) -> Option<Index<'c>> {
        let own = self.sizes.known.iter().find(|(own, _)| own == name)?.1;
        self.floor_div(&Index::At(own), &Index::Known(divisor))
    }

    fn plus(&mut self, a: &Index<'c>, b: &Index<'c>) -> Option<Index<'c>> {
        match (a, b) {
            (Index::Known(0), other) | (other, Index::Known(0)) => Some(*other),
            _ => self.binary("arith.addi", *a, *b, i64::checked_add),
        }
    }

    fn times(&mut self, a: &Index<'c>, b: &Index<'c>) -> Option<Index<'c>> {
        match (a, b) {
            (Index::Known(1), other) | (other, Index::Known(1)) => Some(*other),
            _ => self.binary("arith.muli", *a, *b, i64::checked_mul),
        }
    }

    fn floor_div(&mut self, a: &Index<'c>, b: &Index<'c>) -> Option<Index<'c>> {
        match b {
            Index::Known(1) => Some(*a),
            _ => self.binary("arith.divui", *a, *b, i64::checked_div_euclid),
        }
    }

    fn min(&mut self, a: &Index<'c>, b: &Index<'c>) -> Option<Index<'c>> {
        self.binary("arith.minui", *a, *b, |a, b| Some(a.min(b)))
    }
}

/// The blocks along x, y and z, where sizes by name are numbers; `None` where one is not known.
pub(crate) fn at_sizes(
    grid: Attribute<'_>,
    sizes: &dyn Fn(&str) -> Option<i64>,
) -> Option<[i64; 3]> {
    let mut known = [1; 3];
    for (known, blocks) in known.iter_mut().zip(read(grid).ok()?) {
        *known = match blocks {
            Blocks::Known(blocks) => blocks,
            Blocks::AtRunTime(expression) => number(&expression, sizes)?,
        };
    }
    Some(known)
}

/// The value of an expression of sizes, as text. A divisor may be a size.
pub(crate) fn value(text: &str, sizes: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let values = names(text).into_iter();
    let values = values.map(|name| Some((name.to_owned(), sizes(name)?.to_string())));
    match evaluate_with(text, &mut Facts::new(), &values.collect::<Option<_>>()?) {
        Ok(Value::Int(value)) => value.as_constant(),
        _ => None,
    }
}

/// The names of sizes in the text of an expression: its words that are no functions.
pub(crate) fn names(text: &str) -> BTreeSet<&str> {
    let is_other = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let mut rest = text;
    let mut all = BTreeSet::new();
    while !rest.is_empty() {
        let start = rest.find(|letter| !is_other(letter)).unwrap_or(rest.len());
        rest = &rest[start..];
        let (word, after) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        rest = after;
        if !word.starts_with(|letter: char| letter.is_ascii_digit())
            && !word.is_empty()
            && !after.trim_start().starts_with('(')
        {
            all.insert(word);
        }
    }
    all
}

/// Whether a text is a name, rather than an expression of names.
pub(crate) fn is_name(text: &str) -> bool {
    names(text).first() == Some(&text.trim())
}

/// Checks the sizes that a kernel lists: each is a name, or an expression of these names, of its numbers by value and of
/// integers.
pub(crate) fn check_sizes(sizes: &[String], numbers: &[String]) -> Result<(), Error> {
    let known: BTreeSet<&str> =
        sizes.iter().filter(|size| is_name(size)).chain(numbers).map(|name| name.trim()).collect();
    let refused =
        |expected, text: &str| Err(Error::Refused { expected, found: format!("{text:?}") });
    for text in sizes {
        if !names(text).is_subset(&known) {
            return refused("sizes that are names, or expressions of other sizes that are", text);
        }
        // An expression may have no value at some sizes, such as a quotient by their difference.
        let is_computed = [1, 2, 3, 64].iter().any(|&size| value(text, &|_| Some(size)).is_some());
        if !is_computed {
            let expected = "sizes that are names or expressions of them (+, -, *, ceil_div, floor_div, mod, min, max)";
            return refused(expected, text);
        }
    }
    Ok(())
}

fn number(blocks: &Expr, sizes: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let names = blocks.symbols();
    let mut facts = Facts::new();
    for name in &names {
        facts.declare(name).ok()?;
    }
    let values = names.iter().map(|name| Some((&**name, sizes(name)?)));
    let values = Values::new(&facts, values.collect::<Option<Vec<_>>>()?).ok()?;
    match Value::Int(blocks.clone()).substitute(&values).ok()? {
        Value::Int(blocks) => Some(blocks),
        _ => None,
    }
}

/// The numbers that a grid divides a size by.
pub(crate) fn divisors(grid: Attribute<'_>, size: &str) -> BTreeSet<i64> {
    let mut found = Divisors { size, found: BTreeSet::new() };
    for blocks in read(grid).into_iter().flatten() {
        if let Blocks::AtRunTime(expression) = blocks {
            expression.interpret(&mut found);
        }
    }
    found.found
}

/// Notes what divides expressions of a size. A value is whether the size is in it, and the number that it is.
struct Divisors<'s> {
    size: &'s str,
    found: BTreeSet<i64>,
}

impl Interpreter for Divisors<'_> {
    type Value = (bool, Option<i64>);

    fn constant(&mut self, value: i64) -> Option<Self::Value> {
        Some((false, Some(value)))
    }

    fn symbol(&mut self, name: &str, _: i64) -> Option<Self::Value> {
        Some((name == self.size, None))
    }

    fn plus(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value> {
        let sum = a.1.zip(b.1).and_then(|(a, b)| a.checked_add(b));
        Some((a.0 || b.0, sum))
    }

    fn times(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value> {
        let product = a.1.zip(b.1).and_then(|(a, b)| a.checked_mul(b));
        Some((a.0 || b.0, product))
    }

    fn floor_div(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value> {
        if a.0 {
            self.found.extend(b.1);
        }
        Some((a.0 || b.0, None))
    }

    fn min(&mut self, a: &Self::Value, b: &Self::Value) -> Option<Self::Value> {
        Some((a.0 || b.0, None))
    }
}

/// The extent of a view's mode.
pub(crate) fn size<'c>(b: &Builder<'c>, view: Val<'c>, mode: usize) -> Result<Val<'c>, Error> {
    let term_value = ViewType::try_from(view.r#type())?.term_value().ok();
    let rank = term_value.and_then(|term_value| term_value.rank()).unwrap_or(1);
    if rank == 1 {
        return Ok(first_result(b.inferred("layout.size", &[view], &[])?));
    }
    let pattern: Vec<&str> = (0..rank).map(|i| if i == mode { "_" } else { "0" }).collect();
    let pattern = b.string(&format!("({})", pattern.join(",")));
    let own = first_result(b.inferred("layout.slice", &[view], &[("coord", pattern)])?);
    Ok(first_result(b.inferred("layout.size", &[own], &[])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Expr {
        match expression(text) {
            Ok(Blocks::AtRunTime(expression)) => expression,
            other => panic!("expected an expression of sizes, found {other:?}"),
        }
    }

    #[test]
    fn extents_of_shapes_are_names() {
        let names = |shape| extents(shape).into_iter().map(Option::unwrap_or_default);
        assert!(names("(m,(8,4),batch)").eq(["m", "", "batch"]));
        assert!(names("(2*m,4096)").eq(["", ""]));
        assert!(names("m").eq(["m"]));
    }

    #[test]
    fn expressions_are_numbers_at_sizes() {
        let sizes = |name: &str| (name == "m").then_some(65);
        assert_eq!(number(&of("ceil_div(m,64)*ceil_div(m*2,128)*1"), &sizes), Some(4));
        assert_eq!(number(&of("ceil_div(n,64)"), &sizes), None);
        assert_eq!(expression("1*128").ok(), Some(Blocks::Known(128)));
        let refused = "expected blocks as an integer of sizes, found ceil_div(m,0)";
        assert_eq!(expression("ceil_div(m,0)").map_err(|e| e.to_string()), Err(refused.to_owned()));
    }

    #[test]
    fn sizes_are_names_or_expressions_of_them() {
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let check = |sizes: &[&str]| {
            check_sizes(&all(sizes), &all(&["step"])).map_err(|error| error.to_string())
        };
        assert_eq!(check(&["h", "2*h+1", "ceil_div(h,step)", "max(h-1,mod(h, 3))", "128"]), Ok(()));
        assert_eq!(
            check(&["2*oh+1"]),
            Err("expected sizes that are names, or expressions of other sizes that are, found \"2*oh+1\"".to_owned())
        );
        for text in ["h*", "sqrt(h)", "(h,h)", "h:1", ""] {
            let expected = "sizes that are names or expressions of them (+, -, *, ceil_div, floor_div, mod, min, max)";
            assert_eq!(check(&["h", text]), Err(format!("expected {expected}, found {text:?}")));
        }
        assert!(is_name(" h ") && !is_name("2*h") && !is_name("7") && !is_name("min(h,w)"));
        let sizes = |name: &str| (name == "h").then_some(7);
        assert_eq!(value("max(h,3)-min(h,3)+mod(h,4)*floor_div(h,h)", &sizes), Some(7));
        assert_eq!(value("ceil_div(h,h-7)", &sizes), None);
    }

    #[test]
    fn what_divides_a_size_is_found() {
        let mut found = Divisors { size: "n", found: BTreeSet::new() };
        of("ceil_div(m,64)*ceil_div(ceil_div(n,16),2)*2").interpret(&mut found);
        assert_eq!(found.found, BTreeSet::from([32]));
    }
}
