//! The stored sessions of coding agents, read into the model.
//!
//! One folder a [`Dialect`]; [`Registry`] knows them all, finds the one that a file belongs to and
//! resolves what a person typed to a session. Reading is two passes over one open file: the first
//! keeps nodes and spans, follows the links and counts; the second reads spans again and pushes
//! entries, so memory holds an index and one tool call, never the conversation.
//!
//! Nothing here writes, prints, or asks the environment: places and authority are arguments.

mod beside;
mod compressed;
mod context;
mod find;
mod ledger;
mod lenient;
mod probe;
mod registry;
mod rows;
mod source;
mod title;

pub mod claude_code;
pub mod coddy;
pub mod codex;
pub mod pi;
pub mod qwen;

pub use context::{OpenContext, Spool, Surroundings};
pub use find::{Answer, Filter, Hit, Listing, Match, Query, Row, find, newest};
pub use ledger::{Counts, EachRecord, Fate, Ledger, Reason, Record, Totals, Version, kind_name};
pub use probe::{Probe, ProbeKind};
pub use registry::Registry;

use carryall_model::{OpenError, Transcript};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One agent's way of storing sessions.
pub trait Dialect: Send + Sync {
    /// The name in lists, options and documents, such as `claude-code`.
    fn name(&self) -> &'static str;

    /// What it looks for in a file, for the hint under "not a session of a known agent".
    fn looks_for(&self) -> &'static str;

    /// Whether the file or folder is one of its sessions, by its own marks alone.
    fn claims(&self, probe: &Probe<'_>) -> bool;

    /// The folders in which this agent keeps its sessions, the agent's own overrides honoured.
    /// A folder that is not there is left out by the caller.
    fn stores(&self, surroundings: &Surroundings<'_>) -> Vec<PathBuf>;

    /// Names every session below a store, from names alone: no file is opened.
    ///
    /// # Errors
    /// When the store itself cannot be read; a folder inside it that cannot be read is passed over.
    fn list(&self, store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()>;

    /// Size and time of a session, from the file system alone.
    ///
    /// # Errors
    /// When it cannot be looked at.
    fn stat(&self, listed: &Listed) -> io::Result<Stat> {
        let meta = std::fs::metadata(&listed.path)?;
        Ok(Stat { bytes: meta.len(), modified: meta.modified()? })
    }

    /// What a list shows of a session, from as few bytes as possible.
    ///
    /// # Errors
    /// When it cannot be read or is not a session.
    fn peek(&self, listed: &Listed, cx: &OpenContext<'_>) -> Result<Peek, OpenError>;

    /// Opens a session for reading: the first pass.
    ///
    /// # Errors
    /// I/O, not this dialect, several sessions, nothing readable, source changed. Damage inside a
    /// source is never an error: it becomes notices.
    fn open(
        &self,
        locator: &Locator,
        cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Transcript>, OpenError>;

    /// Opens a session as [`Dialect::open`] does, to tell what becomes of each of its records.
    ///
    /// # Errors
    /// Those of [`Dialect::open`].
    fn ledger(&self, locator: &Locator, cx: &OpenContext<'_>)
    -> Result<Box<dyn Ledger>, OpenError>;
}

/// Where a session is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// The file or folder.
    pub path: PathBuf,
    /// Which session, for a source that holds several.
    pub session: Option<String>,
}

impl Locator {
    /// The only session of a file or folder.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), session: None }
    }
}

/// A session as the walk over a store found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The session's id, as its name tells it.
    pub id: String,
    /// The file or folder to open.
    pub path: PathBuf,
    /// It is a subagent of another session.
    pub is_subagent: bool,
}

/// What a list shows of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peek {
    /// The title, on one line.
    pub title: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The model used last, as far as the few bytes tell.
    pub model: Option<String>,
    /// The recorded branch.
    pub git_branch: Option<String>,
    /// Prompts that a person typed, only where the source records the number.
    pub turns: Option<u64>,
}

/// What the file system says of a session: size, time and nothing of its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Bytes of the transcript.
    pub bytes: u64,
    /// When it was last written.
    pub modified: SystemTime,
}
