//! Programs: functions of a model as launches of kernels, in order.
//!
//! ```
//! use layout_runtime::manifest::Manifest;
//!
//! let manifest = Manifest::parse(r#"{"version": 1, "kernels": [{
//!     "name": "scale", "chip": "sm_80", "sizes": [{"name": "m"}], "grid": ["m", 1, 1], "block": [128, 1, 1], "shared_bytes": 0,
//!     "args": [{"name": "a", "element": "bf16", "shape": "(m,64)", "stride": "(64,1)", "access": "read",
//!               "sizes": [{"value": "m", "bits": 32}]},
//!              {"name": "c", "element": "bf16", "shape": "(m,64)", "stride": "(64,1)", "access": "write",
//!               "sizes": [{"value": "m", "bits": 32}]}]}],
//!   "programs": [{"name": "twice",
//!     "arguments": [{"element": "bf16", "shape": ["rows", 64]}], "results": [{"element": "bf16", "shape": ["rows", 64]}],
//!     "buffers": ["rows*128"],
//!     "steps": [
//!       {"launch": {"kernel": "scale", "operands": [{"argument": 0}, {"buffer": 0}], "sizes": {"m": "rows"}}},
//!       {"launch": {"kernel": "scale", "operands": [{"buffer": 0}, {"result": 0}], "sizes": {"m": "rows"}}}]}]}"#)?;
//! let program = &manifest.programs[0];
//! assert_eq!(program.sizes_of(&[&[3, 64]])?, [3]);
//! let error = program.sizes_of(&[&[3, 65]]).unwrap_err().to_string();
//! assert_eq!(error, "launch: program twice, argument 0: expected the shape (rows,64), found (3,65)");
//! # Ok::<(), layout_runtime::Error>(())
//! ```
//!
//! Arguments and results are tensors in row-major order without gaps. An extent that is known at run time has a name, and is a
//! size: integers of a program may be [expressions](crate::expression) over its sizes. Buffers are memory of undefined
//! contents that steps pass on to each other; where they lie in one workspace is [planned](plan) for the sizes of a launch.
//!
//! Expressions may name [parts](Part): a network's extents repeat those of the layers before.
//!
//! Loops and branches are [steps](control) that hold others. Their conditions, and the operands and sizes of steps in them, may be expressions over
//! variables, too: integers that steps set, or read from memory of the device.

pub mod control;
pub mod plan;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::expression::Expression;
use crate::{Error, Result};

/// One function of a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The function's name.
    pub name: String,
    /// The arguments, which are read.
    pub arguments: Vec<Tensor>,
    /// The results, which are written.
    pub results: Vec<Tensor>,
    /// The parts of expressions that have names, each over sizes and the parts before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Bytes of each buffer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffers: Vec<Amount>,
    /// Contents of constant memory, as hexadecimal digits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<String>,
    /// The conditions on the sizes of a launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// The names of variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// A part of expressions, which is computed once for each call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name in expressions.
    pub name: String,
    /// Its value. Only an expression that names it requires it to have one.
    pub value: Amount,
}

/// An assertion of the function about the sizes of a launch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Not 0 where it holds.
    pub value: Amount,
    /// The function's message where it does not hold.
    pub message: String,
}

/// A tensor in row-major order without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tensor {
    /// The element type, by MLIR's name.
    pub element: String,
    /// The extents, the slowest first. Those of an argument are integers, or names of sizes.
    pub shape: Vec<Amount>,
}

/// An integer, or an expression over the program's sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Amount {
    /// It is known.
    Known(i64),
    /// It is computed at each launch.
    AtRunTime(String),
}

/// One thing that a program does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Launches a kernel, or a family, of the manifest.
    Launch(Launch),
    /// Copies memory.
    Copy(Copy),
    /// Gives variables new values, all at once.
    Set(Vec<control::Assignment>),
    /// Waits for an integer in memory.
    Read(control::Read),
    /// Does one of two lists of steps.
    Branch(control::Branch),
    /// Repeats steps as long as a condition holds.
    Loop(control::Loop),
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The kernel, or the family: then the sizes of a launch decide which of its kernels runs.
    pub kernel: String,
    /// Where its arguments lie.
    pub operands: Vec<Operand>,
    /// The sizes that it takes at run time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sizes: BTreeMap<String, Amount>,
}

/// A copy of bytes without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copy {
    /// The source.
    pub from: Operand,
    /// The target.
    pub to: Operand,
    /// How many bytes.
    pub bytes: Amount,
}

/// A place in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// Bytes from where that starts.
    #[serde(default = "start", skip_serializing_if = "is_start")]
    pub offset: Amount,
}

const fn start() -> Amount {
    Amount::Known(0)
}

fn is_start(offset: &Amount) -> bool {
    *offset == start()
}

/// A memory of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// The tensor of an argument.
    Argument(usize),
    /// The tensor of a result.
    Result(usize),
    /// A buffer.
    Buffer(usize),
    /// A constant.
    Constant(usize),
}

impl Amount {
    /// Its value, of sizes and parts of these names.
    fn of(
        &self,
        names: &[&str],
        values: &[std::result::Result<i64, String>],
    ) -> std::result::Result<i64, String> {
        match self {
            Self::Known(value) => Ok(*value),
            Self::AtRunTime(text) => {
                let expression = Expression::parse(text, names).map_err(|e| e.to_string())?;
                expression.of(values)
            }
        }
    }

    /// As it is written.
    pub fn text(&self) -> String {
        match self {
            Self::Known(value) => value.to_string(),
            Self::AtRunTime(text) => text.clone(),
        }
    }
}

impl Tensor {
    /// Bytes of an element; elements below a byte take one.
    ///
    /// # Errors
    ///
    /// A name of no type of elements.
    pub fn element_bytes(&self) -> Result<usize> {
        let bits = match self.element.as_str() {
            "bf16" => Some(16),
            "tf32" => Some(32),
            "index" => Some(64),
            name => name.strip_prefix(['i', 'f']).and_then(|rest| {
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                rest[..digits].parse::<usize>().ok().filter(|bits| (1..=64).contains(bits))
            }),
        };
        let name = &self.element;
        let wrong = || Error::Manifest(format!("expected a type of elements, found {name:?}"));
        Ok(bits.ok_or_else(wrong)?.div_ceil(8))
    }

    /// Bytes of such a tensor of this shape.
    ///
    /// # Errors
    ///
    /// A shape with an extent below 0, or one that does not fit 64 bits.
    pub fn bytes(&self, shape: &[i64]) -> Result<usize> {
        let mut bytes = Some(self.element_bytes()?);
        for &extent in shape {
            let extent = usize::try_from(extent).ok();
            bytes = bytes.zip(extent).and_then(|(bytes, extent)| bytes.checked_mul(extent));
        }
        bytes.ok_or_else(|| {
            Error::Launch(format!("expected a tensor below 2^64 bytes, found the shape {shape:?}"))
        })
    }

    /// Its shape as text: `(rows,64)`.
    pub fn shape_text(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(Amount::text).collect();
        format!("({})", extents.join(","))
    }
}

impl Program {
    /// The names that expressions of steps may have: those of the sizes, then those of the parts, then those of the variables.
    pub fn names(&self) -> Vec<&str> {
        let mut names = self.fixed_names();
        names.extend(self.variables.iter().map(String::as_str));
        names
    }

    /// The names whose values are those of a call: those of the sizes, then those of the parts.
    pub(crate) fn fixed_names(&self) -> Vec<&str> {
        let mut names = self.size_names();
        names.extend(self.parts.iter().map(|part| part.name.as_str()));
        names
    }

    /// The values of the sizes, and of the parts that have one; why another has none.
    pub(crate) fn fixed(&self, sizes: &[i64]) -> Vec<std::result::Result<i64, String>> {
        let names = self.fixed_names();
        let mut values: Vec<_> = sizes.iter().copied().map(Ok).collect();
        for part in &self.parts {
            let value = part.value.of(&names[..values.len().min(names.len())], &values);
            values.push(value);
        }
        values
    }

    /// Whether control flow depends on integers that it reads from memory: no graph can hold such a run.
    pub fn reads_elements(&self) -> bool {
        control::all(&self.steps).any(|step| matches!(step, Step::Read(_)))
    }

    /// The names of the sizes, in the order of the arguments' extents.
    pub fn size_names(&self) -> Vec<&str> {
        let extents = self.arguments.iter().flat_map(|argument| &argument.shape);
        let mut names = Vec::new();
        for extent in extents {
            if let Amount::AtRunTime(name) = extent
                && !names.contains(&name.as_str())
            {
                names.push(name.as_str());
            }
        }
        names
    }

    /// The sizes of a launch with arguments of these shapes.
    ///
    /// # Errors
    ///
    /// Shapes that are too few or too many, or that are no argument's.
    pub fn sizes_of(&self, shapes: &[&[i64]]) -> Result<Vec<i64>> {
        let wrong = |what: String| Error::Launch(format!("program {}{what}", self.name));
        if shapes.len() != self.arguments.len() {
            let (required, found) = (self.arguments.len(), shapes.len());
            return Err(wrong(format!(": expected {required} arguments, found {found}")));
        }
        let names = self.size_names();
        let mut sizes = vec![None; names.len()];
        for (i, (argument, shape)) in self.arguments.iter().zip(shapes).enumerate() {
            let mut fits = argument.shape.len() == shape.len();
            for (extent, &found) in argument.shape.iter().zip(*shape) {
                let known = match extent {
                    Amount::Known(known) => Some(*known),
                    Amount::AtRunTime(name) => {
                        let place = names.iter().position(|other| other == name);
                        let size = place.and_then(|place| sizes.get_mut(place));
                        size.and_then(|size| *size.get_or_insert(Some(found)))
                    }
                };
                fits &= known == Some(found) && found >= 0;
            }
            if !fits {
                let found: Vec<String> = shape.iter().map(ToString::to_string).collect();
                return Err(wrong(format!(
                    ", argument {i}: expected the shape {}, found ({})",
                    argument.shape_text(),
                    found.join(",")
                )));
            }
        }
        Ok(sizes.into_iter().map(|size| size.flatten().unwrap_or(0)).collect())
    }

    /// The shapes of the results of a launch with arguments of these shapes.
    ///
    /// # Errors
    ///
    /// As [`Program::sizes_of`]; an extent that has no value.
    pub fn result_shapes(&self, shapes: &[&[i64]]) -> Result<Vec<Vec<i64>>> {
        let sizes = self.sizes_of(shapes)?;
        self.check_conditions(&sizes)?;
        self.results.iter().map(|result| self.shape(result, &sizes)).collect()
    }

    /// Checks what the function asserts of its sizes.
    ///
    /// # Errors
    ///
    /// The first assertion that does not hold, with the sizes.
    pub(crate) fn check_conditions(&self, sizes: &[i64]) -> Result<()> {
        let (names, fixed) = (self.fixed_names(), self.fixed(sizes));
        for condition in &self.conditions {
            let value = condition.value.of(&names, &fixed).map_err(|error| self.wrong(&error))?;
            if value == 0 {
                let found: Vec<String> =
                    names.iter().zip(sizes).map(|(name, size)| format!("{name}={size}")).collect();
                let (program, message) = (&self.name, &condition.message);
                return Err(Error::Launch(format!(
                    "program {program}: expected sizes at which its assertion {message:?} holds, found {}",
                    found.join(", ")
                )));
            }
        }
        Ok(())
    }

    /// The shape of one of its tensors at these sizes.
    ///
    /// # Errors
    ///
    /// An extent that has no value.
    pub fn shape(&self, tensor: &Tensor, sizes: &[i64]) -> Result<Vec<i64>> {
        let (names, fixed) = (self.fixed_names(), self.fixed(sizes));
        let at = |extent: &Amount| extent.of(&names, &fixed).map_err(|error| self.wrong(&error));
        tensor.shape.iter().map(at).collect()
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Manifest(format!("program {}: {what}", self.name))
    }

    /// Checks that names, numbers and expressions are of what is there.
    ///
    /// # Errors
    ///
    /// A contradiction: what was expected, and what was found.
    pub(crate) fn check(&self, kernels: &[&str]) -> Result<()> {
        let names = self.size_names();
        for argument in &self.arguments {
            argument.element_bytes()?;
            for extent in &argument.shape {
                let fits = match extent {
                    Amount::Known(extent) => *extent >= 0,
                    Amount::AtRunTime(name) => crate::expression::is_name(name),
                };
                if !fits {
                    let found = extent.text();
                    let expected = "expected an extent of at least 0 or a name";
                    return Err(
                        self.wrong(&format!("{expected} in an argument's shape, found {found}"))
                    );
                }
            }
        }
        let results = self.results.iter();
        results.clone().try_for_each(|result| result.element_bytes().map(|_| ()))?;
        let mut amounts: Vec<&Amount> = results.flat_map(|result| &result.shape).collect();
        amounts.extend(&self.buffers);
        amounts.extend(self.conditions.iter().map(|condition| &condition.value));
        let parses = |amount: &Amount, names: &[&str]| match amount {
            Amount::Known(_) => Ok(()),
            Amount::AtRunTime(text) => Expression::parse(text, names)
                .map(|_| ())
                .map_err(|error| self.wrong(&error.to_string())),
        };
        for (kind, all) in [
            ("parts", self.parts.iter().map(|part| &part.name).collect::<Vec<_>>()),
            ("variables", self.variables.iter().collect()),
        ] {
            for name in all {
                let is_other = self.names().iter().filter(|other| *other == name).count() == 1;
                if !is_other || !crate::expression::is_name(name) {
                    return Err(self
                        .wrong(&format!("expected unique names of {kind}, found {name:?} twice")));
                }
            }
        }
        for (i, part) in self.parts.iter().enumerate() {
            parses(&part.value, &self.fixed_names()[..names.len() + i])?;
        }
        let names = self.fixed_names();
        amounts.into_iter().try_for_each(|amount| parses(amount, &names))?;
        let names = self.names();
        for step in control::all(&self.steps) {
            for operand in step.operands() {
                let (memory, count) = match operand.memory {
                    Memory::Argument(at) => (at, self.arguments.len()),
                    Memory::Result(at) => (at, self.results.len()),
                    Memory::Buffer(at) => (at, self.buffers.len()),
                    Memory::Constant(at) => (at, self.constants.len()),
                };
                if memory >= count {
                    let found = format!("{:?}", operand.memory).to_lowercase();
                    return Err(self.wrong(&format!(
                        "expected memory below {count} of its kind, found {found}"
                    )));
                }
            }
            if let Step::Launch(Launch { kernel, .. }) = step
                && !kernels.contains(&kernel.as_str())
            {
                return Err(
                    self.wrong(&format!("expected a kernel of the manifest, found {kernel:?}"))
                );
            }
            for variable in step.variables() {
                if !self.variables.iter().any(|known| known == variable) {
                    return Err(self.wrong(&format!(
                        "expected a variable of the program, found {variable:?}"
                    )));
                }
            }
            step.amounts().into_iter().try_for_each(|amount| parses(amount, &names))?;
        }
        self.constants().map(|_| ())
    }

    /// The contents of the constants.
    ///
    /// # Errors
    ///
    /// A text that is not hexadecimal.
    pub fn constants(&self) -> Result<Vec<Vec<u8>>> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let bytes = |text: &String| {
            let pairs = text.as_bytes().chunks(2);
            let byte = |pair: &[u8]| match *pair {
                [high, low] => {
                    digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8)
                }
                _ => None,
            };
            let wrong = |pair: &[u8]| {
                let found = String::from_utf8_lossy(pair);
                self.wrong(&format!(
                    "expected pairs of hexadecimal digits as a constant, found {found:?}"
                ))
            };
            pairs.map(|pair| byte(pair).ok_or_else(|| wrong(pair))).collect::<Result<Vec<u8>>>()
        };
        self.constants.iter().map(bytes).collect()
    }
}

impl Step {
    /// The memory that it reads and writes itself, without the steps in it.
    pub fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Launch(launch) => launch.operands.iter().collect(),
            Self::Copy(copy) => vec![&copy.from, &copy.to],
            Self::Read(read) => vec![&read.from],
            Self::Set(_) | Self::Branch(_) | Self::Loop(_) => Vec::new(),
        }
    }

    /// The integers that it takes itself, without those of the steps in it.
    pub fn amounts(&self) -> Vec<&Amount> {
        let mut amounts: Vec<&Amount> =
            self.operands().into_iter().map(|one| &one.offset).collect();
        match self {
            Self::Launch(launch) => amounts.extend(launch.sizes.values()),
            Self::Copy(copy) => amounts.push(&copy.bytes),
            Self::Read(_) => {}
            Self::Set(all) => amounts.extend(all.iter().map(|one| &one.value)),
            Self::Branch(branch) => amounts.push(&branch.condition),
            Self::Loop(one) => amounts.push(&one.condition),
        }
        amounts
    }

    /// The variables that it changes itself, without those of the steps in it.
    pub fn variables(&self) -> Vec<&str> {
        match self {
            Self::Set(all) => all.iter().map(|one| one.variable.as_str()).collect(),
            Self::Read(read) => vec![&read.variable],
            Self::Launch(_) | Self::Copy(_) | Self::Branch(_) | Self::Loop(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
