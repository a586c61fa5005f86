//! Texts that try to break out of the frame: every vector, and every property it must hold.

use crate::frame::{all_views, check_frame, shown};
use crate::reader::{Mode, Piece};
use crate::support::{raw, render, text};
use carryall_model::*;
use carryall_render::Format;

#[derive(serde::Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(serde::Deserialize)]
struct Vector {
    id: String,
    r#where: String,
    text: String,
    md: Markdown,
}

#[derive(serde::Deserialize)]
struct Markdown {
    mode: String,
    holds: Vec<String>,
}

fn vectors() -> Vec<Vector> {
    let vectors: Vectors = serde_json::from_str(include_str!("../render-vectors.json")).unwrap();
    assert_eq!(vectors.vectors.len(), 159);
    vectors.vectors
}

/// A session with the text in its place, and an entry behind it.
fn file(place: &str, value: &str) -> String {
    let mut facts = Facts { id: "id".into(), ..Facts::default() };
    match place {
        "title" => facts.title = Some(value.to_owned()),
        "model" => facts.model = Some(value.to_owned()),
        "path" => facts.cwd = Some(value.to_owned()),
        _ => {}
    }
    render(Format::Markdown, &facts, |to| {
        let json = serde_json::from_str::<&serde_json::value::RawValue>(value).ok();
        let input = json.map_or(Input::Text(value), Input::Json);
        let file = [FileRef { path: value, ..FileRef::default() }];
        let call = ToolCall::new("c1", "read");
        let assistant = Entry::new(EntryKind::Assistant);
        let result = ToolResult { text: value, ..ToolResult::default() };
        match place {
            "user" => to.entry(&text(EntryKind::User, value)),
            "assistant" => to.entry(&text(EntryKind::Assistant, value)),
            "reasoning" => to.entry(&Entry { reasoning: Some(value), ..assistant }),
            "model" => to.entry(&Entry { model: Some(value), ..assistant }),
            "path" => to.entry(&Entry { attachments: &file, ..Entry::new(EntryKind::User) }),
            "tool-input" => to
                .entry(&assistant)
                .and_then(|()| to.call(&ToolCall { input: Some(input), ..call })),
            "tool-result" => to
                .entry(&assistant)
                .and_then(|()| to.call(&ToolCall { result: Some(result), ..call })),
            "tool-name" => {
                to.entry(&assistant).and_then(|()| to.call(&ToolCall { name: value, ..call }))
            }
            "title" => Ok(()),
            other => panic!("unknown place {other}"),
        }
        .unwrap();
        to.entry(&text(EntryKind::User, "next")).unwrap();
    })
}

fn span(value: &str, cut: bool) -> String {
    let mut chars = value.chars();
    let mut span: String = chars.by_ref().take(if cut { 200 } else { usize::MAX }).collect();
    if chars.next().is_some() {
        span.push('…');
    }
    let escaped: String = span
        .chars()
        .map(|c| match c {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '\u{202e}' | '\u{2066}' | '\u{2069}' => format!("\\u{{{:X}}}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    shown(&escaped)
}

fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// What a code node must say, and its info word.
fn literal(vector: &Vector) -> Option<(&'static str, String)> {
    let block = |text: &str| {
        let text = lines(&shown(text));
        if text.ends_with('\n') { text } else { text + "\n" }
    };
    let json = || {
        let value: serde_json::Value = serde_json::from_str(&vector.text).ok()?;
        Some(("json", serde_json::to_string_pretty(&value).ok()? + "\n"))
    };
    match (vector.md.mode.as_str(), vector.r#where.as_str()) {
        ("fence", _) => Some(("markdown", block(&vector.text))),
        ("code-block", "tool-input") => json().or(Some(("", block(&vector.text)))),
        ("code-block", _) if vector.text.is_empty() => None,
        ("code-block", _) => Some(("", block(&vector.text))),
        ("code-span", _) if vector.text.is_empty() => None,
        ("code-span", place) => Some(("span", span(&vector.text, place != "path"))),
        other => panic!("no literal for {other:?}"),
    }
}

fn check_literal(vector: &Vector, markdown: &str) -> Result<(), String> {
    let harmless = file(&vector.r#where, "x");
    for ((name, view), (_, plain)) in all_views(markdown).into_iter().zip(all_views(&harmless)) {
        if view.live != plain.live {
            return Err(format!("{name}: live nodes {:?}, not {:?}", view.live, plain.live));
        }
        let Some((info, text)) = literal(vector) else { continue };
        let found = view.code.iter().filter(|(i, t)| i == info && lines(t) == text).count();
        let places = if matches!(&*vector.r#where, "model" | "path") { 2 } else { 1 };
        if found != places {
            return Err(format!("{name}: {found} code nodes say {text:?}: {:?}", view.code));
        }
    }
    Ok(())
}

/// The entry or call that has the text, and the part it is.
fn part_name(place: &str) -> (&'static str, &'static str) {
    match place {
        "reasoning" => ("1", "reasoning"),
        "tool-input" => ("1.1", "input"),
        "tool-result" => ("1.1", "result"),
        _ => ("1", "text"),
    }
}

fn check_mode(vector: &Vector, pieces: &[Piece]) -> Result<(), String> {
    let (number, name) = part_name(&vector.r#where);
    let piece = pieces.iter().find(|piece| piece.number == number).ok_or("no such piece")?;
    let mode = piece.part(name).map(|part| part.mode);
    let expected = match vector.md.mode.as_str() {
        "code-span" => return Ok(()),
        "verbatim" if vector.text.is_empty() => None,
        "verbatim" => Some(Mode::Verbatim),
        "verbatim+close" => Some(Mode::Closed),
        "code-block" if vector.text.is_empty() => Some(Mode::Empty),
        "fence" | "code-block" => Some(Mode::Fenced),
        other => return Err(format!("unknown mode {other}")),
    };
    if mode == expected { Ok(()) } else { Err(format!("{mode:?}, not {expected:?}")) }
}

fn check_recovered(vector: &Vector, pieces: &[Piece]) -> Result<(), String> {
    let (number, name) = part_name(&vector.r#where);
    let piece = pieces.iter().find(|piece| piece.number == number).ok_or("no such piece")?;
    let bytes = piece.part(name).map(|part| part.bytes.as_slice()).unwrap_or_default();
    if bytes == shown(&vector.text).as_bytes() { Ok(()) } else { Err(format!("{bytes:?}")) }
}

/// The value's lines are the frame's: as many as with a harmless value.
fn check_one_line(vector: &Vector, markdown: &str) -> Result<(), String> {
    let count = |text: &str| text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{85}']).count();
    let missing = usize::from(vector.text.is_empty());
    let harmless = count(&file(&vector.r#where, "x")) - missing;
    if count(markdown) == harmless { Ok(()) } else { Err("lines were added".to_owned()) }
}

fn check(vector: &Vector) -> Result<(), String> {
    let markdown = file(&vector.r#where, &vector.text);
    let pieces = check_frame(&markdown)?;
    check_mode(vector, &pieces).map_err(|e| format!("mode: {e}"))?;
    for property in &vector.md.holds {
        match property.as_str() {
            // These three hold or fail as one, above.
            "frame" | "markers" | "html-frame" => Ok(()),
            "recover" => check_recovered(vector, &pieces),
            "literal" => check_literal(vector, &markdown),
            "one-line" => check_one_line(vector, &markdown),
            other => Err(format!("unknown property {other}")),
        }
        .map_err(|e| format!("{property}: {e}"))?;
    }
    Ok(())
}

#[test]
fn every_vector_holds_what_it_must() {
    let failures: Vec<String> = vectors()
        .iter()
        .filter_map(|vector| check(vector).err().map(|e| format!("{}: {e}", vector.id)))
        .collect();
    assert!(failures.is_empty(), "{} fail:\n{}", failures.len(), failures.join("\n"));
}

/// The same texts without any rule: the checks above must see what the rules prevent.
#[test]
fn without_rules_the_checks_fail() {
    let prose = |vector: &Vector| matches!(&*vector.r#where, "user" | "assistant");
    let broken = vectors()
        .iter()
        .filter(|vector| prose(vector) && vector.md.mode != "verbatim" )
        .filter(|vector| {
            let raw = format!(
                "<!-- carryall 1 user text:{} -->\n\n## User\n\n{}\n\n\n<!-- carryall 2 user text:4 -->\n\n## User\n\nnext\n",
                vector.text.len(),
                vector.text
            );
            check_frame(&raw).is_err()
        })
        .count();
    assert!(broken >= 30, "only {broken} fail");
}

#[test]
fn a_text_in_a_raw_value_is_the_same_as_in_a_string() {
    let json = raw(r#""```\n## User""#);
    let by = |input| {
        render(Format::Markdown, &Facts::default(), |to| {
            to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            to.call(&ToolCall { input: Some(input), ..ToolCall::new("c", "read") }).unwrap();
        })
    };
    assert_eq!(by(Input::Json(&json)), by(Input::Text("```\n## User")));
}
