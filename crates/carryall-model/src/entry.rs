//! One entry of a conversation.

use crate::TokenUsage;

/// What kind of entry this is; [`EntryKind::as_str`] is its name in the JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A prompt, or with [`Entry::is_meta`] a text that was put in the person's place.
    User,
    /// What one model response said, thought and called.
    Assistant,
    /// A tool result whose call is not in the transcript.
    ToolResult,
    /// The text that replaced earlier turns in the model's window.
    CompactionSummary,
    /// A plan written by the agent as a document.
    PlanDocument,
    /// A message of the system role.
    System,
    /// What a person ran in the host without the model: a local command or a shell line.
    Command,
    /// A role this model has no word for; [`Entry::role`] names it.
    Other,
}

impl EntryKind {
    /// The word in the JSON document and in the markers of the Markdown export.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolResult => "tool_result",
            Self::CompactionSummary => "compaction_summary",
            Self::PlanDocument => "plan_document",
            Self::System => "system",
            Self::Command => "command",
            Self::Other => "other",
        }
    }
}

/// One entry, borrowed from the row it was read from.
///
/// A field that the source did not record is `None`; it is never made up.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What kind of entry.
    pub kind: EntryKind,
    /// The recorded role, only for [`EntryKind::Other`].
    pub role: Option<&'a str>,
    /// The row's or message's own id.
    pub id: Option<&'a str>,
    /// The id of the row this one answers.
    pub parent_id: Option<&'a str>,
    /// When it was recorded, as it stands in the source (RFC 3339 wherever the agent writes that).
    pub created_at: Option<&'a str>,
    /// The model that wrote it.
    pub model: Option<&'a str>,
    /// The text: of a command, the line as typed.
    pub text: Option<&'a str>,
    /// The model's reasoning.
    pub reasoning: Option<&'a str>,
    /// Files and pictures that came with it; names only, never bytes.
    pub attachments: &'a [FileRef<'a>],
    /// The plan's facts, only for [`EntryKind::PlanDocument`].
    pub plan: Option<&'a Plan<'a>>,
    /// The call that an orphan result answers, only for [`EntryKind::ToolResult`].
    pub tool_call_id: Option<&'a str>,
    /// What a command printed, only for [`EntryKind::Command`].
    pub result: Option<&'a str>,
    /// The command ran a shell, only for [`EntryKind::Command`]; `--no-tools` drops those.
    pub ran_shell: bool,
    /// How many [`ToolCall`](crate::ToolCall)s follow this entry.
    pub calls: u32,
    /// Tokens of the response, on its last entry.
    pub usage: Option<TokenUsage>,
    /// Why the model stopped, in the agent's word.
    pub stop_reason: Option<&'a str>,
    /// Nobody typed this text and no model answered with it: skills, hooks, wake rows, notices.
    pub is_meta: bool,
}

impl Entry<'_> {
    /// An entry of that kind in which nothing is recorded yet.
    #[must_use]
    pub fn new(kind: EntryKind) -> Self {
        Self {
            kind,
            role: None,
            id: None,
            parent_id: None,
            created_at: None,
            model: None,
            text: None,
            reasoning: None,
            attachments: &[],
            plan: None,
            tool_call_id: None,
            result: None,
            ran_shell: false,
            calls: 0,
            usage: None,
            stop_reason: None,
            is_meta: false,
        }
    }

    /// An assistant entry in which there is nothing to see: no text, no reasoning, no call, no
    /// attachment. Such an entry is not shown. Text of white space alone counts as text.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.kind == EntryKind::Assistant
            && self.text.is_none_or(str::is_empty)
            && self.reasoning.is_none_or(str::is_empty)
            && self.attachments.is_empty()
            && self.calls == 0
    }
}

/// A file or picture that a message or a result points to. Its bytes are never copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileRef<'a> {
    /// The path as recorded; empty when only a name is known.
    pub path: &'a str,
    /// The display name, when it is not the path.
    pub name: Option<&'a str>,
    /// The media type, such as `image/png`.
    pub media_type: Option<&'a str>,
    /// The size of the file in bytes.
    pub bytes: Option<u64>,
}

/// The facts of a plan document; its text is the entry's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan<'a> {
    /// The plan's short name; may be empty.
    pub slug: &'a str,
    /// The plan's title.
    pub name: Option<&'a str>,
    /// One paragraph on what it is about.
    pub overview: Option<&'a str>,
    /// The file it was written to.
    pub path: Option<&'a str>,
    /// When it was last changed, as recorded.
    pub updated_at: Option<&'a str>,
}
