//! Whether layouts, plain or composed, are one-to-one and onto.

use super::{AnyLayout, ComposedLayout, Outer};
use crate::{
    error::{Error, Result},
    evaluate::{Offsets, admit},
    query,
    swizzle::Outside,
};

impl AnyLayout {
    /// Whether different coordinates have different offsets.
    ///
    /// # Errors
    ///
    /// Those of [`is_injective`](crate::is_injective()). Behind a layout, or a swizzle that clears bits:
    /// more than [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates.
    ///
    /// ```
    /// # use layout_algebra::{Error, Term};
    /// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
    /// assert_eq!(value("is_injective(S<3,0,3> o 5 o (8,8):(8,1))")?, "true");
    /// assert_eq!(value("is_injective((2,2):(1,1) o 0 o 4:1)")?, "false");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_injective(&self) -> Result<bool> {
        match self {
            Self::Plain(layout) => query::is_injective(layout),
            // What is one-to-one keeps different offsets different.
            Self::Composed(ComposedLayout { outer: Outer::Swizzle(swizzle), inner, .. })
                if swizzle.is_bijective() =>
            {
                query::is_injective(inner)
            }
            Self::Composed(composed) => {
                let size = composed.inner.size();
                Ok(i64::try_from(composed.image("is_injective")?.len()) == Ok(size))
            }
        }
    }

    /// Whether every offset from 0 to the greatest is reached; where some are negative, from the
    /// least.
    ///
    /// # Errors
    ///
    /// Overflow; behind a swizzle or a layout, more than [`ENUMERATION_LIMIT`](crate::ENUMERATION_LIMIT) coordinates.
    ///
    /// ```
    /// # use layout_algebra::{Error, Term};
    /// # let value = |text: &str| Ok::<_, Error>(Term::parse(text)?.eval()?.to_string());
    /// assert_eq!(value("is_surjective(S<1,0,2> o 0 o (2,4):(1,2))")?, "true");
    /// assert_eq!(value("is_surjective(S<1,0,2> o 2 o 4:1)")?, "false"); // 2 3 5 4
    /// # Ok::<(), Error>(())
    /// ```
    pub fn is_surjective(&self) -> Result<bool> {
        let composed = match self {
            Self::Plain(layout) => return query::is_surjective(layout),
            Self::Composed(composed) => composed,
        };
        let image = composed.image("is_surjective")?;
        let least = image.first().map_or(0, |&least| least.min(0));
        Ok((least..).zip(&image).all(|(wanted, &found)| wanted == found))
    }

    /// Whether the layout only permutes `0 .. size`.
    ///
    /// # Errors
    ///
    /// Those of [`is_surjective`](Self::is_surjective).
    pub fn is_bijective(&self) -> Result<bool> {
        match self {
            Self::Plain(layout) => query::is_bijective(layout),
            Self::Composed(composed) => {
                let image = composed.image("is_bijective")?;
                let size = composed.inner.size();
                Ok(i64::try_from(image.len()) == Ok(size)
                    && (0..).zip(&image).all(|(i, &o)| i == o))
            }
        }
    }
}

impl ComposedLayout {
    /// The offsets that are reached, in ascending order, each once.
    fn image(&self, operation: &'static str) -> Result<Vec<i64>> {
        let outside = Outside::of(self)?;
        admit(self.inner.size(), outside.modes())?;
        let image = Offsets::of(&self.inner)
            .map(|offset| outside.at(offset.ok_or_else(|| Error::overflow(operation, self))?));
        let mut image = image.collect::<Result<Vec<i64>>>()?;
        image.sort_unstable();
        image.dedup();
        Ok(image)
    }
}
