//! What each kind of record is for an export.

use super::record::Record;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A prompt that a person typed or spoke.
    Prompt,
    /// A text in a person's place.
    Injected,
    /// The same, of a kind that is not known.
    UnknownUser,
    /// A part of a response of the model.
    Assistant,
    /// Answers of tools.
    Results,
    /// A compaction, with the history that took the place of what was said.
    Compaction,
    /// A command that was given to the host; and what the host answered.
    Invoked,
    Answered,
    /// Turns were taken back: the next record hangs on an earlier one.
    Rewind,
    /// A title.
    Title,
    /// Facts about the session.
    Facts,
    /// It links others and says nothing; or says what the document leaves out, and why.
    LeftOut(&'static str),
    /// The same, and it is no part of the chain.
    Outside(&'static str),
    /// A record of a kind that is not known.
    Unknown,
}

pub(super) const COUNTS: &str = "a count for the agent's own statistics";
const OWN: &str = "a note that the agent keeps for itself";
const MENTION: &str = "the prompt that mentions the files has a row of its own";
const COURSE: &str = "the course of the agent's work";
const STARTED: &str = "what a subagent was started with";

impl What {
    /// Tells what a record is.
    pub(super) fn of(record: &Record<'_>) -> Self {
        match record.kind.get().unwrap_or("") {
            "user" => user(record),
            "assistant" => Self::Assistant,
            "tool_result" => Self::Results,
            "system" => system(record),
            _ => Self::Unknown,
        }
    }

    /// The document shows it.
    pub(super) fn is_message(self) -> bool {
        match self {
            Self::Prompt
            | Self::Injected
            | Self::UnknownUser
            | Self::Assistant
            | Self::Results
            | Self::Compaction
            | Self::Invoked
            | Self::Answered => true,
            Self::Rewind
            | Self::Title
            | Self::Facts
            | Self::LeftOut(_)
            | Self::Outside(_)
            | Self::Unknown => false,
        }
    }

    /// It is not known.
    pub(super) fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown | Self::UnknownUser)
    }
}

fn user(record: &Record<'_>) -> What {
    match record.subtype.filled() {
        None => match record.provenance.filled() {
            None | Some("real_user") => What::Prompt,
            Some(_) => What::Injected,
        },
        Some("mid_turn_user_message" | "realtime_message") => What::Prompt,
        Some("notification" | "cron" | "goal_runtime") => What::Injected,
        Some(_) => What::UnknownUser,
    }
}

fn system(record: &Record<'_>) -> What {
    match record.subtype.get().unwrap_or("") {
        "chat_compression" => What::Compaction,
        "slash_command" => match record.payload().and_then(|payload| payload.phase.get()) {
            Some("result") => What::Answered,
            _ => What::Invoked,
        },
        "rewind" => What::Rewind,
        "custom_title" => What::Title,
        "parent_session" | "session_source" | "session_model" => What::Facts,
        "ui_telemetry" | "turn_result" => What::LeftOut(COUNTS),
        "at_command" => What::LeftOut(MENTION),
        "agent_bootstrap" | "agent_launch_prompt" => What::LeftOut(STARTED),
        "agent_retry"
        | "agent_session_ready"
        | "background_task_completed"
        | "branch_checkpoint"
        | "goal_state"
        | "goal_turn_end"
        | "session_recording_degraded" => What::LeftOut(COURSE),
        "attribution_snapshot" | "file_history_snapshot" | "omni_recall" | "user_text_elements" => {
            What::LeftOut(OWN)
        }
        "session_artifact_event" | "session_artifact_snapshot" | "session_sources_snapshot" => {
            What::Outside(OWN)
        }
        managed if managed.starts_with("managed_session_") => What::Outside(OWN),
        _ => What::Unknown,
    }
}
