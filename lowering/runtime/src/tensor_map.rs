//! The conditions of `cuTensorMapEncodeTiled` and `cuTensorMapEncodeIm2col`, whose own error only says that a value is invalid.
//!
//! A launch on a GPU checks them before it calls the driver, a run on the CPU instead of that.

use crate::manifest::{Argument, Im2col, Kernel, TensorMap};
use crate::{Error, Result};

/// The alignment of the matrix, of its strides and of the rows of a box, in bytes.
const ALIGNMENT: u64 = 16;

/// Most dimensions of a map.
const MAX_RANK: usize = 5;

/// Most elements of a box along one dimension.
const MAX_BOX_EXTENT: u32 = 256;

/// Dimensions of an image: channels, width, height and a batch.
const IM2COL_DIMENSIONS: usize = 4;

/// Corners of a bounding box of an image.
const CORNERS: std::ops::RangeInclusive<i32> = -128..=127;

/// The greatest step of a bounding box.
const MAX_STEP: u32 = 8;

/// The greatest extent of a dimension.
const MAX_EXTENT: u64 = 1 << 32;

/// The bound of strides in bytes.
const STRIDE_LIMIT: u64 = 1 << 40;

impl Kernel {
    /// Checks that each tensor map is of an argument, or of a workspace after them, and describes what the copy engine
    /// takes, of memory at these addresses.
    ///
    /// # Errors
    ///
    /// The first map that the driver would refuse: its argument, what was expected and what was found.
    pub fn check_tensor_maps(&self, addresses: &[u64]) -> Result<()> {
        let pointers: Vec<&Argument> = self.args.iter().chain(&self.workspaces).collect();
        for (i, map) in self.tensor_maps.iter().enumerate() {
            let wrong = |of: &str, expected: String, found: String| {
                Error::Manifest(format!(
                    "kernel {}, tensor map {i}{of}: expected {expected}, found {found}",
                    self.name
                ))
            };
            let Some(argument) = pointers.get(map.arg) else {
                let expected = format!("an argument below {}", pointers.len());
                return Err(wrong("", expected, map.arg.to_string()));
            };
            let address = addresses.get(map.arg).copied().unwrap_or(0);
            if let Err((expected, found)) = map.check(address) {
                return Err(wrong(&format!(" of {}", argument.name), expected, found));
            }
        }
        Ok(())
    }
}

impl TensorMap {
    /// The expectation and the finding where the driver would not encode it for a matrix at this address.
    fn check(&self, address: u64) -> std::result::Result<(), (String, String)> {
        let differs = |expected: String, found: String| Err((expected, found));
        let rank = self.extents.len();
        let lengths = [rank, self.strides.len(), self.box_extents.len()];
        if !(1..=MAX_RANK).contains(&rank) || lengths != [rank; 3] {
            return differs(
                format!("1 to {MAX_RANK} extents and as many strides and box extents"),
                format!("{} and {} and {}", lengths[0], lengths[1], lengths[2]),
            );
        }
        if ![0, 32, 64, 128].contains(&self.swizzle) {
            let expected = "a swizzle of 0, 32, 64 or 128 bytes".to_owned();
            return differs(expected, self.swizzle.to_string());
        }
        if !address.is_multiple_of(ALIGNMENT) {
            let found =
                format!("an address {} bytes past a multiple of {ALIGNMENT}", address % ALIGNMENT);
            return differs(format!("an address that is a multiple of {ALIGNMENT} bytes"), found);
        }
        let bytes = self.element.bytes() as u64;
        if self.strides[0] != bytes {
            let expected = format!("neighbours along dimension 0, {bytes} bytes apart");
            return differs(expected, format!("{} bytes", self.strides[0]));
        }
        for (at, &extent) in self.extents.iter().enumerate() {
            if !(1..=MAX_EXTENT).contains(&extent) {
                let expected = format!("1 to 2^32 elements along dimension {at}");
                return differs(expected, extent.to_string());
            }
        }
        for (at, &stride) in self.strides.iter().enumerate().skip(1) {
            if !stride.is_multiple_of(ALIGNMENT) || stride >= STRIDE_LIMIT {
                let expected = format!(
                    "a stride of a multiple of {ALIGNMENT} bytes below 2^40 along dimension {at}"
                );
                return differs(expected, stride.to_string());
            }
        }
        for (at, &extent) in self.box_extents.iter().enumerate() {
            if !(1..=MAX_BOX_EXTENT).contains(&extent) {
                let expected =
                    format!("a box of 1 to {MAX_BOX_EXTENT} elements along dimension {at}");
                return differs(expected, extent.to_string());
            }
        }
        let row = u64::from(self.box_extents[0]) * bytes;
        if !row.is_multiple_of(ALIGNMENT) {
            let expected = format!("rows of a box that are a multiple of {ALIGNMENT} bytes");
            return differs(expected, format!("{row} bytes"));
        }
        if self.swizzle != 0 && row > u64::from(self.swizzle) {
            let expected = format!("rows of a box that fit its swizzle of {} bytes", self.swizzle);
            return differs(expected, format!("{row} bytes"));
        }
        if let Some(Im2col { lower, upper, steps }) = self.im2col {
            if rank != IM2COL_DIMENSIONS {
                let expected = format!("{IM2COL_DIMENSIONS} dimensions of an image");
                return differs(expected, rank.to_string());
            }
            if let Some(corner) =
                lower.iter().chain(&upper).find(|&corner| !CORNERS.contains(corner))
            {
                let expected = "corners of a bounding box from -128 to 127".to_owned();
                return differs(expected, corner.to_string());
            }
            if let Some(step) = steps.iter().find(|&step| !(1..=MAX_STEP).contains(step)) {
                let expected = format!("steps of a bounding box from 1 to {MAX_STEP}");
                return differs(expected, step.to_string());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Access, Element};

    fn kernel(map: TensorMap) -> Kernel {
        let argument = |name: &str| Argument {
            name: name.into(),
            element: Element::F16,
            shape: "(64,64)".into(),
            stride: "(64,1)".into(),
            access: Access::Read,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        };
        Kernel {
            name: "gemm".into(),
            chip: "sm_90a".into(),
            grid: [1, 1, 1],
            grid_limit: None,
            dependent_launch: false,
            waits: false,
            scalars: Vec::new(),
            reference: None,
            unordered: false,
            bytes: None,
            flops: None,
            cluster: 1,
            block: [128, 1, 1],
            shared_bytes: 0,
            args: vec![argument("a"), argument("b")],
            workspaces: vec![argument("a_copy")],
            before: Vec::new(),
            after: Vec::new(),
            tensor_maps: vec![map],
            problem: None,
        }
    }

    fn map() -> TensorMap {
        TensorMap {
            arg: 1,
            element: Element::F16,
            extents: vec![64, 64],
            strides: vec![2, 128],
            box_extents: vec![64, 64],
            swizzle: 128,
            im2col: None,
        }
    }

    /// Tiles of 128 pixels of an image, with a 3x3 filter and a padding of 1.
    fn image(im2col: Im2col) -> TensorMap {
        TensorMap {
            arg: 1,
            extents: vec![64, 56, 56, 8],
            strides: vec![2, 128, 7168, 401_408],
            box_extents: vec![64, 128, 1, 1],
            im2col: Some(im2col),
            ..map()
        }
    }

    const SAME: Im2col = Im2col { lower: [-1, -1], upper: [-1, -1], steps: [1, 1] };

    #[test]
    fn maps_that_the_driver_encodes_are_taken() {
        for map in [
            map(),
            TensorMap { arg: 2, ..map() },
            TensorMap { swizzle: 0, box_extents: vec![256, 256], ..map() },
            TensorMap { extents: vec![1 << 32, 1], strides: vec![2, (1 << 40) - 16], ..map() },
            image(SAME),
            image(Im2col { lower: [-128, 0], upper: [127, 0], steps: [8, 1] }),
        ] {
            kernel(map).check_tensor_maps(&[0, 4096, 16]).unwrap();
        }
    }

    #[test]
    fn driver_limits_are_errors() {
        let error =
            |map: TensorMap| kernel(map).check_tensor_maps(&[0, 4096, 0]).unwrap_err().to_string();
        for (map, message) in [
            (TensorMap { arg: 3, ..map() }, ": expected an argument below 3, found 3"),
            (
                TensorMap { strides: vec![2], ..map() },
                " of b: expected 1 to 5 extents and as many strides and box extents, found 2 and 1 and 2",
            ),
            (
                TensorMap { swizzle: 48, ..map() },
                " of b: expected a swizzle of 0, 32, 64 or 128 bytes, found 48",
            ),
            (
                TensorMap { strides: vec![4, 128], ..map() },
                " of b: expected neighbours along dimension 0, 2 bytes apart, found 4 bytes",
            ),
            (
                TensorMap { extents: vec![64, 0], ..map() },
                " of b: expected 1 to 2^32 elements along dimension 1, found 0",
            ),
            (
                TensorMap { strides: vec![2, 130], ..map() },
                " of b: expected a stride of a multiple of 16 bytes below 2^40 along dimension 1, found 130",
            ),
            (
                TensorMap { strides: vec![2, 1 << 40], ..map() },
                " of b: expected a stride of a multiple of 16 bytes below 2^40 along dimension 1, found 1099511627776",
            ),
            (
                TensorMap { box_extents: vec![64, 257], ..map() },
                " of b: expected a box of 1 to 256 elements along dimension 1, found 257",
            ),
            (
                TensorMap { box_extents: vec![12, 64], swizzle: 0, ..map() },
                " of b: expected rows of a box that are a multiple of 16 bytes, found 24 bytes",
            ),
            (
                TensorMap { box_extents: vec![64, 64], swizzle: 64, ..map() },
                " of b: expected rows of a box that fit its swizzle of 64 bytes, found 128 bytes",
            ),
            (
                TensorMap { im2col: Some(SAME), ..map() },
                " of b: expected 4 dimensions of an image, found 2",
            ),
            (
                image(Im2col { upper: [0, -129], ..SAME }),
                " of b: expected corners of a bounding box from -128 to 127, found -129",
            ),
            (
                image(Im2col { steps: [1, 9], ..SAME }),
                " of b: expected steps of a bounding box from 1 to 8, found 9",
            ),
        ] {
            assert_eq!(error(map), format!("manifest: kernel gemm, tensor map 0{message}"));
        }
        assert_eq!(
            kernel(map()).check_tensor_maps(&[0, 4104, 0]).unwrap_err().to_string(),
            "manifest: kernel gemm, tensor map 0 of b: expected an address that is a multiple of 16 bytes, found an \
             address 8 bytes past a multiple of 16"
        );
    }
}
