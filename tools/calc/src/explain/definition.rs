//! Operations that are defined by others, as terms over the operands at hand.

use layout_algebra::{Law, Op, Result, Term, Tiler, Tuple, Value};

/// The definition of an operation on some values.
pub(super) struct Definition {
    /// The defining identity, with A, B, C for the operands.
    pub rule: String,
    /// Names and their terms, in order; the last is the result.
    pub lines: Vec<(String, Term)>,
}

impl Definition {
    /// Whether the definition gives this very result; one error stands for any other.
    fn agrees(&self, result: &Result<Value>) -> bool {
        let found = self.lines.last().map(|(_, term)| term.eval());
        match (found, result) {
            (Some(Ok(found)), Ok(value)) => found == *value,
            (Some(Err(_)), Err(_)) => true,
            _ => false,
        }
    }
}

/// CuTe's own definition: the same as that of the catalogue where the extents of A are one number, or
/// the tile divides them.
const DIVIDE_OF_SHAPE: &str = "composition(A, make_layout(B, complement(B, shape(coalesce(A)))))";

/// The definition of an operation, if one gives the result for these operands.
pub(super) fn of(op: Op, values: &[Value], result: &Result<Value>) -> Option<Definition> {
    let candidates = match op {
        Op::Composition => [by_mode(op, values), None],
        Op::LogicalDivide => [
            by_mode(op, values).or_else(|| from_catalogue(op, values)),
            identity(op, values, DIVIDE_OF_SHAPE),
        ],
        Op::LogicalProduct => [by_mode(op, values).or_else(|| product(values)), None],
        Op::TiledDivide => [opened(op, Op::ZippedDivide, values, false), None],
        Op::TiledProduct => [opened(op, Op::ZippedProduct, values, false), None],
        Op::FlatDivide => [opened(op, Op::ZippedDivide, values, true), None],
        Op::FlatProduct => [opened(op, Op::ZippedProduct, values, true), None],
        Op::BlockedProduct => [interleaved(op, values, [0, 1]), None],
        Op::RakedProduct => [interleaved(op, values, [1, 0]), None],
        Op::Recast => [recast(values), None],
        Op::TileToShape => [from_catalogue(op, &ordered(values)), None],
        _ => [from_catalogue(op, values), None],
    };
    candidates.into_iter().flatten().find(|definition| definition.agrees(result))
}

/// The identity of the table of operations.
fn from_catalogue(op: Op, values: &[Value]) -> Option<Definition> {
    match op.row().law {
        Law::Is(text) => identity(op, values, text),
        Law::Such(_) => None,
    }
}

/// `op(A, B, …)` is a term.
fn identity(op: Op, values: &[Value], text: &str) -> Option<Definition> {
    let names = letters(values);
    let term = bind(text, &names)?;
    let shown: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
    let rule = format!("{}({}) = {text}", op.name(), shown.join(", "));
    Some(Definition { rule, lines: vec![(String::new(), term)] })
}

/// `logical_product(A, B)` of two layouts: its bound is a product of numbers, which no term is.
fn product(values: &[Value]) -> Option<Definition> {
    let mut names = letters(values);
    let bound = |text| match bind(text, &names)?.eval().ok()? {
        Value::Int(value) => Some(value),
        _ => None,
    };
    let bound = bound("size(A)")?.checked_mul(bound("cosize(B)")?)?;
    names.push(("N".to_owned(), Value::Int(bound)));
    let identity = "make_layout(A, composition(complement(A, N), B))";
    Some(Definition {
        rule: format!("logical_product(A, B) = {identity}, N = size(A) * cosize(B)"),
        lines: vec![
            ("N".to_owned(), Term::Literal(Value::Int(bound))),
            (String::new(), bind(identity, &names)?),
        ],
    })
}

/// With a tuple of tilers: mode by mode.
fn by_mode(op: Op, values: &[Value]) -> Option<Definition> {
    let [_, tiler] = values else { return None };
    let Tiler::Tuple(entries) = tiler.tiler().ok()? else { return None };
    let mut names = letters(values);
    // A composition drops the modes past the tuple; divides and products keep them.
    let rank = match op {
        Op::Composition => entries.len(),
        _ => rank(&values[0])?,
    };
    let (mut modes, mut shown) = (Vec::new(), Vec::new());
    for mode in 0..rank {
        match entries.get(mode) {
            None | Some(Tiler::Any) => {
                modes.push(format!("get(A, {mode})"));
                shown.push(format!("A{mode}"));
            }
            Some(entry) => {
                names.push((format!("B{mode}"), tiler_value(entry)));
                modes.push(format!("{}(get(A, {mode}), B{mode})", op.name()));
                shown.push(format!("{}(A{mode}, B{mode})", op.name()));
            }
        }
    }
    let term = bind(&format!("make_layout({})", modes.join(", ")), &names)?;
    let tilers: Vec<_> = (0..entries.len()).map(|mode| format!("B{mode}")).collect();
    Some(Definition {
        rule: format!(
            "{}(A, <{}>) = make_layout({}), mode by mode",
            op.name(),
            tilers.join(", "),
            shown.join(", ")
        ),
        lines: vec![(String::new(), term)],
    })
}

/// The modes of the rests, and of the tiles, as modes of their own.
fn opened(op: Op, from: Op, values: &[Value], both: bool) -> Option<Definition> {
    let mut names = letters(values);
    let zipped = bind(&format!("{}(A, B)", from.name()), &names)?;
    let value = zipped.eval().ok()?;
    names.push(("Z".to_owned(), value));
    let part = |mode: usize, open: bool| -> Option<Vec<String>> {
        let whole = format!("get(Z, {mode})");
        let value = bind(&whole, &names)?.eval().ok()?;
        let nested = matches!(&value, Value::Layout(layout) if !layout.is_leaf());
        Some(match open && nested {
            true => (0..rank(&value)?).map(|i| format!("get(Z, {mode}, {i})")).collect(),
            false => vec![whole],
        })
    };
    let modes = [part(0, both)?, part(1, true)?].concat().join(", ");
    let opened = if both { "both modes" } else { "the second mode" };
    Some(Definition {
        rule: format!("{}(A, B) = {}(A, B) with {opened} opened", op.name(), from.name()),
        lines: vec![
            ("Z".to_owned(), zipped),
            (String::new(), bind(&format!("make_layout({modes})"), &names)?),
        ],
    })
}

/// `blocked_product` and `raked_product` of layouts of one rank.
fn interleaved(op: Op, values: &[Value], [first, second]: [usize; 2]) -> Option<Definition> {
    let [block, times] = values else { return None };
    let rank = rank(block)?;
    let flat = |value: &Value| matches!(value, Value::Layout(layout) if layout.is_leaf());
    if self::rank(times)? != rank || flat(block) || flat(times) {
        return None;
    }
    let mut names = letters(values);
    let product = bind("logical_product(A, B)", &names)?;
    names.push(("P".to_owned(), product.eval().ok()?));
    let modes: Vec<_> = (0..rank)
        .map(|i| format!("make_layout(get(P, {first}, {i}), get(P, {second}, {i}))"))
        .collect();
    let names_of = ["A's", "B's"];
    Some(Definition {
        rule: format!(
            "{}(A, B): each mode is {} and {} in P = logical_product(A, B)",
            op.name(),
            names_of[first],
            names_of[second]
        ),
        lines: vec![
            ("P".to_owned(), product),
            (String::new(), bind(&format!("make_layout({})", modes.join(", ")), &names)?),
        ],
    })
}

/// `recast` by the quotient of the widths: first to their common part, then to the new width.
fn recast(values: &[Value]) -> Option<Definition> {
    let &[_, Value::Int(old), Value::Int(new)] = values else { return None };
    if old < 1 || new < 1 {
        return None;
    }
    let (mut common, mut rest) = (old, new);
    while rest != 0 {
        (common, rest) = (rest, common % rest);
    }
    let (down, up) = (old / common, new / common);
    let text = match (down, up) {
        (_, 1) => format!("downcast(A, {down})"),
        (1, _) => format!("upcast(A, {up})"),
        _ => format!("upcast(downcast(A, {down}), {up})"),
    };
    let term = bind(&text, &letters(values))?;
    let rule = format!("recast(A, {old}, {new}) = {text}, as {old}/{new} is {down}/{up}");
    Some(Definition { rule, lines: vec![(String::new(), term)] })
}

/// The operands of `tile_to_shape`, with the order that is meant when none is given.
fn ordered(values: &[Value]) -> Vec<Value> {
    let mut values = values.to_vec();
    if let [_, Value::Tuple(shape)] = &values[..] {
        let order = (0..).take(shape.rank()).map(Tuple::Leaf).collect();
        values.push(Value::Tuple(Tuple::Node(order)));
    }
    values
}

/// The operands as A, B, C.
fn letters(values: &[Value]) -> Vec<(String, Value)> {
    ('A'..='Z').map(String::from).zip(values.iter().cloned()).collect()
}

/// A term with names for values.
fn bind(text: &str, names: &[(String, Value)]) -> Option<Term> {
    Term::parse_with(text, &|name| {
        names.iter().find(|(bound, _)| bound == name).map(|(_, value)| Term::Literal(value.clone()))
    })
    .ok()
}

fn rank(value: &Value) -> Option<usize> {
    match value {
        Value::Layout(layout) => Some(layout.rank()),
        Value::Composed(composed) => Some(composed.inner.rank()),
        _ => None,
    }
}

fn tiler_value(tiler: &Tiler) -> Value {
    match tiler {
        Tiler::Layout(layout) => Value::Layout(layout.clone()),
        other => Value::Tiler(other.clone()),
    }
}
