//! Strings as JSON strings, so that the file can stand inside a page or a script: besides what
//! JSON demands, `<`, `>`, `&`, U+2028 and U+2029 become escapes.

use std::io::{self, Write};

/// What has to be done with a byte of a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    /// It stands as it is.
    Plain,
    /// A backslash and this letter.
    Short(u8),
    /// An escape by number.
    Number,
    /// It may begin U+2028 or U+2029.
    Separator,
}

/// What has to be done with each byte.
pub(crate) struct Table([Byte; 256]);

/// The bytes of a text that is to become a string.
pub(crate) const TEXT: Table = Table(text_table());

/// The bytes of a string token that is JSON already: its quotes and escapes stay.
pub(crate) const RAW: Table = Table(raw_table());

const fn raw_table() -> [Byte; 256] {
    let mut table = [Byte::Plain; 256];
    table[b'<' as usize] = Byte::Number;
    table[b'>' as usize] = Byte::Number;
    table[b'&' as usize] = Byte::Number;
    table[0xe2] = Byte::Separator;
    table
}

const fn text_table() -> [Byte; 256] {
    let mut table = raw_table();
    let mut control = 0;
    while control < 0x20 {
        table[control] = Byte::Number;
        control += 1;
    }
    table[0x08] = Byte::Short(b'b');
    table[0x09] = Byte::Short(b't');
    table[0x0a] = Byte::Short(b'n');
    table[0x0c] = Byte::Short(b'f');
    table[0x0d] = Byte::Short(b'r');
    table[b'"' as usize] = Byte::Short(b'"');
    table[b'\\' as usize] = Byte::Short(b'\\');
    table
}

/// Writes a text as a JSON string with its quotes.
pub(crate) fn write_string(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(b"\"")?;
    write_escaped(out, text, &TEXT)?;
    out.write_all(b"\"")
}

/// Writes the text with the escapes that the table asks for.
pub(crate) fn write_escaped(out: &mut impl Write, text: &str, table: &Table) -> io::Result<()> {
    let bytes = text.as_bytes();
    let mut start = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let (escape, len) = match table.0[byte as usize] {
            Byte::Plain => continue,
            Byte::Short(letter) => ([b'\\', letter, 0, 0, 0, 0], 2),
            Byte::Number => (number(byte), 6),
            Byte::Separator => match bytes.get(at + 1..at + 3) {
                Some(&[0x80, last @ (0xa8 | 0xa9)]) => (separator(last), 6),
                _ => continue,
            },
        };
        out.write_all(&bytes[start..at])?;
        out.write_all(&escape[..len])?;
        // A separator is the only escape for more than one byte.
        start = if byte == 0xe2 { at + 3 } else { at + 1 };
    }
    out.write_all(&bytes[start..])
}

fn number(byte: u8) -> [u8; 6] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [b'\\', b'u', b'0', b'0', DIGITS[(byte >> 4) as usize], DIGITS[(byte & 15) as usize]]
}

fn separator(last: u8) -> [u8; 6] {
    [b'\\', b'u', b'2', b'0', b'2', if last == 0xa8 { b'8' } else { b'9' }]
}
