//! Calls with their results, and results without a call.

use super::{Buffer, Buffers, Part, Replay, from_row, parts};
use crate::claude_code::edits::EditInput;
use crate::claude_code::parts::answer;
use crate::claude_code::plan::{Answer, Item, Piece};
use crate::claude_code::row::{Block, Row};
use crate::claude_code::spill;
use crate::source::Span;
use carryall_model::{
    Entry, EntryKind, Input, Notice, NoticeKind, ReplayError, ToolCall, ToolResult,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

/// When an answer came, and after how long.
#[derive(Clone, Copy)]
struct Times<'a> {
    completed_at: Option<&'a str>,
    duration: Option<Duration>,
}

/// The results of a row, the first of each call.
fn results_by_call<'a>(row: &'a Row<'_>) -> HashMap<&'a str, &'a Block<'a>> {
    let content = row.message.0.as_ref().map_or(&[][..], |message| message.content.blocks());
    let mut results = HashMap::new();
    for block in content.iter().filter(|block| is_result(block)) {
        results.entry(block.tool_use_id.get().unwrap_or("")).or_insert(block);
    }
    results
}

impl Replay<'_> {
    pub(super) fn calls(
        &mut self,
        row: &Row<'_>,
        piece: &Piece,
        answers: &mut dyn Iterator<Item = Option<Answer>>,
        buffer: &mut Buffer,
    ) -> Result<(), ReplayError> {
        let calls = parts(row, piece).filter_map(|part| match part {
            Part::Call(block) => Some(block),
            _ => None,
        });
        let calls: Vec<_> = calls.map(|block| (block, answers.next().flatten())).collect();
        // Calls that one row answers, one behind the other, read it once between them.
        for shared in calls.chunk_by(|(_, a), (_, b)| a == b) {
            let Some(answer) = shared[0].1 else {
                for (block, _) in shared {
                    self.call(block, None)?;
                }
                continue;
            };
            let span = answer.row;
            let answering = self.read_answer(answer, buffer)?;
            // A server tool's answer stands in the row of its call: no time to tell.
            let called_at = row.timestamp.get().filter(|_| span != piece.row);
            let completed_at = answering.timestamp.filled();
            let times = Times {
                completed_at,
                duration: called_at.zip(completed_at).and_then(|(from, to)| elapsed(from, to)),
            };
            let results = results_by_call(&answering);
            for (block, _) in shared {
                let id = block.id.get().unwrap_or("");
                let result = results.get(id).ok_or_else(|| self.reading.source.changed())?;
                self.call(block, Some((result, span, times)))?;
            }
        }
        Ok(())
    }

    /// Calls for a sink that counts them and looks no further.
    pub(super) fn unread_calls(&mut self, calls: u32) -> Result<(), ReplayError> {
        Ok((0..calls).try_for_each(|_| self.sink.call(&ToolCall::new("", "")))?)
    }

    fn call(
        &mut self,
        block: &Block<'_>,
        answered: Option<(&Block<'_>, Span, Times<'_>)>,
    ) -> Result<(), ReplayError> {
        let id = block.id.get().unwrap_or("");
        let name = block.name.get().unwrap_or("");
        let edits = EditInput::of(name, block.input);
        let edits = edits.edits();
        let call = ToolCall {
            input: block.input.map(Input::Json),
            edits: &edits,
            subagent: self.reading.started.by(id),
            ..ToolCall::new(id, name)
        };
        let Some((block, span, times)) = answered else { return Ok(self.sink.call(&call)?) };
        let (text, pictures) = answer(block);
        let text = self.unspilled(text, span);
        let result = ToolResult {
            text: &text,
            is_error: block.is_error.0,
            completed_at: times.completed_at,
            pictures: &pictures,
        };
        let duration = times.duration;
        Ok(self.sink.call(&ToolCall { result: Some(result), duration, ..call })?)
    }

    /// The whole of a result that stands in a file of its own; its preview when that is gone.
    fn unspilled<'t>(&mut self, text: Cow<'t, str>, span: Span) -> Cow<'t, str> {
        let Some(path) = spill::path(&text) else { return text };
        if let Some(bytes) = self.reading.spills.read(path) {
            let whole = String::from_utf8_lossy(&bytes).into_owned();
            if std::str::from_utf8(&bytes).is_err() {
                let replaced = whole.matches(char::REPLACEMENT_CHARACTER).count();
                self.found.replaced_characters += replaced as u64;
            }
            return Cow::Owned(whole);
        }
        let detail = "the rest of a result, whose beginning is shown";
        self.notice(Notice::new(NoticeKind::MissingFile).with_detail(detail), span);
        text
    }

    /// Results of one row that no call of the file waits for.
    pub(super) fn orphans(
        &mut self,
        span: Span,
        items: &[Item],
        b: &mut Buffers,
    ) -> Result<(), ReplayError> {
        if !self.wants_tools {
            let entry = Entry::new(EntryKind::ToolResult);
            return items.iter().try_for_each(|_| self.push(&entry));
        }
        let row = self.read(span, &mut b.first)?;
        let content = row.message.0.as_ref().map_or(&[][..], |message| message.content.blocks());
        for item in items {
            let Item::Orphan { block, .. } = item else { continue };
            let Some(block) = content.get(*block as usize).filter(|block| is_result(block)) else {
                return Err(self.reading.source.changed());
            };
            let (text, pictures) = answer(block);
            let text = self.unspilled(text, span);
            self.push(&Entry {
                text: Some(&text),
                attachments: &pictures,
                tool_call_id: block.tool_use_id.filled(),
                ..from_row(EntryKind::ToolResult, &row)
            })?;
        }
        Ok(())
    }
}

fn is_result(block: &Block<'_>) -> bool {
    block.kind.get().is_some_and(|kind| kind.ends_with("tool_result"))
}

fn elapsed(from: &str, to: &str) -> Option<Duration> {
    let time = |text| chrono::DateTime::parse_from_rfc3339(text).ok();
    (time(to)? - time(from)?).to_std().ok()
}
