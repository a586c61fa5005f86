//! A hostile neighbour swaps what a request meets, in a tight loop, while exports run.
//!
//! Each scenario runs in a process of its own, in memory. What counts is found on the disk after
//! the last attempt, since whatever lands outside stays there. Before each, the same attack must
//! succeed against a naive writer (`controls`). `CARRYALL_SWAPS=200000` is the long form.

use std::path::Path;

use crate::attacks::{self, Final};
use crate::child;
use crate::controls;
use crate::filters::Kernel;
use crate::harness::{
    Race, assert_no_temporary, assert_nothing_outside, must_escape, outcome, run, swaps,
};
use crate::scratch::{export, names, object, snapshot};

#[test]
fn race_parent_symlink() {
    must_escape("parent", Kernel::Openat2);
    let explicit = run("parent-explicit", Kernel::Openat2, swaps(20_000));
    let generated = run("parent-generated", Kernel::Openat2, swaps(20_000));
    for tally in [explicit, generated] {
        assert!(tally["written"] > 0 && tally["escape"] > 0, "no race took place: {tally:?}");
    }
}

#[test]
fn race_no_openat2() {
    for kernel in [Kernel::Enosys, Kernel::Eperm, Kernel::Named, Kernel::NoRenameFlags] {
        must_escape("parent", kernel);
        let tally = run("parent-explicit", kernel, swaps(4_000));
        assert!(tally["written"] > 0 && tally["escape"] > 0, "no race took place: {tally:?}");
    }
}

#[test]
fn race_final_symlink() {
    must_escape("final-symlink", Kernel::Openat2);
    run("final-symlink", Kernel::Openat2, swaps(10_000));
}

#[test]
fn race_final_dir() {
    must_escape("final-dir", Kernel::Openat2);
    run("final-dir", Kernel::Openat2, swaps(4_000));
}

#[test]
fn race_final_fifo() {
    must_escape("final-fifo", Kernel::Openat2);
    run("final-fifo", Kernel::Openat2, swaps(4_000));
}

#[test]
fn race_mkdir_symlink() {
    must_escape("mkdir-symlink", Kernel::Openat2);
    run("mkdir-symlink", Kernel::Openat2, swaps(8_000));
    run("mkdir-symlink", Kernel::Eperm, swaps(2_000));
}

#[test]
fn race_move_out() {
    must_escape("move-out", Kernel::Openat2);
    let tally = run("move-out", Kernel::Openat2, swaps(4_000));
    assert!(tally["written"] > 0, "{tally:?}");
}

#[test]
fn race_dotdot_move() {
    must_escape("dotdot-move", Kernel::Openat2);
    for kernel in [Kernel::Openat2, Kernel::Eperm] {
        let tally = run("dotdot-move", kernel, swaps(4_000));
        assert!(tally["written"] > 0, "{tally:?}");
    }
}

/// Renames anywhere on the host make `openat2` answer `EAGAIN` for paths with `..`; an export must
/// not depend on a quiet host.
#[test]
fn race_eagain_storm() {
    must_escape("eagain-storm", Kernel::Openat2);
    let tally = run("eagain-storm", Kernel::Openat2, swaps(8_000));
    assert_eq!(tally["written"], tally["attempts"], "{tally:?}");
}

#[test]
fn race_root_replaced() {
    must_escape("root-replaced", Kernel::Openat2);
    run("root-replaced", Kernel::Openat2, swaps(1_000));
}

#[test]
fn race_temp_steal() {
    must_escape("temp-steal", Kernel::Named);
    run("temp-steal", Kernel::Named, swaps(1_000));
}

pub(crate) fn job(words: &[&str]) {
    let race = Race::new(Kernel::parse(words[1]), words[2].parse().unwrap());
    match words[0] {
        "parent-explicit" => parent(&race, "p/x.md"),
        "parent-generated" => parent(&race, "p/"),
        "final-symlink" => final_symlink(&race),
        "final-dir" => final_other(&race, &Final::directory(&race.scratch)),
        "final-fifo" => final_other(&race, &Final::fifo(&race.scratch)),
        "mkdir-symlink" => mkdir_symlink(&race),
        "move-out" => move_out(&race),
        "dotdot-move" => dotdot_move(&race),
        "eagain-storm" => eagain_storm(&race),
        "root-replaced" => root_replaced(&race),
        "temp-steal" => temp_steal(&race),
        other => controls::job(other, &race),
    }
}

fn parent(race: &Race, request: &str) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let explained = ["escape", "not-a-directory", "moved"];
    race.run(attacks::parent(scratch), |attempt| {
        let word = outcome(export(&workspace, request, b"document"), &explained);
        // Thousands of names in one folder would make this a test of the search for a free one.
        if request.ends_with('/') && attempt % 500 == 499 {
            clear(&scratch.root());
        }
        word
    });
    assert_nothing_outside(scratch);
    assert_no_temporary(scratch);
}

/// Removes the exports from both places at which the swapped folder may stand.
fn clear(root: &Path) {
    for place in ["p", "link"].map(|name| root.join(name)) {
        let handle = rustix::fs::open(
            &place,
            rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::NOFOLLOW,
            rustix::fs::Mode::empty(),
        );
        let Ok(handle) = handle else { continue };
        let held = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&handle));
        for name in names(Path::new(&held)) {
            rustix::fs::unlinkat(&handle, name, rustix::fs::AtFlags::empty()).unwrap();
        }
    }
}

fn final_symlink(race: &Race) {
    let scratch = &race.scratch;
    let names_swapped = Final::link(scratch);
    let victim = scratch.out().join("victim");
    let before = object(&victim);
    let workspace = scratch.workspace();
    let inode = object(&names_swapped.foreign).inode;
    race.run(
        || names_swapped.swap(),
        |_| outcome(export(&workspace, "t.md", b"document"), &["symlink"]),
    );
    assert_eq!(object(&victim), before, "the outside file was written");
    assert_eq!(names(&scratch.out()), ["victim"]);
    let links = snapshot(&scratch.root());
    assert!(links.values().any(|object| object.inode == inode), "the link is lost: {links:?}");
}

/// A directory must never be removed; a fifo blocks whoever opens it for writing: then this never
/// ends.
fn final_other(race: &Race, names: &Final) {
    let scratch = &race.scratch;
    let inode = object(&names.foreign).inode;
    let workspace = scratch.workspace();
    let explained = ["directory", "not-a-directory", "moved", "fifo"];
    race.run(
        || names.swap(),
        |_| {
            let word = outcome(export(&workspace, "t.md", b"document"), &explained);
            // With the directory in its place the request may have meant a name inside it.
            for folder in [&names.target, &names.foreign] {
                let _ = std::fs::remove_file(folder.join("carryall-export-T.md"));
            }
            word
        },
    );
    let all = snapshot(&scratch.root());
    assert!(all.values().any(|object| object.inode == inode), "it is gone: {all:?}");
}

fn mkdir_symlink(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let new = scratch.root().join("new");
    let explained = ["escape", "not-a-directory", "io", "moved"];
    race.run(
        || attacks::plant(&new),
        |_| {
            let word = outcome(export(&workspace, "new/sub/x.md", b"document"), &explained);
            // The victim's own folders, so that the next attempt makes them again.
            if new.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                std::fs::remove_dir_all(&new).unwrap();
            }
            word
        },
    );
    assert_nothing_outside(scratch);
    assert_no_temporary(scratch);
}

fn move_out(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let explained = ["moved", "escape", "not-a-directory", "io"];
    race.run(attacks::move_out(scratch), |_| {
        outcome(export(&workspace, "p/x.md", b"document"), &explained)
    });
}

fn dotdot_move(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let explained = ["escape", "dotdot-in-missing", "not-a-directory", "moved", "io"];
    race.run(attacks::move_up(scratch), |_| {
        outcome(export(&workspace, "a/b/c/../../../x.md", b"document"), &explained)
    });
    assert_eq!(names(&scratch.base), ["out", "root"], "written above the root");
    assert_nothing_outside(scratch);
}

fn eagain_storm(race: &Race) {
    let scratch = &race.scratch;
    scratch.dir("root/a/b");
    let workspace = scratch.workspace();
    race.run(attacks::storm(scratch), |_| {
        outcome(export(&workspace, "a/b/../../a/x.md", b"document"), &[])
    });
}

fn root_replaced(race: &Race) {
    let scratch = &race.scratch;
    let (root, away) = (scratch.root(), scratch.dir("away"));
    let workspace = scratch.workspace();
    let opened = object(&root).inode;
    let mut count = 0;
    race.run(
        || crate::harness::exchange(&root, &away),
        |attempt| {
            // A hundred names, over and over: the folder must not grow with the attempts.
            let name = format!("{}.md", attempt % 100);
            let written = export(&workspace, &name, b"document").unwrap();
            assert_eq!(written.path, Path::new(&name));
            count = (attempt + 1).min(100);
            "written"
        },
    );
    let now = [&root, &away].into_iter().find(|path| object(path).inode == opened).unwrap();
    let other = [&root, &away].into_iter().find(|path| object(path).inode != opened).unwrap();
    assert_eq!(names(now).len(), count as usize);
    assert_eq!(names(other), [] as [&str; 0], "written into the other folder");
    let written = export(&workspace, "last.md", b"document").unwrap();
    assert_eq!(written.full_path, now.join("last.md"));
}

fn temp_steal(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let target = scratch.root().join("t.md");
    let replaced =
        |note: &carryall_workspace::Note| matches!(note, carryall_workspace::Note::ReplacedSince);
    race.run(attacks::steal(scratch), |_| match export(&workspace, "t.md", b"document") {
        Ok(written) if written.notes.iter().any(replaced) => "stolen-and-said",
        Ok(_) => {
            assert_eq!(std::fs::read(&target).unwrap(), b"document", "stolen in silence");
            "written"
        }
        Err(refusal) => outcome(Err(refusal), &["io"]),
    });
    child::say("left", names(&scratch.root()).len());
}
