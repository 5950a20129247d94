//! The validator's reading of `arith` operations, at the edges of each width: a function for each flavour and
//! each kind of operand, and the form of its result beside what the slow definition computes.

use super::{
    super::trace::{Known, PARAMETERS, Reader, Trace},
    indicator,
};
use crate::edges::{
    PREDICATES, TYPES, bounds, cast, compared, computed, context, edges, flavours, literal, module,
    root, unsigned, wrap,
};
use layout_dialect::{build::result, tree};
use layout_relation::IndexForm;
use melior::{
    Context,
    ir::{OperationRef, operation::OperationLike},
};
use std::collections::BTreeMap;

/// The operations that the validator reads, for the page of facts: operations, the reading, and where.
pub(crate) const ROWS: &[(&[&str], &str, &str)] = &[
    (
        &["arith.addi", "arith.subi", "arith.muli", "arith.shli"],
        "the sum, difference or product, wrapped to the type; with `nsw` as it is",
        "always; of 64 bits, what has no bounds is taken not to wrap, unless a function that returns numbers is read exactly; \
         a shift in [0, width), or of few values",
    ),
    (
        &["arith.andi", "arith.ori", "arith.xori"],
        "the bits of both; of i1 logic of conditions",
        "bits of bounded words",
    ),
    (
        &["arith.shrui", "arith.divui", "arith.remui"],
        "quotient and remainder of unsigned words; `exact` gives nothing",
        "a divisor that is at least 1, a shift in [0, width)",
    ),
    (
        &[
            "arith.shrsi",
            "arith.floordivsi",
            "arith.divsi",
            "arith.remsi",
            "arith.ceildivsi",
            "arith.ceildivui",
        ],
        "quotients rounded down, to zero or up, and what they leave",
        "a divisor that is at least 1; of `ceildivui`, of unsigned words",
    ),
    (
        &["arith.minsi", "arith.maxsi", "arith.minui", "arith.maxui"],
        "the lesser or the greater, signed or unsigned; of i1 logic of conditions if unsigned",
        "always",
    ),
    (
        &["arith.mulsi_extended", "arith.mului_extended"],
        "both words of the product",
        "from i2 to i62, or by the reciprocal of a constant; of i1 nothing",
    ),
    (
        &["arith.cmpi"],
        "a condition: each predicate, signed or unsigned; of i1, true has the sign of -1",
        "always",
    ),
    (&["arith.select"], "one of two values under a condition", "a condition that is read"),
    (
        &["arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"],
        "the word of the other width, with or without its sign; of trunci, `nsw` and `nuw` give nothing",
        "an index has 64 bits",
    ),
    (
        &["arith.constant"],
        "the value; of i1 a condition",
        "an integer of 64 bits or fewer, or an index",
    ),
    (
        &["scf.for"],
        "the counter: `lower + step * round`, below the upper bound; where a step may pass the end of fewer than 64 bits, any word \
         below the upper bound",
        "bounds that are read, a step that is a positive constant; signed or `unsigned`",
    ),
];

/// An operand: an argument, or a constant.
type Operand = Option<i64>;

fn operands(words: &[i64]) -> Vec<Operand> {
    words.iter().copied().map(Some).chain([None]).collect()
}

/// The values of the arguments, and what the slow definition makes of them.
type Case = ([i64; 2], i64);

/// Reads each function of a module, and compares the last result of an operation: how many had a form.
fn check(
    context: &Context,
    text: &str,
    name: &str,
    width: u32,
    cases: &[Vec<Case>],
    exact: bool,
    wrong: &mut Vec<String>,
) -> usize {
    let module = module(context, text);
    let functions = tree::inside(root(&module), "func.func");
    assert_eq!(functions.len(), cases.len(), "{text}");
    let mut read = 0;
    for (function, cases) in functions.into_iter().zip(cases) {
        let made = tree::all(function).into_iter().rfind(|&made| tree::name(made) == name);
        let made = made.unwrap_or_else(|| panic!("no {name} in {function}"));
        let reader = Reader::of(function, Trace::begun(function, None, exact), None);
        let Some(form) = form(&reader, made) else { continue };
        let bit = tree::name(made) == "arith.cmpi" || result_is_bit(made);
        read += 1;
        // A symbol with bounds counts from its lower bound.
        let least = if (2..=32).contains(&width) { bounds(width).0 } else { 0 };
        for (values, expected) in cases {
            let symbol = |number: u32| match number.checked_sub(PARAMETERS) {
                Some(at @ 0..2) if width == 1 => unsigned(values[at as usize], 1) as i64,
                Some(at @ 0..2) => values[at as usize] - least,
                _ => 0,
            };
            let expected = if bit { unsigned(*expected, 1) as i64 } else { *expected };
            let found = form.at(&symbol);
            if found.is_some_and(|found| found != expected) {
                wrong.push(format!(
                    "{name} of {values:?}: {expected}, and the form has {found:?}: {function}"
                ));
            }
        }
    }
    read
}

fn result_is_bit(made: OperationRef<'_, '_>) -> bool {
    let last = made.result_count() - 1;
    super::width(melior::ir::ValueLike::r#type(&result(made, last))) == Some(1)
}

/// The form of an operation's last result.
fn form(reader: &Reader, made: OperationRef<'_, '_>) -> Option<IndexForm> {
    match reader.known_of(result(made, made.result_count() - 1))? {
        Known::Form(form) => Some(form.clone()),
        Known::Conditions(conditions) => indicator(conditions),
        Known::Choice(conditions, form) => {
            indicator(conditions)?.choose(form, &IndexForm::constant(0))
        }
        _ => None,
    }
}

/// A function of two arguments of a type.
fn function(at: usize, r#type: &str, operands: [Operand; 2], line: &str) -> String {
    let mut text = format!("func.func @f{at}(%a: {type}, %b: {type}) {{\n");
    for (name, operand) in ["x", "y"].iter().zip(operands) {
        if let Some(value) = operand {
            text += &format!("  %{name} = arith.constant {}\n", literal(value, r#type));
        }
    }
    let name = |at: usize| match operands[at] {
        Some(_) => ["%x", "%y"][at],
        None => ["%a", "%b"][at],
    };
    text + &line.replace("%X", name(0)).replace("%Y", name(1)) + "  return\n}\n"
}

/// Words of an operand: small ones where it is an argument of 64 bits, which has no bounds, since values read of it are taken
/// not to wrap, unless the function is read exactly.
fn words(operand: Operand, width: u32) -> Vec<i64> {
    match operand {
        Some(value) => vec![value],
        None if width == 64 => vec![-3, -2, -1, 0, 1, 2, 3, 7, 62],
        None => edges(width),
    }
}

fn binary(context: &Context, name: &str, wrong: &mut Vec<String>) -> usize {
    let mut read = 0;
    for (r#type, width) in TYPES {
        for flavour in flavours(name) {
            let (mut text, mut cases) = (String::new(), Vec::new());
            let predicate = flavour.trim().trim_end_matches(',');
            for &x in &operands(&edges(width)) {
                for &y in &operands(&edges(width)) {
                    let line = match name {
                        "arith.cmpi" => format!("  %r = arith.cmpi{flavour} %X, %Y : {type}\n"),
                        _ if name.ends_with("extended") => {
                            format!("  %l, %h = {name} %X, %Y{flavour} : {type}\n")
                        }
                        _ => format!("  %r = {name} %X, %Y{flavour} : {type}\n"),
                    };
                    text += &function(cases.len(), r#type, [x, y], &line);
                    let open = width == 64 && (x.is_none() || y.is_none());
                    let mut all = Vec::new();
                    for a in words(x, width) {
                        for b in words(y, width) {
                            let found = match name {
                                "arith.cmpi" => Some(-i64::from(compared(predicate, a, b, width))),
                                _ if open && !fits(name, a, b) => None,
                                _ => computed(name, &flavour, a, b, width),
                            };
                            all.extend(found.map(|found| ([a, b], found)));
                        }
                    }
                    cases.push(all);
                }
            }
            read += check(context, &text, name, width, &cases, false, wrong);
        }
    }
    read
}

/// Whether a result in 64 bits does not wrap.
fn fits(name: &str, x: i64, y: i64) -> bool {
    match name {
        "arith.addi" => x.checked_add(y).is_some(),
        "arith.subi" => x.checked_sub(y).is_some(),
        "arith.muli" => x.checked_mul(y).is_some(),
        "arith.shli" => u32::try_from(y).is_ok_and(|y| y < 63 && x.checked_mul(1 << y).is_some()),
        _ => true,
    }
}

fn casts(context: &Context, name: &str, wrong: &mut Vec<String>) -> usize {
    let mut read = 0;
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
            let (mut text, mut cases) = (String::new(), Vec::new());
            for &x in &operands(&edges(width)) {
                let line = format!("  %r = {name} %X : {from} to {to}\n");
                text += &function(cases.len(), from, [x, Some(0)], &line);
                let found = |a: i64| Some(([a, 0], cast(name, "", a, width, bits)?));
                cases.push(words(x, width).into_iter().filter_map(found).collect());
            }
            read += check(context, &text, name, width, &cases, false, wrong);
        }
    }
    read
}

fn constants(context: &Context, wrong: &mut Vec<String>) -> usize {
    let mut read = 0;
    for (r#type, width) in TYPES {
        let words = edges(width);
        let line = |word: i64| format!("  %r = arith.constant {}\n", literal(word, r#type));
        let texts = words.iter().enumerate();
        let text: String =
            texts.map(|(at, &word)| function(at, r#type, [None, None], &line(word))).collect();
        let cases: Vec<_> = words.iter().map(|&word| vec![([0, 0], word)]).collect();
        read += check(context, &text, "arith.constant", width, &cases, false, wrong);
    }
    read
}

fn select(context: &Context, wrong: &mut Vec<String>) -> usize {
    let mut read = 0;
    for (r#type, width) in TYPES {
        for predicate in PREDICATES {
            let (mut text, mut cases) = (String::new(), Vec::new());
            for &x in &operands(&edges(width)) {
                for &y in &operands(&edges(width)) {
                    let line = format!(
                        "  %c = arith.cmpi {predicate}, %X, %Y : {type}\n  \
                         %r = arith.select %c, %X, %Y : {type}\n"
                    );
                    text += &function(cases.len(), r#type, [x, y], &line);
                    let mut all = Vec::new();
                    for a in words(x, width) {
                        for b in words(y, width) {
                            let taken = compared(predicate, a, b, width);
                            all.push(([a, b], if taken { a } else { b }));
                        }
                    }
                    cases.push(all);
                }
            }
            read += check(context, &text, "arith.select", width, &cases, false, wrong);
        }
    }
    read
}

/// Counters of `scf.for`: by the round, or any word below the end.
fn counters(context: &Context, wrong: &mut Vec<String>) -> usize {
    let mut read = 0;
    for (r#type, width) in TYPES {
        let words = edges(width);
        for order in ["", "unsigned "] {
            for &step in words.iter().filter(|&&step| step > 0) {
                let (mut text, mut cases) = (String::new(), Vec::new());
                for &x in &operands(&words) {
                    for &y in &operands(&words) {
                        let line = format!(
                            "  %s = arith.constant {}\n  scf.for {order}%i = %X to %Y step %s : {type} {{ }}\n",
                            literal(step, r#type)
                        );
                        text += &function(cases.len(), r#type, [x, y], &line);
                        cases.push([x, y]);
                    }
                }
                let module = module(context, &text);
                let functions = tree::inside(root(&module), "func.func");
                for (function, [x, y]) in functions.into_iter().zip(cases) {
                    let reader = Reader::of(function, Trace::begun(function, None, false), None);
                    let made = tree::inside(function, "scf.for")[0];
                    let counter = tree::argument(tree::entry(made).expect("a body"), 0);
                    let Some(Known::Form(form)) = reader.known_of(counter) else { continue };
                    read += 1;
                    for from in self::words(x, width) {
                        for to in self::words(y, width) {
                            let of = |round: i64| {
                                let least =
                                    if (2..=32).contains(&width) { bounds(width).0 } else { 0 };
                                form.at(&|number| match number.checked_sub(PARAMETERS) {
                                    Some(0) => from - least,
                                    Some(1) => to - least,
                                    _ => round,
                                })
                            };
                            let values = rounds([from, to, step], order, width);
                            let least = if order.is_empty() { bounds(width).0 } else { 0 };
                            let by_round =
                                (0..).zip(&values).all(|(k, &value)| of(k) == Some(value));
                            let any_word = || {
                                width < 64
                                    && values.iter().all(|&value| {
                                        let place = match order {
                                            "" => value - least,
                                            _ => unsigned(value, width) as i64,
                                        };
                                        of(place) == Some(value)
                                    })
                            };
                            if !by_round && !any_word() {
                                wrong.push(format!(
                                    "{values:?} from {from} to {to}: {form:?}: {function}"
                                ));
                            }
                        }
                    }
                }
            }
        }
    }
    read
}

/// The first values of a counter, of a word of 64 bits while no sum wraps.
fn rounds([from, to, step]: [i64; 3], order: &str, width: u32) -> Vec<i64> {
    let order = if order.is_empty() { "slt" } else { "ult" };
    let (mut values, mut now) = (Vec::new(), from);
    while values.len() < 5 && compared(order, now, to, width) {
        values.push(now);
        if width == 64 && now.checked_add(step).is_none() {
            break;
        }
        now = wrap(i128::from(now) + i128::from(step), width);
    }
    values
}

/// Each operation of which the validator reads a form has one somewhere, and it is right wherever there is one.
#[test]
fn each_form_is_right_at_the_edges_of_each_width() {
    let context = context();
    let (mut wrong, mut read) = (Vec::new(), BTreeMap::new());
    for &name in ROWS.iter().flat_map(|row| row.0) {
        let mut own = Vec::new();
        let found = match name {
            "scf.for" => counters(&context, &mut own),
            "arith.select" => select(&context, &mut own),
            "arith.constant" => constants(&context, &mut own),
            _ if ["arith.ext", "arith.trunci", "arith.index"]
                .iter()
                .any(|n| name.starts_with(n)) =>
            {
                casts(&context, name, &mut own)
            }
            _ => binary(&context, name, &mut own),
        };
        read.insert(name, found);
        wrong.extend(own.into_iter().take(4));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{read:?}");
    assert!(read.values().all(|&read| read > 0), "{read:?}");
}
