//! Many processes at the same instant.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Child;

use rustix::fs::{FlockOperation, flock};

use crate::child;
use crate::scratch::{STEM, Scratch, document, export, is_temporary, names, open, whole};

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
        "explicit" => {
            for round in 0..100 {
                let document = document(number * 1000 + round, 5000);
                export(&workspace, "chat.md", &document).unwrap();
            }
        }
        other => panic!("no such crowd: {other}"),
    }
}

fn wait(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn conc_64_processes_get_64_names_without_a_gap() {
    let scratch = Scratch::in_memory();
    wait(crowd(&scratch, "generated", 64));
    let name = |number| match number {
        1 => format!("{STEM}.md"),
        _ => format!("{STEM}-{number}.md"),
    };
    let expected: BTreeSet<String> = (1..=64).map(name).collect();
    assert_eq!(names(&scratch.root()).into_iter().collect::<BTreeSet<_>>(), expected);
    let documents: BTreeSet<u64> =
        expected.iter().map(|name| whole(&scratch.root().join(name))).collect();
    assert_eq!(documents, (1..=64).collect());
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
