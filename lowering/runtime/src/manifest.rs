//! The manifest: what a launch needs to know about a kernel, written beside its PTX as JSON.
//!
//! ```
//! use layout_runtime::manifest::{Element, Manifest};
//!
//! let manifest: Manifest = Manifest::parse(r#"{"version": 1, "kernels": [{
//!     "name": "gemm", "chip": "sm_80", "grid": [32, 32, 1], "block": [128, 1, 1], "shared_bytes": 49152,
//!     "args": [
//!         {"name": "a", "element": "bf16", "shape": "(4096,512)", "stride": "(512,1)", "access": "read"},
//!         {"name": "b", "element": "bf16", "shape": "(4096,512)", "stride": "(512,1)", "access": "read"},
//!         {"name": "c", "element": "f32", "shape": "(4096,4096)", "stride": "(4096,1)", "access": "write"}],
//!     "problem": {"kind": "matmul", "m": 4096, "n": 4096, "k": 512}}]}"#)?;
//! assert_eq!(manifest.kernels[0].args[0].element, Element::Bf16);
//! assert_eq!(manifest.kernels[0].args[0].matrix()?.strides, [512, 1]);
//! # Ok::<(), layout_runtime::Error>(())
//! ```
//!
//! Kernels that take sizes at run time are [`Template`]s; a [`Family`] is a name for several of them. A [`Program`] launches
//! several, in order.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use crate::document::{AnyKernel, Manifest};
use crate::epilogue::Epilogue;
pub use crate::family::{Family, Variant};
pub use crate::gemm::Gemm;
pub use crate::matrix::Matrix;
pub use crate::program::Program;
pub use crate::scalar::{Number, Referenced, Scalar};
pub use crate::template::{Integer, Size, Template};
use crate::window::Window;
use crate::{Error, Result};

/// The version of the format that this crate reads and writes.
pub const VERSION: u32 = 1;

/// One kernel and how it is launched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The PTX entry's name.
    pub name: String,
    /// The chip that it was compiled for, such as `sm_80`.
    pub chip: String,
    /// Blocks in x, y, z; all 0 if the manifest has no grid, which the caller of a launch then gives.
    #[serde(default, skip_serializing_if = "is_left_open")]
    pub grid: [u32; 3],
    /// The bound of the blocks in x: the kernel's blocks loop, so that any number of them is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid_limit: Option<GridLimit>,
    /// Neighbours in x that run together, as a cluster: the blocks in x are a multiple of it.
    #[serde(default = "alone", skip_serializing_if = "is_alone")]
    pub cluster: u32,
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// The pointers that the kernel takes, in order.
    pub args: Vec<Argument>,
    /// The numbers that it takes by value, each in front of one of the pointers or after the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scalars: Vec<Scalar>,
    /// Memory that it takes after the pointers, as matrices of undefined contents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<Argument>,
    /// Kernels of the same PTX that are launched before it, in order, with the same pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Step>,
    /// Kernels of the same PTX that are launched after it, as those before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<Step>,
    /// Whether each but the first of these kernels, in their order, waits for the one before it by itself: it may be
    /// launched while that one still runs (CUDA's programmatic dependent launch), and may be launched after it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dependent_launch: bool,
    /// Whether each of these kernels waits by itself for all that was launched before it: a program launches the first while the
    /// kernel before it still runs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub waits: bool,
    /// The tensor maps that it takes after all pointers, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tensor_maps: Vec<TensorMap>,
    /// The problem that it computes, if the runtime supports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<Problem>,
    /// The function that it is compared with, when its source names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Referenced>,
    /// Whether it adds floats atomically, so that two runs may give different bits.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unordered: bool,
    /// Bytes that it has to read and write, where they are not those of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Operations on floats, where they are the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<u64>,
}

fn is_left_open(grid: &[u32; 3]) -> bool {
    *grid == [0; 3]
}

const fn alone() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde requires")]
const fn is_false(value: &bool) -> bool {
    !*value
}

fn is_alone(cluster: &u32) -> bool {
    *cluster == alone()
}

/// A kernel that prepares another one's workspaces, or reads them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The PTX entry's name.
    pub name: String,
    /// Blocks in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
}

/// The bound of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GridLimit {
    /// The device's multiprocessors, one block on each.
    Multiprocessors,
}

/// How the copy engine sees an argument: the operands of `cuTensorMapEncodeTiled`. The first of each
/// list is the contiguous dimension's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorMap {
    /// The number of the pointer: of an argument, or of a workspace after them.
    pub arg: usize,
    /// The element type.
    pub element: Element,
    /// Elements along each dimension.
    pub extents: Vec<u64>,
    /// Bytes between neighbours along each dimension.
    pub strides: Vec<u64>,
    /// Elements of a box along each dimension.
    #[serde(rename = "box")]
    pub box_extents: Vec<u32>,
    /// Bytes of a swizzled row of the box: 0, 32, 64 or 128.
    pub swizzle: u32,
    /// The bounding box of a map in im2col mode, whose boxes are channels and pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub im2col: Option<Im2col>,
}

/// The bounding box that a map in im2col mode walks, each pair along the width first: operands of `cuTensorMapEncodeIm2col`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Im2col {
    /// The first pixel, from the image's first.
    pub lower: [i32; 2],
    /// The last pixel, from the image's last.
    pub upper: [i32; 2],
    /// From one pixel to the next.
    pub steps: [u32; 2],
}

/// One pointer argument, and the layout of its memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// Its name in the source.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// The layout's shape as text, such as `(4096,512)`.
    pub shape: String,
    /// The layout's stride as text, in elements, such as `(512,1)`.
    pub stride: String,
    /// Whether the kernel reads it, writes it, or both.
    pub access: Access,
    /// Bytes that its address is a multiple of, where those are fewer than 16.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alignment: Option<usize>,
    /// The integers that the kernel takes right after the pointer, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<Integer>,
    /// The least and the greatest of its elements, where the kernel is for such alone: integers that index other arguments,
    /// or count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<[i64; 2]>,
    /// The first and the last of its elements, where the kernel is for integers that ascend alone, as cumulative lengths do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ascending: Option<[i64; 2]>,
}

impl Argument {
    /// Bytes from a place that is as aligned as memory can be to one that is a multiple of `alignment` and of no
    /// more: where the matrix starts in memory that a kernel is tried on.
    pub fn start(&self) -> usize {
        self.alignment.unwrap_or(0)
    }

    /// Bytes that a launch's pointer is a multiple of.
    pub fn pointer_alignment(&self) -> usize {
        self.alignment.unwrap_or(16).max(1)
    }

    /// Bytes of it as a workspace: those of its elements, and what the last 16 bytes that one of them is in have past it.
    ///
    /// # Errors
    ///
    /// A layout that is no matrix.
    pub fn workspace_bytes(&self) -> Result<usize> {
        const STRIDE_ALIGNMENT: usize = 16;
        let bytes = self.matrix()?.span() * self.element.bytes();
        Ok(bytes.div_ceil(STRIDE_ALIGNMENT) * STRIDE_ALIGNMENT)
    }
}

/// Element types that the runtime can fill and compare, by MLIR's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 4 bits of exponent and 3 of mantissa, without infinities.
    #[serde(rename = "f8E4M3FN")]
    E4m3,
    /// 5 bits of exponent and 2 of mantissa: the upper half of a binary16.
    #[serde(rename = "f8E5M2")]
    E5m2,
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE binary32 with 10 bits of mantissa: what a tensor map makes of binary32.
    Tf32,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// A signed byte.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
}

/// The precision of a GEMM that is less exact than exact operands with f32 or integer accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// Operands of f32 are rounded to tf32.
    Tf32,
    /// Accumulators have fewer bits than f32: those of f16, or those of tensor cores for 8-bit floats.
    NarrowAccumulator,
    /// Narrow accumulators are short ones, which are promoted to f32.
    TwoLevelAccumulation,
}

/// The access of a kernel to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Reads it.
    Read,
    /// Writes every element of it.
    Write,
    /// Reads and writes it: adds to what is there.
    ReadWrite,
}

/// The problem that a kernel computes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Problem {
    /// `C(i,j) = sum over l of A(i,l) * B(j,l)`, or what the epilogue makes of it; A is (m,k), B is
    /// (n,k), C is (m,n). In a batch each has one more mode, which counts the matrices.
    Matmul {
        /// Rows of A and C.
        m: i64,
        /// Rows of B, columns of C.
        n: i64,
        /// Columns of A and B.
        k: i64,
        /// The number of GEMMs of a batch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        batch: Option<i64>,
        /// The rounding on the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        precision: Option<Precision>,
        /// The epilogue of each accumulator, with elements of other arguments of shape (m,n).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epilogue: Option<Epilogue>,
        /// The window of a convolution: A is the im2col matrix of the argument, an image.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window: Option<Window>,
    },
    /// Several such GEMMs, each with arguments of its own.
    Grouped {
        /// The GEMMs.
        problems: Vec<GemmProblem>,
        /// The rounding on the way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        precision: Option<Precision>,
    },
}

/// One of several problems of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GemmProblem {
    /// Rows of A and C.
    pub m: i64,
    /// Rows of B, columns of C.
    pub n: i64,
    /// Columns of A and B.
    pub k: i64,
    /// The number of GEMMs of a batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<i64>,
    /// The numbers of the arguments that are A, B and C.
    pub args: [usize; 3],
    /// The epilogue of each accumulator, with elements of other arguments of shape (m,n).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epilogue: Option<Epilogue>,
    /// The window of a convolution: A is the im2col matrix of the argument, an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// Reads a text file.
///
/// # Errors
///
/// [`Error::Read`], which names the file.
pub fn read_text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })
}

impl Element {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::E4m3,
        Self::E5m2,
        Self::F16,
        Self::Bf16,
        Self::Tf32,
        Self::F32,
        Self::F64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
    ];

    /// Whether it holds integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether it has 8 bits: such results are rounded so much that their error says little about the accumulators.
    pub const fn is_byte(self) -> bool {
        self.bytes() == 1
    }

    /// Size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Element::E4m3 | Element::E5m2 | Element::I8 => 1,
            Element::F16 | Element::Bf16 | Element::I16 => 2,
            Element::Tf32 | Element::F32 | Element::I32 => 4,
            Element::F64 | Element::I64 => 8,
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::E4m3 => "f8E4M3FN",
            Element::E5m2 => "f8E5M2",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::Tf32 => "tf32",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
        })
    }
}

impl Kernel {
    /// Whether its grid was left open though nothing else determines it: that of a matmul.
    pub(crate) fn lacks_grid(&self) -> bool {
        self.grid == [0; 3] && self.problem.is_some()
    }

    /// Blocks in x on a device with this number of multiprocessors, which runs this number of clusters at once.
    pub fn blocks_along_x(&self, multiprocessors: u32, clusters: Option<u32>) -> u32 {
        if self.grid_limit != Some(GridLimit::Multiprocessors) {
            return self.grid[0];
        }
        let cluster = self.cluster.max(1);
        let clusters = clusters.unwrap_or(multiprocessors / cluster).max(1);
        self.grid[0].min(clusters.saturating_mul(cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(shape: &str, stride: &str, access: Access) -> Argument {
        Argument {
            name: "a".into(),
            element: Element::F16,
            shape: shape.into(),
            stride: stride.into(),
            access,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        }
    }

    fn kernel() -> Kernel {
        Kernel {
            name: "gemm".into(),
            chip: "sm_80".into(),
            grid: [1, 1, 1],
            grid_limit: None,
            dependent_launch: false,
            waits: false,
            cluster: 1,
            block: [128, 1, 1],
            shared_bytes: 0,
            args: vec![
                argument("(7,31)", "(31,1)", Access::Read),
                argument("(13,31)", "(1,13)", Access::Read),
                argument("(7,13)", "(13,1)", Access::Write),
            ],
            scalars: Vec::new(),
            workspaces: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            tensor_maps: Vec::new(),
            problem: Some(Problem::Matmul {
                m: 7,
                n: 13,
                k: 31,
                batch: None,
                precision: None,
                epilogue: None,
                window: None,
            }),
            reference: None,
            unordered: false,
            bytes: None,
            flops: None,
        }
    }

    #[test]
    fn json_round_trips() {
        let manifest = Manifest::of(vec![kernel()]);
        let text = serde_json::to_string(&manifest).unwrap();
        assert!(text.contains(r#""problem":{"kind":"matmul","m":7,"n":13,"k":31}"#), "{text}");
        assert!(text.contains(r#""element":"f16""#), "{text}");
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    }

    #[test]
    fn tensor_maps_and_limits_round_trip() {
        let mut kernel = kernel();
        kernel.grid_limit = Some(GridLimit::Multiprocessors);
        kernel.tensor_maps.push(TensorMap {
            arg: 1,
            element: Element::Bf16,
            extents: vec![512, 4096],
            strides: vec![2, 1024],
            box_extents: vec![64, 128],
            swizzle: 128,
            im2col: None,
        });
        kernel.tensor_maps.push(TensorMap {
            arg: 0,
            element: Element::Bf16,
            extents: vec![64, 56, 56, 8],
            strides: vec![2, 128, 7168, 401_408],
            box_extents: vec![64, 128, 1, 1],
            swizzle: 128,
            im2col: Some(Im2col { lower: [-1, -1], upper: [-1, 0], steps: [1, 2] }),
        });
        kernel.workspaces.push(argument("(13,31)", "(32,1)", Access::Write));
        kernel.before.push(Step { name: "copy".into(), grid: [2, 1, 1], block: [256, 1, 1] });
        kernel.after.push(Step { name: "sum".into(), grid: [1, 1, 1], block: [256, 1, 1] });
        kernel.cluster = 2;
        kernel.dependent_launch = true;
        kernel.waits = true;
        let manifest = Manifest::of(vec![kernel]);
        let text = serde_json::to_string(&manifest).unwrap();
        assert!(text.contains(r#""grid_limit":"multiprocessors""#), "{text}");
        assert!(text.contains(r#""strides":[2,1024],"box":[64,128],"swizzle":128}"#), "{text}");
        let window = r#""im2col":{"lower":[-1,-1],"upper":[-1,0],"steps":[1,2]}"#;
        assert!(text.contains(window), "{text}");
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
    }

    #[test]
    fn elements_and_precisions_have_their_names() {
        for element in Element::ALL {
            assert_eq!(serde_json::to_string(&element).unwrap(), format!("\"{element}\""));
        }
        let mut kernel = kernel();
        let precision = Some(Precision::NarrowAccumulator);
        kernel.problem = Some(Problem::Matmul {
            m: 7,
            n: 13,
            k: 31,
            batch: None,
            precision,
            epilogue: None,
            window: None,
        });
        let text = serde_json::to_string(&kernel).unwrap();
        assert!(text.contains(r#""k":31,"precision":"narrow_accumulator"}"#), "{text}");
        assert_eq!(kernel.matmul().unwrap().precision, precision);
    }

    #[test]
    fn grouped_problems_have_separate_arguments() {
        let mut kernel = kernel();
        kernel.args.extend([
            argument("(5,9)", "(9,1)", Access::Read),
            argument("(5,7)", "(7,1)", Access::Write),
            argument("(7,9)", "(9,1)", Access::Read),
        ]);
        let problem = |m, n, k, args| GemmProblem {
            m,
            n,
            k,
            batch: None,
            args,
            epilogue: None,
            window: None,
        };
        let mut problems = vec![problem(7, 13, 31, [0, 1, 2]), problem(5, 7, 9, [3, 5, 4])];
        kernel.problem = Some(Problem::Grouped { problems: problems.clone(), precision: None });
        let text = serde_json::to_string(&kernel).unwrap();
        let expected = r#""problem":{"kind":"grouped","problems":[{"m":7,"n":13,"k":31,"args":[0,1,2]},{"m":5,"n":7,"k":9,"args":[3,5,4]}]}"#;
        assert!(text.contains(expected), "{text}");
        assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), kernel);
        let all = kernel.gemms().unwrap();
        assert_eq!((all.len(), all[1].m, all[1].arguments), (2, 5, [3, 5, 4]));
        let error = |problems: Vec<GemmProblem>| {
            let problem = Some(Problem::Grouped { problems, precision: None });
            Kernel { problem, ..kernel.clone() }.gemms().unwrap_err().to_string()
        };
        assert_eq!(
            error(Vec::new()),
            "manifest: kernel gemm: expected at least one GEMM in the grouped problem, found none"
        );
        problems[1].args[1] = 6;
        assert_eq!(
            error(problems.clone()),
            "manifest: kernel gemm: expected GEMMs with argument numbers below 6, found 6"
        );
        problems[1].args = [4, 5, 3];
        assert_eq!(
            error(problems),
            "manifest: kernel gemm, argument a: expected access read, found Write"
        );
    }

    #[test]
    fn a_limited_grid_is_of_whole_clusters() {
        let mut kernel = kernel();
        kernel.grid = [1000, 1, 1];
        assert_eq!(kernel.blocks_along_x(132, None), 1000);
        kernel.grid_limit = Some(GridLimit::Multiprocessors);
        assert_eq!(kernel.blocks_along_x(132, None), 132);
        kernel.cluster = 8;
        assert_eq!(kernel.blocks_along_x(132, None), 128);
        assert_eq!(kernel.blocks_along_x(132, Some(15)), 120);
        kernel.grid = [16, 1, 1];
        assert_eq!(kernel.blocks_along_x(132, Some(15)), 16);
    }

    #[test]
    fn a_gemm_has_its_layouts() {
        let kernel = kernel();
        let gemm = kernel.matmul().unwrap();
        assert_eq!((gemm.m, gemm.n, gemm.k), (7, 13, 31));
        assert_eq!(gemm.layouts[1], Matrix::single([13, 31], [1, 13]));
        assert_eq!(gemm.layouts[0].span(), 7 * 31);
        assert_eq!(gemm.transposes(), "tt");
    }

    /// Five GEMMs of one right side.
    #[test]
    fn a_batch_has_one_more_mode() {
        let mut kernel = kernel();
        for (argument, (extents, strides)) in kernel.args.iter_mut().zip([
            ("(7,31,5)", "(31,1,217)"),
            ("(13,31,5)", "(1,13,0)"),
            ("(7,13,5)", "(65,5,1)"),
        ]) {
            (argument.shape, argument.stride) = (extents.into(), strides.into());
        }
        let problem = |batch| {
            Some(Problem::Matmul {
                m: 7,
                n: 13,
                k: 31,
                batch,
                precision: None,
                epilogue: None,
                window: None,
            })
        };
        kernel.problem = problem(Some(5));
        let text = serde_json::to_string(&kernel).unwrap();
        assert!(text.contains(r#""k":31,"batch":5}"#), "{text}");
        let gemm = kernel.matmul().unwrap();
        assert_eq!((gemm.batch, gemm.flops()), (5, 2.0 * 7.0 * 13.0 * 31.0 * 5.0));
        let [a, b, c] = gemm.layouts;
        assert_eq!((a.span(), b.span(), c.span()), (5 * 217, 13 * 31, 65 * 7));
        assert_eq!(c.at(3, 2, 1), 3 + 2 * 65 + 5);
        assert!(c.places().eq((0..5).flat_map(|l| (0..91).map(move |i| l + 5 * i))));
        let error = |kernel: &Kernel| kernel.matmul().unwrap_err().to_string();
        kernel.problem = problem(None);
        assert_eq!(
            error(&kernel),
            "manifest: kernel gemm, argument a: expected shape (7,31) for m=7, n=13, k=31, found (7,31,5)"
        );
        kernel.problem = problem(Some(4));
        assert_eq!(
            error(&kernel),
            "manifest: kernel gemm, argument a: expected shape (7,31,4) for m=7, n=13, k=31, batch=4, found (7,31,5)"
        );
        kernel.args[0].stride = "(31,1)".into();
        assert_eq!(
            error(&kernel),
            "manifest: argument a: expected a stride for each extent, found (7,31,5):(31,1)"
        );
    }

    /// The result plus a bias and its old self.
    fn with_epilogue() -> Kernel {
        let step = |inputs: &[usize]| crate::epilogue::Step {
            op: "arith.addf".into(),
            inputs: inputs.to_vec(),
            detail: None,
        };
        let epilogue = Epilogue {
            operands: vec![3, 2],
            steps: vec![step(&[0, 1]), step(&[2, 3])],
            result: 4,
            dual: None,
        };
        let mut kernel = kernel();
        kernel.args.push(argument("(7,13)", "(0,1)", Access::Read));
        kernel.args[2].access = Access::ReadWrite;
        kernel.problem = Some(Problem::Matmul {
            m: 7,
            n: 13,
            k: 31,
            batch: None,
            precision: None,
            epilogue: Some(epilogue),
            window: None,
        });
        kernel
    }

    #[test]
    fn an_epilogue_is_checked() {
        let kernel = with_epilogue();
        let manifest = Manifest::of(vec![kernel.clone()]);
        let text = serde_json::to_string(&manifest).unwrap();
        assert_eq!(Manifest::parse(&text).unwrap(), manifest);
        assert_eq!(kernel.matmul().unwrap().epilogue.map(|epilogue| epilogue.result), Some(4));
        let error = |change: &dyn Fn(&mut Kernel)| {
            let mut kernel = kernel.clone();
            change(&mut kernel);
            kernel.matmul().unwrap_err().to_string()
        };
        assert_eq!(
            error(&|kernel| kernel.args[2].access = Access::Write),
            "manifest: kernel gemm, argument a: expected access read_write, found Write"
        );
        assert_eq!(
            error(&|kernel| kernel.args[3].access = Access::Write),
            "manifest: kernel gemm, argument a: expected access read, found Write"
        );
        assert_eq!(
            error(&|kernel| kernel.args[3].shape = "(13,7)".into()),
            "manifest: kernel gemm, argument a: expected shape (7,13) for m=7, n=13, k=31, found (13,7)"
        );
        assert_eq!(
            error(&|kernel| kernel.args.truncate(3)),
            "manifest: kernel gemm: expected an epilogue of arguments below 3, found 3"
        );
    }

    #[test]
    fn errors_say_expected_and_found() {
        let text = |result: Result<Gemm<'_>>| result.unwrap_err().to_string();
        let mut wrong = kernel();
        wrong.args[1].shape = "(31,13)".into();
        assert_eq!(
            text(wrong.matmul()),
            "manifest: kernel gemm, argument a: expected shape (13,31) for m=7, n=13, k=31, found (31,13)"
        );
        wrong.args[1].shape = "(2,4,3,1)".into();
        assert_eq!(
            text(wrong.matmul()),
            "manifest: argument a: expected a shape of two or three modes, such as (64,1) or (64,(8,2)), found (2,4,3,1)"
        );
        wrong.args[1].shape = "(0,31)".into();
        assert_eq!(
            text(wrong.matmul()),
            "manifest: argument a: expected extents of at least 1, found (0,31):(1,13)"
        );
        wrong.args[1] = argument("(13,31)", "(1,-13)", Access::Read);
        assert_eq!(
            text(wrong.matmul()),
            "manifest: argument a: expected strides of at least 0, found (13,31):(1,-13)"
        );
        wrong.args[1] = argument("(13,31)", "(1,9223372036854775807)", Access::Read);
        assert_eq!(
            text(wrong.matmul()),
            "manifest: argument a: expected a size below 2^63 bytes, found (13,31):(1,9223372036854775807)"
        );
        wrong.args[1] = argument("(13,31)", "(1,13)", Access::Write);
        assert_eq!(
            text(wrong.matmul()),
            "manifest: kernel gemm, argument a: expected access read, found Write"
        );
        wrong.args.pop();
        assert_eq!(
            text(wrong.matmul()),
            "manifest: kernel gemm: expected 3 arguments for a matmul, found 2"
        );
        wrong.problem = None;
        assert_eq!(
            text(wrong.matmul()),
            "manifest: kernel gemm: expected a problem of kind matmul, found none"
        );
    }

    #[test]
    fn a_newer_version_is_refused() {
        let error = Manifest::parse(r#"{"version": 2, "kernels": []}"#).unwrap_err();
        assert_eq!(error.to_string(), "manifest: expected version 1, found version 2");
    }

    #[test]
    fn truncated_json_is_an_error() {
        let error = Manifest::parse(r#"{"version": 1, "kernels": ["#).unwrap_err();
        assert_eq!(error.to_string(), "manifest: EOF while parsing a list at line 1 column 27");
    }
}
