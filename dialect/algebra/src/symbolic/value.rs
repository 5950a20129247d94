//! Values with symbols as a whole: what they mention, other names for it, and one spelling of all
//! that differ by names alone.

use super::{
    basis::{map_steps, symbolic_steps},
    display,
    error::Result,
    expr::{Atom, Expr},
    facts::Facts,
    layout::SymbolicLayout,
    substitute::Values,
    symbol::Symbol,
    tuple::{SymbolicCoord, SymbolicTiler, SymbolicTuple},
};
use crate::{ComposedLayout, Outer, Tuple, Value};
use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};

/// Renamings after which a value is taken to go round in a circle of spellings.
const ROUNDS: usize = 8;

/// A value whose symbols are called `?0`, `?1`, … in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The value.
    pub value: Value<Expr>,
    /// What is known of its symbols, and of no others.
    pub facts: Facts,
    /// What each symbol was called before, by its number.
    pub names: Vec<String>,
}

impl Value<Expr> {
    /// The same without symbols, if it has none.
    pub fn to_static(&self) -> Option<Value> {
        Some(match self {
            Self::Int(expr) => Value::Int(expr.as_constant()?),
            Self::Tuple(tuple) => Value::Tuple(tuple.to_static()?),
            Self::Coord(coord) => Value::Coord(coord.to_static()?),
            Self::Layout(layout) => Value::Layout(layout.to_static()?),
            Self::Composed(composed) => Value::Composed(composed.to_static()?),
            Self::Basis(layout) => Value::Basis(layout.to_static()?),
            Self::Steps(steps) => {
                Value::Steps(map_steps(steps, &mut |scale| scale.as_constant().ok_or(())).ok()?)
            }
            Self::Swizzle(swizzle) => Value::Swizzle(*swizzle),
            Self::Linear(linear) => Value::Linear(linear.clone()),
            Self::Bool(value) => Value::Bool(*value),
            Self::Tiler(tiler) => Value::Tiler(tiler.to_static()?),
            Self::List(values) => {
                Value::List(values.iter().map(Self::to_static).collect::<Option<_>>()?)
            }
        })
    }

    /// The names of its symbols, in the order in which its text mentions them.
    pub fn symbols(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut note = |name: &str, _: &mut dyn core::fmt::Write| {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            Ok(())
        };
        // Writing to a string does not fail.
        let _ = display::value(self, &mut note, &mut String::new());
        names
    }

    /// The value with each symbol's facts at its first mention; see
    /// [`Layout::annotated`](crate::Layout::annotated).
    pub fn annotated(&self, facts: &Facts) -> String {
        display::annotated(self, facts)
    }

    /// The value with other names for its symbols, and a table of what is known of these: a
    /// symbol's own facts, no relations between symbols.
    ///
    /// # Errors
    ///
    /// Names that are no symbol's; two symbols with one new name that exclude each other.
    pub fn renamed(&self, facts: &Facts, rename: &dyn Fn(&str) -> String) -> Result<(Self, Facts)> {
        let mut table = Facts::new();
        for name in self.symbols() {
            let Some(known) = facts.get(&name) else { continue };
            let (lo, hi) = known.range();
            table.insert(
                Symbol::new(&rename(&name), known.width())?
                    .with_divisor(known.divisor())?
                    .with_range(lo, hi)?,
            )?;
        }
        let value = self.map(&mut |expr| {
            table.rebuild(expr, &mut |name, divisor| {
                let name = Symbol::new(&rename(name), super::Width::W64)?.shared_name();
                Ok(Expr::atom(Atom::Symbol { name, divisor }))
            })
        })?;
        Ok((value, table))
    }

    /// The one spelling of all values that differ from this by the names of symbols alone, as far as
    /// that is found; that of a spelling is itself.
    ///
    /// ```
    /// use layout_algebra::{Value, Layout, Expr};
    /// let (layout, facts) = Layout::<Expr>::parse("(N,(8,M{div=4})):(M,(1,2))")?;
    /// let canonical = Value::Layout(layout).canonical(&facts)?;
    /// assert_eq!(canonical.value.annotated(&canonical.facts), "(?,(8,?1{div=4})):(?1,(1,2))");
    /// assert_eq!(canonical.names, ["N", "M"]);
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Limits.
    pub fn canonical(&self, facts: &Facts) -> Result<Canonical> {
        let mut current = Canonical::of(self, facts, &|name| name.to_owned())?;
        // The order of a sum's terms depends on names, so a renaming may ask for another.
        let mut least: Option<(String, Canonical)> = None;
        let mut seen = BTreeSet::new();
        for _ in 0..ROUNDS {
            let text = current.value.annotated(&current.facts);
            if !seen.insert(text.clone()) {
                break;
            }
            if least.as_ref().is_none_or(|(known, _)| text < *known) {
                least = Some((text, current.clone()));
            }
            if current.is_settled() {
                return Ok(current);
            }
            current =
                Canonical::of(&current.value, &current.facts, &|name| current.original(name))?;
        }
        Ok(least.map_or(current, |(_, canonical)| canonical))
    }

    /// The value with its symbols called `?0`, `?1`, … in a given order; none where its text cannot
    /// mention them in this order: `(a+b)*c` is `a*c+b*c`, which has `b` behind `c`.
    ///
    /// ```
    /// use layout_algebra::{Facts, evaluate};
    /// let mut facts = Facts::new();
    /// let value = evaluate("(min(a{div=4},b{range=..65}),a)", &mut facts)?;
    /// let numbered = |first: &str, second: &str| {
    ///     let numbered = value.numbered(&facts, &[first.to_owned(), second.to_owned()]);
    ///     numbered.map(|value| value.map(|value| value.value.to_string()))
    /// };
    /// assert_eq!(numbered("a", "b")?.as_deref(), Some("(min(?0,?1),?0)"));
    /// assert_eq!(numbered("b", "a")?.as_deref(), Some("(min(?0,?1),?1)"));
    /// # Ok::<(), layout_algebra::integer::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Limits.
    pub fn numbered(&self, facts: &Facts, order: &[String]) -> Result<Option<Canonical>> {
        let mentioned = self.symbols();
        let names: Vec<String> =
            order.iter().filter(|name| mentioned.contains(name)).cloned().collect();
        let number = |name: &str| {
            let place = names.iter().position(|known| known == name).unwrap_or(names.len());
            format!("?{place}")
        };
        let (value, facts) = self.renamed(facts, &number)?;
        let numbered = Canonical { value, facts, names };
        Ok(numbered.is_settled().then_some(numbered))
    }

    /// The value at chosen values.
    ///
    /// # Errors
    ///
    /// A symbol without a value; overflow; a layout that is none at these values.
    pub fn substitute(&self, values: &Values) -> Result<Value> {
        Ok(match self {
            Self::Int(expr) => Value::Int(values.evaluate(expr)?),
            Self::Tuple(tuple) => Value::Tuple(tuple.substitute(values)?),
            Self::Coord(coord) => Value::Coord(coord.substitute(values)?),
            Self::Layout(layout) => Value::Layout(layout.substitute(values)?),
            Self::Composed(composed) => Value::Composed(composed.substitute(values)?),
            Self::Basis(layout) => Value::Basis(layout.substitute(values)?),
            Self::Steps(steps) => {
                Value::Steps(map_steps(steps, &mut |scale| values.evaluate(scale))?)
            }
            Self::Tiler(tiler) => Value::Tiler(tiler.substitute(values)?),
            Self::Swizzle(swizzle) => Value::Swizzle(*swizzle),
            Self::Linear(linear) => Value::Linear(linear.clone()),
            Self::Bool(value) => Value::Bool(*value),
            Self::List(list) => {
                let list = list.iter().map(|value| value.substitute(values));
                Value::List(list.collect::<Result<_>>()?)
            }
        })
    }

    /// A value without symbols as one that may have some.
    pub(super) fn fixed(value: Value) -> Self {
        match value {
            Value::Int(value) => Self::Int(Expr::from(value)),
            Value::Tuple(tuple) => Self::Tuple((&tuple).into()),
            Value::Coord(coord) => Self::Coord((&coord).into()),
            Value::Layout(layout) => Self::Layout((&layout).into()),
            Value::Composed(composed) => Self::Composed((&composed).into()),
            Value::Basis(layout) => Self::Basis((&layout).into()),
            Value::Steps(stride) => Self::Steps(symbolic_steps(&stride)),
            Value::Tiler(tiler) => Self::Tiler((&tiler).into()),
            Value::List(values) => Self::List(values.into_iter().map(Self::fixed).collect()),
            Value::Swizzle(swizzle) => Self::Swizzle(swizzle),
            Value::Linear(linear) => Self::Linear(linear),
            Value::Bool(value) => Self::Bool(value),
        }
    }

    /// The same kind of value with other expressions.
    pub(crate) fn map(&self, f: &mut dyn FnMut(&Expr) -> Result<Expr>) -> Result<Self> {
        Ok(match self {
            Self::Int(expr) => Self::Int(f(expr)?),
            Self::Tuple(tuple) => Self::Tuple(tuple.map(f)?),
            Self::Coord(coord) => Self::Coord(map_coord(coord, f)?),
            Self::Layout(layout) => Self::Layout(map_layout(layout, f)?),
            Self::Composed(ComposedLayout { outer, offset, inner }) => {
                let outer = match outer {
                    Outer::Swizzle(swizzle) => Outer::Swizzle(*swizzle),
                    Outer::Layout(layout) => Outer::Layout(map_layout(layout, f)?),
                };
                let (offset, inner) = (f(offset)?, map_layout(inner, f)?);
                Self::Composed(ComposedLayout { outer, offset, inner })
            }
            Self::Basis(layout) => Self::Basis(layout.map(f)?),
            Self::Steps(steps) => Self::Steps(map_steps(steps, f)?),
            Self::Swizzle(_) | Self::Linear(_) | Self::Bool(_) => self.clone(),
            Self::Tiler(tiler) => Self::Tiler(map_tiler(tiler, f)?),
            Self::List(values) => {
                Self::List(values.iter().map(|value| value.map(f)).collect::<Result<_>>()?)
            }
        })
    }

    /// Visits the shapes of the layouts that it is or holds.
    pub(super) fn visit_shapes<'v>(&'v self, visit: &mut dyn FnMut(&'v SymbolicTuple)) {
        match self {
            Self::Int(_)
            | Self::Tuple(_)
            | Self::Coord(_)
            | Self::Steps(_)
            | Self::Swizzle(_)
            | Self::Linear(_)
            | Self::Bool(_) => {}
            Self::Layout(layout) => visit(layout.shape()),
            Self::Composed(composed) => {
                if let Outer::Layout(outer) = &composed.outer {
                    visit(outer.shape());
                }
                visit(composed.inner.shape());
            }
            Self::Basis(layout) => visit(layout.shape()),
            Self::Tiler(tiler) => visit_tiler(tiler, visit),
            Self::List(values) => values.iter().for_each(|value| value.visit_shapes(visit)),
        }
    }
}

impl Canonical {
    /// A value with its symbols numbered in the order of its text; what they were called at first.
    fn of(value: &Value<Expr>, facts: &Facts, original: &dyn Fn(&str) -> String) -> Result<Self> {
        let order = value.symbols();
        let number = |name: &str| {
            let place = order.iter().position(|known| known == name).unwrap_or(order.len());
            format!("?{place}")
        };
        let (value, facts) = value.renamed(facts, &number)?;
        Ok(Self { value, facts, names: order.iter().map(|name| original(name)).collect() })
    }

    /// What a numbered symbol was called at first.
    fn original(&self, name: &str) -> String {
        name.strip_prefix('?')
            .and_then(|number| number.parse::<usize>().ok())
            .and_then(|number| self.names.get(number).cloned())
            .unwrap_or_else(|| name.to_owned())
    }

    /// Whether symbols are numbered in the order of the text.
    fn is_settled(&self) -> bool {
        self.value.symbols().iter().enumerate().all(|(i, name)| *name == format!("?{i}"))
    }
}

fn map_layout(
    layout: &SymbolicLayout,
    f: &mut dyn FnMut(&Expr) -> Result<Expr>,
) -> Result<SymbolicLayout> {
    Ok(SymbolicLayout::known(layout.shape().map(f)?, layout.stride().map(f)?))
}

fn map_coord(
    coord: &SymbolicCoord,
    f: &mut dyn FnMut(&Expr) -> Result<Expr>,
) -> Result<SymbolicCoord> {
    Ok(match coord {
        SymbolicCoord::At(expr) => SymbolicCoord::At(f(expr)?),
        SymbolicCoord::Any => SymbolicCoord::Any,
        SymbolicCoord::Tuple(entries) => SymbolicCoord::Tuple(
            entries.iter().map(|entry| map_coord(entry, f)).collect::<Result<_>>()?,
        ),
    })
}

fn map_tiler(
    tiler: &SymbolicTiler,
    f: &mut dyn FnMut(&Expr) -> Result<Expr>,
) -> Result<SymbolicTiler> {
    Ok(match tiler {
        SymbolicTiler::Layout(layout) => SymbolicTiler::Layout(map_layout(layout, f)?),
        SymbolicTiler::Any => SymbolicTiler::Any,
        SymbolicTiler::Tuple(entries) => SymbolicTiler::Tuple(
            entries.iter().map(|entry| map_tiler(entry, f)).collect::<Result<_>>()?,
        ),
    })
}

fn visit_tiler<'v>(tiler: &'v SymbolicTiler, visit: &mut dyn FnMut(&'v SymbolicTuple)) {
    match tiler {
        SymbolicTiler::Layout(layout) => visit(layout.shape()),
        SymbolicTiler::Any => {}
        SymbolicTiler::Tuple(entries) => {
            entries.iter().for_each(|entry| visit_tiler(entry, visit));
        }
    }
}

impl From<&Value> for Value<Expr> {
    /// A value without symbols as one that may stand beside some that have them.
    fn from(value: &Value) -> Self {
        Self::fixed(value.clone())
    }
}

impl From<&Tuple> for Value<Expr> {
    fn from(tuple: &Tuple) -> Self {
        SymbolicTuple::from(tuple).into()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Facts, evaluate};
    use alloc::{
        format,
        string::{String, ToString},
        vec::Vec,
    };

    fn canonical(text: &str) -> (String, Vec<String>) {
        let mut facts = Facts::new();
        let value = evaluate(text, &mut facts).expect("a value");
        let canonical = value.canonical(&facts).expect("a spelling");
        (canonical.value.annotated(&canonical.facts), canonical.names)
    }

    #[test]
    fn values_that_differ_by_names_have_one_spelling() {
        for (one, other) in [
            ("(M,8):(1,N)", "(B,8):(1,A)"),
            ("(?1,?0)", "(?,?)"),
            ("(b+a,b)", "(x+y,y)"),
            ("(a*b+c,c)", "(c*b+a,a)"),
            ("<M:1, _, (N{div=4},2):(1,M)>", "<Z:1, _, (B{div=4},2):(1,Z)>"),
        ] {
            assert_eq!(canonical(one).0, canonical(other).0, "{one} and {other}");
        }
    }

    #[test]
    fn a_spelling_is_its_own() {
        for text in
            ["(?1,?0)", "(b+a,b)", "(c*b+a,a,b)", "((x,y),ceil_div(y,x{range=1..}))", "z-a+3"]
        {
            let (spelling, names) = canonical(text);
            let (again, numbers) = canonical(&spelling);
            assert_eq!(again, spelling);
            let expected: Vec<_> = (0..names.len()).map(|i| format!("?{i}")).collect();
            assert_eq!(numbers, expected, "{spelling}");
        }
    }

    #[test]
    fn one_extent_may_need_what_another_implies() {
        let text = "(?0,ceil_div(2*?{range=1..},?0)):(1,4*?0)";
        assert_eq!(canonical(text).0, text);
    }

    #[test]
    fn names_lead_back() {
        let text = "(?1,?0+4)";
        let mut facts = Facts::new();
        let value = evaluate(text, &mut facts).expect("a value");
        let canonical = value.canonical(&facts).expect("a spelling");
        assert_eq!(canonical.value.to_string(), "(?0,?1+4)");
        assert_eq!(canonical.names, ["?1", "?0"]);
        let names = canonical.names;
        let back = |name: &str| names[name[1..].parse::<usize>().expect("a number")].clone();
        let (value, _) = canonical.value.renamed(&canonical.facts, &back).expect("renamed");
        assert_eq!(value.to_string(), text);
    }
}
