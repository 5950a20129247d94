//! Layouts, tuples and views that cross control flow and calls.
//!
//! Each is replaced by its run-time form: a layout or a tuple by its integers, a view by a pointer to its first element
//! and the integers of its layout, and an identity tensor by an offset instead of the pointer. In a composed layout, the
//! position of an element depends on the offset that goes into the outer layout: the pointer is then the one from which
//! offsets are counted, and the view's own offset follows it, in 64 bits. MLIR's own patterns do this for functions,
//! calls, `scf`, `cf` and `arith.select`, and leave casts between values and their parts, which are lowered here.

use super::{
    Address, Failure, Located, Lowering, Target,
    address::{Move, cast},
    function,
};
use layout_algebra::Value as Known;
use layout_dialect::{
    Space, TermValue, ViewType,
    build::{Builder, Val, operand, result},
    dynamic, structure, tree,
};
use melior::ir::{OperationRef, Type, TypeLike, ValueLike, operation::OperationLike};
use mlir_sys::MlirType;

/// The name of a cast between a value and its parts.
pub(super) const CAST: &str = "builtin.unrealized_conversion_cast";

impl<'c> Lowering<'c> {
    /// Converts what a function passes on, if it passes on anything.
    pub(super) fn convert_structure(&self) -> Result<(), Located<'c>> {
        if !self.passes_values_on() {
            return Ok(());
        }
        let parts = |r#type: Type<'_>| self.parts(r#type).ok();
        structure::convert(self.function, &parts).map_err(|structure::Unconverted| {
            let message = "expected layouts, tuples and views to be passed on by functions, calls, \
                           loops and branches alone";
            (self.function, Failure::refused(message))
        })
    }

    /// Whether an operation that is not the dialect's has a layout, a tuple or a view, or a function
    /// that is only declared does.
    fn passes_values_on(&self) -> bool {
        if tree::entry(self.function).is_some() {
            return tree::all(self.function).into_iter().any(|operation| {
                let is_own = tree::name(operation).starts_with("layout.");
                !is_own && function::touches_values(operation)
            });
        }
        function::takes_values(self.function)
    }

    /// The run-time parts of a value of a type.
    fn parts(&self, r#type: Type<'_>) -> Result<Vec<MlirType>, Failure> {
        let integer = |bits| melior::ir::r#type::IntegerType::new(self.context, bits).to_raw();
        let mut parts = Vec::new();
        if let Ok(view) = ViewType::try_from(r#type) {
            parts.push(match view.space() {
                Space::Coordinate => integer(64),
                space => self.pointer_type(space)?.to_raw(),
            });
            if is_composed(&view.term_value()?) {
                parts.push(integer(64));
            }
        }
        if let Some(term_value) = dynamic::carried(r#type)? {
            parts.extend(term_value.widths().into_iter().map(|width| integer(width.bits())));
        }
        Ok(parts)
    }

    /// A cast from parts to a value, or from a value to its parts.
    pub(super) fn cast(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        let operands: Vec<Val<'c>> =
            (0..operation.operand_count()).map(|i| operand(operation, i)).collect();
        let results: Vec<Val<'c>> =
            (0..operation.result_count()).map(|i| result(operation, i)).collect();
        match (operands.as_slice(), results.as_slice()) {
            (parts, [whole]) if function::is_value(whole.r#type()) => {
                self.check_parts(*whole, parts)?;
                self.joined(b, *whole, operands)
            }
            ([whole], parts) => {
                self.check_parts(*whole, parts)?;
                self.begins_run(*whole, parts)?;
                for (part, value) in results.iter().zip(self.elements_of(b, *whole)?) {
                    tree::replace_uses(*part, value);
                }
                Ok(())
            }
            (from, into) => Err(Failure::refused(format!(
                "expected a cast between a value and its parts, found one of {} values to {}",
                from.len(),
                into.len()
            ))),
        }
    }

    /// Checks that values are the parts of a whole: a cast that another pass left need not be one.
    fn check_parts(&self, whole: Val<'c>, parts: &[Val<'c>]) -> Result<(), Failure> {
        let expected = self.parts(whole.r#type())?;
        // SAFETY: the types are the context's.
        let expected: Vec<Type<'c>> =
            expected.into_iter().map(|r#type| unsafe { Type::from_raw(r#type) }).collect();
        let found: Vec<Type<'c>> = parts.iter().map(|part| part.r#type()).collect();
        if expected == found {
            return Ok(());
        }
        let text = |types: &[Type<'c>]| {
            let types: Vec<String> = types.iter().map(ToString::to_string).collect();
            format!("({})", types.join(", "))
        };
        Err(Failure::refused(format!(
            "expected {} as the run-time values of {}, found {}",
            text(&expected),
            whole.r#type(),
            text(&found)
        )))
    }

    fn joined(
        &mut self,
        b: &Builder<'c>,
        whole: Val<'c>,
        mut parts: Vec<Val<'c>>,
    ) -> Result<(), Failure> {
        if let Ok(view) = ViewType::try_from(whole.r#type()) {
            if parts.is_empty() {
                return Err(Failure::refused(
                    "expected the pointer of a view, found none of its values",
                ));
            }
            let place = parts.remove(0);
            let within = if is_composed(&view.term_value()?) && !parts.is_empty() {
                Some(parts.remove(0))
            } else {
                None
            };
            let is_memory = view.space() != Space::Coordinate;
            let mut address = self.root(b, view, is_memory.then_some(place), &parts)?;
            if let Some(within) = within {
                address = self.part(b, address, within, 1)?;
            }
            if !is_memory {
                let by = cast_integer(b, place, address.offset_type())?;
                address = address.moved(b, Some(Move::any(by)), None, 0)?;
            }
            self.bind(whole, address);
        }
        self.bind_integers(whole, parts);
        Ok(())
    }

    /// The part of a view under a swizzle that starts at an offset before that.
    pub(super) fn part(
        &self,
        b: &Builder<'c>,
        address: Address<'c>,
        within: Val<'c>,
        divisor: i64,
    ) -> Result<Address<'c>, Failure> {
        let by = cast_integer(b, within, address.offset_type())?;
        address.starting_at(b, Some(Move { divisor, ..Move::any(by) }), 0)
    }

    /// Refuses a part under a swizzle, for a function that a kernel calls, which does not begin where a run of the swizzle does.
    fn begins_run(&self, whole: Val<'c>, parts: &[Val<'c>]) -> Result<(), Failure> {
        let is_call = |user: OperationRef<'_, '_>| tree::name(user) == "func.call";
        let is_passed = parts.iter().any(|&part| tree::users_of(part).any(is_call));
        if self.target != Target::Device
            || !is_passed
            || ViewType::try_from(whole.r#type()).is_err()
        {
            return Ok(());
        }
        let address = self.view(whole)?;
        let run = address.run_of_swizzle();
        if address.begins_at_multiple_of(run) {
            return Ok(());
        }
        Err(Failure::refused(format!(
            "expected the part of {} that a function takes to begin at a multiple of {run} elements, which the swizzle keeps in a row, \
             found a start that is not known to",
            address.layout
        )))
    }

    fn elements_of(&self, b: &Builder<'c>, whole: Val<'c>) -> Result<Vec<Val<'c>>, Failure> {
        let mut parts = Vec::new();
        if let Ok(view) = ViewType::try_from(whole.r#type()) {
            let address = self.view(whole)?;
            let place = if address.is_composed() {
                address.base(b)?
            } else if view.space() == Space::Coordinate {
                address.offset(b, 0)?
            } else {
                address.first()?.element_pointer(b, 0)?
            };
            parts.push(match view.space() {
                Space::Coordinate => cast_integer(b, place, b.integer(64))?,
                _ => place,
            });
            if address.is_composed() {
                parts.push(cast_integer(b, address.offset_within(b)?, b.integer(64))?);
            }
        }
        if let Some(term_value) = dynamic::carried(whole.r#type())? {
            parts.extend(self.integers_of(whole, &term_value)?);
        }
        Ok(parts)
    }
}

/// Whether a layout is under a swizzle or another layout.
pub(super) fn is_composed(layout: &TermValue) -> bool {
    match layout {
        TermValue::Static(value) => matches!(value, Known::Composed(_)),
        TermValue::Symbolic { value, .. } => matches!(value, Known::Composed(_)),
    }
}

/// An integer in another width.
pub(super) fn cast_integer<'c>(
    b: &Builder<'c>,
    value: Val<'c>,
    r#type: Type<'c>,
) -> Result<Val<'c>, Failure> {
    if value.r#type() == r#type {
        return Ok(value);
    }
    let index = cast(b, value, Type::index(b.context()))?;
    cast(b, index, r#type)
}
