//! Where sessions are kept, and what names tell of them.

use crate::{Listed, Surroundings};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// How deep below `subagents` an agent's file may stand.
const MAX_DEPTH: u32 = 8;

/// `projects` below the configured folder, else below `~/.claude`.
pub(super) fn stores(surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
    let root = surroundings.folder("CLAUDE_CONFIG_DIR").or_else(|| surroundings.in_home(".claude"));
    root.into_iter().map(|root| root.join("projects")).collect()
}

/// Names the sessions of all projects in a store. A configuration folder is a store, too, and so
/// is a single project.
pub(super) fn list(store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
    let projects = store.join("projects");
    let store = if projects.is_dir() { projects.as_path() } else { store };
    for entry in fs::read_dir(store)?.flatten() {
        if session(&entry, each) {
            continue;
        }
        if is_folder(&entry) {
            for entry in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                if !session(&entry, each) && is_session_folder(&entry) {
                    agents_below(&entry.path().join("subagents"), &mut |path, id| {
                        each(Listed { id, path, is_subagent: true });
                    });
                }
            }
        }
    }
    Ok(())
}

/// Names a session file, when the entry is one.
fn session(entry: &DirEntry, each: &mut dyn FnMut(Listed)) -> bool {
    let name = entry.file_name();
    let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else { return false };
    let is_subagent = id.starts_with("agent-");
    if is_subagent || is_uuid(id) {
        each(Listed { id: id.to_owned(), path: entry.path(), is_subagent });
    }
    true
}

fn is_folder(entry: &DirEntry) -> bool {
    // Looked up only for links: a project's folder may be one.
    entry
        .file_type()
        .is_ok_and(|kind| kind.is_dir() || (kind.is_symlink() && entry.path().is_dir()))
}

fn is_session_folder(entry: &DirEntry) -> bool {
    entry.file_name().to_str().is_some_and(is_uuid)
        && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Names the agents' files below a folder, links not followed. A `journal.jsonl` is none.
pub(super) fn agents_below(folder: &Path, each: &mut dyn FnMut(PathBuf, String)) {
    descend(folder, MAX_DEPTH, each);
}

fn descend(folder: &Path, depth: u32, each: &mut dyn FnMut(PathBuf, String)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            descend(&entry.path(), depth - 1, each);
        } else if let Some(id) = agent_id(&entry.path()).filter(|_| !kind.is_dir()) {
            each(entry.path(), id);
        }
    }
}

/// The session id of an agent's file, by its name.
pub(super) fn agent_id(path: &Path) -> Option<String> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    id.starts_with("agent-").then(|| id.to_owned())
}

/// Whether a name is a UUID.
pub(super) fn is_uuid(name: &str) -> bool {
    name.len() == 36
        && name.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
