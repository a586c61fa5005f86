//! The document that is being written: the session's, or a subagent's.

use super::spot::Spot;
use super::text;
use super::time::Moment;
use carryall_model::{Entry, EntryKind, Header, Place, ToolCall};
use std::collections::HashMap;
use std::io::{self, Write};

/// Which elements of an entry are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Open {
    /// None: between two entries.
    #[default]
    Nothing,
    /// The entry.
    Entry,
    /// The entry and the frame of its calls.
    Calls,
}

/// Where a document stands, and what must be known of what was written before.
#[derive(Debug, Default)]
pub(super) struct Document {
    spot: Spot,
    /// What is open.
    pub(super) open: Open,
    /// The model of the last entry, when an answer was the last.
    speaker: Option<Option<String>>,
    /// The folder in which the session began.
    pub(super) workspace: Option<String>,
    /// The day that a reader takes a time for.
    day: Option<i64>,
    /// The numbers of the subagents that follow, by their ids and by the calls that started them.
    by_id: HashMap<String, u32>,
    by_call: HashMap<String, u32>,
}

impl Document {
    /// A document in which nothing is written yet. The reader takes times for those of `day`.
    pub(super) fn new(header: &Header<'_>, day: Option<i64>) -> Self {
        let child = match header.place {
            Place::Root => None,
            Place::Child(number) => Some(number),
        };
        let workspace = header.facts.cwd.clone();
        let mut document = Self { day, workspace, ..Self::default() };
        document.spot.child = child;
        for listed in header.subagents {
            let Some(number) = listed.number else { continue };
            document.by_id.entry(listed.child.id.clone()).or_insert(number);
            if let Some(call) = &listed.child.tool_call_id {
                document.by_call.entry(call.clone()).or_insert(number);
            }
        }
        document
    }

    /// The subagent whose document it is.
    pub(super) fn child(&self) -> Option<u32> {
        self.spot.child
    }

    /// Counts an entry.
    pub(super) fn next_entry(&mut self) -> Spot {
        self.spot.entry += 1;
        self.spot.call = 0;
        self.spot
    }

    /// Counts a call of the last entry.
    pub(super) fn next_call(&mut self) -> Spot {
        self.spot.call += 1;
        self.spot
    }

    /// The level of an entry's heading.
    pub(super) fn level(&self) -> u8 {
        if self.spot.child.is_some() { 3 } else { 2 }
    }

    /// The number of the subagent that a call started, when its document follows.
    pub(super) fn child_of(&self, call: &ToolCall<'_>) -> Option<u32> {
        let by_id = call.subagent.and_then(|id| self.by_id.get(id));
        by_id.or_else(|| self.by_call.get(call.id)).copied()
    }

    /// Whether an entry goes on with the answer before: same model, nothing between.
    pub(super) fn continues(&mut self, entry: &Entry<'_>) -> bool {
        let answers = entry.kind == EntryKind::Assistant && !entry.is_meta;
        if !answers {
            self.speaker = None;
            return false;
        }
        if self.speaker.as_ref().is_some_and(|model| model.as_deref() == entry.model) {
            return true;
        }
        self.speaker = Some(entry.model.map(str::to_owned));
        false
    }

    /// Writes when an entry was recorded: the time, with the date when that has changed.
    pub(super) fn write_time<W: Write>(&mut self, out: &mut W, at: &str) -> io::Result<()> {
        let Some(moment) = Moment::parse(at) else {
            out.write_all(b"<span>")?;
            text::value(out, at)?;
            return out.write_all(b"</span>");
        };
        out.write_all(br#"<time datetime=""#)?;
        text::attribute(out, at)?;
        out.write_all(br#"">"#)?;
        self.write_moment(out, moment)?;
        self.day = Some(moment.day);
        out.write_all(b"</time>")
    }

    /// Writes when something was done, in the course of an entry.
    pub(super) fn write_clock<W: Write>(&self, out: &mut W, at: &str) -> io::Result<()> {
        match Moment::parse(at) {
            Some(moment) => self.write_moment(out, moment),
            None => text::value(out, at),
        }
    }

    fn write_moment<W: Write>(&self, out: &mut W, moment: Moment) -> io::Result<()> {
        if self.day == Some(moment.day) {
            write!(out, "{moment:#}")
        } else {
            write!(out, "{moment}")
        }
    }
}
