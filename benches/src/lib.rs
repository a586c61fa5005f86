//! What the ratios of the benches and the counters of their test are made of: a yardstick, an
//! index pass, sessions to measure with, and children whose cost is known.
#![allow(clippy::disallowed_methods, reason = "it reads and makes files of its own")]

pub mod measure;
pub mod store;
pub mod yardstick;

use anyhow::{Context, ensure};
use carryall_dialect::claude_code::ClaudeCode;
use carryall_dialect::{Dialect, Locator, OpenContext};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is exported: a name, and the arguments behind the session.
pub const EXPORTS: [(&str, &[&str]); 5] = [
    ("Markdown", &["--format", "md"]),
    ("HTML", &["--format", "html"]),
    ("JSON", &["--format", "json"]),
    ("JSON Lines", &["--format", "jsonl"]),
    ("Markdown, trimmed", &["--format", "md", "--no-tools", "--no-thinking"]),
];

/// Opens a Claude Code session, which indexes it, and tells how many messages it has.
///
/// # Errors
/// When it cannot be opened.
pub fn index(file: &Path) -> anyhow::Result<u64> {
    let authority = cap_std::ambient_authority();
    let cx = OpenContext { authority, branch_of: &|_| None, spool: tempfile::tempfile };
    Ok(ClaudeCode.open(&Locator::new(file), &cx)?.facts().message_count)
}

/// Builds a binary of the workspace as it is released.
///
/// # Errors
/// When it does not build.
pub fn build(package: &str) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--package", package, "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(built.status.success(), "{package} could not be built");
    String::from_utf8(built.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo named no binary")
}

/// Where the generator of big sessions lies: beside the repository.
#[must_use]
pub fn generator() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/perf/gen_sessions.py")
}

/// Makes a Claude Code session of about that size.
///
/// # Errors
/// When there is no Python, or the generator fails.
pub fn generate(generator: &Path, megabytes: u32, file: &Path) -> anyhow::Result<()> {
    let status = Command::new("python3")
        .arg(generator)
        .args(["--size-mb", &megabytes.to_string(), "--out"])
        .arg(file)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{} failed", generator.display());
    Ok(())
}
