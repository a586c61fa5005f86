//! Bundles written for each test, read, and looked at entry by entry.
#![allow(clippy::disallowed_methods, reason = "a test makes and breaks files of its own")]

mod agents;
mod attachments;
mod damage;
mod ledger;
mod properties;
mod records;
mod rows;
mod store;

use super::Coddy;
use crate::{Dialect, Locator, OpenContext};
use cap_std::AmbientAuthority;
use carryall_model::{
    Entry, EntrySink, Facts, FileRef, Found, Input, NoticeKind, OpenError, SinkError, ToolCall,
    Transcript,
};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A session's folder in a place of its own.
struct Folder {
    _place: TempDir,
    path: PathBuf,
}

impl Folder {
    /// A session with these rows.
    fn new(rows: Value) -> Self {
        Self::of(json!({}), rows)
    }

    /// A session with these facts beside the usual ones, and these rows.
    fn of(facts: Value, rows: Value) -> Self {
        Self::raw(facts, json!({"version": 1, "messages": rows}).to_string())
    }

    /// A session with a `messages.json` of these bytes.
    fn raw(facts: Value, messages: impl AsRef<[u8]>) -> Self {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("sess_one");
        let folder = Self { _place: place, path };
        let mut all = json!({"version": 1, "id": "sess_one", "cwd": "/ws", "mode": "agent"});
        all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        folder.put("session.json", all.to_string());
        folder.put("messages.json", messages);
        folder
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Adds a subagent.
    fn child(&self, id: &str, facts: Value, rows: Value) {
        let mut all = json!({"version": 1, "id": id, "cwd": "/ws", "mode": "agent"});
        all.as_object_mut().unwrap().extend(facts.as_object().unwrap().clone());
        self.put(&format!("subagents/{id}/session.json"), all.to_string());
        let rows = json!({"version": 1, "messages": rows});
        self.put(&format!("subagents/{id}/messages.json"), rows.to_string());
    }

    fn read(&self) -> Seen {
        Seen::of(&*open(&self.path).unwrap())
    }
}

fn authority() -> AmbientAuthority {
    cap_std::ambient_authority()
}

fn open(path: &Path) -> Result<Box<dyn Transcript>, OpenError> {
    let branch_of = |folder: &Path| Some(format!("branch of {}", folder.display()));
    Coddy.open(
        &Locator::new(path),
        &OpenContext { authority: authority(), branch_of: &branch_of, spool: tempfile::tempfile },
    )
}

/// Everything that a session gives.
struct Seen {
    facts: Facts,
    entries: Vec<Value>,
    found: Found,
}

impl Seen {
    fn of(session: &dyn Transcript) -> Self {
        let mut sink = Sink::default();
        let found = session.replay(0..u32::MAX, &mut sink).unwrap();
        Self { facts: session.facts().clone(), entries: sink.0, found }
    }

    fn types(&self) -> Vec<&str> {
        self.entries.iter().map(|entry| entry["type"].as_str().unwrap()).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.entries.iter().filter_map(|entry| entry["text"].as_str()).collect()
    }

    fn notices(&self) -> Vec<NoticeKind> {
        self.found.notices.kept().iter().map(|notice| notice.kind).collect()
    }
}

/// Keeps entries as values in which what is absent has no key.
#[derive(Default)]
struct Sink(Vec<Value>);

impl EntrySink for Sink {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        let mut out = Map::from_iter([("type".to_owned(), json!(entry.kind.as_str()))]);
        put(&mut out, "role", entry.role);
        put(&mut out, "created_at", entry.created_at);
        put(&mut out, "model", entry.model);
        put(&mut out, "text", entry.text);
        put(&mut out, "reasoning", entry.reasoning);
        put(&mut out, "tool_call_id", entry.tool_call_id);
        files(&mut out, "attachments", entry.attachments);
        if let Some(plan) = entry.plan {
            out.insert("plan".into(), json!([plan.slug, plan.name, plan.overview, plan.path]));
        }
        if entry.is_meta {
            out.insert("is_meta".into(), json!(true));
        }
        if entry.calls > 0 {
            out.insert("calls".into(), json!([]));
        }
        self.0.push(Value::Object(out));
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        let mut out = Map::from_iter([("id".to_owned(), json!(call.id))]);
        put(&mut out, "name", Some(call.name));
        match call.input {
            None => {}
            Some(Input::Json(value)) => put(&mut out, "json", Some(value.get())),
            Some(Input::Text(text)) => put(&mut out, "input", Some(text)),
        }
        if let Some(result) = call.result {
            put(&mut out, "result", Some(result.text));
            put(&mut out, "completed_at", result.completed_at);
            files(&mut out, "pictures", result.pictures);
            if result.is_error {
                out.insert("is_error".into(), json!(true));
            }
        }
        if let Some(duration) = call.duration {
            out.insert("seconds".into(), json!(duration.as_secs()));
        }
        put(&mut out, "subagent", call.subagent);
        let calls = self.0.last_mut().unwrap()["calls"].as_array_mut().unwrap();
        calls.push(Value::Object(out));
        Ok(())
    }
}

fn put(out: &mut Map<String, Value>, key: &str, value: Option<&str>) {
    if let Some(value) = value {
        out.insert(key.to_owned(), json!(value));
    }
}

fn files(out: &mut Map<String, Value>, key: &str, files: &[FileRef<'_>]) {
    if !files.is_empty() {
        let files: Vec<_> =
            files.iter().map(|f| json!([f.path, f.name, f.media_type, f.bytes])).collect();
        out.insert(key.to_owned(), files.into());
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn answer(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

/// An answer that calls tools: each an id, a name and the arguments as coddy writes them.
fn calls(calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .map(|(id, name, input)| json!({"id": id, "name": name, "input": input}))
        .collect();
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}

fn result(id: &str, text: &str) -> Value {
    json!({"role": "tool", "content": text, "tool_call_id": id})
}

/// A document as coddy writes it: two spaces a level, and the role first in each row.
fn written(rows: &[Value]) -> String {
    let row = |row: &Value| {
        format!(
            "    {{\n      \"role\": {},\n      \"content\": {}\n    }}",
            row["role"], row["content"]
        )
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    format!("{{\n  \"version\": 1,\n  \"messages\": [\n{}\n  ]\n}}\n", rows.join(",\n"))
}
