//! What a person typed, without the blocks that coddy put beside it.
//!
//! A mentioned file travels in the text of its message, as a block with the file's path and
//! content. The block is told by its form alone, so a text that a person typed in that form is one
//! too; coddy has no other mark.

use std::borrow::Cow;

const OPEN: &str = "<coddy_attachment";
const CLOSE: &str = "</coddy_attachment>";
const DATA: &str = "<![CDATA[";
const DATA_END: &str = "]]>";
const ASSETS: &str = "<coddy_session_assets>";
const ASSETS_END: &str = "</coddy_session_assets>";

/// A message without its blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said<'a> {
    /// The text: as it was typed when there was no block, else trimmed and without the gaps that
    /// the blocks left.
    pub(super) text: Cow<'a, str>,
    /// What the blocks named.
    pub(super) files: Vec<Attachment<'a>>,
}

/// A file that came with a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Attachment<'a> {
    /// Its path; may be empty.
    pub(super) path: Cow<'a, str>,
    /// Its name; may be empty.
    pub(super) name: Cow<'a, str>,
}

/// Takes a message apart.
pub(super) fn split(content: &str) -> Said<'_> {
    let mut files = Vec::new();
    let text = without_attachments(content, &mut files);
    let text = without_notes(text);
    let text = match text {
        Cow::Borrowed(text) if text.len() == content.len() => Cow::Borrowed(text),
        text => Cow::Owned(close_gaps(text.trim())),
    };
    Said { text, files }
}

fn without_attachments<'a>(content: &'a str, files: &mut Vec<Attachment<'a>>) -> Cow<'a, str> {
    // Beyond the last of either end no block is whole: looked up once, or a text of many beginnings
    // would be searched to its end for each of them.
    let Some(last_close) = content.rfind(CLOSE) else { return Cow::Borrowed(content) };
    let last_data_end = content.rfind(DATA_END).unwrap_or(0);
    let (mut kept, mut from, mut at) = (String::new(), 0, 0);
    while let Some(found) = content[at..].find(OPEN).filter(|found| at + found < last_close) {
        let start = at + found;
        at = start + OPEN.len();
        let Some(tag) = attributes(&content[at..]) else { continue };
        at += tag.len() + 1;
        let Some(end) = body_end(content, at, last_data_end) else { continue };
        let file = attachment(tag);
        files.extend(Some(file).filter(|file| !file.path.is_empty() || !file.name.is_empty()));
        kept.push_str(&content[from..start]);
        (at, from) = (end, end);
    }
    if from == 0 {
        return Cow::Borrowed(content);
    }
    kept.push_str(&content[from..]);
    Cow::Owned(kept)
}

/// The attributes of a tag whose name is behind; none when it is the beginning of a longer word.
fn attributes(rest: &str) -> Option<&str> {
    let is_tag = rest.starts_with(['>', ' ', '\t', '\n', '\r']);
    rest.split_once('>').filter(|_| is_tag).map(|(tag, _)| tag)
}

/// Where a block ends whose body begins at `at`. Nothing in a CDATA section ends it.
fn body_end(content: &str, at: usize, last_data_end: usize) -> Option<usize> {
    let mut rest = content[at..].trim_start();
    while let Some(data) = rest.strip_prefix(DATA) {
        if content.len() - data.len() > last_data_end {
            return None;
        }
        rest = data.split_once(DATA_END)?.1.trim_start();
    }
    let (_, after) = rest.split_once(CLOSE)?;
    Some(content.len() - after.len())
}

/// The file that the attributes of a block name.
fn attachment(tag: &str) -> Attachment<'_> {
    let mut file = Attachment::default();
    let mut rest = tag;
    while let Some((before, after)) = rest.split_once("=\"")
        && let Some((value, next)) = after.split_once('"')
    {
        match before.split_whitespace().next_back() {
            Some("path") => file.path = decoded(value),
            Some("name") => file.name = decoded(value),
            Some(_) | None => {}
        }
        rest = next;
    }
    file
}

/// A value without its character references: those that coddy's writer uses, and their kin.
fn decoded(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let (mut out, mut rest) = (String::with_capacity(value.len()), value);
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let reference =
            after.split_once(';').and_then(|(name, next)| Some((character(name)?, next)));
        rest = match reference {
            Some((c, next)) => {
                out.push(c);
                next
            }
            None => {
                out.push('&');
                after
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn character(name: &str) -> Option<char> {
    let code = match name {
        "amp" => return Some('&'),
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let hex = code.strip_prefix(['x', 'X']);
    let code = hex.map_or_else(|| code.parse(), |hex| u32::from_str_radix(hex, 16));
    char::from_u32(code.ok()?)
}

/// A text without the notes on where uploaded files were saved.
fn without_notes(text: Cow<'_, str>) -> Cow<'_, str> {
    let (mut kept, mut rest) = (String::new(), &*text);
    while let Some((before, note)) = rest.split_once(ASSETS)
        && let Some((_, after)) = note.split_once(ASSETS_END)
    {
        kept.push_str(before);
        rest = after;
    }
    if rest.len() == text.len() {
        return text;
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// A text in which two or more blank lines have become one.
fn close_gaps(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut line_ends = 0;
    for c in text.chars() {
        line_ends = if c == '\n' { line_ends + 1 } else { 0 };
        if line_ends <= 2 {
            out.push(c);
        }
    }
    out
}
