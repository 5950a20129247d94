//! The table of operations: the algebra's operation for each, and how operands and attributes map to its arguments.
//!
//! Inference, verification, folding, ranges and lowering are all answered by [`evaluate`], from the algebra's table of
//! operations and the rows of [`DIALECT_ROWS`]. An operation's answer is found from types alone: the facts about its operands,
//! with a symbol for each integer that is known only at run time. The symbols of all operands are
//! numbered through, `?0`, `?1`, …, in the order of the operands; an operand of type `index` is one
//! symbol. The answer is written in the same symbols.

use crate::ops::prelude::*;
use crate::{
    data::conversions::{coord, integer, tuple},
    ops::{
        adaptor::{Operand, declared},
        arithmetic,
        blame::FailedCall,
        compare, tuples,
    },
};
use layout_algebra::{Answer as Verdict, Parameter, Width};
use std::borrow::Cow;

/// The result of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A layout, a tuple, or a boolean that is known.
    Value(TermValue),
    /// One integer for each result.
    Numbers(Vec<Expr>),
    /// A boolean: whether all of these hold.
    Conditions(Vec<Condition>),
    /// A value with integers of its own: its symbols continue where the operands' end, one for each
    /// definition.
    Computed {
        /// The value.
        value: TermValue,
        /// The definitions of its own symbols, each by those before it.
        definitions: Vec<Definition>,
    },
}

/// A comparison of integers.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// They are the same.
    Equal(Expr, Expr),
    /// The first is less.
    Less(Expr, Expr),
    /// One of the two holds, or both.
    Either(Box<Condition>, Box<Condition>),
}

/// The definition of an integer of a result's own.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// The value of an expression.
    Value(Expr),
    /// One of two values.
    Select {
        /// Whether it is the first one.
        condition: Condition,
        /// A width that both sides of the condition have for operands that are allowed.
        width: Width,
        /// The first one.
        then: Expr,
        /// The second one.
        otherwise: Expr,
    },
}

/// The result of an operation, and the facts about its operands' symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The outcome.
    pub outcome: Outcome,
    /// The facts of the operands' symbols.
    pub facts: Facts,
}

impl Answer {
    /// The outcome as a value in canonical form, and for each of its symbols the place of the
    /// operands' symbol that it is, or of the definition after those.
    ///
    /// # Errors
    ///
    /// An outcome that is no value; limits.
    pub fn value(&self) -> Result<(TermValue, Vec<usize>), Violation> {
        let (Outcome::Value(term_value) | Outcome::Computed { value: term_value, .. }) =
            &self.outcome
        else {
            return Err(Violation::new(Code::Kind, "a layout or a tuple", "integers or a boolean"));
        };
        let TermValue::Symbolic { value, .. } = term_value else {
            return Ok((term_value.clone(), Vec::new()));
        };
        let (term_value, names) = TermValue::of(value.clone(), self.facts.clone())?;
        Ok((term_value, names.iter().map(|name| crate::data::term_value::number(name)).collect()))
    }
}

/// Where an argument of the algebra's operation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    /// The operand of this number.
    Operand(usize),
    /// The operand of this number, if it is there.
    Optional(usize),
    /// The term of the attribute `term`, or the second operand where there is no attribute.
    TermOrOperand,
    /// The term of an attribute, if it is there.
    Term(&'static str),
    /// The integers of an array attribute.
    Integers(&'static str),
    /// An integer attribute, if it is there.
    Integer(&'static str),
}

/// The meaning of an operation.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    /// The algebra's operation, whose answer is a layout, a tuple or a boolean.
    Algebra(Op),
    /// The same, whose answer is an integer.
    Number(Op),
    /// The same, also of the modes of a tuple.
    Access(Op),
    /// An integer for each pair of leaves.
    Leafwise(arithmetic::Leafwise),
    /// A rule of the dialect.
    Dialect(InferFn),
}

/// One operation.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Without the dialect's prefix.
    pub(crate) name: &'static str,
    pub(crate) meaning: Meaning,
    /// The sources of the arguments of a rule of the dialect.
    args: &'static [Arg],
}

const SOURCE: &[Arg] = &[Arg::Operand(0)];
const SOURCE_AND_TERM: &[Arg] = &[Arg::Operand(0), Arg::TermOrOperand];

const fn leafwise(name: &'static str, f: arithmetic::Leafwise) -> Row {
    Row { name, meaning: Meaning::Leafwise(f), args: SOURCE_AND_TERM }
}

/// A function whose findings on the way, such as that extents are at least 1, join the facts.
type InferFn = fn(&Call<'_>, &mut Facts) -> Result<Outcome, Violation>;

const fn dialect(name: &'static str, f: InferFn, args: &'static [Arg]) -> Row {
    Row { name, meaning: Meaning::Dialect(f), args }
}

/// The operations on layouts and tuples that differ from the algebra's operation of that name, or take their
/// arguments in another form; all others are rows of the algebra's table.
const DIALECT_ROWS: &[Row] = &[
    // Construction.
    dialect("make_tuple", crate::ops::construct::make_tuple, &[]),
    dialect("make_layout", crate::ops::construct::make_layout, &[]),
    dialect(
        "make_composed_layout",
        crate::ops::construct::make_composed_layout,
        &[Arg::Operand(0)],
    ),
    // Access.
    dialect("append_to_rank", tuples::append_to_rank, &[Arg::Operand(0), Arg::Integer("rank")]),
    dialect("prepend_to_rank", tuples::prepend_to_rank, &[Arg::Operand(0), Arg::Integer("rank")]),
    dialect("inner", crate::ops::construct::inner, SOURCE),
    dialect("outer", crate::ops::construct::outer, SOURCE),
    dialect("offset", crate::ops::construct::offset, SOURCE),
    dialect("leaves", crate::ops::construct::leaves, SOURCE),
    // Algebra.
    dialect("complement", complement, &[]),
    // Divide.
    dialect("local_tile", crate::ops::expand::local_tile, &[]),
    dialect("partition", crate::ops::expand::partition, &[]),
    dialect("retile", crate::ops::expand::retile, &[]),
    // Index.
    dialect("crd2idx", crate::ops::index::crd2idx, &[]),
    dialect("idx2crd", crate::ops::index::idx2crd, &[]),
    dialect("slice", crate::ops::index::slice, &[]),
    dialect("dice", crate::ops::index::dice, &[]),
    dialect("increment_coord", arithmetic::increment_coord, SOURCE_AND_TERM),
    // Tuples.
    leafwise("tuple_add", |_, a, b| a.plus(b)),
    leafwise("tuple_sub", |_, a, b| a.minus(b)),
    leafwise("tuple_mul", |_, a, b| a.times(b)),
    leafwise("tuple_div", Facts::floor_div),
    leafwise("tuple_mod", Facts::modulo),
    leafwise("tuple_min", Facts::min),
    leafwise("tuple_max", |facts, a, b| a.plus(b)?.minus(&facts.min(a, b)?)),
    dialect("ceil_div", arithmetic::ceil_div, SOURCE_AND_TERM),
    dialect("shape_div", arithmetic::shape_div, SOURCE_AND_TERM),
    dialect("round_up", arithmetic::round_up, SOURCE_AND_TERM),
    dialect("product_each", arithmetic::product_each, SOURCE),
    dialect("product_like", arithmetic::product_like, SOURCE_AND_TERM),
    dialect("elem_less", compare::elem_less, SOURCE_AND_TERM),
    dialect("equal", compare::equal, SOURCE_AND_TERM),
];

/// The algebra's operations whose answers are integers, and results of type `index`.
const NUMBERS: [Op; 5] = [Op::Size, Op::Cosize, Op::Rank, Op::Depth, Op::MaxCommonVector];

/// Parameters that may be left out, of operations that have an attribute or an operand for them.
const OPTIONAL: [(Op, &str); 4] = [
    (Op::Coalesce, "profile"),
    (Op::TileToShape, "order"),
    (Op::CompactColMajor, "start"),
    (Op::CompactRowMajor, "start"),
];

/// Operations whose operands of type `index` are at least 0: coordinates and indices.
const NATURAL: [&str; 6] = ["crd2idx", "idx2crd", "slice", "dice", "local_tile", "partition"];

/// The row of an operation: of its own, or what the algebra's table says of the name.
pub(crate) fn row(name: &str) -> Option<Row> {
    let own = DIALECT_ROWS.iter().find(|row| row.name == name);
    own.copied().or_else(|| Some(Row::of_algebra(Op::from_name(name)?)))
}

impl Row {
    fn of_algebra(op: Op) -> Self {
        let meaning = match op {
            _ if NUMBERS.contains(&op) => Meaning::Number(op),
            _ if tuples::takes_entries(op) => Meaning::Access(op),
            _ => Meaning::Algebra(op),
        };
        Self { name: op.name(), meaning, args: &[] }
    }

    /// Where the arguments come from: those of the algebra's operation by its parameters' names. A capital letter is
    /// an operand, and so is the first; numbers and orders are attributes of the same name, modes are `modes`, and any
    /// other second argument may be a term. The dialect leaves out arguments that may be left out, except [`OPTIONAL`].
    fn arguments(&self) -> Cow<'static, [Arg]> {
        let (Meaning::Algebra(op) | Meaning::Access(op) | Meaning::Number(op)) = self.meaning
        else {
            return Cow::Borrowed(self.args);
        };
        let has =
            |parameter: &Parameter| !parameter.optional || OPTIONAL.contains(&(op, parameter.name));
        let mut values = 0;
        let args =
            op.row().parameters().into_iter().filter(has).map(|parameter| match parameter.name {
                _ if parameter.many => Arg::Integers("modes"),
                "start" => Arg::Optional(1),
                name @ ("order" | "profile") => Arg::Term(name),
                name @ ("begin" | "end" | "mode" | "n" | "old_bits" | "new_bits") => {
                    Arg::Integer(name)
                }
                name => {
                    values += 1;
                    match values > 1 && name.len() > 1 {
                        true => Arg::TermOrOperand,
                        false => Arg::Operand(values - 1),
                    }
                }
            });
        Cow::Owned(args.collect())
    }
}

/// An operation at work: its arguments, and the facts about their symbols.
pub(crate) struct Call<'s> {
    pub(crate) adaptor: &'s Adaptor<'s>,
    /// The value of each operand, or [`Operand::Other`] for one of another type.
    pub(crate) operands: Vec<Operand>,
    /// The arguments in the order of the row.
    pub(crate) args: Vec<TermValue>,
    /// Where each argument comes from.
    from: Vec<Arg>,
}

/// The result of an operation of the table.
///
/// # Errors
///
/// Whatever keeps the operation from having an answer.
pub(crate) fn evaluate(row: Row, adaptor: &Adaptor<'_>) -> Result<Answer, Violation> {
    let operands = adaptor.operands(NATURAL.contains(&row.name))?;
    let mut facts = declared(&operands)?;
    let mut call = Call::new(adaptor, operands);
    // Each argument is examined, whatever the others are.
    let from = row.arguments();
    let refused: Vec<Violation> = from.iter().filter_map(|arg| call.argument(*arg).err()).collect();
    Violation::all(refused)?;
    let outcome = match row.meaning {
        Meaning::Algebra(op) => Outcome::Value(call.algebra(op, &facts)?),
        Meaning::Access(op) => Outcome::Value(match call.args.first() {
            Some(source) if source.is_tuple() => tuples::access(&call, op, &facts)?,
            _ => call.algebra(op, &facts)?,
        }),
        Meaning::Number(op) => Outcome::Numbers(vec![integer(&call.algebra(op, &facts)?)?]),
        Meaning::Leafwise(f) => arithmetic::leafwise(&call, f, Op::from_name(row.name), &facts)?,
        Meaning::Dialect(f) => f(&call, &mut facts)?,
    };
    Ok(Answer { outcome, facts })
}

/// An operation of the table whose result types are not inferred: it must have an answer.
pub(crate) fn answer(name: &str, operation: OperationRef<'_, '_>) -> Result<(), Violation> {
    let Some(row) = row(name) else { return Ok(()) };
    evaluate(row, &Adaptor::of(operation)).map(|_| ())
}

impl<'s> Call<'s> {
    pub(crate) fn new(adaptor: &'s Adaptor<'s>, operands: Vec<Operand>) -> Self {
        Self { adaptor, operands, args: Vec::new(), from: Vec::new() }
    }

    /// The same with other arguments.
    pub(crate) fn with(&self, args: impl IntoIterator<Item = (TermValue, Arg)>) -> Self {
        let (args, from) = args.into_iter().unzip();
        Self { adaptor: self.adaptor, operands: self.operands.clone(), args, from }
    }

    fn argument(&mut self, arg: Arg) -> Result<(), Violation> {
        match arg {
            Arg::Optional(i) if i >= self.operands.len() => {}
            Arg::Operand(i) | Arg::Optional(i) => self.args.push(self.operand(i)?.clone()),
            Arg::TermOrOperand => {
                let term_value = match self.adaptor.optional_term("term")? {
                    Some(term) => term,
                    None => self.operand(1)?.clone(),
                };
                self.args.push(term_value);
            }
            Arg::Term(name) => self.args.extend(self.adaptor.optional_term(name)?),
            Arg::Integers(name) => {
                let integers = self.adaptor.integers(name)?;
                self.args.extend(integers.into_iter().map(|n| TermValue::Static(Value::Int(n))));
            }
            Arg::Integer(name) => {
                let integer = self.adaptor.optional_integer(name)?;
                self.args.extend(integer.map(|n| TermValue::Static(Value::Int(n))));
            }
        }
        self.from.resize(self.args.len(), arg);
        Ok(())
    }

    /// The place of a mode of the argument of this number.
    pub(crate) fn place(&self, index: usize, path: &[usize]) -> Option<Place> {
        let from = *self.from.get(index)?;
        if let Arg::Integers(_) = from {
            let first = self.from.iter().position(|other| *other == from)?;
            return self.adaptor.argument(from, &[index - first]);
        }
        self.adaptor.mode(from, path)
    }

    /// The place of a leaf of the first argument's stride.
    pub(crate) fn stride(&self, path: &[usize]) -> Option<Place> {
        self.adaptor.stride(*self.from.first()?, path)
    }

    /// An argument read by `of`, or the error at its place.
    pub(crate) fn placed<T>(
        &self,
        index: usize,
        of: impl FnOnce(&TermValue) -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        let arg = self
            .args
            .get(index)
            .ok_or_else(|| Violation::new(Code::Operand, "another operand or a term", "none"))?;
        of(arg).map_err(|refused| refused.at(self.place(index, &[])))
    }

    /// An operand read by `of`, or the error at its place.
    pub(crate) fn of_operand<T>(
        &self,
        index: usize,
        of: impl FnOnce(&TermValue) -> Result<T, Violation>,
    ) -> Result<T, Violation> {
        let place = || self.adaptor.place_of(index, Part::Layout);
        of(self.operand(index)?).map_err(|refused| refused.at(place()))
    }

    /// The value of an operand that is a layout, a tuple or a view.
    pub(crate) fn operand(&self, index: usize) -> Result<&TermValue, Violation> {
        match self.operands.get(index) {
            Some(Operand::Known(term_value)) => Ok(term_value),
            Some(Operand::Index { found, .. } | Operand::Other(found)) => {
                let place = self.adaptor.place_of(index, Part::Whole);
                Err(Violation::new(Code::Operand, "a layout, a tuple or a view", found).at(place))
            }
            None => {
                Err(Violation::new(Code::Operand, format!("an operand number {index}"), "none"))
            }
        }
    }

    /// The algebra's operation on the arguments, or all that is wrong with them.
    pub(crate) fn algebra(&self, op: Op, facts: &Facts) -> Result<TermValue, Violation> {
        let explain = |refused| FailedCall { call: self, op, facts }.explain(refused);
        self.call(op, &self.args, facts).map_err(explain)
    }

    /// The algebra's operation on values: as if written out where all of them are known.
    pub(crate) fn call(
        &self,
        op: Op,
        args: &[TermValue],
        facts: &Facts,
    ) -> Result<TermValue, Violation> {
        let known: Option<Vec<&Value>> = args
            .iter()
            .map(|arg| match arg {
                TermValue::Static(value) => Some(value),
                TermValue::Symbolic { .. } => None,
            })
            .collect();
        if let Some(args) = known {
            return Ok(TermValue::Static(op.apply(&args)?));
        }
        let values: Vec<_> = args.iter().map(symbolic_value).collect();
        Ok(TermValue::with(op.apply_under(facts, &values)?, facts))
    }

    /// An argument as a tuple.
    pub(crate) fn tuple(&self, index: usize) -> Result<Nested<Expr>, Violation> {
        self.placed(index, tuple)
    }

    /// Two arguments as tuples.
    pub(crate) fn tuples(&self) -> Result<(Nested<Expr>, Nested<Expr>), Violation> {
        both(self.tuple(0), self.tuple(1))
    }

    /// An argument as a tuple, or the shape of an argument that is a layout.
    pub(crate) fn shape(&self, index: usize) -> Result<Nested<Expr>, Violation> {
        self.placed(index, |term_value| {
            if term_value.is_layout() { shape_of(term_value) } else { tuple(term_value) }
        })
    }

    /// The pattern of the attribute `coord`, written out where an operand is a tuple, and the same
    /// with the operands from `first` on in its places.
    pub(crate) fn coordinate(&self, first: usize) -> Result<(Pattern, CoordOf<Expr>), Violation> {
        self.filled(first, &coord)
    }

    /// [`Call::coordinate`] of entries that may be multiples of basis elements, which are symbols.
    pub(crate) fn entries(&self, first: usize) -> Result<(Pattern, CoordOf<Expr>), Violation> {
        self.filled(first, &tuples::entries_of)
    }

    fn filled(
        &self,
        first: usize,
        read: &dyn Fn(&TermValue) -> Result<CoordOf<Expr>, Violation>,
    ) -> Result<(Pattern, CoordOf<Expr>), Violation> {
        let pattern = self.adaptor.pattern()?;
        let rest = self.operands.get(first..).unwrap_or(&[]);
        let count = pattern.dynamic_count();
        if count != rest.len() {
            return Err(Violation::new(
                Code::CoordOperands,
                format!("{count} index operands for the coordinate {pattern}"),
                rest.len(),
            )
            .at(pattern.whole()));
        }
        let read = |i: usize, term_value: &TermValue| {
            let place = || self.adaptor.place_of(i, Part::Layout);
            read(term_value).map_err(|refused| refused.at(place()))
        };
        let coord = symbolic_coord(&pattern, &mut (first..).zip(rest), &read)?;
        let is_tuple = |operand: &Operand| matches!(operand, Operand::Known(_));
        if rest.iter().any(is_tuple) {
            return Ok((written_out(&coord), coord));
        }
        Ok((pattern, coord))
    }

    /// How many symbols the operands have, counted as they are numbered.
    pub(crate) fn symbol_count(&self) -> usize {
        self.operands.iter().map(Operand::symbol_count).sum()
    }
}

/// The codomain is a number, or a shape: an attribute, the second operand, or the cosize.
fn complement(call: &Call<'_>, facts: &mut Facts) -> Result<Outcome, Violation> {
    const BOUND: Arg = Arg::Integer("cosize_hi");
    let source = (call.operand(0)?.clone(), Arg::Operand(0));
    let int = |bound| TermValue::Static(Value::Int(bound));
    let bound = match call.adaptor.optional_integer("cosize_hi")? {
        Some(bound) => Some((int(bound), BOUND)),
        None if call.operands.len() > 1 => Some((call.operand(1)?.clone(), Arg::Operand(1))),
        None => None,
    };
    let given = call.with([source.clone()].into_iter().chain(bound));
    if !matches!(given.args.get(1), Some(TermValue::Static(Value::Int(..=0)))) {
        return Ok(Outcome::Value(given.algebra(Op::Complement, facts)?));
    }
    let refused = match given.call(Op::Complement, &given.args, facts) {
        Ok(complement) => return Ok(Outcome::Value(complement)),
        Err(refused) => refused.at(given.place(1, &[])).hint("1 is the least codomain"),
    };
    // Whatever the codomain is, the layout must have a complement.
    let other = call.with([source, (int(1), BOUND)]).algebra(Op::Complement, facts).err();
    Err(match other.filter(|other| other.algebra() != refused.algebra()) {
        Some(other) => refused.and(other),
        None => refused,
    })
}

/// The result of a condition, if it is known.
pub(crate) fn decide(condition: &Condition, facts: &Facts) -> Option<bool> {
    let verdict = match condition {
        Condition::Either(a, b) => {
            return match (decide(a, facts), decide(b, facts)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        Condition::Equal(a, b) => facts.equal(a, b),
        Condition::Less(a, b) => match a.plus(&Expr::from(1)) {
            Ok(above) => facts.at_least(b, &above),
            Err(_) => return None,
        },
    };
    match verdict {
        Verdict::Yes => Some(true),
        Verdict::No(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// The pattern of a coordinate: `?` for an integer that is not known.
fn written_out(coord: &CoordOf<Expr>) -> Pattern {
    match coord {
        CoordOf::Any => Pattern::Any,
        CoordOf::At(leaf) => leaf.as_constant().map_or(Pattern::Dynamic, Pattern::At),
        CoordOf::Tuple(entries) => Pattern::Tuple(entries.iter().map(written_out).collect()),
    }
}

/// A pattern with operands in its places.
fn symbolic_coord<'o>(
    pattern: &Pattern,
    operands: &mut impl Iterator<Item = (usize, &'o Operand)>,
    read: &impl Fn(usize, &TermValue) -> Result<CoordOf<Expr>, Violation>,
) -> Result<CoordOf<Expr>, Violation> {
    Ok(match pattern {
        Pattern::Any => CoordOf::Any,
        Pattern::At(value) => CoordOf::At(Expr::from(*value)),
        Pattern::Dynamic => match operands.next() {
            Some((_, Operand::Index { value, .. })) => CoordOf::At(value.clone()),
            Some((i, Operand::Known(term_value))) => read(i, term_value)?,
            Some((_, Operand::Other(found))) => {
                return Err(Violation::new(Code::Operand, "an index or a tuple", found));
            }
            None => {
                return Err(Violation::new(
                    Code::CoordOperands,
                    "one operand for each `?`",
                    "fewer",
                ));
            }
        },
        Pattern::Tuple(entries) => CoordOf::Tuple(
            entries
                .iter()
                .map(|entry| symbolic_coord(entry, operands, read))
                .collect::<Result<_, _>>()?,
        ),
    })
}
