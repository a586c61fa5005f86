//! `SIGKILL` at a random moment.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::time::Duration;

use crate::child;
use crate::filters::Kernel;
use crate::scratch::{Scratch, document, export, is_temporary, names, open, whole};

#[derive(Default, Debug)]
struct Found {
    kills: u32,
    confirmed: usize,
    temporaries: usize,
}

#[test]
fn crash_kill9_generated() {
    let found = kill_often("generated", Kernel::Openat2, 25);
    assert_eq!(found.temporaries, 0, "an unnamed file needs no name before its own: {found:?}");
    assert!(found.confirmed > 0, "no export was ever finished: {found:?}");
}

/// One temporary a kill is tolerated, and only in the instant between the exchange of the two names
/// and the removal of the old document. Here it is rare.
#[test]
fn crash_kill9_explicit() {
    let found = kill_often("explicit", Kernel::Openat2, 25);
    assert!(found.temporaries <= 5, "{found:?}");
    assert!(found.confirmed > 0, "no export was ever finished: {found:?}");
}

/// Without unnamed files one temporary a kill is what cannot be avoided; never half a document
/// under a real name.
#[test]
fn crash_kill9_named() {
    for what in ["generated", "explicit"] {
        let found = kill_often(what, Kernel::Named, 8);
        assert!(found.temporaries <= 8, "{found:?}");
    }
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
    export(&scratch.workspace(), "chat.md", &document(0, 1 << 20)).unwrap();
    let job = format!("kill {what} {} {}", kernel.word(), root.display());
    let mut child = child::command(&job).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line == "said ready "), "the child did not start");
    std::thread::sleep(Duration::from_micros(RandomState::new().hash_one(()) % 120_000));
    child.kill().unwrap();
    let text: Vec<String> = lines.collect();
    let status = child.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{text:?}");
    found.kills += 1;
    found.confirmed += check(&root, &text);
    found.temporaries += names(&root).iter().filter(|name| is_temporary(name)).count();
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
        let written = export(&workspace, request, &document(number, length)).unwrap();
        child::say("done", format_args!("{} {number}", written.path.display()));
    }
}
