//! Lines of a source in one buffer that is reused, and grows only for a line that needs it.

use crate::source::Source;
use std::io;

/// Bytes of the buffer, and of a read.
const BUFFER: usize = 256 * 1024;

/// A line that lies whole in the buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Its bytes with the line end.
    pub(super) len: usize,
    /// Its bytes without LF and the one CR before it.
    pub(super) content: usize,
    /// An LF ended it, and not the end of the source.
    pub(super) ended: bool,
}

/// What begins at a position of the source.
pub(super) enum Next {
    /// A line.
    Line(Line),
    /// A line over the limit; it is not in the buffer.
    TooLong,
    /// The end of the source.
    End,
}

/// A window on a source. Positions count from the first byte that is not yet consumed, so they
/// stay what they are when more is read.
pub(super) struct Lines<'s> {
    source: &'s Source,
    buf: Vec<u8>,
    start: usize,
    end: usize,
    at: u64,
    limit: usize,
}

impl<'s> Lines<'s> {
    /// Begins at the first byte of a source, or after its byte order mark.
    pub(super) fn new(source: &'s Source, limit: usize) -> io::Result<Self> {
        let mut lines = Self { source, buf: vec![0; BUFFER], start: 0, end: 0, at: 0, limit };
        lines.fill()?;
        if lines.window().starts_with(BOM) {
            lines.consume(BOM.len());
        }
        Ok(lines)
    }

    /// Where the window begins, in bytes from the start of the source.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The longest line that is read.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    /// The size of the buffer.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.buf.len()
    }

    /// All bytes at hand.
    pub(super) fn window(&self) -> &[u8] {
        &self.buf[self.start..self.end]
    }

    /// The line that begins `from` bytes into the window. Together with what stands before it,
    /// it has to keep to the limit.
    #[inline]
    pub(super) fn line(&mut self, from: usize) -> io::Result<Next> {
        let mut seen = from;
        loop {
            if let Some(i) = memchr::memchr(b'\n', &self.window()[seen..]) {
                let content = self.content(from, seen + i);
                let line = Line { len: seen + i + 1 - from, content, ended: true };
                return Ok(if from + content > self.limit {
                    Next::TooLong
                } else {
                    Next::Line(line)
                });
            }
            seen = self.window().len();
            // One byte more than the limit may still be the CR of a line end.
            if seen > self.limit + 1 {
                return Ok(Next::TooLong);
            }
            if !self.fill()? {
                let len = seen - from;
                return Ok(match len {
                    0 => Next::End,
                    _ if seen > self.limit => Next::TooLong,
                    _ => Next::Line(Line { len, content: len, ended: false }),
                });
            }
        }
    }

    /// The length of a line that ends before the LF at `to`, without the one CR.
    fn content(&self, from: usize, to: usize) -> usize {
        let line = &self.window()[from..to];
        line.strip_suffix(b"\r").unwrap_or(line).len()
    }

    /// Drops bytes from the beginning of the window.
    #[inline]
    pub(super) fn consume(&mut self, len: usize) {
        self.start += len;
        self.at += len as u64;
    }

    /// Drops a line of any length without holding it, and tells its bytes without the LF.
    pub(super) fn skip_line(&mut self) -> io::Result<u64> {
        let mut len = 0;
        loop {
            if let Some(i) = memchr::memchr(b'\n', self.window()) {
                self.consume(i + 1);
                return Ok(len + i as u64);
            }
            let all = self.window().len();
            len += all as u64;
            self.consume(all);
            if !self.fill()? {
                return Ok(len);
            }
        }
    }

    /// Reads more into the window; `false` at the end of the source.
    fn fill(&mut self) -> io::Result<bool> {
        self.buf.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end > self.buf.len() / 2 {
            let most = self.limit.saturating_add(BUFFER);
            let wanted = (2 * self.buf.len()).min(most).max(self.end + BUFFER);
            self.buf.resize(wanted, 0);
        }
        let read = self.source.read_at(&mut self.buf[self.end..], self.at + self.end as u64)?;
        self.end += read;
        Ok(read > 0)
    }
}

/// The byte order mark in UTF-8.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";
