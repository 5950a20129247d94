//! Kinds of faults, each a change of one place of a program's text.

use layout_random::Numbers;

/// Where a fault is planted: in a program of layout operations, or in what it is lowered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Layouts,
    Lowered,
}

/// Changes a line, which has this number, of a program; returns `None` if it is not of this kind.
type Change = fn(&[&str], usize, &mut Numbers) -> Option<Vec<String>>;

/// A kind of faults.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    change: Change,
}

impl Kind {
    /// Plants a fault at a place by a seed: the text, and the line before and after.
    pub(crate) fn plant(&self, text: &str, random: &mut Numbers) -> Option<(String, String)> {
        let lines: Vec<&str> = text.lines().collect();
        let places: Vec<usize> = (0..lines.len())
            .filter(|&at| (self.change)(&lines, at, &mut Numbers::of_seed(1)).is_some())
            .collect();
        if places.is_empty() {
            return None;
        }
        let at = places[random.index(places.len())];
        let changed = (self.change)(&lines, at, random)?;
        let what = format!("{} -> {}", lines[at].trim(), changed.join(" ").trim());
        let mut all: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        all.splice(at..=at, changed);
        Some((all.join("\n"), what))
    }
}

fn one(line: String) -> Option<Vec<String>> {
    Some(vec![line])
}

/// Removes a line that holds a text.
fn without(lines: &[&str], at: usize, text: &str) -> Option<Vec<String>> {
    lines[at].contains(text).then(Vec::new)
}

/// The number after a text: where it begins and ends, and what it is.
fn number(line: &str, before: &str) -> Option<(usize, usize, i64)> {
    let from = line.find(before)? + before.len();
    let rest = &line[from..];
    let length = rest.char_indices().find(|&(i, c)| !(c.is_ascii_digit() || (i == 0 && c == '-')));
    let length = length.map_or(rest.len(), |(i, _)| i);
    Some((from, from + length, rest[..length].parse().ok()?))
}

/// With another number after a text.
fn with_number(line: &str, before: &str, change: impl Fn(i64) -> i64) -> Option<Vec<String>> {
    let (from, to, value) = number(line, before)?;
    let changed = change(value);
    (changed != value).then_some(())?;
    one(format!("{}{changed}{}", &line[..from], &line[to..]))
}

/// The name that a line defines.
fn defined(line: &str) -> Option<&str> {
    let name = line.trim().split(" = ").next()?;
    name.starts_with('%').then(|| name.split(':').next().unwrap_or(name))
}

fn uses(line: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    line.match_indices(name).any(|(at, _)| ends(&line[at + name.len()..]))
}

/// A constant that is the bound, or the step, of some loop.
fn of_loop(lines: &[&str], at: usize, word: &str) -> Option<()> {
    let line = lines[at];
    let name = line.contains("arith.constant").then(|| defined(line))??;
    let pattern = format!(" {word} {name}");
    lines
        .iter()
        .any(|line| {
            line.contains("scf.for") && line.contains("=") && {
                line.match_indices(&pattern).any(|(i, _)| {
                    !line[i + pattern.len()..]
                        .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                })
            }
        })
        .then_some(())
}

/// A constant that operations of these names use.
fn of_operations(lines: &[&str], at: usize, names: &[&str]) -> Option<()> {
    let line = lines[at];
    let name = line.contains("arith.constant").then(|| defined(line))??;
    let used = |line: &&&str| uses(line, name) && names.iter().any(|n| line.contains(n));
    lines
        .iter()
        .enumerate()
        .filter(|&(other, _)| other != at)
        .map(|(_, l)| l)
        .find(used)
        .map(|_| ())
}

/// The last line that holds a text.
fn is_last(lines: &[&str], at: usize, text: &str) -> bool {
    lines.iter().rposition(|line| line.contains(text)) == Some(at)
}

/// Exchanges two texts in a line.
fn exchanged(line: &str, a: &str, b: &str) -> Option<Vec<String>> {
    let text = line.replace(a, "\u{1}").replace(b, a).replace('\u{1}', b);
    (text != line).then_some(())?;
    one(text)
}

/// All kinds.
pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "missing barrier",
        level: Level::Layouts,
        change: |lines, at, _| without(lines, at, "gpu.barrier"),
    },
    Kind {
        name: "wrong wait count",
        level: Level::Layouts,
        change: |lines, at, random| {
            let more = 1 + random.index(2) as i64;
            with_number(lines[at], "nvvm.cp.async.wait.group ", |count| count + more)
        },
    },
    Kind {
        name: "missing wait",
        level: Level::Layouts,
        change: |lines, at, _| without(lines, at, "nvvm.cp.async.wait.group"),
    },
    Kind {
        name: "missing commit",
        level: Level::Layouts,
        change: |lines, at, _| without(lines, at, "nvvm.cp.async.commit.group"),
    },
    Kind {
        name: "dropped predicate",
        level: Level::Layouts,
        change: |lines, at, _| match lines[at] {
            line if line.contains("layout.copy") => with_number(line, " < ", |_| 1_000_000),
            line if line.contains("arith.cmpi slt") => {
                one(line.replace("arith.cmpi slt", "arith.cmpi sge"))
            }
            _ => None,
        },
    },
    Kind {
        name: "predicate off by one",
        level: Level::Layouts,
        change: |lines, at, random| match lines[at] {
            line if line.contains("layout.copy") => {
                let by = if random.index(2) == 0 { 1 } else { -1 };
                with_number(line, " < ", |limit| limit + by)
            }
            line if line.contains("arith.cmpi slt") => {
                one(line.replace("arith.cmpi slt", "arith.cmpi sle"))
            }
            _ => None,
        },
    },
    Kind {
        name: "lost mask in the epilogue",
        level: Level::Layouts,
        change: |lines, at, random| {
            let line = lines[at];
            let last = is_last(lines, at, "layout.copy") && line.contains("predicate(");
            last.then_some(())?;
            match random.index(2) {
                0 => with_number(line, " < ", |_| 1_000_000),
                _ => {
                    // The second one.
                    let second = line.rfind(" < ")?;
                    let rest = with_number(&line[second..], " < ", |_| 1_000_000)?;
                    one(format!("{}{}", &line[..second], rest[0]))
                }
            }
        },
    },
    Kind {
        name: "wrong offset",
        level: Level::Layouts,
        change: |lines, at, random| {
            of_operations(lines, at, &["layout.slice", "arith.addi", "arith.subi", "layout.load"])?;
            let by = if random.index(2) == 0 { 1 } else { -1 };
            with_number(lines[at], "arith.constant ", |value| value + by)
        },
    },
    Kind {
        name: "dropped store",
        level: Level::Layouts,
        change: |lines, at, _| match lines[at].trim() {
            line if ["layout.copy", "layout.store", "layout.fill"]
                .iter()
                .any(|n| line.starts_with(n)) =>
            {
                Some(Vec::new())
            }
            _ => None,
        },
    },
    Kind {
        name: "duplicated store",
        level: Level::Layouts,
        change: |lines, at, _| {
            let line = lines[at];
            // Past the end of what predicates it, or with another block's coordinate.
            let is_store = line.trim().starts_with("layout.store") || line.contains("simt");
            is_store.then_some(())?;
            Some(vec![line.to_owned(), "gpu.barrier".to_owned(), line.to_owned()])
        },
    },
    Kind {
        name: "wrong loop bound",
        level: Level::Layouts,
        change: |lines, at, random| {
            of_loop(lines, at, "to")?;
            let by = if random.index(2) == 0 { 1 } else { -1 };
            with_number(lines[at], "arith.constant ", |value| value + by)
        },
    },
    Kind {
        name: "wrong loop step",
        level: Level::Layouts,
        change: |lines, at, _| {
            of_loop(lines, at, "step")?;
            with_number(lines[at], "arith.constant ", |value| value + 1)
        },
    },
    Kind {
        name: "swapped operands",
        level: Level::Layouts,
        change: |lines, at, _| {
            let line = lines[at];
            if line.contains("arith.subi") {
                let (head, operands) = line.split_once("arith.subi ")?;
                let (operands, r#type) = operands.split_once(" : ")?;
                let (a, b) = operands.split_once(", ")?;
                return one(format!("{head}arith.subi {b}, {a} : {type}"));
            }
            (line.contains("layout.slice")
                || line.contains("local_tile")
                || line.contains("layout.store"))
            .then_some(())?;
            let pairs = [
                ("%block_id_x", "%block_id_y"),
                ("%thread_id_x", "%block_id_x"),
                ("#1", "#2"),
                ("#0", "#1"),
            ];
            pairs
                .iter()
                .find_map(|&(a, b)| {
                    (line.contains(a) && line.contains(b)).then(|| exchanged(line, a, b))?
                })
                .or_else(|| {
                    let only = line.contains("%block_id_x") && !line.contains("%block_id_y");
                    let defined = lines.iter().any(|line| line.trim().starts_with("%block_id_y ="));
                    (only && defined).then(|| one(line.replace("%block_id_x", "%block_id_y")))?
                })
        },
    },
    Kind {
        name: "wrong atom slice",
        level: Level::Layouts,
        change: |lines, at, _| {
            let line = lines[at];
            line.contains("layout.slice").then_some(())?;
            match line {
                line if line.contains("(_, 0)") => one(line.replace("(_, 0)", "(_, 1)")),
                line if line.contains("(_, 1)") => one(line.replace("(_, 1)", "(_, 0)")),
                _ => None,
            }
        },
    },
    Kind {
        name: "wrong thread layout",
        level: Level::Layouts,
        change: |lines, at, _| {
            let line = lines[at];
            let pairs = [
                ("%thread_id_x, #layout<(32,2)>", "%thread_id_x, #layout<(16,4)>"),
                ("%thread_id_x, #layout<(32,2,1)>", "%thread_id_x, #layout<(32,1,2)>"),
                ("%thread_id_x, #layout<(32,1,2)>", "%thread_id_x, #layout<(32,2,1)>"),
                ("%thread_id_x, #layout<(32,2,2)>", "%thread_id_x, #layout<(16,4,2)>"),
                ("%thread_id_x, #layout<(32,1,1)>", "%thread_id_x, #layout<(16,2,1)>"),
                ("%thread_id_x, #layout<(8,4,1,1)>", "%thread_id_x, #layout<(4,8,1,1)>"),
                ("#layout<(8,32):(32,1)>", "#layout<(8,32):(1,8)>"),
                ("#layout<(32,32):(32,1)>", "#layout<(32,32):(1,32)>"),
            ];
            pairs.iter().find_map(|(a, b)| line.contains(a).then(|| one(line.replace(a, b)))?)
        },
    },
    Kind {
        name: "wrong stride",
        level: Level::Lowered,
        change: |lines, at, random| {
            of_operations(lines, at, &["arith.muli", "arith.shli"])?;
            let by = 1 + random.index(3) as i64;
            with_number(lines[at], "arith.constant ", |value| value + by)
        },
    },
    Kind {
        name: "wrong swizzle",
        level: Level::Lowered,
        change: |lines, at, random| {
            let line = lines[at];
            if line.contains("arith.xori") && !line.contains("i1") {
                return one(line.replace("arith.xori", "arith.addi"));
            }
            of_operations(lines, at, &["arith.andi", "arith.shrui"])?;
            let by = 1 + random.index(2) as i64;
            with_number(line, "arith.constant ", |value| value + by)
        },
    },
    Kind {
        name: "wrong sign",
        level: Level::Lowered,
        change: |lines, at, random| {
            let line = lines[at];
            let pairs = [
                ("arith.cmpi slt", "arith.cmpi sgt"),
                ("arith.cmpi ult", "arith.cmpi ule"),
                ("arith.cmpi slt", "arith.cmpi sle"),
                ("arith.subi", "arith.addi"),
            ];
            let found: Vec<_> = pairs.iter().filter(|(a, _)| line.contains(a)).collect();
            let (a, b) = found.get(random.index(found.len()))?;
            one(line.replace(a, b))
        },
    },
    Kind {
        name: "overlapping buffers",
        level: Level::Lowered,
        change: |lines, at, random| {
            let line = lines[at];
            line.contains("llvm.getelementptr").then_some(())?;
            let shared = line.contains("!llvm.ptr<3>");
            shared.then_some(())?;
            let by = [64, -64, 16][random.index(3)];
            with_number(line, "[", |value| value + by)
        },
    },
    Kind {
        name: "wrong parity, box or count",
        level: Level::Lowered,
        change: |lines, at, random| {
            let line = lines[at];
            if line.contains("box = array<i64: ") {
                return with_number(line, "box = array<i64: ", |extent| extent - 1);
            }
            let barriers = ["nvvm.mbarrier", "try_wait", "mbarrier.init", "expect_tx"];
            of_operations(lines, at, &barriers)?;
            let by = 1 + random.index(2) as i64;
            with_number(line, "arith.constant ", |value| value + by)
        },
    },
    Kind {
        name: "lost phase of a barrier",
        level: Level::Lowered,
        change: |lines, at, _| {
            let words = ["nvvm.mbarrier.try_wait", "nvvm.mbarrier.arrive", "nvvm.mbarrier.init"];
            words.iter().find_map(|word| without(lines, at, word))
        },
    },
    Kind {
        name: "lost wait for a bulk copy or MMAs",
        level: Level::Lowered,
        change: |lines, at, _| {
            let words = [
                "nvvm.wgmma.wait.group",
                "nvvm.wgmma.commit.group",
                "nvvm.cp.async.bulk.wait_group",
                "nvvm.cp.async.bulk.commit.group",
                "nvvm.barrier id",
            ];
            words.iter().find_map(|word| without(lines, at, word))
        },
    },
];
