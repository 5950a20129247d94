//! The mappings of a CuTe swizzle (section 4 of the paper), and of swizzled layouts.

use layout_algebra::{AnyLayout, ComposedLayout, Outer, Swizzle};

use crate::{
    cute::{layout_mapping, promoted_layout_mapping},
    error::{Error, Result},
    isl::Context,
    relation::Relation,
    text::{bounds, names, sum},
};

/// The bits that a swizzle is about: `b + m + |s|`.
pub fn swizzle_bits(swizzle: &Swizzle) -> u32 {
    swizzle.bits + swizzle.base + swizzle.shift.unsigned_abs()
}

/// From an integer below `2^bits` to its bits, the highest first: `M_R` of equation 11.
///
/// # Errors
///
/// More than 62 bits; a limit.
pub fn binary_coordinate_mapping(context: &Context, bits: u32) -> Result<Relation> {
    if bits > 62 {
        return Err(Error::Dimensions {
            operation: "binary_coordinate_mapping",
            expected: "at most 62 bits".to_owned(),
            found: bits.to_string(),
        });
    }
    // By floors, as in the paper: composed, ISL then finds expressions as short as the paper's.
    let digit = |j: u32| match j {
        0 => format!("floor(c/{})", 1_i64 << (bits - 1)),
        _ => format!("floor(c/{}) mod 2", 1_i64 << (bits - 1 - j)),
    };
    let digits: Vec<_> = (0..bits).map(digit).collect();
    let text = format!("{{ [c] -> [{}] : 0 <= c < {} }}", digits.join(", "), 1_i64 << bits);
    Relation::read(context, &text)
}

/// From bits to bits, the highest first: `M_S` of algorithm 2 (equation 13).
///
/// # Errors
///
/// A limit.
///
/// ```
/// use layout_algebra::Swizzle;
/// use layout_relation::{Context, Limits, binary_swizzle_mapping};
/// let context = Context::new(Limits::default())?;
/// let mapping = binary_swizzle_mapping(&context, &Swizzle::new(1, 2, 1)?)?;
/// assert_eq!(
///     mapping.expressions()?,
///     "{ [c0, c1, c2, c3] -> [(c0), ((c0 + c1) mod 2), (c2), (c3)] : \
///      0 <= c0 <= 1 and 0 <= c1 <= 1 and 0 <= c2 <= 1 and 0 <= c3 <= 1 }"
/// );
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn binary_swizzle_mapping(context: &Context, swizzle: &Swizzle) -> Result<Relation> {
    let bits = swizzle_bits(swizzle) as usize;
    // Position j of a tuple is bit `bits - 1 - j`.
    let results: Vec<_> = (0..bits)
        .map(|j| match source_bit(swizzle, bits - 1 - j) {
            // With shift 0 a bit is added to itself.
            Some(source) if source == bits - 1 - j => "0".to_owned(),
            Some(source) => format!("(c{} + c{j}) mod 2", bits - 1 - source),
            None => format!("c{j}"),
        })
        .collect();
    let text = format!(
        "{{ [{}] -> [{}] : {} }}",
        names("c", bits),
        results.join(", "),
        bounds("c", &vec![2; bits])
    );
    Relation::read(context, &text)
}

/// The bit that a swizzle adds to bit `to`, if any.
pub(crate) fn source_bit(swizzle: &Swizzle, to: usize) -> Option<usize> {
    let from = i64::try_from(to).ok()? + i64::from(swizzle.shift);
    let lowest = i64::from(swizzle.base) + i64::from(swizzle.shift.max(0));
    let masked = lowest <= from && from < lowest + i64::from(swizzle.bits);
    if masked { usize::try_from(from).ok() } else { None }
}

/// From an integer below `2^(b+m+|s|)` to the swizzled one: `M_R^-1 o M_S o M_R` (equation 14).
///
/// # Errors
///
/// A limit.
pub fn swizzle_mapping(context: &Context, swizzle: &Swizzle) -> Result<Relation> {
    context.within(|| {
        let binary = binary_coordinate_mapping(context, swizzle_bits(swizzle))?;
        let mut back = binary.inverse()?;
        let bits = swizzle_bits(swizzle);
        let sum = sum((0..bits).map(|j| (1 << (bits - 1 - j), format!("c{j}"))));
        let names = names("c", bits as usize);
        let function = context.read_function(&format!("{{ [{names}] -> [{sum}] }}"))?;
        back.functions = Some(vec![function]);
        binary.then(&binary_swizzle_mapping(context, swizzle)?)?.then(&back)
    })
}

/// A swizzle on all integers: bits past `b+m+|s|` pass through, those of negative numbers too.
///
/// # Errors
///
/// A limit.
pub fn unbounded_swizzle_mapping(context: &Context, swizzle: &Swizzle) -> Result<Relation> {
    let bits = swizzle_bits(swizzle) as usize;
    let weight = |j: usize| 1_i64 << j;
    let result = (0..bits).filter_map(|j| match source_bit(swizzle, j) {
        Some(source) if source == j => None,
        Some(source) => Some((weight(j), format!("((b{source} + b{j}) mod 2)"))),
        None => Some((weight(j), format!("b{j}"))),
    });
    let high = (weight(bits), "h".to_owned());
    let mut inside = vec!["h".to_owned()];
    inside.extend((0..bits).map(|j| format!("b{j}")));
    let text = format!(
        "{{ [x] -> [y] : exists {} : x = {} and y = {} and {} }}",
        inside.join(", "),
        sum((0..bits).map(|j| (weight(j), format!("b{j}"))).chain([high.clone()])),
        sum(result.chain([high])),
        bounds("b", &vec![2; bits])
    );
    // By constraints, questions about the relation are cheap; by expressions, its values are.
    let bit = |j: usize| format!("floor(x/{})", weight(j));
    let changes = (0..bits).filter_map(|j| {
        let source = source_bit(swizzle, j)?;
        let own = (-weight(j), format!("({} mod 2)", bit(j)));
        let sum = (weight(j), format!("(({} + {}) mod 2)", bit(source), bit(j)));
        Some([own, sum])
    });
    let sum = sum(std::iter::once((1, "x".to_owned())).chain(changes.flatten()));
    context.within(|| {
        let map = context.read_map(&text)?;
        let function = context.read_function(&format!("{{ [x] -> [{sum}] }}"))?;
        Ok(Relation { map, functions: Some(vec![function]) })
    })
}

/// The layout mapping of a composed layout or a swizzle, with its offset.
///
/// An outer layout is read past its size as CuTe reads it.
///
/// # Errors
///
/// An outer layout that would be evaluated at negative indices; a limit; overflow.
///
/// ```
/// use layout_algebra::Term;
/// use layout_relation::{Context, Limits, any_layout_mapping};
/// let context = Context::new(Limits::default())?;
/// let layout = Term::parse("S<1,2,1> o 8 o (4,2):(1,4)")?.eval_layout()?;
/// assert_eq!(any_layout_mapping(&context, &layout)?.at(&[4])?, Some(vec![8]));
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn composed_mapping(context: &Context, composed: &ComposedLayout) -> Result<Relation> {
    context.within(|| {
        let inner = layout_mapping(context, &composed.inner)?;
        let shift = Relation::read(context, &format!("{{ [x] -> [x + {}] }}", composed.offset))?;
        let middle = inner.then(&shift)?;
        let outer = match &composed.outer {
            Outer::Swizzle(swizzle) => unbounded_swizzle_mapping(context, swizzle)?,
            Outer::Layout(layout) => {
                let (least, greatest) = reach(composed)?;
                // A single mode is a multiplication, for negative indices as well.
                if let [(_, stride)] = layout.flat()[..] {
                    Relation::read(context, &format!("{{ [x] -> [{stride}*x] }}"))?
                } else if least < 0 {
                    return Err(Error::Condition {
                        operation: "composed_mapping",
                        operand: composed.to_string(),
                        expected: "an inner layout and offset of indices from 0",
                        found: least.to_string(),
                    });
                } else {
                    let size = greatest
                        .checked_add(1)
                        .ok_or_else(|| Error::Range { found: format!("{greatest} + 1") })?;
                    promoted_layout_mapping(context, layout, size)?
                }
            }
        };
        middle.then(&outer)
    })
}

/// The layout mapping of a layout, plain or composed.
///
/// # Errors
///
/// As [`composed_mapping`].
pub fn any_layout_mapping(context: &Context, layout: &AnyLayout) -> Result<Relation> {
    match layout {
        AnyLayout::Plain(layout) => layout_mapping(context, layout),
        AnyLayout::Composed(composed) => composed_mapping(context, composed),
    }
}

/// The least and the greatest index at which the outer part of a composed layout is evaluated.
fn reach(composed: &ComposedLayout) -> Result<(i64, i64)> {
    let overflow = || Error::Range { found: format!("an index of {composed} past them") };
    composed
        .inner
        .flat()
        .into_iter()
        .try_fold((composed.offset, composed.offset), |(least, greatest), (extent, stride)| {
            let end = (extent - 1).checked_mul(stride)?;
            Some((least.checked_add(end.min(0))?, greatest.checked_add(end.max(0))?))
        })
        .ok_or_else(overflow)
}
