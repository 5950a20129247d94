//! cuBLASLt as the baseline: the same matrices in the same layouts and the same arithmetic, with the fastest of the
//! library's own proposals. Its scales of 8-bit numbers stay 1.
//!
//! cuBLASLt takes column-major matrices, possibly transposed. [`Call::of`] expresses a GEMM on strided matrices in these
//! terms: a row-major C is computed as its transpose, with the operands swapped.

use std::ffi::c_void;
use std::path::{Path, PathBuf};

use cudarc::cublaslt::result::CublasError;
use cudarc::cublaslt::{result, sys};

use crate::driver::{Buffer, Gpu};
use crate::manifest::{Element, Gemm, Matrix, Precision};
use crate::{Error, Result};

/// One operand of cuBLASLt: a column-major matrix, or its transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Rows of the stored column-major matrix.
    pub rows: usize,
    /// Its columns.
    pub columns: usize,
    /// Distance between its columns, in elements.
    pub leading: usize,
    /// Whether the GEMM uses its transpose.
    pub transposed: bool,
    /// Matrices of a batch, and the distance from one to the next, in elements.
    pub batch: (usize, usize),
}

/// `D = op(X) * op(Y)`, all column-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Whether X is B and Y is A (C is row-major, and its transpose is computed).
    pub swapped: bool,
    /// The left operand.
    pub left: Operand,
    /// The right operand.
    pub right: Operand,
    /// The result.
    pub result: Operand,
}

impl Call {
    /// The call for `C = A * transpose(B)`, or `None` if a matrix has no unit stride, or is in blocks, which
    /// cuBLASLt cannot take.
    pub fn of([a, b, c]: &[Matrix; 3]) -> Option<Call> {
        if ![a, b, c].into_iter().all(Matrix::is_plain) {
            return None;
        }
        // C column-major: C = A * B^T.  Row-major: C^T = B * A^T.
        let swapped = column_major(c.extents, c.strides).is_none();
        let turned = |m: &Matrix| Matrix {
            extents: [m.extents[1], m.extents[0]],
            strides: [m.strides[1], m.strides[0]],
            ..*m
        };
        let (x, y, d) = if swapped { (b, a, turned(c)) } else { (a, b, *c) };
        Some(Call {
            swapped,
            left: operand(x)?,
            right: operand(&turned(y))?,
            result: operand(&d).filter(|operand| !operand.transposed)?,
        })
    }
}

/// The stored matrix of a strided one, preferring the one that needs no transposition.
fn operand(matrix: &Matrix) -> Option<Operand> {
    let [rows, columns] = matrix.extents;
    let batch = (matrix.batch, matrix.batch_stride);
    if let Some(leading) = column_major(matrix.extents, matrix.strides) {
        return Some(Operand { rows, columns, leading, transposed: false, batch });
    }
    let leading = column_major([columns, rows], [matrix.strides[1], matrix.strides[0]])?;
    Some(Operand { rows: columns, columns: rows, leading, transposed: true, batch })
}

/// The leading dimension, when these are the strides of a column-major matrix; a stride along an extent
/// of 1 says nothing.
fn column_major([rows, columns]: [usize; 2], strides: [usize; 2]) -> Option<usize> {
    let contiguous = rows == 1 || strides[0] == 1;
    let leading = if columns == 1 { rows } else { strides[1] };
    (contiguous && leading >= rows).then_some(leading)
}

/// Where a cuBLASLt may lie: an explicit file or folder first, then the places installers use.
pub fn candidates(explicit: Option<&Path>) -> Vec<PathBuf> {
    const NAMES: [&str; 3] = ["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"];
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = Vec::new();
    match explicit {
        Some(path) if path.is_dir() => folders.push(path.to_path_buf()),
        Some(path) => found.push(path.to_path_buf()),
        None => {
            let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            folders.extend(std::env::split_paths(&path).filter(|folder| folder.is_absolute()));
            folders.push("/usr/local/cuda/lib64".into());
            folders.push("/usr/local/cuda/targets/x86_64-linux/lib".into());
            folders.push("/usr/lib/x86_64-linux-gnu".into());
            folders.extend(python_folders());
        }
    }
    for folder in folders {
        found.extend(NAMES.iter().map(|name| folder.join(name)).filter(|file| file.exists()));
    }
    found
}

/// `nvidia/*/lib` under Python's package folders: wheels of PyTorch bring the library there.
fn python_folders() -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = vec!["/usr/lib/python3/dist-packages".into()];
    let mut prefixes: Vec<PathBuf> = vec!["/usr/local".into(), "/usr".into(), "/opt/conda".into()];
    prefixes.extend(std::env::var_os("VIRTUAL_ENV").map(PathBuf::from));
    prefixes.extend(std::env::var_os("HOME").map(|home| Path::new(&home).join(".local")));
    // A `python3` on the path lies in the bin folder of a prefix: of a virtual environment when it is a link,
    // and of what the link leads to.
    let path = std::env::var_os("PATH").unwrap_or_default();
    for python in std::env::split_paths(&path).map(|folder| folder.join("python3")) {
        for python in [Some(python.clone()), python.canonicalize().ok()].into_iter().flatten() {
            prefixes.extend(
                python.ancestors().nth(2).filter(|_| python.exists()).map(Path::to_path_buf),
            );
        }
    }
    prefixes.dedup();
    for prefix in prefixes {
        for version in children(&prefix.join("lib")) {
            if version.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3"))
            {
                roots.push(version.join("site-packages"));
                roots.push(version.join("dist-packages"));
            }
        }
    }
    let mut folders = Vec::new();
    for root in roots {
        for package in children(&root.join("nvidia")) {
            folders.push(package.join("lib"));
        }
    }
    folders.dedup();
    folders
}

/// The entries of a folder in a fixed order; empty if it cannot be read.
fn children(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Makes a library found off the loader's path the one that the loader finds by name.
fn preload(path: &Path) -> std::result::Result<(), libloading::Error> {
    use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
    // SAFETY: the initialisers of a cuBLASLt that the user or an installer put there.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }?;
    // It stays open for the life of the process: the loader answers later look-ups by name with it.
    std::mem::forget(library);
    Ok(())
}

/// Workspace that the library may use, as much as PyTorch gives it on Hopper.
const WORKSPACE: usize = 32 << 20;

/// The number of cuBLASLt's heuristic results that are timed.
const HEURISTIC_RESULTS: usize = 8;

fn refused(call: &'static str) -> impl Fn(CublasError) -> Error {
    move |error| Error::Cublas(format!("{call} failed: {:?}", error.0))
}

/// The epilogue that cuBLASLt applies to the accumulators before it stores them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fused {
    /// The function that is applied last.
    pub function: Function,
    /// The bias that is added to each row of the result, as the library has it.
    pub bias: Option<Bias>,
}

/// The functions that the library can apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Function {
    /// None.
    #[default]
    None,
    /// The larger of the number and 0.
    Relu,
    /// GELU, by tanh.
    Gelu,
}

/// A vector on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bias {
    /// Where it starts.
    pub address: u64,
    /// Its element type.
    pub element: Element,
    /// Elements from the vector of one GEMM of a batch to that of the next.
    pub batch_stride: usize,
}

impl Fused {
    fn kind(self) -> sys::cublasLtEpilogue_t {
        use sys::cublasLtEpilogue_t as Kind;
        match (self.function, self.bias.is_some()) {
            (Function::None, false) => Kind::CUBLASLT_EPILOGUE_DEFAULT,
            (Function::None, true) => Kind::CUBLASLT_EPILOGUE_BIAS,
            (Function::Relu, false) => Kind::CUBLASLT_EPILOGUE_RELU,
            (Function::Relu, true) => Kind::CUBLASLT_EPILOGUE_RELU_BIAS,
            (Function::Gelu, false) => Kind::CUBLASLT_EPILOGUE_GELU,
            (Function::Gelu, true) => Kind::CUBLASLT_EPILOGUE_GELU_BIAS,
        }
    }
}

impl std::fmt::Display for Fused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match (self.function, self.bias.is_some()) {
            (Function::None, false) => "none",
            (Function::None, true) => "bias",
            (Function::Relu, false) => "relu",
            (Function::Relu, true) => "bias, relu",
            (Function::Gelu, false) => "gelu",
            (Function::Gelu, true) => "bias, gelu",
        })
    }
}

/// An open cuBLASLt.
#[derive(Debug)]
pub struct Library<'gpu> {
    handle: sys::cublasLtHandle_t,
    workspace: Buffer<'gpu>,
    /// The library's version, such as 130000.
    pub version: usize,
}

impl<'gpu> Library<'gpu> {
    /// Opens the library: the one at `explicit`, or else the first that is found.
    ///
    /// # Errors
    ///
    /// [`Error::Cublas`] if no library can be opened, or it refuses a handle; the driver's refusal of the workspace.
    pub fn open(gpu: &'gpu Gpu, explicit: Option<&Path>) -> Result<Self> {
        let tried = candidates(explicit);
        let preloaded = tried.iter().any(|path| preload(path).is_ok());
        if explicit.is_some() && !preloaded {
            return Err(Error::Cublas(format!(
                "expected a cuBLASLt that can be opened, found none at {}",
                explicit.unwrap_or(Path::new("")).display()
            )));
        }
        // SAFETY: opens a shared library by name; nothing of it is called.
        if !preloaded && !unsafe { sys::is_culib_present() } {
            return Err(Error::Cublas(
                "expected libcublasLt on the loader's path, under /usr/local/cuda or in a Python package, found none; \
                 --cublas-path names one"
                    .into(),
            ));
        }
        let handle = result::create_handle().map_err(refused("cublasLtCreate"))?;
        // SAFETY: takes no argument and only reads.
        let version = unsafe { sys::cublasLtGetVersion() };
        match gpu.allocate(WORKSPACE) {
            Ok(workspace) => Ok(Library { handle, workspace, version }),
            Err(error) => {
                // SAFETY: created just above and not used yet.
                let _ = unsafe { result::destroy_handle(handle) };
                Err(error)
            }
        }
    }

    /// Prepares one GEMM: descriptors and the library's proposals, best first by its own estimate.
    ///
    /// # Errors
    ///
    /// [`Error::Cublas`] for operands that are not at multiples of 16 bytes, for layouts without a unit stride or with blocks, if the
    /// library refuses a call, and if it has no algorithm for the problem.
    pub fn prepare(&self, gemm: &Gemm<'_>, fused: Fused) -> Result<Plan<'_, 'gpu>> {
        let narrow = (0..3).map(|number| gemm.argument(number)).find(|of| of.alignment.is_some());
        if let Some(argument) = narrow {
            return Err(Error::Cublas(format!(
                "expected A, B and C at multiples of 16 bytes, found {} at one of {}",
                argument.name,
                argument.start()
            )));
        }
        let call = Call::of(&gemm.layouts).ok_or_else(|| {
            Error::Cublas(
                "expected a unit stride in each of A, B and C, and no blocks, found a matrix without".into(),
            )
        })?;
        let [a, b, c] = gemm.elements();
        if a != b {
            return Err(Error::Cublas(format!(
                "expected A and B of one element type, found {a} and {b}"
            )));
        }
        let (x, y) = if call.swapped { (b, a) } else { (a, b) };
        let arithmetic = Arithmetic::of(gemm);
        let descriptor = Descriptor::new(arithmetic, call.left.transposed, call.right.transposed)?;
        descriptor.fuse(fused)?;
        let layouts = [
            Layout::new(&call.left, x)?,
            Layout::new(&call.right, y)?,
            Layout::new(&call.result, c)?,
            Layout::new(&call.result, addend(c))?,
        ];
        let preference = Preference::new(self.workspace.bytes())?;
        let mut proposals = Vec::with_capacity(HEURISTIC_RESULTS);
        let mut count = 0;
        // SAFETY: all descriptors live until the end of this call; the result array has room for as many proposals as are requested.
        unsafe {
            sys::cublasLtMatmulAlgoGetHeuristic(
                self.handle,
                descriptor.0,
                layouts[0].0,
                layouts[1].0,
                layouts[3].0,
                layouts[2].0,
                preference.0,
                HEURISTIC_RESULTS as i32,
                proposals.as_mut_ptr(),
                &mut count,
            )
        }
        .result()
        .map_err(refused("cublasLtMatmulAlgoGetHeuristic"))?;
        // SAFETY: the library filled `count` entries, at most as many as were requested.
        unsafe { proposals.set_len(usize::try_from(count).unwrap_or(0).min(HEURISTIC_RESULTS)) };
        proposals.retain(|proposal: &sys::cublasLtMatmulHeuristicResult_t| {
            proposal.state == sys::cublasStatus_t::CUBLAS_STATUS_SUCCESS
        });
        if proposals.is_empty() {
            return Err(Error::Cublas(
                "expected a cuBLASLt algorithm for this problem, found none".into(),
            ));
        }
        let (swapped, adds_another_type) = (call.swapped, addend(c) != c);
        let library = self;
        Ok(Plan { library, swapped, arithmetic, descriptor, layouts, adds_another_type, proposals })
    }
}

impl Drop for Library<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; plans borrow `self` and are gone.
        let _ = unsafe { result::destroy_handle(self.handle) };
    }
}

/// One GEMM that is ready to run.
#[derive(Debug)]
pub struct Plan<'library, 'gpu> {
    library: &'library Library<'gpu>,
    swapped: bool,
    arithmetic: Arithmetic,
    descriptor: Descriptor,
    /// The layouts of both factors, the result, and the addend: nothing, times 0.
    layouts: [Layout; 4],
    adds_another_type: bool,
    proposals: Vec<sys::cublasLtMatmulHeuristicResult_t>,
}

impl Plan<'_, '_> {
    /// How many proposals [`Plan::launch`] can run.
    pub fn proposals(&self) -> usize {
        self.proposals.len()
    }

    /// Starts one proposal on the default stream.
    ///
    /// # Errors
    ///
    /// [`Error::Cublas`] for a number past [`Plan::proposals`], and if the library refuses the call.
    ///
    /// # Safety
    /// The addresses must be device memory as long as the layouts of A, B and C say.
    pub unsafe fn launch(&self, proposal: usize, [a, b, c]: [u64; 3]) -> Result<()> {
        let (x, y) = if self.swapped { (b, a) } else { (a, b) };
        let (one, zero) = (1f32, 0f32);
        let (whole, none) = (1i32, 0i32);
        let (half_one, half_zero) = (half::f16::ONE, half::f16::ZERO);
        let (alpha, beta): (*const c_void, *const c_void) = match self.arithmetic {
            Arithmetic::Half => {
                (std::ptr::from_ref(&half_one).cast(), std::ptr::from_ref(&half_zero).cast())
            }
            Arithmetic::Integer => {
                (std::ptr::from_ref(&whole).cast(), std::ptr::from_ref(&none).cast())
            }
            _ => (std::ptr::from_ref(&one).cast(), std::ptr::from_ref(&zero).cast()),
        };
        let Some(chosen) = self.proposals.get(proposal) else {
            return Err(Error::Cublas(format!(
                "expected a proposal below {}, found {proposal}",
                self.proposals.len()
            )));
        };
        // An addend of another type than the result has no place: nothing is added, times 0.
        let added = if self.adds_another_type { 0 } else { c };
        // SAFETY: descriptors live in `self`; alpha and beta are of the scale type and are read before
        // the call returns; the workspace is as long as it says; the pointers are the caller's promise.
        unsafe {
            result::matmul(
                self.library.handle,
                self.descriptor.0,
                alpha,
                beta,
                x as *const c_void,
                self.layouts[0].0,
                y as *const c_void,
                self.layouts[1].0,
                added as *const c_void,
                self.layouts[3].0,
                c as *mut c_void,
                self.layouts[2].0,
                &chosen.algo,
                self.library.workspace.address() as *mut c_void,
                self.library.workspace.bytes(),
                std::ptr::null_mut(),
            )
        }
        .map_err(refused("cublasLtMatmul"))
    }
}

/// The library's accumulator type, and its rounding on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    /// f32.
    Float,
    /// f32 accumulators of tf32 operands.
    Tf32,
    /// The accumulator of tensor cores for numbers of 8 bits: the library's fast accumulation.
    Short,
    /// f16.
    Half,
    /// Integers of 32 bits.
    Integer,
    /// Integers of 32 bits, of which numbers of f32 are made, and of these integers of 8 bits.
    ScaledInteger,
}

impl Arithmetic {
    fn of(gemm: &Gemm<'_>) -> Self {
        let [element, _, result] = gemm.elements();
        match (element, gemm.precision) {
            (Element::I8, _) if result == Element::I8 => Self::ScaledInteger,
            (Element::I8, _) => Self::Integer,
            (_, Some(Precision::Tf32)) => Self::Tf32,
            (Element::F16, Some(Precision::NarrowAccumulator)) => Self::Half,
            (_, Some(Precision::NarrowAccumulator)) => Self::Short,
            (_, None | Some(Precision::TwoLevelAccumulation)) => Self::Float,
        }
    }

    /// The compute type and the type of alpha and beta.
    const fn kinds(self) -> (sys::cublasComputeType_t, sys::cudaDataType_t) {
        use sys::{cublasComputeType_t as Compute, cudaDataType_t as Kind};
        match self {
            Self::Float | Self::Short => (Compute::CUBLAS_COMPUTE_32F, Kind::CUDA_R_32F),
            Self::Tf32 => (Compute::CUBLAS_COMPUTE_32F_FAST_TF32, Kind::CUDA_R_32F),
            Self::Half => (Compute::CUBLAS_COMPUTE_16F, Kind::CUDA_R_16F),
            Self::Integer => (Compute::CUBLAS_COMPUTE_32I, Kind::CUDA_R_32I),
            Self::ScaledInteger => (Compute::CUBLAS_COMPUTE_32I, Kind::CUDA_R_32F),
        }
    }
}

/// The computation: in which arithmetic, each operand transposed or not.
#[derive(Debug)]
struct Descriptor(sys::cublasLtMatmulDesc_t);

impl Descriptor {
    fn new(arithmetic: Arithmetic, left_transposed: bool, right_transposed: bool) -> Result<Self> {
        let (compute, scale) = arithmetic.kinds();
        let descriptor = result::create_matmul_desc(compute, scale)
            .map(Descriptor)
            .map_err(refused("cublasLtMatmulDescCreate"))?;
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        if arithmetic == Arithmetic::Short {
            descriptor.set(Attribute::CUBLASLT_MATMUL_DESC_FAST_ACCUM, &1i8)?;
        }
        for (attribute, transposed) in [
            (Attribute::CUBLASLT_MATMUL_DESC_TRANSA, left_transposed),
            (Attribute::CUBLASLT_MATMUL_DESC_TRANSB, right_transposed),
        ] {
            // CUBLAS_OP_N and CUBLAS_OP_T of cublas_api.h: 32-bit enumerations.
            descriptor.set(attribute, &i32::from(transposed))?;
        }
        Ok(descriptor)
    }

    /// Requests an epilogue.
    fn fuse(&self, fused: Fused) -> Result<()> {
        use sys::cublasLtMatmulDescAttributes_t as Attribute;
        if fused == Fused::default() {
            return Ok(());
        }
        self.set(Attribute::CUBLASLT_MATMUL_DESC_EPILOGUE, &fused.kind())?;
        if let Some(bias) = fused.bias {
            self.set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.address)?;
            self.set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &kind(bias.element))?;
            if bias.batch_stride != 0 {
                let batch_stride = i64::try_from(bias.batch_stride).unwrap_or(i64::MAX);
                self.set(Attribute::CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, &batch_stride)?;
            }
        }
        Ok(())
    }

    /// Sets an attribute, whose type in the library is `T`'s.
    fn set<T>(&self, attribute: sys::cublasLtMatmulDescAttributes_t, value: &T) -> Result<()> {
        // SAFETY: the descriptor lives; callers give values of the attribute's size, which the
        // library checks.
        unsafe {
            result::set_matmul_desc_attribute(
                self.0,
                attribute,
                std::ptr::from_ref(value).cast(),
                size_of::<T>(),
            )
        }
        .map_err(refused("cublasLtMatmulDescSetAttribute"))
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { result::destroy_matmul_desc(self.0) };
    }
}

/// The library's name of an element type.
fn kind(element: Element) -> sys::cudaDataType_t {
    match element {
        Element::E4m3 => sys::cudaDataType_t::CUDA_R_8F_E4M3,
        Element::E5m2 => sys::cudaDataType_t::CUDA_R_8F_E5M2,
        Element::I8 => sys::cudaDataType_t::CUDA_R_8I,
        Element::I16 => sys::cudaDataType_t::CUDA_R_16I,
        Element::I32 => sys::cudaDataType_t::CUDA_R_32I,
        Element::I64 => sys::cudaDataType_t::CUDA_R_64I,
        Element::F16 => sys::cudaDataType_t::CUDA_R_16F,
        Element::Bf16 => sys::cudaDataType_t::CUDA_R_16BF,
        Element::Tf32 | Element::F32 => sys::cudaDataType_t::CUDA_R_32F,
        Element::F64 => sys::cudaDataType_t::CUDA_R_64F,
    }
}

/// The element type that the library adds to a result: it takes no floats of 8 bits there.
const fn addend(result: Element) -> Element {
    match result {
        Element::E4m3 | Element::E5m2 => Element::Bf16,
        _ => result,
    }
}

/// One matrix.
#[derive(Debug)]
struct Layout(sys::cublasLtMatrixLayout_t);

impl Layout {
    fn new(operand: &Operand, element: Element) -> Result<Self> {
        let leading = i64::try_from(operand.leading).unwrap_or(i64::MAX);
        result::create_matrix_layout(
            kind(element),
            operand.rows as u64,
            operand.columns as u64,
            leading,
        )
        .map(Layout)
        .map_err(refused("cublasLtMatrixLayoutCreate"))
        .and_then(|layout| layout.batched(operand.batch))
    }

    /// As many matrices, so far apart.
    fn batched(self, (count, batch_stride): (usize, usize)) -> Result<Self> {
        use sys::cublasLtMatrixLayoutAttribute_t as Attribute;
        if count == 1 {
            return Ok(self);
        }
        let count = i32::try_from(count).map_err(|_| {
            Error::Cublas(format!("expected fewer than 2^31 matrices in a batch, found {count}"))
        })?;
        let batch_stride = i64::try_from(batch_stride).unwrap_or(i64::MAX);
        self.set(Attribute::CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count)?;
        self.set(Attribute::CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch_stride)?;
        Ok(self)
    }

    /// Sets an attribute, whose type in the library is `T`'s.
    fn set<T>(&self, attribute: sys::cublasLtMatrixLayoutAttribute_t, value: &T) -> Result<()> {
        // SAFETY: the layout lives; callers give values of the attribute's size, which the library
        // checks.
        unsafe {
            result::set_matrix_layout_attribute(
                self.0,
                attribute,
                std::ptr::from_ref(value).cast(),
                size_of::<T>(),
            )
        }
        .map_err(refused("cublasLtMatrixLayoutSetAttribute"))
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { result::destroy_matrix_layout(self.0) };
    }
}

/// Limits of the library's choice.
#[derive(Debug)]
struct Preference(sys::cublasLtMatmulPreference_t);

impl Preference {
    fn new(workspace: usize) -> Result<Self> {
        let preference = result::create_matmul_pref()
            .map(Preference)
            .map_err(refused("cublasLtMatmulPreferenceCreate"))?;
        let workspace = workspace as u64;
        // SAFETY: the preference lives; the attribute is 64-bit, as is `workspace`.
        unsafe {
            result::set_matmul_pref_attribute(
                preference.0,
                sys::cublasLtMatmulPreferenceAttributes_t::CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                std::ptr::from_ref(&workspace).cast(),
                size_of::<u64>(),
            )
        }
        .map_err(refused("cublasLtMatmulPreferenceSetAttribute"))?;
        Ok(preference)
    }
}

impl Drop for Preference {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { result::destroy_matmul_pref(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Random;
    use crate::reference;

    /// A slow BLAS: reads stored column-major matrices by their leading dimensions.
    fn blas(call: &Call, x: &[f64], y: &[f64], d: &mut [f64]) {
        let read = |o: &Operand, data: &[f64], row: usize, column: usize| {
            let (row, column) = if o.transposed { (column, row) } else { (row, column) };
            assert!(row < o.rows && column < o.columns);
            data[row + column * o.leading]
        };
        let depth = if call.left.transposed { call.left.rows } else { call.left.columns };
        for row in 0..call.result.rows {
            for column in 0..call.result.columns {
                d[row + column * call.result.leading] = (0..depth)
                    .map(|l| read(&call.left, x, row, l) * read(&call.right, y, l, column))
                    .sum();
            }
        }
    }

    fn matrix(extents: [usize; 2], row_major: bool, pad: usize) -> Matrix {
        let strides = if row_major { [extents[1] + pad, 1] } else { [1, extents[0] + pad] };
        Matrix::single(extents, strides)
    }

    #[test]
    fn every_order_of_every_matrix_computes_the_same_product() {
        for (m, n, k) in [(3, 5, 4), (1, 1, 1), (1, 5, 4), (3, 1, 4), (3, 5, 1)] {
            for orders in 0..8 {
                for pad in [0, 3] {
                    let layouts = [
                        matrix([m, k], orders & 1 != 0, pad),
                        matrix([n, k], orders & 2 != 0, pad),
                        matrix([m, n], orders & 4 != 0, pad),
                    ];
                    agrees(&layouts, m, n, k);
                }
            }
        }
    }

    fn agrees(layouts: &[Matrix; 3], m: usize, n: usize, k: usize) {
        let call = Call::of(layouts).unwrap();
        let mut random = Random::new(11);
        let mut store =
            |layout: &Matrix| -> Vec<f64> { (0..layout.span()).map(|_| random.normal()).collect() };
        let (a, b) = (store(&layouts[0]), store(&layouts[1]));
        let packed = |layout: &Matrix, data: &[f64]| -> Vec<f64> {
            let [rows, columns] = layout.extents;
            (0..rows * columns).map(|i| data[layout.at(0, i / columns, i % columns)]).collect()
        };
        let mut c = vec![0.0; layouts[2].span()];
        let (x, y) = if call.swapped { (&b, &a) } else { (&a, &b) };
        blas(&call, x, y, &mut c);
        let expected = reference::gemm(&packed(&layouts[0], &a), &packed(&layouts[1], &b), m, n, k);
        assert_eq!(packed(&layouts[2], &c), expected, "{layouts:?} {call:?}");
    }

    #[test]
    fn row_major_operands_and_result_swap() {
        let call = Call::of(&[
            matrix([7, 31], true, 0),
            matrix([13, 31], true, 0),
            matrix([7, 13], true, 0),
        ]);
        assert_eq!(
            call,
            Some(Call {
                swapped: true,
                left: Operand {
                    rows: 31,
                    columns: 13,
                    leading: 31,
                    transposed: true,
                    batch: (1, 0)
                },
                right: Operand {
                    rows: 31,
                    columns: 7,
                    leading: 31,
                    transposed: false,
                    batch: (1, 0)
                },
                result: Operand {
                    rows: 13,
                    columns: 7,
                    leading: 13,
                    transposed: false,
                    batch: (1, 0)
                },
            })
        );
    }

    #[test]
    fn a_matrix_without_unit_stride_is_refused() {
        let strided = Matrix::single([4, 4], [2, 8]);
        let plain = matrix([4, 4], true, 0);
        assert_eq!(Call::of(&[strided, plain, plain]), None);
        assert_eq!(Call::of(&[plain, strided, plain]), None);
        assert_eq!(Call::of(&[plain, plain, strided]), None);
    }

    #[test]
    fn a_named_file_is_the_only_candidate() {
        let path = Path::new("/nowhere/libcublasLt.so.13");
        assert_eq!(candidates(Some(path)), [path.to_path_buf()]);
    }
}
