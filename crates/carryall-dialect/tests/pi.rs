//! Pi: the ledger of every fixture and corpus file adds up, and whatever is done to a file, reading
//! it ends without a panic and keeps what is whole.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests panic, print what is absent, stand in for the binary and write scratch files"
)]

use carryall_dialect::pi::Pi;
use carryall_dialect::{
    Dialect, Fate, Listed, Locator, OpenContext, Probe, Registry, Surroundings, Totals,
};
use carryall_model::{Entry, EntrySink, NoticeKind, OpenError, SinkError, ToolCall, Transcript};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn context() -> OpenContext<'static> {
    OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    }
}

fn try_open(path: &Path) -> Result<Box<dyn Transcript>, OpenError> {
    Pi.open(&Locator::new(path), &context())
}

fn open(path: &Path) -> Box<dyn Transcript> {
    try_open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for case in fs::read_dir(repository().join("tests/fixtures/pi")).unwrap() {
        Pi.list(&case.unwrap().path(), &mut |listed| files.push(listed.path)).unwrap();
    }
    files.sort();
    assert!(files.len() > 10, "{files:?}");
    files
}

fn fixture(case: &str) -> PathBuf {
    let is_meant = |path: &PathBuf| path.iter().any(|part| part == case);
    fixtures().into_iter().find(is_meant).unwrap()
}

fn corpus() -> Vec<PathBuf> {
    let root = std::env::var_os("CARRYALL_CORPUS").map(PathBuf::from);
    let root = root.unwrap_or_else(|| repository().parent().unwrap().join("shared/corpus"));
    let Ok(entries) = fs::read_dir(root.join("pi")) else {
        println!("absent: the corpus");
        return Vec::new();
    };
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
}

/// Keeps the texts of entries, calls and results.
#[derive(Default)]
struct Texts {
    entries: u32,
    texts: Vec<String>,
}

impl EntrySink for Texts {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.entries += 1;
        let texts = [entry.reasoning, entry.text, entry.result].into_iter().flatten();
        self.texts.extend(texts.map(str::to_owned));
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        self.texts.push(format!("call {}", call.name));
        self.texts.extend(call.result.map(|result| result.text.to_owned()));
        Ok(())
    }
}

fn texts(transcript: &dyn Transcript) -> Texts {
    let mut texts = Texts::default();
    transcript.replay(0..u32::MAX, &mut texts).unwrap();
    texts
}

fn totals(path: &Path) -> Totals {
    let ledger = Pi.ledger(&Locator::new(path), &context()).unwrap();
    let mut totals = Totals::default();
    ledger
        .records(&mut |record| {
            let fate = record.fate;
            let wants = matches!(fate, Fate::LeftOut | Fate::Unknown | Fate::Damaged);
            assert!(!wants || record.reason.is_some(), "{}: {record:?}", path.display());
            totals.take(record);
            Ok(())
        })
        .unwrap();
    assert!(totals.add_up(), "{}: {totals:?}", path.display());
    totals
}

#[test]
fn every_ledger_adds_up_and_knows_every_kind() {
    for path in fixtures().into_iter().chain(corpus()) {
        let totals = totals(&path);
        let bytes = fs::read(&path).unwrap();
        let is_row = |row: &&[u8]| !row.trim_ascii().is_empty();
        let rows = bytes.split(|&b| b == b'\n').filter(is_row).count() as u64;
        assert_eq!(totals.records, rows, "{}", path.display());
        let unknown = totals.fates.of(Fate::Unknown);
        let expected = if path.iter().any(|part| part == "unknown-kinds") { 4 } else { 0 };
        assert_eq!(unknown, expected, "{}: {totals:?}", path.display());
    }
}

#[test]
fn every_file_is_recognised_as_its_own_agents() {
    let registry = Registry::builtin();
    let owner = |path: &Path| {
        let probe = Probe::new(path, cap_std::ambient_authority()).unwrap();
        registry.detect(&probe).map(|dialect| dialect.name())
    };
    for path in fixtures().into_iter().chain(corpus()) {
        assert_eq!(owner(&path), Some("pi"), "{}", path.display());
    }
    for dialect in registry.iter().filter(|dialect| dialect.name() != "pi") {
        let cases = repository().join("tests/fixtures").join(dialect.name());
        for case in fs::read_dir(cases).unwrap() {
            let case = case.unwrap().path();
            let check = &mut |listed: Listed| assert_ne!(owner(&listed.path), Some("pi"));
            dialect.list(&case, check).unwrap();
        }
    }
    // A document of ours begins with a session, too.
    let ours = repository().join("tests/fixtures/pi/tour/golden/export.jsonl");
    assert_eq!(owner(&ours), None);
}

#[test]
fn the_last_row_tells_the_branch() {
    let transcript = open(&fixture("tree"));
    let facts = transcript.facts();
    assert_eq!((facts.other_branches, facts.user_turns, facts.message_count), (2, 2, 5));
    let expected =
        ["Which way?", "Left or right.", "Left was a wall.", "Right, then.", "There is a door."];
    assert_eq!(texts(&*transcript).texts, expected);
    let bytes = fs::read(fixture("tree")).unwrap();
    let rows: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl");
    // Without what came after it, the branch that was left is the conversation.
    fs::write(&path, rows[..9].concat()).unwrap();
    let cut = texts(&*open(&path)).texts;
    assert_eq!(cut, ["Which way?", "Left or right.", "Left.", "call bash", "a wall"]);
}

/// Reads a session whole and in parts, and its ledger, whatever it holds.
fn read(path: &Path) -> Option<Vec<String>> {
    let session = match try_open(path) {
        Ok(session) => session,
        Err(
            OpenError::Empty { .. }
            | OpenError::NothingReadable { .. }
            | OpenError::NotThisDialect { .. },
        ) => return None,
        Err(e) => panic!("{e}"),
    };
    let whole = texts(&*session);
    let mut parts = Texts::default();
    for number in 0..whole.entries {
        session.replay(number..number + 1, &mut parts).unwrap();
    }
    assert_eq!((parts.entries, &parts.texts), (whole.entries, &whole.texts));
    totals(path);
    Some(whole.texts)
}

#[test]
fn a_file_that_ends_anywhere_is_read_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl");
    for case in fixtures() {
        let bytes = fs::read(&case).unwrap();
        for end in (0..bytes.len()).step_by(37) {
            fs::write(&path, &bytes[..end]).unwrap();
            read(&path);
        }
    }
}

#[test]
fn one_row_that_is_lost_takes_nothing_else_with_it() {
    let case = fixture("tour");
    let bytes = fs::read(&case).unwrap();
    let rows: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
    let whole = texts(&*open(&case)).texts;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lost.jsonl");
    for lost in 0..rows.len() {
        let mut copy: Vec<Vec<u8>> = rows.iter().map(|row| row.to_vec()).collect();
        let half = copy[lost].len() / 2;
        copy[lost].truncate(half);
        copy[lost].push(b'\n');
        fs::write(&path, copy.concat()).unwrap();
        let left = read(&path).unwrap();
        // What is gone are the texts of that row: an answer without its call stands alone.
        let mut gone = whole.clone();
        for text in &left {
            let at = gone.iter().position(|known| known == text);
            gone.remove(at.unwrap_or_else(|| panic!("without row {}: {text:?}", lost + 1)));
        }
        let row = String::from_utf8_lossy(rows[lost]).into_owned();
        let kinds = ["message", "custom_message", "compaction"];
        let is_message = kinds.iter().any(|kind| row.contains(&format!("\"type\":\"{kind}\"")));
        let most = if is_message { 4 } else { 0 };
        assert!(gone.len() <= most, "without row {}: {gone:?}", lost + 1);
    }
}

#[test]
fn a_lost_parent_is_told() {
    let transcript = open(&fixture("damaged"));
    let found = transcript.replay(0..0, &mut Texts::default()).unwrap();
    let kinds: Vec<NoticeKind> = found.notices.kept().iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::BadRow, NoticeKind::CutShort, NoticeKind::MissingParent]);
    assert_eq!(transcript.facts().message_count, 4);
}

#[test]
fn stores_honour_the_agents_own_variables() {
    let stores = |pairs: &[(&str, &str)]| {
        let env: BTreeMap<_, _> = pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        let home = Some(Path::new("/home/dev"));
        Pi.stores(&Surroundings { env: &env, home, cwd: None })
    };
    let at = |path: &str| vec![PathBuf::from(path)];
    assert_eq!(stores(&[]), at("/home/dev/.pi/agent/sessions"));
    assert_eq!(stores(&[("PI_CODING_AGENT_DIR", "~/pi")]), at("/home/dev/pi/sessions"));
    let both = [("PI_CODING_AGENT_DIR", "/x"), ("PI_CODING_AGENT_SESSION_DIR", "/flat")];
    assert_eq!(stores(&both), at("/flat"));
}

#[test]
fn a_peek_agrees_with_the_facts() {
    for path in fixtures().into_iter().chain(corpus()) {
        let facts = open(&path).facts().clone();
        let listed = Listed { id: facts.id.clone(), path: path.clone(), is_subagent: false };
        let peek = Pi.peek(&listed, &context()).unwrap();
        assert_eq!(peek.cwd, facts.cwd, "{}", path.display());
        let is_plain = facts.other_branches == 0 && facts.unreadable_rows == 0;
        assert!(!is_plain || peek.title == facts.title, "{}: {peek:?}", path.display());
    }
}
