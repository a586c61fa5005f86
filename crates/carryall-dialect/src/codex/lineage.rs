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
use carryall_model::{FileId, Notice, NoticeKind, Notices, OpenError};
use std::io;
use std::path::Path;

/// So many threads may come before one.
const MAX_DEPTH: usize = 64;

/// The same in one that is compressed, and only looked at.
const BEGINNING: usize = 1 << 20;

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
        match compressed::is(&magic[..read]) {
            true => compressed::unpacked(&opened, self.spool),
            false => Ok(opened),
        }
    }

    /// The facts of a thread, of which nothing more may be wanted: no file is unpacked for them.
    pub(super) fn facts(self, path: &Path) -> Option<Meta> {
        let source = Source::open(path, self.authority).ok()?;
        let mut magic = [0; 4];
        let read = source.read_at(&mut magic, 0).ok()?;
        match compressed::is(&magic[..read]) {
            true => first_meta(&compressed::beginning(&source, BEGINNING)),
            false => meta_of(&source),
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
    let mut known = Known { threads: vec![meta.id.clone()], files: vec![own.id()] };
    let mut base = meta.base.clone();
    let mut older: Vec<(Source, Bounds)> = Vec::new();
    while let Some(from) = base.take() {
        let Some((source, bounds, meta)) = inherited(&from, path, means, &known, notices) else {
            break;
        };
        known.files.push(source.id());
        known.threads.push(from.thread);
        base = meta.base;
        older.push((source, Bounds { from: meta.own_from, ..bounds }));
    }
    older.reverse();
    older.push((own, Bounds { from: meta.own_from, to: None }));
    let (files, bounds) = older.into_iter().unzip();
    Ok(Lineage { files: Files(files), bounds, meta })
}

/// What was met on the way back.
struct Known {
    threads: Vec<String>,
    /// A file may be named for another thread than it is of.
    files: Vec<FileId>,
}

/// The part of another thread that comes before a thread.
fn inherited(
    base: &Base,
    path: &Path,
    means: Means,
    known: &Known,
    notices: &mut Notices,
) -> Option<(Source, Bounds, Meta)> {
    let thread = crate::ledger::kind_name(&base.thread);
    let mut missing = |what: &str| {
        let detail = format!("what came before stands in the thread {thread}, {what}");
        notices.push(Notice::new(NoticeKind::MissingParent).with_detail(detail));
    };
    if known.threads.len() > MAX_DEPTH {
        missing("and too many threads come between");
        return None;
    }
    let found = store::rollout_of(&base.thread, path).map(|path| means.open(&path));
    let source = match found {
        _ if known.threads.contains(&base.thread) => Err("which goes on from this one"),
        None => Err("which is not there"),
        Some(Err(_)) => Err("which cannot be read"),
        Some(Ok(source)) if known.files.contains(&source.id()) => {
            Err("whose file is that of a thread that goes on from it")
        }
        Some(Ok(source)) => Ok(source),
    };
    let source = source.map_err(&mut missing).ok()?;
    let bounds = Bounds { from: None, to: base.end_ordinal };
    let meta = meta_of(&source).unwrap_or_default();
    match base.end_offset {
        Some(end) if end > source.len() => {
            missing("whose file ends before");
            Some((source, bounds, meta))
        }
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
        let had = head.len() as u64;
        head.extend(source.read_range(had, size - had).ok()?);
        while let Some(newline) = memchr::memchr(b'\n', &head[from..]) {
            if let Some(meta) = Meta::of(&head[from..from + newline]) {
                return Some(meta);
            }
            from += newline + 1;
        }
        if size >= source.len().min(HEAD) {
            return Meta::of(&head[from..]);
        }
        size *= 4;
    }
}

fn first_meta(head: &[u8]) -> Option<Meta> {
    head.split(|&b| b == b'\n').find_map(Meta::of)
}
