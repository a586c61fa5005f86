//! Where rollouts are kept, and what their names tell.

use crate::{Listed, Surroundings};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of a home that hold rollouts: those in use, and those put away.
const FOLDERS: [&str; 2] = ["sessions", "archived_sessions"];

/// Years, months and days are folders; no rollout lies deeper.
const MAX_DEPTH: u32 = 8;

/// `$CODEX_HOME`, else `~/.codex`.
pub(super) fn stores(surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
    surroundings
        .folder("CODEX_HOME")
        .or_else(|| surroundings.in_home(".codex"))
        .into_iter()
        .collect()
}

/// Names the threads of a home; any folder of rollouts may be given instead. A thread that is
/// there twice is named once: the plain file before the compressed one, and what is in use before
/// what was put away.
pub(super) fn list(store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
    let mut known = HashSet::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|name| store.join(name)).collect();
    folders.retain(|folder| folder.is_dir());
    if folders.is_empty() {
        folders.push(store.to_owned());
    }
    for folder in folders {
        let mut compressed = Vec::new();
        descend(&folder, MAX_DEPTH, &mut |path, id| {
            let listed = Listed { id, path, is_subagent: false };
            if is_compressed(&listed.path) {
                compressed.push(listed);
            } else if known.insert(listed.id.clone()) {
                each(listed);
            }
        })?;
        for listed in compressed {
            if known.insert(listed.id.clone()) {
                each(listed);
            }
        }
    }
    Ok(())
}

fn descend(folder: &Path, depth: u32, each: &mut dyn FnMut(PathBuf, String)) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            // A folder inside a store that cannot be read is passed over.
            let _ = descend(&entry.path(), depth - 1, each);
        } else if (kind.is_file() || kind.is_symlink())
            && let Some(id) = thread_id(&entry.file_name())
        {
            each(entry.path(), id);
        }
    }
    Ok(())
}

/// The thread that a file is named for: the last part of its name that is a UUID.
pub(super) fn thread_id(name: &OsStr) -> Option<String> {
    let name = name.to_str()?;
    let stem = name.strip_suffix(".zst").unwrap_or(name).strip_suffix(".jsonl")?;
    let id = stem.get(stem.len().checked_sub(36)?..)?;
    (stem.starts_with("rollout-") && is_uuid(id)).then(|| id.to_owned())
}

fn is_uuid(name: &str) -> bool {
    name.bytes().enumerate().all(|(at, b)| match at {
        8 | 13 | 18 | 23 => b == b'-',
        _ => b.is_ascii_hexdigit(),
    })
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The home that a rollout lies in: the folder above `sessions` or `archived_sessions`.
pub(super) fn home_of(rollout: &Path) -> Option<&Path> {
    let in_home = |folder: &&Path| {
        folder.file_name().is_some_and(|name| FOLDERS.iter().any(|folder| *folder == name))
    };
    rollout.ancestors().skip(1).find(in_home)?.parent()
}

/// The index of names in the home of a rollout.
pub(super) fn names_beside(rollout: &Path) -> Option<PathBuf> {
    Some(home_of(rollout)?.join("session_index.jsonl"))
}

/// The rollout of a thread: in the home of the one that names it, else beside it.
pub(super) fn rollout_of(thread: &str, named_in: &Path) -> Option<PathBuf> {
    let beside = named_in.parent()?;
    let mut found = None;
    let mut look = |store: &Path| {
        let _ = list(store, &mut |listed| {
            if found.is_none() && listed.id == thread {
                found = Some(listed.path);
            }
        });
    };
    look(home_of(named_in).unwrap_or(beside));
    found
}

/// The file that took the place of one that is gone: a rollout is compressed, or made plain
/// again, while others look at it.
pub(super) fn other_form(path: &Path) -> Option<PathBuf> {
    let other = match is_compressed(path) {
        true => path.with_extension(""),
        false => {
            let mut name = path.file_name()?.to_owned();
            name.push(".zst");
            path.with_file_name(name)
        }
    };
    other.is_file().then_some(other)
}
