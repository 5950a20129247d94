//! Choices between kernels of a family, by a size that is known at run time: a launch of the family. Any other choice is a
//! [branch](super::control).
//!
//! ```text
//! %few = arith.cmpi ule, %m, %c16
//! scf.if %few { gpu.launch_func @f_kernel_0 … }      ->     {launch = {kernel = "f_kernel", sizes = {m = …}, …}}
//! else        { gpu.launch_func @f_kernel_1 … }
//! ```

use super::{Launched, Reader, Step, View, amount::Amount};
use layout_algebra::Value;
use layout_dialect::{
    TermValue, ViewType,
    build::{Val, operand},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// Predicates of `arith.cmpi` that test whether a size is at most another integer.
const LESS_OR_EQUAL: [i64; 2] = [3, 7];

/// A kernel's membership in a family of variants.
#[derive(Clone)]
pub(super) struct Member {
    name: String,
    /// The ranges of sizes that it is for.
    ranges: Vec<Range>,
}

/// A range of a size, among those of a family.
#[derive(Clone)]
struct Range {
    number: i64,
    /// The size that it is for, and the greatest value of that, or `None` for the last range.
    most: Option<(String, i64)>,
}

impl Member {
    /// The member of a family that the facts of a kernel name.
    pub(super) fn of(declared: Attribute<'_>) -> Option<Self> {
        let declared = DictionaryAttribute::try_from(declared).ok()?;
        let name = tree::text(declared.element_by_name("name")?)?;
        let before = declared.element_by_name("before").map(tree::elements);
        let ranges = before.unwrap_or(Some(Vec::new()))?.into_iter();
        let ranges = ranges.map(|one| Range::of(DictionaryAttribute::try_from(one).ok()?));
        Some(Self { name, ranges: ranges.chain([Range::of(declared)]).collect::<Option<_>>()? })
    }
}

impl Range {
    fn of(declared: DictionaryAttribute<'_>) -> Option<Self> {
        let integer = |one: Attribute<'_>| Some(IntegerAttribute::try_from(one).ok()?.value());
        let most = declared.element_by_name("most").map(DictionaryAttribute::try_from);
        let most = match most.transpose().ok()?.map(|most| (most.len(), most.element(0))) {
            None | Some((0, _)) => None,
            Some((1, bound)) => {
                let (size, bound) = bound.ok()?;
                Some((size.as_string_ref().as_str().ok()?.to_owned(), integer(bound)?))
            }
            // A condition requires one.
            Some(_) => return None,
        };
        Some(Self { number: integer(declared.element_by_name("number")?)?, most })
    }
}

impl<'c> Reader<'c> {
    /// The launch of a family that a branch is: one between two of its kernels, by the bound of a range of the first.
    pub(super) fn of_family(
        &self,
        found: OperationRef<'c, 'c>,
        then: &[Step],
        otherwise: &[Step],
    ) -> Option<Step> {
        let ([Step::Launch(first)], [Step::Launch(other)]) = (then, otherwise) else { return None };
        let (own, rest) = (first.family.as_ref()?, other.family.as_ref()?);
        let (comparison, bound) = self.bound(operand(found, 0))?;
        let is_queried = |range: &&Range| {
            range.most.as_ref().is_some_and(|(size, most)| {
                first.sizes.get(size) == Some(&comparison) && bound == *most
            })
        };
        let range = own.ranges.iter().find(is_queried)?;
        let is_choice = own.name == rest.name
            && range.number < rest.ranges.last()?.number
            && first.operands == other.operands
            && first.sizes == other.sizes;
        // A range before it is a choice around this one, of which this range is the rest.
        let family = Member { name: own.name.clone(), ranges: vec![range.clone()] };
        let kernel = own.name.clone();
        is_choice.then(|| Step::Launch(Launched { kernel, family: Some(family), ..first.clone() }))
    }

    /// The integer that a condition compares, and what it is at most.
    fn bound(&self, condition: Val<'c>) -> Option<(Amount, i64)> {
        let comparison =
            tree::definition(condition).filter(|made| tree::name(*made) == "arith.cmpi")?;
        let predicate = IntegerAttribute::try_from(comparison.attribute("predicate").ok()?).ok()?;
        let [size, most] = [0, 1].map(|i| self.integers.get(&tree::key(operand(comparison, i))));
        LESS_OR_EQUAL.contains(&predicate.value()).then_some((size?.clone(), most?.value()?))
    }

    /// The extent that `layout.size` requires: a view's, or that of a mode which a slice leaves of one.
    pub(super) fn extent(&self, operation: OperationRef<'c, 'c>) -> Option<Amount> {
        let seen = operand(operation, 0);
        let slice = tree::definition(seen).filter(|made| tree::name(*made) == "layout.slice");
        let (view, mode) = match slice {
            None => (seen, None),
            Some(slice) => {
                let coordinates = tree::text(slice.attribute("coord").ok()?)?;
                let coordinates = coordinates.trim_matches(['(', ')']).split(',');
                let mut kept = coordinates.enumerate().filter(|(_, one)| one.trim() == "_");
                let (mode, _) = kept.next()?;
                (operand(slice, 0), kept.next().is_none().then_some(mode))
            }
        };
        let View { integers, .. } = self.views.get(&tree::key(view))?;
        let term_value = ViewType::try_from(view.r#type()).ok()?.term_value().ok()?;
        let symbols = term_value.symbols();
        let TermValue::Symbolic { value: Value::Layout(layout), facts } = term_value else {
            return None;
        };
        let size = match (mode, &layout.modes()[..]) {
            (Some(mode), modes) => modes.get(mode)?.size().ok()?,
            (None, [one]) => one.size().ok()?,
            (None, _) => return None,
        };
        if let Some(known) = size.as_constant() {
            return Some(Amount::known(known));
        }
        let is_it = |symbol: &str| facts.symbol(symbol).is_ok_and(|own| own == size);
        let place = symbols.iter().position(|symbol| is_it(symbol.name()))?;
        integers.get(place).cloned()
    }
}
