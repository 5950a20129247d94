//! Forms within atoms. An atom is copied with each form that it is a term of, and its range is needed whenever that of
//! such a form is: so copies share its operands, and each operand is held with its range.

use super::IndexForm;
use std::{
    cmp::Ordering,
    hash::{Hash, Hasher},
    ops::Deref,
    sync::Arc,
};

/// The least and the greatest value, where they are known.
pub(super) type Range = (Option<i64>, Option<i64>);

/// A form that an atom is made of; equal to another where the forms are.
#[derive(Clone)]
pub(super) struct Operand(Arc<(IndexForm, Range)>);

impl Operand {
    /// As [`IndexForm::range`].
    pub(super) fn range(&self) -> Range {
        self.0.1
    }
}

impl From<IndexForm> for Operand {
    fn from(form: IndexForm) -> Self {
        let range = form.range();
        Self(Arc::new((form, range)))
    }
}

impl Deref for Operand {
    type Target = IndexForm;

    fn deref(&self) -> &IndexForm {
        &self.0.0
    }
}

impl PartialEq for Operand {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for Operand {}

impl PartialOrd for Operand {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Operand {
    fn cmp(&self, other: &Self) -> Ordering {
        match Arc::ptr_eq(&self.0, &other.0) {
            true => Ordering::Equal,
            false => (**self).cmp(&**other),
        }
    }
}

impl Hash for Operand {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl std::fmt::Debug for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}
