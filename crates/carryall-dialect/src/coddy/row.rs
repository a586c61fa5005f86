//! A row of `messages.json`, with the fields that an export needs.

use super::fields::{List, Maybe, Number, Shape, Word};
use carryall_model::{Input, Text};
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A message as coddy keeps it. Fields that are not here (`rules`, `artifacts`, the signature and
/// duration of the reasoning) are passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Row<'a> {
    #[serde(borrow)]
    pub(super) role: Word<'a>,
    #[serde(borrow)]
    pub(super) content: Word<'a>,
    #[serde(borrow)]
    pub(super) image_parts: List<Picture<'a>>,
    #[serde(borrow)]
    pub(super) reasoning: Word<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: List<Call<'a>>,
    #[serde(borrow)]
    pub(super) tool_call_id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) created_at: Word<'a>,
    #[serde(borrow)]
    pub(super) plan_document: Maybe<PlanDocument<'a>>,
    compaction_summary: Maybe<bool>,
    background_wake: Option<IgnoredAny>,
}

impl Row<'_> {
    /// What the row is.
    pub(super) fn kind(&self) -> Kind {
        if self.compaction_summary.0 == Some(true) {
            return Kind::Summary;
        }
        if self.plan_document.0.is_some() {
            return Kind::Plan;
        }
        match self.role.get() {
            "user" if self.background_wake.is_some() => Kind::Wake,
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "tool" => Kind::Result,
            "system" | "" => Kind::System,
            _ => Kind::Other,
        }
    }

    /// An answer in which there is nothing: it is no entry.
    pub(super) fn is_blank(&self) -> bool {
        self.content.filled().is_none()
            && self.reasoning.filled().is_none()
            && self.tool_calls.iter().next().is_none()
    }
}

/// What a row is; the first that fits, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The summary that took the place of earlier rows in the model's window.
    Summary,
    /// A plan.
    Plan,
    /// What coddy said in the person's place when a background task had ended.
    Wake,
    /// What a person said.
    User,
    /// What the model answered.
    Assistant,
    /// What a tool answered.
    Result,
    /// A system message; also a row without a role.
    System,
    /// A role that is not known.
    Other,
}

/// A picture beside a message or a result.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Picture<'a> {
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) file_path: Word<'a>,
    #[serde(borrow)]
    pub(super) mime_type: Word<'a>,
    pub(super) size: Number,
}

impl Shape for Picture<'_> {
    const BEGINS: &'static [u8] = b"{";
}

/// A tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Call<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    input: Arguments<'a>,
}

impl Shape for Call<'_> {
    const BEGINS: &'static [u8] = b"{";
}

impl Call<'_> {
    /// The arguments: JSON of any kind as it was written, else their text.
    pub(super) fn input(&self) -> Option<Input<'_>> {
        match &self.input {
            Arguments::Absent => None,
            Arguments::Json(value) => Some(Input::Json(value)),
            Arguments::Text(text) if text.trim().is_empty() => None,
            Arguments::Text(text) => Some(match serde_json::from_str(text) {
                Ok(value) => Input::Json(value),
                Err(_) => Input::Text(text.trim()),
            }),
        }
    }
}

/// coddy writes arguments as a string that holds JSON; a value that is no string is taken as it is.
#[derive(Debug, Default)]
enum Arguments<'a> {
    #[default]
    Absent,
    Text(Text<'a>),
    Json(&'a RawValue),
}

impl<'de: 'a, 'a> Deserialize<'de> for Arguments<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = <&RawValue>::deserialize(deserializer)?;
        match value.get().as_bytes().first() {
            Some(b'"') => {
                serde_json::from_str(value.get()).map(Self::Text).map_err(D::Error::custom)
            }
            Some(b'n') | None => Ok(Self::Absent),
            Some(_) => Ok(Self::Json(value)),
        }
    }
}

/// A plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlanDocument<'a> {
    #[serde(borrow)]
    pub(super) slug: Word<'a>,
    #[serde(borrow)]
    pub(super) name: Word<'a>,
    #[serde(borrow)]
    pub(super) overview: Word<'a>,
    #[serde(borrow)]
    content: Word<'a>,
    #[serde(borrow)]
    body: Word<'a>,
    #[serde(borrow)]
    pub(super) path: Word<'a>,
    #[serde(borrow, rename = "updatedAt")]
    pub(super) updated_at: Word<'a>,
}

impl Shape for PlanDocument<'_> {
    const BEGINS: &'static [u8] = b"{";
}

impl PlanDocument<'_> {
    /// The plan's text, or what it is without its front matter when that is all there is.
    pub(super) fn text(&self) -> &str {
        self.content.filled().unwrap_or(self.body.get())
    }
}
