//! Partly static layouts: dynamic integers are parameters.

use layout_algebra::{
    BasisLayout, ComposedLayout, Expr, Facts, Interpreter, Layout, Outer, Symbol, Width,
};

use crate::{
    error::{Error, Result},
    isl::Context,
    relation::Relation,
    swizzle::unbounded_swizzle_mapping,
    text::names,
};

/// The index mapping of a layout with symbols: from its natural coordinates, one for each leaf, with the
/// symbols, in the order in which they come, as parameters `p0`, `p1`, … of which the relation says what
/// is known.
///
/// Natural coordinates, since a digit of an integral one is a quotient by extents, which ISL has by
/// numbers only.
///
/// # Errors
///
/// Extents and indices that are not affine in symbols and coordinates, such as the product of a stride
/// and a coordinate; a limit.
///
/// ```
/// use layout_algebra::{Value, Facts, evaluate};
/// use layout_relation::{Context, Limits, symbolic_index_mapping};
/// let context = Context::new(Limits::default())?;
/// let mut facts = Facts::new();
/// let text = |layout: &str, facts: &mut Facts| {
///     let Value::Layout(layout) = evaluate(layout, facts).unwrap() else { panic!("a layout") };
///     symbolic_index_mapping(&context, &layout, facts)?.expressions()
/// };
/// assert_eq!(
///     text("(?{div=8 range=8..64},4):(4,1)", &mut facts)?,
///     "[p0] -> { [c0, c1] -> [(4c0 + c1)] : (p0) mod 8 = 0 and 8 <= p0 <= 64 and 0 <= c0 < p0 and \
///      0 <= c1 <= 3 }"
/// );
/// assert_eq!(
///     text("(4,8):(M,1)", &mut facts).unwrap_err().to_string(),
///     "index_mapping((4,8):(M,1)): expected strides that are numbers, where the extent is not 1, found M"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn symbolic_index_mapping(
    context: &Context,
    layout: &Layout<Expr>,
    facts: &Facts,
) -> Result<Relation> {
    Parameters::of(&[], std::slice::from_ref(layout)).mapping(
        context,
        std::slice::from_ref(layout),
        None,
        facts,
        layout.to_string(),
    )
}

/// [`symbolic_index_mapping`] of a layout with symbols into coordinates: its parts side by side, as
/// [`basis_layout_mapping`](crate::basis_layout_mapping) has them.
///
/// # Errors
///
/// As there.
///
/// ```
/// use layout_algebra::{Value, Facts, evaluate};
/// use layout_relation::{Context, Limits, symbolic_basis_mapping};
/// let context = Context::new(Limits::default())?;
/// let mut facts = Facts::new();
/// let value = evaluate("(M{i64},8):(1@1,4@0)", &mut facts);
/// let Ok(Value::Basis(layout)) = value else { panic!("coordinates") };
/// assert_eq!(
///     symbolic_basis_mapping(&context, &layout, &facts)?.expressions()?,
///     "[p0] -> { [c0, c1] -> [(4c1), (c0)] : 0 <= c0 < p0 and 0 <= c1 <= 7 }"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn symbolic_basis_mapping(
    context: &Context,
    layout: &BasisLayout<Expr>,
    facts: &Facts,
) -> Result<Relation> {
    let parts: Vec<_> = layout.components().into_iter().map(|(_, part)| part).collect();
    Parameters::of(&[], &parts).mapping(context, &parts, None, facts, layout.to_string())
}

/// [`symbolic_index_mapping`] of a layout with symbols under a swizzle, or a layout that is known.
///
/// # Errors
///
/// As there; an outer layout that has symbols, or several modes.
pub fn symbolic_composed_mapping(
    context: &Context,
    composed: &ComposedLayout<Expr>,
    facts: &Facts,
) -> Result<Relation> {
    let layouts = std::slice::from_ref(&composed.inner);
    let parameters = Parameters::of(&[&composed.offset], layouts);
    let inner = || {
        let of = composed.inner.to_string();
        parameters.mapping(context, layouts, Some(&composed.offset), facts, of)
    };
    let refused = |expected, found: String| Error::Condition {
        operation: "index_mapping",
        operand: composed.to_string(),
        expected,
        found,
    };
    context.within(|| {
        let outer = match &composed.outer {
            Outer::Swizzle(swizzle) => unbounded_swizzle_mapping(context, swizzle)?,
            Outer::Layout(outer) => {
                let expected = "an outer layout of one mode that is known";
                let outer =
                    outer.to_static().ok_or_else(|| refused(expected, outer.to_string()))?;
                match outer.flat()[..] {
                    [(_, stride)] => {
                        Relation::read(context, &format!("{{ [x] -> [{stride}*x] }}"))?
                    }
                    _ => return Err(refused(expected, outer.to_string())),
                }
            }
        };
        inner()?.then(&outer)
    })
}

/// Symbols by the names of their parameters.
struct Parameters(Vec<String>);

impl Parameters {
    /// The symbols of expressions and of the extents and strides of layouts of one shape, in the order of
    /// the text.
    fn of(before: &[&Expr], layouts: &[Layout<Expr>]) -> Self {
        let flat: Vec<_> = layouts.iter().map(Layout::<Expr>::flat).collect();
        let mut all: Vec<String> = Vec::new();
        let shape = flat.iter().take(1).flatten().map(|(extent, _)| extent);
        let strides = flat.iter().flatten().map(|(_, stride)| stride);
        for expression in before.iter().copied().chain(shape).chain(strides) {
            for name in expression.symbols() {
                if !all.iter().any(|known| **known == *name) {
                    all.push(name.to_string());
                }
            }
        }
        Self(all)
    }

    /// The mapping of layouts of one shape, with a result for each.
    fn mapping(
        &self,
        context: &Context,
        layouts: &[Layout<Expr>],
        offset: Option<&Expr>,
        facts: &Facts,
        operand: String,
    ) -> Result<Relation> {
        let refused = |expected, found: &Expr| Error::Condition {
            operation: "index_mapping",
            operand: operand.clone(),
            expected,
            found: found.to_string(),
        };
        let affine = |expression: &Expr| {
            let expected = "sums of multiples of symbols";
            affine_text(expression, &self.0).ok_or_else(|| refused(expected, expression))
        };
        let mut conditions = self.facts(facts);
        let mut results = Vec::with_capacity(layouts.len());
        let mut dimensions = 0;
        for (number, layout) in layouts.iter().enumerate() {
            let mut index = offset.map(affine).transpose()?.into_iter().collect::<Vec<_>>();
            let flat = layout.flat();
            dimensions = flat.len();
            for (at, (extent, stride)) in flat.iter().enumerate() {
                if number == 0 {
                    // An extent is at least 1 without saying so.
                    let extent_text = affine(extent)?;
                    if extent.as_constant().is_none() {
                        conditions.push(format!("1 <= {extent_text}"));
                    }
                    conditions.push(format!("0 <= c{at} < {extent_text}"));
                }
                match stride.as_constant() {
                    Some(0) => {}
                    Some(stride) => index.push(format!("{stride}*c{at}")),
                    None if extent.is(1) => {}
                    None => {
                        let expected = "strides that are numbers, where the extent is not 1";
                        return Err(refused(expected, stride));
                    }
                }
            }
            results.push(if index.is_empty() { "0".to_owned() } else { index.join(" + ") });
        }
        let parameters: Vec<_> = (0..self.0.len()).map(|at| format!("p{at}")).collect();
        if conditions.is_empty() {
            conditions.push("true".to_owned());
        }
        let text = format!(
            "[{}] -> {{ [{}] -> [{}] : {} }}",
            parameters.join(", "),
            names("c", dimensions),
            results.join(", "),
            conditions.join(" and ")
        );
        Relation::read(context, &text)
    }

    /// The facts of the symbols, in ISL's notation.
    fn facts(&self, facts: &Facts) -> Vec<String> {
        let known = self.0.iter().enumerate();
        known.filter_map(|(at, name)| Some(facts_of(at, facts.get(name)?))).flatten().collect()
    }
}

/// The facts of a symbol, as conditions of the parameter of this number: its divisor, and its
/// range, where that is not all of 64 bits.
pub(crate) fn facts_of(at: usize, symbol: &Symbol) -> Vec<String> {
    let (least, most) = Width::W64.limits();
    let (low, high) = symbol.range();
    let mut all = Vec::new();
    if symbol.divisor() != 1 {
        all.push(format!("p{at} mod {} = 0", symbol.divisor()));
    }
    if low > least {
        all.push(format!("{low} <= p{at}"));
    }
    if high < most {
        all.push(format!("p{at} <= {high}"));
    }
    all
}

/// An expression in ISL's notation, of symbols whose parameters are `p0`, `p1`, … in this order, or `None` for a
/// product of symbols, or a quotient by one.
pub(crate) fn affine_text(expression: &Expr, symbols: &[String]) -> Option<String> {
    expression.interpret(&mut Affine(symbols)).map(|sum| sum.text())
}

/// A number and multiples of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sum {
    constant: i64,
    /// Multiples, each of a parameter's quotient by a divisor that comes out even.
    terms: Vec<(i64, String)>,
}

impl Sum {
    fn text(&self) -> String {
        let mut parts: Vec<_> =
            self.terms.iter().map(|(factor, name)| format!("{factor}*{name}")).collect();
        if self.constant != 0 || parts.is_empty() {
            parts.push(self.constant.to_string());
        }
        format!("({})", parts.join(" + "))
    }
}

/// Reads expressions as [`Sum`]s; those that are none have no value.
struct Affine<'p>(&'p [String]);

impl Interpreter for Affine<'_> {
    type Value = Sum;

    fn constant(&mut self, value: i64) -> Option<Sum> {
        Some(Sum { constant: value, terms: Vec::new() })
    }

    fn symbol(&mut self, name: &str, divisor: i64) -> Option<Sum> {
        let at = self.0.iter().position(|known| known == name)?;
        let text = match divisor {
            1 => format!("p{at}"),
            _ => format!("floor(p{at}/{divisor})"),
        };
        Some(Sum { constant: 0, terms: vec![(1, text)] })
    }

    fn plus(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let terms = a.terms.iter().chain(&b.terms).cloned().collect();
        Some(Sum { constant: a.constant.checked_add(b.constant)?, terms })
    }

    fn times(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let (factor, sum) = match (&a.terms[..], &b.terms[..]) {
            ([], _) => (a.constant, b),
            (_, []) => (b.constant, a),
            _ => return None,
        };
        let scaled = |(by, name): &(i64, String)| Some((by.checked_mul(factor)?, name.clone()));
        Some(Sum {
            constant: sum.constant.checked_mul(factor)?,
            terms: sum.terms.iter().map(scaled).collect::<Option<_>>()?,
        })
    }

    fn floor_div(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let divisor = if b.terms.is_empty() && b.constant > 0 { b.constant } else { return None };
        Some(Sum { constant: 0, terms: vec![(1, format!("floor({}/{divisor})", a.text()))] })
    }

    fn min(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        Some(Sum { constant: 0, terms: vec![(1, format!("min({}, {})", a.text(), b.text()))] })
    }
}
