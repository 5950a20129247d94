//! Blocks in which threads do the same, and rounds of loops that repeat.
//!
//! A form *decides* where threads meet, wait, and which elements of a block's own memory they touch; what it is made of
//! is what blocks and rounds differ by. Elements of an argument decide nothing where nothing but their bounds, and that no
//! two threads store one, is left to prove, which is proved for all blocks at once ([`cover`](crate::verify::cover)).

use super::program::{By, CopyAccess, Node, Places};
use crate::verify::{
    follow::{COMPUTED, Compute, Number},
    trace::{Condition, Root},
};
use layout_algebra::gcd;
use layout_relation::IndexForm;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The symbols of a block's ids.
const IDS: std::ops::Range<u32> = 3..6;

/// Rounds after which a loop begins again, at most.
const PERIOD: i64 = 64;

/// Blocks whose decisions are compared, at most.
const BLOCKS: i64 = 1 << 16;

/// Rounds of a loop that do what those a period before did, once groups that are left open have been waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeats {
    period: i64,
    settled: i64,
}

impl Repeats {
    /// The round after those that need not be walked, where `next` comes next and `last` last.
    pub(super) fn skip(self, next: i64, last: i64, rounds: i64) -> Option<i64> {
        let left = last.checked_sub(next)? / self.period;
        (next >= rounds.max(self.settled) && left > 0).then(|| next + left * self.period)
    }

    /// Rounds that are walked, at most.
    pub(super) fn walked(self, rounds: i64) -> i64 {
        rounds.max(self.settled).saturating_add(self.period)
    }
}

/// A form, and the limit of the condition that it is in.
type Decision = (IndexForm, Option<i64>);

/// Arguments of which each thread touches elements of its own, if no two store one.
fn own_elements(nodes: &[Node<'_>]) -> BTreeSet<Root> {
    let mut all: BTreeMap<Root, Vec<&CopyAccess<'_>>> = BTreeMap::new();
    walk(nodes, &mut |node| {
        if let Node::Touch(touch) = node
            && matches!(touch.root, Root::Argument(_))
        {
            all.entry(touch.root.clone()).or_default().push(touch);
        }
    });
    let is_own = |touches: &Vec<&CopyAccess<'_>>| {
        let does = |touch: &&CopyAccess<'_>| (touch.store, matches!(touch.by, By::Atomic));
        let is_one = touches.windows(2).all(|two| does(&two[0]) == does(&two[1]));
        is_one || touches.windows(2).all(|two| are_same(two[0], two[1]))
    };
    all.into_iter().filter(|(_, touches)| is_own(touches)).map(|(root, _)| root).collect()
}

/// Whether a thread touches the same elements in both.
fn are_same(one: &CopyAccess<'_>, other: &CopyAccess<'_>) -> bool {
    let plain = |touch: &CopyAccess<'_>| matches!(touch.by, By::Thread);
    match (&one.places, &other.places) {
        (Places::Offsets(a, x), Places::Offsets(b, y)) => {
            let elements = |all: &[i64]| all.iter().copied().collect::<BTreeSet<i64>>();
            plain(one)
                && plain(other)
                && one.base == other.base
                && x == y
                && elements(a) == elements(b)
                && (one.wide, one.bytes) == (other.wide, other.bytes)
        }
        _ => false,
    }
}

fn walk<'n, 't>(nodes: &'n [Node<'t>], each: &mut dyn FnMut(&'n Node<'t>)) {
    for node in nodes {
        each(node);
        if let Node::Loop { body, .. } = node {
            walk(body, each);
        }
    }
}

/// The condition that holds in each round of a loop whose rounds are those of all threads, and how many there are.
fn in_rounds(
    bounds: &[IndexForm; 3],
    symbol: u32,
    extents: &[Option<i64>],
) -> Option<[IndexForm; 2]> {
    let [from, to, step] = bounds;
    let of_threads = |symbol: u32| !(IDS.start..COMPUTED).contains(&symbol);
    if bounds.iter().any(|bound| bound.symbols().into_iter().any(of_threads)) {
        return None;
    }
    let by = step.as_constant().filter(|&by| by > 0)?;
    let extent = extents.get(symbol as usize).copied().flatten();
    let left = IndexForm::symbol(symbol, Some(0), extent)?.scale(by)?.plus(from)?.minus(to)?;
    let count = to.minus(from)?.plus(&IndexForm::constant(by - 1))?.floor_div(by)?;
    Some([left, count])
}

/// The least and the greatest value of a form, by the extents of symbols that are only added: their bits may be of more.
fn range(form: &IndexForm, extents: &[Option<i64>]) -> (Option<i64>, Option<i64>) {
    let (mut rest, mut least, mut most) = (form.clone(), 0_i64, 0_i64);
    for symbol in form.symbols() {
        let added = || {
            let extent = extents.get(symbol as usize).copied().flatten()?;
            let whole = IndexForm::symbol(symbol, Some(0), Some(extent))?;
            let worth = rest.bits_of(symbol)?.into_iter().find(|&(bit, _)| bit == 0)?.1;
            let left = rest.minus(&whole.scale(worth)?)?;
            (!left.symbols().contains(&symbol))
                .then_some((left, worth.checked_mul(extent.checked_sub(1)?)?))
        };
        if let Some((left, end)) = added() {
            rest = left;
            least = least.saturating_add(end.min(0));
            most = most.saturating_add(end.max(0));
        }
    }
    let (low, high) = rest.range();
    (low.and_then(|low| low.checked_add(least)), high.and_then(|high| high.checked_add(most)))
}

/// Whether a condition holds wherever these do.
fn follows(
    (form, limit): (&IndexForm, i64),
    around: &[Condition],
    extents: &[Option<i64>],
) -> bool {
    matches!(range(form, extents), (_, Some(most)) if most < limit)
        || around.iter().any(|(known, below)| {
            let over = form.minus(known).and_then(|over| over.as_constant()?.checked_add(*below));
            over.is_some_and(|least| least <= limit)
        })
}

/// Whether all that a touch needs holds wherever it is.
fn is_inside(touch: &CopyAccess<'_>, extents: &[Option<i64>]) -> bool {
    let within = |form: &IndexForm, limit: i64| follows((form, limit), touch.who.around, extents);
    touch.domain.iter().all(|(form, limit)| within(form, *limit))
        && touch.coordinates.iter().all(|own| {
            let below = own.index.scale(-1).is_some_and(|form| within(&form, 1));
            below && within(&own.index, own.extent)
        })
}

/// The forms that decide what threads do in some nodes, and in those of their loops.
struct Decisions<'e> {
    own: &'e BTreeSet<Root>,
    extents: &'e [Option<i64>],
    /// Conditions that hold in the rounds around.
    rounds: Vec<IndexForm>,
    all: BTreeSet<Decision>,
}

impl<'e> Decisions<'e> {
    fn of(nodes: &[Node<'_>], own: &'e BTreeSet<Root>, extents: &'e [Option<i64>]) -> Self {
        let mut all = Self { own, extents, rounds: Vec::new(), all: BTreeSet::new() };
        nodes.iter().for_each(|node| all.node(node));
        all
    }

    fn value(&mut self, form: &IndexForm) {
        if form.as_constant().is_none() {
            self.all.insert((form.clone(), None));
        }
    }

    fn conditions(&mut self, around: &[Condition]) {
        for (form, limit) in around {
            let (least, most) = range(form, self.extents);
            let is_settled = most.is_some_and(|most| most < *limit)
                || least.is_some_and(|least| least >= *limit)
                || *limit == 0 && self.rounds.contains(form);
            if !is_settled {
                self.all.insert((form.clone(), Some(*limit)));
            }
        }
    }

    fn node(&mut self, node: &Node<'_>) {
        if let Node::Touch(touch) = node
            && self.own.contains(touch.root)
            && is_inside(touch, self.extents)
        {
            return;
        }
        // Uses of a value are followed for accesses that go wrong alone.
        if let Node::Data(..) = node {
            return;
        }
        if let Some(who) = node.who() {
            self.conditions(who.around);
        }
        match node {
            Node::Touch(touch) => {
                if !is_inside(touch, self.extents) {
                    self.conditions(touch.domain);
                    touch.coordinates.iter().for_each(|own| self.value(&own.index));
                }
                self.value(touch.base);
                touch.predicates.iter().for_each(|(form, ..)| self.value(form));
                if let By::Bulk(signal, _) = &touch.by {
                    self.value(signal.form());
                }
            }
            Node::Numbered { number, count, .. } => {
                std::iter::once(*number).chain(*count).for_each(|form| self.value(form));
            }
            Node::Warp(_, mask) => mask.iter().for_each(|(mask, _)| self.value(mask)),
            Node::Make { signal, count, .. } => {
                [signal.form(), count].into_iter().for_each(|form| self.value(form));
            }
            Node::Retire { signal, .. } => self.value(signal.form()),
            Node::Arrive(arrive) => {
                let forms = [Some(arrive.signal.form()), arrive.count, arrive.bytes];
                forms.into_iter().flatten().for_each(|form| self.value(form));
            }
            Node::Await { signal, parity, .. } => {
                std::iter::once(signal.form()).chain(*parity).for_each(|form| self.value(form));
            }
            Node::Loop { bounds, symbol, body, around, live, .. } => {
                self.conditions(around);
                self.conditions(live.unwrap_or_default());
                let mut own = 0;
                match in_rounds(bounds, *symbol, self.extents) {
                    Some([left, count]) => {
                        self.value(&count);
                        self.rounds.push(left);
                        own = 1;
                    }
                    None => bounds.iter().for_each(|bound| self.value(bound)),
                }
                body.iter().for_each(|node| self.node(node));
                self.rounds.truncate(self.rounds.len() - own);
            }
            Node::Claim(claim) => {
                self.conditions(&claim.around);
                self.value(&claim.form);
            }
            Node::Barrier(..)
            | Node::Collective(..)
            | Node::Fence(_)
            | Node::Commit(..)
            | Node::Wait(..)
            | Node::Compute(_)
            | Node::Data(..)
            | Node::Ring(..)
            | Node::Lost(_) => {}
        }
    }
}

/// Finds how the rounds of loops repeat.
pub(super) fn find(nodes: &mut [Node<'_>], extents: &[Option<i64>]) {
    let own = own_elements(nodes);
    find_in(nodes, extents, &own);
}

fn find_in(nodes: &mut [Node<'_>], extents: &[Option<i64>], own: &BTreeSet<Root>) {
    for node in nodes {
        let Node::Loop { symbol, bounds, body, repeats, .. } = node else { continue };
        find_in(body, extents, own);
        *repeats = repeats_of(body, (*symbol, bounds), own, extents);
    }
}

fn repeats_of(
    body: &[Node<'_>],
    (symbol, bounds): (u32, &[IndexForm; 3]),
    own: &BTreeSet<Root>,
    extents: &[Option<i64>],
) -> Option<Repeats> {
    let (mut groups, mut computes) = (0, false);
    walk(body, &mut |node| match node {
        Node::Wait(_, _, left) => groups = groups.max(i64::from(*left)),
        Node::Compute(compute) => computes |= !compute.symbols.is_empty(),
        _ => {}
    });
    let mut decisions = Decisions { own, extents, rounds: Vec::new(), all: BTreeSet::new() };
    decisions.rounds.extend(in_rounds(bounds, symbol, extents).map(|[left, _]| left));
    body.iter().for_each(|node| decisions.node(node));
    let extent = extents.get(symbol as usize).copied().flatten().unwrap_or(i64::MAX);
    let mut period = 1_i64;
    for (form, _) in &decisions.all {
        let own = form.period(symbol, extent)?;
        period = (period / gcd(period, own)).checked_mul(own)?;
    }
    let settled = period.checked_mul(2)?.checked_add(groups)?.checked_add(1)?;
    (!computes && period <= PERIOD).then_some(Repeats { period, settled })
}

/// How blocks differ.
#[derive(Default)]
pub(super) struct Blocks {
    /// Decisions by the ids of a block alone.
    by_ids: BTreeSet<Decision>,
    /// Whether others depend on the block too.
    is_mixed: bool,
}

impl Blocks {
    pub(super) fn of(nodes: &[Node<'_>], extents: &[Option<i64>]) -> Self {
        let own = own_elements(nodes);
        let mut computes: Vec<&Compute> = Vec::new();
        walk(nodes, &mut |node| {
            if let Node::Compute(compute) = node {
                computes.push(compute);
            }
        });
        let mut all = Self::default();
        // Integers that decisions are made of, and which of those depend on the block in ways that are not known.
        let (mut made_of, mut lost): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
        let decisions = Decisions::of(nodes, &own, extents).all;
        made_of.extend(decisions.iter().flat_map(|(form, _)| form.symbols()));
        let mut before = None;
        while before != Some((made_of.len(), lost.len())) {
            before = Some((made_of.len(), lost.len()));
            for compute in &computes {
                for (symbol, number) in &compute.symbols {
                    if !made_of.contains(symbol) {
                        continue;
                    }
                    let Some(inputs) = inputs(number) else {
                        lost.insert(*symbol);
                        continue;
                    };
                    let around = compute.around.iter().map(|(form, limit)| (form, Some(*limit)));
                    for (form, limit) in inputs.into_iter().chain(around) {
                        made_of.extend(form.symbols());
                        if !all.note((form.clone(), limit), &lost) {
                            lost.insert(*symbol);
                        }
                    }
                }
            }
        }
        for decision in decisions {
            all.is_mixed |= !all.note(decision, &lost);
        }
        all
    }

    /// Notes what behaviour depends on; whether it depends on the block as is known.
    fn note(&mut self, decision: Decision, lost: &BTreeSet<u32>) -> bool {
        let symbols = decision.0.symbols();
        let ids = symbols.iter().filter(|symbol| IDS.contains(symbol)).count();
        if ids > 0 && ids == symbols.len() {
            self.by_ids.insert(decision);
            return true;
        }
        ids == 0 && symbols.is_disjoint(lost)
    }

    /// Whether all blocks of a grid do the same, however many there are.
    pub(super) fn are_one(&self) -> bool {
        !self.is_mixed && self.by_ids.is_empty()
    }

    /// The numbers of blocks of which one does what each block does, or `None` if that is not known.
    pub(super) fn representatives(&self, [x, y, z]: [i64; 3]) -> Option<Vec<i64>> {
        if self.are_one() {
            return Some(vec![0]);
        }
        let count = x.checked_mul(y)?.checked_mul(z)?;
        if self.is_mixed || count > BLOCKS {
            return None;
        }
        let mut known: HashSet<Vec<i64>> = HashSet::new();
        let mut first = Vec::new();
        for number in 0..count {
            let ids = [number % x, number / x % y, number / x / y];
            let at = |symbol: u32| ids[(symbol - IDS.start) as usize];
            let value = |(form, limit): &Decision| {
                let value = form.at(&at)?;
                Some(limit.map_or(value, |limit| i64::from(value < limit)))
            };
            let does: Vec<i64> = self.by_ids.iter().map(value).collect::<Option<_>>()?;
            if known.insert(does) {
                first.push(number);
            }
        }
        Some(first)
    }
}

/// The forms and conditions that an integer is made of, or `None` for one that is found in memory, where each block has others.
fn inputs(number: &Number) -> Option<Vec<(&IndexForm, Option<i64>)>> {
    Some(match number {
        Number::Form(form) => vec![(form, None)],
        Number::All(conditions) => {
            conditions.iter().map(|(form, limit)| (form, Some(*limit))).collect()
        }
        Number::Arithmetic { operands, .. } => operands.iter().map(|form| (form, None)).collect(),
        Number::Lane { value, number, width, .. } => {
            [value, number, width].map(|form| (form, None)).to_vec()
        }
        Number::Lanes { value, .. } => vec![(value, None)],
        Number::Element(_) => return None,
        // A form that depends on it is not followed.
        Number::Unknown => Vec::new(),
    })
}
