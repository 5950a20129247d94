//! Convolutions as GEMMs: A as the im2col matrix of an image, which lies nowhere in memory.

use serde::{Deserialize, Serialize};

/// Most elements of an im2col matrix.
const MAX_ELEMENTS: i64 = 1 << 29;

/// The window of a convolution over an image `(C,W,H,N)` of channels, columns, rows and a batch; each pair is along the width first.
///
/// The matrix has rows `(Q,P,N)` and columns `(C,S,R)`, the first of each fastest:
///
/// ```text
/// w = q * stride + s * dilation - padding            and h of p and r likewise
/// a((q,p,n),(c,s,r)) = image(c,w,h,n)                where 0 <= w < W and 0 <= h < H, else 0
/// ```
///
/// ```
/// use layout_runtime::window::Window;
///
/// let window =
///     Window { results: [3, 1], taps: [2, 1], strides: [1, 1], dilations: [1, 1], padding: [1, 0] };
/// // An image of one channel, two columns and one row.
/// let matrix = window.matrix([1, 2, 1, 1], |[_, w, _, _]| [5.0, 7.0][w])?;
/// assert_eq!(matrix, [0.0, 5.0, 5.0, 7.0, 7.0, 0.0]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Rows and columns of the matrix of an image.
    ///
    /// # Errors
    ///
    /// More than 2^29 elements: what was expected and found.
    pub fn extents(&self, [c, _, _, n]: [usize; 4]) -> Result<[i64; 2], String> {
        let [c, n] = [c, n].map(|extent| i64::try_from(extent).unwrap_or(i64::MAX));
        let product = |all: [i64; 3]| all.into_iter().try_fold(1_i64, i64::checked_mul);
        let [[q, p], [s, r]] = [self.results, self.taps];
        let extents = product([q, p, n]).zip(product([c, s, r]));
        let is_small = |&(rows, columns): &(i64, i64)| {
            let elements = rows.checked_mul(columns);
            elements.is_some_and(|elements| elements <= MAX_ELEMENTS)
        };
        let (rows, columns) = extents.filter(is_small).ok_or_else(|| {
            format!("expected an im2col matrix of at most 2^29 elements, found ({q},{p},{n}) by ({c},{s},{r})")
        })?;
        Ok([rows, columns])
    }

    /// The matrix of an image of these extents, row by row; `image` has the element of a channel, a column, a row and a number.
    ///
    /// # Errors
    ///
    /// Those of [`Self::extents`].
    pub fn matrix(
        &self,
        extents: [usize; 4],
        image: impl Fn([usize; 4]) -> f64,
    ) -> Result<Vec<f64>, String> {
        self.extents(extents)?;
        let [channels, width, height, images] = extents;
        let place = |result: i64, tap: i64, along: usize, extent: usize| {
            let walked = i128::from(result) * i128::from(self.strides[along]);
            let offset = i128::from(tap) * i128::from(self.dilations[along]);
            let place = walked + offset - i128::from(self.padding[along]);
            usize::try_from(place).ok().filter(|&place| place < extent)
        };
        let mut matrix = Vec::new();
        for n in 0..images {
            for p in 0..self.results[1] {
                for q in 0..self.results[0] {
                    for r in 0..self.taps[1] {
                        for s in 0..self.taps[0] {
                            let own = place(q, s, 0, width).zip(place(p, r, 1, height));
                            let element = |c| own.map_or(0.0, |(w, h)| image([c, w, h, n]));
                            matrix.extend((0..channels).map(element));
                        }
                    }
                }
            }
        }
        Ok(matrix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window {
        results: [2, 2],
        taps: [2, 2],
        strides: [2, 1],
        dilations: [1, 2],
        padding: [1, 0],
    };

    #[test]
    fn taps_are_dilated_and_results_stride() {
        let extents = [2, 3, 4, 2];
        assert_eq!(WINDOW.extents(extents), Ok([8, 8]));
        let name = |[c, w, h, n]: [usize; 4]| (1000 * n + 100 * h + 10 * w + c) as f64;
        let matrix = WINDOW.matrix(extents, name).unwrap();
        // The first result is beside the image; the second of the second row of the second image is within it.
        assert_eq!(matrix[..8], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 200.0, 201.0]);
        let last = [1110.0, 1111.0, 1120.0, 1121.0, 1310.0, 1311.0, 1320.0, 1321.0];
        assert_eq!(matrix[56..], last);
    }

    #[test]
    fn large_matrices_are_refused() {
        for results in [[1 << 20, 1 << 20], [i64::MAX, 2]] {
            let error = Window { results, ..WINDOW }.extents([64, 1, 1, 1]).unwrap_err();
            assert!(
                error.starts_with("expected an im2col matrix of at most 2^29 elements"),
                "{error}"
            );
        }
    }
}
