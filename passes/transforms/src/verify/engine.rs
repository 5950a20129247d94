//! The accesses of the copy engine and the matrix engine to memory: the boxes of tensor maps, and the tiles
//! that descriptors of `wgmma` name. Both are read element by element, as the PTX ISA says.

mod load;

use super::{
    compare::name,
    pipeline::{RANK, Stopped, Walk},
    segments::Class,
    tensor_maps::{MapDimension, dimensions},
    trace::{Access, Condition, Copy, Instruction, Kind, Root, TensorMap},
    view::View,
};
use layout_algebra::{Layout, Swizzle};
use layout_dialect::{
    Space,
    atoms::{CopyKind, WARPGROUP},
};
use layout_relation::IndexForm;

/// Bytes of the unit that swizzles move.
const UNIT: i64 = 16;

/// Rows that a swizzle repeats after.
const ROWS: i64 = 8;

/// Bits that a coordinate within a tile has at most.
const COORDINATE_BITS: u32 = 20;

/// One instruction of a bulk copy.
struct BoxCopy {
    /// The tensor map's number.
    map: usize,
    /// Where its box is in shared memory, in bytes.
    place: IndexForm,
    /// Where it starts, by the map's dimensions.
    start: Vec<IndexForm>,
    /// The blocks of the cluster that it is for, one bit each.
    blocks: Option<IndexForm>,
}

/// The operands of a bulk copy.
struct CopyOperands<'v> {
    global: &'v View,
    shared: &'v View,
    /// Coordinates along each mode, and their limits.
    predicates: &'v [(View, i64)],
    /// The mode of the cluster along which loads are multicast, and its extent.
    shares: Option<(i64, i64)>,
}

/// Where an element of shared memory is, before the swizzle, and its coordinates there.
type Element = (i64, i128);

impl Walk<'_, '_> {
    /// A bulk store, which the first thread of each warpgroup issues.
    pub(super) fn store(&mut self, copy: &Copy) -> Result<(), Stopped> {
        let (Some(shared), Some(global)) = (&copy.source, &copy.target) else {
            return self.unknown("a bulk copy without two sides");
        };
        let first = self.thread().and_then(|thread| thread.mask(WARPGROUP - 1));
        let Some(first) = first else { return self.unknown("the number of threads") };
        if copy.kind == CopyKind::BulkStore {
            let name = "nvvm.cp.async.bulk.global.shared.cta";
            return self.rows(copy, (name, 2), &[(first, 1)], |_, _| Ok(()));
        }
        let mut parts = Vec::new();
        let mut left = shared.size();
        while left > 0 {
            let name = "nvvm.cp.async.bulk.tensor.global.shared.cta";
            let found = self.instruction(name, &[(first.clone(), 1)])?;
            let end = found.operands.len();
            let part = self.part(&found, (0, 1), None, 2..end)?;
            left -= self.box_size(part.map);
            parts.push(part);
        }
        let sides = CopyOperands { global, shared, predicates: &copy.predicates, shares: None };
        self.boxes(&sides, &parts, None)
    }

    /// The instructions of a bulk copy without a tensor map: each moves elements that are in a row on
    /// both sides, and all of them together move all. Operands: to where, from where, and at `size` how
    /// many bytes.
    fn rows(
        &mut self,
        copy: &Copy,
        (name, size): (&str, usize),
        predicates: &[Condition],
        mut also: impl FnMut(&mut Self, &Instruction) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let (Some(source), Some(target)) = (&copy.source, &copy.target) else {
            return self.unknown("a bulk copy without two sides");
        };
        let mut first = 0;
        while first < target.size() {
            let found = self.instruction(name, predicates)?;
            also(self, &found)?;
            let operand = |at: usize| found.operands.get(at).cloned().flatten();
            let (Some(to), Some(from), Some((_, bytes))) = (operand(0), operand(1), operand(size))
            else {
                return self.unknown(&format!("an operand of {name}"));
            };
            let Some(bytes) = bytes.at(&|_| 0).filter(|_| bytes.symbols().is_empty()) else {
                return self.unknown(&format!("how many bytes {name} moves"));
            };
            let left = (target.size() - first) * target.bytes;
            if bytes <= 0 || bytes % target.bytes != 0 || bytes > left {
                let expected = format!("{left} bytes at most, whole elements, of {name}");
                return self.refute(&expected, &bytes.to_string());
            }
            let elements = bytes / target.bytes;
            for (view, kind, (root, address)) in
                [(source, Kind::Load, from), (target, Kind::Store, to)]
            {
                let start = match row(view, first, elements) {
                    Some(Ok(start)) => start,
                    Some(Err(run)) => {
                        let expected = format!("{bytes} bytes in a row for {name}");
                        return self.refute(&expected, &format!("{} of them", run * view.bytes));
                    }
                    None => return self.unknown("where the elements of a bulk copy are"),
                };
                let access = |root, address| Access {
                    root,
                    kind,
                    address,
                    bytes,
                    predicates: vec![],
                    domain: Vec::new(),
                    value: None,
                    rows: None,
                    operation: 0,
                };
                let class = match view.root {
                    Root::Argument(number) => Class::Argument(number),
                    _ => Class::Buffers,
                };
                let (before, after) = (access(view.root.clone(), start), access(root, address));
                self.comparison.access(&before, &after, &(class, kind));
            }
            first += elements;
        }
        Ok(())
    }

    fn map(&self, number: usize) -> Option<&TensorMap> {
        self.after.maps.get(number)
    }

    /// Elements of a map's box, at least 1.
    fn box_size(&self, number: usize) -> i64 {
        let extents = self.map(number).map_or(&[][..], |map| &map.r#box);
        extents.iter().fold(1_i64, |all, &extent| all.saturating_mul(extent)).max(1)
    }

    fn part(
        &mut self,
        instruction: &Instruction,
        (map, place): (usize, usize),
        blocks: Option<usize>,
        start: std::ops::Range<usize>,
    ) -> Result<BoxCopy, Stopped> {
        let own = self.after.arguments.len().saturating_sub(self.after.maps.len());
        let read = || -> Option<BoxCopy> {
            let form = |at: usize| Some(instruction.operands.get(at)?.as_ref()?.1.clone());
            let (Root::Argument(argument), _) = instruction.operands.get(map)?.as_ref()? else {
                return None;
            };
            Some(BoxCopy {
                map: argument.checked_sub(own)?,
                place: form(place)?,
                start: start.map(form).collect::<Option<_>>()?,
                blocks: match blocks {
                    Some(at) => Some(form(at)?),
                    None => None,
                },
            })
        };
        match read() {
            Some(part) => Ok(part),
            None => self.unknown(&format!("an operand of {}", instruction.name)),
        }
    }

    /// The boxes of a copy are its tile: the same elements at the same places; or those of its first coordinates along a mode.
    fn boxes(
        &mut self,
        sides: &CopyOperands<'_>,
        parts: &[BoxCopy],
        within: Option<(usize, i64)>,
    ) -> Result<(), Stopped> {
        let bytes = sides.shared.bytes;
        let Some(number) = parts.first().map(|part| part.map) else { return Ok(()) };
        let Some(map) = self.map(number).cloned() else { return self.unknown("a tensor map") };
        if parts.iter().any(|part| part.map != number) {
            return self.refute("one tensor map for a copy", "two");
        }
        if sides.global.root != Root::Argument(map.argument) {
            let expected = format!("a tensor map of {:?}", sides.global.root);
            return self.refute(&expected, &format!("argument {}", map.argument));
        }
        let before = self.comparison.before;
        let whole = before.arguments.get(map.argument).and_then(Option::as_ref);
        let Some(modes) = whole.and_then(|whole| dimensions(&map, &whole.layout, bytes)) else {
            return self.unknown("a tensor map whose dimensions are not the matrix's modes");
        };
        self.swizzle(map.swizzle, sides.shared)?;
        // The matrix is read where its coordinates say.
        let mut base = whole.map(|whole| whole.base.clone());
        for (dimension, along) in modes.iter().enumerate() {
            let mode = along.mode;
            let Some((predicate, limit)) = sides.predicates.get(mode) else {
                return self.unknown("a bulk copy without coordinates");
            };
            // The last dimension of a mode ends where the mode does; the others start again.
            let whole = map.extents[dimension].checked_mul(along.block);
            let ends = along.count.map_or(whole == Some(*limit), |n| n == map.extents[dimension]);
            if !ends {
                let expected = format!("a tensor map of extent {limit} along mode {mode}");
                return self.refute(&expected, &map.extents[dimension].to_string());
            }
            let first = along.of_form(&predicate.base);
            let step = first.as_ref().and_then(|first| first.scale(map.strides[dimension] / bytes));
            base = base.zip(step).and_then(|(base, step)| base.plus(&step));
            // Nothing of a tile is beyond an end where a dimension starts again.
            let most = along.count.and_then(|count| {
                let (_, past) = first?.bounds()?;
                let offsets =
                    (0..predicate.size()).map(|i| Some(along.of(predicate.layout.at(i).ok()?)));
                let most = offsets.collect::<Option<Vec<i64>>>()?.into_iter().max()?;
                Some(most.checked_add(past)? <= count)
            });
            if along.count.is_some() && most != Some(true) {
                return self.unknown("a tile that may end within a block of its matrix");
            }
        }
        let Some(base) = base else { return self.unknown("where a tile begins") };
        self.comparison.form("the start of a tile of a bulk copy", &sides.global.base, &base);
        let Some(mut expected) = tile(sides, &map, &modes) else {
            return self.unknown("a tile of a bulk copy whose elements are not its coordinates'");
        };
        if let Some((mode, end)) = within {
            let own = modes.iter().position(|along| along.mode == mode);
            let Some(own) = own else { return self.unknown("a mode of a bulk copy") };
            expected.retain(|(_, code)| coordinates(*code, modes.len())[own] < i128::from(end));
        }
        self.elements(sides, &map, &modes, parts, expected)
    }

    fn elements(
        &mut self,
        sides: &CopyOperands<'_>,
        map: &TensorMap,
        modes: &[MapDimension],
        parts: &[BoxCopy],
        expected: Vec<Element>,
    ) -> Result<(), Stopped> {
        let bytes = sides.shared.bytes;
        let ranks = self.ring.map_or(1, |ring| ring.cluster.0 * ring.cluster.1);
        let ranks = if sides.shares.is_some() { ranks } else { 1 };
        let Some(steps) = steps(sides, modes, parts) else {
            return self.unknown("where a box begins");
        };
        // For each block: its boxes, where and from which coordinates on.
        let mut sent: Vec<Vec<(i64, Vec<i64>)>> = Vec::new();
        for rank in 0..ranks {
            let extents = |symbol| self.comparison.extent(symbol);
            let at = |form: &IndexForm| form.value_at(&[(RANK, rank)], &extents);
            let all: Option<Vec<_>> = steps
                .iter()
                .map(|(place, start)| {
                    Some((at(place)?, start.iter().map(at).collect::<Option<Vec<_>>>()?))
                })
                .collect();
            match all {
                Some(all) => sent.push(all),
                None => return self.moves(sides, &steps),
            }
        }
        let least = sent.iter().flatten().map(|(place, _)| *place).min().unwrap_or(0);
        let first = expected.first().map_or(0, |(offset, _)| *offset);
        let place = least - first * bytes;
        self.place(&sides.shared.root, place, map.swizzle)?;
        for rank in 0..ranks {
            let senders = self.senders(sides, parts, rank, ranks)?;
            let mut found = Vec::with_capacity(expected.len());
            for sender in senders {
                for (at, start) in sent.get(sender).into_iter().flatten() {
                    let Some(elements) = box_elements(map, (at - place) / bytes, start) else {
                        return self.unknown("a box that begins outside of its tile");
                    };
                    found.extend(elements);
                }
            }
            found.sort_unstable();
            if found != expected {
                let at = found.iter().zip(&expected).position(|(a, b)| a != b);
                let at = at.unwrap_or(found.len().min(expected.len()));
                let words = |list: &[Element]| match list.get(at) {
                    Some((offset, code)) => {
                        let coordinates = coordinates(*code, modes.len());
                        format!("coordinates {coordinates:?} at offset {offset}")
                    }
                    None => "no more".to_owned(),
                };
                let expected = format!("{} of a bulk copy", words(&expected));
                return self.refute(&expected, &words(&found));
            }
        }
        self.comparison.findings.proved += 1;
        Ok(())
    }

    /// A box begins at one distance from its tile: where it does not, that is shown.
    fn moves(
        &mut self,
        sides: &CopyOperands<'_>,
        steps: &[(IndexForm, Vec<IndexForm>)],
    ) -> Result<(), Stopped> {
        if sides.shares.is_none() {
            for form in steps.iter().flat_map(|(place, start)| start.iter().chain([place])) {
                let Some(first) = form.at(&|_| 0) else { continue };
                let first = IndexForm::constant(first);
                self.comparison.form("the distance of a box from its tile", &first, form);
            }
            return Err(Stopped);
        }
        self.unknown("where a box begins")
    }

    /// The blocks of the cluster whose boxes come to a block: those that differ along the mode only.
    fn senders(
        &mut self,
        sides: &CopyOperands<'_>,
        parts: &[BoxCopy],
        rank: i64,
        ranks: i64,
    ) -> Result<Vec<usize>, Stopped> {
        let Some((mode, _)) = sides.shares else { return Ok(vec![0]) };
        let (rows, _) = self.ring.map_or((1, 1), |ring| ring.cluster);
        let group = |other: i64| match mode {
            0 => other / rows == rank / rows,
            _ => other % rows == rank % rows,
        };
        let expected: Vec<i64> = (0..ranks).filter(|&other| group(other)).collect();
        for part in parts {
            let sends = |other: i64| {
                let extents = |symbol| self.comparison.extent(symbol);
                let mask = part.blocks.as_ref()?.value_at(&[(RANK, other)], &extents)?;
                Some(mask >> rank & 1 == 1)
            };
            let known: Option<Vec<bool>> = (0..ranks).map(sends).collect();
            let Some(known) = known else { return self.unknown("which blocks a box is for") };
            let found: Vec<i64> =
                (0..ranks).zip(known).filter(|(_, s)| *s).map(|(b, _)| b).collect();
            if found != expected {
                let expected = format!("block {rank} to be sent to by blocks {expected:?}");
                return self.refute(&expected, &format!("{found:?}"));
            }
        }
        Ok(expected.into_iter().filter_map(|block| usize::try_from(block).ok()).collect())
    }

    /// The buffer is at this place, which is where its swizzle begins.
    fn place(&mut self, root: &Root, place: i64, swizzle: i64) -> Result<(), Stopped> {
        let Root::Buffer(number) = root else { return self.unknown("a buffer of a tile") };
        if place.rem_euclid(swizzle.max(UNIT) * if swizzle == 0 { 1 } else { ROWS }) != 0 {
            let expected = format!("a buffer where a swizzle of {swizzle} bytes begins");
            return self.refute(&expected, &place.to_string());
        }
        let found = (Root::Shared, place);
        let known = self.comparison.moved.entry(*number).or_insert_with(|| found.clone()).clone();
        if known != found {
            let expected = format!("buffer {number} at {}", known.1);
            return self.refute(&expected, &place.to_string());
        }
        Ok(())
    }

    /// The hardware's swizzle of `bytes` bytes is the view's.
    fn swizzle(&mut self, bytes: i64, view: &View) -> Result<(), Stopped> {
        let bits = if bytes == 0 { 0 } else { (bytes / UNIT).max(1).ilog2() };
        let base = (UNIT / view.bytes.max(1)).max(1).ilog2();
        let expected = (bits > 0).then(|| Swizzle::new(bits, base, 3).ok()).flatten();
        let found = view.swizzle().flatten().filter(|swizzle| swizzle.bits > 0);
        if expected != found {
            let words = |swizzle: Option<Swizzle>| {
                swizzle.map_or("no swizzle".to_owned(), |swizzle| swizzle.to_string())
            };
            return self.refute(&words(found), &words(expected));
        }
        Ok(())
    }

    /// MMAs of tiles of shared memory: `(tile, rows, K)` each.
    pub(super) fn mmas(&mut self, a: &View, b: &View, overwrites: bool) -> Result<(), Stopped> {
        while self.fences() {}
        let (Some(x), Some(y)) = (Tiles::of(a), Tiles::of(b)) else {
            return self.unknown("MMAs of views that are not tiles");
        };
        for k in 0..x.columns {
            for n in 0..y.rows {
                for m in 0..x.rows {
                    match overwrites && k == 0 {
                        true => self.mma_as_text(Some((&x, m)), (&y, n), k, Sums::Overwritten)?,
                        false => self.mma((&x, m), (&y, n), k)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// A group of MMAs, which is waited for later, or, outside of a pipeline, at once, unless it is left in flight.
    pub(super) fn committed_or_done(&mut self, is_in_flight: bool) -> Result<(), Stopped> {
        self.instruction("nvvm.wgmma.commit.group.sync.aligned", &[])?;
        // An MMA that is not left to the pipeline is waited for there.
        if is_in_flight || self.waits_for_mmas() || self.commits() {
            return Ok(());
        }
        self.refute("a wait for all MMAs", &name(self.peek()))
    }

    /// MMAs of A in registers, which MLIR has no operation for, with tiles of shared memory: which
    /// registers are multiplied is not examined.
    pub(super) fn register_mmas(
        &mut self,
        a: &View,
        b: &View,
        overwrites: bool,
    ) -> Result<(), Stopped> {
        while self.fences() {}
        let Some(y) = Tiles::of(b) else {
            return self.unknown("MMAs of views that are not tiles");
        };
        let rows = a.layout.modes().get(1).map_or(1, Layout::size);
        for k in 0..y.columns {
            for n in 0..y.rows {
                for _ in 0..rows {
                    let sums = if overwrites && k == 0 { Sums::Overwritten } else { Sums::Added };
                    self.mma_as_text(None, (&y, n), k, sums)?;
                }
            }
        }
        Ok(())
    }

    /// One MMA that MLIR has no operation for: of registers, or of a tile, and a tile.
    fn mma_as_text(
        &mut self,
        left: Option<(&Tiles<'_>, i64)>,
        (y, n): (&Tiles<'_>, i64),
        k: i64,
        sums: Sums,
    ) -> Result<(), Stopped> {
        let (begins, what) = match sums {
            Sums::Begun => ("{ .reg .pred p; setp.eq.b32 p, $", "an MMA with new accumulators"),
            Sums::Added => (
                "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.",
                "an MMA that adds to accumulators",
            ),
            Sums::Overwritten => (
                "{ .reg .pred p; setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.",
                "an MMA that overwrites accumulators",
            ),
        };
        let Some(mma) = self.assembly(begins) else {
            return self.refute(what, &name(self.peek()));
        };
        let around = self.around.clone();
        self.comparison.predicates(&around, &mma.predicates, "an MMA");
        let text = |(name, text): &(String, String)| (name == "asm_string").then(|| text.clone());
        let text = mma.attributes.iter().find_map(text).unwrap_or_default();
        let shape = format!("n{}k{}.", y.shape.0, y.shape.1);
        if !text.contains(&shape) {
            return self.refute(&format!("an MMA of {shape}"), &text);
        }
        // The last numbers say which operands are transposed.
        let numbers = text.rsplit(", p, ").next().unwrap_or("").trim_end_matches("; }\"");
        let mut transposed = numbers.split(", ").skip(2).map(|number| number == "1");
        let mut sides: Vec<(&Tiles<'_>, i64)> = left.into_iter().collect();
        sides.push((y, n));
        for (at, &(tiles, row)) in sides.iter().enumerate() {
            let Some(Some((Root::Nothing, descriptor))) = mma.operands.get(at) else {
                return self.unknown("a descriptor");
            };
            let k_major = !transposed.next().unwrap_or(false);
            self.descriptor(tiles, row, k, descriptor, k_major)?;
        }
        if sums == Sums::Begun {
            let Some(Some((Root::Nothing, never))) = mma.operands.get(sides.len()) else {
                return self.unknown("the predicate of new accumulators");
            };
            if never.range().0.is_none_or(|least| least <= 0) {
                return self.refute("a nonzero predicate for new accumulators", &text);
            }
        }
        Ok(())
    }

    /// MMAs with two-level accumulation: each tile of accumulators is accumulated along K from zero, and waited
    /// for before the next.
    pub(super) fn two_levels(&mut self, a: &View, b: &View) -> Result<(), Stopped> {
        let held = a.space == Space::Register;
        let x = if held { None } else { Tiles::of(a) };
        let (Some(y), true) = (Tiles::of(b), held || x.is_some()) else {
            return self.unknown("MMAs of views that are not tiles");
        };
        let rows = a.layout.modes().get(1).map_or(1, Layout::size);
        for n in 0..y.rows {
            for m in 0..rows {
                // Another tile's accumulators may be waited for first.
                while self.fences() || self.waits_for_registers().is_some() {}
                for k in 0..y.columns {
                    let left = x.as_ref().map(|x| (x, m));
                    match left {
                        Some(left) if k > 0 => self.mma(left, (&y, n), k)?,
                        _ if k > 0 => self.mma_as_text(left, (&y, n), k, Sums::Added)?,
                        _ => self.mma_as_text(left, (&y, n), k, Sums::Begun)?,
                    }
                }
                self.instruction("nvvm.wgmma.commit.group.sync.aligned", &[])?;
            }
        }
        let mut done = false;
        while let Some(left) = self.waits_for_registers() {
            done = left == 0;
        }
        if done {
            return Ok(());
        }
        self.refute("a wait for all MMAs", &name(self.peek()))
    }

    /// One MMA of two tiles.
    fn mma(
        &mut self,
        (x, m): (&Tiles<'_>, i64),
        (y, n): (&Tiles<'_>, i64),
        k: i64,
    ) -> Result<(), Stopped> {
        let mma = self.instruction("nvvm.wgmma.mma_async", &[])?;
        let (depth, _) = x.shape;
        let shape = format!("#nvvm.shape<m = {depth}, n = {}, k = {}>", y.shape.0, x.shape.1);
        let attribute = |attribute_name: &str| {
            let found = mma.attributes.iter().find(|(name, _)| name == attribute_name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        if attribute("shape") != shape {
            return self.refute(&shape, &attribute("shape"));
        }
        // The instruction's own words: A is K-major as rows, B as columns.
        let k_major = [attribute("layoutA").contains("row"), attribute("layoutB").contains("col")];
        for (at, (tiles, row)) in [(x, m), (y, n)].into_iter().enumerate() {
            let Some(Some((Root::Nothing, descriptor))) = mma.operands.get(at) else {
                return self.unknown("a descriptor");
            };
            self.descriptor(tiles, row, k, descriptor, k_major[at])?;
        }
        let scale = attribute("scaleD");
        if !scale.contains("one") {
            return self.refute("accumulators that are added to those before", &scale);
        }
        Ok(())
    }

    /// A descriptor names a tile: its start, and the canonical layout that its elements have.
    fn descriptor(
        &mut self,
        tiles: &Tiles<'_>,
        row: i64,
        column: i64,
        descriptor: &IndexForm,
        k_major: bool,
    ) -> Result<(), Stopped> {
        let view = tiles.view;
        let rest = || -> Option<i64> {
            let first =
                tiles.size().checked_mul(row.checked_add(tiles.rows.checked_mul(column)?)?)?;
            let start = view.base.plus(&IndexForm::constant(view.layout.at(first).ok()?))?;
            let start = start.scale(view.bytes)?.floor_div(UNIT)?;
            descriptor.minus(&start)?.value_at(&[], &|symbol| self.comparison.extent(symbol))
        };
        let Some(rest) = rest() else { return self.unknown("the start of a descriptor") };
        // The PTX ISA's matrix descriptor: start, leading and stride offsets in units, the swizzle.
        let field = |from: u32| (rest >> from & 0x3fff) * UNIT;
        let (place, leading, stride) = (field(0), field(16), field(32));
        let swizzle = descriptor_swizzle(rest);
        self.swizzle(swizzle, view)?;
        self.place(&view.root, place, swizzle)?;
        if (row, column) == (0, 0)
            && let Err(found) = tiles.is_canonical(k_major, swizzle, leading, stride)
        {
            let expected = format!("a descriptor of {}", view.layout);
            return self.refute(&expected, &found);
        }
        self.comparison.findings.proved += 1;
        Ok(())
    }
}

/// The use that an MMA makes of the accumulators before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// It adds to them.
    Added,
    /// A number at run time, which is never 0, says that they begin.
    Begun,
    /// It overwrites them.
    Overwritten,
}

/// An operand of MMAs in shared memory.
struct Tiles<'v> {
    view: &'v View,
    /// Rows and elements along K of a tile.
    shape: (i64, i64),
    rows: i64,
    columns: i64,
}

impl<'v> Tiles<'v> {
    fn of(view: &'v View) -> Option<Self> {
        let modes = view.layout.modes();
        let [tile, rows, columns] = modes.as_slice() else { return None };
        let inner = tile.modes();
        let [r, k] = inner.as_slice() else { return None };
        let shape = (r.size(), k.size());
        Some(Self { view, shape, rows: rows.size(), columns: columns.size() })
    }

    fn size(&self) -> i64 {
        self.shape.0 * self.shape.1
    }

    /// Whether the elements of a tile are where the instruction reads them; else, the first that is
    /// not.
    fn is_canonical(
        &self,
        k_major: bool,
        swizzle: i64,
        leading: i64,
        stride: i64,
    ) -> Result<(), String> {
        let bytes = self.view.bytes;
        let unit = UNIT / bytes;
        let (leading, stride) = (leading / bytes, stride / bytes);
        let width = (swizzle / bytes).max(unit);
        for k in 0..self.shape.1 {
            for r in 0..self.shape.0 {
                let read = match (k_major, swizzle) {
                    // Swizzled rows do not use the leading offset.
                    (true, 0) => {
                        r % ROWS * width + r / ROWS * stride + k % unit + k / unit * leading
                    }
                    (true, _) => r % ROWS * width + r / ROWS * stride + k,
                    (false, 0) => {
                        r % unit + r / unit * stride + k % ROWS * width + k / ROWS * leading
                    }
                    (false, _) => {
                        r % width + r / width * leading + k % ROWS * width + k / ROWS * stride
                    }
                };
                let own = self.view.layout.at(r + self.shape.0 * k).map_err(|e| e.to_string())?;
                if own != read {
                    return Err(format!("element ({r},{k}) read at {read} and not at {own}"));
                }
            }
        }
        Ok(())
    }
}

/// Where elements from this one on are, in bytes, if they are in a row; else how many of them are.
fn row(view: &View, first: i64, elements: i64) -> Option<Result<IndexForm, i64>> {
    let start = view.element(first)?;
    for step in 1..elements {
        if view.element(first.checked_add(step)?)? != start.plus(&IndexForm::constant(step))? {
            return Some(Err(step));
        }
    }
    start.scale(view.bytes).map(Ok)
}

/// Bytes of the rows that a matrix descriptor's swizzle moves; 0 of none.
pub(super) fn descriptor_swizzle(descriptor: i64) -> i64 {
    match descriptor >> 62 & 3 {
        1 => 128,
        2 => 64,
        3 => 32,
        _ => 0,
    }
}

/// How many operands a bulk load has before its hint for the L2 cache, which changes nothing
/// but time.
pub(super) fn without_hint(load: &Instruction) -> usize {
    // The group of the operation's operands that has the hint.
    const HINT: usize = 6;
    let hinted = load.attributes.iter().any(|(name, value)| match name.as_str() {
        "operandSegmentSizes" => {
            let sizes = value.rsplit(':').next().unwrap_or("").trim_end_matches('>');
            sizes.split(',').nth(HINT).is_some_and(|size| size.trim() == "1")
        }
        "asm_string" => value.contains(".L2::cache_hint"),
        _ => false,
    });
    load.operands.len().saturating_sub(usize::from(hinted))
}

/// The elements of a tile by their places in shared memory, if they are where their coordinates say
/// in the matrix.
fn tile(sides: &CopyOperands<'_>, map: &TensorMap, modes: &[MapDimension]) -> Option<Vec<Element>> {
    let mut elements = Vec::new();
    for i in 0..sides.shared.size() {
        let mut offset = 0_i64;
        let mut code = 0_i128;
        let mut exists = true;
        for (dimension, along) in modes.iter().enumerate() {
            let (predicate, limit) = sides.predicates.get(along.mode)?;
            let coordinate = predicate.layout.at(i).ok()?;
            exists &= coordinate < *limit;
            let coordinate = along.of(coordinate);
            let step = map.strides[dimension] / sides.shared.bytes;
            offset = offset.checked_add(coordinate.checked_mul(step)?)?;
            code |= coded(coordinate, dimension)?;
        }
        // Beyond its end the matrix is not read, wherever its layout continues.
        if exists && sides.global.layout.at(i).ok()? != offset {
            return None;
        }
        elements.push((sides.shared.layout.at(i).ok()?, code));
    }
    elements.sort_unstable();
    Some(elements)
}

/// For each box: its place less the buffer's, and its coordinates less the tile's.
fn steps(
    sides: &CopyOperands<'_>,
    modes: &[MapDimension],
    parts: &[BoxCopy],
) -> Option<Vec<(IndexForm, Vec<IndexForm>)>> {
    let base = sides.shared.base.scale(sides.shared.bytes)?;
    let step = |part: &BoxCopy| {
        let start: Option<Vec<IndexForm>> = part
            .start
            .iter()
            .zip(modes)
            .map(|(start, along)| {
                start.minus(&along.of_form(&sides.predicates.get(along.mode)?.0.base)?)
            })
            .collect();
        Some((part.place.minus(&base)?, start?))
    };
    parts.iter().map(step).collect()
}

/// The elements of a box: the first dimension changes fastest.
fn box_elements(map: &TensorMap, place: i64, start: &[i64]) -> Option<Vec<Element>> {
    let size = map.r#box.iter().try_fold(1_i64, |all, &extent| all.checked_mul(extent))?;
    (0..size)
        .map(|i| {
            let mut rest = i;
            let mut code = 0_i128;
            for (dimension, (&extent, &first)) in map.r#box.iter().zip(start).enumerate() {
                code |= coded(first + rest % extent, dimension)?;
                rest /= extent;
            }
            Some((place + i, code))
        })
        .collect()
}

fn coded(coordinate: i64, dimension: usize) -> Option<i128> {
    if !(0..1 << COORDINATE_BITS).contains(&coordinate) {
        return None;
    }
    i128::from(coordinate).checked_shl(COORDINATE_BITS * u32::try_from(dimension).ok()?)
}

fn coordinates(code: i128, dimensions: usize) -> Vec<i128> {
    let mask = (1 << COORDINATE_BITS) - 1;
    (0..dimensions).map(|dimension| code >> (COORDINATE_BITS as usize * dimension) & mask).collect()
}
