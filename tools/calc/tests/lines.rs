//! The line protocol for other programs: pipes, bytes, exit codes.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Command, Output, Stdio},
    thread,
};

fn calc(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_layout-calc"));
    command.args(arguments).env_remove("NO_COLOR");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs with an input.
fn answers(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = calc(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn each_line_has_one_answer() {
    let output = answers(&[], b"size(4:1)\n\ncoalesce((2,2):(1,2))\r\nfoo\n4:1");
    assert_eq!(
        out(&output),
        "4\n\
         error: at byte 0: expected a term, an integer, `_` or `(`, found the end\n\
         4:1\n\
         error: at byte 0: expected an operation of the algebra or a name that is bound, found `foo`\n\
         4:1\n"
    );
    assert_eq!((err(&output), output.status.code()), ("", Some(1)));
}

#[test]
fn exit_codes_are_stable() {
    let code = |arguments: &[&str]| calc(arguments).output().unwrap().status.code();
    assert_eq!(code(&["4:1"]), Some(0));
    assert_eq!(code(&[]), Some(0));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["4:1", "4:"]), Some(1));
    assert_eq!(code(&["--table", "4"]), Some(1));
    assert_eq!(code(&["--no-such-option"]), Some(2));
    assert_eq!(code(&["--table", "--svg", "4:1"]), Some(2));
    assert_eq!(code(&["--tv", "4", "--banks", "8", "4:1"]), Some(2));
    assert_eq!(code(&["--banks", "0", "4:1"]), Some(2));
    assert_eq!(code(&["--access", "4:1", "4:1"]), Some(2));
    assert_eq!(code(&["--max", "5000", "--table", "4:1"]), Some(2));
    assert_eq!(code(&["--json", "--tv", "4", "4:1"]), Some(2));
}

#[test]
fn negative_terms_are_no_options() {
    let output = calc(&["-3", "crd2idx(1, 4:-2)"]).output().unwrap();
    assert_eq!(out(&output), "-3\n-2\n");
}

#[test]
fn bytes_that_are_no_text_are_an_error_of_their_line() {
    let output = answers(&[], b"4:1\n4:\xff1\n\xc3\n8:1\n");
    assert_eq!(
        out(&output),
        "4:1\n\
         error: at byte 2: expected UTF-8, found the byte 0xff\n\
         error: at byte 0: expected UTF-8, found the byte 0xc3\n\
         8:1\n"
    );
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_no_text_are_a_wrong_command_line() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let output = calc(&[]).arg(OsStr::from_bytes(b"4:\xff1")).output().unwrap();
    assert!(err(&output).starts_with("error: invalid UTF-8"), "{}", err(&output));
    assert_eq!((out(&output), output.status.code()), ("", Some(2)));
}

#[test]
fn lines_that_are_too_long_are_an_error_of_their_line() {
    let mut input = vec![b'('; 3_000_000];
    input.extend_from_slice(b"\n");
    input.extend(vec![b'('; 1_048_570]);
    input.extend_from_slice(b"\n4:1\n");
    let output = answers(&[], &input);
    assert_eq!(
        out(&output),
        "error: bytes of a line: expected at most 1048832, found 3000000\n\
         error: at byte 64: expected at most 64 levels of nesting, found one more\n\
         4:1\n"
    );
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    for form in ["--json", "--table"] {
        let mut child = calc(&[form]).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = thread::spawn(move || {
            // The pipe may break here as well.
            while stdin.write_all(b"(8,8):(1,8)\n").is_ok() {}
        });
        let mut some = [0; 100];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut some).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert_eq!((err(&output), output.status.code()), ("", Some(0)), "{form}");
    }
}

#[test]
fn answers_come_before_the_next_line_is_waited_for() {
    let mut child = calc(&[]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for (line, expected) in [("let A = 4:1\n", "4:1\n"), ("size(A)\n", "4\n"), ("A\n", "4:1\n")] {
        stdin.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(answer, expected);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn files_are_written_and_refused() {
    let path = temporary("answers.txt");
    let name = path.to_str().unwrap();
    let output = calc(&["-o", name, "4:1", "size(4:1)"]).output().unwrap();
    assert_eq!((out(&output), output.status.code()), ("", Some(0)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "4:1\n4\n");

    let missing = temporary("no-such-folder").join("a.svg");
    for form in ["--svg", "--table"] {
        let output = calc(&[form, "-o", missing.to_str().unwrap(), "4:1"]).output().unwrap();
        let expected = format!(
            "error: cannot write {}: No such file or directory (os error 2)\n",
            missing.display()
        );
        assert_eq!((err(&output), output.status.code()), (expected.as_str(), Some(1)), "{form}");
    }
}

#[test]
fn a_document_holds_what_could_be_drawn() {
    let path = temporary("kept.svg");
    let name = path.to_str().unwrap();
    fs::write(&path, "as it was").unwrap();
    let output = calc(&["--svg", "-o", name, "4:"]).output().unwrap();
    assert_eq!(
        err(&output),
        "error: at byte 2: expected a term, an integer, `_` or `(`, found the end\n"
    );
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&path).unwrap(), "as it was");

    let output = calc(&["--svg", "let A = 4:1"]).output().unwrap();
    assert_eq!(err(&output), "error: expected an expression whose value is a layout, found none\n");
    assert_eq!((out(&output), output.status.code()), ("", Some(1)));

    let output = calc(&["--svg", "let A = 4:1", "size(A)", "A"]).output().unwrap();
    assert_eq!(err(&output), "error: picture: expected a layout to draw, found the integer 4\n");
    assert_eq!(output.status.code(), Some(1));
    roxmltree::Document::parse(out(&output)).unwrap();

    let many: Vec<&str> = ["--html"].into_iter().chain(["4:1"; 257]).collect();
    let output = calc(&many).output().unwrap();
    assert_eq!(
        err(&output),
        "error: pictures in a document: expected at most 256, found one more\n"
    );
}

#[test]
fn tiles_may_be_named() {
    let output = calc(&["--tv", "tile", "let tile = (1,2)", "(2,1):(1,0)"]).output().unwrap();
    assert_eq!(
        out(&output),
        "(2,1):(1,0) over (1,2)\n        0       1\n  +-------+-------+\n0 | T0 V0 | T1 V0 |\n  \
         +-------+-------+\n"
    );
    let output = calc(&["--tv", "2:1", "(2,1):(1,0)"]).output().unwrap();
    assert_eq!(out(&output), "error: --tv: expected the shape of a tile, found the layout 2:1\n");
}

#[test]
fn accesses_may_be_named() {
    let draw = |access, lines: &[&str]| {
        let options = ["--max", "1", "--banks", "16", "--access", access];
        let output = calc(&[&options, lines].concat()).output().unwrap();
        out(&output).lines().last().unwrap().to_owned()
    };
    let lines = ["let rows = (8,8):(1,8)", "(8,64):(64,1)"];
    assert_eq!(
        draw("rows", &lines),
        "(access (8,8):(1,8): 8 wavefronts in 1 phase of 16-byte accesses, 7 extra)"
    );
    assert_eq!(
        draw("(8,8)", &lines),
        "error: --access: expected a layout of threads and values, found the tuple (8,8)"
    );
}

#[test]
fn colours_are_written_on_request() {
    let plain = calc(&["4:"]).output().unwrap();
    assert!(!out(&plain).contains('\x1b'));
    let coloured = calc(&["--color", "always", "4:"]).output().unwrap();
    assert!(out(&coloured).starts_with("\x1b[1;31merror:\x1b[0m at byte 2"));
}

#[test]
fn operations_are_listed_and_explained() {
    let all = calc(&["--operations"]).output().unwrap();
    assert!(all.status.success() && out(&all).contains("  coalesce(L[, profile])"), "{all:?}");
    let unknown = calc(&["--operations", "coalesc"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(1));
    assert_eq!(
        err(&unknown),
        "error: expected an operation of `:help`, found `coalesc`; did you mean `coalesce`?\n"
    );
}
