//! The command line, and the help that explains it.

use std::path::PathBuf;

use clap::{ArgGroup, Parser};

use crate::paint::ColorMode;
use layout_picture::DEFAULT_EXTENT;

/// Evaluates terms of layout algebra.
///
/// Each EXPR, or each line of standard input when there are none, is a term, or `let NAME = TERM`,
/// which binds a name for the lines after it. Each is answered with one line. On a terminal, a prompt
/// reads lines, with history and completion; `:help` lists the operations.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
#[command(group = ArgGroup::new("form"))]
pub(crate) struct Arguments {
    /// Terms and bindings; without any, one is read from each line of standard input
    #[arg(value_name = "EXPR", allow_negative_numbers = true)]
    pub expressions: Vec<String>,

    /// Draw each layout as a grid of its offsets, in text
    #[arg(long, group = "form")]
    pub table: bool,
    /// Draw each layout in one SVG document
    #[arg(long, group = "form")]
    pub svg: bool,
    /// Draw each layout in one LaTeX document, with TikZ
    #[arg(long, group = "form")]
    pub latex: bool,
    /// Draw each layout in one HTML page
    #[arg(long, group = "form")]
    pub html: bool,
    /// Show each step to the answer with its identity, or why there is none
    #[arg(long, group = "form")]
    pub explain: bool,
    /// Answer with one JSON object a line
    #[arg(long, group = "form")]
    pub json: bool,
    /// Take unknown names in shapes and strides for symbols: M, K{div=8}, N{range=1..64}
    #[arg(long, conflicts_with_all = ["tv", "banks", "svg", "latex", "html", "json"])]
    pub symbols: bool,

    /// In pictures: the layout maps threads and values into a tile of this shape; show the thread-value layout
    #[arg(long, value_name = "TILE", conflicts_with_all = ["banks", "explain", "json"])]
    pub tv: Option<String>,
    /// In pictures: show the bank of shared memory of each offset, for elements of this many bits
    #[arg(long, value_name = "WIDTH_BITS", conflicts_with_all = ["explain", "json"])]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub banks: Option<u16>,
    /// With --banks: count the bank conflicts of an access, a layout of threads and values into the
    /// indices of the layout that is drawn
    #[arg(long, value_name = "TV", requires = "banks")]
    pub access: Option<String>,
    /// In pictures: rows and columns that are drawn at most, of each grid
    #[arg(long, value_name = "COUNT", default_value_t = DEFAULT_EXTENT as u16)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub max: u16,

    /// List the operations, or say what one of them is, as `:help` does at the prompt
    #[arg(long, value_name = "OPERATION", num_args = 0..=1, default_missing_value = "")]
    #[arg(conflicts_with_all = ["expressions", "output"])]
    pub operations: Option<String>,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorMode::Auto)]
    pub color: ColorMode,
}

/// The form in which each answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A line: the value, or `error: …`.
    Line,
    Table,
    Svg,
    Latex,
    Html,
    Explain,
    Json,
    /// A line, with symbols.
    Symbols,
}

impl Arguments {
    pub(crate) fn form(&self) -> Form {
        let forms = [
            (self.table, Form::Table),
            (self.svg, Form::Svg),
            (self.latex, Form::Latex),
            (self.html, Form::Html),
            (self.explain, Form::Explain),
            (self.json, Form::Json),
            (self.symbols, Form::Symbols),
        ];
        let form = forms.into_iter().find(|(given, _)| *given).map(|(_, form)| form);
        // Labels of pictures need a format; text is the plainest.
        let drawn = self.tv.is_some() || self.banks.is_some();
        form.unwrap_or(if drawn { Form::Table } else { Form::Line })
    }
}

/// The tests run each line that begins with `$` and compare what follows it.
pub(crate) const EXAMPLES: &str = r#"Examples:
  $ layout-calc 'composition((6,2):(8,2), (4,3):(3,1))'
  ((2,2),3):((24,2),8)

  $ printf 'let A = (4,8):(8,1)\nsize(A)\nright_inverse(A)\n' | layout-calc
  (4,8):(8,1)
  32
  (8,4):(4,1)

  $ layout-calc 'let rows = 4' 'blocked_product((2,rows):(rows,1), (2,1))'
  4
  error: blocked_product: expected a plain layout as operand 2, found (2,1)

  $ layout-calc --operations coalesce
  coalesce(L[, profile])
      the same function in the fewest flat modes, or in the modes of a profile
      law      n:s followed by m:(n*s) is (n*m):s, and modes of extent 1 go
      needs    a profile no deeper than L
      example  coalesce((2,(1,6)):(1,(6,2))) = 12:1
      CuTe     coalesce(layout)
  $ layout-calc --table '(2,(2,2)):(4,(1,2))'
  (2,(2,2)):(4,(1,2))
      (0,0)   (1,0)   (0,1)   (1,1)
    +-------+-------+-------+-------+
  0 |     0 |     1 |     2 |     3 |
    +-------+-------+-------+-------+
  1 |     4 |     5 |     6 |     7 |
    +-------+-------+-------+-------+

  $ layout-calc --explain 'logical_divide(24:1, 4:2)'
  logical_divide(24:1, 4:2)
  1. logical_divide(24:1, 4:2) = (4,(2,3)):(2,(1,8))
    logical_divide(A, B) = composition(A, make_layout(B, complement(B, size(A))))
      size(24:1) = 24
      complement(4:2, 24) = (2,3):(1,8)
      make_layout(4:2, (2,3):(1,8)) = (4,(2,3)):(2,(1,8))
      composition(24:1, (4,(2,3)):(2,(1,8))) = (4,(2,3)):(2,(1,8))
  = (4,(2,3)):(2,(1,8))

  $ layout-calc --json 'coalesce((2,(1,6)):(1,(6,2)))'
  {"input":"coalesce((2,(1,6)):(1,(6,2)))","value":"12:1","kind":"layout","shape":12,"stride":1,"size":12,"cosize":12,"rank":1,"depth":0}

  $ layout-calc 'in_bounds_of_divide(10:1, 4:1)'
  [[(4,3):(1,4), 10]]

  $ layout-calc 'bank_conflicts((8,64):(64,1), (8,8):(1,8), 16)'
  7

  $ layout-calc --symbols 'zipped_divide((M,K{div=64}):(K,1), <128:1, 64:1>)'
  ((128,64),(ceil_div(M,128),K/64)):((K,1),(128*K,64))

  $ layout-calc --svg --tv '(4,4)' -o tv.svg '((2,2),(2,2)):((1,8),(2,4))'
  $ layout-calc --html --banks 16 -o banks.html 'S<3,3,3> o 0 o (8,64):(64,1)'

Exit codes: 0 all answered, 1 an expression has no answer or a file cannot be written, 2 the command
line is wrong."#;
