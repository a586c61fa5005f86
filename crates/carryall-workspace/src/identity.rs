//! Which file it is, whatever its name.

use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;

use rustix::fs::{AtFlags, Stat, fstat, statat};

/// Device and inode of a file: the same file under every name it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The device number (`st_dev`).
    pub device: u64,
    /// The inode number (`st_ino`).
    pub inode: u64,
}

impl FileId {
    #[allow(
        clippy::unnecessary_cast,
        reason = "st_dev is a signed 32-bit number on macOS; std widens it the same way"
    )]
    pub(crate) fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev as u64, inode: stat.st_ino }
    }

    /// The identity of an open file.
    pub(crate) fn of_open(file: impl AsFd) -> rustix::io::Result<Self> {
        fstat(file).map(|stat| Self::of(&stat))
    }
}

impl From<&std::fs::Metadata> for FileId {
    fn from(metadata: &std::fs::Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// What stands under a plain name of a directory, a link not followed.
pub(crate) fn lstat(directory: impl AsFd, name: &std::ffi::OsStr) -> rustix::io::Result<Stat> {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
}
