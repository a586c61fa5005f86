//! Copies a JSON text token by token: only the white space between tokens is ours.
//!
//! Number spelling, the order of keys, repeated keys and escapes stay as they were recorded, which
//! no parsed value could promise. There is no recursion and no stack, so depth costs nothing.

use super::escape::write_token;
use crate::chars::{Escape, UNPAIRED_LEN, escape, visible_controls};
use memchr::{memchr, memchr2};
use std::io::{self, Write};

/// Arrays and objects nested deeper than this stay on one line.
const MAX_INDENTED: usize = 128;

/// How a JSON text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// On one line, without spaces.
    Compact,
    /// Two spaces a level, below this many levels of a surrounding document.
    Indented(usize),
}

/// For whom the strings of a JSON text are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Programs: `<`, `>`, `&` and the line separators become escapes.
    Programs,
    /// People: control characters become visible.
    People,
}

/// Copies `json`, which must be a JSON text (any other text comes out in some form, but whole).
/// Surrogate escapes without partner become U+FFFD.
///
/// # Errors
/// When the writer fails.
pub(crate) fn copy(
    json: &str,
    layout: Layout,
    audience: Audience,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut copier = Copier { out, layout, audience, depth: 0 };
    let mut rest = json;
    while let Some(&byte) = rest.as_bytes().first() {
        let len = token_len(rest.as_bytes());
        let (token, after) = rest.split_at(len);
        rest = after;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            b'"' => copier.string(token)?,
            b'{' | b'[' => {
                let next = rest.trim_ascii_start();
                if next.starts_with(['}', ']']) {
                    copier.out.write_all(token.as_bytes())?;
                    copier.out.write_all(&next.as_bytes()[..1])?;
                    rest = &next[1..];
                } else {
                    copier.open(token)?;
                }
            }
            b'}' | b']' => copier.close(token)?,
            b',' => {
                copier.out.write_all(b",")?;
                copier.new_line(copier.depth)?;
            }
            b':' => copier.colon()?,
            _ => copier.out.write_all(token.as_bytes())?,
        }
    }
    Ok(())
}

/// The string that a JSON string token stands for, U+FFFD for what is no character.
pub(crate) fn decode_string(token: &str) -> String {
    if let Ok(text) = serde_json::from_str(token) {
        return text;
    }
    let mut repaired = Vec::with_capacity(token.len());
    let copied = copy(token, Layout::Compact, Audience::Programs, &mut repaired);
    let text = copied.ok().and_then(|()| serde_json::from_slice(&repaired).ok());
    text.unwrap_or_else(|| token.to_owned())
}

/// The length of the token that a text begins with; every token but a string ends where its last
/// ASCII byte does, so that the end is a border between characters.
fn token_len(bytes: &[u8]) -> usize {
    match bytes[0] {
        b'"' => string_len(bytes),
        b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => 1,
        _ => bytes
            .iter()
            .position(|byte| {
                matches!(
                    byte,
                    b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b' ' | b'\t' | b'\n' | b'\r'
                )
            })
            .unwrap_or(bytes.len()),
    }
}

fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

struct Copier<'w, W> {
    out: &'w mut W,
    layout: Layout,
    audience: Audience,
    depth: usize,
}

impl<W: Write> Copier<'_, W> {
    fn open(&mut self, bracket: &str) -> io::Result<()> {
        self.out.write_all(bracket.as_bytes())?;
        self.depth += 1;
        self.new_line(self.depth)
    }

    fn close(&mut self, bracket: &str) -> io::Result<()> {
        let level = self.depth;
        self.depth = self.depth.saturating_sub(1);
        self.new_line(level)?;
        self.out.write_all(bracket.as_bytes())
    }

    fn colon(&mut self) -> io::Result<()> {
        match self.layout {
            Layout::Compact => self.out.write_all(b":"),
            Layout::Indented(_) => self.out.write_all(b": "),
        }
    }

    /// Begins a line inside a bracket of that level, unless it is too deep for lines.
    fn new_line(&mut self, level: usize) -> io::Result<()> {
        match self.layout {
            Layout::Indented(base) if level <= MAX_INDENTED => indent(self.out, base + self.depth),
            Layout::Indented(_) | Layout::Compact => Ok(()),
        }
    }

    fn string(&mut self, token: &str) -> io::Result<()> {
        let mut start = 0;
        let mut at = 0;
        while let Some(found) = memchr(b'\\', &token.as_bytes()[at..]) {
            at += found;
            match escape(&token.as_bytes()[at..]) {
                Escape::Plain(len) => at += len,
                Escape::Unpaired => {
                    self.piece(&token[start..at])?;
                    self.out.write_all("\u{fffd}".as_bytes())?;
                    at += UNPAIRED_LEN;
                    start = at;
                }
            }
        }
        self.piece(&token[start..])
    }

    fn piece(&mut self, piece: &str) -> io::Result<()> {
        match self.audience {
            Audience::Programs => write_token(self.out, piece),
            Audience::People => self.out.write_all(visible_controls(piece).as_bytes()),
        }
    }
}

/// Begins a line with two spaces a level.
pub(crate) fn indent(out: &mut impl Write, levels: usize) -> io::Result<()> {
    const SPACES: &[u8; 64] = &[b' '; 64];
    out.write_all(b"\n")?;
    let mut left = levels * 2;
    while left > 0 {
        let some = left.min(SPACES.len());
        out.write_all(&SPACES[..some])?;
        left -= some;
    }
    Ok(())
}
