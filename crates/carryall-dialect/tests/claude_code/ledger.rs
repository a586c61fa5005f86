//! What became of every record: of each fixture in a snapshot, of each file of the corpus by rule.

use crate::corpus::{corpus, sessions};
use crate::fixtures::{cases, session};
use carryall_dialect::claude_code::ClaudeCode;
use carryall_dialect::{Dialect, Fate, Ledger, Locator, OpenContext, Totals};
use carryall_model::{Entry, EntrySink, NoticeKind, SinkError, ToolCall, Transcript};
use serde_json::Value;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn ledger(path: &Path) -> Box<dyn Ledger> {
    let cx = OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    };
    let opened = ClaudeCode.ledger(&Locator::new(path), &cx);
    opened.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A record, owned.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    row: u64,
    at: usize,
    bytes: usize,
    kind: String,
    fate: Fate,
    reason: Option<String>,
}

fn told(ledger: &dyn Ledger) -> (Vec<Told>, Totals) {
    let (mut records, mut totals) = (Vec::new(), Totals::default());
    let each = &mut |record: &carryall_dialect::Record<'_>| {
        totals.take(record);
        records.push(Told {
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

/// Everything of an export that a row can be found by.
#[derive(Default)]
struct Exported {
    ids: HashSet<String>,
    calls: HashSet<String>,
    files: HashSet<String>,
    outputs: usize,
}

impl EntrySink for Exported {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.ids.extend(entry.id.map(str::to_owned));
        self.calls.extend(entry.tool_call_id.map(str::to_owned));
        self.files.extend(entry.attachments.iter().map(|file| file.path.to_owned()));
        self.outputs += usize::from(entry.result.is_some());
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        if call.result.is_some() {
            self.calls.insert(call.id.to_owned());
        }
        Ok(())
    }
}

fn exported(transcript: &dyn Transcript) -> Exported {
    let mut exported = Exported::default();
    transcript.replay(0..u32::MAX, &mut exported).expect("the file is whole");
    exported
}

/// Holds a ledger against the file and against the export of the same session.
fn check(path: &Path) -> (Vec<Told>, Totals) {
    let ledger = ledger(path);
    let (records, totals) = told(&*ledger);
    let file = path.display();
    assert!(totals.add_up(), "{file}: {totals:?}");
    assert_eq!(totals.records, records.len() as u64, "{file}");
    assert_eq!(told(&*ledger).0, records, "{file}: told twice");
    for record in &records {
        let wants = !matches!(record.fate, Fate::Shown | Fate::Facts);
        assert!(!wants || record.reason.is_some(), "{file}: without a reason: {record:?}");
    }
    let bytes = fs::read(path).unwrap();
    if totals.fates.of(Fate::Damaged) == 0 {
        // Glued records stand on one line, so lines are counted in the starts of records.
        let rows: HashSet<u64> = records.iter().map(|record| record.row).collect();
        let lines = bytes.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let glued = glued(&*ledger);
        assert_eq!(rows.len(), lines.count(), "{file}");
        assert_eq!(records.len(), rows.len() + glued, "{file}");
    }
    against_export(&file.to_string(), &bytes, &records, ledger.transcript());
    (records, totals)
}

/// Records beyond the first of their row.
fn glued(ledger: &dyn Ledger) -> usize {
    let found = ledger.transcript().replay(0..0, &mut Exported::default()).unwrap();
    let glued = found.notices.kept().iter().filter(|n| n.kind == NoticeKind::GluedRows);
    let count = |detail: &str| detail.split(' ').next()?.parse::<usize>().ok();
    glued.map(|n| n.detail.as_deref().and_then(count).expect("how many") - 1).sum()
}

fn against_export(file: &str, bytes: &[u8], records: &[Told], transcript: &dyn Transcript) {
    let exported = exported(transcript);
    let mut found = HashSet::new();
    let mut outputs = 0;
    for record in records.iter().filter(|r| matches!(r.fate, Fate::Shown | Fate::Unknown)) {
        let text = String::from_utf8_lossy(&bytes[record.at..record.at + record.bytes]);
        let Ok(row) = serde_json::from_str::<Value>(&text) else {
            // It was read from a repaired copy; its id is whole.
            found.extend(exported.ids.iter().filter(|&id| text.contains(id)).cloned());
            continue;
        };
        let ids = [&row["uuid"], &row["message"]["id"]].map(|id| id.as_str().unwrap_or(""));
        let is_entry = ids.iter().any(|&id| exported.ids.contains(id));
        found.extend(ids.map(str::to_owned));
        let text = row["message"]["content"].as_str().or(row["content"].as_str());
        let is_output = text.is_some_and(|text| text.contains("-std"));
        outputs += usize::from(is_output);
        let blocks = row["message"]["content"].as_array().map_or(&[][..], Vec::as_slice);
        let answers = blocks.iter().filter_map(|block| block["tool_use_id"].as_str());
        let is_answer = answers.into_iter().any(|id| exported.calls.contains(id));
        let names = ["filename", "path", "displayPath"].map(|key| row["attachment"][key].as_str());
        let is_file = names.iter().flatten().any(|&name| exported.files.contains(name));
        let has_id = !ids[0].is_empty() || !ids[1].is_empty();
        assert!(
            is_entry
                || is_output
                || is_answer
                || is_file
                || !has_id
                || record.fate == Fate::Unknown,
            "{file}: told as shown and not in the export: {record:?}"
        );
    }
    let lost: Vec<_> = exported.ids.iter().filter(|&id| !found.contains(id)).collect();
    assert!(lost.is_empty(), "{file}: in the export and not told as shown: {lost:?}");
    assert!(outputs >= exported.outputs, "{file}: {outputs} outputs of {}", exported.outputs);
}

fn snapshot(records: &[Told], totals: &Totals) -> String {
    let mut text = String::new();
    for Told { row, kind, fate, reason, .. } in records {
        let reason = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        writeln!(text, "{row} {kind} {}{reason}", fate.as_str()).unwrap();
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
    let mut names: Vec<PathBuf> =
        fs::read_dir(cases()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("../snapshots/claude_code_ledger"));
    settings.set_prepend_module_to_snapshot(false);
    for name in names {
        let case = name.file_name().unwrap().to_string_lossy().into_owned();
        let (records, totals) = check(&session(&case));
        settings.bind(|| insta::assert_snapshot!(case, snapshot(&records, &totals)));
    }
}

#[test]
fn the_corpus_is_told_whole_and_without_unknowns() {
    let Some(root) = corpus() else { return };
    let mut files = Vec::new();
    sessions(&root, &mut files);
    assert!(files.len() > 10);
    for path in files {
        let (_, totals) = check(&path);
        assert_eq!(totals.fates.of(Fate::Unknown), 0, "{}: {totals:#?}", path.display());
    }
}
