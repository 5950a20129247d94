//! Races, and waits that are missing, each a change of some lines of a kernel's text.

/// A changed program.
pub(crate) struct Mutant {
    /// The kind of change.
    pub(crate) kind: &'static str,
    /// The lines that changed.
    pub(crate) what: String,
    pub(crate) text: String,
}

/// The lines of a kernel, and those of its function.
struct Lines<'t> {
    all: Vec<&'t str>,
    own: std::ops::Range<usize>,
}

/// Changes at a line; returns `None` if the line is not of this kind.
type Change = fn(&Lines<'_>, usize) -> Option<Edit>;

/// Lines that are taken away, and those that come before others.
#[derive(Default)]
struct Edit {
    gone: Vec<usize>,
    /// Before which line, and what.
    new: Vec<(usize, String)>,
}

impl Edit {
    fn without(mut self, at: usize) -> Self {
        self.gone.push(at);
        self
    }

    fn with(mut self, before: usize, line: impl Into<String>) -> Self {
        self.new.push((before, line.into()));
        self
    }

    /// Another line in place of one.
    fn instead(self, at: usize, line: impl Into<String>) -> Self {
        self.without(at).with(at, line)
    }

    fn apply(&self, lines: &Lines<'_>) -> (String, String) {
        let (mut text, mut what) = (String::new(), String::new());
        for (at, line) in lines.all.iter().enumerate() {
            for (_, new) in self.new.iter().filter(|(before, _)| *before == at) {
                text.push_str(new);
                text.push('\n');
                what.push_str(&format!("+{} ", new.trim()));
            }
            if self.gone.contains(&at) {
                what.push_str(&format!("-{} ", line.trim()));
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        (text, what)
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The view that a line writes, if that is shared memory.
fn writes_shared(line: &str) -> bool {
    let line = line.trim();
    let types = line.rsplit_once(" : ").map_or("", |(_, types)| types);
    let target = types.rsplit_once("!layout.view<").map_or("", |(_, target)| target);
    (line.starts_with("layout.copy") || line.starts_with("layout.store"))
        && target.contains(", shared, ")
}

/// Whether a line reads or writes shared memory.
fn touches_shared(line: &str) -> bool {
    let is_access = line.trim().starts_with("layout.copy") || line.contains("= layout.load ");
    writes_shared(line) || (is_access && line.contains(", shared, "))
}

impl Lines<'_> {
    /// Without a line of an operation.
    fn without(&self, at: usize, operation: &str) -> Option<Edit> {
        self.all[at].trim().starts_with(operation).then(|| Edit::default().without(at))
    }

    fn is_barrier(&self, at: usize) -> bool {
        self.all[at].trim() == "gpu.barrier"
    }

    /// The nearest access of shared memory before a line, or what holds it and is beside the line.
    fn before(&self, at: usize) -> Option<usize> {
        let own = indent(self.all[at]);
        let mut found = None;
        for line in (self.own.start..at).rev() {
            let text = self.all[line];
            if indent(text) < own || text.trim() == "gpu.barrier" {
                return None;
            }
            if touches_shared(text) {
                found = Some(line);
                break;
            }
        }
        (self.own.start..=found?).rev().find(|&line| indent(self.all[line]) == own)
    }

    /// The nearest access of shared memory after a line and beside it.
    fn next_access(&self, at: usize) -> Option<usize> {
        let own = indent(self.all[at]);
        let inside = at + 1..self.own.end;
        let mut inside = inside.take_while(|&line| {
            indent(self.all[line]) >= own && self.all[line].trim() != "gpu.barrier"
        });
        inside.find(|&line| indent(self.all[line]) == own && touches_shared(self.all[line]))
    }

    /// The number that a constant's name stands for.
    fn constant(&self, name: &str) -> Option<i64> {
        let start = format!("{name} = arith.constant ");
        let line = self.all[self.own.clone()]
            .iter()
            .find_map(|line| line.trim().strip_prefix(start.as_str()))?;
        line.split(' ').next()?.parse().ok()
    }

    /// A stage: what is divided, and by what, where the remainder selects a buffer in shared memory.
    fn stage(&self, at: usize) -> Option<(&str, &str, &str)> {
        let (name, rest) = self.all[at].trim().split_once(" = arith.remui ")?;
        let (value, modulus) = rest.strip_suffix(" : index")?.split_once(", ")?;
        let is_used = |line: &&str| {
            line.contains("layout.slice") && line.contains(", shared, ") && uses(line, name)
        };
        self.all[self.own.clone()].iter().find(|line| is_used(line))?;
        Some((name, value, modulus))
    }

    /// Whether a view, or a part of it, is the target of a copy or store.
    fn is_written(&self, name: &str) -> bool {
        self.all[self.own.clone()].iter().any(|line| {
            let part = line.trim().split_once(&format!(" = layout.slice {name}("));
            let is_target = line.contains(&format!(", {name} :"))
                || line.contains(&format!(", {name} predicate"));
            (writes_shared(line) && is_target)
                || part.is_some_and(|(part, _)| self.is_written(part))
        })
    }

    /// Whether the view that a line defines, or a part of it, is the target of a copy or store.
    fn is_target(&self, at: usize, name: &str) -> bool {
        let start = format!(" = layout.slice {name}(");
        let mut parts = (at + 1..self.own.end)
            .filter_map(|line| Some((line, self.all[line].trim().split_once(start.as_str())?.0)));
        if parts.any(|(line, part)| self.is_target(line, part)) {
            return true;
        }
        let ends = [" :", " predicate", "("].map(|end| format!(", {name}{end}"));
        let own = indent(self.all[at]);
        let mut later = (at + 1..self.own.end).take_while(|&line| indent(self.all[line]) >= own);
        later.any(|line| {
            let line = self.all[line];
            let mut stores = ["layout.copy", "layout.store"].iter();
            stores.any(|operation| line.trim().starts_with(operation))
                && ends.iter().any(|end| line.contains(end))
        })
    }

    /// A part of a result that is chosen by another index: the first of those that choose it, or the last.
    fn elsewhere(&self, at: usize, which: usize, operation: &str, by: i64) -> Option<Edit> {
        let line = self.all[at];
        let (name, rest) = line.trim().split_once(" = layout.slice ")?;
        let (coordinate, r#type) = rest.split_once(" : ")?;
        (r#type.contains(", global, ") && self.is_target(at, name)).then_some(())?;
        let mut indices: Vec<&str> = coordinate
            .split(|c: char| "(), ".contains(c))
            .skip(1)
            .filter(|word| word.starts_with('%'))
            .collect();
        indices.dedup();
        // One thread's stores to one place, in its own order, are no race; those of two threads are, where few places are left.
        let is_own = |index: &str| match operation {
            "arith.divui" | "arith.ori" | "arith.maxui" => self.counts(at, index, true),
            _ => self.counts(at, index, false),
        };
        indices.retain(|index| !is_own(index));
        let index = match which {
            0 => indices.first()?,
            _ => indices.last().filter(|_| indices.len() > 1)?,
        };
        Some(
            Edit::default()
                .with(at, format!("%of_mutant = arith.constant {by} : index"))
                .with(at, format!("%index_of_mutant = {operation} {index}, %of_mutant : index"))
                .instead(at, renamed(line, index, "%index_of_mutant")),
        )
    }

    /// Whether an index at a line is the counter of a loop around it, or, with `sums`, the sum of one and another index.
    fn counts(&self, at: usize, index: &str, sums: bool) -> bool {
        let own = indent(self.all[at]);
        let before = (self.own.start..at).rev().map(|line| self.all[line]);
        let mut around = before.clone().filter(|line| {
            indent(line) < own && line.trim().starts_with("scf.for ") && line.trim().ends_with('{')
        });
        let counter = format!("scf.for {index} = ");
        if around.any(|line| line.trim().starts_with(counter.as_str())) {
            return true;
        }
        let sum = format!("{index} = arith.addi ");
        let mut found = before.filter_map(|line| line.trim().strip_prefix(sum.as_str()));
        let operands = found.next().and_then(|rest| rest.split(" : ").next());
        let has = |operands: &str| operands.split(", ").any(|one| self.counts(at, one, true));
        sums && operands.is_some_and(has)
    }

    /// The first line of the kernel that says which thread it is.
    fn thread(&self) -> Option<&str> {
        let line = self.all[self.own.clone()].iter().find(|line| line.contains("gpu.thread_id"))?;
        line.trim().split(" = ").next()
    }
}

fn uses(line: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    line.match_indices(name).any(|(at, _)| ends(&line[at + name.len()..]))
}

/// All kinds.
const KINDS: &[(&str, Change)] = &[
    ("no barrier", |lines, at| lines.is_barrier(at).then(|| Edit::default().without(at))),
    ("no wait", |lines, at| {
        lines.all[at].contains("cp.async.wait.group").then(|| Edit::default().without(at))
    }),
    ("another stage", |lines, at| {
        let (name, value, modulus) = lines.stage(at)?;
        let mut others = lines.own.clone().filter_map(|line| lines.stage(line));
        let (_, other, _) = others.find(|(_, other, by)| *other != value && *by == modulus)?;
        Some(
            Edit::default().instead(at, format!("{name} = arith.remui {other}, {modulus} : index")),
        )
    }),
    ("two threads of one place", |lines, at| {
        let (line, thread) = (lines.all[at], lines.thread()?);
        if line.trim().starts_with("layout.store") && writes_shared(line) {
            // The slot of another warp.
            let (head, rest) = line.rsplit_once("(%")?;
            (!rest.starts_with("c0")).then_some(())?;
            let (_, rest) = rest.split_once([',', ')'])?;
            let rest = &line[line.len() - rest.len() - 1..];
            let zero = "%zero_of_mutant = arith.constant 0 : index";
            let changed = format!("{head}(%zero_of_mutant{rest}");
            return Some(Edit::default().with(at, zero).instead(at, changed));
        }
        let is_view = ["layout.partition", "layout.slice"].iter().any(|name| line.contains(name));
        (is_view && line.contains(", shared, ") && uses(line, thread)).then_some(())?;
        lines.is_written(line.trim().split(" = ").next()?).then_some(())?;
        let half = format!("%half_of_mutant = arith.divui {thread}, %two_of_mutant : index");
        let changed = renamed(line, thread, "%half_of_mutant");
        Some(
            Edit::default()
                .with(at, "%two_of_mutant = arith.constant 2 : index")
                .with(at, half)
                .instead(at, changed),
        )
    }),
    ("barrier of a warp", |lines, at| {
        lines.is_barrier(at).then(|| {
            Edit::default()
                .with(at, "%all_of_mutant = arith.constant -1 : i32")
                .instead(at, "nvvm.bar.warp.sync %all_of_mutant : i32")
        })
    }),
    ("plain addition for an atomic one", |lines, at| {
        let (sum, rest) =
            lines.all[at].trim().strip_prefix("layout.atomic add ")?.split_once(", ")?;
        let (place, r#type) = rest.split_once(" relaxed : ")?;
        Some(
            Edit::default()
                .with(at, format!("%old_of_mutant = layout.load {place} : {}", r#type))
                .with(at, format!("%new_of_mutant = arith.addf %old_of_mutant, {sum} : f32"))
                .instead(at, format!("layout.store %new_of_mutant, {place} : {}", r#type)),
        )
    }),
    ("one thread in place of another", |lines, at| {
        let (line, thread) = (lines.all[at], lines.thread()?);
        let is_view = ["layout.partition", "layout.slice"].iter().any(|name| line.contains(name));
        (is_view && line.contains(", shared, ") && uses(line, thread)).then_some(())?;
        lines.is_written(line.trim().split(" = ").next()?).then_some(())?;
        let second = format!("%second_of_mutant = arith.maxui {thread}, %one_of_mutant : index");
        Some(
            Edit::default()
                .with(at, "%one_of_mutant = arith.constant 1 : index")
                .with(at, second)
                .instead(at, renamed(line, thread, "%second_of_mutant")),
        )
    }),
    ("barrier too early", |lines, at| {
        let to = lines.is_barrier(at).then(|| lines.before(at))??;
        Some(Edit::default().without(at).with(to, "gpu.barrier"))
    }),
    ("wait for too few", |lines, at| {
        let (head, count) = lines.all[at].split_once("cp.async.wait.group ")?;
        let count: u32 = count.trim().parse().ok()?;
        Some(Edit::default().instead(at, format!("{head}cp.async.wait.group {}", count + 1)))
    }),
    ("a stage too few", |lines, at| {
        let (_, _, modulus) = lines.stage(at)?;
        let count = lines.constant(modulus)?;
        let stages: Vec<usize> =
            lines.own.clone().filter(|&line| lines.stage(line).is_some()).collect();
        (stages.first() == Some(&at) && count > 1).then_some(())?;
        let less = format!("%less_of_mutant = arith.constant {} : index", count - 1);
        let edit = Edit::default().with(lines.own.start, less);
        Some(stages.into_iter().fold(edit, |edit, line| {
            edit.instead(line, lines.all[line].replace(modulus, "%less_of_mutant"))
        }))
    }),
    ("barrier at the beginning", |lines, at| {
        let edit = lines.is_barrier(at).then(|| Edit::default().without(at))?;
        Some(edit.with(lines.own.start, "gpu.barrier"))
    }),
    ("barrier at the end", |lines, at| {
        let edit = lines.is_barrier(at).then(|| Edit::default().without(at))?;
        Some(edit.with(lines.own.end, "gpu.barrier"))
    }),
    ("barrier too late", |lines, at| {
        let to = lines.is_barrier(at).then(|| lines.next_access(at))??;
        Some(Edit::default().without(at).with(to + 1, "gpu.barrier"))
    }),
    ("wait after the barrier", |lines, at| {
        let is_wait = lines.all[at].contains("cp.async.wait.group");
        (is_wait && lines.is_barrier(at + 1)).then_some(())?;
        Some(Edit::default().without(at).with(at + 2, lines.all[at]))
    }),
    ("no commit", |lines, at| {
        lines.all[at].contains("cp.async.commit.group").then(|| Edit::default().without(at))
    }),
    ("one buffer for two", |lines, at| {
        let (name, r#type) = lines.all[at].trim().split_once(" = layout.alloc : ")?;
        r#type.contains(", shared, ").then_some(())?;
        let end = format!(" = layout.alloc : {}", r#type);
        let first = (lines.own.start..at).find(|&line| lines.all[line].ends_with(&end))?;
        let first = lines.all[first].trim().split(" = ").next()?;
        let mut edit = Edit::default().without(at);
        for line in at + 1..lines.own.end {
            if uses(lines.all[line], name) {
                edit = edit.instead(line, renamed(lines.all[line], name, first));
            }
        }
        Some(edit)
    }),
    ("barrier of half of the block", |lines, at| {
        let thread = lines.is_barrier(at).then(|| lines.thread())??;
        let edit = [
            "%half_of_mutant = arith.constant 32 : index".to_owned(),
            format!("%is_of_mutant = arith.cmpi ult, {thread}, %half_of_mutant : index"),
            "scf.if %is_of_mutant {".to_owned(),
            "gpu.barrier".to_owned(),
            "}".to_owned(),
        ];
        Some(edit.into_iter().fold(Edit::default().without(at), |edit, line| edit.with(at, line)))
    }),
    ("no wait for a phase", |lines, at| {
        // A round whose block is not computed with waits so as not to be ahead of others, whom it meets anyway.
        let is_wait = lines.all[at].trim().starts_with("layout.wait %");
        let own = indent(lines.all[at]);
        let later = (at + 1..lines.own.end).take_while(|&line| indent(lines.all[line]) >= own);
        let mut later = later.map(|line| lines.all[line]);
        let is_used = later.any(|line| {
            ["layout.mma", "layout.transaction", "= layout.load"]
                .iter()
                .any(|name| line.contains(name))
        });
        (is_wait && is_used).then(|| Edit::default().without(at))
    }),
    ("no wait for a product", |lines, at| lines.without(at, "layout.wait_mma ")),
    ("no arrival", |lines, at| lines.without(at, "layout.arrive ")),
    ("no barrier of some threads", |lines, at| {
        let is_late = lines.all[at].contains("%own_barrier");
        is_late.then(|| lines.without(at, "nvvm.barrier id"))?
    }),
    ("no arrival at a barrier of some threads", |lines, at| {
        lines.without(at, "nvvm.barrier.arrive ")
    }),
    ("no fence for copies", |lines, at| lines.without(at, "nvvm.fence.proxy ")),
    ("no wait for a bulk copy", |lines, at| lines.without(at, "nvvm.cp.async.bulk.wait_group ")),
    ("no commit of a bulk copy", |lines, at| lines.without(at, "nvvm.cp.async.bulk.commit.group")),
    ("a product that is not waited for until the next", |lines, at| {
        let (head, count) = lines.all[at].split_once("layout.wait_mma ")?;
        let (view, count) = count.split_once(" pending ")?;
        let (count, rest) = count.split_at(1);
        let count: u32 = count.parse().ok()?;
        let line = format!("{head}layout.wait_mma {view} pending {}{rest}", count + 1);
        Some(Edit::default().instead(at, line))
    }),
    ("results: a place for two", |lines, at| lines.elsewhere(at, 0, "arith.divui", 2)),
    ("results: a place for two, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.divui", 2)
    }),
    ("results: odd places only", |lines, at| lines.elsewhere(at, 0, "arith.ori", 1)),
    ("results: odd places only, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.ori", 1)
    }),
    ("results: the second place for the first", |lines, at| {
        lines.elsewhere(at, 0, "arith.maxui", 1)
    }),
    ("results: the second place for the first, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.maxui", 1)
    }),
    ("results: the first place for all", |lines, at| lines.elsewhere(at, 0, "arith.muli", 0)),
    ("results: the first place for all, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.muli", 0)
    }),
    ("results: two places for all", |lines, at| lines.elsewhere(at, 0, "arith.remui", 2)),
    ("results: two places for all, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.remui", 2)
    }),
    ("results: no place after the second", |lines, at| lines.elsewhere(at, 0, "arith.minui", 1)),
    ("results: no place after the second, by another index", |lines, at| {
        lines.elsewhere(at, 1, "arith.minui", 1)
    }),
    ("a store after the barrier again", |lines, at| {
        let store = lines.is_barrier(at).then(|| lines.before(at))??;
        let end = (store..at).find(|&line| {
            line > store
                && indent(lines.all[line]) == indent(lines.all[store])
                && lines.all[store].trim().ends_with('{')
        });
        let again = &lines.all[store..=end.unwrap_or(store)];
        let writes = again.iter().any(|line| writes_shared(line));
        let defines = again.iter().any(|line| line.contains(" = "));
        (writes && (!defines || end.is_some())).then_some(())?;
        Some(again.iter().fold(Edit::default(), |edit, &line| edit.with(at + 1, line)))
    }),
];

/// A line with another name in place of one.
fn renamed(line: &str, name: &str, other: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(name) {
        let end = at + name.len();
        let is_whole = !rest[end..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        text.push_str(&rest[..at]);
        text.push_str(if is_whole { other } else { name });
        rest = &rest[end..];
    }
    text + rest
}

/// All changes of a file's kernels: of every kind one, then of every kind one more, and so on.
pub(crate) fn mutants(text: &str) -> Vec<Mutant> {
    let all: Vec<&str> = text.lines().collect();
    let places =
        |word: &str| (0..all.len()).filter(|&line| all[line].contains(word)).collect::<Vec<_>>();
    let functions: Vec<_> = places("gpu.func @").into_iter().zip(places("gpu.return")).collect();
    let mut by_kind: Vec<std::vec::IntoIter<Mutant>> = Vec::new();
    for (start, end) in functions {
        let lines = Lines { all: all.clone(), own: start + 1..end };
        by_kind.extend(KINDS.iter().map(|&(kind, change)| {
            let edits = lines.own.clone().filter_map(|at| change(&lines, at));
            let mutants = edits.map(|edit| {
                let (text, what) = edit.apply(&lines);
                Mutant { kind, what, text }
            });
            mutants.collect::<Vec<_>>().into_iter()
        }));
    }
    let mut mutants = Vec::new();
    loop {
        let before = mutants.len();
        mutants.extend(by_kind.iter_mut().filter_map(Iterator::next));
        if mutants.len() == before {
            return mutants;
        }
    }
}
