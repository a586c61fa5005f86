//! Threads made for a test.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The id of the n-th thread of a test.
pub(crate) fn id(n: u32) -> String {
    format!("0c0de000-0000-7000-8000-{n:012x}")
}

/// The name of its rollout.
pub(crate) fn name(n: u32) -> String {
    format!("rollout-2026-03-04T10-00-{:02}-{}.jsonl", n % 60, id(n))
}

/// A row: a kind of envelope and what it holds.
pub(crate) fn row(kind: &str, payload: &Value) -> String {
    json!({"timestamp": "2026-03-04T10:00:01.000Z", "type": kind, "payload": payload}).to_string()
        + "\n"
}

/// The first row of the n-th thread.
pub(crate) fn meta(n: u32) -> String {
    meta_with(n, &json!({}))
}

/// The same with further facts.
pub(crate) fn meta_with(n: u32, more: &Value) -> String {
    let mut facts = json!({"id": id(n), "timestamp": "2026-03-04T10:00:00.000Z", "cwd": "/w"});
    for (key, value) in more.as_object().unwrap() {
        facts[key] = value.clone();
    }
    row("session_meta", &facts)
}

pub(crate) fn event(payload: &Value) -> String {
    row("event_msg", payload)
}

pub(crate) fn item(payload: &Value) -> String {
    row("response_item", payload)
}

/// What a person typed, as an item.
pub(crate) fn user(text: &str) -> String {
    let content = json!([{"type": "input_text", "text": text}]);
    item(&json!({"type": "message", "role": "user", "content": content}))
}

/// What the model said, as an item.
pub(crate) fn assistant(text: &str) -> String {
    let content = json!([{"type": "output_text", "text": text}]);
    item(&json!({"type": "message", "role": "assistant", "content": content}))
}

/// The event about what a person typed.
pub(crate) fn user_event(text: &str) -> String {
    event(&json!({"type": "user_message", "message": text}))
}

/// The event about what the model said.
pub(crate) fn assistant_event(text: &str) -> String {
    event(&json!({"type": "agent_message", "message": text}))
}

pub(crate) fn back(turns: u64) -> String {
    event(&json!({"type": "thread_rolled_back", "num_turns": turns}))
}

pub(crate) fn call(id: &str) -> String {
    item(&json!({"type": "function_call", "name": "x", "arguments": "{}", "call_id": id}))
}

pub(crate) fn output(id: &str, text: &str) -> String {
    item(&json!({"type": "function_call_output", "call_id": id, "output": text}))
}

/// A home of Codex's.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.day()).unwrap();
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The only folder of rollouts.
    pub(crate) fn day(&self) -> PathBuf {
        self.path().join("sessions/2026/03/04")
    }

    /// Writes the n-th thread.
    pub(crate) fn thread(&self, n: u32, rows: impl AsRef<[u8]>) -> PathBuf {
        let path = self.day().join(name(n));
        fs::write(&path, rows).unwrap();
        path
    }
}
