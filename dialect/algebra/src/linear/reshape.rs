//! The same bits under other dimensions.

use super::{
    LinearLayout,
    dims::{Dims, coordinate, listed, log2, size_of},
};
use crate::error::{Error, Result};
use alloc::{borrow::ToOwned, format, vec::Vec};

/// The same bits under other dimensions. A name that is no dimension of the layout, one that two dimensions would have, a
/// size that is no power of two or does not fit, and more than 64 bits are errors.
///
/// ```
/// use layout_algebra::linear::LinearLayout;
/// let linear = |text: &str| text.parse::<LinearLayout>();
/// let layout = linear("linear<{lane = [1,2], warp = [4]} -> {row = 8}>")?;
/// let as_text = |layout: LinearLayout| layout.to_string();
/// // Other orders, and other dimensions: all bits in a row, the first dimension's first.
/// let turned = layout.transpose_ins(&["warp", "lane"])?;
/// assert_eq!(as_text(turned), "linear<{warp = [4], lane = [1,2]} -> {row = 8}>");
/// let other = layout.reshape_ins(&[("register", 2), ("thread", 4)])?;
/// assert_eq!(as_text(other), "linear<{register = [1], thread = [2,4]} -> {row = 8}>");
/// assert_eq!(as_text(layout.flatten_ins()), "linear<{lane = [1,2,4]} -> {row = 8}>");
/// let square = linear("linear<{lane = [(1,0),(0,1)]} -> {row = 2, col = 2}>")?;
/// let turned = square.transpose_outs(&["col", "row"])?;
/// assert_eq!(as_text(turned), "linear<{lane = [(0,1),(1,0)]} -> {col = 2, row = 2}>");
/// assert_eq!(as_text(square.flatten_outs()), "linear<{lane = [1,2]} -> {row = 4}>");
/// let row = linear("linear<{lane = [1,2,4]} -> {offset = 8}>")?;
/// let text = "linear<{lane = [(1,0),(0,1),(0,2)]} -> {row = 2, col = 4}>";
/// assert_eq!(as_text(row.reshape_outs(&[("row", 2), ("col", 4)])?), text);
/// // Two layouts side by side, and parts of one.
/// let (lanes, warps) =
///     (linear("linear<{lane = [1,2]} -> {row = 4}>")?, linear("linear<{warp = [3]} -> {row = 4}>")?);
/// let both = lanes.concat_ins(&warps)?;
/// assert_eq!(as_text(both), "linear<{lane = [1,2], warp = [3]} -> {row = 4}>");
/// let (rows, cols) =
///     (linear("linear<{lane = [1,0]} -> {row = 2}>")?, linear("linear<{lane = [0,1]} -> {col = 2}>")?);
/// assert_eq!(rows.concat_outs(&cols)?, square);
/// assert_eq!(as_text(square.sublayout(&["lane"], &["col"])?), "linear<{lane = [0,1]} -> {col = 2}>");
/// let moved = linear("linear<{lane = [(1,0)], warp = [(0,1)]} -> {row = 2, col = 2}>")?;
/// assert!(moved.sublayout_is_zero(&["lane"], &["col"])?);
/// // Other sizes and names.
/// let unit = linear("linear<{lane = [1,2], warp = []} -> {row = 4}>")?;
/// assert_eq!(unit.unsqueeze_in("warp")?, lanes);
/// let column = linear("linear<{lane = [(1,0)]} -> {row = 2, col = 1}>")?;
/// assert_eq!(as_text(column.unsqueeze_out("col")?), "linear<{lane = [1]} -> {row = 2}>");
/// assert_eq!(as_text(lanes.resize_in("lane", 8)?), "linear<{lane = [1,2,0]} -> {row = 4}>");
/// assert_eq!(as_text(lanes.resize_in("lane", 2)?), "linear<{lane = [1]} -> {row = 4}>");
/// let zeros = linear("linear<{lane = [1,0,2], warp = [0]} -> {row = 4}>")?;
/// let text = "linear<{lane = [1,2], warp = [0]} -> {row = 4}>";
/// assert_eq!(as_text(zeros.without_zero_bases("lane")?), text);
/// let renamed = lanes.rename_in("lane", "warp")?.rename_out("row", "col")?;
/// assert_eq!(as_text(renamed), "linear<{warp = [1,2]} -> {col = 4}>");
/// # Ok::<(), layout_algebra::Error>(())
/// ```
impl LinearLayout {
    /// The inputs in another order, which matters only to flattening and reshaping.
    pub fn transpose_ins<N: AsRef<str>>(&self, order: &[N]) -> Result<Self> {
        let ins = permuted("transpose_ins", &self.ins, order)?;
        let columns = order.iter().flat_map(|name| self.columns_of(name.as_ref())).copied();
        Ok(Self::from_parts(ins, self.outs.clone(), columns.collect()))
    }

    /// The outputs in another order, which matters only to flattening and reshaping.
    pub fn transpose_outs<N: AsRef<str>>(&self, order: &[N]) -> Result<Self> {
        let outs = permuted("transpose_outs", &self.outs, order)?;
        Ok(self.over(outs))
    }

    /// The inputs cut into other dimensions: all bits in a row, the first dimension's first.
    pub fn reshape_ins<N: AsRef<str>>(&self, dims: &[(N, i64)]) -> Result<Self> {
        let ins = reshaped("reshape_ins", &self.ins, dims)?;
        Ok(Self::from_parts(ins, self.outs.clone(), self.columns.clone()))
    }

    /// The outputs cut into other dimensions: all bits in a row, the first dimension's first.
    pub fn reshape_outs<N: AsRef<str>>(&self, dims: &[(N, i64)]) -> Result<Self> {
        let outs = reshaped("reshape_outs", &self.outs, dims)?;
        Ok(Self::from_parts(self.ins.clone(), outs, self.columns.clone()))
    }

    /// One input dimension in place of all, under the name of the first; none stays none.
    #[must_use]
    pub fn flatten_ins(&self) -> Self {
        Self { ins: flattened(&self.ins), ..self.clone() }
    }

    /// One output dimension in place of all, under the name of the first; none stays none.
    #[must_use]
    pub fn flatten_outs(&self) -> Self {
        Self { outs: flattened(&self.outs), ..self.clone() }
    }

    /// The inputs of both, one after the other: `L(x, y) = self(x) xor other(y)`.
    pub fn concat_ins(&self, other: &Self) -> Result<Self> {
        same("concat_ins", "outputs", &self.outs, &other.outs)?;
        let ins = concatenated("concat_ins", &self.ins, &other.ins)?;
        let columns = self.columns.iter().chain(&other.columns).copied().collect();
        Ok(Self::from_parts(ins, self.outs.clone(), columns))
    }

    /// The outputs of both, one after the other: `L(x) = (self(x), other(x))`.
    pub fn concat_outs(&self, other: &Self) -> Result<Self> {
        same("concat_outs", "inputs", &self.ins, &other.ins)?;
        let outs = concatenated("concat_outs", &self.outs, &other.outs)?;
        let shift = self.outs.bits();
        let pairs = self.columns.iter().zip(&other.columns);
        let columns = pairs.map(|(first, second)| first | second << shift).collect();
        Ok(Self::from_parts(self.ins.clone(), outs, columns))
    }

    /// Only these inputs (the others at zero) and only these outputs, in the order that they have
    /// here and with their sizes.
    pub fn sublayout<I: AsRef<str>, O: AsRef<str>>(&self, ins: &[I], outs: &[O]) -> Result<Self> {
        let ins = among("sublayout", &self.ins, ins)?;
        let outs = among("sublayout", &self.outs, outs)?;
        let columns = ins.names().flat_map(|name| self.columns_of(name)).copied().collect();
        Ok(Self { ins, outs: self.outs.clone(), columns }.over(outs))
    }

    /// Whether [`sublayout`](Self::sublayout) sends everything to zero.
    pub fn sublayout_is_zero<I: AsRef<str>, O: AsRef<str>>(
        &self,
        ins: &[I],
        outs: &[O],
    ) -> Result<bool> {
        Ok(self.sublayout(ins, outs)?.columns.iter().all(|&column| column == 0))
    }

    /// The layout without an input of size 1.
    pub fn unsqueeze_in(&self, name: &str) -> Result<Self> {
        let ins = without_unit("unsqueeze_in", &self.ins, name)?;
        Ok(Self { ins, ..self.clone() })
    }

    /// The layout without an output of size 1.
    pub fn unsqueeze_out(&self, name: &str) -> Result<Self> {
        let outs = without_unit("unsqueeze_out", &self.outs, name)?;
        Ok(Self { outs, ..self.clone() })
    }

    /// An input of another size: more inputs repeat the old ones, fewer are the first of them.
    pub fn resize_in(&self, name: &str, size: i64) -> Result<Self> {
        let (_, ins) = resized("resize_in", &self.ins, name, size)?;
        let columns = ins.iter().flat_map(|dim| {
            let columns = self.columns_of(&dim.name).iter().copied();
            columns.chain(core::iter::repeat(0)).take(dim.bits as usize)
        });
        let columns = columns.collect();
        Ok(Self::from_parts(ins, self.outs.clone(), columns))
    }

    /// The layout without the bases of an input that are zero: each output once, as far as that
    /// input repeats whole halves.
    pub fn without_zero_bases(&self, name: &str) -> Result<Self> {
        self.ins.require("without_zero_bases", name)?;
        let kept = |input: &str| -> Vec<u64> {
            let columns = self.columns_of(input).iter().copied();
            columns.filter(|&column| input != name || column != 0).collect()
        };
        let ins = self.ins.names().map(|input| (input, bit_count(&kept(input))));
        let ins = Dims::new("without_zero_bases", ins)?;
        let columns = self.ins.names().flat_map(kept).collect();
        Ok(Self::from_parts(ins, self.outs.clone(), columns))
    }

    /// An input under another name.
    pub fn rename_in(&self, name: &str, new: &str) -> Result<Self> {
        Ok(Self { ins: renamed("rename_in", &self.ins, name, new)?, ..self.clone() })
    }

    /// An output under another name.
    pub fn rename_out(&self, name: &str, new: &str) -> Result<Self> {
        Ok(Self { outs: renamed("rename_out", &self.outs, name, new)?, ..self.clone() })
    }

    /// The same bases over outputs of the same names; values fit, and names that are missing go.
    fn over(&self, outs: Dims) -> Self {
        let columns = self.columns.iter();
        let columns = columns.map(|&column| self.outs.repack(column, &outs).unwrap_or(0)).collect();
        Self::from_parts(self.ins.clone(), outs, columns)
    }
}

fn bit_count(columns: &[u64]) -> u32 {
    u32::try_from(columns.len()).unwrap_or(u32::MAX)
}

fn permuted(operation: &'static str, dims: &Dims, order: &[impl AsRef<str>]) -> Result<Dims> {
    if !dims.same_names(order) {
        let expected = format!("the names {} in some order", dims.listed());
        return Err(Error::operand(operation, expected, listed(order)));
    }
    let bits = |name: &str| dims.span(name).map_or(0, |span| span.bits);
    Dims::new(operation, order.iter().map(|name| (name, bits(name.as_ref()))))
}

fn reshaped(operation: &'static str, dims: &Dims, new: &[(impl AsRef<str>, i64)]) -> Result<Dims> {
    let new = Dims::sized(operation, new)?;
    if new.bits() == dims.bits() {
        return Ok(new);
    }
    let expected = format!("sizes with the product {}", size_of(dims.bits()));
    Err(Error::operand(operation, expected, size_of(new.bits())))
}

fn flattened(dims: &Dims) -> Dims {
    let first = dims.names().next();
    // Its name and its bits have been checked before.
    Dims::new("flatten", first.map(|name| (name, dims.bits()))).unwrap_or_else(|_| dims.clone())
}

fn concatenated(operation: &'static str, a: &Dims, b: &Dims) -> Result<Dims> {
    Dims::new(operation, a.iter().chain(b.iter()).map(|dim| (&dim.name, dim.bits)))
}

fn same(operation: &'static str, what: &str, a: &Dims, b: &Dims) -> Result<()> {
    let show = |dims: &Dims| {
        let sizes: Vec<i64> = dims.iter().map(|dim| size_of(dim.bits)).collect();
        format!("{} of {}", dims.listed(), coordinate(&sizes))
    };
    match a == b {
        true => Ok(()),
        false => Err(Error::operand(operation, format!("the same {what} {}", show(a)), show(b))),
    }
}

fn among(operation: &'static str, dims: &Dims, names: &[impl AsRef<str>]) -> Result<Dims> {
    for name in names {
        dims.require(operation, name.as_ref())?;
    }
    let is_named = |name: &str| names.iter().any(|other| other.as_ref() == name);
    let kept = dims.iter().filter(|dim| is_named(&dim.name));
    Dims::new(operation, kept.map(|dim| (&dim.name, dim.bits)))
}

fn without_unit(operation: &'static str, dims: &Dims, name: &str) -> Result<Dims> {
    let span = dims.require(operation, name)?;
    if span.bits != 0 {
        return Err(Error::operand(operation, format!("{name} of size 1"), size_of(span.bits)));
    }
    let kept = dims.iter().filter(|dim| dim.name != name);
    Dims::new(operation, kept.map(|dim| (&dim.name, dim.bits)))
}

fn resized(
    operation: &'static str,
    dims: &Dims,
    name: &str,
    size: i64,
) -> Result<(super::dims::Span, Dims)> {
    let span = dims.require(operation, name)?;
    let bits = log2(operation, name, size)?;
    let new = dims.iter().map(|dim| (&dim.name, if dim.name == name { bits } else { dim.bits }));
    Ok((span, Dims::new(operation, new)?))
}

fn renamed(operation: &'static str, dims: &Dims, name: &str, new: &str) -> Result<Dims> {
    dims.require(operation, name)?;
    let name_of = |dim: &super::dims::Dim| {
        if dim.name == name { new.to_owned() } else { dim.name.clone() }
    };
    Dims::new(operation, dims.iter().map(|dim| (name_of(dim), dim.bits)))
}
