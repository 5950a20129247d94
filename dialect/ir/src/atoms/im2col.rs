//! Convolutions as matmuls: the im2col matrix of an image, and the tensor map that loads tiles of it.
//!
//! An image `(C,W,H,N)` of channels, columns, rows and a batch, and a filter of `(S,R)` taps give a matrix of `M = (Q,P,N)`
//! results and `K = (C,S,R)` factors, the first of each fastest, which lies nowhere in memory:
//!
//! ```text
//! w = q * stride + s * dilation - padding            and h of p and r likewise
//! a((q,p,n),(c,s,r)) = image(c,w,h,n)                where 0 <= w < W and 0 <= h < H, else 0
//! ```
//!
//! The copy engine computes it in its im2col mode: a *bounding box* is walked pixel by pixel in steps of the stride, from `-padding`
//! to the last result's first tap, and an *offset* says which tap is read. Rows of a tile continue from one line of results to
//! the next, and from one image to the next, so that a tile may have any number of them.

use super::tensor_map::{Dimension, Im2col, STRIDE_ALIGNMENT, TensorMap};
use crate::diagnostics::{codes::Code, violation::Violation};
use layout_algebra::Layout;
use std::ops::RangeInclusive;

/// Numbers of a window in an attribute.
const NUMBERS: usize = 10;

/// Corners of a bounding box in a tensor map of four dimensions.
const CORNERS: RangeInclusive<i64> = -128..=127;

/// The greatest offset of a tap in a tensor map of four dimensions.
const MAX_OFFSET: i64 = 255;

/// The greatest step of a bounding box.
const MAX_STEP: i64 = 8;

/// Results, taps and steps of a convolution along width and height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// `(Q,P)`: results.
    pub results: [i64; 2],
    /// `(S,R)`: taps.
    pub taps: [i64; 2],
    /// From one result to the next.
    pub strides: [i64; 2],
    /// From one tap to the next.
    pub dilations: [i64; 2],
    /// Zeros in front of the image.
    pub padding: [i64; 2],
}

impl Window {
    /// The window of an attribute's numbers.
    ///
    /// # Errors
    ///
    /// Another count of them, or numbers that are too small.
    pub fn of(numbers: &[i64]) -> Result<Self, Violation> {
        let Ok([q, p, s, r, step_w, step_h, dilation_w, dilation_h, left, top]) =
            <[i64; NUMBERS]>::try_from(numbers)
        else {
            return Err(refused(format!("{NUMBERS} numbers"), numbers.len()));
        };
        let own = Self {
            results: [q, p],
            taps: [s, r],
            strides: [step_w, step_h],
            dilations: [dilation_w, dilation_h],
            padding: [left, top],
        };
        match (numbers[..8].iter().find(|&&n| n < 1), own.padding.iter().find(|&&n| n < 0)) {
            (Some(found), _) => {
                Err(refused("results, taps, strides and dilations of at least 1", found))
            }
            (_, Some(found)) => Err(refused("a padding of at least 0", found)),
            _ => Ok(own),
        }
    }

    /// The numbers as an attribute has them: results, taps, strides, dilations and padding, of each along the width first.
    pub fn numbers(&self) -> [i64; NUMBERS] {
        let Self { results: [q, p], taps: [s, r], strides, dilations, padding } = *self;
        let [[step_w, step_h], [dilation_w, dilation_h], [left, top]] =
            [strides, dilations, padding];
        [q, p, s, r, step_w, step_h, dilation_w, dilation_h, left, top]
    }

    /// The im2col matrix of an image without padding as a layout: with padding, offsets count from the first element of
    /// the padded image.
    ///
    /// # Errors
    ///
    /// An image of other than four modes, each of one stride.
    pub fn matrix(&self, image: &Layout) -> Result<Layout, Violation> {
        let [c, w, h, n] = modes(image)?;
        let Self { results: [q, p], taps: [s, r], strides, dilations, .. } = *self;
        let text = format!(
            "(({q},{p},{}),({},{s},{r})):(({},{},{}),({},{},{}))",
            n.0,
            c.0,
            w.1.saturating_mul(strides[0]),
            h.1.saturating_mul(strides[1]),
            n.1,
            c.1,
            w.1.saturating_mul(dilations[0]),
            h.1.saturating_mul(dilations[1]),
        );
        Ok(text.parse()?)
    }

    /// The tensor map that loads a box of rows and channels of the matrix.
    ///
    /// # Errors
    ///
    /// An image or a window that the copy engine does not take.
    pub fn map(
        &self,
        image: &Layout,
        element_bytes: i64,
        (rows, channels): (i64, i64),
    ) -> Result<TensorMap, Violation> {
        let all = modes(image)?;
        if all[0].1 != 1 || all[0].0 % channels != 0 {
            return Err(refused(format!("contiguous channels, a multiple of {channels}"), image));
        }
        let mut dimensions = Vec::with_capacity(all.len());
        for (mode, (extent, stride)) in all.into_iter().enumerate() {
            let stride = stride.saturating_mul(element_bytes);
            if mode > 0 && (stride < 1 || stride % STRIDE_ALIGNMENT != 0) {
                let expected = format!("strides of multiples of {STRIDE_ALIGNMENT} bytes");
                return Err(refused(expected, format!("{stride} bytes in {image}")));
            }
            let box_extent = [channels, rows, 1, 1][mode];
            dimensions.push(Dimension { mode, digit: 0, extent, stride, box_extent });
        }
        let mut upper = [0; 2];
        for along in 0..2 {
            let extent = all[1 + along].0;
            let walked = (self.results[along] - 1).saturating_mul(self.strides[along]);
            upper[along] = walked.saturating_add(1) - self.padding[along] - extent;
            let offset = (self.taps[along] - 1).saturating_mul(self.dilations[along]);
            if !CORNERS.contains(&-self.padding[along]) || !CORNERS.contains(&upper[along]) {
                let found = format!("{} and {}", self.padding[along], upper[along]);
                return Err(refused("a padding and a rest of at most 127", found));
            }
            if offset > MAX_OFFSET || self.strides[along] > MAX_STEP {
                let expected =
                    format!("taps within {MAX_OFFSET} and strides of at most {MAX_STEP}");
                return Err(refused(expected, format!("{offset} and {}", self.strides[along])));
            }
        }
        let im2col = Im2col { lower: self.padding.map(|zeros| -zeros), upper, steps: self.strides };
        Ok(TensorMap { dimensions, swizzle: 0, im2col: Some(im2col) })
    }
}

/// Extents and strides of an image's modes.
fn modes(image: &Layout) -> Result<[(i64, i64); 4], Violation> {
    let modes: Option<Vec<(i64, i64)>> = image
        .modes()
        .iter()
        .map(|mode| match mode.flat().as_slice() {
            &[leaf] => Some(leaf),
            _ => None,
        })
        .collect();
    modes
        .and_then(|modes| modes.try_into().ok())
        .ok_or_else(|| refused("an image of four modes (C,W,H,N), each of one stride", image))
}

fn refused(expected: impl Into<String>, found: impl ToString) -> Violation {
    Violation::new(Code::Im2col, expected, found)
}

#[cfg(test)]
#[path = "../../tests/units/atoms/im2col.rs"]
mod tests;
