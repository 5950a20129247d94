//! Scalars that a kernel and its reference take by value.

use serde::{Deserialize, Serialize};

use crate::manifest::{Element, Integer};
use crate::template::integers_of;
use crate::{Error, Result};

/// A number that a kernel takes by value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// Its type, by MLIR's name: an integer of 1, 32 or 64 bits (`index` has 64), or a float.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many pointers of the kernel's arguments are in front of it.
    pub before: usize,
    /// Its value, for an integer an expression over the sizes if the kernel takes any, or `None` if a launch states it.
    #[serde(default, rename = "value", skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
}

// A float in a manifest is read from JSON, which has no NaN.
impl Eq for Scalar {}

/// The value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Number {
    /// The value of an integer.
    Integer(i64),
    /// The value of a float.
    Float(f64),
}

impl Number {
    /// As float64.
    pub const fn value(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl Scalar {
    /// The type of a float, or `None` for an integer.
    pub fn float(&self) -> Option<Element> {
        match self.kind.as_str() {
            "f16" => Some(Element::F16),
            "bf16" => Some(Element::Bf16),
            "f32" => Some(Element::F32),
            "f64" => Some(Element::F64),
            _ => None,
        }
    }

    /// As a parameter of a launch: a word that begins with its bytes.
    ///
    /// # Errors
    ///
    /// A scalar without a value, or with one that its type does not have.
    pub fn word(&self, kernel: &str) -> Result<u64> {
        let of = format!("kernel {kernel}, scalar {}", self.name);
        let Some(number) = self.number else {
            return Err(Error::Launch(format!("{of}: expected a value, found none")));
        };
        if let Some(element) = self.float() {
            let mut bytes = [0; 8];
            crate::data::encode(element, number.value(), &mut bytes[..element.bytes()]);
            return Ok(u64::from_ne_bytes(bytes));
        }
        let bits = match self.kind.as_str() {
            "i1" => 1,
            "i32" => 32,
            "i64" | "index" => 64,
            kind => {
                return Err(Error::Manifest(format!(
                    "{of}: expected a scalar of i1, i32, i64, index, f16, bf16, f32 or f64, found {kind}"
                )));
            }
        };
        let word = match number {
            Number::Integer(value) => Integer { value, bits }.word(),
            Number::Float(_) => None,
        };
        word.ok_or_else(|| {
            let expected = integers_of(bits);
            let found = match number {
                Number::Integer(value) => value.to_string(),
                Number::Float(value) => value.to_string(),
            };
            Error::Launch(format!("{of}: expected {expected}, found {found}"))
        })
    }
}

/// The function that a kernel is compared with: the library of references has it as
/// `void ENTRY(const uint64_t *words)`, in float64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Referenced {
    /// Its name in that library.
    pub entry: String,
    /// How many numbers are added up, or compared, for an element of a result, at most.
    #[serde(default)]
    pub depth: u64,
    /// The coarsest type that numbers on the way to a result are rounded to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Element>,
    /// The coarsest type narrower than f32 that the reference computes in; f64 where it computes in no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<Element>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(kind: &str, number: Option<Number>) -> Scalar {
        Scalar { name: "n".into(), kind: kind.into(), before: 0, number }
    }

    #[test]
    fn a_word_begins_with_the_bytes_of_its_type() {
        let word = |kind, number| scalar(kind, Some(number)).word("k").unwrap().to_ne_bytes();
        assert_eq!(word("i32", Number::Integer(-2))[..4], (-2_i32).to_ne_bytes());
        assert_eq!(word("i1", Number::Integer(1)), 1_u64.to_ne_bytes());
        assert_eq!(word("index", Number::Integer(1 << 40)), (1_i64 << 40).to_ne_bytes());
        assert_eq!(word("f32", Number::Float(1.5))[..4], 1.5_f32.to_ne_bytes());
        assert_eq!(word("f64", Number::Float(0.1)), 0.1_f64.to_ne_bytes());
    }

    #[test]
    fn out_of_range_values_are_errors() {
        let error = |kind, number| scalar(kind, number).word("k").unwrap_err().to_string();
        assert_eq!(error("f32", None), "launch: kernel k, scalar n: expected a value, found none");
        assert_eq!(
            error("i32", Some(Number::Integer(1 << 40))),
            "launch: kernel k, scalar n: expected an integer of 32 bits, found 1099511627776"
        );
        assert_eq!(
            error("i1", Some(Number::Integer(-1))),
            "launch: kernel k, scalar n: expected 0 or 1, found -1"
        );
        assert_eq!(
            error("i4", Some(Number::Integer(1))),
            "manifest: kernel k, scalar n: expected a scalar of i1, i32, i64, index, f16, bf16, f32 or f64, found i4"
        );
    }
}
