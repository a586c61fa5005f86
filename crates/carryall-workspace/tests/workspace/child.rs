//! This test binary once more, as a process with one job.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// The variable that tells a child what to do: words separated by spaces.
const JOB: &str = "CARRYALL_WORKSPACE_TEST_JOB";

/// A command that runs one job in a process of its own.
pub(crate) fn command(job: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(arguments()).env(JOB, job).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same behind a shell line, which must end in `exec "$0" "$@"`.
pub(crate) fn command_after(shell: &str, job: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(shell).arg(std::env::current_exe().unwrap()).args(arguments());
    command.env(JOB, job).current_dir("/").stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn arguments() -> [&'static str; 4] {
    ["child::job", "--exact", "--ignored", "--nocapture"]
}

/// Runs a child to its end. It must succeed; its `said` lines are returned by their first word.
pub(crate) fn finish(command: Command) -> BTreeMap<String, String> {
    try_finish(command).unwrap()
}

/// The same where the child may be impossible to start.
pub(crate) fn try_finish(mut command: Command) -> std::io::Result<BTreeMap<String, String>> {
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}\n{errors}", output.status);
    Ok(said(&text))
}

/// One line from a child to its parent.
pub(crate) fn say(word: &str, rest: impl std::fmt::Display) {
    println!("\nsaid {word} {rest}");
}

fn said(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("said "));
    let pair = |line: &str| {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        (word.to_owned(), rest.to_owned())
    };
    lines.map(pair).collect()
}

/// The way into a child. Not a test: without a job it does nothing.
#[test]
#[ignore = "run by other tests, in a process of its own"]
fn job() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let words: Vec<&str> = job.split(' ').collect();
    match words[0] {
        "vectors" => crate::vectors::job(&words[1..]),
        "race" => crate::races::job(&words[1..]),
        "kill" => crate::kills::job(&words[1..]),
        "crowd" => crate::crowds::job(&words[1..]),
        "modes" => crate::modes::job(&words[1..]),
        "limit" => crate::limits::job(&words[1..]),
        other => panic!("no such job: {other}"),
    }
}
