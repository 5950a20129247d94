//! Execution: functions, regions, loops and branches.

use crate::interpret::{
    Stop,
    access::{address_of, element_at},
    arithmetic::{binary, cast, compare, compare_floats, convert, extended, float, negate},
    decode::{Block, Code, Functions, Operation, Region},
    memory::{Event, Memory},
    names::Map,
    threads::Thread,
    value::{Value, mask, signed},
};
use std::collections::HashMap;

/// Steps of one execution at most.
pub const STEPS: u64 = 20_000;

/// Calls within calls at most.
const MAX_DEPTH: u32 = 32;

/// One execution of a module's functions.
pub struct Machine<'a> {
    pub(super) functions: &'a Functions,
    /// Memory, and what was done with it.
    pub memory: Memory,
    steps: u64,
    limit: u64,
    /// Whether coordinates may be past the end of a layout, as passes make them where it does not matter.
    pub(super) past_the_end: bool,
    /// Whether an `scf.if` or an `scf.for` of poison gives poison: upstream hoists them out of loops that do not run.
    hoisted: bool,
    depth: u32,
    pub(super) locals: Vec<u64>,
    /// Where the thread that runs is, while a kernel does.
    pub(super) thread: Option<Thread>,
    /// Launches so far.
    pub(super) launches: u32,
    /// Memory of the block that runs, by the operation that makes it.
    pub(super) shared: HashMap<usize, u64>,
    /// Memory of the block that runs, by its symbol.
    pub(super) symbols: HashMap<String, u64>,
    /// Bytes of a block's memory that the launch gives.
    pub(super) dynamic: u64,
}

/// Values of one call of a function.
#[derive(Clone)]
pub(super) struct Frame {
    values: Vec<Value>,
}

impl Frame {
    /// So many values, none of them made.
    pub(super) fn new(values: u32) -> Self {
        Self { values: vec![Value::Poison; values as usize] }
    }

    /// A value by its number.
    pub(super) fn get(&self, number: u32) -> &Value {
        &self.values[number as usize]
    }

    /// An operand.
    pub(super) fn operand(&self, op: &Operation, i: usize) -> &Value {
        self.get(op.operands[i])
    }

    pub(super) fn set(&mut self, number: u32, value: Value) {
        self.values[number as usize] = value;
    }

    fn all(&self, numbers: &[u32]) -> Vec<Value> {
        numbers.iter().map(|number| self.get(*number).clone()).collect()
    }

    /// Operands as integers of 64 bits; undefined behaviour where one is poison.
    pub(super) fn integers(&self, numbers: &[u32], what: &str) -> Result<Vec<i64>, Stop> {
        numbers.iter().map(|number| Ok(self.get(*number).known(what)? as i64)).collect()
    }
}

impl<'a> Machine<'a> {
    /// A machine with memory that was made before.
    pub fn new(functions: &'a Functions, memory: Memory, limit: u64, past_the_end: bool) -> Self {
        Self {
            functions,
            memory,
            steps: 0,
            limit,
            past_the_end,
            hoisted: false,
            depth: 0,
            locals: Vec::new(),
            thread: None,
            launches: 0,
            shared: HashMap::new(),
            symbols: HashMap::new(),
            dynamic: 0,
        }
    }

    /// The same machine, for which an `scf.if` or an `scf.for` of poison gives poison.
    pub fn hoisted(self, hoisted: bool) -> Self {
        Self { hoisted, ..self }
    }

    /// Calls a function.
    pub fn call(&mut self, name: &str, arguments: Vec<Value>) -> Result<Vec<Value>, Stop> {
        let Some((name, function)) = self.functions.get_key_value(name) else {
            return Err(Stop::unknown(format!("a call of {name}, which is not there")));
        };
        if function.body.blocks.is_empty() {
            // The functions that memref operations become.
            match (&**name, arguments.as_slice()) {
                ("malloc", [bytes]) => {
                    let bytes = bytes.known("a size")?;
                    return Ok(vec![Value::Bits(self.memory.allocate(bytes, false)?)]);
                }
                ("free", [address]) => {
                    self.memory.free(address.known("an address")?)?;
                    return Ok(Vec::new());
                }
                _ => {}
            }
            self.memory.events.push(Event::Call { name: name.clone(), arguments });
            return Ok(Vec::new());
        }
        if self.depth >= MAX_DEPTH {
            return Err(Stop::Steps);
        }
        self.depth += 1;
        let before = self.locals.len();
        let mut frame = Frame::new(function.values);
        let results = self.region(&function.body, &mut frame, arguments)?;
        for local in self.locals.split_off(before) {
            self.memory.free(local)?;
        }
        self.depth -= 1;
        Ok(results)
    }

    /// Memory that lives until the function returns.
    pub(super) fn local(&mut self, bytes: u64) -> Result<u64, Stop> {
        let address = self.memory.allocate(bytes, false)?;
        self.locals.push(address);
        Ok(address)
    }

    fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > self.limit { Err(Stop::Steps) } else { Ok(()) }
    }

    /// Runs a region; the operands of what ended it.
    pub(super) fn region(
        &mut self,
        region: &Region,
        frame: &mut Frame,
        mut arguments: Vec<Value>,
    ) -> Result<Vec<Value>, Stop> {
        let mut number = 0;
        loop {
            let block = &region.blocks[number];
            if block.arguments.len() != arguments.len() {
                return Err(Stop::unknown("another number of block arguments"));
            }
            for (place, value) in block.arguments.iter().zip(arguments) {
                frame.set(*place, value);
            }
            match self.block(block, frame, 0)? {
                Next::Meet(_) => return Err(Stop::undefined("a barrier outside of a kernel")),
                Next::Leave(values) => return Ok(values),
                Next::Block(next, values) => (number, arguments) = (next, values),
            }
        }
    }

    /// Runs a block from one of its operations on, up to where it ends or where threads meet.
    pub(super) fn block(
        &mut self,
        block: &Block,
        frame: &mut Frame,
        from: usize,
    ) -> Result<Next, Stop> {
        for (number, op) in block.operations.iter().enumerate().skip(from) {
            self.step()?;
            if op.meets {
                return Ok(Next::Meet(number));
            }
            match &op.code {
                Code::Leave => return Ok(Next::Leave(frame.all(&op.operands))),
                Code::Branch => return Ok(Next::Block(op.successors[0], frame.all(&op.operands))),
                Code::CondBranch(count) => {
                    let boolean = frame.operand(op, 0).known("a branch's condition")?;
                    let (yes, no) = op.operands[1..].split_at(*count);
                    return Ok(match boolean {
                        0 => Next::Block(op.successors[1], frame.all(no)),
                        _ => Next::Block(op.successors[0], frame.all(yes)),
                    });
                }
                Code::Switch(cases, counts) => {
                    let found = frame.operand(op, 0).known("a switch's operand")? as i64;
                    let place = cases.iter().position(|case| *case == found);
                    let place = place.map_or(0, |place| place + 1);
                    let begin = 1 + counts[..place].iter().sum::<usize>();
                    let values = frame.all(&op.operands[begin..begin + counts[place]]);
                    return Ok(Next::Block(op.successors[place], values));
                }
                Code::Unreachable => return Err(Stop::undefined("unreachable is reached")),
                _ => self.operation(op, frame)?,
            }
        }
        // A region without a terminator, as scf.parallel's or a loop's of no results may have.
        Ok(Next::Leave(Vec::new()))
    }

    fn operation(&mut self, op: &Operation, frame: &mut Frame) -> Result<(), Stop> {
        let value = match &op.code {
            Code::Constant(value) => value.clone(),
            Code::Binary(kind, flags, bits) => {
                binary(*kind, *flags, *bits, frame.operand(op, 0), frame.operand(op, 1))?
            }
            Code::Compare(predicate, bits) => {
                compare(*predicate, *bits, frame.operand(op, 0), frame.operand(op, 1))?
            }
            Code::Cast(kind, flags, from, to) => {
                cast(*kind, *flags, *from, *to, frame.operand(op, 0))?
            }
            Code::Float(kind, bits) => {
                float(*kind, *bits, frame.operand(op, 0), frame.operand(op, 1))?
            }
            Code::Extended(kind, bits) => {
                let both = extended(*kind, *bits, frame.operand(op, 0), frame.operand(op, 1))?;
                return self.results(op, frame, both.to_vec());
            }
            Code::Select => match frame.operand(op, 0) {
                Value::Bits(0) => frame.operand(op, 2).clone(),
                Value::Bits(_) => frame.operand(op, 1).clone(),
                Value::Poison => Value::Poison,
                _ => return Err(Stop::unknown("a select by a vector")),
            },
            Code::Freeze => match frame.operand(op, 0) {
                // One of the values that it may take.
                Value::Poison => Value::Bits(0),
                value => value.clone(),
            },
            Code::CompareFloat(predicate, bits) => {
                compare_floats(*predicate, *bits, frame.operand(op, 0), frame.operand(op, 1))?
            }
            Code::Convert(kind, from, to) => convert(*kind, *from, *to, frame.operand(op, 0))?,
            Code::Negate(bits) => negate(*bits, frame.operand(op, 0))?,
            Code::Place(place, dimension) => self.place(*place, *dimension)?,
            Code::Launch(kernel, segments, workgroup) => {
                return self.launch(op, frame, kernel.as_deref(), segments, *workgroup);
            }
            Code::Nothing => return Ok(()),
            Code::Call(name) => {
                let results = self.call(name, frame.all(&op.operands))?;
                return self.results(op, frame, results);
            }
            Code::For { .. }
            | Code::While
            | Code::If
            | Code::Region
            | Code::Parallel(_)
            | Code::IndexSwitch(_)
            | Code::AffineFor { .. }
            | Code::AffineIf(_) => {
                let results = self.structured(op, frame)?;
                return self.results(op, frame, results);
            }
            Code::Affine(map) => {
                let values = frame.integers(&op.operands, "an affine operand")?;
                Value::Bits(map.results[0].at(&values)? as u64)
            }
            Code::AffineExtreme(map, most) => Value::Bits(extreme(
                map,
                &frame.integers(&op.operands, "an affine operand")?,
                *most,
            )? as u64),
            Code::Unknown(name) => return Err(Stop::unknown(format!("the operation {name}"))),
            _ => {
                let results = self.access(op, frame)?;
                return self.results(op, frame, results);
            }
        };
        frame.set(op.results[0], value);
        Ok(())
    }

    pub(super) fn results(
        &mut self,
        op: &Operation,
        frame: &mut Frame,
        values: Vec<Value>,
    ) -> Result<(), Stop> {
        if values.len() != op.results.len() {
            return Err(Stop::unknown("another number of results"));
        }
        for (place, value) in op.results.iter().zip(values) {
            frame.set(*place, value);
        }
        Ok(())
    }

    fn structured(&mut self, op: &Operation, frame: &mut Frame) -> Result<Vec<Value>, Stop> {
        let decided_by = match &op.code {
            Code::If if self.hoisted => 1,
            Code::For { .. } if self.hoisted => 3,
            _ => 0,
        };
        if (0..decided_by).any(|i| matches!(frame.operand(op, i), Value::Poison)) {
            return Ok(vec![Value::Poison; op.results.len()]);
        }
        match &op.code {
            Code::For { unsigned, bits } => self.counted(op, frame, *unsigned, *bits),
            Code::If => {
                let boolean = frame.operand(op, 0).known("an if's condition")?;
                match op.regions.get(usize::from(boolean == 0)) {
                    Some(region) if !region.blocks.is_empty() => {
                        self.region(region, frame, Vec::new())
                    }
                    _ => Ok(Vec::new()),
                }
            }
            Code::While => {
                let mut values = frame.all(&op.operands);
                loop {
                    self.step()?;
                    let mut passed = self.region(&op.regions[0], frame, values)?;
                    let boolean = passed.remove(0).known("a while's condition")?;
                    if boolean == 0 {
                        return Ok(passed);
                    }
                    values = self.region(&op.regions[1], frame, passed)?;
                }
            }
            Code::Region => self.region(&op.regions[0], frame, Vec::new()),
            Code::Parallel(rank) => {
                let bounds = frame.integers(&op.operands, "a loop's bound")?;
                let (lower, rest) = bounds.split_at(*rank);
                let (upper, step) = rest.split_at(*rank);
                if step.iter().any(|step| *step <= 0) {
                    return Err(Stop::undefined("a loop's step is not positive"));
                }
                if lower.iter().zip(upper).any(|(lower, upper)| lower >= upper) {
                    return Ok(Vec::new());
                }
                let mut at = lower.to_vec();
                loop {
                    self.step()?;
                    let places = at.iter().map(|at| Value::Bits(*at as u64)).collect();
                    self.region(&op.regions[0], frame, places)?;
                    let mut mode = *rank;
                    loop {
                        if mode == 0 {
                            return Ok(Vec::new());
                        }
                        mode -= 1;
                        at[mode] = at[mode].checked_add(step[mode]).unwrap_or(i64::MAX);
                        if at[mode] < upper[mode] {
                            break;
                        }
                        at[mode] = lower[mode];
                    }
                }
            }
            Code::IndexSwitch(cases) => {
                let found = frame.operand(op, 0).known("a switch's operand")? as i64;
                let place =
                    cases.iter().position(|case| *case == found).map_or(0, |place| place + 1);
                self.region(&op.regions[place], frame, Vec::new())
            }
            Code::AffineFor { lower, upper, step, segments } => {
                let [low, high, ..] = segments.as_slice() else {
                    return Err(Stop::unknown("an affine loop's operands"));
                };
                let numbers = frame.integers(&op.operands[..low + high], "a loop's bound")?;
                let begin = extreme(lower, &numbers[..*low], true)?;
                let end = extreme(upper, &numbers[*low..], false)?;
                let mut values = frame.all(&op.operands[low + high..]);
                let mut at = begin;
                while at < end {
                    self.step()?;
                    values.insert(0, Value::Bits(at as u64));
                    values = self.region(&op.regions[0], frame, values)?;
                    at = at.checked_add(*step).ok_or_else(|| Stop::undefined("a loop wraps"))?;
                }
                Ok(values)
            }
            Code::AffineIf(set) => {
                let values = frame.integers(&op.operands, "an affine operand")?;
                let mut boolean = true;
                for (formula, equation) in set.map.results.iter().zip(&set.equations) {
                    let value = formula.at(&values)?;
                    boolean &= if *equation { value == 0 } else { value >= 0 };
                }
                match op.regions.get(usize::from(!boolean)) {
                    Some(region) if !region.blocks.is_empty() => {
                        self.region(region, frame, Vec::new())
                    }
                    _ => Ok(Vec::new()),
                }
            }
            _ => Err(Stop::unknown("a region")),
        }
    }

    /// `scf.for`. Undefined behaviour where the step is not positive, and where the induction variable
    /// would pass the last number of its type: what the loop does then is unspecified.
    fn counted(
        &mut self,
        op: &Operation,
        frame: &mut Frame,
        unsigned: bool,
        bits: u32,
    ) -> Result<Vec<Value>, Stop> {
        let read = |i: usize| -> Result<i128, Stop> {
            let value = frame.operand(op, i).known("a loop's bound")?;
            Ok(if unsigned { i128::from(value) } else { i128::from(signed(value, bits)) })
        };
        let (begin, end, step) = (read(0)?, read(1)?, read(2)?);
        if step <= 0 {
            return Err(Stop::undefined("a loop's step is not positive"));
        }
        let most = if unsigned { i128::from(mask(bits)) } else { (1 << (bits - 1)) - 1 };
        let mut values = frame.all(&op.operands[3..]);
        let mut at = begin;
        while at < end {
            self.step()?;
            values.insert(0, Value::Bits(at as u64 & mask(bits)));
            values = self.region(&op.regions[0], frame, values)?;
            at += step;
            if at > most {
                return Err(Stop::undefined("a loop's induction variable wraps"));
            }
        }
        Ok(values)
    }

    pub(super) fn affine_address(
        &self,
        op: &Operation,
        frame: &Frame,
        first: usize,
        map: &Map,
        bytes: u64,
    ) -> Result<u64, Stop> {
        let values = frame.integers(&op.operands[first + 1..], "an affine operand")?;
        let at: Vec<i64> =
            map.results.iter().map(|result| result.at(&values)).collect::<Result<_, _>>()?;
        let Value::MemRef(memref) = frame.operand(op, first) else {
            return Err(Stop::unknown("a memref that is none"));
        };
        Ok(address_of(memref, element_at(memref, &at)?, bytes))
    }
}

fn extreme(map: &Map, values: &[i64], most: bool) -> Result<i64, Stop> {
    let all: Vec<i64> =
        map.results.iter().map(|result| result.at(values)).collect::<Result<_, _>>()?;
    let found = if most { all.into_iter().max() } else { all.into_iter().min() };
    found.ok_or_else(|| Stop::unknown("a map without results"))
}

/// Where an execution continues.
pub(super) enum Next {
    /// All threads of the block come to this operation first.
    Meet(usize),
    Leave(Vec<Value>),
    Block(usize, Vec<Value>),
}
