//! The corpus of real sessions, which is not part of the repository, and `tests/corpus.toml`,
//! which says what each of its files is.

use crate::repository;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The corpus folder, if it is there. `CARRYALL_CORPUS` names it, else it lies beside the
/// repository as `shared/corpus`.
///
/// # Panics
/// When it is absent and `CARRYALL_REQUIRE` holds `corpus`: what was asked for must not pass by
/// being left out.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("CARRYALL_CORPUS")
        .map_or_else(|| "../shared/corpus".into(), PathBuf::from);
    let folder = repository().join(folder);
    if let Ok(folder) = folder.canonicalize() {
        return Some(folder);
    }
    assert!(!required("corpus"), "the corpus is required and not at {}", folder.display());
    // Not eprintln!, which the test runner keeps to itself when a test passes.
    let said = format!("absent: the corpus ({}); its tests did nothing\n", folder.display());
    std::io::stderr().write_all(said.as_bytes()).unwrap();
    None
}

/// Whether `CARRYALL_REQUIRE` holds a word.
#[must_use]
pub fn required(word: &str) -> bool {
    std::env::var("CARRYALL_REQUIRE").is_ok_and(|list| list.split(',').any(|w| w.trim() == word))
}

/// What a file of the corpus is.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Line {
    /// What the file is.
    pub is: Kind,
    /// The dialect that reads it, for a session.
    pub agent: Option<String>,
    /// How many entries its document has, for a session.
    pub entries: Option<u64>,
    /// The session it belongs to, for a file beside one.
    pub of: Option<String>,
    /// Words the error holds, for a file that is refused.
    pub error: Option<String>,
}

/// The kinds of files.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Exports in four formats.
    Session,
    /// Read together with another session.
    SideOf,
    /// An error that says why.
    Refused,
    /// Not a session: provenance, expectations, side data.
    Support,
    /// An agent that is read later.
    Later,
}

/// The list, by path below the corpus folder; a path that ends in `/` stands for all below it.
#[must_use]
pub fn list() -> BTreeMap<String, Line> {
    let path = repository().join("tests/corpus.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// All files of a dialect's folder, as paths below the corpus folder.
#[must_use]
pub fn files(corpus: &Path, below: &str) -> Vec<String> {
    fn walk(folder: &Path, corpus: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, corpus, found);
            } else {
                found.push(path.strip_prefix(corpus).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let mut found = Vec::new();
    walk(&corpus.join(below), corpus, &mut found);
    found.sort();
    found
}
