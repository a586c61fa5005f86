//! Why a command did nothing.

use crate::DocumentError;
use carryall_model::{OpenError, ReplayError, SinkError};
use carryall_workspace::ErrorKind;
use thiserror::Error;

/// Why nothing was exported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CommandError {
    /// Words that look like options and are none.
    #[error("unknown option {options} (supported: --no-tools, --no-thinking)")]
    UnknownOption {
        /// All of them, joined by commas.
        options: String,
    },
    /// A file name whose extension stands for no format.
    #[error(
        "unknown export format for {path:?} (use .md, .markdown, .html, .htm, .json or .jsonl)"
    )]
    UnknownFormat {
        /// The path as typed.
        path: String,
    },
    /// A word without an extension that is no format and no folder.
    #[error(
        "{word:?} is neither an export format nor an existing directory \
         (formats: md, html, json, jsonl; a directory to be made ends in /)"
    )]
    BareWord {
        /// The path as typed.
        word: String,
    },
    /// A session that is whole and holds nothing.
    #[error("nothing to export: the session holds no messages")]
    NothingToExport,
    /// The transcript could not be read.
    #[error(transparent)]
    Unreadable(DocumentError),
    /// The target was refused or the file could not be written.
    #[error(transparent)]
    Target(#[from] carryall_workspace::Error),
}

impl CommandError {
    /// One word for programs, out of a closed list (`docs/commands.md`).
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::UnknownOption { .. } => "unknown-option",
            Self::UnknownFormat { .. } => "unknown-format",
            Self::BareWord { .. } => "bare-word",
            Self::NothingToExport => "nothing-to-export",
            Self::Unreadable(_) if self.source_changed() => "source-changed",
            Self::Unreadable(_) => "unreadable",
            Self::Target(refusal) => refusal.kind().word(),
        }
    }

    /// The source is not what it was when it was opened; opening it once more may help.
    #[must_use]
    pub fn source_changed(&self) -> bool {
        matches!(
            self,
            Self::Unreadable(
                DocumentError::Replay(ReplayError::SourceChanged { .. })
                    | DocumentError::Child(OpenError::SourceChanged { .. })
            )
        )
    }

    /// The target lies outside the workspace.
    #[must_use]
    pub fn is_escape(&self) -> bool {
        matches!(self, Self::Target(refusal) if refusal.kind() == ErrorKind::Escape)
    }

    /// A document that could not be made: a failed write is the target's, all else the source's.
    pub(crate) fn from_document(error: DocumentError, path: &std::path::Path) -> Self {
        if let DocumentError::Replay(ReplayError::Sink(SinkError::Write(source))) = error {
            return Self::Target(carryall_workspace::Error::write(path, source));
        }
        Self::Unreadable(error)
    }
}
