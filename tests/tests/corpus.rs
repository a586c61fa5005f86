//! Every file of the corpus is what `tests/corpus.toml` says it is.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test stops where something is not as expected"
)]

use carryall_command::{Settings, write_document};
use carryall_dialect::{Locator, OpenContext, Probe, Registry};
use carryall_model::{NoticeKind, Options, Transcript};
use carryall_render::{Format, Product};
use carryall_tests::corpus::{Kind, Line, files, folder, list};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The folders that this state of the program reads; the others follow with their dialects.
const READ: &[&str] = &["claude-code", "coddy"];

#[test]
fn every_file_has_a_line_and_every_line_a_file() {
    let Some(corpus) = folder() else { return };
    let list = list();
    let mut used = BTreeSet::new();
    for below in READ {
        for file in files(&corpus, below) {
            let line = list.keys().find(|line| match line.strip_suffix('/') {
                Some(bundle) => Path::new(&file).starts_with(bundle),
                None => **line == file,
            });
            used.insert(line.unwrap_or_else(|| panic!("{file} has no line in tests/corpus.toml")));
        }
    }
    for (name, line) in &list {
        assert!(used.contains(name), "{name} of tests/corpus.toml is not in the corpus");
        let of = line.of.as_ref().map(|of| list.get(of).map(|line| line.is));
        assert_eq!(line.is == Kind::SideOf, of.is_some(), "{name}");
        assert!(of.is_none_or(|of| of == Some(Kind::Session)), "{name} belongs to no session");
    }
}

fn open(path: &Path) -> Result<(String, Box<dyn Transcript>), String> {
    let authority = cap_std::ambient_authority();
    let registry = Registry::builtin();
    let probe = Probe::new(path, authority).map_err(|e| e.to_string())?;
    let dialect = registry.detect(&probe).ok_or("not a session of a known agent")?;
    let cx = OpenContext { authority, branch_of: &|_| None };
    let transcript = dialect.open(&Locator::new(path), &cx).map_err(|e| e.to_string())?;
    Ok((dialect.name().to_owned(), transcript))
}

fn render(transcript: &dyn Transcript, format: Format) -> (u64, Vec<u8>) {
    let product = Product::new("Carryall", "carryall");
    let options = Options { subagents: true, ..Options::default() };
    let now = carryall_tests::EXPORTED_AT.parse().unwrap();
    let settings = Settings { format, options, now, product: &product };
    let mut out = Vec::new();
    let summary = write_document(transcript, &settings, &mut out).unwrap();
    let unknown = summary.notices.kept().iter().find(|n| n.kind == NoticeKind::UnknownKind);
    assert_eq!(unknown, None, "a record kind of the corpus is not known");
    (summary.entries, out)
}

fn check_session(name: &str, line: &Line, path: &Path) {
    let (agent, transcript) = open(path).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(Some(agent), line.agent, "{name}");
    for format in Format::ALL {
        let (entries, bytes) = render(&*transcript, format);
        assert_eq!(Some(entries), line.entries, "{name} as {format:?}");
        let text = String::from_utf8(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        match format {
            Format::Json => {
                let document: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(document["entries"].as_array().unwrap().len() as u64, entries);
            }
            Format::JsonLines => {
                for row in text.lines() {
                    serde_json::from_str::<Value>(row).unwrap_or_else(|e| panic!("{name}: {e}"));
                }
            }
            Format::Markdown => assert!(text.starts_with("# Carryall session export\n")),
            Format::Html => assert!(text.starts_with("<!doctype html>\n")),
        }
    }
}

#[test]
fn every_session_exports_in_four_formats_and_every_refusal_says_why() {
    let Some(corpus) = folder() else { return };
    let (mut sessions, mut refusals) = (0, 0);
    for (name, line) in &list() {
        let path = corpus.join(name.trim_end_matches('/'));
        match line.is {
            Kind::Session => {
                check_session(name, line, &path);
                sessions += 1;
            }
            Kind::Refused => {
                let refusal = open(&path).map(|(_, t)| t.facts().message_count);
                let words = line.error.as_deref().expect("a refusal has its words");
                match refusal {
                    Err(error) => assert!(error.contains(words), "{name}: {error}"),
                    Ok(0) => assert_eq!(words, "nothing to export", "{name}"),
                    Ok(n) => panic!("{name} was read with {n} messages"),
                }
                refusals += 1;
            }
            Kind::SideOf | Kind::Support | Kind::Later => {}
        }
    }
    eprintln!("{sessions} sessions in four formats, {refusals} refusals");
    assert!(sessions > 30 && refusals > 0);
}
