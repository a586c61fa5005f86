//! The borders of the architecture that a compiler does not keep.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test asks cargo, and stops where something is not as expected"
)]

use carryall_tests::repository;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which of our crates a crate may depend on (`ARCHITECTURE.md`, "Crates").
const MAY_DEPEND_ON: &[(&str, &[&str])] = &[
    ("carryall-model", &[]),
    ("carryall-render", &["carryall-model"]),
    ("carryall-workspace", &[]),
    ("carryall-command", &["carryall-model", "carryall-render", "carryall-workspace"]),
    ("carryall-dialect", &["carryall-model"]),
    ("carryall", ALL),
    ("carryall-tests", ALL),
    ("carryall-benches", &["carryall-model", "carryall-dialect"]),
];

const ALL: &[&str] = &[
    "carryall-model",
    "carryall-render",
    "carryall-workspace",
    "carryall-command",
    "carryall-dialect",
];

fn metadata() -> serde_json::Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(repository())
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn crates_depend_only_downwards() {
    let allowed: BTreeMap<_, _> = MAY_DEPEND_ON.iter().copied().collect();
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let allowed = allowed.get(name).unwrap_or_else(|| panic!("{name}: no line in this test"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let ours = on.starts_with("carryall");
            assert!(!ours || allowed.contains(&on), "{name} must not depend on {on}");
        }
    }
}

#[test]
fn libraries_know_no_terminal_and_no_catch_all_error() {
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        if matches!(name, "carryall" | "carryall-tests" | "carryall-benches") {
            continue;
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            let shipped = dependency["kind"].is_null();
            assert!(!shipped || !matches!(on, "clap" | "anyhow" | "tokio"), "{name} uses {on}");
        }
    }
}

/// All source files of all crates, tests left out.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(repository().join("crates")).unwrap() {
        walk(&entry.unwrap().path().join("src"), &mut found);
    }
    found
}

/// The text of a source file up to its tests.
fn shipped(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

#[test]
fn the_persons_authority_is_taken_in_one_file() {
    let taking: BTreeSet<_> = sources()
        .into_iter()
        .filter(|path| {
            shipped(path).lines().any(|line| {
                line.contains("ambient_authority()") && !line.trim_start().starts_with("//")
            })
        })
        .collect();
    assert_eq!(
        taking,
        BTreeSet::from([repository().join("crates/carryall/src/main.rs")]),
        "authority over the file system is a value passed in"
    );
}

#[test]
fn renderers_know_no_agent() {
    let names = ["claude", "coddy", "codex", "opencode", "gemini"];
    for path in sources().iter().filter(|path| path.to_str().unwrap().contains("carryall-render")) {
        let text = shipped(path).to_lowercase();
        for name in names {
            assert!(!text.contains(name), "{} names {name}", path.display());
        }
    }
}

#[test]
fn every_dialect_has_its_folder_its_fixtures_and_its_page() {
    for dialect in carryall_dialect::Registry::builtin().iter() {
        let name = dialect.name();
        for place in [
            format!("crates/carryall-dialect/src/{}", name.replace('-', "_")),
            format!("tests/fixtures/{name}"),
            format!("docs/dialects/{name}.md"),
        ] {
            assert!(repository().join(&place).exists(), "{name} has no {place}");
        }
    }
}
