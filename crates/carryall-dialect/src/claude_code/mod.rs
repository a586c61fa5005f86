//! Claude Code: one JSON record a line, a tree of rows linked by `parentUuid`.
//!
//! `index` reads every row into a node, `chain` finds the rows that are the conversation,
//! `plan` turns them into entries made of spans, and `replay` reads the spans again and pushes
//! the entries. What is decided for which row is in `docs/dialects/claude-code.md`.

mod agents;
mod chain;
mod command;
mod edits;
mod facts;
mod index;
mod ledger;
mod neighbour;
mod parts;
mod peek;
mod plan;
mod recognise;
mod replay;
mod row;
mod session;
mod spill;
mod store;
mod twin;

use crate::lenient;
use crate::{Dialect, Ledger, Listed, Locator, OpenContext, Peek, Probe, Surroundings};
use carryall_model::{OpenError, Transcript};
use std::io;
use std::path::{Path, PathBuf};

/// The name in lists, options and documents.
pub(crate) const NAME: &str = "claude-code";

/// The dialect of Claude Code, from its first public versions on.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a .jsonl file whose rows have uuid, parentUuid and sessionId"
    }

    fn claims(&self, probe: &Probe<'_>) -> bool {
        recognise::claims(probe)
    }

    fn stores(&self, surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
        store::stores(surroundings)
    }

    fn list(&self, store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
        store::list(store, each)
    }

    fn peek(&self, listed: &Listed, cx: &OpenContext<'_>) -> Result<Peek, OpenError> {
        peek::peek(&listed.path, cx.authority)
    }

    fn open(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Transcript>, OpenError> {
        Ok(Box::new(session::Session::open(&locator.path, cx.authority)?))
    }

    fn ledger(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Ledger>, OpenError> {
        Ok(Box::new(ledger::Records::open(&locator.path, cx.authority)?))
    }
}
