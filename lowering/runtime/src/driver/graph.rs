//! CUDA graphs: the work that was recorded on a stream, launched again as one.

use cudarc::driver::sys;

use super::{Gpu, Stream, refused};
use crate::Result;

/// A captured sequence of launches and copies.
#[derive(Debug)]
pub struct Captured {
    executable: sys::CUgraphExec,
    gpu: Gpu,
}

// SAFETY: the driver's functions may be called from any thread; a graph is a name to them, and is not changed.
unsafe impl Send for Captured {}
// SAFETY: as above.
unsafe impl Sync for Captured {}

/// The stream of a capture.
struct CaptureStream(sys::CUstream);

impl Drop for CaptureStream {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. A failure cannot be reported here.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.0) };
    }
}

impl Gpu {
    /// Captures the work that `starts` starts on the given stream.
    ///
    /// # Errors
    ///
    /// Those of `starts`, and what the driver refuses.
    pub fn capture(&self, starts: impl FnOnce(Stream) -> Result<()>) -> Result<Captured> {
        self.within(|| {
            let mut stream = std::ptr::null_mut();
            let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            // SAFETY: the pointer is to a live local.
            unsafe { sys::cuStreamCreate(&mut stream, flags) }
                .result()
                .map_err(refused("cuStreamCreate"))?;
            let own = CaptureStream(stream);
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            // SAFETY: the stream lives.
            unsafe { sys::cuStreamBeginCapture_v2(own.0, mode) }
                .result()
                .map_err(refused("cuStreamBeginCapture"))?;
            let started = starts(Stream(own.0));
            let mut graph = std::ptr::null_mut();
            // SAFETY: a capture of this thread, which ends here whatever was started.
            let ended = unsafe { sys::cuStreamEndCapture(own.0, &mut graph) }.result();
            let graph = Template(graph);
            started?;
            ended.map_err(refused("cuStreamEndCapture"))?;
            let mut executable = std::ptr::null_mut();
            // SAFETY: the graph lives, and the pointer is to a live local.
            unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph.0, 0) }
                .result()
                .map_err(refused("cuGraphInstantiate"))?;
            Ok(Captured { executable, gpu: self.clone() })
        })
    }
}

/// A graph before it can be launched.
struct Template(sys::CUgraph);

impl Drop for Template {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: created once, destroyed once. A failure cannot be reported here.
            let _ = unsafe { sys::cuGraphDestroy(self.0) };
        }
    }
}

impl Captured {
    /// Starts all of it on a stream.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    ///
    /// # Safety
    /// The stream is of the device, and what was captured may run again.
    pub unsafe fn launch(&self, stream: Stream) -> Result<()> {
        self.gpu.within(|| {
            // SAFETY: the graph lives; the rest is the caller's promise.
            unsafe { sys::cuGraphLaunch(self.executable, stream.0) }
                .result()
                .map_err(refused("cuGraphLaunch"))
        })
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        // A failure cannot be reported here.
        let _ = self.gpu.within(|| {
            // SAFETY: created once, destroyed once; the driver waits with what still runs.
            unsafe { sys::cuGraphExecDestroy(self.executable) }
                .result()
                .map_err(refused("cuGraphExecDestroy"))
        });
    }
}

impl Stream {
    /// Copies device memory, in order with the stream.
    ///
    /// # Errors
    ///
    /// The driver's refusal.
    ///
    /// # Safety
    /// Both addresses are valid for `bytes` bytes on the current context's device, until the stream has done this.
    pub unsafe fn copy(self, to: u64, from: u64, bytes: usize) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.0) }
            .result()
            .map_err(refused("cuMemcpyDtoDAsync"))
    }
    /// Copies bytes from device memory, in order with the stream, and waits for them.
    ///
    /// # Errors
    ///
    /// The driver's refusal, and errors of earlier launches.
    ///
    /// # Safety
    /// The address is valid for `bytes.len()` bytes on the current context's device, until the stream has done this.
    pub unsafe fn read(self, bytes: &mut [u8], from: u64) -> Result<()> {
        // SAFETY: the caller's promise; the bytes live until the stream was waited for.
        unsafe {
            sys::cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), from, bytes.len(), self.0)
                .result()
                .map_err(refused("cuMemcpyDtoHAsync"))?;
            self.wait()
        }
    }
}
