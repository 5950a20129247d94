//! `layout.cooperative_copy`: its verification, and its expansion to partitions of both tiles and a copy.

use crate::ops::prelude::*;
use crate::{
    atoms::tiled::{Side, TiledCopy},
    data::{
        attributes::{AtomAttribute, TiledCopyAttribute},
        types::element_bytes,
    },
    ops::{
        copy::{self, Views},
        infer, tiled,
    },
    pass::build::context_of,
};
use melior::ir::{
    Identifier, Operation, Value as Val,
    attribute::{DictionaryAttribute, StringAttribute},
};

/// The operation that is written out.
pub(crate) const NAME: &str = "layout.cooperative_copy";

/// The target's number among the operands.
const TARGET: usize = 1;

pub(super) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let tiled = tiled_copy(operation)?;
    let views = copy::views(operation)?;
    if views[..=TARGET].iter().all(|view| view.space() == Space::Register) {
        let expected = "at least one side in global or shared memory";
        let refused = Violation::new(Code::CopySpaces, expected, "two fragments")
            .hint("layout.copy copies from registers to registers");
        return Err(check.placed(Site::Operand(TARGET, Part::Space), refused));
    }
    tiles(check, tiled, &views)?;
    if !check.violations.is_empty() {
        return Ok(());
    }
    let parts = (0..views.len())
        .map(|i| part(operation, i, views[i]))
        .collect::<Result<Vec<_>, Violation>>()?;
    let atom = tiled.atom();
    let kind =
        atom.copy_kind().ok_or_else(|| Violation::new(Code::CopyAtom, "a copy atom", atom.name))?;
    // The thread follows the limits.
    let limits = operation.operand_count() - views.len() - 1;
    copy::checked(check, atom, kind, &Views { views: &parts, limits })
}

pub(super) fn tiled_copy<'c>(operation: OperationRef<'c, '_>) -> Result<&'c TiledCopy, Violation> {
    Ok(TiledCopyAttribute::try_from(operation.attribute("tiled")?)?.tiled()?)
}

/// Refuses tiles that the tiled copy does not cover as a whole, or whose elements would not meet.
fn tiles(
    check: &mut Check<'_, '_>,
    tiled: &TiledCopy,
    views: &[ViewType<'_>],
) -> Result<(), Violation> {
    let (tile, _) = tiled.spread()?;
    let (by, tile) = (tile.to_string(), tile.leaves());
    let mut first: Option<Vec<i64>> = None;
    for (i, view) in views.iter().enumerate().filter(|(_, view)| view.space() != Space::Register) {
        let side = match i {
            0 => "source".to_owned(),
            TARGET => "target".to_owned(),
            i => format!("predicate {}", i - TARGET - 1),
        };
        let shape = shape_of(&view.term_value()?)?;
        let extents = extents(&shape, tile.len())?;
        let mut refuse = |expected: String| {
            check.refuse(
                Site::Operand(i, Part::Shape),
                Code::CooperativeTile,
                expected,
                view.text(),
            );
        };
        let is_whole =
            |extents: &[i64]| extents.iter().zip(&tile).all(|(extent, tile)| extent % tile == 0);
        let Some(extents) = extents.filter(|extents| is_whole(extents)) else {
            let expected = format!(
                "a {side} with static extents that are multiples of the tiled copy's tile {by}"
            );
            refuse(expected);
            continue;
        };
        let known = first.get_or_insert_with(|| extents.clone());
        if *known != extents {
            let text: Vec<String> = known.iter().map(ToString::to_string).collect();
            let expected = format!("a {side} with the other side's extents ({})", text.join(","));
            refuse(expected);
        }
    }
    Ok(())
}

/// The extents of the first modes, as many as a tile has, or `None` if there are fewer, or one is not known.
fn extents(shape: &Nested<Expr>, count: usize) -> Result<Option<Vec<i64>>, Violation> {
    let sizes = mode_sizes(shape)?;
    Ok(sizes.get(..count).and_then(|sizes| sizes.iter().copied().collect()))
}

/// The type of a thread's part of an operand.
fn part<'c>(
    operation: OperationRef<'c, '_>,
    i: usize,
    view: ViewType<'c>,
) -> Result<ViewType<'c>, Violation> {
    let context = context_of(operation);
    let bytes = element_bytes(view.element_type()).filter(|_| view.space() != Space::Coordinate);
    let (side, copy) = (side(i), tiled_copy(operation)?);
    let (moved, place) = match view.space() {
        Space::Register => (copy.retile(bytes).map(drop), Part::Shape),
        _ => (copy.partition(side, bytes).map(drop), Part::Layout),
    };
    moved.map_err(|refused| refused.at(tiled::place_of_tiled(&Adaptor::of(operation))))?;
    let Step { name, operands, attributes } = step(operation, i, view)?;
    let attributes: Vec<_> = attributes
        .into_iter()
        .map(|(name, attribute)| (Identifier::new(context, name), attribute))
        .collect();
    let attributes = DictionaryAttribute::new(context, &attributes);
    let adaptor = Adaptor::unmade(context, &operands, attributes.into());
    let types = infer::infer(name, &adaptor)
        .map_err(|refused| refused.at(parts::of_operand(operation, i, place)))?;
    types.first().map_or_else(
        || Err(Violation::new(Code::Operand, "a view", "none")),
        |&r#type| ViewType::try_from(r#type).map_err(Violation::from),
    )
}

/// The side that an operand is divided as: predicates limit the source.
fn side(i: usize) -> Side {
    if i == TARGET { Side::Target } else { Side::Source }
}

/// The operation that gives a thread's part of an operand.
struct Step<'c> {
    name: &'static str,
    operands: Vec<Val<'c, 'c>>,
    attributes: Vec<(&'static str, Attribute<'c>)>,
}

fn step<'c>(
    operation: OperationRef<'c, '_>,
    i: usize,
    view: ViewType<'c>,
) -> Result<Step<'c>, Violation> {
    let context = context_of(operation);
    let string = |text: &str| StringAttribute::new(context, text).into();
    let (source, tiled) = (operand(operation, i), ("tiled", operation.attribute("tiled")?));
    if view.space() == Space::Register {
        return Ok(Step { name: "retile", operands: vec![source], attributes: vec![tiled] });
    }
    let thread = operand(operation, operation.operand_count() - 1);
    let coord = string(&Pattern::Dynamic.to_string());
    Ok(Step {
        name: "partition",
        operands: vec![source, thread],
        attributes: vec![("coord", coord), tiled, ("part", string(side(i).name()))],
    })
}

/// Writes a cooperative copy out: the parts, and the copy of one to the other, which is passed to `insert` last.
pub(crate) fn write_out<'c>(
    operation: OperationRef<'c, 'c>,
    insert: &mut dyn FnMut(Operation<'c>) -> OperationRef<'c, 'c>,
) -> Result<OperationRef<'c, 'c>, melior::Error> {
    let refused = |_| melior::Error::OperationBuild;
    let (context, location) = (context_of(operation), operation.location());
    let views = copy::views(operation).map_err(refused)?;
    let mut operands = Vec::with_capacity(operation.operand_count() - 1);
    for (i, &view) in views.iter().enumerate() {
        let Step { name, operands: of_step, attributes } =
            step(operation, i, view).map_err(refused)?;
        let new = ops::new(name, location).operands(&of_step);
        let new = attributes.into_iter().fold(new, |new, (name, value)| new.attribute(name, value));
        operands.push(first_result(insert(new.build()?)));
    }
    let limits = views.len()..operation.operand_count() - 1;
    operands.extend(limits.map(|i| operand(operation, i)));
    let atom = tiled_copy(operation).map_err(refused)?.atom();
    let copy = ops::new("copy", location)
        .operands(&operands)
        .attribute("atom", AtomAttribute::new(context, atom))
        .attribute("limits", operation.attribute("limits")?)
        .results(&[]);
    Ok(insert(copy.build()?))
}
