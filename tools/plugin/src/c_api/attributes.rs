//! Attributes other than terms, each from the text between its brackets.

use crate::catch::{Sink, answered, caught, context, text};
use layout_dialect::{
    AtomAttribute, RelationAttribute, ScheduleAttribute, TermAttribute, TiledCopyAttribute,
    TiledMmaAttribute,
};
use melior::ir::{Attribute, AttributeLike};
use mlir_sys::{MlirAttribute, MlirContext, MlirStringCallback, MlirStringRef};
use std::{ffi::c_void, ptr};

macro_rules! attribute {
    ($class:ident, $get:ident, $is:ident) => {
        of_text! {
            /// The attribute of a text.
            $get -> MlirAttribute, |context, text| {
                $class::parse(context, text).map_err(|refused| refused.with_hint())?
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
