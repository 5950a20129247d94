//! Bulk copies: the copy engine moves a tile that a tensor map describes, or contiguous bytes.
//!
//! The map is derived from the layouts of the matrix, the tile and the buffer
//! ([`layout_dialect::atoms::tensor_map`]), becomes a parameter of the kernel, and is described in
//! the kernel's facts, for the runtime to encode. The predicates give the coordinates of the box.

use super::{
    Address, Failure, Lowering,
    address::{cast, inner, offset_pointer},
    cluster::{self, MulticastSlice},
    copy::parse,
    digits::digit,
    function::{KERNEL, is_value},
    memory::element_bytes,
    warps,
};
use layout_algebra::{Expr, Layout, Nested, gcd};
use layout_dialect::{
    Space,
    atoms::{
        WARPGROUP,
        tensor_map::{self, Coordinates, Im2col, TensorMap, Tile, Transfer},
    },
    build::{Builder, Val, operand},
    ops::Limit,
    tree,
};
use melior::ir::{
    Attribute, BlockLike, OperationRef, Type, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use mlir_sys::mlirBlockInsertArgument;
use std::fmt::Write;

/// The L2 eviction hint evict-first: the policy that `createpolicy` makes of
/// `evict_first` for all of an access.
pub(crate) const EVICT_FIRST: i64 = 0x12F0_0000_0000_0000;

/// A tensor map that the kernel takes as a parameter.
pub(super) struct Parameter<'c> {
    /// The argument that it maps.
    argument: usize,
    map: TensorMap,
    /// The extent, the stride in bytes and the box's extent of each dimension as expressions, where they are known at run time.
    at_run_time: Vec<[Option<String>; 3]>,
    element: Type<'c>,
    value: Val<'c>,
}

/// A bulk copy, ready to be issued.
struct Issue<'c> {
    /// The tensor map's parameter.
    map: Val<'c>,
    /// The argument that it maps.
    argument: usize,
    /// Bytes of the matrix that are in a row, from which on the map writes nothing.
    row_bytes: i64,
    /// For each instruction: the place in shared memory and the coordinates of its box.
    parts: Vec<(Val<'c>, Vec<Val<'c>>)>,
    /// Its boxes where the tile is the last along a mode.
    last: Option<Last<'c>>,
}

/// The boxes of a tile beyond whose last row nothing is filled with zeros: they begin as those of other tiles, and end with that row.
struct Last<'c> {
    /// Whether the tile is the last; of the only tile, none.
    is_last: Option<Val<'c>>,
    /// The tensor map's parameter.
    map: Val<'c>,
    /// Bytes of a box that do not come.
    missing: Val<'c>,
}

/// Rows of a box that are filled with zeros in no time that would show.
const FEW_ROWS: i64 = 8;

impl<'c> Lowering<'c> {
    /// The barrier that counts the bytes of a load.
    pub(super) fn counted(&self) -> Result<Val<'c>, Failure> {
        self.stage.as_ref().and_then(|stage| stage.barrier).ok_or_else(|| {
            Failure::refused(
                "expected a bulk copy in the load of a layout.pipeline or in a layout.transaction, found one outside of both",
            )
        })
    }

    pub(super) fn bulk_load(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let barrier = self.counted()?;
        let mode = layout_dialect::ops::multicast(operation)?;
        let cluster = self.stage.as_ref().and_then(|stage| stage.cluster);
        let share = match (mode, cluster) {
            (Some(mode), Some(cluster)) => Some(cluster.share(b, mode)?).filter(|s| s.blocks > 1),
            _ => None,
        };
        let issue = self.issue(b, operation, (0, 1), share.as_ref())?;
        let hint = match layout_dialect::ops::evicts_first(operation) {
            true => Some(b.constant(b.integer(64), EVICT_FIRST)?),
            false => None,
        };
        if let Some(share) = &share {
            for (pointer, coordinates) in issue.parts {
                let to = (pointer, issue.map, barrier);
                cluster::load_for_all(b, share, to, &coordinates, hint)?;
            }
            return Ok(());
        }
        let cluster = melior::dialect::llvm::r#type::pointer(self.context, 7);
        // The barrier counts the bytes of whole tiles.
        let load =
            |b: &Builder<'c>, map: Val<'c>, missing: Option<Val<'c>>| -> Result<(), Failure> {
                for (pointer, coordinates) in &issue.parts {
                    if let Some(missing) = missing {
                        let name = "nvvm.mbarrier.complete_tx";
                        b.operation(name, &[barrier, missing], &[], &[], vec![])?;
                    }
                    let pointer = b.value("llvm.addrspacecast", &[*pointer], cluster, &[])?;
                    let segments = format!(
                        "array<i32: 1, 1, {}, 1, 0, 0, {}, 0>",
                        coordinates.len(),
                        i32::from(hint.is_some())
                    );
                    let mut operands = vec![pointer, map];
                    operands.extend(coordinates);
                    operands.push(barrier);
                    operands.extend(hint);
                    b.operation(
                        "nvvm.cp.async.bulk.tensor.shared.cluster.global",
                        &operands,
                        &[],
                        &[("operandSegmentSizes", parse(b, &segments)?)],
                        vec![],
                    )?;
                }
                Ok(())
            };
        let Some(last) = &issue.last else { return load(b, issue.map, None) };
        let load_last = |b: Builder<'c>| -> Result<Vec<Val<'c>>, Failure> {
            load(&b, last.map, Some(last.missing))?;
            Ok(Vec::new())
        };
        match last.is_last {
            None => load_last(*b).map(|_| ()),
            Some(is_last) => {
                let whole = |b: Builder<'c>| {
                    load(&b, issue.map, None)?;
                    Ok(Vec::new())
                };
                b.branch(is_last, &[], load_last, Some(&whole))?;
                Ok(())
            }
        }
    }

    pub(super) fn bulk_store(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let issue = self.issue(b, operation, (1, 0), None)?;
        // The copy engine stores the granule in which a row ends as a whole.
        if issue.row_bytes % tensor_map::STRIDE_ALIGNMENT != 0 && !self.is_workspace(issue.argument)
        {
            return Err(Failure::refused(format!(
                "expected a bulk store to a matrix in rows of a multiple of {} bytes, since it writes the last {} \
                 bytes of a row together, found rows of {} bytes",
                tensor_map::STRIDE_ALIGNMENT,
                tensor_map::STRIDE_ALIGNMENT,
                issue.row_bytes
            )));
        }
        self.first_of_warpgroup(b, |b| {
            for (pointer, coordinates) in issue.parts {
                let segments = format!("array<i32: 1, 1, {}, 0, 0>", coordinates.len());
                let mut operands = vec![issue.map, pointer];
                operands.extend(coordinates);
                b.operation(
                    "nvvm.cp.async.bulk.tensor.global.shared.cta",
                    &operands,
                    &[],
                    &[("operandSegmentSizes", parse(&b, &segments)?)],
                    vec![],
                )?;
            }
            Ok(vec![])
        })
    }

    /// Whether an argument is a workspace of the kernel, whose gaps may be written: they are after those that the
    /// kernel's facts describe.
    fn is_workspace(&self, argument: usize) -> bool {
        let facts = self.get(KERNEL).and_then(|facts| DictionaryAttribute::try_from(facts).ok());
        let described = facts.and_then(|facts| {
            (0..facts.len()).find_map(|i| {
                let (key, value) = facts.element(i).ok()?;
                (key.as_string_ref().as_str() == Ok("args")).then_some(value)
            })
        });
        described.and_then(tree::elements).is_some_and(|all| argument >= all.len())
    }

    /// Pieces of elements in a row: a load, or a store of a warpgroup's first thread.
    pub(super) fn bulk_bytes(
        &self,
        b: &Builder<'c>,
        (source, target): (&Address<'c>, &Address<'c>),
        pieces: &[(i64, i64)],
    ) -> Result<(), Failure> {
        let bytes = element_bytes(source.element)?;
        let piece = |b: &Builder<'c>, first: i64, elements: i64| {
            let size = elements.checked_mul(bytes).ok_or_else(Failure::overflow)?;
            Ok::<_, Failure>((
                target.element_pointer(b, first)?,
                source.element_pointer(b, first)?,
                b.constant(b.integer(32), size)?,
            ))
        };
        if source.space == Space::Shared {
            return self.first_of_warpgroup(b, |b| {
                for &(first, elements) in pieces {
                    let (target, source, size) = piece(&b, first, elements)?;
                    b.operation(
                        "nvvm.cp.async.bulk.global.shared.cta",
                        &[target, source, size],
                        &[],
                        &[("operandSegmentSizes", parse(&b, "array<i32: 1, 1, 1, 0, 0>")?)],
                        vec![],
                    )?;
                }
                Ok(vec![])
            });
        }
        let barrier = self.counted()?;
        let cluster = melior::dialect::llvm::r#type::pointer(self.context, 7);
        for &(first, elements) in pieces {
            let (target, source, size) = piece(b, first, elements)?;
            let target = b.value("llvm.addrspacecast", &[target], cluster, &[])?;
            b.operation(
                "nvvm.cp.async.bulk.shared.cluster.global",
                &[target, source, barrier, size],
                &[],
                &[("operandSegmentSizes", parse(b, "array<i32: 1, 1, 1, 1, 0, 0>")?)],
                vec![],
            )?;
        }
        Ok(())
    }

    /// The body that the first thread of each warpgroup executes.
    fn first_of_warpgroup(
        &self,
        b: &Builder<'c>,
        act: impl FnOnce(Builder<'c>) -> Result<Vec<Val<'c>>, Failure>,
    ) -> Result<(), Failure> {
        let index = Type::index(self.context);
        let thread = warps::thread(b, self.function)?;
        let mask = b.constant(index, WARPGROUP - 1)?;
        let thread = b.binary("arith.andi", thread, mask)?;
        let first = b.equal(thread, b.constant(index, 0)?)?;
        b.branch(first, &[], act, None)?;
        Ok(())
    }

    /// Derives the map and the boxes of a copy whose operands are these, in global and in shared
    /// memory; of a copy that is shared, this block's part of each box.
    fn issue(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        (global, shared): (usize, usize),
        share: Option<&MulticastSlice<'c>>,
    ) -> Result<Issue<'c>, Failure> {
        let predicates = layout_dialect::ops::predicates(operation)?;
        let global = self.view(operand(operation, global))?.clone();
        let shared = self.view(operand(operation, shared))?.clone();
        let limits: Vec<Limit<'c>> = predicates.iter().map(|predicate| predicate.limit).collect();
        let predicates = predicates
            .iter()
            .map(|predicate| self.view(predicate.view).cloned())
            .collect::<Result<Vec<_>, _>>()?;
        let argument = coordinates(&global, &predicates)?;
        let extents = self.extents_in_map(&global, argument, &limits)?;
        let known = predicates
            .iter()
            .zip(&extents)
            .map(|(predicate, &(limit, _))| {
                let divisor = gcd(predicate.divisor(), predicate.linear_constant(0)?);
                let first = inner(&predicate.layout).at(0)?;
                let layout = inner(&predicate.layout).clone();
                Ok(Coordinates { layout, limit, divisor: gcd(divisor, first) })
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let matrix = &global.origin().layout;
        let mut transfer = tensor_map::derive(&Tile {
            global: matrix,
            coordinates: &known,
            shared: &shared.layout,
            element_bytes: element_bytes(global.element)?,
        })
        .map_err(|message| {
            Failure::Refused(message.replace(&matrix.to_string(), &global.origin().written()))
        })?;
        let i32_type = b.integer(32);
        let digits: Vec<_> = matrix.modes().iter().map(tensor_map::digits).collect();
        let mut origins = transfer
            .map
            .dimensions
            .iter()
            .map(|dimension| {
                let own = digits[dimension.mode][dimension.digit];
                if own.is_zero(known[dimension.mode].divisor) {
                    return Ok(b.constant(i32_type, 0)?);
                }
                let first = predicates[dimension.mode].offset(b, 0)?;
                narrow(b, digit(own.block, own.count).of(b, first)?)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        boxes_are_aligned(&shared, &transfer.parts)?;
        let mut pointer = shared.linear_pointer(b)?;
        if let Some(share) = share {
            let part = transfer.divide(share.blocks).map_err(Failure::Refused)?;
            for (origin, step) in origins.iter_mut().zip(part.start) {
                if step != 0 {
                    let step = b.constant(i32_type, step)?;
                    let step = b.binary("arith.muli", share.number, step)?;
                    *origin = b.binary("arith.addi", *origin, step)?;
                }
            }
            let elements = b.constant(i32_type, part.offset)?;
            let elements = b.binary("arith.muli", share.number, elements)?;
            pointer = offset_pointer(b, pointer, shared.element, Some(elements), 0)?;
        }
        let row = transfer.map.dimensions.first();
        let row_bytes = row.map_or(0, |row| row.extent.saturating_mul(row.stride));
        let at_run_time = self.map_at_run_time(&global, argument, &transfer.map, &extents)?;
        let last = match layout_dialect::ops::no_zfill(operation)? {
            Some(mode) if share.is_none() => {
                let mode = usize::try_from(mode).unwrap_or(usize::MAX);
                let of = (&transfer, known.as_slice(), limits.as_slice());
                match digits.get(mode).map(Vec::len) {
                    Some(1) => {
                        let map = (argument, at_run_time.as_slice(), shared.element);
                        self.last(b, of, (mode, &origins), map)?
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        // A load may round on arrival: the copy engine rounds to tf32.
        let map = (argument, transfer.map, at_run_time);
        let map = self.tensor_map(map, shared.element)?;
        let mut parts = Vec::with_capacity(transfer.parts.len());
        for part in &transfer.parts {
            let place = shared
                .linear_constant(0)?
                .checked_add(part.offset)
                .ok_or_else(Failure::overflow)?;
            let pointer = match place {
                0 => pointer,
                _ => offset_pointer(b, pointer, shared.element, None, place)?,
            };
            let mut coordinates = Vec::with_capacity(origins.len());
            for (&origin, &start) in origins.iter().zip(&part.start) {
                coordinates.push(match start {
                    0 => origin,
                    _ => b.binary("arith.addi", origin, b.constant(i32_type, start)?)?,
                });
            }
            parts.push((pointer, coordinates));
        }
        Ok(Issue { map, argument, row_bytes, parts, last })
    }

    /// The boxes of the last tile along a mode that tiles do not divide, without what is beyond its end.
    fn last(
        &mut self,
        b: &Builder<'c>,
        (transfer, known, limits): (&Transfer, &[Coordinates], &[Limit<'c>]),
        (mode, origins): (usize, &[Val<'c>]),
        (argument, at_run_time, element): (usize, &[[Option<String>; 3]], Type<'c>),
    ) -> Result<Option<Last<'c>>, Failure> {
        let Some(at) = transfer.rows(mode) else { return Ok(None) };
        let dimensions = &transfer.map.dimensions;
        let rows = dimensions[at].box_extent;
        if rows <= FEW_ROWS || known[mode].divisor % rows != 0 {
            return Ok(None);
        }
        let elements = dimensions.iter().map(|dimension| dimension.box_extent).product::<i64>();
        let bytes = element_bytes(element)?;
        let row_bytes = (elements / rows).checked_mul(bytes).ok_or_else(Failure::overflow)?;
        let (mut map, mut at_run_time) = (transfer.map.clone(), at_run_time.to_vec());
        let i32_type = b.integer(32);
        let constant = |value| b.constant(i32_type, value);
        let (is_last, missing) = match (limits[mode], &at_run_time[at][0]) {
            (Limit::Known(_), _) => {
                let extent = dimensions[at].extent;
                let rest = extent % rows;
                if rest == 0 || rows - rest < FEW_ROWS {
                    return Ok(None);
                }
                map.dimensions[at].box_extent = rest;
                let is_last = match extent < rows {
                    true => None,
                    false => Some(b.less(constant(extent - rest - 1)?, origins[at])?),
                };
                (is_last, constant((rows - rest) * row_bytes)?)
            }
            (Limit::At(extent), Some(name)) => {
                if self.declared_divisor(name).is_some_and(|divisor| divisor % rows == 0) {
                    return Ok(None);
                }
                at_run_time[at][2] = Some(format!("{name}-ceil_div({name},{rows})*{rows}+{rows}"));
                let left = b.binary("arith.subi", narrow(b, extent)?, origins[at])?;
                let missing = b.binary("arith.subi", constant(rows)?, left)?;
                let missing = b.binary("arith.muli", missing, constant(row_bytes)?)?;
                // Nothing is left of a tile that a cluster has beyond the last one.
                let (is_some, is_part) =
                    (b.less(constant(0)?, left)?, b.less(left, constant(rows)?)?);
                (Some(b.binary("arith.andi", is_some, is_part)?), missing)
            }
            _ => return Ok(None),
        };
        let map = self.tensor_map((argument, map, at_run_time), element)?;
        Ok(Some(Last { is_last, map, missing }))
    }

    /// For each mode of a matrix that is an argument its extent in a tensor map, which is the predicate's limit: as a number,
    /// and by its name, where it is known at run time.
    fn extents_in_map(
        &self,
        matrix: &Address<'c>,
        argument: usize,
        limits: &[Limit<'c>],
    ) -> Result<Vec<(i64, Option<String>)>, Failure> {
        let origin = matrix.origin();
        let modes = origin.layout.modes();
        let extent = |(mode, limit): (usize, &Limit<'c>)| {
            let value = match limit {
                Limit::Known(limit) => return Ok((*limit, None)),
                Limit::At(value) => *value,
            };
            let own = origin.partly.as_ref().and_then(|layout| layout.modes().get(mode).cloned());
            let own = own.and_then(|mode| match mode.shape() {
                Nested::Leaf(extent) => self.size_name(argument, extent),
                Nested::Node(_) => None,
            });
            let size = self.size(value);
            let name = size.and_then(|size| self.name_of(size.argument, size.number));
            match (own, name) {
                (Some(own), Some(name)) if own == name => {
                    Ok((modes.get(mode).map_or(1, Layout::size), Some(name)))
                }
                (own, name) => Err(Failure::refused(format!(
                    "expected the extent of mode {mode} of the matrix as the limit of a bulk copy, as sizes of \
                     layout.kernel name it, {}, found {}",
                    own.as_deref().unwrap_or("none"),
                    name.as_deref().unwrap_or("another value")
                ))),
            }
        };
        limits.iter().enumerate().map(extent).collect()
    }

    /// The fields of a map that are expressions of sizes known at run time: extents and strides in bytes of its dimensions.
    pub(super) fn map_at_run_time(
        &self,
        matrix: &Address<'c>,
        argument: usize,
        map: &TensorMap,
        extents: &[(i64, Option<String>)],
    ) -> Result<Vec<[Option<String>; 3]>, Failure> {
        let Some(layout) = &matrix.origin().partly else {
            return Ok(vec![[None, None, None]; map.dimensions.len()]);
        };
        let modes = layout.modes();
        let bytes = element_bytes(matrix.element)?;
        let stand_ins = matrix.origin().layout.modes();
        let of = |dimension: &tensor_map::Dimension| {
            let leaves = modes.get(dimension.mode).map(Layout::flat).unwrap_or_default();
            let is_known = |(extent, stride): &(Expr, Expr)| {
                extent.as_constant().is_some() && stride.as_constant().is_some()
            };
            if leaves.iter().all(is_known) {
                return Ok([None, None, None]);
            }
            let extent = extents.get(dimension.mode).and_then(|(_, name)| name.clone());
            let stand_in = stand_ins.get(dimension.mode).map(tensor_map::digits_and_leaves);
            let own = stand_in.and_then(|digits| Some(digits.get(dimension.digit)?.1));
            let (first, last) = own.unwrap_or((0, leaves.len()));
            // Leaves are one digit by the sizes that stand for unknown ones: they need be so of others.
            let is_one = first == last
                || leaves.get(first..=last).is_some_and(|own| own.iter().all(is_known));
            let has_extents =
                leaves.len() == 1 || leaves.iter().all(|leaf| leaf.0.as_constant().is_some());
            let stride = leaves.get(first).filter(|_| is_one && has_extents).map(|leaf| &leaf.1).ok_or_else(|| {
                Failure::refused(format!(
                    "expected known extents in a mode of several strides, where those are known at run time, found {layout}"
                ))
            })?;
            if stride.as_constant().is_some() {
                return Ok([extent, None, None]);
            }
            let name = self.size_name(argument, stride).ok_or_else(|| {
                Failure::refused(format!(
                    "expected strides that sizes of layout.kernel name, found {stride}"
                ))
            })?;
            Ok([extent, Some(format!("{name}*{bytes}")), None])
        };
        map.dimensions.iter().map(of).collect()
    }

    /// The name that the kernel's facts give an integer that a view's layout leaves open: the one of this number, or the one that
    /// an expression is.
    pub(super) fn name_of(&self, argument: usize, number: usize) -> Option<String> {
        let facts = DictionaryAttribute::try_from(self.get(KERNEL)?).ok()?;
        let entry = |facts: &DictionaryAttribute<'c>, name: &str| facts.element_by_name(name);
        let arguments = tree::elements(entry(&facts, "args")?)?;
        let own = DictionaryAttribute::try_from(*arguments.get(argument)?).ok()?;
        let sizes = tree::elements(entry(&own, "sizes")?)?;
        let size = DictionaryAttribute::try_from(*sizes.get(number)?).ok()?;
        tree::text(entry(&size, "value")?)
    }

    /// The divisor of a size by the kernel's facts.
    pub(super) fn declared_divisor(&self, name: &str) -> Option<i64> {
        let facts = DictionaryAttribute::try_from(self.get(KERNEL)?).ok()?;
        let sizes = tree::elements(facts.element_by_name("sizes")?)?;
        sizes.into_iter().find_map(|size| {
            let size = DictionaryAttribute::try_from(size).ok()?;
            let own = tree::text(size.element_by_name("name")?)?;
            let divisor = IntegerAttribute::try_from(size.element_by_name("divisor")?).ok()?;
            (own == name && divisor.value() > 0).then(|| divisor.value())
        })
    }

    pub(super) fn size_name(&self, argument: usize, integer: &Expr) -> Option<String> {
        // Symbols are numbered in the order of a type's integers.
        let text = integer.to_string();
        let number = text.strip_prefix('?')?.parse::<usize>().ok()?;
        self.name_of(argument, number)
    }

    /// The parameter for a map: one for equal maps.
    pub(super) fn tensor_map(
        &mut self,
        (argument, map, at_run_time): (usize, TensorMap, Vec<[Option<String>; 3]>),
        element: Type<'c>,
    ) -> Result<Val<'c>, Failure> {
        let same = |known: &&Parameter<'c>| {
            known.argument == argument
                && known.map == map
                && known.at_run_time == at_run_time
                && known.element == element
        };
        if let Some(known) = self.tensor_maps.iter().find(same) {
            return Ok(known.value);
        }
        let entry = tree::entry(self.function)
            .ok_or_else(|| Failure::refused("expected a kernel with a body"))?;
        // A function that calls another one passes on what it takes now.
        if self.function.attribute("gpu.kernel").is_err() {
            return Err(Failure::refused(format!(
                "expected a bulk tensor copy in a kernel, which takes a tensor map after its arguments, found one in @{}, a function that kernels call",
                tree::symbol(self.function).unwrap_or_default()
            )));
        }
        let pointer = melior::dialect::llvm::r#type::pointer(self.context, 0);
        // In front of the memory of blocks and threads, which is no argument.
        let signature = self.signature()?;
        let of_views = (0..entry.argument_count())
            .filter(|&i| is_value(tree::argument(entry, i).r#type()))
            .count();
        let place = signature.input_count() + of_views + self.tensor_maps.len();
        // SAFETY: the block and the type are in this context, and the block has as many arguments; the value lives
        // with the block.
        let value = unsafe {
            use melior::ir::TypeLike;
            let location = self.function.location().to_raw();
            Val::from_raw(mlirBlockInsertArgument(
                entry.to_raw(),
                isize::try_from(place).map_err(|_| Failure::overflow())?,
                pointer.to_raw(),
                location,
            ))
        };
        self.tensor_maps.push(Parameter { argument, map, at_run_time, element, value });
        Ok(value)
    }

    /// Adds the maps to the function's type, after its own arguments.
    pub(super) fn append_tensor_maps(&mut self) -> Result<(), Failure> {
        if self.tensor_maps.is_empty() {
            return Ok(());
        }
        let old = self.signature()?;
        let mut types =
            (0..old.input_count()).map(|i| old.input(i)).collect::<Result<Vec<_>, _>>()?;
        types.extend(self.tensor_maps.iter().map(|map| map.value.r#type()));
        if let Some(mut attributes) = tree::argument_attributes(self.function) {
            attributes.resize(types.len(), DictionaryAttribute::new(self.context, &[]).into());
            tree::set_argument_attributes(self.function, &attributes);
        }
        let new = FunctionType::new(self.context, &types, &[]);
        self.set("function_type", TypeAttribute::new(new.into()).into());
        self.fetch_ahead()
    }

    fn signature(&self) -> Result<FunctionType<'c>, Failure> {
        let signature = self
            .get("function_type")
            .ok_or_else(|| Failure::refused("expected a function with a type, found none"))?;
        Ok(FunctionType::try_from(TypeAttribute::try_from(signature)?.value())?)
    }

    /// Prefetches the tensor maps while barriers are initialised, so that the first copies do not wait for them.
    fn fetch_ahead(&self) -> Result<(), Failure> {
        let Some(b) = &self.first else { return Ok(()) };
        let unit = Attribute::unit(self.context);
        let of_parameter = [("tensormap", unit), ("in_param_space", unit)];
        for map in &self.tensor_maps {
            b.operation("nvvm.prefetch", &[map.value], &[], &of_parameter, vec![])?;
        }
        Ok(())
    }

    /// The facts that the runtime needs to encode the maps, in the order of the parameters.
    pub(super) fn tensor_map_facts(&self) -> Result<Option<Attribute<'c>>, Failure> {
        if self.tensor_maps.is_empty() {
            return Ok(None);
        }
        let mut text = String::new();
        for (i, map) in self.tensor_maps.iter().enumerate() {
            let list = |of: &dyn Fn(&tensor_map::Dimension) -> i64| {
                let values: Vec<String> =
                    map.map.dimensions.iter().map(|dimension| of(dimension).to_string()).collect();
                values.join(", ")
            };
            let facts = |which: usize, of: &dyn Fn(&tensor_map::Dimension) -> i64| {
                if map.at_run_time.iter().all(|own| own[which].is_none()) {
                    return format!("array<i64: {}>", list(of));
                }
                let each = map.map.dimensions.iter().zip(&map.at_run_time);
                let each = each.map(|(dimension, own)| match &own[which] {
                    Some(own) => format!("\"{own}\""),
                    None => format!("{} : i64", of(dimension)),
                });
                format!("[{}]", each.collect::<Vec<_>>().join(", "))
            };
            let _ = write!(
                text,
                "{}{{arg = {} : i64, element = \"{}\", extents = {}, \
                 strides = {}, box = {}, swizzle = {} : i64{}}}",
                if i == 0 { "" } else { ", " },
                map.argument,
                map.element,
                facts(0, &|dimension| dimension.extent),
                facts(1, &|dimension| dimension.stride),
                facts(2, &|dimension| dimension.box_extent),
                map.map.swizzle,
                map.map.im2col.map(im2col_fact).unwrap_or_default(),
            );
        }
        Ok(Some(parse(&Builder::before(self.function), &format!("[{text}]"))?))
    }
}

/// The fact of a map in im2col mode.
fn im2col_fact(Im2col { lower, upper, steps }: Im2col) -> String {
    let pair = |[width, height]: [i64; 2]| format!("array<i64: {width}, {height}>");
    format!(
        ", im2col = {{lower = {}, upper = {}, steps = {}}}",
        pair(lower),
        pair(upper),
        pair(steps)
    )
}

/// Checks that each box starts where the copy engine puts one.
pub(super) fn boxes_are_aligned(
    shared: &Address<'_>,
    parts: &[tensor_map::Part],
) -> Result<(), Failure> {
    let bytes = element_bytes(shared.element)?;
    let moved = gcd(shared.divisor(), shared.linear_constant(0)?);
    for part in parts {
        let place = gcd(moved, part.offset).checked_mul(bytes).ok_or_else(Failure::overflow)?;
        if place % tensor_map::BOX_ALIGNMENT != 0 {
            return Err(Failure::refused(format!(
                "expected boxes of a bulk copy that are aligned to {} bytes in shared memory, found an alignment of {place} bytes in {}",
                tensor_map::BOX_ALIGNMENT,
                shared.layout
            )));
        }
    }
    Ok(())
}

/// Checks that the predicates are the coordinates of a tile's elements; the argument that it is a tile
/// of.
///
/// Both came the same way from whole buffers of one shape, and what the predicate's buffer holds at a
/// coordinate is the coordinate along its mode: then it holds so at every element of the tile. A mode of
/// the matrix may be of several leaves where the predicate's is one, by ways that take coordinates apart by
/// modes only: these have no part in what is inside of a leaf.
fn coordinates(tile: &Address<'_>, predicates: &[Address<'_>]) -> Result<usize, Failure> {
    let origin = tile.origin();
    let argument = origin
        .argument
        .ok_or_else(|| Failure::refused("expected a bulk copy of a tile of a kernel's argument"))?;
    let modes = origin.layout.modes();
    if predicates.len() != origin.layout.rank() {
        return Err(Failure::refused(format!(
            "expected a bulk copy with a predicate for each of the {} modes of {}, found {}",
            origin.layout.rank(),
            origin.written(),
            predicates.len()
        )));
    }
    for (mode, predicate) in predicates.iter().enumerate() {
        let found = predicate.origin();
        let along = found.layout.modes();
        // The coordinate of one extent each is the index, whatever they are at run time.
        let at_run_time = origin.partly.is_some() || found.partly.is_some();
        let coarser = |(own, along): (&Layout, &Layout)| {
            own.shape() == along.shape()
                || (along.is_leaf() && along.size() == own.size())
                || (at_run_time && own.is_leaf() && along.is_leaf())
        };
        let mut counts = found.layout.shape() == origin.layout.shape()
            || (along.len() == modes.len()
                && modes.iter().zip(&along).all(coarser)
                && origin
                    .steps
                    .iter()
                    .all(|step| BY_MODES.iter().any(|way| step.starts_with(way))));
        for (i, along) in found.layout.modes().iter().enumerate() {
            let flat = along.coalesce()?.flat();
            counts &= match flat.as_slice() {
                _ if along.size() == 1 => true,
                &[(_, stride)] => stride == i64::from(i == mode),
                _ => false,
            };
        }
        if !counts || found.steps != origin.steps {
            return Err(Failure::refused(format!(
                "expected predicate {mode} of a bulk copy to be the coordinate along mode {mode} of the matrix {}, partitioned alike, found a slice of {}",
                origin.written(),
                found.written()
            )));
        }
    }
    Ok(argument)
}

/// The operations that take a view apart by its modes, whatever is inside of them.
const BY_MODES: [&str; 4] =
    ["layout.zipped_divide", "layout.composition", "layout.slice", "layout.select"];

/// A coordinate as the 32-bit integer that the copy engine takes.
fn narrow<'c>(b: &Builder<'c>, value: Val<'c>) -> Result<Val<'c>, Failure> {
    let i32_type = b.integer(32);
    if value.r#type() == b.integer(64) {
        return Ok(b.value("arith.trunci", &[value], i32_type, &[])?);
    }
    cast(b, value, i32_type)
}
