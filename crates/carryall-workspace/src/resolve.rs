//! From the parts of a path to an open directory beneath the root, without making anything.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::FileType;
use rustix::io::Errno;

use crate::error::Error;
use crate::identity::lstat;
use crate::protected::is_git;
use crate::request::check_new_name;

/// The most directories one write may make.
const NEW_PARTS_MAX: usize = 64;

/// The deepest existing directory of a path, held open, and the parts below it still to be made.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) dir: Dir,
    /// The whole path from the root, missing parts included.
    pub(crate) path: PathBuf,
    pub(crate) missing: Vec<OsString>,
}

/// Why a step did not succeed, and whether looking again makes sense.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The answer would be the same.
    Settled(Error),
    /// Two looks contradicted each other: somebody changed the path in between.
    Raced(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Settled(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Settled(error) | Refusal::Raced(error) => error,
        }
    }
}

/// Opens the directory that `parts` name beneath `root`, or as much of it as there is.
pub(crate) fn resolve(root: &Dir, parts: &[OsString], asked: &Path) -> Result<Resolved, Refusal> {
    let path: PathBuf = parts.iter().collect();
    // One call for the whole path: the kernel guards every step of it, `..` and links included.
    let (dir, kept, cause) = match open_beneath(root, &path) {
        Ok(dir) => (dir, parts.len(), None),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            let (dir, kept) = deepest_existing(root, parts, asked)?;
            (dir, kept, Some(cause))
        }
        Err(cause) => return Err(cannot_open(asked, cause).into()),
    };
    if is_git(root, &dir) {
        return Err(Error::Protected { path: asked.to_owned() }.into());
    }
    let missing = parts[kept..].to_vec();
    if let Some(cause) = cause {
        check_missing(&dir, &missing, asked, cause)?;
    }
    Ok(Resolved { dir, path, missing })
}

/// Opens a directory beneath `root`; an empty path is the root itself.
pub(crate) fn open_beneath(root: &Dir, path: &Path) -> io::Result<Dir> {
    match path.as_os_str().is_empty() {
        true => root.try_clone(),
        false => root.open_dir(path),
    }
}

fn deepest_existing(root: &Dir, parts: &[OsString], asked: &Path) -> Result<(Dir, usize), Refusal> {
    for kept in (0..parts.len()).rev() {
        let path: PathBuf = parts[..kept].iter().collect();
        match open_beneath(root, &path) {
            Ok(dir) => return Ok((dir, kept)),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(cannot_open(asked, cause).into()),
        }
    }
    // Only when `parts` is empty, and then the root itself is gone.
    Err(cannot_open(asked, Errno::NOENT.into()).into())
}

/// Refuses before anything is made what could not be made whole.
fn check_missing(
    dir: &Dir,
    missing: &[OsString],
    asked: &Path,
    cause: io::Error,
) -> Result<(), Refusal> {
    if missing.iter().any(|part| part == "..") {
        return Err(Error::DotDotInMissing { path: asked.to_owned() }.into());
    }
    if missing.len() > NEW_PARTS_MAX {
        let (what, limit) = ("the list of folders to be made", "64");
        return Err(Error::TooLong { path: asked.to_owned(), what, limit }.into());
    }
    for part in missing {
        check_new_name(part, asked)?;
    }
    // The kernel found nothing there, yet a name exists: a dangling link, or a change since.
    let Some(stat) = missing.first().and_then(|part| lstat(dir, part).ok()) else {
        return Ok(());
    };
    match FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
        true => Err(Error::NotADirectory { path: asked.to_owned() }.into()),
        false => Err(Refusal::Raced(cannot_open(asked, cause))),
    }
}

/// Where `openat2` is missing, `cap-std` walks, and a walk that lost a race answers `EINVAL` where
/// the kernel would have said that the path leaves the root.
fn cannot_open(asked: &Path, cause: io::Error) -> Error {
    let path = asked.to_owned();
    match cause.raw_os_error().map(Errno::from_raw_os_error) {
        Some(Errno::INVAL) => Error::Escape { path },
        Some(Errno::NOTDIR) => Error::NotADirectory { path },
        _ => Error::system(asked, "open the folder", cause),
    }
}
