//! The dialect's operations from Rust: builders, and readers of their attributes.
//!
//! A builder makes one operation, with result types inferred; when inference fails it has emitted
//! a diagnostic at the location and the builder returns [`Error::OperationBuild`].

mod arithmetic;
mod blame;
mod calls;
mod canonical;
mod compare;
mod construct;
pub mod dynamic;
pub mod epilogue;
pub mod expand;
mod fold;
mod infer;
pub(crate) mod interface;
mod parts;
mod ranges;
mod subject;
mod tuples;
mod verify;
mod views;

use crate::{
    atoms::{Atom, choice::Choice, schedule::Schedule},
    data::{
        attributes::{self, AtomAttribute, RelationAttribute, ScheduleAttribute, TermAttribute},
        coordinate::Pattern,
        evaluate::to_shape,
        types::ViewType,
    },
    diagnostics::violation::Violation,
    ops::subject::Subject,
};
use layout_algebra::{Term, Tuple};
use melior::{
    Context, Error,
    ir::{
        Attribute, Identifier, Location, Operation, OperationRef, Region, RegionLike, Type, Value,
        attribute::{DenseI64ArrayAttribute, IntegerAttribute, StringAttribute},
        operation::{OperationBuilder, OperationLike},
        r#type::IntegerType,
    },
};

/// A coordinate of [`slice()`], [`crd2idx`], [`load`] and [`store`].
#[derive(Clone, Debug)]
pub enum SliceCoord<'c, 'a> {
    /// `_`: keep the mode.
    Any,
    /// A known index.
    At(i64),
    /// An index at run time.
    Value(Value<'c, 'a>),
    /// One for each mode.
    Tuple(Vec<SliceCoord<'c, 'a>>),
}

impl<'c, 'a> SliceCoord<'c, 'a> {
    /// The pattern, with the values appended to `operands` in its order.
    pub fn pattern(&self, operands: &mut Vec<Value<'c, 'a>>) -> Pattern {
        match self {
            Self::Any => Pattern::Any,
            Self::At(value) => Pattern::At(*value),
            Self::Value(value) => {
                operands.push(*value);
                Pattern::Dynamic
            }
            Self::Tuple(entries) => {
                Pattern::Tuple(entries.iter().map(|entry| entry.pattern(operands)).collect())
            }
        }
    }
}

/// A guard of [`copy`]: an `iota` view, and what its elements must stay below.
pub type Guard<'c, 'a> = (Value<'c, 'a>, i64);

struct Parts<'c, 'a> {
    name: &'static str,
    operands: Vec<Value<'c, 'a>>,
    attributes: Vec<(&'static str, Attribute<'c>)>,
}

impl<'c> Parts<'c, '_> {
    fn build(
        self,
        context: &'c Context,
        results: Option<&[Type<'c>]>,
        location: Location<'c>,
    ) -> Result<Operation<'c>, Error> {
        let attributes: Vec<_> = self
            .attributes
            .into_iter()
            .map(|(name, attribute)| (Identifier::new(context, name), attribute))
            .collect();
        let builder = OperationBuilder::new(self.name, location)
            .add_operands(&self.operands)
            .add_attributes(&attributes);
        match results {
            Some(results) => builder.add_results(results),
            None => builder.enable_result_type_inference(),
        }
        .build()
    }
}

/// `layout.constant`.
///
/// # Errors
///
/// A term that does not evaluate to a layout.
pub fn constant<'c>(
    context: &'c Context,
    term: &Term,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let attributes = vec![("term", TermAttribute::new(context, term).into())];
    Parts { name: "layout.constant", operands: vec![], attributes }.build(context, None, location)
}

macro_rules! unary {
    ($($name:ident: $called:literal,)*) => {
        $(
            #[doc = concat!("`", $called, "`.")]
            ///
            /// # Errors
            ///
            /// An operand that the operation does not take.
            pub fn $name<'c>(
                context: &'c Context,
                source: Value<'c, '_>,
                location: Location<'c>,
            ) -> Result<Operation<'c>, Error> {
                Parts { name: $called, operands: vec![source], attributes: vec![] }
                    .build(context, None, location)
            }
        )*
    };
}

unary! {
    coalesce: "layout.coalesce",
    right_inverse: "layout.right_inverse",
    left_inverse: "layout.left_inverse",
    size: "layout.size",
    cosize: "layout.cosize",
    rank: "layout.rank",
    depth: "layout.depth",
}

/// `layout.complement`, below `cosize_hi` or the operand's cosize.
///
/// # Errors
///
/// An operand that has no complement.
pub fn complement<'c>(
    context: &'c Context,
    source: Value<'c, '_>,
    cosize_hi: Option<i64>,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let i64_type = IntegerType::new(context, 64).into();
    let attributes = cosize_hi
        .map(|bound| ("cosize_hi", IntegerAttribute::new(i64_type, bound).into()))
        .into_iter()
        .collect();
    Parts { name: "layout.complement", operands: vec![source], attributes }
        .build(context, None, location)
}

/// `layout.logical_product`.
///
/// # Errors
///
/// Operands that have no product.
pub fn logical_product<'c>(
    context: &'c Context,
    source: Value<'c, '_>,
    times: Value<'c, '_>,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    Parts { name: "layout.logical_product", operands: vec![source, times], attributes: vec![] }
        .build(context, None, location)
}

macro_rules! rearrange {
    ($($name:ident: $called:literal,)*) => {
        $(
            #[doc = concat!("`", $called, "` of a layout or a view.")]
            ///
            /// # Errors
            ///
            /// A term that does not fit the operand; see the operation's description.
            pub fn $name<'c>(
                context: &'c Context,
                source: Value<'c, '_>,
                term: &Term,
                location: Location<'c>,
            ) -> Result<Operation<'c>, Error> {
                let attributes = vec![("term", TermAttribute::new(context, term).into())];
                Parts { name: $called, operands: vec![source], attributes }
                    .build(context, None, location)
            }
        )*
    };
}

rearrange! {
    composition: "layout.composition",
    logical_divide: "layout.logical_divide",
    zipped_divide: "layout.zipped_divide",
}

fn with_coordinate<'c, 'a>(
    context: &'c Context,
    name: &'static str,
    mut operands: Vec<Value<'c, 'a>>,
    coordinate: &[SliceCoord<'c, 'a>],
) -> Parts<'c, 'a> {
    let pattern = match coordinate {
        [entry] => entry.pattern(&mut operands),
        entries => {
            Pattern::Tuple(entries.iter().map(|entry| entry.pattern(&mut operands)).collect())
        }
    };
    let text = StringAttribute::new(context, &pattern.to_string());
    Parts { name, operands, attributes: vec![("coord", text.into())] }
}

/// `layout.slice` of a layout or a view; one entry is the whole coordinate, several are a tuple.
///
/// # Errors
///
/// A coordinate that does not fit the operand, or has no `_`.
pub fn slice<'c, 'a>(
    context: &'c Context,
    source: Value<'c, 'a>,
    coordinate: &[SliceCoord<'c, 'a>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    with_coordinate(context, "layout.slice", vec![source], coordinate)
        .build(context, None, location)
}

/// `layout.crd2idx` of a layout or a view.
///
/// # Errors
///
/// None: the verifier checks the coordinate.
pub fn crd2idx<'c, 'a>(
    context: &'c Context,
    source: Value<'c, 'a>,
    coordinate: &[SliceCoord<'c, 'a>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    with_coordinate(context, "layout.crd2idx", vec![source], coordinate)
        .build(context, None, location)
}

/// `layout.load`.
///
/// # Errors
///
/// A coordinate that does not fit the view, or has a `_`.
pub fn load<'c, 'a>(
    context: &'c Context,
    view: Value<'c, 'a>,
    coordinate: &[SliceCoord<'c, 'a>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    with_coordinate(context, "layout.load", vec![view], coordinate).build(context, None, location)
}

/// `layout.store`.
///
/// # Errors
///
/// None: the verifier checks the coordinate.
pub fn store<'c, 'a>(
    context: &'c Context,
    value: Value<'c, 'a>,
    view: Value<'c, 'a>,
    coordinate: &[SliceCoord<'c, 'a>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    with_coordinate(context, "layout.store", vec![value, view], coordinate).build(
        context,
        Some(&[]),
        location,
    )
}

/// `layout.idx2crd`: one result for each leaf of the shape.
///
/// # Errors
///
/// A term that is no shape and no layout.
pub fn idx2crd<'c>(
    context: &'c Context,
    index: Value<'c, '_>,
    shape: &Term,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let attributes = vec![("shape", TermAttribute::new(context, shape).into())];
    Parts { name: "layout.idx2crd", operands: vec![index], attributes }
        .build(context, None, location)
}

/// `layout.relate`: the image of a coordinate, and whether it has one.
///
/// # Errors
///
/// Another number of indices than the relation's domain has dimensions.
pub fn relate<'c>(
    relation: RelationAttribute<'c>,
    coordinate: &[Value<'c, '_>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let attributes = vec![("relation", relation.into())];
    // SAFETY: the location's context outlives the operation that is made in it.
    let context = unsafe { location.context().to_ref() };
    Parts { name: "layout.relate", operands: coordinate.to_vec(), attributes }
        .build(context, None, location)
}

/// `layout.alloc`.
///
/// # Errors
///
/// None: the verifier checks the type.
pub fn alloc<'c>(
    context: &'c Context,
    view: ViewType<'c>,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    Parts { name: "layout.alloc", operands: vec![], attributes: vec![] }.build(
        context,
        Some(&[view.into()]),
        location,
    )
}

/// `layout.iota`.
///
/// # Errors
///
/// None: the verifier checks the type.
pub fn iota<'c>(
    context: &'c Context,
    view: ViewType<'c>,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    Parts { name: "layout.iota", operands: vec![], attributes: vec![] }.build(
        context,
        Some(&[view.into()]),
        location,
    )
}

/// `layout.fill`.
///
/// # Errors
///
/// None: the verifier checks the operands.
pub fn fill<'c, 'a>(
    context: &'c Context,
    view: Value<'c, 'a>,
    value: Value<'c, 'a>,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    Parts { name: "layout.fill", operands: vec![view, value], attributes: vec![] }.build(
        context,
        Some(&[]),
        location,
    )
}

/// `layout.copy`.
///
/// # Errors
///
/// None: the verifier checks the operands.
pub fn copy<'c, 'a>(
    context: &'c Context,
    atom: &'static Atom,
    source: Value<'c, 'a>,
    target: Value<'c, 'a>,
    guards: &[Guard<'c, 'a>],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let mut operands = vec![source, target];
    operands.extend(guards.iter().map(|(view, _)| *view));
    let limits: Vec<i64> = guards.iter().map(|(_, limit)| *limit).collect();
    let attributes = vec![
        ("atom", AtomAttribute::new(context, atom).into()),
        ("limits", DenseI64ArrayAttribute::new(context, &limits).into()),
    ];
    Parts { name: "layout.copy", operands, attributes }.build(context, Some(&[]), location)
}

/// `layout.mma`.
///
/// # Errors
///
/// None: the verifier checks the operands.
pub fn mma<'c, 'a>(
    context: &'c Context,
    atom: &'static Atom,
    [a, b, c]: [Value<'c, 'a>; 3],
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let attributes = vec![("atom", AtomAttribute::new(context, atom).into())];
    Parts { name: "layout.mma", operands: vec![a, b, c], attributes }.build(
        context,
        Some(&[]),
        location,
    )
}

/// `layout.matmul`, without an epilogue.
///
/// # Errors
///
/// None: the verifier checks the operands.
pub fn matmul<'c, 'a>(
    context: &'c Context,
    [a, b, c]: [Value<'c, 'a>; 3],
    schedule: &Schedule,
    location: Location<'c>,
) -> Result<Operation<'c>, Error> {
    let schedule = ScheduleAttribute::new(context, schedule).into();
    OperationBuilder::new("layout.matmul", location)
        .add_operands(&[a, b, c])
        .add_attributes(&[(Identifier::new(context, "schedule"), schedule)])
        .add_regions([Region::new()])
        .build()
}

/// The atom of a `layout.copy` or `layout.mma`.
///
/// # Errors
///
/// An operation without one.
pub fn atom<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<&'static Atom, Error> {
    AtomAttribute::try_from(operation.attribute("atom")?)?.atom()
}

/// What a `layout.matmul` says of its schedule.
///
/// # Errors
///
/// An operation without one.
pub fn choice<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Choice, Error> {
    ScheduleAttribute::try_from(operation.attribute("schedule")?)?.choice()
}

/// The schedule of a `layout.matmul`.
///
/// # Errors
///
/// An operation without one, or one that leaves the choice to a pass.
pub fn schedule<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Schedule, Error> {
    ScheduleAttribute::try_from(operation.attribute("schedule")?)?.schedule()
}

/// The integers of a `layout.pipeline`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineFacts {
    /// Steps of a tile, or the most of them.
    pub depth: i64,
    /// Whether a region says how many steps a tile has.
    pub varies: bool,
    /// Steps that may be loaded ahead.
    pub stages: i64,
    /// Threads that multiply.
    pub consumers: i64,
    /// Teams of them, which take tiles in turns.
    pub teams: i64,
    /// Blocks along (M, N) that load tiles for each other.
    pub cluster: (i64, i64),
}

impl PipelineFacts {
    /// Threads of a team; `teams` is at least 1 in what was verified.
    pub fn team(&self) -> i64 {
        self.consumers / self.teams.max(1)
    }
}

/// The number of the region of a `layout.pipeline` that says how many steps a tile has.
pub const PIPELINE_STEPS: usize = 4;

/// Whether an operation is a barrier at which all threads of the block must arrive, or of the cluster.
pub fn is_block_barrier(operation: OperationRef<'_, '_>) -> bool {
    match crate::pass::tree::name(operation).as_str() {
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
///
/// # Errors
///
/// An operation without them.
pub fn pipeline<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<PipelineFacts, Error> {
    let number =
        |name| Ok::<_, Error>(IntegerAttribute::try_from(operation.attribute(name)?)?.value());
    let cluster = match operation.attribute("cluster") {
        Err(_) => (1, 1),
        Ok(extents) => {
            let extents = DenseI64ArrayAttribute::try_from(extents)?;
            (extents.element(0)?, extents.element(1)?)
        }
    };
    let teams = match operation.attribute("teams") {
        Err(_) => 1,
        Ok(teams) => IntegerAttribute::try_from(teams)?.value(),
    };
    Ok(PipelineFacts {
        cluster,
        teams,
        varies: operation.region(PIPELINE_STEPS).is_ok_and(|region| region.first_block().is_some()),
        depth: number("depth")?,
        stages: number("stages")?,
        consumers: number("consumers")?,
    })
}

/// The term of a `layout.constant`, `layout.composition` or divide.
///
/// # Errors
///
/// An operation without one.
pub fn term<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Term, Error> {
    let attribute = TermAttribute::try_from(operation.attribute("term")?)?;
    attribute.term().map_err(|_| Error::AttributeParse(attribute.text()))
}

/// The coordinate of a `layout.slice`, `layout.crd2idx`, `layout.load` or `layout.store`; its
/// operands are the operation's last.
///
/// # Errors
///
/// An operation without one.
pub fn coordinate<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Pattern, Error> {
    let attribute = operation.attribute("coord")?;
    let text = attributes::string(attribute)
        .ok_or_else(|| Error::AttributeExpected("string", attribute.to_string()))?;
    text.parse().map_err(|_| Error::AttributeParse(text))
}

/// As [`coordinate`], with the parser's message.
pub(crate) fn pattern(operation: OperationRef<'_, '_>) -> Result<Pattern, Violation> {
    Subject::of(operation).pattern()
}

/// The limits of a `layout.copy`'s guards, which are its operands from the third on.
///
/// # Errors
///
/// An operation without them.
pub fn guard_limits<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Vec<i64>, Error> {
    let limits = DenseI64ArrayAttribute::try_from(operation.attribute("limits")?)?;
    (0..limits.len()).map(|i| limits.element(i)).collect()
}

/// Whether a `layout.mma` forms the sums over its own K apart from those before.
pub fn promotes<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> bool {
    operation.attribute("promote").is_ok()
}

/// The mode of a cluster along which a `layout.copy` loads for others, if it does.
///
/// # Errors
///
/// An attribute that is no integer.
pub fn multicast<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Option<i64>, Error> {
    match operation.attribute("multicast") {
        Err(_) => Ok(None),
        Ok(mode) => Ok(Some(IntegerAttribute::try_from(mode)?.value())),
    }
}

/// Whether what a `layout.copy` reads leaves the second-level cache before all else.
pub fn streams<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> bool {
    operation.attribute("streamed").is_ok()
}

/// The shape of a `layout.idx2crd`.
///
/// # Errors
///
/// An operation without one.
pub fn idx2crd_shape<'c: 'a, 'a>(operation: impl OperationLike<'c, 'a>) -> Result<Tuple, Error> {
    let attribute = TermAttribute::try_from(operation.attribute("shape")?)?;
    attribute
        .term()
        .and_then(|term| term.eval())
        .and_then(to_shape)
        .map_err(|_| Error::AttributeParse(attribute.text()))
}

/// The extents of a `layout.idx2crd`'s results, in their order.
///
/// # Errors
///
/// An operation without a shape.
pub fn idx2crd_extents<'c: 'a, 'a>(
    operation: impl OperationLike<'c, 'a>,
) -> Result<Vec<i64>, Error> {
    Ok(idx2crd_shape(operation)?.leaves())
}

/// The number that a `layout.size`, `layout.cosize`, `layout.rank` or `layout.depth` gives; nothing
/// for other operations.
///
/// # Errors
///
/// None so far: types are static.
pub fn static_index<'c: 'a, 'a>(
    operation: impl OperationLike<'c, 'a>,
) -> Result<Option<i64>, Error> {
    // SAFETY: the operation is valid for as long as the argument is.
    let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
    let name = operation.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    Ok(crate::ops::fold::static_index(name.strip_prefix("layout.").unwrap_or(name), operation))
}
