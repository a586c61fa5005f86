//! The JSON Schemas of `docs/schema`: every golden file fits, and what does not fit is refused.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops where something is not as expected"
)]

use carryall_tests::repository;
use jsonschema::Validator;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const DOCUMENT: &str = "session-1";
const LINE: &str = "session-1-line";

fn schema(name: &str) -> Value {
    let path = repository().join("docs/schema").join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn validator(name: &str) -> Validator {
    let schema = schema(name);
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn golden(extension: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for dialect in std::fs::read_dir(repository().join("tests/fixtures")).unwrap() {
        for case in std::fs::read_dir(dialect.unwrap().path()).unwrap() {
            let path = case.unwrap().path().join(format!("golden/export.{extension}"));
            let text = std::fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
    assert!(files.len() >= 20, "only {} golden files", files.len());
    files.sort();
    files
}

/// A JSON text as a value. A tool's input may hold numbers that no machine type has; they are
/// numbers all the same.
fn value(text: &str) -> Value {
    let read: Result<Value, _> = match text.trim_start().as_bytes()[0] {
        b'{' => serde_json::from_str::<BTreeMap<String, &RawValue>>(text)
            .map(|fields| fields.into_iter().map(|(k, v)| (k, value(v.get()))).collect()),
        b'[' => serde_json::from_str::<Vec<&RawValue>>(text)
            .map(|items| items.into_iter().map(|item| value(item.get())).collect()),
        b'"' => serde_json::from_str(text),
        _ => Ok(serde_json::from_str(text).unwrap_or(json!(0))),
    };
    read.unwrap()
}

fn fits(validator: &Validator, value: &Value, place: &str) {
    let errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{place}: {errors:#?}");
}

#[test]
fn every_golden_document_fits() {
    let validator = validator(DOCUMENT);
    for (path, text) in golden("json") {
        fits(&validator, &value(&text), &path.display().to_string());
    }
}

#[test]
fn every_golden_line_fits() {
    let validator = validator(LINE);
    for (path, text) in golden("jsonl") {
        for (number, line) in text.lines().enumerate() {
            fits(&validator, &value(line), &format!("{} line {}", path.display(), number + 1));
        }
    }
}

/// All values that are the given one with one thing wrong: a field that is not known, or a value
/// of another type. What a tool was given may be anything and stays.
fn wrong(value: &Value) -> Vec<Value> {
    match value {
        Value::Object(fields) => {
            let mut strange = fields.clone();
            strange.insert("surprise".into(), json!("!"));
            let mut all = vec![Value::Object(strange), json!("not an object")];
            for (key, inner) in fields.iter().filter(|(key, _)| *key != "input") {
                let with = |inner: Value| {
                    let mut fields: Map<String, Value> = fields.clone();
                    fields.insert(key.clone(), inner);
                    Value::Object(fields)
                };
                all.extend(wrong(inner).into_iter().map(with));
            }
            all
        }
        Value::Array(items) => {
            // The first and the last are enough: an item's schema does not depend on its place.
            let numbers = BTreeSet::from([0, items.len().saturating_sub(1)]);
            let mut all = vec![json!({"not": "a list"})];
            for number in numbers.into_iter().filter(|&number| number < items.len()) {
                for inner in wrong(&items[number]) {
                    let mut items = items.clone();
                    items[number] = inner;
                    all.push(Value::Array(items));
                }
            }
            all
        }
        Value::String(_) => vec![json!(1), Value::Null, json!(["not", "text"])],
        Value::Number(_) => vec![json!("1"), json!(-1.5), Value::Null],
        Value::Bool(_) => vec![json!(false), json!("true")],
        Value::Null => Vec::new(),
    }
}

/// A cost that is another number is a cost all the same.
fn is_cost(value: &Value) -> bool {
    value["session"]["cost_usd"] == json!(-1.5) || value["cost_usd"] == json!(-1.5)
}

#[test]
fn one_wrong_thing_is_refused() {
    let (documents, lines) = (validator(DOCUMENT), validator(LINE));
    let mut refused = 0;
    let is_tour = |path: &PathBuf| path.parent().unwrap().parent().unwrap().ends_with("tour");
    for (path, text) in golden("json").into_iter().filter(|(path, _)| is_tour(path)) {
        for value in wrong(&value(&text)).iter().filter(|value| !is_cost(value)) {
            assert!(!documents.is_valid(value), "{}: {value:#}", path.display());
            refused += 1;
        }
    }
    for (path, text) in golden("jsonl").into_iter().filter(|(path, _)| is_tour(path)) {
        let values = text.lines().flat_map(|line| wrong(&value(line)));
        for value in values.filter(|value| !is_cost(value)) {
            assert!(!lines.is_valid(&value), "{}: {value:#}", path.display());
            refused += 1;
        }
    }
    assert!(refused > 500, "only {refused} were tried");
}

#[test]
fn what_belongs_to_one_type_of_entry_is_refused_in_others() {
    let lines = validator(LINE);
    for (line, is_right) in [
        (json!({"type": "other", "role": "narrator"}), true),
        (json!({"type": "user", "role": "narrator"}), false),
        (json!({"type": "command", "result": ""}), true),
        (json!({"type": "user", "result": ""}), false),
        (json!({"type": "assistant", "tool_calls": [{"id": "", "name": ""}]}), true),
        (json!({"type": "user", "tool_calls": [{"id": "", "name": ""}]}), false),
        (json!({"type": "assistant", "tool_calls": []}), false),
        (json!({"type": "user", "text": ""}), false),
        (json!({"type": "user", "is_meta": false}), false),
        (
            json!({"type": "assistant", "tool_calls": [{"id": "1", "name": "a", "is_error": true}]}),
            false,
        ),
        (json!({"type": "end"}), false),
        (json!({"type": "end", "more_notices": 1}), true),
        (json!({"type": "poem"}), false),
        (json!({"text": "no type"}), false),
        (
            json!({"type": "session", "version": 2, "id": "a", "exported_at": "t", "message_count": 0, "user_turns": 0}),
            false,
        ),
        (
            json!({"type": "session", "version": 1, "id": "a", "exported_at": "t", "message_count": 0, "user_turns": 0}),
            true,
        ),
    ] {
        assert_eq!(lines.is_valid(&line), is_right, "{line}");
    }
}

#[test]
fn the_two_schemas_say_the_same() {
    let (document, line) = (schema(DOCUMENT), schema(LINE));
    for name in ["usage", "entry", "call", "file", "plan", "notice"] {
        assert_eq!(document["$defs"][name], line["$defs"][name], "{name}");
    }
    for (whole, of_line) in [("session", "session_line"), ("end", "end_line")] {
        let mut fields = line["$defs"][of_line]["properties"].as_object().unwrap().clone();
        fields.retain(|name, _| name != "type" && name != "version");
        assert_eq!(&fields, document["$defs"][whole]["properties"].as_object().unwrap(), "{whole}");
    }
}

#[test]
fn every_kind_of_entry_and_notice_is_in_the_schema() {
    let document = schema(DOCUMENT);
    let formats = std::fs::read_to_string(repository().join("docs/formats.md")).unwrap();
    let words: BTreeSet<&str> = formats.split([' ', '\n', '`', ',', '(', ')', '.']).collect();
    let named = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let mut all = named(&document["$defs"]["entry"]["properties"]["type"]["enum"]);
    all.extend(named(&document["$defs"]["notice"]["properties"]["kind"]["enum"]));
    assert_eq!(all.len(), 26);
    for word in all {
        assert!(words.contains(word.as_str()), "{word} is not in docs/formats.md");
    }
}
