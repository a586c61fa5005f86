//! Text that is never live: tool input and results, inside a fence that it cannot close.

use crate::chars::visible_controls;
use crate::json::{Audience, Layout, copy, decode_string};
use carryall_model::Input;
use memchr::memchr;
use std::borrow::Cow;
use std::io::{self, Write};

/// What stands between two fence lines.
#[derive(Clone, Debug)]
pub(super) enum Payload<'a> {
    /// Text with its control characters already visible.
    Text(Cow<'a, str>),
    /// A JSON text, indented as it is written and not before: the indented form of a hostile input
    /// can be a hundred times its size.
    Json(&'a str),
}

impl<'a> Payload<'a> {
    pub(super) fn text(text: &'a str) -> Self {
        Self::Text(visible_controls(text))
    }

    /// A string is shown decoded: it is text that happens to have been recorded as JSON.
    pub(super) fn input(input: Input<'a>) -> Self {
        match input {
            Input::Text(text) => Self::text(text),
            Input::Json(raw) if raw.get().trim_start().starts_with('"') => {
                let text = decode_string(raw.get().trim());
                Self::Text(visible_controls(&text).into_owned().into())
            }
            Input::Json(raw) => Self::Json(raw.get()),
        }
    }

    fn info(&self) -> &'static str {
        match self {
            Self::Text(_) => "",
            Self::Json(_) => "json",
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Json(json) => copy(json, Layout::Indented(0), Audience::People, out),
        }
    }

    /// Reads through the payload once, for its length and its fence.
    pub(super) fn measure(self) -> Measured<'a> {
        let mut measure = Measure::default();
        // A measure takes everything.
        let _ = self.write(&mut measure);
        Measured { payload: self, measure }
    }
}

/// A payload and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Measured<'a> {
    payload: Payload<'a>,
    measure: Measure,
}

impl Measured<'_> {
    /// The bytes between the fence lines, without a newline that is ours.
    pub(super) fn len(&self) -> u64 {
        self.measure.len
    }

    /// Writes a blank line and the fenced payload, or `(empty)`.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        if self.measure.len == 0 {
            return out.write_all(b"\n(empty)\n");
        }
        let fence = self.measure.fence();
        write!(out, "\n{fence}{}\n", self.payload.info())?;
        self.payload.write(out)?;
        let newline = if self.measure.last == b'\n' { "" } else { "\n" };
        writeln!(out, "{newline}{fence}")
    }
}

/// The fence line for a text: backticks or tildes, whichever gives the shorter one.
pub(super) fn fence(text: &str) -> String {
    let mut measure = Measure::default();
    measure.see(text.as_bytes());
    measure.fence()
}

/// Counts what is written to it.
#[derive(Clone, Debug, Default)]
struct Measure {
    len: u64,
    last: u8,
    backticks: Run<b'`'>,
    tildes: Run<b'~'>,
}

impl Measure {
    fn see(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        self.last = bytes.last().copied().unwrap_or(self.last);
        self.backticks.see(bytes);
        self.tildes.see(bytes);
    }

    fn fence(&self) -> String {
        let (backticks, tildes) = (self.backticks.fence(), self.tildes.fence());
        if tildes < backticks { "~".repeat(tildes) } else { "`".repeat(backticks) }
    }
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.see(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The longest run of a byte, across the pieces in which the bytes come.
#[derive(Clone, Debug, Default)]
struct Run<const BYTE: u8> {
    longest: usize,
    /// The run at the end of what was seen.
    open: usize,
}

impl<const BYTE: u8> Run<BYTE> {
    fn see(&mut self, bytes: &[u8]) {
        let mut at = 0;
        while let Some(found) = memchr(BYTE, &bytes[at..]) {
            let start = at + found;
            let run = bytes[start..].iter().take_while(|byte| **byte == BYTE).count();
            let whole = if start == 0 { self.open + run } else { run };
            self.longest = self.longest.max(whole);
            at = start + run;
            self.open = whole;
            if at == bytes.len() {
                return;
            }
        }
        if !bytes.is_empty() {
            self.open = 0;
        }
    }

    fn fence(&self) -> usize {
        (self.longest + 1).max(3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u29_fence_lengths() {
        for (text, length) in [
            ("", 3),
            ("plain", 3),
            ("an `inline` span", 3),
            ("```\ncode\n```", 4),
            ("``````", 7),
            ("`` ``` `````` ```", 7),
        ] {
            let mut run = Run::<b'`'>::default();
            run.see(text.as_bytes());
            assert_eq!(run.fence(), length, "{text}");
        }
    }

    #[test]
    fn the_shorter_fence_is_taken_and_backticks_when_equal() {
        assert_eq!(fence("```"), "~~~");
        assert_eq!(fence("~~~~"), "```");
        assert_eq!(fence("```` ~~~"), "~~~~");
        assert_eq!(fence("``` ~~~"), "````");
    }

    #[test]
    fn runs_are_seen_across_pieces() {
        let text = b"``a```` `b``````";
        for size in 1..=text.len() {
            let mut run = Run::<b'`'>::default();
            for piece in text.chunks(size) {
                run.see(piece);
                run.see(b"");
            }
            assert_eq!((run.longest, run.open), (6, 6), "pieces of {size}");
        }
    }
}
