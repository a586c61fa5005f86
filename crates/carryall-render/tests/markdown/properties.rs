//! Any text in any place: the frame stands, and every part comes back byte for byte.

use crate::frame::{check_frame, shown};
use crate::reader::Piece;
use crate::support::{hostile, raw, render, text};
use carryall_model::*;
use carryall_render::Format;
use proptest::prelude::*;

/// An entry with its calls, owned.
#[derive(Clone, Debug)]
struct Made {
    kind: EntryKind,
    text: String,
    reasoning: String,
    value: String,
    calls: Vec<(String, Option<String>, bool)>,
}

fn made() -> impl Strategy<Value = Made> {
    let kinds = [
        EntryKind::User,
        EntryKind::Assistant,
        EntryKind::ToolResult,
        EntryKind::CompactionSummary,
        EntryKind::PlanDocument,
        EntryKind::System,
        EntryKind::Command,
        EntryKind::Other,
    ];
    let call = (hostile::text(), prop::option::of(hostile::text()), any::<bool>());
    (
        prop::sample::select(kinds.to_vec()),
        hostile::text(),
        prop_oneof![2 => Just(String::new()), 1 => hostile::text()],
        hostile::text(),
        prop::collection::vec(call, 0..2),
    )
        .prop_map(|(kind, text, reasoning, value, calls)| Made {
            kind,
            text,
            reasoning,
            value,
            calls,
        })
}

fn file(entries: &[Made]) -> String {
    let value = entries.first().map(|entry| entry.value.clone());
    let facts = Facts { title: value.clone(), cwd: value, ..Facts::default() };
    render(Format::Markdown, &facts, |to| {
        for made in entries {
            let value = Some(made.value.as_str());
            let plan = Plan { name: value, path: value, ..Plan::default() };
            let file = FileRef { path: &made.value, media_type: value, ..FileRef::default() };
            to.entry(&Entry {
                reasoning: Some(&made.reasoning),
                result: Some(&made.value),
                role: value,
                model: value,
                created_at: value,
                tool_call_id: value,
                attachments: &[file],
                plan: (made.kind == EntryKind::PlanDocument).then_some(&plan),
                ..text(made.kind, &made.text)
            })
            .unwrap();
            for (input, result, as_json) in &made.calls {
                let json = raw(&serde_json::to_string(&[input]).unwrap());
                let input = if *as_json { Input::Json(&json) } else { Input::Text(input) };
                let result =
                    result.as_deref().map(|text| ToolResult { text, ..ToolResult::default() });
                let call = ToolCall::new(&made.value, &made.value);
                to.call(&ToolCall { input: Some(input), result, ..call }).unwrap();
            }
        }
    })
}

/// What each marker must list, in order, with the bytes of each part.
fn expected(entries: &[Made]) -> Vec<(String, Vec<(&'static str, String)>)> {
    let mut pieces = Vec::new();
    for (at, made) in entries.iter().enumerate() {
        let number = at + 1;
        let mut parts = Vec::new();
        for (name, text) in [("reasoning", &made.reasoning), ("text", &made.text)] {
            if !text.is_empty() {
                parts.push((name, shown(text)));
            }
        }
        if made.kind == EntryKind::Command {
            parts.push(("result", shown(&made.value)));
        }
        pieces.push((number.to_string(), parts));
        for (call, (input, result, as_json)) in made.calls.iter().enumerate() {
            let json = || format!("[\n  {}\n]", serde_json::to_string(input).unwrap());
            let input = if *as_json { json() } else { input.clone() };
            let mut parts = vec![("input", shown(&input))];
            parts.extend(result.as_ref().map(|text| ("result", shown(text))));
            pieces.push((format!("{number}.{}", call + 1), parts));
        }
    }
    pieces
}

fn found(pieces: &[Piece]) -> Vec<(String, Vec<(&str, String)>)> {
    let part = |part: &crate::reader::Part| String::from_utf8(part.bytes.clone()).unwrap();
    pieces
        .iter()
        .map(|piece| {
            let parts = piece.parts.iter().map(|p| (known(&p.name), part(p))).collect();
            (piece.number.clone(), parts)
        })
        .collect()
}

fn known(name: &str) -> &'static str {
    ["reasoning", "text", "input", "result"].into_iter().find(|known| *known == name).unwrap()
}

fn check(entries: &[Made]) -> Result<(), String> {
    let file = file(entries);
    let pieces = check_frame(&file).map_err(|e| format!("{e}\n{file}"))?;
    let (found, expected) = (found(&pieces), expected(entries));
    if found == expected { Ok(()) } else { Err(format!("{found:?}\nnot {expected:?}\n{file}")) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_frame_stands_and_parts_come_back(entries in prop::collection::vec(made(), 1..4)) {
        check(&entries).map_err(TestCaseError::fail)?;
    }
}

/// Answers with these texts, and one behind them to be swallowed.
fn texts(list: &[&str]) -> Vec<Made> {
    list.iter()
        .chain(&["next"])
        .map(|text| Made {
            kind: EntryKind::Assistant,
            text: (*text).to_owned(),
            reasoning: String::new(),
            value: "x".to_owned(),
            calls: Vec::new(),
        })
        .collect()
}

#[test]
fn texts_that_bend_each_other_stay_apart() {
    for list in [
        ["[x]: /u", "[[x]](<plaintext>)"],
        ["[x`y]: /u", "[a][x`y] <plaintext> `z"],
        ["[^a`b]: note", "[^a`b] <plaintext> `z"],
        ["```markdown\n", "```markdown\ntext\n```"],
        ["a\n\n```markdown\nb\n```", "````markdown"],
        ["\u{feff}```\ncode", "\u{feff}<b>"],
        ["- a\n\n  ```\n", "> ~~~"],
        ["```\r\t`", "```\n```\t"],
        ["www.a.example/`x <plaintext> `", "www.a.example/\\<plaintext>"],
        ["${```$<plaintext>```", "- [```+++\n<b>\n```rust```markdown\n"],
        ["| x ` | <plaintext> | ` |\n|---|---|---|\n", "[^1]: a\n\n    <script>"],
    ] {
        check(&texts(&list)).unwrap();
    }
}
