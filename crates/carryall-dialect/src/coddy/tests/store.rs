//! Where sessions are found, and what tells them from other things.

use super::*;
use crate::{Listed, Probe, Surroundings};
use std::collections::BTreeMap;

fn listed(store: &Path) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut each = |listed: Listed| found.push((listed.id, listed.is_subagent));
    Coddy.list(store, &mut each).unwrap();
    found.sort();
    found
}

#[test]
fn sessions_and_their_subagents_are_listed_by_name() {
    let folder = Folder::new(json!([user("hi")]));
    folder.child("sess_child", json!({}), json!([]));
    folder.put("subagents/sess_child/subagents/sess_deep/session.json", "{}");
    let store = folder.path.parent().unwrap();
    for name in [".hidden", "bad name", "no_session"] {
        fs::create_dir(store.join(name)).unwrap();
    }
    for name in [".hidden/session.json", "bad name/session.json", "no_session/messages.json"] {
        fs::write(store.join(name), "{}").unwrap();
    }
    fs::create_dir(store.join("a".repeat(255))).unwrap();
    fs::write(store.join("a".repeat(255)).join("session.json"), "{}").unwrap();

    let found = listed(store);
    let expected = [
        ("a".repeat(255), false),
        ("sess_child".to_owned(), true),
        ("sess_deep".to_owned(), true),
        ("sess_one".to_owned(), false),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_folder_above_a_store_is_one_too() {
    let home = tempfile::tempdir().unwrap();
    let session = home.path().join("sessions/sess_a");
    fs::create_dir_all(&session).unwrap();
    fs::write(session.join("session.json"), "{}").unwrap();
    assert_eq!(listed(home.path()), [("sess_a".to_owned(), false)]);
    assert_eq!(listed(&home.path().join("sessions")), [("sess_a".to_owned(), false)]);
}

#[test]
fn the_store_is_where_coddy_was_told_to_keep_it() {
    let mut env = BTreeMap::new();
    let home = Path::new("/home/me");
    let stores = |env: &_| Coddy.stores(&Surroundings { env, home: Some(home), cwd: None });
    assert_eq!(stores(&env), [Path::new("/home/me/.coddy/sessions")]);
    env.insert("CODDY_HOME".into(), "/srv/coddy".into());
    assert_eq!(stores(&env), [Path::new("/srv/coddy/sessions")]);
}

#[test]
fn a_list_shows_the_title_the_folder_and_the_size_of_the_rows() {
    let folder = Folder::of(json!({"title": "a\nb"}), json!([user("hi")]));
    let listed = Listed { id: "sess_one".into(), path: folder.path.clone(), is_subagent: false };
    let cx =
        OpenContext { authority: authority(), branch_of: &|_| None, spool: tempfile::tempfile };
    let peek = Coddy.peek(&listed, &cx).unwrap();
    assert_eq!((peek.title.as_deref(), peek.cwd.as_deref()), (Some("a b"), Some("/ws")));
    let bytes = fs::metadata(folder.path.join("messages.json")).unwrap().len();
    assert_eq!(Coddy.stat(&listed).unwrap().bytes, bytes);
}

#[test]
fn a_session_is_known_by_its_folder_and_by_either_file() {
    let folder = Folder::new(json!([user("hi")]));
    folder.put("other.json", r#"{"messages": []}"#);
    folder.put("alone/messages.json", r#"{"messages": []}"#);
    folder.put("alone2/session.json", r#"{"version": 1, "id": "x"}"#);
    folder.put("strange/session.json", r#"{"name": 1}"#);
    folder.put("strange/messages.json", "[]");
    let claims =
        |name: &str| Coddy.claims(&Probe::new(&folder.path.join(name), authority()).unwrap());
    for name in ["", "session.json", "messages.json"] {
        assert!(claims(name), "{name:?}");
    }
    for name in [
        "other.json",
        "alone",
        "alone/messages.json",
        "alone2",
        "alone2/session.json",
        "strange/session.json",
        "strange/messages.json",
    ] {
        assert!(!claims(name), "{name:?}");
    }
}

#[test]
fn a_session_opens_by_its_folder_and_by_either_file() {
    let folder = Folder::new(json!([user("hi")]));
    for name in ["", "session.json", "messages.json"] {
        let path = folder.path.join(name);
        let session = open(&path).unwrap();
        assert_eq!(session.facts().message_count, 1, "{name:?}");
        assert_eq!(session.facts().source.path.as_deref(), path.to_str());
        assert_eq!(session.facts().source.agent.as_deref(), Some("coddy"));
        let ids = ["session.json", "messages.json"].map(|name| {
            use std::os::unix::fs::MetadataExt;
            fs::metadata(folder.path.join(name)).unwrap().ino()
        });
        let sources: Vec<_> = session.sources().iter().map(|id| id.inode).collect();
        assert_eq!(sources, ids);
    }
}

#[test]
fn a_folder_without_session_json_is_refused() {
    let folder = Folder::new(json!([user("hi")]));
    folder.put("other.json", "{}");
    fs::remove_file(folder.path.join("session.json")).unwrap();
    for name in ["", "messages.json", "other.json"] {
        let error = open(&folder.path.join(name)).err().unwrap();
        assert!(matches!(error, OpenError::NotThisDialect { .. }), "{name:?}: {error}");
    }
}
