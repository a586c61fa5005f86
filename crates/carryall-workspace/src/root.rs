//! The root handle and the three steps that start from it: open, look, stage.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::AmbientAuthority;
use cap_std::fs::Dir;

use crate::descriptor::path_of;
use crate::error::{Error, ErrorKind};
use crate::folder::Folder;
use crate::identity::{FileId, lstat};
use crate::protected::names_git;
use crate::publish::Guard;
use crate::request::{Request, check_new_name};
use crate::resolve::{Refusal, resolve};
use crate::staged::{Place, Staged};
use crate::target::{Name, Target};

/// A directory below which files are written, and nothing above it.
#[derive(Debug)]
pub struct Workspace {
    root: Dir,
    /// Absolute paths that mean the root, the canonical one first.
    spellings: Vec<PathBuf>,
}

impl Workspace {
    /// Opens a directory as the root. Links in `path` are followed: which root it is, is the
    /// caller's authority. Keep the workspace for the session: should the directory be renamed,
    /// writes go on into the one that was opened.
    ///
    /// Absolute requests are understood under the canonical path and, if it is absolute, under
    /// `path` as given.
    ///
    /// # Errors
    ///
    /// When `path` is no directory or cannot be opened.
    pub fn open(path: impl AsRef<Path>, authority: AmbientAuthority) -> Result<Self, Error> {
        let path = path.as_ref();
        let cannot = |cause| Error::system(path, "open the workspace", cause);
        Self::opened(Dir::open_ambient_dir(path, authority).map_err(cannot)?, path)
    }

    fn opened(root: Dir, given: &Path) -> Result<Self, Error> {
        let cannot = |cause| Error::system(given, "find the path of the workspace", cause);
        let canonical = match path_of(&root) {
            Some(path) => path,
            None => std::fs::canonicalize(given).map_err(cannot)?,
        };
        let mut spellings = vec![canonical];
        if given.is_absolute() && given != spellings[0] {
            spellings.push(given.to_owned());
        }
        Ok(Self { root, spellings })
    }

    /// The root for an output path typed in a shell, and what is left of the path as a request
    /// below it. Nothing is created.
    ///
    /// The root is the deepest existing directory of `out` (below `cwd` unless absolute), links
    /// followed: to name it is the person's authority, and that may be a `.git`. Only the parts
    /// still to be made and the file's name are guarded like any request.
    ///
    /// # Errors
    ///
    /// When the path holds a NUL or is too long, when a file stands where a directory must be, and
    /// when links dangle or turn in circles before the last part.
    pub fn for_output(
        cwd: impl AsRef<Path>,
        out: impl AsRef<Path>,
        authority: AmbientAuthority,
    ) -> Result<(Self, PathBuf), Error> {
        let out = out.as_ref();
        let start = if out.is_absolute() { Path::new("/") } else { cwd.as_ref() };
        let request = Request::parse(out, &["/".into()])?;
        let parts = request.parts.as_slice();
        let mut kept = parts.len();
        loop {
            let folder = start.join(parts[..kept].iter().collect::<PathBuf>());
            let cause = match Dir::open_ambient_dir(&folder, authority) {
                Ok(root) => return Ok((Self::opened(root, &folder)?, rest(&request, kept))),
                Err(cause) => cause,
            };
            if kept == 0 {
                return Err(Error::system(out, "open the folder", cause));
            }
            // What the last part is, if no directory, is for the look at the target to say.
            let is_name = kept == parts.len() && !request.directory;
            if !is_name {
                may_be_made(&folder, out, cause)?;
            }
            kept -= 1;
        }
    }

    /// The canonical path of the root when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.spellings[0]
    }

    /// Looks at a request and finds out whether it names a directory or a file. Nothing is created.
    ///
    /// The request is bytes: no `~`, no variables, no patterns, no normalisation; `..` means what
    /// the kernel means by it, the parent of what a link leads to. A link in the middle is followed
    /// while it stays inside the root; an absolute link never does.
    ///
    /// # Errors
    ///
    /// Every refusal that can be known before the write, see [`ErrorKind`].
    pub fn target(&self, request: impl AsRef<Path>) -> Result<Target, Error> {
        let request = Request::parse(request.as_ref(), &self.spellings)?;
        if request.parts.iter().any(|part| names_git(part)) {
            return Err(Error::Protected { path: request.asked });
        }
        match Target::look(&self.root, &request) {
            Err(Refusal::Raced(_)) => Ok(Target::look(&self.root, &request)?),
            outcome => Ok(outcome?),
        }
    }

    /// Makes the missing directories and opens an invisible file in the last one.
    ///
    /// `sources` are the files the document is made from; none of them is ever replaced.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made or written in, when `name` is [`Name::Explicit`] but the
    /// target a directory ([`ErrorKind::Directory`]) or the reverse
    /// ([`ErrorKind::NotADirectory`]), when a generated name is no plain name, and when the target
    /// is a source.
    pub fn stage(
        &self,
        target: Target,
        name: Name<'_>,
        sources: &[FileId],
    ) -> Result<Staged, Error> {
        let asked = target.request().to_owned();
        let place = place(&target, name)?;
        let folder = self.make_folder(target)?;
        if let Place::Explicit(name) = &place
            && let Ok(standing) = lstat(&folder.dir, name)
        {
            Guard { asked: &asked, parent: &folder.path, sources }.allows(&standing)?;
        }
        Staged::create(&self.root, folder, place, &asked, sources)
    }

    /// A link or a file that came in the way of a directory to be made is looked at once more from
    /// the root: a guarded look says what it is.
    fn make_folder(&self, target: Target) -> Result<Folder, Error> {
        let asked = target.request().to_owned();
        let parts = target.folder_parts().to_vec();
        match Folder::make(target.folder, &asked) {
            Err(Refusal::Raced(_)) => {
                let again = resolve(&self.root, &parts, &asked)?;
                Ok(Folder::make(again, &asked)?)
            }
            outcome => Ok(outcome?),
        }
    }
}

fn place(target: &Target, name: Name<'_>) -> Result<Place, Error> {
    let path = || target.request().to_owned();
    match (name, target.file_name()) {
        (Name::Explicit, Some(name)) => Ok(Place::Explicit(name.to_owned())),
        (Name::Explicit, None) => Err(Error::Directory { path: path() }),
        (Name::Generated { .. }, Some(_)) => Err(Error::NotADirectory { path: path() }),
        (Name::Generated { stem, extension }, None) => {
            let whole = OsString::from(format!("{stem}.{extension}"));
            check_new_name(&whole, Path::new(&whole))?;
            if stem.is_empty() || stem.contains('/') || extension.contains('/') {
                let reason = "a generated name must be one plain name";
                return Err(Error::BadName { path: whole.into(), reason });
            }
            if names_git(&whole) {
                return Err(Error::Protected { path: whole.into() });
            }
            Ok(Place::Generated { stem: stem.to_owned(), extension: extension.to_owned() })
        }
    }
}

/// The parts of an output path below its deepest existing directory, a trailing `/` kept.
fn rest(request: &Request, kept: usize) -> PathBuf {
    let mut rest: PathBuf = request.parts[kept..].iter().collect();
    if request.directory && !rest.as_os_str().is_empty() {
        rest.push("");
    }
    rest
}

/// Whether a directory that could not be opened is one that a write may make, or lies behind one
/// that may not be entered, which the look at the target reports.
fn may_be_made(folder: &Path, out: &Path, cause: io::Error) -> Result<(), Error> {
    let kind = ErrorKind::of(&cause);
    if kind == ErrorKind::Permission {
        return Ok(());
    }
    let dangling = || std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_symlink());
    let missing = cause.kind() == io::ErrorKind::NotFound;
    if kind == ErrorKind::NotADirectory || missing && dangling() {
        return Err(Error::NotADirectory { path: out.to_owned() });
    }
    match missing {
        true => Ok(()),
        false => Err(Error::system(out, "open the folder", cause)),
    }
}
