//! The directory a file is written in, and the directories made on the way to it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Mode, OFlags, fstat, mkdirat, openat, unlinkat};
use rustix::io::Errno;

use crate::descriptor::sync_directory;
use crate::error::Error;
use crate::identity::{FileId, lstat};
use crate::resolve::{Refusal, Resolved};

/// Nobody but the owner may enter a directory made for an export.
const PRIVATE: Mode = Mode::RWXU;

/// An open directory with all its parts made.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) dir: Dir,
    /// Its path from the root, as it was asked for.
    pub(crate) path: PathBuf,
    pub(crate) made: Made,
    /// Whose the deepest directory is that was there before: the tree's owner, so to speak.
    pub(crate) owner: u32,
    /// Why a directory's new name could not be flushed.
    pub(crate) unflushed: Option<io::Error>,
}

impl Folder {
    /// Makes the missing parts one by one below the held directory. A part that somebody else made
    /// meanwhile is used when it is a directory; a link put there is never followed.
    pub(crate) fn make(resolved: Resolved, asked: &Path) -> Result<Self, Refusal> {
        let Resolved { mut dir, path, missing } = resolved;
        let cannot = |cause| Error::system(asked, "look at the folder", cause);
        let owner = fstat(&dir).map_err(cannot)?.st_uid;
        let (mut made, mut unflushed) = (Made::default(), None);
        for part in missing {
            let fresh = match mkdirat(&dir, &part, PRIVATE) {
                Ok(()) => true,
                Err(Errno::EXIST) => false,
                Err(cause) => return Err(Error::system(asked, "make a folder", cause).into()),
            };
            let child = open_nofollow(&dir, &part, asked)?;
            if fresh {
                made.remember(&dir, &part, &child, asked)?;
                make_private(&child, asked)?;
                unflushed = unflushed.or(sync_directory(&dir).err());
            }
            dir = child;
        }
        Ok(Self { dir, path, made, owner, unflushed })
    }
}

fn open_nofollow(dir: &Dir, part: &OsStr, asked: &Path) -> Result<Dir, Refusal> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let access = OFlags::PATH;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let access = OFlags::RDONLY;
    let flags = access | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(dir, part, flags, Mode::empty()) {
        Ok(child) => Ok(Dir::from_std_file(File::from(child))),
        Err(Errno::NOTDIR | Errno::LOOP | Errno::NOENT) => {
            Err(Refusal::Raced(Error::NotADirectory { path: asked.to_owned() }))
        }
        Err(cause) => Err(Error::system(asked, "open a new folder", cause).into()),
    }
}

/// `mkdir` subtracts the umask; a umask that takes from the owner is given back here.
fn make_private(child: &Dir, asked: &Path) -> Result<(), Error> {
    let cannot = |cause: Errno| Error::system(asked, "set the mode of a new folder", cause);
    let mode = Mode::from_raw_mode(fstat(child).map_err(cannot)?.st_mode);
    if mode & (Mode::RWXU | Mode::RWXG | Mode::RWXO) == PRIVATE {
        return Ok(());
    }
    // An `O_PATH` handle takes no fchmod; its link in /proc leads to this very directory.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let changed = rustix::fs::chmod(crate::descriptor::proc_path(child), PRIVATE);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let changed = rustix::fs::fchmod(child, PRIVATE);
    changed.map_err(cannot)
}

/// The directories made for one write. Dropped before [`keep`](Made::keep), it removes them again,
/// the deepest first, each only while it is still empty and still the one that was made.
#[derive(Debug, Default)]
pub(crate) struct Made(Vec<(Dir, OsString, FileId)>);

impl Made {
    fn remember(
        &mut self,
        dir: &Dir,
        part: &OsStr,
        child: &Dir,
        asked: &Path,
    ) -> Result<(), Error> {
        let cannot = |cause| Error::system(asked, "hold a new folder", cause);
        let id = FileId::of_open(child).map_err(|cause| cannot(cause.into()))?;
        self.0.push((dir.try_clone().map_err(cannot)?, part.to_owned(), id));
        Ok(())
    }

    /// The write succeeded: the directories stay.
    pub(crate) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (dir, part, id) in self.0.drain(..).rev() {
            if lstat(&dir, &part).is_ok_and(|stat| FileId::of(&stat) == id) {
                // Not empty any more: somebody else uses it now, and it stays.
                let _ = unlinkat(&dir, &part, AtFlags::REMOVEDIR);
            }
        }
    }
}
