//! The corpus of real sessions: every file opens, and tells what the slow reading tells.

use crate::oracle::{self, Beat, Call, add};
use crate::{open, repository};
use carryall_model::{
    Entry, EntryKind, EntrySink, Found, Input, NoticeKind, SinkError, ToolCall, Transcript,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The corpus, when it is there; when it must be and is not, the test fails.
pub(crate) fn corpus() -> Option<PathBuf> {
    let named = env::var_os("CARRYALL_CORPUS").map(PathBuf::from);
    let root = repository().join(named.unwrap_or_else(|| "../shared/corpus".into()));
    let root = root.join("claude-code");
    if root.is_dir() {
        return Some(root);
    }
    let required = env::var("CARRYALL_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|word| word == "corpus"), "no corpus at {}", root.display());
    // Not println!, which the test runner keeps to itself when a test passes.
    let said = format!("absent: the corpus, {}\n", root.display());
    std::io::Write::write_all(&mut std::io::stderr(), said.as_bytes()).unwrap();
    None
}

pub(crate) fn sessions(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sessions(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "jsonl")
            && !path.ends_with("journal.jsonl")
        {
            files.push(path);
        }
    }
}

#[derive(Default)]
struct Heard {
    beats: Vec<Beat>,
    entries: usize,
    calls: usize,
}

impl EntrySink for Heard {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.entries += 1;
        if entry.kind == EntryKind::User && !entry.is_meta {
            self.beats.extend(entry.text.map(|text| Beat::Prompt(text.to_owned())));
        }
        if entry.kind != EntryKind::Assistant {
            return Ok(());
        }
        let own = entry.id.unwrap_or_default();
        if !matches!(self.beats.last(), Some(Beat::Response { id, .. }) if id == own) {
            self.beats.push(Beat::Response {
                id: own.to_owned(),
                reasoning: String::new(),
                text: String::new(),
                calls: Vec::new(),
            });
        }
        if let Some(Beat::Response { reasoning, text, .. }) = self.beats.last_mut() {
            add(reasoning, entry.reasoning.unwrap_or_default());
            add(text, entry.text.unwrap_or_default());
        }
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        self.calls += 1;
        let Some(Beat::Response { calls, .. }) = self.beats.last_mut() else {
            panic!("a call without a response")
        };
        let input = match call.input {
            Some(Input::Json(raw)) => raw.get(),
            Some(Input::Text(_)) | None => "null",
        };
        calls.push(Call {
            id: call.id.to_owned(),
            name: call.name.to_owned(),
            input: serde_json::from_str::<Value>(input).expect("JSON").to_string(),
            result: call.result.map(|result| result.text.to_owned()),
            is_error: call.result.is_some_and(|result| result.is_error),
        });
        Ok(())
    }
}

fn hear(session: &dyn Transcript) -> (Heard, Found) {
    let mut heard = Heard::default();
    let found = session.replay(0..u32::MAX, &mut heard).expect("the session replays");
    (heard, found)
}

#[test]
fn every_session_tells_what_a_slow_reading_tells() {
    let Some(root) = corpus() else { return };
    let mut files = Vec::new();
    sessions(&root, &mut files);
    assert!(files.len() > 30, "only {} sessions", files.len());
    for path in files {
        let (heard, found) = hear(&*open(&path));
        println!("{:5} {:5} {}", heard.entries, heard.calls, path.display());
        let unknown = |n: &&carryall_model::Notice| n.kind == NoticeKind::UnknownKind;
        assert_eq!(found.notices.kept().iter().find(unknown), None, "{}", path.display());
        if path.ends_with("fixture-record-potpourri.jsonl") {
            // All its ids are one placeholder: order among such rows means nothing.
            continue;
        }
        let mut expected = oracle::beats(&fs::read_to_string(&path).expect("UTF-8"));
        // A response in which there is nothing to see is not shown.
        expected.retain(|beat| {
            !matches!(beat, Beat::Response { reasoning, text, calls, .. }
            if reasoning.is_empty() && text.is_empty() && calls.is_empty())
        });
        for (at, (heard, expected)) in heard.beats.iter().zip(&expected).enumerate() {
            assert_eq!(heard, expected, "beat {at} of {}", path.display());
        }
        assert_eq!(heard.beats.len(), expected.len(), "{}", path.display());
    }
}

#[test]
fn no_call_loses_its_result_to_a_parallel_one() {
    let Some(root) = corpus() else { return };
    let file = "v2.1.17-subagents-dir/-src-experiments-claude_p/\
                29ccd257-68b1-427f-ae5f-6524b7cb6f20/subagents/agent-a2271d1.jsonl";
    let (heard, _) = hear(&*open(&root.join(file)));
    let calls = heard.beats.iter().flat_map(|beat| match beat {
        Beat::Response { calls, .. } => calls.as_slice(),
        Beat::Prompt(_) => &[],
    });
    let answered = calls.filter(|call| call.result.is_some()).count();
    assert_eq!((heard.calls, answered), (24, 24));
}

#[test]
fn side_chains_and_their_parent_hold_all_calls_of_the_file() {
    let Some(root) = corpus() else { return };
    let path = root.join("v1.0.108-inline-sidechains.jsonl");
    let text = fs::read_to_string(&path).expect("UTF-8");
    let blocks = text.matches("\"type\":\"tool_use\"").count();
    let session = open(&path);
    let mut calls = hear(&*session).0.calls;
    assert_eq!(session.children().len(), 2);
    for (number, child) in session.children().iter().enumerate() {
        assert!(child.tool_call_id.is_some(), "{child:?}");
        calls += hear(&*session.open_child(number).expect("the child opens")).0.calls;
    }
    assert_eq!(calls, blocks);
}

#[test]
fn subagents_of_both_layouts_are_found() {
    let Some(root) = corpus() else { return };
    let main = "v2.1.114-subagents-dir/-experiments-worktrees/\
                ef958aa1-0e93-49f0-bb71-150f63befcd1.jsonl";
    let session = open(&root.join(main));
    assert_eq!(session.children().len(), 6);
    assert!(session.children().iter().all(|child| child.tool_call_id.is_some()));
    let main = "v2.0.42-old-agent-siblings/-Users-dev-workspace-JSSoundRecorder/\
                7acd37a8-2745-4b58-a8a9-46164b22ad9e.jsonl";
    let session = open(&root.join(main));
    assert_eq!(session.children().len(), 4, "the warm-up agents that name this session");
    for number in 0..4 {
        let child = session.open_child(number).expect("the child opens");
        assert_eq!(child.facts().parent_id.as_deref(), Some(session.facts().id.as_str()));
    }
}
