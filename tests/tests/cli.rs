//! The command line: its texts, its exit codes, and what is on disk afterwards.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test makes files of its own and stops where something is not as expected"
)]

use carryall_tests::{Said, Sandbox};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Stdio;

/// The id of the Claude Code session that [`claude`] stores.
const CLAUDE: &str = "5973b6c2-41f0-4d8e-9a57-0c3be1d2f604";
const STORE: &str = ".claude/projects/-home-mira-src-tidepool";

fn row(kind: &str, n: u32, parent: Option<u32>, message: Value) -> String {
    let uuid = |n: u32| format!("5973b6c2-0000-4000-8000-{n:012}");
    json!({
        "parentUuid": parent.map(uuid), "isSidechain": false, "userType": "external",
        "cwd": "/home/mira/src/tidepool", "sessionId": CLAUDE, "version": "2.1.60",
        "gitBranch": "main", "type": kind, "message": message, "uuid": uuid(n),
        "timestamp": format!("2026-09-01T10:00:{n:02}.000Z"),
    })
    .to_string()
}

/// A small Claude Code session: prompt, answer with reasoning and a call, result, answer.
fn claude() -> String {
    [
        row("user", 1, None, json!({"role": "user", "content": "What do the notes say?"})),
        row(
            "assistant",
            2,
            Some(1),
            json!({"id": "msg_1", "role": "assistant", "model": "claude-test-1", "content": [
                {"type": "thinking", "thinking": "They are in a file.", "signature": "c2ln"},
                {"type": "text", "text": "Let me look."},
                {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "notes.txt"}}
            ]}),
        ),
        row(
            "user",
            3,
            Some(2),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Buy milk."}
            ]}),
        ),
        row(
            "assistant",
            4,
            Some(3),
            json!({"id": "msg_2", "role": "assistant", "model": "claude-test-1",
                "content": [{"type": "text", "text": "Buy milk, they say."}]}),
        ),
    ]
    .join("\n")
        + "\n"
}

fn with_claude() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put(&format!("{STORE}/{CLAUDE}.jsonl"), claude());
    sandbox
}

fn coddy(sandbox: &Sandbox, id: &str) {
    let folder = format!(".coddy/sessions/{id}");
    let facts = json!({"version": 1, "id": id, "cwd": "/nowhere", "title": format!("about {id}")});
    sandbox.put(&format!("{folder}/session.json"), facts.to_string());
    let rows = json!({"version": 1, "messages": [
        {"role": "user", "content": "hello", "created_at": "2026-09-06T10:00:00Z"},
        {"role": "assistant", "content": "hi"}
    ]});
    sandbox.put(&format!("{folder}/messages.json"), rows.to_string());
}

fn refused(said: &Said, code: i32, error: &str) {
    assert_eq!(said.code, code, "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
    assert!(said.err.contains(error), "{error:?} is not in {said:?}");
}

#[test]
fn an_export_says_one_line_and_writes_one_private_file() {
    let sandbox = with_claude();
    let said = sandbox.run(["sessions", "export", "5973b6"]);
    let name = "carryall-export-2026-09-06T12-00-00Z.md";
    let whole = sandbox.shell().join(name);
    assert_eq!(
        said,
        Said {
            code: 0,
            out: format!(
                "Session exported to markdown: {} (3 transcript entries)\n",
                whole.display()
            ),
            err: String::new(),
        }
    );
    assert_eq!(sandbox.files(), [name]);
    assert_eq!(whole.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn c1_and_c9_without_a_session_the_usage_is_said() {
    let sandbox = Sandbox::new();
    for verb in ["export", "inspect"] {
        let said = sandbox.run(["sessions", verb]);
        refused(&said, 2, "error: no session was named, and there is no terminal to choose on");
    }
    refused(&sandbox.run(["sessions"]), 2, "Usage: carryall sessions");
    refused(&sandbox.run(["command", "--workspace", "."]), 2, "<SESSION>");
    refused(&sandbox.run(["sessions", "export", " "]), 2, "error: no session was named");
}

#[test]
fn c2_an_unknown_session_is_said_with_where_was_looked() {
    let sandbox = with_claude();
    coddy(&sandbox, "sess_a");
    let said = sandbox.run(["sessions", "export", "no-such"]);
    refused(
        &said,
        1,
        "error: session not found: no-such\nhint: looked in claude-code (1), coddy (1), codex (0), pi (0), qwen (0)\n",
    );
    assert_eq!(sandbox.files(), [""; 0]);
}

#[test]
fn c3_an_ambiguous_prefix_shows_ten_and_counts_the_rest() {
    let sandbox = Sandbox::new();
    for n in 0..12 {
        coddy(&sandbox, &format!("sess_{n:02}"));
    }
    let said = sandbox.run(["sessions", "export", "sess_"]);
    refused(&said, 1, "error: session id prefix \"sess_\" is ambiguous (12 matches)\n");
    let rows: Vec<_> = said.err.lines().skip(1).collect();
    assert_eq!(rows.len(), 11 + 1, "{said:?}");
    assert!(rows[..10].iter().all(|row| row.contains("coddy") && row.contains("about sess_")));
    assert!(rows[10].contains("… and 2 more"), "{said:?}");
    assert_eq!(sandbox.files(), [""; 0]);
}

#[test]
fn c4_to_c6_what_is_not_on_the_list_is_refused_and_leaves_nothing() {
    let sandbox = with_claude();
    let export = |args: &[&str]| sandbox.run([&["sessions", "export", "5973b6"], args].concat());
    refused(&export(&["--format", "yaml"]), 2, "unknown export format \"yaml\"");
    refused(&export(&["--bogus"]), 2, "--bogus");
    refused(&export(&["--out", "chat.txt"]), 1, "unknown export format for \"chat.txt\"");
    refused(&export(&["--out", "deep/er/word"]), 1, "neither an export format nor an existing");
    refused(&export(&["surplus"]), 2, "surplus");
    assert_eq!(sandbox.files(), [""; 0]);
}

#[test]
fn u38_a_whole_export_into_a_folder_that_is_made() {
    let sandbox = with_claude();
    let workspace = sandbox.shell();
    let root = workspace.to_str().unwrap();
    let said =
        sandbox.run(["command", "5973b6", "--workspace", root, "--json", "/export out/chat.json"]);
    let reply: Value = serde_json::from_str(&said.out).unwrap();
    let text = sandbox.text("out/chat.json");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&reply["path"], &reply["format"]), (&json!("out/chat.json"), &json!("json")));
    assert_eq!(reply["bytes"], text.len());
    assert_eq!(reply["entries"], document["entries"].as_array().unwrap().len());
    assert_eq!(document["session"]["id"], CLAUDE);
}

#[test]
fn c7_flags_after_the_id_and_a_folder_to_be_made() {
    let sandbox = Sandbox::new();
    coddy(&sandbox, "sess_demo");
    let said =
        sandbox.run(["sessions", "export", "sess_demo", "--format", "jsonl", "--out", "dump/"]);
    let name = "dump/carryall-export-2026-09-06T12-00-00Z.jsonl";
    assert!(said.out.contains(name), "{said:?}");
    let lines: Vec<Value> =
        sandbox.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["id"], "sess_demo");
}

#[test]
fn c8_another_root() {
    let sandbox = Sandbox::new();
    coddy(&sandbox, "sess_demo");
    let elsewhere = sandbox.home().join("elsewhere");
    std::fs::rename(sandbox.home().join(".coddy/sessions"), &elsewhere).unwrap();
    let dir = elsewhere.to_str().unwrap();
    refused(&sandbox.run(["sessions", "export", "sess_demo"]), 1, "session not found: sess_demo");
    let args = ["sessions", "export", "sess_demo", "--sessions-dir", dir, "--agent", "coddy"];
    assert_eq!(sandbox.run(args).code, 0);
    assert_eq!(sandbox.run(&args[..5]).code, 0, "without --agent the folder is probed");
    refused(
        &sandbox.run(["sessions", "export", "x", "--sessions-dir", "/no/such", "--agent", "coddy"]),
        1,
        "/no/such",
    );
}

#[test]
fn a_session_is_found_by_agent_title_and_path() {
    let sandbox = with_claude();
    coddy(&sandbox, "5973-of-coddy");
    let exports = |session: &str| sandbox.run(["sessions", "export", session, "--out", "-"]);
    refused(&exports("5973"), 1, "ambiguous (2 matches)");
    assert!(exports("claude-code:5973").out.contains("Buy milk."));
    assert!(exports("coddy:5973").out.contains("5973-of-coddy"));
    assert!(exports("about 5973-of-coddy").out.contains("5973-of-coddy"));
    let path = sandbox.home().join(STORE).join(format!("{CLAUDE}.jsonl"));
    assert!(exports(path.to_str().unwrap()).out.contains("Buy milk."));
    std::fs::copy(&path, sandbox.shell().join("mine.jsonl")).unwrap();
    assert!(exports("mine.jsonl").out.contains("Buy milk."));
    let bundle = sandbox.home().join(".coddy/sessions/5973-of-coddy");
    assert!(exports(bundle.to_str().unwrap()).out.contains("5973-of-coddy"));
    refused(&exports("./not-there.jsonl"), 1, "./not-there.jsonl: could not be read");
    refused(&exports("https://example.org/s.jsonl"), 1, "hint: download it first");
}

#[test]
fn standard_output_holds_the_document_and_nothing_else() {
    let sandbox = with_claude();
    let to_file = sandbox.run(["sessions", "export", "5973b6", "--out", "chat.md"]);
    assert_eq!(to_file.code, 0, "{to_file:?}");
    let said = sandbox.run(["sessions", "export", "5973b6", "--out", "-"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(said.out, sandbox.text("chat.md"));
}

#[test]
fn chat_and_shell_write_the_same_bytes_for_every_format_and_option() {
    let sandbox = with_claude();
    let workspace = sandbox.shell();
    for format in ["md", "html", "json", "jsonl"] {
        for options in
            [&[][..], &["--no-tools"], &["--no-thinking"], &["--no-tools", "--no-thinking"]]
        {
            let line = format!("/export {format} chat/x {}", options.join(" "));
            let said = sandbox.run([
                "command",
                "5973b6",
                "--workspace",
                workspace.to_str().unwrap(),
                &line,
            ]);
            assert_eq!(said.code, 0, "{said:?}");
            let shell = ["sessions", "export", "5973b6", "--format", format, "--out", "shell/x"];
            assert_eq!(sandbox.run([&shell[..], options].concat()).code, 0);
            assert_eq!(sandbox.text("chat/x"), sandbox.text("shell/x"), "{line}");
        }
    }
}

#[test]
fn what_is_left_out_is_really_out_in_all_four_formats() {
    let sandbox = with_claude();
    for format in ["md", "html", "json", "jsonl"] {
        let export = |options: &[&str]| {
            let all = ["sessions", "export", "5973b6", "--out", "-", "--format", format];
            sandbox.run([&all[..], options].concat()).out
        };
        let everything = export(&[]);
        for text in ["Buy milk.", "They are in a file.", "notes.txt", "Buy milk, they say."] {
            assert!(everything.contains(text), "{format}: {text}");
        }
        let trimmed = export(&["--no-tools", "--no-thinking"]);
        for text in ["Buy milk.", "They are in a file.", "notes.txt", "toolu_1"] {
            assert!(!trimmed.contains(text), "{format}: {text}");
        }
        assert!(trimmed.contains("Buy milk, they say."), "{format}");
        // The header says what, the end says how many.
        match format {
            "json" => {
                let document: Value = serde_json::from_str(&trimmed).unwrap();
                let options = json!({"no_tools": true, "no_thinking": true});
                assert_eq!(document["session"]["options"], options);
                assert_eq!(document["end"]["left_out"], json!({"tools": 1, "thinking": 1}));
            }
            "jsonl" => {
                let end: Value = serde_json::from_str(trimmed.lines().last().unwrap()).unwrap();
                assert_eq!(end["left_out"], json!({"tools": 1, "thinking": 1}));
            }
            _ => {
                assert!(trimmed.contains("Left out"), "{format}");
                assert!(trimmed.contains("What is missing"), "{format}");
            }
        }
    }
}

#[test]
fn the_source_is_never_the_target() {
    let sandbox = with_claude();
    let source = sandbox.home().join(STORE).join(format!("{CLAUDE}.jsonl"));
    std::fs::hard_link(&source, sandbox.shell().join("twin.jsonl")).unwrap();
    for out in [source.to_str().unwrap(), "twin.jsonl"] {
        let said = sandbox.run(["sessions", "export", "5973b6", "--out", out]);
        refused(&said, 1, "is a source of this export");
        assert_eq!(std::fs::read_to_string(&source).unwrap(), claude());
    }
}

/// A file that belongs to a session, below the home folder.
fn beside(name: &str) -> String {
    format!("{STORE}/{CLAUDE}/{name}")
}

#[test]
fn no_file_of_a_session_is_ever_the_target() {
    let subagent =
        claude().replace("\"isSidechain\":false", "\"isSidechain\":true,\"agentId\":\"b2\"");
    for (session, file, text) in [
        ("5973b6", beside("subagents/agent-a1.jsonl"), subagent.as_str()),
        ("5973b6", beside("tool-results/toolu_1.txt"), "a long result"),
        ("5973b6", format!("{STORE}/agent-b2.jsonl"), subagent.as_str()),
        ("sess_demo", ".coddy/sessions/sess_demo/stats.json".into(), "{}"),
        ("sess_demo", ".coddy/sessions/sess_demo/tool_calls/c/result.md".into(), "moon"),
    ] {
        let sandbox = with_claude();
        coddy(&sandbox, "sess_demo");
        let path = sandbox.put(&file, text);
        let twin = sandbox.shell().join("twin.json");
        std::fs::hard_link(&path, &twin).unwrap();
        for out in [path.to_str().unwrap(), "twin.json"] {
            let args = ["sessions", "export", session, "--format", "json", "--out", out];
            refused(&sandbox.run(args), 1, "is a source of this export");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{file}");
        }
    }
}

#[test]
fn a_subagent_that_cannot_be_read_stands_in_its_place_and_says_so() {
    let sandbox = with_claude();
    sandbox.put(&beside("subagents/agent-a1.jsonl"), "");
    sandbox.put(&beside("subagents/agent-b2.jsonl"), "no session at all\n");
    let fifo = sandbox.home().join(beside("subagents/agent-c3.jsonl"));
    assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
    let export = ["sessions", "export", "5973b6", "--subagents", "--format", "json", "--out", "-"];
    let said = sandbox.run(export);
    assert_eq!(said.code, 0, "{said:?}");
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["entries"].as_array().unwrap().len(), 3);
    let children = document["subagents"].as_array().unwrap();
    assert!(!children.is_empty());
    for child in children {
        assert_eq!(child["session"]["parent_id"], CLAUDE);
        assert_eq!(child["entries"], json!([]));
        assert_eq!(child["end"]["notices"][0]["kind"], "missing-file", "{child}");
    }
    assert!(said.err.contains("note: missing-file: "), "{said:?}");
}

#[test]
fn a_session_that_the_source_does_not_hold_is_an_error() {
    let sandbox = with_claude();
    coddy(&sandbox, "sess_demo");
    let store = sandbox.home().join(".coddy/sessions");
    let export = |args: &[&str]| sandbox.run([&["sessions", "export"], args].concat());
    refused(&export(&["5973b6", "--session", "other"]), 1, "holds no session other");
    assert_eq!(export(&["5973b6", "--session", CLAUDE]).code, 0);
    // A folder that holds one session is that session; of several, one must be named.
    assert_eq!(export(&[store.to_str().unwrap()]).code, 0);
    coddy(&sandbox, "sess_other");
    let said = export(&[store.to_str().unwrap()]);
    refused(&said, 1, "holds 2 sessions");
    assert!(said.err.contains("about sess_other") && said.err.contains("hint: --session ID"));
    assert_eq!(export(&[store.to_str().unwrap(), "--session", "sess_d"]).code, 0);
}

#[test]
fn a_title_of_two_sessions_is_ambiguous_as_a_title() {
    let sandbox = Sandbox::new();
    for id in ["sess_a", "sess_b"] {
        coddy(&sandbox, id);
        let facts = json!({"version": 1, "id": id, "cwd": "/w", "title": "the same"});
        sandbox.put(&format!(".coddy/sessions/{id}/session.json"), facts.to_string());
    }
    let said = sandbox.run(["sessions", "export", "the same"]);
    refused(&said, 1, "error: session title \"the same\" is ambiguous (2 matches)\n");
}

#[test]
fn the_branch_is_asked_once_and_is_the_same_for_chat_and_shell() {
    let sandbox = Sandbox::new();
    coddy(&sandbox, "sess_demo");
    let project = sandbox.home().join("project");
    std::fs::create_dir(&project).unwrap();
    let facts = json!({"version": 1, "id": "sess_demo", "cwd": project, "title": "t"});
    sandbox.put(".coddy/sessions/sess_demo/session.json", facts.to_string());
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git")
            .arg("-C")
            .arg(&project)
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(args)
            .output();
        assert!(ran.unwrap().status.success(), "git {args:?}");
    };
    let branch = || {
        let shell =
            sandbox.run(["sessions", "export", "sess_demo", "--format", "json", "--out", "-"]);
        let root = sandbox.shell();
        let root = root.to_str().unwrap();
        sandbox.run(["command", "sess_demo", "--workspace", root, "/export chat.json"]);
        assert_eq!(sandbox.text("chat.json"), shell.out);
        serde_json::from_str::<Value>(&shell.out).unwrap()["session"]["git_branch"].clone()
    };
    assert_eq!(branch(), json!(null), "no repository");
    git(&["init", "--quiet", "--initial-branch", "low-tide"]);
    assert_eq!(branch(), json!(null), "no commit yet");
    git(&["commit", "--quiet", "--allow-empty", "--message", "first"]);
    assert_eq!(branch(), json!("low-tide"));
    git(&["checkout", "--quiet", "--detach"]);
    assert_eq!(branch(), json!(null), "detached head");
}

#[test]
fn what_could_not_be_read_is_said_in_document_reply_and_on_standard_error() {
    let sandbox = Sandbox::new();
    let mut rows: Vec<_> = claude().lines().map(str::to_owned).collect();
    rows.insert(2, "{\"torn\": ".into());
    sandbox.put(&format!("{STORE}/{CLAUDE}.jsonl"), rows.join("\n") + "\n{\"type\":\"us");
    let said = sandbox.run(["sessions", "export", "5973b6", "--out", "chat.md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.err.contains("note: bad-row: ") && said.err.contains("note: cut-short: "),
        "{said:?}"
    );
    let text = sandbox.text("chat.md");
    assert!(text.contains("- **Not readable**: 2 rows (listed at the end)"), "{text}");
    assert!(
        text.contains("- **bad-row**: Row 3 ") && text.contains("- **cut-short**: Row 6 "),
        "{text}"
    );
    assert!(text.contains("Buy milk, they say."), "{text}");
    let workspace = sandbox.shell();
    let reply = sandbox.run([
        "command",
        "5973b6",
        "--workspace",
        workspace.to_str().unwrap(),
        "/export json x.json",
    ]);
    assert!(
        reply.out.contains("Note: 2 rows could not be read; see the end of the file."),
        "{reply:?}"
    );
    assert_eq!(reply.err, said.err, "both say the same beside the answer");
    let document: Value = serde_json::from_str(&sandbox.text("x.json")).unwrap();
    let kinds: Vec<_> = document["end"]["notices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|notice| (notice["kind"].as_str().unwrap(), notice["row"].as_u64().unwrap()))
        .collect();
    assert_eq!(kinds, [("bad-row", 3), ("cut-short", 6)]);
}

#[test]
fn a_file_that_is_no_session_says_which_it_is() {
    let sandbox = Sandbox::new();
    for (name, bytes, error) in [
        ("empty.jsonl", &b""[..], "empty"),
        ("other.jsonl", b"{\"hello\":\"world\"}\n", "not a session of a known agent"),
        ("table.db", b"SQLite format 3\0rest", "not a session of a known agent"),
        ("picture.jsonl", b"\x89PNG\r\n\x1a\n\0\0\0", "not a session of a known agent"),
    ] {
        std::fs::write(sandbox.shell().join(name), bytes).unwrap();
        refused(&sandbox.run(["sessions", "export", name, "--out", "x.md"]), 1, error);
        assert!(!sandbox.shell().join("x.md").exists(), "{name}");
    }
    let summary =
        format!("{{\"type\":\"summary\",\"summary\":\"A title\",\"leafUuid\":\"{CLAUDE}\"}}\n");
    std::fs::write(sandbox.shell().join("header.jsonl"), summary).unwrap();
    let said = sandbox.run(["sessions", "export", "header.jsonl", "--out", "x.md"]);
    refused(&said, 1, "nothing to export: the session holds no messages");
}

#[test]
fn a_reader_that_goes_away_ends_the_program_silently() {
    let sandbox = Sandbox::new();
    let long = row("user", 1, None, json!({"role": "user", "content": "x".repeat(4 << 20)}));
    sandbox.put(&format!("{STORE}/{CLAUDE}.jsonl"), long + "\n");
    let mut child = sandbox
        .command(["sessions", "export", "5973b6", "--out", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!((said.code, said.err.as_str()), (1, ""));
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_leaves_the_old_file() {
    let sandbox = Sandbox::new();
    let long = row("user", 1, None, json!({"role": "user", "content": "x".repeat(1 << 20)}));
    sandbox.put(&format!("{STORE}/{CLAUDE}.jsonl"), long + "\n");
    std::fs::write(sandbox.shell().join("chat.md"), "old").unwrap();
    let program = carryall_tests::binary().to_str().unwrap().to_owned();
    let limited = "ulimit -f 16; exec \"$0\" sessions export 5973b6 --out chat.md";
    let said = Said::from(
        std::process::Command::new("sh")
            .args(["-c", limited, &program])
            .current_dir(sandbox.shell())
            .env("HOME", sandbox.home())
            .output()
            .unwrap(),
    );
    refused(&said, 1, "the file is larger than the system allows");
    assert_eq!(sandbox.files(), ["chat.md"]);
    assert_eq!(sandbox.text("chat.md"), "old");
}

#[test]
fn the_json_reply_of_a_command_has_null_where_there_is_no_value() {
    let sandbox = with_claude();
    let workspace = sandbox.shell();
    let run = |line: &str| {
        let root = workspace.to_str().unwrap();
        let said = sandbox.run(["command", "5973b6", "--workspace", root, "--json", line]);
        (said.code, serde_json::from_str::<Value>(&said.out).unwrap())
    };
    let (code, done) = run("/export md notes/");
    let path = "notes/carryall-export-2026-09-06T12-00-00Z.md";
    assert_eq!(code, 0);
    assert_eq!(
        done,
        json!({
            "ok": true, "reply": done["reply"], "format": "md", "path": path, "entries": 3,
            "bytes": sandbox.text(path).len(), "error_kind": null,
        })
    );
    let (code, failed) = run("/export ../x.md");
    assert_eq!(code, 1);
    assert_eq!(failed["error_kind"], "escape");
    assert_eq!(
        (&failed["ok"], &failed["path"], &failed["bytes"]),
        (&json!(false), &json!(null), &json!(null))
    );
    let root = workspace.to_str().unwrap();
    let said = sandbox.run(["command", "none", "--workspace", root, "--json", "/export"]);
    let unknown: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.code, &unknown["error_kind"]), (1, &json!("unknown-session")));
}

#[test]
fn the_list_is_newest_first_and_prints_no_control_characters() {
    let sandbox = with_claude();
    coddy(&sandbox, "sess_demo");
    let evil =
        json!({"version": 1, "id": "sess_evil", "cwd": "/w", "title": "a\u{1b}[31mb\u{202e}c"});
    sandbox.put(".coddy/sessions/sess_evil/session.json", evil.to_string());
    sandbox.put(".coddy/sessions/sess_evil/messages.json", "{\"version\":1,\"messages\":[]}");
    let said = sandbox.run(["sessions", "list"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(said.out.lines().count(), 1 + 3, "{said:?}");
    assert!(!said.out.contains('\u{1b}') && !said.out.contains('\u{202e}'), "{said:?}");
    let said = sandbox.run(["sessions", "list", "--json", "--full", "--agent", "claude-code"]);
    let listed: Value = serde_json::from_str(said.out.trim()).unwrap();
    assert_eq!(listed["agent"], "claude-code");
    assert_eq!(listed["id"], CLAUDE);
    assert_eq!(listed["title"], "What do the notes say?");
    assert_eq!(listed["cwd"], "/home/mira/src/tidepool");
    assert_eq!(listed["model"], "claude-test-1");
    assert_eq!(listed["git_branch"], "main");
    refused(&sandbox.run(["sessions", "list", "--since", "yesterday-ish"]), 2, "yesterday-ish");
    refused(&sandbox.run(["sessions", "list", "--agent", "nobody"]), 2, "nobody");
}

#[test]
fn agents_says_where_it_looks_and_honours_overrides() {
    let sandbox = with_claude();
    let said = sandbox.run(["agents"]);
    let store = sandbox.home().join(".claude/projects");
    let line = said.out.lines().find(|line| line.starts_with("claude-code")).unwrap();
    assert!(line.contains(store.to_str().unwrap()) && line.contains("1 session"), "{said:?}");
    let output =
        sandbox.command(["agents"]).env("CLAUDE_CONFIG_DIR", "/elsewhere").output().unwrap();
    let said = Said::from(output);
    assert!(said.out.contains("/elsewhere/projects"), "{said:?}");
}

/// A person who works as root must hear that the file is not the tree's owner's.
#[test]
fn root_in_the_tree_of_another_hears_of_it() {
    let sandbox = with_claude();
    if sandbox.shell().metadata().unwrap().uid() != 0 {
        let said = b"SKIPPED: the note about another user's tree: only root can write for others\n";
        return std::io::stderr().write_all(said).unwrap();
    }
    std::os::unix::fs::chown(sandbox.shell(), Some(65534), Some(65534)).unwrap();
    let note = "the file belongs to root, the folder does not";
    let said = sandbox.run(["sessions", "export", "5973b6"]);
    assert_eq!((said.code, said.err), (0, format!("note: {note}\n")));
    let said = sandbox.run(["command", "5973b6", "--workspace", ".", "/export md"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.ends_with(&format!("\nNote: {note}.\n")), "{said:?}");
}
