//! Loops, branches and integers in memory as steps of a program.
//!
//! ```text
//! scf.for %i = %c0 to %n step %c1 { … }     ->   set value0 = 0; loop while value0 < n { …; set value0 = value0 + 1 }
//! scf.while { … scf.condition(%c) } do { … }      ->   loop { … } while c { … }
//! scf.if %c { … } else { … }                ->   branch c { … } { … }
//! %c = memref.load %flag[]                  ->   read value1 from flag
//! ```
//!
//! Integers that a loop passes on are variables. Memory that it passes on is in one place, as `layout-carry-in-place` makes it.

use super::{
    Reader, Step,
    amount::{Amount, VARIABLE},
    memory::{Memory, Piece, element},
};
use layout_dialect::{
    build::{Val, operand, result},
    tree,
};
use melior::ir::{
    OperationRef, RegionLike, TypeLike, ValueLike, operation::OperationLike, r#type::IntegerType,
};

/// `arith.cmpi slt`.
const LESS: i64 = 2;

/// A variable's new value.
pub(super) struct Assignment {
    pub(super) variable: Amount,
    pub(super) value: Amount,
    pub(super) bits: u32,
}

/// A value that a loop carries from one iteration to the next, or that a branch yields: an integer in a variable, or
/// memory.
enum CarriedValue {
    Variable(Amount, u32),
    Memory(Piece),
}

/// The width of an integer's type.
fn width(value: Val<'_>) -> Option<u32> {
    let found = value.r#type();
    if found.is_index() {
        return Some(64);
    }
    IntegerType::try_from(found)
        .ok()
        .map(|own| own.width())
        .filter(|width| (1..=64).contains(width))
}

impl<'c> Reader<'c> {
    fn variable(&mut self) -> Amount {
        let name = format!("{VARIABLE}{}", self.variables.len());
        self.variables.push(name.clone());
        Amount::name(name)
    }

    /// The steps of a region of one block, and its terminator.
    fn inside(
        &mut self,
        found: OperationRef<'c, 'c>,
        region: usize,
    ) -> Result<(Vec<Step>, Option<OperationRef<'c, 'c>>), String> {
        /// The deepest nesting of loops and branches, as in the manifest's reader.
        const MAX_DEPTH: usize = 16;
        if self.depth >= MAX_DEPTH {
            return Err(format!(
                "expected loops and branches at most {MAX_DEPTH} deep, found more"
            ));
        }
        let region = found.region(region).ok();
        let block = region.as_ref().and_then(|region| region.first_block());
        let mut all = block.map(tree::operations).unwrap_or_default();
        let end = all.pop();
        let before = std::mem::take(&mut self.steps);
        self.depth += 1;
        let outcome = all.into_iter().try_for_each(|inner| {
            let outcome = self.operation(inner, &tree::name(inner));
            if outcome.is_err() {
                self.failed.get_or_insert(inner);
            }
            outcome
        });
        self.depth -= 1;
        let steps = std::mem::replace(&mut self.steps, before);
        outcome.map(|()| (steps, end))
    }

    fn assume(&mut self, value: Val<'c>, carried: &CarriedValue) {
        match carried {
            CarriedValue::Variable(variable, _) => {
                self.integers.insert(tree::key(value), variable.clone());
            }
            CarriedValue::Memory(piece) => {
                self.pieces.insert(tree::key(value), piece.clone());
            }
        }
    }

    /// The values that a loop starts with, and the assignments of its variables.
    fn start(
        &mut self,
        values: &[Val<'c>],
    ) -> Result<(Vec<CarriedValue>, Vec<Assignment>), String> {
        let (mut carried, mut set) = (Vec::new(), Vec::new());
        for &value in values {
            if let Some(bits) = width(value) {
                let (variable, value) = (self.variable(), self.integer(value)?);
                set.push(Assignment { variable: variable.clone(), value, bits });
                carried.push(CarriedValue::Variable(variable, bits));
            } else {
                carried.push(CarriedValue::Memory(self.piece(value)?));
            }
        }
        Ok((carried, set))
    }

    /// The assignments of the variables of what is passed on.
    fn pass_on(
        &self,
        carried: &[CarriedValue],
        values: &[Val<'c>],
    ) -> Result<Vec<Assignment>, String> {
        let mut set = Vec::new();
        for (carried, &value) in carried.iter().zip(values) {
            match carried {
                CarriedValue::Variable(variable, bits) => {
                    let value = self.integer(value)?;
                    set.push(Assignment { variable: variable.clone(), value, bits: *bits });
                }
                CarriedValue::Memory(piece) => {
                    if !piece.is_same(&self.piece(value)?)? {
                        return Err(format!(
                            "expected one buffer in all iterations and branches, found another one of {}; layout-carry-in-place updates tensors in place",
                            value.r#type()
                        ));
                    }
                }
            }
        }
        Ok(set)
    }

    fn set(&mut self, set: Vec<Assignment>) {
        if !set.is_empty() {
            self.steps.push(Step::Set(set));
        }
    }

    /// `scf.for`.
    pub(super) fn counted(&mut self, found: OperationRef<'c, 'c>) -> Result<(), String> {
        if found.attribute("unsignedCmp").is_ok() {
            return Err("expected a signed loop, found an unsigned one".to_owned());
        }
        let [first, end, step] = [0, 1, 2].map(|i| operand(found, i));
        let bits = width(first).unwrap_or(64);
        let (first, end, step) = (self.integer(first)?, self.integer(end)?, self.integer(step)?);
        if step.value().is_none_or(|step| step < 1) {
            return Err(format!("expected a static loop step of at least 1, found {step}"));
        }
        let body = tree::entry(found).ok_or("expected a loop with a body")?;
        let initial: Vec<Val<'c>> = (3..found.operand_count()).map(|i| operand(found, i)).collect();
        let (carried, mut set) = self.start(&initial)?;
        let counter = self.variable();
        set.push(Assignment { variable: counter.clone(), value: first, bits });
        self.integers.insert(tree::key(tree::argument(body, 0)), counter.clone());
        for (i, one) in carried.iter().enumerate() {
            self.assume(tree::argument(body, i + 1), one);
        }
        self.set(set);
        let condition = counter.compare(LESS, &end)?.ok_or("expected a bound of a loop")?;
        let (mut steps, last) = self.inside(found, 0)?;
        let mut next = self.yielded(&carried, last)?;
        next.push(Assignment { variable: counter.clone(), value: counter.add(&step)?, bits: 64 });
        steps.push(Step::Set(next));
        self.steps.push(Step::Loop { before: Vec::new(), condition, body: steps });
        for (i, one) in carried.iter().enumerate() {
            self.assume(result(found, i), one);
        }
        Ok(())
    }

    fn yielded(
        &self,
        carried: &[CarriedValue],
        end: Option<OperationRef<'c, 'c>>,
    ) -> Result<Vec<Assignment>, String> {
        let count = end.map_or(0, |end| end.operand_count());
        let values: Vec<Val<'c>> =
            end.into_iter().flat_map(|end| (0..count).map(move |i| operand(end, i))).collect();
        self.pass_on(carried, &values)
    }

    /// `scf.while`.
    pub(super) fn repeated(&mut self, found: OperationRef<'c, 'c>) -> Result<(), String> {
        let initial: Vec<Val<'c>> = (0..found.operand_count()).map(|i| operand(found, i)).collect();
        let (carried, set) = self.start(&initial)?;
        let first = tree::entry(found).ok_or("expected a loop with a condition")?;
        for (i, one) in carried.iter().enumerate() {
            self.assume(tree::argument(first, i), one);
        }
        self.set(set);
        let (before, condition_op) = self.inside(found, 0)?;
        let condition_op = condition_op.ok_or("expected a loop with a condition")?;
        let condition = self.integer(operand(condition_op, 0))?;
        let region = found.region(1).map_err(|error| error.to_string())?;
        let second = region.first_block().ok_or("expected a loop with a body")?;
        for i in 1..condition_op.operand_count() {
            let value = operand(condition_op, i);
            let carried = match width(value) {
                Some(bits) => CarriedValue::Variable(self.integer(value)?, bits),
                None => CarriedValue::Memory(self.piece(value)?),
            };
            self.assume(tree::argument(second, i - 1), &carried);
            self.assume(result(found, i - 1), &carried);
        }
        let (mut body, last) = self.inside(found, 1)?;
        let next = self.yielded(&carried, last)?;
        if !next.is_empty() {
            body.push(Step::Set(next));
        }
        self.steps.push(Step::Loop { before, condition, body });
        Ok(())
    }

    /// `scf.if`: a choice between kernels of a family is one launch of the family.
    pub(super) fn branch(&mut self, found: OperationRef<'c, 'c>) -> Result<(), String> {
        let condition = self.integer(operand(found, 0))?;
        let mut region = |number: usize, holds: Amount| {
            self.around.push(holds);
            let inside = self.inside(found, number);
            self.around.pop();
            inside
        };
        let (mut then, first) = region(0, condition.clone())?;
        let (mut otherwise, second) = region(1, condition.not()?)?;
        if let Some(step) = self.of_family(found, &then, &otherwise) {
            self.steps.push(step);
            return Ok(());
        }
        let mut carried = Vec::with_capacity(found.result_count());
        for i in 0..found.result_count() {
            let value = result(found, i);
            carried.push(match (width(value), first) {
                (Some(bits), _) => CarriedValue::Variable(self.variable(), bits),
                (None, Some(end)) => CarriedValue::Memory(self.piece(operand(end, i))?),
                (None, None) => return Err("expected a branch that yields its results".to_owned()),
            });
        }
        for (steps, end) in [(&mut then, first), (&mut otherwise, second)] {
            let set = self.yielded(&carried, end)?;
            if !set.is_empty() {
                steps.push(Step::Set(set));
            }
        }
        for (i, one) in carried.iter().enumerate() {
            self.assume(result(found, i), one);
        }
        // Its assertions are checked before all steps.
        if !then.is_empty() || !otherwise.is_empty() {
            self.steps.push(Step::Branch { condition, then, otherwise });
        }
        Ok(())
    }

    /// `memref.load` of an integer.
    pub(super) fn read_element(&mut self, found: OperationRef<'c, 'c>) -> Result<(), String> {
        let (memory, value) = (operand(found, 0), result(found, 0));
        let element = element(memory).unwrap_or_default();
        if !["i1", "i8", "i16", "i32", "i64", "index"].contains(&element.as_str()) {
            return Err(format!(
                "expected an integer where a program reads an element of a tensor to decide what comes next, found {element}"
            ));
        }
        let at: Vec<Amount> = (1..found.operand_count())
            .map(|i| self.integer(operand(found, i)))
            .collect::<Result<_, _>>()?;
        let piece = self.piece(memory)?;
        let from: (Memory, Amount) = (piece.memory, piece.element(&at)?);
        let variable = self.variable();
        self.steps.push(Step::Read { from, element, variable: variable.clone() });
        self.integers.insert(tree::key(value), variable);
        Ok(())
    }
}
