//! The prompt on a terminal: lines with history and completion.

mod completion;
mod conversation;

use std::{
    env, fs,
    io::{self, Write},
    path::PathBuf,
};

use rustyline::{
    CompletionType, Config, Context, Editor, Helper, completion::Completer, error::ReadlineError,
    highlight::Highlighter, hint::Hinter, history::DefaultHistory, validate::Validator,
};

use crate::{
    paint::Paint,
    run::{Stop, View},
};
use conversation::{Conversation, PROMPT};

/// Lines of history that are kept.
const HISTORY: usize = 1000;

/// Lists the operations, or says what one is; false for a name that none has.
pub(crate) fn help(view: View, paint: Paint, about: &str) -> Result<bool, Stop> {
    let mut conversation = Conversation::new(view, paint);
    let is_known = conversation.is_operation(about);
    let reply = conversation.answer(&format!(":help {about}"));
    match is_known {
        true => io::stdout().write_all(reply.text.as_bytes())?,
        false => io::stderr().write_all(reply.text.as_bytes())?,
    }
    Ok(is_known)
}

/// Answers lines until the end of input or `:quit`; how they ended does not matter.
pub(crate) fn converse(view: View, paint: Paint) -> Result<bool, Stop> {
    let unread = |error: ReadlineError| Stop::Input(io::Error::other(error));
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .max_history_size(HISTORY)
        .map_err(unread)?
        .build();
    let mut editor: Editor<Names, DefaultHistory> = Editor::with_config(config).map_err(unread)?;
    editor.set_helper(Some(Names(Vec::new())));
    // A history that cannot be read or written is none; the conversation continues without.
    let history = history_file();
    if let Some(path) = &history {
        let _ = editor.load_history(path);
    }
    let mut conversation = Conversation::new(view, paint);
    let mut out = io::stdout();
    writeln!(out, "{}", conversation.greeting())?;
    loop {
        if let Some(names) = editor.helper_mut() {
            names.0 = conversation.words();
        }
        match editor.readline(PROMPT) {
            Ok(line) => {
                let _ = editor.add_history_entry(line.as_str());
                let reply = conversation.answer(&line);
                out.write_all(reply.text.as_bytes())?;
                out.flush()?;
                if reply.quit {
                    break;
                }
            }
            // Ctrl-C leaves a line, Ctrl-D the conversation.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(unread(error)),
        }
    }
    if let Some(path) = &history {
        let _ = editor.save_history(path);
    }
    Ok(true)
}

/// Where the XDG base directories have a program's history; its folder is made.
fn history_file() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    let folder = state.join("layout-calc");
    fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}

/// The words that completion offers.
struct Names(Vec<String>);

impl Helper for Names {}
impl Highlighter for Names {}
impl Validator for Names {}
impl Hinter for Names {
    type Hint = String;
}
impl Completer for Names {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(completion::complete(line, position, &self.0))
    }
}
