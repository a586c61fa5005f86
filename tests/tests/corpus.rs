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
const READ: &[&str] = &["claude-code", "coddy", "codex", "pi", "qwen"];

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
    let cx = OpenContext { authority, branch_of: &|_| None, spool: tempfile::tempfile };
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

/// What a control character is shown as in Markdown and HTML, told from the specification and not
/// from our own table.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' | '\n' | '\r' => c,
            '\0' | '\u{80}'..='\u{9f}' => '\u{fffd}',
            '\u{1}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap(),
            '\u{7f}' => '\u{2421}',
            _ => c,
        })
        .collect()
}

/// The texts of a document in the order in which a reader meets them, with whether each is meta.
fn texts(document: &Value) -> Vec<(bool, String)> {
    let mut texts = Vec::new();
    for entry in document["entries"].as_array().unwrap() {
        let meta = entry["is_meta"] == true;
        let calls = entry["tool_calls"].as_array().into_iter().flatten();
        let parts = ["reasoning", "text", "result"].map(|part| &entry[part]);
        let all = parts.into_iter().chain(calls.map(|call| &call["result"]));
        texts.extend(all.filter_map(Value::as_str).map(|text| (meta, shown(text))));
    }
    texts
}

/// Fails unless the texts stand in `whole` one behind the other.
fn in_order<'t>(name: &str, whole: &str, texts: impl Iterator<Item = &'t str>) -> usize {
    let (mut at, mut count) = (0, 0);
    for text in texts {
        let found = whole[at..].find(text);
        let found = found.unwrap_or_else(|| panic!("{name}: not in its place: {text:?}"));
        at += found + text.len();
        count += 1;
    }
    count
}

/// The entries and calls of a document that Markdown shows.
fn shown_in_markdown(document: &Value) -> usize {
    let entries = document["entries"].as_array().unwrap().iter();
    let calls = |entry: &Value| entry["tool_calls"].as_array().map_or(0, Vec::len);
    entries.filter(|entry| entry["is_meta"] != true).map(|entry| 1 + calls(entry)).sum()
}

#[test]
fn markdown_and_html_hold_every_text_of_the_json_document_in_order() {
    let Some(corpus) = folder() else { return };
    let mut compared = 0;
    for (name, line) in &list() {
        if line.is != Kind::Session {
            continue;
        }
        let (_, transcript) = open(&corpus.join(name.trim_end_matches('/'))).unwrap();
        let format = |format| String::from_utf8(alone(&*transcript, format)).unwrap();
        let document: Value = serde_json::from_str(&format(Format::Json)).unwrap();
        let all = texts(&document);

        let markdown = format(Format::Markdown);
        let typed = all.iter().filter(|(meta, _)| !meta).map(|(_, text)| text.as_str());
        compared += in_order(name, &markdown, typed);
        let markers = markdown.lines().filter(|line| line.starts_with("<!-- carryall ")).count();
        assert_eq!(markers, shown_in_markdown(&document), "{name}");

        let page = scraper::Html::parse_document(&format(Format::Html));
        let main = page.select(&scraper::Selector::parse("main").unwrap()).next().unwrap();
        let whole: String = main.text().collect();
        // Terminal colours become classes, so texts with escapes are compared by the HTML tests.
        let plain =
            all.iter().map(|(_, text)| text.as_str()).filter(|text| !text.contains('\u{241b}'));
        compared += in_order(name, &whole, plain);
    }
    eprintln!("{compared} texts compared");
    assert!(compared > 1_000);
}

/// A session's own document, its subagents only listed.
fn alone(transcript: &dyn Transcript, format: Format) -> Vec<u8> {
    let product = Product::new("Carryall", "carryall");
    let now = carryall_tests::EXPORTED_AT.parse().unwrap();
    let settings = Settings { format, options: Options::default(), now, product: &product };
    let mut out = Vec::new();
    write_document(transcript, &settings, &mut out).unwrap();
    out
}
