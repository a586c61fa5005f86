//! One entry: its marker, its heading, its texts.

use super::marker::{self, Spot};
use super::payload::{Measured, Payload, fence};
use super::prose::{INFO, Mode, Prose};
use super::span;
use crate::chars::visible_controls;
use crate::wording::size;
use carryall_model::{Entry, EntryKind, FileRef, Plan};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes an entry but for its calls.
pub(super) fn write(
    out: &mut impl Write,
    spot: Spot,
    entry: &Entry<'_>,
    prose: &mut Prose,
) -> io::Result<()> {
    let parts = Parts::of(entry);
    let lengths = [
        ("reasoning", parts.reasoning.as_ref().map(|text| text.len() as u64)),
        ("text", parts.text.as_ref().map(Body::len)),
        ("result", parts.result.as_ref().map(Measured::len)),
    ];
    out.write_all(b"\n\n")?;
    marker::write(out, spot, entry.kind.as_str(), &lengths)?;
    heading(out, entry)?;
    if let Some(reasoning) = &parts.reasoning {
        out.write_all(b"\n<details>\n<summary>Reasoning</summary>\n")?;
        live(out, reasoning, prose)?;
        out.write_all(b"\n</details>\n")?;
    }
    match &parts.text {
        Some(Body::Prose(text)) => live(out, text, prose)?,
        Some(Body::Fenced(text)) => text.write(out)?,
        None if entry.kind == EntryKind::ToolResult => out.write_all(b"\n(empty)\n")?,
        None => {}
    }
    files(out, "Attachments", entry.attachments)?;
    if let Some(path) = entry.plan.and_then(|plan| plan.path).filter(|path| !path.is_empty()) {
        out.write_all(b"\nPlan file: ")?;
        span::path(out, path)?;
        out.write_all(b"\n")?;
    }
    if let Some(result) = &parts.result {
        out.write_all(b"\nResult:\n")?;
        result.write(out)?;
    }
    Ok(())
}

/// What an entry has, in the order in which it stands.
struct Parts<'a> {
    reasoning: Option<Cow<'a, str>>,
    text: Option<Body<'a>>,
    result: Option<Measured<'a>>,
}

enum Body<'a> {
    Prose(Cow<'a, str>),
    Fenced(Measured<'a>),
}

impl<'a> Parts<'a> {
    fn of(entry: &Entry<'a>) -> Self {
        let text = entry.text.filter(|text| !text.is_empty());
        let result = entry.result.filter(|_| entry.kind == EntryKind::Command);
        Self {
            reasoning: entry.reasoning.filter(|text| !text.is_empty()).map(visible_controls),
            text: text.map(|text| match entry.kind {
                EntryKind::ToolResult => Body::Fenced(Payload::text(text).measure()),
                EntryKind::User
                | EntryKind::Assistant
                | EntryKind::CompactionSummary
                | EntryKind::PlanDocument
                | EntryKind::System
                | EntryKind::Command
                | EntryKind::Other => Body::Prose(visible_controls(text)),
            }),
            result: result.map(|text| Payload::text(text).measure()),
        }
    }
}

impl Body<'_> {
    fn len(&self) -> u64 {
        match self {
            Self::Prose(text) => text.len() as u64,
            Self::Fenced(text) => text.len(),
        }
    }
}

fn heading(out: &mut impl Write, entry: &Entry<'_>) -> io::Result<()> {
    let (title, value) = match entry.kind {
        EntryKind::User => ("User", None),
        EntryKind::Assistant => ("Assistant", entry.model),
        EntryKind::ToolResult => ("Tool result", entry.tool_call_id),
        EntryKind::CompactionSummary => ("Compaction summary", entry.model),
        EntryKind::PlanDocument => ("Plan document", None),
        EntryKind::System => ("System", None),
        EntryKind::Command => ("Command", None),
        EntryKind::Other => ("Other", entry.role),
    };
    write!(out, "## {title}")?;
    if let Some(name) = entry.plan.and_then(plan_name) {
        out.write_all(b": ")?;
        span::value(out, name)?;
    }
    if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
        out.write_all(" · ".as_bytes())?;
        span::value(out, value)?;
    }
    if let Some(time) = entry.created_at.filter(|time| !time.trim().is_empty()) {
        out.write_all(" · ".as_bytes())?;
        span::time(out, time)?;
    }
    out.write_all(b"\n")
}

fn plan_name<'a>(plan: &Plan<'a>) -> Option<&'a str> {
    [plan.name.unwrap_or_default(), plan.slug].into_iter().find(|name| !name.trim().is_empty())
}

/// Writes a blank line and a text that people read as Markdown.
fn live(out: &mut impl Write, text: &str, prose: &mut Prose) -> io::Result<()> {
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    out.write_all(b"\n")?;
    match prose.mode(text) {
        Mode::Verbatim => {
            out.write_all(text.as_bytes())?;
            out.write_all(newline.as_bytes())
        }
        Mode::Closed(closing) => {
            out.write_all(text.as_bytes())?;
            writeln!(out, "{newline}{closing}")
        }
        Mode::Fenced => {
            let fence = fence(text);
            writeln!(out, "{fence}{INFO}")?;
            out.write_all(text.as_bytes())?;
            writeln!(out, "{newline}{fence}")
        }
    }
}

/// Writes a line with files and pictures, if there are any.
pub(super) fn files(out: &mut impl Write, label: &str, files: &[FileRef<'_>]) -> io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    write!(out, "\n{label}: ")?;
    for (at, file) in files.iter().enumerate() {
        if at > 0 {
            out.write_all(b", ")?;
        }
        let name = file.name.unwrap_or_default();
        span::path(out, if file.path.is_empty() { name } else { file.path })?;
        about_file(out, file)?;
    }
    out.write_all(b"\n")
}

/// ` (image/png, 48.2 kB)`, as far as it is known.
fn about_file(out: &mut impl Write, file: &FileRef<'_>) -> io::Result<()> {
    let media_type = file.media_type.filter(|name| !name.trim().is_empty());
    if media_type.is_none() && file.bytes.is_none() {
        return Ok(());
    }
    out.write_all(b" (")?;
    if let Some(name) = media_type {
        span::media_type(out, name)?;
    }
    if let Some(bytes) = file.bytes {
        let comma = if media_type.is_some() { ", " } else { "" };
        write!(out, "{comma}{}", size(bytes))?;
    }
    out.write_all(b")")
}
