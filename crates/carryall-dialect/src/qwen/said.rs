//! What the parts of a message say, and which of them nobody typed.

use super::record::{Blob, Part, Payload, Record};
use crate::lenient::Content;
use carryall_model::FileRef;

/// What the host wraps its own parts in.
const WRAPPED: [(&str, &str); 3] = [
    ("<qwen:user-prompt-submit-context>", "</qwen:user-prompt-submit-context>"),
    ("<system-reminder>", "</system-reminder>"),
    ("<task-notification>", "</task-notification>"),
];

/// The part behind which the content of mentioned files stands.
const REFERENCED: &str = "--- Content from referenced files ---";
const END: &str = "--- End of content ---";

/// A prompt, and what the host added to it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Prompt {
    /// What was typed.
    pub(super) typed: String,
    /// What was not.
    pub(super) added: String,
}

/// Splits what a person typed from what the host added to it: parts that are wrapped as its own,
/// the content of mentioned files, and, where it is recorded what was typed, all other text.
pub(super) fn prompt(record: &Record<'_>) -> Prompt {
    let display = record.payload().and_then(|payload| payload.display_text.filled());
    let mut prompt = Prompt { typed: display.unwrap_or("").to_owned(), added: String::new() };
    let mut in_files = false;
    for (at, text) in texts(record).enumerate() {
        // The first part is the person's, whatever it looks like.
        in_files |= at > 0 && text.trim() == REFERENCED;
        let is_added = in_files || is_wrapped(text);
        in_files &= text.trim() != END;
        match display {
            _ if is_added => add(&mut prompt.added, text),
            Some(display) if display.trim() == text.trim() => {}
            Some(_) => add(&mut prompt.added, text),
            None => add(&mut prompt.typed, text),
        }
    }
    prompt
}

/// All text of a message that nobody typed, as the host shows it.
pub(super) fn injected(record: &Record<'_>) -> String {
    let display = record.payload().and_then(|payload| payload.display_text.filled());
    display.map_or_else(|| joined(record), str::to_owned)
}

fn joined(record: &Record<'_>) -> String {
    let mut all = String::new();
    texts(record).for_each(|text| add(&mut all, text));
    all
}

fn texts<'r>(record: &'r Record<'_>) -> impl Iterator<Item = &'r str> {
    let whole = record.message.0.as_ref().and_then(|message| match &message.parts {
        Content::Text(text) => Some(&**text),
        Content::Nothing | Content::Blocks(_) => None,
    });
    whole.into_iter().chain(record.parts().iter().filter_map(|part| part.text.filled()))
}

fn is_wrapped(text: &str) -> bool {
    let text = text.trim();
    WRAPPED.iter().any(|(begin, end)| text.starts_with(begin) && text.ends_with(end))
}

/// Adds a text, a blank line between.
pub(super) fn add(all: &mut String, text: &str) {
    if !all.is_empty() {
        all.push_str("\n\n");
    }
    all.push_str(text);
}

/// The files that stand in a message or are named by it.
pub(super) fn files<'p>(parts: &'p [Part<'_>]) -> Vec<FileRef<'p>> {
    let blobs = parts.iter().flat_map(|part| [&part.inline_data.0, &part.file_data.0]);
    blobs.flatten().map(file).collect()
}

fn file<'p>(blob: &'p Blob<'_>) -> FileRef<'p> {
    let data = || blob.data?.get().strip_prefix('"')?.strip_suffix('"');
    FileRef {
        path: blob.file_uri.get().unwrap_or(""),
        name: blob.display_name.filled(),
        media_type: blob.mime_type.filled(),
        bytes: data().map(|data| {
            // A writer may escape the slashes of base64.
            let escapes = memchr::memchr_iter(b'\\', data.as_bytes()).count();
            let padding = data.bytes().rev().take_while(|&b| b == b'=').count();
            (data.len() - escapes - padding) as u64 * 3 / 4
        }),
    }
}

/// What the host showed after a command; what has no text is named in brackets.
pub(super) fn shown(payload: &Payload<'_>) -> Option<String> {
    let Content::Blocks(items) = &payload.output_history_items else { return None };
    let mut all = String::new();
    for item in items.iter().filter(|item| !item.kind.is("user")) {
        match (item.text.get(), item.kind.filled()) {
            (Some(text), _) => add(&mut all, text),
            (None, Some(kind)) => add(&mut all, &format!("[{kind}]")),
            (None, None) => {}
        }
    }
    Some(all)
}

/// The summary of a compaction: the first text of the history that goes on.
pub(super) fn summary<'p>(payload: &'p Payload<'_>) -> Option<&'p str> {
    let messages = payload.compressed_history.blocks();
    messages.iter().flat_map(|message| message.parts.blocks()).find_map(|part| part.text.filled())
}
