//! Copies: each atom's instruction, once for every run of elements it moves.
//!
//! Instruction `j` of an atom of `V` values moves elements `j*V .. (j+1)*V`, in one-dimensional
//! order, of the source to the same elements of the target. Predicates say which elements exist: what
//! a predicate cuts off becomes zero in shared memory and registers, and is not written to others.

use super::{
    Address, Failure, Lowering, Target,
    address::{cast, inner},
    convert::Conversions,
    function,
    memory::{element_bytes, load, load_hinted, store, written_out},
    packed::{self, moved},
    registers::{fields, structure},
};
use layout_algebra::AnyLayout;
use layout_dialect::{
    Space,
    atoms::{Atom, CopyKind},
    build::{Builder, Val, first_result, operand},
    ops::Limit,
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type,
    attribute::{FloatAttribute, IntegerAttribute},
};

/// A copy's operands, bound.
struct Copy<'a, 'c> {
    atom: &'static Atom,
    source: &'a Address<'c>,
    target: &'a Address<'c>,
    predicates: Vec<Predicate<'a, 'c>>,
    conversions: Conversions,
    /// Whether lines of the source leave the caches first.
    evict_first: bool,
}

/// A predicate of a copy, bound.
struct Predicate<'a, 'c> {
    view: &'a Address<'c>,
    limit: Limit<'c>,
    /// The divisor of the limit.
    divisor: i64,
}

impl<'c> Lowering<'c> {
    /// The parameter that a value is, where it is a size of one of the function's views.
    pub(super) fn size(&self, mut value: Val<'c>) -> Option<function::Size> {
        loop {
            if let Some(size) = self.sizes.get(&tree::key(value)) {
                return Some(*size);
            }
            let cast = tree::definition(value)?;
            match tree::name(cast).as_str() {
                "arith.index_cast" | "arith.extsi" | "arith.trunci" => value = operand(cast, 0),
                _ => return None,
            }
        }
    }

    pub(super) fn copy(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let atom = layout_dialect::ops::atom(operation)?;
        let kind = atom.copy_kind().ok_or_else(|| {
            Failure::refused(format!("expected a copy atom, found {}", atom.name))
        })?;
        match (kind, self.target) {
            (CopyKind::BulkTensor, Target::Device) => return self.bulk_load(b, operation),
            (CopyKind::BulkTensorStore, Target::Device) => return self.bulk_store(b, operation),
            _ => {}
        }
        self.before_writing(b, operand(operation, 1))?;
        let predicates = layout_dialect::ops::predicates(operation)?.into_iter().map(|predicate| {
            let divisor = match predicate.limit {
                Limit::Known(limit) => limit,
                Limit::At(limit) => self.size(limit).map_or(1, |size| size.divisor),
            };
            Ok(Predicate { view: self.view(predicate.view)?, limit: predicate.limit, divisor })
        });
        let predicates = predicates.collect::<Result<Vec<_>, Failure>>()?;
        let copy = Copy {
            atom,
            source: self.view(operand(operation, 0))?,
            target: self.view(operand(operation, 1))?,
            predicates,
            conversions: self.conversions,
            evict_first: layout_dialect::ops::evicts_first(operation),
        };
        written_out("elements", &[copy.target.size()])?;
        let run = copy.run()?;
        if self.target == Target::Device && matches!(kind, CopyKind::Bulk | CopyKind::BulkStore) {
            let pieces = copy.pieces(run)?;
            return self.bulk_bytes(b, (copy.source, copy.target), &pieces);
        }
        if self.target == Target::Host && kind != CopyKind::Simt {
            return Err(Failure::refused(format!(
                "expected simt copies on the host, found {}: run layout-serialize first",
                atom.name
            )));
        }
        for first in (0..copy.target.size()).step_by(usize::try_from(run).unwrap_or(1)) {
            match kind {
                CopyKind::Simt => copy.simt(b, first, run)?,
                CopyKind::CpAsync => copy.cp_async(b, first, run)?,
                CopyKind::Ldmatrix { transposed } => copy.ldmatrix(b, first, run, transposed)?,
                CopyKind::Stmatrix { transposed } => copy.stmatrix(b, first, run, transposed)?,
                // Lowered above, as a whole.
                CopyKind::BulkTensor
                | CopyKind::BulkTensorStore
                | CopyKind::Bulk
                | CopyKind::BulkStore => {}
            }
        }
        Ok(())
    }
}

impl<'c> Copy<'_, 'c> {
    /// Elements an instruction moves, after checking that both sides allow it.
    fn run(&self) -> Result<i64, Failure> {
        let bits = element_bits(self.source.element)?;
        let run = self.atom.elements_of_bits(bits).ok_or_else(|| {
            Failure::refused(format!(
                "expected elements that {} can move, found {} of {bits} bits",
                self.atom.name, self.source.element
            ))
        })?;
        let size = self.target.size();
        if self.source.size() != size || size % run != 0 {
            return Err(Failure::refused(format!(
                "expected source and target of the same size, a multiple of {run} for {}, found {} \
                 and {size} elements",
                self.atom.name,
                self.source.size()
            )));
        }
        for (side, view) in [("source", self.source), ("target", self.target)] {
            for first in (0..size).step_by(usize::try_from(run).unwrap_or(1)) {
                if self.needs_run(view) {
                    self.in_row(view, side, first, run)?;
                }
            }
        }
        for predicate in &self.predicates {
            self.check_predicate(predicate, run)?;
        }
        Ok(run)
    }

    /// The most elements at once that are in a row on both sides: where each piece begins, and how many it
    /// has. Under a swizzle a run of the atom is in a row, and what follows it need not be.
    fn pieces(&self, run: i64) -> Result<Vec<(i64, i64)>, Failure> {
        let plain = |view: &Address<'c>| matches!(view.layout, AnyLayout::Plain(_));
        let joins = plain(self.source) && plain(self.target);
        let mut pieces: Vec<(i64, i64)> = Vec::new();
        for at in (0..self.target.size()).step_by(usize::try_from(run).unwrap_or(1)) {
            let mut follows = joins && !pieces.is_empty();
            if let Some((first, size)) = pieces.last() {
                for view in [self.source, self.target] {
                    let layout = inner(&view.layout);
                    follows &= layout.at(at)? == layout.at(*first)? + size;
                }
            }
            match pieces.last_mut() {
                Some((_, size)) if follows => *size += run,
                _ => pieces.push((at, run)),
            }
        }
        Ok(pieces)
    }

    /// The register side of a collective copy has its values in any order of registers, and that of an ordinary copy in
    /// those that [`Self::write`] knows; all else moves whole runs.
    fn needs_run(&self, view: &Address<'c>) -> bool {
        let kind = self.atom.copy_kind();
        let collective =
            matches!(kind, Some(CopyKind::Ldmatrix { .. } | CopyKind::Stmatrix { .. }));
        let free = collective || self.atom.copy_kind() == Some(CopyKind::Simt);
        !(free && view.space == Space::Register)
    }

    /// A predicate is evaluated once for a whole run, so it must have one value for all of it: the predicate's
    /// coordinate is constant in a run, or counts up in step with runs that the limit ends on.
    fn check_predicate(
        &self,
        Predicate { view: predicate, limit, divisor }: &Predicate<'_, 'c>,
        run: i64,
    ) -> Result<(), Failure> {
        let layout = inner(&predicate.layout);
        for first in (0..self.target.size()).step_by(usize::try_from(run).unwrap_or(1)) {
            let base = layout.at(first)?;
            let mut constant = true;
            for step in 1..run {
                constant &= layout.at(first + step)? == base;
            }
            let in_step = predicate.is_aligned_run(first, run)? && divisor % run == 0;
            if !constant && !in_step {
                let (limit, hint) = match limit {
                    Limit::Known(limit) => (limit.to_string(), String::new()),
                    Limit::At(_) => (
                        format!("a multiple of {divisor}"),
                        format!(
                            "; the size of a mode ?{{div={run}}}, as layout.size gives it in the same function, is a \
                             multiple of {run}"
                        ),
                    ),
                };
                return Err(Failure::refused(format!(
                    "expected a predicate that is the same for each {run} elements of {}, found {} \
                     below {limit}{hint}",
                    self.atom.name, layout,
                )));
            }
        }
        Ok(())
    }

    /// Whether the run that starts at `first` exists, or `None` if that is known.
    fn exists(&self, b: &Builder<'c>, first: i64) -> Result<Option<Val<'c>>, Failure> {
        let mut all: Option<Val<'c>> = None;
        for Predicate { view: predicate, limit, .. } in &self.predicates {
            let coordinate = predicate.offset(b, first)?;
            let limit = match *limit {
                Limit::Known(limit) => b.constant(predicate.offset_type(), limit)?,
                Limit::At(limit) => cast(b, limit, predicate.offset_type())?,
            };
            let below = b.less(coordinate, limit)?;
            all = Some(match all {
                None => below,
                Some(all) => b.binary("arith.andi", all, below)?,
            });
        }
        Ok(all)
    }

    fn simt(&self, b: &Builder<'c>, first: i64, run: i64) -> Result<(), Failure> {
        let exists = self.exists(b, first)?;
        let writes_zero = matches!(self.target.space, Space::Shared | Space::Register);
        match exists {
            None => {
                let value = self.read(b, first, run)?;
                self.write(b, first, run, value)
            }
            Some(exists) if writes_zero => {
                let (unit, count) = moved(b, self.target.element, run)?;
                let r#type = vector(unit, count);
                let read = |b: Builder<'c>| Ok::<_, Failure>(vec![self.read(&b, first, run)?]);
                let zero = |b: Builder<'c>| Ok::<_, Failure>(vec![zero(&b, unit, count)?]);
                let value = first_result(b.branch(exists, &[r#type], read, Some(&zero))?);
                self.write(b, first, run, value)
            }
            Some(exists) => {
                let copy = |b: Builder<'c>| {
                    let value = self.read(&b, first, run)?;
                    self.write(&b, first, run, value)?;
                    Ok::<_, Failure>(vec![])
                };
                b.branch(exists, &[], copy, None)?;
                Ok(())
            }
        }
    }

    /// Reads a run and converts it to the target's element type.
    fn read(&self, b: &Builder<'c>, first: i64, run: i64) -> Result<Val<'c>, Failure> {
        let source = self.source.element;
        let value = match packed::per_byte(source) {
            Some(per) if run == 1 => self.source.load_packed(b, first, per)?,
            // Registers hold a run in any order.
            None if self.source.space == Space::Register
                && !self.source.is_aligned_run(first, run)? =>
            {
                let aligned = alignment(self.source, source, 1)?;
                let element = |at: i64| {
                    let pointer = self.source.element_pointer(b, first + at)?;
                    load_hinted(b, pointer, source, aligned, false)
                };
                let elements = (0..run).map(element).collect::<Result<Vec<_>, _>>()?;
                b.value("vector.from_elements", &elements, vector(source, run), &[])?
            }
            _ => {
                self.in_row(self.source, "source", first, run)?;
                let (unit, count) = moved(b, source, run)?;
                let pointer = self.source.element_pointer(b, first)?;
                let aligned = alignment(self.source, source, run)?;
                load_hinted(b, pointer, vector(unit, count), aligned, self.evict_first)?
            }
        };
        self.conversions.converted(b, value, (source, self.target.element), run)
    }

    fn write(&self, b: &Builder<'c>, first: i64, run: i64, value: Val<'c>) -> Result<(), Failure> {
        let element = self.target.element;
        let aligned = alignment(self.target, element, run)?;
        if let Some(per) = packed::per_byte(element).filter(|_| run == 1) {
            return self.target.store_packed(b, value, first, per);
        }
        if !self.target.is_aligned_run(first, run)? {
            let places = self.target.register_places(first, run)?;
            let places = places.filter(|_| packed::per_byte(element).is_none());
            let Some(places) = places else {
                return self.in_row(self.target, "target", first, run);
            };
            // A register at a time, which LLVM finds again in what was converted.
            let each = (REGISTER_BYTES / element_bytes(element)?).max(1);
            let in_register = |&(one, _): &(i64, i64), &(other, _): &(i64, i64)| {
                one.div_euclid(each) == other.div_euclid(each) && one + 1 == other
            };
            for row in places.chunk_by(in_register) {
                let texts: Vec<String> =
                    row.iter().map(|(_, element)| element.to_string()).collect();
                let held = i64::try_from(row.len()).unwrap_or(1);
                let mask = parse(b, &format!("array<i64: {}>", texts.join(", ")))?;
                let r#type = Type::vector(&[row.len() as u64], element);
                let part = b.value("vector.shuffle", &[value, value], r#type, &[("mask", mask)])?;
                let lowest = row.first().map_or(0, |(_, element)| *element);
                let pointer = self.target.element_pointer(b, first + lowest)?;
                store(b, part, pointer, alignment(self.target, element, held)?)?;
            }
            return Ok(());
        }
        let pointer = self.target.element_pointer(b, first)?;
        store(b, value, pointer, aligned)
    }

    /// Refuses a run that is not in a row.
    fn in_row(&self, view: &Address<'c>, side: &str, first: i64, run: i64) -> Result<(), Failure> {
        if view.is_aligned_run(first, run)? {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "expected elements {first}..{} of the {side} to be contiguous from a multiple of {run} for {}, found {:?} \
             where run-time offsets are known to be multiples of {}",
            first + run,
            self.atom.name,
            view.layout.to_string(),
            view.divisor()
        )))
    }

    /// The instruction reads `size` bytes and writes zeros for the rest of its width.
    fn cp_async(&self, b: &Builder<'c>, first: i64, run: i64) -> Result<(), Failure> {
        let bytes = run * element_bits(self.source.element)? / 8;
        let mut operands =
            vec![self.target.element_pointer(b, first)?, self.source.element_pointer(b, first)?];
        if let Some(exists) = self.exists(b, first)? {
            let i32_type = b.integer(32);
            let (all, none) = (b.constant(i32_type, bytes)?, b.constant(i32_type, 0)?);
            operands.push(b.value("arith.select", &[exists, all, none], i32_type, &[])?);
        }
        // 16-byte copies bypass the first-level cache: a tile is read once by a block.
        let modifier = if bytes == 16 { "cg" } else { "ca" };
        let modifier = parse(b, &format!("#nvvm<load_cache_modifier {modifier}>"))?;
        let size = IntegerAttribute::new(b.integer(32), bytes).into();
        b.operation(
            "nvvm.cp.async.shared.global",
            &operands,
            &[],
            &[("modifier", modifier), ("size", size)],
            vec![],
        )?;
        Ok(())
    }

    fn ldmatrix(
        &self,
        b: &Builder<'c>,
        first: i64,
        run: i64,
        transposed: bool,
    ) -> Result<(), Failure> {
        self.no_predicates()?;
        let held = self.register_values()?;
        let registers = run / held;
        let pointer = self.source.element_pointer(b, first)?;
        let order = if transposed { "col" } else { "row" };
        let attributes = [
            ("num", IntegerAttribute::new(b.integer(32), registers).into()),
            ("layout", parse(b, &format!("#nvvm.mma_layout<{order}>"))?),
            ("shape", parse(b, "#nvvm.ld_st_matrix_shape<m = 8, n = 8>")?),
            ("eltType", parse(b, "#nvvm.ld_st_matrix_elt_type<b16>")?),
        ];
        let i32_type = b.integer(32);
        let count = usize::try_from(registers).unwrap_or_default();
        let all = structure(b, i32_type, count);
        let loaded = b.value("nvvm.ldmatrix", &[pointer], all, &attributes)?;
        for (register, value) in (0..).zip(fields(b, loaded, i32_type, count)?) {
            let at = first + register * held;
            self.in_register(self.target, "target", at, held)?;
            store(b, value, self.target.element_pointer(b, at)?, Some(4))?;
        }
        Ok(())
    }

    fn stmatrix(
        &self,
        b: &Builder<'c>,
        first: i64,
        run: i64,
        transposed: bool,
    ) -> Result<(), Failure> {
        self.no_predicates()?;
        let held = self.register_values()?;
        let mut operands = vec![self.target.element_pointer(b, first)?];
        for at in (first..first + run).step_by(usize::try_from(held).unwrap_or(1)) {
            self.in_register(self.source, "source", at, held)?;
            let pointer = self.source.element_pointer(b, at)?;
            operands.push(load(b, pointer, b.integer(32), Some(4))?);
        }
        let order = if transposed { "col" } else { "row" };
        let attributes = [
            ("layout", parse(b, &format!("#nvvm.mma_layout<{order}>"))?),
            ("shape", parse(b, "#nvvm.ld_st_matrix_shape<m = 8, n = 8>")?),
            ("eltType", parse(b, "#nvvm.ld_st_matrix_elt_type<b16>")?),
        ];
        b.operation("nvvm.stmatrix", &operands, &[], &attributes, vec![])?;
        Ok(())
    }

    /// Collective copies between shared memory and registers move all that they name.
    fn no_predicates(&self) -> Result<(), Failure> {
        if self.predicates.is_empty() {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "expected no predicates on {}, which stays in shared memory, found {}",
            self.atom.name,
            self.predicates.len()
        )))
    }

    /// Values of a register of 32 bits.
    fn register_values(&self) -> Result<i64, Failure> {
        Ok((REGISTER_BYTES / element_bytes(self.source.element)?).max(1))
    }

    /// A register holds its values in a row.
    fn in_register(
        &self,
        view: &Address<'c>,
        side: &str,
        at: i64,
        held: i64,
    ) -> Result<(), Failure> {
        if view.is_aligned_run(at, held)? {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "expected {held} values in a row in the {side} of {}, found {}",
            self.atom.name, view.layout
        )))
    }
}

/// Bytes of a register.
const REGISTER_BYTES: i64 = 4;

/// The alignment of a run, where it is proved: registers are not memory, and need none.
fn alignment(view: &Address<'_>, element: Type<'_>, run: i64) -> Result<Option<i64>, Failure> {
    let Some(per) = packed::per_byte(element) else {
        let bytes = element_bytes(element)?;
        return Ok(Some(if view.space == Space::Register { bytes } else { run * bytes }));
    };
    Ok(Some(if view.space == Space::Register { 1 } else { (run / per).max(1) }))
}

/// Bits of one element.
pub(super) fn element_bits(element: Type<'_>) -> Result<i64, Failure> {
    match packed::per_byte(element) {
        Some(per) => Ok(8 / per),
        None => Ok(8 * element_bytes(element)?),
    }
}

pub(super) fn vector(element: Type<'_>, run: i64) -> Type<'_> {
    match u64::try_from(run) {
        Ok(run) if run > 1 => Type::vector(&[run], element),
        _ => element,
    }
}

pub(super) fn zero<'c>(b: &Builder<'c>, element: Type<'c>, run: i64) -> Result<Val<'c>, Failure> {
    let scalar = if element.to_string().starts_with('i') {
        b.constant(element, 0)?
    } else {
        let value = FloatAttribute::new(b.context(), element, 0.0).into();
        b.value("arith.constant", &[], element, &[("value", value)])?
    };
    if run == 1 {
        return Ok(scalar);
    }
    Ok(b.value("vector.broadcast", &[scalar], vector(element, run), &[])?)
}

pub(super) fn parse<'c>(b: &Builder<'c>, text: &str) -> Result<Attribute<'c>, Failure> {
    Attribute::parse(b.context(), text)
        .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()).into())
}
