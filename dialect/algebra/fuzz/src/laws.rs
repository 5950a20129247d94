//! The laws of an answer, by the slow definition, wherever the operands are small enough for it.

use layout_algebra::{AnyLayout, Error, Layout, Op, Value, meaning};

/// Coordinates up to which the slow definition is evaluated.
const SMALL: i64 = 512;

/// Panics where an answer contradicts the slow definition.
pub fn check(op: Op, values: &[Value], result: &Result<Value, Error>) {
    let [Value::Layout(layout), ..] = values else { return };
    if layout.size() > SMALL || layout.rank() > 8 {
        return;
    }
    let wrong = || -> ! {
        let operands: Vec<String> = values.iter().map(ToString::to_string).collect();
        let found = result.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        panic!("{}({}): wrong: {found}", op.name(), operands.join(", "))
    };
    let holds = match (op, &values[1..], result) {
        (_, _, Err(Error::NoComposition { a, b, coordinate, expected, .. })) => {
            let (Ok(a), Ok(b)) = (Layout::try_from(a), Layout::try_from(b)) else { wrong() };
            let (a, b) = (&a, &b);
            let witness = meaning::offset(b, *coordinate).and_then(|at| meaning::offset(a, at));
            witness == Some(*expected) && (b.size() > SMALL || !meaning::has_composition(a, b))
        }
        (Op::Composition, [Value::Layout(b)], Ok(Value::Layout(found))) => {
            b.size() > SMALL || !reached(layout, b) || meaning::is_composition(layout, b, found)
        }
        (Op::Coalesce | Op::Flatten | Op::Group, _, Ok(Value::Layout(found))) => {
            found.size() == layout.size() && agree(layout, found)
        }
        (Op::Complement, _, Ok(Value::Layout(found))) => {
            found.size() > SMALL
                || !fits(layout)
                || !fits(found)
                || meaning::is_complement(layout, found)
        }
        (Op::LogicalDivide | Op::ZippedDivide, [Value::Layout(tile)], Ok(Value::Layout(found))) => {
            tile.size() > SMALL
                || !reached(layout, tile)
                || found.mode(0).is_some_and(|mode| meaning::is_composition(layout, tile, &mode))
        }
        (Op::LogicalProduct | Op::ZippedProduct, [Value::Layout(_)], Ok(Value::Layout(found))) => {
            found.rank() == 2 && found.mode(0).as_ref() == Some(layout)
        }
        (Op::RightInverse, [], Ok(Value::Layout(found))) => {
            meaning::is_right_inverse(layout, found)
        }
        (Op::LeftInverse, [], Ok(Value::Layout(found))) => {
            !fits(layout) || meaning::is_left_inverse(layout, found)
        }
        (Op::Nullspace, [], Ok(Value::Layout(found))) => (0..found.size()).all(|i| {
            meaning::offset(found, i).and_then(|at| meaning::offset(layout, at)) == Some(0)
        }),
        (Op::Sort | Op::Filter | Op::FilterZeros, [], Ok(Value::Layout(found))) => {
            !fits(layout) || image(layout) == image(found)
        }
        (Op::MakeLayoutLike, [], Ok(Value::Layout(found))) => {
            let moving =
                layout.flat().iter().filter(|mode| mode.1 != 0).map(|mode| mode.0).product();
            found.shape() == layout.shape() && found.cosize() == Ok(moving)
        }
        (Op::IsInjective, [], Ok(Value::Bool(found))) => {
            !fits(layout)
                || *found == (image(layout).len() == usize::try_from(layout.size()).unwrap_or(0))
        }
        (Op::IsSurjective, [], Ok(Value::Bool(found))) => {
            let image = image(layout);
            let gapless =
                image.windows(2).all(|pair| pair[0].zip(pair[1]).is_none_or(|(a, b)| b - a == 1));
            !fits(layout) || *found == gapless
        }
        // As in CuTe, a shorter layout continues past its size.
        (Op::MaxCommonVector, [Value::Layout(other)], Ok(Value::Int(found))) => {
            layout.size() != other.size() || in_a_row(layout, other, *found)
        }
        (Op::Size, [], Ok(Value::Int(found))) => *found == layout.size(),
        (Op::Cosize, [], Ok(Value::Int(found))) => {
            let least_is_zero = layout.flat().iter().all(|mode| mode.1 >= 0);
            !least_is_zero || image(layout).last() == Some(&found.checked_sub(1))
        }
        (Op::Downcast | Op::Upcast, [Value::Int(1)], Ok(found)) => *found == values[0],
        (
            Op::TiledDivide | Op::FlatDivide | Op::TiledProduct | Op::FlatProduct,
            [Value::Layout(_) | Value::Tuple(_) | Value::Tiler(_)],
            Ok(Value::Layout(found)),
        ) => same_as_zipped(op, values, found),
        _ => true,
    };
    if !holds {
        wrong();
    }
}

/// The rearranged forms of divides and products are the zipped form with other parentheses.
fn same_as_zipped(op: Op, values: &[Value], found: &Layout) -> bool {
    let zipped = match op {
        Op::TiledDivide | Op::FlatDivide => Op::ZippedDivide,
        _ => Op::ZippedProduct,
    };
    let args = values.iter().cloned().map(layout_algebra::Term::Literal).collect();
    match (layout_algebra::Term::Call { op: zipped, args }).eval_layout() {
        Ok(AnyLayout::Plain(zipped)) => zipped.flat() == found.flat(),
        _ => false,
    }
}

/// Whether the first `count` offsets are reached at the same coordinates in both.
fn in_a_row(a: &Layout, b: &Layout, count: i64) -> bool {
    if count > SMALL || b.size() > SMALL {
        return true;
    }
    (0..count).all(|offset| {
        let at = |layout, i| meaning::offset(layout, i) == Some(offset);
        (0..b.size().min(a.size())).any(|i| at(a, i) && at(b, i))
    })
}

fn agree(layout: &Layout, found: &Layout) -> bool {
    (0..layout.size()).all(|i| meaning::offset(layout, i) == meaning::offset(found, i))
}

/// Whether sums of offsets stay far from the ends of 64 bits, as the slow definition needs.
fn fits(layout: &Layout) -> bool {
    layout.cosize().is_ok_and(|cosize| cosize < 1 << 40)
}

/// Whether all offsets of a composition are integers of 64 bits: past its size a layout may have others.
fn reached(a: &Layout, b: &Layout) -> bool {
    let at = |c| meaning::offset(b, c).and_then(|middle| meaning::offset(a, middle));
    (0..b.size()).all(|c| at(c).is_some())
}

/// The offsets that are reached, each once.
fn image(layout: &Layout) -> Vec<Option<i64>> {
    let mut offsets = meaning::offsets(layout);
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}
