//! The names that most files of operations need: the parts of an operation, its values, and how it is refused.

pub(super) use crate::{
    atoms::space::Space,
    data::{
        attributes::TermAttribute,
        conversions::symbolic_value,
        coordinate::Pattern,
        offsets::{mode_sizes, shape_of},
        term_value::TermValue,
        types::ViewType,
    },
    diagnostics::{
        codes::Code,
        place::Place,
        violation::{Violation, both},
    },
    ops::{
        self,
        adaptor::Adaptor,
        calls::{Arg, Call, Outcome},
        check::{Check, Site},
        index,
        parts::{self, Part},
    },
    pass::{
        build::{Builder, Val, first_result, operand},
        tree,
    },
};
pub(super) use layout_algebra::{
    AnyLayout, CoordOf, Expr, Facts, Layout, Nested, Op, Tuple, Value,
};
pub(super) use melior::ir::{
    Attribute, AttributeLike, BlockLike, OperationRef, Type, TypeLike, ValueLike,
    attribute::IntegerAttribute, operation::OperationLike,
};
