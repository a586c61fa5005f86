//! Every fixture renders to its four golden files, which lie beside it and are compared whole.
//!
//! `CARRYALL_GOLDEN=write cargo test -p carryall-tests --test golden` writes them anew. They are plain
//! files, so that each can be opened in the program it is for.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops where something is not as expected"
)]

use carryall_command::{Settings, write_document};
use carryall_dialect::{Dialect, Locator, OpenContext, Registry};
use carryall_model::{Options, Transcript};
use carryall_render::{Format, Product};
use std::path::{Path, PathBuf};

/// Fixtures, relative to the folder in which tests of this package run: the documents name their
/// source, and must not name a machine.
const FIXTURES: &str = "fixtures";

/// The session of a case: the only one that the dialect lists there, or the one that the case's
/// file `SESSION` names.
fn session(dialect: &dyn Dialect, case: &Path) -> PathBuf {
    let meant = std::fs::read_to_string(case.join("SESSION")).ok();
    let mut found = Vec::new();
    let listed = dialect.list(case, &mut |listed| {
        let is_meant = meant.as_ref().is_none_or(|meant| meant.trim() == listed.id);
        if !listed.is_subagent && is_meant {
            found.push(listed.path);
        }
    });
    listed.unwrap();
    match <[PathBuf; 1]>::try_from(found) {
        Ok([path]) => path,
        Err(found) => panic!("{}: one session to a case, not {found:?}", case.display()),
    }
}

fn render(transcript: &dyn Transcript, format: Format) -> Vec<u8> {
    let product = Product::new("Carryall", "carryall");
    let settings = Settings {
        format,
        options: Options { subagents: true, ..Options::default() },
        now: carryall_tests::EXPORTED_AT.parse().unwrap(),
        product: &product,
    };
    let mut out = Vec::new();
    write_document(transcript, &settings, &mut out).unwrap();
    out
}

fn check(dialect: &dyn Dialect, case: &Path) {
    let cx = OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| Some("fixture-branch".into()),
        spool: tempfile::tempfile,
    };
    let transcript = dialect.open(&Locator::new(session(dialect, case)), &cx).unwrap();
    let golden = case.join("golden");
    let write = std::env::var("CARRYALL_GOLDEN").is_ok_and(|value| value == "write");
    if write {
        std::fs::create_dir_all(&golden).unwrap();
    }
    for format in Format::ALL {
        let file = golden.join(format!("export.{}", format.extension()));
        let ours = render(&*transcript, format);
        if write {
            std::fs::write(&file, &ours).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        compare(&file, &expected, &String::from_utf8(ours).unwrap());
    }
}

/// Compares whole files, and names the first line that differs.
fn compare(file: &Path, expected: &str, ours: &str) {
    if expected == ours {
        return;
    }
    let mut lines = expected.split('\n').zip(ours.split('\n')).enumerate();
    let (line, pair) = lines.find(|(_, (expected, ours))| expected != ours).unwrap_or_default();
    panic!(
        "{} differs in line {}\n expected: {}\n     ours: {}\nwrite it anew with CARRYALL_GOLDEN=write and read the difference",
        file.display(),
        line + 1,
        pair.0,
        pair.1
    );
}

#[test]
fn every_fixture_renders_to_its_golden_files() {
    let registry = Registry::builtin();
    let mut cases = 0;
    for dialect in registry.iter() {
        let mut folders: Vec<_> = std::fs::read_dir(Path::new(FIXTURES).join(dialect.name()))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        folders.sort();
        for case in folders {
            check(dialect, &case);
            cases += 1;
        }
    }
    assert!(cases >= 20, "only {cases} fixtures were found");
}
