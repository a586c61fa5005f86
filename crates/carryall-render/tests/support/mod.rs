//! An invented session, and the few lines it takes to render one.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use carryall_model::*;
use carryall_render::{Format, Product, Renderer, renderer};
use serde_json::value::RawValue;

pub(crate) mod hostile;

pub(crate) const EXPORTED_AT: &str = "2026-09-14T09:02:47Z";

pub(crate) fn product() -> Product {
    Product::new("Carryall", "carryall")
}

pub(crate) fn root<'a>(facts: &'a Facts, subagents: &'a [ListedChild<'a>]) -> Header<'a> {
    let options = Options::default();
    Header { facts, exported_at: EXPORTED_AT, options, place: Place::Root, subagents }
}

/// Renders one document whose entries `push` pushes.
pub(crate) fn render(
    format: Format,
    facts: &Facts,
    push: impl FnOnce(&mut dyn Renderer),
) -> String {
    let mut out = Vec::new();
    {
        let mut renderer = renderer(format, &product(), &mut out);
        renderer.begin(&root(facts, &[])).unwrap();
        push(&mut *renderer);
        renderer.finish(&Found::default(), &LeftOut::default()).unwrap();
        renderer.close().unwrap();
    }
    String::from_utf8(out).unwrap()
}

pub(crate) fn text(kind: EntryKind, text: &str) -> Entry<'_> {
    Entry { text: Some(text), ..Entry::new(kind) }
}

pub(crate) fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).unwrap()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The facts of the invented session.
pub(crate) fn facts() -> Facts {
    Facts {
        id: "5973b6c2-41f0-4d8e-9a57-0c3be1d2f604".into(),
        title: some("Forecast panics on the last Sunday of October"),
        cwd: some("/home/mira/src/tidepool"),
        git_branch: some("fix/dst-days"),
        git_commit: some("9f31c2e80b7a4d51"),
        git_origin_url: some("https://git.example.org/tidepool.git"),
        model: some("claude-opus-4-1"),
        models: vec!["claude-haiku-4-5".into(), "claude-opus-4-1".into()],
        started_at: some("2026-09-14T08:30:02Z"),
        ended_at: some("2026-09-14T08:43:11Z"),
        parent_id: None,
        message_count: 31,
        user_turns: 6,
        token_usage: Some(TokenUsage {
            input_tokens: 412_906,
            output_tokens: 18_377,
            total_tokens: 431_283,
            cached_input_tokens: Some(400_000),
            reasoning_tokens: None,
        }),
        cost_usd: Some(1.25),
        source: Source {
            agent: some("claude-code"),
            agent_version: some("2.1.42"),
            path: some("/home/mira/logs/5973b6c2.jsonl"),
        },
        policy: Some(Policy { approval: some("on-request"), sandbox: None }),
        other_branches: 2,
        unreadable_rows: 1,
    }
}

fn child_facts() -> Facts {
    Facts {
        id: "explore-7c1f".into(),
        title: some("Find every use of the constant DAY"),
        model: some("claude-haiku-4-5"),
        parent_id: some("5973b6c2-41f0-4d8e-9a57-0c3be1d2f604"),
        message_count: 3,
        user_turns: 1,
        ..Facts::default()
    }
}

/// Pushes a whole session with every kind of entry, a subagent and all kinds of endings.
pub(crate) fn session(format: Format) -> String {
    let mut out = Vec::new();
    {
        let mut renderer = renderer(format, &product(), &mut out);
        let child = Child {
            id: "explore-7c1f".into(),
            title: some("Find every caller that relies on DAY"),
            tool_call_id: some("toolu_04"),
            message_count: 3,
        };
        let facts = facts();
        let listed = [ListedChild { child: &child, number: Some(1) }];
        let options = Options { subagents: true, ..Options::default() };
        renderer.begin(&Header { options, ..root(&facts, &listed) }).unwrap();
        conversation(&mut *renderer).unwrap();
        tools(&mut *renderer).unwrap();
        oddities(&mut *renderer).unwrap();
        let mut found = Found { replaced_characters: 1, hidden_characters: 6, ..Found::default() };
        found.notices.push(
            Notice::new(NoticeKind::BadRow).at(118, 402_113, 96).with_detail("not a JSON object"),
        );
        found.notices.push(Notice::new(NoticeKind::OtherBranch).with_detail("14 messages"));
        renderer.finish(&found, &LeftOut::default()).unwrap();
        subagent(&mut *renderer).unwrap();
        renderer.close().unwrap();
    }
    String::from_utf8(out).unwrap()
}

fn conversation(to: &mut dyn Renderer) -> Result<(), SinkError> {
    to.entry(&Entry { is_meta: true, ..text(EntryKind::User, "Hook: remember <b>") })?;
    let attachments = [
        FileRef {
            path: "logs/panic.txt",
            name: None,
            media_type: Some("text/plain"),
            bytes: Some(2100),
        },
        FileRef { name: Some("pasted picture"), ..FileRef::default() },
        FileRef { path: "a`b.md", ..FileRef::default() },
    ];
    to.entry(&Entry {
        id: Some("m1"),
        created_at: Some("2026-09-14T08:30:02Z"),
        attachments: &attachments,
        ..text(EntryKind::User, "It panics.\n\nFind out why & fix it.")
    })?;
    to.entry(&Entry {
        id: Some("m2"),
        parent_id: Some("m1"),
        created_at: Some("2026-09-14T08:30:09Z"),
        model: Some("claude-opus-4-1"),
        reasoning: Some("Two candidates:\n\n- `single()`\n- an `Option<T>`"),
        calls: 1,
        usage: Some(TokenUsage {
            input_tokens: 5,
            output_tokens: 2,
            total_tokens: 7,
            ..TokenUsage::default()
        }),
        stop_reason: Some("tool_use"),
        ..text(EntryKind::Assistant, "I will look.\n\n```rust\nfn cut_off() {")
    })?;
    let input = raw(r#"{"file_path": "src/forecast.rs", "limit": 1.20, "limit": [ ], "deep":{}}"#);
    to.call(&ToolCall {
        input: Some(Input::Json(&input)),
        result: Some(ToolResult {
            text: "```\nconst X: &str = \"\u{1b}[0m\";\n```\n",
            completed_at: Some("2026-09-14T08:30:11Z"),
            ..ToolResult::default()
        }),
        ..ToolCall::new("toolu_01", "Read")
    })
}

fn tools(to: &mut dyn Renderer) -> Result<(), SinkError> {
    to.entry(&Entry { calls: 5, ..Entry::new(EntryKind::Assistant) })?;
    to.call(&ToolCall {
        input: Some(Input::Text("{not json")),
        result: Some(ToolResult {
            text: "401 <Unauthorized>",
            is_error: true,
            ..ToolResult::default()
        }),
        ..ToolCall::new("toolu_02", "mcp__tracker__get_issue")
    })?;
    let input = raw(r#""a string\nof two lines""#);
    let pictures = [FileRef {
        path: "docs/nightly.png",
        media_type: Some("image/png"),
        bytes: Some(183_400),
        ..FileRef::default()
    }];
    to.call(&ToolCall {
        input: Some(Input::Json(&input)),
        result: Some(ToolResult { pictures: &pictures, ..ToolResult::default() }),
        ..ToolCall::new("toolu_03", "")
    })?;
    let input = raw(r#"{"prompt":"Find"}"#);
    to.call(&ToolCall {
        input: Some(Input::Json(&input)),
        result: Some(ToolResult { text: "Three uses.", ..ToolResult::default() }),
        subagent: Some("explore-7c1f"),
        ..ToolCall::new("toolu_04", "Task")
    })?;
    to.call(&ToolCall { subagent: Some("elsewhere"), ..ToolCall::new("toolu_05", "Task") })?;
    to.call(&ToolCall::new("", "Bash"))
}

fn oddities(to: &mut dyn Renderer) -> Result<(), SinkError> {
    to.entry(&Entry {
        result: Some(" M src/forecast.rs\n"),
        ran_shell: true,
        ..text(EntryKind::Command, "!git status --short")
    })?;
    to.entry(&Entry { result: Some(""), ..text(EntryKind::Command, "/clear") })?;
    to.entry(&text(EntryKind::Command, "/model"))?;
    to.entry(&Entry { is_meta: true, ..text(EntryKind::User, "wake") })?;
    to.entry(&Entry { is_meta: true, calls: 1, ..text(EntryKind::Assistant, "API error") })?;
    to.call(&ToolCall::new("meta", "Hidden"))?;
    let plan = Plan {
        slug: "local-days",
        name: Some("Local days"),
        overview: Some("One calendar."),
        path: Some("plans/local-days.plan.md"),
        updated_at: Some("2026-09-14T08:35:00Z"),
    };
    to.entry(&Entry {
        plan: Some(&plan),
        ..text(EntryKind::PlanDocument, "# Local days\n\n1. Move it.\n")
    })?;
    to.entry(&Entry { tool_call_id: Some("toolu_99"), ..text(EntryKind::ToolResult, "# late") })?;
    to.entry(&Entry { tool_call_id: Some("toolu_98"), ..text(EntryKind::ToolResult, "") })?;
    to.entry(&Entry {
        model: Some("claude-opus-4-1"),
        ..text(EntryKind::CompactionSummary, "So far.")
    })?;
    to.entry(&text(EntryKind::System, "Limits changed."))?;
    to.entry(&Entry {
        role: Some("developer"),
        ..text(EntryKind::Other, "Prefer small commits.")
    })?;
    to.entry(&Entry {
        created_at: Some("yesterday\n# noon"),
        ..text(EntryKind::User, "returns Vec<String>\u{2028}")
    })
}

fn subagent(to: &mut dyn Renderer) -> Result<(), SinkError> {
    let facts = child_facts();
    to.begin(&Header { place: Place::Child(1), ..root(&facts, &[]) })?;
    to.entry(&text(EntryKind::User, "Find every use."))?;
    to.entry(&Entry { calls: 1, ..text(EntryKind::Assistant, "I search.") })?;
    let input = raw(r#"{"pattern":"\\bDAY\\b"}"#);
    to.call(&ToolCall {
        input: Some(Input::Json(&input)),
        result: Some(ToolResult { text: "src/almanac.rs:9", ..ToolResult::default() }),
        ..ToolCall::new("toolu_11", "Grep")
    })?;
    let mut found = Found::default();
    found.notices.push(Notice::new(NoticeKind::CutShort).at(7, 1200, 31));
    to.finish(&found, &LeftOut { tools: 2, thinking: 0 })
}
