//! `layout.pipeline`: the regions of its consumers and of its loading thread, each in loops over tiles and steps.

use super::{
    carried_values::CarriedValue,
    trace::{Event, Point, Reader, Root},
};
use layout_dialect::{ops, tree};
use layout_relation::IndexForm;
use melior::ir::{OperationRef, operation::OperationLike};

impl Reader {
    /// A pipeline's regions: what its consumers do, then what its loading thread does, each a loop over
    /// tiles and, inside, over steps.
    pub(super) fn pipeline(&mut self, operation: OperationRef<'_, '_>) {
        const LOAD: usize = 0;
        const PROLOGUE: usize = 1;
        const MAINLOOP: usize = 2;
        const EPILOGUE: usize = 3;
        let Ok(facts) = ops::pipeline(operation) else {
            return self.unmodelled("a pipeline without its numbers");
        };
        let outside = self.threads;
        let bounds = [0, 1, 2].map(|at| self.form(operation, at));
        if bounds.iter().any(Option::is_none) {
            return self.unmodelled("a pipeline whose bounds are not known");
        }
        self.meet(Some(Point::Begin(facts)));

        self.threads = Some(facts.consumers);
        self.meet(Some(Point::Consume));
        // A consumer group takes those of the block's tiles whose number is its own modulo the consumer groups.
        let group = match facts.ping_pong {
            1 => Some(IndexForm::constant(0)),
            _ => self.thread().and_then(|thread| thread.floor_div(facts.group_threads())),
        };
        let [first, count, stride] = bounds.clone();
        let first = (|| first?.plus(&stride.as_ref()?.times(group.as_ref()?)?))();
        let stride = stride.and_then(|stride| stride.scale(facts.ping_pong));
        let tile = self.open([first, count, stride]);
        let number = (|| self.round()?.scale(facts.ping_pong)?.plus(&group?))();
        let steps = self.steps(operation, facts, &tile, number.as_ref());
        let step = |k: &IndexForm| steps.before.as_ref()?.plus(k);
        let stage = |k: &Option<IndexForm>| step(k.as_ref()?)?.modulo(facts.stages);
        self.region(operation, PROLOGUE, std::slice::from_ref(&tile));
        if facts.ping_pong > 1 {
            self.meet(number.clone().map(Point::Turn));
        }
        let k = self.open_steps(&steps);
        self.meet(k.as_ref().and_then(step).map(Point::Full));
        self.region(operation, MAINLOOP, &[tile.clone(), k.clone(), stage(&k)]);
        self.meet(k.as_ref().and_then(|k| Some(Point::Read(step(k)?, k.clone()))));
        self.close_steps();
        if facts.ping_pong > 1 {
            self.meet(number.map(Point::Issued));
        }
        let last = steps.depth.as_ref().and_then(|depth| depth.plus(&IndexForm::constant(-1)));
        self.meet(last.as_ref().and_then(step).map(Point::Last));
        self.region(operation, EPILOGUE, &[tile]);
        self.next_tile(&steps);

        self.threads = Some(1);
        self.meet(Some(Point::Produce));
        let tile = self.open(bounds);
        let number = self.round();
        let steps = self.steps(operation, facts, &tile, number.as_ref());
        if facts.cluster != (1, 1) && !facts.varies {
            // The producer continues from what the loop leaves of it.
            self.event(Event::PassedOn("scf.for".to_owned(), vec![carried(steps.before.clone())]));
        }
        let k = self.open_steps(&steps);
        let step = k.as_ref().and_then(|k| steps.before.as_ref()?.plus(k));
        let stage = step.as_ref().and_then(|step| step.modulo(facts.stages));
        self.meet(step.map(Point::Empty));
        self.region(operation, LOAD, &[tile, k, stage]);
        self.close_steps();
        let steps_of_all = self.next_tile(&steps);
        if facts.cluster != (1, 1) {
            let number = |value| Some(IndexForm::constant(value));
            let all = self.steps_after(steps_of_all);
            let k = self.open([number(0), number(facts.stages), number(1)]);
            self.meet(k.zip(all).and_then(|(k, all)| Some(Point::Drained(all.plus(&k)?))));
            self.close();
        }
        self.meet(Some(Point::End));
        self.threads = outside;
    }

    /// The steps of a tile, and of those before it. Where tiles have steps of their own, those before are
    /// what a loop carries: a symbol, and what it is in the first round and grows by.
    fn steps(
        &mut self,
        operation: OperationRef<'_, '_>,
        facts: ops::PipelineFacts,
        tile: &Option<IndexForm>,
        number: Option<&IndexForm>,
    ) -> Steps {
        let symbol = self.carried;
        self.carried = symbol.saturating_add(1);
        if !facts.varies {
            let before = number.and_then(|number| number.scale(facts.depth));
            return Steps { before, depth: Some(IndexForm::constant(facts.depth)), varies: false };
        }
        // Stages and parities repeat after two rounds, from which both sides count.
        let none = facts.stages.saturating_mul(2);
        let before = IndexForm::symbol(symbol, Some(none), Some(MAX_STEPS));
        if let Some(before) = &before {
            self.trace.given.say(symbol, before.clone());
        }
        let none = Some(IndexForm::constant(none));
        self.event(Event::PassedOn("scf.for".to_owned(), vec![carried(none)]));
        let region = operation.region(ops::PIPELINE_STEPS).ok();
        let block = region.as_ref().and_then(melior::ir::RegionLike::first_block);
        let depth = block.and_then(|block| {
            self.bind(block, 0, tile.clone());
            let mut inside = tree::operations(block);
            let last = inside.pop()?;
            inside.into_iter().for_each(|inner| self.operation(inner));
            self.form(last, 0)
        });
        Steps { before, depth, varies: true }
    }

    /// A loop over steps, which carries the stage of a step and its parity.
    fn open_steps(&mut self, steps: &Steps) -> Option<IndexForm> {
        let number = |value| Some(IndexForm::constant(value));
        let k = self.open([number(0), steps.depth.clone(), number(1)]);
        self.carried = self.carried.saturating_add(SLOT);
        k
    }

    /// The loop over steps ends, which leaves what it carries.
    fn close_steps(&mut self) {
        self.close();
        self.carried = self.carried.saturating_add(SLOT);
    }

    /// A loop over tiles ends, which leaves the symbol of its count of steps.
    fn next_tile(&mut self, steps: &Steps) -> u32 {
        if steps.varies {
            let next = steps.before.as_ref().zip(steps.depth.as_ref());
            let next = next.and_then(|(before, depth)| before.plus(depth));
            self.event(Event::PassedOn("scf.yield".to_owned(), vec![carried(next)]));
        }
        self.close();
        let left = self.carried;
        self.carried = left.saturating_add(1);
        left
    }

    /// The steps of all tiles, after a loop over tiles.
    fn steps_after(&mut self, symbol: u32) -> Option<IndexForm> {
        let all = IndexForm::symbol(symbol, Some(0), Some(MAX_STEPS))?;
        self.trace.given.say(symbol, all.clone());
        Some(all)
    }

    fn meet(&mut self, point: Option<Point>) {
        match point {
            Some(point) => self.event(Event::Point(point, self.around.clone())),
            None => self.unmodelled("a step of a pipeline that is not known"),
        }
    }

    /// A region of a pipeline, with its tile, and its step and the stage that goes with it.
    fn region(
        &mut self,
        operation: OperationRef<'_, '_>,
        number: usize,
        arguments: &[Option<IndexForm>],
    ) {
        let Ok(region) = operation.region(number) else { return };
        let Some(block) = melior::ir::RegionLike::first_block(&region) else { return };
        for (at, argument) in arguments.iter().enumerate() {
            self.bind(block, at, argument.clone());
        }
        self.block(block);
    }
}

/// No more steps than that are counted, in integers of 32 bits.
const MAX_STEPS: i64 = 1 << 30;

/// Symbols of the slot that a loop over steps carries.
const SLOT: u32 = 2;

/// The steps of a pipeline's tile.
struct Steps {
    /// Those of all tiles before.
    before: Option<IndexForm>,
    depth: Option<IndexForm>,
    /// Whether tiles have steps of their own.
    varies: bool,
}

/// A count of steps that a loop passes on.
fn carried(count: Option<IndexForm>) -> CarriedValue {
    CarriedValue { value: count.map(|count| (Root::Nothing, count)), bytes: 4, offset: false }
}
