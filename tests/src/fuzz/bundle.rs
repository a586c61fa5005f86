//! One input as several files: sessions that are folders, or have files beside them.

use std::path::{Component, Path, PathBuf};

/// A line that begins a file: `==== subagents/agent-1.jsonl`.
const MARK: &[u8] = b"==== ";
/// The most files of one input.
const FILES_MAX: usize = 8;

/// Writes the files of an input below `folder` and returns the path to open: the first file, or
/// the folder itself where the input begins with a line `==== .`. An input without such a first
/// line is one file.
pub(super) fn unpack(input: &[u8], folder: &Path) -> PathBuf {
    let mut opened = None;
    for (name, bytes) in files(input) {
        let path = folder.join(&name);
        opened.get_or_insert_with(|| path.clone());
        if name.as_os_str().is_empty() {
            continue;
        }
        // A name may stand where another one needs a folder: then there is no such file.
        if std::fs::create_dir_all(path.parent().unwrap()).is_ok() {
            let _ = std::fs::write(&path, bytes);
        }
    }
    opened.unwrap_or_else(|| folder.join("session.jsonl"))
}

fn files(input: &[u8]) -> Vec<(PathBuf, Vec<u8>)> {
    if !input.starts_with(MARK) {
        return vec![("session.jsonl".into(), input.to_owned())];
    }
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(MARK).and_then(name) {
            Some(name) if files.len() < FILES_MAX => files.push((name, Vec::new())),
            Some(_) | None => {
                if let Some((_, bytes)) = files.last_mut() {
                    bytes.extend_from_slice(line);
                }
            }
        }
    }
    files
}

/// A path that stays below its folder; `.` is the folder.
fn name(line: &[u8]) -> Option<PathBuf> {
    let text = std::str::from_utf8(line.trim_ascii()).ok().filter(|text| text.len() < 200)?;
    let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let path = Path::new(text);
    let safe = !text.contains('\0') && path.components().all(inside);
    safe.then(|| path.components().filter(|part| *part != Component::CurDir).collect())
}
