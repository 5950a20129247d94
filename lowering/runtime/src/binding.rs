//! Tensors as operands of a launch: reads sizes from their shapes, and checks element types, shapes and strides.
//!
//! ```
//! use layout_runtime::binding::{Signature, Tensor};
//! use layout_runtime::{instances::Instances, manifest::Manifest};
//!
//! let manifest = Manifest::parse(r#"{"version": 1, "kernels": [{
//!     "name": "softmax", "chip": "sm_80", "sizes": [{"name": "rows"}], "grid": ["rows", 1, 1], "block": [256, 1, 1],
//!     "shared_bytes": 0, "args": [
//!     {"name": "in", "element": "bf16", "shape": "(rows,(8,512))", "stride": "(4096,(1,8))", "access": "read"},
//!     {"name": "out", "element": "bf16", "shape": "(rows,(8,512))", "stride": "(4096,(1,8))", "access": "write"}]}]}"#)?;
//! let softmax = Instances::of_template(manifest.templates[0].clone());
//! let signature = Signature::of_instances(&softmax)?;
//! let rows = Tensor { element: "bf16", shape: &[3, 4096], strides: None };
//! assert_eq!(signature.bind(&[Some(rows), None], &[]), Ok(vec![3]));
//! assert_eq!(signature.result(1, &[3])?, (vec![3, 4096], vec![4096, 1]));
//! let columns = Tensor { element: "bf16", shape: &[3, 4096], strides: Some(&[1, 3]) };
//! assert_eq!(
//!     signature.bind(&[Some(columns), None], &[]).unwrap_err().to_string(),
//!     "kernel softmax, operand 0 (in): expected strides (4096,1), found (1,3)"
//! );
//! # Ok::<(), layout_runtime::Error>(())
//! ```
//!
//! A tensor is an operand when it has the coordinates of the operand's layout, by its rank:
//!
//! | rank | the tensor has |
//! |---|---|
//! | of the layout | one dimension for each mode; a mode of several strides has none |
//! | of the flattened layout | one dimension for each leaf |
//! | 1 | the elements of memory, of a layout that fills it without gaps |
//!
//! Strides of dimensions of one element are not examined. Tensors of programs have the first form.

use std::fmt;
use std::sync::Arc;

use crate::expression::{Expression, MAX_DEPTH};
use crate::instances::{Instance, Instances};
use crate::manifest::{Access, Argument, Kernel, Program, Size};
use crate::program::Amount;
use crate::template::elements;
use crate::{Error, Result};

/// The facts of a tensor without its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor<'t> {
    /// Its element type by MLIR's name; unsigned integers are `ui8` and so on.
    pub element: &'t str,
    /// Its extents.
    pub shape: &'t [i64],
    /// Its strides in elements; without them, row-major order without gaps.
    pub strides: Option<&'t [i64]>,
}

/// The operands of a launch.
#[derive(Clone, Debug)]
pub struct Signature {
    of: String,
    sizes: Vec<Size>,
    operands: Vec<Operand>,
    /// Whether tensors have one dimension for each mode, and no other form.
    is_exact: bool,
}

/// One tensor of a launch.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its name; that of a program's is its kind and number.
    pub name: String,
    /// Its element type by MLIR's name.
    pub element: String,
    /// The access to it.
    pub access: Access,
    modes: Vec<Vec<Leaf>>,
}

/// Extent and stride of a leaf.
#[derive(Clone, Debug)]
struct Leaf {
    extent: Expression,
    stride: Expression,
}

/// Extents and strides of a tensor.
pub type Place = (Vec<i64>, Vec<i64>);

/// A dimension as leaves of the layout.
type Dimensions<'s> = Vec<&'s [Leaf]>;

/// The property of a tensor that was expected and found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// How many tensors there are.
    Count,
    /// The element type.
    Element,
    /// The shape.
    Shape,
    /// The strides.
    Strides,
    /// The value of a size.
    Size,
    /// The layout itself, which has no tensor.
    Layout,
}

impl Property {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Element => "element type",
            Self::Shape => "shape",
            Self::Strides => "strides",
            Self::Size => "size",
            Self::Layout => "layout",
        }
    }
}

/// Tensors that a launch does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The kernel, the family or the program.
    pub of: String,
    /// The operand's number and name, or `None` if it is about no operand.
    pub operand: Option<(usize, String)>,
    /// The property that is wrong.
    pub property: Property,
    /// The value that was expected.
    pub expected: String,
    /// The value that was found.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { of, operand, expected, found, .. } = self;
        f.write_str(of)?;
        if let Some((number, name)) = operand {
            write!(f, ", operand {number} ({name})")?;
        }
        write!(f, ": expected {expected}, found {found}")
    }
}

impl std::error::Error for Mismatch {}

impl From<Mismatch> for Error {
    fn from(mismatch: Mismatch) -> Self {
        Self::Launch(mismatch.to_string())
    }
}

/// Finds the kernel of these tensors, and checks them against it; `signature` is that of the instances. A tensor that is
/// none is a result that is still to be allocated.
///
/// # Errors
///
/// Tensors that the launch does not take.
pub fn instance_of(
    instances: &Instances,
    signature: &Signature,
    tensors: &[Option<Tensor<'_>>],
    given: &[(&str, i64)],
) -> std::result::Result<(Vec<i64>, Arc<Instance>), Mismatch> {
    let sizes = signature.bind(tensors, given)?;
    let wrong = |error: Error| signature.mismatch(None, Property::Size, "a kernel", error);
    let instance = instances.at(&sizes).map_err(wrong)?;
    // Variants of a family have the same arguments in name and element; layouts are those of this one.
    let own = Signature::of_kernel(instance.kernel()).map_err(wrong)?;
    own.check(tensors, &[])?;
    Ok((sizes, instance))
}

impl Signature {
    /// The signature of a kernel, a kernel that takes sizes, or a family.
    ///
    /// # Errors
    ///
    /// A layout that is none.
    pub fn of_instances(instances: &Instances) -> Result<Self> {
        let kind = if instances.is_family() { "family" } else { "kernel" };
        let of = format!("{kind} {}", instances.name());
        Self::of_arguments(of, instances.sizes(), &instances.args())
    }

    fn of_kernel(kernel: &Kernel) -> Result<Self> {
        Self::of_arguments(format!("kernel {}", kernel.name), &[], &kernel.args)
    }

    fn of_arguments(of: String, sizes: &[Size], arguments: &[Argument]) -> Result<Self> {
        let names: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
        let operand = |argument: &Argument| {
            let Argument { name, element, shape, stride, access, .. } = argument;
            let wrong = |message: String| {
                Error::Manifest(format!("{of}, argument {name}: {message}, found {shape}:{stride}"))
            };
            Ok(Operand {
                name: name.clone(),
                element: element.to_string(),
                access: *access,
                modes: modes(shape, stride, &names).map_err(wrong)?,
            })
        };
        let operands = arguments.iter().map(operand).collect::<Result<_>>()?;
        Ok(Self { of, sizes: sizes.to_vec(), operands, is_exact: false })
    }

    /// The signature of a program: its arguments, then its results.
    ///
    /// # Errors
    ///
    /// Extents that are no expressions.
    pub fn of_program(program: &Program) -> Result<Self> {
        let names = program.size_names();
        let of = format!("program {}", program.name);
        let size =
            |name: &&str| Size { name: (*name).to_owned(), least: 0, most: i64::MAX, divisor: 1 };
        let sizes = names.iter().map(size).collect();
        let arguments = program.arguments.iter().map(|tensor| (tensor, Access::Read));
        let results = program.results.iter().map(|tensor| (tensor, Access::Write));
        let count = program.arguments.len();
        let (fixed, first) = (program.fixed_names(), names.len());
        let mut parts: Vec<Expression> = Vec::new();
        for part in &program.parts {
            let own = Expression::parse(&part.value.text(), &fixed[..first + parts.len()]);
            let own = own.map_err(|error| Error::Manifest(format!("{of}: {error}")))?;
            parts.push(own.with(first, &parts));
        }
        let mut operands = Vec::new();
        for (number, (tensor, access)) in arguments.chain(results).enumerate() {
            let name = match access {
                Access::Write => format!("result {}", number - count),
                _ => format!("argument {number}"),
            };
            let wrong = |error| Error::Manifest(format!("{of}, {name}: {error}"));
            let read = |text: &str| {
                Expression::parse(text, &fixed).map(|own| own.with(first, &parts)).map_err(wrong)
            };
            let (mut modes, mut stride) = (Vec::new(), "1".to_owned());
            for extent in tensor.shape.iter().rev() {
                let text = match extent {
                    Amount::Known(extent) => extent.to_string(),
                    Amount::AtRunTime(text) => text.clone(),
                };
                modes.push(vec![Leaf { extent: read(&text)?, stride: read(&stride)? }]);
                stride = match extent {
                    Amount::Known(_) => format!("{stride}*{text}"),
                    Amount::AtRunTime(_) => format!("{stride}*({text})"),
                };
            }
            modes.reverse();
            operands.push(Operand { name, element: tensor.element.clone(), access, modes });
        }
        Ok(Self { of, sizes, operands, is_exact: true })
    }

    /// The owner of the signature: `kernel softmax`, `program main`.
    pub fn of(&self) -> &str {
        &self.of
    }

    /// The sizes that are known at run time.
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Its tensors.
    pub fn operands(&self) -> &[Operand] {
        &self.operands
    }

    /// The sizes of a launch with these tensors, which it checks; `None` is a result that is still to be allocated.
    /// `given` has the values of sizes by name that no shape determines.
    ///
    /// # Errors
    ///
    /// Tensors that the launch does not take.
    pub fn bind(
        &self,
        tensors: &[Option<Tensor<'_>>],
        given: &[(&str, i64)],
    ) -> std::result::Result<Vec<i64>, Mismatch> {
        self.check_elements(tensors)?;
        let sizes = self.solve(tensors, given)?;
        self.check(tensors, &sizes)?;
        Ok(sizes)
    }

    /// Sizes, and extents and strides of all operands, of tensors of which element types and shapes are known: their strides are those of the
    /// layouts.
    ///
    /// # Errors
    ///
    /// Tensors that the launch does not take.
    pub fn places(
        &self,
        tensors: &[Option<Tensor<'_>>],
    ) -> std::result::Result<(Vec<i64>, Vec<Place>), Mismatch> {
        self.check_elements(tensors)?;
        let sizes = self.solve(tensors, &[])?;
        let mut places = Vec::with_capacity(tensors.len());
        for (number, (operand, tensor)) in self.operands.iter().zip(tensors).enumerate() {
            let Some(tensor) = tensor else {
                let wrong =
                    |error| self.mismatch(Some(number), Property::Layout, "a tensor", error);
                places.push(self.result(number, &sizes).map_err(wrong)?);
                continue;
            };
            let flat = operand.flat();
            let shape = || self.wrong_shape(number, tensor, &sizes);
            let dimensions = match self.dimensions(operand, &flat, tensor) {
                Some(dimensions) => dimensions,
                None if tensor.shape.is_empty() => Vec::new(),
                None => return Err(shape()),
            };
            let stride = |leaves: &[Leaf]| -> Option<i64> {
                values(leaves, &sizes).and_then(|leaves| joined(&leaves)).map(|(_, stride)| stride)
            };
            let strides: Option<Vec<i64>> =
                dimensions.iter().map(|leaves| stride(leaves)).collect();
            let memory = || (tensor.shape.len() == 1).then(|| vec![1]);
            let strides = strides.or_else(memory).ok_or_else(shape)?;
            places.push((tensor.shape.to_vec(), strides));
        }
        let placed: Vec<Option<Tensor<'_>>> = tensors
            .iter()
            .zip(&places)
            .map(|(tensor, (_, strides))| {
                tensor.map(|one| Tensor { strides: Some(strides), ..one })
            })
            .collect();
        self.check(&placed, &sizes)?;
        Ok((sizes, places))
    }

    /// Extents and strides of an operand, as a tensor: one dimension for each mode, or where a mode has several strides one for each leaf.
    ///
    /// # Errors
    ///
    /// Values that do not fit 64 bits.
    pub fn result(&self, operand: usize, sizes: &[i64]) -> Result<Place> {
        let found = self.operands.get(operand).map(|operand| {
            let modes = operand.modes.iter();
            let whole: Option<Vec<(i64, i64)>> =
                modes.map(|mode| joined(&values(mode, sizes)?)).collect();
            let leaves = || -> Option<Vec<(i64, i64)>> { values(&operand.flat(), sizes) };
            whole.or_else(leaves).map(|pairs| pairs.into_iter().unzip())
        });
        let wrong = || Error::Launch(format!("{}: expected sizes that fit 64 bits", self.of));
        found.flatten().ok_or_else(wrong)
    }

    /// For each size the operand, the dimension and the divisor that determine it, for tensors with one dimension for
    /// each mode, or `None` for a size that no dimension determines alone.
    pub fn sources(&self) -> Vec<Option<(usize, usize, i64)>> {
        let source = |number: usize| {
            let operands = self.operands.iter().enumerate();
            operands.filter(|(_, operand)| operand.access != Access::Write).find_map(
                |(at, operand)| {
                    let modes = operand.modes.iter().enumerate();
                    let mut found = modes.filter_map(|(mode, leaves)| {
                        let mut divisor = Some(1_i64);
                        let mut times = 0;
                        for leaf in leaves {
                            match leaf.extent.as_size() {
                                Some(size) if size == number => times += 1,
                                _ => divisor = divisor?.checked_mul(leaf.extent.integer()?),
                            }
                        }
                        (times == 1).then_some((at, mode, divisor?))
                    });
                    found.next()
                },
            )
        };
        (0..self.sizes.len()).map(source).collect()
    }

    fn check_elements(&self, tensors: &[Option<Tensor<'_>>]) -> std::result::Result<(), Mismatch> {
        if tensors.len() != self.operands.len() {
            let names: Vec<&str> =
                self.operands.iter().map(|operand| operand.name.as_str()).collect();
            let expected = format!("{} tensors ({})", names.len(), names.join(", "));
            return Err(self.mismatch(None, Property::Count, expected, tensors.len()));
        }
        for (number, (operand, tensor)) in self.operands.iter().zip(tensors).enumerate() {
            let Some(tensor) = tensor else { continue };
            if !takes(&operand.element, tensor.element) {
                let expected = format!("elements of {}", operand.element);
                return Err(self.mismatch(
                    Some(number),
                    Property::Element,
                    expected,
                    tensor.element,
                ));
            }
            if tensor.strides.is_some_and(|strides| strides.len() != tensor.shape.len()) {
                let expected = format!("strides of {} dimensions", tensor.shape.len());
                let found = tuple(tensor.strides.unwrap_or_default());
                return Err(self.mismatch(Some(number), Property::Strides, expected, found));
            }
        }
        Ok(())
    }

    /// The sizes that the tensors' extents and strides say.
    fn solve(
        &self,
        tensors: &[Option<Tensor<'_>>],
        given: &[(&str, i64)],
    ) -> std::result::Result<Vec<i64>, Mismatch> {
        let mut sizes: Vec<Option<i64>> = vec![None; self.sizes.len()];
        for (name, value) in given {
            let place = self.sizes.iter().position(|size| size.name == *name);
            let Some(size) = place.and_then(|place| sizes.get_mut(place)) else {
                let names: Vec<&str> = self.sizes.iter().map(|size| size.name.as_str()).collect();
                let expected = match names[..] {
                    [] => "no sizes, as all are static".to_owned(),
                    _ => format!("values of {}", names.join(", ")),
                };
                return Err(self.mismatch(None, Property::Size, expected, name));
            };
            *size = Some(*value);
        }
        while sizes.contains(&None) {
            let known = sizes.iter().flatten().count();
            for (operand, tensor) in self.operands.iter().zip(tensors) {
                let Some(tensor) = tensor else { continue };
                let flat = operand.flat();
                let Some(dimensions) = self.dimensions(operand, &flat, tensor) else { continue };
                for (at, (leaves, &extent)) in dimensions.iter().zip(tensor.shape).enumerate() {
                    let extents = leaves.iter().map(|leaf| &leaf.extent);
                    solve_product(extents, extent, &mut sizes);
                    if let ([leaf, ..], Some(strides)) = (leaves, tensor.strides)
                        && !(leaves.len() > 1 && dimensions.len() == 1)
                        && let Some(&stride) = strides.get(at)
                    {
                        solve_product([&leaf.stride].into_iter(), stride, &mut sizes);
                    }
                }
            }
            if sizes.iter().flatten().count() == known {
                break;
            }
        }
        let mut values = Vec::with_capacity(sizes.len());
        for (size, value) in self.sizes.iter().zip(sizes) {
            let Size { name, .. } = size;
            let Some(value) = value else {
                // A shape of another rank or extent determines no size; the message names that shape then.
                self.check_known(tensors)?;
                let expected = format!("a value of {name} ({})", size.values());
                let found = "no tensor whose shape determines it";
                return Err(self.mismatch(None, Property::Size, expected, found));
            };
            if !size.takes(value) {
                let expected = format!("{name} of {}", size.values());
                return Err(self.mismatch(None, Property::Size, expected, value));
            }
            values.push(value);
        }
        Ok(values)
    }

    /// Checks what is known without all sizes: ranks, and extents that are static.
    fn check_known(&self, tensors: &[Option<Tensor<'_>>]) -> std::result::Result<(), Mismatch> {
        for (number, (operand, tensor)) in self.operands.iter().zip(tensors).enumerate() {
            let Some(tensor) = tensor else { continue };
            let flat = operand.flat();
            let fits = self.dimensions(operand, &flat, tensor).is_some_and(|dimensions| {
                dimensions.iter().zip(tensor.shape).all(|(leaves, &extent)| {
                    let mut product = Some(1_i64);
                    for leaf in *leaves {
                        match leaf.extent.integer() {
                            Some(value) => product = product.and_then(|p| p.checked_mul(value)),
                            None => return product.is_some_and(|p| p > 0 && extent % p == 0),
                        }
                    }
                    product == Some(extent)
                })
            });
            if !fits {
                return Err(self.wrong_shape(number, tensor, &[]));
            }
        }
        Ok(())
    }

    /// Checks shapes and strides at these sizes.
    fn check(
        &self,
        tensors: &[Option<Tensor<'_>>],
        sizes: &[i64],
    ) -> std::result::Result<(), Mismatch> {
        for (number, (operand, tensor)) in self.operands.iter().zip(tensors).enumerate() {
            let Some(tensor) = tensor else { continue };
            let flat = operand.flat();
            let shape = || self.wrong_shape(number, tensor, sizes);
            let leaves = values(&flat, sizes).ok_or_else(shape)?;
            if tensor.shape.is_empty() && leaves.iter().all(|&(extent, _)| extent == 1) {
                continue;
            }
            let dimensions = self.dimensions(operand, &flat, tensor).ok_or_else(shape)?;
            let dimensions: Option<Vec<Vec<(i64, i64)>>> =
                dimensions.into_iter().map(|leaves| values(leaves, sizes)).collect();
            let dimensions = dimensions.ok_or_else(shape)?;
            let extents = dimensions.iter().map(|leaves| product(leaves));
            if !extents.eq(tensor.shape.iter().copied().map(Some)) {
                return Err(shape());
            }
            let joined: Option<Vec<(i64, i64)>> =
                dimensions.iter().map(|leaves| joined(leaves)).collect();
            let memory = || {
                let fills = !self.is_exact && tensor.shape.len() == 1 && is_dense(&leaves);
                fills.then(|| vec![(tensor.shape[0], 1)])
            };
            let Some(expected) = joined.or_else(memory) else {
                return Err(self.wrong_shape(number, tensor, sizes));
            };
            let own = row_major(tensor.shape);
            let strides = tensor.strides.unwrap_or(&own);
            let same = expected.iter().zip(strides);
            let mut same = same.map(|(&(extent, stride), &found)| extent <= 1 || stride == found);
            if !tensor.shape.contains(&0) && !same.all(|same| same) {
                let expected: Vec<i64> = expected.iter().map(|&(_, stride)| stride).collect();
                let expected = format!("strides {}", tuple(&expected));
                return Err(self.mismatch(
                    Some(number),
                    Property::Strides,
                    expected,
                    tuple(strides),
                ));
            }
        }
        Ok(())
    }

    /// The leaves of each dimension of a tensor, by its rank, or `None` if no form has that.
    fn dimensions<'s>(
        &self,
        operand: &'s Operand,
        flat: &'s [Leaf],
        tensor: &Tensor<'_>,
    ) -> Option<Dimensions<'s>> {
        let rank = tensor.shape.len();
        if rank == operand.modes.len() {
            return Some(operand.modes.iter().map(Vec::as_slice).collect());
        }
        if self.is_exact {
            return None;
        }
        match rank {
            _ if rank == flat.len() => Some(flat.chunks(1).collect()),
            1 => Some(vec![flat]),
            _ => None,
        }
    }

    fn wrong_shape(&self, number: usize, tensor: &Tensor<'_>, sizes: &[i64]) -> Mismatch {
        let expected = self.operands.get(number).map(|operand| {
            let texts = operand.modes.iter().map(|leaves| extent(leaves));
            format!("shape ({})", texts.collect::<Vec<_>>().join(","))
        });
        let mut expected = expected.unwrap_or_default();
        let strided = self.operands.get(number).is_some_and(|operand| {
            let several = |mode: &Vec<Leaf>| {
                values(mode, sizes).is_some_and(|leaves| joined(&leaves).is_none())
            };
            operand.modes.iter().any(several)
        });
        if strided && let Some(operand) = self.operands.get(number) {
            let leaves: Vec<&str> =
                operand.modes.iter().flatten().map(|leaf| leaf.extent.text()).collect();
            expected = format!("shape ({}), a dimension for each leaf", leaves.join(","));
        }
        let at: Vec<String> = self
            .sizes
            .iter()
            .zip(sizes)
            .map(|(size, value)| format!("{}={value}", size.name))
            .collect();
        if !at.is_empty() {
            expected += &format!(" at {}", at.join(", "));
        }
        self.mismatch(Some(number), Property::Shape, expected, tuple(tensor.shape))
    }

    fn mismatch(
        &self,
        operand: Option<usize>,
        property: Property,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Mismatch {
        let name = |number: usize| self.operands.get(number).map(|one| one.name.clone());
        Mismatch {
            of: self.of.clone(),
            operand: operand.map(|number| (number, name(number).unwrap_or_default())),
            property,
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }
}

impl Operand {
    /// The leaves of all modes.
    fn flat(&self) -> Vec<Leaf> {
        self.modes.iter().flatten().cloned().collect()
    }

    /// For each mode its extent and its stride as texts over the sizes; no stride where it has several, or one that sizes decide.
    pub fn texts(&self) -> Vec<(String, Option<String>)> {
        let text = |leaves: &Vec<Leaf>| {
            // All but the last extent are static where the mode is one run of memory.
            let mut next = None;
            let mut is_run = true;
            for leaf in leaves {
                let stride = leaf.stride.integer();
                is_run &= next.is_none_or(|next| stride.is_some() && stride == next);
                let extent = leaf.extent.integer();
                next = Some(
                    extent.zip(stride).and_then(|(extent, stride)| extent.checked_mul(stride)),
                );
            }
            let stride = leaves.first().filter(|_| is_run);
            (extent(leaves), stride.map(|leaf| leaf.stride.text().to_owned()))
        };
        self.modes.iter().map(text).collect()
    }
}

/// The extent of a mode as a text over the sizes.
fn extent(leaves: &[Leaf]) -> String {
    if let [leaf] = leaves {
        return leaf.extent.text().to_owned();
    }
    let mut known = 1_i64;
    let mut texts = Vec::new();
    for leaf in leaves {
        match (leaf.extent.integer(), leaf.extent.as_size()) {
            (Some(extent), _) => known = known.saturating_mul(extent),
            (None, Some(_)) => texts.push(leaf.extent.text().to_owned()),
            (None, None) => texts.push(format!("({})", leaf.extent.text())),
        }
    }
    if known != 1 || texts.is_empty() {
        texts.insert(0, known.to_string());
    }
    texts.join("*")
}

/// Whether elements of one type are taken for those of another.
fn takes(expected: &str, found: &str) -> bool {
    if expected == found {
        return true;
    }
    let bits = expected.strip_prefix('i').and_then(|bits| bits.parse::<u32>().ok());
    match expected {
        "tf32" => found == "f32",
        "index" => found == "i64",
        // Types of MLIR's integers have no sign; those below a byte take one.
        _ => match bits {
            Some(1) => found == "ui8" || found == "i8",
            Some(2..8) => found == "ui8" || found == "i8",
            Some(bits) => found.strip_prefix("ui") == Some(&bits.to_string()),
            None => false,
        },
    }
}

/// The modes of a layout.
fn modes(shape: &str, stride: &str, names: &[&str]) -> std::result::Result<Vec<Vec<Leaf>>, String> {
    let expected = "expected a stride for each extent";
    let mut modes = Vec::new();
    let (extents, strides) = (elements(shape.trim()), elements(stride.trim()));
    let (extents, strides) = match (extents, strides) {
        (Some(extents), Some(strides)) if extents.len() == strides.len() => (extents, strides),
        (None, None) => (vec![shape], vec![stride]),
        _ => return Err(expected.to_owned()),
    };
    for (extent, stride) in extents.into_iter().zip(strides) {
        let mut leaves = Vec::new();
        flatten(extent, stride, names, 0, &mut leaves)?;
        modes.push(leaves);
    }
    Ok(modes)
}

fn flatten(
    shape: &str,
    stride: &str,
    names: &[&str],
    depth: usize,
    leaves: &mut Vec<Leaf>,
) -> std::result::Result<(), String> {
    let (shape, stride) = (shape.trim(), stride.trim());
    if depth > MAX_DEPTH {
        return Err(format!("expected at most {MAX_DEPTH} tuples within each other"));
    }
    match (elements(shape), elements(stride)) {
        (Some(extents), Some(strides)) if extents.len() == strides.len() => {
            let mut both = extents.into_iter().zip(strides);
            both.try_for_each(|(extent, stride)| flatten(extent, stride, names, depth + 1, leaves))
        }
        (None, _) => {
            let read =
                |text: &str| Expression::parse(text, names).map_err(|error| error.to_string());
            leaves.push(Leaf { extent: read(shape)?, stride: read(stride)? });
            Ok(())
        }
        _ => Err("expected a stride for each extent".to_owned()),
    }
}

/// Finds the one unknown size of a product of which the value is known, where one factor is linear in it.
fn solve_product<'e>(
    factors: impl Iterator<Item = &'e Expression>,
    value: i64,
    sizes: &mut [Option<i64>],
) {
    let mut known = 1_i64;
    let mut unknown = None;
    for factor in factors {
        match (factor.where_known(sizes), factor.linear(sizes)) {
            (Some(factor), _) => match known.checked_mul(factor) {
                Some(product) => known = product,
                None => return,
            },
            (None, Some(linear)) if unknown.is_none() => unknown = Some(linear),
            _ => return,
        }
    }
    let Some((size, times, plus)) = unknown else { return };
    if known > 0
        && value % known == 0
        && let Some(left) = (value / known).checked_sub(plus)
        && left.checked_rem(times) == Some(0)
        && let Some(size) = sizes.get_mut(size)
    {
        *size = left.checked_div(times);
    }
}

/// Extents and strides of leaves at these sizes, or `None` if one does not fit 64 bits.
fn values(leaves: &[Leaf], sizes: &[i64]) -> Option<Vec<(i64, i64)>> {
    let value = |leaf: &Leaf| leaf.extent.at(sizes).ok().zip(leaf.stride.at(sizes).ok());
    leaves.iter().map(value).collect()
}

fn product(leaves: &[(i64, i64)]) -> Option<i64> {
    leaves.iter().try_fold(1_i64, |product, &(extent, _)| product.checked_mul(extent))
}

/// Leaves as one extent and one stride, or `None` if they have several.
fn joined(leaves: &[(i64, i64)]) -> Option<(i64, i64)> {
    let mut whole = (1_i64, 1_i64);
    for &(extent, stride) in leaves.iter().filter(|&&(extent, _)| extent != 1) {
        whole = match whole {
            (1, _) => (extent, stride),
            (before, first) if before.checked_mul(first) == Some(stride) => {
                (before.checked_mul(extent)?, first)
            }
            _ => return None,
        };
    }
    Some(whole)
}

/// Whether leaves reach each element of as much memory as they have elements.
fn is_dense(leaves: &[(i64, i64)]) -> bool {
    let mut sorted: Vec<(i64, i64)> =
        leaves.iter().copied().filter(|&(extent, _)| extent != 1).collect();
    sorted.sort_by_key(|&(_, stride)| stride);
    joined(&sorted).is_some_and(|(extent, stride)| stride == 1 || extent <= 1)
}

/// The strides of a tensor in row-major order without gaps.
pub fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1_i64; shape.len()];
    for at in (1..shape.len()).rev() {
        strides[at - 1] = strides[at].saturating_mul(shape[at]);
    }
    strides
}

fn tuple(values: &[i64]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("({})", texts.join(","))
}

#[cfg(test)]
mod tests;
