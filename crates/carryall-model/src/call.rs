//! A tool call with its result.

use crate::FileRef;
use serde_json::value::RawValue;
use std::time::Duration;

/// A tool call of the entry that was pushed last, with its result when there is one.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The call's id; may be empty when the source has none.
    pub id: &'a str,
    /// The tool's name as the agent writes it.
    pub name: &'a str,
    /// The arguments; `None` when there were none.
    pub input: Option<Input<'a>>,
    /// What the call changes in files, where the dialect can tell it from the input.
    pub edits: &'a [Edit<'a>],
    /// The answer; `None` when the transcript holds none, which differs from an empty one.
    pub result: Option<ToolResult<'a>>,
    /// From the call to its result, when both times are recorded.
    pub duration: Option<Duration>,
    /// The id of the subagent session that this call started.
    pub subagent: Option<&'a str>,
}

impl<'a> ToolCall<'a> {
    /// A call without arguments, result or anything else.
    #[must_use]
    pub fn new(id: &'a str, name: &'a str) -> Self {
        Self { id, name, input: None, edits: &[], result: None, duration: None, subagent: None }
    }
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// A JSON value, byte for byte as recorded: number spelling, key order and repeated keys kept.
    Json(&'a RawValue),
    /// Text that is no JSON value, or arguments that never were JSON.
    Text(&'a str),
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolResult<'a> {
    /// Its text; may be empty.
    pub text: &'a str,
    /// The tool reported a failure.
    pub is_error: bool,
    /// When the result was recorded, as it stands in the source.
    pub completed_at: Option<&'a str>,
    /// Pictures and files that came with it.
    pub pictures: &'a [FileRef<'a>],
}

/// A change to a file, for diffs in pages that people read; it is not part of the JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// `old` became `new`; a new file has an empty `old`.
    Replace {
        /// The file, when the call names it.
        path: Option<&'a str>,
        /// The text that was there.
        old: &'a str,
        /// The text that took its place.
        new: &'a str,
    },
    /// A patch whose lines begin with a space, `+`, `-` or `@@`.
    Patch {
        /// The file, when the call names it.
        path: Option<&'a str>,
        /// The patch.
        patch: &'a str,
    },
}
