//! Prepares a launch for host code that launches by itself: blocks and tensor maps of a kernel, from its manifest.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::driver::{EncodedMaps, Gpu};
use crate::instances::Instances;
use crate::manifest::AnyKernel;
use crate::{Error, Result};

/// The name of a global beside a kernel that waits for its predecessors itself, up to the kernel's name: a binary says so by it to host code,
/// which has no manifest.
pub const WAITING_PREFIX: &str = "layout_waits_";

/// Kernels by the text of their facts, read once.
static READ: Mutex<BTreeMap<String, Arc<Instances>>> = Mutex::new(BTreeMap::new());

/// Blocks and tensor maps of a launch.
#[derive(Debug)]
pub struct LaunchState {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// The kernel's tensor maps.
    pub maps: EncodedMaps,
}

/// A kernel, as the manifest has one, from its text.
fn read(text: &str) -> Result<Arc<Instances>> {
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = all.get(text) {
        return Ok(Arc::clone(found));
    }
    let kernel: AnyKernel =
        serde_json::from_str(text).map_err(|error| Error::Manifest(error.to_string()))?;
    let instances = Arc::new(match kernel {
        AnyKernel::Kernel(kernel) => Instances::of_kernel(*kernel)?,
        AnyKernel::Template(template) => Instances::of_template(*template),
    });
    all.insert(text.to_owned(), Arc::clone(&instances));
    Ok(instances)
}

/// Prepares a launch on a device: `pointers` are those of arguments, then of workspaces.
///
/// # Errors
///
/// A text that is no kernel; pointers and sizes that it does not take; what the driver refuses.
pub fn prepare(gpu: &Gpu, kernel: &str, pointers: &[u64], sizes: &[i64]) -> Result<LaunchState> {
    let instance = read(kernel)?.at(sizes)?;
    let kernel = instance.kernel();
    let (arguments, workspaces) = (kernel.args.len(), kernel.workspaces.len());
    if pointers.len() == arguments + workspaces {
        instance.check_pointers(&pointers[..arguments])?;
    } else {
        return Err(Error::Launch(format!(
            "kernel {}: expected {arguments} pointers of arguments and {workspaces} of workspaces, found {}",
            kernel.name,
            pointers.len()
        )));
    }
    let mut grid = kernel.grid;
    grid[0] = kernel.blocks_along_x(gpu.multiprocessors, None);
    Ok(LaunchState { grid, maps: gpu.within(|| EncodedMaps::new(kernel, pointers))? })
}
