//! An interpreter of upstream IR and of layout operations, for tests alone.
//!
//! It knows no fact, no range and none of the project's arithmetic on layouts: integers have their
//! widths, memory is bytes, and a layout is evaluated coordinate by coordinate from the text of its
//! type. It reads operations through [`crate::ir`]; a test holds its imports to that.
//!
//! | question | file |
//! |---|---|
//! | what is a type? | [`types`] |
//! | what is a value? | [`value`] |
//! | what does memory hold? | [`memory`] |
//! | what do operations on numbers compute? | [`arithmetic`] |
//! | what is a layout, and where does it send a coordinate? | [`layout`] |
//! | where do elements of other bits lie? | [`recast`] |
//! | which operation is it? | [`decode`], [`names`] |
//! | what does it do? | [`run`], [`access`] |
//! | what do the threads of a kernel do? | [`threads`] |

pub mod access;
pub mod arithmetic;
pub mod decode;
pub mod layout;
pub mod layout_text;
pub mod memory;
pub mod names;
pub mod recast;
pub mod run;
pub mod threads;
pub mod types;
pub mod value;

/// Why an execution ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Undefined behaviour: anything may follow.
    Undefined(String),
    /// More steps than a program may take.
    Steps,
    /// Something that this interpreter does not know; an error of the harness.
    Unknown(String),
}

impl Stop {
    /// Undefined behaviour.
    pub fn undefined(why: impl Into<String>) -> Self {
        Self::Undefined(why.into())
    }

    /// The stop for something that the interpreter does not know.
    pub fn unknown(what: impl Into<String>) -> Self {
        Self::Unknown(what.into())
    }
}
