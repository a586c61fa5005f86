//! Results that were too long for their row and stand in a file of their own.
//!
//! The row then holds a preview and the path. Whoever wrote the row chose that path, so only its
//! last part is used, and only below the session's own folder.

use crate::beside;
use cap_std::AmbientAuthority;
use cap_std::fs::Dir;
use std::path::{Path, PathBuf};

/// The folder in which a session keeps long results.
const FOLDER: &str = "tool-results";

/// A spill file larger than a row may be is not read.
const LIMIT: u64 = crate::rows::MAX_ROW as u64;

/// The long results of one session.
pub(super) struct Spills {
    /// The session's own folder.
    pub(super) folder: PathBuf,
    /// The right to open it.
    pub(super) authority: AmbientAuthority,
}

/// The path that a result points to when it stands in a file of its own.
pub(super) fn path(result: &str) -> Option<&str> {
    let head = result.trim_ascii_start().strip_prefix("<persisted-output>")?;
    let line = head.lines().find(|line| line.contains("saved to: "))?;
    line.split_once("saved to: ").map(|(_, path)| path)
}

/// The name of the file at such a path, when it stands where a session keeps them.
fn name(path: &str) -> Option<&str> {
    let (folder, name) = path.trim().rsplit_once(['/', '\\'])?;
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains('\0');
    (folder.ends_with(FOLDER) && is_plain).then_some(name)
}

impl Spills {
    /// The whole result, when its file is a regular file that can be read.
    pub(super) fn read(&self, path: &str) -> Option<Vec<u8>> {
        let name = name(path)?;
        let folder = Dir::open_ambient_dir(&self.folder, self.authority).ok()?;
        beside::read(&folder, &Path::new(FOLDER).join(name), LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::{name, path};

    #[test]
    fn only_the_name_is_taken_and_only_from_the_right_folder() {
        let result = "\n<persisted-output>\nToo large. Full output saved to: /a/tool-results/x.txt\n\nPreview";
        assert_eq!(path(result), Some("/a/tool-results/x.txt"));
        assert_eq!(path("I saved to: /a/tool-results/x.txt"), None);
        assert_eq!(path("<persisted-output>\nnothing"), None);
        assert_eq!(name("/a/tool-results/x.txt"), Some("x.txt"));
        assert_eq!(name("C:\\a\\tool-results\\x.txt"), Some("x.txt"));
        assert_eq!(name("/a/b/x.txt"), None);
        assert_eq!(name("x.txt"), None);
        assert_eq!(name("/a/tool-results/.."), None);
        assert_eq!(name("/a/tool-results/"), None);
    }
}
