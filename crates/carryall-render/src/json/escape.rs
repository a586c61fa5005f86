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
pub(crate) struct Table {
    bytes: [Byte; 256],
    is_raw: bool,
}

/// The bytes of a text that is to become a string.
pub(crate) const TEXT: Table = Table { bytes: text_table(), is_raw: false };

/// The bytes of a string token that is JSON already: its quotes and escapes stay.
pub(crate) const RAW: Table = Table { bytes: raw_table(), is_raw: true };

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

/// Bytes that are put together before they are written.
const PIECE: usize = 512;

/// Writes the text with the escapes that the table asks for.
///
/// Eight bytes are looked at and copied together, and those behind the first escape once more:
/// with an escape in every second or third word, that is three times as fast as byte by byte.
pub(crate) fn write_escaped(out: &mut impl Write, text: &str, table: &Table) -> io::Result<()> {
    let mut rest = text.as_bytes();
    let mut piece = [0; PIECE];
    let mut filled = 0;
    while !rest.is_empty() {
        if filled > PIECE - 2 * WORD {
            out.write_all(&piece[..filled])?;
            filled = 0;
        }
        let word = first_word(rest);
        piece[filled..filled + WORD].copy_from_slice(&word);
        let plain = table.plain(word).min(rest.len());
        filled += plain;
        rest = &rest[plain..];
        let (Some(&byte), true) = (rest.first(), plain < WORD) else { continue };
        let (escape, len, taken) = table.escape(byte, rest);
        piece[filled..filled + WORD].copy_from_slice(&escape);
        filled += len;
        rest = &rest[taken..];
    }
    out.write_all(&piece[..filled])
}

const WORD: usize = 8;
type Word = [u8; WORD];

/// The first bytes of a text, filled up with spaces.
#[inline]
fn first_word(bytes: &[u8]) -> Word {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [b' '; WORD];
        word[..bytes.len()].copy_from_slice(bytes);
        word
    })
}

impl Table {
    /// How many bytes of a word stand before the first that is not plain.
    #[inline]
    fn plain(&self, word: Word) -> usize {
        const ONES: u64 = u64::from_ne_bytes([1; WORD]);
        let word = u64::from_le_bytes(word);
        // The top bit of a byte is set where it is the one asked for. A borrow may set further
        // ones, but only above the first that is right.
        let is = |word: u64, byte: u8| {
            let other = word ^ (ONES * u64::from(byte));
            other.wrapping_sub(ONES) & !other
        };
        let all_but = |bit: u8| word & !(ONES * u64::from(bit));
        let brackets = is(all_but(b'<' ^ b'>'), b'<');
        let separator = is(word, 0xe2);
        let special = if self.is_raw {
            is(word, b'&') | brackets | separator
        } else {
            let controls = word.wrapping_sub(ONES * 0x20) & !word;
            let quotes = is(all_but(b'"' ^ b'&'), b'"');
            controls | quotes | is(word, b'\\') | brackets | separator
        };
        (special & (ONES << 7)).trailing_zeros() as usize / WORD
    }

    /// What stands for a byte that is not plain: with its length, and how many bytes it is for.
    #[inline]
    fn escape(&self, byte: u8, rest: &[u8]) -> (Word, usize, usize) {
        match (self.bytes[byte as usize], rest) {
            (Byte::Short(letter), _) => ([b'\\', letter, 0, 0, 0, 0, 0, 0], 2, 1),
            (Byte::Number, _) => (number(byte), 6, 1),
            (Byte::Separator, &[_, 0x80, last @ (0xa8 | 0xa9), ..]) => (separator(last), 6, 3),
            (Byte::Separator | Byte::Plain, _) => ([byte, 0, 0, 0, 0, 0, 0, 0], 1, 1),
        }
    }
}

fn number(byte: u8) -> Word {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (high, low) = (DIGITS[(byte >> 4) as usize], DIGITS[(byte & 15) as usize]);
    [b'\\', b'u', b'0', b'0', high, low, 0, 0]
}

fn separator(last: u8) -> Word {
    [b'\\', b'u', b'2', b'0', b'2', if last == 0xa8 { b'8' } else { b'9' }, 0, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: one character after the other.
    fn by_characters(text: &str, table: &Table) -> String {
        let escape = |c: char| match (c, u8::try_from(c).map(|c| table.bytes[usize::from(c)])) {
            ('\u{2028}' | '\u{2029}', _) => format!("\\u{:04x}", c as u32),
            (c, Ok(Byte::Short(letter))) if c.is_ascii() => format!("\\{}", letter as char),
            (c, Ok(Byte::Number)) if c.is_ascii() => format!("\\u{:04x}", c as u32),
            _ => c.to_string(),
        };
        text.chars().map(escape).collect()
    }

    #[test]
    fn every_character_is_escaped_wherever_it_stands() {
        let all: Vec<char> = ('\0'..='\u{ff}').chain('\u{2000}'..='\u{20ff}').collect();
        for table in [&TEXT, &RAW] {
            for (at, c) in all.iter().enumerate() {
                let neighbour = all[at * 7 % all.len()];
                let text = format!("{}{c}{neighbour}{c}xyz{neighbour}", "x".repeat(at % 9));
                let mut written = Vec::new();
                write_escaped(&mut written, &text, table).unwrap();
                assert_eq!(String::from_utf8(written).unwrap(), by_characters(&text, table));
            }
        }
    }

    #[test]
    fn long_texts_are_written_in_pieces() {
        let text = "\u{2028}\n<é>\"plain text of many words\u{1b}[0m".repeat(300);
        for cut in 0..40 {
            let text = format!("{}{text}", "y".repeat(cut));
            let mut written = Vec::new();
            write_escaped(&mut written, &text, &TEXT).unwrap();
            assert_eq!(String::from_utf8(written).unwrap(), by_characters(&text, &TEXT));
        }
    }
}
