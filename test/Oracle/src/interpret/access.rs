//! Operations on memory, on memrefs, pointers, layouts and views.

use crate::interpret::{
    Stop,
    decode::{Code, Operation},
    layout::{self, Layout, Tree},
    layout_text::{self, Term},
    recast,
    run::{Frame, Machine},
    types::{Ty, ViewTy},
    value::{MemRef, Value, View, mask, signed},
};
use std::rc::Rc;

/// The number that marks a dynamic one in an attribute.
const DYNAMIC: i64 = i64::MIN;

/// Elements from a memref's base to one of its own; undefined behaviour outside of it.
pub(super) fn element_at(memref: &MemRef, at: &[i64]) -> Result<i64, Stop> {
    let mut element = memref.offset;
    for (i, at) in at.iter().enumerate() {
        if *at < 0 || *at >= memref.sizes[i] {
            return Err(Stop::undefined(format!(
                "index {at} of a dimension of size {}",
                memref.sizes[i]
            )));
        }
        element = element.wrapping_add(at.wrapping_mul(memref.strides[i]));
    }
    Ok(element)
}

pub(super) fn address_of(memref: &MemRef, element: i64, bytes: u64) -> u64 {
    memref.base.wrapping_add((element as u64).wrapping_mul(bytes))
}

fn memref(value: &Value) -> Result<&Rc<MemRef>, Stop> {
    match value {
        Value::MemRef(memref) => Ok(memref),
        Value::Poison => Err(Stop::undefined("a memref is poison")),
        _ => Err(Stop::unknown("a memref that is none")),
    }
}

fn view(value: &Value) -> Result<&Rc<View>, Stop> {
    match value {
        Value::View(view) => Ok(view),
        Value::Poison => Err(Stop::undefined("a view is poison")),
        _ => Err(Stop::unknown("a view that is none")),
    }
}

fn tree(value: &Value) -> Result<Tree, Stop> {
    match value {
        Value::Tuple(tree) => Ok((**tree).clone()),
        value => Ok(Tree::Leaf(value.known("a coordinate")? as i64)),
    }
}

/// The layout of a layout or a view.
fn layout_of(value: &Value) -> Result<Rc<Layout>, Stop> {
    match value {
        Value::Layout(layout) => Ok(layout.clone()),
        Value::View(view) => Ok(view.layout.clone()),
        Value::Poison => Err(Stop::undefined("a layout is poison")),
        _ => Err(Stop::unknown("a layout that is none")),
    }
}

/// The same kind of value with another layout.
fn with_layout(value: &Value, layout: Layout) -> Value {
    match value {
        Value::View(view) => {
            Value::View(Rc::new(View { layout: Rc::new(layout), ..(**view).clone() }))
        }
        _ => Value::Layout(Rc::new(layout)),
    }
}

/// The bytes that a number of `bits` bits takes in memory.
fn bytes_of(bits: u32) -> u32 {
    bits.div_ceil(8).next_power_of_two()
}

impl Machine<'_> {
    /// Operations that reach memory or layouts.
    pub(super) fn access(&mut self, op: &Operation, frame: &Frame) -> Result<Vec<Value>, Stop> {
        let operand = |i: usize| frame.operand(op, i);
        Ok(match &op.code {
            Code::Alloc(ty) => {
                let Ty::MemRef(ty) = &**ty else { return Err(Stop::unknown("an allocation")) };
                let mut dynamic = frame.integers(&op.operands, "a size")?.into_iter();
                let sizes: Vec<i64> = ty
                    .sizes
                    .iter()
                    .map(|size| size.or_else(|| dynamic.next()).unwrap_or(0))
                    .collect();
                if sizes.iter().any(|size| !(0..=1 << 20).contains(size)) {
                    return Err(Stop::undefined("an allocation of an impossible size"));
                }
                let elements = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
                let elements = elements.ok_or(Stop::Steps)?;
                let bytes =
                    (elements as u64).checked_mul(ty.element.bytes()?).ok_or(Stop::Steps)?;
                let base = self.memory.allocate(bytes, false)?;
                let mut strides = vec![1; sizes.len()];
                for i in (1..sizes.len()).rev() {
                    strides[i - 1] = strides[i] * sizes[i];
                }
                let element = ty.element.clone();
                vec![Value::MemRef(Rc::new(MemRef { base, offset: 0, sizes, strides, element }))]
            }
            Code::BlockMemory(symbol, bytes) => {
                vec![Value::Bits(self.block_memory(symbol, *bytes)?)]
            }
            Code::Alloca(bytes) => {
                let count = operand(0).known("a count")?;
                vec![Value::Bits(self.local(count.saturating_mul(*bytes))?)]
            }
            Code::Dealloc => {
                self.memory.free(memref(operand(0))?.base)?;
                Vec::new()
            }
            Code::Load(bytes) => {
                let from = memref(operand(0))?;
                let at = frame.integers(&op.operands[1..], "an index")?;
                let address = address_of(from, element_at(from, &at)?, *bytes);
                vec![narrow(self.memory.load(address, *bytes as u32)?, from.element.bits()?)]
            }
            Code::Store(bytes) => {
                let to = memref(operand(1))?;
                let at = frame.integers(&op.operands[2..], "an index")?;
                let address = address_of(to, element_at(to, &at)?, *bytes);
                self.memory.store(address, *bytes as u32, operand(0))?;
                Vec::new()
            }
            Code::AffineLoad(map, bytes) => {
                let address = self.affine_address(op, frame, 0, map, *bytes)?;
                let bits = memref(operand(0))?.element.bits()?;
                vec![narrow(self.memory.load(address, *bytes as u32)?, bits)]
            }
            Code::AffineStore(map, bytes) => {
                let address = self.affine_address(op, frame, 1, map, *bytes)?;
                self.memory.store(address, *bytes as u32, operand(0))?;
                Vec::new()
            }
            Code::SubView { segments, offsets, sizes, strides, rank } => {
                let source = memref(operand(0))?;
                let [offsets, sizes, strides] =
                    mixed(op, frame, segments, [offsets, sizes, strides])?;
                let mut offset = source.offset;
                let mut kept = (Vec::new(), Vec::new());
                let mut to_drop = sizes.len() - rank;
                for i in 0..sizes.len() {
                    let last = offsets[i].wrapping_add((sizes[i] - 1).wrapping_mul(strides[i]));
                    let inside = |at: i64| (0..source.sizes[i]).contains(&at);
                    if sizes[i] < 0 || (sizes[i] > 0 && !(inside(offsets[i]) && inside(last))) {
                        return Err(Stop::undefined("a subview leaves its source"));
                    }
                    offset = offset.wrapping_add(offsets[i].wrapping_mul(source.strides[i]));
                    if to_drop > 0 && sizes[i] == 1 {
                        to_drop -= 1;
                        continue;
                    }
                    kept.0.push(sizes[i]);
                    kept.1.push(strides[i].wrapping_mul(source.strides[i]));
                }
                let (base, element) = (source.base, source.element.clone());
                let (sizes, strides) = kept;
                vec![Value::MemRef(Rc::new(MemRef { base, offset, sizes, strides, element }))]
            }
            Code::Reinterpret { segments, offsets, sizes, strides } => {
                let source = memref(operand(0))?;
                let [offsets, sizes, strides] =
                    mixed(op, frame, segments, [offsets, sizes, strides])?;
                let (base, element) = (source.base, source.element.clone());
                let offset = offsets.first().copied().unwrap_or(0);
                vec![Value::MemRef(Rc::new(MemRef { base, offset, sizes, strides, element }))]
            }
            Code::Expect(ty) => {
                let source = memref(operand(0))?;
                let Ty::MemRef(ty) = &**ty else { return Err(Stop::unknown("a cast")) };
                let fits = |known: &[Option<i64>], found: &[i64]| {
                    known.iter().zip(found).all(|(a, b)| a.is_none_or(|a| a == *b))
                };
                if !fits(&ty.sizes, &source.sizes) || ty.offset.is_some_and(|o| o != source.offset)
                {
                    return Err(Stop::undefined("a memref.cast to another shape"));
                }
                vec![operand(0).clone()]
            }
            Code::Dim => {
                let source = memref(operand(0))?;
                let i = operand(1).known("a dimension")? as usize;
                match source.sizes.get(i) {
                    Some(size) => vec![Value::Bits(*size as u64)],
                    None => return Err(Stop::undefined("a dimension that is not there")),
                }
            }
            Code::Metadata => {
                let source = memref(operand(0))?;
                let base = MemRef {
                    offset: 0,
                    sizes: Vec::new(),
                    strides: Vec::new(),
                    ..(**source).clone()
                };
                let mut values = vec![Value::MemRef(Rc::new(base))];
                values.push(Value::Bits(source.offset as u64));
                values.extend(
                    source.sizes.iter().chain(&source.strides).map(|n| Value::Bits(*n as u64)),
                );
                values
            }
            Code::AlignedPointer => vec![Value::Bits(memref(operand(0))?.base)],
            Code::MemRefCopy => {
                let (from, to) = (memref(operand(0))?.clone(), memref(operand(1))?.clone());
                let bytes = from.element.bytes()?;
                let size = from.sizes.iter().product::<i64>();
                for index in 0..size {
                    let mut rest = index;
                    let mut at = vec![0; from.sizes.len()];
                    for i in (0..at.len()).rev() {
                        at[i] = rest % from.sizes[i];
                        rest /= from.sizes[i];
                    }
                    let source = address_of(&from, element_at(&from, &at)?, bytes);
                    let target = address_of(&to, element_at(&to, &at)?, bytes);
                    self.memory.copy(source, target, bytes as u32)?;
                }
                Vec::new()
            }
            Code::PointerLoad(bits) => {
                let address = operand(0).known("an address")?;
                vec![narrow(self.memory.load(address, bytes_of(*bits))?, *bits)]
            }
            Code::PointerStore(bits) => {
                let address = operand(1).known("an address")?;
                self.memory.store(address, bytes_of(*bits), operand(0))?;
                Vec::new()
            }
            Code::Step(indices, ty, widths) => {
                vec![self.pointer_step(op, frame, indices, ty, widths)?]
            }
            Code::Insert(place, ty) => vec![insert(operand(0), operand(1), place, ty)?],
            Code::Extract(place) => {
                let mut value = operand(0).clone();
                for at in place {
                    value = match &value {
                        Value::Many(values) => values[*at].clone(),
                        Value::Poison => Value::Poison,
                        _ => return Err(Stop::unknown("a field of something without fields")),
                    };
                }
                vec![value]
            }
            // The result on a layout whose precondition does not hold is poison; these operations
            // are pure, and passes execute them early.
            code => match self.layouts(op, frame) {
                Err(Stop::Undefined(_))
                    if !matches!(
                        code,
                        Code::ViewLoad(_)
                            | Code::ViewStore(_)
                            | Code::Fill
                            | Code::AllocView(_)
                            | Code::CopyView
                    ) =>
                {
                    vec![Value::Poison; op.results.len()]
                }
                results => results?,
            },
        })
    }

    fn pointer_step(
        &self,
        op: &Operation,
        frame: &Frame,
        indices: &[i64],
        ty: &Ty,
        widths: &[u32],
    ) -> Result<Value, Stop> {
        let Value::Bits(base) = frame.operand(op, 0) else { return Ok(Value::Poison) };
        let mut address = *base;
        let mut next = 1;
        let mut ty = ty.clone();
        for (i, index) in indices.iter().enumerate() {
            // The attribute has 32 bits; its least number stands for an operand.
            let index = if *index == i64::from(i32::MIN) {
                next += 1;
                match frame.operand(op, next - 1) {
                    // An index is signed.
                    Value::Bits(bits) => signed(*bits, widths[next - 2]),
                    _ => return Ok(Value::Poison),
                }
            } else {
                *index
            };
            if i > 0 {
                ty = match &ty {
                    Ty::Array(_, element) => (**element).clone(),
                    _ => return Err(Stop::unknown("a step into a struct")),
                };
            }
            address = address.wrapping_add((index as u64).wrapping_mul(ty.bytes()?));
        }
        Ok(Value::Bits(address))
    }

    fn layouts(&mut self, op: &Operation, frame: &Frame) -> Result<Vec<Value>, Stop> {
        let operand = |i: usize| frame.operand(op, i);
        let coordinate = |text: &str, from: usize| -> Result<Tree, Stop> {
            let values: Vec<Tree> = op.operands[from..]
                .iter()
                .map(|n| tree(frame.get(*n)))
                .collect::<Result<_, _>>()?;
            layout_text::coordinate(text, &values)
        };
        let is_view = |value: &Value| matches!(value, Value::View(_));
        Ok(match &op.code {
            Code::Make(text) => {
                let mut values = Vec::new();
                for (i, fact) in text.integers.iter().enumerate() {
                    let bits = operand(i).known("an integer of a layout")?;
                    values.push(signed(bits, fact.bits));
                }
                vec![match text.at(&values)? {
                    Term::Layout(layout) => Value::Layout(Rc::new(layout)),
                    Term::Tuple(tree) => Value::Tuple(Rc::new(tree)),
                    Term::Tilers(_) => return Err(Stop::unknown("tilers")),
                }]
            }
            Code::Term(term) => vec![match &**term {
                Term::Layout(layout) => Value::Layout(Rc::new(layout.clone())),
                Term::Tuple(tree) => Value::Tuple(Rc::new(tree.clone())),
                Term::Tilers(_) => return Err(Stop::unknown("tilers")),
            }],
            Code::MakeTuple(text) => vec![Value::Tuple(Rc::new(coordinate(text, 0)?))],
            Code::MakeView(ty) => {
                let Ty::View(ty) = &**ty else { return Err(Stop::unknown("a view")) };
                let bits = ty.element.bits()?;
                let whole = match op.operands.get(1) {
                    Some(layout) => Some(layout_of(frame.get(*layout))?),
                    None => None,
                };
                let (base, layout) = match operand(0) {
                    Value::Bits(address) => (*address, whole),
                    Value::MemRef(memref) => {
                        let leaves = |numbers: &[i64]| {
                            Tree::Node(numbers.iter().map(|n| Tree::Leaf(*n)).collect())
                        };
                        let own = Layout::Strided(leaves(&memref.sizes), leaves(&memref.strides));
                        let address = address_of(memref, memref.offset, u64::from(bits / 8));
                        (address, whole.or(Some(Rc::new(own))))
                    }
                    Value::View(view) => {
                        let first = view.layout.reach(&zero(view.layout.shape()))?;
                        let address =
                            view.base.ok_or_else(|| Stop::unknown("a view of no memory"))?;
                        (address.wrapping_add((first * i64::from(bits) / 8) as u64), whole)
                    }
                    _ => return Err(Stop::undefined("a view of poison")),
                };
                let layout = layout.ok_or_else(|| Stop::unknown("a view without a layout"))?;
                let element = ty.element.clone();
                vec![Value::View(Rc::new(View { base: Some(base), layout, bits, element }))]
            }
            Code::IdentityTensor(text) => {
                let Term::Layout(layout) = text.at(&[])? else {
                    return Err(Stop::unknown("an identity tensor"));
                };
                let layout = Rc::new(layout);
                vec![Value::View(Rc::new(View {
                    base: None,
                    layout,
                    bits: 64,
                    element: Ty::Index,
                }))]
            }
            Code::ViewLoad(text) => {
                let from = view(operand(0))?;
                let at = from.layout.at(&coordinate(text, 1)?)?;
                vec![self.load_element(from, at)?]
            }
            Code::ViewStore(text) => {
                let to = view(operand(1))?;
                let at = to.layout.at(&coordinate(text, 2)?)?;
                self.store_element(to, at, operand(0))?;
                Vec::new()
            }
            Code::Fill => {
                let to = view(operand(0))?;
                let size = to.layout.shape().size()?;
                if size > 4096 {
                    return Err(Stop::Steps);
                }
                for index in 0..size {
                    let at = to.layout.at(&Tree::Leaf(index))?;
                    self.store_element(to, at, operand(1))?;
                }
                Vec::new()
            }
            Code::AllocView(ty) => {
                let Ty::View(ty) = &**ty else { return Err(Stop::unknown("a view")) };
                vec![self.allocate_view(op, ty)?]
            }
            Code::CopyView => {
                let (from, to) = (view(operand(0))?, view(operand(1))?);
                let size = from.layout.shape().size()?;
                if size > 4096 || from.bits != to.bits {
                    return Err(Stop::unknown("a copy of so much"));
                }
                for index in 0..size {
                    let value = self.load_element(from, from.layout.at(&Tree::Leaf(index))?)?;
                    self.store_element(to, to.layout.at(&Tree::Leaf(index))?, &value)?;
                }
                Vec::new()
            }
            Code::ToIndex(text) => {
                let (layout, coordinate) = (layout_of(operand(0))?, coordinate(text, 1)?);
                let at = if self.past_the_end && coordinate.leaves().iter().all(|leaf| *leaf >= 0) {
                    layout.reach(&coordinate)?
                } else {
                    layout.at(&coordinate)?
                };
                vec![Value::Bits(at as u64)]
            }
            Code::ToCoordinate(term) => {
                let shape = match term.as_deref() {
                    Some(Term::Tuple(tree)) => tree.clone(),
                    Some(Term::Layout(layout)) => layout.shape().clone(),
                    Some(Term::Tilers(_)) => return Err(Stop::unknown("tilers")),
                    None => match operand(1) {
                        Value::Tuple(tree) => (**tree).clone(),
                        value => layout_of(value)?.shape().clone(),
                    },
                };
                let index = operand(0).known("an index")? as i64;
                let entries = layout::idx2crd(&shape, index)?;
                entries.into_iter().map(|entry| Value::Bits(entry as u64)).collect()
            }
            Code::Slice(text) => {
                let pattern = coordinate(text, 1)?;
                let made = layout::slice(&layout_of(operand(0))?, &pattern, is_view(operand(0)))?;
                vec![with_layout(operand(0), made)]
            }
            Code::LocalTile(text, term) => {
                let at = match coordinate(text, 1)? {
                    // One integer for a tiler of one mode.
                    leaf @ (Tree::Leaf(_) | Tree::Hole) => Tree::Node(vec![leaf]),
                    node => node,
                };
                let source = layout_of(operand(0))?;
                let made = layout::local_tile(&source, &at, &sizes(term)?, is_view(operand(0)))?;
                vec![with_layout(operand(0), made)]
            }
            Code::Partition(text, term) => {
                let Tree::Leaf(number) = coordinate(text, 1)? else {
                    return Err(Stop::unknown("a thread that is no number"));
                };
                let Term::Layout(threads) = &**term else {
                    return Err(Stop::unknown("threads without a layout"));
                };
                let source = layout_of(operand(0))?;
                let made = layout::partition(&source, threads, number, is_view(operand(0)))?;
                vec![with_layout(operand(0), made)]
            }
            Code::Compose(term) => {
                let source = layout_of(operand(0))?;
                let made = match term.as_deref() {
                    Some(Term::Layout(term)) => layout::composition(&source, term.clone()),
                    Some(Term::Tilers(terms)) => layout::by_modes(&source, terms.clone())?,
                    None => layout::composition(&source, (*layout_of(operand(1))?).clone()),
                    Some(Term::Tuple(_)) => return Err(Stop::unknown("a shape as a tiler")),
                };
                vec![with_layout(operand(0), made)]
            }
            Code::ZippedDivide(term) => {
                let Some(term) = term else { return Err(Stop::unknown("a tiler at run time")) };
                let made = layout::zipped_divide(&layout_of(operand(0))?, &sizes(term)?)?;
                vec![with_layout(operand(0), made)]
            }
            Code::Size => vec![Value::Bits(match operand(0) {
                Value::Tuple(tree) => tree.size()?,
                value => layout_of(value)?.shape().size()?,
            } as u64)],
            Code::Get(modes) => {
                let pick = |tree: &Tree| {
                    modes.iter().try_fold(tree.clone(), |tree, mode| {
                        tree.modes().get(*mode).cloned().ok_or_else(|| Stop::unknown("a mode"))
                    })
                };
                vec![match operand(0) {
                    Value::Tuple(tree) => Value::Tuple(Rc::new(pick(tree)?)),
                    value => {
                        let source = layout_of(value)?;
                        let made = match (&*source, modes.as_slice()) {
                            (Layout::Read(..), [place]) => layout::mode(&source, *place)?,
                            _ => source.pick(pick)?,
                        };
                        with_layout(value, made)
                    }
                }]
            }
            Code::Pick(modes) => {
                let pick = |tree: &Tree| {
                    let entries: Option<Vec<Tree>> =
                        modes.iter().map(|mode| tree.modes().get(*mode).cloned()).collect();
                    entries.map(Tree::Node).ok_or_else(|| Stop::unknown("a mode"))
                };
                vec![with_layout(operand(0), layout_of(operand(0))?.pick(pick)?)]
            }
            Code::Coalesce => {
                let source = layout_of(operand(0))?;
                let size = Tree::Leaf(source.shape().size()?);
                let made = Layout::Read(source, layout::Through::Integer, size);
                vec![with_layout(operand(0), made)]
            }
            Code::Recast(from, to, grows) => {
                let source = view(operand(0))?;
                let bits = to.bits()?;
                let aligned = source.base.is_none_or(|base| base % u64::from(bytes_of(bits)) == 0);
                if !aligned {
                    return Err(Stop::undefined(
                        "a recast of a view that starts within an element",
                    ));
                }
                let made = if *from >= bits && from % bits == 0 {
                    recast::to_parts(&source.layout, i64::from(from / bits), *grows)?
                } else if bits % from == 0 {
                    recast::to_whole(&source.layout, i64::from(bits / from))?
                } else {
                    return Err(Stop::unknown("a recast by no integer"));
                };
                let layout = Rc::new(made);
                vec![Value::View(Rc::new(View {
                    base: source.base,
                    layout,
                    bits,
                    element: (**to).clone(),
                }))]
            }
            Code::Offset => match &*layout_of(operand(0))? {
                Layout::Composed(_, offset, _) => vec![Value::Bits(*offset as u64)],
                _ => return Err(Stop::unknown("the offset of a layout that was computed")),
            },
            Code::Inner => match &*layout_of(operand(0))? {
                Layout::Composed(_, _, inner) => vec![Value::Layout(inner.clone())],
                _ => return Err(Stop::unknown("the inner part of a layout that was computed")),
            },
            other => return Err(Stop::unknown(format!("{other:?}"))),
        })
    }

    /// Memory for a view: of the block if it is shared, of the thread if it is not.
    fn allocate_view(&mut self, op: &Operation, ty: &ViewTy) -> Result<Value, Stop> {
        let Term::Layout(layout) = layout_text::Text::parse(&ty.layout)?.at(&[])? else {
            return Err(Stop::unknown("a buffer without a layout"));
        };
        let (bits, element) = (ty.element.bits()?, ty.element.clone());
        let mut last = 0;
        for index in 0..layout.shape().size()? {
            last = last.max(layout.at(&Tree::Leaf(index))?);
        }
        let bytes = (last as u64 + 1) * u64::from(bytes_of(bits));
        let key = std::ptr::from_ref(op) as usize;
        let of_block = self.thread.is_some() && &*ty.space == "shared";
        let base = match self.shared.get(&key) {
            Some(base) if of_block => *base,
            _ => self.local(bytes)?,
        };
        if of_block {
            self.shared.insert(key, base);
        }
        let layout = Rc::new(layout);
        Ok(Value::View(Rc::new(View { base: Some(base), layout, bits, element })))
    }

    /// Loads the element at an offset from a view's address.
    fn load_element(&mut self, view: &View, at: i64) -> Result<Value, Stop> {
        let Some(base) = view.base else { return Ok(Value::Bits(at as u64)) };
        if view.bits < 8 {
            let bit = at.wrapping_mul(i64::from(view.bits));
            let byte = self.memory.load(base.wrapping_add(bit.div_euclid(8) as u64), 1)?;
            let Value::Bits(byte) = byte else { return Ok(byte) };
            return Ok(Value::Bits(byte >> bit.rem_euclid(8) & mask(view.bits)));
        }
        let bytes = bytes_of(view.bits);
        let address = base.wrapping_add((at as u64).wrapping_mul(u64::from(bytes)));
        Ok(narrow(self.memory.load(address, bytes)?, view.bits))
    }

    fn store_element(&mut self, view: &View, at: i64, value: &Value) -> Result<(), Stop> {
        let Some(base) = view.base else { return Err(Stop::unknown("a store to no memory")) };
        if view.bits < 8 {
            let bit = at.wrapping_mul(i64::from(view.bits));
            let address = base.wrapping_add(bit.div_euclid(8) as u64);
            let before = self.memory.load(address, 1)?;
            let after = match (before, value) {
                (Value::Bits(before), Value::Bits(value)) => {
                    let shift = bit.rem_euclid(8);
                    let kept = before & !(mask(view.bits) << shift);
                    Value::Bits(kept | (value & mask(view.bits)) << shift)
                }
                _ => Value::Poison,
            };
            return self.memory.store(address, 1, &after);
        }
        let bytes = bytes_of(view.bits);
        let address = base.wrapping_add((at as u64).wrapping_mul(u64::from(bytes)));
        self.memory.store(address, bytes, value)
    }
}

fn narrow(value: Value, bits: u32) -> Value {
    match value {
        Value::Bits(value) => Value::Bits(value & mask(bits)),
        value => value,
    }
}

/// The first coordinate of a shape.
fn zero(shape: &Tree) -> Tree {
    match shape {
        Tree::Node(modes) => Tree::Node(modes.iter().map(zero).collect()),
        _ => Tree::Leaf(0),
    }
}

/// Sizes of a tiler that is a shape.
fn sizes(term: &Term) -> Result<Vec<i64>, Stop> {
    match term {
        Term::Tuple(Tree::Leaf(size)) => Ok(vec![*size]),
        Term::Tuple(Tree::Node(entries)) => entries.iter().map(Tree::size).collect(),
        _ => Err(Stop::unknown("a tiler that is no shape")),
    }
}

/// Offsets, sizes and strides, dynamic ones from operands.
fn mixed(
    op: &Operation,
    frame: &Frame,
    segments: &[usize],
    numbers: [&[i64]; 3],
) -> Result<[Vec<i64>; 3], Stop> {
    let mut begin = segments[0];
    let mut made = [Vec::new(), Vec::new(), Vec::new()];
    for (i, known) in numbers.into_iter().enumerate() {
        let end = begin + segments[i + 1];
        let mut dynamic = frame.integers(&op.operands[begin..end], "a size")?.into_iter();
        for number in known {
            let number = if *number == DYNAMIC { dynamic.next() } else { Some(*number) };
            made[i].push(number.ok_or_else(|| Stop::unknown("a dynamic number"))?);
        }
        begin = end;
    }
    Ok(made)
}

fn insert(into: &Value, value: &Value, place: &[usize], ty: &Ty) -> Result<Value, Stop> {
    let Some((first, rest)) = place.split_first() else { return Ok(value.clone()) };
    let (count, field) = match ty {
        Ty::Struct(fields) => (fields.len(), fields[*first].clone()),
        Ty::Array(count, element) => (*count, (**element).clone()),
        _ => return Err(Stop::unknown("a field of something without fields")),
    };
    let mut values = match into {
        Value::Many(values) => values.to_vec(),
        Value::Poison => vec![Value::Poison; count],
        _ => return Err(Stop::unknown("a field of something without fields")),
    };
    values[*first] = insert(&values[*first], value, rest, &field)?;
    Ok(Value::Many(values.into()))
}
