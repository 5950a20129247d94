//! Workspaces: stream-ordered memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cudarc::driver::sys;

use crate::Result;
use crate::driver::{Gpu, Stream, refused};

/// The pools in use, by device.
static POOLS: Mutex<BTreeMap<i32, Weak<Pool>>> = Mutex::new(BTreeMap::new());

/// Memory that launches allocate and free in stream order, without waiting; the pool keeps freed memory.
///
/// All executables of a device share one: a driver has room for some hundred pools.
#[derive(Debug)]
pub struct Pool {
    pool: sys::CUmemoryPool,
    /// The context that it is of.
    _gpu: Gpu,
}

// SAFETY: the driver's functions may be called from any thread; a pool is a name to them.
unsafe impl Send for Pool {}
// SAFETY: as above.
unsafe impl Sync for Pool {}

impl Pool {
    /// The pool of a device.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn of(gpu: &Gpu) -> Result<Arc<Self>> {
        let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pool) = pools.get(&gpu.device()).and_then(Weak::upgrade) {
            return Ok(pool);
        }
        let pool = Arc::new(Self::new(gpu)?);
        pools.insert(gpu.device(), Arc::downgrade(&pool));
        Ok(pool)
    }

    fn new(gpu: &Gpu) -> Result<Self> {
        // SAFETY: all zeros is a value of this structure of integers and null pointers.
        let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        properties.location.id = gpu.device();
        let mut pool = std::ptr::null_mut();
        // SAFETY: both pointers are to live locals.
        unsafe { sys::cuMemPoolCreate(&mut pool, &properties) }
            .result()
            .map_err(refused("cuMemPoolCreate"))?;
        let pool = Self { pool, _gpu: gpu.clone() };
        let mut kept = u64::MAX;
        let threshold = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute's value is a `u64`, which lives until the call returns.
        unsafe { sys::cuMemPoolSetAttribute(pool.pool, threshold, (&raw mut kept).cast()) }
            .result()
            .map_err(refused("cuMemPoolSetAttribute"))?;
        Ok(pool)
    }

    /// Memory for work that is started on a stream from here until the result is dropped.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn allocate(&self, bytes: usize, stream: Stream) -> Result<Pooled<'_>> {
        let mut address = 0;
        // SAFETY: the pool lives, and the pointer is to a live local.
        unsafe { sys::cuMemAllocFromPoolAsync(&mut address, bytes.max(1), self.pool, stream.0) }
            .result()
            .map_err(refused("cuMemAllocFromPoolAsync"))?;
        Ok(Pooled { address, stream, pool: std::marker::PhantomData })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once; the driver waits with what is still in use. A failure cannot be reported here.
        let _ = unsafe { sys::cuMemPoolDestroy(self.pool) };
    }
}

/// Memory of a [`Pool`]; freed after the work that its stream was given.
#[derive(Debug)]
pub struct Pooled<'pool> {
    address: sys::CUdeviceptr,
    stream: Stream,
    pool: std::marker::PhantomData<&'pool Pool>,
}

impl Pooled<'_> {
    /// The device address.
    pub fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for Pooled<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated once on this stream, freed once after all that was started there. A failure cannot be reported here.
        let _ = unsafe { sys::cuMemFreeAsync(self.address, self.stream.0) };
    }
}
