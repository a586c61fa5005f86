//! Any bytes as a stored session: told apart, opened, listed, exported in every format.

use super::bundle::unpack;
use super::page::{Page, assert_inert};
use super::{reader, scratch, views};
use carryall_command::{Settings, Summary, write_document};
use carryall_dialect::{Dialect, Ledger, Listed, Locator, OpenContext, Probe, Registry, Totals};
use carryall_model::{Options, Transcript};
use carryall_render::{Format, Product};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whatever the bytes: no panic, no error but one that says that this is no session, a sound
/// document in every format, and the source as it was.
///
/// # Panics
/// When a rule is broken.
pub fn registry(input: &[u8]) {
    let scratch = scratch();
    let path = unpack(input, scratch.path());
    let before = snapshot(scratch.path());
    let authority = cap_std::ambient_authority();
    let cx = OpenContext { authority, branch_of: &|_| None, spool: tempfile::tempfile };
    let registry = Registry::builtin();
    let claimed = Probe::new(&path, authority)
        .ok()
        .and_then(|probe| registry.detect(&probe).map(Dialect::name));
    for dialect in registry.iter() {
        let listed = Listed { id: "id".into(), path: path.clone(), is_subagent: false };
        let _ = dialect.peek(&listed, &cx);
        let _ = dialect.list(scratch.path(), &mut |_| {});
        match dialect.open(&Locator::new(&path), &cx) {
            // Only what its dialect claims comes to an export.
            Ok(transcript) if claimed == Some(dialect.name()) => {
                check(&*transcript);
                let ledger = dialect.ledger(&Locator::new(&path), &cx).unwrap();
                assert_eq!(ledger.transcript().facts(), transcript.facts());
                check_ledger(&*ledger, dialect.name(), &path);
            }
            Ok(_) | Err(_) => {}
        }
    }
    assert_eq!(snapshot(scratch.path()), before, "the source was changed");
}

/// Every file with its content.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(snapshot(&path));
            found.insert(path, None);
        } else {
            found.insert(path.clone(), Some(std::fs::read(&path).unwrap()));
        }
    }
    found
}

/// Every record has one fate, a second telling is the same, and of a file of lines every byte that
/// is not white space belongs to exactly one record.
fn check_ledger(ledger: &dyn Ledger, agent: &str, path: &Path) {
    let tell = || {
        let (mut totals, mut spans) = (Totals::default(), Vec::new());
        let told = ledger.records(&mut |record| {
            totals.take(record);
            if record.file.is_none() {
                spans.push((record.at, record.at + record.bytes));
            }
            Ok(())
        });
        told.unwrap();
        (totals, spans)
    };
    let (totals, mut spans) = tell();
    assert!(totals.add_up(), "{totals:?}");
    assert_eq!(tell(), (totals, spans.clone()));
    if agent == "coddy" {
        return;
    }
    spans.sort_unstable();
    let bytes = std::fs::read(path).unwrap();
    let mut at = 0;
    for (start, end) in spans.into_iter().chain([(bytes.len() as u64, bytes.len() as u64)]) {
        assert!(start >= at, "records overlap at {start}");
        let between = &bytes[at as usize..start as usize];
        assert!(is_blank(between), "no record holds {at}..{start}");
        at = end;
    }
}

/// White space and byte order marks.
fn is_blank(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).chars().all(|c| c.is_ascii_whitespace() || c == '\u{feff}')
}

fn check(transcript: &dyn Transcript) {
    let whole = Options { subagents: true, ..Options::default() };
    let trimmed = Options { no_tools: true, no_thinking: true, ..Options::default() };
    let (json, summary) = render(transcript, Format::Json, whole);
    assert_eq!(check_json(&json), summary.entries, "entries of the JSON document");
    for options in [whole, trimmed] {
        let counts = Format::ALL.map(|format| {
            let (document, summary) = render(transcript, format, options);
            match format {
                Format::Json => drop(check_json(&document)),
                Format::JsonLines => check_lines(&document, summary.entries),
                Format::Markdown => check_markdown(&document),
                Format::Html => assert_inert(&Page::parse(document)),
            }
            summary.entries
        });
        assert!(counts.iter().all(|count| *count == counts[0]), "entries differ: {counts:?}");
    }
}

/// A source that nobody touches is read to its end once it was opened.
fn render(transcript: &dyn Transcript, format: Format, options: Options) -> (String, Summary) {
    let product = Product::new("Carryall", "carryall");
    let now = crate::EXPORTED_AT.parse().unwrap();
    let settings = Settings { format, options, now, product: &product };
    let mut document = Vec::new();
    let summary = write_document(transcript, &settings, &mut document)
        .unwrap_or_else(|error| panic!("{format:?}: {error:?}"));
    (String::from_utf8(document).unwrap(), summary)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "what counts is that nothing else is there")]
struct Document {
    version: u32,
    session: IgnoredAny,
    entries: Vec<IgnoredAny>,
    end: Option<IgnoredAny>,
    subagents: Option<Vec<Child>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "what counts is that nothing else is there")]
struct Child {
    session: IgnoredAny,
    entries: Vec<IgnoredAny>,
    end: Option<IgnoredAny>,
}

fn check_json(text: &str) -> u64 {
    let document: Document = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(document.version, 1);
    document.entries.len() as u64
}

#[derive(Deserialize)]
struct Line {
    r#type: String,
}

fn check_lines(text: &str, entries: u64) {
    assert!(text.ends_with('\n'));
    let kinds: Vec<String> = text
        .strip_suffix('\n')
        .unwrap()
        .split('\n')
        .map(|line| serde_json::from_str::<Line>(line).unwrap_or_else(|e| panic!("{e}\n{line}")))
        .map(|line| line.r#type)
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("session"));
    let first = kinds[1..].iter().take_while(|kind| !matches!(kind.as_str(), "session" | "end"));
    assert_eq!(first.count() as u64, entries, "entries of the JSON lines");
}

/// A reader of bytes and a parser of CommonMark find the same markers.
fn check_markdown(text: &str) {
    let pieces = reader::pieces(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let genuine: Vec<&str> = pieces.iter().map(|piece| piece.marker.as_str()).collect();
    let view = views::pulldown(text, views::pulldown_github());
    assert_eq!(view.framed_markers().as_ref(), Ok(&genuine), "{text}");
    let bare = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    assert!(!text.contains(bare), "a bare control character");
}
