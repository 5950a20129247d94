//! Terms of index arithmetic as texts that ISL reads, for proofs by integer sets.
//!
//! A term is, on each [`Piece`] of the box that its symbols lie in, one quasi-affine expression; comparisons,
//! selections and minima are what makes pieces. Bits of two unknowns are read bit by bit, layouts that are
//! applied to indices and to coordinates digit by digit. A word is an integer, and what wraps does so by a
//! remainder. A product of two unknowns, and a set that becomes too large for ISL, have no pieces. Two terms are
//! equal where no integer of the box distinguishes their pieces: that is decided elsewhere, since nothing here
//! knows ISL.

use crate::{index::IndexOp, node::Node, symbol::Symbol};
use egg::{Language, RecExpr};
use layout_algebra::{Layout, Op, Swizzle, Value};

/// The most pieces of one term.
const MAX_PIECES: usize = 64;

/// Bytes of a piece's text at most.
const TEXT: usize = 1 << 14;

/// Bits of words whose logic is decided bit by bit, at most.
const BITS: u32 = 12;

/// A term as pieces that cover the box of its symbols, at a width of indices. `symbol` says what stands for a
/// symbol, such as [`Piece::unknown`].
///
/// ```
/// use layout_egraph::{read, sets::{Piece, pieces}};
/// let term = read("(min (mul i:0..9 4) 12)")?;
/// let found = pieces(&term, &|symbol| Some(Piece::unknown(symbol)), 32).expect("quasi-affine");
/// assert_eq!((found[0].text(), found[0].conditions()), ("(4 * i)", &["(4 * i) <= (12)".to_owned()][..]));
/// assert_eq!((found[1].text(), found[1].conditions()), ("(12)", &["(4 * i) > (12)".to_owned()][..]));
/// // A product of two unknowns.
/// let term = read("(mul i:0..9 j:0..9)")?;
/// assert!(pieces(&term, &|symbol| Some(Piece::unknown(symbol)), 32).is_none());
/// # Ok::<(), String>(())
/// ```
pub fn pieces(
    term: &RecExpr<Node>,
    symbol: &dyn Fn(&Symbol) -> Option<Piece>,
    width: u32,
) -> Option<Vec<Piece>> {
    Reader { symbol, width }.pieces(term)
}

/// A part of a term: its conditions, its value there, and its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    when: Vec<String>,
    text: String,
    low: i128,
    high: i128,
}

impl Piece {
    /// A symbol by its name, anywhere in its bounds.
    pub fn unknown(symbol: &Symbol) -> Self {
        Self::named(symbol.name.clone(), symbol)
    }

    /// A symbol by another name, anywhere in its bounds.
    pub fn named(text: String, symbol: &Symbol) -> Self {
        let (low, high) = (i128::from(symbol.low), i128::from(symbol.high));
        Self { when: vec![], text, low, high }
    }

    /// The term as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where that holds: all of these do.
    pub fn conditions(&self) -> &[String] {
        &self.when
    }

    fn constant(value: i128) -> Self {
        Self { when: vec![], text: format!("({value})"), low: value, high: value }
    }

    fn value(&self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// As a word in two's complement.
    fn wrapped(self, words: i128) -> Self {
        let half = words / 2;
        if self.low >= -half && self.high < half {
            return self;
        }
        let text = format!("((({}) + {half}) mod {words} - {half})", self.text);
        Self { text, low: -half, high: half - 1, ..self }
    }

    /// As an unsigned word.
    fn natural(self, words: i128) -> Self {
        if self.low >= 0 {
            return self;
        }
        if let Some(value) = self.value() {
            return Self { when: self.when, ..Self::constant(value.rem_euclid(words)) };
        }
        let text = format!("(({}) mod {words})", self.text);
        Self { text, low: 0, high: words - 1, ..self }
    }

    fn both(&self, other: &Self, text: String, low: i128, high: i128) -> Self {
        let mut when = self.when.clone();
        when.extend(other.when.iter().filter(|condition| !self.when.contains(condition)).cloned());
        Self { when, text, low, high }
    }

    fn plus(&self, other: &Self, sign: i128) -> Option<Self> {
        let text = format!("({} {} {})", self.text, if sign > 0 { "+" } else { "-" }, other.text);
        let (a, b) = (sign.checked_mul(other.low)?, sign.checked_mul(other.high)?);
        let (low, high) = (self.low.checked_add(a.min(b))?, self.high.checked_add(a.max(b))?);
        Some(self.both(other, text, low, high))
    }

    fn times(&self, factor: i128) -> Option<Self> {
        let (a, b) = (factor.checked_mul(self.low)?, factor.checked_mul(self.high)?);
        let text = format!("({factor} * {})", self.text);
        Some(Self { when: self.when.clone(), text, low: a.min(b), high: a.max(b) })
    }

    fn over(&self, divisor: i128) -> Self {
        if divisor == 1 {
            return self.clone();
        }
        let text = format!("floor({} / {divisor})", self.text);
        let (low, high) = (self.low.div_euclid(divisor), self.high.div_euclid(divisor));
        Self { when: self.when.clone(), text, low, high }
    }

    fn modulo(&self, divisor: i128) -> Self {
        if self.low >= 0 && self.high < divisor {
            return self.clone();
        }
        let text = format!("({} mod {divisor})", self.text);
        Self { when: self.when.clone(), text, low: 0, high: divisor - 1 }
    }

    /// The bits of a natural number that a mask keeps: the sum of the mask's runs of ones.
    fn masked(&self, mask: i128) -> Option<Self> {
        let mut all = Self { when: self.when.clone(), ..Self::constant(0) };
        let mut bit = 0;
        while mask >> bit > 0 {
            let run = (mask >> bit).trailing_ones();
            if run > 0 {
                let field = self.over(1 << bit).modulo(1 << run).times(1 << bit)?;
                all = if all.value() == Some(0) { field } else { all.plus(&field, 1)? };
            }
            bit += run.max(1);
        }
        Some(all)
    }

    /// Logic of two natural numbers, bit by bit: bits `x` and `y` are both 1 where their sum is 2.
    fn logic(&self, other: &Self, op: IndexOp) -> Option<Self> {
        let greatest = self.high.max(other.high);
        let bits = i128::BITS - greatest.leading_zeros();
        if bits > BITS {
            return None;
        }
        let mut all = self.both(other, "(0)".to_owned(), 0, 0);
        for bit in 0..bits {
            let unit = 1 << bit;
            let sum = self.over(unit).modulo(2).plus(&other.over(unit).modulo(2), 1)?;
            let answer = match op {
                IndexOp::And => sum.over(2),
                IndexOp::Or => sum.plus(&Self::constant(1), 1)?.over(2),
                _ => sum.modulo(2),
            };
            all = all.plus(&answer.times(unit)?, 1)?;
        }
        Some(all)
    }
}

struct Reader<'s> {
    symbol: &'s dyn Fn(&Symbol) -> Option<Piece>,
    width: u32,
}

/// The reading of a part of a term.
#[derive(Clone)]
enum Read {
    Pieces(Vec<Piece>),
    Value(Value),
    /// A coordinate.
    Tuple(Vec<Read>),
}

impl Reader<'_> {
    fn pieces(&self, term: &RecExpr<Node>) -> Option<Vec<Piece>> {
        let nodes: &[Node] = term;
        let mut found: Vec<Read> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let below = node.children().iter().map(|&id| found.get(usize::from(id)));
            let read = self.node(node, &below.collect::<Option<Vec<_>>>()?)?;
            if let Read::Pieces(pieces) = &read
                && (pieces.len() > MAX_PIECES || pieces.iter().any(|piece| piece.text.len() > TEXT))
            {
                return None;
            }
            found.push(read);
        }
        match found.pop()? {
            Read::Pieces(pieces) => Some(pieces),
            Read::Value(_) | Read::Tuple(_) => None,
        }
    }

    fn node(&self, node: &Node, below: &[&Read]) -> Option<Read> {
        let one = |piece| Some(Read::Pieces(vec![piece]));
        match node {
            Node::Literal(Value::Int(value)) => one(Piece::constant(i128::from(*value))),
            Node::Literal(value) => Some(Read::Value(value.clone())),
            Node::Symbol(symbol) => one((self.symbol)(symbol)?),
            Node::Index(op, _) => {
                self.each(below, &|operands| self.operate(*op, operands)).map(Read::Pieces)
            }
            Node::Tuple(_) => Some(Read::Tuple(below.iter().copied().cloned().collect())),
            Node::Call(Op::Crd2Idx, _) => {
                let &[coordinate, Read::Value(Value::Layout(layout))] = below else { return None };
                let mut parts = Vec::new();
                collect_entries(coordinate, layout.clone(), &mut parts)?;
                let (indices, layouts): (Vec<&Read>, Vec<Layout>) = parts.into_iter().unzip();
                let apply = |operands: &[Piece]| {
                    let offsets = operands.iter().zip(&layouts);
                    let offsets = offsets.map(|(index, layout)| applied(index, layout));
                    let sum = offsets.reduce(|sum, offset| sum?.plus(&offset?, 1))??;
                    Some(vec![sum.wrapped(self.words())])
                };
                self.each(&indices, &apply).map(Read::Pieces)
            }
            Node::Swizzle(_) => {
                let &[Read::Value(Value::Swizzle(swizzle)), index] = below else { return None };
                let apply = |operands: &[Piece]| swizzled(operands.first()?, *swizzle);
                self.each(&[index], &|operands| Some(vec![apply(operands)?])).map(Read::Pieces)
            }
            _ => None,
        }
    }

    /// The number of words.
    fn words(&self) -> i128 {
        1 << self.width
    }

    /// An operation on all combinations of the operands' pieces.
    fn each(
        &self,
        below: &[&Read],
        operation: &dyn Fn(&[Piece]) -> Option<Vec<Piece>>,
    ) -> Option<Vec<Piece>> {
        let mut operands: Vec<Vec<Piece>> = vec![vec![]];
        for read in below {
            let Read::Pieces(pieces) = read else { return None };
            let extended = operands.iter().flat_map(|before| {
                pieces.iter().map(|piece| [&before[..], std::slice::from_ref(piece)].concat())
            });
            operands = extended.collect();
            if operands.len() > MAX_PIECES {
                return None;
            }
        }
        let all: Option<Vec<_>> = operands.iter().map(|operands| operation(operands)).collect();
        Some(all?.concat())
    }

    /// An operation on pieces, or `None` if it is not quasi-affine, or may have no value.
    fn operate(&self, op: IndexOp, x: &[Piece]) -> Option<Vec<Piece>> {
        if let Some((first, second)) = op.parts() {
            let [a, b, c] = x else { return None };
            let inner = self.operate(first, &[a.clone(), b.clone()])?;
            let each = inner.into_iter().map(|piece| self.operate(second, &[piece, c.clone()]));
            return Some(each.collect::<Option<Vec<_>>>()?.concat());
        }
        let words = self.words();
        let (a, b) = (x.first()?, x.get(1)?);
        let natural = |piece: &Piece| piece.clone().natural(words);
        let with = |piece: &Piece, other: &Piece, condition: String| {
            let mut both = piece.both(other, piece.text.clone(), piece.low, piece.high);
            both.when.push(condition);
            both
        };
        let one = |piece: Piece| Some(vec![piece.wrapped(words)]);
        let compare = |sign: &str, unless: &str| {
            let answer = |value: i128, sign: &str| {
                let both = a.both(b, format!("({value})"), value, value);
                with(&both, b, format!("{} {sign} {}", a.text, b.text))
            };
            Some(vec![answer(1, sign), answer(0, unless)])
        };
        let divisor = || natural(b).value().filter(|&divisor| divisor > 0);
        let shift = || b.value().filter(|shift| (0..i128::from(self.width)).contains(shift));
        match op {
            IndexOp::Add => one(a.plus(b, 1)?),
            IndexOp::Sub => one(a.plus(b, -1)?),
            IndexOp::Mul => match (a.value(), b.value()) {
                (_, Some(factor)) => one(a.both(b, a.text.clone(), a.low, a.high).times(factor)?),
                (Some(factor), _) => one(b.both(a, b.text.clone(), b.low, b.high).times(factor)?),
                _ => None,
            },
            IndexOp::Div => one(natural(a).over(divisor()?)),
            IndexOp::Mod => one(natural(a).modulo(divisor()?)),
            IndexOp::High => one(natural(a).times(natural(b).value()?)?.over(words)),
            IndexOp::Shl => one(a.times(1 << shift()?)?),
            IndexOp::Shr => one(natural(a).over(1 << shift()?)),
            IndexOp::And | IndexOp::Or | IndexOp::Xor => {
                let (a, b) = (natural(a), natural(b));
                let known = b.value().map(|mask| (&a, mask));
                let Some((of, mask)) = known.or_else(|| a.value().map(|mask| (&b, mask))) else {
                    return one(a.logic(&b, op)?);
                };
                let shared = of.masked(mask)?;
                match op {
                    IndexOp::And => one(shared),
                    // x | m is x + m - (x & m), and x ^ m is less x & m once more.
                    _ => {
                        let times = if op == IndexOp::Or { 1 } else { 2 };
                        one(of.plus(&Piece::constant(mask), 1)?.plus(&shared.times(times)?, -1)?)
                    }
                }
            }
            IndexOp::Min | IndexOp::Max => {
                let (least, greatest) = if op == IndexOp::Min { (a, b) } else { (b, a) };
                Some(vec![
                    with(least, greatest, format!("{} <= {}", a.text, b.text)),
                    with(greatest, least, format!("{} > {}", a.text, b.text)),
                ])
            }
            IndexOp::Less => compare("<", ">="),
            IndexOp::AtMost => compare("<=", ">"),
            IndexOp::Equal => compare("=", "!="),
            IndexOp::Select => {
                if a.low < 0 || a.high > 1 {
                    return None;
                }
                let choose =
                    |value: &Piece, answer: i128| with(value, a, format!("{} = {answer}", a.text));
                Some(vec![choose(b, 1), choose(x.get(2)?, 0)])
            }
            _ => None,
        }
    }
}

/// The entries of a coordinate, each with its mode of a layout.
fn collect_entries<'r>(
    coordinate: &'r Read,
    layout: Layout,
    parts: &mut Vec<(&'r Read, Layout)>,
) -> Option<()> {
    match coordinate {
        Read::Pieces(_) => parts.push((coordinate, layout)),
        Read::Value(_) => return None,
        Read::Tuple(entries) => {
            let modes = layout.modes();
            if layout.is_leaf() || modes.len() != entries.len() {
                return None;
            }
            for (entry, mode) in entries.iter().zip(modes) {
                collect_entries(entry, mode, parts)?;
            }
        }
    }
    Some(())
}

/// The offset of a natural index in a layout: its digits in mixed radix, times the strides.
fn applied(index: &Piece, layout: &Layout) -> Option<Piece> {
    if index.low < 0 {
        return None;
    }
    let modes = layout.flat();
    let last = modes.len().saturating_sub(1);
    let mut below = 1_i128;
    let mut offset = Piece { when: index.when.clone(), ..Piece::constant(0) };
    for (i, (extent, stride)) in modes.into_iter().enumerate() {
        let quotient = index.over(below);
        let digit = if i < last { quotient.modulo(i128::from(extent)) } else { quotient };
        offset = offset.plus(&digit.times(i128::from(stride))?, 1)?;
        below = below.checked_mul(i128::from(extent))?;
    }
    Some(offset)
}

/// The pieces of a natural index under a swizzle.
fn swizzled(index: &Piece, swizzle: Swizzle) -> Option<Piece> {
    if index.low < 0 {
        return None;
    }
    let lowest = swizzle.base.checked_add(u32::try_from(swizzle.shift.max(0)).ok()?)?;
    let field = 1_i128.checked_shl(swizzle.bits)?.checked_sub(1)?.checked_shl(lowest)?;
    let source = index.masked(field)?;
    let distance = 1_i128.checked_shl(swizzle.shift.unsigned_abs())?;
    let moved = if swizzle.shift >= 0 { source.over(distance) } else { source.times(distance)? };
    index.logic(&moved, IndexOp::Xor)
}
