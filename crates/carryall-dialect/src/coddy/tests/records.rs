//! What lies beside the rows of a tool call.

use super::*;

fn meta(id: &str, status: &str) -> String {
    json!({"version": 1, "toolCallId": id, "name": "t", "kind": "execute", "status": status,
           "startedAt": "2026-09-06T11:00:02Z", "finishedAt": "2026-09-06T11:00:05Z"})
    .to_string()
}

#[test]
fn how_a_call_ended_and_when_is_taken_from_its_record() {
    let folder = Folder::new(json!([
        calls(&[("a", "t", "{\"n\": 1.50}"), ("b", "t", "")]),
        result("a", "no"),
        {"role": "tool", "content": "yes", "tool_call_id": "b", "created_at": "2026-09-06T11:00:09Z"}
    ]));
    folder.put("tool_calls/a/meta.json", meta("a", "failed"));
    folder.put("tool_calls/a/args.json", "{\"n\": 1.5, \"made\": \"up\"}");
    folder.put("tool_calls/a/result.md", "another text\n");
    folder.put("tool_calls/b/meta.json", meta("b", "completed"));
    assert_eq!(
        folder.read().entries[0]["calls"],
        json!([
            {"id": "a", "name": "t", "json": "{\"n\": 1.50}", "result": "no", "is_error": true,
             "completed_at": "2026-09-06T11:00:05Z", "seconds": 3},
            {"id": "b", "name": "t", "result": "yes",
             "completed_at": "2026-09-06T11:00:09Z", "seconds": 3}
        ])
    );
}

#[test]
fn a_lost_result_is_filled_in_when_the_call_has_ended() {
    let folder = Folder::new(json!([calls(&[
        ("a", "t", ""),
        ("b", "t", ""),
        ("c", "t", ""),
        ("d", "t", "")
    ])]));
    folder.put("tool_calls/a/meta.json", meta("a", "completed"));
    folder.put("tool_calls/a/result.md", b"kept \xff\n\n");
    folder.put("tool_calls/b/meta.json", meta("b", "completed"));
    folder.put("tool_calls/b/result.md", "");
    folder.put("tool_calls/c/meta.json", r#"{"toolCallId":"c","status":"pending"}"#);
    folder.put("tool_calls/c/result.md", "");
    folder.put("tool_calls/d/meta.json", meta("another", "completed"));
    folder.put("tool_calls/d/result.md", "another's");
    let seen = folder.read();
    let results: Vec<_> =
        (0..4).map(|n| seen.entries[0]["calls"][n].get("result").cloned()).collect();
    assert_eq!(results, [Some(json!("kept \u{fffd}\n")), Some(json!("")), None, None]);
    assert_eq!(seen.found.replaced_characters, 1);
}

#[test]
fn the_record_of_an_id_that_two_calls_have_is_nobodys() {
    let folder = Folder::new(json!([calls(&[("a", "t", "")]), calls(&[("a", "t", "")])]));
    folder.put("tool_calls/a/meta.json", meta("a", "failed"));
    folder.put("tool_calls/a/result.md", "whose?");
    let seen = folder.read();
    for entry in &seen.entries {
        assert_eq!(entry["calls"], json!([{"id": "a", "name": "t"}]));
    }
}

#[test]
fn an_id_that_names_no_folder_is_found_by_its_record() {
    let folder = Folder::new(json!([calls(&[("../a:1", "t", "")])]));
    folder.put("tool_calls/6f2c/meta.json", meta("../a:1", "completed"));
    folder.put("tool_calls/6f2c/result.md", "found");
    assert_eq!(folder.read().entries[0]["calls"][0]["result"], "found");
}

#[test]
fn no_link_leads_out_of_the_session() {
    let folder = Folder::new(json!([calls(&[("a", "t", ""), ("b", "t", "")])]));
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir(outside.path().join("b")).unwrap();
    for (name, bytes) in [("secret", "secret".to_owned()), ("b/meta.json", meta("b", "failed"))] {
        fs::write(outside.path().join(name), bytes).unwrap();
    }
    folder.put("tool_calls/a/meta.json", meta("a", "completed"));
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(outside.path().join(to), folder.path.join(name)).unwrap();
    };
    link("secret", "tool_calls/a/result.md");
    link("b", "tool_calls/b");
    let seen = folder.read();
    assert_eq!(seen.entries[0]["calls"][0].get("result"), None);
    assert_eq!(seen.entries[0]["calls"][1], json!({"id": "b", "name": "t"}));
}

#[test]
fn a_pipe_beside_the_rows_is_not_waited_for() {
    let folder = Folder::new(json!([calls(&[("a", "t", "")])]));
    folder.put("tool_calls/a/meta.json", meta("a", "completed"));
    let pipe = folder.path.join("tool_calls/a/result.md");
    let (kind, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, mode, 0).unwrap();
    assert_eq!(folder.read().entries[0]["calls"][0].get("result"), None);
}
