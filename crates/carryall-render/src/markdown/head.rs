//! The heads of documents, and the links between a subagent and the call that started it.

use super::marker::Spot;
use super::span;
use crate::wording::{FactKind, facts};
use carryall_model::{Header, ListedChild, ToolCall};
use std::collections::HashMap;
use std::io::{self, Write};

/// The head of the session's own document.
pub(super) fn session(out: &mut impl Write, title: &str, header: &Header<'_>) -> io::Result<()> {
    writeln!(out, "# {} session export\n", span::sentence(title))?;
    list(out, header)
}

/// The head of a subagent's section.
pub(super) fn subagent(
    out: &mut impl Write,
    number: u32,
    about: About,
    header: &Header<'_>,
) -> io::Result<()> {
    write!(out, "\n\n## <a id=\"s{number}\"></a>Subagent: ")?;
    let title = about.title.or_else(|| header.facts.title.clone()).unwrap_or_default();
    span::value(out, &title)?;
    out.write_all(b"\n\n")?;
    list(out, header)?;
    if let Some(caller) = about.caller {
        writeln!(out, "- **Called from**: [call {caller}](#{})", caller.anchor())?;
    }
    Ok(())
}

fn list(out: &mut impl Write, header: &Header<'_>) -> io::Result<()> {
    for fact in facts(header) {
        write!(out, "- **{}**: ", fact.label)?;
        match fact.kind {
            FactKind::Value => span::value(out, &fact.value)?,
            FactKind::Path => span::path(out, &fact.value)?,
            FactKind::Time => span::time(out, &fact.value)?,
            FactKind::Words | FactKind::AtTheEnd => out.write_all(fact.value.as_bytes())?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// The subagents of the document at hand, and what is known of those whose sections are to come.
#[derive(Debug, Default)]
pub(super) struct Subagents {
    by_id: HashMap<String, Option<u32>>,
    by_call: HashMap<String, String>,
    announced: HashMap<u32, About>,
}

/// What a parent's document said about a subagent.
#[derive(Debug, Default)]
pub(super) struct About {
    title: Option<String>,
    caller: Option<Spot>,
}

/// The subagent that a call started.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) id: String,
    /// Its number, when its section follows.
    pub(super) number: Option<u32>,
}

impl Subagents {
    /// Begins the document of a session with these subagents.
    pub(super) fn list(&mut self, children: &[ListedChild<'_>]) {
        self.by_id.clear();
        self.by_call.clear();
        for ListedChild { child, number } in children {
            self.by_id.insert(child.id.clone(), *number);
            if let Some(call) = child.tool_call_id.as_ref().filter(|id| !id.is_empty()) {
                self.by_call.insert(call.clone(), child.id.clone());
            }
            if let Some(number) = *number {
                let about = About { title: child.title.clone(), caller: None };
                self.announced.insert(number, about);
            }
        }
    }

    /// The subagent of a call; notes the first call of each.
    pub(super) fn called(&mut self, spot: Spot, call: &ToolCall<'_>) -> Option<Started> {
        let listed = || self.by_call.get(call.id).map(String::as_str);
        let id = call.subagent.or_else(listed)?.to_owned();
        let number = self.by_id.get(&id).copied().flatten();
        if let Some(about) = number.and_then(|number| self.announced.get_mut(&number)) {
            about.caller.get_or_insert(spot);
        }
        Some(Started { id, number })
    }

    /// What was said about the subagent whose section begins.
    pub(super) fn take(&mut self, number: u32) -> About {
        self.announced.remove(&number).unwrap_or_default()
    }
}
