//! `layout-expand-fragments`: expands arithmetic on fragments element by element.
//!
//! `layout.map` becomes loads, the operations of its region and stores; `layout.reduce` arithmetic, reductions of lanes, and an
//! exchange through shared memory. `layout-lower` and `layout-serialize` write out what is
//! left of it by the same function, [`layout_dialect::fragments::write_out`]; as a pass of its own it is examined by
//! itself, also by what compares programs before and after each pass.

use layout_dialect::{diagnostics, fragments, passes::PassRun};
use melior::ir::OperationRef;

/// The counter of operations that were written out.
pub(crate) const EXPANDED: &str = "expanded";

/// Writes out every fragment-wide operation below `root`.
///
/// # Errors
///
/// A diagnostic at the first operation that cannot be written out.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    match fragments::write_out(root) {
        Ok(expanded) => {
            pass.count(EXPANDED, expanded);
            tracing::info!(expanded, "layout-expand-fragments");
            Ok(())
        }
        Err((operation, refused)) => {
            diagnostics::error(operation, &refused.to_string());
            Err(())
        }
    }
}
