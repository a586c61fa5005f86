//! What an export tells, as one sequence, and that it is what the slow reading tells.

use crate::oracle::{self, Beat};
use crate::{files, open, rows};
use carryall_model::{
    Entry, EntryKind, EntrySink, Found, Input, NoticeKind, SinkError, ToolCall, Transcript,
};
use serde_json::Value;
use std::path::Path;

/// What was pushed, as beats; neighbours of one kind are one where entries may join them.
#[derive(Default)]
pub(crate) struct Heard {
    pub(crate) beats: Vec<Beat>,
    pub(crate) entries: u32,
    awaited: u32,
}

impl EntrySink for Heard {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        assert_eq!(self.awaited, 0, "as many calls as the entry said");
        self.entries += 1;
        self.awaited = entry.calls;
        let text = || entry.text.unwrap_or_default().to_owned();
        let beat = match entry.kind {
            EntryKind::Assistant => {
                entry.reasoning.into_iter().for_each(|text| oracle::think(&mut self.beats, text));
                entry.text.into_iter().for_each(|text| oracle::say(&mut self.beats, text));
                return Ok(());
            }
            EntryKind::User if entry.is_meta => Beat::Host(text()),
            EntryKind::User => Beat::Prompt(text()),
            EntryKind::System if entry.is_meta => Beat::Instructions(text()),
            EntryKind::System => Beat::Problem(text()),
            EntryKind::CompactionSummary => Beat::Summary {
                text: entry.text.map(str::to_owned),
                thought: entry.reasoning.map(str::to_owned),
            },
            EntryKind::PlanDocument => Beat::Plan(text()),
            EntryKind::ToolResult => Beat::Orphan(rows::respaced(text())),
            EntryKind::Command => Beat::Shell(text(), entry.result.unwrap_or_default().to_owned()),
            EntryKind::Other => Beat::Other(text()),
        };
        self.beats.push(beat);
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        self.awaited = self.awaited.checked_sub(1).expect("no more calls than the entry said");
        self.beats.push(Beat::Call {
            id: call.id.to_owned(),
            name: call.name.to_owned(),
            input: match call.input {
                Some(Input::Json(raw)) => serde_json::from_str(raw.get()).expect("JSON"),
                Some(Input::Text(text)) => Value::String(text.to_owned()),
                None => Value::Null,
            },
            result: call.result.map(|result| rows::respaced(result.text.to_owned())),
        });
        Ok(())
    }
}

pub(crate) fn hear(thread: &dyn Transcript) -> (Heard, Found) {
    let mut heard = Heard::default();
    let found = thread.replay(0..u32::MAX, &mut heard).expect("the thread replays");
    assert_eq!(heard.awaited, 0, "as many calls as the last entry said");
    (heard, found)
}

/// Holds an export against the slow reading of the same files.
pub(crate) fn check(path: &Path) {
    let file = path.display();
    let thread = open(path);
    let (heard, found) = hear(&*thread);
    let expected = oracle::read(path);
    for (at, (heard, expected)) in heard.beats.iter().zip(&expected.beats).enumerate() {
        assert_eq!(heard, expected, "beat {at} of {file}");
    }
    assert_eq!(heard.beats.len(), expected.beats.len(), "{file}");
    let facts = thread.facts();
    let prompts = expected.beats.iter().filter(|beat| matches!(beat, Beat::Prompt(_))).count();
    assert_eq!(facts.user_turns, prompts as u64, "{file}");
    assert_eq!(facts.message_count, u64::from(heard.entries), "{file}");
    assert_eq!(facts.other_branches, expected.rollbacks, "{file}");
    let of_kind = |kind| found.notices.kept().iter().filter(move |n| n.kind == kind).count();
    assert_eq!(of_kind(NoticeKind::RolledBack) as u64, expected.rollbacks, "{file}");
    assert_eq!(of_kind(NoticeKind::UnknownKind), 0, "{file}");
}

#[test]
fn every_thread_tells_what_a_slow_reading_tells() {
    for path in files::fixtures().iter().chain(&files::corpus()) {
        // What is left of broken rows is the golden files' to say: the slow reading takes lines.
        if !path.to_string_lossy().contains("/damaged/") {
            check(path);
        }
    }
}
