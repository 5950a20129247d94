//! `layout-tile-matmul`: a matmul on views and a schedule become a tile program for a GPU.
//!
//! ```text
//! layout.matmul %a, %b, %c schedule(#layout.schedule<…>)
//!     -> gpu.module { gpu.func: one block's program, in layout operations }
//! ```
//!
//! | part | what it does |
//! |---|---|
//! | [`problem`] | reads a matmul: operands, schedule, epilogue, and sizes that are known at run time ([`sizes`]) |
//! | [`normalise`] | functions that hold matmuls alone, and relayout copies of operands and results |
//! | [`scheduler`] | from the index of a block to tiles of C and ranges of K |
//! | [`mainloop`] | instructions, copies and buffers of a tile, decided and refused |
//! | [`pipeline`] | the K loop as operations, multistage or warp-specialised |
//! | [`epilogue`] | what is done to accumulators, and how they are stored |
//! | [`launch`] | kernels, still empty, and what a launch needs as attributes |
//! | [`limits`] | what chips, atoms and kernels cannot do of a schedule |
//!
//! [`decide`] picks a mainloop and the copies that it needs, [`group`] those of several matmuls that share a kernel, and
//! [`kernel`] puts the parts together. Partitions are terms of the algebra ([`partition`]); no index formula is here.

mod decide;
mod elementwise;
pub(crate) mod emit;
mod epilogue;
mod group;
mod kernel;
mod launch;
pub(crate) mod limits;
mod mainloop;
mod normalise;
mod operand;
mod partition;
mod pipeline;
mod problem;
mod scheduler;
mod sizes;

pub(crate) use emit::{Emit, Predicate};
use layout_dialect::{diagnostics, schedule::Schedule, tree};
use melior::ir::OperationRef;
use normalise::outline;
pub(crate) use normalise::{
    outline::{HOST, TOGETHER, are_alike, becomes_kernels, groups, symbol, unused},
    rewrite::run as normalise,
};
use problem::Matmul;

/// The attribute of a function, or of a matmul in a function that does other things, that is one of a family: the family's
/// name, which one it is, and the greatest sizes that it is for.
pub(crate) const FAMILY: &str = "layout.family";

/// The pass, as its remarks name it.
const NAME: &str = "layout-tile-matmul";

/// Why a matmul was left alone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Algebra(#[from] layout_algebra::Error),
    #[error("{0}")]
    Grid(#[from] crate::grid::Error),
    #[error("cannot build the tile program: {0}")]
    Ir(#[from] melior::Error),
}

/// Tiles every `layout.matmul` below `module`; each is normal.
///
/// # Errors
///
/// A diagnostic at each matmul that cannot be tiled.
pub(crate) fn run(module: OperationRef<'_, '_>) -> Result<(), ()> {
    let mut outcome = Ok(());
    for function in tree::inside(module, "func.func") {
        let matmuls = tree::inside(function, "layout.matmul");
        if matmuls.is_empty() {
            continue;
        }
        let outlined = match outline::outline(module, function, &matmuls) {
            Ok(outlined) => outlined,
            Err((matmul, failure)) => {
                diagnostics::error(matmul, &failure.to_string());
                outcome = Err(());
                continue;
            }
        };
        for outlined in outlined {
            if let Err((matmul, failure)) = tile_all(outlined.function) {
                diagnostics::error(matmul, &failure.to_string());
                outlined.abandon();
                outcome = Err(());
            } else if let Err(failure) = outlined.finish(module) {
                diagnostics::error(function, &failure.to_string());
                outcome = Err(());
            }
        }
    }
    outcome
}

/// Makes a kernel of a function that does nothing but matmuls.
fn tile_all<'c>(function: OperationRef<'c, 'c>) -> Result<(), (OperationRef<'c, 'c>, Failure)> {
    let matmuls = tree::inside(function, "layout.matmul");
    let Some(body) = tree::entry(function) else { return Ok(()) };
    if matmuls.is_empty() {
        return Ok(());
    }
    kernel::tile(function, body, &matmuls)
}

/// The text of the function that a matmul becomes, which is that of an equal one.
///
/// # Errors
///
/// An operand that cannot be read.
pub(crate) fn text(matmul: OperationRef<'_, '_>) -> Result<String, String> {
    let made = outline::alone(&[matmul]).map_err(|failure| failure.to_string())?;
    let text = made.to_string();
    tree::erase(made);
    Ok(text)
}

/// Whether a program computes matmuls, which become one kernel, with a schedule in place of theirs.
///
/// # Errors
///
/// An operand or a key that cannot be read, or does not fit.
pub(crate) fn fits(matmuls: &[OperationRef<'_, '_>], schedule: &Schedule) -> Result<(), String> {
    let refused = |failure: Failure| failure.to_string();
    // As they will be when they are tiled: alone, on arguments.
    let made = outline::alone(matmuls).map_err(refused)?;
    let answer = || {
        let body = tree::entry(made).ok_or("expected a function with a body")?;
        let mut all = Vec::with_capacity(matmuls.len());
        for matmul in tree::inside(made, "layout.matmul") {
            all.push(Matmul::with(body, matmul, schedule.clone()).map_err(refused)?);
        }
        kernel::decide(&all).map(|_| ()).map_err(|(_, failure)| refused(failure))
    };
    let answer = answer();
    tree::erase(made);
    answer
}
