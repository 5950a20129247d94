//! Terms with symbols, read and evaluated.

use super::{
    complement::complement,
    composition::composition_tiler,
    copy, divide,
    error::{Error, Quotient, Result, Site},
    expr::{Atom, Expr},
    facts::Facts,
    inverse,
    layout::{SymbolicLayout, compact, crd2crd},
    modes, order,
    parse::{self, Syntax},
    product, recast,
    slice::{dice, slice},
    symbol::Symbol,
    tuple::{SymbolicCoord, SymbolicTiler, SymbolicTuple},
};
use crate::{Op, Tuple};
use std::fmt;

/// What a term with symbols evaluates to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SymbolicValue {
    /// An expression; as an operand also the layout `n:1` of a tiler, or a shape.
    Int(Expr),
    /// A shape, stride or coordinate.
    Tuple(SymbolicTuple),
    /// A coordinate with `_`.
    Coord(SymbolicCoord),
    /// A layout.
    Layout(SymbolicLayout),
    /// A tuple of tilers.
    Tiler(SymbolicTiler),
    /// Several values.
    List(Vec<SymbolicValue>),
}

impl fmt::Display for SymbolicValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(expr) => write!(f, "{expr}"),
            Self::Tuple(tuple) => write!(f, "{tuple}"),
            Self::Coord(coord) => write!(f, "{coord}"),
            Self::Layout(layout) => write!(f, "{layout}"),
            Self::Tiler(tiler) => write!(f, "{tiler}"),
            Self::List(values) => {
                write!(f, "[")?;
                for (i, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                write!(f, "]")
            }
        }
    }
}

/// Reads and evaluates a term; symbols that it mentions, with what it says of them, join the facts.
///
/// A symbol that is by itself a mode's extent, or a multiple of it is, is at least 1: the text would
/// be no layout otherwise.
///
/// # Errors
///
/// [`crate::Error::Parse`] with the byte where reading stopped; that of an operation.
///
/// ```
/// use layout_algebra::symbolic::{Facts, evaluate};
/// let mut facts = Facts::new();
/// let value = evaluate("zipped_divide((M,K{div=64}):(K,1), <128:1, 64:1>)", &mut facts)?;
/// assert_eq!(value.to_string(), "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))");
/// assert_eq!(evaluate("crd2idx((i,j), (M,K):(K,1))", &mut facts)?.to_string(), "K*i+j");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn evaluate(text: &str, facts: &mut Facts) -> Result<SymbolicValue> {
    let syntax = parse::term(text, facts)?;
    imply_extents(&syntax, facts)?;
    Evaluator { facts }.value(&syntax)
}

impl SymbolicLayout {
    /// Reads a layout and the facts that its text states.
    ///
    /// # Errors
    ///
    /// As [`evaluate`]; a term that is no layout.
    pub fn parse(text: &str) -> Result<(Self, Facts)> {
        let mut facts = Facts::new();
        let layout = Self::parse_with(text, &mut facts)?;
        Ok((layout, facts))
    }

    /// Reads a layout whose symbols join those of a table.
    ///
    /// # Errors
    ///
    /// As [`evaluate`]; a term that is no layout.
    pub fn parse_with(text: &str, facts: &mut Facts) -> Result<Self> {
        match evaluate(text, facts)? {
            SymbolicValue::Layout(layout) => Ok(layout),
            other => Err(Error::operand("layout", "a plain layout", other)),
        }
    }
}

/// The symbol that an extent is a multiple of, so that it is at least 1.
pub(super) fn implied(extent: &Expr) -> Option<&str> {
    match extent.terms() {
        [(product, 1..)] => match product.factors() {
            [(Atom::Symbol { name, .. }, 1)] => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Adds that the extents of layouts are at least 1.
fn imply_extents(syntax: &Syntax, facts: &mut Facts) -> Result<()> {
    match syntax {
        Syntax::Int(_) | Syntax::Symbol(_) | Syntax::Any => Ok(()),
        Syntax::Tuple(entries) | Syntax::Tiler(entries) | Syntax::Call { args: entries, .. } => {
            entries.iter().try_for_each(|entry| imply_extents(entry, facts))
        }
        Syntax::Sum(entries) | Syntax::Product(entries) => {
            entries.iter().try_for_each(|(_, entry)| imply_extents(entry, facts))
        }
        Syntax::Layout(shape, _) => imply_shape(shape, facts),
    }
}

/// Adds that the extents of a shape are at least 1. Leaf by leaf: one may need what another implies.
fn imply_shape(shape: &Syntax, facts: &mut Facts) -> Result<()> {
    if let Syntax::Tuple(entries) = shape {
        return entries.iter().try_for_each(|entry| imply_shape(entry, facts));
    }
    // Errors are those of the evaluation, which comes to the same place.
    let Ok(extents) = (Evaluator { facts }).tuple(shape, "shape") else { return Ok(()) };
    for extent in extents.leaves() {
        if let Some(name) = implied(extent)
            && let Some(symbol) = facts.get(name)
            && symbol.range().0 < 1
        {
            let symbol: Symbol = symbol.clone().with_range(1, i64::MAX)?;
            facts.insert(symbol)?;
        }
    }
    Ok(())
}

/// An operation on values, under facts that are complete.
///
/// # Errors
///
/// That of the operation; one that takes no symbols.
///
/// ```
/// use layout_algebra::{Op, symbolic::{SymbolicLayout, SymbolicValue, call}};
/// let (layout, facts) = SymbolicLayout::parse("(M,8):(1,M)")?;
/// let whole = call(Op::Coalesce, &[SymbolicValue::Layout(layout)], &facts)?;
/// assert_eq!(whole.to_string(), "8*M:1");
/// # Ok::<(), layout_algebra::symbolic::Error>(())
/// ```
pub fn call(op: Op, values: &[SymbolicValue], facts: &Facts) -> Result<SymbolicValue> {
    let evaluator = Evaluator { facts };
    let call = Call { evaluator: &evaluator, op, values };
    if values.is_empty() {
        return call.count(1, usize::MAX).map(|()| SymbolicValue::Int(Expr::from(0)));
    }
    call.eval()
}

/// Evaluates under facts that are complete.
struct Evaluator<'f> {
    facts: &'f Facts,
}

impl Evaluator<'_> {
    fn value(&self, syntax: &Syntax) -> Result<SymbolicValue> {
        Ok(match syntax {
            Syntax::Tuple(entries) => {
                let entries =
                    entries.iter().map(|entry| self.coord(entry)).collect::<Result<Vec<_>>>()?;
                let coord = SymbolicCoord::Tuple(entries);
                match coord.to_tuple() {
                    Some(tuple) => SymbolicValue::Tuple(tuple),
                    None => SymbolicValue::Coord(coord),
                }
            }
            Syntax::Any => SymbolicValue::Coord(SymbolicCoord::Any),
            Syntax::Tiler(entries) => {
                let entries = entries.iter().map(|entry| self.tiler(&self.value(entry)?));
                SymbolicValue::Tiler(SymbolicTiler::Tuple(entries.collect::<Result<_>>()?))
            }
            Syntax::Layout(shape, stride) => {
                let (shape, stride) = (self.tuple(shape, "shape")?, self.tuple(stride, "stride")?);
                SymbolicValue::Layout(SymbolicLayout::new(self.facts, shape, stride)?)
            }
            Syntax::Call { name, at, args } => return self.call(name, *at, args),
            Syntax::Int(_) | Syntax::Symbol(_) | Syntax::Sum(_) | Syntax::Product(_) => {
                SymbolicValue::Int(self.expr(syntax)?)
            }
        })
    }

    fn expr(&self, syntax: &Syntax) -> Result<Expr> {
        match syntax {
            Syntax::Int(value) => Ok(Expr::from(*value)),
            Syntax::Symbol(name) => self.facts.symbol(name),
            Syntax::Sum(entries) => {
                entries.iter().try_fold(Expr::from(0), |sum, (minus, entry)| {
                    let value = self.operand(entry)?;
                    if *minus { sum.minus(&value) } else { sum.plus(&value) }
                })
            }
            Syntax::Product(entries) => {
                entries.iter().try_fold(Expr::from(1), |product, (divides, entry)| {
                    let value = self.operand(entry)?;
                    if *divides { self.quotient(&product, &value) } else { product.times(&value) }
                })
            }
            other => match self.value(other)? {
                SymbolicValue::Int(expr) => Ok(expr),
                other => Err(Error::operand("expression", "an integer", other)),
            },
        }
    }

    /// An operand of an operator, where parentheses around one entry only group.
    fn operand(&self, syntax: &Syntax) -> Result<Expr> {
        match syntax {
            Syntax::Tuple(entries) if entries.len() == 1 => self.operand(&entries[0]),
            other => self.expr(other),
        }
    }

    fn quotient(&self, of: &Expr, divisor: &Expr) -> Result<Expr> {
        let operands = || format!("{of}, {divisor}");
        let site = Site { operation: "divide", operands: &operands };
        match self.facts.divide(of, divisor) {
            Quotient::Exact(quotient) => Ok(quotient),
            other => site.exact(other),
        }
    }

    fn coord(&self, syntax: &Syntax) -> Result<SymbolicCoord> {
        match self.value(syntax)? {
            SymbolicValue::Int(expr) => Ok(SymbolicCoord::At(expr)),
            SymbolicValue::Tuple(tuple) => Ok((&tuple).into()),
            SymbolicValue::Coord(coord) => Ok(coord),
            other => Err(Error::operand("tuple", "integers, tuples or `_`", other)),
        }
    }

    fn tuple(&self, syntax: &Syntax, what: &'static str) -> Result<SymbolicTuple> {
        as_tuple(&self.value(syntax)?, what)
    }

    fn tiler(&self, value: &SymbolicValue) -> Result<SymbolicTiler> {
        match value {
            SymbolicValue::Layout(layout) => Ok(SymbolicTiler::Layout(layout.clone())),
            SymbolicValue::Tiler(tiler) => Ok(tiler.clone()),
            SymbolicValue::Coord(coord) => self.coord_tiler(coord),
            shape => SymbolicTiler::from_shape(self.facts, &as_tuple(shape, "tiler")?),
        }
    }

    /// A shape with `_` as a tiler.
    fn coord_tiler(&self, coord: &SymbolicCoord) -> Result<SymbolicTiler> {
        Ok(match coord {
            SymbolicCoord::Any => SymbolicTiler::Any,
            SymbolicCoord::At(extent) => {
                SymbolicTiler::from_shape(self.facts, &SymbolicTuple::Leaf(extent.clone()))?
            }
            SymbolicCoord::Tuple(entries) => SymbolicTiler::Tuple(
                entries.iter().map(|entry| self.coord_tiler(entry)).collect::<Result<_>>()?,
            ),
        })
    }

    fn call(&self, name: &str, at: usize, args: &[Syntax]) -> Result<SymbolicValue> {
        let facts = self.facts;
        let arithmetic: Option<Arithmetic> = match name {
            "floor_div" => Some(Facts::floor_div),
            "ceil_div" => Some(Facts::ceil_div),
            "mod" => Some(Facts::modulo),
            "min" => Some(Facts::min),
            _ => None,
        };
        if let Some(f) = arithmetic {
            let [a, b] = args else { return Err(wrong_count(name_of(name), "2", args.len())) };
            return Ok(SymbolicValue::Int(f(facts, &self.operand(a)?, &self.operand(b)?)?));
        }
        let Some(op) = Op::from_name(name) else {
            return Err(Error::Algebra(crate::Error::Parse {
                offset: at,
                expected: "an operation of the algebra".to_owned(),
                found: format!("`{}`", name.chars().take(40).collect::<String>()),
            }));
        };
        let values = args.iter().map(|arg| self.value(arg)).collect::<Result<Vec<_>>>()?;
        self::call(op, &values, facts)
    }
}

/// The operations of arithmetic, for errors.
fn name_of(name: &str) -> &'static str {
    ["floor_div", "ceil_div", "mod", "min"]
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("call")
}

fn wrong_count(operation: &'static str, expected: &str, found: usize) -> Error {
    Error::operand(operation, format!("{expected} operands"), found)
}

fn as_tuple(value: &SymbolicValue, what: &'static str) -> Result<SymbolicTuple> {
    match value {
        SymbolicValue::Int(expr) => Ok(SymbolicTuple::Leaf(expr.clone())),
        SymbolicValue::Tuple(tuple) => Ok(tuple.clone()),
        other => Err(Error::operand(what, "integers or tuples of them", other)),
    }
}

fn tuple_value(tuple: SymbolicTuple) -> SymbolicValue {
    match tuple {
        SymbolicTuple::Leaf(expr) => SymbolicValue::Int(expr),
        node => SymbolicValue::Tuple(node),
    }
}

/// An operation and its operands, of which there is at least one.
struct Call<'c> {
    evaluator: &'c Evaluator<'c>,
    op: Op,
    values: &'c [SymbolicValue],
}

type Arithmetic = fn(&Facts, &Expr, &Expr) -> Result<Expr>;
type WithTiler = fn(&Facts, &SymbolicLayout, &SymbolicTiler) -> Result<SymbolicLayout>;
type WithLayout = fn(&Facts, &SymbolicLayout, &SymbolicLayout) -> Result<SymbolicLayout>;

impl Call<'_> {
    fn eval(&self) -> Result<SymbolicValue> {
        use Op::*;
        let facts = self.evaluator.facts;
        let layout = match self.op {
            Coalesce => {
                self.count(1, 2)?;
                match self.values.get(1) {
                    None => modes::coalesce(&self.layout(0)?)?,
                    Some(profile) => {
                        modes::coalesce_by(&self.layout(0)?, &as_tuple(profile, "coalesce")?)?
                    }
                }
            }
            Composition => self.with_tiler(composition_tiler)?,
            Complement => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                let codomain = match self.values.get(1) {
                    None => SymbolicTuple::Leaf(modes::filter(facts, &layout)?.cosize(facts)?),
                    Some(_) => self.shape_of(1)?,
                };
                complement(facts, &layout, &codomain)?
            }
            LogicalDivide => self.with_tiler(divide::logical_divide)?,
            ZippedDivide => self.with_tiler(divide::zipped_divide)?,
            TiledDivide => self.with_tiler(divide::tiled_divide)?,
            FlatDivide => self.with_tiler(divide::flat_divide)?,
            LogicalProduct => self.with_tiler(product::logical_product)?,
            ZippedProduct => self.with_tiler(product::zipped_product)?,
            TiledProduct => self.with_tiler(product::tiled_product)?,
            FlatProduct => self.with_tiler(product::flat_product)?,
            BlockedProduct => self.with_layout(product::blocked_product)?,
            RakedProduct => self.with_layout(product::raked_product)?,
            RightInverse => inverse::right_inverse(facts, &self.only_layout()?)?,
            LeftInverse => inverse::left_inverse(facts, &self.only_layout()?)?,
            Nullspace => inverse::nullspace(facts, &self.only_layout()?)?,
            Flatten => modes::flatten(&self.only_layout()?),
            MakeLayout => {
                let layouts: Vec<_> =
                    (0..self.values.len()).map(|i| self.layout(i)).collect::<Result<_>>()?;
                crate::make_layout(&layouts)?
            }
            Get => {
                self.count(2, usize::MAX)?;
                crate::get(&self.layout(0)?, &self.integers(1)?)?
            }
            Select => {
                self.count(2, usize::MAX)?;
                crate::select(&self.layout(0)?, &self.integers(1)?)?
            }
            Group => {
                self.count(3, 3)?;
                crate::group(&self.layout(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Append => self.with_layout(|_, layout, mode| crate::append(layout, mode))?,
            Prepend => self.with_layout(|_, layout, mode| crate::prepend(layout, mode))?,
            Replace => {
                self.count(3, 3)?;
                crate::replace(&self.layout(0)?, self.integer(1)?, &self.layout(2)?)?
            }
            Take => {
                self.count(3, 3)?;
                crate::take(&self.layout(0)?, self.integer(1)?, self.integer(2)?)?
            }
            Zip => self.with_layout(|_, a, b| crate::zip(a, b))?,
            Unzip => self.with_tiler(|_, layout, tiler| crate::unzip(layout, tiler))?,
            Filter => {
                self.count(1, 2)?;
                let layout = self.layout(0)?;
                match self.values.get(1) {
                    None => modes::filter(facts, &layout)?,
                    Some(profile) => {
                        modes::filter_by(facts, &layout, &as_tuple(profile, "filter")?)?
                    }
                }
            }
            Sort => order::sort(facts, &self.only_layout()?)?,
            MakeLayoutLike => order::make_layout_like(facts, &self.only_layout()?)?,
            MaxCommonLayout => self.with_layout(copy::max_common_layout)?,
            Distribute => {
                self.count(3, 3)?;
                let tile = as_tuple(&self.values[1], "distribute")?;
                copy::distribute(facts, &self.layout(0)?, &tile, &self.layout(2)?)?
            }
            FilterZeros => modes::filter_zeros(facts, &self.only_layout()?)?,
            MakeOrderedLayout => {
                self.count(2, 2)?;
                product::make_ordered_layout(facts, &self.shape_of(0)?, &self.static_tuple(1)?)?
            }
            Slice => {
                self.count(2, 2)?;
                slice(facts, &self.coord(0)?, &self.layout(1)?)?.0
            }
            Dice => {
                self.count(2, 2)?;
                dice(&self.coord(0)?, &self.layout(1)?)?
            }
            TileToShape => {
                self.count(2, 3)?;
                let order = (self.values.len() == 3).then(|| self.static_tuple(2)).transpose()?;
                let shape = as_tuple(&self.values[1], "tile_to_shape")?;
                product::tile_to_shape(facts, &self.layout(0)?, &shape, order.as_ref())?
            }
            Upcast => {
                self.count(2, 2)?;
                recast::upcast(facts, &self.layout(0)?, self.integer(1)?)?
            }
            Downcast => {
                self.count(2, 2)?;
                recast::downcast(facts, &self.layout(0)?, self.integer(1)?)?
            }
            Recast => {
                self.count(3, 3)?;
                let (old, new) = (self.integer(1)?, self.integer(2)?);
                recast::recast(facts, &self.layout(0)?, old, new)?
            }
            RecastLayout => {
                self.count(3, 3)?;
                let (new, old) = (self.integer(1)?, self.integer(2)?);
                recast::recast(facts, &self.layout(0)?, old, new)?
            }
            _ => return self.query(),
        };
        Ok(SymbolicValue::Layout(layout))
    }

    /// The operations whose value is no layout.
    fn query(&self) -> Result<SymbolicValue> {
        use Op::*;
        let facts = self.evaluator.facts;
        let int = |n: usize| SymbolicValue::Int(Expr::from(i64::try_from(n).unwrap_or(i64::MAX)));
        Ok(match self.op {
            Size => SymbolicValue::Int(self.mode_shape()?.product()?),
            Cosize => {
                self.count(1, usize::MAX)?;
                let mode = crate::get(&self.layout(0)?, &self.integers(1)?)?;
                SymbolicValue::Int(mode.cosize(facts)?)
            }
            Coshape => SymbolicValue::Int(self.only_layout()?.cosize(facts)?),
            MaxCommonVector => {
                self.count(2, 2)?;
                let (a, b) = (self.layout(0)?, self.layout(1)?);
                SymbolicValue::Int(copy::max_common_vector(facts, &a, &b)?)
            }
            Rank => int(self.mode_shape()?.rank()),
            Depth => int(self.mode_shape()?.depth()),
            Shape => tuple_value(self.only_layout()?.shape().clone()),
            Stride => tuple_value(self.only_layout()?.stride().clone()),
            CompactColMajor | CompactRowMajor => {
                self.count(1, 1)?;
                let shape = self.shape_of(0)?;
                let mut order: Vec<usize> = (0..shape.leaves().len()).collect();
                if self.op == CompactRowMajor {
                    order.reverse();
                }
                tuple_value(compact(&shape, &order)?)
            }
            Crd2Idx => {
                self.count(2, 2)?;
                let coord = as_tuple(&self.values[0], "crd2idx")?;
                SymbolicValue::Int(match &self.values[1] {
                    SymbolicValue::Layout(layout) => layout.crd2idx(facts, &coord)?,
                    // CuTe's form for a shape alone: the compact column-major layout is meant.
                    shape => SymbolicLayout::from_shape(facts, as_tuple(shape, "crd2idx")?)?
                        .crd2idx(facts, &coord)?,
                })
            }
            Idx2Crd => {
                self.count(2, 2)?;
                let coord = as_tuple(&self.values[0], "idx2crd")?;
                tuple_value(crd2crd(facts, &coord, &self.shape_of(1)?)?)
            }
            SliceAndOffset => {
                self.count(2, 2)?;
                let (kept, offset) = slice(facts, &self.coord(0)?, &self.layout(1)?)?;
                SymbolicValue::List(vec![SymbolicValue::Layout(kept), SymbolicValue::Int(offset)])
            }
            other => {
                let expected = "an operation that takes symbols";
                return Err(Error::operand("evaluate", expected, format!("`{}`", other.name())));
            }
        })
    }

    /// The shape of the first operand, or of the mode of it that the other operands name.
    fn mode_shape(&self) -> Result<SymbolicTuple> {
        self.count(1, usize::MAX)?;
        let shape = self.shape_of(0)?;
        let layout = SymbolicLayout::known(shape.clone(), shape);
        Ok(crate::get(&layout, &self.integers(1)?)?.shape().clone())
    }

    fn with_tiler(&self, f: WithTiler) -> Result<SymbolicLayout> {
        self.count(2, 2)?;
        let tiler = self.evaluator.tiler(&self.values[1])?;
        f(self.evaluator.facts, &self.layout(0)?, &tiler)
    }

    fn with_layout(&self, f: WithLayout) -> Result<SymbolicLayout> {
        self.count(2, 2)?;
        f(self.evaluator.facts, &self.layout(0)?, &self.layout(1)?)
    }

    fn only_layout(&self) -> Result<SymbolicLayout> {
        self.count(1, 1)?;
        self.layout(0)
    }

    fn count(&self, least: usize, most: usize) -> Result<()> {
        let found = self.values.len();
        if (least..=most).contains(&found) {
            return Ok(());
        }
        let expected = match (least, most) {
            _ if least == most => format!("{least}"),
            (_, usize::MAX) => format!("at least {least}"),
            _ => format!("{least} to {most}"),
        };
        Err(wrong_count(self.op.name(), &expected, found))
    }

    fn layout(&self, i: usize) -> Result<SymbolicLayout> {
        match &self.values[i] {
            SymbolicValue::Layout(layout) => Ok(layout.clone()),
            // CuTe takes an extent where it takes a layout.
            SymbolicValue::Int(extent) => SymbolicLayout::new(
                self.evaluator.facts,
                SymbolicTuple::Leaf(extent.clone()),
                SymbolicTuple::Leaf(Expr::from(1)),
            ),
            other => Err(Error::operand(self.op.name(), "a layout", other)),
        }
    }

    fn shape_of(&self, i: usize) -> Result<SymbolicTuple> {
        match &self.values[i] {
            SymbolicValue::Layout(layout) => Ok(layout.shape().clone()),
            other => as_tuple(other, self.op.name()),
        }
    }

    fn coord(&self, i: usize) -> Result<SymbolicCoord> {
        match &self.values[i] {
            SymbolicValue::Int(expr) => Ok(SymbolicCoord::At(expr.clone())),
            SymbolicValue::Tuple(tuple) => Ok(tuple.into()),
            SymbolicValue::Coord(coord) => Ok(coord.clone()),
            other => Err(Error::operand(self.op.name(), "a coordinate", other)),
        }
    }

    fn integer(&self, i: usize) -> Result<i64> {
        match &self.values[i] {
            SymbolicValue::Int(expr) => expr.as_constant(),
            _ => None,
        }
        .ok_or_else(|| Error::operand(self.op.name(), "a constant integer", &self.values[i]))
    }

    fn integers(&self, from: usize) -> Result<Vec<i64>> {
        (from..self.values.len()).map(|i| self.integer(i)).collect()
    }

    fn static_tuple(&self, i: usize) -> Result<Tuple> {
        let tuple = as_tuple(&self.values[i], self.op.name())?;
        tuple
            .to_static()
            .ok_or_else(|| Error::operand(self.op.name(), "a tuple of constant integers", tuple))
    }
}
