//! Text of a transcript as text of a page.
//!
//! Whatever stands in a transcript is written by the functions of this file (or, in results, by
//! [`super::ansi`], which calls them), so that nothing of it can become markup. What a browser
//! gives back as `textContent` is the text, except for controls: C0 but tab, LF and CR are shown
//! as control pictures, DEL as U+2421, NUL and C1 as U+FFFD.

use crate::chars::{is_hidden, visible_controls};
use crate::words::{Gather, WORD, first_word, plain};
use memchr::{memchr, memchr_iter};
use std::fmt;
use std::io::{self, Write};

/// Whether a byte begins a character for which something else may have to be written.
fn is_special(byte: u8) -> bool {
    let control = (byte < 0x20) & (byte != b'\t') & (byte != b'\n') | (byte == 0x7f);
    let markup = (byte == b'&') | (byte == b'<') | (byte == b'>');
    // C1 controls and soft hyphen, Arabic letter mark, Mongolian vowel separator; zero-width and
    // bidirectional characters, byte order mark and annotations, tag characters.
    let hidden = (byte == 0xc2) | (byte == 0xd8) | (byte == 0xe1);
    let more_hidden = (byte == 0xe2) | (byte == 0xef) | (byte == 0xf3);
    control | markup | hidden | more_hidden
}

/// Writes a text in text position.
pub(super) fn text<W: Write>(out: &mut W, text: &str) -> io::Result<()> {
    let bytes = text.as_bytes();
    let mut out = Gather::new(out);
    let mut at = 0;
    while at < bytes.len() {
        let word = first_word(&bytes[at..]);
        let len = plain(word, is_special).min(bytes.len() - at);
        out.take(word, len)?;
        at += len;
        let (Some(&byte), true) = (bytes.get(at), len < WORD) else { continue };
        at += match byte {
            b'&' => out.take(*b"&amp;", 5).map(|()| 1)?,
            b'<' => out.take(*b"&lt;", 4).map(|()| 1)?,
            b'>' => out.take(*b"&gt;", 4).map(|()| 1)?,
            _ => character(&mut out, &text[at..])?,
        };
    }
    out.flush().map(|_| ())
}

/// Writes the first character of a text, which may be a rare one, and tells its length.
fn character<W: Write>(out: &mut Gather<'_, W>, text: &str) -> io::Result<usize> {
    let Some(c) = text.chars().next() else { return Ok(0) };
    if c.is_ascii() || matches!(c, '\u{80}'..='\u{9f}') || is_hidden(c) {
        replacement(out.flush()?, c)?;
    } else {
        out.take(first_word(text.as_bytes()), c.len_utf8())?;
    }
    Ok(c.len_utf8())
}

/// What stands in a rare character's place.
fn replacement<W: Write>(out: &mut W, c: char) -> io::Result<()> {
    match c {
        // A parser would make a line feed of the character itself.
        '\r' => out.write_all(b"&#13;"),
        '\0' | '\u{80}'..='\u{9f}' => out.write_all("\u{fffd}".as_bytes()),
        '\x7f' => out.write_all("\u{2421}".as_bytes()),
        '\x01'..='\x1f' => {
            // The pictures U+2400 to U+241F differ in their last byte only.
            out.write_all(&[0xe2, 0x90, 0x80 + c as u8])
        }
        hidden => {
            write!(out, r#"<span class="u" data-u="U+{:04X}">{hidden}</span>"#, hidden as u32)
        }
    }
}

/// Writes a value as an attribute's, to stand in double quotes.
pub(super) fn attribute<W: Write>(out: &mut W, value: &str) -> io::Result<()> {
    let shown = visible_controls(value);
    let quoted = html_escape::encode_quoted_attribute(&shown);
    for c in quoted.chars() {
        match c {
            '`' => out.write_all(b"&#96;")?,
            '\n' => out.write_all(b"&#10;")?,
            '\r' => out.write_all(b"&#13;")?,
            c => write!(out, "{c}")?,
        }
    }
    Ok(())
}

/// Writes the page's title, the one text that no element can stand in: hidden characters are
/// named.
pub(super) fn title<W: Write>(out: &mut W, title: &str) -> io::Result<()> {
    let mut shown = String::with_capacity(title.len());
    for c in visible_controls(title).chars() {
        if is_hidden(c) {
            shown.push_str(&format!("[U+{:04X}]", c as u32));
        } else {
            shown.push(c);
        }
    }
    out.write_all(html_escape::encode_text(&one_line(&shown)).as_bytes())
}

/// A value of the frame, such as a name or an id: at most 200 characters, and a dash when there
/// is nothing to show.
pub(super) fn value<W: Write>(out: &mut W, value: &str) -> io::Result<()> {
    if value.is_empty() {
        return out.write_all("–".as_bytes());
    }
    let (kept, cut) = first_characters(value, 200);
    text(out, kept)?;
    if cut { out.write_all("…".as_bytes()) } else { Ok(()) }
}

/// The first `most` characters, and whether there are more.
pub(super) fn first_characters(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// The text with each run of white space made one space, none at the ends.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// How long a text is, as summaries say it: ` · 6 lines · 114 B`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Lines; a line feed at the end begins no further one.
    pub(super) lines: usize,
    /// Bytes of the text as recorded.
    pub(super) bytes: usize,
}

impl Extent {
    /// Measures a text.
    pub(super) fn of(text: &str) -> Self {
        let feeds = memchr_iter(b'\n', text.as_bytes()).count();
        let open = !text.is_empty() && !text.ends_with('\n');
        Self { lines: feeds + usize::from(open), bytes: text.len() }
    }

    /// Both together.
    pub(super) fn and(self, other: Self) -> Self {
        Self { lines: self.lines + other.lines, bytes: self.bytes + other.bytes }
    }

    /// Whether it is more than so many lines or characters; these are counted only if need be.
    pub(super) fn exceeds(
        self,
        lines: usize,
        most: usize,
        characters: impl FnOnce() -> usize,
    ) -> bool {
        if self.lines > lines || self.bytes > 4 * most {
            return true;
        }
        self.bytes > most && characters() > most
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.lines > 1 {
            write!(f, " · {} lines", crate::wording::grouped(self.lines as u64))?;
        }
        write!(f, " · {}", crate::wording::size(self.bytes as u64))
    }
}

/// A block of lines that [`prose`] sets in a fixed-width face.
#[derive(Clone, Copy)]
enum Block {
    /// A fence of this character and length is open.
    Fence(u8, usize),
    /// The last line began with a pipe.
    Table,
}

/// Writes prose: verbatim, but fenced code and tables stand in a fixed-width block, and heading
/// lines are strong. Spans only, so the text stays what it is; what is recognised is a matter of
/// looks, never of structure.
pub(super) fn prose<W: Write>(out: &mut W, prose: &str) -> io::Result<()> {
    let mut scan = Scan { prose, done: 0, block: None };
    let (mut at, mut blank) = (0, true);
    while at < prose.len() {
        let end = memchr(b'\n', &prose.as_bytes()[at..]).map_or(prose.len(), |n| at + n + 1);
        let line = &prose[at..end];
        scan.line(out, at..end, blank)?;
        blank = line.trim_ascii().is_empty();
        at = end;
    }
    scan.flush(out, prose.len())?;
    if scan.block.is_some() { out.write_all(b"</span>") } else { Ok(()) }
}

/// The state of [`prose`].
struct Scan<'a> {
    prose: &'a str,
    /// What is before is written.
    done: usize,
    block: Option<Block>,
}

impl Scan<'_> {
    /// Writes what is not yet written before `end`.
    fn flush<W: Write>(&mut self, out: &mut W, end: usize) -> io::Result<()> {
        text(out, &self.prose[self.done..end])?;
        self.done = end;
        Ok(())
    }

    /// Looks at one line; `blank` says that the one before was, or that there is none.
    fn line<W: Write>(
        &mut self,
        out: &mut W,
        at: std::ops::Range<usize>,
        blank: bool,
    ) -> io::Result<()> {
        let line = self.prose[at.clone()].trim_ascii_end();
        let inner = line.trim_ascii_start().as_bytes();
        match (self.block, inner.first()) {
            (Some(Block::Fence(mark, length)), first) => {
                if first == Some(&mark) && closes(inner, mark, length) {
                    self.close(out, at.end)?;
                }
                return Ok(());
            }
            (Some(Block::Table), Some(b'|')) => return Ok(()),
            (Some(Block::Table), _) => self.close(out, at.start)?,
            (None, _) => {}
        }
        match inner.first() {
            Some(b'`' | b'~') => match opens(inner) {
                Some(fence) => self.open(out, at.start, fence, "fence"),
                None => Ok(()),
            },
            Some(b'|') => self.open(out, at.start, Block::Table, "table"),
            Some(b'#') if blank && is_heading(line.as_bytes()) => {
                self.flush(out, at.start)?;
                out.write_all(br#"<span class="hd">"#)?;
                self.flush(out, at.start + line.len())?;
                out.write_all(b"</span>")
            }
            _ => Ok(()),
        }
    }

    fn open<W: Write>(
        &mut self,
        out: &mut W,
        at: usize,
        block: Block,
        class: &str,
    ) -> io::Result<()> {
        self.flush(out, at)?;
        self.block = Some(block);
        write!(out, r#"<span class="{class}">"#)
    }

    fn close<W: Write>(&mut self, out: &mut W, at: usize) -> io::Result<()> {
        self.flush(out, at)?;
        self.block = None;
        out.write_all(b"</span>")
    }
}

/// The fence that a line opens: three or more backticks without a backtick after them, or tildes.
fn opens(line: &[u8]) -> Option<Block> {
    let mark = *line.first()?;
    let length = line.iter().take_while(|&&byte| byte == mark).count();
    let plain = mark == b'~' || memchr(b'`', &line[length..]).is_none();
    (length >= 3 && plain).then_some(Block::Fence(mark, length))
}

/// Whether a line is nothing but a fence of that character, at least that long.
fn closes(line: &[u8], mark: u8, length: usize) -> bool {
    line.len() >= length && line.iter().all(|&byte| byte == mark)
}

/// One to six `#`, then a space or nothing.
fn is_heading(line: &[u8]) -> bool {
    let level = line.iter().take_while(|&&byte| byte == b'#').count();
    (1..=6).contains(&level) && line.get(level).is_none_or(|&byte| byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(f: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        f(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The table must stop at every character that is replaced, and `visible_controls`, which the
    /// Markdown export uses, must map them alike.
    #[test]
    fn every_character_is_written_as_the_crate_maps_it() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let before = c.to_string();
            let shown = written(|out| text(out, &before));
            let expected = match c {
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                '\r' => "&#13;".to_owned(),
                c if is_hidden(c) => {
                    format!(r#"<span class="u" data-u="U+{:04X}">{c}</span>"#, c as u32)
                }
                _ => visible_controls(&before).into_owned(),
            };
            assert_eq!(shown, expected, "U+{:04X}", c as u32);
        }
    }

    #[test]
    fn characters_are_replaced_wherever_they_stand_in_a_block() {
        for (c, shown) in [("<", "&lt;"), ("\r", "&#13;"), ("\u{85}", "\u{fffd}")] {
            for at in 0..200 {
                // Each stands alone, among characters that only begin like it, and twice.
                let before = format!("{}{c}{}{c}", "x".repeat(at), "\u{2192}".repeat(at % 70));
                assert_eq!(written(|out| text(out, &before)), before.replace(c, shown), "{at}");
            }
        }
    }

    #[test]
    fn attributes_hold_no_quote_and_no_line_end() {
        let shown = written(|out| attribute(out, "\"'`<>&\r\n\u{1b}é"));
        assert_eq!(shown, "&quot;&#x27;&#96;&lt;&gt;&amp;&#13;&#10;\u{241b}é");
    }

    #[test]
    fn a_title_names_hidden_characters() {
        let shown = written(|out| title(out, "a\u{202e}b\n</title>"));
        assert_eq!(shown, "a[U+202E]b &lt;/title&gt;");
    }

    #[test]
    fn values_are_cut_at_200_characters_and_empty_ones_are_a_dash() {
        assert_eq!(written(|out| value(out, "")), "–");
        assert_eq!(written(|out| value(out, &"é".repeat(200))), "é".repeat(200));
        assert_eq!(written(|out| value(out, &"é".repeat(201))), format!("{}…", "é".repeat(200)));
    }

    #[test]
    fn lines_are_counted_as_an_editor_does() {
        let lines = |text| Extent::of(text).lines;
        assert_eq!(
            [lines(""), lines("a"), lines("a\n"), lines("a\nb"), lines("\n\n")],
            [0, 1, 1, 2, 2]
        );
        assert_eq!(Extent::of("a\nb").to_string().split(" · ").nth(1), Some("2 lines"));
    }

    #[test]
    fn a_text_is_long_by_lines_or_by_characters() {
        let long = |text: &str| Extent::of(text).exceeds(24, 4_000, || text.chars().count());
        assert!(!long(&"a\n".repeat(24)));
        assert!(long(&"a\n".repeat(25)));
        assert!(!long(&"é".repeat(4_000)));
        assert!(long(&"é".repeat(4_001)));
        assert!(long(&"x".repeat(16_001)));
    }

    #[test]
    fn fences_tables_and_headings_are_set_by_line() {
        let set = |before: &str| written(|out| prose(out, before));
        assert_eq!(
            set("a\n```rust\nx\n```\nb"),
            "a\n<span class=\"fence\">```rust\nx\n```\n</span>b"
        );
        assert_eq!(set("~~~~\n~~~\n````\n"), "<span class=\"fence\">~~~~\n~~~\n````\n</span>");
        assert_eq!(set("```a`b\nc"), "```a`b\nc");
        assert_eq!(
            set("- x\n  ```\n  y\n  ```"),
            "- x\n<span class=\"fence\">  ```\n  y\n  ```</span>"
        );
        assert_eq!(set("| a |\n|--|\nb"), "<span class=\"table\">| a |\n|--|\n</span>b");
        assert_eq!(
            set("|a\n```\nb\n```"),
            "<span class=\"table\">|a\n</span><span class=\"fence\">```\nb\n```</span>"
        );
        assert_eq!(set("# a\r\nb"), "<span class=\"hd\"># a</span>&#13;\nb");
        assert_eq!(set("b\n# a"), "b\n# a");
        assert_eq!(set("b\n\n####### a\n\n#a"), "b\n\n####### a\n\n#a");
    }
}
