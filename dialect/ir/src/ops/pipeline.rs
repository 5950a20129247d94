//! The verifier of `layout.pipeline`.

use crate::{
    atoms::WARPGROUP,
    diagnostics::{codes::Code, nearest, violation::Violation},
    ops::{self, epilogue::YIELD, parts},
    pass::{
        build::{Val, operand},
        tree,
    },
};
use melior::ir::{
    BlockLike, OperationRef, RegionLike, TypeLike, Value, ValueLike,
    attribute::DenseI64ArrayAttribute, operation::OperationLike,
};
use mlir_sys::mlirTypeIsAIndex;

/// Blocks of a cluster that every device with clusters can run.
const MOST_BLOCKS: i64 = 8;

/// Stages at most: the barriers of more of them would not leave a block's shared memory room for
/// tiles.
const MOST_STAGES: i64 = 1024;

/// Warpgroups of a block at most, the loading one among them.
const MOST_WARPGROUPS: i64 = 8;

/// The regions and how many arguments each has.
const REGIONS: [(&str, usize); 4] = [("load", 3), ("start", 1), ("step", 3), ("finish", 1)];

pub(super) fn verify(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    if let Ok(extents) = operation.attribute("cluster")
        && let Ok(extents) = DenseI64ArrayAttribute::try_from(extents)
        && extents.len() != 2
    {
        let place = parts::of_attribute(operation, "cluster");
        return Err(Violation::new(Code::PipelineCluster, "a cluster of 2 extents", extents.len())
            .at(place));
    }
    let facts = ops::pipeline(operation)?;
    let (rows, columns) = facts.cluster;
    let blocks = rows.checked_mul(columns).unwrap_or(i64::MAX);
    if rows < 1 || columns < 1 || blocks > MOST_BLOCKS {
        let expected = format!("a cluster of 1 to {MOST_BLOCKS} blocks");
        let found = format!("({rows},{columns})");
        let place = parts::of_attribute(operation, "cluster");
        let rows = rows.clamp(1, MOST_BLOCKS);
        let columns = columns.clamp(1, MOST_BLOCKS / rows);
        let like = format!("({rows},{columns}) is the nearest");
        violations
            .push(Violation::new(Code::PipelineCluster, expected, found).hint(like).at(place));
    }
    for (name, found) in [("depth", facts.depth), ("stages", facts.stages)] {
        if found < 1 {
            let expected = format!("{name} of at least 1");
            violations.push(
                Violation::new(Code::PipelineCount, expected, found)
                    .hint("1 is the least")
                    .at(parts::of_attribute(operation, name)),
            );
        }
    }
    if facts.stages > MOST_STAGES {
        let expected = format!("at most {MOST_STAGES} stages");
        violations.push(
            Violation::new(Code::PipelineCount, expected, facts.stages)
                .hint(format!("{MOST_STAGES} is the nearest"))
                .at(parts::of_attribute(operation, "stages")),
        );
    }
    if facts.consumers < WARPGROUP || facts.consumers % WARPGROUP != 0 {
        let expected =
            format!("consumers to be a multiple of {WARPGROUP}, the threads of a warpgroup");
        let nearest = nearest::multiple(facts.consumers, WARPGROUP);
        violations.push(
            Violation::new(Code::PipelineConsumers, expected, facts.consumers)
                .hint_if(nearest.map(|count| format!("{count} is the nearest")))
                .at(parts::of_attribute(operation, "consumers")),
        );
    }
    let most = (MOST_WARPGROUPS - 1) * WARPGROUP;
    if facts.consumers > most {
        let expected = format!("at most {most} consumers, beside the warpgroup that loads");
        violations.push(
            Violation::new(Code::PipelineConsumers, expected, facts.consumers)
                .hint(format!("{most} is the nearest"))
                .at(parts::of_attribute(operation, "consumers")),
        );
    }
    let group = WARPGROUP.saturating_mul(facts.ping_pong);
    if facts.ping_pong < 1 || (facts.ping_pong > 1 && facts.consumers % group != 0) {
        let expected = format!(
            "at least one consumer group, of a multiple of {WARPGROUP} of the {} consumers each",
            facts.consumers
        );
        let found = format!("{} consumer groups", facts.ping_pong);
        let even = |ping_pong: i64| {
            let group = WARPGROUP.checked_mul(ping_pong);
            ping_pong == 1 || group.is_some_and(|group| facts.consumers % group == 0)
        };
        violations.push(
            Violation::new(Code::PipelinePingPong, expected, found)
                .hint_if(
                    nearest::number(facts.ping_pong, even).map(|n| format!("{n} is the nearest")),
                )
                .at(parts::of_attribute(operation, "ping_pong")),
        );
    }
    for (i, (name, expected)) in REGIONS.into_iter().enumerate() {
        let region = operation.region(i)?;
        let Some(block) = region.first_block() else {
            let expected = format!("{name} to have a block");
            return Err(Violation::new(Code::PipelineRegion, expected, "none"));
        };
        let found = block.argument_count();
        let indices = (0..found).all(|i| {
            block.argument(i).is_ok_and(|argument| {
                // SAFETY: the argument's type is valid.
                unsafe { mlirTypeIsAIndex(Value::from(argument).r#type().to_raw()) }
            })
        });
        if found != expected || !indices {
            let expected = format!("{name} to have {expected} arguments of type index");
            let found = format!("{found}{}", if indices { "" } else { ", not all of that type" });
            violations.push(Violation::new(Code::PipelineRegion, expected, found));
        }
        // Those of branches, too.
        let inside = tree::operations(block).into_iter();
        let inside: Vec<_> =
            inside.flat_map(|inner| [vec![inner], tree::all(inner)].concat()).collect();
        if let Some(&barrier) = inside.iter().find(|&&inner| ops::is_block_barrier(inner)) {
            let expected = format!(
                "no barrier for all threads of the block in {name}, which the warpgroup that loads \
                 does not execute"
            );
            let hint =
                "nvvm.barrier with an id and the number of consumers synchronises those alone";
            violations.push(
                Violation::new(Code::PipelineBarrier, expected, tree::name(barrier)).hint(hint),
            );
        }
        let im2col = |inner: &&OperationRef<'_, '_>| tree::name(**inner) == "layout.copy_im2col";
        if name != "load" && inside.iter().any(|inner| im2col(&inner)) {
            let expected = format!("no bulk copies in {name}");
            violations.push(Violation::new(Code::PipelineCopies, expected, "layout.copy_im2col"));
        }
        for copy in inside {
            let Some(atom) = ops::instruction(copy) else { continue };
            let Some(kind) = atom.copy_kind() else { continue };
            let bulk = kind.is_bulk_load();
            if (name == "load") != bulk {
                let kind = if bulk { "no bulk copies" } else { "bulk copies only" };
                let expected = format!("{kind} in {name}");
                let place = parts::of_attribute(copy, "atom");
                violations
                    .push(Violation::new(Code::PipelineCopies, expected, atom.name).at(place));
            }
        }
    }
    if facts.varies {
        violations.extend(steps(operation, facts.ping_pong)?);
    }
    Ok(())
}

/// The error of the region that says how many steps a tile has.
fn steps(operation: OperationRef<'_, '_>, ping_pong: i64) -> Result<Option<Violation>, Violation> {
    let wrong = |expected: &str, found: String| {
        Ok(Some(Violation::new(Code::PipelineSteps, expected.to_owned(), found)))
    };
    if ping_pong != 1 {
        return wrong(
            "one consumer group where tiles have steps of their own",
            format!("{ping_pong} consumer groups"),
        );
    }
    let region = operation.region(ops::PIPELINE_STEPS)?;
    let Some(block) = region.first_block() else { return Ok(None) };
    let is_index = |value: Val<'_>| {
        // SAFETY: the value's type is valid.
        unsafe { mlirTypeIsAIndex(value.r#type().to_raw()) }
    };
    let arguments = block.argument_count();
    if arguments != 1 || !is_index(tree::argument(block, 0)) {
        return wrong("steps to have 1 argument of type index", format!("{arguments}"));
    }
    let mut all = tree::operations(block);
    match all.pop() {
        // It is verified later: so far it may have any operands.
        Some(last)
            if tree::name(last) == YIELD
                && last.operand_count() == 1
                && is_index(operand(last, 0)) => {}
        last => {
            let found = last.map_or("nothing".to_owned(), tree::name);
            return wrong("steps to end with layout.yield of an index", found);
        }
    }
    let stranger = all.into_iter().find(|&inner| {
        !tree::name(inner).starts_with("arith.") || inner.regions().next().is_some()
    });
    match stranger {
        Some(stranger) => wrong("operations of arith in steps", tree::name(stranger)),
        None => Ok(None),
    }
}
