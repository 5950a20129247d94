//! Fills and copies of partly static views, written out as loops over their modes.
//!
//! | operation | written out |
//! |---|---|
//! | `fill %v, %x` | loops around `store %x, %v(%i, %j, …)` |
//! | `copy %s, %t` | the same loops around `load %s(%i, %j, …)` and `store …, %t(%i, %j, …)` |
//! | `copy … predicate(%g < n)` | the same, where `%g(%i, %j, …) < n` |
//!
//! A copy between views of one static size is unrolled; one by an atom that moves vectors becomes such a copy of each vector. Otherwise a loop runs over each top-level mode, up to its size: a
//! constant where that is static in one of the views. The mode of stride 1 runs innermost, so that neighbours in memory follow each other.

use super::{
    Failure, Located, Lowering,
    convert::Conversions,
    copy::{element_bits, parse, zero},
    memory::written_out,
};
use layout_algebra::{ComposedLayout, Value};
use layout_dialect::{
    SliceCoord, Space, TermValue, ViewType,
    atoms::CopyKind,
    build::{Builder, Val, first_result, operand},
    ops::{self, Limit, Predicate},
    tree,
};
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};

impl<'c> Lowering<'c> {
    /// Writes out the fills and copies of a function whose views are partly static.
    pub(super) fn write_out_elements(
        function: OperationRef<'c, 'c>,
        conversions: Conversions,
    ) -> Result<(), Located<'c>> {
        for operation in tree::all(function) {
            let name = tree::name(operation);
            let is_fill = name == "layout.fill";
            let by_map = || {
                let kind = ops::atom(operation).ok().and_then(|atom| atom.copy_kind());
                matches!(kind, Some(CopyKind::BulkTensor | CopyKind::BulkTensorStore))
            };
            if !(is_fill || name == "layout.copy") || !touches_partly(operation) || by_map() {
                continue;
            }
            let b = Builder::before(operation);
            let written = match is_fill {
                true => fill(&b, operation),
                false => copy(&b, operation, conversions),
            };
            written.map_err(|failure| (operation, failure))?;
            tree::erase(operation);
        }
        Ok(())
    }
}

/// Whether an operand is a view of a partly static layout.
fn touches_partly(operation: OperationRef<'_, '_>) -> bool {
    (0..operation.operand_count())
        .filter_map(|i| ViewType::from_type(operand(operation, i).r#type()))
        .any(|view| view.layout().is_err())
}

fn fill<'c>(b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
    let (view, value) = (operand(operation, 0), operand(operation, 1));
    let Loops { body, at } = Loops::over(b, &[view])?;
    body.insert(
        ops::new("store", b.location())
            .operands(&[value, view])
            .coordinate(&at)
            .results(&[])
            .build()?,
    );
    Ok(())
}

fn copy<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    conversions: Conversions,
) -> Result<(), Failure> {
    let views: Vec<Val<'c>> =
        (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
    let [source, target, ..] = views.as_slice() else {
        return Err(Failure::refused("expected a source and a target, found fewer views"));
    };
    let (source, target) = (*source, *target);
    let predicates = ops::predicates(operation)?;
    let of = predicates.iter().map(|predicate| predicate.view).chain([source, target]);
    let sizes = of.map(known_size).collect::<Result<Vec<_>, Failure>>()?;
    match sizes.as_slice() {
        // As many elements on both sides, whatever their modes.
        &[Some(size), ..] if sizes.iter().all(|own| *own == Some(size)) => {
            written_out("elements", &[size])?;
            let element = ViewType::try_from(source.r#type())?.element_type();
            let vector = ops::atom(operation)?.elements_of_bits(element_bits(element)?);
            if let Some(vector) = vector.filter(|&vector| vector > 1 && size % vector == 0) {
                return copy_vectors(b, operation, size, vector);
            }
            (0..size).try_for_each(|i| {
                copy_one(b, (source, target), &predicates, &[SliceCoord::At(i)], conversions)
            })
        }
        _ => {
            let Loops { body, at } = Loops::over(b, &[target, source])?;
            copy_one(&body, (source, target), &predicates, &at, conversions)
        }
    }
}

/// Copies the vectors of views of `size` elements, each by the same atom.
fn copy_vectors<'c>(
    b: &Builder<'c>,
    operation: OperationRef<'c, 'c>,
    size: i64,
    vector: i64,
) -> Result<(), Failure> {
    let by_vector = format!("({vector},{}):(1,{vector})", size / vector);
    let tiler = parse(b, &format!("#layout<{by_vector}>"))?;
    let mut operands: Vec<Val<'c>> =
        (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
    for one in &mut operands {
        if ViewType::from_type(one.r#type()).is_some() {
            let arranged = b.inferred("layout.composition", &[*one], &[("term", tiler)])?;
            *one = first_result(arranged);
        }
    }
    for number in 0..size / vector {
        let place = b.string(&format!("(_,{number})"));
        let mut own = operands.clone();
        for one in &mut own {
            if ViewType::from_type(one.r#type()).is_some() {
                *one = first_result(b.inferred("layout.slice", &[*one], &[("coord", place)])?);
            }
        }
        tree::clone_with(b, operation, &own);
    }
    Ok(())
}

/// How many elements a view has, where that is known.
fn known_size(view: Val<'_>) -> Result<Option<i64>, Failure> {
    let modes = modes(view)?;
    let sizes: Option<Vec<i64>> = modes.iter().map(|mode| mode.size).collect();
    Ok(sizes.and_then(|sizes| sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))))
}

/// Copies the element at a coordinate, if it exists.
fn copy_one<'c>(
    body: &Builder<'c>,
    (source, target): (Val<'c>, Val<'c>),
    predicates: &[Predicate<'c>],
    at: &[SliceCoord<'c, 'c>],
    conversions: Conversions,
) -> Result<(), Failure> {
    let into = ViewType::try_from(target.r#type())?;
    let load = |b: &Builder<'c>, view: Val<'c>| -> Result<Val<'c>, Failure> {
        Ok(first_result(
            b.insert(ops::new("load", b.location()).operands(&[view]).coordinate(at).build()?),
        ))
    };
    let store = |b: &Builder<'c>, value: Val<'c>| -> Result<(), Failure> {
        b.insert(
            ops::new("store", b.location())
                .operands(&[value, target])
                .coordinate(at)
                .results(&[])
                .build()?,
        );
        Ok(())
    };
    let read = |b: &Builder<'c>| {
        let value = load(b, source)?;
        conversions.converted(b, value, (value.r#type(), into.element_type()), 1)
    };
    let mut exists: Option<Val<'c>> = None;
    for Predicate { view: predicate, limit } in predicates {
        let limit = match *limit {
            Limit::Known(limit) => body.constant(Type::index(body.context()), limit)?,
            Limit::At(limit) => limit,
        };
        let below = body.less(load(body, *predicate)?, limit)?;
        exists = Some(match exists {
            None => below,
            Some(exists) => body.binary("arith.andi", exists, below)?,
        });
    }
    match exists {
        None => store(body, read(body)?),
        // As everywhere: what a predicate cuts off is zero in shared memory and registers.
        Some(exists) if matches!(into.space(), Space::Shared | Space::Register) => {
            let element = into.element_type();
            let zero = |b: Builder<'c>| Ok::<_, Failure>(vec![zero(&b, element, 1)?]);
            let read = |b: Builder<'c>| Ok::<_, Failure>(vec![read(&b)?]);
            let value = first_result(body.branch(exists, &[element], read, Some(&zero))?);
            store(body, value)
        }
        Some(exists) => {
            let copy = |b: Builder<'c>| {
                store(&b, read(&b)?)?;
                Ok::<_, Failure>(vec![])
            };
            body.branch(exists, &[], copy, None)?;
            Ok(())
        }
    }
}

/// Loops over the modes of a view.
struct Loops<'c> {
    /// Inside the innermost one.
    body: Builder<'c>,
    /// The coordinate there.
    at: Vec<SliceCoord<'c, 'c>>,
}

/// The state of a loop over a mode.
#[derive(Clone, Copy, Default)]
struct Mode {
    /// Its size, if that is known.
    size: Option<i64>,
    /// Whether its elements are neighbours.
    runs: bool,
}

impl<'c> Loops<'c> {
    /// Over the modes of views that agree in them.
    fn over(b: &Builder<'c>, views: &[Val<'c>]) -> Result<Self, Failure> {
        let of_views: Vec<Vec<Mode>> =
            views.iter().map(|view| modes(*view)).collect::<Result<_, _>>()?;
        let rank = of_views.iter().map(Vec::len).min().unwrap_or(0);
        let index = Type::index(b.context());
        let (zero, one) = (b.constant(index, 0)?, b.constant(index, 1)?);
        // Where a mode's neighbours are neighbours in the first view, or else in another.
        let innermost =
            of_views.iter().find_map(|modes| modes.iter().position(|mode| mode.runs)).unwrap_or(0);
        let mut ends = Vec::with_capacity(rank);
        for mode in 0..rank {
            let known = of_views.iter().find_map(|modes| modes.get(mode)?.size);
            ends.push(match (known, views.first()) {
                (Some(size), _) => b.constant(index, size)?,
                (None, Some(view)) => size(b, *view, rank, mode)?,
                (None, None) => zero,
            });
        }
        let mut order: Vec<usize> = (0..rank).rev().filter(|mode| *mode != innermost).collect();
        order.push(innermost);
        let (mut body, mut at) = (*b, vec![SliceCoord::At(0); rank]);
        for mode in order {
            let (inner, induction) = body.open_loop([zero, ends[mode], one])?;
            (body, at[mode]) = (inner, SliceCoord::Value(induction));
        }
        Ok(Self { body, at })
    }
}

/// The modes at the top of a view's layout; a leaf is its own.
fn modes(view: Val<'_>) -> Result<Vec<Mode>, Failure> {
    let term_value = ViewType::try_from(view.r#type())?.term_value()?;
    Ok(match &term_value {
        TermValue::Symbolic {
            value: Value::Layout(layout) | Value::Composed(ComposedLayout { inner: layout, .. }),
            ..
        } => {
            let mut modes = Vec::new();
            for mode in layout.modes() {
                let size = mode.size().map_err(layout_dialect::Violation::from)?.as_constant();
                let runs = matches!(mode.flat().first(), Some((_, stride)) if stride.is(1));
                modes.push(Mode { size, runs });
            }
            modes
        }
        _ => match term_value.any_layout() {
            Some(layout) => {
                let mode = |mode: &layout_algebra::Layout| Mode {
                    size: Some(mode.size()),
                    runs: matches!(mode.flat().first(), Some((_, 1))),
                };
                layout.inner().modes().iter().map(mode).collect()
            }
            None => return Err(Failure::refused(format!("expected a layout, found {term_value}"))),
        },
    })
}

/// The size of a mode of a view, at run time.
fn size<'c>(b: &Builder<'c>, view: Val<'c>, rank: usize, mode: usize) -> Result<Val<'c>, Failure> {
    let part = if rank == 1 {
        view
    } else {
        let coordinate: Vec<SliceCoord<'c, 'c>> = (0..rank)
            .map(|i| if i == mode { SliceCoord::Any } else { SliceCoord::At(0) })
            .collect();
        first_result(b.insert(
            ops::new("slice", b.location()).operands(&[view]).coordinate(&coordinate).build()?,
        ))
    };
    Ok(first_result(b.insert(ops::new("size", b.location()).operands(&[part]).build()?)))
}
