//! Coordinates compared and counted on, as CuTe has them.

use crate::{
    error::{Error, Result},
    tuple::Tuple,
};
use alloc::format;

impl Tuple {
    /// Whether each integer of a tuple is below that of another: CuTe's `elem_less`. A tuple that ends
    /// earlier is below, one that continues is not.
    pub fn elem_less(&self, b: &Tuple) -> Result<bool> {
        match (self, b) {
            (Tuple::Leaf(a), Tuple::Leaf(b)) => Ok(a < b),
            (Tuple::Node(a), Tuple::Node(b)) => {
                for (place, entry) in a.iter().enumerate() {
                    match b.get(place) {
                        Some(other) if entry.elem_less(other)? => {}
                        _ => return Ok(false),
                    }
                }
                Ok(true)
            }
            _ => Err(Error::operand(
                "elem_less",
                match self {
                    Tuple::Leaf(_) => format!("a tuple beside {b}"),
                    Tuple::Node(_) => format!("an integer beside {b}"),
                },
                self,
            )),
        }
    }

    /// The coordinate after another in a shape, the first mode fastest: CuTe's `increment`. Past the last
    /// coordinate the last mode continues.
    pub fn increment(&self, shape: &Tuple) -> Result<Tuple> {
        if !self.congruent(shape) {
            let expected = format!("a coordinate that nests as {shape}");
            return Err(Error::operand("increment", expected, self));
        }
        let extents = shape.leaves();
        let (mut place, mut carries) = (0, true);
        self.try_map(&mut |&digit| {
            let extent = extents.get(place).copied().unwrap_or(i64::MAX);
            place += 1;
            if !carries {
                return Ok(digit);
            }
            let next = digit.checked_add(1).ok_or_else(|| Error::overflow("increment", self))?;
            carries = next == extent && place < extents.len();
            Ok(if carries { 0 } else { next })
        })
    }
}
