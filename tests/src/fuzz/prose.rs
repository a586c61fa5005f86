//! Any text in any place of a document for people.

use super::frame::{check_frame, shown};
use super::page::assert_inert;
use super::places::PLACES;
use carryall_model::{
    Entry, EntryKind, Facts, Found, Header, LeftOut, Options, Place, ToolCall, ToolResult,
};
use carryall_render::{Format, Product, Renderer, renderer};

/// What separates the texts of one input.
const SEPARATOR: char = '\u{1e}';
/// The most texts of one input.
const TEXTS_MAX: usize = 4;

const KINDS: [EntryKind; 8] = [
    EntryKind::Assistant,
    EntryKind::User,
    EntryKind::ToolResult,
    EntryKind::CompactionSummary,
    EntryKind::PlanDocument,
    EntryKind::System,
    EntryKind::Command,
    EntryKind::Other,
];

/// The first byte chooses the place, the rest are texts that follow each other.
///
/// In Markdown two parsers (each plain and with GitHub's additions), a browser and a reader that
/// knows lengths only find exactly our markers, and every text comes back byte for byte. In HTML
/// an HTML5 parser finds no element, attribute or class that is not the page's own, and the text.
///
/// # Panics
/// When a rule is broken.
pub fn prose(input: &[u8]) {
    let Some((&place, rest)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let texts: Vec<&str> = text.splitn(TEXTS_MAX, SEPARATOR).collect();
    markdown(KINDS[usize::from(place) % KINDS.len()], &texts);
    let place = &PLACES[usize::from(place) % PLACES.len()];
    let page = place.render(&text);
    assert_inert(&page);
    if let Some(expected) = place.expected(&text) {
        assert_eq!(place.shown(&page), expected, "{}", place.name);
    }
}

/// An entry each text, with the text also as reasoning and as a result, and one behind them to be
/// swallowed.
fn markdown(kind: EntryKind, texts: &[&str]) {
    let mut out = Vec::new();
    let mut to = renderer(Format::Markdown, &Product::new("Carryall", "carryall"), &mut out);
    let facts = Facts { title: Some(texts[0].to_owned()), ..Facts::default() };
    begin(&mut *to, &facts);
    for text in texts.iter().copied().chain(["next"]) {
        let some = Some(text);
        let entry = Entry { text: some, reasoning: some, result: some, ..Entry::new(kind) };
        to.entry(&Entry { calls: 1, model: some, role: some, ..entry }).unwrap();
        let result = Some(ToolResult { text, ..ToolResult::default() });
        to.call(&ToolCall { result, ..ToolCall::new(text, text) }).unwrap();
    }
    to.finish(&Found::default(), &LeftOut::default()).unwrap();
    to.close().unwrap();
    drop(to);
    let document = String::from_utf8(out).unwrap();
    let pieces = check_frame(&document).unwrap_or_else(|e| panic!("{e}\n{document}"));
    assert_eq!(pieces.len(), 2 * (texts.len() + 1), "{document}");
    for (piece, text) in pieces.iter().zip(texts.iter().flat_map(|text| [text, text])) {
        for part in &piece.parts {
            assert_eq!(part.bytes, shown(text).as_bytes(), "{}\n{document}", part.name);
        }
    }
}

fn begin(to: &mut dyn Renderer, facts: &Facts) {
    let (options, exported_at) = (Options::default(), crate::EXPORTED_AT);
    let header = Header { facts, exported_at, options, place: Place::Root, subagents: &[] };
    to.begin(&header).unwrap();
}
