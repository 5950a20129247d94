//! Writes `memref.expand_shape` with several open extents in one group as `memref.reinterpret_cast`.
//!
//! Upstream's `expand-strided-metadata` computes one open extent of a group from the others, and reads memory that is not there where
//! another is open, too.

use crate::programs::memory::groups;
use layout_dialect::{
    buffers::Buffer,
    build::{Builder, operand, result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, ValueLike, attribute::DenseI64ArrayAttribute,
    operation::OperationLike,
};

/// Rewrites those below `root`.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for expand in tree::inside(root, "memref.expand_shape") {
        let Ok(groups) = groups(expand) else { continue };
        let Some(target) = Buffer::of(result(expand, 0).r#type()).ok().flatten() else { continue };
        let extents = target.extents();
        let is_open = |&&d: &&usize| extents.get(d) == Some(&None);
        if groups.iter().any(|group| group.iter().filter(is_open).count() > 1) {
            cast(expand, &groups, &extents)?;
        }
    }
    Ok(())
}

fn cast<'c>(
    expand: OperationRef<'c, 'c>,
    groups: &[Vec<usize>],
    extents: &[Option<i64>],
) -> Result<(), melior::Error> {
    let b = Builder::before(expand);
    let refused = || melior::Error::OperationBuild;
    let source = operand(expand, 0);
    let own = Buffer::of(source.r#type()).ok().flatten().ok_or_else(refused)?;
    let index = Type::index(b.context());
    let mut types = vec![own.base(), index];
    types.extend(std::iter::repeat_n(index, 2 * own.rank()));
    let name = "memref.extract_strided_metadata";
    let metadata = b.operation(name, &[source], &types, &[], vec![])?;
    let mut open = (1..expand.operand_count()).map(|i| operand(expand, i));
    let sizes = extents.iter().map(|extent| match extent {
        Some(known) => b.constant(index, *known),
        None => open.next().ok_or_else(refused),
    });
    let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
    let mut strides = sizes.clone();
    for (i, group) in groups.iter().enumerate() {
        let mut next = result(metadata, 2 + own.rank() + i);
        for &d in group.iter().rev() {
            *strides.get_mut(d).ok_or_else(refused)? = next;
            next = b.binary("arith.muli", next, sizes[d])?;
        }
    }
    let rank = extents.len();
    let listed = |all: Vec<i64>| DenseI64ArrayAttribute::new(b.context(), &all).into();
    let parsed = |text: &str| Attribute::parse(b.context(), text).ok_or_else(refused);
    let open = sizes.iter().zip(extents).filter(|(_, extent)| extent.is_none());
    let open: Vec<_> = open.map(|(size, _)| *size).collect();
    let segments = format!("array<i32: 1, 1, {}, {rank}>", open.len());
    let attributes = [
        ("static_offsets", listed(vec![i64::MIN])),
        ("static_sizes", listed(extents.iter().map(|own| own.unwrap_or(i64::MIN)).collect())),
        ("static_strides", listed(vec![i64::MIN; rank])),
        ("operandSegmentSizes", parsed(&segments)?),
    ];
    let mut operands = vec![source, result(metadata, 1)];
    operands.extend(open);
    operands.extend(strides);
    let target = result(expand, 0).r#type();
    let shape: String =
        extents.iter().map(|own| own.map_or("?x".to_owned(), |own| format!("{own}x"))).collect();
    let buffer = Buffer::of(target).ok().flatten().ok_or_else(refused)?;
    let strided = format!(
        "memref<{shape}{}, strided<[{}], offset: ?>>",
        buffer.element_type(),
        vec!["?"; rank].join(", ")
    );
    let strided = Type::parse(b.context(), &strided).ok_or_else(refused)?;
    let value = b.value("memref.reinterpret_cast", &operands, strided, &attributes)?;
    let value = b.value("memref.cast", &[value], target, &[])?;
    tree::replace_uses(result(expand, 0), value);
    tree::erase(expand);
    Ok(())
}
