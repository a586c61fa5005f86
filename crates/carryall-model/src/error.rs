//! Why a transcript could not be opened, or not be read to its end.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why a sink took no more.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SinkError {
    /// The output could not be written.
    #[error("the document could not be written")]
    Write(#[from] io::Error),
    /// The sink has all it wanted; the rest is not needed.
    #[error("the reader wants no more")]
    Stop,
}

/// Why a transcript was not read to its end.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The sink took no more.
    #[error(transparent)]
    Sink(#[from] SinkError),
    /// The source is not what it was when it was opened; opening it again may help.
    #[error("{}: the session changed while it was read", path.display())]
    SourceChanged {
        /// The source.
        path: PathBuf,
    },
    /// The source could not be read.
    #[error("{}: could not be read", path.display())]
    Io {
        /// The source.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Why a transcript could not be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The source could not be read.
    #[error("{}: could not be read", path.display())]
    Io {
        /// The source.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The source is something other than a session of that agent.
    #[error("{}: not a session of {agent} ({reason})", path.display())]
    NotThisDialect {
        /// The source.
        path: PathBuf,
        /// The dialect that was asked.
        agent: &'static str,
        /// What it is, or what is missing.
        reason: String,
    },
    /// Not one row of the source could be read.
    #[error("{}: no row could be read as {agent} (row {row}: {reason})", path.display())]
    NothingReadable {
        /// The source.
        path: PathBuf,
        /// The dialect that was asked.
        agent: &'static str,
        /// The first row, counted from 1, that could not be read.
        row: u64,
        /// Why.
        reason: String,
    },
    /// The source is empty.
    #[error("{}: the file is empty", path.display())]
    Empty {
        /// The source.
        path: PathBuf,
    },
    /// The source is larger than a document that must be held whole may be.
    #[error("{}: {bytes} bytes, more than the {limit} that are read whole", path.display())]
    TooLarge {
        /// The source.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The source holds several sessions, and which one is meant was not said.
    #[error("{}: holds {total} sessions", path.display())]
    SeveralSessions {
        /// The source.
        path: PathBuf,
        /// The newest of them, at most ten.
        candidates: Vec<Candidate>,
        /// How many there are.
        total: u64,
    },
    /// The source changed twice while it was opened.
    #[error("{}: the session changed while it was read", path.display())]
    SourceChanged {
        /// The source.
        path: PathBuf,
    },
    /// There is no subagent of that number.
    #[error("there is no subagent number {number}")]
    NoSuchChild {
        /// The number asked for, from 0.
        number: usize,
    },
}

/// One of several sessions in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its title, when it is cheap to know.
    pub title: Option<String>,
    /// When it was last written, as recorded.
    pub updated_at: Option<String>,
}
