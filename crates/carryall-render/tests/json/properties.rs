//! Any text and any value: what is written reads back the same.

use crate::support::{hostile, raw, render, text};
use carryall_model::*;
use carryall_render::Format;
use proptest::prelude::*;
use serde_json::Value;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        hostile::text().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let pair = (hostile::text(), inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            prop::collection::vec(pair, 0..6).prop_map(|pairs| pairs.into_iter().collect()),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![hostile::text(), any::<String>()]
}

fn parse(json: &str) -> Result<Value, TestCaseError> {
    serde_json::from_str(json).map_err(|e| TestCaseError::fail(format!("{e}: {json}")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_read_back(
        (said, thought, output) in (any_text(), any_text(), any_text()),
        input in value(),
        pretty in any::<bool>(),
    ) {
        let spelled = if pretty { serde_json::to_string_pretty(&input) } else { serde_json::to_string(&input) };
        let spelled = raw(&spelled.unwrap());
        let facts = Facts { title: Some(said.clone()), ..Facts::default() };
        let by = |format| render(format, &facts, |to| {
            to.entry(&Entry { reasoning: Some(&thought), stop_reason: Some(&output), ..text(EntryKind::Assistant, &said) }).unwrap();
            let result = Some(ToolResult { text: &output, ..ToolResult::default() });
            to.call(&ToolCall { input: Some(Input::Json(&spelled)), result, ..ToolCall::new(&said, &thought) }).unwrap();
            to.entry(&Entry { result: Some(&output), ..text(EntryKind::Command, &said) }).unwrap();
        });
        let document = parse(&by(Format::Json))?;
        let field = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
        let entry = &document["entries"][0];
        prop_assert_eq!(&document["session"]["title"], &field(&said));
        prop_assert_eq!(&entry["text"], &field(&said));
        prop_assert_eq!(&entry["reasoning"], &field(&thought));
        prop_assert_eq!(&entry["stop_reason"], &field(&output));
        let call = &entry["tool_calls"][0];
        // Its numbers as this parser reads them, which need not be the ones it wrote.
        prop_assert_eq!(&call["input"], &parse(spelled.get())?);
        prop_assert_eq!(&call["id"], &Value::from(said.as_str()));
        prop_assert_eq!(&call["name"], &Value::from(thought.as_str()));
        prop_assert_eq!(&call["result"], &Value::from(output.as_str()));
        prop_assert_eq!(&document["entries"][1]["result"], &Value::from(output.as_str()));

        let lines = by(Format::JsonLines);
        prop_assert!(lines.ends_with('\n'));
        let lines: Vec<&str> = lines.trim_end_matches('\n').split('\n').collect();
        prop_assert_eq!(lines.len(), 3);
        for (line, entry) in lines[1..].iter().zip(document["entries"].as_array().unwrap()) {
            prop_assert_eq!(&parse(line)?, entry);
        }
        for c in ['<', '>', '&', '\u{2028}', '\u{2029}'] {
            prop_assert!(!lines.concat().contains(c), "{:?}", c);
        }
    }
}
