//! Cases of the first exporter of this kind, by the numbers of its checklist, and what the header
//! and the ends of a Markdown export say.

use crate::support::{raw, render, root, text};
use carryall_model::*;
use carryall_render::{Format, Markdown, Product, Renderer};

fn one_call(call: &ToolCall<'_>) -> String {
    render(Format::Markdown, &Facts::default(), |to| {
        to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
        to.call(call).unwrap();
    })
}

#[test]
fn u25_an_empty_result_is_not_an_absent_one() {
    let empty = ToolCall { result: Some(ToolResult::default()), ..ToolCall::new("c1", "read") };
    let file = one_call(&empty);
    assert!(file.contains("call result:0 -->"));
    assert_eq!(file.matches("Result:\n\n(empty)\n").count(), 1);
    let file = one_call(&ToolCall::new("c1", "read"));
    assert!(file.contains("1.1 call -->"));
    assert!(
        file.contains("Result:\n\n(no result in the transcript)\n") && !file.contains("(empty)")
    );
}

#[test]
fn u32_a_title_of_two_lines_stays_on_one() {
    let facts = Facts { title: Some("two\nlines".into()), ..Facts::default() };
    let file = render(Format::Markdown, &facts, |to| {
        to.entry(&text(EntryKind::System, "be brief")).unwrap();
        to.entry(&text(EntryKind::Other, "no role")).unwrap();
    });
    assert!(file.contains("- **Title**: `two\\nlines`\n"));
    assert!(file.contains("\n## System\n\nbe brief\n"));
    assert!(file.contains("\n## Other\n\nno role\n"));
}

#[test]
fn u35_what_a_markdown_export_holds() {
    let facts = Facts {
        id: "sess_1".into(),
        cwd: Some("/w".into()),
        git_branch: Some("main".into()),
        ..Facts::default()
    };
    let input = raw(r#"{"path":"a.md","n":1}"#);
    let file = render(Format::Markdown, &facts, |to| {
        let attachments = [FileRef { path: "notes.md", ..FileRef::default() }];
        to.entry(&Entry { attachments: &attachments, ..text(EntryKind::User, "read it") }).unwrap();
        to.entry(&Entry { reasoning: Some("let me think"), ..text(EntryKind::Assistant, "done") })
            .unwrap();
        let result = ToolResult { text: "```\ncode ~~~\n```", ..ToolResult::default() };
        let call = ToolCall::new("c1", "read");
        to.call(&ToolCall { input: Some(Input::Json(&input)), result: Some(result), ..call })
            .unwrap();
    });
    for part in [
        "# Carryall session export\n\n- **Session**: `sess_1`\n",
        "- **Workspace**: `/w`\n- **Git branch**: `main`\n",
        "\n## User\n\nread it\n\nAttachments: `notes.md`\n",
        "\n## Assistant\n\n<details>\n<summary>Reasoning</summary>\n\nlet me think\n\n</details>\n\ndone\n",
        "\n### Tool call: `read`\n\nInput:\n\n```json\n{\n  \"path\": \"a.md\",\n  \"n\": 1\n}\n```\n",
        "\nResult:\n\n````\n```\ncode ~~~\n```\n````\n",
    ] {
        assert!(file.contains(part), "{part}\nis not in\n{file}");
    }
}

#[test]
fn u39_pictures_are_listed_under_their_call() {
    let pictures = [FileRef { path: "assets/a.png", name: Some("a.png"), ..FileRef::default() }];
    let result = ToolResult { text: "ok", pictures: &pictures, ..ToolResult::default() };
    let file = one_call(&ToolCall { result: Some(result), ..ToolCall::new("c1", "shot") });
    assert!(file.ends_with("```\nok\n```\n\nPictures: `assets/a.png`\n"), "{file}");
}

#[test]
fn an_export_is_made_in_the_name_of_its_product() {
    let mut out = Vec::new();
    let facts = Facts::default();
    let mut renderer = Markdown::new(&Product::new("Acme [x]", "acme"), &mut out);
    renderer.begin(&root(&facts, &[])).unwrap();
    drop(renderer);
    assert!(out.starts_with(b"# Acme \\[x\\] session export\n"));
}

#[test]
fn a_document_without_anything_to_say_has_no_last_section() {
    let file = render(Format::Markdown, &Facts::default(), |to| {
        to.entry(&text(EntryKind::User, "hello")).unwrap();
    });
    assert!(file.ends_with("## User\n\nhello\n"), "{file}");
}

#[test]
fn injected_messages_at_the_end_are_told_too() {
    let meta = Entry { is_meta: true, ..text(EntryKind::User, "hook") };
    let file = render(Format::Markdown, &Facts::default(), |to| {
        to.entry(&text(EntryKind::User, "hello")).unwrap();
        for _ in 0..1000 {
            to.entry(&meta).unwrap();
        }
    });
    assert!(file.ends_with(
        "hello\n\n\n*1,000 injected messages not shown (they are in the JSON export).*\n"
    ));
}

#[test]
fn notices_are_no_markup() {
    let mut out = Vec::new();
    let facts = Facts::default();
    let mut renderer = Markdown::new(&Product::new("Carryall", "carryall"), &mut out);
    renderer.begin(&root(&facts, &[])).unwrap();
    let mut found = Found::default();
    let detail = "kind <b>\n## `x` [y](z) \u{202e}";
    found.notices.push(Notice::new(NoticeKind::UnknownKind).with_detail(detail));
    renderer.finish(&found, &LeftOut::default()).unwrap();
    renderer.close().unwrap();
    drop(renderer);
    let file = String::from_utf8(out).unwrap();
    assert!(file.contains(": kind \\<b\\> ## \\`x\\` \\[y\\](z) \\u{202E}.\n"), "{file}");
}
