//! coddy: a folder for each session, with its facts in `session.json` and its rows in
//! `messages.json`.
//!
//! `bundle` opens the folder, `document` finds the rows of the one JSON document, `plan`
//! decides what each row becomes and which result answers which call, and `replay` reads the
//! rows again and pushes the entries. `docs/dialects/coddy.md` says what is decided for which row.

mod agents;
mod attachments;
mod bundle;
mod calls;
mod document;
mod fields;
mod ledger;
mod plan;
mod recognise;
mod replay;
mod row;
mod session;
mod store;
#[cfg(test)]
mod tests;

use crate::{Dialect, Ledger, Listed, Locator, OpenContext, Peek, Probe, Stat, Surroundings};
use bundle::Bundle;
use carryall_model::{OpenError, Transcript};
use session::Session;
use std::io;
use std::path::{Path, PathBuf};

/// The name in lists, options and documents.
pub(crate) const NAME: &str = "coddy";

/// The dialect of coddy, from its first session bundles on.
#[derive(Clone, Copy, Debug)]
pub struct Coddy;

impl Dialect for Coddy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a folder that holds session.json and messages.json"
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

    fn stat(&self, listed: &Listed) -> io::Result<Stat> {
        let meta = std::fs::metadata(listed.path.join(bundle::MESSAGES))?;
        Ok(Stat { bytes: meta.len(), modified: meta.modified()? })
    }

    fn peek(&self, listed: &Listed, cx: &OpenContext<'_>) -> Result<Peek, OpenError> {
        let meta = Bundle::open(&listed.path, cx.authority)?.meta;
        Ok(Peek { title: meta.title(), cwd: meta.cwd, ..Peek::default() })
    }

    fn open(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Transcript>, OpenError> {
        let bundle = Bundle::open(&locator.path, cx.authority)?;
        Ok(Box::new(Session::open(bundle, cx.branch_of)?))
    }

    fn ledger(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Ledger>, OpenError> {
        let bundle = Bundle::open(&locator.path, cx.authority)?;
        Ok(Box::new(ledger::Records::of(Session::open(bundle, cx.branch_of)?)))
    }
}
