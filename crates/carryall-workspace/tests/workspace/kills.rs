//! `SIGKILL` at a random moment. `CARRYALL_KILLS=200` is the long form.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use crate::child;
use crate::filters::Kernel;
use crate::harness::number;
use crate::scratch::{Scratch, document, export, is_temporary, names, open, try_whole, whole};

#[derive(Default, Debug)]
struct Found {
    kills: u32,
    confirmed: usize,
    temporaries: usize,
}

#[test]
fn crash_kill9_generated() {
    let found = kill_often("generated", Kernel::Openat2, kills(25));
    assert_eq!(found.temporaries, 0, "an unnamed file needs no name before its own: {found:?}");
    assert!(found.confirmed > 0, "no export was ever finished: {found:?}");
}

/// One temporary a kill is tolerated, and only in the instant between the exchange of the two names
/// and the removal of the old document. Here it is rare: a fifth of the kills is far more.
#[test]
fn crash_kill9_explicit() {
    let kills = kills(25);
    let found = kill_often("explicit", Kernel::Openat2, kills);
    assert!(found.temporaries <= kills as usize / 5, "{found:?}");
    assert!(found.confirmed > 0, "no export was ever finished: {found:?}");
}

/// Without unnamed files one temporary a kill is what cannot be avoided; never half a document
/// under a real name.
#[test]
fn crash_kill9_named() {
    for what in ["generated", "explicit"] {
        let kills = kills(8);
        let found = kill_often(what, Kernel::Named, kills);
        assert!(found.temporaries <= kills as usize, "{found:?}");
    }
}

/// The control: a program that writes under the final name must leave half a document sooner or
/// later, or these kills come at the wrong moments.
#[test]
fn crash_kill9_control() {
    for kill in 1..=200 {
        let scratch = Scratch::on_disk();
        let text = killed(&scratch, "naive", Kernel::Openat2);
        let there = try_whole(&scratch.root().join("chat.md"));
        let last =
            text.iter().filter_map(|line| line.strip_prefix("said done chat.md ")).next_back();
        if there.is_err() {
            println!("naive: half a document after {kill} kills, confirmed before: {last:?}");
            return;
        }
    }
    panic!("200 kills and no half document: the kills are too weak to show anything");
}

fn kills(short: u32) -> u32 {
    number("CARRYALL_KILLS").unwrap_or(short)
}

fn kill_often(what: &str, kernel: Kernel, kills: u32) -> Found {
    let mut found = Found::default();
    for _ in 0..kills {
        let scratch = Scratch::on_disk();
        kill_once(&scratch, what, kernel, &mut found);
    }
    println!("{what}, {}: {found:?}", kernel.word());
    found
}

fn kill_once(scratch: &Scratch, what: &str, kernel: Kernel, found: &mut Found) {
    let root = scratch.root();
    let text = killed(scratch, what, kernel);
    found.kills += 1;
    found.confirmed += check(&root, &text);
    found.temporaries += names(&root).iter().filter(|name| is_temporary(name)).count();
}

/// Starts a writer, kills it, and returns what it had said.
fn killed(scratch: &Scratch, what: &str, kernel: Kernel) -> Vec<String> {
    let root = scratch.root();
    export(&scratch.workspace(), "chat.md", &document(0, 1 << 20)).unwrap();
    let job = format!("kill {what} {} {}", kernel.word(), root.display());
    let mut child = child::command(&job).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "said ready "), "the child did not start");
    // Every other kill waits for a confirmed export: on a busy machine there may be none before.
    let mut text = Vec::new();
    let random = RandomState::new().hash_one(());
    if random.is_multiple_of(2) {
        let first = lines.by_ref().find(|line| line.starts_with("said done "));
        text.push(first.expect("the child ended"));
    }
    std::thread::sleep(Duration::from_micros(random / 2 % 120_000));
    child.kill().unwrap();
    text.extend(lines);
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{text:?}");
    text
}

/// Every name holds a whole document, and every confirmed export is there.
fn check(root: &Path, text: &[String]) -> usize {
    let done: Vec<(&str, u64)> = text
        .iter()
        .filter_map(|line| line.strip_prefix("said done ")?.split_once(' '))
        .map(|(name, number)| (name, number.parse().unwrap()))
        .collect();
    let (temporaries, finals): (BTreeSet<_>, BTreeSet<_>) =
        names(root).into_iter().partition(|name| is_temporary(name));
    assert!(temporaries.len() <= 1, "{temporaries:?}");
    assert!(finals.contains("chat.md"), "the target is gone: {finals:?}");
    for name in &finals {
        whole(&root.join(name));
    }
    for (name, number) in &done {
        let there = whole(&root.join(name));
        // An explicit target may have been replaced by the next one before its confirmation.
        assert!(there == *number || *name == "chat.md" && there > *number, "{name} is lost");
    }
    done.len()
}

pub(crate) fn job(words: &[&str]) {
    Kernel::parse(words[1]).enter();
    let workspace = open(Path::new(words[2]));
    let request = if words[0] == "explicit" { "chat.md" } else { "" };
    child::say("ready", "");
    for number in 1.. {
        // 1 to 4 MiB, so that the kill often meets a write.
        let length = (1 + number as usize % 4) << 20;
        if words[0] == "naive" {
            std::fs::write(Path::new(words[2]).join("chat.md"), document(number, length)).unwrap();
            child::say("done", format_args!("chat.md {number}"));
            continue;
        }
        let written = export(&workspace, request, &document(number, length)).unwrap();
        child::say("done", format_args!("{} {number}", written.path.display()));
    }
}

/// What an earlier kill left behind is not ours to judge: it stays, whoever made it and whenever.
#[test]
fn crash_sweep_never_happens() {
    let scratch = Scratch::in_memory();
    let left = scratch.file("root/.carryall-0123456789abcdef.tmp", "half a document");
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    std::fs::File::options().write(true).open(&left).unwrap().set_modified(long_ago).unwrap();
    for request in ["", "chat.md", "chat.md"] {
        export(&scratch.workspace(), request, b"document").unwrap();
    }
    assert_eq!(std::fs::read(left).unwrap(), b"half a document");
}
