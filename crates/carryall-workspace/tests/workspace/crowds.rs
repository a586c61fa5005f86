//! Many processes at the same instant.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Child;

use rustix::fs::{FlockOperation, flock};

use crate::child;
use crate::harness::number;
use crate::scratch::{
    STEM, Scratch, document, export, is_temporary, names, open, try_whole, whole,
};

/// Starts processes that all wait for one lock, and lets them go at once.
fn crowd(scratch: &Scratch, job: &str, size: u64) -> Vec<Child> {
    let gate = File::create(scratch.base.join("gate")).unwrap();
    flock(&gate, FlockOperation::LockExclusive).unwrap();
    let base = scratch.base.to_str().unwrap();
    let start = |number| child::command(&format!("crowd {job} {number} {base}")).spawn().unwrap();
    let children: Vec<Child> = (1..=size).map(start).collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    flock(&gate, FlockOperation::Unlock).unwrap();
    children
}

pub(crate) fn job(words: &[&str]) {
    let (number, base) = (words[1].parse::<u64>().unwrap(), Path::new(words[2]));
    let workspace = open(&base.join("root"));
    let gate = File::open(base.join("gate")).unwrap();
    flock(&gate, FlockOperation::LockShared).unwrap();
    match words[0] {
        "generated" => drop(export(&workspace, "", &document(number, 20_000)).unwrap()),
        "naive-generated" => naive(&base.join("root"), &document(number, 20_000)),
        "naive-explicit" => {
            for round in 0..100 {
                let document = document(number * 1000 + round, 5000);
                std::fs::write(base.join("root/chat.md"), document).unwrap();
            }
        }
        "explicit" => {
            for round in 0..100 {
                let document = document(number * 1000 + round, 5000);
                export(&workspace, "chat.md", &document).unwrap();
            }
        }
        other => panic!("no such crowd: {other}"),
    }
}

/// Looks for a free name, and takes it.
fn naive(root: &Path, document: &[u8]) {
    let free = (1..).map(|number| root.join(name(number))).find(|path| !path.exists());
    std::fs::write(free.unwrap(), document).unwrap();
}

fn name(number: u64) -> String {
    match number {
        1 => format!("{STEM}.md"),
        _ => format!("{STEM}-{number}.md"),
    }
}

fn wait(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The control: 64 processes that look before they write must lose documents.
#[test]
fn conc_64_control() {
    for _ in 0..20 {
        let scratch = Scratch::in_memory();
        wait(crowd(&scratch, "naive-generated", 64));
        let left = names(&scratch.root()).len();
        if left < 64 {
            return println!("naive: {left} of 64 documents are left");
        }
    }
    panic!("these processes do not meet");
}

/// `CARRYALL_CROWDS` is how often 64 processes meet.
#[test]
fn conc_64_processes_get_64_names_without_a_gap() {
    let crowds = number("CARRYALL_CROWDS").unwrap_or(1);
    (0..crowds).for_each(|_| sixty_four());
    println!("{crowds} crowds of 64 processes: no loss, no duplicate, no gap");
}

fn sixty_four() {
    let scratch = Scratch::in_memory();
    wait(crowd(&scratch, "generated", 64));
    let expected: BTreeSet<String> = (1..=64).map(name).collect();
    assert_eq!(names(&scratch.root()).into_iter().collect::<BTreeSet<_>>(), expected);
    let documents: BTreeSet<u64> =
        expected.iter().map(|name| whole(&scratch.root().join(name))).collect();
    assert_eq!(documents, (1..=64).collect());
}

/// The control: whoever looks while programs write in place must see half a document.
#[test]
fn conc_explicit_control() {
    for _ in 0..20 {
        let scratch = Scratch::in_memory();
        let path = scratch.root().join("chat.md");
        std::fs::write(&path, document(0, 5000)).unwrap();
        let mut children = crowd(&scratch, "naive-explicit", 16);
        let mut torn = 0;
        while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
            torn += u32::from(try_whole(&path).is_err());
        }
        wait(children);
        if torn > 0 {
            return println!("naive: {torn} looks saw half a document");
        }
    }
    panic!("nobody looked at the right moment");
}

#[test]
fn conc_explicit_name_always_holds_one_whole_document() {
    let scratch = Scratch::in_memory();
    let path = scratch.root().join("chat.md");
    export(&scratch.workspace(), "chat.md", &document(0, 5000)).unwrap();
    let mut children = crowd(&scratch, "explicit", 16);
    let mut looks = 0;
    let mut seen = BTreeSet::new();
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        seen.insert(whole(&path));
        looks += 1;
    }
    wait(children);
    println!("{looks} looks saw {} of 1600 documents, each whole", seen.len());
    assert!(seen.len() > 1, "nobody wrote while we looked");
    let left: Vec<String> =
        names(&scratch.root()).into_iter().filter(|name| is_temporary(name)).collect();
    assert_eq!(left, [] as [&str; 0]);
    assert_eq!(names(&scratch.root()), ["chat.md"]);
}
