//! `sessions inspect` through the binary: its two forms, its sums, and that it prints no message.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test makes files of its own and stops where something is not as expected"
)]

use carryall_dialect::Registry;
use carryall_tests::{Sandbox, repository};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn fixture(case: &str) -> PathBuf {
    let folder = repository().join("tests/fixtures").join(case);
    let mut names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    names.find(|path| !path.ends_with("golden")).unwrap()
}

fn inspected(sandbox: &Sandbox, path: &Path) -> Value {
    let said = sandbox.run(["sessions", "inspect", "--json", path.to_str().unwrap()]);
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{}", path.display());
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn the_text_tells_kinds_reasons_damage_and_the_sum() {
    let sandbox = Sandbox::new();
    let path = fixture("claude-code/damaged");
    let said = sandbox.run(["sessions", "inspect", path.to_str().unwrap()]);
    let expected = "\
claude-code 5e551010-0000-4000-8000-000000000010

Records by kind
             all  shown  damaged
  assistant    2      2        -
  bad-row      3      -        3
  cut-short    1      -        1
  torn-row     1      -        1
  user         2      2        -
  total        9      4        5

In the export, with a remark
  1 user: characters of it that were no text were replaced (row 7)

Damaged
  row 1: bad-row: not a JSON object
  row 2: bad-row: not a JSON object
  row 6: torn-row: a record without its end stood before a whole one
  row 8: bad-row: EOF while parsing a value at byte 39
  row 10: cut-short: the last row has no end

Versions of the agent
  2.1.60: rows 3 to 9, 4 records

9 records = 4 shown + 0 facts + 0 other branch + 0 left out + 0 unknown + 5 damaged: the sum holds
";
    assert_eq!((said.code, said.out.as_str(), said.err.as_str()), (0, expected, ""));
}

#[test]
fn the_object_has_the_sums_first_and_a_line_for_each_record() {
    let sandbox = Sandbox::new();
    let path = fixture("claude-code/titles-custom");
    let said = sandbox.run(["sessions", "inspect", "--json", path.to_str().unwrap()]);
    let ours: Value = serde_json::from_str(&said.out).unwrap();
    let row = |row: u64, kind: &str, fate: &str, reason: Value| json!({"row": row, "kind": kind, "fate": fate, "reason": reason});
    let expected = json!({
        "agent": "claude-code",
        "session": path.file_stem().unwrap().to_str().unwrap(),
        "records": 5,
        "fates": {"shown": 2, "facts": 1, "other_branch": 0, "left_out": 2, "unknown": 0, "damaged": 0},
        "kinds": {
            "ai-title": {"left_out": 1}, "assistant": {"shown": 1},
            "custom-title": {"facts": 1, "left_out": 1}, "user": {"shown": 1}
        },
        "versions": [{"version": "2.1.60", "first_row": 2, "last_row": 4, "records": 2}],
        "rows": [
            row(1, "ai-title", "left_out", json!("not the title that is shown")),
            row(2, "user", "shown", Value::Null),
            row(3, "custom-title", "left_out", json!("not the title that is shown")),
            row(4, "assistant", "shown", Value::Null),
            row(5, "custom-title", "facts", Value::Null),
        ],
    });
    assert_eq!(ours, expected);
    assert_eq!(said.out.lines().count(), 5 + 2, "{}", said.out);
}

#[test]
fn every_fixture_adds_up_and_no_message_is_printed() {
    let sandbox = Sandbox::new();
    let mut cases = 0;
    for dialect in Registry::builtin().iter() {
        let folder = repository().join("tests/fixtures").join(dialect.name());
        for case in std::fs::read_dir(folder).unwrap() {
            let case = case.unwrap().path();
            dialect.list(&case, &mut |listed| check(&sandbox, &case, &listed.path)).unwrap();
            cases += 1;
        }
    }
    assert!(cases >= 20, "only {cases} fixtures were found");
}

fn check(sandbox: &Sandbox, case: &Path, path: &Path) {
    let ours = inspected(sandbox, path);
    let rows = ours["rows"].as_array().unwrap();
    let sum = |counts: &Value| -> u64 {
        counts.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum()
    };
    assert_eq!(ours["records"], rows.len(), "{}", path.display());
    assert_eq!(sum(&ours["fates"]), rows.len() as u64, "{}", path.display());
    let kinds: u64 = ours["kinds"].as_object().unwrap().values().map(sum).sum();
    assert_eq!(kinds, rows.len() as u64, "{}", path.display());
    for (fate, count) in ours["fates"].as_object().unwrap() {
        let told = rows.iter().filter(|row| row["fate"] == fate.as_str()).count();
        assert_eq!(*count, told, "{}: {fate}", path.display());
    }
    let text = sandbox.run(["sessions", "inspect", path.to_str().unwrap()]).out;
    let golden = std::fs::read_to_string(case.join("golden/export.json")).unwrap();
    let document: Document = serde_json::from_str(&golden).unwrap();
    let told = ours.to_string();
    // Shorter ones may be words of ours.
    for said in document.entries.iter().flat_map(Spoken::texts).filter(|said| said.len() > 15) {
        assert!(!text.contains(said) && !told.contains(said), "{}: {said:?}", path.display());
    }
}

/// What is said in an entry or a call; a call's input is passed over, it may hold any number.
#[derive(Deserialize)]
struct Spoken {
    text: Option<String>,
    reasoning: Option<String>,
    result: Option<String>,
    #[serde(default)]
    tool_calls: Vec<Spoken>,
}

impl Spoken {
    fn texts(&self) -> Vec<&str> {
        let own = [&self.text, &self.reasoning, &self.result].into_iter().flatten();
        let below = self.tool_calls.iter().flat_map(Self::texts);
        own.map(String::as_str).chain(below).collect()
    }
}

#[derive(Deserialize)]
struct Document {
    entries: Vec<Spoken>,
}

#[test]
fn what_cannot_be_opened_is_refused_as_an_export_refuses_it() {
    let sandbox = Sandbox::new();
    let said = sandbox.run(["sessions", "inspect", "no-such"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.starts_with("error: session not found: no-such\n"), "{said:?}");
    let path = sandbox.put("noise.jsonl", "noise\n");
    let said = sandbox.run(["sessions", "inspect", path.to_str().unwrap()]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("not a session of a known agent"), "{said:?}");
    let path = fixture("claude-code/damaged");
    let path = path.to_str().unwrap();
    let said = sandbox.run(["sessions", "inspect", path, "--session", "other"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("holds no session other"), "{said:?}");
}

#[test]
fn names_of_a_source_are_made_safe() {
    let sandbox = Sandbox::new();
    let id = "5973b6c2-41f0-4d8e-9a57-0c3be1d2f604";
    let kind = format!("\u{1b}]0;evil\u{7}<b>{}", "x".repeat(500));
    let row = json!({"type": kind, "sessionId": id, "version": "1\u{1b}[2J"});
    let known = json!({"type": "user", "uuid": "u", "parentUuid": null, "isSidechain": false,
        "sessionId": id, "userType": "external", "message": {"role": "user", "content": "hello"}});
    let path = sandbox.put(&format!("{id}.jsonl"), format!("{known}\n{row}\n"));
    let said = sandbox.run(["sessions", "inspect", path.to_str().unwrap()]);
    assert_eq!(said.code, 0);
    let is_plain = |c: char| c == '\n' || (' '..='~').contains(&c);
    assert!(said.out.chars().all(is_plain), "{}", said.out);
    assert!(!said.out.contains(&"x".repeat(61)), "{}", said.out);
    assert!(!said.out.contains('<'), "{}", said.out);
}
