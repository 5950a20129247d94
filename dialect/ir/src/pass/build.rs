//! A builder for passes: emits operations at one insertion point, as MLIR's `OpBuilder` does.
//!
//! melior ties a value's lifetime to a borrow of its block, which suits building a module from
//! nothing. A pass works on operations that MLIR owns, so the builder gives values that live
//! as long as the context does; a pass must not use a value after it erased its operation.

use crate::border::context::context_from_raw;
use melior::{
    Context,
    diagnostic::{Diagnostic, DiagnosticSeverity},
    ir::{
        Attribute, Block, BlockLike, BlockRef, Identifier, Location, Operation, OperationRef,
        Region, RegionLike, Type, Value, ValueLike,
        attribute::{IntegerAttribute, StringAttribute},
        operation::{OperationBuilder, OperationLike},
        r#type::IntegerType,
    },
};
use mlir_sys::{
    MlirBlock, MlirOperation, mlirBlockGetParentOperation, mlirBlockInsertOwnedOperationBefore,
    mlirOperationGetContext, mlirOperationRemoveFromParent,
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
};

/// A value as passes hold it: valid while its defining operation or block is.
pub type Val<'c> = Value<'c, 'c>;

/// Emits operations before one operation, or at the end of one block.
#[derive(Clone, Copy)]
pub struct Builder<'c> {
    context: &'c Context,
    location: Location<'c>,
    block: MlirBlock,
    /// The operation that new ones go before; null for the block's end.
    before: MlirOperation,
}

/// A loop with values that each iteration passes to the next.
pub struct CarryingLoop<'c, const COUNT: usize> {
    /// At the end of the loop's body.
    pub inside: Builder<'c>,
    /// The induction variable.
    pub index: Val<'c>,
    /// The values in the round.
    pub carried: [Val<'c>; COUNT],
    /// The values that the last round passed on, after the loop.
    pub left: [Val<'c>; COUNT],
}

/// Builds an operation. The error has the text of the diagnostics that say why it cannot be built; they
/// are shown too.
pub(crate) fn explained<'c>(
    context: &Context,
    operation: OperationBuilder<'c>,
) -> Result<Operation<'c>, melior::Error> {
    let (built, messages) = heard(context, |error| error.to_string(), || operation.build());
    built.map_err(|error| match messages.is_empty() {
        true => error,
        false => melior::Error::OperationExpected {
            expected: "that can be built",
            actual: messages.join("; "),
        },
    })
}

/// The answer of `run`, and the texts of the errors that it emits on this thread; they are shown too.
pub(crate) fn heard<T>(
    context: &Context,
    text: fn(&Diagnostic<'_>) -> String,
    run: impl FnOnce() -> T,
) -> (T, Vec<String>) {
    let messages = Arc::new(Mutex::new(Vec::new()));
    let (sink, here) = (Arc::clone(&messages), thread::current().id());
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        // Other threads may be at work in the context.
        let is_error = matches!(diagnostic.severity(), DiagnosticSeverity::Error);
        if is_error && thread::current().id() == here {
            sink.lock().unwrap_or_else(PoisonError::into_inner).push(text(&diagnostic));
        }
        // Others show it.
        false
    });
    let answer = run();
    context.detach_diagnostic_handler(handler);
    let messages = std::mem::take(&mut *messages.lock().unwrap_or_else(PoisonError::into_inner));
    (answer, messages)
}

impl<'c> Builder<'c> {
    /// A builder that inserts before `operation`, at its location.
    ///
    /// # Panics
    ///
    /// Panics when `operation` is in no block: a pass only rewrites operations inside its root.
    pub fn before(operation: OperationRef<'c, '_>) -> Self {
        let block = operation.block().expect("an operation inside the pass's root has a block");
        Self {
            context: context_of(operation),
            location: operation.location(),
            block: block.to_raw(),
            before: operation.to_raw(),
        }
    }

    /// A builder that appends to `block`.
    pub fn at_end(context: &'c Context, location: Location<'c>, block: BlockRef<'c, '_>) -> Self {
        let before = MlirOperation { ptr: std::ptr::null_mut() };
        Self { context, location, block: block.to_raw(), before }
    }

    /// A builder that inserts at the start of `block`.
    pub fn at_start(context: &'c Context, location: Location<'c>, block: BlockRef<'c, '_>) -> Self {
        let before = block
            .first_operation()
            .map_or(MlirOperation { ptr: std::ptr::null_mut() }, |operation| operation.to_raw());
        Self { context, location, block: block.to_raw(), before }
    }

    /// A builder before the operation whose region this one builds in; none at the top.
    pub fn outside(&self) -> Option<Self> {
        // SAFETY: the block is valid; a block without a parent gives null.
        let parent =
            unsafe { OperationRef::from_option_raw(mlirBlockGetParentOperation(self.block)) }?;
        parent.block()?;
        Some(Self::before(parent).with_location(self.location))
    }

    /// The same insertion point with another location.
    pub fn with_location(self, location: Location<'c>) -> Self {
        Self { location, ..self }
    }

    /// The context.
    pub fn context(&self) -> &'c Context {
        self.context
    }

    /// The location that new operations get.
    pub fn location(&self) -> Location<'c> {
        self.location
    }

    /// Inserts a finished operation.
    pub fn insert(&self, operation: Operation<'c>) -> OperationRef<'c, 'c> {
        let raw = operation.into_raw();
        // SAFETY: the block outlives the builder (a pass erases no block it still builds into), and
        // `raw` was just released by its owner.
        unsafe {
            mlirBlockInsertOwnedOperationBefore(self.block, self.before, raw);
            OperationRef::from_raw(raw)
        }
    }

    /// Emits an operation of known result types.
    ///
    /// # Errors
    ///
    /// The operation's text when MLIR refuses to create it.
    pub fn operation(
        &self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
        regions: Vec<Region<'c>>,
    ) -> Result<OperationRef<'c, 'c>, melior::Error> {
        let attributes = self.named(attributes);
        OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .add_regions_vec(regions)
            .build()
            .map(|operation| self.insert(operation))
    }

    /// Emits an operation with no regions and one result of the given type.
    pub fn value(
        &self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<Val<'c>, melior::Error> {
        Ok(first_result(self.operation(name, operands, &[result], attributes, vec![])?))
    }

    /// Emits an operation whose result types it infers itself.
    ///
    /// # Errors
    ///
    /// When inference fails, with the reason; it has been emitted as a diagnostic at the location too.
    pub fn inferred(
        &self,
        name: &str,
        operands: &[Val<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Result<OperationRef<'c, 'c>, melior::Error> {
        let operation = OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_attributes(&self.named(attributes))
            .enable_result_type_inference();
        explained(self.context, operation).map(|operation| self.insert(operation))
    }

    /// `arith.constant` of an integer or `index` type.
    pub fn constant(&self, r#type: Type<'c>, value: i64) -> Result<Val<'c>, melior::Error> {
        let attribute = IntegerAttribute::new(r#type, value).into();
        self.value("arith.constant", &[], r#type, &[("value", attribute)])
    }

    /// A binary operation whose result has its operands' type, such as `arith.addi`.
    pub fn binary(&self, name: &str, a: Val<'c>, b: Val<'c>) -> Result<Val<'c>, melior::Error> {
        self.value(name, &[a, b], a.r#type(), &[])
    }

    /// `arith.cmpi slt`.
    pub fn less(&self, a: Val<'c>, b: Val<'c>) -> Result<Val<'c>, melior::Error> {
        const SIGNED_LESS: i64 = 2;
        let predicate = IntegerAttribute::new(self.integer(64), SIGNED_LESS).into();
        self.value("arith.cmpi", &[a, b], self.integer(1), &[("predicate", predicate)])
    }

    /// `arith.cmpi eq`.
    pub fn equal(&self, a: Val<'c>, b: Val<'c>) -> Result<Val<'c>, melior::Error> {
        const CMPI_EQ: i64 = 0;
        let predicate = IntegerAttribute::new(self.integer(64), CMPI_EQ).into();
        self.value("arith.cmpi", &[a, b], self.integer(1), &[("predicate", predicate)])
    }

    /// `scf.for` without carried values, and a builder inside it with the induction variable.
    pub fn open_loop(
        &self,
        [lower, upper, step]: [Val<'c>; 3],
    ) -> Result<(Builder<'c>, Val<'c>), melior::Error> {
        let (region, inner) = self.region_with(&[lower.r#type()]);
        let end = inner.operation("scf.yield", &[], &[], &[], vec![])?;
        self.operation("scf.for", &[lower, upper, step], &[], &[], vec![region])?;
        Ok((Builder::before(end), inner.argument(0)))
    }

    /// Like [`Builder::open_loop`], with values that each iteration passes to the next. The caller ends the body with
    /// an `scf.yield` of the next iteration's values.
    pub fn open_carrying_loop<const COUNT: usize>(
        &self,
        bounds: [Val<'c>; 3],
        initial: [Val<'c>; COUNT],
    ) -> Result<CarryingLoop<'c, COUNT>, melior::Error> {
        let types = initial.map(|value| value.r#type());
        let (region, inner) = self.region_with(&[&[bounds[0].r#type()][..], &types].concat());
        let operands = [&bounds[..], &initial].concat();
        let operation = self.operation("scf.for", &operands, &types, &[], vec![region])?;
        Ok(CarryingLoop {
            inside: inner,
            index: inner.argument(0),
            carried: std::array::from_fn(|at| inner.argument(at + 1)),
            left: std::array::from_fn(|at| result(operation, at)),
        })
    }

    /// Moves an operation here from where it is.
    pub fn adopt(&self, operation: OperationRef<'c, '_>) {
        // SAFETY: the operation is in a block; both blocks are valid.
        unsafe {
            mlirOperationRemoveFromParent(operation.to_raw());
            mlirBlockInsertOwnedOperationBefore(self.block, self.before, operation.to_raw());
        }
    }

    /// [`Builder::open_loop`] from 0 to `count` in steps of 1, over `index`.
    pub fn open_count(&self, count: i64) -> Result<(Builder<'c>, Val<'c>), melior::Error> {
        let index = Type::index(self.context);
        self.open_loop([
            self.constant(index, 0)?,
            self.constant(index, count)?,
            self.constant(index, 1)?,
        ])
    }

    /// `scf.if` with the values both branches yield; an absent `otherwise` yields nothing.
    ///
    /// # Errors
    ///
    /// A branch's error, or as [`Builder::operation`].
    pub fn branch<E: From<melior::Error>>(
        &self,
        condition: Val<'c>,
        results: &[Type<'c>],
        then: impl FnOnce(Builder<'c>) -> Result<Vec<Val<'c>>, E>,
        otherwise: Option<&dyn Fn(Builder<'c>) -> Result<Vec<Val<'c>>, E>>,
    ) -> Result<OperationRef<'c, 'c>, E> {
        let (region, inner) = self.region();
        let yielded = then(inner)?;
        inner.operation("scf.yield", &yielded, &[], &[], vec![])?;
        let else_region = match otherwise {
            None => Region::new(),
            Some(build) => {
                let (region, inner) = self.region();
                let yielded = build(inner)?;
                inner.operation("scf.yield", &yielded, &[], &[], vec![])?;
                region
            }
        };
        Ok(self.operation("scf.if", &[condition], results, &[], vec![region, else_region])?)
    }

    /// A region with one empty block, and a builder at its end.
    pub fn region(&self) -> (Region<'c>, Builder<'c>) {
        self.region_with(&[])
    }

    /// A region with one empty block that has arguments, and a builder at its end.
    pub fn region_with(&self, arguments: &[Type<'c>]) -> (Region<'c>, Builder<'c>) {
        let region = Region::new();
        let arguments: Vec<_> = arguments.iter().map(|&r#type| (r#type, self.location)).collect();
        let block = region.append_block(Block::new(&arguments));
        // SAFETY: the block belongs to the region, which the caller passes to an operation.
        let block = unsafe { BlockRef::from_raw(block.to_raw()) };
        (region, Builder::at_end(self.context, self.location, block))
    }

    /// An argument of the block that this builds in.
    ///
    /// # Panics
    ///
    /// Panics when the block has no such argument: the caller made the block.
    pub fn argument(&self, index: usize) -> Val<'c> {
        // SAFETY: the block is valid.
        let block = unsafe { BlockRef::from_raw(self.block) };
        crate::pass::tree::argument(block, index)
    }

    /// A signless integer type.
    pub fn integer(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    /// An integer attribute of type i64.
    pub fn i64_attribute(&self, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(self.integer(64), value).into()
    }

    /// A string attribute.
    pub fn string(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    fn named(&self, attributes: &[(&str, Attribute<'c>)]) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        attributes
            .iter()
            .map(|&(name, value)| (Identifier::new(self.context, name), value))
            .collect()
    }
}

/// The context of an operation, for as long as the context lives.
pub fn context_of<'c>(operation: OperationRef<'c, '_>) -> &'c Context {
    // SAFETY: every operation's context outlives it, and `'c` is the context's lifetime.
    unsafe { context_from_raw(mlirOperationGetContext(operation.to_raw())) }
}

/// The first result of an operation that has one.
///
/// # Panics
///
/// Panics when the operation has none: the caller names operations whose results it knows.
pub fn first_result<'c>(operation: OperationRef<'c, '_>) -> Val<'c> {
    result(operation, 0)
}

/// A result of an operation by number.
///
/// # Panics
///
/// Panics when there is no such result: the caller names operations whose results it knows.
pub fn result<'c>(operation: OperationRef<'c, '_>, index: usize) -> Val<'c> {
    let value = operation.result(index).expect("the caller knows the operation's results");
    // SAFETY: the result lives as long as its operation, which MLIR owns.
    unsafe { Value::from_raw(value.to_raw()) }
}

/// An operand of an operation by number.
///
/// # Panics
///
/// Panics when there is no such operand: the verifier has checked the operation.
pub fn operand<'c>(operation: OperationRef<'c, '_>, index: usize) -> Val<'c> {
    let value = operation.operand(index).expect("a verified operation has its operands");
    // SAFETY: as for `result`.
    unsafe { Value::from_raw(value.to_raw()) }
}
