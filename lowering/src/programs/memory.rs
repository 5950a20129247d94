//! Memory of a program: memrefs as parts of arguments, buffers and constants.

use super::amount::{Amount, mixed};
use layout_dialect::{
    buffers::{Buffer, Strides},
    build::{Val, operand, result},
    element_bytes, tree,
};
use melior::ir::{
    Attribute, AttributeLike, OperationRef, Type, TypeLike, ValueLike,
    attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute},
    operation::OperationLike,
};
use mlir_sys::{
    mlirAttributeIsADenseElements, mlirDenseElementsAttrGetRawData, mlirDenseElementsAttrIsSplat,
    mlirElementsAttrGetNumElements,
};

/// `arith.cmpi eq`.
const EQUAL: i64 = 0;

/// The most bytes of a constant.
const MAX_CONSTANT_BYTES: usize = 1 << 24;

/// Memory that has a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    Argument(usize),
    Buffer(usize),
    Result(usize),
    Constant(usize),
}

impl Memory {
    /// As the manifest calls it.
    pub(super) const fn name(self) -> (&'static str, usize) {
        match self {
            Self::Argument(number) => ("argument", number),
            Self::Buffer(number) => ("buffer", number),
            Self::Result(number) => ("result", number),
            Self::Constant(number) => ("constant", number),
        }
    }
}

/// A part of it that has a memref's form.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) memory: Memory,
    /// Bytes to where the memref's aligned pointer is.
    base: Amount,
    /// Elements from there to the first.
    offset: Amount,
    element: i64,
    pub(super) sizes: Vec<Amount>,
    strides: Vec<Amount>,
}

/// Bytes of an element in memory: of `index` as many as of a pointer.
fn bytes_of(element: Type<'_>) -> Option<i64> {
    if element.is_index() { Some(8) } else { element_bytes(element) }
}

/// The name of a memref's elements.
pub(super) fn element(value: Val<'_>) -> Option<String> {
    let buffer = Buffer::of(value.r#type()).ok().flatten()?;
    Some(buffer.element_type().to_string())
}

/// The elements' type and the sizes of a memref in row-major order without gaps, if it is one.
pub(super) fn dense(value: Val<'_>) -> Option<(String, Vec<Option<i64>>)> {
    let buffer = Buffer::of(value.r#type()).ok().flatten()?;
    matches!(buffer.strides(), Ok(Strides::Rows))
        .then(|| (buffer.element_type().to_string(), buffer.extents()))
}

/// Row-major strides; those that leave 64 bits are an error where they are used.
fn rows(sizes: &[Amount]) -> Result<Vec<Amount>, String> {
    let mut strides = vec![Amount::known(1); sizes.len()];
    for i in (1..sizes.len()).rev() {
        strides[i - 1] = strides[i].multiply(&sizes[i])?;
    }
    Ok(strides)
}

impl Piece {
    /// All of some memory, in row-major order.
    pub(super) fn dense(memory: Memory, value: Val<'_>, sizes: Vec<Amount>) -> Self {
        let buffer = Buffer::of(value.r#type()).ok().flatten();
        let element = buffer.and_then(|buffer| bytes_of(buffer.element_type())).unwrap_or(1);
        let strides = rows(&sizes).unwrap_or_default();
        let (base, offset) = (Amount::known(0), Amount::known(0));
        Self { memory, base, offset, element, sizes, strides }
    }

    /// The integers of it, each in place of itself.
    pub(super) fn map(mut self, mut change: impl FnMut(Amount) -> Amount) -> Self {
        let Self { base, offset, sizes, strides, .. } = &mut self;
        for one in [base, offset].into_iter().chain(sizes).chain(strides) {
            *one = change(std::mem::replace(one, Amount::known(0)));
        }
        self
    }

    /// Bytes from where the memory starts to the first element.
    pub(super) fn start(&self) -> Result<Amount, String> {
        self.base.add(&self.offset.multiply(&Amount::known(self.element))?)
    }

    /// Bytes from where the memory starts to the element at these coordinates.
    pub(super) fn element(&self, at: &[Amount]) -> Result<Amount, String> {
        let mut elements = self.offset.clone();
        for (at, stride) in at.iter().zip(&self.strides) {
            elements = elements.add(&at.multiply(stride)?)?;
        }
        self.base.add(&elements.multiply(&Amount::known(self.element))?)
    }

    /// Whether it is the same part of the same memory, whatever its shape.
    pub(super) fn is_same(&self, other: &Self) -> Result<bool, String> {
        Ok(self.memory == other.memory
            && self.start()?.is_equal(&other.start()?)
            && self.bytes()?.is_equal(&other.bytes()?)
            && self.is_dense() == other.is_dense())
    }

    /// Bytes of its elements.
    pub(super) fn bytes(&self) -> Result<Amount, String> {
        let mut bytes = Amount::known(self.element);
        for size in &self.sizes {
            bytes = bytes.multiply(size)?;
        }
        Ok(bytes)
    }

    /// Whether its elements lie in row-major order without gaps: those of dimensions of one element lie anywhere.
    pub(super) fn is_dense(&self) -> bool {
        let Ok(rows) = rows(&self.sizes) else { return false };
        let lies = |((size, own), row): ((&Amount, &Amount), &Amount)| {
            size.value() == Some(1) || own.is_equal(row)
        };
        self.sizes.len() == self.strides.len()
            && self.sizes.iter().zip(&self.strides).zip(&rows).all(lies)
    }
}

/// The part of a memref that an operation makes of it, and the conditions on sizes under which it is that.
pub(super) fn part<'c>(
    operation: OperationRef<'c, 'c>,
    name: &str,
    source: Piece,
    integer: &dyn Fn(Val<'c>) -> Result<Amount, String>,
    conditions: &mut Vec<(Amount, String)>,
) -> Result<Piece, String> {
    let list = |key: &str| -> Vec<i64> {
        let list = operation.attribute(key).and_then(DenseI64ArrayAttribute::try_from);
        let list =
            list.ok().map(|list| (0..list.len()).filter_map(|i| list.element(i).ok()).collect());
        list.unwrap_or_default()
    };
    // Offsets, sizes and strides, in this order after the source.
    let open = || -> Vec<Vec<Val<'c>>> {
        let segments = operation.attribute("operandSegmentSizes");
        let segments = segments.and_then(DenseI32ArrayAttribute::try_from).ok();
        let mut next = 0;
        let mut segment = |i: usize| -> Vec<Val<'c>> {
            let count = segments.as_ref().and_then(|all| all.element(i).ok()).unwrap_or(0);
            let first = next;
            next += usize::try_from(count).unwrap_or(0);
            (first..next).map(|i| operand(operation, i)).collect()
        };
        (0..4).map(&mut segment).collect()
    };
    match name {
        "memref.cast" | "memref.memory_space_cast" | "memref.assume_alignment" => Ok(source),
        "memref.reshape" => {
            let value = result(operation, 0);
            let sizes = dense(value).map(|(_, sizes)| sizes).unwrap_or_default();
            let known: Option<Vec<Amount>> =
                sizes.into_iter().map(|size| size.map(Amount::known)).collect();
            let known = known.filter(|_| source.is_dense()).ok_or_else(|| {
                let found = value.r#type();
                format!("expected a reshape of memory without gaps to a known shape, found {found}")
            })?;
            Ok(Piece { base: source.start()?, ..Piece::dense(source.memory, value, known) })
        }
        "memref.subview" => {
            let [_, offsets, sizes, strides] =
                <[_; 4]>::try_from(open()).map_err(|_| wrong(name))?;
            let offsets = mixed(&list("static_offsets"), offsets.into_iter(), integer)?;
            let sizes = mixed(&list("static_sizes"), sizes.into_iter(), integer)?;
            let steps = mixed(&list("static_strides"), strides.into_iter(), integer)?;
            let mut offset = source.offset.clone();
            let mut strides = Vec::with_capacity(steps.len());
            for ((at, step), stride) in offsets.iter().zip(&steps).zip(&source.strides) {
                offset = offset.add(&at.multiply(stride)?)?;
                strides.push(step.multiply(stride)?);
            }
            // Dimensions of one element may be dropped: those that the result's type does not have.
            let kept = kept(&sizes, &result_extents(operation)?).ok_or_else(|| wrong(name))?;
            let of = |all: &[Amount]| kept.iter().filter_map(|&i| all.get(i).cloned()).collect();
            Ok(Piece { offset, sizes: of(&sizes), strides: of(&strides), ..source })
        }
        "memref.reinterpret_cast" => {
            let [_, offsets, sizes, strides] =
                <[_; 4]>::try_from(open()).map_err(|_| wrong(name))?;
            let offset = mixed(&list("static_offsets"), offsets.into_iter(), integer)?;
            let sizes = mixed(&list("static_sizes"), sizes.into_iter(), integer)?;
            let strides = mixed(&list("static_strides"), strides.into_iter(), integer)?;
            let offset = offset.into_iter().next().ok_or_else(|| wrong(name))?;
            Ok(Piece { offset, sizes, strides, ..source })
        }
        "memref.expand_shape" => {
            let groups = groups(operation)?;
            let open = (1..operation.operand_count()).map(|i| operand(operation, i));
            let mut sizes = mixed(&list("static_output_shape"), open, integer)?;
            for (group, size) in groups.iter().zip(&source.sizes) {
                if let Some((dimension, only)) = only(group, size, &sizes)
                    && let Some(own) = sizes.get_mut(dimension)
                {
                    let found = std::mem::replace(own, Amount::known(only));
                    let holds = found.compare(EQUAL, own)?.unwrap_or(Amount::known(1));
                    conditions
                        .push((holds, format!("expected {only} as a size of a reshape's result")));
                }
            }
            let mut strides = vec![Amount::known(1); sizes.len()];
            for (group, stride) in groups.iter().zip(&source.strides) {
                let mut next = stride.clone();
                for &dimension in group.iter().rev() {
                    let place = strides.get_mut(dimension).ok_or_else(|| wrong(name))?;
                    *place = next.clone();
                    next = next.multiply(sizes.get(dimension).ok_or_else(|| wrong(name))?)?;
                }
            }
            if groups.is_empty() {
                strides = rows(&sizes)?;
            }
            let piece = Piece { sizes, strides, ..source.clone() };
            // Memory without gaps has none afterwards, if there are as many elements.
            if source.is_dense()
                && !piece.is_dense()
                && let Some(all) = as_many(&groups, &source.sizes, &piece.sizes)
            {
                conditions.extend(all);
                let strides = rows(&piece.sizes)?;
                return Ok(Piece { strides, ..piece });
            }
            Ok(piece)
        }
        "memref.collapse_shape" => {
            let (mut sizes, mut strides) = (Vec::new(), Vec::new());
            for group in groups(operation)? {
                let mut size = Amount::known(1);
                let mut stride = None;
                for &dimension in &group {
                    let own = source.sizes.get(dimension).ok_or_else(|| wrong(name))?;
                    size = size.multiply(own)?;
                    // The innermost one that has several elements, or the last.
                    if own.value() != Some(1) || stride.is_none() {
                        stride = source.strides.get(dimension).cloned();
                    }
                }
                sizes.push(size);
                strides.push(stride.ok_or_else(|| wrong(name))?);
            }
            Ok(Piece { sizes, strides, ..source })
        }
        "memref.view" => {
            let shift = integer(operand(operation, 1))?;
            let value = result(operation, 0);
            let (_, sizes) = dense(value).ok_or_else(|| wrong(name))?;
            let mut open = (2..operation.operand_count()).map(|i| operand(operation, i));
            let listed: Vec<i64> = sizes.iter().map(|size| size.unwrap_or(i64::MIN)).collect();
            let sizes = mixed(&listed, &mut open, integer)?;
            let base = source.base.add(&shift)?;
            Ok(Piece { base, ..Piece::dense(source.memory, value, sizes) })
        }
        _ => Err(format!(
            "expected memref.cast, subview, reinterpret_cast, expand_shape, collapse_shape or view in a program, found {name}"
        )),
    }
}

/// The conditions under which each group of sizes has as many elements as the source's size, or `None` if a program cannot check one.
fn as_many(
    groups: &[Vec<usize>],
    source: &[Amount],
    sizes: &[Amount],
) -> Option<Vec<(Amount, String)>> {
    let mut conditions = Vec::new();
    for (group, own) in groups.iter().zip(source) {
        let mut product = Amount::known(1);
        for &dimension in group {
            product = product.multiply(sizes.get(dimension)?).ok()?;
        }
        if product.is_equal(own) {
            continue;
        }
        let holds = product.compare(EQUAL, own).ok()??;
        if holds.is_variable() {
            return None;
        }
        let message = format!("expected {own} elements in a dimension of a reshape");
        conditions.push((holds, message));
    }
    Some(conditions)
}

/// The number that the one open size of a group can be, where the other sizes and the size of the whole group are known.
fn only(group: &[usize], size: &Amount, sizes: &[Amount]) -> Option<(usize, i64)> {
    let (mut open, mut product) = (None, 1_i64);
    for &dimension in group {
        match sizes.get(dimension)?.value() {
            Some(known) => product = product.checked_mul(known)?,
            None if open.is_some() || sizes.get(dimension)?.is_variable() => return None,
            None => open = Some(dimension),
        }
    }
    let size = size.value()?;
    let only = if product > 0 && size % product == 0 { size / product } else { return None };
    Some((open?, only))
}

fn wrong(name: &str) -> String {
    format!("expected {name} on a memref of the rank that its attributes state, found another rank")
}

fn result_extents(operation: OperationRef<'_, '_>) -> Result<Vec<Option<i64>>, String> {
    let found = result(operation, 0).r#type();
    let buffer = Buffer::of(found).ok().flatten();
    Ok(buffer.ok_or_else(|| format!("expected a memref, found {found}"))?.extents())
}

/// Which of a subview's dimensions its result has: all but some of one element, where it has fewer.
fn kept(sizes: &[Amount], extents: &[Option<i64>]) -> Option<Vec<usize>> {
    let mut kept = Vec::with_capacity(extents.len());
    let mut drops = sizes.len().checked_sub(extents.len())?;
    for (i, size) in sizes.iter().enumerate() {
        let next = extents.get(kept.len()).copied();
        let drop = size.value() == Some(1) && drops > 0 && next != Some(Some(1));
        if drop {
            drops -= 1;
        } else {
            kept.push(i);
        }
    }
    // One element each that are dropped may be before or after those that stay: what is left over goes.
    while kept.len() > extents.len() {
        let last = kept.iter().rposition(|&i| sizes[i].value() == Some(1))?;
        kept.remove(last);
    }
    Some(kept)
}

/// The groups of dimensions of a reshape.
pub(crate) fn groups(operation: OperationRef<'_, '_>) -> Result<Vec<Vec<usize>>, String> {
    let groups = operation.attribute("reassociation").ok().and_then(tree::elements);
    let groups = groups.ok_or("expected a reassociation of dimensions, found none")?;
    let found = || {
        let all: Vec<String> = groups.iter().map(Attribute::to_string).collect();
        format!("expected dimensions in a reassociation, found [{}]", all.join(", "))
    };
    let dimension = |one: Attribute<'_>| {
        IntegerAttribute::try_from(one).ok().and_then(|one| usize::try_from(one.value()).ok())
    };
    let group = |group: Attribute<'_>| -> Option<Vec<usize>> {
        tree::elements(group)?.into_iter().map(dimension).collect()
    };
    let read: Option<Vec<_>> = groups.iter().copied().map(group).collect();
    read.ok_or_else(found)
}

/// The contents of a global that is constant, as hexadecimal digits.
pub(super) fn global(
    root: OperationRef<'_, '_>,
    operation: OperationRef<'_, '_>,
) -> Result<String, String> {
    let name = operation.attribute("name").map_err(|error| error.to_string())?.to_string();
    let name = name.trim_start_matches('@').trim_matches('"').to_owned();
    let is_named =
        |global: &OperationRef<'_, '_>| tree::symbol(*global).is_some_and(|symbol| symbol == name);
    let global = tree::inside(root, "memref.global").into_iter().find(is_named);
    let global = global.ok_or_else(|| format!("expected a global @{name}, found none"))?;
    let value = global.attribute("initial_value").ok();
    let value = value.filter(|_| global.attribute("constant").is_ok());
    let value = value.ok_or_else(|| {
        format!(
            "expected a constant @{name}, found a variable, as a mutable ml_program.global becomes one: a program keeps nothing between calls"
        )
    })?;
    let element = Buffer::of(result(operation, 0).r#type()).ok().flatten();
    let element = element.and_then(|buffer| bytes_of(buffer.element_type()));
    let element = element.and_then(|bytes| usize::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
    let element = element.ok_or_else(|| format!("expected elements of whole bytes in @{name}"))?;
    // SAFETY: the attribute is valid; its kind is checked before its elements are read.
    let bytes = unsafe {
        let raw = value.to_raw();
        let resource = tree::resource(value);
        if !mlirAttributeIsADenseElements(raw) && resource.is_none() {
            return Err(format!(
                "expected dense elements, or a resource that has them, in @{name}, found others"
            ));
        }
        let count = usize::try_from(mlirElementsAttrGetNumElements(raw)).unwrap_or(usize::MAX);
        let all = count.checked_mul(element).filter(|bytes| *bytes <= MAX_CONSTANT_BYTES);
        let all = all.ok_or_else(|| {
            format!("expected constants of at most {MAX_CONSTANT_BYTES} bytes, found more in @{name}; hand it as an argument")
        })?;
        match resource {
            Some(bytes) if bytes.len() == all => bytes.to_vec(),
            Some(bytes) => {
                let found = bytes.len();
                return Err(format!(
                    "expected a resource of {all} bytes in @{name}, found {found}"
                ));
            }
            None => {
                let data = mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
                match mlirDenseElementsAttrIsSplat(raw) {
                    true => std::slice::from_raw_parts(data, element).repeat(count),
                    false => std::slice::from_raw_parts(data, all).to_vec(),
                }
            }
        }
    };
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
