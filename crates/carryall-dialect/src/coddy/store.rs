//! Where sessions are kept, and what names tell of them.

use super::bundle::SESSION;
use crate::{Listed, Surroundings};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// The folder in which a session keeps its subagents.
pub(super) const SUBAGENTS: &str = "subagents";

/// How deep subagents of subagents are looked for.
const MAX_DEPTH: u32 = 32;

/// The longest id, in bytes.
const MAX_ID: usize = 256;

/// `sessions` below the configured folder, else below `~/.coddy`.
pub(super) fn stores(surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
    let root = surroundings.folder("CODDY_HOME").or_else(|| surroundings.in_home(".coddy"));
    root.into_iter().map(|root| root.join("sessions")).collect()
}

/// Names the sessions of a store and, below them, their subagents. The folder above a store is a
/// store, too, and so is any folder of sessions.
pub(super) fn list(store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
    let below = store.join("sessions");
    let store = if below.is_dir() { below.as_path() } else { store };
    for entry in fs::read_dir(store)?.flatten() {
        // Looked up only for links: a person may keep a session elsewhere.
        let is_folder = entry
            .file_type()
            .is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()));
        if let Some(id) = session(&entry).filter(|_| is_folder) {
            let path = entry.path();
            each(Listed { id, path: path.clone(), is_subagent: false });
            descend(&path, MAX_DEPTH, each);
        }
    }
    Ok(())
}

fn descend(session: &Path, depth: u32, each: &mut dyn FnMut(Listed)) {
    for (id, path) in subagents(session) {
        each(Listed { id, path: path.clone(), is_subagent: true });
        if depth > 1 {
            descend(&path, depth - 1, each);
        }
    }
}

/// The folders of a session's own subagents with their names, links not followed.
pub(super) fn subagents(session_folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(session_folder.join(SUBAGENTS)).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| Some((session(&entry)?, entry.path())))
        .collect()
}

/// The id of a session's folder.
fn session(entry: &DirEntry) -> Option<String> {
    let id = entry.file_name().into_string().ok().filter(|name| is_id(name))?;
    entry.path().join(SESSION).is_file().then_some(id)
}

/// Whether coddy would take a name for a session's id.
fn is_id(name: &str) -> bool {
    (1..=MAX_ID).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
