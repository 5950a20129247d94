//! Values as their text, for `serde`: what `Display` writes, and the grammar of terms reads.
//!
//! ```
//! use layout_algebra::{Layout, Swizzle};
//! let layout: Layout = "(4,(2,4)):(2,(1,8))".parse()?;
//! let text = serde_json::to_string(&layout)?;
//! assert_eq!(text, "\"(4,(2,4)):(2,(1,8))\"");
//! assert_eq!(serde_json::from_str::<Layout>(&text)?, layout);
//! let error = serde_json::from_str::<Swizzle>("\"8:1\"").expect_err("a layout");
//! assert_eq!(error.to_string(), "swizzle: expected a swizzle, found 8:1 at line 1 column 5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{
    error::{Error, Result},
    layout::{Layout, basis::BasisLayout, tiler::Tiler},
    linear::LinearLayout,
    swizzle::{AnyLayout, ComposedLayout, Swizzle},
    term::{Term, Value},
    tuple::{Coord, Tuple},
};
use alloc::{format, string::ToString};
use core::{fmt, marker::PhantomData};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

/// A value that is known by its text.
trait Text: Sized {
    /// The name of its kind, for messages.
    const KIND: &'static str;

    /// Reads what `Display` writes.
    fn read(text: &str) -> Result<Self>;
}

struct Reader<T>(PhantomData<T>);

impl<T: Text> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text of a {}", T::KIND)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::read(text).map_err(E::custom)
    }
}

/// The value of a text, if it is of a kind.
fn value<T>(text: &str, kind: &'static str, of: impl FnOnce(Value) -> Option<T>) -> Result<T> {
    let value = Term::parse(text)?.into_value()?;
    let found = value.to_string();
    of(value).ok_or_else(|| Error::operand(kind, format!("a {kind}"), found))
}

macro_rules! as_text {
    ($($type:ty, $kind:literal, $read:expr;)*) => {$(
        impl Text for $type {
            const KIND: &'static str = $kind;

            fn read(text: &str) -> Result<Self> {
                let read: fn(&str) -> Result<Self> = $read;
                read(text)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Reader(PhantomData))
            }
        }
    )*};
}

as_text! {
    Tuple, "tuple", str::parse;
    Coord, "coordinate", str::parse;
    Layout, "layout", str::parse;
    LinearLayout, "linear layout", str::parse;
    Term, "term", str::parse;
    AnyLayout, "layout", |text| Term::parse(text)?.eval_layout();
    Tiler, "tiler", |text| Term::parse(text)?.eval_tiler();
    Value, "value", |text| Term::parse(text)?.into_value();
    ComposedLayout, "composed layout", |text| value(text, Self::KIND, |value| match value {
        Value::Composed(composed) => Some(composed),
        _ => None,
    });
    BasisLayout, "coordinate layout", |text| value(text, Self::KIND, |value| match value {
        Value::Basis(basis) => Some(basis),
        _ => None,
    });
    Swizzle, "swizzle", |text| value(text, Self::KIND, |value| match value {
        Value::Swizzle(swizzle) => Some(swizzle),
        _ => None,
    });
}
