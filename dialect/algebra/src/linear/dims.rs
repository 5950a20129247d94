//! Named dimensions of powers of two, and coordinates packed into one word.

use crate::{
    error::{Error, Result},
    matrix::bits,
};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec::Vec};

/// Bits that the inputs, or the outputs, of a linear layout may have together.
///
/// Every coordinate then fits an `i64` that is not negative, packed or not.
pub const BIT_LIMIT: usize = 62;

/// Characters that the name of a dimension may have.
pub const NAME_LIMIT: usize = 40;

/// Input dimensions, or output dimensions, that a linear layout may have, those of size 1 included.
pub const DIMENSION_LIMIT: usize = 64;

/// Names and sizes, in order. The first is the fastest: it has the lowest bits of a packed
/// coordinate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Dims(Vec<Dim>);

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Dim {
    pub(super) name: String,
    pub(super) bits: u32,
}

/// Where a dimension's bits are in a packed coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) shift: u32,
    pub(super) bits: u32,
}

impl Span {
    pub(super) fn mask(self) -> u64 {
        ((1 << self.bits) - 1) << self.shift
    }

    /// This dimension's part of a packed coordinate.
    pub(super) fn of(self, packed: u64) -> u64 {
        (packed & self.mask()) >> self.shift
    }
}

/// Why a coordinate does not fit some dimensions.
pub(super) struct DimMismatch {
    pub(super) expected: String,
    pub(super) found: String,
}

/// A coordinate as users see it. Packed coordinates have at most 62 bits.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// `2^bits`, for at most 62 bits.
pub(super) fn size_of(bits: u32) -> i64 {
    1 << bits
}

/// The exponent of a size.
pub(super) fn log2(operation: &'static str, name: &str, size: i64) -> Result<u32> {
    match size > 0 && size.count_ones() == 1 {
        true => Ok(size.trailing_zeros()),
        false => {
            Err(Error::operand(operation, format!("a size of {name} that is a power of two"), size))
        }
    }
}

/// The names of dimensions as a message shows them.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    format!("({})", names.join(", "))
}

impl Dims {
    /// Dimensions of these names and exponents.
    pub(super) fn new<N: AsRef<str>>(
        operation: &'static str,
        dims: impl IntoIterator<Item = (N, u32)>,
    ) -> Result<Self> {
        let mut checked = Self::default();
        let mut total = 0_usize;
        for (name, bits) in dims {
            let name = name.as_ref();
            if !is_name(name) {
                return Err(Error::operand(
                    operation,
                    format!(
                        "a dimension's name of at most {NAME_LIMIT} ASCII letters, digits and `_`, \
                         the first no digit"
                    ),
                    format!("{name:?}"),
                ));
            }
            if checked.span(name).is_some() {
                let expected = "dimensions of different names";
                return Err(Error::operand(operation, expected, format!("{name} twice")));
            }
            if checked.len() == DIMENSION_LIMIT {
                return Err(Error::limit(
                    "dimensions of a linear layout's inputs or outputs",
                    DIMENSION_LIMIT,
                    "one more",
                ));
            }
            total = total.saturating_add(bits as usize);
            if total > BIT_LIMIT {
                return Err(Error::limit(
                    "bits of a linear layout's inputs or outputs",
                    BIT_LIMIT,
                    total,
                ));
            }
            checked.0.push(Dim { name: name.to_owned(), bits });
        }
        Ok(checked)
    }

    /// Dimensions of these names and sizes.
    pub(super) fn sized<N: AsRef<str>>(operation: &'static str, dims: &[(N, i64)]) -> Result<Self> {
        let dims: Vec<(&str, u32)> = dims
            .iter()
            .map(|(name, size)| Ok((name.as_ref(), log2(operation, name.as_ref(), *size)?)))
            .collect::<Result<_>>()?;
        Self::new(operation, dims)
    }

    pub(super) fn iter(&self) -> core::slice::Iter<'_, Dim> {
        self.0.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn names(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.0.iter().map(|dim| dim.name.as_str())
    }

    /// The names as a message shows them.
    pub(super) fn listed(&self) -> String {
        listed(&self.names().collect::<Vec<_>>())
    }

    /// Bits of all dimensions together.
    pub(super) fn bits(&self) -> u32 {
        self.0.iter().map(|dim| dim.bits).sum()
    }

    /// Each dimension with its place.
    pub(super) fn spans(&self) -> impl Iterator<Item = (&str, Span)> {
        self.0.iter().scan(0, |shift, dim| {
            let span = Span { shift: *shift, bits: dim.bits };
            *shift += dim.bits;
            Some((dim.name.as_str(), span))
        })
    }

    pub(super) fn span(&self, name: &str) -> Option<Span> {
        self.spans().find(|(found, _)| *found == name).map(|(_, span)| span)
    }

    /// The span of a dimension that must exist.
    pub(super) fn require(&self, operation: &'static str, name: &str) -> Result<Span> {
        self.span(name).ok_or_else(|| {
            Error::operand(operation, format!("a dimension among {}", self.listed()), name)
        })
    }

    /// The dimension and its bit that a packed bit stands for.
    pub(super) fn bit(&self, bit: u32) -> (&str, u32) {
        let found = self.spans().find(|(_, span)| bit < span.shift + span.bits);
        found.map_or(("", bit), |(name, span)| (name, bit - span.shift))
    }

    /// A packed coordinate's parts, in order.
    pub(super) fn unpack(&self, packed: u64) -> Vec<i64> {
        self.spans().map(|(_, span)| signed(span.of(packed))).collect()
    }

    /// A coordinate's parts in one word.
    pub(super) fn pack(&self, values: &[i64]) -> core::result::Result<u64, DimMismatch> {
        if values.len() != self.len() {
            return Err(DimMismatch {
                expected: format!("entries for {}", self.listed()),
                found: coordinate(values),
            });
        }
        self.spans().zip(values).try_fold(0, |packed, ((name, span), &value)| {
            match u64::try_from(value) {
                Ok(part) if part < 1 << span.bits => Ok(packed | part << span.shift),
                _ => Err(DimMismatch {
                    expected: format!("0 <= {name} < {}", size_of(span.bits)),
                    found: value.to_string(),
                }),
            }
        })
    }

    /// The same coordinate packed for other dimensions. Those that only one side has count as zero;
    /// `None` where a part does not fit.
    pub(super) fn repack(&self, packed: u64, other: &Self) -> Option<u64> {
        self.spans().try_fold(0, |repacked, (name, span)| {
            let part = span.of(packed);
            match other.span(name) {
                Some(to) if part < 1 << to.bits => Some(repacked | part << to.shift),
                None => Some(repacked),
                Some(_) => None,
            }
        })
    }

    /// A coordinate as messages show it: `(lane = 1, warp = 0)`.
    pub(super) fn show(&self, packed: u64) -> String {
        let parts: Vec<String> =
            self.spans().map(|(name, span)| format!("{name} = {}", span.of(packed))).collect();
        format!("({})", parts.join(", "))
    }

    /// The same names, in whatever order.
    pub(super) fn same_names(&self, names: &[impl AsRef<str>]) -> bool {
        names.len() == self.len()
            && self.names().all(|name| names.iter().filter(|n| n.as_ref() == name).count() == 1)
    }
}

/// Letters, digits and `_`, as words of the term grammar are.
fn is_name(name: &str) -> bool {
    name.len() <= NAME_LIMIT
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A vector as text: one integer, or a tuple.
pub(super) fn coordinate(values: &[i64]) -> String {
    match values {
        [value] => value.to_string(),
        _ => {
            let parts: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("({})", parts.join(","))
        }
    }
}

/// The sum of the columns whose bits are set.
pub(super) fn sum(columns: &[u64], packed: u64) -> u64 {
    bits(packed).filter_map(|bit| columns.get(bit as usize)).fold(0, |sum, column| sum ^ column)
}
