//! What a row is, from its kind, subtype and markers.

use super::{Attached, Kind, Said, System};
use crate::claude_code::command::{Say, classify};
use crate::claude_code::lenient::Content;
use crate::claude_code::row::{IndexMessage, IndexRow, decoded};
use serde_json::value::RawValue;

/// Rows that hold facts or belong to lists, never a turn.
const FACTS: &[&str] = &[
    "summary",
    "custom-title",
    "ai-title",
    "last-prompt",
    "tag",
    "agent-name",
    "agent-color",
    "agent-setting",
    "mode",
    "permission-mode",
    "pr-link",
    "bridge-session",
    "worktree-state",
    "relocated",
    "frame-link",
    "atis-latch",
    "queue-operation",
    "file-history-snapshot",
    "content-replacement",
    "started",
    "result",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "cost-state",
    "tools-used",
];

/// System rows that are facts about the session, whatever text they carry.
const SILENT_SYSTEM: &[&str] = &[
    "stop_hook_summary",
    "turn_duration",
    "session_start",
    "bridge_status",
    "api_error",
    "error",
    "api_metrics",
    "microcompact_boundary",
    "agents_killed",
];

const TEXT_SYSTEM: &[&str] = &[
    "away_summary",
    "informational",
    "api_refusal",
    "model_refusal_fallback",
    "scheduled_task_fire",
];

/// Attachments that tell the agent something about its surroundings.
const SILENT_ATTACHMENTS: &[&str] = &[
    "agent_listing_delta",
    "agent_mention",
    "auto_mode",
    "auto_mode_exit",
    "batching_reminder_sent",
    "budget_usd",
    "command_permissions",
    "compact_file_reference",
    "critical_system_reminder",
    "date",
    "date_change",
    "deferred_tools_delta",
    "diagnostics",
    "dynamic_skill",
    "edited_text_file",
    "environment",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_stopped_continuation",
    "hook_success",
    "hook_system_message",
    "invoked_skills",
    "mcp_instructions_delta",
    "mcp_resource",
    "model",
    "nested_memory",
    "opened_file_in_ide",
    "output_style",
    "plan_file_reference",
    "plan_mode",
    "plan_mode_exit",
    "plan_mode_reentry",
    "prompt_snapshot",
    "read_truncation_notice",
    "relevant_memories",
    "remote_session_change",
    "selected_lines_in_ide",
    "session_context",
    "silent_turn_reminder",
    "skill_listing",
    "task_reminder",
    "task_status",
    "todo_reminder",
    "token_usage",
    "total_tokens_reminder",
    "ultra_effort_enter",
    "ultra_effort_exit",
];

const FILES: &[&str] = &["file", "directory", "pdf_reference", "already_read_file"];

/// A row's place in the tree, or why it has none.
pub(in crate::claude_code) enum Class {
    /// It stands in the tree.
    Node(Kind),
    /// It is a known row without a place in the tree.
    Fact,
}

/// What a row is, and the kind's name when it is not known.
pub(in crate::claude_code) fn classify_row(row: &IndexRow<'_>) -> (Class, Option<String>) {
    let kind = row.kind.get().unwrap_or("");
    match kind {
        "user" => (Class::Node(Kind::User(said(row))), None),
        "assistant" => (Class::Node(Kind::Assistant { local: is_local(row) }), None),
        "system" => {
            let (system, unknown) = system(row);
            (Class::Node(Kind::System(system)), unknown)
        }
        "attachment" => {
            let (attached, unknown) = attached(row);
            (Class::Node(Kind::Attachment(attached)), unknown)
        }
        "progress" => (Class::Node(Kind::Progress), None),
        _ if FACTS.contains(&kind) => (Class::Fact, None),
        "" => (Class::Fact, Some("without a type".to_owned())),
        _ => (Class::Fact, Some(kind.to_owned())),
    }
}

fn is_local(row: &IndexRow<'_>) -> bool {
    let model = row.message.0.as_ref().and_then(|message| message.model.get());
    row.is_api_error_message.0 || model == Some("<synthetic>")
}

fn said(row: &IndexRow<'_>) -> Said {
    let Some(message) = &row.message.0 else { return Said::Nothing };
    let (says, pictures) = says(message);
    if says.is_empty() && !pictures {
        return Said::Nothing;
    }
    if row.is_compact_summary.0 {
        return Said::Summary;
    }
    if row.is_meta.0 {
        return Said::Injected;
    }
    if let (&[say], false) = (says.as_slice(), pictures) {
        return alone(say);
    }
    let injected = says.iter().filter(|&&say| say == Say::Injected).count();
    match injected {
        0 => Said::Typed,
        n if n == says.len() && !pictures => Said::Injected,
        _ => Said::Mixed,
    }
}

fn alone(say: Say) -> Said {
    match say {
        Say::Typed => Said::Typed,
        Say::Injected => Said::Injected,
        Say::Command => Said::Command,
        Say::Output => Said::Output,
        Say::Shell => Said::Shell,
        Say::ShellOutput => Said::ShellOutput,
        Say::Continuation => Said::Continuation,
    }
}

/// What each text of a message is, and whether it holds pictures.
fn says(message: &IndexMessage<'_>) -> (Vec<Say>, bool) {
    if let Content::Text(text) = &message.content {
        let say = (!text.is_empty()).then(|| classify(text));
        return (say.into_iter().collect(), false);
    }
    let mut says = Vec::new();
    let mut pictures = false;
    for block in message.content.blocks() {
        match block.kind.get() {
            Some("text") => {
                let text = block.decoded();
                says.extend(text.filter(|text| !text.is_empty()).map(|text| classify(&text)));
            }
            Some("image" | "document") => pictures = true,
            _ => {}
        }
    }
    (says, pictures)
}

fn system(row: &IndexRow<'_>) -> (System, Option<String>) {
    let text = row.content.and_then(decoded).filter(|text| !text.is_empty());
    let subtype = row.subtype.get().unwrap_or("");
    if subtype == "compact_boundary" {
        return (System::Boundary, None);
    }
    if subtype == "local_command" {
        let system = match text.as_deref().map(classify) {
            Some(Say::Command | Say::Shell) => System::Command,
            Some(Say::Output | Say::ShellOutput) => System::Output,
            Some(_) => System::Text,
            None => System::Silent,
        };
        return (system, None);
    }
    let known = subtype.is_empty() || TEXT_SYSTEM.contains(&subtype);
    if SILENT_SYSTEM.contains(&subtype) || (known && text.is_none()) {
        return (System::Silent, None);
    }
    let unknown = (!known).then(|| format!("system/{subtype}"));
    match text {
        None => (System::Silent, unknown),
        Some(_) if subtype.is_empty() => (System::Hook, unknown),
        Some(_) => (System::Text, unknown),
    }
}

fn attached(row: &IndexRow<'_>) -> (Attached, Option<String>) {
    let Some(attachment) = &row.attachment.0 else { return (Attached::Silent, None) };
    let says_something = |raw: &RawValue| !matches!(raw.get(), "\"\"" | "[]" | "null");
    let kind = attachment.kind.get().unwrap_or("");
    match kind {
        "queued_command" if attachment.command_mode.is("prompt") && !attachment.is_meta.0 => {
            (Attached::Prompt, None)
        }
        "queued_command" => (Attached::Queued, None),
        "hook_additional_context" if attachment.content.is_some_and(says_something) => {
            (Attached::Hook, None)
        }
        "hook_blocking_error" if attachment.blocking_error.0.is_some() => (Attached::Hook, None),
        "hook_additional_context" | "hook_blocking_error" => (Attached::Silent, None),
        _ if FILES.contains(&kind) => (Attached::File, None),
        _ if SILENT_ATTACHMENTS.contains(&kind) => (Attached::Silent, None),
        _ => (Attached::Silent, Some(format!("attachment/{kind}"))),
    }
}
