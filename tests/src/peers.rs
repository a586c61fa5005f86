//! Real agents as peers: sessions that they write themselves, offline, against a model stub whose
//! log says what happened. The kit that runs them is `tests/peers`.

use crate::corpus::required;
use crate::repository;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder in which the peers are installed, if they all are. `CARRYALL_PEERS_DIR` names it,
/// else it is `target/peers`.
///
/// # Panics
/// When one is absent and `CARRYALL_REQUIRE` holds `peers`.
#[must_use]
pub fn folder(peers: &[&str]) -> Option<PathBuf> {
    let folder =
        std::env::var_os("CARRYALL_PEERS_DIR").map_or_else(|| "target/peers".into(), PathBuf::from);
    let folder = repository().join(folder);
    // Asking for its command is how the kit tells whether a peer is whole.
    let is_there = |peer: &&str| {
        let asked = kit(&["command", peer, "--into"]).arg(&folder).output();
        asked.is_ok_and(|said| said.status.success())
    };
    let Some(absent) = peers.iter().find(|peer| !is_there(peer)) else { return Some(folder) };
    assert!(!required("peers"), "peer {absent} is required and not in {}", folder.display());
    let said = format!(
        "absent: the real agents ({absent} in {}); tests with them did nothing\n",
        folder.display()
    );
    std::io::stderr().write_all(said.as_bytes()).unwrap();
    None
}

fn kit(words: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.arg(repository().join("tests/peers/peers")).args(words);
    command
}

/// A session that an agent wrote, and what happened in it.
#[derive(Debug)]
pub struct Recording {
    scratch: tempfile::TempDir,
    /// The turns, as the agent was told them.
    pub turns: Vec<Turn>,
    requests: Vec<Value>,
}

/// A turn of a tale.
#[derive(Clone, Debug)]
pub struct Turn {
    /// What was done: `new`, `go`, `again`, `fork`, `compact`.
    pub verb: String,
    /// What was typed; nothing for a compaction.
    pub prompt: String,
    /// The session in which it took place.
    pub session: String,
}

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A person typed it.
    Prompt(String),
    /// A model thought it.
    Reasoning(String),
    /// A model said it.
    Said(String),
    /// A tool was called: its id, name and arguments.
    Called(String, String, Value),
    /// It answered.
    Answered(String),
    /// The agent summed up what was said before.
    SummedUp,
    /// A command of the host was run.
    Ran(String),
}

/// Lets an agent write a session.
///
/// # Panics
/// When it does not.
#[must_use]
pub fn record(installed: &Path, peer: &str, tale: &str) -> Recording {
    let scratch = tempfile::tempdir().unwrap();
    let said = kit(&["record", peer, "--tale", tale, "--into"])
        .arg(installed)
        .arg("--home")
        .arg(scratch.path().join("home"))
        .arg("--out")
        .arg(scratch.path().join("out"))
        .output()
        .expect("python3 can be run");
    assert!(said.status.success(), "{peer}, {tale}: {}", String::from_utf8_lossy(&said.stderr));
    let out = scratch.path().join("out");
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(out.join("manifest.json")).unwrap()).unwrap();
    let text = |turn: &Value, key: &str| turn[key].as_str().unwrap().to_owned();
    let turns = manifest["turns"].as_array().unwrap().iter().map(|turn| Turn {
        verb: text(turn, "verb"),
        prompt: text(turn, "prompt"),
        session: text(turn, "session"),
    });
    let turns = turns.collect();
    let log = std::fs::read_to_string(out.join("model.jsonl")).unwrap();
    let requests = log.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    Recording { scratch, turns, requests }
}

impl Recording {
    /// Where the agent's stored files are, as if it were its home.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.scratch.path().join("out/store")
    }

    /// The ids of the sessions, in the order in which they began.
    #[must_use]
    pub fn sessions(&self) -> Vec<&str> {
        let mut ids: Vec<&str> = self.turns.iter().map(|turn| turn.session.as_str()).collect();
        ids.dedup();
        ids
    }

    /// The turns of a session, with those of the session it was forked from.
    fn turns_of(&self, session: &str) -> impl Iterator<Item = &Turn> {
        let last = self.turns.iter().rposition(|turn| turn.session == session);
        self.turns.iter().take(last.map_or(0, |last| last + 1))
    }

    /// What happened in a session, from the model's side. `compacted` is what a compaction leaves.
    #[must_use]
    pub fn happened(&self, session: &str, compacted: &[Event]) -> Vec<Event> {
        let mut events = Vec::new();
        for turn in self.turns_of(session) {
            if turn.verb == "compact" {
                events.extend_from_slice(compacted);
            } else {
                events.push(Event::Prompt(turn.prompt.clone()));
                self.replies(&turn.prompt, &mut events);
            }
        }
        events
    }

    /// What a model said and did after a prompt. An agent also asks on the side, for a title or
    /// what to suggest; then it offers no tools, or the prompt is another.
    pub fn replies(&self, prompt: &str, events: &mut Vec<Event>) {
        let offers = |request: &&Value| {
            request["body"]["tools"].as_array().is_some_and(|tools| !tools.is_empty())
        };
        let asks = |request: &&Value| {
            let asked = request["prompt"].as_str();
            asked.is_some_and(|asked| asked.lines().next_back() == Some(prompt))
        };
        for request in self.requests.iter().filter(offers).filter(asks) {
            let reply = &request["reply"];
            let text = |key: &str| reply[key].as_str().filter(|text| !text.is_empty());
            events.extend(text("thought").map(|text| Event::Reasoning(text.to_owned())));
            events.extend(text("text").map(|text| Event::Said(text.to_owned())));
            for call in reply["calls"].as_array().into_iter().flatten() {
                let text = |key: &str| call[key].as_str().unwrap().to_owned();
                let name = [text("namespace"), text("name")].join(".");
                let name = name.trim_start_matches('.').to_owned();
                events.push(Event::Called(text("id"), name, call["arguments"].clone()));
                events.extend(self.answer(&text("id")).map(Event::Answered));
            }
        }
    }

    /// What the agent told the model that a call answered.
    fn answer(&self, id: &str) -> Option<String> {
        let bodies = self.requests.iter().map(|request| &request["body"]);
        let items = bodies.flat_map(|body| {
            let messages = body["messages"].as_array().into_iter().flatten();
            let blocks = messages.flat_map(|m| m["content"].as_array().into_iter().flatten());
            blocks.chain(body["input"].as_array().into_iter().flatten())
        });
        let answers = |item: &&Value| {
            let kind = item["type"].as_str().unwrap_or("");
            item["tool_use_id"] == id || (item["call_id"] == id && kind.ends_with("_output"))
        };
        items.into_iter().find(answers).map(|item| {
            let content = item.get("content").or_else(|| item.get("output"));
            text_of(content.unwrap_or(&Value::Null))
        })
    }
}

/// A text, or the texts of a list, a blank line between them.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n\n")
        }
        _ => String::new(),
    }
}

/// What an exported document says happened; what nobody typed is left out.
#[must_use]
pub fn told(document: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    for entry in document["entries"].as_array().into_iter().flatten() {
        if entry["is_meta"] == true {
            continue;
        }
        let text = |key: &str| entry[key].as_str().map(str::to_owned);
        match entry["type"].as_str() {
            Some("user") => events.extend(text("text").map(Event::Prompt)),
            Some("compaction_summary") => events.push(Event::SummedUp),
            Some("command") => events.extend(text("text").map(Event::Ran)),
            Some("assistant") => {
                events.extend(text("reasoning").map(Event::Reasoning));
                events.extend(text("text").map(Event::Said));
                for call in entry["tool_calls"].as_array().into_iter().flatten() {
                    let text = |key: &str| call[key].as_str().unwrap_or("").to_owned();
                    events.push(Event::Called(text("id"), text("name"), call["input"].clone()));
                    events.extend(call["result"].as_str().map(|s| Event::Answered(s.to_owned())));
                }
            }
            other => events.push(Event::Said(format!("an entry of type {other:?}"))),
        }
    }
    events
}
