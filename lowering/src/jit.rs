//! Runs a serialized kernel on the host, through MLIR's JIT, and checks it.
//!
//! The function is what `layout-to-host` made of a tile program. The check is the one that
//! `layout-run` makes on a GPU: fresh random operands, a poisoned result, a float64 reference.

use half::{bf16, f16};
use layout_algebra::Layout;
use melior::{ExecutionEngine, ir::Module};
use serde_json::Value;

/// Why a function was not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A manifest that does not describe a matmul.
    #[error("expected a manifest of a matmul with {expected}, found {found}")]
    Manifest {
        /// What is missing.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// An operand's layout.
    #[error("{0}")]
    Layout(#[from] layout_algebra::Error),
    /// The JIT failed.
    #[error("expected a function that the JIT can run, found that `{0}` cannot be invoked")]
    Invoke(String),
}

/// An element type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    F16,
    Bf16,
    F32,
}

impl Element {
    fn bytes(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
        }
    }

    /// The largest relative error that a correct kernel may have.
    fn tolerance(self) -> f64 {
        match self {
            Self::F16 => 1e-3,
            Self::Bf16 => 8e-3,
            Self::F32 => 1e-5,
        }
    }
}

/// One operand in memory. The words are 16-byte aligned, as a kernel may assume.
struct Buffer {
    words: Vec<u128>,
    element: Element,
    layout: Layout,
}

/// What a run found out.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// `‖out − reference‖ / ‖reference‖`.
    pub relative_error: f64,
    /// The largest error that is taken as right.
    pub tolerance: f64,
    /// Elements of the result that were never written.
    pub unwritten: usize,
    /// Extents `(m, n, k)`.
    pub problem: (i64, i64, i64),
}

impl Verdict {
    /// Whether the kernel computed the matmul.
    pub fn is_right(&self) -> bool {
        self.unwritten == 0 && self.relative_error <= self.tolerance
    }
}

/// Runs the first kernel of a manifest, whose function stands in `module`, on random operands.
///
/// # Errors
///
/// A manifest that is no matmul's; a function that the JIT cannot run.
pub fn check(module: &Module<'_>, manifest: &Value, seed: u64) -> Result<Verdict, Error> {
    let kernel = &manifest["kernels"][0];
    let field = |value: &Value, expected: &'static str| {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::Manifest { expected, found: value.to_string() })
    };
    let name = field(&kernel["name"], "a name")?;
    let mut random = Random(seed);
    let mut buffers = Vec::new();
    let mut roles = Vec::new();
    for argument in kernel["args"].as_array().into_iter().flatten() {
        let element = match field(&argument["element"], "an element type")?.as_str() {
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            other => {
                return Err(Error::Manifest {
                    expected: "elements of f16, bf16 or f32",
                    found: other.to_owned(),
                });
            }
        };
        let shape = field(&argument["shape"], "a shape")?;
        let stride = field(&argument["stride"], "a stride")?;
        let layout: Layout = format!("{shape}:{stride}").parse()?;
        let reads = argument["access"].as_str() == Some("read");
        buffers.push(Buffer::new(element, layout, reads.then_some(&mut random))?);
        roles.push(field(&argument["name"], "named arguments")?);
    }
    let role = |wanted: &str| {
        roles.iter().position(|role| role == wanted).ok_or_else(|| Error::Manifest {
            expected: "arguments a, b and c",
            found: roles.join(", "),
        })
    };
    let (a, b, c) = (role("a")?, role("b")?, role("c")?);
    invoke(module, &name, &mut buffers)?;
    verdict(&buffers[a], &buffers[b], &buffers[c])
}

/// Calls the function with a pointer to each buffer.
fn invoke(module: &Module<'_>, name: &str, buffers: &mut [Buffer]) -> Result<(), Error> {
    const OPTIMIZATION: usize = 2;
    let engine = ExecutionEngine::new(module, OPTIMIZATION, &[], false, false);
    let mut pointers: Vec<*mut u128> =
        buffers.iter_mut().map(|buffer| buffer.words.as_mut_ptr()).collect();
    let mut arguments: Vec<*mut ()> =
        pointers.iter_mut().map(|pointer| std::ptr::from_mut(pointer).cast()).collect();
    // SAFETY: conversions between f32 and half have these C signatures; halves travel in the low
    // bits of a vector register, as a float's bits do. Each argument points to a pointer to a
    // buffer that holds every offset of its layout.
    unsafe {
        engine.register_symbol("__truncsfhf2", truncate_half as *mut ());
        engine.register_symbol("__extendhfsf2", extend_half as *mut ());
        engine.invoke_packed(name, &mut arguments).map_err(|_| Error::Invoke(name.to_owned()))
    }
}

extern "C" fn truncate_half(value: f32) -> f32 {
    f32::from_bits(u32::from(f16::from_f32(value).to_bits()))
}

extern "C" fn extend_half(value: f32) -> f32 {
    f16::from_bits((value.to_bits() & 0xffff) as u16).to_f32()
}

/// Compares with the sum in float64 of the rounded operands.
fn verdict(a: &Buffer, b: &Buffer, c: &Buffer) -> Result<Verdict, Error> {
    let (am, bm, cm) = (a.layout.modes(), b.layout.modes(), c.layout.modes());
    let ([m, k], [n, _], [_, _]) = (
        [am[0].size(), am[am.len() - 1].size()],
        [bm[0].size(), bm[bm.len() - 1].size()],
        [cm[0].size(), cm[cm.len() - 1].size()],
    );
    // Offsets of a rank-2 layout are sums of its modes' offsets.
    let offsets = |mode: &Layout| -> Result<Vec<usize>, Error> {
        (0..mode.size()).map(|i| Ok(usize::try_from(mode.at(i)?).unwrap_or(usize::MAX))).collect()
    };
    let (am0, am1) = (offsets(&am[0])?, offsets(&am[1])?);
    let (bm0, bm1) = (offsets(&bm[0])?, offsets(&bm[1])?);
    let (cm0, cm1) = (offsets(&cm[0])?, offsets(&cm[1])?);
    let (mut error, mut norm, mut unwritten) = (0.0, 0.0, 0);
    for (&row_a, &row_c) in am0.iter().zip(&cm0) {
        for (&row_b, &column_c) in bm0.iter().zip(&cm1) {
            let wanted: f64 =
                am1.iter().zip(&bm1).map(|(&x, &y)| a.get(row_a + x) * b.get(row_b + y)).sum();
            let found = c.get(row_c + column_c);
            if found.is_nan() {
                unwritten += 1;
            }
            error += (found - wanted).powi(2);
            norm += wanted.powi(2);
        }
    }
    Ok(Verdict {
        relative_error: (error / norm).sqrt(),
        tolerance: a.element.tolerance(),
        unwritten,
        problem: (m, n, k),
    })
}

impl Buffer {
    /// Random values, or NaN everywhere.
    fn new(element: Element, layout: Layout, random: Option<&mut Random>) -> Result<Self, Error> {
        let elements = usize::try_from(layout.cosize()?).unwrap_or(0);
        let words = (elements * element.bytes()).div_ceil(16);
        let mut buffer = Self { words: vec![0; words], element, layout };
        match random {
            Some(random) => (0..elements).for_each(|i| buffer.set(i, random.next())),
            None => (0..elements).for_each(|i| buffer.set(i, f32::NAN)),
        }
        Ok(buffer)
    }

    fn get(&self, i: usize) -> f64 {
        let bits = |width: usize| {
            let bit = i * width * 8;
            (self.words[bit / 128] >> (bit % 128)) as u32
        };
        match self.element {
            Element::F16 => f16::from_bits(bits(2) as u16).to_f64(),
            Element::Bf16 => bf16::from_bits(bits(2) as u16).to_f64(),
            Element::F32 => f64::from(f32::from_bits(bits(4))),
        }
    }

    fn set(&mut self, i: usize, value: f32) {
        let (bits, width) = match self.element {
            Element::F16 => (u128::from(f16::from_f32(value).to_bits()), 2),
            Element::Bf16 => (u128::from(bf16::from_f32(value).to_bits()), 2),
            Element::F32 => (u128::from(value.to_bits()), 4),
        };
        let bit = i * width * 8;
        let mask = (1_u128 << (width * 8)) - 1;
        let word = &mut self.words[bit / 128];
        *word = (*word & !(mask << (bit % 128))) | (bits << (bit % 128));
    }
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    /// A number in `[-1, 1)`.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_what_was_set() {
        let layout: Layout = "(3,5):(5,1)".parse().expect("a layout");
        for element in [Element::F16, Element::Bf16, Element::F32] {
            let mut buffer = Buffer::new(element, layout.clone(), None).expect("small");
            assert!((0..15).all(|i| buffer.get(i).is_nan()));
            (0..15_u8).for_each(|i| buffer.set(usize::from(i), f32::from(i) * 0.5));
            assert!((0..15_u8).all(|i| buffer.get(usize::from(i)) == f64::from(i) * 0.5));
        }
    }

    #[test]
    fn halves_travel_in_float_registers() {
        for value in [0.0_f32, 1.5, -2.25, 65504.0] {
            assert_eq!(extend_half(truncate_half(value)), value);
        }
    }

    #[test]
    fn unwritten_results_are_no_match() {
        let layout: Layout = "(2,2):(2,1)".parse().expect("a layout");
        let mut random = Random(1);
        let a = Buffer::new(Element::F32, layout.clone(), Some(&mut random)).expect("small");
        let b = Buffer::new(Element::F32, layout.clone(), Some(&mut random)).expect("small");
        let c = Buffer::new(Element::F32, layout, None).expect("small");
        let verdict = verdict(&a, &b, &c).expect("rank 2");
        assert_eq!(verdict.unwritten, 4);
        assert!(!verdict.is_right());
    }
}
