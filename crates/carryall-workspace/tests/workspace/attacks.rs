//! What the hostile neighbour does. Each attack serves a scenario and its control.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, mknodat, unlinkat};

use crate::harness::{exchange, move_to};
use crate::scratch::{Scratch, is_temporary};

/// The parent `p` and a link to outside change places.
pub(crate) fn parent(scratch: &Scratch) -> impl Fn() -> bool + Sync + use<> {
    let parent = scratch.dir("root/p");
    let link = scratch.link("root/link", "../out");
    move || exchange(&parent, &link)
}

/// The name of the target, and what is to come under it.
pub(crate) struct Final {
    pub(crate) target: PathBuf,
    pub(crate) foreign: PathBuf,
}

impl Final {
    /// A link to a file outside.
    pub(crate) fn link(scratch: &Scratch) -> Self {
        let target = scratch.file("root/t.md", "old");
        scratch.file("out/victim", "private");
        Self { target, foreign: scratch.link("root/foreign", "../out/victim") }
    }

    pub(crate) fn directory(scratch: &Scratch) -> Self {
        let target = scratch.file("root/t.md", "old");
        Self { target, foreign: scratch.dir("root/foreign") }
    }

    /// A fifo without a reader.
    pub(crate) fn fifo(scratch: &Scratch) -> Self {
        let target = scratch.file("root/t.md", "old");
        let foreign = scratch.root().join("foreign");
        mknodat(CWD, &foreign, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        Self { target, foreign }
    }

    /// Target and foreign object change places. Once in a long while the victim's undo meets a
    /// third object and keeps the foreign one under a temporary name: then it is fetched back.
    pub(crate) fn swap(&self) -> bool {
        exchange(&self.target, &self.foreign) || self.fetch_back()
    }

    fn fetch_back(&self) -> bool {
        let folder = self.target.parent().unwrap();
        let names = std::fs::read_dir(folder).unwrap().filter_map(|entry| entry.ok());
        let foreign = |entry: &std::fs::DirEntry| {
            is_temporary(&entry.file_name().to_string_lossy())
                && entry.file_type().is_ok_and(|kind| !kind.is_file())
        };
        for entry in names.filter(foreign) {
            move_to(&entry.path(), &self.foreign);
        }
        false
    }
}

/// A link to outside comes and goes where the next parent is about to be made.
pub(crate) fn plant(new: &Path) -> bool {
    let planted = symlink("../out", new).is_ok();
    let _ = unlinkat(CWD, new, AtFlags::empty());
    // The victim must find the place empty as often as not.
    std::thread::yield_now();
    planted
}

/// The parent leaves the root and comes back. While it is away the victim makes another one; then
/// the two change places.
pub(crate) fn move_out(scratch: &Scratch) -> impl Fn() -> bool + Sync + use<> {
    let inside = scratch.dir("root/p");
    let outside = scratch.out().join("p");
    move || {
        let left = move_to(&inside, &outside);
        let came = exchange(&outside, &inside) | move_to(&outside, &inside);
        left || came
    }
}

/// A deep folder is moved up to the root, and back.
pub(crate) fn move_up(scratch: &Scratch) -> impl Fn() -> bool + Sync + use<> {
    let deep = scratch.dir("root/a/b/c");
    let high = scratch.root().join("c");
    move || {
        std::fs::rename(&deep, &high).unwrap();
        std::fs::rename(&high, &deep).unwrap();
        true
    }
}

/// Folders far away change places: the kernel notices any rename on the host.
pub(crate) fn storm(scratch: &Scratch) -> impl Fn() -> bool + Sync + use<> {
    let (one, other) = (scratch.dir("out/one"), scratch.dir("out/other"));
    move || exchange(&one, &other)
}

/// Whoever finds a temporary name puts a file of his own under it.
pub(crate) fn steal(scratch: &Scratch) -> impl Fn() -> bool + Sync + use<> {
    let (root, bait) = (scratch.root(), scratch.base.join("bait"));
    move || {
        let mut stolen = false;
        let entries = std::fs::read_dir(&root).unwrap();
        for name in entries.filter_map(|entry| Some(entry.ok()?.file_name())) {
            if is_temporary(&name.to_string_lossy()) {
                // Not over what lies there from the last time: that may be the victim's own file,
                // which a process of the same user can write in whatever anybody does.
                let _ = std::fs::remove_file(&bait);
                std::fs::write(&bait, "attacker's").unwrap();
                // An exchange hits only a name that is still there.
                stolen |= exchange(&bait, &root.join(name));
            }
        }
        stolen
    }
}
