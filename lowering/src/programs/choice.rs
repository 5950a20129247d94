//! Choices between kernels of a family, by a size that is known at run time: a launch of the family.
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
    Attribute, OperationRef, RegionLike, ValueLike,
    attribute::{DictionaryAttribute, IntegerAttribute},
    operation::OperationLike,
};

/// Predicates of `arith.cmpi` that ask whether a size is at most another integer.
const AT_MOST: [i64; 2] = [3, 7];

/// The choices that a program may make.
const EXPECTED: &str = "expected scf.if in a program to choose between launches of a family's kernels, each for sizes up to its \
                        bound and the last for all others,";

/// That a kernel is one of a family.
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
            // A condition asks for one.
            Some(_) => return None,
        };
        Some(Self { name, number: integer(said.element_by_name("number")?)?, most })
    }
}

impl<'c> Reader<'c> {
    /// One of two launches, which become one of their family.
    pub(super) fn choice(&mut self, operation: OperationRef<'c, 'c>) -> Result<(), String> {
        let (first, other) = (self.branch(operation, 0)?, self.branch(operation, 1)?);
        let found = |found: &str| format!("{EXPECTED} found {found}");
        let (Some(own), Some(rest)) = (&first.family, &other.family) else {
            let kernel = if first.family.is_none() { &first.kernel } else { &other.kernel };
            return Err(found(&format!("a launch of @{kernel}, which is of none")));
        };
        if own.name != rest.name || own.number >= rest.number {
            let (one, other) = (&first.kernel, &other.kernel);
            return Err(found(&format!("@{one} before @{other}")));
        }
        if first.operands != other.operands || first.sizes != other.sizes {
            let (one, other) = (&first.kernel, &other.kernel);
            return Err(found(&format!("other operands of @{one} than of @{other}")));
        }
        let asked = self.bound(operand(operation, 0));
        let bound = own.most.as_ref().and_then(|(size, most)| Some((first.sizes.get(size)?, most)));
        match (asked, bound) {
            (Some((size, most)), Some((own, bound))) if size == *own && most == *bound => {}
            _ => return Err(found(&format!("another condition of @{}", first.kernel))),
        }
        let kernel = own.name.clone();
        self.steps.push(Step::Launch(Launched { kernel, ..first }));
        Ok(())
    }

    /// The one launch of a branch.
    fn branch(
        &mut self,
        operation: OperationRef<'c, 'c>,
        number: usize,
    ) -> Result<Launched, String> {
        let region = operation.region(number).ok();
        let block = region.as_ref().and_then(|region| region.first_block());
        let before = self.steps.len();
        for inner in block.map(tree::operations).unwrap_or_default() {
            match tree::name(inner).as_str() {
                "scf.yield" if inner.operand_count() == 0 => {}
                name => self.operation(inner, name)?,
            }
        }
        let steps = self.steps.split_off(before);
        let count = steps.len();
        match <[Step; 1]>::try_from(steps) {
            Ok([Step::Launch(launched)]) => Ok(launched),
            Ok([Step::Copy { .. }]) => Err(format!("{EXPECTED} found a copy")),
            Err(_) => Err(format!("{EXPECTED} found {count} launches and copies in a branch")),
        }
    }

    /// The integer that a condition compares, and what it is at most.
    fn bound(&self, condition: Val<'c>) -> Option<(Amount, i64)> {
        let asked = tree::definition(condition).filter(|made| tree::name(*made) == "arith.cmpi")?;
        let predicate = IntegerAttribute::try_from(asked.attribute("predicate").ok()?).ok()?;
        let [size, most] = [0, 1].map(|i| self.integers.get(&tree::key(operand(asked, i))));
        AT_MOST.contains(&predicate.value()).then_some((size?.clone(), most?.value()?))
    }

    /// The extent that `layout.size` asks for: a view's, or that of a mode which a slice leaves of one.
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
