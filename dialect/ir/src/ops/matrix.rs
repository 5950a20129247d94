//! The verifiers of `layout.mma` and `layout.matmul`.

use crate::ops::views::view;
use crate::{
    atoms::{self, Atom, MmaAtom, choice::Choice, shared_matrix, space::Space},
    data::{
        offsets::offsets,
        types::{ViewType, element_bytes},
    },
    diagnostics::{codes::Code, place::Place, violation::Violation},
    ops::{
        self, barriers,
        epilogue::Epilogue,
        im2col,
        parts::{self, Part},
    },
};
use layout_algebra::{AnyLayout, Expr, Layout, Leaf};
use melior::ir::{OperationRef, operation::OperationLike};
use std::fmt::Display;

/// The operands' names and modes.
const MMA: [(&str, &str); 3] = [("a", "(VA,RM,RK)"), ("b", "(VB,RN,RK)"), ("c", "(VC,RM,RN)")];

pub(super) fn mma(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    let atom = ops::atom(operation)?;
    let of_atom = || parts::of_attribute(operation, "atom");
    let mma = atom
        .mma()
        .ok_or_else(|| Violation::new(Code::MmaAtom, "an MMA atom", atom.name).at(of_atom()))?;
    if ops::has_two_levels(operation) && (mma.b_space, mma.output) != (Space::Shared, "f32") {
        let expected =
            "an atom of warpgroups with accumulators of f32 for 'two_level_accumulation'";
        violations.push(Violation::new(Code::MmaAtom, expected, atom.name).at(of_atom()));
    }
    for (word, there) in
        [("overwrite", ops::overwrites(operation)), ("async", ops::is_async(operation))]
    {
        if there && mma.b_space != Space::Shared {
            let expected = format!("an atom of warpgroups for '{word}'");
            violations.push(Violation::new(Code::MmaAtom, expected, atom.name).at(of_atom()));
        }
        if there && ops::has_two_levels(operation) {
            let expected = format!("'two_level_accumulation' without '{word}'");
            violations.push(Violation::new(Code::MmaGroups, expected, "both").at(of_atom()));
        }
    }
    if ops::is_async(operation) {
        violations.extend(barriers::in_no_pipeline(operation));
    }
    let values = [mma.a_values, mma.b_values, mma.c_values];
    let elements = [mma.input, mma.input, mma.output];
    let spaces = [mma.a_space, mma.b_space, Space::Register];
    let mut extents = Vec::new();
    for (i, (name, modes)) in MMA.into_iter().enumerate() {
        let view = view(operation, i)?;
        if view.space() != spaces[i] {
            let place = if spaces[i] == Space::Shared { "shared memory" } else { "registers" };
            let expected = format!("{name} in {place}");
            let place = part_of(name, view, Part::Space);
            violations.push(Violation::new(Code::MmaSpace, expected, view.space()).at(place));
        }
        check_element(violations, name, view, elements[i], atom);
        let layout = match spaces[i] {
            Space::Shared => {
                let layout = known(name, view)?;
                if view.space() == Space::Shared {
                    violations.extend(canonical(name, &layout, view).err());
                }
                layout.inner().clone()
            }
            _ => plain(name, view, known(name, view)?)?,
        };
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        let [held, first, second] = sizes[..] else {
            let violation = of_rank(Code::MmaRank, name, 3, modes, &layout);
            return Err(violation.at(shape_of(name, view)));
        };
        if held != values[i] {
            let expected =
                format!("{} values in the first mode of {name} for {}", values[i], atom.name);
            violations.push(
                Violation::new(Code::MmaValues, expected, format!("{held} in {layout}"))
                    .at(mode_of(name, view, 0)),
            );
        }
        extents.push((first, second));
    }
    let [(am, ak), (bn, bk), (cm, cn)] = extents[..] else { return Ok(()) };
    let agree = [
        ("RM", "a and c", Some(am), Some(cm), 2, 1),
        ("RN", "b and c", Some(bn), Some(cn), 2, 2),
        ("RK", "a and b", Some(ak), Some(bk), 1, 2),
    ];
    check_extents(operation, violations, &agree)
}

pub(super) fn matmul(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
) -> Result<(), Violation> {
    let mut extents: Vec<Vec<Option<i64>>> = Vec::new();
    let mut elements = Vec::new();
    let dual = ops::dual(operation);
    let matrices = [("a", "(M,K)", Some(0)), ("b", "(N,K)", Some(1)), ("c", "(M,N)", Some(2))];
    let matrices = matrices.into_iter().chain([("dual", "(N,K)", dual)]);
    for (name, modes, place) in matrices {
        let Some(i) = place else { continue };
        let view = view(operation, i)?;
        if !matches!(view.space(), Space::Global | Space::Host) {
            let expected = format!("{name} in global or host memory");
            let place = part_of(name, view, Part::Space);
            violations.push(Violation::new(Code::MatmulSpace, expected, view.space()).at(place));
        }
        let layout = plain_in_part(name, view)?;
        let sizes = match i {
            // An image stands for the matrix that its window makes of it.
            0 if operation.attribute("window").is_ok() => {
                let matrix = im2col::matrix(operation, view)?;
                matrix.modes().iter().map(|mode| Some(mode.size())).collect()
            }
            _ => sizes(&layout)?,
        };
        let batched = modes.replace(')', ",L)");
        let wrong = match extents.first().map_or(sizes.len(), Vec::len) {
            // One matrix, or a batch of them, as a is.
            rank @ (2 | 3) if sizes.len() == rank => None,
            2 => Some(of_rank(Code::MatmulRank, name, 2, modes, &layout)),
            3 => Some(of_rank(Code::MatmulRank, name, 3, &batched, &layout)),
            _ => {
                let expected = format!("{name} of rank 2, {modes}, or of rank 3, {batched}");
                Some(Violation::new(Code::MatmulRank, expected, &layout))
            }
        };
        if let Some(violation) = wrong {
            return Err(violation.at(shape_of(name, view)));
        }
        if i == 2
            && let Some(batch) = layout.mode(2)
            && batch.flat().iter().any(|(extent, stride)| !extent.is(1) && stride.is(0))
        {
            let expected =
                "a matrix of c for each of the batch, and no stride of 0 from one to the next";
            let place = part_of(name, view, Part::Stride(2));
            violations.push(Violation::new(Code::MatmulBatch, expected, &layout).at(place));
        }
        extents.push(sizes);
        elements.push(view.element_type().to_string());
    }
    let [of_a, of_b, of_c, of_dual @ ..] = &extents[..] else { return Ok(()) };
    let mut agree = vec![
        ("M", "a and c", of_a[0], of_c[0], 2, 0),
        ("N", "b and c", of_b[0], of_c[1], 2, 1),
        ("K", "a and b", of_a[1], of_b[1], 1, 1),
    ];
    if let (&[_, _, l], &[_, _, of_b], &[_, _, of_c]) = (&of_a[..], &of_b[..], &of_c[..]) {
        agree.push(("L", "a and b", l, of_b, 1, 2));
        agree.push(("L", "a and c", l, of_c, 2, 2));
    }
    if let (Some(place), [of_dual]) = (dual, of_dual) {
        for (mode, name) in ["N", "K", "L"].into_iter().enumerate().take(of_b.len()) {
            agree.push((name, "b and dual", of_b[mode], of_dual[mode], place, mode));
        }
    }
    check_extents(operation, violations, &agree)?;
    let [a, b, c, of_dual @ ..] = &elements[..] else { return Ok(()) };
    if let (Some(place), [found]) = (dual, of_dual)
        && found != b
    {
        let place = parts::of_operand(operation, place, Part::Element);
        let expected = format!("dual of {b}, as b");
        violations.push(Violation::new(Code::MatmulElement, expected, found).at(place));
    }
    let product = Product::of(a).filter(|_| a == b);
    if product.is_none() {
        let known: Vec<&str> = PRODUCTS.iter().map(|product| product.operands).collect();
        let expected = format!("a and b of one type, {}", list(&known));
        let found = format!("{a} and {b}");
        // The error is at the second of two operands that differ, and at both of two that are alike.
        let place = parts::of_operand(operation, usize::from(a != b), Part::Element);
        violations.push(Violation::new(Code::MatmulElement, expected, found).at(place));
    }
    let has_epilogue = crate::pass::tree::entry(operation).is_some();
    if let Some(product) = product
        && !product.results(has_epilogue).contains(&c.as_str())
    {
        let fused = match product.results == product.fused {
            true => "",
            false if has_epilogue => " with an epilogue",
            false => " without an epilogue",
        };
        let results = list(product.results(has_epilogue));
        let expected = format!("c of {results} for a and b of {a}{fused}");
        let place = parts::of_operand(operation, 2, Part::Element);
        violations.push(Violation::new(Code::MatmulElement, expected, c).at(place));
    }
    let others = ops::others(operation);
    for i in others.clone() {
        let view = view(operation, i)?;
        let name = format!("the epilogue's operand {}", i - 3);
        if !matches!(view.space(), Space::Global | Space::Host) {
            let expected = format!("{name} in global or host memory");
            let place = part_of(&name, view, Part::Space);
            violations.push(Violation::new(Code::MatmulSpace, expected, view.space()).at(place));
        }
        let layout = plain_in_part(&name, view)?;
        let sizes = sizes(&layout)?;
        let differs = |(own, of_c): (&Option<i64>, &Option<i64>)| {
            own.zip(*of_c).is_some_and(|(own, of_c)| own != of_c)
        };
        if sizes.len() != of_c.len() || sizes.iter().zip(of_c).any(differs) {
            let extent = |extent: &Option<i64>| extent.map_or("?".to_owned(), |n| n.to_string());
            let shape: Vec<String> = of_c.iter().map(extent).collect();
            let expected = format!("{name} of shape ({}), as c", shape.join(","));
            violations
                .push(Violation::new(Code::Extents, expected, &layout).at(shape_of(&name, view)));
        }
        let element = view.element_type().to_string();
        let known = product.map_or(RESULTS, |product| product.fused);
        if !known.contains(&element.as_str()) {
            let expected = format!("{name} of {}", list(known));
            let place = part_of(&name, view, Part::Element);
            violations.push(Violation::new(Code::MatmulElement, expected, element).at(place));
        }
    }
    if !others.is_empty() && !has_epilogue {
        violations.push(Violation::new(Code::Epilogue, "an epilogue for its operands", "none"));
    }
    if dual.is_some() && !has_epilogue {
        let expected = "an epilogue that makes one element of both products";
        violations.push(Violation::new(Code::Epilogue, expected, "none"));
    }
    violations.extend(Epilogue::of(operation).err());
    let choice = ops::choice(operation)?;
    if let Choice::Given(schedule) = choice
        && let Some(atom) = schedule.mma.as_deref().and_then(crate::atoms::lookup)
        && let Some(mma) = atom.mma()
        && mma.operand != a
    {
        let expected = format!("a and b of {} for the schedule's {}", mma.operand, atom.name);
        violations.push(
            Violation::new(Code::MatmulElement, expected, a)
                .hint_if(atom_of(mma, a))
                .at(parts::of_operand(operation, 0, Part::Element)),
        );
    }
    Ok(())
}

/// The types of a matmul: what may be multiplied, what is stored of the sums as they are, and what of the numbers
/// that an epilogue makes of them, which its operands are of too.
struct Product {
    operands: &'static str,
    results: &'static [&'static str],
    fused: &'static [&'static str],
}

/// The results of float accumulators, and the elements that an epilogue reads beside them.
const RESULTS: &[&str] = &["f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "i8"];

const PRODUCTS: &[Product] = &[
    Product { operands: "f16", results: RESULTS, fused: RESULTS },
    Product { operands: "bf16", results: RESULTS, fused: RESULTS },
    Product { operands: "f32", results: RESULTS, fused: RESULTS },
    Product { operands: "f8E4M3FN", results: RESULTS, fused: RESULTS },
    Product { operands: "f8E5M2", results: RESULTS, fused: RESULTS },
    Product { operands: "f64", results: &["f64"], fused: &["f64"] },
    // Sums of i32 are numbers of f32 to an epilogue.
    Product { operands: "i8", results: &["i8", "i32"], fused: RESULTS },
];

impl Product {
    fn of(operands: &str) -> Option<&'static Self> {
        PRODUCTS.iter().find(|product| product.operands == operands)
    }

    /// The element types that C may have.
    fn results(&self, has_epilogue: bool) -> &'static [&'static str] {
        if has_epilogue { self.fused } else { self.results }
    }
}

/// Names as a sentence lists them.
fn list(names: &[&str]) -> String {
    match names {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.join(", "),
    }
}

/// The operand has another rank than its modes.
fn of_rank(code: Code, name: &str, rank: usize, modes: &str, found: impl Display) -> Violation {
    Violation::new(code, format!("{name} of rank {rank}, {modes}"), found)
}

/// The place of a mode of an operand's shape.
fn mode_of(name: &str, view: ViewType<'_>, mode: usize) -> Option<Place> {
    parts::of_text(format!("the layout of {name}"), &view.text(), Part::Mode(mode))
}

/// The place of an operand's whole shape.
fn shape_of(name: &str, view: ViewType<'_>) -> Option<Place> {
    parts::of_text(format!("the layout of {name}"), &view.text(), Part::Shape)
}

/// An atom like another, for other elements.
fn atom_of(mma: &MmaAtom, input: &str) -> Option<String> {
    let like = |other: &MmaAtom| {
        let ((m, n, k), other_k) = (mma.extent, other.extent.2);
        other.operand == input
            && (other.a_space, other.b_space) == (mma.a_space, mma.b_space)
            && other.is_exact()
            && other.output == mma.output
            && (other.extent == (m, n, k) || other.extent == (m, n, other_k))
    };
    let found = atoms::all().iter().find(|atom| atom.mma().is_some_and(like))?;
    Some(format!("{} takes {input}", found.name))
}

/// The place of a part of an operand's type.
fn part_of(name: &str, view: ViewType<'_>, part: Part) -> Option<Place> {
    parts::of_type(format!("the type of {name}"), view.into(), part)
}

/// The layout of an operand, all of which must be known.
fn known(name: &str, view: ViewType<'_>) -> Result<AnyLayout, Violation> {
    crate::ops::views::known_layout(view)
        .map_err(|refused| refused.at(part_of(name, view, Part::Symbol(0))))
}

/// The layout of an operand that may have integers that are known at run time.
fn plain_in_part(name: &str, view: ViewType<'_>) -> Result<Layout<Expr>, Violation> {
    plain(name, view, offsets(&view.term_value()?)?)
}

/// The layout of an operand, which nothing may stand outside of.
fn plain<L: Leaf>(
    name: &str,
    view: ViewType<'_>,
    layout: AnyLayout<L>,
) -> Result<Layout<L>, Violation> {
    match layout {
        AnyLayout::Plain(layout) => Ok(layout),
        AnyLayout::Composed(layout) => {
            let expected = format!("{name} with a plain layout");
            Err(Violation::new(Code::PlainLayout, expected, &layout)
                .hint(format!("{} is plain", layout.inner))
                .at(part_of(name, view, Part::Outer)))
        }
    }
}

/// The sizes of the modes at the top, where they are known.
fn sizes(layout: &Layout<Expr>) -> Result<Vec<Option<i64>>, Violation> {
    layout.modes().iter().map(|mode| Ok(mode.size()?.as_constant())).collect()
}

/// A tile in shared memory, which the instruction must be able to describe.
fn canonical(name: &str, layout: &AnyLayout, view: ViewType<'_>) -> Result<(), Violation> {
    let Some(bytes) = element_bytes(view.element_type()) else { return Ok(()) };
    let tile = layout.try_map(|inner| inner.get(&[0]))?;
    shared_matrix::describe(&tile, bytes)
        .map(|_| ())
        .map_err(|violation| violation.at(mode_of(name, view, 0)))
}

fn check_element(
    violations: &mut Vec<Violation>,
    name: &str,
    view: ViewType<'_>,
    expected: &str,
    atom: &Atom,
) {
    let found = view.element_type().to_string();
    if found != expected {
        let hint = atom.mma().filter(|_| name != "c").and_then(|mma| atom_of(mma, &found));
        let expected = format!("{name} of {expected} for {}", atom.name);
        violations.push(
            Violation::new(Code::MmaElement, expected, found).hint_if(hint).at(part_of(
                name,
                view,
                Part::Element,
            )),
        );
    }
}

/// An extent that two operands have: its name and theirs, as each has it where it is known, and the number and the mode of
/// the second.
type Agreement = (&'static str, &'static str, Option<i64>, Option<i64>, usize, usize);

/// Checks that operands agree in their extents.
fn check_extents(
    operation: OperationRef<'_, '_>,
    violations: &mut Vec<Violation>,
    extents: &[Agreement],
) -> Result<(), Violation> {
    for &(extent, operands, one, other, operand, mode) in extents {
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            let expected = format!("one {extent} in {operands}");
            let name = ["a", "b", "c"].get(operand).copied().unwrap_or("dual");
            let place = mode_of(name, view(operation, operand)?, mode);
            violations.push(
                Violation::new(Code::Extents, expected, format!("{one} and {other}")).at(place),
            );
        }
    }
    Ok(())
}
