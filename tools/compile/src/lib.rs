//! Compiles MLIR to PTX and the manifest of its launches: models on tensors, matmuls on views, and kernels written in layouts.

pub mod cache;
mod diagnostics;

pub use diagnostics::{Diagnostic, Severity};

use layout_lowering::{
    commands::{self, choose_chip, gpu_modules, passes},
    manifest,
    nvptx::{CHIPS, Translated},
    pipeline,
};
use layout_runtime::manifest::Manifest;
use melior::{
    Context,
    ir::{Module, operation::OperationLike},
};
use std::{fmt, sync::Arc};

/// The input of a compilation.
#[derive(Clone, Copy, Debug)]
pub enum Source<'s> {
    /// The file of this path, which diagnostics name.
    File(&'s str),
    /// A text, which diagnostics name `-`.
    Text(&'s str),
}

/// How it is compiled.
#[derive(Clone, Debug)]
pub struct Options {
    /// The GPU, such as `sm_90a`.
    pub chip: String,
    /// LLVM's optimisation level, 0 to 3.
    pub opt_level: u8,
    /// The function and the shapes that are compiled for, or `None` for all functions, and sizes that are known at run time.
    pub specialization: Option<Specialization>,
}

/// One function of a source, for arguments of these shapes: the source's other functions are left out unless it calls them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Specialization {
    /// The function on tensors.
    pub function: String,
    /// The extents of each argument.
    pub shapes: Vec<Vec<i64>>,
}

impl Specialization {
    /// A key of a cache with this appended.
    pub fn key(&self, key: cache::Key) -> cache::Key {
        let key = key.bytes(self.function.as_bytes());
        self.shapes.iter().fold(key, |key, shape| {
            let bytes: Vec<u8> = shape.iter().flat_map(|extent| extent.to_le_bytes()).collect();
            key.bytes(&bytes)
        })
    }

    /// The pass that makes it, or `None` for a name that a pipeline's text cannot have.
    fn pass(&self) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-$".contains(c);
        if self.function.is_empty() || !self.function.chars().all(is_plain) {
            return None;
        }
        let one = |shape: &Vec<i64>| match shape.as_slice() {
            [] => "_".to_owned(),
            extents => extents.iter().map(i64::to_string).collect::<Vec<_>>().join("x"),
        };
        let shapes = self.shapes.iter().map(one).collect::<Vec<_>>().join(",");
        let function = &self.function;
        Some(format!("builtin.module(layout-specialize{{function={function} shapes={shapes}}})"))
    }
}

/// The result of a compilation.
pub struct Compiled {
    /// The kernels.
    pub ptx: String,
    /// How they are launched: the programs of functions on tensors, and kernels.
    pub manifest: Manifest,
    /// The GPU.
    pub chip: &'static str,
    /// The module after the passes, with kernels in LLVM's dialect.
    pub ir: String,
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("chip", &self.chip).finish_non_exhaustive()
    }
}

/// Compiles a source: functions on tensors become programs; without any, matmuls on views and handwritten kernels
/// become kernels. Each diagnostic goes to `report`; nothing comes back when one of them has reported why.
///
/// LLVM ends the process where it cannot select instructions ([`layout_lowering::nvptx::report_fatal_errors`]).
///
/// # Errors
///
/// An error that no diagnostic says, such as a chip that a kernel does not fit.
pub fn compile(
    source: Source<'_>,
    options: &Options,
    report: impl Fn(Diagnostic) + Send + Sync + 'static,
) -> Result<Option<Compiled>, String> {
    let context = commands::context(layout_passes::register_all);
    let report = Arc::new(report);
    context.attach_diagnostic_handler(move |diagnostic| {
        report(Diagnostic::of(&diagnostic));
        true
    });
    let Some(mut module) = module(&context, source) else { return Ok(None) };
    if let Some(specialization) = &options.specialization {
        let pass = specialization.pass().ok_or_else(|| {
            let name = &specialization.function;
            format!("expected a function's name of letters, digits, _, ., - and $, found '{name}'")
        })?;
        if !passes(&context, &mut module, &pass)? {
            return Ok(None);
        }
    }
    let is_model = has_tensors(&module);
    let pipeline = if is_model { pipeline::to_program(&options.chip) } else { pipeline::to_nvvm() };
    if !passes(&context, &mut module, &pipeline)? {
        return Ok(None);
    }
    let mut manifest = manifest::of(module.as_operation()).map_err(|error| match error {
        manifest::Error::NoKernel => {
            "expected a public function on tensors, a layout.matmul or a kernel with layout.kernel, found none of \
             them; private functions and functions on memrefs have no entry"
                .to_owned()
        }
        error => error.to_string(),
    })?;
    if is_model && manifest.programs.is_empty() {
        return Err(
            "expected a function that kernels compute, found none; remarks say why".to_owned()
        );
    }
    let Some(chip) = choose_chip(&module, Some(&options.chip), Some(&mut manifest))? else {
        return Ok(None);
    };
    let ir = format!("{}\n", module.as_operation());
    // Programs that copy alone have no kernel.
    let modules = match manifest.kernels.is_empty() && manifest.templates.is_empty() {
        true => Vec::new(),
        false => gpu_modules(&module)?,
    };
    let translated =
        Translated::new(&modules, chip, options.opt_level).map_err(|error| error.to_string())?;
    let ptx = translated.ptx().map_err(|error| error.to_string())?;
    Ok(Some(Compiled { ptx, manifest, chip: chip.name, ir }))
}

/// The module of a source, or `None` if diagnostics have reported why it has none.
pub fn module<'c>(context: &'c Context, source: Source<'_>) -> Option<Module<'c>> {
    match source {
        Source::File(path) => layout_dialect::tools::parse_file(context, path),
        Source::Text(text) => Module::parse(context, text),
    }
}

/// Whether a function takes or gives a tensor.
fn has_tensors(module: &Module<'_>) -> bool {
    let functions = layout_dialect::tree::inside(module.as_operation(), "func.func");
    functions.into_iter().any(|function| {
        let kind = function.attribute("function_type");
        kind.is_ok_and(|kind| kind.to_string().contains("tensor<"))
    })
}

/// The names of the GPUs that code can be made for.
pub fn chips() -> impl Iterator<Item = &'static str> {
    CHIPS.iter().map(|chip| chip.name)
}

/// The chip of a compute capability: the newest one that a GPU of it runs.
pub fn chip_of((major, minor): (i32, i32)) -> &'static str {
    let own = major * 10 + minor;
    let number = |name: &str| {
        let digits = name.trim_start_matches("sm_").trim_end_matches('a');
        digits.parse::<i32>().unwrap_or(i32::MAX)
    };
    // Instructions of `sm_90a` are those of 9.0 alone.
    let runs = |name: &&str| match name.ends_with('a') {
        true => number(name) == own,
        false => number(name) <= own,
    };
    chips().filter(runs).max_by_key(|name| (number(name), name.len())).unwrap_or("sm_80")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_options_of_a_pass() {
        let of = |function: &str| {
            let shapes = vec![vec![3, 64], vec![], vec![7]];
            Specialization { function: function.to_owned(), shapes }.pass()
        };
        assert_eq!(
            of("main").as_deref(),
            Some("builtin.module(layout-specialize{function=main shapes=3x64,_,7})")
        );
        assert_eq!(of("a b"), None);
    }

    #[test]
    fn a_gpu_has_the_newest_chip_that_it_runs() {
        let chips =
            [(9, 0), (8, 0), (8, 6), (8, 9), (10, 0), (10, 3), (12, 1), (7, 5)].map(chip_of);
        let expected =
            ["sm_90a", "sm_80", "sm_86", "sm_89", "sm_100a", "sm_100", "sm_120", "sm_80"];
        assert_eq!(chips, expected);
    }
}
