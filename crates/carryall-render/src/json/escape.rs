//! Strings as JSON strings, so that the file can stand inside a page or a script: besides what
//! JSON demands, `<`, `>`, `&`, U+2028 and U+2029 become escapes.

use crate::words::{Gather, WORD, first_word, plain};
use std::io::{self, Write};

/// Whether a byte of any string is or may begin a character that becomes an escape.
fn is_markup(byte: u8) -> bool {
    (byte == b'<') | (byte == b'>') | (byte == b'&') | (byte == 0xe2)
}

/// The same for a text that is no JSON yet.
fn is_special(byte: u8) -> bool {
    is_markup(byte) | (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Writes a text as a JSON string with its quotes.
pub(crate) fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    write_escaped(out, text, is_special)?;
    out.write_all(b"\"")
}

/// Writes a piece of a string that is JSON already: its quotes and escapes stay.
pub(crate) fn write_token(out: &mut impl Write, token: &str) -> io::Result<()> {
    write_escaped(out, token, is_markup)
}

fn write_escaped(
    out: &mut impl Write,
    text: &str,
    special: impl Fn(u8) -> bool + Copy,
) -> io::Result<()> {
    let mut out = Gather::new(out);
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let word = first_word(rest);
        let len = plain(word, special).min(rest.len());
        out.take(word, len)?;
        rest = &rest[len..];
        let (Some(&byte), true) = (rest.first(), len < WORD) else { continue };
        let (escape, len, escaped) = escape(byte, rest);
        out.take(escape, len)?;
        rest = &rest[escaped..];
    }
    out.flush().map(|_| ())
}

/// The bytes of an escape, filled up.
type Escape = [u8; 8];

/// What is written for a special byte: with its length, and how many bytes it stands for.
fn escape(byte: u8, rest: &[u8]) -> (Escape, usize, usize) {
    let letter = match byte {
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        0xe2 => {
            return match rest {
                // U+2028 and U+2029.
                &[_, 0x80, last @ (0xa8 | 0xa9), ..] => (separator(last), 6, 3),
                _ => ([byte, 0, 0, 0, 0, 0, 0, 0], 1, 1),
            };
        }
        _ => return (number(byte), 6, 1),
    };
    ([b'\\', letter, 0, 0, 0, 0, 0, 0], 2, 1)
}

fn number(byte: u8) -> Escape {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (high, low) = (DIGITS[(byte >> 4) as usize], DIGITS[(byte & 15) as usize]);
    [b'\\', b'u', b'0', b'0', high, low, 0, 0]
}

fn separator(last: u8) -> Escape {
    [b'\\', b'u', b'2', b'0', b'2', if last == 0xa8 { b'8' } else { b'9' }, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: one character after the other.
    fn by_characters(text: &str, is_token: bool) -> String {
        let escape = |c: char| match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", c as u32),
            _ if is_token => c.to_string(),
            '"' | '\\' => format!("\\{c}"),
            '\u{8}' => "\\b".to_owned(),
            '\t' => "\\t".to_owned(),
            '\n' => "\\n".to_owned(),
            '\u{c}' => "\\f".to_owned(),
            '\r' => "\\r".to_owned(),
            '\0'..='\u{1f}' => format!("\\u{:04x}", c as u32),
            c => c.to_string(),
        };
        text.chars().map(escape).collect()
    }

    fn written(text: &str, is_token: bool) -> String {
        let mut written = Vec::new();
        let done = match is_token {
            true => write_token(&mut written, text),
            false => write_escaped(&mut written, text, is_special),
        };
        done.unwrap();
        String::from_utf8(written).unwrap()
    }

    #[test]
    fn every_character_is_escaped_wherever_it_stands() {
        let all: Vec<char> = ('\0'..='\u{ff}').chain('\u{2000}'..='\u{20ff}').collect();
        for is_token in [true, false] {
            for (at, c) in all.iter().enumerate() {
                let neighbour = all[at * 7 % all.len()];
                let text = format!("{}{c}{neighbour}{c}xyz{neighbour}", "x".repeat(at % 17));
                assert_eq!(written(&text, is_token), by_characters(&text, is_token));
            }
        }
    }

    #[test]
    fn long_texts_are_written_in_pieces() {
        let text = "\u{2028}\n<é>\"plain text of many words\u{1b}[0m".repeat(300);
        for cut in 0..40 {
            let text = format!("{}{text}", "y".repeat(cut));
            assert_eq!(written(&text, false), by_characters(&text, false));
        }
    }
}
