//! Partly static layouts, tuples and views: their dynamic integers are integer functions like any other, and so is the
//! offset of a coordinate.
//!
//! A type's facts about an integer, its divisor and its range, are taken for granted where a function
//! is given it, and has to be known of the form everywhere else.

use super::{
    arithmetic::{holds, indicator},
    trace::{Claim, Condition, Coordinate, Known, Reader, Root},
    view::{OuterPart, View, fixed, overlapping, packed_bytes},
};
use layout_algebra::{Expr, Facts, Interpreter, Outer, Symbol, Value};
use layout_dialect::{
    LayoutType, Space, TermValue, TupleType, ViewType,
    buffers::{Buffer, Integer},
    build::{operand, result},
    dynamic::{self, Definition, Outcome},
    ops, tree,
    types::element_bytes,
};
use layout_relation::IndexForm;
use melior::ir::{OperationRef, Type, ValueLike, operation::OperationLike};
use std::collections::BTreeSet;

/// A view whose layout is partly static: its root, and the integers that the layout leaves open.
#[derive(Clone, Debug)]
pub(super) struct DynamicView {
    pub(super) root: Root,
    pub(super) space: Space,
    /// Bytes of an element; 1 of an identity tensor.
    pub(super) bytes: i64,
    /// Elements in `bytes` bytes.
    pub(super) packed: i64,
    /// Where its first element is, in elements: before the outer function.
    pub(super) base: IndexForm,
    /// The function that an offset goes through last.
    pub(super) outer: OuterPart,
    /// Conditions that hold where the coordinates are in range that the base is made of.
    pub(super) domain: Vec<Condition>,
    /// The coordinates that the base is made of, where the layout is known.
    pub(super) coordinates: Vec<Coordinate>,
    pub(super) integers: Vec<IndexForm>,
}

/// A memref that a function is given: where it lies, and the first of its symbols, which are its offset,
/// its sizes and its strides.
#[derive(Clone, Debug)]
pub(super) struct Memref {
    pub(super) root: Root,
    pub(super) first: u32,
    pub(super) rank: u32,
    /// The facts that a partly static layout states of integers.
    facts: Vec<(Integer, Symbol)>,
}

impl Memref {
    /// A memref of a type, whose symbols are numbered from `first` on.
    pub(super) fn new(r#type: Type<'_>, root: Root, first: u32) -> Self {
        let buffer = Buffer::of(r#type).ok().flatten();
        let stated = buffer.filter(|buffer| buffer.term().is_some()).and_then(|buffer| {
            let (integers, layout) = (buffer.integers().ok()?, buffer.layout().ok()?);
            Some(integers.into_iter().zip(layout.symbols()).collect())
        });
        let rank = buffer.and_then(|buffer| u32::try_from(buffer.rank()).ok()).unwrap_or(0);
        Self { root, first, rank, facts: stated.unwrap_or_default() }
    }

    /// How many symbols one of a type has.
    pub(super) fn symbols(r#type: Type<'_>) -> Option<u32> {
        let rank = u32::try_from(Buffer::of(r#type).ok()??.rank()).ok()?;
        rank.checked_mul(2)?.checked_add(1)
    }

    pub(super) fn offset(&self) -> IndexForm {
        IndexForm::factor(self.first, None, None)
    }

    /// The size or the stride of a dimension; one without elements is not accessed.
    pub(super) fn integer(&self, integer: Integer) -> IndexForm {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (at, least) = match integer {
            Integer::Size(dimension) => (number(dimension), Some(1)),
            Integer::Stride(dimension) => (self.rank.saturating_add(number(dimension)), None),
        };
        let number = self.first.saturating_add(1).saturating_add(at);
        let stated = self.facts.iter().find(|(own, _)| *own == integer).map(|(_, symbol)| symbol);
        let of_type = stated.and_then(|symbol| {
            let (lo, hi) = symbol.range();
            argument_form(number, &symbol.clone().with_range(least.unwrap_or(lo), hi).ok()?)
        });
        of_type.unwrap_or_else(|| IndexForm::factor(number, least, None))
    }
}

/// An integer with the facts of its type, as a symbol.
pub(super) fn argument_form(number: u32, symbol: &Symbol) -> Option<IndexForm> {
    let (least, most) = symbol.range();
    let unit = symbol.divisor();
    let above = least.div_euclid(unit) + i64::from(least.rem_euclid(unit) != 0);
    let from = (least > i64::MIN).then_some(above);
    let to = (most < i64::MAX).then(|| most.div_euclid(unit));
    IndexForm::factor(number, from, to).scale(unit)
}

/// Whether a type's values have integers at run time that it leaves open.
pub(super) fn is_open(r#type: Type<'_>) -> bool {
    let text = LayoutType::from_type(r#type)
        .map(|layout| layout.text())
        .or_else(|| TupleType::from_type(r#type).map(|tuple| tuple.text()))
        .or_else(|| ViewType::from_type(r#type).map(|view| view.text()));
    text.is_some_and(|text| text.contains('?'))
}

/// Whether a type is the dialect's own.
pub(super) fn is_value(r#type: Type<'_>) -> bool {
    LayoutType::from_type(r#type).is_some()
        || TupleType::from_type(r#type).is_some()
        || ViewType::from_type(r#type).is_some()
}

/// Expressions as forms, whose symbols a function gives.
struct Forms<F>(F);

impl<F: Fn(&str) -> Option<IndexForm>> Interpreter for Forms<F> {
    type Value = IndexForm;

    fn constant(&mut self, value: i64) -> Option<IndexForm> {
        Some(IndexForm::constant(value))
    }

    fn symbol(&mut self, name: &str, divisor: i64) -> Option<IndexForm> {
        (self.0)(name)?.floor_div(divisor)
    }

    fn plus(&mut self, a: &IndexForm, b: &IndexForm) -> Option<IndexForm> {
        a.plus(b)
    }

    fn times(&mut self, a: &IndexForm, b: &IndexForm) -> Option<IndexForm> {
        a.times(b)
    }

    fn floor_div(&mut self, a: &IndexForm, b: &IndexForm) -> Option<IndexForm> {
        a.quotient(b)
    }

    fn min(&mut self, a: &IndexForm, b: &IndexForm) -> Option<IndexForm> {
        a.least(b)
    }
}

/// An expression as a form, whose symbols `?0`, `?1`, … are these.
pub(super) fn form(expression: &Expr, integers: &[IndexForm]) -> Option<IndexForm> {
    form_of(expression, |name| {
        let number: usize = name.strip_prefix('?')?.parse().ok()?;
        integers.get(number).cloned()
    })
}

/// An expression as a form, whose symbols a function gives.
pub(super) fn form_of(
    expression: &Expr,
    symbol: impl Fn(&str) -> Option<IndexForm>,
) -> Option<IndexForm> {
    expression.interpret(&mut Forms(symbol))
}

/// Conditions that say what facts do of the ranges of symbols.
fn bounds(facts: &Facts, integers: &[IndexForm]) -> Vec<Condition> {
    let mut all = Vec::new();
    for (number, form) in integers.iter().enumerate() {
        let Some(symbol) = facts.get(&format!("?{number}")) else { continue };
        let (least, most) = symbol.range();
        all.extend(most.checked_add(1).map(|limit| (form.clone(), limit)));
        let below = 1_i64.checked_sub(least).zip(form.scale(-1));
        all.extend(below.map(|(limit, form)| (form, limit)));
    }
    all
}

/// Conditions that say what a comparison of expressions does.
fn conditions(condition: &dynamic::Condition, integers: &[IndexForm]) -> Option<Vec<Condition>> {
    use dynamic::Condition::{Either, Equal, Less};
    let difference = |x: &Expr, y: &Expr| form(x, integers)?.minus(&form(y, integers)?);
    match condition {
        Equal(x, y) => Some(vec![(difference(x, y)?, 1), (difference(y, x)?, 1)]),
        Less(x, y) => Some(vec![(difference(x, y)?, 0)]),
        Either(one, other) => {
            let [one, other] = [one, other].map(|c| indicator(&conditions(c, integers)?));
            holds(&one?.or(&other?)?)
        }
    }
}

/// The facts that `layout.make` states of the integers that it is made of.
pub(super) fn made(operation: OperationRef<'_, '_>) -> Option<Vec<Symbol>> {
    if tree::name(operation) != "layout.make" {
        return None;
    }
    Some(dynamic::known(result(operation, 0).r#type())?.ok()?.symbols())
}

impl Reader {
    /// Records the results and effects of an operation with a partly static operand or result.
    /// Whether it is one.
    pub(super) fn partly_static(&mut self, operation: OperationRef<'_, '_>, name: &str) -> bool {
        let operands = (0..operation.operand_count()).map(|at| operand(operation, at).r#type());
        let results = (0..operation.result_count()).map(|at| result(operation, at).r#type());
        // A tuple is a coordinate, whatever the layout.
        let has_tuple = || {
            (1..operation.operand_count())
                .any(|at| TupleType::from_type(operand(operation, at).r#type()).is_some())
        };
        let is_own = layout_dialect::expand::is_short(operation)
            || matches!(name, "layout.make_view" | "layout.recast")
            || matches!(
                name,
                "layout.load"
                    | "layout.store"
                    | "layout.atomic"
                    | "layout.slice"
                    | "layout.crd2idx"
            ) && has_tuple();
        // Registers are static, also those like a part of a view with dynamic strides.
        let is_fragment = layout_dialect::expand::is_fragment(name);
        if is_fragment || !is_own && !operands.chain(results).any(is_open) {
            return false;
        }
        match name {
            // A printed value is in no memory.
            "layout.print" => {}
            "layout.load" => {
                let place = self.moved_by(operation, 0);
                let point = place.and_then(Self::single);
                match &point {
                    Some(view) if view.root == Root::Nothing => {
                        self.set(operation, 0, Some(Known::Form(view.base.clone())));
                    }
                    _ => self.elements(operation, point, None, None),
                }
            }
            "layout.store" => {
                let place = self.moved_by(operation, 1);
                let value = self.form(operation, 0);
                self.elements(operation, None, place.and_then(Self::single), value);
            }
            "layout.atomic" => self.atomic(operation),
            "layout.matmul" => self.matmul(operation),
            // Copies, fills and MMAs: of views that are known at the sizes that are examined, as of others.
            _ if operation.result_count() == 0 && self.sizes.is_some() => return false,
            _ if operation.result_count() == 0 => {
                self.unmodelled(&format!("{name} of partly static views"));
            }
            _ => {
                let known = match name {
                    "layout.make" => self.made(operation),
                    "layout.assume" => self.assumed(operation),
                    "layout.make_view" => self.view_of(operation),
                    "layout.identity_tensor" => self.numbers(operation),
                    "layout.recast" => self.recast(operation),
                    "layout.slice" | "layout.local_tile" | "layout.partition" | "layout.retile"
                        if self.place(operation, 0).is_some() =>
                    {
                        self.moved_by(operation, 0)
                            .and_then(|place| self.answered(operation, Some(place)))
                    }
                    "layout.crd2idx" => {
                        let offset = self.swizzled_offset(operation);
                        offset.or_else(|| self.answered(operation, None))
                    }
                    _ => self.answered(operation, self.place(operation, 0)),
                };
                let r#type = (operation.result_count() > 0).then(|| result(operation, 0).r#type());
                let known = known.map(|known| match r#type {
                    Some(r#type) => self.at_sizes(r#type, known),
                    None => known,
                });
                self.set(operation, 0, known);
            }
        }
        true
    }

    /// Notes the arguments of a matmul: A, B, C, and a second B.
    pub(super) fn matmul(&mut self, operation: OperationRef<'_, '_>) {
        let argument = |at| match self.place(operation, at)?.root {
            Root::Argument(number) => {
                // Which other elements of an argument's part are touched is not known.
                let whole = self.trace.arguments.get(number).and_then(Option::as_ref);
                let is_part = match (self.known(operation, at), whole) {
                    (Some(Known::View(view)), Some(whole)) => view.size() < whole.size(),
                    _ => false,
                };
                (!is_part).then_some(number)
            }
            _ => None,
        };
        let places = [0, 1, 2].into_iter().chain(layout_dialect::ops::dual(operation));
        let all = places.map(argument).collect();
        self.trace.matmuls.push(all);
    }

    /// The integers that an operand leaves open.
    fn left_open(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<Vec<IndexForm>> {
        match self.known(operation, at) {
            Some(Known::Integers(integers) | Known::Partly(DynamicView { integers, .. })) => {
                Some(integers.clone())
            }
            Some(Known::View(view))
                if is_open(operand(operation, at).r#type()) && !view.integers.is_empty() =>
            {
                Some(view.integers.clone())
            }
            _ if is_open(operand(operation, at).r#type()) => None,
            _ => Some(Vec::new()),
        }
    }

    /// The integers of all operands, in the numbering of an answer's symbols. A number before operand `first` is the value of a
    /// store, which is no part of a place: nothing is known of it, and it may be negative.
    fn integers(&self, operation: OperationRef<'_, '_>, first: usize) -> Option<Vec<IndexForm>> {
        let mut all = Vec::new();
        for at in 0..operation.operand_count() {
            let r#type = operand(operation, at).r#type();
            if is_value(r#type) {
                all.extend(self.left_open(operation, at)?);
            } else if dynamic::is_symbol(r#type) {
                all.push(match at < first {
                    true => IndexForm::constant(0),
                    false => self.form(operation, at)?,
                });
            }
        }
        Some(all)
    }

    /// Where a view's first element is, whatever its layout.
    fn place(&self, operation: OperationRef<'_, '_>, at: usize) -> Option<DynamicView> {
        match self.known(operation, at)? {
            Known::Partly(partly) => Some(partly.clone()),
            Known::View(view) => Some(DynamicView {
                root: view.root.clone(),
                space: view.space,
                bytes: view.bytes,
                packed: view.packed,
                base: view.base.clone(),
                outer: view.outer.clone(),
                domain: view.domain.clone(),
                coordinates: view.coordinates.clone(),
                integers: view.integers.clone(),
            }),
            _ => None,
        }
    }

    /// The place of a view, moved by what an operation's coordinate fixes.
    pub(super) fn moved_by(
        &self,
        operation: OperationRef<'_, '_>,
        source: usize,
    ) -> Option<DynamicView> {
        let mut place = self.place(operation, source)?;
        let fixed = dynamic::fixed(operation, source).ok()?;
        let integers = self.integers(operation, source)?;
        for offset in [&fixed.offset, &fixed.within] {
            place.base = place.base.plus(&form(offset, &integers)?)?;
        }
        // Between passes, what a program means stays the same where all coordinates are in range.
        let all = bounds(&fixed.facts, &integers);
        let slides = self.slides(operation, source);
        place.domain.extend(all.into_iter().filter(|(form, _)| !slides.contains(form)));
        Some(place)
    }

    /// The indices of a coordinate in modes that overlap, and their negatives, where the layout is known at sizes.
    fn slides(&self, operation: OperationRef<'_, '_>, source: usize) -> Vec<IndexForm> {
        let Some(Known::View(view)) = self.known(operation, source) else { return Vec::new() };
        let Ok(pattern) = ops::coordinate(operation) else { return Vec::new() };
        if self.follow.is_none() {
            return Vec::new();
        }
        let forms = || (source + 1..operation.operand_count()).map(|at| self.form(operation, at));
        let [mut every, mut kept] = [BTreeSet::new(), overlapping(&view.layout)].map(|but| {
            let mut all = Vec::new();
            fixed(&pattern, &view.layout, &mut forms(), &but, &mut all);
            all.into_iter().map(|own| own.index).collect::<Vec<_>>()
        });
        // An index may be one of another mode as well.
        every.retain(|index| !kept.contains(index));
        kept.clear();
        every.iter().filter_map(|index| index.scale(-1)).for_each(|index| kept.push(index));
        every.append(&mut kept);
        every
    }

    /// Notes that the coordinate of an operation that is carried out is in range: always, or in the round and the branch
    /// that it is in. One of a layout that is known may be past it, and yet a number of 32 bits, which
    /// offsets are computed in.
    pub(super) fn in_range(&mut self, operation: OperationRef<'_, '_>) {
        let Some(integers) = self.integers(operation, 0) else { return };
        let mut known = Vec::new();
        if is_open(operand(operation, 0).r#type()) {
            let facts = || dynamic::in_range(operation, &dynamic::answer(operation)?.ok()?).ok();
            known = facts().map(|facts| bounds(&facts, &integers)).unwrap_or_default();
        } else {
            for form in integers {
                known.extend(form.scale(-1).map(|form| (form, 1)));
                known.push((form, 1 << 31));
            }
        }
        match self.around.is_empty() && self.loops.is_empty() && self.unknown == 0 {
            true => self.trace.domain.extend(known),
            // For the operations after it in the block.
            false => self.inside.extend(known),
        }
    }

    /// The first element alone.
    pub(super) fn single(place: DynamicView) -> Option<View> {
        let DynamicView { root, space, bytes, packed, base, outer, domain, coordinates, .. } =
            place;
        let view = View::single(root, space, (bytes, packed), outer, base, domain)?;
        Some(View { coordinates, ..view })
    }

    /// A view of a type at a place.
    pub(super) fn laid(
        r#type: Type<'_>,
        place: DynamicView,
        integers: impl FnOnce() -> Option<Vec<IndexForm>>,
    ) -> Option<Known> {
        let view = ViewType::from_type(r#type)?;
        if let Ok(layout) = view.layout() {
            return Some(Known::View(Self::single(place)?.relaid(&layout)));
        }
        let integers = integers()?;
        let outer = outer(view, &integers)?;
        Some(Known::Partly(DynamicView { integers, outer, ..place }))
    }

    /// The view of a type that is made at a place, from where the offset before the outer function
    /// is counted.
    fn begun(
        r#type: Type<'_>,
        mut place: DynamicView,
        integers: impl FnOnce() -> Option<Vec<IndexForm>>,
    ) -> Option<Known> {
        let integers = integers()?;
        let offset = offset(ViewType::from_type(r#type)?, &integers)?;
        place.base = place.base.plus(&offset)?;
        Self::laid(r#type, place, || Some(integers))
    }

    /// The offset of a `layout.crd2idx` under a swizzle, as a view's element has it: the expression of the table of operations
    /// has a quotient for each bit.
    fn swizzled_offset(&mut self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let layout = LayoutType::from_type(operand(operation, 0).r#type())?;
        let TermValue::Symbolic { value: Value::Composed(composed), .. } =
            layout.term_value().ok()?
        else {
            return None;
        };
        let Outer::Swizzle(swizzle) = composed.outer else { return None };
        let fixed = dynamic::fixed(operation, 0).ok()?;
        let integers = self.integers(operation, 0)?;
        let mut offset = form(&composed.offset, &integers)?;
        for part in [&fixed.offset, &fixed.within] {
            offset = offset.plus(&form(part, &integers)?)?;
        }
        self.in_range(operation);
        OuterPart::Swizzle(swizzle).at(&offset).map(Known::Form)
    }

    /// The answer of the table of operations.
    fn answered(
        &mut self,
        operation: OperationRef<'_, '_>,
        place: Option<DynamicView>,
    ) -> Option<Known> {
        let r#type = result(operation, 0).r#type();
        let answer = dynamic::answer(operation)?.ok()?;
        let mut integers = self.integers(operation, 0)?;
        if let Outcome::Computed { definitions, .. } = &answer.outcome {
            for definition in definitions {
                let value = match definition {
                    Definition::Value(value) => form(value, &integers)?,
                    Definition::Select { condition, then, otherwise, .. } => {
                        indicator(&conditions(condition, &integers)?)?
                            .choose(&form(then, &integers)?, &form(otherwise, &integers)?)?
                    }
                };
                integers.push(value);
            }
        }
        match &answer.outcome {
            Outcome::Numbers(numbers) => {
                self.in_range(operation);
                for (at, number) in numbers.iter().enumerate().skip(1) {
                    self.set(operation, at, form(number, &integers).map(Known::Form));
                }
                form(numbers.first()?, &integers).map(Known::Form)
            }
            Outcome::Conditions(all) => {
                let all: Option<Vec<_>> =
                    all.iter().map(|condition| conditions(condition, &integers)).collect();
                Some(Known::Conditions(all?.concat()))
            }
            Outcome::Value(_) | Outcome::Computed { .. } => {
                if let Some(boolean) = dynamic::boolean(&answer) {
                    return holds(&IndexForm::constant(i64::from(boolean))).map(Known::Conditions);
                }
                let open = || {
                    let (_, places) = answer.value().ok()?;
                    places.iter().map(|&place| integers.get(place).cloned()).collect()
                };
                match (ViewType::from_type(r#type), place) {
                    (Some(_), place) => Self::laid(r#type, place?, open),
                    (None, _) => open().map(Known::Integers),
                }
            }
        }
    }

    /// Notes what an operation inside says of integers, which is for `layout-verify` to prove.
    fn claim(&mut self, operation: OperationRef<'_, '_>, integers: &[IndexForm], all: &[Symbol]) {
        for (form, symbol) in integers.iter().zip(all) {
            let (range, divisor) = (symbol.range(), symbol.divisor());
            let (low, high) = form.range();
            let proved = (range.0 == i64::MIN || low.is_some_and(|low| low >= range.0))
                && (range.1 == i64::MAX || high.is_some_and(|high| high <= range.1))
                && form.divisor() % divisor.max(1) == 0;
            if !proved {
                self.trace.claims.push(Claim {
                    form: form.clone(),
                    range,
                    divisor,
                    around: self.around.clone(),
                    operation: super::trace::address(operation),
                });
            }
        }
    }

    /// The integers of a `layout.make`, if they are what its type says.
    fn made(&mut self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let symbols = made(operation)?;
        let integers = self.integers(operation, 0)?;
        self.claim(operation, &integers, &symbols);
        let fits = |(form, symbol): (&IndexForm, &Symbol)| {
            let (least, most) = symbol.range();
            let (low, high) = form.range();
            form.divisor() % symbol.divisor() == 0
                && (least == i64::MIN || low.is_some_and(|low| low >= least))
                && (most == i64::MAX || high.is_some_and(|high| high <= most))
        };
        let all = integers.len() == symbols.len() && integers.iter().zip(&symbols).all(fits);
        all.then_some(Known::Integers(integers))
    }

    /// An assumption about integers changes none of them.
    fn assumed(&mut self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let term_value = |r#type: Type<'_>| dynamic::known(r#type)?.ok();
        let source = term_value(operand(operation, 0).r#type())?;
        let target = term_value(result(operation, 0).r#type())?;
        let integers = self.left_open(operation, 0)?;
        let matched = dynamic::matched(&source, &target).ok()?;
        let all: Vec<IndexForm> =
            matched.iter().map(|expression| form(expression, &integers)).collect::<Option<_>>()?;
        self.claim(operation, &all, &target.symbols());
        let divides =
            |(form, symbol): (&IndexForm, &Symbol)| form.divisor() % symbol.divisor() == 0;
        all.iter().zip(&target.symbols()).all(divides).then_some(Known::Integers(all))
    }

    /// `layout.make_view`: at a pointer, a memref's first element, or another view's.
    fn view_of(&self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let r#type = result(operation, 0).r#type();
        let view = ViewType::from_type(r#type)?;
        let bytes = element_bytes(view.element_type())?;
        let has_layout = operation.operand_count() > 1;
        let base_type = operand(operation, 0).r#type();
        let at = |root: Root, base: IndexForm| DynamicView {
            root,
            space: view.space(),
            bytes,
            packed: 1,
            base,
            outer: OuterPart::Nothing,
            domain: Vec::new(),
            coordinates: Vec::new(),
            integers: Vec::new(),
        };
        let (place, own) = match self.known(operation, 0)? {
            Known::Pointer(root, form) if form.divisor() % bytes == 0 => {
                (at(root.clone(), form.floor_div(bytes)?), Vec::new())
            }
            Known::Memref(memref) => {
                let buffer = Buffer::of(base_type).ok()??;
                let base = match buffer.offset().ok()? {
                    Some(offset) => IndexForm::constant(offset),
                    None => memref.offset(),
                };
                let open_integers = if has_layout { Vec::new() } else { buffer.integers().ok()? };
                let own =
                    open_integers.into_iter().map(|integer| memref.integer(integer)).collect();
                (at(memref.root.clone(), base), own)
            }
            _ => (self.place(operation, 0)?, Vec::new()),
        };
        let open = || if has_layout { self.left_open(operation, 1) } else { Some(own) };
        Self::begun(r#type, place, open)
    }

    /// `layout.identity_tensor`: each element is its own offset.
    fn numbers(&self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let place = DynamicView {
            root: Root::Nothing,
            space: Space::Coordinate,
            bytes: 1,
            packed: 1,
            base: IndexForm::constant(0),
            outer: OuterPart::Nothing,
            domain: Vec::new(),
            coordinates: Vec::new(),
            integers: Vec::new(),
        };
        let r#type = result(operation, 0).r#type();
        Self::begun(r#type, place, || self.left_open(operation, 0))
    }

    /// `layout.recast` of a view: other elements from the same place on.
    fn recast(&self, operation: OperationRef<'_, '_>) -> Option<Known> {
        let place = self.place(operation, 0)?;
        let recast = dynamic::recast(operation).ok()?;
        let (bytes, packed) = packed_bytes(recast.r#type.element_type(), self.follow.is_some())?;
        // In units that elements of both kinds are multiples of.
        let unit = place.packed.max(packed);
        let start = place.base.scale(place.bytes.checked_mul(unit / place.packed)?)?;
        let own = bytes.checked_mul(unit / packed)?;
        if start.divisor() % own != 0 {
            return None;
        }
        let integers = self.integers(operation, 0)?;
        let open =
            || recast.places.iter().map(|&at| integers.get(at).cloned()).collect::<Option<_>>();
        let place = DynamicView { bytes, packed, base: start.floor_div(own)?, ..place };
        Self::laid(result(operation, 0).r#type(), place, open)
    }
}

/// The value of a function's argument whose type leaves integers open. The offset of one that has
/// its own comes before the integers.
pub(super) fn argument(
    r#type: Type<'_>,
    root: Root,
    own: Option<IndexForm>,
    integers: Vec<IndexForm>,
) -> Option<Known> {
    let Some(view) = ViewType::from_type(r#type) else { return Some(Known::Integers(integers)) };
    let bytes = match view.space() {
        Space::Coordinate => 1,
        _ => element_bytes(view.element_type())?,
    };
    let root = if view.space() == Space::Coordinate { Root::Nothing } else { root };
    let base = match own {
        Some(own) => own,
        None => offset(view, &integers)?,
    };
    Some(Known::Partly(DynamicView {
        root,
        space: view.space(),
        bytes,
        packed: 1,
        base,
        outer: outer(view, &integers)?,
        domain: Vec::new(),
        coordinates: Vec::new(),
        integers,
    }))
}

/// The outer part of a view's layout that leaves these integers open.
fn outer(view: ViewType<'_>, integers: &[IndexForm]) -> Option<OuterPart> {
    let composed = match view.term_value().ok()? {
        TermValue::Symbolic { value: Value::Composed(composed), .. } => composed,
        TermValue::Symbolic { value: Value::Layout(_), .. } => return Some(OuterPart::Nothing),
        _ => return Some(OuterPart::of(&view.layout().ok()?)),
    };
    match composed.outer {
        Outer::Swizzle(swizzle) => Some(OuterPart::Swizzle(swizzle)),
        Outer::Layout(outer) => {
            let mode = |(extent, stride): &(Expr, Expr)| {
                Some([form(extent, integers)?, form(stride, integers)?])
            };
            outer.flat().iter().map(mode).collect::<Option<_>>().map(OuterPart::Layout)
        }
    }
}

/// The offset of a composed layout; 0 of others.
fn offset(view: ViewType<'_>, integers: &[IndexForm]) -> Option<IndexForm> {
    match view.term_value().ok()? {
        TermValue::Symbolic { value: Value::Composed(composed), .. } => {
            form(&composed.offset, integers)
        }
        TermValue::Static(layout_algebra::Value::Composed(composed)) => {
            Some(IndexForm::constant(composed.offset))
        }
        _ => Some(IndexForm::constant(0)),
    }
}

/// How many offsets of their own views of a type have: a function of the host may be given a part of
/// one that a swizzle follows.
pub(super) fn own_offset(r#type: Type<'_>, host: bool) -> u32 {
    u32::from(host && is_composed(r#type))
}

/// Whether a type is a view of a swizzled layout, or another layout.
fn is_composed(r#type: Type<'_>) -> bool {
    let term_value = ViewType::from_type(r#type).map(|view| view.term_value());
    match term_value {
        Some(Ok(TermValue::Static(value))) => matches!(value, layout_algebra::Value::Composed(_)),
        Some(Ok(TermValue::Symbolic { value, .. })) => matches!(value, Value::Composed(_)),
        _ => false,
    }
}

/// Bounds of the memory of a view of a type, in bytes: those of the largest layout that it may have.
pub(super) fn reach(r#type: Type<'_>) -> Option<(i64, i64)> {
    let view = ViewType::from_type(r#type)?;
    let TermValue::Symbolic { value: Value::Layout(layout), facts } = view.term_value().ok()?
    else {
        return None;
    };
    let cosize = facts.range(&layout.cosize_under(&facts).ok()?).hi?;
    let bytes = element_bytes(view.element_type())?;
    Some((0, i64::try_from(cosize).ok()?.checked_mul(bytes)?))
}

/// The facts of the integers that a type leaves open.
pub(super) fn symbols(r#type: Type<'_>) -> Option<Vec<Symbol>> {
    dynamic::carried(r#type).ok()?.as_ref().map(TermValue::symbols)
}
