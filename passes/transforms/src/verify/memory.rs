//! Pointers, and the instructions that layout operations are lowered to.

use super::{
    matrices::{MatrixRows, ROW_BYTES},
    trace::{Access, Condition, Event, Instruction, Kind, Known, Reader, Root, address},
};
use layout_dialect::{
    buffers::Integer,
    build::{operand, result},
    tree,
    types::element_bytes,
};
use layout_relation::IndexForm;
use melior::ir::{
    OperationRef, Type, ValueLike,
    attribute::{DenseI32ArrayAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
};

/// Dialects whose operations read or write memory by addresses that are not modelled, unless they
/// are named below.
const OPAQUE: [&str; 5] = ["memref.", "vector.load", "vector.store", "vector.transfer", "nvgpu."];

/// Operations that may access the memory of pointers which they take.
const EFFECTS: [&str; 4] = ["llvm.call", "llvm.intr.masked", "llvm.intr.mem", "llvm.invoke"];

/// Instructions that are compared as they are.
const INSTRUCTIONS: [&str; 7] = [
    "nvvm.bar.warp",
    "nvvm.cp.async.bulk",
    "nvvm.wgmma",
    "nvvm.mbarrier",
    "nvvm.cluster",
    "nvvm.fence",
    "nvvm.setmaxregister",
];

impl Reader {
    /// An instruction with its attributes and operands.
    fn instruction(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        let mut attributes: Vec<(String, String)> = operation
            .attributes()
            .map(|(name, value)| {
                (name.as_string_ref().as_str().unwrap_or("").to_owned(), value.to_string())
            })
            .collect();
        attributes.sort_unstable();
        let mut operands = Vec::new();
        for at in 0..operation.operand_count() {
            let text = operand(operation, at).r#type().to_string();
            if text != "index" && !text.starts_with('i') && !text.starts_with("!llvm.ptr") {
                continue;
            }
            operands.push(match self.known(operation, at) {
                Some(Known::Data) => continue,
                Some(Known::Pointer(root, form)) => Some((root.clone(), form.clone())),
                _ => self.form(operation, at).map(|form| (Root::Nothing, form)),
            });
        }
        let predicates = self.around.clone();
        let name = name.to_owned();
        self.event(Event::Instruction(Box::new(Instruction {
            name,
            attributes,
            operands,
            predicates,
            operation: address(operation),
        })));
    }

    pub(super) fn memory_operation(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        match name {
            "memref.get_global" if self.follow.is_some() => self.global(operation),
            "memref.load" | "memref.store" if self.follow.is_some() => {
                let stores = name == "memref.store";
                let value = self.form(operation, 0).filter(|_| stores);
                match self.memref_element(operation, usize::from(stores)) {
                    Some(own) if stores => self.elements(operation, None, Some(own), value),
                    Some(own) => self.elements(operation, Some(own), None, None),
                    None => self.unmodelled(name),
                }
            }
            "memref.extract_aligned_pointer_as_index" => {
                if let Some(Known::Memref(memref)) = self.known(operation, 0) {
                    let pointer = Known::Pointer(memref.root.clone(), IndexForm::constant(0));
                    self.set(operation, 0, Some(pointer));
                }
            }
            "memref.extract_strided_metadata" => {
                let Some(Known::Memref(memref)) = self.known(operation, 0).cloned() else { return };
                // A buffer without a layout, the offset, then sizes and strides.
                self.set(operation, 1, Some(Known::Form(memref.offset())));
                for at in 2..operation.result_count() {
                    let rank = memref.rank as usize;
                    let integer = match (at - 2).checked_sub(rank) {
                        None => Integer::Size(at - 2),
                        Some(dimension) => Integer::Stride(dimension),
                    };
                    self.set(operation, at, Some(Known::Form(memref.integer(integer))));
                }
            }
            "llvm.mlir.addressof" => {
                let pointer = Known::Pointer(Root::Shared, IndexForm::constant(0));
                self.set(operation, 0, Some(pointer));
            }
            "llvm.alloca" => {
                let root = self.stack();
                self.set(operation, 0, Some(Known::Pointer(root, IndexForm::constant(0))));
            }
            "llvm.addrspacecast" | "llvm.inttoptr" => {
                let known = self.known(operation, 0).cloned();
                self.set(operation, 0, known);
            }
            "llvm.getelementptr" => {
                let pointer = self.moved(operation);
                self.set(operation, 0, pointer.map(|(root, form)| Known::Pointer(root, form)));
            }
            "llvm.load" => {
                let bytes = type_bytes(result(operation, 0).r#type());
                if let Some(Known::Pointer(Root::Register(_), _)) = self.known(operation, 0) {
                    self.set(operation, 0, Some(Known::Data));
                }
                self.access(operation, 0, Kind::Load, bytes, &[], None);
            }
            "llvm.store" => {
                let bytes = type_bytes(operand(operation, 0).r#type());
                let value = self.form(operation, 0);
                self.access(operation, 1, Kind::Store, bytes, &[], value);
            }
            "llvm.atomicrmw" | "llvm.cmpxchg" => {
                let bytes = type_bytes(operand(operation, 1).r#type());
                self.access(operation, 0, Kind::Update, bytes, &[], None);
            }
            _ if self.follow.is_some() && EFFECTS.iter().any(|of| name.starts_with(of)) => {
                self.passes_pointers(operation, name);
            }
            "nvvm.ldmatrix" => {
                self.access(operation, 0, Kind::LoadMatrix, Some(ROW_BYTES), &[], None);
            }
            "nvvm.stmatrix" => {
                self.access(operation, 0, Kind::StoreMatrix, Some(ROW_BYTES), &[], None);
            }
            "nvvm.cp.async.shared.global" => self.async_copy(operation),
            _ if self.follow.is_some() && name.starts_with("nvvm.cp.async.mbarrier") => {
                self.unmodelled(name);
            }
            "llvm.ptrtoint" => {
                // Addresses in shared memory count from its start.
                let known = match self.pointer(operation, 0) {
                    Some((Root::Shared, form)) => Some(Known::Form(form)),
                    _ => None,
                };
                self.set(operation, 0, known);
            }
            // MMAs and conversions of registers, which are not examined.
            "llvm.inline_asm" if is_of_registers(operation) => {}
            "llvm.inline_asm" => {
                self.instruction(operation, name);
                (0..operation.result_count())
                    .for_each(|at| self.set(operation, at, Some(Known::Data)));
            }
            "llvm.extractvalue" => self.set(operation, 0, Some(Known::Data)),
            _ if INSTRUCTIONS.iter().any(|prefix| name.starts_with(prefix)) => {
                self.instruction(operation, name);
            }
            _ if OPAQUE.iter().any(|opaque| name.starts_with(opaque)) => self.unmodelled(name),
            _ => {
                // Regions of operations that are not known may hold anything.
                if operation.regions().next().is_some() {
                    self.unmodelled(name);
                }
            }
        }
    }

    /// `layout.pointer`: a program of threads is followed through it, and a pass is not.
    pub(super) fn pointed(&mut self, operation: OperationRef<'_, '_>) {
        let view = self.view(operation, 0).filter(|_| self.follow.is_some());
        let view = view.filter(|view| {
            let in_memory = matches!(view.root, Root::Argument(_) | Root::Buffer(_));
            in_memory && view.packed == 1
        });
        let known = view.and_then(|view| {
            let address = view.element(0)?.scale(view.bytes)?;
            Some(Known::Pointer(view.root, address))
        });
        match known {
            Some(known) => self.set(operation, 0, Some(known)),
            None => self.unmodelled("layout.pointer"),
        }
    }

    /// An operation that may access memory by its pointers in any way.
    fn passes_pointers(&mut self, operation: OperationRef<'_, '_>, name: &str) {
        let mut operands = (0..operation.operand_count()).map(|at| operand(operation, at));
        if operands.any(|value| value.r#type().to_string().starts_with("!llvm.ptr")) {
            self.unmodelled(name);
        }
    }

    /// The root of memory on a GPU's stack, which becomes registers; on the host it is memory.
    fn stack(&mut self) -> Root {
        // Memory on the stack is found again, and not compared.
        self.trace.buffers.push(0);
        let number = self.trace.buffers.len() - 1;
        if self.trace.function == "gpu.func" {
            Root::Register(number)
        } else {
            Root::Buffer(number)
        }
    }

    fn moved(&self, operation: OperationRef<'_, '_>) -> Option<(Root, IndexForm)> {
        const DYNAMIC: i32 = i32::MIN;
        let (root, form) = self.pointer(operation, 0)?;
        let element = TypeAttribute::try_from(operation.attribute("elem_type").ok()?).ok()?;
        let bytes = type_bytes(element.value())?;
        let indices = operation.attribute("rawConstantIndices").ok()?;
        let indices = DenseI32ArrayAttribute::try_from(indices).ok()?;
        if indices.len() != 1 {
            return None;
        }
        let index = match indices.element(0).ok()? {
            DYNAMIC => self.form(operation, 1)?,
            number => IndexForm::constant(number.into()),
        };
        Some((root, form.plus(&index.scale(bytes)?)?))
    }

    /// Registers have no addresses: what is on the stack here becomes registers.
    fn access(
        &mut self,
        operation: OperationRef<'_, '_>,
        pointer: usize,
        kind: Kind,
        bytes: Option<i64>,
        predicates: &[Condition],
        value: Option<IndexForm>,
    ) {
        match (self.pointer(operation, pointer), bytes) {
            (Some((Root::Register(_), _)), _) => {}
            (Some((root, address)), Some(bytes)) => {
                let predicates = [&self.around[..], predicates].concat();
                self.event(Event::Access(Access {
                    root,
                    kind,
                    address,
                    bytes,
                    predicates,
                    domain: Vec::new(),
                    value,
                    rows: MatrixRows::of(operation, kind),
                    operation: super::trace::address(operation),
                }));
            }
            _ => {
                let missing = self.missing(operation, std::iter::once(pointer));
                let name = tree::name(operation);
                self.unmodelled(&format!("an address of {name} ({missing})"));
            }
        }
    }

    /// Reads where its size is not 0, and writes always: zeros where nothing is read.
    fn async_copy(&mut self, operation: OperationRef<'_, '_>) {
        let size = operation.attribute("size").ok();
        let size = size.and_then(|size| IntegerAttribute::try_from(size).ok()).map(|s| s.value());
        let kind = if self.follow.is_some() { Kind::AsyncStore } else { Kind::Store };
        self.access(operation, 0, kind, size, &[], None);
        let predicates = if operation.operand_count() < 3 {
            Some(Vec::new())
        } else {
            match self.known(operation, 2) {
                Some(Known::Choice(predicates, bytes)) if bytes.as_constant() == size => {
                    Some(predicates.clone())
                }
                // All of it or nothing.
                Some(Known::Form(bytes)) => size.and_then(|size| {
                    let whole = bytes.is_within(0, size.checked_add(1)?)
                        && bytes.divisor().checked_rem(size) == Some(0);
                    let reads = (bytes.scale(-1)?, 1_i64.checked_sub(size)?);
                    whole.then(|| vec![reads])
                }),
                _ => None,
            }
        };
        match predicates {
            Some(predicates) => self.access(operation, 1, Kind::Load, size, &predicates, None),
            None => self.unmodelled("the size of an asynchronous copy that is not known"),
        }
    }
}

/// Whether text of PTX is an MMA, or a conversion, of registers.
fn is_of_registers(operation: OperationRef<'_, '_>) -> bool {
    let text = operation.attribute("asm_string").ok().and_then(tree::text);
    text.is_some_and(|text| ["mma.sync", "cvt."].iter().any(|name| text.starts_with(name)))
}

/// Bytes of a number or of a vector of one dimension of them.
pub(super) fn type_bytes(r#type: Type<'_>) -> Option<i64> {
    if let Some(bytes) = element_bytes(r#type) {
        return Some(bytes);
    }
    let text = r#type.to_string();
    // The bytes that one step of a pointer passes.
    if let Some(array) = text.strip_prefix("!llvm.array<") {
        let (count, element) = array.strip_suffix('>')?.split_once(" x ")?;
        let bits = element.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let element = bits.parse::<i64>().ok()?.checked_div(8)?;
        return count.parse::<i64>().ok()?.checked_mul(element);
    }
    let (count, element) = text.strip_prefix("vector<")?.strip_suffix('>')?.split_once('x')?;
    let bits: i64 = element.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
    count.parse::<i64>().ok()?.checked_mul(bits)?.checked_div(8)
}
