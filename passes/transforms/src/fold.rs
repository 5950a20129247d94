//! `layout-fold`: evaluates the static terms of layout operations.
//!
//! `layout.composition %v, #layout<composition(A, B)>` becomes `layout.composition %v, #layout<C>`
//! with the value `C`. Types hold values already, so no type changes.

use layout_algebra::Term;
use layout_dialect::{TermAttribute, diagnostics, passes::PassRun, tree};
use melior::ir::{OperationRef, operation::OperationLike};

/// The attributes of layout operations that hold terms.
pub(crate) const TERMS: [&str; 2] = ["term", "shape"];

/// The counter of terms that became values.
pub(crate) const EVALUATED: &str = "evaluated";

/// Evaluates every term below `root`.
///
/// # Errors
///
/// A diagnostic at each operation whose term has no value.
pub(crate) fn run(root: OperationRef<'_, '_>, pass: &PassRun<'_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    let mut evaluated = 0;
    for (operation, name, term) in terms(root) {
        match term.eval() {
            Ok(value) => {
                let value = Term::Literal(value);
                // A tuple of tilers is written alike as a term and as a value.
                if value.to_string() != term.to_string() {
                    replace(operation, name, &value);
                    evaluated += 1;
                }
            }
            Err(error) => {
                diagnostics::error(operation, &error.to_string());
                outcome = Err(());
            }
        }
    }
    pass.count(EVALUATED, evaluated);
    tracing::info!(evaluated, "layout-fold");
    outcome
}

/// Every term below `root`, with the operation and the attribute that hold it.
pub(crate) fn terms<'c>(
    root: OperationRef<'c, '_>,
) -> Vec<(OperationRef<'c, 'c>, &'static str, Term)> {
    let mut found = Vec::new();
    for operation in tree::all(root) {
        if !tree::name(operation).starts_with("layout.") {
            continue;
        }
        for name in TERMS {
            let Ok(attribute) = operation.attribute(name) else { continue };
            let Ok(attribute) = TermAttribute::try_from(attribute) else { continue };
            if let Ok(term) = attribute.term() {
                found.push((operation, name, term));
            }
        }
    }
    found
}

/// Puts another term in an attribute's place.
pub(crate) fn replace(operation: OperationRef<'_, '_>, name: &str, term: &Term) {
    let context = layout_dialect::build::context_of(operation);
    tree::set_attribute(operation, name, TermAttribute::new(context, term).into());
}
