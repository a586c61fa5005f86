//! What a message is made of.

use super::row::{Block, Message, Row};
use crate::lenient::Content;
use carryall_model::FileRef;
use std::borrow::Cow;

/// A part of a response in which there is something to see.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'p> {
    Thought(&'p str),
    Said(&'p str),
    Call(&'p Block<'p>),
}

/// The parts of a response, in order.
pub(super) fn parts<'p>(message: &'p Message<'p>) -> Vec<Part<'p>> {
    let filled = |text: &'p str| (!text.is_empty()).then_some(text);
    match &message.content {
        Content::Nothing => Vec::new(),
        Content::Text(text) => filled(text).map(Part::Said).into_iter().collect(),
        Content::Blocks(blocks) => blocks.iter().filter_map(part).collect(),
    }
}

fn part<'p>(block: &'p Block<'p>) -> Option<Part<'p>> {
    match block.kind.get() {
        Some("thinking") => block.thinking.filled().map(Part::Thought),
        Some("toolCall") => Some(Part::Call(block)),
        _ => block.text.filled().map(Part::Said),
    }
}

/// The text of a content: its texts, a blank line between; nothing where there is none.
pub(super) fn text<'c>(content: &'c Content<'_, Block<'_>>) -> Option<Cow<'c, str>> {
    let blocks = match content {
        Content::Nothing => return None,
        Content::Text(text) => return Some(Cow::Borrowed(text)),
        Content::Blocks(blocks) => blocks,
    };
    let mut texts = blocks.iter().filter_map(|block| block.text.get());
    let first = texts.next()?;
    let rest: Vec<&str> = texts.collect();
    if rest.is_empty() {
        return Some(Cow::Borrowed(first));
    }
    Some(Cow::Owned(format!("{first}\n\n{}", rest.join("\n\n"))))
}

/// The pictures of a content; their bytes are measured and never copied.
pub(super) fn pictures<'c>(content: &'c Content<'_, Block<'_>>) -> Vec<FileRef<'c>> {
    let pictures = content.blocks().iter().filter(|block| block.kind.is("image"));
    let picture = |block: &'c Block<'_>| FileRef {
        media_type: block.mime_type.filled(),
        bytes: block.data.get().map(decoded_length),
        ..FileRef::default()
    };
    pictures.map(picture).collect()
}

fn decoded_length(base64: &str) -> u64 {
    let padding = base64.bytes().rev().take_while(|&b| b == b'=').count();
    (base64.len() - padding) as u64 * 3 / 4
}

/// What the host told the model: a text, else named parts.
pub(super) fn told<'m>(message: &'m Message<'_>) -> Option<Cow<'m, str>> {
    let told = text(&message.content).filter(|text| !text.is_empty());
    let sections = || message.sections.0.join("\n\n");
    told.or_else(|| Some(sections()).filter(|text| !text.is_empty()).map(Cow::Owned))
}

/// A line that was run in a shell, as typed: two marks keep it from the model.
pub(super) fn line(message: &Message<'_>) -> String {
    let mark = if message.exclude_from_context.0 { "!!" } else { "!" };
    format!("{mark}{}", message.command.get().unwrap_or(""))
}

/// What a line printed, and what became of it in the words in which Pi tells the model.
pub(super) fn printed<'m>(message: &'m Message<'_>) -> Cow<'m, str> {
    let output = message.output.get().unwrap_or("");
    let code = message.exit_code.map(|code| code.get()).filter(|&code| code != "0");
    let mut notes = Vec::new();
    if message.cancelled.0 {
        notes.push("(command cancelled)".to_owned());
    } else if let Some(code) = code.filter(|code| code.parse::<i64>().is_ok()) {
        notes.push(format!("Command exited with code {code}"));
    }
    if let (true, Some(path)) = (message.truncated.0, message.full_output_path.filled()) {
        notes.push(format!("[Output truncated. Full output: {path}]"));
    }
    if notes.is_empty() {
        return Cow::Borrowed(output);
    }
    let output = output.trim_end_matches('\n');
    let output = (!output.is_empty()).then(|| output.to_owned());
    Cow::Owned(output.into_iter().chain(notes).collect::<Vec<_>>().join("\n\n"))
}

/// What an extension put in the person's place: as an entry of its own, or as a message.
pub(super) fn injected<'r, 'a>(row: &'r Row<'a>) -> &'r Content<'a, Block<'a>> {
    row.message.0.as_ref().map_or(&row.content, |message| &message.content)
}
