//! An entry of the conversation.

use super::Html;
use super::block::{self, Pre};
use super::document::Open;
use super::spot::Spot;
use super::text::{self, Extent};
use carryall_model::{Entry, EntryKind, FileRef, Plan};
use std::io::{self, Write};

impl<W: Write> Html<W> {
    /// Writes an entry up to its calls, which follow.
    pub(super) fn write_entry(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        self.close_entry()?;
        let spot = self.document.next_entry();
        self.contents.note(spot, entry);
        let continued = self.document.continues(entry);
        let cont = match (continued, says_nothing(entry)) {
            (true, true) => " cont quiet",
            (true, false) => " cont",
            (false, _) => "",
        };
        let (class, id) = (class(entry), spot.id());
        writeln!(
            self.out,
            r#"<article class="entry {class}{cont}" id="{id}" aria-labelledby="{id}-h">"#
        )?;
        self.document.open = Open::Entry;
        if entry.is_meta {
            return self.write_injected(spot, entry);
        }
        self.write_head(spot, entry, continued)?;
        if let Some(reasoning) = present(entry.reasoning) {
            block::fold(&mut self.out, "Reasoning", Pre::Prose, reasoning)?;
        }
        self.write_parts(entry)
    }

    /// Closes the frame of the calls and the entry.
    pub(super) fn close_entry(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.document.open, Open::Nothing) {
            Open::Nothing => Ok(()),
            Open::Entry => self.out.write_all(b"</article>\n"),
            Open::Calls => self.out.write_all(b"</div>\n</article>\n"),
        }
    }

    /// Opens the frame of the calls, unless it is open.
    pub(super) fn open_calls(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.document.open, Open::Calls) {
            Open::Calls => Ok(()),
            Open::Entry | Open::Nothing => self.out.write_all(b"<div class=\"calls\">\n"),
        }
    }

    /// What nobody typed: closed, and said so.
    fn write_injected(&mut self, spot: Spot, entry: &Entry<'_>) -> io::Result<()> {
        self.write_permalink(spot)?;
        let parts = [entry.reasoning, entry.text, entry.result];
        let mut extent = Extent { lines: 0, bytes: 0 };
        for part in parts.into_iter().filter_map(present) {
            extent = extent.and(Extent::of(part));
        }
        let (id, level) = (spot.id(), self.document.level());
        write!(self.out, "\n<details class=\"fold\">\n<summary>")?;
        writeln!(
            self.out,
            r#"<h{level} id="{id}-h">Injected message</h{level}>{extent}</summary>"#
        )?;
        if let Some(reasoning) = present(entry.reasoning) {
            block::pre(&mut self.out, Pre::Prose, reasoning)?;
        }
        if let Some(text) = present(entry.text) {
            block::pre(&mut self.out, Pre::Prose, text)?;
        }
        if let Some(result) = present(entry.result) {
            block::pre(&mut self.out, Pre::Printed, result)?;
        }
        block::files(&mut self.out, "Attachments", entry.attachments)?;
        self.out.write_all(b"</details>\n")
    }

    /// Who speaks, what is known of it, and the number.
    fn write_head(&mut self, spot: Spot, entry: &Entry<'_>, continued: bool) -> io::Result<()> {
        let (id, level) = (spot.id(), self.document.level());
        let hidden = if continued { r#" class="vh""# } else { "" };
        let title = title(entry.kind);
        write!(self.out, r#"<div class="head"><h{level} id="{id}-h"{hidden}>{title}</h{level}>"#)?;
        let known = match entry.kind {
            EntryKind::Other => Some(("code", entry.role)),
            EntryKind::ToolResult => Some(("code", entry.tool_call_id)),
            EntryKind::PlanDocument => Some(("span", entry.plan.and_then(plan_name))),
            EntryKind::Assistant if continued => None,
            EntryKind::Assistant | EntryKind::CompactionSummary => Some(("span", entry.model)),
            EntryKind::User | EntryKind::System | EntryKind::Command => None,
        };
        if let Some((element, Some(value))) = known.filter(|(_, value)| present(*value).is_some()) {
            write!(self.out, "<{element}>")?;
            text::value(&mut self.out, value)?;
            write!(self.out, "</{element}>")?;
        }
        if let Some(at) = present(entry.created_at) {
            self.document.write_time(&mut self.out, at)?;
        }
        self.write_permalink(spot)?;
        self.out.write_all(b"</div>\n")
    }

    fn write_permalink(&mut self, spot: Spot) -> io::Result<()> {
        let (id, label) = (spot.id(), spot.label());
        write!(
            self.out,
            r##"<a class="n" href="#{id}" aria-label="Link to entry {label}">{label}</a>"##
        )
    }

    /// The text, what came with it, and the box around them.
    fn write_parts(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let out = &mut self.out;
        let (start, end) = match entry.kind {
            EntryKind::User => ("<div class=\"box\">\n", "</div>\n"),
            EntryKind::PlanDocument => ("<div class=\"card\">\n", "</div>\n"),
            EntryKind::Assistant
            | EntryKind::ToolResult
            | EntryKind::CompactionSummary
            | EntryKind::System
            | EntryKind::Command
            | EntryKind::Other => ("", ""),
        };
        out.write_all(start.as_bytes())?;
        if let Some(overview) = entry.plan.and_then(|plan| present(plan.overview)) {
            out.write_all(b"<p class=\"label\" dir=\"auto\">")?;
            text::text(out, overview)?;
            out.write_all(b"</p>\n")?;
        }
        if let Some(text) = present(entry.text) {
            write_text(out, entry.kind, text)?;
        }
        match entry.result {
            Some("") => out.write_all(b"<p class=\"label\">(empty)</p>\n")?,
            Some(result) => block::block(out, "result", Pre::Printed, result)?,
            None => {}
        }
        block::files(out, "Attachments", entry.attachments)?;
        if let Some(path) = entry.plan.and_then(|plan| present(plan.path)) {
            block::files(out, "Plan file", &[FileRef { path, ..FileRef::default() }])?;
        }
        out.write_all(end.as_bytes())
    }
}

fn write_text<W: Write>(out: &mut W, kind: EntryKind, text: &str) -> io::Result<()> {
    match kind {
        EntryKind::User | EntryKind::System | EntryKind::Other => {
            block::block(out, "text", Pre::Prompt, text)
        }
        EntryKind::ToolResult => block::block(out, "result", Pre::Printed, text),
        EntryKind::Command => block::pre(out, Pre::Typed, text),
        EntryKind::Assistant | EntryKind::CompactionSummary | EntryKind::PlanDocument => {
            block::pre(out, Pre::Prose, text)
        }
    }
}

/// There is no more to it than its calls: a run of such answers is one list.
fn says_nothing(entry: &Entry<'_>) -> bool {
    present(entry.text).is_none() && entry.attachments.is_empty() && entry.calls > 0
}

/// A field in which something stands.
pub(super) fn present(field: Option<&str>) -> Option<&str> {
    field.filter(|field| !field.is_empty())
}

/// What a plan is called.
pub(super) fn plan_name<'a>(plan: &Plan<'a>) -> Option<&'a str> {
    present(plan.name).or(present(Some(plan.slug)))
}

fn class(entry: &Entry<'_>) -> &'static str {
    if entry.is_meta {
        return "aside";
    }
    match entry.kind {
        EntryKind::User => "user",
        EntryKind::Assistant => "assistant",
        EntryKind::ToolResult => "result",
        EntryKind::CompactionSummary => "compact",
        EntryKind::PlanDocument => "plan",
        EntryKind::System | EntryKind::Other => "aside",
        EntryKind::Command => "command",
    }
}

fn title(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::User => "User",
        EntryKind::Assistant => "Assistant",
        EntryKind::ToolResult => "Tool result",
        EntryKind::CompactionSummary => "Compaction summary",
        EntryKind::PlanDocument => "Plan document",
        EntryKind::System => "System",
        EntryKind::Command => "Command",
        EntryKind::Other => "Other",
    }
}
