//! Entries of tuples, of integers or of expressions: taken, put together, sliced; and the arithmetic that
//! CuTe has for coordinates of unequal rank.

use crate::layout::prelude::*;
use crate::{shape::compact_after, tuple::CoordOf};

/// The entries of a tuple that are where a coordinate has `_`, side by side, or where it has integers: CuTe's `slice`
/// and `dice` of a tuple.
///
/// # Errors
///
/// A coordinate that nests deeper than the tuple, or has another number of entries.
///
/// ```
/// # use layout_algebra::answer;
/// assert_eq!(answer("slice((_,1,(_,0)), (4,8,(2,3)))"), "(4,2)");
/// assert_eq!(answer("slice((1,2), (4,8))"), "()");
/// ```
pub(crate) fn chosen<I: fmt::Display, T: Clone + fmt::Display>(
    operation: &'static str,
    coord: &CoordOf<I>,
    tuple: &Nested<T>,
    is_chosen: fn(&CoordOf<I>) -> bool,
) -> Result<Nested<T>> {
    fn each<I: fmt::Display, T: Clone + fmt::Display>(
        operation: &'static str,
        coord: &CoordOf<I>,
        tuple: &Nested<T>,
        is_chosen: fn(&CoordOf<I>) -> bool,
        kept: &mut Vec<Nested<T>>,
    ) -> Result<()> {
        match (coord, tuple) {
            (CoordOf::Tuple(coords), Nested::Node(entries)) if coords.len() == entries.len() => {
                let mut pairs = coords.iter().zip(entries);
                pairs.try_for_each(|(c, entry)| each(operation, c, entry, is_chosen, kept))
            }
            (CoordOf::Tuple(_), _) => {
                Err(Error::operand(operation, format!("a coordinate that fits {tuple}"), coord))
            }
            _ => {
                kept.extend(is_chosen(coord).then(|| tuple.clone()));
                Ok(())
            }
        }
    }
    if !matches!(coord, CoordOf::Tuple(_)) && is_chosen(coord) {
        return Ok(tuple.clone());
    }
    let mut kept = Vec::new();
    each(operation, coord, tuple, is_chosen, &mut kept)?;
    Ok(Nested::Node(kept))
}

/// The mode that runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first: column-major, CuTe's `LayoutLeft`.
    Left,
    /// The last: row-major, CuTe's `LayoutRight`.
    Right,
}

impl<L: Leaf> Nested<L> {
    /// The coordinate of an index in a shape with strides: CuTe's `idx2crd(i, shape, stride)`, which is
    /// `i / stride % shape` at each leaf, and 0 at extents of 1. One stride for a tuple is where its compact
    /// strides begin.
    ///
    /// # Errors
    ///
    /// A stride of 0 where the extent is not 1, an extent of 0; operands that nest differently; overflow. Under facts:
    /// an index that is not known to be at least 0, a stride not to be at least 1.
    ///
    /// ```
    /// use layout_algebra::Tuple;
    /// let coord = "(4,(2,4))".parse::<Tuple>()?.idx2crd_by(&"13".parse()?, &"(8,(1,2))".parse()?)?;
    /// assert_eq!(coord.to_string(), "(1,(1,2))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn idx2crd_by_under(
        &self,
        facts: &L::Facts,
        index: &Nested<L>,
        stride: &Nested<L>,
    ) -> Result<Nested<L>, L::Error> {
        use Nested::{Leaf, Node};
        let misfit = || {
            let expected = format!("an index and a stride that nest no deeper than {self}");
            Error::operand("idx2crd", expected, format!("{index} and {stride}"))
        };
        let entries = |of: &Nested<L>, rank: usize| match of {
            Leaf(_) => Ok(vec![of.clone(); rank]),
            Node(entries) if entries.len() == rank => Ok(entries.clone()),
            Node(_) => Err(misfit()),
        };
        match (self, stride) {
            (Node(_), Leaf(_)) => {
                self.idx2crd_by_under(facts, index, &self.compact_from(Order::Left, stride)?)
            }
            (Node(shapes), Node(_)) => {
                let (indices, strides) =
                    (entries(index, shapes.len())?, entries(stride, shapes.len())?);
                let each = shapes.iter().zip(indices).zip(strides);
                let coords =
                    each.map(|((shape, index), by)| shape.idx2crd_by_under(facts, &index, &by));
                coords.collect::<Result<_, _>>().map(Node)
            }
            (Leaf(extent), Leaf(_)) if extent.is(1) && matches!(index, Leaf(_)) => {
                Ok(Leaf(L::from(0)))
            }
            (Leaf(extent), Leaf(by)) => {
                let Leaf(index) = index else { return Err(misfit().into()) };
                let digit = L::digit_by(facts, index, by, extent)?.map(Leaf);
                digit.ok_or_else(|| {
                    Error::condition(
                        "idx2crd",
                        format!("{index}, {self}, {stride}"),
                        "extents and strides that divide",
                        format!("{extent} and {by}"),
                    )
                    .into()
                })
            }
            (Leaf(_), Node(_)) => Err(misfit().into()),
        }
    }

    /// Compact strides that begin with another number than 1: CuTe's `compact_col_major(shape, start)` and
    /// `compact_row_major(shape, start)`. A tuple has a start for each mode.
    ///
    /// # Errors
    ///
    /// A start that nests deeper than the shape; overflow.
    ///
    /// ```
    /// use layout_algebra::{Order, Tuple};
    /// let shape: Tuple = "(4,(1,3))".parse()?;
    /// assert_eq!(shape.compact_from(Order::Left, &"2".parse()?)?.to_string(), "(2,(0,8))");
    /// assert_eq!(shape.compact_from(Order::Right, &"2".parse()?)?.to_string(), "(6,(0,2))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn compact_from(&self, order: Order, start: &Nested<L>) -> Result<Nested<L>, L::Error> {
        let operation = match order {
            Order::Left => "compact_col_major",
            Order::Right => "compact_row_major",
        };
        match (self, start) {
            (_, Nested::Leaf(start)) => {
                let mut modes: Vec<usize> = (0..self.leaf_count()).collect();
                if order == Order::Right {
                    modes.reverse();
                }
                compact_after(operation, self, start, &modes)
            }
            (Nested::Node(modes), Nested::Node(starts)) if modes.len() == starts.len() => {
                let modes = modes.iter().zip(starts);
                let strides = modes.map(|(mode, start)| mode.compact_from(order, start));
                strides.collect::<Result<_, _>>().map(Nested::Node)
            }
            _ => Err(Error::operand(
                operation,
                format!("a start that nests no deeper than {self}"),
                start,
            )
            .into()),
        }
    }

    /// The sum of tuples leaf by leaf, with 0 for missing leaves: `+` of CuTe's arithmetic tuples.
    pub fn tuple_add(&self, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        leafwise("tuple_add", self, b, L::plus)
    }

    /// The difference of tuples leaf by leaf, with 0 for missing leaves: `-` of CuTe's arithmetic tuples.
    pub fn tuple_sub(&self, b: &Nested<L>) -> Result<Nested<L>, L::Error> {
        leafwise("tuple_sub", self, b, L::minus)
    }
}

fn leafwise<L: Leaf>(
    operation: &'static str,
    a: &Nested<L>,
    b: &Nested<L>,
    f: fn(&L, &L) -> Result<L, L::Lost>,
) -> Result<Nested<L>, L::Error> {
    let zero = Nested::Leaf(L::from(0));
    let pair =
        |x: &L, y: &L| f(x, y).map_err(|lost| L::lost(lost, operation, format!("({a}, {b})")));
    match (a, b) {
        (Nested::Leaf(x), Nested::Leaf(y)) => pair(x, y).map(Nested::Leaf),
        (Nested::Node(_), Nested::Leaf(y)) if y.is(0) => Ok(a.clone()),
        (Nested::Leaf(x), Nested::Node(_)) if x.is(0) => b.try_map(&mut |y| pair(x, y)),
        (Nested::Node(x), Nested::Node(y)) => (0..x.len().max(y.len()))
            .map(|i| leafwise(operation, x.get(i).unwrap_or(&zero), y.get(i).unwrap_or(&zero), f))
            .collect::<Result<_, _>>()
            .map(Nested::Node),
        _ => {
            let (tuple, found) = if matches!(a, Nested::Node(_)) { (a, b) } else { (b, a) };
            Err(Error::operand(operation, format!("a tuple or 0 beside {tuple}"), found).into())
        }
    }
}

closed! { Tuple {
    idx2crd_by = idx2crd_by_under(index: &Tuple, stride: &Tuple) -> Tuple;
} }
