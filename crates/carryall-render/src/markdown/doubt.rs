//! Texts whose reading depends on something outside them.
//!
//! A probe sees one text, a viewer the whole file, and link definitions hold for the whole file:
//! with `[a]: /u` in another message, `[[a]](<b>)` is a link in brackets and a raw tag, without it
//! a link to `b`. In the same way the second pair of brackets in ``[a][x`y] <b> `z`` is a label or
//! holds the first backtick of a code span; and a viewer that links bare addresses takes the
//! backtick in ``www.example.org/`x <b> ` `` for a part of the address. So a text that holds a tag
//! in a code span or link must not hold such a place; then code spans are the same for everyone.

use memchr::{memchr_iter, memmem};
use std::ops::Range;

/// Code in a document, in the order in which it stands, as far as a probe saw it.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Fenced and indented blocks: the same for everyone, since lines alone make them.
    pub(super) blocks: Vec<Range<usize>>,
    /// Code spans.
    pub(super) spans: Vec<Range<usize>>,
}

/// Whether a backtick or tag of `text` (a range of `document`) could be read in two ways.
pub(super) fn doubtful(document: &str, text: Range<usize>, code: &Code) -> bool {
    let bytes = &document.as_bytes()[..text.end];
    let outside = |at: usize| !within(&code.blocks, at) && !within(&code.spans, at);
    let tag = |at: usize| begins_tag(&bytes[at..]) && !within(&code.blocks, at);
    if !places(bytes, &text, b'<').any(tag) {
        return false;
    }
    let bracket = |at: usize| outside(at) && takes_code(&bytes[at + 1..]);
    let footnote =
        |at: usize| outside(text.start + at) && label_takes_code(&bytes[text.start + at + 2..]);
    places(bytes, &text, b']').any(bracket)
        || memmem::find_iter(&bytes[text.start..], "[^").any(footnote)
        || address_takes_code(document, &text, &code.spans)
}

/// Whether a `<` could be the beginning of raw HTML.
pub(super) fn begins_tag(bytes: &[u8]) -> bool {
    let next = bytes.get(1);
    next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?'))
}

fn places(bytes: &[u8], text: &Range<usize>, byte: u8) -> impl Iterator<Item = usize> {
    let start = text.start;
    memchr_iter(byte, &bytes[start..]).map(move |at| start + at)
}

/// Whether a place is in one of the ranges, which are in order.
fn within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    after > 0 && ranges[after - 1].contains(&at)
}

/// Whether what follows a `]` could be an address or label with a backtick or tag in it.
fn takes_code(after: &[u8]) -> bool {
    match after.first() {
        Some(b'(') => {
            matches!(first_of(&after[1..], b")`<(\"'"), Some(b'`' | b'<' | b'(' | b'"' | b'\''))
        }
        Some(b'[') => label_takes_code(&after[1..]),
        _ => false,
    }
}

fn label_takes_code(label: &[u8]) -> bool {
    matches!(first_of(label, b"[]`<"), Some(b'`' | b'<'))
}

fn first_of(bytes: &[u8], set: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|byte| set.contains(byte))
}

/// Whether a code span begins inside what could be a bare address.
fn address_takes_code(document: &str, text: &Range<usize>, spans: &[Range<usize>]) -> bool {
    let mut address = false;
    let mut from = text.start;
    for span in spans.iter().filter(|span| text.contains(&span.start)) {
        let Some(between) = document.get(from..span.start) else { continue };
        let word = between.rsplit(char::is_whitespace).next().unwrap_or(between);
        address &= word.len() == between.len();
        address |= word.contains("://") || word.contains("www.");
        if address {
            return true;
        }
        from = span.end;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::prose::{Mode, Prose};

    #[test]
    fn texts_that_another_message_could_bend_are_fenced() {
        for text in [
            "[[x]](<plaintext>)",
            "[a][x`y] <b> `z",
            "[a](x`y) <b> `z`",
            "[a](u \"x`y\") <b> `z`",
            "[^a`b] `<i>`",
            "www.example.invalid/`x <b> `",
            "http://example.invalid/`x <b> `",
            "| x ` | <b> | ` |\n|---|---|---|\n",
            "[^1]: a\n\n    <script>",
            "$$\n`\n$$ <b> `",
        ] {
            assert_eq!(Prose::default().mode(text), Mode::Fenced, "{text}");
        }
    }

    #[test]
    fn ordinary_prose_with_tags_in_code_stays_live() {
        for text in [
            "see [docs](https://example.invalid/a#b) for `Vec<T>`",
            "`Vec<T>` as in [`Vec`](https://example.invalid) and [x][y]",
            "- [x] `<T>` (see [^1])\n\n[^1]: note",
            "| a | `Vec<T>` |\n|---|---|\n| 1 | 2 |",
            "`https://example.invalid/<id>` and <https://example.invalid/`>",
            "```\n[a](`<b>`)\n```",
            "a cost of $1 for `<T>`, then $2",
        ] {
            assert_eq!(Prose::default().mode(text), Mode::Verbatim, "{text}");
        }
    }
}
