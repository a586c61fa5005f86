//! Claude Code: invented sessions, one trap each, and the corpus against a slow reading of it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests panic, print what is absent, stand in for the binary and write scratch files"
)]

#[path = "claude_code/corpus.rs"]
mod corpus;
#[path = "claude_code/damage.rs"]
mod damage;
#[path = "claude_code/dump.rs"]
mod dump;
#[path = "claude_code/fixtures.rs"]
mod fixtures;
#[path = "claude_code/ledger.rs"]
mod ledger;
#[path = "claude_code/oracle.rs"]
mod oracle;
#[path = "claude_code/reading.rs"]
mod reading;
#[path = "claude_code/rules.rs"]
mod rules;

use carryall_dialect::claude_code::ClaudeCode;
use carryall_dialect::{Dialect, Locator, OpenContext};
use carryall_model::{OpenError, Transcript};
use std::path::{Path, PathBuf};

/// Opens a session as the binary would.
fn try_open(path: &Path) -> Result<Box<dyn Transcript>, OpenError> {
    let cx = OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    };
    ClaudeCode.open(&Locator::new(path), &cx)
}

/// Opens a session that has to open.
fn open(path: &Path) -> Box<dyn Transcript> {
    try_open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}
