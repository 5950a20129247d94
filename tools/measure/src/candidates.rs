//! `cargo measure candidates FOLDER SHAPE…`: compiles the schedule space for some problems, for
//! `layout-run tune`.
//!
//! A schedule's space is a list of values for each key; which of their products are possible is
//! for the compiler to say, and which are worth a run for ptxas: a kernel that spills is left out. What
//! lies in the folder already is not compiled again, so that a run that was ended continues.

use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use layout_support::process::{self, Error};
use serde_json::{Value, json};

use crate::page::{read, write};
use crate::program::Program;
use crate::tools::{Tools, with_end};

/// The file that lists the folder for `layout-run tune`.
const INDEX: &str = "candidates.json";

/// How many stages are tried for each tile: the deepest that the compiler takes.
const DEPTHS: usize = 2;

/// Multiprocessors of an H200: with no more tiles than these, a second consumer group has nothing to do; and as many
/// blocks share the tiles along K.
const MULTIPROCESSORS: i64 = 132;

/// The space of a chip.
struct Space {
    chip: &'static str,
    /// A block's share of M, and the warps along it and N.
    rows: &'static [(i64, (i64, i64))],
    columns: &'static [i64],
    depths: &'static [i64],
    /// Deepest first.
    stages: &'static [i64],
    /// Whether schedules have keys for clusters, slices of K and the raster order.
    keys: bool,
}

const SPACES: &[Space] = &[
    Space {
        chip: "sm_90a",
        rows: &[(64, (4, 1)), (128, (4, 1)), (128, (8, 1)), (256, (8, 1))],
        columns: &[64, 128, 192, 256],
        depths: &[64, 128],
        stages: &[8, 7, 6, 5, 4, 3, 2],
        keys: true,
    },
    Space {
        chip: "sm_80",
        rows: &[(64, (2, 2)), (128, (2, 2)), (128, (2, 4)), (256, (4, 2))],
        columns: &[64, 128, 256],
        depths: &[32, 64],
        stages: &[5, 4, 3, 2],
        keys: false,
    },
];

/// A chip, and the key of its schedules that names an atom, by the columns of a warpgroup.
type Named = (&'static str, fn(i64) -> String);

/// The element that is multiplied: its type, its bytes, and the atom that takes it where it is not the one of its type.
struct Element {
    name: &'static str,
    bytes: i64,
    atom: Option<Named>,
}

const ELEMENTS: &[Element] = &[
    Element { name: "bf16", bytes: 2, atom: None },
    Element { name: "f16", bytes: 2, atom: None },
    Element { name: "f8E4M3FN", bytes: 1, atom: None },
    Element { name: "f8E5M2", bytes: 1, atom: None },
    Element { name: "i8", bytes: 1, atom: None },
    Element {
        name: "f32",
        bytes: 4,
        atom: Some(("sm_90a", |n| format!("mma = wgmma_m64n{n}k8_f32_tf32"))),
    },
];

/// The arguments of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Request {
    /// Where the candidates go; what lies there already is not compiled again
    folder: PathBuf,
    /// Problems, such as 4096x4096x128
    #[arg(required = true, value_parser = shape)]
    shapes: Vec<Shape>,
    /// Element type of A and B
    #[arg(long, default_value = "bf16", value_parser = PossibleValuesParser::new(ELEMENTS.iter().map(|element| element.name)))]
    element: String,
    /// The chip that is compiled for
    #[arg(long, default_value = "sm_90a", value_parser = PossibleValuesParser::new(SPACES.iter().map(|space| space.chip)))]
    chip: String,
    /// A and B by BLAS letters
    #[arg(long, default_value = "tn", value_parser = ["nn", "nt", "tn", "tt"])]
    transposes: String,
    /// Tiles, warps and stages alone, or the other keys too, one at a time
    #[arg(long, default_value = "tile", value_parser = ["tile", "all"])]
    keys: String,
}

/// M, N and K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape([i64; 3]);

impl Request {
    /// The element that is multiplied.
    fn element(&self) -> &'static Element {
        ELEMENTS.iter().find(|element| element.name == self.element).unwrap_or(&ELEMENTS[0])
    }

    /// The program of a shape and a schedule, which does not name the chip.
    fn program(&self, shape: [i64; 3], schedule: &str) -> String {
        let Self { element, transposes, chip, .. } = self;
        Program { element, transposes, batch: None, schedule, chip }.text(&[shape])
    }
}

fn shape(text: &str) -> Result<Shape, Error> {
    let extents: Option<Vec<i64>> =
        text.split('x').map(|extent| extent.parse().ok().filter(|&extent| extent > 0)).collect();
    extents
        .and_then(|extents| extents.try_into().ok().map(Shape))
        .ok_or_else(|| format!("expected a shape such as 4096x4096x128, found {text}"))
}

/// Compiles the space; true when there is a candidate.
pub(crate) fn run(tools: &Tools, request: &Request) -> Result<bool, Error> {
    let folder = &request.folder;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let space = SPACES
        .iter()
        .find(|space| space.chip == request.chip)
        .ok_or_else(|| format!("expected a chip with a space, found {}", request.chip))?;
    let mut index = Vec::new();
    for &Shape(shape) in &request.shapes {
        for tile in tiles(space, request.element()) {
            for keys in keys(request, space, shape, tile.0) {
                index.extend(compile(tools, request, space, shape, tile, &keys)?);
            }
            // After each tile: a run that is ended has an index of what is there.
            write(&folder.join(INDEX), &format!("{:#}\n", merged(folder, &index)?))?;
        }
    }
    println!("{} candidates in {}", index.len(), folder.display());
    Ok(!index.is_empty())
}

/// A block's tile, and its warps.
type Tile = ((i64, i64, i64), (i64, i64));

/// The tiles of a space, with BK scaled to the bytes that two-byte elements would have.
fn tiles(space: &Space, element: &Element) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for &(m, warps) in space.rows {
        for &n in space.columns {
            tiles.extend(space.depths.iter().map(|&k| ((m, n, k * 2 / element.bytes), warps)));
        }
    }
    tiles
}

/// The keys that are tried for a tile beside its stages: none, and each of the other keys, with the values that
/// the problem has room for.
fn keys(
    request: &Request,
    space: &Space,
    [m, n, k]: [i64; 3],
    tile: (i64, i64, i64),
) -> Vec<String> {
    let mut keys = vec![String::new()];
    if !space.keys || request.keys == "tile" {
        return keys;
    }
    if matches!(request.element.as_str(), "f8E4M3FN" | "f8E5M2") {
        keys.push("two_level_accumulation = true".to_owned());
    }
    let tiles = |extent: i64, tile: i64| (extent - 1) / tile + 1;
    let (rows, columns, depth) = (tiles(m, tile.0), tiles(n, tile.1), tiles(k, tile.2));
    let clusters = [(2, 1), (1, 2), (4, 1)];
    let fits = clusters.into_iter().filter(|&(cm, cn)| rows >= cm && columns >= cn);
    keys.extend(fits.map(|(cm, cn)| format!("cluster = ({cm},{cn})")));
    keys.push("swap_ab = true".to_owned());
    if rows * columns > MULTIPROCESSORS {
        keys.push("ping_pong = true".to_owned());
    }
    for parts in [2, 4, 8].into_iter().filter(|&parts| parts <= depth) {
        keys.push(format!("split_k = {parts}"));
        keys.push(format!("split_k = {parts}, swap_ab = true"));
    }
    // Where whole tiles do not come out even for the multiprocessors.
    if rows * columns % MULTIPROCESSORS != 0 && rows * columns * depth >= MULTIPROCESSORS {
        keys.push(format!("stream_k = {MULTIPROCESSORS}"));
    }
    // Tiles along M first, and along N first.
    if rows > 1 && columns > 1 {
        keys.push(format!("raster = \"({rows},{columns}):(1,{rows})\""));
        keys.push(format!("raster = \"({columns},{rows}):({rows},1)\""));
    }
    keys
}

/// The candidates of a tile: with the deepest pipelines that the compiler takes.
fn compile(
    tools: &Tools,
    request: &Request,
    space: &Space,
    [m, n, k]: [i64; 3],
    ((tm, tn, tk), (wm, wn)): Tile,
    keys: &str,
) -> Result<Vec<Value>, Error> {
    let mut found = Vec::new();
    for stages in space.stages {
        if found.len() == DEPTHS {
            break;
        }
        let atom = request.element().atom.filter(|(chip, _)| *chip == request.chip);
        let mut schedule =
            format!("tile = ({tm},{tn},{tk}), warps = ({wm},{wn}), stages = {stages}");
        for key in [keys.to_owned(), atom.map_or_else(String::new, |(_, atom)| atom(tn / wn))] {
            if !key.is_empty() {
                schedule = schedule + ", " + &key;
            }
        }
        let name = format!(
            "{m}x{n}x{k}_{}_{}_{}_{tm}x{tn}x{tk}_{wm}x{wn}_{stages}{}",
            request.element,
            request.transposes,
            request.chip,
            file_name(keys)
        );
        let base = request.folder.join(&name);
        let row = json!({"file": format!("{name}.ptx"), "schedule": schedule});
        if with_end(&base, "cubin").exists() {
            println!("    {name}: there");
            found.push(row);
            continue;
        }
        write(&with_end(&base, "mlir"), &request.program([m, n, k], &schedule))?;
        let translated = process::capture(&mut tools.translate(&base))?;
        if !translated.success {
            println!("    {name}: refused: {}", last_words(&translated.stderr));
            continue;
        }
        let fault = match tools.assemble(&base, &request.chip)? {
            Ok(assembled) if assembled.spilled == 0 => None,
            Ok(_) => Some("spills"),
            Err(_) => Some("refused by ptxas"),
        };
        if let Some(why) = fault {
            println!("    {name}: {why}");
            for end in ["ptx", "json", "cubin"] {
                // A kernel that is not a candidate must not look like one; it may not be there.
                let _ = std::fs::remove_file(with_end(&base, end));
            }
            continue;
        }
        println!("    {name}: compiled");
        found.push(row);
    }
    Ok(found)
}

/// Keys as a part of a file's name: what is neither a letter nor a digit becomes a line.
fn file_name(keys: &str) -> String {
    let words = keys.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::new(), |name, word| name + "_" + word)
}

fn last_words(output: &str) -> &str {
    output.lines().find(|line| line.contains("error")).unwrap_or("no reason").trim()
}

/// The index with what other runs put there.
fn merged(folder: &Path, rows: &[Value]) -> Result<Value, Error> {
    let path = folder.join(INDEX);
    let mut all: Vec<Value> = if path.exists() {
        serde_json::from_str(&read(&path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?
    } else {
        Vec::new()
    };
    for row in rows {
        if !all.iter().any(|other| other["file"] == row["file"]) {
            all.push(row.clone());
        }
    }
    Ok(Value::Array(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request as its arguments on the command line.
    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        request: Request,
    }

    fn request(arguments: &[&str]) -> Request {
        parsed(arguments).unwrap().request
    }

    fn parsed(arguments: &[&str]) -> Result<Line, clap::Error> {
        <Line as clap::Parser>::try_parse_from([&["candidates"], arguments].concat())
    }

    #[test]
    fn a_request_is_read() {
        let found = request(&["out", "16x8192x8192", "--element", "f16", "1x2x3"]);
        assert_eq!(found.shapes, [Shape([16, 8192, 8192]), Shape([1, 2, 3])]);
        assert_eq!((found.element.as_str(), found.chip.as_str()), ("f16", "sm_90a"));
        for (arguments, words) in [
            (&["out", "16x8192"][..], "expected a shape such as 4096x4096x128, found 16x8192"),
            (&["out", "1x1x1", "--chip", "sm_70"], "[possible values: sm_90a, sm_80]"),
            (
                &["out", "1x1x1", "--element", "f64"],
                "[possible values: bf16, f16, f8E4M3FN, f8E5M2, i8, f32]",
            ),
            (&["out"], "<SHAPES>..."),
        ] {
            let message = parsed(arguments).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
    }

    /// Elements of another width have as many bytes along K.
    #[test]
    fn elements_have_tiles() {
        let of = |name| {
            let request = request(&["out", "1x1x1", "--element", name]);
            let depths: std::collections::BTreeSet<i64> =
                tiles(&SPACES[0], request.element()).into_iter().map(|tile| tile.0.2).collect();
            Vec::from_iter(depths)
        };
        assert_eq!(of("bf16"), [64, 128]);
        assert_eq!(of("f8E4M3FN"), [128, 256]);
        assert_eq!(of("i8"), [128, 256]);
        assert_eq!(of("f32"), [32, 64]);
    }

    #[test]
    fn keys_have_room_in_the_problem() {
        let space = &SPACES[0];
        let of = |extra: &[&str], shape| {
            let request = request(&[&["out", "1x1x1"][..], extra].concat());
            keys(&request, space, shape, (64, 64, 64))
        };
        assert_eq!(of(&[], [512, 512, 512]), [""]);
        let small = ["", "swap_ab = true"];
        assert_eq!(of(&["--keys", "all"], [64, 64, 64]), small);
        let all = of(&["--keys", "all"], [128, 192, 128]);
        let expected = [
            "",
            "cluster = (2,1)",
            "cluster = (1,2)",
            "swap_ab = true",
            "split_k = 2",
            "split_k = 2, swap_ab = true",
            "raster = \"(2,3):(1,2)\"",
            "raster = \"(3,2):(2,1)\"",
        ];
        assert_eq!(all, expected);
        // Whole tiles that do not come out even, and whole waves.
        let streams = |shape| {
            let all = of(&["--keys", "all"], shape);
            all.contains(&"stream_k = 132".to_owned())
        };
        assert!(streams([1000, 1000, 1000]) && !streams([64 * 12, 64 * 11, 64]));
        assert_eq!(file_name(&all[6]), "_raster_2_3_1_2");
        assert_eq!(file_name(""), "");
    }
}
