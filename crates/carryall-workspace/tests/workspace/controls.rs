//! Naive writers, each right in what it checks and wrong in believing that it stays so. Every
//! attack must succeed against its own one.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::AsFd;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat};
use rustix::io::Errno;

use crate::attacks::{self, Final};
use crate::harness::{Race, exchange};
use crate::scratch::{names, object};

pub(crate) fn job(scenario: &str, race: &Race) {
    match scenario {
        "control-parent" => parent(race),
        "control-final-symlink" => final_symlink(race),
        "control-final-dir" => final_dir(race),
        "control-final-fifo" => final_fifo(race),
        "control-mkdir-symlink" => mkdir_symlink(race),
        "control-move-out" => move_out(race),
        "control-dotdot-move" => dotdot_move(race),
        "control-eagain-storm" => eagain_storm(race),
        "control-root-replaced" => root_replaced(race),
        "control-temp-steal" => temp_steal(race),
        other => panic!("no such race: {other}"),
    }
}

/// Resolves, checks, writes by the same path. This window is wide enough without a hook.
fn parent(race: &Race) {
    let root = race.scratch.root();
    let (parent, outside) = (root.join("p"), race.scratch.out().join("x.md"));
    race.run_naive(attacks::parent(&race.scratch), || {
        if !parent.canonicalize().is_ok_and(|found| found.starts_with(&root)) {
            return false;
        }
        let _ = fs::write(parent.join("x.md"), "document");
        fs::remove_file(&outside).is_ok()
    });
}

fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Sees a regular file, and writes.
fn final_symlink(race: &Race) {
    let names = Final::link(&race.scratch);
    let outside = race.scratch.out().join("victim");
    let swap = || names.swap();
    race.run_naive(swap, || {
        if !is_file(&names.target) {
            return false;
        }
        race.window();
        let _ = fs::write(&names.target, "document");
        let escaped = fs::read(&outside).unwrap() == b"document";
        fs::write(&outside, "private").unwrap();
        escaped
    });
}

/// Sees a regular file, and clears the way for its own. The directory is gone then.
fn final_dir(race: &Race) {
    let names = Final::directory(&race.scratch);
    let swap = || names.swap();
    race.run_naive(swap, || {
        if !is_file(&names.target) {
            return false;
        }
        race.window();
        let removed = fs::remove_dir(&names.target).is_ok();
        let _ = fs::remove_file(&names.target);
        let _ = fs::write(&names.target, "document");
        if removed {
            // Now both are files, and whichever is which, the next directory has its place.
            let _ = fs::remove_file(&names.foreign);
            let _ = fs::create_dir(&names.foreign);
        }
        removed
    });
}

/// Sees a regular file, and opens it for writing. Without the flag this would wait for ever; with
/// it the kernel says so.
fn final_fifo(race: &Race) {
    let names = Final::fifo(&race.scratch);
    race.run_naive(
        || names.swap(),
        || {
            if !is_file(&names.target) {
                return false;
            }
            race.window();
            let flags = OFlags::NONBLOCK.bits() as i32;
            let opened = File::options().write(true).custom_flags(flags).open(&names.target);
            opened.is_err_and(|cause| Errno::from_io_error(&cause) == Some(Errno::NXIO))
        },
    );
}

/// Sees that nothing is there, and makes the folders.
fn mkdir_symlink(race: &Race) {
    let new = race.scratch.root().join("new");
    let outside = race.scratch.out().join("sub");
    race.run_naive(
        || attacks::plant(&new),
        || {
            if fs::symlink_metadata(&new).is_ok() {
                return false;
            }
            let _ = fs::create_dir_all(new.join("sub"));
            let _ = fs::write(new.join("sub/x.md"), "document");
            let escaped = fs::remove_dir_all(&outside).is_ok();
            if fs::symlink_metadata(&new).is_ok_and(|found| found.is_dir()) {
                let _ = fs::remove_dir_all(&new);
            }
            escaped
        },
    );
}

/// Holds the folder open, as it should, and does not look again where it is.
fn move_out(race: &Race) {
    let (root, out) = (race.scratch.root(), race.scratch.out());
    let flags = OFlags::DIRECTORY | OFlags::RDONLY;
    race.run_naive(attacks::move_out(&race.scratch), || {
        let Ok(folder) = rustix::fs::open(root.join("p"), flags, Mode::empty()) else {
            return false;
        };
        race.window();
        let create = OFlags::CREATE | OFlags::WRONLY;
        let file = openat(&folder, "x.md", create, Mode::RUSR | Mode::WUSR).unwrap();
        File::from(file).write_all(b"document").unwrap();
        // It says "written", and the folder with the document is outside.
        let there = fs::metadata(out.join("p")).map(|found| found.ino());
        there.is_ok_and(|inode| inode == fstat(&folder).unwrap().st_ino)
    });
}

/// Walks `a/b/c/../../..` step by step from the root, and believes to be there again.
fn dotdot_move(race: &Race) {
    let root = race.scratch.root();
    let inode = object(&root).inode;
    let attack = attacks::move_up(&race.scratch);
    let step = |from: std::os::fd::BorrowedFd<'_>, name: &str| {
        openat(from, name, OFlags::DIRECTORY | OFlags::PATH, Mode::empty()).ok()
    };
    race.run_naive(attack, || {
        let Ok(deep) = File::open(root.join("a/b/c")) else { return false };
        race.window();
        let up = step(deep.as_fd(), "..")
            .and_then(|up| step(up.as_fd(), ".."))
            .and_then(|up| step(up.as_fd(), ".."));
        up.is_some_and(|reached| fstat(&reached).unwrap().st_ino != inode)
    });
}

/// Asks the kernel once, and gives up when it says that somebody renamed something somewhere.
fn eagain_storm(race: &Race) {
    race.scratch.dir("root/a/b");
    let root = File::open(race.scratch.root()).unwrap();
    let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    race.run_naive(attacks::storm(&race.scratch), || {
        let flags = OFlags::DIRECTORY | OFlags::PATH;
        openat2(&root, "a/b/../../a", flags, Mode::empty(), how).err() == Some(Errno::AGAIN)
    });
}

/// Remembers the root by its path.
fn root_replaced(race: &Race) {
    let (root, away) = (race.scratch.root(), race.scratch.dir("away"));
    let opened = object(&root).inode;
    race.run_naive(
        || exchange(&root, &away),
        || {
            let _ = fs::write(root.join("x.md"), "document");
            let foreign = |path: &&PathBuf| {
                fs::metadata(path).is_ok_and(|found| found.ino() != opened)
                    && fs::remove_file(path.join("x.md")).is_ok()
            };
            [&root, &away].iter().any(foreign)
        },
    );
    assert!(names(&root).len() <= 1 && names(&away).len() <= 1);
}

/// Writes under a temporary name, renames it, and says "written".
fn temp_steal(race: &Race) {
    let root = race.scratch.root();
    let (temporary, target) = (root.join(".carryall-0.tmp"), root.join("t.md"));
    let folder = File::open(&root).unwrap();
    race.run_naive(attacks::steal(&race.scratch), || {
        fs::write(&temporary, "document").unwrap();
        race.window();
        fs::rename(&temporary, &target).unwrap();
        assert!(statat(&folder, "t.md", AtFlags::SYMLINK_NOFOLLOW).is_ok());
        fs::read(&target).unwrap() == b"attacker's"
    });
}
