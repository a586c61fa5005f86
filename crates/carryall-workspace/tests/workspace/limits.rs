//! Full disks, file size limits, quotas, flushes that fail.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use carryall_workspace::Name;
use rustix::io::Errno;

use crate::child;
use crate::filters::{deny_flushes, deny_publishing, deny_writes};
use crate::scratch::{Scratch, document, export, open, refused, skipped, snapshot, try_whole};

/// More than any limit here allows.
const LARGE: usize = 4 << 20;

/// The control: a program that writes in place has neither the old document nor the new one.
fn naive_loses(root: &Path) {
    let path = root.join("chat.md");
    std::fs::write(&path, document(1, LARGE)).unwrap_err();
    assert!(try_whole(&path).is_err() && std::fs::read(&path).unwrap() != b"old");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(path, "old").unwrap();
}

/// Tries an explicit target that exists, a generated name and folders to be made. All are refused
/// with `word`, and everything is as it was.
fn refuse_all(root: &Path, word: &str) {
    let workspace = open(root);
    let before = snapshot(root);
    let document = document(1, LARGE);
    for request in ["chat.md", "", "a/b/new.md"] {
        let outcome = export(&workspace, request, &document);
        assert_eq!(refused(outcome), word, "{request:?}");
        assert_eq!(snapshot(root), before, "{request:?} left traces");
    }
}

pub(crate) fn job(words: &[&str]) {
    let root = Path::new(words[1]);
    match words[0] {
        "size" => {
            let limit = rustix::process::Rlimit { current: Some(1 << 20), maximum: Some(1 << 20) };
            rustix::process::setrlimit(rustix::process::Resource::Fsize, limit).unwrap();
            naive_loses(root);
            refuse_all(root, "file-too-large");
        }
        "space" => {
            std::fs::write(root.join("chat.md"), "old").unwrap();
            naive_loses(root);
            refuse_all(root, "no-space");
        }
        "read-only" => refuse_all(root, "read-only"),
        "ignored" => ignored(root),
        "quota" => in_thread(|| deny_writes(Errno::DQUOT), root, "quota"),
        "flush" => in_thread(|| deny_flushes(Errno::IO), root, "io"),
        "publish" => in_thread(deny_publishing, root, "io"),
        other => panic!("no such limit: {other}"),
    }
    child::say("held", "");
}

/// A failed write that the caller overlooks: the commit does not.
fn ignored(root: &Path) {
    let workspace = open(root);
    let target = workspace.target("chat.md").unwrap();
    let mut staged = workspace.stage(target, Name::Explicit, &[]).unwrap();
    staged.write_all(b"the first half, ").unwrap();
    let mut staged = std::thread::scope(|threads| {
        let write = || {
            deny_writes(Errno::NOSPC);
            staged.write_all(b"the middle, ").unwrap_err();
            staged
        };
        threads.spawn(write).join().unwrap()
    });
    staged.write_all(b"the end").unwrap();
    assert_eq!(refused(staged.commit()), "no-space");
    assert_eq!(std::fs::read(root.join("chat.md")).unwrap(), b"old");
}

/// A filter stays with its thread, so that this process can still print.
fn in_thread(filter: fn(), root: &Path, word: &str) {
    let refuse = || {
        filter();
        refuse_all(root, word);
    };
    std::thread::scope(|threads| threads.spawn(refuse).join().unwrap());
}

fn held(command: Command) {
    assert!(child::finish(command).contains_key("held"));
}

fn with_old_target() -> Scratch {
    let scratch = Scratch::in_memory();
    scratch.file("root/chat.md", "old");
    scratch
}

#[test]
fn space_fsize_is_refused_and_the_old_target_whole() {
    let scratch = with_old_target();
    // The limit's signal must be ignored, and ignored signals are inherited.
    let shell = "trap '' XFSZ; exec \"$0\" \"$@\"";
    held(child::command_after(shell, &format!("limit size {}", scratch.root().display())));
}

#[test]
fn space_edquot_is_refused_and_the_old_target_whole() {
    let scratch = with_old_target();
    held(child::command(&format!("limit quota {}", scratch.root().display())));
}

#[test]
fn an_overlooked_write_error_publishes_nothing() {
    let scratch = with_old_target();
    held(child::command(&format!("limit ignored {}", scratch.root().display())));
}

#[test]
fn io_eio_fsync_publishes_nothing() {
    let scratch = with_old_target();
    held(child::command(&format!("limit flush {}", scratch.root().display())));
}

#[test]
fn space_enospc_is_refused_and_the_old_target_whole() {
    mounted("size=1m", "space");
}

#[test]
fn a_read_only_mount_is_refused() {
    mounted("size=1m,ro", "read-only");
}

/// Runs a job in a file system of its own, mounted where nobody else sees it.
fn mounted(options: &str, job: &str) {
    let scratch = Scratch::in_memory();
    let root = scratch.root();
    let unshare = match rustix::process::geteuid().is_root() {
        true => "unshare -m",
        false => "unshare -rm",
    };
    let possible = Command::new("sh")
        .args(["-c", &format!("{unshare} mount -t tmpfs tmpfs {}", root.display())])
        .stderr(Stdio::null())
        .status();
    if !possible.is_ok_and(|status| status.success()) {
        skipped(format_args!("{job}: no file system can be mounted here"));
        return;
    }
    let inner = format!("mount -t tmpfs -o {options} tmpfs \"$ROOT\"; exec \"$0\" \"$@\"");
    let shell = format!("exec {unshare} sh -ec '{inner}' \"$0\" \"$@\"");
    let mut command = child::command_after(&shell, &format!("limit {job} {}", root.display()));
    command.env("ROOT", &root);
    held(command);
}

#[test]
fn a_file_system_that_cannot_publish_in_one_step_is_refused() {
    let scratch = with_old_target();
    held(child::command(&format!("limit publish {}", scratch.root().display())));
}
