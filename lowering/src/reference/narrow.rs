//! Rounding to narrower floats, in float64: a reference rounds where it narrows a number, as its kernel does.

use layout_dialect::{
    build::{Builder, Val, first_result, operand},
    tree,
};
use melior::ir::{
    Attribute, Module, OperationRef, Type, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};

/// The attribute of a negation that is the rounding of its operand: it names the type.
const NARROWS: &str = "narrows";

/// The beginning of the name where the number is only stored.
const STORED: &str = "stored ";

/// A float type: the bits of its mantissa, its least exponent, its greatest number, and whether that is what greater ones become, as in
/// conversions of PTX to 8 bits, or infinity.
struct Format {
    name: &'static str,
    mantissa: i64,
    least: i64,
    greatest: f64,
    saturates: bool,
}

const fn format(name: &'static str, mantissa: i64, least: i64, greatest: f64) -> Format {
    Format { name, mantissa, least, greatest, saturates: false }
}

const FORMATS: [Format; 6] = [
    Format { saturates: true, ..format("f8E5M2", 2, -14, 57344.0) },
    Format { saturates: true, ..format("f8E4M3FN", 3, -6, 448.0) },
    // The upper bits of the greatest f32.
    format("bf16", 7, -126, f32::from_bits(0x7f7f_0000) as f64),
    format("f16", 10, -14, 65504.0),
    format("tf32", 10, -126, f32::from_bits(0x7f7f_e000) as f64),
    format("f32", 23, -126, f32::MAX as f64),
];

/// Bits of the mantissa of a float64, its greatest exponent, and its bits.
const MANTISSA: i64 = 52;
const BIAS: i64 = 1023;
const EXPONENT: i64 = 0x7ff << MANTISSA;

/// The element type that an operation narrows to.
pub(super) fn element(value: Val<'_>) -> String {
    let text = value.r#type().to_string();
    let element = text.trim_end_matches('>').rsplit('x').next();
    element.unwrap_or_default().to_owned()
}

/// Replaces a narrowing by what [`expand`] finds once all floats are float64. A number that is only stored stays as it is, but for saturation:
/// the comparison allows the rounding of a result.
pub(super) fn mark(operation: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    const STORES: [&str; 4] = ["memref.store", "linalg.yield", "vector.store", "affine.store"];
    let is_stored = tree::users(operation).all(|user| STORES.contains(&tree::name(user).as_str()));
    let (b, value) = (Builder::before(operation), operand(operation, 0));
    let element = element(first_result(operation));
    let name = b.string(&if is_stored { format!("{STORED}{element}") } else { element });
    let marked = b.value("arith.negf", &[value], value.r#type(), &[(NARROWS, name)])?;
    tree::replace_uses(first_result(operation), marked);
    tree::erase(operation);
    Ok(())
}

/// Writes out the roundings that are marked.
pub(super) fn expand(module: &Module<'_>) -> Result<(), melior::Error> {
    for operation in tree::inside(module.as_operation(), "arith.negf") {
        let Some(name) = operation.attribute(NARROWS).ok().and_then(tree::text) else { continue };
        let value = operand(operation, 0);
        let b = Builder::before(operation);
        let stored = name.strip_prefix(STORED);
        let element = stored.unwrap_or(&name);
        let format = FORMATS.iter().find(|format| format.name == element);
        let rounded = match (format, stored.is_some()) {
            (Some(format), false) => rounded(&b, value, format)?,
            (Some(format), true) if format.saturates => limited(&b, (value, value), format)?,
            _ => value,
        };
        tree::replace_uses(first_result(operation), rounded);
        tree::erase(operation);
    }
    Ok(())
}

/// The nearest number of a format, of two the even one: the sum with a number whose last bit has the weight of the format's last bit is
/// rounded there, and that number is subtracted again.
fn rounded<'c>(b: &Builder<'c>, value: Val<'c>, format: &Format) -> Result<Val<'c>, melior::Error> {
    let wide = value.r#type();
    let words = like(b, wide, "i64")?;
    let word = |value: i64| constant(b, words, &value.to_string());
    let bits = b.value("arith.bitcast", &[value], words, &[])?;
    let exponent = b.binary("arith.andi", bits, word(EXPONENT)?)?;
    let exponent = b.binary("arith.maxui", exponent, word((format.least + BIAS) << MANTISSA)?)?;
    // One and a half times that power, so that the sum has its exponent whatever the sign.
    let above = (MANTISSA - format.mantissa) << MANTISSA | 1 << (MANTISSA - 1);
    let large = b.binary("arith.addi", exponent, word(above)?)?;
    let large = b.value("arith.bitcast", &[large], wide, &[])?;
    let sum = b.binary("arith.addf", value, large)?;
    let near = b.binary("arith.subf", sum, large)?;
    limited(b, (near, value), format)
}

/// A number, or what greater ones than the greatest become, with the sign of another.
fn limited<'c>(
    b: &Builder<'c>,
    (near, value): (Val<'c>, Val<'c>),
    format: &Format,
) -> Result<Val<'c>, melior::Error> {
    let wide = value.r#type();
    let size = b.value("math.absf", &[near], wide, &[])?;
    let greatest = constant(b, wide, &format!("{:e}", format.greatest))?;
    let size = if format.saturates {
        b.binary("arith.minimumf", size, greatest)?
    } else {
        const GREATER: i64 = 2;
        let predicate = IntegerAttribute::new(b.integer(64), GREATER).into();
        let is_greater = b.value(
            "arith.cmpf",
            &[size, greatest],
            like(b, wide, "i1")?,
            &[("predicate", predicate)],
        )?;
        let infinity = constant(b, wide, &format!("0x{:016X}", f64::INFINITY.to_bits()))?;
        b.value("arith.select", &[is_greater, infinity, size], wide, &[])?
    };
    b.binary("math.copysign", size, value)
}

/// A type of float64, with another element type.
fn like<'c>(b: &Builder<'c>, wide: Type<'c>, element: &str) -> Result<Type<'c>, melior::Error> {
    let text = wide.to_string().replace("f64", element);
    Type::parse(b.context(), &text).ok_or(melior::Error::TypeExpected("float", text))
}

/// A constant, the same in each element of a vector.
fn constant<'c>(b: &Builder<'c>, r#type: Type<'c>, value: &str) -> Result<Val<'c>, melior::Error> {
    let text = match r#type.to_string() {
        scalar if !scalar.contains('<') => format!("{value} : {scalar}"),
        vector => format!("dense<{value}> : {vector}"),
    };
    let parsed = Attribute::parse(b.context(), &text);
    let parsed = parsed.ok_or(melior::Error::AttributeParse(text))?;
    b.value("arith.constant", &[], r#type, &[("value", parsed)])
}

#[cfg(test)]
mod tests {
    use crate::{commands, derive::ENTRY, reference::References};
    use layout_random::Numbers;
    use layout_runtime::{data::nearest, manifest::Element};
    use melior::ir::Module;

    #[test]
    fn numbers_become_those_of_the_type() {
        const COUNT: usize = 4096;
        let context = commands::context(|| {});
        let mut random = Numbers::of_seed(11);
        for element in [Element::E4m3, Element::E5m2, Element::F16, Element::Bf16, Element::F32] {
            let text = format!(
                "func.func @r(%x: memref<{COUNT}xf64>, %y: memref<{COUNT}xf64>) {{
                   linalg.map ins(%x : memref<{COUNT}xf64>) outs(%y : memref<{COUNT}xf64>)
                     (%v: f64, %old: f64) {{
                       %narrow = arith.truncf %v : f64 to {element}
                       %wide = arith.extf %narrow : {element} to f64
                       linalg.yield %wide : f64 }}
                   return }}"
            );
            let module = Module::parse(&context, &text).expect("a module");
            let mut references =
                References::new(&context, &module, &["r".to_owned()]).expect("a reference");
            // Numbers of all exponents of f32, ties of bf16 and f16 among them.
            let number = |random: &mut Numbers| {
                let bits = random.word() as u32;
                let kept = [u32::MAX, 0xffff_8000, 0xffff_f000][bits as usize % 3];
                f64::from(f32::from_bits(bits & kept))
            };
            let x: Vec<f64> = (0..COUNT).map(|_| number(&mut random)).collect();
            let mut y = vec![0.0; COUNT];
            let words = [x.as_ptr().cast_mut(), y.as_mut_ptr()]
                .map(|first| [first as u64, first as u64, 0, COUNT as u64, 1]);
            references
                .compute(&format!("{ENTRY}r"), &words.concat(), crate::budget::STEPS)
                .expect("a result");
            for (&x, &y) in x.iter().zip(&y) {
                // Infinities are the greatest number of a float of 8 bits.
                let expected = nearest(element, x);
                let is_right = y == expected || (y.is_nan() && expected.is_nan());
                assert!(is_right, "{element} of {x:e}: expected {expected:e}, found {y:e}");
            }
        }
    }
}
