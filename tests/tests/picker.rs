//! Choosing a session, on a terminal that the test holds.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test makes files of its own and stops where something is not as expected"
)]

use carryall_tests::{NOW, Sandbox, binary};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use serde_json::json;
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const STORE: &str = ".claude/projects/-home-mira";
/// How long a program that hangs is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A session of one prompt; the later it is put, the newer it is.
fn put(sandbox: &Sandbox, n: u32, prompt: &str) -> String {
    let id = format!("5e551010-0000-4000-8000-{n:012}");
    let row = json!({
        "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/home/mira",
        "sessionId": id, "version": "2.1.60", "type": "user", "uuid": format!("row-{n}"),
        "message": {"role": "user", "content": prompt}, "timestamp": "2026-09-01T10:00:00.000Z",
    });
    let path = sandbox.put(&format!("{STORE}/{id}.jsonl"), format!("{row}\n"));
    let file = std::fs::File::options().write(true).open(path).unwrap();
    let moment = std::time::UNIX_EPOCH + Duration::from_secs(1_788_000_000 + u64::from(n) * 60);
    file.set_modified(moment).unwrap();
    id
}

fn size(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

/// The binary on a terminal of its own.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    /// Everything that was written to the terminal.
    all: Vec<u8>,
}

impl Terminal {
    fn new(sandbox: &Sandbox, (cols, rows): (u16, u16), term: &str, args: &[&str]) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 })
            .unwrap();
        let mut command = CommandBuilder::new(binary());
        command.args(args);
        command.cwd(sandbox.shell());
        command.env_clear();
        command.env("HOME", sandbox.home());
        command.env("SOURCE_DATE_EPOCH", NOW);
        command.env("TERM", term);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (send, bytes) = channel();
        std::thread::spawn(move || {
            let mut buf = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buf) {
                if send.send(buf[..n].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let screen = vt100::Parser::new(size(rows), size(cols), 0);
        Self { master: pair.master, keys, child, bytes, screen, all: Vec::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        self.screen.screen_mut().set_size(size(rows), size(cols));
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    fn lines(&self) -> Vec<String> {
        let (_, cols) = self.screen.screen().size();
        let rows = self.screen.screen().rows(0, cols.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    /// Waits until the screen is as expected.
    fn until(&mut self, what: &str, is_so: impl Fn(&[String]) -> bool) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let lines = self.lines();
            if is_so(&lines) {
                return lines;
            }
            let left = end.saturating_duration_since(Instant::now());
            let more = self.bytes.recv_timeout(left);
            let bytes = more.unwrap_or_else(|_| panic!("{what} was not seen: {lines:#?}"));
            self.screen.process(&bytes);
            self.all.extend(bytes);
        }
    }

    /// Waits for the end of the program, and takes all that it wrote.
    fn end(mut self) -> (u32, Vec<String>, Vec<u8>) {
        let code = self.child.wait().unwrap().exit_code();
        drop((self.keys, self.master));
        while let Ok(bytes) = self.bytes.recv_timeout(PATIENCE) {
            self.screen.process(&bytes);
            self.all.extend(bytes);
        }
        let (_, cols) = self.screen.screen().size();
        let rows = self.screen.screen().rows(0, cols.get());
        (code, rows.map(|row| row.trim_end().to_owned()).collect(), self.all)
    }
}

const DOWN: &str = "\x1b[B";
const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";

fn holds(text: &str) -> impl Fn(&[String]) -> bool {
    move |lines| lines.iter().any(|line| line.contains(text))
}

#[test]
fn arrows_and_enter_choose_and_the_answer_follows() {
    let sandbox = Sandbox::new();
    let older = put(&sandbox, 1, "Count the tide pools");
    put(&sandbox, 2, "Mend the lantern");
    let args = ["sessions", "inspect"];
    let mut terminal = Terminal::new(&sandbox, (80, 24), "xterm", &args);
    let lines = terminal.until("the list", holds("2/2"));
    assert!(lines[2].starts_with(">") && lines[2].ends_with("Mend the lantern"), "{lines:#?}");
    assert!(lines[3].starts_with(" ") && lines[3].ends_with("Count the tide pools"), "{lines:#?}");
    terminal.press(DOWN);
    terminal.until("the second", |lines| lines[3].starts_with('>'));
    terminal.press(ENTER);
    let (code, lines, _) = terminal.end();
    assert_eq!(code, 0, "{lines:#?}");
    assert_eq!(lines[0], format!("claude-code {older}"));
    assert!(holds("the sum holds")(&lines), "{lines:#?}");
}

#[test]
fn what_is_typed_narrows_the_list() {
    let sandbox = Sandbox::new();
    let wanted = put(&sandbox, 1, "Count the tide pools");
    for n in 2..60 {
        put(&sandbox, n, "Mend the lantern");
    }
    let mut terminal = Terminal::new(&sandbox, (80, 10), "xterm", &["sessions", "inspect"]);
    terminal.until("the list", holds("59/59"));
    terminal.press("tidpo");
    // Each key is drawn, so a screen may hold only the first of them.
    let lines =
        terminal.until("one session", |lines| lines[0] == "> tidpo" && holds("1/59")(lines));
    assert!(lines[2].ends_with("Count the tide pools"), "{lines:#?}");
    assert_eq!(lines[3], format!("claude-code:{wanted} /home/mira"));
    assert!(lines[4..].iter().all(String::is_empty), "{lines:#?}");
    terminal.press(ENTER);
    let (code, lines, _) = terminal.end();
    assert_eq!(code, 0);
    assert!(holds("the sum holds")(&lines), "{lines:#?}");
}

#[test]
fn escape_leaves_and_the_terminal_is_given_back() {
    let sandbox = Sandbox::new();
    put(&sandbox, 1, "Count the tide pools");
    let mut terminal = Terminal::new(&sandbox, (80, 24), "xterm", &["sessions", "export"]);
    terminal.until("the list", holds("1/1"));
    assert!(terminal.screen.screen().alternate_screen());
    terminal.press(ESCAPE);
    terminal.until("the end", holds("error: no session was chosen"));
    assert!(!terminal.screen.screen().alternate_screen());
    assert!(!terminal.screen.screen().hide_cursor());
    let (code, lines, _) = terminal.end();
    assert_eq!(code, 1, "{lines:#?}");
    assert!(sandbox.files().is_empty());
}

#[test]
fn a_narrow_terminal_shows_titles_and_no_title_drives_it() {
    let sandbox = Sandbox::new();
    put(&sandbox, 1, "plain");
    put(&sandbox, 2, "\u{1b}]0;evil\u{7}\u{1b}[2J\u{9b}31m \u{202e}olleh");
    let mut terminal = Terminal::new(&sandbox, (40, 6), "xterm", &["sessions", "inspect"]);
    let lines = terminal.until("the list", holds("2/2"));
    assert!(lines[2].contains(r"\u{1b}]0;evil\u{7}"), "{lines:#?}");
    assert!(lines[3].ends_with("plain"), "{lines:#?}");
    terminal.resize(20, 5);
    let lines =
        terminal.until("the smaller list", |lines| lines.len() == 5 && lines[3].ends_with("plain"));
    assert!(lines.iter().all(|line| line.chars().count() <= 20), "{lines:#?}");
    terminal.press("\x03");
    let (code, lines, all) = terminal.end();
    assert_eq!(code, 1, "{lines:#?}");
    for sequence in ["\x1b]0;", "\x07", "\u{9b}", "\u{202e}"] {
        let found = all.windows(sequence.len()).any(|bytes| bytes == sequence.as_bytes());
        assert!(!found, "{sequence:?} reached the terminal");
    }
}

#[test]
fn nobody_is_asked_where_no_cursor_moves_and_where_there_is_nothing() {
    let sandbox = Sandbox::new();
    let (code, lines, _) =
        Terminal::new(&sandbox, (80, 24), "xterm", &["sessions", "inspect"]).end();
    assert_eq!(code, 1);
    assert_eq!(lines[0], "error: there is no session to choose");
    put(&sandbox, 1, "Count the tide pools");
    let (code, lines, _) =
        Terminal::new(&sandbox, (80, 24), "dumb", &["sessions", "inspect"]).end();
    assert_eq!(code, 2);
    assert!(lines[0].starts_with("error: no session was named"), "{lines:#?}");
}
