//! The branch of a workspace, for agents that do not record it.

use std::path::Path;
use std::process::{Command, Stdio};

/// The branch that is checked out in a folder. `None` without git, without a repository, on a
/// detached head, before the first commit, and when the folder is not there.
pub(crate) fn branch_of(folder: &Path) -> Option<String> {
    if !folder.is_dir() {
        return None;
    }
    let output = Command::new("git")
        // A repository named by a transcript is a stranger's: none of its programs may run.
        .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        .arg("-C")
        .arg(folder)
        .args(["rev-parse", "--abbrev-ref", "HEAD"])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let branch = String::from_utf8(output.stdout).ok()?;
    let branch = branch.trim();
    (output.status.success() && !branch.is_empty() && branch != "HEAD").then(|| branch.to_owned())
}
