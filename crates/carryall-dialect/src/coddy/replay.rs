//! The rows of a plan are read again and become entries.

use super::attachments;
use super::bundle::Bundle;
use super::calls::Records;
use super::plan::{Answer, Item, Plan};
use super::row::{Call, Kind, Picture, Row};
use crate::rows;
use carryall_model::{
    Entry, EntryKind, EntrySink, FileRef, Found, Plan as PlanFacts, ReplayError, SinkError,
    ToolCall, ToolResult,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// What the entries of a session are read from.
pub(super) struct Reading<'r> {
    pub(super) bundle: &'r Bundle,
    /// `messages.json`.
    pub(super) bytes: &'r [u8],
    pub(super) plan: &'r Plan,
    /// The subagent that each call started, by the call's id.
    pub(super) started: &'r HashMap<String, String>,
}

/// Pushes the entries with these numbers.
pub(super) fn replay(
    reading: &Reading<'_>,
    which: Range<u32>,
    sink: &mut dyn EntrySink,
) -> Result<Found, ReplayError> {
    let records = Records::below(&reading.bundle.dir);
    let mut replay = Replay { reading, records, sink, found: Found::default() };
    let items = &reading.plan.items;
    let end = (which.end as usize).min(items.len());
    for item in &items[(which.start as usize).min(end)..end] {
        replay.item(item)?;
    }
    Ok(replay.found)
}

struct Replay<'r> {
    reading: &'r Reading<'r>,
    records: Records<'r>,
    sink: &'r mut dyn EntrySink,
    found: Found,
}

impl<'r> Replay<'r> {
    fn item(&mut self, item: &Item) -> Result<(), SinkError> {
        let mut scratch = Vec::new();
        let row = self.read(&item.row, &mut scratch);
        let text = row.content.filled();
        let entry = |kind| Entry { created_at: row.created_at.said(), text, ..Entry::new(kind) };
        match item.kind {
            Kind::User | Kind::Wake => self.user(&row, item.kind == Kind::Wake),
            Kind::Assistant => self.assistant(&row, &item.calls),
            Kind::Plan => self.plan_document(&row),
            Kind::Summary => self
                .sink
                .entry(&Entry { model: row.model.said(), ..entry(EntryKind::CompactionSummary) }),
            Kind::Result => self.sink.entry(&Entry {
                text: Some(row.content.get()),
                tool_call_id: row.tool_call_id.filled(),
                ..entry(EntryKind::ToolResult)
            }),
            Kind::System => self.sink.entry(&entry(EntryKind::System)),
            Kind::Other => {
                self.sink.entry(&Entry { role: row.role.filled(), ..entry(EntryKind::Other) })
            }
        }
    }

    /// Reads a row. All rows of a plan have been read once, so none is lost here.
    fn read<'b>(&mut self, place: &Range<usize>, scratch: &'b mut Vec<u8>) -> Row<'b>
    where
        'r: 'b,
    {
        let bytes = &self.reading.bytes[place.clone()];
        let parsed = rows::parse::<Row<'b>>(bytes, scratch);
        parsed.map_or_else(
            |_| Row::default(),
            |parsed| {
                self.found.replaced_characters += parsed.replaced;
                parsed.value
            },
        )
    }

    fn user(&mut self, row: &Row<'_>, is_meta: bool) -> Result<(), SinkError> {
        let said = attachments::split(row.content.get());
        let parts: Vec<_> = row.image_parts.iter().map(|part| self.picture(part)).collect();
        let named = |part: &&Shown<'_>| !part.path.is_empty() || part.name.is_some();
        let blocks = said.files.iter().map(|file| FileRef {
            path: &file.path,
            name: Some(&*file.name).filter(|name| !name.is_empty()),
            ..FileRef::default()
        });
        let files: Vec<_> = blocks.chain(parts.iter().filter(named).map(Shown::as_file)).collect();
        self.sink.entry(&Entry {
            created_at: row.created_at.said(),
            text: Some(&*said.text).filter(|text| !text.is_empty()),
            attachments: &files,
            is_meta,
            ..Entry::new(EntryKind::User)
        })
    }

    fn plan_document(&mut self, row: &Row<'_>) -> Result<(), SinkError> {
        let Some(plan) = &row.plan_document.0 else { return Ok(()) };
        let facts = PlanFacts {
            slug: plan.slug.get(),
            name: plan.name.filled(),
            overview: plan.overview.filled(),
            path: plan.path.filled(),
            updated_at: plan.updated_at.filled(),
        };
        self.sink.entry(&Entry {
            created_at: row.created_at.said(),
            text: Some(plan.text()).filter(|text| !text.is_empty()),
            plan: Some(&facts),
            ..Entry::new(EntryKind::PlanDocument)
        })
    }

    fn assistant(&mut self, row: &Row<'_>, calls: &Range<usize>) -> Result<(), SinkError> {
        self.sink.entry(&Entry {
            created_at: row.created_at.said(),
            model: row.model.said(),
            text: row.content.filled(),
            reasoning: row.reasoning.filled(),
            calls: calls.len() as u32,
            ..Entry::new(EntryKind::Assistant)
        })?;
        let answers = &self.reading.plan.answers[calls.clone()];
        for (call, answer) in row.tool_calls.iter().zip(answers) {
            self.call(call, answer)?;
        }
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>, answer: &Answer) -> Result<(), SinkError> {
        let id = call.id.get();
        let record = answer.is_unique.then(|| self.records.of(id)).flatten();
        let mut scratch = Vec::new();
        let row = answer.row.as_ref().map(|place| self.read(place, &mut scratch));
        let kept = match (&row, &record) {
            (None, Some(record)) => self.records.result(record),
            _ => None,
        };
        self.found.replaced_characters += kept.as_ref().map_or(0, |(_, replaced)| *replaced);
        let parts: Vec<_> = row
            .iter()
            .flat_map(|row| row.image_parts.iter())
            .map(|part| self.picture(part))
            .collect();
        let pictures: Vec<_> = parts.iter().map(Shown::as_file).collect();
        let text = match &row {
            Some(row) => Some(row.content.get()),
            None => kept.as_ref().map(|(text, _)| text.as_str()),
        };
        let told_at = row.as_ref().and_then(|row| row.created_at.said());
        let ended_at = record.as_ref().and_then(|record| record.finished_at.as_deref());
        self.sink.call(&ToolCall {
            input: call.input(),
            result: text.map(|text| ToolResult {
                text,
                is_error: record.as_ref().is_some_and(|record| record.is_error),
                completed_at: told_at.or(ended_at),
                pictures: &pictures,
            }),
            duration: record.as_ref().and_then(|record| record.duration),
            subagent: self.reading.started.get(id).map(String::as_str),
            ..ToolCall::new(id, call.name.get())
        })
    }

    /// A picture as it is shown. When the session's folder was moved, so was its `assets` folder:
    /// the path then follows, if the file is there.
    fn picture<'p>(&self, picture: &'p Picture<'_>) -> Shown<'p> {
        let path = picture.file_path.get();
        let moved = asset(path).filter(|name| {
            let here = self.reading.bundle.dir.metadata(format!("assets/{name}"));
            here.is_ok_and(|file| file.is_file())
        });
        let path = match moved {
            None => Cow::Borrowed(path),
            Some(name) => {
                let here = self.reading.bundle.folder.join("assets").join(name);
                Cow::Owned(here.to_string_lossy().into_owned())
            }
        };
        let media_type = picture.mime_type.filled();
        Shown { path, name: picture.name.filled(), media_type, bytes: picture.size.0 }
    }
}

/// The name of a file whose folder is called `assets`.
fn asset(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once(['/', '\\'])?;
    let is_plain = !matches!(name, "" | "." | "..") && !name.contains('\0');
    (is_plain && folder.rsplit(['/', '\\']).next() == Some("assets")).then_some(name)
}

/// A picture as it is shown.
struct Shown<'p> {
    path: Cow<'p, str>,
    name: Option<&'p str>,
    media_type: Option<&'p str>,
    bytes: Option<u64>,
}

impl Shown<'_> {
    fn as_file(&self) -> FileRef<'_> {
        FileRef {
            path: &self.path,
            name: self.name,
            media_type: self.media_type,
            bytes: self.bytes,
        }
    }
}
