//! Where a thread comes from: a fork may hold only its own rows, and say which part of which
//! other thread comes before them.

use super::files::Files;
use super::index::Bounds;
use super::meta::{Base, Meta};
use super::store;
use crate::compressed;
use crate::source::Source;
use crate::{OpenContext, Spool};
use cap_std::AmbientAuthority;
use carryall_model::{Notice, NoticeKind, Notices, OpenError};
use std::io;
use std::path::Path;

/// So many threads may come before one.
const MAX_DEPTH: usize = 64;

/// How far into a file its facts are looked for.
const HEAD: u64 = 8 << 20;

/// The means of opening a rollout, kept for those that are opened later.
#[derive(Clone, Copy)]
pub(super) struct Means {
    pub(super) authority: AmbientAuthority,
    pub(super) spool: Spool,
}

impl Means {
    pub(super) fn of(cx: &OpenContext<'_>) -> Self {
        Self { authority: cx.authority, spool: cx.spool }
    }

    /// Opens a rollout, plain or compressed; one that has changed its form meanwhile is found.
    pub(super) fn open(self, path: &Path) -> Result<Source, OpenError> {
        let opened = Source::open(path, self.authority).or_else(|error| {
            let gone = matches!(&error, OpenError::Io { source, .. }
                if source.kind() == io::ErrorKind::NotFound);
            match store::other_form(path).filter(|_| gone) {
                Some(other) => Source::open(&other, self.authority),
                None => Err(error),
            }
        })?;
        let mut magic = [0; 4];
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        let read = opened.read_at(&mut magic, 0).map_err(failed)?;
        match &magic[..read] == compressed::MAGIC {
            true => compressed::unpacked(&opened, self.spool),
            false => Ok(opened),
        }
    }
}

/// The files of a thread, and which of their rows are its own.
pub(super) struct Lineage {
    pub(super) files: Files,
    pub(super) bounds: Vec<Bounds>,
    pub(super) meta: Meta,
}

/// Opens a thread's file and those of the threads that it goes on from.
pub(super) fn trace(
    path: &Path,
    means: Means,
    notices: &mut Notices,
) -> Result<Lineage, OpenError> {
    let own = means.open(path)?;
    let meta = meta_of(&own).unwrap_or_default();
    let mut known = vec![meta.id.clone()];
    let mut base = meta.base.clone();
    let mut older: Vec<(Source, Bounds)> = Vec::new();
    while let Some(from) = base.take() {
        let Some((source, bounds, meta)) = inherited(&from, path, means, &known, notices) else {
            break;
        };
        known.push(from.thread);
        base = meta.base;
        older.push((source, Bounds { from: meta.own_from, ..bounds }));
    }
    older.reverse();
    older.push((own, Bounds { from: meta.own_from, to: None }));
    let (files, bounds) = older.into_iter().unzip();
    Ok(Lineage { files: Files(files), bounds, meta })
}

/// The part of another thread that comes before a thread.
fn inherited(
    base: &Base,
    path: &Path,
    means: Means,
    known: &[String],
    notices: &mut Notices,
) -> Option<(Source, Bounds, Meta)> {
    let thread = crate::ledger::kind_name(&base.thread);
    let mut missing = |what: &str| {
        let detail = format!("what came before stands in the thread {thread}, {what}");
        notices.push(Notice::new(NoticeKind::MissingParent).with_detail(detail));
    };
    if known.contains(&base.thread) || known.len() > MAX_DEPTH {
        missing("which goes on from this one");
        return None;
    }
    let Some(source) = store::rollout_of(&base.thread, path).and_then(|p| means.open(&p).ok())
    else {
        missing("which is not there");
        return None;
    };
    let bounds = Bounds { from: None, to: base.end_ordinal };
    let meta = meta_of(&source).unwrap_or_default();
    match base.end_offset {
        Some(end) if ends_a_row(&source, end) => Some((source.up_to(end), bounds, meta)),
        Some(_) if bounds.to.is_none() => {
            missing("which is not what it was");
            None
        }
        _ => Some((source, bounds, meta)),
    }
}

fn ends_a_row(source: &Source, end: u64) -> bool {
    let mut last = [0];
    end > 0
        && end <= source.len()
        && source.read_at(&mut last, end - 1).is_ok_and(|read| read == 1)
        && last == [b'\n']
}

/// The facts of a thread: of the first row that tells some.
pub(super) fn meta_of(source: &Source) -> Option<Meta> {
    let mut head = Vec::new();
    let (mut from, mut size) = (0, 64 * 1024);
    loop {
        let len = size.min(source.len()) as usize;
        let had = head.len();
        head.resize(len, 0);
        let read = read_full(source, &mut head[had..], had as u64).ok()?;
        head.truncate(had + read);
        while let Some(newline) = memchr::memchr(b'\n', &head[from..]) {
            if let Some(meta) = Meta::parse(head[from..from + newline].trim_ascii()) {
                return Some(meta);
            }
            from += newline + 1;
        }
        if size >= source.len().min(HEAD) {
            return Meta::parse(head[from..].trim_ascii());
        }
        size *= 4;
    }
}

fn read_full(source: &Source, buf: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buf.len() {
        match source.read_at(&mut buf[filled..], at + filled as u64)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
