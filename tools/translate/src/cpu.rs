//! `--run-on-cpu`: matmuls that the compiler tiles as host functions, all other kernels thread by thread. A kernel that states a matmul as
//! its problem, and has instructions that only a GPU runs, becomes a host function too, with a warning.

use crate::Arguments;
use layout_dialect::tree;
use layout_lowering::commands::{function, passes, place};
use layout_lowering::{jit, manifest, pipeline, reference::References, threads};
use layout_runtime::chosen::{self, Chosen};
use layout_runtime::manifest::Manifest;
use melior::{
    Context,
    ir::{Module, OperationRef, operation::OperationLike},
};
use std::cell::RefCell;
use std::collections::HashSet;

/// Runs every kernel of a module, and prints each verdict; false after diagnostics, or where a verdict is not "right".
pub(crate) fn run<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    arguments: &Arguments,
) -> Result<bool, String> {
    let written: HashSet<String> =
        kernels(&module).filter(is_for_threads).filter_map(tree::symbol).collect();
    if arguments.pipeline && !passes(context, &mut module, &pipeline::to_tiles())? {
        return Ok(false);
    }
    let is_written =
        |own: &OperationRef<'_, '_>| tree::symbol(*own).is_some_and(|name| written.contains(&name));
    let (ours, others): (Vec<_>, Vec<_>) = kernels(&module).partition(is_written);
    if ours.is_empty() {
        return matmuls(context, module, arguments);
    }
    let mut good = true;
    if !others.is_empty() {
        let tiled = copy(&module)?;
        let written = kernels(&tiled).filter(is_written).collect::<Vec<_>>();
        written.into_iter().for_each(tree::erase);
        others.into_iter().for_each(tree::erase);
        good &= matmuls(context, tiled, arguments)?;
    }
    Ok(kernels_of(context, module, arguments)? && good)
}

/// A copy of a module.
fn copy<'c>(module: &Module<'c>) -> Result<Module<'c>, String> {
    let copy = (*module.as_operation()).clone();
    Module::from_operation(copy).ok_or_else(|| "expected a module that can be copied".to_owned())
}

/// The modules of kernels.
fn kernels<'c>(module: &Module<'c>) -> impl Iterator<Item = OperationRef<'c, 'c>> {
    let modules = tree::inside(module.as_operation(), "gpu.module").into_iter();
    modules.filter(|module| !layout_dialect::targets::is_foreign(*module))
}

/// Whether kernels are in tile operations, or lowered for threads, and each of them is a whole one: the compiler tiles one matmul as
/// several.
fn is_for_threads(module: &OperationRef<'_, '_>) -> bool {
    let functions = tree::inside(*module, "gpu.func");
    let is_step = |kernel: &OperationRef<'_, '_>| kernel.attribute("layout.step").is_ok();
    !functions.is_empty() && !functions.iter().any(is_step)
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
    let all = chosen(&facts, arguments)?;
    let functions = jit::HostFunctions::compile(&module).map_err(|error| error.to_string())?;
    let mut good = true;
    for one in all {
        let options = jit::Options { seed: arguments.seed, steps: arguments.max_steps };
        let verdict = match functions.check(&one.kernel, options) {
            Ok(verdict) => verdict,
            Err(error) => {
                let location = match &error {
                    jit::Error::At { location, .. } => location.clone(),
                    _ => location(&module, &one.kernel.name),
                };
                eprintln!("{}error: {error}", place(&location));
                good = false;
                continue;
            }
        };
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

/// The place of a kernel in the source.
fn location(module: &Module<'_>, kernel: &str) -> String {
    function(module, kernel).map(|found| found.location().to_string()).unwrap_or_default()
}

/// Runs matmuls of these names as host functions, of a module of tile programs.
fn of_gpu<'c>(
    context: &'c Context,
    tiles: Module<'c>,
    names: &HashSet<String>,
    arguments: &Arguments,
) -> Result<bool, String> {
    let is_other = |module: &OperationRef<'_, '_>| {
        let mut functions = tree::inside(*module, "gpu.func").into_iter().filter_map(tree::symbol);
        !functions.any(|name| names.contains(&name))
    };
    let others: Vec<_> = kernels(&tiles).filter(is_other).collect();
    others.into_iter().for_each(tree::erase);
    matmuls(context, tiles, arguments)
}

/// Runs kernels thread by thread.
fn kernels_of<'c>(
    context: &'c Context,
    mut module: Module<'c>,
    arguments: &Arguments,
) -> Result<bool, String> {
    let references = References::of_kernels(context, &module).map_err(|error| error.to_string())?;
    let references = references.map(RefCell::new);
    let tiles = copy(&module)?;
    if arguments.pipeline {
        threads::prepare(&module);
        if !passes(context, &mut module, &pipeline::to_threads())? {
            return Ok(false);
        }
    }
    let facts = manifest::of(module.as_operation()).map_err(|error| error.to_string())?;
    let (mut good, mut left) = (true, HashSet::new());
    for one in chosen(&facts, arguments)? {
        let kernel = one.kernel.name.as_str();
        let compute = one.kernel.reference.as_ref().zip(references.as_ref()).map(
            |(reference, references)| {
                move |words: &[u64]| {
                    let mut references = references.borrow_mut();
                    references.compute(&reference.entry, words, arguments.max_steps).map_err(
                        |error| layout_runtime::Error::Reference {
                            kernel: kernel.to_owned(),
                            reason: error.to_string(),
                        },
                    )
                }
            },
        );
        let compute =
            compute.as_ref().map(|compute| compute as &layout_runtime::trial::ReferenceFn<'_>);
        let options = threads::Options {
            seed: arguments.seed,
            remarks: arguments.access_remarks,
            steps: arguments.max_steps,
            races: usize::MAX,
        };
        let verdict = match threads::check(&module, &one.kernel, compute, options) {
            Err(threads::Error::At { location, message }) => {
                let place = place(&location);
                if one.kernel.problem.is_none() || !arguments.pipeline {
                    eprintln!("{place}error: {message}");
                    good = false;
                } else if left.insert(one.kernel.name.clone()) {
                    eprintln!(
                        "{place}warning: {message}; @{kernel} runs as loops on the CPU, which find no races"
                    );
                }
                continue;
            }
            Err(error) => {
                eprintln!("{}error: {error}", place(&location(&module, kernel)));
                good = false;
                continue;
            }
            Ok(verdict) => verdict,
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
    if !left.is_empty() {
        good &= of_gpu(context, tiles, &left, arguments)?;
    }
    Ok(good)
}
