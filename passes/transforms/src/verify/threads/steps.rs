//! The steps of a program of threads, as nodes.

use super::{
    build::Builder,
    program::{Arrive, By, Data, Groups, Node, Signal},
};
use crate::verify::{
    data_flow::{Flow, How},
    follow::{Phase, PhaseKind, Step},
    trace::{Copy, Root},
};

impl<'t> Builder<'t> {
    pub(super) fn step(&mut self, step: &'t Step) {
        match step {
            Step::Compute(compute) => {
                if !compute.symbols.is_empty() || !self.loops_are_empty() {
                    self.push(Node::Compute(compute));
                }
            }
            Step::Phase(phase) => self.phase(phase),
            Step::Warp(around) => {
                let who = self.who(around);
                self.push(Node::Warp(who, None));
            }
            Step::Collective(collective) => {
                let who = self.who(&collective.around);
                self.push(Node::Collective(who, collective));
            }
            Step::Mmas(left, around) => {
                let who = self.who(around);
                self.push(Node::Wait(Groups::Mmas, who, *left));
            }
            Step::Flow(flow) => self.flow(flow),
        }
    }

    /// Data of an access goes to or comes from a value, or from values to others.
    fn flow(&mut self, flow: &'t Flow) {
        let last = self.accessed.filter(|last| last.operation == flow.operation);
        let (copy, source) = match (&flow.how, last) {
            (How::Loaded, Some(last)) => (Some(last.copy), last.source),
            (How::Stored, Some(last)) => (Some(last.copy), None),
            _ => (None, None),
        };
        self.followed.extend(source.map(|(event, _)| event));
        let who = self.who(&flow.around);
        self.push(Node::Data(who, Data { flow: Some(flow), copy, source }));
    }

    fn phase(&mut self, phase: &'t Phase) {
        let who = self.who(&phase.around);
        let signal = Signal::At(Some(phase.buffer), &phase.number);
        let operation = phase.operation;
        self.push(match &phase.kind {
            PhaseKind::Make(count) => Node::Make { who, signal, count },
            PhaseKind::Wait(round) => Node::Await { who, signal, parity: Some(round), operation },
            PhaseKind::Arrive(bytes) => Node::Arrive(Box::new(Arrive {
                who,
                signal,
                count: None,
                bytes: bytes.as_ref(),
                mmas: false,
                operation,
            })),
        });
    }

    /// The barrier that a bulk load completes at, and its bytes.
    pub(super) fn transaction(&self, copy: &'t Copy) -> Option<By<'t>> {
        let (barrier, target) = (copy.barrier.as_ref()?, copy.target.as_ref()?);
        let Root::Buffer(buffer) = barrier.root else { return None };
        let bytes = target.size().checked_mul(target.bytes)?;
        let is_plain = barrier.outer.is_nothing() && barrier.layout.at(0).ok()? == 0;
        let by = By::Bulk(Signal::At(Some(buffer), &barrier.base), bytes);
        (is_plain && self.follows(&barrier.base)).then_some(by)
    }
}
