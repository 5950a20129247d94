//! Families: several kernels that compute the same, of which a launch takes one by its sizes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::manifest::{Argument, Template};
use crate::template::{Size, check_sizes, check_values};
use crate::{Error, Result};

/// Kernels of a family at most; each is compiled and loaded.
const MAX_KERNELS: usize = 6;

/// Kernels that take the same arguments and sizes: a launch takes that of the first variant whose bounds hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// Its name, which no kernel has.
    pub name: String,
    /// The sizes that it takes, in order.
    pub sizes: Vec<Size>,
    /// Ranges of the sizes, each with its kernel, in the order in which they are tried; several may have one kernel.
    pub variants: Vec<Variant>,
}

/// Sizes, and the kernel of a family that is for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variant {
    /// The greatest values, by the size's name; empty for the last variant.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub most: BTreeMap<String, i64>,
    /// The kernel's name.
    pub kernel: String,
}

impl Variant {
    /// Whether it is for these values.
    fn takes(&self, sizes: &[Size], values: &[i64]) -> bool {
        let mut values = sizes.iter().zip(values);
        values.all(|(size, value)| self.most.get(&size.name).is_none_or(|most| value <= most))
    }
}

impl Family {
    /// A family of these kernels, each with its bounds, in order. It takes the sizes that all of them take, but for the
    /// bounds.
    ///
    /// # Errors
    ///
    /// As for a manifest's.
    pub fn of(name: &str, variants: Vec<(BTreeMap<String, i64>, &Template)>) -> Result<Self> {
        let first = variants.first().map_or(&[][..], |(_, kernel)| kernel.sizes());
        let mut sizes = first.to_vec();
        for (_, kernel) in &variants {
            for (size, other) in sizes.iter_mut().zip(kernel.sizes()) {
                size.least = size.least.min(other.least);
                size.most = size.most.max(other.most);
                size.divisor = least_common_multiple(size.divisor, other.divisor).ok_or_else(|| {
                    Error::Manifest(format!(
                        "family {name}, size {}: expected divisors with a common multiple of 64 bits, found {} and {}",
                        size.name, size.divisor, other.divisor
                    ))
                })?;
            }
        }
        let templates: Vec<&Template> = variants.iter().map(|(_, kernel)| *kernel).collect();
        let variant =
            |(most, kernel): (_, &Template)| Variant { most, kernel: kernel.name().to_owned() };
        let variants = variants.into_iter().map(variant).collect();
        let family = Self { name: name.to_owned(), sizes, variants };
        family.check(&templates)?;
        Ok(family)
    }

    /// The kernels of the variants, among these.
    ///
    /// # Errors
    ///
    /// When one is missing.
    pub fn kernels<'k>(&self, templates: &'k [Template]) -> Result<Vec<&'k Template>> {
        let find = |variant: &Variant| {
            let found = templates.iter().find(|kernel| kernel.name() == variant.kernel);
            found.ok_or_else(|| {
                Error::Manifest(format!(
                    "family {}: expected a kernel that takes sizes for each variant, found none of the name {}",
                    self.name, variant.kernel
                ))
            })
        };
        self.variants.iter().map(find).collect()
    }

    /// The number of the variant for these sizes.
    ///
    /// # Errors
    ///
    /// Sizes that are too few or too many, or that the family does not take.
    pub fn variant(&self, sizes: &[i64]) -> Result<usize> {
        check_values(&format!("family {}", self.name), &self.sizes, sizes)?;
        let found = self.variants.iter().position(|variant| variant.takes(&self.sizes, sizes));
        found.ok_or_else(|| {
            self.wrong("expected a last variant without bounds, found one with them")
        })
    }

    /// Checks the family against the kernels of its variants.
    ///
    /// # Errors
    ///
    /// Variants that are too many, that no launch takes, or whose kernels differ in arguments or sizes.
    pub(crate) fn check(&self, kernels: &[&Template]) -> Result<()> {
        check_sizes(&format!("family {}", self.name), &self.sizes)?;
        let own: BTreeSet<&str> =
            self.variants.iter().map(|variant| variant.kernel.as_str()).collect();
        if !(1..=MAX_KERNELS).contains(&own.len()) {
            let found = own.len();
            return Err(self.wrong(&format!("expected 1 to {MAX_KERNELS} kernels, found {found}")));
        }
        let count = self.variants.len();
        let names = names(&self.sizes);
        for (number, (variant, kernel)) in self.variants.iter().zip(kernels).enumerate() {
            let last = number + 1 == count;
            if last != variant.most.is_empty() {
                let (expected, found) = match last {
                    true => ("no bounds of the last variant", "one"),
                    false => ("bounds of each variant but the last", "none"),
                };
                let kernel = &variant.kernel;
                return Err(self.wrong(&format!("expected {expected}, found {found} of {kernel}")));
            }
            if let Some(name) = variant.most.keys().find(|name| !names.contains(&name.as_str())) {
                let known = names.join(", ");
                return Err(self
                    .wrong(&format!("expected bounds of the sizes {known}, found one of {name}")));
            }
            if self::names(kernel.sizes()) != names {
                return Err(self.wrong(&format!(
                    "expected kernels of the sizes ({}), found {} of ({})",
                    names.join(", "),
                    variant.kernel,
                    self::names(kernel.sizes()).join(", ")
                )));
            }
            let signature = |kernel: &Template| -> Vec<String> {
                kernel.smallest().args.iter().map(signature).collect()
            };
            let (expected, found) = (signature(kernels[0]), signature(kernel));
            if expected != found {
                return Err(self.wrong(&format!(
                    "expected kernels of the arguments ({}), found {} of ({})",
                    expected.join(", "),
                    variant.kernel,
                    found.join(", ")
                )));
            }
            for (size, own) in self.sizes.iter().zip(kernel.sizes()) {
                let range = self.reaching(number, size);
                if !range.is_none_or(|range| own.least <= range.0 && range.1 <= own.most)
                    || size.divisor % own.divisor != 0
                {
                    let (least, most) = range.unwrap_or((size.least, size.most));
                    let expected = Size { least, most, ..size.clone() }.values();
                    return Err(self.wrong(&format!(
                        "expected {} to take each {} that reaches it ({expected}), found {}",
                        variant.kernel,
                        size.name,
                        own.values()
                    )));
                }
            }
        }
        Ok(())
    }

    /// The values of a size with which launches reach a variant, or `None` if no launch does.
    fn reaching(&self, number: usize, size: &Size) -> Option<(i64, i64)> {
        // A variant before it that bounds no other size takes all up to its bound.
        let before = self.variants[..number].iter().filter(|variant| variant.most.len() == 1);
        let taken = before.filter_map(|variant| variant.most.get(&size.name)).max();
        let least = taken.map_or(size.least, |most| size.least.max(most.saturating_add(1)));
        let bound = self.variants[number].most.get(&size.name);
        let most = bound.map_or(size.most, |bound| size.most.min(*bound));
        (least <= most).then_some((least, most))
    }

    fn wrong(&self, message: &str) -> Error {
        Error::Manifest(format!("family {}: {message}", self.name))
    }
}

fn names(sizes: &[Size]) -> Vec<&str> {
    sizes.iter().map(|size| size.name.as_str()).collect()
}

/// The part of an argument that is the same in all variants.
fn signature(argument: &Argument) -> String {
    let access = match argument.access {
        crate::manifest::Access::Read => "read",
        crate::manifest::Access::Write => "write",
        crate::manifest::Access::ReadWrite => "read_write",
    };
    format!("{access} {} {}", argument.element, argument.name)
}

fn least_common_multiple(a: i64, b: i64) -> Option<i64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor.checked_rem(rest)?);
    }
    a.checked_div(divisor)?.checked_mul(b)
}
