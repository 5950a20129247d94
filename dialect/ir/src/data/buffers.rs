//! Memrefs as the memory of views: a memref's address, elements and layout.
//!
//! | memref | its layout |
//! |---|---|
//! | `memref<4x8xf32>` | `(4,8):(8,1)` |
//! | `memref<?x8xf32>` | `(?{i64},8):(8,1)` |
//! | `memref<?x?xf32>` | `(?0{i64},?1{i64}):(?1,1)` |
//! | `memref<4x?xf32, strided<[?, 1], offset: ?>>` | `(4,?{i64}):(?{i64},1)` |
//! | `memref<128x64xf16, #layout<((8,16),64):((64,512),1)>, 3>` | `((8,16),64):((64,512),1)` |
//!
//! Sizes and strides of a memref have type `index`, so that what is dynamic has 64 bits. A memref's
//! offset is no part of its layout: the view starts there.

use crate::{
    atoms::space::Space,
    data::{attributes::TermAttribute, term_value::TermValue},
    diagnostics::{codes::Code, violation::Violation},
};
use layout_algebra::Value;
use melior::ir::{Attribute, Type, TypeLike, attribute::IntegerAttribute};
use mlir_sys::{
    mlirAffineMapIsIdentity, mlirIntegerAttrGet, mlirIntegerTypeGet, mlirMemRefTypeContiguousGet,
    mlirMemRefTypeGet, mlirMemRefTypeGetAffineMap, mlirMemRefTypeGetLayout,
    mlirMemRefTypeGetMemorySpace, mlirMemRefTypeGetStridesAndOffset, mlirShapedTypeGetDimSize,
    mlirShapedTypeGetDynamicSize, mlirShapedTypeGetDynamicStrideOrOffset,
    mlirShapedTypeGetElementType, mlirShapedTypeGetRank, mlirShapedTypeIsDynamicDim,
    mlirTypeGetContext, mlirTypeIsAMemRef, mlirTypeIsAUnrankedMemRef,
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
    ///
    /// # Errors
    ///
    /// As [`Buffer::layout`].
    pub fn integers(&self) -> Result<Vec<Integer>, Violation> {
        let dynamic = |all: &[Option<i64>], part: fn(usize) -> Integer| -> Vec<Integer> {
            let places = all.iter().enumerate().filter(|(_, known)| known.is_none());
            places.map(|(i, _)| part(i)).collect()
        };
        let mut integers = dynamic(&self.extents(), Integer::Size);
        if let Form::Strides { strides, .. } = self.form()? {
            integers.extend(dynamic(&strides, Integer::Stride));
        }
        Ok(integers)
    }

    /// Elements from the memref's aligned pointer to its first element; nothing where that is known
    /// only at run time.
    ///
    /// # Errors
    ///
    /// As [`Buffer::layout`].
    pub fn offset(&self) -> Result<Option<i64>, Violation> {
        Ok(match self.form()? {
            Form::Rows | Form::Term(_) => Some(0),
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
            Form::Strides { strides, .. } => Strides::Each(strides),
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
            let dynamic = mlirShapedTypeGetDynamicSize();
            let shape: Vec<i64> = extents.iter().map(|e| e.unwrap_or(dynamic)).collect();
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
        let raw = self.0.to_raw();
        // SAFETY: the type is a memref with a rank, and each dimension is below it.
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

    fn form(&self) -> Result<Form<'c>, Violation> {
        let raw = self.0.to_raw();
        // SAFETY: the type is a memref, which has a layout and its map; there is a place for the stride
        // of each dimension.
        unsafe {
            let layout = Attribute::from_option_raw(mlirMemRefTypeGetLayout(raw));
            if let Some(Ok(term)) = layout.map(TermAttribute::try_from) {
                return Ok(Form::Term(term));
            }
            if mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(raw)) {
                return Ok(Form::Rows);
            }
            let mut strides = vec![0_i64; self.extents().len()];
            let mut offset = 0_i64;
            let result = mlirMemRefTypeGetStridesAndOffset(
                raw,
                strides.as_mut_ptr(),
                std::ptr::from_mut(&mut offset),
            );
            if result.value == 0 {
                let expected = "a memref whose dimensions have strides";
                return Err(Violation::new(Code::MemrefStrides, expected, self.0)
                    .hint("use memref.reinterpret_cast to give it strides"));
            }
            let known =
                |value: i64| (value != mlirShapedTypeGetDynamicStrideOrOffset()).then_some(value);
            let strides = strides.into_iter().map(known).collect();
            Ok(Form::Strides { strides, offset: known(offset) })
        }
    }
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
