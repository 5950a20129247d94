//! The examples of the help and of the README print the output shown.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A folder of its own for the files that examples write.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

/// Runs a line of shell with `layout-calc` on the path; what it prints.
fn shell(line: &str, folder: &Folder) -> String {
    let tool = Path::new(env!("CARGO_BIN_EXE_layout-calc"));
    let mut path = tool.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(&folder.0)
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    String::from_utf8(output.stdout).unwrap()
}

/// Each line after `$ `, with the lines below it up to one that is empty or the next; all of them
/// indented by `indent`.
fn examples(text: &str, indent: usize) -> Vec<(String, String)> {
    let lead = " ".repeat(indent);
    let mut examples: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        let Some(line) = line.strip_prefix(&lead) else {
            open = false;
            continue;
        };
        if let Some(command) = line.strip_prefix("$ ") {
            examples.push((command.to_owned(), String::new()));
            open = true;
        } else if open {
            let expected = &mut examples.last_mut().unwrap().1;
            expected.push_str(line);
            expected.push('\n');
        }
    }
    examples
}

fn check(text: &str, indent: usize, least: usize, folder: &Folder) {
    let examples = examples(text, indent);
    assert!(examples.len() >= least, "expected {least} examples, found {}", examples.len());
    for (command, expected) in examples {
        assert_eq!(shell(&command, folder), expected, "{command}");
    }
}

#[test]
fn examples_of_the_help_are_true() {
    let folder = Folder::new("help");
    let help = shell("layout-calc --help", &folder);
    let (_, examples) = help.split_once("Examples:\n").unwrap();
    check(examples, 2, 8, &folder);
    for name in ["tv.svg", "banks.html"] {
        assert!(fs::metadata(folder.0.join(name)).unwrap().len() > 1000, "{name}");
    }
}

#[test]
fn examples_of_the_readme_are_true() {
    let folder = Folder::new("readme");
    check(include_str!("../README.md"), 4, 9, &folder);
}
