//! The rows of a rollout: an envelope around a payload, or in the first versions the payload bare.
//!
//! All fields take whatever stands in a row: one of an unexpected type is an absent one. What only
//! some reader needs is kept as it stands and decoded there.

use crate::lenient::{Content, FromText, Number, Object, Word};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One row.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Row<'a> {
    /// When it was written; rows of the first versions do not say.
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    /// What the envelope holds.
    #[serde(borrow)]
    pub(super) payload: Object<Payload<'a>>,
    /// Its number in the thread, in paginated rollouts.
    pub(super) ordinal: Number,
    /// The kind of a bare row that is no item.
    #[serde(borrow)]
    pub(super) record_type: Word<'a>,
}

/// What a row holds, whatever its kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) role: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    /// The sections of a reasoning item; a word in a turn's context.
    #[serde(borrow)]
    pub(super) summary: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) call_id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) namespace: Word<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) action: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) output: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tools: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) revised_prompt: Word<'a>,
    #[serde(borrow)]
    pub(super) author: Word<'a>,
    #[serde(borrow)]
    pub(super) recipient: Word<'a>,
    /// The text of an event; of a compaction, its summary.
    #[serde(borrow)]
    pub(super) message: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) local_images: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) images: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) replacement_history: Option<&'a RawValue>,
    pub(super) num_turns: Number,
    #[serde(borrow)]
    pub(super) turn_id: Word<'a>,
    #[serde(rename = "internal_chat_message_metadata_passthrough", borrow)]
    pub(super) passthrough: Object<Passthrough<'a>>,
    #[serde(borrow)]
    pub(super) item: Object<Item<'a>>,
    #[serde(borrow)]
    pub(super) reason: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) cwd: Word<'a>,
    #[serde(borrow)]
    pub(super) approval_policy: Word<'a>,
    #[serde(borrow)]
    pub(super) sandbox_policy: Object<Policy<'a>>,
    #[serde(borrow)]
    pub(super) thread_name: Word<'a>,
    pub(super) info: Object<TokenInfo>,
    pub(super) usage: Object<Tokens>,
    pub(super) thread_token_usage: Object<Tokens>,
}

/// What a payload carries along for the agent itself.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Passthrough<'a> {
    #[serde(borrow)]
    turn_id: Word<'a>,
}

/// The sandbox of a turn; older versions call its kind the mode.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Policy<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    mode: Word<'a>,
}

/// What a paginated rollout says of an item when it is done.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) summary_text: Content<'a, Part<'a>>,
    #[serde(borrow)]
    pub(super) raw_content: Content<'a, Part<'a>>,
}

/// A part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Part<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) image_url: Word<'a>,
    #[serde(borrow)]
    pub(super) path: Word<'a>,
}

impl<'de: 'a, 'a> FromText<'de> for Part<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        Self { text: Word(Some(text)), ..Self::default() }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenInfo {
    pub(super) total_token_usage: Object<Tokens>,
}

/// Counts of tokens; cached ones are part of the input, reasoning is part of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input_tokens: Number,
    pub(super) cached_input_tokens: Number,
    pub(super) output_tokens: Number,
    pub(super) reasoning_output_tokens: Number,
    pub(super) total_tokens: Number,
}

impl Payload<'_> {
    /// The turn it says that it belongs to.
    pub(super) fn turn(&self) -> Option<&str> {
        let passed = || self.passthrough.0.as_ref().and_then(|passed| passed.turn_id.filled());
        self.turn_id.filled().or_else(passed)
    }

    /// The kind of sandbox.
    pub(super) fn sandbox(&self) -> Option<&str> {
        let policy = self.sandbox_policy.0.as_ref()?;
        policy.kind.filled().or(policy.mode.filled())
    }
}

/// A row as the reader takes it: with its payload, wherever that stands.
#[derive(Debug, Default)]
pub(super) struct Record<'a> {
    pub(super) row: Row<'a>,
    pub(super) payload: Payload<'a>,
    /// There is no envelope.
    pub(super) bare: bool,
}

impl<'a> Record<'a> {
    /// Reads a row.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, serde_json::Error> {
        let mut row: Row<'a> = serde_json::from_slice(bytes)?;
        let enveloped = row.payload.0.take();
        let bare = enveloped.is_none();
        let payload = match enveloped {
            Some(payload) => payload,
            None => serde_json::from_slice(bytes)?,
        };
        Ok(Self { row, payload, bare })
    }

    /// What the row is, in the words of the source: `event_msg/token_count`, `turn_context`.
    pub(super) fn kind(&self) -> String {
        let payload = self.payload.kind.get();
        if self.bare {
            return match (payload, self.row.record_type.get()) {
                (Some(kind), _) => format!("bare/{kind}"),
                (None, Some(record)) => format!("bare/{record}"),
                (None, None) => "bare/session_meta".to_owned(),
            };
        }
        let kind = self.row.kind.get().unwrap_or("");
        match (payload, self.payload.item.0.as_ref().and_then(|item| item.kind.get())) {
            (Some(inner), Some(item)) if inner == "item_completed" => {
                format!("{kind}/{inner}/{item}")
            }
            (Some(inner), _) => format!("{kind}/{inner}"),
            (None, _) => kind.to_owned(),
        }
    }
}
