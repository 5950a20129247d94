//! The image of a layout.
//!
//! For integers, the offsets are enumerated. For expressions, the image is computed as a layout: modes are merged, or
//! sorted so that each steps past all before it.

use crate::layout::prelude::*;
use crate::{
    integer::{Answer, Quotient},
    layout::evaluate::{Offsets, limited},
};

impl Layout {
    /// The offsets that are reached, in ascending order, each once. [`Layout::image_under`](crate::Layout::image_under)
    /// writes them as a layout.
    ///
    /// # Errors
    ///
    /// More than [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates; overflow.
    ///
    /// ```
    /// use layout_algebra::Layout;
    /// assert_eq!("(2,3):(1,1)".parse::<Layout>()?.image()?, [0, 1, 2, 3]);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn image(&self) -> Result<Vec<i64>> {
        limited(self)?;
        let offsets: Option<Vec<i64>> = Offsets::of(self).collect();
        let mut offsets = offsets.ok_or_else(|| Error::overflow("image", self))?;
        offsets.sort_unstable();
        offsets.dedup();
        Ok(offsets)
    }

    /// The shape of the codomain: for a layout of integer strides its cosize.
    pub fn coshape(&self) -> Result<Tuple> {
        self.cosize().map(Tuple::Leaf)
    }
}

/// Offsets in ascending order: `start + layout(i)` for each `i` below the layout's size.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Image {
    /// The least offset; 0 for strides that are not negative.
    pub start: Expr,
    /// The others from there, each once: every mode steps past all that those before it reach.
    pub layout: Layout<Expr>,
}

impl Layout<Expr> {
    /// The offsets that are reached, as a layout that reaches each once and in ascending order.
    ///
    /// Modes commute in an image, and one whose steps are steps of another is swallowed where the other
    /// leaves no gap: `n:d` and `m:q*d` reach what `(n+(m-1)*q):d` does, if `q <= n`. The rest must
    /// step past each other; other sets are no layout.
    ///
    /// | layout | image |
    /// |---|---|
    /// | `(M,64):(64,1)` | `64*M:1`: all of them |
    /// | `(8,64):(LD{range=64..},1)` | `(64,8):(1,LD)`: rows with gaps between |
    /// | `(M,N):(1,1)` | `M+N-1:1`: diagonals meet |
    /// | `M:-2` | `-2*M+2 + M:2` |
    ///
    /// At chosen values it is what [`Layout::image`](Layout::image) gives.
    ///
    /// # Errors
    ///
    /// A stride of which it is not known on which side of 0 it lies; modes of which it is not known that
    /// one swallows or steps past the other, or that do neither; more than [`MODE_LIMIT`](crate::integer::MODE_LIMIT)
    /// modes; overflow.
    ///
    /// ```
    /// use layout_algebra::{Layout, Expr};
    /// let answer = |text: &str| {
    ///     let (layout, facts) = Layout::<Expr>::parse(text).expect("a layout");
    ///     layout.image_under(&facts).map_or_else(|error| error.to_string(), |image| image.to_string())
    /// };
    /// assert_eq!(answer("(M,64):(64,1)"), "64*M:1");
    /// assert_eq!(answer("(8,64):(LD{range=64..},1)"), "(64,8):(1,LD)");
    /// assert_eq!(answer("(M,N):(1,1)"), "M+N-1:1");
    /// assert_eq!(answer("M:-2"), "-2*M+2 + M:2");
    /// assert_eq!(
    ///     answer("(8,64):(LD{range=0..},1)"),
    ///     "image((8,64):(LD,1)): needs \"LD <= 64\" or \"LD >= 64\", neither of which is known; add the fact \
    ///      LD{range=..64} or add the fact LD{range=64..}",
    /// );
    /// ```
    pub fn image_under(&self, facts: &Facts) -> integer::Result<Image> {
        let site = Site { operation: "image", operands: &|| self.to_string() };
        let (zero, mut start) = (Expr::from(0), Expr::from(0));
        let mut modes = self.flat();
        modes.retain(|(extent, stride)| !extent.is(1) && !stride.is(0));
        site.few(modes.len())?;
        for mode in &mut modes {
            if facts.at_least(&zero, &mode.1).is_yes() {
                // Turned around, a mode starts where it ended.
                start = start.plus(&reach(mode)?)?;
                mode.1 = mode.1.scaled(-1)?;
            } else {
                site.require(facts.at_least(&mode.1, &zero))?;
            }
        }
        let mut open = swallow(facts, &mut modes)?;
        let modes = ascending(modes, |mode, before| facts.at_least(&mode.1, before))?;
        let modes = modes.map_err(|left| {
            // A symbol is more likely to be large enough than to be small enough.
            let is_open = |mode: &(Expr, Expr)| mode.1.as_constant().is_none();
            let symbols = left.iter().any(|(_, mode)| is_open(mode));
            let queries = left.into_iter().filter(|(_, mode)| !symbols || is_open(mode));
            open.extend(queries.map(|(answer, _)| answer));
            site.unmet(open)
        })?;
        Ok(Image { start, layout: Layout::of_modes(&modes, ()) })
    }
}

/// Merges modes of which one's steps are steps of the other, without a gap. A fact that would let more of
/// them be merged is returned.
fn swallow(facts: &Facts, modes: &mut Vec<(Expr, Expr)>) -> integer::Result<Vec<Answer>> {
    'again: loop {
        let mut open = Vec::new();
        for (i, (extent, stride)) in modes.iter().enumerate() {
            for (j, (other, step)) in modes.iter().enumerate() {
                let Quotient::Exact(steps) = facts.divide(step, stride) else { continue };
                if i == j {
                    continue;
                }
                let gapless = facts.at_least(extent, &steps);
                if !gapless.is_yes() {
                    open.push(gapless);
                    continue;
                }
                let more = other.plus(&Expr::from(-1))?.times(&steps)?;
                let merged = (extent.plus(&more)?, stride.clone());
                modes[i] = merged;
                modes.remove(j);
                continue 'again;
            }
        }
        return Ok(open);
    }
}

/// Modes in an order, or those of which none is the last, each with its answer.
type Ascending = Result<Vec<(Expr, Expr)>, Vec<(Answer, (Expr, Expr))>>;

/// The modes in the order in which each steps past all that those before it reach, which are so many offsets; where none
/// is known to be the last of some, these, each with its answer.
pub(crate) fn ascending(
    mut modes: Vec<(Expr, Expr)>,
    past: impl Fn(&(Expr, Expr), &Expr) -> Answer,
) -> integer::Result<Ascending> {
    let mut ordered = Vec::with_capacity(modes.len());
    // From the last on: it steps past all that is left.
    while !modes.is_empty() {
        let total =
            modes.iter().try_fold(Expr::from(1), |total, mode| total.plus(&reach(mode)?))?;
        let past = modes.iter().map(|mode| Ok(past(mode, &total.minus(&reach(mode)?)?)));
        let past = past.collect::<integer::Result<Vec<_>>>()?;
        match past.iter().position(Answer::is_yes) {
            Some(last) => ordered.push(modes.remove(last)),
            None => return Ok(Err(past.into_iter().zip(modes).collect())),
        }
    }
    ordered.reverse();
    Ok(Ok(ordered))
}

/// How far a mode reaches.
pub(crate) fn reach((extent, stride): &(Expr, Expr)) -> integer::Result<Expr> {
    extent.plus(&Expr::from(-1))?.times(stride)
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.start.is(0) {
            write!(f, "{} + ", self.start)?;
        }
        write!(f, "{}", self.layout)
    }
}
