//! `layout-run fit`: the cost model's constants from records, and what its choice loses on problems that it was not fitted to.

use std::collections::BTreeMap;
use std::path::Path;

use layout_runtime::manifest::Precision;
use layout_runtime::record::{self, Outcome, Record};
use layout_runtime::{Error, Result};
use layout_schedule::fit::{self, Measurements};
use layout_schedule::{Chip, Constants, GemmShape, Operand, Problem, Tiling, space};

/// Runs that timed kernels alone: their results were not compared with a reference.
pub(crate) const UNCHECKED: [&str; 9] = [
    "2026-11-23-sweep",
    "2026-11-23-choices",
    "2026-11-23-choices/1",
    "2026-11-23-public",
    "2026-11-26-space/0",
    "2026-11-26-space/1",
    "2026-11-26-space/2",
    "2026-11-27-carried",
    "2026-11-27-waiting",
];

/// The runs that were made for the fit: schedules of the whole space on shapes of public models, and groups.
pub(crate) const RUNS: [&str; 9] = [
    "2026-11-23-sweep",
    "2026-11-23-choices",
    "2026-11-23-choices/1",
    "2026-11-26-space/0",
    "2026-11-26-space/1",
    "2026-11-26-space/2",
    "2026-11-22-groups/0",
    "2026-11-22-groups/1",
    "2026-11-27-waiting",
];

/// Schedules that a problem needs for a contest.
const SCHEDULES: usize = 2;

/// How often a group counts in a fit: there are 12, beside more than 200 single GEMMs.
const GROUPS: usize = 4;

/// Bytes of a cache line, and of what bulk copies need rows to be multiples of.
const LINE: i64 = 128;
const GRANULE: i64 = 16;

/// Bytes that make fetching by warps faster than element by element.
const VECTOR: i64 = 8;

/// The user's options.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) records: &'a Path,
    pub(crate) chip: &'a str,
    pub(crate) runs: &'a [String],
    pub(crate) seed: u64,
    pub(crate) write: Option<&'a Path>,
}

/// The losses of a model on a list of problems.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Losses {
    /// In the mean: 0.02 are 2 %.
    pub(crate) mean: f64,
    /// Each, with the problem and the schedule that was taken, the greatest loss first.
    pub(crate) all: Vec<(f64, String)>,
}

/// Fits, says what half of the problems lose by constants of the other half, and writes the constants.
pub(crate) fn run(options: &Options<'_>) -> Result<()> {
    let refused = |reason: String| Error::Record { path: options.records.into(), reason };
    let chip =
        Chip::named(options.chip).filter(|chip| chip.name == options.chip).ok_or_else(|| {
            refused(format!("expected a chip of devices/*.json, found {}", options.chip))
        })?;
    let contests = contests(&record::load(options.records)?, chip, options.runs);
    if contests.len() < 4 {
        let found = contests.len();
        return Err(refused(format!(
            "expected at least 4 problems with {SCHEDULES} schedules each on {}, found {found}",
            chip.name
        )));
    }
    let schedules: usize = contests.iter().map(|contest| contest.times.len()).sum();
    println!("{}: {} problems, {schedules} schedules", chip.name, contests.len());
    for (half, losses) in (1..).zip(left_out(chip, &contests, options.seed, fit::STEPS)) {
        print("half", half, &losses);
    }
    let fitted = fit::fit(chip, &weighted(&contests), options.seed, fit::STEPS);
    print("all", contests.len(), &losses(chip, &fitted, &contests));
    for ((name, before), (_, after)) in
        fit::named(&chip.constants).into_iter().zip(fit::named(&fitted))
    {
        println!("    {name:<10} {before:>8.4} {after:>8.4}");
    }
    if let Some(path) = options.write {
        let fitted = Chip { constants: rounded(&fitted).unwrap_or(fitted), ..chip.clone() };
        let text =
            serde_json::to_string_pretty(&fitted).map_err(|error| refused(error.to_string()))?;
        std::fs::write(path, text + "\n")
            .map_err(|source| Error::Write { path: path.into(), source })?;
    }
    Ok(())
}

/// The constants with four digits each, as the files have them.
fn rounded(constants: &Constants) -> Option<Constants> {
    let mut values = serde_json::to_value(constants).ok()?;
    for value in values.as_object_mut()?.values_mut() {
        *value = format!("{:.3e}", value.as_f64()?).parse::<f64>().ok()?.into();
    }
    serde_json::from_value(values).ok()
}

fn print(what: &str, number: usize, Losses { mean, all }: &Losses) {
    println!("{what} {number}: mean loss {:.1} %, the greatest:", mean * 100.0);
    for (loss, of) in all.iter().take(5) {
        println!("    {:>5.1} %  {of}", loss * 100.0);
    }
}

/// The losses of each half of the problems by the constants that are fitted to the other half.
pub(crate) fn left_out(
    chip: &Chip,
    contests: &[Measurements],
    seed: u64,
    steps: usize,
) -> [Losses; 2] {
    let half = |odd: usize| -> Vec<Measurements> {
        let own = contests.iter().enumerate().filter(|(place, _)| place % 2 == odd);
        own.map(|(_, contest)| contest.clone()).collect()
    };
    let halves = [half(0), half(1)];
    let of_half = |i: usize| {
        losses(chip, &fit::fit(chip, &weighted(&halves[1 - i]), seed, steps), &halves[i])
    };
    std::thread::scope(|scope| {
        let second = scope.spawn(|| of_half(1));
        let first = of_half(0);
        [first, second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))]
    })
}

/// The contests, those of groups as often as makes up for there being few of them.
fn weighted(contests: &[Measurements]) -> Vec<Measurements> {
    let times = |contest: &Measurements| if contest.problem.gemms.len() > 1 { GROUPS } else { 1 };
    contests
        .iter()
        .flat_map(|contest| std::iter::repeat_n(contest.clone(), times(contest)))
        .collect()
}

/// The losses of the constants.
fn losses(chip: &Chip, constants: &Constants, contests: &[Measurements]) -> Losses {
    let lost = contests.iter().filter_map(|contest| {
        let choice = fit::choice(chip, constants, contest)?;
        Some((choice.loss, format!("{}: {}", contest.name, contest.times[choice.chosen].0)))
    });
    let mut all: Vec<(f64, String)> = lost.collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mean = all.iter().map(|(loss, _)| loss).sum::<f64>() / all.len().max(1) as f64;
    Losses { mean, all }
}

/// The problems of records that were timed with several schedules of those that are tried for them, in one run or beside the
/// library in several, in a fixed order; the latest time counts. A schedule that was measured and is not tried cannot be chosen; that it was faster
/// counts as a loss.
pub(crate) fn contests(records: &[Record], chip: &Chip, runs: &[String]) -> Vec<Measurements> {
    // Beside a contest, the library's first time, and the date of each schedule's.
    let mut found: BTreeMap<String, (Measurements, Option<f64>, Vec<&str>)> = BTreeMap::new();
    for record in records {
        let of_a_run = runs.is_empty() || runs.contains(&record.run);
        let plain = record.changed.is_none() && record.epilogue.is_none() && record.sizes.is_none();
        let of_f32 = matches!(record.precision, None | Some(Precision::TwoLevelAccumulation));
        let right = record.verdict != Some(Outcome::Failed) && of_f32;
        let (Some(own), Some(times), Some(text)) = (&record.chip, &record.ours, &record.schedule)
        else {
            continue;
        };
        let Ok(tiling) = text.parse::<Tiling>() else { continue };
        if !of_a_run || !plain || !right || *own != chip.name {
            continue;
        }
        let Some(problem) = problem(record) else { continue };
        let name = name(record, &problem);
        let library =
            record.library.as_ref().and_then(|peer| peer.times).map(|times| times.median_us);
        let (contest, first, dates) = found.entry(name.clone()).or_insert_with(|| {
            (
                Measurements { name, problem, times: Vec::new(), fastest: f64::INFINITY },
                library,
                Vec::new(),
            )
        });
        // Runs compare by the library's times in them.
        let time = match (library, &*first) {
            (Some(library), Some(first)) => times.median_us / library * first,
            _ => times.median_us,
        };
        // A kernel that is timed again is that of a later compiler.
        let date = record.date.as_deref().unwrap_or_default();
        let known = contest.times.iter().position(|(other, _)| *other == tiling);
        match known {
            None => {
                contest.times.push((tiling, time));
                dates.push(date);
            }
            Some(place) if dates[place] < date => {
                contest.times[place].1 = time;
                dates[place] = date;
            }
            Some(_) => {}
        }
    }
    let tried = found.into_values().map(|(mut contest, ..)| {
        let times = contest.times.iter().map(|(_, time)| *time);
        contest.fastest = times.fold(f64::INFINITY, f64::min);
        // The chip has instructions for all that was measured.
        let space = space::tilings(chip, &contest.problem, &|_| true);
        contest.times.retain(|(tiling, _)| space.contains(tiling));
        contest
    });
    tried.filter(|contest| contest.times.len() >= SCHEDULES).collect()
}

/// The name of a problem: GEMMs, elements and strides, and the run where no library was timed in it.
fn name(record: &Record, problem: &Problem) -> String {
    let product =
        |GemmShape { extents: [m, n, k], batch }: &GemmShape| format!("{batch} of {m}x{n}x{k}");
    let gemms: Vec<String> = problem.gemms.iter().map(product).collect();
    let element = record.types.as_ref().and_then(|types| types.first());
    let strides = record.strides.iter().flatten().take(3).map(String::as_str);
    let run = if record.library.is_some() { "" } else { record.run.as_str() };
    let levels = if problem.two_levels { "in two levels " } else { "" };
    format!(
        "{} {} {levels}{}{run}",
        gemms.join(", "),
        element.map_or("", String::as_str),
        strides.collect::<Vec<_>>().join(" ") + if run.is_empty() { "" } else { " of " }
    )
}

/// The problem of a record's kernel, by the operands of the first where it has several, or `None` if they are no matrices of
/// two strides.
fn problem(record: &Record) -> Option<Problem> {
    let gemms = match &record.groups {
        Some(groups) => groups
            .iter()
            .map(|group| GemmShape { extents: [group.m, group.n, group.k], batch: group.batch })
            .collect(),
        None => {
            let extents = [record.m?, record.n?, record.k?];
            vec![GemmShape { extents, batch: record.batch.unwrap_or(1) }]
        }
    };
    let types = record.types.as_deref()?;
    let (3, [element, _, result, ..]) = (types.len() / gemms.len().max(1), types) else {
        return None;
    };
    let (bytes, result_bytes) = (bytes(element)?, bytes(result)?);
    let pitches = |place: usize| pitches(record.strides.as_ref()?.get(place)?);
    let operand = |place: usize| -> Option<(Operand, i64)> {
        let [outer, along] = pitches(place)?;
        let pitch = (if along == 1 { outer } else { along }).wrapping_mul(bytes);
        let copied = pitch % GRANULE != 0 || (along != 1 && bytes != 2);
        let across = !copied && pitch % LINE != 0;
        Some((Operand { outer: along != 1 && outer == 1, across, copied }, pitch))
    };
    let ((a, first), (b, second)) = (operand(0)?, operand(1)?);
    let [rows, columns] = pitches(2)?;
    Some(Problem {
        gemms,
        bytes,
        result_bytes,
        operands: [a, b],
        factors: 1,
        turned_c: rows == 1 && columns != 1,
        bulk_stores: rows.max(columns).wrapping_mul(result_bytes) % GRANULE == 0,
        sums_of_f32: !matches!(element.as_str(), "i8" | "f64"),
        two_levels: record.precision == Some(Precision::TwoLevelAccumulation),
        vectors: first % VECTOR == 0 && second % VECTOR == 0,
    })
}

fn bytes(element: &str) -> Option<i64> {
    Some(match element {
        "i8" | "f8E4M3FN" | "f8E5M2" => 1,
        "bf16" | "f16" => 2,
        "f32" | "i32" => 4,
        "f64" => 8,
        _ => return None,
    })
}

/// The first two strides of a matrix, or of a batch of them.
fn pitches(stride: &str) -> Option<[i64; 2]> {
    let inside = stride.strip_prefix('(')?.strip_suffix(')')?;
    let mut numbers = inside.split(',').map(|number| number.trim().parse::<i64>().ok());
    Some([numbers.next()??, numbers.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORDS: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../test/Device/records/h200.jsonl");

    fn sweep() -> (&'static Chip, Vec<Measurements>) {
        let chip = Chip::named("sm_90a").expect("a chip");
        let records = record::load(Path::new(RECORDS)).expect("records");
        (chip, contests(&records, chip, &RUNS.map(str::to_owned)))
    }

    /// On problems that were left out of the fit, what the model takes is nearly the fastest that was measured.
    #[test]
    fn the_model_chooses_well_where_it_was_not_fitted() {
        let (chip, contests) = sweep();
        assert!(contests.len() > 110, "{}", contests.len());
        for Losses { mean, all } in left_out(chip, &contests, 1, 1800) {
            assert!(mean <= 0.04, "{mean}: {:?}", &all[..5]);
        }
    }

    /// The constants of the description are those of the fit.
    #[test]
    fn the_description_has_what_was_fitted() {
        let (chip, contests) = sweep();
        let Losses { mean, all } = losses(chip, &chip.constants, &contests);
        assert!(mean <= 0.025 && all[0].0 <= 0.2, "{mean}: {:?}", &all[..5]);
    }

    /// The tile that is taken for two levels of accumulation is nearly the fastest of those that were measured.
    #[test]
    fn two_levels_of_accumulation_are_estimated() {
        let chip = Chip::named("sm_90a").expect("a chip");
        let records = record::load(Path::new(RECORDS)).expect("records");
        let contests = contests(&records, chip, &["2026-11-30-two".to_owned()]);
        assert!(contests.len() >= 5, "{}", contests.len());
        assert!(contests.iter().all(|contest| contest.problem.two_levels));
        let Losses { mean, all } = losses(chip, &chip.constants, &contests);
        assert!(mean <= 0.01 && all[0].0 <= 0.03, "{mean}: {all:?}");
    }

    /// Among the choices of copies for problems in blocks of the run `2026-11-22-launches/0`, nearly the fastest is taken.
    #[test]
    fn short_rows_are_copied_where_that_pays() {
        let chip = Chip::named("sm_90a").expect("a chip");
        type Choices = (Problem, Tiling, Vec<([bool; 2], f64)>);
        let mut problems: BTreeMap<String, Choices> = BTreeMap::new();
        for record in record::load(Path::new(RECORDS)).expect("records") {
            if record.run != "2026-11-22-launches/0" {
                continue;
            }
            let file = record.file.clone().expect("a file");
            let (name, flags) = file.trim_end_matches(".ptx").rsplit_once('_').expect("choices");
            let flags = flags.as_bytes();
            let tiling =
                record.schedule.as_deref().expect("a schedule").parse().expect("a schedule");
            let plain = Record { strides: Some(vec!["(1024,1)".into(); 3]), ..record.clone() };
            let problem = problem(&plain).expect("a problem");
            let entry = problems.entry(name.to_owned());
            let entry = entry.or_insert_with(|| (problem, tiling, Vec::new()));
            let time = record.ours.expect("times").median_us;
            entry.2.push(([flags[0] == b'1', flags[1] == b'1'], time));
        }
        let mut worst = 1.0_f64;
        for (name, (problem, tiling, times)) in &problems {
            // `s1024x1024x1024_k16_t` has A in blocks of 16 elements along K, and B in whole rows.
            let blocks: Vec<&str> = name.split('_').skip(1).collect();
            let width = |place: usize| {
                let elements: i64 = blocks[place].strip_prefix('k')?.parse().ok()?;
                Some(elements * problem.bytes)
            };
            let [m, n, k] = problem.largest().extents.map(|extent| extent as f64);
            let sizes = [2.0 * m * k, 2.0 * n * k];
            let choice = layout_schedule::copies::short_rows(
                chip,
                tiling,
                problem,
                [width(0), width(1)],
                sizes,
            );
            let time = |of: [bool; 2]| {
                times.iter().find(|(choice, _)| *choice == of).map(|(_, time)| *time)
            };
            let fastest = times.iter().map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
            worst = worst.max(time(choice).expect("a choice that was measured") / fastest);
        }
        assert!(problems.len() > 12 && worst <= 1.12, "{} problems, worst {worst}", problems.len());
    }

    #[test]
    fn strides_are_read() {
        assert_eq!(pitches("(4096,1)"), Some([4096, 1]));
        assert_eq!(pitches("(1,64,4096)"), Some([1, 64]));
        assert_eq!(pitches("(16,(1,16384))"), None);
    }
}
