//! A hostile neighbour swaps what a request meets, in a tight loop, while exports run.
//!
//! Each scenario runs in a process of its own, in memory. What counts is found on the disk after
//! the last attempt, since whatever lands outside stays there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};

use crate::child;
use crate::filters::Kernel;
use crate::scratch::{Scratch, export, is_temporary, names, object, snapshot};

#[test]
fn race_parent_symlink() {
    let control = run("control-parent", Kernel::Openat2, 2_000_000);
    assert!(control["escapes"] > 0, "the attack is too weak to show anything: {control:?}");
    let explicit = run("parent-explicit", Kernel::Openat2, 20_000);
    let generated = run("parent-generated", Kernel::Openat2, 20_000);
    for tally in [explicit, generated] {
        assert!(tally["written"] > 0 && tally["escape"] > 0, "no race took place: {tally:?}");
    }
}

#[test]
fn race_no_openat2() {
    for kernel in [Kernel::Enosys, Kernel::Eperm, Kernel::Named, Kernel::NoRenameFlags] {
        let tally = run("parent-explicit", kernel, 4_000);
        assert!(tally["written"] > 0 && tally["escape"] > 0, "no race took place: {tally:?}");
    }
}

#[test]
fn race_final_symlink() {
    run("final-symlink", Kernel::Openat2, 10_000);
}

#[test]
fn race_final_dir() {
    run("final-dir", Kernel::Openat2, 4_000);
}

#[test]
fn race_final_fifo() {
    run("final-fifo", Kernel::Openat2, 4_000);
}

#[test]
fn race_mkdir_symlink() {
    run("mkdir-symlink", Kernel::Openat2, 8_000);
    run("mkdir-symlink", Kernel::Eperm, 2_000);
}

#[test]
fn race_move_out() {
    let tally = run("move-out", Kernel::Openat2, 10_000);
    assert!(tally["written"] > 0, "{tally:?}");
}

#[test]
fn race_dotdot_move() {
    for kernel in [Kernel::Openat2, Kernel::Eperm] {
        let tally = run("dotdot-move", kernel, 4_000);
        assert!(tally["written"] > 0, "{tally:?}");
    }
}

/// Renames anywhere on the host make `openat2` answer `EAGAIN` for paths with `..`; an export must
/// not depend on a quiet host.
#[test]
fn race_eagain_storm() {
    let tally = run("eagain-storm", Kernel::Openat2, 8_000);
    assert_eq!(tally["written"], 8_000, "{tally:?}");
}

#[test]
fn race_root_replaced() {
    run("root-replaced", Kernel::Openat2, 1_000);
}

#[test]
fn race_temp_steal() {
    run("temp-steal", Kernel::Named, 4_000);
}

fn run(scenario: &str, kernel: Kernel, attempts: u32) -> BTreeMap<String, u32> {
    let command = child::command(&format!("race {scenario} {} {attempts}", kernel.word()));
    let said = child::finish(command);
    let number = |(word, rest): (String, String)| (word, rest.parse().unwrap());
    let mut tally: BTreeMap<String, u32> = said.into_iter().map(number).collect();
    println!("{scenario} ({}), {attempts} attempts: {tally:?}", kernel.word());
    for word in ["written", "escape", "escapes"] {
        tally.entry(word.into()).or_default();
    }
    tally
}

pub(crate) fn job(words: &[&str]) {
    let (kernel, attempts) = (Kernel::parse(words[1]), words[2].parse().unwrap());
    let race = Race { scratch: Scratch::in_memory(), kernel, attempts };
    match words[0] {
        "control-parent" => control_parent(&race),
        "parent-explicit" => parent(&race, "p/x.md"),
        "parent-generated" => parent(&race, "p/"),
        "final-symlink" => final_symlink(&race),
        "final-dir" => final_dir(&race),
        "final-fifo" => final_fifo(&race),
        "mkdir-symlink" => mkdir_symlink(&race),
        "move-out" => move_out(&race),
        "dotdot-move" => dotdot_move(&race),
        "eagain-storm" => eagain_storm(&race),
        "root-replaced" => root_replaced(&race),
        "temp-steal" => temp_steal(&race),
        other => panic!("no such race: {other}"),
    }
}

struct Race {
    scratch: Scratch,
    /// What the victim's kernel can do; the attacker's can do everything.
    kernel: Kernel,
    attempts: u32,
}

/// Ends the attack, also when the victim panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Race {
    /// Runs `attack` in a loop beside the calls of `victim`, and says how often each answer came.
    fn run(&self, attack: impl Fn() + Sync, mut victim: impl FnMut(u32) -> &'static str) {
        let over = AtomicBool::new(false);
        let mut tally = BTreeMap::<&str, u32>::new();
        std::thread::scope(|threads| {
            let stop = Over(&over);
            let attacker = threads.spawn(|| {
                let mut swaps = 0_u32;
                while !over.load(Ordering::Relaxed) {
                    attack();
                    swaps += 1;
                }
                swaps
            });
            self.kernel.enter();
            for attempt in 0..self.attempts {
                *tally.entry(victim(attempt)).or_default() += 1;
            }
            drop(stop);
            let swaps = attacker.join().unwrap();
            assert!(swaps > 0, "the attacker never ran");
            child::say("swaps", swaps);
        });
        for (word, count) in tally {
            child::say(word, count);
        }
    }
}

fn exchange(one: &Path, other: &Path) -> rustix::io::Result<()> {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)
}

/// The word of a refusal, or `written`; panics on refusals the scenario cannot explain.
fn outcome(
    result: Result<carryall_workspace::Written, carryall_workspace::Error>,
    explained: &[&str],
) -> &'static str {
    match result {
        Ok(_) => "written",
        Err(refusal) => {
            let word = refusal.kind().word();
            assert!(explained.contains(&word), "{refusal:?}");
            word
        }
    }
}

fn assert_nothing_outside(scratch: &Scratch) {
    assert_eq!(names(&scratch.out()), [] as [&str; 0], "ESCAPED");
}

fn assert_no_temporary(scratch: &Scratch) {
    let all = snapshot(&scratch.base);
    let left = all.keys().find(|path| is_temporary(&path.file_name().unwrap().to_string_lossy()));
    assert_eq!(left, None);
}

/// A folder and a link to outside change places.
fn swapped_parent(scratch: &Scratch) -> impl Fn() + Sync + use<> {
    let parent = scratch.dir("root/p");
    let link = scratch.link("root/link", "../out");
    move || exchange(&parent, &link).unwrap()
}

fn parent(race: &Race, request: &str) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let explained = ["escape", "not-a-directory", "moved"];
    race.run(swapped_parent(scratch), |_| {
        outcome(export(&workspace, request, b"document"), &explained)
    });
    assert_nothing_outside(scratch);
    assert_no_temporary(scratch);
}

/// The same attack on a program that resolves, checks and then writes by the same path. It must
/// escape, or the attack proves nothing about us.
fn control_parent(race: &Race) {
    let scratch = &race.scratch;
    let root = scratch.root();
    let (parent, out) = (root.join("p"), scratch.out());
    let mut escapes = 0;
    race.run(swapped_parent(scratch), |_| {
        if escapes >= 5 {
            return "not-needed";
        }
        match parent.canonicalize() {
            Ok(found) if found.starts_with(&root) => {}
            Ok(_) | Err(_) => return "refused",
        }
        let _ = std::fs::write(parent.join("x.md"), b"document");
        if std::fs::remove_file(out.join("x.md")).is_ok() {
            escapes += 1;
        }
        "passed-the-check"
    });
    child::say("escapes", escapes);
}

fn final_symlink(race: &Race) {
    let scratch = &race.scratch;
    let victim = scratch.file("out/victim", "private");
    let target = scratch.file("root/t.md", "old");
    let link = scratch.link("root/link", "../out/victim");
    let (inode, before) = (object(&link).inode, object(&victim));
    let workspace = scratch.workspace();
    // Once in a long while the undo finds a third object and keeps the link under a temporary
    // name. Then there is nothing to swap any more, and the rest of the attempts are plain.
    let attack = || {
        let _ = exchange(&target, &link);
    };
    race.run(attack, |_| outcome(export(&workspace, "t.md", b"document"), &["symlink"]));
    assert_eq!(object(&victim), before, "the outside file was written");
    assert_eq!(names(&scratch.out()), ["victim"]);
    let links = snapshot(&scratch.root());
    assert!(links.values().any(|object| object.inode == inode), "the link is lost: {links:?}");
}

fn final_dir(race: &Race) {
    let scratch = &race.scratch;
    let target = scratch.file("root/t.md", "old");
    let dir = scratch.dir("root/dir");
    let inode = object(&dir).inode;
    let workspace = scratch.workspace();
    let attack = || {
        let _ = exchange(&target, &dir);
    };
    race.run(attack, |_| {
        outcome(export(&workspace, "t.md", b"document"), &["directory", "not-a-directory", "moved"])
    });
    let all = snapshot(&scratch.root());
    assert!(all.values().any(|object| object.inode == inode), "the directory is gone: {all:?}");
}

/// A fifo without a reader blocks whoever opens it for writing: then this never ends.
fn final_fifo(race: &Race) {
    let scratch = &race.scratch;
    let target = scratch.file("root/t.md", "old");
    let fifo = scratch.root().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let inode = object(&fifo).inode;
    let workspace = scratch.workspace();
    let attack = || {
        let _ = exchange(&target, &fifo);
    };
    race.run(attack, |_| outcome(export(&workspace, "t.md", b"document"), &["fifo"]));
    let all = snapshot(&scratch.root());
    assert!(all.values().any(|object| object.inode == inode), "the fifo is gone: {all:?}");
}

fn mkdir_symlink(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let new = scratch.root().join("new");
    let attack = || {
        let _ = std::os::unix::fs::symlink("../out", &new);
        let _ = rustix::fs::unlinkat(CWD, &new, AtFlags::empty());
    };
    let explained = ["escape", "not-a-directory", "io", "moved"];
    race.run(attack, |_| {
        let word = outcome(export(&workspace, "new/sub/x.md", b"document"), &explained);
        // The victim's own folders, so that the next attempt makes them again.
        if new.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            std::fs::remove_dir_all(&new).unwrap();
        }
        word
    });
    assert_nothing_outside(scratch);
    assert_no_temporary(scratch);
}

fn move_out(race: &Race) {
    let scratch = &race.scratch;
    let inside = scratch.dir("root/p");
    let outside = scratch.out().join("p");
    let workspace = scratch.workspace();
    // While the folder is away the victim makes another one; then the two change places.
    let swap = || {
        let _ = renameat_with(CWD, &inside, CWD, &outside, RenameFlags::NOREPLACE);
        let _ = exchange(&outside, &inside);
        let _ = renameat_with(CWD, &outside, CWD, &inside, RenameFlags::NOREPLACE);
    };
    race.run(swap, |_| {
        outcome(
            export(&workspace, "p/x.md", b"document"),
            &["moved", "escape", "not-a-directory", "io"],
        )
    });
}

fn dotdot_move(race: &Race) {
    let scratch = &race.scratch;
    let deep = scratch.dir("root/a/b/c");
    let high = scratch.root().join("c");
    let workspace = scratch.workspace();
    let attack = || {
        std::fs::rename(&deep, &high).unwrap();
        std::fs::rename(&high, &deep).unwrap();
    };
    let explained = ["escape", "dotdot-in-missing", "not-a-directory", "moved", "io"];
    race.run(attack, |_| {
        outcome(export(&workspace, "a/b/c/../../../x.md", b"document"), &explained)
    });
    assert_eq!(names(&scratch.base), ["out", "root"], "written above the root");
    assert_nothing_outside(scratch);
}

fn eagain_storm(race: &Race) {
    let scratch = &race.scratch;
    scratch.dir("root/a/b");
    let (one, other) = (scratch.dir("out/one"), scratch.dir("out/other"));
    let workspace = scratch.workspace();
    race.run(
        || exchange(&one, &other).unwrap(),
        |_| outcome(export(&workspace, "a/b/../../a/x.md", b"document"), &[]),
    );
}

fn root_replaced(race: &Race) {
    let scratch = &race.scratch;
    let root = scratch.root();
    let away = scratch.base.join("away");
    let workspace = scratch.workspace();
    std::fs::create_dir(&away).unwrap();
    let opened = object(&root).inode;
    race.run(
        || exchange(&root, &away).unwrap(),
        |attempt| {
            let written = export(&workspace, format!("{attempt}.md"), b"document").unwrap();
            assert_eq!(written.path, Path::new(&format!("{attempt}.md")));
            "written"
        },
    );
    let now = [&root, &away].into_iter().find(|path| object(path).inode == opened).unwrap();
    assert_eq!(names(now).len(), race.attempts as usize);
    let written = export(&workspace, "last.md", b"document").unwrap();
    assert_eq!(written.full_path, now.join("last.md"));
}

fn temp_steal(race: &Race) {
    let scratch = &race.scratch;
    let workspace = scratch.workspace();
    let root = scratch.root();
    let bait = scratch.file("bait", "attacker's");
    let attack = || {
        let entries = std::fs::read_dir(&root).unwrap();
        for name in entries.filter_map(|entry| Some(entry.ok()?.file_name())) {
            if is_temporary(&name.to_string_lossy()) {
                let path = root.join(name);
                let copy = scratch.base.join("copy");
                let _ = std::fs::copy(&bait, &copy);
                let _ = std::fs::rename(copy, path);
            }
        }
    };
    let mut stolen = 0;
    race.run(attack, |_| match export(&workspace, "t.md", b"document") {
        Ok(written) => {
            let replaced = |note: &carryall_workspace::Note| {
                matches!(note, carryall_workspace::Note::ReplacedSince)
            };
            if !written.notes.iter().any(replaced) {
                assert_eq!(std::fs::read(root.join("t.md")).unwrap(), b"document");
                return "written";
            }
            stolen += 1;
            "stolen-and-said"
        }
        Err(refusal) => outcome(Err(refusal), &["io"]),
    });
    child::say("stolen", stolen);
}
