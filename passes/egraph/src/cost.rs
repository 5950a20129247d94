//! The meaning of "cheapest": the cost of a term is the sum of its nodes' costs.
//!
//! | model | what is counted |
//! |---|---|
//! | [`Model::Size`] | calls, then integers that are written; a shared part counts each time |
//! | [`Model::Nvptx`] | instructions of a GPU, more often in loops; a shared part counts once |
//! | [`Model::Applied`] | the same, where layouts may be applied to indices |

pub mod nvptx;
pub mod size;

pub use nvptx::{Chip, Kind};

use crate::{facts::Facts, node::Node};

/// A cost; sums saturate.
pub type Cost = u64;

/// The quantity that a cost counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// The size of the text.
    Size,
    /// Instructions of a chip, in hundredths.
    Nvptx(Chip),
    /// The same, where a plain layout that is applied to an index may stay, and takes what its digits do.
    Applied(Chip),
}

/// How much more a loop counts than what is around it.
const ROUNDS_OF_A_LOOP: Cost = 8;

/// Loops deeper than this count alike.
const DEPTH_LIMIT: u32 = 6;

impl Model {
    /// Whether a part that is used twice counts once.
    pub fn shares(&self) -> bool {
        matches!(self, Self::Nvptx(_) | Self::Applied(_))
    }

    /// The cost of a node without its operands, of which `operands` are the facts and `facts` those
    /// of the node, at a width of indices.
    pub fn own(&self, node: &Node, operands: &[&Facts], facts: &Facts, width: u32) -> Cost {
        match self {
            Self::Size => size::own(node),
            Self::Nvptx(chip) | Self::Applied(chip) => {
                let depth = operands.iter().map(|facts| facts.depth).max().unwrap_or(0);
                let rounds = ROUNDS_OF_A_LOOP.pow(depth.min(DEPTH_LIMIT));
                let once = match self {
                    Self::Applied(_) => chip.own_applied(node, operands, facts, width),
                    _ => chip.own(node, operands, facts, width),
                };
                once.saturating_mul(rounds)
            }
        }
    }
}
