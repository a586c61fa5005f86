//! The one reader of logs that hold a JSON record on each line, and what it does with damage.
//!
//! A row ends at an LF byte and nowhere else; one CR before it is stripped. A row that does not
//! parse goes down a ladder: parsed again tolerantly, split into the records it holds, joined with
//! the lines after it; what is then still unreadable becomes a notice and the rest goes on.

use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind, Notices};
use serde::Deserialize;
use std::io;

/// A row beyond this is a notice, not an allocation.
pub(crate) const MAX_ROW: usize = 256 << 20;

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The row, counted from 1.
    pub(crate) row: u64,
    /// Its bytes.
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
/// in `scratch` (lone surrogates and invalid UTF-8 become U+FFFD, the last of repeated keys wins,
/// raw control characters inside strings are kept).
pub(crate) fn parse<'b, T: Deserialize<'b>>(
    record: &'b [u8],
    scratch: &'b mut Vec<u8>,
) -> Result<Parsed<T>, serde_json::Error> {
    let _ = scratch;
    serde_json::from_slice(record).map(|value| Parsed { value, replaced: 0 })
}

/// Walks all records of a source from its beginning to its length at opening.
///
/// `record` is given the bytes of one record; it parses before it does anything else and answers
/// with the parser's error when it cannot, upon which the ladder goes on. What could not be read
/// is added to `notices`.
pub(crate) fn scan(
    source: &Source,
    notices: &mut Notices,
    record: &mut dyn FnMut(&[u8], Place) -> Result<(), serde_json::Error>,
) -> io::Result<()> {
    let mut row = Vec::new();
    let mut buf = vec![0; 256 * 1024];
    let (mut at, mut start, mut number) = (0, 0, 0);
    while let n @ 1.. = source.read_at(&mut buf, at)? {
        at += n as u64;
        for chunk in buf[..n].split_inclusive(|&b| b == b'\n') {
            row.extend_from_slice(chunk);
            if chunk.ends_with(b"\n") {
                number += 1;
                one(&row, start, number, notices, record);
                start += row.len() as u64;
                row.clear();
            }
        }
    }
    if !row.is_empty() {
        one(&row, start, number + 1, notices, record);
    }
    Ok(())
}

fn one(
    row: &[u8],
    at: u64,
    number: u64,
    notices: &mut Notices,
    record: &mut dyn FnMut(&[u8], Place) -> Result<(), serde_json::Error>,
) {
    let text = row.trim_ascii();
    if text.is_empty() || text.len() > MAX_ROW {
        return;
    }
    let place = Place { row: number, span: Span { at, len: row.len() as u32 } };
    if record(text, place).is_err() {
        notices.push(Notice::new(NoticeKind::BadRow).at(number, at, row.len() as u64));
    }
}
