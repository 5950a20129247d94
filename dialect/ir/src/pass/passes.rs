//! Passes and pipelines written in Rust, registered with MLIR's global registry: `--pass-pipeline`,
//! `--help`, `--mlir-timing` and `--mlir-pass-statistics` treat them as MLIR's own.
//!
//! ```no_run
//! use layout_dialect::{diagnostics, passes::{Pass, PassOption, Statistic, register_pass}};
//!
//! register_pass(
//!     &Pass {
//!         name: "layout-fold",
//!         description: "evaluate static terms",
//!         options: &[PassOption { name: "limit", description: "terms at most", initial: "1000" }],
//!         statistics: &[Statistic { name: "evaluated", description: "terms evaluated" }],
//!         ..Pass::default()
//!     },
//!     |operation, run| {
//!         let Ok(limit) = run.option("limit").parse::<u64>() else {
//!             diagnostics::error(operation, "expected a number as the option 'limit'");
//!             return Err(());
//!         };
//!         run.count("evaluated", limit.min(1));
//!         Ok(())
//!     },
//! );
//! ```

use crate::border::ffi::{self, borrow, lend};
use melior::{
    dialect::DialectHandle,
    ir::{OperationRef, operation::OperationLike},
};
use mlir_sys::{MlirDialectHandle, MlirOperation, MlirPass, MlirStringRef};
use std::{
    any::Any,
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, Once, OnceLock, PoisonError},
    time::Instant,
};

/// An option of a pass or pipeline: a text that the pass reads as it likes.
#[derive(Clone, Copy, Debug)]
pub struct PassOption {
    /// The name, as in `layout-fold{limit=10}`.
    pub name: &'static str,
    /// A line for `--help`.
    pub description: &'static str,
    /// The value when none is given.
    pub initial: &'static str,
}

/// A counter of a pass, which `--mlir-pass-statistics` shows. A counter named `group: member` is one of many of its
/// group, and is shown only if it is not 0.
#[derive(Clone, Copy, Debug)]
pub struct Statistic {
    /// The name.
    pub name: &'static str,
    /// The quantity that is counted.
    pub description: &'static str,
}

/// The pass in MLIR's registry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pass<'a> {
    /// The name in pipelines and on the command line.
    pub name: &'static str,
    /// A line for `--help`.
    pub description: &'static str,
    /// The operation that the pass runs on, such as `builtin.module`; empty for any.
    pub root: &'static str,
    /// Its options.
    pub options: &'static [PassOption],
    /// Its counters.
    pub statistics: &'static [Statistic],
    /// Dialects that it creates operations of: they are loaded before it runs.
    pub dependents: &'a [DialectHandle],
}

/// A pass at work.
#[derive(Debug)]
pub struct PassRun<'a> {
    raw: *mut ffi::PassRun,
    options: &'a [PassOption],
    statistics: &'a [Statistic],
}

impl PassRun<'_> {
    /// The value of an option; empty if the pass declares no such option.
    pub fn option(&self, name: &str) -> String {
        let Some(index) = self.options.iter().position(|option| option.name == name) else {
            return String::new();
        };
        // SAFETY: the run is valid while the pass is at work.
        unsafe { borrow(ffi::layoutPassOption(self.raw, index as isize)) }
    }

    /// Adds to a counter; does nothing if the pass declares no such counter.
    pub fn count(&self, name: &str, amount: u64) {
        if let Some(index) = self.statistics.iter().position(|statistic| statistic.name == name) {
            // SAFETY: the run is valid while the pass is at work.
            unsafe { ffi::layoutPassCount(self.raw, index as isize, amount) }
        }
    }

    /// Runs a textual pipeline, such as `canonicalize,cse`, on an operation at or below the pass's
    /// own. Dialects that its passes create must be among the pass's dependents.
    ///
    /// # Errors
    ///
    /// When the text is no pipeline or a pass fails; diagnostics have been emitted.
    #[allow(clippy::result_unit_err, reason = "what failed has been reported as a diagnostic")]
    pub fn run_pipeline<'c: 'a, 'a>(
        &self,
        pipeline: &str,
        operation: impl OperationLike<'c, 'a>,
    ) -> Result<(), ()> {
        // SAFETY: the run is valid while the pass is at work, and the operation is valid.
        let ok =
            unsafe { ffi::layoutPassRunPipeline(self.raw, lend(pipeline), operation.to_raw()) };
        if ok { Ok(()) } else { Err(()) }
    }
}

/// Observes the runs of passes registered with [`register_pass`].
pub trait Observer: Send + Sync {
    /// Called before a pass runs; what it gives is passed to [`Observer::after`]. `None` where there
    /// is nothing to examine.
    fn before(&self, pass: &str, operation: OperationRef<'_, '_>) -> Option<Box<dyn Any>>;

    /// Called when the pass has succeeded; `false` lets it fail, and should have been reported as a
    /// diagnostic.
    fn after(&self, pass: &str, operation: OperationRef<'_, '_>, before: Box<dyn Any>) -> bool;
}

static OBSERVER: OnceLock<Box<dyn Observer>> = OnceLock::new();

/// Lets an observer examine every pass that runs from now on in this process. The first stays.
pub fn observe(observer: Box<dyn Observer>) {
    let _ = OBSERVER.set(observer);
}

/// The entry of a registered pass or pipeline, for documentation.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in pipelines and on the command line.
    pub name: &'static str,
    /// A line for `--help`.
    pub description: &'static str,
    /// The operation that it runs on; empty for any.
    pub root: &'static str,
    /// Its options.
    pub options: &'static [PassOption],
    /// Its counters.
    pub statistics: &'static [Statistic],
    /// Whether it is a name for several passes.
    pub pipeline: bool,
}

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn enter(entry: Entry) {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
}

/// The passes and pipelines that were registered, by name.
pub fn registered() -> Vec<Entry> {
    let mut entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    entries.sort_by_key(|entry| (entry.pipeline, entry.name));
    entries
}

/// A name in the text of a pipeline that no pass of ours has, with the nearest one.
///
/// Passes of others have names of their own: only those that differ by two letters at most are suggested.
pub fn misspelled(pipeline: &str) -> Vec<(String, &'static str)> {
    let entries = registered();
    let mut options = 0_usize;
    // Text in braces is options, and text before a parenthesis is an operation.
    let outside = pipeline.chars().filter(|c| {
        options += usize::from(*c == '{');
        let is_outside = options == 0;
        options -= usize::from(*c == '}' && options > 0);
        is_outside
    });
    let text: String = outside.collect();
    let names = text.split([',', ')']).filter_map(|part| part.rsplit('(').next());
    let misspelled = names.map(str::trim).filter_map(|name| {
        let known = entries.iter().any(|entry| entry.name == name);
        let like = layout_algebra::nearest_name(name, entries.iter().map(|entry| entry.name))?;
        let close = strsim::damerau_levenshtein(name, like) <= 2;
        (!known && close).then(|| (name.to_owned(), like))
    });
    misspelled.collect()
}

type Body = dyn Fn(MlirOperation, *mut ffi::PassRun) -> bool + Send + Sync;

/// Registers a pass. `run` may be called from several threads at once, each with an operation of
/// its own; an error fails the pass, and should have been reported as a diagnostic.
///
/// Registering a name twice is an error that ends the process; see [`register_once`].
pub fn register_pass<E>(
    pass: &Pass<'_>,
    run: impl Fn(OperationRef<'_, '_>, &PassRun<'_>) -> Result<(), E> + Send + Sync + 'static,
) {
    let (name, options, statistics) = (pass.name, pass.options, pass.statistics);
    enter(Entry {
        name,
        description: pass.description,
        root: pass.root,
        options,
        statistics,
        pipeline: false,
    });
    let body: Box<Body> = Box::new(move |operation, raw| {
        // SAFETY: MLIR passes the operation that the pass runs on, valid while it does.
        let operation = unsafe { OperationRef::from_raw(operation) };
        let pass_run = PassRun { raw, options, statistics };
        let observed = || {
            let before = OBSERVER.get().and_then(|observer| {
                // SAFETY: as above.
                let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
                Some((observer, observer.before(name, operation)?))
            });
            let start = Instant::now();
            let outcome = run(operation, &pass_run);
            let (succeeded, elapsed) = (outcome.is_ok(), start.elapsed());
            tracing::debug!(target: "layout_dialect::passes", pass = name, succeeded, ?elapsed, "ran");
            match before {
                Some((observer, before)) if succeeded => observer.after(name, operation, before),
                _ => succeeded,
            }
        };
        match catch_unwind(AssertUnwindSafe(observed)) {
            Ok(succeeded) => succeeded,
            Err(_) => {
                // SAFETY: as above.
                let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
                crate::diagnostics::error(operation, "internal error: a pass panicked");
                false
            }
        }
    });
    let raw_options = lend_options(options);
    let raw_statistics: Vec<ffi::PassStatistic> = statistics
        .iter()
        .map(|statistic| ffi::PassStatistic {
            name: lend(statistic.name),
            description: lend(statistic.description),
        })
        .collect();
    let dependents: Vec<MlirDialectHandle> =
        pass.dependents.iter().map(|handle| handle.to_raw()).collect();
    let descriptor = ffi::PassDescriptor {
        name: lend(pass.name),
        description: lend(pass.description),
        root: lend(pass.root),
        option_count: raw_options.len() as isize,
        options: raw_options.as_ptr(),
        statistic_count: raw_statistics.len() as isize,
        statistics: raw_statistics.as_ptr(),
        dependent_count: dependents.len() as isize,
        dependents: dependents.as_ptr(),
        run: run_body,
        // MLIR's registry keeps passes until the process ends, and so do we.
        user: Box::into_raw(Box::new(body)).cast(),
    };
    // SAFETY: everything but `user` is copied, and `user` is leaked on purpose.
    unsafe { ffi::layoutRegisterPass(&descriptor) }
}

/// Registers passes once for a process, however often it is called with the same `once`.
pub fn register_once(once: &'static Once, register: impl FnOnce()) {
    once.call_once(register);
}

/// Creates a registered pass of ours, which the caller owns; a pass manager takes it over. `options` is what a
/// pipeline has in braces, such as `limit=10`.
///
/// # Errors
///
/// A name that [`register_pass`] was not called with; options that the pass does not have.
pub fn create_pass(name: &str, options: &str) -> Result<MlirPass, String> {
    unsafe extern "C" fn keep(text: MlirStringRef, user: *mut c_void) {
        // SAFETY: `user` is the message below, and the text lives for the length of the call.
        unsafe { *user.cast::<Option<String>>() = Some(borrow(text)) }
    }
    let mut message: Option<String> = None;
    // SAFETY: the texts and the message outlive the call.
    let pass = unsafe {
        ffi::layoutCreatePass(lend(name), lend(options), keep, (&raw mut message).cast())
    };
    match message {
        Some(message) => Err(format!("{name}: {}", message.trim_end())),
        None if pass.ptr.is_null() => {
            Err(format!("expected the name of a registered pass, found '{name}'"))
        }
        None => Ok(pass),
    }
}

/// Registers a pipeline: a name for the passes whose text `build` makes from the options' values,
/// which come in the order of `options`.
///
/// An error of `build` is reported as an error in the command line or pipeline text.
pub fn register_pipeline(
    name: &'static str,
    description: &'static str,
    options: &'static [PassOption],
    build: impl Fn(&[String]) -> Result<String, String> + Send + Sync + 'static,
) {
    let build: Box<Build> = Box::new(build);
    enter(Entry { name, description, root: "", options, statistics: &[], pipeline: true });
    let raw_options = lend_options(options);
    // SAFETY: texts are copied, and the callback's data is leaked on purpose.
    unsafe {
        ffi::layoutRegisterPipeline(
            lend(name),
            lend(description),
            raw_options.len() as isize,
            raw_options.as_ptr(),
            build_pipeline,
            Box::into_raw(Box::new(build)).cast(),
        );
    }
}

type Build = dyn Fn(&[String]) -> Result<String, String> + Send + Sync;

fn lend_options(options: &[PassOption]) -> Vec<ffi::PassOption> {
    options
        .iter()
        .map(|option| ffi::PassOption {
            name: lend(option.name),
            description: lend(option.description),
            initial: lend(option.initial),
        })
        .collect()
}

unsafe extern "C" fn run_body(
    operation: MlirOperation,
    run: *mut ffi::PassRun,
    user: *mut c_void,
) -> bool {
    // SAFETY: `user` is the box that `register_pass` leaked.
    let body = unsafe { &*user.cast::<Box<Body>>() };
    body(operation, run)
}

unsafe extern "C" fn build_pipeline(
    count: isize,
    values: *const MlirStringRef,
    accept: ffi::TextSink,
    reject: ffi::TextSink,
    callback: *mut c_void,
    user: *mut c_void,
) -> bool {
    // SAFETY: `user` is the box that `register_pipeline` leaked; `values` has `count` texts.
    let (build, values) = unsafe {
        let values: Vec<String> =
            (0..usize::try_from(count).unwrap_or(0)).map(|i| borrow(*values.add(i))).collect();
        (&*user.cast::<Box<Build>>(), values)
    };
    let answer = catch_unwind(AssertUnwindSafe(|| build(&values)))
        .unwrap_or_else(|_| Err("internal error: a pipeline panicked".to_owned()));
    // SAFETY: the sinks take texts for the length of the call.
    unsafe {
        match answer {
            Ok(text) => {
                accept(lend(&text), callback);
                true
            }
            Err(message) => {
                reject(lend(&message), callback);
                false
            }
        }
    }
}

/// Handles of upstream dialects that passes create operations of; `layout_dialect::handle` is that of `layout`.
pub mod dialects {
    use melior::dialect::DialectHandle;

    macro_rules! handles {
        ($($name:ident: $get:ident,)*) => {
            $(
                #[doc = concat!("The handle of `", stringify!($name), "`.")]
                pub fn $name() -> DialectHandle {
                    // SAFETY: the handle is a constant of MLIR's.
                    unsafe { DialectHandle::from_raw(mlir_sys::$get()) }
                }
            )*
        };
    }

    handles! {
        affine: mlirGetDialectHandle__affine__,
        arith: mlirGetDialectHandle__arith__,
        bufferization: mlirGetDialectHandle__bufferization__,
        cf: mlirGetDialectHandle__cf__,
        func: mlirGetDialectHandle__func__,
        gpu: mlirGetDialectHandle__gpu__,
        index: mlirGetDialectHandle__index__,
        linalg: mlirGetDialectHandle__linalg__,
        llvm: mlirGetDialectHandle__llvm__,
        math: mlirGetDialectHandle__math__,
        memref: mlirGetDialectHandle__memref__,
        nvgpu: mlirGetDialectHandle__nvgpu__,
        nvvm: mlirGetDialectHandle__nvvm__,
        scf: mlirGetDialectHandle__scf__,
        tensor: mlirGetDialectHandle__tensor__,
        vector: mlirGetDialectHandle__vector__,
    }
}
