//! The kept inputs of the fuzz targets, each a rule that was once broken or nearly so.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test reads the repository and stops where something is not as expected"
)]

use carryall_tests::fuzz::{self, Check};
use carryall_tests::repository;

/// Replays the corpus of a target, and says which input it was when one fails.
fn replay(name: &str, check: Check) {
    let folder = repository().join("fuzz/corpus").join(name);
    let mut inputs: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 10, "only {} inputs are kept for {name}", inputs.len());
    for path in inputs {
        let input = std::fs::read(&path).unwrap();
        if let Err(panic) = std::panic::catch_unwind(|| check(&input)) {
            eprintln!("with the input {}", path.display());
            std::panic::resume_unwind(panic);
        }
    }
}

#[test]
fn grammar() {
    replay("grammar", fuzz::grammar);
}

#[test]
fn prose() {
    replay("prose", fuzz::prose);
}

#[test]
fn registry() {
    replay("registry", fuzz::registry);
}

#[test]
fn resolver() {
    replay("resolver", fuzz::resolver);
}

/// Every target has its binary, its corpus and its dictionary, and nothing else lies there.
#[test]
fn targets_are_complete() {
    let fuzz = repository().join("fuzz");
    for (folder, extension) in [("fuzz_targets", ".rs"), ("corpus", ""), ("dictionaries", ".dict")]
    {
        let mut names: Vec<String> = std::fs::read_dir(fuzz.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let expected: Vec<String> =
            fuzz::TARGETS.iter().map(|(name, _)| format!("{name}{extension}")).collect();
        assert_eq!(names, expected, "{folder}");
    }
}
