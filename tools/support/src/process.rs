//! Running other programs: errors that name the command, and output that is shown while it is read.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Why a command of ours could not continue: one line for the user.
pub type Error = String;

/// The result of a finished program.
pub struct Finished {
    /// Whether it exited with 0.
    pub success: bool,
    /// Its exit code, or `None` if a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error; empty when that went to the terminal.
    pub stderr: String,
}

/// The command line as a user would type it.
pub fn line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

/// Runs a command to its end with the terminal's own input and output; returns whether it exited with 0.
pub fn show(command: &mut Command) -> Result<bool, Error> {
    println!("    $ {}", line(command));
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    Ok(status.success())
}

/// Like [`show`], and an exit code other than 0 is an error.
pub fn must(command: &mut Command) -> Result<(), Error> {
    if show(command)? { Ok(()) } else { Err(format!("`{}` failed", line(command))) }
}

/// Shows standard output line by line and keeps it too; standard error goes to the terminal.
pub fn tee(command: &mut Command) -> Result<Finished, Error> {
    println!("    $ {}", line(command));
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| cannot_start(command, &error))?;
    let mut stdout = String::new();
    if let Some(pipe) = child.stdout.take() {
        for read in BufReader::new(pipe).split(b'\n') {
            let bytes = read.map_err(|error| format!("`{}`: {error}", line(command)))?;
            let text = String::from_utf8_lossy(&bytes);
            println!("{text}");
            stdout.push_str(&text);
            stdout.push('\n');
        }
    }
    let status = child.wait().map_err(|error| format!("`{}`: {error}", line(command)))?;
    Ok(Finished { success: status.success(), code: status.code(), stdout, stderr: String::new() })
}

/// Runs quietly and keeps both outputs.
pub fn capture(command: &mut Command) -> Result<Finished, Error> {
    let output = command.output().map_err(|error| cannot_start(command, &error))?;
    Ok(Finished {
        success: output.status.success(),
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Like [`capture`], but returns standard output; an exit code other than 0 is an error with the output.
pub fn read(command: &mut Command) -> Result<String, Error> {
    let finished = capture(command)?;
    if finished.success {
        Ok(finished.stdout)
    } else {
        Err(format!("`{}` failed:\n{}", line(command), finished.stderr.trim_end()))
    }
}

/// Whether a program of this name can be started.
pub fn exists(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Error {
    format!("cannot start `{}`: {error}", command.get_program().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_an_error_with_its_words() {
        let error = read(Command::new("sh").args(["-c", "echo no such thing >&2; exit 3"]));
        assert_eq!(
            error.unwrap_err(),
            "`sh -c echo no such thing >&2; exit 3` failed:\nno such thing"
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = read(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(error.starts_with("cannot start `no-such-program-here`: "), "{error}");
    }
}
