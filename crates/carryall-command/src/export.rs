//! A plan carried out: a whole file, or none.

use crate::{CommandError, Plan, Settings, write_document};
use carryall_model::{Notices, Transcript};
use carryall_render::{Format, Product};
use carryall_workspace::{FileId, Name, Staged, Workspace, Written};
use chrono::{DateTime, Utc};
use std::io::{BufWriter, Write};

/// Small pieces are gathered to this many bytes before they are written.
const BUFFER: usize = 256 * 1024;

/// A file that was written.
#[derive(Debug)]
pub struct Exported {
    /// Where it is, and what there is to say about the writing.
    pub written: Written,
    /// Its format.
    pub format: Format,
    /// Entries of the session's own document, after trimming; the same in every format.
    pub entries: u64,
    /// What could not be read, or is not shown.
    pub notices: Notices,
}

/// Writes the session to the planned target: invisible until it is whole, then there at once.
///
/// # Errors
/// When the session holds no messages, cannot be read to its end, or the file cannot be written.
/// The target is then as it was before.
pub fn export(
    plan: Plan,
    transcript: &dyn Transcript,
    workspace: &Workspace,
    now: DateTime<Utc>,
    product: &Product,
) -> Result<Exported, CommandError> {
    if transcript.facts().message_count == 0 {
        return Err(CommandError::NothingToExport);
    }
    let asked = plan.target.request().to_owned();
    let settings = Settings { format: plan.format, options: plan.options, now, product };
    let mut out = BufWriter::with_capacity(BUFFER, stage(plan, transcript, workspace, &settings)?);
    let summary = write_document(transcript, &settings, &mut out)
        .map_err(|error| CommandError::from_document(error, &asked))?;
    // Messages in which there is nothing to see. What options left out, the document says.
    if summary.entries == 0 && !settings.options.no_tools && !settings.options.no_thinking {
        return Err(CommandError::NothingToExport);
    }
    let failed = |source| CommandError::Target(carryall_workspace::Error::write(&asked, source));
    out.flush().map_err(failed)?;
    let staged = out.into_inner().map_err(|error| failed(error.into_error()))?;
    Ok(Exported {
        written: staged.commit()?,
        format: settings.format,
        entries: summary.entries,
        notices: summary.notices,
    })
}

fn stage(
    plan: Plan,
    transcript: &dyn Transcript,
    workspace: &Workspace,
    settings: &Settings<'_>,
) -> Result<Staged, CommandError> {
    let sources: Vec<FileId> = transcript
        .sources()
        .iter()
        .map(|id| FileId { device: id.device, inode: id.inode })
        .collect();
    let stem =
        format!("{}-export-{}", settings.product.slug, settings.now.format("%Y-%m-%dT%H-%M-%SZ"));
    let name = match plan.target.is_directory() {
        true => Name::Generated { stem: &stem, extension: settings.format.extension() },
        false => Name::Explicit,
    };
    Ok(workspace.stage(plan.target, name, &sources)?)
}
