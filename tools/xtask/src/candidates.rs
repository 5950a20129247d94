//! `cargo xtask candidates FOLDER SHAPE…`: compiles the schedule space for some problems, for
//! `layout-run tune`.
//!
//! What a schedule may be is a list of values for each key; which of their products are possible is
//! for the compiler to say, and which are worth a run for ptxas: a kernel that spills is left out. What
//! lies in the folder already is not compiled again, so that a run that was ended goes on.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::process::{self, Error};
use crate::{Outcome, ptxas, workspace};

/// What the folder holds, for `layout-run tune`.
const INDEX: &str = "candidates.json";

/// How many stages are tried for each tile: the deepest that the compiler takes.
const DEPTHS: usize = 2;

/// Multiprocessors of an H200: with no more tiles than these, a second team has nothing to do; and as many
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
    /// Whether schedules have keys for clusters, parts of K and the order of tiles.
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

/// What is multiplied: its type, its bytes, the type of the result, and the atom that takes it where it
/// is not the one of its type.
struct Element {
    name: &'static str,
    bytes: i64,
    result: &'static str,
    atom: Option<Named>,
}

const ELEMENTS: &[Element] = &[
    Element { name: "bf16", bytes: 2, result: "bf16", atom: None },
    Element { name: "f16", bytes: 2, result: "f16", atom: None },
    Element { name: "f8E4M3FN", bytes: 1, result: "bf16", atom: None },
    Element { name: "f8E5M2", bytes: 1, result: "bf16", atom: None },
    Element { name: "i8", bytes: 1, result: "i32", atom: None },
    Element {
        name: "f32",
        bytes: 4,
        result: "f32",
        atom: Some(("sm_90a", |n| format!("mma = wgmma_m64n{n}k8_f32_tf32"))),
    },
];

const USAGE: &str = "expected FOLDER SHAPE… [--element bf16|f16|f8E4M3FN|f8E5M2|i8|f32] [--chip sm_90a|sm_80] [--transposes \
                     nn|nt|tn|tt] [--keys tile|all], a SHAPE such as 4096x4096x128";

/// What was asked for.
#[derive(Debug, PartialEq)]
struct Request {
    folder: String,
    shapes: Vec<[i64; 3]>,
    element: String,
    chip: String,
    transposes: String,
    /// `tile` for tiles, warps and stages alone, `all` for the other keys too, one at a time.
    keys: String,
}

impl Request {
    fn parse(arguments: &[&str]) -> Result<Self, Error> {
        let mut request = Request {
            folder: String::new(),
            shapes: Vec::new(),
            element: "bf16".into(),
            chip: "sm_90a".into(),
            transposes: "tn".into(),
            keys: "tile".into(),
        };
        let elements: Vec<&str> = ELEMENTS.iter().map(|element| element.name).collect();
        let mut rest = arguments.iter();
        while let Some(&argument) = rest.next() {
            let (slot, known): (&mut String, &[&str]) = match argument {
                "--element" => (&mut request.element, &elements),
                "--chip" => (&mut request.chip, &["sm_90a", "sm_80"]),
                "--transposes" => (&mut request.transposes, &["nn", "nt", "tn", "tt"]),
                "--keys" => (&mut request.keys, &["tile", "all"]),
                _ if request.folder.is_empty() => {
                    argument.clone_into(&mut request.folder);
                    continue;
                }
                _ => {
                    request.shapes.push(shape(argument)?);
                    continue;
                }
            };
            let value = rest.next().copied().unwrap_or("nothing");
            if !known.contains(&value) {
                let known = known.join(", ");
                return Err(format!("expected one of {known} after {argument}, found {value}"));
            }
            value.clone_into(slot);
        }
        if request.shapes.is_empty() {
            return Err(format!("{USAGE}; found no shape"));
        }
        Ok(request)
    }

    /// What is multiplied.
    fn element(&self) -> &'static Element {
        ELEMENTS.iter().find(|element| element.name == self.element).unwrap_or(&ELEMENTS[0])
    }

    /// The program of a shape and a schedule, which does not name the chip.
    fn program(&self, [m, n, k]: [i64; 3], schedule: &str) -> String {
        let view = |element: &str, rows: i64, columns: i64, by_rows: bool| {
            let stride = if by_rows { format!("({columns},1)") } else { format!("(1,{rows})") };
            format!("!layout.view<{element}, global, ({rows},{columns}):{stride}>")
        };
        let a = view(&self.element, m, k, self.transposes.starts_with('t'));
        let b = view(&self.element, n, k, self.transposes.ends_with('n'));
        let c = view(self.element().result, m, n, true);
        format!(
            "func.func @gemm(%a: {a}, %b: {b}, %c: {c}) {{\n  layout.matmul %a, %b, %c\n    \
             schedule(#layout.schedule<{schedule}, chip = \"{}\">)\n    : {a}, {b}, {c}\n  return\n}}\n",
            self.chip
        )
    }
}

fn shape(text: &str) -> Result<[i64; 3], Error> {
    let extents: Option<Vec<i64>> =
        text.split('x').map(|extent| extent.parse().ok().filter(|&extent| extent > 0)).collect();
    extents
        .and_then(|extents| extents.try_into().ok())
        .ok_or_else(|| format!("expected a shape such as 4096x4096x128, found {text}"))
}

pub(crate) fn run(arguments: &[&str]) -> Outcome {
    let request = Request::parse(arguments)?;
    let folder = Path::new(&request.folder);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let translate = workspace::build_compiler()?.join("layout-translate");
    let ptxas = ptxas::provide()?;
    let space = SPACES
        .iter()
        .find(|space| space.chip == request.chip)
        .ok_or_else(|| format!("expected a chip with a space, found {}", request.chip))?;
    let mut index = Vec::new();
    for &shape in &request.shapes {
        for tile in tiles(space, request.element()) {
            for keys in keys(&request, space, shape, tile.0) {
                index.extend(compile(&request, space, shape, tile, &keys, [&translate, &ptxas])?);
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

/// The tiles of a space, with as many bytes along K as those of elements of two bytes.
fn tiles(space: &Space, element: &Element) -> Vec<Tile> {
    let mut tiles = Vec::new();
    for &(m, warps) in space.rows {
        for &n in space.columns {
            tiles.extend(space.depths.iter().map(|&k| ((m, n, k * 2 / element.bytes), warps)));
        }
    }
    tiles
}

/// What is tried for a tile beside its stages: nothing, and each of the other keys, with the values that
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
        keys.push("promote = true".to_owned());
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
    request: &Request,
    space: &Space,
    [m, n, k]: [i64; 3],
    ((tm, tn, tk), (wm, wn)): Tile,
    keys: &str,
    [translate, ptxas]: [&Path; 2],
) -> Result<Vec<Value>, Error> {
    let folder = Path::new(&request.folder);
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
        let place = |end: &str| folder.join(format!("{name}.{end}"));
        let row = json!({"file": format!("{name}.ptx"), "schedule": schedule});
        if place("cubin").exists() {
            println!("    {name}: there");
            found.push(row);
            continue;
        }
        write(&place("mlir"), &request.program([m, n, k], &schedule))?;
        let mut command = Command::new(translate);
        command.arg(place("mlir")).args(["--pipeline", "--layout-to-ptx", "--manifest"]);
        let translated = process::capture(command.arg(place("json")).arg("-o").arg(place("ptx")))?;
        if !translated.success {
            println!("    {name}: refused: {}", last_words(&translated.stderr));
            continue;
        }
        let mut command = Command::new(ptxas);
        command.args(["--verbose", "--gpu-name", &request.chip]).arg(place("ptx"));
        let assembled = process::capture(command.arg("-o").arg(place("cubin")))?;
        let said = assembled.stdout + &assembled.stderr;
        if !assembled.success || spills(&said) {
            let why = if assembled.success { "spills" } else { "refused by ptxas" };
            println!("    {name}: {why}");
            for end in ["ptx", "json", "cubin"] {
                // A kernel that is not a candidate must not look like one; it may not be there.
                let _ = std::fs::remove_file(place(end));
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

/// Whether ptxas says that a kernel spills.
fn spills(said: &str) -> bool {
    said.lines().filter(|line| line.contains(" bytes spill ")).any(|line| {
        let none = ["0 bytes spill stores", "0 bytes spill loads"];
        line.split(',')
            .map(str::trim)
            .filter(|part| part.contains("spill"))
            .any(|part| !none.contains(&part))
    })
}

fn last_words(said: &str) -> &str {
    said.lines().find(|line| line.contains("error")).unwrap_or("no reason").trim()
}

/// The index with what other runs put there.
fn merged(folder: &Path, rows: &[Value]) -> Result<Value, Error> {
    let path = folder.join(INDEX);
    let mut all: Vec<Value> = match std::fs::read_to_string(&path) {
        Ok(text) => {
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?
        }
        Err(_) => Vec::new(),
    };
    for row in rows {
        if !all.iter().any(|other| other["file"] == row["file"]) {
            all.push(row.clone());
        }
    }
    Ok(Value::Array(all))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read() {
        let request =
            Request::parse(&["out", "16x8192x8192", "--element", "f16", "1x2x3"]).unwrap();
        assert_eq!(request.shapes, [[16, 8192, 8192], [1, 2, 3]]);
        assert_eq!((request.element.as_str(), request.chip.as_str()), ("f16", "sm_90a"));
        assert_eq!(
            Request::parse(&["out", "16x8192"]).unwrap_err(),
            "expected a shape such as 4096x4096x128, found 16x8192"
        );
        assert_eq!(
            Request::parse(&["out", "--chip", "sm_70"]).unwrap_err(),
            "expected one of sm_90a, sm_80 after --chip, found sm_70"
        );
        assert_eq!(
            Request::parse(&["out", "--element", "f64"]).unwrap_err(),
            "expected one of bf16, f16, f8E4M3FN, f8E5M2, i8, f32 after --element, found f64"
        );
        assert_eq!(Request::parse(&["out"]).unwrap_err(), format!("{USAGE}; found no shape"));
    }

    #[test]
    fn a_program_names_layouts_and_schedule() {
        let request = Request::parse(&["out", "8x16x4", "--transposes", "nt"]).unwrap();
        let program = request.program([8, 16, 4], "tile = (64,64,64), warps = (4,1), stages = 2");
        assert!(program.contains("%a: !layout.view<bf16, global, (8,4):(1,8)>"), "{program}");
        assert!(program.contains("%b: !layout.view<bf16, global, (16,4):(1,16)>"), "{program}");
        assert!(program.contains("stages = 2, chip = \"sm_90a\">)"), "{program}");
    }

    /// Elements of another width have as many bytes along K, and a result of their own.
    #[test]
    fn elements_have_tiles_and_results() {
        let of = |name| {
            let request = Request::parse(&["out", "1x1x1", "--element", name]).unwrap();
            let depths: std::collections::BTreeSet<i64> =
                tiles(&SPACES[0], request.element()).into_iter().map(|tile| tile.0.2).collect();
            (Vec::from_iter(depths), request.element().result)
        };
        assert_eq!(of("bf16"), (vec![64, 128], "bf16"));
        assert_eq!(of("f8E4M3FN"), (vec![128, 256], "bf16"));
        assert_eq!(of("i8"), (vec![128, 256], "i32"));
        assert_eq!(of("f32"), (vec![32, 64], "f32"));
    }

    #[test]
    fn keys_have_room_in_the_problem() {
        let space = &SPACES[0];
        let of = |extra: &[&str], shape| {
            let request = Request::parse(&[&["out", "1x1x1"][..], extra].concat()).unwrap();
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

    #[test]
    fn spills_are_seen() {
        let line = |stores, loads| {
            format!(
                "    8 bytes stack frame, {stores} bytes spill stores, {loads} bytes spill loads"
            )
        };
        assert!(!spills(&line(0, 0)));
        assert!(spills(&line(8, 0)) && spills(&line(10, 0)) && spills(&line(0, 4)));
    }
}
