//! `layout.copy_im2col`: the copy engine's im2col mode.
//!
//! The tile's instructions are those of a bulk copy of a matrix in memory ([`tensor_map::derive`]): their boxes become rows and
//! channels of the image, from a pixel, and a tap.

use super::{
    Address, Failure, Lowering,
    address::{cast, inner, offset_pointer},
    bulk::{EVICT_FIRST, boxes_are_aligned},
    copy::parse,
    memory::element_bytes,
};
use layout_algebra::{Layout, Nested};
use layout_dialect::{
    atoms::{
        im2col::Window,
        tensor_map::{self, Coordinates, Tile, Transfer},
    },
    build::{Builder, Val, operand},
    ops::{self, im2col::tile_extents},
};
use melior::ir::OperationRef;

/// The operands, in order.
const IMAGE: usize = 0;
const TARGET: usize = 1;
const ROW: usize = 2;
const COLUMN: usize = 3;

impl<'c> Lowering<'c> {
    pub(super) fn copy_im2col(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let barrier = self.counted()?;
        let image = self.view(operand(operation, IMAGE))?.clone();
        let shared = self.view(operand(operation, TARGET))?.clone();
        let argument = image
            .origin()
            .argument
            .filter(|_| image.origin().steps.is_empty())
            .ok_or_else(|| Failure::refused("expected the image to be a kernel's argument"))?;
        let window = ops::window(operation)?
            .ok_or_else(|| Failure::refused("expected a window, found none"))?;
        let bytes = element_bytes(image.element)?;
        let whole = &image.origin().layout;
        let extents: Vec<i64> = whole.modes().iter().map(Layout::size).collect();
        let transfer = transfer((&window, whole), &shared.layout, bytes)?;
        let boxed = |at: usize| transfer.map.dimensions.get(at).map_or(1, |own| own.box_extent);
        let (channels, rows) = (boxed(0), boxed(1));
        let map = window.map(whole, bytes, (rows, channels));
        let mut map = map.map_err(|refused| Failure::Refused(refused.to_string()))?;
        map.swizzle = transfer.map.swizzle;
        boxes_are_aligned(&shared, &transfer.parts)?;
        let sizes = |mode: (usize, &i64)| (*mode.1, self.images(&image, argument, mode.0));
        let sizes: Vec<_> = extents.iter().enumerate().map(sizes).collect();
        let at_run_time = self.map_at_run_time(&image, argument, &map, &sizes)?;
        let map = self.tensor_map((argument, map, at_run_time), shared.element)?;

        let i32_type = b.integer(32);
        let number = |value: i64| b.constant(i32_type, value);
        let row = cast(b, operand(operation, ROW), i32_type)?;
        let column = cast(b, operand(operation, COLUMN), i32_type)?;
        let hint = match ops::evicts_first(operation) {
            true => Some(b.constant(b.integer(64), EVICT_FIRST)?),
            false => None,
        };
        let pointer = shared.linear_pointer(b)?;
        let cluster = melior::dialect::llvm::r#type::pointer(b.context(), 7);
        for part in &transfer.parts {
            let place = shared
                .linear_constant(0)?
                .checked_add(part.offset)
                .ok_or_else(Failure::overflow)?;
            let target = match place {
                0 => pointer,
                _ => offset_pointer(b, pointer, shared.element, None, place)?,
            };
            let target = b.value("llvm.addrspacecast", &[target], cluster, &[])?;
            let from = |first: Val<'c>, at: usize| match part.start.get(at) {
                None | Some(0) => Ok(first),
                Some(&start) => b.binary("arith.addi", first, number(start)?),
            };
            let [q, p, n] = digits(b, from(row, 1)?, window.results)?;
            let [c, s, r] = digits(b, from(column, 0)?, [extents[0], window.taps[0]])?;
            let pixel = |result: Val<'c>, along: usize| -> Result<Val<'c>, Failure> {
                let walked = b.binary("arith.muli", result, number(window.strides[along])?)?;
                Ok(b.binary("arith.subi", walked, number(window.padding[along])?)?)
            };
            let offset = |tap: Val<'c>, along: usize| -> Result<Val<'c>, Failure> {
                let offset = b.binary("arith.muli", tap, number(window.dilations[along])?)?;
                Ok(b.value("arith.trunci", &[offset], b.integer(16), &[])?)
            };
            let mut operands = vec![target, map, c, pixel(q, 0)?, pixel(p, 1)?, n, barrier];
            operands.extend([offset(s, 0)?, offset(r, 1)?]);
            operands.extend(hint);
            let segments =
                format!("array<i32: 1, 1, 4, 1, 2, 0, {}, 0>", i32::from(hint.is_some()));
            let attributes = [
                ("operandSegmentSizes", parse(b, &segments)?),
                ("mode", parse(b, "#nvvm.tma_load_mode<im2col>")?),
            ];
            let name = "nvvm.cp.async.bulk.tensor.shared.cluster.global";
            b.operation(name, &operands, &[], &attributes, vec![])?;
        }
        Ok(())
    }

    /// The name of an extent of an image that is known at run time.
    fn images(&self, image: &Address<'c>, argument: usize, mode: usize) -> Option<String> {
        let modes = image.origin().partly.as_ref()?.modes();
        match modes.get(mode)?.shape() {
            Nested::Leaf(extent) => self.size_name(argument, extent),
            Nested::Node(_) => None,
        }
    }
}

/// The instructions of a tile of the matrix, as if it lay in memory row by row.
fn transfer(
    (window, image): (&Window, &Layout),
    shared: &layout_algebra::AnyLayout,
    element_bytes: i64,
) -> Result<Transfer, Failure> {
    let matrix = window.matrix(image).map_err(|refused| Failure::Refused(refused.to_string()))?;
    let modes: Vec<i64> = matrix.modes().iter().map(Layout::size).collect();
    let (Some((rows, columns)), &[m, k]) = (tile_extents(inner(shared)), modes.as_slice()) else {
        return Err(Failure::refused(format!(
            "expected a tile of rows and columns, found {shared}"
        )));
    };
    let layout = |text: String| -> Result<Layout, Failure> { Ok(text.parse()?) };
    let global = layout(format!("({m},{k}):({k},1)"))?;
    let coordinates = [
        Coordinates {
            layout: layout(format!("({rows},{columns}):(1,0)"))?,
            limit: m,
            divisor: rows,
        },
        Coordinates {
            layout: layout(format!("({rows},{columns}):(0,1)"))?,
            limit: k,
            divisor: columns,
        },
    ];
    let tile = Tile { global: &global, coordinates: &coordinates, shared, element_bytes };
    let transfer = tensor_map::derive(&tile).map_err(Failure::Refused)?;
    match transfer.map.dimensions.as_slice() {
        [along_k, along_m] if (along_k.mode, along_m.mode) == (1, 0) => Ok(transfer),
        _ => Err(Failure::refused(format!(
            "expected a tile with its columns in a row in shared memory, found {shared}"
        ))),
    }
}

/// The digits of a number: below two extents, and what is left.
fn digits<'c>(b: &Builder<'c>, value: Val<'c>, extents: [i64; 2]) -> Result<[Val<'c>; 3], Failure> {
    let (mut rest, mut digits) = (value, [value; 3]);
    for (digit, extent) in digits.iter_mut().zip(extents) {
        let extent = b.constant(b.integer(32), extent)?;
        *digit = b.binary("arith.remui", rest, extent)?;
        rest = b.binary("arith.divui", rest, extent)?;
    }
    digits[2] = rest;
    Ok(digits)
}
