//! A record as it stands in a file.

use crate::lenient::{Content, Flag, FromText, Number, Object, Word};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A record: what an export needs of it and nothing else.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record<'a> {
    #[serde(borrow)]
    pub(super) uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) subtype: Word<'a>,
    #[serde(borrow)]
    pub(super) provenance: Word<'a>,
    #[serde(borrow)]
    pub(super) cwd: Word<'a>,
    #[serde(borrow)]
    pub(super) version: Word<'a>,
    #[serde(borrow)]
    pub(super) git_branch: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    pub(super) usage_metadata: Object<Usage>,
    #[serde(borrow)]
    pub(super) tool_call_result: Object<CallResult<'a>>,
    #[serde(borrow)]
    pub(super) system_payload: Object<Payload<'a>>,
    #[serde(borrow)]
    pub(super) forked_from: Object<ForkedFrom<'a>>,
    pub(super) is_sidechain: Flag,
}

impl<'a> Record<'a> {
    /// The parts of its message.
    pub(super) fn parts(&self) -> &[Part<'a>] {
        self.message.0.as_ref().map_or(&[], |message| message.parts.blocks())
    }

    /// What a system record says, and what was typed for a message.
    pub(super) fn payload(&self) -> Option<&Payload<'a>> {
        self.system_payload.0.as_ref()
    }

    /// What it is, in the words of the source: `user`, `system/ui_telemetry`.
    pub(super) fn name(&self) -> String {
        let kind = self.kind.filled().unwrap_or("untyped");
        match self.subtype.filled() {
            Some(subtype) => format!("{kind}/{subtype}"),
            None => kind.to_owned(),
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) parts: Content<'a, Part<'a>>,
}

/// A part of a message; which of its fields is there tells what it is.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Part<'a> {
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    pub(super) thought: Flag,
    #[serde(borrow)]
    pub(super) thought_signature: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) function_call: Object<Call<'a>>,
    #[serde(borrow)]
    pub(super) function_response: Object<Response<'a>>,
    #[serde(borrow)]
    pub(super) inline_data: Object<Blob<'a>>,
    #[serde(borrow)]
    pub(super) file_data: Object<Blob<'a>>,
}

impl<'de: 'a, 'a> FromText<'de> for Part<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { text: Word(Some(text)), ..Self::default() }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) response: Option<&'a RawValue>,
    /// Pictures and files that came with the answer.
    #[serde(borrow)]
    pub(super) parts: Content<'a, Part<'a>>,
}

/// What a tool answered: one of the two.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Answer<'a> {
    #[serde(borrow)]
    pub(super) output: Word<'a>,
    #[serde(borrow)]
    pub(super) error: Word<'a>,
}

/// A file in or named by a message; its bytes are measured, never copied.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Blob<'a> {
    #[serde(borrow)]
    pub(super) mime_type: Word<'a>,
    #[serde(borrow)]
    pub(super) display_name: Word<'a>,
    #[serde(borrow)]
    pub(super) file_uri: Word<'a>,
    #[serde(borrow)]
    pub(super) data: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Usage {
    pub(super) prompt_token_count: Number,
    pub(super) candidates_token_count: Number,
    pub(super) thoughts_token_count: Number,
    pub(super) cached_content_token_count: Number,
    pub(super) total_token_count: Number,
}

/// What the host keeps of an answer for the person's eyes.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct CallResult<'a> {
    #[serde(borrow)]
    pub(super) call_id: Word<'a>,
    #[serde(borrow)]
    pub(super) status: Word<'a>,
    /// Text, or an object that only the host's own view can show.
    #[serde(borrow)]
    pub(super) result_display: Word<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Payload<'a> {
    #[serde(borrow)]
    pub(super) display_text: Word<'a>,
    #[serde(borrow)]
    pub(super) custom_title: Word<'a>,
    #[serde(borrow)]
    pub(super) title_source: Word<'a>,
    #[serde(borrow)]
    pub(super) phase: Word<'a>,
    #[serde(borrow)]
    pub(super) raw_command: Word<'a>,
    #[serde(borrow)]
    pub(super) output_history_items: Content<'a, Item<'a>>,
    #[serde(borrow)]
    pub(super) compressed_history: Content<'a, Message<'a>>,
}

/// A line that the host showed after a command.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
}

impl<'de: 'a, 'a> FromText<'de> for Item<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { text: Word(Some(text)), ..Self::default() }
    }
}

impl<'de: 'a, 'a> FromText<'de> for Message<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { parts: Content::Text(text) }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ForkedFrom<'a> {
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
}
