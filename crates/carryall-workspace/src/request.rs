//! A request as bytes: its limits, its parts, and whether it asks for a directory.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// The longest request, in bytes: `PATH_MAX` of Linux without its NUL.
const REQUEST_MAX: usize = 4095;
/// The longest name, in bytes: `NAME_MAX` of every file system in use.
const NAME_MAX: usize = 255;

/// A request cut into its parts. `.` and empty parts are gone, `..` stays: what it means is the
/// kernel's to say, not the text's.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// As it was asked for, for messages.
    pub(crate) asked: PathBuf,
    /// Names and `..`, below the root.
    pub(crate) parts: Vec<OsString>,
    /// The text can only mean a directory: it is empty or ends in `/`, `.` or `..`.
    pub(crate) directory: bool,
}

impl Request {
    /// Checks the bytes and cuts them. An absolute request must begin with one of the root's
    /// `spellings`, compared part by part, and is then relative to the root.
    ///
    /// The text is read here and not by [`Path::components`], which drops the trailing `/` and `/.`
    /// that ask for a directory.
    pub(crate) fn parse(asked: &Path, spellings: &[PathBuf]) -> Result<Self, Error> {
        let bytes = asked.as_os_str().as_bytes();
        if bytes.contains(&0) {
            let reason = "a name cannot hold a NUL character";
            return Err(Error::BadName { path: asked.to_owned(), reason });
        }
        if bytes.len() > REQUEST_MAX {
            let (what, limit) = ("the path", "4095 bytes");
            return Err(Error::TooLong { path: asked.to_owned(), what, limit });
        }
        let mut parts = parts(asked);
        if bytes.starts_with(b"/") {
            parts = below(&parts, spellings)
                .ok_or_else(|| Error::Escape { path: asked.to_owned() })?
                .to_vec();
        }
        let last = bytes.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let directory = parts.is_empty() || matches!(last, b"" | b"." | b"..");
        Ok(Self { asked: asked.to_owned(), parts, directory })
    }
}

/// The names and `..` of a path, in order.
pub(crate) fn parts(path: &Path) -> Vec<OsString> {
    let bytes = path.as_os_str().as_bytes();
    let parts = bytes.split(|&byte| byte == b'/');
    let kept = parts.filter(|part| !matches!(*part, b"" | b"."));
    kept.map(|part| OsStr::from_bytes(part).to_owned()).collect()
}

fn below<'a>(request: &'a [OsString], spellings: &[PathBuf]) -> Option<&'a [OsString]> {
    spellings.iter().find_map(|spelling| request.strip_prefix(parts(spelling).as_slice()))
}

/// Refuses a name that is to be made if it is too long or could deceive whoever reads it.
pub(crate) fn check_new_name(name: &OsStr, asked: &Path) -> Result<(), Error> {
    let path = || asked.to_owned();
    let bytes = name.as_bytes();
    if bytes.len() > NAME_MAX {
        return Err(Error::TooLong { path: path(), what: "a name", limit: "255 bytes" });
    }
    let mut characters = bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
    if characters.any(is_invisible) {
        let reason = "a new name cannot hold a control, bidirectional or zero-width character";
        return Err(Error::BadName { path: path(), reason });
    }
    Ok(())
}

/// Characters that break a line, move the cursor, turn the direction or cannot be seen: C0, DEL,
/// C1, U+200B–200F, U+2028–202E, U+2060–2069, U+FEFF.
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> (Vec<String>, bool) {
        let request = Request::parse(Path::new(text), &["/r/oot".into(), "/l".into()]).unwrap();
        let parts = request.parts.iter().map(|part| part.to_str().unwrap().to_owned());
        (parts.collect(), request.directory)
    }

    #[test]
    fn the_text_says_when_only_a_directory_can_be_meant() {
        for text in ["", ".", "./", "a/", "a/.", "a/..", "..", "a//", "/r/oot", "/l/"] {
            assert!(cut(text).1, "{text:?}");
        }
        for text in ["a", "./a", "a/b", "...", "a/.b", "/l/a", "a/..b"] {
            assert!(!cut(text).1, "{text:?}");
        }
    }

    #[test]
    fn an_absolute_request_is_compared_by_parts() {
        assert_eq!(cut("/r//oot/./a/../b").0, ["a", "..", "b"]);
        assert_eq!(cut("/l/x").0, ["x"]);
        for text in ["/r/oot-evil/x", "/r", "/", "/x/r/oot/y"] {
            let refusal = Request::parse(Path::new(text), &["/r/oot".into()]).unwrap_err();
            assert_eq!(refusal.kind().word(), "escape", "{text}");
        }
    }

    #[test]
    fn limits_hold_at_their_edge() {
        let path = |length: usize| PathBuf::from("a/".repeat(length / 2) + &"b"[..length % 2]);
        assert!(Request::parse(&path(REQUEST_MAX), &[]).is_ok());
        assert!(Request::parse(&path(REQUEST_MAX + 1), &[]).is_err());
        let name = |length: usize| OsString::from("n".repeat(length));
        assert!(check_new_name(&name(NAME_MAX), Path::new("x")).is_ok());
        assert!(check_new_name(&name(NAME_MAX + 1), Path::new("x")).is_err());
    }
}
