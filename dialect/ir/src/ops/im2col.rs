//! The verifier of `layout.copy_im2col`, and the matrix that takes an image in a `layout.matmul`.

use crate::atoms::im2col::Window;
use crate::ops::prelude::*;

/// The image and the target, by the numbers of their operands.
const IMAGE: usize = 0;
const TARGET: usize = 1;

/// The image's mode that is the number of images.
const IMAGES: usize = 3;

pub(super) fn verify(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let (image, target) = (check.view(IMAGE)?, check.view(TARGET)?);
    let spaces =
        [(IMAGE, image, "the image", Space::Global), (TARGET, target, "the tile", Space::Shared)];
    for (operand, view, name, space) in spaces {
        if view.space() != space {
            let expected = format!("{name} in {space} memory");
            check.refuse(Site::Operand(operand, Part::Space), Code::Im2col, expected, view.space());
        }
    }
    let (own, other) = (image.element_type(), target.element_type());
    if own != other {
        let expected = "equal element types of image and tile";
        let found = format!("{own} and {other}");
        check.refuse(Site::Operand(TARGET, Part::Element), Code::Im2col, expected, found);
    }
    let [_, columns] = extents(check.operation, image)?;
    let columns = columns.unwrap_or(1);
    let tile = target.layout()?;
    let extents = tile_extents(tile.inner());
    match extents {
        Some((_, own)) if columns % own == 0 => {}
        found => {
            let expected =
                format!("a tile of rows and columns, which divide the {columns} of the matrix");
            let found = found.map_or(tile.to_string(), |(_, own)| format!("{own} columns"));
            check.refuse(Site::Operand(TARGET, Part::Shape), Code::Im2col, expected, found);
        }
    }
    Ok(())
}

/// The rows and columns of a tile: the modes of a layout, or those of its only one.
pub fn tile_extents(tile: &Layout) -> Option<(i64, i64)> {
    let modes = match tile.modes().as_slice() {
        [only] => only.modes(),
        modes => modes.to_vec(),
    };
    match modes.as_slice() {
        [rows, columns] => Some((rows.size(), columns.size())),
        _ => None,
    }
}

/// The rows and columns of the im2col matrix of an operation's image, where they are known: the number of images may not be.
pub(super) fn extents(
    operation: OperationRef<'_, '_>,
    image: ViewType<'_>,
) -> Result<[Option<i64>; 2], Violation> {
    let refused = |expected: &str, found: &str| Violation::new(Code::Im2col, expected, found);
    let numbers = match operation.attribute("window") {
        Ok(_) => Adaptor::of(operation).integers("window")?,
        Err(_) => return Err(refused("a window", "none")),
    };
    let window = Window::of(&numbers)
        .map_err(|refused| refused.at(parts::of_attribute(operation, "window")))?;
    let term_value = image.term_value()?;
    let Some(layout) = term_value.representative() else {
        return Err(refused("an image with a plain layout", &image.text()));
    };
    let is_known = match &term_value {
        TermValue::Symbolic { value: Value::Layout(layout), .. } => layout
            .modes()
            .iter()
            .map(|mode| mode.size().is_ok_and(|n| n.as_constant().is_some()))
            .collect(),
        _ => vec![true; layout.rank()],
    };
    let is_in_a_row = |&(extent, stride): &(i64, i64)| extent == 1 || stride == 1;
    let matrix = window.matrix(&layout).and_then(|matrix| match layout.mode(0) {
        _ if !is_known.iter().take(IMAGES).all(|&is_known| is_known) => {
            Err(refused("static channels, width and height", &image.text()))
        }
        Some(channels) if channels.flat().iter().all(is_in_a_row) => Ok(matrix),
        _ => Err(refused("channels in a row", &layout.to_string())),
    });
    let matrix =
        matrix.map_err(|refused| refused.at(parts::of_operand(operation, IMAGE, Part::Shape)))?;
    let extent = |mode: usize| matrix.mode(mode).map_or(1, |mode| mode.size());
    Ok([is_known[IMAGES].then(|| extent(0)), Some(extent(1))])
}
