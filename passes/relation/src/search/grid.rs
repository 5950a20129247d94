//! A mapping on a box of coordinates: how far it reaches, and its images.

use crate::{
    error::{Error, Result},
    isl::Context,
    quasi::Formula,
    recover::{MAX_ENUMERATED, Refutation, extents, extents_of_expressions, single_valued},
    relation::Relation,
    text::names,
};

/// Coordinates whose images are listed where expressions are known.
const EVALUATED: i64 = 1 << 16;

/// A single-valued mapping whose domain is a box from 0.
///
/// Indices count coordinates colexicographically: the first dimension is the fastest.
pub(super) struct Grid<'a> {
    pub(super) mapping: &'a Relation,
    /// The extent of each dimension of the domain; at least one.
    pub(super) extents: Vec<i64>,
    /// Dimensions of images; at least one.
    pub(super) results: usize,
    /// All coordinates.
    pub(super) size: i64,
    /// The images, by index, where there are few.
    pub(super) listed: Option<Vec<Vec<i64>>>,
}

impl<'a> Grid<'a> {
    /// # Errors
    ///
    /// A mapping of no dimensions, or with several images, or on another domain; a limit.
    pub(super) fn of(operation: &'static str, mapping: &'a Relation) -> Result<Self> {
        let (dimensions, results) = mapping.dimensions()?;
        if dimensions == 0 || results == 0 {
            return Err(Error::Dimensions {
                operation,
                expected: "a mapping from and to at least 1 dimension".to_owned(),
                found: format!("{dimensions} to {results}"),
            });
        }
        single_valued(operation, mapping)?;
        // Images of expressions are sooner listed than constraints solved for a domain.
        if let Some(extents) = extents_of_expressions(mapping, EVALUATED)? {
            let mut grid = Self::unlisted(mapping, extents, results)?;
            if grid.list()? {
                return Ok(grid);
            }
        }
        let mut grid = Self::unlisted(mapping, extents(operation, mapping)?, results)?;
        if grid.size <= MAX_ENUMERATED && !grid.list()? {
            return Err(Error::Range { found: "a coordinate without image".to_owned() });
        }
        Ok(grid)
    }

    fn unlisted(mapping: &'a Relation, extents: Vec<i64>, results: usize) -> Result<Self> {
        let size = extents.iter().try_fold(1_i64, |size, &extent| size.checked_mul(extent));
        let size =
            size.ok_or_else(|| Error::Range { found: format!("{extents:?} coordinates") })?;
        Ok(Self { mapping, extents, results, size, listed: None })
    }

    /// Lists the images; whether each coordinate has one.
    fn list(&mut self) -> Result<bool> {
        let formula = Formula::of(self.mapping)?;
        let images = (0..self.size).map(|index| formula.at(&self.coordinate(index)));
        self.listed = images.collect::<Result<_>>()?;
        Ok(self.listed.is_some())
    }

    pub(super) fn context(&self) -> &Context {
        self.mapping.context()
    }

    /// The coordinate of an index.
    pub(super) fn coordinate(&self, mut index: i64) -> Vec<i64> {
        let mut digit = |extent: &i64| {
            let digit = index % extent;
            index /= extent;
            digit
        };
        self.extents.iter().map(&mut digit).collect()
    }

    /// The coordinate that is 0 but for one dimension.
    pub(super) fn on_axis(&self, axis: usize, value: i64) -> Vec<i64> {
        let mut coordinate = vec![0; self.extents.len()];
        coordinate[axis] = value;
        coordinate
    }

    /// The index of [`Grid::on_axis`] with value 1.
    fn step(&self, axis: usize) -> i64 {
        self.extents[..axis].iter().product()
    }

    /// The image of a coordinate that is 0 but for one dimension.
    pub(super) fn image(&self, axis: usize, value: i64) -> Result<Vec<i64>> {
        if let Some(listed) = &self.listed
            && let Some(image) =
                usize::try_from(self.step(axis) * value).ok().and_then(|at| listed.get(at))
        {
            return Ok(image.clone());
        }
        let coordinate = self.on_axis(axis, value);
        let image = self.mapping.at(&coordinate)?;
        image.ok_or_else(|| Error::Range { found: format!("no image of {coordinate:?}") })
    }

    /// The images of the coordinates that are 0 but for one dimension, taken from those of all.
    pub(super) fn axis<'v>(&self, axis: usize, values: &'v [Vec<i64>]) -> Vec<&'v [i64]> {
        let step = usize::try_from(self.step(axis)).unwrap_or(usize::MAX);
        let extent = usize::try_from(self.extents[axis]).unwrap_or(usize::MAX);
        values.iter().step_by(step).take(extent).map(Vec::as_slice).collect()
    }

    /// Where listed images differ from what a candidate says of an index: the least such index.
    pub(super) fn refuted_by(
        &self,
        values: &[Vec<i64>],
        candidate: impl Fn(usize, &[i64]) -> Option<Vec<i64>>,
    ) -> Option<Refutation> {
        values.iter().zip(0..).find_map(|(value, index)| {
            let coordinate = self.coordinate(index);
            let found = candidate(usize::try_from(index).unwrap_or(usize::MAX), &coordinate);
            let differs = found.as_ref() != Some(value);
            differs.then(|| Refutation { coordinate, expected: Some(value.clone()), found })
        })
    }

    /// The least index where a candidate on the same box differs, as ISL finds it.
    pub(super) fn difference(&self, candidate: &Relation) -> Result<Option<Refutation>> {
        if self.mapping.is_equal(candidate)? {
            return Ok(None);
        }
        // Colexicographic order is the lexicographic one of what is turned around.
        let dimensions = self.extents.len();
        let turned: Vec<_> = (0..dimensions).rev().map(|i| format!("c{i}")).collect();
        let turn = Relation::read(
            self.context(),
            &format!("{{ [{}] -> [{}] }}", names("c", dimensions), turned.join(", ")),
        )?;
        let differing = self.mapping.subtract(candidate)?.domain()?.image(&turn)?;
        let Some(mut coordinate) = differing.least()? else { return Ok(None) };
        coordinate.reverse();
        Ok(Some(Refutation {
            expected: self.mapping.at(&coordinate)?,
            found: candidate.at(&coordinate)?,
            coordinate,
        }))
    }
}
