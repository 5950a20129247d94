//! Parts of a program's expressions that have names: what is computed once for each call.
//!
//! ```text
//! ceil_div(ceil_div(…arg0_2…)-(7-1),2) * arg0_3        ->   parts = [{name = "part0", value = "ceil_div(…arg0_2…)"}]
//!                                                           ceil_div(part0-(7-1),2) * arg0_3
//! ```
//!
//! Each layer of a network of unknown sizes computes its extents of those of the layer before. Written out, an expression repeats all layers, and is longer with
//! each; of parts, none is longer than what one operation makes of its operands.

use super::{Reader, amount::Amount};
use melior::ir::Attribute;
use std::rc::Rc;

/// How the names of parts start that are at least 0, and those that may be less: an expression's range follows from its names.
const PART: &str = "part";
pub(super) const SIGNED_PART: &str = "signed_part";

/// The letters from which on an expression is a part: shorter ones are read as they are.
const LEAST_LENGTH: usize = 200;

/// The letters of an expression without parts, at most, that is compared with others.
const MAX_WHOLE: usize = 4096;

/// An expression that has a name.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    value: Amount,
}

impl Amount {
    /// Its text with parts written out, as far as that is short.
    pub(super) fn whole(&self) -> String {
        let mut text = self.to_string();
        let mut open = self.parts().to_vec();
        while let Some(part) = open.pop() {
            let replaced = replaced(&text, &part.name, &format!("({})", part.value));
            if replaced.len() > MAX_WHOLE {
                return self.to_string();
            }
            if replaced != text {
                text = replaced;
                open.extend(part.value.parts().iter().map(Rc::clone));
            }
        }
        text
    }
}

/// A text with another in place of each word that is a name.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let is_end = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
    let mut made = String::new();
    for word in text.split_inclusive(is_end) {
        let plain = word.trim_end_matches(is_end);
        match plain == name {
            true => made.extend([by, &word[plain.len()..]]),
            false => made.push_str(word),
        }
    }
    made
}

impl<'c> Reader<'c> {
    /// An integer, as the name of a part where it is long. Variables change between steps, and are in no part.
    pub(super) fn named(&mut self, amount: Amount) -> Amount {
        if amount.is_variable() || amount.to_string().len() < LEAST_LENGTH {
            return amount;
        }
        let part = match self.parts.iter().find(|part| part.value == amount) {
            Some(known) => Rc::clone(known),
            None => {
                let start = if amount.is_at_least_0() { PART } else { SIGNED_PART };
                let name = format!("{start}{}", self.parts.len());
                let part = Rc::new(Part { name, value: amount });
                self.parts.push(Rc::clone(&part));
                part
            }
        };
        Amount::of_part(part)
    }

    /// The parts, each after those in it. Only those that something names are computed, since others may have no value.
    pub(super) fn part_attributes(&self) -> Vec<Attribute<'c>> {
        let mut attributes = Vec::new();
        for part in self.parts.iter().rev() {
            // Parts in it are before it, and are used where it is.
            if self.used.borrow().contains(&part.name) {
                let (name, value) = (self.text(&part.name), self.amount(&part.value));
                attributes.push(self.entries(&[("name", name), ("value", value)]));
            }
        }
        attributes.reverse();
        attributes
    }

    /// Notes the parts that an expression of the program names.
    pub(super) fn uses(&self, text: &str) {
        let is_end = |letter: char| !letter.is_ascii_alphanumeric() && letter != '_';
        let is_part = |word: &&str| word.starts_with(PART) || word.starts_with(SIGNED_PART);
        let words = text.split(is_end).filter(is_part).map(str::to_owned);
        self.used.borrow_mut().extend(words);
    }
}
