//! The messages about the compiler's input: MLIR's diagnostics with their notes, and its own.

use layout_lowering::commands::place;
use melior::diagnostic::{self, DiagnosticSeverity};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// There is no output.
    Error,
    /// The output may not be what was meant.
    Warning,
    /// The message, which says what the compiler did, or did not do.
    Remark,
    /// A part of another diagnostic.
    Note,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The place in the input, as `file:line:column` where that is all there is to it, or `None` if it is not known.
    pub location: Option<String>,
    /// The text.
    pub message: String,
    /// Its notes.
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A message that is about no place.
    pub fn nowhere(severity: Severity, message: String) -> Self {
        Self { severity, location: None, message, notes: Vec::new() }
    }

    /// MLIR's diagnostic.
    pub(crate) fn of(diagnostic: &diagnostic::Diagnostic<'_>) -> Self {
        let severity = match diagnostic.severity() {
            DiagnosticSeverity::Error => Severity::Error,
            DiagnosticSeverity::Warning => Severity::Warning,
            DiagnosticSeverity::Remark => Severity::Remark,
            DiagnosticSeverity::Note => Severity::Note,
        };
        let place = place(&diagnostic.location().to_string());
        let location = place.strip_suffix(": ").map(str::to_owned);
        let notes = (0..diagnostic.note_count()).filter_map(|note| diagnostic.note(note).ok());
        let notes = notes.map(|note| Self::of(&note));
        // MLIR puts the whole operation, regions and all, after the message; the place is shorter.
        let mut notes: Vec<Self> =
            notes.filter(|note| !note.message.starts_with("see current operation")).collect();
        let message = diagnostic.to_string();
        if let Some(hint) = from_front_end(&message) {
            notes = vec![Self::nowhere(Severity::Note, format!("hint: {hint}"))];
        }
        Self { severity, location, message, notes }
    }
}

/// The tool that makes `linalg` of a front end's dialect, where that is the one that MLIR's message misses.
fn from_front_end(message: &str) -> Option<&'static str> {
    let (dialect, _) = message.strip_prefix("Dialect `")?.split_once("' not found")?;
    match dialect {
        "stablehlo" | "chlo" | "mhlo" | "vhlo" => Some(
            "iree-compile --iree-input-type=stablehlo --compile-to=input makes linalg of StableHLO",
        ),
        "util" | "hal" | "flow" => Some(
            "functions of iree-compile are util.func; func.func with func.return in their place is what is compiled",
        ),
        "torch" => Some(
            "torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline makes linalg of torch",
        ),
        _ => None,
    }
}

impl fmt::Display for Diagnostic {
    /// As compilers write it, `file:1:2: error: …`, with a line for each note.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{location}: ")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Remark => "remark",
            Severity::Note => "note",
        };
        write!(f, "{severity}: {}", self.message)?;
        self.notes.iter().try_for_each(|note| write!(f, "\n{note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dialects_of_front_ends_have_a_tool() {
        let missing = |dialect: &str| format!("Dialect `{dialect}' not found for custom op 'x'");
        assert!(from_front_end(&missing("stablehlo")).is_some_and(|hint| hint.contains("iree")));
        assert!(from_front_end(&missing("torch")).is_some_and(|hint| hint.contains("torch-mlir")));
        assert_eq!(from_front_end(&missing("mine")), None);
        assert_eq!(from_front_end("another message"), None);
    }

    #[test]
    fn diagnostics_read_as_compilers_write_them_and_come_back_from_json() {
        let note = Diagnostic {
            location: Some("a.mlir:1:2".to_owned()),
            ..Diagnostic::nowhere(Severity::Note, "defined here".to_owned())
        };
        let error = Diagnostic {
            notes: vec![note],
            ..Diagnostic::nowhere(Severity::Error, "expected a, found b".to_owned())
        };
        assert_eq!(error.to_string(), "error: expected a, found b\na.mlir:1:2: note: defined here");
        let text = serde_json::to_string(&error).expect("plain data");
        assert_eq!(
            text,
            r#"{"severity":"error","location":null,"message":"expected a, found b","notes":[{"severity":"note","location":"a.mlir:1:2","message":"defined here","notes":[]}]}"#
        );
        assert_eq!(serde_json::from_str::<Diagnostic>(&text).ok(), Some(error));
    }
}
