//! Qwen Code: what became of every record of the fixtures and the corpus, and what harm may do.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests panic, print what is absent, stand in for the binary and write scratch files"
)]

use carryall_dialect::qwen::Qwen;
use carryall_dialect::{Dialect, Fate, Locator, OpenContext, Probe, Registry, Totals};
use carryall_model::{Entry, EntrySink, NoticeKind, OpenError, SinkError, ToolCall};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn context() -> OpenContext<'static> {
    OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// All session files below a folder, subagents among them.
fn sessions(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_golden = ["golden", "v0.24.4-own-export"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_golden {
            found.extend(sessions(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn fixtures() -> Vec<PathBuf> {
    let found = sessions(&repository().join("tests/fixtures/qwen"));
    assert!(found.len() > 10);
    found
}

/// The texts of a session and how many entries it has.
#[derive(Default)]
struct Heard {
    entries: u32,
    texts: String,
}

impl EntrySink for Heard {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.entries += 1;
        for text in [entry.reasoning, entry.text, entry.result].into_iter().flatten() {
            writeln!(self.texts, "{text}").unwrap();
        }
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        let result = call.result.map_or("none", |result| result.text);
        writeln!(self.texts, "{}: {result}", call.name).unwrap();
        Ok(())
    }
}

fn totals(path: &Path, each: &mut dyn FnMut(&carryall_dialect::Record<'_>)) -> Totals {
    let ledger = Qwen.ledger(&Locator::new(path), &context()).expect("it opens");
    let mut totals = Totals::default();
    let told = ledger.records(&mut |record| {
        totals.take(record);
        each(record);
        Ok(())
    });
    told.expect("it is told");
    assert!(totals.add_up(), "{}: {totals:?}", path.display());
    totals
}

#[test]
fn fixtures_are_told_record_by_record() {
    let mut all = String::new();
    for path in fixtures() {
        let case = path.strip_prefix(repository().join("tests/fixtures/qwen")).unwrap();
        writeln!(all, "{}", case.display()).unwrap();
        totals(&path, &mut |record| {
            let wants = matches!(record.fate, Fate::LeftOut | Fate::Unknown | Fate::Damaged);
            assert!(!wants || record.reason.is_some(), "{record:?}");
            let reason = record.reason.map_or(String::new(), |reason| format!(": {reason}"));
            writeln!(all, "  {} {} {}{reason}", record.row, record.kind, record.fate.as_str())
                .unwrap();
        });
    }
    insta::assert_snapshot!("qwen_ledger", all);
}

#[test]
fn the_corpus_is_told_whole_and_without_unknowns() {
    let corpus = std::env::var_os("CARRYALL_CORPUS").map(PathBuf::from);
    let corpus = corpus.unwrap_or_else(|| repository().join("../shared/corpus")).join("qwen");
    if !corpus.is_dir() {
        println!("absent: corpus");
        return;
    }
    let found = sessions(&corpus);
    assert!(found.len() >= 10);
    for path in found {
        let totals = totals(&path, &mut |_| {});
        let file = path.display();
        assert_eq!(totals.fates.of(Fate::Unknown), 0, "{file}: {totals:#?}");
        assert_eq!(totals.fates.of(Fate::Damaged), 0, "{file}: {totals:#?}");
        assert!(totals.fates.of(Fate::Shown) > 0, "{file}");
    }
}

#[test]
fn every_session_is_this_agents_and_no_others() {
    let registry = Registry::builtin();
    for path in fixtures() {
        let probe = Probe::new(&path, cap_std::ambient_authority()).unwrap();
        let claiming: Vec<&str> =
            registry.iter().filter(|d| d.claims(&probe)).map(Dialect::name).collect();
        assert_eq!(claiming, ["qwen"], "{}", path.display());
    }
    for other in ["claude-code", "codex", "coddy"] {
        for path in sessions(&repository().join("tests/fixtures").join(other)) {
            let probe = Probe::new(&path, cap_std::ambient_authority()).unwrap();
            assert!(!Qwen.claims(&probe), "{}", path.display());
        }
    }
}

/// A session of six messages, one a row.
fn rows() -> Vec<String> {
    (0..6)
        .map(|n| {
            let parent = if n == 0 { "null".into() } else { format!("\"u{}\"", n - 1) };
            let kind = if n % 2 == 0 { "user" } else { "assistant" };
            format!(
                r#"{{"uuid":"u{n}","parentUuid":{parent},"sessionId":"s","type":"{kind}","message":{{"parts":[{{"text":"text {n}"}}]}}}}"#
            )
        })
        .collect()
}

fn hear(bytes: &[u8]) -> (String, Vec<NoticeKind>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    fs::write(&path, bytes).unwrap();
    let session = Qwen.open(&Locator::new(path), &context()).expect("it opens");
    let mut heard = Heard::default();
    let found = session.replay(0..u32::MAX, &mut heard).expect("it replays");
    (heard.texts, found.notices.kept().iter().map(|notice| notice.kind).collect())
}

#[test]
fn a_row_that_cannot_be_read_takes_nothing_else_with_it() {
    for lost in 0..5 {
        let mut rows = rows();
        let half = rows[lost].len() / 2;
        rows[lost].truncate(half);
        let (texts, notices) = hear((rows.join("\n") + "\n").as_bytes());
        let expected: String =
            (0..6).filter(|n| *n != lost).map(|n| format!("text {n}\n")).collect();
        assert_eq!(texts, expected);
        assert!(notices.contains(&NoticeKind::MissingParent), "{notices:?}");
    }
}

#[test]
fn a_row_that_is_not_there_ends_the_conversation_as_in_the_agent() {
    let mut rows = rows();
    rows.remove(2);
    let (texts, notices) = hear(rows.join("\n").as_bytes());
    assert_eq!(texts, "text 3\ntext 4\ntext 5\n");
    assert_eq!(notices, [NoticeKind::MissingParent, NoticeKind::OtherBranch]);
}

#[test]
fn glued_rows_are_two() {
    let (texts, notices) = hear(rows().concat().as_bytes());
    assert_eq!(texts, "text 0\ntext 1\ntext 2\ntext 3\ntext 4\ntext 5\n");
    assert_eq!(notices, [NoticeKind::GluedRows]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn harmed_files_are_read_without_a_panic(
        case in prop::sample::select(fixtures()),
        harms in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..12),
    ) {
        let mut bytes = fs::read(&case).expect("the fixture");
        for (at, byte, harm) in harms {
            let at = at.index(bytes.len() + 1);
            let line_end = |bytes: &[u8]| bytes[at..].iter().position(|&b| b == b'\n');
            match harm {
                0 => bytes.insert(at, byte),
                1 => drop(line_end(&bytes).map(|end| bytes.remove(at + end))),
                2 => drop(line_end(&bytes).map(|end| bytes.drain(at..at + end).count())),
                _ => bytes.extend_from_within(at..),
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(case.file_name().unwrap());
        fs::write(&path, bytes).unwrap();
        let session = match Qwen.open(&Locator::new(&path), &context()) {
            Ok(session) => session,
            Err(
                OpenError::Empty { .. }
                | OpenError::NothingReadable { .. }
                | OpenError::NotThisDialect { .. },
            ) => return Ok(()),
            Err(e) => panic!("{e}"),
        };
        let mut whole = Heard::default();
        session.replay(0..u32::MAX, &mut whole).expect("it replays");
        let mut parts = Heard::default();
        for number in 0..whole.entries {
            session.replay(number..number + 1, &mut parts).expect("it replays");
        }
        assert_eq!(parts.texts, whole.texts);
        totals(&path, &mut |_| {});
    }
}
