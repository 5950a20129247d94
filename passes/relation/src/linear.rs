//! The mappings of a linear layout: section 5 of the paper.

use layout_algebra::{Tuple, linear::LinearLayout};

use crate::{
    cute::{colexicographic, coordinate_mapping},
    error::{Error, Result},
    isl::Context,
    relation::Relation,
    text::{bounds, dot, names},
};

/// The five mappings of a linear layout; each takes the result of the one before.
///
/// Dimensions are in the layout's order, the first the fastest; bits are in order, the lowest first.
#[derive(Clone)]
pub struct LinearMappings {
    /// From natural to integral coordinates, colexicographically: `M_ic` of equation 16.
    pub integral: Relation,
    /// From an integral coordinate to its bits: `M_bc` of equation 17.
    pub bits: Relation,
    /// From the coordinate's bits to the index's, the matrix over GF(2): `M_bv` of equation 22.
    pub vectors: Relation,
    /// From the index's bits to the linear index: `M_li` of equation 18.
    pub index: Relation,
    /// From the linear index to natural indices: `M_ni` of equation 19.
    pub natural: Relation,
}

impl LinearMappings {
    /// The mappings of a layout.
    ///
    /// # Errors
    ///
    /// A limit.
    ///
    /// ```
    /// use layout_relation::{Context, Limits, LinearMappings};
    /// let context = Context::new(Limits::default())?;
    /// let text = "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])";
    /// let mappings = LinearMappings::of(&context, &text.parse()?)?;
    /// assert_eq!(
    ///     mappings.vectors.expressions()?,
    ///     "{ [c0, c1, c2, c3] -> [(c0), (c1), ((c0 + c2) mod 2), ((c1 + c3) mod 2)] : \
    ///      0 <= c0 <= 1 and 0 <= c1 <= 1 and 0 <= c2 <= 1 and 0 <= c3 <= 1 }"
    /// );
    /// assert_eq!(mappings.layout()?.at(&[3, 1])?, Some(vec![3, 2]));
    /// # Ok::<(), layout_relation::Error>(())
    /// ```
    pub fn of(context: &Context, layout: &LinearLayout) -> Result<Self> {
        let ins: Vec<_> = layout.in_dims().map(|(_, size)| size).collect();
        let outs: Vec<_> = layout.out_dims().map(|(_, size)| size).collect();
        let matrix = layout.matrix();
        let (width, height) = (matrix.width() as usize, matrix.height() as usize);
        context.within(|| {
            Ok(Self {
                integral: linearization(context, &shape(&ins))?,
                bits: coordinate_mapping(context, &shape(&vec![2; width]))?,
                vectors: Relation::read(
                    context,
                    &format!(
                        "{{ [{}] -> [{}] : {} }}",
                        names("c", width),
                        matrix.rows().iter().map(|&row| parity(row)).collect::<Vec<_>>().join(", "),
                        bounds("c", &vec![2; width])
                    ),
                )?,
                index: linearization(context, &shape(&vec![2; height]))?,
                natural: coordinate_mapping(context, &shape(&outs))?,
            })
        })
    }

    /// All of them in turn, from natural coordinates to natural indices: equation 23.
    ///
    /// # Errors
    ///
    /// A limit.
    pub fn layout(&self) -> Result<Relation> {
        self.integral.context().within(|| {
            let bits = self.integral.then(&self.bits)?.then(&self.vectors)?;
            bits.then(&self.index)?.then(&self.natural)
        })
    }
}

/// The mapping of a linear layout from natural coordinates to natural indices.
///
/// # Errors
///
/// A limit.
pub fn linear_layout_mapping(context: &Context, layout: &LinearLayout) -> Result<Relation> {
    context.within(|| LinearMappings::of(context, layout)?.layout())
}

/// The mapping of a linear layout in ISL's notation, by expressions, with the layout's own names of
/// dimensions where ISL can read them as names: [`recover`](crate::recover) finds them again.
///
/// # Errors
///
/// A limit.
///
/// ```
/// use layout_relation::{Context, Limits, Recovered, Relation, linear_layout_text, recover};
/// let context = Context::new(Limits::default())?;
/// let layout = "linear<{lane = [(1,1),(2,2)], warp = [(0,1)]} -> {row = 4, col = 4}>";
/// let text = linear_layout_text(&context, &layout.parse()?)?;
/// assert!(text.starts_with("{ [lane, warp] -> [row = (") && text.contains("), col = ("), "{text}");
/// let Recovered::Linear { layout: found, .. } = recover(&Relation::parse(&context, &text)?)? else {
///     panic!("a linear layout")
/// };
/// assert_eq!(found.to_string(), layout);
/// # Ok::<(), layout_relation::Error>(())
/// ```
pub fn linear_layout_text(context: &Context, layout: &LinearLayout) -> Result<String> {
    context.within(|| {
        let mapping = linear_layout_mapping(context, layout)?;
        let (ins, outs): (Vec<_>, Vec<_>) =
            (layout.in_names().collect(), layout.out_names().collect());
        let mut all: Vec<_> = ins.iter().chain(&outs).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() < ins.len() + outs.len() || all.iter().any(|name| KEYWORDS.contains(name)) {
            return mapping.expressions();
        }
        let same = Relation::read(context, &format!("{{ [{0}] -> [{0}] }}", ins.join(", ")))?;
        Ok(with_names(&same.then(&mapping)?.expressions()?, &outs))
    })
}

/// The linear layout of the given input and output sizes that has a mapping, or the least
/// coordinate where the only candidate differs.
///
/// Dimensions are named `crd0`, …, `idx0`, …, as for the paper's literal.
///
/// # Errors
///
/// The refutation, inside `Ok`; sizes that are no powers of two; images out of bounds at powers of
/// two; a limit.
pub fn linear_layout_from(
    mapping: &Relation,
    ins: &[i64],
    outs: &[i64],
) -> Result<std::result::Result<LinearLayout, Vec<i64>>> {
    let context = mapping.context();
    context.within(|| {
        let dimensions = mapping.dimensions()?;
        if dimensions != (ins.len(), outs.len()) {
            return Err(Error::Dimensions {
                operation: "linear_layout_from",
                expected: format!("a mapping from {} to {} dimensions", ins.len(), outs.len()),
                found: format!("{} to {}", dimensions.0, dimensions.1),
            });
        }
        let mut values = Vec::new();
        for (i, &size) in ins.iter().enumerate() {
            for bit in (0..63).map(|bit| 1_i64 << bit).take_while(|&bit| bit < size) {
                let mut coordinate = vec![0; ins.len()];
                coordinate[i] = bit;
                match mapping.at(&coordinate)? {
                    Some(image) => values.push(image),
                    None => return Ok(Err(coordinate)),
                }
            }
        }
        let layout = LinearLayout::from_values_at_bases(ins, outs, &values)?;
        let candidate = linear_layout_mapping(context, &layout)?;
        if mapping.is_equal(&candidate)? {
            return Ok(Ok(layout));
        }
        let only = |a: &Relation, b: &Relation| a.map.subtract(&b.map)?.domain();
        let differing = only(mapping, &candidate)?.union(&only(&candidate, mapping)?)?;
        Ok(Err(differing.lexmin()?.point()?.unwrap_or_default()))
    })
}

/// Words that ISL reads as something else than a name.
const KEYWORDS: [&str; 21] = [
    "and", "ceil", "ceild", "exists", "false", "floor", "floord", "implies", "inf", "infinity",
    "infty", "int", "max", "min", "mod", "nan", "not", "or", "rat", "to", "true",
];

/// Expressions as ISL prints them, `… -> [(a), (b)] : …`, with names for the results.
fn with_names(text: &str, names: &[&str]) -> String {
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("-> [") {
        let (before, tuple) = rest.split_at(at + "-> [".len());
        named.push_str(before);
        let (mut depth, mut result, mut end) = (0_usize, 0, tuple.len());
        for (at, sign) in tuple.char_indices() {
            match sign {
                ']' if depth == 0 => {
                    end = at;
                    break;
                }
                '(' if depth == 0 => {
                    if let Some(name) = names.get(result) {
                        named.push_str(name);
                        named.push_str(" = ");
                    }
                    result += 1;
                }
                _ => {}
            }
            match sign {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            named.push(sign);
        }
        rest = &tuple[end..];
    }
    named + rest
}

fn shape(extents: &[i64]) -> Tuple {
    Tuple::Node(extents.iter().copied().map(Tuple::Leaf).collect())
}

/// From natural coordinates to the integral one, by the dot product with colexicographic strides.
fn linearization(context: &Context, shape: &Tuple) -> Result<Relation> {
    let (extents, steps) = colexicographic(shape)?;
    let text = format!(
        "{{ [{}] -> [{}] : {} }}",
        names("c", extents.len()),
        dot("c", &steps),
        bounds("c", &extents)
    );
    Relation::read(context, &text)
}

/// The sum modulo 2 of the bits of a row.
fn parity(row: u64) -> String {
    let bits: Vec<_> = (0..64).filter(|bit| row >> bit & 1 == 1).map(|b| format!("c{b}")).collect();
    match bits.len() {
        0 => "0".to_owned(),
        1 => bits.concat(),
        _ => format!("({}) mod 2", bits.join(" + ")),
    }
}
