//! Functions compiled for the shapes of calls, kept by shape: as many as a limit allows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::launch::Launcher;

/// Compiles a function on tensors for shapes.
pub(crate) trait Specializer: Send + Sync {
    /// The function of a name, with arguments of these shapes alone.
    fn specialize(&self, function: &str, shapes: &[Vec<i64>]) -> Result<Launcher, String>;
}

/// The extents of each argument.
pub(crate) type Shapes = Vec<Vec<i64>>;

/// The launchers compiled for shapes, or `None` if that failed.
type Launchers = HashMap<Shapes, Option<Arc<Launcher>>>;

/// The specializations of one function.
pub(crate) struct Specializations {
    function: String,
    specializer: Arc<dyn Specializer>,
    limit: usize,
    made: Mutex<Launchers>,
}

impl Specializations {
    pub(crate) fn new(function: String, specializer: Arc<dyn Specializer>, limit: usize) -> Self {
        Self { function, specializer, limit, made: Mutex::default() }
    }

    /// The function for these shapes, or `None` if as many as allowed are made, and for tensors without elements.
    ///
    /// # Errors
    ///
    /// The compiler's message, once for the same shapes.
    pub(crate) fn of(&self, shapes: &[Vec<i64>]) -> Result<Option<Arc<Launcher>>, String> {
        if shapes.iter().flatten().any(|&extent| extent == 0) {
            return Ok(None);
        }
        // Held while it compiles: two threads do not compile the same.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = made.get(shapes) {
            return Ok(found.clone());
        }
        if made.len() >= self.limit {
            return Ok(None);
        }
        let (found, failure) = match self.specializer.specialize(&self.function, shapes) {
            Ok(launcher) => (Some(Arc::new(launcher)), None),
            Err(message) => (None, Some(message)),
        };
        made.insert(shapes.to_vec(), found.clone());
        failure.map_or(Ok(found), Err)
    }

    /// All that were made, in order of their shapes.
    pub(crate) fn all(&self) -> Vec<(Shapes, Arc<Launcher>)> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let found =
            made.iter().filter_map(|(shapes, found)| Some((shapes.clone(), found.clone()?)));
        let mut found: Vec<_> = found.collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found
    }
}
