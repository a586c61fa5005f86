//! Which parts of a damaged row are whole records.
//!
//! A record that was cut off and another one right behind it share a row. Quotes cannot be counted
//! across the cut, but the grammar tells where it is: the byte after which nothing fits any more
//! is the second record's `{`, or, when the cut lies inside a string, the first byte of its first
//! key (the string then ended at that key's opening quote). So one walk forward finds every start.
//!
//! Where a value may stand, the `{` after a cut does fit and could as well be an object inside the
//! record that was cut. It counts as a record only when it has the outer keys of the one before.

use super::lines::BOM;
use super::shape::{Scanner, Shape, Watch, before_space, skip_space};
use std::ops::Range;

/// How many outer keys are remembered to compare records by.
const MAX_KEYS: usize = 64;

/// What the walk saw of one record: its outer keys, and the object that ended last inside it.
#[derive(Debug, Default)]
pub(super) struct Seen {
    keys: Vec<Range<usize>>,
    closed: Option<Range<usize>>,
}

impl Watch for Seen {
    fn key(&mut self, depth: usize, key: Range<usize>) {
        if depth == 1 && self.keys.len() < MAX_KEYS {
            self.keys.push(key);
        }
    }

    fn close(&mut self, _: usize, range: Range<usize>, _: &[u8]) {
        self.closed = Some(range);
    }
}

/// A scanner that remembers what it needs to tell records from the objects inside them.
pub(super) type Tracer = Scanner<Seen>;

impl Tracer {
    /// Begins at a `{`, everything seen before forgotten.
    pub(super) fn trace(&mut self, bytes: &[u8], at: usize) -> Shape {
        self.watch.keys.clear();
        self.watch.closed = None;
        self.begin(bytes, at)
    }

    /// The record that ends right before `end`, inside what was traced as a broken one: an object
    /// that has the first key of the broken record and more than half of its outer keys.
    pub(super) fn inner_record(&self, bytes: &[u8], end: usize) -> Option<Range<usize>> {
        let inner = self.watch.closed.clone()?;
        if skip_space(&bytes[..end], inner.end) != end || bytes[inner.start] != b'{' {
            return None;
        }
        let mut scanner = Scanner::new(Seen::default());
        scanner.begin(bytes, inner.start);
        let keys = |seen: &Seen| -> Vec<&[u8]> {
            seen.keys.iter().map(|key| &bytes[key.clone()]).collect()
        };
        let (outer, own) = (keys(&self.watch), keys(&scanner.watch));
        let shared = outer.iter().filter(|key| own.contains(key)).count();
        let alike = outer.first() == own.first() && 2 * shared > outer.len();
        alike.then_some(inner)
    }
}

/// White space, NUL bytes and byte order marks between records: where they end, and how many NULs.
pub(super) fn gap(bytes: &[u8], from: usize) -> (usize, u64) {
    let (mut at, mut nuls) = (from, 0);
    loop {
        at = skip_space(bytes, at);
        let rest = &bytes[at..];
        if rest.first() == Some(&0) {
            let run = rest.iter().position(|&b| b != 0).unwrap_or(rest.len());
            nuls += run as u64;
            at += run;
        } else if rest.starts_with(BOM) {
            at += BOM.len();
        } else {
            return (at, nuls);
        }
    }
}

/// Whether a whole object at `range` is a record by its surroundings: it must not go on as a part
/// of something, and when only a search found it, it must not stand where a value may.
pub(super) fn stands_alone(bytes: &[u8], range: &Range<usize>, searched: bool) -> bool {
    let after = bytes.get(skip_space(bytes, range.end));
    let inside = matches!(after, Some(b',' | b']' | b'}' | b':'));
    let before = before_space(bytes, range.start).map(|i| bytes[i]);
    let as_value = searched && matches!(before, Some(b':' | b',' | b'['));
    !inside && !as_value
}

/// Where a record may begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) at: usize,
    /// The grammar does not tell so: it is only the next place that looks like it.
    pub(super) searched: bool,
}

/// Where the next record may begin, when the one at `from` broke at `broken`; the end when nowhere.
pub(super) fn next_start(bytes: &[u8], from: usize, broken: usize) -> Start {
    if let Some(at) = before_key(bytes, broken).filter(|&at| at > from) {
        return Start { at, searched: false };
    }
    let floor = broken.max(from + 1).min(bytes.len());
    let at = memchr::memchr_iter(b'{', &bytes[floor..])
        .map(|i| floor + i)
        .find(|&start| bytes.get(skip_space(bytes, start + 1)) == Some(&b'"'))
        .unwrap_or(bytes.len());
    Start { at, searched: at != broken }
}

/// The `{` before a key whose first byte stands at `at`.
fn before_key(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = before_space(bytes, at).filter(|&i| bytes[i] == b'"')?;
    before_space(bytes, quote).filter(|&i| bytes[i] == b'{')
}
