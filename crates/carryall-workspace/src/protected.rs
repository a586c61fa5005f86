//! `.git` is closed: attacker-chosen lines in a git configuration or hook run programs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use cap_std::fs::Dir;
use rustix::fs::{AtFlags, statat};

use crate::descriptor::path_of;
use crate::identity::FileId;

/// Whether some file system would open `.git` under this name.
///
/// The classes are those git itself refuses at checkout: letter case; trailing dots and spaces, the
/// short name `git~1`, alternate streams and backslashes (NTFS); ignorable code points (HFS+).
pub(crate) fn names_git(name: &OsStr) -> bool {
    name.as_bytes().split(|&byte| byte == b'\\').any(|part| {
        let whole = part.split(|&byte| byte == b':').next().unwrap_or_default();
        let seen: String =
            String::from_utf8_lossy(whole).chars().filter(|&c| !is_ignorable(c)).collect();
        let seen = seen.trim_end_matches(['.', ' ']);
        seen.eq_ignore_ascii_case(".git") || seen.eq_ignore_ascii_case("git~1")
    })
}

/// Code points that HFS+ leaves out when it compares names, and their neighbours of the same kind.
const fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}')
}

/// Whether an opened directory is the root's `.git`, or lies in a `.git` below the root, by
/// whichever links it was reached.
pub(crate) fn is_git(root: &Dir, directory: &Dir) -> bool {
    is_the_roots(root, directory) || lies_in_git(root, directory)
}

fn is_the_roots(root: &Dir, directory: &Dir) -> bool {
    // `.git` may itself be a link: the identity of what it leads to counts, nothing is opened.
    let Ok(git) = statat(root, ".git", AtFlags::empty()) else {
        return false;
    };
    FileId::of_open(directory).is_ok_and(|opened| opened == FileId::of(&git))
}

fn lies_in_git(root: &Dir, directory: &Dir) -> bool {
    let (Some(root), Some(directory)) = (path_of(root), path_of(directory)) else {
        return false;
    };
    directory.strip_prefix(root).is_ok_and(any_part_names_git)
}

fn any_part_names_git(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::Normal(name) if names_git(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_git_is_found() {
        let spellings = [
            ".git",
            ".GIT",
            ".Git.",
            ".git. .",
            "git~1",
            "GIT~1",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git:x",
            ".git::$INDEX_ALLOCATION",
            "a\\.git",
            ".git\\config",
            ".git ",
        ];
        for name in spellings {
            assert!(names_git(OsStr::new(name)), "{name:?}");
        }
    }

    #[test]
    fn names_that_only_look_alike_are_free() {
        for name in [".github", ".gitignore", "git", "x.git", ".git2", "git~2", "", "..git", ".gi"]
        {
            assert!(!names_git(OsStr::new(name)), "{name:?}");
        }
    }
}
