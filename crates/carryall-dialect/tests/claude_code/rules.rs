//! Recognition, lists, first looks, and sources that are not what they seem.

use crate::{dump, fixtures, open, repository, try_open};
use carryall_dialect::claude_code::ClaudeCode;
use carryall_dialect::{Dialect, Listed, OpenContext, Peek, Probe, Surroundings};
use carryall_model::{Entry, EntrySink, NoticeKind, OpenError, ReplayError, SinkError, ToolCall};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const ID: &str = "5e551010-0000-4000-8000-000000000097";

fn claims(text: &str) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("any-name.txt");
    fs::write(&path, text).unwrap();
    ClaudeCode.claims(&Probe::new(&path, cap_std::ambient_authority()).unwrap())
}

fn user(key: &str, parent: Option<&str>, text: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(
        "{{\"type\":\"user\",\"uuid\":\"{key}\",\"parentUuid\":{parent},\"isSidechain\":false,\
         \"sessionId\":\"{ID}\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

struct Null;

impl EntrySink for Null {
    fn entry(&mut self, _: &Entry<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn a_session_is_recognised_by_its_rows() {
    assert!(claims(&user("u1", None, "hi")));
    assert!(claims("\n{\"type\":\"mode\",\"mode\":\"x\",\"sessionId\":\"s\"}\n"));
    assert!(claims("{\"type\":\"summary\",\"summary\":\"x\",\"leafUuid\":\"y\"}"));
    assert!(claims(&format!("{{\"cut\n{}", user("u1", None, "hi"))));
    let long = user("u1", None, &"x".repeat(100_000));
    assert!(claims(&long.replace("\"message\"", "\"userType\":\"external\",\"message\"")));
}

#[test]
fn rows_of_other_agents_are_not_claimed() {
    let qwen =
        user("u1", None, "hi").replace("\"content\":\"hi\"", "\"parts\":[{\"text\":\"hi\"}]");
    assert!(qwen.contains("parts"));
    assert!(!claims(&qwen));
    assert!(!claims("{\"type\":\"session_meta\",\"payload\":{\"id\":\"x\"}}"));
    assert!(!claims("{\"type\":\"summary\",\"summary\":\"x\"}"));
    assert!(!claims("{\"type\":\"started\",\"key\":\"v2:x\",\"agentId\":\"a\"}"));
    assert!(!claims("# notes about \"parentUuid\": and \"isSidechain\": and \"sessionId\":"));
    assert!(!claims(""));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("projects")).unwrap();
    let probe = Probe::new(folder.path(), cap_std::ambient_authority()).unwrap();
    assert!(!ClaudeCode.claims(&probe), "a configuration folder is no session");
}

#[test]
fn every_fixture_is_recognised() {
    for entry in fs::read_dir(repository().join("tests/fixtures/claude-code")).unwrap() {
        let case = entry.unwrap().file_name().into_string().unwrap();
        let path = fixtures::session(&case);
        let probe = Probe::new(&path, cap_std::ambient_authority()).unwrap();
        assert!(ClaudeCode.claims(&probe), "{case}");
    }
}

#[test]
fn the_store_is_where_the_agent_keeps_it() {
    let home = Path::new("/home/ada");
    let mut env = BTreeMap::new();
    let stores = |env: &BTreeMap<_, _>| {
        ClaudeCode.stores(&Surroundings { env, home: Some(home), cwd: None })
    };
    assert_eq!(stores(&env), [PathBuf::from("/home/ada/.claude/projects")]);
    env.insert("CLAUDE_CONFIG_DIR".into(), "/conf".into());
    assert_eq!(stores(&env), [PathBuf::from("/conf/projects")]);
}

#[test]
fn a_list_names_sessions_and_agents_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let below = |path: &str| root.path().join("projects/-home-ada").join(path);
    for path in [
        format!("{ID}.jsonl"),
        "agent-11aa22bb.jsonl".to_owned(),
        "notes.jsonl".to_owned(),
        "notes.md".to_owned(),
        format!("{ID}/subagents/agent-a1.jsonl"),
        format!("{ID}/subagents/agent-a1.meta.json"),
        format!("{ID}/subagents/workflows/wf/agent-a2.jsonl"),
        format!("{ID}/subagents/workflows/wf/journal.jsonl"),
        format!("{ID}/tool-results/agent-a3.jsonl"),
    ] {
        fs::create_dir_all(below(&path).parent().unwrap()).unwrap();
        fs::write(below(&path), "").unwrap();
    }
    symlink(root.path(), below(ID).join("subagents/loop")).unwrap();
    let list = |store: &Path| {
        let mut found: Vec<Listed> = Vec::new();
        ClaudeCode.list(store, &mut |listed| found.push(listed)).unwrap();
        found.sort_by(|a, b| a.id.cmp(&b.id));
        found
    };
    let found = list(&root.path().join("projects"));
    let ids: Vec<_> = found.iter().map(|listed| (listed.id.as_str(), listed.is_subagent)).collect();
    let expected = [(ID, false), ("agent-11aa22bb", true), ("agent-a1", true), ("agent-a2", true)];
    assert_eq!(ids, expected);
    assert!(found.iter().all(|listed| listed.path.is_file()));
    assert_eq!(list(root.path()), found, "a configuration folder is a store as well");
    assert!(ClaudeCode.list(&root.path().join("none"), &mut |_| {}).is_err());
}

fn peek(path: &Path) -> Result<Peek, OpenError> {
    let cx = OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    };
    let listed = Listed { id: String::new(), path: path.to_owned(), is_subagent: false };
    ClaudeCode.peek(&listed, &cx)
}

#[test]
fn a_first_look_tells_what_opening_tells() {
    for case in
        ["titles-custom", "titles-summary", "titles-foreign-summary", "commands", "injected"]
    {
        let path = fixtures::session(case);
        let (peek, session) = (peek(&path).unwrap(), open(&path));
        let facts = session.facts();
        assert_eq!(peek.title, facts.title, "{case}");
        assert_eq!(peek.cwd, facts.cwd, "{case}");
        assert_eq!(peek.model, facts.model, "{case}");
        assert_eq!(peek.git_branch, facts.git_branch, "{case}");
    }
}

#[test]
fn a_first_look_reads_both_ends_of_a_long_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    let mut text = user("u0", None, "The beginning");
    for n in 1..200 {
        text.push_str(&user(&format!("u{n}"), Some(&format!("u{}", n - 1)), &"y".repeat(2000)));
    }
    fs::write(&path, &text).unwrap();
    assert_eq!(peek(&path).unwrap().title.as_deref(), Some("The beginning"));
    text.push_str("{\"type\":\"custom-title\",\"customTitle\":\"The end\",\"sessionId\":\"s\"}\n");
    fs::write(&path, &text).unwrap();
    assert_eq!(peek(&path).unwrap().title.as_deref(), Some("The end"));
}

#[test]
fn an_empty_file_is_no_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    fs::write(&path, "").unwrap();
    assert!(matches!(try_open(&path), Err(OpenError::Empty { .. })));
    assert!(matches!(peek(&path), Err(OpenError::Empty { .. })));
    fs::write(&path, "{\"type\":\"session_meta\"}\n").unwrap();
    assert!(matches!(try_open(&path), Err(OpenError::NotThisDialect { .. })));
    fs::write(&path, "no json\n").unwrap();
    assert!(matches!(try_open(&path), Err(OpenError::NothingReadable { row: 1, .. })));
    fs::write(&path, "{\"type\":\"mode\",\"sessionId\":\"s\"}\n").unwrap();
    assert_eq!(open(&path).facts().message_count, 0);
}

#[test]
fn rows_written_later_are_not_shown_and_said_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    fs::write(&path, user("u1", None, "one")).unwrap();
    let session = open(&path);
    let still = session.replay(0..u32::MAX, &mut Null).unwrap();
    assert!(still.notices.is_empty());
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(user("u2", Some("u1"), "two").as_bytes()).unwrap();
    let text = dump::dump(&*session);
    assert!(text.contains("\"one\"") && !text.contains("\"two\""), "{text}");
    let grown = session.replay(0..u32::MAX, &mut Null).unwrap();
    assert_eq!(grown.notices.kept()[0].kind, NoticeKind::SourceGrowing);
}

#[test]
fn a_source_that_changes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    let text = user("u1", None, "one") + &user("u2", Some("u1"), "two");
    fs::write(&path, &text).unwrap();
    let session = open(&path);
    fs::write(&path, "x".repeat(text.len())).unwrap();
    let changed = session.replay(0..u32::MAX, &mut Null);
    assert!(matches!(changed, Err(ReplayError::SourceChanged { .. })), "{changed:?}");
    fs::write(&path, "").unwrap();
    let changed = session.replay(0..u32::MAX, &mut Null);
    assert!(matches!(changed, Err(ReplayError::SourceChanged { .. })), "{changed:?}");
}

/// Copies the fixture with long results, with something else in place of the long result.
fn spilled(place: impl Fn(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let original = fixtures::session("spilled-results");
    let path = folder.path().join(original.file_name().unwrap());
    fs::copy(&original, &path).unwrap();
    let results = path.with_extension("").join("tool-results");
    fs::create_dir_all(&results).unwrap();
    place(&results.join("toolu_1.txt"));
    dump::dump(&*open(&path))
}

#[test]
fn a_long_result_is_read_only_from_a_regular_file_in_the_sessions_folder() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    fs::write(&secret, "a secret").unwrap();
    let count = |text: &str| text.matches("notice missing-file").count();

    let text = spilled(|path| fs::write(path, "line 1\nall of it \u{fffd}\n").unwrap());
    assert!(text.contains("all of it") && count(&text) == 3, "{text}");
    let text = spilled(|path| fs::write(path, b"not \xff UTF-8").unwrap());
    assert!(text.contains("replaced characters 1"), "{text}");
    let text = spilled(|path| symlink(&secret, path).unwrap());
    assert!(!text.contains("a secret") && count(&text) == 4, "{text}");
    let text = spilled(|path| {
        rustix::fs::mknodat(
            rustix::fs::CWD,
            path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
    });
    assert_eq!(count(&text), 4, "a FIFO is not waited for");
    let text = spilled(|path| fs::create_dir(path).unwrap());
    assert_eq!(count(&text), 4, "{text}");
}

#[test]
fn a_sink_that_wants_no_more_ends_the_reading() {
    struct Once(u32);
    impl EntrySink for Once {
        fn entry(&mut self, _: &Entry<'_>) -> Result<(), SinkError> {
            self.0 += 1;
            if self.0 == 2 { Err(SinkError::Stop) } else { Ok(()) }
        }
        fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
            Ok(())
        }
    }
    let mut sink = Once(0);
    let stopped = open(&fixtures::session("other-branch")).replay(0..u32::MAX, &mut sink);
    assert!(matches!(stopped, Err(ReplayError::Sink(SinkError::Stop))));
    assert_eq!(sink.0, 2);
}

#[test]
fn an_agents_file_opened_on_its_own_knows_its_session() {
    let session = fixtures::session("subagents-folder");
    let agent = session.with_extension("").join("subagents/agent-aa11.jsonl");
    let agent = open(&agent);
    assert_eq!(agent.facts().id, "agent-aa11");
    assert_eq!(agent.facts().parent_id.as_deref(), session.file_stem().unwrap().to_str());
    assert_eq!(agent.facts().message_count, 4);
    let ids: Vec<&str> = agent.children().iter().map(|child| child.id.as_str()).collect();
    assert_eq!(ids, ["agent-cc33"]);
}

#[test]
fn a_session_that_goes_on_from_another_file_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    let old = "5e551010-0000-4000-8000-000000000096.jsonl";
    fs::write(&path, user("u2", Some("u1"), "two")).unwrap();
    let detail = |path: &Path| {
        let found = open(path).replay(0..u32::MAX, &mut Null).unwrap();
        let notice = &found.notices.kept()[0];
        assert_eq!(notice.kind, NoticeKind::MissingParent);
        notice.detail.clone().unwrap()
    };
    assert_eq!(detail(&path), "the row before it is not in this file");
    // Somewhere among these the id stands across the end of what is read at once.
    for far in (0..240).step_by(6) {
        let first = user("u0", None, &"x".repeat(256 * 1024 - 300 + far));
        fs::write(folder.path().join(old), first + &user("u1", Some("u0"), "one")).unwrap();
        assert_eq!(detail(&path), format!("the row before it is in {old}"));
    }
}

fn dumped(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    fs::write(&path, text).unwrap();
    dump::dump(&*open(&path))
}

#[test]
fn a_queued_prompt_is_repeated_by_the_row_with_its_id() {
    let queued = "{\"type\":\"attachment\",\"uuid\":\"q1\",\"parentUuid\":\"u1\",\
        \"isSidechain\":false,\"sessionId\":\"s\",\"attachment\":{\"type\":\"queued_command\",\
        \"commandMode\":\"prompt\",\"prompt\":\"later\",\"source_uuid\":\"ID\"}}\n";
    let rows = |source: &str| {
        user("u1", None, "one")
            + &queued.replace("ID", source)
            + &user("u2", Some("q1"), "two")
            + &user("u3", Some("u2"), "later, as it was sent")
    };
    let repeated = dumped(&rows("u3"));
    assert!(!repeated.contains("\"later\"") && repeated.contains("user turns 3"), "{repeated}");
    let alone = dumped(&rows("u9"));
    assert!(alone.contains("\"later\"") && alone.contains("user turns 4"), "{alone}");
}

#[test]
fn a_note_that_nobody_typed_is_no_end_of_a_conversation() {
    let note = user("m1", Some("u1"), "a note").replace("\"sess", "\"isMeta\":true,\"sess");
    let text = dumped(&(user("u1", None, "one") + &user("u2", Some("u1"), "two") + &note));
    assert!(text.contains("\"two\"") && !text.contains("\"a note\""), "{text}");
    let only = dumped(&(user("u1", None, "one") + &note));
    assert!(only.contains("\"a note\""), "{only}");
}

#[test]
fn an_agent_of_a_side_chain_is_not_looked_for_among_files() {
    let session = open(&fixtures::session("subagents-inline"));
    assert!(session.open_child(0).unwrap().children().is_empty());
    assert!(matches!(session.open_child(1), Err(OpenError::NoSuchChild { number: 1 })));
}

/// The ids of the results that were heard, those of calls first.
#[derive(Default)]
struct Answers {
    paired: Vec<String>,
    orphans: Vec<String>,
}

impl EntrySink for Answers {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.orphans.extend(entry.tool_call_id.map(str::to_owned));
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        let text = call.result.map_or("", |result| result.text);
        assert_eq!(text, format!("out {}", call.id));
        self.paired.push(call.id.to_owned());
        Ok(())
    }
}

/// One row with so many calls, and one with their results and as many that nobody asked for. A row
/// is read once for all of them: read for each, this takes an hour.
#[test]
fn a_row_with_thousands_of_results_is_read_once() {
    const MANY: usize = 10_000;
    let list = |prefix: &str, block: &dyn Fn(&str) -> String| -> String {
        let blocks: Vec<_> = (0..MANY).map(|n| block(&format!("{prefix}{n}"))).collect();
        blocks.join(",")
    };
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Bash","input":{{}}}}"#);
    let result =
        |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"out {id}"}}"#);
    let calls = list("t", &call);
    let results = format!("{},{}", list("t", &result), list("lost", &result));
    let text = format!(
        "{}{{\"type\":\"assistant\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"sessionId\":\"{ID}\",\
         \"message\":{{\"id\":\"m\",\"role\":\"assistant\",\"content\":[{calls}]}}}}\n\
         {{\"type\":\"user\",\"uuid\":\"c\",\"parentUuid\":\"b\",\"sessionId\":\"{ID}\",\
         \"message\":{{\"role\":\"user\",\"content\":[{results}]}}}}\n",
        user("a", None, "all at once"),
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    fs::write(&path, text).unwrap();
    let mut answers = Answers::default();
    open(&path).replay(0..u32::MAX, &mut answers).unwrap();
    let ids = |prefix: &str| (0..MANY).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
    assert_eq!(answers.paired, ids("t"));
    assert_eq!(answers.orphans, ids("lost"));
}

/// The texts that were heard.
#[derive(Default)]
struct Texts(Vec<String>);

impl EntrySink for Texts {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.0.extend(entry.text.map(str::to_owned));
        Ok(())
    }

    fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[test]
fn one_row_that_is_lost_takes_nothing_else_with_it() {
    let keys = ["a", "b", "c", "d", "e", "f"];
    let parents = [None].into_iter().chain(keys.iter().copied().map(Some));
    let rows: Vec<_> =
        keys.iter().zip(parents).map(|(key, up)| user(key, up, &format!("said {key}"))).collect();
    for lost in 0..keys.len() {
        let row = rows[lost].trim_end();
        let damages = [
            String::new(),
            format!("{}\n", &row[..row.len() / 2]),
            format!("{}\n", "\0".repeat(row.len())),
            // Torn, and the next row right behind it.
            row[..row.len() / 2].to_owned(),
        ];
        for damage in damages {
            let mut rows = rows.clone();
            rows[lost] = damage;
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(format!("{ID}.jsonl"));
            fs::write(&path, rows.concat()).unwrap();
            let session = open(&path);
            let mut texts = Texts::default();
            let found = session.replay(0..u32::MAX, &mut texts).unwrap();
            let left = keys.iter().enumerate().filter(|(n, _)| *n != lost);
            assert_eq!(texts.0, left.map(|(_, key)| format!("said {key}")).collect::<Vec<_>>());
            assert_eq!(session.facts().other_branches, 0);
            let missing = found.notices.kept().iter();
            let missing = missing.filter(|n| n.kind == NoticeKind::MissingParent).count();
            assert_eq!(missing, usize::from(lost + 1 < keys.len()));
        }
    }
}

#[test]
fn agents_that_started_each_other_in_a_circle_are_the_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(format!("{ID}.jsonl"));
    fs::write(&path, user("a", None, "go")).unwrap();
    let agents = folder.path().join(ID).join("subagents");
    fs::create_dir_all(&agents).unwrap();
    for (agent, parent) in [("one", "two"), ("two", "one"), ("self", "self"), ("below", "top")] {
        fs::write(agents.join(format!("agent-{agent}.jsonl")), user("b", None, "work")).unwrap();
        let meta = format!(r#"{{"parentAgentId":"{parent}"}}"#);
        fs::write(agents.join(format!("agent-{agent}.meta.json")), meta).unwrap();
    }
    fs::write(agents.join("agent-top.jsonl"), user("b", None, "work")).unwrap();
    let session = open(&path);
    let mut ids: Vec<_> = session.children().iter().map(|child| child.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["agent-one", "agent-self", "agent-top", "agent-two"]);
}

#[test]
fn a_message_of_an_unexpected_shape_is_named() {
    for message in [
        r#""a string""#,
        "null",
        r#"{"role":"user","content":5}"#,
        r#"{"role":"user","content":{"type":"text","text":"no list"}}"#,
    ] {
        let odd = format!(
            "{{\"type\":\"user\",\"uuid\":\"b\",\"parentUuid\":\"a\",\"sessionId\":\"{ID}\",\
             \"message\":{message}}}\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("{ID}.jsonl"));
        let rows = [user("a", None, "one"), odd, user("c", Some("b"), "two")].concat();
        fs::write(&path, rows).unwrap();
        let mut texts = Texts::default();
        let found = open(&path).replay(0..u32::MAX, &mut texts).unwrap();
        assert_eq!(texts.0, ["one", "two"], "{message}");
        let named: Vec<_> = found.notices.kept().iter().map(|n| (n.kind, n.row)).collect();
        assert_eq!(named, [(NoticeKind::UnknownKind, Some(2))], "{message}");
    }
}
