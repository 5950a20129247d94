//! The checks of each operation's verifier beyond types and inference.
//!
//! Every violation is reported, not only the first, except where one check needs what another
//! refused.

use crate::{
    diagnostics::violation::Violation,
    ops::{
        atomic, barriers, calls, construct, cooperative, copy, fragments, im2col, index, kernel,
        matrix, pipeline, views,
    },
};
use melior::ir::OperationRef;

/// The violations of an operation named `name`, without its dialect's prefix.
pub(crate) fn verify(name: &str, operation: OperationRef<'_, '_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let outcome = match name {
        "alloc" => views::verify_alloc(operation, &mut violations),
        "identity_tensor" => views::verify_identity_tensor(operation, &mut violations),
        "atomic" => atomic::verify(operation, &mut violations),
        "fill" => views::writable(operation, 0),
        "store" => views::verify_store(operation, &mut violations),
        "crd2idx" => index::verify_crd2idx(operation),
        "make" => construct::verify_make(operation, &mut violations),
        "assume" => construct::verify_assume(operation),
        "print" => construct::verify_print(operation),
        "idx2crd" | "size" | "cosize" | "rank" | "depth" | "offset" | "max_common_vector"
        | "equal" | "elem_less" | "evenly_divides" => calls::answer(name, operation),
        "copy" => copy::verify(operation, &mut violations),
        "cooperative_copy" => cooperative::verify(operation, &mut violations),
        "copy_im2col" => im2col::verify(operation, &mut violations),
        "mma" => matrix::mma(operation, &mut violations),
        "wait_mma" => barriers::verify_wait_mma(operation, &mut violations),
        "barriers" => barriers::verify_barriers(operation, &mut violations),
        "arrive" => barriers::verify_use(operation, 0),
        "wait" => barriers::verify_use(operation, 1),
        "transaction" => barriers::verify_transaction(operation, &mut violations),
        "map" => fragments::verify_map(operation, &mut violations),
        "reduce" => fragments::verify_reduce(operation, &mut violations),
        "pipeline" => pipeline::verify(operation, &mut violations),
        "matmul" => matrix::matmul(operation, &mut violations),
        "gpu.func" => kernel::verify(operation, &mut violations),
        // The types of the others are inferred, and inference checks everything.
        _ => Ok(()),
    };
    violations.extend(outcome.err());
    violations
}
