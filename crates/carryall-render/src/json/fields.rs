//! The fields of the document, version 1: their names, their order, and when each is left out.

use super::copy::{Audience, copy};
use super::escape::write_string;
use super::object::Object;
use carryall_model::{
    Entry, EntryKind, FileRef, Found, Header, Input, LeftOut, ListedChild, Notice, Options, Plan,
    Policy, Source, TokenUsage, ToolCall,
};
use std::io::{self, Write};

/// The version of the document.
pub(super) const VERSION: u64 = 1;

/// The fields of a session.
pub(super) fn session<W: Write>(to: &mut Object<'_, W>, header: &Header<'_>) -> io::Result<()> {
    let facts = header.facts;
    to.string("id", &facts.id)?;
    to.text("title", facts.title.as_deref())?;
    to.text("cwd", facts.cwd.as_deref())?;
    to.text("git_branch", facts.git_branch.as_deref())?;
    to.text("model", facts.model.as_deref())?;
    to.text("started_at", facts.started_at.as_deref())?;
    to.string("exported_at", header.exported_at)?;
    to.number("message_count", facts.message_count)?;
    to.number("user_turns", facts.user_turns)?;
    usage(to, "token_usage", facts.token_usage.as_ref())?;
    source(to, &facts.source)?;
    to.text("git_commit", facts.git_commit.as_deref())?;
    to.text("git_origin_url", facts.git_origin_url.as_deref())?;
    to.text("ended_at", facts.ended_at.as_deref())?;
    to.text("parent_id", facts.parent_id.as_deref())?;
    to.list("models", &facts.models, |out, _, model| write_string(out, model))?;
    policy(to, facts.policy.as_ref())?;
    if let Some(cost) = facts.cost_usd.filter(|cost| cost.is_finite()) {
        to.key("cost_usd")?;
        serde_json::to_writer(&mut *to.out, &cost)?;
    }
    to.objects("subagents", header.subagents, subagent)?;
    to.count("other_branches", facts.other_branches)?;
    options(to, header.options)
}

fn usage<W: Write>(
    to: &mut Object<'_, W>,
    name: &str,
    usage: Option<&TokenUsage>,
) -> io::Result<()> {
    let Some(usage) = usage.filter(|usage| !usage.is_zero()) else { return Ok(()) };
    to.object(name, |to| {
        to.number("input_tokens", usage.input_tokens)?;
        to.number("output_tokens", usage.output_tokens)?;
        to.number("total_tokens", usage.total_tokens)?;
        to.count("cached_input_tokens", usage.cached_input_tokens.unwrap_or_default())?;
        to.count("reasoning_tokens", usage.reasoning_tokens.unwrap_or_default())
    })
}

fn source<W: Write>(to: &mut Object<'_, W>, source: &Source) -> io::Result<()> {
    if *source == Source::default() {
        return Ok(());
    }
    to.object("source", |to| {
        to.text("agent", source.agent.as_deref())?;
        to.text("agent_version", source.agent_version.as_deref())?;
        to.text("path", source.path.as_deref())
    })
}

fn policy<W: Write>(to: &mut Object<'_, W>, policy: Option<&Policy>) -> io::Result<()> {
    let Some(policy) = policy.filter(|policy| **policy != Policy::default()) else {
        return Ok(());
    };
    to.object("policy", |to| {
        to.text("approval", policy.approval.as_deref())?;
        to.text("sandbox", policy.sandbox.as_deref())
    })
}

fn subagent<W: Write>(to: &mut Object<'_, W>, listed: &ListedChild<'_>) -> io::Result<()> {
    let child = listed.child;
    to.string("id", &child.id)?;
    to.text("title", child.title.as_deref())?;
    to.text("tool_call_id", child.tool_call_id.as_deref())?;
    to.number("message_count", child.message_count)
}

fn options<W: Write>(to: &mut Object<'_, W>, options: Options) -> io::Result<()> {
    if options == Options::default() {
        return Ok(());
    }
    to.object("options", |to| {
        to.flag("no_tools", options.no_tools)?;
        to.flag("no_thinking", options.no_thinking)?;
        to.flag("subagents", options.subagents)
    })
}

/// The fields of an entry that stand before its calls.
pub(super) fn before_calls<W: Write>(to: &mut Object<'_, W>, entry: &Entry<'_>) -> io::Result<()> {
    to.string("type", entry.kind.as_str())?;
    to.text("created_at", entry.created_at)?;
    to.text("model", entry.model)?;
    to.text("text", entry.text)?;
    to.text("reasoning", entry.reasoning)
}

/// The fields of an entry that stand after its calls.
pub(super) fn after_calls<W: Write>(to: &mut Object<'_, W>, entry: &Entry<'_>) -> io::Result<()> {
    to.objects("attachments", entry.attachments, file)?;
    to.text("tool_call_id", entry.tool_call_id)?;
    if let Some(plan) = entry.plan {
        to.object("plan", |to| plan_fields(to, plan))?;
    }
    to.text("id", entry.id)?;
    to.text("parent_id", entry.parent_id)?;
    to.text("role", entry.role.filter(|_| entry.kind == EntryKind::Other))?;
    to.flag("is_meta", entry.is_meta)?;
    usage(to, "usage", entry.usage.as_ref())?;
    to.text("stop_reason", entry.stop_reason)?;
    match entry.result.filter(|_| entry.kind == EntryKind::Command) {
        Some(result) => to.string("result", result),
        None => Ok(()),
    }
}

fn plan_fields<W: Write>(to: &mut Object<'_, W>, plan: &Plan<'_>) -> io::Result<()> {
    to.string("slug", plan.slug)?;
    to.text("name", plan.name)?;
    to.text("overview", plan.overview)?;
    to.text("path", plan.path)?;
    to.text("updated_at", plan.updated_at)
}

fn file<W: Write>(to: &mut Object<'_, W>, file: &FileRef<'_>) -> io::Result<()> {
    to.string("path", file.path)?;
    to.text("name", file.name)?;
    to.text("media_type", file.media_type)?;
    match file.bytes {
        Some(bytes) => to.number("bytes", bytes),
        None => Ok(()),
    }
}

/// The fields of a call.
pub(super) fn call<W: Write>(to: &mut Object<'_, W>, call: &ToolCall<'_>) -> io::Result<()> {
    to.string("id", call.id)?;
    to.string("name", call.name)?;
    match call.input {
        Some(Input::Json(raw)) => {
            let style = to.key("input")?;
            copy(raw.get(), style.layout(), Audience::Programs, to.out)?;
        }
        Some(Input::Text(text)) => to.string("input", text)?,
        None => {}
    }
    if let Some(result) = &call.result {
        to.string("result", result.text)?;
        to.objects("pictures", result.pictures, file)?;
        to.flag("is_error", result.is_error)?;
        to.text("completed_at", result.completed_at)?;
    }
    to.text("subagent", call.subagent)
}

/// The end of a document says nothing.
pub(super) fn is_end_empty(found: &Found, left_out: &LeftOut) -> bool {
    found.is_empty() && *left_out == LeftOut::default()
}

/// The fields of a document's end.
pub(super) fn end<W: Write>(
    to: &mut Object<'_, W>,
    found: &Found,
    left_out: &LeftOut,
) -> io::Result<()> {
    to.objects("notices", found.notices.kept(), notice)?;
    to.count("more_notices", found.notices.more())?;
    if *left_out != LeftOut::default() {
        to.object("left_out", |to| {
            to.count("tools", left_out.tools)?;
            to.count("thinking", left_out.thinking)
        })?;
    }
    to.count("replaced_characters", found.replaced_characters)?;
    to.count("hidden_characters", found.hidden_characters)
}

fn notice<W: Write>(to: &mut Object<'_, W>, notice: &Notice) -> io::Result<()> {
    to.string("kind", notice.kind.as_str())?;
    for (name, value) in [("row", notice.row), ("offset", notice.offset), ("bytes", notice.bytes)] {
        if let Some(value) = value {
            to.number(name, value)?;
        }
    }
    to.text("detail", notice.detail.as_deref())
}
