//! The values that loops, branches and returns pass on: integers, pointers, and the dynamic parts of layouts, tuples and views.
//!
//! A value that a loop carries, or a block is given, is a symbol, the same before and after a pass; it stands
//! for the same number wherever what is passed on is the same. So that is checked for each loop's first
//! values and of those of the next round, and of each branch.

use super::{
    arithmetic,
    dynamic_views::{self, DynamicView},
    trace::{Event, Known, Reader, Root},
    view::OuterPart,
};
use layout_dialect::{ViewType, build::operand, tree, types::element_bytes};
use layout_relation::IndexForm;
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Type, Value, ValueLike, operation::OperationLike,
};

/// From this symbol on, what loops carry and blocks are given, in the order in which they come.
pub(super) const CARRIED: u32 = 1 << 24;

/// A loop of which nothing is known of what is carried and of what it leaves: not even in which memory it is.
pub(super) const MIXED: &str = "a loop that carries places in several memories";

/// A value that is passed on: none where it is not understood.
#[derive(Clone, Debug)]
pub(super) struct CarriedValue {
    /// The memory that it points into, or [`Root::Nothing`], and its address in bytes, or the number.
    pub(super) value: Option<(Root, IndexForm)>,
    /// Bytes of an integer; 0 of a pointer.
    pub(super) bytes: i64,
    /// Whether it is the offset of a view, which is taken to fit 32 bits.
    pub(super) offset: bool,
}

/// How many values one of a type is at run time, among pointers and integers: a view under a swizzle
/// has its own offset after the pointer.
fn count(r#type: Type<'_>) -> u32 {
    let pointer = is_place(r#type);
    let own = dynamic_views::own_offset(r#type, true);
    let integers = match dynamic_views::symbols(r#type) {
        Some(symbols) => u32::try_from(symbols.len()).unwrap_or(u32::MAX),
        None => u32::from(arithmetic::width(r#type).is_some()),
    };
    integers.saturating_add(own).saturating_add(u32::from(pointer))
}

/// Whether the first of what a value of a type is at run time is a pointer.
fn is_place(r#type: Type<'_>) -> bool {
    ViewType::from_type(r#type).is_some() || is_pointer(r#type)
}

fn is_pointer(r#type: Type<'_>) -> bool {
    r#type.to_string().starts_with("!llvm.ptr")
}

impl Reader {
    /// The run-time parts of an operand.
    fn carried(&self, operation: OperationRef<'_, '_>, at: usize) -> Vec<CarriedValue> {
        let r#type = operand(operation, at).r#type();
        let number = |form: &IndexForm, bytes: i64| CarriedValue {
            value: Some((Root::Nothing, form.clone())),
            bytes,
            offset: false,
        };
        let own = |form: &IndexForm| CarriedValue { offset: true, ..number(form, 8) };
        let pointer = |root: &Root, form: Option<IndexForm>| CarriedValue {
            value: form.map(|form| (root.clone(), form)),
            bytes: 0,
            offset: false,
        };
        let widths = || -> Vec<i64> {
            let symbols = dynamic_views::symbols(r#type).unwrap_or_default();
            symbols.iter().map(|symbol| i64::from(symbol.width().bits() / 8)).collect()
        };
        match self.known(operation, at) {
            Some(Known::Partly(DynamicView { root, base, bytes, outer, integers, .. })) => {
                let mut all = match outer.is_nothing() {
                    true => vec![pointer(root, base.scale(*bytes))],
                    // Its place depends on the whole offset, which is passed on beside what it counts from.
                    false => vec![pointer(root, Some(IndexForm::constant(0))), own(base)],
                };
                all.extend(integers.iter().zip(widths()).map(|(form, bytes)| number(form, bytes)));
                all
            }
            Some(Known::View(view)) => match view.outer.is_nothing() {
                true => vec![pointer(&view.root, view.base.scale(view.bytes))],
                false => {
                    vec![pointer(&view.root, Some(IndexForm::constant(0))), own(&view.base)]
                }
            },
            Some(Known::Integers(integers)) => {
                integers.iter().zip(widths()).map(|(form, bytes)| number(form, bytes)).collect()
            }
            Some(Known::Pointer(root, form)) => vec![pointer(root, Some(form.clone()))],
            _ => match (count(r#type), arithmetic::width(r#type)) {
                (_, Some(bits)) => {
                    let form = self.form(operation, at);
                    let value = form.map(|form| (Root::Nothing, form));
                    vec![CarriedValue { value, bytes: i64::from(bits.div_ceil(8)), offset: false }]
                }
                // A place is first; what follows are numbers.
                (parts, None) => {
                    let first = i64::from(!is_place(r#type)) * 8;
                    let bytes = std::iter::once(first).chain(std::iter::repeat(8));
                    (0..parts)
                        .zip(bytes)
                        .map(|(_, bytes)| CarriedValue { value: None, bytes, offset: false })
                        .collect()
                }
            },
        }
    }

    /// Values that an operation passes on, its operands from the first of these on.
    pub(super) fn pass_on(
        &mut self,
        operation: OperationRef<'_, '_>,
        name: String,
        operands: impl Iterator<Item = usize>,
    ) {
        let all = operands.flat_map(|at| self.carried(operation, at)).collect();
        self.event(Event::PassedOn(name, all));
    }

    /// Lets a value be a symbol from here on, for each that it is at run time; a pointer is to `root`.
    /// Numbers that are no layout's are data, and only symbols if `all`. Whether it is one.
    pub(super) fn carry(&mut self, value: Value<'_, '_>, root: Option<Root>, all: bool) -> bool {
        let r#type = value.r#type();
        let first = self.carried;
        self.carried = first.saturating_add(count(r#type));
        let follow = all || dynamic_views::is_value(r#type) || self.given(first).is_some();
        if follow && let Some(known) = self.symbolic(r#type, first, root) {
            self.know(value, known);
        }
        follow
    }

    fn symbolic(&mut self, r#type: Type<'_>, first: u32, root: Option<Root>) -> Option<Known> {
        if is_pointer(r#type) {
            let form = self.given(first).unwrap_or_else(|| IndexForm::factor(first, None, None));
            return Some(Known::Pointer(root?, form));
        }
        if let Some(bits) = arithmetic::width(r#type) {
            let form = match self.given(first) {
                Some(form) => form,
                None => super::argument_facts::parameter_form(first, bits)?,
            };
            return match bits {
                1 => arithmetic::holds(&form).map(Known::Conditions),
                _ => Some(Known::Form(form)),
            };
        }
        let symbols = dynamic_views::symbols(r#type)?;
        // The base of a view under a swizzle and its own offset are one number in a view.
        if dynamic_views::own_offset(r#type, true) > 0 {
            return None;
        }
        let view = ViewType::from_type(r#type);
        let place = first.saturating_add(u32::from(view.is_some()));
        let forms: Vec<IndexForm> = (place..)
            .zip(&symbols)
            .map(|(number, symbol)| dynamic_views::argument_form(number, symbol))
            .collect::<Option<_>>()?;
        for (number, form) in (place..).zip(&forms) {
            self.trace.given.say(number, form.clone());
        }
        let Some(view) = view else { return Some(Known::Integers(forms)) };
        let bytes = element_bytes(view.element_type())?;
        let base = IndexForm::factor(first, None, None);
        self.trace.given.say(first, base.scale(bytes)?);
        let place = DynamicView {
            root: root?,
            space: view.space(),
            bytes,
            packed: 1,
            base,
            outer: OuterPart::Nothing,
            domain: Vec::new(),
            coordinates: Vec::new(),
            integers: Vec::new(),
        };
        Self::laid(r#type, place, || Some(forms))
    }

    /// The sum that a loop carries from round to round, where each adds the same number.
    pub(super) fn sum(
        &self,
        operation: OperationRef<'_, '_>,
        body: BlockRef<'_, '_>,
        at: usize,
    ) -> Option<IndexForm> {
        let round = self.round()?;
        let by = self.grows_by(operation, body, at)?;
        let bits = arithmetic::width(operand(operation, at).r#type())?;
        self.form(operation, at)?.plus(&round.scale(by)?)?.signed(bits)
    }

    /// By how much a loop's number grows in each round, where that is a constant.
    fn grows_by(
        &self,
        operation: OperationRef<'_, '_>,
        body: BlockRef<'_, '_>,
        at: usize,
    ) -> Option<i64> {
        let by = step_of(operation, body, at)?;
        // A number that is made inside the loop was not read yet.
        match self.known_of(by) {
            Some(Known::Form(by)) => by.as_constant(),
            _ => tree::constant(by),
        }
    }

    /// Says how a loop's number grows, where what it leaves of it is used: the range of that.
    pub(super) fn sums_up(
        &mut self,
        operation: OperationRef<'_, '_>,
        body: BlockRef<'_, '_>,
        at: usize,
        sum: &IndexForm,
    ) -> Option<[Option<i64>; 2]> {
        let left = layout_dialect::build::result(operation, at - 3);
        let bits = arithmetic::width(left.r#type()).filter(|_| tree::is_used(left))?;
        let by = self.grows_by(operation, body, at)?;
        let value = Some((Root::Nothing, sum.clone()));
        let grows = CarriedValue { value, bytes: i64::from(bits.div_ceil(8)), offset: false };
        self.event(Event::PassedOn("scf.for".to_owned(), vec![grows]));
        // One step more than in the last round, or none at all; the end is not included.
        let (low, high) = sum.range();
        let high = high.and_then(|high| high.checked_add(by.max(0))?.checked_add(1));
        let half = (bits < 64).then(|| 1_i64 << (bits - 1));
        if half.is_some_and(|half| high.is_none_or(|high| high > half) || by < 0) {
            // The last step may wrap around.
            return Some([half.map(|half| -half), half]);
        }
        Some([low.filter(|_| by >= 0), high])
    }

    /// The value that a loop leaves: of a number that grows by as much in each round a symbol, since it is the same
    /// wherever the loop and the sum are.
    pub(super) fn leave(
        &mut self,
        left: Value<'_, '_>,
        root: Option<Root>,
        range: Option<[Option<i64>; 2]>,
    ) {
        let symbol = self.carried;
        let follows = self.carry(left, root, false);
        if let Some([low, high]) = range
            && !follows
            && let Some(form) = IndexForm::symbol(symbol, low, high)
        {
            self.know(left, Known::Form(form));
        }
    }

    /// Whether a value, which may not be read yet, is made of numbers that are known, and of no data.
    pub(super) fn is_number(&self, value: Value<'_, '_>, depth: u32) -> bool {
        const DEPTH: u32 = 32;
        if self.known_of(value).is_some() {
            return true;
        }
        let Some(definition) = tree::definition(value) else { return false };
        let name = tree::name(definition);
        let is_index = name.starts_with("arith.") || name.starts_with("layout.");
        is_index
            && depth < DEPTH
            && !name.contains("load")
            && (0..definition.operand_count())
                .all(|at| self.is_number(operand(definition, at), depth + 1))
    }

    /// The values that a loop carries on at the end of a round, in its arguments of these numbers.
    pub(super) fn carry_on(&mut self, body: BlockRef<'_, '_>, carried: &[usize]) {
        let Some(last) = tree::operations(body).into_iter().next_back() else { return };
        for &at in carried {
            // The loop's counter is the first argument.
            if self.root_of(operand(last, at)) != self.root_of(tree::argument(body, at + 1)) {
                self.unmodelled(MIXED);
            }
        }
        if !carried.is_empty() {
            self.pass_on(last, "scf.yield".to_owned(), carried.iter().copied());
        }
    }

    /// The memory that a view or a pointer is to.
    pub(super) fn root_of(&self, value: Value<'_, '_>) -> Option<Root> {
        match self.known_of(value)? {
            Known::Partly(DynamicView { root, .. }) | Known::Pointer(root, _) => Some(root.clone()),
            Known::View(view) => Some(view.root.clone()),
            _ => None,
        }
    }

    /// The blocks of a function, of which each is given what branches pass on; the memory of
    /// a pointer that a branch passes on is not known.
    pub(super) fn blocks(&mut self, entry: BlockRef<'_, '_>) {
        let mut all = vec![entry];
        while let Some(next) = all.last().and_then(|block| block.next_in_region()) {
            // SAFETY: the block is in the function's region, and lives as long as the function does.
            all.push(unsafe { BlockRef::from_raw(next.to_raw()) });
        }
        for (number, &block) in all.iter().enumerate() {
            if number > 0 {
                for at in 0..block.argument_count() {
                    self.carry(tree::argument(block, at), None, true);
                }
                self.event(Event::PassedOn(format!("block {number}"), Vec::new()));
            }
            self.block(block);
            let Some(last) = tree::operations(block).into_iter().next_back() else { continue };
            if last.successor_count() > 0 {
                let targets: Vec<String> = last
                    .successors()
                    .map(|target| {
                        let place = all.iter().position(|block| *block == target);
                        place.map_or_else(|| "?".to_owned(), |place| place.to_string())
                    })
                    .collect();
                let name = format!("{} to {}", tree::name(last), targets.join(", "));
                let operands = 0..last.operand_count();
                self.pass_on(last, name, operands);
            }
        }
    }
}

/// The step that a loop adds in each round to a carried value.
pub(super) fn step_of<'c>(
    operation: OperationRef<'c, '_>,
    body: BlockRef<'c, '_>,
    at: usize,
) -> Option<Value<'c, 'c>> {
    let last = tree::operations(body).into_iter().next_back()?;
    let next = tree::definition(operand(last, at.checked_sub(3)?))?;
    let own = tree::key(tree::argument(body, at - 2));
    if tree::name(next) != "arith.addi" || operation.operand_count() <= at {
        return None;
    }
    let [a, b] = [operand(next, 0), operand(next, 1)];
    match own {
        own if tree::key(a) == own => Some(b),
        own if tree::key(b) == own => Some(a),
        _ => None,
    }
}
