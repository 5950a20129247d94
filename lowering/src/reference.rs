//! The function that a kernel is compared with, in float64.
//!
//! A kernel names a `func.func` of its file by `layout.reference = @name`. It is upstream IR: linalg on memrefs, scf, math,
//! arith. Here its floats become float64, those of its memrefs too ([`widen`]), it is lowered by upstream passes, and
//! beside it goes a function with one C signature for all references: `void layout_reference_NAME(const uint64_t *words)`,
//! whose words are the operands as MLIR's calling convention for memrefs has them.
//!
//! A number that it narrows is rounded ([`narrow`]).
//!
//! On this machine it is compiled in this process ([`References::compute`]), and its accesses are checked ([`bounds`]). For a machine that has a GPU and no MLIR it is
//! written as a shared object ([`References::write`]): an object file of LLVM's, linked by `cc` with the library of
//! mathematical functions. This form of a reference requires least of both sides: C text would need a second
//! lowering, and a compiler over there; IR an interpreter. The code is for any processor of this machine's architecture.

mod bounds;
mod depth;
mod facts;
mod narrow;
mod widen;

use crate::{
    budget::{self, Stop, loops},
    derive::ENTRY,
    jit::Engine,
    lower::KERNEL,
};
use inkwell::{
    OptimizationLevel,
    context::{AsContextRef, Context},
    passes::PassBuilderOptions,
    targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine},
};
use layout_dialect::{build::Builder, tree};
use layout_runtime::expression::MAX_LENGTH;
use melior::{
    ir::{Attribute, Module, OperationRef, attribute::TypeAttribute, operation::OperationLike},
    pass::PassManager,
    utility,
};
use mlir_sys::mlirTranslateModuleToLLVMIR;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write,
    path::Path,
    process::Command,
};

/// Upstream passes to loops, of which the longest reduction is read.
const TO_LOOPS: &str =
    "builtin.module(func.func(convert-linalg-to-loops,lower-affine,canonicalize))";

/// Upstream passes from there to LLVM's dialect.
const TO_LLVM: &str = "builtin.module(convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-vector-to-llvm,\
    finalize-memref-to-llvm,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,\
    convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)";

/// Why a reference cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The reference cannot be run: what was expected of it, and what was found.
    #[error("reference @{name}: {reason}")]
    Refused {
        /// The function.
        name: String,
        /// The expectation and the finding.
        reason: String,
    },
    /// MLIR refused an operation; its own diagnostic has been emitted.
    #[error("cannot lower a reference: {0}")]
    Ir(#[from] melior::Error),
    /// LLVM refused.
    #[error("LLVM: {0}")]
    Llvm(String),
    /// The linker could not be run, or refused.
    #[error("cannot link the library of references: {0}")]
    Link(String),
}

/// The references that the kernels of a module name.
pub struct References<'c> {
    module: Module<'c>,
    /// The same as loops, whose accesses are checked in this process.
    loops: Module<'c>,
    names: Vec<String>,
    /// Their longest reductions, where those are bounded.
    depths: BTreeMap<String, Option<depth::Depth>>,
    types: BTreeMap<String, Types>,
    engine: Option<Checked>,
}

/// The code of this process, and the places of its accesses and of its loops.
struct Checked {
    engine: Engine,
    accesses: Vec<String>,
    loops: Vec<String>,
}

/// The coarsest types on the way to a reference's results.
#[derive(Clone, Debug, Default)]
struct Types {
    /// The one that a number is narrowed to and widened from again.
    rounds: Option<&'static str>,
    /// The one narrower than f32 that is computed in.
    arithmetic: Option<&'static str>,
    /// Whether f64 is computed in, and whether another type is.
    computes: [bool; 2],
}

impl Types {
    /// Float types by increasing precision.
    const BY_PRECISION: [&str; 5] = ["f8E5M2", "f8E4M3FN", "bf16", "f16", "f32"];

    fn add(&mut self, operation: OperationRef<'_, '_>) {
        let coarser = |one: &mut Option<&'static str>, element: &str| {
            let place = |own: &str| Self::BY_PRECISION.iter().position(|name| *name == own);
            let all = [*one, Some(element)].into_iter().flatten().filter_map(place);
            *one = all.min().map(|place| Self::BY_PRECISION[place]);
        };
        let name = tree::name(operation);
        if name == "arith.extf" {
            let narrow = layout_dialect::build::operand(operation, 0);
            if tree::definition(narrow).is_some_and(|made| tree::name(made) == "arith.truncf") {
                coarser(&mut self.rounds, &narrow::element(narrow));
            }
            return;
        }
        if depth::is_rounded(&name) && operation.result_count() == 1 {
            let element = narrow::element(layout_dialect::build::first_result(operation));
            self.computes[usize::from(element != "f64")] = true;
            if element != "f32" {
                coarser(&mut self.arithmetic, &element);
            }
        }
    }
}

impl<'c> References<'c> {
    /// The references that the kernels of a module name, if any does. Records in the facts of each kernel the longest
    /// reduction of its reference; if its loops do not bound that, the size of its largest operand.
    ///
    /// # Errors
    ///
    /// Those of [`Self::new`].
    pub fn of_kernels(
        context: &'c melior::Context,
        root: &Module<'c>,
    ) -> Result<Option<Self>, Error> {
        let mut kernels = Vec::new();
        for operation in tree::all(root.as_operation()) {
            let Ok(facts) = operation.attribute(KERNEL) else { continue };
            let text = facts.to_string();
            let named = text.split_once(&format!("entry = \"{ENTRY}")).map(|(_, rest)| rest);
            let named = named.and_then(|rest| rest.split('"').next()).map(str::to_owned);
            kernels.extend(named.map(|name| (operation, text, name)));
        }
        if kernels.is_empty() {
            return Ok(None);
        }
        let mut names: Vec<String> = kernels.iter().map(|(.., name)| name.clone()).collect();
        names.sort();
        names.dedup();
        let references = Self::new(context, root, &names)?;
        for (operation, text, name) in kernels {
            let extent = |argument: usize, mode: usize| facts::extent(&text, argument, mode);
            let depth = references.depths.get(&name).and_then(Option::as_ref);
            let depth = match depth.and_then(|depth| depth.text(&extent)) {
                Some(depth) if depth.len() <= MAX_LENGTH => depth,
                _ => facts::largest(&text),
            };
            let depth = match depth.parse::<u64>() {
                Ok(number) => format!("depth = {number} : i64"),
                Err(_) => format!("depth = \"{depth}\""),
            };
            let types = references.types.get(&name).cloned().unwrap_or_default();
            let mut entries = depth;
            let is_wide = types.computes == [true, false];
            let arithmetic = types.arithmetic.or(is_wide.then_some("f64"));
            for (entry, element) in [("rounds", types.rounds), ("arithmetic", arithmetic)] {
                if let Some(element) = element {
                    _ = write!(entries, ", {entry} = \"{element}\"");
                }
            }
            let own = text.replace("depth = 0 : i64", &entries);
            if let Some(own) = Attribute::parse(context, &own) {
                tree::set_attribute(operation, KERNEL, own);
            }
        }
        Ok(Some(references))
    }

    /// Lowers functions of a module to LLVM's dialect, by their names.
    ///
    /// # Errors
    ///
    /// A name without a function; one that calls itself; operations that are not upstream's, or that do not lower.
    pub fn new(
        context: &'c melior::Context,
        root: &Module<'c>,
        names: &[String],
    ) -> Result<Self, Error> {
        let mut types = BTreeMap::new();
        for name in names {
            types.insert(name.clone(), collect(root, std::slice::from_ref(name))?.1);
        }
        let (text, _) = collect(root, names)?;
        let text = widen::floats(&text);
        let refused =
            |reason: &str| Error::Refused { name: names.join(", @"), reason: reason.to_owned() };
        let mut module = Module::parse(context, &text).ok_or_else(|| {
            refused("expected operations that have a form in float64, found others")
        })?;
        if let Some((name, _)) = crate::names::recursive(module.as_operation()) {
            let found = format!("expected functions that do not call themselves, found @{name}");
            return Err(refused(&found));
        }
        narrow::expand(&module)?;
        lower(&mut module, names, TO_LOOPS)?;
        let inlined = depth::inlined(&module);
        let whole = inlined.as_ref().unwrap_or(&module);
        let functions = tree::inside(whole.as_operation(), "func.func").into_iter();
        let depths = functions
            .filter_map(|function| Some((symbol(function)?, depth::of(function))))
            .filter(|(name, _)| names.contains(name))
            .collect();
        let loops = Module::from_operation((*module.as_operation()).clone())
            .ok_or_else(|| refused("expected a module"))?;
        let (module, names) = (with_entries(module, names)?, names.to_vec());
        Ok(Self { module, loops, names, depths, types, engine: None })
    }

    /// Computes a reference in this process, of the words that it takes, within a number of steps ([`crate::budget`]).
    ///
    /// # Errors
    ///
    /// A name that is no reference's; an access beyond a memref; a loop that takes more steps.
    pub fn compute(&mut self, entry: &str, words: &[u64], steps: u64) -> Result<(), Error> {
        let name = entry.strip_prefix(ENTRY).unwrap_or(entry);
        let refused = |reason: String| Error::Refused { name: name.to_owned(), reason };
        let unknown = || refused("expected a function in LLVM's dialect".to_owned());
        if self.engine.is_none() {
            let module = Module::from_operation((*self.loops.as_operation()).clone());
            let module = module.ok_or_else(unknown)?;
            let accesses = bounds::check(&module)?;
            let module = with_entries(module, &self.names)?;
            let loops = loops::watch(module.as_operation())?;
            let [tick, enter] = budget::functions();
            let engine = Engine::new(&module, &[bounds::function(), tick, enter]);
            self.engine = engine.map(|engine| Checked { engine, accesses, loops });
        }
        let Checked { engine, accesses, loops } = self.engine.as_ref().ok_or_else(unknown)?;
        let function = engine.packed(entry).ok_or_else(unknown)?;
        // SAFETY: each entry takes one pointer, to the words that the kernel's facts require.
        let run = unsafe { function.call_within(&[words.as_ptr() as u64], steps) };
        if let Some(reason) = bounds::first(accesses) {
            return Err(refused(reason));
        }
        run.map_err(|stop| match stop {
            Stop::Steps(exceeded) => {
                let place = loops.get(exceeded.site as usize).map_or("", String::as_str);
                let place = crate::commands::place(place);
                let place = place.trim_end_matches([':', ' ']);
                let steps = exceeded.steps;
                refused(format!(
                    "expected an end within {steps} steps, found a loop that takes more, at {place}; {}",
                    budget::HINT
                ))
            }
            stop => refused(stop.to_string()),
        })
    }

    /// Writes the references as a shared object.
    ///
    /// # Errors
    ///
    /// LLVM's, and those of `cc`.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::Llvm(error.to_string());
        Target::initialize_native(&InitializationConfig::default())
            .map_err(|error| wrong(&error))?;
        let context = Context::create();
        // SAFETY: the module is valid; the context outlives what is translated.
        let module = unsafe {
            let raw = mlirTranslateModuleToLLVMIR(
                self.module.as_operation().to_raw(),
                (&context).as_ctx_ref().cast(),
            );
            if raw.is_null() {
                return Err(Error::Llvm("expected a module in LLVM's dialect".to_owned()));
            }
            inkwell::module::Module::new(raw.cast())
        };
        let triple = TargetMachine::get_default_triple();
        let target = Target::from_triple(&triple).map_err(|error| wrong(&error))?;
        let machine = target.create_target_machine(
            &triple,
            "generic",
            "",
            OptimizationLevel::Default,
            RelocMode::PIC,
            CodeModel::Default,
        );
        let machine =
            machine.ok_or_else(|| wrong(&"expected a target machine for this machine"))?;
        module.set_triple(&machine.get_triple());
        module.set_data_layout(&machine.get_target_data().get_data_layout());
        module
            .run_passes("default<O2>", &machine, PassBuilderOptions::create())
            .map_err(|error| wrong(&error))?;
        let folder = tempfile::tempdir().map_err(|error| Error::Link(error.to_string()))?;
        let object = folder.path().join("references.o");
        machine.write_to_file(&module, FileType::Object, &object).map_err(|error| wrong(&error))?;
        let mut linker = Command::new("cc");
        linker.arg("-shared").arg("-o").arg(path).arg(&object).arg("-lm");
        let done =
            linker.output().map_err(|error| Error::Link(format!("cannot run cc: {error}")))?;
        if !done.status.success() {
            let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
            return Err(Error::Link(format!("cc refuses: {}", stderr.trim())));
        }
        Ok(())
    }
}

/// Runs passes on references.
fn lower(module: &mut Module<'_>, names: &[String], pipeline: &str) -> Result<(), Error> {
    let manager = PassManager::new(layout_dialect::build::context_of(module.as_operation()));
    utility::parse_pass_pipeline(manager.as_operation_pass_manager(), pipeline)?;
    manager.run(module).map_err(|_| Error::Refused {
        name: names.join(", @"),
        reason: "expected upstream operations that lower to loops and arithmetic, found others"
            .to_owned(),
    })
}

/// References in LLVM's dialect, and the function with one C signature that calls each.
fn with_entries<'c>(mut module: Module<'c>, names: &[String]) -> Result<Module<'c>, Error> {
    lower(&mut module, names, TO_LLVM)?;
    let refused =
        |reason: &str| Error::Refused { name: names.join(", @"), reason: reason.to_owned() };
    let root = module.as_operation();
    let context = layout_dialect::build::context_of(root);
    let body = tree::entry(root).ok_or_else(|| refused("expected a module"))?;
    let b = Builder::at_end(context, root.location(), body);
    for name in names {
        let text = entry(&module, name).ok_or_else(|| refused("expected functions"))?;
        let own = Module::parse(context, &text)
            .ok_or_else(|| refused("expected a module in LLVM's dialect"))?;
        let all = tree::inside(own.as_operation(), "llvm.func").into_iter();
        for entry in all.filter(|function| tree::entry(*function).is_some()) {
            tree::clone_with(&b, entry, &[]);
        }
    }
    Ok(module)
}

fn symbol(operation: OperationRef<'_, '_>) -> Option<String> {
    tree::symbol(operation)
}

/// A module, in generic form, of functions and all that they name; the coarsest types of what they compute.
fn collect(root: &Module<'_>, names: &[String]) -> Result<(String, Types), Error> {
    let mut types = Types::default();
    let body = tree::entry(root.as_operation()).map(tree::operations).unwrap_or_default();
    let all: HashMap<String, OperationRef<'_, '_>> = body
        .into_iter()
        .filter(|operation| {
            matches!(tree::name(*operation).as_str(), "func.func" | "memref.global")
        })
        .filter_map(|operation| Some((symbol(operation)?, operation)))
        .collect();
    let module = Module::new(root.as_operation().location());
    let inside = tree::entry(module.as_operation()).ok_or(melior::Error::OperationBuild)?;
    let context = layout_dialect::build::context_of(root.as_operation());
    let b = Builder::at_end(context, root.as_operation().location(), inside);
    let (mut seen, mut next) = (HashSet::new(), names.to_vec());
    while let Some(name) = next.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        let Some(&function) = all.get(&name) else {
            return Err(Error::Refused {
                name,
                reason: "expected a func.func of the file, found none".to_owned(),
            });
        };
        let copy = tree::clone_with(&b, function, &[]);
        tree::all(copy).into_iter().for_each(|operation| types.add(operation));
        for operation in tree::all(copy) {
            let attributes = operation.attributes();
            let named = attributes.filter_map(|(_, attribute)| {
                let text = attribute.to_string();
                Some(text.strip_prefix('@')?.trim_matches('"').to_owned())
            });
            next.extend(named.filter(|name| all.contains_key(name)));
            match tree::name(operation).as_str() {
                // Both sides are float64.
                "arith.extf" => {
                    let value = layout_dialect::build::operand(operation, 0);
                    tree::replace_uses(layout_dialect::build::first_result(operation), value);
                    tree::erase(operation);
                }
                "arith.truncf" => narrow::mark(operation)?,
                _ => {}
            }
        }
    }
    let flags = melior::ir::operation::OperationPrintingFlags::new().print_generic_operation_form();
    let flags = flags.enable_debug_info(true, false);
    let text = module.as_operation().to_string_with_flags(flags)?;
    Ok((text, types))
}

/// The function with one C signature that calls a reference, which is declared before it.
fn entry(module: &Module<'_>, name: &str) -> Option<String> {
    let functions = tree::inside(module.as_operation(), "llvm.func").into_iter();
    let mut functions = functions.filter(|function| symbol(*function).as_deref() == Some(name));
    let signature = functions.next()?.attribute("function_type").ok()?;
    let signature = TypeAttribute::try_from(signature).ok()?.value().to_string();
    let inside = signature.strip_prefix("!llvm.func<")?.strip_suffix('>')?;
    let (_, parameters) = inside.split_once('(')?;
    let parameters = parameters.strip_suffix(')')?;
    let types: Vec<String> = match parameters.trim() {
        "" => Vec::new(),
        all => all
            .split(',')
            .map(|own| match own.trim() {
                own if own.starts_with("ptr") => format!("!llvm.{own}"),
                own => own.to_owned(),
            })
            .collect(),
    };
    let mut text = format!(
        "llvm.func @{name}({})\nllvm.func @{ENTRY}{name}(%words: !llvm.ptr) {{\n",
        types.join(", ")
    );
    for (number, own) in types.iter().enumerate() {
        _ = writeln!(
            text,
            "%p{number} = llvm.getelementptr %words[{number}] : (!llvm.ptr) -> !llvm.ptr, i64\n\
             %v{number} = llvm.load %p{number} : !llvm.ptr -> {own}"
        );
    }
    let values: Vec<String> = (0..types.len()).map(|number| format!("%v{number}")).collect();
    _ = writeln!(
        text,
        "llvm.call @{name}({}) : ({}) -> ()\nllvm.return\n}}",
        values.join(", "),
        types.join(", ")
    );
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_a_number_of_steps() {
        let context = crate::commands::context(|| {});
        let text = "func.func @sums(%n: index, %out: memref<1xf32>) {
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            scf.for %i = %c0 to %n step %c1 {
              %x = memref.load %out[%c0] : memref<1xf32>
              %y = arith.addf %x, %x : f32
              memref.store %y, %out[%c0] : memref<1xf32>
            }
            return
          }";
        let module = Module::parse(&context, text).expect("a module");
        let mut references =
            References::new(&context, &module, &["sums".to_owned()]).expect("a reference");
        let mut number = 1_f64;
        let memory = (&raw mut number) as u64;
        let mut sums = |count: u64| {
            let words = [count, memory, memory, 0, 1, 1];
            references.compute(&format!("{ENTRY}sums"), &words, 10)
        };
        sums(10).expect("as many iterations as steps");
        let stopped = sums(11).expect_err("one more").to_string();
        assert_eq!(
            stopped,
            "reference @sums: expected an end within 10 steps, found a loop that takes more, at -:4:13; --max-steps N raises the limit"
        );
        assert_eq!(number, 1024.0);
    }
}
