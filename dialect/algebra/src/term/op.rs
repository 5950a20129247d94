//! A row of the table of operations, and the macro that makes the table.

use super::{
    Op,
    eval::{Args, Evaluated, FAMILIES, TABLE},
};
use crate::nearest::nearest_name;
use crate::term::prelude::*;

/// A row of the table of operations; all that lists operations reads it.
///
/// ```
/// use layout_algebra::{Op, Term};
/// let row = Op::Complement.row();
/// assert_eq!((row.name, row.form), ("complement", "complement(L[, n])"));
/// let (term, value) = row.example;
/// assert_eq!(Term::parse(term)?.eval()?.to_string(), value);
/// # Ok::<(), layout_algebra::Error>(())
/// ```
#[doc = include_str!("operations.md")]
#[derive(Debug)]
#[non_exhaustive]
pub struct Operation {
    /// The operation.
    pub op: Op,
    /// Its name in terms.
    pub name: &'static str,
    /// The operations that it belongs to, of [`Operation::families`].
    pub family: &'static str,
    /// How it is written, with names for the operands.
    pub form: &'static str,
    /// How many operands that is, at least and at most.
    pub(super) arity: (usize, usize),
    /// The meaning, in one line.
    pub meaning: &'static str,
    /// Why a result is what it is.
    pub law: Law,
    /// The conditions on its operands beside their kinds, in markdown; empty if there are none.
    pub needs: &'static str,
    /// The guarantees of a result, in Markdown; empty where the law states them all.
    pub ensures: &'static str,
    /// A term, and its value.
    pub example: (&'static str, &'static str),
    /// More terms, with symbols too, and the answer to each: its value, or the error.
    pub also: &'static [(&'static str, &'static str)],
    /// The errors beside those of operands of another kind, overflow and limits; empty if there are none.
    pub errors: &'static str,
    /// How CuTe or Triton writes it; empty where they have none.
    pub cute: &'static str,
    /// A term that is refused, and the error.
    pub refuses: (&'static str, &'static str),
    /// The function.
    pub(super) eval: Functions,
}

/// An operation on operands of one kind of leaves.
pub(crate) type Function<L> = fn(&Args<'_, L>) -> Evaluated<L>;

/// One function, over integers and over expressions.
#[derive(Debug)]
pub(crate) struct Functions {
    pub(super) closed: Function<i64>,
    pub(super) open: Function<Expr>,
}

/// A parameter of an operation, as its form names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name; a capital letter stands for a layout.
    pub name: &'static str,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether more of its kind may follow.
    pub many: bool,
}

/// Why a result is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// It is the value of this term, in which the operands have the names A, B, C.
    Is(&'static str),
    /// It meets this condition, in words.
    Such(&'static str),
}

impl Law {
    /// The term or the words.
    pub fn text(&self) -> &'static str {
        match self {
            Self::Is(text) | Self::Such(text) => text,
        }
    }
}

impl Operation {
    /// Every operation, in the order of [`Op::ALL`].
    pub fn all() -> &'static [Self] {
        TABLE
    }

    /// The parameters, as the form names them.
    ///
    /// ```
    /// use layout_algebra::Op;
    /// let parameters = Op::Size.row().parameters();
    /// let [layout, modes] = parameters.as_slice() else { panic!("size(L[, i, ...])") };
    /// assert_eq!((layout.name, layout.optional, layout.many), ("L", false, false));
    /// assert_eq!((modes.name, modes.optional, modes.many), ("i", true, true));
    /// ```
    pub fn parameters(&self) -> Vec<Parameter> {
        let inside = self.form.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut optional = false;
        for part in inside.split(", ") {
            let name = part.trim_matches(['[', ']', ',', ' ']);
            match (name, parameters.last_mut()) {
                ("...", Some(last)) => last.many = true,
                _ => parameters.push(Parameter { name, optional, many: false }),
            }
            optional |= part.contains('[');
        }
        parameters
    }

    /// The families, in the order of the page.
    pub fn families() -> &'static [&'static str] {
        FAMILIES
    }
}

impl Op {
    /// The name in terms.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::of_name(name).or(match name {
            // As the CuTe DSL calls it.
            "group_modes" => Some(Self::Group),
            _ => None,
        })
    }

    /// The operation whose name is most like another, if one is like it.
    ///
    /// ```
    /// use layout_algebra::Op;
    /// assert_eq!(Op::nearest("compositon"), Some(Op::Composition));
    /// assert_eq!(Op::nearest("zebra"), None);
    /// ```
    pub fn nearest(name: &str) -> Option<Self> {
        nearest_name(name, TABLE.iter().map(|row| row.name)).and_then(Self::of_name)
    }

    /// The operation that CuTe or Triton calls by another name, as the table states it, or of whose name a word
    /// is the first part or the last.
    ///
    /// ```
    /// use layout_algebra::Op;
    /// assert_eq!(Op::elsewhere("with_shape"), Some(Op::Reshape));
    /// assert_eq!(Op::elsewhere("raked"), Some(Op::RakedProduct));
    /// assert_eq!(Op::elsewhere("inverse"), Some(Op::RightInverse));
    /// assert_eq!(Op::elsewhere("layout"), None);
    /// ```
    pub fn elsewhere(name: &str) -> Option<Self> {
        // Words for operands, of which many names have one.
        if name.len() < 3 || matches!(name, "layout" | "shape" | "stride" | "swizzle") {
            return None;
        }
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names = |text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let after = &text[at + name.len()..];
                let called = after.starts_with(['(', '<']) || after.starts_with(" of Triton");
                called && !text[..at].ends_with(in_word)
            })
        };
        let part = |own: &str| {
            let rest = own.strip_prefix(name).map(|rest| rest.starts_with('_'));
            rest.or_else(|| own.strip_suffix(name).map(|rest| rest.ends_with('_'))) == Some(true)
        };
        let mut rows = TABLE.iter();
        let named = rows.find(|row| names(row.cute));
        named.or_else(|| TABLE.iter().find(|row| part(row.name))).map(|row| row.op)
    }

    /// Whether an operation reads no more of a layout than its shape, or distinguishes layouts of each kind itself.
    pub(crate) fn takes_any_layout(self) -> bool {
        use Op::*;
        matches!(
            self,
            Equal
                | LocalTile
                | Transpose
                | Reshape
                | MakeComposedLayout
                | Size
                | Cosize
                | Coshape
                | Rank
                | Depth
                | Shape
                | Stride
                | MakeOrderedLayout
                | MakeIdentityLayout
                | CompactColMajor
                | CompactRowMajor
                | DomainDistribute
                | ShapeDiv
                | CeilDiv
                | RoundUp
                | Congruent
                | WeaklyCongruent
                | Compatible
                | EvenlyDivides
                | ProductEach
                | Increment
                | Idx2Crd
        )
    }

    /// Whether an operation takes the modes of a layout in a place among so many operands apart, or puts
    /// them together, so that strides of any kind do.
    pub(crate) fn moves_modes(self, place: usize, operands: usize) -> bool {
        match self {
            Op::MakeLayout | Op::Append | Op::Prepend | Op::Replace | Op::Zip => true,
            Op::Get | Op::Select | Op::Take | Op::Group | Op::Flatten | Op::Unzip => place == 0,
            Op::TiledDivide | Op::FlatDivide => place == 0,
            Op::Coalesce => place == 0 && operands > 1,
            Op::Dice => place == 1,
            _ => false,
        }
    }
}

/// How many operands a form has, at least and at most: those in brackets may be left out, and more may come
/// where it ends in `...`.
pub(super) const fn arity(form: &str) -> (usize, usize) {
    let form = form.as_bytes();
    let (mut i, mut least, mut most, mut optional) = (0, 1, 1, false);
    while i < form.len() {
        match form[i] {
            b'[' => optional = true,
            b',' if form[i + 2] == b'.' => return (least, usize::MAX),
            b',' => {
                most += 1;
                least += !optional as usize;
            }
            _ => {}
        }
        i += 1;
    }
    (least, most)
}

/// The enum of operations, and their table. A field that a row does not need is empty.
macro_rules! operations {
    ($($variant:ident $name:literal in $family:literal {
        form $form:literal
        meaning $meaning:literal
        law $law:ident($text:literal)
        $(needs $needs:literal)?
        $(ensures $ensures:literal)?
        example $example:literal $value:literal
        $(also $also:literal $answer:literal)*
        $(errors $errors:literal)?
        $(cute $cute:literal)?
        refuses $refused:literal $error:literal
        eval |$call:ident| $eval:expr
    })*) => {
        /// The operations of the algebra, by CuTe's names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Op {
            $(
                #[doc = concat!("`", $form, "`: ", $meaning, ".\n\n- law: `", $text, "`")]
                $(#[doc = concat!("- requires: ", $needs)])?
                $(#[doc = concat!("- ensures: ", $ensures)])?
                #[doc = concat!("- `", $example, "` is `", $value, "`")]
                $(#[doc = concat!("- `", $also, "` is `", $answer, "`")])*
                $(#[doc = concat!("- errors: ", $errors)])?
                #[doc = concat!("- `", $refused, "` is refused: `", $error, "`")]
                $variant,
            )*
        }

        impl Op {
            /// Every operation.
            pub const ALL: &[Op] = &[$(Op::$variant),*];

            /// Its row of the table.
            pub fn row(self) -> &'static Operation {
                &TABLE[self as usize]
            }

            pub(crate) fn of_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Op::$variant),)*
                    _ => None,
                }
            }
        }

        pub(crate) static TABLE: &[Operation] = &[$(Operation {
            op: Op::$variant,
            name: $name,
            family: $family,
            form: $form,
            arity: arity($form),
            meaning: $meaning,
            law: Law::$law($text),
            needs: concat!($($needs)?),
            ensures: concat!($($ensures)?),
            example: ($example, $value),
            also: &[$(($also, $answer)),*],
            errors: concat!($($errors)?),
            cute: concat!($($cute)?),
            refuses: ($refused, $error),
            eval: {
                fn run<L: TermLeaf>($call: &Args<'_, L>) -> Evaluated<L> {
                    $eval
                }
                Functions { closed: run::<i64>, open: run::<crate::integer::Expr> }
            },
        }),*];
    };
}
pub(super) use operations;
