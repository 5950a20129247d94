//! Two traces of one function, before and after a pass that keeps its structure: the same loops and
//! barriers, and between them the same accesses at the same addresses.
//!
//! Loads, stores and accesses of matrices to each memory are compared in their order; how loads of
//! one memory are among those of another between two barriers is left to the pass. Buffers may
//! move: each is found again at one offset, and no two overlap, unless they never live at once ([`live_ranges`]).

use super::{
    Findings,
    carried_values::{CARRIED, CarriedValue},
    follow::COMPUTED,
    live_ranges, pipeline,
    segments::{Class, Segment, segments},
    trace::{Access, Condition, Event, Instruction, Kind, PARAMETERS, Root, Trace},
};
use layout_relation::{Compared, IndexForm, Limits};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Compares two traces of a function.
pub(super) fn compare(before: &Trace, after: &Trace, findings: &mut Findings) {
    super::claims::compare(before, after, findings);
    let (left, right) = (segments(before), segments(after));
    let mut comparison = Comparison {
        before,
        findings,
        moved: BTreeMap::new(),
        reserved: Vec::new(),
        inside: Vec::new(),
        differences: HashMap::new(),
    };
    // The events that become instructions of the copy engine and the matrix engine.
    let is_whole = |event: &Event| match event {
        Event::Point(..) | Event::Views(..) => true,
        Event::Copy(copy) => copy.kind.is_bulk(),
        _ => false,
    };
    if before.events.iter().any(is_whole) && !after.events.iter().any(is_whole) {
        pipeline::compare(after, &mut comparison);
        return comparison.overlaps(before);
    }
    comparison.maps(after);
    comparison.unmodelled(&left, &right);
    if left.len() != right.len() {
        let message = format!(
            "expected the {} loops and barriers of @{}, found {}",
            left.len() - 1,
            before.name,
            right.len() - 1
        );
        // An operation that is not understood may be a loop.
        let understood = left.iter().chain(&right).all(|segment| segment.unmodelled.is_empty());
        return match understood {
            true => comparison.findings.refute(message),
            false => comparison.findings.unknown(message),
        };
    }
    for (left, right) in left.iter().zip(&right) {
        comparison.boundary(left, right);
        comparison.accesses(left, right);
        comparison.views(left, right);
    }
    comparison.overlaps(before);
}

pub(super) struct Comparison<'a> {
    pub(super) before: &'a Trace,
    pub(super) findings: &'a mut Findings,
    /// Where each buffer went: the memory, and the offset there.
    pub(super) moved: BTreeMap<usize, (Root, i64)>,
    /// Shared memory that is no buffer's: where it begins, and its bytes.
    pub(super) reserved: Vec<(i64, i64)>,
    /// Where what is compared means something, besides what holds always.
    pub(super) inside: Vec<Condition>,
    /// Differences of two forms that are 0 everywhere, or are not known to be.
    differences: HashMap<IndexForm, Compared>,
}

impl Comparison<'_> {
    /// The operations of either side that are not understood. Where both hold the same, nothing is known of
    /// it all the same.
    fn unmodelled(&mut self, left: &[Segment], right: &[Segment]) {
        let all: BTreeSet<&String> =
            left.iter().chain(right).flat_map(|segment| &segment.unmodelled).collect();
        for what in all {
            self.findings.unknown(format!("{what} in @{}", self.before.name));
        }
    }

    /// Tensor maps stay as they are where no copies become theirs.
    fn maps(&mut self, after: &Trace) {
        let (before, after) = (&self.before.maps, &after.maps);
        if !before.is_empty() && before != after {
            let changed = before.iter().zip(after).position(|(before, after)| before != after);
            let number = changed.unwrap_or(before.len().min(after.len()));
            self.findings.refute(format!(
                "expected tensor map {number} of @{} to stay as it is, found {:?} where {:?} was",
                self.before.name,
                after.get(number),
                before.get(number)
            ));
        }
    }

    fn boundary(&mut self, left: &Segment, right: &Segment) {
        self.events(left.boundary.as_ref(), right.boundary.as_ref());
    }

    /// The same loop, barrier or instruction.
    pub(super) fn events(&mut self, left: Option<&Event>, right: Option<&Event>) {
        let alike = match (left, right) {
            (None, None) | (Some(Event::Close), Some(Event::Close)) => true,
            (Some(Event::Sync(a, around, left, _)), Some(Event::Sync(b, other, right, _)))
                if a == b =>
            {
                for (at, (left, right)) in left.iter().zip(right).enumerate() {
                    let what = format!("operand {at} of {a}");
                    match (left, right) {
                        (Some(left), Some(right)) => self.form(&what, left, right),
                        _ => self.findings.unknown(format!("{what} in @{}", self.before.name)),
                    }
                }
                return self.predicates(around, other, a);
            }
            (Some(Event::Point(a, around)), Some(Event::Point(b, other))) if a == b => {
                return self.predicates(around, other, "a point of a pipeline");
            }
            (Some(Event::Instruction(a)), Some(Event::Instruction(b))) if a.name == b.name => {
                return self.instruction(a, b);
            }
            (Some(Event::Open(a, _)), Some(Event::Open(b, _))) => {
                return a.iter().zip(b).for_each(|(a, b)| self.form("a loop's bound", a, b));
            }
            (Some(Event::PassedOn(a, before)), Some(Event::PassedOn(b, after))) if a == b => {
                if before.len() != after.len() {
                    let what = format!("what {a} passes on in @{}", self.before.name);
                    return self.findings.unknown(what);
                }
                return before.iter().zip(after).enumerate().for_each(|(at, (before, after))| {
                    self.carried(&format!("value {at} of {a}"), before, after);
                });
            }
            _ => false,
        };
        if !alike {
            let (left, right) = (name(left), name(right));
            self.findings
                .refute(format!("expected {left} in @{}, found {right}", self.before.name));
        }
    }

    /// The same number, or the same place. Data that is returned or passed to another function is in
    /// registers, and not examined; places and what layouts are made of always are.
    fn carried(&mut self, what: &str, before: &CarriedValue, after: &CarriedValue) {
        match (&before.value, &after.value) {
            (Some((left_root, left)), Some((right_root, right))) if left_root == right_root => {
                let domain = &self.before.domain;
                let is_offset = before.offset || self.before.words.contains(left);
                let restricted = left.where_below(domain).zip(right.where_below(domain));
                let (left, right) =
                    restricted.as_ref().map_or((left, right), |(left, right)| (left, right));
                let extents = |symbol| self.extent(symbol);
                let half = 1_i64 << 31;
                match before.bytes {
                    0 => self.form(what, left, right),
                    // In 32 bits, with its sign.
                    _ if is_offset
                        && right.is_within(-half, half)
                        && left.is_congruent_modulo(right, 1 << 32, &extents) =>
                    {
                        self.findings.proved += 1;
                    }
                    bytes => self.number(what, bytes, left, right),
                }
            }
            (None, _) if what.contains("func.") && before.bytes > 0 => {}
            _ => self.findings.unknown(format!("{what} in @{}", self.before.name)),
        }
    }

    pub(super) fn accesses(&mut self, left: &Segment, right: &Segment) {
        let keys: BTreeSet<_> = left.accesses.keys().chain(right.accesses.keys()).collect();
        let understood = left.unmodelled.is_empty() && right.unmodelled.is_empty();
        for key in keys {
            let none = Vec::new();
            let (before, after) =
                (left.accesses.get(key).unwrap_or(&none), right.accesses.get(key).unwrap_or(&none));
            if before.len() != after.len() {
                let (kind, memory) = words(key);
                let message = format!(
                    "expected {} {kind} of {memory} in @{}, found {}",
                    before.len(),
                    self.before.name,
                    after.len()
                );
                // An operation that is not understood may hold the others.
                match understood {
                    true => self.findings.refute(message),
                    false => self.findings.unknown(message),
                }
                continue;
            }
            for (before, after) in before.iter().zip(after) {
                self.access(before, after, key);
            }
        }
    }

    /// Operations on whole views have the same views.
    fn views(&mut self, left: &Segment, right: &Segment) {
        let names = |segment: &Segment| -> Vec<String> {
            segment.views.iter().map(|(name, views)| format!("{name} {}", views.len())).collect()
        };
        if names(left) != names(right) {
            // An operation that is not understood may hold the others.
            let understood = left.unmodelled.is_empty() && right.unmodelled.is_empty();
            let (left, right) = (names(left).join(", "), names(right).join(", "));
            let function = &self.before.name;
            return match understood {
                true => {
                    self.findings
                        .refute(format!("expected [{left}] in @{function}, found [{right}]"));
                }
                false => {
                    self.findings.unknown(format!("[{left}] in @{function} that became [{right}]"));
                }
            };
        }
        for ((name, before), (_, after)) in left.views.iter().zip(&right.views) {
            for (before, after) in before.iter().zip(after) {
                self.form(&format!("the start of a view of {name}"), &before.base, &after.base);
                if (&before.layout, &before.outer, &before.root)
                    == (&after.layout, &after.outer, &after.root)
                {
                    self.findings.proved += 1;
                } else {
                    self.findings.refute(format!(
                        "expected a view of {} for {name} in @{}, found {}",
                        before.layout, self.before.name, after.layout
                    ));
                }
            }
        }
    }

    pub(super) fn access(&mut self, before: &Access, after: &Access, key: &(Class, Kind)) {
        let (kind, memory) = words(key);
        let what = format!("an address of {kind} of {memory}");
        if before.bytes != after.bytes {
            return self.findings.refute(format!(
                "expected {} bytes of {kind} of {memory} in @{}, found {}",
                before.bytes, self.before.name, after.bytes
            ));
        }
        let Some(expected) = self.placed(before, after, &what) else { return };
        self.inside.clone_from(&before.domain);
        self.accessed(before, after, &expected, &what, &format!("{kind} of {memory}"));
        self.inside.clear();
    }

    /// The same address, number and conditions, where the one before means something.
    fn accessed(
        &mut self,
        before: &Access,
        after: &Access,
        expected: &IndexForm,
        what: &str,
        described: &str,
    ) {
        let found = &after.address;
        let restricted = (
            expected.where_below(&before.domain).filter(|_| !before.domain.is_empty()),
            found.where_below(&before.domain),
        );
        match restricted {
            (Some(expected), Some(found)) => {
                self.address(&before.root, what, &expected, &found);
            }
            _ => self.address(&before.root, what, expected, found),
        }
        if let Some(value) = &before.value {
            let what = format!("a value of {described}");
            match &after.value {
                Some(after) => {
                    let within = |form: &IndexForm| form.where_below(&before.domain);
                    let restricted = within(value).zip(within(after));
                    let (value, after) =
                        restricted.as_ref().map_or((value, after), |(a, b)| (a, b));
                    self.number(&what, before.bytes, value, after);
                }
                None => self.findings.unknown(format!("{what} in @{}", self.before.name)),
            }
        }
        self.predicates(&before.predicates, &after.predicates, described);
    }

    /// The same instruction under the same conditions.
    fn instruction(&mut self, before: &Instruction, after: &Instruction) {
        let (name, function) = (&before.name, &self.before.name);
        if before.attributes != after.attributes || before.operands.len() != after.operands.len() {
            let list = |instruction: &Instruction| {
                let all: Vec<String> = instruction
                    .attributes
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                format!("{{{}}} of {} operands", all.join(", "), instruction.operands.len())
            };
            return self.findings.refute(format!(
                "expected {name} {} in @{function}, found {}",
                list(before),
                list(after)
            ));
        }
        for (at, (left, right)) in before.operands.iter().zip(&after.operands).enumerate() {
            let what = format!("operand {at} of {name}");
            match (left, right) {
                // An operand does not matter where the instruction is not executed.
                (Some((left_root, left)), Some((right_root, right))) if left_root == right_root => {
                    self.form_under(&before.predicates, &what, left, right);
                }
                (Some((left, _)), Some((right, _))) => {
                    let function = &self.before.name;
                    self.findings.refute(format!(
                        "expected {what} in @{function} to point to {left:?}, found {right:?}"
                    ));
                }
                _ => self.findings.unknown(format!("{what} in @{}", self.before.name)),
            }
        }
        self.predicates(&before.predicates, &after.predicates, name);
    }

    /// Conditions that say the same.
    pub(super) fn predicates(
        &mut self,
        before: &[Condition],
        after: &[Condition],
        described: &str,
    ) {
        let conditions = |predicates: &[Condition]| -> Option<BTreeSet<Condition>> {
            let all: Option<Vec<_>> =
                predicates.iter().map(|(form, limit)| form.below(*limit)).collect();
            Some(all?.into_iter().flatten().collect())
        };
        match (conditions(before), conditions(after)) {
            (Some(left), Some(right)) if left == right => self.findings.proved += 1,
            (Some(left), Some(right)) => {
                let list = |conditions: &BTreeSet<Condition>| {
                    let all: Vec<String> = conditions
                        .iter()
                        .map(|(form, limit)| format!("{form} < {limit}"))
                        .collect();
                    if all.is_empty() { "no condition".to_owned() } else { all.join(" and ") }
                };
                self.conditions(
                    &left,
                    &right,
                    &format!(
                        "expected {described} in @{} under {}, found {}",
                        self.before.name,
                        list(&left),
                        list(&right)
                    ),
                );
            }
            _ => {
                self.findings
                    .unknown(format!("the condition of {described} in @{}", self.before.name));
            }
        }
    }

    /// Conditions that are written differently. Those on one side only are compared first, with the others on the same symbols:
    /// where they say the same, all do. A point where only one side holds refutes.
    fn conditions(&mut self, left: &BTreeSet<Condition>, right: &BTreeSet<Condition>, words: &str) {
        let own = |all: &BTreeSet<Condition>,
                   others: &BTreeSet<Condition>|
         -> BTreeSet<Condition> { all.difference(others).cloned().collect() };
        let (mut only_left, mut only_right) = (own(left, right), own(right, left));
        // Conditions may be written differently, and yet be the same.
        only_left.retain(|(form, limit)| {
            let same = only_right.iter().find(|(other, bound)| {
                bound == limit
                    && form.compare(other, &|symbol| self.extent(symbol)) == Compared::Equal
            });
            let same = same.cloned();
            same.is_none_or(|same| !only_right.remove(&same))
        });
        let differ = only_left.iter().chain(&only_right).flat_map(|(form, _)| form.symbols());
        let differ: BTreeSet<u32> = differ.collect();
        for both in left.intersection(right).filter(|(form, _)| form.symbols().is_subset(&differ)) {
            only_left.insert(both.clone());
            only_right.insert(both.clone());
        }
        match self.alike(&only_left, &only_right) {
            Some(true) => self.findings.proved += 1,
            _ => match self.alike(left, right) {
                Some(true) => self.findings.proved += 1,
                Some(false) => self.findings.refute(words.to_owned()),
                None => self.findings.unknown(words.to_owned()),
            },
        }
    }

    /// Whether both hold at the same points, or `None` if there are too many to say that they do.
    fn alike(&self, left: &BTreeSet<Condition>, right: &BTreeSet<Condition>) -> Option<bool> {
        let holds = |all: &BTreeSet<Condition>, at: &dyn Fn(u32) -> i64| {
            all.iter().all(|(form, limit)| form.at(at).is_some_and(|value| value < *limit))
        };
        let symbols: Vec<u32> = left
            .iter()
            .chain(right)
            .flat_map(|(form, _)| form.symbols())
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let spans: Vec<(i64, Option<i64>)> = symbols
            .iter()
            .map(|&symbol| {
                let forms = left.iter().chain(right).map(|(form, _)| form);
                let own = forms.filter_map(|form| form.span(symbol)).next();
                own.unwrap_or((0, self.extent(symbol)))
            })
            .collect();
        let extents: Vec<i64> = spans.iter().map(|(_, count)| count.unwrap_or(1 << 12)).collect();
        let is_bounded = spans.iter().all(|(_, count)| count.is_some());
        let points = extents.iter().try_fold(1_i64, |all, &extent| all.checked_mul(extent));
        let whole = points.filter(|&points| points <= 1 << 18 && is_bounded);
        for point in 0..whole.unwrap_or(1 << 12) {
            let mut rest = point;
            let values: BTreeMap<u32, i64> = symbols
                .iter()
                .zip(extents.iter().zip(&spans))
                .map(|(&symbol, (&extent, &(least, _)))| {
                    let value = least.saturating_add(rest % extent.max(1));
                    rest = if whole.is_some() { rest / extent.max(1) } else { rest * 31 + 7 };
                    (symbol, value)
                })
                .collect();
            let at = |symbol: u32| values.get(&symbol).copied().unwrap_or(0);
            if holds(left, &at) != holds(right, &at) {
                return Some(false);
            }
        }
        whole.map(|_| true)
    }

    pub(super) fn extent(&self, symbol: u32) -> Option<i64> {
        self.before.extent(symbol)
    }

    /// Where the access should be after the pass, if its buffer is where it was found first.
    fn placed(&mut self, before: &Access, after: &Access, what: &str) -> Option<IndexForm> {
        let Root::Buffer(number) = before.root else { return Some(before.address.clone()) };
        let (root, offset) = match self.moved.get(&number) {
            Some(place) => place.clone(),
            None => {
                let offset = after
                    .address
                    .minus(&before.address)
                    .and_then(|offset| offset.value_at(&[], &|symbol| self.extent(symbol)));
                let bytes = self.before.buffers.get(number).copied().filter(|&bytes| bytes > 0);
                // A word of 32 bits is at one offset within the buffer.
                let as_word = || {
                    let offset = after
                        .address
                        .constant_part()
                        .checked_sub(before.address.constant_part())?;
                    let shifted = before.address.plus(&IndexForm::constant(offset))?;
                    let bounds = (offset, offset.checked_add(bytes?)?);
                    self.is_word_of(bounds, &shifted, &after.address).then_some(offset)
                };
                let Some(offset) = offset.or_else(as_word) else {
                    // Not at one offset: that is a difference of functions.
                    self.form(what, &before.address, &after.address);
                    return None;
                };
                self.moved.insert(number, (after.root.clone(), offset));
                (after.root.clone(), offset)
            }
        };
        if root != after.root {
            self.findings.refute(format!(
                "expected {what} in @{} in one buffer, found two",
                self.before.name
            ));
            return None;
        }
        before.address.plus(&IndexForm::constant(offset))
    }

    pub(super) fn form(&mut self, what: &str, before: &IndexForm, after: &IndexForm) {
        self.form_under(&[], what, before, after);
    }

    /// One address wherever it is one of the memory that is accessed: an access to what is outside
    /// of it means nothing, hence nothing of it need be kept.
    fn address(&mut self, root: &Root, what: &str, before: &IndexForm, after: &IndexForm) {
        let bounds = self.bounds(root);
        if bounds.is_some_and(|bounds| self.is_word_of(bounds, before, after)) {
            return self.findings.proved += 1;
        }
        let bounds = bounds.filter(|_| matches!(root, Root::Argument(_)));
        self.within(bounds, what, before, after);
    }

    /// One number in a word of `bytes` bytes, which holds its lowest bits.
    fn number(&mut self, what: &str, bytes: i64, before: &IndexForm, after: &IndexForm) {
        let bits = u32::try_from(bytes).ok().and_then(|bytes| bytes.checked_mul(8)).unwrap_or(64);
        let extents = |symbol| self.extent(symbol);
        if bits == 32 && before.is_congruent_modulo(after, 1 << 32, &extents) {
            return self.findings.proved += 1;
        }
        match (before.signed(bits), after.signed(bits)) {
            (Some(before), Some(after)) => self.within(before.bounds(), what, &before, &after),
            _ => self.form(what, before, after),
        }
    }

    /// Whether two forms are one function. Elements that lie side by side have addresses of one difference, which
    /// is examined once.
    fn compare_forms(&mut self, before: &IndexForm, after: &IndexForm) -> Compared {
        let difference = before.minus(after);
        if let Some(compared) = difference.as_ref().and_then(|form| self.differences.get(form)) {
            return compared.clone();
        }
        let compared = before.compare(after, &|symbol| self.extent(symbol));
        // Where they differ, each pair has values of its own.
        if let (Some(form), Compared::Equal | Compared::Unknown) = (difference, &compared) {
            self.differences.insert(form, compared.clone());
        }
        compared
    }

    /// One function wherever the one before is between bounds.
    fn within(
        &mut self,
        bounds: Option<(i64, i64)>,
        what: &str,
        before: &IndexForm,
        after: &IndexForm,
    ) {
        let compared = self.compare_forms(before, after);
        let extents = |symbol| self.extent(symbol);
        let compared = match (compared, bounds) {
            (Compared::Equal, _) => Compared::Equal,
            (compared, Some((from, to))) => {
                match (before.compare_within((from, to), after, &extents), compared) {
                    // One point in bounds is enough.
                    (Compared::Unknown, differ @ Compared::Differ { left, .. })
                        if (from..to).contains(&left) =>
                    {
                        differ
                    }
                    (compared, _) => compared,
                }
            }
            (compared, None) => compared,
        };
        self.compared(compared, what, before, after);
    }

    /// Whether both are one number wherever the one before is between bounds, since the one after is the word of 32 bits
    /// that is left of it: they differ by a multiple of 2^32, and by less.
    fn is_word_of(&self, (from, to): (i64, i64), before: &IndexForm, after: &IndexForm) -> bool {
        const WORD: i64 = 1 << 32;
        let extents = |symbol| self.extent(symbol);
        // Elements, of which addresses are multiples.
        let unit =
            num_integer::gcd(before.divisor().unsigned_abs(), after.divisor().unsigned_abs());
        let unit = i64::try_from(unit).unwrap_or(1).max(1);
        let read = || -> Option<bool> {
            let (left, right) = (before.floor_div(unit)?, after.floor_div(unit)?);
            let (least, most) = right.bounds()?;
            let (from, to) = (from.div_euclid(unit), to.checked_sub(1)?.div_euclid(unit));
            let near =
                most.checked_sub(1)?.checked_sub(from)? < WORD && to.checked_sub(least)? < WORD;
            Some(near && left.is_congruent_modulo(&right, WORD, &extents))
        };
        read() == Some(true)
    }

    /// Bounds of the addresses of memory, in bytes.
    fn bounds(&self, root: &Root) -> Option<(i64, i64)> {
        match root {
            Root::Argument(number) => self.before.reaches.get(*number).copied().flatten(),
            // Where it is found after the pass.
            Root::Buffer(number) => {
                let bytes = self.before.buffers.get(*number).copied().filter(|&bytes| bytes > 0)?;
                let start = self.moved.get(number)?.1;
                Some((start, start.checked_add(bytes)?))
            }
            _ => None,
        }
    }

    /// One function wherever conditions hold.
    pub(super) fn form_under(
        &mut self,
        predicates: &[Condition],
        what: &str,
        before: &IndexForm,
        after: &IndexForm,
    ) {
        let compared = self.compare_forms(before, after);
        let extents = |symbol| self.extent(symbol);
        let compared = match compared {
            Compared::Differ { .. } if !predicates.is_empty() => {
                before.compare_under(predicates, after, &extents)
            }
            compared => compared,
        };
        self.compared(compared, what, before, after);
    }

    fn compared(&mut self, compared: Compared, what: &str, before: &IndexForm, after: &IndexForm) {
        let compared = self.before.within_domain(&self.inside, compared, before, after);
        let function = &self.before.name;
        match compared {
            Compared::Equal => self.findings.proved += 1,
            Compared::Differ { point, left, right } => {
                let point: Vec<String> = point
                    .iter()
                    .map(|&(symbol, value)| format!("{} = {value}", symbol_name(symbol)))
                    .collect();
                let place = if point.is_empty() { "always".to_owned() } else { point.join(", ") };
                self.findings.refute(format!(
                    "expected {left} as {what} in @{function}, found {right} ({place})"
                ));
            }
            // Symbols without bounds are unknowns of ISL's.
            Compared::Unknown => {
                let domain = [&self.before.domain[..], &self.inside[..]].concat();
                match before.is_equal_by_sets(after, &domain, Limits::default()) {
                    Some(()) => self.findings.proved += 1,
                    None => self
                        .findings
                        .unknown(format!("{what} in @{function}: {before} and {after}")),
                }
            }
        }
    }

    /// Buffers that came to one memory must not overlap there, unless they never live at once.
    fn overlaps(&mut self, before: &Trace) {
        let places: Vec<_> = self.moved.iter().map(|(n, place)| (*n, place.clone())).collect();
        for (n, (root, start)) in &places {
            let end = start + before.buffers.get(*n).copied().unwrap_or(0);
            for (begin, bytes) in self.reserved.clone() {
                if *root == Root::Shared && *start < begin + bytes && begin < end {
                    self.findings.refute(format!(
                        "expected buffer {n} of @{} apart from barriers, found bytes \
                         {start}..{end} and {begin}..{}",
                        before.name,
                        begin + bytes
                    ));
                }
            }
        }
        for (i, (a, (root, start))) in places.iter().enumerate() {
            for (b, (other, begin)) in &places[i + 1..] {
                let bytes = |number: &usize| before.buffers.get(*number).copied().unwrap_or(0);
                let (end, stop) = (start + bytes(a), begin + bytes(b));
                let overlap = root == other && *start < stop && *begin < end;
                if overlap && !live_ranges::separated_by_barrier(before, *a, *b) {
                    let found = format!("bytes {start}..{end} and {begin}..{stop}");
                    let buffers = format!("buffers {a} and {b} of @{}", before.name);
                    // An event that is not modelled hides when the buffers are in use.
                    match live_ranges::are_followed(before) {
                        true => {
                            self.findings.refute(format!("expected {buffers} apart, found {found}"))
                        }
                        false => {
                            self.findings
                                .unknown(format!("the live ranges of {buffers} at {found}"));
                        }
                    }
                }
            }
        }
    }
}

fn words((class, kind): &(Class, Kind)) -> (&'static str, String) {
    let kind = match kind {
        Kind::Load => "loads",
        Kind::Store => "stores",
        Kind::LoadMatrix => "matrix loads",
        Kind::StoreMatrix => "matrix stores",
        Kind::Update => "updates",
        Kind::AsyncStore => "stores of copies",
    };
    let memory = match class {
        Class::Argument(number) => format!("argument {number}"),
        Class::Buffers => "buffers".to_owned(),
    };
    (kind, memory)
}

/// The name of an event in messages.
pub(super) fn name(event: Option<&Event>) -> String {
    match event {
        Some(Event::Sync(name, ..)) => name.clone(),
        Some(Event::Instruction(instruction)) => instruction.name.clone(),
        Some(Event::Open(..)) => "a loop".to_owned(),
        Some(Event::Close) => "the end of a loop".to_owned(),
        Some(Event::Point(..)) => "a point of a pipeline".to_owned(),
        Some(Event::PassedOn(name, _)) => name.clone(),
        Some(_) => "an access".to_owned(),
        None => "the start".to_owned(),
    }
}

/// The name of a symbol in messages.
pub(super) fn symbol_name(symbol: u32) -> String {
    const IDS: [&str; 7] = [
        "thread x",
        "thread y",
        "thread z",
        "block x",
        "block y",
        "block z",
        "block of the cluster",
    ];
    match (IDS.get(symbol as usize), symbol.checked_sub(PARAMETERS)) {
        (Some(name), _) => (*name).to_owned(),
        (None, Some(_)) if symbol >= COMPUTED => "an integer that threads compute".to_owned(),
        (None, Some(number)) => match symbol.checked_sub(CARRIED) {
            Some(number) => format!("value {number} that is carried"),
            None => format!("integer {number} of the arguments"),
        },
        (None, None) => format!("round of loop {}", (symbol as usize).saturating_sub(IDS.len())),
    }
}
