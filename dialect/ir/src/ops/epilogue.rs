//! A matmul's epilogue, read from its region: a short program on f32 numbers, or on f64 numbers if the accumulators are
//! f64.
//!
//! Values are numbered: 0 is the sum, then comes that of a second B, if there is one, then the elements of the operands, then
//! each step's result.

use crate::ops::prelude::*;
use melior::ir::attribute::FloatAttribute;
use std::collections::HashMap;

/// The operation that ends an epilogue.
pub const YIELD: &str = "layout.yield";

/// The operations that an epilogue may hold, and how many operands each has: all that passes lower for every target
/// and that the runtime's reference computes.
pub const STEPS: &[(&str, usize)] = &[
    ("arith.constant", 0),
    ("arith.negf", 1),
    ("arith.addf", 2),
    ("arith.subf", 2),
    ("arith.mulf", 2),
    ("arith.divf", 2),
    ("arith.maximumf", 2),
    ("arith.minimumf", 2),
    ("arith.maxnumf", 2),
    ("arith.minnumf", 2),
    ("arith.cmpf", 2),
    ("arith.select", 3),
    ("arith.truncf", 1),
    ("arith.extf", 1),
    ("arith.cmpi", 2),
    ("arith.addi", 2),
    ("arith.subi", 2),
    ("arith.muli", 2),
    ("arith.andi", 2),
    ("arith.ori", 2),
    ("arith.xori", 2),
    ("arith.maxsi", 2),
    ("arith.minsi", 2),
    ("arith.maxui", 2),
    ("arith.minui", 2),
    ("arith.extsi", 1),
    ("arith.extui", 1),
    ("arith.trunci", 1),
    ("arith.sitofp", 1),
    ("arith.uitofp", 1),
    ("arith.fptosi", 1),
    ("arith.fptoui", 1),
    ("math.absf", 1),
    ("math.ceil", 1),
    ("math.copysign", 2),
    ("math.erf", 1),
    ("math.exp", 1),
    ("math.exp2", 1),
    ("math.expm1", 1),
    ("math.floor", 1),
    ("math.fma", 3),
    ("math.log", 1),
    ("math.log1p", 1),
    ("math.roundeven", 1),
    ("math.rsqrt", 1),
    ("math.sqrt", 1),
    ("math.tanh", 1),
    ("math.trunc", 1),
];

/// The integers of an epilogue: those that the reference, which computes with numbers of float64, holds.
const INTEGERS: [&str; 4] = ["i1", "i8", "i16", "i32"];

/// The floats of an epilogue; functions of `math` take its accumulators' type only.
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// The names of `arith.cmpf`'s predicates, by their numbers.
const PREDICATES: [&str; 16] = [
    "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
    "une", "uno", "true",
];

/// The names of `arith.cmpi`'s predicates, by their numbers.
const ORDERS: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];

/// The steps applied to each accumulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Epilogue {
    /// Accumulators, the first values: one, or two if there is a second B.
    pub accumulators: usize,
    /// Operands, whose elements are the values after the accumulators.
    pub operands: usize,
    /// In order; the first result follows the operands' elements.
    pub steps: Vec<Step>,
    /// The number of the value that is stored.
    pub result: usize,
}

/// One operation of an epilogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The operation's name, one of [`STEPS`].
    pub name: &'static str,
    /// The numbers of its operands.
    pub inputs: Vec<usize>,
    /// A constant's number, or a comparison's predicate; after it, or alone, the type of the computation if it is not
    /// the accumulator's: `olt`, `slt i32`, `bf16`.
    pub detail: Option<String>,
}

impl Epilogue {
    /// The epilogue of a `layout.matmul`, if it has one.
    ///
    /// # Errors
    ///
    /// A region that is no epilogue: what was expected, and what was found.
    pub fn of(matmul: OperationRef<'_, '_>) -> Result<Option<Self>, Violation> {
        let Some(block) = tree::entry(matmul) else { return Ok(None) };
        let operands = ops::others(matmul).len();
        let (accumulators, named) = match ops::dual(matmul) {
            None => (1, "the accumulator"),
            Some(_) => (2, "both accumulators"),
        };
        let found = block.argument_count();
        if found != operands + accumulators {
            let expected = format!(
                "an epilogue with {} arguments, {named} and an element of each operand",
                operands + accumulators
            );
            return Err(refused(expected, found));
        }
        let c = ViewType::try_from(operand(matmul, 2).r#type());
        let is_wide = c.is_ok_and(|c| c.element_type().to_string() == "f64");
        let kind = if is_wide { "f64" } else { "f32" };
        let mut numbers = HashMap::new();
        for i in 0..found {
            let argument = tree::argument(block, i);
            if !is_of(kind, argument.r#type()) {
                let expected = format!("epilogue block arguments of type {kind}");
                return Err(refused(expected, argument.r#type()));
            }
            numbers.insert(tree::key(argument), i);
        }
        let mut steps = Vec::new();
        for operation in tree::operations(block) {
            let inputs = (0..operation.operand_count())
                .map(|i| {
                    let number = numbers.get(&tree::key(operand(operation, i)));
                    number.copied().ok_or_else(|| {
                        refused("operands that the epilogue region defines", "another")
                    })
                })
                .collect::<Result<Vec<_>, _>>()?;
            let name = tree::name(operation);
            if name == YIELD {
                if operation.operand_count() != 1 {
                    let expected = format!("an epilogue that yields one {kind}");
                    return Err(refused(expected, format!("{} values", operation.operand_count())));
                }
                let result = inputs.first().copied().unwrap_or_default();
                let found = operand(operation, 0).r#type();
                if !is_of(kind, found) {
                    return Err(refused(format!("an epilogue that yields {kind}"), found));
                }
                return Ok(Some(Self { accumulators, operands, steps, result }));
            }
            let step = Step::of(operation, &name, inputs, kind)?;
            numbers.insert(tree::key(first_result(operation)), found + steps.len());
            steps.push(step);
        }
        Err(refused(format!("an epilogue region that ends with {YIELD}"), "none"))
    }
}

impl Step {
    fn of(
        operation: OperationRef<'_, '_>,
        name: &str,
        inputs: Vec<usize>,
        kind: &str,
    ) -> Result<Self, Violation> {
        // Functions of `math` are lowered for numbers of f32.
        let steps = || STEPS.iter().filter(|(name, _)| kind == "f32" || name.starts_with("arith."));
        let Some(&(name, _)) = steps().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = steps().map(|(name, _)| *name).collect();
            let of = if kind == "f32" { String::new() } else { format!(" of {kind}") };
            let expected = format!("one of {} in an epilogue{of}", known.join(", "));
            return Err(refused(expected, name));
        };
        let types = (0..operation.operand_count()).map(|i| operand(operation, i).r#type());
        let types = types.chain([first_result(operation).r#type()]).map(|found| found.to_string());
        let types: Vec<String> = types.collect();
        let computed = types.last().cloned().unwrap_or_default();
        let is_known = |found: &String| {
            found == kind || FLOATS.contains(&found.as_str()) || INTEGERS.contains(&found.as_str())
        };
        let is_function = name.starts_with("math.");
        let fits = |found: &&String| if is_function { *found == kind } else { is_known(found) };
        if let Some(found) = types.iter().find(|found| !fits(found)) {
            let of = match is_function {
                true => kind.to_owned(),
                false => format!("{} or {}", FLOATS.join(", "), INTEGERS.join(", ")),
            };
            return Err(refused(format!("{name} of {of} in an epilogue"), found));
        }
        // The reference has to know types other than the accumulator's.
        let of = |found: &str| (found != kind).then(|| found.to_owned());
        // The first stands for a number that MLIR does not have.
        let predicate = |names: &[&'static str]| -> Result<&'static str, Violation> {
            let number = ops::integer_attribute(&operation, "predicate")?;
            let found = usize::try_from(number).ok().and_then(|place| names.get(place));
            Ok(found.unwrap_or(&names[0]))
        };
        let detail = match name {
            "arith.constant" => {
                let value = operation.attribute("value")?;
                let number = match FloatAttribute::try_from(value) {
                    Ok(float) => format!("{:e}", float.value()),
                    // A boolean is 1, which is -1 of one bit.
                    Err(_) if computed == "i1" => {
                        (IntegerAttribute::try_from(value)?.value() & 1).to_string()
                    }
                    Err(_) => IntegerAttribute::try_from(value)?.value().to_string(),
                };
                Some(number)
            }
            "arith.cmpf" => Some(predicate(&PREDICATES)?.to_owned()),
            "arith.cmpi" => {
                let of = types.first().cloned().unwrap_or_default();
                Some(format!("{} {of}", predicate(&ORDERS)?))
            }
            // How the bits of an integer are read, its own width says.
            "arith.extsi" | "arith.extui" | "arith.sitofp" | "arith.uitofp" => {
                let from = types.first().cloned().unwrap_or_default();
                Some(format!("{from} {computed}"))
            }
            "arith.select" | "arith.extf" => None,
            _ => of(&computed),
        };
        Ok(Self { name, inputs, detail })
    }
}

fn refused(expected: impl Into<String>, found: impl ToString) -> Violation {
    Violation::new(Code::Epilogue, expected, found)
}

fn is_of(kind: &str, r#type: Type<'_>) -> bool {
    r#type.to_string() == kind
}
