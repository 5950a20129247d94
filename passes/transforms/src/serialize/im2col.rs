//! `layout.copy_im2col`, element by element: what the copy engine computes of an image, by the definition.

use super::{Failure, Serialize, ThreadLoop, number, refused};
use layout_algebra::Layout;
use layout_dialect::{
    ViewType,
    build::{Builder, Val, first_result, operand},
    ops::{self, im2col::tile_extents},
    tree,
};
use melior::ir::{OperationRef, Type, ValueLike, attribute::IntegerAttribute};

impl<'c> Serialize<'c> {
    /// A tile of the matrix: the image's elements where there are any, else zeros.
    pub(super) fn copy_im2col(
        &self,
        operation: OperationRef<'c, 'c>,
        b: Builder<'c>,
        piece: &mut Option<ThreadLoop<'c>>,
    ) -> Result<(), Failure> {
        *piece = None;
        let shared = |i| {
            self.shared.get(&tree::key(operand(operation, i))).copied().ok_or_else(|| {
                refused("expected a copy whose operands all threads of a block share")
            })
        };
        let [image, target, row, column] = [shared(0)?, shared(1)?, shared(2)?, shared(3)?];
        let window = ops::window(operation)?.ok_or_else(|| refused("expected a window"))?;
        let view = ViewType::try_from(image.r#type())?;
        let layout = view.term_value().ok().and_then(|value| value.representative());
        let layout = layout.ok_or_else(|| refused("expected an image with a plain layout"))?;
        let extents: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        let &[channels, width, height, _] = extents.as_slice() else {
            return Err(refused(format!("expected an image of four modes, found {layout}")));
        };
        // Their number may be known at run time.
        let one = b.inferred("layout.slice", &[image], &[("coord", b.string("(0,0,0,_)"))])?;
        let images = first_result(b.inferred("layout.size", &[first_result(one)], &[])?);
        let tile = ViewType::try_from(target.r#type())?.layout()?;
        let (rows, columns) = tile_extents(tile.inner())
            .ok_or_else(|| refused(format!("expected a tile of rows and columns, found {tile}")))?;

        let (b, i) = b.open_count(rows)?;
        let (b, j) = b.open_count(columns)?;
        let index = Type::index(b.context());
        let number_of = |value: i64| b.constant(index, value);
        let of = |kind: &str, left: Val<'c>, right: i64| b.binary(kind, left, number_of(right)?);
        let digits = |value: Val<'c>, extents: [i64; 2]| -> Result<[Val<'c>; 3], melior::Error> {
            let rest = of("arith.divui", value, extents[0])?;
            let [first, second] =
                [of("arith.remui", value, extents[0])?, of("arith.remui", rest, extents[1])?];
            Ok([first, second, of("arith.divui", rest, extents[1])?])
        };
        let [q, p, n] = digits(b.binary("arith.addi", row, i)?, window.results)?;
        let [c, s, r] = digits(b.binary("arith.addi", column, j)?, [channels, window.taps[0]])?;
        let place = |result: Val<'c>, tap: Val<'c>, along: usize| {
            let walked = of("arith.muli", result, window.strides[along])?;
            let offset = of("arith.muli", tap, window.dilations[along])?;
            of("arith.subi", b.binary("arith.addi", walked, offset)?, window.padding[along])
        };
        let (w, h) = (place(q, s, 0)?, place(p, r, 1)?);
        // Coordinates below 0 are large as unsigned ones.
        let below = |coordinate: Val<'c>, extent: Val<'c>| {
            const UNSIGNED_LESS: i64 = 6;
            let predicate = IntegerAttribute::new(b.integer(64), UNSIGNED_LESS).into();
            b.value("arith.cmpi", &[coordinate, extent], b.integer(1), &[("predicate", predicate)])
        };
        let [width, height] = [number_of(width)?, number_of(height)?];
        let exists = b.binary("arith.andi", below(w, width)?, below(h, height)?)?;
        let exists = b.binary("arith.andi", exists, below(n, images)?)?;
        let element = view.element_type();
        let nested = tile.inner().rank() == 1;
        let store = |b: &Builder<'c>, value: Val<'c>| -> Result<(), Failure> {
            let coordinate = b.string(if nested { "((?,?))" } else { "(?,?)" });
            let operands = [value, target, i, j];
            b.operation("layout.store", &operands, &[], &[("coord", coordinate)], vec![])?;
            Ok(())
        };
        let copy = |b: Builder<'c>| {
            let coordinate = [("coord", b.string("(?,?,?,?)"))];
            let value = b.value("layout.load", &[image, c, w, h, n], element, &coordinate)?;
            store(&b, value)?;
            Ok::<_, Failure>(vec![])
        };
        let clear = |b: Builder<'c>| {
            store(&b, number::zero(&b, element)?)?;
            Ok::<_, Failure>(vec![])
        };
        b.branch(exists, &[], copy, Some(&clear))?;
        Ok(())
    }
}
