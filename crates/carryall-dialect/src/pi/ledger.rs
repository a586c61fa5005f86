//! What became of every record of a session file.
//!
//! The session is opened as for an export. Then its file is walked once more, and a record is shown
//! when the plan names its place; else its kind, or where it stands in the tree, tells why not.

use super::known::{self, What};
use super::row::Row;
use super::session::Session;
use crate::rows::{self, Place, Tell};
use crate::{EachRecord, Fate, Ledger, Record, kind_name};
use cap_std::AmbientAuthority;
use carryall_model::{Facts, OpenError, ReplayError, Transcript};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The records of a session.
pub(super) struct Records {
    session: Session,
    shown: HashSet<u64>,
    /// The nodes, by the places of their rows.
    nodes: HashMap<u64, u32>,
}

/// A fate with its reason.
type Told = (Fate, Option<Cow<'static, str>>);

const OTHER_HEADER: &str = "not the first header";
const OTHER_NAME: &str = "not the name that is shown";
const OTHER_MODEL: &str = "not the model that is shown";
const REPLACED_ROW: &str = "a later row with the same id takes its place";
const REPLACED: &str = "characters of it that were no text were replaced";
const EMPTY: &str = "there is nothing to read in it";
const UNREADABLE_REASONING: &str = "without its reasoning, which cannot be read";
const UNKNOWN_ROW: &str = "a row of this kind is not known";
const UNKNOWN_TEXT: &str = "not known; its text is shown";
const NO_MESSAGE: &str = "its message is of a shape that is not known";

impl Records {
    /// Opens a session and keeps what became of its rows.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let session = Session::open(path, authority)?;
        let shown = session.plan.rows().map(|span| span.at).collect();
        let nodes = session.index.nodes.iter().enumerate();
        let nodes = nodes.map(|(number, node)| (node.span.at, number as u32)).collect();
        Ok(Self { session, shown, nodes })
    }

    fn tell(
        &self,
        bytes: &[u8],
        place: Place,
        has_header: &mut bool,
        tell: &mut Tell<'_>,
    ) -> Result<(), serde_json::Error> {
        let mut scratch = Vec::new();
        let row = rows::parse::<Row<'_>>(bytes, &mut scratch)?;
        let replaced = (row.replaced > 0).then_some(REPLACED.into());
        let row = row.value;
        let (fate, reason) = match What::of(&row) {
            What::Header if std::mem::replace(has_header, true) => {
                (Fate::LeftOut, Some(OTHER_HEADER.into()))
            }
            What::Header => (Fate::Facts, None),
            what => self.fate(what, &row, place.span.at),
        };
        tell(&Record {
            file: None,
            row: place.row,
            at: place.span.at,
            bytes: place.span.len.into(),
            kind: &kind_name(&known::kind(&row)),
            fate,
            reason: reason.or(replaced).as_deref(),
            version: None,
        });
        Ok(())
    }

    fn fate(&self, what: What, row: &Row<'_>, at: u64) -> Told {
        let is_shown = self.shown.contains(&at);
        // What is not known comes first, wherever it stands.
        if let Some(reason) = unknown(what, row) {
            return (Fate::Unknown, Some(reason));
        }
        if is_shown {
            let silent = what == What::Assistant && has_unreadable_reasoning(row);
            return (Fate::Shown, silent.then_some(UNREADABLE_REASONING.into()));
        }
        let left_out = |reason: &'static str| (Fate::LeftOut, Some(reason.into()));
        let facts = self.session.facts();
        match what {
            What::LeftOut(reason) => return left_out(reason),
            What::Name if self.session.index.named_at == Some(at) => return (Fate::Facts, None),
            What::Name => return left_out(OTHER_NAME),
            _ => {}
        }
        let number = self.nodes.get(&at).copied().unwrap_or(u32::MAX) as usize;
        let is_replaced = self.session.index.nodes.get(number).is_some_and(|node| node.replaced);
        let is_on_path = self.session.conversation.is_shown.get(number).copied().unwrap_or(false);
        match what {
            _ if is_replaced => left_out(REPLACED_ROW),
            _ if !is_on_path => (Fate::OtherBranch, None),
            What::Usage => (Fate::Facts, None),
            What::Model if is_told(row.model_id.get(), facts) => (Fate::Facts, None),
            What::Model => left_out(OTHER_MODEL),
            _ => left_out(EMPTY),
        }
    }
}

impl Ledger for Records {
    fn transcript(&self) -> &dyn Transcript {
        &self.session
    }

    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        let mut has_header = false;
        rows::tell(&self.session.source, None, each, &mut |bytes, place, tell| {
            self.tell(bytes, place, &mut has_header, tell)
        })
    }
}

/// Whether the header names a model.
fn is_told(model: Option<&str>, facts: &Facts) -> bool {
    let told = facts.models.iter().chain(&facts.model);
    model.is_some_and(|model| told.into_iter().any(|told| told == model))
}

/// What of a row is not known.
fn unknown(what: What, row: &Row<'_>) -> Option<Cow<'static, str>> {
    match what {
        What::Unknown => Some(UNKNOWN_ROW.into()),
        What::NoMessage => Some(NO_MESSAGE.into()),
        What::OtherRole => Some(UNKNOWN_TEXT.into()),
        _ => Some(match kind_name(known::unknown_block(row)?) {
            name if name.is_empty() => "a block of it has no kind".into(),
            name => format!("a block of it is not known: {name}").into(),
        }),
    }
}

/// Whether a response has reasoning that only its vendor can read.
fn has_unreadable_reasoning(row: &Row<'_>) -> bool {
    let Some(message) = &row.message.0 else { return false };
    let thoughts = message.content.blocks().iter().filter(|block| block.kind.is("thinking"));
    thoughts.into_iter().any(|block| block.thinking.filled().is_none())
}
