//! What is written after the conversation, since only then it is known: the contents, and which
//! subagents were promised.

use super::entry::{plan_name, present};
use super::spot::Spot;
use super::text;
use crate::wording;
use carryall_model::{Entry, EntryKind};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// How many characters of a prompt are listed.
const LISTED: usize = 80;

/// The rows of the contents: the prompts, and the places one looks for.
#[derive(Debug, Default)]
pub(super) struct Contents {
    rows: Vec<Row>,
    prompts: u64,
}

#[derive(Debug)]
struct Row {
    target: Target,
    /// It is a mark between the prompts.
    mark: bool,
    text: String,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Entry(u32),
    Child(u32),
    End,
}

impl Contents {
    /// Notes an entry, if it is one that is listed.
    pub(super) fn note(&mut self, spot: Spot, entry: &Entry<'_>) {
        if entry.is_meta || spot.child.is_some() {
            return;
        }
        let (mark, text) = match entry.kind {
            EntryKind::User => (false, beginning(prompt(entry))),
            EntryKind::PlanDocument => {
                let name = entry.plan.and_then(plan_name);
                (true, name.map_or("Plan".to_owned(), |name| format!("Plan: {}", beginning(name))))
            }
            EntryKind::CompactionSummary => (true, "Compaction summary".to_owned()),
            EntryKind::Assistant
            | EntryKind::ToolResult
            | EntryKind::System
            | EntryKind::Command
            | EntryKind::Other => return,
        };
        self.prompts += u64::from(!mark);
        self.rows.push(Row { target: Target::Entry(spot.entry), mark, text });
    }

    /// Notes a subagent's document.
    pub(super) fn note_child(&mut self, number: u32, title: &str) {
        let text = format!("Subagent: {}", beginning(title));
        self.rows.push(Row { target: Target::Child(number), mark: true, text });
    }

    /// Notes the closing section.
    pub(super) fn note_end(&mut self) {
        let text = "What is missing".to_owned();
        self.rows.push(Row { target: Target::End, mark: true, text });
    }

    /// Writes the list; nothing when it is empty.
    pub(super) fn write<W: Write>(&self, out: &mut W) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let prompts = match self.prompts {
            1 => "1 prompt".to_owned(),
            n => format!("{} prompts", wording::grouped(n)),
        };
        out.write_all(b"<nav class=\"toc\" aria-label=\"Contents\">\n<details>\n")?;
        write!(out, "<summary>Contents · {prompts}</summary>\n<ol>\n")?;
        for row in &self.rows {
            row.write(out)?;
        }
        out.write_all(b"</ol>\n</details>\n</nav>\n")
    }
}

impl Row {
    fn write<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let class = if self.mark { r#" class="mark""# } else { "" };
        write!(out, "<li><a{class} href=\"#")?;
        match self.target {
            Target::Entry(number) => write!(out, r#"e{number}"><span class="n">{number}"#)?,
            Target::Child(number) => write!(out, r#"s{number}"><span class="n">s{number}"#)?,
            Target::End => out.write_all(br#"end"><span class="n">"#)?,
        }
        out.write_all(br#"</span> <span class="t" dir="auto">"#)?;
        text::text(out, &self.text)?;
        out.write_all(b"</span></a></li>\n")
    }
}

/// What a prompt without words is known by.
fn prompt<'a>(entry: &Entry<'a>) -> &'a str {
    let text = present(entry.text).filter(|text| !text.trim().is_empty());
    let file = entry.attachments.first();
    let file =
        file.map(|file| if file.path.is_empty() { file.name.unwrap_or("") } else { file.path });
    text.or(file).unwrap_or("–")
}

/// The first characters of a text, on one line.
fn beginning(text: &str) -> String {
    let mut line = String::with_capacity(LISTED);
    let mut left = LISTED;
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
            left -= 1;
        }
        let (kept, _) = text::first_characters(word, left);
        line.push_str(kept);
        left -= kept.chars().count();
        if left <= 1 {
            break;
        }
    }
    line
}

/// Subagents whose documents are to follow.
#[derive(Debug, Default)]
pub(super) struct Children {
    awaited: BTreeMap<u32, Awaited>,
}

/// What is known of a subagent before its document.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    /// What it was asked to do.
    pub(super) title: Option<String>,
    /// The first call that started it.
    pub(super) called_from: Option<Spot>,
}

impl Children {
    /// Awaits a subagent.
    pub(super) fn await_child(&mut self, number: u32, title: Option<String>) {
        self.awaited.insert(number, Awaited { title, called_from: None });
    }

    /// Remembers which call links to it.
    pub(super) fn called_from(&mut self, number: u32, spot: Spot) {
        let awaited = self.awaited.entry(number).or_default();
        awaited.called_from.get_or_insert(spot);
    }

    /// Its document begins.
    pub(super) fn arrive(&mut self, number: u32) -> Awaited {
        self.awaited.remove(&number).unwrap_or_default()
    }

    /// Those to which a call links and whose document never came.
    pub(super) fn lost(&mut self) -> Vec<(u32, Awaited)> {
        let awaited = std::mem::take(&mut self.awaited);
        awaited.into_iter().filter(|(_, child)| child.called_from.is_some()).collect()
    }
}
