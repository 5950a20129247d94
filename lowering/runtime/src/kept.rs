//! A cache keyed by the last sizes, so that repeated launches compute nothing again.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock};

/// Most values that are kept.
pub(crate) const CAPACITY: usize = 1024;

/// A cache of values by sizes, which threads share.
#[derive(Debug)]
pub(crate) struct SizeCache<T>(RwLock<Entries<T>>);

#[derive(Debug)]
struct Entries<T> {
    by_sizes: HashMap<Vec<i64>, Arc<T>>,
    /// The oldest first.
    order: VecDeque<Vec<i64>>,
}

impl<T> Default for SizeCache<T> {
    fn default() -> Self {
        Self(RwLock::new(Entries { by_sizes: HashMap::new(), order: VecDeque::new() }))
    }
}

impl<T> SizeCache<T> {
    /// The value of these sizes: the one that was kept, or the one that `make` gives, which is kept in place of the oldest
    /// where there are too many.
    pub(crate) fn get<E>(
        &self,
        sizes: &[i64],
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let found = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = found.by_sizes.get(sizes) {
            return Ok(Arc::clone(value));
        }
        drop(found);
        let value = Arc::new(make()?);
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.by_sizes.insert(sizes.to_vec(), Arc::clone(&value)).is_none() {
            entries.order.push_back(sizes.to_vec());
            if entries.order.len() > CAPACITY
                && let Some(oldest) = entries.order.pop_front()
            {
                entries.by_sizes.remove(&oldest);
            }
        }
        Ok(value)
    }

    /// How many are kept.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).order.len()
    }
}
