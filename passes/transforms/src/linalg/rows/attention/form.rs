//! Where an operand's elements are, as multiples of loops' variables: the coordinates of a load, times the strides of its tensor.

use super::super::{
    coordinate::{CoordId, Coordinate},
    extent::Extent,
    graph::Graph,
};
use crate::linalg::Reason;
use layout_dialect::build::Val;
use std::collections::BTreeMap;

/// An offset: a constant, and for each loop its stride.
#[derive(Clone, Debug)]
pub(super) struct Form<'c> {
    pub(super) strides: BTreeMap<usize, Extent<'c>>,
    pub(super) constant: i64,
}

/// Why coordinates have no form.
#[derive(Debug)]
pub(super) enum NoForm {
    /// They have one where this loop is two, the faster one of this size.
    Split(usize, i64),
    /// They are of something else.
    Unlike,
    Refused(Reason),
}

impl From<&str> for NoForm {
    fn from(reason: &str) -> Self {
        Self::Refused(reason.to_owned())
    }
}

impl From<Reason> for NoForm {
    fn from(reason: Reason) -> Self {
        Self::Refused(reason)
    }
}

impl<'c> Form<'c> {
    /// The form of an element's offset in a tensor without gaps.
    pub(super) fn of(graph: &Graph<'c>, tensor: Val<'c>, at: &[CoordId]) -> Result<Self, NoForm> {
        let extents = Extent::all(tensor)?;
        let mut form = Self { strides: BTreeMap::new(), constant: 0 };
        for (i, &at) in at.iter().enumerate() {
            form.add(graph, at, Extent::product(extents[i + 1..].to_vec())?)?;
        }
        match form.constant {
            0.. => Ok(form),
            found => Err(format!("expected offsets from 0 on, found {found}").into()),
        }
    }

    /// The stride of a loop, where that is known; 0 where they do not.
    pub(super) fn known(&self, number: usize) -> Option<i64> {
        self.strides.get(&number).map_or(Some(0), Extent::known)
    }

    /// The number that divides all offsets but along a loop.
    pub(super) fn divisor_without(&self, number: usize) -> i64 {
        let others = self.strides.iter().filter(|(own, _)| **own != number);
        let each = others.map(|(_, stride)| divisor(stride));
        each.fold(self.constant, num_integer::gcd)
    }

    fn add(&mut self, graph: &Graph<'c>, at: CoordId, factor: Extent<'c>) -> Result<(), NoForm> {
        let coordinates = &graph.coordinates;
        match coordinates.get(at) {
            Coordinate::Known(0) => Ok(()),
            Coordinate::Known(known) => {
                let overflow = || "expected offsets below 2^63";
                let factor = factor.known().ok_or("expected offsets that are known")?;
                let own = known.checked_mul(factor).ok_or_else(overflow)?;
                self.constant = self.constant.checked_add(own).ok_or_else(overflow)?;
                Ok(())
            }
            Coordinate::Loop(number) => {
                let own = match self.strides.remove(number) {
                    None => factor,
                    Some(before) => match (before.known(), factor.known()) {
                        (Some(a), Some(b)) => {
                            Extent::Known(a.checked_add(b).ok_or("expected strides below 2^63")?)
                        }
                        _ => return Err("expected a loop in one coordinate".into()),
                    },
                };
                self.strides.insert(*number, own);
                Ok(())
            }
            Coordinate::Sum(a, b) => {
                self.add(graph, *a, factor.clone())?;
                self.add(graph, *b, factor)
            }
            Coordinate::Product(a, b) => match (size(graph, *a), size(graph, *b)) {
                (_, Some(own)) => self.add(graph, *a, times(factor, own)?),
                (Some(own), _) => self.add(graph, *b, times(factor, own)?),
                _ => Err("expected multiples of loops".into()),
            },
            Coordinate::Linear(digits) => {
                let mut place = factor;
                for (digit, own) in digits.iter().rev() {
                    self.add(graph, *digit, place.clone())?;
                    let own = size(graph, *own).ok_or("expected sizes of loops")?;
                    place = times(place, own)?;
                }
                Ok(())
            }
            Coordinate::Quotient(a, b) | Coordinate::Remainder(a, b) => {
                match (coordinates.get(*a), coordinates.known(*b)) {
                    (Coordinate::Loop(number), Some(size)) => Err(NoForm::Split(*number, size)),
                    _ => Err("expected coordinates that are linear in the loops".to_owned().into()),
                }
            }
            Coordinate::Size(_) | Coordinate::Value(_) => {
                Err("expected coordinates of loops, found one that is computed".into())
            }
        }
    }
}

/// A coordinate that is a size.
fn size<'c>(graph: &Graph<'c>, at: CoordId) -> Option<Extent<'c>> {
    match graph.coordinates.get(at) {
        Coordinate::Known(known) => Some(Extent::Known(*known)),
        Coordinate::Size(number) => graph.sizes.get(*number).cloned(),
        _ => None,
    }
}

/// The product of two sizes, of their factors.
pub(super) fn times<'c>(a: Extent<'c>, b: Extent<'c>) -> Result<Extent<'c>, Reason> {
    let factors = |one: Extent<'c>| match one {
        Extent::Product(all) => all,
        other => vec![other],
    };
    Extent::product([factors(a), factors(b)].concat())
}

/// The greatest number that is known to divide a size.
pub(super) fn divisor(extent: &Extent<'_>) -> i64 {
    match extent {
        Extent::Known(known) => *known,
        Extent::Product(all) => all
            .iter()
            .filter_map(Extent::known)
            .fold(1, |product: i64, own| product.checked_mul(own).unwrap_or(product)),
        _ => 1,
    }
}
