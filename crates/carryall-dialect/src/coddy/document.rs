//! Where the rows stand in `messages.json`, whole or damaged.
//!
//! The file is one JSON document. Its rows are found by their brackets and strings alone and each
//! is then read for itself, so a document that is cut off, or damaged inside, gives every row that
//! is whole. coddy writes a row's role first, and inside a string that key's quotes are escaped:
//! `{"role"` is the beginning of a row wherever it stands, which is how reading goes on after a
//! row that has lost its end.

use carryall_model::{Notice, NoticeKind, Notices};
use memchr::{memchr2, memmem};
use std::ops::Range;

/// Each byte may be looked at so many times in vain before the search for whole rows is given up.
const VAIN: usize = 8;

/// What a walk over a document came to.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// Rows that could be read.
    pub(super) read: u64,
    /// The first row, counted from 1, that could not be read, and why.
    pub(super) first_bad: Option<(u64, String)>,
}

/// Takes the bytes of a row and where they stand, or says why it cannot.
type Visit<'v> = dyn FnMut(&[u8], Range<usize>) -> Result<(), String> + 'v;

/// Takes the same and the row's number, counted from 1.
type VisitNumbered<'v> = dyn FnMut(u64, &[u8], Range<usize>) -> Result<(), String> + 'v;

/// Takes what could not be read.
type Tell<'t> = dyn FnMut(Notice) + 't;

/// Walks over the rows of a document; what cannot be read is told in `notices`.
pub(super) fn walk(bytes: &[u8], notices: &mut Notices, visit: &mut Visit<'_>) -> Walked {
    walk_telling(bytes, &mut |notice| notices.push(notice), &mut |_, row, place| visit(row, place))
}

/// [`walk`], with what cannot be read told where it is met, between the rows.
pub(super) fn walk_telling(
    bytes: &[u8],
    tell: &mut Tell<'_>,
    visit: &mut VisitNumbered<'_>,
) -> Walked {
    let at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let vain = bytes.len().saturating_mul(VAIN);
    let scanner = Scanner { bytes, at };
    let mut walk = Walk { scanner, vain, row: 0, tell, visit, walked: Walked::default() };
    match walk.members() {
        Ok(()) => {}
        Err(Stop::Cut { at }) => {
            walk.bad(NoticeKind::CutShort, at..bytes.len(), CUT.to_owned());
        }
        Err(Stop::Odd) => {
            let at = walk.scanner.at;
            walk.bad(NoticeKind::BadRow, at..bytes.len(), ODD.to_owned());
        }
    }
    walk.walked
}

const CUT: &str = "the document is cut off";
const ODD: &str = "not what a JSON document of messages holds";

/// Why a walk did not come to the document's end.
enum Stop {
    /// The file ended before what begins here.
    Cut { at: usize },
    /// Something stands where it cannot.
    Odd,
}

struct Walk<'w> {
    scanner: Scanner<'w>,
    /// Bytes that may still be looked at in vain.
    vain: usize,
    row: u64,
    tell: &'w mut Tell<'w>,
    visit: &'w mut VisitNumbered<'w>,
    walked: Walked,
}

impl Walk<'_> {
    /// The members of the outermost object, the list of rows among them.
    fn members(&mut self) -> Result<(), Stop> {
        self.scanner.take(b'{')?;
        loop {
            match self.scanner.peek()? {
                b'}' if self.scanner.is_last() => return Ok(()),
                b',' => self.scanner.at += 1,
                b'"' => self.member()?,
                // The list, or the document, seemed to end where it does not.
                _ if self.resume() => self.rows()?,
                _ => return Err(Stop::Odd),
            }
        }
    }

    fn member(&mut self) -> Result<(), Stop> {
        let key = self.scanner.value()?;
        let is_list = &self.scanner.bytes[key] == b"\"messages\"";
        self.scanner.take(b':')?;
        match self.scanner.peek()? {
            b'[' if is_list => {
                self.scanner.at += 1;
                self.rows()
            }
            b'n' => self.scanner.value().map(|_| ()),
            _ if is_list => Err(Stop::Odd),
            _ => self.scanner.value().map(|_| ()),
        }
    }

    fn rows(&mut self) -> Result<(), Stop> {
        loop {
            match self.scanner.peek()? {
                b']' => break,
                b',' => self.scanner.at += 1,
                _ => {
                    self.one_row()?;
                    if !matches!(self.scanner.peek()?, b',' | b']') {
                        self.resume();
                    }
                }
            }
        }
        self.scanner.at += 1;
        Ok(())
    }

    fn one_row(&mut self) -> Result<(), Stop> {
        self.row += 1;
        let start = self.scanner.at;
        let found = self.scanner.value();
        let outcome = match &found {
            Ok(range) => self.accept(range.clone()),
            Err(_) => Err("the row has no end".to_owned()),
        };
        let Err(reason) = outcome else {
            self.walked.read += 1;
            return Ok(());
        };
        let end = self.scanner.at;
        self.vain = self.vain.saturating_sub(end - start);
        let next = self.next_row(start + 1..end);
        if next.is_none() {
            found?;
        }
        self.scanner.at = next.unwrap_or(end);
        self.bad(NoticeKind::BadRow, start..self.scanner.at, reason);
        Ok(())
    }

    /// Goes on at the next beginning of a row, when there is one.
    fn resume(&mut self) -> bool {
        let at = self.scanner.at;
        let Some(next) = self.next_row(at..self.scanner.bytes.len()) else { return false };
        self.scanner.at = next;
        if next > at {
            self.bad(NoticeKind::BadRow, at..next, "not what stands between rows".to_owned());
        }
        true
    }

    fn accept(&mut self, range: Range<usize>) -> Result<(), String> {
        let bytes = &self.scanner.bytes[range.clone()];
        if bytes.first() != Some(&b'{') {
            return Err("not a JSON object".to_owned());
        }
        (self.visit)(self.row, bytes, range)
    }

    /// The beginning of another row inside what was taken for something else.
    fn next_row(&mut self, within: Range<usize>) -> Option<usize> {
        let bytes = self.scanner.bytes.get(within.clone()).filter(|_| self.vain > 0)?;
        let brace = |key: usize| {
            let before = bytes[..key].iter().rposition(|b| !b.is_ascii_whitespace())?;
            (bytes[before] == b'{').then_some(before)
        };
        let found = memmem::find_iter(bytes, b"\"role\"").find_map(brace);
        self.vain = self.vain.saturating_sub(found.unwrap_or(bytes.len()));
        Some(within.start + found?)
    }

    fn bad(&mut self, kind: NoticeKind, range: Range<usize>, reason: String) {
        let row = self.row.max(1);
        if self.walked.first_bad.is_none() {
            self.walked.first_bad = Some((row, reason.clone()));
        }
        let notice = Notice::new(kind).at(row, range.start as u64, range.len() as u64);
        (self.tell)(notice.with_detail(reason));
    }
}

/// Steps over the values of a JSON text by brackets and strings, and checks nothing else.
struct Scanner<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Scanner<'_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Result<u8, Stop> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let space = rest.iter().position(|b| !matches!(b, b' ' | b'\t' | b'\r' | b'\n'));
        self.at += space.unwrap_or(rest.len());
        self.bytes.get(self.at).copied().ok_or(Stop::Cut { at: self.bytes.len() })
    }

    /// Whether nothing but white space follows the byte that comes next.
    fn is_last(&self) -> bool {
        self.bytes[self.at..].trim_ascii_end().len() == 1
    }

    /// Steps over a byte that has to come next.
    fn take(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek()? != byte {
            return Err(Stop::Odd);
        }
        self.at += 1;
        Ok(())
    }

    /// Steps over the value that begins here. When it has no end, the rest is stepped over.
    fn value(&mut self) -> Result<Range<usize>, Stop> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => self.string(),
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ if depth == 0 => self.scalar(),
                _ => continue,
            }
            if depth == 0 && self.at <= self.bytes.len() {
                return Ok(start..self.at);
            }
        }
        self.at = self.bytes.len();
        Err(Stop::Cut { at: start })
    }

    /// To the end of a string whose first quote is behind; beyond the text when it has no end.
    fn string(&mut self) {
        while let Some(found) =
            self.bytes.get(self.at..).and_then(|rest| memchr2(b'"', b'\\', rest))
        {
            self.at += found;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = self.bytes.len() + 1;
    }

    /// To the end of a number or word whose first byte is behind.
    fn scalar(&mut self) {
        let rest = &self.bytes[self.at..];
        let ends =
            |b: &u8| matches!(b, b',' | b']' | b'}' | b':' | b'"') || b.is_ascii_whitespace();
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
    }
}
