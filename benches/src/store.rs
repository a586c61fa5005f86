//! A home with many small sessions.

use std::fs;
use std::io;
use std::path::Path;

/// The sessions of a store.
pub const SESSIONS: u32 = 20_000;

/// The folders they lie in.
const FOLDERS: u32 = 150;

/// The id of a session; no two begin with the same eight digits.
#[must_use]
pub fn id(number: u32) -> String {
    // An odd factor gives each number a different one.
    let first = number.wrapping_mul(0x9e37_79b1);
    format!("{first:08x}-0000-4000-8000-{number:012x}")
}

/// Makes a home with a Claude Code store of [`SESSIONS`] sessions.
///
/// # Errors
/// When a file cannot be written.
pub fn make(home: &Path) -> io::Result<()> {
    let projects = home.join(".claude/projects");
    for folder in 0..FOLDERS {
        fs::create_dir_all(projects.join(format!("-home-dev-app-{folder:03}")))?;
    }
    for number in 0..SESSIONS {
        let folder = format!("-home-dev-app-{:03}", number % FOLDERS);
        fs::write(projects.join(folder).join(format!("{}.jsonl", id(number))), session(number))?;
    }
    Ok(())
}

/// A session of one prompt.
#[must_use]
pub fn session(number: u32) -> String {
    let id = id(number);
    format!(
        "{{\"parentUuid\":null,\"isSidechain\":false,\"cwd\":\"/home/dev/app\",\
         \"sessionId\":\"{id}\",\"version\":\"2.0.0\",\"gitBranch\":\"main\",\"type\":\"user\",\
         \"message\":{{\"role\":\"user\",\"content\":\"Prompt {number}.\"}},\"uuid\":\"{id}\",\
         \"timestamp\":\"2026-09-06T12:00:00.000Z\"}}\n"
    )
}
