//! The plan of a program at known sizes: kernels, and the place of each buffer in one workspace.
//!
//! A buffer lives from the first step that names it, itself or in a loop or branch, to the last. Buffers, and the workspaces of kernels, whose lifetimes
//! are disjoint share memory: the largest are placed first, each at the lowest place that is free during its lifetime.

use std::iter::Enumerate;
use std::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use super::{Amount, Launch, Memory, Operand, Program, Step};
use crate::Result;
use crate::expression::Expression;
use crate::instances::{Instance, Instances};

/// The alignment of buffers' starts: that of CUDA's own allocations.
pub const ALIGNMENT: usize = 256;

/// A program of sizes that are known.
#[derive(Debug)]
pub struct Plan {
    /// Bytes of the one workspace.
    pub workspace: usize,
    /// The bytes of the buffers and kernels' workspaces if none shared memory.
    pub unshared: usize,
    /// The shapes of the results.
    pub results: Vec<Vec<i64>>,
    /// The steps, in order.
    pub steps: Vec<Planned>,
    /// The kernels and families that launches name, by the numbers of these.
    pub launches: Vec<String>,
    /// The sizes, and 0 for each variable: the values of expressions when a run starts.
    pub values: Vec<i64>,
}

/// One step.
#[derive(Debug)]
pub enum Planned {
    /// A kernel is launched.
    Launch {
        /// The number of the launch.
        number: usize,
        /// The kernel of these sizes.
        instance: Arc<Instance>,
        /// Where its arguments lie, then its workspaces.
        places: Vec<Place>,
    },
    /// A kernel is launched whose sizes or places depend on variables.
    OpenLaunch {
        /// The number of the launch.
        number: usize,
        /// Its sizes.
        sizes: Vec<Integer>,
        /// Where its arguments lie.
        places: Vec<OpenPlace>,
    },
    /// Bytes are copied.
    Copy {
        /// The source.
        from: OpenPlace,
        /// The target.
        to: OpenPlace,
        /// How many.
        bytes: Integer,
    },
    /// Assigns new values to variables: each one's index among the values, its value and its bits.
    Set(Vec<(usize, Integer, u32)>),
    /// A variable gets the integer at a place.
    Read {
        /// The place.
        from: OpenPlace,
        /// The type of the integer.
        element: super::control::Integer,
        /// The variable's place among the values.
        variable: usize,
    },
    /// One of two lists.
    Branch {
        /// Not 0 where it is the first.
        condition: Integer,
        /// Both lists.
        lists: [Vec<Self>; 2],
    },
    /// A list before a condition, and one after it, until it does not hold.
    Loop {
        /// Not 0 where all is repeated.
        condition: Integer,
        /// Both lists.
        lists: [Vec<Self>; 2],
    },
}

/// An integer that is known, or computed from the values of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integer {
    /// It is the same in each run of these sizes.
    Known(i64),
    /// It depends on variables.
    Open(Expression),
}

impl Integer {
    /// Its value.
    ///
    /// # Errors
    ///
    /// As [`Expression::at`].
    pub fn at(&self, values: &[i64]) -> std::result::Result<i64, String> {
        match self {
            Self::Known(value) => Ok(*value),
            Self::Open(expression) => expression.at(values).map_err(|error| error.to_string()),
        }
    }

    /// Its value as a number of bytes.
    ///
    /// # Errors
    ///
    /// As [`Integer::at`]; a value below 0.
    pub fn bytes_at(&self, values: &[i64]) -> std::result::Result<usize, String> {
        let value = self.at(values)?;
        usize::try_from(value).map_err(|_| format!("expected at least 0, found {value}"))
    }
}

/// A place whose offset may depend on variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    /// Where the memory starts.
    pub start: Place,
    /// The bytes of a buffer, past which nothing may start.
    limit: Option<usize>,
    /// Bytes from there.
    offset: Integer,
}

impl OpenPlace {
    /// The place, of the values of a run.
    ///
    /// # Errors
    ///
    /// As [`Integer::bytes_at`]; an offset past the end of a buffer.
    pub fn at(&self, values: &[i64]) -> std::result::Result<Place, String> {
        let offset = self.offset.bytes_at(values)?;
        if let Some(bytes) = self.limit.filter(|bytes| offset > *bytes) {
            return Err(format!("expected an offset in {bytes} bytes, found {offset}"));
        }
        Ok(self.start.offset_by(offset))
    }

    const fn is_known(&self) -> bool {
        matches!(self.offset, Integer::Known(_))
    }
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

impl Place {
    const fn offset_by(self, bytes: usize) -> Self {
        match self {
            Self::Argument(number, at) => Self::Argument(number, at.saturating_add(bytes)),
            Self::Result(number, at) => Self::Result(number, at.saturating_add(bytes)),
            Self::Workspace(at) => Self::Workspace(at.saturating_add(bytes)),
            Self::Constant(number, at) => Self::Constant(number, at.saturating_add(bytes)),
        }
    }
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
        let shapes: Vec<Vec<i64>> = program
            .results
            .iter()
            .map(|result| program.shape(result, sizes))
            .collect::<Result<_>>()?;
        let fixed = program.fixed(sizes);
        let mut values: Vec<i64> = fixed.iter().map(|own| *own.as_ref().unwrap_or(&0)).collect();
        let mut known: Vec<Option<i64>> = values.iter().copied().map(Some).collect();
        values.resize(fixed.len() + program.variables.len(), 0);
        known.resize(values.len(), None);
        let mut planner = Planner {
            program,
            names: program.names(),
            fixed,
            known,
            kernels: &kernels,
            ranges: Vec::new(),
            launches: Vec::new(),
            instances: Vec::new(),
            offsets: Vec::new(),
        };
        for bytes in &program.buffers {
            let bytes = planner.integer(bytes)?.bytes_at(&values);
            let bytes = bytes.map_err(|error| program.wrong(&error))?;
            planner.ranges.push(LiveRange { bytes, first: usize::MAX, last: 0 });
        }
        for (number, step) in program.steps.iter().enumerate() {
            // A step that is done many times needs all that is in it at once.
            for one in super::control::all(std::slice::from_ref(step)) {
                planner.uses(one, number)?;
            }
        }
        let (offsets, workspace) = place(&planner.ranges).ok_or_else(|| program.wrong(TOO_MUCH))?;
        planner.offsets = offsets;
        let mut instances = std::mem::take(&mut planner.instances).into_iter().enumerate();
        let steps = planner.steps(&program.steps, &mut instances)?;
        let mut bytes = planner.ranges.iter().map(LiveRange::aligned);
        let unshared = bytes.try_fold(0_usize, |sum, bytes| sum.checked_add(bytes?));
        let unshared = unshared.ok_or_else(|| program.wrong(TOO_MUCH))?;
        Ok(Self { workspace, unshared, results: shapes, steps, launches: planner.launches, values })
    }
}

/// The kernel of a launch, and its workspaces among the ranges, or `None` if its sizes depend on variables.
type Chosen = Option<(Arc<Instance>, Range<usize>)>;

/// A program that is being planned.
struct Planner<'p, F> {
    program: &'p Program,
    names: Vec<&'p str>,
    /// The values of sizes and parts, or why a part has none.
    fixed: Vec<std::result::Result<i64, String>>,
    /// The values of the names: variables have none.
    known: Vec<Option<i64>>,
    kernels: &'p F,
    ranges: Vec<LiveRange>,
    launches: Vec<String>,
    /// The kernel of each launch, in order.
    instances: Vec<Chosen>,
    offsets: Vec<usize>,
}

impl<'k, F: Fn(&str) -> Result<&'k Instances>> Planner<'_, F> {
    fn integer(&self, amount: &Amount) -> Result<Integer> {
        let text = match amount {
            Amount::Known(value) => return Ok(Integer::Known(*value)),
            Amount::AtRunTime(text) => text,
        };
        let wrong = |error: crate::expression::Error| self.program.wrong(&error.to_string());
        let expression = Expression::parse(text, &self.names).map_err(wrong)?;
        if let Some(reason) = expression.lacks(&self.fixed) {
            return Err(self.program.wrong(reason));
        }
        if expression.is_known(&self.known) {
            let values: Vec<i64> = self.known.iter().map(|one| one.unwrap_or(0)).collect();
            return Ok(Integer::Known(expression.at(&values).map_err(wrong)?));
        }
        Ok(Integer::Open(expression))
    }

    /// Notes what a step uses, as a part of the step of this number.
    fn uses(&mut self, step: &Step, number: usize) -> Result<()> {
        for operand in step.operands() {
            if let Memory::Buffer(at) = operand.memory
                && let Some(life) = self.ranges.get_mut(at)
            {
                life.first = life.first.min(number);
                life.last = life.last.max(number);
            }
        }
        let Step::Launch(launch) = step else { return Ok(()) };
        let found = (self.kernels)(&launch.kernel)?;
        self.launches.push(launch.kernel.clone());
        let sizes = self.sizes(launch, found)?;
        let known: Option<Vec<i64>> = sizes
            .iter()
            .map(|size| match size {
                Integer::Known(value) => Some(*value),
                Integer::Open(_) => None,
            })
            .collect();
        let Some(known) = known else {
            self.instances.push(None);
            return Ok(());
        };
        let instance = found.at(&known)?;
        let first = self.ranges.len();
        let workspaces = instance.workspaces().iter();
        self.ranges.extend(workspaces.map(|&bytes| LiveRange {
            bytes,
            first: number,
            last: number,
        }));
        self.instances.push(Some((instance, first..self.ranges.len())));
        Ok(())
    }

    /// The sizes of a launch in the order in which its kernel takes them.
    fn sizes(&self, launch: &Launch, kernel: &Instances) -> Result<Vec<Integer>> {
        let one = |size: &crate::manifest::Size| {
            let amount = launch.sizes.get(&size.name).ok_or_else(|| {
                let (kernel, name) = (&launch.kernel, &size.name);
                let expected = format!("expected the size {name} of kernel {kernel}, found none");
                self.program.wrong(&expected)
            })?;
            self.integer(amount)
        };
        kernel.sizes().iter().map(one).collect()
    }

    fn bytes(&self, amount: &Amount) -> Result<Integer> {
        let bytes = self.integer(amount)?;
        if let Integer::Known(_) = bytes {
            bytes.bytes_at(&[]).map_err(|error| self.program.wrong(&error))?;
        }
        Ok(bytes)
    }

    fn known(&self, place: &OpenPlace) -> Result<Place> {
        place.at(&[]).map_err(|error| self.program.wrong(&error))
    }

    fn place(&self, operand: &Operand) -> Result<OpenPlace> {
        let offset = self.integer(&operand.offset)?;
        let (start, limit) = match operand.memory {
            Memory::Argument(at) => (Place::Argument(at, 0), None),
            Memory::Result(at) => (Place::Result(at, 0), None),
            Memory::Constant(at) => (Place::Constant(at, 0), None),
            Memory::Buffer(at) => {
                let start = self.offsets.get(at).copied().unwrap_or(0);
                (Place::Workspace(start), self.ranges.get(at).map(|life| life.bytes))
            }
        };
        let place = OpenPlace { start, limit, offset };
        if place.is_known() {
            self.known(&place)?;
        }
        Ok(place)
    }

    fn steps(
        &self,
        steps: &[Step],
        instances: &mut Enumerate<IntoIter<Chosen>>,
    ) -> Result<Vec<Planned>> {
        let variable = |name: &str| self.names.iter().position(|own| *own == name).unwrap_or(0);
        let mut planned = Vec::with_capacity(steps.len());
        for step in steps {
            planned.push(match step {
                Step::Launch(launch) => self.launch(launch, instances)?,
                Step::Copy(copy) => Planned::Copy {
                    from: self.place(&copy.from)?,
                    to: self.place(&copy.to)?,
                    bytes: self.bytes(&copy.bytes)?,
                },
                Step::Set(all) => {
                    let one = |one: &super::control::Assignment| {
                        Ok((variable(&one.variable), self.integer(&one.value)?, one.bits))
                    };
                    Planned::Set(all.iter().map(one).collect::<Result<_>>()?)
                }
                Step::Read(read) => Planned::Read {
                    from: self.place(&read.from)?,
                    element: read.element,
                    variable: variable(&read.variable),
                },
                Step::Branch(branch) => Planned::Branch {
                    condition: self.integer(&branch.condition)?,
                    lists: [
                        self.steps(&branch.then, instances)?,
                        self.steps(&branch.otherwise, instances)?,
                    ],
                },
                Step::Loop(one) => Planned::Loop {
                    condition: self.integer(&one.condition)?,
                    lists: [self.steps(&one.before, instances)?, self.steps(&one.body, instances)?],
                },
            });
        }
        Ok(planned)
    }

    fn launch(
        &self,
        launch: &Launch,
        instances: &mut Enumerate<IntoIter<Chosen>>,
    ) -> Result<Planned> {
        // They were chosen in the order of the launches, which is this one.
        let (number, chosen) = instances.next().unwrap_or_default();
        let places: Vec<OpenPlace> =
            launch.operands.iter().map(|operand| self.place(operand)).collect::<Result<_>>()?;
        match chosen {
            Some((instance, own)) if places.iter().all(OpenPlace::is_known) => {
                let mut all: Vec<Place> =
                    places.iter().map(|place| self.known(place)).collect::<Result<_>>()?;
                let workspaces = self.offsets.get(own).unwrap_or_default().iter();
                all.extend(workspaces.map(|&at| Place::Workspace(at)));
                Ok(Planned::Launch { number, instance, places: all })
            }
            _ => {
                let sizes = self.sizes(launch, (self.kernels)(&launch.kernel)?)?;
                Ok(Planned::OpenLaunch { number, sizes, places })
            }
        }
    }
}

const TOO_MUCH: &str = "expected buffers below 2^64 bytes, found more";

/// A buffer's bytes, and the first and the last step that uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveRange {
    pub(super) bytes: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl LiveRange {
    fn meets(&self, other: &Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    fn aligned(&self) -> Option<usize> {
        self.bytes.max(1).checked_next_multiple_of(ALIGNMENT)
    }
}

/// Where each lies, and the bytes of all, or `None` if those do not fit.
pub(super) fn place(ranges: &[LiveRange]) -> Option<(Vec<usize>, usize)> {
    let mut order: Vec<usize> = (0..ranges.len()).collect();
    // Ties in the order of the program, so that a plan is the same each time.
    order.sort_by_key(|&i| (std::cmp::Reverse(ranges[i].bytes), i));
    let mut offsets = vec![0; ranges.len()];
    let mut placed: Vec<usize> = Vec::with_capacity(ranges.len());
    let mut all = 0_usize;
    for &own in &order {
        let bytes = ranges[own].aligned()?;
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for &other in placed.iter().filter(|&&other| ranges[other].meets(&ranges[own])) {
            taken.push((offsets[other], offsets[other].checked_add(ranges[other].aligned()?)?));
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
