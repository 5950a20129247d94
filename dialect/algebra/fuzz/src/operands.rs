//! Calls of every operation: operands of the kinds that it takes, mostly small and related to each
//! other, sometimes huge, deep, long, negative, or of another kind altogether.

use arbitrary::{Result, Unstructured};
use layout_algebra::{
    AnyLayout, ComposedLayout, Coord, Layout, Op, Outer, Swizzle, Term, Tiler, Tuple, Value,
};

type Bytes<'a, 'b> = &'a mut Unstructured<'b>;

/// A call with operands.
pub fn call(u: Bytes) -> Result<Term> {
    let op = *u.choose(Op::ALL)?;
    let args = if u.ratio(1, 32)? { anything(u)? } else { fitting(op, u)? };
    Ok(Term::Call { op, args })
}

/// Operands without regard to the operation.
fn anything(u: Bytes) -> Result<Vec<Term>> {
    (0..u.int_in_range(0..=4)?)
        .map(|_| {
            Ok(match u.int_in_range(0..=6)? {
                0 => int(number(u)?),
                1 => tuple(u)?,
                2 => layout_term(u)?,
                3 => Term::Literal(Value::Swizzle(swizzle(u)?)),
                4 => Term::Literal(Value::Bool(u.arbitrary()?)),
                5 => Term::Literal(Value::List(vec![Value::Int(number(u)?)])),
                _ => {
                    let layout = layout(u)?;
                    tiler(&layout, u)?
                }
            })
        })
        .collect()
}

/// Operands as the operation takes them.
fn fitting(op: Op, u: Bytes) -> Result<Vec<Term>> {
    use Op::*;
    let layout = layout(u)?;
    let shape = || Term::Literal(Value::Tuple(layout.shape().clone()));
    Ok(match op {
        Coalesce if u.arbitrary()? => {
            let profile =
                Tuple::Node(vec![Tuple::Leaf(1); u.int_in_range(1..=layout.rank().min(4))?]);
            vec![plain(&layout), Term::Literal(Value::Tuple(profile))]
        }
        Composition if u.ratio(1, 6)? => {
            vec![Term::Literal(Value::Swizzle(swizzle(u)?)), dressed(&layout, u)?]
        }
        Composition if u.ratio(1, 6)? => {
            let inner = related(&layout, u)?;
            let inner = match u.arbitrary()? {
                true => Term::Literal(Value::Swizzle(swizzle(u)?)),
                false => dressed(&inner, u)?,
            };
            vec![dressed(&layout, u)?, inner]
        }
        LayoutOf => {
            let mut offsets: Vec<i64> =
                (0..layout.size().min(64)).map(|i| layout.at(i).unwrap_or(i)).collect();
            if u.ratio(1, 4)? {
                offsets.push(number(u)?);
            }
            let offsets = Tuple::Node(offsets.into_iter().map(Tuple::Leaf).collect());
            let offsets = Term::Literal(Value::Tuple(offsets));
            if u.arbitrary()? { vec![offsets, shape()] } else { vec![offsets] }
        }
        Commutes => (0..2)
            .map(|_| Ok(Term::Literal(Value::Swizzle(swizzle(u)?))))
            .collect::<Result<_>>()?,
        Composition
        | LogicalDivide
        | ZippedDivide
        | TiledDivide
        | FlatDivide
        | LogicalProduct
        | ZippedProduct
        | TiledProduct
        | FlatProduct
        | Unzip
        | InBoundsOfDivide
        | InBoundsOfComposition => {
            vec![dressed(&layout, u)?, tiler(&layout, u)?]
        }
        Complement if u.arbitrary()? => vec![plain(&layout), int(number(u)?)],
        BlockedProduct | RakedProduct | Append | Prepend | Zip | MaxCommonVector
        | MaxCommonLayout => {
            let other = related(&layout, u)?;
            vec![dressed(&layout, u)?, plain(&other)]
        }
        BankConflicts => {
            let access = related(&layout, u)?;
            vec![dressed(&layout, u)?, plain(&access), int(1 << u.int_in_range(0..=8)?)]
        }
        ConflictFreeSwizzle | LinearSwizzle => {
            let (store, load) = (related(&layout, u)?, related(&layout, u)?);
            vec![plain(&layout), plain(&store), plain(&load), int(1 << u.int_in_range(0..=8)?)]
        }
        MakeLayout => (0..u.int_in_range(1..=4)?).map(|_| layout_term(u)).collect::<Result<_>>()?,
        Get | Select | Size | Cosize | Rank | Depth => {
            let mut args = vec![dressed(&layout, u)?];
            for _ in 0..u.int_in_range(0..=3)? {
                args.push(int(u.int_in_range(-1..=3)?));
            }
            args
        }
        Group | Take => {
            let begin = u.int_in_range(-1..=3)?;
            vec![dressed(&layout, u)?, int(begin), int(begin + u.int_in_range(0..=3)?)]
        }
        Replace => vec![dressed(&layout, u)?, int(u.int_in_range(-1..=3)?), layout_term(u)?],
        MakeOrderedLayout => {
            let order: Vec<Tuple> = (0..layout.shape().leaf_count())
                .map(|_| number(u).map(Tuple::Leaf))
                .collect::<Result<_>>()?;
            vec![shape(), Term::Literal(Value::Tuple(Tuple::Node(order)))]
        }
        CompactColMajor | CompactRowMajor => vec![if u.arbitrary()? { shape() } else { tuple(u)? }],
        DomainDistribute => {
            vec![if u.arbitrary()? { shape() } else { tuple(u)? }, int(number(u)?)]
        }
        Distribute => {
            let tile = layout.shape().entries().iter().map(|mode| divisor(mode, u));
            let tile = Tuple::Node(tile.collect::<Result<_>>()?);
            let threads = related(&layout, u)?;
            vec![dressed(&layout, u)?, Term::Literal(Value::Tuple(tile)), plain(&threads)]
        }
        Crd2Idx | Slice | SliceAndOffset | Dice => {
            let coord = coord(layout.shape(), op != Crd2Idx, u)?;
            vec![coord_term(coord), dressed(&layout, u)?]
        }
        Idx2Crd => vec![coord_term(coord(layout.shape(), false, u)?), shape()],
        TileToShape => {
            let times = layout.shape().entries().iter().map(|mode| {
                let size = mode.product().unwrap_or(1);
                Ok(Tuple::Leaf(size.saturating_mul(u.int_in_range(1..=4)?)))
            });
            let target = Tuple::Node(times.collect::<Result<_>>()?);
            let mut args = vec![dressed(&layout, u)?, Term::Literal(Value::Tuple(target))];
            if u.arbitrary()? {
                args.push(tuple(u)?);
            }
            args
        }
        Upcast | Downcast => vec![dressed(&layout, u)?, int(factor(u)?)],
        Recast | RecastLayout => vec![dressed(&layout, u)?, int(factor(u)?), int(factor(u)?)],
        ShapeDiv | CeilDiv | RoundUp | Congruent | WeaklyCongruent | Compatible | EvenlyDivides => {
            let other = match u.int_in_range(0..=3)? {
                0 => tuple(u)?,
                1 => int(number(u)?),
                2 => Term::Literal(Value::Tuple(divisor(layout.shape(), u)?)),
                _ => shape(),
            };
            vec![shape(), other]
        }
        // The operations that take one layout; of operations that are newer than this list, also their examples.
        op if u.ratio(1, 4)? => match Term::parse(op.row().example.0) {
            Ok(Term::Call { args, .. }) => args,
            _ => Vec::new(),
        },
        _ => vec![dressed(&layout, u)?],
    })
}

fn int(value: i64) -> Term {
    Term::Literal(Value::Int(value))
}

fn plain(layout: &Layout) -> Term {
    Term::layout(AnyLayout::Plain(layout.clone()))
}

fn layout_term(u: Bytes) -> Result<Term> {
    let layout = layout(u)?;
    dressed(&layout, u)
}

/// The layout, sometimes under a swizzle or another layout.
fn dressed(inner: &Layout, u: Bytes) -> Result<Term> {
    let outer = match u.int_in_range(0..=15)? {
        0 | 1 => Outer::Swizzle(swizzle(u)?),
        2 => Outer::Layout(layout(u)?),
        _ => return Ok(plain(inner)),
    };
    let offset = if u.arbitrary()? { 0 } else { number(u)? };
    Ok(Term::layout(AnyLayout::Composed(ComposedLayout { outer, offset, inner: inner.clone() })))
}

fn swizzle(u: Bytes) -> Result<Swizzle> {
    let reach: i32 = if u.ratio(1, 8)? { 62 } else { 5 };
    let shift = u.int_in_range(-reach..=reach)?;
    let (bits, base) = (u.int_in_range(0..=5)?, u.int_in_range(0..=reach.unsigned_abs())?);
    Ok(Swizzle::new(bits, base, shift).unwrap_or(Swizzle { bits: 3, base: 4, shift: 3 }))
}

/// Any number, mostly a small one, sometimes at the ends of 64 bits.
fn number(u: Bytes) -> Result<i64> {
    Ok(match u.int_in_range(0..=9)? {
        0..=5 => u.int_in_range(0..=64)?,
        6 => 1 << u.int_in_range(0..=62)?,
        7 => u.int_in_range(-64..=4096)?,
        8 => *u.choose(&[
            i64::MIN,
            i64::MIN + 1,
            i64::MAX,
            i64::MAX - 1,
            -1,
            1 << 62,
            (1 << 62) - 1,
        ])?,
        _ => u.arbitrary()?,
    })
}

fn factor(u: Bytes) -> Result<i64> {
    if u.ratio(1, 8)? { number(u) } else { Ok(*u.choose(&[1, 2, 3, 4, 6, 8, 16, 32, 64])?) }
}

fn extent(u: Bytes) -> Result<i64> {
    Ok(match u.int_in_range(0..=11)? {
        0..=7 => u.int_in_range(1..=8)?,
        8 => 1 << u.int_in_range(0..=20)?,
        9 => u.int_in_range(1..=1200)?,
        10 => u.int_in_range(1..=1 << 20)?,
        _ => number(u)?.checked_abs().unwrap_or(1).max(1),
    })
}

/// A layout of modes that often continue from each other, nested at random.
fn layout(u: Bytes) -> Result<Layout> {
    let count = match u.int_in_range(0..=15)? {
        0 => u.int_in_range(1..=40)?,
        1 => u.int_in_range(1..=2000)?,
        _ => u.int_in_range(1..=4)?,
    };
    let mut modes: Vec<(Tuple, Tuple)> = Vec::with_capacity(count);
    let (mut next, mut size) = (1_i64, 1_i64);
    for i in 0..count {
        // Bytes are few: long layouts repeat what they began with.
        let (mut extent, stride) = if i < 40 {
            let stride = match u.int_in_range(0..=7)? {
                0..=2 => next,
                3 => next.saturating_mul(u.int_in_range(0..=3)?),
                4 => u.int_in_range(0..=24)?,
                5 => -u.int_in_range(0..=24)?,
                6 => number(u)?,
                _ => 1,
            };
            (extent(u)?, stride)
        } else {
            (1, modes[i % 40].1.leaves()[0])
        };
        size = size.checked_mul(extent).unwrap_or_else(|| {
            extent = 1;
            size
        });
        next = next.saturating_mul(extent);
        modes.push((Tuple::Leaf(extent), Tuple::Leaf(stride)));
    }
    if modes.len() > 1 {
        // Groups, to no greater depth than a term may have.
        for _ in 0..u.int_in_range(0..=3)? {
            let begin = u.int_in_range(0..=modes.len() - 1)?;
            let end = u.int_in_range(begin + 1..=modes.len())?;
            let mut grouped: (Vec<_>, Vec<_>) = modes.splice(begin..end, []).unzip();
            for _ in 0..if u.ratio(1, 32)? { 55 } else { 0 } {
                grouped = (vec![Tuple::Node(grouped.0)], vec![Tuple::Node(grouped.1)]);
            }
            modes.insert(begin, (Tuple::Node(grouped.0), Tuple::Node(grouped.1)));
        }
    }
    let (mut shape, mut stride): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
    let (shape, stride) = match (shape.len(), shape.pop().zip(stride.pop())) {
        (1, Some(mode)) => mode,
        (_, last) => {
            let (extent, step) = last.unwrap_or((Tuple::Leaf(1), Tuple::Leaf(0)));
            shape.push(extent);
            stride.push(step);
            (Tuple::Node(shape), Tuple::Node(stride))
        }
    };
    Ok(Layout::new(shape, stride).unwrap_or_else(|error| panic!("a layout: {error}")))
}

/// A layout that another is likely to work with: into its indices, or of its shape.
fn related(layout: &Layout, u: Bytes) -> Result<Layout> {
    match u.int_in_range(0..=4)? {
        0 => self::layout(u),
        1 => Ok(Layout::from_shape(layout.shape().clone()).unwrap_or_else(|_| layout.clone())),
        2 => Ok(layout.clone()),
        _ => {
            let (mut shape, mut stride, mut step) = (Vec::new(), Vec::new(), 1_i64);
            let mut rest = layout.size();
            for _ in 0..u.int_in_range(1..=3)? {
                step = step.saturating_mul(part(rest, u)?);
                let extent = part(rest, u)?;
                rest /= extent;
                shape.push(Tuple::Leaf(extent));
                stride.push(Tuple::Leaf(step));
                step = step.saturating_mul(extent);
            }
            let made = Layout::new(Tuple::Node(shape), Tuple::Node(stride));
            Ok(made.unwrap_or_else(|_| layout.clone()))
        }
    }
}

/// A small divisor of a number, or a number near one.
fn part(of: i64, u: Bytes) -> Result<i64> {
    let expected = u.int_in_range(1..=9)?;
    Ok(if of % expected == 0 || u.ratio(1, 8)? { expected } else { 1 })
}

fn divisor(shape: &Tuple, u: Bytes) -> Result<Tuple> {
    match shape {
        Tuple::Leaf(extent) => part(*extent, u).map(Tuple::Leaf),
        Tuple::Node(entries) => {
            let entries = entries.iter().take(64).map(|entry| divisor(entry, u));
            entries.collect::<Result<_>>().map(Tuple::Node)
        }
    }
}

fn tiler(layout: &Layout, u: Bytes) -> Result<Term> {
    Ok(match u.int_in_range(0..=5)? {
        0 => Term::Literal(Value::Tuple(divisor(layout.shape(), u)?)),
        1 | 2 => {
            let mut entries = Vec::new();
            for mode in layout.modes().into_iter().take(u.int_in_range(1..=8)?) {
                entries.push(if u.ratio(1, 8)? {
                    Tiler::Any
                } else {
                    Tiler::Layout(related(&mode, u)?)
                });
            }
            Term::Literal(Value::Tiler(Tiler::Tuple(entries)))
        }
        _ => plain(&related(layout, u)?),
    })
}

fn tuple(u: Bytes) -> Result<Term> {
    let entries = (0..u.int_in_range(1..=5)?).map(|_| {
        Ok(if u.ratio(1, 6)? {
            Tuple::Node(vec![Tuple::Leaf(number(u)?), Tuple::Leaf(number(u)?)])
        } else {
            Tuple::Leaf(number(u)?)
        })
    });
    Ok(Term::Literal(Value::Tuple(Tuple::Node(entries.collect::<Result<_>>()?))))
}

fn coord(shape: &Tuple, any: bool, u: Bytes) -> Result<Coord> {
    if any && u.ratio(1, 3)? {
        return Ok(Coord::Any);
    }
    match shape {
        Tuple::Node(entries) if u.ratio(5, 6)? => {
            let entries = entries.iter().map(|entry| coord(entry, any, u));
            Ok(Coord::Tuple(entries.collect::<Result<_>>()?))
        }
        _ => number(u).map(Coord::At),
    }
}

fn coord_term(coord: Coord) -> Term {
    Term::Literal(match (&coord, coord.to_tuple()) {
        (Coord::At(index), _) => Value::Int(*index),
        (_, Some(tuple)) => Value::Tuple(tuple),
        _ => Value::Coord(coord),
    })
}
