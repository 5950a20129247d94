//! Extents that an operation requires to be equal: of arguments, as assertions.
//!
//! ```text
//! linalg.generic … (i, j) -> (i, j), (i, j) -> (j) …      %m = tensor.dim %x, %c1;  %n = tensor.dim %b, %c0
//!   ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>)   ->   cf.assert (%m = %n), "expected arg1_0 to be arg0_1 …"
//! ```
//!
//! `linalg` does not define an operation whose operands disagree, and kernels would read past the smaller one. Extents are followed to the arguments
//! that they are of; nothing is asserted of those that are computed.

use super::casts::{CAST, EQUAL};
use layout_dialect::{
    affine::indexing_maps,
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike,
    block::BlockArgument,
    operation::{OperationLike, OperationResult},
    r#type::{DimSize, RankedTensorType, ShapedTypeLike},
};
use std::fmt;

/// How many operations an extent is followed through.
const DEPTH: usize = 256;

/// An extent that a caller chooses, or a number.
#[derive(Clone, Copy, Debug)]
enum Extent<'c> {
    Known(i64),
    /// An argument's extent: the argument's number, and the dimension.
    Of(Val<'c>, usize, usize),
}

impl PartialEq for Extent<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a == b,
            (Self::Of(_, a, i), Self::Of(_, b, j)) => (a, i) == (b, j),
            _ => false,
        }
    }
}

impl fmt::Display for Extent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(known) => write!(f, "{known}"),
            Self::Of(_, number, dimension) => write!(f, "arg{number}_{dimension}"),
        }
    }
}

impl<'c> Extent<'c> {
    /// The extent of a tensor's dimension.
    fn of(mut tensor: Val<'c>, mut i: usize) -> Option<Self> {
        for _ in 0..DEPTH {
            match RankedTensorType::try_from(tensor.r#type()).ok()?.dim_size(i).ok()? {
                DimSize::Static(known) => return i64::try_from(known).ok().map(Self::Known),
                DimSize::Dynamic => {}
            }
            if let Ok(argument) = BlockArgument::try_from(tensor) {
                return Some(Self::Of(tensor, argument.argument_number(), i));
            }
            let made = tree::definition(tensor)?;
            let name = tree::name(made);
            tensor = match name.as_str() {
                "tensor.cast" => operand(made, 0),
                "tensor.insert_slice" => operand(made, 1),
                "tensor.empty" => {
                    let of = RankedTensorType::try_from(tensor.r#type()).ok()?;
                    let open = |i: &usize| matches!(of.dim_size(*i), Ok(DimSize::Dynamic));
                    let size = operand(made, (0..i).filter(open).count());
                    if let Some(known) = tree::constant(size) {
                        return Some(Self::Known(known));
                    }
                    let size = tree::definition(size)?;
                    (tree::name(size) == "tensor.dim").then_some(())?;
                    i = usize::try_from(tree::constant(operand(size, 1))?).ok()?;
                    operand(size, 0)
                }
                _ if name.starts_with("linalg.") => {
                    let number = OperationResult::try_from(tensor).ok()?.result_number();
                    let first = made.operand_count().checked_sub(made.result_count())?;
                    operand(made, first + number)
                }
                _ if is_elementwise(made) => tensors(made).next()?,
                _ => return None,
            };
        }
        None
    }

    fn emit(self, b: &Builder<'c>) -> Result<Val<'c>, melior::Error> {
        let index = Type::index(b.context());
        match self {
            Self::Known(known) => b.constant(index, known),
            Self::Of(tensor, _, i) => {
                let i = b.constant(index, i64::try_from(i).unwrap_or(i64::MAX))?;
                b.value("tensor.dim", &[tensor, i], index, &[])
            }
        }
    }
}

/// The extents of a function's arguments that are known to be equal.
#[derive(Default)]
pub(super) struct Equal<'c> {
    classes: Vec<Vec<Extent<'c>>>,
}

impl<'c> Equal<'c> {
    /// Asserts what an operation in the function's own block requires, and what is not asserted yet.
    pub(super) fn assert(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), melior::Error> {
        for all in loops(operation) {
            let mut all = all.into_iter();
            let Some(first) = all.next() else { continue };
            for other in all {
                if self.unite(first, other) {
                    assert(operation, first, other)?;
                }
            }
        }
        Ok(())
    }

    /// Notes that two are equal; whether that was not known.
    fn unite(&mut self, a: Extent<'c>, b: Extent<'c>) -> bool {
        let mut class = |one: Extent<'c>| {
            let found = self.classes.iter().position(|class| class.contains(&one));
            found.unwrap_or_else(|| {
                self.classes.push(vec![one]);
                self.classes.len() - 1
            })
        };
        let (a, b) = (class(a), class(b));
        if a == b {
            return false;
        }
        let other = self.classes.swap_remove(a.max(b));
        self.classes[a.min(b)].extend(other);
        true
    }
}

fn assert<'c>(
    operation: OperationRef<'c, 'c>,
    a: Extent<'c>,
    b: Extent<'c>,
) -> Result<(), melior::Error> {
    // The argument that comes last disagrees.
    let (expected, found) = match (a, b) {
        (Extent::Known(_), Extent::Known(_)) => return Ok(()),
        (Extent::Of(_, i, x), Extent::Of(_, j, y)) if (i, x) > (j, y) => (b, a),
        (Extent::Of(..), Extent::Known(_)) => (b, a),
        _ => (a, b),
    };
    let builder = Builder::before(operation).with_location(operation.location());
    let operands = [found.emit(&builder)?, expected.emit(&builder)?];
    let attributes = [("predicate", builder.i64_attribute(EQUAL))];
    let is_so = builder.value("arith.cmpi", &operands, builder.integer(1), &attributes)?;
    let name = tree::name(operation);
    let message = format!("expected {found} to be {expected}, since {name} has both as one loop");
    let attributes =
        [("msg", builder.string(&message)), (CAST, Attribute::unit(builder.context()))];
    builder.operation("cf.assert", &[is_so], &[], &attributes, vec![])?;
    Ok(())
}

/// The extents of operands along each loop of an operation.
fn loops<'c>(operation: OperationRef<'c, 'c>) -> Vec<Vec<Extent<'c>>> {
    if is_elementwise(operation) {
        let rank =
            |tensor: Val<'c>| RankedTensorType::try_from(tensor.r#type()).map(|own| own.rank());
        let rank = tensors(operation).next().and_then(|own| rank(own).ok()).unwrap_or(0);
        let along = |d| tensors(operation).filter_map(|own| Extent::of(own, d)).collect();
        return (0..rank).map(along).collect();
    }
    let is_ours = tree::name(operation).starts_with("linalg.");
    let Some(maps) = indexing_maps(operation).filter(|_| is_ours) else { return Vec::new() };
    let mut all = vec![Vec::new(); maps.first().map_or(0, |map| map.dimensions)];
    for (i, map) in maps.iter().enumerate() {
        for (place, coordinate) in map.results.iter().enumerate() {
            if let Some(d) = coordinate.dimension()
                && let Some(extent) = Extent::of(operand(operation, i), place)
            {
                all[d].push(extent);
            }
        }
    }
    all
}

/// Whether an operation of `arith` or `math` computes a tensor element by element.
fn is_elementwise(operation: OperationRef<'_, '_>) -> bool {
    let name = tree::name(operation);
    (name.starts_with("arith.") || name.starts_with("math."))
        && operation.result_count() == 1
        && RankedTensorType::try_from(result(operation, 0).r#type()).is_ok()
}

fn tensors<'c>(operation: OperationRef<'c, 'c>) -> impl Iterator<Item = Val<'c>> {
    let all = (0..operation.operand_count()).map(move |i| operand(operation, i));
    all.filter(|own| RankedTensorType::try_from(own.r#type()).is_ok())
}
