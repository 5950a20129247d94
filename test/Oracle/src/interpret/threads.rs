//! Launches: the threads of each block, from one barrier to the next.

use crate::interpret::{
    Stop,
    decode::{Code, Function, Operation, Place, Region},
    memory::Running,
    run::{Frame, Machine, Next},
    types::Ty,
    value::{MemRef, Value, mask, signed},
};
use std::rc::Rc;

/// Which segment of a launch's operands says how many bytes that is.
const BYTES: usize = 10;

/// Threads of one launch at most.
const MAX_THREADS: u64 = 1024;

/// Where the thread that runs is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Thread {
    /// Its coordinate in the block.
    pub thread: [u64; 3],
    /// The block's coordinate.
    pub block: [u64; 3],
    /// Threads of a block.
    pub threads: [u64; 3],
    /// Blocks.
    pub blocks: [u64; 3],
}

impl Machine<'_> {
    /// A number of the launch.
    pub(super) fn place(&self, place: Place, dimension: usize) -> Result<Value, Stop> {
        let Some(thread) = &self.thread else {
            return Err(Stop::unknown("a thread's place outside of a kernel"));
        };
        Ok(Value::Bits(match place {
            Place::ThreadId => thread.thread[dimension],
            Place::BlockId => thread.block[dimension],
            Place::BlockDim => thread.threads[dimension],
            Place::GridDim => thread.blocks[dimension],
        }))
    }

    /// Runs all blocks of a launch, one after another; each byte is checked for accesses of two blocks.
    pub(super) fn launch(
        &mut self,
        op: &Operation,
        frame: &Frame,
        kernel: Option<&str>,
        segments: &[usize],
        workgroup: usize,
    ) -> Result<(), Stop> {
        let first = *segments.first().ok_or_else(|| Stop::unknown("a launch's operands"))?;
        let size = |i: usize| frame.operand(op, first + i).known("a launch's size");
        let blocks = [size(0)?, size(1)?, size(2)?];
        let threads = [size(3)?, size(4)?, size(5)?];
        let all = blocks.iter().chain(&threads);
        if all.clone().any(|size| *size == 0 || *size > MAX_THREADS)
            || all.product::<u64>() > MAX_THREADS
            || !op.results.is_empty()
        {
            return Err(Stop::unknown("a launch of so many threads"));
        }
        if self.thread.is_some() {
            return Err(Stop::unknown("a launch by a kernel"));
        }
        self.launches += 1;
        self.dynamic = match segments.get(BYTES) {
            Some(1) => {
                let place: usize = segments[..BYTES].iter().sum();
                frame.operand(op, place).known("a block's bytes")?
            }
            _ => 0,
        };
        let count = threads.iter().product::<u64>() as usize;
        let before = self.locals.len();
        for block in (0..blocks.iter().product::<u64>()).rev() {
            self.shared.clear();
            self.symbols.clear();
            let place = Thread { thread: [0; 3], block: place(block, &blocks), threads, blocks };
            self.thread = Some(place);
            self.memory.running =
                Some(Running { launch: self.launches, block: block as u32, epoch: 0, thread: 0 });
            match kernel {
                Some(name) => {
                    let function = self.functions.get(name);
                    let function =
                        function.ok_or_else(|| Stop::unknown("a kernel that is not there"))?;
                    let begin: usize = segments[..segments.len() - 2].iter().sum();
                    let end = begin + segments[segments.len() - 2];
                    let given: Vec<Value> =
                        op.operands[begin..end].iter().map(|n| frame.get(*n).clone()).collect();
                    let given = lowered(function, &given)?;
                    let own = &function.arguments[given.len()..];
                    let mut frames = vec![Frame::new(function.values); count];
                    let arguments = self.arguments(&given, own, function.workgroup, count)?;
                    self.together(&function.body, &mut frames, arguments)?;
                }
                None => {
                    let body = &op.regions[0];
                    let mut arguments = Vec::new();
                    for thread in 0..count as u64 {
                        let all = [place.block, self::place(thread, &threads), blocks, threads];
                        arguments.push(all.concat().into_iter().map(Value::Bits).collect());
                    }
                    if workgroup > 0 || body.blocks[0].arguments.len() != 12 {
                        return Err(Stop::unknown("a launch with memory of its own"));
                    }
                    let mut frames = vec![frame.clone(); count];
                    self.together(body, &mut frames, arguments)?;
                }
            }
        }
        self.thread = None;
        self.memory.settle();
        for local in self.locals.split_off(before) {
            self.memory.free(local)?;
        }
        Ok(())
    }

    /// Where memory of the block that runs begins.
    pub(super) fn block_memory(&mut self, symbol: &str, bytes: u64) -> Result<u64, Stop> {
        if self.thread.is_none() {
            return Err(Stop::unknown("a block's memory outside of a kernel"));
        }
        if let Some(base) = self.symbols.get(symbol) {
            return Ok(*base);
        }
        let base = self.local(if bytes == 0 { self.dynamic } else { bytes })?;
        self.symbols.insert(symbol.to_owned(), base);
        Ok(base)
    }

    /// Arguments of each thread: what the launch gives, and memory of the block and of the thread.
    fn arguments(
        &mut self,
        given: &[Value],
        own: &[Rc<Ty>],
        workgroup: usize,
        count: usize,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        let mut all = vec![given.to_vec(); count];
        for (i, ty) in own.iter().enumerate() {
            let Ty::MemRef(ty) = &**ty else { return Err(Stop::unknown("a kernel's memory")) };
            let known =
                |numbers: &[Option<i64>]| -> Option<Vec<i64>> { numbers.iter().copied().collect() };
            let (Some(sizes), Some(strides)) = (known(&ty.sizes), known(&ty.strides)) else {
                return Err(Stop::unknown("a kernel's memory of any size"));
            };
            let element = ty.element.clone();
            let bytes = sizes.iter().product::<i64>() as u64 * element.bytes()?;
            let mut memory = Value::Poison;
            for (thread, arguments) in all.iter_mut().enumerate() {
                if thread == 0 || i >= workgroup {
                    let base = self.local(bytes)?;
                    let (sizes, strides) = (sizes.clone(), strides.clone());
                    let element = element.clone();
                    let made = MemRef { base, offset: 0, sizes, strides, element };
                    memory = Value::MemRef(Rc::new(made));
                }
                arguments.push(memory.clone());
            }
        }
        Ok(all)
    }

    /// Has one thread of the block run.
    fn enter(&mut self, number: usize) {
        if let (Some(thread), Some(running)) = (&mut self.thread, &mut self.memory.running) {
            thread.thread = place(number as u64, &thread.threads);
            running.thread = number as u32;
        }
    }

    /// Runs a region for all threads of a block, the last one first, each as far as where all meet.
    fn together(
        &mut self,
        region: &Region,
        frames: &mut [Frame],
        arguments: Vec<Vec<Value>>,
    ) -> Result<Vec<Vec<Value>>, Stop> {
        let bind = |frame: &mut Frame, block: usize, values: Vec<Value>| {
            let places = &region.blocks[block].arguments;
            if places.len() != values.len() {
                return Err(Stop::unknown("another number of block arguments"));
            }
            places.iter().zip(values).for_each(|(place, value)| frame.set(*place, value));
            Ok(())
        };
        for (frame, values) in frames.iter_mut().zip(arguments) {
            bind(frame, 0, values)?;
        }
        let mut at = vec![(0, 0); frames.len()];
        let mut results: Vec<Option<Vec<Value>>> = vec![None; frames.len()];
        loop {
            for number in (0..frames.len()).rev() {
                self.enter(number);
                loop {
                    let (block, from) = at[number];
                    match self.block(&region.blocks[block], &mut frames[number], from)? {
                        Next::Meet(op) => at[number].1 = op,
                        Next::Leave(values) => results[number] = Some(values),
                        Next::Block(next, values) => {
                            bind(&mut frames[number], next, values)?;
                            at[number] = (next, 0);
                            continue;
                        }
                    }
                    break;
                }
            }
            if results.iter().all(Option::is_some) {
                return Ok(results.into_iter().flatten().collect());
            }
            if results.iter().any(Option::is_some) || at.iter().any(|other| *other != at[0]) {
                return Err(Stop::undefined("threads of a block wait at different barriers"));
            }
            let (block, number) = at[0];
            self.meet(&region.blocks[block].operations[number], frames)?;
            at.iter_mut().for_each(|at| at.1 += 1);
        }
    }

    /// An operation that all threads of a block come to together.
    fn meet(&mut self, op: &Operation, frames: &mut [Frame]) -> Result<(), Stop> {
        let alike = |i: usize| -> Result<u64, Stop> {
            let value = frames[0].operand(op, i).known("what threads meet at")?;
            for frame in &*frames {
                if frame.operand(op, i).known("what threads meet at")? != value {
                    return Err(Stop::undefined("threads of a block part around a barrier"));
                }
            }
            Ok(value)
        };
        let results = match &op.code {
            Code::Barrier => {
                if let Some(running) = &mut self.memory.running {
                    running.epoch += 1;
                }
                return Ok(());
            }
            Code::If => match op.regions.get(usize::from(alike(0)? == 0)) {
                Some(region) if !region.blocks.is_empty() => {
                    self.together(region, frames, vec![Vec::new(); frames.len()])?
                }
                _ => vec![Vec::new(); frames.len()],
            },
            Code::For { unsigned, bits } => {
                let read = |value: u64| match unsigned {
                    true => i128::from(value),
                    false => i128::from(signed(value, *bits)),
                };
                let (mut at, end) = (read(alike(0)?), read(alike(1)?));
                let step = read(alike(2)?);
                if step <= 0 {
                    return Err(Stop::undefined("a loop's step is not positive"));
                }
                let most = if *unsigned { i128::from(mask(*bits)) } else { (1 << (bits - 1)) - 1 };
                let carried = |frame: &Frame| -> Vec<Value> {
                    op.operands[3..].iter().map(|n| frame.get(*n).clone()).collect()
                };
                let mut values: Vec<Vec<Value>> = frames.iter().map(carried).collect();
                while at < end {
                    let counter = Value::Bits(at as u64 & mask(*bits));
                    values.iter_mut().for_each(|v| v.insert(0, counter.clone()));
                    values = self.together(&op.regions[0], frames, values)?;
                    at += step;
                    if at > most {
                        return Err(Stop::undefined("a loop's induction variable wraps"));
                    }
                }
                values
            }
            _ => return Err(Stop::unknown("a region with a barrier")),
        };
        for (number, values) in results.into_iter().enumerate() {
            self.results(op, &mut frames[number], values)?;
        }
        Ok(())
    }
}

/// The coordinate of a number, the first dimension fastest.
fn place(number: u64, of: &[u64; 3]) -> [u64; 3] {
    [number % of[0], number / of[0] % of[1], number / of[0] / of[1]]
}

/// Arguments as a lowered function takes them: a memref is its descriptor's fields.
pub fn lowered(function: &Function, values: &[Value]) -> Result<Vec<Value>, Stop> {
    let mut made = Vec::new();
    for value in values {
        match (value, function.arguments.get(made.len()).map(|ty| &**ty)) {
            (Value::MemRef(memref), Some(Ty::Pointer)) => {
                let base = Value::Bits(memref.base);
                made.extend([base.clone(), base, Value::Bits(memref.offset as u64)]);
                let numbers = memref.sizes.iter().chain(&memref.strides);
                made.extend(numbers.map(|number| Value::Bits(*number as u64)));
            }
            _ => made.push(value.clone()),
        }
    }
    if made.len() > function.arguments.len() {
        return Err(Stop::unknown("a function that takes other arguments than before"));
    }
    Ok(made)
}
