//! Kernels with dynamic sizes: a manifest's entry with expressions in place of integers.
//!
//! Such a kernel has a list `sizes` that is not empty, and then each integer of its entry may be a text with an
//! [expression](crate::expression) over them; shapes and strides are tuples of such. `bits`, and the facts of the sizes
//! themselves, are integers.
//!
//! ```
//! use layout_runtime::manifest::Manifest;
//!
//! let manifest = Manifest::parse(r#"{"version": 1, "kernels": [{
//!     "name": "scale", "chip": "sm_80", "sizes": [{"name": "m", "most": 65536, "divisor": 8}],
//!     "grid": ["ceil_div(m,128)", 32, 1], "block": [128, 1, 1], "shared_bytes": 0,
//!     "args": [{"name": "a", "element": "bf16", "shape": "(m,4096)", "stride": "(4096,1)", "access": "read_write",
//!               "sizes": [{"value": "m", "bits": 32}]}]}]}"#)?;
//! let kernel = manifest.templates[0].at(&[264])?;
//! assert_eq!((kernel.grid, kernel.args[0].shape.as_str()), ([3, 32, 1], "(264,4096)"));
//! assert_eq!(kernel.parameters(&[0x1000])?, [0x1000, 264]);
//! let error = manifest.templates[0].at(&[100]).unwrap_err().to_string();
//! assert_eq!(error, "launch: kernel scale, size m: expected 1 to 65536, a multiple of 8, found 100");
//! # Ok::<(), layout_runtime::Error>(())
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::expression::{self, Expression, MAX_DEPTH};
use crate::manifest::{Argument, Kernel, Number};
use crate::{Error, Result};

/// Most sizes of a kernel.
const MAX_SIZES: usize = 64;

/// Most bytes of a shape or a stride.
const LONGEST_TUPLE: usize = 8192;

/// The fields that hold tuples as text.
const TUPLES: [&str; 2] = ["shape", "stride"];

/// The fields that hold integers, or lists of them, and what these have to be: all that may be expressions.
const INTEGERS: &[(&str, i64, i64)] = &[
    ("grid", 0, UNSIGNED),
    ("cluster", 0, UNSIGNED),
    ("block", 0, UNSIGNED),
    ("shared_bytes", 0, UNSIGNED),
    ("alignment", 0, i64::MAX),
    ("values", i64::MIN, i64::MAX),
    ("ascending", i64::MIN, i64::MAX),
    ("value", i64::MIN, i64::MAX),
    ("bits", 0, UNSIGNED),
    ("arg", 0, i64::MAX),
    ("extents", 0, i64::MAX),
    ("strides", 0, i64::MAX),
    ("box", 0, UNSIGNED),
    ("swizzle", 0, UNSIGNED),
    ("m", i64::MIN, i64::MAX),
    ("n", i64::MIN, i64::MAX),
    ("k", i64::MIN, i64::MAX),
    ("batch", i64::MIN, i64::MAX),
    ("args", 0, i64::MAX),
    ("operands", 0, i64::MAX),
    ("inputs", 0, i64::MAX),
    ("result", 0, i64::MAX),
    ("depth", 0, i64::MAX),
    ("bytes", 0, i64::MAX),
    ("flops", 0, i64::MAX),
];

const UNSIGNED: i64 = u32::MAX as i64;

/// A size that a kernel takes at run time, and which values of it the kernel was compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Its name in expressions.
    pub name: String,
    /// Its least value.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub least: i64,
    /// Its greatest value.
    #[serde(default = "greatest", skip_serializing_if = "is_greatest")]
    pub most: i64,
    /// The divisor of the size.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub divisor: i64,
}

const fn one() -> i64 {
    1
}

const fn greatest() -> i64 {
    i32::MAX as i64
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
const fn is_one(value: &i64) -> bool {
    *value == one()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
const fn is_greatest(value: &i64) -> bool {
    *value == greatest()
}

impl Size {
    /// The values that it may have, in words: `1 to 65536, a multiple of 8`.
    pub fn values(&self) -> String {
        let multiple = match self.divisor {
            1 => String::new(),
            divisor => format!(", a multiple of {divisor}"),
        };
        format!("{} to {}{multiple}", self.least, self.most)
    }

    /// Whether it may have this value.
    pub fn takes(&self, value: i64) -> bool {
        (self.least..=self.most).contains(&value) && value % self.divisor == 0
    }

    /// The least value that it may have.
    fn smallest(&self) -> i64 {
        match self.least.rem_euclid(self.divisor) {
            0 => self.least,
            rest => self.least.saturating_add(self.divisor - rest),
        }
    }
}

/// Checks that sizes have names of their own, and that each has a value that it may have.
pub(crate) fn check_sizes(of: &str, sizes: &[Size]) -> Result<()> {
    let wrong = |message: String| Err(Error::Manifest(format!("{of}{message}")));
    if !(1..=MAX_SIZES).contains(&sizes.len()) {
        return wrong(format!(": expected 1 to {MAX_SIZES} sizes, found {}", sizes.len()));
    }
    for (number, size) in sizes.iter().enumerate() {
        let Size { name, least, most, divisor } = size;
        if !expression::is_name(name) {
            return wrong(format!(
                ": expected a size's name of letters, digits and _, which is no function's, found {name:?}"
            ));
        }
        if sizes[..number].iter().any(|other| other.name == *name) {
            return wrong(format!(": expected sizes of different names, found two {name}"));
        }
        if *divisor < 1 {
            return wrong(format!(
                ", size {name}: expected a divisor of at least 1, found {divisor}"
            ));
        }
        if *least < 0 {
            return wrong(format!(", size {name}: expected values of at least 0, found {least}"));
        }
        if !size.takes(size.smallest()) {
            return wrong(format!(
                ", size {name}: expected a multiple of {divisor} from {least} to {most}, found none"
            ));
        }
    }
    Ok(())
}

/// Checks that a launch's sizes are as many as these, and have values that they may have.
pub(crate) fn check_values(of: &str, sizes: &[Size], values: &[i64]) -> Result<()> {
    if sizes.len() != values.len() {
        let names: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
        let expected = match names[..] {
            [] => "no sizes, as all of its are static".to_owned(),
            [name] => format!("1 size ({name})"),
            _ => format!("{} sizes ({})", names.len(), names.join(", ")),
        };
        let found = values.len();
        return Err(Error::Launch(format!("{of}: expected {expected}, found {found}")));
    }
    match sizes.iter().zip(values).find(|(size, value)| !size.takes(**value)) {
        None => Ok(()),
        Some((size, value)) => Err(Error::Launch(format!(
            "{of}, size {}: expected {}, found {value}",
            size.name,
            size.values()
        ))),
    }
}

/// An integer that a kernel takes after a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Integer {
    /// Its value.
    pub value: i64,
    /// Its bits: 32 or 64 for a signed integer, 1 for a boolean.
    pub bits: u32,
}

/// The integers that have so many bits, for a message.
pub(crate) fn integers_of(bits: u32) -> String {
    match bits {
        1 => "0 or 1".to_owned(),
        bits => format!("an integer of {bits} bits"),
    }
}

impl Integer {
    /// As a launch's parameter: its bytes, from the first of the word on. None where its bits cannot be had, or are too
    /// few.
    pub(crate) fn word(self) -> Option<u64> {
        let bytes = match self.bits {
            32 => {
                let [a, b, c, d] = i32::try_from(self.value).ok()?.to_ne_bytes();
                [a, b, c, d, 0, 0, 0, 0]
            }
            64 => self.value.to_ne_bytes(),
            1 => [u8::try_from(self.value).ok().filter(|&value| value <= 1)?, 0, 0, 0, 0, 0, 0, 0],
            _ => return None,
        };
        Some(u64::from_ne_bytes(bytes))
    }
}

impl Kernel {
    /// The parameters of a launch in front of the tensor maps: for each argument, then each workspace, its
    /// pointer and its integers. A word begins with the bytes of its parameter.
    ///
    /// # Errors
    ///
    /// An integer that does not fit its bits.
    pub fn parameters(&self, pointers: &[u64]) -> Result<Vec<u64>> {
        let all = || self.args.iter().chain(&self.workspaces);
        let count = all().map(|argument| 1 + argument.sizes.len()).sum::<usize>();
        let mut words = Vec::with_capacity(count + self.scalars.len());
        let mut scalars = self.scalars.iter().peekable();
        for (number, (argument, &pointer)) in all().zip(pointers).enumerate() {
            while let Some(scalar) = scalars.next_if(|scalar| scalar.before <= number) {
                words.push(scalar.word(&self.name)?);
            }
            words.push(pointer);
            for &integer in &argument.sizes {
                words.push(integer.word().ok_or_else(|| {
                    let Integer { value, bits } = integer;
                    let found = match bits {
                        32 | 64 => format!("{value} in {bits} bits"),
                        _ => format!("{bits} bits"),
                    };
                    Error::Manifest(format!(
                        "kernel {}, argument {}: expected sizes that fit signed integers of 32 or 64 bits, found {found}",
                        self.name, argument.name
                    ))
                })?);
            }
        }
        for scalar in scalars {
            words.push(scalar.word(&self.name)?);
        }
        Ok(words)
    }

    /// Checks that the integers after pointers fit their bits.
    pub(crate) fn check_integers(&self) -> Result<()> {
        let scalars = self.scalars.iter().map(|scalar| match scalar.number {
            // Whoever launches it says which.
            Some(Number::Float(_)) | None => Ok(0),
            Some(Number::Integer(_)) => scalar.word(&self.name),
        });
        scalars.collect::<Result<Vec<_>>>()?;
        let without = Self { scalars: Vec::new(), ..self.clone() };
        without.parameters(&vec![0; self.args.len() + self.workspaces.len()]).map(|_| ())
    }
}

/// A kernel that takes sizes at run time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Template {
    sizes: Vec<Size>,
    /// As written in the manifest.
    entry: Map<String, Value>,
    /// The same, without the sizes, as it is read.
    body: Node,
    /// The kernel of the smallest sizes.
    smallest: Kernel,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Fixed(Value),
    Integer(Expression, Range),
    Tuple(Vec<TupleEntry>),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

/// A field, its least and its greatest value.
type Range = (&'static str, i64, i64);

/// An entry of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TupleEntry {
    Text(&'static str),
    Integer(Expression),
}

impl TryFrom<Map<String, Value>> for Template {
    type Error = Error;

    fn try_from(entry: Map<String, Value>) -> Result<Self> {
        let name = entry.get("name").and_then(Value::as_str).unwrap_or_default();
        let of = format!("kernel {name}");
        let wrong = |message: String| Error::Manifest(format!("{of}: {message}"));
        let mut body = entry.clone();
        let sizes = body.remove("sizes").unwrap_or_default();
        let sizes: Vec<Size> =
            serde_json::from_value(sizes).map_err(|error| wrong(format!("sizes: {error}")))?;
        check_sizes(&of, &sizes)?;
        let names: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
        let body = Node::new(Value::Object(body), "", &names).map_err(wrong)?;
        let values: Vec<i64> = sizes.iter().map(Size::smallest).collect();
        let smallest = instance(&body, &sizes, &values, name)?;
        Ok(Self { sizes, entry, body, smallest })
    }
}

impl From<Template> for Map<String, Value> {
    fn from(template: Template) -> Self {
        template.entry
    }
}

impl Template {
    /// The PTX entry's name.
    pub fn name(&self) -> &str {
        &self.smallest.name
    }

    /// The sizes that it takes, in order.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// The kernel of the smallest sizes that it takes: all that depends on none of them is that of any other.
    pub fn smallest(&self) -> &Kernel {
        &self.smallest
    }

    /// Its arguments, with shapes and strides as texts over sizes.
    pub fn args(&self) -> Vec<Argument> {
        let mut args = self.smallest.args.clone();
        let texts = self.entry.get("args").and_then(Value::as_array).into_iter().flatten();
        for (argument, text) in args.iter_mut().zip(texts) {
            let text = |key: &str| text.get(key).and_then(Value::as_str).map(str::to_owned);
            argument.shape = text("shape").unwrap_or_default();
            argument.stride = text("stride").unwrap_or_default();
        }
        args
    }

    /// Sets the chip that it was compiled for.
    pub fn set_chip(&mut self, chip: &str) {
        let value = || Value::String(chip.to_owned());
        self.entry.insert("chip".to_owned(), value());
        if let Node::Object(fields) = &mut self.body {
            for (_, node) in fields.iter_mut().filter(|(key, _)| key == "chip") {
                *node = Node::Fixed(value());
            }
        }
        chip.clone_into(&mut self.smallest.chip);
    }

    /// The kernel of these sizes.
    ///
    /// # Errors
    ///
    /// Sizes that are too few or too many, or that it does not take ([`Error::Launch`]); integers that are too large, or
    /// that a kernel cannot have, of these sizes.
    pub fn at(&self, sizes: &[i64]) -> Result<Kernel> {
        check_values(&format!("kernel {}", self.name()), &self.sizes, sizes)?;
        instance(&self.body, &self.sizes, sizes, self.name())
    }
}

/// The kernel of these sizes, which were checked.
fn instance(body: &Node, sizes: &[Size], values: &[i64], name: &str) -> Result<Kernel> {
    let wrong = |message: String| {
        let values = sizes.iter().zip(values).map(|(size, value)| format!("{}={value}", size.name));
        let values = values.collect::<Vec<_>>().join(", ");
        Error::Manifest(format!("kernel {name} at {values}: {message}"))
    };
    let entry = body.at(values).map_err(wrong)?;
    let kernel: Kernel = serde_json::from_value(entry).map_err(|error| wrong(error.to_string()))?;
    if kernel.lacks_grid() {
        return Err(wrong("missing field `grid`".to_owned()));
    }
    kernel.check_integers()?;
    Ok(kernel)
}

impl Node {
    /// Reads the value of a field.
    fn new(value: Value, field: &str, names: &[&str]) -> std::result::Result<Self, String> {
        Ok(match value {
            Value::String(text) if TUPLES.contains(&field) => {
                let of = |error: String| format!("{field}: {error}");
                Self::Tuple(tuple(&text, names).map_err(of)?)
            }
            Value::String(text) => match INTEGERS.iter().find(|(name, ..)| *name == field) {
                Some(&range) => {
                    let expression = Expression::parse(&text, names);
                    Self::Integer(expression.map_err(|error| format!("{field}: {error}"))?, range)
                }
                None => Self::Fixed(Value::String(text)),
            },
            Value::Array(values) => {
                let nodes = values.into_iter().map(|value| Self::new(value, field, names));
                Self::List(nodes.collect::<std::result::Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let mut nodes = Vec::with_capacity(fields.len());
                for (key, value) in fields {
                    let node = Self::new(value, &key, names)?;
                    nodes.push((key, node));
                }
                Self::Object(nodes)
            }
            value => Self::Fixed(value),
        })
    }

    /// The value of these sizes.
    fn at(&self, sizes: &[i64]) -> std::result::Result<Value, String> {
        Ok(match self {
            Self::Fixed(value) => value.clone(),
            Self::Integer(expression, (field, least, most)) => {
                let value = expression.at(sizes).map_err(|error| format!("{field}: {error}"))?;
                if !(*least..=*most).contains(&value) {
                    return Err(format!(
                        "expected {field} from {least} to {most}, found {value} of {:?}",
                        expression.text()
                    ));
                }
                Value::from(value)
            }
            Self::Tuple(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        TupleEntry::Text(piece) => text.push_str(piece),
                        TupleEntry::Integer(expression) => {
                            let value = expression.at(sizes).map_err(|error| error.to_string())?;
                            text.push_str(&value.to_string());
                        }
                    }
                }
                Value::String(text)
            }
            Self::List(nodes) => {
                let values = nodes.iter().map(|node| node.at(sizes));
                Value::Array(values.collect::<std::result::Result<_, _>>()?)
            }
            Self::Object(fields) => {
                let mut object = Map::new();
                for (key, node) in fields {
                    object.insert(key.clone(), node.at(sizes)?);
                }
                Value::Object(object)
            }
        })
    }
}

/// The pieces of a tuple of expressions.
fn tuple(text: &str, names: &[&str]) -> std::result::Result<Vec<TupleEntry>, String> {
    if text.len() > LONGEST_TUPLE {
        return Err(format!("expected at most {LONGEST_TUPLE} bytes, found {}", text.len()));
    }
    let mut pieces = Vec::new();
    element(text, names, 0, &mut pieces)?;
    Ok(pieces)
}

/// Reads an element of a tuple: one more tuple, where all of it is in one pair of parentheses, else an expression.
fn element(
    text: &str,
    names: &[&str],
    depth: usize,
    pieces: &mut Vec<TupleEntry>,
) -> std::result::Result<(), String> {
    let text = text.trim();
    let Some(elements) = elements(text) else {
        let expression = Expression::parse(text, names).map_err(|error| error.to_string())?;
        pieces.push(TupleEntry::Integer(expression));
        return Ok(());
    };
    if depth == MAX_DEPTH {
        return Err(format!("expected at most {MAX_DEPTH} tuples within each other, found more"));
    }
    for (number, text) in elements.into_iter().enumerate() {
        pieces.push(TupleEntry::Text(if number == 0 { "(" } else { "," }));
        element(text, names, depth + 1, pieces)?;
    }
    pieces.push(TupleEntry::Text(")"));
    Ok(())
}

/// The elements of a text whose first parenthesis is closed by its last.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let (mut elements, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                elements.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    elements.push(&inside[start..]);
    (depth == 0).then_some(elements)
}

#[cfg(test)]
mod tests;
