//! The documents that the seed of this program would write for its own bundles, compared by value;
//! the deliberate differences are those of `docs/differences.md`.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops where something is not as expected"
)]

use carryall_command::{Settings, write_document};
use carryall_dialect::{Locator, OpenContext, Registry};
use carryall_model::Options;
use carryall_render::{Format, Product};
use carryall_tests::{EXPORTED_AT, copy_folder, corpus};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// A bundle, and the name of the documents expected for it.
struct Case {
    bundle: &'static str,
    expected: &'static str,
    branch: Option<&'static str>,
    options: Options,
}

const PLAIN: Options = Options { no_tools: false, no_thinking: false, subagents: false };

const fn case(bundle: &'static str, expected: &'static str) -> Case {
    Case { bundle, expected, branch: None, options: PLAIN }
}

const fn review(expected: &'static str, no_tools: bool, no_thinking: bool) -> Case {
    Case {
        bundle: "sess_00000000000000000000a001",
        expected,
        branch: Some("main"),
        options: Options { no_tools, no_thinking, subagents: false },
    }
}

const CASES: &[Case] = &[
    review("readme-review", false, false),
    review("readme-review.no-thinking", false, true),
    review("readme-review.no-tools", true, false),
    review("readme-review.no-tools.no-thinking", true, true),
    case("sess_00000000000000000000a002", "pictures-moved"),
    case("sess_00000000000000000000a003", "attachments"),
    case("sess_00000000000000000000a004", "rich"),
    case("sess_00000000000000000000a004/subagents/sess_00000000000000000000b001", "rich-child"),
    case("sess_00000000000000000000a005", "early-layout"),
];

fn export(path: &Path, case: &Case, format: Format) -> String {
    let registry = Registry::builtin();
    let branch = case.branch.map(str::to_owned);
    let branch_of = |_: &Path| branch.clone();
    let cx = OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &branch_of,
        spool: tempfile::tempfile,
    };
    let dialect = registry.get("coddy").unwrap();
    let transcript = dialect.open(&Locator::new(path), &cx).unwrap();
    let product = Product::new("Carryall", "carryall");
    let settings = Settings {
        format,
        options: case.options,
        now: EXPORTED_AT.parse().unwrap(),
        product: &product,
    };
    let mut out = Vec::new();
    write_document(&*transcript, &settings, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Takes out of ours what version 1 adds to the seed's document (difference f), at every level.
fn without_additions(ours: &Value, seed: &Value) -> Value {
    match (ours, seed) {
        (Value::Object(ours), Value::Object(seed)) => Value::Object(
            ours.iter()
                .filter(|(key, _)| seed.contains_key(*key) || !is_addition(key))
                .map(|(key, value)| {
                    let seed = seed.get(key).unwrap_or(&Value::Null);
                    (key.clone(), without_additions(value, seed))
                })
                .collect(),
        ),
        (Value::Array(ours), Value::Array(seed)) => Value::Array(
            ours.iter()
                .enumerate()
                .map(|(n, value)| without_additions(value, seed.get(n).unwrap_or(&Value::Null)))
                .collect(),
        ),
        (value, _) => value.clone(),
    }
}

/// The optional fields of `docs/formats.md` that the seed does not have.
fn is_addition(key: &str) -> bool {
    matches!(
        key,
        "source"
            | "git_commit"
            | "git_origin_url"
            | "ended_at"
            | "parent_id"
            | "models"
            | "policy"
            | "cost_usd"
            | "subagents"
            | "other_branches"
            | "options"
            | "id"
            | "role"
            | "is_meta"
            | "usage"
            | "stop_reason"
            | "is_error"
            | "completed_at"
            | "subagent"
            | "media_type"
            | "bytes"
            | "end"
            | "cached_input_tokens"
            | "reasoning_tokens"
    )
}

/// The seed's documents as our deliberate differences have them.
fn as_we_decided(expected: &str, mut document: Value) -> Value {
    let session = document["session"].as_object_mut().unwrap();
    if expected == "early-layout" {
        // (b) no model was ever used, so none is named.
        session.remove("model");
    }
    if expected == "rich" {
        // (c) a wake row is no turn of a person.
        session.insert("user_turns".into(), 2.into());
    }
    document
}

fn place(scratch: &Path, corpus: &Path, case: &Case) -> PathBuf {
    let sessions = scratch.join("sessions");
    copy_folder(&corpus.join("coddy/sessions"), &sessions);
    sessions.join(case.bundle)
}

/// (e) `/now/<id>` of the expected documents is where the bundle really is.
fn moved(text: &str, bundle: &Path) -> String {
    let id = bundle.file_name().unwrap().to_str().unwrap();
    text.replace(&format!("/now/{id}"), bundle.to_str().unwrap())
}

#[test]
fn json_and_json_lines_hold_what_the_seed_would_write() {
    let Some(corpus) = corpus::folder() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for case in CASES {
        let bundle = place(scratch.path(), &corpus, case);
        let expected = corpus.join("coddy/expected").join(case.expected);
        let seed = |extension: &str| {
            let path = PathBuf::from(format!("{}.{extension}", expected.display()));
            moved(&std::fs::read_to_string(path).unwrap(), &bundle)
        };

        let seed_json: Value = serde_json::from_str(&seed("json")).unwrap();
        let seed_json = as_we_decided(case.expected, seed_json);
        let ours: Value = serde_json::from_str(&export(&bundle, case, Format::Json)).unwrap();
        let ours = without_additions(&ours, &seed_json);
        assert_eq!(ours, seed_json, "{}.json", case.expected);

        let lines = export(&bundle, case, Format::JsonLines);
        let ours: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|line: &Value| line["type"] != "end")
            .collect();
        let seed: Vec<Value> =
            seed("jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(ours.len(), seed.len(), "{}.jsonl", case.expected);
        for (ours, seed) in ours.iter().zip(&seed).skip(1) {
            assert_eq!(without_additions(ours, seed), *seed, "{}.jsonl", case.expected);
        }
        let header = as_we_decided(case.expected, json!({"session": seed[0]}))["session"].take();
        assert_eq!(without_additions(&ours[0], &header), header, "{}.jsonl", case.expected);
    }
}

/// Headings and bodies in order, with what difference (g) names taken away: the first heading,
/// code spans, fences, white space at the edges, `(no result …)` lines and markers.
fn plain(markdown: &str) -> Vec<String> {
    let mut lines: Vec<String> = markdown
        .lines()
        .skip(1)
        .filter(|line| !line.starts_with("<!-- carryall ") && !line.starts_with("(no result "))
        .map(|line| line.replace('`', "").trim().to_owned())
        .filter(|line| !line.is_empty() && line != "~~~" && line != "json" && line != "markdown")
        .collect();
    lines.retain(|line| line != "Result:" && line != "Input:");
    lines
}

/// Lines that only ours has: facts of the header and of plans that version 1 adds.
fn is_our_line(line: &str) -> bool {
    [
        "- **Agent**",
        "- **Ended**",
        "- **Left out**",
        "- **Other branches**",
        "*1 injected message",
        "Plan file: ",
    ]
    .iter()
    .any(|beginning| line.starts_with(beginning))
}

#[test]
fn markdown_has_the_headings_and_bodies_of_the_seed_in_order() {
    let Some(corpus) = corpus::folder() else { return };
    let scratch = tempfile::tempdir().unwrap();
    for case in CASES {
        let bundle = place(scratch.path(), &corpus, case);
        let path = corpus.join("coddy/expected").join(format!("{}.md", case.expected));
        let seed = moved(&std::fs::read_to_string(path).unwrap(), &bundle);
        let ours = export(&bundle, case, Format::Markdown);
        let (body, _end) = ours.split_once("\n## What is missing").unwrap_or((&ours, ""));
        let ours: Vec<_> = plain(body).into_iter().filter(|line| !is_our_line(line)).collect();
        let ours: Vec<_> = ours.iter().map(|line| without_media(line)).collect();
        let seed: Vec<_> = plain(&seed).into_iter().filter(|line| !gone(case, line)).collect();
        let ours: Vec<_> = ours.into_iter().filter(|line| !gone(case, line)).collect();
        assert_eq!(ours, seed, "{}.md", case.expected);
    }
}

/// The seed names files alone; media type and size are among what version 1 adds (difference f).
fn without_media(line: &str) -> String {
    let mut line = line.to_owned();
    if !line.starts_with("Attachments: ") && !line.starts_with("Pictures: ") {
        return line;
    }
    while let Some((before, media)) = line.split_once(" (")
        && let Some((_, after)) = media.split_once(')')
    {
        line = format!("{before}{after}");
    }
    line
}

/// Lines in which we differ from the seed on purpose (differences b and c).
fn gone(case: &Case, line: &str) -> bool {
    match case.expected {
        "early-layout" => line.starts_with("- **Model**"),
        "rich" => {
            let is_wake = line == "## User · 2026-09-06T11:05:00Z" || line.contains("background");
            line.starts_with("- **Transcript**") || is_wake
        }
        _ => false,
    }
}
