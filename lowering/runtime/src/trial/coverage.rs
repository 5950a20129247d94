//! Elements that a kernel did not write, found by two runs with different poison.

use super::Field;
use crate::manifest::{Access, Element};

/// The coverage of operands after a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// For each operand and each place of it, whether an element of a result there is still poison.
    still_poison: Vec<Vec<bool>>,
    /// Bytes that were written and are no element of a result.
    pub stray: usize,
}

impl Coverage {
    /// Compares operands after a run with what was there, and with what they are poisoned with.
    pub fn new(
        fields: &[Field],
        before: &[Vec<u8>],
        after: &[Vec<u8>],
        byte: fn(Element) -> u8,
    ) -> Self {
        let mut all = Self::default();
        for ((field, before), after) in fields.iter().zip(before).zip(after) {
            let mut still_poison = Vec::new();
            match field.access {
                Access::Read => {
                    let changed = before.iter().zip(after).filter(|(one, other)| one != other);
                    all.stray += changed.count();
                }
                Access::Write => {
                    let (unwritten, outside) = field.coverage(after, byte(field.element));
                    still_poison = unwritten;
                    all.stray += outside;
                }
                Access::ReadWrite => all.stray += field.coverage(after, byte(field.element)).1,
            }
            all.still_poison.push(still_poison);
        }
        all
    }

    /// That of two runs with different poison. An integer may have any value, that of a poison too: an element that nothing wrote is
    /// poison in both runs.
    pub fn with(mut self, other: &Self) -> Self {
        for (own, other) in self.still_poison.iter_mut().zip(&other.still_poison) {
            for (own, other) in own.iter_mut().zip(other) {
                *own &= *other;
            }
        }
        self.stray = self.stray.max(other.stray);
        self
    }

    /// Elements that were never written.
    pub fn unwritten(&self) -> usize {
        self.still_poison.iter().flatten().filter(|&&own| own).count()
    }

    /// The name of the first of them.
    pub fn first_unwritten(&self, fields: &[Field]) -> Option<String> {
        fields.iter().zip(&self.still_poison).find_map(|(field, own)| field.first_of(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{other_poison, poison};
    use crate::manifest::Argument;

    #[test]
    fn an_element_is_unwritten_if_it_is_poison_in_both_runs() {
        let argument = Argument {
            name: "x".into(),
            element: Element::I8,
            shape: "4".into(),
            stride: "1".into(),
            access: Access::Write,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        };
        let fields = [Field::new(&argument).unwrap()];
        let of = |after: [u8; 4], byte: fn(Element) -> u8| {
            Coverage::new(&fields, &[vec![byte(Element::I8); 4]], &[after.to_vec()], byte)
        };
        // Both poisons are results; the last element is never written.
        let first = of([0x80, 0x7f, 1, 0x80], poison);
        let both = first.clone().with(&of([0x80, 0x7f, 1, 0x7f], other_poison));
        assert_eq!((first.unwritten(), both.unwritten()), (2, 1));
        assert_eq!(both.first_unwritten(&fields).as_deref(), Some("x(3)"));
        let written = first.with(&of([0x80, 0x7f, 1, 0x80], other_poison));
        assert_eq!((written.unwritten(), written.first_unwritten(&fields)), (0, None));
    }
}
