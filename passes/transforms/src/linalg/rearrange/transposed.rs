//! Contractions of several loops in one mode that are not one loop in memory: operands are transposed first, and the result back.
//!
//! ```text
//! %s = linalg.generic …   (b, s, h, d), (b, t, h, d) -> (b, h, s, t)   ->   %q = linalg.generic …   (b, s, h, d) -> (b, h, s, d)
//!                                                                           %k = linalg.generic …   (b, t, h, d) -> (b, h, t, d)
//!                                                                           %s = linalg.generic …   the contraction of both
//! ```
//!
//! A transposed operand has the loops of each mode beside each other, in the order of an operand that stays.

use super::{NewOperations, Rearranged, reordered};
use crate::linalg::{
    contraction::{Contraction, Dimensions},
    loops::Built,
    mixed::is_large,
};
use layout_dialect::{
    affine::IndexingMap,
    build::{Builder, operand},
};
use melior::ir::{OperationRef, operation::OperationLike};
use std::fmt;

/// The operands that are transposed: of A, B and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::linalg) struct Transposed([bool; 3]);

impl Transposed {
    /// All choices, the fewest and cheapest copies first: the result takes one more where it starts from values.
    pub(in crate::linalg) const ALL: [Self; 7] = [
        Self([true, false, false]),
        Self([false, true, false]),
        Self([false, false, true]),
        Self([true, true, false]),
        Self([true, false, true]),
        Self([false, true, true]),
        Self([true, true, true]),
    ];

    /// Builds the contraction of transposed operands beside one on tensors; returns `None` where M or N is small, so that a kernel of rows
    /// reads operands once, and where a coordinate is no single loop.
    pub(in crate::linalg) fn build<'c>(
        self,
        old: OperationRef<'c, 'c>,
    ) -> Built<Option<Rearranged<'c>>> {
        let Ok(own) = Contraction::read(old) else { return Ok(None) };
        if old.result_count() != 1 || !is_large(old, &own.maps) {
            return Ok(None);
        }
        let mut orders = Vec::with_capacity(3);
        for (number, map) in own.maps.iter().enumerate() {
            let Some(loops) = loops(map) else { return Ok(None) };
            let mut order: Vec<usize> = (0..loops.len()).collect();
            if self.0[number] {
                order.sort_by_key(|&place| self.key(&own, number, loops[place]));
                // Another choice transposes fewer operands.
                if order.is_sorted() {
                    return Ok(None);
                }
            }
            orders.push(order);
        }
        let b = Builder::before(old).with_location(old.location());
        let mut made = NewOperations::new();
        let mut inputs = Vec::with_capacity(2);
        for (number, order) in orders.iter().enumerate().take(2) {
            let (tensor, map) = (operand(old, number), &own.maps[number].results);
            let tensor = match self.0[number] {
                true => reordered((&b, &mut made), tensor, order, old)?,
                false => tensor,
            };
            inputs.push((tensor, super::permuted(map, order)));
        }
        Rearranged::computed((&b, made), (old, &own), &inputs, &orders[2]).map(Some)
    }

    /// Where a loop is among those of an operand: modes in the order batch, rows, columns, and loops of a mode as in the first operand that
    /// has the mode and stays, else as in the first that has it.
    fn key(self, own: &Contraction<'_>, number: usize, d: usize) -> (usize, Option<usize>) {
        let Dimensions { m, n, k, batch } = &own.dimensions;
        let (mode, holders): (_, &[usize]) = match d {
            d if batch.contains(&d) => (0, &[2, 0, 1]),
            d if m.contains(&d) => (1, &[2, 0]),
            d if n.contains(&d) => (1 + usize::from(number == 2), &[2, 1]),
            d => {
                debug_assert!(k.contains(&d));
                (2, &[0, 1])
            }
        };
        let stays = holders.iter().find(|&&holder| !self.0[holder]);
        let holder = stays.or(holders.first()).copied().unwrap_or(number);
        let place = own.maps[holder].results.iter().position(|own| own.dimension() == Some(d));
        (mode, place)
    }
}

impl fmt::Display for Transposed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["A", "B", "C"].into_iter().zip(self.0);
        let names: Vec<&str> = names.filter_map(|(name, is)| is.then_some(name)).collect();
        match names.split_last() {
            Some((last, [])) => write!(f, "{last}"),
            Some((last, others)) => write!(f, "{} and {last}", others.join(", ")),
            None => Ok(()),
        }
    }
}

/// The loops that a map's coordinates are, if each is one.
fn loops(map: &IndexingMap) -> Option<Vec<usize>> {
    let loops: Vec<usize> = map.results.iter().map(|own| own.dimension()).collect::<Option<_>>()?;
    let mut sorted = loops.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (sorted.len() == loops.len()).then_some(loops)
}
