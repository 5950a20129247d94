//! The dialect's operations from Rust: [`new()`] builds one, and the others read their attributes.

mod adaptor;
mod arithmetic;
mod atomic;
mod barriers;
mod blame;
mod calls;
mod canonical;
mod check;
mod compare;
mod construct;
mod cooperative;
mod copy;
pub mod dynamic;
pub mod epilogue;
pub mod expand;
mod fold;
pub mod fragments;
pub mod im2col;
mod index;
mod infer;
pub(crate) mod interface;
mod kernel;
mod matrix;
mod new;
mod parts;
mod pipeline;
mod prelude;
mod ranges;
pub mod reductions;
mod relate;
mod tiled;
mod tuples;
mod verify;
mod views;

pub use atomic::Atomic;
pub use matrix::{is_mixed, multiplied_type};
pub use new::{New, SliceCoord, new};

use crate::{
    atoms::{Atom, choice::Choice, im2col::Window, schedule::Schedule},
    data::{
        attributes::{self, AtomAttribute, ScheduleAttribute, TermAttribute},
        coordinate::Pattern,
        evaluate::to_shape,
    },
    diagnostics::violation::Violation,
    ops::adaptor::Adaptor,
    pass::{
        build::{Val, operand},
        tree,
    },
};
use layout_algebra::{Term, Tuple};
use melior::{
    Context, Error,
    ir::{
        Attribute, OperationRef, RegionLike,
        attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute},
        operation::OperationLike,
    },
};
use std::ops::Range;

/// The integer of an attribute.
pub(crate) fn integer_attribute<'c: 'a, 'a>(
    operation: &impl OperationLike<'c, 'a>,
    name: &str,
) -> Result<i64, Error> {
    Ok(IntegerAttribute::try_from(operation.attribute(name)?)?.value())
}

/// The attribute that says how many operands there are of each kind.
const SEGMENTS: &str = "operandSegmentSizes";

/// The atom of a `layout.copy` or `layout.mma`.
pub fn atom<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<&'static Atom, Error> {
    AtomAttribute::try_from(operation.attribute("atom")?)?.atom()
}

/// The atom whose instructions an operation becomes: of a `layout.copy`, `layout.cooperative_copy` or `layout.mma`.
pub fn instruction(operation: OperationRef<'_, '_>) -> Option<&'static Atom> {
    match tree::name(operation).as_str() {
        "layout.copy" | "layout.mma" => atom(operation).ok(),
        cooperative::NAME => Some(cooperative::tiled_copy(operation).ok()?.atom()),
        _ => None,
    }
}

/// The schedule of a `layout.matmul`.
pub fn choice<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Choice, Error> {
    ScheduleAttribute::try_from(operation.attribute("schedule")?)?.choice()
}

/// The schedule of a `layout.matmul`.
pub fn schedule<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Schedule, Error> {
    ScheduleAttribute::try_from(operation.attribute("schedule")?)?.schedule()
}

/// The integers of a `layout.pipeline`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineFacts {
    /// Steps of a tile, or the most of them.
    pub depth: i64,
    /// Whether a region computes the number of steps of a tile.
    pub varies: bool,
    /// Steps that may be loaded ahead.
    pub stages: i64,
    /// Threads that multiply.
    pub consumers: i64,
    /// Consumer groups of them, which take tiles alternately.
    pub ping_pong: i64,
    /// Blocks along (M, N) that load tiles for each other.
    pub cluster: (i64, i64),
}

impl PipelineFacts {
    /// Threads of a consumer group; `ping_pong` is at least 1 in verified operations.
    pub fn group_threads(&self) -> i64 {
        self.consumers / self.ping_pong.max(1)
    }
}

/// The number of the region of a `layout.pipeline` that computes the number of steps of a tile.
pub const PIPELINE_STEPS: usize = 4;

/// Whether an operation is a barrier at which all threads of the block must arrive, or of the cluster.
pub fn is_block_barrier(operation: OperationRef<'_, '_>) -> bool {
    match tree::name(operation).as_str() {
        "gpu.barrier"
        | "nvvm.barrier0"
        | "nvvm.cluster.arrive"
        | "nvvm.cluster.arrive.relaxed"
        | "nvvm.cluster.wait" => true,
        // With an id and the number of its threads it is for some of them.
        "nvvm.barrier" => operation.operand_count() < 2,
        _ => false,
    }
}

/// The integers of a `layout.pipeline`.
pub fn pipeline<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<PipelineFacts, Error> {
    let number = |name| integer_attribute(&operation, name);
    let cluster = match operation.attribute("cluster") {
        Err(_) => (1, 1),
        Ok(extents) => {
            let extents = DenseI64ArrayAttribute::try_from(extents)?;
            (extents.element(0)?, extents.element(1)?)
        }
    };
    Ok(PipelineFacts {
        cluster,
        ping_pong: operation.attribute("ping_pong").map_or(Ok(1), |_| number("ping_pong"))?,
        varies: operation.region(PIPELINE_STEPS).is_ok_and(|region| region.first_block().is_some()),
        depth: number("depth")?,
        stages: number("stages")?,
        consumers: number("consumers")?,
    })
}

/// The term of a `layout.constant`, `layout.composition` or divide.
pub fn term<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Term, Error> {
    let attribute = TermAttribute::try_from(operation.attribute("term")?)?;
    attribute.term().map_err(|_| Error::AttributeParse(attribute.text()))
}

/// The coordinate of a `layout.slice`, `layout.crd2idx`, `layout.load` or `layout.store`; its
/// operands are the operation's last.
pub fn coordinate<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Pattern, Error> {
    let attribute = operation.attribute("coord")?;
    let text = tree::text(attribute)
        .ok_or_else(|| Error::AttributeExpected("string", attribute.to_string()))?;
    text.parse().map_err(|_| Error::AttributeParse(text))
}

/// As [`coordinate`], with the parser's message.
pub(crate) fn pattern(operation: OperationRef<'_, '_>) -> Result<Pattern, Violation> {
    Adaptor::of(operation).pattern()
}

/// A predicate of a `layout.copy` or `layout.cooperative_copy`: the identity tensor with its coordinates, and their
/// limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predicate<'c> {
    /// An identity tensor.
    pub view: Val<'c>,
    /// Its limit.
    pub limit: Limit<'c>,
}

/// The limit of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit<'c> {
    /// A number.
    Known(i64),
    /// An `index` at run time.
    At(Val<'c>),
}

impl Limit<'_> {
    /// The entry of `limits` for a limit that is known at run time: MLIR's mark of a dynamic size.
    pub const DYNAMIC: i64 = i64::MIN;

    /// The number, where it is known.
    pub fn known(&self) -> Option<i64> {
        match self {
            Self::Known(limit) => Some(*limit),
            Self::At(_) => None,
        }
    }
}

/// The predicates of a `layout.copy`.
///
/// # Errors
///
/// An operation without `limits`, or with fewer operands than these require.
pub fn predicates<'c>(operation: OperationRef<'c, '_>) -> Result<Vec<Predicate<'c>>, Error> {
    const FIRST: usize = 2;
    let limits = limits(operation)?;
    let mut next = FIRST + limits.len();
    let take = |place: usize| {
        if place < operation.operand_count() {
            Ok(operand(operation, place))
        } else {
            Err(Error::PositionOutOfBounds {
                name: "operand",
                value: operation.to_string(),
                index: place,
            })
        }
    };
    let mut predicates = Vec::with_capacity(limits.len());
    for (i, limit) in limits.into_iter().enumerate() {
        let view = take(FIRST + i)?;
        let limit = match limit {
            Limit::DYNAMIC => {
                next += 1;
                Limit::At(take(next - 1)?)
            }
            limit => Limit::Known(limit),
        };
        predicates.push(Predicate { view, limit });
    }
    Ok(predicates)
}

/// The limits of a `layout.copy`'s predicates as they are in its attribute.
pub(crate) fn limits(operation: OperationRef<'_, '_>) -> Result<Vec<i64>, Error> {
    attributes::integers(operation.attribute("limits")?)
}

/// The window of a `layout.copy_im2col`, or of a `layout.matmul` that is a convolution.
///
/// # Errors
///
/// An attribute of other numbers.
pub fn window<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Option<Window>, Error> {
    let Ok(attribute) = operation.attribute("window") else { return Ok(None) };
    let numbers = attributes::integers(attribute)?;
    Window::of(&numbers).map(Some).map_err(|refused| Error::AttributeParse(refused.to_string()))
}

/// The place of a `layout.matmul`'s second B among its operands, the last, if it has one: the operands of the epilogue are
/// between C and it.
pub fn dual(matmul: OperationRef<'_, '_>) -> Option<usize> {
    const PLACE: usize = 4;
    let segments = matmul.attribute(SEGMENTS).and_then(attributes::integers).ok()?;
    let is_there = segments.get(PLACE) == Some(&1);
    matmul.operand_count().checked_sub(1).filter(|_| is_there)
}

/// The places of the operands of a `layout.matmul`'s epilogue.
pub fn others(matmul: OperationRef<'_, '_>) -> Range<usize> {
    3..dual(matmul).unwrap_or(matmul.operand_count()).max(3)
}

/// The attribute `operandSegmentSizes` of a `layout.matmul`, with the number of its epilogue's operands, and whether it
/// has a second B.
pub fn matmul_segments(
    context: &Context,
    others: usize,
    dual: bool,
) -> (&'static str, Attribute<'_>) {
    let others = i32::try_from(others).unwrap_or(i32::MAX);
    let counts = [1, 1, 1, others, i32::from(dual)];
    (SEGMENTS, DenseI32ArrayAttribute::new(context, &counts).into())
}

/// Readers of attributes that may be absent: whether one is there, and the integer of one.
macro_rules! optional {
    ($($(#[$doc:meta])* $name:ident $attribute:literal $(-> $of:ty)?;)*) => { $(
        optional!(@ $(#[$doc])* $name $attribute $(-> $of)?);
    )* };
    (@ $(#[$doc:meta])* $name:ident $attribute:literal) => {
        $(#[$doc])*
        pub fn $name<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> bool {
            operation.attribute($attribute).is_ok()
        }
    };
    (@ $(#[$doc:meta])* $name:ident $attribute:literal -> $of:ty) => {
        $(#[$doc])*
        pub fn $name<'c: 'a, 'a>(
            operation: impl OperationLike<'c, 'a>,
        ) -> Result<Option<$of>, Error> {
            let there = operation.attribute($attribute).ok();
            there.map(|_| integer_attribute(&operation, $attribute)).transpose()
        }
    };
}

optional! {
    /// Whether a `layout.mma` accumulates its own K from zero and then adds the result to the accumulators.
    has_two_levels "two_level_accumulation";
    /// Whether a `layout.mma` overwrites its accumulators.
    overwrites "overwrite";
    /// Whether a `layout.mma` stays in flight after the operation, until a `layout.wait_mma`.
    is_async "async";
    /// Whether a `layout.copy` loads evict-first: its lines leave the L2 cache before all others.
    evicts_first "evict_first";
    /// The mode of a cluster along which a `layout.copy` loads for others, if it does.
    multicast "multicast" -> i64;
    /// The predicate of a `layout.copy` beyond whose limit elements need not be zero, if there is one.
    no_zfill "no_zfill" -> i64;
}

/// The shape of a `layout.idx2crd`.
pub fn idx2crd_shape<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Tuple, Error> {
    let attribute = TermAttribute::try_from(operation.attribute("shape")?)?;
    attribute
        .term()
        .and_then(|term| term.eval())
        .and_then(to_shape)
        .map_err(|_| Error::AttributeParse(attribute.text()))
}

/// The extents of a `layout.idx2crd`'s results, in their order.
pub fn idx2crd_extents<'c: 'a, 'a>(
    operation: impl OperationLike<'c, 'a>,
) -> Result<Vec<i64>, Error> {
    Ok(idx2crd_shape(operation)?.leaves())
}

/// The number that a `layout.size`, `layout.cosize`, `layout.rank` or `layout.depth` gives; nothing
/// for other operations.
pub fn static_index<'c: 'a, 'a>(
    operation: impl OperationLike<'c, 'a>,
) -> Result<Option<i64>, Error> {
    // SAFETY: the operation is valid for as long as the argument is.
    let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
    let name = tree::name(operation);
    Ok(crate::ops::fold::static_index(name.strip_prefix("layout.").unwrap_or(&name), operation))
}
