//! Children, and what they cost.

use anyhow::{Context, ensure};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4;

/// What a child cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Seconds of processor time, the kernel's for it included.
    pub cpu: f64,
    /// From start to exit.
    pub wall: Duration,
    /// The most memory that was resident, in bytes.
    pub peak: u64,
}

/// Runs a command to its end, its output thrown away.
///
/// # Errors
/// When it cannot be run, or fails.
pub fn run(command: &mut Command) -> anyhow::Result<Cost> {
    let start = Instant::now();
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let used = child.wait4()?;
    let wall = start.elapsed();
    ensure!(used.status.success(), "{command:?} failed");
    let cpu = (used.rusage.utime + used.rusage.stime).as_secs_f64();
    Ok(Cost { cpu, wall, peak: used.rusage.maxrss })
}

/// Runs two commands in turn, and gives the costs of each pair but the first, which only warms up.
///
/// # Errors
/// When one of them cannot be run, or fails.
pub fn pairs(
    runs: usize,
    bare: &mut dyn FnMut() -> Command,
    ours: &mut dyn FnMut() -> Command,
) -> anyhow::Result<Vec<(Cost, Cost)>> {
    let pairs = (0..=runs).map(|_| Ok((run(&mut bare())?, run(&mut ours())?)));
    pairs.skip(1).collect()
}

/// The middle of some values.
#[must_use]
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// How many instructions a command takes, as valgrind counts them.
///
/// # Errors
/// When there is no valgrind, or the command fails.
pub fn instructions(program: &Path, arguments: &[&str]) -> anyhow::Result<u64> {
    let counted = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .stdout(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&counted.stderr);
    ensure!(counted.status.success(), "{} under valgrind: {said}", program.display());
    let line = said.lines().find_map(|line| line.split_once("refs:")).context("no count")?;
    Ok(line.1.trim().replace(',', "").parse()?)
}
