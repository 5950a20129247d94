//! CuTe's layouts as linear layouts and back, exactly or not at all.
//!
//! A layout adds the offsets of an index's bits; a linear layout xors them. For two numbers without
//! a sign, `a + b = a xor b` exactly if they share no bit, and so a layout is linear exactly if its
//! extents are powers of two and the offsets of its index bits are pairwise disjoint.

use super::{
    LinearLayout,
    dims::{BIT_LIMIT, Dims, signed, size_of, sum},
};
use crate::{
    error::{Error, Result},
    layout::{
        Layout,
        evaluate::{self, At, Offsets},
    },
    matrix::bits,
    swizzle::{AnyLayout, ComposedLayout, Outer, Outside, Swizzle},
};
use alloc::{format, string::String, string::ToString, vec::Vec};

/// The name of the input that a conversion gives to the index of a layout.
pub const INDEX: &str = "index";

/// The name of the output that a conversion gives to the offset.
pub const OFFSET: &str = "offset";

const TO_LINEAR: &str = "to_linear";
const TO_LAYOUT: &str = "to_layout";
const TO_SWIZZLE: &str = "to_swizzle";

impl LinearLayout {
    /// A function's values at 0, 1, 2, … as a linear layout from [`INDEX`] to [`OFFSET`], whose size
    /// is the least power of two above all values.
    ///
    /// # Errors
    ///
    /// A number of values that is no power of two; the first index that refutes: a value that is not
    /// 0 at 0, negative, past 62 bits, or not the xor of those at the index's bits.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout = LinearLayout::from_values(&[0, 1, 3, 2])?;
    /// assert_eq!(layout.to_string(), "linear<{index = [1,3]} -> {offset = 4}>");
    /// assert_eq!(
    ///     LinearLayout::from_values(&[0, 1, 2, 4]).unwrap_err().to_string(),
    ///     "to_linear(4 values): expected offsets that xor, found 4 at index 3, not 1 xor 2 = 3"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_values(values: &[i64]) -> Result<Self> {
        let operand = || format!("{} values", values.len());
        if !values.len().is_power_of_two() {
            return Err(not_linear(operand(), "a power of two of values", values.len()));
        }
        let mut columns = Vec::new();
        for (index, &value) in (0_u64..).zip(values) {
            admit(&operand, &mut columns, index, value)?;
        }
        from_columns(columns)
    }

    /// A CuTe layout as a linear layout from [`INDEX`], the flat coordinate, to [`OFFSET`], whose
    /// size is the least power of two that holds all offsets.
    ///
    /// Exact: it succeeds if and only if every extent is a power of two, no offset is negative, and
    /// the offsets at 1, 2, 4, … share no bits.
    ///
    /// # Errors
    ///
    /// The condition that fails, and the index that shows it.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let linear = |text: &str| LinearLayout::from_layout(&text.parse()?);
    /// assert_eq!(linear("(2,4):(8,1)")?.to_string(), "linear<{index = [8,1,2]} -> {offset = 16}>");
    /// assert_eq!(
    ///     linear("4:3").unwrap_err().to_string(),
    ///     "to_linear(4:3): expected offsets of index bits that share no bit, found 3 at 1 and 6 at \
    ///      2: index 3 has offset 9, not 3 xor 6 = 5"
    /// );
    /// assert_eq!(
    ///     linear("(2,6):(1,2)").unwrap_err().to_string(),
    ///     "to_linear((2,6):(1,2)): expected extents that are powers of two, found 6"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_layout(layout: &Layout) -> Result<Self> {
        let operand = || layout.to_string();
        let mut columns: Vec<u64> = Vec::new();
        let mut taken = 0;
        for (extent, stride) in layout.flat() {
            if extent.count_ones() != 1 {
                let expected = "extents that are powers of two";
                return Err(not_linear(operand(), expected, extent));
            }
            for bit in 0..extent.trailing_zeros() {
                let index = 1 << columns.len();
                let image = stride
                    .checked_mul(size_of(bit))
                    .ok_or_else(|| Error::overflow(TO_LINEAR, layout))?;
                let image = within(&operand, index, image)?;
                if image & taken != 0 {
                    let before = (0_u32..).zip(&columns).find(|(_, column)| *column & image != 0);
                    let (i, first) = before.map_or((0, 0), |(i, &column)| (i, column));
                    let expected = "offsets of index bits that share no bit";
                    let found = format!(
                        "{first} at {} and {image} at {index}: index {} has offset {}, not {first} \
                         xor {image} = {}",
                        1_u64 << i,
                        index | 1 << i,
                        first + image,
                        first ^ image,
                    );
                    return Err(not_linear(operand(), expected, found));
                }
                taken |= image;
                columns.push(image);
            }
        }
        from_columns(columns)
    }

    /// [`from_layout`](Self::from_layout), with one input for each mode at the top, under a name: how
    /// a thread-value layout becomes what Triton would write.
    ///
    /// # Errors
    ///
    /// As [`from_layout`](Self::from_layout); not as many names as modes; bad names.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// // The accumulator of an m16n8 tensor-core instruction: 32 threads, 4 values, column-major.
    /// let held = "((4,8),(2,2)):((32,1),(16,8))".parse()?;
    /// let held = LinearLayout::from_modes(&held, &["lane", "register"])?;
    /// assert_eq!(
    ///     held.reshape_outs(&[("row", 16), ("col", 8)])?.to_string(),
    ///     "linear<{lane = [(0,2),(0,4),(1,0),(2,0),(4,0)], register = [(0,1),(8,0)]} -> \
    ///      {row = 16, col = 8}>"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_modes<N: AsRef<str>>(layout: &Layout, names: &[N]) -> Result<Self> {
        let modes = layout.modes();
        if modes.len() != names.len() {
            let expected = format!("a name for each of the {} modes of {layout}", modes.len());
            return Err(Error::operand(TO_LINEAR, expected, names.len()));
        }
        let linear = Self::from_layout(layout)?;
        let sizes: Vec<(&str, i64)> =
            names.iter().map(AsRef::as_ref).zip(modes.iter().map(Layout::size)).collect();
        linear.reshape_ins(&sizes)
    }

    /// A swizzle on offsets below `size`, from [`OFFSET`] to [`OFFSET`]. Swizzles are linear.
    ///
    /// # Errors
    ///
    /// A size that is no power of two; one that a swizzled offset leaves, which only a negative shift
    /// can bring about.
    ///
    /// ```
    /// use layout_algebra::{Swizzle, linear::LinearLayout};
    /// let swizzle = LinearLayout::from_swizzle(&Swizzle::new(2, 0, 2)?, 16)?;
    /// assert_eq!(swizzle.to_string(), "linear<{offset = [1,2,5,10]} -> {offset = 16}>");
    /// let error = LinearLayout::from_swizzle(&Swizzle::new(2, 0, -2)?, 4).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "to_linear(S<2,0,-2>): expected offsets that stay below the size, found 1 going to 5 of 4"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_swizzle(swizzle: &Swizzle, size: i64) -> Result<Self> {
        let dims = Dims::sized(TO_LINEAR, &[(OFFSET, size)])?;
        let mut columns = Vec::new();
        for bit in 0..dims.bits() {
            let image = swizzle.apply(size_of(bit));
            if image >= size {
                let expected = "offsets that stay below the size";
                let found = format!("{} going to {image} of {size}", size_of(bit));
                return Err(Error::condition(TO_LINEAR, swizzle, expected, found));
            }
            columns.push(within(&|| swizzle.to_string(), 1 << bit, image)?);
        }
        Ok(Self::from_parts(dims.clone(), dims, columns))
    }

    /// The same function of what a swizzle makes of flattened inputs.
    ///
    /// # Errors
    ///
    /// Inputs that the swizzle sends past the last one.
    pub(crate) fn at_swizzled(&self, swizzle: &Swizzle) -> Result<Self> {
        let moved = Self::from_swizzle(swizzle, self.size())?;
        from_columns(moved.columns.iter().map(|&input| sum(&self.columns, input)).collect())
    }

    /// The image of each bit of the flattened inputs in the flattened outputs.
    pub(crate) fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// A composed layout, from [`INDEX`] to [`OFFSET`].
    ///
    /// A swizzle over a linear layout is linear, whatever its size. An offset between them, or a
    /// layout outside, is tried coordinate by coordinate where no two bits refute it.
    ///
    /// # Errors
    ///
    /// An extent that is no power of two; an index that refutes; more than
    /// [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates where only enumeration decides.
    ///
    /// ```
    /// use layout_algebra::{Term, linear::LinearLayout};
    /// let linear = |text: &str| LinearLayout::from_any(&Term::parse(text)?.eval_layout()?);
    /// let tile = linear("S<2,0,2> o 0 o (4,4):(1,4)")?;
    /// assert_eq!(tile.to_string(), "linear<{index = [1,2,5,10]} -> {offset = 16}>");
    /// assert_eq!(
    ///     linear("S<2,0,2> o 4 o (4,4):(1,4)").unwrap_err().to_string(),
    ///     "to_linear(S<2,0,2> o 4 o (4,4):(1,4)): expected offset 0 at index 0, found 5"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn from_composed(layout: &ComposedLayout) -> Result<Self> {
        let operand = || layout.to_string();
        if let Some(&extent) = layout.inner.shape().leaves().iter().find(|n| n.count_ones() != 1) {
            let expected = "extents that are powers of two";
            return Err(not_linear(operand(), expected, extent));
        }
        let size = layout.inner.size();
        // Zero, the bits, and pairs of bits first: they decide all that can be decided at any size.
        let index_bits = size.trailing_zeros();
        let inner = At::new(&layout.inner)?;
        let outside = Outside::of(layout)?;
        let at = |index: i64| outside.at(inner.at(index)?);
        let mut columns = Vec::new();
        admit(&operand, &mut columns, 0, at(0)?)?;
        for high in 0..index_bits {
            admit(&operand, &mut columns, 1 << high, at(size_of(high))?)?;
        }
        for high in 0..index_bits {
            for low in 0..high {
                let index = size_of(high) | size_of(low);
                admit(&operand, &mut columns, index.unsigned_abs(), at(index)?)?;
            }
        }
        let swizzled = matches!(layout.outer, Outer::Swizzle(_));
        if !(swizzled && layout.offset == 0 && Self::from_layout(&layout.inner).is_ok()) {
            evaluate::admit(size, outside.modes())?;
            // From one index to the next, the lowest bit that is clear and all below it change.
            let changes: Vec<u64> = columns
                .iter()
                .scan(0, |all, column| {
                    *all ^= column;
                    Some(*all)
                })
                .collect();
            let mut sum = 0;
            for (index, middle) in (0_u64..).zip(Offsets::of(&layout.inner)) {
                let offset = outside.at(middle.ok_or_else(|| Error::overflow("at", layout))?)?;
                if u64::try_from(offset) != Ok(sum) {
                    admit(&operand, &mut columns, index, offset)?;
                }
                sum ^= changes.get(index.trailing_ones() as usize).copied().unwrap_or(0);
            }
        }
        from_columns(columns)
    }

    /// [`from_layout`](Self::from_layout) or [`from_composed`](Self::from_composed).
    ///
    /// # Errors
    ///
    /// Those of either.
    pub fn from_any(layout: &AnyLayout) -> Result<Self> {
        match layout {
            AnyLayout::Plain(layout) => Self::from_layout(layout),
            AnyLayout::Composed(composed) => Self::from_composed(composed),
        }
    }

    /// The CuTe layout of least rank that is the same function of flattened inputs to flattened
    /// outputs.
    ///
    /// Exact: it exists if and only if no two bases share a bit.
    ///
    /// # Errors
    ///
    /// Two bases that share a bit, and the index at which every layout differs.
    pub fn to_layout(&self) -> Result<Layout> {
        self.disjoint(TO_LAYOUT)?;
        layout_of_columns(self.flat().2)
    }

    /// [`to_layout`](Self::to_layout) with one mode for each input dimension, each of least rank.
    ///
    /// # Errors
    ///
    /// As [`to_layout`](Self::to_layout); no inputs.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout =
    ///     "linear<{lane = [1,2], register = [4,16]} -> {offset = 32}>".parse()?;
    /// assert_eq!(layout.to_modes()?.to_string(), "(4,(2,2)):(1,(4,16))");
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn to_modes(&self) -> Result<Layout> {
        self.disjoint(TO_LAYOUT)?;
        let modes: Vec<Layout> = self
            .in_names()
            .map(|name| layout_of_columns(self.columns_of(name)))
            .collect::<Result<_>>()?;
        Layout::make_layout(&modes)
    }

    /// The swizzle that is the same function of flattened inputs to flattened outputs.
    ///
    /// Exact: a swizzle on these bits is found if there is one; the identity is
    /// `S<0,0,0>`.
    ///
    /// # Errors
    ///
    /// Sizes that differ; the first bit at which no swizzle agrees.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let layout: LinearLayout = "linear<{x = [1,2,5,10]} -> {y = 16}>".parse()?;
    /// assert_eq!(layout.to_swizzle()?.to_string(), "S<2,0,2>");
    /// let gray: LinearLayout = "linear<{x = [1,3,5]} -> {y = 8}>".parse()?;
    /// assert_eq!(
    ///     gray.to_swizzle().unwrap_err().to_string(),
    ///     "to_swizzle(linear<{x = [1,3,5]} -> {y = 8}>): expected bits that all move by the same \
    ///      distance, found bit 1 added to bit 0, and bit 2 added to bit 0"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn to_swizzle(&self) -> Result<Swizzle> {
        let (ins, outs, columns) = self.flat();
        if ins.bits() != outs.bits() {
            let found = format!("{} inputs and {} outputs", self.size(), self.cosize());
            return Err(self.refuse(TO_SWIZZLE, "as many outputs as inputs", found));
        }
        // The addend of each bit: at most one other, all at the same distance, side by side.
        let mut moves: Vec<(u32, u32)> = Vec::new();
        for (bit, &column) in (0..).zip(columns) {
            let added = column ^ 1 << bit;
            if added == 0 {
                continue;
            }
            let target = added.trailing_zeros();
            if added.count_ones() != 1 {
                let found = format!("{column} at {}", 1_u64 << bit);
                return Err(self.refuse(TO_SWIZZLE, "at most one bit added to each", found));
            }
            if let Some(&(first, to)) = moves.last() {
                let show = |from, to| format!("bit {from} added to bit {to}");
                let found = || format!("{}, and {}", show(first, to), show(bit, target));
                // With the same distance, bits side by side have targets side by side.
                if bit + to != target + first {
                    let expected = "bits that all move by the same distance";
                    return Err(self.refuse(TO_SWIZZLE, expected, found()));
                }
                if bit != first + 1 {
                    let expected = "bits side by side that move";
                    return Err(self.refuse(TO_SWIZZLE, expected, found()));
                }
            }
            moves.push((bit, target));
        }
        let Some(&(from, to)) = moves.first() else {
            return Swizzle::new(0, 0, 0);
        };
        let count = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        let shift = i32::try_from(i64::from(from) - i64::from(to)).unwrap_or(0);
        Swizzle::new(count, from.min(to), shift)
    }

    /// Refuses bases that share a bit.
    fn disjoint(&self, operation: &'static str) -> Result<()> {
        let (_, _, columns) = self.flat();
        match shared(columns) {
            None => Ok(()),
            Some((i, j)) => {
                let (a, b) = (columns[i], columns[j]);
                let found = format!(
                    "{a} at {} and {b} at {}: index {} is at {}, where every layout has {a} + {b} = \
                     {}",
                    1_u64 << i,
                    1_u64 << j,
                    1_u64 << i | 1_u64 << j,
                    a ^ b,
                    a + b,
                );
                Err(self.refuse(operation, "bases that share no bit", found))
            }
        }
    }
}

/// The first two columns that share a bit.
pub(super) fn shared(columns: &[u64]) -> Option<(usize, usize)> {
    let mut taken = 0;
    for (j, column) in columns.iter().enumerate() {
        if column & taken != 0 {
            return columns[..j].iter().position(|before| before & column != 0).map(|i| (i, j));
        }
        taken |= column;
    }
    None
}

/// The layout of least rank whose offsets at index bits are these, which share no bit.
///
/// Two neighbours are one mode exactly if the second is the double of the first; what cannot be one
/// mode in a layout with these values has a mode of its own in all of them.
pub(super) fn layout_of_columns(columns: &[u64]) -> Result<Layout> {
    let modes: Vec<(i64, i64)> = columns.iter().map(|&column| (2, signed(column))).collect();
    Layout::of_leaves(&modes)?.coalesce()
}

/// The layout from [`INDEX`] to [`OFFSET`] with these columns.
fn from_columns(columns: Vec<u64>) -> Result<LinearLayout> {
    let all = columns.iter().fold(0, |all, column| all | column);
    let ins = Dims::new(TO_LINEAR, [(INDEX, u32::try_from(columns.len()).unwrap_or(u32::MAX))])?;
    let outs = Dims::new(TO_LINEAR, [(OFFSET, u64::BITS - all.leading_zeros())])?;
    Ok(LinearLayout::from_parts(ins, outs, columns))
}

fn not_linear(operand: String, expected: &'static str, found: impl ToString) -> Error {
    Error::condition(TO_LINEAR, operand, expected, found)
}

/// An offset that a linear layout can have.
fn within(operand: &dyn Fn() -> String, index: u64, offset: i64) -> Result<u64> {
    match u64::try_from(offset) {
        Ok(value) if value >> BIT_LIMIT == 0 => Ok(value),
        Ok(_) => Err(Error::limit(
            "bits of a linear layout's inputs or outputs",
            BIT_LIMIT,
            format!("offset {offset} at index {index}"),
        )),
        Err(_) => {
            let found = format!("{offset} at index {index}");
            Err(not_linear(operand(), "offsets that are not negative", found))
        }
    }
}

/// Takes the offset at an index: new at a power of two, and otherwise compared with what the columns
/// say, which must be there for all its bits.
fn admit(
    operand: &dyn Fn() -> String,
    columns: &mut Vec<u64>,
    index: u64,
    offset: i64,
) -> Result<()> {
    if index == 0 {
        return match offset {
            0 => Ok(()),
            _ => Err(not_linear(operand(), "offset 0 at index 0", offset)),
        };
    }
    let value = within(operand, index, offset)?;
    if index == 1 << columns.len() {
        columns.push(value);
        return Ok(());
    }
    let parts: Vec<u64> =
        bits(index).filter_map(|bit| columns.get(bit as usize).copied()).collect();
    let sum = parts.iter().fold(0, |sum, part| sum ^ part);
    if value == sum {
        return Ok(());
    }
    let parts: Vec<String> = parts.iter().map(ToString::to_string).collect();
    let found = format!("{offset} at index {index}, not {} = {sum}", parts.join(" xor "));
    Err(not_linear(operand(), "offsets that xor", found))
}
