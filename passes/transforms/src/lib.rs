//! Passes over the layout dialect.
//!
//! | pass | what it does |
//! |---|---|
//! | `layout-fold` | static terms become their values ([`fold`]) |
//! | `layout-expand-fragments` | arithmetic on fragments becomes arithmetic on elements ([`fragments`]) |
//! | `layout-simplify` | terms become their cheapest equals ([`simplify`]) |
//! | `layout-specialize` | a function on tensors takes the extents of one call ([`specialize`]) |
//! | `layout-inline-sizes` | elements of tensors of sizes are computed where the host reads them ([`linalg::elements`]) |
//! | `layout-scalarize-counters` | integers that loops carry in tensors, and that the host reads, become the host's ([`linalg::counters`]) |
//! | `layout-decompose-extensions` | sorts, scans, scatters and attention of front ends' dialects become `linalg` ([`linalg::extensions`]) |
//! | `layout-from-linalg` | contractions of `linalg` become matmuls on views, all else on tensors fused kernels ([`linalg`]) |
//! | `layout-propagate` | contractions read and write the layouts that are there ([`linalg::propagate`]) |
//! | `layout-bufferize` | tensors that a layout encodes become memrefs of that layout ([`memrefs::bufferize`]) |
//! | `layout-expand-memrefs` | a memref whose modes have several strides gets a dimension for each ([`memrefs::expand`]) |
//! | `layout-pipeline-loops` | loops that copy tiles and compute on them copy ahead ([`loops`]) |
//! | `layout-normalise-matmul` | a matmul gets a schedule, and operands that its mainloop takes as they are ([`matmul`]) |
//! | `layout-tile-matmul` | a matmul on views becomes a tile program for a GPU ([`matmul`]) |
//! | `layout-verify` | views are in bounds, stores disjoint, and threads do not race, at all sizes or at some ([`verify`]) |
//! | `layout-serialize` | a tile program becomes a host function ([`serialize`]) |

#[cfg(test)]
mod edges;
mod fold;
mod fragments;
mod grid;
mod linalg;
mod loops;
mod matmul;
mod memrefs;
mod pointers;
mod schedules;
mod serialize;
mod simplify;
mod specialize;
mod verify;

use layout_dialect::passes::{Pass, Statistic, dialects, register_once, register_pass};
use linalg::{counters, elements, extensions, propagate};
use std::sync::Once;

pub use verify::{Validated, compare_programs, verify_each_pass};

/// Registers this crate's passes with MLIR, once.
pub fn register_all() {
    static ONCE: Once = Once::new();
    register_once(&ONCE, || {
        register_pass(
            &Pass {
                name: "layout-fold",
                description: "Evaluate the static terms of layout operations",
                statistics: &[Statistic {
                    name: fold::EVALUATED,
                    description: "terms that became values",
                }],
                dependents: &[layout_dialect::handle()],
                ..Pass::default()
            },
            fold::run,
        );
        register_pass(
            &Pass {
                name: "layout-expand-fragments",
                description: "Expand arithmetic on fragments element by element",
                statistics: &[Statistic {
                    name: fragments::EXPANDED,
                    description: "operations on fragments that were expanded",
                }],
                dependents: &[
                    dialects::arith(),
                    dialects::gpu(),
                    layout_dialect::handle(),
                    dialects::scf(),
                ],
                ..Pass::default()
            },
            fragments::run,
        );
        register_pass(
            &Pass {
                name: simplify::NAME,
                description: "Replace layout terms and index arithmetic by their cheapest equals, by \
                    equality saturation",
                options: simplify::OPTIONS,
                statistics: simplify::statistics(),
                dependents: &[dialects::arith(), layout_dialect::handle()],
                ..Pass::default()
            },
            simplify::run,
        );
        register_pass(
            &Pass {
                name: specialize::NAME,
                description: "Give the arguments of a function on tensors static extents, and propagate these to its results",
                root: "builtin.module",
                options: specialize::OPTIONS,
                dependents: &[
                    dialects::arith(),
                    dialects::func(),
                    dialects::linalg(),
                    dialects::math(),
                    dialects::scf(),
                    dialects::tensor(),
                ],
                ..Pass::default()
            },
            specialize::run,
        );
        register_pass(
            &Pass {
                name: elements::NAME,
                description: "Replace elements that the host reads from tensors of sizes by their values",
                root: "builtin.module",
                statistics: elements::STATISTICS,
                dependents: &[dialects::arith(), dialects::scf(), dialects::tensor()],
                ..Pass::default()
            },
            elements::run,
        );
        register_pass(
            &Pass {
                name: counters::NAME,
                description: "Replace counters that loops carry in tensors of rank 0, and that the host reads, by integers of the host",
                root: "builtin.module",
                statistics: counters::STATISTICS,
                dependents: &[dialects::arith(), dialects::scf(), dialects::tensor()],
                ..Pass::default()
            },
            counters::run,
        );
        register_pass(
            &Pass {
                name: extensions::NAME,
                description: "Decompose sorts, scans, scatters and attention of torch-mlir's and IREE's dialects, and linalg.softmax, into loops of linalg",
                root: "builtin.module",
                statistics: extensions::STATISTICS,
                dependents: &[
                    dialects::arith(),
                    dialects::linalg(),
                    dialects::math(),
                    dialects::scf(),
                    dialects::tensor(),
                ],
                ..Pass::default()
            },
            extensions::run,
        );
        register_pass(
            &Pass {
                name: propagate::NAME,
                description: "Let contractions read and write existing layouts in place, where that takes less time than a copy",
                root: "builtin.module",
                options: propagate::OPTIONS,
                statistics: propagate::STATISTICS,
                dependents: &[dialects::arith(), dialects::tensor()],
            },
            propagate::run,
        );
        register_pass(
            &Pass {
                name: linalg::NAME,
                description: "Turn contractions of linalg, with the operations on their results, into matmuls on views, and all other operations on tensors into fused kernels",
                root: "builtin.module",
                options: linalg::OPTIONS,
                statistics: linalg::STATISTICS,
                dependents: &[
                    dialects::arith(),
                    dialects::bufferization(),
                    dialects::gpu(),
                    layout_dialect::handle(),
                    dialects::llvm(),
                    dialects::math(),
                    dialects::memref(),
                    dialects::nvvm(),
                    dialects::scf(),
                    dialects::tensor(),
                ],
            },
            linalg::run,
        );
        register_pass(
            &Pass {
                name: "layout-normalise-matmul",
                description: "Give matmuls schedules, swap their operands, and copy those that their mainloop cannot load",
                root: "builtin.module",
                dependents: &[
                    dialects::arith(),
                    layout_dialect::handle(),
                    dialects::memref(),
                    dialects::scf(),
                ],
                ..Pass::default()
            },
            |module, _| schedules::choose(module).and_then(|()| matmul::normalise(module)),
        );
        register_pass(
            &Pass {
                name: "layout-tile-matmul",
                description: "Tile matmuls on views into GPU kernels written in layout operations",
                root: "builtin.module",
                dependents: &[
                    dialects::arith(),
                    dialects::gpu(),
                    layout_dialect::handle(),
                    dialects::memref(),
                    dialects::nvvm(),
                    dialects::scf(),
                ],
                ..Pass::default()
            },
            |module, _| {
                schedules::choose(module)
                    .and_then(|()| matmul::normalise(module))
                    .and_then(|()| matmul::run(module))
            },
        );
        register_pass(
            &Pass {
                name: memrefs::bufferize::NAME,
                description: "Bufferise a module by upstream's one-shot bufferisation, where a tensor that a #layout encodes has a buffer of that layout",
                root: "builtin.module",
                options: memrefs::bufferize::OPTIONS,
                dependents: &[
                    dialects::arith(),
                    dialects::bufferization(),
                    dialects::memref(),
                    layout_dialect::handle(),
                    dialects::tensor(),
                ],
                ..Pass::default()
            },
            memrefs::bufferize::run,
        );
        register_pass(
            &Pass {
                name: memrefs::expand::NAME,
                description: "Give a memref whose modes have several strides a dimension for each leaf of its layout",
                root: "builtin.module",
                dependents: &[
                    dialects::affine(),
                    dialects::arith(),
                    layout_dialect::handle(),
                    dialects::linalg(),
                    dialects::memref(),
                ],
                ..Pass::default()
            },
            memrefs::expand::run,
        );
        register_pass(
            &Pass {
                name: loops::NAME,
                description: "Pipeline loops that copy tiles to shared memory and compute on them, with the number of stages in layout.stages",
                statistics: loops::STATISTICS,
                dependents: &[
                    dialects::arith(),
                    dialects::gpu(),
                    layout_dialect::handle(),
                    dialects::nvvm(),
                    dialects::scf(),
                ],
                ..Pass::default()
            },
            loops::run,
        );
        register_pass(
            &Pass {
                name: "layout-serialize",
                description: "Turn tile programs into host functions: threads become loops",
                root: "builtin.module",
                dependents: &[
                    dialects::arith(),
                    dialects::func(),
                    layout_dialect::handle(),
                    dialects::scf(),
                ],
                ..Pass::default()
            },
            |module, _| serialize::run(module),
        );
        register_pass(
            &Pass {
                name: "layout-verify",
                description: "Prove that accesses are in bounds and aligned, that stores do not overlap and that threads do not race; for dynamic sizes, bounds are proved for all sizes where predicates decide them, and the rest at sizes that follow from layout.kernel; a warning counts what is not analysed, and reference functions are skipped",
                statistics: verify::STATISTICS,
                ..Pass::default()
            },
            verify::run,
        );
    });
}
