//! What each row becomes.

use super::*;
use carryall_model::TokenUsage;

#[test]
fn u24_eight_rows_become_six_entries() {
    let folder = Folder::of(
        json!({"title": "Readme review"}),
        json!([
            {"role": "user", "created_at": "2026-09-06T10:00:00Z", "content": "look at @README.md\n\n<coddy_attachment path=\"README.md\" name=\"README.md\">\n<![CDATA[# body]]>\n</coddy_attachment>"},
            {"role": "assistant", "content": "", "reasoning": "thinking", "model": "a/b",
             "created_at": "2026-09-06T10:00:05Z", "tool_calls": [
                {"id": "call_1", "name": "read", "input": "{\"path\":\"README.md\"}"},
                {"id": "call_2", "name": "grep", "input": "{not json"}]},
            {"role": "tool", "content": "# body", "tool_call_id": "call_1"},
            {"role": "tool", "content": "```\ncode\n```", "tool_call_id": "call_2"},
            {"role": "assistant", "content": "Done.", "model": "a/b"},
            {"role": "user", "content": "Compacted:\n\nolder", "model": "a/b", "compaction_summary": true},
            {"role": "tool", "content": "late", "tool_call_id": "orphan"},
            {"role": "assistant", "content": "", "created_at": "2026-09-06T10:01:00Z",
             "plan_document": {"slug": "plan-1", "name": "Plan one", "content": "# Plan one", "body": "steps"}}
        ]),
    );
    folder.put(
        "stats.json",
        json!({"tokenUsageTotal": {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}})
            .to_string(),
    );
    let seen = folder.read();

    assert_eq!(
        seen.types(),
        ["user", "assistant", "assistant", "compaction_summary", "tool_result", "plan_document"]
    );
    assert_eq!(
        seen.entries[0],
        json!({"type": "user", "created_at": "2026-09-06T10:00:00Z", "text": "look at @README.md",
               "attachments": [["README.md", "README.md", null, null]]})
    );
    assert_eq!(
        seen.entries[1]["calls"],
        json!([
            {"id": "call_1", "name": "read", "json": "{\"path\":\"README.md\"}", "result": "# body"},
            {"id": "call_2", "name": "grep", "input": "{not json", "result": "```\ncode\n```"}
        ])
    );
    assert_eq!(seen.entries[3]["text"], "Compacted:\n\nolder");
    assert_eq!(seen.entries[3]["model"], "a/b");
    assert_eq!(seen.entries[4]["tool_call_id"], "orphan");
    assert_eq!(seen.entries[5]["text"], "# Plan one");
    assert_eq!(seen.entries[5]["plan"], json!(["plan-1", "Plan one", null, null]));

    let facts = seen.facts;
    assert_eq!((facts.message_count, facts.user_turns), (8, 1));
    assert_eq!(facts.id, "sess_one");
    assert_eq!(facts.title.as_deref(), Some("Readme review"));
    assert_eq!(facts.started_at.as_deref(), Some("2026-09-06T10:00:00Z"));
    assert_eq!(facts.ended_at.as_deref(), Some("2026-09-06T10:01:00Z"));
    assert_eq!(facts.git_branch.as_deref(), Some("branch of /ws"));
    let tokens = TokenUsage {
        input_tokens: 10,
        output_tokens: 5,
        total_tokens: 15,
        ..TokenUsage::default()
    };
    assert_eq!(facts.token_usage, Some(tokens));
    assert_eq!(seen.found, Found::default());
}

#[test]
fn u25_an_empty_result_is_there_and_a_missing_one_is_not() {
    let call = calls(&[("a", "run_command", "{}"), ("b", "glob", "{}")]);
    let seen = Folder::new(json!([call, result("a", "")])).read();
    assert_eq!(seen.entries[0]["calls"][0]["result"], "");
    assert_eq!(seen.entries[0]["calls"][1].get("result"), None);
}

#[test]
fn u32_a_title_of_several_lines_becomes_one_and_rows_without_a_role_are_of_the_system() {
    let rows = json!([
        {"role": "system", "content": "note"},
        {"role": "", "content": "no role"},
        {"content": "none at all"},
        {"role": "critic", "content": "hm"}
    ]);
    let seen = Folder::of(json!({"title": "  first line\nsecond   line  "}), rows).read();
    assert_eq!(seen.facts.title.as_deref(), Some("first line second line"));
    assert_eq!(seen.types(), ["system", "system", "system", "other"]);
    assert_eq!(seen.entries[3], json!({"type": "other", "role": "critic", "text": "hm"}));
}

#[test]
fn u39_a_picture_of_a_result_stands_under_its_call() {
    let mut shown = result("r1", "a picture");
    shown["image_parts"] = json!([
        {"data_url": "", "name": "shot.png", "file_path": "/ws/shot.png", "mime_type": "image/png", "size": 68},
        {"data_url": "data:image/png;base64,AAAA"}
    ]);
    let seen = Folder::new(json!([calls(&[("r1", "read", "{}")]), shown])).read();
    assert_eq!(
        seen.entries[0]["calls"][0]["pictures"],
        json!([["/ws/shot.png", "shot.png", "image/png", 68], ["", null, null, null]])
    );
}

#[test]
fn u40_paths_of_assets_follow_a_moved_session_only_where_the_copy_is() {
    let part = |path: &str| json!({"name": "p", "file_path": path});
    let mut said = user("look");
    said["image_parts"] = json!([
        part("/old/sess_one/assets/here.png"),
        part("C:\\old\\sess_one\\assets\\here.png"),
        part("/old/sess_one/assets/gone.png"),
        part("/old/sess_one/assets/linked.png"),
        part("/old/sess_one/assets/.."),
        part("/old/sess_one/assets/thumbnails/here.png"),
        part("/elsewhere/here.png"),
        {"data_url": "data:image/png;base64,AAAA"}
    ]);
    let folder = Folder::new(json!([said]));
    folder.put("assets/here.png", "png");
    folder.put("here.png", "png");
    std::os::unix::fs::symlink("/etc/passwd", folder.path.join("assets/linked.png")).unwrap();

    let seen = folder.read();
    let files = seen.entries[0]["attachments"].as_array().unwrap();
    let paths: Vec<_> = files.iter().map(|file| file[0].as_str().unwrap()).collect();
    let here = folder.path.join("assets/here.png");
    let here = here.to_str().unwrap();
    assert_eq!(
        paths,
        [
            here,
            here,
            "/old/sess_one/assets/gone.png",
            "/old/sess_one/assets/linked.png",
            "/old/sess_one/assets/..",
            "/old/sess_one/assets/thumbnails/here.png",
            "/elsewhere/here.png",
        ]
    );
}

#[test]
fn a_wake_row_is_said_by_nobody() {
    let mut wake = user("[background tasks finished]");
    wake["background_wake"] = json!({"tasks": []});
    let mut plain = user("and now?");
    plain["background_wake"] = json!(null);
    let seen = Folder::new(json!([wake, plain])).read();
    assert_eq!(seen.entries[0]["is_meta"], true);
    assert_eq!(seen.entries[1].get("is_meta"), None);
    assert_eq!((seen.facts.user_turns, seen.facts.message_count), (1, 2));
    assert_eq!(seen.facts.title.as_deref(), Some("and now?"));
}

#[test]
fn a_result_goes_to_the_nearest_open_call_before_it() {
    let seen = Folder::new(json!([
        result("x", "before any call"),
        calls(&[("x", "one", "")]),
        user("stop, again"),
        calls(&[("x", "two", ""), ("x", "three", "")]),
        result("x", "for two"),
        result("x", "for three"),
        result("x", "for one"),
        result("x", "for none")
    ]))
    .read();
    assert_eq!(seen.types(), ["tool_result", "assistant", "user", "assistant", "tool_result"]);
    assert_eq!(seen.entries[1]["calls"][0]["result"], "for one");
    assert_eq!(seen.entries[3]["calls"][0]["result"], "for two");
    assert_eq!(seen.entries[3]["calls"][1]["result"], "for three");
    assert_eq!(seen.entries[4]["text"], "for none");
}

#[test]
fn an_answer_without_anything_is_no_entry_and_white_space_is_something() {
    let seen = Folder::new(json!([answer(""), answer(" \n"), user("")])).read();
    assert_eq!(seen.types(), ["assistant", "user"]);
    assert_eq!(seen.entries[0]["text"], " \n");
    assert_eq!(seen.facts.message_count, 3);
}

#[test]
fn arguments_are_json_of_any_kind_or_text() {
    let inputs = [" ", r#"{"N":12345678901234567890,"F":1.50}"#, r#""word""#, " {oops ", "1E400"];
    let rows: Vec<_> = inputs.iter().map(|input| calls(&[("", "t", input)])).collect();
    let mut bare = calls(&[("", "t", "")]);
    bare["tool_calls"][0]["input"] = json!({"no": "string"});
    let seen = Folder::new(json!([rows[0], rows[1], rows[2], rows[3], rows[4], bare])).read();
    let call = |n: usize| &seen.entries[n]["calls"][0];
    assert_eq!(call(0), &json!({"id": "", "name": "t"}));
    assert_eq!(call(1)["json"], inputs[1]);
    assert_eq!(call(2)["json"], inputs[2]);
    assert_eq!(call(3)["input"], "{oops");
    assert_eq!(call(4)["json"], "1E400");
    assert_eq!(call(5)["json"], r#"{"no":"string"}"#);
}

#[test]
fn models_are_those_that_rows_name() {
    let by = |model: &str| json!({"role": "assistant", "content": "x", "model": model});
    let rows = json!([by("a"), by("b"), by("a"), by(" ")]);
    let seen = Folder::of(json!({"selectedModelId": "never/used"}), rows).read();
    assert_eq!(seen.facts.models, ["a", "b"]);
    assert_eq!(seen.facts.model.as_deref(), Some("a"));
    let none = Folder::of(json!({"selectedModelId": "never/used"}), json!([user("hi")])).read();
    assert_eq!(none.facts.model, None);
}

#[test]
fn a_title_is_the_pinned_one_then_the_shown_one_then_the_first_prompt() {
    let rows = json!([user("<coddy_session_assets>x</coddy_session_assets>"), user("a\n  b")]);
    let title = |facts| Folder::of(facts, rows.clone()).read().facts.title.unwrap();
    assert_eq!(title(json!({"title": "shown", "titlePinned": "pinned"})), "pinned");
    assert_eq!(title(json!({"title": "shown", "titlePinned": " "})), "shown");
    assert_eq!(title(json!({})), "a b");
    let long = Folder::new(json!([user(&"ä".repeat(121))])).read().facts.title.unwrap();
    assert_eq!(long, format!("{}...", "ä".repeat(120)));
    let short = Folder::new(json!([user(&"ä".repeat(120))])).read().facts.title.unwrap();
    assert_eq!(short, "ä".repeat(120));
}

#[test]
fn a_field_of_an_odd_type_is_an_absent_one() {
    let seen = Folder::of(
        json!({"title": 7, "cwd": ["/ws"]}),
        json!([
            {"role": "user", "content": "hi", "created_at": 5, "image_parts": "none", "new": {"a": 1}},
            {"role": "assistant", "content": "ho", "model": {}, "tool_calls": [null, 3, {"id": 4, "name": "t"}],
             "plan_document": "none", "compaction_summary": "yes"}
        ]),
    )
    .read();
    assert_eq!(seen.entries[0], json!({"type": "user", "text": "hi"}));
    let call = json!([{"id": "", "name": "t"}]);
    assert_eq!(seen.entries[1], json!({"type": "assistant", "text": "ho", "calls": call}));
    assert_eq!(seen.facts.title.as_deref(), Some("hi"));
    assert_eq!((seen.facts.cwd, seen.facts.git_branch), (None, None));
    assert!(seen.found.is_empty());
}

#[test]
fn a_plan_without_content_shows_its_body() {
    let row = json!({"role": "assistant", "content": "", "model": "a", "plan_document":
        {"slug": "s", "overview": "o", "content": "", "body": "1. a", "path": "/p", "discarded": true}});
    let seen = Folder::new(json!([row])).read();
    assert_eq!(
        seen.entries,
        [json!({"type": "plan_document", "text": "1. a", "plan": ["s", null, "o", "/p"]})]
    );
}

#[test]
fn tokens_of_nothing_are_not_told() {
    let folder = Folder::new(json!([user("hi")]));
    assert_eq!(folder.read().facts.token_usage, None);
    folder.put("stats.json", r#"{"tokenUsageTotal":{"inputTokens":0,"outputTokens":-1}}"#);
    assert_eq!(folder.read().facts.token_usage, None);
    folder.put("stats.json", "not JSON");
    assert_eq!(folder.read().facts.token_usage, None);
}

#[test]
fn only_the_entries_asked_for_are_pushed() {
    let folder = Folder::new(json!([user("0"), user("1"), user("2")]));
    let mut sink = Sink::default();
    open(&folder.path).unwrap().replay(1..2, &mut sink).unwrap();
    assert_eq!(sink.0, [json!({"type": "user", "text": "1"})]);
}
