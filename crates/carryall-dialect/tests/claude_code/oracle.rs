//! A second reading of a session, slow and simple: whole files, `serde_json::Value`, no index.
//!
//! It shares no code and no type with the reader; what it calls the conversation follows the same
//! rules, written down a second time.

use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// What happens in a conversation, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Beat {
    Prompt(String),
    Response { id: String, reasoning: String, text: String, calls: Vec<Call> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: String,
    pub(crate) result: Option<String>,
    pub(crate) is_error: bool,
}

struct Row {
    value: Value,
    parent: Option<usize>,
}

const TREE: [&str; 5] = ["user", "assistant", "system", "attachment", "progress"];

/// The conversation of a file.
pub(crate) fn beats(file: &str) -> Vec<Beat> {
    let rows = rows(file);
    let main: Vec<bool> = {
        let mixed = rows.iter().any(|row| is_message(row) && !flag(row, "isSidechain"));
        rows.iter().map(|row| !mixed || !flag(row, "isSidechain")).collect()
    };
    let Some(leaf) = leaf(&rows, &main) else { return Vec::new() };
    let shown = widen(&rows, &main, &path(&rows, &main, leaf));
    tell(&rows, &shown)
}

fn rows(file: &str) -> Vec<Row> {
    let lines = file.trim_start_matches('\u{feff}').lines();
    let values = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut rows: Vec<Row> = Vec::new();
    let mut latest: HashMap<String, usize> = HashMap::new();
    let values =
        values.filter(|v| v.is_object() && TREE.contains(&v["type"].as_str().unwrap_or("")));
    for value in values {
        let id = value["uuid"].as_str().unwrap_or_default().to_owned();
        if latest.get(&id).is_some_and(|&at| {
            rows[at].value["message"] == value["message"] && value["message"].is_object()
        }) {
            continue;
        }
        let parent = value["parentUuid"].as_str().and_then(|id| latest.get(id)).copied();
        latest.insert(id, rows.len());
        rows.push(Row { value, parent });
    }
    // Parents that stand below their children.
    let firsts: HashMap<String, usize> = rows
        .iter()
        .enumerate()
        .rev()
        .map(|(at, row)| (row.value["uuid"].as_str().unwrap_or_default().to_owned(), at))
        .collect();
    for (at, row) in rows.iter_mut().enumerate() {
        if row.parent.is_none()
            && let Some(id) = row.value["parentUuid"].as_str()
        {
            row.parent = firsts.get(id).copied().filter(|&parent| parent > at);
        }
    }
    rows
}

fn flag(row: &Row, name: &str) -> bool {
    row.value[name].as_bool().unwrap_or(false)
}

fn is_message(row: &Row) -> bool {
    matches!(row.value["type"].as_str(), Some("user" | "assistant"))
}

fn leaf(rows: &[Row], main: &[bool]) -> Option<usize> {
    let parents: HashSet<usize> = rows
        .iter()
        .zip(main)
        .filter(|(_, main)| **main)
        .filter_map(|(row, _)| row.parent)
        .collect();
    let ends = (0..rows.len()).filter(|&at| main[at] && !parents.contains(&at));
    let messages: Vec<usize> =
        ends.filter_map(|end| message_above(rows, end)).filter(|&at| main[at]).collect();
    let typed = messages.iter().copied().filter(|&at| !flag(&rows[at], "isMeta")).max();
    typed.or_else(|| messages.into_iter().max())
}

fn message_above(rows: &[Row], mut at: usize) -> Option<usize> {
    for _ in 0..rows.len() {
        if is_message(&rows[at]) {
            return Some(at);
        }
        at = rows[at].parent?;
    }
    None
}

fn path(rows: &[Row], main: &[bool], leaf: usize) -> HashSet<usize> {
    let mut path = HashSet::new();
    let mut at = leaf;
    while path.insert(at) {
        let row = &rows[at];
        let next = row.parent.or_else(|| {
            if row.value["subtype"] != "compact_boundary" || row.value["parentUuid"].is_string() {
                return None;
            }
            let logical = row.value["logicalParentUuid"].as_str();
            let named =
                rows.iter().position(|r| logical.is_some() && r.value["uuid"].as_str() == logical);
            named.or_else(|| (0..at).rev().find(|&at| main[at]))
        });
        let Some(next) = next else { break };
        at = next;
    }
    path
}

fn widen(rows: &[Row], main: &[bool], path: &HashSet<usize>) -> Vec<usize> {
    let ids: HashSet<&str> =
        path.iter().filter_map(|&at| rows[at].value["message"]["id"].as_str()).collect();
    let in_response =
        |row: &Row| row.value["message"]["id"].as_str().is_some_and(|id| ids.contains(id));
    let shown: HashSet<usize> = (0..rows.len())
        .filter(|&at| main[at] && (path.contains(&at) || in_response(&rows[at])))
        .collect();
    let calls: HashSet<String> = shown
        .iter()
        .flat_map(|&at| blocks(&rows[at], "tool_use"))
        .filter_map(|block| block["id"].as_str().map(str::to_owned))
        .collect();
    let answers = |row: &Row| {
        blocks(row, "tool_result")
            .iter()
            .any(|block| block["tool_use_id"].as_str().is_some_and(|id| calls.contains(id)))
    };
    (0..rows.len()).filter(|&at| shown.contains(&at) || (main[at] && answers(&rows[at]))).collect()
}

fn blocks(row: &Row, kind: &str) -> Vec<Value> {
    let content = row.value["message"]["content"].as_array().cloned().unwrap_or_default();
    content.into_iter().filter(|block| block["type"] == kind).collect()
}

fn texts(row: &Row) -> Vec<String> {
    match &row.value["message"]["content"] {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| match block {
                Value::String(text) => Some(text.clone()),
                block if block["type"] == "text" => block["text"].as_str().map(str::to_owned),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn tell(rows: &[Row], shown: &[usize]) -> Vec<Beat> {
    let mut beats: Vec<Beat> = Vec::new();
    let mut answers: HashMap<String, (String, bool)> = HashMap::new();
    for block in shown.iter().flat_map(|&at| blocks(&rows[at], "tool_result")) {
        if let Some(id) = block["tool_use_id"].as_str() {
            let answer = (flat(&block["content"]), block["is_error"] == true);
            answers.entry(id.to_owned()).or_insert(answer);
        }
    }
    for &at in shown {
        match rows[at].value["type"].as_str() {
            Some("user") => beats.extend(prompt(rows, shown, at).map(Beat::Prompt)),
            Some("assistant") => respond(&mut beats, &rows[at], &answers),
            Some("attachment") => beats.extend(queued(&rows[at]).map(Beat::Prompt)),
            _ => {}
        }
    }
    beats
}

/// What a person typed in a user row.
fn prompt(rows: &[Row], shown: &[usize], at: usize) -> Option<String> {
    let row = &rows[at];
    if flag(row, "isMeta") || flag(row, "isCompactSummary") {
        return None;
    }
    let texts = texts(row);
    if texts.first().is_some_and(|text| text.starts_with("<command-")) {
        // A command is a prompt when no output follows.
        let next = shown.iter().copied().find(|&n| n > at && is_message(&rows[n]))?;
        let printed = texts_begin(&rows[next], "<local-command-std");
        let part = |name: &str| {
            let text = &texts[0];
            let from = text.find(&format!("<{name}>"))? + name.len() + 2;
            Some(text[from..text.rfind(&format!("</{name}>"))?].to_owned())
        };
        let line =
            format!("{} {}", part("command-name")?, part("command-args").unwrap_or_default());
        return (!printed).then(|| line.trim().to_owned());
    }
    let host = [
        "<local-command",
        "<bash-",
        "<ide_",
        "<task-notification",
        "<teammate-message",
        "[Request interrupted by user",
        "Caveat: The messages below",
    ];
    let typed: Vec<String> = texts
        .into_iter()
        .filter(|text| !text.is_empty() && !host.iter().any(|h| text.starts_with(h)))
        .collect();
    (!typed.is_empty()).then(|| typed.join("\n\n"))
}

fn texts_begin(row: &Row, mark: &str) -> bool {
    texts(row).first().is_some_and(|text| text.starts_with(mark))
}

fn queued(row: &Row) -> Option<String> {
    let attachment = &row.value["attachment"];
    let is_prompt = attachment["type"] == "queued_command" && attachment["commandMode"] == "prompt";
    if !is_prompt {
        return None;
    }
    attachment["prompt"].as_str().map(str::to_owned)
}

fn respond(beats: &mut Vec<Beat>, row: &Row, answers: &HashMap<String, (String, bool)>) {
    let message = &row.value["message"];
    let own = message["id"].as_str().or(row.value["uuid"].as_str()).unwrap_or_default();
    let known =
        beats.iter().position(|beat| matches!(beat, Beat::Response { id, .. } if id == own));
    let at = known.unwrap_or_else(|| {
        beats.push(Beat::Response {
            id: own.to_owned(),
            reasoning: String::new(),
            text: String::new(),
            calls: Vec::new(),
        });
        beats.len() - 1
    });
    let Beat::Response { reasoning, text, calls, .. } = &mut beats[at] else { return };
    for block in blocks(row, "thinking") {
        add(reasoning, block["thinking"].as_str().unwrap_or_default());
    }
    for said in texts(row) {
        add(text, &said);
    }
    for block in blocks(row, "tool_use") {
        let id = block["id"].as_str().unwrap_or_default().to_owned();
        let answer = answers.get(&id).cloned();
        calls.push(Call {
            name: block["name"].as_str().unwrap_or_default().to_owned(),
            input: block["input"].to_string(),
            is_error: answer.as_ref().is_some_and(|answer| answer.1),
            result: answer.map(|answer| answer.0),
            id,
        });
    }
}

/// Adds a part; white space alone is none.
pub(crate) fn add(all: &mut String, part: &str) {
    if part.trim().is_empty() {
        return;
    }
    if !all.is_empty() {
        all.push_str("\n\n");
    }
    all.push_str(part);
}

/// The text of a result.
fn flat(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let mut all = String::new();
            let mut was_reference = false;
            for part in parts {
                let is_reference = part["type"] == "tool_reference";
                let text = if is_reference {
                    format!("[tool reference: {}]", part["tool_name"].as_str().unwrap_or_default())
                } else {
                    part["text"].as_str().unwrap_or_default().to_owned()
                };
                if !all.is_empty() && !text.is_empty() {
                    all.push_str(if is_reference && was_reference { "\n" } else { "\n\n" });
                }
                was_reference = is_reference;
                all.push_str(&text);
            }
            all
        }
        _ => String::new(),
    }
}
