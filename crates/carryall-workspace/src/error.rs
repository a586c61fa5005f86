//! Refusals and failures, each with one word for programs and one sentence for people.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::request::is_invisible;

/// Why nothing was written.
///
/// The text names the path as it was asked for, with invisible characters spelled out, and what
/// happened. It does not repeat the operating system's own words: those are the
/// [`source`](std::error::Error::source).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request leads outside the root, by its text or by a link.
    #[error("{}: leads outside the workspace", Shown(path))]
    Escape {
        /// The request.
        path: PathBuf,
    },
    /// The target's name is a symbolic link. It is refused even when it stays inside.
    #[error("{}: is a symbolic link, and nothing is written through a link", Shown(path))]
    Symlink {
        /// The request.
        path: PathBuf,
    },
    /// The target's name is a fifo. It is never opened, since that could block.
    #[error("{}: is a fifo, not a regular file", Shown(path))]
    Fifo {
        /// The request.
        path: PathBuf,
    },
    /// The target's name is a socket.
    #[error("{}: is a socket, not a regular file", Shown(path))]
    Socket {
        /// The request.
        path: PathBuf,
    },
    /// The target's name is a character or block device.
    #[error("{}: is a device, not a regular file", Shown(path))]
    Device {
        /// The request.
        path: PathBuf,
    },
    /// A directory stands, or is asked for, where a file name is needed.
    #[error("{}: is a directory", Shown(path))]
    Directory {
        /// The request.
        path: PathBuf,
    },
    /// A part of the path that must be a directory is something else, or a link that leads nowhere.
    #[error("{}: a part of the path is not a directory", Shown(path))]
    NotADirectory {
        /// The request.
        path: PathBuf,
    },
    /// `..` after a part that does not exist.
    #[error("{}: `..` follows a folder that does not exist", Shown(path))]
    DotDotInMissing {
        /// The request.
        path: PathBuf,
    },
    /// A name to be made holds a control, bidirectional or zero-width character, or is no name.
    #[error("{}: {reason}", Shown(path))]
    BadName {
        /// The request.
        path: PathBuf,
        /// What is wrong with the name.
        reason: &'static str,
    },
    /// A part of the path is `.git` or a spelling of it, or a link leads there.
    #[error("{}: nothing is written below .git", Shown(path))]
    Protected {
        /// The request.
        path: PathBuf,
    },
    /// The request, one of its names or the number of directories to be made is over the limit.
    #[error("{}: {what} is longer than {limit}", Shown(path))]
    TooLong {
        /// The request.
        path: PathBuf,
        /// What is too long.
        what: &'static str,
        /// The limit with its unit.
        limit: &'static str,
    },
    /// The target is one of the files the document is made from.
    #[error("{}: is a source of this export and is never overwritten", Shown(path))]
    IsSource {
        /// The request.
        path: PathBuf,
    },
    /// The parent left its place during the write. The document is whole, but elsewhere.
    #[error("{}: its folder was moved away during the write{}", Shown(path), Whereabouts(now))]
    Moved {
        /// The request.
        path: PathBuf,
        /// Where the document lies now, when the kernel can tell.
        now: Option<PathBuf>,
    },
    /// Something foreign came to light under the target's name while it was being replaced, and
    /// could not be put back. It is left under a temporary name, never deleted.
    #[error(
        "{}: changed during the write; what stood there is kept as {}",
        Shown(path),
        Shown(kept)
    )]
    Kept {
        /// The request.
        path: PathBuf,
        /// Where the foreign object lies, relative to the root.
        kept: PathBuf,
        /// Why it was not replaced.
        #[source]
        refusal: Box<Error>,
    },
    /// The operating system refused a step.
    #[error("{}: cannot {action}{}", Shown(path), Reason(*kind))]
    System {
        /// The request.
        path: PathBuf,
        /// The step, as in "cannot …".
        action: &'static str,
        /// The class of the cause.
        kind: ErrorKind,
        /// The cause.
        source: io::Error,
    },
}

impl Error {
    /// A failed write into a [`Staged`](crate::Staged), as a renderer or a `BufWriter` reports it.
    #[must_use]
    pub fn write(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::system(&path.into(), "write the document", source)
    }

    pub(crate) fn system(path: &Path, action: &'static str, source: impl Into<io::Error>) -> Self {
        let (path, source) = (path.to_owned(), source.into());
        let kind = ErrorKind::of(&source);
        if kind == ErrorKind::Escape {
            return Self::Escape { path };
        }
        Self::System { path, action, kind, source }
    }

    /// The class of this error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Escape { .. } => ErrorKind::Escape,
            Self::Symlink { .. } => ErrorKind::Symlink,
            Self::Fifo { .. } => ErrorKind::Fifo,
            Self::Socket { .. } => ErrorKind::Socket,
            Self::Device { .. } => ErrorKind::Device,
            Self::System { kind, .. } => *kind,
            Self::Directory { .. } => ErrorKind::Directory,
            Self::NotADirectory { .. } => ErrorKind::NotADirectory,
            Self::DotDotInMissing { .. } => ErrorKind::DotDotInMissing,
            Self::BadName { .. } => ErrorKind::BadName,
            Self::Protected { .. } => ErrorKind::Protected,
            Self::TooLong { .. } => ErrorKind::NameTooLong,
            Self::IsSource { .. } => ErrorKind::IsSource,
            Self::Moved { .. } => ErrorKind::Moved,
            Self::Kept { refusal, .. } => refusal.kind(),
        }
    }

    /// What the person can do about it, when there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind() {
            ErrorKind::Symlink => Some("name the file itself, or choose another name"),
            ErrorKind::Fifo | ErrorKind::Socket | ErrorKind::Device | ErrorKind::IsSource => {
                Some("choose another name")
            }
            ErrorKind::Directory => Some("name a file in it"),
            ErrorKind::DotDotInMissing => Some("leave the missing folder out of the path"),
            ErrorKind::BadName | ErrorKind::NameTooLong => Some("choose a plainer, shorter name"),
            ErrorKind::Protected => Some("choose a folder outside .git"),
            ErrorKind::NoSpace | ErrorKind::Quota => {
                Some("free some space, or choose another disk")
            }
            ErrorKind::FileTooLarge => Some("raise the limit for file sizes (ulimit -f)"),
            ErrorKind::Moved => Some("run the export again"),
            ErrorKind::Escape
            | ErrorKind::NotADirectory
            | ErrorKind::Loop
            | ErrorKind::Permission
            | ErrorKind::ReadOnly
            | ErrorKind::Io => None,
        }
    }
}

/// The class of an [`Error`], one stable word each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Leads outside the root at the time of the step.
    Escape,
    /// The target's name is a link.
    Symlink,
    /// The target is a fifo.
    Fifo,
    /// The target is a socket.
    Socket,
    /// The target is a character or block device.
    Device,
    /// A part that must be a directory is none.
    NotADirectory,
    /// Too many links.
    Loop,
    /// `..` after a part that does not exist.
    DotDotInMissing,
    /// A part to be made holds a control, bidirectional or zero-width character.
    BadName,
    /// A part is `.git` or a spelling of it.
    Protected,
    /// The request or one of its parts is over the limit.
    NameTooLong,
    /// The operating system denies access.
    Permission,
    /// The file system is mounted read-only.
    ReadOnly,
    /// The file system is full.
    NoSpace,
    /// The quota is used up.
    Quota,
    /// The parent left the root during the write.
    Moved,
    /// The process's limit for file sizes, or the file system's, was reached (`EFBIG`). The former
    /// also sends `SIGXFSZ`, which ends a process that does not ignore it.
    FileTooLarge,
    /// A directory stands where a file name is needed.
    Directory,
    /// The target is a source of the document.
    IsSource,
    /// Any other failure of the operating system.
    Io,
}

impl ErrorKind {
    /// The word programs see, for instance `dotdot-in-missing`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Escape => "escape",
            Self::Symlink => "symlink",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
            Self::NotADirectory => "not-a-directory",
            Self::Loop => "loop",
            Self::DotDotInMissing => "dotdot-in-missing",
            Self::BadName => "bad-name",
            Self::Protected => "protected",
            Self::NameTooLong => "name-too-long",
            Self::Permission => "permission",
            Self::ReadOnly => "read-only",
            Self::NoSpace => "no-space",
            Self::Quota => "quota",
            Self::Moved => "moved",
            Self::FileTooLarge => "file-too-large",
            Self::Directory => "directory",
            Self::IsSource => "is-source",
            Self::Io => "io",
        }
    }

    /// The class of an operating system error. `cap-std` reports an escape as a denied permission
    /// without an error number; a permission the system denies has one.
    pub(crate) fn of(error: &io::Error) -> Self {
        let Some(number) = error.raw_os_error() else {
            let escaped = error.kind() == io::ErrorKind::PermissionDenied;
            return if escaped { Self::Escape } else { Self::Io };
        };
        match Errno::from_raw_os_error(number) {
            Errno::ACCESS | Errno::PERM => Self::Permission,
            Errno::ROFS => Self::ReadOnly,
            Errno::NOSPC => Self::NoSpace,
            Errno::DQUOT => Self::Quota,
            Errno::FBIG => Self::FileTooLarge,
            Errno::NAMETOOLONG => Self::NameTooLong,
            Errno::LOOP => Self::Loop,
            Errno::NOTDIR => Self::NotADirectory,
            Errno::ISDIR => Self::Directory,
            _ => Self::Io,
        }
    }

    /// What the class says in a sentence after "cannot …", empty where only the cause can tell.
    const fn reason(self) -> &'static str {
        match self {
            Self::NotADirectory => "a part of the path is not a directory",
            Self::Loop => "too many links",
            Self::NameTooLong => "a name is too long",
            Self::Permission => "permission denied",
            Self::ReadOnly => "the file system is read-only",
            Self::NoSpace => "no space left on the device",
            Self::Quota => "the disk quota is used up",
            Self::FileTooLarge => "the file is larger than the system allows",
            Self::Directory => "a directory is in the way",
            Self::Escape
            | Self::Symlink
            | Self::Fifo
            | Self::Socket
            | Self::Device
            | Self::DotDotInMissing
            | Self::BadName
            | Self::Protected
            | Self::Moved
            | Self::IsSource
            | Self::Io => "",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A path for the eyes: bytes that are not UTF-8 as U+FFFD, invisible characters spelled out, so
/// that a refused name cannot move the cursor of whoever reads the refusal.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.as_os_str().is_empty() {
            return f.write_str(".");
        }
        self.0.to_string_lossy().chars().try_for_each(|c| match is_invisible(c) {
            true => write!(f, "{}", c.escape_unicode()),
            false => write!(f, "{c}"),
        })
    }
}

struct Whereabouts<'a>(&'a Option<PathBuf>);

impl fmt::Display for Whereabouts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, "; the document is now {}", Shown(path)),
            None => Ok(()),
        }
    }
}

struct Reason(ErrorKind);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.reason() {
            "" => Ok(()),
            reason => write!(f, ": {reason}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const ALL: [ErrorKind; 20] = [
        ErrorKind::Escape,
        ErrorKind::Symlink,
        ErrorKind::Fifo,
        ErrorKind::Socket,
        ErrorKind::Device,
        ErrorKind::NotADirectory,
        ErrorKind::Loop,
        ErrorKind::DotDotInMissing,
        ErrorKind::BadName,
        ErrorKind::Protected,
        ErrorKind::NameTooLong,
        ErrorKind::Permission,
        ErrorKind::ReadOnly,
        ErrorKind::NoSpace,
        ErrorKind::Quota,
        ErrorKind::Moved,
        ErrorKind::FileTooLarge,
        ErrorKind::Directory,
        ErrorKind::IsSource,
        ErrorKind::Io,
    ];

    #[test]
    fn the_words_are_those_of_the_vectors_and_four_more() {
        let text = include_str!("../tests/path-vectors.json");
        let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
        let mut words: BTreeSet<&str> =
            vectors["refused_kinds"].as_object().unwrap().keys().map(String::as_str).collect();
        words.extend(["file-too-large", "directory", "is-source", "io"]);
        assert_eq!(ALL.map(ErrorKind::word).into_iter().collect::<BTreeSet<_>>(), words);
    }

    #[test]
    fn an_escape_is_told_from_a_denied_permission() {
        let escape = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(ErrorKind::of(&escape), ErrorKind::Escape);
        assert_eq!(ErrorKind::of(&Errno::ACCESS.into()), ErrorKind::Permission);
    }

    #[test]
    fn a_refusal_reads_as_one_sentence() {
        let full = Error::write("chat.md", Errno::NOSPC.into());
        assert_eq!(
            full.to_string(),
            "chat.md: cannot write the document: no space left on the device"
        );
        let odd = Error::write("chat.md", Errno::IO.into());
        assert_eq!(odd.to_string(), "chat.md: cannot write the document");
        assert!(std::error::Error::source(&odd).is_some());
        let here = Error::Directory { path: PathBuf::new() };
        assert_eq!(here.to_string(), ".: is a directory");
    }
}
