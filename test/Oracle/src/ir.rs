//! Operations as MLIR holds them, in plain handles.
//!
//! The interpreter reads operations through this file and nothing else. A handle is a pointer: whoever
//! holds one keeps the module that it points into.

use mlir_sys::*;
use std::{collections::HashMap, ffi::c_void, rc::Rc};

/// Calls one function of MLIR's C API.
macro_rules! c {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: handles point into a module or a context that their holder keeps, and positions are
        // below the counts that the same API gives.
        unsafe { $function($($argument),*) }
    };
}

/// Text that MLIR reads during a call.
fn lend(text: &str) -> MlirStringRef {
    MlirStringRef { data: text.as_ptr().cast(), length: text.len() }
}

/// Text that MLIR owns, copied.
fn copy(text: MlirStringRef) -> String {
    if text.length == 0 {
        return String::new();
    }
    // SAFETY: MLIR gives a pointer to that many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length) };
    String::from_utf8_lossy(bytes).into_owned()
}

unsafe extern "C" fn collect(text: MlirStringRef, into: *mut c_void) {
    // SAFETY: `printed` passes a string that outlives the call.
    let into = unsafe { &mut *into.cast::<String>() };
    into.push_str(&copy(text));
}

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $raw:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub $raw);

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.key() == other.key()
            }
        }

        impl Eq for $name {}

        impl $name {
            /// The pointer as a number: equal for equal handles.
            pub fn key(self) -> usize {
                self.0.ptr as usize
            }

            /// Whether there is nothing.
            pub fn is_null(self) -> bool {
                self.0.ptr.is_null()
            }
        }
    };
}

handle!(
    /// An operation.
    Op, MlirOperation
);
handle!(
    /// A block.
    Block, MlirBlock
);
handle!(
    /// A region.
    Region, MlirRegion
);
handle!(
    /// A value.
    Value, MlirValue
);
handle!(
    /// A type.
    Type, MlirType
);
handle!(
    /// An attribute.
    Attribute, MlirAttribute
);

impl Op {
    /// Its name's identifier, equal for equal names in one context.
    pub fn name_key(self) -> usize {
        c!(mlirOperationGetName(self.0)).ptr as usize
    }

    /// Its name.
    pub fn name(self) -> String {
        let name = c!(mlirOperationGetName(self.0));
        copy(c!(mlirIdentifierStr(name)))
    }

    /// Its operands.
    pub fn operands(self) -> Vec<Value> {
        (0..c!(mlirOperationGetNumOperands(self.0)))
            .map(|i| Value(c!(mlirOperationGetOperand(self.0, i))))
            .collect()
    }

    /// Its results.
    pub fn results(self) -> Vec<Value> {
        (0..c!(mlirOperationGetNumResults(self.0)))
            .map(|i| Value(c!(mlirOperationGetResult(self.0, i))))
            .collect()
    }

    /// Its first result.
    pub fn result(self) -> Value {
        self.results()[0]
    }

    /// Its regions.
    pub fn regions(self) -> Vec<Region> {
        (0..c!(mlirOperationGetNumRegions(self.0)))
            .map(|i| Region(c!(mlirOperationGetRegion(self.0, i))))
            .collect()
    }

    /// The blocks that it may continue in.
    pub fn successors(self) -> Vec<Block> {
        (0..c!(mlirOperationGetNumSuccessors(self.0)))
            .map(|i| Block(c!(mlirOperationGetSuccessor(self.0, i))))
            .collect()
    }

    /// An attribute by its name.
    pub fn attribute(self, name: &str) -> Option<Attribute> {
        let found = Attribute(c!(mlirOperationGetAttributeByName(self.0, lend(name))));
        (!found.is_null()).then_some(found)
    }

    /// Gives it an attribute.
    pub fn set_attribute(self, name: &str, value: Attribute) {
        c!(mlirOperationSetAttributeByName(self.0, lend(name), value.0));
    }

    /// The operation that it is in.
    pub fn parent(self) -> Option<Op> {
        let found = Op(c!(mlirOperationGetParentOperation(self.0)));
        (!found.is_null()).then_some(found)
    }

    /// A copy that its holder destroys.
    pub fn copied(self) -> Op {
        Op(c!(mlirOperationClone(self.0)))
    }

    /// Ends an operation that is in no block.
    pub fn destroy(self) {
        c!(mlirOperationDestroy(self.0));
    }

    /// Takes it out of its block and ends it; its results have no uses.
    pub fn erase(self) {
        c!(mlirOperationRemoveFromParent(self.0));
        c!(mlirOperationDestroy(self.0));
    }

    /// Whether MLIR's verifier takes it.
    pub fn verifies(self) -> bool {
        c!(mlirOperationVerify(self.0))
    }

    /// Its text.
    pub fn text(self) -> String {
        let mut text = String::new();
        c!(mlirOperationPrint(self.0, Some(collect), std::ptr::from_mut(&mut text).cast()));
        text
    }

    /// Itself and all in it, outermost first.
    pub fn walk(self, visit: &mut impl FnMut(Op)) {
        visit(self);
        for region in self.regions() {
            for block in region.blocks() {
                for op in block.operations() {
                    op.walk(visit);
                }
            }
        }
    }
}

impl Region {
    /// Its blocks.
    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut block = c!(mlirRegionGetFirstBlock(self.0));
        while !block.ptr.is_null() {
            blocks.push(Block(block));
            block = c!(mlirBlockGetNextInRegion(block));
        }
        blocks
    }

    /// A region of no operation.
    pub fn new() -> Self {
        Self(c!(mlirRegionCreate()))
    }

    /// A block appended to the others.
    pub fn append(self, context: &Context<'_>, arguments: &[Type]) -> Block {
        let types: Vec<MlirType> = arguments.iter().map(|r#type| r#type.0).collect();
        let places = vec![context.unknown(); types.len()];
        let block = c!(mlirBlockCreate(types.len() as isize, types.as_ptr(), places.as_ptr()));
        c!(mlirRegionAppendOwnedBlock(self.0, block));
        Block(block)
    }
}

impl Default for Region {
    fn default() -> Self {
        Self::new()
    }
}

impl Block {
    /// Its operations.
    pub fn operations(self) -> Vec<Op> {
        let mut operations = Vec::new();
        let mut op = c!(mlirBlockGetFirstOperation(self.0));
        while !op.ptr.is_null() {
            operations.push(Op(op));
            op = c!(mlirOperationGetNextInBlock(op));
        }
        operations
    }

    /// Its arguments.
    pub fn arguments(self) -> Vec<Value> {
        (0..c!(mlirBlockGetNumArguments(self.0)))
            .map(|i| Value(c!(mlirBlockGetArgument(self.0, i))))
            .collect()
    }

    /// Appends an operation to the others.
    pub fn append(self, op: Op) {
        c!(mlirBlockAppendOwnedOperation(self.0, op.0));
    }

    /// Puts an operation before another.
    pub fn insert_before(self, reference: Op, op: Op) {
        c!(mlirBlockInsertOwnedOperationBefore(self.0, reference.0, op.0));
    }
}

impl Value {
    /// Its type.
    pub fn r#type(self) -> Type {
        Type(c!(mlirValueGetType(self.0)))
    }

    /// Whether an operation reads it.
    pub fn is_used(self) -> bool {
        !c!(mlirValueGetFirstUse(self.0)).ptr.is_null()
    }

    /// Has each of its uses read another value.
    pub fn replace_by(self, other: Value) {
        c!(mlirValueReplaceAllUsesOfWith(self.0, other.0));
    }
}

impl Type {
    /// Its text.
    pub fn text(self) -> String {
        let mut text = String::new();
        c!(mlirTypePrint(self.0, Some(collect), std::ptr::from_mut(&mut text).cast()));
        text
    }
}

impl Attribute {
    /// Its text.
    pub fn text(self) -> String {
        let mut text = String::new();
        c!(mlirAttributePrint(self.0, Some(collect), std::ptr::from_mut(&mut text).cast()));
        text
    }
}

/// A context, with the types and attributes that were read in it.
pub struct Context<'c> {
    /// MLIR's context.
    pub raw: MlirContext,
    types: std::cell::RefCell<HashMap<String, Type>>,
    attributes: std::cell::RefCell<HashMap<String, Attribute>>,
    unknown: MlirLocation,
    _life: std::marker::PhantomData<&'c ()>,
}

impl Context<'_> {
    /// Reads in a context that exists.
    pub fn new(raw: MlirContext) -> Self {
        let unknown = c!(mlirLocationUnknownGet(raw));
        Self {
            raw,
            types: Default::default(),
            attributes: Default::default(),
            unknown,
            _life: std::marker::PhantomData,
        }
    }

    fn unknown(&self) -> MlirLocation {
        self.unknown
    }

    /// The type of a text.
    pub fn r#type(&self, text: &str) -> Option<Type> {
        if let Some(found) = self.types.borrow().get(text) {
            return Some(*found);
        }
        let found = Type(c!(mlirTypeParseGet(self.raw, lend(text))));
        if found.is_null() {
            return None;
        }
        self.types.borrow_mut().insert(text.to_owned(), found);
        Some(found)
    }

    /// The attribute of a text.
    pub fn attribute(&self, text: &str) -> Option<Attribute> {
        if let Some(found) = self.attributes.borrow().get(text) {
            return Some(*found);
        }
        let found = Attribute(c!(mlirAttributeParseGet(self.raw, lend(text))));
        if found.is_null() {
            return None;
        }
        self.attributes.borrow_mut().insert(text.to_owned(), found);
        Some(found)
    }

    /// An integer of a type as an attribute.
    pub fn integer(&self, r#type: Type, value: i64) -> Attribute {
        Attribute(c!(mlirIntegerAttrGet(r#type.0, value)))
    }

    /// An operation in no block, or `None` if its results' types cannot be inferred. `results` is nothing
    /// where they are.
    pub fn build(
        &self,
        name: &str,
        operands: &[Value],
        attributes: &[(&str, Attribute)],
        results: Option<&[Type]>,
        regions: &[Region],
        successors: &[Block],
    ) -> Option<Op> {
        let mut state = c!(mlirOperationStateGet(lend(name), self.unknown));
        let operands: Vec<MlirValue> = operands.iter().map(|value| value.0).collect();
        c!(mlirOperationStateAddOperands(&mut state, operands.len() as isize, operands.as_ptr()));
        let attributes: Vec<MlirNamedAttribute> = attributes
            .iter()
            .map(|(name, value)| {
                let name = c!(mlirIdentifierGet(self.raw, lend(name)));
                c!(mlirNamedAttributeGet(name, value.0))
            })
            .collect();
        c!(mlirOperationStateAddAttributes(
            &mut state,
            attributes.len() as isize,
            attributes.as_ptr()
        ));
        let regions: Vec<MlirRegion> = regions.iter().map(|region| region.0).collect();
        c!(mlirOperationStateAddOwnedRegions(&mut state, regions.len() as isize, regions.as_ptr()));
        let successors: Vec<MlirBlock> = successors.iter().map(|block| block.0).collect();
        c!(mlirOperationStateAddSuccessors(
            &mut state,
            successors.len() as isize,
            successors.as_ptr()
        ));
        match results {
            Some(results) => {
                let results: Vec<MlirType> = results.iter().map(|r#type| r#type.0).collect();
                c!(mlirOperationStateAddResults(
                    &mut state,
                    results.len() as isize,
                    results.as_ptr()
                ));
            }
            None => c!(mlirOperationStateEnableResultTypeInference(&mut state)),
        }
        let op = Op(c!(mlirOperationCreate(&mut state)));
        (!op.is_null()).then_some(op)
    }

    /// A module of a text.
    pub fn parse(&self, text: &str) -> Option<Op> {
        let module = c!(mlirModuleCreateParse(self.raw, lend(text)));
        (!module.ptr.is_null()).then(|| Op(c!(mlirModuleGetOperation(module))))
    }

    /// A module with nothing in it.
    pub fn empty(&self) -> Op {
        let module = c!(mlirModuleCreateEmpty(self.unknown));
        Op(c!(mlirModuleGetOperation(module)))
    }
}

/// Texts of types and attributes by their handles: printed once in a context.
#[derive(Default)]
pub struct Texts {
    texts: HashMap<usize, Rc<str>>,
}

impl Texts {
    /// An attribute's text.
    pub fn attribute(&mut self, attribute: Attribute) -> Rc<str> {
        let make = || attribute.text().into();
        self.texts.entry(attribute.key()).or_insert_with(make).clone()
    }
}

impl Op {
    /// The block that it is in.
    pub fn block(self) -> Option<Block> {
        let found = Block(c!(mlirOperationGetBlock(self.0)));
        (!found.is_null()).then_some(found)
    }
}
