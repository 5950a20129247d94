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

/// Predicates of `arith.cmpi` that ask whether a size is at most another integer.
const AT_MOST: [i64; 2] = [3, 7];

/// That a kernel is one of a family.
#[derive(Clone)]
pub(super) struct Member {
    name: String,
    number: i64,
    /// The size that it is for, and the greatest value of that.
    most: Option<(String, i64)>,
}

impl Member {
    /// The member of a family that the facts of a kernel name.
    pub(super) fn of(said: Attribute<'_>) -> Option<Self> {
        let said = DictionaryAttribute::try_from(said).ok()?;
        let integer = |one: Attribute<'_>| Some(IntegerAttribute::try_from(one).ok()?.value());
        let name = tree::text(said.element_by_name("name")?)?;
        let most = said.element_by_name("most").map(DictionaryAttribute::try_from);
        let most = match most.transpose().ok()?.map(|most| (most.len(), most.element(0))) {
            None | Some((0, _)) => None,
            Some((1, bound)) => {
                let (size, bound) = bound.ok()?;
                Some((size.as_string_ref().as_str().ok()?.to_owned(), integer(bound)?))
            }
            // A condition requires one.
            Some(_) => return None,
        };
        Some(Self { name, number: integer(said.element_by_name("number")?)?, most })
    }
}

impl<'c> Reader<'c> {
    /// The launch of a family that a branch is: one between two of its kernels, by the bound of the first.
    pub(super) fn of_family(
        &self,
        found: OperationRef<'c, 'c>,
        then: &[Step],
        otherwise: &[Step],
    ) -> Option<Step> {
        let ([Step::Launch(first)], [Step::Launch(other)]) = (then, otherwise) else { return None };
        let (own, rest) = (first.family.as_ref()?, other.family.as_ref()?);
        let (size, most) = own.most.as_ref()?;
        let is_choice = own.name == rest.name
            && own.number < rest.number
            && first.operands == other.operands
            && first.sizes == other.sizes;
        let (asked, bound) = self.bound(operand(found, 0))?;
        let is_bound = first.sizes.get(size) == Some(&asked) && bound == *most;
        (is_choice && is_bound)
            .then(|| Step::Launch(Launched { kernel: own.name.clone(), ..first.clone() }))
    }

    /// The integer that a condition compares, and what it is at most.
    fn bound(&self, condition: Val<'c>) -> Option<(Amount, i64)> {
        let asked = tree::definition(condition).filter(|made| tree::name(*made) == "arith.cmpi")?;
        let predicate = IntegerAttribute::try_from(asked.attribute("predicate").ok()?).ok()?;
        let [size, most] = [0, 1].map(|i| self.integers.get(&tree::key(operand(asked, i))));
        AT_MOST.contains(&predicate.value()).then_some((size?.clone(), most?.value()?))
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
