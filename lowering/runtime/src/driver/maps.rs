//! Tensor maps: the copy engine's descriptors of matrices.

use std::ffi::c_void;

use cudarc::driver::sys;

use super::describe;
use crate::manifest::{Element, Im2col, Kernel, TensorMap};
use crate::{Error, Result};

/// A kernel's tensor maps, as the copy engine reads them.
#[derive(Debug, Default)]
pub struct EncodedMaps(Vec<sys::CUtensorMap>);

impl EncodedMaps {
    /// All of them, in order.
    pub(crate) fn all(&self) -> &[sys::CUtensorMap] {
        &self.0
    }

    /// Encodes a kernel's maps for the pointers that it will be started with.
    ///
    /// # Errors
    ///
    /// As [`Kernel::check_tensor_maps`]; [`Error::Driver`] for a map that the driver refuses.
    pub fn new(kernel: &Kernel, pointers: &[u64]) -> Result<Self> {
        kernel.check_tensor_maps(pointers)?;
        let maps =
            kernel.tensor_maps.iter().map(|map| encode(map, pointers)).collect::<Result<_>>()?;
        Ok(EncodedMaps(maps))
    }
}

fn encode(map: &TensorMap, pointers: &[u64]) -> Result<sys::CUtensorMap> {
    use sys::{
        CUtensorMapDataType as Type, CUtensorMapFloatOOBfill as Fill,
        CUtensorMapInterleave as Interleave, CUtensorMapL2promotion as Promotion,
        CUtensorMapSwizzle as Swizzle,
    };
    let element = match map.element {
        Element::E4m3 | Element::E5m2 | Element::I8 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        Element::I16 => Type::CU_TENSOR_MAP_DATA_TYPE_UINT16,
        Element::I32 => Type::CU_TENSOR_MAP_DATA_TYPE_INT32,
        Element::I64 => Type::CU_TENSOR_MAP_DATA_TYPE_INT64,
        Element::Tf32 => Type::CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
        Element::F16 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        Element::Bf16 => Type::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        Element::F32 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        Element::F64 => Type::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
    };
    let swizzle = match map.swizzle {
        128 => Swizzle::CU_TENSOR_MAP_SWIZZLE_128B,
        64 => Swizzle::CU_TENSOR_MAP_SWIZZLE_64B,
        32 => Swizzle::CU_TENSOR_MAP_SWIZZLE_32B,
        _ => Swizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
    };
    // Where rows start anywhere in 256 bytes, a box's row would bring twice the lines it needs.
    let promotion = if map.strides.iter().skip(1).all(|stride| stride % 256 == 0) {
        Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_256B
    } else {
        Promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B
    };
    let address = pointers.get(map.arg).copied().unwrap_or(0);
    let mut steps = vec![1_u32; map.extents.len()];
    let mut encoded = sys::CUtensorMap { opaque: [0; 16] };
    let (rank, address) = (map.extents.len() as u32, address as *mut c_void);
    let (interleave, fill) =
        (Interleave::CU_TENSOR_MAP_INTERLEAVE_NONE, Fill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    let (call, result) = match map.im2col {
        // SAFETY: the lists are live and as long as the rank says (one stride less is read); the driver
        // checks all else.
        None => ("cuTensorMapEncodeTiled", unsafe {
            sys::cuTensorMapEncodeTiled(
                &mut encoded,
                element,
                rank,
                address,
                map.extents.as_ptr(),
                map.strides.as_ptr().add(1),
                map.box_extents.as_ptr(),
                steps.as_ptr(),
                interleave,
                swizzle,
                promotion,
                fill,
            )
        }),
        Some(Im2col { lower, upper, steps: walked }) => {
            // Width and height are between channels and the batch.
            steps.iter_mut().skip(1).zip(walked).for_each(|(step, walked)| *step = walked);
            // SAFETY: as above; an image has four dimensions, of which two have corners, as was checked.
            let result = unsafe {
                sys::cuTensorMapEncodeIm2col(
                    &mut encoded,
                    element,
                    rank,
                    address,
                    map.extents.as_ptr(),
                    map.strides.as_ptr().add(1),
                    lower.as_ptr(),
                    upper.as_ptr(),
                    map.box_extents[0],
                    map.box_extents[1],
                    steps.as_ptr(),
                    interleave,
                    swizzle,
                    promotion,
                    fill,
                )
            };
            ("cuTensorMapEncodeIm2col", result)
        }
    };
    result.result().map_err(|error| Error::Driver {
        call,
        reason: format!(
            "expected a tensor map that the driver accepts, found {map:?}: {}",
            describe(&error)
        ),
    })?;
    Ok(encoded)
}
