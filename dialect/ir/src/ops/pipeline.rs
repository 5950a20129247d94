//! The verifier of `layout.pipeline`.

use crate::ops::prelude::*;
use crate::{atoms::WARPGROUP, diagnostics::nearest, ops::epilogue::YIELD};
use melior::ir::{RegionLike, attribute::DenseI64ArrayAttribute};

/// Blocks of a cluster that every device with clusters can run.
const MAX_CLUSTER_BLOCKS: i64 = 8;

/// Stages at most: the barriers of more of them would not leave a block's shared memory room for
/// tiles.
const MAX_STAGES: i64 = 1024;

/// Warpgroups of a block at most, the loading one among them.
const MAX_WARPGROUPS: i64 = 8;

/// The regions and how many arguments each has.
const REGIONS: [(&str, usize); 4] =
    [("load", 3), ("prologue", 1), ("mainloop", 3), ("epilogue", 1)];

/// The number of the mainloop among these.
const MAINLOOP: usize = 2;

pub(super) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    if let Ok(extents) = operation.attribute("cluster")
        && let Ok(extents) = DenseI64ArrayAttribute::try_from(extents)
        && extents.len() != 2
    {
        let refused =
            Violation::new(Code::PipelineCluster, "a cluster of 2 extents", extents.len());
        return Err(check.placed(Site::Attribute("cluster"), refused));
    }
    let facts = ops::pipeline(operation)?;
    let (rows, columns) = facts.cluster;
    let blocks = rows.checked_mul(columns).unwrap_or(i64::MAX);
    if rows < 1 || columns < 1 || blocks > MAX_CLUSTER_BLOCKS {
        let expected = format!("a cluster of 1 to {MAX_CLUSTER_BLOCKS} blocks");
        let found = format!("({rows},{columns})");
        let rows = rows.clamp(1, MAX_CLUSTER_BLOCKS);
        let columns = columns.clamp(1, MAX_CLUSTER_BLOCKS / rows);
        let refused = Violation::new(Code::PipelineCluster, expected, found)
            .hint(format!("({rows},{columns}) is the nearest"));
        check.refuse_for(Site::Attribute("cluster"), refused);
    }
    for (name, found) in [("depth", facts.depth), ("stages", facts.stages)] {
        if found < 1 {
            let refused =
                Violation::new(Code::PipelineCount, format!("{name} of at least 1"), found);
            check.refuse_for(Site::Attribute(name), refused.hint("1 is the least"));
        }
    }
    if facts.stages == 1 && leaves_in_flight(operation)? {
        let expected = "at least 2 stages where the mainloop leaves MMAs in flight, since a stage is released a step later";
        let refused = Violation::new(Code::PipelineCount, expected, facts.stages);
        check.refuse_for(Site::Attribute("stages"), refused.hint("2 is the least"));
    }
    let expected = format!("at most {MAX_STAGES} stages");
    check.within("stages", Code::PipelineCount, facts.stages, i64::MIN..=MAX_STAGES, &expected);
    if facts.consumers < WARPGROUP || facts.consumers % WARPGROUP != 0 {
        let expected =
            format!("consumers to be a multiple of {WARPGROUP}, the threads of a warpgroup");
        let nearest = nearest::multiple(facts.consumers, WARPGROUP);
        let refused = Violation::new(Code::PipelineConsumers, expected, facts.consumers)
            .hint_if(nearest.map(|count| format!("{count} is the nearest")));
        check.refuse_for(Site::Attribute("consumers"), refused);
    }
    let most = (MAX_WARPGROUPS - 1) * WARPGROUP;
    let expected = format!("at most {most} consumer threads besides the producer warpgroup");
    let code = Code::PipelineConsumers;
    check.within("consumers", code, facts.consumers, i64::MIN..=most, &expected);
    let even = |ping_pong: i64| {
        let group = WARPGROUP.checked_mul(ping_pong);
        ping_pong == 1 || group.is_some_and(|group| facts.consumers % group == 0)
    };
    if facts.ping_pong < 1 || !even(facts.ping_pong) {
        let expected = format!(
            "at least one consumer group, of a multiple of {WARPGROUP} of the {} consumers each",
            facts.consumers
        );
        let found = format!("{} consumer groups", facts.ping_pong);
        let nearest = nearest::number(facts.ping_pong, even);
        let refused = Violation::new(Code::PipelinePingPong, expected, found)
            .hint_if(nearest.map(|count| format!("{count} is the nearest")));
        check.refuse_for(Site::Attribute("ping_pong"), refused);
    }
    for (i, (name, expected)) in REGIONS.into_iter().enumerate() {
        let region = operation.region(i)?;
        let Some(block) = region.first_block() else {
            let expected = format!("{name} to have a block");
            return Err(Violation::new(Code::PipelineRegion, expected, "none"));
        };
        let found = block.argument_count();
        let indices = (0..found).all(|i| tree::argument(block, i).r#type().is_index());
        if found != expected || !indices {
            let expected = format!("{name} to have {expected} arguments of type index");
            let found = format!("{found}{}", if indices { "" } else { ", not all of that type" });
            check.refuse(Site::Nowhere, Code::PipelineRegion, expected, found);
        }
        // Those of branches, too.
        let inside = tree::all_of(block);
        if let Some(&barrier) = inside.iter().find(|&&inner| ops::is_block_barrier(inner)) {
            let expected = format!(
                "no block-wide barrier in {name}, which the producer warpgroup does not execute"
            );
            let hint = "use nvvm.barrier with an id and the number of consumer threads";
            let refused = Violation::new(Code::PipelineBarrier, expected, tree::name(barrier));
            check.refuse_for(Site::Nowhere, refused.hint(hint));
        }
        let is_im2col = |inner: &OperationRef<'_, '_>| tree::name(*inner) == "layout.copy_im2col";
        if name != "load" && inside.iter().any(is_im2col) {
            let expected = format!("no bulk copies in {name}");
            check.refuse(Site::Nowhere, Code::PipelineCopies, expected, "layout.copy_im2col");
        }
        for copy in inside {
            let Some(atom) = ops::instruction(copy) else { continue };
            let Some(kind) = atom.copy_kind() else { continue };
            let bulk = kind.is_bulk_load();
            if (name == "load") != bulk {
                let kind = if bulk { "no bulk copies" } else { "bulk copies only" };
                let refused =
                    Violation::new(Code::PipelineCopies, format!("{kind} in {name}"), atom.name);
                check.violations.push(Check::new(copy).placed(Site::Attribute("atom"), refused));
            }
        }
    }
    if facts.varies {
        check.violations.extend(steps(operation, facts.ping_pong)?);
    }
    Ok(())
}

/// Whether MMAs of a step are waited for in the next one: those of warpgroups in the mainloop itself, and not in a loop or
/// branch of it, but for those of registers where it writes registers.
fn leaves_in_flight(operation: OperationRef<'_, '_>) -> Result<bool, Violation> {
    let Some(mainloop) = operation.region(MAINLOOP)?.first_block() else { return Ok(false) };
    let writes_registers = tree::all_of(mainloop).into_iter().any(|inner| {
        let at = match tree::name(inner).as_str() {
            "layout.copy" | "layout.store" => 1,
            "layout.fill" => 0,
            _ => return false,
        };
        let view = (inner.operand_count() > at)
            .then(|| ViewType::try_from(operand(inner, at).r#type()).ok())
            .flatten();
        view.is_some_and(|view| view.space() == Space::Register)
    });
    let is_left = |inner: OperationRef<'_, '_>| {
        let mma = ops::instruction(inner).and_then(|atom| atom.mma());
        let mma = mma.filter(|mma| mma.b_space == Space::Shared);
        mma.is_some_and(|mma| mma.a_space == Space::Shared || !writes_registers)
            && !ops::has_two_levels(inner)
            && !ops::is_async(inner)
    };
    Ok(tree::operations(mainloop).into_iter().any(is_left))
}

/// The error of the region that says how many steps a tile has.
fn steps(operation: OperationRef<'_, '_>, ping_pong: i64) -> Result<Option<Violation>, Violation> {
    let wrong = |expected: &str, found: String| {
        Ok(Some(Violation::new(Code::PipelineSteps, expected.to_owned(), found)))
    };
    if ping_pong != 1 {
        return wrong(
            "one consumer group in a pipeline with a steps region",
            format!("{ping_pong} consumer groups"),
        );
    }
    let region = operation.region(ops::PIPELINE_STEPS)?;
    let Some(block) = region.first_block() else { return Ok(None) };
    let arguments = block.argument_count();
    if arguments != 1 || !tree::argument(block, 0).r#type().is_index() {
        return wrong("steps to have 1 argument of type index", format!("{arguments}"));
    }
    let mut all = tree::operations(block);
    match all.pop() {
        // It is verified later: so far it may have any operands.
        Some(last)
            if tree::name(last) == YIELD
                && last.operand_count() == 1
                && operand(last, 0).r#type().is_index() => {}
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
