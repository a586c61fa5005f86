//! Runs `features/*.feature` against the real binary and real files.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test makes files of its own and stops where something is not as expected"
)]

use carryall_tests::{Said, Sandbox, repository};
use cucumber::{World, given, then, when};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Debug, World)]
#[world(init = Self::new)]
struct Session {
    sandbox: Sandbox,
    id: String,
    messages: Vec<Value>,
    said: Option<Said>,
    file: Option<PathBuf>,
}

impl Session {
    fn new() -> Self {
        Self {
            sandbox: Sandbox::new(),
            id: String::new(),
            messages: Vec::new(),
            said: None,
            file: None,
        }
    }

    /// Puts the session where coddy keeps its own.
    fn store(&self) {
        let folder = format!(".coddy/sessions/{}", self.id);
        let facts =
            json!({"version": 1, "id": self.id, "cwd": self.sandbox.shell(), "mode": "agent"});
        let rows = json!({"version": 1, "messages": self.messages});
        self.sandbox.put(&format!("{folder}/session.json"), facts.to_string());
        self.sandbox.put(&format!("{folder}/messages.json"), rows.to_string());
    }

    fn run(&mut self, args: Vec<String>) {
        self.store();
        self.said = Some(self.sandbox.run(args));
    }

    /// A path of a step: `{elsewhere}` stands for a folder outside the shell folder.
    fn path(&self, written: &str) -> PathBuf {
        let elsewhere = self.sandbox.home().join("elsewhere");
        self.sandbox.shell().join(written.replace("{elsewhere}", elsewhere.to_str().unwrap()))
    }

    fn text(&self, path: &Path) -> String {
        std::fs::read_to_string(path).unwrap_or_else(|e| {
            panic!("{}: {e}; the program said {:?}", path.display(), self.said);
        })
    }
}

#[given(expr = "a session {string} with {int} exchanges")]
fn exchanges(session: &mut Session, id: String, count: usize) {
    session.id = id;
    for n in 1..=count {
        session.messages.push(json!({
            "role": "user", "content": format!("question {n}"), "created_at": "2026-09-06T10:00:00Z"
        }));
        session.messages.push(json!({
            "role": "assistant", "content": format!("canned answer {n}"), "model": "fake/model"
        }));
    }
}

#[given(expr = "the session has an answer with reasoning and a {string} call")]
fn tool_row(session: &mut Session, tool: String) {
    session.messages.extend([
        json!({
            "role": "assistant", "content": "", "reasoning": "the reasoning behind it",
            "tool_calls": [{"id": "call_1", "name": tool, "input": "{\"path\":\"notes.txt\"}"}]
        }),
        json!({"role": "tool", "content": "the result of the call", "tool_call_id": "call_1"}),
        json!({"role": "assistant", "content": "the answer after the call"}),
    ]);
}

#[when(expr = "the chat command {string} is run")]
fn chat_command(session: &mut Session, line: String) {
    let workspace = session.sandbox.shell().to_str().unwrap().to_owned();
    let args = ["command", &session.id, "--workspace", &workspace, &line];
    session.run(args.map(str::to_owned).to_vec());
}

#[when(expr = "{string} is run")]
fn shell_command(session: &mut Session, line: String) {
    let elsewhere = session.sandbox.home().join("elsewhere");
    let line = line.replace("{elsewhere}", elsewhere.to_str().unwrap());
    session.run(line.split(' ').map(str::to_owned).collect());
}

#[then(expr = "the reply confirms {string}")]
fn confirms(session: &mut Session, label: String) {
    let said = session.said.as_ref().unwrap();
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.starts_with(&format!("Session exported to {label}: ")), "{said:?}");
}

#[then(expr = "it prints {string}")]
fn prints(session: &mut Session, beginning: String) {
    let said = session.said.as_ref().unwrap();
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.starts_with(&beginning) && said.out.lines().count() == 1, "{said:?}");
}

#[then(regex = r#"^the (?:workspace|shell folder) holds exactly one "(.*)\*(.*)"$"#)]
fn exactly_one(session: &mut Session, beginning: String, end: String) {
    let files = session.sandbox.files();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].starts_with(&beginning) && files[0].ends_with(&end), "{files:?}");
    session.file = Some(session.sandbox.shell().join(&files[0]));
}

#[then(expr = "the shell folder is empty")]
fn empty(session: &mut Session) {
    assert_eq!(session.sandbox.files(), [""; 0]);
}

#[then(expr = "that file holds {string}")]
fn that_file_holds(session: &mut Session, text: String) {
    assert!(session.text(session.file.as_ref().unwrap()).contains(&text), "{text:?} is not there");
}

#[then(expr = "that file does not hold {string}")]
fn that_file_does_not_hold(session: &mut Session, text: String) {
    assert!(!session.text(session.file.as_ref().unwrap()).contains(&text), "{text:?} is there");
}

#[then(expr = "the file {string} holds {string}")]
fn file_holds(session: &mut Session, path: String, text: String) {
    assert!(session.text(&session.path(&path)).contains(&text), "{text:?} is not in {path}");
}

#[then(expr = "the file {string} does not hold {string}")]
fn file_does_not_hold(session: &mut Session, path: String, text: String) {
    assert!(!session.text(&session.path(&path)).contains(&text), "{text:?} is in {path}");
}

#[then(expr = "the JSON file {string} has session id {string} and {int} entries")]
fn json_file(session: &mut Session, path: String, id: String, entries: usize) {
    let document: Value = serde_json::from_str(&session.text(&session.path(&path))).unwrap();
    assert_eq!(document["version"], 1);
    assert_eq!(document["session"]["id"], id);
    assert_eq!(document["entries"].as_array().unwrap().len(), entries);
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    Session::cucumber().fail_on_skipped().run_and_exit(repository().join("features")).await;
}
