//! Lets upstream's loops add up numbers of 16 bits in f32, as kernels do: a sum of thousands of numbers that is rounded to 16 bits each time is off by
//! more than a kernel may be.

use layout_dialect::{
    build::{Builder, Val, operand, result},
    tree,
};
use melior::ir::{BlockLike, BlockRef, OperationRef, Type, ValueLike, operation::OperationLike};

/// Rewrites reductions of `linalg.generic` below `root` whose results have 16 bits.
///
/// # Errors
///
/// MLIR's error for an operation that it refuses.
pub(super) fn run(root: OperationRef<'_, '_>) -> Result<(), melior::Error> {
    for generic in tree::inside(root, "linalg.generic") {
        let kinds = generic.attribute("iterator_types").map(|kinds| kinds.to_string());
        let Some(body) = tree::entry(generic) else { continue };
        if kinds.is_ok_and(|kinds| kinds.contains("reduction")) && is_taken(generic, body) {
            widen(generic, body)?;
        }
    }
    Ok(())
}

fn is_short(r#type: Type<'_>) -> bool {
    ["f16", "bf16"].contains(&r#type.to_string().as_str())
}

/// The tensor of f32 with the extents of one of 16 bits.
fn wide<'c>(b: &Builder<'c>, r#type: Type<'c>) -> Option<Type<'c>> {
    let text = r#type.to_string();
    let extents = text.strip_suffix("bf16>").or_else(|| text.strip_suffix("f16>"))?;
    Type::parse(b.context(), &format!("{extents}f32>"))
}

/// Whether a result has 16 bits, and each step of the body may be computed in f32.
fn is_taken(generic: OperationRef<'_, '_>, body: BlockRef<'_, '_>) -> bool {
    let inputs = body.argument_count() - generic.result_count().min(body.argument_count());
    let is_narrow = |i: usize| is_short(tree::argument(body, inputs + i).r#type());
    let b = Builder::before(generic);
    let has_form = |i: usize| !is_narrow(i) || wide(&b, result(generic, i).r#type()).is_some();
    let results = 0..generic.result_count();
    let is_step = |step: OperationRef<'_, '_>| {
        let name = tree::name(step);
        let is_known = name.starts_with("arith.") || name.starts_with("math.");
        name != "arith.bitcast" && (is_known || name == "linalg.yield" || name == "linalg.index")
    };
    results.clone().any(is_narrow)
        && results.clone().all(has_form)
        && tree::operations(body).into_iter().all(is_step)
}

fn widen<'c>(generic: OperationRef<'c, 'c>, body: BlockRef<'c, 'c>) -> Result<(), melior::Error> {
    let b = Builder::before(generic);
    let float = Type::float32(b.context());
    let inputs = body.argument_count() - generic.result_count();
    let start = Builder::at_start(b.context(), b.location(), body);
    for i in 0..inputs {
        let own = tree::argument(body, i);
        if is_short(own.r#type()) && tree::is_used(own) {
            extended(&start, own)?;
        }
    }
    for i in 0..generic.result_count() {
        let own = tree::argument(body, inputs + i);
        if !is_short(own.r#type()) {
            continue;
        }
        tree::set_type(own, float);
        let whole = result(generic, i);
        let narrow = whole.r#type();
        let wide = wide(&b, narrow).ok_or(melior::Error::OperationBuild)?;
        let before = b.value("arith.extf", &[operand(generic, inputs + i)], wide, &[])?;
        tree::set_operand(generic, inputs + i, before);
        tree::set_type(whole, wide);
        if let Some(next) = generic.next_in_block() {
            let made = Builder::before(next).value("arith.truncf", &[whole], narrow, &[])?;
            tree::replace_uses(whole, made);
            if let Some(made) = tree::definition(made) {
                tree::set_operand(made, 0, whole);
            }
        }
    }
    for step in tree::operations(body) {
        compute(step, float)?;
    }
    Ok(())
}

/// Replaces the uses of a number of 16 bits by the same in f32.
fn extended<'c>(b: &Builder<'c>, own: Val<'c>) -> Result<Val<'c>, melior::Error> {
    let made = b.value("arith.extf", &[own], Type::float32(b.context()), &[])?;
    tree::replace_uses(own, made);
    if let Some(made) = tree::definition(made) {
        tree::set_operand(made, 0, own);
    }
    Ok(made)
}

/// Lets a step of the body compute in f32.
fn compute<'c>(step: OperationRef<'c, 'c>, float: Type<'c>) -> Result<(), melior::Error> {
    let name = tree::name(step);
    if name == "arith.extf"
        && is_short(operand(step, 0).r#type())
        && result(step, 0).r#type() == float
    {
        return Ok(());
    }
    if name == "arith.constant" {
        return Ok(());
    }
    for i in 0..step.operand_count() {
        let own = operand(step, i);
        if is_short(own.r#type()) {
            let wide = Builder::before(step).value("arith.extf", &[own], float, &[])?;
            tree::set_operand(step, i, wide);
        }
    }
    for i in 0..step.result_count() {
        if is_short(result(step, i).r#type()) {
            tree::set_type(result(step, i), float);
        }
    }
    // A conversion between the two is none now.
    let converts = ["arith.extf", "arith.truncf"].contains(&name.as_str());
    if converts && operand(step, 0).r#type() == result(step, 0).r#type() {
        tree::replace_uses(result(step, 0), operand(step, 0));
        tree::erase(step);
    }
    Ok(())
}
