//! The file that is written before it has its name.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};

use cap_std::fs::Dir;
use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, fchmod, linkat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::{Errno, Result};

use crate::identity::{FileId, lstat};

/// Only the owner may read or write an export.
const PRIVATE: Mode = Mode::RUSR.union(Mode::WUSR);
/// How many random names are tried; one is enough unless somebody guesses 64 bits.
const NAME_ATTEMPTS: usize = 16;

/// A file in its directory: unnamed where the file system can, else under a random name.
#[derive(Debug)]
pub(crate) struct Temporary {
    dir: Dir,
    pub(crate) file: File,
    pub(crate) id: FileId,
    name: Option<OsString>,
}

impl Temporary {
    pub(crate) fn create(dir: &Dir) -> std::io::Result<Self> {
        let dir = dir.try_clone()?;
        let (file, name) = match create_unnamed(&dir)? {
            Some(file) => (file, None),
            None => {
                let (file, name) = create_named(&dir)?;
                (file, Some(name))
            }
        };
        let id = FileId::of_open(&file)?;
        let temporary = Self { dir, file, id, name };
        // Neither the umask nor a default ACL of the directory has a say.
        fchmod(&temporary.file, PRIVATE)?;
        Ok(temporary)
    }

    /// Gives the file `name` unless the name is taken (`EEXIST`). One step: it appears whole.
    pub(crate) fn publish_new(&mut self, name: &OsStr) -> Result<()> {
        match self.link_or_rename_new(name) {
            // A network file system may repeat a call that had succeeded: then the name is ours.
            Err(Errno::EXIST) if self.stands_under(name) => Ok(()),
            outcome => outcome,
        }
    }

    fn link_or_rename_new(&mut self, name: &OsStr) -> Result<()> {
        let Some(temporary) = &self.name else {
            return link_unnamed(&self.dir, &self.file, name);
        };
        match renameat_with(&self.dir, temporary, &self.dir, name, RenameFlags::NOREPLACE) {
            Err(cause) if is_unsupported(cause) => {
                linkat(&self.dir, temporary, &self.dir, name, AtFlags::empty())
                    .map_err(without_hard_links)?;
                self.discard_name();
                Ok(())
            }
            Err(cause) => Err(cause),
            Ok(()) => {
                self.name = None;
                Ok(())
            }
        }
    }

    /// The name under which the file can be exchanged; an unnamed file gets one now.
    fn own_name(&mut self) -> Result<OsString> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let (dir, file) = (&self.dir, &self.file);
        let ((), name) = under_random_name(|name| link_unnamed(dir, file, name))?;
        self.name = Some(name.clone());
        Ok(name)
    }

    /// Puts the file under `name` and what stood there under the temporary name, which is returned.
    pub(crate) fn exchange(&mut self, name: &OsStr) -> Result<OsString> {
        let temporary = self.own_name()?;
        renameat_with(&self.dir, &temporary, &self.dir, name, RenameFlags::EXCHANGE)?;
        Ok(temporary)
    }

    /// Puts the file under `name` whatever stands there: for file systems that cannot exchange.
    pub(crate) fn replace(&mut self, name: &OsStr) -> Result<()> {
        let temporary = self.own_name()?;
        renameat(&self.dir, &temporary, &self.dir, name)?;
        self.name = None;
        Ok(())
    }

    /// The directory in which the file and its names are.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Whether the name in the directory is this very file.
    pub(crate) fn stands_under(&self, name: &OsStr) -> bool {
        lstat(&self.dir, name).is_ok_and(|stat| FileId::of(&stat) == self.id)
    }

    /// Removes the temporary name, but never an object that somebody else put there.
    fn discard_name(&mut self) {
        if let Some(name) = self.name.take()
            && self.stands_under(&name)
        {
            let _ = unlinkat(&self.dir, &name, AtFlags::empty());
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        self.discard_name();
    }
}

/// Whether the file system or the kernel lacks the flag that was asked for.
pub(crate) fn is_unsupported(cause: Errno) -> bool {
    matches!(cause, Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)
}

/// A file system without hard links answers `EPERM`, which is nobody's lack of permission.
fn without_hard_links(cause: Errno) -> Errno {
    if cause == Errno::PERM { Errno::NOTSUP } else { cause }
}

fn create_unnamed(dir: &Dir) -> Result<Option<File>> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        match openat(dir, ".", flags, PRIVATE) {
            Ok(file) => Ok(Some(File::from(file))),
            // What file systems without unnamed files answer, and kernels that read the flag as
            // "open this directory for writing".
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT | Errno::INVAL) => Ok(None),
            Err(cause) => Err(cause),
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let _ = dir;
        Ok(None)
    }
}

fn create_named(dir: &Dir) -> Result<(File, OsString)> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::RDWR | OFlags::CLOEXEC;
    let (file, name) = under_random_name(|name| openat(dir, name, flags, PRIVATE))?;
    Ok((File::from(file), name))
}

fn link_unnamed(dir: &Dir, file: &File, name: &OsStr) -> Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        match linkat(file, "", dir, name, AtFlags::EMPTY_PATH) {
            // Older kernels keep this call for privileged processes.
            Err(Errno::NOENT | Errno::PERM | Errno::INVAL) => {
                let open = crate::descriptor::proc_path(file);
                linkat(rustix::fs::CWD, open, dir, name, AtFlags::SYMLINK_FOLLOW)
            }
            outcome => outcome,
        }
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    {
        let _ = (dir, file, name);
        Err(Errno::NOTSUP)
    }
}

/// Tries `create` with random names until one is free. The name is independent of the target's, so
/// that the longest target name still has a temporary.
fn under_random_name<T>(mut create: impl FnMut(&OsStr) -> Result<T>) -> Result<(T, OsString)> {
    for _ in 0..NAME_ATTEMPTS {
        let name = random_name();
        match create(&name) {
            Ok(value) => return Ok((value, name)),
            Err(Errno::EXIST) => {}
            Err(cause) => return Err(cause),
        }
    }
    Err(Errno::EXIST)
}

/// `.carryall-<64 bits in hex>.tmp`. The randomness of a hasher's keys is enough: the name is made
/// exclusively, and unlinked only while it is our inode.
fn random_name() -> OsString {
    format!(".carryall-{:016x}.tmp", RandomState::new().hash_one(())).into()
}
