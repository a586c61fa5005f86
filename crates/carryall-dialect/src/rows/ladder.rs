//! The walk over all rows, and the ladder that a row goes down until it can be read.

use super::lines::{Line, Lines, Next};
use super::repair::Copies;
use super::shape::{Scanner, Shape, skip_space};
use super::split::{Seen, Tracer, gap, next_start, stands_alone};
use super::{Limits, OnNotice, Place, Scanned, Visit, reason};
use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind};
use std::io;
use std::ops::Range;

/// A walk over a source.
pub(super) struct Walk<'a> {
    lines: Lines<'a>,
    limits: Limits,
    tell: &'a mut OnNotice<'a>,
    record: &'a mut Visit<'a>,
    scanned: Scanned,
    row: u64,
    /// Bytes that lines may still be looked at in vain.
    vain: u64,
    scratch: Vec<u8>,
    tracer: Tracer,
    probe: Scanner<Seen>,
}

/// A row on its way down the ladder. Positions count from its first byte.
struct Row {
    line: Line,
    /// Where the line and those that were joined to it end, line ends included.
    end: usize,
    /// How many lines were joined to it.
    joined: u64,
    /// What the visitor has refused already.
    tried: Range<usize>,
    /// The piece at hand was only searched for, and is in doubt.
    searched: bool,
    /// Whole records found in it.
    kept: u64,
    /// Where the piece that cannot be read begins.
    torn: Option<usize>,
    /// That piece is the beginning of a record that the row's end cut off.
    open: bool,
}

impl Row {
    fn new(line: Line, tried: Range<usize>) -> Self {
        let (end, joined, kept) = (line.len, 0, 0);
        Self { line, end, joined, tried, searched: false, kept, torn: None, open: false }
    }
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        source: &'a Source,
        limits: Limits,
        tell: &'a mut OnNotice<'a>,
        record: &'a mut Visit<'a>,
    ) -> io::Result<Self> {
        Ok(Self {
            lines: Lines::new(source, limits.row)?,
            limits,
            tell,
            record,
            scanned: Scanned::default(),
            row: 0,
            vain: VAIN_AT_FIRST,
            scratch: Vec::new(),
            tracer: Scanner::new(Seen::default()),
            probe: Scanner::new(Seen::default()),
        })
    }

    /// Walks to the end.
    pub(super) fn run(mut self) -> io::Result<Scanned> {
        loop {
            match self.lines.line(0)? {
                Next::End => return Ok(self.scanned),
                Next::TooLong => self.too_long()?,
                Next::Line(line) => {
                    self.row += 1;
                    let end = if self.plain(line) { line.len } else { self.damaged(line)? };
                    self.vain = self.vain.saturating_add(VAIN_A_BYTE * end as u64);
                    self.lines.consume(end);
                }
            }
        }
    }

    /// The first rung, which nearly every row takes: it parses as it is.
    #[inline]
    fn plain(&mut self, line: Line) -> bool {
        let row = &self.lines.window()[..line.content];
        if row.first() != Some(&b'{') {
            return row.is_empty();
        }
        let (at, len) = (self.lines.at(), line.content as u32);
        let span = Span { at, len, row: self.row as u32 };
        if (self.record)(row, Place { row: self.row, span }).is_err() {
            return false;
        }
        self.scanned.rows += 1;
        self.scanned.records += 1;
        true
    }

    fn too_long(&mut self) -> io::Result<()> {
        self.row += 1;
        self.scanned.rows += 1;
        let at = self.lines.at();
        let bytes = self.lines.skip_line()?;
        let detail = format!("more than the {} bytes a row may have", self.lines.limit());
        self.notice(NoticeKind::RowTooLong, at, bytes, detail);
        Ok(())
    }

    /// All further rungs; tells where the row ends, joined lines included.
    fn damaged(&mut self, line: Line) -> io::Result<usize> {
        let content = line.content;
        let start = skip_space(&self.lines.window()[..content], 0);
        if start == content {
            return Ok(line.len);
        }
        self.scanned.rows += 1;
        let is_object = self.lines.window()[start] == b'{';
        let failure =
            if is_object { self.accept(start..content) } else { Err(NOT_AN_OBJECT.into()) };
        let Err(failure) = failure else { return Ok(line.len) };
        let row = self.split(line, start..content)?;
        self.conclude(&row, failure);
        self.row += row.joined;
        Ok(row.end)
    }

    /// Takes apart a row; the visitor has refused `tried`, the whole of it.
    fn split(&mut self, line: Line, tried: Range<usize>) -> io::Result<Row> {
        let size = line.content;
        let mut row = Row::new(line, tried);
        let mut at = self.gap(0, size);
        while at < size {
            let shape = self.tracer.trace(&self.lines.window()[..size], at);
            at = match shape {
                Shape::Whole(end) => self.whole(&mut row, at..end),
                Shape::Broken(broken) => {
                    row.torn.get_or_insert(at);
                    let next = next_start(&self.lines.window()[..size], at, broken);
                    row.searched = next.searched;
                    let inner = self.tracer.inner_record(&self.lines.window()[..size], broken);
                    self.inner(&mut row, inner).unwrap_or(next.at)
                }
                Shape::Open => {
                    self.open(&mut row, at)?;
                    size
                }
            };
        }
        Ok(row)
    }

    /// A whole object inside a row.
    fn whole(&mut self, row: &mut Row, object: Range<usize>) -> usize {
        let (start, end) = (object.start, object.end);
        let bytes = &self.lines.window()[..row.line.content];
        let searched = std::mem::take(&mut row.searched);
        let is_record = object != row.tried && stands_alone(bytes, &object, searched);
        if !is_record || self.accept(object).is_err() {
            row.torn.get_or_insert(start);
            return end;
        }
        self.keep(row, start);
        self.gap(end, row.line.content)
    }

    /// A record that is cut off by the row's end: the lines after it may hold the rest.
    fn open(&mut self, row: &mut Row, at: usize) -> io::Result<()> {
        let inner =
            self.tracer.inner_record(&self.lines.window()[..row.line.content], row.line.content);
        let mut looked_at = row.line.len;
        if let Some((object, joined)) = self.join(row.line, at, &mut looked_at)?
            && self.accept(object).is_ok()
        {
            self.keep(row, at);
            (row.end, row.joined) = (looked_at, joined);
            return Ok(());
        }
        let in_vain = (looked_at - row.line.len) as u64;
        self.vain = self.vain.saturating_sub(in_vain);
        self.scanned.looked_in_vain += in_vain;
        row.torn.get_or_insert(at);
        row.open = true;
        self.inner(row, inner);
        Ok(())
    }

    /// Takes a record that stood inside a broken one, and tells where to go on.
    fn inner(&mut self, row: &mut Row, inner: Option<Range<usize>>) -> Option<usize> {
        let inner = inner?;
        let (start, end) = (inner.start, inner.end);
        self.accept(inner).ok()?;
        self.keep(row, start);
        Some(self.gap(end, row.line.content))
    }

    /// Counts a whole record that begins at `start`, and tells of what was torn before it.
    fn keep(&mut self, row: &mut Row, start: usize) {
        row.kept += 1;
        if let Some(torn) = row.torn.take() {
            let at = self.lines.at() + torn as u64;
            let detail = "a record without its end stood before a whole one";
            self.notice(NoticeKind::TornRow, at, (start - torn) as u64, detail.into());
        }
    }

    /// Passes over what may stand between records, and tells of NUL bytes.
    fn gap(&mut self, from: usize, size: usize) -> usize {
        let (to, nuls) = gap(&self.lines.window()[..size], from);
        if nuls > 0 {
            let at = self.lines.at() + from as u64;
            self.notice(NoticeKind::NulRun, at, (to - from) as u64, format!("{nuls} NUL bytes"));
        }
        to
    }

    /// Joins lines to the one whose record, begun at `at`, was traced to its end without a break.
    /// Tells the record's place and how many lines were joined; `end` is moved to the end of the
    /// last line that was looked at.
    ///
    /// A line that is a record of its own is never taken: the one before it was cut off.
    fn join(
        &mut self,
        line: Line,
        at: usize,
        end: &mut usize,
    ) -> io::Result<Option<(Range<usize>, u64)>> {
        let mut last = line;
        for joined in 1..=self.limits.lines {
            if !last.ended || (*end - line.len) as u64 > self.vain {
                break;
            }
            let Next::Line(next) = self.lines.line(*end)? else { break };
            let (begin, content) = (*end, *end + next.content);
            *end += next.len;
            let bytes = &self.lines.window()[..content];
            let whole = self.probe.begin(bytes, skip_space(bytes, begin));
            if matches!(whole, Shape::Whole(to) if skip_space(bytes, to) == content) {
                break;
            }
            match self.tracer.go_on(bytes) {
                Shape::Whole(to) if skip_space(bytes, to) == content => {
                    return Ok(Some((at..to, joined)));
                }
                Shape::Whole(_) | Shape::Broken(_) => break,
                Shape::Open => last = next,
            }
        }
        Ok(None)
    }

    /// Gives a record to the visitor as it is, and when that fails its repaired copies.
    fn accept(&mut self, range: Range<usize>) -> Result<(), String> {
        let bytes = &self.lines.window()[range.clone()];
        let (at, len) = (self.lines.at() + range.start as u64, bytes.len() as u32);
        let span = Span { at, len, row: self.row as u32 };
        let place = Place { row: self.row, span };
        let mut outcome = (self.record)(bytes, place).map_err(|e| reason(&e));
        if outcome.is_err() {
            let copies = Copies::make(bytes, self.limits.row, &mut self.scratch);
            for copy in copies.each(&self.scratch) {
                outcome = (self.record)(copy, place).map_err(|e| reason(&e));
                if outcome.is_ok() {
                    break;
                }
            }
        }
        self.scanned.records += u64::from(outcome.is_ok());
        outcome
    }

    /// Says what is left of a row when all its pieces were tried.
    fn conclude(&mut self, row: &Row, failure: String) {
        let (at, size) = (self.lines.at(), row.line.content);
        let cut_short = row.open && !row.line.ended;
        let piece = row.torn.map(|torn| (at + torn as u64, (size - torn) as u64));
        match piece {
            None => {}
            Some((at, bytes)) if cut_short => {
                self.notice(NoticeKind::CutShort, at, bytes, "the last row has no end".into());
            }
            Some(_) if row.kept == 0 => {
                // NUL bytes before it were told already, and nothing is told twice.
                let torn = row.torn.unwrap_or_default();
                let start = if self.lines.window()[..torn].contains(&0) { torn } else { 0 };
                self.notice(NoticeKind::BadRow, at + start as u64, (size - start) as u64, failure);
            }
            Some((at, bytes)) => {
                let detail = "what follows a whole record on its row could not be read";
                self.notice(NoticeKind::TornRow, at, bytes, detail.into());
            }
        }
        if row.kept > 1 {
            let detail = format!("{} records stood on one row", row.kept);
            self.notice(NoticeKind::GluedRows, at, size as u64, detail);
        }
    }

    fn notice(&mut self, kind: NoticeKind, at: u64, bytes: u64, detail: String) {
        if kind.is_damage() && self.scanned.first_bad.is_none() {
            self.scanned.first_bad = Some((self.row, detail.clone()));
        }
        let notice = Notice::new(kind).at(self.row, at, bytes);
        // That the last row has no end is what the kind says already.
        (self.tell)(match kind {
            NoticeKind::CutShort => notice,
            _ => notice.with_detail(detail),
        });
    }
}

/// Lines that could be joined to many rows before them, and never are, would cost quadratic time.
/// So the bytes looked at in vain are bounded by the bytes walked.
const VAIN_AT_FIRST: u64 = 1 << 20;
const VAIN_A_BYTE: u64 = 4;

const NOT_AN_OBJECT: &str = "not a JSON object";
