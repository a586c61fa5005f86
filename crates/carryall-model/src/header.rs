//! What a document says before its entries: the facts, plus what belongs to this one export.

use crate::{Child, Facts};

/// The head of one document: of the session itself, or of a subagent that follows it.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// What is known of the session.
    pub facts: &'a Facts,
    /// When the export was made, RFC 3339 UTC in seconds.
    pub exported_at: &'a str,
    /// What was left out or added by option.
    pub options: Options,
    /// The session itself, or which subagent.
    pub place: Place,
    /// The subagents of this session, in order.
    pub subagents: &'a [ListedChild<'a>],
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Tool calls, their results and shell commands are left out.
    pub no_tools: bool,
    /// Reasoning is left out.
    pub no_thinking: bool,
    /// The documents of subagents follow.
    pub subagents: bool,
}

/// Where a document stands among the documents of one export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The session that was asked for.
    Root,
    /// A subagent, numbered from 1 in the order in which they follow (`s1`, `s2` …).
    Child(u32),
}

/// A subagent as the header lists it.
#[derive(Clone, Copy, Debug)]
pub struct ListedChild<'a> {
    /// The subagent.
    pub child: &'a Child,
    /// Its number when its document follows in this export.
    pub number: Option<u32>,
}

/// How much the options removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Calls, orphan results and shell commands.
    pub tools: u64,
    /// Entries that lost their reasoning.
    pub thinking: u64,
}
