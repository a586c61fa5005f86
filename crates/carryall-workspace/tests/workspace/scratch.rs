//! Folders to try things in, and what is in them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};

use carryall_workspace::{Error, FileId, Name, Workspace, Written};
use tempfile::TempDir;

/// The stem of generated names; a fixed clock.
pub(crate) const STEM: &str = "carryall-export-T";

/// A base folder with `root` (the workspace) and `out` (everything else).
pub(crate) struct Scratch {
    _kept: TempDir,
    pub(crate) base: PathBuf,
}

impl Scratch {
    /// On the disk the system uses for temporary files.
    pub(crate) fn on_disk() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// In memory where there is such a place: for tests that write tens of thousands of times.
    pub(crate) fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::below(memory) } else { Self::on_disk() }
    }

    fn below(place: &Path) -> Self {
        let kept = tempfile::Builder::new().prefix("workspace-test-").tempdir_in(place).unwrap();
        let base = kept.path().canonicalize().unwrap();
        std::fs::create_dir(base.join("root")).unwrap();
        std::fs::create_dir(base.join("out")).unwrap();
        Self { _kept: kept, base }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("root")
    }

    pub(crate) fn out(&self) -> PathBuf {
        self.base.join("out")
    }

    pub(crate) fn workspace(&self) -> Workspace {
        open(&self.root())
    }

    /// Makes a file with its folders, below the base.
    pub(crate) fn file(&self, path: &str, content: &str) -> PathBuf {
        let path = self.base.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn dir(&self, path: &str) -> PathBuf {
        let path = self.base.join(path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub(crate) fn link(&self, path: &str, to: &str) -> PathBuf {
        let path = self.base.join(path);
        std::os::unix::fs::symlink(to, &path).unwrap();
        path
    }
}

pub(crate) fn open(path: &Path) -> Workspace {
    Workspace::open(path, cap_std::ambient_authority()).unwrap()
}

/// Writes `document` where `request` says, with a generated name in a directory.
pub(crate) fn export(
    workspace: &Workspace,
    request: impl AsRef<Path>,
    document: &[u8],
) -> Result<Written, Error> {
    export_from(workspace, request, document, &[])
}

pub(crate) fn export_from(
    workspace: &Workspace,
    request: impl AsRef<Path>,
    document: &[u8],
    sources: &[FileId],
) -> Result<Written, Error> {
    let request = request.as_ref();
    let target = workspace.target(request)?;
    let name = match target.is_directory() {
        true => Name::Generated { stem: STEM, extension: "md" },
        false => Name::Explicit,
    };
    let mut staged = workspace.stage(target, name, sources)?;
    staged.write_all(document).map_err(|cause| Error::write(request, cause))?;
    staged.commit()
}

/// The word of a refusal.
pub(crate) fn refused(outcome: Result<Written, Error>) -> &'static str {
    outcome.expect_err("a refusal").kind().word()
}

/// One object of a tree: what it is, which, its mode, and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) kind: &'static str,
    pub(crate) inode: u64,
    pub(crate) mode: u32,
    pub(crate) content: Vec<u8>,
}

/// Everything below a folder, by path relative to it. Links are not followed.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Object> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Object>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return collect_closed(top, folder, found);
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let object = object(&path);
        let is_dir = object.kind == "directory";
        found.insert(path.strip_prefix(top).unwrap().to_owned(), object);
        if is_dir {
            collect(top, &path, found);
        }
    }
}

/// A folder without read permission: opened for a moment, closed again.
fn collect_closed(top: &Path, folder: &Path, found: &mut BTreeMap<PathBuf, Object>) {
    let mode = std::fs::metadata(folder).unwrap().permissions();
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700)).unwrap();
    collect(top, folder, found);
    std::fs::set_permissions(folder, mode).unwrap();
}

pub(crate) fn object(path: &Path) -> Object {
    let metadata = std::fs::symlink_metadata(path).unwrap();
    let kind = metadata.file_type();
    let (kind, content) = match () {
        () if kind.is_file() => ("file", read_any(path)),
        () if kind.is_dir() => ("directory", Vec::new()),
        () if kind.is_symlink() => {
            ("link", std::fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec())
        }
        () if kind.is_fifo() => ("fifo", Vec::new()),
        () if kind.is_socket() => ("socket", Vec::new()),
        () => ("device", Vec::new()),
    };
    Object { kind, inode: metadata.ino(), mode: metadata.mode() & 0o7777, content }
}

fn read_any(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.unwrap().file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(".carryall-")
}

/// A document that shows whether it is whole: its first line says how long it is, its last line is
/// its first.
pub(crate) fn document(number: u64, length: usize) -> Vec<u8> {
    let frame = format!("document {number} of {length} bytes\n");
    let mut document = frame.clone().into_bytes();
    document.resize(length - frame.len(), b'.');
    document.extend_from_slice(frame.as_bytes());
    document
}

/// The number of a whole document; panics on a torn one.
pub(crate) fn whole(path: &Path) -> u64 {
    try_whole(path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

/// The same for files that may be torn.
pub(crate) fn try_whole(path: &Path) -> Result<u64, &'static str> {
    let bytes = read_any(path);
    let line = bytes.split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default();
    let text = std::str::from_utf8(line).map_err(|_| "torn")?;
    let number = text.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or("torn")?;
    let length = text.split(' ').nth(3).ok_or("torn")?;
    match bytes.len().to_string() == length && bytes == document(number, bytes.len()) {
        true => Ok(number),
        false => Err("cut short"),
    }
}

/// Says what this machine or user could not try, past the capture of passing tests.
pub(crate) fn skipped(what: impl std::fmt::Display) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}
