//! The dialect's types: layouts, tuples and views.

use crate::{
    atoms::space::Space,
    border::ffi::{
        borrow, layoutLayoutTypeGet, layoutTupleTypeGet, layoutTypeIsLayout, layoutTypeIsTuple,
        layoutTypeIsView, layoutTypeText, layoutTypeValue, layoutViewTypeElement,
        layoutViewTypeGet, layoutViewTypeSpace, lend,
    },
    data::{
        evaluate::to_layout,
        interned::{Interned, holder},
        term_value::{self, TermValue},
    },
    diagnostics::{
        codes::Code,
        violation::{Violation, both},
    },
};
use layout_algebra::{AnyLayout, ComposedLayout, Layout, Outer, Swizzle, Tuple, Value};
use melior::{
    Context, Error, StringRef,
    ir::{Type, TypeLike},
};
use mlir_sys::{
    mlirFloatTypeGetWidth, mlirIntegerTypeGetWidth, mlirTypeIsAFloat, mlirTypeIsAIndex,
    mlirTypeIsAInteger, mlirTypeIsATF32,
};
use std::{ops::Range, sync::Arc};

macro_rules! layout_type {
    ($(#[$documentation:meta])* $name:ident, $is:ident, $called:literal) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name<'c>(Type<'c>);

        impl<'c> $name<'c> {
            /// The type, if it is a layout or a tuple: `try_from` without an error's text.
            pub fn from_type(r#type: Type<'c>) -> Option<Self> {
                // SAFETY: the type is valid.
                unsafe { $is(r#type.to_raw()) }.then_some(Self(r#type))
            }

            /// The layout or the tuple, static or partly static.
            pub fn term_value(&self) -> Result<TermValue, Violation> {
                self.interned().term_value()
            }
        }

        impl<'c> TryFrom<Type<'c>> for $name<'c> {
            type Error = Error;

            fn try_from(r#type: Type<'c>) -> Result<Self, Error> {
                Self::from_type(r#type)
                    .ok_or_else(|| Error::TypeExpected($called, r#type.to_string()))
            }
        }

        holder!($name of Type: TypeLike, MlirType, layoutTypeValue, layoutTypeText);
    };
}

layout_type! {
    /// `!layout<L>`. The context must have loaded the dialect.
    LayoutType, layoutTypeIsLayout, "layout"
}
layout_type! {
    /// `!layout.tuple<T>`. The context must have loaded the dialect.
    TupleType, layoutTypeIsTuple, "layout tuple"
}
layout_type! {
    /// `!layout.view<ELEMENT, SPACE, L>`. The context must have loaded the dialect.
    ViewType, layoutTypeIsView, "layout view"
}

impl<'c> LayoutType<'c> {
    /// The type of a layout.
    pub fn new(context: &'c Context, layout: &AnyLayout) -> Self {
        Self::from_interned(context, &Interned::of_value(layout.clone().into()))
    }

    /// The type of a layout, static or partly static.
    ///
    /// # Errors
    ///
    /// A value that is no layout.
    pub fn of(context: &'c Context, term_value: &TermValue) -> Result<Self, Violation> {
        if !term_value.is_layout() {
            return Err(Violation::new(Code::Kind, "a layout", term_value));
        }
        Ok(Self::from_interned(context, &Interned::of(term_value)))
    }

    /// The type of a layout that attributes or types hold.
    pub(crate) fn from_interned(context: &'c Context, held: &Arc<Interned>) -> Self {
        // SAFETY: the context has the dialect, and counts its own reference.
        Self(unsafe { Type::from_raw(layoutLayoutTypeGet(context.to_raw(), held.lend())) })
    }

    /// The layout, if all of it is known and it is plain or swizzled; that of all indices for a swizzle by itself.
    ///
    /// # Errors
    ///
    /// A layout with symbols, a linear layout, or one into coordinates.
    pub fn layout(&self) -> Result<AnyLayout, layout_algebra::Error> {
        known_layout(self.interned())
    }
}

/// A swizzle as the layout of all indices that it may reach.
pub(crate) fn of_all_indices(swizzle: Swizzle) -> Result<AnyLayout, layout_algebra::Error> {
    let inner = Layout::new(Tuple::Leaf(1 << Swizzle::BIT_LIMIT), Tuple::Leaf(1))?;
    Ok(ComposedLayout { outer: Outer::Swizzle(swizzle), offset: 0, inner }.into())
}

/// The layout of a type, if all of it is known.
fn known_layout(held: &Interned) -> Result<AnyLayout, layout_algebra::Error> {
    if held.is_symbolic() {
        return Err(layout_algebra::Error::Operand {
            operation: "layout",
            expected: "a static layout".to_owned(),
            found: held.text().to_owned(),
        });
    }
    match held.known()? {
        Value::Swizzle(swizzle) => of_all_indices(swizzle),
        value => to_layout(value),
    }
}

impl<'c> TupleType<'c> {
    /// The type of a tuple, static or partly static.
    ///
    /// # Errors
    ///
    /// A value that is no tuple.
    pub fn of(context: &'c Context, term_value: &TermValue) -> Result<Self, Violation> {
        if !term_value.is_tuple() {
            return Err(Violation::new(
                Code::Kind,
                "an integer, a tuple or a tuple of tilers",
                term_value,
            ));
        }
        Ok(Self::from_interned(context, &Interned::of(term_value)))
    }

    /// The type of a tuple that attributes or types hold.
    pub(crate) fn from_interned(context: &'c Context, held: &Arc<Interned>) -> Self {
        // SAFETY: the context has the dialect, and counts its own reference.
        Self(unsafe { Type::from_raw(layoutTupleTypeGet(context.to_raw(), held.lend())) })
    }
}

/// The storage of a layout or tuple type, with a reference of its own; none for other types.
pub(crate) fn held_by(r#type: Type<'_>) -> Option<Arc<Interned>> {
    let holds = LayoutType::from_type(r#type).is_some() || TupleType::from_type(r#type).is_some();
    // SAFETY: the type is of the dialect, and its context keeps what it holds.
    holds.then(|| unsafe { Interned::share(layoutTypeValue(r#type.to_raw())) })
}

/// Where the layout or the tuple of a type is in its text, after the elements and the space of a view; nothing in
/// other types.
pub(crate) fn parts(r#type: Type<'_>) -> Vec<Range<usize>> {
    let in_turn = |start: usize, texts: &[&str]| {
        let parts = texts.iter().scan(start, |next, text| {
            let part = *next..*next + text.len();
            *next = part.end + ", ".len();
            Some(part)
        });
        parts.collect()
    };
    if let Some(view) = ViewType::from_type(r#type) {
        let element = view.element_type().to_string();
        in_turn("!layout.view<".len(), &[&element, view.space().name(), &view.text()])
    } else if let Some(tuple) = TupleType::from_type(r#type) {
        in_turn("!layout.tuple<".len(), &[&tuple.text()])
    } else if let Some(layout) = LayoutType::from_type(r#type) {
        in_turn("!layout<".len(), &[&layout.text()])
    } else {
        Vec::new()
    }
}

/// The value that a layout or tuple type carries; none for other types.
pub fn term_value_of(r#type: Type<'_>) -> Option<Result<TermValue, Violation>> {
    if let Some(layout) = LayoutType::from_type(r#type) {
        return Some(layout.term_value());
    }
    TupleType::from_type(r#type).map(|tuple| tuple.term_value())
}

impl<'c> ViewType<'c> {
    /// The layout, if all of it is known.
    ///
    /// # Errors
    ///
    /// A layout with symbols.
    pub fn layout(&self) -> Result<AnyLayout, layout_algebra::Error> {
        known_layout(self.interned())
    }

    /// The type of views through a layout, static or partly static.
    ///
    /// # Errors
    ///
    /// A value that is no layout into memory.
    pub fn of(element: Type<'c>, space: Space, term_value: &TermValue) -> Result<Self, Violation> {
        let held = Interned::of(term_value::check_view_layout(term_value)?);
        Ok(Self::from_interned(element, space, &held))
    }

    /// The type of views. identity tensors have elements of `index`; see [`check_view`].
    pub fn new(element: Type<'c>, space: Space, layout: &AnyLayout) -> Self {
        Self::from_interned(element, space, &Interned::of_value(layout.clone().into()))
    }

    fn from_interned(element: Type<'c>, space: Space, held: &Arc<Interned>) -> Self {
        // SAFETY: the element's context has the dialect, and counts its own reference.
        Self(unsafe {
            Type::from_raw(layoutViewTypeGet(element.to_raw(), lend(space.name()), held.lend()))
        })
    }

    /// The type of an element.
    pub fn element_type(&self) -> Type<'c> {
        // SAFETY: the type is a view.
        unsafe { Type::from_raw(layoutViewTypeElement(self.0.to_raw())) }
    }

    /// Where the elements lie.
    pub fn space(&self) -> Space {
        // SAFETY: the type is a view, and the context keeps its text.
        let name = unsafe { borrow(layoutViewTypeSpace(self.0.to_raw())) };
        // Only the parser and `new` make views, and both know the spaces.
        Space::from_name(&name).unwrap_or(Space::Host)
    }

    /// The name of the space, lent by the context.
    pub fn space_ref(&self) -> StringRef<'c> {
        // SAFETY: the type is a view, and the context keeps its text.
        unsafe { StringRef::from_raw(layoutViewTypeSpace(self.0.to_raw())) }
    }

    /// The same view of another layout.
    pub fn with_layout(&self, layout: &AnyLayout) -> Self {
        Self::new(self.element_type(), self.space(), layout)
    }

    /// The same view with another layout.
    pub fn with_term_value(&self, term_value: &TermValue) -> Result<Self, Violation> {
        Self::of(self.element_type(), self.space(), term_value)
    }
}

/// Whether a type is a float.
pub fn is_float(r#type: Type<'_>) -> bool {
    // SAFETY: the type is valid.
    unsafe { mlirTypeIsAFloat(r#type.to_raw()) }
}

/// Bytes of an element; nothing for `index`, whose size is the target's, and for types that do not
/// fill the bytes in which they lie: an `i4`, and an `i24`, which lies in four.
pub fn element_bytes(element: Type<'_>) -> Option<i64> {
    let bits = element_bits(element)?;
    (bits % 8 == 0 && bits.cast_unsigned().is_power_of_two()).then_some(bits / 8)
}

/// Bits of an element; nothing for `index`, whose size is the target's.
pub(crate) fn element_bits(element: Type<'_>) -> Option<i64> {
    let raw = element.to_raw();
    // SAFETY: the type is valid, and of a class that has a width.
    let bits = unsafe {
        if mlirTypeIsATF32(raw) {
            // 19 bits that count, in place of an f32.
            32
        } else if mlirTypeIsAFloat(raw) {
            mlirFloatTypeGetWidth(raw)
        } else if mlirTypeIsAInteger(raw) {
            mlirIntegerTypeGetWidth(raw)
        } else {
            return None;
        }
    };
    (bits > 0).then_some(i64::from(bits))
}

/// Checks the element type and the space of a view.
///
/// # Errors
///
/// Another space; elements that it does not have.
pub fn check_view(element: Type<'_>, space: &str) -> Result<Space, Violation> {
    let raw = element.to_raw();
    // SAFETY: the type is valid.
    let (number, index) =
        unsafe { (mlirTypeIsAFloat(raw) || mlirTypeIsAInteger(raw), mlirTypeIsAIndex(raw)) };
    let known = Space::from_name(space).ok_or_else(|| {
        let expected = "one of global, shared, register, host and coordinate";
        let like = layout_algebra::nearest_name(space, Space::ALL.map(Space::name));
        let hint = match space {
            "iota" => Some("'coordinate' is the new name of this space".to_owned()),
            _ => like.map(|name| format!("did you mean '{name}'?")),
        };
        Violation::new(Code::ViewSpace, expected, format!("'{space}'")).hint_if(hint)
    });
    let elements = match &known {
        Ok(Space::Coordinate) if !index => {
            let expected = "elements of type index in an identity tensor";
            Err(Violation::new(Code::ViewElement, expected, element)
                .hint("index is the type of its elements"))
        }
        _ if !number && !index => {
            let expected = "elements that are floats, integers or index";
            Err(Violation::new(Code::ViewElement, expected, element))
        }
        _ => Ok(()),
    };
    both(known, elements).map(|(space, ())| space)
}
