//! Qwen Code: one JSON record a line, linked by `parentUuid`, with messages in the parts of the
//! Gemini interface.
//!
//! `index` reads every record into a row of a node, `chain` finds the nodes that are the
//! conversation, `plan` turns their parts into entries made of places, and `replay` reads the rows
//! again and pushes the entries. What is decided for which row is in `docs/dialects/qwen.md`.

mod agents;
mod chain;
mod edits;
mod facts;
mod index;
mod known;
mod ledger;
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
use std::io;
use std::path::{Path, PathBuf};

/// The name in lists, options and documents.
pub(crate) const NAME: &str = "qwen";

/// The dialect of Qwen Code, from the first versions that write JSON Lines on.
#[derive(Clone, Copy, Debug)]
pub struct Qwen;

impl Dialect for Qwen {
    fn name(&self) -> &'static str {
        NAME
    }

    fn looks_for(&self) -> &'static str {
        "a .jsonl file whose rows have uuid, parentUuid and message.parts"
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
