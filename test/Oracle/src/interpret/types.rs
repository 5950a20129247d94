//! Types, read from their text.

use crate::interpret::Stop;
use std::rc::Rc;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ty {
    /// An integer of this many bits.
    Int(u32),
    /// An index, of 64 bits.
    Index,
    /// A float of 32 or 64 bits.
    Float(u32),
    /// A pointer of any address space.
    Pointer,
    /// A memref.
    MemRef(Rc<MemRefTy>),
    /// A layout value and its text.
    Layout(Rc<str>),
    /// A tuple value and its text.
    Tuple(Rc<str>),
    /// A view.
    View(Rc<ViewTy>),
    /// A vector: how many elements in all, of which type.
    Vector(usize, Rc<Ty>),
    /// A struct.
    Struct(Rc<[Ty]>),
    /// An array.
    Array(usize, Rc<Ty>),
    /// Any other type.
    Other(Rc<str>),
}

/// A memref's type; nothing stands for what is dynamic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemRefTy {
    /// Type of an element.
    pub element: Ty,
    /// Its sizes.
    pub sizes: Vec<Option<i64>>,
    /// Its strides.
    pub strides: Vec<Option<i64>>,
    /// Its offset.
    pub offset: Option<i64>,
}

/// A view's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewTy {
    /// Type of an element.
    pub element: Ty,
    /// The memory space.
    pub space: Rc<str>,
    /// The layout's text.
    pub layout: Rc<str>,
}

impl Ty {
    /// Bits of a number or a pointer.
    pub fn bits(&self) -> Result<u32, Stop> {
        match self {
            Self::Int(bits) | Self::Float(bits) => Ok(*bits),
            Self::Index | Self::Pointer => Ok(64),
            _ => Err(Stop::unknown(format!("the bits of {self:?}"))),
        }
    }

    /// Bytes in memory, as LLVM's data layout of the host has them.
    pub fn bytes(&self) -> Result<u64, Stop> {
        Ok(match self {
            Self::Struct(fields) => {
                let mut end = 0;
                for field in fields.iter() {
                    end = up(end, field.alignment()?) + field.bytes()?;
                }
                up(end, self.alignment()?)
            }
            Self::Array(count, element) | Self::Vector(count, element) => {
                *count as u64 * element.bytes()?
            }
            _ => u64::from(self.bits()?.div_ceil(8)).next_power_of_two(),
        })
    }

    /// The alignment in memory.
    pub fn alignment(&self) -> Result<u64, Stop> {
        match self {
            Self::Struct(fields) => {
                let mut most = 1;
                for field in fields.iter() {
                    most = most.max(field.alignment()?);
                }
                Ok(most)
            }
            Self::Array(_, element) => element.alignment(),
            _ => self.bytes(),
        }
    }

    /// The type that a text is of.
    pub fn parse(text: &str) -> Self {
        let other = || Self::Other(text.into());
        if text == "index" {
            return Self::Index;
        }
        if let Some(bits) = text.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            return Self::Int(bits);
        }
        match text {
            "f32" => return Self::Float(32),
            "f64" => return Self::Float(64),
            "ptr" => return Self::Pointer,
            _ => {}
        }
        if text.starts_with("!llvm.ptr") || text.starts_with("ptr<") {
            return Self::Pointer;
        }
        if let Some(text) = within(text, "!layout<") {
            return Self::Layout(text.into());
        }
        if let Some(text) = within(text, "!layout.tuple<") {
            return Self::Tuple(text.into());
        }
        if let Some(text) = within(text, "!layout.view<") {
            let parts = split(text);
            let [element, space, ..] = parts.as_slice() else { return other() };
            let rest = text[element.len() + 1..].trim_start();
            let Some(layout) = rest.get(space.len() + 1..) else { return other() };
            let element = Self::parse(element);
            let (space, layout) = (space.trim().into(), layout.trim().into());
            return Self::View(Rc::new(ViewTy { element, space, layout }));
        }
        let aggregate = |text: &str| -> Option<Self> {
            if let Some(fields) = within(text, "!llvm.struct<(").or(within(text, "struct<(")) {
                let fields = fields.strip_suffix(')')?;
                return Some(Self::Struct(split(fields).iter().map(|f| Self::parse(f)).collect()));
            }
            let text = within(text, "!llvm.array<").or(within(text, "array<"))?;
            let (count, element) = text.split_once(" x ")?;
            Some(Self::Array(count.parse().ok()?, Rc::new(Self::parse(element))))
        };
        if let Some(found) = aggregate(text) {
            return found;
        }
        if let Some(inner) = within(text, "memref<") {
            return memref(inner).map_or_else(other, |found| Self::MemRef(Rc::new(found)));
        }
        if let Some(inner) = within(text, "vector<") {
            let mut count = 1;
            let mut rest = inner;
            while let Some((size, tail)) = rest.split_once('x') {
                let Ok(size) = size.parse::<usize>() else { break };
                count *= size;
                rest = tail;
            }
            return Self::Vector(count, Rc::new(Self::parse(rest)));
        }
        other()
    }
}

fn up(value: u64, to: u64) -> u64 {
    value.div_ceil(to) * to
}

/// The text between a beginning and the `>` at the end.
fn within<'a>(text: &'a str, begin: &str) -> Option<&'a str> {
    text.strip_prefix(begin)?.strip_suffix('>')
}

/// The parts between commas that are in no bracket.
pub fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (i, letter) in text.char_indices() {
        match letter {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[begin..i].trim());
                begin = i + 1;
            }
            _ => {}
        }
    }
    let last = text[begin..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

fn memref(text: &str) -> Option<MemRefTy> {
    let parts = split(text);
    let mut rest = *parts.first()?;
    let mut sizes = Vec::new();
    loop {
        if let Some(tail) = rest.strip_prefix("?x") {
            sizes.push(None);
            rest = tail;
            continue;
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match rest.get(digits..).and_then(|tail| tail.strip_prefix('x')) {
            Some(tail) if digits > 0 => {
                sizes.push(rest[..digits].parse().ok());
                rest = tail;
            }
            _ => break,
        }
    }
    let element = Ty::parse(rest);
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let (mut strides, mut offset) = (Vec::new(), Some(0));
    // The memory space may be alone.
    let layout = parts.get(1).filter(|part| {
        !part.starts_with("#gpu.address_space<") && !part.bytes().all(|b| b.is_ascii_digit())
    });
    match layout {
        Some(text) => {
            let text = within(text, "strided<")?;
            let (list, tail) = text.strip_prefix('[')?.split_once(']')?;
            strides.extend(list.split(',').filter(|s| !s.trim().is_empty()).map(number));
            if let Some(at) = tail.trim_start_matches([',', ' ']).strip_prefix("offset:") {
                offset = number(at);
            }
        }
        None => {
            let mut stride = Some(1);
            for size in sizes.iter().rev() {
                strides.push(stride);
                stride = stride.zip(*size).map(|(a, b)| a * b);
            }
            strides.reverse();
        }
    }
    (strides.len() == sizes.len()).then_some(MemRefTy { element, sizes, strides, offset })
}
