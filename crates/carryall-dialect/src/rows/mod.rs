//! The one reader of logs that hold a JSON record on each line, and what it does with damage.
//!
//! A row ends at an LF byte and nowhere else; one CR before it is stripped, and so is a byte order
//! mark at the beginning of the file. A row that does not parse goes down a ladder: parsed again
//! from a repaired copy, split into the records it holds, joined with the lines after it; what is
//! then still unreadable becomes a notice and the rest goes on. An undamaged row costs a search
//! for its end and nothing else: it is parsed where it lies in the read buffer.

mod ladder;
mod lines;
mod repair;
mod shape;
mod split;
mod tell;
#[cfg(test)]
mod tests;

pub(crate) use lines::BOM;
pub(crate) use tell::{Tell, tell};

use crate::source::{Source, Span};
use carryall_model::{Notice, Notices, OpenError};
use repair::Copies;
use serde::Deserialize;
use serde_json::error::Category;
use std::io;

/// A row beyond this is a notice, not an allocation.
pub(crate) const MAX_ROW: usize = 256 << 20;

/// The most lines that are joined to one.
const MAX_JOINED: u64 = 1_000;

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The row, counted from 1; of a record over several lines, its first.
    pub(crate) row: u64,
    /// Its bytes: those of the record alone, and nothing else of its row. Reading them again and
    /// giving them to [`parse`] gives the same record.
    pub(crate) span: Span,
}

/// A value read from a record, and how many characters had to be replaced to read it.
#[derive(Debug)]
pub(crate) struct Parsed<T> {
    /// The value.
    pub(crate) value: T,
    /// Characters of the record that were not valid and became U+FFFD.
    pub(crate) replaced: u64,
}

/// Reads a value from one record: typed first, and when that fails once more from a repaired copy
/// in `scratch` (lone surrogates and invalid UTF-8 become U+FFFD, raw control characters inside
/// strings are kept), and then from one in which the last of repeated keys has won.
pub(crate) fn parse<'b, T: Deserialize<'b>>(
    record: &'b [u8],
    scratch: &'b mut Vec<u8>,
) -> Result<Parsed<T>, serde_json::Error> {
    parse_with(record, scratch, serde_json::from_slice)
}

/// The same with a reader of one's own, for values whose fields do not all stand in one object.
pub(crate) fn parse_with<'b, T>(
    record: &'b [u8],
    scratch: &'b mut Vec<u8>,
    read: fn(&'b [u8]) -> Result<T, serde_json::Error>,
) -> Result<Parsed<T>, serde_json::Error> {
    let mut failure = match read(record) {
        Ok(value) => return Ok(Parsed { value, replaced: 0 }),
        Err(e) => e,
    };
    let copies = Copies::make(record, MAX_ROW, scratch);
    for copy in copies.each(scratch) {
        match read(copy) {
            Ok(value) => return Ok(Parsed { value, replaced: copies.replaced }),
            Err(e) => failure = e,
        }
    }
    Err(failure)
}

/// What a walk over a source came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// Rows that were not blank.
    pub(crate) rows: u64,
    /// Records that the visitor took.
    pub(crate) records: u64,
    /// The first row, counted from 1, that could not be read, and why.
    pub(crate) first_bad: Option<(u64, String)>,
    /// Bytes of later lines that were looked at for the rest of a record and did not hold it.
    pub(crate) looked_in_vain: u64,
}

impl Scanned {
    /// Fails when there was nothing in the source, or nothing in it could be read. What comes of
    /// a session without messages is another question, and the dialect's.
    pub(crate) fn verdict(&self, source: &Source, agent: &'static str) -> Result<(), OpenError> {
        if self.records > 0 {
            return Ok(());
        }
        let path = source.path().to_owned();
        Err(match self.first_bad.clone() {
            None => OpenError::Empty { path },
            Some((row, reason)) => OpenError::NothingReadable { path, agent, row, reason },
        })
    }
}

/// Takes the bytes of one record and its place; parses before it does anything else, and answers
/// with the parser's error when it cannot.
type Visit<'v> = dyn FnMut(&[u8], Place) -> Result<(), serde_json::Error> + 'v;

/// Takes what could not be read.
type OnNotice<'t> = dyn FnMut(Notice) + 't;

/// Walks all records of a source from its beginning to its length at opening.
///
/// `record` is given the bytes of one record; it parses before it does anything else and answers
/// with the parser's error when it cannot, upon which the ladder goes on: it may be given the same
/// record once more, repaired. What could not be read is added to `notices`.
pub(crate) fn scan(
    source: &Source,
    notices: &mut Notices,
    record: &mut Visit<'_>,
) -> io::Result<Scanned> {
    scan_telling(source, &mut |notice| notices.push(notice), record)
}

/// [`scan`], with what could not be read told where it is met, between the records.
pub(crate) fn scan_telling(
    source: &Source,
    tell: &mut OnNotice<'_>,
    record: &mut Visit<'_>,
) -> io::Result<Scanned> {
    scan_within(source, Limits { row: MAX_ROW, lines: MAX_JOINED }, tell, record)
}

/// The bounds of a walk.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The longest row, in bytes without its line end; also of lines that are joined.
    row: usize,
    /// The most lines that are joined to one.
    lines: u64,
}

fn scan_within(
    source: &Source,
    limits: Limits,
    tell: &mut OnNotice<'_>,
    record: &mut Visit<'_>,
) -> io::Result<Scanned> {
    ladder::Walk::new(source, limits, tell, record)?.run()
}

/// Why a record could not be parsed, in words that hold nothing of the record: what the parser
/// says of a wrong type or key quotes it, what it says of wrong syntax does not.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = match error.classify() {
        Category::Data => "not the fields of such a record",
        Category::Io | Category::Syntax | Category::Eof => {
            text.strip_suffix(&place).unwrap_or(&text)
        }
    };
    if error.line() == 1 { format!("{what} at byte {}", error.column()) } else { what.to_owned() }
}
