//! What became of every record of a folder.

use super::*;
use crate::{Fate, Ledger, Record, Totals};
use std::collections::HashSet;

/// `row kind fate: reason` or `file kind fate: reason`, and the sums, which have to hold.
fn told(ledger: &dyn Ledger) -> (Vec<String>, Totals) {
    let (mut lines, mut totals) = (Vec::new(), Totals::default());
    let each = &mut |record: &Record<'_>| {
        totals.take(record);
        let place = record.file.map_or_else(|| record.row.to_string(), str::to_owned);
        let reason = record.reason.map_or(String::new(), |reason| format!(": {reason}"));
        lines.push(format!("{place} {} {}{reason}", record.kind, record.fate.as_str()));
        Ok(())
    };
    ledger.records(each).unwrap();
    assert!(totals.add_up());
    assert_eq!(totals.records, lines.len() as u64);
    (lines, totals)
}

fn ledger(path: &Path) -> Box<dyn Ledger> {
    let spool = tempfile::tempfile;
    let cx = OpenContext { authority: authority(), branch_of: &|_| None, spool };
    Coddy.ledger(&Locator::new(path), &cx).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn rows_and_files_are_told() {
    let rows = json!([
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "kept", "name": "run", "input": "{}"},
            {"id": "lost", "name": "run", "input": "{}"}]},
        {"role": "tool", "tool_call_id": "kept", "content": "done"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "wake", "background_wake": {}},
        {"role": "narrator", "content": "meanwhile"},
    ]);
    let folder = Folder::new(rows);
    for (call, done) in [("kept", "done"), ("lost", "found again"), ("other", "nobody asked")] {
        let meta =
            json!({"toolCallId": call, "status": "ok", "finishedAt": "2026-01-01T00:00:00Z"});
        folder.put(&format!("tool_calls/{call}/meta.json"), meta.to_string());
        folder.put(&format!("tool_calls/{call}/result.md"), done);
        folder.put(&format!("tool_calls/{call}/args.json"), "{}");
    }
    folder.put("assets/shot.png", "PNG");
    folder.put("stats.json", json!({"tokenUsageTotal": {"inputTokens": 1}}).to_string());
    folder.put("todos/active.md", "");
    folder.put("diary.md", "dear diary");
    folder.child("sess_child", json!({}), json!([]));
    std::os::unix::fs::symlink("/nowhere", folder.path.join("assets/link")).unwrap();
    let (lines, totals) = told(&*ledger(&folder.path));
    insta::assert_snapshot!(lines.join("\n"), @r"
    1 user shown
    2 assistant shown
    3 tool shown
    4 assistant left_out: an answer without text, reasoning and calls
    5 user/background_wake shown
    6 narrator shown
    assets/link file/special left_out: no regular file, so it was not opened
    assets/shot.png file/assets left_out: pictures are named, their bytes not copied
    diary.md file/other unknown: a file of this name is not known
    session.json file/session.json facts
    stats.json file/stats.json facts
    todos/active.md file/empty left_out: there is nothing in it
    tool_calls/kept/args.json file/tool_calls/args.json left_out: the rows have the arguments
    tool_calls/kept/meta.json file/tool_calls/meta.json shown
    tool_calls/kept/result.md file/tool_calls/result.md left_out: the rows have the result, or it has no end
    tool_calls/lost/args.json file/tool_calls/args.json left_out: the rows have the arguments
    tool_calls/lost/meta.json file/tool_calls/meta.json shown
    tool_calls/lost/result.md file/tool_calls/result.md shown
    tool_calls/other/args.json file/tool_calls/args.json left_out: no call of the rows is told by it
    tool_calls/other/meta.json file/tool_calls/meta.json left_out: no call of the rows is told by it
    tool_calls/other/result.md file/tool_calls/result.md left_out: no call of the rows is told by it
    ");
    assert_eq!(totals.fates.of(Fate::Unknown), 1);
}

#[test]
fn damage_is_told_where_it_is() {
    let whole = written(&[user("one"), user("two"), user("three")]);
    let torn = whole.replacen("\"two\"", "\"two", 1);
    let folder = Folder::raw(json!({}), torn);
    folder.put("session.json", "{");
    let (lines, _) = told(&*ledger(&folder.path));
    insta::assert_snapshot!(lines.join("\n"), @r"
    1 user shown
    2 bad-row damaged: the row has no end
    3 user shown
    session.json file/session.json damaged: it could not be read
    ");
}

/// Holds a folder's ledger against an independent count and against its export.
fn check(path: &Path) -> Totals {
    let ledger = ledger(path);
    let (lines, totals) = told(&*ledger);
    assert_eq!(told(&*ledger).0, lines, "told twice");
    let rows = lines.iter().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    let shown =
        |line: &&String| line.contains(" shown") && line.starts_with(|c: char| c.is_ascii_digit());
    let messages = fs::read(path.join("messages.json")).unwrap_or_default();
    if let Ok(document) = serde_json::from_slice::<Value>(&messages) {
        assert_eq!(rows, document["messages"].as_array().map_or(0, Vec::len), "{}", path.display());
    }
    let seen = Seen::of(ledger.transcript());
    let answered = |call: &Value| call["result"].is_string();
    let calls = seen.entries.iter().filter_map(|entry| entry["calls"].as_array());
    let answers = calls.flatten().filter(|call| answered(call)).count();
    let kept = lines.iter().filter(|line| line.contains("result.md shown")).count();
    assert_eq!(lines.iter().filter(shown).count(), seen.entries.len() + answers - kept);
    totals
}

#[test]
fn fixtures_and_corpus_are_told_whole_and_without_unknowns() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let corpus =
        std::env::var_os("CARRYALL_CORPUS").map_or("../shared/corpus".into(), PathBuf::from);
    let places = [repository.join("tests/fixtures/coddy"), repository.join(corpus).join("coddy")];
    let mut folders = HashSet::new();
    for place in places {
        sessions(&place, &mut folders);
    }
    assert!(folders.len() >= 6);
    for folder in folders {
        // One of the corpus holds nothing that can be read, which is an error of its own.
        let spool = tempfile::tempfile;
        let cx = OpenContext { authority: authority(), branch_of: &|_| None, spool };
        if Coddy.open(&Locator::new(&folder), &cx).is_ok() {
            assert_eq!(check(&folder).fates.of(Fate::Unknown), 0, "{}", folder.display());
        }
    }
}

fn sessions(folder: &Path, found: &mut HashSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.join("session.json").is_file() {
            found.insert(path.clone());
        }
        if path.is_dir() {
            sessions(&path, found);
        }
    }
}
