//! Control flow of a program: variables, integers in memory, branches and loops.
//!
//! ```
//! use layout_runtime::program::{Step, control};
//!
//! // Three rounds of a loop around a copy.
//! let steps: Vec<Step> = serde_json::from_str(r#"[
//!     {"set": [{"variable": "i", "value": 0}]},
//!     {"loop": {"condition": "min(max(3-i,0),1)",
//!               "body": [{"copy": {"from": {"argument": 0, "offset": "i*8"}, "to": {"result": 0}, "bytes": 8}},
//!                        {"set": [{"variable": "i", "value": "i+1"}]}]}}]"#)?;
//! assert_eq!(control::all(&steps).count(), 4);
//! # Ok::<(), serde_json::Error>(())
//! ```

use serde::{Deserialize, Serialize};

use super::{Amount, Operand, Step};

/// A new value of a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The variable's name.
    pub variable: String,
    /// The value.
    pub value: Amount,
    /// The width of the variable's type: a value that needs more is an error.
    #[serde(default = "word", skip_serializing_if = "is_word")]
    pub bits: u32,
}

const fn word() -> u32 {
    64
}

fn is_word(bits: &u32) -> bool {
    *bits == word()
}

/// An integer in memory of the device that becomes the value of a variable. A run waits for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Where it lies.
    pub from: Operand,
    /// Its type: `i1`, which is a byte, `i8`, `i16`, `i32`, `i64` or `index`.
    pub element: Integer,
    /// The variable's name.
    pub variable: String,
}

/// The types of integers that a program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Integer {
    /// 0 or 1, in a byte.
    I1,
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// 64 bits, signed.
    I64,
    /// 64 bits, signed, too.
    Index,
}

impl Integer {
    /// How many bytes it takes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::I1 | Self::I8 => 1,
            Self::I16 => 2,
            Self::I32 => 4,
            Self::I64 | Self::Index => 8,
        }
    }

    /// The value of its bytes, the least significant first.
    pub fn of(self, bytes: [u8; 8]) -> i64 {
        let all = i64::from_le_bytes(bytes);
        let above = 64 - 8 * self.bytes() as u32;
        match self {
            Self::I1 => i64::from(bytes[0] != 0),
            _ => all << above >> above,
        }
    }
}

/// One of two lists of steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Not 0 where the first is done.
    pub condition: Amount,
    /// The steps where it holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<Step>,
    /// The steps where it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub otherwise: Vec<Step>,
}

/// Steps that are repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// The steps before the condition, each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Step>,
    /// Not 0 where the body is done and all is repeated.
    pub condition: Amount,
    /// The steps after the condition.
    pub body: Vec<Step>,
}

/// Steps, and all that are in them, each before those in it.
pub fn all(steps: &[Step]) -> impl Iterator<Item = &Step> {
    let mut stack: Vec<&Step> = steps.iter().rev().collect();
    std::iter::from_fn(move || {
        let step = stack.pop()?;
        stack.extend(step.inner().into_iter().rev().flat_map(|list| list.iter().rev()));
        Some(step)
    })
}

impl Step {
    /// The lists of steps in it.
    pub fn inner(&self) -> [&[Self]; 2] {
        match self {
            Self::Branch(branch) => [&branch.then, &branch.otherwise],
            Self::Loop(one) => [&one.before, &one.body],
            Self::Launch(_) | Self::Copy(_) | Self::Set(_) | Self::Read(_) => [&[], &[]],
        }
    }
}
