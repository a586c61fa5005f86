//! Where sessions are kept, and what names tell of them.

use crate::{Listed, Surroundings};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder that the person has set for sessions, else `sessions` of the agent's folder.
pub(super) fn stores(surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
    let folder = |variable| surroundings.folder(variable).map(|path| at_home(path, surroundings));
    let agent = || folder("PI_CODING_AGENT_DIR").or_else(|| surroundings.in_home(".pi/agent"));
    let sessions = || agent().map(|agent| agent.join("sessions"));
    folder("PI_CODING_AGENT_SESSION_DIR").or_else(sessions).into_iter().collect()
}

/// Pi itself takes a leading tilde for the home folder.
fn at_home(path: PathBuf, surroundings: &Surroundings<'_>) -> PathBuf {
    match (path.strip_prefix("~"), surroundings.home) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path,
    }
}

/// Names the sessions of all folders in a store, and those that lie flat in it. The agent's own
/// folder is a store, too, and so is the folder of one working directory.
pub(super) fn list(store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
    let below = ["agent/sessions", "sessions"].map(|name| store.join(name));
    let store = below.iter().find(|folder| folder.is_dir()).map_or(store, PathBuf::as_path);
    for entry in fs::read_dir(store)?.flatten() {
        let path = entry.path();
        if session(&path, each) || !path.is_dir() {
            continue;
        }
        // A folder inside a store that cannot be read is passed over.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            session(&entry.path(), each);
        }
    }
    Ok(())
}

/// Names a session file, when the path is one of a regular file.
fn session(path: &Path, each: &mut dyn FnMut(Listed)) -> bool {
    let Some(id) = session_id(path) else { return false };
    let is_file = path.is_file();
    if is_file {
        each(Listed { id: id.to_owned(), path: path.to_owned(), is_subagent: false });
    }
    is_file
}

/// The session that a file is named for: `<time>_<id>.jsonl`.
pub(super) fn session_id(path: &Path) -> Option<&str> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    let (time, id) = stem.split_once('_')?;
    let is_time = time.len() >= 10
        && time.bytes().enumerate().take(10).all(|(at, b)| match at {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
    (is_time && !id.is_empty()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_session() {
        let id = |name: &'static str| session_id(Path::new(name));
        assert_eq!(id("/a/2026-01-02T03-04-05-678Z_my_id.jsonl"), Some("my_id"));
        assert_eq!(id("2026-01-02T03-04-05-678Z_.jsonl"), None);
        assert_eq!(id("notes_1.jsonl"), None);
        assert_eq!(id("2026-01-02T03-04-05-678Z_x.json"), None);
    }
}
