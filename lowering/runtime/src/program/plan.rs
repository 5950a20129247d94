//! The plan of a program at known sizes: kernels, and the place of each buffer in one workspace.
//!
//! A buffer lives from the first step that names it to the last. Buffers, and the workspaces of kernels, whose lifetimes
//! are disjoint share memory: the largest are placed first, each at the lowest place that is free during its lifetime.

use std::sync::Arc;

use super::{Memory, Operand, Program, Step};
use crate::instances::{Instance, Instances};
use crate::{Error, Result};

/// The alignment of buffers' starts: that of CUDA's own allocations.
pub const ALIGNMENT: usize = 256;

/// A program of sizes that are known.
#[derive(Debug)]
pub struct Plan {
    /// Bytes of the one workspace.
    pub workspace: usize,
    /// The bytes of the buffers and kernels' workspaces if none shared memory.
    pub apart: usize,
    /// The shapes of the results.
    pub results: Vec<Vec<i64>>,
    /// The steps, in order.
    pub steps: Vec<Planned>,
}

/// One step.
#[derive(Debug)]
pub enum Planned {
    /// A kernel is launched.
    Launch {
        /// The kernel or the family.
        kernel: String,
        /// The kernel of these sizes.
        instance: Arc<Instance>,
        /// Where its arguments lie, and behind them its workspaces.
        places: Vec<Place>,
    },
    /// Bytes are copied.
    Copy {
        /// The source.
        from: Place,
        /// The target.
        to: Place,
        /// How many.
        bytes: usize,
    },
}

/// A place in memory, in bytes from where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In an argument of this number.
    Argument(usize, usize),
    /// In a result.
    Result(usize, usize),
    /// In the workspace.
    Workspace(usize),
    /// In a constant.
    Constant(usize, usize),
}

impl Plan {
    /// Plans a program for sizes, with the kernels that `kernels` finds by their names.
    ///
    /// # Errors
    ///
    /// A kernel that does not take its sizes, an offset beyond its memory, what does not fit 64 bits.
    pub fn new<'k>(
        program: &Program,
        sizes: &[i64],
        kernels: impl Fn(&str) -> Result<&'k Instances>,
    ) -> Result<Self> {
        program.check_conditions(sizes)?;
        let names = program.size_names();
        let value = |amount: &super::Amount| -> Result<usize> {
            let value = amount.at(&names, sizes).map_err(|error| program.wrong(&error))?;
            let expected = || program.wrong(&format!("expected at least 0, found {value}"));
            usize::try_from(value).map_err(|_| expected())
        };
        let shapes: Vec<Vec<i64>> = program
            .results
            .iter()
            .map(|result| program.shape(result, sizes))
            .collect::<Result<_>>()?;
        let mut lives: Vec<Life> = Vec::new();
        for bytes in &program.buffers {
            lives.push(Life { bytes: value(bytes)?, first: usize::MAX, last: 0 });
        }
        let mut instances = Vec::with_capacity(program.steps.len());
        for (number, step) in program.steps.iter().enumerate() {
            for operand in step.operands() {
                if let Memory::Buffer(at) = operand.memory
                    && let Some(life) = lives.get_mut(at)
                {
                    life.first = life.first.min(number);
                    life.last = life.last.max(number);
                }
            }
            let Step::Launch(launch) = step else {
                instances.push(None);
                continue;
            };
            let found = kernels(&launch.kernel)?;
            let mut own = Vec::with_capacity(found.sizes().len());
            for size in found.sizes() {
                let amount = launch.sizes.get(&size.name).ok_or_else(|| {
                    let (kernel, name) = (&launch.kernel, &size.name);
                    program
                        .wrong(&format!("expected the size {name} of kernel {kernel}, found none"))
                })?;
                own.push(amount.at(&names, sizes).map_err(|error| program.wrong(&error))?);
            }
            let instance = found.at(&own)?;
            let first = lives.len();
            let workspaces = instance.workspaces().iter();
            lives.extend(workspaces.map(|&bytes| Life { bytes, first: number, last: number }));
            instances.push(Some((instance, first..lives.len())));
        }
        let (offsets, workspace) = place(&lives).ok_or_else(|| program.wrong(TOO_MUCH))?;
        let resolve = |operand: &Operand| -> Result<Place> {
            let offset = value(&operand.offset)?;
            Ok(match operand.memory {
                Memory::Argument(at) => Place::Argument(at, offset),
                Memory::Result(at) => Place::Result(at, offset),
                Memory::Constant(at) => Place::Constant(at, offset),
                Memory::Buffer(at) => {
                    let start = offsets.get(at).copied().unwrap_or(0);
                    let bytes = program.buffers.get(at).map(&value).transpose()?.unwrap_or(0);
                    if offset > bytes {
                        let found = format!("found {offset}");
                        return Err(
                            program.wrong(&format!("expected an offset in {bytes} bytes, {found}"))
                        );
                    }
                    Place::Workspace(start + offset)
                }
            })
        };
        let mut steps = Vec::with_capacity(program.steps.len());
        for (step, instance) in program.steps.iter().zip(instances) {
            steps.push(match (step, instance) {
                (Step::Launch(launch), Some((instance, own))) => {
                    let operands = launch.operands.iter().map(resolve);
                    let own = offsets.get(own).unwrap_or_default().iter();
                    let places = operands.chain(own.map(|&at| Ok(Place::Workspace(at))));
                    let kernel = launch.kernel.clone();
                    Planned::Launch { kernel, instance, places: places.collect::<Result<_>>()? }
                }
                (Step::Copy(copy), _) => Planned::Copy {
                    from: resolve(&copy.from)?,
                    to: resolve(&copy.to)?,
                    bytes: value(&copy.bytes)?,
                },
                (Step::Launch(launch), None) => {
                    let found = format!("expected a kernel {}, found none", launch.kernel);
                    return Err(Error::Manifest(found));
                }
            });
        }
        let mut bytes = lives.iter().map(Life::aligned);
        let apart = bytes.try_fold(0_usize, |sum, bytes| sum.checked_add(bytes?));
        let apart = apart.ok_or_else(|| program.wrong(TOO_MUCH))?;
        Ok(Self { workspace, apart, results: shapes, steps })
    }
}

const TOO_MUCH: &str = "expected buffers below 2^64 bytes, found more";

/// Memory, and the steps from which and to which it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    pub(super) bytes: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Life {
    fn meets(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    fn aligned(&self) -> Option<usize> {
        self.bytes.max(1).checked_next_multiple_of(ALIGNMENT)
    }
}

/// Where each lies, and the bytes of all; nothing where those do not fit.
pub(super) fn place(lives: &[Life]) -> Option<(Vec<usize>, usize)> {
    let mut order: Vec<usize> = (0..lives.len()).collect();
    // Ties in the order of the program, so that a plan is the same each time.
    order.sort_by_key(|&i| (std::cmp::Reverse(lives[i].bytes), i));
    let mut offsets = vec![0; lives.len()];
    let mut placed: Vec<usize> = Vec::with_capacity(lives.len());
    let mut all = 0_usize;
    for &own in &order {
        let bytes = lives[own].aligned()?;
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for &other in placed.iter().filter(|&&other| lives[other].meets(&lives[own])) {
            taken.push((offsets[other], offsets[other].checked_add(lives[other].aligned()?)?));
        }
        taken.sort_unstable();
        let mut at = 0_usize;
        for (start, end) in taken {
            if at.checked_add(bytes)? <= start {
                break;
            }
            at = at.max(end);
        }
        offsets[own] = at;
        all = all.max(at.checked_add(bytes)?);
        placed.push(own);
    }
    Some((offsets, all))
}
