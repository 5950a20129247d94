//! Operations that are short for others: `layout.local_tile`, `layout.partition` and `layout.retile` are a divide,
//! a composition and a slice, and `layout.partition_fragment` and `layout.make_fragment_like` a `layout.alloc`.
//!
//! | operation | written out |
//! |---|---|
//! | `local_tile %v(c), T` | `slice(zipped_divide(v, T), ((_,…), c))` |
//! | `partition %v(t), T` | `slice(composition(zipped_divide(v, shape(T)), <right_inverse(T), _>), (t, (_,…)))` |
//! | `partition %v(t), … of C` | `slice(composition(zipped_divide(v, tile), <thread_values, _>), ((t,_), (_,…)))` |
//! | `retile %f, C` | `slice(composition(zipped_divide(f, tile), <values, _>), (_, (0,_,…)))` |
//!
//! The canonicalizer writes them out, and so does the lowering, so that no other pass meets them.

use crate::{
    data::{
        attributes::TermAttribute, coordinate::Pattern, offsets::shape_of, term_value::TermValue,
    },
    diagnostics::{
        codes::Code,
        violation::{Violation, both},
    },
    ops::{
        self,
        adaptor::{Adaptor, declared},
        calls::{Arg, Call, Outcome},
        index::kept,
        tiled,
    },
    pass::tree,
};
use layout_algebra::{CoordOf, Expr, Facts, Layout, Nested, Op, Term, Tiler, Value};
use melior::ir::{
    Attribute, Location, Operation, OperationRef, Value as Val, ValueLike,
    attribute::StringAttribute, operation::OperationLike,
};

/// The operations that an operation is short for.
struct Steps {
    /// The tiler of a divide that reorders modes first.
    reorder: Option<Term>,
    /// The tiler of the divide.
    divide: Term,
    /// The term that the tiles are composed with.
    compose: Option<Term>,
    /// The coordinate of the slice.
    coord: Pattern,
}

/// The modes of a tile, for a coordinate in the places of tiles.
pub(crate) fn local_tile(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let Sliced { layout, pattern, coord } = tile(call, facts)?;
    kept(call, &layout, &pattern, &coord, facts)
}

/// The modes of what one thread has of each tile.
pub(crate) fn partition(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let Sliced { layout, pattern, coord } = part(call, facts)?;
    kept(call, &layout, &pattern, &coord, facts)
}

/// The layout that is sliced last where an operation is written out, and its coordinate.
pub(crate) struct Sliced {
    pub(crate) layout: TermValue,
    pub(crate) pattern: Pattern,
    pub(crate) coord: CoordOf<Expr>,
}

/// The slice in the last step of an operation of this name; none for other operations.
pub(crate) fn sliced(
    name: &str,
    call: &Call<'_>,
    facts: &Facts,
) -> Option<Result<Sliced, Violation>> {
    match name {
        "layout.local_tile" => Some(tile(call, facts)),
        "layout.partition" => Some(part(call, facts)),
        "layout.retile" => Some(registers(call, facts)),
        _ => None,
    }
}

fn tile(call: &Call<'_>, facts: &Facts) -> Result<Sliced, Violation> {
    let tiler = call
        .adaptor
        .optional_term("term")?
        .ok_or_else(|| Violation::new(Code::Operand, "a tiler", "none"))?;
    let divided = divided(call, tiler, facts);
    let ((pattern, coord), layout) = both(call.coordinate(1), divided)?;
    let tile = whole(mode_rank(&layout, 0)?);
    let pattern = Pattern::Tuple(vec![tile.clone(), pattern]);
    let coord = CoordOf::Tuple(vec![anything(&tile), coord]);
    pattern.check(&shape_of(&layout)?, facts)?;
    Ok(Sliced { layout, pattern, coord })
}

/// The operand divided by a tiler, or the modes that it does not divide.
fn divided(call: &Call<'_>, tiler: TermValue, facts: &Facts) -> Result<TermValue, Violation> {
    let source = call.operand(0)?.clone();
    let args = [(source, Arg::Operand(0)), (tiler, Arg::Term("term"))];
    call.with(args).algebra(Op::ZippedDivide, facts)
}

fn part(call: &Call<'_>, facts: &Facts) -> Result<Sliced, Violation> {
    let number = call.coordinate(1).and_then(|(pattern, coord)| match pattern {
        Pattern::Any | Pattern::Tuple(_) => {
            let expected = "the number of a thread, as in (%t)";
            let place = pattern.whole();
            Err(Violation::new(Code::CoordRank, expected, pattern).at(place))
        }
        _ => Ok((pattern, coord)),
    });
    let (division, (pattern, coord)) = both(tiled::division(call.adaptor), number)?;
    let source = match division.reorder {
        Some(by) => {
            let args = [call.operand(0)?.clone(), TermValue::Static(Value::Tiler(by))];
            call.call(Op::LogicalDivide, &args, facts)?
        }
        None => call.operand(0)?.clone(),
    };
    let divided = call.call(
        Op::ZippedDivide,
        &[source, TermValue::Static(Value::Tuple(division.tile))],
        facts,
    )?;
    let args = [divided, TermValue::Static(Value::Tiler(by_thread(division.by)))];
    let layout = call.call(Op::Composition, &args, facts)?;
    let rest = whole(mode_rank(&layout, 1)?);
    let coord = match division.has_values {
        true => CoordOf::Tuple(vec![coord, CoordOf::Any]),
        false => coord,
    };
    let coord = CoordOf::Tuple(vec![coord, anything(&rest)]);
    let pattern = Pattern::Tuple(vec![of_thread(division.has_values, pattern), rest]);
    pattern.check(&shape_of(&layout)?, facts)?;
    Ok(Sliced { layout, pattern, coord })
}

/// The registers of a fragment, as a copy has them.
pub(crate) fn retile(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    let Sliced { layout, pattern, coord } = registers(call, facts)?;
    kept(call, &layout, &pattern, &coord, facts)
}

fn registers(call: &Call<'_>, facts: &Facts) -> Result<Sliced, Violation> {
    let source = call.operand(0)?;
    let retile = tiled::retile(call.adaptor, source)?;
    let args = [source.clone(), TermValue::Static(Value::Tuple(retile.tile))];
    let divided = call.call(Op::ZippedDivide, &args, facts)?;
    let args = [divided, TermValue::Static(Value::Tiler(by_thread(retile.values)))];
    let layout = call.call(Op::Composition, &args, facts)?;
    let pattern = all_registers(mode_rank(&layout, 1)?);
    Ok(Sliced { coord: at_constants(&pattern), layout, pattern })
}

/// All values of a tile, and of the tiles all but the first mode's, which are one.
fn all_registers(rank: Option<usize>) -> Pattern {
    let rest = match whole(rank) {
        Pattern::Tuple(mut entries) => {
            if let Some(first) = entries.first_mut() {
                *first = Pattern::At(0);
            }
            Pattern::Tuple(entries)
        }
        _ => Pattern::At(0),
    };
    Pattern::Tuple(vec![Pattern::Any, rest])
}

/// The layout of what each thread has goes to the first of the modes of tile and rest.
fn by_thread(by: Layout) -> Tiler {
    Tiler::Tuple(vec![Tiler::Layout(by), Tiler::Any])
}

/// A thread's coordinate in the first mode: its number, and all of its values where there are some.
fn of_thread(has_values: bool, number: Pattern) -> Pattern {
    match has_values {
        true => Pattern::Tuple(vec![number, Pattern::Any]),
        false => number,
    }
}

/// `_` for a leaf, or one for each mode.
fn whole(rank: Option<usize>) -> Pattern {
    match rank {
        None => Pattern::Any,
        Some(rank) => Pattern::Tuple(vec![Pattern::Any; rank]),
    }
}

/// A pattern without operands as a coordinate.
fn at_constants(pattern: &Pattern) -> CoordOf<Expr> {
    match pattern {
        Pattern::Tuple(entries) => CoordOf::Tuple(entries.iter().map(at_constants).collect()),
        Pattern::At(value) => CoordOf::At(Expr::from(*value)),
        Pattern::Any | Pattern::Dynamic => CoordOf::Any,
    }
}

fn anything(pattern: &Pattern) -> CoordOf<Expr> {
    match pattern {
        Pattern::Tuple(entries) => CoordOf::Tuple(entries.iter().map(anything).collect()),
        _ => CoordOf::Any,
    }
}

/// How many modes a mode has; nothing for a leaf.
fn mode_rank(term_value: &TermValue, mode: usize) -> Result<Option<usize>, Violation> {
    let shape = shape_of(term_value)?;
    let entries = match &shape {
        Nested::Node(entries) => entries.as_slice(),
        leaf => std::slice::from_ref(leaf),
    };
    match entries.get(mode) {
        Some(Nested::Node(entries)) => Ok(Some(entries.len())),
        Some(Nested::Leaf(_)) => Ok(None),
        None => Err(Violation::new(Code::Mode, format!("a layout with a mode {mode}"), term_value)),
    }
}

/// The steps that an operation is short for; none for others.
fn steps(operation: OperationRef<'_, '_>) -> Option<Result<Steps, Violation>> {
    let name = tree::name(operation);
    let adaptor = Adaptor::of(operation);
    let written_out = || -> Result<Steps, Violation> {
        let operands = adaptor.operands(true)?;
        let facts = declared(&operands)?;
        let call = Call::new(&adaptor, operands);
        let source = call.operand(0)?;
        let divided = |source: &TermValue, by: Value| {
            call.call(Op::ZippedDivide, &[source.clone(), TermValue::Static(by)], &facts)
        };
        let (divide, compose, coord, reorder) = match name.as_str() {
            "layout.local_tile" => {
                let attribute = adaptor.required("term")?;
                let term = TermAttribute::try_from(attribute)
                    .map_err(|_| Violation::new(Code::Operand, "a layout term", attribute))?
                    .term()?;
                let tile = whole(mode_rank(&divided(source, term.eval()?)?, 0)?);
                let coord = Pattern::Tuple(vec![tile, adaptor.pattern()?]);
                return Ok(Steps { reorder: None, divide: term, compose: None, coord });
            }
            "layout.retile" => {
                let retile = tiled::retile(&adaptor, source)?;
                let divide = Value::Tuple(retile.tile);
                let rank = mode_rank(&divided(source, divide.clone())?, 1)?;
                (divide, retile.values, all_registers(rank), None)
            }
            _ => {
                let division = tiled::division(&adaptor)?;
                let reordered = match &division.reorder {
                    Some(by) => {
                        let by = TermValue::Static(Value::Tiler(by.clone()));
                        call.call(Op::LogicalDivide, &[source.clone(), by], &facts)?
                    }
                    None => source.clone(),
                };
                let divide = Value::Tuple(division.tile);
                let rest = whole(mode_rank(&divided(&reordered, divide.clone())?, 1)?);
                let number = of_thread(division.has_values, adaptor.pattern()?);
                let coord = Pattern::Tuple(vec![number, rest]);
                (divide, division.by, coord, division.reorder)
            }
        };
        let compose = Term::Literal(Value::Tiler(by_thread(compose)));
        let reorder = reorder.map(|by| Term::Literal(Value::Tiler(by)));
        Ok(Steps { reorder, divide: Term::Literal(divide), compose: Some(compose), coord })
    };
    SHORT.contains(&name.as_str()).then(written_out)
}

/// Divides, compositions and slices in one.
const SHORT: [&str; 3] = ["layout.local_tile", "layout.partition", "layout.retile"];

/// Registers whose layout follows.
const FRAGMENTS: [&str; 2] = ["layout.partition_fragment", "layout.make_fragment_like"];

/// Whether an operation is short for others.
pub fn is_short(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    SHORT.contains(&name.as_str()) || is_fragment(&name)
}

/// Whether operations of a name are a `layout.alloc`, whose type is their result's.
pub fn is_fragment(name: &str) -> bool {
    FRAGMENTS.contains(&name)
}

/// Writes out every operation inside of another that is short for others.
///
/// # Errors
///
/// The operation that cannot be, and why.
pub fn expand_all<'c>(
    root: OperationRef<'c, 'c>,
) -> Result<(), (OperationRef<'c, 'c>, melior::Error)> {
    use crate::pass::build::{Builder, result};
    for operation in tree::all(root) {
        if !is_short(operation) {
            continue;
        }
        let b = Builder::before(operation);
        let last = expand(operation, &mut |step| b.insert(step));
        if let Some(last) = last.map_err(|error| (operation, error))? {
            tree::replace_uses(result(operation, 0), result(last, 0));
            tree::erase(operation);
        }
    }
    Ok(())
}

/// Writes an operation out: each step is handed to `insert`, in order; the last one's result is the
/// operation's. Nothing for operations that are short for nothing.
///
/// # Errors
///
/// The errors of its verifier; MLIR's, for an operation that it does not build.
pub fn expand<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Result<Option<OperationRef<'c, 'c>>, melior::Error> {
    if is_fragment(&tree::name(operation)) {
        let r#type = crate::pass::build::result(operation, 0).r#type();
        let alloc = ops::new("alloc", operation.location()).results(&[r#type]);
        return Ok(Some(insert(alloc.build()?)));
    }
    let Some(steps) = steps(operation) else { return Ok(None) };
    let steps = steps.map_err(|_| melior::Error::OperationBuild)?;
    let context = crate::pass::build::context_of(operation);
    let location: Location<'c> = operation.location();
    let mut source = crate::pass::build::operand(operation, 0);
    if let Some(reorder) = &steps.reorder {
        let divide = ops::new("logical_divide", location).operands(&[source]);
        let reordered = insert(divide.term("term", reorder).build()?);
        source = crate::pass::build::first_result(reordered);
    }
    let mut last = insert(
        ops::new("zipped_divide", location)
            .operands(&[source])
            .term("term", &steps.divide)
            .build()?,
    );
    if let Some(compose) = &steps.compose {
        let divided = crate::pass::build::first_result(last);
        last = insert(
            ops::new("composition", location).operands(&[divided]).term("term", compose).build()?,
        );
    }
    let mut operands: Vec<Val<'c, 'c>> = vec![crate::pass::build::first_result(last)];
    operands
        .extend((1..operation.operand_count()).map(|i| crate::pass::build::operand(operation, i)));
    let coord: Attribute<'c> = StringAttribute::new(context, &steps.coord.to_string()).into();
    let slice = ops::new("slice", location).operands(&operands).attribute("coord", coord);
    Ok(Some(insert(slice.build()?)))
}
