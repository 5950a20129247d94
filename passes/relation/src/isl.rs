//! A safe layer over libisl: all of this crate's `unsafe` is here and in `isl/parts.rs`, and libisl's
//! declarations in `isl/raw.rs`.
//!
//! libisl reports errors through null pointers and a code in its context, and by default prints
//! them; here the context is set to continue silently, and each call turns a null pointer into an
//! [`Error`]. Objects are reference-counted by libisl, without atomics: a context and all of its
//! objects stay on one thread (they hold an [`Rc`] of the context, which also outlives them).
//!
//! Every call runs within the context's [`Limits`]. Operations are counted by libisl itself; for
//! time, one watchdog thread sets libisl's abort flag when a deadline has passed, which libisl
//! reads wherever it counts an operation.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{CStr, CString, c_char, c_int, c_ulong, c_void},
    fmt,
    ptr::NonNull,
    rc::Rc,
    sync::{Condvar, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use crate::error::{Error, Result};

mod parts;
mod raw;

pub(crate) use raw::Dim;
use raw::*;

/// How much one question may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations as libisl counts them, roughly pivots of a tableau; 0 is no limit.
    pub operations: u64,
    /// Wall-clock time.
    pub time: Duration,
}

impl Default for Limits {
    /// Ten million operations, or one second.
    fn default() -> Self {
        Self { operations: 10_000_000, time: Duration::from_secs(1) }
    }
}

/// A limit that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Operations of libisl.
    Operations(u64),
    /// Wall-clock time.
    Time(Duration),
    /// Coordinates that are enumerated, where ISL is not used.
    Coordinates(i64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operations(count) => write!(f, "{count} operations of ISL"),
            Self::Time(time) => write!(f, "{time:?}"),
            Self::Coordinates(count) => write!(f, "{count} coordinates"),
        }
    }
}

/// A context of libisl: shared by its objects, with the limits of queries.
///
/// Cheap to clone; all clones are the same context.
#[derive(Clone, Debug)]
pub struct Context(Rc<Handle>);

#[derive(Debug)]
struct Handle {
    raw: NonNull<isl_ctx>,
    /// A set whose minimum takes an operation, to find out whether any are left.
    probe: NonNull<isl_set>,
    limits: Cell<Limits>,
    /// How many [`Context::within`] are open: the outermost sets the budget.
    depth: Cell<u32>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: `raw` came from `isl_ctx_alloc`; each object but `probe` holds an `Rc` of this
        // handle, so that none is left when it drops, and the watchdog has no entry outside of
        // `within`.
        unsafe {
            isl_set_free(self.probe.as_ptr());
            isl_ctx_free(self.raw.as_ptr());
        }
    }
}

impl Context {
    /// A context whose questions run under these limits.
    ///
    /// # Errors
    ///
    /// No memory.
    pub fn new(limits: Limits) -> Result<Self> {
        // SAFETY: no preconditions.
        let raw = NonNull::new(unsafe { isl_ctx_alloc() })
            .ok_or(Error::Isl { operation: "context", message: "no memory".to_owned() })?;
        // SAFETY: `raw` is a live context; the value is one of the option's; the text is
        // NUL-terminated.
        let probe = unsafe {
            isl_options_set_on_error(raw.as_ptr(), ON_ERROR_CONTINUE);
            isl_set_read_from_str(
                raw.as_ptr(),
                c"{ [x, y] : 3x >= 1 + 2y and x <= 9 <= y }".as_ptr(),
            )
        };
        let Some(probe) = NonNull::new(probe) else {
            // SAFETY: `raw` is a live context without objects.
            unsafe { isl_ctx_free(raw.as_ptr()) };
            return Err(Error::Isl { operation: "context", message: "no memory".to_owned() });
        };
        let (limits, depth) = (Cell::new(limits), Cell::new(0));
        Ok(Self(Rc::new(Handle { raw, probe, limits, depth })))
    }

    /// The limits under which each question runs.
    pub fn limits(&self) -> Limits {
        self.0.limits.get()
    }

    /// Other limits for the questions that begin from now on.
    pub fn set_limits(&self, limits: Limits) {
        self.0.limits.set(limits);
    }

    fn raw(&self) -> *mut isl_ctx {
        self.0.raw.as_ptr()
    }

    /// Runs `f` as one query: all its calls of ISL share one budget. Within another
    /// question, the budget of that one continues.
    ///
    /// # Errors
    ///
    /// Those of `f`; [`Error::Limit`] when the budget is spent.
    pub fn within<T>(&self, f: impl FnOnce() -> Result<T>) -> Result<T> {
        if self.0.depth.get() > 0 {
            return f();
        }
        let limits = self.limits();
        let operations = c_ulong::try_from(limits.operations).unwrap_or(c_ulong::MAX);
        // SAFETY: the context lives as long as `self`.
        unsafe {
            isl_ctx_set_max_operations(self.raw(), operations);
            isl_ctx_reset_operations(self.raw());
        }
        let _open = Open::new(self, limits.time)?;
        f()
    }

    /// One call that makes an object.
    fn object<O: Object>(
        &self,
        operation: &'static str,
        call: impl FnOnce() -> *mut O::Raw,
    ) -> Result<O> {
        self.within(|| {
            self.check(operation)?;
            let object = NonNull::new(call())
                .map(|raw| O::wrap(self.clone(), raw))
                .ok_or_else(|| self.failure(operation))?;
            self.settled(operation)?;
            Ok(object)
        })
    }

    /// One call that answers with a number, or with -1 after an error.
    fn number(&self, operation: &'static str, call: impl FnOnce() -> c_int) -> Result<usize> {
        self.within(|| {
            self.check(operation)?;
            let answer = usize::try_from(call()).map_err(|_| self.failure(operation))?;
            self.settled(operation)?;
            Ok(answer)
        })
    }

    /// One call that answers with a string of `malloc`'s.
    fn string(
        &self,
        operation: &'static str,
        call: impl FnOnce() -> *mut c_char,
    ) -> Result<String> {
        self.within(|| {
            self.check(operation)?;
            let text = NonNull::new(call()).ok_or_else(|| self.failure(operation))?;
            // SAFETY: libisl answers with a NUL-terminated string that is now ours; it is copied
            // before it is freed, and not used after.
            Ok(unsafe {
                let copy = CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned();
                free(text.as_ptr().cast());
                copy
            })
        })
    }

    /// No call begins after the deadline, so that calls which count no operations end as well.
    fn check(&self, operation: &'static str) -> Result<()> {
        // SAFETY: the context lives as long as `self`.
        if unsafe { isl_ctx_aborted(self.raw()) } != 0 {
            return Err(Error::Limit { operation, limit: Limit::Time(self.limits().time) });
        }
        Ok(())
    }

    /// An answer that a limit ended may be only a part of it: libisl gives the points that it has
    /// counted so far, and notes the error.
    fn settled(&self, operation: &'static str) -> Result<()> {
        // SAFETY: the context lives as long as `self`.
        let (ended, code) =
            unsafe { (isl_ctx_aborted(self.raw()), isl_ctx_last_error(self.raw())) };
        if ended != 0 || code == ERROR_ABORT || code == ERROR_QUOTA {
            return Err(self.failure(operation));
        }
        Ok(())
    }

    /// The error that libisl has noted, which is forgotten.
    fn failure(&self, operation: &'static str) -> Error {
        let (code, message) = self.last_error();
        // A parser says that the text is wrong when the limit ended it.
        // SAFETY: the context and the probe live as long as `self`; freeing null is nothing.
        let (aborted, code) = unsafe {
            isl_set_free(isl_set_lexmin(isl_set_copy(self.0.probe.as_ptr())));
            let spent = self.last_error().0;
            let code = if spent == ERROR_QUOTA { spent } else { code };
            (isl_ctx_aborted(self.raw()) != 0, code)
        };
        let limits = self.limits();
        match code {
            _ if aborted || code == ERROR_ABORT => {
                Error::Limit { operation, limit: Limit::Time(limits.time) }
            }
            ERROR_QUOTA => Error::Limit { operation, limit: Limit::Operations(limits.operations) },
            _ => Error::Isl { operation, message },
        }
    }

    /// The code and the message of the last error, which is forgotten.
    fn last_error(&self) -> (c_int, String) {
        // SAFETY: the context lives as long as `self`; the message is a static string of
        // libisl's or null.
        unsafe {
            let code = isl_ctx_last_error(self.raw());
            let message = isl_ctx_last_error_msg(self.raw());
            let message = if message.is_null() {
                "no message".to_owned()
            } else {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            };
            isl_ctx_reset_error(self.raw());
            (code, message)
        }
    }

    fn same(&self, other: &Self) -> Result<()> {
        if Rc::ptr_eq(&self.0, &other.0) { Ok(()) } else { Err(Error::Contexts) }
    }

    pub(crate) fn read_map(&self, text: &str) -> Result<Map> {
        let text = c_string(text)?;
        // SAFETY: the context is live, the text NUL-terminated, and libisl keeps no pointer to it.
        self.object("read", || unsafe { isl_map_read_from_str(self.raw(), text.as_ptr()) })
    }

    pub(crate) fn read_set(&self, text: &str) -> Result<Set> {
        let text = c_string(text)?;
        // SAFETY: as in `read_map`.
        self.object("read", || unsafe { isl_set_read_from_str(self.raw(), text.as_ptr()) })
    }

    pub(crate) fn read_function(&self, text: &str) -> Result<PwMultiAff> {
        let text = c_string(text)?;
        // SAFETY: as in `read_map`.
        self.object("read", || unsafe { isl_pw_multi_aff_read_from_str(self.raw(), text.as_ptr()) })
    }

    fn value(&self, value: i64) -> Result<Val> {
        // SAFETY: the context is live.
        self.object("value", || unsafe { isl_val_int_from_si(self.raw(), value) })
    }
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| Error::Text {
        expected: "text without NUL",
        found: format!("NUL at byte {}", error.nul_position()),
    })
}

/// An open question: its deadline is armed, and the context goes back to normal when it ends.
struct Open<'a> {
    context: &'a Context,
    id: u64,
}

impl<'a> Open<'a> {
    fn new(context: &'a Context, time: Duration) -> Result<Self> {
        let id = Watchdog::get()?.arm(time, Target(context.0.raw));
        context.0.depth.set(1);
        Ok(Self { context, id })
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if let Ok(watchdog) = Watchdog::get() {
            watchdog.disarm(self.id);
        }
        self.context.0.depth.set(0);
        // SAFETY: the context is live, and the watchdog knows it no more.
        unsafe { isl_ctx_resume(self.context.raw()) }
    }
}

/// A context whose abort flag the watchdog may set.
struct Target(NonNull<isl_ctx>);

// SAFETY: the one thing done with it on the watchdog's thread is `isl_ctx_abort`, which stores to
// an `int` that libisl polls; libisl documents it for use from a signal handler while an operation
// runs. It is done under the lock that `disarm` takes, and each target is disarmed before its
// context can be freed.
unsafe impl Send for Target {}

/// The thread that ends questions whose time is up.
struct Watchdog {
    armed: Mutex<Armed>,
    sooner: Condvar,
}

struct Armed {
    next: u64,
    targets: BTreeMap<u64, (Instant, Target)>,
    /// When the thread will look again by itself.
    wakes: Option<Instant>,
}

impl Watchdog {
    fn get() -> Result<&'static Self> {
        static WATCHDOG: Watchdog = Watchdog {
            armed: Mutex::new(Armed { next: 0, targets: BTreeMap::new(), wakes: None }),
            sooner: Condvar::new(),
        };
        static STARTED: OnceLock<bool> = OnceLock::new();
        let started = STARTED.get_or_init(|| {
            let builder = std::thread::Builder::new().name("isl-deadlines".to_owned());
            builder.spawn(|| WATCHDOG.watch()).is_ok()
        });
        if *started {
            return Ok(&WATCHDOG);
        }
        Err(Error::Isl {
            operation: "deadline",
            message: "no thread could be started to keep it".to_owned(),
        })
    }

    fn arm(&self, time: Duration, target: Target) -> u64 {
        let now = Instant::now();
        // A time past what the clock can hold is a day, which is none for our purposes.
        let deadline = now.checked_add(time).unwrap_or(now + Duration::from_secs(24 * 60 * 60));
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        let id = armed.next;
        armed.next += 1;
        armed.targets.insert(id, (deadline, target));
        if armed.wakes.is_none_or(|wakes| deadline < wakes) {
            self.sooner.notify_one();
        }
        id
    }

    fn disarm(&self, id: u64) {
        self.armed.lock().unwrap_or_else(PoisonError::into_inner).targets.remove(&id);
    }

    fn watch(&self) {
        let mut armed = self.armed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            armed.targets.retain(|_, (deadline, target)| {
                if *deadline > now {
                    return true;
                }
                // SAFETY: the context is armed, thus live; see `Target`.
                unsafe { isl_ctx_abort(target.0.as_ptr()) };
                false
            });
            armed.wakes = armed.targets.values().map(|(deadline, _)| *deadline).min();
            armed = match armed.wakes {
                Some(wakes) => {
                    let wait = wakes.saturating_duration_since(now);
                    let (armed, _) = self
                        .sooner
                        .wait_timeout(armed, wait)
                        .unwrap_or_else(PoisonError::into_inner);
                    armed
                }
                None => self.sooner.wait(armed).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// A reference-counted object of libisl.
trait Object {
    type Raw;
    fn wrap(ctx: Context, raw: NonNull<Self::Raw>) -> Self;
}

/// Declares an owner for a kind of object, with libisl's functions for counting its references.
macro_rules! objects {
    ($($name:ident $raw:ident $copy:ident $free:ident)*) => {
        $(
            pub(crate) struct $name {
                ctx: Context,
                raw: NonNull<$raw>,
            }

            impl Object for $name {
                type Raw = $raw;
                fn wrap(ctx: Context, raw: NonNull<$raw>) -> Self {
                    Self { ctx, raw }
                }
            }

            #[allow(dead_code, reason = "not every kind is given away")]
            impl $name {
                /// A reference of its own, for a call that takes one.
                fn copy(&self) -> *mut $raw {
                    // SAFETY: `raw` is a live object; this counts one more reference to it.
                    unsafe { $copy(self.raw.as_ptr()) }
                }

                fn raw(&self) -> *mut $raw {
                    self.raw.as_ptr()
                }

                pub(crate) fn context(&self) -> &Context {
                    &self.ctx
                }
            }

            impl Clone for $name {
                fn clone(&self) -> Self {
                    self.copy();
                    Self { ctx: self.ctx.clone(), raw: self.raw }
                }
            }

            impl Drop for $name {
                fn drop(&mut self) {
                    // SAFETY: this owner holds one reference, which it gives up.
                    unsafe { $free(self.raw.as_ptr()) };
                }
            }
        )*
    };
}

objects! {
    Map isl_map isl_map_copy isl_map_free
    Set isl_set isl_set_copy isl_set_free
    Val isl_val isl_val_copy isl_val_free
    Point isl_point isl_point_copy isl_point_free
    PwMultiAff isl_pw_multi_aff isl_pw_multi_aff_copy isl_pw_multi_aff_free
    MultiAff isl_multi_aff isl_multi_aff_copy isl_multi_aff_free
    Aff isl_aff isl_aff_copy isl_aff_free
    BasicSets isl_basic_set_list isl_basic_set_list_copy isl_basic_set_list_free
    BasicSet isl_basic_set isl_basic_set_copy isl_basic_set_free
    Constraints isl_constraint_list isl_constraint_list_copy isl_constraint_list_free
    Constraint isl_constraint isl_constraint_copy isl_constraint_free
}

/// Methods that take references to all of their operands and make an object.
macro_rules! makers {
    ($($type:ident { $($name:ident($($operand:ident: $kind:ident)?) -> $result:ident = $function:ident;)* })*) => {
        $(impl $type {
            $(pub(crate) fn $name(&self $(, $operand: &$kind)?) -> Result<$result> {
                $(self.ctx.same(&$operand.ctx)?;)?
                // SAFETY: all operands are live objects of one context, and the function takes
                // a reference of its own to each.
                self.ctx.object(stringify!($name), || unsafe {
                    $function(self.copy() $(, $operand.copy())?)
                })
            })*
        })*
    };
}

makers! {
    Map {
        apply_range(other: Map) -> Map = isl_map_apply_range;
        flat_range_product(other: Map) -> Map = isl_map_flat_range_product;
        reverse() -> Map = isl_map_reverse;
        domain() -> Set = isl_map_domain;
        range() -> Set = isl_map_range;
        intersect_domain(set: Set) -> Map = isl_map_intersect_domain;
        intersect_range(set: Set) -> Map = isl_map_intersect_range;
        intersect(other: Map) -> Map = isl_map_intersect;
        union(other: Map) -> Map = isl_map_union;
        subtract(other: Map) -> Map = isl_map_subtract;
        lexmax() -> Map = isl_map_lexmax;
        to_pw_multi_aff() -> PwMultiAff = isl_pw_multi_aff_from_map;
    }
    PwMultiAff {
        pullback(inner: PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_pullback_pw_multi_aff;
        domain() -> Set = isl_pw_multi_aff_domain;
        restrict(domain: Set) -> PwMultiAff = isl_pw_multi_aff_intersect_domain;
    }
    Set {
        apply(map: Map) -> Set = isl_set_apply;
        intersect(other: Set) -> Set = isl_set_intersect;
        union(other: Set) -> Set = isl_set_union;
        subtract(other: Set) -> Set = isl_set_subtract;
        coalesce() -> Set = isl_set_coalesce;
        gist(other: Set) -> Set = isl_set_gist;
        lexmin() -> Set = isl_set_lexmin;
        lexmax() -> Set = isl_set_lexmax;
        sample() -> Point = isl_set_sample_point;
        compute_divs() -> Set = isl_set_compute_divs;
    }
}

/// Methods that examine all of their operands and answer yes or no.
macro_rules! askers {
    ($($type:ident { $($name:ident($($operand:ident: $kind:ident)?) = $function:ident;)* })*) => {
        $(impl $type {
            $(pub(crate) fn $name(&self $(, $operand: &$kind)?) -> Result<bool> {
                $(self.ctx.same(&$operand.ctx)?;)?
                // SAFETY: all operands are live objects of one context, and the function keeps
                // no reference to them.
                self.ctx.number(stringify!($name), || unsafe {
                    $function(self.raw() $(, $operand.raw())?)
                }).map(|answer| answer == 1)
            })*
        })*
    };
}

askers! {
    Map {
        is_equal(other: Map) = isl_map_is_equal;
        is_subset(other: Map) = isl_map_is_subset;
        is_empty() = isl_map_is_empty;
        is_single_valued() = isl_map_is_single_valued;
        is_injective() = isl_map_is_injective;
    }
    Set {
        is_equal(other: Set) = isl_set_is_equal;
        is_subset(other: Set) = isl_set_is_subset;
        is_empty() = isl_set_is_empty;
        is_bounded() = isl_set_is_bounded;
    }
    Constraint {
        is_equality() = isl_constraint_is_equality;
    }
    Point {
        is_void() = isl_point_is_void;
    }
}

/// Methods that print.
macro_rules! printers {
    ($($type:ident $function:ident)*) => {
        $(impl $type {
            pub(crate) fn text(&self) -> Result<String> {
                // SAFETY: the object is live, and the function keeps no reference to it.
                self.ctx.string("print", || unsafe { $function(self.raw()) })
            }
        })*
    };
}

printers! {
    Map isl_map_to_str
    Set isl_set_to_str
    Val isl_val_to_str
    PwMultiAff isl_pw_multi_aff_to_str
}

fn position(at: usize) -> Result<c_int> {
    c_int::try_from(at).map_err(|_| Error::Isl {
        operation: "dimension",
        message: format!("position {at} is out of bounds"),
    })
}

impl Map {
    pub(crate) fn dim(&self, kind: Dim) -> Result<usize> {
        // SAFETY: the object is live.
        self.ctx.number("dimension", || unsafe { isl_map_dim(self.raw(), kind) })
    }

    /// The name of a dimension, where it has one.
    pub(crate) fn name(&self, kind: Dim, at: usize) -> Result<Option<String>> {
        let at = position(at)?.unsigned_abs();
        // SAFETY: the object is live; libisl checks the position.
        let named =
            self.ctx.number("name", || unsafe { isl_map_has_dim_name(self.raw(), kind, at) })?;
        if named == 0 {
            return Ok(None);
        }
        // SAFETY: as above.
        let name = unsafe { isl_map_get_dim_name(self.raw(), kind, at) };
        // SAFETY: a name that is not null is NUL-terminated, and lives as long as the object.
        let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
        Ok(name.map(|name| name.to_string_lossy().into_owned()))
    }

    /// The part where a dimension has a value.
    pub(crate) fn fix(&self, kind: Dim, at: usize, value: i64) -> Result<Map> {
        let value = self.ctx.value(value)?;
        let at = position(at)?.unsigned_abs();
        // SAFETY: the object is live, and the call takes references of its own; libisl checks the
        // position.
        self.ctx.object("fix", || unsafe { isl_map_fix_val(self.copy(), kind, at, value.copy()) })
    }
}

impl Set {
    pub(crate) fn dim(&self) -> Result<usize> {
        // SAFETY: the object is live.
        self.ctx.number("dimension", || unsafe { isl_set_dim(self.raw(), Dim::Out) })
    }

    pub(crate) fn project_out(&self, first: usize, count: usize) -> Result<Set> {
        let (first, count) = (position(first)?.unsigned_abs(), position(count)?.unsigned_abs());
        // SAFETY: the object is live, and the call takes a reference of its own; libisl checks
        // the positions.
        self.ctx.object("project_out", || unsafe {
            isl_set_project_out(self.copy(), Dim::Out, first, count)
        })
    }

    /// How many points there are.
    pub(crate) fn count(&self) -> Result<Val> {
        // SAFETY: the object is live.
        self.ctx.object("count", || unsafe { isl_set_count_val(self.raw()) })
    }

    /// A point of the set, or `None` if it is empty.
    pub(crate) fn point(&self) -> Result<Option<Vec<i64>>> {
        let dimensions = self.dim()?;
        // SAFETY: the object is live.
        let symbols =
            self.ctx.number("dimension", || unsafe { isl_set_dim(self.raw(), Dim::Param) })?;
        if symbols > 0 {
            return Err(Error::Dimensions {
                operation: "point",
                expected: "numbers without symbols".to_owned(),
                found: self.text()?,
            });
        }
        let point = self.sample()?;
        if point.is_void()? {
            return Ok(None);
        }
        (0..dimensions)
            .map(|at| {
                let at = position(at)?;
                // SAFETY: the object is live; libisl checks the position.
                let value: Val = self.ctx.object("coordinate", || unsafe {
                    isl_point_get_coordinate_val(point.raw(), Dim::Out, at)
                })?;
                value.number()
            })
            .collect::<Result<_>>()
            .map(Some)
    }
}

impl Val {
    /// The value, which must be an integer within 64 bits.
    pub(crate) fn number(&self) -> Result<i64> {
        let text = self.text()?;
        text.parse().map_err(|_| Error::Range { found: text })
    }
}
