//! What a finished write reports.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// A document that is in place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Written {
    /// The path to show, relative to the root: where the file really is, links resolved.
    pub path: PathBuf,
    /// The absolute path, read from the open directory and not put together from the request.
    pub full_path: PathBuf,
    /// Whether a file of that name stood there before.
    pub replaced: bool,
    /// The length of the document.
    pub bytes: u64,
    /// What the person should know besides.
    pub notes: Vec<Note>,
}

/// Something worth a line in the reply; the document is in place all the same.
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// A directory could not be flushed to the disk, for instance because it may not be read. The
    /// document's bytes are on the disk; its name may be missing after a power failure.
    NotFlushed {
        /// Why.
        reason: io::Error,
    },
    /// Written as root into a folder of another user: the file belongs to root.
    OwnedByRoot,
    /// The file that was replaced was write-protected. Replacing asks the folder, not the file.
    ReplacedReadOnly,
    /// Right after the write the name led to another file: somebody else has replaced it since.
    ReplacedSince,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFlushed { reason } => write!(
                f,
                "the folder could not be flushed to the disk ({reason}); the name may be missing \
                 after a power failure"
            ),
            Self::OwnedByRoot => f.write_str("the file belongs to root, the folder does not"),
            Self::ReplacedReadOnly => f.write_str("the replaced file was read-only"),
            Self::ReplacedSince => f.write_str("another program has replaced the file since"),
        }
    }
}
