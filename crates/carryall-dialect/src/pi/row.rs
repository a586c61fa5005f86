//! The rows of a session file, with what an export needs of them.
//!
//! All fields take whatever stands in a row: one of an unexpected type is an absent one.

use crate::lenient::{Content, Flag, FromText, Number, Object, Word};
use carryall_model::TokenUsage;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// A row: the header, or an entry of the tree.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Row<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_id: Parent<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(borrow)]
    pub(super) message: Object<Message<'a>>,
    #[serde(borrow)]
    pub(super) model_id: Word<'a>,
    #[serde(borrow)]
    pub(super) summary: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) usage: Object<Usage<'a>>,
    pub(super) version: Number,
    #[serde(borrow)]
    pub(super) cwd: Word<'a>,
    #[serde(borrow)]
    pub(super) parent_session: Word<'a>,
    #[serde(borrow)]
    pub(super) branched_from: Word<'a>,
}

/// The row before: its id, nothing for a root; a row without the field tells neither.
#[derive(Debug, Default)]
pub(super) enum Parent<'a> {
    #[default]
    Untold,
    Root,
    Row(Cow<'a, str>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Parent<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word: Word<'a> = Word::deserialize(deserializer)?;
        Ok(word.0.filled().map_or(Self::Root, Self::Row))
    }
}

trait Filled {
    fn filled(self) -> Self;
}

impl Filled for Option<Cow<'_, str>> {
    fn filled(self) -> Self {
        self.filter(|word| !word.is_empty())
    }
}

impl Parent<'_> {
    /// The id of the row before.
    pub(super) fn id(&self) -> Option<&str> {
        match self {
            Self::Row(id) => Some(id),
            Self::Untold | Self::Root => None,
        }
    }
}

/// A message, of whatever role.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    pub(super) role: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Content<'a, Block<'a>>,
    #[serde(borrow)]
    pub(super) sections: Sections<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) usage: Object<Usage<'a>>,
    #[serde(borrow)]
    pub(super) stop_reason: Word<'a>,
    #[serde(borrow)]
    pub(super) error_message: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_call_id: Word<'a>,
    pub(super) is_error: Flag,
    pub(super) duration_ms: Number,
    #[serde(borrow)]
    pub(super) command: Word<'a>,
    #[serde(borrow)]
    pub(super) output: Word<'a>,
    #[serde(borrow)]
    pub(super) exit_code: Option<&'a RawValue>,
    pub(super) cancelled: Flag,
    pub(super) truncated: Flag,
    #[serde(borrow)]
    pub(super) full_output_path: Word<'a>,
    pub(super) exclude_from_context: Flag,
}

/// A part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Word<'a>,
    #[serde(borrow)]
    pub(super) text: Word<'a>,
    #[serde(borrow)]
    pub(super) thinking: Word<'a>,
    #[serde(borrow)]
    pub(super) data: Word<'a>,
    #[serde(borrow)]
    pub(super) mime_type: Word<'a>,
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> FromText<'de> for Block<'a> {
    fn from_text(text: Cow<'de, str>) -> Self {
        let kind = Word(Some(Cow::Borrowed("text")));
        Self { kind, text: Word(Some(text)), ..Self::default() }
    }
}

/// The tokens of a response; reasoning is part of the output.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Usage<'a> {
    input: Number,
    output: Number,
    cache_read: Number,
    cache_write: Number,
    total_tokens: Number,
    reasoning: Number,
    #[serde(borrow)]
    cost: Object<Cost<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Cost<'a> {
    #[serde(borrow)]
    total: Option<&'a RawValue>,
}

impl Usage<'_> {
    /// The tokens; nothing where none were counted.
    pub(super) fn tokens(&self) -> Option<TokenUsage> {
        let count = |number: Number| number.0.unwrap_or(0);
        let sent = [self.input, self.cache_read, self.cache_write].map(count);
        let input_tokens = sent.into_iter().fold(0, u64::saturating_add);
        let output_tokens = count(self.output);
        let sum = input_tokens.saturating_add(output_tokens);
        let usage = TokenUsage {
            input_tokens,
            output_tokens,
            total_tokens: self.total_tokens.0.unwrap_or(sum),
            cached_input_tokens: self.cache_read.0,
            reasoning_tokens: self.reasoning.0,
        };
        (!usage.is_zero()).then_some(usage)
    }

    /// What they cost, in US dollars.
    pub(super) fn cost(&self) -> Option<f64> {
        self.cost.0.as_ref()?.total?.get().parse().ok()
    }
}

/// The texts of the named parts of a system prompt, in the order in which they stand.
#[derive(Debug, Default)]
pub(super) struct Sections<'a>(pub(super) Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Sections<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts: Object<Parts<'a>> = Object::deserialize(deserializer)?;
        Ok(Self(parts.0.map(|parts| parts.0).unwrap_or_default()))
    }
}

#[derive(Debug)]
struct Parts<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Parts<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("named texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        // A part that was taken away is a null.
        while let Some((IgnoredAny, word)) = map.next_entry::<IgnoredAny, Word<'de>>()? {
            parts.extend(word.0.filled());
        }
        Ok(Parts(parts))
    }
}
