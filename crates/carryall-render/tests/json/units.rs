//! Cases of the first exporter of this kind, by the numbers of its checklist.

use crate::support::{raw, render, text};
use carryall_model::*;
use carryall_render::{Format, Renderer};
use serde_json::{Value, json};

fn facts() -> Facts {
    Facts {
        id: "sess_1".into(),
        started_at: Some("2026-09-06T12:00:00Z".into()),
        message_count: 8,
        user_turns: 1,
        token_usage: Some(TokenUsage {
            input_tokens: 10,
            output_tokens: 5,
            total_tokens: 15,
            ..TokenUsage::default()
        }),
        ..Facts::default()
    }
}

/// Eight rows of a session, of which two are results that belong to their calls.
fn eight_rows(to: &mut dyn Renderer) {
    let attachments = [FileRef { path: "notes.md", ..FileRef::default() }];
    to.entry(&Entry { attachments: &attachments, ..text(EntryKind::User, "read it") }).unwrap();
    let assistant = Entry { model: Some("m"), ..text(EntryKind::Assistant, "reading") };
    to.entry(&Entry { reasoning: Some("think"), calls: 2, ..assistant }).unwrap();
    let input = raw(r#"{"path":"a.md"}"#);
    let result = Some(ToolResult { text: "A", ..ToolResult::default() });
    let call = ToolCall { result, ..ToolCall::new("c1", "read") };
    to.call(&ToolCall { input: Some(Input::Json(&input)), ..call }).unwrap();
    to.call(&ToolCall { id: "c2", input: Some(Input::Text("{oops")), ..call }).unwrap();
    to.entry(&Entry { tool_call_id: Some("c9"), ..text(EntryKind::ToolResult, "late") }).unwrap();
    to.entry(&text(EntryKind::CompactionSummary, "so far")).unwrap();
    let plan = Plan { slug: "p", name: Some("Plan"), ..Plan::default() };
    to.entry(&Entry { plan: Some(&plan), ..text(EntryKind::PlanDocument, "the plan") }).unwrap();
    to.entry(&text(EntryKind::Assistant, "done")).unwrap();
}

fn document() -> Value {
    serde_json::from_str(&render(Format::Json, &facts(), eight_rows)).unwrap()
}

const TYPES: [&str; 6] =
    ["user", "assistant", "tool_result", "compaction_summary", "plan_document", "assistant"];

#[test]
fn u24_the_shape_of_a_document() {
    let document = document();
    assert_eq!(document["version"], 1);
    let usage = json!({"input_tokens": 10, "output_tokens": 5, "total_tokens": 15});
    assert_eq!(
        document["session"],
        json!({"id": "sess_1", "started_at": "2026-09-06T12:00:00Z",
            "exported_at": "2026-09-14T09:02:47Z", "message_count": 8, "user_turns": 1,
            "token_usage": usage})
    );
    let entries = document["entries"].as_array().unwrap();
    let types: Vec<_> = entries.iter().map(|entry| entry["type"].as_str().unwrap()).collect();
    assert_eq!(types, TYPES);
    assert_eq!(entries[0]["attachments"], json!([{"path": "notes.md"}]));
    assert_eq!(
        entries[1]["tool_calls"],
        json!([{"id": "c1", "name": "read", "input": {"path": "a.md"}, "result": "A"},
            {"id": "c2", "name": "read", "input": "{oops", "result": "A"}])
    );
    assert_eq!(entries[2], json!({"type": "tool_result", "text": "late", "tool_call_id": "c9"}));
    assert_eq!(entries[4]["plan"], json!({"slug": "p", "name": "Plan"}));
    assert_eq!(document.as_object().unwrap().len(), 3, "no empty end, no empty subagents");
}

#[test]
fn u24_a_document_without_entries() {
    let document = render(Format::Json, &Facts::default(), |_| {});
    assert!(document.ends_with("},\n  \"entries\": []\n}\n"), "{document}");
}

#[test]
fn u25_an_empty_result_is_present_and_a_missing_one_absent() {
    let calls = |result| {
        let document = render(Format::Json, &Facts::default(), |to| {
            to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            to.call(&ToolCall { result, ..ToolCall::new("c", "t") }).unwrap();
        });
        let document: Value = serde_json::from_str(&document).unwrap();
        document["entries"][0]["tool_calls"][0].clone()
    };
    assert_eq!(calls(Some(ToolResult::default())), json!({"id": "c", "name": "t", "result": ""}));
    assert_eq!(calls(None), json!({"id": "c", "name": "t"}));
}

#[test]
fn u32_all_formats_render_a_system_entry() {
    for format in Format::ALL {
        let file = render(format, &Facts::default(), |to| {
            to.entry(&text(EntryKind::System, "be brief")).unwrap();
        });
        assert!(file.contains("be brief"), "{format:?}");
    }
}

#[test]
fn u37_json_reads_back_and_lines_hold_the_same() {
    let document = document();
    assert_eq!(document["session"]["id"], "sess_1");
    assert_eq!(document["entries"][1]["tool_calls"][0]["input"]["path"], "a.md");
    let lines = render(Format::JsonLines, &facts(), eight_rows);
    assert!(lines.ends_with("}\n") && !lines.contains('\r'));
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1 + TYPES.len());
    assert_eq!((&lines[0]["type"], &lines[0]["version"]), (&json!("session"), &json!(1)));
    assert_eq!(lines[1..], *document["entries"].as_array().unwrap());
}

#[test]
fn u39_pictures_stand_with_their_call() {
    let pictures =
        [FileRef { path: "a.png", name: Some("a"), bytes: Some(0), ..FileRef::default() }];
    let document = render(Format::Json, &Facts::default(), |to| {
        to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
        let result = Some(ToolResult { pictures: &pictures, ..ToolResult::default() });
        to.call(&ToolCall { result, ..ToolCall::new("c", "t") }).unwrap();
    });
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(
        document["entries"][0]["tool_calls"][0]["pictures"],
        json!([{"path": "a.png", "name": "a", "bytes": 0}])
    );
}

#[test]
fn a_cost_that_is_no_number_is_left_out() {
    for (cost, shown) in
        [(f64::NAN, None), (f64::INFINITY, None), (0.1 + 0.2, Some("0.30000000000000004"))]
    {
        let document =
            render(Format::JsonLines, &Facts { cost_usd: Some(cost), ..Facts::default() }, |_| {});
        let found = document
            .split_once("\"cost_usd\":")
            .map(|(_, rest)| rest.trim_end_matches(['}', '\n']));
        assert_eq!(found, shown);
    }
}
