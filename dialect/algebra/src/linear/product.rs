//! Composition and direct sums of linear layouts.

use super::{
    LinearLayout,
    dims::{Dims, listed, sum},
};
use crate::error::{Error, Result};
use alloc::{format, vec::Vec};

impl LinearLayout {
    /// This layout, and then `outer`: `x` goes to `outer(self(x))`. Its matrix is
    /// `outer.matrix() * self.matrix()`.
    ///
    /// The outputs of this layout are the inputs of `outer`, by name; their order does not matter.
    ///
    /// # Errors
    ///
    /// Other names; an output that is larger than the input of `outer` of that name.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let held: LinearLayout = "linear<{lane = [1,2]} -> {element = 4}>".parse()?;
    /// let stored: LinearLayout = "linear<{element = [4,1]} -> {bank = 8}>".parse()?;
    /// assert_eq!(held.compose(&stored)?.to_string(), "linear<{lane = [4,1]} -> {bank = 8}>");
    /// assert_eq!(
    ///     stored.compose(&held).unwrap_err().to_string(),
    ///     "compose: expected an outer layout with inputs (bank), found (lane)"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn compose(&self, outer: &Self) -> Result<Self> {
        if !self.outs.same_names(&outer.ins.names().collect::<Vec<_>>()) {
            let expected = format!("an outer layout with inputs {}", self.outs.listed());
            return Err(Error::operand("compose", expected, outer.ins.listed()));
        }
        for (name, size) in self.out_dims() {
            if let Some(found) = outer.in_size(name).filter(|&found| found < size) {
                let expected = format!("an outer layout with at least {size} of {name}");
                return Err(Error::operand("compose", expected, found));
            }
        }
        let columns = self
            .columns
            .iter()
            .map(|&column| {
                // Each part fits, since no output is larger than the input of its name.
                sum(&outer.columns, self.outs.repack(column, &outer.ins).unwrap_or(0))
            })
            .collect();
        Ok(Self::from_parts(self.ins.clone(), outer.outs.clone(), columns))
    }

    /// The direct sum, Triton's `*`: this layout for the low bits of each dimension, `other` for the
    /// high ones. Its matrix has the two as blocks on its diagonal.
    ///
    /// Sizes of dimensions that both have multiply; a dimension that only one has is of size 1 in
    /// the other. So `this` says how a tile is held, and `other` where the tiles are:
    ///
    /// ```text
    ///   identity 4  *  identity 2  =  identity 8
    ///   identity 4  *  zeros 2     =  x mod 4          the tile is held twice
    ///   zeros 2     *  identity 4  =  x / 2            each element is held twice
    /// ```
    ///
    /// Dimensions that both have must come in the same order. Not commutative; associative where the
    /// names leave no choice of order; [`empty`](Self::empty) is neutral; surjective (injective)
    /// exactly if both are.
    ///
    /// # Errors
    ///
    /// Dimensions in another order; too many bits.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let registers = LinearLayout::identity1d(2, "register", "col")?;
    /// let lanes = LinearLayout::identity1d(4, "lane", "col")?;
    /// let text = "linear<{register = [1], lane = [2,4]} -> {col = 8}>";
    /// assert_eq!(registers.product(&lanes)?.to_string(), text);
    ///
    /// let ab: LinearLayout = "linear<{a = [], b = []} -> {}>".parse()?;
    /// let ba: LinearLayout = "linear<{b = [], a = []} -> {}>".parse()?;
    /// assert_eq!(
    ///     ab.product(&ba).unwrap_err().to_string(),
    ///     "product: expected dimensions in the same order, found (a, b) and (b, a)"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn product(&self, other: &Self) -> Result<Self> {
        let ins = joined(&self.ins, &other.ins)?;
        let outs = joined(&self.outs, &other.outs)?;
        let mut columns = Vec::new();
        for (name, _) in ins.spans() {
            columns.extend(self.columns_of(name).iter().map(|&column| {
                // The low bits of each output are where they were within it.
                self.outs.repack(column, &outs).unwrap_or(0)
            }));
            columns.extend(other.columns_of(name).iter().map(|&column| {
                other.outs.spans().fold(0, |packed, (name, span)| {
                    let low = self.outs.span(name).map_or(0, |span| span.bits);
                    let shift = outs.span(name).map_or(0, |span| span.shift) + low;
                    packed | span.of(column) << shift
                })
            }));
        }
        Ok(Self::from_parts(ins, outs, columns))
    }

    /// The columns of an input dimension; empty if no dimension has that name.
    pub(super) fn columns_of(&self, name: &str) -> &[u64] {
        let range = self
            .ins
            .span(name)
            .map_or(0..0, |span| span.shift as usize..(span.shift + span.bits) as usize);
        self.columns.get(range).unwrap_or(&[])
    }
}

/// The dimensions of both, with sizes multiplied, in the one order that both agree with; where they
/// leave it open, those of `a` come first.
fn joined(a: &Dims, b: &Dims) -> Result<Dims> {
    let (first, second): (Vec<&str>, Vec<&str>) = (a.names().collect(), b.names().collect());
    let disagree = || {
        let expected = "dimensions in the same order";
        Error::operand("product", expected, format!("{} and {}", listed(&first), listed(&second)))
    };
    let bits = |name: &str| {
        let bits = |dims: &Dims| dims.span(name).map_or(0, |span| span.bits);
        bits(a) + bits(b)
    };
    let (mut left, mut right) = (first.as_slice(), second.as_slice());
    let mut order = Vec::new();
    loop {
        let next = match (left.split_first(), right.split_first()) {
            (None, None) => return Dims::new("product", order),
            (Some((&name, rest)), _) if !right.contains(&name) => {
                left = rest;
                name
            }
            (_, Some((&name, rest))) if !left.contains(&name) => {
                right = rest;
                name
            }
            (Some((&x, xs)), Some((&y, ys))) if x == y => {
                (left, right) = (xs, ys);
                x
            }
            _ => return Err(disagree()),
        };
        order.push((next, bits(next)));
    }
}
