//! The checks of each operation's verifier beyond types and inference.
//!
//! Every violation is reported, not only the first, except where one check needs what another
//! refused.

use crate::ops::prelude::*;
use crate::ops::{
    atomic, barriers, calls, construct, cooperative, copy, fragments, im2col, kernel, matrix,
    pipeline, views,
};

/// The violations of an operation named `name`, without its dialect's prefix.
pub(crate) fn verify(name: &str, operation: OperationRef<'_, '_>) -> Vec<Violation> {
    let mut check = Check::new(operation);
    let check = &mut check;
    let outcome = match name {
        "alloc" => views::verify_alloc(check),
        "identity_tensor" => views::verify_identity_tensor(check),
        "atomic" => atomic::verify(check),
        "fill" => views::writable(check, 0),
        "store" => views::verify_store(check),
        "pointer" => views::verify_pointer(check),
        "crd2idx" => index::verify_crd2idx(operation),
        "make" => construct::verify_make(check),
        "assume" => construct::verify_assume(operation),
        "print" => construct::verify_print(check),
        "idx2crd" | "size" | "cosize" | "rank" | "depth" | "offset" | "max_common_vector"
        | "equal" | "elem_less" | "evenly_divides" => calls::answer(name, operation),
        "copy" => copy::verify(check),
        "cooperative_copy" => cooperative::verify(check),
        "copy_im2col" => im2col::verify(check),
        "mma" => matrix::mma(check),
        "wait_mma" => barriers::verify_wait_mma(check),
        "barriers" => barriers::verify_barriers(check),
        "arrive" => barriers::verify_use(check, 0),
        "wait" => barriers::verify_use(check, 1),
        "transaction" => barriers::verify_transaction(check),
        "map" => fragments::verify_map(check),
        "reduce" => fragments::verify_reduce(check),
        "pipeline" => pipeline::verify(check),
        "matmul" => matrix::matmul(check),
        "gpu.func" => kernel::verify(check),
        // The types of the others are inferred, and inference checks everything.
        _ => Ok(()),
    };
    let refused = outcome.err();
    check.violations.extend(refused);
    std::mem::take(&mut check.violations)
}
