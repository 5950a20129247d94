//! `make_tiled_copy(atom, thr_layout, val_layout)`, and the copies of an MMA's operand.

use super::{
    Operand, Partition, Side, TiledMma, at, compact, entries, inverse, layout, mma::read_atom,
};
use crate::{
    atoms::{Atom, CopyKind, WARP, space::Space},
    diagnostics::{codes::Code, text::TextError, violation::Violation},
};
use layout_algebra::{Layout, Nested, Tiler, Tuple};
use std::fmt;

/// A copy atom repeated over threads, and over the values of a thread.
#[derive(Clone, Debug)]
pub struct TiledCopy {
    atom: &'static Atom,
    over: Over,
}

/// The threads and values over which the atom is repeated.
#[derive(Clone, Debug)]
enum Over {
    /// Threads, and the values of each, by their places in a tile.
    ThreadsAndValues { threads: Layout, values: Layout },
    /// The operand's part that the threads of an MMA have.
    Operand { operand: Operand, mma: Box<TiledMma> },
}

/// The registers of a thread, as a copy has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Retile {
    /// The values of a thread in the first mode, and how many atoms it has along the others, of a tile.
    pub tile: Tuple,
    /// The values that an instruction moves, and the instructions, to those of the tile.
    pub values: Layout,
}

impl TiledCopy {
    /// `make_tiled_copy`: the values' layout is repeated at the threads' places. An error is about the operand that it
    /// refuses.
    ///
    /// # Errors
    ///
    /// An atom that is no copy of threads; threads or values that have no place or several.
    pub fn new(atom: &'static Atom, threads: &Layout, values: &Layout) -> Result<Self, Violation> {
        let over = Over::ThreadsAndValues { threads: threads.clone(), values: values.clone() };
        let tiled = Self { atom, over };
        tiled.check_atom().map_err(|refused| refused.about(0))?;
        for (operand, what, layout) in [(1, "threads", threads), (2, "values", values)] {
            if inverse(layout).map_err(|refused| refused.about(operand))?.is_none() {
                let last = layout.size() - 1;
                let expected = format!("a layout of {what} that numbers 0 to {last}");
                let like = layout.make_layout_like().ok();
                let like = like.filter(|like| inverse(like).is_ok_and(|found| found.is_some()));
                return Err(Violation::new(Code::Threads, expected, layout)
                    .hint_if(like.map(|like| format!("{like} does")))
                    .about(operand));
            }
        }
        tiled.spread().map_err(|refused| refused.about(1))?;
        Ok(tiled)
    }

    /// `make_tiled_copy_A`, `_B` and `_C`: the copy whose registers are an operand of an MMA.
    ///
    /// # Errors
    ///
    /// An atom that is no copy of threads; an operand that is not in registers.
    pub fn of_operand(
        atom: &'static Atom,
        operand: Operand,
        mma: TiledMma,
    ) -> Result<Self, Violation> {
        let (_, space) = mma.element(operand)?;
        let tiled = Self { atom, over: Over::Operand { operand, mma: Box::new(mma) } };
        tiled.check_atom()?;
        if space != Space::Register {
            let expected = format!("an operand that the MMA reads from registers, not {operand}");
            return Err(Violation::new(Code::TiledCopy, expected, "one in shared memory"));
        }
        tiled.spread()?;
        Ok(tiled)
    }

    fn check_atom(&self) -> Result<(), Violation> {
        match self.atom.copy_kind() {
            Some(kind) if !kind.is_bulk() => Ok(()),
            Some(_) => {
                let expected = "a copy atom that each thread or warp executes";
                Err(Violation::new(Code::TiledAtom, expected, self.atom.name)
                    .hint("one thread issues a bulk copy of a whole tile, with layout.copy"))
            }
            None => Err(Violation::new(Code::TiledAtom, "a copy atom", self.atom.name)),
        }
    }

    /// The tiled copy of the text between the brackets.
    pub(crate) fn read(text: &str) -> Result<Self, TextError> {
        let entries = entries(text);
        match entries[..] {
            [name, operand] => {
                let atom = read_atom(name)?;
                let refused = || {
                    let expected = "an operand of a tiled MMA, as in 'a of #layout.tiled_mma<…>', or threads and values";
                    at(operand.0, &Violation::new(Code::TiledCopy, expected, operand.1))
                };
                let (which, of) = operand.1.split_once(" of ").ok_or_else(refused)?;
                let which: Operand = which.trim().parse().map_err(|()| refused())?;
                let body = of
                    .trim()
                    .strip_prefix("#layout.tiled_mma<")
                    .and_then(|rest| rest.strip_suffix('>'))
                    .ok_or_else(refused)?;
                let start = operand.0 + operand.1.len() - 1 - body.len();
                let mma = TiledMma::read(body)
                    .map_err(|error| TextError { offset: start + error.offset, ..error })?;
                Self::of_operand(atom, which, mma).map_err(|refused| at(name.0, &refused))
            }
            [name, threads, values] => {
                let atom = read_atom(name)?;
                let offsets = [name.0, threads.0, values.0];
                let threads = layout(threads, "threads")?;
                let values = layout(values, "values")?;
                Self::new(atom, &threads, &values).map_err(|refused| {
                    let offset = refused.origin().operand.and_then(|i| offsets.get(i));
                    at(offset.copied().unwrap_or(0), &refused)
                })
            }
            _ => {
                let expected =
                    "a copy atom and its threads and values, or an operand of a tiled MMA";
                let found = format!("{} of them", entries.len());
                Err(at(0, &Violation::new(Code::TiledCopy, expected, found)))
            }
        }
    }

    /// The atom.
    pub fn atom(&self) -> &'static Atom {
        self.atom
    }

    fn is_collective(&self) -> bool {
        matches!(self.atom.copy_kind(), Some(CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. }))
    }

    /// The shape of the tile, and thread and value to its element, column-major.
    ///
    /// # Errors
    ///
    /// Threads or values that have no place, or several.
    pub fn spread(&self) -> Result<(Tuple, Layout), Violation> {
        match &self.over {
            Over::ThreadsAndValues { threads, values } => {
                let places = threads.raked_product(values)?;
                let inverse = inverse(&places)?.ok_or_else(|| {
                    let expected = "a thread-value layout that maps each thread and value to an element of the tile";
                    Violation::new(Code::Threads, expected, &places)
                })?;
                let by = compact(&[threads.size(), values.size()])?;
                let shape = places.modes().iter().map(|mode| Nested::Leaf(mode.size())).collect();
                Ok((Nested::Node(shape), inverse.composition(&by)?))
            }
            Over::Operand { operand, mma } => {
                let [i, j] = operand.modes();
                let tile = vec![Nested::Leaf(mma.extent(i)), Nested::Leaf(mma.extent(j))];
                Ok((Nested::Node(tile), mma.thread_values(*operand)?))
            }
        }
    }

    /// The elements that an instruction moves for a thread, of `bytes` each; of unknown ones, or of
    /// coordinates, all that a thread has.
    fn moved(&self, bytes: Option<i64>, held: i64) -> Result<i64, Violation> {
        let Some(bytes) = bytes else {
            return match self.is_collective() {
                false => Ok(held),
                true => {
                    let expected = format!("elements of a view for {}", self.atom.name);
                    Err(Violation::new(Code::TiledCopy, expected, "a layout or coordinates"))
                }
            };
        };
        let moved = self.atom.elements(bytes).ok_or_else(|| {
            let expected = format!("an element type that {} can move", self.atom.name);
            Violation::new(Code::CopyWidth, expected, format!("elements of {bytes} bytes"))
        })?;
        if held % moved != 0 {
            let expected = format!(
                "a multiple of {moved} values of a thread, which {} moves at once",
                self.atom.name
            );
            let hint = match &self.over {
                Over::ThreadsAndValues { .. } => {
                    "the value layout sets how many values a thread has"
                }
                Over::Operand { .. } => {
                    "the permutation of the tiled MMA sets how many atoms a thread has in a tile"
                }
            };
            return Err(Violation::new(Code::TiledCopy, expected, held).hint(hint));
        }
        Ok(moved)
    }

    /// A thread's part of one side: CuTe's `partition_S` and `partition_D`.
    ///
    /// # Errors
    ///
    /// Values that the atom does not move whole; a composition that no layout equals.
    pub fn partition(&self, side: Side, bytes: Option<i64>) -> Result<Partition, Violation> {
        let (tile, spread) = self.spread()?;
        let held = spread.get(&[1])?.size();
        let moved = self.moved(bytes, held)?;
        let lanes = if self.is_collective() { WARP } else { 1 };
        let threads = spread.get(&[0])?.size();
        if threads % lanes != 0 {
            let expected = format!("whole warps for {}", self.atom.name);
            return Err(Violation::new(Code::TiledCopy, expected, format!("{threads} threads")));
        }
        // ((lane, value), (warp, rest)): what an instruction moves, and the instructions.
        let by = Tiler::from_shape(&Nested::Node(vec![Nested::Leaf(lanes), Nested::Leaf(moved)]))?;
        let mut atoms = spread.zipped_divide(&by)?;
        let memory = match self.atom.copy_kind() {
            Some(CopyKind::Ldmatrix { .. }) => Some(Side::Source),
            Some(CopyKind::Stmatrix { .. }) => Some(Side::Target),
            _ => None,
        };
        if memory == Some(side)
            && let Some((addresses, registers)) =
                bytes.and_then(|bytes| self.atom.source(bytes).zip(self.atom.destination(bytes)))
        {
            let (addresses, registers): (Layout, Layout) = (addresses.parse()?, registers.parse()?);
            // Whose row of memory a lane names, to who holds it.
            let exchanged = registers.right_inverse()?.composition(&addresses)?;
            atoms = atoms
                .composition_tiler(&Tiler::Tuple(vec![Tiler::Layout(exchanged), Tiler::Any]))?;
        }
        let pair = |mode: i64| {
            let modes = [atoms.get(&[0, mode])?.coalesce()?, atoms.get(&[1, mode])?.coalesce()?];
            Ok::<_, Violation>(Layout::make_layout(&modes)?)
        };
        let thread_values = Layout::make_layout(&[pair(0)?.coalesce()?, pair(1)?])?;
        Ok(Partition { reorder: None, tile, thread_values })
    }

    /// The division of the registers of an MMA's operand, or of this copy's own values, into the values of each
    /// instruction: CuTe's `retile`.
    ///
    /// # Errors
    ///
    /// Values that the atom does not move whole.
    pub fn retile(&self, bytes: Option<i64>) -> Result<Retile, Violation> {
        let tile = match &self.over {
            Over::ThreadsAndValues { values, .. } => {
                let rank = self.spread()?.0.rank();
                let mut tile = vec![1; rank + 1];
                tile[0] = values.size();
                tile
            }
            Over::Operand { operand, mma } => mma.values(*operand)?.to_vec(),
        };
        let held = tile.iter().product();
        let moved = self.moved(bytes, held)?;
        Ok(Retile {
            tile: Nested::Node(tile.into_iter().map(Nested::Leaf).collect()),
            values: compact(&[moved, held / moved])?,
        })
    }
}

impl fmt::Display for TiledCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.atom.name)?;
        match &self.over {
            Over::ThreadsAndValues { threads, values } => write!(f, "{threads}, {values}"),
            Over::Operand { operand, mma } => write!(f, "{operand} of #layout.tiled_mma<{mma}>"),
        }
    }
}
