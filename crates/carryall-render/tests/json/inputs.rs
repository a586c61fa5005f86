//! Tool inputs: copied token by token.

use crate::support::{raw, render};
use carryall_model::*;
use carryall_render::Format;

/// The input as it stands in an export.
fn copied(format: Format, json: &str) -> String {
    let json = raw(json);
    let file = render(format, &Facts::default(), |to| {
        to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
        to.call(&ToolCall { input: Some(Input::Json(&json)), ..ToolCall::new("c", "t") }).unwrap();
    });
    let (start, end) = match format {
        Format::Markdown => ("```json\n", "\n```\n"),
        Format::Html => ("", ""),
        Format::Json => ("\"input\": ", "\n        }\n      ]\n    }\n  ]\n}\n"),
        Format::JsonLines => ("\"input\":", "}]}\n"),
    };
    let (_, rest) = file.split_once(start).unwrap();
    rest.split_once(end).unwrap().0.to_owned()
}

#[test]
fn spelling_order_repetition_and_escapes_are_kept() {
    let json = r#" { "b" : 1E400 , "a":[ 3.10,-0.0, 123456789012345678901234567890 ],
        "a":"\u00e9\/\ud83d\ude00 é", "":{ }, "n":null, "t":true,"e":[
        ] } "#;
    let compact = r#"{"b":1E400,"a":[3.10,-0.0,123456789012345678901234567890],"a":"\u00e9\/\ud83d\ude00 é","":{},"n":null,"t":true,"e":[]}"#;
    assert_eq!(copied(Format::JsonLines, json), compact);
    let indented = r#"{
  "b": 1E400,
  "a": [
    3.10,
    -0.0,
    123456789012345678901234567890
  ],
  "a": "\u00e9\/\ud83d\ude00 é",
  "": {},
  "n": null,
  "t": true,
  "e": []
}"#;
    assert_eq!(copied(Format::Markdown, json), indented);
    // In the document it stands five levels deep.
    assert_eq!(copied(Format::Json, json), indented.replace('\n', "\n          "));
}

#[test]
fn the_escapes_of_the_document_hold_inside_inputs() {
    let json = "[\"<b>&\u{2028}\u{2029}\u{2027}\", \"\\u003c \\\"\", \"\u{7f}\"]";
    let shown = "[\"\\u003cb\\u003e\\u0026\\u2028\\u2029\u{2027}\",\"\\u003c \\\"\",\"\u{7f}\"]";
    assert_eq!(copied(Format::JsonLines, json), shown);
    // For people the text stays as it was, but for controls.
    assert!(copied(Format::Markdown, json).starts_with("[\n  \"<b>&\u{2028}"));
    assert!(copied(Format::Markdown, json).ends_with("\"\u{2421}\"\n]"));
}

#[test]
fn half_surrogate_pairs_become_replacement_characters() {
    let json = r#"{"\ud800k":"a\udc00\ud800b \\ud800 \ud83d\ude00"}"#;
    let shown = "{\"\u{fffd}k\":\"a\u{fffd}\u{fffd}b \\\\ud800 \\ud83d\\ude00\"}";
    assert_eq!(copied(Format::JsonLines, json), shown);
    assert_eq!(
        copied(Format::Markdown, json),
        shown.replace('{', "{\n  ").replace('}', "\n}").replace(":\"", ": \"")
    );
}

#[test]
fn what_is_deeper_than_128_levels_stays_on_one_line() {
    let nested = |levels: usize| format!("{}1,2{}", "[".repeat(levels), "]".repeat(levels));
    let at = copied(Format::Markdown, &nested(128));
    assert_eq!(at.lines().count(), 2 * 128 + 2);
    assert!(at.contains(&format!("\n{}1,\n{}2\n", " ".repeat(256), " ".repeat(256))));
    let beyond = copied(Format::Markdown, &nested(131));
    assert_eq!(beyond.lines().count(), 2 * 128 + 1);
    assert!(beyond.contains(&format!("\n{}[[[1,2]]]\n", " ".repeat(256))), "{beyond}");
}

#[test]
fn depth_costs_no_stack() {
    // On a small stack, where recursion over the levels would end the process.
    let work = || {
        let json = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(copied(Format::JsonLines, &json), json);
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}
