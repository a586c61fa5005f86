//! Sessions that the real agents write are read back whole: every prompt, answer, thought, call
//! and result that the model's side of the conversation says happened stands once and in order.
//!
//! The agents are installed by `tests/peers/peers install` (`.ci/run` does it); without them these
//! tests say so and pass.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops where something is not as expected"
)]

use carryall_tests::peers::{Event, Recording, folder, record, told};
use carryall_tests::{Sandbox, copy_folder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An agent, as these tests meet it.
struct Agent {
    /// Its peer in the kit.
    peer: &'static str,
    /// Its dialect.
    dialect: &'static str,
    /// What its own compaction leaves in the conversation.
    compacted: fn() -> Vec<Event>,
}

const CLAUDE: Agent =
    Agent { peer: "claude", dialect: "claude-code", compacted: summary_and_command };
const CLAUDE_PRINT: Agent = Agent { peer: "claude-print", ..CLAUDE };

const CODEX: Agent = Agent { peer: "codex", dialect: "codex", compacted: || vec![Event::SummedUp] };
const CODEX_EXEC: Agent = Agent { peer: "codex-exec", ..CODEX };

/// Claude Code notes the command after the summary.
fn summary_and_command() -> Vec<Event> {
    vec![Event::SummedUp, Event::Ran("/compact".into())]
}

/// The prompt that the stub gives to a subagent (`SUBAGENT_PROMPT` in `model_stub.py`).
const SUBAGENT_PROMPT: &str = "THINK, then use SHTOOL from below.";

/// Every file of a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    found
}

fn export(sandbox: &Sandbox, dialect: &str, session: &str) -> Value {
    let session = format!("{dialect}:{session}");
    let words = ["sessions", "export", &session, "--format", "json", "--out", "-", "--subagents"];
    let said = sandbox.run(words);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{session}");
    serde_json::from_str(&said.out).unwrap()
}

/// Lets the agent live through a tale, and reads every session of it from its store.
fn check(agent: &Agent, tale: &str) {
    let Some(installed) = folder(&[agent.peer]) else { return };
    let recording = record(&installed, agent.peer, tale);
    let sandbox = Sandbox::new();
    copy_folder(&recording.store(), &sandbox.home());
    let before = contents(&sandbox.home());
    for session in recording.sessions() {
        let document = export(&sandbox, agent.dialect, session);
        assert_eq!(document["end"], Value::Null, "nothing is unknown or missing");
        assert_eq!(document["session"]["id"], session);
        let happened = recording.happened(session, &(agent.compacted)());
        compare(&told(&document), &happened);
        check_turns(&document, &happened);
        check_subagents(&document, &recording, tale);
    }
    assert_eq!(contents(&sandbox.home()), before, "a source's bytes are never changed");
}

/// Compares event by event, so that a failure shows the first that differs.
fn compare(told: &[Event], happened: &[Event]) {
    for (told, happened) in told.iter().zip(happened) {
        assert_eq!(told, happened);
    }
    assert_eq!(told.len(), happened.len(), "{told:#?}\n{happened:#?}");
}

/// The counts in the document's head are those of what happened.
fn check_turns(document: &Value, happened: &[Event]) {
    let prompts = happened.iter().filter(|event| matches!(event, Event::Prompt(_))).count();
    assert_eq!(document["session"]["user_turns"], prompts);
}

/// A subagent's conversation follows, and the call names it.
fn check_subagents(document: &Value, recording: &Recording, tale: &str) {
    let children = document["subagents"].as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(children.len(), usize::from(tale == "agent"));
    for child in children {
        let mut happened = vec![Event::Prompt(SUBAGENT_PROMPT.to_owned())];
        recording.replies(SUBAGENT_PROMPT, &mut happened);
        compare(&told(child), &happened);
        assert_eq!(child["end"], Value::Null);
        let calls = document["entries"].as_array().unwrap().iter();
        let mut calls =
            calls.flat_map(|entry| entry["tool_calls"].as_array().into_iter().flatten());
        assert!(calls.any(|call| call["subagent"] == child["session"]["id"]));
    }
}

macro_rules! tales {
    ($($agent:ident { $($name:ident: $tale:literal)* })*) => {
        $($(#[test] fn $name() { check(&$agent, $tale); })*)*
    };
}

tales! {
    CLAUDE {
        claude_code_is_read_whole: "plain"
        claude_code_resumed: "resumed"
        claude_code_forked: "forked"
        claude_code_tools: "tools"
        claude_code_with_a_subagent: "agent"
        claude_code_compacted: "compacted"
    }
    CLAUDE_PRINT {
        claude_print_resumed: "resumed"
        claude_print_forked: "forked"
        claude_print_with_a_subagent: "agent"
        claude_print_compacted: "compacted"
    }
    CODEX {
        codex_is_read_whole: "plain"
        codex_resumed: "resumed"
        codex_forked: "forked"
        codex_tools: "tools"
        codex_with_a_subagent: "agent"
        codex_compacted: "compacted"
    }
    CODEX_EXEC {
        codex_exec_is_read_whole: "plain"
        codex_exec_resumed: "resumed"
        codex_exec_forked: "forked"
        codex_exec_tools: "tools"
        codex_exec_with_a_subagent: "agent"
    }
}
