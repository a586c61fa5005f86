//! Values out of a transcript inside our own lines: code spans, times, sizes, sentences.

use crate::chars::{is_hidden, visible_control};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Values other than paths are cut after this many characters.
const MAX_VALUE: usize = 200;

/// What stands for an empty name.
const DASH: &str = "–";

/// A value as a code span on one line, cut when it is long.
pub(super) fn value(out: &mut impl Write, value: &str) -> io::Result<()> {
    match value.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => code(out, &format!("{}…", &value[..end])),
        None => code(out, value),
    }
}

/// A path as a code span on one line, whole.
pub(super) fn path(out: &mut impl Write, path: &str) -> io::Result<()> {
    code(out, path)
}

/// A time as it was recorded; one that does not look like a time is a value like any other.
pub(super) fn time(out: &mut impl Write, time: &str) -> io::Result<()> {
    let plain = time.starts_with(|c: char| c.is_ascii_digit())
        && time.len() <= 40
        && time.bytes().all(|b| b.is_ascii_digit() || b" TZ:.+-".contains(&b))
        && !time.ends_with(' ');
    if plain { out.write_all(time.as_bytes()) } else { value(out, time) }
}

/// A media type such as `image/svg+xml`; anything else is a value like any other.
pub(super) fn media_type(out: &mut impl Write, name: &str) -> io::Result<()> {
    let plain = name.len() <= 80
        && name.split_once('/').is_some_and(|(kind, sub)| {
            !kind.is_empty()
                && kind.bytes().all(|b| b.is_ascii_alphabetic())
                && !sub.is_empty()
                && sub.bytes().all(|b| b.is_ascii_alphanumeric() || b".+-".contains(&b))
        });
    if plain { out.write_all(name.as_bytes()) } else { value(out, name) }
}

/// A span that is longer than any run of backticks inside; a dash for a blank text.
fn code(out: &mut impl Write, text: &str) -> io::Result<()> {
    if text.trim().is_empty() {
        return out.write_all(DASH.as_bytes());
    }
    let text = one_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    // A parser takes one space off both ends, if there is one on both.
    let pad = text.starts_with('`')
        || text.ends_with('`')
        || (text.starts_with(' ') && text.ends_with(' '));
    let pad = if pad { " " } else { "" };
    write!(out, "{ticks}{pad}{text}{pad}{ticks}")
}

/// The text on one line, with everything shown that hides, reorders or breaks it.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        push_shown(&mut line, c);
    }
    line
}

fn push_shown(line: &mut String, c: char) {
    match c {
        '\n' => line.push_str("\\n"),
        '\r' => line.push_str("\\r"),
        '\t' => line.push_str("\\t"),
        '\u{2028}' | '\u{2029}' => push_code(line, c),
        c if is_hidden(c) => push_code(line, c),
        c => line.push(visible_control(c)),
    }
}

fn push_code(line: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(line, "\\u{{{:X}}}", u32::from(c));
}

/// A sentence of ours in which names out of the transcript may stand: whatever Markdown could take
/// for markup gets a backslash.
pub(super) fn sentence(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let inside_word =
            before.is_alphanumeric() && chars.peek().is_some_and(|n| n.is_alphanumeric());
        let markup = match c {
            '_' => !inside_word,
            _ => "\\`*[]<>&~|$".contains(c),
        };
        if markup {
            line.push('\\');
        }
        push_shown(&mut line, c);
        before = c;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> String {
        let mut out = Vec::new();
        value(&mut out, text).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn spans_outgrow_the_backticks_inside() {
        for (text, expected) in [
            ("read", "`read`"),
            ("a`b", "``a`b``"),
            ("`x`", "`` `x` ``"),
            ("````", "````` ```` `````"),
            (" padded ", "`  padded  `"),
            (" left", "` left`"),
            ("", "–"),
            (" \t", "–"),
            ("a\nb\r\nc\td", "`a\\nb\\r\\nc\\td`"),
            ("\u{202e}gnp\u{2028}\u{e0041}", "`\\u{202E}gnp\\u{2028}\\u{E0041}`"),
            ("\u{1b}[31m\u{9b}\0", "`\u{241b}[31m\u{fffd}\u{fffd}`"),
        ] {
            assert_eq!(span(text), expected);
        }
    }

    #[test]
    fn values_are_cut_at_200_characters_and_paths_never() {
        assert_eq!(span(&"é".repeat(200)), format!("`{}`", "é".repeat(200)));
        assert_eq!(span(&"é".repeat(201)), format!("`{}…`", "é".repeat(200)));
        let mut out = Vec::new();
        path(&mut out, &"d/".repeat(3000)).unwrap();
        assert_eq!(out.len(), 6002);
    }

    #[test]
    fn only_what_looks_like_a_time_or_type_stands_bare() {
        let as_time = |text: &str| {
            let mut out = Vec::new();
            time(&mut out, text).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(as_time("2026-09-14T08:30:02.5+02:00"), "2026-09-14T08:30:02.5+02:00");
        assert_eq!(as_time("2026-09-14 <b>"), "`2026-09-14 <b>`");
        assert_eq!(as_time("\n## User"), "`\\n## User`");
        let as_type = |text: &str| {
            let mut out = Vec::new();
            media_type(&mut out, text).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(as_type("image/svg+xml"), "image/svg+xml");
        assert_eq!(as_type("a_b/*c*"), "`a_b/*c*`");
        assert_eq!(as_type("www.example.invalid/x"), "`www.example.invalid/x`");
    }

    #[test]
    fn names_in_a_sentence_are_no_markup() {
        assert_eq!(
            sentence("Row 1 is bad: kind file_a <b> [x] `y` _z_"),
            "Row 1 is bad: kind file_a \\<b\\> \\[x\\] \\`y\\` \\_z\\_"
        );
    }
}
