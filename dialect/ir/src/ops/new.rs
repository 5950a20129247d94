//! The builder of the dialect's operations: any of them by its name, as `ods/` defines it.

use crate::ops::prelude::*;
use crate::{
    border::{context::context_from_raw, ffi::lend},
    ops::SEGMENTS,
    pass::build::explained,
};
use layout_algebra::Term;
use melior::{
    Context, Error,
    ir::{
        Block, Identifier, Location, Operation, Region, RegionLike, Value,
        attribute::{DenseI32ArrayAttribute, StringAttribute},
        operation::OperationBuilder,
    },
};
use mlir_sys::{
    mlirInferTypeOpInterfaceTypeID, mlirLocationGetContext, mlirOperationImplementsInterfaceStatic,
};

/// A coordinate of `layout.slice`, `layout.crd2idx`, `layout.load` and others.
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

/// An operation that is to be built. Result types are inferred unless they are given; an operation without inference has no
/// results then.
///
/// ```
/// # use layout_dialect::ops;
/// # use melior::{Context, dialect::DialectRegistry, ir::{Location, operation::OperationLike}};
/// # let registry = DialectRegistry::new();
/// # layout_dialect::register(&registry);
/// # let context = Context::new();
/// # context.append_dialect_registry(&registry);
/// # context.load_all_available_dialects();
/// let location = Location::unknown(&context);
/// let term = "composition((4,2):(1,5), 8:3)".parse()?;
/// let refused = ops::new("constant", location).term("term", &term).build();
/// assert!(refused.is_err_and(|error| error.to_string().contains("[no-composition]")));
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct New<'c, 'a> {
    context: &'c Context,
    name: String,
    location: Location<'c>,
    operands: Vec<Value<'c, 'a>>,
    attributes: Vec<(Identifier<'c>, Attribute<'c>)>,
    results: Option<Vec<Type<'c>>>,
    regions: Vec<Region<'c>>,
}

/// The operation `layout.NAME`, without operands and attributes so far.
pub fn new<'c, 'a>(name: &str, location: Location<'c>) -> New<'c, 'a> {
    // SAFETY: a location's context outlives it.
    let context = unsafe { context_from_raw(mlirLocationGetContext(location.to_raw())) };
    New {
        context,
        name: format!("layout.{name}"),
        location,
        operands: Vec::new(),
        attributes: Vec::new(),
        results: None,
        regions: Vec::new(),
    }
}

impl<'c, 'a> New<'c, 'a> {
    /// The next operands.
    pub fn operands(mut self, operands: &[Value<'c, 'a>]) -> Self {
        self.operands.extend_from_slice(operands);
        self
    }

    /// The operands of an operation with groups of them, in the order of its definition; a group that is left out is empty.
    /// Sets the sizes of the groups too. A matmul has A, B, C, the operands of the epilogue, and a second B:
    ///
    /// ```text
    /// ops::new("matmul", location).groups(&[&[a], &[b], &[c], &[bias], &[]])
    /// ```
    pub fn groups(self, groups: &[&[Value<'c, 'a>]]) -> Self {
        let size = |group: &&[Value<'_, '_>]| i32::try_from(group.len()).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = groups.iter().map(size).collect();
        let sizes = DenseI32ArrayAttribute::new(self.context, &sizes);
        self.operands(&groups.concat()).attribute(SEGMENTS, sizes)
    }

    /// An attribute.
    pub fn attribute(mut self, name: &str, attribute: impl Into<Attribute<'c>>) -> Self {
        self.attributes.push((Identifier::new(self.context, name), attribute.into()));
        self
    }

    /// An attribute that is a term.
    pub fn term(self, name: &str, term: &Term) -> Self {
        let term = TermAttribute::new(self.context, term);
        self.attribute(name, term)
    }

    /// The attribute `coord`, with the values in it as the next operands; one entry is the whole
    /// coordinate, several are a tuple.
    pub fn coordinate(mut self, coordinate: &[SliceCoord<'c, 'a>]) -> Self {
        let operands = &mut self.operands;
        let pattern = match coordinate {
            [entry] => entry.pattern(operands),
            entries => {
                Pattern::Tuple(entries.iter().map(|entry| entry.pattern(operands)).collect())
            }
        };
        let text = StringAttribute::new(self.context, &pattern.to_string());
        self.attribute("coord", text)
    }

    /// The result types, of operations that do not infer them.
    pub fn results(mut self, types: &[Type<'c>]) -> Self {
        self.results = Some(types.to_vec());
        self
    }

    /// The next region.
    pub fn region(mut self, region: Region<'c>) -> Self {
        self.regions.push(region);
        self
    }

    /// The next region, of one block with arguments of these types, which `fill` fills.
    pub fn block(
        self,
        arguments: &[Type<'c>],
        fill: impl FnOnce(&Block<'c>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let arguments: Vec<_> = arguments.iter().map(|&one| (one, self.location)).collect();
        let block = Block::new(&arguments);
        fill(&block)?;
        let region = Region::new();
        region.append_block(block);
        Ok(self.region(region))
    }

    /// The operation, at the end of a block.
    pub fn append<'b>(self, block: &impl BlockLike<'c, 'b>) -> Result<OperationRef<'c, 'b>, Error> {
        Ok(block.append_operation(self.build()?))
    }

    /// The first result of the operation, at the end of a block.
    ///
    /// # Errors
    ///
    /// As [`New::build`]; an operation without results.
    pub fn value<'b>(self, block: &impl BlockLike<'c, 'b>) -> Result<Value<'c, 'b>, Error>
    where
        'c: 'b,
    {
        Ok(self.append(block)?.result(0)?.into())
    }

    /// The operation.
    ///
    /// # Errors
    ///
    /// The dialect's error for operands and attributes that give no result type. It has been emitted as
    /// a diagnostic at the location too.
    pub fn build(self) -> Result<Operation<'c>, Error> {
        let builder = OperationBuilder::new(&self.name, self.location)
            .add_operands(&self.operands)
            .add_attributes(&self.attributes)
            .add_regions_vec(self.regions);
        let builder = match &self.results {
            Some(results) => builder.add_results(results),
            None if infers(self.context, &self.name) => builder.enable_result_type_inference(),
            None => builder,
        };
        explained(self.context, builder)
    }
}

/// Whether an operation infers its result types.
fn infers(context: &Context, name: &str) -> bool {
    // SAFETY: the context is valid, and the name lives until the call returns.
    unsafe {
        mlirOperationImplementsInterfaceStatic(
            lend(name),
            context.to_raw(),
            mlirInferTypeOpInterfaceTypeID(),
        )
    }
}
