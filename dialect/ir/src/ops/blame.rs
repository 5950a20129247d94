//! Which mode of which argument an operation of the algebra fails at: the violation of each, at its
//! place, with the nearest argument that would do.
//!
//! The algebra stops at the first error and speaks of values. Here the arguments are known as texts
//! of attributes and types too, and modes that do not depend on each other are asked one by one.

use crate::{
    data::{
        conversions::{compact, symbolic_value, tuple},
        datum::Datum,
        offsets::{Offsets, shape_of},
    },
    diagnostics::{
        codes::Code,
        nearest,
        place::{self, Place},
        violation::Violation,
    },
    ops::{
        calls::{Arg, Call},
        parts::Part,
        subject::{Operand, Subject},
    },
};
use layout_algebra::{Error, Expr, Facts, Layout, Nested, Op, Tiler, TilerOf, Tuple, Value};
use std::ops::Range;

/// Coordinates up to which other arguments are tried.
const TRIED: i64 = 1 << 12;

/// All that is wrong with an operation, each at its place: what has none yet is at the operand or the
/// attribute that it names, if that is one alone, or at the integer of which a fact is missing.
pub(crate) fn settled(subject: &Subject<'_>, violation: Violation) -> Violation {
    violation.placed(&|violation| {
        if let Some(symbol) = violation.symbol() {
            return place_of_symbol(subject, &symbol);
        }
        let found = violation.found()?;
        let operands = subject.operands(false).ok()?;
        let mut places = operands.iter().enumerate().filter_map(|(i, operand)| match operand {
            Operand::Known(datum) => {
                let named = symbolic_value(datum).to_string() == found
                    || subject.types.get(i)?.to_string() == found;
                named.then(|| subject.place_of(i, Part::Layout))
            }
            Operand::Index { found: named, .. } | Operand::Other(named) => {
                (named == found).then(|| subject.place_of(i, Part::Whole))
            }
        });
        let terms = ["term", "outer", "shape", "order", "profile"];
        let mut terms = terms.into_iter().filter(|name| {
            let term = subject.optional_term(name).ok().flatten();
            term.is_some_and(|term| term.to_string() == found)
        });
        match (places.next(), places.next(), terms.next()) {
            (Some(place), None, None) => place,
            (None, None, Some(name)) => subject.place_of_attribute(name),
            _ => None,
        }
    })
}

/// The place of a symbol in the type of the operand that it belongs to: operands' symbols are numbered
/// through.
fn place_of_symbol(subject: &Subject<'_>, symbol: &str) -> Option<Place> {
    let mut number: usize = symbol.strip_prefix('?')?.parse().ok()?;
    for (i, operand) in subject.operands(false).ok()?.iter().enumerate() {
        let count = match operand {
            Operand::Known(datum) => datum.symbols().len(),
            Operand::Index { .. } => 1,
            Operand::Other(_) => 0,
        };
        if number < count {
            let known = matches!(operand, Operand::Known(_));
            return subject.place_of(i, if known { Part::Symbol(number) } else { Part::Whole });
        }
        number -= count;
    }
    None
}

/// Whether a violation is about all of a value.
fn is_named(violation: &Violation, datum: &Datum) -> bool {
    let text = symbolic_value(datum).to_string();
    violation.found().is_some_and(|found| found == text)
}

/// Whether a value, if it is a layout, has modes that stand beside others.
fn has_modes(datum: &Datum) -> bool {
    let value = symbolic_value(datum);
    !datum.is_layout() || matches!(value, Value::Layout(_) | Value::Basis(_))
}

/// A call that was refused.
pub(crate) struct Refused<'r, 's> {
    pub(crate) call: &'r Call<'s>,
    pub(crate) op: Op,
    /// Where the row's arguments come from.
    pub(crate) from: &'r [Arg],
    pub(crate) facts: &'r Facts,
}

impl Refused<'_, '_> {
    /// The violation of each mode in the place of the first that the algebra found.
    pub(crate) fn explain(&self, violation: Violation) -> Violation {
        if violation.is_placed() {
            return violation;
        }
        let kind = matches!(violation.algebra(), Some(Error::Operand { .. }));
        let mode = matches!(violation.algebra(), Some(Error::Mode { .. }));
        match (self.op, self.call.args.as_slice()) {
            (
                Op::Composition
                | Op::LogicalDivide
                | Op::ZippedDivide
                | Op::TiledDivide
                | Op::FlatDivide
                | Op::LogicalProduct
                | Op::ZippedProduct
                | Op::TiledProduct
                | Op::FlatProduct,
                [source, tiler],
            ) if source.is_layout() => {
                self.by_mode(source, tiler, &mut Vec::new()).unwrap_or(violation)
            }
            (Op::Select, [source, numbers @ ..]) if mode => {
                let texts: Vec<_> = numbers.iter().map(ToString::to_string).collect();
                let text = format!("[{}]", texts.join(", "));
                let each = numbers.iter().enumerate().filter_map(|(i, number)| {
                    let args = [source.clone(), number.clone()];
                    let refused = self.call.call(self.op, &args, self.facts).err()?;
                    let span = place::entry(&text, 0..text.len(), &[i]);
                    Some(refused.at(span.and_then(|span| Place::new("the modes", &text, span))))
                });
                Violation::all(each).err().unwrap_or(violation)
            }
            (Op::Get, [_, numbers @ ..]) if mode => {
                let refused = violation.algebra().and_then(|error| match error {
                    Error::Mode { mode, .. } => Some(*mode),
                    _ => None,
                });
                let numbers: Vec<_> = numbers.iter().map(ToString::to_string).collect();
                let at = numbers.iter().position(|n| Some(n.parse().ok()) == Some(refused));
                let text = format!("[{}]", numbers.join(", "));
                let span = at.and_then(|at| place::entry(&text, 0..text.len(), &[at]));
                violation.at(span.and_then(|span| Place::new("the modes", &text, span)))
            }
            (Op::Take | Op::Group, [source, Datum::Static(begin), Datum::Static(end)])
                if kind && !is_named(&violation, source) =>
            {
                let hint = range_like(source, begin, end);
                let text = format!("{begin} to {end}");
                // The bound that is outside of the rank, or the end of what is empty.
                let split = begin.to_string().len();
                let within = match (modes(source), begin) {
                    (Some(modes), Value::Int(begin)) => {
                        usize::try_from(*begin).is_ok_and(|begin| begin < modes.len())
                    }
                    _ => true,
                };
                let mark = if within { split + 4..text.len() } else { 0..split };
                let place = Place::new("the range", &text, mark);
                violation.coded(Code::ModeRange).hint_if(hint).at(place)
            }
            (Op::Coalesce, [source, profile]) if kind && tuple(profile).is_ok() => {
                self.by_profile(source, profile, violation)
            }
            (Op::MakeOrderedLayout, [shape, order]) if kind && tuple(order).is_ok() => {
                let leaves = tuple(shape).map_or(0, |shape| shape.leaf_count());
                self.ordered(leaves, "leaves", 1, violation)
            }
            (Op::TileToShape, [_, shape, order])
                if kind
                    && tuple(order).ok().map(|order| order.leaf_count())
                        != tuple(shape).ok().map(|shape| shape.rank()) =>
            {
                self.ordered(tuple(shape).map_or(0, |shape| shape.rank()), "modes", 2, violation)
            }
            (Op::Zip, [a, b]) if kind && a.is_layout() == b.is_layout() && has_modes(b) => {
                violation.coded(Code::Rank).at(self.argument(1, &[]))
            }
            (Op::TileToShape, [block, shape, ..]) => self.tiled(block, shape, violation),
            (Op::Upcast | Op::Downcast, [source, Datum::Static(Value::Int(factor))]) => {
                if let Some(each) = self.by_stride(source, *factor) {
                    return each;
                }
                let fits = |factor| {
                    let args = [source.clone(), Datum::Static(Value::Int(factor))];
                    self.call.call(self.op, &args, self.facts).is_ok()
                };
                // A fact that is missing is a better hint than another factor.
                let is_known = violation.algebra().is_some();
                let factor = if is_known { nearest::number(*factor, fits) } else { None };
                violation
                    .hint_if(factor.map(|factor| format!("{factor} is the nearest factor")))
                    .at(self.argument(0, &[]))
            }
            (_, args @ [_, _, ..]) if kind => self.by_kind(args, violation),
            _ => {
                let condition = matches!(violation.algebra(), Some(Error::Condition { .. }));
                let place = condition.then(|| self.argument(0, &[])).flatten();
                violation.at(place)
            }
        }
    }

    /// Each argument that is of no kind that the operation takes in its place.
    fn by_kind(&self, args: &[Datum], violation: Violation) -> Violation {
        // Asked beside others that any operation takes.
        let Ok(one) = Layout::new(Nested::Leaf(1), Nested::Leaf(0)) else { return violation };
        let refused = |place: usize| {
            let others = args.iter().enumerate().map(|(i, arg)| match arg {
                Datum::Static(Value::Int(_)) => arg.clone(),
                _ if i == place => arg.clone(),
                _ => Datum::Static(Value::Layout(one.clone())),
            });
            let others: Vec<Datum> = others.collect();
            let refused = self.call.call(self.op, &others, self.facts).err()?;
            let is_about = |found: &str| found == args[place].to_string();
            match refused.algebra() {
                Some(Error::Operand { found, .. }) if is_about(found) => Some((place, refused)),
                _ => None,
            }
        };
        let shown = |(place, refused): (usize, Violation)| {
            refused.hint_if(compact(&args[place])).at(self.argument(place, &[]))
        };
        let mut each: Vec<(usize, Violation)> = (0..args.len()).filter_map(refused).collect();
        match each.len() {
            // It is told of what the operands are.
            1 => each.pop().map_or(violation.clone(), |(place, _)| shown((place, violation))),
            _ => Violation::all(each.into_iter().map(shown)).err().unwrap_or(violation),
        }
    }

    /// Each part of a profile that nests deeper than the layout.
    fn by_profile(&self, source: &Datum, profile: &Datum, violation: Violation) -> Violation {
        let like = |shape: &Nested<Expr>| {
            let profile = shape.to_static().map(|shape| nearest::profile(&shape))?;
            Some(format!("{profile} has an entry for each mode"))
        };
        let (Ok(shape), Ok(profile)) = (shape_of(source), tuple(profile)) else {
            return violation.coded(Code::Profile).at(self.argument(1, &[]));
        };
        let mut deeper = Vec::new();
        let mut rest = vec![(Vec::new(), &shape, &profile)];
        while let Some((path, shape, profile)) = rest.pop() {
            match (shape, profile) {
                (_, Nested::Leaf(_)) => {}
                (Nested::Node(modes), Nested::Node(entries)) if entries.len() <= modes.len() => {
                    rest.extend(modes.iter().zip(entries).enumerate().rev().map(|(i, pair)| {
                        let path: Vec<usize> = path.iter().copied().chain([i]).collect();
                        (path, pair.0, pair.1)
                    }));
                }
                _ => deeper.push((path, shape, profile)),
            }
        }
        let hint = like(&shape);
        match deeper.as_slice() {
            [] => violation.coded(Code::Profile).hint_if(hint).at(self.argument(1, &[])),
            [(path, _, _)] => {
                violation.coded(Code::Profile).hint_if(hint).at(self.argument(1, path))
            }
            _ => {
                let each = deeper.iter().map(|(path, shape, profile)| {
                    let expected = format!("a profile no deeper than {shape}");
                    Violation::new(Code::Profile, expected, profile)
                        .hint_if(like(shape))
                        .at(self.argument(1, path))
                });
                Violation::all(each).err().unwrap_or(violation)
            }
        }
    }

    /// Each stride that a factor neither divides nor is a multiple of; nothing where that is one at most.
    fn by_stride(&self, source: &Datum, factor: i64) -> Option<Violation> {
        let layout = source.any_layout().filter(|_| self.op == Op::Upcast)?;
        let leaf = |size, step| Layout::new(Nested::Leaf(size), Nested::Leaf(step)).ok();
        let factor = Datum::Static(Value::Int(factor));
        let modes = paths(layout.inner().shape());
        let each =
            modes.into_iter().zip(layout.inner().flat()).filter_map(|(path, (size, step))| {
                let mode = Datum::Static(Value::Layout(leaf(size, step)?));
                let refused = self.call.call(self.op, &[mode, factor.clone()], self.facts).err()?;
                Some(refused.at(stride_of(self.call.subject, *self.from.first()?, &path)))
            });
        let each: Vec<Violation> = each.collect();
        if each.len() < 2 { None } else { Violation::all(each).err() }
    }

    /// An argument that is no order of so many leaves or modes.
    fn ordered(&self, count: usize, of: &str, index: usize, violation: Violation) -> Violation {
        let order: Vec<_> = (0..count).map(|i| i.to_string()).collect();
        let hint = format!("({}) is the order in which the {of} stand", order.join(","));
        violation.coded(Code::Order).hint(hint).at(self.argument(index, &[]))
    }

    /// The place of an entry of an argument, by a path, in the text that the program has.
    fn argument(&self, index: usize, path: &[usize]) -> Option<Place> {
        place_of(self.call.subject, *self.from.get(index)?, path)
    }

    /// The violations of a layout taken apart by a tiler, mode by mode.
    fn by_mode(&self, source: &Datum, tiler: &Datum, path: &mut Vec<usize>) -> Option<Violation> {
        let place = self.argument(1, path);
        let Some(entries) = entries(tiler, self.facts) else {
            // Modes are divided, multiplied and composed alike.
            let op = match self.op {
                Op::Composition => Op::Composition,
                Op::LogicalProduct | Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct => {
                    Op::LogicalProduct
                }
                _ => Op::LogicalDivide,
            };
            let refused =
                |tiler: Datum| self.call.call(op, &[source.clone(), tiler], self.facts).err();
            let violation = refused(tiler.clone())?;
            let extent = match tiler {
                Datum::Static(Value::Int(extent)) if *extent <= TRIED => Some(*extent),
                _ => None,
            };
            let small = source.any_layout().is_some_and(|layout| layout.size() <= TRIED);
            let like = extent.filter(|_| small).and_then(|extent| {
                nearest::number(extent, |extent| {
                    refused(Datum::Static(Value::Int(extent))).is_none()
                })
            });
            let like = like.map(|extent| format!("{extent} is the nearest size that would do"));
            // What is of no kind that is composed, or divided, may be the first of the two.
            let first = path.is_empty() && is_named(&violation, source);
            let place = match first && !is_named(&violation, tiler) {
                true => self.argument(0, &[]),
                false => place,
            };
            return Some(violation.hint_if(like).at(place));
        };
        let modes = modes(source)?;
        if entries.len() > modes.len() {
            let expected = format!("a tiler of at most {} entries for {source}", modes.len());
            path.push(modes.len());
            let extra = self.argument(1, path);
            path.pop();
            let kept: Vec<_> = entries[..modes.len()].iter().map(ToString::to_string).collect();
            let brackets = if tiler.to_string().starts_with('<') { ["<", ">"] } else { ["(", ")"] };
            let kept = format!("{}{}{} has as many", brackets[0], kept.join(","), brackets[1]);
            return Some(
                Violation::new(Code::TilerRank, expected, entries.len()).hint(kept).at(extra),
            );
        }
        let mut violations = Vec::new();
        for (i, (mode, entry)) in modes.iter().zip(&entries).enumerate() {
            path.push(i);
            violations.extend(self.by_mode(mode, entry, path));
            path.pop();
        }
        Violation::all(violations).err()
    }

    /// A shape that a block does not divide: the nearest that it does.
    fn tiled(&self, block: &Datum, shape: &Datum, violation: Violation) -> Violation {
        let (Some(block), Datum::Static(Value::Tuple(Nested::Node(extents)))) =
            (block.any_layout(), shape)
        else {
            return violation;
        };
        let steps: Vec<_> = block.inner().modes().iter().map(|mode| mode.size()).collect();
        if extents.len() < steps.len() {
            let whole = nearest::entries(extents, steps.len(), &Nested::Leaf(1));
            let whole: Vec<_> = whole
                .iter()
                .zip(&steps)
                .map(|(extent, step)| rounded(extent, *step).unwrap_or_else(|| extent.clone()))
                .collect();
            let hint = format!("{} has as many modes", Tuple::Node(whole));
            return violation.coded(Code::Rank).hint(hint).at(self.argument(1, &[]));
        }
        let refused: Vec<usize> = (0..steps.len())
            .filter(|&i| extents[i].product().is_ok_and(|extent| extent % steps[i] != 0))
            .collect();
        let each = refused.into_iter().map(|i| {
            let expected = format!("an extent that the block's {} divides", steps[i]);
            let nearest = rounded(&extents[i], steps[i]);
            Violation::new(Code::Divisible, expected, &extents[i])
                .hint_if(nearest.map(|nearest| format!("{nearest} is the nearest")))
                .at(self.argument(1, &[i]))
        });
        Violation::all(each).err().unwrap_or(violation)
    }
}

/// The path of each leaf.
fn paths(shape: &Tuple) -> Vec<Vec<usize>> {
    match shape {
        Nested::Leaf(_) => vec![Vec::new()],
        Nested::Node(modes) => {
            let below =
                |(i, mode)| paths(mode).into_iter().map(move |rest| [vec![i], rest].concat());
            modes.iter().enumerate().flat_map(below).collect()
        }
    }
}

/// The place of a leaf of the stride of an argument that is a layout.
fn stride_of(subject: &Subject<'_>, from: Arg, path: &[usize]) -> Option<Place> {
    let (text, what, span) = text_of(subject, from)?;
    let (_, stride) = place::shape_and_stride(&text, span)?;
    Place::new(what, &text, place::entry(&text, stride, path)?)
}

/// The place of an entry of an argument, by a path, in the text that the program has.
pub(crate) fn place_of(subject: &Subject<'_>, from: Arg, path: &[usize]) -> Option<Place> {
    let (text, what, span) = text_of(subject, from)?;
    Place::new(what, &text, place::entry(&text, span, path)?)
}

/// The text that the program has of an argument, what it is, and which part of it is the value.
fn text_of(subject: &Subject<'_>, from: Arg) -> Option<(String, String, Range<usize>)> {
    let (text, what) = match from {
        Arg::Operand(i) => (subject.types.get(i)?.to_string(), format!("the type of operand {i}")),
        Arg::TermOrOperand => match subject.attribute("term") {
            Some(term) => (term.to_string(), "the term".to_owned()),
            None => (subject.types.get(1)?.to_string(), "the type of operand 1".to_owned()),
        },
        Arg::Term(name) => (subject.attribute(name)?.to_string(), format!("the {name}")),
        Arg::Integers(_) | Arg::Integer(_) => return None,
    };
    // The value is between the outermost brackets, behind the element and the space of a view.
    let start = text.find('<')? + 1;
    let behind = if text.starts_with("!layout.view<") {
        let mut commas = text.match_indices(", ").map(|(at, comma)| at + comma.len());
        commas.nth(1)?
    } else {
        start
    };
    let end = text.len() - 1;
    Some((text, what, behind..end))
}

/// The multiple of `step` that is nearest to a mode.
fn rounded(mode: &Tuple, step: i64) -> Option<Tuple> {
    nearest::multiple(mode.product().ok()?, step).map(Nested::Leaf)
}

/// The modes of a layout.
fn modes(source: &Datum) -> Option<Vec<Datum>> {
    if let Some(layout) = source.any_layout() {
        let modes = layout.inner().modes();
        return Some(modes.into_iter().map(|mode| Datum::Static(Value::Layout(mode))).collect());
    }
    match source {
        Datum::Symbolic { facts, .. } => {
            let modes = Offsets::of(source).ok()?.inner().modes();
            let of = |mode| Datum::with(Value::Layout(mode), facts);
            Some(modes.into_iter().map(of).collect())
        }
        Datum::Static(_) => None,
    }
}

/// The entries of a tiler that is a tuple.
fn entries(tiler: &Datum, facts: &Facts) -> Option<Vec<Datum>> {
    let known = |value: Value<Expr>| Datum::with(value, facts);
    let of_tuple = |entry: &Tuple| match entry {
        Nested::Leaf(extent) => Datum::Static(Value::Int(*extent)),
        node => Datum::Static(Value::Tuple(node.clone())),
    };
    let of_tiler = |entry: &Tiler| match entry {
        TilerOf::Layout(layout) => Datum::Static(Value::Layout(layout.clone())),
        other => Datum::Static(Value::Tiler(other.clone())),
    };
    match tiler {
        Datum::Static(Value::Tuple(Nested::Node(entries))) => {
            Some(entries.iter().map(of_tuple).collect())
        }
        Datum::Static(Value::Tiler(TilerOf::Tuple(entries))) => {
            Some(entries.iter().map(of_tiler).collect())
        }
        Datum::Symbolic { value: Value::Tuple(Nested::Node(entries)), .. } => {
            let of = |entry: &_| known(Value::<Expr>::from(Nested::clone(entry)));
            Some(entries.iter().map(of).collect())
        }
        Datum::Symbolic { value: Value::Tiler(TilerOf::Tuple(entries)), .. } => {
            let of = |entry: &TilerOf<Layout<Expr>>| {
                known(match entry {
                    TilerOf::Layout(layout) => Value::Layout(layout.clone()),
                    other => Value::Tiler(other.clone()),
                })
            };
            Some(entries.iter().map(of).collect())
        }
        _ => None,
    }
}

/// The range of modes that is nearest to one outside of the rank.
fn range_like(source: &Datum, begin: &Value, end: &Value) -> Option<String> {
    let (Value::Int(begin), Value::Int(end)) = (begin, end) else { return None };
    let rank = i64::try_from(modes(source)?.len()).ok().filter(|&rank| rank > 0)?;
    let begin = (*begin).clamp(0, rank - 1);
    let end = (*end).clamp(begin + 1, rank.max(begin + 1));
    Some(format!("{begin} to {end} is the nearest"))
}
