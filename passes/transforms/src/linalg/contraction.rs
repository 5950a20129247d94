//! Reads a structured operation as a contraction: which loops are M, N, K and the batch; checks that its body is a
//! multiply-add.
//!
//! Knows nothing of layouts and of what is around the operation.

use super::{Reason, located::memref_of_part, prologue};
use layout_dialect::{
    affine::{IndexingMap, indexing_maps},
    atoms,
    buffers::Buffer,
    build::{Val, first_result, operand},
    ops, tree,
};
use melior::ir::{
    BlockLike, BlockRef, OperationRef, Type, TypeLike, ValueLike, operation::OperationLike,
};
use mlir_sys::{
    mlirAttributeGetNull, mlirMemRefTypeContiguousGet, mlirRankedTensorTypeGetEncoding,
    mlirShapedTypeGetDimSize, mlirShapedTypeGetElementType, mlirShapedTypeGetRank,
    mlirTypeIsARankedTensor,
};
use std::cmp::Reverse;

/// Types of A and B, and of C, that `layout.matmul` takes and computes as `linalg` does, or with longer accumulators. Hopper's
/// warpgroups accumulate 8-bit floats with fewer bits than f32 has, and so in two levels ([`accumulates_narrowly`]).
const TYPES: &[(&str, &[&str])] = &[
    ("f16", &["f16", "f32"]),
    ("bf16", &["bf16", "f32"]),
    ("f32", &["f32"]),
    ("f64", &["f64"]),
    ("i8", &["i32"]),
    ("f8E4M3FN", &["f32"]),
    ("f8E5M2", &["f32"]),
];

/// Whether a chip's tensor cores multiply elements of a type; without them, f32 and f64 are multiplied one by one.
pub(crate) fn has_atom(of: &str, chip: &str) -> bool {
    !of.starts_with("f8") || atoms::for_warp(of).is_some_and(|atom| atom.runs_on(chip))
}

/// Whether a chip's warpgroups accumulate products of a type with fewer bits than f32 has.
pub(crate) fn accumulates_narrowly(of: &str, chip: &str) -> bool {
    /// A width that every type has.
    const COLUMNS: i64 = 64;
    atoms::for_warpgroup(of, COLUMNS).is_some_and(|atom| {
        atom.runs_on(chip) && atom.mma().is_some_and(|mma| mma.narrow_accumulator)
    })
}

/// `c(m,n) += sum over k of a(m,k) * b(k,n)`, over any dimensions.
#[derive(Clone)]
pub(crate) struct Contraction<'c> {
    pub(crate) operation: OperationRef<'c, 'c>,
    /// A, B and C.
    pub(crate) operands: [Val<'c>; 3],
    pub(crate) maps: [IndexingMap; 3],
    /// The loops of each kind, the innermost first.
    pub(crate) dimensions: Dimensions,
}

/// The loops of M, N, K and the batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dimensions {
    pub(crate) m: Vec<usize>,
    pub(crate) n: Vec<usize>,
    pub(crate) k: Vec<usize>,
    pub(crate) batch: Vec<usize>,
}

/// Whether an operation has the form of a contraction: of `linalg`, with a body, of two operands that are read and one that
/// is written, and a loop that the last does not have.
pub(crate) fn may_be_one(operation: OperationRef<'_, '_>) -> bool {
    if !tree::name(operation).starts_with("linalg.") || operation.operand_count() != 3 {
        return false;
    }
    let Some(maps) = indexing_maps(operation) else { return false };
    let [_, _, c] = maps.as_slice() else { return false };
    let Some(body) = tree::entry(operation) else { return false };
    body.argument_count() == 3 && (0..c.dimensions).any(|d| !occurs(c, d))
}

fn occurs(map: &IndexingMap, dimension: usize) -> bool {
    map.results.iter().any(|result| result.terms.iter().any(|&(d, _)| d == dimension))
}

impl<'c> Contraction<'c> {
    pub(crate) fn read(operation: OperationRef<'c, 'c>) -> Result<Self, Reason> {
        let mut around = tree::ancestors(operation).map(tree::name);
        if let Some(found) = around.find(|name| name.starts_with("gpu.")) {
            return Err(format!("expected an operation on the host, found it in {found}"));
        }
        let maps = indexing_maps(operation).ok_or("expected indexing maps, found none")?;
        let maps: [IndexingMap; 3] =
            maps.try_into().map_err(|_| "expected two operands and one result".to_owned())?;
        let body = tree::entry(operation).ok_or("expected a body, found none")?;
        let operands = [0, 1, 2].map(|i| operand(operation, i));
        let elements = elements(&operands)?;
        check_multiply_add(body, &elements)?;
        let dimensions = dimensions(&maps)?;
        if elements[0] != elements[1] {
            prologue::is_taken(&operands, &maps, &dimensions)?;
        }
        let is_tensor = operation.result_count() == 1;
        if is_tensor && is_depthwise(&maps, &dimensions) {
            return Err("expected a window that several channels of the result read, found a depthwise convolution".to_owned());
        }
        Ok(Self { operation, operands, maps, dimensions })
    }

    /// The element type that is multiplied: that of A and B, or of the one to whose type the other one is converted.
    pub(crate) fn multiplied_element(&self) -> Result<String, Reason> {
        let [a, b] =
            [self.operands[0], self.operands[1]].map(|of| element(of).map(|of| of.to_string()));
        let (a, b) = (a?, b?);
        Ok(ops::multiplied_type(&a, &b).unwrap_or(&a).to_owned())
    }

    /// Checks that a chip multiplies its elements.
    pub(crate) fn is_on(&self, chip: &str) -> Result<(), Reason> {
        let of = self.multiplied_element()?;
        match has_atom(&of, chip) {
            true => Ok(()),
            false => Err(format!("expected elements that {chip} has an MMA for, found {of}")),
        }
    }

    /// The same with outer loops of M, or of N, as those of a batch, the fewest first.
    pub(crate) fn with_batches(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for count in 1..self.dimensions.m.len().max(self.dimensions.n.len()) {
            for is_m in [true, false] {
                let mut own = self.clone();
                let Dimensions { m, n, batch, .. } = &mut own.dimensions;
                let loops = if is_m { m } else { n };
                if count < loops.len() {
                    batch.extend(loops.split_off(loops.len() - count));
                    all.push(own);
                }
            }
        }
        all
    }

    /// The value that is written: the operation's result, or the memref C.
    pub(crate) fn result(&self) -> Val<'c> {
        match self.operation.result_count() {
            0 => self.operands[2],
            _ => first_result(self.operation),
        }
    }

    /// The type of C's elements.
    pub(crate) fn result_element(&self) -> Result<Type<'c>, Reason> {
        element(self.operands[2])
    }
}

/// The type of a memref's or tensor's elements.
pub(crate) fn element<'c>(value: Val<'c>) -> Result<Type<'c>, Reason> {
    Ok(buffer(value)?.element_type())
}

/// A memref, or the one that a tensor lies in, which may be a part of another.
pub(crate) fn buffer<'c>(value: Val<'c>) -> Result<Buffer<'c>, Reason> {
    let of = |r#type| Buffer::of(r#type).map_err(|violation| violation.to_string());
    let memref = match of(value.r#type())? {
        None => memref_of_part(value).map_or(Ok(None), of)?,
        found => found,
    };
    memref.ok_or_else(|| {
        format!("expected operands in memrefs or tensors with a rank, found {}", value.r#type())
    })
}

/// The memref that a tensor lies in, its last dimension fastest.
pub(crate) fn memref_of(tensor: Type<'_>) -> Option<Type<'_>> {
    let raw = tensor.to_raw();
    // SAFETY: the type is valid, and a tensor with a rank where more of it is read; no memory space is null.
    unsafe {
        if !mlirTypeIsARankedTensor(raw) || !mlirRankedTensorTypeGetEncoding(raw).ptr.is_null() {
            return None;
        }
        let rank = mlirShapedTypeGetRank(raw);
        let shape: Vec<i64> =
            (0..rank).map(|i| mlirShapedTypeGetDimSize(raw, i as isize)).collect();
        Some(Type::from_raw(mlirMemRefTypeContiguousGet(
            mlirShapedTypeGetElementType(raw),
            shape.len() as isize,
            shape.as_ptr(),
            mlirAttributeGetNull(),
        )))
    }
}

fn elements(operands: &[Val<'_>; 3]) -> Result<[String; 3], Reason> {
    let [a, b, c] = operands.map(|operand| element(operand).map(|found| found.to_string()));
    let (a, b, c) = (a?, b?, c?);
    let multiplied = ops::multiplied_type(&a, &b);
    let results = TYPES.iter().find(|(of, _)| Some(*of) == multiplied).map(|(_, results)| *results);
    match results {
        Some(results) if results.contains(&c.as_str()) => Ok([a, b, c]),
        _ => Err(format!(
            "expected A and B of one element type that matmuls take, and C of that type or of the accumulators', found {a}, {b} and {c}"
        )),
    }
}

/// Checks that a body yields `c + a * b`, each factor converted to the sum's type or not.
fn check_multiply_add(body: BlockRef<'_, '_>, elements: &[String; 3]) -> Result<(), Reason> {
    let widen: &[&str] = match () {
        () if elements[2].starts_with('i') => &["arith.extsi"],
        () if elements[0] == elements[1] => &["arith.extf"],
        () => &["arith.extf", "arith.sitofp"],
    };
    let factors = multiplied(body, &elements[2])?.map(|factor| match tree::definition(factor) {
        Some(made) if widen.contains(&tree::name(made).as_str()) => operand(made, 0),
        _ => factor,
    });
    let arguments = [tree::argument(body, 0), tree::argument(body, 1)];
    if factors != arguments && factors != [arguments[1], arguments[0]] {
        return Err(not_multiply_add("a product of other values"));
    }
    Ok(())
}

/// The factors of a body that yields `c + x * y`, both computed in the type of C.
pub(crate) fn multiplied<'c>(body: BlockRef<'c, 'c>, of: &str) -> Result<[Val<'c>; 2], Reason> {
    let refused = not_multiply_add;
    let all = tree::operations(body);
    let end = all.last().copied().ok_or_else(|| refused("none"))?;
    if end.operand_count() != 1 {
        return Err(refused("several results"));
    }
    let (add, multiply) = match of.starts_with('i') {
        true => ("arith.addi", "arith.muli"),
        false => ("arith.addf", "arith.mulf"),
    };
    let sum = made_by(operand(end, 0), add).map_err(|found| refused(&found))?;
    let (left, right) = (operand(sum, 0), operand(sum, 1));
    let old = tree::argument(body, body.argument_count().saturating_sub(1));
    let product = match () {
        () if left == old => right,
        () if right == old => left,
        () => return Err(refused("a sum without the result")),
    };
    let product = made_by(product, multiply).map_err(|found| refused(&found))?;
    // Products of factors that are widened after would be rounded in between.
    let computed = first_result(product).r#type().to_string();
    if computed != of {
        return Err(refused(&format!("products of {computed} in sums of {of}")));
    }
    Ok([0, 1].map(|i| operand(product, i)))
}

fn not_multiply_add(found: &str) -> Reason {
    format!("expected a multiply-add as the body, found {found}")
}

/// Whether an operation multiplies its first two operands as matrices of more than one row and column, whatever their types, its body and
/// its other operands.
pub(crate) fn is_product(operation: OperationRef<'_, '_>) -> bool {
    let maps = indexing_maps(operation).unwrap_or_default();
    let [a, b, .., c] = maps.as_slice() else { return false };
    let dimensions = dimensions(&[a, b, c].map(IndexingMap::clone));
    dimensions.is_ok_and(|own| ![own.m, own.n].iter().any(Vec::is_empty)) && multiplies(operation)
}

/// Whether an operation's body multiplies.
pub(crate) fn multiplies(operation: OperationRef<'_, '_>) -> bool {
    let mut all = tree::all(operation).into_iter();
    all.any(|step| ["arith.mulf", "arith.muli"].contains(&tree::name(step).as_str()))
}

/// The operation of this name that computes a value, or what does instead.
fn made_by<'c>(value: Val<'c>, name: &str) -> Result<OperationRef<'c, 'c>, String> {
    match tree::definition(value) {
        Some(made) if tree::name(made) == name => Ok(made),
        Some(made) => Err(tree::name(made)),
        None => Err("an argument".to_owned()),
    }
}

/// Whether a convolution reads each window for one channel of the result: a tile would have one column. On tensors, a kernel of rows
/// computes it.
fn is_depthwise(maps: &[IndexingMap; 3], dimensions: &Dimensions) -> bool {
    let has_windows = |map: &IndexingMap| map.results.iter().any(|result| result.terms.len() > 1);
    (dimensions.n.is_empty() && has_windows(&maps[0]))
        || (dimensions.m.is_empty() && has_windows(&maps[1]))
}

/// The loops of M, N, K and the batch, the fastest in memory first.
pub(crate) fn dimensions([a, b, c]: &[IndexingMap; 3]) -> Result<Dimensions, Reason> {
    let mut dimensions = Dimensions::default();
    let mut seen = vec![false; c.dimensions];
    for result in &c.results {
        let found = result.dimension().filter(|&d| !std::mem::replace(&mut seen[d], true));
        if found.is_none() {
            let expected = "expected a result whose coordinates are loops, each once";
            return Err(format!("{expected}, found a sum or a loop that occurs twice"));
        }
    }
    for d in (0..c.dimensions).rev() {
        match (occurs(a, d), occurs(b, d), occurs(c, d)) {
            (true, true, true) => dimensions.batch.push(d),
            (true, false, true) => dimensions.m.push(d),
            (false, true, true) => dimensions.n.push(d),
            (true, true, false) => dimensions.k.push(d),
            (in_a, in_b, in_c) => {
                let of = [(in_a, "A"), (in_b, "B"), (in_c, "C")];
                let of: Vec<&str> = of.iter().filter(|(is, _)| *is).map(|(_, of)| *of).collect();
                let found = if of.is_empty() { "no operand".to_owned() } else { of.join(", ") };
                return Err(format!(
                    "expected each loop in two operands or in all three, found loop {d} in {found} alone"
                ));
            }
        }
    }
    if dimensions.k.is_empty() {
        return Err(
            "expected a reduction loop, over dimensions of A and B and none of C, found none"
                .to_owned(),
        );
    }
    // Loops that are one in memory follow each other, in whatever order an operation has them: the last coordinate is the fastest.
    let place = |map: &IndexingMap, d: usize| {
        map.results.iter().position(|result| result.terms.iter().any(|&(own, _)| own == d))
    };
    let Dimensions { m, n, k, batch } = &mut dimensions;
    for loops in [m, n, batch] {
        loops.sort_by_key(|&d| Reverse(place(c, d)));
    }
    k.sort_by_key(|&d| Reverse(place(a, d)));
    Ok(dimensions)
}
