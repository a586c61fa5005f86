//! Codex: the corpus and the invented threads against a slow reading of them, and rules of what may
//! be done to a thread's files.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests panic, print what is absent, stand in for the binary and write scratch files"
)]

#[path = "codex/compressed.rs"]
mod compressed;
#[path = "codex/damage.rs"]
mod damage;
#[path = "codex/files.rs"]
mod files;
#[path = "codex/forks.rs"]
mod forks;
#[path = "codex/heard.rs"]
mod heard;
#[path = "codex/ledger.rs"]
mod ledger;
#[path = "codex/made.rs"]
mod made;
#[path = "codex/oracle.rs"]
mod oracle;
#[path = "codex/rows.rs"]
mod rows;
#[path = "codex/rules.rs"]
mod rules;
#[path = "codex/scale.rs"]
mod scale;
#[path = "codex/store.rs"]
mod store;

use carryall_dialect::codex::Codex;
use carryall_dialect::{Dialect, Locator, OpenContext};
use carryall_model::{OpenError, Transcript};
use std::path::{Path, PathBuf};

fn context() -> OpenContext<'static> {
    OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    }
}

/// Opens a thread as the binary would.
fn try_open(path: &Path) -> Result<Box<dyn Transcript>, OpenError> {
    Codex::default().open(&Locator::new(path), &context())
}

/// Opens a thread that has to open.
fn open(path: &Path) -> Box<dyn Transcript> {
    try_open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}
