//! Whatever stands in a transcript, in whatever place: the page stays the page.

use crate::page::{Page, assert_inert};
use crate::places::{PLACES, mapped_output};
use carryall_model::{Entry, EntryKind, Facts, ToolCall, ToolResult};
use proptest::prelude::*;
use std::collections::HashSet;

/// Pieces of which hostile texts are made.
const PIECES: &[&str] = &[
    "<",
    ">",
    "&",
    "\"",
    "'",
    "`",
    "=",
    "/",
    "</pre>",
    "<script>",
    "<!--",
    "-->",
    "]]>",
    "&lt;",
    "&#13;",
    "</details>",
    "</style>",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "\n\n",
    "```\n",
    "~~~\n",
    "| a |\n",
    "# h\n",
    "\0",
    "\x07",
    "\x08",
    "\x0c",
    "\x7f",
    "\u{85}",
    "\u{9b}31m",
    "\u{ad}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{e0041}",
    "\u{2028}",
    "\u{fffd}",
    "\u{ffff}",
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[m",
    "\x1b[2K",
    "\x1b]0;t\x07",
    "\x1b",
    "\x1b[1;38;5;196m",
    "\x1b[48:2::1:2:3m",
    "é",
    "神",
    "🦀",
    "عر",
    "word",
    "+",
    "-",
    "@@",
    "2026-09-14T08:30:02Z",
    "exit code 7",
];

fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z ]{1,40}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Escape sequences, whole, odd and cut.
fn terminal() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => "\x1b\\[[0-9;:]{0,9}m",
        1 => "\x1b\\[[0-9;:?>]{0,4}[A-Za-z]?",
        2 => "[a-z<&\n]{1,5}",
        1 => Just("\x1b".to_owned()),
    ];
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn any_text_in_any_place_is_exact_and_inert(text in hostile(), at in 0..PLACES.len()) {
        let place = &PLACES[at];
        let page = place.render(&text);
        assert_inert(&page);
        if let Some(expected) = place.expected(&text) {
            prop_assert_eq!(place.shown(&page), expected, "{}", place.name);
        }
    }
}

proptest! {
    /// A parse error would be a tag that is not closed, or closed twice.
    #[test]
    fn any_terminal_output_keeps_its_text_and_balances_its_spans(text in terminal()) {
        let result = Some(ToolResult { text: &text, ..ToolResult::default() });
        let page = Page::of_call(&ToolCall { result, ..ToolCall::new("t", "Read") });
        assert_inert(&page);
        if !text.is_empty() {
            prop_assert_eq!(page.text(".body pre"), mapped_output(&text));
        }
        for span in page.all(".body pre span") {
            prop_assert!(span.text().next().is_some(), "an empty span");
        }
    }

    /// Any order of entries and calls gives one tree, with ids and headings in order.
    #[test]
    fn any_run_of_entries_is_a_sound_page(
        run in proptest::collection::vec((0..8_usize, any::<bool>(), 0..3_u32), 0..12)
    ) {
        const KINDS: [EntryKind; 8] = [
            EntryKind::User, EntryKind::Assistant, EntryKind::ToolResult,
            EntryKind::CompactionSummary, EntryKind::PlanDocument, EntryKind::System,
            EntryKind::Command, EntryKind::Other,
        ];
        let page = Page::of_facts(&Facts::default(), |page| {
            for &(kind, is_meta, calls) in &run {
                let text = Some("text");
                page.entry(&Entry { text, is_meta, calls, ..Entry::new(KINDS[kind]) }).unwrap();
                (0..calls).for_each(|_| page.call(&ToolCall::new("t", "Read")).unwrap());
            }
        });
        assert_inert(&page);
        prop_assert_eq!(page.all("main > article").len(), run.len());
        let calls: u32 = run.iter().map(|(_, _, calls)| calls).sum();
        prop_assert_eq!(page.all("main > article > .calls > details.call").len(), calls as usize);
        let ids: Vec<_> = page.all("[id]").iter().map(|it| it.value().attr("id")).collect();
        prop_assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
    }
}
