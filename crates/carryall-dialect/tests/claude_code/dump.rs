//! A session as a compact text: what a reader of snapshots wants to see at a glance.

use carryall_model::{
    Edit, Entry, EntryKind, EntrySink, Facts, FileRef, Found, Input, SinkError, ToolCall,
    Transcript,
};
use std::fmt::Write as _;

/// Everything a session gives: facts, children, entries, notices.
pub(crate) fn dump(session: &dyn Transcript) -> String {
    let mut out = facts(session.facts());
    for child in session.children() {
        let _ = writeln!(
            out,
            "child {} title={} call={} messages={}",
            child.id,
            option(child.title.as_deref()),
            option(child.tool_call_id.as_deref()),
            child.message_count
        );
    }
    let mut sink = Dump { out, number: 0 };
    let found = session.replay(0..u32::MAX, &mut sink).expect("the session replays");
    notices(&mut sink.out, &found);
    sink.out
}

fn facts(facts: &Facts) -> String {
    let mut out = format!("id {}\n", facts.id);
    let mut line = |name: &str, value: Option<&str>| {
        if let Some(value) = value {
            let _ = writeln!(out, "{name} {value}");
        }
    };
    line("title", facts.title.as_deref());
    line("cwd", facts.cwd.as_deref());
    line("branch", facts.git_branch.as_deref());
    line("model", facts.model.as_deref());
    line("models", Some(&facts.models.join(", ")).filter(|_| facts.models.len() > 1).map(|s| &**s));
    line("started", facts.started_at.as_deref());
    line("ended", facts.ended_at.as_deref());
    line("parent", facts.parent_id.as_deref());
    line("version", facts.source.agent_version.as_deref());
    line("approval", facts.policy.as_ref().and_then(|policy| policy.approval.as_deref()));
    if let Some(usage) = facts.token_usage {
        let _ = writeln!(
            out,
            "tokens {} in, {} out, {} total, cached {:?}, reasoning {:?}",
            usage.input_tokens,
            usage.output_tokens,
            usage.total_tokens,
            usage.cached_input_tokens,
            usage.reasoning_tokens
        );
    }
    let _ = writeln!(
        out,
        "messages {}, user turns {}, other branches {}, unreadable rows {}",
        facts.message_count, facts.user_turns, facts.other_branches, facts.unreadable_rows
    );
    out
}

fn notices(out: &mut String, found: &Found) {
    for notice in found.notices.kept() {
        let _ = write!(out, "notice {}", notice.kind.as_str());
        if let Some(row) = notice.row {
            let _ = write!(out, " row {row}");
        }
        let _ = writeln!(out, " {}", notice.detail.as_deref().unwrap_or(""));
    }
    if found.replaced_characters > 0 {
        let _ = writeln!(out, "replaced characters {}", found.replaced_characters);
    }
}

struct Dump {
    out: String,
    number: u32,
}

impl Dump {
    fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            let _ = writeln!(self.out, "    {name} {text:?}");
        }
    }

    fn files(&mut self, name: &str, files: &[FileRef<'_>]) {
        for file in files {
            let _ = writeln!(
                self.out,
                "    {name} path={:?} name={:?} type={:?} bytes={:?}",
                file.path, file.name, file.media_type, file.bytes
            );
        }
    }
}

impl EntrySink for Dump {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.number += 1;
        let meta = if entry.is_meta { " meta" } else { "" };
        let shell = if entry.ran_shell { " shell" } else { "" };
        let _ = writeln!(
            self.out,
            "{} {}{meta}{shell} id={} parent={} at={}",
            self.number,
            entry.kind.as_str(),
            option(entry.id),
            option(entry.parent_id),
            option(entry.created_at)
        );
        if entry.kind == EntryKind::Assistant {
            let stop = option(entry.stop_reason);
            let usage = entry.usage.map(|u| (u.input_tokens, u.output_tokens));
            let model = option(entry.model);
            let _ = writeln!(self.out, "    model={model} stop={stop} usage={usage:?}");
        }
        self.text("call", entry.tool_call_id);
        self.text("reasoning", entry.reasoning);
        self.text("text", entry.text);
        self.text("result", entry.result);
        self.files("file", entry.attachments);
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        let input = match call.input {
            Some(Input::Json(raw)) => raw.get(),
            Some(Input::Text(text)) => text,
            None => "(none)",
        };
        let _ = writeln!(self.out, "  {} {} {input}", call.name, call.id);
        for edit in call.edits {
            match edit {
                Edit::Replace { path, old, new } => {
                    let _ = writeln!(self.out, "    edit {path:?} {old:?} -> {new:?}");
                }
                Edit::Patch { path, patch } => {
                    let _ = writeln!(self.out, "    patch {path:?} {patch:?}");
                }
            }
        }
        self.text("subagent", call.subagent);
        let Some(result) = call.result else {
            self.out.push_str("    (no result)\n");
            return Ok(());
        };
        let error = if result.is_error { " error" } else { "" };
        let at = option(result.completed_at);
        let _ = writeln!(self.out, "    ={error} {:?} at={at} {:?}", result.text, call.duration);
        self.files("picture", result.pictures);
        Ok(())
    }
}

fn option(value: Option<&str>) -> &str {
    value.unwrap_or("-")
}
