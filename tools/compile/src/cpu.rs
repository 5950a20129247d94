//! `--run-on-cpu`: a function of a model on this machine, and how far its results are from those of upstream's loops.

use layout_compile::{Source, module};
use layout_lowering::{
    commands,
    model::{Backend, Kind, Model, Tensor},
};
use layout_runtime::{chosen::Choice, data};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Elements of 16 bits are rounded where the model says so, and sums have their own order.
const TOLERANCE_OF_16_BITS: f64 = 2e-2;

/// The same for others.
const TOLERANCE: f64 = 1e-4;

/// The options of the command line.
pub(crate) struct Options<'a> {
    pub(crate) chip: &'a str,
    pub(crate) function: Option<&'a str>,
    /// A folder with a file for each argument, in the order of their names.
    pub(crate) arguments: Option<&'a Path>,
    /// Where results are written.
    pub(crate) results: Option<&'a Path>,
    pub(crate) sizes: &'a [Choice],
    pub(crate) seed: u64,
    /// The steps that the function has.
    pub(crate) steps: u64,
    /// Whether results are compared with those of upstream's loops.
    pub(crate) compare: bool,
}

/// Runs it; false where diagnostics have reported why it could not, or results differ.
pub(crate) fn run(source: Source<'_>, options: &Options<'_>) -> Result<bool, String> {
    let context = commands::context(layout_passes::register_all);
    let model = |way| match module(&context, source) {
        None => Ok(None),
        Some(mut module) => Model::of(&context, &mut module, options.function, way),
    };
    let Some(kernels) = model(Backend::Kernels(options.chip))? else { return Ok(false) };
    let loops = match options.compare {
        false => None,
        true => match model(Backend::Loops)? {
            None => return Ok(false),
            found => found,
        },
    };
    let all = combinations(options.sizes)?;
    if all.len() > 1 && options.results.is_some() {
        return Err(format!("expected --results of one call, found {} sizes", all.len()));
    }
    let mut good = true;
    for sizes in &all {
        if all.len() > 1 {
            let named = sizes.iter().map(|(name, value)| format!("{name}={value}"));
            println!("at {}", named.collect::<Vec<_>>().join(", "));
        }
        good &= call(&kernels, loops.as_ref(), options, sizes)?;
    }
    Ok(good)
}

/// A value of each size.
type Sizes<'a> = Vec<(&'a str, i64)>;

/// Each combination of the values of sizes.
fn combinations<'a>(choices: &'a [Choice]) -> Result<Vec<Sizes<'a>>, String> {
    let mut all: Vec<Sizes<'a>> = vec![Vec::new()];
    for (i, choice) in choices.iter().enumerate() {
        if choices[..i].iter().any(|before| before.name == choice.name) {
            return Err(format!("expected --size of {} once, found it twice", choice.name));
        }
        let with = |before: &Sizes<'a>, value: &i64| {
            before.iter().copied().chain([(choice.name.as_str(), *value)]).collect()
        };
        let each = all
            .iter()
            .flat_map(|before| choice.values.iter().map(move |value| with(before, value)));
        all = each.collect();
    }
    Ok(all)
}

/// Calls the function once; false where results differ.
fn call(
    kernels: &Model,
    loops: Option<&Model>,
    options: &Options<'_>,
    sizes: &[(&str, i64)],
) -> Result<bool, String> {
    let arguments = arguments(kernels, options, sizes)?;
    for (i, own) in arguments.iter().enumerate() {
        println!("argument {i}: {}", described(own));
    }
    let results = kernels.call(&arguments, options.steps)?;
    let expected = loops.map(|loops| loops.call(&arguments, options.steps)).transpose()?;
    let mut good = true;
    for (i, own) in results.iter().enumerate() {
        let Some(expected) = expected.as_ref().and_then(|all| all.get(i)) else {
            println!("result {i}: {}", described(own));
            continue;
        };
        let narrow = kernels.arguments.iter().chain(&kernels.results);
        let narrow = narrow.into_iter().any(|kind| matches!(kind.element.as_str(), "f16" | "bf16"));
        let most = if narrow { TOLERANCE_OF_16_BITS } else { TOLERANCE };
        let error = match nothing(own, expected, &arguments) {
            Some(reason) => Err(reason),
            None => distance(own, expected)
                .ok_or_else(|| "elements that are numbers in one of them alone".to_owned()),
        };
        let is_right =
            own.shape == expected.shape && error.as_ref().is_ok_and(|error| *error <= most);
        let error = error.map_or_else(
            |reason| reason,
            |error| format!("relative error {error:.2e} (at most {most:.0e})"),
        );
        let verdict = if is_right { "right" } else { "WRONG" };
        println!("result {i}: {}, {error} against upstream's loops: {verdict}", described(own));
        good &= is_right;
    }
    if let Some(folder) = options.results {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        for (i, own) in results.iter().enumerate() {
            let path = folder.join(format!("result{i}.npy"));
            fs::write(&path, npy(own))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
    }
    Ok(good)
}

/// Why two results that agree say nothing: floats that nothing wrote, or that are no numbers where all arguments have numbers.
fn nothing(found: &Tensor, expected: &Tensor, arguments: &[Tensor]) -> Option<String> {
    let floats = |tensor: &Tensor| tensor.element.contains('f');
    let size = Kind { element: found.element.clone(), extents: Vec::new() }.element_bytes();
    // Memory has these bytes before it is written.
    let is_unwritten = |bytes: &&[u8]| bytes.iter().all(|byte| *byte == u8::MAX);
    let unwritten = expected.data.chunks(size).filter(is_unwritten).count();
    if !floats(found)
        || found.data.is_empty()
        || arguments.iter().any(|own| floats(own) && has_nan(own))
    {
        return None;
    }
    if unwritten > 0 {
        return Some(format!("{unwritten} elements of memory that nothing wrote"));
    }
    let are_none = [found, expected].iter().all(|own| values(own).all(f64::is_nan));
    are_none.then(|| "no number on either side".to_owned())
}

fn has_nan(tensor: &Tensor) -> bool {
    values(tensor).any(f64::is_nan)
}

/// The elements as numbers.
fn values(tensor: &Tensor) -> impl Iterator<Item = f64> {
    let kind = Kind { element: tensor.element.clone(), extents: Vec::new() };
    let size = kind.element_bytes();
    tensor.data.chunks(size).map(move |bytes| match kind.numbers() {
        Some(element) => data::decode(element, bytes),
        None => f64::from(bytes.first().is_some_and(|byte| *byte != 0)),
    })
}

/// The element type and the shape.
fn described(tensor: &Tensor) -> String {
    let shape: Vec<String> = tensor.shape.iter().map(i64::to_string).collect();
    format!("{} ({})", tensor.element, shape.join(","))
}

/// The arguments: from files, or at random.
fn arguments(
    model: &Model,
    options: &Options<'_>,
    sizes: &[(&str, i64)],
) -> Result<Vec<Tensor>, String> {
    let files = options.arguments.map(files).transpose()?;
    let count = model.arguments.len();
    if let Some(more) = files.as_ref().and_then(|files| files.get(count)) {
        let more = more.display();
        return Err(format!(
            "expected a file for each of {count} arguments, found {more} after them"
        ));
    }
    let mut random = data::Random::new(options.seed);
    let mut used = Vec::new();
    let mut all = Vec::with_capacity(model.arguments.len());
    for (i, kind) in model.arguments.iter().enumerate() {
        let (mut open, mut chosen) = (Vec::new(), Vec::new());
        let mut extent = |(d, known): (usize, &Option<i64>)| {
            let name = format!("arg{i}_{d}");
            let choice = sizes.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
            used.push(name.clone());
            chosen.push(choice);
            let own = known.or(choice);
            if own.is_none() {
                open.push(name);
            }
            own.unwrap_or(0)
        };
        let mut shape: Vec<i64> = kind.extents.iter().enumerate().map(&mut extent).collect();
        let file = files.as_ref().map(|files| {
            files.get(i).ok_or_else(|| {
                format!("expected a file for argument {i}, found {} files", files.len())
            })
        });
        let file = file.transpose()?;
        let numpy = file.filter(|path| path.extension().is_some_and(|own| own == "npy"));
        let numpy = numpy.map(|path| from_npy(path, kind, i)).transpose()?;
        if let Some(own) = &numpy {
            shape.clone_from(&own.shape);
        }
        let mut each =
            chosen.iter().zip(&shape).enumerate().filter(|_| numpy.is_some() || open.is_empty());
        if let Some((d, (Some(choice), found))) =
            each.find(|(_, (choice, own))| choice.is_some_and(|choice| choice != **own))
        {
            return Err(format!(
                "expected --size arg{i}_{d}={found}, as argument {i} has it, found {choice}"
            ));
        }
        if let Some(own) = numpy {
            all.push(own);
            continue;
        }
        if let Some(name) = open.first() {
            return Err(format!(
                "expected --size {name}=VALUE for argument {i}, {kind}, or a .npy file that has its shape"
            ));
        }
        if let Some(extent) = shape.iter().find(|extent| **extent < 0) {
            return Err(format!("expected extents of at least 0 for argument {i}, found {extent}"));
        }
        let data = match file {
            Some(path) => fs::read(path)
                .map_err(|error| format!("cannot read {}: {error}", path.display()))?,
            None => noise(kind, &shape, &mut random)?,
        };
        all.push(Tensor { element: kind.element.clone(), shape, data });
    }
    match sizes.iter().find(|(name, _)| !used.iter().any(|own| own == name)) {
        Some((unknown, _)) => Err(format!(
            "expected a size of an argument, such as arg0_1 for the second extent of the first, found {unknown}"
        )),
        None => Ok(all),
    }
}

/// The files of a folder, by their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let wrong = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(wrong)?;
    let mut all = entries
        .map(|own| own.map(|own| own.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(wrong)?;
    all.sort();
    Ok(all)
}

/// Floats of a normal distribution; integers that may be places in any table of several rows, small ones where they have 8 or 16 bits.
fn noise(kind: &Kind, shape: &[i64], random: &mut data::Random) -> Result<Vec<u8>, String> {
    let count =
        shape.iter().try_fold(1_usize, |all, own| all.checked_mul(usize::try_from(*own).ok()?));
    let bytes = count.and_then(|count| count.checked_mul(kind.element_bytes()));
    let bytes = bytes.filter(|bytes| *bytes < 1 << 36);
    let bytes = bytes.ok_or_else(|| {
        format!("expected arguments below 64 GiB, found {shape:?} of {}", kind.element)
    })?;
    let mut all = vec![0_u8; bytes];
    for own in all.chunks_mut(kind.element_bytes()) {
        let bits = random.bits() >> 32;
        match (kind.element.as_str(), kind.numbers()) {
            ("i8" | "i16", Some(element)) => data::encode(element, (bits % 9) as f64 - 4.0, own),
            ("i32" | "i64" | "index", Some(element)) => {
                data::encode(element, (bits % 2) as f64, own)
            }
            (_, Some(element)) => data::encode(element, random.normal(), own),
            (_, None) => own.fill((bits % 2) as u8),
        }
    }
    Ok(all)
}

/// The norm of the difference over that of what is expected, or `None` if one has a number and the other has none, or another infinity.
fn distance(found: &Tensor, expected: &Tensor) -> Option<f64> {
    let (mut difference, mut norm) = (0.0, 0.0);
    for (own, other) in values(found).zip(values(expected)) {
        if own.is_finite() && other.is_finite() {
            difference += (own - other) * (own - other);
            norm += other * other;
        } else if own.is_nan() != other.is_nan() || (!own.is_nan() && own != other) {
            return None;
        }
    }
    Some(if difference == 0.0 { 0.0 } else { (difference / norm).sqrt() })
}

/// The names of an element type in numpy's files, the one that is written first.
fn names(element: &str) -> &'static [&'static str] {
    match element {
        "f16" => &["<f2"],
        // numpy has none of its own; ml_dtypes writes bytes.
        "bf16" => &["<V2", "|V2", "<u2"],
        "f32" => &["<f4"],
        "f64" => &["<f8"],
        "i1" => &["|b1"],
        "i8" => &["|i1", "|u1"],
        "i16" => &["<i2", "<u2"],
        "i32" => &["<i4", "<u4"],
        _ => &["<i8", "<u8"],
    }
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// A tensor as numpy's file.
fn npy(tensor: &Tensor) -> Vec<u8> {
    let extents: String = tensor.shape.iter().map(|own| format!("{own},")).collect();
    let name = names(&tensor.element)[0];
    let mut header =
        format!("{{'descr': '{name}', 'fortran_order': False, 'shape': ({extents}), }}");
    // All before the elements are multiples of 64 bytes.
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX).to_le_bytes();
    [MAGIC, &[1, 0], &length, header.as_bytes(), &tensor.data].concat()
}

/// An argument from numpy's file.
fn from_npy(path: &Path, kind: &Kind, number: usize) -> Result<Tensor, String> {
    let all = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let shown = path.display();
    let wrong = |expected: &str| format!("expected {expected} in {shown}");
    let rest = all.strip_prefix(MAGIC).ok_or_else(|| wrong("an array as numpy.save writes it"))?;
    let (length, start): (usize, usize) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => {
            (usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).unwrap_or(usize::MAX), 6)
        }
        _ => return Err(wrong("a file of version 1, 2 or 3")),
    };
    let end = start.checked_add(length).filter(|end| *end <= rest.len());
    let end = end.ok_or_else(|| wrong("a whole header"))?;
    let header = String::from_utf8_lossy(&rest[start..end]).into_owned();
    let after =
        |key: &str| header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
    let element = after("descr").and_then(|rest| rest.strip_prefix('\'')?.split_once('\''));
    let (element, _) = element.ok_or_else(|| wrong("'descr' of numbers"))?;
    if !names(&kind.element).contains(&element) {
        return Err(format!(
            "expected {} for argument {number} in {shown}, found {element}",
            names(&kind.element).join(" or ")
        ));
    }
    if !after("fortran_order").is_some_and(|rest| rest.starts_with("False")) {
        return Err(wrong("an array in C's order"));
    }
    let shape = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| wrong("'shape'"))?;
    let extents = shape.split(',').map(str::trim).filter(|own| !own.is_empty());
    let shape: Result<Vec<i64>, _> = extents.map(str::parse).collect();
    let shape = shape.map_err(|_| wrong("integers as 'shape'"))?;
    if !kind.fits(&shape) {
        return Err(format!(
            "expected {kind} as argument {number}, found the shape {shape:?} in {shown}"
        ));
    }
    Ok(Tensor { element: kind.element.clone(), shape, data: rest[end..].to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_numpy_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        let tensor = Tensor {
            element: "f32".to_owned(),
            shape: vec![2, 1],
            data: vec![1, 2, 3, 4, 5, 6, 7, 8],
        };
        fs::write(&path, npy(&tensor)).unwrap();
        let kind = |element: &str, extents: &[Option<i64>]| Kind {
            element: element.to_owned(),
            extents: extents.to_vec(),
        };
        assert_eq!(from_npy(&path, &kind("f32", &[None, Some(1)]), 0), Ok(tensor));
        let error = from_npy(&path, &kind("f64", &[None, None]), 3).unwrap_err();
        assert_eq!(error, format!("expected <f8 for argument 3 in {}, found <f4", path.display()));
        let error = from_npy(&path, &kind("f32", &[None, Some(2)]), 3).unwrap_err();
        assert_eq!(
            error,
            format!(
                "expected f32 (?,2) as argument 3, found the shape [2, 1] in {}",
                path.display()
            )
        );
        fs::write(&path, b"\x93NUMPY\x01\x00\xff\xff").unwrap();
        assert_eq!(
            from_npy(&path, &kind("f32", &[]), 0),
            Err(format!("expected a whole header in {}", path.display()))
        );
    }
}
