//! What a chat surface shows after the command.

use crate::grammar::{SYNOPSIS, Word, parse};
use crate::{CommandError, Exported, Plan, export};
use carryall_model::{NoticeKind, Transcript};
use carryall_render::Product;
use carryall_workspace::Workspace;
use chrono::{DateTime, Utc};
use std::fmt;

/// The answer to one command: the file that was written, or why none was. Its text is [`Display`].
///
/// [`Display`]: fmt::Display
#[derive(Debug)]
pub struct Reply {
    /// What came of it.
    pub outcome: Result<Exported, CommandError>,
    /// The workspace as a person knows it, for the sentence about leaving it.
    workspace: String,
}

/// Runs the command with the words that followed its name.
///
/// It never fails: what went wrong is in the reply, and then nothing was written. A reply whose
/// [`source_changed`](CommandError::source_changed) may be run once more on a transcript that was
/// opened anew.
#[must_use]
pub fn run(
    words: &[Word<'_>],
    transcript: &dyn Transcript,
    workspace: &Workspace,
    now: DateTime<Utc>,
    product: &Product,
) -> Reply {
    let outcome = parse(words)
        .and_then(|request| Plan::new(&request, workspace))
        .and_then(|plan| export(plan, transcript, workspace, now, product));
    Reply { outcome, workspace: workspace.path().display().to_string() }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Ok(exported) => success(exported, f),
            Err(error) => {
                if error.is_escape() {
                    let root = &self.workspace;
                    writeln!(
                        f,
                        "Export failed: the target must stay inside the session workspace ({root})."
                    )?;
                } else {
                    writeln!(f, "Export failed: {error}")?;
                }
                write!(
                    f,
                    "Usage: {SYNOPSIS}. Without a path the file gets a name of its own in the \
                     workspace; a path that ends in / names a directory; --no-tools leaves tool \
                     calls out, --no-thinking reasoning."
                )
            }
        }
    }
}

fn success(exported: &Exported, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Exported { written, format, entries, notices } = exported;
    writeln!(f, "Session exported to {}: {}", format.label(), written.path.display())?;
    write!(f, "Full path: {} ({entries} transcript entries)", written.full_path.display())?;
    if written.replaced {
        write!(f, "\nNote: replaced an existing file.")?;
    }
    match notices.unreadable_rows() {
        0 => {}
        1 => write!(f, "\nNote: 1 row could not be read; see the end of the file.")?,
        n => write!(f, "\nNote: {n} rows could not be read; see the end of the file.")?,
    }
    if notices.kept().iter().any(|notice| notice.kind == NoticeKind::TurnInProgress) {
        write!(f, "\nNote: a turn is in progress.")?;
    }
    for note in &written.notes {
        write!(f, "\nNote: {note}.")?;
    }
    Ok(())
}
