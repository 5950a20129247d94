//! Finds all violations of a call of the algebra, each with its place and the nearest legal argument.
//!
//! The algebra stops at the first error, which names the operand and the mode that it is about. The others are found by
//! calls without that mode.

use crate::ops::prelude::*;
use crate::{
    data::conversions::{compact, tuple},
    diagnostics::nearest,
    ops::adaptor::Operand,
};
use layout_algebra::{Error, TilerOf};

/// Coordinates up to which other arguments are tried.
const TRIED: i64 = 1 << 12;

/// All that is wrong with an operation, each at its place: what has none yet is at the integer of which
/// a fact is missing.
pub(crate) fn settled(adaptor: &Adaptor<'_>, violation: Violation) -> Violation {
    violation.placed(&|violation| place_of_symbol(adaptor, &violation.symbol()?))
}

/// The place of a symbol in the type of the operand that it belongs to: operands' symbols are numbered
/// through.
fn place_of_symbol(adaptor: &Adaptor<'_>, symbol: &str) -> Option<Place> {
    let mut number: usize = symbol.strip_prefix('?')?.parse().ok()?;
    for (i, operand) in adaptor.operands(false).ok()?.iter().enumerate() {
        let count = operand.symbol_count();
        if number < count {
            let known = matches!(operand, Operand::Known(_));
            return adaptor.place_of(i, if known { Part::Symbol(number) } else { Part::Whole });
        }
        number -= count;
    }
    None
}

/// A call whose operands fail a condition.
pub(crate) struct FailedCall<'r, 's> {
    pub(crate) call: &'r Call<'s>,
    pub(crate) op: Op,
    pub(crate) facts: &'r Facts,
}

impl FailedCall<'_, '_> {
    /// All that is wrong, given what the algebra found first.
    pub(crate) fn explain(&self, violation: Violation) -> Violation {
        if violation.is_placed() {
            return violation;
        }
        let kind = matches!(violation.algebra(), Some(Error::Operand { .. }));
        let about = violation.origin().operand;
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
            ) if source.is_layout() => self.by_mode(source, tiler, violation),
            (Op::Select, [source, numbers @ ..])
                if matches!(violation.algebra(), Some(Error::Mode { .. })) =>
            {
                let each = numbers.iter().enumerate().filter_map(|(i, number)| {
                    let args = [source.clone(), number.clone()];
                    let refused = self.call.call(self.op, &args, self.facts).err()?;
                    Some(refused.at(self.call.place(1 + i, &[])))
                });
                Violation::all(each).err().unwrap_or(violation)
            }
            (Op::Take | Op::Group, [source, TermValue::Static(begin), TermValue::Static(end)])
                if kind && about != Some(0) =>
            {
                let hint = range_like(source, begin, end);
                let text = format!("{begin} to {end}");
                let split = begin.to_string().len();
                let mark = if about == Some(1) { 0..split } else { split + 4..text.len() };
                let place = Place::new("the range", &text, mark);
                violation.coded(Code::ModeRange).hint_if(hint).at(place)
            }
            (Op::Coalesce, [source, profile]) if kind && tuple(profile).is_ok() => {
                self.by_profile(source, violation)
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
            (Op::Zip, [a, b]) if kind && a.is_layout() == b.is_layout() && about.is_none() => {
                violation.coded(Code::Rank).at(self.call.place(1, &[]))
            }
            (Op::TileToShape, [block, shape, ..]) => self.tiled(block, shape, violation),
            (Op::Upcast | Op::Downcast, [source, TermValue::Static(Value::Int(factor))]) => {
                if let Some(each) = self.by_stride(source, *factor) {
                    return each;
                }
                let fits = |factor| {
                    let args = [source.clone(), TermValue::Static(Value::Int(factor))];
                    self.call.call(self.op, &args, self.facts).is_ok()
                };
                // A fact that is missing is a better hint than another factor.
                let is_known = violation.algebra().is_some();
                let factor = if is_known { nearest::number(*factor, fits) } else { None };
                violation
                    .hint_if(factor.map(|factor| format!("{factor} is the nearest factor")))
                    .at(self.call.place(0, &[]))
            }
            (_, [_, _, ..]) if kind => self.by_kind(violation),
            _ => self.placed(violation),
        }
    }

    /// The violation at what it is about.
    fn placed(&self, violation: Violation) -> Violation {
        let origin = violation.origin();
        let place = origin.operand.and_then(|operand| self.call.place(operand, &origin.modes));
        violation.at(place)
    }

    /// The violation, and those that are left when an argument has something else in place of each
    /// mode that was refused: nothing where there is no mode left.
    fn each(
        &self,
        violation: Violation,
        other: impl Fn(&[TermValue], &Violation) -> Option<(usize, TermValue)>,
    ) -> Vec<Violation> {
        let mut args = self.call.args.clone();
        let mut each = vec![violation];
        while let Some((place, term_value)) = each.last().and_then(|refused| other(&args, refused))
        {
            args[place] = term_value;
            match self.call.call(self.op, &args, self.facts) {
                Err(next) if each.iter().all(|known| known.origin() != next.origin()) => {
                    each.push(next);
                }
                _ => break,
            }
        }
        each
    }

    /// Each argument that is of no kind that the operation takes in its place.
    fn by_kind(&self, violation: Violation) -> Violation {
        // Checked together with other operands, which any operation takes.
        let Ok(one) = Layout::new(Nested::Leaf(1), Nested::Leaf(0)) else { return violation };
        let each = self.each(violation, |_, refused| {
            Some((refused.origin().operand?, TermValue::Static(Value::Layout(one.clone()))))
        });
        let each = each.into_iter().enumerate().filter_map(|(i, refused)| {
            let is_kind = matches!(refused.algebra(), Some(Error::Operand { .. }));
            let operand = refused.origin().operand.filter(|_| is_kind);
            let hint = operand.and_then(|operand| compact(self.call.args.get(operand)?));
            (i == 0 || operand.is_some()).then(|| self.placed(refused.hint_if(hint)))
        });
        Violation::all(each).expect_err("the first is one")
    }

    /// Each part of a profile that nests deeper than the layout.
    fn by_profile(&self, source: &TermValue, violation: Violation) -> Violation {
        let each = self.each(violation, |args, refused| {
            let mut profile = tuple(&args[1]).ok()?;
            *entry_mut(&mut profile, &refused.origin().modes)? = Nested::Leaf(Expr::from(1));
            Some((1, TermValue::with(Value::<Expr>::from(profile), self.facts)))
        });
        let (shape, profile) = (shape_of(source).ok(), tuple(&self.call.args[1]).ok());
        let is_one = each.len() == 1;
        let each = each.into_iter().map(|refused| {
            let path = refused.origin().modes.clone();
            let part = |tuple: &Option<Nested<Expr>>| entry(tuple.as_ref()?, &path).cloned();
            let (mode, found) = (part(&shape), part(&profile));
            // One has the hint for all of the profile.
            let hinted = if is_one { shape.clone() } else { mode.clone() };
            let hint = hinted.and_then(|shape| {
                let profile = nearest::profile(&shape.to_static()?);
                Some(format!("{profile} has an entry for each mode"))
            });
            let refused = match (mode, found) {
                (Some(mode), Some(found)) if !is_one => {
                    let expected = format!("a profile no deeper than {mode}");
                    Violation::new(Code::Profile, expected, found)
                }
                _ => refused.coded(Code::Profile),
            };
            refused.hint_if(hint).at(self.call.place(1, &path))
        });
        Violation::all(each).expect_err("the first is one")
    }

    /// Each stride that a factor neither divides nor is a multiple of, or `None` if that is one at most.
    fn by_stride(&self, source: &TermValue, factor: i64) -> Option<Violation> {
        let layout = source.any_layout().filter(|_| self.op == Op::Upcast)?;
        let leaf = |size, step| Layout::new(Nested::Leaf(size), Nested::Leaf(step)).ok();
        let factor = TermValue::Static(Value::Int(factor));
        let modes = paths(layout.inner().shape());
        let each =
            modes.into_iter().zip(layout.inner().flat()).filter_map(|(path, (size, step))| {
                let mode = TermValue::Static(Value::Layout(leaf(size, step)?));
                let refused = self.call.call(self.op, &[mode, factor.clone()], self.facts).err()?;
                Some(refused.at(self.call.stride(&path)))
            });
        let each: Vec<Violation> = each.collect();
        if each.len() < 2 { None } else { Violation::all(each).err() }
    }

    /// Each mode of a tiler that is refused.
    fn by_mode(&self, source: &TermValue, tiler: &TermValue, violation: Violation) -> Violation {
        let each = self.each(violation, |args, refused| {
            let modes = &refused.origin().modes;
            let path = &modes[..modes.len() - usize::from(is_rank(refused))];
            // A tiler that keeps a mode is never refused.
            (!path.is_empty()).then_some(())?;
            let mut tiler = match symbolic_value(&args[1]) {
                Value::Tiler(tiler) => tiler,
                _ => {
                    TilerOf::<Layout<Expr>>::of_extents(self.facts, &tuple(&args[1]).ok()?).ok()?
                }
            };
            *part_mut(&mut tiler, path)? = TilerOf::Any;
            Some((1, TermValue::with(Value::Tiler(tiler), self.facts)))
        });
        let each = each.into_iter().map(|refused| {
            let layout_algebra::Place { operand, modes, .. } = refused.origin().clone();
            let place = self.call.place(operand.unwrap_or(1), &modes);
            let hinted = match refused.algebra() {
                Some(Error::Operand { expected, found, .. }) if is_rank(&refused) => {
                    let kept = first_entries(&symbolic_value(tiler), &modes);
                    Violation::new(Code::TilerRank, expected, found)
                        .hint_if(kept.map(|kept| format!("{kept} has as many")))
                }
                _ => {
                    let like = self.size_like(source, tiler, &modes);
                    refused.hint_if(
                        like.map(|n| format!("{n} is the nearest size that has a composition")),
                    )
                }
            };
            hinted.at(place)
        });
        Violation::all(each).expect_err("the first is one")
    }

    /// The extent that is nearest to one in a tiler with which its mode is composed, divided or multiplied.
    fn size_like(&self, source: &TermValue, tiler: &TermValue, path: &[usize]) -> Option<i64> {
        let tiler = tuple(tiler).ok()?;
        let Nested::Leaf(extent) = entry(&tiler, path)? else { return None };
        let extent = extent.as_constant().filter(|extent| *extent <= TRIED)?;
        let mut mode = source.any_layout()?.inner().clone();
        for &step in path {
            mode = mode.modes().into_iter().nth(step)?;
        }
        let mode = Some(mode).filter(|mode| mode.size() <= TRIED)?;
        let mode = TermValue::Static(Value::Layout(mode));
        // Modes are divided, multiplied and composed alike.
        let op = match self.op {
            Op::Composition => Op::Composition,
            Op::LogicalProduct | Op::ZippedProduct | Op::TiledProduct | Op::FlatProduct => {
                Op::LogicalProduct
            }
            _ => Op::LogicalDivide,
        };
        nearest::number(extent, |extent| {
            let args = [mode.clone(), TermValue::Static(Value::Int(extent))];
            self.call.call(op, &args, self.facts).is_ok()
        })
    }

    /// An argument that is not a permutation of `count` leaves or modes.
    fn ordered(&self, count: usize, of: &str, index: usize, violation: Violation) -> Violation {
        let order: Vec<_> = (0..count).map(|i| i.to_string()).collect();
        let hint = format!("({}) is the order of the {of} as written", order.join(","));
        violation.coded(Code::Order).hint(hint).at(self.call.place(index, &[]))
    }

    /// A shape of lower rank than a block: one that has as many modes.
    fn tiled(&self, block: &TermValue, shape: &TermValue, violation: Violation) -> Violation {
        let (Some(block), TermValue::Static(Value::Tuple(Nested::Node(extents)))) =
            (block.any_layout(), shape)
        else {
            return violation;
        };
        let steps: Vec<_> = block.inner().modes().iter().map(|mode| mode.size()).collect();
        if extents.len() >= steps.len() {
            return violation;
        }
        let whole = nearest::entries(extents, steps.len(), &Nested::Leaf(1));
        let whole: Vec<_> = whole
            .iter()
            .zip(&steps)
            .map(|(extent, step)| rounded(extent, *step).unwrap_or_else(|| extent.clone()))
            .collect();
        let hint = format!("{} has as many modes", Tuple::Node(whole));
        violation.coded(Code::Rank).hint(hint).at(self.call.place(1, &[]))
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

/// The multiple of `step` that is nearest to a mode.
fn rounded(mode: &Tuple, step: i64) -> Option<Tuple> {
    nearest::multiple(mode.product().ok()?, step).map(Nested::Leaf)
}

/// Whether a tiler has more entries than its layout has modes.
fn is_rank(refused: &Violation) -> bool {
    let origin = refused.origin();
    let is_kind = matches!(refused.algebra(), Some(Error::Operand { .. }));
    is_kind && origin.operand == Some(1) && !origin.modes.is_empty()
}

/// The entries before one of a tiler.
fn first_entries(tiler: &Value<Expr>, path: &[usize]) -> Option<String> {
    let (&count, path) = path.split_last()?;
    fn listed<T: ToString>(entries: &[T], count: usize) -> Option<String> {
        let entries: Vec<_> = entries.get(..count)?.iter().map(T::to_string).collect();
        Some(entries.join(","))
    }
    match tiler {
        Value::Tuple(tuple) => Some(format!("({})", listed(entry(tuple, path)?.entries(), count)?)),
        Value::Tiler(tiler) => match part_mut(&mut tiler.clone(), path)? {
            TilerOf::Tuple(entries) => Some(format!("<{}>", listed(entries, count)?)),
            _ => None,
        },
        _ => None,
    }
}

fn entry<'t, T>(tuple: &'t Nested<T>, path: &[usize]) -> Option<&'t Nested<T>> {
    path.iter().try_fold(tuple, |part, &step| match part {
        Nested::Node(entries) => entries.get(step),
        Nested::Leaf(_) => None,
    })
}

fn entry_mut<'t, T>(tuple: &'t mut Nested<T>, path: &[usize]) -> Option<&'t mut Nested<T>> {
    path.iter().try_fold(tuple, |part, &step| match part {
        Nested::Node(entries) => entries.get_mut(step),
        Nested::Leaf(_) => None,
    })
}

fn part_mut<'t, T>(tiler: &'t mut TilerOf<T>, path: &[usize]) -> Option<&'t mut TilerOf<T>> {
    path.iter().try_fold(tiler, |part, &step| match part {
        TilerOf::Tuple(entries) => entries.get_mut(step),
        _ => None,
    })
}

/// The range of modes that is nearest to one outside of the rank.
fn range_like(source: &TermValue, begin: &Value, end: &Value) -> Option<String> {
    let (Value::Int(begin), Value::Int(end)) = (begin, end) else { return None };
    let rank = i64::try_from(shape_of(source).ok()?.rank()).ok().filter(|&rank| rank > 0)?;
    let begin = (*begin).clamp(0, rank - 1);
    let end = (*end).clamp(begin + 1, rank.max(begin + 1));
    Some(format!("{begin} to {end} is the nearest"))
}
