//! What became of every record of a session's folder: the rows of `messages.json`, and each file
//! beside it as one record.

mod files;

use super::bundle::MESSAGES;
use super::calls::Records as CallRecords;
use super::document;
use super::plan::Answer;
use super::row::{Kind, Row};
use super::session::Session;
use crate::rows;
use crate::{EachRecord, Fate, Ledger, Record, kind_name};
use carryall_model::{Notice, NoticeKind, ReplayError, SinkError, Transcript};
use files::Used;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;

/// The records of a session.
pub(super) struct Records {
    session: Session,
    /// Where the rows begin that an entry or a result comes from.
    shown: HashSet<usize>,
}

impl Records {
    /// Keeps which rows are shown.
    pub(super) fn of(session: Session) -> Self {
        let items = session.plan.items.iter().map(|item| item.row.start);
        let answers = session.plan.answers.iter();
        let answers = answers.filter_map(|answer| answer.row.as_ref().map(|row| row.start));
        let shown = items.chain(answers).collect();
        Self { session, shown }
    }

    /// Tells the rows, and gathers which files beside them the export reads.
    fn rows(&self, each: &mut EachRecord<'_>, used: &mut Used) -> Result<(), SinkError> {
        let told = RefCell::new((each, None));
        let say = |record: &Record<'_>| {
            let (each, refusal) = &mut *told.borrow_mut();
            if refusal.is_none() {
                *refusal = each(record).err();
            }
        };
        let calls = CallRecords::below(&self.session.bundle.dir);
        let mut answers = self.session.plan.answers.iter();
        let bytes = self.session.bytes.as_slice();
        if !bytes.is_empty() {
            document::walk_telling(
                bytes,
                &mut |notice| say(&damage(&notice)),
                &mut |n, row, at| {
                    let mut scratch = Vec::new();
                    let row =
                        rows::parse::<Row<'_>>(row, &mut scratch).map_err(|e| rows::reason(&e))?;
                    let replaced = (row.replaced > 0).then_some(REPLACED);
                    self.row(n, &row.value, at, replaced, &say);
                    note_files(&row.value, &calls, &mut answers, used);
                    Ok(())
                },
            );
        }
        told.into_inner().1.map_or(Ok(()), Err)
    }

    fn row(
        &self,
        number: u64,
        row: &Row<'_>,
        at: Range<usize>,
        replaced: Option<&str>,
        say: &dyn Fn(&Record<'_>),
    ) {
        let (fate, reason) = match self.shown.contains(&at.start) {
            true => (Fate::Shown, replaced),
            false => (Fate::LeftOut, Some(BLANK)),
        };
        say(&Record {
            file: None,
            row: number,
            at: at.start as u64,
            bytes: at.len() as u64,
            kind: &kind(row),
            fate,
            reason,
            version: None,
        });
    }
}

impl Ledger for Records {
    fn transcript(&self) -> &dyn Transcript {
        &self.session
    }

    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError> {
        let mut used = Used::default();
        self.rows(each, &mut used)?;
        files::tell(&self.session.bundle, &used, each)?;
        Ok(())
    }
}

const BLANK: &str = "an answer without text, reasoning and calls";
const REPLACED: &str = "characters of it that were no text were replaced";

/// Notes the files beside the rows that the export reads for the calls of a row.
fn note_files<'a>(
    row: &Row<'_>,
    calls: &CallRecords<'_>,
    answers: &mut impl Iterator<Item = &'a Answer>,
    used: &mut Used,
) {
    if row.kind() != Kind::Assistant || row.is_blank() {
        return;
    }
    for (call, answer) in row.tool_calls.iter().zip(answers) {
        let Some(record) = answer.is_unique.then(|| calls.of(call.id.get())).flatten() else {
            continue;
        };
        if answer.row.is_none() && calls.result(&record).is_some() {
            used.insert(record.folder.join("result.md"));
        }
        used.insert(record.folder.join("meta.json"));
    }
}

fn kind(row: &Row<'_>) -> String {
    match row.kind() {
        Kind::Summary => "compaction_summary".to_owned(),
        Kind::Plan => "plan_document".to_owned(),
        Kind::Wake => "user/background_wake".to_owned(),
        Kind::User | Kind::Assistant | Kind::Result | Kind::System | Kind::Other => {
            match kind_name(row.role.get()) {
                role if role.is_empty() => "untyped".to_owned(),
                role => role,
            }
        }
    }
}

fn damage(notice: &Notice) -> Record<'_> {
    let reason = match notice.kind {
        NoticeKind::CutShort => Some("the document is cut off"),
        _ => notice.detail.as_deref(),
    };
    Record {
        file: None,
        row: notice.row.unwrap_or(0),
        at: notice.offset.unwrap_or(0),
        bytes: notice.bytes.unwrap_or(0),
        kind: notice.kind.as_str(),
        fate: Fate::Damaged,
        reason,
        version: None,
    }
}
