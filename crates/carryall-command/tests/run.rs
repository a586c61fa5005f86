//! The command over a transcript in memory and a real workspace. Rows of the seed's checklist that
//! belong to the command carry their id.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test makes and breaks files of its own"
)]

use carryall_command::{Plan, Reply, Settings, parse, run, split, write_document};
use carryall_model::{
    Child, Entry, EntryKind, EntrySink, Facts, FileId, Found, Notice, NoticeKind, OpenError,
    Options, ReplayError, ToolCall, ToolResult, Transcript,
};
use carryall_render::{Format, Product};
use carryall_workspace::Workspace;
use chrono::{DateTime, Utc};
use std::fs;
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

struct Memory {
    facts: Facts,
    sources: Vec<FileId>,
    found: Found,
    /// What replay does instead of finishing.
    failure: Option<fn() -> ReplayError>,
}

impl Memory {
    fn new() -> Self {
        let facts = Facts {
            id: "sess-1".into(),
            cwd: Some("/elsewhere/project".into()),
            message_count: 4,
            user_turns: 2,
            ..Facts::default()
        };
        Self { facts, sources: Vec::new(), found: Found::default(), failure: None }
    }
}

impl Transcript for Memory {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, _: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let assistant = Entry::new(EntryKind::Assistant);
        sink.entry(&Entry { text: Some("question 1"), ..Entry::new(EntryKind::User) })?;
        sink.entry(&Entry { text: Some("answer 1"), reasoning: Some("because"), ..assistant })?;
        sink.entry(&Entry { text: Some("question 2"), ..Entry::new(EntryKind::User) })?;
        sink.entry(&Entry { text: Some("answer 2"), calls: 1, ..assistant })?;
        let result = Some(ToolResult { text: "tool output", ..ToolResult::default() });
        sink.call(&ToolCall { result, ..ToolCall::new("c1", "read") })?;
        match self.failure {
            Some(failure) => Err(failure()),
            None => Ok(self.found.clone()),
        }
    }

    fn sources(&self) -> &[FileId] {
        &self.sources
    }
}

struct Place {
    scratch: tempfile::TempDir,
    workspace: Workspace,
}

impl Place {
    fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::create_dir(scratch.path().join("out")).unwrap();
        let workspace = Workspace::open(&root, cap_std::ambient_authority()).unwrap();
        Self { scratch, workspace }
    }

    fn root(&self) -> &Path {
        self.workspace.path()
    }

    fn run(&self, line: &str) -> Reply {
        self.run_on(&Memory::new(), line)
    }

    fn run_on(&self, transcript: &Memory, line: &str) -> Reply {
        run(&split(line), transcript, &self.workspace, now(), &product())
    }

    fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn now() -> DateTime<Utc> {
    "2026-09-06T12:34:56Z".parse().unwrap()
}

fn product() -> Product {
    Product::new("Carryall", "carryall")
}

fn kind(reply: &Reply) -> &'static str {
    reply.outcome.as_ref().unwrap_err().kind()
}

#[test]
fn u02_to_u09_and_u15_a_request_becomes_a_format_and_a_file() {
    for (line, label, path) in [
        ("", "markdown", "carryall-export-2026-09-06T12-34-56Z.md"),
        (".", "markdown", "carryall-export-2026-09-06T12-34-56Z.md"),
        ("json", "JSON", "carryall-export-2026-09-06T12-34-56Z.json"),
        ("json chat.md", "JSON", "chat.md"),
        ("json foo", "JSON", "foo"),
        ("chat.md", "markdown", "chat.md"),
        ("notes/chat.html", "HTML", "notes/chat.html"),
        ("out.JSONL", "JSON Lines", "out.JSONL"),
        ("page.htm", "HTML", "page.htm"),
        (".md", "markdown", ".md"),
        ("-x.md", "markdown", "-x.md"),
        ("exports/", "markdown", "exports/carryall-export-2026-09-06T12-34-56Z.md"),
        ("existing", "markdown", "existing/carryall-export-2026-09-06T12-34-56Z.md"),
        ("jsonl existing", "JSON Lines", "existing/carryall-export-2026-09-06T12-34-56Z.jsonl"),
        ("md then tell me more", "markdown", "then tell me more"),
        ("existing/../chat.md", "markdown", "chat.md"),
        ("~/x.md", "markdown", "~/x.md"),
    ] {
        let place = Place::new();
        fs::create_dir(place.root().join("existing")).unwrap();
        let reply = place.run(line).to_string();
        let whole = place.root().join(path);
        assert_eq!(
            reply,
            format!(
                "Session exported to {label}: {path}\nFull path: {} (4 transcript entries)",
                whole.display()
            ),
            "{line:?}"
        );
        let meta = fs::metadata(&whole).unwrap();
        assert_eq!(meta.permissions().mode() & 0o7777, 0o600, "{line:?}");
        assert!(meta.size() > 0, "{line:?}");
    }
}

#[test]
fn u10_to_u14_what_cannot_be_told_is_refused_and_nothing_is_made() {
    for (line, word, said) in [
        ("yaml", "bare-word", "neither an export format nor an existing directory"),
        ("htm", "bare-word", "neither an export format nor an existing directory"),
        ("dir.md/x", "bare-word", "neither an export format nor an existing directory"),
        ("chat.txt", "unknown-format", "unknown export format"),
        ("chat.", "unknown-format", "unknown export format"),
        ("chat.md json", "unknown-format", "unknown export format"),
        ("\"my notes.md\"", "unknown-format", "unknown export format"),
        ("--bogus", "unknown-option", "unknown option --bogus"),
        ("--no-tools=1", "unknown-option", "unknown option --no-tools=1"),
        ("../chat.md", "escape", "the target must stay inside the session workspace"),
        ("/etc/chat.md", "escape", "the target must stay inside the session workspace"),
        ("new/../../chat.md", "dotdot-in-missing", "`..` follows a folder"),
        (".git/x.md", "protected", ".git"),
    ] {
        let place = Place::new();
        let reply = place.run(line);
        assert_eq!(kind(&reply), word, "{line:?}");
        let text = reply.to_string();
        let (first, usage) = text.split_once('\n').unwrap();
        assert!(first.starts_with("Export failed: ") && first.contains(said), "{line:?}: {first}");
        assert!(usage.starts_with("Usage: /export [md|html|json|jsonl]"), "{usage}");
        assert_eq!(place.files(), [""; 0], "{line:?}");
    }
}

#[test]
fn u12_only_an_escape_gets_the_workspace_sentence() {
    let place = Place::new();
    let sentence = format!("session workspace ({}).", place.root().display());
    assert!(place.run("../x.md").to_string().contains(&sentence));
    fs::create_dir(place.root().join("d.md")).unwrap();
    symlink("elsewhere", place.root().join("l.md")).unwrap();
    for line in ["l.md", ".git/x.md", "yaml"] {
        assert!(!place.run(line).to_string().contains("session workspace"), "{line}");
    }
}

#[test]
fn u16_the_stamp_is_utc_whatever_zone_the_clock_has() {
    let place = Place::new();
    let there: DateTime<chrono::FixedOffset> = "2026-09-06T15:34:56+03:00".parse().unwrap();
    let words = split("jsonl");
    let reply = run(&words, &Memory::new(), &place.workspace, there.to_utc(), &product());
    let path = reply.outcome.unwrap().written.path;
    assert_eq!(path.to_str(), Some("carryall-export-2026-09-06T12-34-56Z.jsonl"));
}

#[test]
fn u20_the_workspace_of_the_session_is_not_the_root_of_the_write() {
    let place = Place::new();
    place.run("json chat.json");
    let text = fs::read_to_string(place.root().join("chat.json")).unwrap();
    assert!(text.contains("/elsewhere/project"), "{text}");
}

#[test]
fn u23_a_link_to_a_file_is_refused_and_its_target_unchanged() {
    let place = Place::new();
    let victim = place.scratch.path().join("out/victim.md");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, place.root().join("chat.md")).unwrap();
    assert_eq!(kind(&place.run("chat.md")), "symlink");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
fn u30_a_second_export_in_the_same_second_gets_a_number() {
    let place = Place::new();
    for expected in ["", "-2", "-3"] {
        let written = place.run("md").outcome.unwrap().written;
        let name = format!("carryall-export-2026-09-06T12-34-56Z{expected}.md");
        assert_eq!(written.path.to_str(), Some(name.as_str()));
    }
}

#[test]
fn u31_replacing_a_file_is_said_and_makes_it_private() {
    let place = Place::new();
    let chat = place.root().join("chat.md");
    fs::write(&chat, "old").unwrap();
    let reply = place.run("chat.md").to_string();
    assert_eq!(reply.lines().nth(2), Some("Note: replaced an existing file."), "{reply}");
    assert_eq!(fs::metadata(&chat).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(place.files(), ["chat.md"]);
}

#[test]
fn what_was_not_readable_and_a_turn_in_progress_are_said() {
    let place = Place::new();
    let mut memory = Memory::new();
    memory.found.notices.push(Notice::new(NoticeKind::BadRow).at(3, 120, 40));
    memory.found.notices.push(Notice::new(NoticeKind::TurnInProgress));
    let one = place.run_on(&memory, "a.md").to_string();
    let notes: Vec<_> = one.lines().skip(2).collect();
    assert_eq!(
        notes,
        ["Note: 1 row could not be read; see the end of the file.", "Note: a turn is in progress."]
    );
    memory.found.notices.push(Notice::new(NoticeKind::CutShort).at(9, 900, 4));
    let two = place.run_on(&memory, "b.md").to_string();
    assert!(two.contains("\nNote: 2 rows could not be read; see the end of the file."), "{two}");
}

#[test]
fn the_source_is_never_the_target_even_by_another_name() {
    let place = Place::new();
    let source = place.scratch.path().join("out/session.jsonl");
    fs::write(&source, "rows").unwrap();
    fs::hard_link(&source, place.root().join("copy.jsonl")).unwrap();
    let meta = fs::metadata(&source).unwrap();
    let mut memory = Memory::new();
    memory.sources = vec![FileId { device: meta.dev(), inode: meta.ino() }];
    assert_eq!(kind(&place.run_on(&memory, "copy.jsonl")), "is-source");
    assert_eq!(fs::read_to_string(&source).unwrap(), "rows");
}

#[test]
fn an_empty_session_is_an_error_and_leaves_no_file() {
    let place = Place::new();
    let mut memory = Memory::new();
    memory.facts.message_count = 0;
    let reply = place.run_on(&memory, "new/deep/chat.md");
    assert_eq!(kind(&reply), "nothing-to-export");
    assert_eq!(
        reply.to_string().lines().next(),
        Some("Export failed: nothing to export: the session holds no messages")
    );
    assert_eq!(place.files(), [""; 0]);
}

/// A session whose only message shows nothing.
struct Blank(Facts);

impl Transcript for Blank {
    fn facts(&self) -> &Facts {
        &self.0
    }

    fn replay(&self, _: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        sink.entry(&Entry::new(EntryKind::Assistant))?;
        Ok(Found::default())
    }
}

#[test]
fn messages_in_which_there_is_nothing_to_see_are_no_export() {
    let place = Place::new();
    let blank = Blank(Facts { message_count: 1, ..Facts::default() });
    let reply = run(&split("chat.md"), &blank, &place.workspace, now(), &product());
    assert_eq!(kind(&reply), "nothing-to-export");
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn a_source_that_fails_half_way_leaves_neither_file_nor_folder() {
    let place = Place::new();
    let mut memory = Memory::new();
    for (failure, word) in [
        (
            (|| ReplayError::SourceChanged { path: "s.jsonl".into() }) as fn() -> ReplayError,
            "source-changed",
        ),
        (
            || ReplayError::Io { path: "s.jsonl".into(), source: std::io::Error::other("gone") },
            "unreadable",
        ),
    ] {
        memory.failure = Some(failure);
        let reply = place.run_on(&memory, "new/deep/chat.md");
        assert_eq!(kind(&reply), word);
        assert_eq!(place.files(), [""; 0]);
    }
}

#[test]
fn a_plan_makes_nothing() {
    let place = Place::new();
    let request = parse(&split("html notes/deep/")).unwrap();
    let plan = Plan::new(&request, &place.workspace).unwrap();
    assert_eq!(plan.format, Format::Html);
    assert!(plan.target.is_directory());
    assert_eq!(place.files(), [""; 0]);
}

/// A session with one subagent, which has one, and so on; with the same id it is its own ancestor.
struct Nested {
    facts: Facts,
    children: Vec<Child>,
    depth: u32,
    same_id: bool,
}

impl Nested {
    fn new(depth: u32, same_id: bool) -> Self {
        let id = |depth: u32| if same_id { "me".to_owned() } else { format!("n{depth}") };
        let facts = Facts { id: id(depth), message_count: 1, ..Facts::default() };
        let children = vec![Child { id: id(depth + 1), ..Child::default() }];
        Self { facts, children, depth, same_id }
    }
}

impl Transcript for Nested {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, _: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        sink.entry(&Entry { text: Some("again"), ..Entry::new(EntryKind::User) })?;
        Ok(Found::default())
    }

    fn children(&self) -> &[Child] {
        &self.children
    }

    fn open_child(&self, _: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        Ok(Box::new(Self::new(self.depth + 1, self.same_id)))
    }
}

fn documents(session: &Nested) -> usize {
    let options = Options { subagents: true, ..Options::default() };
    let product = product();
    let settings = Settings { format: Format::JsonLines, options, now: now(), product: &product };
    let mut out = Vec::new();
    write_document(session, &settings, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().filter(|line| line.starts_with(r#"{"type":"session""#)).count()
}

#[test]
fn subagents_are_followed_32_deep_and_never_in_a_circle() {
    assert_eq!(documents(&Nested::new(0, false)), 1 + 32);
    assert_eq!(documents(&Nested::new(0, true)), 1 + 1);
}
