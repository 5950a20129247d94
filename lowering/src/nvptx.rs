//! A `gpu.module` in LLVM's dialect to LLVM IR and PTX.
//!
//! MLIR translates to LLVM IR; LLVM, through inkwell, optimises it and emits PTX.

use inkwell::{
    OptimizationLevel,
    context::{AsContextRef, Context},
    module::Module,
    passes::PassBuilderOptions,
    targets::{
        CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
    },
};
use melior::ir::OperationRef;
use mlir_sys::mlirTranslateModuleToLLVMIR;
use std::sync::Once;

/// A GPU that code can be made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    /// LLVM's and ptxas's name.
    pub name: &'static str,
    /// The oldest PTX version that has all instructions used here for this chip.
    pub ptx: u32,
}

/// The chips that kernels can be made for.
pub const CHIPS: &[Chip] = &[
    Chip { name: "sm_80", ptx: 78 },
    Chip { name: "sm_86", ptx: 78 },
    Chip { name: "sm_87", ptx: 78 },
    Chip { name: "sm_89", ptx: 78 },
    Chip { name: "sm_90", ptx: 80 },
    Chip { name: "sm_90a", ptx: 80 },
    Chip { name: "sm_100", ptx: 86 },
    Chip { name: "sm_100a", ptx: 86 },
    Chip { name: "sm_120", ptx: 87 },
    Chip { name: "sm_120a", ptx: 87 },
];

/// Why no code was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A chip that is not in [`CHIPS`].
    #[error("expected a chip among {expected}, found {found}")]
    Chip {
        /// The known chips.
        expected: String,
        /// What was asked for.
        found: String,
    },
    /// MLIR found operations that have no LLVM IR; it has emitted a diagnostic.
    #[error("expected a gpu.module in LLVM's dialect: run the pipeline layout-to-nvvm first")]
    NotLowered,
    /// LLVM refused.
    #[error("LLVM: {0}")]
    Llvm(String),
}

impl Chip {
    /// Finds a chip by name.
    ///
    /// # Errors
    ///
    /// A name that is not in [`CHIPS`].
    pub fn find(name: &str) -> Result<Self, Error> {
        CHIPS.iter().copied().find(|chip| chip.name == name).ok_or_else(|| Error::Chip {
            expected: CHIPS.iter().map(|chip| chip.name).collect::<Vec<_>>().join(", "),
            found: name.to_owned(),
        })
    }

    fn machine(self) -> Result<TargetMachine, Error> {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| Target::initialize_nvptx(&InitializationConfig::default()));
        let triple = TargetTriple::create("nvptx64-nvidia-cuda");
        let target =
            Target::from_triple(&triple).map_err(|error| Error::Llvm(error.to_string()))?;
        target
            .create_target_machine(
                &triple,
                self.name,
                &format!("+ptx{}", self.ptx),
                OptimizationLevel::Aggressive,
                RelocMode::Default,
                CodeModel::Default,
            )
            .ok_or_else(|| Error::Llvm(format!("expected a target machine for {}", self.name)))
    }
}

/// A translated and optimised module, with the context that owns it.
pub struct Translated {
    // Dropped before the context: fields drop in order.
    module: Module<'static>,
    machine: TargetMachine,
    _context: Box<Context>,
}

impl Translated {
    /// Translates a `gpu.module` and optimises it for a chip: `level` 0 to 3.
    ///
    /// # Errors
    ///
    /// Operations without LLVM IR; LLVM's own errors.
    pub fn new(gpu_module: OperationRef<'_, '_>, chip: Chip, level: u8) -> Result<Self, Error> {
        let machine = chip.machine()?;
        let context = Box::new(Context::create());
        // SAFETY: the operation stands, and the context outlives the module: they are kept
        // together and dropped in the right order.
        let module = unsafe {
            let raw =
                mlirTranslateModuleToLLVMIR(gpu_module.to_raw(), (&*context).as_ctx_ref().cast());
            if raw.is_null() {
                return Err(Error::NotLowered);
            }
            Module::new(raw.cast())
        };
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        module.verify().map_err(|error| Error::Llvm(error.to_string()))?;
        if level > 0 {
            module
                .run_passes(
                    &format!("default<O{}>", level.min(3)),
                    &machine,
                    PassBuilderOptions::create(),
                )
                .map_err(|error| Error::Llvm(error.to_string()))?;
        }
        Ok(Self { module, machine, _context: context })
    }

    /// The LLVM IR.
    pub fn llvm_ir(&self) -> String {
        self.module.print_to_string().to_string()
    }

    /// The PTX.
    ///
    /// # Errors
    ///
    /// What the backend cannot emit.
    pub fn ptx(&self) -> Result<String, Error> {
        let buffer = self
            .machine
            .write_to_memory_buffer(&self.module, FileType::Assembly)
            .map_err(|error| Error::Llvm(error.to_string()))?;
        let text = String::from_utf8_lossy(buffer.as_slice());
        Ok(text.trim_end_matches('\0').to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_has_a_target_machine() {
        for chip in CHIPS {
            assert!(chip.machine().is_ok(), "{}", chip.name);
        }
    }

    #[test]
    fn unknown_chips_are_refused_with_the_known_ones() {
        let error = Chip::find("sm_42").expect_err("no such chip").to_string();
        assert_eq!(
            error,
            "expected a chip among sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, \
             sm_120, sm_120a, found sm_42"
        );
    }
}
