//! How a text that people wrote or read may stand in the file: live Markdown, byte for byte, or
//! inside a fence.
//!
//! A text stands verbatim only if it can neither swallow what follows nor bring raw HTML into the
//! document: HTML that stays open bends everything after it, and a comment could forge a marker.
//! Balancing tags is no way out (`<plaintext>` has no end, a list item closes a comment for a
//! Markdown parser and not for a browser), so a text with raw HTML is fenced whole, which also
//! shows the tag instead of obeying it.

use super::doubt::{Code, begins_tag, doubtful};
use memchr::{memchr_iter, memmem};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

/// How a text stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As it is.
    Verbatim,
    /// As it is, and then this fence line to close the fence that the text leaves open.
    Closed(String),
    /// Inside a fence with the info word `markdown`.
    Fenced,
}

/// The info word of a fenced text.
pub(super) const INFO: &str = "markdown";

/// A closing line longer than this would be uglier than a fence of the other kind.
const MAX_CLOSING: usize = 64;

/// A longer text is not probed: a parse takes many times its memory, and nobody reads it as Markdown.
const MAX_PROBED: usize = 4 << 20;

/// Decides on modes; keeps one buffer for its probes.
#[derive(Debug, Default)]
pub(super) struct Prose {
    document: String,
}

impl Prose {
    pub(super) fn mode(&mut self, text: &str) -> Mode {
        if starts_as_fenced(text) {
            return Mode::Fenced;
        }
        let tags = may_hold_tags(text);
        if !tags && !may_hold_fences(text) {
            return Mode::Verbatim;
        }
        if text.len() > MAX_PROBED || has_lone_return(text) || has_tab_behind_fence(text) {
            return Mode::Fenced;
        }
        let closing = match self.probe(text, "", Options::empty()) {
            Seen::Framed => None,
            Seen::Open(closing) => Some(closing),
            Seen::Unsafe => return Mode::Fenced,
        };
        let plain = closing.is_some().then_some(Options::empty());
        let tables = tags.then(|| with_tables(text)).flatten();
        let mut readings = plain.into_iter().chain(tables);
        let closing_line = closing.as_deref().unwrap_or_default();
        if !readings.all(|reading| self.probe(text, closing_line, reading) == Seen::Framed) {
            return Mode::Fenced;
        }
        closing.map_or(Mode::Verbatim, Mode::Closed)
    }

    /// Parses the text as it would stand in the file, with a marker and a heading behind it.
    fn probe(&mut self, text: &str, closing: &str, reading: Options) -> Seen {
        const MARKER: &str = "<!-- carryall 1 user -->\n\n";
        const HEADING: &str = "## x\n";
        let document = &mut self.document;
        document.clear();
        document.push_str(text);
        document.push('\n');
        document.push_str(closing);
        document.push_str("\n\n");
        let marker = document.len();
        document.push_str(MARKER);
        let heading = document.len();
        document.push_str(HEADING);
        Look { document, text: text.len(), marker, heading }.look(reading)
    }
}

/// What a probe showed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Seen {
    /// Marker and heading are where they belong.
    Framed,
    /// The text leaves a fence open, which this line closes.
    Open(String),
    /// The text holds raw HTML, or could come to hold it, or swallows what follows.
    Unsafe,
}

struct Look<'d> {
    document: &'d str,
    /// Where the text ends; it stands at the beginning.
    text: usize,
    marker: usize,
    heading: usize,
}

impl Look<'_> {
    fn look(&self, reading: Options) -> Seen {
        let (mut depth, mut marker, mut heading) = (0_usize, false, false);
        let mut open = None;
        let mut code = Code::default();
        for (event, range) in Parser::new_ext(self.document, reading).into_offset_iter() {
            match event {
                Event::Start(tag) => {
                    if depth == 0 {
                        marker |= tag == Tag::HtmlBlock && range.start == self.marker;
                        heading |= is_heading(&tag) && range.start == self.heading;
                        open = open
                            .or((is_fence(&tag) && range.end > self.marker).then_some(range.start));
                    }
                    if matches!(tag, Tag::CodeBlock(_)) {
                        code.blocks.push(range);
                    }
                    depth += 1;
                }
                Event::End(_) => depth = depth.saturating_sub(1),
                Event::Html(html) | Event::InlineHtml(html)
                    if range.start < self.text && !is_break(&html) =>
                {
                    return Seen::Unsafe;
                }
                Event::Code(_) => code.spans.push(range),
                Event::Html(_)
                | Event::InlineHtml(_)
                | Event::Text(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => {}
            }
        }
        if doubtful(&self.document[..self.text], &code) {
            return Seen::Unsafe;
        }
        if marker && heading {
            return Seen::Framed;
        }
        let closing = open.and_then(|start| closing_line(&self.document[start..self.text]));
        closing.map_or(Seen::Unsafe, Seen::Open)
    }
}

fn is_heading(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Heading { .. })
}

fn is_fence(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::CodeBlock(CodeBlockKind::Fenced(_)))
}

/// The one tag that cannot stay open.
fn is_break(html: &str) -> bool {
    let html = html.trim();
    ["<br>", "<br/>", "<br />"].iter().any(|tag| html.eq_ignore_ascii_case(tag))
}

/// The line that closes the fence with which `block` begins.
fn closing_line(block: &str) -> Option<String> {
    let block = block.trim_start_matches(' ');
    let mark = block.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = block.len() - block.trim_start_matches(mark).len();
    (length <= MAX_CLOSING).then(|| mark.to_string().repeat(length))
}

/// A text that begins as our own fenced texts do is fenced itself: a reader knows by this line
/// alone whether a text is fenced.
fn starts_as_fenced(text: &str) -> bool {
    let after = text.trim_start_matches('`');
    let after = if after.len() == text.len() { text.trim_start_matches('~') } else { after };
    text.len() - after.len() >= 3
        && after.strip_prefix(INFO).is_some_and(|rest| rest.is_empty() || rest.starts_with('\n'))
}

fn may_hold_tags(text: &str) -> bool {
    memchr_iter(b'<', text.as_bytes()).any(|at| begins_tag(&text.as_bytes()[at..]))
}

fn may_hold_fences(text: &str) -> bool {
    let bytes = text.as_bytes();
    memmem::find(bytes, b"```").is_some() || memmem::find(bytes, b"~~~").is_some()
}

/// Not all parsers take a CR without LF for the end of a line, so they differ in where a fence
/// begins.
fn has_lone_return(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1).is_some_and(|next| *next != b'\n'))
}

/// Not all parsers let a tab stand behind a closing fence.
fn has_tab_behind_fence(text: &str) -> bool {
    ['`', '~'].into_iter().any(|mark| {
        let run = [mark as u8; 3];
        let mut rest = text;
        while let Some(at) = memmem::find(rest.as_bytes(), &run) {
            rest = rest[at..].trim_start_matches(mark).trim_start_matches(' ');
            if rest.starts_with('\t') {
                return true;
            }
        }
        false
    })
}

/// The other way in which viewers read such a text: a table cell can end before the code span that
/// seemed to hold a tag, and a footnote can hold what seemed to be a code block.
fn with_tables(text: &str) -> Option<Options> {
    let reading = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    (text.contains('|') || text.contains("[^")).then_some(reading)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(text: &str) -> Mode {
        Prose::default().mode(text)
    }

    #[test]
    fn a_text_that_begins_as_our_own_fence_does_is_fenced() {
        for text in ["```markdown\nx\n```", "~~~~markdown\n~~~~", "```markdown"] {
            assert_eq!(mode(text), Mode::Fenced, "{text}");
        }
        for text in [
            "```markdown \nx\n```",
            "```markdownx\n```",
            " ```markdown\n```",
            "a\n```markdown\n```",
        ] {
            assert_eq!(mode(text), Mode::Verbatim, "{text}");
        }
    }

    #[test]
    fn a_fence_is_closed_by_a_line_like_its_own() {
        for (text, closing) in [
            ("```rust\nx", "```"),
            ("~~~~~\n```\nx", "~~~~~"),
            ("   ```\nx", "```"),
            ("```\n```\n```", "```"),
        ] {
            assert_eq!(mode(text), Mode::Closed(closing.to_owned()), "{text}");
        }
        let long = |ticks: usize| format!("{}\nx", "`".repeat(ticks));
        assert_eq!(mode(&long(MAX_CLOSING)), Mode::Closed("`".repeat(MAX_CLOSING)));
        assert_eq!(mode(&long(MAX_CLOSING + 1)), Mode::Fenced);
    }

    #[test]
    fn what_parsers_read_differently_is_fenced() {
        for text in ["```\r\t`", "a\r```", "```\n```\t", "~~~\n~~~ \t"] {
            assert_eq!(mode(text), Mode::Fenced, "{text:?}");
        }
        for text in ["a\rb", "```\r\nx\r\n```\r\n", "x\ty ```z```", "```\n\tx\n```\r"] {
            assert_eq!(mode(text), Mode::Verbatim, "{text:?}");
        }
    }

    #[test]
    fn very_long_texts_are_probed_only_to_a_limit() {
        let text = |length: usize| format!("```\n```\n{}", "x".repeat(length - 8));
        assert_eq!(mode(&text(MAX_PROBED)), Mode::Verbatim);
        assert_eq!(mode(&text(MAX_PROBED + 1)), Mode::Fenced);
        assert_eq!(mode(&"x".repeat(MAX_PROBED + 1)), Mode::Verbatim);
    }
}
