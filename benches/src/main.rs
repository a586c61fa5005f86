//! What the program costs, beside the goals for it: `just bench`.
//!
//! Each command is run in turn with what it is measured by, as a process of its own, and the ratio
//! of CPU time is taken pair by pair; what is printed is the median. Nothing here is a test: a busy
//! machine changes even the ratios. What CI holds is counted, in `tests/counters.rs`.
#![allow(clippy::print_stdout, reason = "a table is what this program is for")]
#![allow(clippy::disallowed_methods, reason = "it reads and makes files of its own")]

use carryall_benches::measure::{Cost, median, pairs, run};
use carryall_benches::{EXPORTS, build, generate, generator, index, store, yardstick};
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Measures the program against the goals for it.
#[derive(Parser)]
struct Args {
    /// Run the yardstick on a file and print what it counted
    #[arg(long, value_name = "FILE")]
    yardstick: Option<PathBuf>,
    /// Index a file and print how many messages it has
    #[arg(long, value_name = "FILE")]
    index: Option<PathBuf>,
    /// A Claude Code session to measure with, instead of a generated one
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The generator of big sessions
    #[arg(long, value_name = "FILE", default_value_os_t = generator())]
    generator: PathBuf,
    /// Size of the generated session
    #[arg(long, value_name = "MB", default_value_t = 200)]
    size_mb: u32,
    /// Pairs of runs
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
}

/// The goals for the exports, in their order.
const GOALS: [f64; EXPORTS.len()] = [2.2, 2.5, 2.5, 2.5, 1.6];

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    if let Some(file) = &args.yardstick {
        let (rows, bytes) = yardstick::parse(file)?;
        println!("{rows} rows, {bytes} bytes of text");
        return Ok(());
    }
    if let Some(file) = &args.index {
        println!("{} messages", index(file)?);
        return Ok(());
    }
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        program: build("carryall")?,
        this: std::env::current_exe()?,
        out: scratch.path().join("out"),
        runs: args.runs,
    };
    let session = match &args.input {
        Some(file) => file.clone(),
        None => {
            let file = scratch.path().join("big.jsonl");
            generate(&args.generator, args.size_mb, &file)?;
            file
        }
    };
    bench.exports(&session)?;
    if args.input.is_none() {
        let small = scratch.path().join("small.jsonl");
        generate(&args.generator, args.size_mb / 10, &small)?;
        bench.memory(&session, &small)?;
    }
    bench.store(&scratch.path().join("home"))?;
    bench.program(scratch.path())
}

struct Bench {
    program: PathBuf,
    this: PathBuf,
    out: PathBuf,
    runs: usize,
}

impl Bench {
    fn own(&self, what: &str, session: &Path) -> Command {
        let mut command = Command::new(&self.this);
        command.arg(what).arg(session);
        command
    }

    fn export(&self, session: &Path, options: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["sessions", "export"]).arg(session).args(options);
        command.arg("--out").arg(&self.out);
        command
    }

    /// The program with a home of its own.
    fn at_home(&self, home: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).env("HOME", home).env_remove("CLAUDE_CONFIG_DIR");
        command
    }

    fn exports(&self, session: &Path) -> anyhow::Result<()> {
        let bytes = fs::metadata(session)?.len();
        println!("session: {bytes} bytes; medians of {} pairs with a bare parse", self.runs);
        println!("{:<26} {:>8} {:>7} {:>6} {:>9}", "", "CPU s", "ratio", "goal", "peak MB");
        let mut bare = || self.own("--yardstick", session);
        row("index", 1.0, &pairs(self.runs, &mut bare, &mut || self.own("--index", session))?);
        for ((name, options), goal) in EXPORTS.iter().zip(GOALS) {
            let costs = pairs(self.runs, &mut bare, &mut || self.export(session, options))?;
            row(name, goal, &costs);
        }
        Ok(())
    }

    fn memory(&self, big: &Path, small: &Path) -> anyhow::Result<()> {
        let (_, options) = EXPORTS[1];
        let peak = |session| Ok::<_, anyhow::Error>(run(&mut self.export(session, options))?.peak);
        let (big, small) = (peak(big)? as f64 / 1e6, peak(small)? as f64 / 1e6);
        println!("\npeak memory, HTML: {big:.1} MB, of a tenth {small:.1} MB (goal: within 6)");
        Ok(())
    }

    fn store(&self, home: &Path) -> anyhow::Result<()> {
        store::make(home)?;
        println!("\n{} sessions", store::SESSIONS);
        let id = store::id(store::SESSIONS / 2);
        let walk = |what: &[&str]| {
            let mut command = Command::new("find");
            command.arg(home.join(".claude/projects")).args(what);
            command
        };
        let name = format!("{}*", &id[..8]);
        let export = ["sessions", "export", &id[..8], "--out", "-"];
        let costs =
            pairs(self.runs, &mut || walk(&["-name", &name]), &mut || self.at_home(home, &export))?;
        row("id prefix, to find", 3.0, &costs);
        let list = ["sessions", "list"];
        let stat = ["-type", "f", "-printf", "%T@ %s\n"];
        let costs = pairs(self.runs, &mut || walk(&stat), &mut || self.at_home(home, &list))?;
        row("newest 50, to find -printf", 2.0, &costs);
        Ok(())
    }

    fn program(&self, scratch: &Path) -> anyhow::Result<()> {
        let tiny = scratch.join("tiny.jsonl");
        fs::write(&tiny, store::session(0))?;
        let options = ["--format", "md"];
        let runs = (0..=20).map(|_| run(&mut self.export(&tiny, &options)));
        let walls: Vec<_> = runs.collect::<anyhow::Result<_>>()?;
        let wall = median(walls.iter().map(|cost| cost.wall.as_secs_f64() * 1e3));
        println!("\nstart to exit, a session of one row: {wall:.1} ms (goal: 10)");
        let size = fs::metadata(&self.program)?.len() as f64 / 1e6;
        println!("release binary: {size:.1} MB (goal: 12)");
        Ok(())
    }
}

fn row(name: &str, goal: f64, pairs: &[(Cost, Cost)]) {
    let ratio = median(pairs.iter().map(|(a, b)| b.cpu / a.cpu));
    let cpu = median(pairs.iter().map(|(_, b)| b.cpu));
    let bare = median(pairs.iter().map(|(a, _)| a.cpu));
    let peak = median(pairs.iter().map(|(_, b)| b.peak as f64)) / 1e6;
    println!("{name:<26} {cpu:>8.3} {ratio:>7.2} {goal:>6.1} {peak:>9.1}   (bare {bare:.3})");
}
