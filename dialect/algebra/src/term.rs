//! Terms: what `#layout<…>` holds, and how they evaluate.

use crate::{
    composition::composition_tiler,
    divide,
    error::{Error, Result},
    inverse,
    layout::{Layout, idx2crd},
    modes, recast,
    slice::{dice, slice},
    swizzle::{AnyLayout, ComposedLayout, Swizzle},
    tiler::Tiler,
    tuple::{Coord, Tuple},
};
use std::{fmt, str::FromStr};

/// A term of the algebra: a value, a tuple of tilers, or an operation on terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A value, as written.
    Literal(Value),
    /// `<a, b, …>`: one tiler for each mode.
    Tiler(Vec<Term>),
    /// An operation and its operands.
    Call {
        /// The operation.
        op: Op,
        /// Its operands.
        args: Vec<Term>,
    },
}

/// What a term evaluates to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer; as an operand also the layout `n:1` of a tiler, or a shape.
    Int(i64),
    /// A shape, stride or coordinate.
    Tuple(Tuple),
    /// A coordinate with `_`.
    Coord(Coord),
    /// A layout.
    Layout(Layout),
    /// A layout behind a swizzle or another layout.
    Composed(ComposedLayout),
    /// A swizzle.
    Swizzle(Swizzle),
    /// A tuple of tilers.
    Tiler(Tiler),
}

macro_rules! operations {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// The operations of the algebra, by CuTe's names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Op {
            $(#[doc = $meaning] $variant,)*
        }

        impl Op {
            /// Every operation, in the order of the documentation.
            pub const ALL: &[Op] = &[$(Op::$variant),*];

            /// The name in terms.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$variant => $name,)*
                }
            }

            /// The operation of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Op::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

operations! {
    Coalesce "coalesce" "`coalesce(L)`, `coalesce(L, profile)`"
    Composition "composition" "`composition(A, B)`, with a layout or a tiler"
    Complement "complement" "`complement(L[, cosize])`"
    LogicalDivide "logical_divide" "`logical_divide(L, tiler)`"
    ZippedDivide "zipped_divide" "`zipped_divide(L, tiler)`"
    TiledDivide "tiled_divide" "`tiled_divide(L, tiler)`"
    FlatDivide "flat_divide" "`flat_divide(L, tiler)`"
    LogicalProduct "logical_product" "`logical_product(L, tiler)`"
    ZippedProduct "zipped_product" "`zipped_product(L, tiler)`"
    TiledProduct "tiled_product" "`tiled_product(L, tiler)`"
    FlatProduct "flat_product" "`flat_product(L, tiler)`"
    BlockedProduct "blocked_product" "`blocked_product(block, times)`"
    RakedProduct "raked_product" "`raked_product(block, times)`"
    RightInverse "right_inverse" "`right_inverse(L)`"
    LeftInverse "left_inverse" "`left_inverse(L)`"
    Nullspace "nullspace" "`nullspace(L)`"
    Flatten "flatten" "`flatten(L)`"
    MakeLayout "make_layout" "`make_layout(A, B, …)`"
    Get "get" "`get(L, i, …)`: a mode, or a mode of a mode"
    Select "select" "`select(L, i, …)`: some modes"
    Group "group" "`group(L, begin, end)`: modes put into one"
    Size "size" "`size(L)`"
    Cosize "cosize" "`cosize(L)`"
    Rank "rank" "`rank(L)`"
    Depth "depth" "`depth(L)`"
    Shape "shape" "`shape(L)`"
    Stride "stride" "`stride(L)`"
    Crd2Idx "crd2idx" "`crd2idx(coord, L)`"
    Idx2Crd "idx2crd" "`idx2crd(index, shape)`"
    Slice "slice" "`slice(coord, L)`"
    Dice "dice" "`dice(coord, L)`"
    TileToShape "tile_to_shape" "`tile_to_shape(L, shape[, order])`"
    Upcast "upcast" "`upcast(L, n)`"
    Downcast "downcast" "`downcast(L, n)`"
    Recast "recast" "`recast(L, old_bits, new_bits)`"
}

impl Term {
    /// Parses a term.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`] with the byte where reading stopped; a bound that was passed.
    pub fn parse(text: &str) -> Result<Self> {
        crate::parse::term(text)
    }

    /// Parses a term in which names stand for other terms.
    ///
    /// A name is a letter and then letters, digits and `_`, and [reserved](crate::is_reserved) for
    /// nothing else; `names` is asked for each. What it stands for is not read again as text: it
    /// takes the name's place as a whole, and counts towards the bounds on depth and length as if it
    /// had been written there. The name of an integer or tuple may stand inside of tuples.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// let rows = Term::parse("8")?;
    /// let term = Term::parse_with("right_inverse((4,rows):(rows,1))", &|name| {
    ///     (name == "rows").then(|| rows.clone())
    /// })?;
    /// assert_eq!(term, Term::parse("right_inverse((4,8):(8,1))")?);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Term::parse`]; a name that stands for nothing, or for something that has no place there.
    pub fn parse_with(text: &str, names: &dyn Fn(&str) -> Option<Self>) -> Result<Self> {
        crate::parse::term_with(text, names)
    }

    /// A layout as a term.
    pub fn layout(layout: AnyLayout) -> Self {
        Self::Literal(match layout {
            AnyLayout::Plain(layout) => Value::Layout(layout),
            AnyLayout::Composed(composed) => Value::Composed(composed),
        })
    }

    /// The value of the term.
    ///
    /// # Errors
    ///
    /// That of the operation that has no answer.
    pub fn eval(&self) -> Result<Value> {
        match self {
            Self::Literal(value) => Ok(value.clone()),
            Self::Tiler(entries) => {
                let entries = entries.iter().map(|entry| entry.eval()?.tiler());
                Ok(Value::Tiler(Tiler::Tuple(entries.collect::<Result<_>>()?)))
            }
            Self::Call { op, args } => {
                let values = args.iter().map(Self::eval).collect::<Result<Vec<_>>>()?;
                Args { op: *op, values: &values }.eval()
            }
        }
    }

    /// Evaluates to a layout, plain or composed.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no layout.
    pub fn eval_layout(&self) -> Result<AnyLayout> {
        match self.eval()? {
            Value::Layout(layout) => Ok(AnyLayout::Plain(layout)),
            Value::Composed(composed) => Ok(AnyLayout::Composed(composed)),
            other => Err(Error::Operand {
                operation: "term",
                expected: "a layout".to_owned(),
                found: other.to_string(),
            }),
        }
    }

    /// Evaluates to a tiler: a layout, a tuple of tilers, a shape, or `_`.
    ///
    /// # Errors
    ///
    /// As [`Term::eval`]; a value that is no tiler.
    pub fn eval_tiler(&self) -> Result<Tiler> {
        self.eval()?.tiler()
    }
}

impl Value {
    /// What it is, in one word.
    ///
    /// ```
    /// use layout_algebra::Term;
    /// assert_eq!(Term::parse("S<3,4,3> o 0 o 64:1")?.eval()?.kind(), "composed");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Int(_) => "integer",
            Self::Tuple(_) => "tuple",
            Self::Coord(_) => "coordinate",
            Self::Layout(_) => "layout",
            Self::Composed(_) => "composed",
            Self::Swizzle(_) => "swizzle",
            Self::Tiler(_) => "tiler",
        }
    }

    /// The value as a tiler.
    ///
    /// # Errors
    ///
    /// A value that is no tiler.
    pub fn tiler(&self) -> Result<Tiler> {
        match self {
            Self::Int(extent) => Tiler::from_shape(&Tuple::Leaf(*extent)),
            Self::Tuple(shape) => Tiler::from_shape(shape),
            Self::Layout(layout) => Ok(Tiler::Layout(layout.clone())),
            Self::Tiler(tiler) => Ok(tiler.clone()),
            Self::Coord(coord) => coord_tiler(coord),
            Self::Composed(_) | Self::Swizzle(_) => Err(Error::Operand {
                operation: "tiler",
                expected: "a layout, a shape, `_` or a tuple of tilers".to_owned(),
                found: self.to_string(),
            }),
        }
    }
}

/// A shape with `_` as a tiler.
fn coord_tiler(coord: &Coord) -> Result<Tiler> {
    Ok(match coord {
        Coord::Any => Tiler::Any,
        Coord::At(extent) => Tiler::from_shape(&Tuple::Leaf(*extent))?,
        Coord::Tuple(entries) => {
            Tiler::Tuple(entries.iter().map(coord_tiler).collect::<Result<_>>()?)
        }
    })
}

/// The operands of one call.
struct Args<'v> {
    op: Op,
    values: &'v [Value],
}

impl Args<'_> {
    fn eval(&self) -> Result<Value> {
        use Op::*;
        match self.op {
            Coalesce => {
                self.count(1, 2)?;
                let profile = (self.values.len() == 2).then(|| self.tuple(1)).transpose()?;
                self.on_layout(|layout| match &profile {
                    None => modes::coalesce(layout),
                    Some(profile) => modes::coalesce_by(layout, profile),
                })
            }
            Composition => self.composition(),
            Complement => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                let cosize = match self.values.get(1) {
                    None => layout.cosize()?,
                    Some(_) => self.tuple(1)?.product()?,
                };
                divide::complement(&layout, cosize).map(Value::Layout)
            }
            LogicalDivide => self.with_tiler(divide::logical_divide),
            ZippedDivide => self.with_tiler(divide::zipped_divide),
            TiledDivide => self.with_tiler(divide::tiled_divide),
            FlatDivide => self.with_tiler(divide::flat_divide),
            LogicalProduct => self.with_tiler(divide::logical_product),
            ZippedProduct => self.with_tiler(divide::zipped_product),
            TiledProduct => self.with_tiler(divide::tiled_product),
            FlatProduct => self.with_tiler(divide::flat_product),
            BlockedProduct => self.with_layout(divide::blocked_product),
            RakedProduct => self.with_layout(divide::raked_product),
            RightInverse => self.unary(inverse::right_inverse),
            LeftInverse => self.unary(inverse::left_inverse),
            Nullspace => self.unary(inverse::nullspace),
            Flatten => {
                self.count(1, 1)?;
                self.on_layout(modes::flatten)
            }
            MakeLayout => {
                let layouts =
                    (0..self.values.len()).map(|i| self.layout(i)).collect::<Result<Vec<_>>>()?;
                modes::make_layout(&layouts).map(Value::Layout)
            }
            Get => {
                self.count(2, usize::MAX)?;
                let path = self.integers(1)?;
                self.on_layout(|layout| modes::get(layout, &path))
            }
            Select => {
                self.count(2, usize::MAX)?;
                let chosen = self.integers(1)?;
                self.on_layout(|layout| modes::select(layout, &chosen))
            }
            Group => {
                self.count(3, 3)?;
                let (begin, end) = (self.int(1)?, self.int(2)?);
                self.on_layout(|layout| modes::group(layout, begin, end))
            }
            Size => self.query(|value| match value {
                Value::Int(_) | Value::Tuple(_) => tuple_of(value)?.product(),
                _ => Ok(any_layout(value)?.size()),
            }),
            Cosize => self.query(|value| any_layout(value)?.cosize()),
            Rank => self.query(|value| Ok(int(self.shape_of(value)?.rank()))),
            Depth => self.query(|value| Ok(int(self.shape_of(value)?.depth()))),
            Shape => {
                self.count(1, 1)?;
                Ok(tuple_value(any_layout(&self.values[0])?.inner().shape().clone()))
            }
            Stride => {
                self.count(1, 1)?;
                Ok(tuple_value(self.layout(0)?.stride().clone()))
            }
            Crd2Idx => {
                self.count(2, 2)?;
                let coord = self.tuple(0)?;
                let offset = match any_layout(&self.values[1]) {
                    Ok(AnyLayout::Plain(layout)) => layout.crd2idx(&coord)?,
                    Ok(AnyLayout::Composed(composed)) => {
                        let index = Layout::from_shape(composed.inner.shape().clone())?;
                        composed.at(index.crd2idx(&coord)?)?
                    }
                    // CuTe's form for a shape alone: the compact column-major layout is meant.
                    Err(error) => match tuple_of(&self.values[1]) {
                        Ok(shape) => Layout::from_shape(shape)?.crd2idx(&coord)?,
                        Err(_) => return Err(error),
                    },
                };
                Ok(Value::Int(offset))
            }
            Idx2Crd => {
                self.count(2, 2)?;
                let shape = self.shape_of(&self.values[1])?;
                idx2crd(self.int(0)?, &shape).map(tuple_value)
            }
            Slice => {
                self.count(2, 2)?;
                let coord = self.coord(0)?;
                match any_layout(&self.values[1])? {
                    AnyLayout::Plain(layout) => Ok(Value::Layout(slice(&coord, &layout)?.0)),
                    AnyLayout::Composed(composed) => {
                        let (inner, fixed) = slice(&coord, &composed.inner)?;
                        let offset = composed
                            .offset
                            .checked_add(fixed)
                            .ok_or_else(|| Error::overflow("slice", &composed))?;
                        Ok(Value::Composed(ComposedLayout { inner, offset, ..composed }))
                    }
                }
            }
            Dice => {
                self.count(2, 2)?;
                dice(&self.coord(0)?, &self.layout(1)?).map(Value::Layout)
            }
            TileToShape => {
                self.count(2, 3)?;
                let shape = self.tuple(1)?;
                let order = (self.values.len() == 3).then(|| self.tuple(2)).transpose()?;
                self.on_layout(|layout| divide::tile_to_shape(layout, &shape, order.as_ref()))
            }
            Upcast => {
                self.count(2, 2)?;
                recast::upcast(&self.layout(0)?, self.int(1)?).map(Value::Layout)
            }
            Downcast => {
                self.count(2, 2)?;
                recast::downcast(&self.layout(0)?, self.int(1)?).map(Value::Layout)
            }
            Recast => {
                self.count(3, 3)?;
                recast::recast(&self.layout(0)?, self.int(1)?, self.int(2)?).map(Value::Layout)
            }
        }
    }

    /// `A o B`: with a swizzle or a composed layout on the left, the inner layout is composed.
    fn composition(&self) -> Result<Value> {
        self.count(2, 2)?;
        match &self.values[0] {
            Value::Swizzle(swizzle) => Ok(Value::Composed(ComposedLayout {
                outer: crate::Outer::Swizzle(*swizzle),
                offset: 0,
                inner: self.layout(1)?,
            })),
            _ => {
                let tiler = self.tiler(1)?;
                self.on_layout(|layout| composition_tiler(layout, &tiler))
            }
        }
    }

    fn with_tiler(&self, f: impl Fn(&Layout, &Tiler) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let tiler = self.tiler(1)?;
        self.on_layout(|layout| f(layout, &tiler))
    }

    fn with_layout(&self, f: impl Fn(&Layout, &Layout) -> Result<Layout>) -> Result<Value> {
        self.count(2, 2)?;
        let other = self.layout(1)?;
        self.on_layout(|layout| f(layout, &other))
    }

    fn unary(&self, f: impl Fn(&Layout) -> Result<Layout>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.layout(0)?).map(Value::Layout)
    }

    fn query(&self, f: impl Fn(&Value) -> Result<i64>) -> Result<Value> {
        self.count(1, 1)?;
        f(&self.values[0]).map(Value::Int)
    }

    /// Applies an operation to the first operand, behind its swizzle if it has one.
    fn on_layout(&self, f: impl FnOnce(&Layout) -> Result<Layout>) -> Result<Value> {
        let layout = match &self.values[0] {
            Value::Composed(composed) => AnyLayout::Composed(composed.clone()),
            _ => AnyLayout::Plain(self.layout(0)?),
        };
        Ok(match layout.try_map(f)? {
            AnyLayout::Plain(layout) => Value::Layout(layout),
            AnyLayout::Composed(composed) => Value::Composed(composed),
        })
    }

    fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            _ if least == most => format!("{least} operands"),
            (_, usize::MAX) => format!("at least {least} operands"),
            _ => format!("{least} to {most} operands"),
        };
        Err(Error::Operand { operation: self.op.name(), expected, found: found.to_string() })
    }

    fn kind(&self, i: usize, expected: &str) -> Error {
        Error::Operand {
            operation: self.op.name(),
            expected: format!("{expected} as operand {}", i + 1),
            found: self.values.get(i).map_or("none".to_owned(), ToString::to_string),
        }
    }

    fn layout(&self, i: usize) -> Result<Layout> {
        match self.values.get(i) {
            Some(Value::Layout(layout)) => Ok(layout.clone()),
            // CuTe takes an extent where it takes a layout.
            Some(Value::Int(extent)) => Layout::leaf(*extent, 1),
            _ => Err(self.kind(i, "a plain layout")),
        }
    }

    fn tiler(&self, i: usize) -> Result<Tiler> {
        self.values
            .get(i)
            .and_then(|value| value.tiler().ok())
            .ok_or_else(|| self.kind(i, "a layout, a shape, `_` or a tuple of tilers"))
    }

    fn tuple(&self, i: usize) -> Result<Tuple> {
        self.values
            .get(i)
            .and_then(|value| tuple_of(value).ok())
            .ok_or_else(|| self.kind(i, "an integer or a tuple of integers"))
    }

    fn coord(&self, i: usize) -> Result<Coord> {
        match self.values.get(i) {
            Some(Value::Coord(coord)) => Ok(coord.clone()),
            _ => self
                .tuple(i)
                .map(|tuple| Coord::from(&tuple))
                .map_err(|_| self.kind(i, "a coordinate")),
        }
    }

    fn int(&self, i: usize) -> Result<i64> {
        match self.values.get(i) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.kind(i, "an integer")),
        }
    }

    fn integers(&self, from: usize) -> Result<Vec<i64>> {
        (from..self.values.len()).map(|i| self.int(i)).collect()
    }

    fn shape_of(&self, value: &Value) -> Result<Tuple> {
        match value {
            Value::Int(_) | Value::Tuple(_) => tuple_of(value),
            _ => Ok(any_layout(value)
                .map_err(|_| Error::Operand {
                    operation: self.op.name(),
                    expected: "a layout or a shape".to_owned(),
                    found: value.to_string(),
                })?
                .inner()
                .shape()
                .clone()),
        }
    }
}

fn any_layout(value: &Value) -> Result<AnyLayout> {
    match value {
        Value::Layout(layout) => Ok(AnyLayout::Plain(layout.clone())),
        Value::Composed(composed) => Ok(AnyLayout::Composed(composed.clone())),
        other => Err(Error::Operand {
            operation: "layout",
            expected: "a layout".to_owned(),
            found: other.to_string(),
        }),
    }
}

fn tuple_of(value: &Value) -> Result<Tuple> {
    match value {
        Value::Int(value) => Ok(Tuple::Leaf(*value)),
        Value::Tuple(tuple) => Ok(tuple.clone()),
        other => Err(Error::Operand {
            operation: "tuple",
            expected: "an integer or a tuple of integers".to_owned(),
            found: other.to_string(),
        }),
    }
}

fn tuple_value(tuple: Tuple) -> Value {
    match tuple {
        Tuple::Leaf(value) => Value::Int(value),
        node => Value::Tuple(node),
    }
}

/// A count as a value; counts are bounded by the length of a term's text.
fn int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl FromStr for Term {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, terms: &[Term]| {
            terms
                .iter()
                .enumerate()
                .try_for_each(|(i, term)| write!(f, "{}{term}", if i == 0 { "" } else { ", " }))
        };
        match self {
            Self::Literal(value) => value.fmt(f),
            Self::Tiler(entries) => {
                write!(f, "<")?;
                list(f, entries)?;
                write!(f, ">")
            }
            Self::Call { op, args } => {
                write!(f, "{}(", op.name())?;
                list(f, args)?;
                write!(f, ")")
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Tuple(value) => value.fmt(f),
            Self::Coord(value) => value.fmt(f),
            Self::Layout(value) => value.fmt(f),
            Self::Composed(value) => value.fmt(f),
            Self::Swizzle(value) => value.fmt(f),
            Self::Tiler(value) => value.fmt(f),
        }
    }
}
