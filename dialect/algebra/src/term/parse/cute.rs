//! Spellings of CuTe's programs and compilers that are no calls of an operation: types, such as
//! `cute::Layout<cute::Shape<cute::_4,cute::_8>>`, and the functions that make tuples, such as `make_shape(4, 8)`.
//! Braces may follow a type: `Int<4>{}`.

use super::{Form, Parser, SpanKind, Syntax};
use crate::term::prelude::*;
use crate::{layout::entries::Order, tuple::Coord};

/// The kind of term that a spelling stands for.
#[derive(Clone, Copy)]
pub(super) enum Spelling {
    /// An integer: `Int<4>`.
    Integer,
    /// A basis element, the outermost mode first: `E<0,1>` is `1@1@0`.
    Element,
    /// A multiple of one: `ScaledBasis<_4,0>` is `4@0`.
    Multiple,
    /// A tuple: `Shape<_4,_8>`, `make_shape(4, 8)`.
    Tuple,
    /// A tuple of tilers: `Tile<_4,_8>`, `make_tile(4, 8)`.
    Tiler,
    /// A layout, compact without a stride: `Layout<Shape<_4,_8>>`.
    Layout,
    /// A composed layout: `ComposedLayout<Swizzle<3,4,3>,_0,Layout<_64>>`.
    Composed,
    /// `_`.
    Any,
    /// An order in place of a stride or an order: `LayoutRight{}`.
    Order(Order),
}

/// The words, each with the bracket after it, if it has one.
const WORDS: &[(&str, &str, Spelling)] = &[
    ("Int", "<", Spelling::Integer),
    ("C", "<", Spelling::Integer),
    ("E", "<", Spelling::Element),
    ("ScaledBasis", "<", Spelling::Multiple),
    ("Shape", "<", Spelling::Tuple),
    ("Stride", "<", Spelling::Tuple),
    ("Step", "<", Spelling::Tuple),
    ("Coord", "<", Spelling::Tuple),
    ("tuple", "<", Spelling::Tuple),
    ("make_shape", "(", Spelling::Tuple),
    ("make_stride", "(", Spelling::Tuple),
    ("make_step", "(", Spelling::Tuple),
    ("make_coord", "(", Spelling::Tuple),
    ("make_tuple", "(", Spelling::Tuple),
    ("Tile", "<", Spelling::Tiler),
    ("make_tile", "(", Spelling::Tiler),
    ("Layout", "<", Spelling::Layout),
    ("ComposedLayout", "<", Spelling::Composed),
    ("Underscore", "", Spelling::Any),
    ("LayoutLeft", "", Spelling::Order(Order::Left)),
    ("LayoutRight", "", Spelling::Order(Order::Right)),
    ("GenColMajor", "", Spelling::Order(Order::Left)),
    ("GenRowMajor", "", Spelling::Order(Order::Right)),
];

/// Types of elements in CuTe's programs, each with its bits.
const TYPES: &[(&str, i64)] = &[
    ("uint1b_t", 1),
    ("int2b_t", 2),
    ("uint2b_t", 2),
    ("int4b_t", 4),
    ("uint4b_t", 4),
    ("float_e2m1_t", 4),
    ("float_e2m3_t", 6),
    ("float_e3m2_t", 6),
    ("bool", 8),
    ("char", 8),
    ("int8_t", 8),
    ("uint8_t", 8),
    ("float_e4m3_t", 8),
    ("float_e5m2_t", 8),
    ("float_ue8m0_t", 8),
    ("int16_t", 16),
    ("uint16_t", 16),
    ("half_t", 16),
    ("bfloat16_t", 16),
    ("int", 32),
    ("int32_t", 32),
    ("uint32_t", 32),
    ("float", 32),
    ("tfloat32_t", 32),
    ("int64_t", 64),
    ("uint64_t", 64),
    ("double", 64),
    ("uint128_t", 128),
];

/// A function of CuTe whose name is an operation only before modes: `layout<1>(L)`.
pub(super) fn accessor(name: &str, after: &str) -> Option<Op> {
    (name == "layout" && after.starts_with('<')).then_some(Op::Get)
}

/// The spelling that takes the place of a function of CuTe's that is no operation.
pub(super) fn instead_of(name: &str) -> Option<&'static str> {
    (name == "make_swizzle").then_some("S<b,m,s>")
}

/// The words, for those that are nearly one.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    WORDS.iter().map(|(word, ..)| *word)
}

/// Whether a word by itself has a meaning, or that of a call.
pub(super) fn is_word(word: &str) -> bool {
    WORDS.iter().any(|(own, open, _)| *own == word && *open != "<")
}

impl Parser<'_, '_, '_> {
    /// The term of a spelling of CuTe's programs, if one is ahead.
    pub(super) fn spelled(&mut self, depth: usize) -> Result<Option<Syntax>> {
        let name = self.text.word();
        let after = self.text.ahead().get(name.len()..).unwrap_or("");
        let found = WORDS.iter().find(|(word, open, _)| *word == name && after.starts_with(open));
        let Some(&(_, open, spelling)) = found else { return Ok(None) };
        let (mark, start) = (self.mark(), self.text.at);
        let depth = self.text.deeper(depth)?;
        self.text.at += name.len() + open.len();
        let close = if open == "(" { ")" } else { ">" };
        let parts = match spelling {
            _ if open.is_empty() || self.text.eat(close) => Vec::new(),
            Spelling::Tiler | Spelling::Composed => {
                self.entries(depth, close, false, Self::term)?
            }
            _ => self.entries(depth, close, false, Self::entry)?,
        };
        self.text.skip_braces();
        let (kind, syntax) = match spelling {
            Spelling::Integer => {
                let [value] = exactly(parts, start, "one integer")?;
                (SpanKind::Integer, value)
            }
            Spelling::Element => {
                (SpanKind::Expression, self.multiple(Syntax::int(1), path(&parts, start)?))
            }
            Spelling::Multiple => {
                let mut modes = parts;
                if modes.is_empty() {
                    return Err(Error::parse(start, "a multiple and its modes", "none"));
                }
                let scale = modes.remove(0);
                (SpanKind::Expression, self.multiple(scale, path(&modes, start)?))
            }
            Spelling::Tuple => (SpanKind::Tuple, Syntax::tuple(parts)),
            Spelling::Tiler => (SpanKind::Tuple, Syntax::Tiler(parts)),
            Spelling::Layout => match parts.len() {
                1 => {
                    let [shape] = exactly(parts, start, "a shape")?;
                    (SpanKind::Layout, Syntax::Call { op: Op::MakeLayout, args: vec![shape] })
                }
                _ => {
                    let [shape, stride] = exactly(parts, start, "a shape and a stride")?;
                    (SpanKind::Layout, self.layout_of(start, shape, stride)?)
                }
            },
            Spelling::Composed => {
                let args = exactly(parts, start, "an outer layout, an offset and an inner layout")?;
                (SpanKind::Composed, self.composed_of(start, args)?)
            }
            Spelling::Any => (SpanKind::Word, Syntax::Literal(Value::Coord(Coord::Any))),
            Spelling::Order(order) => (SpanKind::Word, Syntax::Form(Form::Order(order))),
        };
        self.note_as(&mark, kind);
        Ok(Some(syntax))
    }

    /// The bits of two types up to `>`, the old one first as in CuTe C++, if they are ahead.
    pub(super) fn types(&mut self) -> Option<Vec<Syntax>> {
        let (start, mark) = (self.text.at, self.mark());
        let mut both = || {
            let old = self.type_bits().filter(|_| self.text.eat(","))?;
            let new = self.type_bits().filter(|_| self.text.eat(">"))?;
            Some(vec![Syntax::int(old), Syntax::int(new)])
        };
        let types = both();
        if types.is_none() {
            self.text.at = start;
            self.forget(&mark);
        }
        types
    }

    fn type_bits(&mut self) -> Option<i64> {
        self.eat_namespace();
        let mark = self.mark();
        let name = self.text.word();
        let bits = TYPES.iter().find(|(own, _)| *own == name)?.1;
        self.text.at += name.len();
        self.note_as(&mark, SpanKind::Integer);
        Some(bits)
    }

    /// A namespace, which changes nothing.
    pub(super) fn eat_namespace(&mut self) {
        if self.text.rest().starts_with("cute::") {
            self.text.at += "cute::".len();
        }
    }

    /// A multiple of a basis element; of none, the number.
    pub(super) fn multiple(&self, scale: Syntax, path: Vec<usize>) -> Syntax {
        match scale.as_int() {
            _ if path.is_empty() => scale,
            Some(scale) if !self.is_open() => {
                Syntax::Literal(Value::Steps(Nested::Leaf(Basis { scale, path })))
            }
            _ => Syntax::Form(Form::Step(scale.into(), path)),
        }
    }
}

fn exactly<const N: usize>(
    parts: Vec<Syntax>,
    start: usize,
    expected: &str,
) -> Result<[Syntax; N]> {
    let found = parts.len();
    parts.try_into().map_err(|_| Error::parse(start, expected, found))
}

/// The modes of a basis element.
fn path(modes: &[Syntax], start: usize) -> Result<Vec<usize>> {
    let mode = |mode: &Syntax| mode.as_int().and_then(|mode| usize::try_from(mode).ok());
    let path = modes.iter().map(mode).collect::<Option<Vec<_>>>();
    path.ok_or_else(|| Error::parse(start, "modes that are not negative", "others"))
}

/// The operands of a call whose last one is an order by name, as operands that state it, or `None` if the operation takes
/// no order there.
pub(super) fn ordered(op: Op, mut args: Vec<Syntax>, order: Order) -> Option<(Op, Vec<Syntax>)> {
    match (op, args.as_slice(), order) {
        (Op::MakeLayout | Op::MakeOrderedLayout, [_], Order::Left) => Some((Op::MakeLayout, args)),
        (Op::MakeLayout | Op::MakeOrderedLayout, [shape], Order::Right) => {
            let strides = Syntax::Call { op: Op::CompactRowMajor, args: vec![shape.clone()] };
            args.push(strides);
            Some((Op::MakeLayout, args))
        }
        (Op::TileToShape, [_, _], Order::Left) => Some((op, args)),
        (Op::TileToShape, [_, shape], Order::Right) => {
            let rank = shape.rank()?;
            let order = (0..i64::try_from(rank).ok()?).rev().map(Tuple::Leaf).collect();
            args.push(Syntax::Literal(Value::Tuple(Tuple::Node(order))));
            Some((op, args))
        }
        _ => None,
    }
}
