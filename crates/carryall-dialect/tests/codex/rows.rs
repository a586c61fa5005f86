//! The rows of a thread and of those that it goes on from, as values; for the slow reading.

use crate::oracle::Beat;
use serde_json::{Value, json};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The rows of a thread, those of the threads before it first.
pub(crate) fn of(path: &Path) -> Vec<Value> {
    let rows = parse(&bytes(path));
    let meta = rows.iter().find(|row| row["type"] == "session_meta");
    let meta = meta.map_or(&Value::Null, |row| &row["payload"]);
    let mut all = inherited(&meta["history_base"], path);
    let own_from = meta["subagent_history_start_ordinal"].as_u64().unwrap_or(0);
    all.extend(
        rows.into_iter().filter(|row| row["ordinal"].as_u64().is_none_or(|n| n >= own_from)),
    );
    all
}

fn inherited(base: &Value, path: &Path) -> Vec<Value> {
    let Some(thread) = base["thread_id"].as_str() else { return Vec::new() };
    let Some(parent) = rollout_of(thread, path) else { return Vec::new() };
    let bytes = bytes(&parent);
    let end = base["end_byte_offset"].as_u64().unwrap_or(u64::MAX) as usize;
    let mut rows = of(&parent);
    let beyond = parse(&bytes[end.min(bytes.len())..]).len();
    rows.truncate(rows.len() - beyond);
    rows
}

/// The name and the inherited bytes of each thread before one, the oldest first.
pub(crate) fn inherited_bytes(path: &Path) -> Vec<(String, Vec<u8>)> {
    let rows = parse(&bytes(path));
    let meta = rows.iter().find(|row| row["type"] == "session_meta");
    let base = meta.map_or(&Value::Null, |row| &row["payload"]["history_base"]);
    let thread = base["thread_id"].as_str();
    let Some(parent) = thread.and_then(|thread| rollout_of(thread, path)) else {
        return Vec::new();
    };
    let mut all = inherited_bytes(&parent);
    let mut bytes = bytes(&parent);
    bytes.truncate(base["end_byte_offset"].as_u64().unwrap_or(u64::MAX) as usize);
    all.push((parent.file_name().unwrap().to_string_lossy().into_owned(), bytes));
    all
}

fn rollout_of(thread: &str, path: &Path) -> Option<PathBuf> {
    let mut beside: Vec<PathBuf> =
        fs::read_dir(path.parent()?).ok()?.map(|entry| entry.unwrap().path()).collect();
    beside.sort();
    beside.into_iter().find(|path| path.to_string_lossy().contains(thread))
}

/// The bytes of a rollout, unpacked.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "zst") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(&*bytes).unwrap();
    decoder.read_to_end(&mut unpacked).unwrap();
    unpacked
}

fn parse(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(bytes);
    let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    values.filter(Value::is_object).collect()
}

/// The kind of a row in one word, and what it holds.
pub(crate) fn unwrap(row: &Value) -> (String, &Value) {
    let payload = if row["payload"].is_object() { &row["payload"] } else { row };
    let kind = payload["type"].as_str().unwrap_or_default();
    let kind = match (row["type"].as_str().unwrap_or_default(), kind) {
        ("event_msg", "item_completed") => {
            format!("item:{}", payload["item"]["type"].as_str().unwrap_or_default())
        }
        (_, kind) if std::ptr::eq(payload, row) => kind.to_owned(),
        ("event_msg" | "response_item", kind) => kind.to_owned(),
        (kind, _) => kind.to_owned(),
    };
    (kind, payload)
}

/// The texts of a message, but not those that only mark its pictures.
pub(crate) fn texts(content: &Value) -> Vec<String> {
    let parts: Vec<Value> = match content {
        Value::Array(parts) => parts.clone(),
        Value::String(_) => vec![content.clone()],
        _ => Vec::new(),
    };
    let kinds = ["input_image", "local_image", "image", "input_audio", "input_file"];
    let pictures = parts.iter().any(|part| kinds.iter().any(|kind| part["type"] == **kind));
    let text = |part: &Value| part.as_str().or(part["text"].as_str()).map(str::to_owned);
    let is_mark =
        |text: &String| text == "</image>" || text == "<image>" || text.starts_with("<image name=");
    let texts = parts.iter().filter_map(text).filter(|text| !text.is_empty());
    texts.filter(|text| !(pictures && is_mark(text))).collect()
}

/// Who speaks in a message of the role `user`: `person`, `host` or `shell`.
pub(crate) fn speaker(content: &Value) -> &'static str {
    let hosts = [
        "environment_context",
        "user_instructions",
        "skill",
        "turn_aborted",
        "subagent_notification",
        "codex_internal_context",
        "goal_context",
        "hook_prompt",
        "recommended_plugins",
        "user_action",
    ];
    let is_host = |text: &String| {
        let text = text.trim().to_lowercase();
        text.starts_with("# agents.md instructions") && text.ends_with("</instructions>")
            || hosts.iter().any(|tag| {
                text.starts_with(&format!("<{tag}")) && text.ends_with(&format!("</{tag}>"))
            })
    };
    let texts = texts(content);
    let is_shell = |text: &String| text.trim().starts_with("<user_shell_command>");
    match (texts.iter().any(is_shell), texts.iter().any(is_host)) {
        (true, _) => "shell",
        (_, true) => "host",
        _ => "person",
    }
}

/// A line that a person ran, and what it printed.
pub(crate) fn shell(text: &str) -> Beat {
    let inside = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>")).unwrap();
        rest.rsplit_once(&format!("</{tag}>")).unwrap().0.trim_matches('\n').to_owned()
    };
    Beat::Shell(format!("!{}", inside("command")), inside("result"))
}

/// A call, not yet answered.
pub(crate) fn call(payload: &Value) -> Beat {
    let kind = payload["type"].as_str().unwrap();
    let id = payload["call_id"].as_str().or(payload["id"].as_str()).unwrap_or_default();
    let name = payload["name"].as_str().unwrap_or(kind.strip_suffix("_call").unwrap());
    let name = match payload["namespace"].as_str() {
        None => name.to_owned(),
        Some(space) if space.ends_with('_') => format!("{space}{name}"),
        Some(space) => format!("{space}.{name}"),
    };
    let keys = ["input", "revised_prompt", "arguments", "action"];
    let input = keys.iter().map(|key| &payload[*key]).find(|value| !value.is_null());
    let is_text = !payload["input"].is_null() || !payload["revised_prompt"].is_null();
    let input = match input {
        Some(Value::String(text)) if is_text => json!(text),
        Some(Value::String(text)) if text.trim().is_empty() => Value::Null,
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or(json!(text)),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    // A picture that was drawn has no answer of its own.
    let result = (kind == "image_generation_call").then(String::new);
    Beat::Call { id: id.to_owned(), name, input, result }
}

/// What a call gave back.
pub(crate) fn output(payload: &Value) -> String {
    let text = match &payload["output"] {
        Value::String(text) => text.clone(),
        Value::Array(_) => texts(&payload["output"]).join("\n\n"),
        Value::Null => {
            return match &payload["tools"] {
                Value::Null => String::new(),
                tools => tools.to_string(),
            };
        }
        other => other.to_string(),
    };
    let Ok(wrapped) = serde_json::from_str::<Value>(&text) else { return text };
    let (output, ended) = (&wrapped["output"], &wrapped["metadata"]);
    match (output.as_str(), ended["exit_code"].as_i64(), &ended["duration_seconds"]) {
        (Some(output), Some(code), Value::Number(took)) => {
            format!("Exit code: {code}\nWall time: {took} seconds\nOutput:\n{output}")
        }
        _ => text,
    }
}

/// A text that is JSON without the spaces that its writer chose; any other as it is.
pub(crate) fn respaced(text: String) -> String {
    serde_json::from_str::<Value>(&text).map_or(text, |value| value.to_string())
}
