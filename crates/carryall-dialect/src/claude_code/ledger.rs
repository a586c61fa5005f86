//! What became of every record of a session's file.
//!
//! The session is opened as for an export; what the first pass decided of each row is kept by the
//! row's offset. Then the file is walked once more, by the same reader, and each record is told.

mod outcome;

use super::index::{Attached, Class, Kind, classify_row, is_known_block};
use super::lenient::{Content, Word};
use super::parts::named_file;
use super::row::{IndexBlock, IndexRow, Row};
use super::session::Session;
use crate::rows::{self, Place, Tell};
use crate::title::one_line;
use crate::{EachRecord, Fate, Ledger, Record, kind_name};
use cap_std::AmbientAuthority;
use carryall_model::{OpenError, ReplayError, Transcript};
use outcome::{Outcome, Outcomes};
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// The records of a session.
pub(super) struct Records {
    session: Session,
    outcomes: Outcomes,
}

impl Records {
    /// Opens a session and keeps what became of its rows.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let (session, outcomes) = Session::open_noting(path, authority, Outcomes::of)?;
        Ok(Self { session, outcomes })
    }

    fn tell(
        &self,
        bytes: &[u8],
        place: Place,
        tell: &mut Tell<'_>,
    ) -> Result<(), serde_json::Error> {
        let (mut scratch, mut again) = (Vec::new(), Vec::new());
        let row = rows::parse::<IndexRow<'_>>(bytes, &mut scratch)?;
        let written = rows::parse::<Written<'_>>(bytes, &mut again).ok();
        let version = written.and_then(|row| row.value.version.filled().map(kind_name));
        let (fate, reason) = self.fate(&row.value, bytes, place);
        let replaced = (row.replaced > 0).then_some(REPLACED.into());
        tell(&Record {
            file: None,
            row: place.row,
            at: place.span.at,
            bytes: place.span.len.into(),
            kind: &kind(&row.value),
            fate,
            reason: reason.or(replaced).as_deref(),
            version: version.as_deref(),
        });
        Ok(())
    }

    fn fate(&self, row: &IndexRow<'_>, bytes: &[u8], place: Place) -> Told {
        let (class, unknown) = classify_row(row);
        match class {
            Class::Fact if unknown.is_some() => (Fate::Unknown, Some(UNKNOWN_ROW.into())),
            Class::Fact => self.fact(row),
            Class::Node(kind) => match self.outcomes.at(place.span.at) {
                None => (Fate::LeftOut, Some(SAME_ROW.into())),
                Some(Outcome::Shown)
                    if kind == Kind::Attachment(Attached::File) && !is_named(bytes) =>
                {
                    (Fate::LeftOut, Some(NO_NAME.into()))
                }
                Some(outcome) => node(row, unknown.is_some(), outcome),
            },
        }
    }

    /// What becomes of a row without a place in the tree.
    fn fact(&self, row: &IndexRow<'_>) -> Told {
        let facts = self.session.facts();
        let kind = row.kind.get().unwrap_or("");
        let title = row.custom_title.get().or(row.ai_title.get()).or(row.summary.get());
        let mode = row.permission_mode.filled();
        let (is_told, otherwise) = match kind {
            "custom-title" | "ai-title" | "summary" => {
                let title = title.map(one_line);
                (title.is_some() && facts.title == title, OTHER_TITLE)
            }
            "permission-mode" => {
                let shown = facts.policy.as_ref().and_then(|policy| policy.approval.as_deref());
                (mode.is_some() && shown == mode, OTHER_MODE)
            }
            "cost-state" => {
                let cost = row.total_cost_usd.and_then(|cost| cost.get().parse::<f64>().ok());
                (cost.is_some() && facts.cost_usd == cost, OTHER_COST)
            }
            "api-request" | "api-request-blob" | "api-request-shape" => (false, REQUEST),
            "queue-operation" => (false, QUEUE),
            "last-prompt" => (false, LAST_PROMPT),
            "file-history-snapshot" | "content-replacement" => (false, OWN_STORE),
            _ => (false, NO_PLACE),
        };
        if is_told { (Fate::Facts, None) } else { (Fate::LeftOut, Some(otherwise.into())) }
    }
}

impl Ledger for Records {
    fn transcript(&self) -> &dyn Transcript {
        &self.session
    }

    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        let source = &self.session.shared.source;
        rows::tell(source, None, each, &mut |bytes, place, tell| self.tell(bytes, place, tell))
    }
}

/// A fate with its reason.
type Told = (Fate, Option<Cow<'static, str>>);

const REPLACED: &str = "characters of it that were no text were replaced";
const SAME_ROW: &str = "the same row once more";
const UNKNOWN_ROW: &str = "a row of this kind is not known";
const UNKNOWN_TEXT: &str = "not known; its text is shown";
const UNKNOWN_SILENT: &str = "not known; nothing of it is shown";
const NO_MESSAGE: &str = "its message is of a shape that is not known";
const UNREADABLE_REASONING: &str = "without its reasoning, which cannot be read";
const QUEUE: &str = "what waited in the queue; what was sent has a row of its own";
const LAST_PROMPT: &str = "the prompt has a row of its own";
const OWN_STORE: &str = "a note on files that the agent keeps for itself";
const NO_PLACE: &str = "a fact that the document has no place for";
const OTHER_TITLE: &str = "not the title that is shown";
const OTHER_MODE: &str = "not the mode that is shown";
const OTHER_COST: &str = "not the last count of the cost";
const REQUEST: &str = "what was sent to the model; the messages have rows of their own";
const NO_NAME: &str = "a mentioned file without a name";

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow, default)]
    version: Word<'a>,
}

/// What becomes of a row of the tree. What is not known of it comes first, wherever it stands.
fn node(row: &IndexRow<'_>, is_unknown: bool, outcome: Outcome) -> Told {
    if is_unknown {
        let is_shown = outcome == Outcome::Shown;
        let reason = if is_shown { UNKNOWN_TEXT } else { UNKNOWN_SILENT };
        return (Fate::Unknown, Some(reason.into()));
    }
    if row.kind.is("user") || row.kind.is("assistant") {
        if let Some(reason) = unknown_inside(row) {
            return (Fate::Unknown, Some(reason));
        }
        if outcome == Outcome::Shown && has_unreadable_reasoning(row) {
            return (Fate::Shown, Some(UNREADABLE_REASONING.into()));
        }
    }
    (outcome.fate(), outcome.reason().map(Cow::Borrowed))
}

/// What in a message is not known.
fn unknown_inside(row: &IndexRow<'_>) -> Option<Cow<'static, str>> {
    let Some(message) = &row.message.0 else { return Some(NO_MESSAGE.into()) };
    if matches!(message.content, Content::Nothing) {
        return Some(NO_MESSAGE.into());
    }
    let kinds = message.content.blocks().iter().map(|block| block.kind.get().unwrap_or(""));
    let unknown = kinds.into_iter().find(|kind| !is_known_block(kind))?;
    Some(match kind_name(unknown) {
        name if name.is_empty() => "a block of it has no kind".into(),
        name => format!("a block of it is not known: {name}").into(),
    })
}

fn has_unreadable_reasoning(row: &IndexRow<'_>) -> bool {
    let is_unreadable = |block: &IndexBlock<'_>| match block.kind.get() {
        Some("redacted_thinking") => true,
        Some("thinking") => block.thinking.is_none_or(|text| text.get() == "\"\""),
        Some(_) | None => false,
    };
    row.message.0.as_ref().is_some_and(|m| m.content.blocks().iter().any(is_unreadable))
}

/// Whether the attachment of a mentioned file names it.
fn is_named(bytes: &[u8]) -> bool {
    let mut scratch = Vec::new();
    let Ok(row) = rows::parse::<Row<'_>>(bytes, &mut scratch) else { return true };
    row.value.attachment.0.as_ref().is_none_or(|attachment| named_file(attachment).is_some())
}

fn kind(row: &IndexRow<'_>) -> String {
    let name = |word: &Word<'_>| word.get().map(kind_name).filter(|name| !name.is_empty());
    let kind = name(&row.kind).unwrap_or_else(|| "untyped".to_owned());
    let below = match kind.as_str() {
        "system" => name(&row.subtype),
        "attachment" => row.attachment.0.as_ref().and_then(|attachment| name(&attachment.kind)),
        _ => None,
    };
    below.map_or(kind.clone(), |below| format!("{kind}/{below}"))
}
