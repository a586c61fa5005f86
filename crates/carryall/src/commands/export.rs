//! `carryall sessions export`: the shell twin of `/export`.

use crate::cli::ExportArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::session::{self, Session};
use crate::terminal;
use carryall_command::{
    CommandError, DocumentError, Exported, Plan, Request, Settings, export, write_document,
};
use carryall_dialect::Registry;
use carryall_model::{Notices, Options, ReplayError, SinkError, Transcript};
use carryall_render::{Format, Product, sentence};
use carryall_workspace::Workspace;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// More notices than this are counted, not printed; the document lists them.
const MAX_PRINTED: usize = 20;

pub(crate) fn run(args: &ExportArgs, environment: &Environment) -> Result<(), Failure> {
    let registry = Registry::builtin();
    let session = session::find(&args.which, environment, &registry)?;
    if args.out.as_deref() == Some(Path::new("-")) {
        return to_standard_output(args, environment, &session);
    }
    let exported =
        session.read(environment, |transcript| to_file(args, environment, transcript))?;
    say(&exported.notices);
    for note in &exported.written.notes {
        terminal::note(&format!("note: {note}"));
    }
    if exported.written.replaced {
        terminal::note("note: replaced an existing file");
    }
    terminal::answer(&format!(
        "Session exported to {}: {} ({} transcript entries)\n",
        exported.format.label(),
        terminal::shown(&exported.written.full_path.to_string_lossy()),
        exported.entries,
    ))
}

fn to_file(
    args: &ExportArgs,
    environment: &Environment,
    transcript: &dyn Transcript,
) -> Result<Exported, CommandError> {
    let out = args.out.as_deref().unwrap_or(Path::new("."));
    let (workspace, path) = Workspace::for_output(environment.cwd(), out, environment.authority)?;
    let request = Request { format: args.format, path, options: options(args) };
    let plan = Plan::new(&request, &workspace)?;
    export(plan, transcript, &workspace, environment.now(), &product())
}

/// Writes the document straight to standard output. What a reader has taken cannot be taken back,
/// so a source that changes meanwhile is an error here, not a reason to begin again.
fn to_standard_output(
    args: &ExportArgs,
    environment: &Environment,
    session: &Session<'_>,
) -> Result<(), Failure> {
    let transcript = session.open(environment)?;
    if transcript.facts().message_count == 0 {
        return Err(session::refused(&CommandError::NothingToExport));
    }
    let product = product();
    let settings = Settings {
        format: args.format.unwrap_or(Format::Markdown),
        options: options(args),
        now: environment.now(),
        product: &product,
    };
    let mut out = BufWriter::with_capacity(256 * 1024, io::stdout().lock());
    let summary = write_document(&*transcript, &settings, &mut out).map_err(half_way)?;
    out.flush().map_err(terminal::output)?;
    say(&summary.notices);
    Ok(())
}

/// A document that came to an end before its end: the reader went away, or the source failed.
fn half_way(error: DocumentError) -> Failure {
    if let DocumentError::Replay(ReplayError::Sink(SinkError::Write(error))) = error {
        return terminal::output(error);
    }
    Failure::from(error).kind("unreadable")
}

/// Names on standard error what could not be read or is not shown.
pub(crate) fn say(notices: &Notices) {
    for notice in notices.kept().iter().take(MAX_PRINTED) {
        terminal::note(&format!("note: {}: {}", notice.kind.as_str(), sentence(notice)));
    }
    let listed = notices.kept().len().saturating_sub(MAX_PRINTED);
    if listed > 0 {
        terminal::note(&format!("note: … and {listed} more, listed at the end of the document"));
    }
    if notices.more() > 0 {
        terminal::note(&format!("note: … and {} more that are not listed", notices.more()));
    }
}

fn options(args: &ExportArgs) -> Options {
    Options { no_tools: args.no_tools, no_thinking: args.no_thinking, subagents: args.subagents }
}

/// The name under which the binary exports.
pub(crate) fn product() -> Product {
    Product::new("Carryall", "carryall")
}
