//! The second pass: rows are read again and become entries.

use super::edits::EditArguments;
use super::index::{Index, NONE};
use super::plan::{Assistant, Call, Item, Place, Plan, UserPart};
use super::record::{self, Answer, Record};
use super::said::{self, add};
use crate::lenient::Word;
use crate::rows::{self, Parsed};
use crate::source::Source;
use carryall_model::{
    Entry, EntryKind, EntrySink, FileRef, Found, Input, Notice, NoticeKind, ReplayError, ToolCall,
    ToolResult,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// What the entries of a session are read from.
#[derive(Clone, Copy)]
pub(super) struct Reading<'r> {
    pub(super) source: &'r Source,
    pub(super) index: &'r Index,
    pub(super) plan: &'r Plan,
}

/// The bytes of a row, and of its repaired copy when it needs one.
#[derive(Debug, Default)]
struct Buffer {
    row: Vec<u8>,
    repaired: Vec<u8>,
}

/// Pushes the entries with these numbers.
pub(super) fn replay(
    reading: Reading<'_>,
    which: Range<u32>,
    sink: &mut dyn EntrySink,
) -> Result<Found, ReplayError> {
    let items = &reading.plan.items;
    let mut replay = Replay { reading, sink, found: Found::default(), seen: HashSet::new() };
    let end = (which.end as usize).min(items.len());
    let start = (which.start as usize).min(end);
    let mut buffers = [Buffer::default(), Buffer::default()];
    for item in &items[start..end] {
        replay.item(item, &mut buffers)?;
    }
    Ok(replay.found)
}

struct Replay<'r> {
    reading: Reading<'r>,
    sink: &'r mut dyn EntrySink,
    found: Found,
    /// Rows with replaced characters that have been counted.
    seen: HashSet<u32>,
}

impl Replay<'_> {
    fn item(&mut self, item: &Item, buffers: &mut [Buffer; 2]) -> Result<(), ReplayError> {
        let [first, second] = buffers;
        match item {
            Item::Assistant(entry) => self.assistant(entry, first, second),
            Item::User { row, part } => self.user(*row, *part, first),
            Item::Command { row, answer } => self.command(*row, *answer, first, second),
            Item::Summary { row } => {
                let record = self.read(*row, first)?;
                let text = record.payload().and_then(said::summary);
                self.push(&Entry { text, ..of(EntryKind::CompactionSummary, &record) })
            }
            Item::Orphan(place) => self.orphan(*place, first),
        }
    }

    fn push(&mut self, entry: &Entry<'_>) -> Result<(), ReplayError> {
        Ok(self.sink.entry(entry)?)
    }

    fn read<'b>(&mut self, row: u32, buffer: &'b mut Buffer) -> Result<Record<'b>, ReplayError> {
        let span = self.reading.index.rows[row as usize].span;
        let source = self.reading.source;
        let bytes = source.read_span(span, &mut buffer.row)?;
        let parsed = rows::parse(bytes, &mut buffer.repaired).map_err(|_| source.changed())?;
        let Parsed { value, replaced } = parsed;
        if replaced > 0 && self.seen.insert(row) {
            self.found.replaced_characters += replaced;
            let notice = Notice::new(NoticeKind::ReplacedCharacters);
            self.found.notices.push(notice.at(span.row.into(), span.at, span.len.into()));
        }
        Ok(value)
    }

    fn user(&mut self, row: u32, part: UserPart, buffer: &mut Buffer) -> Result<(), ReplayError> {
        let record = self.read(row, buffer)?;
        let text = match part {
            UserPart::Typed => said::prompt(&record).typed,
            UserPart::Added => said::prompt(&record).added,
            UserPart::Injected => said::injected(&record),
        };
        let is_added = part == UserPart::Added;
        let attachments = if is_added { Vec::new() } else { said::files(record.parts()) };
        self.push(&Entry {
            text: Some(&*text).filter(|text| !text.is_empty()),
            attachments: &attachments,
            is_meta: part != UserPart::Typed,
            ..of(EntryKind::User, &record)
        })
    }

    fn command(
        &mut self,
        row: u32,
        answer: u32,
        first: &mut Buffer,
        second: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let result = match answer {
            NONE => None,
            answer => self.read(answer, second)?.payload().and_then(said::shown),
        };
        let record = self.read(row, first)?;
        self.push(&Entry {
            text: record.payload().and_then(|payload| payload.raw_command.filled()),
            result: result.as_deref(),
            ..of(EntryKind::Command, &record)
        })
    }

    fn orphan(&mut self, place: Place, buffer: &mut Buffer) -> Result<(), ReplayError> {
        let record = self.read(place.row, buffer)?;
        let output = Output::of(&record, place.at);
        self.push(&Entry {
            text: Some(&output.text),
            attachments: &output.files,
            tool_call_id: output.id,
            ..of(EntryKind::ToolResult, &record)
        })
    }

    fn assistant(
        &mut self,
        entry: &Assistant,
        first: &mut Buffer,
        second: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let Reading { index, plan, .. } = self.reading;
        let calls = &plan.calls[entry.calls.start as usize..entry.calls.end as usize];
        let (mut thought, mut said) = (Joined::default(), Joined::default());
        let mut at = entry.parts.start;
        while at < entry.parts.end {
            let row = plan.parts[at as usize].row;
            let record = self.read(row, first)?;
            while at < entry.parts.end && plan.parts[at as usize].row == row {
                let part = record.parts().get(plan.parts[at as usize].at as usize);
                if let Some(text) = part.and_then(|part| part.text.filled()) {
                    let all = if at < entry.said_from { &mut thought } else { &mut said };
                    all.add(row, text);
                }
                at += 1;
            }
        }
        let record = self.read(entry.row, first)?;
        // Models that draw do it beside a text, in the row that the entry begins with.
        let own = &plan.parts[entry.parts.start as usize..entry.parts.end as usize];
        let is_own = |at: usize| own.contains(&Place { row: entry.row, at: at as u32 });
        let parts = record.parts().iter().enumerate().filter(|&(at, _)| is_own(at));
        let attachments: Vec<_> =
            parts.flat_map(|(_, part)| said::files(std::slice::from_ref(part))).collect();
        self.push(&Entry {
            attachments: &attachments,
            model: index.word(entry.model),
            text: said.get(),
            reasoning: thought.get(),
            calls: calls.len() as u32,
            usage: index.usages.get(entry.usage as usize).copied(),
            ..of(EntryKind::Assistant, &record)
        })?;
        calls.iter().try_for_each(|call| self.call(call, first, second))
    }

    fn call(
        &mut self,
        call: &Call,
        first: &mut Buffer,
        second: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let record = self.read(call.place.row, first)?;
        let part = record.parts().get(call.place.at as usize);
        let Some(call_part) = part.and_then(|part| part.function_call.0.as_ref()) else {
            return Err(self.reading.source.changed());
        };
        let arguments = Arguments::of(call_part);
        let name = call_part.name.get().unwrap_or("");
        let edits = EditArguments::of(name, arguments.json());
        let edits: Vec<_> = edits.edit().into_iter().collect();
        let id = call_part.id.get().unwrap_or("");
        let tool =
            ToolCall { input: arguments.as_input(), edits: &edits, ..ToolCall::new(id, name) };
        let Some(answer) = call.answer else { return Ok(self.sink.call(&tool)?) };
        let record = self.read(answer.row, second)?;
        let output = Output::of(&record, answer.at);
        let result = ToolResult {
            text: &output.text,
            is_error: output.failed,
            completed_at: record.timestamp.filled(),
            pictures: &output.files,
        };
        Ok(self.sink.call(&ToolCall { result: Some(result), ..tool })?)
    }
}

/// Texts of a response: those of one record with a blank line between, while records with one id
/// are the pieces that a stream came in and are joined as they are.
#[derive(Default)]
struct Joined {
    text: Option<String>,
    row: u32,
}

impl Joined {
    fn add(&mut self, row: u32, text: &str) {
        match &mut self.text {
            None => self.text = Some(text.to_owned()),
            Some(all) if row == self.row => add(all, text),
            Some(all) => all.push_str(text),
        }
        self.row = row;
    }

    fn get(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

/// The fields that every entry takes from its row.
fn of<'e>(kind: EntryKind, record: &'e Record<'_>) -> Entry<'e> {
    Entry {
        id: record.uuid.filled(),
        parent_id: record.parent_uuid.filled(),
        created_at: record.timestamp.filled(),
        ..Entry::new(kind)
    }
}

/// The arguments of a call.
enum Arguments<'p> {
    None,
    /// A JSON value, as it stands in the row.
    Raw(&'p RawValue),
    /// A JSON value that the row holds as a string.
    Value(Box<RawValue>),
    Text(String),
}

impl<'p> Arguments<'p> {
    fn of(call: &record::Call<'p>) -> Self {
        let Some(raw) = call.args.filter(|raw| raw.get() != "null") else { return Self::None };
        let text = match serde_json::from_str::<Word<'_>>(raw.get()) {
            Ok(Word(Some(text))) => text,
            Ok(Word(None)) | Err(_) => return Self::Raw(raw),
        };
        match RawValue::from_string(text.trim().to_owned()) {
            Ok(value) => Self::Value(value),
            Err(_) if text.trim().is_empty() => Self::None,
            // A call that was broken off has the beginning of its arguments.
            Err(_) => Self::Text(text.into_owned()),
        }
    }

    fn as_input(&self) -> Option<Input<'_>> {
        match self {
            Self::None => None,
            Self::Raw(raw) => Some(Input::Json(raw)),
            Self::Value(value) => Some(Input::Json(value)),
            Self::Text(text) => Some(Input::Text(text)),
        }
    }

    fn json(&self) -> Option<&str> {
        match self {
            Self::None | Self::Text(_) => None,
            Self::Raw(raw) => Some(raw.get()),
            Self::Value(value) => Some(value.get()),
        }
    }
}

/// The answer of a tool.
struct Output<'p> {
    id: Option<&'p str>,
    text: Cow<'p, str>,
    failed: bool,
    files: Vec<FileRef<'p>>,
}

impl<'p> Output<'p> {
    /// The answer in a part; of a record that holds only one, the files and texts beside it, too.
    fn of(record: &'p Record<'_>, at: u32) -> Self {
        let parts = record.parts();
        let shown = record.tool_call_result.0.as_ref();
        let response = parts.get(at as usize).and_then(|part| part.function_response.0.as_ref());
        let answer = response.and_then(|response| response.response);
        let read: Answer<'p> =
            answer.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let failed = read.error.filled().is_some()
            || shown.is_some_and(|shown| shown.status.is("error") || shown.status.is("cancelled"));
        let text = match (read.output.0.or(read.error.0), answer) {
            (Some(text), _) => text,
            (None, Some(raw)) => Cow::Borrowed(raw.get()),
            (None, None) => shown.and_then(|shown| shown.result_display.get()).unwrap_or("").into(),
        };
        let beside = || shown.and_then(|shown| shown.call_id.filled());
        let id = response.and_then(|response| response.id.filled()).or_else(beside);
        let files = response.map(|response| said::files(response.parts.blocks()));
        let mut output = Self { id, text, failed, files: files.unwrap_or_default() };
        if parts.iter().filter(|part| part.function_response.0.is_some()).count() < 2 {
            output.files.extend(said::files(parts));
            for text in parts.iter().filter_map(|part| part.text.filled()) {
                add(output.text.to_mut(), text);
            }
        }
        output
    }
}
