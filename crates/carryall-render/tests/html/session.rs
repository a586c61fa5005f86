//! An invented session with everything that a page can show.

use super::page::{begin, child};
use carryall_model::{
    Edit, Entry, EntryKind, Facts, FileRef, Found, Input, LeftOut, ListedChild, Notice, NoticeKind,
    Place, Plan, Source, TokenUsage, ToolCall, ToolResult,
};
use carryall_render::Renderer;
use serde_json::value::RawValue;
use std::time::Duration;

const MODEL: &str = "claude-opus-4-1";

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The session's facts.
pub(crate) fn facts() -> Facts {
    Facts {
        id: "5973b6c2-41f0-4d8e-9a57-0c3be1d2f604".into(),
        title: text("Ferry timetable: \"first\" <and> last boat & the day of the clock change"),
        cwd: text("/home/mira/src/ferry"),
        git_branch: text("fix/last-boat"),
        git_commit: text("9f31c2e80b7a4d51"),
        model: text(MODEL),
        models: vec![MODEL.into()],
        started_at: text("2026-09-14T23:30:02Z"),
        ended_at: text("2026-09-15T00:43:11Z"),
        message_count: 1031,
        user_turns: 3,
        token_usage: Some(TokenUsage {
            input_tokens: 412_906,
            output_tokens: 18_377,
            total_tokens: 431_283,
            ..TokenUsage::default()
        }),
        source: Source { agent: text("claude-code"), agent_version: text("2.1.42"), path: None },
        other_branches: 2,
        unreadable_rows: 1,
        ..Facts::default()
    }
}

/// Writes all of it: the session and one subagent.
pub(crate) fn write(page: &mut dyn Renderer) {
    let child = child("explore-7c1f", "Find who relies on DAY", "toolu_task");
    begin(page, &facts(), Place::Root, &[ListedChild { child: &child, number: Some(1) }]);
    opening(page);
    calls(page);
    failures(page);
    the_rest(page);
    page.finish(&found(), &LeftOut::default()).unwrap();
    subagent(page);
}

fn found() -> Found {
    let mut found = Found { replaced_characters: 1, hidden_characters: 6, ..Found::default() };
    found.notices.push(Notice::new(NoticeKind::BadRow).at(118, 402_113, 96));
    found.notices.push(Notice::new(NoticeKind::OtherBranch).with_detail("14 <messages>"));
    found
}

fn at(time: &'static str) -> Entry<'static> {
    Entry { created_at: Some(time), ..Entry::new(EntryKind::User) }
}

fn answer(time: &'static str, text: &'static str, calls: u32) -> Entry<'static> {
    let text = Some(text).filter(|text| !text.is_empty());
    Entry { kind: EntryKind::Assistant, model: Some(MODEL), text, calls, ..at(time) }
}

fn opening(page: &mut dyn Renderer) {
    let env = "<env>\nPlatform: linux\n</env>";
    page.entry(&Entry { text: Some(env), is_meta: true, ..at("2026-09-14T23:30:01Z") }).unwrap();
    let files = [
        FileRef {
            path: "logs/<panic>.txt",
            media_type: Some("text/plain"),
            bytes: Some(2_100),
            ..FileRef::default()
        },
        FileRef { name: Some("photo.png"), ..FileRef::default() },
    ];
    let prompt = "`ferry next --pier 4` panics on the last Sunday.\n\nFind out why; keep the \
        public API & add tests. \u{200f}\u{5e2}\u{5d1}\u{5e8}\u{5d9}\u{5ea}\u{200f}";
    let prompt = Entry { text: Some(prompt), attachments: &files, ..at("2026-09-14T23:30:02Z") };
    page.entry(&prompt).unwrap();
}

fn calls(page: &mut dyn Renderer) {
    let first = answer("2026-09-14T23:30:09Z", "I will look at the code that builds a day.", 3);
    let reasoning = Some("Two candidates.\n\nRead first.");
    page.entry(&Entry { reasoning, ..first }).unwrap();
    let listing: String =
        (1..=30).map(|n| format!("{n:>6}\tlet x = Vec::<u8>::new();\n")).collect();
    let result = ToolResult {
        text: &listing,
        completed_at: Some("2026-09-14T23:30:10Z"),
        ..ToolResult::default()
    };
    call(
        page,
        "toolu_1",
        "Read",
        r#"{"file_path":"/home/mira/src/ferry/src/day.rs","limit":30}"#,
        Some(result),
    );
    let hits = ToolResult { text: "src/day.rs:12: hours(24)\n", ..ToolResult::default() };
    call(
        page,
        "toolu_2",
        "Grep",
        r#"{"pattern":"hours\\(24\\)","path":"src","-n":true}"#,
        Some(hits),
    );
    let log = "\x1b[33m9f31c2e\x1b[m print the offset\n\x1b[33m4470b1d\x1b[m keep the zone\n\x1b[2Kdone\n";
    let log = ToolResult { text: log, ..ToolResult::default() };
    call(
        page,
        "toolu_3",
        "Bash",
        r#"{"command":"git log --oneline\ngit status","timeout":5}"#,
        Some(log),
    );

    page.entry(&answer("2026-09-14T23:31:31Z", "", 2)).unwrap();
    let input = raw(r#"{"file_path":"src/day.rs","old_string":"a\nb","new_string":"a\nc < d"}"#);
    let edits = [Edit::Replace { path: Some("src/day.rs"), old: "a\nb", new: "a\nc < d" }];
    let done = ToolResult { text: "Updated.", ..ToolResult::default() };
    page.call(&ToolCall {
        input: Some(Input::Json(&input)),
        edits: &edits,
        result: Some(done),
        ..ToolCall::new("toolu_4", "Edit")
    })
    .unwrap();
    let patch = [
        Edit::Patch { path: Some("a.rs"), patch: "@@ -1,2 +1,2 @@\n-one\n+two\n same\n" },
        Edit::Patch { path: Some("b.rs"), patch: "@@\n+three\n" },
    ];
    page.call(&ToolCall {
        input: Some(Input::Text("*** Begin Patch\n…\n*** End Patch")),
        edits: &patch,
        result: Some(ToolResult::default()),
        ..ToolCall::new("toolu_5", "apply_patch")
    })
    .unwrap();
}

fn failures(page: &mut dyn Renderer) {
    page.entry(&answer("2026-09-14T23:32:00Z", "Now the tests.", 6)).unwrap();
    let red = "Exit code 101\nrunning 1 test\n\x1b[1;31mFAILED\x1b[0m\n";
    let red = ToolResult { text: red, is_error: true, ..ToolResult::default() };
    let input = raw(r#"{"command":"cargo test"}"#);
    page.call(&ToolCall {
        input: Some(Input::Json(&input)),
        result: Some(red),
        duration: Some(Duration::from_millis(2_130)),
        ..ToolCall::new("toolu_6", "Bash")
    })
    .unwrap();
    let refused =
        ToolResult { text: "401 <Unauthorized>", is_error: true, ..ToolResult::default() };
    let issue = r#"{"project":"ferry","number":412,"fields":["title","body"],"since":null}"#;
    call(page, "toolu_7", "mcp__tracker__get_issue", issue, Some(refused));
    call(
        page,
        "toolu_8",
        "Bash",
        r#"{"command":"cargo build --release","run_in_background":true}"#,
        None,
    );
    let todos = ToolResult { text: "Todos have been modified.", ..ToolResult::default() };
    call(
        page,
        "toolu_9",
        "TodoWrite",
        r#"{"todos":[{"content":"a"},{"content":"b"}]}"#,
        Some(todos),
    );
    let picture = [FileRef {
        path: "docs/pier.png",
        media_type: Some("image/png"),
        bytes: Some(183_400),
        ..FileRef::default()
    }];
    let seen = ToolResult { pictures: &picture, ..ToolResult::default() };
    call(page, "toolu_10", "Read", r#"{"file_path":"docs/pier.png"}"#, Some(seen));
    let task = raw(
        r#"{"description":"Find who relies on DAY","prompt":"Find every use.\nChange nothing."}"#,
    );
    page.call(&ToolCall {
        input: Some(Input::Json(&task)),
        result: Some(ToolResult { text: "Three uses.", ..ToolResult::default() }),
        duration: Some(Duration::from_secs(46)),
        subagent: Some("explore-7c1f"),
        ..ToolCall::new("toolu_task", "Task")
    })
    .unwrap();
}

fn the_rest(page: &mut dyn Renderer) {
    let whole = "## What happened\n\nBoth halves are wrong:\n\n| Zone | After |\n|---|---|\n\
        | Apia | empty |\n\n```rust\nlet day = Vec::<Boat>::new();\n```\nDone & tested.";
    page.entry(&answer("2026-09-15T00:10:00Z", whole, 0)).unwrap();
    let shell = Entry {
        kind: EntryKind::Command,
        text: Some("!git status --short"),
        result: Some(" M src/day.rs\n"),
        ran_shell: true,
        ..at("2026-09-15T00:11:00Z")
    };
    page.entry(&shell).unwrap();
    let lines: String = (1..=40).map(|n| format!("{n} WARN rows=3\n")).collect();
    page.entry(&Entry { text: Some(&lines), ..at("2026-09-15T00:12:00Z") }).unwrap();
    let plan = Plan {
        slug: "local-days",
        name: Some("Local days"),
        overview: Some("Days that have 23, 24 or 25 hours."),
        path: Some("plans/local-days.plan.md"),
        updated_at: None,
    };
    let plan = Entry {
        kind: EntryKind::PlanDocument,
        text: Some("# Local days\n\n1. Move it.\n2. Use it."),
        plan: Some(&plan),
        ..at("2026-09-15T00:13:00Z")
    };
    page.entry(&plan).unwrap();
    let summary = "This session goes on from an earlier one.";
    page.entry(&Entry {
        kind: EntryKind::CompactionSummary,
        model: Some(MODEL),
        text: Some(summary),
        ..at("2026-09-15T00:14:00Z")
    })
    .unwrap();
    page.entry(&Entry {
        kind: EntryKind::ToolResult,
        tool_call_id: Some("toolu_gone"),
        text: Some("Background task b7 finished.\n"),
        ..at("2026-09-15T00:15:00Z")
    })
    .unwrap();
    let said = Some("Model limits changed.");
    page.entry(&Entry { kind: EntryKind::System, text: said, ..at("2026-09-15T00:16:00Z") })
        .unwrap();
    page.entry(&Entry {
        kind: EntryKind::Other,
        role: Some("developer"),
        text: Some("Prefer small commits."),
        ..at("yesterday")
    })
    .unwrap();
    page.entry(&Entry { text: Some("Thank you."), ..Entry::new(EntryKind::User) }).unwrap();
    page.entry(&answer("2026-09-15T00:43:11Z", "Done.", 0)).unwrap();
}

fn subagent(page: &mut dyn Renderer) {
    let facts = Facts {
        id: "explore-7c1f".into(),
        title: text("Find every use."),
        model: text("claude-haiku-4-5"),
        message_count: 3,
        ..Facts::default()
    };
    begin(page, &facts, Place::Child(1), &[]);
    let prompt = Some("Find every use.\nChange nothing.");
    page.entry(&Entry { text: prompt, ..at("2026-09-14T23:33:00Z") }).unwrap();
    let model = Some("claude-haiku-4-5");
    page.entry(&Entry { model, ..answer("2026-09-14T23:33:04Z", "I search.", 1) }).unwrap();
    let hits = ToolResult { text: "src/day.rs:9: const DAY\n", ..ToolResult::default() };
    call(page, "toolu_c1", "Grep", r#"{"pattern":"\\bDAY\\b"}"#, Some(hits));
    page.entry(&Entry { model, ..answer("2026-09-14T23:33:46Z", "Three uses.", 0) }).unwrap();
    page.finish(&Found::default(), &LeftOut::default()).unwrap();
}

/// A JSON text as recorded.
pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn call(
    page: &mut dyn Renderer,
    id: &str,
    name: &str,
    input: &str,
    result: Option<ToolResult<'_>>,
) {
    let input = raw(input);
    let input = Some(Input::Json(&input));
    page.call(&ToolCall { input, result, ..ToolCall::new(id, name) }).unwrap();
}
