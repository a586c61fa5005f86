//! `carryall sessions inspect`: what became of every record of a session. No message text is
//! printed: kinds, fates, reasons and counts are all there is.

mod json;
mod text;

use crate::cli::InspectArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::{session, terminal};
use carryall_dialect::{Fate, Ledger, Record, Registry, Totals};
use carryall_model::{Entry, EntrySink, Notices, ReplayError, SinkError, ToolCall};
use std::io::{self, BufWriter, Write};

/// Damaged records beyond this are counted, not listed; `--json` lists all.
const MAX_DAMAGED: usize = 20;

pub(crate) fn run(args: &InspectArgs, environment: &Environment) -> Result<(), Failure> {
    let registry = Registry::builtin();
    let session = session::find(&args.which, environment, &registry)?;
    let ledger = session.ledger(environment)?;
    let inspected = Inspected::of(session.agent(), &*ledger)?;
    if args.json {
        let mut out = BufWriter::with_capacity(256 * 1024, io::stdout().lock());
        json::write(&inspected, &mut out)?;
        return out.flush().map_err(terminal::output);
    }
    terminal::answer(&text::whole(&inspected, terminal::width()))
}

/// A session's ledger, walked once for its sums.
struct Inspected<'l> {
    agent: &'static str,
    ledger: &'l dyn Ledger,
    totals: Totals,
    /// What opening the session gave, beside what its records say.
    notices: Notices,
    damaged: Vec<Damaged>,
}

/// A record that could not be read.
struct Damaged {
    file: Option<String>,
    row: u64,
    kind: String,
    reason: String,
}

impl<'l> Inspected<'l> {
    fn of(agent: &'static str, ledger: &'l dyn Ledger) -> Result<Self, Failure> {
        let mut totals = Totals::default();
        let mut damaged = Vec::new();
        ledger
            .records(&mut |record| {
                totals.take(record);
                if record.fate == Fate::Damaged && damaged.len() < MAX_DAMAGED {
                    damaged.push(Damaged::of(record));
                }
                Ok(())
            })
            .map_err(half_way)?;
        // A replay of no entries reads nothing, and tells what opening found.
        let found = ledger.transcript().replay(0..0, &mut Nobody).map_err(half_way)?;
        Ok(Self { agent, ledger, totals, notices: found.notices, damaged })
    }
}

impl Damaged {
    fn of(record: &Record<'_>) -> Self {
        Self {
            file: record.file.map(str::to_owned),
            row: record.row,
            kind: record.kind.to_owned(),
            reason: record.reason.unwrap_or_default().to_owned(),
        }
    }
}

/// The failure for a walk that came to an end before its end.
fn half_way(error: ReplayError) -> Failure {
    match error {
        ReplayError::Sink(SinkError::Write(error)) => terminal::output(error),
        error @ ReplayError::SourceChanged { .. } => changed(&error),
        error => Failure::from(error).kind("unreadable"),
    }
}

fn changed(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(error.to_string()).hint("it is being rewritten; try again").kind("source-changed")
}

/// Takes nothing.
struct Nobody;

impl EntrySink for Nobody {
    fn entry(&mut self, _: &Entry<'_>) -> Result<(), SinkError> {
        Err(SinkError::Stop)
    }

    fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
        Err(SinkError::Stop)
    }
}
