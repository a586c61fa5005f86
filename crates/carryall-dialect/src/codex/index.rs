//! The first pass: every row that matters becomes a node, some sixty bytes; texts stay in the file.

mod scan;
mod settle;
mod twins;

pub(super) use scan::{Bounds, Scan};
pub(super) use settle::{Rollback, Settled, settle};
pub(super) use twins::{sections, text};

use crate::source::Span;
use carryall_model::TokenUsage;

/// No node, no word.
pub(super) const NONE: u32 = u32::MAX;

/// A place in one of the files of a thread; the parents' come first, the thread's own is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: u16,
    pub(super) span: Span,
}

/// What a node is. A text may stand in an item or, when that is missing, in the event about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a person typed.
    Prompt,
    /// The same behind what an editor knows.
    EditorPrompt,
    /// What the host put in a person's place.
    Injected,
    /// What the host told the model.
    Instructions,
    /// What a person ran in a shell of the host's.
    Shell,
    /// A message of a role that has no word here.
    Other,
    /// A message of one agent to another.
    AgentMessage,
    /// What the model thought.
    Thought,
    /// What it said.
    Said,
    /// A plan that it proposed.
    Plan,
    /// A tool that it called; the call's number among the ids.
    Call(u32),
    /// The answer to a call.
    Output(u32),
    /// A summary: where its text stands, and what the model thought when it wrote it.
    Summary { text: SummaryText, thought: u32 },
    /// An error or a warning.
    Problem,
    /// Turns that were taken back.
    RolledBack(u32),
    /// A turn that was broken off, and why.
    Aborted(u32),
    /// The tokens of a response.
    Usage(u32),
    /// It stands elsewhere in the document.
    Elsewhere,
}

/// Where the text of a summary stands in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SummaryText {
    /// Nowhere that anybody but the vendor could read it.
    Nowhere,
    /// In the message.
    Message,
    /// In this item of the list that replaces the history.
    Replacement(u32),
}

/// A row that matters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) kind: Kind,
    /// The turn, in the order in which they were begun.
    pub(super) turn: u32,
    /// The model that was set, by the number of its word.
    pub(super) model: u32,
    /// An item about which there is an event, or the other way round.
    pub(super) twinned: bool,
}

/// All that the first pass keeps.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) nodes: Vec<Node>,
    /// Models and reasons.
    pub(super) words: Vec<String>,
    pub(super) usages: Vec<TokenUsage>,
    /// The tokens of the thread, as recorded last.
    pub(super) total: Option<TokenUsage>,
    pub(super) cwd: Option<String>,
    pub(super) approval: Option<String>,
    pub(super) sandbox: Option<String>,
    /// The name of the thread, when its own rows tell it.
    pub(super) name: Option<String>,
    pub(super) started_at: Option<String>,
    pub(super) ended_at: Option<String>,
    /// Rows of a kind that Codex writes.
    pub(super) known: u64,
    /// The row that began a turn of which no end is recorded.
    pub(super) open_turn: Option<Place>,
    /// Tools were called that start subagents.
    pub(super) spawns: bool,
}
