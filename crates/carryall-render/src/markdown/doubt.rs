//! Texts whose reading depends on something outside them.
//!
//! A probe sees one text, a viewer the whole file, and link definitions hold for the whole file:
//! with `[a]: /u` in another message, `[[a]](<b>)` is a link in brackets and a raw tag, without it
//! a link to `b`. In the same way the second pair of brackets in ``[a][x`y] <b> `z`` is a label or
//! holds the first backtick of a code span. And viewers differ: those that link bare addresses
//! take the backtick in ``www.example.org/`x <b> ` ``, or a backslash, for a part of the address;
//! formulas between dollars end here or there; a tag that begins a line ends a paragraph or not.
//!
//! So a text that holds a tag in a code span or link must not hold such a place; then code spans
//! and escapes are the same for everyone.

use memchr::{memchr_iter, memchr3, memmem, memrchr};
use std::ops::Range;

/// Code in a document, in the order in which it stands, as far as a probe saw it.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Fenced and indented blocks: the same for everyone, since lines alone make them.
    pub(super) blocks: Vec<Range<usize>>,
    /// Code spans.
    pub(super) spans: Vec<Range<usize>>,
}

/// Whether a backtick or tag of a text could be read in two ways.
pub(super) fn doubtful(text: &str, code: &Code) -> bool {
    let text = text.as_bytes();
    let outside = |at: usize| !within(&code.blocks, at) && !within(&code.spans, at);
    let tag = |at: usize| begins_tag(&text[at..]) && !within(&code.blocks, at);
    if !memchr_iter(b'<', text).any(tag) {
        return false;
    }
    let line = |at: usize| tag(at) && begins_html_line(text, at);
    let bracket = |at: usize| outside(at) && takes_code(&text[at + 1..]);
    let footnote = |at: usize| outside(at) && label_takes_code(&text[at + 2..]);
    let dollar = memchr_iter(b'$', text).find(|at| outside(*at));
    memchr_iter(b'<', text).any(line)
        || memchr_iter(b']', text).any(bracket)
        || memmem::find_iter(text, "[^").any(footnote)
        || dollar.is_some_and(|at| formula_takes_code(&text[at + 1..]))
        || ["://", "www."].into_iter().any(|mark| address_takes_code(text, mark, outside))
}

/// Whether a `<` could be the beginning of raw HTML.
pub(super) fn begins_tag(bytes: &[u8]) -> bool {
    let next = bytes.get(1);
    next.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!' | b'?'))
}

/// Whether a place is in one of the ranges, which are in order.
fn within(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= at);
    after > 0 && ranges[after - 1].contains(&at)
}

/// Whether a `<` begins a line, past marks of quotes and lists, and no address in angle brackets.
/// Parsers differ in whether such a line ends the paragraph, and a code span with it.
fn begins_html_line(bytes: &[u8], at: usize) -> bool {
    let marks = bytes[..at].iter().rev().find(|byte| !b" \t>*+-.)0123456789".contains(byte));
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
    let after = bytes[at + 1..].iter().find(|byte| !name(byte));
    matches!(marks, None | Some(b'\n')) && !matches!(after, Some(b':' | b'.' | b'@' | b'+'))
}

/// Whether what follows a `]` could be an address or label that takes code with it.
fn takes_code(after: &[u8]) -> bool {
    match after.first() {
        // A simple address only: quotes begin a title, and brackets can nest.
        Some(b'(') => ends_otherwise(&after[1..], b")", b"`\\<(\"'"),
        Some(b'[') => label_takes_code(&after[1..]),
        _ => false,
    }
}

fn label_takes_code(label: &[u8]) -> bool {
    ends_otherwise(label, b"[]", b"`\\<")
}

/// Whether one of `others` comes before the first of `ends`.
fn ends_otherwise(bytes: &[u8], ends: &[u8], others: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| ends.contains(byte) || others.contains(byte));
    first.is_some_and(|byte| others.contains(byte))
}

/// Whether there is code before the last dollar that could end a formula. Viewers agree on formulas
/// least of all, so this knows nothing of their rules.
fn formula_takes_code(after: &[u8]) -> bool {
    let end = memrchr(b'$', after).unwrap_or_default();
    memchr3(b'`', b'\\', b'<', &after[..end]).is_some()
}

/// Whether what could be a bare address runs into a backtick or an escape.
fn address_takes_code(text: &[u8], mark: &str, outside: impl Fn(usize) -> bool) -> bool {
    let mut seen = 0;
    for at in memmem::find_iter(text, mark) {
        // One look at a word is enough, and keeps a long one from being read again and again.
        if at < seen || !outside(at) {
            continue;
        }
        let end = text[at..].iter().position(|b| b.is_ascii_whitespace() || b"`\\".contains(b));
        seen = end.map_or(text.len(), |end| at + end);
        if matches!(text.get(seen), Some(b'`' | b'\\')) {
            return true;
        }
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
            "[^a`b] <i> `z",
            "www.example.invalid/`x <b> `",
            "http://example.invalid/`x <b> `",
            "www.example.invalid/\\<b>",
            "www.example.invalid/\\<b> and http://example.invalid/",
            "[a][x\\]`] <b> `",
            "- [```+++\n<b>\n```rust```markdown\n",
            "| x ` | <b> | ` |\n|---|---|---|\n",
            "[^1]: a\n\n    <script>",
            "$$\n`\n$$ <b> `",
            "${```$<b>```",
            "a cost of $1 for `<T>`, then `$HOME`",
        ] {
            assert_eq!(Prose::default().mode(text), Mode::Fenced, "{text}");
        }
    }

    #[test]
    fn ordinary_prose_with_tags_in_code_stays_live() {
        for text in [
            "see [docs](https://example.invalid/a#b) for `Vec<T>`",
            "see\n<https://example.invalid/>\n> <a@example.invalid>",
            "`Vec<T>` as in [`Vec`](https://example.invalid) and [x][y]",
            "- [x] `<T>` (see [^1])\n\n[^1]: note",
            "| a | `Vec<T>` |\n|---|---|\n| 1 | 2 |",
            "`https://example.invalid/<id>` and <https://example.invalid/>",
            "```\n[a](`<b>`)\n```",
            "a cost of $1 or $2 for `<T>`",
        ] {
            assert_eq!(Prose::default().mode(text), Mode::Verbatim, "{text}");
        }
    }
}
