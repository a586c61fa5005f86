//! An open thread: its facts, its plan, and the files that both come from.

use super::agents::{self, Agents};
use super::files::Files;
use super::index::{Bounds, Index, Rollback, Scan, Settled, settle};
use super::lineage::{Lineage, Means, trace};
use super::plan::{self, Plan};
use super::replay::{Reading, replay};
use super::{NAME, facts, store};
use crate::beside;
use crate::source::Source;
use carryall_model::{
    Child, EntrySink, Facts, FileId, Found, Notice, NoticeKind, Notices, OpenError, ReplayError,
    Transcript,
};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// An open thread.
pub(super) struct Session {
    pub(super) means: Means,
    pub(super) files: Files,
    /// Which rows of each file are the thread's.
    pub(super) bounds: Vec<Bounds>,
    pub(super) index: Index,
    pub(super) settled: Settled,
    pub(super) plan: Plan,
    facts: Facts,
    notices: Notices,
    agents: OnceLock<Agents>,
    sources: OnceLock<Vec<FileId>>,
}

impl Session {
    /// The first pass over a thread's files.
    pub(super) fn open(path: &Path, means: Means) -> Result<Self, OpenError> {
        let mut notices = Notices::default();
        let Lineage { files, bounds, meta } = trace(path, means, &mut notices)?;
        let mut scan = Scan::default();
        for (source, &bounds) in files.0.iter().zip(&bounds) {
            let failed = |error| OpenError::Io { path: source.path().to_owned(), source: error };
            let mut own = Notices::default();
            let scanned = scan.file(source, bounds, &mut own).map_err(failed)?;
            if std::ptr::eq(source, files.own()) {
                scanned.verdict(source, NAME)?;
            }
            add(&mut notices, &own, source, &files);
        }
        let index = scan.finish(&mut notices);
        if index.known == 0 {
            let reason = "no row is of a kind that it writes".to_owned();
            return Err(OpenError::NotThisDialect { path: path.to_owned(), agent: NAME, reason });
        }
        Ok(Self::build(Lineage { files, bounds, meta }, index, notices, means))
    }

    fn build(lineage: Lineage, mut index: Index, mut notices: Notices, means: Means) -> Self {
        let Lineage { files, bounds, meta } = lineage;
        let unreadable_rows = notices.unreadable_rows();
        let settled = settle(&mut index, &files);
        for rollback in &settled.rollbacks {
            notices.push(taken_back(rollback, &index));
        }
        if let Some(place) = index.open_turn {
            let span = place.span;
            let notice = Notice::new(NoticeKind::TurnInProgress);
            notices.push(
                notice
                    .at(span.row.into(), span.at, span.len.into())
                    .with_detail("the end of the last turn is not recorded"),
            );
        }
        let plan = plan::build(&index, &settled);
        let mut facts = facts::gather(&files, &meta, &index, &plan, means);
        facts.other_branches = settled.rollbacks.len() as u64;
        facts.unreadable_rows = unreadable_rows;
        let (agents, sources) = (OnceLock::new(), OnceLock::new());
        Self { means, files, bounds, index, settled, plan, facts, notices, agents, sources }
    }

    /// The subagents; they are looked for when they are first asked for.
    fn agents(&self) -> &Agents {
        self.agents.get_or_init(|| match self.index.spawns {
            true => agents::find(self),
            false => Agents::default(),
        })
    }
}

impl Transcript for Session {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let started: &HashMap<String, String> = &self.agents().started;
        let reading = Reading { files: &self.files, words: &self.index.words, started };
        let mut found = replay(&reading, &self.plan, which, sink)?;
        let mut notices = self.notices.clone();
        notices.extend(&found.notices);
        if self.files.own().has_grown() {
            notices.push(Notice::new(NoticeKind::SourceGrowing));
        }
        found.notices = notices;
        Ok(found)
    }

    fn sources(&self) -> &[FileId] {
        self.sources.get_or_init(|| {
            let mut ids: Vec<FileId> = self.files.0.iter().map(Source::id).collect();
            ids.extend(self.agents().files.iter().filter_map(|path| beside::id(path)));
            let names = store::names_beside(self.files.own().path());
            ids.extend(names.as_deref().and_then(beside::id));
            ids
        })
    }

    fn children(&self) -> &[Child] {
        &self.agents().children
    }

    fn open_child(&self, number: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        let mut child = self.agents().open(number, self.means)?;
        child.facts.parent_id = Some(self.facts.id.clone());
        Ok(Box::new(child))
    }
}

/// Adds what was met in a file; of another thread's file its name is told.
fn add(notices: &mut Notices, of_file: &Notices, source: &Source, files: &Files) {
    if let Some(torn) = source.torn() {
        let detail = format!("the compressed file could not be unpacked to its end: {torn}");
        notices.push(Notice::new(NoticeKind::CutShort).with_detail(detail));
    }
    if std::ptr::eq(source, files.own()) {
        notices.extend(of_file);
        return;
    }
    let name = source.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    for notice in of_file.kept() {
        let detail = match &notice.detail {
            Some(detail) => format!("in {name}: {detail}"),
            None => format!("in {name}"),
        };
        notices.push(notice.clone().with_detail(detail));
    }
}

fn taken_back(rollback: &Rollback, index: &Index) -> Notice {
    let span = index.nodes[rollback.node as usize].place.span;
    let count = |n: u32, one: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {one}s"),
    };
    let detail = format!("{}, {}", count(rollback.turns, "turn"), count(rollback.rows, "row"));
    let notice = Notice::new(NoticeKind::RolledBack).with_detail(detail);
    notice.at(span.row.into(), span.at, span.len.into())
}
