//! The prompt on a terminal: a conversation through a pseudoterminal.
#![cfg(unix)]

use std::{
    fs::{self, File},
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// Far longer than an answer takes, for machines that do much else.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program on a terminal of its own.
struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// The text that was shown and not yet searched.
    shown: String,
}

impl Terminal {
    fn start(state: &Path, arguments: &[&str]) -> Self {
        let size = nix::pty::Winsize { ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = nix::pty::openpty(&size, None).unwrap();
        let side = || Stdio::from(pair.slave.try_clone().unwrap());
        let child = Command::new(env!("CARGO_BIN_EXE_layout-calc"))
            .args(arguments)
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", state)
            .env_remove("NO_COLOR")
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        drop(pair.slave);
        let keyboard = File::from(pair.master);
        let mut read = keyboard.try_clone().unwrap();
        let (send, screen) = channel();
        thread::spawn(move || {
            let mut some = [0; 4096];
            // Reading fails when the program is gone.
            while let Ok(count @ 1..) = read.read(&mut some) {
                if send.send(some[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keyboard, screen, shown: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until something is shown, and forgets what was shown up to there.
    fn expect(&mut self, words: &str) {
        let start = Instant::now();
        loop {
            if let Some(at) = self.shown.find(words) {
                self.shown.drain(..at + words.len());
                return;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => {
                    self.shown.push_str(&String::from_utf8_lossy(&bytes));
                    self.shown = without_moves(&self.shown);
                }
                Err(error) => panic!("expected {words:?}, found {:?}: {error}", self.shown),
            }
        }
    }

    /// Waits for the prompt, which is there once keys are read one by one: what is pressed before
    /// would be the kernel's to read.
    fn prompt(&mut self) {
        self.expect("> ");
    }

    fn code(mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(start.elapsed() < PATIENCE, "expected an end, found {:?}", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Nothing to do for one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Text without the sequences that move the cursor and the like; colours stay.
fn without_moves(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        // One that has not come to its end yet is left for later.
        let Some(end) = rest[2..].find(|c: char| ('@'..='~').contains(&c)) else { break };
        let (sequence, after) = rest.split_at(end + 3);
        if sequence.ends_with('m') {
            out.push_str(sequence);
        }
        rest = after;
    }
    out + rest
}

fn state(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    path
}

#[test]
fn the_prompt_completes_binds_and_points() {
    let state = state("prompt");
    let mut terminal = Terminal::start(&state, &[]);
    terminal.expect("`:help`");
    terminal.prompt();
    terminal.press("let corner = right_inv\t(4:1)\r");
    terminal.expect("let corner = right_inverse");
    terminal.expect("\n4:1\r\n");
    terminal.prompt();
    terminal.press("size(cor\t))\r");
    terminal.expect("size(corner");
    terminal.expect("\n              ^\r\n\x1b[1;31merror:\x1b[0m at byte 12");
    // Ctrl-C leaves a line, Ctrl-D ends.
    terminal.prompt();
    terminal.press("half a line");
    terminal.expect("half a line");
    terminal.press("\x03");
    terminal.prompt();
    terminal.press(":names\r");
    terminal.expect("\ncorner = 4:1\r\n");
    terminal.prompt();
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));

    // The next conversation knows the lines of this one.
    let history = fs::read_to_string(state.join("layout-calc/history")).unwrap();
    assert!(history.contains("let corner = right_inverse(4:1)"), "{history}");
    let mut terminal = Terminal::start(&state, &["--color", "never"]);
    terminal.prompt();
    terminal.press("\x1b[A\x1b[A\r");
    terminal.expect("\nerror: at byte 5: expected an operation");
    terminal.prompt();
    terminal.press(":quit\r");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn the_prompt_honours_the_command_line() {
    let mut terminal = Terminal::start(&state("prompt-table"), &["--table", "--color", "never"]);
    terminal.prompt();
    terminal.press("2:1\r");
    terminal.expect("\n| 0 | 1 |\r\n");
    terminal.prompt();
    terminal.press("\x04");
    assert_eq!(terminal.code(), Some(0));
}

#[test]
fn pictures_and_json_on_a_terminal_read_lines_without_a_prompt() {
    let mut terminal = Terminal::start(&state("no-prompt"), &["--json"]);
    terminal.press("4:1\n\x04");
    terminal.expect("{\"input\":\"4:1\"");
    assert_eq!(terminal.code(), Some(0));
}
