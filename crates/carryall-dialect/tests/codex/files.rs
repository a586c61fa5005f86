//! Where the threads to read are.

use crate::repository;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// All rollouts of the fixtures.
pub(crate) fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    rollouts(&repository().join("tests/fixtures/codex"), &mut files);
    assert!(files.len() >= 15, "only {} fixtures", files.len());
    files
}

/// All rollouts of the corpus, when it is there; when it must be and is not, the test fails.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let named = env::var_os("CARRYALL_CORPUS").map(PathBuf::from);
    let root = repository().join(named.unwrap_or_else(|| "../shared/corpus".into()));
    let root = root.join("codex");
    if !root.is_dir() {
        let required = env::var("CARRYALL_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|word| word == "corpus"), "no {}", root.display());
        // Not println!, which the test runner keeps to itself when a test passes.
        let said = format!("absent: the corpus, {}\n", root.display());
        std::io::Write::write_all(&mut std::io::stderr(), said.as_bytes()).unwrap();
        return Vec::new();
    }
    let mut files = Vec::new();
    rollouts(&root, &mut files);
    assert!(files.len() > 10, "only {} threads", files.len());
    files
}

fn rollouts(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "golden" {
            rollouts(&path, files);
        } else if name != "session_index.jsonl"
            && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
        {
            files.push(path);
        }
    }
}
