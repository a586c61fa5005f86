//! What became of every record: of each fixture in a snapshot, of each file of the corpus by rule.

use crate::heard::hear;
use crate::oracle::Beat;
use crate::{context, files, repository, rows};
use carryall_dialect::codex::Codex;
use carryall_dialect::{Dialect, Fate, Ledger, Locator, Totals};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;

/// A record, owned.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    file: Option<String>,
    row: u64,
    at: usize,
    bytes: usize,
    kind: String,
    fate: Fate,
    reason: Option<String>,
}

fn ledger(path: &Path) -> Box<dyn Ledger> {
    let opened = Codex::default().ledger(&Locator::new(path), &context());
    opened.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn told(ledger: &dyn Ledger) -> (Vec<Told>, Totals) {
    let (mut records, mut totals) = (Vec::new(), Totals::default());
    let each = &mut |record: &carryall_dialect::Record<'_>| {
        totals.take(record);
        records.push(Told {
            file: record.file.map(str::to_owned),
            row: record.row,
            at: record.at as usize,
            bytes: record.bytes as usize,
            kind: record.kind.to_owned(),
            fate: record.fate,
            reason: record.reason.map(str::to_owned),
        });
        Ok(())
    };
    ledger.records(each).expect("the file is whole");
    (records, totals)
}

/// Holds a ledger against the files and against the export of the same thread.
fn check(path: &Path) -> (Vec<Told>, Totals) {
    let ledger = ledger(path);
    let (records, totals) = told(&*ledger);
    let file = path.display();
    assert!(totals.add_up(), "{file}: {totals:?}");
    assert_eq!(totals.records, records.len() as u64, "{file}");
    assert_eq!(told(&*ledger).0, records, "{file}: told twice");
    for record in &records {
        let wants = matches!(record.fate, Fate::LeftOut | Fate::Unknown | Fate::Damaged);
        assert!(!wants || record.reason.is_some(), "{file}: without a reason: {record:?}");
    }
    if totals.fates.of(Fate::Damaged) == 0 {
        let inherited = rows::inherited_bytes(path).into_iter().map(|(_, bytes)| bytes);
        let all: Vec<Vec<u8>> = inherited.chain([rows::bytes(path)]).collect();
        let lines = all.iter().flat_map(|bytes| bytes.split(|&b| b == b'\n'));
        let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count();
        assert_eq!(records.len(), lines, "{file}");
    }
    against_export(path, &records, &*ledger);
    (records, totals)
}

/// The text of a message or of the event about one.
fn text(row: &Value) -> Option<String> {
    let (kind, payload) = rows::unwrap(row);
    let text = match &*kind {
        "message" => rows::texts(&payload["content"]).join("\n\n"),
        "user_message" | "agent_message" => payload["message"].as_str()?.to_owned(),
        "item:UserMessage" | "item:AgentMessage" => {
            rows::texts(&payload["item"]["content"]).join("\n\n")
        }
        _ => return None,
    };
    Some(text)
}

fn against_export(path: &Path, records: &[Told], ledger: &dyn Ledger) {
    let file = path.display();
    let parents = rows::inherited_bytes(path);
    let own = rows::bytes(path);
    let mut shown: Vec<String> = Vec::new();
    for record in records.iter().filter(|record| record.fate == Fate::Shown) {
        let bytes = match &record.file {
            None => &own,
            Some(name) => &parents.iter().find(|(other, _)| other == name).unwrap().1,
        };
        let bytes = &bytes[record.at..record.at + record.bytes];
        // Half a pair is no JSON; the reader replaces it.
        let line = String::from_utf8_lossy(bytes).replace("\\ud83d\"", "\\ufffd\"");
        let row = serde_json::from_str(&line).unwrap_or_default();
        shown.extend(text(&row));
    }
    let (heard, _) = hear(ledger.transcript());
    let mut exported = Vec::new();
    for beat in &heard.beats {
        match beat {
            Beat::Prompt(text) | Beat::Host(text) | Beat::Instructions(text) => {
                let known = shown.iter().any(|shown| shown.contains(text));
                assert!(known, "{file}: in the export and of no row that is shown: {text}");
                exported.push(text);
            }
            Beat::Said(text) => {
                let mut left = text.clone();
                let mut longest: Vec<&String> = shown.iter().collect();
                longest.sort_by_key(|shown| std::cmp::Reverse(shown.len()));
                longest.iter().for_each(|shown| left = left.replace(&***shown, ""));
                assert_eq!(left.trim(), "", "{file}: in the export and of no row that is shown");
                exported.push(text);
            }
            _ => {}
        }
    }
    for text in shown.iter().filter(|text| !text.contains("<user_shell_command>")) {
        let part = text.split("## My request for Codex:").next().unwrap().trim();
        let other = |beat: &Beat| matches!(beat, Beat::Other(other) if other == text);
        let found = exported.iter().any(|exported| exported.contains(part))
            || heard.beats.iter().any(other);
        assert!(found, "{file}: told as shown and not in the export: {text}");
    }
}

fn snapshot(records: &[Told], totals: &Totals) -> String {
    let mut text = String::new();
    for Told { file, row, kind, fate, reason, .. } in records {
        let reason = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        let file = file.as_deref().map_or(String::new(), |file| format!("{file} "));
        writeln!(text, "{file}{row} {kind} {}{reason}", fate.as_str()).unwrap();
    }
    for version in &totals.versions {
        let (from, to) = (version.first_row, version.last_row);
        writeln!(text, "version {} rows {from} to {to}, {}", version.version, version.records)
            .unwrap();
    }
    text
}

#[test]
fn fixtures_are_told_record_by_record() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("../snapshots/codex_ledger"));
    settings.set_prepend_module_to_snapshot(false);
    let cases = repository().join("tests/fixtures/codex");
    for path in files::fixtures() {
        let (records, totals) = check(&path);
        let case = path.strip_prefix(&cases).unwrap().iter().next().unwrap().to_string_lossy();
        let stem = path.file_stem().unwrap().to_string_lossy();
        let name = format!("{case}-{}", &stem[stem.len() - 2..]);
        settings.bind(|| insta::assert_snapshot!(name, snapshot(&records, &totals)));
    }
}

#[test]
fn the_corpus_is_told_whole_and_without_unknowns() {
    for path in files::corpus() {
        let (_, totals) = check(&path);
        assert_eq!(totals.fates.of(Fate::Unknown), 0, "{}: {totals:#?}", path.display());
    }
}
