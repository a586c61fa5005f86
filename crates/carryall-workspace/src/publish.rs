//! The step in which a finished file gets its name.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use rustix::fs::{AtFlags, FileType, RenameFlags, Stat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::error::Error;
use crate::identity::{FileId, lstat};
use crate::suffix::claim_free;
use crate::target::refuse_irregular;
use crate::temporary::{Temporary, is_unsupported};

/// How often a name may vanish between two looks before we give up on it.
const ATTEMPTS: usize = 16;

/// What a publication may not touch, and how it is called in messages.
pub(crate) struct Guard<'a> {
    /// The request.
    pub(crate) asked: &'a Path,
    /// The parent's path from the root.
    pub(crate) parent: &'a Path,
    /// Files that are never replaced.
    pub(crate) sources: &'a [FileId],
}

impl Guard<'_> {
    /// Lets pass what an export may replace: a regular file that is no source.
    pub(crate) fn allows(&self, found: &Stat) -> Result<(), Error> {
        refuse_irregular(FileType::from_raw_mode(found.st_mode), self.asked)?;
        match self.sources.contains(&FileId::of(found)) {
            true => Err(Error::IsSource { path: self.asked.to_owned() }),
            false => Ok(()),
        }
    }

    fn cannot_publish(&self, cause: Errno) -> Error {
        Error::system(self.asked, "publish the document", cause)
    }
}

/// Publishes under the first free name of `stem.extension`, `stem-2.extension`, …
pub(crate) fn generated(
    temporary: &mut Temporary,
    stem: &str,
    extension: &str,
    guard: &Guard<'_>,
) -> Result<OsString, Error> {
    let dir = temporary
        .dir()
        .try_clone()
        .map_err(|cause| Error::system(guard.asked, "hold the folder", cause))?;
    let claim = |number| match temporary.publish_new(&numbered(stem, number, extension)) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        Err(cause) => Err(guard.cannot_publish(cause)),
    };
    let taken = |number| match lstat(&dir, &numbered(stem, number, extension)) {
        Ok(_) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        Err(cause) => Err(guard.cannot_publish(cause)),
    };
    Ok(numbered(stem, claim_free(claim, taken)?, extension))
}

fn numbered(stem: &str, number: u64, extension: &str) -> OsString {
    match number {
        1 => format!("{stem}.{extension}"),
        _ => format!("{stem}-{number}.{extension}"),
    }
    .into()
}

/// Publishes under `name` and returns the regular file that it replaced, if there was one.
pub(crate) fn explicit(
    temporary: &mut Temporary,
    name: &OsStr,
    guard: &Guard<'_>,
) -> Result<Option<Stat>, Error> {
    for _ in 0..ATTEMPTS {
        match temporary.publish_new(name) {
            Ok(()) => return Ok(None),
            Err(Errno::EXIST) => {}
            Err(cause) => return Err(guard.cannot_publish(cause)),
        }
        // This look only spares a foreign object the exchange; the one that counts comes after it.
        let standing = match lstat(temporary.dir(), name) {
            Ok(standing) => standing,
            Err(Errno::NOENT) => continue,
            Err(cause) => return Err(guard.cannot_publish(cause)),
        };
        guard.allows(&standing)?;
        match temporary.exchange(name) {
            Ok(displaced) => return settle(temporary, name, &displaced, guard),
            Err(Errno::NOENT) => {}
            Err(cause) if is_unsupported(cause) => {
                temporary.replace(name).map_err(|cause| guard.cannot_publish(cause))?;
                return Ok(Some(standing));
            }
            Err(cause) => return Err(guard.cannot_publish(cause)),
        }
    }
    Err(guard.cannot_publish(Errno::AGAIN))
}

/// After the exchange: removes what came out if it was a regular file, else puts it back.
fn settle(
    temporary: &mut Temporary,
    name: &OsStr,
    displaced: &OsStr,
    guard: &Guard<'_>,
) -> Result<Option<Stat>, Error> {
    let found = match lstat(temporary.dir(), displaced) {
        Ok(found) => found,
        // Somebody has taken it away already: there is nothing left to judge or to remove.
        Err(Errno::NOENT) => return Ok(None),
        Err(cause) => return Err(guard.cannot_publish(cause)),
    };
    if let Err(refusal) = guard.allows(&found) {
        return Err(undo(temporary, name, displaced, refusal, guard));
    }
    match unlinkat(temporary.dir(), displaced, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(Some(found)),
        // In a sticky folder the owner of the old file may forbid its removal.
        Err(cause) => {
            let refusal = guard.cannot_publish(cause);
            Err(undo(temporary, name, displaced, refusal, guard))
        }
    }
}

/// Puts the displaced object back under its name. Our own file is then under the temporary name
/// again, where its owner drops it; anything else found there stays and is named.
fn undo(
    temporary: &Temporary,
    name: &OsStr,
    displaced: &OsStr,
    refusal: Error,
    guard: &Guard<'_>,
) -> Error {
    let dir = temporary.dir();
    let back = match renameat_with(dir, displaced, dir, name, RenameFlags::EXCHANGE) {
        // Our file was taken from the name meanwhile: nothing to exchange with.
        Err(Errno::NOENT) => renameat_with(dir, displaced, dir, name, RenameFlags::NOREPLACE),
        outcome => outcome,
    };
    let empty = lstat(dir, displaced).is_err_and(|cause| cause == Errno::NOENT);
    if back.is_ok() && (empty || temporary.stands_under(displaced)) {
        return refusal;
    }
    Error::Kept {
        path: guard.asked.to_owned(),
        kept: guard.parent.join(displaced),
        refusal: Box::new(refusal),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a neighbour works with plain calls")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use cap_std::fs::Dir;

    use super::*;
    use crate::error::ErrorKind;

    struct Scene {
        _kept: tempfile::TempDir,
        folder: PathBuf,
        temporary: Temporary,
    }

    /// Our file, whole, in a folder where a neighbour is at work.
    fn scene() -> Scene {
        use std::io::Write as _;
        let kept = tempfile::tempdir().unwrap();
        let dir = Dir::open_ambient_dir(kept.path(), cap_std::ambient_authority()).unwrap();
        let mut temporary = Temporary::create(&dir).unwrap();
        temporary.file.write_all(b"ours").unwrap();
        Scene { folder: kept.path().to_owned(), _kept: kept, temporary }
    }

    fn guard<'a>(sources: &'a [FileId]) -> Guard<'a> {
        Guard { asked: Path::new("chat.md"), parent: Path::new("below"), sources }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_displaced_link_is_put_back() {
        let mut scene = scene();
        let name = OsStr::new("chat.md");
        symlink("elsewhere", scene.folder.join(name)).unwrap();
        let displaced = scene.temporary.exchange(name).unwrap();
        assert!(scene.folder.join(&displaced).is_symlink());
        let refusal = settle(&mut scene.temporary, name, &displaced, &guard(&[])).unwrap_err();
        assert_eq!(refusal.kind(), ErrorKind::Symlink);
        drop(scene.temporary);
        assert_eq!(names(&scene.folder), ["chat.md"]);
        assert!(scene.folder.join(name).is_symlink());
    }

    #[test]
    fn a_displaced_source_is_put_back() {
        let mut scene = scene();
        let (name, path) = (OsStr::new("chat.md"), scene.folder.join("chat.md"));
        fs::write(&path, "source").unwrap();
        let sources = [FileId::from(&fs::metadata(&path).unwrap())];
        let displaced = scene.temporary.exchange(name).unwrap();
        let refusal = settle(&mut scene.temporary, name, &displaced, &guard(&sources)).unwrap_err();
        assert_eq!(refusal.kind(), ErrorKind::IsSource);
        drop(scene.temporary);
        assert_eq!(names(&scene.folder), ["chat.md"]);
        assert_eq!(fs::read(path).unwrap(), b"source");
    }

    #[test]
    fn a_displaced_link_is_put_back_also_when_our_file_was_taken_away() {
        let mut scene = scene();
        let (name, path) = (OsStr::new("chat.md"), scene.folder.join("chat.md"));
        symlink("elsewhere", &path).unwrap();
        let displaced = scene.temporary.exchange(name).unwrap();
        fs::remove_file(&path).unwrap();
        let refusal = settle(&mut scene.temporary, name, &displaced, &guard(&[])).unwrap_err();
        assert_eq!(refusal.kind(), ErrorKind::Symlink);
        drop(scene.temporary);
        assert_eq!(names(&scene.folder), ["chat.md"]);
        assert!(path.is_symlink());
    }

    #[test]
    fn a_third_object_is_kept_and_named() {
        let mut scene = scene();
        let (name, path) = (OsStr::new("chat.md"), scene.folder.join("chat.md"));
        symlink("elsewhere", &path).unwrap();
        let displaced = scene.temporary.exchange(name).unwrap();
        fs::remove_file(&path).unwrap();
        fs::write(&path, "third").unwrap();
        let refusal = settle(&mut scene.temporary, name, &displaced, &guard(&[])).unwrap_err();
        drop(scene.temporary);
        assert!(path.is_symlink());
        assert_eq!(fs::read(scene.folder.join(&displaced)).unwrap(), b"third");
        let kept = Path::new("below").join(&displaced);
        assert!(refusal.to_string().contains(kept.to_str().unwrap()), "{refusal}");
        assert_eq!(refusal.kind(), ErrorKind::Symlink);
    }

    #[test]
    fn a_stranger_under_the_temporary_name_is_never_removed() {
        let mut scene = scene();
        let name = OsStr::new("chat.md");
        fs::write(scene.folder.join(name), "old").unwrap();
        let temporary = scene.temporary.exchange(name).unwrap();
        fs::write(scene.folder.join("stranger"), "stranger").unwrap();
        fs::rename(scene.folder.join("stranger"), scene.folder.join(&temporary)).unwrap();
        drop(scene.temporary);
        assert_eq!(fs::read(scene.folder.join(&temporary)).unwrap(), b"stranger");
    }
}
