//! The shapes of operands, as a kernel's facts state them.

/// The texts of the shapes, in the order of the operands.
fn shapes(facts: &str) -> impl Iterator<Item = &str> {
    facts.split("shape = \"").skip(1).filter_map(|part| part.split('"').next())
}

/// The parts of a tuple's text between its commas, or `None` for a text that is an expression.
fn parts(shape: &str) -> Option<Vec<&str>> {
    let inside = shape.trim().strip_prefix('(')?.strip_suffix(')')?;
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i64, 0);
    for (at, letter) in inside.char_indices() {
        match letter {
            '(' => depth += 1,
            // The first parenthesis is closed before the end: both are of an expression.
            ')' if depth == 0 => return None,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inside[start..]);
    Some(parts)
}

/// The extents of a shape, each as a factor of a product.
fn leaves(shape: &str) -> Vec<String> {
    match parts(shape) {
        Some(parts) => parts.into_iter().flat_map(leaves).collect(),
        None => match shape.trim() {
            "" => Vec::new(),
            sum if sum.contains(['+', '-']) => vec![format!("({sum})")],
            factor => vec![factor.to_owned()],
        },
    }
}

/// The extent of a mode of an operand, as an expression over the kernel's sizes.
pub(super) fn extent(facts: &str, operand: usize, mode: usize) -> Option<String> {
    let shape = shapes(facts).nth(operand)?;
    let modes = parts(shape).unwrap_or_else(|| vec![shape]);
    let factors = leaves(modes.get(mode)?);
    (!factors.is_empty()).then(|| factors.join("*"))
}

/// The elements of the largest operand that a kernel's facts state, as an expression over its sizes.
pub(super) fn largest(facts: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for shape in shapes(facts) {
        let product = leaves(shape).join("*");
        if !product.is_empty() && !all.contains(&product) {
            all.push(product);
        }
    }
    // Those that are known are one number, as a manifest has it where no size is known at run time.
    let number = |product: &String| {
        product.split('*').try_fold(1_u64, |all, leaf| all.checked_mul(leaf.parse().ok()?))
    };
    let known = all.iter().filter_map(number).max();
    all.retain(|product| number(product).is_none());
    all.extend(known.map(|known| known.to_string()));
    let last = all.pop().unwrap_or_else(|| "1".to_owned());
    all.into_iter().rev().fold(last, |largest, own| format!("max({own},{largest})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_that_are_expressions_are_factors() {
        let facts = r#"shape = "(2*oh+1,(8,w))" shape = "(ceil_div(h,2),ow)" shape = "max(h,w)""#;
        let extents = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
            .map(|(operand, mode)| extent(facts, operand, mode).unwrap_or_default());
        assert_eq!(extents, ["(2*oh+1)", "8*w", "ceil_div(h,2)", "ow", "max(h,w)", ""]);
        assert_eq!(largest(facts), "max((2*oh+1)*8*w,max(ceil_div(h,2)*ow,max(h,w)))");
    }
}
