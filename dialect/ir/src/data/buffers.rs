//! Memrefs as the memory of views: a memref's address, elements and layout.
//!
//! | memref | its layout |
//! |---|---|
//! | `memref<4x8xf32>` | `(4,8):(8,1)` |
//! | `memref<?x8xf32>` | `(?{i64},8):(8,1)` |
//! | `memref<?x?xf32>` | `(?0{i64},?1{i64}):(?1,1)` |
//! | `memref<4x?xf32, strided<[?, 1], offset: ?>>` | `(4,?{i64}):(?{i64},1)` |
//! | `memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>` | `((8,16),64):((64,512),1)` |
//! | `memref<?x?xf32, #layout<(?0,?1{div=8}):(?1,1)>>` | `(?0{i64},?1{i64 div=8}):(?1,1)` |
//!
//! Sizes and strides of a memref have type `index`, so that what is dynamic has 64 bits. A memref's
//! offset is no part of its layout: the view starts there.

use crate::{
    atoms::space::Space,
    data::{attributes::TermAttribute, memref, term_value::TermValue},
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::{Expr, Facts, Symbol, Value, Width};
use melior::{
    Context,
    ir::{Attribute, AttributeLike, Type, TypeLike, attribute::IntegerAttribute},
};
use mlir_sys::{
    MlirType, mlirAffineMapGetNumSymbols, mlirAffineMapIsIdentity, mlirAttributeGetNull,
    mlirIntegerAttrGet, mlirIntegerTypeGet, mlirMemRefTypeContiguousGet, mlirMemRefTypeGet,
    mlirMemRefTypeGetAffineMap, mlirMemRefTypeGetLayout, mlirMemRefTypeGetMemorySpace,
    mlirMemRefTypeGetStridesAndOffset, mlirRankedTensorTypeGetEncoding, mlirShapedTypeGetDimSize,
    mlirShapedTypeGetDynamicSize, mlirShapedTypeGetDynamicStrideOrOffset,
    mlirShapedTypeGetElementType, mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim,
    mlirStridedLayoutAttrGet, mlirTypeGetContext, mlirTypeIsAMemRef, mlirTypeIsARankedTensor,
    mlirTypeIsAUnrankedMemRef,
};

/// A memref's type, as a view of it sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer<'c>(Type<'c>);

/// An integer of a memref at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integer {
    /// The size of a dimension.
    Size(usize),
    /// The stride of a dimension.
    Stride(usize),
}

/// The strides of a memref's dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strides {
    /// Rows without gaps, the last dimension fastest.
    Rows,
    /// One for each dimension; none where it is known at run time.
    Each(Vec<Option<i64>>),
}

/// The memory space of a device's memory, as a number.
const GLOBAL: i64 = 1;

/// Whether the upstream operation of a name gives the memory of its first operand, or a part of it, as another memref.
pub fn is_part(name: &str) -> bool {
    const NAMES: [&str; 8] = [
        "memref.cast",
        "memref.collapse_shape",
        "memref.expand_shape",
        "memref.memory_space_cast",
        "memref.reinterpret_cast",
        "memref.subview",
        "memref.transpose",
        "memref.view",
    ];
    NAMES.contains(&name)
}

/// How a memref's elements lie.
enum Form<'c> {
    /// In rows, without gaps.
    Rows,
    /// By a term.
    Term(TermAttribute<'c>),
    /// By a partly static layout, whose integers are sizes and strides of the memref.
    Open { layout: Box<TermValue>, integers: Vec<Integer>, strides: Vec<Option<i64>> },
    /// By strides; nothing is dynamic.
    Strides { strides: Vec<Option<i64>>, offset: Option<i64> },
}

impl<'c> Buffer<'c> {
    /// The memref of a type, if it is one.
    ///
    /// # Errors
    ///
    /// A memref without a rank.
    pub fn of(r#type: Type<'c>) -> Result<Option<Self>, Violation> {
        // SAFETY: the type is valid.
        let (ranked, unranked) = unsafe {
            (mlirTypeIsAMemRef(r#type.to_raw()), mlirTypeIsAUnrankedMemRef(r#type.to_raw()))
        };
        if unranked {
            return Err(Violation::new(Code::Operand, "a memref with a rank", r#type));
        }
        Ok(ranked.then_some(Self(r#type)))
    }

    /// The buffer of a tensor whose encoding is a term, in memory without a space; `None` for other types.
    ///
    /// # Errors
    ///
    /// A term that is no layout of the tensor's shape, or that no affine map describes.
    pub fn of_encoding(context: &Context, tensor: Type<'c>) -> Option<Result<Self, Violation>> {
        let raw = tensor.to_raw();
        // SAFETY: the type is valid, and a ranked tensor where its encoding and its shape are read.
        let term = unsafe {
            if !mlirTypeIsARankedTensor(raw) {
                return None;
            }
            let encoding = Attribute::from_option_raw(mlirRankedTensorTypeGetEncoding(raw))?;
            TermAttribute::from_attribute(encoding)?
        };
        let shape = extents_of(raw);
        let checked = memref::layout_of(term.interned()).and_then(|layout| {
            memref::check_shape(&layout, &shape)?;
            memref::affine_map(context, &layout)
        });
        Some(checked.map(|_| {
            let sizes = sizes_of(&shape);
            // SAFETY: the shape is that of the layout, which has a map; no memory space is a null attribute.
            Self(unsafe {
                Type::from_raw(mlirMemRefTypeGet(
                    mlirShapedTypeGetElementType(raw),
                    sizes.len() as isize,
                    sizes.as_ptr(),
                    term.to_raw(),
                    mlirAttributeGetNull(),
                ))
            })
        }))
    }

    /// The layout, where it is a term: `#layout<…>`.
    pub fn term(&self) -> Option<TermAttribute<'c>> {
        // SAFETY: the type is a memref, which has a layout.
        let layout =
            unsafe { Attribute::from_option_raw(mlirMemRefTypeGetLayout(self.0.to_raw())) };
        TermAttribute::from_attribute(layout?)
    }

    /// Whether each dimension has one stride, static or not.
    pub fn is_strided(&self) -> bool {
        let (mut strides, mut offset) = (vec![0_i64; self.rank()], 0_i64);
        // SAFETY: the type is a memref, and there is a place for the stride of each dimension.
        let read = unsafe {
            mlirMemRefTypeGetStridesAndOffset(
                self.0.to_raw(),
                strides.as_mut_ptr(),
                &raw mut offset,
            )
        };
        read.value != 0
    }

    /// How many integers an allocation takes beside its sizes.
    pub fn map_symbols(&self) -> usize {
        // SAFETY: the type is a memref, which has a map.
        unsafe { mlirAffineMapGetNumSymbols(mlirMemRefTypeGetAffineMap(self.0.to_raw())) as usize }
    }

    /// The memref of these dimensions and strides, with the same elements in the same space; one whose rows lie without gaps has no
    /// layout. `None` is known at run time.
    pub fn with_strides(&self, dimensions: &[(Option<i64>, Option<i64>)]) -> Type<'c> {
        let mut step = Some(1_i64);
        let rows = dimensions.iter().rev().all(|&(extent, stride)| {
            let fits = stride.is_some() && (stride == step || extent == Some(1));
            step = step.zip(extent).and_then(|(step, extent)| step.checked_mul(extent));
            fits
        });
        let extents: Vec<_> = dimensions.iter().map(|&(extent, _)| extent).collect();
        let sizes = sizes_of(&extents);
        // SAFETY: the type is a memref; what is dynamic is what MLIR says for it.
        unsafe {
            let open = mlirShapedTypeGetDynamicStrideOrOffset();
            let strides: Vec<_> = dimensions.iter().map(|(_, s)| s.unwrap_or(open)).collect();
            let context = mlirTypeGetContext(self.0.to_raw());
            let rank = sizes.len() as isize;
            let layout = match rows {
                true => mlirAttributeGetNull(),
                false => mlirStridedLayoutAttrGet(context, 0, rank, strides.as_ptr()),
            };
            let element = mlirShapedTypeGetElementType(self.0.to_raw());
            let space = mlirMemRefTypeGetMemorySpace(self.0.to_raw());
            Type::from_raw(mlirMemRefTypeGet(element, rank, sizes.as_ptr(), layout, space))
        }
    }

    /// The type.
    pub fn to_type(self) -> Type<'c> {
        self.0
    }

    /// The type of an element.
    pub fn element_type(&self) -> Type<'c> {
        // SAFETY: the type is a memref.
        unsafe { Type::from_raw(mlirShapedTypeGetElementType(self.0.to_raw())) }
    }

    /// Where the elements lie: the memory space's number as a pointer's address space, or GPU's name.
    ///
    /// # Errors
    ///
    /// Another memory space.
    pub fn space(&self) -> Result<Space, Violation> {
        // SAFETY: the type is a memref; no memory space is null.
        let space =
            unsafe { Attribute::from_option_raw(mlirMemRefTypeGetMemorySpace(self.0.to_raw())) };
        let Some(space) = space else { return Ok(Space::Host) };
        let number = IntegerAttribute::try_from(space).map(|number| number.value());
        let found = match (number, space.to_string().as_str()) {
            (Ok(5), _) | (_, "#gpu.address_space<private>") => Some(Space::Register),
            (_, "#gpu.address_space<global>") => Some(Space::Global),
            (_, "#gpu.address_space<workgroup>") => Some(Space::Shared),
            (Ok(number), _) => u32::try_from(number).ok().and_then(Space::from_address_space),
            _ => None,
        };
        found.ok_or_else(|| {
            let expected = "a memref in the memory space 0 (host), 1 (global), 3 (shared) or 5 \
                            (register), or in one of #gpu.address_space";
            Violation::new(Code::ViewSpace, expected, space)
        })
    }

    /// The layout, from the first element on.
    ///
    /// # Errors
    ///
    /// A memref whose elements lie by an affine map that has no strides; one without elements.
    pub fn layout(&self) -> Result<TermValue, Violation> {
        let extents = self.extents();
        let (mut shape, mut next) = (Vec::new(), 0);
        for extent in &extents {
            shape.push(match extent {
                Some(extent) => extent.to_string(),
                None => {
                    next += 1;
                    format!("?{}{{i64}}", next - 1)
                }
            });
        }
        let strides: Vec<String> = match self.form()? {
            Form::Term(term) => return Ok(TermValue::Static(term.term()?.eval()?)),
            Form::Open { layout, .. } => return Ok(*layout),
            Form::Rows => row_strides(&extents)?,
            Form::Strides { strides, .. } => strides
                .into_iter()
                .map(|stride| match stride {
                    Some(stride) => stride.to_string(),
                    None => {
                        next += 1;
                        format!("?{}{{i64}}", next - 1)
                    }
                })
                .collect(),
        };
        match (shape.as_slice(), strides.as_slice()) {
            ([], _) => TermValue::parse("1:0"),
            ([extent], [stride]) => TermValue::parse(&format!("{extent}:{stride}")),
            _ => TermValue::parse(&format!("({}):({})", shape.join(","), strides.join(","))),
        }
    }

    /// The integers of [`Buffer::layout`], in their order.
    pub fn integers(&self) -> Result<Vec<Integer>, Violation> {
        let dynamic = |all: &[Option<i64>], part: fn(usize) -> Integer| -> Vec<Integer> {
            let places = all.iter().enumerate().filter(|(_, known)| known.is_none());
            places.map(|(i, _)| part(i)).collect()
        };
        let form = self.form()?;
        if let Form::Open { integers, .. } = form {
            return Ok(integers);
        }
        let mut integers = dynamic(&self.extents(), Integer::Size);
        if let Form::Strides { strides, .. } = form {
            integers.extend(dynamic(&strides, Integer::Stride));
        }
        Ok(integers)
    }

    /// Elements from the memref's aligned pointer to its first element; nothing where that is known
    /// only at run time.
    pub fn offset(&self) -> Result<Option<i64>, Violation> {
        Ok(match self.form()? {
            Form::Rows | Form::Term(_) | Form::Open { .. } => Some(0),
            Form::Strides { offset, .. } => offset,
        })
    }

    /// How many dimensions it has.
    pub fn rank(&self) -> usize {
        self.extents().len()
    }

    /// How its elements lie, dimension by dimension.
    ///
    /// # Errors
    ///
    /// A memref whose dimensions have no strides, or whose layout is a term with modes of several strides.
    pub fn strides(&self) -> Result<Strides, Violation> {
        Ok(match self.form()? {
            Form::Rows => Strides::Rows,
            Form::Strides { strides, .. } | Form::Open { strides, .. } => Strides::Each(strides),
            Form::Term(term) => {
                let modes = match term.term()?.eval()? {
                    Value::Layout(layout) => layout.modes(),
                    _ => Vec::new(),
                };
                let leaf = |mode: &layout_algebra::Layout| match *mode.coalesce().ok()?.flat() {
                    [(_, stride)] => Some(Some(stride)),
                    _ => None,
                };
                let strides: Option<Vec<_>> = modes.iter().map(leaf).collect();
                let strides = strides.filter(|strides| strides.len() == self.rank());
                let strides = strides.ok_or_else(|| {
                    let expected = "a memref whose dimensions have one stride each";
                    Violation::new(Code::MemrefStrides, expected, self.0)
                })?;
                Strides::Each(strides)
            }
        })
    }

    /// The same memref in the device's memory.
    pub fn on_device(&self) -> Type<'c> {
        let (raw, extents) = (self.0.to_raw(), self.extents());
        // SAFETY: the type is a memref; what is dynamic is what MLIR says for it, and a memory space may be any number.
        unsafe {
            let context = mlirTypeGetContext(raw);
            let shape = sizes_of(&extents);
            let space = mlirIntegerAttrGet(mlirIntegerTypeGet(context, 64), GLOBAL);
            Type::from_raw(mlirMemRefTypeGet(
                mlirShapedTypeGetElementType(raw),
                shape.len() as isize,
                shape.as_ptr(),
                mlirMemRefTypeGetLayout(raw),
                space,
            ))
        }
    }

    /// The memref of one element that `memref.extract_strided_metadata` makes of it.
    pub fn base(&self) -> Type<'c> {
        let raw = self.0.to_raw();
        // SAFETY: the type is a memref; one without dimensions has no shape to be read.
        unsafe {
            Type::from_raw(mlirMemRefTypeContiguousGet(
                mlirShapedTypeGetElementType(raw),
                0,
                std::ptr::null(),
                mlirMemRefTypeGetMemorySpace(raw),
            ))
        }
    }

    /// The size of each dimension; none for those that are known at run time.
    pub fn extents(&self) -> Vec<Option<i64>> {
        extents_of(self.0.to_raw())
    }

    /// A partly static layout whose dimensions have strides, with integers of 64 bits: a memref's have type `index`.
    fn open(
        &self,
        term: TermAttribute<'c>,
        strides: Vec<Option<i64>>,
    ) -> Result<Form<'c>, Violation> {
        let TermValue::Symbolic { value, facts } = term.interned().term_value()? else {
            return Ok(Form::Term(term));
        };
        let symbols = TermValue::Symbolic { value: value.clone(), facts: facts.clone() }.symbols();
        let modes = match &value {
            Value::Layout(layout) => layout.modes(),
            Value::Composed(composed) => composed.inner.modes(),
            _ => Vec::new(),
        };
        let (mut wide, mut integers) = (Facts::new(), Vec::with_capacity(symbols.len()));
        for symbol in &symbols {
            let is =
                |expression: &Expr| facts.symbol(symbol.name()).is_ok_and(|s| s == *expression);
            let leaves = || modes.iter().map(|mode| mode.flat());
            let size = leaves().position(|own| matches!(&own[..], [(extent, _)] if is(extent)));
            let stride = || leaves().position(|own| matches!(&own[..], [(_, s)] if is(s)));
            let found = size.map(Integer::Size).or_else(|| stride().map(Integer::Stride));
            integers.push(found.ok_or_else(|| {
                let expected = "a memref with a size or a stride for each integer of its layout";
                let found = format!("{} in {}", symbol.name(), self.0);
                Violation::new(Code::MemrefStrides, expected, found)
            })?);
            wide.insert(widened(symbol)?)?;
        }
        // The same symbols under the wider facts.
        let (value, _) = value.renamed(&wide, &str::to_owned)?;
        let layout = Box::new(TermValue::with(value, &wide));
        Ok(Form::Open { layout, integers, strides })
    }

    fn form(&self) -> Result<Form<'c>, Violation> {
        let raw = self.0.to_raw();
        // SAFETY: the type is a memref, which has a layout and its map; there is a place for the stride
        // of each dimension.
        unsafe {
            let layout = Attribute::from_option_raw(mlirMemRefTypeGetLayout(raw));
            let open = match layout.and_then(TermAttribute::from_attribute) {
                Some(term) if !term.interned().is_symbolic() => return Ok(Form::Term(term)),
                Some(term) => Some(term),
                None if mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(raw)) => {
                    return Ok(Form::Rows);
                }
                None => None,
            };
            let mut strides = vec![0_i64; self.extents().len()];
            let mut offset = 0_i64;
            let result = mlirMemRefTypeGetStridesAndOffset(
                raw,
                strides.as_mut_ptr(),
                std::ptr::from_mut(&mut offset),
            );
            if result.value == 0 {
                let expected = "a memref whose dimensions have strides";
                return Err(Violation::new(Code::MemrefStrides, expected, self.0).hint(
                    match open {
                        Some(_) => {
                            "layout-expand-memrefs gives each leaf of the layout a dimension"
                        }
                        None => "use memref.reinterpret_cast to give it strides",
                    },
                ));
            }
            let known =
                |value: i64| (value != mlirShapedTypeGetDynamicStrideOrOffset()).then_some(value);
            let strides: Vec<_> = strides.into_iter().map(known).collect();
            match open {
                Some(term) => self.open(term, strides),
                None => Ok(Form::Strides { strides, offset: known(offset) }),
            }
        }
    }
}

/// The extents of a memref's or a tensor's type with a rank.
fn extents_of(raw: MlirType) -> Vec<Option<i64>> {
    // SAFETY: the type has a rank, and each dimension is below it.
    unsafe {
        (0..mlirShapedTypeGetRank(raw))
            .map(|i| {
                let dimension = i as isize;
                (!mlirShapedTypeIsDynamicDim(raw, dimension))
                    .then(|| mlirShapedTypeGetDimSize(raw, dimension))
            })
            .collect()
    }
}

/// Extents as MLIR takes them.
fn sizes_of(extents: &[Option<i64>]) -> Vec<i64> {
    // SAFETY: the function reads a constant.
    let dynamic = unsafe { mlirShapedTypeGetDynamicSize() };
    extents.iter().map(|extent| extent.unwrap_or(dynamic)).collect()
}

/// The same symbol in 64 bits; a range that says no more than its width says nothing.
fn widened(symbol: &Symbol) -> Result<Symbol, Violation> {
    let wide = Symbol::new(symbol.name(), Width::W64)?.with_divisor(symbol.divisor())?;
    let ((lo, hi), (least, greatest)) = (symbol.range(), symbol.width().limits());
    let lo = if lo == least { i64::MIN } else { lo };
    let hi = if hi == greatest { i64::MAX } else { hi };
    Ok(wide.with_range(lo, hi)?)
}

/// Strides of rows without gaps, in terms of the extents' symbols.
fn row_strides(extents: &[Option<i64>]) -> Result<Vec<String>, Violation> {
    let mut symbol = extents.iter().filter(|extent| extent.is_none()).count();
    let (mut number, mut symbols) = (1_i64, Vec::new());
    let mut strides = Vec::with_capacity(extents.len());
    for extent in extents.iter().rev() {
        let mut factors: Vec<String> = symbols.clone();
        if number != 1 || factors.is_empty() {
            factors.insert(0, number.to_string());
        }
        strides.push(factors.join("*"));
        match extent {
            Some(extent) => {
                number = number.checked_mul(*extent).ok_or_else(|| {
                    let value = Value::Int(*extent);
                    Violation::new(
                        Code::Overflow,
                        "strides below 2^63",
                        format!("{number} * {value}"),
                    )
                })?;
            }
            None => {
                symbol -= 1;
                symbols.insert(0, format!("?{symbol}"));
            }
        }
    }
    strides.reverse();
    Ok(strides)
}
