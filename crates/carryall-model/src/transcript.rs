//! The two traits that join readers and writers.

use crate::{Entry, Facts, Found, OpenError, ReplayError, SinkError, ToolCall};
use std::ops::Range;

/// Takes entries as they are read. What it is given ends with the call: a sink copies what it keeps.
pub trait EntrySink {
    /// Takes the next entry; its calls follow one by one.
    ///
    /// # Errors
    /// When the sink takes no more; the transcript then stops.
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError>;

    /// Takes the next call of the last entry.
    ///
    /// # Errors
    /// When the sink takes no more; the transcript then stops.
    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError>;

    /// Whether it looks into calls and results, or only counts them. Where it does not, a
    /// transcript need not read them: a call is pushed without its id, name, input and result, and
    /// an entry that holds nothing but calls, or an orphan result, without its texts and facts.
    fn wants_tools(&self) -> bool {
        true
    }
}

impl<S: EntrySink + ?Sized> EntrySink for &mut S {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        (**self).entry(entry)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        (**self).call(call)
    }

    fn wants_tools(&self) -> bool {
        (**self).wants_tools()
    }
}

/// A conversation that can be read as often as one likes.
///
/// An agent that embeds the export implements [`facts`](Self::facts) and
/// [`replay`](Self::replay) over its own messages; the rest has an answer that fits a transcript
/// without files and without subagents.
pub trait Transcript {
    /// What is known of the session: no clock, no option.
    fn facts(&self) -> &Facts;

    /// Pushes the entries with these numbers (from 0, before anything is trimmed) and tells what
    /// was met. `0..u32::MAX` is the whole conversation.
    ///
    /// # Errors
    /// When the sink takes no more, or the source cannot be read or has changed.
    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError>;

    /// The files that are read, which no export may ever replace.
    fn sources(&self) -> &[FileId] {
        &[]
    }

    /// The subagents, in the order in which they were started.
    fn children(&self) -> &[Child] {
        &[]
    }

    /// Opens the subagent `children()[number]`.
    ///
    /// # Errors
    /// When there is none of that number, or its source cannot be read.
    fn open_child(&self, number: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        Err(OpenError::NoSuchChild { number })
    }
}

/// A file's identity: device and inode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The inode on it.
    pub inode: u64,
}

/// A subagent of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Child {
    /// Its session id.
    pub id: String,
    /// What it was asked to do, on one line.
    pub title: Option<String>,
    /// The call that started it.
    pub tool_call_id: Option<String>,
    /// Its message records.
    pub message_count: u64,
}
