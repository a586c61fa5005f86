//! The second pass: rows are read again and become entries.

use super::edits::EditInput;
use super::index::Index;
use super::known::What;
use super::parts::{Part, injected, line, parts, pictures, printed, text, told};
use super::plan::{Item, Plan};
use super::row::{Block, Message, Row};
use crate::rows;
use crate::source::{Source, Span};
use carryall_model::{
    Entry, EntryKind, EntrySink, Found, Input, Notice, NoticeKind, ReplayError, ToolCall,
    ToolResult,
};
use std::collections::HashSet;
use std::ops::Range;
use std::time::Duration;

/// Pushes the entries with these numbers.
pub(super) fn replay(
    source: &Source,
    index: &Index,
    plan: &Plan,
    which: Range<u32>,
    sink: &mut dyn EntrySink,
) -> Result<Found, ReplayError> {
    let (found, seen) = (Found::default(), HashSet::new());
    let mut replay = Replay { source, index, plan, sink, found, seen };
    let end = (which.end as usize).min(plan.items.len());
    let start = (which.start as usize).min(end);
    let mut buffers = [Buffer::default(), Buffer::default()];
    for item in &plan.items[start..end] {
        replay.item(item, &mut buffers)?;
    }
    Ok(replay.found)
}

/// The bytes of a row, and of its repaired copy when it needs one.
#[derive(Default)]
struct Buffer {
    row: Vec<u8>,
    repaired: Vec<u8>,
}

struct Replay<'r> {
    source: &'r Source,
    index: &'r Index,
    plan: &'r Plan,
    sink: &'r mut dyn EntrySink,
    found: Found,
    /// Rows with replaced characters that have been counted.
    seen: HashSet<u64>,
}

impl Replay<'_> {
    fn item(&mut self, item: &Item, buffers: &mut [Buffer; 2]) -> Result<(), ReplayError> {
        let [first, _] = buffers;
        match item {
            Item::Assistant { .. } => self.assistant(item, buffers),
            Item::Failure { row } => {
                let row = self.read(*row, first)?;
                let message = self.message(&row)?;
                let (text, is_meta) = (message.error_message.get(), true);
                self.push(&Entry { text, is_meta, ..of(EntryKind::Assistant, &row) })
            }
            Item::Row { row, what } => {
                let row = self.read(*row, first)?;
                self.row(&row, *what)
            }
        }
    }

    fn push(&mut self, entry: &Entry<'_>) -> Result<(), ReplayError> {
        Ok(self.sink.entry(entry)?)
    }

    fn read<'b>(&mut self, span: Span, buffer: &'b mut Buffer) -> Result<Row<'b>, ReplayError> {
        let bytes = self.source.read_span(span, &mut buffer.row)?;
        let parsed = rows::parse(bytes, &mut buffer.repaired);
        let parsed = parsed.map_err(|_| self.source.changed())?;
        if parsed.replaced > 0 && self.seen.insert(span.at) {
            self.found.replaced_characters += parsed.replaced;
            let notice = Notice::new(NoticeKind::ReplacedCharacters);
            self.found.notices.push(notice.at(span.row.into(), span.at, span.len.into()));
        }
        Ok(parsed.value)
    }

    fn message<'m, 'a>(&self, row: &'m Row<'a>) -> Result<&'m Message<'a>, ReplayError> {
        row.message.0.as_ref().ok_or_else(|| self.source.changed())
    }

    /// A row that is an entry of its own.
    fn row(&mut self, row: &Row<'_>, what: What) -> Result<(), ReplayError> {
        match what {
            What::Shell => return self.shell(row),
            What::Compaction => {
                let text = row.summary.get();
                return self.push(&Entry { text, ..of(EntryKind::CompactionSummary, row) });
            }
            What::BranchSummary => {
                let (role, text) = (Some("branch_summary"), row.summary.get());
                return self.push(&Entry { role, text, ..of(EntryKind::Other, row) });
            }
            What::Injected => {
                let content = injected(row);
                let (text, attachments) = (text(content), pictures(content));
                return self.push(&Entry {
                    text: text.as_deref(),
                    attachments: &attachments,
                    is_meta: true,
                    ..of(EntryKind::User, row)
                });
            }
            _ => {}
        }
        let message = self.message(row)?;
        let attachments = pictures(&message.content);
        let said = if what == What::System { told(message) } else { text(&message.content) };
        let said = said.as_deref();
        let entry = match what {
            What::System => Entry { text: said, is_meta: true, ..of(EntryKind::System, row) },
            What::Result => Entry {
                text: Some(said.unwrap_or("")),
                tool_call_id: message.tool_call_id.filled(),
                ..of(EntryKind::ToolResult, row)
            },
            What::OtherRole => {
                Entry { role: message.role.get(), text: said, ..of(EntryKind::Other, row) }
            }
            _ => Entry { text: said, ..of(EntryKind::User, row) },
        };
        self.push(&Entry { attachments: &attachments, ..entry })
    }

    fn shell(&mut self, row: &Row<'_>) -> Result<(), ReplayError> {
        let message = self.message(row)?;
        let (line, printed) = (line(message), printed(message));
        self.push(&Entry {
            text: Some(&line),
            result: Some(&printed),
            ran_shell: true,
            ..of(EntryKind::Command, row)
        })
    }

    fn assistant(&mut self, item: &Item, buffers: &mut [Buffer; 2]) -> Result<(), ReplayError> {
        let Item::Assistant { row, parts: which, calls, usage, closes } = item else {
            return Ok(());
        };
        let [first, second] = buffers;
        let row = self.read(*row, first)?;
        let message = self.message(&row)?;
        let parts = parts(message);
        let Some(parts) = parts.get(which.start as usize..which.end as usize) else {
            return Err(self.source.changed());
        };
        let (mut thought, mut said, mut called) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Thought(text) => thought.push(*text),
                Part::Said(text) => said.push(*text),
                Part::Call(call) => called.push(*call),
            }
        }
        let joined = |texts: Vec<&str>| (!texts.is_empty()).then(|| texts.join("\n\n"));
        let (thought, said) = (joined(thought), joined(said));
        let spent = self.index.usages.get(*usage as usize);
        self.push(&Entry {
            model: message.model.filled(),
            text: said.as_deref(),
            reasoning: thought.as_deref(),
            calls: called.len() as u32,
            usage: spent.and_then(|spent| spent.tokens),
            stop_reason: message.stop_reason.filled().filter(|_| *closes),
            ..of(EntryKind::Assistant, &row)
        })?;
        let answers = self.plan.answers[calls.start as usize..calls.end as usize].iter();
        called.iter().zip(answers).try_for_each(|(call, answer)| self.call(call, *answer, second))
    }

    fn call(
        &mut self,
        call: &Block<'_>,
        answer: Option<Span>,
        buffer: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let name = call.name.get().unwrap_or("");
        let input = EditInput::of(name, call.arguments);
        let edits = input.edits();
        let tool = ToolCall {
            input: call.arguments.map(Input::Json),
            edits: &edits,
            ..ToolCall::new(call.id.get().unwrap_or(""), name)
        };
        let Some(answer) = answer else { return Ok(self.sink.call(&tool)?) };
        let row = self.read(answer, buffer)?;
        let message = self.message(&row)?;
        let (text, pictures) = (text(&message.content), pictures(&message.content));
        let result = ToolResult {
            text: text.as_deref().unwrap_or(""),
            is_error: message.is_error.0,
            completed_at: row.timestamp.filled(),
            pictures: &pictures,
        };
        let duration = message.duration_ms.0.map(Duration::from_millis);
        Ok(self.sink.call(&ToolCall { result: Some(result), duration, ..tool })?)
    }
}

/// The fields that every entry takes from its row.
fn of<'e>(kind: EntryKind, row: &'e Row<'_>) -> Entry<'e> {
    Entry {
        id: row.id.filled(),
        parent_id: row.parent_id.id(),
        created_at: row.timestamp.filled(),
        ..Entry::new(kind)
    }
}
