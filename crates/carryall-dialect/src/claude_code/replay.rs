//! The second pass: spans are read again and become entries.

mod tools;

use super::agents::Started;
use super::index::{NONE, Response};
use super::lenient::Content;
use super::parts::{join, named_file, said, says_something, text_of};
use super::plan::{Answer, Item, Piece, Plan, Take};
use super::row::{Block, Row};
use super::spill::Spills;
use super::{command, row};
use crate::rows;
use crate::source::{Source, Span};
use carryall_model::{
    Entry, EntryKind, EntrySink, FileRef, Found, Notice, NoticeKind, ReplayError,
};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::slice;

/// What the entries of a file are read from.
pub(super) struct Reading<'r> {
    /// The file.
    pub(super) source: &'r Source,
    /// All responses of the file.
    pub(super) responses: &'r [Response],
    /// Names of models and stop reasons.
    pub(super) words: &'r [String],
    /// Results with files of their own.
    pub(super) spills: &'r Spills,
    /// The subagents that calls started.
    pub(super) started: &'r Started,
}

/// The bytes of a row, or of a part of it, and of its repaired copy when it needs one.
#[derive(Default)]
struct Buffer {
    /// The row without what need not be read of it.
    part: Vec<u8>,
    row: Vec<u8>,
    repaired: Vec<u8>,
}

/// Rows that are held at the same time: the first of an entry, a later one, a result.
#[derive(Default)]
struct Buffers {
    first: Buffer,
    later: Buffer,
    result: Buffer,
}

/// Pushes the entries with these numbers.
pub(super) fn replay(
    reading: &Reading<'_>,
    plan: &Plan,
    which: Range<u32>,
    sink: &mut dyn EntrySink,
) -> Result<Found, ReplayError> {
    let wants_tools = sink.wants_tools();
    let (found, seen) = (Found::default(), HashSet::new());
    let mut replay = Replay { reading, plan, sink, wants_tools, found, seen };
    let end = (which.end as usize).min(plan.items.len());
    let start = (which.start as usize).min(end);
    let mut buffers = Buffers::default();
    // Many orphans of one row read it once.
    for items in plan.items[start..end].chunk_by(Item::is_orphan_beside) {
        match items {
            [Item::Orphan { row, .. }, ..] => replay.orphans(*row, items, &mut buffers)?,
            items => items.iter().try_for_each(|item| replay.item(item, &mut buffers))?,
        }
    }
    Ok(replay.found)
}

struct Replay<'r> {
    reading: &'r Reading<'r>,
    plan: &'r Plan,
    sink: &'r mut dyn EntrySink,
    wants_tools: bool,
    found: Found,
    /// Rows with replaced characters that have been counted.
    seen: HashSet<u64>,
}

impl<'r> Replay<'r> {
    fn item(&mut self, item: &Item, buffers: &mut Buffers) -> Result<(), ReplayError> {
        match item {
            Item::Assistant { pieces, calls, closes, meta } => {
                let plan = self.plan;
                let pieces = &plan.pieces[pieces.start as usize..pieces.end as usize];
                let answers = &plan.answers[calls.start as usize..calls.end as usize];
                self.assistant(pieces, answers, *closes, *meta, buffers)
            }
            Item::User { row, take, meta, files } => {
                self.user(*row, *take, *meta, files.clone(), buffers)
            }
            Item::Orphan { row, .. } => self.orphans(*row, slice::from_ref(item), buffers),
            Item::Summary { row } => {
                let row = self.read(*row, &mut buffers.first)?;
                let text = whole_text(&row);
                self.push(&Entry {
                    text: text.as_deref(),
                    ..from_row(EntryKind::CompactionSummary, &row)
                })
            }
            Item::System { row, meta } => {
                let row = self.read(*row, &mut buffers.first)?;
                self.push(&Entry {
                    text: row.content.get(),
                    is_meta: *meta,
                    ..from_row(EntryKind::System, &row)
                })
            }
            Item::Command { line, output, shell } => self.command(*line, *output, *shell, buffers),
            Item::Queued { row, meta } => self.queued(*row, *meta, buffers),
            Item::Hook { row } => self.hook(*row, buffers),
        }
    }

    fn push(&mut self, entry: &Entry<'_>) -> Result<(), ReplayError> {
        Ok(self.sink.entry(entry)?)
    }

    fn read<'b>(&mut self, span: Span, buffer: &'b mut Buffer) -> Result<Row<'b>, ReplayError> {
        self.read_whole(span, &mut buffer.row, &mut buffer.repaired)
    }

    fn read_whole<'b>(
        &mut self,
        span: Span,
        row: &'b mut Vec<u8>,
        repaired: &'b mut Vec<u8>,
    ) -> Result<Row<'b>, ReplayError> {
        let bytes = self.reading.source.read_span(span, row)?;
        let parsed = rows::parse(bytes, repaired);
        let parsed = parsed.map_err(|_| self.reading.source.changed())?;
        if parsed.replaced > 0 && self.seen.insert(span.at) {
            self.found.replaced_characters += parsed.replaced;
            self.notice(Notice::new(NoticeKind::ReplacedCharacters), span);
        }
        Ok(parsed.value)
    }

    /// Reads the row with an answer, without its twin unless that has to be repaired with it.
    fn read_answer<'b>(
        &mut self,
        answer: Answer,
        buffer: &'b mut Buffer,
    ) -> Result<Row<'b>, ReplayError> {
        if let Some(hole) = answer.twin.hole() {
            let part = self.reading.source.read_around(answer.row, hole, &mut buffer.part)?;
            if let Ok(row) = serde_json::from_slice(part) {
                return Ok(row);
            }
        }
        self.read_whole(answer.row, &mut buffer.row, &mut buffer.repaired)
    }

    fn assistant(
        &mut self,
        pieces: &[Piece],
        answers: &[Option<Answer>],
        closes: Option<u32>,
        meta: bool,
        buffers: &mut Buffers,
    ) -> Result<(), ReplayError> {
        let Buffers { first, later, result } = buffers;
        let Some((head, rest)) = pieces.split_first() else { return Ok(()) };
        // Calls come last in an entry: when it does not begin with a text, it holds none.
        if !self.wants_tools && !head.head {
            let calls = answers.len() as u32;
            self.push(&Entry { calls, is_meta: meta, ..Entry::new(EntryKind::Assistant) })?;
            return self.unread_calls(calls);
        }
        let row = self.read(head.row, first)?;
        let mut texts = Texts::default();
        texts.add(parts(&row, head));
        for piece in rest.iter().filter(|piece| piece.head) {
            let row = self.read(piece.row, later)?;
            texts.add(parts(&row, piece).map(Part::into_owned));
        }
        self.push(&self.assistant_entry(&row, &texts, answers.len(), closes, meta))?;
        if !self.wants_tools {
            return self.unread_calls(answers.len() as u32);
        }
        let mut answers = answers.iter().copied();
        self.calls(&row, head, &mut answers, result)?;
        for piece in rest.iter().filter(|piece| piece.calls > 0) {
            let row = self.read(piece.row, later)?;
            self.calls(&row, piece, &mut answers, result)?;
        }
        Ok(())
    }

    fn assistant_entry<'e>(
        &self,
        row: &'e Row<'_>,
        texts: &'e Texts<'_>,
        calls: usize,
        closes: Option<u32>,
        is_meta: bool,
    ) -> Entry<'e>
    where
        'r: 'e,
    {
        let message = row.message.0.as_ref();
        let response = closes.map(|n| &self.reading.responses[n as usize]);
        let stop = response.map_or(NONE, |response| response.stop);
        Entry {
            id: message.and_then(|message| message.id.filled()).or(row.uuid.filled()),
            model: message.and_then(|message| message.model.filled()).filter(|_| !is_meta),
            text: texts.text.as_deref(),
            reasoning: texts.reasoning.as_deref(),
            calls: calls as u32,
            usage: response.and_then(|response| response.usage).filter(|_| !is_meta),
            stop_reason: self.reading.words.get(stop as usize).map(String::as_str),
            is_meta,
            ..from_row(EntryKind::Assistant, row)
        }
    }

    /// A notice about the row that a span stands in.
    fn notice(&mut self, notice: Notice, span: Span) {
        self.found.notices.push(notice.at(span.row.into(), span.at, span.len.into()));
    }

    fn user(
        &mut self,
        span: Span,
        take: Take,
        is_meta: bool,
        files: Range<u32>,
        buffers: &mut Buffers,
    ) -> Result<(), ReplayError> {
        let row = self.read(span, &mut buffers.first)?;
        let (mut text, mut attachments) =
            row.message.0.as_ref().map(|m| said(&m.content, take)).unwrap_or_default();
        if take == Take::Line {
            text = text.map(|text| command::line(&text).into());
        }
        let mut named = Vec::new();
        for &file in &self.plan.files[files.start as usize..files.end as usize] {
            let row = self.read(file, &mut buffers.later)?;
            let file = row.attachment.0.as_ref().and_then(named_file);
            named.extend(file.map(|f| (f.path.to_owned(), f.name.map(str::to_owned))));
        }
        attachments.extend(named.iter().map(|(path, name)| FileRef {
            path,
            name: name.as_deref(),
            ..FileRef::default()
        }));
        self.push(&Entry {
            text: text.as_deref(),
            attachments: &attachments,
            is_meta,
            ..from_row(EntryKind::User, &row)
        })
    }

    fn command(
        &mut self,
        line: Option<Span>,
        output: Option<Span>,
        ran_shell: bool,
        buffers: &mut Buffers,
    ) -> Result<(), ReplayError> {
        let Buffers { first, later, .. } = buffers;
        let Some(main) = line.or(output) else { return Ok(()) };
        let row = self.read(main, first)?;
        let text = line.and(whole_text(&row)).map(|text| command::line(&text));
        let printed = match (line, output) {
            (Some(_), Some(output)) => whole_text(&self.read(output, later)?).map(output_of),
            (None, Some(_)) => whole_text(&row).map(output_of),
            (_, None) => None,
        };
        self.push(&Entry {
            text: text.as_deref(),
            result: printed.as_deref(),
            ran_shell,
            ..from_row(EntryKind::Command, &row)
        })
    }

    fn queued(&mut self, span: Span, meta: bool, b: &mut Buffers) -> Result<(), ReplayError> {
        let row = self.read(span, &mut b.first)?;
        let attachment = row.attachment.0.as_ref();
        let (text, files) = attachment.map(|a| said(&a.prompt, Take::All)).unwrap_or_default();
        self.push(&Entry {
            text: text.as_deref(),
            attachments: &files,
            is_meta: meta,
            ..from_row(EntryKind::User, &row)
        })
    }

    fn hook(&mut self, span: Span, buffers: &mut Buffers) -> Result<(), ReplayError> {
        let row = self.read(span, &mut buffers.first)?;
        let Some(attachment) = &row.attachment.0 else {
            return Err(self.reading.source.changed());
        };
        let stopped: Option<&row::BlockingError<'_>> = attachment.blocking_error.0.as_ref();
        let (given, _) = said(&attachment.content, Take::All);
        let text = stopped.and_then(|error| error.blocking_error.get()).map(Cow::from).or(given);
        self.push(&Entry {
            text: text.as_deref(),
            is_meta: true,
            ..from_row(EntryKind::User, &row)
        })
    }
}

fn output_of(text: Cow<'_, str>) -> String {
    command::output(&text)
}

/// The fields that every entry takes from its row.
fn from_row<'e>(kind: EntryKind, row: &'e Row<'_>) -> Entry<'e> {
    Entry {
        id: row.uuid.filled(),
        parent_id: row.parent_uuid.filled(),
        created_at: row.timestamp.filled(),
        ..Entry::new(kind)
    }
}

/// The text of a user or system row.
fn whole_text<'e>(row: &'e Row<'_>) -> Option<Cow<'e, str>> {
    row.message.0.as_ref().and_then(text_of).or(row.content.get().map(Cow::Borrowed))
}

/// A part of a response.
enum Part<'p> {
    Reasoning(Cow<'p, str>),
    Text(Cow<'p, str>),
    Call(&'p Block<'p>),
}

impl Part<'_> {
    /// The same part on its own; a call, which is read again later, becomes an empty text.
    fn into_owned<'o>(self) -> Part<'o> {
        match self {
            Self::Reasoning(text) => Part::Reasoning(Cow::Owned(text.into_owned())),
            Self::Text(text) => Part::Text(Cow::Owned(text.into_owned())),
            Self::Call(_) => Part::Text(Cow::Borrowed("")),
        }
    }
}

/// The parts in a piece of a row.
fn parts<'p>(row: &'p Row<'p>, piece: &Piece) -> impl Iterator<Item = Part<'p>> {
    let content = row.message.0.as_ref().map(|message| &message.content);
    let (whole, blocks) = match content {
        None | Some(Content::Nothing) => (None, &[][..]),
        Some(Content::Text(text)) => (Some(&**text), &[][..]),
        Some(Content::Blocks(blocks)) => (None, blocks.as_slice()),
    };
    let range = (piece.from as usize).min(blocks.len())..(piece.to as usize).min(blocks.len());
    let whole = whole.into_iter().map(|text| Part::Text(Cow::Borrowed(text)));
    whole.chain(blocks[range].iter().filter_map(part))
}

fn part<'p>(block: &'p Block<'p>) -> Option<Part<'p>> {
    match block.kind.get()? {
        "text" => Some(Part::Text(block.text.get().filter(|t| says_something(t))?.into())),
        "thinking" => {
            Some(Part::Reasoning(block.thinking.get().filter(|t| says_something(t))?.into()))
        }
        "tool_use" | "server_tool_use" | "mcp_tool_use" => Some(Part::Call(block)),
        _ => None,
    }
}

/// What an assistant entry says.
#[derive(Default)]
struct Texts<'t> {
    reasoning: Option<Cow<'t, str>>,
    text: Option<Cow<'t, str>>,
}

impl<'t> Texts<'t> {
    fn add(&mut self, parts: impl Iterator<Item = Part<'t>>) {
        for part in parts {
            match part {
                Part::Reasoning(text) => join(&mut self.reasoning, text, "\n\n"),
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => join(&mut self.text, text, "\n\n"),
                Part::Call(_) => {}
            }
        }
    }
}
