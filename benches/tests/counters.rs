//! What may not grow unseen: instructions of every export as a ratio to the yardstick's, and
//! memory. Both are counted, so a busy machine gives the same verdict as an idle one. The release
//! build is measured; where valgrind or the generator is absent the tests say so and do nothing,
//! unless `CARRYALL_REQUIRE` holds `counters`.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test builds, runs and reads, and stops where something is not as expected"
)]

use carryall_benches::measure::{instructions, run};
use carryall_benches::{EXPORTS, build, generate, generator};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The most instructions for each that the yardstick takes: of the index, and of the exports in
/// their order. What was measured, and a twentieth for other processors and libraries.
const INDEX: f64 = 0.87;
const BOUNDS: [f64; EXPORTS.len()] = [2.0, 2.42, 2.0, 2.0, 1.02];

struct Bench {
    program: PathBuf,
    own: PathBuf,
    scratch: tempfile::TempDir,
}

impl Bench {
    /// What the tests need, or nothing and a word on it.
    fn prepare() -> Option<Self> {
        let runs = |program: &str| {
            let mut command = Command::new(program);
            let command = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        let absent = [
            (!runs("valgrind")).then_some("valgrind"),
            (!runs("python3")).then_some("python3"),
            (!generator().is_file()).then_some("the generator of sessions"),
        ];
        let absent: Vec<&str> = absent.into_iter().flatten().collect();
        if absent.is_empty() {
            let scratch = tempfile::tempdir().unwrap();
            let (program, own) = (build("carryall").unwrap(), build("carryall-benches").unwrap());
            return Some(Self { program, own, scratch });
        }
        let required = std::env::var("CARRYALL_REQUIRE").unwrap_or_default();
        let required = required.split(',').any(|word| word.trim() == "counters");
        assert!(!required, "counters are required, and there is no {}", absent.join(", no "));
        // Not eprintln!, which the test runner keeps to itself when a test passes.
        let said = format!("absent: {}; nothing was counted\n", absent.join(", "));
        std::io::stderr().write_all(said.as_bytes()).unwrap();
        None
    }

    fn session(&self, megabytes: u32) -> String {
        let file = self.scratch.path().join(format!("{megabytes}.jsonl"));
        generate(&generator(), megabytes, &file).unwrap();
        file.to_str().unwrap().to_owned()
    }
}

#[test]
fn exports_take_few_instructions() {
    let Some(bench) = Bench::prepare() else { return };
    let session = bench.session(5);
    let bare = instructions(&bench.own, &["--yardstick", &session]).unwrap() as f64;
    let index = instructions(&bench.own, &["--index", &session]).unwrap() as f64;
    let mut told = vec![("index", index / bare, INDEX)];
    for ((name, options), bound) in EXPORTS.into_iter().zip(BOUNDS) {
        let words = [&["sessions", "export", &session, "--out", "-"], options].concat();
        let taken = instructions(&bench.program, &words).unwrap() as f64;
        told.push((name, taken / bare, bound));
    }
    let table: String = told
        .iter()
        .map(|(name, ratio, bound)| format!("{name:<18} {ratio:.3}, at most {bound:.2}\n"))
        .collect();
    assert!(told.iter().all(|(_, ratio, bound)| ratio <= bound), "instructions:\n{table}");
    // A bound that nothing comes near to holds nothing.
    let near = told.iter().all(|(_, ratio, bound)| ratio * 1.25 > *bound);
    assert!(near, "better by far than its bound, which should follow:\n{table}");
}

#[test]
fn memory_does_not_grow_with_the_session() {
    let Some(bench) = Bench::prepare() else { return };
    let (small, big) = (bench.session(4), bench.session(40));
    for (name, options) in EXPORTS {
        let peak = |session: &str| {
            let mut command = Command::new(&bench.program);
            command.args(["sessions", "export", session, "--out", "-"]).args(options);
            run(&mut command).unwrap().peak
        };
        let (least, most) = (peak(&small), peak(&big));
        assert!(most <= allowance(Path::new(&big)), "{name}: {most} bytes");
        assert!(most <= least + 6_000_000, "{name}: {least} and {most} bytes");
    }
}

/// 16 MB, four times the largest row, 200 bytes a call, 100 bytes a row.
///
/// The session is never held whole: a child begins as a copy of this process, and the most that
/// this one held counts as the child's.
fn allowance(session: &Path) -> u64 {
    let (mut largest, mut calls, mut rows) = (0, 0, 0);
    for row in BufReader::new(File::open(session).unwrap()).lines() {
        let row = row.unwrap();
        largest = largest.max(row.len());
        calls += row.matches("\"type\":\"tool_use\"").count();
        rows += 1;
    }
    (16_000_000 + 4 * largest + 200 * calls + 100 * rows) as u64
}
