//! Where sessions are kept, and what names tell of them.

use crate::{Listed, Surroundings};
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

/// `projects` below the runtime folder: `$QWEN_RUNTIME_DIR`, else `$QWEN_HOME`, else `~/.qwen`.
pub(super) fn stores(surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
    let root = surroundings
        .folder("QWEN_RUNTIME_DIR")
        .or_else(|| surroundings.folder("QWEN_HOME"))
        .or_else(|| surroundings.in_home(".qwen"));
    root.into_iter().map(|root| root.join("projects")).collect()
}

/// Names the sessions of all projects in a store. A runtime folder is a store, too, and so are a
/// single project and a folder of sessions.
pub(super) fn list(store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
    let projects = store.join("projects");
    let store = if projects.is_dir() { projects.as_path() } else { store };
    if store.join("chats").is_dir() {
        project(store, each);
        return Ok(());
    }
    for entry in fs::read_dir(store)?.flatten() {
        if !session(&entry, each) && entry.path().join("chats").is_dir() {
            project(&entry.path(), each);
        }
    }
    Ok(())
}

fn project(project: &Path, each: &mut dyn FnMut(Listed)) {
    let chats = project.join("chats");
    for folder in [chats.join("archive"), chats] {
        for entry in entries(&folder) {
            session(&entry, each);
        }
    }
    for entry in entries(&project.join("subagents")) {
        for (path, id) in agents(&entry.path()) {
            each(Listed { id, path, is_subagent: true });
        }
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

fn session(entry: &DirEntry, each: &mut dyn FnMut(Listed)) -> bool {
    let Some(id) = session_id(&entry.path()) else { return false };
    if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
        return false;
    }
    each(Listed { id, path: entry.path(), is_subagent: false });
    true
}

/// The session that a file is named for: 32 to 36 hexadecimal digits and hyphens.
pub(super) fn session_id(path: &Path) -> Option<String> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    let is_id = (32..=36).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    is_id.then(|| id.to_owned())
}

/// The subagent that a file is named for.
pub(super) fn agent_id(path: &Path) -> Option<String> {
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl")?;
    id.starts_with("agent-").then(|| id.to_owned())
}

/// The files of the subagents in a folder, by name.
pub(super) fn agents(folder: &Path) -> Vec<(PathBuf, String)> {
    let files = entries(folder).filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()));
    let mut agents: Vec<_> = files.filter_map(|e| Some((e.path(), agent_id(&e.path())?))).collect();
    agents.sort();
    agents
}

/// The folder of a session's subagents: `subagents/<session>` beside `chats`.
pub(super) fn agents_of(session: &Path) -> Option<PathBuf> {
    let id = session_id(session)?;
    let mut folders = session.ancestors().skip(1).take(2);
    let chats = folders.find(|folder| folder.file_name().is_some_and(|name| name == "chats"))?;
    Some(chats.parent()?.join("subagents").join(id))
}
