//! Operations that are short for several: `layout.local_tile` and `layout.partition` are a divide, a
//! composition and a slice.
//!
//! | operation | written out |
//! |---|---|
//! | `local_tile %v(c), T` | `slice(zipped_divide(v, T), ((_,…), c))` |
//! | `partition %v(t), T` | `slice(composition(zipped_divide(v, shape(T)), <right_inverse(T), _>), (t, (_,…)))` |
//!
//! The canonicalizer writes them out, and so does the lowering, so that no other pass meets them.

use crate::{
    data::{attributes::TermAttribute, coordinate::Pattern, datum::Datum, offsets::shape_of},
    diagnostics::{
        codes::Code,
        violation::{Violation, both},
    },
    ops::{
        self,
        calls::{Arg, Call, Outcome},
        index::kept,
        subject::Subject,
    },
    pass::tree,
};
use layout_algebra::{CoordOf, Expr, Facts, Layout, Nested, Op, Term, Tiler, Tuple, Value};
use melior::ir::{
    Attribute, Location, Operation, OperationRef, Value as Val, attribute::StringAttribute,
    operation::OperationLike,
};

/// What an operation is short for.
struct Steps {
    /// The tiler of the divide.
    divide: Term,
    /// What the tiles are composed with.
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

/// What is sliced last where an operation is written out, and at what coordinate.
pub(crate) struct Sliced {
    pub(crate) layout: Datum,
    pub(crate) pattern: Pattern,
    pub(crate) coord: CoordOf<Expr>,
}

/// What the last step of an operation of this name slices; nothing for other operations.
pub(crate) fn sliced(
    name: &str,
    call: &Call<'_>,
    facts: &Facts,
) -> Option<Result<Sliced, Violation>> {
    match name {
        "layout.local_tile" => Some(tile(call, facts)),
        "layout.partition" => Some(part(call, facts)),
        _ => None,
    }
}

fn tile(call: &Call<'_>, facts: &Facts) -> Result<Sliced, Violation> {
    let tiler = call
        .subject
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
fn divided(call: &Call<'_>, tiler: Datum, facts: &Facts) -> Result<Datum, Violation> {
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
    let ((shape, inverse), (pattern, coord)) = both(threads(call.subject), number)?;
    let args = [call.operand(0)?.clone(), Datum::Static(Value::Tuple(shape))];
    let divided = call.call(Op::ZippedDivide, &args, facts)?;
    let args = [divided, Datum::Static(Value::Tiler(by_thread(inverse)))];
    let layout = call.call(Op::Composition, &args, facts)?;
    let rest = whole(mode_rank(&layout, 1)?);
    let coord = CoordOf::Tuple(vec![coord, anything(&rest)]);
    let pattern = Pattern::Tuple(vec![pattern, rest]);
    pattern.check(&shape_of(&layout)?, facts)?;
    Ok(Sliced { layout, pattern, coord })
}

/// The shape of the tile that threads are laid out over, and where each thread is in it.
fn threads(subject: &Subject<'_>) -> Result<(Tuple, Layout), Violation> {
    let term = subject
        .optional_term("term")?
        .ok_or_else(|| Violation::new(Code::Operand, "a layout of threads", "none"))?;
    let Datum::Static(Value::Layout(layout)) = &term else {
        let place = subject.argument(Arg::Term("term"), &[]);
        return Err(Violation::new(Code::Kind, "a plain layout of threads", &term).at(place));
    };
    let inverse = layout.right_inverse()?;
    // Right-inverted as a whole, every thread has one place: none is left out, and none has two.
    if inverse.size() != layout.size() {
        let expected = format!("a layout that numbers the threads 0 to {}", layout.size() - 1);
        // The same extents in the same order, each thread once.
        let numbered = layout.make_layout_like().ok();
        let like =
            numbered.filter(|like| like.right_inverse().is_ok_and(|i| i.size() == like.size()));
        let place = subject.argument(Arg::Term("term"), &[]);
        return Err(Violation::new(Code::Threads, expected, layout)
            .hint_if(like.map(|like| format!("{like} does")))
            .at(place));
    }
    let shape = layout.modes().iter().map(|mode| Tuple::Leaf(mode.size())).collect();
    Ok((Tuple::Node(shape), inverse))
}

fn by_thread(inverse: Layout) -> Tiler {
    Tiler::Tuple(vec![Tiler::Layout(inverse), Tiler::Any])
}

/// `_` for a leaf, or one for each mode.
fn whole(rank: Option<usize>) -> Pattern {
    match rank {
        None => Pattern::Any,
        Some(rank) => Pattern::Tuple(vec![Pattern::Any; rank]),
    }
}

fn anything(pattern: &Pattern) -> CoordOf<Expr> {
    match pattern {
        Pattern::Tuple(entries) => CoordOf::Tuple(entries.iter().map(anything).collect()),
        _ => CoordOf::Any,
    }
}

/// How many modes a mode has; nothing for a leaf.
fn mode_rank(datum: &Datum, mode: usize) -> Result<Option<usize>, Violation> {
    let shape = shape_of(datum)?;
    let entries = match &shape {
        Nested::Node(entries) => entries.as_slice(),
        leaf => std::slice::from_ref(leaf),
    };
    match entries.get(mode) {
        Some(Nested::Node(entries)) => Ok(Some(entries.len())),
        Some(Nested::Leaf(_)) => Ok(None),
        None => Err(Violation::new(Code::Mode, format!("a layout with a mode {mode}"), datum)),
    }
}

/// What an operation is short for; nothing of others.
fn steps(operation: OperationRef<'_, '_>) -> Option<Result<Steps, Violation>> {
    let name = tree::name(operation);
    let subject = Subject::of(operation);
    let written_out = || -> Result<Steps, Violation> {
        let operands = subject.operands(true)?;
        let mut facts = Facts::new();
        for operand in &operands {
            operand.declare(&mut facts)?;
        }
        let call = Call::new(&subject, operands);
        let pattern = subject.pattern()?;
        if name == "layout.local_tile" {
            let attribute = subject.required("term")?;
            let term = TermAttribute::try_from(attribute)
                .map_err(|_| Violation::new(Code::Operand, "a layout term", attribute))?
                .term()?;
            let args = [call.operand(0)?.clone(), Datum::Static(term.eval()?)];
            let divided = call.call(Op::ZippedDivide, &args, &facts)?;
            let tile = whole(mode_rank(&divided, 0)?);
            let coord = Pattern::Tuple(vec![tile, pattern]);
            return Ok(Steps { divide: term, compose: None, coord });
        }
        let (shape, inverse) = threads(&subject)?;
        let divide = Value::Tuple(shape);
        let args = [call.operand(0)?.clone(), Datum::Static(divide.clone())];
        let divided = call.call(Op::ZippedDivide, &args, &facts)?;
        let coord = Pattern::Tuple(vec![pattern, whole(mode_rank(&divided, 1)?)]);
        let compose = Term::Literal(Value::Tiler(by_thread(inverse)));
        Ok(Steps { divide: Term::Literal(divide), compose: Some(compose), coord })
    };
    matches!(name.as_str(), "layout.local_tile" | "layout.partition").then(written_out)
}

/// Whether an operation is short for others.
pub fn is_short(operation: OperationRef<'_, '_>) -> bool {
    matches!(tree::name(operation).as_str(), "layout.local_tile" | "layout.partition")
}

/// Writes an operation out: each step is handed to `insert`, in order; the last one's result is the
/// operation's. Nothing for operations that are short for nothing.
///
/// # Errors
///
/// What its verifier would refuse; MLIR's, for an operation that it does not build.
pub fn expand<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Result<Option<OperationRef<'c, 'c>>, melior::Error> {
    let Some(steps) = steps(operation) else { return Ok(None) };
    let steps = steps.map_err(|_| melior::Error::OperationBuild)?;
    let context = crate::pass::build::context_of(operation);
    let location: Location<'c> = operation.location();
    let source = crate::pass::build::operand(operation, 0);
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
