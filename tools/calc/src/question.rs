//! Questions about relations: `relation(X)`, `image(X)` and `prove(A == B)`.
//!
//! They are no operations of the algebra, since their answers are no values of it. They are about
//! a term, relations in ISL's notation, or MLIR's `affine_map<…>` and `affine_set<…>`.

use layout_algebra::Error;
#[cfg(feature = "relation")]
use layout_algebra::Value;

use crate::session::Session;

/// A question: its name, how it is written, what it decides.
pub(crate) struct Row {
    pub name: &'static str,
    pub form: &'static str,
    pub meaning: &'static str,
}

/// The question that has an answer with symbols, too.
pub(crate) const IMAGE: &str = "image";

/// Every question.
pub(crate) const QUESTIONS: &[Row] = &[
    Row {
        name: "relation",
        form: "relation(X[, shape])",
        meaning: "a mapping in ISL's notation, from the coordinates of a compatible shape",
    },
    Row { name: IMAGE, form: "image(X)", meaning: "what it maps to, as a set of ISL's" },
    Row {
        name: "prove",
        form: "prove(A == B)",
        meaning: "whether both map alike: by which means, or the least coordinate where not; as well \
                  injective(A), disjoint(A, B), within(A, from, to), aligned(A, unit), \
                  consecutive(A, run)",
    },
];

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// The kind, in one word.
    pub kind: &'static str,
    pub text: String,
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionError {
    /// The operand cannot be read or evaluated.
    Term(Error),
    /// Relations have no answer, in words.
    #[cfg_attr(
        feature = "relation",
        allow(dead_code, reason = "for calculators without relations")
    )]
    Without(&'static str),
    #[cfg(feature = "relation")]
    Relation(layout_relation::Error),
}

impl QuestionError {
    /// The kind of error, as in JSON.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Term(error) => error.code(),
            Self::Without(_) => "no-relations",
            #[cfg(feature = "relation")]
            Self::Relation(layout_relation::Error::Limit { .. }) => "limit",
            #[cfg(feature = "relation")]
            Self::Relation(_) => "relation",
        }
    }

    /// Where reading stopped.
    pub(crate) fn offset(&self) -> Option<usize> {
        match self {
            Self::Term(error) => error.offset(),
            _ => None,
        }
    }
}

impl std::fmt::Display for QuestionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Term(error) => error.fmt(f),
            Self::Without(name) => write!(
                f,
                "{name}: expected a calculator with the cargo feature `relation`, found one that \
                 was built without it"
            ),
            #[cfg(feature = "relation")]
            Self::Relation(error) => error.fmt(f),
        }
    }
}

impl From<Error> for QuestionError {
    fn from(error: Error) -> Self {
        Self::Term(error)
    }
}

#[cfg(feature = "relation")]
impl From<layout_relation::Error> for QuestionError {
    fn from(error: layout_relation::Error) -> Self {
        match error {
            layout_relation::Error::Algebra(error) => Self::Term(error),
            error => Self::Relation(error),
        }
    }
}

/// The question that a line has, with the byte where its operands begin, and these.
pub(crate) fn of(text: &str) -> Option<(&'static Row, usize, &str)> {
    let trimmed = text.trim_start();
    let row = QUESTIONS.iter().find(|row| {
        trimmed.strip_prefix(row.name).is_some_and(|rest| rest.trim_start().starts_with('('))
    })?;
    let start = text.find('(')? + 1;
    Some((row, start, &text[start..]))
}

/// Answers a question about what is after its parenthesis, `start` bytes into a line.
pub(crate) fn answer(
    session: &Session,
    row: &'static Row,
    start: usize,
    rest: &str,
) -> Result<Reply, QuestionError> {
    let body = body(start, rest)?;
    #[cfg(feature = "relation")]
    return relations::answer(session, row, start, body);
    #[cfg(not(feature = "relation"))]
    {
        let _ = (session, body);
        Err(QuestionError::Without(row.name))
    }
}

/// The operand of a question: all before the parenthesis that closes it.
pub(crate) fn body(start: usize, rest: &str) -> Result<&str, Error> {
    let body = rest.trim_end();
    body.strip_suffix(')').ok_or_else(|| Error::Parse {
        offset: start + body.len(),
        expected: "`)`".to_owned(),
        found: "the end".to_owned(),
        nearest: None,
    })
}

#[cfg(feature = "relation")]
mod relations {
    use layout_algebra::{
        AnyLayout, ComposedLayout, Layout, Outer, Swizzle, Tuple, linear::LinearLayout,
    };
    use layout_relation::{
        Context, IntegerSet, Limits, Operand, Prover, Relation, Tier, Verdict, any_layout_mapping,
        basis_layout_mapping, coordinate_mapping, index_mapping, index_mapping_of,
        linear_layout_mapping, relation_of_affine_map, set_of_affine_set, swizzle_bits,
        swizzle_mapping, tuple_text,
    };

    use super::{Error, QuestionError, Reply, Row, Session, Value};
    use crate::session::shifted;

    /// The operand of a question.
    enum Argument {
        Layout(AnyLayout),
        /// A swizzle, as the layout of all offsets whose bits it is about.
        Swizzle(Swizzle, AnyLayout),
        Linear(LinearLayout),
        Relation(Relation),
        Set(IntegerSet),
    }

    pub(super) fn answer(
        session: &Session,
        row: &'static Row,
        start: usize,
        body: &str,
    ) -> Result<Reply, QuestionError> {
        let context = Context::new(Limits::default())?;
        let parts = split(body, row.name);
        let place = |part: &str| start + (part.as_ptr() as usize - body.as_ptr() as usize);
        let read =
            |part: &str| argument(session, &context, part).map_err(|e| moved(e, place(part)));
        match (row.name, &parts[..]) {
            ("prove", [left, right]) => prove(&context, &read(left)?, &read(right)?),
            ("prove", [one]) if query(one).is_some() => {
                let (name, inner) = query(one).unwrap_or((row.name, one));
                let parts = split(inner, name);
                let number = |part: &str| match term(session, part) {
                    Ok(Value::Int(number)) => Ok(number),
                    Ok(other) => Err(QuestionError::from(Error::Operand {
                        operation: name,
                        expected: "an integer".to_owned(),
                        found: format!("the {} {other}", other.kind()),
                    })),
                    Err(error) => Err(moved(error, place(part))),
                };
                let read = |part: &str| match read(part)? {
                    Argument::Relation(_) | Argument::Set(_) => {
                        Err(QuestionError::from(Error::Operand {
                            operation: name,
                            expected: "a layout".to_owned(),
                            found: part.trim().to_owned(),
                        }))
                    }
                    layout => Ok(layout),
                };
                about_layouts(name, &parts, &read, &number)
            }
            ("prove", _) => Err(Error::Parse {
                offset: start + body.len(),
                expected: "`==` between two operands".to_owned(),
                found: format!("{} of them", parts.len()),
                nearest: None,
            }
            .into()),
            ("relation", [part, shape]) => {
                let value = term(session, shape).map_err(|e| moved(e, place(shape)))?;
                let (Argument::Layout(AnyLayout::Plain(layout)), Some(shape)) =
                    (read(part)?, shape_of(&value))
                else {
                    return Err(Error::Operand {
                        operation: "relation",
                        expected: "a plain layout and a shape".to_owned(),
                        found: format!("{} and {}", part.trim(), shape.trim()),
                    }
                    .into());
                };
                let mapping = index_mapping_of(&context, &layout, &shape)?;
                Ok(Reply { kind: "relation", text: mapping.expressions()? })
            }
            ("relation", [part]) => match read(part)? {
                Argument::Set(set) => Ok(Reply { kind: "set", text: set.text()? }),
                Argument::Relation(relation) => {
                    Ok(Reply { kind: "relation", text: shown(&relation)? })
                }
                // As the paper writes it.
                Argument::Swizzle(swizzle, _) => {
                    let text = swizzle_mapping(&context, &swizzle)?.expressions()?;
                    Ok(Reply { kind: "relation", text })
                }
                // A layout has one offset at each coordinate, which needs no query.
                layout => {
                    let text = mapping(&context, &layout)?.expressions()?;
                    Ok(Reply { kind: "relation", text })
                }
            },
            (_, [part]) => {
                let image = match read(part)? {
                    Argument::Set(set) => set,
                    // Affine, so that its image is short.
                    Argument::Layout(AnyLayout::Plain(layout)) => {
                        index_mapping(&context, &layout)?.range()?
                    }
                    argument => mapping(&context, &argument)?.range()?,
                };
                Ok(Reply { kind: "set", text: image.text()? })
            }
            _ => Err(Error::Operand {
                operation: row.name,
                expected: row.form.to_owned(),
                found: format!("{} operands", parts.len()),
            }
            .into()),
        }
    }

    /// By expressions where the mapping is single-valued, by constraints where it is not.
    fn shown(mapping: &Relation) -> Result<String, QuestionError> {
        Ok(if mapping.is_single_valued()? { mapping.expressions()? } else { mapping.text()? })
    }

    /// The operands: parts between `==` or commas that are in no bracket.
    fn split<'t>(body: &'t str, name: &str) -> Vec<&'t str> {
        let equal = name == "prove";
        let (mut parts, mut depth, mut from) = (Vec::new(), 0_i64, 0);
        let bytes = body.as_bytes();
        for (at, &byte) in bytes.iter().enumerate() {
            match byte {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth -= 1,
                b',' if !equal && depth == 0 && angles(&body[from..at]) => {
                    parts.push(&body[from..at]);
                    from = at + 1;
                }
                b'=' if equal && depth == 0 && at >= from && bytes.get(at + 1) == Some(&b'=') => {
                    parts.push(&body[from..at]);
                    from = at + 2;
                }
                _ => {}
            }
        }
        parts.push(&body[from..]);
        parts
    }

    /// Whether every `<` has its `>`; arrows are none.
    fn angles(text: &str) -> bool {
        let arrows = text.matches("->").count();
        text.matches('<').count() + arrows == text.matches('>').count()
    }

    fn moved(refusal: QuestionError, start: usize) -> QuestionError {
        match refusal {
            QuestionError::Term(error) => QuestionError::Term(shifted(error, start)),
            other => other,
        }
    }

    fn term(session: &Session, text: &str) -> Result<Value, QuestionError> {
        Ok(session.parse(text)?.eval()?)
    }

    fn shape_of(value: &Value) -> Option<Tuple> {
        match value {
            Value::Int(extent) => Some(Tuple::Leaf(*extent)),
            Value::Tuple(shape) => Some(shape.clone()),
            _ => None,
        }
    }

    fn argument(
        session: &Session,
        context: &Context,
        text: &str,
    ) -> Result<Argument, QuestionError> {
        let trimmed = text.trim();
        if trimmed.starts_with(['{', '[']) {
            // ISL would read a set as the relation from nothing.
            return Ok(match IntegerSet::parse(context, trimmed) {
                Ok(set) => Argument::Set(set),
                Err(_) => Argument::Relation(Relation::parse(context, trimmed)?),
            });
        }
        if trimmed.starts_with("affine_map") {
            return Ok(Argument::Relation(relation_of_affine_map(context, trimmed)?));
        }
        if trimmed.starts_with("affine_set") {
            return Ok(Argument::Set(set_of_affine_set(context, trimmed)?));
        }
        let value = term(session, text)?;
        if let Some(shape) = shape_of(&value) {
            return Ok(Argument::Relation(coordinate_mapping(context, &shape)?));
        }
        Ok(match value {
            Value::Layout(layout) => Argument::Layout(AnyLayout::Plain(layout)),
            Value::Composed(composed) => Argument::Layout(AnyLayout::Composed(composed)),
            Value::Linear(layout) => Argument::Linear(layout),
            Value::Swizzle(swizzle) => {
                let size = 1_i64.checked_shl(swizzle_bits(&swizzle)).unwrap_or(i64::MAX);
                let inner = Layout::new(Tuple::Leaf(size), Tuple::Leaf(1))?;
                let outer = Outer::Swizzle(swizzle);
                let whole = AnyLayout::Composed(ComposedLayout { outer, offset: 0, inner });
                Argument::Swizzle(swizzle, whole)
            }
            Value::Basis(layout) => Argument::Relation(basis_layout_mapping(context, &layout)?),
            other => {
                return Err(Error::Operand {
                    operation: "relation",
                    expected: "a layout, a swizzle, a shape or ISL's notation".to_owned(),
                    found: format!("the {} {other}", other.kind()),
                }
                .into());
            }
        })
    }

    fn mapping(context: &Context, argument: &Argument) -> Result<Relation, QuestionError> {
        Ok(match argument {
            Argument::Layout(layout) | Argument::Swizzle(_, layout) => {
                any_layout_mapping(context, layout)?
            }
            Argument::Linear(layout) => linear_layout_mapping(context, layout)?,
            Argument::Relation(relation) => relation.clone(),
            Argument::Set(set) => {
                return Err(Error::Operand {
                    operation: "relation",
                    expected: "a mapping".to_owned(),
                    found: format!("the set {}", set.text()?),
                }
                .into());
            }
        })
    }

    /// Layouts go through all tiers; of what is a relation, ISL decides.
    fn prove(context: &Context, left: &Argument, right: &Argument) -> Result<Reply, QuestionError> {
        let reply = |text: String| Ok(Reply { kind: "verdict", text });
        if let (Some(left), Some(right)) = (operand(left), operand(right)) {
            return reply(Prover::new(Limits::default()).equal(left, right)?.to_string());
        }
        if let (Argument::Set(left), Argument::Set(right)) = (left, right) {
            let least = |one: &IntegerSet, other: &IntegerSet| one.subtract(other)?.element();
            let only = [least(left, right)?, least(right, left)?];
            return reply(match only.into_iter().flatten().min() {
                None => "proved by ISL".to_owned(),
                Some(tuple) => format!("refuted: only one of them has {}", tuple_text(&tuple)),
            });
        }
        let (left, right) = (mapping(context, left)?, mapping(context, right)?);
        let found = match left.difference(&right) {
            Err(layout_relation::Error::Limit { limit, .. }) => {
                match left.listed_difference(&right)? {
                    None => return reply(Verdict::Unknown(limit).to_string()),
                    Some(None) => return reply(Verdict::Proved(Tier::Enumeration).to_string()),
                    Some(difference) => difference,
                }
            }
            found => found?,
        };
        reply(match found {
            None => "proved by ISL".to_owned(),
            Some(difference) => format!("refuted: {difference}"),
        })
    }

    /// Questions about layouts, as they are written.
    const ABOUT: [(&str, &str); 5] = [
        ("injective", "injective(A)"),
        ("disjoint", "disjoint(A, B)"),
        ("within", "within(A, from, to)"),
        ("aligned", "aligned(A, unit)"),
        ("consecutive", "consecutive(A, run)"),
    ];

    /// The question about layouts that this is, and what is in its parentheses.
    fn query(text: &str) -> Option<(&'static str, &str)> {
        let text = text.trim();
        ABOUT.iter().find_map(|&(name, _)| {
            let inner = text.strip_prefix(name)?.trim_start().strip_prefix('(')?;
            Some((name, inner.strip_suffix(')')?))
        })
    }

    /// Queries the prover; what is no layout has been refused.
    fn about_layouts(
        name: &'static str,
        parts: &[&str],
        read: &dyn Fn(&str) -> Result<Argument, QuestionError>,
        number: &dyn Fn(&str) -> Result<i64, QuestionError>,
    ) -> Result<Reply, QuestionError> {
        let prover = Prover::new(Limits::default());
        let arguments: Vec<Argument> = parts
            .iter()
            .take(if name == "disjoint" { 2 } else { 1 })
            .map(|p| read(p))
            .collect::<Result<_, _>>()?;
        let layouts: Vec<Operand<'_>> = arguments.iter().filter_map(operand).collect();
        let verdict = match (name, &layouts[..], parts) {
            ("injective", &[layout], [_]) => prover.injective(layout)?,
            ("disjoint", &[left, right], [_, _]) => prover.disjoint(left, right)?,
            ("within", &[layout], [_, from, to]) => {
                prover.within(layout, number(from)?, number(to)?)?
            }
            ("aligned", &[layout], [_, unit]) => prover.aligned(layout, number(unit)?)?,
            ("consecutive", &[layout], [_, run]) => prover.consecutive(layout, number(run)?)?,
            _ => {
                let form = ABOUT.iter().find(|row| row.0 == name).map_or(name, |row| row.1);
                return Err(Error::Operand {
                    operation: name,
                    expected: form.to_owned(),
                    found: format!("{} operands", parts.len()),
                }
                .into());
            }
        };
        Ok(Reply { kind: "verdict", text: verdict.to_string() })
    }

    fn operand(argument: &Argument) -> Option<Operand<'_>> {
        match argument {
            Argument::Layout(layout) | Argument::Swizzle(_, layout) => {
                Some(Operand::Layout(layout))
            }
            Argument::Linear(layout) => Some(Operand::Linear(layout)),
            Argument::Relation(_) | Argument::Set(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(lines: &[&str]) -> Vec<String> {
        let mut session = Session::default();
        let answer = |line: &&str| {
            let answer = session.answer(line);
            match (answer.reply, answer.value) {
                (Some(Ok(reply)), _) => reply.text,
                (Some(Err(refusal)), _) => format!("error: {refusal}"),
                (None, Ok(value)) => value.to_string(),
                (None, Err(error)) => format!("error: {error}"),
            }
        };
        lines.iter().map(answer).collect()
    }

    #[test]
    fn questions_are_known_by_name_and_parenthesis() {
        let name = |text| of(text).map(|(row, start, rest)| (row.name, start, rest));
        assert_eq!(name(" relation (4:1)"), Some(("relation", 11, "4:1)")));
        assert_eq!(name("prove(A == B)"), Some(("prove", 6, "A == B)")));
        assert_eq!(
            (name("relation"), name("relations(4:1)"), name("size(4:1)")),
            (None, None, None)
        );
    }

    #[cfg(not(feature = "relation"))]
    #[test]
    fn without_relations_questions_say_so() {
        let words = "error: relation: expected a calculator with the cargo feature `relation`, found \
                     one that was built without it";
        assert_eq!(answers(&["relation(4:1)"]), [words]);
    }

    #[cfg(feature = "relation")]
    #[test]
    fn relations_are_shown_as_isl_prints_them() {
        let cases = [
            ("relation((4,3):(3,1))", "{ [c] -> [(3c - 11*floor((c)/4))] : 0 <= c <= 11 }"),
            (
                "relation((4,2):(2,1), (4,2))",
                "{ [c0, c1] -> [(2c0 + c1)] : 0 <= c0 <= 3 and 0 <= c1 <= 1 }",
            ),
            ("relation((4,3))", "{ [c] -> [((c) mod 4), (floor((c)/4))] : 0 <= c <= 11 }"),
            ("relation({ [c] -> [2c] : 0 <= c < 3 })", "{ [c] -> [(2c)] : 0 <= c <= 2 }"),
            (
                "relation(affine_map<(d0)[s0] -> (d0 floordiv 4 + s0)>)",
                "[s0] -> { [d0] -> [(s0 + floor((d0)/4))] }",
            ),
            ("relation(affine_set<(i) : (i >= 0, 3 - i >= 0)>)", "{ [d0] : 0 <= d0 <= 3 }"),
            ("relation({ [a] -> [b] : b > a })", "{ [a] -> [b] : b > a }"),
            (
                "relation(affine_map<(d0)[s0] -> ((d0 + s0) ceildiv 4, d0 mod 3)>)",
                "[s0] -> { [d0] -> [(1 + floor((-1 + s0 + d0)/4)), ((d0) mod 3)] }",
            ),
            (
                "relation(affine_set<(i, j)[n] : (i mod 4 == 0, n - j - 1 >= 0, j floordiv 2 - 1 >= 0)>)",
                "[s0] -> { [d0, d1] : (d0) mod 4 = 0 and 2 <= d1 < s0 }",
            ),
            (
                "relation(S<1,2,1>)",
                "{ [c] -> [(c - (c) mod 8 + (c - 4*floor((c)/8)) mod 8)] : 0 <= c <= 15 }",
            ),
            (
                "relation((4,8):(1@1,1@0))",
                "{ [c] -> [(floor((c)/4)), ((c) mod 4)] : 0 <= c <= 31 }",
            ),
            ("image({ [i] -> [j] : false })", "{ [j] : false }"),
            ("image([N] -> { [i] -> [i + N] : 0 <= i < N })", "[N] -> { [i0] : N <= i0 < 2N }"),
            ("image((2,2):(1,8))", "{ [i0] : -6 <= i0 <= 9 and 8*floor((-2 + i0)/8) <= -8 + i0 }"),
            ("image({ [i, j] : 0 <= j < i < 3 })", "{ [i, j] : i <= 2 and 0 <= j < i }"),
        ];
        for (line, expected) in cases {
            assert_eq!(answers(&[line]), [expected], "{line}");
        }
    }

    #[cfg(feature = "relation")]
    #[test]
    fn proofs_say_by_what_or_where_not() {
        let cases = [
            ("prove(4:1 == 4:1)", "proved by structure"),
            ("prove((4,8):(1,4) == coalesce((4,8):(1,4)))", "proved by a closed form"),
            ("prove((4,8):(8,1) == (8,4):(4,1))", "refuted: 8 and 4 at coordinate 1"),
            ("prove({ [c] -> [c mod 4] : 0 <= c < 8 } == (4,2):(1,0))", "proved by ISL"),
            ("prove({ [c] -> [c] : 0 <= c < 9 } == 8:1)", "refuted: 8 and nothing at coordinate 8"),
            (
                "prove(affine_map<(i, j) -> (i + j)> == affine_map<(i, j) -> (j - i)>)",
                "refuted: -1 and 1 at coordinate (-1,0)",
            ),
            (
                "prove([n] -> { [c] -> [2c] : 0 <= c < n } == [n] -> { [c] -> [3c] : 0 <= c < n })",
                "refuted: 2 and 3 at coordinate 1 where n = 2",
            ),
            ("prove({ [i] } == { [i] : i >= 0 })", "refuted: only one of them has -1"),
            (
                "prove([N] -> { [i] -> [i] : i < N } == { [i] -> [i] })",
                "refuted: nothing and 0 at coordinate 0 where N = 0",
            ),
            // A relation that takes ISL too long is listed, and one that is too long to be listed has no answer.
            (
                "prove(S<3,3,3> o 0 o (64,64):(64,1) == { [c] -> [c] : 0 <= c < 4096 })",
                "refuted: 72 and 1 at coordinate 1",
            ),
            ("prove(S<3,4,3> == 1024:1)", "refuted: 144 and 128 at coordinate 128"),
            ("prove(injective(S<3,4,3>))", "proved by a closed form"),
            ("prove(make_identity_layout((4,8)) == (4,8):(1@0,1@1))", "proved by ISL"),
            (
                "prove((4,8):(1@0,1@1) == (4,8):(1@1,1@0))",
                "refuted: (1,0) and (0,1) at coordinate 1",
            ),
            (
                "prove({ [i] : 0 <= i < 3 } == { [i] : 0 <= i < 4 })",
                "refuted: only one of them has 3",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(answers(&[line]), [expected], "{line}");
        }
        let text = answers(&["relation(S<3,4,3> o 0 o (64,64):(64,1))"]).concat();
        let answer =
            answers(&[&format!("prove(S<3,4,3> o 0 o (64,64):(64,1) == {text})")]).concat();
        assert!(answer.starts_with("proved by "), "{answer}");
    }

    #[cfg(feature = "relation")]
    #[test]
    fn questions_about_layouts_are_answered() {
        let hard = "(97,101,103,107,109):(1009,1013,1019,1021,1031)";
        let cases = [
            ("prove(injective(S<3,4,3> o 0 o (128,128):(128,1)))", "proved by a closed form"),
            ("prove(injective((4,8):(2,1)))", "refuted: offset 2 at coordinates 1 and 8"),
            ("prove(disjoint((4,8):(8,1), 2:1 o 40 o 4:1))", "proved by a closed form"),
            (
                "prove(disjoint((4,8):(8,1), 2:1 o 40 o 4:-3))",
                "refuted: offset 31 at coordinate 31 of the left and 3 of the right",
            ),
            ("prove(within((4,8):(8,1), 0, 32))", "proved by a closed form"),
            ("prove(within((4,8):(8,1), 0, 31))", "refuted: offset 31 at coordinate 31"),
            ("prove(aligned((4,8):(8,16), 8))", "proved by a closed form"),
            ("prove(aligned((4,8):(8,1), 8))", "refuted: offset 1 at coordinate 4"),
            ("prove(consecutive((8,4):(1,16), 4))", "proved by a closed form"),
            ("prove(consecutive(S<2,3,3> o 0 o (8,64):(1,8), 8))", "proved by a closed form"),
            (
                "prove(consecutive(S<2,1,3> o 0 o (8,64):(1,8), 4))",
                "refuted: offset 16 at coordinate 18 after 19",
            ),
            (
                "prove(consecutive(6:1, 4))",
                "error: consecutive(6:1): expected a run of at least 1 that divides the size, found 4",
            ),
            (
                "prove(injective(LinearLayout(crd=4, idx=4, vals=[1,1])))",
                "refuted: offset 1 at coordinates 1 and 2",
            ),
            (
                "prove(injective(4:1, 5))",
                "error: injective: expected injective(A), found 2 operands",
            ),
            (
                "prove(within(4:1, 0, (1,2)))",
                "error: within: expected an integer, found the tuple (1,2)",
            ),
            (
                "prove(injective({ [c] -> [c] : 0 <= c < 4 }))",
                "error: injective: expected a layout, found { [c] -> [c] : 0 <= c < 4 }",
            ),
            (
                "prove(aligned(4:1, 0))",
                "error: aligned(4:1): expected a unit of at least 1, found 0",
            ),
            (
                "prove(injective(4:))",
                "error: at byte 18: expected a term, an integer, `_` or `(`, found the end",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(answers(&[line]), [expected], "{line}");
        }
        let answer = answers(&[&format!("prove(injective({hard}))")]).concat();
        assert!(
            answer.starts_with("unknown: no answer within") || answer.starts_with("refuted: "),
            "{answer}"
        );
    }

    #[cfg(feature = "relation")]
    #[test]
    fn names_stand_in_questions_but_not_for_them() {
        let lines =
            ["let A = (4,2):(2,1)", "image(A)", "let R = image(A)", "prove(A == (4,2):(2,1))"];
        assert_eq!(
            answers(&lines),
            [
                "(4,2):(2,1)",
                "{ [i0] : 0 <= i0 <= 7 }",
                "error: at byte 8: expected an operation of the algebra or a name that is bound, \
                 found `image`",
                "proved by structure",
            ]
        );
    }

    #[cfg(feature = "relation")]
    #[test]
    fn unanswered_questions_report_the_reason() {
        let cases = [
            ("relation(4:1", "at byte 12: expected `)`, found the end"),
            ("relation( (4)", "at byte 12: expected `,` or `)`, found the end"),
            (
                "prove(4:1 == 4:)",
                "at byte 15: expected a term, an integer, `_` or `(`, found the end",
            ),
            ("prove(4:1)", "at byte 9: expected `==` between two operands, found 1 of them"),
            (
                "relation(<4:1>)",
                "relation: expected a layout, a swizzle, a shape or ISL's notation, found the tiler <4:1>",
            ),
            ("relation({ [c] -> )", "expected a relation, found `{ [c] ->`"),
            (
                "relation((4,2):(2,1), (3,2))",
                "expected a shape that is compatible with (4,2), found (3,2)",
            ),
            (
                "relation(S<1,0,1>, 4)",
                "relation: expected a plain layout and a shape, found S<1,0,1> and 4",
            ),
            ("image(4:1, 4)", "image: expected image(X), found 2 operands"),
            (
                "prove({ [c] -> [99999999999999999999c] : 0 <= c < 3 } == 3:1)",
                "expected an integer within 64 bits, found 99999999999999999999",
            ),
            (
                "relation((9223372036854775807,2):(1,1))",
                "product: expected results within 64 bits, found an overflow for \
                 (9223372036854775807,2)",
            ),
            (
                "relation([N] -> { [i] -> [N i] })",
                "expected a relation, found `[N] -> { [i] -> [N i] }`",
            ),
            (
                "relation(affine_map<(d0)[s0] -> (d0 ceildiv s0)>)",
                "expected a divisor of at least 1, found `s0` at byte 35",
            ),
            (
                "prove({ [i] : 0 <= i < 3 } == 3:1)",
                "relation: expected a mapping, found the set { [i] : 0 <= i <= 2 }",
            ),
        ];
        for (line, expected) in cases {
            assert_eq!(answers(&[line]), [format!("error: {expected}")], "{line}");
        }
    }
}
