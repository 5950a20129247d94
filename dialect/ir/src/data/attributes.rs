//! The dialect's attributes: terms, atoms, schedules and relations.

use crate::{
    atoms::{
        Atom,
        choice::Choice,
        schedule::Schedule,
        tiled::{TiledCopy, TiledMma},
    },
    border::ffi::{
        TEXT_ATOM, TEXT_RELATION, TEXT_SCHEDULE, TEXT_TERM, TEXT_TILED_COPY, TEXT_TILED_MMA,
        layoutAttributeGet, layoutAttributeKind, layoutAttributeText, layoutAttributeValue,
    },
    data::{
        interned::{Interned, holder},
        reading, relations,
        term_value::TermValue,
    },
    diagnostics::violation::Violation,
};
use layout_algebra::Term;
use layout_relation::Formula;
use melior::{
    Context, Error,
    ir::{
        Attribute, AttributeLike,
        attribute::{DenseI32ArrayAttribute, DenseI64ArrayAttribute},
    },
};
use std::{ops::Range, sync::Arc};

macro_rules! attribute {
    ($(#[$documentation:meta])* $name:ident, $kind:expr, $called:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name<'c>(Attribute<'c>);

        impl<'c> $name<'c> {
            /// The attribute, if it is of this kind: as `try_from`, without an error's text.
            pub fn from_attribute(attribute: Attribute<'c>) -> Option<Self> {
                // SAFETY: the attribute is valid.
                let kind = unsafe { layoutAttributeKind(attribute.to_raw()) };
                (kind == $kind).then_some(Self(attribute))
            }

            /// The attribute of the text between the brackets.
            pub fn parse(context: &'c Context, text: &str) -> Result<Self, Violation> {
                Ok(Self::from_interned(context, &reading::read($kind, text)?))
            }

            pub(crate) fn from_interned(context: &'c Context, held: &Arc<Interned>) -> Self {
                // SAFETY: the context has the dialect, as the constructor demands, and counts its own
                // reference.
                Self(unsafe {
                    Attribute::from_raw(layoutAttributeGet(context.to_raw(), $kind, held.lend()))
                })
            }
        }

        impl<'c> TryFrom<Attribute<'c>> for $name<'c> {
            type Error = Error;

            fn try_from(attribute: Attribute<'c>) -> Result<Self, Error> {
                Self::from_attribute(attribute)
                    .ok_or_else(|| Error::AttributeExpected($called, attribute.to_string()))
            }
        }

        holder!($name of Attribute: AttributeLike, MlirAttribute, layoutAttributeValue, layoutAttributeText);
    };
}

attribute! {
    /// `#layout<…>`: a term of the algebra. The context must have loaded the dialect.
    TermAttribute, TEXT_TERM, "layout term"
}
attribute! {
    /// `#layout.atom<…>`: a row of the atom table. The context must have loaded the dialect.
    AtomAttribute, TEXT_ATOM, "layout atom"
}
attribute! {
    /// `#layout.schedule<…>`: a matmul's schedule. The context must have loaded the dialect.
    ScheduleAttribute, TEXT_SCHEDULE, "layout schedule"
}

attribute! {
    /// `#layout.relation<…>`: a function of integer tuples. The context must have loaded the dialect.
    RelationAttribute, TEXT_RELATION, "layout relation"
}

attribute! {
    /// `#layout.tiled_copy<…>`: a copy atom over threads and values. The context must have loaded the dialect.
    TiledCopyAttribute, TEXT_TILED_COPY, "tiled copy"
}

attribute! {
    /// `#layout.tiled_mma<…>`: an MMA atom over warps and values. The context must have loaded the dialect.
    TiledMmaAttribute, TEXT_TILED_MMA, "tiled MMA"
}

impl<'c> TiledCopyAttribute<'c> {
    /// The attribute of a tiled copy.
    pub fn new(context: &'c Context, copy: TiledCopy) -> Self {
        Self::from_interned(context, &Interned::of_tiled_copy(copy))
    }

    /// The tiled copy.
    pub fn tiled(&self) -> Result<&'c TiledCopy, Error> {
        let wrong = || Error::AttributeExpected("tiled copy", self.to_string());
        self.interned().tiled_copy().ok_or_else(wrong)
    }
}

impl<'c> TiledMmaAttribute<'c> {
    /// The attribute of a tiled MMA.
    pub fn new(context: &'c Context, mma: TiledMma) -> Self {
        Self::from_interned(context, &Interned::of_tiled_mma(mma))
    }

    /// The tiled MMA.
    pub fn tiled(&self) -> Result<&'c TiledMma, Error> {
        let wrong = || Error::AttributeExpected("tiled MMA", self.to_string());
        self.interned().tiled_mma().ok_or_else(wrong)
    }
}

impl<'c> RelationAttribute<'c> {
    pub(crate) fn mapping(&self) -> &'c relations::Mapping {
        self.interned().mapping().expect("the parser and `parse` alone make relations")
    }

    /// The mapping as quasi-affine arithmetic.
    pub fn formula(&self) -> Result<Formula, layout_relation::Error> {
        Ok(self.mapping().formula.clone())
    }
}

impl<'c> TermAttribute<'c> {
    /// The attribute of a term.
    pub fn new(context: &'c Context, term: &Term) -> Self {
        Self::from_interned(context, &Interned::of_term(term.clone()))
    }

    /// The term.
    pub fn term(&self) -> Result<Term, layout_algebra::Error> {
        self.interned().term()
    }

    /// The value; only a memref's layout may be partly static.
    ///
    /// # Errors
    ///
    /// A term without a value.
    pub fn term_value(&self) -> Result<TermValue, Violation> {
        self.interned().term_value()
    }

    /// The value, as attributes and types hold it.
    pub(crate) fn value(&self) -> Result<Arc<Interned>, layout_algebra::Error> {
        // SAFETY: the attribute is of this kind, and its context keeps what it holds.
        unsafe { Interned::share(layoutAttributeValue(self.0.to_raw())) }.value()
    }
}

impl<'c> AtomAttribute<'c> {
    /// The attribute of an atom.
    pub fn new(context: &'c Context, atom: &'static Atom) -> Self {
        Self::from_interned(context, &Interned::of_atom(atom))
    }

    /// The atom.
    pub fn atom(&self) -> Result<&'static Atom, Error> {
        self.interned()
            .atom()
            .ok_or_else(|| Error::AttributeExpected("layout atom", self.to_string()))
    }
}

impl<'c> ScheduleAttribute<'c> {
    /// The attribute of a schedule.
    pub fn new(context: &'c Context, schedule: &Schedule) -> Self {
        Self::from_interned(
            context,
            &Interned::of_choice(Choice::Given(Box::new(schedule.clone()))),
        )
    }

    /// The choice: a schedule, or the request to choose one.
    pub fn choice(&self) -> Result<Choice, Error> {
        let choice = self.interned().choice().cloned();
        choice.ok_or_else(|| Error::AttributeExpected("layout schedule", self.to_string()))
    }

    /// The schedule.
    ///
    /// # Errors
    ///
    /// An attribute that leaves the choice to a pass.
    pub fn schedule(&self) -> Result<Schedule, Error> {
        match self.interned().choice() {
            Some(Choice::Given(schedule)) => Ok((**schedule).clone()),
            _ => Err(Error::AttributeExpected("layout schedule", self.to_string())),
        }
    }
}

/// Where the text of what an attribute of the dialect holds is in the attribute as it is printed; none of others.
pub(crate) fn interned_part(attribute: Attribute<'_>) -> Option<Range<usize>> {
    // SAFETY: the attribute is valid.
    let (kind, text) = unsafe {
        (layoutAttributeKind(attribute.to_raw()), layoutAttributeText(attribute.to_raw()))
    };
    let name = match kind {
        TEXT_TERM => "",
        TEXT_ATOM => "atom<",
        TEXT_SCHEDULE => "schedule<",
        TEXT_RELATION => "relation<",
        TEXT_TILED_COPY => "tiled_copy<",
        TEXT_TILED_MMA => "tiled_mma<",
        _ => return None,
    };
    // MLIR prints `#layout<` or `#layout.` before it.
    let start = "#layout<".len() + name.len();
    Some(start..start + text.length)
}

/// The integers of an array of 64 or 32 bits.
pub(crate) fn integers(attribute: Attribute<'_>) -> Result<Vec<i64>, Error> {
    if let Ok(array) = DenseI32ArrayAttribute::try_from(attribute) {
        return (0..array.len()).map(|i| array.element(i).map(i64::from)).collect();
    }
    let array = DenseI64ArrayAttribute::try_from(attribute)?;
    (0..array.len()).map(|i| array.element(i)).collect()
}
