//! Which kinds of rows there are, and what each of them is to a conversation.

use super::row::Row;

/// What a row is to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The facts of the session.
    Header,
    /// What a person typed.
    User,
    /// What a model answered.
    Assistant,
    /// The answer to a call.
    Result,
    /// A line that a person ran in a shell of the host's.
    Shell,
    /// What an extension put in the person's place.
    Injected,
    /// What the host told the model.
    System,
    /// A message of a role that has no word here.
    OtherRole,
    /// A message of a shape that is none.
    NoMessage,
    /// A summary that replaced what came before it.
    Compaction,
    /// A summary of a branch that was left.
    BranchSummary,
    /// The model from here on.
    Model,
    /// The name of the session.
    Name,
    /// Tokens beside the conversation.
    Usage,
    /// Understood, and not part of a document; the reason says why.
    LeftOut(&'static str),
    /// None of these.
    Unknown,
}

impl What {
    /// What a row is.
    pub(super) fn of(row: &Row<'_>) -> Self {
        match row.kind.get().unwrap_or("") {
            "session" => Self::Header,
            "message" => message(row),
            "custom_message" => Self::Injected,
            "compaction" => Self::Compaction,
            "branch_summary" => Self::BranchSummary,
            "model_change" => Self::Model,
            "session_info" => Self::Name,
            "usage" => Self::Usage,
            "thinking_level_change" => {
                Self::LeftOut("a setting that the document has no place for")
            }
            "custom" => Self::LeftOut("an extension's own state"),
            "context_edit" => Self::LeftOut("it changes what the model sees, not what was said"),
            "label" => Self::LeftOut("a bookmark"),
            _ => Self::Unknown,
        }
    }

    /// Whether it is a message record of a conversation.
    pub(super) fn is_message(self) -> bool {
        match self {
            Self::User
            | Self::Assistant
            | Self::Result
            | Self::Shell
            | Self::Injected
            | Self::System
            | Self::OtherRole
            | Self::Compaction
            | Self::BranchSummary => true,
            Self::Header
            | Self::NoMessage
            | Self::Model
            | Self::Name
            | Self::Usage
            | Self::LeftOut(_)
            | Self::Unknown => false,
        }
    }
}

fn message(row: &Row<'_>) -> What {
    let Some(message) = &row.message.0 else { return What::NoMessage };
    match message.role.get().unwrap_or("") {
        "user" => What::User,
        "assistant" => What::Assistant,
        "toolResult" => What::Result,
        "bashExecution" => What::Shell,
        "custom" | "hookMessage" => What::Injected,
        "system" => What::System,
        "" => What::NoMessage,
        _ => What::OtherRole,
    }
}

/// What a row is, in the words of the source: `message/user`, `label`.
pub(super) fn kind(row: &Row<'_>) -> String {
    let name = row.kind.filled().unwrap_or("untyped");
    match row.message.0.as_ref().and_then(|message| message.role.filled()) {
        Some(role) if name == "message" => format!("{name}/{role}"),
        _ => name.to_owned(),
    }
}

/// The first block of a row whose kind is not known.
pub(super) fn unknown_block<'r>(row: &'r Row<'_>) -> Option<&'r str> {
    let of_message = row.message.0.iter().flat_map(|message| message.content.blocks());
    let kinds = of_message.chain(row.content.blocks()).map(|block| block.kind.get().unwrap_or(""));
    kinds.into_iter().find(|kind| !matches!(*kind, "text" | "thinking" | "toolCall" | "image"))
}
