//! Layouts by their definition: from a coordinate to an integer, with nothing precomputed.

use crate::interpret::Stop;
use std::rc::Rc;

/// Integers that nest, with `_` among them in coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// An integer.
    Leaf(i64),
    /// Entries.
    Node(Vec<Tree>),
    /// `_`.
    Hole,
}

impl Tree {
    /// The product of the leaves.
    pub fn size(&self) -> Result<i64, Stop> {
        match self {
            Self::Leaf(size) => Ok(*size),
            Self::Node(entries) => entries.iter().try_fold(1_i64, |product, entry| {
                product.checked_mul(entry.size()?).ok_or_else(overflow)
            }),
            Self::Hole => Err(Stop::unknown("the size of _")),
        }
    }

    /// Its entries; itself where it has none.
    pub fn modes(&self) -> &[Tree] {
        match self {
            Self::Node(entries) => entries,
            leaf => std::slice::from_ref(leaf),
        }
    }

    /// The same nesting with other leaves.
    pub fn with_leaves(&self, leaves: &mut impl Iterator<Item = i64>) -> Self {
        match self {
            Self::Node(entries) => {
                Self::Node(entries.iter().map(|entry| entry.with_leaves(leaves)).collect())
            }
            _ => leaves.next().map_or(Self::Hole, Self::Leaf),
        }
    }

    /// The leaves, in order.
    pub fn leaves(&self) -> Vec<i64> {
        match self {
            Self::Leaf(leaf) => vec![*leaf],
            Self::Node(entries) => entries.iter().flat_map(Self::leaves).collect(),
            Self::Hole => Vec::new(),
        }
    }
}

/// A layout.
#[derive(Clone, Debug)]
pub enum Layout {
    /// A shape and a stride that nest alike.
    Strided(Tree, Tree),
    /// `outer(offset + inner(c))`.
    Composed(Outer, i64, Rc<Layout>),
    /// Another layout, its coordinate computed; and the shape.
    Read(Rc<Layout>, Through, Tree),
}

/// The function that is applied last.
#[derive(Clone, Debug)]
pub enum Outer {
    /// `S<b,m,s>`.
    Swizzle(u32, u32, i32),
    /// A layout.
    Layout(Rc<Layout>),
}

/// How a coordinate becomes one of another layout.
#[derive(Clone, Debug)]
pub enum Through {
    /// Its entries are in place of `_`; what the rest adds is taken off again where `true`. Under a
    /// swizzle, what this number says.
    Slice(Tree, bool, i64),
    /// `((in tile, …), (tile, …))` becomes a coordinate for each mode: tiles of these sizes.
    Divide(Vec<i64>),
    /// The offset that this layout maps it to.
    Layout(Rc<Layout>),
    /// The offsets that these layouts map its entries to.
    Modes(Vec<Option<Rc<Layout>>>),
    /// The coordinate of one mode among a number of modes, the others at 0; their offset is subtracted where `true`.
    Mode(usize, usize, bool),
    /// One integer.
    Integer,
    /// Elements have so many parts, which lengthen one leaf: the element of a part, and the parts of it before.
    Parts(i64, usize),
    /// Elements that consist of so many: the first of them, each leaf's coordinate being a multiple of this.
    Whole(i64, Vec<i64>),
}

fn overflow() -> Stop {
    Stop::undefined("a layout's integers overflow")
}

fn add(a: i64, b: i64) -> Result<i64, Stop> {
    a.checked_add(b).ok_or_else(overflow)
}

fn multiply(a: i64, b: i64) -> Result<i64, Stop> {
    a.checked_mul(b).ok_or_else(overflow)
}

impl Layout {
    /// The shape.
    pub fn shape(&self) -> &Tree {
        match self {
            Self::Strided(shape, _) | Self::Read(_, _, shape) => shape,
            Self::Composed(_, _, inner) => inner.shape(),
        }
    }

    /// Whether nothing is applied after its strides.
    pub fn is_plain(&self) -> bool {
        match self {
            Self::Strided(..) => true,
            Self::Composed(..) => false,
            Self::Read(source, ..) => source.is_plain(),
        }
    }

    /// Where it sends a coordinate; undefined behaviour if that is out of range.
    pub fn at(&self, coordinate: &Tree) -> Result<i64, Stop> {
        in_range(self.shape(), coordinate)?;
        self.reach(coordinate)
    }

    /// Where it sends a coordinate, which may be past the end of its last mode.
    pub fn reach(&self, coordinate: &Tree) -> Result<i64, Stop> {
        match self {
            Self::Strided(shape, stride) => strided(shape, stride, coordinate),
            Self::Composed(outer, offset, inner) => {
                let value = add(*offset, inner.reach(coordinate)?)?;
                match outer {
                    Outer::Swizzle(bits, base, shift) => Ok(swizzle(*bits, *base, *shift, value)),
                    Outer::Layout(outer) => {
                        if value < 0 {
                            return Err(Stop::undefined("a layout read below its first element"));
                        }
                        outer.reach(&Tree::Leaf(value))
                    }
                }
            }
            Self::Read(source, through, shape) => {
                let coordinate = match through {
                    Through::Mode(..) => coordinate.clone(),
                    _ => unfold(shape, coordinate)?,
                };
                match through {
                    Through::Slice(pattern, drop, less) => {
                        let Tree::Node(entries) = &coordinate else {
                            return Err(Stop::unknown("a slice read by one integer"));
                        };
                        let full = fill(pattern, &mut entries.iter());
                        let value = add(source.reach(&full)?, -less)?;
                        if !drop {
                            return Ok(value);
                        }
                        let zeros = vec![Tree::Leaf(0); entries.len()];
                        add(value, -source.reach(&fill(pattern, &mut zeros.iter()))?)
                    }
                    Through::Divide(tiles) => {
                        let Tree::Node(pair) = &coordinate else {
                            return Err(Stop::unknown("a divide read by one integer"));
                        };
                        let pair = [
                            unfold(&shape.modes()[0], &pair[0])?,
                            unfold(&shape.modes()[1], &pair[1])?,
                        ];
                        let mut full = Vec::new();
                        for (i, place) in pair[1].modes().iter().enumerate() {
                            let place = leaf(place)?;
                            full.push(match tiles.get(i) {
                                Some(tile) => {
                                    let inside = leaf(&pair[0].modes()[i])?;
                                    of_tile(&source.shape().modes()[i], *tile, inside, place)?
                                }
                                None => Tree::Leaf(place),
                            });
                        }
                        source.reach(&Tree::Node(full))
                    }
                    Through::Layout(term) => {
                        let index = term.reach(&coordinate)?;
                        if index < 0 {
                            return Err(Stop::undefined("a layout read below its first element"));
                        }
                        source.reach(&Tree::Leaf(index))
                    }
                    Through::Modes(terms) => {
                        let mut full = Vec::new();
                        for (term, entry) in terms.iter().zip(coordinate.modes()) {
                            full.push(match term {
                                Some(term) => Tree::Leaf(term.reach(entry)?),
                                None => entry.clone(),
                            });
                        }
                        source.reach(&Tree::Node(full))
                    }
                    Through::Mode(place, rank, drop) => {
                        let mut full = vec![Tree::Leaf(0); *rank];
                        let zero = source.reach(&Tree::Node(full.clone()))?;
                        full[*place] = coordinate;
                        add(source.reach(&Tree::Node(full))?, if *drop { -zero } else { 0 })
                    }
                    Through::Integer => source.reach(&coordinate),
                    Through::Parts(parts, grown) => {
                        let mut leaves = flat(shape, &coordinate)?;
                        let at = leaves.get_mut(*grown).ok_or_else(|| Stop::unknown("a leaf"))?;
                        let part = at.rem_euclid(*parts);
                        *at = at.div_euclid(*parts);
                        let element = source.reach(&shape.with_leaves(&mut leaves.into_iter()))?;
                        add(multiply(element, *parts)?, part)
                    }
                    Through::Whole(count, steps) => {
                        let mut leaves = flat(shape, &coordinate)?;
                        for (at, step) in leaves.iter_mut().zip(steps) {
                            *at = multiply(*at, *step)?;
                        }
                        let first = source.reach(&shape.with_leaves(&mut leaves.into_iter()))?;
                        if first % count != 0 {
                            return Err(Stop::undefined("a recast that starts within an element"));
                        }
                        Ok(first / count)
                    }
                }
            }
        }
    }

    /// Some of its modes, as a layout; of a composed layout, of the inner one.
    pub fn pick(&self, shape: impl Fn(&Tree) -> Result<Tree, Stop>) -> Result<Self, Stop> {
        match self {
            Self::Strided(extents, strides) => Ok(Self::Strided(shape(extents)?, shape(strides)?)),
            Self::Composed(outer, offset, inner) => {
                Ok(Self::Composed(outer.clone(), *offset, Rc::new(inner.pick(shape)?)))
            }
            Self::Read(..) => Err(Stop::unknown("modes of a layout that was computed")),
        }
    }
}

fn leaf(tree: &Tree) -> Result<i64, Stop> {
    match tree {
        Tree::Leaf(value) => Ok(*value),
        Tree::Node(entries) if entries.len() == 1 => leaf(&entries[0]),
        _ => Err(Stop::unknown("a coordinate inside of a mode that was computed")),
    }
}

/// An integer as a coordinate of a shape's modes; the last takes what is left.
fn unfold(shape: &Tree, coordinate: &Tree) -> Result<Tree, Stop> {
    let (Tree::Node(modes), Tree::Leaf(index)) = (shape, coordinate) else {
        return Ok(coordinate.clone());
    };
    let mut rest = *index;
    let mut entries = Vec::new();
    for (i, mode) in modes.iter().enumerate() {
        let size = mode.size()?;
        if i + 1 == modes.len() {
            entries.push(Tree::Leaf(rest));
        } else if size <= 0 {
            return Err(Stop::undefined("an extent below 1"));
        } else {
            entries.push(Tree::Leaf(rest.rem_euclid(size)));
            rest = rest.div_euclid(size);
        }
    }
    Ok(Tree::Node(entries))
}

/// A coordinate's integers, one for each leaf of the shape.
fn flat(shape: &Tree, coordinate: &Tree) -> Result<Vec<i64>, Stop> {
    match (shape, unfold(shape, coordinate)?) {
        (Tree::Leaf(_), at) => Ok(vec![leaf(&at)?]),
        (Tree::Node(modes), Tree::Node(entries)) if modes.len() == entries.len() => {
            let mut leaves = Vec::new();
            for (mode, entry) in modes.iter().zip(&entries) {
                leaves.extend(flat(mode, entry)?);
            }
            Ok(leaves)
        }
        _ => Err(Stop::unknown("a coordinate that does not fit")),
    }
}

fn strided(shape: &Tree, stride: &Tree, coordinate: &Tree) -> Result<i64, Stop> {
    match (shape, stride) {
        (Tree::Leaf(_), Tree::Leaf(stride)) => multiply(leaf(coordinate)?, *stride),
        (Tree::Node(modes), Tree::Node(strides)) if modes.len() == strides.len() => {
            let Tree::Node(entries) = unfold(shape, coordinate)? else {
                return Err(Stop::unknown("a coordinate with _"));
            };
            if entries.len() != modes.len() {
                return Err(Stop::unknown("a coordinate of another rank"));
            }
            let parts = modes.iter().zip(strides).zip(&entries);
            parts
                .into_iter()
                .try_fold(0, |sum, ((mode, stride), entry)| add(sum, strided(mode, stride, entry)?))
        }
        _ => Err(Stop::unknown("a stride that does not nest as its shape")),
    }
}

fn swizzle(bits: u32, base: u32, shift: i32, value: i64) -> i64 {
    let ones = (1_i64 << bits) - 1;
    if shift >= 0 {
        value ^ ((value & (ones << (base + shift as u32))) >> shift)
    } else {
        value ^ ((value & (ones << base)) << -shift)
    }
}

fn in_range(shape: &Tree, coordinate: &Tree) -> Result<(), Stop> {
    match (shape, coordinate) {
        (_, Tree::Leaf(index)) => {
            if *index < 0 || *index >= shape.size()? {
                return Err(Stop::undefined(format!("coordinate {index} is out of range")));
            }
            Ok(())
        }
        (Tree::Node(modes), Tree::Node(entries)) if modes.len() == entries.len() => {
            modes.iter().zip(entries).try_for_each(|(mode, entry)| in_range(mode, entry))
        }
        (Tree::Leaf(_), Tree::Node(entries)) if entries.len() == 1 => in_range(shape, &entries[0]),
        _ => Err(Stop::unknown("a coordinate that does not fit")),
    }
}

/// A pattern with entries in place of `_`.
fn fill<'a>(pattern: &Tree, entries: &mut impl Iterator<Item = &'a Tree>) -> Tree {
    match pattern {
        Tree::Hole => entries.next().cloned().unwrap_or(Tree::Hole),
        Tree::Leaf(value) => Tree::Leaf(*value),
        Tree::Node(inner) => Tree::Node(inner.iter().map(|entry| fill(entry, entries)).collect()),
    }
}

/// The parts of a tree where a pattern has `_`.
pub(super) fn kept(pattern: &Tree, tree: &Tree, into: &mut Vec<Tree>) -> Result<(), Stop> {
    match (pattern, tree) {
        (Tree::Hole, _) => into.push(tree.clone()),
        (Tree::Leaf(_), _) => {}
        (Tree::Node(entries), Tree::Node(modes)) if entries.len() == modes.len() => {
            for (entry, mode) in entries.iter().zip(modes) {
                kept(entry, mode, into)?;
            }
        }
        (Tree::Node(entries), Tree::Leaf(_)) if entries.len() == 1 => {
            kept(&entries[0], tree, into)?
        }
        _ => return Err(Stop::unknown("a pattern that does not fit")),
    }
    Ok(())
}

/// The fixed integers of a pattern are in range.
fn fixed_in_range(pattern: &Tree, shape: &Tree) -> Result<(), Stop> {
    match (pattern, shape) {
        (Tree::Hole, _) => Ok(()),
        (Tree::Node(entries), Tree::Node(modes)) if entries.len() == modes.len() => {
            entries.iter().zip(modes).try_for_each(|(entry, mode)| fixed_in_range(entry, mode))
        }
        (Tree::Node(entries), Tree::Leaf(_)) if entries.len() == 1 => {
            fixed_in_range(&entries[0], shape)
        }
        _ => in_range(shape, pattern),
    }
}

/// After how many numbers a swizzle does the same again; one of no bits passes all through.
fn period(bits: u32, base: u32, shift: i32) -> i64 {
    if bits == 0 { 1 } else { 1 << (bits + base + shift.unsigned_abs()) }
}

/// The sum that the fixed coordinates of a pattern add by modes that step by whole periods of a swizzle: it passes through.
fn whole_periods(source: &Layout, pattern: &Tree) -> Result<i64, Stop> {
    match source {
        Layout::Composed(Outer::Swizzle(bits, base, shift), _, inner) => match &**inner {
            Layout::Strided(shape, stride) => {
                let period = period(*bits, *base, *shift);
                periods_of(shape, stride, pattern, period)
            }
            _ => Ok(0),
        },
        Layout::Read(source, Through::Slice(before, ..), _) => {
            let entries = match pattern {
                Tree::Node(entries) => entries.clone(),
                entry => vec![entry.clone()],
            };
            let both = fill(before, &mut entries.iter());
            add(whole_periods(source, &both)?, -whole_periods(source, before)?)
        }
        Layout::Read(source, Through::Divide(tiles), _) => match &**source {
            Layout::Composed(Outer::Swizzle(bits, base, shift), _, inner) => match &**inner {
                Layout::Strided(Tree::Node(shapes), Tree::Node(strides)) => {
                    let period = period(*bits, *base, *shift);
                    // A mode that is divided steps by its stride in a tile, and by those of a tile from one to the
                    // next.
                    let mut within = (Vec::new(), Vec::new());
                    let mut between = (Vec::new(), Vec::new());
                    for (i, (shape, stride)) in shapes.iter().zip(strides).enumerate() {
                        let (Some(&tile), Tree::Leaf(step)) = (tiles.get(i), stride) else {
                            if tiles.get(i).is_some() {
                                return Ok(0);
                            }
                            between.0.push(shape.clone());
                            between.1.push(stride.clone());
                            continue;
                        };
                        within.0.push(Tree::Leaf(tile));
                        within.1.push(Tree::Leaf(*step));
                        between.0.push(Tree::Leaf((shape.size()? + tile - 1) / tile));
                        between.1.push(Tree::Leaf(multiply(*step, tile)?));
                    }
                    let node = |(within, between)| {
                        Tree::Node(vec![Tree::Node(within), Tree::Node(between)])
                    };
                    let (shape, stride) =
                        (node((within.0, between.0)), node((within.1, between.1)));
                    periods_of(&shape, &stride, pattern, period)
                }
                _ => Ok(0),
            },
            _ => Ok(0),
        },
        _ => Ok(0),
    }
}

fn periods_of(shape: &Tree, stride: &Tree, pattern: &Tree, period: i64) -> Result<i64, Stop> {
    match (shape, stride, unfold(shape, pattern)?) {
        (_, _, Tree::Hole) => Ok(0),
        (Tree::Leaf(_), Tree::Leaf(stride), at) if stride % period == 0 => {
            multiply(leaf(&at)?, *stride)
        }
        (Tree::Node(modes), Tree::Node(strides), Tree::Node(entries)) => {
            modes.iter().zip(strides).zip(&entries).try_fold(0, |sum, ((mode, stride), entry)| {
                add(sum, periods_of(mode, stride, entry, period)?)
            })
        }
        _ => Ok(0),
    }
}

/// `slice`: of a view with what the fixed coordinates add; of a plain layout without it, and of one under a swizzle
/// without what passes through.
pub fn slice(source: &Rc<Layout>, pattern: &Tree, view: bool) -> Result<Layout, Stop> {
    fixed_in_range(pattern, source.shape())?;
    let mut modes = Vec::new();
    kept(pattern, source.shape(), &mut modes)?;
    let drop = !view && source.is_plain();
    if *pattern == Tree::Hole {
        return Ok((**source).clone());
    }
    let less = if view || drop { 0 } else { whole_periods(source, pattern)? };
    let through = Through::Slice(pattern.clone(), drop, less);
    Ok(Layout::Read(source.clone(), through, Tree::Node(modes)))
}

/// Where tiles of so many elements end within a mode: the elements of the leaves that they have whole, the extent of the
/// leaf that they cut and how much of it they take. None where they consist of whole leaves and a part that divides the
/// next one: then a tile is a run of indices.
fn padded(tile: i64, mode: &Tree) -> Result<Option<[i64; 3]>, Stop> {
    let (mut left, mut before) = (tile, 1);
    let leaves = mode.leaves();
    for (i, &leaf) in leaves.iter().enumerate() {
        if left == 1 || leaf % left == 0 {
            return Ok(None);
        }
        // The last leaf is lengthened to a tile.
        if left < leaf || (i + 1 == leaves.len() && left % leaf != 0) {
            return Ok(Some([before, leaf, left]));
        }
        if left % leaf != 0 {
            return Err(Stop::unknown("a tile that ends within no leaf"));
        }
        (left, before) = (left / leaf, multiply(before, leaf)?);
    }
    Ok(None)
}

/// Whether no leaf of a mode continues where the one before it ends, as far as strides are written down: a divide takes
/// leaves that do for one.
fn is_coalesced(source: &Layout, mode: usize) -> bool {
    match source {
        Layout::Strided(shape, stride) => {
            let (Some(shape), Some(stride)) = (shape.modes().get(mode), stride.modes().get(mode))
            else {
                return false;
            };
            let leaves: Vec<(i64, i64)> = shape.leaves().into_iter().zip(stride.leaves()).collect();
            let wide: Vec<(i64, i64)> = leaves.into_iter().filter(|(size, _)| *size != 1).collect();
            wide.windows(2).all(|pair| pair[0].0.checked_mul(pair[0].1) != Some(pair[1].1))
        }
        Layout::Composed(_, _, inner) => is_coalesced(inner, mode),
        Layout::Read(..) => false,
    }
}

/// The index in a mode of element `inside` of tile `place`, leaf by leaf where the tile ends within one.
fn of_tile(mode: &Tree, tile: i64, inside: i64, place: i64) -> Result<Tree, Stop> {
    let cut = if matches!(mode, Tree::Node(_)) { padded(tile, mode)? } else { None };
    let Some([before, extent, taken]) = cut else {
        return Ok(Tree::Leaf(add(inside, multiply(place, tile)?)?));
    };
    let tiles = (extent + taken - 1) / taken;
    let (mut inside, mut place, mut passed) = (inside, place, 1);
    let leaves = mode.leaves();
    let mut found = Vec::new();
    for (i, leaf) in leaves.iter().enumerate() {
        let last = i + 1 == leaves.len();
        found.push(if passed < before {
            let digit = inside.rem_euclid(*leaf);
            (inside, passed) = (inside.div_euclid(*leaf), multiply(passed, *leaf)?);
            digit
        } else if passed == before {
            // The cut leaf; what a coordinate has beyond its end, it continues in.
            let number = if last { place } else { place.rem_euclid(tiles) };
            (place, passed) = (place.div_euclid(tiles), i64::MAX);
            add(inside, multiply(number, taken)?)?
        } else if last {
            place
        } else {
            let digit = place.rem_euclid(*leaf);
            place = place.div_euclid(*leaf);
            digit
        });
    }
    Ok(mode.with_leaves(&mut found.into_iter()))
}

/// `zipped_divide` by the sizes of tiles, one for each of the first modes.
pub fn zipped_divide(source: &Rc<Layout>, tiles: &[i64]) -> Result<Layout, Stop> {
    let modes = source.shape().modes();
    if tiles.len() > modes.len() || tiles.iter().any(|tile| *tile < 1) {
        return Err(Stop::unknown("a tiler that does not fit"));
    }
    let mut rest = Vec::new();
    for (i, mode) in modes.iter().enumerate() {
        let size = mode.size()?;
        let cut = match (tiles.get(i), mode) {
            (Some(tile), Tree::Node(_)) => padded(*tile, mode)?,
            _ => None,
        };
        if cut.is_some() && !is_coalesced(source, i) {
            return Err(Stop::unknown("a divide that pads within leaves that are one run"));
        }
        rest.push(match tiles.get(i) {
            // Padded within the mode: tiles of the cut leaf, and the leaves after it.
            Some(_) if let Some([before, extent, taken]) = cut => {
                Tree::Leaf(multiply((extent + taken - 1) / taken, size / before / extent)?)
            }
            // Rounded up: a divide that does not come out even is padded.
            Some(tile) => Tree::Leaf((size + tile - 1) / tile),
            None => mode.clone(),
        });
    }
    let tile = Tree::Node(tiles.iter().map(|tile| Tree::Leaf(*tile)).collect());
    let shape = Tree::Node(vec![tile, Tree::Node(rest)]);
    Ok(Layout::Read(source.clone(), Through::Divide(tiles.to_vec()), shape))
}

/// `local_tile`: one tile, and the places that the coordinate keeps.
pub fn local_tile(
    source: &Rc<Layout>,
    coordinate: &Tree,
    tiles: &[i64],
    view: bool,
) -> Result<Layout, Stop> {
    let divided = Rc::new(zipped_divide(source, tiles)?);
    let whole = Tree::Node(vec![Tree::Hole; tiles.len()]);
    slice(&divided, &Tree::Node(vec![whole, coordinate.clone()]), view)
}

/// `partition`: what thread `number` has, the tile being where a layout of threads has coordinates.
pub fn partition(
    source: &Rc<Layout>,
    threads: &Layout,
    number: i64,
    view: bool,
) -> Result<Layout, Stop> {
    let tiles: Vec<i64> =
        threads.shape().modes().iter().map(Tree::size).collect::<Result<_, _>>()?;
    let count = threads.shape().size()?;
    if !(0..count).contains(&number) {
        return Err(Stop::undefined(format!("thread {number} is out of range")));
    }
    let mut place = None;
    for index in 0..count {
        if threads.reach(&Tree::Leaf(index))? == number {
            place = Some(index);
        }
    }
    let place = place.ok_or_else(|| Stop::unknown("a thread without a place"))?;
    let flat = Tree::Node(tiles.iter().map(|tile| Tree::Leaf(*tile)).collect());
    let inside = unfold(&flat, &Tree::Leaf(place))?;
    let divided = Rc::new(zipped_divide(source, &tiles)?);
    let rest = divided.shape().modes()[1].modes().len();
    slice(&divided, &Tree::Node(vec![inside, Tree::Node(vec![Tree::Hole; rest])]), view)
}

/// `composition` with a layout.
pub fn composition(source: &Rc<Layout>, term: Layout) -> Layout {
    let shape = term.shape().clone();
    Layout::Read(source.clone(), Through::Layout(Rc::new(term)), shape)
}

/// `composition` with layouts for the modes.
pub fn by_modes(source: &Rc<Layout>, terms: Vec<Option<Layout>>) -> Result<Layout, Stop> {
    let modes = source.shape().modes();
    if terms.len() != modes.len() {
        return Err(Stop::unknown("a tiler of another rank"));
    }
    let shape = terms.iter().zip(modes).map(|(term, mode)| match term {
        Some(term) => term.shape().clone(),
        None => mode.clone(),
    });
    let shape = Tree::Node(shape.collect());
    let terms = terms.into_iter().map(|term| term.map(Rc::new)).collect();
    Ok(Layout::Read(source.clone(), Through::Modes(terms), shape))
}

/// A mode of a layout that was computed.
pub fn mode(source: &Rc<Layout>, place: usize) -> Result<Layout, Stop> {
    let modes = source.shape().modes();
    let shape = modes.get(place).ok_or_else(|| Stop::unknown("a mode"))?.clone();
    let through = Through::Mode(place, modes.len(), source.is_plain());
    Ok(Layout::Read(source.clone(), through, shape))
}

/// The coordinate of an index in a shape: one integer for each leaf, the first runs fastest.
pub fn idx2crd(shape: &Tree, index: i64) -> Result<Vec<i64>, Stop> {
    if index < 0 {
        return Err(Stop::undefined("the coordinate of a negative index"));
    }
    let leaves = shape.leaves();
    let mut rest = index;
    let mut entries = Vec::new();
    for (i, size) in leaves.iter().enumerate() {
        if *size < 1 {
            return Err(Stop::undefined("an extent below 1"));
        }
        if i + 1 == leaves.len() {
            entries.push(rest);
        } else {
            entries.push(rest % size);
            rest /= size;
        }
    }
    Ok(entries)
}
