//! What became of every record of a thread's files.
//!
//! The thread is opened as for an export. Then each of its files is walked once more, and a record
//! is shown when the plan names its place; else its kind, or what the first pass decided of it,
//! tells why not.

use super::NAME;
use super::index::{Bounds, Kind, Place};
use super::known::What;
use super::lineage::{Means, meta_of};
use super::plan::{Item, Plan};
use super::record::Record as Row;
use super::session::Session;
use crate::rows::{self, Tell};
use crate::source::Source;
use crate::{EachRecord, Fate, Ledger, Record, kind_name};
use carryall_model::{OpenError, ReplayError, Transcript};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The records of a thread.
pub(super) struct Records {
    session: Session,
    shown: HashSet<(u16, u64)>,
    /// Rows that became nodes and are not shown.
    passed: HashMap<(u16, u64), Passed>,
}

/// Why a node is not shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    TakenBack,
    Elsewhere,
    Control,
}

const TWIN: &str = "the same text stands in another row";
const EMPTY: &str = "there is nothing to read in it";
const ENCRYPTED: &str = "what the model thought is encrypted";
const INHERITED: &str = "inherited from the thread that started this one";
const BEYOND: &str = "after the part that this thread goes on from";
const OTHER_META: &str = "the facts of another thread, copied when it was forked";
const CONTROL: &str = "it says what became of other rows";
const UNKNOWN: &str = "a row of this kind is not known";

impl Records {
    /// Opens a thread and keeps what became of its rows.
    pub(super) fn open(path: &Path, means: Means) -> Result<Self, OpenError> {
        let session = Session::open(path, means)?;
        let shown = places(&session.plan).map(key).collect();
        let nodes = session.index.nodes.iter().enumerate();
        let passed = nodes.map(|(at, node)| {
            let passed = match node.kind {
                _ if session.settled.taken_back.contains(&(at as u32)) => Passed::TakenBack,
                Kind::RolledBack(_) | Kind::Aborted(_) | Kind::Usage(_) => Passed::Control,
                _ => Passed::Elsewhere,
            };
            (key(node.place), passed)
        });
        let passed = passed.collect();
        Ok(Self { session, shown, passed })
    }

    fn file(&self, number: usize, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        let files = &self.session.files;
        let source = &files.0[number];
        let is_own = std::ptr::eq(source, files.own());
        let name = name_of(source);
        let walk = Walk {
            records: self,
            file: number as u16,
            bounds: self.session.bounds[number],
            version: meta_of(source).and_then(|meta| meta.version).map(|v| kind_name(&v)),
        };
        let mut is_first = true;
        rows::tell(source, (!is_own).then_some(&*name), each, &mut |bytes, place, tell| {
            walk.tell(bytes, place, &mut is_first, tell)
        })
    }
}

/// The walk over one file.
struct Walk<'r> {
    records: &'r Records,
    file: u16,
    bounds: Bounds,
    version: Option<String>,
}

impl Walk<'_> {
    fn tell(
        &self,
        bytes: &[u8],
        place: rows::Place,
        is_first: &mut bool,
        tell: &mut Tell<'_>,
    ) -> Result<(), serde_json::Error> {
        let row = Row::parse(bytes)?;
        let what = What::of(&row);
        let is_own_meta = what == What::Meta && std::mem::replace(is_first, false);
        let (fate, reason) = match what {
            What::Meta if is_own_meta => (Fate::Facts, None),
            What::Meta => (Fate::LeftOut, Some(OTHER_META)),
            _ => self.fate(what, &row, (self.file, place.span.at)),
        };
        tell(&Record {
            file: None,
            row: place.row,
            at: place.span.at,
            bytes: place.span.len.into(),
            kind: &kind_name(&row.kind()),
            fate,
            reason,
            version: self.version.as_deref(),
        });
        Ok(())
    }

    fn fate(&self, what: What, row: &Row<'_>, at: (u16, u64)) -> (Fate, Option<&'static str>) {
        if self.records.shown.contains(&at) {
            return (Fate::Shown, None);
        }
        if !self.bounds.hold(row.row.ordinal) {
            let before = row.row.ordinal.0 < self.bounds.from;
            return (Fate::LeftOut, Some(if before { INHERITED } else { BEYOND }));
        }
        match (what, self.records.passed.get(&at)) {
            (What::Unknown, _) => (Fate::Unknown, Some(UNKNOWN)),
            (What::TokenRecord, _) => (Fate::Facts, None),
            (_, Some(Passed::TakenBack)) => (Fate::OtherBranch, None),
            (_, Some(Passed::Control)) => (Fate::LeftOut, Some(CONTROL)),
            (_, Some(Passed::Elsewhere)) => (Fate::LeftOut, Some(TWIN)),
            (What::LeftOut(reason), None) => (Fate::LeftOut, Some(reason)),
            (What::Context | What::Facts | What::TokenCount | What::Named, None) => {
                (Fate::Facts, None)
            }
            (What::TurnStarted | What::TurnEnded, None) => (Fate::LeftOut, Some(CONTROL)),
            (What::Reasoning, None) => (Fate::LeftOut, Some(ENCRYPTED)),
            (What::SaidByPerson | What::SaidByModel | What::ThoughtByModel | What::Plan, None) => {
                (Fate::LeftOut, Some(TWIN))
            }
            (_, None) => (Fate::LeftOut, Some(EMPTY)),
        }
    }
}

impl Ledger for Records {
    fn transcript(&self) -> &dyn Transcript {
        &self.session
    }

    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        (0..self.session.files.0.len()).try_for_each(|number| self.file(number, each))
    }
}

fn name_of(source: &Source) -> String {
    source.path().file_name().map_or_else(|| NAME.to_owned(), |n| n.to_string_lossy().into_owned())
}

fn key(place: Place) -> (u16, u64) {
    (place.file, place.span.at)
}

/// The places of all rows that a document shows something of.
fn places(plan: &Plan) -> impl Iterator<Item = Place> {
    let rows = plan.items.iter().filter_map(|item| match item {
        Item::Assistant(_) => None,
        Item::Summary { row, .. }
        | Item::User { row, .. }
        | Item::Instructions { row }
        | Item::Shell { row }
        | Item::Other { row }
        | Item::Plan { row }
        | Item::Problem { row }
        | Item::Orphan { row } => Some(*row),
    });
    let calls = plan.calls.iter().flat_map(|call| [Some(call.row), call.answer]);
    rows.chain(calls.flatten()).chain(plan.parts.iter().copied())
}
