//! What became of every record of a session's file.
//!
//! The session is opened as for an export. Then the file is walked once more, and a record is shown
//! when the plan names it; else its kind, or the branch it stands on, tells why not.

use super::known::What;
use super::plan::Item;
use super::record::Record as Row;
use super::session::Session;
use crate::rows::{self, Place, Tell};
use crate::title::one_line;
use crate::{EachRecord, Fate, Ledger, Record, kind_name};
use cap_std::AmbientAuthority;
use carryall_model::{OpenError, ReplayError, Transcript};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The records of a session.
pub(super) struct Records {
    session: Session,
    /// Rows of which an entry shows something.
    shown: HashSet<u32>,
    /// Nodes of the conversation.
    chain: HashSet<u32>,
    /// The rows, by where they begin.
    rows: HashMap<u64, u32>,
}

const EMPTY: &str = "there is nothing to read in it";
const ECHO: &str = "the command has a row of its own";
const REWIND: &str = "it says what became of other rows";
const OTHER_TITLE: &str = "not the title that is shown";
const NO_PLACE: &str = "a fact that the document has no place for";
const UNKNOWN: &str = "a row of this kind is not known";
const UNKNOWN_PART: &str = "a part of it is not known";
const NO_ID: &str = "a row without an id";

impl Records {
    /// Opens a session and keeps what became of its rows.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let session = Session::open(path, authority)?;
        let chain = session.conversation.nodes.iter().copied().collect();
        let starts = session.index.rows.iter().map(|row| row.span.at);
        let rows = starts.zip(0u32..).collect();
        let shown = shown(&session);
        Ok(Self { session, shown, chain, rows })
    }

    fn tell(
        &self,
        bytes: &[u8],
        place: Place,
        tell: &mut Tell<'_>,
    ) -> Result<(), serde_json::Error> {
        let row: Row<'_> = serde_json::from_slice(bytes)?;
        let (fate, reason) = self.fate(&row, place);
        tell(&Record {
            file: None,
            row: place.row,
            at: place.span.at,
            bytes: place.span.len.into(),
            kind: &kind_name(&row.name()),
            fate,
            reason,
            version: row.version.filled().map(kind_name).as_deref(),
        });
        Ok(())
    }

    fn fate(&self, row: &Row<'_>, place: Place) -> (Fate, Option<&'static str>) {
        let what = What::of(row);
        if what.is_unknown() {
            return (Fate::Unknown, Some(UNKNOWN));
        }
        let Some(&number) = self.rows.get(&place.span.at) else {
            return (Fate::Unknown, Some(NO_ID));
        };
        let index = &self.session.index;
        let indexed = &index.rows[number as usize];
        if indexed.unknown {
            return (Fate::Unknown, Some(UNKNOWN_PART));
        }
        match what {
            What::Facts => (Fate::LeftOut, Some(NO_PLACE)),
            What::Title => self.title(row),
            What::LeftOut(reason) | What::Outside(reason) => (Fate::LeftOut, Some(reason)),
            What::Rewind => (Fate::LeftOut, Some(REWIND)),
            _ if self.shown.contains(&number) => (Fate::Shown, None),
            _ if !self.chain.contains(&indexed.node) => (Fate::OtherBranch, None),
            What::Prompt if indexed.says.typed => (Fate::LeftOut, Some(ECHO)),
            _ => (Fate::LeftOut, Some(EMPTY)),
        }
    }

    fn title(&self, row: &Row<'_>) -> (Fate, Option<&'static str>) {
        let title = row.payload().and_then(|payload| payload.custom_title.get()).map(one_line);
        if title.is_some() && title == self.session.facts().title {
            return (Fate::Facts, None);
        }
        (Fate::LeftOut, Some(OTHER_TITLE))
    }
}

impl Ledger for Records {
    fn transcript(&self) -> &dyn Transcript {
        &self.session
    }

    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        let source = &self.session.source;
        rows::tell(source, None, each, &mut |bytes, place, tell| self.tell(bytes, place, tell))
    }
}

/// The rows that a document shows something of.
fn shown(session: &Session) -> HashSet<u32> {
    let plan = &session.plan;
    let mut shown = HashSet::new();
    for item in &plan.items {
        match item {
            // Its tokens, its id and its time, even when its calls stand in other rows.
            Item::Assistant(entry) => drop(shown.insert(entry.row)),
            Item::User { row, .. } | Item::Summary { row } => drop(shown.insert(*row)),
            Item::Command { row, answer } => shown.extend([*row, *answer]),
            Item::Orphan(place) => drop(shown.insert(place.row)),
        }
    }
    shown.extend(plan.parts.iter().map(|place| place.row));
    for call in &plan.calls {
        shown.insert(call.place.row);
        shown.extend(call.answer.map(|answer| answer.row));
    }
    shown
}
