//! The shapes of operands, as a kernel's facts state them.

/// The texts of the shapes, in the order of the operands.
fn shapes(facts: &str) -> impl Iterator<Item = &str> {
    facts.split("shape = \"").skip(1).filter_map(|part| part.split('"').next())
}

fn leaves(shape: &str) -> impl Iterator<Item = &str> {
    shape.split(['(', ')', ',']).map(str::trim).filter(|leaf| !leaf.is_empty())
}

/// The extent of a mode of an operand, as an expression over the kernel's sizes.
pub(super) fn extent(facts: &str, operand: usize, mode: usize) -> Option<String> {
    let shape = shapes(facts).nth(operand)?;
    let inside = shape.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(shape);
    let mut depth = 0_i64;
    let mut modes = inside.split(|letter| {
        depth += i64::from(letter == '(') - i64::from(letter == ')');
        letter == ',' && depth == 0
    });
    let factors: Vec<String> = leaves(modes.nth(mode)?)
        .map(|leaf| match leaf.contains(['+', '-']) {
            true => format!("({leaf})"),
            false => leaf.to_owned(),
        })
        .collect();
    (!factors.is_empty()).then(|| factors.join("*"))
}

/// The elements of the largest operand that a kernel's facts state, as an expression over its sizes.
pub(super) fn largest(facts: &str) -> String {
    let mut all: Vec<String> = Vec::new();
    for shape in shapes(facts) {
        let product = leaves(shape).collect::<Vec<_>>().join("*");
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
