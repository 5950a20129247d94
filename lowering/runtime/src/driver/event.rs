//! Events: points in the default stream, and the times between them.

use cudarc::driver::{result, sys};

use super::{Gpu, refused};
use crate::Result;

/// A point in the stream, with its time.
#[derive(Debug)]
pub struct Event<'gpu> {
    pub(super) event: sys::CUevent,
    pub(super) gpu: std::marker::PhantomData<&'gpu Gpu>,
}

impl Event<'_> {
    /// Puts the event after everything that was started.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    pub fn record(&self) -> Result<()> {
        // SAFETY: the event lives; a null stream is the default stream.
        unsafe { result::event::record(self.event, result::stream::null()) }
            .map_err(refused("cuEventRecord"))
    }

    /// Milliseconds from `start` to this event; both must have passed.
    ///
    /// # Errors
    ///
    /// The driver's refusal: an event that was not recorded, or has not passed yet; errors of earlier launches.
    pub fn since(&self, start: &Event<'_>) -> Result<f64> {
        // SAFETY: both events live and were made by cuEventCreate with timing on.
        let ms = unsafe { result::event::elapsed(start.event, self.event) }
            .map_err(refused("cuEventElapsedTime"))?;
        Ok(f64::from(ms))
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. A failure cannot be reported here.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}
