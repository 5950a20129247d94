//! Convolutions with their channels last, and elementwise operations in the order of their results: transposes move
//! after them, and inverse transposes that meet cancel.
//!
//! ```text
//! %s = conv_2d_nchw_fchw %x, %w              %x' = copy (n, h, w, c); %s' = conv (n, p, q, f) %x', %w
//! %y = relu %s                               %y' = relu %s'
//! %z = conv_2d_nchw_fchw %y, %v       ->     %z' = conv (n, p, q, f) %y', %v;  %z = copy (n, f, p, q) %z'
//! ```

use super::{NAME, moves::Move};
use crate::linalg::{
    contraction::Contraction,
    loops::{Built, Stop, element, empty, extents, identity, inlined, one, sizes},
    rearrange::{Rearranged, Target, has_windows, known, put_back, through},
};
use layout_dialect::{
    affine::{Linear, indexing_maps},
    build::{Builder, Val, first_result, operand},
    diagnostics, tree,
};
use melior::ir::{BlockLike, OperationRef, ValueLike, operation::OperationLike};
use std::collections::HashSet;

/// Visits the operations below `root` in order; the number of copies that moved or went.
pub(super) fn run<'c>(root: OperationRef<'c, '_>, chip: &str) -> Result<u64, melior::Error> {
    let mut own = Transposes { of_convolutions: HashSet::new(), count: 0 };
    let mut all = Vec::new();
    tree::visit(root, &mut |operation| {
        let is_structured = tree::name(operation).starts_with("linalg.");
        if is_structured && operation.result_count() == 1 {
            all.push(operation);
        }
        !is_structured
    });
    for operation in all {
        match own.visit(operation, chip) {
            // An operation that cannot be read stays as it is.
            Ok(()) | Err(Stop::Left(_)) => {}
            Err(Stop::Failed(error)) => return Err(error),
        }
    }
    Ok(own.count)
}

struct Transposes {
    /// The values that convolutions make, or elementwise operations of such.
    of_convolutions: HashSet<usize>,
    count: u64,
}

impl Transposes {
    fn visit<'c>(&mut self, operation: OperationRef<'c, 'c>, chip: &str) -> Built<()> {
        let result = first_result(operation);
        if Contraction::read(operation).is_ok_and(|own| has_windows(&own)) {
            match Rearranged::of(operation, Target::Image, chip)? {
                None => {
                    self.of_convolutions.insert(tree::key(result));
                }
                Some(made) => {
                    self.of_convolutions.insert(tree::key(first_result(made.contraction)));
                    self.count += 1;
                    diagnostics::remark(
                        operation,
                        &format!(
                            "{NAME} computes the convolution with its channels last, and transposes the result back after the elementwise operations"
                        ),
                    );
                    made.replace();
                }
            }
            return Ok(());
        }
        let transpose = |of| Move::of(of).and_then(|copy| Some((copy.order()?, copy)));
        if let Some((places, copy)) = transpose(result) {
            // A copy of a copy that puts everything back.
            let at = |place: usize| places.iter().position(|&own| own == place);
            let order: Option<Vec<usize>> = (0..places.len()).map(at).collect();
            let known = order.and_then(|order| known(copy.source, &order, operation));
            if let Some(known) = known.filter(|known| known.r#type() == result.r#type()) {
                tree::replace_uses(result, known);
                self.count += 1;
            }
            return Ok(());
        }
        let Some(elementwise) = Elementwise::read(operation) else { return Ok(()) };
        let copies = elementwise.inputs.iter().filter_map(|(input, map)| {
            let (places, copy) = transpose(*input)?;
            let is_own = *map == identity(map.len())
                && self.of_convolutions.contains(&tree::key(copy.source))
                && tree::users(copy.operation).count() == 1;
            is_own.then_some(places)
        });
        for order in copies.collect::<Vec<_>>() {
            if let Some(made) = elementwise.in_order(&order)? {
                self.of_convolutions.insert(tree::key(made));
                self.count += 1;
                break;
            }
        }
        Ok(())
    }
}

/// An operation that computes each element of its result, at the coordinates of its loops, from elements of its inputs.
struct Elementwise<'c> {
    operation: OperationRef<'c, 'c>,
    inputs: Vec<(Val<'c>, Vec<Linear>)>,
}

impl<'c> Elementwise<'c> {
    fn read(operation: OperationRef<'c, 'c>) -> Option<Self> {
        let maps = indexing_maps(operation)?;
        let (last, inputs) = maps.split_last()?;
        let body = tree::entry(operation)?;
        let count = operation.operand_count();
        let is_own = last.results == identity(last.dimensions) && maps.len() == count;
        let old = tree::argument(body, body.argument_count().checked_sub(1)?);
        let has_index =
            tree::all(operation).into_iter().any(|inner| tree::name(inner) == "linalg.index");
        (is_own && !tree::is_used(old) && !has_index).then_some(())?;
        let inputs = inputs.iter().enumerate();
        let inputs = inputs.map(|(i, map)| (operand(operation, i), map.results.clone()));
        Some(Self { operation, inputs: inputs.collect() })
    }

    /// Computes the elements in another order, and restores their order afterwards; returns `None` if an input would be read in the old one.
    fn in_order(&self, order: &[usize]) -> Built<Option<Val<'c>>> {
        let result = first_result(self.operation);
        let rank = extents(result).len();
        if order.len() != rank {
            return Ok(None);
        }
        // The new dimension of each loop.
        let inside = |d: usize| order.iter().position(|&own| own == d).unwrap_or(d);
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (input, map) in &self.inputs {
            let moved: Option<Vec<Linear>> = map
                .iter()
                .map(|result| {
                    let terms = result.terms.iter().map(|&(d, factor)| (inside(d), factor));
                    let terms: Vec<(usize, i64)> = terms.collect();
                    (terms.len() <= 1).then_some(Linear { terms, constant: result.constant })
                })
                .collect();
            let Some(moved) = moved else { return Ok(None) };
            let is_whole = *map == identity(rank);
            let other = match is_whole {
                true => known(*input, order, self.operation).map(|found| (found, identity(rank))),
                false => None,
            };
            let (source, from) = other.unwrap_or_else(|| through(*input, moved));
            // A vector along one dimension is read in any order.
            let along = from.iter().filter(|result| !result.terms.is_empty()).count();
            if along > 1 && from != identity(rank) {
                return Ok(None);
            }
            inputs.push((source, from));
        }
        let b = Builder::before(self.operation).with_location(self.operation.location());
        let start = operand(self.operation, self.inputs.len());
        let of = sizes(&b, start)?;
        let of: Vec<_> = order.iter().map(|&place| of[place]).collect();
        let held = (empty(&b, &of, element(result)?)?, identity(rank));
        let body = tree::entry(self.operation).ok_or(melior::Error::OperationBuild)?;
        let computes = |b: &Builder<'c>, values: &[Val<'c>]| inlined(b, body, values);
        let made = one(&b, rank, &inputs, held, computes)?;
        let back = put_back((&b, &mut Vec::new()), (made, start), order)?;
        tree::replace_uses(result, back);
        tree::erase(self.operation);
        Ok(Some(made))
    }
}
