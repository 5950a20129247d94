//! Operands for any kernel, and the comparison of its results with those of its reference.
//!
//! A reference is a function in float64: it takes each operand as a dense matrix of float64 (integers stay as they are),
//! row-major over the modes of the operand's layout, and writes its results into the same matrices.
//!
//! # Tolerance
//!
//! An element of a result is right when it is within
//!
//! ```text
//! 2 u(result) |expected| + 16 s rms(expected)
//! ```
//!
//! of the reference's. `u` is the unit roundoff of the result's type (2^-24 of f32, 2^-11 of f16, 2^-8 of bf16): a result is rounded once, and
//! the number that is rounded may be on the other side of a tie. Below the normal numbers the first term is their step. `s` is the error that
//! the arithmetic before that may have. Sums of n numbers in f32 are off by about `u(f32) sqrt(n)` of the norm of what is
//! added, and by how much that moves the result is measured: the reference runs a second time with each input off by a
//! factor of `1 ± u(f32) (2 + sqrt(n))`, signs at random, and `s` is the norm of the difference over that of the result, at
//! least `u(f32)`. So a sum that cancels, which loses digits in any order of additions, has a tolerance for these digits, and a
//! transpose has 3 * 2^-20 of the root of the mean square. n is the manifest's `depth`, the longest reduction of the reference. f64 replaces
//! f32 if all floats of the kernel are f64, and for results in f64 of a reference that computes in f64 alone.
//!
//! # Integers
//!
//! An integer is right if the reference gives it, from the operands as they are or from disturbed ones: with a float among the operands the
//! reference runs [`RUNS`] times more, in pairs, each float off by `16 u(f32) (2 + sqrt(n))` of it, with signs at random in the first run of a
//! pair and the opposite ones in the second. So an integer that is rounded from a float may be on either side of a tie that the kernel's
//! arithmetic may miss, an index may be that of either of two equal numbers, and all others are exact. Runs differ by more than 1 in
//! integers that are large for f32, and these may lie between two runs.
//!
//! # Rounding on the way
//!
//! A kernel may round numbers on the way, as attention rounds probabilities for the second matmul. Its reference states this: it
//! narrows a number, which rounds it there too, and widens it again. The kernel may have rounded another number (attention scales
//! probabilities later): such roundings are independent, and each is off by half of the type's unit roundoff in the mean, so that `s` is at
//! least that: the manifest's `rounds`. A reference that computes in a type narrower than f32, the manifest's `arithmetic`, does so in float64
//! for a kernel that rounds each step: `16 s` is then at least `2 u (1 + sqrt(n))` of that type, up to a quarter.
//!
//! A kernel without a reference whose manifest has a `problem` is compared with the GEMMs that it states (`trial/problem.rs`).

mod coverage;
mod expected;
mod problem;

pub use coverage::Coverage;
pub use expected::{Expected, RUNS};

use crate::data::{self, Random, Shuffled, poison};
use crate::manifest::{Access, Argument, Element, Kernel, Number, Scalar};
use crate::{Error, Result, memory};

/// Bytes that an operand may take.
const MAX_BYTES: usize = 1 << 36;

/// An operand's memory, according to its layout.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its element type.
    pub element: Element,
    /// The kernel's access to it.
    pub access: Access,
    /// Elements along each mode of its layout.
    pub extents: Vec<usize>,
    /// Bytes that its address is a multiple of, and of no more.
    pub start: usize,
    /// The elements that a kernel is for, where it is for such alone.
    values: Option<Values>,
    /// Extents and strides, the fastest of row-major order first.
    steps: Vec<(usize, usize)>,
}

/// Integers that an operand has.
#[derive(Clone, Copy, Debug)]
enum Values {
    /// From the least to the greatest, in any order.
    Between(i64, i64),
    /// From the first to the last, none less than the one before.
    Ascending(i64, i64),
}

impl Field {
    /// The operand that an argument describes.
    ///
    /// # Errors
    ///
    /// Texts that are no layout; strides below 0; more than 2^36 bytes.
    pub fn new(argument: &Argument) -> Result<Self> {
        let wrong = |what: &str| {
            let Argument { name, shape, stride, .. } = argument;
            Error::Manifest(format!("argument {name}: expected {what}, found {shape}:{stride}"))
        };
        let layout = || wrong("a layout of integers");
        let shape = modes(&argument.shape).ok_or_else(layout)?;
        let stride = modes(&argument.stride).ok_or_else(layout)?;
        let alike = shape.len() == stride.len()
            && shape.iter().zip(&stride).all(|(shape, stride)| shape.len() == stride.len());
        if !alike {
            return Err(wrong("a stride for each extent"));
        }
        let all = || shape.iter().flatten().zip(stride.iter().flatten());
        if all().any(|(&extent, &stride)| extent < 1 || stride < 0) {
            return Err(wrong("extents of at least 1 and strides of at least 0"));
        }
        let bytes = argument.element.bytes() as i64;
        let span = all().try_fold(1_i64, |span, (extent, stride)| {
            (extent - 1).checked_mul(*stride)?.checked_add(span)
        });
        let size = all().try_fold(1_i64, |size, (extent, _)| size.checked_mul(*extent));
        let fits = |count: Option<i64>| {
            let bytes = count.and_then(|count| count.checked_mul(bytes));
            bytes.and_then(|bytes| usize::try_from(bytes).ok()).is_some_and(|b| b <= MAX_BYTES)
        };
        if !fits(span) || !fits(size) {
            return Err(wrong("at most 2^36 bytes"));
        }
        let wide = |value: i64| usize::try_from(value).unwrap_or_default();
        let extents =
            shape.iter().map(|mode| mode.iter().map(|&extent| wide(extent)).product()).collect();
        let mut steps = Vec::new();
        for (shape, stride) in shape.iter().zip(&stride).rev() {
            let leaves =
                shape.iter().zip(stride).map(|(&extent, &stride)| (wide(extent), wide(stride)));
            steps.extend(leaves.filter(|(extent, _)| *extent > 1));
        }
        Ok(Self {
            name: argument.name.clone(),
            element: argument.element,
            access: argument.access,
            extents,
            start: argument.start(),
            values: values(argument)?,
            steps,
        })
    }

    /// Its name with the coordinates of an element of row-major order.
    pub(crate) fn element_at(&self, mut place: usize) -> String {
        let mut at = Vec::with_capacity(self.extents.len());
        for &extent in self.extents.iter().rev() {
            at.push((place % extent).to_string());
            place /= extent;
        }
        at.reverse();
        format!("{}({})", self.name, at.join(","))
    }

    /// Elements of its layout.
    pub fn size(&self) -> usize {
        self.extents.iter().product()
    }

    /// Elements from the first to past the last.
    pub fn span(&self) -> usize {
        self.steps.iter().map(|(extent, stride)| (extent - 1) * stride).sum::<usize>() + 1
    }

    /// Elements of memory that its layout names.
    pub fn distinct(&self) -> usize {
        let extents = self.steps.iter().filter(|(_, stride)| *stride > 0).map(|(extent, _)| extent);
        extents.product::<usize>().min(self.span())
    }

    /// Where each element lies, in row-major order.
    pub fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let mut digits = vec![0_usize; self.steps.len()];
        let mut place = 0_usize;
        (0..self.size()).map(move |_| {
            let own = place;
            for (digit, (extent, stride)) in digits.iter_mut().zip(&self.steps) {
                *digit += 1;
                place += stride;
                if *digit < *extent {
                    break;
                }
                place -= *digit * stride;
                *digit = 0;
            }
            own
        })
    }

    /// Memory of random elements among a poison, where the kernel reads it; else of poison alone.
    ///
    /// # Errors
    ///
    /// [`Error::Manifest`] if the system refuses the memory.
    pub fn memory(&self, random: &mut Random, poison: u8) -> Result<Vec<u8>> {
        let size = self.element.bytes();
        let mut bytes = memory::filled(&self.name, poison, self.span() * size)?;
        if self.access != Access::Write {
            let (mut among, mut ascending) = (None, Vec::new().into_iter());
            match self.values {
                Some(Values::Between(least, most)) => among = Shuffled::new(least, most),
                Some(Values::Ascending(first, last)) => {
                    ascending = data::ascending(first, last, self.size(), random).into_iter();
                }
                None => {}
            }
            for place in self.places() {
                let next = ascending.next().or_else(|| Some(among.as_mut()?.draw(random)));
                let value = match next {
                    Some(integer) => integer as f64,
                    None => data::random(self.element, random),
                };
                data::encode(self.element, value, &mut bytes[place * size..(place + 1) * size]);
            }
        }
        Ok(bytes)
    }

    /// Its elements, in row-major order.
    pub fn values(&self, bytes: &[u8]) -> Vec<f64> {
        let size = self.element.bytes();
        let at = |place: usize| bytes.get(place * size..).unwrap_or_default();
        self.places().map(|place| data::decode(self.element, at(place))).collect()
    }

    /// Its integers, in row-major order.
    fn integers(&self, bytes: &[u8]) -> Vec<i64> {
        let size = self.element.bytes();
        self.places()
            .map(|place| data::integer(bytes.get(place * size..).unwrap_or_default(), size))
            .collect()
    }

    /// The name of the first element, in row-major order, that [`Self::coverage`] found unwritten.
    fn first_of(&self, unwritten: &[bool]) -> Option<String> {
        let is_unwritten = |place: usize| unwritten.get(place).is_some_and(|&own| own);
        self.places().position(is_unwritten).map(|place| self.element_at(place))
    }

    /// For each place, whether an element there is still poison; and the bytes between elements that no longer are.
    pub fn coverage(&self, bytes: &[u8], poison: u8) -> (Vec<bool>, usize) {
        let size = self.element.bytes();
        let mut unwritten = vec![false; bytes.len() / size];
        for place in self.places() {
            unwritten[place] = true;
        }
        let mut stray = 0;
        for (element, unwritten) in bytes.chunks_exact(size).zip(&mut unwritten) {
            let written = element.iter().filter(|&&byte| byte != poison).count();
            if *unwritten {
                *unwritten = written == 0;
            } else {
                stray += written;
            }
        }
        (unwritten, stray)
    }

    /// Bytes that a kernel has to move for it.
    pub fn traffic(&self) -> u64 {
        let times = if self.access == Access::ReadWrite { 2 } else { 1 };
        times * (self.distinct() * self.element.bytes()) as u64
    }
}

/// The integers that an argument's elements are.
fn values(argument: &Argument) -> Result<Option<Values>> {
    let values = match (argument.values, argument.ascending) {
        (None, None) => return Ok(None),
        (Some([least, most]), None) => Values::Between(least, most),
        (None, Some([first, last])) => Values::Ascending(first, last),
        (Some(_), Some(_)) => {
            return Err(Error::Manifest(format!(
                "argument {}: expected values or ascending ones, found both",
                argument.name
            )));
        }
    };
    let (Values::Between(least, most) | Values::Ascending(least, most)) = values;
    let all = match argument.element {
        Element::I8 => i64::from(i8::MIN)..=i64::from(i8::MAX),
        Element::I16 => i64::from(i16::MIN)..=i64::from(i16::MAX),
        Element::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        Element::I64 => i64::MIN..=i64::MAX,
        element => {
            return Err(Error::Manifest(format!(
                "argument {}: expected values of integers only, found some of {element}",
                argument.name
            )));
        }
    };
    if least > most || !all.contains(&least) || !all.contains(&most) {
        return Err(Error::Manifest(format!(
            "argument {}: expected the least and the greatest of {} as values, found {least} and {most}",
            argument.name, argument.element
        )));
    }
    Ok(Some(values))
}

/// The integers of each mode of a tuple; an integer is one mode.
fn modes(text: &str) -> Option<Vec<Vec<i64>>> {
    let text = text.trim();
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return Some(vec![vec![text.parse().ok()?]]);
    };
    let (mut all, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let integers = |mode: &str| -> Option<Vec<i64>> {
        let words = mode.split(['(', ')', ',']).map(str::trim).filter(|word| !word.is_empty());
        words.map(|word| word.parse().ok()).collect()
    };
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                all.push(integers(&inside[start..at])?);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(integers(&inside[start..])?);
    (depth == 0 && all.iter().all(|mode| !mode.is_empty())).then_some(all)
}

/// A dense matrix as a reference takes it.
#[derive(Clone, Debug)]
pub struct Dense {
    /// Float64, or the operand's own integers, each in a word of its own type.
    words: Vec<u64>,
    element: Element,
    extents: Vec<usize>,
}

impl Dense {
    fn new(field: &Field, bytes: &[u8]) -> Self {
        let element = if field.element.is_integer() { field.element } else { Element::F64 };
        let size = element.bytes();
        let mut dense = Self {
            words: vec![0; (field.size() * size).div_ceil(size_of::<u64>())],
            element,
            extents: field.extents.clone(),
        };
        let own = field.element.bytes();
        let to = dense.bytes_mut().chunks_exact_mut(size);
        for (place, to) in field.places().zip(to) {
            let from = bytes.get(place * own..).unwrap_or_default();
            match (element.is_integer(), from.get(..size)) {
                (true, Some(from)) => to.copy_from_slice(from),
                _ => data::encode(element, data::decode(field.element, from), to),
            }
        }
        dense
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let length = size_of_val(&*self.words);
        // SAFETY: the words' memory, borrowed for as long as the bytes are; any bytes are a word.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), length) }
    }

    fn values(&self) -> Vec<f64> {
        let size = self.element.bytes();
        let count: usize = self.extents.iter().product();
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.chunks_exact(size).take(count).map(|own| data::decode(self.element, own)).collect()
    }

    fn integers(&self) -> Vec<i64> {
        let size = self.element.bytes();
        let count: usize = self.extents.iter().product();
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes.chunks_exact(size).take(count).map(|own| data::integer(own, size)).collect()
    }

    /// Moves each float by a part of it, up or down.
    fn disturb(&mut self, part: f64, random: &mut Random) {
        if self.element != Element::F64 {
            return;
        }
        for word in &mut self.words {
            let sign = if random.bits() & 1 == 0 { part } else { -part };
            *word = (f64::from_bits(*word) * (1.0 + sign)).to_bits();
        }
    }

    /// Its words as a parameter of MLIR's calling convention for memrefs: the pointer twice, the offset, extents, strides.
    fn descriptor(&mut self, words: &mut Vec<u64>) {
        let pointer = self.words.as_mut_ptr() as u64;
        words.extend([pointer, pointer, 0]);
        words.extend(self.extents.iter().map(|&extent| extent as u64));
        let stride = |mode: usize| self.extents[mode + 1..].iter().product::<usize>() as u64;
        words.extend((0..self.extents.len()).map(stride));
    }
}

/// A function that computes a reference: it takes [`words`].
pub type ReferenceFn<'a> = dyn Fn(&[u64]) -> Result<()> + 'a;

/// The words that a reference takes, in the order of the kernel's parameters: each operand as a memref, each float in
/// float64.
fn words(kernel: &Kernel, operands: &mut [Dense]) -> Result<Vec<u64>> {
    let mut words = Vec::new();
    let mut scalars = kernel.scalars.iter().peekable();
    let scalar = |scalar: &Scalar| match (scalar.float(), scalar.number) {
        (Some(_), Some(number)) => Ok(number.value().to_bits()),
        _ => scalar.word(&kernel.name),
    };
    for (number, operand) in operands.iter_mut().enumerate() {
        while let Some(own) = scalars.next_if(|scalar| scalar.before <= number) {
            words.push(scalar(own)?);
        }
        operand.descriptor(&mut words);
    }
    for own in scalars {
        words.push(scalar(own)?);
    }
    Ok(words)
}

impl Kernel {
    /// The error of a kernel and a reference of which one writes what the other does not.
    fn contradicts(&self, reason: String) -> Error {
        Error::Reference { kernel: self.name.clone(), reason }
    }

    /// Bytes that it has to read and write: those that its source states, else those of its arguments.
    ///
    /// # Errors
    ///
    /// An argument that is no layout.
    pub fn traffic(&self) -> Result<u64> {
        match self.bytes {
            Some(bytes) => Ok(bytes),
            None => self.args.iter().map(|argument| Ok(Field::new(argument)?.traffic())).sum(),
        }
    }

    /// With random values for floats by value that nothing else determines.
    pub fn with_random_scalars(mut self, random: &mut Random) -> Self {
        for scalar in &mut self.scalars {
            if let (Some(element), None) = (scalar.float(), scalar.number) {
                scalar.number = Some(Number::Float(data::nearest(element, random.normal())));
            }
        }
        self
    }
}

/// The memory of a kernel's operands, and its contents before a launch.
///
/// # Errors
///
/// An argument that is no layout; more memory than this machine has.
pub fn operands(
    kernel: &Kernel,
    random: &mut Random,
    byte: fn(Element) -> u8,
) -> Result<(Vec<Field>, Vec<Vec<u8>>)> {
    let fields = kernel.args.iter().map(Field::new).collect::<Result<Vec<_>>>()?;
    // A check has the contents before, during and after a run, and dense matrices before and after that of a reference.
    let dense = if kernel.reference.is_some() || kernel.problem.is_some() { 2 } else { 0 };
    let of = |field: &Field| {
        let wide = if field.element.is_integer() { field.element } else { Element::F64 };
        3 * (field.span() * field.element.bytes()) as u64
            + dense * (field.size() * wide.bytes()) as u64
    };
    memory::check(
        &format!("the operands of @{} with their copies", kernel.name),
        fields.iter().map(of).fold(0, u64::saturating_add),
    )?;
    let all = fields.iter().map(|field| field.memory(random, byte(field.element)));
    let all = all.collect::<Result<Vec<_>>>()?;
    Ok((fields, all))
}

/// The first poison of a kind of element: [`poison`].
pub const FIRST: fn(Element) -> u8 = poison;

#[cfg(test)]
mod tests {
    use super::{expected::ExpectedElements, *};
    use crate::distance::Distance;

    fn argument(element: Element, shape: &str, stride: &str, access: Access) -> Argument {
        Argument {
            name: "x".into(),
            element,
            shape: shape.into(),
            stride: stride.into(),
            access,
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
        }
    }

    fn field(shape: &str, stride: &str) -> Result<Field> {
        Field::new(&argument(Element::F32, shape, stride, Access::Write))
    }

    #[test]
    fn elements_are_in_row_major_order_of_the_modes() {
        let matrix = field("(2,(2,2))", "(1,(4,2))").unwrap();
        assert_eq!(matrix.places().collect::<Vec<_>>(), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!((matrix.size(), matrix.span(), matrix.distinct()), (8, 8, 8));
        assert_eq!(field("7", "3").unwrap().places().collect::<Vec<_>>(), [0, 3, 6, 9, 12, 15, 18]);
        let broadcast = field("(3,2)", "(0,1)").unwrap();
        assert_eq!(broadcast.places().collect::<Vec<_>>(), [0, 1, 0, 1, 0, 1]);
        assert_eq!((broadcast.distinct(), broadcast.traffic()), (2, 8));
    }

    #[test]
    fn strange_layouts_are_refused() {
        let error = |shape, stride| field(shape, stride).unwrap_err().to_string();
        assert_eq!(
            error("(2,3)", "(1,(1,2))"),
            "manifest: argument x: expected a stride for each extent, found (2,3):(1,(1,2))"
        );
        assert_eq!(
            error("(2,x)", "(1,1)"),
            "manifest: argument x: expected a layout of integers, found (2,x):(1,1)"
        );
        assert_eq!(
            error("(2,3)", "(1,-1)"),
            "manifest: argument x: expected extents of at least 1 and strides of at least 0, found (2,3):(1,-1)"
        );
        assert_eq!(
            error("(9223372036854775807,3)", "(1,1)"),
            "manifest: argument x: expected at most 2^36 bytes, found (9223372036854775807,3):(1,1)"
        );
        assert!(field("()", "()").is_err() && field("(2", "1").is_err());
    }

    #[test]
    fn integers_come_from_their_range_each_once_before_any_again() {
        let of = |element, values| {
            let argument = argument(element, "(3,4)", "(1,3)", Access::Read);
            Field::new(&Argument { values: Some(values), ..argument })
        };
        let own = of(Element::I32, [7, 12]).unwrap();
        let mut found = own.values(&own.memory(&mut Random::new(5), 0x80).unwrap());
        found.sort_by(f64::total_cmp);
        let twice: Vec<f64> = (7..=12).flat_map(|value| [f64::from(value); 2]).collect();
        assert_eq!(found, twice);
        let error = |element, values| of(element, values).unwrap_err().to_string();
        assert_eq!(
            error(Element::I8, [0, 128]),
            "manifest: argument x: expected the least and the greatest of i8 as values, found 0 and 128"
        );
        assert_eq!(
            error(Element::I32, [1, 0]),
            "manifest: argument x: expected the least and the greatest of i32 as values, found 1 and 0"
        );
        assert_eq!(
            error(Element::F16, [0, 1]),
            "manifest: argument x: expected values of integers only, found some of f16"
        );
    }

    #[test]
    fn cumulative_lengths_ascend_from_the_first_to_the_last() {
        let of = |ascending, values| {
            let argument = argument(Element::I32, "(7)", "(1)", Access::Read);
            Field::new(&Argument { ascending: Some(ascending), values, ..argument })
        };
        let own = of([3, 40], None).unwrap();
        let drawn = |seed| own.values(&own.memory(&mut Random::new(seed), 0x80).unwrap());
        let found = drawn(5);
        assert!(found.is_sorted() && found[0] == 3.0 && found[6] == 40.0, "{found:?}");
        assert_ne!(found, drawn(6));
        assert_eq!(
            of([40, 3], None).unwrap_err().to_string(),
            "manifest: argument x: expected the least and the greatest of i32 as values, found 40 and 3"
        );
        assert_eq!(
            of([0, 1], Some([0, 1])).unwrap_err().to_string(),
            "manifest: argument x: expected values or ascending ones, found both"
        );
    }

    #[test]
    fn what_was_written_is_seen() {
        let field = field("(2,2)", "(3,1)").unwrap();
        let mut bytes = vec![0xff; 5 * 4];
        assert_eq!(field.coverage(&bytes, 0xff), (vec![true, true, false, true, true], 0));
        bytes[4 * 3] = 1;
        bytes[4 * 2] = 1;
        assert_eq!(field.coverage(&bytes, 0xff), (vec![true, true, false, false, true], 1));
    }

    /// A kernel of two arguments, and a reference that sums the first up into the second.
    fn kernel(element: &str, depth: u64) -> Kernel {
        let text = format!(
            r#"{{"name": "sum", "chip": "sm_80", "grid": [1, 1, 1], "block": [32, 1, 1], "shared_bytes": 0, "args": [
                {{"name": "x", "element": "{element}", "shape": "{depth}", "stride": "1", "access": "read"}},
                {{"name": "y", "element": "{element}", "shape": "1", "stride": "1", "access": "write"}}],
                "reference": {{"entry": "sum", "depth": {depth}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    /// Sums up as the words of two memrefs of rank 1 say.
    fn sums(words: &[u64]) -> Result<()> {
        let &[x, _, 0, n, 1, y, _, 0, 1, 1] = words else { panic!("{words:?}") };
        // SAFETY: the words are two memrefs of f64, the first of n elements.
        unsafe {
            let sum = (0..n as usize).map(|i| *(x as *const f64).add(i)).sum::<f64>();
            *(y as *mut f64) = sum;
        }
        Ok(())
    }

    #[test]
    fn numbers_that_are_rounded_on_the_way_are_off_by_as_much() {
        let mut kernel = kernel("f32", 4096);
        kernel.reference.as_mut().unwrap().rounds = Some(Element::Bf16);
        let mut random = Random::new(3);
        let (fields, memory) = operands(&kernel, &mut random, FIRST).unwrap();
        let expected = Expected::new(&kernel, &fields, &memory, Some(&sums)).unwrap();
        let ExpectedElements::Floats(_, off) = expected.results[0].1 else { panic!("floats") };
        assert_eq!(off, 2f64.powi(-9));
    }

    #[test]
    fn a_sum_that_cancels_may_be_off_by_more_than_one_that_does_not() {
        let kernel = kernel("f32", 4096);
        let mut random = Random::new(3);
        let (fields, mut memory) = operands(&kernel, &mut random, FIRST).unwrap();
        let expected = Expected::new(&kernel, &fields, &memory, Some(&sums)).unwrap();
        let ExpectedElements::Floats(exact, _) = &expected.results[0].1 else { panic!("floats") };
        let exact = exact[0];
        let mut of = |value: f64| {
            data::encode(Element::F32, value, &mut memory[1]);
            expected.distance(&fields, &memory)
        };
        assert!(of(exact).is_right());
        // The sum in f32 from left to right, and one that leaves out a number of average size.
        let values = fields[0].values(&operands(&kernel, &mut Random::new(3), FIRST).unwrap().1[0]);
        let single = values.iter().fold(0_f32, |sum, value| sum + *value as f32);
        assert!(of(f64::from(single)).is_right(), "{single} {exact}");
        assert!(!of(exact + 1.0).is_right());
        assert!(!of(f64::NAN).is_right());
    }

    #[test]
    fn integers_are_exact() {
        let kernel = kernel("i32", 3);
        let sums = |words: &[u64]| {
            // SAFETY: as above, of i32.
            unsafe {
                *(words[5] as *mut i32) = (0..3).map(|i| *(words[0] as *const i32).add(i)).sum()
            };
            Ok(())
        };
        let (fields, mut memory) = operands(&kernel, &mut Random::new(9), FIRST).unwrap();
        let expected = Expected::new(&kernel, &fields, &memory, Some(&sums)).unwrap();
        let sum: f64 = fields[0].values(&memory[0]).iter().sum();
        data::encode(Element::I32, sum, &mut memory[1]);
        assert!(expected.distance(&fields, &memory).is_right());
        data::encode(Element::I32, sum + 1.0, &mut memory[1]);
        assert!(!expected.distance(&fields, &memory).is_right());
    }

    /// A kernel that rounds `512 x` to an integer, whose reference is exact.
    fn rounded(off: impl Fn(usize, f64) -> i64) -> Distance {
        const COUNT: usize = 4096;
        let text = serde_json::to_string(&kernel("f32", COUNT as u64)).unwrap();
        let text = text.replace("\"depth\":4096", "\"depth\":1");
        let text = text.replace("f32\",\"shape\":\"1\"", "i32\",\"shape\":\"4096\"");
        let kernel: Kernel = serde_json::from_str(&text).unwrap();
        let rounds = |words: &[u64]| {
            // SAFETY: the words are memrefs of as many f64 and i32.
            unsafe {
                for i in 0..COUNT {
                    let x = *(words[0] as *const f64).add(i);
                    *(words[5] as *mut i32).add(i) = (512.0 * x).round_ties_even() as i32;
                }
            }
            Ok(())
        };
        let (fields, mut memory) = operands(&kernel, &mut Random::new(2), FIRST).unwrap();
        // Each second number is next to a tie in f32.
        for (i, own) in memory[0].chunks_exact_mut(4).enumerate().filter(|(i, _)| i % 2 == 0) {
            let near = (f32::from(i as u16) + 0.5) / 512.0;
            own.copy_from_slice(&near.next_up().to_le_bytes());
        }
        let expected = Expected::new(&kernel, &fields, &memory, Some(&rounds)).unwrap();
        let x = fields[0].values(&memory[0]);
        for (i, own) in memory[1].chunks_exact_mut(4).enumerate() {
            own.copy_from_slice(&(off(i, 512.0 * x[i]) as i32).to_le_bytes());
        }
        expected.distance(&fields, &memory)
    }

    #[test]
    fn an_integer_is_rounded_to_either_side_of_a_tie_and_to_nothing_else() {
        let nearest = |_: usize, x: f64| x.round_ties_even() as i64;
        assert!(rounded(nearest).is_right());
        let below = |i: usize, x: f64| nearest(i, x) - i64::from(i.is_multiple_of(2));
        assert!(rounded(below).is_right(), "{:?}", rounded(below));
        let all = rounded(|i, x| nearest(i, x) - 1);
        assert!(!all.is_right() && all.wrong > 2000, "{all:?}");
        assert!(!rounded(|i, x| nearest(i, x) + i64::from(i == 7)).is_right());
    }

    #[test]
    fn integers_of_64_bits_go_to_a_reference_as_they_are() {
        let argument = argument(Element::I64, "2", "1", Access::Read);
        let field = Field::new(&argument).unwrap();
        let numbers = [i64::MAX - 1, -(1 << 60) - 1];
        let bytes: Vec<u8> = numbers.iter().flat_map(|own| own.to_le_bytes()).collect();
        assert_eq!(Dense::new(&field, &bytes).integers(), numbers);
        assert_eq!(field.integers(&bytes), numbers);
    }

    #[test]
    fn the_first_element_that_nothing_wrote_is_named() {
        let field = field("(2,2)", "(3,1)").unwrap();
        let mut bytes = vec![0xff; 5 * 4];
        bytes[0] = 0;
        let first = |bytes: &[u8]| field.first_of(&field.coverage(bytes, 0xff).0);
        assert_eq!(first(&bytes).as_deref(), Some("x(0,1)"));
        assert_eq!(first(&[0; 20]), None);
    }
}
