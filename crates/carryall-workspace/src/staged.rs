//! A write under way.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::{Stat, fstat};

use crate::descriptor::{path_of, sync_directory};
use crate::error::Error;
use crate::folder::Folder;
use crate::identity::FileId;
use crate::publish::{self, Guard};
use crate::resolve::open_beneath;
use crate::temporary::Temporary;
use crate::written::{Note, Written};

/// A document being written: invisible until [`commit`](Self::commit), gone when dropped before.
///
/// It is unbuffered; wrap it in a [`BufWriter`](io::BufWriter). After a failed write it cannot be
/// committed any more, whatever the caller made of the failure.
#[derive(Debug)]
#[must_use = "a document that is not committed is never seen"]
pub struct Staged {
    // Dropped in this order: first the temporary name, then the directories around it.
    temporary: Temporary,
    folder: Folder,
    root: Dir,
    asked: PathBuf,
    place: Place,
    sources: Vec<FileId>,
    bytes: u64,
    /// The first write that failed.
    failed: Option<io::Error>,
}

/// The name the document is to get in its folder.
#[derive(Debug)]
pub(crate) enum Place {
    Explicit(OsString),
    Generated { stem: String, extension: String },
}

impl Staged {
    pub(crate) fn create(
        root: &Dir,
        folder: Folder,
        place: Place,
        asked: &Path,
        sources: &[FileId],
    ) -> Result<Self, Error> {
        let cannot = |cause| Error::system(asked, "make the temporary file", cause);
        let temporary = Temporary::create(&folder.dir).map_err(cannot)?;
        Ok(Self {
            temporary,
            folder,
            root: root.try_clone().map_err(cannot)?,
            asked: asked.to_owned(),
            place,
            sources: sources.to_vec(),
            bytes: 0,
            failed: None,
        })
    }

    /// Flushes the document, gives it its name in one step, flushes the folder and makes sure that
    /// the folder is still where it was.
    ///
    /// # Errors
    ///
    /// Nothing is published after a failed write or flush, when the name is a link, a directory or
    /// no regular file ([`ErrorKind::Symlink`](crate::ErrorKind::Symlink) …), or when it is one of
    /// the sources. With [`Error::Moved`] the document is published in a folder that has left its
    /// place. With [`Error::Kept`] an object of somebody else lies under a temporary name.
    pub fn commit(mut self) -> Result<Written, Error> {
        if let Some(cause) = self.failed.take() {
            return Err(Error::write(&self.asked, cause));
        }
        // A second flush can succeed although pages were lost: a failed one is final.
        let flushed = self.temporary.file.sync_all();
        flushed.map_err(|cause| Error::system(&self.asked, "flush the document", cause))?;
        let (name, replaced) = self.publish()?;
        self.folder.made.keep();
        let unflushed = sync_directory(&self.folder.dir).err().or(self.folder.unflushed.take());
        self.check_not_moved(&name)?;
        let mut notes = self.remarks(&name, replaced.as_ref());
        notes.extend(unflushed.map(|reason| Note::NotFlushed { reason }));
        let (path, full_path) = self.paths(&name);
        let (replaced, bytes) = (replaced.is_some(), self.bytes);
        Ok(Written { path, full_path, replaced, bytes, notes })
    }

    fn publish(&mut self) -> Result<(OsString, Option<Stat>), Error> {
        let guard = Guard { asked: &self.asked, parent: &self.folder.path, sources: &self.sources };
        match &self.place {
            Place::Explicit(name) => {
                let replaced = publish::explicit(&mut self.temporary, name, &guard)?;
                Ok((name.clone(), replaced))
            }
            Place::Generated { stem, extension } => {
                let name = publish::generated(&mut self.temporary, stem, extension, &guard)?;
                Ok((name, None))
            }
        }
    }

    /// Opens the parent once more from the root. That the held directory is another one by now
    /// cannot be prevented, only found out.
    fn check_not_moved(&self, name: &OsString) -> Result<(), Error> {
        let held = FileId::of_open(&self.folder.dir);
        let there = open_beneath(&self.root, &self.folder.path);
        if let (Ok(held), Ok(there)) = (held, there)
            && FileId::of_open(&there) == Ok(held)
        {
            return Ok(());
        }
        let now = path_of(&self.folder.dir).map(|folder| folder.join(name));
        Err(Error::Moved { path: self.asked.clone(), now })
    }

    fn remarks(&self, name: &OsString, replaced: Option<&Stat>) -> Vec<Note> {
        let mut notes = Vec::new();
        if replaced.is_some_and(|old| old.st_mode & 0o222 == 0) {
            notes.push(Note::ReplacedReadOnly);
        }
        if self.folder.owner != 0 && fstat(&self.temporary.file).is_ok_and(|file| file.st_uid == 0)
        {
            notes.push(Note::OwnedByRoot);
        }
        if !self.temporary.stands_under(name) {
            notes.push(Note::ReplacedSince);
        }
        notes
    }

    /// The path to show and the full one. Where the kernel cannot tell, the request is repeated.
    fn paths(&self, name: &OsString) -> (PathBuf, PathBuf) {
        let as_asked = self.folder.path.join(name);
        let Some(folder) = path_of(&self.folder.dir) else {
            return (as_asked.clone(), as_asked);
        };
        let below = path_of(&self.root)
            .and_then(|root| folder.strip_prefix(root).ok().map(|below| below.join(name)));
        (below.unwrap_or(as_asked), folder.join(name))
    }
}

impl Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.temporary.file.write(bytes) {
            Ok(count) => {
                self.bytes += count as u64;
                Ok(count)
            }
            Err(cause) => {
                if cause.kind() != io::ErrorKind::Interrupted {
                    self.failed.get_or_insert_with(|| same(&cause));
                }
                Err(cause)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The same failure once more: the caller gets one, the commit keeps one.
fn same(cause: &io::Error) -> io::Error {
    cause.raw_os_error().map_or_else(|| cause.kind().into(), io::Error::from_raw_os_error)
}
