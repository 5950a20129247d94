//! Division of products: the other factor of a product with one known factor.

use super::{
    LinearLayout,
    dims::{Dims, coordinate, listed, size_of},
};
use crate::error::{Error, Result};
use alloc::{borrow::ToOwned, format, string::String, string::ToString, vec::Vec};

/// Which factor of a product is known.
#[derive(Clone, Copy)]
enum KnownFactor {
    /// The left one: low bits.
    Left,
    /// The right one: high bits.
    Right,
}

impl LinearLayout {
    /// The layout `c` with `divisor.product(&c) == self`: the layout of tiles, if `divisor` is the layout of a tile.
    ///
    /// It has the dimensions of this layout, in their order, each divided by its size in `divisor`,
    /// and is the only such layout. It exists exactly if this layout has, for each dimension,
    /// `divisor` in its low bits and nothing that mixes them with the high ones:
    ///
    /// ```text
    ///              low ins   high ins
    ///   low outs   divisor      0
    ///   high outs     0         c
    /// ```
    ///
    /// # Errors
    ///
    /// The first invalid entry.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let held: LinearLayout = "linear<{register = [1,8], lane = [2,4]} -> {col = 16}>".parse()?;
    /// let vector = LinearLayout::identity1d(2, "register", "col")?;
    /// let rest = held.divide_left(&vector)?;
    /// assert_eq!(rest.to_string(), "linear<{register = [4], lane = [1,2]} -> {col = 8}>");
    /// assert_eq!(vector.product(&rest)?, held);
    ///
    /// let wider = LinearLayout::identity1d(4, "register", "col")?;
    /// assert_eq!(
    ///     held.divide_left(&wider).unwrap_err().to_string(),
    ///     "divide_left(linear<{register = [1,8], lane = [2,4]} -> {col = 16}>): expected the \
    ///      divisor in the low bits, found 8 at register = 2, where linear<{register = [1,2]} -> \
    ///      {col = 4}> needs 2"
    /// );
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn divide_left(&self, divisor: &Self) -> Result<Self> {
        self.divide(divisor, KnownFactor::Left)
    }

    /// The layout `c` with `c.product(divisor) == self`: the layout of a tile, if `divisor` is the layout of tiles. As
    /// [`divide_left`](Self::divide_left), with low and high exchanged.
    ///
    /// # Errors
    ///
    /// The first invalid entry.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let held: LinearLayout = "linear<{register = [1,8], lane = [2,4]} -> {col = 16}>".parse()?;
    /// let last = LinearLayout::identity1d(2, "register", "col")?;
    /// let tile = held.divide_right(&last)?;
    /// assert_eq!(tile.to_string(), "linear<{register = [1], lane = [2,4]} -> {col = 8}>");
    /// assert_eq!(tile.product(&last)?, held);
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn divide_right(&self, divisor: &Self) -> Result<Self> {
        self.divide(divisor, KnownFactor::Right)
    }

    fn divide(&self, divisor: &Self, known: KnownFactor) -> Result<Self> {
        let (operation, expected) = match known {
            KnownFactor::Left => ("divide_left", "the divisor in the low bits"),
            KnownFactor::Right => ("divide_right", "the divisor in the high bits"),
        };
        let ins = rest(operation, &self.ins, &divisor.ins)?;
        let outs = rest(operation, &self.outs, &divisor.outs)?;
        let bits = |dims: &Dims, name: &str| dims.span(name).map_or(0, |span| span.bits);
        // Where the quotient's bits of a dimension begin.
        let begin = |divisor: &Dims, name: &str| match known {
            KnownFactor::Left => bits(divisor, name),
            KnownFactor::Right => 0,
        };
        let part = |column: u64| {
            self.outs.spans().zip(outs.spans()).fold(0, |packed, ((name, span), (_, to))| {
                let value = span.of(column) >> begin(&divisor.outs, name);
                packed | (value & ((1 << to.bits) - 1)) << to.shift
            })
        };
        let kept = ins.spans().flat_map(|(name, span)| {
            let begin = begin(&divisor.ins, name) as usize;
            &self.columns_of(name)[begin..begin + span.bits as usize]
        });
        let columns = kept.map(|&column| part(column)).collect();
        let quotient = Self::from_parts(ins, outs, columns);
        // The quotient if there is one: its product with the divisor is this, or shows the first invalid entry.
        let product = match known {
            KnownFactor::Left => divisor.product(&quotient)?,
            KnownFactor::Right => quotient.product(divisor)?,
        };
        for (name, span) in self.ins.spans() {
            let own = bits(&divisor.ins, name);
            let begin = if let KnownFactor::Left = known { 0 } else { span.bits - own };
            let pairs = self.columns_of(name).iter().zip(product.columns_of(name));
            if let Some((bit, (&column, &required))) = (0..).zip(pairs).find(|(_, (a, b))| a != b) {
                let show = |column| coordinate(&self.outs.unpack(column));
                let at = format!("{} at {name} = {}", show(column), size_of(bit));
                let found = if (begin..begin + own).contains(&bit) {
                    format!("{at}, where {divisor} needs {}", show(required))
                } else {
                    format!("{at}, which meets the outputs of {divisor}")
                };
                return Err(self.refuse(operation, expected, found));
            }
        }
        Ok(quotient)
    }

    /// Whether the layout is the identity on these dimensions, which are inputs and outputs of the
    /// same size, and no other dimension goes to them or comes from them.
    ///
    /// ```
    /// use layout_algebra::linear::LinearLayout;
    /// let moved: LinearLayout =
    ///     "linear<{lane = [(0,0),(1,0)], warp = [(0,1)]} -> {lane = 4, warp = 2}>".parse()?;
    /// assert!(moved.is_trivial_over(&["warp"]) && !moved.is_trivial_over(&["lane"]));
    /// # Ok::<(), layout_algebra::Error>(())
    /// ```
    pub fn is_trivial_over(&self, dims: &[&str]) -> bool {
        self.obstacle(dims).is_none()
    }

    /// The layout without dimensions that it maps identically: the remaining movement, if the data stay within them.
    ///
    /// # Errors
    ///
    /// The first thing by which the layout is not [trivial](Self::is_trivial_over) over them.
    pub fn quotient(&self, dims: &[&str]) -> Result<Self> {
        if let Some(obstacle) = self.obstacle(dims) {
            let expected = "the identity over the dimensions";
            return Err(self.refuse("quotient", expected, obstacle));
        }
        let rest = |names: &mut dyn Iterator<Item = &str>| -> Vec<String> {
            names.filter(|name| !dims.contains(name)).map(str::to_owned).collect()
        };
        self.sublayout(&rest(&mut self.ins.names()), &rest(&mut self.outs.names()))
    }

    /// Why the layout is not trivial over some dimensions.
    fn obstacle(&self, dims: &[&str]) -> Option<String> {
        for name in dims {
            match (self.ins.span(name), self.outs.span(name)) {
                (Some(input), Some(output)) if input.bits == output.bits => {}
                (Some(input), Some(output)) => {
                    let sizes = (size_of(input.bits), size_of(output.bits));
                    return Some(format!("{name} of size {} to {}", sizes.0, sizes.1));
                }
                (None, _) => return Some(format!("no input {name}")),
                (_, None) => return Some(format!("no output {name}")),
            }
        }
        let outs = self.outs.spans().filter(|(name, _)| dims.contains(name));
        let mask = outs.fold(0, |mask, (_, span)| mask | span.mask());
        for (name, span) in self.ins.spans() {
            let output = self.outs.span(name).filter(|_| dims.contains(&name));
            for (bit, &column) in (0..span.bits).zip(self.columns_of(name)) {
                let fits = match output {
                    Some(output) => column == 1 << (output.shift + bit),
                    None => column & mask == 0,
                };
                if !fits {
                    let found = coordinate(&self.outs.unpack(column));
                    return Some(format!("{found} at {name} = {}", size_of(bit)));
                }
            }
        }
        None
    }
}

/// The dimensions of `whole` with their sizes divided by those in `part`.
fn rest(operation: &'static str, whole: &Dims, part: &Dims) -> Result<Dims> {
    for dim in part.iter() {
        let found = whole.span(&dim.name).map(|span| span.bits);
        if found.is_none_or(|bits| bits < dim.bits) {
            let size = size_of(dim.bits);
            return Err(Error::operand(
                operation,
                format!("a multiple of the divisor's {size} of {}", dim.name),
                found.map_or("no such dimension".to_owned(), |bits| size_of(bits).to_string()),
            ));
        }
    }
    let ordered: Vec<&str> = whole.names().filter(|name| part.span(name).is_some()).collect();
    if !part.names().eq(ordered.iter().copied()) {
        let expected = format!("a divisor with dimensions in the order {}", listed(&ordered));
        return Err(Error::operand(operation, expected, part.listed()));
    }
    let bits = |name: &str| part.span(name).map_or(0, |span| span.bits);
    Dims::new(operation, whole.iter().map(|dim| (&dim.name, dim.bits - bits(&dim.name))))
}
