//! A copy of a record that a strict parser takes: what was no text becomes U+FFFD, what was raw
//! becomes an escape, and of repeated keys the last stays.

use super::shape::{Scanner, Watch};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// The copies in a scratch buffer: first the repaired text, then, when it has repeated keys, the
/// same without the earlier ones. Keys are dropped only in a copy of its own, since repeated keys
/// inside tool input are the record's and have to stay when nothing else stands against them.
#[derive(Debug)]
pub(super) struct Copies {
    /// Characters that became U+FFFD.
    pub(super) replaced: u64,
    split: usize,
    changed: bool,
}

impl Copies {
    /// Makes the copies of a record. A copy that would become longer than its record by more than
    /// `limit` is not made.
    pub(super) fn make(record: &[u8], limit: usize, scratch: &mut Vec<u8>) -> Self {
        let (replaced, changed) = repair(record, limit, scratch);
        let split = scratch.len();
        drop_repeated(scratch);
        Self { replaced, split, changed }
    }

    /// The copies that differ from the record, in the order in which they should be tried.
    pub(super) fn each<'b>(&self, scratch: &'b [u8]) -> impl Iterator<Item = &'b [u8]> + use<'b> {
        let (text, single) = scratch.split_at(self.split);
        let text = self.changed.then_some(text);
        text.into_iter().chain((!single.is_empty()).then_some(single))
    }
}

/// Copies a record into `out` and mends its strings; tells how many characters were replaced, and
/// whether anything differs.
fn repair(record: &[u8], limit: usize, out: &mut Vec<u8>) -> (u64, bool) {
    out.clear();
    out.reserve(record.len());
    let mut mend = Mend { out, in_string: false, replaced: 0, changed: false };
    for chunk in record.utf8_chunks() {
        mend.valid(chunk.valid().as_bytes());
        if !chunk.invalid().is_empty() {
            mend.out.extend_from_slice("\u{fffd}".as_bytes());
            (mend.replaced, mend.changed) = (mend.replaced + 1, true);
        }
        if mend.out.len() > record.len().saturating_add(limit) {
            out.clear();
            return (0, false);
        }
    }
    (mend.replaced, mend.changed)
}

struct Mend<'o> {
    out: &'o mut Vec<u8>,
    in_string: bool,
    replaced: u64,
    changed: bool,
}

impl Mend<'_> {
    fn valid(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(&byte) = rest.first() {
            let used = match byte {
                b'\\' if self.in_string => self.escape(rest),
                b'"' => {
                    self.in_string = !self.in_string;
                    self.keep(rest, 1)
                }
                0..0x20 if self.in_string => self.control(byte),
                // Columns of errors then count from the beginning of the record.
                b'\n' | b'\r' => self.put(b" "),
                _ => self.plain(rest),
            };
            rest = &rest[used..];
        }
    }

    fn keep(&mut self, rest: &[u8], len: usize) -> usize {
        self.out.extend_from_slice(&rest[..len]);
        len
    }

    fn put(&mut self, instead: &[u8]) -> usize {
        self.out.extend_from_slice(instead);
        self.changed = true;
        1
    }

    /// A run in which nothing can need mending.
    fn plain(&mut self, rest: &[u8]) -> usize {
        let special = |b: &u8| matches!(b, b'"' | b'\\' | 0..0x20);
        let len = rest.iter().skip(1).position(special).map_or(rest.len(), |i| i + 1);
        self.keep(rest, len)
    }

    fn control(&mut self, byte: u8) -> usize {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let (high, low) = (HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]);
        self.put(&[b'\\', b'u', b'0', b'0', high, low])
    }

    fn escape(&mut self, rest: &[u8]) -> usize {
        let Some(unit) = unit(rest) else { return self.keep(rest, rest.len().min(2)) };
        let pair = matches!(unit, 0xd800..0xdc00)
            && matches!(rest.get(6..).and_then(self::unit), Some(0xdc00..0xe000));
        match unit {
            0xd800..0xe000 if !pair => {
                self.replaced += 1;
                self.put(b"\\ufffd");
                6
            }
            _ => self.keep(rest, if pair { 12 } else { 6 }),
        }
    }
}

/// The UTF-16 unit of a `\uXXXX` escape.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits
        .iter()
        .try_fold(0, |unit, &b| Some(unit << 4 | u16::try_from(char::from(b).to_digit(16)?).ok()?))
}

/// Appends a copy of `text` without those members of objects whose key comes again later in the
/// same object; appends nothing when there are none.
fn drop_repeated(text: &mut Vec<u8>) {
    let mut scanner = Scanner::new(Repeated::default());
    scanner.begin(text, super::shape::skip_space(text, 0));
    let mut drop = scanner.watch.drop;
    if drop.is_empty() {
        return;
    }
    drop.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let (mut from, end) = (0, text.len());
    for range in drop {
        // A member inside one that is dropped already has nothing left to drop.
        if range.start >= from {
            text.extend_from_within(from..range.start);
            from = range.end;
        }
    }
    text.extend_from_within(from..end);
}

/// Finds the members to drop: for each object the keys seen so far, at close those repeated.
#[derive(Default)]
struct Repeated {
    keys: Vec<Vec<Range<usize>>>,
    drop: Vec<Range<usize>>,
}

impl Watch for Repeated {
    fn key(&mut self, depth: usize, key: Range<usize>) {
        self.keys.resize_with(self.keys.len().max(depth), Vec::new);
        self.keys[depth - 1].push(key);
    }

    fn close(&mut self, depth: usize, _: Range<usize>, bytes: &[u8]) {
        let Some(keys) = self.keys.get_mut(depth - 1) else { return };
        let mut last = HashMap::with_capacity(keys.len());
        for (i, key) in keys.iter().enumerate() {
            match last.entry(decoded(&bytes[key.clone()])) {
                Entry::Vacant(slot) => {
                    slot.insert(i);
                }
                Entry::Occupied(mut slot) => {
                    let earlier = slot.insert(i);
                    self.drop.push(keys[earlier].start..keys[earlier + 1].start);
                }
            }
        }
        keys.clear();
    }
}

/// A key as the parser sees it: escapes decoded.
fn decoded(key: &[u8]) -> std::borrow::Cow<'_, [u8]> {
    if memchr::memchr(b'\\', key).is_none() {
        return key[1..key.len() - 1].into();
    }
    match serde_json::from_slice::<String>(key) {
        Ok(text) => text.into_bytes().into(),
        Err(_) => key.into(),
    }
}
