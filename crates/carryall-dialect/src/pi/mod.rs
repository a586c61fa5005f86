//! Pi: one JSON record a line, a tree of entries linked by `parentId`.
//!
//! `index` reads every row into a node, `chain` finds the path from the last row to a root, `plan`
//! turns it into entries made of spans, and `replay` reads the rows again and pushes the entries.
//! What is decided for which row is in `docs/dialects/pi.md`.

mod chain;
mod edits;
mod facts;
mod index;
mod known;
mod ledger;
mod parts;
mod peek;
mod plan;
mod recognise;
mod replay;
mod row;
mod session;
mod store;

use crate::{Dialect, Ledger, Listed, Locator, OpenContext, Peek, Probe, Surroundings};
use carryall_model::{OpenError, Transcript};
use std::io;
use std::path::{Path, PathBuf};

/// The name in lists, options and documents.
pub(crate) const NAME: &str = "pi";

/// The dialect of Pi, from the first versions of its session files on.
#[derive(Clone, Copy, Debug)]
pub struct Pi;

impl Dialect for Pi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a .jsonl file whose first row has type \"session\", id and timestamp"
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
