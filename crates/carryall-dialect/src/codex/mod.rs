//! Codex: one JSON record a line, in threads whose rows say the same thing twice: items for the
//! model's window, events for the person's eyes.
//!
//! `lineage` opens the files of a thread, `index` reads every row into a node and settles which of
//! them are the conversation, `plan` turns them into entries made of places, and `replay` reads
//! the rows again and pushes the entries. What is decided for which row is in
//! `docs/dialects/codex.md`.

mod agents;
mod facts;
mod files;
mod index;
mod known;
mod ledger;
mod lineage;
mod meta;
mod names;
mod output;
mod patch;
mod peek;
mod plan;
mod recognise;
mod record;
mod replay;
mod said;
mod session;
mod store;

use crate::{Dialect, Ledger, Listed, Locator, OpenContext, Peek, Probe, Surroundings};
use carryall_model::{OpenError, Transcript};
use lineage::Means;
use session::Session;
use std::io;
use std::path::{Path, PathBuf};

/// The name in lists, options and documents.
pub(crate) const NAME: &str = "codex";

/// The dialect of the Codex command line, from its first Rust versions on.
#[derive(Debug, Default)]
pub struct Codex {
    names: names::Known,
}

impl Dialect for Codex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a .jsonl or .jsonl.zst file whose rows have timestamp, type and payload"
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
        peek::peek(listed, Means::of(cx), &self.names)
    }

    fn open(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Transcript>, OpenError> {
        Ok(Box::new(Session::open(&locator.path, Means::of(cx))?))
    }

    fn ledger(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Ledger>, OpenError> {
        Ok(Box::new(ledger::Records::open(&locator.path, Means::of(cx))?))
    }
}
