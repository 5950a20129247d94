//! Each row of the table of sources at the edges of each width: a function for each flavour and each kind of
//! operand, and what the importer gives beside what the slow definition computes. A row without a form fails.

use super::{Language, Survey};
use crate::{
    edges::{
        TYPES, bounds, cast, compared, computed, context, edges, flavours, literal, module, root,
        unsigned, wrap,
    },
    simplify::{
        leaves::{Leaves, has_usual_index, width_of},
        sources::{FactRule, Launch, ROWS},
    },
};
use layout_dialect::{
    build::{Val, result},
    tree,
};
use layout_egraph::{
    facts::Number,
    symbol::{Symbol, Uniform},
};
use melior::{
    Context,
    ir::{BlockLike, OperationRef, RegionLike, ValueLike, operation::OperationLike},
};
use std::collections::BTreeMap;

/// The facts of an operand.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// An argument of the function: any word.
    Any,
    /// A constant.
    Is(i64),
    /// An argument between two words, in a language: what `minsi` and `maxsi` leave of it.
    Between(i64, i64),
    /// The counter of a loop from the one to below the other.
    Counter(i64, i64),
}

impl Operand {
    /// The values that it may have, among some words.
    fn values(self, words: &[i64]) -> Vec<i64> {
        match self {
            Self::Any => words.to_vec(),
            Self::Is(value) => vec![value],
            Self::Between(low, high) => {
                words.iter().copied().filter(|x| (low..=high).contains(x)).collect()
            }
            Self::Counter(low, end) => {
                words.iter().copied().filter(|x| (low..end).contains(x)).collect()
            }
        }
    }

    /// The lines that make it, and its name. A loop stays open.
    fn text(self, name: &str, r#type: &str) -> (String, String) {
        let constant = |name: &str, value| {
            format!("    %{name} = arith.constant {}\n", literal(value, r#type))
        };
        match self {
            Self::Any => (String::new(), format!("%arg_{name}")),
            Self::Is(value) => (constant(name, value), format!("%{name}")),
            Self::Between(low, high) => {
                let mut text = constant(&format!("{name}_low"), low);
                text += &constant(&format!("{name}_high"), high);
                text +=
                    &format!("    %{name}_up = arith.maxsi %arg_{name}, %{name}_low : {type}\n");
                text += &format!("    %{name} = arith.minsi %{name}_up, %{name}_high : {type}\n");
                (text, format!("%{name}"))
            }
            Self::Counter(low, end) => {
                let mut text = constant(&format!("{name}_low"), low);
                text += &constant(&format!("{name}_end"), end);
                text += &constant(&format!("{name}_step"), 1);
                let bounds = format!("%{name}_low to %{name}_end step %{name}_step");
                text += &format!("    scf.for %{name} = {bounds} : {type} {{\n");
                (text, format!("%{name}"))
            }
        }
    }

    fn end(self) -> &'static str {
        if matches!(self, Self::Counter(..)) { "    }\n" } else { "" }
    }
}

/// Operands of a type: any, each edge, and intervals between some, if there are such.
fn operands(width: u32, intervals: bool) -> Vec<Operand> {
    let (least, greatest) = bounds(width);
    let mut all = vec![Operand::Any];
    all.extend(edges(width).into_iter().map(Operand::Is));
    if intervals {
        let bits = i64::from(width);
        let some = [(0, greatest), (1, greatest), (-1, 1), (0, 1), (least, -1), (1, bits)];
        all.extend(some.map(|(low, high)| Operand::Between(low, high)));
    }
    all
}

/// A type in which the importer computes.
fn language(r#type: &str) -> Option<Language> {
    match r#type {
        "i32" => Some(Language::I32),
        "i64" => Some(Language::I64),
        "index" => Some(Language::Index),
        _ => None,
    }
}

fn admits(symbol: &Symbol, value: i64) -> bool {
    let divides = value.unsigned_abs().checked_rem(symbol.multiple).is_none_or(|rest| rest == 0);
    (symbol.low..=symbol.high).contains(&value) && divides
}

/// The faults in the facts of a value.
#[derive(Default)]
struct Faults {
    wrong: Vec<String>,
    checked: usize,
}

impl Faults {
    /// A value of a function that has some words.
    fn check<'c>(&mut self, function: OperationRef<'c, 'c>, value: Val<'c>, words: &[i64]) {
        let Some(width) = width_of(value.r#type()) else { return };
        let leaves = Leaves::new(function);
        let symbol = leaves.symbol(value, width);
        let surveys: Vec<Survey<'_>> =
            Language::ALL.map(|language| Survey::new(function, language)).into();
        for &word in words {
            self.checked += 1;
            if !admits(&symbol, word) {
                self.wrong.push(format!("{word} is not in {symbol:?} in {function}"));
            }
            for survey in &surveys {
                let survey_width = survey.language.width();
                let number = survey.number(value);
                let known = match width {
                    1 => unsigned(word, 1) as i64,
                    _ => word,
                };
                let speaks = width == 1 || Language::of(value.r#type()) == Some(survey.language);
                if speaks && survey_width == number.width && !number.admits(known) {
                    self.wrong.push(format!("{known} is not in {number:?} in {function}"));
                }
            }
        }
    }

    /// A value of which nothing is known.
    fn nothing<'c>(&mut self, function: OperationRef<'c, 'c>, value: Val<'c>) {
        let Some(width) = width_of(value.r#type()) else { return };
        self.checked += 1;
        let symbol = Leaves::new(function).symbol(value, width);
        let (least, greatest) = bounds(width);
        let unknown = (symbol.low, symbol.high, symbol.multiple) == (least, greatest, 1)
            && symbol.uniform == Uniform::Thread;
        let language = Language::ALL.into_iter().find(|l| Language::of(value.r#type()) == Some(*l));
        let number = language.map(|language| Survey::new(function, language).number(value));
        if !unknown || number.is_some_and(|number| number != Number::any(number.width)) {
            self.wrong.push(format!("{symbol:?} and {number:?} are known in {function}"));
        }
    }
}

/// A function with two arguments of a type that computes one value.
fn function(at: usize, r#type: &str, operands: &[(Operand, &str)], line: &str) -> String {
    let arguments = format!("%arg_x: {type}, %arg_y: {type}, %bit: i1");
    let mut text = format!("  func.func @f{at}({arguments}) {{\n");
    for (operand, name) in operands {
        text += &operand.text(name, r#type).0;
    }
    text += line;
    operands.iter().for_each(|(operand, _)| text += operand.end());
    text + "    return\n  }\n"
}

/// Each function of a module, with the last result of the operation of a name that is last in it.
fn each<'c>(
    context: &'c Context,
    text: &str,
    name: &str,
    mut check: impl FnMut(usize, OperationRef<'c, 'c>, Val<'c>),
) {
    let module = module(context, text);
    for (at, function) in tree::inside(root(&module), "func.func").into_iter().enumerate() {
        let made = tree::all(function).into_iter().rfind(|&made| tree::name(made) == name);
        let made = made.unwrap_or_else(|| panic!("no {name} in {function}"));
        check(at, function, result(made, made.result_count() - 1));
    }
}

/// Operations on two words, by flavour and type, with operands of every kind.
fn binary(context: &Context, name: &str, found: &mut Faults) {
    for (r#type, width) in TYPES {
        let known = language(r#type).is_some();
        let kinds = operands(width, known);
        let words = edges(width);
        for flavour in flavours(name) {
            let (mut text, mut cases) = (String::new(), Vec::new());
            for &x in &kinds {
                for &y in &kinds {
                    let [a, b] = [(x, "x"), (y, "y")].map(|(o, name)| o.text(name, r#type).1);
                    let results = match name {
                        "arith.mului_extended" => "%low, %high",
                        _ => "%r",
                    };
                    let line = match name {
                        "arith.cmpi" => {
                            format!("    %r = arith.cmpi{flavour} {a}, {b} : {type}\n")
                        }
                        _ => format!("    {results} = {name} {a}, {b}{flavour} : {type}\n"),
                    };
                    text += &function(cases.len(), r#type, &[(x, "x"), (y, "y")], &line);
                    cases.push((x, y));
                }
            }
            each(context, &text, name, |at, function, value| {
                let (x, y) = cases[at];
                let mut results = Vec::new();
                for &a in &x.values(&words) {
                    for &b in &y.values(&words) {
                        let predicate = flavour.trim().trim_end_matches(',');
                        results.extend(match name {
                            "arith.cmpi" => Some(-i64::from(compared(predicate, a, b, width))),
                            _ => computed(name, &flavour, a, b, width),
                        });
                    }
                }
                results.sort_unstable();
                results.dedup();
                found.check(function, value, &results);
            });
        }
    }
}

/// Selections, by a condition that is any, known, or a comparison.
fn select(context: &Context, found: &mut Faults) {
    for (r#type, width) in TYPES {
        let kinds = operands(width, language(r#type).is_some());
        let words = edges(width);
        for condition in ["%bit", "%true", "%false", "%less"] {
            let (mut text, mut cases) = (String::new(), Vec::new());
            for &x in &kinds {
                for &y in &kinds {
                    let [a, b] = [(x, "x"), (y, "y")].map(|(o, name)| o.text(name, r#type).1);
                    let line = format!(
                        "    %true = arith.constant true\n    %false = arith.constant false\n    \
                         %less = arith.cmpi slt, {a}, {b} : {type}\n    \
                         %r = arith.select {condition}, {a}, {b} : {type}\n"
                    );
                    text += &function(cases.len(), r#type, &[(x, "x"), (y, "y")], &line);
                    cases.push((x, y));
                }
            }
            each(context, &text, "arith.select", |at, function, value| {
                let (x, y) = cases[at];
                let mut results = Vec::new();
                for &a in &x.values(&words) {
                    for &b in &y.values(&words) {
                        match condition {
                            "%true" => results.push(a),
                            "%false" => results.push(b),
                            "%less" => results.push(if a < b { a } else { b }),
                            _ => results.extend([a, b]),
                        }
                    }
                }
                found.check(function, value, &results);
            });
        }
    }
}

/// Constants of each type.
fn constants(context: &Context, found: &mut Faults) {
    for (r#type, width) in TYPES {
        let words = edges(width);
        let lines = words.iter().enumerate().map(|(at, &word)| {
            let line = format!("    %r = arith.constant {}\n", literal(word, r#type));
            function(at, r#type, &[], &line)
        });
        let text: String = lines.collect();
        each(context, &text, "arith.constant", |at, function, value| {
            found.check(function, value, &words[at..=at]);
        });
    }
}

/// Casts between each two types that they take.
fn casts(context: &Context, name: &str, found: &mut Faults) {
    for (from, width) in TYPES {
        for (to, bits) in TYPES {
            let takes = match name {
                "arith.index_cast" | "arith.index_castui" => (from == "index") != (to == "index"),
                _ if from == "index" || to == "index" => false,
                "arith.trunci" => bits < width,
                _ => bits > width,
            };
            if !takes {
                continue;
            }
            let flags: &[&str] = match name {
                "arith.trunci" => &["", " overflow<nsw>", " overflow<nuw>"],
                _ => &[""],
            };
            let (least, greatest) = bounds(width);
            let mut kinds = operands(width, false);
            if width > 1 {
                let loops =
                    [(0, greatest), (-1, 1), (least, greatest), (1, 2), (least, 0), (-2, -1)];
                kinds.extend(loops.map(|(low, end)| Operand::Counter(low, end)));
            }
            let words = edges(width);
            for flag in flags {
                let lines = kinds.iter().enumerate().map(|(at, &x)| {
                    let line =
                        format!("    %r = {name} {}{flag} : {from} to {to}\n", x.text("x", from).1);
                    function(at, from, &[(x, "x")], &line)
                });
                let text: String = lines.collect();
                each(context, &text, name, |at, function, value| {
                    let words = kinds[at].values(&words);
                    let results: Vec<i64> =
                        words.iter().filter_map(|&x| cast(name, flag, x, width, bits)).collect();
                    found.check(function, value, &results);
                });
            }
        }
    }
}

/// The counter of `scf.for`: signed and unsigned, from, to and by constants and any words.
fn counters(context: &Context, found: &mut Faults) {
    for (r#type, width) in TYPES {
        let (least, greatest) = bounds(width);
        let mut some = vec![least, -1, 0, 1, greatest];
        some.retain(|x| (least..=greatest).contains(x));
        some.dedup();
        let kinds = |positive: bool| {
            let known = some.iter().filter(|&&x| !positive || x > 0).copied().map(Some);
            known.chain([None]).collect::<Vec<_>>()
        };
        for unsigned_order in [false, true] {
            let order = if unsigned_order { "unsigned " } else { "" };
            let (mut text, mut cases) = (String::new(), Vec::new());
            for lower in kinds(false) {
                for upper in kinds(false) {
                    for step in kinds(true) {
                        let mut names = Vec::new();
                        let at = cases.len();
                        text += &format!(
                            "  func.func @f{at}(%a0: {type}, %a1: {type}, %a2: {type}) {{\n"
                        );
                        for (i, known) in [lower, upper, step].into_iter().enumerate() {
                            names.push(known.map_or(format!("%a{i}"), |_| format!("%k{i}")));
                            if let Some(value) = known {
                                let value = literal(value, r#type);
                                text += &format!("    %k{i} = arith.constant {value}\n");
                            }
                        }
                        let [l, u, s] = [0, 1, 2].map(|i| &names[i]);
                        text += &format!(
                            "    scf.for {order}%i = {l} to {u} step {s} : {type} {{ }}\n    return\n  }}\n"
                        );
                        cases.push([lower, upper, step]);
                    }
                }
            }
            let module = module(context, &text);
            let functions = tree::inside(root(&module), "func.func");
            for (function, case) in functions.into_iter().zip(cases) {
                let of = |at: usize| case[at].map_or(some.clone(), |known| vec![known]);
                let mut values = Vec::new();
                for lower in of(0) {
                    for upper in of(1) {
                        for step in of(2) {
                            values.extend(rounds(lower, upper, step, unsigned_order, width));
                        }
                    }
                }
                values.sort_unstable();
                values.dedup();
                let made = tree::inside(function, "scf.for")[0];
                let body = tree::entry(made).expect("a body");
                found.check(function, tree::argument(body, 0), &values);
            }
        }
    }
}

/// The values of a counter: the loop compares, runs, and adds, and a sum wraps. The first rounds, and of a narrow
/// word all.
fn rounds(lower: i64, upper: i64, step: i64, without_sign: bool, width: u32) -> Vec<i64> {
    let mut values = Vec::new();
    let mut now = lower;
    for _ in 0..if width <= 8 { 300 } else { 6 } {
        let order = if without_sign { "ult" } else { "slt" };
        if !compared(order, now, upper, width) {
            break;
        }
        values.push(now);
        now = wrap(i128::from(now) + i128::from(step), width);
    }
    values
}

/// Ids of threads, blocks and lanes: with each bound that the operation and the function may state.
fn ids(context: &Context, name: &str, limits: [i64; 3], stated: Option<&str>, found: &mut Faults) {
    let lane = name == "gpu.lane_id";
    let axes: &[&str] = if lane { &[""] } else { &[" x", " y", " z"] };
    for (axis, dimension) in axes.iter().enumerate() {
        for own in [None, Some(1), Some(2), Some(31), Some(33), Some(i64::MAX)] {
            for known in [None, Some(1), Some(7), Some(i32::MAX)] {
                if known.is_some() && stated.is_none() {
                    continue;
                }
                let upper = own.map_or(String::new(), |own| format!(" upper_bound {own}"));
                let mut sizes = [1; 3];
                let states = known.map_or(String::new(), |known| {
                    sizes[axis] = known;
                    let [x, y, z] = sizes;
                    format!("attributes {{{} = array<i32: {x}, {y}, {z}>}} ", stated.unwrap_or(""))
                });
                let text = format!(
                    "func.func @f() {states}{{\n  %r = {name}{dimension}{upper}\n  return\n}}\n"
                );
                each(context, &text, name, |_, function, value| {
                    // The function and the operation state less at most than the hardware has.
                    let most =
                        known.map_or(limits[axis], |known| i64::from(known).min(limits[axis]));
                    let most = own.map_or(most, |own| own.min(most));
                    found.check(function, value, &[0, most - 1]);
                    let symbol = Leaves::new(function).symbol(value, 64);
                    // One past is no value, where the function states what the hardware has.
                    let stated = known.is_none_or(|known| i64::from(known) <= limits[axis]);
                    if stated && (symbol.low, symbol.high) != (0, most - 1) {
                        found.wrong.push(format!("{symbol:?}, not 0 to {}: {text}", most - 1));
                    }
                });
            }
        }
    }
}

/// Operations that say who sees one value, and no number.
fn shared(context: &Context, name: &str, uniform: Uniform, found: &mut Faults) {
    let operation = match name {
        "gpu.subgroup_id" => format!("{name} : index"),
        _ => format!("{name} x"),
    };
    let text = format!("func.func @f() {{\n  %r = {operation}\n  return\n}}\n");
    each(context, &text, name, |_, function, value| {
        let symbol = Leaves::new(function).symbol(value, 64);
        let any = (symbol.low, symbol.high, symbol.multiple) == (i64::MIN, i64::MAX, 1);
        found.checked += 1;
        if !any || symbol.uniform != uniform {
            found.wrong.push(format!("{symbol:?}: {text}"));
        }
    });
}

/// Arguments of functions: nothing is known of those of any block; those of the first are one value for a block.
fn arguments(context: &Context, name: &str, found: &mut Faults) {
    for (r#type, width) in TYPES {
        let (open, close, end) = match name {
            "gpu.func" => ("gpu.module @m {\n", "}\n", "gpu.return"),
            _ => ("", "", "return"),
        };
        let kernel = if name == "gpu.func" { " kernel" } else { "" };
        let text = format!(
            "module attributes {{gpu.container_module}} {{\n{open}{name} @f(%x: {type}){kernel} {{\n  cf.br ^b(%x : {type})\n^b(%y: {type}):\n  {end}\n}}\n{close}}}\n"
        );
        let module = module(context, &text);
        let function = tree::inside(root(&module), name)[0];
        let first = tree::entry(function).expect("a body");
        let second = first.next_in_region().expect("a second block");
        for (block, uniform) in [(first, Uniform::Block), (second, Uniform::Thread)] {
            let symbol = Leaves::new(function).symbol(tree::argument(block, 0), width);
            found.checked += 1;
            let any = (symbol.low, symbol.high, symbol.multiple);
            let (least, greatest) = bounds(width);
            if any != (least, greatest, 1) || symbol.uniform != uniform {
                found.wrong.push(format!("{symbol:?}: {text}"));
            }
        }
    }
}

/// Operations that give nothing, in a function of which `T` is a type.
const NOTHING: &[(&str, &str)] = &[
    ("arith.ceildivsi", "%r = arith.ceildivsi %x, %k : T"),
    ("arith.ceildivui", "%r = arith.ceildivui %x, %k : T"),
    ("arith.addui_extended", "%r, %o = arith.addui_extended %x, %k : T, i1"),
    ("arith.mulsi_extended", "%r, %o = arith.mulsi_extended %x, %k : T"),
    ("arith.bitcast", "%r = arith.bitcast %f : f32 to i32"),
    ("arith.fptosi", "%r = arith.fptosi %f : f32 to i32"),
    ("arith.fptoui", "%r = arith.fptoui %f : f32 to i32"),
    ("index.add", "%r = index.add %i, %c"),
    ("index.sub", "%r = index.sub %i, %c"),
    ("index.mul", "%r = index.mul %i, %c"),
    ("index.divs", "%r = index.divs %i, %c"),
    ("index.divu", "%r = index.divu %i, %c"),
    ("index.ceildivs", "%r = index.ceildivs %i, %c"),
    ("index.ceildivu", "%r = index.ceildivu %i, %c"),
    ("index.floordivs", "%r = index.floordivs %i, %c"),
    ("index.rems", "%r = index.rems %i, %c"),
    ("index.remu", "%r = index.remu %i, %c"),
    ("index.maxs", "%r = index.maxs %i, %c"),
    ("index.maxu", "%r = index.maxu %i, %c"),
    ("index.mins", "%r = index.mins %i, %c"),
    ("index.minu", "%r = index.minu %i, %c"),
    ("index.shl", "%r = index.shl %i, %c"),
    ("index.shrs", "%r = index.shrs %i, %c"),
    ("index.shru", "%r = index.shru %i, %c"),
    ("index.and", "%r = index.and %i, %c"),
    ("index.or", "%r = index.or %i, %c"),
    ("index.xor", "%r = index.xor %i, %c"),
    ("index.casts", "%r = index.casts %c : index to i32"),
    ("index.castu", "%r = index.castu %c : index to i32"),
    ("index.cmp", "%r = index.cmp slt(%i, %c)"),
    ("index.sizeof", "%r = index.sizeof"),
    ("index.constant", "%r = index.constant 5"),
    (
        "scf.while",
        "%r = scf.while (%a = %w) : (i32) -> i32 { scf.condition(%p) %a : i32 } do { ^bb0(%b: i32): scf.yield %b : i32 }",
    ),
    ("scf.parallel", "scf.parallel (%a) = (%c) to (%i) step (%c) { }"),
    ("scf.forall", "scf.forall (%a, %b) in (4, %i) { }"),
    ("scf.if", "%r = scf.if %p -> i32 { scf.yield %w : i32 } else { scf.yield %w : i32 }"),
    (
        "scf.index_switch",
        "%r = scf.index_switch %i -> i32 case 1 { scf.yield %w : i32 } default { scf.yield %w : i32 }",
    ),
    ("scf.execute_region", "%r = scf.execute_region -> i32 { scf.yield %w : i32 }"),
    (
        "scf.reduce",
        "%r = scf.parallel (%a) = (%c) to (%i) step (%c) init (%w) -> i32 { scf.reduce(%w : i32) { ^bb0(%s: i32, %t: i32): scf.reduce.return %s : i32 } }",
    ),
    (
        "affine.for",
        "%r = affine.for %a = 0 to 16 step 2 iter_args(%g = %w) -> i32 { affine.yield %g : i32 }",
    ),
    ("affine.parallel", "affine.parallel (%a) = (0) to (16) { }"),
    (
        "affine.if",
        "affine.for %a = 0 to 4 { %r = affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%a) -> i32 { affine.yield %w : i32 } else { affine.yield %w : i32 } }",
    ),
    ("affine.apply", "%r = affine.apply affine_map<(d0) -> (d0 mod 8)>(%i)"),
    ("affine.min", "%r = affine.min affine_map<(d0) -> (d0, 8)>(%i)"),
    ("affine.max", "%r = affine.max affine_map<(d0) -> (d0, 8)>(%i)"),
    ("affine.load", "affine.for %a = 0 to 4 { %r = affine.load %m[%a, %a] : memref<4x4xi32> }"),
    ("affine.delinearize_index", "%r:2 = affine.delinearize_index %i into (4, 4) : index, index"),
    ("affine.linearize_index", "%r = affine.linearize_index [%i, %c] by (4, 4) : index"),
    (
        "gpu.launch",
        "gpu.launch blocks(%bx, %by, %bz) in (%gx = %c, %gy = %c, %gz = %c) threads(%tx, %ty, %tz) in (%sx = %c, %sy = %c, %sz = %c) { gpu.terminator }",
    ),
    ("gpu.cluster_id", "%r = gpu.cluster_id x"),
    ("gpu.cluster_dim", "%r = gpu.cluster_dim x"),
    ("gpu.cluster_dim_blocks", "%r = gpu.cluster_dim_blocks x"),
    ("gpu.cluster_block_id", "%r = gpu.cluster_block_id x"),
    ("gpu.global_id", "%r = gpu.global_id x"),
    ("gpu.num_subgroups", "%r = gpu.num_subgroups : index"),
    ("gpu.subgroup_size", "%r = gpu.subgroup_size : index"),
    ("gpu.all_reduce", "%r = gpu.all_reduce add %w {} : (i32) -> i32"),
    ("gpu.subgroup_reduce", "%r = gpu.subgroup_reduce add %w : (i32) -> i32"),
    ("gpu.shuffle", "%r, %v = gpu.shuffle xor %w, %w, %w : i32"),
    ("cf.br", "cf.br ^a(%w : i32)\n^a(%a: i32):"),
    (
        "cf.cond_br",
        "cf.cond_br %p, ^a(%w : i32), ^b(%w : i32)\n^a(%a: i32):\n  return\n^b(%b: i32):",
    ),
    (
        "cf.switch",
        "cf.switch %w : i32, [default: ^a(%w : i32), 1: ^b(%w : i32)]\n^a(%a: i32):\n  return\n^b(%b: i32):",
    ),
    ("func.call", "%r = func.call @callee(%w) : (i32) -> i32"),
    ("ub.poison", "%r = ub.poison : T"),
    ("memref.dim", "%r = memref.dim %m, %c : memref<4x4xi32>"),
    ("memref.rank", "%r = memref.rank %m : memref<4x4xi32>"),
    ("memref.load", "%r = memref.load %m[%i, %i] : memref<4x4xi32>"),
    (
        "memref.extract_strided_metadata",
        "%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %m : memref<4x4xi32> -> memref<i32>, index, index, index, index, index",
    ),
    (
        "memref.extract_aligned_pointer_as_index",
        "%r = memref.extract_aligned_pointer_as_index %m : memref<4x4xi32> -> index",
    ),
];

/// Operations that give nothing: no result of theirs, and no argument of a block that they hold or hand to.
fn nothing(context: &Context, name: &str, found: &mut Faults) {
    let Some((_, line)) = NOTHING.iter().find(|(known, _)| *known == name) else {
        panic!("{name} has a row and no form");
    };
    let before = found.checked;
    for (r#type, width) in TYPES {
        for word in edges(width) {
            let text = format!(
                "func.func private @callee(i32) -> i32\n\
                 func.func @f(%x: {type}, %i: index, %f: f32, %m: memref<4x4xi32>, %p: i1, %w: i32) {{\n  \
                 %k = arith.constant {}\n  %c = arith.constant 1 : index\n  {}\n  return\n}}\n",
                literal(word, r#type),
                line.replace('T', r#type)
            );
            let module = module(context, &text);
            let function = tree::inside(root(&module), "func.func")[1];
            let mut around = tree::all(function);
            around.retain(|&made| tree::name(made) == name);
            for &made in &around {
                (0..made.result_count()).for_each(|at| found.nothing(function, result(made, at)));
            }
            // The blocks after the first are given the values that a branch passes on.
            let branches = name.starts_with("cf.");
            if branches {
                around = vec![function];
            }
            for made in around {
                for region in 0..made.region_count() {
                    let mut block =
                        made.region(region).ok().and_then(|region| region.first_block());
                    if branches {
                        block = block.and_then(|first| first.next_in_region());
                    }
                    while let Some(next) = block {
                        (0..next.argument_count())
                            .for_each(|at| found.nothing(function, tree::argument(next, at)));
                        block = next.next_in_region();
                    }
                }
            }
            // A line that does not depend on the type is one module.
            if !line.contains('T') && !line.contains("%k") {
                return assert!(found.checked > before, "{name}: nothing is checked");
            }
        }
    }
    assert!(found.checked > before, "{name}: nothing is checked");
}

#[test]
fn each_row_is_right_at_the_edges_of_each_width() {
    let context = context();
    let mut all = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in ROWS {
        for &name in row.operations {
            let mut found = Faults::default();
            match row.gives {
                FactRule::Constant => constants(&context, &mut found),
                FactRule::Meaning if name == "arith.select" => select(&context, &mut found),
                FactRule::Meaning => binary(&context, name, &mut found),
                FactRule::Cast(_) => casts(&context, name, &mut found),
                FactRule::Counter => counters(&context, &mut found),
                FactRule::Id(Launch { limits, stated, .. }) => {
                    ids(&context, name, limits, stated, &mut found);
                }
                FactRule::Lane(lanes) => ids(&context, name, [lanes; 3], None, &mut found),
                FactRule::Shared(uniform) => shared(&context, name, uniform, &mut found),
                FactRule::Nothing if name.ends_with(".func") => {
                    arguments(&context, name, &mut found);
                }
                FactRule::Nothing => nothing(&context, name, &mut found),
            }
            assert!(found.checked > 0, "{name}: nothing is checked");
            all.insert(name, found.checked);
            wrong.extend(found.wrong.into_iter().take(3).map(|text| format!("{name}: {text}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{all:?}");
    for (name, _) in NOTHING {
        assert!(all.contains_key(name), "{name} has a form and no row");
    }
}

/// A module whose index has 32 bits keeps its arithmetic: what is known is of 64.
#[test]
fn an_index_of_other_bits_is_left_alone() {
    let context = context();
    for (spec, usual) in [
        ("", true),
        ("attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i64>} ", false),
        ("attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>} ", true),
        ("attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i64>>} ", false),
    ] {
        let text = format!("module {spec}{{ func.func @f() {{ return }} }}");
        let module = module(&context, &text);
        let function = tree::inside(root(&module), "func.func")[0];
        assert_eq!(has_usual_index(function), usual, "{text}");
    }
}
