//! Integer sets, and relations between integer tuples.

use std::fmt;

use crate::{
    error::{Error, Result},
    isl::{Context, Dim, Map, PwMultiAff, Set},
    quasi::Formula,
    recover::extents_of_expressions,
    text::{image_text, limits, tuple_text},
};

/// The most coordinates that are compared one by one.
const MAX_ENUMERATED: i64 = 1 << 16;

/// A set of integer tuples of one length, as ISL has it.
#[derive(Clone)]
pub struct IntegerSet {
    pub(crate) set: Set,
}

/// A relation between integer tuples: a mapping, where it is single-valued.
///
/// Mappings need not be layouts: triangular domains, domains with holes and shuffles such as
/// `-3c mod 16` are relations like any other.
///
/// ```
/// use layout_relation::{Context, Limits, Relation};
/// let context = Context::new(Limits::default())?;
/// let fan = Relation::parse(&context, "{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }")?;
/// assert_eq!(fan.at(&[5])?, Some(vec![1]));
/// assert!(fan.is_injective()?);
/// let twice = fan.then(&fan)?;
/// assert_eq!(twice.solved()?, "{ [c] -> [((-7c) mod 16)] : 0 <= c <= 15 }");
/// # Ok::<(), layout_relation::Error>(())
/// ```
#[derive(Clone)]
pub struct Relation {
    pub(crate) map: Map,
    /// The same as expressions, where they are known without solving for them: one after the
    /// other, since the expressions of a composition may be much longer.
    pub(crate) functions: Option<Vec<PwMultiAff>>,
}

/// Where two relations differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Parameters by name.
    pub parameters: Vec<(String, i64)>,
    /// The tuple on the left.
    pub coordinate: Vec<i64>,
    /// The one's least image of it, or none.
    pub left: Option<Vec<i64>>,
    /// The other's.
    pub right: Option<Vec<i64>>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right) = (image_text(self.left.as_deref()), image_text(self.right.as_deref()));
        write!(f, "{left} and {right} at coordinate {}", tuple_text(&self.coordinate))?;
        for (at, (name, value)) in self.parameters.iter().enumerate() {
            write!(f, "{} {name} = {value}", if at == 0 { " where" } else { "," })?;
        }
        Ok(())
    }
}

impl IntegerSet {
    /// Reads ISL's notation: `{ [i, j] : 0 <= i < 4 and 0 <= j < i }`.
    ///
    /// # Errors
    ///
    /// Text that is no set; a limit.
    pub fn parse(context: &Context, text: &str) -> Result<Self> {
        limits::check(text)?;
        context.read_set(text).map(Self::from).map_err(|error| unread(error, "a set", text))
    }

    /// The set in ISL's notation.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn text(&self) -> Result<String> {
        self.set.text()
    }

    /// The length of the tuples.
    ///
    /// # Errors
    ///
    /// ISL's.
    pub fn dimensions(&self) -> Result<usize> {
        self.set.dim()
    }

    /// Whether there is no tuple.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn is_empty(&self) -> Result<bool> {
        self.set.is_empty()
    }

    /// Whether both have the same tuples.
    ///
    /// # Errors
    ///
    /// A limit; different contexts.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.set.is_equal(&other.set)
    }

    /// Whether all tuples are in the other set.
    ///
    /// # Errors
    ///
    /// A limit; different contexts.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.set.is_subset(&other.set)
    }

    /// The tuples in both.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        Ok(self.set.intersect(&other.set)?.coalesce()?.into())
    }

    /// The tuples in either.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn union(&self, other: &Self) -> Result<Self> {
        Ok(self.set.union(&other.set)?.coalesce()?.into())
    }

    /// The tuples that are not in the other.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        Ok(self.set.subtract(&other.set)?.coalesce()?.into())
    }

    /// The constraints that a tuple of `known` still needs to be in this set.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn gist(&self, known: &Self) -> Result<Self> {
        Ok(self.set.coalesce()?.gist(&known.set)?.into())
    }

    /// The images of the tuples.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn image(&self, relation: &Relation) -> Result<Self> {
        Ok(self.set.apply(&relation.map)?.coalesce()?.into())
    }

    /// The lexicographically least tuple, or `None` for an empty set.
    ///
    /// # Errors
    ///
    /// No least tuple; a limit; numbers past 64 bits.
    pub fn least(&self) -> Result<Option<Vec<i64>>> {
        self.set.lexmin()?.point()
    }

    /// The lexicographically greatest tuple, or `None` for an empty set.
    ///
    /// # Errors
    ///
    /// No greatest tuple; a limit; numbers past 64 bits.
    pub fn greatest(&self) -> Result<Option<Vec<i64>>> {
        self.set.lexmax()?.point()
    }

    /// The least tuple, or any tuple where none is least. `None` for an empty set.
    ///
    /// # Errors
    ///
    /// A limit; numbers past 64 bits; parameters.
    pub fn element(&self) -> Result<Option<Vec<i64>>> {
        match self.least() {
            Err(Error::Isl { .. }) => self.set.point(),
            found => found,
        }
    }

    /// How many tuples there are.
    ///
    /// # Errors
    ///
    /// A set without bounds; a limit; a number past 64 bits.
    pub fn count(&self) -> Result<i64> {
        if !self.set.is_bounded()? {
            return Err(Error::Condition {
                operation: "count",
                operand: self.text()?,
                expected: "a bounded set",
                found: "one without bounds".to_owned(),
            });
        }
        self.set.count()?.number()
    }

    /// Whether a tuple is in the set.
    ///
    /// # Errors
    ///
    /// A tuple of another length; a limit.
    pub fn contains(&self, tuple: &[i64]) -> Result<bool> {
        let one = singleton(self.set.context(), tuple)?;
        one.is_subset(&self.set)
    }
}

impl From<Set> for IntegerSet {
    fn from(set: Set) -> Self {
        Self { set }
    }
}

impl From<Map> for Relation {
    fn from(map: Map) -> Self {
        Self { map, functions: None }
    }
}

impl Relation {
    /// Reads ISL's notation: `{ [c] -> [2c] : 0 <= c < 8 }`.
    ///
    /// # Errors
    ///
    /// Text that is no relation; a limit.
    pub fn parse(context: &Context, text: &str) -> Result<Self> {
        limits::check(text)?;
        Self::read(context, text).map_err(|error| unread(error, "a relation", text))
    }

    /// A relation of text that needs no check, such as this crate's own.
    pub(crate) fn read(context: &Context, text: &str) -> Result<Self> {
        context.within(|| {
            let map = context.read_map(text)?;
            // Text whose right side is no expressions of the left is a relation all the same.
            let functions = context.read_function(text).ok().map(|function| vec![function]);
            Ok(Self { map, functions })
        })
    }

    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        self.map.context()
    }

    /// The relation in ISL's notation, by constraints.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn text(&self) -> Result<String> {
        self.map.text()
    }

    /// The relation in ISL's notation, by quasi-affine expressions: those it was made of, or those
    /// of [`Relation::solved`] where it was not.
    ///
    /// # Errors
    ///
    /// A relation that is not single-valued; a limit.
    pub fn expressions(&self) -> Result<String> {
        self.context().within(|| self.function()?.text())
    }

    /// The expressions that it was made of, put into each other, or those that ISL finds.
    pub(crate) fn function(&self) -> Result<PwMultiAff> {
        let Some((first, rest)) = self.functions.as_ref().and_then(|f| f.split_first()) else {
            return self.map.to_pw_multi_aff();
        };
        rest.iter().try_fold(first.clone(), |all, next| next.pullback(&all))
    }

    /// The relation in ISL's notation, by the quasi-affine expressions that ISL finds for its
    /// constraints, as the paper prints it.
    ///
    /// # Errors
    ///
    /// A relation that is not single-valued; a limit, for swizzles sooner than for layouts.
    pub fn solved(&self) -> Result<String> {
        self.context().within(|| self.map.to_pw_multi_aff()?.text())
    }

    /// The lengths of the tuples on the left and on the right.
    ///
    /// # Errors
    ///
    /// ISL's.
    pub fn dimensions(&self) -> Result<(usize, usize)> {
        Ok((self.map.dim(Dim::In)?, self.map.dim(Dim::Out)?))
    }

    /// How many parameters there are: numbers that hold for all of the relation, `n` of
    /// `[n] -> { [c] -> [2c] : 0 <= c < n }`.
    ///
    /// # Errors
    ///
    /// ISL's.
    pub fn parameters(&self) -> Result<usize> {
        self.map.dim(Dim::Param)
    }

    /// Tuples that have an image.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn domain(&self) -> Result<IntegerSet> {
        Ok(self.map.domain()?.coalesce()?.into())
    }

    /// Tuples that are an image.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn range(&self) -> Result<IntegerSet> {
        Ok(self.map.range()?.coalesce()?.into())
    }

    /// First this relation, then `next`: `next o self`.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn then(&self, next: &Self) -> Result<Self> {
        let map = self.map.apply_range(&next.map)?;
        let functions = match (&self.functions, &next.functions) {
            (Some(first), Some(next)) => Some(first.iter().chain(next).cloned().collect()),
            _ => None,
        };
        Ok(Self { map, functions })
    }

    /// Each pair turned around.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn inverse(&self) -> Result<Self> {
        Ok(self.map.reverse()?.into())
    }

    /// The pairs whose left side is in a set.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn on(&self, domain: &IntegerSet) -> Result<Self> {
        self.context().within(|| {
            let map = self.map.intersect_domain(&domain.set)?;
            let mut functions = self.functions.clone();
            if let Some(first) = functions.as_mut().and_then(|functions| functions.first_mut()) {
                *first = first.restrict(&domain.set)?;
            }
            Ok(Self { map, functions })
        })
    }

    /// The pairs whose right side is in a set.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn onto(&self, range: &IntegerSet) -> Result<Self> {
        Ok(self.map.intersect_range(&range.set)?.into())
    }

    /// The pairs of both.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn intersect(&self, other: &Self) -> Result<Self> {
        Ok(self.map.intersect(&other.map)?.into())
    }

    /// The pairs of either.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn union(&self, other: &Self) -> Result<Self> {
        Ok(self.map.union(&other.map)?.into())
    }

    /// The pairs that are not in the other.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn subtract(&self, other: &Self) -> Result<Self> {
        Ok(self.map.subtract(&other.map)?.into())
    }

    /// Both images side by side.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths.
    pub fn range_product(&self, other: &Self) -> Result<Self> {
        Ok(self.map.flat_range_product(&other.map)?.into())
    }

    /// Whether both have the same pairs.
    ///
    /// # Errors
    ///
    /// A limit; different contexts.
    pub fn is_equal(&self, other: &Self) -> Result<bool> {
        self.map.is_equal(&other.map)
    }

    /// The parameters and tuple where both differ, if they do: the least ones, or any if there are none least.
    ///
    /// # Errors
    ///
    /// A limit; different contexts or lengths; numbers past 64 bits.
    ///
    /// ```
    /// use layout_relation::{Context, Limits, Relation};
    /// let context = Context::new(Limits::default())?;
    /// let twice = Relation::parse(&context, "[n] -> { [c] -> [2c] : 0 <= c < n }")?;
    /// let thrice = Relation::parse(&context, "[n] -> { [c] -> [3c] : 0 <= c < n }")?;
    /// let difference = twice.difference(&thrice)?.expect("one");
    /// assert_eq!(difference.to_string(), "2 and 3 at coordinate 1 where n = 2");
    /// assert_eq!(twice.difference(&twice)?, None);
    /// # Ok::<(), layout_relation::Error>(())
    /// ```
    pub fn difference(&self, other: &Self) -> Result<Option<Difference>> {
        self.context().within(|| {
            let only = |a: &Self, b: &Self| a.map.subtract(&b.map)?.domain();
            let differing = only(self, other)?.union(&only(other, self)?)?;
            let parameters = differing.parameters()?;
            let all = differing.parameters_first()?;
            let found = match all.lexmin().and_then(|least| least.point()) {
                Err(Error::Isl { .. }) => all.point()?,
                found => found?,
            };
            let Some(found) = found else { return Ok(None) };
            let (values, coordinate) = found.split_at(parameters.len().min(found.len()));
            let values: Vec<_> = parameters.into_iter().zip(values.iter().copied()).collect();
            let image = |of: &Self| -> Result<Option<Vec<i64>>> {
                let mut at = Vec::new();
                for parameter in 0..of.parameters()? {
                    let name = of.map.name(Dim::Param, parameter)?;
                    let known = values.iter().find(|(other, _)| Some(other) == name.as_ref());
                    at.push(known.map_or(0, |(_, value)| *value));
                }
                at.extend(coordinate);
                Self::from(of.map.parameters_first()?).at(&at)
            };
            let (left, right) = (image(self)?, image(other)?);
            let coordinate = coordinate.to_vec();
            Ok(Some(Difference { parameters: values, coordinate, left, right }))
        })
    }

    /// [`Relation::difference`] of two that are expressions on one box of at most 65536 coordinates, one by
    /// one, for what ISL takes too long for, or `None` for others.
    ///
    /// # Errors
    ///
    /// A limit; different contexts; numbers past 64 bits.
    pub fn listed_difference(&self, other: &Self) -> Result<Option<Option<Difference>>> {
        self.context().within(|| {
            if self.parameters()? > 0 || other.parameters()? > 0 {
                return Ok(None);
            }
            let (Some(extents), Some(others)) = (
                extents_of_expressions(self, MAX_ENUMERATED)?,
                extents_of_expressions(other, MAX_ENUMERATED)?,
            ) else {
                return Ok(None);
            };
            if extents != others || self.dimensions()? != other.dimensions()? {
                return Ok(None);
            }
            let (one, two) = (Formula::of(self)?, Formula::of(other)?);
            // In lexicographic order, so that the first is the least.
            let mut coordinate = vec![0_i64; extents.len()];
            loop {
                let (left, right) = (one.at(&coordinate)?, two.at(&coordinate)?);
                if left != right {
                    let parameters = Vec::new();
                    return Ok(Some(Some(Difference { parameters, coordinate, left, right })));
                }
                let room = |&at: &usize| coordinate[at] + 1 < extents[at];
                let Some(next) = (0..extents.len()).rev().find(room) else { break };
                coordinate[next] += 1;
                coordinate[next + 1..].fill(0);
            }
            Ok(Some(None))
        })
    }

    /// Whether there is no pair.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn is_empty(&self) -> Result<bool> {
        self.map.is_empty()
    }

    /// Whether all pairs are in the other.
    ///
    /// # Errors
    ///
    /// A limit; different contexts.
    pub fn is_subset(&self, other: &Self) -> Result<bool> {
        self.map.is_subset(&other.map)
    }

    /// Whether each left side has one image.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn is_single_valued(&self) -> Result<bool> {
        self.map.is_single_valued()
    }

    /// Whether no two left sides share an image.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn is_injective(&self) -> Result<bool> {
        self.map.is_injective()
    }

    /// The least image of a tuple, or `None` if it has none.
    ///
    /// # Errors
    ///
    /// A tuple of another length; images without a least; a limit; numbers past 64 bits.
    pub fn at(&self, tuple: &[i64]) -> Result<Option<Vec<i64>>> {
        self.context().within(|| {
            let dimensions = self.map.dim(Dim::In)?;
            if dimensions != tuple.len() {
                return Err(Error::Dimensions {
                    operation: "at",
                    expected: format!("a tuple of {dimensions} integers"),
                    found: tuple.len().to_string(),
                });
            }
            let mut map = self.map.clone();
            for (at, &value) in tuple.iter().enumerate() {
                map = map.fix(Dim::In, at, value)?;
            }
            map.range()?.lexmin()?.point()
        })
    }

    /// The size of a mapping from `[0, n)`: one more than the greatest number with an image.
    ///
    /// # Errors
    ///
    /// An empty domain or one without bounds, or of more than one dimension; a limit.
    pub fn size(&self) -> Result<i64> {
        past_greatest("size", &self.domain()?)
    }

    /// The cosize of a mapping to numbers: one more than the greatest image.
    ///
    /// # Errors
    ///
    /// An empty range or one without bounds, or of more than one dimension; a limit.
    pub fn cosize(&self) -> Result<i64> {
        past_greatest("cosize", &self.range()?)
    }
}

/// One more than the greatest integer of a set.
pub(crate) fn past_greatest(operation: &'static str, set: &IntegerSet) -> Result<i64> {
    let condition = |expected, found: &str| {
        Ok::<_, Error>(Error::Condition {
            operation,
            operand: set.text()?,
            expected,
            found: found.to_owned(),
        })
    };
    if set.dimensions()? != 1 {
        return Err(condition("tuples of one integer", "longer or shorter ones")?);
    }
    if !set.set.is_bounded()? {
        return Err(condition("a bounded set", "one without bounds")?);
    }
    match set.greatest()?.as_deref() {
        Some([greatest]) => {
            greatest.checked_add(1).ok_or_else(|| Error::Range { found: format!("{greatest} + 1") })
        }
        _ => Err(condition("at least one integer", "none")?),
    }
}

/// The set of one tuple.
pub(crate) fn singleton(context: &Context, tuple: &[i64]) -> Result<Set> {
    let values: Vec<_> = tuple.iter().map(ToString::to_string).collect();
    context.read_set(&format!("{{ [{}] }}", values.join(", ")))
}

/// ISL's complaint about text, with the text.
fn unread(error: Error, expected: &'static str, text: &str) -> Error {
    match error {
        Error::Isl { .. } => {
            let shown: String = text.chars().take(80).collect();
            let rest = if shown.len() < text.len() { "…" } else { "" };
            Error::Text { expected, found: format!("`{shown}{rest}`") }
        }
        other => other,
    }
}
