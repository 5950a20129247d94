//! `recast` of views: elements of other bits over the same memory.
//!
//! An element of `n` times the bits has `n` parts, in the order of their addresses. They lengthen the leaf of stride 1, so
//! that its coordinate counts parts, and the element at `c` has them from `n * L(c)` on. The other way, `n` elements in a
//! row are one, whose place is that of the first of them.

use crate::interpret::{
    Stop,
    layout::{Layout, Through, Tree, kept},
    layout_text::{Term, Text},
};
use std::rc::Rc;

/// The leaf that parts of elements lengthen, as far as a type says it: the first of stride 1, one that has more
/// than one element if there is one.
pub fn grows(text: &Text) -> Option<usize> {
    // An unknown integer is no 1, as far as the type admits others.
    let Ok(Term::Layout(layout)) = text.at(&text.possible()) else { return None };
    let (extents, strides) = (layout.shape().leaves(), strides(&layout).ok()?.leaves());
    let ones: Vec<usize> =
        strides.iter().enumerate().filter(|(_, stride)| **stride == 1).map(|(i, _)| i).collect();
    ones.iter()
        .find(|i| extents.get(**i).is_some_and(|extent| *extent != 1))
        .or(ones.first())
        .copied()
}

/// Elements of `1 / parts` of the bits.
pub fn to_parts(source: &Rc<Layout>, parts: i64, grows: Option<usize>) -> Result<Layout, Stop> {
    let grown = grows.ok_or_else(|| Stop::unknown("a recast without a mode of stride 1"))?;
    let mut leaves = source.shape().leaves();
    if strides(source)?.leaves().get(grown) != Some(&1) {
        return Err(Stop::unknown("a recast of a layout that was computed"));
    }
    let extent = leaves.get_mut(grown).ok_or_else(|| Stop::unknown("a leaf"))?;
    *extent = extent.checked_mul(parts).ok_or_else(|| Stop::undefined("an extent overflows"))?;
    let shape = source.shape().with_leaves(&mut leaves.into_iter());
    Ok(Layout::Read(source.clone(), Through::Parts(parts, grown), shape))
}

/// Elements of `count` times the bits.
pub fn to_whole(source: &Rc<Layout>, count: i64) -> Result<Layout, Stop> {
    let (mut extents, mut steps) = (Vec::new(), Vec::new());
    for (extent, stride) in source.shape().leaves().into_iter().zip(strides(source)?.leaves()) {
        let packed = if stride % count == 0 || extent == 1 {
            1
        } else if stride > 0 && count % stride == 0 {
            count / stride
        } else {
            return Err(Stop::unknown("a recast whose elements are not in a row"));
        };
        extents.push((extent / packed).max(1));
        steps.push(packed);
    }
    let shape = source.shape().with_leaves(&mut extents.into_iter());
    Ok(Layout::Read(source.clone(), Through::Whole(count, steps), shape))
}

/// The strides of what coordinates go through first.
fn strides(layout: &Layout) -> Result<Tree, Stop> {
    match layout {
        Layout::Strided(_, stride) => Ok(stride.clone()),
        Layout::Composed(_, _, inner) => strides(inner),
        Layout::Read(source, Through::Slice(pattern, ..), _) => {
            let mut modes = Vec::new();
            kept(pattern, &strides(source)?, &mut modes)?;
            Ok(Tree::Node(modes))
        }
        Layout::Read(source, Through::Mode(place, ..), _) => {
            let strides = strides(source)?;
            strides.modes().get(*place).cloned().ok_or_else(|| Stop::unknown("a mode"))
        }
        Layout::Read(source, Through::Parts(parts, grown), _) => {
            let strides = strides(source)?;
            let leaves = strides.leaves();
            let scaled = leaves
                .iter()
                .enumerate()
                .map(|(i, stride)| if i == *grown { Ok(*stride) } else { scale(*stride, *parts) });
            let scaled: Vec<i64> = scaled.collect::<Result<_, _>>()?;
            Ok(strides.with_leaves(&mut scaled.into_iter()))
        }
        Layout::Read(source, Through::Whole(count, steps), _) => {
            let strides = strides(source)?;
            let leaves = strides.leaves();
            let whole = leaves.iter().zip(steps).map(|(stride, step)| stride * step / count);
            let whole: Vec<i64> = whole.collect();
            Ok(strides.with_leaves(&mut whole.into_iter()))
        }
        Layout::Read(..) => Err(Stop::unknown("a recast of a layout that was computed")),
    }
}

fn scale(stride: i64, by: i64) -> Result<i64, Stop> {
    stride.checked_mul(by).ok_or_else(|| Stop::undefined("a stride overflows"))
}
