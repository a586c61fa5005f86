//! The fields of a row that the two passes read; everything else is skipped, not decoded.
//!
//! Tool results are three quarters of a session's bytes and stand in it twice: the second copy,
//! `toolUseResult`, is looked at only for the id of the subagent it may name.

use super::lenient::{Content, Flag, FromText, Number, Object, Word};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A row as the index sees it: links, kinds and counts. Long strings stay undecoded.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct IndexRow<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) subtype: Word<'a>,
    #[serde(borrow)]
    pub(super) uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) logical_parent_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(borrow)]
    pub(super) permission_mode: Word<'a>,
    pub(super) is_sidechain: Flag,
    pub(super) is_meta: Flag,
    pub(super) is_compact_summary: Flag,
    pub(super) is_api_error_message: Flag,
    #[serde(borrow)]
    pub(super) message: Object<IndexMessage<'a>>,
    /// The text of a `system` row.
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) attachment: Object<IndexAttachment<'a>>,
    #[serde(borrow)]
    pub(super) compact_metadata: Object<CompactMetadata<'a>>,
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) custom_title: Word<'a>,
    #[serde(borrow)]
    pub(super) ai_title: Word<'a>,
    #[serde(borrow)]
    pub(super) summary: Word<'a>,
    #[serde(borrow)]
    pub(super) leaf_uuid: Word<'a>,
    /// What the session cost so far, as its spelling in the row.
    #[serde(rename = "totalCostUSD", borrow)]
    pub(super) total_cost_usd: Option<&'a RawValue>,
}

/// A message as the index sees it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IndexMessage<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Word<'a>,
    pub(super) usage: Object<Usage>,
    #[serde(borrow)]
    pub(super) content: Content<'a, IndexBlock<'a>>,
    /// Only Qwen Code has it; such a row is not ours.
    #[serde(borrow)]
    pub(super) parts: Option<&'a RawValue>,
}

/// A block as the index sees it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct IndexBlock<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    /// The text of a block that stands as a bare string.
    #[serde(skip)]
    pub(super) bare: Option<Cow<'a, str>>,
}

impl<'de: 'a, 'a> FromText<'de> for IndexBlock<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { kind: Word(Some("text".into())), bare: Some(text), ..Self::default() }
    }
}

impl<'a> IndexBlock<'a> {
    /// The decoded text of the block.
    pub(super) fn decoded(&self) -> Option<Cow<'a, str>> {
        self.bare.clone().or_else(|| decoded(self.text?))
    }
}

/// The string that a raw value holds.
pub(super) fn decoded(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Word<'_>>(raw.get()).ok()?.0
}

/// Token counts of one response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Usage {
    pub(super) input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) cache_creation_input_tokens: Number,
    pub(super) cache_read_input_tokens: Number,
    pub(super) output_tokens_details: Object<OutputDetails>,
}

/// What the output was spent on.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OutputDetails {
    pub(super) thinking_tokens: Number,
}

/// What the index reads of an attachment.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct IndexAttachment<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) prompt: Content<'a, IndexBlock<'a>>,
    #[serde(borrow)]
    pub(super) command_mode: Word<'a>,
    #[serde(rename = "source_uuid", borrow)]
    pub(super) source_uuid: Word<'a>,
    pub(super) is_meta: Flag,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) blocking_error: Object<BlockingError<'a>>,
}

/// What a hook said when it stopped something.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct BlockingError<'a> {
    #[serde(borrow)]
    pub(super) blocking_error: Word<'a>,
}

/// What a compaction recorded about itself.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CompactMetadata<'a> {
    #[serde(borrow)]
    pub(super) preserved_segment: Object<PreservedSegment<'a>>,
}

/// The rows that a compaction left in place.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PreservedSegment<'a> {
    #[serde(borrow)]
    pub(super) tail_uuid: Word<'a>,
}

/// The only thing read of the structured twin of a result.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StructuredResult<'a> {
    #[serde(borrow)]
    pub(super) agent_id: Word<'a>,
}

/// What is read of the input of a call that starts a subagent.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TaskInput<'a> {
    #[serde(borrow)]
    pub(super) prompt: Word<'a>,
    #[serde(borrow)]
    pub(super) description: Word<'a>,
}

/// A row as the replay sees it: what an entry shows.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Row<'a> {
    #[serde(borrow)]
    pub(super) uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    #[serde(borrow)]
    pub(super) content: Word<'a>,
    #[serde(borrow)]
    pub(super) attachment: Object<Attachment<'a>>,
}

/// A message as the replay sees it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
}

/// A block as the replay sees it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) thinking: Word<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    pub(super) is_error: Flag,
    #[serde(borrow)]
    pub(super) source: Object<FileSource<'a>>,
    #[serde(borrow)]
    pub(super) title: Word<'a>,
    #[serde(borrow)]
    pub(super) url: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_name: Word<'a>,
}

impl<'de: 'a, 'a> FromText<'de> for Block<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { kind: Word(Some("text".into())), text: Word(Some(text)), ..Self::default() }
    }
}

/// Where the bytes of a picture or document are. They are measured, never copied.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FileSource<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) media_type: Word<'a>,
    #[serde(borrow)]
    pub(super) data: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) url: Word<'a>,
}

/// An attachment as the replay sees it.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Attachment<'a> {
    #[serde(borrow)]
    pub(super) prompt: Content<'a, Block<'a>>,
    #[serde(borrow)]
    pub(super) filename: Word<'a>,
    #[serde(borrow)]
    pub(super) path: Word<'a>,
    #[serde(borrow)]
    pub(super) display_path: Word<'a>,
    /// Text for the model, or a list of it; of a mentioned file, an object that is not read.
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    #[serde(borrow)]
    pub(super) blocking_error: Object<BlockingError<'a>>,
}

/// The facts that every row of a conversation repeats.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Envelope<'a> {
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(borrow)]
    pub(super) cwd: Word<'a>,
    #[serde(borrow)]
    pub(super) git_branch: Word<'a>,
    #[serde(borrow)]
    pub(super) version: Word<'a>,
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
    #[serde(borrow)]
    pub(super) agent_id: Word<'a>,
    #[serde(borrow)]
    pub(super) forked_from: Object<ForkedFrom<'a>>,
}

/// The session that rows were copied from.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ForkedFrom<'a> {
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
}
