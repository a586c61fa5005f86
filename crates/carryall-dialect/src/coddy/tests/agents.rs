//! The sessions of subagents below their parent's.

use super::*;

fn spawned(call: &str, said: &str) -> [Value; 2] {
    [calls(&[(call, "spawn_agent", "{}")]), result(call, said)]
}

fn parent(said: &[(&str, &str)]) -> Folder {
    let rows: Vec<_> = said.iter().flat_map(|(call, said)| spawned(call, said)).collect();
    Folder::new(json!(rows))
}

#[test]
fn subagents_are_listed_as_they_were_started_and_linked_with_their_calls() {
    let folder = parent(&[
        ("c1", "<subagent task=\"bg_1\" session=\"sess_b\" agent=\"explore\">\nsess_a said so"),
        ("c2", "Started subagent explore as background task bg_2 (child session sess_a)."),
        ("c3", "Started another as background task bg_3."),
    ]);
    let at =
        |time: &str, text: &str| json!([{"role": "user", "content": text, "created_at": time}]);
    folder.child(
        "sess_a",
        json!({"title": "agent explore: look"}),
        at("2026-09-06T11:00:00Z", "a"),
    );
    folder.child("sess_b", json!({}), at("2026-09-06T10:00:00Z", "b"));
    let facts = json!({"subagentTaskId": "bg_3", "createdAt": "2026-09-06T12:00:00Z"});
    folder.child("sess_c", facts, json!([user("c"), answer("d")]));

    let session = open(&folder.path).unwrap();
    let children: Vec<_> = session
        .children()
        .iter()
        .map(|c| (c.id.as_str(), c.title.as_deref(), c.tool_call_id.as_deref(), c.message_count))
        .collect();
    assert_eq!(
        children,
        [
            ("sess_b", Some("b"), Some("c1"), 1),
            ("sess_a", Some("agent explore: look"), Some("c2"), 1),
            ("sess_c", Some("c"), Some("c3"), 2),
        ]
    );
    let seen = Seen::of(&*session);
    let subagents: Vec<_> =
        seen.entries.iter().map(|entry| entry["calls"][0]["subagent"].as_str().unwrap()).collect();
    assert_eq!(subagents, ["sess_b", "sess_a", "sess_c"]);

    let child = session.open_child(2).unwrap();
    assert_eq!(Seen::of(&*child).texts(), ["c", "d"]);
    assert_eq!(child.facts().parent_id.as_deref(), Some("sess_one"));
    assert_eq!(child.facts().git_branch.as_deref(), Some("branch of /ws"));
    assert!(matches!(session.open_child(3), Err(OpenError::NoSuchChild { number: 3 })));
}

#[test]
fn a_link_that_is_not_certain_is_none() {
    let folder = parent(&[
        ("c1", "task bg_1 (child session sess_a)"),
        ("c2", "again sess_a"),
        ("c3", "sess_bb is another, and so is my-sess_b"),
        ("c4", "no name on the first line\nsess_b"),
    ]);
    folder.child("sess_a", json!({}), json!([]));
    folder.child("sess_b", json!({}), json!([]));
    let mut other = calls(&[("c5", "read", "{}")]);
    other["content"] = json!("sess_b");
    let session = open(&folder.path).unwrap();
    assert!(session.children().iter().all(|child| child.tool_call_id.is_none()));
}

#[test]
fn a_subagent_opened_for_itself_knows_its_parent_by_its_place() {
    let folder = parent(&[]);
    folder.child("sess_a", json!({}), json!([user("hi")]));
    folder.child("sess_b", json!({"parentSessionId": "sess_recorded"}), json!([user("hi")]));
    let parent_of = |id: &str| {
        let session = open(&folder.path.join("subagents").join(id)).unwrap();
        session.facts().parent_id.clone()
    };
    assert_eq!(parent_of("sess_a").as_deref(), Some("sess_one"));
    assert_eq!(parent_of("sess_b").as_deref(), Some("sess_recorded"));
    assert_eq!(folder.read().facts.parent_id, None);
}

#[test]
fn a_subagent_that_cannot_be_read_does_not_keep_its_parent_from_being_read() {
    let folder = parent(&[]);
    folder.child("sess_a", json!({"title": "lost", "cwd": "/elsewhere"}), json!([]));
    folder.put("subagents/sess_a/messages.json", "");
    folder.put("subagents/sess_b/session.json", "{}");
    folder.put("subagents/sess_b/messages.json", "not JSON");
    let session = open(&folder.path).unwrap();
    assert_eq!(session.children().len(), 2);
    for number in 0..2 {
        let child = session.open_child(number).unwrap();
        assert_eq!(child.facts().message_count, 0);
        assert_eq!(child.facts().unreadable_rows, 1);
        assert_eq!(Seen::of(&*child).notices(), [NoticeKind::BadRow]);
    }
    assert_eq!(session.open_child(0).unwrap().facts().git_branch, None);
}

#[test]
fn subagents_of_subagents_are_theirs() {
    let folder = parent(&[]);
    folder.child("sess_a", json!({}), json!([user("a")]));
    let deep = "subagents/sess_a/subagents/sess_deep";
    folder.put(&format!("{deep}/session.json"), "{\"id\": \"sess_deep\"}");
    folder.put(&format!("{deep}/messages.json"), json!({"messages": [user("deep")]}).to_string());
    let session = open(&folder.path).unwrap();
    assert_eq!(session.children().len(), 1);
    let child = session.open_child(0).unwrap();
    assert_eq!(child.children()[0].id, "sess_deep");
    let deep = child.open_child(0).unwrap();
    assert_eq!(deep.facts().parent_id.as_deref(), Some("sess_a"));
}
