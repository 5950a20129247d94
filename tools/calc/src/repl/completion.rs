//! Completion of the word before the cursor.

use super::conversation::COMMANDS;
use crate::session::in_name;

/// Where the word starts, and the words that begin with it. A command is one at the start of a line.
pub(super) fn complete(line: &str, position: usize, words: &[String]) -> (usize, Vec<String>) {
    let before = line.get(..position).unwrap_or(line);
    let lead = before.len() - before.trim_start().len();
    let trimmed = &before[lead..];
    if trimmed.starts_with(':') && !trimmed.contains(' ') {
        let found = COMMANDS.iter().map(|command| command.name.to_owned());
        return (lead, found.filter(|name| name.starts_with(trimmed)).collect());
    }
    let start = before
        .rfind(|c| !in_name(c))
        .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let word = &before[start..];
    if word.is_empty() {
        return (start, Vec::new());
    }
    (start, words.iter().filter(|name| name.starts_with(word)).cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str) -> (usize, Vec<String>) {
        let words = ["coalesce", "complement", "composition", "corner"].map(str::to_owned);
        complete(line, line.len(), &words)
    }

    #[test]
    fn the_word_at_the_cursor_is_completed() {
        assert_eq!(completed("size(compl"), (5, vec!["complement".to_owned()]));
        assert_eq!(completed("comp").1, ["complement", "composition"]);
        assert_eq!(completed("let x = cor"), (8, vec!["corner".to_owned()]));
        assert_eq!(completed("(4:1, é"), (8, vec![]));
        assert_eq!(completed("size("), (5, vec![]));
        assert_eq!(
            complete("compX", 4, &["composed".to_owned()]),
            (0, vec!["composed".to_owned()])
        );
    }

    #[test]
    fn commands_are_completed_at_the_start() {
        assert_eq!(completed(":ta"), (0, vec![":table".to_owned()]));
        assert_eq!(completed(":table compl"), (7, vec!["complement".to_owned()]));
        assert_eq!(completed("  :q"), (2, vec![":quit".to_owned()]));
    }
}
