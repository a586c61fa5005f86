//! Sessions made for these tests, written as Claude Code would, and the pages they become.

use carryall_tests::{Sandbox, repository};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Rows of a session, one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Session {
    rows: String,
    count: u32,
    last: Option<String>,
}

const ID: &str = "5e551010-0000-4000-8000-0000000000b0";

impl Session {
    fn row(&mut self, kind: &str, message: &Value) {
        let uuid = format!("b0b0b0b0-0000-4000-8000-{:012x}", self.count);
        let (minute, second) = (self.count / 60 % 60, self.count % 60);
        let hour = self.count / 3600 % 24;
        let row = json!({
            "type": kind, "uuid": uuid, "parentUuid": self.last, "sessionId": ID,
            "timestamp": format!("2026-10-01T{hour:02}:{minute:02}:{second:02}.000Z"),
            "isSidechain": false, "cwd": "/home/ada/lantern", "version": "2.1.60",
            "userType": "external", "message": message,
        });
        self.rows.push_str(&row.to_string());
        self.rows.push('\n');
        self.count += 1;
        self.last = Some(uuid);
    }

    pub(crate) fn title(&mut self, title: &str) {
        let row = json!({"type": "custom-title", "customTitle": title, "sessionId": ID});
        self.rows.push_str(&row.to_string());
        self.rows.push('\n');
    }

    pub(crate) fn prompt(&mut self, text: &str) {
        self.row("user", &json!({"role": "user", "content": text}));
    }

    /// An answer of a model: its blocks.
    pub(crate) fn answer(&mut self, model: &str, blocks: &[Value]) {
        let id = format!("msg_{}", self.count);
        let usage = json!({"input_tokens": 10, "output_tokens": 5});
        self.row(
            "assistant",
            &json!({"role": "assistant", "id": id, "model": model, "content": blocks, "usage": usage}),
        );
    }

    /// An answer that calls one tool, and its result.
    pub(crate) fn call(&mut self, name: &str, input: &Value, result: &str, is_error: bool) {
        let id = format!("toolu_{}", self.count);
        self.answer(
            "claude-opus-4-1",
            &[json!({"type": "tool_use", "id": id, "name": name, "input": input})],
        );
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": result, "is_error": is_error});
        self.row("user", &json!({"role": "user", "content": [result]}));
    }

    /// Exports it; the page and how many entries it has.
    pub(crate) fn page(&self, folder: &Path) -> (PathBuf, usize) {
        let session = folder.join(format!("{ID}.jsonl"));
        std::fs::write(&session, &self.rows).unwrap();
        let page = folder.join("page.html");
        let (from, to) = (session.to_str().unwrap(), page.to_str().unwrap());
        let said = Sandbox::new().run(["sessions", "export", from, "--out", to]);
        assert_eq!(said.code, 0, "{}", said.err);
        let entries = said.out.rsplit_once('(').unwrap().1;
        (page, entries.split(' ').next().unwrap().parse().unwrap())
    }
}

/// The hostile texts of the render vectors.
pub(crate) fn hostile_texts() -> Vec<String> {
    let path = repository().join("crates/carryall-render/tests/render-vectors.json");
    let vectors: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let vectors = vectors["vectors"].as_array().unwrap();
    vectors.iter().map(|vector| vector["text"].as_str().unwrap().to_owned()).collect()
}

/// Every hostile text in every place of a conversation.
pub(crate) fn hostile() -> Session {
    let mut session = Session::default();
    for text in hostile_texts() {
        let thought = json!({"type": "thinking", "thinking": text, "signature": ""});
        session.prompt(&text);
        session.answer(&text, &[thought, json!({"type": "text", "text": text})]);
        session.call(&text, &json!({ &text: &text }), &text, false);
        session.call("Read", &json!({"file_path": text}), &text, true);
        session.call("Bash", &json!({"command": text, "description": text}), &text, false);
        session.call("Write", &json!({"file_path": "a.txt", "content": text}), "", false);
        let edit = json!({"file_path": text, "old_string": "a\nb\n", "new_string": text});
        session.call("Edit", &edit, "", false);
        session.call("Task", &json!({"description": text, "prompt": text}), &text, false);
    }
    session
}

/// A long day's work, of about so many bytes.
pub(crate) fn working_day(bytes: usize) -> Session {
    let mut session = Session::default();
    session.title("A long day's work");
    let mut turn = 0;
    while session.rows.len() < bytes {
        turn += 1;
        work(&mut session, turn);
    }
    session
}

fn work(session: &mut Session, turn: u32) {
    let sentence = "The lamp is lit at dusk, and the tide turns an hour later. ";
    let lines = |count: u32| -> String {
        (0..count).map(|n| format!("{n:>5}\tlet lamp_{n} = tide({turn});\n")).collect()
    };
    session.prompt(&format!("{turn}. {}", sentence.repeat(1 + turn as usize % 7)));
    let thought = json!({"type": "thinking", "thinking": sentence.repeat(6), "signature": ""});
    let fence =
        format!("{sentence}\n\n```rust\n{}```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n", lines(9));
    session.answer("claude-opus-4-1", &[thought, json!({"type": "text", "text": fence})]);
    session.call("Read", &json!({"file_path": "src/lamp.rs"}), &lines(60), false);
    let output = format!("\u{1b}[1;32mok\u{1b}[0m \u{1b}[31mred\u{1b}[0m\n{}", lines(25));
    session.call("Bash", &json!({"command": "cargo test"}), &output, turn.is_multiple_of(5));
    let edit = json!({"file_path": "src/lamp.rs", "old_string": lines(5), "new_string": lines(7)});
    session.call("Edit", &edit, "The file has been updated.", false);
    let todos = json!([
        {"content": "Light the lamp", "status": "completed", "activeForm": "Lighting the lamp"},
        {"content": "Watch the tide", "status": "in_progress", "activeForm": "Watching the tide"},
    ]);
    session.call("TodoWrite", &json!({"todos": todos}), "Todos have been modified.", false);
    session.answer("claude-opus-4-1", &[json!({"type": "text", "text": sentence.repeat(3)})]);
}
