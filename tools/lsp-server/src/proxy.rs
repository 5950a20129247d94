//! A proxy between an editor and MLIR's language server, which runs as a child process: messages pass
//! as they are, but for answers about hovers and completion, which get what [`assist`] adds.

use crate::assist::{self, Position};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Write},
    process::{Command, ExitCode, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Longest message that is read: an editor sends a document whole.
const LENGTH_LIMIT: usize = 1 << 28;

/// Set for the child: be MLIR's server.
pub(crate) const INNER: &str = "LAYOUT_LSP_INNER";

/// Runs until the editor or the server ends the conversation.
pub(crate) fn run() -> io::Result<ExitCode> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(INNER, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut to_server), Some(from_server)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("expected pipes to the server, found none"));
    };
    let state = Arc::new(Mutex::new(State::default()));
    let of_editor = Arc::clone(&state);
    // Not joined: it waits for an editor that may have nothing more to say.
    thread::spawn(move || {
        let mut editor = BufReader::new(io::stdin());
        while let Ok(Some(message)) = read(&mut editor) {
            lock(&of_editor).of_editor(&message);
            if write(&mut to_server, &message).is_err() {
                break;
            }
        }
    });
    let mut server = BufReader::new(from_server);
    let mut editor = io::stdout();
    while let Some(mut message) = read(&mut server)? {
        lock(&state).of_server(&mut message);
        write(&mut editor, &message)?;
    }
    let status = child.wait()?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A question of the editor's that MLIR's server has not answered.
enum Question {
    Hover(Place),
    Completion(Place),
}

/// A document and a position in it.
struct Place {
    document: String,
    position: Position,
}

/// The state of the conversation.
#[derive(Default)]
struct State {
    /// Documents that are open, whole; MLIR's server has editors send them so.
    documents: HashMap<String, String>,
    /// Open questions, by the text of their id.
    questions: HashMap<String, Question>,
}

impl State {
    fn of_editor(&mut self, message: &Value) {
        let parameters = &message["params"];
        let document = parameters["textDocument"]["uri"].as_str().unwrap_or("").to_owned();
        let method = message["method"].as_str().unwrap_or("");
        let place = || {
            let count = |name: &str| {
                parameters["position"][name].as_u64().and_then(|n| usize::try_from(n).ok())
            };
            let position = Position { line: count("line")?, character: count("character")? };
            Some(Place { document: document.clone(), position })
        };
        let question = match method {
            "textDocument/didOpen" => {
                let text = parameters["textDocument"]["text"].as_str().unwrap_or("");
                self.documents.insert(document, text.to_owned());
                return;
            }
            "textDocument/didChange" => {
                let changes = parameters["contentChanges"].as_array();
                let last = changes.and_then(|changes| changes.last());
                if let Some(text) = last.and_then(|change| change["text"].as_str()) {
                    self.documents.insert(document, text.to_owned());
                }
                return;
            }
            "textDocument/didClose" => {
                self.documents.remove(&document);
                return;
            }
            "textDocument/hover" => place().map(Question::Hover),
            "textDocument/completion" => place().map(Question::Completion),
            _ => None,
        };
        if let Some(question) = question {
            self.questions.insert(message["id"].to_string(), question);
        }
    }

    fn of_server(&mut self, message: &mut Value) {
        if message.get("method").is_some() || message.get("id").is_none() {
            return;
        }
        let Some(question) = self.questions.remove(&message["id"].to_string()) else { return };
        let text = |place: &Place| self.documents.get(&place.document).map_or("", String::as_str);
        match question {
            Question::Hover(place) => {
                if let Some(found) = assist::hover(text(&place), place.position) {
                    add_hover(&mut message["result"], &found);
                }
            }
            Question::Completion(place) => {
                let items = assist::complete(text(&place), place.position);
                add_items(&mut message["result"], items);
            }
        }
    }
}

/// Appends Markdown to a hover, or in its place.
fn add_hover(result: &mut Value, found: &str) {
    match result["contents"]["value"].as_str() {
        Some(markdown) => {
            let both = format!("{}\n\n---\n\n{found}", markdown.trim_end());
            result["contents"]["value"] = both.into();
        }
        None => *result = json!({ "contents": { "kind": "markdown", "value": found } }),
    }
}

/// Adds items to a list of completions. MLIR's server names operations without their dialect: where
/// it has an item, that gets our text.
fn add_items(result: &mut Value, items: Vec<Value>) {
    if items.is_empty() {
        return;
    }
    if result.is_null() {
        *result = json!({ "isIncomplete": false, "items": [] });
    }
    let list = match result {
        Value::Array(list) => Some(list),
        other => other.get_mut("items").and_then(Value::as_array_mut),
    };
    let Some(list) = list else { return };
    for item in items {
        let label = item["label"].as_str().unwrap_or("");
        let short = label.strip_prefix("layout.").unwrap_or(label);
        match list.iter_mut().find(|known| known["label"] == short || known["label"] == label) {
            Some(known) => {
                known["detail"] = item["detail"].clone();
                known["documentation"] = item["documentation"].clone();
            }
            None => list.push(item),
        }
    }
}

/// Reads a message; nothing at the end.
fn read(from: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok().filter(|length| *length <= LENGTH_LIMIT);
        }
    }
    let length = length.ok_or_else(|| invalid("expected a Content-Length, found none"))?;
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(|error| invalid(&format!("expected a message in JSON, found {error}")))
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({ "id": 1, "method": "é" })).expect("a Vec takes all");
        write(&mut bytes, &json!([])).expect("a Vec takes all");
        let mut from = &bytes[..];
        assert_eq!(read(&mut from).expect("whole"), Some(json!({ "id": 1, "method": "é" })));
        assert_eq!(read(&mut from).expect("whole"), Some(json!([])));
        assert_eq!(read(&mut from).expect("the end"), None);
        let error = |text: &str| read(&mut text.as_bytes()).expect_err("broken").to_string();
        assert_eq!(error("X: 1\r\n\r\n{}"), "expected a Content-Length, found none");
        assert_eq!(
            error("Content-Length: 999999999999\r\n\r\n"),
            "expected a Content-Length, found none"
        );
        assert!(
            error("Content-Length: 2\r\n\r\n{x").starts_with("expected a message in JSON, found")
        );
    }

    #[test]
    fn an_answer_keeps_the_reply_of_the_server() {
        let mut hover = json!({ "contents": { "kind": "markdown", "value": "an op\n" } });
        add_hover(&mut hover, "a table");
        assert_eq!(hover["contents"]["value"], "an op\n\n---\n\na table");
        let mut list = json!({ "isIncomplete": false, "items": [{ "label": "size", "kind": 5 }] });
        let item = |label: &str| json!({ "label": label, "detail": "d", "documentation": "text" });
        add_items(&mut list, vec![item("layout.size"), item("layout.rank")]);
        assert_eq!(
            list["items"],
            json!([
                { "label": "size", "kind": 5, "detail": "d", "documentation": "text" },
                { "label": "layout.rank", "detail": "d", "documentation": "text" },
            ])
        );
        let mut none = Value::Null;
        add_items(&mut none, Vec::new());
        assert_eq!(none, Value::Null);
        add_items(&mut none, vec![item("layout-fold")]);
        assert_eq!(none["items"], json!([item("layout-fold")]));
    }
}
