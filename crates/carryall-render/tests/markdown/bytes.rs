//! The byte-level and size-level vectors, and work that must not grow with the square of a text.

use crate::frame::check_frame;
use crate::reader::pieces;
use crate::support::{product, raw, render, root, text};
use carryall_model::*;
use carryall_render::{Format, Markdown, Renderer, unpaired_surrogates};
use std::io::{self, Write};

#[derive(serde::Deserialize)]
struct Vectors {
    byte_level: Vec<Vector>,
}

#[derive(serde::Deserialize)]
struct Vector {
    id: String,
    bytes_hex: Option<String>,
    source_json: Option<String>,
    repeat: Option<Repeat>,
}

#[derive(serde::Deserialize)]
struct Repeat {
    text: String,
    times: usize,
}

fn vector(id: &str) -> Vector {
    let vectors: Vectors = serde_json::from_str(include_str!("../render-vectors.json")).unwrap();
    assert_eq!(vectors.byte_level.len(), 12);
    vectors.byte_level.into_iter().find(|vector| vector.id == id).unwrap()
}

fn repeated(id: &str) -> String {
    let Repeat { text, times } = vector(id).repeat.unwrap();
    text.repeat(times)
}

/// A writer that notes where the pieces lie that it is given: a text that was not copied comes
/// from its own memory.
#[derive(Default)]
struct Pieces(Vec<(*const u8, usize)>, Vec<u8>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.push((bytes.as_ptr(), bytes.len()));
        if bytes.len() < 1000 {
            self.1.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pieces {
    /// The text went to the writer in one piece, from where it lay.
    fn hold(&self, text: &str) -> bool {
        self.0.contains(&(text.as_ptr(), text.len()))
    }

    /// What was written, without its long pieces.
    fn frame(&self) -> &str {
        str::from_utf8(&self.1).unwrap()
    }
}

fn write(push: impl FnOnce(&mut dyn Renderer)) -> Pieces {
    let mut out = Pieces::default();
    let facts = Facts::default();
    let mut renderer = Markdown::new(&product(), &mut out);
    renderer.begin(&root(&facts, &[])).unwrap();
    push(&mut renderer);
    renderer.finish(&Found::default(), &LeftOut::default()).unwrap();
    renderer.close().unwrap();
    drop(renderer);
    out
}

fn as_result(text: &str) -> Pieces {
    write(|to| {
        to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
        let result = Some(ToolResult { text, ..ToolResult::default() });
        to.call(&ToolCall { result, ..ToolCall::new("c", "read") }).unwrap();
    })
}

fn as_answer(answer: &str) -> Pieces {
    write(|to| to.entry(&text(EntryKind::Assistant, answer)).unwrap())
}

#[test]
fn by_line_100mb() {
    let line = repeated("by-line-100mb");
    let out = as_result(&line);
    assert!(out.hold(&line), "the line was copied");
    assert!(out.frame().contains("call result:104857600 -->"));
}

#[test]
fn by_backticks_10mb() {
    let ticks = repeated("by-backticks-10mb");
    let out = as_result(&ticks);
    assert!(out.hold(&ticks));
    assert!(out.frame().ends_with("Result:\n\n~~~\n\n~~~\n"), "{}", out.frame());
    // As an answer it opens a fence that no line of ours should close.
    let out = as_answer(&ticks);
    assert!(out.frame().ends_with("~~~markdown\n\n~~~\n"), "{}", out.frame());
}

#[test]
fn by_alternating_fences() {
    let fences = repeated("by-alternating-fences");
    let file = render(Format::Markdown, &Facts::default(), |to| {
        to.entry(&text(EntryKind::Assistant, &fences)).unwrap();
        let result = Some(ToolResult { text: &fences, ..ToolResult::default() });
        to.call(&ToolCall { result, ..ToolCall::new("c", "read") }).unwrap();
    });
    let pieces = pieces(file.as_bytes()).unwrap();
    assert_eq!(pieces[0].part("text").unwrap().bytes, fences.as_bytes());
    assert_eq!(pieces[1].part("result").unwrap().bytes, fences.as_bytes());
}

#[test]
fn by_nested_quotes_brackets_and_definitions() {
    for id in ["by-nested-quotes", "by-nested-brackets", "by-many-refdefs"] {
        let answer = repeated(id);
        assert!(as_answer(&answer).hold(&answer), "{id}: no probe is needed, so no copy");
        // A tag in code makes a probe necessary, which must come to its end as well.
        for tag in ["`<b>`", "\n\n`<b>`\n\n```\nopen"] {
            let answer = format!("{answer}{tag}");
            assert!(as_answer(&answer).hold(&answer), "{id}");
        }
    }
}

#[test]
fn texts_that_invite_quadratic_work_come_to_an_end() {
    for piece in
        ["](", "][", "[^", "www.", "`x`http://", "`` ` ", "<a", "[a](b ", "- ", "\t```", "| ` "]
    {
        let answer = format!("{}\n\n`<b>`", piece.repeat(50_000));
        let out = as_answer(&answer);
        assert!(out.hold(&answer), "{piece:?}");
    }
}

#[test]
fn by_invalid_utf8_cesu8_and_overlong() {
    for (id, replaced) in [("by-invalid-utf8", 5), ("by-cesu8", 6), ("by-overlong", 5)] {
        let hex = vector(id).bytes_hex.unwrap();
        let bytes: Vec<u8> = (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        let file = render(Format::Markdown, &Facts::default(), |to| {
            to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            let result = Some(ToolResult { text: &shown, ..ToolResult::default() });
            to.call(&ToolCall { result, ..ToolCall::new("c", "read") }).unwrap();
        });
        let pieces = check_frame(&file).unwrap();
        let found = String::from_utf8(pieces[1].part("result").unwrap().bytes.clone()).unwrap();
        assert_eq!(found, shown);
        assert_eq!(found.matches('\u{fffd}').count(), replaced, "{id}");
        assert!(!found.contains('/'), "{id}");
    }
}

#[test]
fn by_lone_surrogates_and_a_reversed_pair() {
    for (id, text, lone) in [
        ("by-lone-high-surrogate", "a\u{fffd}b", 1),
        ("by-lone-low-surrogate", "\u{fffd}", 1),
        ("by-reversed-pair", "\u{fffd}\u{fffd}", 2),
    ] {
        let source = vector(id).source_json.unwrap();
        assert_eq!(unpaired_surrogates(&source), lone, "{id}");
        // As the whole input it is shown decoded, inside an object as it stands in the JSON.
        let (alone, inside) = (raw(&source), raw(&format!("{{\"k\":{source}}}")));
        let file = render(Format::Markdown, &Facts::default(), |to| {
            to.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            for input in [&alone, &inside] {
                let input = Some(Input::Json(input));
                to.call(&ToolCall { input, ..ToolCall::new("c", "read") }).unwrap();
            }
        });
        let pieces = check_frame(&file).unwrap();
        let input = |at: usize| String::from_utf8(pieces[at].part("input").unwrap().bytes.clone());
        assert_eq!(input(1).unwrap(), text, "{id}");
        assert_eq!(input(2).unwrap(), format!("{{\n  \"k\": \"{text}\"\n}}"), "{id}");
    }
}
