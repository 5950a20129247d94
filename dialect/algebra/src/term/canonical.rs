//! Values with symbols: the symbols that they mention, renaming, and one spelling for all values that differ in names
//! alone.

use super::{Value, open::implied};
use crate::term::prelude::*;
use crate::{
    integer::{
        Facts, Result, Symbol, Width,
        display::{self, Naming},
        expr::Atom,
    },
    layout::stride::Stride,
    swizzle::Outer,
};
use alloc::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use core::fmt::{self, Write};

/// The number of renamings after which the spellings are taken to form a cycle.
const MAX_RENAMINGS: usize = 8;

/// A value whose symbols are called `?0`, `?1`, … in the order of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The value.
    pub value: Value<Expr>,
    /// The facts of its symbols, and of no others.
    pub facts: Facts,
    /// The name of each symbol before, by its number.
    pub names: Vec<String>,
}

impl Value<Expr> {
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
        let _ = self.write_named(&mut note, &mut String::new());
        names
    }

    /// The names of its symbols, in alphabetical order: what no text has to be written for.
    pub fn mentioned(&self) -> BTreeSet<Arc<str>> {
        let mut names = BTreeSet::new();
        let mut leaf = |expr: &Expr, _: &mut String| {
            expr.visit_symbols(&mut |name, _| {
                if !name.contains('@') && !names.contains(name) {
                    names.insert(name.clone());
                }
            });
            Ok(())
        };
        // Writing to a string does not fail.
        let _ = self.write_by(&mut String::new(), &mut leaf);
        names
    }

    /// Writes the value, with the names of its symbols.
    pub(crate) fn write_named(&self, naming: &mut Naming<'_>, f: &mut dyn Write) -> fmt::Result {
        display::in_order(&|leaf, f| self.write_by(f, &mut |of, f| leaf(of, f)), naming, f)
    }

    /// The value with each symbol's facts at its first mention; see
    /// [`Layout::annotated`](crate::Layout::annotated).
    ///
    /// A symbol without a name is written `?` where the reader gives it the same number again: where it
    /// is mentioned once and all lower numbers came before.
    pub fn annotated(&self, facts: &Facts) -> String {
        let mut mentions: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = |name: &str, _: &mut dyn Write| {
            *mentions.entry(name.to_owned()).or_default() += 1;
            Ok(())
        };
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_named(&mut count, &mut text);
        text.clear();
        let mut implied_by: BTreeSet<&str> = BTreeSet::new();
        self.visit_extents(&mut |extent| implied_by.extend(implied(extent)));
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let mut next = 0_usize;
        let mut naming = |name: &str, f: &mut dyn Write| {
            while seen.contains(&format!("?{next}")) {
                next += 1;
            }
            let again = mentions.get(name) == Some(&1) && name == format!("?{next}");
            let first = seen.insert(name.to_owned());
            f.write_str(if again { "?" } else { name })?;
            match facts.get(name) {
                Some(symbol) if first => f.write_str(&symbol.annotation(implied_by.contains(name))),
                _ => Ok(()),
            }
        };
        let _ = self.write_named(&mut naming, &mut text);
        text
    }

    /// Visits the extents of the layouts that it is or holds.
    fn visit_extents<'v>(&'v self, visit: &mut impl FnMut(&'v Expr)) {
        fn tiler<'v, S: Stride<Expr>>(
            of: &'v TilerOf<Layout<Expr, S>>,
            visit: &mut impl FnMut(&'v Expr),
        ) {
            match of {
                TilerOf::Layout(layout) => layout.shape().leaves().into_iter().for_each(visit),
                TilerOf::Any => {}
                TilerOf::Tuple(entries) => entries.iter().for_each(|entry| tiler(entry, visit)),
            }
        }
        fn shapes(of: &ComposedLayout<Expr>) -> impl Iterator<Item = &Nested<Expr>> {
            let outer = match &of.outer {
                Outer::Layout(outer) => Some(outer.shape()),
                Outer::Swizzle(_) => None,
            };
            outer.into_iter().chain([of.inner.shape()])
        }
        let mut of_shape =
            |shape: &'v Nested<Expr>| shape.leaves().into_iter().for_each(&mut *visit);
        match self {
            Self::Layout(layout) => of_shape(layout.shape()),
            Self::Basis(layout) => of_shape(layout.shape()),
            Self::Composed(composed) => shapes(composed).for_each(of_shape),
            Self::ComposedBasis(composed) => {
                of_shape(composed.outer.shape());
                match &composed.inner {
                    AnyLayout::Plain(layout) => of_shape(layout.shape()),
                    AnyLayout::Composed(inner) => shapes(inner).for_each(of_shape),
                }
            }
            Self::Tiler(of) => tiler(of, visit),
            Self::CoordinateTiler(of) => tiler(of, visit),
            Self::List(values) => values.iter().for_each(|value| value.visit_extents(visit)),
            _ => {}
        }
    }

    /// The value with other names for its symbols, and a table of their facts: a
    /// symbol's own facts, no relations between symbols.
    ///
    /// # Errors
    ///
    /// Names that are no symbol's; two symbols with one new name that exclude each other.
    pub fn renamed(&self, facts: &Facts, rename: &dyn Fn(&str) -> String) -> Result<(Self, Facts)> {
        let mut table = Facts::new();
        for name in self.mentioned() {
            let Some(known) = facts.get(&name) else { continue };
            let (lo, hi) = known.range();
            table.insert(
                Symbol::new(&rename(&name), known.width())?
                    .with_divisor(known.divisor())?
                    .with_range(lo, hi)?,
            )?;
        }
        let value = self.map_leaves(&mut |expr| {
            table.rebuild(expr, &mut |name, divisor| {
                let name = Symbol::new(&rename(name), Width::W64)?.shared_name();
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
    pub fn canonical(&self, facts: &Facts) -> Result<Canonical> {
        let mut current = Canonical::of(self, facts, &|name| name.to_owned())?;
        // The order of a sum's terms depends on names, so a renaming may require another.
        let mut least: Option<(String, Canonical)> = None;
        let mut seen = BTreeSet::new();
        for _ in 0..MAX_RENAMINGS {
            if current.is_settled() {
                return Ok(current);
            }
            let text = current.value.annotated(&current.facts);
            if !seen.insert(text.clone()) {
                break;
            }
            if least.as_ref().is_none_or(|(known, _)| text < *known) {
                least = Some((text, current.clone()));
            }
            current =
                Canonical::of(&current.value, &current.facts, &|name| current.original(name))?;
        }
        Ok(least.map_or(current, |(_, canonical)| canonical))
    }

    /// The value with its symbols called `?0`, `?1`, … in a given order, or `None` if its text cannot
    /// mention them in this order: `(a+b)*c` is `a*c+b*c`, which has `b` after `c`.
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
    pub fn numbered(&self, facts: &Facts, order: &[String]) -> Result<Option<Canonical>> {
        let mentioned = self.mentioned();
        let names: Vec<String> =
            order.iter().filter(|name| mentioned.contains(name.as_str())).cloned().collect();
        let numbered = Canonical::ordered(self, facts, names)?;
        Ok(numbered.is_settled().then_some(numbered))
    }
}

impl Canonical {
    /// A value with its symbols numbered in the order of its text; what they were called at first.
    fn of(value: &Value<Expr>, facts: &Facts, original: &dyn Fn(&str) -> String) -> Result<Self> {
        let mut canonical = Self::ordered(value, facts, value.symbols())?;
        canonical.names.iter_mut().for_each(|name| *name = original(name));
        Ok(canonical)
    }

    /// A value with its symbols numbered in an order.
    fn ordered(value: &Value<Expr>, facts: &Facts, names: Vec<String>) -> Result<Self> {
        let number = |name: &str| {
            let place = names.iter().position(|known| known == name).unwrap_or(names.len());
            format!("?{place}")
        };
        let (value, facts) = value.renamed(facts, &number)?;
        Ok(Self { value, facts, names })
    }

    /// The first name of a numbered symbol.
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
