//! A `gpu.module` in LLVM's dialect to LLVM IR and PTX.
//!
//! MLIR translates to LLVM IR; LLVM, through inkwell, optimises it and emits PTX.

mod calls;
mod collective;
mod eviction;
mod integers;
mod loops;
mod moves;

use crate::lower::EVICT_FIRST;
use inkwell::{
    OptimizationLevel,
    context::{AsContextRef, Context},
    module::Module,
    passes::PassBuilderOptions,
    support::error_handling::install_fatal_error_handler,
    targets::{
        CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
    },
};
use layout_dialect::atoms;
use layout_runtime::manifest::Kernel;
use melior::ir::OperationRef;
use mlir_sys::mlirTranslateModuleToLLVMIR;
use std::{
    ffi::{CStr, c_char},
    mem::ManuallyDrop,
    sync::Once,
};

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
    Chip { name: "sm_89", ptx: 84 },
    Chip { name: "sm_90", ptx: 84 },
    Chip { name: "sm_90a", ptx: 84 },
    Chip { name: "sm_100", ptx: 86 },
    Chip { name: "sm_100a", ptx: 86 },
    Chip { name: "sm_120", ptx: 87 },
    Chip { name: "sm_120a", ptx: 87 },
];

/// The chip of a kernel that names none.
pub const DEFAULT_CHIP: &str = layout_dialect::schedule::DEFAULT_CHIP;

/// Why no code was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A chip that is not in [`CHIPS`].
    #[error("expected a chip among {expected}, found {found}")]
    Chip {
        /// The known chips.
        expected: String,
        /// The value that was given.
        found: String,
    },
    /// A kernel that was tiled for a newer chip.
    #[error("expected a chip from {expected} on, for which @{kernel} was tiled, found {found}")]
    Older {
        /// The kernel.
        kernel: String,
        /// The chip that it was tiled for.
        expected: String,
        /// The value that was given.
        found: &'static str,
    },
    /// A kernel that takes more shared memory than the chip has.
    #[error(
        "expected @{kernel} to take at most {expected} bytes of shared memory on {chip}, found {found}"
    )]
    Shared {
        /// The kernel.
        kernel: String,
        /// The chip.
        chip: &'static str,
        /// Bytes that a block may require.
        expected: i64,
        /// Bytes that the kernel requires.
        found: u32,
    },
    /// A launch that no chip takes.
    #[error("expected @{kernel} to have {expected}, found {found:?}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// The limits.
        expected: &'static str,
        /// The extents along x, y and z.
        found: [u32; 3],
    },
    /// MLIR found operations that have no LLVM IR; it has emitted a diagnostic.
    #[error(
        "expected a gpu.module in LLVM's dialect, found operations of other dialects; the pipeline layout-to-nvvm, or --pipeline, lowers them"
    )]
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

    /// Checks that a kernel fits the chip.
    ///
    /// # Errors
    ///
    /// A kernel tiled for a newer chip, with more shared memory than the chip gives a block, or with extents of a launch that no chip takes.
    pub fn check(self, kernel: &Kernel) -> Result<(), Error> {
        if atoms::chip_number(&kernel.chip) > atoms::chip_number(self.name) {
            return Err(Error::Older {
                kernel: kernel.name.clone(),
                expected: kernel.chip.clone(),
                found: self.name,
            });
        }
        let limit = atoms::shared_limit(self.name).unwrap_or(0);
        if i64::from(kernel.shared_bytes) > limit {
            return Err(Error::Shared {
                kernel: kernel.name.clone(),
                chip: self.name,
                expected: limit,
                found: kernel.shared_bytes,
            });
        }
        let [x, y, z] = kernel.block.map(u64::from);
        let refused =
            |expected, found| Err(Error::Launch { kernel: kernel.name.clone(), expected, found });
        if !(1..=1024).contains(&(x.saturating_mul(y).saturating_mul(z))) || z > 64 {
            return refused("1 to 1024 threads of a block, at most 64 along z", kernel.block);
        }
        let [x, y, z] = kernel.grid;
        if x > i32::MAX as u32 || y.max(z) > u16::MAX.into() {
            return refused("a grid of at most [2147483647, 65535, 65535] blocks", kernel.grid);
        }
        Ok(())
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

/// Makes LLVM end this process with an error message and exit code 1 where its code generator has
/// no way on, such as at an instruction that the chip does not have. For main functions of tools.
pub fn report_fatal_errors() {
    extern "C" fn report(reason: *const c_char) {
        // SAFETY: LLVM gives a C string that lives during the call.
        let reason = unsafe { CStr::from_ptr(reason) }.to_string_lossy();
        let reason = reason.lines().next().unwrap_or_default();
        eprintln!("error: expected instructions of the chip, found an error of LLVM: {reason}");
        std::process::exit(1);
    }
    static ONCE: Once = Once::new();
    // SAFETY: the handler lives as long as the process, and does not unwind.
    ONCE.call_once(|| unsafe { install_fatal_error_handler(report) });
}

/// A translated and optimised module, with the context that owns it.
pub struct Translated {
    // Dropped before the context: fields drop in order.
    module: Module<'static>,
    machine: TargetMachine,
    level: u8,
    _context: Box<Context>,
}

impl Translated {
    /// Translates the `gpu.module`s of a program, which may be none, to one, and optimises it for a chip: `level` 0 to 3.
    ///
    /// # Errors
    ///
    /// Operations without LLVM IR; LLVM's own errors, such as two kernels of one name.
    pub fn new(gpu_modules: &[OperationRef<'_, '_>], chip: Chip, level: u8) -> Result<Self, Error> {
        let machine = chip.machine()?;
        let context = Box::new(Context::create());
        let translated = |gpu_module: &OperationRef<'_, '_>| {
            // SAFETY: the operation is valid, and the context outlives the module: they are kept
            // together and dropped in the right order.
            unsafe {
                let owner = (&*context).as_ctx_ref().cast();
                let raw = mlirTranslateModuleToLLVMIR(gpu_module.to_raw(), owner);
                if raw.is_null() {
                    return Err(Error::NotLowered);
                }
                let module = Module::new(raw.cast());
                // Functions of one name in two modules are two.
                calls::inline(&module, &context);
                Ok(module)
            }
        };
        let mut all = gpu_modules.iter().map(translated);
        let module = all.next().transpose()?.unwrap_or_else(|| {
            let module = ManuallyDrop::new(context.create_module(""));
            // SAFETY: as above; this is the only owner.
            unsafe { Module::new(module.as_mut_ptr()) }
        });
        for other in all {
            module.link_in_module(other?).map_err(|error| Error::Llvm(error.to_string()))?;
        }
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        collective::mark(&module, &context);
        module.verify().map_err(|error| Error::Llvm(error.to_string()))?;
        if level > 0 {
            integers::name_high_products(&module)?;
            module
                .run_passes(
                    &format!("default<O{}>", level.min(3)),
                    &machine,
                    PassBuilderOptions::create(),
                )
                .map_err(|error| Error::Llvm(error.to_string()))?;
            integers::rewrite(&module)?;
        }
        eviction::rewrite(&module, &machine.get_target_data(), EVICT_FIRST.cast_unsigned())?;
        Ok(Self { module, machine, level, _context: context })
    }

    /// The LLVM IR.
    pub fn llvm_ir(&self) -> String {
        self.module.print_to_string().to_string()
    }

    /// The PTX.
    ///
    /// # Errors
    ///
    /// The back end's refusal.
    pub fn ptx(&self) -> Result<String, Error> {
        let buffer = self
            .machine
            .write_to_memory_buffer(&self.module, FileType::Assembly)
            .map_err(|error| Error::Llvm(error.to_string()))?;
        let text = String::from_utf8_lossy(buffer.as_slice());
        let text = text.trim_end_matches('\0');
        if self.level == 0 {
            return Ok(text.to_owned());
        }
        Ok(loops::kept(&moves::without_repeated(text)))
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

    #[test]
    fn every_chip_has_shared_memory() {
        for chip in CHIPS {
            assert!(atoms::shared_limit(chip.name).is_some(), "{}", chip.name);
        }
    }

    #[test]
    fn kernels_must_fit_the_chip() {
        let kernel = |chip: &str, shared_bytes| Kernel {
            name: "gemm".to_owned(),
            chip: chip.to_owned(),
            grid: [1; 3],
            grid_limit: None,
            dependent_launch: false,
            waits: false,
            scalars: Vec::new(),
            reference: None,
            unordered: false,
            bytes: None,
            flops: None,
            cluster: 1,
            block: [32, 1, 1],
            shared_bytes,
            args: Vec::new(),
            workspaces: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            tensor_maps: Vec::new(),
            problem: None,
        };
        let chip = |name| Chip::find(name).expect("a known chip");
        assert!(chip("sm_90a").check(&kernel("sm_80", 227 * 1024)).is_ok());
        assert_eq!(
            chip("sm_86").check(&kernel("sm_90a", 0)).expect_err("too old").to_string(),
            "expected a chip from sm_90a on, for which @gemm was tiled, found sm_86"
        );
        assert_eq!(
            chip("sm_86").check(&kernel("sm_80", 131_072)).expect_err("too much").to_string(),
            "expected @gemm to take at most 101376 bytes of shared memory on sm_86, found 131072"
        );
        let launch = |block, grid| {
            let kernel = Kernel { block, grid, ..kernel("sm_80", 0) };
            chip("sm_80").check(&kernel).err().map(|error| error.to_string())
        };
        let most = [i32::MAX as u32, 65535, 65535];
        assert_eq!(launch([1024, 1, 1], most), None);
        assert_eq!(launch([4, 4, 64], [0; 3]), None);
        let of_block = "expected @gemm to have 1 to 1024 threads of a block, at most 64 along z";
        for block in [[2048, 1, 1], [1, 1, 128], [0, 1, 1], [u32::MAX; 3]] {
            assert_eq!(launch(block, [1; 3]), Some(format!("{of_block}, found {block:?}")));
        }
        let of_grid = "expected @gemm to have a grid of at most [2147483647, 65535, 65535] blocks";
        for grid in [[1 << 31, 1, 1], [1, 70_000, 1], [1, 1, 65536]] {
            assert_eq!(launch([1; 3], grid), Some(format!("{of_grid}, found {grid:?}")));
        }
    }
}
