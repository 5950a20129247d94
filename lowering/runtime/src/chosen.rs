//! Kernels at the sizes of a command line: `--size m=1,7,16`.

use std::fmt;
use std::str::FromStr;

use crate::manifest::{Kernel, Manifest, Size};
use crate::{Error, Result};

/// The most kernels that one kernel with size parameters is specialised into.
const MAX_KERNELS: usize = 10_000;

/// Values of a size: `NAME=VALUE[,VALUE]…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The size's name.
    pub name: String,
    /// Its values, at least one.
    pub values: Vec<i64>,
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || {
            format!(
                "expected NAME=VALUE, with one integer or several and commas between, found {text}"
            )
        };
        let (name, values) = text.split_once('=').ok_or_else(wrong)?;
        let values: std::result::Result<Vec<i64>, _> =
            values.split(',').map(|value| value.trim().parse()).collect();
        match (name.trim(), values) {
            ("", _) | (_, Err(_)) => Err(wrong()),
            (name, Ok(values)) => Ok(Self { name: name.to_owned(), values }),
        }
    }
}

/// Blocks in x, y and z, for kernels whose manifest has no grid: `X`, `X,Y` or `X,Y,Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid(pub [u32; 3]);

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong =
            || format!("expected one to three positive integers with commas between, found {text}");
        let extents: std::result::Result<Vec<u32>, _> =
            text.split(',').map(|extent| extent.trim().parse()).collect();
        let mut extents = extents.map_err(|_| wrong())?;
        if extents.contains(&0) || extents.len() > 3 {
            return Err(wrong());
        }
        extents.resize(3, 1);
        Ok(Self(extents.try_into().map_err(|_| wrong())?))
    }
}

impl Grid {
    /// Gives it to all kernels that have none.
    pub fn fill(self, all: &mut [Chosen]) {
        for chosen in all.iter_mut().filter(|chosen| chosen.kernel.grid == [0; 3]) {
            chosen.kernel.grid = self.0;
        }
    }
}

/// A kernel of a manifest, of sizes that were chosen where it takes any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// How it is launched.
    pub kernel: Kernel,
    /// The family that it was taken from.
    pub family: Option<String>,
    /// The sizes, by name.
    pub sizes: Vec<(String, i64)>,
}

impl fmt::Display for Chosen {
    /// `gemm`, `gemm at m=7`, or of a family `gemm at m=7 (gemm_0)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, family, sizes } = self;
        f.write_str(family.as_deref().unwrap_or(&kernel.name))?;
        for (number, (name, value)) in sizes.iter().enumerate() {
            write!(f, "{}{name}={value}", if number == 0 { " at " } else { ", " })?;
        }
        match family {
            Some(_) => write!(f, " ({})", kernel.name),
            None => Ok(()),
        }
    }
}

impl Manifest {
    /// All kernels: each that takes sizes, and in place of variants each family, once for each of the values that are
    /// chosen, or each combination of them.
    ///
    /// # Errors
    ///
    /// A size without a value; values that a kernel does not take; combinations that are too many.
    pub fn chosen(&self, choices: &[Choice]) -> Result<Vec<Chosen>> {
        let plain = self.kernels.iter().cloned();
        let plain = plain.map(|kernel| Chosen { kernel, family: None, sizes: Vec::new() });
        let mut all: Vec<Chosen> = plain.collect();
        for template in self.templates_alone() {
            let of = format!("kernel {}", template.name());
            for values in combinations(&of, template.sizes(), choices)? {
                let sizes = named(template.sizes(), &values);
                all.push(Chosen { kernel: template.at(&values)?, family: None, sizes });
            }
        }
        for family in &self.families {
            let kernels = family.kernels(&self.templates)?;
            for values in combinations(&format!("family {}", family.name), &family.sizes, choices)?
            {
                let Some(template) = kernels.get(family.variant(&values)?) else { continue };
                let (sizes, name) = (named(&family.sizes, &values), family.name.clone());
                all.push(Chosen { kernel: template.at(&values)?, family: Some(name), sizes });
            }
        }
        Ok(all)
    }

    /// The names of all sizes that its kernels take.
    pub fn size_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let sizes = self.templates.iter().flat_map(|template| template.sizes());
        for size in sizes {
            if !names.contains(&size.name.as_str()) {
                names.push(&size.name);
            }
        }
        names
    }
}

/// Checks that each choice is of a size that a kernel takes.
///
/// # Errors
///
/// The first that is not.
pub fn check_names<'m>(
    manifests: impl IntoIterator<Item = &'m Manifest>,
    choices: &[Choice],
) -> Result<()> {
    let names: Vec<&str> = manifests.into_iter().flat_map(Manifest::size_names).collect();
    let unknown = choices.iter().find(|choice| !names.contains(&choice.name.as_str()));
    let Some(Choice { name, .. }) = unknown else { return Ok(()) };
    let mut known: Vec<&str> = Vec::new();
    for name in names {
        if !known.contains(&name) {
            known.push(name);
        }
    }
    Err(Error::Launch(match known[..] {
        [] => format!("expected no --size, as all sizes are static, found --size of {name}"),
        _ => format!(
            "expected --size of {}, found --size of {name}, which no kernel has",
            known.join(" or ")
        ),
    }))
}

fn named(sizes: &[Size], values: &[i64]) -> Vec<(String, i64)> {
    sizes.iter().zip(values).map(|(size, value)| (size.name.clone(), *value)).collect()
}

/// The values of all sizes, the last one's fastest.
fn combinations(of: &str, sizes: &[Size], choices: &[Choice]) -> Result<Vec<Vec<i64>>> {
    let values = |size: &Size| -> Vec<i64> {
        let own = choices.iter().filter(|choice| choice.name == size.name);
        own.flat_map(|choice| choice.values.iter().copied()).collect()
    };
    let missing: Vec<&Size> = sizes.iter().filter(|size| values(size).is_empty()).collect();
    if !missing.is_empty() {
        let expected = missing.iter().map(|size| format!("{} ({})", size.name, size.values()));
        let hint = missing.iter().map(|size| format!("--size {}=VALUE", size.name));
        return Err(Error::Launch(format!(
            "{of}: expected a value of {}, found none; give {}",
            expected.collect::<Vec<_>>().join(" and of "),
            hint.collect::<Vec<_>>().join(" ")
        )));
    }
    let mut all = vec![Vec::with_capacity(sizes.len())];
    for size in sizes {
        let values = values(size);
        let count = all.len().saturating_mul(values.len());
        if count > MAX_KERNELS {
            return Err(Error::Launch(format!(
                "{of}: expected at most {MAX_KERNELS} combinations of sizes, found {count} or more"
            )));
        }
        let with = |before: Vec<i64>| {
            values
                .iter()
                .map(move |value| before.iter().copied().chain([*value]).collect::<Vec<i64>>())
                .collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, sizes: &str) -> String {
        format!(
            r#"{{"name": "{name}", "chip": "sm_80", {sizes} "grid": [1, 1, 1], "block": [32, 1, 1],
                "shared_bytes": 0, "args": []}}"#
        )
    }

    fn manifest(kernels: &[String], families: &str) -> Manifest {
        let kernels = kernels.join(", ");
        let text = format!(r#"{{"version": 1, "kernels": [{kernels}], "families": [{families}]}}"#);
        Manifest::parse(&text).unwrap()
    }

    fn all() -> Manifest {
        let m = r#""sizes": [{"name": "m", "divisor": 2}],"#;
        let both = r#""sizes": [{"name": "m"}, {"name": "k", "most": 64}],"#;
        let kernels = [kernel("a", ""), kernel("b", both), kernel("c_0", m), kernel("c_1", m)];
        let family = r#"{"name": "c", "sizes": [{"name": "m", "divisor": 2}], "variants": [
            {"most": {"m": 16}, "kernel": "c_0"}, {"kernel": "c_1"}]}"#;
        manifest(&kernels, family)
    }

    fn choices(texts: &[&str]) -> Vec<Choice> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn each_combination_is_a_kernel() {
        let chosen = all().chosen(&choices(&["m=2,16", "k=8,9", "m=18"])).unwrap();
        let names: Vec<String> = chosen.iter().map(ToString::to_string).collect();
        let expected = [
            "a",
            "b at m=2, k=8",
            "b at m=2, k=9",
            "b at m=16, k=8",
            "b at m=16, k=9",
            "b at m=18, k=8",
            "b at m=18, k=9",
            "c at m=2 (c_0)",
            "c at m=16 (c_0)",
            "c at m=18 (c_1)",
        ];
        assert_eq!(names, expected);
        assert!(manifest(&[kernel("a", "")], "").chosen(&[]).unwrap()[0].sizes.is_empty());
    }

    #[test]
    fn sizes_that_are_missing_or_unknown_are_named() {
        let error = |texts: &[&str]| all().chosen(&choices(texts)).unwrap_err().to_string();
        assert_eq!(
            error(&[]),
            "launch: kernel b: expected a value of m (1 to 2147483647) and of k (1 to 64), found none; give --size \
             m=VALUE --size k=VALUE"
        );
        assert_eq!(
            error(&["m=7"]),
            "launch: kernel b: expected a value of k (1 to 64), found none; give --size k=VALUE"
        );
        assert_eq!(
            error(&["m=7", "k=64"]),
            "launch: family c, size m: expected 1 to 2147483647, a multiple of 2, found 7"
        );
        let many: Vec<String> = (1..200).map(|value| value.to_string()).collect();
        let many = many.join(",");
        assert_eq!(
            error(&[&format!("m={many}"), &format!("k={many}")]),
            "launch: kernel b: expected at most 10000 combinations of sizes, found 39601 or more"
        );
        let unknown = |manifest: &Manifest| {
            check_names([manifest], &choices(&["m=2", "n=7"])).unwrap_err().to_string()
        };
        assert_eq!(
            unknown(&all()),
            "launch: expected --size of m or k, found --size of n, which no kernel has"
        );
        assert_eq!(
            unknown(&manifest(&[kernel("a", "")], "")),
            "launch: expected no --size, as all sizes are static, found --size of m"
        );
        check_names([&all()], &choices(&["m=2", "k=7"])).unwrap();
    }

    #[test]
    fn a_grid_is_for_kernels_that_have_none() {
        assert_eq!("7".parse(), Ok(Grid([7, 1, 1])));
        assert_eq!("7, 2,3".parse(), Ok(Grid([7, 2, 3])));
        for text in ["", "0", "1,0", "1,2,3,4", "-1", "x"] {
            assert_eq!(
                text.parse::<Grid>(),
                Err(format!(
                    "expected one to three positive integers with commas between, found {text}"
                ))
            );
        }
        let open = kernel("a", "").replace("\"grid\": [1, 1, 1], ", "");
        let mut all = manifest(&[open, kernel("b", "")], "").chosen(&[]).unwrap();
        Grid([7, 2, 3]).fill(&mut all);
        assert_eq!((all[0].kernel.grid, all[1].kernel.grid), ([7, 2, 3], [1, 1, 1]));
    }

    #[test]
    fn choices_are_a_name_and_integers() {
        let choice = Choice { name: "m".into(), values: vec![1, 7, -16] };
        assert_eq!(" m =1, 7,-16".parse(), Ok(choice));
        for text in ["m", "m=", "m=1,", "=7", "m=x", "m=1.5", "m=9223372036854775808", ""] {
            assert_eq!(
                text.parse::<Choice>(),
                Err(format!(
                    "expected NAME=VALUE, with one integer or several and commas between, found {text}"
                ))
            );
        }
    }
}
