//! Layouts and tuples at run time: the dynamic integers of their types.
//!
//! A value of such a type is as many integers as its type has symbols, in their order. An operation
//! whose result is a layout or a tuple emits nothing: its integers are some of its operands'. An
//! integer result is computed from them, in 32 bits where the facts say that it fits, for coordinates
//! in range, and in 64 where they do not.

use super::{
    Failure, Lowering, Target,
    address::{At, cast},
    bounds,
};
use layout_algebra::{
    AnyLayout, Basis, BasisLayout, ComposedLayout, CoordOf, Expr, Facts, Layout, Machine, Nested,
    Outer, Step, Symbol, Value, Width,
};
use layout_dialect::{
    TermValue,
    build::{Builder, Val, operand, result},
    dynamic::{self, Condition, Definition, Outcome},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, Type, TypeLike, ValueLike, attribute::IntegerAttribute,
    operation::OperationLike,
};

/// Whether the layout of a `layout.crd2idx` is partly static, under a swizzle.
fn is_swizzled(operation: OperationRef<'_, '_>) -> Result<bool, Failure> {
    let term_value = dynamic::carried(operand(operation, 0).r#type())?;
    let Some(TermValue::Symbolic { value: Value::Composed(composed), .. }) = term_value else {
        return Ok(false);
    };
    Ok(matches!(composed.outer, Outer::Swizzle(_)))
}

impl<'c> Lowering<'c> {
    /// Lowers an operation on partly static layouts or tuples.
    pub(super) fn computed(
        &mut self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
    ) -> Result<(), Failure> {
        match tree::name(operation).as_str() {
            "layout.make" => {
                let count = operation.operand_count();
                let integers = (0..count).map(|i| operand(operation, i)).collect();
                self.bind_integers(result(operation, 0), integers);
                return Ok(());
            }
            "layout.assume" => return self.assume(b, operation),
            "layout.print" => return self.print(b, operation),
            "layout.crd2idx" if is_swizzled(operation)? => {
                let offset = self.swizzled_offset(b, operation)?;
                tree::replace_uses(result(operation, 0), offset);
                return Ok(());
            }
            _ => {}
        }
        let name = tree::name(operation);
        let answer = dynamic::answer(operation).ok_or_else(|| {
            Failure::refused(format!("expected an operation that layout-lower knows, found {name}"))
        })??;
        let integers = self.operand_integers(operation)?;
        match &answer.outcome {
            Outcome::Value(_) => match dynamic::boolean(&answer) {
                Some(boolean) => {
                    let boolean = b.constant(b.integer(1), i64::from(boolean))?;
                    tree::replace_uses(result(operation, 0), boolean);
                }
                None => {
                    let (_, places) = answer.value()?;
                    let value = places.iter().map(|&place| at(&integers, place));
                    let value = value.collect::<Result<_, _>>()?;
                    self.bind_integers(result(operation, 0), value);
                }
            },
            Outcome::Numbers(numbers) => {
                // The last coordinate of an index continues past its extent.
                let wide = name == "layout.idx2crd" && !bounds::fits(operand(operation, 0));
                let facts = match wide {
                    true => answer.facts.clone(),
                    false => dynamic::in_range(operation, &answer)?,
                };
                let index = Type::index(self.context);
                if self.plain && self.plainly(b, operation, numbers, &facts, &integers)? {
                    return Ok(());
                }
                for (i, number) in numbers.iter().enumerate() {
                    let width = facts.machine_width(number);
                    let mut emitter = Emitter { b, integers: &integers };
                    let value = facts.compute(number, width, &mut emitter)?;
                    tree::replace_uses(result(operation, i), cast(b, value, index)?);
                }
            }
            Outcome::Conditions(conditions) => {
                let boolean = all_hold(b, conditions, &answer.facts, &integers)?;
                tree::replace_uses(result(operation, 0), boolean);
            }
            Outcome::Computed { definitions, .. } => {
                let mut integers = integers;
                for definition in definitions {
                    integers.push(defined(b, definition, &answer.facts, &integers)?);
                }
                let (_, places) = answer.value()?;
                let value = places.iter().map(|&place| at(&integers, place));
                self.bind_integers(result(operation, 0), value.collect::<Result<_, _>>()?);
            }
        }
        Ok(())
    }

    /// The integers of all operands, in the numbering of an answer's symbols.
    pub(super) fn operand_integers(
        &self,
        operation: OperationRef<'c, 'c>,
    ) -> Result<Vec<Val<'c>>, Failure> {
        let mut integers = Vec::new();
        for i in 0..operation.operand_count() {
            let value = operand(operation, i);
            match dynamic::carried(value.r#type())? {
                Some(term_value) => integers.extend(self.integers_of(value, &term_value)?),
                None if dynamic::is_symbol(value.r#type()) => integers.push(value),
                None => {}
            }
        }
        Ok(integers)
    }

    pub(super) fn integers_of(
        &self,
        value: Val<'c>,
        term_value: &TermValue,
    ) -> Result<Vec<Val<'c>>, Failure> {
        if matches!(term_value, TermValue::Static(_)) {
            return Ok(Vec::new());
        }
        self.integers.get(&tree::key(value)).cloned().ok_or_else(|| {
            Failure::refused(
                "expected a layout or tuple made by a layout operation or a function argument, found \
                 one carried by other control flow",
            )
        })
    }

    pub(super) fn bind_integers(&mut self, value: Val<'c>, integers: Vec<Val<'c>>) {
        self.integers.insert(tree::key(value), integers);
    }

    /// The coordinate of an operation, whose run-time parts are the operands from `first` on: indices,
    /// and tuples that stand for their entries.
    pub(super) fn coordinate(
        &self,
        b: &Builder<'c>,
        operation: OperationRef<'c, 'c>,
        first: usize,
    ) -> Result<At<'c>, Failure> {
        let pattern = layout_dialect::ops::coordinate(operation)?;
        let parts = (first..operation.operand_count()).map(|i| {
            let value = operand(operation, i);
            match dynamic::known(value.r#type()).transpose()? {
                None => Ok(At::Dynamic(value)),
                Some(term_value) => {
                    let integers = self.integers_of(value, &term_value)?;
                    let facts = match &term_value {
                        TermValue::Symbolic { facts, .. } => facts.clone(),
                        TermValue::Static(_) => Facts::new(),
                    };
                    entries(b, &dynamic::coordinate(&term_value)?, &facts, &integers)
                }
            }
        });
        let parts: Vec<At<'c>> = parts.collect::<Result<_, Failure>>()?;
        At::pair(&pattern, &mut parts.into_iter())
    }

    fn assume(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let (from, into) = (operand(operation, 0), result(operation, 0));
        let types = [from.r#type(), into.r#type()].map(|r#type| dynamic::known(r#type).transpose());
        let [Ok(Some(source)), Ok(Some(target))] = types else {
            return Err(Failure::refused(format!(
                "expected a layout or a tuple, found {} and {}",
                from.r#type(),
                into.r#type()
            )));
        };
        let facts = match &source {
            TermValue::Symbolic { facts, .. } => facts.clone(),
            TermValue::Static(_) => Facts::new(),
        };
        let integers = self.integers_of(from, &source)?;
        let mut values = Vec::new();
        for (expr, width) in dynamic::matched(&source, &target)?.iter().zip(target.widths()) {
            let mut emitter = Emitter { b, integers: &integers };
            values.push(facts.compute(expr, width, &mut emitter)?);
        }
        self.bind_integers(into, values);
        Ok(())
    }

    /// One line with the value: on the host piece by piece, in a kernel with one format.
    fn print(&mut self, b: &Builder<'c>, operation: OperationRef<'c, 'c>) -> Result<(), Failure> {
        let value = operand(operation, 0);
        let term_value = dynamic::known(value.r#type()).transpose()?.ok_or_else(|| {
            Failure::refused(format!(
                "expected a layout or a tuple to print, found {}",
                value.r#type()
            ))
        })?;
        let integers = self.integers_of(value, &term_value)?;
        let mut pieces = Vec::new();
        let mut facts = Facts::new();
        match &term_value {
            TermValue::Static(value) => pieces.push(PrintSegment::Text(value.to_string())),
            TermValue::Symbolic { value, facts: known } => {
                facts = known.clone();
                write_value(value, &mut pieces)?;
            }
        }
        let (mut format, mut numbers) = (String::new(), Vec::new());
        let host = self.target == Target::Host;
        for piece in &pieces {
            match piece {
                PrintSegment::Text(text) if host => print_text(b, text)?,
                PrintSegment::Text(text) => format.push_str(text),
                PrintSegment::Number(expr) => {
                    let mut emitter = Emitter { b, integers: &integers };
                    let number = facts.compute(expr, Width::W64, &mut emitter)?;
                    if host {
                        let quiet = punctuation(b, "no_punctuation")?;
                        b.operation(
                            "vector.print",
                            &[number],
                            &[],
                            &[("punctuation", quiet)],
                            vec![],
                        )?;
                    } else {
                        format.push_str("%lld");
                        numbers.push(number);
                    }
                }
            }
        }
        if host {
            // A `vector.print` of punctuation alone would take the name of the next line's result for its operand.
            return print_text(b, "\n");
        }
        let format = b.string(&format!("{format}\n"));
        b.operation("gpu.printf", &numbers, &[], &[("format", format)], vec![])?;
        Ok(())
    }
}

/// A tuple's entries: what is not known as an index.
fn entries<'c>(
    b: &Builder<'c>,
    coord: &CoordOf<Expr>,
    facts: &Facts,
    integers: &[Val<'c>],
) -> Result<At<'c>, Failure> {
    Ok(match coord {
        CoordOf::Any => At::Any,
        CoordOf::At(leaf) => match leaf.as_constant() {
            Some(value) => At::Static(value),
            None => {
                let width = facts.machine_width(leaf);
                let value = facts.compute(leaf, width, &mut Emitter { b, integers })?;
                At::Dynamic(cast(b, value, Type::index(b.context()))?)
            }
        },
        CoordOf::Tuple(parts) => At::Tuple(
            parts.iter().map(|part| entries(b, part, facts, integers)).collect::<Result<_, _>>()?,
        ),
    })
}

fn print_text(b: &Builder<'_>, text: &str) -> Result<(), Failure> {
    b.operation("vector.print", &[], &[], &[("stringLiteral", b.string(text))], vec![])?;
    Ok(())
}

fn punctuation<'c>(b: &Builder<'c>, name: &str) -> Result<Attribute<'c>, Failure> {
    let text = format!("#vector.punctuation<{name}>");
    Ok(Attribute::parse(b.context(), &text).ok_or(melior::Error::AttributeParse(text))?)
}

/// A segment of a printed value.
enum PrintSegment {
    Text(String),
    Number(Expr),
}

/// Adds text to the piece before, if that is text.
fn write_text(text: &str, pieces: &mut Vec<PrintSegment>) {
    match pieces.last_mut() {
        Some(PrintSegment::Text(before)) => before.push_str(text),
        _ => pieces.push(PrintSegment::Text(text.to_owned())),
    }
}

fn write_number(expr: &Expr, pieces: &mut Vec<PrintSegment>) {
    match expr.as_constant() {
        Some(value) => write_text(&value.to_string(), pieces),
        None => pieces.push(PrintSegment::Number(expr.clone())),
    }
}

fn write_value(value: &Value<Expr>, pieces: &mut Vec<PrintSegment>) -> Result<(), Failure> {
    match value {
        Value::Int(expr) => write_number(expr, pieces),
        Value::Tuple(tuple) => write_tuple(tuple, pieces),
        Value::Coord(coord) => write_coord(coord, pieces),
        Value::Layout(layout) => write_layout(layout, pieces),
        Value::Composed(composed) => write_composed(composed, pieces),
        Value::Basis(layout) => write_basis(layout, pieces),
        Value::ComposedBasis(composed) => {
            write_basis(&composed.outer, pieces);
            write_after(&composed.offset, pieces);
            match &composed.inner {
                AnyLayout::Plain(layout) => write_layout(layout, pieces),
                AnyLayout::Composed(inner) => write_composed(inner, pieces),
            }
        }
        Value::Steps(steps) => write_steps(steps, pieces),
        Value::Swizzle(swizzle) => write_text(&swizzle.to_string(), pieces),
        other => {
            return Err(Failure::refused(format!(
                "expected a layout, a tuple or a coordinate to print, found {other}"
            )));
        }
    }
    Ok(())
}

fn write_composed(composed: &ComposedLayout<Expr>, pieces: &mut Vec<PrintSegment>) {
    match &composed.outer {
        Outer::Swizzle(swizzle) => write_text(&swizzle.to_string(), pieces),
        Outer::Layout(layout) => write_layout(layout, pieces),
    }
    write_after(&composed.offset, pieces);
    write_layout(&composed.inner, pieces);
}

/// An offset between an outer and an inner layout.
fn write_after(offset: &Expr, pieces: &mut Vec<PrintSegment>) {
    write_text(" o ", pieces);
    write_number(offset, pieces);
    write_text(" o ", pieces);
}

fn write_basis(layout: &BasisLayout<Expr>, pieces: &mut Vec<PrintSegment>) {
    write_tuple(layout.shape(), pieces);
    write_text(":", pieces);
    write_steps(layout.stride(), pieces);
}

fn write_layout(layout: &Layout<Expr>, pieces: &mut Vec<PrintSegment>) {
    write_tuple(layout.shape(), pieces);
    write_text(":", pieces);
    write_tuple(layout.stride(), pieces);
}

/// Multiples of basis elements, the outermost mode last.
fn write_steps(steps: &Nested<Basis<Expr>>, pieces: &mut Vec<PrintSegment>) {
    match steps {
        Nested::Leaf(Basis { scale, path }) => {
            write_number(scale, pieces);
            for mode in path.iter().rev() {
                write_text(&format!("@{mode}"), pieces);
            }
        }
        Nested::Node(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                write_text(if i == 0 { "(" } else { "," }, pieces);
                write_steps(entry, pieces);
            }
            write_text(")", pieces);
        }
    }
}

fn write_tuple(tuple: &Nested<Expr>, pieces: &mut Vec<PrintSegment>) {
    write_coord(&CoordOf::<Expr>::from(tuple), pieces);
}

fn write_coord(coord: &CoordOf<Expr>, pieces: &mut Vec<PrintSegment>) {
    match coord {
        CoordOf::Any => write_text("_", pieces),
        CoordOf::At(expr) => write_number(expr, pieces),
        CoordOf::Tuple(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                write_text(if i == 0 { "(" } else { "," }, pieces);
                write_coord(entry, pieces);
            }
            write_text(")", pieces);
        }
    }
}

/// Whether all conditions hold.
fn all_hold<'c>(
    b: &Builder<'c>,
    conditions: &[Condition],
    facts: &Facts,
    integers: &[Val<'c>],
) -> Result<Val<'c>, Failure> {
    let mut all: Option<Val<'c>> = None;
    for condition in conditions {
        let one = holds(b, condition, None, facts, integers)?;
        all = Some(match all {
            None => one,
            Some(all) => b.binary("arith.andi", all, one)?,
        });
    }
    match all {
        Some(all) => Ok(all),
        None => Ok(b.constant(b.integer(1), 1)?),
    }
}

/// Whether a condition holds, of integers that have a width or that have those of their ranges.
fn holds<'c>(
    b: &Builder<'c>,
    condition: &Condition,
    width: Option<Width>,
    facts: &Facts,
    integers: &[Val<'c>],
) -> Result<Val<'c>, Failure> {
    const EQUAL: i64 = 0;
    const SIGNED_LESS: i64 = 2;
    let (predicate, x, y) = match condition {
        Condition::Equal(x, y) => (EQUAL, x, y),
        Condition::Less(x, y) => (SIGNED_LESS, x, y),
        Condition::Either(one, other) => {
            let one = holds(b, one, width, facts, integers)?;
            let other = holds(b, other, width, facts, integers)?;
            return Ok(b.binary("arith.ori", one, other)?);
        }
    };
    let width = width.unwrap_or_else(|| facts.machine_width(x).max(facts.machine_width(y)));
    let mut emitter = Emitter { b, integers };
    let operands = [facts.compute(x, width, &mut emitter)?, facts.compute(y, width, &mut emitter)?];
    let predicate = IntegerAttribute::new(b.integer(64), predicate).into();
    Ok(b.value("arith.cmpi", &operands, b.integer(1), &[("predicate", predicate)])?)
}

/// The value of an integer of a result's own, which is the next symbol after `integers`.
fn defined<'c>(
    b: &Builder<'c>,
    definition: &Definition,
    facts: &Facts,
    integers: &[Val<'c>],
) -> Result<Val<'c>, Failure> {
    let symbol = facts.get(&format!("?{}", integers.len()));
    let width = symbol.map_or(Width::W64, Symbol::width);
    let mut emitter = Emitter { b, integers };
    match definition {
        Definition::Value(expr) => facts.compute(expr, width, &mut emitter),
        Definition::Select { condition, width: compared, then, otherwise } => {
            let choice = holds(b, condition, Some(*compared), facts, integers)?;
            let then = facts.compute(then, width, &mut emitter)?;
            let otherwise = facts.compute(otherwise, width, &mut emitter)?;
            Ok(b.value("arith.select", &[choice, then, otherwise], type_of(b, width), &[])?)
        }
    }
}

pub(super) fn at<'c>(integers: &[Val<'c>], place: usize) -> Result<Val<'c>, Failure> {
    integers.get(place).copied().ok_or_else(|| {
        Failure::refused(format!(
            "expected an integer number {place} among the operands', found {}",
            integers.len()
        ))
    })
}

/// The type of integers of a width.
pub(super) fn type_of<'c>(b: &Builder<'c>, width: Width) -> Type<'c> {
    b.integer(width.bits())
}

/// Emits an expression's steps.
pub(super) struct Emitter<'e, 'c> {
    pub(super) b: &'e Builder<'c>,
    /// The symbols' values, by number.
    pub(super) integers: &'e [Val<'c>],
}

impl<'c> Machine for Emitter<'_, 'c> {
    type Value = Val<'c>;
    type Error = Failure;

    fn constant(&mut self, value: i64, width: Width) -> Result<Val<'c>, Failure> {
        // The low bits of what is wider: steps are modulo the width.
        let value = if width == Width::W32 { i64::from(value as i32) } else { value };
        Ok(self.b.constant(type_of(self.b, width), value)?)
    }

    fn symbol(&mut self, name: &str, width: Width) -> Result<Val<'c>, Failure> {
        let place = name.strip_prefix('?').and_then(|digits| digits.parse().ok());
        let value = at(self.integers, place.unwrap_or(usize::MAX))?;
        if value.r#type().is_index() {
            return cast(self.b, value, type_of(self.b, width));
        }
        let own = if value.r#type() == self.b.integer(64) { Width::W64 } else { Width::W32 };
        self.resize(value, own, width)
    }

    fn resize(&mut self, value: Val<'c>, from: Width, to: Width) -> Result<Val<'c>, Failure> {
        let name = match from.cmp(&to) {
            std::cmp::Ordering::Equal => return Ok(value),
            std::cmp::Ordering::Less => "arith.extsi",
            std::cmp::Ordering::Greater => "arith.trunci",
        };
        Ok(self.b.value(name, &[value], type_of(self.b, to), &[])?)
    }

    fn step(&mut self, step: Step, a: Val<'c>, b: Val<'c>, _: Width) -> Result<Val<'c>, Failure> {
        let name = match step {
            Step::Add => "arith.addi",
            Step::Subtract => "arith.subi",
            Step::Multiply => "arith.muli",
            Step::Minimum => "arith.minsi",
            Step::And => "arith.andi",
            Step::ShiftRight => "arith.shrui",
            Step::ShiftRightSigned => "arith.shrsi",
            Step::Divide => "arith.divui",
            Step::DivideSigned => "arith.divsi",
            Step::Remainder => "arith.remui",
            Step::RemainderSigned => "arith.remsi",
        };
        Ok(self.b.binary(name, a, b)?)
    }
}
