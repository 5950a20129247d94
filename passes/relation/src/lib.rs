//! Layouts as integer set relations: the mappings of the paper "Modeling Layout Abstractions Using
//! Integer Set Relations", operations on them, layouts back from them, and proofs.
#![deny(unsafe_code)]

mod affine;
mod cute;
mod error;
mod index;
#[expect(unsafe_code, reason = "libisl is a C library; this is the one file that calls it")]
mod isl;
mod linear;
mod notation;
mod outside;
mod prove;
mod quasi;
mod recover;
mod relation;
mod search;
mod shape;
mod swizzle;
mod symbolic;
mod text;

pub use affine::{
    AffinePiece, affine_pieces, affine_sets, relation_of_affine_map, set_of_affine_set,
};
pub use cute::{
    basis_layout_mapping, coordinate_mapping, coordinate_spaces, index_mapping, index_mapping_of,
    layout_mapping, promoted_layout_mapping,
};
pub use error::{Error, Result};
pub use index::{Compared, IndexForm};
pub use isl::{Context, Limit, Limits};
pub use linear::{LinearMappings, linear_layout_from, linear_layout_mapping, linear_layout_text};
pub use outside::{
    comparisons, coordinates, integral_coordinates, outside_of_composition, predicate_set,
};
pub use prove::{Operand, Prover, Tier, Verdict, Witness};
pub use quasi::{Formula, Piece, QuasiAffine, Sign};
pub use recover::Refutation;
pub use relation::{Difference, IntegerSet, Relation};
pub use search::{Recovered, least_rank_layout, recover, recover_symbolic};
pub use shape::extract_shape;
pub use swizzle::{
    any_layout_mapping, binary_coordinate_mapping, binary_swizzle_mapping, composed_mapping,
    swizzle_bits, swizzle_mapping, unbounded_swizzle_mapping,
};
pub use symbolic::{symbolic_basis_mapping, symbolic_composed_mapping, symbolic_index_mapping};
pub use text::tuple_text;
