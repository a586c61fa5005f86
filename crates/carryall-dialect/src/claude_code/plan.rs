//! What the second pass reads, entry by entry: spans, and nothing of the texts.
//!
//! Every [`Item`] is one entry, so an entry's number is its place in the plan and reading may begin
//! anywhere.

mod build;
mod pairs;

pub(super) use build::{build, without_copies};

use super::twin::Twin;
use crate::source::Span;
use std::ops::Range;

/// Which blocks of a user row an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Take {
    /// All that are no tool results.
    All,
    /// Those that nobody typed.
    Injected,
    /// The others.
    Typed,
    /// The command line that the row records.
    Line,
}

/// One entry.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// Parts of one response.
    Assistant {
        /// Its parts, of [`Plan::pieces`].
        pieces: Range<u32>,
        /// The answers to its calls, of [`Plan::answers`].
        calls: Range<u32>,
        /// The response's number, when this is its last entry.
        closes: Option<u32>,
        /// No model wrote it.
        meta: bool,
    },
    /// A prompt, or text in its place; `files` of [`Plan::files`] came with it.
    User { row: Span, take: Take, meta: bool, files: Range<u32> },
    /// A result without its call: the block with this number.
    Orphan { row: Span, block: u32 },
    /// A compaction summary; a boundary row when there is no other.
    Summary { row: Span },
    /// A text of the host.
    System { row: Span, meta: bool },
    /// A command line and what it printed; one of both may be missing.
    Command { line: Option<Span>, output: Option<Span>, shell: bool },
    /// What was queued while the agent worked.
    Queued { row: Span, meta: bool },
    /// What a hook told the agent.
    Hook { row: Span },
}

impl Plan {
    /// Every row that something of an entry, a call or a result is read from; some come twice.
    pub(super) fn spans(&self) -> impl Iterator<Item = Span> {
        let items = self.items.iter().flat_map(Item::spans);
        let pieces = self.pieces.iter().map(|piece| piece.row);
        let answers = self.answers.iter().flatten().map(|answer| answer.row);
        items.chain(pieces).chain(answers).chain(self.files.iter().copied())
    }
}

impl Item {
    /// The rows that the entry names itself.
    fn spans(&self) -> impl Iterator<Item = Span> {
        let (one, other) = match *self {
            Self::Assistant { .. } => (None, None),
            Self::User { row, .. }
            | Self::Orphan { row, .. }
            | Self::Summary { row }
            | Self::System { row, .. }
            | Self::Queued { row, .. }
            | Self::Hook { row } => (Some(row), None),
            Self::Command { line, output, .. } => (line, output),
        };
        one.into_iter().chain(other)
    }

    /// Both are results without their call, and stand in one row.
    pub(super) fn is_orphan_beside(&self, next: &Self) -> bool {
        let (Self::Orphan { row: a, .. }, Self::Orphan { row: b, .. }) = (self, next) else {
            return false;
        };
        a == b
    }
}

/// Neighbouring blocks of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The row.
    pub(super) row: Span,
    /// The first block.
    pub(super) from: u32,
    /// The block after the last one.
    pub(super) to: u32,
    /// There is text or reasoning in it.
    pub(super) head: bool,
    /// How many calls are in it.
    pub(super) calls: u32,
}

/// The row with the answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The row.
    pub(super) row: Span,
    /// What of it need not be read.
    pub(super) twin: Twin,
}

/// All entries of a conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// The entries.
    pub(super) items: Vec<Item>,
    /// The parts of responses.
    pub(super) pieces: Vec<Piece>,
    /// The row with the answer, for each call in the order of the entries.
    pub(super) answers: Vec<Option<Answer>>,
    /// Attachment rows that name files.
    pub(super) files: Vec<Span>,
}

/// What the conversation adds up to.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Message records.
    pub(super) messages: u64,
    /// Prompts that a person typed.
    pub(super) prompts: u64,
    /// The models, by the number of their name, in the order of their first use.
    pub(super) models: Vec<u32>,
    /// The model used last.
    pub(super) model: Option<u32>,
    /// The usage of all responses shown.
    pub(super) usage: carryall_model::TokenUsage,
    /// The entry that is the first prompt.
    pub(super) first_prompt: Option<u32>,
}
