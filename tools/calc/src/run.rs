//! A run without a prompt: evaluates expressions or lines.

use std::{
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::Path,
};

use layout_algebra::{Error, Layout, Result, Tuple, Value};
use layout_picture::{self as picture, Labels, Picture};

use crate::{
    arguments::{Arguments, Form},
    explain,
    input::Lines,
    json,
    paint::Paint,
    session::{Answer, Session, text_of},
    symbols::WithSymbols,
};

/// Pictures in one document.
const PICTURES: usize = 256;

/// How answers are shown.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub form: Form,
    /// The shape of the tile that threads and values are shown over.
    pub tile: Option<String>,
    /// The bits of an element, where banks are shown.
    pub element: Option<u16>,
    /// The access whose conflicts are counted there.
    pub access: Option<String>,
    /// Rows and columns that are drawn at most.
    pub extent: usize,
}

impl View {
    pub(crate) fn of(arguments: &Arguments) -> Self {
        Self {
            form: arguments.form(),
            tile: arguments.tv.clone(),
            element: arguments.banks,
            access: arguments.access.clone(),
            extent: arguments.max.into(),
        }
    }
}

/// Why a run stopped early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Standard input failed.
    Input(io::Error),
    /// Standard output or standard error failed.
    Output(io::Error),
    /// The file of `--output` cannot be written.
    File(String),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

type Outcome<T> = std::result::Result<T, Stop>;

/// Where a run reads and writes.
pub(crate) struct Streams<I, O, E> {
    pub input: I,
    pub out: O,
    pub err: E,
    /// Colours of `out` and `err`.
    pub paint: Paint,
    pub err_paint: Paint,
}

/// Answers every expression; true if all had an answer.
pub(crate) fn run<I: Read, O: Write, E: Write>(
    arguments: &Arguments,
    streams: Streams<I, O, E>,
) -> Outcome<bool> {
    let Streams { input, mut out, err, paint, err_paint } = streams;
    let view = View::of(arguments);
    if let Form::Svg | Form::Latex | Form::Html = view.form {
        let mut album = Pictures { pictures: Vec::new(), errors: err, paint: err_paint };
        let all = answer_all(
            arguments,
            input,
            &mut |session, answer| album.add(&view, session, &answer),
            || Ok(()),
        )?;
        let Some(text) = document(view.form, &album.pictures) else {
            if all {
                album.complain("expected an expression whose value is a layout, found none")?;
            }
            return Ok(false);
        };
        // A file is not touched before there is something to write.
        match &arguments.output {
            Some(path) => std::fs::write(path, text).map_err(|error| unwritten(path, &error))?,
            None => {
                out.write_all(text.as_bytes())?;
                out.flush()?;
            }
        }
        return Ok(all);
    }
    let Some(path) = &arguments.output else { return stream(arguments, input, out, paint) };
    let file = File::create(path).map_err(|error| unwritten(path, &error))?;
    stream(arguments, input, file, Paint::Plain).map_err(|stop| match stop {
        Stop::Output(error) => unwritten(path, &error),
        stop => stop,
    })
}

/// The document of some pictures, if there are any.
pub(crate) fn document(form: Form, pictures: &[Picture]) -> Option<String> {
    match form {
        _ if pictures.is_empty() => None,
        Form::Svg => Some(picture::svg::document(pictures)),
        Form::Latex => Some(picture::latex::document(pictures)),
        Form::Html => Some(picture::html::document(pictures)),
        Form::Line | Form::Table | Form::Explain | Form::Json | Form::Symbols => None,
    }
}

fn unwritten(path: &Path, error: &io::Error) -> Stop {
    Stop::File(format!("cannot write {}: {error}", path.display()))
}

/// Writes each answer as it comes.
fn stream<I: Read, O: Write>(
    arguments: &Arguments,
    input: I,
    out: O,
    paint: Paint,
) -> Outcome<bool> {
    let view = View::of(arguments);
    let out = RefCell::new(BufWriter::with_capacity(1 << 16, out));
    let mut symbols = WithSymbols::default();
    let all = answer_all(
        arguments,
        input,
        &mut |session, answer| {
            let mut out = out.borrow_mut();
            if arguments.symbols {
                let text = &answer.input;
                match view.form {
                    Form::Explain => {
                        let (text, answered) = symbols.explain(text, paint);
                        write!(out, "{text}")?;
                        return Ok(answered);
                    }
                    Form::Table => {
                        let table = symbols.table(text, view.extent, paint);
                        match &table {
                            Ok(table) => write!(out, "{table}")?,
                            Err(error) => writeln!(out, "{} {error}", paint.error("error:"))?,
                        }
                        return Ok(table.is_ok());
                    }
                    _ => {}
                }
                let value = symbols.answer(&answer.input);
                match &value {
                    Ok(value) => writeln!(out, "{value}")?,
                    Err(error) => writeln!(out, "{} {error}", paint.error("error:"))?,
                }
                return Ok(value.is_ok());
            }
            Ok(write_answer(&mut *out, &view, session, &answer, paint)?)
        },
        || Ok(out.borrow_mut().flush()?),
    )?;
    out.borrow_mut().flush()?;
    Ok(all)
}

/// Answers what the command line gives, or each line of the input; `pause` is called before the input
/// may have to be waited for.
fn answer_all<I: Read>(
    arguments: &Arguments,
    input: I,
    each: &mut dyn FnMut(&Session, Answer) -> Outcome<bool>,
    pause: impl Fn() -> Outcome<()>,
) -> Outcome<bool> {
    let mut session = Session::default();
    let mut all = true;
    if !arguments.expressions.is_empty() {
        for expression in &arguments.expressions {
            let answer = session.answer(expression);
            all &= each(&session, answer)?;
        }
        return Ok(all);
    }
    let mut lines = Lines::new(input);
    loop {
        if lines.may_wait() {
            pause()?;
        }
        let Some((bytes, length)) = lines.next().map_err(Stop::Input)? else { return Ok(all) };
        let answer = match text_of(bytes, length) {
            Ok(text) => session.answer(text),
            Err(refused) => *refused,
        };
        all &= each(&session, answer)?;
    }
}

/// Writes one answer in the form that is requested; true if it is one.
pub(crate) fn write_answer(
    out: &mut dyn Write,
    view: &View,
    session: &Session,
    answer: &Answer,
    paint: Paint,
) -> io::Result<bool> {
    if let (Some(reply), false) = (&answer.reply, view.form == Form::Json) {
        match reply {
            Ok(reply) => writeln!(out, "{}", reply.text)?,
            Err(refusal) => writeln!(out, "{} {refusal}", paint.error("error:"))?,
        }
        return Ok(reply.is_ok());
    }
    match view.form {
        Form::Json => writeln!(out, "{}", json::line(answer))?,
        Form::Explain => write!(out, "{}", explain::explain(answer, paint))?,
        Form::Table => match draw(view, session, answer) {
            Ok(None) => {}
            Ok(Some(picture)) => write!(out, "{}", picture::table::write(&picture, paint))?,
            Err(error) => {
                writeln!(out, "{} {error}", paint.error("error:"))?;
                return Ok(false);
            }
        },
        Form::Line | Form::Svg | Form::Latex | Form::Html | Form::Symbols => match &answer.value {
            Ok(value) => writeln!(out, "{value}")?,
            Err(error) => writeln!(out, "{} {error}", paint.error("error:"))?,
        },
    }
    Ok(answer.is_answered())
}

/// The picture of an answer; a binding has none.
pub(crate) fn draw(view: &View, session: &Session, answer: &Answer) -> Result<Option<Picture>> {
    let value = answer.value.as_ref().map_err(Clone::clone)?;
    if answer.name.is_some() {
        return Ok(None);
    }
    let labels = match (&view.tile, view.element) {
        (Some(tile), _) => Labels::ThreadValues(tile_shape(session, tile)?),
        (None, Some(bits)) => {
            let access = view.access.as_ref().map(|text| access(session, text)).transpose()?;
            Labels::Banks { bits: bits.into(), access }
        }
        (None, None) => Labels::Offsets,
    };
    picture::draw(value, &labels, view.extent).map(Some)
}

/// The shape that `--tv` names, which may be a bound name.
fn tile_shape(session: &Session, text: &str) -> Result<Tuple> {
    match session.parse(text)?.eval()? {
        Value::Int(extent) => Ok(Tuple::Leaf(extent)),
        Value::Tuple(shape) => Ok(shape),
        other => Err(Error::Operand {
            operation: "--tv",
            expected: "the shape of a tile".to_owned(),
            found: format!("the {} {other}", other.kind()),
        }),
    }
}

/// The layout of `--access`, which may be a bound name.
fn access(session: &Session, text: &str) -> Result<Layout> {
    match session.parse(text)?.eval()? {
        Value::Layout(layout) => Ok(layout),
        other => Err(Error::Operand {
            operation: "--access",
            expected: "a layout of threads and values".to_owned(),
            found: format!("the {} {other}", other.kind()),
        }),
    }
}

/// The pictures of a document, and the sink of errors meanwhile.
struct Pictures<E> {
    pictures: Vec<Picture>,
    errors: E,
    paint: Paint,
}

impl<E: Write> Pictures<E> {
    fn add(&mut self, view: &View, session: &Session, answer: &Answer) -> Outcome<bool> {
        let picture = draw(view, session, answer).and_then(|picture| match picture {
            Some(_) if self.pictures.len() == PICTURES => Err(Error::Limit {
                what: "pictures in a document",
                limit: PICTURES,
                found: "one more".to_owned(),
            }),
            picture => Ok(picture),
        });
        match picture {
            Ok(picture) => {
                self.pictures.extend(picture);
                Ok(true)
            }
            Err(error) => {
                self.complain(&error.to_string())?;
                Ok(false)
            }
        }
    }

    fn complain(&mut self, words: &str) -> io::Result<()> {
        writeln!(self.errors, "{} {words}", self.paint.error("error:"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// The result of a command line for an input.
    fn answered(options: &[&str], input: &str) -> (bool, String, String) {
        let arguments = Arguments::parse_from([&["layout-calc"], options].concat());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let streams = Streams {
            input: input.as_bytes(),
            out: &mut out,
            err: &mut err,
            paint: Paint::Plain,
            err_paint: Paint::Plain,
        };
        let all = run(&arguments, streams).unwrap();
        (all, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    /// Lines like those that people write, each spoilt in a few places; the same in every run.
    fn spoilt_lines(count: usize) -> String {
        const LINES: &[&str] = &[
            "let A = (4,(2,4)):(2,(1,8))",
            "composition((6,2):(8,2), (4,3):(3,1))",
            "zipped_divide((9,(4,8)):(59,(13,1)), <3:3, (2,4):(1,8)>)",
            "S<3,4,3> o 0 o (8,64):(64,1)",
            "logical_product((2,2):(4,1), 6:1)",
            "slice((1,_), A)",
            "complement((2,2):(1,6), 24)",
            "make_identity_layout((4,(2,2)))",
            "(4,4):(1@0,2@1)",
            "raked_product((2,5):(5,1), (3,4):(1,3))",
            "crd2idx((1,(0,3)), A)",
        ];
        const SIGNS: &[u8] = b"()<>,:_-oS0123456789 =let@?AB\xc3";
        let mut random = layout_random::Numbers::of_seed(1);
        let mut below = |bound: usize| random.index(bound);
        let mut text = String::new();
        for _ in 0..count {
            let mut line = LINES[below(LINES.len())].as_bytes().to_vec();
            for _ in 0..below(4) {
                let (at, sign) = (below(line.len()), SIGNS[below(SIGNS.len())]);
                match below(3) {
                    0 => line[at] = sign,
                    1 => line.insert(at, sign),
                    _ => {
                        line.remove(at);
                    }
                }
            }
            text.push_str(&String::from_utf8_lossy(&line));
            text.push('\n');
        }
        text
    }

    #[test]
    fn every_spoilt_line_has_an_answer_in_each_form() {
        let lines = spoilt_lines(3000);
        for form in [&[][..], &["--json"]] {
            let (_, out, err) = answered(form, &lines);
            assert_eq!((out.lines().count(), err.as_str()), (3000, ""));
        }
        for form in [
            &["--table", "--max", "4"][..],
            &["--tv", "(4,4)", "--max", "4"],
            &["--banks", "16", "--max", "4"],
            &["--explain"],
        ] {
            let (_, out, err) = answered(form, &lines);
            assert!(out.lines().count() > 2000 && err.is_empty(), "{form:?}");
        }
        for form in ["--svg", "--html", "--latex"] {
            let (all, out, err) = answered(&[form, "--max", "2"], &lines);
            assert!(!all && !out.is_empty() && err.lines().count() > 1000, "{form}");
        }
    }

    #[test]
    fn json_lines_are_json() {
        for line in answered(&["--json"], &spoilt_lines(1000)).1.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(record["value"].is_string(), !record["error"].is_string(), "{line}");
            assert!(record["input"].is_string());
        }
    }
}
