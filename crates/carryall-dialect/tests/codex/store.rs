//! Where threads are looked for, what a list and a first look tell, and what is not touched.

use crate::made::{Home, event, id, meta, meta_with, name, row, user, user_event};
use crate::{context, files, open};
use carryall_dialect::codex::Codex;
use carryall_dialect::{
    Answer, Dialect, Filter, Listed, Locator, Match, Peek, Query, Registry, Stat, Surroundings,
    find, newest,
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn list(store: &Path) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    Codex::default().list(store, &mut |Listed { id, path, .. }| found.push((id, path))).unwrap();
    found.sort();
    found
}

fn peek(path: &Path) -> Peek {
    let listed = Listed { id: String::new(), path: path.to_owned(), is_subagent: false };
    Codex::default().peek(&listed, &context()).unwrap()
}

fn pack(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

#[test]
fn the_store_is_where_the_agent_keeps_it() {
    let mut env: BTreeMap<OsString, OsString> = BTreeMap::new();
    let stores = |env: &BTreeMap<_, _>| {
        Codex::default().stores(&Surroundings {
            env,
            home: Some(Path::new("/home/ada")),
            cwd: None,
        })
    };
    assert_eq!(stores(&env), [PathBuf::from("/home/ada/.codex")]);
    env.insert("CODEX_HOME".into(), "/conf".into());
    assert_eq!(stores(&env), [PathBuf::from("/conf")]);
}

#[test]
fn a_list_names_each_thread_once_and_nothing_else() {
    let home = Home::new();
    let put_away = home.path().join("archived_sessions");
    fs::create_dir(&put_away).unwrap();
    let text = meta(1) + &user("p");
    // One is there in every form, one compressed, one put away, one of a version that had no `-7`.
    home.thread(1, &text);
    fs::write(home.day().join(name(1) + ".zst"), pack(&text)).unwrap();
    fs::write(put_away.join(name(1)), &text).unwrap();
    fs::write(home.day().join(name(2) + ".zst"), pack(&text)).unwrap();
    fs::write(put_away.join(name(2)), &text).unwrap();
    fs::write(put_away.join(name(3)), &text).unwrap();
    let linked = home.path().join("kept.jsonl");
    fs::write(&linked, &text).unwrap();
    symlink(&linked, home.day().join(name(4))).unwrap();
    // None of these is a thread.
    for other in ["notes.jsonl", "rollout-x.jsonl", "rollout-2026.jsonl.zst.tmp"] {
        fs::write(home.day().join(other), "").unwrap();
    }
    fs::write(home.day().join(name(5) + ".tmp"), "").unwrap();
    fs::write(home.day().join(name(5).replace("rollout-", "")), "").unwrap();
    fs::create_dir(home.day().join(name(6))).unwrap();
    assert!(Command::new("mkfifo").arg(home.day().join(name(7))).status().unwrap().success());
    symlink(home.path(), home.day().join("round")).unwrap();
    let expected = [
        (id(1), home.day().join(name(1))),
        (id(2), home.day().join(name(2) + ".zst")),
        (id(3), put_away.join(name(3))),
        (id(4), home.day().join(name(4))),
    ];
    assert_eq!(list(home.path()), expected);
    let in_day = list(&home.day());
    assert_eq!(in_day.len(), 3, "any folder of rollouts: {in_day:?}");
    assert!(Codex::default().list(&home.path().join("none"), &mut |_| {}).is_err());
    assert!(
        Codex::default().open(&Locator::new(home.day().join(name(7))), &context()).is_err(),
        "a FIFO"
    );
    let linked = open(&home.day().join(name(4)));
    assert_eq!(linked.facts().message_count, 1);
}

#[test]
fn a_compressed_thread_has_the_size_of_its_file() {
    let home = Home::new();
    let packed = pack(&(meta(1) + &user(&"again ".repeat(1_000))));
    let path = home.day().join(name(1) + ".zst");
    fs::write(&path, &packed).unwrap();
    let Stat { bytes, .. } =
        Codex::default().stat(&Listed { id: id(1), path, is_subagent: false }).unwrap();
    assert_eq!(bytes, packed.len() as u64);
}

#[test]
fn a_thread_is_found_by_a_prefix_by_its_name_and_by_its_path() {
    let home = Home::new();
    for n in [1, 2, 255] {
        home.thread(n, meta(n) + &user(&format!("prompt {n}")));
    }
    let named = json!({"id": id(2), "thread_name": "Sort the jars", "updated_at": "x"});
    fs::write(home.path().join("session_index.jsonl"), named.to_string() + "\n").unwrap();
    let env = BTreeMap::from([("CODEX_HOME".into(), home.path().into())]);
    let surroundings = Surroundings { env: &env, home: None, cwd: None };
    let registry = Registry::builtin();
    let ask = |text: &str, agent: Option<&str>| {
        let query = Query { text, agent, store: None };
        match find(&registry, &surroundings, &query, &context()) {
            Answer::One(hit) => vec![hit.listed.id],
            Answer::Several { hits, by: Match::Prefix } => {
                let mut ids: Vec<_> = hits.into_iter().map(|hit| hit.listed.id).collect();
                ids.sort();
                ids
            }
            Answer::Several { .. } => panic!("several by id or title"),
            Answer::None(_) => Vec::new(),
        }
    };
    assert_eq!(ask(&id(2), None), [id(2)]);
    assert_eq!(ask("Sort the jars", None), [id(2)]);
    assert_eq!(ask("prompt 255", Some("codex")), [id(255)]);
    assert_eq!(ask("0c0de000-0000-7000-8000-0000000000", Some("codex")), [id(1), id(2), id(255)]);
    assert_eq!(ask(&id(255)[..35], Some("codex")), [id(255)]);
    assert!(ask(&id(255)[..35], Some("coddy")).is_empty());
    let filter = Filter { agents: vec!["codex".to_owned()], ..Filter::default() };
    let rows = newest(&registry, &surroundings, &filter, &context()).rows;
    let mut titles: Vec<_> = rows.into_iter().map(|row| row.peek.title.unwrap()).collect();
    titles.sort();
    assert_eq!(titles, ["Sort the jars", "prompt 1", "prompt 255"]);
}

#[test]
fn a_first_look_tells_what_opening_tells() {
    for path in files::fixtures().iter().chain(&files::corpus()) {
        let thread = open(path);
        let (facts, peek) = (thread.facts(), peek(path));
        let file = path.display();
        // A prompt of the parent's, and what is taken back later, are not at hand in a first look.
        let unlike = ["/forked/", "671a-7712", "/rolled-back-all/"];
        if !unlike.iter().any(|case| file.to_string().contains(case)) {
            assert_eq!(peek.title, facts.title, "{file}");
        }
        assert_eq!(peek.git_branch, facts.git_branch, "{file}");
        assert_eq!(peek.cwd, facts.cwd, "{file}");
    }
}

#[test]
fn a_first_look_at_a_long_thread_sees_both_its_ends() {
    let home = Home::new();
    let model = |model: &str| row("turn_context", &json!({"model": model}));
    let filler: String = (0..20_000).map(|n| user(&format!("p{n}"))).collect();
    let renamed = event(&json!({"type": "thread_name_updated", "thread_name": "Late name"}));
    let text = meta(1) + &user("the first") + &model("one") + &filler + &model("two") + &renamed;
    let peek_of = |path: &Path| {
        let Peek { title, model, .. } = peek(path);
        (title.unwrap(), model.unwrap())
    };
    let plain = home.thread(1, &text);
    assert_eq!(peek_of(&plain), ("Late name".to_owned(), "two".to_owned()));
    // Of a compressed one the end is not at hand.
    let packed = home.day().join(name(2) + ".zst");
    fs::write(&packed, pack(&text)).unwrap();
    assert_eq!(peek_of(&packed), ("the first".to_owned(), "one".to_owned()));
}

/// The title of a thread whose home has this index of names.
fn titled(index: &[u8]) -> (Option<String>, Option<String>) {
    let home = Home::new();
    let path = home.thread(1, meta(1) + &user("the prompt"));
    fs::write(home.path().join("session_index.jsonl"), index).unwrap();
    (peek(&path).title, open(&path).facts().title.clone())
}

#[test]
fn whatever_stands_in_the_index_of_names_a_thread_has_one_line_for_a_title() {
    let entry = |name: &str| json!({"id": id(1), "thread_name": name}).to_string() + "\n";
    let both = |title: &str| (Some(title.to_owned()), Some(title.to_owned()));
    assert_eq!(titled(entry("A name").as_bytes()), both("A name"));
    assert_eq!(titled(b""), both("the prompt"));
    assert_eq!(titled(entry("").as_bytes()), both("the prompt"));
    assert_eq!(titled(entry(" \n\t ").as_bytes()), both("the prompt"));
    assert_eq!(titled(b"\xff\xfe\0\0not json\n{\n"), both("the prompt"));
    let torn = entry("A name") + &entry("Another")[..60];
    assert_eq!(titled(torn.as_bytes()), both("A name"));
    assert_eq!(titled(entry("A\nname\r\n  of lines").as_bytes()), both("A name of lines"));
    let crlf = entry("A name").replace('\n', "\r\n");
    assert_eq!(titled(crlf.as_bytes()), both("A name"));
    let long = entry(&"long ".repeat(200_000));
    let (peeked, opened) = titled(long.as_bytes());
    assert_eq!(peeked, opened);
    assert!(peeked.unwrap().starts_with("long long"));
    let (peeked, _) = titled(entry("\u{1b}[31mred\u{7}\u{202e}").as_bytes());
    assert!(!peeked.unwrap().contains('\n'));
    let many: String = (0..50_000).map(|n| entry(&format!("name {n}"))).collect();
    assert_eq!(titled(many.as_bytes()), both("name 49999"));
}

#[test]
fn an_event_is_enough_for_a_title() {
    let home = Home::new();
    let path = home.thread(1, meta_with(1, &json!({"git": {"branch": "b"}})) + &user_event("ask"));
    let Peek { title, git_branch, .. } = peek(&path);
    assert_eq!((title.as_deref(), git_branch.as_deref()), (Some("ask"), Some("b")));
}
