//! Texts, pictures and results, from the blocks of a row.

use super::command::{Say, classify};
use super::lenient::Content;
use super::plan::Take;
use super::row::{Attachment, Block, FileSource, Message};
use carryall_model::FileRef;
use std::borrow::Cow;

/// Adds a text to what is already there, a blank line between; what stands alone stays borrowed.
pub(super) fn join<'t>(all: &mut Option<Cow<'t, str>>, text: Cow<'t, str>, between: &str) {
    match all {
        None => *all = Some(text),
        Some(all) => {
            let all = all.to_mut();
            all.push_str(between);
            all.push_str(&text);
        }
    }
}

/// Whether a part of a response is more than the white space that some models begin with.
pub(super) fn says_something(text: &str) -> bool {
    !text.bytes().all(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r'))
}

/// The text and the pictures of a message that are no tool results.
pub(super) fn said<'r>(
    content: &'r Content<'_, Block<'_>>,
    take: Take,
) -> (Option<Cow<'r, str>>, Vec<FileRef<'r>>) {
    let mut all = None;
    let mut files = Vec::new();
    let blocks = match content {
        Content::Nothing => &[],
        Content::Text(text) => return (Some(Cow::Borrowed(&**text)), files),
        Content::Blocks(blocks) => blocks.as_slice(),
    };
    for block in blocks {
        match block.kind.get() {
            Some("text") => {
                let Some(text) = block.text.filled() else { continue };
                if wanted(text, take) {
                    join(&mut all, Cow::Borrowed(text), "\n\n");
                }
            }
            Some("image" | "document") if take != Take::Injected => files.push(file(block)),
            _ => {}
        }
    }
    (all, files)
}

fn wanted(text: &str, take: Take) -> bool {
    match take {
        Take::All | Take::Line => true,
        Take::Injected => classify(text) == Say::Injected,
        Take::Typed => classify(text) != Say::Injected,
    }
}

/// The text of a message, whatever it is.
pub(super) fn text_of<'r>(message: &'r Message<'_>) -> Option<Cow<'r, str>> {
    said(&message.content, Take::All).0
}

/// A picture or document; its bytes are measured, not decoded.
pub(super) fn file<'r>(block: &'r Block<'_>) -> FileRef<'r> {
    let mut file = FileRef { name: block.title.filled(), ..FileRef::default() };
    let Some(source) = &block.source.0 else { return file };
    file.media_type = source.media_type.filled();
    file.path = source.url.get().unwrap_or("");
    file.bytes = size(source);
    file
}

fn size(source: &FileSource<'_>) -> Option<u64> {
    let raw = source.data?.get().strip_prefix('"')?.strip_suffix('"')?;
    if source.kind.is("text") {
        return serde_json::from_str::<Cow<'_, str>>(source.data?.get())
            .ok()
            .map(|text| text.len() as u64);
    }
    // A writer may escape the slashes of base64.
    let escapes = memchr::memchr_iter(b'\\', raw.as_bytes()).count();
    let padding = raw.bytes().rev().take_while(|&b| b == b'=').count();
    Some((raw.len() - escapes - padding) as u64 * 3 / 4)
}

/// The file that an attachment row names.
pub(super) fn named_file<'r>(attachment: &'r Attachment<'_>) -> Option<FileRef<'r>> {
    let path = attachment.filename.filled().or(attachment.path.filled())?;
    let name = attachment.display_path.filled().filter(|&name| name != path);
    Some(FileRef { path, name, ..FileRef::default() })
}

/// The text and the pictures of a tool result. What is neither is named in brackets.
pub(super) fn answer<'r>(block: &'r Block<'_>) -> (Cow<'r, str>, Vec<FileRef<'r>>) {
    let mut pictures = Vec::new();
    let parts = match &block.content {
        Content::Nothing => return (Cow::Borrowed(""), pictures),
        Content::Text(text) => return (Cow::Borrowed(&**text), pictures),
        Content::Blocks(parts) => parts,
    };
    let mut all = None;
    let mut was_named = false;
    for part in parts {
        let named = match part.kind.get().unwrap_or("") {
            "text" => None,
            "image" | "document" => {
                pictures.push(file(part));
                continue;
            }
            kind => Some(named_part(part, kind)),
        };
        let between = if named.is_some() && was_named { "\n" } else { "\n\n" };
        was_named = named.is_some();
        let text = named.map_or_else(|| part.text.get().unwrap_or("").into(), Cow::Owned);
        if !text.is_empty() {
            join(&mut all, text, between);
        }
    }
    (all.unwrap_or_default(), pictures)
}

fn named_part(part: &Block<'_>, kind: &str) -> String {
    match (kind, part.tool_name.filled(), part.title.filled(), part.url.filled()) {
        ("tool_reference", Some(tool), _, _) => format!("[tool reference: {tool}]"),
        (_, _, Some(title), Some(url)) => format!("{title}\n{url}"),
        (_, _, Some(one), None) | (_, _, None, Some(one)) => one.to_owned(),
        _ => format!("[{kind}]"),
    }
}
