//! Views, and the layout operations on them: the meaning of each operation, element by element.

use super::{
    arithmetic,
    mmas::{ASYNC, IN_FLIGHT, INSIDE, OVERWRITES, TWO_LEVELS},
    trace::{Condition, Coordinate, Copy, Event, Known, Reader, Root},
};
use layout_algebra::{AnyLayout, Layout, Outer, Swizzle, Tuple};
use layout_dialect::{
    LayoutType, Space, ViewType,
    atoms::{CopyKind, WARP},
    build::{Builder, result},
    coordinate::Pattern,
    ops,
    ops::Limit,
    tree,
    types::element_bytes,
};
use layout_relation::IndexForm;
use melior::ir::{OperationRef, Type, operation::OperationLike};
use std::collections::BTreeSet;

/// The function that the offset of an element goes through last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum OuterPart {
    /// Nothing.
    #[default]
    Nothing,
    /// A swizzle.
    Swizzle(Swizzle),
    /// A layout: the extent and the stride of each mode.
    Layout(Vec<[IndexForm; 2]>),
}

impl OuterPart {
    /// The outer part of a known layout.
    pub(super) fn of(layout: &AnyLayout) -> Self {
        let AnyLayout::Composed(composed) = layout else { return Self::Nothing };
        match &composed.outer {
            Outer::Swizzle(swizzle) => Self::Swizzle(*swizzle),
            Outer::Layout(outer) => {
                let form = |(extent, stride)| [extent, stride].map(IndexForm::constant);
                Self::Layout(outer.flat().into_iter().map(form).collect())
            }
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }

    /// Where an offset is.
    pub(super) fn at(&self, offset: &IndexForm) -> Option<IndexForm> {
        match self {
            Self::Nothing => Some(offset.clone()),
            Self::Swizzle(swizzle) => swizzled(*swizzle, offset),
            Self::Layout(modes) => {
                // Quotients round towards 0, which below it is not down.
                let natural = offset.range().0.is_some_and(|least| least >= 0);
                let mut sum = IndexForm::constant(0);
                let mut rest = offset.clone();
                for (i, [extent, stride]) in modes.iter().enumerate() {
                    let mut digit = rest.clone();
                    // The last mode continues.
                    if i + 1 < modes.len() {
                        rest = match natural {
                            true => rest.quotient(extent)?,
                            false => arithmetic::truncated(&rest, extent)?,
                        };
                        digit = digit.minus(&rest.times(extent)?)?;
                    }
                    sum = sum.plus(&digit.times(stride)?)?;
                }
                Some(sum)
            }
        }
    }
}

/// Memory through a layout: element `i` is `outer(base + layout(i))` elements from the root.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) root: Root,
    pub(super) space: Space,
    /// Bytes of an element; 1 of an identity tensor, and of elements of which several are in a byte.
    pub(super) bytes: i64,
    /// Elements in `bytes` bytes; more than one only in a program of threads.
    pub(super) packed: i64,
    pub(super) layout: Layout,
    pub(super) outer: OuterPart,
    pub(super) base: IndexForm,
    /// Conditions that hold where the coordinates are in range that the base is made of, where a layout
    /// is partly static.
    pub(super) domain: Vec<Condition>,
    /// The coordinates that the base is made of, where the layout is known.
    pub(super) coordinates: Vec<Coordinate>,
    /// The numbers that its type leaves open, where they are known at the sizes that are examined.
    pub(super) integers: Vec<IndexForm>,
}

impl View {
    /// The view of a whole buffer, or `None` for other types.
    pub(super) fn whole(r#type: Type<'_>, root: Root, packs: bool) -> Option<Self> {
        let view = ViewType::try_from(r#type).ok()?;
        let space = view.space();
        let (bytes, packed) = match space {
            Space::Coordinate => (1, 1),
            _ => packed_bytes(view.element_type(), packs)?,
        };
        let layout = view.layout().ok()?;
        let offset = match &layout {
            AnyLayout::Plain(_) => 0,
            AnyLayout::Composed(composed) => composed.offset,
        };
        let root = match space {
            Space::Coordinate => Root::Nothing,
            _ => root,
        };
        let view = Self {
            root,
            space,
            bytes,
            packed,
            layout: Layout::from_shape(Tuple::Leaf(1)).ok()?,
            outer: OuterPart::Nothing,
            base: IndexForm::constant(offset),
            domain: Vec::new(),
            coordinates: Vec::new(),
            integers: Vec::new(),
        };
        Some(view.relaid(&layout))
    }

    /// A view of the one element at a place.
    pub(super) fn single(
        root: Root,
        space: Space,
        (bytes, packed): (i64, i64),
        outer: OuterPart,
        base: IndexForm,
        domain: Vec<Condition>,
    ) -> Option<Self> {
        let layout = Layout::from_shape(Tuple::Leaf(1)).ok()?;
        let (coordinates, integers) = (Vec::new(), Vec::new());
        Some(Self {
            root,
            space,
            bytes,
            packed,
            layout,
            outer,
            base,
            domain,
            coordinates,
            integers,
        })
    }

    /// The same memory in bytes, where elements of which several are in a byte fill bytes.
    fn unpacked(self) -> Option<Self> {
        if self.packed == 1 {
            return Some(self);
        }
        let is_whole = |number: i64| number % self.packed == 0;
        (self.outer.is_nothing() && is_whole(self.base.divisor())).then_some(())?;
        let mut modes = Vec::new();
        let mut fills = false;
        for (extent, stride) in self.layout.flat() {
            modes.push(match stride {
                1 if is_whole(extent) && !fills => {
                    fills = true;
                    (extent / self.packed, 1)
                }
                _ if extent == 1 => (1, 0),
                _ if is_whole(stride) => (extent, stride / self.packed),
                _ => return None,
            });
        }
        let (shape, stride): (Vec<_>, Vec<_>) =
            modes.into_iter().map(|(e, s)| (Tuple::Leaf(e), Tuple::Leaf(s))).unzip();
        let layout = Layout::new(Tuple::Node(shape), Tuple::Node(stride)).ok().filter(|_| fills)?;
        let base = self.base.floor_div(self.packed)?;
        Some(Self { layout, base, packed: 1, ..self })
    }

    /// The same place under another layout, whose offset is not counted again.
    pub(super) fn relaid(&self, layout: &AnyLayout) -> Self {
        Self { layout: layout.inner().clone(), outer: OuterPart::of(layout), ..self.clone() }
    }

    /// The swizzle that it is outer, if the outer part is one, or nothing.
    pub(super) fn swizzle(&self) -> Option<Option<Swizzle>> {
        match &self.outer {
            OuterPart::Nothing => Some(None),
            OuterPart::Swizzle(swizzle) => Some(Some(*swizzle)),
            OuterPart::Layout(_) => None,
        }
    }

    /// Where an element is, in elements.
    pub(super) fn element(&self, at: i64) -> Option<IndexForm> {
        let inside = self.base.plus(&IndexForm::constant(self.layout.at(at).ok()?))?;
        self.outer.at(&inside)
    }

    pub(super) fn size(&self) -> i64 {
        self.layout.size()
    }

    /// Bounds of the offsets of its elements, if it is a whole buffer or argument: from the first on,
    /// below the second. A swizzle stays within its periods.
    pub(super) fn reach(&self) -> Option<(i64, i64)> {
        let base = self.base.as_constant()?;
        let mut bounds = (base, base);
        for (extent, stride) in self.layout.flat() {
            let end = extent.checked_sub(1)?.checked_mul(stride)?;
            bounds = (bounds.0.checked_add(end.min(0))?, bounds.1.checked_add(end.max(0))?);
        }
        if let Some(swizzle) = self.swizzle()? {
            let period = swizzle.period();
            let from = bounds.0.div_euclid(period).checked_mul(period)?;
            let last = bounds.1.div_euclid(period).checked_add(1)?.checked_mul(period)?;
            return Some((from, last));
        }
        Some((bounds.0, bounds.1.checked_add(1)?))
    }

    /// The same in bytes.
    pub(super) fn reach_in_bytes(&self) -> Option<(i64, i64)> {
        let (from, to) = self.reach()?;
        Some((from.checked_mul(self.bytes)?, to.checked_mul(self.bytes)?))
    }
}

/// Bytes of an element, and how many elements are in these.
pub(super) fn packed_bytes(element: Type<'_>, packs: bool) -> Option<(i64, i64)> {
    if let Some(bytes) = element_bytes(element) {
        return Some((bytes, 1));
    }
    match element.to_string().trim_start_matches(['s', 'u']) {
        "i4" if packs => Some((1, 2)),
        "i2" if packs => Some((1, 4)),
        _ => None,
    }
}

/// A swizzle of a form.
fn swizzled(swizzle: Swizzle, form: &IndexForm) -> Option<IndexForm> {
    if swizzle.bits == 0 {
        return Some(form.clone());
    }
    let lowest = swizzle.base.checked_add(swizzle.shift.max(0).unsigned_abs())?;
    let mask = 1_i64.checked_shl(swizzle.bits)?.checked_sub(1)?.checked_shl(lowest)?;
    let step = 1_i64.checked_shl(swizzle.shift.unsigned_abs())?;
    let bits = form.mask(mask)?;
    let moved = if swizzle.shift >= 0 { bits.floor_div(step)? } else { bits.scale(step)? };
    form.xor(&moved)
}

/// `layout(index)`: the digits of the index in the mixed radix of the shape, times the strides.
fn at(layout: &Layout, index: &IndexForm) -> Option<IndexForm> {
    let modes = layout.flat();
    let mut sum = IndexForm::constant(0);
    let mut rest = index.clone();
    for (i, &(extent, stride)) in modes.iter().enumerate() {
        // The last mode continues.
        let digit = if i + 1 == modes.len() { rest.clone() } else { rest.modulo(extent)? };
        rest = rest.floor_div(extent)?;
        sum = sum.plus(&digit.scale(stride)?)?;
    }
    Some(sum)
}

/// The offset of a coordinate whose `?` are the indices.
pub(super) fn offset(
    pattern: &Pattern,
    layout: &Layout,
    indices: &mut impl Iterator<Item = Option<IndexForm>>,
) -> Option<IndexForm> {
    match pattern {
        Pattern::Any => Some(IndexForm::constant(0)),
        Pattern::At(index) => layout.at(*index).ok().map(IndexForm::constant),
        Pattern::Dynamic => at(layout, &indices.next()??),
        Pattern::Tuple(entries) => {
            let modes = layout.modes();
            if modes.len() != entries.len() {
                return None;
            }
            entries.iter().zip(&modes).try_fold(IndexForm::constant(0), |sum, (entry, mode)| {
                sum.plus(&offset(entry, mode, indices)?)
            })
        }
    }
}

/// The strides of modes of which steps of one may lead where steps of another do: as of a window that slides, one of
/// their coordinates may be past its end where the element is not.
pub(super) fn overlapping(layout: &Layout) -> BTreeSet<i64> {
    let modes = layout.flat().into_iter().filter(|&(extent, stride)| extent > 1 && stride != 0);
    let mut modes: Vec<(i64, i64)> = modes.collect();
    modes.sort_unstable_by_key(|&(_, stride)| stride.unsigned_abs());
    let (mut reach, mut last, mut all) = (0_u64, 0, BTreeSet::new());
    for (extent, stride) in modes {
        if stride.unsigned_abs() <= reach {
            all.extend([last, stride]);
        }
        reach = reach.saturating_add(extent.abs_diff(1).saturating_mul(stride.unsigned_abs()));
        last = stride;
    }
    all
}

/// The indices of a coordinate, each with the extent of its mode, but for those of modes of some strides.
pub(super) fn fixed(
    pattern: &Pattern,
    layout: &Layout,
    indices: &mut impl Iterator<Item = Option<IndexForm>>,
    but: &BTreeSet<i64>,
    all: &mut Vec<Coordinate>,
) {
    let index = match pattern {
        Pattern::Any => None,
        Pattern::At(index) => Some(IndexForm::constant(*index)),
        Pattern::Dynamic => indices.next().flatten(),
        Pattern::Tuple(entries) => {
            for (entry, mode) in entries.iter().zip(&layout.modes()) {
                fixed(entry, mode, indices, but, all);
            }
            None
        }
    };
    // Where no step moves, any coordinate is the first.
    let modes = layout.flat();
    let is_but = modes.iter().any(|&(extent, stride)| extent > 1 && but.contains(&stride));
    if !is_but && modes.iter().any(|&(_, stride)| stride != 0) {
        all.extend(index.map(|index| Coordinate { index, extent: layout.size() }));
    }
}

impl Reader {
    pub(super) fn layout_operation(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        if self.partly_static(operation, name) {
            return;
        }
        match name {
            _ if name == "layout.alloc" || layout_dialect::expand::is_fragment(name) => {
                let number = self.trace.buffers.len();
                let r#type = layout_dialect::build::result(operation, 0);
                let packs = self.follow.is_some();
                let mut view = View::whole(
                    melior::ir::ValueLike::r#type(&r#type),
                    Root::Buffer(number),
                    packs,
                );
                if let Some(view) = &mut view
                    && view.space == Space::Register
                    && self.trace.function == "gpu.func"
                {
                    view.root = Root::Register(number);
                }
                // A swizzle may reach past what the inner layout does.
                let cosize = ViewType::try_from(melior::ir::ValueLike::r#type(&r#type))
                    .ok()
                    .and_then(|own| own.layout().ok()?.cosize().ok());
                let bytes = view
                    .as_ref()
                    .and_then(|view| Some(cosize?.checked_mul(view.bytes)? / view.packed));
                self.trace.buffers.push(bytes.unwrap_or(0));
                self.define(operation, view.map(Known::View));
            }
            "layout.identity_tensor" => {
                let value = layout_dialect::build::result(operation, 0);
                let r#type = melior::ir::ValueLike::r#type(&value);
                self.trace.small_numbers &= is_small(r#type);
                let view = View::whole(r#type, Root::Nothing, false);
                self.define(operation, view.map(Known::View));
            }
            "layout.composition"
            | "layout.logical_divide"
            | "layout.zipped_divide"
            | "layout.select"
            | "layout.coalesce" => {
                let view =
                    self.view(operation, 0).and_then(|view| Some(view.relaid(&layout(operation)?)));
                // The type of a layout value has all of it.
                if view.is_some() {
                    self.define(operation, view.map(Known::View));
                }
            }
            "layout.slice" => {
                let view = self.sliced(operation);
                if view.is_some() {
                    self.define(operation, view.map(Known::View));
                }
            }
            "layout.idx2crd" => {
                self.in_range(operation);
                self.digits(operation);
            }
            "layout.size" | "layout.cosize" | "layout.rank" | "layout.depth" => {
                let value = ops::static_index(operation).ok().flatten();
                self.define(operation, value.map(|v| Known::Form(IndexForm::constant(v))));
            }
            "layout.relate" => self.relate(operation),
            "layout.crd2idx" => {
                self.in_range(operation);
                let index = self.index(operation);
                self.trace.words.extend(index.clone().filter(|_| {
                    is_small(melior::ir::ValueLike::r#type(&layout_dialect::build::operand(
                        operation, 0,
                    )))
                }));
                self.define(operation, index.map(Known::Form));
            }
            "layout.copy" => self.copy(operation),
            "layout.cooperative_copy" => self.written_out(operation),
            "layout.atomic" => self.atomic(operation),
            "layout.pointer" => self.pointed(operation),
            // The order of threads after them is not followed.
            name @ ("layout.barriers" | "layout.arrive" | "layout.wait" | "layout.wait_mma") => {
                self.unmodelled(name);
            }
            "layout.copy_im2col" => self.unmodelled("layout.copy_im2col"),
            "layout.map" => self.map(operation),
            "layout.reduce" => self.reduce(operation),
            "layout.fill" => {
                let target = self.view(operation, 0);
                self.elements(operation, None, target, None);
            }
            "layout.load" => {
                let point = self.point(operation, 0, 1);
                match &point {
                    Some(view) if view.root == Root::Nothing => {
                        let form = view.element(0);
                        let small = self.trace.small_numbers;
                        self.trace.words.extend(form.clone().filter(|_| small));
                        self.define(operation, form.map(Known::Form));
                    }
                    _ => self.elements(operation, point, None, None),
                }
            }
            "layout.store" => {
                let point = self.point(operation, 1, 2);
                let value = self.form(operation, 0);
                self.elements(operation, None, point, value);
            }
            "layout.mma" => {
                let mma = ops::atom(operation).ok().and_then(|atom| atom.mma());
                if let Some(mma) = mma.as_ref().filter(|mma| !mma.is_scalar()) {
                    self.collective(operation, mma.threads);
                }
                match (mma, self.view(operation, 0), self.view(operation, 1)) {
                    (Some(mma), ..) if mma.b_space == Space::Register => {}
                    (Some(_), Some(a), Some(b)) => {
                        let parent = operation.parent_operation();
                        let is_inside = parent.is_some_and(|parent| {
                            parent
                                .name()
                                .as_string_ref()
                                .as_str()
                                .is_ok_and(|p| p.starts_with("scf."))
                        });
                        let how = match (ops::has_two_levels(operation), is_inside) {
                            _ if ops::is_async(operation) => match self.follow {
                                Some(_) => ASYNC,
                                None => IN_FLIGHT,
                            },
                            (true, _) => TWO_LEVELS,
                            (_, true) => INSIDE,
                            _ => "",
                        };
                        let overwrites = match ops::overwrites(operation) {
                            true => OVERWRITES,
                            false => "",
                        };
                        let around = self.around.clone();
                        let operation = super::trace::address(operation);
                        self.event(Event::Views(
                            format!("{name}{overwrites}{how}"),
                            vec![a, b],
                            around,
                            operation,
                        ));
                    }
                    _ => self.unmodelled("layout.mma of views that are not known"),
                }
            }
            "layout.matmul" if operation.attribute("window").is_ok() => {
                self.unmodelled("layout.matmul of an image");
            }
            "layout.matmul" => self.matmul(operation),
            "layout.pipeline" => self.pipeline(operation),
            // The rest computes layouts, which are in types, or numbers that nothing else depends on.
            _ => {}
        }
    }

    fn define(&mut self, operation: OperationRef<'_, '_>, known: Option<Known>) {
        self.set(operation, 0, known);
    }

    fn sliced(&self, operation: OperationRef<'_, '_>) -> Option<View> {
        let view = self.view(operation, 0)?;
        let base = self.coordinate(operation, &view, 1)?;
        let coordinates = self.coordinates(operation, &view, 1);
        let domain = self.domain(&view, &coordinates);
        let layout = layout(operation)?;
        Some(View { base, coordinates, domain, ..view }.relaid(&layout))
    }

    /// The base of a view after fixing the coordinate of an operation.
    fn coordinate(
        &self,
        operation: OperationRef<'_, '_>,
        view: &View,
        first: usize,
    ) -> Option<IndexForm> {
        let pattern = ops::coordinate(operation).ok()?;
        let mut indices = (first..operation.operand_count()).map(|at| self.form(operation, at));
        view.base.plus(&offset(&pattern, &view.layout, &mut indices)?)
    }

    /// The coordinates that a view's place is made of after fixing those of an operation.
    fn coordinates(
        &self,
        operation: OperationRef<'_, '_>,
        view: &View,
        first: usize,
    ) -> Vec<Coordinate> {
        let mut all = view.coordinates.clone();
        let Ok(pattern) = ops::coordinate(operation) else { return all };
        let mut indices = (first..operation.operand_count()).map(|at| self.form(operation, at));
        // Between passes, what a program means stays the same where all coordinates are in range.
        let but = self.follow.as_ref().map(|_| overlapping(&view.layout)).unwrap_or_default();
        fixed(&pattern, &view.layout, &mut indices, &but, &mut all);
        all
    }

    /// Where an access means something: within its memory, which says it where its size is known, and else
    /// at coordinates in range.
    pub(super) fn domain(&self, view: &View, coordinates: &[Coordinate]) -> Vec<Condition> {
        let mut all = view.domain.clone();
        let is_known = match view.root {
            Root::Argument(number) => self.trace.reaches.get(number).is_some_and(Option::is_some),
            _ => true,
        };
        if !is_known {
            for Coordinate { index, extent } in coordinates {
                all.push((index.clone(), *extent));
                all.extend(index.scale(-1).map(|index| (index, 1)));
            }
        }
        all
    }

    /// The offset that a layout, or the layout of a view, has at a coordinate.
    fn index(&self, operation: OperationRef<'_, '_>) -> Option<IndexForm> {
        let r#type = melior::ir::ValueLike::r#type(&layout_dialect::build::operand(operation, 0));
        let layout = match (LayoutType::try_from(r#type), ViewType::try_from(r#type)) {
            (Ok(layout), _) => layout.layout(),
            (_, Ok(view)) => view.layout(),
            _ => return None,
        };
        let AnyLayout::Plain(layout) = layout.ok()? else { return None };
        let pattern = ops::coordinate(operation).ok()?;
        let mut indices = (1..operation.operand_count()).map(|at| self.form(operation, at));
        offset(&pattern, &layout, &mut indices)
    }

    /// The one element that a load or store is to.
    pub(super) fn point(
        &self,
        operation: OperationRef<'_, '_>,
        view: usize,
        first: usize,
    ) -> Option<View> {
        let view = self.view(operation, view)?;
        let base = self.coordinate(operation, &view, first)?;
        let coordinates = self.coordinates(operation, &view, first);
        let domain = self.domain(&view, &coordinates);
        Some(View {
            base,
            coordinates,
            domain,
            layout: Layout::from_shape(Tuple::Leaf(1)).ok()?,
            ..view
        })
    }

    fn digits(&mut self, operation: OperationRef<'_, '_>) {
        let Ok(extents) = ops::idx2crd_extents(operation) else { return };
        let Some(mut rest) = self.form(operation, 0) else { return };
        for (i, &extent) in extents.iter().enumerate() {
            let last = i + 1 == extents.len();
            let digit = if last { Some(rest.clone()) } else { rest.modulo(extent) };
            self.set(operation, i, digit.map(Known::Form));
            let Some(next) = rest.floor_div(extent) else { return };
            rest = next;
        }
    }

    fn copy(&mut self, operation: OperationRef<'_, '_>) {
        let copy = || {
            let atom = ops::atom(operation).ok()?;
            let (source, target) = (self.view(operation, 0)?, self.view(operation, 1)?);
            let packed = source.packed.max(target.packed);
            if packed > 1 && !ops::predicates(operation).ok()?.is_empty() {
                return None;
            }
            let (source, target) = (source.unpacked()?, target.unpacked()?);
            let predicates = ops::predicates(operation).ok()?;
            let predicate = |(at, predicate): (usize, ops::Predicate<'_>)| {
                let limit = match predicate.limit {
                    Limit::Known(limit) => limit,
                    Limit::At(limit) => match self.number(limit) {
                        Some(limit) => limit,
                        None => return self.below(self.view(operation, 2 + at)?, limit),
                    },
                };
                Some((self.view(operation, 2 + at)?, limit))
            };
            Some(Copy {
                kind: atom.copy_kind()?,
                value: None,
                run: match atom.copy_kind()? {
                    CopyKind::Simt => atom.elements(source.bytes)? / packed,
                    _ => atom.elements(source.bytes)?,
                },
                predicates: predicates
                    .into_iter()
                    .enumerate()
                    .map(predicate)
                    .collect::<Option<_>>()?,
                source: Some(source),
                target: Some(target),
                multicast: ops::multicast(operation).ok()?,
                no_zfill: ops::no_zfill(operation)
                    .ok()?
                    .and_then(|predicate| usize::try_from(predicate).ok()),
                barrier: self.follow.as_ref().and_then(|follow| follow.transaction.clone()),
                atomic: false,
                combines: false,
                around: self.around.clone(),
                loops: self.loops.clone(),
                threads: self.threads,
                operation: super::trace::address(operation),
            })
        };
        let copy = copy();
        let of_warp = |copy: &Copy| {
            matches!(copy.kind, CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. })
        };
        if copy.as_ref().is_some_and(of_warp) {
            self.collective(operation, WARP);
        }
        match copy {
            Some(copy) => self.event(Event::Copy(Box::new(copy))),
            None => {
                let why = self.not_copied(operation);
                self.unmodelled(&format!("a copy ({why})"));
            }
        }
    }

    /// An operation that is short for others and has no result: what it is written out as, which is in front of it
    /// for as long as it is read.
    fn written_out(&mut self, operation: OperationRef<'_, '_>) {
        let b = Builder::before(operation);
        let mut steps = Vec::new();
        let mut insert = |step| {
            let step = b.insert(step);
            steps.push(step);
            step
        };
        let expanded = layout_dialect::expand::expand(operation, &mut insert);
        let first = self.trace.events.len();
        match expanded {
            Ok(Some(_)) => {
                for &step in &steps {
                    self.layout_operation(step, &tree::name(step));
                }
            }
            _ => self.unmodelled(&format!("{}, which is not written out", tree::name(operation))),
        }
        for event in &mut self.trace.events[first..] {
            if let Event::Unmodelled(_, at) = event {
                *at = super::trace::address(operation);
            }
            if let Event::Copy(copy) = event {
                copy.operation = super::trace::address(operation);
            }
        }
        for &step in steps.iter().rev() {
            (0..step.result_count()).for_each(|at| self.forget(result(step, at)));
            tree::erase(step);
        }
    }

    /// A fill, a load or a store, one element after the other.
    pub(super) fn elements(
        &mut self,
        operation: OperationRef<'_, '_>,
        source: Option<View>,
        target: Option<View>,
        value: Option<IndexForm>,
    ) {
        if source.is_none() && target.is_none() {
            let missing = self.missing(operation, 0..operation.operand_count());
            return self.unmodelled(&format!("an access to a view ({missing})"));
        }
        let copy = Copy {
            source,
            target,
            predicates: Vec::new(),
            kind: CopyKind::Simt,
            value,
            multicast: None,
            no_zfill: None,
            barrier: None,
            atomic: false,
            combines: false,
            run: 1,
            around: self.around.clone(),
            loops: self.loops.clone(),
            threads: self.threads,
            operation: super::trace::address(operation),
        };
        self.event(Event::Copy(Box::new(copy)));
    }
}

/// Whether the offsets of coordinates within the layout of a type fit 32 bits.
fn is_small(r#type: Type<'_>) -> bool {
    let layout = match (LayoutType::try_from(r#type), ViewType::try_from(r#type)) {
        (Ok(layout), _) => layout.layout(),
        (_, Ok(view)) => view.layout(),
        _ => return false,
    };
    let reach = layout.ok().and_then(|layout| layout.inner().cosize().ok());
    reach.is_some_and(|reach| (0..=1 << 31).contains(&reach))
}

/// The layout of an operation's result.
pub(super) fn layout(operation: OperationRef<'_, '_>) -> Option<AnyLayout> {
    let value = layout_dialect::build::result(operation, 0);
    ViewType::try_from(melior::ir::ValueLike::r#type(&value)).ok()?.layout().ok()
}

/// The name of a function that holds layout operations or what they become.
pub(super) fn is_function(operation: OperationRef<'_, '_>) -> bool {
    matches!(tree::name(operation).as_str(), "gpu.func" | "func.func")
}
