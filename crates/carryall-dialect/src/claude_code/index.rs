//! The first pass: every row becomes a node with its links, its kind and what it holds, about a
//! hundred bytes in all. Texts stay in the file.

mod classify;
mod scan;

pub(super) use classify::{Class, classify_row};
pub(super) use scan::{is_known_block, scan};

use super::twin::Twin;
use crate::source::Span;
use carryall_model::TokenUsage;
use std::hash::{DefaultHasher, Hash, Hasher};

/// No node, no response.
pub(super) const NONE: u32 = u32::MAX;

/// An id in 128 bits: a UUID as it is, any other string by two hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(u64, u64);

impl Key {
    /// The key of an id.
    pub(super) fn of(id: &str) -> Self {
        let bytes = id.as_bytes();
        if bytes.len() == 36 && [8, 13, 18, 23].iter().all(|&at| bytes[at] == b'-') {
            let hex = |range| u64::from_str_radix(id.get(range)?, 16).ok();
            let parts = [hex(0..8), hex(9..13), hex(14..18), hex(19..23), hex(24..36)];
            if let [Some(a), Some(b), Some(c), Some(d), Some(e)] = parts {
                return Self(a << 32 | b << 16 | c, d << 48 | e);
            }
        }
        Self(print(&(0u8, id)), print(&(1u8, id)))
    }
}

/// A fingerprint of a value.
pub(super) fn print(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The row that a row answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// It is the first of its conversation.
    Root,
    /// This node.
    Node(u32),
    /// A row that is not in the file.
    Missing,
}

/// What a node is, as far as the conversation cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A `user` row.
    User(Said),
    /// An `assistant` row; `local` when no model wrote it.
    Assistant { local: bool },
    /// A `system` row.
    System(System),
    /// An `attachment` row.
    Attachment(Attached),
    /// A `progress` row: nothing to show, but it links.
    Progress,
}

/// What the text of a user row is; results are told by the node's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// No text and no picture.
    Nothing,
    /// A prompt.
    Typed,
    /// Text that nobody typed.
    Injected,
    /// A prompt with blocks beside it that nobody typed.
    Mixed,
    /// A slash command.
    Command,
    /// What a slash command printed.
    Output,
    /// A shell line.
    Shell,
    /// What a shell line printed.
    ShellOutput,
    /// A compaction summary.
    Summary,
    /// A summary that is not marked as one: it is one after a compaction boundary, and where
    /// there is nothing before it.
    Continuation,
}

/// What a system row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    /// The place of a compaction.
    Boundary,
    /// A text for the person.
    Text,
    /// What a hook printed.
    Hook,
    /// A slash command.
    Command,
    /// What a slash command printed.
    Output,
    /// Facts about the session.
    Silent,
}

/// What an attachment row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attached {
    /// A prompt that was typed while the agent worked.
    Prompt,
    /// Something else that was queued for the agent.
    Queued,
    /// Text that a hook gave to the agent.
    Hook,
    /// A file that the prompt before it mentions.
    File,
    /// A reminder or a fact for the agent.
    Silent,
}

/// What a block of a message is; a block number is an index into a node's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Reasoning that can be read.
    Reasoning,
    /// Text with something in it.
    Text,
    /// A tool call, by the number of its id.
    Call(u32),
    /// The answer to the call with that number.
    Result(u32),
    /// A picture or document.
    Picture,
    /// Nothing to show.
    Silent,
}

impl Part {
    /// The call that it answers.
    pub(super) fn answers(self) -> Option<u32> {
        match self {
            Self::Result(call) => Some(call),
            Self::Reasoning | Self::Text | Self::Call(_) | Self::Picture | Self::Silent => None,
        }
    }
}

/// A row of the conversation's tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Where it stands.
    pub(super) span: Span,
    /// Its row, counted from 1.
    pub(super) row: u32,
    /// The row it answers.
    pub(super) parent: Parent,
    /// The row before a compaction, or the last row that a compaction left in place.
    pub(super) logical: u32,
    /// What it is.
    pub(super) kind: Kind,
    /// It is a side chain's.
    pub(super) side: bool,
    /// It is marked as not typed by anyone.
    pub(super) meta: bool,
    /// A boundary that says which rows it left in place.
    pub(super) preserves: bool,
    /// Its response, for assistant rows.
    pub(super) response: u32,
    /// Its first part.
    pub(super) first_part: u32,
    /// The number of its parts.
    pub(super) parts: u32,
    /// The second copy of the result it holds.
    pub(super) twin: Twin,
    /// Equal for copies of one message.
    pub(super) print: u64,
    /// Equal for prompts with one text.
    pub(super) said: u64,
}

impl Node {
    /// A user or assistant row: a branch ends only in one of them.
    pub(super) fn is_message(&self) -> bool {
        matches!(self.kind, Kind::User(_) | Kind::Assistant { .. })
    }
}

/// A model response; several rows share one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Response {
    /// The usage of its last row.
    pub(super) usage: Option<TokenUsage>,
    /// The number of its model in [`Index::words`], or [`NONE`].
    pub(super) model: u32,
    /// The number of its stop reason in [`Index::words`], or [`NONE`].
    pub(super) stop: u32,
}

/// A call that starts a subagent.
#[derive(Clone, Debug)]
pub(super) struct Task {
    /// The call's id.
    pub(super) call: String,
    /// The fingerprint of the prompt.
    pub(super) prompt: u64,
    /// What it is about, in a few words.
    pub(super) description: Option<String>,
    /// The agent's id, once a result has named it.
    pub(super) agent: Option<String>,
}

/// The titles that were recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Titles {
    /// Given by the person.
    pub(super) custom: Option<String>,
    /// Given by the model.
    pub(super) generated: Option<String>,
    /// The summary whose leaf is in the file.
    pub(super) summary: Option<String>,
}

/// What the first pass knows of a file.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// All rows with a place in the tree, in file order.
    pub(super) nodes: Vec<Node>,
    /// The parts of all nodes.
    pub(super) parts: Vec<Part>,
    /// The responses, in the order in which they begin.
    pub(super) responses: Vec<Response>,
    /// How many different call ids there are.
    pub(super) calls: u32,
    /// Model names and stop reasons.
    pub(super) words: Vec<String>,
    /// The calls that start subagents.
    pub(super) tasks: Vec<Task>,
    /// Titles.
    pub(super) titles: Titles,
    /// The first session id that a row names.
    pub(super) session_id: Option<String>,
    /// What the agent could do without asking, as recorded last.
    pub(super) permission_mode: Option<String>,
    /// What the session cost, as counted last by the agent, forks and resumptions included.
    pub(super) cost_usd: Option<f64>,
    /// Rows of a kind that is known.
    pub(super) known: u64,
    /// Queued prompts that a row of the file repeats under an id of their own naming.
    pub(super) repeated_prompts: Vec<u32>,
}

impl Index {
    /// The parts of a node.
    pub(super) fn parts_of(&self, node: u32) -> &[Part] {
        let node = &self.nodes[node as usize];
        let first = node.first_part as usize;
        &self.parts[first..first + node.parts as usize]
    }

    /// A node.
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// A model name or stop reason.
    pub(super) fn word(&self, number: u32) -> Option<&str> {
        self.words.get(number as usize).map(String::as_str)
    }
}
