//! The names of MMAs in a trace: words after the operation's own say how it runs. Imports nothing.

/// The end of the name of an MMA with two-level accumulation.
pub(super) const TWO_LEVELS: &str = " two_level_accumulation";

/// The end of the name of an MMA in a loop or branch of a pipeline's step, which is waited for there.
pub(super) const INSIDE: &str = " inside";

/// The end of the name of an MMA that the program itself waits for.
pub(super) const ASYNC: &str = " async";

/// The end of the name of an MMA that is left in flight, in a trace that does not follow the waits after it.
pub(super) const IN_FLIGHT: &str = " in flight";

/// A part of the name of an MMA that overwrites its accumulators, before the others.
pub(super) const OVERWRITES: &str = " overwrite";
