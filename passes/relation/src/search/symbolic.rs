//! Recovery of layouts from mappings with parameters, which become dynamic integers of the layout.
//!
//! A layout is guessed and then proved. Parameters are taken for more dimensions of the domain, so that all
//! is a relation of numbers: how far each dimension reaches is a function of the parameters, strides
//! are those of the mapping at one choice of them, and ISL says whether the layout that both make has
//! the mapping for every choice.

use layout_algebra::{
    ComposedLayout, Expr, Facts, Nested, Outer, Quotient, Symbol, Tuple, Value, Width, evaluate,
    integer,
};

use super::{
    bits::affine,
    grid::Grid,
    modes::{self, Mode},
};
use crate::{
    error::{Error, Result},
    isl::Set,
    quasi::{Formula, QuasiAffine},
    recover::{MAX_ENUMERATED, Refutation, single_valued},
    relation::{IntegerSet, Relation},
    swizzle::unbounded_swizzle_mapping,
    symbolic::{affine_text, facts_of, symbolic_composed_mapping},
    text::{image_text, names, sum},
};
use num_integer::gcd;

/// Choices of the parameters that strides are looked for at.
const CHOICES: u32 = 8;

/// Greatest power of two that extents are chosen as, to see what a swizzle does.
const CHOSEN: u32 = 10;

/// The layout with symbols whose mapping is a relation with parameters, and the facts about its symbols,
/// `p0`, `p1`, … in the order of the parameters.
///
/// Each dimension of the domain is a mode, nested where its strides change at multiples of numbers; its
/// last extent may have symbols. Images have one result, or several as those of coordinate layouts.
/// Under a swizzle, the offset and the strides are numbers. A parameter of numbers of 32 bits is a
/// 32-bit symbol, any other one a 64-bit symbol.
///
/// # Errors
///
/// A mapping that is not single-valued; parameters of which more is known than a range and a divisor of
/// each; a domain that is no box from 0; a mapping of no such layout, with the values of parameters and the
/// coordinate that distinguish them; a limit.
///
/// ```
/// use layout_relation::{Context, Limits, Relation, recover_symbolic};
/// let context = Context::new(Limits::default())?;
/// let found = |text: &str| -> layout_relation::Result<String> {
///     let (layout, facts) = recover_symbolic(&Relation::parse(&context, text)?)?;
///     Ok(layout.annotated(&facts))
/// };
/// let rows = "[n] -> { [i, j] -> [8i + j] : 0 <= i < n <= 64 and n mod 8 = 0 and 0 <= j < 8 }";
/// assert_eq!(found(rows)?, "(p0{div=8 range=8..64},8):(8,1)");
/// // One dimension is a mode of several where strides change, the last of them open.
/// let tiles = "[n] -> { [c] -> [c mod 4 + 10*floor(c/4)] : 0 <= c < 4n }";
/// assert_eq!(found(tiles)?, "(4,p0{i64}):(1,10)");
/// assert_eq!(
///     found("[n] -> { [i, j] -> [i + j] : 0 <= i < n and 0 <= j <= i }").unwrap_err().to_string(),
///     "recover([n] -> { [i, j] -> [i + j] : 0 <= i < n and 0 <= j <= i }): expected the domain to be a box \
///      from 0, found no image at (0,1) where n = 2"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn recover_symbolic(mapping: &Relation) -> Result<(Value<Expr>, Facts)> {
    mapping.context().within(|| {
        single_valued("recover", mapping)?;
        Open::of(mapping)?.layout()
    })
}

/// A layout and the facts about its symbols; or parameters, and the coordinate where it fails for them.
type Candidate = std::result::Result<(Value<Expr>, Facts), (Vec<i64>, Refutation)>;

/// The mapping for one choice of its parameters.
struct Choice {
    mapping: Relation,
    values: Vec<i64>,
}

/// A mapping whose parameters are dimensions of its domain, before the others.
struct Open<'a> {
    mapping: &'a Relation,
    joint: Relation,
    parameters: usize,
    dimensions: usize,
    results: usize,
    facts: Facts,
    /// The facts of the parameters, in ISL's notation.
    known: Vec<String>,
    /// The extent of each dimension.
    extents: Vec<Expr>,
}

impl<'a> Open<'a> {
    fn of(mapping: &'a Relation) -> Result<Self> {
        let parameters = mapping.parameters()?;
        let (dimensions, results) = mapping.dimensions()?;
        if dimensions == 0 || results == 0 {
            return Err(Error::Dimensions {
                operation: "recover",
                expected: "a mapping from and to at least 1 dimension".to_owned(),
                found: format!("{dimensions} to {results}"),
            });
        }
        let joint = mapping.map.parameters_first()?.into();
        let mut open = Self {
            mapping,
            joint,
            parameters,
            dimensions,
            results,
            facts: Facts::new(),
            known: Vec::new(),
            extents: Vec::new(),
        };
        // The domain of expressions is written sooner than it is solved for.
        let domain = match mapping.functions.as_deref() {
            Some([function]) => function.domain()?.parameters_first()?,
            _ => open.joint.map.domain()?,
        };
        if domain.is_empty()? {
            return Err(open.refused("at least one coordinate", "none".to_owned()));
        }
        let bounded = match mapping.functions.as_deref() {
            Some([function]) => function.domain()?.is_bounded()?,
            _ => mapping.map.domain()?.is_bounded()?,
        };
        if !bounded {
            return Err(open.refused("a bounded domain", "one without bounds".to_owned()));
        }
        open.learn(&domain.project_out(parameters, dimensions)?)?;
        for axis in 0..dimensions {
            let extent = open.extent(&domain, axis)?;
            open.extents.push(extent);
        }
        let whole = open.read_set(&open.bounds(&open.extents)?)?;
        if !domain.is_equal(&whole)? {
            let hole = whole.subtract(&domain)?.point()?;
            let found = match hole {
                Some(point) => format!("no image at {}", open.place(&point)),
                None => "negative coordinates".to_owned(),
            };
            return Err(open.refused("the domain to be a box from 0", found));
        }
        Ok(open)
    }

    fn refused(&self, expected: &'static str, found: String) -> Error {
        let operand = self.mapping.text().unwrap_or_else(|error| error.to_string());
        Error::Condition { operation: "recover", operand, expected, found }
    }

    /// The error for symbols that make a layout impossible, in the words of the algebra.
    fn unknown(&self, error: &integer::Error) -> Error {
        self.refused("extents that symbols have", self.named(&error.to_string()))
    }

    /// The parameters and the coordinates of a point.
    fn place(&self, point: &[i64]) -> String {
        let (parameters, coordinate) = point.split_at(self.parameters.min(point.len()));
        let coordinate: Vec<_> = coordinate.iter().map(ToString::to_string).collect();
        let given = |(at, value): (usize, &i64)| format!("{} = {value}", self.name(at));
        let given: Vec<_> = parameters.iter().enumerate().map(given).collect();
        format!("({}) where {}", coordinate.join(","), given.join(", "))
    }

    /// The text of an expression, with the names that parameters have.
    fn named(&self, text: &str) -> String {
        let mut all = String::new();
        for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            let number = word.strip_prefix('p').and_then(|number| number.parse().ok());
            match number.filter(|&at| at < self.parameters) {
                Some(at) => all.push_str(&self.name(at)),
                None => all.push_str(word),
            }
            all.push_str(&part[word.len()..]);
        }
        all
    }

    /// A parameter's own name.
    fn name(&self, at: usize) -> String {
        let own = self.mapping.map.name(crate::isl::Dim::Param, at).ok().flatten();
        own.unwrap_or_else(|| format!("p{at}"))
    }

    /// The tuple of parameters and coordinates, in ISL's notation.
    fn tuple(&self) -> String {
        [names("p", self.parameters), names("c", self.dimensions)].join(", ")
    }

    fn read_set(&self, conditions: &[String]) -> Result<Set> {
        let conditions =
            if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
        self.mapping.context().read_set(&format!("{{ [{}] : {conditions} }}", self.tuple()))
    }

    fn read(&self, text: &str) -> Result<Relation> {
        Relation::read(self.mapping.context(), text)
    }

    /// A range and a divisor for each parameter, which must be all facts about them.
    fn learn(&mut self, parameters: &Set) -> Result<()> {
        let context = self.mapping.context();
        for at in 0..self.parameters {
            let own =
                parameters.project_out(at + 1, self.parameters - at - 1)?.project_out(0, at)?;
            let (low, high, unit) = (least(&own)?, greatest(&own)?, divisor(&own)?);
            let ends = (low.unwrap_or(i64::MIN), high.unwrap_or(i64::MAX));
            let symbol = symbol(&format!("p{at}"), unit, ends);
            let symbol = symbol.map_err(|error| self.unknown(&error))?;
            self.known.extend(facts_of(at, &symbol));
            self.facts.insert(symbol).map_err(|error| self.unknown(&error))?;
        }
        let known =
            if self.known.is_empty() { "true".to_owned() } else { self.known.join(" and ") };
        let text = format!("{{ [{}] : {known} }}", names("p", self.parameters));
        if !context.read_set(&text)?.is_equal(parameters)? {
            let found = IntegerSet::from(parameters.coalesce()?).text()?;
            let expected = "parameters of which a range and a divisor of each is known and no more";
            return Err(self.refused(expected, found));
        }
        Ok(())
    }

    /// One more than the greatest coordinate in a dimension, as the parameters say it.
    fn extent(&self, domain: &Set, axis: usize) -> Result<Expr> {
        let parameters = names("p", self.parameters);
        let from = self.read(&format!("{{ [{}] -> [{parameters}] }}", self.tuple()))?;
        let along = self.read(&format!("{{ [{}] -> [c{axis}] }}", self.tuple()))?;
        let reached = from.map.intersect_domain(domain)?.reverse()?.apply_range(&along.map)?;
        let last = Formula::of(&Relation::from(reached.lexmax()?))?;
        let symbols: Vec<Expr> = (0..self.parameters)
            .map(|at| self.facts.symbol(&format!("p{at}")))
            .collect::<integer::Result<_>>()
            .map_err(|error| self.unknown(&error))?;
        // Where the greatest has several forms, it is the least of bounds.
        let mut found: Option<Expr> = None;
        for piece in last.steps.iter().flatten() {
            for result in &piece.results {
                let next = expression(result, &symbols, &self.facts)
                    .and_then(|last| last.plus(&Expr::from(1)))
                    .and_then(|extent| match &found {
                        Some(known) => self.facts.min(known, &extent),
                        None => Ok(extent),
                    });
                found = Some(next.map_err(|error| self.unknown(&error))?);
            }
        }
        found.ok_or_else(|| self.refused("a bounded domain", "one without bounds".to_owned()))
    }

    /// An expression in ISL's notation.
    fn text(&self, expression: &Expr) -> Result<String> {
        let names: Vec<String> = (0..self.parameters).map(|at| format!("p{at}")).collect();
        affine_text(expression, &names).ok_or_else(|| {
            let found = self.named(&expression.to_string());
            self.refused("extents that are sums of multiples of parameters", found)
        })
    }

    /// The conditions that say how far coordinates reach, and what is known.
    fn bounds(&self, extents: &[Expr]) -> Result<Vec<String>> {
        let mut all = self.known.clone();
        for (axis, extent) in extents.iter().enumerate() {
            all.push(format!("0 <= c{axis} < {}", self.text(extent)?));
        }
        Ok(all)
    }

    /// A choice of the parameters of which a condition holds of each extent that has some, if there is one.
    fn chosen(&self, condition: &dyn Fn(&str) -> String) -> Result<Option<Choice>> {
        let mut conditions = self.known.clone();
        for extent in self.extents.iter().filter(|extent| extent.as_constant().is_none()) {
            conditions.push(condition(&self.text(extent)?));
        }
        let all = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" and ") };
        let text = format!("{{ [{}] : {all} }}", names("p", self.parameters));
        let Some(values) = self.mapping.context().read_set(&text)?.point()? else {
            return Ok(None);
        };
        let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
        let coordinates = names("c", self.dimensions);
        let choice = format!("{{ [{coordinates}] -> [{}, {coordinates}] }}", texts.join(", "));
        Ok(Some(Choice { mapping: self.read(&choice)?.then(&self.joint)?, values }))
    }

    fn layout(&self) -> Result<(Value<Expr>, Facts)> {
        // Where an extent is 1, nothing determines its stride, and where it is short, not where strides change:
        // what a candidate gets wrong is within the next choice.
        let mut least = 3_i64;
        let mut wrong = None;
        for _ in 0..CHOICES {
            let Some(choice) = self.chosen_above(least)? else { break };
            let grid = Grid::of("recover", &choice.mapping)?;
            let found = match modes::strided(&grid)? {
                Ok(axes) => self.strided(&grid, &axes)?,
                Err(refutation) => Err((choice.values, refutation)),
            };
            let (parameters, refutation) = match found {
                Ok(found) => return Ok(found),
                Err(wrong) => wrong,
            };
            let reach =
                refutation.coordinate.iter().max().map_or(0, |reach| reach.saturating_mul(2));
            wrong = Some(self.describe(&parameters, refutation));
            if reach <= least {
                break;
            }
            least = reach;
        }
        if self.results == 1
            && let Some(found) = self.swizzled()?
        {
            return Ok(found);
        }
        let expected = match self.results {
            1 => "the mapping of a plain or swizzled layout",
            _ => "the mapping of a coordinate layout",
        };
        Err(self.refused(expected, wrong.unwrap_or_else(|| "none".to_owned())))
    }

    /// The choice where extents with symbols are at least this, or as much as they can be.
    fn chosen_above(&self, least: i64) -> Result<Option<Choice>> {
        for least in [least, 3, 2, 1] {
            if let Some(choice) = self.chosen(&|extent| format!("{extent} >= {least}"))? {
                return Ok(Some(choice));
            }
        }
        Ok(None)
    }

    /// The difference between a mapping and the only candidate, as text.
    fn describe(&self, parameters: &[i64], refutation: Refutation) -> String {
        let place = self.place(&[parameters, &refutation.coordinate].concat());
        let expected = image_text(refutation.expected.as_deref());
        let found = image_text(refutation.found.as_deref());
        format!("{expected} at {place}, and {found} of the only candidate")
    }

    /// The layout of strides that the mapping has for one choice of parameters.
    fn strided(&self, grid: &Grid<'_>, axes: &[Vec<Mode>]) -> Result<Candidate> {
        let (shape, stride) = match self.results {
            1 => {
                let layout = modes::layout(axes)?;
                (layout.shape().clone(), layout.stride().to_string())
            }
            _ => match modes::basis_layout(grid, axes)? {
                Ok(layout) => {
                    let text = layout.to_string();
                    let stride = text.split_once(':').map_or("", |(_, stride)| stride);
                    (layout.shape().clone(), stride.to_owned())
                }
                Err(found) => {
                    let expected = "strides that move in one coordinate";
                    let found = image_text(found.expected.as_deref());
                    return Err(self.refused(expected, format!("one that moves by {found}")));
                }
            },
        };
        self.proved(&shape, &stride, axes, None)
    }

    /// The extents of all modes, the last one along each dimension as far as that reaches.
    fn extents_of(&self, axes: &[Vec<Mode>]) -> Result<Vec<Expr>> {
        let mut all = Vec::new();
        for (extent, modes) in self.extents.iter().zip(axes) {
            let inner = &modes[..modes.len().saturating_sub(1)];
            let below =
                inner.iter().try_fold(1_i64, |below, (extent, _)| below.checked_mul(*extent));
            let below = below.ok_or_else(|| Error::Range { found: extent.to_string() })?;
            all.extend(inner.iter().map(|(extent, _)| Expr::from(*extent)));
            all.push(match self.facts.divide(extent, &Expr::from(below)) {
                Quotient::Exact(last) => last,
                _ => {
                    let found = format!("{} in steps of {below}", self.named(&extent.to_string()));
                    return Err(self.refused("extents that come out even", found));
                }
            });
        }
        Ok(all)
    }

    /// The layout of a shape with the extents of all parameters in place of its own, if it has the mapping;
    /// else the parameters and the coordinate where it has not.
    fn proved(
        &self,
        shape: &Tuple,
        stride: &str,
        axes: &[Vec<Mode>],
        outer: Option<&ComposedLayout>,
    ) -> Result<Candidate> {
        let offset = outer.map_or(0, |outer| outer.offset);
        let result = |at: usize| {
            let mut all = vec![(offset, "1".to_owned())];
            for (axis, modes) in axes.iter().enumerate() {
                let terms = modes::terms(modes, &format!("c{axis}"));
                all.extend(terms.into_iter().map(|(digit, step)| (step[at], digit)));
            }
            sum(all)
        };
        let results: Vec<_> = (0..self.results).map(result).collect();
        let bounds = self.bounds(&self.extents)?.join(" and ");
        let text = format!("{{ [{}] -> [{}] : {bounds} }}", self.tuple(), results.join(", "));
        let mut candidate = self.read(&text)?;
        let mut before = String::new();
        if let Some(ComposedLayout { outer: Outer::Swizzle(swizzle), .. }) = outer {
            let last = unbounded_swizzle_mapping(self.mapping.context(), swizzle)?;
            candidate = candidate.then(&last)?;
            before = format!("{swizzle} o {offset} o ");
        }
        let value = || {
            let shape = replaced(shape, &mut self.extents_of(axes)?.iter());
            let mut facts = self.facts.clone();
            let value = evaluate(&format!("{before}{shape}:{stride}"), &mut facts);
            Ok((value.map_err(|error| self.unknown(&error))?, facts))
        };
        if outer.is_some() && self.is_written_so(&value()?)? {
            return value().map(Ok);
        }
        // Both have images on the same domain, so that one differs where the other does.
        let differing = self.joint.map.subtract(&candidate.map)?.domain()?;
        if let Some(point) = differing.point()? {
            let (expected, found) = (self.joint.at(&point)?, candidate.at(&point)?);
            let (parameters, coordinate) = point.split_at(self.parameters.min(point.len()));
            let coordinate = coordinate.to_vec();
            return Ok(Err((parameters.to_vec(), Refutation { coordinate, expected, found })));
        }
        value().map(Ok)
    }

    /// Whether the mapping is written as this crate writes that of a swizzled layout: what ISL takes
    /// long to find equal need not be compared then.
    fn is_written_so(&self, (value, facts): &(Value<Expr>, Facts)) -> Result<bool> {
        let Value::Composed(composed) = value else { return Ok(false) };
        let Ok(own) = symbolic_composed_mapping(self.mapping.context(), composed, facts) else {
            return Ok(false);
        };
        let read_again = self.read(&own.expressions()?)?;
        Ok(self.mapping.functions.is_some()
            && read_again.expressions()? == self.mapping.expressions()?)
    }

    /// The swizzled layout that undoes what strides do not do, seen where extents are powers of 2.
    fn swizzled(&self) -> Result<Option<(Value<Expr>, Facts)>> {
        for bits in (1..=CHOSEN).rev() {
            let power = 1_i64 << bits;
            // As many rows as are quickly listed show all that a swizzle of a tile does.
            let size = self.extents.iter().try_fold(1_i64, |size, extent| {
                size.checked_mul(extent.as_constant().unwrap_or(power))
            });
            if bits > 1 && size.is_none_or(|size| size > MAX_ENUMERATED) {
                continue;
            }
            let Some(choice) = self.chosen(&|extent| format!("{extent} = {power}"))? else {
                continue;
            };
            let grid = Grid::of("recover", &choice.mapping)?;
            let Some(Ok(linear)) = affine(&grid)? else { return Ok(None) };
            let Some(composed) = linear.swizzled()? else { return Ok(None) };
            let axes: Vec<Vec<Mode>> = match composed.inner.modes() {
                modes if self.dimensions > 1 && modes.len() == self.dimensions => {
                    modes.iter().map(|mode| steps(&mode.flat())).collect()
                }
                _ => vec![steps(&composed.inner.flat())],
            };
            let (shape, stride) = (composed.inner.shape(), composed.inner.stride().to_string());
            return Ok(self.proved(shape, &stride, &axes, Some(&composed))?.ok());
        }
        Ok(None)
    }
}

/// A symbol of 32 bits if it fits. A bound that the next multiple is past is that of the word.
fn symbol(name: &str, unit: i64, (low, high): (i64, i64)) -> integer::Result<Symbol> {
    let fits = |bound: i64| i32::try_from(bound).is_ok();
    let width = if fits(low) && fits(high) { Width::W32 } else { Width::W64 };
    let (least, most) = width.limits();
    let low = if low.checked_sub(unit).is_none_or(|below| below < least) { least } else { low };
    let high = if high.checked_add(unit).is_none_or(|above| above > most) { most } else { high };
    // From 1 on is how extents are known without saying so.
    let low = if high == most && (1..=unit).contains(&low) { 1 } else { low };
    Symbol::new(name, width)?.with_divisor(unit)?.with_range(low, high)
}

/// Modes with one result.
fn steps(flat: &[(i64, i64)]) -> Vec<Mode> {
    flat.iter().map(|&(extent, stride)| (extent, vec![stride])).collect()
}

/// A shape's nesting with other extents, where there are any left.
fn replaced<'e>(shape: &Tuple, extents: &mut impl Iterator<Item = &'e Expr>) -> Nested<Expr> {
    match shape {
        Nested::Leaf(extent) => {
            Nested::Leaf(extents.next().cloned().unwrap_or(Expr::from(*extent)))
        }
        Nested::Node(entries) => {
            Nested::Node(entries.iter().map(|entry| replaced(entry, extents)).collect())
        }
    }
}

/// A quasi-affine function of parameters as an expression.
fn expression(of: &QuasiAffine, symbols: &[Expr], facts: &Facts) -> integer::Result<Expr> {
    let mut sum = Expr::from(of.constant);
    for (symbol, &factor) in symbols.iter().zip(&of.coefficients) {
        sum = sum.plus(&symbol.scaled(factor)?)?;
    }
    for (factor, inner) in &of.divisions {
        sum = sum.plus(&expression(inner, symbols, facts)?.scaled(*factor)?)?;
    }
    match of.denominator {
        1 => Ok(sum),
        denominator => facts.floor_div(&sum, &Expr::from(denominator)),
    }
}

/// The least integer of a set, if there is one.
fn least(set: &Set) -> Result<Option<i64>> {
    let below = set.intersect(&set.context().read_set("{ [x] : x <= 0 }")?)?;
    let found = if below.is_bounded()? { set.lexmin()?.point()? } else { None };
    Ok(found.and_then(|point| point.first().copied()))
}

/// The greatest integer of a set, if there is one.
fn greatest(set: &Set) -> Result<Option<i64>> {
    let above = set.intersect(&set.context().read_set("{ [x] : x >= 0 }")?)?;
    let found = if above.is_bounded()? { set.lexmax()?.point()? } else { None };
    Ok(found.and_then(|point| point.first().copied()))
}

/// The greatest number that divides all integers of a set; 1 of none but 0.
fn divisor(set: &Set) -> Result<i64> {
    let mut unit = 0_i64;
    loop {
        let multiples = match unit {
            0 => "{ [x] : x = 0 }".to_owned(),
            _ => format!("{{ [x] : x mod {unit} = 0 }}"),
        };
        let others = set.subtract(&set.context().read_set(&multiples)?)?;
        match others.point()?.as_deref() {
            // Each time a proper divisor of what it was.
            Some(&[other]) => {
                let common = gcd(unit.unsigned_abs(), other.unsigned_abs());
                unit = i64::try_from(common)
                    .map_err(|_| Error::Range { found: common.to_string() })?;
            }
            _ => return Ok(unit.max(1)),
        }
    }
}
