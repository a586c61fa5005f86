//! What a request names, found out without creating anything.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::FileType;
use rustix::io::Errno;

use crate::error::{Error, ErrorKind};
use crate::identity::lstat;
use crate::request::{Request, check_new_name};
use crate::resolve::{Refusal, Resolved, resolve};

/// A request that may be written to: either a directory, which takes a generated name, or a file.
///
/// It holds the deepest existing directory of the request open, so that a later
/// [`stage`](crate::Workspace::stage) resolves nothing again.
#[derive(Debug)]
pub struct Target {
    request: Request,
    pub(crate) folder: Resolved,
    name: Option<OsString>,
}

/// Which name the file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name<'a> {
    /// The one the request ends in. A regular file of that name is replaced.
    Explicit,
    /// `stem.extension` in the directory that was asked for, or `stem-2.extension`, `stem-3.…`
    /// when that is taken. Nothing is replaced.
    Generated {
        /// The name before the suffix, for instance `carryall-export-2026-01-31T12-00-00Z`.
        stem: &'a str,
        /// The extension without its dot.
        extension: &'a str,
    },
}

impl Target {
    /// Whether the request names a directory: it is empty, ends in `/`, `.` or `..`, or such a
    /// directory exists (also through a link that stays inside the root).
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.name.is_none()
    }

    /// The file's name as it was asked for; `None` for a directory.
    #[must_use]
    pub fn file_name(&self) -> Option<&OsStr> {
        self.name.as_deref()
    }

    /// The request as it was given.
    #[must_use]
    pub fn request(&self) -> &Path {
        &self.request.asked
    }

    /// The parts of the request that are directories.
    pub(crate) fn folder_parts(&self) -> &[OsString] {
        let names = usize::from(self.name.is_some());
        &self.request.parts[..self.request.parts.len() - names]
    }

    pub(crate) fn look(root: &Dir, request: &Request) -> Result<Self, Refusal> {
        let asked = request.asked.as_path();
        let Some((name, parent)) = request.parts.split_last().filter(|_| !request.directory) else {
            return Self::directory(root, request);
        };
        let folder = resolve(root, parent, asked)?;
        if folder.missing.is_empty() {
            match lstat(&folder.dir, name).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
                Ok(FileType::Directory) => return Self::directory(root, request),
                Ok(FileType::Symlink) => return Self::behind_link(root, request),
                Ok(found) => refuse_irregular(found, asked)?,
                Err(Errno::NOENT) => {}
                Err(cause) => return Err(Error::system(asked, "look at the target", cause).into()),
            }
        }
        check_new_name(name, asked)?;
        Ok(Self { request: request.clone(), folder, name: Some(name.clone()) })
    }

    fn directory(root: &Dir, request: &Request) -> Result<Self, Refusal> {
        let folder = resolve(root, &request.parts, &request.asked)?;
        Ok(Self { request: request.clone(), folder, name: None })
    }

    /// A final link counts as the directory it leads to inside the root, and as nothing else.
    fn behind_link(root: &Dir, request: &Request) -> Result<Self, Refusal> {
        match Self::directory(root, request).map_err(Error::from) {
            Ok(target) if target.folder.missing.is_empty() => Ok(target),
            Err(refusal) if refusal.kind() == ErrorKind::Protected => Err(refusal.into()),
            Ok(_) | Err(_) => Err(Error::Symlink { path: request.asked.clone() }.into()),
        }
    }
}

/// Lets a regular file pass and refuses everything else by its kind.
pub(crate) fn refuse_irregular(found: FileType, asked: &Path) -> Result<(), Error> {
    let path: PathBuf = asked.to_owned();
    match found {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(Error::Directory { path }),
        FileType::Symlink => Err(Error::Symlink { path }),
        FileType::Fifo => Err(Error::Fifo { path }),
        FileType::Socket => Err(Error::Socket { path }),
        FileType::CharacterDevice | FileType::BlockDevice | FileType::Unknown => {
            Err(Error::Device { path })
        }
    }
}
