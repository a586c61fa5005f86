//! What an export costs, as ratios to a bare parse of the same file: `just bench`.
//!
//! Each command is run in turn with the yardstick, as a process of its own, and the ratio of CPU
//! time is taken pair by pair; what is printed is the median. Peak memory is the process's own.
//! Nothing here is a test: seconds differ between machines, ratios little.
#![allow(clippy::print_stdout, reason = "a table is what this program is for")]
#![allow(clippy::disallowed_methods, reason = "it reads and makes files of its own")]

mod yardstick;

use anyhow::{Context, ensure};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use wait4::Wait4;

/// Measures exports against a bare parse of the same bytes.
#[derive(Parser)]
struct Args {
    /// Run the yardstick on a file and print what it counted
    #[arg(long, value_name = "FILE")]
    yardstick: Option<PathBuf>,
    /// A Claude Code session to measure with, instead of a generated one
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The generator of big sessions
    #[arg(long, value_name = "FILE", default_value = "../shared/perf/gen_sessions.py")]
    generator: PathBuf,
    /// Size of the generated session
    #[arg(long, value_name = "MB", default_value_t = 200)]
    size_mb: u32,
    /// Pairs of runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
}

/// What is measured: a name, arguments after the session, and the goal as a ratio.
const VARIANTS: &[(&str, &[&str], f64)] = &[
    ("Markdown", &["--format", "md"], 2.5),
    ("HTML", &["--format", "html"], 2.8),
    ("JSON", &["--format", "json"], 3.0),
    ("JSON Lines", &["--format", "jsonl"], 3.0),
    ("Markdown, trimmed", &["--format", "md", "--no-tools", "--no-thinking"], 1.6),
];

#[derive(Clone, Copy)]
struct Cost {
    cpu: Duration,
    peak: u64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if let Some(file) = &args.yardstick {
        let (rows, bytes) = yardstick::parse(file)?;
        println!("{rows} rows, {bytes} bytes of text");
        return Ok(());
    }
    let scratch = tempfile::tempdir()?;
    let session = match &args.input {
        Some(file) => file.clone(),
        None => generate(&args, scratch.path())?,
    };
    let program = build()?;
    let bytes = std::fs::metadata(&session)?.len();
    println!("session: {bytes} bytes; CPU seconds, median of {} pairs", args.runs);
    println!("{:<20} {:>8} {:>8} {:>8} {:>10}", "", "CPU", "ratio", "goal", "peak MB");
    let this = std::env::current_exe()?;
    for (name, options, goal) in VARIANTS {
        let mut pairs = Vec::new();
        for run in 0..=args.runs {
            let bare = run_one(Command::new(&this).arg("--yardstick").arg(&session))?;
            let out = scratch.path().join("out");
            let export = run_one(
                Command::new(&program)
                    .args(["sessions", "export"])
                    .arg(&session)
                    .args(*options)
                    .arg("--out")
                    .arg(&out),
            )?;
            // The first pair warms the page cache and is not counted.
            if run > 0 {
                pairs.push((bare, export));
            }
        }
        row(name, *goal, &pairs);
    }
    Ok(())
}

fn row(name: &str, goal: f64, pairs: &[(Cost, Cost)]) {
    let ratio = median(pairs.iter().map(|(a, b)| b.cpu.as_secs_f64() / a.cpu.as_secs_f64()));
    let cpu = median(pairs.iter().map(|(_, b)| b.cpu.as_secs_f64()));
    let bare = median(pairs.iter().map(|(a, _)| a.cpu.as_secs_f64()));
    let peak = median(pairs.iter().map(|(_, b)| b.peak as f64)) / 1e6;
    println!("{name:<20} {cpu:>8.3} {ratio:>8.2} {goal:>8.1} {peak:>10.1}   (bare {bare:.3})");
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn run_one(command: &mut Command) -> anyhow::Result<Cost> {
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let used = child.wait4()?;
    ensure!(used.status.success(), "{command:?} failed");
    Ok(Cost { cpu: used.rusage.utime + used.rusage.stime, peak: used.rusage.maxrss })
}

fn build() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--package", "carryall", "--message-format", "json"])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(built.status.success(), "carryall could not be built");
    String::from_utf8(built.stdout)?
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("cargo named no binary")
}

fn generate(args: &Args, folder: &Path) -> anyhow::Result<PathBuf> {
    let file = folder.join("big.jsonl");
    let status = Command::new("python3")
        .arg(&args.generator)
        .args(["--size-mb", &args.size_mb.to_string(), "--out"])
        .arg(&file)
        .stdout(Stdio::null())
        .status()?;
    ensure!(status.success(), "{} failed; give --input", args.generator.display());
    Ok(file)
}
