//! The second pass: rows are read again and become entries.

use super::files::{Buffer, Files};
use super::index::{Place, SummaryText, sections, text};
use super::output::Output;
use super::patch;
use super::plan::{Assistant, Call, Item, Plan, UserPart};
use super::record::{Payload, Record};
use super::said::{self, attachments};
use crate::lenient::{Object, Word};
use crate::rows::Parsed;
use carryall_model::{
    Entry, EntryKind, EntrySink, FileRef, Found, Input, Notice, NoticeKind, ReplayError, ToolCall,
    ToolResult,
};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What the entries of a thread are read from.
pub(super) struct Reading<'r> {
    pub(super) files: &'r Files,
    pub(super) words: &'r [String],
    /// The thread that each call started, by the call's id.
    pub(super) started: &'r HashMap<String, String>,
}

/// Pushes the entries with these numbers.
pub(super) fn replay(
    reading: &Reading<'_>,
    plan: &Plan,
    which: Range<u32>,
    sink: &mut dyn EntrySink,
) -> Result<Found, ReplayError> {
    let mut replay = Replay { reading, plan, sink, found: Found::default(), seen: HashSet::new() };
    let end = (which.end as usize).min(plan.items.len());
    let start = (which.start as usize).min(end);
    let mut buffers = [Buffer::default(), Buffer::default()];
    for item in &plan.items[start..end] {
        replay.item(item, &mut buffers)?;
    }
    Ok(replay.found)
}

struct Replay<'r> {
    reading: &'r Reading<'r>,
    plan: &'r Plan,
    sink: &'r mut dyn EntrySink,
    found: Found,
    /// Rows with replaced characters that have been counted.
    seen: HashSet<(u16, u64)>,
}

impl<'r> Replay<'r> {
    fn item(&mut self, item: &Item, buffers: &mut [Buffer; 2]) -> Result<(), ReplayError> {
        let [first, second] = buffers;
        match item {
            Item::Assistant(entry) => self.assistant(entry, buffers),
            Item::User { row, part, meta } => self.user(*row, *part, *meta, first),
            Item::Instructions { row } => {
                let record = self.read(*row, first)?;
                let (text, is_meta) = (text(&record), true);
                self.push(&Entry {
                    text: text.as_deref(),
                    is_meta,
                    ..of(EntryKind::System, &record)
                })
            }
            Item::Problem { row } => {
                let record = self.read(*row, first)?;
                let text = text(&record);
                self.push(&Entry { text: text.as_deref(), ..of(EntryKind::System, &record) })
            }
            Item::Shell { row } => {
                let record = self.read(*row, first)?;
                let text = text(&record).unwrap_or_default();
                let (line, result) = said::shell(&text);
                self.push(&Entry {
                    text: Some(&line),
                    result: Some(result),
                    ran_shell: true,
                    ..of(EntryKind::Command, &record)
                })
            }
            Item::Other { row } => self.other(*row, first),
            Item::Plan { row } => {
                let record = self.read(*row, first)?;
                let (text, plan) = (text(&record), carryall_model::Plan::default());
                self.push(&Entry {
                    text: text.as_deref(),
                    plan: Some(&plan),
                    ..of(EntryKind::PlanDocument, &record)
                })
            }
            Item::Orphan { row } => self.orphan(*row, first),
            Item::Summary { row, text, thought } => {
                self.summary(*row, *text, *thought, first, second)
            }
        }
    }

    fn push(&mut self, entry: &Entry<'_>) -> Result<(), ReplayError> {
        Ok(self.sink.entry(entry)?)
    }

    fn read<'b>(&mut self, row: Place, buffer: &'b mut Buffer) -> Result<Record<'b>, ReplayError> {
        let Parsed { value, replaced } = self.reading.files.read(row, buffer)?;
        if replaced > 0 && self.seen.insert((row.file, row.span.at)) {
            self.found.replaced_characters += replaced;
            let notice = Notice::new(NoticeKind::ReplacedCharacters);
            let span = row.span;
            self.found.notices.push(notice.at(span.row.into(), span.at, span.len.into()));
        }
        Ok(value)
    }

    fn user(
        &mut self,
        row: Place,
        part: UserPart,
        is_meta: bool,
        buffer: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let record = self.read(row, buffer)?;
        let text = text(&record);
        let text = match (part, text.as_deref()) {
            (UserPart::All, text) => text,
            (UserPart::Context, text) => text.map(|text| said::split_request(text).0),
            (UserPart::Request, text) => text.map(|text| said::split_request(text).1),
        };
        let attachments =
            if part == UserPart::Context { Vec::new() } else { attachments(&record.payload) };
        self.push(&Entry {
            text,
            attachments: &attachments,
            is_meta,
            ..of(EntryKind::User, &record)
        })
    }

    fn other(&mut self, row: Place, buffer: &mut Buffer) -> Result<(), ReplayError> {
        let record = self.read(row, buffer)?;
        let payload = &record.payload;
        let attachments = attachments(payload);
        let between = (payload.author.filled(), payload.recipient.filled());
        let role = match (payload.role.filled(), between) {
            (Some(role), _) => role.to_owned(),
            (None, (Some(author), Some(recipient))) => format!("{author} to {recipient}"),
            (None, (Some(one), None) | (None, Some(one))) => one.to_owned(),
            (None, (None, None)) => "agent".to_owned(),
        };
        let text = text(&record);
        self.push(&Entry {
            role: Some(&role),
            text: text.as_deref(),
            attachments: &attachments,
            ..of(EntryKind::Other, &record)
        })
    }

    fn orphan(&mut self, row: Place, buffer: &mut Buffer) -> Result<(), ReplayError> {
        let record = self.read(row, buffer)?;
        let output = Output::of(&record.payload);
        self.push(&Entry {
            text: Some(output.text()),
            attachments: &output.pictures(),
            tool_call_id: record.payload.call_id.filled(),
            ..of(EntryKind::ToolResult, &record)
        })
    }

    fn summary(
        &mut self,
        row: Place,
        place: SummaryText,
        thought: u32,
        first: &mut Buffer,
        second: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let reasoning = match self.plan.parts.get(thought as usize).copied() {
            Some(thought) => Some(sections(&self.read(thought, second)?).join("\n\n")),
            None => None,
        };
        let record = self.read(row, first)?;
        let text = match place {
            SummaryText::Nowhere => None,
            SummaryText::Message => record.payload.message.get().map(Cow::Borrowed),
            SummaryText::Replacement(item) => replacement(&record.payload, item).map(Cow::Owned),
        };
        self.push(&Entry {
            text: text.as_deref(),
            reasoning: reasoning.as_deref(),
            ..of(EntryKind::CompactionSummary, &record)
        })
    }

    fn assistant(
        &mut self,
        entry: &Assistant,
        buffers: &mut [Buffer; 2],
    ) -> Result<(), ReplayError> {
        let [first, second] = buffers;
        let plan = self.plan;
        let calls = &plan.calls[entry.calls.start as usize..entry.calls.end as usize];
        let mut head = Head::default();
        for at in entry.parts.clone() {
            let record = self.read(plan.parts[at as usize], first)?;
            head.part(&record, at >= entry.said_from);
        }
        if let (None, Some(call)) = (&head.created_at, calls.first()) {
            head.begin(&self.read(call.row, first)?);
        }
        self.push(&Entry {
            id: head.id.as_deref(),
            created_at: head.created_at.as_deref().filter(|time| !time.is_empty()),
            model: self.reading.words.get(entry.model as usize).map(String::as_str),
            text: head.said.as_deref(),
            reasoning: head.thought.as_deref(),
            calls: calls.len() as u32,
            usage: plan.usages.get(entry.usage as usize).copied(),
            stop_reason: self.reading.words.get(entry.stop as usize).map(String::as_str),
            ..Entry::new(EntryKind::Assistant)
        })?;
        calls.iter().try_for_each(|call| self.call(call, first, second))
    }

    fn call(
        &mut self,
        call: &Call,
        first: &mut Buffer,
        second: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let record = self.read(call.row, first)?;
        let payload = &record.payload;
        let id = payload.call_id.filled().or(payload.id.filled()).unwrap_or("");
        let (name, input) = (name(payload), Arguments::of(payload));
        let patch = input.patch();
        let edits = patch::edits(&patch);
        let tool = ToolCall {
            input: input.as_input(),
            edits: &edits,
            subagent: self.reading.started.get(id).map(String::as_str),
            ..ToolCall::new(id, &name)
        };
        let Some(answer) = call.answer else {
            let Some(picture) = generated(payload) else { return Ok(self.sink.call(&tool)?) };
            let result = ToolResult { pictures: &[picture], ..ToolResult::default() };
            return Ok(self.sink.call(&ToolCall { result: Some(result), ..tool })?);
        };
        let record = self.read(answer, second)?;
        let output = Output::of(&record.payload);
        let result = ToolResult {
            text: output.text(),
            is_error: output.failed,
            completed_at: record.row.timestamp.filled(),
            pictures: &output.pictures(),
        };
        Ok(self.sink.call(&ToolCall { result: Some(result), duration: output.took, ..tool })?)
    }
}

/// What an entry of the model's takes from its parts.
#[derive(Default)]
struct Head {
    id: Option<String>,
    created_at: Option<String>,
    thought: Option<String>,
    said: Option<String>,
}

impl Head {
    fn begin(&mut self, record: &Record<'_>) {
        let time = || record.row.timestamp.get().unwrap_or("").to_owned();
        self.created_at.get_or_insert_with(time);
        if self.id.is_none() {
            self.id = record.payload.id.filled().map(str::to_owned);
        }
    }

    fn part(&mut self, record: &Record<'_>, is_said: bool) {
        self.begin(record);
        if is_said {
            add(&mut self.said, &text(record).unwrap_or_default());
        } else {
            sections(record).into_iter().for_each(|section| add(&mut self.thought, section));
        }
    }
}

fn add(all: &mut Option<String>, text: &str) {
    match all {
        None => *all = Some(text.to_owned()),
        Some(all) => {
            all.push_str("\n\n");
            all.push_str(text);
        }
    }
}

/// The fields that every entry takes from its row.
fn of<'e>(kind: EntryKind, record: &'e Record<'_>) -> Entry<'e> {
    Entry {
        id: record.payload.id.filled(),
        created_at: record.row.timestamp.filled(),
        ..Entry::new(kind)
    }
}

/// The name of a tool. One of a foreign server is called by both names, as the model calls it.
fn name<'p>(payload: &'p Payload<'_>) -> Cow<'p, str> {
    let name = match (payload.name.filled(), payload.kind.get()) {
        (Some(name), _) => name,
        (None, Some(kind)) => kind.strip_suffix("_call").unwrap_or(kind),
        (None, None) => "",
    };
    match payload.namespace.filled() {
        None => Cow::Borrowed(name),
        Some(space) if space.ends_with("__") => Cow::Owned(format!("{space}{name}")),
        Some(space) => Cow::Owned(format!("{space}.{name}")),
    }
}

/// The arguments of a call.
enum Arguments<'p> {
    None,
    /// A JSON value, as it stands in the row.
    Raw(&'p RawValue),
    /// A JSON value that the row holds as a string.
    Value(Box<RawValue>),
    Text(Cow<'p, str>),
}

impl<'p> Arguments<'p> {
    fn of(payload: &'p Payload<'_>) -> Self {
        if let Some(input) = payload.input.and_then(decoded) {
            return Self::Text(input);
        }
        if let Some(prompt) = payload.revised_prompt.filled() {
            return Self::Text(Cow::Borrowed(prompt));
        }
        let Some(raw) = payload.arguments.or(payload.action).or(payload.input) else {
            return Self::None;
        };
        match decoded(raw) {
            None => Self::Raw(raw),
            Some(text) if text.trim().is_empty() => Self::None,
            Some(text) => match RawValue::from_string(text.trim().to_owned()) {
                Ok(value) => Self::Value(value),
                // A call that was broken off has the beginning of its arguments.
                Err(_) => Self::Text(text),
            },
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

    /// The text that holds a patch; a shell may be handed one, too.
    fn patch(&self) -> Cow<'_, str> {
        match self {
            Self::None => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Raw(raw) => patch::in_arguments(raw.get()),
            Self::Value(value) => patch::in_arguments(value.get()),
        }
    }
}

fn decoded(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Word<'_>>(raw.get()).ok()?.0
}

/// The picture that a call has drawn: its answer stands in the call itself.
fn generated<'p>(payload: &'p Payload<'_>) -> Option<FileRef<'p>> {
    payload.kind.is("image_generation_call").then_some(())?;
    let data = payload.result?.get().strip_prefix('"')?.strip_suffix('"')?;
    let padding = data.bytes().rev().take_while(|&b| b == b'=').count();
    let bytes = (data.len() - padding) as u64 * 3 / 4;
    Some(FileRef { media_type: Some("image/png"), bytes: Some(bytes), ..FileRef::default() })
}

/// The text of an item in the list that replaces the history.
fn replacement(payload: &Payload<'_>, item: u32) -> Option<String> {
    let history = payload.replacement_history?.get();
    let items: Vec<Object<Payload<'_>>> = serde_json::from_str(history).ok()?;
    said::text(&items.get(item as usize)?.0.as_ref()?.content).map(Cow::into_owned)
}
