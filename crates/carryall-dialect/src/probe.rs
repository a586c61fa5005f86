//! The little that is read of a file to tell whose it is.

use crate::compressed;
use crate::source::Source;
use cap_std::AmbientAuthority;
use carryall_model::OpenError;
use std::io;
use std::path::Path;

/// How many bytes from the beginning a probe holds.
const HEAD: usize = 64 * 1024;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
}

/// A path with the beginning of its file; dialects recognise their own by it.
#[derive(Debug)]
pub struct Probe<'a> {
    /// The path.
    pub path: &'a Path,
    /// A file or a folder.
    pub kind: ProbeKind,
    /// The first 64 KiB of a file, after a byte order mark; empty for a folder.
    pub head: Vec<u8>,
    /// The file is compressed with Zstandard; the head is what it holds.
    pub compressed: bool,
}

impl<'a> Probe<'a> {
    /// Looks at a path; a FIFO, socket or device is refused without being touched.
    ///
    /// # Errors
    /// When there is nothing, or it cannot be opened.
    pub fn new(path: &'a Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let failed = |source: io::Error| OpenError::Io { path: path.to_owned(), source };
        if std::fs::metadata(path).map_err(failed)?.is_dir() {
            let kind = ProbeKind::Folder;
            return Ok(Self { path, kind, head: Vec::new(), compressed: false });
        }
        let source = Source::open(path, authority)?;
        let mut head = source.read_range(0, HEAD as u64).map_err(failed)?;
        let compressed = compressed::is(&head);
        if compressed {
            head = compressed::beginning(&source, HEAD);
        }
        if head.starts_with(b"\xef\xbb\xbf") {
            head.drain(..3);
        }
        Ok(Self { path, kind: ProbeKind::File, head, compressed })
    }

    /// The first rows of the head that are not blank, the last one possibly cut off.
    pub fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|row| !row.is_empty())
    }

    /// What stands at the path, in words, for a person whose file no dialect knows.
    #[must_use]
    pub fn what(&self) -> &'static str {
        const MARKS: [(&[u8], &str); 5] = [
            (b"SQLite format 3\0", "a SQLite database"),
            (b"\xff\xfe", "UTF-16 text; convert it to UTF-8"),
            (b"\xfe\xff", "UTF-16 text; convert it to UTF-8"),
            (b"\x1f\x8b", "compressed with gzip"),
            (b"PK\x03\x04", "a zip archive"),
        ];
        if self.kind == ProbeKind::Folder {
            return "a folder";
        }
        if self.compressed {
            return "compressed with zstd; unpack it first";
        }
        if self.head.is_empty() {
            return "an empty file";
        }
        if let Some((_, what)) = MARKS.iter().find(|(mark, _)| self.head.starts_with(mark)) {
            return what;
        }
        let mut rows = self.rows();
        match rows.next() {
            Some(row) if row.starts_with(b"{") => match rows.next() {
                Some(second) if second.starts_with(b"{") => "JSON Lines of an unknown kind",
                Some(_) | None => "JSON of an unknown kind",
            },
            Some(_) if self.head.contains(&0) => "a binary file",
            Some(_) => "text of an unknown kind",
            None => "a file of blank lines",
        }
    }
}
