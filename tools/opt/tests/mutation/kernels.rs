//! Races that are planted in the kernels of the library: each is found by a run thread by thread, or refuted by
//! `layout-verify`.
//!
//! Phases of barriers are lost in a kernel of one tile, once it is lowered, and `layout-verify` alone is to refute that.

use crate::{passes, quietly, races};
use layout_lowering::{budget, manifest, pipeline, reference::References, threads};
use layout_runtime::trial::ReferenceFn;
use melior::{
    Context,
    ir::{Module, operation::OperationLike},
};
use std::{
    cell::RefCell,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Faults of a kernel that are planted in the short test.
const FEW: usize = 10;

/// Passes to a program in which reductions are loads, stores and barriers that can be changed.
const WRITTEN_OUT: &str = "layout-tile-matmul,layout-derive-launch,layout-simplify{arithmetic=false},\
    layout-fold,layout-expand-fragments";

/// A kernel of the library, and what makes it small.
struct Kernel {
    name: &'static str,
    /// Texts that are replaced, in this order.
    smaller: &'static [(&'static str, &'static str)],
    /// Its sizes at run time.
    sizes: &'static [&'static str],
    /// A reference, where the file has none.
    reference: &'static str,
}

const PRODUCT: &str = "
func.func @reference(%a: memref<128x128xf16>, %b: memref<128x128xf16>, %c: memref<128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<128x128xf32>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                 affine_map<(m, n, k) -> (m, n)>]
    ins(%a, %b : memref<128x128xf16>, memref<128x128xf16>) outs(%c : memref<128x128xf32>)
  return
}";

const KERNELS: &[Kernel] = &[
    Kernel {
        name: "transpose",
        smaller: &[
            ("most = {rows = 128, columns = 128}", "most = {columns = 1}"),
            ("most = {rows = 512, columns = 512}", "most = {columns = 20}"),
        ],
        sizes: &["rows=50", "columns=20,70"],
        reference: "",
    },
    Kernel { name: "softmax", smaller: &[], sizes: &["rows=3"], reference: "" },
    Kernel { name: "layer_norm", smaller: &[], sizes: &["rows=3"], reference: "" },
    Kernel { name: "layer_norm_rows", smaller: &[], sizes: &["rows=3"], reference: "" },
    Kernel { name: "rms_norm", smaller: &[], sizes: &["rows=3"], reference: "" },
    Kernel { name: "reduction", smaller: &[], sizes: &["n=10003"], reference: "" },
    Kernel {
        name: "gemm_sm80",
        smaller: &[
            ("(256,128)", "(128,128)"),
            ("(256,256):(256,1)", "(128,128):(128,1)"),
            ("array<i64: 2, 2, 1>", "[1], names = [\"a\", \"b\", \"c\"]"),
        ],
        sizes: &[],
        reference: PRODUCT,
    },
    Kernel {
        name: "gemm_int4",
        smaller: &[
            ("(16,4,16,4)", "(16,4,6,2)"),
            ("(8,16,16,4)", "(8,16,6,2)"),
            ("(16,4),?", "(6,2),?"),
            ("8192x16", "1536x16"),
            ("4096x?", "768x?"),
            ("256x64x?", "256x12x?"),
            ("constant 8192", "constant 1536"),
            ("%groups = arith.constant 16", "%groups = arith.constant 6"),
            ("[\"blocks\", 4]", "[\"blocks\", 2]"),
        ],
        sizes: &["blocks=1"],
        reference: "",
    },
    Kernel {
        name: "attention",
        smaller: &[
            ("(4096,64,32):(64,1,262144)", "(128,64,1):(64,1,8192)"),
            ("grid = [32, 32]", "grid = [1, 1]"),
            ("%tiles = arith.constant 64", "%tiles = arith.constant 2"),
            ("4096x64x32x", "128x64x1x"),
            ("memref<4096xf32>", "memref<128xf32>"),
            ("%heads = arith.constant 32", "%heads = arith.constant 1"),
            ("%s = arith.constant 4096", "%s = arith.constant 128"),
        ],
        sizes: &[],
        reference: "",
    },
    Kernel {
        name: "gemm_sm90",
        smaller: &[
            ("(256,128)", "(128,128)"),
            ("(256,256):(256,1)", "(128,128):(128,1)"),
            ("array<i64: 2, 2, 1>", "[1], names = [\"a\", \"b\", \"c\"]"),
        ],
        sizes: &[],
        reference: PRODUCT,
    },
    Kernel {
        name: "gemm_int8",
        smaller: &[
            ("(16,2,4,16,4)", "(16,2,4,6,2)"),
            ("(8,16,16,4)", "(8,16,6,2)"),
            ("(16,4),?", "(6,2),?"),
            ("8192x", "1536x"),
            ("256x64x?", "256x12x?"),
            ("constant 8192", "constant 1536"),
            ("%groups = arith.constant 16", "%groups = arith.constant 6"),
            ("[\"blocks\", 4]", "[\"blocks\", 2]"),
        ],
        sizes: &["blocks=1"],
        reference: "",
    },
    Kernel {
        name: "gemm_int4_64",
        smaller: &[
            ("(16,4,16,4)", "(16,4,6,2)"),
            ("(8,16,16,4)", "(8,16,6,2)"),
            ("(16,4),?", "(6,2),?"),
            ("8192x64", "1536x64"),
            ("4096x?", "768x?"),
            ("256x64x?", "256x12x?"),
            ("constant 8192", "constant 1536"),
            ("%groups = arith.constant 16", "%groups = arith.constant 6"),
            ("[\"blocks\", 4]", "[\"blocks\", 2]"),
        ],
        sizes: &["blocks=1"],
        reference: "",
    },
    Kernel { name: "gemm_grouped_sm90", smaller: ONE_BLOCK, sizes: GROUPED, reference: "" },
    // Two parts of eight groups along K, more than there are stages.
    Kernel {
        name: "gemm_int4_sm90",
        smaller: &[
            ("(64,8192):(8192,1)", "(64,2048):(2048,1)"),
            ("(64,8192):(1,0)", "(64,2048):(1,0)"),
            ("(64,8192):(0,1)", "(64,2048):(0,1)"),
            ("%x1 < 8192", "%x1 < 2048"),
            ("64x8192x", "64x2048x"),
            ("constant 8192", "constant 2048"),
            ("%groups = arith.constant 32", "%groups = arith.constant 8"),
        ],
        sizes: &["blocks=1"],
        reference: "",
    },
    // One head of keys: 16 blocks a sequence, each with several rounds of its pages.
    Kernel {
        name: "attention_decode",
        smaller: &[
            ("128,8,?{range=1..4096}", "128,1,?{range=1..4096}"),
            ("(16,128,8,?", "(16,128,1,?"),
            ("128,8,16,?", "128,1,16,?"),
            ("((2,4),8,16,?", "((2,4),1,16,?"),
            ("[16, 8, \"seqs\"]", "[16, 1, \"seqs\"]"),
            ("[8, 8, \"seqs\"]", "[8, 1, \"seqs\"]"),
            ("x128x8x", "x128x1x"),
            ("8x8x16x", "8x1x16x"),
            ("%head = %c0 to %c8", "%head = %c0 to %c1"),
        ],
        sizes: &["seqs=2", "pages=12", "context=420"],
        reference: "",
    },
    Kernel {
        name: "permute",
        smaller: &[],
        sizes: &["batches=3", "heads=11", "tokens=35"],
        reference: "",
    },
    Kernel { name: "rotary", smaller: &[], sizes: &["heads=37", "tokens=3"], reference: "" },
    Kernel { name: "swiglu", smaller: &[], sizes: &["blocks=3"], reference: "" },
    Kernel { name: "stencil", smaller: &[], sizes: &["rows=35", "columns=260"], reference: "" },
    Kernel { name: "top_k", smaller: &[], sizes: &["experts=64", "tokens=70"], reference: "" },
    Kernel { name: "attention_sm90", smaller: ONE_BLOCK, sizes: CAUSAL, reference: "" },
    Kernel { name: "attention_sm90_64", smaller: ONE_BLOCK, sizes: CAUSAL_64, reference: "" },
    Kernel { name: "attention_sm90_256", smaller: ONE_BLOCK, sizes: CAUSAL, reference: "" },
    Kernel { name: "attention_varlen_sm90", smaller: ONE_BLOCK, sizes: VARLEN, reference: "" },
    Kernel { name: "attention_varlen_sm90_64", smaller: ONE_BLOCK, sizes: VARLEN, reference: "" },
    Kernel { name: "attention_varlen_sm90_256", smaller: ONE_BLOCK, sizes: VARLEN, reference: "" },
];

/// All tiles are one block's.
const ONE_BLOCK: &[(&str, &str)] = &[("grid = [132]", "grid = [1]")];

/// Causal attention of several tiles, a warpgroup of which is in front of the first query: it lets all blocks of keys but one go.
const CAUSAL: &[&str] =
    &["queries=140", "keys=500", "heads=1", "batches=1", "key_heads=1", "causal=1"];

/// The same of tiles of three warpgroups.
const CAUSAL_64: &[&str] =
    &["queries=200", "keys=500", "heads=1", "batches=1", "key_heads=1", "causal=1"];

/// Causal attention of two sequences.
const VARLEN: &[&str] =
    &["queries=200", "keys=500", "heads=1", "key_heads=1", "bounds=3", "causal=1"];

/// A GEMM of two experts, whose tiles have more steps than there are stages.
const GROUPED: &[&str] = &["rows=150", "depth=320", "columns=72", "experts=2", "bounds=3"];

/// The kernels of the tutorial, which are small.
const STEPS: &[&str] = &["product", "online"];

/// A program that faults are planted in.
struct Original {
    name: String,
    text: String,
    sizes: &'static [&'static str],
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The name of each program that faults are planted in, as it is in its file, and its sizes.
fn sources() -> Vec<Original> {
    let library = KERNELS.iter().map(|kernel| {
        let path = root().join(format!("lowering/kernels/{}.mlir", kernel.name));
        let mut text = std::fs::read_to_string(path).expect("a kernel");
        for (large, small) in kernel.smaller {
            text = text.replace(large, small);
        }
        if !kernel.reference.is_empty() {
            // As a kernel of its own, and not as a matmul.
            let facts = text.find(", block = array<i64").expect("the facts of a matmul");
            let chip = if text.contains("sm_90a") { "sm_90a" } else { "sm_80" };
            let end = facts + text[facts..].find("]}}").expect("the end of its facts");
            text.replace_range(
                facts..end + 3,
                format!(", chip = \"{chip}\"}}, layout.reference = @reference}}").as_str(),
            );
            text.push_str(kernel.reference);
        }
        Original { name: kernel.name.to_owned(), text, sizes: kernel.sizes }
    });
    let steps = STEPS.iter().map(|step| {
        let path = root().join(format!("dialect/book/attention/{step}.mlir"));
        let text = std::fs::read_to_string(path).expect("a step");
        Original { name: (*step).to_owned(), text, sizes: &[] }
    });
    library.chain(steps).collect()
}

/// The findings of a run and of the verifier about a program.
#[derive(Debug, Default)]
struct Outcome {
    /// Races and faults, at a place in the source each.
    findings: Vec<String>,
    /// Whether results differ from the reference's, or miss.
    is_wrong: bool,
    /// Whether `layout-verify` refutes it, or a pass refuses it.
    is_refuted: bool,
}

impl Outcome {
    fn is_found(&self) -> bool {
        self.is_refuted || !self.findings.is_empty()
    }
}

/// None where the text is no program. `whole`: the run does not end at its first race, results are compared with the reference's, and
/// the verifier is run where a run finds the fault, too.
fn run_checks(context: &Context, text: &str, sizes: &[&str], whole: bool) -> Option<Outcome> {
    let mut module = Module::parse(context, text)?;
    if !module.as_operation().verify() {
        return None;
    }
    let mut outcome = Outcome::default();
    let references = match whole {
        true => References::of_kernels(context, &module).expect("a reference").map(RefCell::new),
        false => None,
    };
    threads::prepare(&module);
    let pipeline = pipeline::to_threads();
    let pipeline = pipeline.trim_start_matches("builtin.module(").trim_end_matches(')');
    if !passes(context, &mut module, pipeline) {
        return Some(Outcome { is_refuted: true, ..outcome });
    }
    let facts = manifest::of(module.as_operation()).expect("facts");
    let sizes: Vec<_> = sizes.iter().map(|size| size.parse().expect("a size")).collect();
    for one in facts.chosen(&sizes).expect("sizes") {
        let reference = one.kernel.reference.clone();
        let compute = reference.as_ref().zip(references.as_ref()).map(|(reference, references)| {
            move |words: &[u64]| {
                let done = references.borrow_mut().compute(&reference.entry, words, budget::STEPS);
                done.map_err(|error| layout_runtime::Error::Manifest(error.to_string()))
            }
        });
        let compute = compute.as_ref().map(|compute| compute as &ReferenceFn<'_>);
        let races = if whole { usize::MAX } else { 1 };
        let options = threads::Options { seed: 1, remarks: false, steps: budget::STEPS, races };
        let verdict = threads::check(&module, &one.kernel, compute, options).expect("a run");
        let is_near = verdict.distance.is_none_or(|distance| distance.is_right());
        // A run that its first race has ended has no results.
        outcome.is_wrong |=
            (verdict.is_cut_off && whole) || verdict.unwritten + verdict.stray > 0 || !is_near;
        let findings = verdict.findings.into_iter().filter(|found| found.location.contains(':'));
        outcome
            .findings
            .extend(findings.map(|found| format!("{} {}", found.location, found.message)));
    }
    if whole || outcome.findings.is_empty() {
        let mut module = Module::parse(context, text)?;
        outcome.is_refuted = !passes(context, &mut module, "layout-verify");
    }
    Some(outcome)
}

/// The faults of one kernel: its row of the table, and those that were not found.
fn planted(context: &Context, source: &Original, each: usize) -> (String, Vec<String>) {
    let Original { name, text, sizes } = source;
    let mut module = Module::parse(context, text).unwrap_or_else(|| panic!("{name}"));
    assert!(passes(context, &mut module, WRITTEN_OUT), "{name}");
    let text = module.as_operation().to_string();
    let right = run_checks(context, &text, sizes, true).expect("a kernel");
    assert!(!right.is_wrong && !right.is_found(), "{name}: {right:?}");
    let mutants = races::mutants(&text).into_iter();
    let planted: Vec<_> = mutants
        .filter_map(|mutant| {
            // Only the long test says how many races leave wrong results.
            let outcome = run_checks(context, &mutant.text, sizes, each > FEW)?;
            Some((mutant, outcome))
        })
        .take(each)
        .collect();
    let count =
        |is: &dyn Fn(&Outcome) -> bool| planted.iter().filter(|(_, outcome)| is(outcome)).count();
    let row = format!(
        "| {name} | {} | {} | {} | {} | {} |\n",
        planted.len(),
        count(&|outcome| !outcome.findings.is_empty()),
        count(&|outcome| outcome.is_refuted),
        count(&|outcome| outcome.is_wrong),
        count(&|outcome| !outcome.is_found()),
    );
    let not_found = planted.iter().filter(|(_, outcome)| !outcome.is_found());
    let missed = not_found.map(|(mutant, outcome)| {
        format!("{name}: {}: {} (wrong: {})", mutant.kind, mutant.what, outcome.is_wrong)
    });
    (row, missed.collect())
}

/// Plants `each` faults in each kernel; a table of how many were found, and those that were not. Kernels are shared among as
/// many threads as there are processors, each with a context of its own.
pub(crate) fn plant(context: impl Fn() -> Context + Sync, each: usize) -> (String, Vec<String>) {
    let sources = sources();
    let next = AtomicUsize::new(0);
    let worker = || {
        let context = context();
        let _messages = quietly(&context);
        let mut found = Vec::new();
        while let Some((place, source)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, sources.get(at)?)))
        {
            found.push((place, planted(&context, source, each)));
        }
        found
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    found.sort_by_key(|(place, _)| *place);
    let mut table = String::from(
        "| kernel | planted | a run finds by line | layout-verify refutes | results are wrong | missed |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    let mut missed = Vec::new();
    for (_, (row, not_found)) in found {
        table.push_str(&row);
        missed.extend(not_found);
    }
    (table, missed)
}

/// Loses barriers, arrivals and waits of a kernel of warpgroups, whose block has one tile and whose loops have bounds that are known
/// of its number; those that are not refuted, and how many there were.
pub(crate) fn lose_phases(context: &Context) -> (usize, Vec<String>) {
    const WORDS: [&str; 5] = [
        "gpu.barrier",
        "nvvm.mbarrier.init",
        "nvvm.mbarrier.arrive %",
        "nvvm.mbarrier.arrive.expect_tx",
        "nvvm.mbarrier.try_wait",
    ];
    let name = "attention_tile";
    let mut module = Module::parse(context, include_str!("attention_tile.mlir")).expect("a kernel");
    assert!(passes(context, &mut module, &format!("{WRITTEN_OUT},layout-lower")), "{name}");
    let text = module.as_operation().to_string();
    let is_refuted = |text: &str| {
        let mut module = Module::parse(context, text).expect("a kernel");
        !passes(context, &mut module, "layout-verify")
    };
    assert!(!is_refuted(&text), "{name}");
    let lines: Vec<&str> = text.lines().collect();
    let places = (0..lines.len()).filter(|&at| WORDS.iter().any(|word| lines[at].contains(word)));
    let places: Vec<usize> = places.collect();
    let missed = places.iter().filter(|&&at| {
        let mut others = lines.clone();
        others.remove(at);
        !is_refuted(&others.join("\n"))
    });
    let missed = missed.map(|&at| format!("{name}: -{}", lines[at].trim())).collect();
    (places.len(), missed)
}

pub(crate) fn few(context: impl Fn() -> Context + Sync) -> (String, Vec<String>) {
    plant(context, FEW)
}
