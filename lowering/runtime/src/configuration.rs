//! The configuration of a launch: blocks, threads, clusters and dynamic shared memory, and the attributes that the driver takes.

use crate::manifest::Kernel;
use cudarc::driver::{result, sys};

/// The blocks of a launch, and the memory of each.
#[derive(Clone, Copy)]
pub(crate) struct Configuration {
    /// Blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Threads of each along x, y and z.
    pub(crate) block: [u32; 3],
    /// Bytes of its dynamic shared memory.
    pub(crate) shared: u32,
    /// Blocks of a cluster along x, y and z.
    pub(crate) cluster: [u32; 3],
}

impl Configuration {
    pub(crate) fn of(kernel: &Kernel) -> Self {
        let Kernel { grid, block, shared_bytes: shared, cluster, .. } = *kernel;
        Self { grid, block, shared, cluster: [cluster.max(1), 1, 1] }
    }

    /// The attribute of a launch in clusters.
    pub(crate) const fn clusters(self) -> sys::CUlaunchAttribute {
        let mut clusters =
            attribute(sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
        let [x, y, z] = self.cluster;
        clusters.value.clusterDim = sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z };
        clusters
    }

    /// A launch on the default stream; it points to the attributes.
    pub(crate) fn with(self, attributes: &mut [sys::CUlaunchAttribute]) -> sys::CUlaunchConfig {
        let Self { grid, block, shared, .. } = self;
        sys::CUlaunchConfig {
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: shared,
            hStream: result::stream::null(),
            numAttrs: u32::try_from(attributes.len()).unwrap_or(0),
            attrs: attributes.as_mut_ptr(),
        }
    }
}

/// An attribute of a launch, without its value.
pub(crate) const fn attribute(id: sys::CUlaunchAttributeID) -> sys::CUlaunchAttribute {
    sys::CUlaunchAttribute { id, pad: [0; 4], value: sys::CUlaunchAttributeValue { pad: [0; 64] } }
}
