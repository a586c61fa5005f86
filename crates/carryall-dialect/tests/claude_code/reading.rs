//! What the second pass reads again, and what it leaves in the file. A row that is not to be read
//! is spoilt once the session is open: reading it is then an error.

use crate::open;
use carryall_model::{Entry, EntrySink, SinkError, ToolCall};
use std::fs;
use std::path::{Path, PathBuf};

const ID: &str = "5e551010-0000-4000-8000-000000000096";

/// Hears a conversation, and its tools only when it wants them.
#[derive(Default)]
struct Heard {
    tools: bool,
    lines: Vec<String>,
}

impl EntrySink for Heard {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        let text = entry.text.unwrap_or("-");
        self.lines.push(format!("{} {text} {}", entry.kind.as_str(), entry.calls));
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        let result = call.result.map_or("-", |result| result.text);
        self.lines.push(format!("call {:?} {result}", call.id));
        Ok(())
    }

    fn wants_tools(&self) -> bool {
        self.tools
    }
}

/// A prompt, an answer with a call, a call alone, two results and one that nobody asked for.
fn session(folder: &Path) -> (PathBuf, Vec<String>) {
    let row = |uuid: &str, parent: &str, kind: &str, message: &str| {
        format!(
            r#"{{"parentUuid":{parent},"sessionId":"{ID}","type":"{kind}","message":{{"role":"{kind}",{message}}},"uuid":"{uuid}","timestamp":"2026-09-06T12:00:00Z"}}"#
        )
    };
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
    let result = |id: &str| {
        format!(r#""content":[{{"type":"tool_result","tool_use_id":"{id}","content":"out {id}"}}]"#)
    };
    let says = |id: &str, more: &str| format!(r#""id":"m-{id}","content":[{more}]"#);
    let text = r#"{"type":"text","text":"Looking."}"#;
    let rows = vec![
        row("a", "null", "user", r#""content":"Look around.""#),
        row("b", "\"a\"", "assistant", &says("1", &format!("{text},{}", call("t1")))),
        row("c", "\"b\"", "user", &result("t1")),
        row("d", "\"c\"", "assistant", &says("2", &call("t2"))),
        row("e", "\"d\"", "user", &result("t2")),
        row("f", "\"e\"", "user", &result("lost")),
    ];
    let path = folder.join(format!("{ID}.jsonl"));
    fs::write(&path, rows.join("\n")).unwrap();
    (path, rows)
}

fn spoil(path: &Path, part: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(part));
    fs::write(path, text.replace(part, &"#".repeat(part.len()))).unwrap();
}

#[test]
fn a_sink_that_only_counts_tools_hears_them_unread() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rows) = session(folder.path());
    let session = open(&path);
    let mut all = Heard { tools: true, ..Heard::default() };
    session.replay(0..u32::MAX, &mut all).unwrap();
    let expected = [
        "user Look around. 0",
        "assistant Looking. 1",
        "call \"t1\" out t1",
        "assistant - 1",
        "call \"t2\" out t2",
        "tool_result out lost 0",
    ];
    assert_eq!(all.lines, expected);

    rows[2..].iter().for_each(|row| spoil(&path, row));
    assert!(session.replay(0..u32::MAX, &mut all).is_err());
    let mut talk = Heard::default();
    session.replay(0..u32::MAX, &mut talk).unwrap();
    let expected = [
        "user Look around. 0",
        "assistant Looking. 1",
        "call \"\" -",
        "assistant - 1",
        "call \"\" -",
        "tool_result - 0",
    ];
    assert_eq!(talk.lines, expected);
}

#[test]
fn the_second_copy_of_a_result_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rows) = session(folder.path());
    let long = "again ".repeat(1000);
    let doubled: Vec<_> = rows
        .iter()
        .map(|row| match row.contains("out t1") || row.contains("out t2") {
            true => {
                row.replace("\"uuid\"", &format!(r#""toolUseResult":{{"stdout":"{long}"}},"uuid""#))
            }
            false => row.clone(),
        })
        .collect();
    fs::write(&path, doubled.join("\n")).unwrap();
    let session = open(&path);
    spoil(&path, &format!("{{\"stdout\":\"{long}\"}}"));
    let mut all = Heard { tools: true, ..Heard::default() };
    session.replay(0..u32::MAX, &mut all).unwrap();
    assert_eq!(all.lines[2], "call \"t1\" out t1");
    assert_eq!(all.lines[4], "call \"t2\" out t2");
}

/// A lone surrogate is repaired in the whole row, and what was replaced is counted in all of it.
#[test]
fn a_row_in_need_of_repair_is_read_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (path, rows) = session(folder.path());
    let twin = format!(r#""toolUseResult":{{"stdout":"{}\ud83d"}},"uuid""#, "x".repeat(2000));
    let rows = rows.join("\n").replace("\"uuid\"", &twin).replace("out t1", "out\\ud83d t1");
    fs::write(&path, rows).unwrap();
    let mut all = Heard { tools: true, ..Heard::default() };
    let found = open(&path).replay(0..u32::MAX, &mut all).unwrap();
    assert_eq!(all.lines[2], "call \"t1\" out\u{fffd} t1");
    assert_eq!(found.replaced_characters, 2);
}
