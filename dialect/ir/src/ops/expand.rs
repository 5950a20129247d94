//! Operations that expand to others: `layout.local_tile`, `layout.partition` and `layout.retile` to a divide, a
//! composition and a slice, `layout.partition_fragment` and `layout.make_fragment_like` to a `layout.alloc`, and
//! `layout.cooperative_copy` to the partition of two tiles and a `layout.copy`.
//!
//! | operation | written out |
//! |---|---|
//! | `local_tile %v(c), T` | `slice(zipped_divide(v, T), ((_,…), c))` |
//! | `partition %v(t), T` | `slice(composition(zipped_divide(v, shape(T)), <right_inverse(T), _>), (t, (_,…)))` |
//! | `partition %v(t), … of C` | `slice(composition(zipped_divide(v, tile), <thread_values, _>), ((t,_), (_,…)))` |
//! | `retile %f, C` | `slice(composition(zipped_divide(f, tile), <values, _>), (_, (0,_,…)))` |
//! | `cooperative_copy C(t) %a, %b` | `copy (partition %a(t), source of C), (partition %b(t), target of C)` |
//!
//! The canonicalizer writes them out, and so does the lowering, so that no other pass meets them.

use crate::ops::prelude::*;
use crate::{
    atoms::tiled::Retile,
    ops::{
        adaptor::declared,
        cooperative,
        index::kept,
        tiled::{self, Division},
    },
    pass::build::result,
};
use layout_algebra::{Term, Tiler};
use melior::ir::{Location, Operation, Value as Val, attribute::StringAttribute};

/// An operation written out.
pub(crate) struct Sliced {
    /// The tiler of a divide that reorders modes first.
    reorder: Option<Tiler>,
    /// The shape of the tiles, or `None` if the operation has a tiler.
    tile: Option<Tuple>,
    /// The layout that tiles are composed with.
    by: Option<Layout>,
    /// The coordinate of the slice, with a `?` for each operand.
    written: Pattern,
    /// The layout that is sliced.
    pub(crate) layout: TermValue,
    /// The coordinate, written out where an operand is a tuple.
    pub(crate) pattern: Pattern,
    /// The coordinate with the operands in its places.
    pub(crate) coord: CoordOf<Expr>,
}

/// The modes of a tile, for a coordinate in the places of tiles.
pub(crate) fn local_tile(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    tile(call, facts)?.kept(call, facts)
}

/// The modes of what one thread has of each tile.
pub(crate) fn partition(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    part(call, facts)?.kept(call, facts)
}

/// The registers of a fragment, as a copy has them.
pub(crate) fn retile(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    registers(call, facts)?.kept(call, facts)
}

impl Sliced {
    fn kept(&self, call: &Call<'_>, facts: &Facts) -> Result<Outcome, Violation> {
        kept(call, &self.layout, &self.pattern, &self.coord, facts)
    }
}

/// The steps that an operation of this name is short for, or `None` for other operations.
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
    let coord = CoordOf::Tuple(vec![at_constants(&tile), coord]);
    let [written, pattern] = [call.adaptor.pattern()?, pattern]
        .map(|pattern| Pattern::Tuple(vec![tile.clone(), pattern]));
    pattern.check(&shape_of(&layout)?, facts)?;
    Ok(Sliced { reorder: None, tile: None, by: None, written, layout, pattern, coord })
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
    let (division, (number, coord)) = both(tiled::division(call.adaptor), number)?;
    let Division { reorder, tile, by, has_values } = division;
    let layout = composed(call, reorder.as_ref(), &tile, &by, facts)?;
    let rest = whole(mode_rank(&layout, 1)?);
    // All of its values, where there are some.
    let coord = match has_values {
        true => CoordOf::Tuple(vec![coord, CoordOf::Any]),
        false => coord,
    };
    let coord = CoordOf::Tuple(vec![coord, at_constants(&rest)]);
    let [written, pattern] = [call.adaptor.pattern()?, number].map(|number| {
        let first = match has_values {
            true => Pattern::Tuple(vec![number, Pattern::Any]),
            false => number,
        };
        Pattern::Tuple(vec![first, rest.clone()])
    });
    pattern.check(&shape_of(&layout)?, facts)?;
    Ok(Sliced { reorder, tile: Some(tile), by: Some(by), written, layout, pattern, coord })
}

fn registers(call: &Call<'_>, facts: &Facts) -> Result<Sliced, Violation> {
    let Retile { tile, values } = tiled::retile(call.adaptor, call.operand(0)?)?;
    let layout = composed(call, None, &tile, &values, facts)?;
    let pattern = all_registers(mode_rank(&layout, 1)?);
    let (coord, written) = (at_constants(&pattern), pattern.clone());
    let (tile, by) = (Some(tile), Some(values));
    Ok(Sliced { reorder: None, tile, by, written, layout, pattern, coord })
}

/// The first operand in tiles, composed with what each thread has of one.
fn composed(
    call: &Call<'_>,
    reorder: Option<&Tiler>,
    tile: &Tuple,
    by: &Layout,
    facts: &Facts,
) -> Result<TermValue, Violation> {
    let step = |op, source, by| call.call(op, &[source, TermValue::Static(by)], facts);
    let mut source = call.operand(0)?.clone();
    if let Some(by) = reorder {
        source = step(Op::LogicalDivide, source, Value::Tiler(by.clone()))?;
    }
    let divided = step(Op::ZippedDivide, source, Value::Tuple(tile.clone()))?;
    step(Op::Composition, divided, Value::Tiler(by_thread(by)))
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
fn by_thread(by: &Layout) -> Tiler {
    Tiler::Tuple(vec![Tiler::Layout(by.clone()), Tiler::Any])
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

/// How many modes a mode has, or `None` for a leaf.
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

/// Writes out every `layout.cooperative_copy` inside of an operation, for passes that examine copies.
///
/// # Errors
///
/// The operation that cannot be, and why.
pub fn expand_copies<'c>(
    root: OperationRef<'c, 'c>,
) -> Result<(), (OperationRef<'c, 'c>, melior::Error)> {
    for operation in tree::inside(root, cooperative::NAME) {
        let b = Builder::before(operation);
        expand(operation, &mut |step| b.insert(step)).map_err(|error| (operation, error))?;
        tree::erase(operation);
    }
    Ok(())
}

/// Writes out every operation inside of another that is short for others.
///
/// # Errors
///
/// The operation that cannot be, and why.
pub fn expand_all<'c>(
    root: OperationRef<'c, 'c>,
) -> Result<(), (OperationRef<'c, 'c>, melior::Error)> {
    expand_copies(root)?;
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

/// Expands an operation: passes each step to `insert`, in order; the last one's result is the operation's, if it has
/// one. Nothing for operations without an expansion.
pub fn expand<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Result<Option<OperationRef<'c, 'c>>, melior::Error> {
    let name = tree::name(operation);
    if name == cooperative::NAME {
        return cooperative::write_out(operation, insert).map(Some);
    }
    if is_fragment(&name) {
        let r#type = result(operation, 0).r#type();
        let alloc = ops::new("alloc", operation.location()).results(&[r#type]);
        return Ok(Some(insert(alloc.build()?)));
    }
    let adaptor = Adaptor::of(operation);
    let written_out = || -> Result<Option<Sliced>, Violation> {
        let operands = adaptor.operands(true)?;
        let facts = declared(&operands)?;
        sliced(&name, &Call::new(&adaptor, operands), &facts).transpose()
    };
    let refused = |_| melior::Error::OperationBuild;
    let Some(sliced) = written_out().map_err(refused)? else { return Ok(None) };
    let location: Location<'c> = operation.location();
    let mut last = operand(operation, 0);
    let term = |value| TermAttribute::new(adaptor.context, &Term::Literal(value)).into();
    let divide = match sliced.tile {
        Some(tile) => term(Value::Tuple(tile)),
        None => adaptor.required("term").map_err(refused)?,
    };
    let steps = [
        sliced.reorder.map(|by| ("logical_divide", term(Value::Tiler(by)))),
        Some(("zipped_divide", divide)),
        sliced.by.map(|by| ("composition", term(Value::Tiler(by_thread(&by))))),
    ];
    for (name, by) in steps.into_iter().flatten() {
        let step = ops::new(name, location).operands(&[last]).attribute("term", by);
        last = first_result(insert(step.build()?));
    }
    let mut operands: Vec<Val<'c, 'c>> = vec![last];
    operands.extend((1..operation.operand_count()).map(|i| operand(operation, i)));
    let coord = StringAttribute::new(adaptor.context, &sliced.written.to_string());
    let slice = ops::new("slice", location).operands(&operands).attribute("coord", coord);
    Ok(Some(insert(slice.build()?)))
}
