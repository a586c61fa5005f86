//! What is printed, and how: answers on standard output, everything else on standard error.
#![expect(clippy::print_stderr, reason = "this module is where the program speaks")]

use crate::failure::Failure;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Writes to standard output; a reader that has gone is not an error to talk about.
pub(crate) fn answer(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(output)
}

/// The failure for standard output that takes no more.
pub(crate) fn output(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::broken_pipe(),
        _ => Failure::new("standard output cannot be written").because(error),
    }
}

/// Says something beside the answer.
pub(crate) fn note(text: &str) {
    eprintln!("{}", shown(text));
}

/// Says what went wrong.
pub(crate) fn report(failure: &Failure) {
    for line in failure.lines() {
        eprintln!("{}", shown(&line));
    }
}

/// A line that is safe to print: a path, title or id out of a transcript must not drive the
/// terminal, so controls and characters that hide or reorder text are spelled out.
pub(crate) fn shown(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || carryall_render::is_hidden(c) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}", c.escape_unicode());
        } else {
            line.push(c);
        }
    }
    line
}

/// A text in lines of at most `width` columns, all but the first moved `hang` columns to the right.
/// A word that is longer than a line stays whole: what it names must be found again.
pub(crate) fn wrapped(text: &str, width: usize, hang: usize) -> String {
    let indent = text.len() - text.trim_start().len();
    let mut out = " ".repeat(indent);
    let (mut column, mut is_first) = (indent, true);
    for word in text.split_whitespace() {
        let length = columns(word);
        if is_first {
            is_first = false;
        } else if column.saturating_add(1).saturating_add(length) > width {
            out.push('\n');
            out.push_str(&" ".repeat(hang));
            column = hang;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

/// How many columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The beginning of a line that fits so many columns; an ellipsis says that there is more.
pub(crate) fn cut(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let mut short = String::new();
    let mut room = width.saturating_sub(1);
    for c in line.chars() {
        let takes = UnicodeWidthChar::width(c).unwrap_or(0);
        if takes > room {
            break;
        }
        room -= takes;
        short.push(c);
    }
    if width > 0 {
        short.push('…');
    }
    short
}

/// A text with spaces after it, up to so many columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    let room = width.saturating_sub(columns(text));
    format!("{text}{}", " ".repeat(room))
}

/// The width of the terminal that standard output is, in columns.
pub(crate) fn width() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

/// Lets a write beyond the file-size limit fail with `EFBIG` instead of ending the process.
pub(crate) fn ignore_file_size_signal() {
    // Without the handler the default action applies; there is nothing else to lose.
    let seen = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_by_the_columns_they_take() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("äbc", 3), "äbc");
        assert_eq!(cut("灯台を直す", 6), "灯台…");
        assert_eq!(cut("灯台を直す", 1), "…");
        assert_eq!((cut("abc", 0), padded("灯", 4)), (String::new(), "灯  ".to_owned()));
    }

    #[test]
    fn what_does_not_fit_goes_on_below() {
        assert_eq!(wrapped("  one two three", 9, 4), "  one two\n    three\n");
        assert_eq!(wrapped("unbreakable words", 5, 2), "unbreakable\n  words\n");
        assert_eq!(wrapped("all of it", usize::MAX, 2), "all of it\n");
        assert_eq!(wrapped("", 5, 2), "\n");
    }
}
