//! Terms with symbols, read and evaluated.

use super::{
    Op, TermLeaf, TermOf, Value,
    eval::{Evaluated, tuple_of},
    evaluator::{self, Evaluator},
};
use crate::term::prelude::*;
use crate::{
    integer::{Error, Facts, Result, expr::Atom, mention::Declarations},
    term::{
        parse::{self, Arithmetic, Form, Names, Syntax},
        value::composed_value,
    },
};
use alloc::collections::BTreeMap;

/// Reads and evaluates a term; the symbols that it mentions, with their facts, join `facts`. A text whose facts
/// contradict each other, or that is no term, adds none.
///
/// A symbol that is by itself a mode's extent, or a multiple of it is, is at least 1: the text would
/// be no layout otherwise.
///
/// # Errors
///
/// [`crate::Error::Parse`] with the byte where reading stopped; that of an operation.
///
/// ```
/// use layout_algebra::{Facts, evaluate};
/// let mut facts = Facts::new();
/// let value = evaluate("zipped_divide((M,K{div=64}):(K,1), <128:1, 64:1>)", &mut facts)?;
/// assert_eq!(value.to_string(), "((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))");
/// assert_eq!(evaluate("crd2idx((i,j), (M,K):(K,1))", &mut facts)?.to_string(), "K*i+j");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn evaluate(text: &str, facts: &mut Facts) -> Result<Value<Expr>> {
    evaluated(text, Names::None, facts, None)
}

/// The answer to a term, as text: its value, or the error.
///
/// ```
/// use layout_algebra::answer;
/// assert_eq!(answer("coalesce((M,8):(1,M))"), "8*M:1");
/// ```
pub fn answer(text: &str) -> String {
    evaluate(text, &mut Facts::new())
        .map_or_else(|error| error.to_string(), |value| value.to_string())
}

/// [`evaluate`] with names that stand for values, each given by the text of its value under these
/// facts. A name stands for the whole of it, and hides a symbol of the same name; in the text of the
/// value names are those of symbols.
///
/// ```
/// use layout_algebra::{Facts, evaluate, evaluate_with};
/// let mut facts = Facts::new();
/// let tile = evaluate("zipped_divide((M{div=8},8):(8,1), (8,4))", &mut facts)?;
/// let names = [("T".to_owned(), tile.to_string())].into();
/// assert_eq!(evaluate_with("get(T, 1)", &mut facts, &names)?.to_string(), "(M/8,2):(64,4)");
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn evaluate_with(
    text: &str,
    facts: &mut Facts,
    names: &BTreeMap<String, String>,
) -> Result<Value<Expr>> {
    evaluated(text, Names::Texts(names), facts, None)
}

/// The observer of each call that an evaluation makes: it is shown the operation, its operands and its result.
pub type Watch<'w, L = Expr> = dyn Fn(Op, &[Value<L>], &Evaluated<L>) + 'w;

/// [`evaluate_with`], and `watch` is shown each call, the innermost first.
///
/// ```
/// use layout_algebra::{Facts, evaluate_watched};
/// use std::cell::RefCell;
/// let calls = RefCell::new(Vec::new());
/// let text = "coalesce(make_layout(M:1, 8:M))";
/// evaluate_watched(text, &mut Facts::new(), &[].into(), &|op, _, result| {
///     calls.borrow_mut().push(format!("{}: {}", op.name(), result.as_ref().unwrap()));
/// })?;
/// assert_eq!(calls.into_inner(), ["make_layout: (M,8):(1,M)", "coalesce: 8*M:1"]);
/// # Ok::<(), layout_algebra::integer::Error>(())
/// ```
pub fn evaluate_watched(
    text: &str,
    facts: &mut Facts,
    names: &BTreeMap<String, String>,
    watch: &Watch<'_>,
) -> Result<Value<Expr>> {
    evaluated(text, Names::Texts(names), facts, Some(watch))
}

fn evaluated(
    text: &str,
    names: Names<'_>,
    facts: &mut Facts,
    watch: Option<&Watch<'_>>,
) -> Result<Value<Expr>> {
    let mut stated = facts.clone();
    let mut mentions = Declarations::new(&mut stated);
    let syntax = parse::open(text, names, &mut mentions)?;
    mentions.declare()?;
    imply_extents(&syntax, &mut stated)?;
    *facts = stated;
    Evaluator { facts, watch }.value(&syntax).map(Cow::into_owned)
}

impl Layout<Expr> {
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
            Value::Layout(layout) => Ok(layout),
            other => Err(Error::operand("layout", "a plain layout", other)),
        }
    }

    /// The layout with each symbol's facts at its first mention, as in the type of a dynamic layout. Reading it back
    /// gives the same layout and the same facts of its symbols.
    ///
    /// ```
    /// use layout_algebra::{Layout, Expr};
    /// let text = "(?,8):(1,?{div=8})";
    /// let (layout, facts) = Layout::<Expr>::parse(text)?;
    /// assert_eq!(layout.to_string(), "(?0,8):(1,?1)");
    /// assert_eq!(layout.annotated(&facts), text);
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn annotated(&self, facts: &Facts) -> String {
        Value::Layout(self.clone()).annotated(facts)
    }
}

impl Op {
    /// The value of a call of these operands under facts that are complete.
    ///
    /// Where no operand has symbols it is [`Op::apply`]'s. Where there is no other answer, but all symbols
    /// have one value each, it is that of these values: a linear layout has no other form.
    ///
    /// ```
    /// use layout_algebra::{Op, Value, Layout, Expr};
    /// let (layout, facts) = Layout::<Expr>::parse("(M,8):(1,M)")?;
    /// let whole = Op::Coalesce.apply_under(&facts, &[Value::Layout(layout)])?;
    /// assert_eq!(whole.to_string(), "8*M:1");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn apply_under(self, facts: &Facts, values: &[Value<Expr>]) -> Result<Value<Expr>> {
        let values: Vec<_> = values.iter().map(Cow::Borrowed).collect();
        Expr::apply(facts, self, &values)
    }
}

/// Whether an operation takes a shape in a place, of which the extents are at least 1 as those of a layout are. In a term
/// that states a fact, as the shape of a layout does; values that come from elsewhere state none.
fn takes_shape(op: Op, place: usize) -> bool {
    use Op::*;
    match op {
        MakeLayout | MakeIdentityLayout | MakeOrderedLayout | CompactColMajor | CompactRowMajor
        | DomainDistribute => place == 0,
        Complement | TileToShape | Idx2Crd | Composition | LogicalDivide | ZippedDivide
        | TiledDivide | FlatDivide | LogicalProduct | ZippedProduct | TiledProduct
        | FlatProduct | BlockedProduct | RakedProduct | Distribute => place == 1,
        _ => false,
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

/// Adds that the extents of layouts, and of shapes that operations take, are at least 1.
fn imply_extents(syntax: &Syntax, facts: &mut Facts) -> Result<()> {
    match syntax {
        TermOf::Literal(_) | TermOf::Form(Form::Symbol(_) | Form::Order(_)) => Ok(()),
        TermOf::Form(Form::Step(multiple, _)) => imply_extents(multiple, facts),
        TermOf::Form(Form::Composed(parts)) => {
            parts.iter().try_for_each(|part| imply_extents(part, facts))
        }
        TermOf::Tiler(entries)
        | TermOf::Form(Form::Tuple(entries) | Form::Arithmetic(_, entries)) => {
            entries.iter().try_for_each(|entry| imply_extents(entry, facts))
        }
        TermOf::Call { op, args } => (0..).zip(args).try_for_each(|(place, arg)| {
            imply_extents(arg, facts)?;
            // The operation refuses what is no shape.
            if takes_shape(*op, place) && imply_shape(arg, &mut facts.clone()).is_ok() {
                return imply_shape(arg, facts);
            }
            Ok(())
        }),
        TermOf::Form(Form::Sum(entries) | Form::Product(entries)) => {
            entries.iter().try_for_each(|(_, entry)| imply_extents(entry, facts))
        }
        TermOf::Form(Form::Layout(parts)) => imply_shape(&parts[0], facts),
    }
}

/// Adds that the extents of a shape are at least 1. Leaf by leaf: one may need what another implies.
fn imply_shape(shape: &Syntax, facts: &mut Facts) -> Result<()> {
    match shape {
        TermOf::Form(Form::Tuple(entries)) => {
            return entries.iter().try_for_each(|entry| imply_shape(entry, facts));
        }
        // A rounded extent is at least 1 where it was.
        TermOf::Call { op: Op::RoundUp, args } if !args.is_empty() => {
            return imply_shape(&args[0], facts);
        }
        _ => {}
    }
    // Errors are those of the evaluation, which comes to the same place.
    let Ok(extents) = (Evaluator { facts, watch: None }).tuple(shape, "shape") else {
        return Ok(());
    };
    extents.leaves().into_iter().try_for_each(|extent| imply_extent(extent, facts))
}

/// Adds that an extent is at least 1, as far as that says something of one symbol: the others of a product are known
/// to be.
fn imply_extent(extent: &Expr, facts: &mut Facts) -> Result<()> {
    let [(product, 1..)] = extent.terms() else { return Ok(()) };
    let mut open = None;
    for (atom, exponent) in product.factors() {
        let Atom::Symbol { name, .. } = atom else { return Ok(()) };
        let Some(symbol) = facts.get(name) else { return Ok(()) };
        if symbol.range().0 < 1 {
            if open.is_some() || *exponent != 1 {
                return Ok(());
            }
            open = Some(symbol.clone());
        }
    }
    match open {
        Some(symbol) => facts.insert(symbol.with_range(1, i64::MAX)?),
        None => Ok(()),
    }
}

impl Facts {
    /// Adds that an extent of a layout is at least 1, as the text of one implies: where the extent is a symbol, or a
    /// multiple of one.
    ///
    /// # Errors
    ///
    /// Facts that contradict it.
    ///
    /// ```
    /// use layout_algebra::Facts;
    /// let mut facts = Facts::new();
    /// let rows = facts.declare("M{div=8}")?;
    /// facts.assume_extent(&rows)?;
    /// assert_eq!(facts.range(&rows).to_string(), "8..2147483640");
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    pub fn assume_extent(&mut self, extent: &Expr) -> Result<()> {
        imply_extent(extent, self)
    }
}

impl Value<Expr> {
    /// The value in normal form under the facts known now; see [`Facts::refresh`].
    pub fn refresh(&self, facts: &Facts) -> Result<Self> {
        self.map_leaves(&mut |leaf| facts.refresh(leaf))
    }
}

impl evaluator::Form<Expr> for Form {
    fn value(&self, evaluator: &Evaluator<'_, Expr>) -> Result<Value<Expr>> {
        evaluator.form(self)
    }
}

impl Evaluator<'_, Expr> {
    fn form(&self, form: &Form) -> Result<Value<Expr>> {
        Ok(match form {
            Form::Tuple(entries) if entries.iter().any(has_steps) => {
                Value::steps(self.nested_steps(entries)?)?
            }
            Form::Tuple(entries) => {
                let entries = entries.iter().map(|entry| self.coord(entry));
                CoordOf::Tuple(entries.collect::<Result<_>>()?).into()
            }
            Form::Layout(parts) => {
                let [shape, stride] = &**parts;
                if has_steps(stride) {
                    let steps = self.steps(stride)?;
                    let shape = self.tuple(shape, "shape")?;
                    return Ok(Value::Basis(BasisLayout::under(self.facts, shape, steps)?));
                }
                let (shape, stride) = (self.tuple(shape, "shape")?, self.tuple(stride, "stride")?);
                Value::Layout(Layout::under(self.facts, shape, stride)?)
            }
            Form::Composed(parts) => self.composed(parts)?,
            Form::Step(multiple, path) => Value::steps(self.multiple(multiple, path)?)?,
            Form::Symbol(name) => Value::Int(self.facts.symbol(name)?),
            Form::Order(_) => return Err(Error::operand("term", "a value", "an order")),
            Form::Sum(entries) => {
                let sum = entries.iter().try_fold(Expr::from(0), |sum, (minus, entry)| {
                    let value = self.operand(entry)?;
                    if *minus { sum.minus(&value) } else { sum.plus(&value) }
                });
                Value::Int(sum?)
            }
            Form::Product(entries) => {
                let product =
                    entries.iter().try_fold(Expr::from(1), |product, (divides, entry)| {
                        let value = self.operand(entry)?;
                        if *divides {
                            self.quotient(&product, &value)
                        } else {
                            product.times(&value)
                        }
                    });
                Value::Int(product?)
            }
            Form::Arithmetic(arithmetic, args) => {
                let [a, b] = args.as_slice() else {
                    return Err(Error::operand(arithmetic.name(), "2 operands", args.len()));
                };
                let f = match arithmetic {
                    Arithmetic::FloorDiv => Facts::floor_div,
                    Arithmetic::CeilDiv => Facts::ceil_div,
                    Arithmetic::Mod => Facts::modulo,
                    Arithmetic::Min => Facts::min,
                    Arithmetic::Max => Facts::max,
                };
                Value::Int(f(self.facts, &self.operand(a)?, &self.operand(b)?)?)
            }
        })
    }

    fn expr(&self, syntax: &Syntax) -> Result<Expr> {
        match self.value(syntax)?.into_owned() {
            Value::Int(expr) => Ok(expr),
            other => Err(Error::operand("expression", "an integer", other)),
        }
    }

    /// Strides of which one at least is a multiple of a basis element.
    fn steps(&self, syntax: &Syntax) -> Result<Nested<Basis<Expr>>> {
        match syntax {
            TermOf::Form(Form::Tuple(entries)) => self.nested_steps(entries),
            TermOf::Literal(Value::Tuple(tuple)) => {
                Ok(tuple.map(&mut |scale| Expr::from(*scale).into()))
            }
            TermOf::Form(Form::Step(multiple, path)) => self.multiple(multiple, path),
            other => Ok(Nested::Leaf(self.expr(other)?.into())),
        }
    }

    fn nested_steps(&self, entries: &[Syntax]) -> Result<Nested<Basis<Expr>>> {
        let entries = entries.iter().map(|entry| self.steps(entry));
        Ok(Nested::Node(entries.collect::<Result<_>>()?))
    }

    fn multiple(&self, multiple: &Syntax, path: &[usize]) -> Result<Nested<Basis<Expr>>> {
        Ok(Nested::Leaf(Basis { scale: self.operand(multiple)?, path: path.to_vec() }))
    }

    /// `outer o offset o inner`.
    fn composed(&self, [outer, offset, inner]: &[Syntax; 3]) -> Result<Value<Expr>> {
        let (outer, inner) = (self.value(outer)?, self.value(inner)?);
        if !matches!(*outer, Value::Swizzle(_) | Value::Layout(_) | Value::Basis(_)) {
            return Err(Error::operand("composed", "a swizzle or a layout before `o`", outer));
        }
        let offset = match (&*outer, &*inner) {
            (Value::Layout(_) | Value::Basis(_), Value::Basis(_)) => {
                self.tuple(offset, "composed")?.into()
            }
            _ => Value::Int(self.operand(offset)?),
        };
        composed_value(self.facts, &outer, &offset, &inner)
            .unwrap_or_else(|| Err(Error::operand("composed", "a layout after `o`", inner)))
    }

    /// An operand of an operator, where parentheses around one entry only group.
    fn operand(&self, syntax: &Syntax) -> Result<Expr> {
        match syntax {
            TermOf::Form(Form::Tuple(entries)) if entries.len() == 1 => self.operand(&entries[0]),
            TermOf::Literal(Value::Tuple(Nested::Node(entries))) => match entries.as_slice() {
                [entry] => self.operand(&TermOf::Literal(entry.clone().into())),
                _ => self.expr(syntax),
            },
            other => self.expr(other),
        }
    }

    fn quotient(&self, of: &Expr, divisor: &Expr) -> Result<Expr> {
        let operands = || format!("{of}, {divisor}");
        Site { operation: "divide", operands: &operands }.exact(self.facts.divide(of, divisor))
    }

    fn coord(&self, syntax: &Syntax) -> Result<CoordOf<Expr>> {
        match self.value(syntax)?.into_owned() {
            Value::Int(expr) => Ok(CoordOf::At(expr)),
            Value::Tuple(tuple) => Ok((&tuple).into()),
            Value::Coord(coord) => Ok(coord),
            other => Err(Error::operand("tuple", "integers, tuples or `_`", other)),
        }
    }

    fn tuple(&self, syntax: &Syntax, what: &'static str) -> Result<Nested<Expr>> {
        let value = self.value(syntax)?;
        let tuple = tuple_of(&value).map(Cow::into_owned);
        tuple.ok_or_else(|| Error::operand(what, "integers or tuples of them", value))
    }
}

/// Whether a stride mentions a basis element.
fn has_steps(syntax: &Syntax) -> bool {
    match syntax {
        TermOf::Form(Form::Tuple(entries)) => entries.iter().any(has_steps),
        other => matches!(other, TermOf::Form(Form::Step(..))),
    }
}
