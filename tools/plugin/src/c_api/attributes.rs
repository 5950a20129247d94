//! Attributes other than terms, each from the text between its brackets.

use super::NO_ATTRIBUTE;
use crate::catch::{Sink, answered, caught, context, text};
use layout_dialect::{
    AtomAttribute, RelationAttribute, ScheduleAttribute, TermAttribute, TiledCopyAttribute,
    TiledMmaAttribute,
};
use melior::ir::{Attribute, AttributeLike};
use mlir_sys::{MlirAttribute, MlirContext, MlirStringCallback, MlirStringRef};
use std::ffi::c_void;

macro_rules! attribute {
    ($class:ident, $get:ident, $is:ident) => {
        /// The attribute of a text.
        ///
        /// # Safety
        ///
        /// The context and the text must be valid, and the callback must accept its data.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            context_: MlirContext,
            text_: MlirStringRef,
            on_error: MlirStringCallback,
            user_data: *mut c_void,
        ) -> MlirAttribute {
            let errors = Sink { callback: on_error, user: user_data };
            // SAFETY: the caller's promises.
            unsafe {
                answered(NO_ATTRIBUTE, errors, || {
                    let attribute = $class::parse(context(context_)?, text(text_)?);
                    Ok(attribute.map_err(|refused| refused.with_hint())?.to_raw())
                })
            }
        }

        /// Whether an attribute is of this kind.
        ///
        /// # Safety
        ///
        /// The attribute must be valid or null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $is(attribute: MlirAttribute) -> bool {
            caught(false, || {
                // SAFETY: the caller's promise.
                let attribute = unsafe { Attribute::from_option_raw(attribute) };
                attribute.is_some_and(|attribute| $class::from_attribute(attribute).is_some())
            })
        }
    };
}

attribute!(AtomAttribute, layoutAtomGet, layoutAttrIsAnAtom);
attribute!(RelationAttribute, layoutRelationGet, layoutAttrIsARelation);
attribute!(ScheduleAttribute, layoutScheduleGet, layoutAttrIsASchedule);
attribute!(TiledCopyAttribute, layoutTiledCopyGet, layoutAttrIsATiledCopy);
attribute!(TiledMmaAttribute, layoutTiledMmaGet, layoutAttrIsATiledMma);

/// The text of an attribute of the dialect, owned by the context.
pub(super) fn text_of(attribute: Attribute<'_>) -> Option<MlirStringRef> {
    macro_rules! first_of {
        ($($class:ident),*) => {
            None$(.or_else(|| $class::from_attribute(attribute).map(|own| own.text_ref())))*
        };
    }
    let text = first_of!(
        TermAttribute,
        AtomAttribute,
        RelationAttribute,
        ScheduleAttribute,
        TiledCopyAttribute,
        TiledMmaAttribute
    );
    text.map(|text: melior::StringRef<'_>| text.to_raw())
}
