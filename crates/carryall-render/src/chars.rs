//! Characters that must not stand in a document as they are: controls, and those that hide or
//! reorder text.
//!
//! Transcripts are large and such characters are rare, so each function here looks for the few
//! bytes that can begin one and walks characters only where it finds them.

use memchr::{memchr, memchr3_iter, memmem};
use std::borrow::Cow;

/// Characters that are invisible or change the direction of text: bidirectional controls,
/// zero-width characters, tag characters, the byte order mark, soft hyphen and word joiners.
/// ZWJ and ZWNJ shape letters and emoji and are not among them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// How many [hidden](is_hidden) characters a text holds.
#[must_use]
pub fn hidden_characters(text: &str) -> u64 {
    // The six bytes with which a hidden character can begin; none of them occurs inside another.
    let bytes = text.as_bytes();
    let leads = memchr3_iter(0xc2, 0xd8, 0xe1, bytes).chain(memchr3_iter(0xe2, 0xef, 0xf3, bytes));
    leads.filter(|&at| text[at..].starts_with(is_hidden)).count() as u64
}

/// How many surrogate escapes of a JSON text have no partner (`"\ud83d"` cut from its second
/// half). They are no characters; every format shows U+FFFD in their place.
#[must_use]
pub fn unpaired_surrogates(json: &str) -> u64 {
    let bytes = json.as_bytes();
    if memmem::find(bytes, br"\ud").is_none() && memmem::find(bytes, br"\uD").is_none() {
        return 0;
    }
    let (mut count, mut at) = (0, 0);
    while let Some(found) = memchr(b'\\', &bytes[at..]) {
        at += found;
        match escape(&bytes[at..]) {
            Escape::Plain(len) => at += len,
            Escape::Unpaired => {
                count += 1;
                at += UNPAIRED_LEN;
            }
        }
    }
    count
}

/// The length of an escape such as `\ud83d`.
pub(crate) const UNPAIRED_LEN: usize = 6;

/// An escape sequence of a JSON string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// Stands for a character; this many bytes long.
    Plain(usize),
    /// Half a surrogate pair, [`UNPAIRED_LEN`] bytes long.
    Unpaired,
}

/// The escape that `bytes` begin with. Of bytes that are no JSON it says that they are one plain
/// escape, never longer than the bytes are.
pub(crate) fn escape(bytes: &[u8]) -> Escape {
    let Some(first) = code_unit(bytes) else { return Escape::Plain(bytes.len().min(2)) };
    if !(0xd800..=0xdfff).contains(&first) {
        return Escape::Plain(UNPAIRED_LEN);
    }
    let low = code_unit(&bytes[UNPAIRED_LEN..]).is_some_and(|c| (0xdc00..=0xdfff).contains(&c));
    if first <= 0xdbff && low { Escape::Plain(2 * UNPAIRED_LEN) } else { Escape::Unpaired }
}

/// The UTF-16 code unit of an escape `\uXXXX` at the start of `bytes`.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(br"\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

/// The text with control characters made visible, as Markdown and HTML show it: C0 but tab, LF and
/// CR as control pictures, DEL as U+2421, NUL and C1 as U+FFFD.
pub(crate) fn visible_controls(text: &str) -> Cow<'_, str> {
    let Some(mut control) = next_control(text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut shown = String::with_capacity(text.len() + text.len() / 8);
    let mut rest = text;
    loop {
        let (before, after) = rest.split_at(control);
        shown.push_str(before);
        let mut chars = after.chars();
        shown.extend(chars.next().map(visible_control));
        rest = chars.as_str();
        match next_control(rest.as_bytes()) {
            Some(at) => control = at,
            None => break,
        }
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// What stands for a control character in Markdown and HTML; any other character is itself.
pub(crate) fn visible_control(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => c,
        '\0' | '\u{80}'..='\u{9f}' => char::REPLACEMENT_CHARACTER,
        '\u{1}'..='\u{1f}' => {
            char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        '\u{7f}' => '\u{2421}',
        _ => c,
    }
}

/// Where the first control character that is not shown as it is begins, in the bytes of a text.
pub(crate) fn next_control(bytes: &[u8]) -> Option<usize> {
    // The test over a block has no branch in it, so that the compiler makes it a vector loop.
    const BLOCK: usize = 128;
    const SMALL: usize = 16;
    let any = |bytes: &[u8]| bytes.iter().fold(false, |any, &byte| any | may_begin_control(byte));
    for (number, block) in bytes.chunks(BLOCK).enumerate() {
        if !any(block) {
            continue;
        }
        for (small, bytes_of) in block.chunks(SMALL).enumerate().filter(|(_, small)| any(small)) {
            let start = number * BLOCK + small * SMALL;
            let mut places = start..start + bytes_of.len();
            if let Some(at) = places.find(|&at| is_control_at(bytes, at)) {
                return Some(at);
            }
        }
    }
    None
}

fn may_begin_control(byte: u8) -> bool {
    ((byte < 0x20) & (byte != b'\t') & (byte != b'\n') & (byte != b'\r'))
        | (byte == 0x7f)
        | (byte == 0xc2)
}

fn is_control_at(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        0xc2 => bytes.get(at + 1).is_some_and(|next| *next <= 0x9f),
        byte => may_begin_control(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_chars() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn hidden_characters_are_found_by_their_first_bytes_as_by_a_walk() {
        for c in all_chars() {
            let text = format!("é{c}漢");
            assert_eq!(hidden_characters(&text), u64::from(is_hidden(c)), "U+{:04X}", u32::from(c));
        }
        assert_eq!(hidden_characters("a\u{202e}\u{2066}b\u{ad}\u{200d}"), 3);
    }

    #[test]
    fn controls_are_found_wherever_they_stand() {
        for c in ['\0', '\u{1b}', '\u{7f}', '\u{80}', '\u{9f}'] {
            for before in [0, 1, 126, 127, 128, 129, 255, 256, 300] {
                let text = format!("{}{c}{}", "x".repeat(before), "é".repeat(200));
                assert_eq!(next_control(text.as_bytes()), Some(before));
            }
        }
        assert_eq!(next_control("tab\tlf\ncr\r nbsp\u{a0} é".as_bytes()), None);
    }

    #[test]
    fn every_control_has_its_picture_and_nothing_else_changes() {
        let text = "plain é\t\r\n";
        assert!(matches!(visible_controls(text), Cow::Borrowed(same) if same == text));
        assert_eq!(
            visible_controls("\0\u{1}\u{8}\u{b}\u{c}\u{1b}[0m\u{1f}\u{7f}\u{85}\u{9b}!"),
            "\u{fffd}\u{2401}\u{2408}\u{240b}\u{240c}\u{241b}[0m\u{241f}\u{2421}\u{fffd}\u{fffd}!"
        );
        for c in all_chars() {
            let by_rule = (c.is_control() && !matches!(c, '\t' | '\n' | '\r')).then_some(c);
            let changed = (visible_control(c) != c).then_some(c);
            assert_eq!(changed, by_rule);
            assert_eq!(visible_controls(&c.to_string()), visible_control(c).to_string());
        }
    }

    #[test]
    fn surrogate_escapes_without_partner_are_counted() {
        for (json, count) in [
            (r#""a\ud800b""#, 1),
            (r#""\udc00""#, 1),
            (r#""\udc00\ud800""#, 2),
            (r#""\ud83d\ude00""#, 0),
            (r#""\uD83D\uDE00\uD83D""#, 1),
            (r#""\ud83d\ud83d\ude00""#, 1),
            (r#""\\ud800 \\\ud800""#, 1),
            (r#""\u00e9\n""#, 0),
            (r#""\ud83d\n\ude00""#, 2),
        ] {
            assert_eq!(unpaired_surrogates(json), count, "{json}");
        }
        assert_eq!(unpaired_surrogates(r"\ud8 \ud80 \u \"), 0);
    }
}
