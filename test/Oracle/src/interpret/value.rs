//! Values.

use crate::interpret::{
    Stop,
    layout::{Layout, Tree},
    types::Ty,
};
use std::rc::Rc;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// No value: whatever depends on it may be anything.
    Poison,
    /// The bits of a number or an address, zeros above its width.
    Bits(u64),
    /// The bits of a number of more than 64, in which upstream forms long products.
    Wide(u128),
    /// A memref.
    MemRef(Rc<MemRef>),
    /// A layout.
    Layout(Rc<Layout>),
    /// A tuple of integers.
    Tuple(Rc<Tree>),
    /// A view.
    View(Rc<View>),
    /// The elements of a vector, a struct or an array.
    Many(Rc<[Value]>),
}

/// A memref: where its allocation begins, and where its elements lie from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemRef {
    /// Address of what was allocated.
    pub base: u64,
    /// Elements from there to the first.
    pub offset: i64,
    /// Sizes.
    pub sizes: Vec<i64>,
    /// Strides in elements.
    pub strides: Vec<i64>,
    /// Type of an element.
    pub element: Ty,
}

/// A view: the element at `c` lies `at(c)` elements past an address.
#[derive(Clone, Debug)]
pub struct View {
    /// The address, or `None` for a view whose elements are their own offsets.
    pub base: Option<u64>,
    /// Its layout, with all that was fixed.
    pub layout: Rc<Layout>,
    /// Bits of an element.
    pub bits: u32,
    /// Type of an element.
    pub element: Ty,
}

impl Value {
    /// An integer of `bits` bits.
    pub fn int(value: i64, bits: u32) -> Self {
        Self::Bits(value as u64 & mask(bits))
    }

    /// The bits; undefined behaviour if it is poison, named by what it is for.
    pub fn known(&self, what: &str) -> Result<u64, Stop> {
        match self {
            Self::Bits(bits) => Ok(*bits),
            Self::Poison => Err(Stop::undefined(format!("{what} is poison"))),
            _ => Err(Stop::unknown(format!("{what} is no number"))),
        }
    }

    /// Whether `other` may stand for it: the same, or anything for poison.
    pub fn refined_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Poison, _) => true,
            (Self::Bits(a), Self::Bits(b)) => a == b,
            (Self::Wide(a), Self::Wide(b)) => a == b,
            (Self::Many(a), Self::Many(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.refined_by(b))
            }
            (Self::MemRef(a), Self::MemRef(b)) => a == b,
            _ => false,
        }
    }
}

/// Ones in the low bits.
pub fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// A number's value, its highest bit a sign.
pub fn signed(value: u64, bits: u32) -> i64 {
    if bits == 0 || bits >= 64 {
        return value as i64;
    }
    ((value << (64 - bits)) as i64) >> (64 - bits)
}
