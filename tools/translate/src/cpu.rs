//! `--run-on-cpu`: matmuls as host functions, all other kernels thread by thread.

use crate::Arguments;
use layout_dialect::tree;
use layout_lowering::commands::{passes, place};
use layout_lowering::{jit, manifest, pipeline, reference::References, threads};
use layout_runtime::chosen::{self, Chosen};
use layout_runtime::manifest::Manifest;
use melior::{
    Context,
    ir::{Module, OperationRef, operation::OperationLike},
};
use std::cell::RefCell;

/// The content of a file, by how it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A matmul that the compiler made, or a host function.
    Matmul,
    /// Any other kernel.
    Kernel,
}

/// Runs every kernel of a module, and says of each how it went; false when diagnostics have said why not, or one is wrong.
pub(crate) fn run<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    arguments: &Arguments,
) -> Result<bool, String> {
    if arguments.pipeline && !passes(context, &mut module, &pipeline::to_tiles())? {
        return Ok(false);
    }
    let kernels = kernels(&module);
    let mut good = true;
    if kernels.iter().all(|(_, kind)| *kind == Kind::Matmul) {
        return matmuls(context, module, arguments);
    }
    if kernels.iter().any(|(_, kind)| *kind == Kind::Matmul) {
        let others = copy(&module)?;
        keep(&others, Kind::Matmul);
        keep(&module, Kind::Kernel);
        good &= matmuls(context, others, arguments)?;
    }
    Ok(kernels_of(context, module, arguments)? && good)
}

/// A copy of a module.
fn copy<'c>(module: &Module<'c>) -> Result<Module<'c>, String> {
    let copy = (*module.as_operation()).clone();
    Module::from_operation(copy).ok_or_else(|| "expected a module that can be copied".to_owned())
}

/// The modules of kernels, and how each is run.
fn kernels<'c>(module: &Module<'c>) -> Vec<(OperationRef<'c, 'c>, Kind)> {
    let modules = tree::inside(module.as_operation(), "gpu.module").into_iter();
    let own = modules.filter(|module| !layout_dialect::targets::is_foreign(*module));
    own.map(|module| {
        let functions = tree::inside(module, "gpu.func");
        // A function that is lowered already belongs to no tile program.
        let is_matmul = functions.is_empty()
            || functions.into_iter().any(|kernel| {
                kernel.attribute("layout.step").is_ok()
                    || kernel
                        .attribute(manifest::ATTRIBUTE)
                        .is_ok_and(|facts| facts.to_string().contains("problem = {"))
            });
        (module, if is_matmul { Kind::Matmul } else { Kind::Kernel })
    })
    .collect()
}

/// Leaves the kernels of one kind in a module.
fn keep(module: &Module<'_>, wanted: Kind) {
    for (own, kind) in kernels(module) {
        if kind != wanted {
            tree::erase(own);
        }
    }
}

/// Runs matmuls as host functions.
fn matmuls<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    arguments: &Arguments,
) -> Result<bool, String> {
    if arguments.pipeline && !passes(context, &mut module, &pipeline::to_host())? {
        return Ok(false);
    }
    let facts = manifest::of(module.as_operation()).map_err(|error| error.to_string())?;
    let mut good = true;
    for one in chosen(&facts, arguments)? {
        let verdict =
            jit::check(&module, &one.kernel, arguments.seed).map_err(|error| error.to_string())?;
        let problem = &verdict.problem;
        println!(
            "{one}: {problem} on the CPU: relative error {:.2e} (at most {:.0e}), {} elements \
             unwritten, {} stray bytes: {}",
            verdict.relative_error,
            verdict.tolerance,
            verdict.unwritten,
            verdict.stray,
            if verdict.is_right() { "right" } else { "WRONG" }
        );
        good &= verdict.is_right();
    }
    Ok(good)
}

/// The kernels of a manifest, of the sizes and the grid that the user gave.
fn chosen(facts: &Manifest, arguments: &Arguments) -> Result<Vec<Chosen>, String> {
    chosen::check_names([facts], &arguments.sizes).map_err(|error| error.to_string())?;
    let mut all = facts.chosen(&arguments.sizes).map_err(|error| error.to_string())?;
    if let Some(grid) = arguments.grid {
        grid.fill(&mut all);
    }
    Ok(all)
}

/// Runs kernels thread by thread.
fn kernels_of<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    arguments: &Arguments,
) -> Result<bool, String> {
    let references = References::of_kernels(context, &module).map_err(|error| error.to_string())?;
    let references = references.map(RefCell::new);
    if arguments.pipeline {
        threads::prepare(&module);
        if !passes(context, &mut module, &pipeline::to_threads())? {
            return Ok(false);
        }
    }
    let facts = manifest::of(module.as_operation()).map_err(|error| error.to_string())?;
    let mut good = true;
    for one in chosen(&facts, arguments)? {
        let compute = one.kernel.reference.as_ref().zip(references.as_ref()).map(
            |(reference, references)| {
                move |words: &[u64]| {
                    let mut references = references.borrow_mut();
                    references
                        .compute(&reference.entry, words)
                        .map_err(|error| layout_runtime::Error::Manifest(error.to_string()))
                }
            },
        );
        let compute =
            compute.as_ref().map(|compute| compute as &layout_runtime::trial::Computes<'_>);
        let options = threads::Options { seed: arguments.seed, remarks: arguments.access_remarks };
        let verdict = match threads::check(&module, &one.kernel, compute, options) {
            Err(threads::Error::Reported) => {
                good = false;
                continue;
            }
            verdict => verdict.map_err(|error| error.to_string())?,
        };
        print!("{}", verdict.printed);
        if verdict.not_printed > 0 {
            println!("… and the output of {} more calls of gpu.printf", verdict.not_printed);
        }
        for finding in &verdict.findings {
            eprintln!("{}error: {}", place(&finding.location), finding.message);
            for (location, text) in &finding.notes {
                eprintln!("{}note: {text}", place(location));
            }
        }
        for remark in &verdict.remarks {
            eprintln!("{}remark: {remark}", place(&remark.location));
        }
        println!("{one} on the CPU: {verdict}");
        good &= verdict.is_right();
    }
    Ok(good)
}
