//! Views: the result types of operations that make or rearrange views, and the offsets that coordinates fix in partly
//! static layouts.

use crate::ops::prelude::*;
use crate::{
    data::{
        buffers::Buffer,
        offsets::{around_and_within, offsets},
        types::element_bits,
    },
    ops::{
        adaptor::{Known, declared, known},
        calls::Answer,
        expand,
    },
};
use layout_algebra::{Error, integer};
use melior::ir::attribute::TypeAttribute;
use mlir_sys::{mlirLLVMPointerTypeGetAddressSpace, mlirTypeIsALLVMPointerType};

/// The type of a `layout.make_view`: of a pointer, a memref or another view's place, and a layout; a
/// memref has one of its own.
pub(crate) fn make_view<'c>(adaptor: &Adaptor<'c>) -> Result<ViewType<'c>, Violation> {
    let (base, layout) = match adaptor.types.as_slice() {
        [base] => (*base, None),
        [base, layout] => (*base, Some(*layout)),
        other => return Err(Violation::new(Code::Operand, "a base and a layout", other.len())),
    };
    let layout = layout
        .map(|layout| {
            known(layout)?.ok_or_else(|| Violation::new(Code::Operand, "a layout", layout))
        })
        .transpose()?;
    let element = adaptor.attribute("element").map(element_type).transpose()?;
    let of_base = |refused: Violation| match refused.is_placed() {
        true => refused,
        false => refused.at(adaptor.place_of(0, Part::Whole)),
    };
    let of_layout = |refused: Violation| refused.at(adaptor.place_of(1, Part::Layout));
    if let Some(buffer) = Buffer::of(base).map_err(of_base)? {
        let unwanted = element.map(|element| {
            let expected = "no element type, since the memref has one";
            Violation::new(Code::ViewElement, expected, element)
                .at(adaptor.place_of_attribute("element"))
        });
        let space = buffer.space();
        let checked = match &space {
            Ok(space) => crate::data::types::check_view(buffer.element_type(), space.name()).err(),
            Err(_) => None,
        };
        // Where its elements begin depends on how they lie, also below another layout.
        let own = buffer.layout();
        let layout = own.map(|own| layout.unwrap_or(own));
        let refused = [space.as_ref().err().cloned(), layout.as_ref().err().cloned()];
        let refused = refused.map(|refused| refused.map(of_base));
        let checked = checked.map(of_base);
        Violation::all(unwanted.into_iter().chain(checked).chain(refused.into_iter().flatten()))?;
        return ViewType::of(buffer.element_type(), space?, &layout?).map_err(of_layout);
    }
    let layout = layout.ok_or_else(|| {
        let expected = "a layout, which only a memref has of its own";
        Violation::new(Code::Operand, expected, "none")
    })?;
    if let Ok(view) = ViewType::try_from(base) {
        if let Some(element) = element {
            let expected = "no element type, since the view has one";
            return Err(Violation::new(Code::ViewElement, expected, element)
                .at(adaptor.place_of_attribute("element")));
        }
        if !view.space().is_memory() && view.space() != Space::Register {
            let place = adaptor.place_of(0, Part::Space);
            return Err(Violation::new(Code::ViewSpace, "a view of memory", base).at(place));
        }
        // A swizzle depends on the address, so that an element of it is no base to start from.
        if let composed @ Value::Composed(_) = symbolic_value(&view.term_value()?) {
            return Err(Violation::new(Code::PlainLayout, "a base without a swizzle", composed)
                .at(adaptor.place_of(0, Part::Outer)));
        }
        return view.with_term_value(&layout).map_err(of_layout);
    }
    let element = element.ok_or_else(|| {
        Violation::new(Code::ViewElement, "an element type, as in `of f16`", "none")
            .at(adaptor.place_of(0, Part::Whole))
    })?;
    let space = pointed_to(base).map_err(|refused| refused.at(adaptor.place_of(0, Part::Whole)))?;
    crate::data::types::check_view(element, space.name())
        .map_err(|refused| refused.at(adaptor.place_of_attribute("element")))?;
    ViewType::of(element, space, &layout).map_err(of_layout)
}

/// The space that a pointer points to.
fn pointed_to(base: Type<'_>) -> Result<Space, Violation> {
    // SAFETY: the type is valid, and a pointer where its address space is requested.
    let number = unsafe {
        mlirTypeIsALLVMPointerType(base.to_raw())
            .then(|| mlirLLVMPointerTypeGetAddressSpace(base.to_raw()))
    };
    match number {
        None => {
            let expected = "a view, a memref or a pointer of LLVM's dialect";
            Err(Violation::new(Code::Operand, expected, base))
        }
        Some(number) => Space::from_address_space(number).ok_or_else(|| {
            let expected = "a pointer of the address space 0 (host), 1 (global) or 3 (shared)";
            Violation::new(Code::ViewSpace, expected, base)
        }),
    }
}

pub(crate) fn element_type(attribute: Attribute<'_>) -> Result<Type<'_>, Violation> {
    TypeAttribute::try_from(attribute)
        .map(|attribute| attribute.value())
        .map_err(|_| Violation::new(Code::Operand, "'element' to be a type", attribute))
}

/// The result of a `layout.recast` of a view: elements of another type over the same memory.
pub struct Recast<'c> {
    /// The type.
    pub r#type: ViewType<'c>,
    /// For each of its integers the place of the operand's that it is.
    pub places: Vec<usize>,
    /// How wide elements were, and how wide they are.
    pub bits: [i64; 2],
}

/// A hint at a view that can be recast, where the layout itself is the obstacle.
fn recast_hint(error: &integer::Error) -> Option<&'static str> {
    let integer::Error::Algebra(Error::Condition { operation, operand, .. }) = error else {
        return None;
    };
    match *operation {
        // A swizzle outside has no such hint.
        _ if operand.contains(" o ") => None,
        "downcast" => Some("recast a slice that keeps one mode of stride 1"),
        "upcast" => {
            Some("recast a slice whose contiguous elements fill whole elements of the wider type")
        }
        _ => None,
    }
}

/// The result of a `layout.recast` of a view.
pub(crate) fn recast<'c>(adaptor: &Adaptor<'c>) -> Result<Recast<'c>, Violation> {
    let view = view_operand(adaptor, 0)?;
    if adaptor.attribute("old_bits").is_some() || adaptor.attribute("new_bits").is_some() {
        return Err(Violation::new(
            Code::ViewElement,
            "an element type as the target of a view's recast, as in `to i32`",
            "bits",
        )
        .at(adaptor.place_of(0, Part::Element)));
    }
    let element = element_type(adaptor.required("element")?)?;
    let bits = |r#type: Type<'_>, place: Option<Place>| {
        element_bits(r#type).ok_or_else(|| {
            Violation::new(Code::ViewElement, "elements that are floats or integers", r#type)
                .at(place)
        })
    };
    let old = bits(view.element_type(), adaptor.place_of(0, Part::Element));
    let (old, new) = both(old, bits(element, adaptor.place_of_attribute("element")))?;
    // An i24 lies in four bytes, and an f80 in sixteen.
    for (width, r#type, place) in [
        (old, view.element_type(), adaptor.place_of(0, Part::Element)),
        (new, element, adaptor.place_of_attribute("element")),
    ] {
        if old != new && !width.cast_unsigned().is_power_of_two() {
            let expected = "elements whose bits are a power of two, as they lie in memory";
            return Err(Violation::new(Code::ViewElement, expected, r#type).at(place));
        }
    }
    let operands = adaptor.operands(false)?;
    let facts = declared(&operands)?;
    let call = Call::new(adaptor, operands);
    let made = match offsets(call.operand(0)?)? {
        AnyLayout::Plain(layout) => layout.recast_view_under(&facts, old, new).map(Value::Layout),
        AnyLayout::Composed(layout) => layout.recast_view_under(&facts, old, new).map(Value::from),
    };
    // The memory of a view is what its layout reaches: a recast of the layout may reach more.
    let made = made.map_err(|error| match recast_hint(&error) {
        Some(hint) => Violation::from(error).hint(hint).at(adaptor.place_of(0, Part::Layout)),
        None => Violation::from(error),
    })?;
    let outcome = Outcome::Value(TermValue::with(made, &facts));
    let (layout, places) = Answer { outcome, facts }.value()?;
    let r#type = ViewType::of(element, view.space(), &layout)?;
    Ok(Recast { r#type, places, bits: [old, new] })
}

/// The offset that an operation's coordinate fixes in its layout or view.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The offset, in elements: right for every coordinate. With a swizzle, only its part in whole periods.
    pub offset: Expr,
    /// Under a swizzle, the rest of the offset, before it is swizzled.
    pub within: Expr,
    /// The facts of the operands' symbols for coordinates in range: the integers that the offset is computed
    /// in need only hold these.
    pub facts: Facts,
    /// The indices of the coordinate, each with the part of the layout that it goes through.
    pub parts: Vec<(Expr, Layout<Expr>)>,
}

/// The offset that the coordinate of an operation of this name fixes in the layout or view number `source`; its
/// indices follow.
pub(crate) fn fixed(
    name: &str,
    mut adaptor: Adaptor<'_>,
    source: usize,
) -> Result<Fixed, Violation> {
    let (offset, within, parts, bounds) = {
        let operands = adaptor.operands(true)?;
        let facts = declared(&operands)?;
        let call = Call::new(&adaptor, operands);
        let (layout, pattern, coord) = match expand::sliced(name, &call, &facts) {
            Some(sliced) => {
                let sliced = sliced?;
                (offsets(&sliced.layout)?, sliced.pattern, sliced.coord)
            }
            None => {
                let (_, coord) = call.coordinate(source + 1)?;
                (offsets(call.operand(source)?)?, adaptor.pattern()?, coord)
            }
        };
        let bounds = index::coordinate_bounds(&pattern, layout.inner().shape(), &facts);
        let [around, within] = around_and_within(&layout, &facts)?;
        let fixed = |part: &Layout<Expr>| Ok::<_, Violation>(part.slice_under(&facts, &coord)?.1);
        let parts = parts(&coord, layout.inner().clone());
        (fixed(&around)?, fixed(&within)?, parts, bounds)
    };
    let facts = bounded(&mut adaptor, source + 1, &bounds)?;
    Ok(Fixed { offset, within, facts, parts })
}

/// The indices of a coordinate that fits a layout, in order, each with its part of the layout.
fn parts(coord: &CoordOf<Expr>, layout: Layout<Expr>) -> Vec<(Expr, Layout<Expr>)> {
    match coord {
        CoordOf::Any => Vec::new(),
        CoordOf::At(index) => vec![(index.clone(), layout)],
        CoordOf::Tuple(entries) => {
            entries.iter().zip(layout.modes()).flat_map(|(at, mode)| parts(at, mode)).collect()
        }
    }
}

/// Checks that one element's coordinate has an offset in the layout or view number `source`.
pub(crate) fn element(call: &Call<'_>, source: usize) -> Result<(), Violation> {
    let facts = declared(&call.operands)?;
    let (_, coord) = call.coordinate(source + 1)?;
    let layout = offsets(call.operand(source)?)?;
    layout.inner().slice_under(&facts, &coord)?;
    Ok(())
}

/// The facts of the symbols when the integers from the operand `first` on are at most their
/// bounds, where they have one.
pub(crate) fn bounded(
    adaptor: &mut Adaptor<'_>,
    first: usize,
    bounds: &[Option<i64>],
) -> Result<Facts, Violation> {
    adaptor.indices = vec![Known::default(); first];
    // One value would make it a constant, which out of range it is not.
    let range = |bound: &Option<i64>| Known { range: bound.map(|greatest| (0, greatest.max(1))) };
    adaptor.indices.extend(bounds.iter().map(range));
    declared(&adaptor.operands(true)?)
}

/// The operand number `place`, which should be a view.
pub(crate) fn view_operand<'c>(
    adaptor: &Adaptor<'c>,
    place: usize,
) -> Result<ViewType<'c>, Violation> {
    let found =
        adaptor.types.get(place).ok_or_else(|| Violation::new(Code::Operand, "a view", "none"))?;
    ViewType::from_type(*found).ok_or_else(|| {
        let place = adaptor.place_of(place, Part::Whole);
        Violation::new(Code::Operand, "a view", found).at(place)
    })
}

pub(crate) fn operand_type<'c>(
    operation: OperationRef<'c, '_>,
    index: usize,
) -> Result<Type<'c>, Violation> {
    Ok(operation.operand(index)?.r#type())
}

pub(crate) fn view<'c>(
    operation: OperationRef<'c, '_>,
    index: usize,
) -> Result<ViewType<'c>, Violation> {
    Ok(ViewType::try_from(operand_type(operation, index)?)?)
}

pub(crate) fn result_view<'c>(operation: OperationRef<'c, '_>) -> Result<ViewType<'c>, Violation> {
    Ok(ViewType::try_from(operation.result(0)?.r#type())?)
}

/// A pointer of `layout.pointer` is one to the view's memory, or a generic one.
pub(crate) fn verify_pointer(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    const GENERIC: &str = "!llvm.ptr";
    let view = view(check.operation, 0)?;
    let own = match view.space() {
        Space::Host => GENERIC,
        Space::Global => "!llvm.ptr<1>",
        Space::Shared => "!llvm.ptr<3>",
        other => {
            let expected = "a view of host, global or shared memory";
            check.refuse(Site::Operand(0, Part::Space), Code::ViewSpace, expected, other);
            return Ok(());
        }
    };
    if element_bits(view.element_type()).is_none_or(|bits| bits % 8 != 0) {
        let expected = "elements of whole bytes";
        let found = view.element_type();
        check.refuse(Site::Operand(0, Part::Element), Code::ViewElement, expected, found);
    }
    let found = check.operation.result(0)?.r#type();
    if ![own, GENERIC].contains(&found.to_string().as_str()) {
        let expected = match own == GENERIC {
            true => format!("a pointer of type {GENERIC}"),
            false => format!("a pointer of type {own} or {GENERIC}"),
        };
        check.refuse(Site::Result(Part::Whole), Code::Operand, &expected, found);
    }
    Ok(())
}

pub(crate) fn verify_alloc(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let view = result_view(check.operation)?;
    if !matches!(view.space(), Space::Shared | Space::Register) {
        let expected = "the space shared or register";
        check.refuse(Site::Result(Part::Space), Code::AllocSpace, expected, view.space());
    }
    let layout = known_layout(view)
        .map_err(|refused| check.placed(Site::Result(Part::Symbol(0)), refused))?;
    let negative = |mode: &Layout| mode.flat().iter().any(|&(e, stride)| e > 1 && stride < 0);
    for (i, mode) in layout.inner().modes().iter().enumerate().filter(|(_, mode)| negative(mode)) {
        let turned = mode.stride().try_map(&mut |stride| stride.checked_abs().ok_or(()));
        check.violations.push(
            Violation::new(Code::AllocStride, "a layout without negative strides", &layout)
                .hint_if(turned.ok().map(|stride| format!("{stride} reaches as many elements")))
                .at(parts::of_text("the view's layout", &view.text(), Part::Stride(i))),
        );
    }
    Ok(())
}

/// The layout of a view, all of which must be known.
pub(crate) fn known_layout(view: ViewType<'_>) -> Result<AnyLayout, Violation> {
    let term_value = view.term_value()?;
    term_value
        .any_layout()
        .ok_or_else(|| Violation::new(Code::Static, "a view with a static layout", term_value))
}

/// An identity tensor of a partly static layout has the layout's integers from its operand.
pub(crate) fn verify_identity_tensor(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let view = result_view(check.operation)?;
    if view.space() != Space::Coordinate {
        let (at, expected) = (Site::Result(Part::Space), "the space coordinate");
        check.refuse(at, Code::IdentityTensorSpace, expected, view.space());
    }
    let (term_value, code) = (view.term_value()?, Code::IdentityTensorLayout);
    match check.operation.operand_count() {
        0 if term_value.symbols().is_empty() => {}
        0 => {
            let expected = format!("a layout to take the integers of {term_value} from");
            check.refuse(Site::Result(Part::Symbol(0)), code, expected, "none");
        }
        _ => match known(operand_type(check.operation, 0)?)? {
            Some(given) if given == term_value => {}
            Some(given) => {
                let expected = format!("a view of the layout {given}");
                check.refuse(Site::Result(Part::Layout), code, expected, term_value);
            }
            None => check.refuse(Site::Nowhere, Code::Operand, "a layout", "another type"),
        },
    }
    Ok(())
}

/// A view operand that is written to.
pub(crate) fn writable(check: &mut Check<'_, '_>, index: usize) -> Result<(), Violation> {
    if check.view(index)?.space() == Space::Coordinate {
        let expected = "a view of memory or registers to write to";
        let found = "an identity tensor, whose elements are fixed";
        check.refuse(Site::Operand(index, Part::Space), Code::Writable, expected, found);
    }
    Ok(())
}

pub(crate) fn verify_store(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    writable(check, 1)?;
    index::point(check.operation, 1)
}
