//! Linear layouts as grids: what each input is mapped to, or which inputs hold each element.

use std::collections::HashMap;

use layout_algebra::{Error, Result, Tuple, linear::LinearLayout};

use super::{Cell, Grid, Picture, THREAD_VALUES, colour};

/// The outputs of each input: the first input dimension down, the second across.
pub(super) fn outputs(layout: &LinearLayout, extent: usize) -> Result<Picture> {
    let mut grid = Grid::over(&shape(layout.in_dims().map(|(_, size)| size)), extent)?;
    let outs = shape(layout.out_dims().map(|(_, size)| size));
    let mut cells = Vec::new();
    for index in grid.indices()? {
        let output = layout.at(index)?;
        cells.push(Cell {
            words: vec![outs.idx2crd(output)?.to_string()],
            colour: Some(colour::of_offset(output, (0, layout.cosize() - 1))),
        });
    }
    grid.fill(cells);
    grid.notes.push(format!(
        "from ({}) to ({})",
        layout.in_names().collect::<Vec<_>>().join(","),
        layout.out_names().collect::<Vec<_>>().join(",")
    ));
    Ok(Picture { title: layout.to_string(), panels: grid.panels, notes: grid.notes })
}

/// The first inputs that hold each element of a tile, whose indices are the outputs as one number.
pub(super) fn holders(layout: &LinearLayout, tile: &Tuple, extent: usize) -> Result<Picture> {
    let mut grid = Grid::over(tile, extent)?;
    let size = tile.product()?;
    if size != layout.cosize() {
        return Err(Error::Operand {
            operation: "thread-values",
            expected: format!("a tile of the {} outputs of {layout}", layout.cosize()),
            found: format!("{tile} of {size}"),
        });
    }
    if layout.size() > THREAD_VALUES {
        return Err(Error::Limit {
            what: "inputs in a picture",
            limit: usize::try_from(THREAD_VALUES).unwrap_or(usize::MAX),
            found: layout.size().to_string(),
        });
    }
    let mut held: HashMap<i64, i64> = HashMap::new();
    for index in 0..layout.size() {
        held.entry(layout.at(index)?).or_insert(index);
    }
    let initials = initials(layout);
    let ins = shape(layout.in_dims().map(|(_, size)| size));
    let mut cells = Vec::new();
    for element in grid.indices()? {
        let Some(&index) = held.get(&element) else {
            cells.push(Cell::default());
            continue;
        };
        let coord = ins.idx2crd(index)?.leaves();
        let words = initials.iter().zip(&coord).map(|(initial, at)| format!("{initial}{at}"));
        // A dimension that is not a register is a thread, or where it is.
        let mut thread = 0;
        for ((name, size), at) in layout.in_dims().zip(&coord) {
            if !name.starts_with("reg") {
                thread = thread * size + at;
            }
        }
        cells.push(Cell { words: words.collect(), colour: Some(colour::of_thread(thread)) });
    }
    let reached = i64::try_from(held.len()).unwrap_or(i64::MAX);
    if reached < size {
        grid.notes.push(format!("{} of {size} elements are held by no input", size - reached));
    }
    if reached < layout.size() {
        grid.notes.push("elements are held more than once: the first input is shown".to_owned());
    }
    let short = initials.iter().zip(layout.in_names()).filter(|(initial, _)| initial.len() == 1);
    let names: Vec<_> = short.map(|(initial, name)| format!("{initial}: {name}")).collect();
    if !names.is_empty() {
        grid.notes.push(names.join(", "));
    }
    grid.fill(cells);
    let title = format!("{layout} over {tile}");
    Ok(Picture { title, panels: grid.panels, notes: grid.notes })
}

/// A capital letter for each input dimension, or its name where two begin alike.
fn initials(layout: &LinearLayout) -> Vec<String> {
    let first = |name: &str| name.chars().next().map(|c| c.to_ascii_uppercase());
    layout
        .in_names()
        .map(|name| {
            let alike = layout.in_names().filter(|other| first(other) == first(name)).count();
            match first(name) {
                Some(letter) if alike == 1 => letter.to_string(),
                _ => format!("{name}="),
            }
        })
        .collect()
}

/// The sizes of some dimensions as a shape.
fn shape(sizes: impl Iterator<Item = i64>) -> Tuple {
    let mut leaves: Vec<_> = sizes.map(Tuple::Leaf).collect();
    match leaves.len() {
        0 => Tuple::Leaf(1),
        1 => leaves.remove(0),
        _ => Tuple::Node(leaves),
    }
}
