//! `make_tiled_mma(atom, atom_layout, permutation)`.

use super::{Operand, Partition, at, compact, entries, inverse, layout, line, value};
use crate::{
    atoms::{self, Atom, MmaAtom, space::Space},
    diagnostics::{
        codes::Code,
        text::{Cursor, TextError},
        violation::Violation,
    },
};
use layout_algebra::{Layout, Nested, Tiler, Value};
use std::fmt;

/// M, N and K.
const NAMES: [&str; 3] = ["M", "N", "K"];

/// An MMA atom repeated over warps or warpgroups, and over the values of a thread.
#[derive(Clone, Debug)]
pub struct TiledMma {
    atom: &'static Atom,
    /// (M, N, K) to the number of a warp or warpgroup.
    layout: Layout,
    /// The permutation of a tile's rows, columns and steps, each from 0 on, or `None` if they stay.
    permutation: [Option<Layout>; 3],
}

impl TiledMma {
    /// A tiled MMA. A mode of the permutation that is `_` has one atom for each warp.
    ///
    /// # Errors
    ///
    /// An atom that multiplies nothing; an atom layout that is not of rank 3, or does not have each warp at one
    /// place; a permutation that is none, or not of whole atoms for each warp.
    pub fn new(
        atom: &'static Atom,
        layout: &Layout,
        permutation: [Option<Layout>; 3],
    ) -> Result<Self, Violation> {
        let tiled = Self { atom, layout: layout.clone(), permutation };
        if atom.mma().is_none() {
            return Err(Violation::new(Code::TiledAtom, "an MMA atom", atom.name));
        }
        if layout.rank() != 3 {
            let expected = "an atom layout of rank 3, (M,N,K)";
            return Err(Violation::new(Code::TiledMma, expected, layout));
        }
        if inverse(layout)?.is_none() {
            let expected = format!("an atom layout that numbers 0 to {}", layout.size() - 1);
            return Err(Violation::new(Code::TiledMma, expected, layout));
        }
        for (mode, permutation) in tiled.permutation.iter().enumerate() {
            let Some(permutation) = permutation else { continue };
            let core = tiled.core(mode);
            if permutation.size() % core != 0 {
                let expected = format!(
                    "a multiple of {core} along {}, an atom for each {} of the atom layout",
                    NAMES[mode],
                    if tiled.mma()?.threads == atoms::WARP { "warp" } else { "warpgroup" },
                );
                let found = format!("{} in {permutation}", permutation.size());
                let next = (permutation.size() / core + 1).checked_mul(core);
                return Err(Violation::new(Code::TiledMma, expected, found)
                    .hint_if(next.map(|next| format!("{next} is the next"))));
            }
            if inverse(permutation)?.is_none() {
                let last = permutation.size() - 1;
                let expected = format!("a permutation of 0 to {last} along {}", NAMES[mode]);
                return Err(Violation::new(Code::TiledMma, expected, permutation));
            }
        }
        Ok(tiled)
    }

    /// The tiled MMA of the text between the brackets.
    pub(crate) fn read(text: &str) -> Result<Self, TextError> {
        let entries = entries(text);
        let (atom, layout, permutation) = match entries[..] {
            [atom, layout] => (atom, layout, None),
            [atom, layout, permutation] => (atom, layout, Some(permutation)),
            _ => {
                let expected = "an MMA atom, an atom layout and an optional permutation";
                let found = format!("{} of them", entries.len());
                return Err(at(0, &Violation::new(Code::TiledMma, expected, found)));
            }
        };
        let place = atom.0;
        let atom = read_atom(atom)?;
        if atom.mma().is_none() {
            return Err(at(place, &Violation::new(Code::TiledAtom, "an MMA atom", atom.name)));
        }
        let (offset, layout) = (layout.0, self::layout(layout, "warps")?);
        Self::new(atom, &layout, [None, None, None]).map_err(|refused| at(offset, &refused))?;
        let Some(permutation) = permutation else {
            return Self::new(atom, &layout, [None, None, None])
                .map_err(|refused| at(offset, &refused));
        };
        let modes = read_permutation(permutation)?;
        Self::new(atom, &layout, modes).map_err(|refused| at(permutation.0, &refused))
    }

    /// The atom.
    pub fn atom(&self) -> &'static Atom {
        self.atom
    }

    pub(super) fn mma(&self) -> Result<&'static MmaAtom, Violation> {
        self.atom
            .mma()
            .ok_or_else(|| Violation::new(Code::TiledAtom, "an MMA atom", self.atom.name))
    }

    /// How many warps or warpgroups are along a mode, which has been checked.
    fn warps(&self, mode: usize) -> i64 {
        self.layout.mode(mode).map_or(1, |mode| mode.size())
    }

    /// The atom's extent along a mode.
    fn atom_extent(&self, mode: usize) -> i64 {
        let extent = self.atom.mma().map_or((1, 1, 1), |mma| mma.extent);
        [extent.0, extent.1, extent.2][mode]
    }

    /// Elements along a mode that all warps have with one atom each.
    fn core(&self, mode: usize) -> i64 {
        self.atom_extent(mode).saturating_mul(self.warps(mode))
    }

    /// Elements of the tile along a mode.
    pub fn extent(&self, mode: usize) -> i64 {
        self.permutation[mode].as_ref().map_or(self.core(mode), Layout::size)
    }

    /// How many threads execute it.
    pub fn threads(&self) -> i64 {
        self.layout.size().saturating_mul(self.atom.mma().map_or(1, |mma| mma.threads))
    }

    /// The elements of an operand as MLIR names them, and where the atom has them.
    pub(crate) fn element(&self, operand: Operand) -> Result<(&'static str, Space), Violation> {
        let mma = self.mma()?;
        Ok(match operand {
            Operand::A => (mma.input, mma.a_space),
            Operand::B => (mma.input, mma.b_space),
            Operand::C => (mma.output, Space::Register),
        })
    }

    /// The values of an operand that a thread has of one atom, and how many atoms it has along the operand's
    /// modes of a tile.
    pub fn values(&self, operand: Operand) -> Result<[i64; 3], Violation> {
        let mma = self.mma()?;
        let held = match operand {
            Operand::A => mma.a_values,
            Operand::B => mma.b_values,
            Operand::C => mma.c_values,
        };
        let [i, j] = operand.modes();
        Ok([held, self.extent(i) / self.core(i), self.extent(j) / self.core(j)])
    }

    /// A thread's part of an operand, of a tile in which each warp has one atom: CuTe's `partition_A`, `_B`
    /// and `_C`.
    ///
    /// # Errors
    ///
    /// A composition that no layout equals, or overflow.
    pub fn partition(&self, operand: Operand) -> Result<Partition, Violation> {
        let mma = self.mma()?;
        let text = match operand {
            Operand::A => &mma.a,
            Operand::B => &mma.b,
            Operand::C => &mma.c,
        };
        let of_atom: Layout = text.parse()?;
        let [i, j] = operand.modes();
        let tile = [self.core(i), self.core(j)];
        // ((atom),(warps)) of the tile, then ((lane, value), (warp along i, warp along j)).
        let by_atom = Tiler::Tuple(vec![
            Tiler::Layout(line(self.atom_extent(i))?),
            Tiler::Layout(line(self.atom_extent(j))?),
        ]);
        let atoms = compact(&tile)?.zipped_divide(&by_atom)?;
        let spread =
            atoms.composition_tiler(&Tiler::Tuple(vec![Tiler::Layout(of_atom), Tiler::Any]))?;
        let held = Layout::make_layout(&[spread.get(&[0, 0])?, spread.get(&[1])?])?;
        let threads = held.composition(&self.places(i, j)?)?.coalesce()?;
        let thread_values = Layout::make_layout(&[threads, spread.get(&[0, 1])?])?;
        let reorders = |mode: usize| {
            let permutation = self.permutation[mode].as_ref();
            permutation.filter(|by| by.coalesce().map_or(true, |by| by.flat() != [(by.size(), 1)]))
        };
        let reorder = (reorders(i).is_some() || reorders(j).is_some()).then(|| {
            let mode = |mode| reorders(mode).map_or(Tiler::Any, |by| Tiler::Layout(by.clone()));
            Tiler::Tuple(vec![mode(i), mode(j)])
        });
        let tile = Nested::Node(tile.map(Nested::Leaf).to_vec());
        Ok(Partition { reorder, tile, thread_values })
    }

    /// A thread's number to its place among lanes and the warps along two modes, column-major.
    fn places(&self, i: usize, j: usize) -> Result<Layout, Violation> {
        let lanes = self.mma()?.threads;
        let scaled = |mode: &Layout| {
            let stride = mode.stride().try_map(&mut |stride: &i64| {
                stride.checked_mul(lanes).ok_or_else(|| {
                    Violation::new(Code::Limit, "numbers of threads of 64 bits", &self.layout)
                })
            })?;
            Ok::<_, Violation>(Layout::new(mode.shape().clone(), stride)?)
        };
        let mut modes = vec![line(lanes)?];
        for mode in self.layout.modes() {
            modes.push(scaled(&mode)?);
        }
        // (lane, M, N, K) to the thread, and the inverse.
        let numbers = Layout::make_layout(&modes)?;
        let by_number = numbers.right_inverse()?;
        let steps = |mode: usize| match mode {
            _ if mode == i => lanes,
            _ if mode == j => lanes.saturating_mul(self.warps(i)),
            _ => 0,
        };
        let shape = [lanes, self.warps(0), self.warps(1), self.warps(2)];
        let stride = [1, steps(0), steps(1), steps(2)];
        let node = |leaves: [i64; 4]| Nested::Node(leaves.map(Nested::Leaf).to_vec());
        Ok(Layout::new(node(shape), node(stride))?.composition(&by_number)?)
    }

    /// Thread and value to the element of the whole tile, column-major: CuTe's `get_layoutA_TV`, `_B` and `_C`.
    pub fn thread_values(&self, operand: Operand) -> Result<Layout, Violation> {
        let [i, j] = operand.modes();
        self.partition(operand)?.of(&compact(&[self.extent(i), self.extent(j)])?)
    }
}

/// The atom of an entry.
pub(super) fn read_atom((offset, text): (usize, &str)) -> Result<&'static Atom, TextError> {
    let mut cursor = Cursor::new(text);
    let mut start = cursor.clone();
    let word = cursor.word().unwrap_or("");
    let refused = match atoms::lookup(word) {
        Some(atom) if cursor.at_end() => return Ok(atom),
        Some(_) => cursor.expected("the end of the atom's name"),
        None => {
            let names = atoms::all().iter().map(|atom| atom.name);
            start.expected("the name of an atom").coded(Code::Atom).like(word, names)
        }
    };
    Err(TextError { offset: offset + refused.offset, ..refused })
}

/// One entry for each of M, N and K: an extent, a layout or `_`.
fn read_permutation(entry: (usize, &str)) -> Result<[Option<Layout>; 3], TextError> {
    let found = value(entry)?;
    let refused = |found: &Value| {
        let expected = "a permutation of three modes, as in (32,32,16) or <_, (8,2,2):(1,16,8), _>";
        at(entry.0, &Violation::new(Code::TiledMma, expected, found))
    };
    let tiler = match &found {
        Value::Tuple(shape) => {
            Tiler::from_shape(shape).map_err(|error| at(entry.0, &error.into()))?
        }
        Value::Tiler(tiler) => tiler.clone(),
        Value::Coord(coord) => {
            use layout_algebra::CoordOf::{Any, At, Tuple};
            let Tuple(modes) = coord else { return Err(refused(&found)) };
            let mode = |mode: &layout_algebra::Coord| match mode {
                Any => Ok(Tiler::Any),
                At(extent) => Tiler::from_shape(&Nested::Leaf(*extent))
                    .map_err(|error| at(entry.0, &error.into())),
                Tuple(_) => Err(refused(&found)),
            };
            Tiler::Tuple(modes.iter().map(mode).collect::<Result<_, _>>()?)
        }
        _ => return Err(refused(&found)),
    };
    let Tiler::Tuple(modes) = &tiler else { return Err(refused(&found)) };
    let mode = |mode: &Tiler| match mode {
        Tiler::Any => Ok(None),
        Tiler::Layout(layout) => Ok(Some(layout.clone())),
        Tiler::Tuple(_) => Err(refused(&found)),
    };
    match &modes[..] {
        [m, n, k] => Ok([mode(m)?, mode(n)?, mode(k)?]),
        _ => Err(refused(&found)),
    }
}

impl fmt::Display for TiledMma {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.atom.name, self.layout)?;
        if self.permutation.iter().all(Option::is_none) {
            return Ok(());
        }
        let modes = self.permutation.iter().map(|mode| match mode {
            None => "_".to_owned(),
            Some(layout) => layout.to_string(),
        });
        write!(f, ", <{}>", modes.collect::<Vec<_>>().join(", "))
    }
}
