//! Which kinds of rows there are, and what each of them is to a conversation.

use super::record::Record;

/// What a row is to a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// The facts of a thread.
    Meta,
    /// The facts of a turn.
    Context,
    /// A message, of whatever role.
    Message,
    /// What the model thought.
    Reasoning,
    /// A call of a tool.
    Call,
    /// The answer to a call.
    Output,
    /// A message of one agent to another.
    AgentMessage,
    /// The text that replaced what came before it.
    Compacted,
    /// The same, unreadable to all but the vendor.
    OpaqueCompaction,
    /// What a person typed, once more.
    SaidByPerson,
    /// What the model said, once more.
    SaidByModel,
    /// What the model thought, once more.
    ThoughtByModel,
    /// A plan that the model proposed.
    Plan,
    /// An error or a warning that the person saw.
    Problem,
    /// Turns that a person took back.
    RolledBack,
    /// A turn begins.
    TurnStarted,
    /// A turn is done.
    TurnEnded,
    /// A turn was broken off.
    TurnAborted,
    /// Tokens of the thread.
    TokenCount,
    /// Tokens of a response.
    TokenRecord,
    /// The name of the thread.
    Named,
    /// A fact of the header's.
    Facts,
    /// Understood, and not part of a document; the reason says why.
    LeftOut(&'static str),
    /// None of these.
    Unknown,
}

const STATE: &str = "the agent's own state";
const COURSE: &str = "the course of a turn";
const PARTIAL: &str = "a part of what stands whole elsewhere";
const TOOL: &str = "what a tool did, which stands in its call and result";
const ASKED: &str = "a question of the program to the person";

impl What {
    /// What a row is.
    pub(super) fn of(record: &Record<'_>) -> Self {
        let payload = record.payload.kind.get();
        if record.bare {
            return match (payload, record.row.record_type.get()) {
                (Some(item), _) => response_item(item),
                (None, Some("state")) => Self::LeftOut(STATE),
                (None, Some(_)) => Self::Unknown,
                (None, None) if record.payload.id.filled().is_some() => Self::Meta,
                (None, None) => Self::Unknown,
            };
        }
        match record.row.kind.get().unwrap_or("") {
            "session_meta" => Self::Meta,
            "turn_context" => Self::Context,
            "response_item" => response_item(payload.unwrap_or("")),
            "event_msg" => event(payload.unwrap_or(""), record),
            "compacted" => Self::Compacted,
            "token_usage_record" => Self::TokenRecord,
            "inter_agent_communication" => Self::AgentMessage,
            "world_state"
            | "retained_context"
            | "security_risk_score"
            | "inter_agent_communication_metadata" => Self::LeftOut(STATE),
            _ => Self::Unknown,
        }
    }
}

fn response_item(kind: &str) -> What {
    match kind {
        "message" => What::Message,
        "reasoning" => What::Reasoning,
        "function_call"
        | "custom_tool_call"
        | "local_shell_call"
        | "web_search_call"
        | "tool_search_call"
        | "image_generation_call"
        | "mcp_tool_call" => What::Call,
        "function_call_output"
        | "custom_tool_call_output"
        | "tool_search_output"
        | "mcp_tool_call_output"
        | "local_shell_call_output" => What::Output,
        "agent_message" => What::AgentMessage,
        "compaction" | "compaction_summary" | "context_compaction" => What::OpaqueCompaction,
        "ghost_snapshot" => What::LeftOut("a snapshot to undo with"),
        _ => What::Unknown,
    }
}

fn event(kind: &str, record: &Record<'_>) -> What {
    match kind {
        "user_message" => What::SaidByPerson,
        "agent_message" => What::SaidByModel,
        "agent_reasoning" | "agent_reasoning_raw_content" => What::ThoughtByModel,
        "item_completed" => completed(record),
        "error" | "warning" => What::Problem,
        "thread_rolled_back" => What::RolledBack,
        "task_started" | "turn_started" => What::TurnStarted,
        "task_complete" | "turn_complete" => What::TurnEnded,
        "turn_aborted" => What::TurnAborted,
        "token_count" => What::TokenCount,
        "thread_name_updated" => What::Named,
        "thread_settings_applied" | "session_configured" => What::Facts,
        "context_compacted" => What::LeftOut("a compaction, which has a row of its own"),
        _ if COURSES.contains(&kind) => What::LeftOut(COURSE),
        _ if PARTIALS.contains(&kind) => What::LeftOut(PARTIAL),
        _ if TOOLS.contains(&kind) => What::LeftOut(TOOL),
        _ if QUESTIONS.contains(&kind) => What::LeftOut(ASKED),
        _ if STATES.contains(&kind) => What::LeftOut(STATE),
        _ => What::Unknown,
    }
}

/// What a paginated rollout says when an item is done.
fn completed(record: &Record<'_>) -> What {
    let item = record.payload.item.0.as_ref().and_then(|item| item.kind.get());
    match item.unwrap_or("") {
        "UserMessage" => What::SaidByPerson,
        "AgentMessage" => What::SaidByModel,
        "Reasoning" => What::ThoughtByModel,
        "Plan" => What::Plan,
        "ContextCompaction" => What::LeftOut("a compaction, which has a row of its own"),
        "EnteredReviewMode" | "ExitedReviewMode" => What::LeftOut(COURSE),
        "HookPrompt" => What::LeftOut(PARTIAL),
        "CommandExecution"
        | "FileChange"
        | "McpToolCall"
        | "DynamicToolCall"
        | "CollabToolCall"
        | "CollabAgentToolCall"
        | "WebSearch"
        | "ImageView"
        | "ImageGeneration"
        | "Sleep"
        | "SubAgentActivity" => What::LeftOut(TOOL),
        _ => What::Unknown,
    }
}

const COURSES: &[&str] = &[
    "agent_reasoning_section_break",
    "background_event",
    "deprecation_notice",
    "entered_review_mode",
    "exited_review_mode",
    "guardian_assessment",
    "hook_completed",
    "hook_started",
    "item_started",
    "model_reroute",
    "model_verification",
    "safety_buffering",
    "shutdown_complete",
    "stream_error",
    "thread_goal_updated",
    "undo_completed",
    "undo_started",
];

const PARTIALS: &[&str] = &[
    "agent_message_content_delta",
    "agent_message_delta",
    "agent_reasoning_delta",
    "agent_reasoning_raw_content_delta",
    "exec_command_output_delta",
    "plan_delta",
    "raw_response_item",
    "reasoning_content_delta",
    "reasoning_raw_content_delta",
];

const TOOLS: &[&str] = &[
    "collab_agent_interaction_begin",
    "collab_agent_interaction_end",
    "collab_agent_spawn_begin",
    "collab_agent_spawn_end",
    "collab_close_begin",
    "collab_close_end",
    "collab_resume_begin",
    "collab_resume_end",
    "collab_waiting_begin",
    "collab_waiting_end",
    "dynamic_tool_call_request",
    "dynamic_tool_call_response",
    "exec_command_begin",
    "exec_command_end",
    "image_generation_begin",
    "image_generation_end",
    "mcp_tool_call_begin",
    "mcp_tool_call_end",
    "patch_apply_begin",
    "patch_apply_end",
    "patch_apply_updated",
    "plan_update",
    "sub_agent_activity",
    "terminal_interaction",
    "turn_diff",
    "view_image_tool_call",
    "web_search_begin",
    "web_search_end",
];

const QUESTIONS: &[&str] = &[
    "apply_patch_approval_request",
    "elicitation_request",
    "exec_approval_request",
    "request_permissions",
    "request_user_input",
];

const STATES: &[&str] = &[
    "conversation_path",
    "get_history_entry_response",
    "list_custom_prompts_response",
    "list_skills_response",
    "mcp_list_tools_response",
    "mcp_startup_complete",
    "mcp_startup_update",
    "skills_update_available",
];
