//! Logarithms, powers and other functions of `math` are near what f64 has: at numbers of every size and sign, around those where
//! their formulas change, and where C says what they are.

use crate::engine::{Engine, context};

/// Elements of one call.
const AT_ONCE: usize = 4096;

/// A function: as it is written, as f64 has it, and units of f32 by which it may differ.
type Function = (&'static str, fn(f64, f64) -> f64, f64);

const FUNCTIONS: [Function; 24] = [
    ("math.log %x : f32", |x, _| x.ln(), 2.0),
    ("math.log2 %x : f32", |x, _| x.log2(), 3.0),
    ("math.log10 %x : f32", |x, _| x.log10(), 3.0),
    ("math.log1p %x : f32", |x, _| x.ln_1p(), 4.0),
    ("math.expm1 %x : f32", |x, _| x.exp_m1(), 8.0),
    ("math.powf %x, %y : f32", f64::powf, 1.0),
    ("math.tan %x : f32", |x, _| x.tan(), 4.0),
    ("math.round %x : f32", |x, _| x.round(), 0.0),
    ("math.trunc %x : f32", |x, _| x.trunc(), 0.0),
    ("arith.remf %x, %y : f32", |x, y| x % y, 0.0),
    ("arith.minnumf %x, %y : f32", f64::min, 0.0),
    ("arith.maxnumf %x, %y : f32", f64::max, 0.0),
    ("math.acos %x : f32", |x, _| x.acos(), 3.0),
    ("math.acosh %x : f32", |x, _| x.acosh(), 6.0),
    ("math.asin %x : f32", |x, _| x.asin(), 3.0),
    ("math.asinh %x : f32", |x, _| x.asinh(), 6.0),
    ("math.atan %x : f32", |x, _| x.atan(), 3.0),
    ("math.atan2 %y, %x : f32", |x, y| y.atan2(x), 4.0),
    ("math.atanh %x : f32", |x, _| x.atanh(), 6.0),
    ("math.cbrt %x : f32", |x, _| x.cbrt(), 1.0),
    ("math.cosh %x : f32", |x, _| x.cosh(), 8.0),
    ("math.erfc %x : f32", |x, _| complement_of_erf(x), 8.0),
    ("math.sinh %x : f32", |x, _| x.sinh(), 8.0),
    ("math.erf %x : f32", |x, _| erf(x), 3.0),
];

/// The error function's series, for numbers below 2.5.
fn erf_near_0(x: f64) -> f64 {
    let (mut term, mut sum) = (x, x);
    for n in 1..80 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * std::f64::consts::FRAC_2_SQRT_PI
}

fn erf(x: f64) -> f64 {
    if x.abs() < 2.5 { erf_near_0(x) } else { 1.0 - complement_of_erf(x) }
}

/// 1 - erf(x): its series below 2.5, and its continued fraction from there on.
fn complement_of_erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let size = x.abs();
    let complement = if size < 2.5 {
        1.0 - erf_near_0(size)
    } else {
        let fraction = (1..200).rev().fold(size, |rest, n| size + f64::from(n) / 2.0 / rest);
        (-size * size).exp() / fraction * std::f64::consts::FRAC_2_SQRT_PI / 2.0
    };
    if x < 0.0 { 2.0 - complement } else { complement }
}

/// Units by which the error of an exponential in a function grows.
fn of_exponential(operation: &str, x: f32) -> f64 {
    let size = f64::from(x.abs().min(100.0));
    match operation {
        _ if operation.contains("erfc") => 2.0 * size * size,
        _ if ["expm1", "sinh", "cosh"].iter().any(|name| operation.contains(name)) => size,
        _ => 0.0,
    }
}

/// Numbers of every exponent, neighbours of 1 and of the roots of 1/2 and 2, small integers and halves, and what is no number.
fn numbers() -> Vec<f32> {
    const STEP: usize = 99_991;
    let mut all: Vec<f32> = (0..=u32::MAX).step_by(STEP).map(f32::from_bits).collect();
    for near in [1.0_f32, 2.0, 0.5, std::f32::consts::SQRT_2, std::f32::consts::FRAC_1_SQRT_2] {
        let bits = near.to_bits();
        all.extend((bits - 300..bits + 300).map(f32::from_bits));
    }
    all.extend((-40..=40).map(|half| half as f32 / 2.0));
    all.extend([f32::INFINITY, f32::NAN, 1e-45, f32::MIN_POSITIVE, f32::MAX, 0.0]);
    let negative: Vec<f32> = all.iter().map(|x| -x).collect();
    all.extend(negative);
    all
}

fn evaluated(operation: &str, of: &str, values: &[(f32, f32)]) -> Vec<f32> {
    evaluated_after("", operation, of, values)
}

/// An operation's values after other steps.
fn evaluated_after(steps: &str, operation: &str, of: &str, values: &[(f32, f32)]) -> Vec<f32> {
    let view = format!("!layout.view<f32, host, {AT_ONCE}:1>");
    let (narrow, wide) = match of {
        "f32" => ("", ""),
        _ => (" = arith.truncf", " = arith.extf"),
    };
    let (mut begin, mut end) = (String::new(), "%r".to_owned());
    let mut text = operation.to_owned();
    if of != "f32" {
        begin = format!("%nx{narrow} %x : f32 to {of}\n");
        text = operation.replace("%x", "%nx").replace(": f32", &format!(": {of}"));
        end = "%wide".to_owned();
    }
    let back = if of == "f32" { String::new() } else { format!("%wide{wide} %r : {of} to f32\n") };
    let program = format!(
        "func.func @evaluate(%s: {view}, %p: {view}, %t: {view}) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = arith.constant {AT_ONCE} : index
           %two = arith.constant 2 : i32
           scf.for %i = %c0 to %n step %c1 {{
             %x = layout.load %s(%i) : {view}
             %y = layout.load %p(%i) : {view}
             %k = arith.fptosi %y : f32 to i32
             {begin}{steps}
             %r = {text}
             {back}layout.store {end}, %t(%i) : {view}
           }}
           return
         }}\n"
    );
    let context = context();
    let engine = Engine::lowered(&context, &program);
    let mut all = Vec::with_capacity(values.len());
    for part in values.chunks(AT_ONCE) {
        let mut x: Vec<f32> = part.iter().map(|pair| pair.0).collect();
        let mut y: Vec<f32> = part.iter().map(|pair| pair.1).collect();
        x.resize(AT_ONCE, 1.0);
        y.resize(AT_ONCE, 1.0);
        let mut found = vec![0.0_f32; AT_ONCE];
        let pointers = [x.as_ptr() as i64, y.as_ptr() as i64, found.as_mut_ptr() as i64];
        engine.call("evaluate", &pointers, 0, false);
        all.extend_from_slice(&found[..part.len()]);
    }
    all
}

/// How far a number is from another, in steps of f32 around that.
fn units(found: f32, expected: f64) -> f64 {
    let rounded = expected as f32;
    if found.to_bits() == rounded.to_bits()
        || (found.is_nan() && rounded.is_nan())
        || found == rounded
    {
        return 0.0;
    }
    if !rounded.is_finite() || !found.is_finite() {
        // Next to the greatest number the one may be infinite and the other not.
        let near = expected.abs() >= f64::from(f32::MAX) * (1.0 - 1e-6)
            && found.abs() >= f32::MAX * (1.0 - 1e-6);
        return if near && found.is_sign_negative() == rounded.is_sign_negative() {
            1.0
        } else {
            f64::INFINITY
        };
    }
    let step = f64::from(rounded.abs().next_up()) - f64::from(rounded.abs());
    (f64::from(found) - expected).abs() / step
}

#[test]
fn functions_are_near_what_f64_has() {
    for (operation, function, most) in FUNCTIONS {
        let mut values: Vec<(f32, f32)> = numbers().into_iter().map(|x| (x, 1.0)).collect();
        if operation.contains("%y") {
            let few: Vec<f32> = numbers().into_iter().step_by(211).collect();
            let special = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                2.0,
                -3.0,
                0.5,
                1e30,
                f32::INFINITY,
                f32::NEG_INFINITY,
                f32::NAN,
            ];
            let all: Vec<f32> = few.into_iter().chain(special).collect();
            values.extend(all.iter().flat_map(|&x| all.iter().map(move |&y| (x, y))));
            // Where results are neither 0 nor infinite.
            let near = numbers().into_iter().filter(|x| (0.2..5.0).contains(x));
            values
                .extend(near.step_by(7).flat_map(|x| (-60..60).map(move |y| (x, y as f32 / 1.7))));
        }
        if operation.contains("math.tan ") {
            // Beyond, f64 has no quarters of an angle either.
            values.retain(|pair| pair.0.abs() < 1e5);
        }
        let found = evaluated(operation, "f32", &values);
        let mut worst = (0.0, (0.0, 0.0), 0.0);
        for (&(x, y), found) in values.iter().zip(found) {
            let more = of_exponential(operation, x);
            let off = (units(found, function(f64::from(x), f64::from(y))) - more).max(0.0);
            if off > worst.0 {
                worst = (off, (x, y), found);
            }
        }
        let (off, (x, y), found) = worst;
        assert!(off <= most, "{operation} at {x:e}, {y:e} is {found:e}, {off} units off");
    }
}

/// One formula for the whole: its error is one of 1, whatever is left of the sum.
#[test]
fn one_and_the_error_function_are_summed_at_once() {
    type Form = (&'static str, &'static str, fn(f64) -> f64, f64);
    const FORMS: [Form; 7] = [
        ("%erf = math.erf %x : f32", "arith.addf %one, %erf : f32", |x| complement_of_erf(-x), 4.0),
        ("%erf = math.erf %x : f32", "arith.addf %erf, %one : f32", |x| complement_of_erf(-x), 4.0),
        // Scales whose eighth powers are no numbers are no part of a polynomial.
        (
            "%big = arith.constant 1.0e30 : f32\n%scaled = arith.mulf %x, %big : f32\n%erf = math.erf %scaled : f32",
            "arith.addf %erf, %one : f32",
            |x| complement_of_erf(-x * 1e30),
            4.0,
        ),
        (
            "%scaled = arith.mulf %x, %root : f32\n%erf = math.erf %scaled : f32\n%sum = arith.addf %erf, %one : f32",
            "arith.mulf %half, %sum : f32",
            |x| complement_of_erf(-x / 2.0 * std::f64::consts::SQRT_2) / 2.0,
            2.5,
        ),
        (
            "%scaled = arith.divf %x, %two_root : f32\n%erf = math.erf %scaled : f32\n%sum = arith.addf %erf, %one : f32",
            "arith.mulf %sum, %half : f32",
            |x| complement_of_erf(-x / std::f64::consts::SQRT_2) / 2.0,
            2.5,
        ),
        // Relative to the other factor, which is a power of 2 times the number.
        (
            "%scaled = arith.mulf %x, %root : f32\n%erf = math.erf %scaled : f32\n%sum = arith.addf %erf, %one : f32\n\
             %h = arith.mulf %x, %half : f32",
            "arith.mulf %h, %sum : f32",
            |x| x * complement_of_erf(-x / 2.0 * std::f64::consts::SQRT_2) / 2.0,
            3.0,
        ),
        // The function has another use.
        (
            "%erf = math.erf %x : f32\n%sum = arith.addf %erf, %one : f32",
            "arith.addf %sum, %erf : f32",
            |x| 3.0 - 2.0 * complement_of_erf(x),
            9.0,
        ),
    ];
    const CONSTANTS: &str = "%one = arith.constant 1.0 : f32\n%half = arith.constant 0.5 : f32\n\
                             %root = arith.constant 0.70710678118654752 : f32\n\
                             %two_root = arith.constant 1.4142135623730951 : f32\n";
    let values: Vec<(f32, f32)> = numbers().into_iter().map(|x| (x, 1.0)).collect();
    for (steps, last, expected, most) in FORMS {
        let steps = format!("{CONSTANTS}{steps}");
        for (&(x, _), found) in values.iter().zip(evaluated_after(&steps, last, "f32", &values)) {
            let expected = expected(f64::from(x));
            let of = if last.contains("%h,") { f64::from(x.abs()).max(1e-30) } else { 1.0 };
            let off = (f64::from(found) - expected).abs() / of * f64::from(1 << 24);
            let is_near = off <= most || found.is_nan() && expected.is_nan();
            assert!(
                is_near || f64::from(found) == expected,
                "{last} of {x:e} is {found:e}, {off} units off {expected:e}"
            );
        }
    }
}

#[test]
fn powers_that_are_integers_are_products_or_powers() {
    let values: Vec<(f32, f32)> = numbers()
        .into_iter()
        .step_by(13)
        .flat_map(|x| (-5..6).map(move |y| (x, y as f32)))
        .collect();
    let found = evaluated("math.fpowi %x, %k : f32, i32", "f32", &values);
    for (&(x, y), found) in values.iter().zip(found) {
        assert!(units(found, f64::from(x).powi(y as i32)) <= 1.0, "{x:e} to {y} is {found:e}");
    }
    let found = evaluated("math.fpowi %x, %two : f32, i32", "f32", &values);
    for (&(x, _), found) in values.iter().zip(found) {
        assert_eq!(found.to_bits(), (x * x).to_bits(), "the square of {x:e}");
    }
}

#[test]
fn functions_of_16_bits_are_those_of_f32_rounded() {
    let values: Vec<(f32, f32)> =
        (0..=u16::MAX).map(|bits| (half::f16::from_bits(bits).to_f32(), 0.0)).collect();
    let found = evaluated("math.log1p %x : f32", "f16", &values);
    for (&(x, _), found) in values.iter().zip(found) {
        let expected = f64::from(x).ln_1p();
        let exact = half::f16::from_f64(expected).to_f32();
        let near = (f64::from(found) - expected).abs()
            <= expected.abs() * 2_f64.powi(-11) * 1.01 + 2_f64.powi(-25);
        assert!(near || found == exact || (found.is_nan() && exact.is_nan()), "{x:e}: {found:e}");
    }
}

#[test]
fn classes_of_numbers_are_those_of_rust() {
    type Class = (&'static str, fn(f32) -> bool);
    const CLASSES: [Class; 4] = [
        ("math.isfinite", f32::is_finite),
        ("math.isinf", f32::is_infinite),
        ("math.isnan", f32::is_nan),
        ("math.isnormal", f32::is_normal),
    ];
    let values: Vec<(f32, f32)> = numbers().into_iter().map(|x| (x, 1.0)).collect();
    for (name, class) in CLASSES {
        let steps = format!("%is = {name} %x : f32");
        let found = evaluated_after(&steps, "arith.uitofp %is : i1 to f32", "f32", &values);
        for (&(x, _), found) in values.iter().zip(found) {
            assert_eq!(found == 1.0, class(x), "{name} of {x:e}");
        }
    }
}

#[test]
fn functions_of_f64_are_instructions() {
    type Function = (&'static str, fn(f64) -> f64);
    const FUNCTIONS: [Function; 8] = [
        ("math.absf %d", f64::abs),
        ("math.ceil %d", f64::ceil),
        ("math.floor %d", f64::floor),
        ("math.round %d", f64::round),
        ("math.roundeven %d", f64::round_ties_even),
        ("math.rsqrt %d", |x| 1.0 / x.sqrt()),
        ("math.sqrt %d", f64::sqrt),
        ("math.trunc %d", f64::trunc),
    ];
    let values: Vec<(f32, f32)> = numbers().into_iter().map(|x| (x, 1.0)).collect();
    for (operation, function) in FUNCTIONS {
        let steps = format!("%d = arith.extf %x : f32 to f64\n%f = {operation} : f64");
        let found = evaluated_after(&steps, "arith.truncf %f : f64 to f32", "f32", &values);
        for (&(x, _), found) in values.iter().zip(found) {
            let expected = function(f64::from(x)) as f32;
            let same = found == expected || (found.is_nan() && expected.is_nan());
            assert!(same, "{operation} of {x:e} is {found:e}");
        }
    }
}
