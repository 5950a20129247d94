//! The verifiers of `layout.mma` and `layout.matmul`.

use crate::ops::prelude::*;
use crate::{
    atoms::{self, MmaAtom, choice::Choice, shared_matrix},
    data::{offsets::offsets, types::element_bytes},
    ops::{barriers, epilogue::Epilogue, im2col, views::known_layout},
};
use layout_algebra::Leaf;
use std::fmt::Display;

/// The operands' names and modes.
const MMA: [(&str, &str); 3] = [("a", "(VA,RM,RK)"), ("b", "(VB,RN,RK)"), ("c", "(VC,RM,RN)")];

pub(super) fn mma(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let atom = ops::atom(operation)?;
    let of_atom = Site::Attribute("atom");
    let Some(mma) = atom.mma() else {
        check.refuse(of_atom, Code::MmaAtom, "an MMA atom", atom.name);
        return Ok(());
    };
    if ops::has_two_levels(operation) && (mma.b_space, mma.output) != (Space::Shared, "f32") {
        let expected =
            "an atom of warpgroups with accumulators of f32 for 'two_level_accumulation'";
        check.refuse(of_atom, Code::MmaAtom, expected, atom.name);
    }
    for (word, there) in
        [("overwrite", ops::overwrites(operation)), ("async", ops::is_async(operation))]
    {
        if there && mma.b_space != Space::Shared {
            let expected = format!("an atom of warpgroups for '{word}'");
            check.refuse(of_atom, Code::MmaAtom, expected, atom.name);
        }
        if there && ops::has_two_levels(operation) {
            let expected = format!("'two_level_accumulation' without '{word}'");
            check.refuse(of_atom, Code::MmaGroups, expected, "both");
        }
    }
    if ops::is_async(operation) {
        check.violations.extend(barriers::in_no_pipeline(operation));
    }
    let values = [mma.a_values, mma.b_values, mma.c_values];
    let elements = [mma.input, mma.input, mma.output];
    let spaces = [mma.a_space, mma.b_space, Space::Register];
    let mut extents = Vec::new();
    for (i, (name, modes)) in MMA.into_iter().enumerate() {
        let matrix = Matrix { name, view: check.view(i)? };
        if matrix.view.space() != spaces[i] {
            let place = if spaces[i] == Space::Shared { "shared memory" } else { "registers" };
            let expected = format!("{name} in {place}");
            matrix.refuse(check, Part::Space, Code::MmaSpace, expected, matrix.view.space());
        }
        let found = matrix.element();
        if found != elements[i] {
            let hint = if name == "c" { None } else { atom_of(mma, &found) };
            let expected = format!("{name} of {} for {}", elements[i], atom.name);
            let refused = Violation::new(Code::MmaElement, expected, found).hint_if(hint);
            check.violations.push(refused.at(matrix.part(Part::Element)));
        }
        let layout = match spaces[i] {
            Space::Shared => {
                let layout = matrix.known()?;
                if matrix.view.space() == Space::Shared {
                    check.violations.extend(matrix.canonical(&layout).err());
                }
                layout.inner().clone()
            }
            _ => matrix.plain(matrix.known()?)?,
        };
        let sizes: Vec<i64> = layout.modes().iter().map(Layout::size).collect();
        let [held, first, second] = sizes[..] else {
            let refused = of_rank(Code::MmaRank, name, 3, modes, &layout);
            return Err(refused.at(matrix.of_layout(Part::Shape)));
        };
        if held != values[i] {
            let expected =
                format!("{} values in the first mode of {name} for {}", values[i], atom.name);
            let refused = Violation::new(Code::MmaValues, expected, format!("{held} in {layout}"));
            check.violations.push(refused.at(matrix.of_layout(Part::Mode(0))));
        }
        extents.push((first, second));
    }
    let [(am, ak), (bn, bk), (cm, cn)] = extents[..] else { return Ok(()) };
    let agree = [
        ("RM", "a and c", Some(am), Some(cm), 2, 1),
        ("RN", "b and c", Some(bn), Some(cn), 2, 2),
        ("RK", "a and b", Some(ak), Some(bk), 1, 2),
    ];
    check_extents(check, &agree)
}

pub(super) fn matmul(check: &mut Check<'_, '_>) -> Result<(), Violation> {
    let operation = check.operation;
    let mut extents: Vec<Vec<Option<i64>>> = Vec::new();
    let mut elements = Vec::new();
    let dual = ops::dual(operation);
    let matrices = [("a", "(M,K)", Some(0)), ("b", "(N,K)", Some(1)), ("c", "(M,N)", Some(2))];
    let matrices = matrices.into_iter().chain([("dual", "(N,K)", dual)]);
    for (name, modes, place) in matrices {
        let Some(i) = place else { continue };
        let matrix = Matrix { name, view: check.view(i)? };
        let layout = matrix.in_memory(check)?;
        let sizes = match i {
            // An image stands for the matrix that its window makes of it.
            0 if operation.attribute("window").is_ok() => {
                im2col::extents(operation, matrix.view)?.to_vec()
            }
            _ => mode_sizes(layout.shape())?,
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
        if let Some(refused) = wrong {
            return Err(refused.at(matrix.of_layout(Part::Shape)));
        }
        if i == 2
            && let Some(batch) = layout.mode(2)
            && batch.flat().iter().any(|(extent, stride)| !extent.is(1) && stride.is(0))
        {
            let expected =
                "c with a batch stride other than 0, since each matrix of a batch is stored once";
            matrix.refuse(check, Part::Stride(2), Code::MatmulBatch, expected, &layout);
        }
        extents.push(sizes);
        elements.push(matrix.element());
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
    check_extents(check, &agree)?;
    let element = |operand: usize| Site::Operand(operand, Part::Element);
    let [a, b, c, of_dual @ ..] = &elements[..] else { return Ok(()) };
    if let (Some(place), [found]) = (dual, of_dual)
        && found != b
    {
        let expected = format!("dual of {b}, as b");
        check.refuse(element(place), Code::MatmulElement, expected, found);
    }
    let multiplied = multiplied_type(a, b);
    let types = multiplied.and_then(ElementTypes::of);
    if types.is_none() {
        let known: Vec<&str> = ELEMENT_TYPES.iter().map(|types| types.operands).collect();
        let expected = format!(
            "a and b of one type, {}, or one of {} and the other of {}",
            list(&known),
            list(&CONVERTED_TO),
            list(&CONVERTED)
        );
        let found = format!("{a} and {b}");
        // The error is at the second of two operands that differ, and at both of two that are alike.
        check.refuse(element(usize::from(a != b)), Code::MatmulElement, expected, found);
    }
    let has_epilogue = crate::pass::tree::entry(operation).is_some();
    if let Some(types) = types
        && !types.results(has_epilogue).contains(&c.as_str())
    {
        let fused = match types.results == types.fused {
            true => "",
            false if has_epilogue => " with an epilogue",
            false => " without an epilogue",
        };
        let results = list(types.results(has_epilogue));
        let expected = format!("c of {results} for a and b of {a}{fused}");
        check.refuse(element(2), Code::MatmulElement, expected, c);
    }
    let others = ops::others(operation);
    for i in others.clone() {
        let name = format!("the epilogue's operand {}", i - 3);
        let matrix = Matrix { name: &name, view: check.view(i)? };
        let layout = matrix.in_memory(check)?;
        let sizes = mode_sizes(layout.shape())?;
        let differs = |(own, of_c): (&Option<i64>, &Option<i64>)| {
            own.zip(*of_c).is_some_and(|(own, of_c)| own != of_c)
        };
        if sizes.len() != of_c.len() || sizes.iter().zip(of_c).any(differs) {
            let extent = |extent: &Option<i64>| extent.map_or("?".to_owned(), |n| n.to_string());
            let shape: Vec<String> = of_c.iter().map(extent).collect();
            let expected = format!("{name} of shape ({}), as c", shape.join(","));
            let refused = Violation::new(Code::Extents, expected, &layout);
            check.violations.push(refused.at(matrix.of_layout(Part::Shape)));
        }
        let found = matrix.element();
        let known = types.map_or(RESULTS, |types| types.fused);
        if !known.contains(&found.as_str()) {
            let expected = format!("{name} of {}", list(known));
            matrix.refuse(check, Part::Element, Code::MatmulElement, expected, found);
        }
    }
    if !others.is_empty() && !has_epilogue {
        check.refuse(
            Site::Nowhere,
            Code::Epilogue,
            "an epilogue region, since there are epilogue operands",
            "none",
        );
    }
    if dual.is_some() && !has_epilogue {
        let expected = "an epilogue that combines both accumulators";
        check.refuse(Site::Nowhere, Code::Epilogue, expected, "none");
    }
    check.violations.extend(Epilogue::of(operation).err());
    let choice = ops::choice(operation)?;
    if let Choice::Given(schedule) = choice
        && let Some(atom) = schedule.mma.as_deref().and_then(crate::atoms::lookup)
        && let Some(mma) = atom.mma()
        && mma.operand != multiplied.unwrap_or(a)
    {
        let multiplied = multiplied.unwrap_or(a);
        let expected = format!("a and b of {} for the schedule's {}", mma.operand, atom.name);
        let refused = Violation::new(Code::MatmulElement, expected, multiplied)
            .hint_if(atom_of(mma, multiplied));
        check.refuse_for(element(0), refused);
    }
    Ok(())
}

/// The element types of A or B that a mixed-input matmul converts in registers, and those that it converts them to, which have all
/// of their numbers.
const CONVERTED: [&str; 3] = ["i8", "f8E4M3FN", "f8E5M2"];
const CONVERTED_TO: [&str; 2] = ["f16", "bf16"];

/// The element type that a matmul of these types of A and B multiplies, where there is one: their own, or that of the operand to
/// whose type the other one is converted.
pub fn multiplied_type<'e>(a: &'e str, b: &'e str) -> Option<&'e str> {
    let is_converted =
        |narrow: &str, wide: &str| CONVERTED.contains(&narrow) && CONVERTED_TO.contains(&wide);
    match () {
        () if a == b => ElementTypes::of(a).map(|types| types.operands),
        () if is_converted(b, a) => Some(a),
        () if is_converted(a, b) => Some(b),
        () => None,
    }
}

/// Whether A and B of a `layout.matmul` have two element types, so that one is converted in registers.
pub fn is_mixed<'c: 'a, 'a>(matmul: impl OperationLike<'c, 'a>) -> bool {
    let element = |i: usize| {
        let view = matmul.operand(i).ok().and_then(|view| ViewType::from_type(view.r#type()));
        view.map(|view| view.element_type())
    };
    element(0) != element(1)
}

/// The element types of a matmul: those of A and B, those that accumulators are stored as, and those that an epilogue
/// reads and stores.
struct ElementTypes {
    operands: &'static str,
    results: &'static [&'static str],
    fused: &'static [&'static str],
}

/// The results of float accumulators, and the elements that an epilogue reads beside them.
const RESULTS: &[&str] = &["f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "i8"];

/// The element types of matmuls, by those of A and B.
const ELEMENT_TYPES: &[ElementTypes] = &[
    ElementTypes { operands: "f16", results: RESULTS, fused: RESULTS },
    ElementTypes { operands: "bf16", results: RESULTS, fused: RESULTS },
    ElementTypes { operands: "f32", results: RESULTS, fused: RESULTS },
    ElementTypes { operands: "f8E4M3FN", results: RESULTS, fused: RESULTS },
    ElementTypes { operands: "f8E5M2", results: RESULTS, fused: RESULTS },
    ElementTypes { operands: "f64", results: &["f64"], fused: &["f64"] },
    // An epilogue takes i32 accumulators as f32.
    ElementTypes { operands: "i8", results: &["i8", "i32"], fused: RESULTS },
];

impl ElementTypes {
    fn of(operands: &str) -> Option<&'static Self> {
        ELEMENT_TYPES.iter().find(|types| types.operands == operands)
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

/// An operand that is a matrix: its name and its type.
struct Matrix<'n, 'c> {
    name: &'n str,
    view: ViewType<'c>,
}

impl Matrix<'_, '_> {
    fn element(&self) -> String {
        self.view.element_type().to_string()
    }

    /// The place of a part of its type.
    fn part(&self, part: Part) -> Option<Place> {
        parts::of_type(format!("the type of {}", self.name), self.view.into(), part)
    }

    /// The place of a part of its layout.
    fn of_layout(&self, part: Part) -> Option<Place> {
        parts::of_text(format!("the layout of {}", self.name), &self.view.text(), part)
    }

    /// Notes what was expected of a part of its type.
    fn refuse(
        &self,
        check: &mut Check<'_, '_>,
        part: Part,
        code: Code,
        expected: impl Into<String>,
        found: impl ToString,
    ) {
        check.violations.push(Violation::new(code, expected, found).at(self.part(part)));
    }

    /// The layout, all of which must be known.
    fn known(&self) -> Result<AnyLayout, Violation> {
        known_layout(self.view).map_err(|refused| refused.at(self.part(Part::Symbol(0))))
    }

    /// The layout of a matrix of a matmul, which may have integers that are known at run time.
    fn in_memory(&self, check: &mut Check<'_, '_>) -> Result<Layout<Expr>, Violation> {
        if !matches!(self.view.space(), Space::Global | Space::Host) {
            let expected = format!("{} in global or host memory", self.name);
            self.refuse(check, Part::Space, Code::MatmulSpace, expected, self.view.space());
        }
        self.plain(offsets(&self.view.term_value()?)?)
    }

    /// A layout, which nothing may be outside of.
    fn plain<L: Leaf>(&self, layout: AnyLayout<L>) -> Result<Layout<L>, Violation> {
        match layout {
            AnyLayout::Plain(layout) => Ok(layout),
            AnyLayout::Composed(layout) => {
                let expected = format!("{} with a plain layout", self.name);
                Err(Violation::new(Code::PlainLayout, expected, &layout)
                    .hint(format!("{} is plain", layout.inner))
                    .at(self.part(Part::Outer)))
            }
        }
    }

    /// A tile in shared memory, which the instruction must be able to describe.
    fn canonical(&self, layout: &AnyLayout) -> Result<(), Violation> {
        let Some(bytes) = element_bytes(self.view.element_type()) else { return Ok(()) };
        let tile = layout.try_map(|inner| inner.get(&[0]))?;
        let described = shared_matrix::describe(&tile, bytes).map(|_| ());
        described.map_err(|refused| refused.at(self.of_layout(Part::Mode(0))))
    }
}

/// An extent that two operands share: its name and theirs, as each has it where it is known, and the number and the
/// mode of the second.
type SharedExtent = (&'static str, &'static str, Option<i64>, Option<i64>, usize, usize);

/// Checks that operands agree in their extents.
fn check_extents(check: &mut Check<'_, '_>, extents: &[SharedExtent]) -> Result<(), Violation> {
    for &(extent, operands, one, other, operand, mode) in extents {
        if let (Some(one), Some(other)) = (one, other)
            && one != other
        {
            let name = ["a", "b", "c"].get(operand).copied().unwrap_or("dual");
            let matrix = Matrix { name, view: check.view(operand)? };
            let expected = format!("one {extent} in {operands}");
            let refused = Violation::new(Code::Extents, expected, format!("{one} and {other}"));
            check.violations.push(refused.at(matrix.of_layout(Part::Mode(mode))));
        }
    }
    Ok(())
}
